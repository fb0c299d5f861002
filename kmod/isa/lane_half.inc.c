/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Halves as floats, many lanes at a time, where the CPU converts them.
 *
 * A float has more than twice a half's precision and two bits, so that a sum
 * or a product rounded to a float and then to a half is what one rounding
 * gives (Figueroa, "When is double rounding innocuous?"); products of halves
 * are exact floats. Nothing here is denormal as a float. NaNs pass as the
 * scalar model has them: the first operand's, quieted. What does not fit is
 * left to the scalar expression: half_rows() then says so.
 */

#if LANE_WIDTH == 16
#define HALF_ROWS	1

static __always_inline VI vf_of_h(VI a)
{
	return vi_of_ps(_mm512_cvtph_ps(_mm512_cvtepi32_epi16(a)));
}

/* Rounds as MXCSR says; the upper half of each lane is 0. */
static __always_inline VI vh_of_f(VI a)
{
	return _mm512_cvtepu16_epi32(_mm512_cvtps_ph(ps_of(a), _MM_FROUND_CUR_DIRECTION));
}

/* Both halves of half as many lanes, side by side as they lie there. */
static __always_inline VI vf_of_pairs(const u32 *p)
{
	return vi_of_ps(_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p)));
}

static __always_inline void pairs_of_vf(u32 *p, VI a)
{
	_mm256_storeu_si256((__m256i *)p, _mm512_cvtps_ph(ps_of(a), _MM_FROUND_CUR_DIRECTION));
}
#elif LANE_WIDTH == 8
#define HALF_ROWS	1

static __always_inline VI vf_of_h(VI a)
{
	VI x = _mm256_and_si256(a, vi_splat(0xffff));

	x = _mm256_permute4x64_epi64(_mm256_packus_epi32(x, x), 0x08);
	return vi_of_ps(_mm256_cvtph_ps(_mm256_castsi256_si128(x)));
}

static __always_inline VI vh_of_f(VI a)
{
	return _mm256_cvtepu16_epi32(_mm256_cvtps_ph(ps_of(a), _MM_FROUND_CUR_DIRECTION));
}

static __always_inline VI vf_of_pairs(const u32 *p)
{
	return vi_of_ps(_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p)));
}

static __always_inline void pairs_of_vf(u32 *p, VI a)
{
	_mm_storeu_si128((__m128i *)p, _mm256_cvtps_ph(ps_of(a), _MM_FROUND_CUR_DIRECTION));
}
#else
#define HALF_ROWS	0	/* SSE2 has no conversions */

static __always_inline VI vf_of_h(VI a) { return a; }
static __always_inline VI vh_of_f(VI a) { return a; }
static __always_inline VI vf_of_pairs(const u32 *p) { return vi_load(p); }
static __always_inline void pairs_of_vf(u32 *p, VI a) { vi_store(p, a); }
#endif

/* The product is rounded to a half before it is added. */
static __always_inline VI half_mad(VI a, VI b, VI c)
{
	return vf_add(vf_of_h(vh_of_f(vf_mul(a, b))), c);
}

/*
 * One rounding: the exact product plus c, rounded to odd, so that the rounding
 * to a half that follows sees that something was lost. Nearest even only.
 * Source of the error term: Knuth, TwoSum.
 */
static noinline __maybe_unused VI half_fma_odd(VI a, VI b, VI c)
{
	VI p = vf_mul(a, b), s = vf_add(p, c), t = vf_sub(s, p);
	VI err = vf_add(vf_sub(p, vf_sub(s, t)), vf_sub(c, t));
	VM lost = vm_or(fm_lt(err, vi_zero()), fm_lt(vi_zero(), err));
	VM even = vm_eq(vi_and(s, vi_splat(1)), vi_zero());
	VI step = vi_or(vi_srai(vi_xor(s, err), 31), vi_splat(1));	/* 1 or -1 */
	VM addend = vm_and(fm_uno(c, c), vm_not(fm_uno(a, b)));

	s = vi_blend(vm_and(lost, even), s, vi_add(s, step));
	/* a NaN to add wins over that of infinity times zero */
	return vi_blend(addend, s, vf_add(c, c));
}

/*
 * Rounding to a float first is harmless unless the float is a tie between two halves,
 * or becomes a denormal half, whose ties are elsewhere. It is 0 only if the sum is.
 */
static __always_inline VI half_fma(VI a, VI b, VI c)
{
	VI s = vf_fma(a, b, c), abs = vi_andnot(vi_splat(F32_SIGN), s);
	VM odd = vm_eq(vi_and(s, vi_splat(0x1fff)), vi_splat(0x1000));

	odd = vm_or(odd, vm_and(vm_gts(vi_splat(0x38800000), abs), vm_gts(abs, vi_zero())));
	return unlikely(vm_any(odd)) ? half_fma_odd(a, b, c) : s;
}

/* Order of floats as integers, -0 below +0. */
static __always_inline VI half_key(VI a)
{
	return vi_xor(a, vi_and(vi_srai(a, 31), vi_splat(0x7fffffff)));
}

static __always_inline VI half_min(VI a, VI b)
{
	return vi_blend(vm_gts(half_key(b), half_key(a)), b, a);
}

static __always_inline VI half_max(VI a, VI b)
{
	return vi_blend(vm_gts(half_key(a), half_key(b)), b, a);
}

/* The one between the others; that -0 equals +0 matters in f16_med3(), too. */
static __always_inline VI half_med3(VI a, VI b, VI c)
{
	VI top = half_max(half_max(a, b), c), r = half_max(a, b);

	r = vi_blend(fm_eq(top, b), r, half_max(a, c));
	return vi_blend(fm_eq(top, a), r, half_max(b, c));
}

/* The hardware's result is always below 1; rounding alone could give 1. */
static __always_inline VI half_fract(VI a)
{
	return vf_min(vf_const(0x3f7fe000), vf_sub(a, vf_floor(a)));
}

static __always_inline VI half_to_int(VI a, s32 lo, s32 hi)
{
	return vi_mins(vi_maxs(vi_of_f_sat(a), vi_splat((u32)lo)), vi_splat((u32)hi));
}

#define HALF_RNE	1	/* right only when rounding to nearest even */
#define HALF_NO_NAN	2	/* right only without NaNs */

/* Sources of a step, as floats. */
static __always_inline VI half_get(const u32 *p, unsigned int type)
{
	if (type == T_PKF)
		return vf_of_pairs(p);
	if (type == T_F32)
		return vi_load(p);
	if (type == T_U16 || type == T_I16)
		return vf_of_i(type == T_U16 ? vi_u16(vi_load(p)) : vi_i16(vi_load(p)));
	return vf_of_h(vi_load(p));
}

/*
 * All lanes of an operation on halves; @nsrc sources of @type. False, and
 * nothing of worth in @d, if the scalar expression has to do it.
 */
static __always_inline bool
half_rows(u32 *d, const u32 *a, const u32 *b, const u32 *c, struct lane_env *e,
	  lane_vfn fn, unsigned int nsrc, unsigned int type, unsigned int to,
	  unsigned int limits)
{
	const bool packed = type == T_PKF;
	/* Packed: a step takes half as many registers, both halves of each. */
	const unsigned int step = packed ? VW / 2 : VW;
	VM nan = vm_of_bits(0);
	unsigned int k;

	if (!HALF_ROWS || (limits & HALF_RNE && unlikely(e->round)))
		return false;
	for (k = 0; k < ISA_LANES; k += step) {
		VI x = half_get(a + k, type), y = vi_zero(), z = vi_zero(), r;

		if (nsrc > 1)
			y = half_get(b + k, type);
		if (nsrc > 2)
			z = half_get(c + k, type);
		if (limits & HALF_NO_NAN)
			nan = vm_or(nan, vm_or(fm_uno(x, y), fm_uno(z, z)));
		r = fn(x, y, z, e->w);
		if (packed)
			pairs_of_vf(d + k, r);
		else if (to == T_U16 || to == T_I16)
			vi_store(d + k, vi_u16(r));
		else
			vi_store(d + k, to == T_F32 ? r : vh_of_f(r));
	}
	return !(limits & HALF_NO_NAN) || !vm_any(nan);
}

/* The same for compares. */
static __always_inline bool
half_cmp_rows(const u32 *a, const u32 *b, struct lane_env *e, lane_cfn fn)
{
	unsigned int k;

	if (!HALF_ROWS)
		return false;
#pragma GCC unroll 2
	for (k = 0; k < VSTEPS; k++)
		e->cout |= vm_place(fn(vf_of_h(vi_load(a + k * VW)),
				       vf_of_h(vi_load(b + k * VW))), k);
	return true;
}
