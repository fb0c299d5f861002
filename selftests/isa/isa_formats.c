// SPDX-License-Identifier: MIT
/*
 * Formatted buffer access against a reference in long double: every data and
 * number format, all components, loads and stores, D16 and not. Components of
 * 8 bits and less are tried with every value, larger ones with random and
 * special ones. Then the numbers that gfx10 and gfx11 have for formats.
 */
#include <math.h>
#include <stdlib.h>
#include "format.h"
#include "mem.h"
#include "rig.h"

#define ELEMENTS	64
#define STRIDE		16
#define ROUNDS		24

static const u8 bits_of[16][4] = {
	[1] = { 8 }, [2] = { 16 }, [3] = { 8, 8 }, [4] = { 32 }, [5] = { 16, 16 },
	[6] = { 11, 11, 10 }, [7] = { 10, 11, 11 }, [8] = { 2, 10, 10, 10 },
	[9] = { 10, 10, 10, 2 }, [10] = { 8, 8, 8, 8 }, [11] = { 32, 32 },
	[12] = { 16, 16, 16, 16 }, [13] = { 32, 32, 32 }, [14] = { 32, 32, 32, 32 },
};

/*
 * From gfx10 on: the code of each data format's first number format, and its number formats
 * in their order. Source: LLVM, UfmtGFX10 and UfmtGFX11 of SIDefines.h.
 */
static const struct {
	u8 first;
	const char *nums;
} unified[2][16] = {
	{ [1] = { 1, "012345" }, [2] = { 7, "0123457" }, [3] = { 14, "012345" },
	  [4] = { 20, "457" }, [5] = { 23, "0123457" }, [6] = { 30, "0123457" },
	  [7] = { 37, "0123457" }, [8] = { 44, "012345" }, [9] = { 50, "012345" },
	  [10] = { 56, "012345" }, [11] = { 62, "457" }, [12] = { 65, "0123457" },
	  [13] = { 72, "457" }, [14] = { 75, "457" } },
	{ [1] = { 1, "012345" }, [2] = { 7, "0123457" }, [3] = { 14, "012345" },
	  [4] = { 20, "457" }, [5] = { 23, "0123457" }, [6] = { 30, "7" }, [7] = { 31, "7" },
	  [8] = { 32, "0145" }, [9] = { 36, "012345" }, [10] = { 42, "012345" },
	  [11] = { 48, "457" }, [12] = { 51, "0123457" }, [13] = { 58, "457" },
	  [14] = { 61, "457" } },
};

/* What the running wave's generation is given */
static struct isa_arch arch;

/* Its code for a format, which it has. */
static u32 code_of(u32 df, u32 nf)
{
	u32 gfx11 = arch.buf_formats == ISA_BUF_FORMATS_GFX11;

	if (arch.buf_formats == ISA_BUF_FORMATS_GFX9)
		return df | nf << 4;
	return unified[gfx11][df].first +
	       (u32)(strchr(unified[gfx11][df].nums, '0' + (int)nf) - unified[gfx11][df].nums);
}

static u64 seed = 88172645463325252ull;

static u32 rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (u32)(seed >> 16);
}

static u32 components(u32 df)
{
	u32 n = 0;

	while (n < 4 && bits_of[df][n])
		n++;
	return n;
}

static u32 start_of(u32 df, u32 c)
{
	u32 at = 0, k;

	for (k = 0; k < c; k++)
		at += bits_of[df][k];
	return at;
}

static bool supported(u32 df, u32 nf)
{
	u32 c;

	if (!bits_of[df][0] || nf == 6)
		return false;
	for (c = 0; nf == 7 && c < components(df); c++)
		if (bits_of[df][c] == 8 || bits_of[df][c] == 2)
			return false;
	return true;
}

/* ---- floats of any width as long doubles ---- */

struct ftype {
	int m, e;
	bool sign;
};

static const struct ftype type32 = { 23, 8, true }, type16 = { 10, 5, true };
static const struct ftype type11 = { 6, 5, false }, type10 = { 5, 5, false };

static const struct ftype *type_of(u32 bits)
{
	return bits == 32 ? &type32 : bits == 16 ? &type16 : bits == 11 ? &type11 : &type10;
}

static long double value(const struct ftype *t, u32 v)
{
	int bias = (1 << (t->e - 1)) - 1, e = v >> t->m & ((1 << t->e) - 1);
	long double m = v & ((1u << t->m) - 1), r;

	if (e == (1 << t->e) - 1)
		r = m ? NAN : INFINITY;
	else
		r = ldexpl(e ? m + (1u << t->m) : m, (e ? e : 1) - bias - t->m);
	return t->sign && v >> (t->m + t->e) & 1 ? -r : r;
}

/* To the nearest of @t, ties to even: rintl() on a scaled value. */
static u32 nearest(const struct ftype *t, long double x)
{
	int bias = (1 << (t->e - 1)) - 1, e;
	u32 inf = ((1u << t->e) - 1) << t->m, sign = 0;
	long double q;

	if (isnan(x))
		return inf | 1u << (t->m - 1);
	if (signbit(x)) {
		if (!t->sign)
			return 0;
		sign = 1u << (t->m + t->e);
		x = -x;
	}
	if (isinf(x))
		return sign | inf;
	if (x == 0)
		return sign;
	frexpl(x, &e);
	e = e - 1 < 1 - bias ? 1 - bias : e - 1;
	q = rintl(ldexpl(x, t->m - e));
	if (q >= ldexpl(1, t->m + 1)) {
		q /= 2;
		e++;
	}
	if (e > bias)
		return sign | inf;
	if (q < ldexpl(1, t->m))
		return sign | (u32)q;
	return sign | (u32)(e + bias) << t->m | ((u32)q & ((1u << t->m) - 1));
}

static bool same_float(const struct ftype *t, u32 a, u32 b)
{
	return a == b || (isnan(value(t, a)) && isnan(value(t, b)));
}

/* What a register gets of component value @raw. */
static u32 want_load(u32 raw, u32 bits, u32 nf, const struct ftype *t)
{
	long double u = raw, s = (s32)(raw << (32 - bits)) >> (32 - bits);
	long double top = ldexpl(1, bits - 1) - 1;

	switch (nf) {
	case 0:
		return nearest(t, u / (ldexpl(1, bits) - 1));
	case 1:
		return s == 0 ? 0 : nearest(t, s < -top ? -1 : s / top);
	case 2:
		return nearest(t, u);
	case 3:
		return nearest(t, s);
	case 5:
		return (u32)(s32)s;
	case 7:
		return type_of(bits) == t ? raw : nearest(t, value(type_of(bits), raw));
	default:
		return raw;
	}
}

static u32 clamped(long double x, long double lo, long double hi)
{
	x = isnan(x) ? 0 : x < lo ? lo : x > hi ? hi : x;
	return (u32)(s64)x;
}

static u32 want_store(u32 v, u32 bits, u32 nf, const struct ftype *t)
{
	long double x = value(t, v), top = ldexpl(1, bits - 1) - 1;
	u32 mask = 0xffffffffu >> (32 - bits);

	switch (nf) {
	case 0:
		return clamped(rintl(x * (2 * top + 1)), 0, 2 * top + 1) & mask;
	case 1:
		return clamped(rintl(x * top), -top, top) & mask;
	case 2:
		return clamped(truncl(x), 0, 2 * top + 1) & mask;
	case 3:
		return clamped(truncl(x), -top - 1, top) & mask;
	case 7:
		return type_of(bits) == t ? v : nearest(type_of(bits), x);
	case 4:
		return clamped(t == &type16 ? v & 0xffff : v, 0, 2 * top + 1) & mask;
	default:
		return clamped(t == &type16 ? (s16)v : (s32)v, -top - 1, top) & mask;
	}
}

/* ---- running it ---- */

static void insn(struct isa_insn *i, u32 op, bool mt, u32 df, u32 nf)
{
	memset(i, 0, sizeof(*i));
	i->op = (u16)op;
	i->enc = mt ? ISA_ENC_MTBUF : ISA_ENC_MUBUF;
	i->size = 2;
	i->mods = ISA_MOD_OFFEN;
	i->dst = ISA_SRC_VGPR0 + 8;
	i->sdst = ISA_SRC_NONE;
	i->src[0] = ISA_SRC_VGPR0;
	i->src[1] = 8;
	i->src[2] = 128;
	i->ctl = code_of(df, nf);
}

static bool run(struct rig *r, const struct isa_insn *i)
{
	struct isa_slot s = { .in = *i };

	if (!isa_bind(r->cu.lane, r->cu.target, &s))
		return false;
	r->w->ex = &r->ex;
	r->cu.cost = 0;		/* as isa_wave_run() does: one instruction is no turn */
	return s.exec[r->w->full](r->w, &s.in) == ISA_STOP_NONE;
}

static void setup(struct rig *r, u32 df, u32 nf)
{
	static const u32 nop = 0xbf800000;
	u32 l;

	rig_load(r, &nop, 1);
	r->w->s[8] = (u32)RIG_VA + RIG_DATA;
	r->w->s[9] = 0;
	r->w->s[10] = ELEMENTS * STRIDE;
	r->w->s[11] = 4 | 5 << 3 | 6 << 6 | 7 << 9;
	if (arch.buf_formats == ISA_BUF_FORMATS_GFX9)
		r->w->s[11] |= nf << 12 | df << 15;
	else
		r->w->s[11] |= code_of(df, nf) << 12;
	for (l = 0; l < 64; l++)
		isa_row(r->w, 0)[l] = l * STRIDE;
}

static u32 special(u32 k)
{
	static const u32 v[] = {
		0, 0x80000000, 1, 0x7f800000, 0xff800000, 0x7fc00001, 0x3f800000, 0xbf800000,
		0x3f000000, 0x3f7fffff, 0x33000000, 0x33000001, 0x477fefff, 0x477ff000, 0x4f800000,
		0x00800000, 0x3b808081, 0x37800080, 0x4effffff, 0xcf000000, 0x38800000, 0x387fe000,
		0x7c00fc00, 0x3c003c00, 0xbc007bff, 0x04000001, 0xffffffff, 0x7fff8000,
	};

	return k < ARRAY_SIZE(v) ? v[k] : rnd();
}

/* Random words, specials, and floats near the range that matters. */
static u32 sample(u32 k)
{
	u32 r = rnd();

	if (k % 3 == 0)
		return special(k / 3 % 40);
	if (k % 3 == 1)
		return (r & 0x807fffff) | (u32)(0x60 + (rnd() & 63)) << 23;
	return r;
}

static const u16 ops[2][2][2][4] = {	/* store, typed, d16, components */
	{ { { ISA_OP_BUFFER_LOAD_FORMAT_X, ISA_OP_BUFFER_LOAD_FORMAT_XY,
	      ISA_OP_BUFFER_LOAD_FORMAT_XYZ, ISA_OP_BUFFER_LOAD_FORMAT_XYZW },
	    { ISA_OP_BUFFER_LOAD_FORMAT_D16_X, ISA_OP_BUFFER_LOAD_FORMAT_D16_XY,
	      ISA_OP_BUFFER_LOAD_FORMAT_D16_XYZ, ISA_OP_BUFFER_LOAD_FORMAT_D16_XYZW } },
	  { { ISA_OP_TBUFFER_LOAD_FORMAT_X, ISA_OP_TBUFFER_LOAD_FORMAT_XY,
	      ISA_OP_TBUFFER_LOAD_FORMAT_XYZ, ISA_OP_TBUFFER_LOAD_FORMAT_XYZW },
	    { ISA_OP_TBUFFER_LOAD_FORMAT_D16_X, ISA_OP_TBUFFER_LOAD_FORMAT_D16_XY,
	      ISA_OP_TBUFFER_LOAD_FORMAT_D16_XYZ, ISA_OP_TBUFFER_LOAD_FORMAT_D16_XYZW } } },
	{ { { ISA_OP_BUFFER_STORE_FORMAT_X, ISA_OP_BUFFER_STORE_FORMAT_XY,
	      ISA_OP_BUFFER_STORE_FORMAT_XYZ, ISA_OP_BUFFER_STORE_FORMAT_XYZW },
	    { ISA_OP_BUFFER_STORE_FORMAT_D16_X, ISA_OP_BUFFER_STORE_FORMAT_D16_XY,
	      ISA_OP_BUFFER_STORE_FORMAT_D16_XYZ, ISA_OP_BUFFER_STORE_FORMAT_D16_XYZW } },
	  { { ISA_OP_TBUFFER_STORE_FORMAT_X, ISA_OP_TBUFFER_STORE_FORMAT_XY,
	      ISA_OP_TBUFFER_STORE_FORMAT_XYZ, ISA_OP_TBUFFER_STORE_FORMAT_XYZW },
	    { ISA_OP_TBUFFER_STORE_FORMAT_D16_X, ISA_OP_TBUFFER_STORE_FORMAT_D16_XY,
	      ISA_OP_TBUFFER_STORE_FORMAT_D16_XYZ, ISA_OP_TBUFFER_STORE_FORMAT_D16_XYZW } } },
};

static u32 element(const u8 *p, u32 df, u32 c)
{
	u32 w[4];

	memcpy(w, p, 16);
	return w[start_of(df, c) / 32] >> start_of(df, c) % 32 &
	       0xffffffffu >> (32 - bits_of[df][c]);
}

static bool test_load(struct rig *r, u32 df, u32 nf, bool mt, bool d16, u32 round)
{
	u32 n = 1 + round % 4, l, c, k;
	const struct ftype *t = d16 ? &type16 : &type32;
	u8 *data = r->mem + RIG_DATA;
	struct isa_insn i;

	setup(r, df, nf);
	for (l = 0; l < ELEMENTS * STRIDE / 4; l++) {
		u32 v = bits_of[df][0] <= 8 ? (round * 256 + l) * 0x01010101u ^ rnd() :
			bits_of[df][0] == 16 && l & 1 ? rnd() : sample(l);

		memcpy(data + 4 * l, &v, 4);
	}
	for (k = 0; k < 4; k++)
		for (l = 0; l < 64; l++)
			isa_row(r->w, 8 + k)[l] = rnd();
	r->w->s[10] = ELEMENTS * STRIDE - 3 * STRIDE;	/* the last lanes are outside */
	insn(&i, ops[0][mt][d16][n - 1], mt, df, nf);
	if (!run(r, &i))
		return false;
	for (l = 0; l < 64; l++)
		for (c = 0; c < n; c++) {
			u32 reg = isa_row(r->w, 8 + (d16 ? c / 2 : c))[l], want = 0;

			if (d16)
				reg = c & 1 ? reg >> 16 : reg & 0xffff;
			if (supported(df, nf) && l < 61 && c < components(df))
				want = want_load(element(data + l * STRIDE, df, c), bits_of[df][c],
						 nf, t);
			if (d16)
				want &= 0xffff;
			if (reg != want && (nf != 7 || !same_float(t, reg, want))) {
				printf("# load df %u nf %u d16 %u lane %u comp %u of %x: %x not %x\n",
				       df, nf, d16, l, c, c < components(df) ?
				       element(data + l * STRIDE, df, c) : 0, reg, want);
				return false;
			}
		}
	/* memory with ECC: nothing is kept of a register */
	for (l = 0; d16 && n & 1 && l < 64; l++)
		if (isa_row(r->w, 8 + n / 2)[l] >> 16)
			return false;
	return true;
}

static bool test_store(struct rig *r, u32 df, u32 nf, bool mt, bool d16, u32 round)
{
	u32 n = 1 + round % 4, l, c, k;
	const struct ftype *t = d16 ? &type16 : &type32;
	u8 *data = r->mem + RIG_DATA, before[ELEMENTS * STRIDE];
	struct isa_insn i;

	setup(r, df, nf);
	for (l = 0; l < sizeof(before); l++)
		data[l] = before[l] = (u8)rnd();
	for (k = 0; k < 4; k++)
		for (l = 0; l < 64; l++)
			isa_row(r->w, 8 + k)[l] = sample(rnd() % 120);
	r->w->s[10] = ELEMENTS * STRIDE - 3 * STRIDE;
	insn(&i, ops[1][mt][d16][n - 1], mt, df, nf);
	if (!run(r, &i))
		return false;
	for (l = 0; l < 64; l++) {
		const u8 *p = data + l * STRIDE, *b = before + l * STRIDE;
		u32 end = 0;

		for (c = 0; supported(df, nf) && l < 61 && c < components(df); c++) {
			u32 reg = isa_row(r->w, 8 + (d16 ? c / 2 : c))[l], want;
			u32 bits = bits_of[df][c], got = element(p, df, c);

			if (d16)
				reg = c & 1 ? reg >> 16 : reg & 0xffff;
			if (c >= n)
				reg = isa_row(r->w, 8)[l] & (d16 ? 0xffff : ~0u);
			want = c < n || arch.features & ISA_ARCH_STORE_FIRST ?
				want_store(reg, bits, nf, t) : 0;
			end = (start_of(df, c) + bits) / 8;
			if (got != want && (nf != 7 || !same_float(type_of(bits), got, want))) {
				printf("# store df %u nf %u d16 %u lane %u comp %u of %x: %x not %x\n",
				       df, nf, d16, l, c, reg, got, want);
				return false;
			}
		}
		if (memcmp(p + end, b + end, STRIDE - end)) {
			printf("# store df %u nf %u n %u lane %u: wrote behind %u\n", df, nf, n, l,
			       end);
			return false;
		}
	}
	return true;
}

/* Component selection: constants, swaps, and 1 for what is out of range. */
static bool test_select(struct rig *r)
{
	struct isa_insn i;
	u32 l, v = 0x04030201;

	setup(r, 10, 4);
	for (l = 0; l < 64; l++)
		memcpy(r->mem + RIG_DATA + l * STRIDE, &v, 4);
	r->w->s[11] = (r->w->s[11] & ~0xfffu) | 7 | 1 << 3 | 0 << 6 | 4 << 9;
	r->w->s[10] = 16;
	insn(&i, ISA_OP_BUFFER_LOAD_FORMAT_XYZW, false, 0, 0);
	if (!run(r, &i))
		return false;
	return isa_row(r->w, 8)[0] == 4 && isa_row(r->w, 9)[0] == 1 &&
	       isa_row(r->w, 10)[0] == 0 && isa_row(r->w, 11)[0] == 1 &&
	       isa_row(r->w, 8)[1] == 0 && isa_row(r->w, 9)[1] == 1 &&
	       isa_row(r->w, 11)[1] == 0;
}

/* The formats of gfx10 or gfx11: each by its number, and that there are no others. */
static bool test_unified(struct rig *r, u32 gfx11)
{
	u32 df, nf, k, n, count = 0, data, num;

	arch.buf_formats = (u8)(gfx11 ? ISA_BUF_FORMATS_GFX11 : ISA_BUF_FORMATS_GFX10);
	for (df = 1; df < 15; df++) {
		for (n = 0; unified[gfx11][df].nums[n]; n++, count++) {
			nf = unified[gfx11][df].nums[n] - '0';
			if (!isa_buf_format(arch.buf_formats, code_of(df, nf), &data, &num) ||
			    data != df || num != nf) {
				printf("# code %u: not %u %u\n", code_of(df, nf), df, nf);
				return false;
			}
			for (k = 0; k < ROUNDS; k++)
				if (!test_load(r, df, nf, k & 8, k & 4, k) ||
				    !test_store(r, df, nf, k & 8, k & 4, k + k / 8))
					return false;
		}
	}
	for (k = 0; k < 256; k++)
		if (isa_buf_format(arch.buf_formats, k, &data, &num) != (k && k <= count))
			return false;
	return true;
}

/* A generation that says nothing about formats has none. */
static bool test_no_formats(struct rig *r)
{
	struct isa_insn i;

	arch.buf_formats = ISA_BUF_FORMATS_GFX9;
	setup(r, 10, 4);
	insn(&i, ISA_OP_BUFFER_LOAD_FORMAT_X, false, 10, 4);
	if (!run(r, &i))
		return false;
	arch.buf_formats = ISA_BUF_FORMATS_NONE;
	if (run(r, &i))
		return false;
	insn(&i, ISA_OP_BUFFER_STORE_FORMAT_X, false, 10, 4);
	return !run(r, &i);
}

int main(void)
{
	static const char * const names[8] = { "unorm", "snorm", "uscaled", "sscaled", "uint",
					       "sint", "reserved", "float" };
	struct rig r;
	u32 df, nf, k;

	rig_init(&r, "gfx90a", NULL, 64);
	arch = *isa_target_arch(r.cu.target);
	r.cu.arch = &arch;
	for (df = 0; df < 16; df++)
		for (nf = 0; nf < 8; nf++) {
			bool ok = true;

			for (k = 0; ok && k < ROUNDS; k++)
				ok = test_load(&r, df, nf, k & 8, k & 4, k) &&
				     test_store(&r, df, nf, k & 8, k & 4, k + k / 8);
			tap_ok(ok, "data format %u %s", df, names[nf]);
		}
	tap_ok(test_select(&r), "component selection");
	tap_ok(test_unified(&r, 0), "formats of gfx10");
	tap_ok(test_unified(&r, 1), "formats of gfx11");
	arch.features |= ISA_ARCH_STORE_FIRST;
	tap_ok(test_unified(&r, 1), "formats of gfx12");
	arch.features &= ~ISA_ARCH_STORE_FIRST;
	tap_ok(test_no_formats(&r), "no formats");
	rig_fini(&r);
	return tap_done();
}
