/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Vector bodies of the float operations: minimum and maximum with GFX9's NaN
 * rules, conversions, and the functions that the hardware approximates. Those
 * are computed in double from minimax polynomials (errors in the comments) and
 * rounded to float once: at most 0.54 ulp, the same bits in every variant.
 */

#define vf_const(x)	vi_splat(x)		/* float constant by its bits */
#define vd_const(x)	vq_splat(x)		/* double constant by its bits */

/* ---- minimum, maximum ---- */

/* Not inlined, as it is rarely needed and each handler would have it many times. */
static noinline VI vf_minmax_nan(VI a, VI b, VI r, const struct isa_wave *w)
{
	VM an = fm_uno(a, a), bn = fm_uno(b, b);
	VI q = vi_splat(0x400000);

	r = vi_blend(bn, r, a);
	r = vi_blend(an, r, b);
	if (w->mode >> 9 & 1) {		/* IEEE: signalling NaNs win, quieted */
		VM as = vm_and(an, vm_eq(vi_and(a, q), vi_zero()));
		VM bs = vm_and(bn, vm_eq(vi_and(b, q), vi_zero()));

		r = vi_blend(bs, r, vi_or(b, q));
		r = vi_blend(as, r, vi_or(a, q));
	}
	return r;
}

/* x86 returns the second operand for zeros: both orders, bits merged. */
static __always_inline VI vf_min_gfx(VI a, VI b, const struct isa_wave *w)
{
	VI r = vi_or(vf_min(a, b), vf_min(b, a));

	if (unlikely(vm_any(fm_uno(a, b))))
		r = vf_minmax_nan(a, b, r, w);
	return r;
}

/* Of lanes without NaNs; in the others it is anything. */
static __always_inline VI vf_max_numbers(VI a, VI b)
{
	return vi_and(vf_max(a, b), vf_max(b, a));
}

static __always_inline VI vf_max_gfx(VI a, VI b, const struct isa_wave *w)
{
	VI r = vf_max_numbers(a, b);

	if (unlikely(vm_any(fm_uno(a, b))))
		r = vf_minmax_nan(a, b, r, w);
	return r;
}

static __always_inline VI vf_med3_gfx(VI a, VI b, VI c, const struct isa_wave *w)
{
	VM nan = vm_or(fm_uno(a, b), fm_uno(c, c));
	VI r = vf_max_numbers(a, b), mx = vf_max_numbers(r, c);

	r = vi_blend(fm_eq(mx, b), r, vf_max_numbers(a, c));
	r = vi_blend(fm_eq(mx, a), r, vf_max_numbers(b, c));
	if (unlikely(vm_any(nan)))
		r = vi_blend(nan, r, vf_min_gfx(vf_min_gfx(a, b, w), c, w));
	return r;
}

static noinline VI vd_minmax_nan(VI a, VI b, VI r, const struct isa_wave *w)
{
	VI an = vd_uno(a, a), bn = vd_uno(b, b), q = vq_splat(1ull << 51);

	r = vi_or(vi_and(bn, a), vi_andnot(bn, r));
	r = vi_or(vi_and(an, b), vi_andnot(an, r));
	if (w->mode >> 9 & 1) {
		VI as = vi_and(an, vq_eq(vi_and(a, q), vi_zero()));
		VI bs = vi_and(bn, vq_eq(vi_and(b, q), vi_zero()));

		r = vi_or(vi_and(bs, vi_or(b, q)), vi_andnot(bs, r));
		r = vi_or(vi_and(as, vi_or(a, q)), vi_andnot(as, r));
	}
	return r;
}

static __always_inline VI vd_min_gfx(VI a, VI b, const struct isa_wave *w)
{
	VI r = vi_or(vd_min(a, b), vd_min(b, a));

	if (unlikely(vm_any(vm_of(vd_uno(a, b)))))
		r = vd_minmax_nan(a, b, r, w);
	return r;
}

static __always_inline VI vd_max_gfx(VI a, VI b, const struct isa_wave *w)
{
	VI r = vi_and(vd_max(a, b), vd_max(b, a));

	if (unlikely(vm_any(vm_of(vd_uno(a, b)))))
		r = vd_minmax_nan(a, b, r, w);
	return r;
}

/* ---- conversions ---- */

/* Saturated to 16 bits, the first in the lower half */
static __always_inline VI vi_pk_u16(VI a, VI b)
{
	VI most = vi_splat(0xffff);

	return vi_or(vi_minu(a, most), vi_slli(vi_minu(b, most), 16));
}

static __always_inline VI vi_pk_i16(VI a, VI b)
{
	VI most = vi_splat(0x7fff), least = vi_splat(0xffff8000);

	a = vi_maxs(vi_mins(a, most), least);
	b = vi_maxs(vi_mins(b, most), least);
	return vi_or(vi_and(a, vi_splat(0xffff)), vi_slli(b, 16));
}

/* Truncates, saturates, NaN gives 0. */
static __always_inline VI vi_of_f_sat(VI a)
{
	VI r = vi_of_f(a);

	r = vi_blend(fm_le(vf_const(0x4f000000), a), r, vi_splat(0x7fffffff));
	return vi_blend(fm_uno(a, a), r, vi_zero());
}

static __always_inline VI vu_of_f_sat(VI a)
{
	VM big = fm_le(vf_const(0x4f000000), a);
	VI r = vi_of_f(vi_blend(big, a, vf_sub(a, vf_const(0x4f000000))));

	r = vi_blend(big, r, vi_xor(r, vi_splat(1u << 31)));
	r = vi_blend(fm_le(vf_const(0x4f800000), a), r, vi_splat(~0u));
	return vi_blend(fm_lt(vi_zero(), a), vi_zero(), r);
}

static __always_inline VI vf_fract(VI a)
{
	VI r = vf_sub(a, vf_floor(a)), top = vf_const(0x3f7fffff);

	return vi_blend(fm_lt(top, r), r, top);
}

/* ---- reciprocals and roots ---- */

/*
 * Denormals become zeros of their sign. The unit that approximates floats knows none, whatever
 * MODE says ("denormals are flushed": AMD's ISA texts, of V_RCP_F32, V_RSQ_F32, V_SQRT_F32,
 * V_EXP_F32 and V_LOG_F32, each; LLVM scales what might be one, as in lowerFSQRTF32()). Sines
 * and cosines, halves and doubles keep theirs. Done here, on bits: MXCSR is slow to change.
 */
static __always_inline VI vf_flush(VI a)
{
	VM tiny = vm_eq(vi_and(a, vi_splat(0x7f800000)), vi_zero());

	if (LANE_WIDTH == 16)
		return vi_blend(tiny, a, vi_and(a, vi_splat(F32_SIGN)));
	/* without masks to blend by, all but the sign of such a lane is taken away */
	return vi_andnot(vi_srli(vm_vec(tiny), 1), a);
}

static __always_inline VI vf_rcp(VI a)
{
	return vf_div(vf_const(0x3f800000), a);
}

/*
 * Of denormals it is infinite; above 2^126 it is denormal. Where masks cost little, the division
 * does not wait for what is known of its operand.
 */
static __always_inline VI vf_rcp_flush(VI a)
{
	VI sign = vi_and(a, vi_splat(F32_SIGN)), abs = vi_xor(a, sign), r = vf_rcp(a);

	if (LANE_WIDTH != 16)
		return vf_flush(vf_rcp(vf_flush(a)));
	r = vi_blend(vm_gts(vi_splat(0x00800000), abs), r, vi_or(sign, vf_const(0x7f800000)));
	return vi_blend(fm_lt(vf_const(0x7e800000), abs), r, sign);
}

/* No root is denormal. */
static __always_inline VI vf_sqrt_flush(VI a)
{
	VI sign = vi_and(a, vi_splat(F32_SIGN)), abs = vi_xor(a, sign);

	if (LANE_WIDTH != 16)
		return vf_sqrt(vf_flush(a));
	return vi_blend(vm_gts(vi_splat(0x00800000), abs), vf_sqrt(a), sign);
}

/* One Newton step for 1/sqrt: y * (1.5 - h * y * y), h = x / 2. */
static __always_inline VI vd_rsq_step(VI h, VI y)
{
	VI t = vd_mul(vd_mul(h, y), y);

	return vd_mul(y, vd_sub(vd_const(0x3ff8000000000000), t));
}

/*
 * Integer seed (3.5e-2), two steps in float (4.7e-6), one in double (3.3e-11).
 * The seed wants a normal, positive, finite input.
 */
static __always_inline VI vf_rsq_normal(VI a)
{
	VI h = vf_mul(a, vf_const(0x3f000000)), c = vf_const(0x3fc00000);
	VI y = vi_sub(vi_splat(0x5f375a86), vi_srli(a, 1));
	VI hd = vd_const(0x3fe0000000000000);

	y = vf_mul(y, vf_sub(c, vf_mul(vf_mul(h, y), y)));
	y = vf_mul(y, vf_sub(c, vf_mul(vf_mul(h, y), y)));
	return vf_of_d(vd_rsq_step(vd_mul(vd_of_f0(a), hd), vd_of_f0(y)),
		       vd_rsq_step(vd_mul(vd_of_f1(a), hd), vd_of_f1(y)));
}

/*
 * Half of the operand must be normal, or it is lost in modes that flush, and takes long in others:
 * of tiny ones 2^32 x gives 2^-16 of the result.
 */
static noinline VI vf_rsq_odd(VI a)
{
	const VI inf = vf_const(0x7f800000), scale = vf_const(0x4f800000);
	VM small;
	VI t, z;

	a = vf_flush(a);
	small = fm_lt(a, vf_const(0x01000000));
	t = vi_blend(small, a, vf_mul(a, scale));
	z = vf_rsq_normal(vi_blend(fm_lt(vi_zero(), a), vf_const(0x3f800000), t));
	z = vi_blend(small, z, vf_mul(z, vf_const(0x47800000)));
	z = vi_blend(fm_eq(a, vi_zero()), z, vi_or(vi_and(a, vi_splat(F32_SIGN)), inf));
	z = vi_blend(fm_eq(a, inf), z, vi_zero());
	z = vi_blend(fm_lt(a, vi_zero()), z, vi_splat(0xffc00000));
	return vi_blend(fm_uno(a, a), z, vf_add(a, a));
}

static __always_inline VI vf_rsq_flush(VI a)
{
	VM ok = vm_and(fm_le(vf_const(0x01000000), a), fm_lt(a, vf_const(0x7f800000)));

	if (unlikely(vm_bits(ok) != (1u << VW) - 1))
		return vf_rsq_odd(a);
	return vf_rsq_normal(a);
}

/* ---- exponential and logarithm, base 2 ---- */

/* 2^f for |f| <= 1/2, relative error 2^-29; times 2^n. */
static __always_inline VI vd_exp2(VI f, VI n)
{
	static const u64 c[7] = {
		0x3feffffffff4e9c0, 0x3fe62e430d0407ee, 0x3fcebfbe10d5686d,
		0x3fac6aecc5a75f49, 0x3f83b29968b3809b, 0x3f55f48c56523152,
		0x3f244989b22dfcb4,
	};
	VI p = vd_const(c[6]);
	int k;

#pragma GCC unroll 6
	for (k = 5; k >= 0; k--)
		p = vd_add(vd_mul(p, f), vd_const(c[k]));
	/* n + 2^52 + 1023 has the exponent field of 2^n in its low bits */
	n = vd_add(n, vd_const(0x43300000000003ff));
	return vd_mul(p, vq_slli(n, 52));
}

/* Of -200 to 200: beyond these the result is 0 or infinity. A NaN passes. */
static __always_inline VI vf_exp2_within(VI x)
{
	VI n = vf_rndne(x), f = vf_sub(x, n);

	return vf_of_d(vd_exp2(vd_of_f0(f), vd_of_f0(n)),
		       vd_exp2(vd_of_f1(f), vd_of_f1(n)));
}

static __always_inline VI vf_exp2(VI a)
{
	return vf_exp2_within(vf_max(vf_const(0xc3480000), vf_min(vf_const(0x43480000), a)));
}

/* A denormal operand gives 1, as 0 does; below -126 the power is denormal, or anything. */
static __always_inline VI vf_exp2_flush(VI a)
{
	VM tiny = fm_lt(a, vf_const(0xc2fc0000));
	VI r = vf_exp2_within(vf_min(vf_const(0x43480000), a));

	return LANE_WIDTH == 16 ? vi_blend(tiny, r, vi_zero()) : vi_andnot(vm_vec(tiny), r);
}

/*
 * log2 of a positive finite double: x = 2^e m, m in [sqrt(1/2), sqrt(2));
 * log2 m = s P(s^2), s = (m - 1) / (m + 1), relative error 2^-37.
 */
static __always_inline VI vd_log2(VI x)
{
	static const u64 c[5] = {
		0x40071547652bede4, 0x3feec709d12e0de7, 0x3fe27777fdaefd26,
		0x3fda58d8f7d8e6ed, 0x3fd5ce7d2465eb88,
	};
	VI one = vd_const(0x3ff0000000000000), k, m, e, s, z, p;
	int n;

	k = vq_srli(vq_add(x, vd_const(0x3ff0000000000000 - 0x3fe6a09e667f3bcd)), 52);
	m = vq_add(vq_sub(x, vq_slli(k, 52)), one);
	e = vd_sub(vi_or(k, vd_const(0x4330000000000000)), vd_const(0x43300000000003ff));
	s = vd_div(vd_sub(m, one), vd_add(m, one));
	z = vd_mul(s, s);
	p = vd_const(c[4]);
#pragma GCC unroll 4
	for (n = 3; n >= 0; n--)
		p = vd_add(vd_mul(p, z), vd_const(c[n]));
	return vd_add(e, vd_mul(s, p));
}

/* No half is a denormal float, and no logarithm is one. */
static __always_inline VI vf_log2_flush(VI a)
{
	VI inf = vf_const(0x7f800000), r;
	VM ok = vm_and(fm_le(vf_const(0x00800000), a), fm_lt(a, inf));

	r = vf_of_d(vd_log2(vd_of_f0(a)), vd_log2(vd_of_f1(a)));
	if (likely(vm_bits(ok) == (1u << VW) - 1))
		return r;
	a = vf_flush(a);
	r = vi_blend(fm_eq(a, vi_zero()), r, vf_const(0xff800000));
	r = vi_blend(fm_eq(a, inf), r, inf);
	r = vi_blend(fm_lt(a, vi_zero()), r, vi_splat(0xffc00000));
	return vi_blend(fm_uno(a, a), r, vf_add(a, a));
}

/* ---- sine and cosine of revolutions ---- */

/* sin(2 pi t) for |t| <= 1/4, relative error 2^-35 */
static __always_inline VI vd_sin_quarter(VI t)
{
	static const u64 c[6] = {
		0x401921fb5441e4ab, 0xc044abbce4f1a156, 0x405466bbfc246322,
		0xc0532d111ffe934c, 0x404500ff7ae56830, 0xc02cc34536c527e7,
	};
	VI z = vd_mul(t, t), p = vd_const(c[5]);
	int k;

#pragma GCC unroll 5
	for (k = 4; k >= 0; k--)
		p = vd_add(vd_mul(p, z), vd_const(c[k]));
	return vd_mul(p, t);
}

/*
 * r = a - n, exact in double (in float a tiny one could be flushed);
 * |r| <= 1/2 has the sine of min(|r|, 1/2 - |r|), with r's sign.
 */
static __always_inline VI vd_sin_half(VI a, VI n)
{
	VI sign = vd_const(F64_SIGN), r = vd_sub(a, n), q = vi_andnot(sign, r);

	q = vd_sin_quarter(vd_min(vd_sub(vd_const(0x3fe0000000000000), q), q));
	return vi_xor(q, vi_and(sign, r));
}

static __always_inline VI vd_cos_half(VI a, VI n)
{
	VI q = vi_andnot(vd_const(F64_SIGN), vd_sub(a, n));

	return vd_sin_quarter(vd_sub(vd_const(0x3fd0000000000000), q));
}

/* Outside of 256 revolutions: sin 0, cos 1; infinity gives NaN. */
static __always_inline VI vf_trig_edge(VI a, VI r, u32 far)
{
	VI abs = vi_andnot(vi_splat(F32_SIGN), a);
	VM in = fm_le(abs, vf_const(0x43800000));

	if (likely(vm_bits(in) == (1u << VW) - 1))
		return r;
	r = vi_blend(in, vi_splat(far), r);
	r = vi_blend(fm_eq(abs, vf_const(0x7f800000)), r, vi_splat(0xffc00000));
	return vi_blend(fm_uno(a, a), r, vf_add(a, a));
}

/*
 * The sine of -0 is -0 (AMD's ISA texts, V_SIN_F32), and no other zero has a sign, as others have
 * measured on a gfx1200.
 */
static __always_inline VI vf_sin_zeros(VI a, VI r)
{
	VM zero = vm_eq(vi_add(r, r), vi_zero());

	if (likely(!vm_bits(zero)))
		return r;
	return vi_blend(zero, r, vi_blend(fm_eq(a, vi_zero()), vi_zero(),
					  vi_and(a, vi_splat(F32_SIGN))));
}

static __always_inline VI vf_sin(VI a)
{
	VI n = vf_rndne(a);

	n = vf_of_d(vd_sin_half(vd_of_f0(a), vd_of_f0(n)),
		    vd_sin_half(vd_of_f1(a), vd_of_f1(n)));
	return vf_trig_edge(a, vf_sin_zeros(a, n), 0);
}

static __always_inline VI vf_cos(VI a)
{
	VI n = vf_rndne(a);

	n = vf_of_d(vd_cos_half(vd_of_f0(a), vd_of_f0(n)),
		    vd_cos_half(vd_of_f1(a), vd_of_f1(n)));
	return vf_trig_edge(a, n, 0x3f800000);
}

/* ---- integers ---- */

static __always_inline VI vi_mulhi_u(VI a, VI b)
{
	VI e = vq_srli(vq_mulu(a, b), 32);
	VI o = vq_mulu(vq_srli(a, 32), vq_srli(b, 32));

	return vi_or(e, vi_and(o, vq_splat(0xffffffff00000000)));
}

static __always_inline VI vi_mulhi_s(VI a, VI b)
{
	VI r = vi_mulhi_u(a, b);

	r = vi_sub(r, vi_and(vi_srai(a, 31), b));
	return vi_sub(r, vi_and(vi_srai(b, 31), a));
}

static __always_inline VI vi_u24(VI a) { return vi_and(a, vi_splat(0xffffff)); }
static __always_inline VI vi_i24(VI a) { return vi_srai(vi_slli(a, 8), 8); }
static __always_inline VI vi_cnt(VI a) { return vi_and(a, vi_splat(31)); }

/* Ones below bit n, n < 32 */
static __always_inline VI vi_ones(VI n)
{
	return vi_sub(vi_sllv(vi_splat(1), n), vi_splat(1));
}

static __always_inline VI vi_bfe_i(VI a, VI off, VI width)
{
	VI n = vi_cnt(width), v = vi_and(vi_srav(a, vi_cnt(off)), vi_ones(n));
	VI sign = vi_srli(vi_sllv(vi_splat(1), n), 1);

	return vi_sub(vi_xor(v, sign), sign);
}

/* Bits 31:0 of a:b >> n, n < 32 */
static __always_inline VI vi_align(VI a, VI b, VI n)
{
	VI up = vi_slli(a, 1);

	/* 32 - n in two steps, because a shift by 32 is not allowed */
	return vi_or(vi_srlv(b, n), vi_sllv(up, vi_sub(vi_splat(31), n)));
}

static __always_inline VI vi_med3_s(VI a, VI b, VI c)
{
	return vi_maxs(vi_mins(a, b), vi_mins(vi_maxs(a, b), c));
}

static __always_inline VI vi_med3_u(VI a, VI b, VI c)
{
	return vi_maxu(vi_minu(a, b), vi_minu(vi_maxu(a, b), c));
}

/* 16-bit integers in the low halves of lanes, made 32-bit ones; two in a lane */
static __always_inline VI vi_u16(VI a) { return vi_and(a, vi_splat(0xffff)); }
static __always_inline VI vi_i16(VI a) { return vi_srai(vi_slli(a, 16), 16); }
static __always_inline VI vi_pk16(VI lo, VI hi) { return vi_or(vi_u16(lo), vi_slli(hi, 16)); }

/* The place of the only bit, or of the highest one of at least two zeros below it */
static __always_inline VI vi_bit_place(VI a)
{
	return vi_sub(vi_and(vi_srli(vf_of_i(a), 23), vi_splat(255)), vi_splat(127));
}

/*
 * Without the bit below the first one no rounding makes a float of twice the size.
 * A first bit that is the sign is looked at apart.
 */
static __always_inline VI vi_ffbh_u(VI a)
{
	VI r = vi_sub(vi_splat(31), vi_bit_place(vi_andnot(vi_srli(a, 1), a)));

	return vi_blend(vm_eq(a, vi_zero()), vi_andnot(vi_srai(a, 31), r), vi_splat(~0u));
}

static __always_inline VI vi_ffbh_i(VI a)
{
	return vi_ffbh_u(vi_xor(a, vi_srai(a, 31)));
}

static __always_inline VI vi_ffbl(VI a)
{
	VI r = vi_bit_place(vi_and(a, vi_sub(vi_zero(), a)));

	return vi_blend(vm_eq(a, vi_zero()), r, vi_splat(~0u));
}

static __always_inline VI vi_bitrev(VI a)
{
	a = vi_or(vi_and(vi_srli(a, 1), vi_splat(0x55555555)),
		  vi_slli(vi_and(a, vi_splat(0x55555555)), 1));
	a = vi_or(vi_and(vi_srli(a, 2), vi_splat(0x33333333)),
		  vi_slli(vi_and(a, vi_splat(0x33333333)), 2));
	a = vi_or(vi_and(vi_srli(a, 4), vi_splat(0x0f0f0f0f)),
		  vi_slli(vi_and(a, vi_splat(0x0f0f0f0f)), 4));
	a = vi_or(vi_and(vi_srli(a, 8), vi_splat(0x00ff00ff)),
		  vi_slli(vi_and(a, vi_splat(0x00ff00ff)), 8));
	return vi_or(vi_srli(a, 16), vi_slli(a, 16));
}

static __always_inline VI vi_popcnt(VI a)
{
	a = vi_sub(a, vi_and(vi_srli(a, 1), vi_splat(0x55555555)));
	a = vi_add(vi_and(a, vi_splat(0x33333333)),
		   vi_and(vi_srli(a, 2), vi_splat(0x33333333)));
	a = vi_and(vi_add(a, vi_srli(a, 4)), vi_splat(0x0f0f0f0f));
	a = vi_add(a, vi_slli(a, 8));
	return vi_srli(vi_add(a, vi_slli(a, 16)), 24);
}

/* 64-bit counts use the low six bits. */
static __always_inline VI vq_cnt(VI a) { return vi_and(a, vq_splat(63)); }

/* ---- the rest of the float bodies ---- */

/* DX9's rule: zero times anything is zero. */
static __always_inline VI vf_mul_legacy(VI a, VI b)
{
	VM z = vm_or(fm_eq(a, vi_zero()), fm_eq(b, vi_zero()));

	return vi_blend(z, vf_mul(a, b), vi_zero());
}

/*
 * Products of lighting, by the same rule: the most negative float if @b is that or less, if @c is
 * not above 0, or if either is a NaN (RDNA3 ISA, V_MULLIT_F32).
 */
static __always_inline VI vf_mullit(VI a, VI b, VI c)
{
	const VI lowest = vi_splat(0xff7fffff);
	VM ok = vm_and(fm_lt(lowest, b), fm_lt(vi_zero(), c));

	return vi_blend(ok, lowest, vf_mul_legacy(a, b));
}

/* In double, so that the result rounds once; n is clamped to what matters. */
static __always_inline VI vf_ldexp(VI a, VI n)
{
	VI bias = vd_const(0x43300000000003ff), f;

	f = vf_of_i(vi_maxs(vi_mins(n, vi_splat(300)), vi_splat((u32)-300)));
	return vf_of_d(vd_mul(vd_of_f0(a), vq_slli(vd_add(vd_of_f0(f), bias), 52)),
		       vd_mul(vd_of_f1(a), vq_slli(vd_add(vd_of_f1(f), bias), 52)));
}
