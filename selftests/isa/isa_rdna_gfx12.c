// SPDX-License-Identifier: MIT
/*
 * References of isa_rdna for what only gfx12 has, but matrices. Source: RDNA4 ISA, pseudo-code.
 */
#include <math.h>
#include "isa_rdna.h"

#define B64	12u	/* a second source of two registers */
#define TRIES	24u

/* ---- the words of memory instructions: of gfx11's fields, in three dwords ---- */

bool rdna_gfx12_encode(const struct isa_target *t, const struct isa_format *f,
		       const struct isa_row *r, u32 op, u32 first, u32 second, bool ret, u32 format,
		       u32 *w)
{
	const unsigned int enc = f->enc;
	u32 vdst = second >> 24, data = second >> 8 & 0xff, addr = second & 0xff, offset = first;

	if (!isa_target_has(t, ISA_FEAT_SCOPES))
		return false;
	ret &= !!(r->flags & ISA_OPF_RET);
	w[0] = f->match | op << f->lo | 124;
	w[3] = NOP;
	switch (enc) {
	case ISA_ENC_FLAT:
	case ISA_ENC_GLOBAL:
	case ISA_ENC_SCRATCH:
		w[1] = vdst | data << 23 | (u32)ret << 20;
		w[1] |= enc == ISA_ENC_SCRATCH ? BIT(17) : 0;
		w[2] = addr | offset << 8;
		if (enc == ISA_ENC_GLOBAL && !r->src[1].kind)
			memset(&w[1], 0, 2 * sizeof(u32));
		return true;
	case ISA_ENC_MUBUF:
	case ISA_ENC_MTBUF:
		w[1] = data | 8 << 9 | (u32)ret << 20 | BIT(30);
		w[1] |= enc == ISA_ENC_MTBUF ? format << 23 : 1u << 23;
		w[2] = addr | offset << 8;
		return true;
	case ISA_ENC_SMEM:
		w[0] = f->match | op << f->lo | first;
		w[1] = 124u << 25 | second;
		w[2] = NOP;
		if (r->src[0].kind)
			w[0] |= r->src[0].dwords == 4 ? 8 / 2 : 4 / 2;
		return true;
	case ISA_ENC_VIMAGE:
	case ISA_ENC_VSAMPLE:
		w[0] = f->match | op << f->lo |
		       (r->op == ISA_OP_IMAGE_ATOMIC_CMPSWAP ? 3 : 1) << 22;
		w[1] = 16 << 9 | 24u << 23;
		w[2] = 0;
		return true;
	default:
		return false;
	}
}

/* ---- minimum and maximum ---- */

enum pick { NONE, MIN_NUM, MAX_NUM, MINIMUM, MAXIMUM, MED3 };

/* @then: of the result and the third source */
static const struct minmax {
	const char *name;
	enum pick first, then;
	u32 bits;
	bool packed;
} minmax[] = {
#define TYPES(n, first, then)							\
	{ "v_" n "_f32", first, then, 32, false }, { "v_" n "_f16", first, then, 16, false }
	TYPES("min_num", MIN_NUM, NONE), TYPES("max_num", MAX_NUM, NONE),
	TYPES("minimum", MINIMUM, NONE), TYPES("maximum", MAXIMUM, NONE),
	TYPES("min3_num", MIN_NUM, MIN_NUM), TYPES("max3_num", MAX_NUM, MAX_NUM),
	TYPES("minmax_num", MIN_NUM, MAX_NUM), TYPES("maxmin_num", MAX_NUM, MIN_NUM),
	TYPES("minimummaximum", MINIMUM, MAXIMUM), TYPES("maximumminimum", MAXIMUM, MINIMUM),
	TYPES("med3_num", MED3, NONE),
	{ "v_minimum3_f32_rdna", MINIMUM, MINIMUM, 32, false },
	{ "v_maximum3_f32_rdna", MAXIMUM, MAXIMUM, 32, false },
	{ "v_minimum3_f16", MINIMUM, MINIMUM, 16, false },
	{ "v_maximum3_f16", MAXIMUM, MAXIMUM, 16, false },
	{ "v_min_num_f64", MIN_NUM, NONE, 64, false },
	{ "v_max_num_f64", MAX_NUM, NONE, 64, false },
	{ "v_minimum_f64", MINIMUM, NONE, 64, false },
	{ "v_maximum_f64", MAXIMUM, NONE, 64, false },
	{ "v_pk_min_num_f16", MIN_NUM, NONE, 16, true },
	{ "v_pk_max_num_f16", MAX_NUM, NONE, 16, true },
	{ "v_pk_minimum_f16", MINIMUM, NONE, 16, true },
	{ "v_pk_maximum_f16", MAXIMUM, NONE, 16, true },
};

static u64 infinity(u32 bits)
{
	return bits == 64 ? 0x7ffull << 52 : bits == 32 ? 0x7f800000 : 0x7c00;
}

static u64 quiet_bit(u32 bits)
{
	return bits == 64 ? 1ull << 51 : bits == 32 ? 1u << 22 : 0x200;
}

static u64 magnitude(u32 bits, u64 x)
{
	return x & ((1ull << (bits - 1)) - 1);
}

static bool nan_of(u32 bits, u64 x)
{
	return magnitude(bits, x) > infinity(bits);
}

/* An order of numbers, in which -0 is less than +0 */
static s64 order(u32 bits, u64 x)
{
	return x >> (bits - 1) & 1 ? -(s64)magnitude(bits, x) - 1 : (s64)magnitude(bits, x);
}

static u64 pick(enum pick how, u32 bits, u64 a, u64 b)
{
	const bool an = nan_of(bits, a), bn = nan_of(bits, b);
	const u64 q = quiet_bit(bits);
	const bool less = order(bits, a) < order(bits, b);

	if (how == MIN_NUM || how == MAX_NUM) {
		if (an && bn)
			return a | q;
		if (an || bn)
			return an ? b : a;
		return (how == MIN_NUM) == less ? a : b;
	}
	if (an && !(a & q))
		return a | q;
	if (bn && !(b & q))
		return b | q;
	if (an || bn)
		return an ? a : b;
	return (how == MINIMUM) == less ? a : b;
}

static bool equal(u32 bits, u64 a, u64 b)
{
	return a == b || !(magnitude(bits, a) | magnitude(bits, b));
}

static u64 median(u32 bits, u64 a, u64 b, u64 c)
{
	u64 top = pick(MAX_NUM, bits, pick(MAX_NUM, bits, a, b), c);

	if (nan_of(bits, a) || nan_of(bits, b) || nan_of(bits, c))
		return pick(MIN_NUM, bits, pick(MIN_NUM, bits, a, b), c);
	if (equal(bits, top, a))
		return pick(MAX_NUM, bits, b, c);
	return equal(bits, top, b) ? pick(MAX_NUM, bits, a, c) : pick(MAX_NUM, bits, a, b);
}

static u64 expected(const struct minmax *m, u64 a, u64 b, u64 c)
{
	u64 r;

	if (m->first == MED3)
		return median(m->bits, a, b, c);
	r = pick(m->first, m->bits, a, b);
	return m->then ? pick(m->then, m->bits, r, c) : r;
}

/* Specials of each width, and pairs of them; random bits */
static u64 number(u32 bits)
{
	u32 r = rdna_random(), k = rdna_random() & 7;
	u64 x = rdna_random() | (u64)rdna_random() << 32, inf = infinity(bits);
	const u64 sign = 1ull << (bits - 1);
	const u64 special[8] = {
		0, sign, inf, inf | sign, inf | 1, inf | quiet_bit(bits) | 5,
		inf | sign | 3, inf | sign | quiet_bit(bits),
	};

	if (bits < 64)
		x &= (1ull << bits) - 1;
	return r & 1 ? special[k] : x;
}

static void put(struct rig *r, u32 row, u32 l, const struct minmax *m, u64 x, u64 upper)
{
	rdna_row(r, row)[l] = m->bits == 16 ? (u32)(x | upper << 16) : (u32)x;
	if (m->bits == 64)
		rdna_row(r, row + 1)[l] = (u32)(x >> 32);
}

static u64 get(const u32 *v, u32 l, u32 bits)
{
	return bits == 64 ? v[l] | (u64)v[l + ISA_LANES] << 32 : v[l];
}

static int minmax_case(struct rig *r, const struct minmax *m, const u32 *w, u32 lanes, u64 exec)
{
	u64 x[3][2][ISA_LANES];
	u32 l, k, old[ISA_LANES];

	rdna_prepare(r, w, lanes, exec, rdna_random());
	for (l = 0; l < ISA_LANES; l++) {
		for (k = 0; k < 3; k++) {
			x[k][0][l] = number(m->bits);
			x[k][1][l] = number(16);
			put(r, k == 0 ? A : k == 1 ? B64 : 16, l, m, x[k][0][l], x[k][1][l]);
		}
		old[l] = rdna_row(r, D)[l];
	}
	if (rig_run(r, 1) != ISA_STOP_BUDGET)
		return rdna_tell(m->name, "the stop", r->ex.why, ISA_STOP_BUDGET);
	for (l = 0; l < lanes; l++) {
		u64 want = expected(m, x[0][0][l], x[1][0][l], x[2][0][l]);
		u64 got = get(rdna_row(r, D), l, m->bits);

		if (m->packed)
			want |= expected(m, x[0][1][l], x[1][1][l], x[2][1][l]) << 16;
		else if (m->bits == 16)
			want |= old[l] & 0xffff0000;
		if (!(exec >> l & 1)) {
			got = (u32)got;
			want = old[l];
		}
		if (got != want) {
			printf("# of %#llx %#llx %#llx\n", (unsigned long long)x[0][0][l],
			       (unsigned long long)x[1][0][l], (unsigned long long)x[2][0][l]);
			return rdna_tell(m->name, "a lane", (u32)got, (u32)want);
		}
	}
	return 1;
}

static int min_max(struct rig *r, const struct isa_target *t, const struct isa_row *row,
		   unsigned int enc, u32 op)
{
	const char *name = isa_op_names[row->op];
	u32 n, k, w[4] = { rdna_format(t, enc)->match | op << rdna_format(t, enc)->lo, NOP, NOP,
			   NOP };

	for (n = 0; n < ARRAY_SIZE(minmax) && strcmp(minmax[n].name, name); n++)
		;
	if (n == ARRAY_SIZE(minmax) || enc == ISA_ENC_VOPDX)
		return -1;
	if (enc == ISA_ENC_VOP2) {
		w[0] |= D << 17 | B64 << 9 | 256 | A;
	} else {
		w[0] |= D;
		w[1] = (256 | A) | (256 | B64) << 9;
		if (row->src[2].kind)
			w[1] |= (256u | 16) << 18;
		if (enc == ISA_ENC_VOP3P) {
			w[0] |= 1 << 14;
			w[1] |= 3u << 27;
		}
	}
	for (k = 0; k < TRIES; k++) {
		u32 lanes = k & 1 ? 32 : 64;
		u64 exec = k & 2 ? rdna_random() | (u64)rdna_random() << 32 : ~0ull;

		if (minmax_case(r, &minmax[n], w, lanes, exec & ~0ull >> (64 - lanes)) <= 0)
			return 0;
	}
	return 1;
}

/* ---- floats of eight bits ---- */

/* OCP 8-bit floating point specification 1.0, table 1 */
static u32 float_of_byte(u32 x, bool bf8)
{
	u32 mbits = bf8 ? 2 : 3, e = x >> mbits & (bf8 ? 31 : 15), m = x & ((1u << mbits) - 1);
	int bias = bf8 ? 15 : 7;
	float v = e ? ldexpf(m + (1u << mbits), (int)e - bias - (int)mbits) :
		      ldexpf(m, 1 - bias - (int)mbits);

	if (bf8 && e == 31)
		v = m ? NAN : INFINITY;
	if (!bf8 && e == 15 && m == 7)
		v = NAN;
	return isnan(v) ? 0x7fc00000 : rdna_bits(x & 0x80 ? -v : v);
}

static bool is_float(u32 got, u32 want)
{
	return got == want || (isnan(rdna_float(got)) && isnan(rdna_float(want)));
}

static int eight_bits(struct rig *r, const struct isa_target *t, const struct isa_row *row,
		      unsigned int enc, u32 op)
{
	const char *name = isa_op_names[row->op];
	const bool pair = !strncmp(name, "v_cvt_pk_f32_", 13), bf8 = strstr(name, "bf8");
	u32 sel, code, l, w[4] = { 0, NOP, NOP, NOP };

	if (!pair && strcmp(name, "v_cvt_f32_fp8_byte") && strcmp(name, "v_cvt_f32_bf8_byte"))
		return -1;
	for (sel = 0; sel < (enc == ISA_ENC_VOP1 ? 1 : pair ? 2 : 4); sel++)
		for (code = 0; code < 256; code += ISA_LANES) {
			/* The lower bit of op_sel picks the half. */
			u32 shift = (sel & 1) * 16 + (sel >> 1) * 8;

			w[0] = rdna_format(t, enc)->match | op << rdna_format(t, enc)->lo;
			w[0] |= enc == ISA_ENC_VOP1 ? D << 17 | 256 | A : D | sel << 11;
			if (enc != ISA_ENC_VOP1)
				w[1] = 256 | A;
			rdna_prepare(r, w, 64, ~0ull, rdna_random());
			for (l = 0; l < ISA_LANES; l++) {
				u32 *x = &rdna_row(r, A)[l];

				*x = (*x & ~(0xffffu << shift)) | (code + l) << shift |
				     ((code + l) ^ 0x55) << shift << 8;
			}
			rig_run(r, 1);
			for (l = 0; l < ISA_LANES; l++)
				if (!is_float(rdna_row(r, D)[l], float_of_byte(code + l, bf8)) ||
				    (pair && !is_float(rdna_row(r, D + 1)[l],
						       float_of_byte((code + l) ^ 0x55, bf8))))
					return rdna_tell(name, "a lane", rdna_row(r, D)[l],
							 float_of_byte(code + l, bf8));
		}
	return 1;
}

/* ---- scalars of the vector ALU: as a lane of the operation of that name ---- */

static int scalar_trans(struct rig *r, const struct isa_target *t, const struct isa_row *row,
			unsigned int enc, u32 op)
{
	const char *name = isa_op_names[row->op];
	const bool half = strstr(name, "_f16");
	u32 n, try, twin = 0, w[4], got, want;
	char vector[24];

	if (strncmp(name, "v_s_", 4))
		return -1;
	snprintf(vector, sizeof(vector), "v_%s", name + 4);
	for (n = 0; n < t->nslots[ISA_ENC_VOP3]; n++)
		if (t->slots[ISA_ENC_VOP3][n] &&
		    !strcmp(isa_op_names[isa_rows[t->slots[ISA_ENC_VOP3][n]].op], vector))
			twin = n;
	for (try = 0; try < 64; try++) {
		u32 x = (u32)number(half ? 16 : 32), neg = rdna_random() & 1;
		u32 fields = (rdna_random() & 1) << 15 | (rdna_random() & 1) << 8;

		w[0] = rdna_format(t, enc)->match | op << rdna_format(t, enc)->lo | 30 | fields;
		w[1] = 20 | neg << 29;
		w[2] = NOP;
		w[3] = NOP;
		rdna_prepare(r, w, 64, try & 1 ? 0 : ~0ull, 5);
		r->w->s[20] = x;
		if (rig_run(r, 1) != ISA_STOP_BUDGET)
			return rdna_tell(name, "the stop", r->ex.why, ISA_STOP_BUDGET);
		got = r->w->s[30];
		w[0] = rdna_format(t, enc)->match | twin << rdna_format(t, enc)->lo | D | fields;
		w[1] = (256 | A) | neg << 29;
		rdna_prepare(r, w, 64, ~0ull, 5);
		for (n = 0; n < ISA_LANES; n++) {
			rdna_row(r, A)[n] = x;
			rdna_row(r, D)[n] = 0;
		}
		rig_run(r, 1);
		want = rdna_row(r, D)[7];
		if (!twin || got != want)
			return rdna_tell(name, "D", got, want);
	}
	return 1;
}

/* ---- v_permlane16_var ---- */

static int permlane_var(struct rig *r, const struct isa_target *t, const struct isa_row *row,
			unsigned int enc, u32 op)
{
	const char *name = isa_op_names[row->op];
	const bool cross = !strcmp(name, "v_permlanex16_var_b32");
	u32 try, l, src[ISA_LANES], sel[ISA_LANES], old[ISA_LANES];

	if (!cross && strcmp(name, "v_permlane16_var_b32"))
		return -1;
	for (try = 0; try < TRIES; try++) {
		u32 lanes = try & 1 ? 32 : 64, mods = try >> 1 & 3;
		u64 exec = (try > 7 ? rdna_random() | 1 : ~0ull) & ~0ull >> (64 - lanes);
		const u32 w[4] = {
			rdna_format(t, enc)->match | op << rdna_format(t, enc)->lo | D | mods << 11,
			(256 | A) | (256 | B) << 9, NOP, NOP,
		};

		rdna_prepare(r, w, lanes, exec, rdna_random());
		memcpy(src, rdna_row(r, A), sizeof(src));
		memcpy(sel, rdna_row(r, B), sizeof(sel));
		memcpy(old, rdna_row(r, D), sizeof(old));
		rig_run(r, 1);
		for (l = 0; l < lanes; l++) {
			u32 from = ((l ^ (cross ? 16 : 0)) & ~15u) | (sel[l] & 15), want = old[l];

			if (exec >> l & 1) {
				if (exec >> from & 1 || mods & 1)
					want = src[from];
				else if (mods & 2)
					want = 0;
			}
			if (rdna_row(r, D)[l] != want)
				return rdna_tell(name, "a lane", rdna_row(r, D)[l], want);
		}
	}
	return 1;
}

int rdna_gfx12_vector(struct rig *r, const struct isa_target *t, const struct isa_row *row,
		      unsigned int enc, u32 op)
{
	int ok;

	if (!isa_target_has(t, ISA_FEAT_SCOPES))
		return -1;
	ok = min_max(r, t, row, enc, op);
	if (ok < 0)
		ok = eight_bits(r, t, row, enc, op);
	if (ok < 0)
		ok = scalar_trans(r, t, row, enc, op);
	return ok < 0 ? permlane_var(r, t, row, enc, op) : ok;
}

/* ---- the scalar unit ---- */

static int add64(struct rig *r, const char *name, u32 word)
{
	u32 try;

	for (try = 0; try < TRIES; try++) {
		const u32 w[4] = { word | 30 << 16 | 22 << 8 | 20, NOP, NOP, NOP };
		u64 a, b, want, got;
		u32 scc;

		rdna_prepare(r, w, 64, ~0ull, rdna_random());
		a = r->w->s[20] | (u64)r->w->s[21] << 32;
		b = r->w->s[22] | (u64)r->w->s[23] << 32;
		scc = r->w->scc;
		want = strstr(name, "add") ? a + b : strstr(name, "sub") ? a - b : a * b;
		rig_run(r, 1);
		got = r->w->s[30] | (u64)r->w->s[31] << 32;
		if (got != want || r->w->scc != scc)
			return rdna_tell(name, "D or SCC", (u32)got, (u32)want);
	}
	return 1;
}

/* What a wave with @m0 stops with at @word, and with which information */
static bool barrier(struct rig *r, const char *name, u32 word, u32 m0, enum isa_stop why, u32 info)
{
	const u32 w[4] = { word, NOP, NOP, NOP };

	rdna_prepare(r, w, 64, ~0ull, 3);
	r->w->s[ISA_SRC_M0] = m0;
	rig_run(r, 1);
	if (r->ex.why != why)
		return rdna_tell(name, "the stop", r->ex.why, why);
	return why != ISA_STOP_BARRIER || r->ex.info == info ||
	       rdna_tell(name, "what it does", r->ex.info, info);
}

/* Of a group of two, the first that signals since the barrier was complete; nobody alone */
static bool is_first(struct rig *r, const char *name)
{
	static const bool want[] = { true, false, true, false };
	const u32 info = ISA_BARRIER_GROUP | ISA_BARRIER_SIGNAL | ISA_BARRIER_FIRST;
	struct isa_barriers b;
	u32 n;

	isa_barriers_init(&b, 2);
	for (n = 0; n < ARRAY_SIZE(want); n++) {
		isa_wave_set_scc(r->w, isa_barrier_is_first(&b, info, 2));
		if (r->w->scc != want[n])
			return rdna_tell(name, "SCC", r->w->scc, want[n]);
		if (isa_barrier_stop(&b, info))
			return rdna_tell(name, "a wait", 1, 0);
	}
	isa_barriers_init(&b, 1);
	return !isa_barrier_is_first(&b, info, 1) || rdna_tell(name, "SCC of one wave", 1, 0);
}

int rdna_gfx12_scalar(struct rig *r, const struct isa_target *t, const struct isa_row *row,
		      unsigned int enc, u32 op)
{
	const char *name = isa_op_names[row->op];
	const u32 word = rdna_format(t, enc)->match | op << rdna_format(t, enc)->lo;
	const u32 signal = ISA_BARRIER_GROUP | ISA_BARRIER_SIGNAL;

	if (!isa_target_has(t, ISA_FEAT_SCOPES))
		return -1;
	if (!strcmp(name, "s_add_nc_u64") || !strcmp(name, "s_sub_nc_u64") ||
	    !strcmp(name, "s_mul_u64"))
		return add64(r, name, word);
	if (!strcmp(name, "s_sleep_var"))	/* others have a turn */
		return barrier(r, name, word | 20, 0, ISA_STOP_BUDGET, 0) && r->ex.info;
	/* -1 is the group's, -2 the trap handler's, which this is none; the rest have names. */
	if (!strcmp(name, "s_barrier_signal"))
		return barrier(r, name, word | 193, 0, ISA_STOP_BARRIER, signal) &&
		       barrier(r, name, word | 194, 0, ISA_STOP_BUDGET, 0) &&
		       barrier(r, name, word | 129, 0, ISA_STOP_ILLEGAL, 0) &&
		       barrier(r, name, word | 125, ~0u, ISA_STOP_ILLEGAL, 0);
	/* SCC of a barrier without effect is 0. */
	if (!strcmp(name, "s_barrier_signal_isfirst"))
		return barrier(r, name, word | 193, 0, ISA_STOP_BARRIER,
			       signal | ISA_BARRIER_FIRST) &&
		       barrier(r, name, word | 194, 0, ISA_STOP_BUDGET, 0) && !r->w->scc &&
		       barrier(r, name, word | 129, 0, ISA_STOP_ILLEGAL, 0) && is_first(r, name);
	if (!strcmp(name, "s_barrier_wait"))
		return barrier(r, name, word | 0xffff, 0, ISA_STOP_BARRIER,
			       ISA_BARRIER_GROUP | ISA_BARRIER_WAIT) &&
		       barrier(r, name, word | 0xfffe, 0, ISA_STOP_BUDGET, 0) &&
		       barrier(r, name, word | 1, 0, ISA_STOP_ILLEGAL, 0);
	return -1;
}

/* ---- memory ---- */

static const struct scalar_load {
	const char *name;
	u32 bytes;
	bool sign;
} loads[] = {
	{ "s_load_b96", 12, false }, { "s_load_i8", 1, true }, { "s_load_u8", 1, false },
	{ "s_load_i16", 2, true }, { "s_load_u16", 2, false },
	{ "s_buffer_load_b96", 12, false }, { "s_buffer_load_i8", 1, true },
	{ "s_buffer_load_u8", 1, false }, { "s_buffer_load_i16", 2, true },
	{ "s_buffer_load_u16", 2, false },
};

/* @size: of the buffer, 0: there is none; @at: where the load is */
static bool load_case(struct rig *r, const struct scalar_load *k, u32 word, u32 size, s32 at)
{
	const u32 w[4] = { word | 40 << 6 | (size ? 8 : 4) / 2, (124u << 25) | (at & 0xffffff), NOP,
			   NOP };
	u32 n, step = k->bytes < 4 ? k->bytes : 4;
	const u8 *m = r->mem + RIG_DATA + 0x100;

	rdna_prepare(r, w, 64, ~0ull, rdna_random());
	r->w->s[4] = (u32)(RIG_VA + RIG_DATA + 0x100);
	r->w->s[8] = r->w->s[4];
	r->w->s[10] = size;
	if (rig_run(r, 1) != ISA_STOP_BUDGET)
		return rdna_tell(k->name, "the stop", r->ex.why, ISA_STOP_BUDGET);
	at &= ~(s32)(step - 1);
	for (n = 0; n < (k->bytes + 3) / 4; n++) {
		s32 from = at + 4 * (s32)n;
		u32 want = 0;

		if (!size || (from >= 0 && (u32)from + step <= size))
			memcpy(&want, m + from, step);
		if (k->sign)
			want = (u32)((s32)(want << (32 - 8 * step)) >> (32 - 8 * step));
		if (r->w->s[40 + n] != want)
			return rdna_tell(k->name, "an SGPR", r->w->s[40 + n], want);
	}
	return true;
}

static int scalar_load(struct rig *r, const char *name, u32 word)
{
	const bool buffer = !strncmp(name, "s_buffer_", 9);
	u32 n, try;

	for (n = 0; n < ARRAY_SIZE(loads) && strcmp(loads[n].name, name); n++)
		;
	if (n == ARRAY_SIZE(loads))
		return -1;
	for (try = 0; try < TRIES; try++)
		if (!load_case(r, &loads[n], word, buffer ? 0x40 + try : 0,
			       buffer ? (s32)(try * 3) : (s32)(try * 5) - 60))
			return 0;
	return 1;
}

/* LDS: what is subtracted if there is as much, or as much as there is; NaNs lose */
static int lds_atomic(struct rig *r, const char *name, u32 word)
{
	const bool rtn = strstr(name, "_rtn"), clamp = strstr(name, "sub_clamp");
	const bool cond = strstr(name, "cond_sub"), min = !strncmp(name, "ds_min_", 7);
	const bool max = !strncmp(name, "ds_max_", 7), wide = strstr(name, "_f64");
	const u32 bits = wide ? 64 : 32;
	const u32 w[4] = { word, (rtn ? D << 24 : 0) | 12 << 8 | 4, NOP, NOP };
	u64 old[ISA_LANES], data[ISA_LANES];
	u32 l, try;

	if (!clamp && !cond && !((min || max) && (strstr(name, "_f32") || wide)))
		return -1;
	for (try = 0; try < TRIES; try++) {
		rdna_prepare(r, w, 64, ~0ull, rdna_random());
		r->w->mode = 0x1f0;
		for (l = 0; l < ISA_LANES; l++) {
			rdna_row(r, 4)[l] = 16 * l;
			old[l] = number(bits);
			data[l] = number(bits);
			memcpy(r->lds + 16 * l, &old[l], bits / 8);
			rdna_row(r, 12)[l] = (u32)data[l];
			rdna_row(r, 13)[l] = wide ? (u32)(data[l] >> 32) : 0;
		}
		rig_run(r, 1);
		for (l = 0; l < ISA_LANES; l++) {
			u64 got = 0, want = old[l] - data[l];

			memcpy(&got, r->lds + 16 * l, bits / 8);
			if (min || max)
				want = pick(min ? MIN_NUM : MAX_NUM, bits, data[l], old[l]);
			else if (old[l] < data[l])
				want = clamp ? 0 : old[l];
			if (got != want)
				return rdna_tell(name, "the LDS", (u32)got, (u32)want);
			if (rtn && get(rdna_row(r, D), l, bits) != old[l])
				return rdna_tell(name, "the old value", rdna_row(r, D)[l],
						 (u32)old[l]);
		}
	}
	return 1;
}

/* Nothing is fetched ahead, so nothing changes, and bad addresses do not matter. */
static int prefetch(struct rig *r, const char *name, u32 word)
{
	const u32 w[4] = { word | 3 << 6 | 8 / 2, 124u << 25 | 0x7fff, NOP, NOP };
	u32 s[128];

	rdna_prepare(r, w, 64, ~0ull, 3);
	r->w->s[9] = 0xffff;
	memcpy(s, r->w->s, sizeof(s));
	if (rig_run(r, 1) != ISA_STOP_BUDGET)
		return rdna_tell(name, "the stop", r->ex.why, ISA_STOP_BUDGET);
	return !memcmp(s, r->w->s, sizeof(s));
}

int rdna_gfx12_memory(struct rig *r, const struct isa_target *t, const struct isa_row *row,
		      unsigned int enc, u32 op)
{
	const char *name = isa_op_names[row->op];
	const u32 word = rdna_format(t, enc)->match | op << rdna_format(t, enc)->lo;

	if (!isa_target_has(t, ISA_FEAT_SCOPES))
		return -1;
	if (enc == ISA_ENC_DS)
		return lds_atomic(r, name, word);
	if (enc != ISA_ENC_SMEM)
		return -1;
	if (strstr(name, "prefetch") || !strncmp(name, "s_atc_probe", 11))
		return prefetch(r, name, word);
	return scalar_load(r, name, word);
}

/* ---- from gfx11.5 on: DPP with a scalar as the second source ---- */

bool rdna_dpp_scalar(struct rig *r, const struct isa_target *t)
{
	const bool has = isa_target_has(t, ISA_FEAT_DPP_SCALAR);
	u32 l, n, src[ISA_LANES];

	if (!isa_target_has(t, ISA_FEAT_GFX11_TEXT))	/* VOP3 has no DPP */
		return true;
	/* v_and_b32: quad_perm:[3,2,1,0]; dpp8:[7,6,5,4,3,2,1,0]; with an SGPR, a constant */
	for (n = 0; n < 4; n++) {
		const u32 scalar = n & 1 ? 128 + 37 : 20, flip = n & 2 ? 7 : 3;
		const u32 w[4] = {
			0xd51b0000 | D, (n & 2 ? 233 : 250) | scalar << 9,
			A | (n & 2 ? 0x053977 << 8 : 0x1b << 8 | 0xffu << 24), NOP,
		};

		rdna_prepare(r, w, 64, ~0ull, 7);
		memcpy(src, rdna_row(r, A), sizeof(src));
		if (rig_run(r, 1) != (has ? ISA_STOP_BUDGET : ISA_STOP_ILLEGAL))
			return rdna_tell("DPP with a scalar", "the stop", r->ex.why, has);
		for (l = 0; l < ISA_LANES && has; l++) {
			u32 want = src[l ^ flip] & (n & 1 ? 37 : r->w->s[20]);

			if (rdna_row(r, D)[l] != want)
				return rdna_tell("DPP with a scalar", "a lane", rdna_row(r, D)[l],
						 want);
		}
	}
	return true;
}
