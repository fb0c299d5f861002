// SPDX-License-Identifier: GPL-2.0-only
/*
 * gfx950's conversions with a scale, V_CVT_SCALEF32_*, and those that round by random
 * bits: one lane at a time, in integers, so that one build serves all SIMD variants.
 *
 * FP8 and BF8 are OCP's E4M3 and E5M2 here; FP6 is E2M3, BF6 E3M2, FP4 E2M1, which have
 * neither infinities nor NaNs: what is too large, and NaNs, become the largest number.
 * A scale is a power of two: exponent bits of a float alone; all ones is NaN. Going to a
 * small format it divides, coming from one it multiplies. Sources: CDNA4 ISA, pseudo-code of
 * V_CVT_SCALEF32_*; OCP Microscaling Formats 1.0, 5.3 and 5.4; Composable Kernel's
 * model of these instructions (division, NaNs of FP4 and FP6).
 *
 * No source says how random bits are used: as gfx942's V_CVT_SR_FP8_F32 does, their
 * upper bits are added below the last place of a normal result, and the rest is cut off.
 * With several results V_PRNG_B32 makes the next ones. Denormals are kept whatever MODE
 * says. MODE.FP16_OVFL turns overflow, but not infinities, into the largest number.
 * A float constant as a source of 16 bits is of its format, in the lower half: LLVM's encoder.
 */
#include "scalar.h"
#include "tables.h"
#include "lane_cvt.h"

/**
 * struct format - a floating-point format
 * @bits: of a number
 * @ebits: of its exponent
 * @mbits: of its mantissa
 * @bias: of its exponent
 * @ieee: all exponent bits set is infinity or NaN
 * @nan: all bits set is NaN
 * @max: code of the largest number
 */
struct format {
	u8 bits, ebits, mbits, bias;
	bool ieee, nan;
	u32 max;
};

static const struct format formats[] = {
	[CVT_F32] = { 32, 8, 23, 127, true, false, 0x7f7fffff },
	[CVT_F16] = { 16, 5, 10, 15, true, false, 0x7bff },
	[CVT_BF16] = { 16, 8, 7, 127, true, false, 0x7f7f },
	[CVT_FP8] = { 8, 4, 3, 7, false, true, 0x7e },
	[CVT_BF8] = { 8, 5, 2, 15, true, false, 0x7b },
	[CVT_FP6] = { 6, 2, 3, 1, false, false, 0x1f },
	[CVT_BF6] = { 6, 3, 2, 3, false, false, 0x1f },
	[CVT_FP4] = { 4, 2, 1, 1, false, false, 0x7 },
};

/* A number: @m * 2^@e; @m is 0, or has 24 bits. */
struct num {
	u32 m;
	s32 e;
	bool sign, inf, nan;
};

static struct num get_num(u32 x, const struct format *f)
{
	u32 frac = x & ((1u << f->mbits) - 1), top = (1u << f->ebits) - 1;
	u32 e = x >> f->mbits & top;
	struct num n = { .sign = x >> (f->bits - 1) & 1 };
	int up;

	n.inf = f->ieee && e == top && !frac;
	n.nan = (f->ieee && e == top && frac) ||
		(f->nan && e == top && frac == (1u << f->mbits) - 1);
	n.m = e ? frac | 1u << f->mbits : frac;
	n.e = (s32)(e ? e : 1) - f->bias - f->mbits;
	if (!n.m || n.inf || n.nan)
		return n;
	up = __builtin_clz(n.m) - 8;
	n.m <<= up;
	n.e -= up;
	return n;
}

static u32 too_large(const struct format *f, bool saturate)
{
	u32 all = (1u << (f->bits - 1)) - 1;

	if (saturate || (!f->ieee && !f->nan))
		return f->max;
	return f->ieee ? f->max + 1 : all;
}

static u32 nan_of(const struct format *f)
{
	if (f->bits > 8)	/* the quiet one */
		return (((1u << f->ebits) - 1) << 1 | 1) << (f->mbits - 1);
	return f->ieee || f->nan ? (1u << (f->bits - 1)) - 1 : f->max;
}

/* @random: NULL to round to the nearest, ties to even */
static u32 put_num(struct num n, const struct format *f, const u32 *random, bool ovfl)
{
	bool saturate = ovfl && (f->bits == 8 || f == &formats[CVT_F16]);
	u32 sign = (u32)n.sign << (f->bits - 1), q, rest, half;
	s32 e, shift = 23 - f->mbits;

	if (n.nan)
		return f->bits > 8 ? nan_of(f) : sign | nan_of(f);
	if (n.inf)
		return sign | too_large(f, false);
	if (!n.m)
		return sign;
	if (random) {
		n.m += *random >> (9 + f->mbits);
		if (n.m >> 24) {
			n.m >>= 1;
			n.e++;
		}
	}
	e = n.e + 23 + f->bias;
	if (e >= 1 << f->ebits)
		return sign | too_large(f, saturate);
	if (e < 1) {
		shift = shift + 1 - e > 31 ? 31 : shift + 1 - e;
		e = 1;
	}
	q = n.m >> shift;
	if (!random && shift) {
		rest = n.m & ((1u << shift) - 1);
		half = 1u << (shift - 1);
		q += rest > half || (rest == half && q & 1);
	}
	q += (u32)(e - 1) << f->mbits;
	return sign | (q > f->max ? too_large(f, saturate) : q);
}

u32 isa_cvt(u32 x, unsigned int from, unsigned int to, s32 scale, const u32 *random, bool ovfl)
{
	struct num n = get_num(x, &formats[from]);

	n.e += scale;
	return put_num(n, &formats[to], random, ovfl);
}

/* ---- instructions ---- */

#define SR	BIT(0)	/* the source after the numbers holds random bits */
#define TWO	BIT(1)	/* numbers in turn from the first and the second source */
#define PLAIN	BIT(2)	/* no scale */

static const struct cvt {
	u16 op;
	u8 from, to, count, flags;
} cvts[] = {
	{ ISA_OP_V_CVT_SCALEF32_PK_FP8_F32, CVT_F32, CVT_FP8, 2, TWO },
	{ ISA_OP_V_CVT_SCALEF32_PK_BF8_F32, CVT_F32, CVT_BF8, 2, TWO },
	{ ISA_OP_V_CVT_SCALEF32_SR_FP8_F32, CVT_F32, CVT_FP8, 1, SR },
	{ ISA_OP_V_CVT_SCALEF32_SR_BF8_F32, CVT_F32, CVT_BF8, 1, SR },
	{ ISA_OP_V_CVT_SCALEF32_PK_F32_FP8, CVT_FP8, CVT_F32, 2, 0 },
	{ ISA_OP_V_CVT_SCALEF32_PK_F32_BF8, CVT_BF8, CVT_F32, 2, 0 },
	{ ISA_OP_V_CVT_SCALEF32_F32_FP8, CVT_FP8, CVT_F32, 1, 0 },
	{ ISA_OP_V_CVT_SCALEF32_F32_BF8, CVT_BF8, CVT_F32, 1, 0 },
	{ ISA_OP_V_CVT_SCALEF32_PK_FP4_F32, CVT_F32, CVT_FP4, 2, TWO },
	{ ISA_OP_V_CVT_SCALEF32_SR_PK_FP4_F32, CVT_F32, CVT_FP4, 2, SR },
	{ ISA_OP_V_CVT_SCALEF32_PK_F32_FP4, CVT_FP4, CVT_F32, 2, 0 },
	{ ISA_OP_V_CVT_SCALEF32_PK_FP8_F16, CVT_F16, CVT_FP8, 2, 0 },
	{ ISA_OP_V_CVT_SCALEF32_PK_BF8_F16, CVT_F16, CVT_BF8, 2, 0 },
	{ ISA_OP_V_CVT_SCALEF32_SR_FP8_F16, CVT_F16, CVT_FP8, 1, SR },
	{ ISA_OP_V_CVT_SCALEF32_SR_BF8_F16, CVT_F16, CVT_BF8, 1, SR },
	{ ISA_OP_V_CVT_SCALEF32_PK_FP8_BF16, CVT_BF16, CVT_FP8, 2, 0 },
	{ ISA_OP_V_CVT_SCALEF32_PK_BF8_BF16, CVT_BF16, CVT_BF8, 2, 0 },
	{ ISA_OP_V_CVT_SCALEF32_SR_FP8_BF16, CVT_BF16, CVT_FP8, 1, SR },
	{ ISA_OP_V_CVT_SCALEF32_SR_BF8_BF16, CVT_BF16, CVT_BF8, 1, SR },
	{ ISA_OP_V_CVT_SCALEF32_PK_F16_FP8, CVT_FP8, CVT_F16, 2, 0 },
	{ ISA_OP_V_CVT_SCALEF32_PK_F16_BF8, CVT_BF8, CVT_F16, 2, 0 },
	{ ISA_OP_V_CVT_SCALEF32_F16_FP8, CVT_FP8, CVT_F16, 1, 0 },
	{ ISA_OP_V_CVT_SCALEF32_F16_BF8, CVT_BF8, CVT_F16, 1, 0 },
	{ ISA_OP_V_CVT_SCALEF32_PK_FP4_F16, CVT_F16, CVT_FP4, 2, 0 },
	{ ISA_OP_V_CVT_SCALEF32_PK_FP4_BF16, CVT_BF16, CVT_FP4, 2, 0 },
	{ ISA_OP_V_CVT_SCALEF32_SR_PK_FP4_F16, CVT_F16, CVT_FP4, 2, SR },
	{ ISA_OP_V_CVT_SCALEF32_SR_PK_FP4_BF16, CVT_BF16, CVT_FP4, 2, SR },
	{ ISA_OP_V_CVT_SCALEF32_PK_F16_FP4, CVT_FP4, CVT_F16, 2, 0 },
	{ ISA_OP_V_CVT_SCALEF32_PK_BF16_FP4, CVT_FP4, CVT_BF16, 2, 0 },
	{ ISA_OP_V_CVT_SCALEF32_PK_BF16_FP8, CVT_FP8, CVT_BF16, 2, 0 },
	{ ISA_OP_V_CVT_SCALEF32_PK_BF16_BF8, CVT_BF8, CVT_BF16, 2, 0 },
	{ ISA_OP_V_CVT_SCALEF32_2XPK16_FP6_F32, CVT_F32, CVT_FP6, 32, TWO },
	{ ISA_OP_V_CVT_SCALEF32_2XPK16_BF6_F32, CVT_F32, CVT_BF6, 32, TWO },
	{ ISA_OP_V_CVT_SCALEF32_SR_PK32_FP6_F32, CVT_F32, CVT_FP6, 32, SR },
	{ ISA_OP_V_CVT_SCALEF32_SR_PK32_BF6_F32, CVT_F32, CVT_BF6, 32, SR },
	{ ISA_OP_V_CVT_SCALEF32_PK32_F32_FP6, CVT_FP6, CVT_F32, 32, 0 },
	{ ISA_OP_V_CVT_SCALEF32_PK32_F32_BF6, CVT_BF6, CVT_F32, 32, 0 },
	{ ISA_OP_V_CVT_SCALEF32_PK32_FP6_F16, CVT_F16, CVT_FP6, 32, 0 },
	{ ISA_OP_V_CVT_SCALEF32_PK32_FP6_BF16, CVT_BF16, CVT_FP6, 32, 0 },
	{ ISA_OP_V_CVT_SCALEF32_PK32_BF6_F16, CVT_F16, CVT_BF6, 32, 0 },
	{ ISA_OP_V_CVT_SCALEF32_PK32_BF6_BF16, CVT_BF16, CVT_BF6, 32, 0 },
	{ ISA_OP_V_CVT_SCALEF32_SR_PK32_FP6_F16, CVT_F16, CVT_FP6, 32, SR },
	{ ISA_OP_V_CVT_SCALEF32_SR_PK32_FP6_BF16, CVT_BF16, CVT_FP6, 32, SR },
	{ ISA_OP_V_CVT_SCALEF32_SR_PK32_BF6_F16, CVT_F16, CVT_BF6, 32, SR },
	{ ISA_OP_V_CVT_SCALEF32_SR_PK32_BF6_BF16, CVT_BF16, CVT_BF6, 32, SR },
	{ ISA_OP_V_CVT_SCALEF32_PK32_F16_FP6, CVT_FP6, CVT_F16, 32, 0 },
	{ ISA_OP_V_CVT_SCALEF32_PK32_BF16_FP6, CVT_FP6, CVT_BF16, 32, 0 },
	{ ISA_OP_V_CVT_SCALEF32_PK32_F16_BF6, CVT_BF6, CVT_F16, 32, 0 },
	{ ISA_OP_V_CVT_SCALEF32_PK32_BF16_BF6, CVT_BF6, CVT_BF16, 32, 0 },
	{ ISA_OP_V_CVT_PK_F16_F32, CVT_F32, CVT_F16, 2, TWO | PLAIN },
	{ ISA_OP_V_CVT_PK_BF16_F32, CVT_F32, CVT_BF16, 2, TWO | PLAIN },
	{ ISA_OP_V_CVT_SR_F16_F32, CVT_F32, CVT_F16, 1, SR | PLAIN },
	{ ISA_OP_V_CVT_SR_BF16_F32, CVT_F32, CVT_BF16, 1, SR | PLAIN },
};

/* Row of registers @n of a vector operand: isa_rows_ok() has checked that it is there. */
static u32 *vector_row(const struct isa_wave *w, u32 code, u32 n)
{
	u32 row = code >= ISA_SRC_ACC0 ? w->acc_row + code - ISA_SRC_ACC0 : code - ISA_SRC_VGPR0;

	return w->v + (row + n) * ISA_LANES;
}

static u32 source(const struct isa_wave *w, const struct isa_insn *i, u32 n, u32 dword, u32 lane)
{
	u32 code = i->src[n];

	if (code >= ISA_SRC_VGPR0)
		return vector_row(w, code, dword)[lane];
	return isa_sget32(w, i, (u16)code);
}

/* A source that holds the numbers */
static u32 numbers(const struct isa_wave *w, const struct isa_insn *i, const struct cvt *c, u32 n,
		   u32 dword, u32 lane)
{
	u32 x = source(w, i, n, dword, lane);

	if (i->src[n] < ISA_SRC_FLOAT0 || i->src[n] > ISA_SRC_FLOAT_LAST)
		return x;
	if (c->from == CVT_F16)
		return isa_cvt(x, CVT_F32, CVT_F16, 0, NULL, false);
	return c->from == CVT_BF16 ? x >> 16 : x;
}

/* Bit of the first source where the numbers begin: op_sel picks bytes or words. */
static u32 first_bit(const struct cvt *c, const struct isa_insn *i)
{
	u32 bits = formats[c->from].bits * c->count;

	if (bits == 8)
		return (i->opsel & 3) * 8;
	return bits == 16 ? (i->opsel & 1) * 16 : 0;
}

/* Number @k, with the signs that the instruction gives it. */
static u32 number(const struct isa_wave *w, const struct isa_insn *i, const struct cvt *c, u32 k,
		  u32 lane)
{
	const struct format *f = &formats[c->from];
	u32 src = c->flags & TWO ? k & 1 : 0, at = first_bit(c, i), x;
	u32 top = 1u << (f->bits - 1);

	at += (c->flags & TWO ? k / 2 : k) * f->bits;
	x = numbers(w, i, c, src, at / 32, lane) >> at % 32;
	if (at % 32 + f->bits > 32)
		x |= numbers(w, i, c, src, at / 32 + 1, lane) << (32 - at % 32);
	x &= top | (top - 1);
	if (f->bits <= 8)
		return x;
	if (i->abs >> src & 1)
		x &= ~top;
	return i->neg >> src & 1 ? x ^ top : x;
}

/*
 * Output modifiers, of the two conversions that have them: on each result, as with any float. See
 * lane_omod_on(); denormals of BF16 are denormal floats.
 */
static bool omod_acts(const struct isa_wave *w, const struct isa_insn *i, const struct cvt *c)
{
	return i->omod && !(w->mode & (1u << 9 | (c->to == CVT_F16 ? 0x80 : 0x20)));
}

static s32 omod_scale(const struct isa_insn *i)
{
	return i->omod == 3 ? -1 : i->omod;
}

static u32 modify(const struct isa_wave *w, const struct isa_insn *i, const struct cvt *c, u32 y)
{
	const struct format *f = &formats[c->to];
	u32 one = (u32)f->bias << f->mbits, inf = ((1u << f->ebits) - 1) << f->mbits;

	if (omod_acts(w, i, c) && !(y & inf))
		y = 0;
	if (!(i->mods & ISA_MOD_CLAMP))
		return y;
	if ((y & (inf | (inf - 1))) > inf)
		return w->mode & BIT(8) ? 0 : y;
	return y >> (f->bits - 1) ? 0 : y > one ? one : y;
}

static void convert_lane(struct isa_wave *w, const struct isa_insn *i, const struct cvt *c,
			 u32 lane)
{
	u32 bits = formats[c->to].bits, all = bits * c->count;
	u32 out[32] = { 0 }, k, random = 0, last = 1;
	bool small = bits <= 8;
	s32 scale = 0;
	u32 mask, at;

	if (c->flags & SR)
		random = source(w, i, last++, 0, lane);
	else if (c->flags & TWO)
		last++;
	if (!(c->flags & PLAIN)) {
		u32 e = source(w, i, last, 0, lane) >> 23 & 0xff;

		scale = e == 0xff ? CVT_SCALE_NAN : small ? 127 - (s32)e : (s32)e - 127;
	} else if (omod_acts(w, i, c)) {
		scale = omod_scale(i);
	}
	for (k = 0; k < c->count; k++) {
		u32 x = number(w, i, c, k, lane), y;

		y = scale == CVT_SCALE_NAN ? nan_of(&formats[c->to]) :
		    isa_cvt(x, c->from, c->to, scale, c->flags & SR ? &random : NULL,
			    w->mode & ISA_MODE_FP16_OVFL);
		if (c->flags & PLAIN)
			y = modify(w, i, c, y);
		at = k * bits;
		out[at / 32] |= y << at % 32;
		if (at % 32 + bits > 32)
			out[at / 32 + 1] |= y >> (32 - at % 32);
		random = isa_prng(random);
	}
	if (all >= 32) {
		for (k = 0; k < all / 32; k++)
			vector_row(w, i->dst, k)[lane] = out[k];
		return;
	}
	at = all == 8 ? (i->opsel >> 2 & 3) * 8 : (i->opsel >> 3 & 1) * 16;
	mask = ((1u << all) - 1) << at;
	vector_row(w, i->dst, 0)[lane] = (vector_row(w, i->dst, 0)[lane] & ~mask) | out[0] << at;
}

#define CVT_COST	16u	/* of 64 numbers, in the units of ISA_COST_TURN */

static enum isa_stop exec_cvt(struct isa_wave *w, const struct isa_insn *i)
{
	const struct cvt *c = &cvts[isa_slot_of(i)->aux];
	u64 exec = isa_exec(w);
	u32 lane;

	for (lane = 0; lane < ISA_LANES; lane++)
		if (exec >> lane & 1)
			convert_lane(w, i, c, lane);
	return isa_charge(w, CVT_COST * c->count);
}

bool isa_cvt_bind(const struct isa_target *t, struct isa_insn *i)
{
	const struct isa_row *r = &isa_rows[i->row];
	u32 n, k;

	(void)t;
	for (n = 0; n < ARRAY_SIZE(cvts) && cvts[n].op != i->op; n++)
		;
	if (n == ARRAY_SIZE(cvts) || i->dst < ISA_SRC_VGPR0)
		return false;
	for (k = 0; k < 3; k++)
		if (i->src[k] == ISA_SRC_LDS_DIRECT ||
		    (r->src[k].dwords > 1 && i->src[k] < ISA_SRC_VGPR0))
			return false;
	isa_slot_of(i)->aux = n;
	isa_bind_to(i, exec_cvt, exec_cvt);
	return true;
}

/* ---- exchange of rows of lanes ---- */

/*
 * V_PERMLANE16_SWAP and V_PERMLANE32_SWAP: rows of 16 (32) lanes, odd ones of the
 * destination with even ones of the source. As for DPP, a lane that is off gives nothing:
 * its partner keeps what it has, or gets 0 by bound_ctrl, or the value by fi.
 */
static enum isa_stop exec_swap(struct isa_wave *w, const struct isa_insn *i)
{
	u32 *d = vector_row(w, i->dst, 0), *s = vector_row(w, i->src[0], 0), lane;
	u32 rows = i->op == ISA_OP_V_PERMLANE16_SWAP_B32 ? 16 : 32;
	bool fi = i->opsel & 1, bound = i->opsel & 2;
	u64 exec = isa_exec(w);

	for (lane = 0; lane < ISA_LANES; lane++) {
		u32 odd = lane + rows, x = s[lane], y = d[odd % ISA_LANES];
		bool low, high;

		if (lane & rows)
			continue;
		low = exec >> lane & 1;
		high = exec >> odd & 1;
		if (low && (high || fi || bound))
			s[lane] = high || fi ? y : 0;
		if (high && (low || fi || bound))
			d[odd] = low || fi ? x : 0;
	}
	return ISA_STOP_NONE;
}

bool isa_lane_swap_bind(const struct isa_target *t, struct isa_insn *i)
{
	(void)t;
	if (i->dst < ISA_SRC_VGPR0 || i->src[0] < ISA_SRC_VGPR0)
		return false;
	isa_bind_to(i, exec_swap, exec_swap);
	return true;
}
