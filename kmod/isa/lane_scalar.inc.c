/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bodies of the operations that run one lane at a time. Values are bit
 * patterns; 16-bit ones are zero-extended (signed types sign-extended).
 * Sources: the pseudo-code of AMD's CDNA documents; where the hardware is
 * known to differ the comment says so.
 */

/* ---- helpers of the float bodies ---- */

static __always_inline double d_sqrt(double x)
{
	__m128d v = _mm_set_sd(x);

	return _mm_cvtsd_f64(_mm_sqrt_sd(v, v));
}

/* Denormal inputs of bit-level operations, flushed where MODE says so. */
static __always_inline u32 daz32(const struct lane_env *e, u32 x)
{
	if (!(e->w->mode & 0x10) && !(x & 0x7f800000))
		x &= F32_SIGN;
	return x;
}

static __always_inline u64 daz64(const struct lane_env *e, u64 x)
{
	if (!(e->w->mode & 0x40) && !(x & F64_INF))
		x &= F64_SIGN;
	return x;
}

/*
 * Float to half. Denormal floats follow the f32 field of MODE while MXCSR has
 * the other; all that matters of one that is kept is that it is not zero.
 */
static __always_inline u32 f16_of_f32(const struct lane_env *e, u32 x, u32 rnd)
{
	x = daz32(e, x);
	if (!(x & 0x7f800000) && x & 0x7fffff)
		x |= 0x0d000000;
	return f16_of_d(f_of_bits(x), rnd);
}

/* To an integral double: bits below the point dropped, then one added. */
static u64 round_f64(u64 x, u32 rnd)
{
	int e = (int)(x >> 52 & 0x7ff) - 1023;
	u64 frac, one, half, t;
	bool neg = x >> 63;

	if (e == 1024)
		return f64_nan(x) ? f64_quiet(x) : x;
	if (e >= 52)
		return x;
	if (e < 0) {
		u64 abs = x & ~F64_SIGN;
		int r = !abs ? -2 : e < -1 ? -1 : abs > 0x3fe0000000000000;

		return (x & F64_SIGN) | (soft_up(neg, false, r, rnd) ? 0x3ff0000000000000 : 0);
	}
	one = 1ull << (52 - e);
	half = one >> 1;
	frac = x & (one - 1);
	t = x & ~(one - 1);
	if (soft_up(neg, t & one || (e == 0), soft_rem(frac, half), rnd))
		t += one;	/* may carry into the exponent, which is right */
	return t;
}

static u64 ldexp_f64(u64 a, s32 n, u32 rnd)
{
	u32 csr = _mm_getcsr();

	if (csr & 0x40 && !(a & F64_INF))
		a &= F64_SIGN;
	if (f64_nan(a))
		return f64_quiet(a);
	if (!(a & ~F64_SIGN) || (a & ~F64_SIGN) == F64_INF)
		return a;
	n = (s32)s64_clamp(n, -5000, 5000);
	return f64_fma_soft(a, 0x3ff0000000000000, a & F64_SIGN, n, rnd, csr);
}

static u32 frexp_exp_f32(u32 x)
{
	u32 e = x >> 23 & 255, m = x & 0x7fffff;

	if (e == 255 || !(e | m))
		return 0;
	if (!e)
		return (u32)(-126 - (__builtin_clz(m) - 8) + 1);
	return e - 126;
}

static u32 frexp_mant_f32(u32 x)
{
	u32 e = x >> 23 & 255, m = x & 0x7fffff;

	if (e == 255)
		return m ? f32_quiet(x) : x;
	if (!(e | m))
		return x;
	if (!e)
		m = m << (__builtin_clz(m) - 8) & 0x7fffff;
	return (x & F32_SIGN) | 0x3f000000 | m;
}

static s32 frexp_exp_f64(u64 x)
{
	int e;

	if (!(x & ~F64_SIGN) || (x & F64_INF) == F64_INF)
		return 0;
	soft_norm(x & ~F64_SIGN, &e);
	return e + 53;
}

static u64 frexp_mant_f64(u64 x)
{
	int e;

	if ((x & F64_INF) == F64_INF)
		return f64_nan(x) ? f64_quiet(x) : x;
	if (!(x & ~F64_SIGN))
		return x;
	return (x & F64_SIGN) | 0x3fe0000000000000 |
	       (soft_norm(x & ~F64_SIGN, &e) & ((1ull << 52) - 1));
}

static u32 frexp_exp_f16(u32 h)
{
	return (h & 0x7c00) == 0x7c00 ? 0 : frexp_exp_f32(f32_of_f16(h)) & 0xffff;
}

static u32 frexp_mant_f16(u32 h)
{
	return f16_of_d(f_of_bits(frexp_mant_f32(f32_of_f16(h))), 0);
}

/* Nearest even integer of a small float, whatever MXCSR says */
static s32 i_rndne(double x)
{
	double t = d_of_bits(round_f64(bits_of_d(x), 0));

	return (s32)t;
}

static u32 cvt_snorm(float x)
{
	if (x != x)
		return 0;
	x = x < -1.0f ? -1.0f : x > 1.0f ? 1.0f : x;
	return (u32)i_rndne((double)x * 32767.0) & 0xffff;
}

static u32 cvt_unorm(float x)
{
	if (!(x > 0))
		return 0;
	return (u32)i_rndne((double)(x > 1.0f ? 1.0f : x) * 65535.0);
}

static u32 cvt_pk_u8(u32 a, u32 b, u32 c)
{
	float x = f_of_bits(a);
	u32 v = !(x > 0) ? 0 : x >= 255.0f ? 255 : (u32)(s32)x, shift = 8 * (b & 3);

	return (c & ~(255u << shift)) | v << shift;
}

/* ---- halves ---- */

static __always_inline u32 f16_quiet(u32 x) { return x | 0x200; }

static u32 f16_add(u32 a, u32 b, u32 rnd)
{
	if (f16_nan(a))
		return f16_quiet(a);
	if (f16_nan(b))
		return f16_quiet(b);
	return f16_of_d(d_of_f16(a) + d_of_f16(b), rnd);
}

static u32 f16_sub(u32 a, u32 b, u32 rnd)
{
	return f16_add(a, f16_nan(b) ? b : b ^ 0x8000, rnd);
}

static u32 f16_mul(u32 a, u32 b, u32 rnd)
{
	if (f16_nan(a))
		return f16_quiet(a);
	if (f16_nan(b))
		return f16_quiet(b);
	return f16_of_d(d_of_f16(a) * d_of_f16(b), rnd);
}

static u32 f16_mad(u32 a, u32 b, u32 c, u32 rnd)
{
	return f16_add(f16_mul(a, b, rnd), c, rnd);
}

/* Magnitude of a finite half in units of 2^-24 */
static __always_inline u64 f16_units(u32 h)
{
	u32 e = h >> 10 & 31, m = h & 0x3ff;

	return e ? (u64)(m | 0x400) << (e - 1) : m;
}

/* Exact: in units of 2^-48 every sum of product and half is an integer. */
static u32 f16_fma(u32 a, u32 b, u32 c, u32 rnd)
{
	bool pn = (a ^ b) >> 15 & 1, cn = c >> 15 & 1, an;
	unsigned __int128 p, q;
	int top, cut;
	u64 m;

	if (f16_nan(a))
		return f16_quiet(a);
	if (f16_nan(b))
		return f16_quiet(b);
	if (f16_nan(c))
		return f16_quiet(c);
	if ((a & 0x7c00) == 0x7c00 || (b & 0x7c00) == 0x7c00 || (c & 0x7c00) == 0x7c00)
		return f16_of_d(d_of_f16(a) * d_of_f16(b) + d_of_f16(c), rnd);
	p = (unsigned __int128)f16_units(a) * f16_units(b);
	q = (unsigned __int128)f16_units(c) << 24;
	an = p >= q ? pn : cn;
	if (pn == cn)
		p += q;
	else
		p = p >= q ? p - q : q - p;
	if (!p) {
		if (pn == cn)
			return pn ? 0x8000 : 0;
		return (rnd & 3) == 2 ? 0x8000 : 0;
	}
	m = (u64)(p >> 64);
	top = m ? 127 - __builtin_clzll(m) : 63 - __builtin_clzll((u64)p);
	cut = top > 51 ? top - 51 : 0;
	m = (u64)soft_jam(p, cut);	/* at most 52 bits: exact in double */
	return f16_of_d(d_of_bits((an ? F64_SIGN : 0) | bits_of_d((double)(s64)m)) *
			d_of_bits((u64)(1023 - 48 + cut) << 52), rnd);
}

static u32 f16_minmax_nan(u32 a, u32 b, const struct lane_env *e)
{
	if (e->w->mode >> 9 & 1) {
		if (f16_snan(a))
			return f16_quiet(a);
		if (f16_snan(b))
			return f16_quiet(b);
	}
	return f16_nan(a) ? b : a;
}

/* Order of halves as integers: negative ones below, -0 below +0 */
static __always_inline s32 f16_key(u32 h)
{
	s32 x = (s16)h;

	return x < 0 ? x ^ 0x7fff : x;
}

static u32 f16_min(u32 a, u32 b, const struct lane_env *e)
{
	if (f16_nan(a) || f16_nan(b))
		return f16_minmax_nan(a, b, e);
	return f16_key(a) < f16_key(b) ? a : b;
}

static u32 f16_max(u32 a, u32 b, const struct lane_env *e)
{
	if (f16_nan(a) || f16_nan(b))
		return f16_minmax_nan(a, b, e);
	return f16_key(a) > f16_key(b) ? a : b;
}

/* The minimum of IEEE 754-2019: -0 is below 0, and NaNs win. */
static u32 f16_minimum3(u32 a, u32 b, u32 c)
{
	if (f16_nan(a) || f16_nan(b) || f16_nan(c))
		return f16_quiet(f16_nan(a) ? a : f16_nan(b) ? b : c);
	a = f16_key(a) < f16_key(b) ? a : b;
	return f16_key(a) < f16_key(c) ? a : c;
}

static __always_inline s32 f32_key(u32 x)
{
	return (s32)x < 0 ? (s32)(x ^ 0x7fffffff) : (s32)x;
}

static u32 f32_minimum3(const struct lane_env *e, u32 a, u32 b, u32 c)
{
	if (f32_nan(a) || f32_nan(b) || f32_nan(c))
		return (f32_nan(a) ? a : f32_nan(b) ? b : c) | 0x400000;
	a = daz32(e, a);
	b = daz32(e, b);
	c = daz32(e, c);
	a = f32_key(a) < f32_key(b) ? a : b;
	return f32_key(a) < f32_key(c) ? a : c;
}

static u32 f16_med3(u32 a, u32 b, u32 c, const struct lane_env *e)
{
	s32 m;

	if (f16_nan(a) || f16_nan(b) || f16_nan(c))
		return f16_min(f16_min(a, b, e), c, e);
	m = f16_key(f16_max(f16_max(a, b, e), c, e));
	/* equal by value: +0 and -0 are */
	if (m == f16_key(a) || !((a | (u32)m) & 0x7fff))
		return f16_max(b, c, e);
	if (m == f16_key(b) || !((b | (u32)m) & 0x7fff))
		return f16_max(a, c, e);
	return f16_max(a, b, e);
}

static u32 f16_integral(u32 a, u32 rnd)
{
	return f16_of_d(d_of_bits(round_f64(bits_of_d(d_of_f16(a)), rnd)), 0);
}

static u32 f16_fract(u32 a, u32 rnd)
{
	double x = d_of_f16(a), f;
	u32 r;

	if (f16_nan(a))
		return f16_quiet(a);
	f = x - d_of_bits(round_f64(bits_of_d(x), 2));
	r = f16_of_d(f, rnd);
	return r == 0x3c00 ? 0x3bff : r;
}

static u32 f16_ldexp(u32 a, s32 n, u32 rnd)
{
	n = s32_max(-100, s32_min(n, 100));
	return f16_of_d(d_of_f16(a) * d_of_bits((u64)(1023 + n) << 52), rnd);
}

static u32 f16_to_int(u32 a, s32 lo, s32 hi)
{
	double x = d_of_f16(a);

	if (x != x)
		return 0;
	return (u32)(x <= lo ? lo : x >= hi ? hi : (s32)x) & 0xffff;
}

static u32 f16_mix(u32 a, u32 b, u32 c, bool fused, u32 rnd)
{
	double x = f_of_bits(a), y = f_of_bits(b), z = f_of_bits(c);

	if (f32_nan(a))
		return f16_of_d(f_of_bits(f32_quiet(a)), rnd);
	if (f32_nan(b))
		return f16_of_d(f_of_bits(f32_quiet(b)), rnd);
	if (!fused && x * y != x * y)	/* inf * 0, before a NaN that is added */
		return f16_of_d(x * y, rnd);
	if (f32_nan(c))
		return f16_of_d(f_of_bits(f32_quiet(c)), rnd);
	if (!fused)
		return f16_of_d((float)((float)(x * y) + z), rnd);
	return f16_of_d(f_of_bits(f32_fma_scaled(a, b, c, 0)), rnd);
}

/* Compilers swap operands of + and *, and of two NaNs the first counts. */
static u32 f32_add_in_order(u32 a, u32 b)
{
	if (f32_nan(a))
		return f32_quiet(a);
	return f32_nan(b) ? f32_quiet(b) : bits_of_f(f_of_bits(a) + f_of_bits(b));
}

static u32 f32_mul_in_order(u32 a, u32 b)
{
	if (f32_nan(a))
		return f32_quiet(a);
	return f32_nan(b) ? f32_quiet(b) : bits_of_f(f_of_bits(a) * f_of_bits(b));
}

/* Two products added one after the other, each sum rounded to float. */
static u32 dot2_f32(u32 a, u32 b, u32 c)
{
	u32 p = f32_mul_in_order(f32_of_f16(low_u16(a)), f32_of_f16(low_u16(b)));
	u32 q = f32_mul_in_order(f32_of_f16(high_u16(a)), f32_of_f16(high_u16(b)));

	return f32_add_in_order(q, f32_add_in_order(p, c));
}

/* The same of upper halves of floats, whose products may be rounded, too. */
static u32 dot2_bf16(u32 a, u32 b, u32 c)
{
	u32 p = f32_mul_in_order(a << 16, b << 16);
	u32 q = f32_mul_in_order(a & 0xffff0000, b & 0xffff0000);

	return f32_add_in_order(q, f32_add_in_order(p, c));
}

/* Of gfx950: products are added before the third source (V_DOT2_F32_BF16 of the CDNA4 ISA). */
static u32 dot2_bf16_then(u32 a, u32 b, u32 c)
{
	u32 p = f32_mul_in_order(a << 16, b << 16);
	u32 q = f32_mul_in_order(a & 0xffff0000, b & 0xffff0000);

	return f32_add_in_order(f32_add_in_order(p, q), c);
}

/* ---- functions of halves, in double ---- */

static double d_exp2(double x)
{
	double n, p;
	int k;
	static const u64 c[7] = {
		0x3feffffffff4e9c0, 0x3fe62e430d0407ee, 0x3fcebfbe10d5686d,
		0x3fac6aecc5a75f49, 0x3f83b29968b3809b, 0x3f55f48c56523152,
		0x3f244989b22dfcb4,
	};

	if (x != x)
		return x;
	x = x > 100 ? 100 : x < -100 ? -100 : x;
	n = d_of_bits(round_f64(bits_of_d(x), 0));
	x -= n;
	p = d_of_bits(c[6]);
	for (k = 5; k >= 0; k--)
		p = p * x + d_of_bits(c[k]);
	return p * d_of_bits((u64)(1023 + (s32)n) << 52);
}

static double d_log2(double x)
{
	static const u64 c[5] = {
		0x40071547652bede4, 0x3feec709d12e0de7, 0x3fe27777fdaefd26,
		0x3fda58d8f7d8e6ed, 0x3fd5ce7d2465eb88,
	};
	u64 b = bits_of_d(x);
	double m, s, z, p;
	s64 e;
	int k;

	if (x != x || x == d_of_bits(F64_INF))
		return x;
	if (x == 0)
		return d_of_bits(F64_INF | F64_SIGN);
	if (x < 0)
		return d_of_bits(F64_NAN);
	e = (s64)((b + (0x3ff0000000000000 - 0x3fe6a09e667f3bcd)) >> 52) - 1023;
	m = d_of_bits(b - ((u64)e << 52));
	s = (m - 1.0) / (m + 1.0);
	z = s * s;
	p = d_of_bits(c[4]);
	for (k = 3; k >= 0; k--)
		p = p * z + d_of_bits(c[k]);
	return (double)e + s * p;
}

static double d_sin_quarter(double t)
{
	static const u64 c[6] = {
		0x401921fb5441e4ab, 0xc044abbce4f1a156, 0x405466bbfc246322,
		0xc0532d111ffe934c, 0x404500ff7ae56830, 0xc02cc34536c527e7,
	};
	double z = t * t, p = d_of_bits(c[5]);
	int k;

	for (k = 4; k >= 0; k--)
		p = p * z + d_of_bits(c[k]);
	return p * t;
}

static double d_sin(double x)
{
	double r, q;

	if (x != x)
		return x;
	if (x > 256 || x < -256)
		return x - x;		/* 0, NaN for infinity */
	r = x - d_of_bits(round_f64(bits_of_d(x), 0));
	q = r < 0 ? -r : r;
	q = d_sin_quarter(0.5 - q < q ? 0.5 - q : q);
	if (q == 0)		/* see vf_sin_zeros() */
		return x == 0 ? x : 0;
	return bits_of_d(r) >> 63 ? -q : q;
}

static double d_cos(double x)
{
	double r;

	if (x != x)
		return x;
	if (x > 256 || x < -256)
		return x - x == 0 ? 1.0 : d_of_bits(F64_NAN);
	r = x - d_of_bits(round_f64(bits_of_d(x), 0));
	return d_sin_quarter(0.25 - (r < 0 ? -r : r));
}

/* ---- cube map ---- */

static __always_inline int cube_face(u32 x, u32 y, u32 z)
{
	float ax = f_of_bits(x & ~F32_SIGN), ay = f_of_bits(y & ~F32_SIGN);
	float az = f_of_bits(z & ~F32_SIGN);

	if (az >= ax && az >= ay)
		return 2;
	return ay >= ax;
}

static u32 cube_id(u32 x, u32 y, u32 z)
{
	u32 v[3] = { x, y, z };
	int f = cube_face(x, y, z);

	return bits_of_f((float)(2 * f + (f_of_bits(v[f]) < 0.0f)));
}

static u32 cube_sc(u32 x, u32 y, u32 z)
{
	switch (cube_face(x, y, z)) {
	case 2:
		return f_of_bits(z) < 0.0f ? x ^ F32_SIGN : x;
	case 1:
		return x;
	}
	return f_of_bits(x) < 0.0f ? z : z ^ F32_SIGN;
}

static u32 cube_tc(u32 x, u32 y, u32 z)
{
	if (cube_face(x, y, z) == 1)
		return f_of_bits(y) < 0.0f ? z ^ F32_SIGN : z;
	return y ^ F32_SIGN;
}

static u32 cube_ma(u32 x, u32 y, u32 z)
{
	u32 v[3] = { x, y, z };

	return bits_of_f(f_of_bits(v[cube_face(x, y, z)]) * 2.0f);
}

/* ---- classes: the bit of v_cmp_class that an input answers to ---- */

static __always_inline u32 class_bit(bool nan, bool quiet, bool inf, bool zero,
				     bool denorm, bool neg)
{
	if (nan)
		return quiet ? 2 : 1;
	if (inf)
		return neg ? 4 : 0x200;
	if (zero)
		return neg ? 0x20 : 0x40;
	if (denorm)
		return neg ? 0x10 : 0x80;
	return neg ? 8 : 0x100;
}

static u32 class_f32(u32 x)
{
	u32 a = x & ~F32_SIGN;

	return class_bit(f32_nan(x), x >> 22 & 1, a == 0x7f800000, !a, a < 0x800000, x >> 31);
}

static u32 class_f64(u64 x)
{
	u64 a = x & ~F64_SIGN;

	return class_bit(f64_nan(x), x >> 51 & 1, a == F64_INF, !a, a < 1ull << 52, x >> 63);
}

static u32 class_f16(u32 x)
{
	u32 a = x & 0x7fff;

	return class_bit(f16_nan(x), x >> 9 & 1, a == 0x7c00, !a, a < 0x400, x >> 15 & 1);
}
