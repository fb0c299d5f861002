// SPDX-License-Identifier: MIT
/*
 * gfx950's small operations: exchange of lanes, V_BITOP3 and other arithmetic, transposing
 * reads of the LDS and loads of three and four dwords to it, by their definitions. TAP.
 */
#include "one.h"

#define PAGE_VA	0x10000ull

static u8 *page;

/* ---- lanes and bits ---- */

static bool test_swap(const char *name, u32 rows)
{
	int op = number(ISA_ENC_VOP3, name), short_op = number(ISA_ENC_VOP1, name);
	u32 k, l, v;

	for (k = 0; k < 64; k++) {
		u64 exec = k & 1 ? lt_rand() : ~0ull;
		u32 sel = k >> 1 & 3, w[2];

		w[0] = 0xd0000000 | (u32)op << 16 | DST | sel << 11;
		w[1] = S0 + 256;
		if (!sel)
			w[0] = 0x7e000000 | DST << 17 | (u32)short_op << 9 | (S0 + 256);
		for (l = 0; l < ROWS * 64; l++)
			before[l] = (u32)lt_rand();
		memcpy(want, before, ROWS * 256);
		for (l = 0; l < 64; l++) {
			u32 other = l ^ rows;
			bool on = exec >> l & 1, there = exec >> other & 1 || sel & 1;
			u32 *d = l & rows ? &row(want, DST)[l] : &row(want, S0)[l];
			u32 x = l & rows ? row(before, S0)[other] : row(before, DST)[other];

			if (on && (there || sel & 2))
				*d = there ? x : 0;
		}
		for (v = 0; v < nvariants; v++)
			if (!run(variants[v], w, sel ? 2 : 1, 0x3f0, exec) || !compare(name))
				return false;
	}
	return true;
}

static bool test_bitop3(const char *name, u32 bits)
{
	u32 table, l, v, b, op = (u32)number(ISA_ENC_VOP3, name);

	for (table = 0; table < 256; table++) {
		u32 w[2] = { 0xd0000000 | op << 16 | DST | (table >> 3 & 7) << 8,
			     (S0 + 256) | (S1 + 256) << 9 | (S2 + 256) << 18 | (table & 7) << 29 |
			     (table >> 6) << 27 };
		u64 exec = table & 1 ? lt_rand() : ~0ull;

		for (l = 0; l < ROWS * 64; l++)
			before[l] = (u32)lt_rand();
		memcpy(want, before, ROWS * 256);
		for (l = 0; l < 64; l++) {
			u32 r = bits < 32 ? row(before, DST)[l] & ~0u << bits : 0;

			for (b = 0; b < bits; b++) {
				u32 n = (row(before, S0)[l] >> b & 1) << 2 |
					(row(before, S1)[l] >> b & 1) << 1 |
					(row(before, S2)[l] >> b & 1);

				r |= (table >> n & 1) << b;
			}
			if (exec >> l & 1)
				row(want, DST)[l] = r;
		}
		for (v = 0; v < nvariants; v++)
			if (!run(variants[v], w, 2, 0x3f0, exec) || !compare(name))
				return false;
	}
	return true;
}

/* ---- arithmetic, a lane at a time ---- */

static float value(u32 x)
{
	float f;

	memcpy(&f, &x, 4);
	return f;
}

static u32 ref_prng(u32 a, u32 b, u32 c)
{
	(void)b, (void)c;
	return (u32)(((u64)a << 1 & 0xffffffff) ^ (a >> 31) * 197);
}

static u32 ref_bf16(u32 a, u32 b, u32 c)
{
	(void)b, (void)c;
	return a << 16;
}

static u32 limited(u32 x, u32 shift, int min, int max)
{
	s64 v = (s64)(s32)x >> (shift % 32);

	return (u32)(v < min ? min : v > max ? max : v) & 0xff;
}

static u32 ref_ashr_i8(u32 a, u32 b, u32 c)
{
	return limited(a, c, -128, 127) | limited(b, c, -128, 127) << 8;
}

static u32 ref_ashr_u8(u32 a, u32 b, u32 c)
{
	return limited(a, c, 0, 255) | limited(b, c, 0, 255) << 8;
}

/* NaNs win, the first of them; -0 is less than 0. */
static u32 lesser(u32 a, u32 b)
{
	if (value(a) != value(a) || value(b) != value(b))
		return (value(a) != value(a) ? a : b) | 0x400000;
	if (value(a) == value(b))
		return a >> 31 ? a : b;
	return value(a) < value(b) ? a : b;
}

static u32 greater(u32 a, u32 b)
{
	if (value(a) != value(a) || value(b) != value(b))
		return (value(a) != value(a) ? a : b) | 0x400000;
	if (value(a) == value(b))
		return a >> 31 ? b : a;
	return value(a) > value(b) ? a : b;
}

static u32 ref_minimum3(u32 a, u32 b, u32 c)
{
	return lesser(lesser(a, b), c);
}

static u32 ref_maximum3(u32 a, u32 b, u32 c)
{
	return greater(greater(a, b), c);
}

/* The same with halves, two at a time */
static _Float16 half_value(u32 x)
{
	u16 bits = (u16)x;
	_Float16 f;

	memcpy(&f, &bits, 2);
	return f;
}

static u32 half_of_two(u32 a, u32 b, bool greatest)
{
	_Float16 x = half_value(a), y = half_value(b);

	if (x != x || y != y)
		return (x != x ? a : b) | 0x200;
	if (x == y)
		return (a >> 15) != greatest ? a : b;
	return (x > y) == greatest ? a : b;
}

static u32 halves(u32 a, u32 b, u32 c, bool greatest)
{
	u32 lo = half_of_two(half_of_two(a & 0xffff, b & 0xffff, greatest), c & 0xffff, greatest);
	u32 hi = half_of_two(half_of_two(a >> 16, b >> 16, greatest), c >> 16, greatest);

	return lo | hi << 16;
}

static u32 ref_pk_minimum3(u32 a, u32 b, u32 c)
{
	return halves(a, b, c, false);
}

static u32 ref_pk_maximum3(u32 a, u32 b, u32 c)
{
	return halves(a, b, c, true);
}

static const struct alu {
	const char *name;
	u32 enc, sources;
	u32 (*ref)(u32 a, u32 b, u32 c);
	bool half;		/* of the destination */
} alus[] = {
	{ "v_prng_b32", ISA_ENC_VOP1, 1, ref_prng, false },
	{ "v_cvt_f32_bf16", ISA_ENC_VOP1, 1, ref_bf16, false },
	{ "v_ashr_pk_i8_i32", ISA_ENC_VOP3, 3, ref_ashr_i8, true },
	{ "v_ashr_pk_u8_i32", ISA_ENC_VOP3, 3, ref_ashr_u8, true },
	{ "v_minimum3_f32", ISA_ENC_VOP3, 3, ref_minimum3, false },
	{ "v_maximum3_f32", ISA_ENC_VOP3, 3, ref_maximum3, false },
	{ "v_pk_minimum3_f16", ISA_ENC_VOP3P, 3, ref_pk_minimum3, false },
	{ "v_pk_maximum3_f16", ISA_ENC_VOP3P, 3, ref_pk_maximum3, false },
};

static bool test_alu(const struct alu *a)
{
	int op = number(a->enc, a->name);
	u32 k, l, v, n;

	for (k = 0; k < 64; k++) {
		u64 exec = k & 1 ? lt_rand() : ~0ull;
		u32 w[2] = { 0xd0000000 | (u32)op << 16 | DST,
			     (S0 + 256) | (S1 + 256) << 9 | (S2 + 256) << 18 };

		if (a->enc == ISA_ENC_VOP1)
			w[0] = 0x7e000000 | (u32)op << 9 | DST << 17 | (S0 + 256);
		if (a->enc == ISA_ENC_VOP3P) {	/* upper halves from upper halves */
			w[0] = 0xd3800000 | (u32)op << 16 | DST | 1 << 14;
			w[1] |= 3 << 27;
		}
		for (n = 0; n < ROWS * 64; n++)
			before[n] = lt_value32();
		memcpy(want, before, ROWS * 256);
		for (l = 0; l < 64; l++) {
			u32 r = a->ref(row(before, S0)[l], row(before, S1)[l], row(before, S2)[l]);

			if (a->half)
				r |= row(want, DST)[l] & 0xffff0000;
			if (exec >> l & 1)
				row(want, DST)[l] = r;
		}
		for (v = 0; v < nvariants; v++)
			if (!run(variants[v], w, a->sources == 1 ? 1 : 2, 0x3f0, exec) ||
			    !compare(a->name))
				return false;
	}
	return true;
}

/* ---- the LDS ---- */

static bool lookup(struct isa_cu *c, u64 va, u32 access, struct isa_page *p)
{
	(void)c;
	p->host = page;
	p->access = ISA_R | ISA_W;
	return va / ISA_PAGE_BYTES == PAGE_VA / ISA_PAGE_BYTES && !(access & ISA_X);
}

static void fill_lds(void)
{
	u32 n;

	for (n = 0; n < ROWS * 64; n++)
		before[n] = (u32)lt_rand();
	for (n = 0; n < LDS; n++)
		wg.lds[n] = (u8)lt_rand();
	for (n = 0; n < ISA_PAGE_BYTES; n++)
		page[n] = (u8)lt_rand();
}

/* Sixteen lanes' elements one after the other are a matrix of 16 columns: a lane gets one. */
static bool test_transpose(const char *name, u32 bits, u32 bytes)
{
	int op = number(ISA_ENC_DS, name);
	u32 count = bytes * 8 / bits, k, l, e, b, v, offset;

	for (k = 0; k < 32; k++) {
		u64 exec = k & 1 ? lt_rand() : ~0ull;
		u32 w[2];

		offset = (u32)lt_rand() & 0xff0;
		w[0] = 0xd8000000 | (u32)op << 17 | offset;
		w[1] = S0 | (u32)DST << 24;
		fill_lds();
		for (l = 0; l < 64; l++)
			row(before, S0)[l] = (u32)lt_rand() % (LDS - 8192) & ~15u;
		memcpy(want, before, ROWS * 256);
		for (l = 0; l < 64; l++) {
			if (!(exec >> l & 1))
				continue;
			for (e = 0; e < bytes / 4; e++)
				row(want, DST + e)[l] = 0;
			for (e = 0; e < count; e++) {
				u32 lane = l / 16 * 16 + (e * 16 + l % 16) / count;
				u32 n = (e * 16 + l % 16) % count;
				const u8 *p = wg.lds + row(before, S0)[lane] + offset;

				for (b = 0; b < bits && exec >> lane & 1; b++) {
					u32 from = n * bits + b, to = e * bits + b;
					u32 x = p[from / 8] >> from % 8 & 1;

					row(want, DST + to / 32)[l] |= x << to % 32;
				}
			}
		}
		for (v = 0; v < nvariants; v++)
			if (!run(variants[v], w, 2, 0x3f0, exec) || !compare(name))
				return false;
	}
	return true;
}

/* A lane's dwords to the LDS, lane by lane; @buffer: by a resource, else by addresses */
static bool test_to_lds(const char *name, u32 dwords, bool buffer)
{
	int op = number(buffer ? ISA_ENC_MUBUF : ISA_ENC_GLOBAL, name);
	u8 *model = memory(LDS);
	u32 k, l, v;

	for (k = 0; k < 16; k++) {
		u64 exec = k & 1 ? lt_rand() : ~0ull;
		u32 w[2];

		m0 = (u32)lt_rand() % (LDS - 2048) & ~15u;
		if (k == 3)
			m0 = LDS - 512;		/* some lanes are outside */
		if (buffer) {
			w[0] = 0xe0011000 | (u32)op << 18;
			w[1] = S0 | 1 << 16 | 0x80u << 24;
			resource[0] = (u32)PAGE_VA;
			resource[2] = ISA_PAGE_BYTES;
			resource[3] = 0x00027000;
		} else {
			w[0] = 0xdc008000 | (u32)op << 18;
			w[1] = S0 | 0x7f << 16;
		}
		fill_lds();
		memcpy(model, wg.lds, LDS);
		for (l = 0; l < 64; l++) {
			u32 at = (u32)lt_rand() % 4080 & ~3u, to = m0 + l * dwords * 4;

			row(before, S0)[l] = buffer ? at : (u32)PAGE_VA + at;
			row(before, S0 + 1)[l] = 0;
			if (exec >> l & 1 && to + dwords * 4 <= LDS)
				memcpy(model + to, page + at, dwords * 4);
		}
		memcpy(want, before, ROWS * 256);
		for (v = 0; v < nvariants; v++)
			if (!run(variants[v], w, 2, 0x3f0, exec) || !compare(name) ||
			    memcmp(model, wg.lds, LDS)) {
				printf("# %s: M0 %x\n", name, m0);
				return false;
			}
	}
	free(model);
	m0 = 0;
	return true;
}

int main(int argc, char **argv)
{
	u32 n;

	setup("gfx950", argc, argv);
	page = memory(ISA_PAGE_BYTES);
	cu.lookup = lookup;
	for (n = 0; n < ARRAY_SIZE(alus); n++)
		result(test_alu(&alus[n]), alus[n].name);
	result(test_swap("v_permlane16_swap_b32", 16), "v_permlane16_swap_b32");
	result(test_swap("v_permlane32_swap_b32", 32), "v_permlane32_swap_b32");
	result(test_bitop3("v_bitop3_b32", 32), "v_bitop3_b32");
	result(test_bitop3("v_bitop3_b16", 16), "v_bitop3_b16");
	result(test_transpose("ds_read_b64_tr_b4", 4, 8), "ds_read_b64_tr_b4");
	result(test_transpose("ds_read_b96_tr_b6", 6, 12), "ds_read_b96_tr_b6");
	result(test_transpose("ds_read_b64_tr_b8", 8, 8), "ds_read_b64_tr_b8");
	result(test_transpose("ds_read_b64_tr_b16", 16, 8), "ds_read_b64_tr_b16");
	result(test_to_lds("global_load_lds_dwordx3", 3, false), "global_load_lds_dwordx3");
	result(test_to_lds("global_load_lds_dwordx4", 4, false), "global_load_lds_dwordx4");
	result(test_to_lds("buffer_load_dwordx3", 3, true), "buffer_load_dwordx3 lds");
	result(test_to_lds("buffer_load_dwordx4", 4, true), "buffer_load_dwordx4 lds");
	return finish();
}
