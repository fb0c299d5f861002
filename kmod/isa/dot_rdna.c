// SPDX-License-Identifier: GPL-2.0-only
/*
 * The adder of small floats that V_DOT2_*, V_DOT4_F32_* and WMMA of gfx11 and gfx12 have: products
 * are exact, they and C are cut to a common grid, added as integers, and rounded once. One
 * element, with everything that may be in it; lane_dot.inc.c has the usual ones in vectors.
 *
 * Source: AMD measured both generations (W7900, R9700; rocm-systems issue 12056 and the models
 * and captures that rocjitsu and bjacob/goc have of them, rocm-systems ffc144c564c). Facts:
 *
 * gfx11: the sum is made in the sign of C. A term of the other sign counts as the complement of
 * its bits: one unit too little, also if it is a zero. Denormals of floats and bfloat16s are
 * zeros, those of halves are not. A result below the normal floats is +0.
 * gfx12: pairs of products are added on a grid of their own, and cut towards minus infinity to
 * that of the sum; products of 8-bit floats, all four. Denormals count. A negative C of which
 * nothing is left on the grid counts as one unit only if the grid is a fine one.
 * Both: to the nearest, ties to even. BF16 results are floats whose lower half is cut off; F16
 * ones are rounded from the sum. A zero is +0. A factor's NaN makes a NaN of the adder's own, then
 * come products of infinity and zero, and infinities of both signs, then C's NaN.
 */
#include "dot_rdna.h"

#define NAN_FACTOR	0xffc00a3du
#define NAN_PRODUCT	0xffc00000u
#define F32_INF		0x7f800000u
#define NO_EXP		(-4096)		/* of a zero: below all others */
#define PRODUCT_BITS	24		/* of the grid below the exponent of a product */
#define SUM_BITS	26		/* below the first bit of C, or of the largest term */

static const struct dot_format {
	u8 ebits, mbits;
	bool fn;			/* no infinity; all ones is NaN */
	u16 nan;			/* NAN_FACTOR in it */
} formats[] = {
	[ISA_DOT_F16] = { 5, 10, false, 0xfe3d },
	[ISA_DOT_BF16] = { 8, 7, false, 0xfffd },
	[ISA_DOT_FP8] = { 4, 3, true, 0 },
	[ISA_DOT_BF8] = { 5, 2, false, 0 },
};

/* @sig * 2^@exp. A factor's exponent is that of its first bit, if it is normal. */
struct dot_term {
	u32 sig;
	s32 exp;
	bool neg;
};

struct dot_sum {
	struct dot_term p[ISA_DOT_MAX], c;
	s32 grid[ISA_DOT_MAX];		/* of each product, NO_EXP: it is zero */
};

static u32 bit_length(u64 x)
{
	return x ? 64 - (u32)__builtin_clzll(x) : 0;
}

static bool is_nan(const struct dot_format *f, u32 x)
{
	u32 all = (1u << (f->ebits + f->mbits)) - 1, inf = all + 1 - (1u << f->mbits);

	x &= all;
	return f->fn ? x == all : x > inf;
}

static bool is_inf(const struct dot_format *f, u32 x)
{
	u32 all = (1u << (f->ebits + f->mbits)) - 1;

	return !f->fn && (x & all) == all + 1 - (1u << f->mbits);
}

static bool negative(const struct dot_format *f, u32 x)
{
	return x >> (f->ebits + f->mbits) & 1;
}

/* @flush: denormals are zeros */
static struct dot_term factor(const struct dot_format *f, u32 x, bool flush)
{
	u32 e = x >> f->mbits & ((1u << f->ebits) - 1), m = x & ((1u << f->mbits) - 1);
	s32 bias = (1 << (f->ebits - 1)) - 1;
	struct dot_term t = { .neg = negative(f, x) };

	t.sig = e ? m | 1u << f->mbits : flush ? 0 : m;
	t.exp = (s32)(e ? e : 1) - bias;
	return t;
}

/* C as a float. A NaN keeps its bits. */
static u32 widened(const struct isa_dot *d)
{
	u32 x = d->c, e, m, shift;

	if (!d->narrow)
		return x;
	if (d->type_a == ISA_DOT_BF16)
		return x << 16;
	e = x >> 10 & 31;
	m = x & 1023;
	if (e == 31)
		return (x & 0x8000) << 16 | F32_INF | m << 13;
	if (e)
		return (x & 0x8000) << 16 | (e + 112) << 23 | m << 13;
	if (!m)
		return (x & 0x8000) << 16;
	shift = 11 - bit_length(m);
	return (x & 0x8000) << 16 | (113 - shift) << 23 | (m << shift & 1023) << 13;
}

static u32 narrowed_special(const struct isa_dot *d, u32 x)
{
	if (!d->narrow)
		return x;
	if (x == NAN_FACTOR)
		return formats[d->type_a].nan;
	if (d->type_a == ISA_DOT_BF16)
		return x >> 16;
	return (x >> 16 & 0x8000) | 0x7c00 | (x >> 13 & 1023);
}

/* Infinities and NaNs. False: there are none. @flush: see factor() */
static bool special(const struct isa_dot *d, u32 c, bool flush, u32 *result)
{
	const struct dot_format *fa = &formats[d->type_a], *fb = &formats[d->type_b];
	bool bytes = d->type_a >= ISA_DOT_FP8, plus = false, minus = false, invalid = false;
	u32 n;

	for (n = 0; n < d->n; n++) {
		u32 a = d->a[n], b = d->b[n];

		if (is_nan(fa, a) || is_nan(fb, b)) {
			*result = narrowed_special(d, NAN_FACTOR);
			return true;
		}
		if (!is_inf(fa, a) && !is_inf(fb, b))
			continue;
		invalid |= !factor(fa, a, flush).sig || !factor(fb, b, flush).sig;
		if (negative(fa, a) != negative(fb, b))
			minus = true;
		else
			plus = true;
	}
	if (!invalid && !(plus && minus)) {
		if ((c & 0x7fffffff) > F32_INF) {
			*result = narrowed_special(d, c | 0x400000);
			return true;
		}
		plus |= c == F32_INF;
		minus |= c == (F32_INF | 1u << 31);
		if (!plus && !minus)
			return false;
	}
	if (invalid || (plus && minus))
		*result = narrowed_special(d, bytes ? NAN_FACTOR : NAN_PRODUCT);
	else
		*result = narrowed_special(d, minus ? F32_INF | 1u << 31 : F32_INF);
	return true;
}

static void terms(const struct isa_dot *d, u32 c, bool flush, struct dot_sum *s)
{
	const struct dot_format *fa = &formats[d->type_a], *fb = &formats[d->type_b];
	u32 n, e = c >> 23 & 255;

	for (n = 0; n < d->n; n++) {
		struct dot_term a = factor(fa, d->a[n], flush), b = factor(fb, d->b[n], flush);

		s->p[n].sig = a.sig * b.sig;
		s->p[n].exp = a.exp + b.exp - fa->mbits - fb->mbits;
		s->p[n].neg = a.neg != b.neg;
		s->grid[n] = s->p[n].sig ? a.exp + b.exp - PRODUCT_BITS : NO_EXP;
	}
	s->c.neg = c >> 31;
	s->c.exp = (s32)(e ? e : 1) - 150;
	s->c.sig = c & 0x7fffff;
	if (e)
		s->c.sig |= 0x800000;
}

static s32 first_bit(const struct dot_term *t)
{
	return t->sig ? t->exp + (s32)bit_length(t->sig) - 1 : NO_EXP;
}

static s32 highest(s32 a, s32 b)
{
	return a > b ? a : b;
}

/* Magnitude on the grid, cut */
static s64 cut(const struct dot_term *t, s32 grid)
{
	s32 shift = t->exp - grid;

	if (!t->sig || shift <= -32)
		return 0;
	return shift < 0 ? t->sig >> -shift : (s64)t->sig << shift;
}

/* Of both signs, towards minus infinity; the terms of gfx12 fit an s64 however far they shift. */
static s64 floor_on(s64 value, s32 exp, s32 grid)
{
	s32 shift = exp - grid;

	if (shift < 0)
		return value >> (shift < -63 ? 63 : -shift);
	return value * (1ll << shift);
}

static u64 shift_even(u64 x, s32 shift)
{
	u64 tail;

	if (shift <= 0)
		return x << -shift;
	if (shift > 62)
		return 0;
	tail = x & ((1ull << shift) - 1);
	x >>= shift;
	return x + (tail > 1ull << (shift - 1) || (tail == 1ull << (shift - 1) && x & 1));
}

/* @sum * 2^@grid. @flush: what is below the normal floats is 0 */
static u32 rounded_f32(u64 sum, s32 grid, u32 sign, bool flush)
{
	s32 exp = grid + (s32)bit_length(sum) - 1;
	u64 m;

	if (exp < -126 && !flush) {
		m = shift_even(sum, -149 - grid);
		return m ? sign | (u32)m : 0;
	}
	/* As a number of 24 bits first: the carry may make it a normal one. */
	m = shift_even(sum, (s32)bit_length(sum) - 24);
	if (m >> 24) {
		m >>= 1;
		exp++;
	}
	if (exp < -126)
		return 0;
	if (exp > 127)
		return sign | F32_INF;
	return sign | (u32)(exp + 127) << 23 | ((u32)m & 0x7fffff);
}

static u32 rounded_f16(u64 sum, s32 grid, u32 sign, bool ovfl)
{
	s32 exp = grid + (s32)bit_length(sum) - 1;
	u64 m;

	if (exp > 15)
		return sign | (ovfl ? 0x7bff : 0x7c00);
	if (exp < -14) {
		m = shift_even(sum, -24 - grid);
		return m ? sign | (u32)m : 0;
	}
	m = shift_even(sum, (s32)bit_length(sum) - 11) + ((u64)(u32)(exp + 14) << 10);
	return sign | (m < 0x7c00 ? (u32)m : ovfl ? 0x7bff : 0x7c00);
}

/* @minus: the sign of @sum is the other one */
static u32 result(const struct isa_dot *d, s64 sum, s32 grid, bool minus, bool flush)
{
	bool neg = (sum < 0) != minus;
	u64 m = sum < 0 ? -(u64)sum : (u64)sum;

	if (!sum)
		return 0;
	if (d->narrow && d->type_a == ISA_DOT_F16)
		return rounded_f16(m, grid, (u32)neg << 15, d->ovfl);
	return rounded_f32(m, grid, (u32)neg << 31, flush) >> (d->narrow ? 16 : 0);
}

/**
 * isa_dot_gfx11() - two products and C
 * @d: operands
 * Return: the bits of the result
 */
u32 isa_dot_gfx11(const struct isa_dot *d)
{
	bool flush = d->type_a == ISA_DOT_BF16, f16 = d->narrow && d->type_a == ISA_DOT_F16;
	u32 c = widened(d), n, r, any;
	struct dot_sum s;
	s32 grid, top;
	s64 sum;

	if (special(d, c, flush, &r))
		return r;
	terms(d, c, flush, &s);
	if (!(c & F32_INF))
		s.c.sig = 0;
	any = s.c.sig;
	top = first_bit(&s.c);
	if (f16)
		top = highest(top, -14);
	grid = NO_EXP;
	for (n = 0; n < 2; n++) {
		any |= s.p[n].sig;
		top = highest(top, first_bit(&s.p[n]));
		grid = highest(grid, s.grid[n]);
	}
	if (!any)
		return 0;
	grid = highest(grid, top - SUM_BITS);
	sum = cut(&s.c, grid);
	for (n = 0; n < 2; n++) {
		s64 x = cut(&s.p[n], grid);

		sum += s.p[n].neg != s.c.neg ? ~x : x;
	}
	return result(d, sum, grid, s.c.neg, true);
}

/**
 * isa_dot_gfx12() - two or four products and C
 * @d: operands
 * Return: the bits of the result
 */
u32 isa_dot_gfx12(const struct isa_dot *d)
{
	const u32 group = d->type_a >= ISA_DOT_FP8 ? d->n : 2;
	const s32 lowest = d->narrow && d->type_a == ISA_DOT_F16 ? -14 : -126;
	u32 c = widened(d), n, k, r;
	s32 grid = NO_EXP, at;
	struct dot_sum s;
	s64 sum = 0, x;

	if (special(d, c, false, &r))
		return r;
	terms(d, c, false, &s);
	for (n = 0; n < d->n; n++)
		grid = highest(grid, s.grid[n]);
	grid = highest(grid, highest(lowest, first_bit(&s.c)) - SUM_BITS);
	x = s.c.neg ? -(s64)s.c.sig : s.c.sig;
	if (grid <= lowest || cut(&s.c, grid))
		sum = floor_on(x, s.c.exp, grid);
	for (n = 0; n < d->n; n += group) {
		at = NO_EXP;
		for (k = n; k < n + group; k++)
			at = highest(at, s.grid[k]);
		for (x = 0, k = n; k < n + group; k++)
			if (s.p[k].sig)
				x += floor_on(s.p[k].neg ? -(s64)s.p[k].sig : s.p[k].sig,
					      s.p[k].exp, at);
		if (x)
			sum += floor_on(x, at, grid);
	}
	return result(d, sum, grid, false, false);
}
