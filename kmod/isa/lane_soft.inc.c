/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Float arithmetic on bit patterns, one lane at a time: what x86 has no
 * instruction for in every variant (halves, double fma), with the rounding
 * mode as an argument: 0 nearest even, 1 up, 2 down, 3 to zero.
 */

#define F32_SIGN	(1u << 31)
#define F64_SIGN	(1ull << 63)
#define F64_INF		0x7ff0000000000000ull
#define F64_NAN		0xfff8000000000000ull	/* x86's default NaN */

static __always_inline float f_of_bits(u32 x)
{
	union { u32 u; float f; } v = { .u = x };

	return v.f;
}

static __always_inline u32 bits_of_f(float x)
{
	union { float f; u32 u; } v = { .f = x };

	return v.u;
}

static __always_inline double d_of_bits(u64 x)
{
	union { u64 u; double f; } v = { .u = x };

	return v.f;
}

static __always_inline u64 bits_of_d(double x)
{
	union { double f; u64 u; } v = { .f = x };

	return v.u;
}

static __always_inline bool f32_nan(u32 x) { return (x & ~F32_SIGN) > 0x7f800000; }
static __always_inline bool f64_nan(u64 x) { return (x & ~F64_SIGN) > F64_INF; }
static __always_inline bool f16_nan(u32 x) { return (x & 0x7fff) > 0x7c00; }
static __always_inline bool f32_snan(u32 x) { return f32_nan(x) && !(x & 0x400000); }
static __always_inline bool f64_snan(u64 x) { return f64_nan(x) && !(x >> 51 & 1); }
static __always_inline bool f16_snan(u32 x) { return f16_nan(x) && !(x & 0x200); }
static __always_inline u32 f32_quiet(u32 x) { return x | 0x400000; }
static __always_inline u64 f64_quiet(u64 x) { return x | 1ull << 51; }

/* Does a magnitude with remainder @rem of a @half step go one up? */
static __always_inline bool soft_up(bool neg, bool odd, int rem, u32 rnd)
{
	switch (rnd & 3) {
	case 0:
		return rem > 0 || (rem == 0 && odd);
	case 1:
		return !neg && rem > -2;
	case 2:
		return neg && rem > -2;
	}
	return false;
}

/* -2: exact, -1: below half, 0: half, 1: above half */
static __always_inline int soft_rem(u64 rem, u64 half)
{
	if (!rem)
		return -2;
	return rem < half ? -1 : rem > half;
}

/* Half to float; signalling NaNs are quieted. */
static __always_inline u32 f32_of_f16(u32 h)
{
	u32 sign = (h & 0x8000) << 16, m = h & 0x7fff;

	if (m >= 0x7c00)
		return sign | 0x7f800000 | (m & 0x3ff) << 13 | (m > 0x7c00 ? 0x400000 : 0);
	if (m >= 0x400)
		return sign | ((m << 13) + (112u << 23));
	/* denormal: m * 2^-24, exact */
	return sign | bits_of_f((float)(s32)m * 0x1p-24f);
}

static __always_inline float f_of_f16(u32 h) { return f_of_bits(f32_of_f16(h)); }

static __always_inline double d_of_f16(u32 h)
{
	return (double)f_of_f16(h);
}

static __maybe_unused u32 f16_of_d(double v, u32 rnd)
{
	u64 x = bits_of_d(v), sig = x & ((1ull << 52) - 1), q, rem;
	int e = (int)(x >> 52 & 0x7ff), shift, r;
	bool neg = x >> 63;
	u32 sign = neg ? 0x8000 : 0;

	if (e == 0x7ff)
		return sign | 0x7c00 | (sig ? 0x200 | (u32)(sig >> 42) : 0);
	if (e - 1023 > 15)	/* overflow: infinity or the largest */
		return sign | (soft_up(neg, true, 1, rnd) ? 0x7c00 : 0x7bff);
	if (e)
		sig |= 1ull << 52;
	e -= 1023;
	shift = e >= -14 ? 42 : 42 + (-14 - e);
	if (shift > 60) {
		q = 0;
		r = sig ? -1 : -2;
	} else {
		q = sig >> shift;
		rem = sig & ((1ull << shift) - 1);
		r = soft_rem(rem, 1ull << (shift - 1));
	}
	if (soft_up(neg, q & 1, r, rnd))
		q++;
	return sign | ((e >= -14 ? (u32)(e + 14) << 10 : 0) + (u32)q);
}

/* A double made of sign, 128-bit magnitude and exponent: m * 2^e, rounded. */
static u64 f64_round_pack(bool neg, unsigned __int128 m, int e, u32 rnd, bool ftz)
{
	u64 sign = neg ? F64_SIGN : 0, hi = (u64)(m >> 64), q;
	int top = hi ? 127 - __builtin_clzll(hi) : 63 - __builtin_clzll((u64)m);
	int shift = top - 52, exp = e + top, r = -2;

	if (exp > 1023)
		return sign | (soft_up(neg, true, 1, rnd) ? F64_INF : F64_INF - 1);
	if (exp < -1022) {
		if (ftz) {	/* tiny unless rounding to 53 bits lifts it */
			if (exp < -1023)
				return sign;
			shift = top - 52;
		} else {
			shift += -1022 - exp;
		}
	}
	if (shift > 126) {
		q = 0;
		r = -1;
	} else if (shift > 0) {
		unsigned __int128 rem = m & (((unsigned __int128)1 << shift) - 1);
		unsigned __int128 half = (unsigned __int128)1 << (shift - 1);

		q = (u64)(m >> shift);
		r = !rem ? -2 : rem < half ? -1 : rem > half;
	} else {
		q = (u64)(m << -shift);
	}
	if (soft_up(neg, q & 1, r, rnd))
		q++;
	if (exp < -1022 && ftz)
		return q >> 53 ? sign | 1ull << 52 : sign;
	if (exp < -1022)
		return sign | q;
	q += (u64)(exp + 1022) << 52;
	if (q >= F64_INF)
		q = F64_INF;
	return sign | q;
}

static __always_inline unsigned __int128 soft_jam(unsigned __int128 m, int n)
{
	if (n > 126)
		return m != 0;
	return m >> n | ((m & (((unsigned __int128)1 << n) - 1)) != 0);
}

/* Mantissa with its leading one at bit 52, and exponent of bit 0. */
static __always_inline u64 soft_norm(u64 x, int *e)
{
	u64 m = x & ((1ull << 52) - 1);
	int n;

	*e = (int)(x >> 52 & 0x7ff);
	if (*e) {
		*e -= 1075;
		return m | 1ull << 52;
	}
	n = __builtin_clzll(m) - 11;
	*e = -1074 - n;
	return m << n;
}

/*
 * (a * b + c) * 2^scale, rounded once. @mxcsr gives DAZ and FTZ; NaNs as x86's
 * fma has them: a's, b's, c's, in this order.
 */
static noinline __maybe_unused u64 f64_fma_soft(u64 a, u64 b, u64 c, int scale, u32 rnd, u32 mxcsr)
{
	unsigned __int128 p, q;
	bool pn, cn, daz = mxcsr & 0x40;
	int ea, eb, ec, ep;
	u64 abs_a, abs_b, abs_c;

	if (f64_nan(a))
		return f64_quiet(a);
	if (f64_nan(b))
		return f64_quiet(b);
	if (f64_nan(c))
		return f64_quiet(c);
	pn = (a ^ b) >> 63;
	cn = c >> 63;
	abs_a = a & ~F64_SIGN;
	abs_b = b & ~F64_SIGN;
	abs_c = c & ~F64_SIGN;
	if (daz) {
		abs_a = abs_a >> 52 ? abs_a : 0;
		abs_b = abs_b >> 52 ? abs_b : 0;
		abs_c = abs_c >> 52 ? abs_c : 0;
	}
	if (abs_a == F64_INF || abs_b == F64_INF) {
		if (!abs_a || !abs_b || (abs_c == F64_INF && pn != cn))
			return F64_NAN;
		return (pn ? F64_SIGN : 0) | F64_INF;
	}
	if (abs_c == F64_INF)
		return c;
	if (!abs_a || !abs_b) {
		if (!abs_c && pn != cn)
			return (rnd & 3) == 2 ? F64_SIGN : 0;
		if (!abs_c)
			return cn ? F64_SIGN : 0;
		p = soft_norm(abs_c, &ep);
		return f64_round_pack(cn, p, ep + scale, rnd, mxcsr & 0x8000);
	}
	p = (unsigned __int128)soft_norm(abs_a, &ea) * soft_norm(abs_b, &eb);
	ep = ea + eb;
	if (!abs_c)
		return f64_round_pack(pn, p, ep + scale, rnd, mxcsr & 0x8000);
	p <<= 19;
	ep -= 19;
	q = (unsigned __int128)soft_norm(abs_c, &ec) << 72;
	ec -= 72;
	if (ep > ec) {
		q = soft_jam(q, ep - ec);
		ec = ep;
	} else {
		p = soft_jam(p, ec - ep);
	}
	if (pn == cn)
		p += q;
	else if (p == q)
		return (rnd & 3) == 2 ? F64_SIGN : 0;
	else if (p > q)
		p -= q;
	else {
		p = q - p;
		pn = cn;
	}
	return f64_round_pack(pn, p, ec + scale, rnd, mxcsr & 0x8000);
}

/* MODE's rounding of an MXCSR value */
static __always_inline u32 lane_round_of(u32 mxcsr)
{
	static const u8 rnd[4] = { 0, 2, 1, 3 };

	return rnd[mxcsr >> 13 & 3];
}

#if LANE_WIDTH == 4
/* What two lanes of the soft fma cost: see ISA_COST_TURN. */
#define SSE2_FMA_COST	2

static noinline VI sse2_fma_pd_soft(VI a, VI b, VI c, const struct isa_wave *w)
{
	u64 x[2] __aligned(16), y[2] __aligned(16), z[2] __aligned(16);
	u32 csr = _mm_getcsr();
	unsigned int k;

	_mm_store_si128((VI *)x, a);
	_mm_store_si128((VI *)y, b);
	_mm_store_si128((VI *)z, c);
	for (k = 0; k < 2; k++)
		x[k] = f64_fma_soft(x[k], y[k], z[k], 0, lane_round_of(csr), csr);
	w->cu->cost += SSE2_FMA_COST;
	return _mm_load_si128((const VI *)x);
}

/* What the sum @s of @a and @b lost; exact. Source: Knuth, TwoSum. */
static __always_inline VI sse2_lost(VI a, VI b, VI s)
{
	VI t = vd_sub(s, a);

	return vd_add(vd_sub(a, vd_sub(s, t)), vd_sub(b, t));
}

/* The upper half of a mantissa. Source: Dekker. */
static __always_inline VI sse2_upper(VI a)
{
	VI t = vd_mul(a, vq_splat(0x41a0000002000000));		/* 2^27 + 1 */

	return vd_sub(t, vd_sub(t, a));
}

/*
 * Sign bits: where @a is neither 0 nor of an exponent from 1023 - @down to 1022 + @up.
 * A denormal counts as 0 where MXCSR makes one of it.
 */
static __always_inline VI sse2_far(VI a, u32 down, u32 up)
{
	VI x = vi_sub(vi_and(a, vi_splat(0x7fffffff)), vi_splat((1023 - down) << 20));
	VI out = vi_or(x, vi_sub(vi_splat(((down + up) << 20) - 1), x));

	return vi_andnot(vd_eq(a, vi_zero()), out);
}

/*
 * a * b + c, rounded once, in nearest even and where nothing comes near the ends of the
 * range; what else there is goes one lane after the other. The product and its error
 * are exact, and so are two sums with theirs; the errors are added rounding to odd.
 * Source: Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums: proved
 * algorithms using rounding to odd".
 */
static noinline VI sse2_fma_pd(VI a, VI b, VI c, const struct isa_wave *w, u32 round)
{
	VI far = vi_or(vi_or(sse2_far(a, 400, 400), sse2_far(b, 400, 400)),
		       sse2_far(c, 850, 850));
	VI au, al, bu, bl, p, e, t, v, z, lost, one = vq_splat(1), step;

	if (unlikely(_mm_movemask_pd(pd_of(far)) || round))
		return sse2_fma_pd_soft(a, b, c, w);
	au = sse2_upper(a);
	al = vd_sub(a, au);
	bu = sse2_upper(b);
	bl = vd_sub(b, bu);
	p = vd_mul(a, b);
	e = vd_add(vd_add(vd_sub(vd_mul(au, bu), p), vd_mul(au, bl)), vd_mul(al, bu));
	e = vd_add(e, vd_mul(al, bl));
	t = vd_add(c, e);
	v = vd_add(p, t);
	lost = sse2_lost(p, t, v);
	e = sse2_lost(c, e, t);
	z = vd_add(e, lost);
	lost = sse2_lost(e, lost, z);
	/* an even sum moves by one to the side of what it lost */
	step = _mm_shuffle_epi32(_mm_srai_epi32(vi_xor(lost, z), 31), 0xf5);
	step = vi_and(vi_or(step, one), vq_sub(vi_and(z, one), one));
	z = vq_add(z, vi_andnot(vd_eq(lost, vi_zero()), step));
	z = vd_add(v, z);
	/* of a zero, the sum of the product and @c, which is exact then, has the sign */
	e = vd_eq(z, vi_zero());
	return vi_or(vi_andnot(e, z), vi_and(e, vd_add(p, c)));
}

/* SSE2 wants to know what it is computed for, and MXCSR's rounding, 0: nearest even. */
#define vd_fma_of(a, b, c, w, round)	sse2_fma_pd(a, b, c, w, round)
#else
#define vd_fma_of(a, b, c, w, round)	((void)(w), vd_fma(a, b, c))
#endif

/*
 * (a * b + c) * 2^scale with one rounding, in double with a sum rounded to
 * odd; directed modes round twice in the same direction.
 */
static noinline __maybe_unused u32 f32_fma_scaled(u32 a, u32 b, u32 c, int scale)
{
	u32 csr = _mm_getcsr(), rnd = lane_round_of(csr);
	double x, y, z, p, s, t, err, k = d_of_bits((u64)(1023 + scale) << 52);

	if (f32_nan(a))
		return f32_quiet(a);
	if (f32_nan(b))
		return f32_quiet(b);
	if (f32_nan(c))
		return f32_quiet(c);
	x = f_of_bits(a);
	y = f_of_bits(b);
	z = f_of_bits(c);
	p = x * y;
	s = p + z;
	if (rnd == 0 && s - s == 0) {
		t = s - p;
		err = (p - (s - t)) + (z - t);
		if (err != 0 && !(bits_of_d(s) & 1))
			s = d_of_bits(bits_of_d(s) + ((err > 0) == (s > 0) ? 1 : -1ull));
	}
	return bits_of_f((float)(s * k));
}
