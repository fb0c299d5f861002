/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The adder of dot_rdna.c in vectors: steps of halves or bfloat16s, of VW results at once. What it
 * is and where that is known from stands there. MXCSR is in nearest even. Lanes that it leaves are
 * computed there, too: C or a factor is infinite or NaN, or on gfx12 the result is a denormal.
 */

#include "dot_rdna.h"

/* Lowest bit of an exponent word is that of 2^-DOT_BIAS; bit 31 is the sign. */
#define DOT_BIAS	0x4000u
#define DOT_NO_EXP	(-4096)		/* exponent of a zero: below all others */
#define DOT_PRODUCT	24		/* bits of the grid below the exponent of a product */
#define DOT_SUM		26		/* below the first bit of C, or of the largest term */

enum dot_out { DOT_F32, DOT_F16, DOT_BF16 };

/* A product: its significand, of which bit 2 * mbits is 2^exp, and all ones if it is negative */
struct dot_product {
	VI sig, exp, minus;
};

/* The factor @x, of 16 bits with @mbits behind the point. @flush: denormals are zeros */
static __always_inline void dot_factor(VI x, u32 mbits, bool flush, VI *sig, VI *exp, VM *special)
{
	const u32 ebits = 15 - mbits, bias = (1u << (ebits - 1)) - 1;
	VI e = vi_and(vi_srlv(x, vi_splat(mbits)), vi_splat((1u << ebits) - 1));
	VI m = vi_and(x, vi_splat((1u << mbits) - 1));
	VM low = vm_eq(e, vi_zero());

	*special = vm_eq(e, vi_splat((1u << ebits) - 1));
	*sig = vi_blend(low, vi_or(m, vi_splat(1u << mbits)), flush ? vi_zero() : m);
	e = vi_add(vi_maxs(e, vi_splat(1)), vi_splat(DOT_BIAS - bias));
	e = vi_blend(vm_eq(*sig, vi_zero()), e, vi_splat(DOT_BIAS + (u32)DOT_NO_EXP));
	*exp = vi_or(e, vi_slli(vi_srli(x, 15), 31));
}

static __always_inline struct dot_product dot_multiply(VI asig, VI aexp, VI bsig, VI bexp)
{
	VI e = vi_add(aexp, bexp);

	return (struct dot_product){
		.sig = vi_madd(asig, bsig),
		.exp = vi_sub(vi_and(e, vi_splat(0x7fffffff)), vi_splat(2 * DOT_BIAS)),
		.minus = vi_srai(e, 31),
	};
}

/* A product of all the bits there are below 2^(exp - DOT_PRODUCT) */
static __always_inline VI dot_units(const struct dot_product *p, u32 mbits)
{
	return vi_sllv(p->sig, vi_splat(DOT_PRODUCT - 2 * mbits));
}

/* Counts beyond 31 give what 31 gives here: all units are shorter. */
static __always_inline VI dot_count(VI n)
{
	return vi_mins(n, vi_splat(31));
}

static __always_inline VI dot_signed(VI x, VI minus)
{
	return vi_sub(vi_xor(x, minus), minus);
}

/* @m, not 0, in units of 2^@grid. *@exp: biased exponent of the result, also if it has none */
static __always_inline VI dot_round_f32(VI m, VI grid, VI *exp)
{
	VI f = vf_of_i(m);

	*exp = vi_add(vi_srli(f, 23), grid);
	f = vi_add(f, vi_slli(grid, 23));
	return vi_blend(vm_gts(*exp, vi_splat(254)), f, vi_splat(0x7f800000));
}

/* @largest: what is too large becomes */
static __always_inline VI dot_round_f16(VI m, VI grid, VI largest)
{
	/* Without the bit behind the first one, the conversion does not carry. */
	VI top = vi_sub(vi_srli(vf_of_i(vi_andnot(vi_srli(m, 1), m)), 23), vi_splat(127));
	VI exp = vi_add(top, grid), cut, left, half, r;

	cut = vi_maxs(vi_sub(top, vi_splat(10)), vi_sub(vi_splat((u32)-24), grid));
	left = vi_maxs(vi_sub(vi_zero(), cut), vi_zero());
	cut = dot_count(vi_maxs(cut, vi_zero()));
	/* Half a unit less one, and one more if the last bit that stays is set */
	half = vi_srli(vi_sub(vi_sllv(vi_splat(1), cut), vi_splat(1)), 1);
	r = vi_and(vi_srlv(m, cut), vi_splat(1));
	r = vi_blend(vm_gts(cut, vi_zero()), vi_zero(), r);
	r = vi_sllv(vi_srlv(vi_add(m, vi_add(half, r)), cut), dot_count(left));
	/* Of a normal result, the first bit is one of its exponent. */
	r = vi_add(r, vi_slli(vi_maxs(vi_add(exp, vi_splat(14)), vi_zero()), 10));
	r = vi_blend(vm_gts(r, vi_splat(0x7bff)), r, largest);
	return vi_blend(vm_gts(exp, vi_splat(15)), r, largest);
}

/*
 * @sum in units of 2^@grid, with the other sign where @minus has ones. *@left: gains the lanes of
 * which the result is a denormal float, unless they are to be zeros: @flush
 */
static __always_inline VI dot_round(VI sum, VI grid, VI minus, enum dot_out out, VI largest,
				    bool flush, VM *left)
{
	VI neg = vi_srai(sum, 31), m = dot_signed(sum, neg), sign = vi_xor(neg, minus), r, exp;
	VM zero = vm_eq(sum, vi_zero()), tiny;

	if (out == DOT_F16) {
		r = dot_round_f16(m, grid, largest);
		zero = vm_or(zero, vm_eq(r, vi_zero()));
		r = vi_or(r, vi_and(sign, vi_splat(0x8000)));
		return vi_blend(zero, r, vi_zero());
	}
	r = vi_or(dot_round_f32(m, grid, &exp), vi_and(sign, vi_splat(0x80000000)));
	tiny = vm_gts(vi_splat(1), exp);
	if (flush)
		zero = vm_or(zero, tiny);
	else
		*left = vm_or(*left, vm_of(vi_andnot(vm_vec(zero), vm_vec(tiny))));
	r = vi_blend(zero, r, vi_zero());
	return out == DOT_BF16 ? vi_srli(r, 16) : r;
}

/*
 * Two products and the float @c, as gfx11 adds them. @largest: see dot_round_f16(). *@left: the
 * lanes of which the result says nothing
 */
static __always_inline VI dot_gfx11(const struct dot_product *p, VI c, u32 mbits, enum dot_out out,
				    VI largest, VM *left)
{
	VI e = vi_and(vi_srli(c, 23), vi_splat(255)), minus = vi_srai(c, 31);
	VM none = vm_eq(e, vi_zero());
	VI sig = vi_or(vi_and(c, vi_splat(0x7fffff)), vi_splat(0x800000));
	VI top = vi_sub(e, vi_splat(127)), grid, sum, any;
	u32 n;

	*left = vm_eq(e, vi_splat(255));
	sig = vi_blend(none, sig, vi_zero());
	any = sig;
	top = vi_blend(none, top, vi_splat((u32)DOT_NO_EXP));
	if (out == DOT_F16)
		top = vi_maxs(top, vi_splat((u32)-14));
	grid = vi_sub(vi_maxs(p[0].exp, p[1].exp), vi_splat(DOT_PRODUCT));
	for (n = 0; n < 2; n++) {
		/* Exact, so the exponent is that of the first bit */
		VI first = vi_srli(vf_of_i(p[n].sig), 23);

		any = vi_or(any, p[n].sig);
		first = vi_add(p[n].exp, vi_sub(first, vi_splat(127 + 2 * mbits)));
		top = vi_maxs(top, first);
	}
	grid = vi_maxs(grid, vi_sub(top, vi_splat(DOT_SUM)));
	sum = vi_srlv(vi_slli(sig, 3), dot_count(vi_sub(grid, vi_sub(e, vi_splat(153)))));
	for (n = 0; n < 2; n++) {
		VI low = vi_sub(p[n].exp, vi_splat(DOT_PRODUCT));
		VI x = vi_srlv(dot_units(&p[n], mbits), dot_count(vi_sub(grid, low)));

		sum = vi_add(sum, vi_xor(x, vi_xor(p[n].minus, minus)));
	}
	sum = vi_blend(vm_eq(any, vi_zero()), sum, vi_zero());
	return dot_round(sum, grid, minus, out, largest, true, left);
}

/* The same of gfx12, of @n products, 2 or 4 */
static __always_inline VI dot_gfx12(const struct dot_product *p, u32 n, VI c, u32 mbits,
				    enum dot_out out, VI largest, VM *left)
{
	const VI lowest = vi_splat(out == DOT_F16 ? (u32)-14 : (u32)-126);
	VI e = vi_and(vi_srli(c, 23), vi_splat(255)), minus = vi_srai(c, 31);
	VI sig = vi_and(c, vi_splat(0x7fffff)), grid, sum, units, count, kept;
	VI pair[ISA_DOT_MAX / 2] LANE_SCRATCH, low[ISA_DOT_MAX / 2] LANE_SCRATCH;
	u32 k;

	*left = vm_eq(e, vi_splat(255));
	sig = vi_or(sig, vi_blend(vm_eq(e, vi_zero()), vi_splat(0x800000), vi_zero()));
	e = vi_maxs(e, vi_splat(1));
	grid = vi_sub(vi_maxs(lowest, vi_sub(e, vi_splat(127))), vi_splat(DOT_SUM));
	for (k = 0; k < n; k += 2) {
		VI x = dot_signed(dot_units(&p[k], mbits), p[k].minus);
		VI y = dot_signed(dot_units(&p[k + 1], mbits), p[k + 1].minus);
		VI at = vi_maxs(p[k].exp, p[k + 1].exp);

		pair[k / 2] = vi_add(vi_srav(x, dot_count(vi_sub(at, p[k].exp))),
				     vi_srav(y, dot_count(vi_sub(at, p[k + 1].exp))));
		low[k / 2] = vi_sub(at, vi_splat(DOT_PRODUCT));
		grid = vi_maxs(grid, low[k / 2]);
	}
	units = vi_slli(sig, 3);
	count = dot_count(vi_sub(grid, vi_sub(e, vi_splat(153))));
	sum = vi_srav(dot_signed(units, minus), count);
	/* Nothing is left of C on a coarse grid: not even the unit of a negative one */
	kept = vi_or(vi_srlv(units, count), vm_vec(vm_gts(vi_add(lowest, vi_splat(1)), grid)));
	sum = vi_blend(vm_eq(kept, vi_zero()), sum, vi_zero());
	for (k = 0; k < n / 2; k++)
		sum = vi_add(sum, vi_srav(pair[k], dot_count(vi_sub(grid, low[k]))));
	return dot_round(sum, grid, vi_zero(), out, largest, false, left);
}
