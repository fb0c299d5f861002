/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Doubles in vectors: rounding to integral values, and conversions. What is 32 bits
 * lies in the low halves of 64-bit lanes, whose high halves are 0.
 */

#if LANE_WIDTH == 4
/* By the scalar model, one lane after the other */
static noinline VI sse2_round_pd_soft(VI a, u32 rnd)
{
	u64 x[2] __aligned(16);
	bool daz = _mm_getcsr() & 0x40;
	unsigned int k;

	_mm_store_si128((VI *)x, a);
	for (k = 0; k < 2; k++) {
		if (daz && !(x[k] & F64_INF))
			x[k] &= F64_SIGN;
		x[k] = round_f64(x[k], rnd);
	}
	return _mm_load_si128((const VI *)x);
}

/*
 * SSE2 cannot round to integral values, but a sum with 2^52 does, as MXCSR says: of a
 * magnitude below that to the nearest even one, then one on or back. The sign is put
 * back for -0. Other roundings go lane by lane.
 */
static noinline VI sse2_round_pd(VI a, u32 rnd)
{
	VI sign = vq_splat(F64_SIGN), big = vq_splat(0x4330000000000000);
	VI one = vq_splat(0x3ff0000000000000), mag = vi_andnot(sign, a), r, far;

	if (_mm_getcsr() & 0x6000)
		return sse2_round_pd_soft(a, rnd);
	r = vd_sub(vd_add(mag, big), big);
	if (rnd == 3)
		r = vd_sub(r, vi_and(vd_lt(mag, r), one));
	r = vi_or(r, vi_and(sign, a));
	if (rnd == 2)
		r = vd_sub(r, vi_and(vd_lt(a, r), one));
	if (rnd == 1)
		r = vd_add(r, vi_and(vd_lt(r, a), one));
	r = vi_or(vi_andnot(sign, r), vi_and(sign, a));
	/* what is integral or infinite stays, and so does a NaN, made quiet */
	far = vi_not(vd_lt(mag, big));
	return vi_or(vi_andnot(far, r), vi_and(far, vd_add(a, vi_zero())));
}

#define vd_trunc(a)	sse2_round_pd(a, 3)
#define vd_floor(a)	sse2_round_pd(a, 2)
#define vd_ceil(a)	sse2_round_pd(a, 1)
#define vd_rndne(a)	sse2_round_pd(a, 0)
#endif

/* @m ? @t : @f, of 64-bit compares */
static __always_inline VI vq_blend(VI m, VI f, VI t)
{
	return vi_or(vi_and(m, t), vi_andnot(m, f));
}

/* Stays below 1, as the hardware keeps it. */
static __always_inline VI vd_fract(VI a)
{
	VI r = vd_sub(a, vd_floor(a));

	return vq_blend(vd_le(vd_const(0x3ff0000000000000), r), r, vd_const(0x3fefffffffffffff));
}

/* Exact, and +0 in every rounding mode */
static __always_inline VI vd_of_uq(VI a)
{
	VI big = vd_const(0x4330000000000000);	/* 2^52 */

	return vi_andnot(vq_splat(F64_SIGN), vd_sub(vi_or(a, big), big));
}

/*
 * MXCSR has the f32 field of MODE, denormal doubles follow the other; all that matters
 * of one that is kept is that it is not zero.
 */
static __always_inline VI vf_of_d64(VI a, const struct isa_wave *w)
{
	VI sign = vq_splat(F64_SIGN), small = vq_eq(vi_and(a, vq_splat(F64_INF)), vi_zero());

	if (vm_any(vm_of(small))) {
		VI none = vq_eq(vi_andnot(sign, a), vi_zero());

		if (w->mode & 0x40)
			a = vi_or(a, vi_and(vi_andnot(none, small), vq_splat(1ull << 56)));
		else
			a = vi_andnot(vi_andnot(sign, small), a);
	}
	return vf_of_dq(a);
}

/* Truncated and saturated; NaN gives 0. */
static __always_inline VI vi_of_d_sat(VI a)
{
	VI r = vq_blend(vd_le(vd_const(0x41e0000000000000), a), vi_of_dq(a), vq_splat(0x7fffffff));

	return vi_andnot(vd_uno(a, a), r);
}

static __always_inline VI vu_of_d_sat(VI a)
{
	VI half = vd_const(0x41e0000000000000), big = vd_le(half, a);	/* 2^31 */
	VI r = vi_of_dq(vd_sub(a, vi_and(big, half)));

	r = vi_xor(r, vi_and(big, vq_splat(1u << 31)));
	r = vq_blend(vd_le(vd_const(0x41f0000000000000), a), r, vq_splat(~0u));
	return vi_and(vd_lt(vi_zero(), a), r);
}
