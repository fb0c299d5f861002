// SPDX-License-Identifier: MIT
/*
 * References of what gfx10 and gfx11 execute and GFX9 does not have. Sources: RDNA2 and RDNA3
 * ISA, "Instructions".
 */
#include <math.h>
#include "isa_rdna.h"

const struct lt_op rdna_list[] = {
#include "generated/isa_list.h"
};
const unsigned int rdna_list_count = ARRAY_SIZE(rdna_list);

static bool is_nan(u32 x) { return (x & 0x7fffffff) > 0x7f800000; }

/* Of three sources and the old destination; false: this case is not for it */
struct vector_ref {
	const char *name;
	bool (*f)(u32 a, u32 b, u32 c, u32 old, u32 *d);
};

#define REF(n)	static bool n(u32 a, u32 b, u32 c, u32 old, u32 *d)
#define LOW(x)	((old & 0xffff0000) | ((x) & 0xffff))
#define UNUSED	((void)a, (void)b, (void)c, (void)old)

REF(xor3) { UNUSED; *d = a ^ b ^ c; return true; }
REF(add_u16) { UNUSED; *d = LOW(a + b); return true; }
REF(sub_u16) { UNUSED; *d = LOW(a - b); return true; }
REF(and_b16) { UNUSED; *d = LOW(a & b); return true; }
REF(or_b16) { UNUSED; *d = LOW(a | b); return true; }
REF(xor_b16) { UNUSED; *d = LOW(a ^ b); return true; }
REF(not_b16) { UNUSED; *d = LOW(~a); return true; }
REF(mov_b16) { UNUSED; *d = LOW(a); return true; }
REF(cvt_i32_i16) { UNUSED; *d = (u32)(s32)(s16)a; return true; }
REF(cvt_u32_u16) { UNUSED; *d = a & 0xffff; return true; }
static u32 umin(u32 a, u32 b) { return a < b ? a : b; }
static u32 umax(u32 a, u32 b) { return a > b ? a : b; }
static s32 smin(s32 a, s32 b) { return a < b ? a : b; }
static s32 smax(s32 a, s32 b) { return a > b ? a : b; }
REF(maxmin_u32) { UNUSED; *d = umin(umax(a, b), c); return true; }
REF(minmax_u32) { UNUSED; *d = umax(umin(a, b), c); return true; }
REF(maxmin_i32) { UNUSED; *d = (u32)smin(smax((s32)a, (s32)b), (s32)c); return true; }
REF(minmax_i32) { UNUSED; *d = (u32)smax(smin((s32)a, (s32)b), (s32)c); return true; }

static bool plain(u32 x)	/* no NaN, no zero, whose sign would matter */
{
	return !is_nan(x) && x << 1;
}

REF(maxmin_f32)
{
	UNUSED;
	*d = rdna_bits(fminf(fmaxf(rdna_float(a), rdna_float(b)), rdna_float(c)));
	return plain(a) && plain(b) && plain(c);
}

REF(minmax_f32)
{
	UNUSED;
	*d = rdna_bits(fmaxf(fminf(rdna_float(a), rdna_float(b)), rdna_float(c)));
	return plain(a) && plain(b) && plain(c);
}

REF(fma_legacy)
{
	UNUSED;
	if (is_nan(a) || is_nan(b) || is_nan(c))
		return false;
	*d = rdna_bits(fmaf(rdna_float(a), rdna_float(b), rdna_float(c)));
	if (!(a << 1) || !(b << 1))
		*d = c;
	return !is_nan(*d);
}

REF(fmac_legacy) { return fma_legacy(a, b, old, c, d); }

/* No NaN, and no denormal, which MODE may flush */
static bool simple(u32 x) { return !is_nan(x) && (x & 0x7f800000 || !(x << 1)); }

REF(mullit)
{
	float x = rdna_float(a), y = rdna_float(b);

	UNUSED;
	if (b == 0xff7fffff || b == 0xff800000 || is_nan(b) || is_nan(c) || rdna_float(c) <= 0)
		*d = 0xff7fffff;
	else
		*d = x == 0 || y == 0 ? 0 : rdna_bits(x * y);
	return !is_nan(a) && (simple(c) || is_nan(c)) && (simple(*d) || *d == 0xff7fffff);
}

/* Cut towards zero and saturated (measured on gfx1201: bjacob/goc); NaNs are 0 */
static u32 cut_to(double x, double low, double high)
{
	if (isnan(x))
		return 0;
	return (u32)(s32)trunc(fmin(fmax(x, low), high)) & 0xffff;
}

REF(cvt_pk_i16_f32)
{
	UNUSED;
	*d = cut_to(rdna_float(a), -32768, 32767) | cut_to(rdna_float(b), -32768, 32767) << 16;
	return true;
}

REF(cvt_pk_u16_f32)
{
	UNUSED;
	*d = cut_to(rdna_float(a), 0, 65535) | cut_to(rdna_float(b), 0, 65535) << 16;
	return true;
}

static double half(u32 h)
{
	int e = (int)(h >> 10 & 31);
	double m = ldexp(h & 1023, -10);

	m = e ? ldexp(1 + m, e - 15) : ldexp(m, -14);
	return h & 0x8000 ? -m : m;
}

/* The nearest half of a value that is one in its range, else 0xffff */
static u32 half_of(double x)
{
	u32 h, best = 0xffff, negative = x < 0;
	double near = HUGE_VAL;

	if (fabs(x) > 60000 || x == 0)
		return 0xffff;
	for (h = 0; h < 0x10000; h++) {
		double e;

		if ((h & 0x7c00) == 0x7c00 || h >> 15 != negative)
			continue;
		e = fabs(half(h) - x);
		if (e < near || (e == near && !(h & 1))) {
			near = e;
			best = h;
		}
	}
	return best;
}

static bool finite_halves(u32 a, u32 b, u32 c)
{
	return (a & 0x7c00) != 0x7c00 && (b & 0x7c00) != 0x7c00 && (c & 0x7c00) != 0x7c00 &&
	       a & 0x7fff && b & 0x7fff && c & 0x7fff;
}

REF(fmac_f16)
{
	u32 h;

	UNUSED;
	if (!finite_halves(a, b, old))
		return false;
	/* A product of halves has 22 bits, its sum with one at most 52: exact in double. */
	h = half_of(half(a & 0xffff) * half(b & 0xffff) + half(old & 0xffff));
	*d = LOW(h);
	return h != 0xffff;
}

REF(maxmin_f16)
{
	UNUSED;
	*d = LOW(half_of(fmin(fmax(half(a & 0xffff), half(b & 0xffff)), half(c & 0xffff))));
	return finite_halves(a, b, c) && (*d & 0xffff) != 0xffff;
}

REF(minmax_f16)
{
	UNUSED;
	*d = LOW(half_of(fmax(fmin(half(a & 0xffff), half(b & 0xffff)), half(c & 0xffff))));
	return finite_halves(a, b, c) && (*d & 0xffff) != 0xffff;
}

static const struct vector_ref refs[] = {
	{ "v_xor3_b32", xor3 }, { "v_add_nc_u16", add_u16 }, { "v_sub_nc_u16", sub_u16 },
	{ "v_and_b16", and_b16 }, { "v_or_b16", or_b16 }, { "v_xor_b16", xor_b16 },
	{ "v_not_b16", not_b16 }, { "v_mov_b16", mov_b16 }, { "v_cvt_i32_i16", cvt_i32_i16 },
	{ "v_cvt_u32_u16", cvt_u32_u16 },
	{ "v_maxmin_u32", maxmin_u32 }, { "v_minmax_u32", minmax_u32 },
	{ "v_maxmin_i32", maxmin_i32 }, { "v_minmax_i32", minmax_i32 },
	{ "v_maxmin_f32", maxmin_f32 }, { "v_minmax_f32", minmax_f32 },
	{ "v_maxmin_f16", maxmin_f16 }, { "v_minmax_f16", minmax_f16 },
	{ "v_fma_legacy_f32", fma_legacy }, { "v_fmac_legacy_f32", fmac_legacy },
	{ "v_fmac_f16", fmac_f16 }, { "v_cvt_pk_i16_f32", cvt_pk_i16_f32 },
	{ "v_cvt_pk_u16_f32", cvt_pk_u16_f32 }, { "v_mullit_f32", mullit },
};

bool rdna_tell(const char *name, const char *what, u32 got, u32 want)
{
	printf("# %s: %s is %#x, expected %#x\n", name, what, got, want);
	return false;
}

/* Words with three VGPRs, of the encodings that there are */
static bool vector_words(const struct isa_target *t, const struct isa_row *row, unsigned int enc,
			 u32 op, u32 *w)
{
	const struct isa_format *f = rdna_format(t, enc);

	w[0] = f->match | op << f->lo;
	w[1] = NOP;
	w[2] = NOP;
	w[3] = NOP;
	if (enc == ISA_ENC_VOP1) {
		w[0] |= D << 17 | 256 | A;
	} else if (enc == ISA_ENC_VOP2) {
		w[0] |= D << 17 | B << 9 | 256 | A;
	} else if (enc == ISA_ENC_VOP3) {
		w[0] |= D;
		w[1] = (256 | A) | (row->src[1].kind ? (256 | B) << 9 : 0) |
		       (row->src[2].kind ? (u32)(256 | C) << 18 : 0);
	} else {
		return false;
	}
	return true;
}

static bool run_vector(struct rig *r, const struct vector_ref *ref, const u32 *w, u32 lanes,
		       u64 exec)
{
	u32 old[ISA_LANES], l, d, n = 0;

	rdna_prepare(r, w, lanes, exec, rdna_random());
	for (l = 0; l < ISA_LANES; l++) {
		rdna_row(r, A)[l] = rdna_value();
		rdna_row(r, B)[l] = rdna_value();
		rdna_row(r, C)[l] = rdna_value();
		rdna_row(r, D)[l] = old[l] = rdna_value();
	}
	if (rig_run(r, 1) != ISA_STOP_BUDGET)
		return rdna_tell(ref->name, "the stop", r->ex.why, ISA_STOP_BUDGET);
	for (l = 0; l < lanes; l++) {
		if (!(exec >> l & 1))
			d = old[l];
		else if (!ref->f(rdna_row(r, A)[l], rdna_row(r, B)[l], rdna_row(r, C)[l], old[l],
				 &d))
			continue;
		n++;
		if (rdna_row(r, D)[l] != d)
			return rdna_tell(ref->name, "a lane", rdna_row(r, D)[l], d);
	}
	return n > lanes / 8 || rdna_tell(ref->name, "number of lanes", n, lanes / 8);
}

static int vector(struct rig *r, const struct isa_target *t, const struct isa_row *row,
		  unsigned int enc, u32 op)
{
	const char *name = isa_op_names[row->op];
	u32 n, k, w[4];

	for (n = 0; n < ARRAY_SIZE(refs); n++) {
		if (strcmp(refs[n].name, name))
			continue;
		if (!vector_words(t, row, enc, op, w))
			return -1;
		for (k = 0; k < 8; k++)
			if (!run_vector(r, &refs[n], w, k & 1 ? 32 : 64,
					k < 4 ? ~0ull >> (k & 1 ? 32 : 0) : rdna_random()))
				return 0;
		return 1;
	}
	return -1;
}

/* ---- v_fmamk_f16, v_fmaak_f16: the literal is the factor, or what is added ---- */

static int fma_literal(struct rig *r, const struct isa_target *t, const struct isa_row *row_,
		       unsigned int enc, u32 op)
{
	const char *name = isa_op_names[row_->op];
	bool mk = !strcmp(name, "v_fmamk_f16");
	u32 w[4], l, n = 0, want, lit = 0x4200;	/* 3 */

	if (!mk && strcmp(name, "v_fmaak_f16"))
		return -1;
	w[0] = rdna_format(t, enc)->match | op << rdna_format(t, enc)->lo | D << 17 | B << 9;
	w[0] |= 256 | A;
	w[1] = lit;
	w[2] = NOP;
	w[3] = NOP;
	rdna_prepare(r, w, 64, ~0ull, 1);
	for (l = 0; l < ISA_LANES; l++) {
		rdna_row(r, A)[l] = 0x3c00 + 3 * l;
		rdna_row(r, B)[l] = 0x4000 + 17 * l;
		rdna_row(r, D)[l] = 0xabcd0000;
	}
	rig_run(r, 1);
	for (l = 0; l < ISA_LANES; l++) {
		double a = half(0x3c00 + 3 * l), b = half(0x4000 + 17 * l);

		want = half_of(mk ? a * 3 + b : a * b + 3) | 0xabcd0000;
		if (rdna_row(r, D)[l] != want)
			return rdna_tell(name, "a lane", rdna_row(r, D)[l], want);
		n++;
	}
	return n == ISA_LANES;
}

/* ---- v_cndmask_b16, dot products, v_permlane ---- */

static s64 dot(u32 x, u32 y, u32 bits, u32 sign)
{
	s64 r = 0;
	u32 k;

	for (k = 0; k < 32; k += bits) {
		s64 i = x >> k & ((1u << bits) - 1), j = y >> k & ((1u << bits) - 1);

		i -= sign & 1 && i >> (bits - 1) ? 1ll << bits : 0;
		j -= sign & 2 && j >> (bits - 1) ? 1ll << bits : 0;
		r += i * j;
	}
	return r;
}

static int lanes_of_their_own(struct rig *r, const struct isa_target *t, const struct isa_row *row_,
			      unsigned int enc, u32 op)
{
	const char *name = isa_op_names[row_->op];
	bool cnd = !strcmp(name, "v_cndmask_b16"), iu8 = !strcmp(name, "v_dot4_i32_iu8");
	bool iu4 = !strcmp(name, "v_dot8_i32_iu4"), p16 = !strcmp(name, "v_permlane16_b32");
	bool x16 = !strcmp(name, "v_permlanex16_b32"), p64 = !strcmp(name, "v_permlane64_b32");
	u32 try, l, w[4];

	if (!cnd && !iu8 && !iu4 && !p16 && !x16 && !p64)
		return -1;
	for (try = 0; try < 16; try++) {
		u32 lanes = try & 1 ? 32 : 64, sign = try >> 1 & 3, sel = try >> 1 & 3;
		u64 exec = ~0ull >> (64 - lanes) & (try > 7 ? rdna_random() | 1 : ~0ull);
		u32 src[ISA_LANES], old[ISA_LANES], want;
		u64 mask;

		w[0] = rdna_format(t, enc)->match | op << rdna_format(t, enc)->lo | D;
		w[1] = (256 | A) | (256 | B) << 9 | (u32)(256 | C) << 18;
		w[2] = NOP;
		w[3] = NOP;
		if (cnd)
			w[1] = (256 | A) | (256 | B) << 9 | 16u << 18;
		if (p16 || x16) {
			w[0] |= sel << 11;
			w[1] = (256 | A) | 16u << 9 | 17u << 18;
		}
		if (iu8 || iu4) {
			w[0] |= 1u << 14;
			w[1] |= 3u << 27 | sign << 29;
		}
		if (p64) {
			w[0] = rdna_format(t, enc)->match | op << rdna_format(t, enc)->lo;
			w[0] |= D << 17 | 256 | A;
			w[1] = NOP;
		}
		rdna_prepare(r, w, lanes, exec, rdna_random());
		memcpy(src, rdna_row(r, A), sizeof(src));
		memcpy(old, rdna_row(r, D), sizeof(old));
		mask = r->w->s[16] | (u64)r->w->s[17] << 32;
		rig_run(r, 1);
		for (l = 0; l < lanes; l++) {
			u32 from = (l & ~15u) | (mask >> 4 * (l & 15) & 15);

			if (x16)
				from ^= 16;
			want = old[l];
			if (!(exec >> l & 1))
				;
			else if (cnd)
				want = (old[l] & 0xffff0000) |
				       ((mask >> l & 1 ? rdna_row(r, B)[l] : src[l]) & 0xffff);
			else if (iu8 || iu4)
				want = (u32)dot(src[l], rdna_row(r, B)[l], iu8 ? 8 : 4, sign) +
				       rdna_row(r, C)[l];
			else if (p64)
				want = lanes == 64 ? src[l ^ 32] : old[l];
			else if (exec >> from & 1 || sel & 1)
				want = src[from];
			else if (sel & 2)
				want = 0;
			if (rdna_row(r, D)[l] != want)
				return rdna_tell(name, "a lane", rdna_row(r, D)[l], want);
		}
	}
	return 1;
}

/* ---- registers that M0 picks ---- */

static int movrel(struct rig *r, const struct isa_target *t, const struct isa_row *row_,
		  unsigned int enc, u32 op)
{
	static const struct { const char *name; u32 m0, d, s; bool swap; } m[] = {
		{ "v_movreld_b32", 3, D + 3, A, false }, { "v_movrels_b32", 3, D, A + 3, false },
		{ "v_movrelsd_b32", 3, D + 3, A + 3, false },
		{ "v_movrelsd_2_b32", 5 << 16 | 3, D + 5, A + 3, false },
		{ "v_swaprel_b32", 5 << 16 | 3, D + 5, A + 3, true },
	};
	const char *name = isa_op_names[row_->op];
	u32 n, l, w[4], a[ISA_LANES], d[ISA_LANES];
	u64 exec = 0x123456789abcdef1ull;

	for (n = 0; n < ARRAY_SIZE(m) && strcmp(m[n].name, name); n++)
		;
	if (n == ARRAY_SIZE(m))
		return -1;
	w[0] = rdna_format(t, enc)->match | op << rdna_format(t, enc)->lo;
	w[0] |= enc == ISA_ENC_VOP3 ? D : D << 17 | 256 | A;
	w[1] = enc == ISA_ENC_VOP3 ? 256 | A : NOP;
	w[2] = NOP;
	w[3] = NOP;
	rdna_prepare(r, w, 64, exec, 7);
	r->w->s[ISA_SRC_M0] = m[n].m0;
	memcpy(a, rdna_row(r, m[n].s), sizeof(a));
	memcpy(d, rdna_row(r, m[n].d), sizeof(d));
	rig_run(r, 1);
	for (l = 0; l < ISA_LANES; l++) {
		bool on = exec >> l & 1;

		if (rdna_row(r, m[n].d)[l] != (on ? a[l] : d[l]))
			return rdna_tell(name, "a lane", rdna_row(r, m[n].d)[l], on ? a[l] : d[l]);
		if (rdna_row(r, m[n].s)[l] != (on && m[n].swap ? d[l] : a[l]))
			return rdna_tell(name, "a source", rdna_row(r, m[n].s)[l], a[l]);
	}
	/* Registers that the wave does not have */
	rdna_prepare(r, w, 64, exec, 7);
	r->w->s[ISA_SRC_M0] = 300 << 16 | 300;
	return rig_run(r, 1) == ISA_STOP_ILLEGAL ||
	       rdna_tell(name, "the stop", r->ex.why, ISA_STOP_ILLEGAL);
}

/* ---- pairs ---- */

/* What VOPD alone accumulates, as a packed operation has it: three sources, op_sel_hi all ones */
static bool packed_form(const struct isa_target *t, unsigned int op, u32 dst, u32 src0, u32 src1,
			u32 *w)
{
	const bool gfx12 = isa_target_has(t, ISA_FEAT_SCOPES);
	const char *name = strstr(isa_op_names[op], "bf16") ?
		(gfx12 ? "v_dot2_f32_bf16_gfx12" : "v_dot2_f32_bf16_gfx11") :
		(gfx12 ? "v_dot2_f32_f16_gfx12" : "v_dot2_f32_f16_gfx11");
	const struct isa_format *f = rdna_format(t, ISA_ENC_VOP3P);
	const u16 *slots = t->slots[ISA_ENC_VOP3P];
	u32 n;

	for (n = 0; n < t->nslots[ISA_ENC_VOP3P]; n++)
		if (slots[n] && !strcmp(isa_op_names[isa_rows[slots[n]].op], name))
			break;
	if (n == t->nslots[ISA_ENC_VOP3P] || !strstr(isa_op_names[op], "dot2acc"))
		return false;
	w[0] = f->match | n << f->lo | BIT(14) | dst;
	w[1] = 256 | src0 | (256 | src1) << 9 | (u32)(256 | dst) << 18 | 3u << 27;
	return true;
}

/* Either operation alone, by its VOP2 or VOP1 form, on the state before */
static bool alone(struct rig *r, const struct isa_target *t, unsigned int op, u32 dst, u32 src0,
		  u32 src1, u32 lit, u64 exec, u32 mode, u32 seed_value, u32 *out)
{
	unsigned int enc = ISA_ENC_VOP2, n;
	u32 w[4] = { 0, lit, NOP, NOP };

	for (; ; enc = ISA_ENC_VOP1) {
		for (n = 0; n < t->nslots[enc]; n++)
			if (t->slots[enc][n] && isa_rows[t->slots[enc][n]].op == op)
				break;
		if (n < t->nslots[enc])
			break;
		if (enc == ISA_ENC_VOP1 && !packed_form(t, op, dst, src0, src1, w))
			return false;
		if (enc == ISA_ENC_VOP1)
			break;
	}
	if (!w[0])
		w[0] = rdna_format(t, enc)->match | n << rdna_format(t, enc)->lo | dst << 17 |
		       256 | src0 | (enc == ISA_ENC_VOP2 ? src1 << 9 : 0);
	rdna_prepare(r, w, 32, exec, seed_value);
	r->w->mode = mode;
	rig_run(r, 1);
	memcpy(out, rdna_row(r, dst), 4 * ISA_LANES);
	return r->ex.why == ISA_STOP_BUDGET;
}

/* @record: the wave notes exceptions */
static bool pair(struct rig *r, const struct isa_target *t, u32 x, u32 y, u32 mode, bool record)
{
	const u32 dx = 40, dy = 9, lit = 0x40490fdb;
	const u32 w[4] = {
		0xc8000000 | x << 22 | y << 17 | 14u << 9 | 256 | dy,
		(256 | dx) | 41u << 9 | (dy >> 1) << 17 | dx << 24, lit, NOP,
	};
	u32 want[2][ISA_LANES], seed_value = rdna_random(), l;
	const u16 *slots = t->slots[ISA_ENC_VOPDY];
	u64 exec = rdna_random() | 1;
	struct isa_insn in;
	bool mov = isa_rows[slots[y]].op == ISA_OP_V_MOV_B32;
	u32 one[4];

	/* v_mov_b32 has no second source, not even a field of one. */
	memcpy(one, w, sizeof(one));
	if (isa_rows[t->slots[ISA_ENC_VOPDX][x]].op == ISA_OP_V_MOV_B32)
		one[0] &= ~(0xffu << 9);
	if (mov)
		one[1] &= ~(0xffu << 9);
	if (isa_decode_as(t, isa_target_family(t), 32, one, 4, &in) <= 0)
		return rdna_tell("pair", "a decode", 0, 1);
	/* Y reads what X writes, and X what Y does: neither sees it. */
	if (!alone(r, t, in.op, dx, dy, 14, lit, exec, mode, seed_value, want[0]) ||
	    !alone(r, t, in.pair.op, dy, dx, 41, lit, exec, mode, seed_value, want[1]))
		return rdna_tell(isa_op_names[in.op], isa_op_names[in.pair.op], 0, 1);
	rdna_prepare(r, one, 32, exec, seed_value);
	r->w->mode = mode;
	r->w->record = record;
	if (rig_run(r, 1) != ISA_STOP_BUDGET)
		return rdna_tell(isa_op_names[in.op], isa_op_names[in.pair.op], r->ex.why,
				 ISA_STOP_BUDGET);
	for (l = 0; l < 32; l++)
		if (rdna_row(r, dx)[l] != want[0][l] || rdna_row(r, dy)[l] != want[1][l])
			return rdna_tell(isa_op_names[in.op], isa_op_names[in.pair.op],
					 rdna_row(r, dy)[l], want[1][l]);
	return r->w->pc == RIG_VA + 4ull * in.size ||
	       rdna_tell("pair", "PC", (u32)r->w->pc, (u32)RIG_VA + 4 * in.size);
}

/* Two moves whose sources are of one bank: gfx12 takes them, as LLVM's assembler does. */
static bool two_moves(struct rig *r, const struct isa_target *t)
{
	const bool takes = isa_target_has(t, ISA_FEAT_SCOPES);
	const u32 w[4] = { 0xc8000000 | 8 << 22 | 8 << 17 | 256 | 12,
			   (256 | 16) | 20 << 17 | 41 << 24, NOP, NOP };
	u32 l;

	rdna_prepare(r, w, 32, ~0u, 1);
	if (rig_run(r, 1) != (takes ? ISA_STOP_BUDGET : ISA_STOP_ILLEGAL))
		return rdna_tell("two moves of a bank", "the stop", r->ex.why, takes);
	for (l = 0; l < 32 && takes; l++)
		if (rdna_row(r, 41)[l] != rdna_row(r, 12)[l] ||
		    rdna_row(r, 40)[l] != rdna_row(r, 16)[l])
			return rdna_tell("two moves of a bank", "a lane", rdna_row(r, 41)[l],
					 rdna_row(r, 12)[l]);
	return true;
}

/* Registers that may not meet in a pair: first and second sources of a bank, two even thirds */
static bool refused_pairs(struct rig *r, const struct isa_target *t)
{
	static const struct {
		u32 x, y, x0, x1, y0, y1, dx, dy;
		bool ok;
	} p[] = {	/* opcodes: 0 fmac, 2 fmamk, 4 add */
		{ 4, 4, 4, 1, 9, 6, 0, 1, true }, { 4, 4, 4, 1, 8, 6, 0, 1, false },
		{ 4, 4, 4, 1, 4, 6, 0, 1, false }, { 4, 4, 4, 1, 9, 5, 0, 1, false },
		{ 2, 4, 4, 1, 9, 5, 0, 1, true }, { 2, 0, 4, 1, 9, 6, 0, 1, false },
		{ 2, 0, 4, 2, 9, 7, 0, 1, true }, { 2, 2, 4, 1, 9, 5, 0, 1, false },
	};
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(p); n++) {
		const u32 w[4] = {
			0xc8000000 | p[n].x << 22 | p[n].y << 17 | p[n].x1 << 9 | 256 | p[n].x0,
			(256 | p[n].y0) | p[n].y1 << 9 | (p[n].dy >> 1) << 17 | p[n].dx << 24,
			0x40000000, NOP,
		};

		rdna_prepare(r, w, 32, ~0u, 1);
		rig_run(r, 1);
		if ((r->ex.why == ISA_STOP_BUDGET) != p[n].ok)
			return rdna_tell("a pair's registers", "the stop", r->ex.why, n);
	}
	return two_moves(r, t);
}

/* X with every Y: what is refused is refused in either place. */
static int pairs(struct rig *r, const struct isa_target *t, u32 x)
{
	u32 y, k;

	for (y = 0; y < t->nslots[ISA_ENC_VOPDY]; y++)
		for (k = 0; k < 4 && t->slots[ISA_ENC_VOPDY][y]; k++)
			if (!pair(r, t, x, y, k & 1 ? 0x300 : 0x3f0, k & 2))
				return 0;
	return refused_pairs(r, t);
}

/* ---- v_mov_b16 with 64 bits of encoding: op_sel picks the halves, and DPP comes with it ---- */

static u32 half_source(struct rig *r, u32 src, u32 l)
{
	if (src == 233)		/* DPP8, reversed */
		return rdna_row(r, A)[l ^ 7];
	if (src == 250)		/* DPP, quad_perm reversed */
		return rdna_row(r, A)[l ^ 3];
	return src == 128 + 5 ? 5 : src == 16 ? r->w->s[16] : rdna_row(r, src - 256)[l];
}

bool rdna_long_move(struct rig *r, const struct isa_target *t)
{
	static const u32 sources[] = { 256 | A, 256 | B, 16, 128 + 5, 250, 233 };
	u32 n, sel, l, old[ISA_LANES];

	if (!isa_target_has(t, ISA_FEAT_GFX11_TEXT))
		return true;
	for (n = 0; n < ARRAY_SIZE(sources); n++)
		for (sel = 0; sel < 4; sel += sources[n] == 128 + 5 ? 2 : 1) {
			u32 src = sources[n], exec = n < 4 ? rdna_random() : ~0u;
			u32 w[4] = {	/* as LLVM 22 assembles v_mov_b16_e64 */
				0xd59c0000 | (sel & 1) << 11 | (sel & 2) << 13 | D, src,
				src == 233 ? 0x05397700 | A : src == 250 ? 0xff001b00 | A : NOP,
				NOP,
			};

			rdna_prepare(r, w, 32, exec, rdna_random());
			memcpy(old, rdna_row(r, D), sizeof(old));
			if (rig_run(r, 1) != ISA_STOP_BUDGET)
				return rdna_tell("v_mov_b16_e64", "the stop", r->ex.why,
						 ISA_STOP_BUDGET);
			for (l = 0; l < 32; l++) {
				u32 from = half_source(r, src, l), want = old[l];

				from = (sel & 1 ? from >> 16 : from) & 0xffff;
				if (exec >> l & 1)
					want = sel & 2 ? (want & 0xffff) | from << 16 :
							 (want & 0xffff0000) | from;
				if (rdna_row(r, D)[l] != want)
					return rdna_tell("v_mov_b16_e64", "a lane",
							 rdna_row(r, D)[l], want);
			}
		}
	return rdna_halves(r, t);
}

int rdna_reference(struct rig *r, const struct isa_target *t, unsigned int enc, u32 op)
{
	const struct isa_row *row = &isa_rows[t->slots[enc][op]];
	int ok;

	if (enc == ISA_ENC_VOPDX)
		return pairs(r, t, op);
	if (row->op == ISA_OP_V_SWAP_B16)
		return rdna_halves(r, t);
	if (enc <= ISA_ENC_SOPP) {
		ok = rdna_gfx12_scalar(r, t, row, enc, op);
		if (ok < 0)
			ok = rdna_subvector(r, t, row, enc, op);
		if (ok < 0)
			ok = rdna_scalar_float(r, t, row, enc, op);
		return ok >= 0 ? ok : rdna_scalar(r, t, row, enc, op);
	}
	if (row->op == ISA_OP_V_PIPEFLUSH || enc == ISA_ENC_SMEM ||
	    (enc >= ISA_ENC_DS && enc <= ISA_ENC_MUBUF)) {
		ok = rdna_format(t, enc) ? rdna_gfx12_memory(r, t, row, enc, op) : -1;
		return ok < 0 ? rdna_memory(r, t, row, enc, op) : ok;
	}
	ok = rdna_format(t, enc) ? rdna_gfx12_vector(r, t, row, enc, op) : -1;
	if (ok < 0)
		ok = vector(r, t, row, enc, op);
	if (ok < 0)
		ok = rdna_flush(r, t, row, enc, op);
	if (ok < 0)
		ok = rdna_dots(r, t, row, enc, op);
	if (ok < 0)
		ok = rdna_matrix(r, t, row, enc, op);
	if (ok < 0)
		ok = fma_literal(r, t, row, enc, op);
	if (ok < 0)
		ok = lanes_of_their_own(r, t, row, enc, op);
	return ok < 0 ? movrel(r, t, row, enc, op) : ok;
}
