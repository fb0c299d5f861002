// SPDX-License-Identifier: MIT
/*
 * Reference model of the operations on halves, one lane: through __float128, which holds
 * their products and sums exactly, and one rounding of its own.
 */
#include "ref_float.h"

#pragma GCC optimize("no-fast-math", "rounding-math")

static __float128 of16(u32 h)
{
	int e = h >> 10 & 31;
	__float128 m = e ? 1024 + (h & 1023) : h & 1023;

	/* One product, as those of __float128 are slow; a power of two is exact as a double, too. */
	m *= ldexp(1, e ? e - 25 : -24);
	if ((h & 0x7c00) == 0x7c00)
		m = h & 1023 ? (__float128)NAN : (__float128)INFINITY;
	return h & 0x8000 ? -m : m;
}

/* The half next to @v in the direction of @mode, by search over all of them. */
static u32 to16(__float128 v, u32 mode, bool minus0)
{
	bool neg = v < 0 || (v == 0 && minus0);
	__float128 a = v < 0 ? -v : v, lo, hi;
	u32 l = 0, h = 0x7c00, r;

	if (v != v)
		return 0xfe00;
	while (h - l > 1) {
		u32 m = (l + h) / 2;

		if (of16(m) <= a)
			l = m;
		else
			h = m;
	}
	lo = of16(l);
	hi = l == 0x7bff ? (__float128)65536 : of16(h);
	if (a == (__float128)INFINITY || a == lo)
		r = a == lo ? l : 0x7c00;
	else if ((mode & 3) == 0)
		r = a - lo < hi - a ? l : a - lo > hi - a ? h : l & 1 ? h : l;
	else if ((mode & 3) == 3)
		r = l;
	else
		r = ((mode & 3) == 1) != neg ? h : l;
	return r | (neg ? 0x8000 : 0);
}

static u32 harith(const struct ref_in *in, enum kind k, u32 a, u32 b, u32 c)
{
	u32 v[3] = { a & 0xffff, b & 0xffff, c & 0xffff }, mode = in->mode >> 2, r;
	__float128 x, y, z, s;
	bool down = (mode & 3) == 2, m0 = false;
	int n;

	for (n = 0; n < 3; n++) {
		if (nan16(v[n]))
			return v[n] | 0x200;
		v[n] = in16(in, v[n]);
	}
	x = of16(v[0]);
	y = of16(v[1]);
	z = of16(v[2]);
	if (k == SUB) {
		y = -y;
		v[1] ^= 0x8000;
	}
	if (k == MUL) {
		s = x * y;
		m0 = (v[0] ^ v[1]) >> 15;
	} else if (k == FMA) {
		bool pn = (v[0] ^ v[1]) >> 15, cn = v[2] >> 15;

		s = x * y + z;
		m0 = pn == cn ? pn : down;
	} else {
		s = x + y;
		m0 = v[0] >> 15 == v[1] >> 15 ? v[0] >> 15 : down;
	}
	r = to16(s, mode, m0);
	return out16(in, r);
}

static u32 hmad(const struct ref_in *in)
{
	struct ref_in keep = { .mode = in->mode | 0xc0 };
	u32 a = in16(in, A32), b = in16(in, B32), c = in16(in, C32);

	return out16(in, harith(&keep, ADD, harith(&keep, MUL, a, b, 0), c, 0));
}

static u32 hminmax(const struct ref_in *in, u32 a, u32 b, bool max)
{
	bool ieee = in->mode >> 9 & 1;

	if (ieee && nan16(a) && !(a & 0x200))
		return a | 0x200;
	if (ieee && nan16(b) && !(b & 0x200))
		return b | 0x200;
	if (nan16(a))
		return b;
	if (nan16(b))
		return a;
	if (!((a | b) & 0x7fff))
		return max ? a & b : a | b;
	return (of16(a) < of16(b)) != max ? a : b;
}

/* NaNs aside: a double function, rounded as MODE says */
static u32 happrox(const struct ref_in *in, struct ref_out *o, double (*f)(double))
{
	u32 a = in16(in, A32);
	double r;

	if (nan16(a))
		return a | 0x200;
	o->ulp = true;
	r = f((double)of16(a == 0x8000 ? 0 : a) * (a == 0x8000 ? -1 : 1));
	if (a == 0x8000)
		r = f(-0.0);
	return out16(in, to16(r, in->mode >> 2, signbit(r)));
}

static double rcp(double x) { return 1 / x; }

static u32 hexact(const struct ref_in *in, double (*f)(double))
{
	struct ref_out o;

	return happrox(in, &o, f);
}

/* Below 1, whatever rounding makes of it */
static u32 hfract(const struct ref_in *in)
{
	u32 a = in16(in, A32), r;
	double x = (double)of16(a);

	if (nan16(a))
		return a | 0x200;
	x -= floor(x);
	r = to16(x, in->mode >> 2, x == 0 && (in->mode >> 2 & 3) == 2);
	return out16(in, r == 0x3c00 ? 0x3bff : r);
}

#define H2(f, ...)	(f(in, __VA_ARGS__))
#define A16	in16(in, A32)
#define B16	in16(in, B32)
#define C16	in16(in, C32)
REF(V_ADD_F16, harith(in, ADD, A32, B32, 0))
REF(V_SUB_F16, harith(in, SUB, A32, B32, 0))
REF(V_SUBREV_F16, harith(in, SUB, B32, A32, 0))
REF(V_MUL_F16, harith(in, MUL, A32, B32, 0))
REF(V_FMA_F16, harith(in, FMA, A32, B32, C32))
REF(V_FMA_LEGACY_F16, harith(in, FMA, A32, B32, C32))
REF(V_MAC_F16, hmad(in))
REF(V_MADMK_F16, hmad(in))
REF(V_MADAK_F16, hmad(in))
REF(V_MAD_F16, hmad(in))
REF(V_MAD_LEGACY_F16, hmad(in))
REF(V_MIN_F16, out16(in, hminmax(in, A16, B16, false)))
REF(V_MAX_F16, out16(in, hminmax(in, A16, B16, true)))
REF(V_MIN3_F16, out16(in, hminmax(in, hminmax(in, A16, B16, false), C16, false)))
REF(V_MAX3_F16, out16(in, hminmax(in, hminmax(in, A16, B16, true), C16, true)))
REF(V_RCP_F16, hexact(in, rcp))
REF(V_SQRT_F16, hexact(in, sqrt))
REF(V_RSQ_F16, hexact(in, rsq))
REF(V_EXP_F16, happrox(in, o, exp2))
REF(V_LOG_F16, happrox(in, o, log2))
REF(V_SIN_F16, happrox(in, o, sin_turns))
REF(V_COS_F16, happrox(in, o, cos_turns))
REF(V_TRUNC_F16, hexact(in, trunc))
REF(V_CEIL_F16, hexact(in, ceil))
REF(V_FLOOR_F16, hexact(in, floor))
REF(V_RNDNE_F16, hexact(in, rint))
REF(V_FRACT_F16, hfract(in))
REF(V_CVT_F16_U16, out16(in, to16(A32 & 0xffff, in->mode >> 2, false)))
REF(V_CVT_F16_I16, out16(in, to16((s16)A32, in->mode >> 2, false)))
REF(V_CVT_U16_F16, to_int(nan16(A16) ? NAN : (double)of16(A16), 0, 65535))
REF(V_CVT_I16_F16, to_int(nan16(A16) ? NAN : (double)of16(A16), -32768, 32767) & 0xffff)
REF(V_CVT_NORM_I16_F16, norm((double)of16(A16), -1, 32767))
REF(V_CVT_NORM_U16_F16, norm((double)of16(A16), 0, 65535))
REF(V_CVT_PKNORM_I16_F16, norm((double)of16(A16), -1, 32767) |
		norm((double)of16(B16), -1, 32767) << 16)
REF(V_CVT_PKNORM_U16_F16, norm((double)of16(A16), 0, 65535) |
		norm((double)of16(B16), 0, 65535) << 16)
REF(V_CVT_F16_F32, nan32(A32) ? (A32 >> 16 & 0x8000) | 0x7e00 | (A32 >> 13 & 0x3ff) :
		   out16(in, to16(asf(in32(in, A32)), in->mode >> 2, A32 >> 31)))
REF(V_CVT_F32_F16, nan16(A32 & 0xffff) ?
		   (A32 & 0x8000) << 16 | 0x7fc00000 | (A32 & 0x3ff) << 13 :
		   fbits((float)of16(A32 & 0xffff)) | (A32 & 0x8000) << 16)

/* bf16 is the upper half of a float */
REF(V_CVT_F32_BF16, (A32 & 0xffff) << 16)

static u32 half_rtz(u32 a)
{
	return nan32(a) ? (a >> 16 & 0x8000) | 0x7e00 | (a >> 13 & 0x3ff) : to16(asf(a), 3,
		a >> 31);
}
REF(V_CVT_PKRTZ_F16_F32, half_rtz(in32(in, A32)) | half_rtz(in32(in, B32)) << 16)

static u32 hpair(const struct ref_in *in, enum kind k)
{
	return harith(in, k, A32, B32, k == FMA ? C32 : 0) |
	       harith(in, k, A32 >> 16, B32 >> 16, k == FMA ? C32 >> 16 : 0) << 16;
}

static u32 hpair_minmax(const struct ref_in *in, bool max)
{
	return out16(in, hminmax(in, in16(in, A32), in16(in, B32), max)) |
	       out16(in, hminmax(in, in16(in, A32 >> 16), in16(in, B32 >> 16), max)) << 16;
}

REF(V_PK_ADD_F16, hpair(in, ADD))
REF(V_PK_MUL_F16, hpair(in, MUL))
REF(V_PK_FMA_F16, hpair(in, FMA))
REF(V_PK_FMAC_F16, hpair(in, FMA))
REF(V_PK_MIN_F16, hpair_minmax(in, false))
REF(V_PK_MAX_F16, hpair_minmax(in, true))
REFX(V_FREXP_MANT_F16, {
	u32 a = A16;
	int e;

	o->d = nan16(a) ? a | 0x200 : (a & 0x7fff) == 0x7c00 ? a :
	       out16(in, to16(frexp((double)of16(a), &e), 0, a >> 15));
})
REFX(V_FREXP_EXP_I16_F16, {
	double x = (double)of16(A16);
	int e = 0;

	if (isfinite(x))
		frexp(x, &e);
	o->d = (u16)e;
})
REFX(V_LDEXP_F16, {
	u32 a = A16;
	int n = (s16)B32 < -99 ? -99 : (s16)B32 > 99 ? 99 : (s16)B32;

	o->d = nan16(a) ? a | 0x200 :
	       out16(in, to16(ldexp((double)of16(a), n), in->mode >> 2, a >> 15));
})

static u32 hmed3(const struct ref_in *in, u32 a, u32 b, u32 c)
{
	u32 m;

	if (nan16(a) || nan16(b) || nan16(c))
		return hminmax(in, hminmax(in, a, b, false), c, false);
	m = hminmax(in, hminmax(in, a, b, true), c, true);
	if (of16(m) == of16(a))
		return hminmax(in, b, c, true);
	if (of16(m) == of16(b))
		return hminmax(in, a, c, true);
	return hminmax(in, a, b, true);
}
REF(V_MED3_F16, out16(in, hmed3(in, A16, B16, C16)))

/* Sources are floats by then: fma, or product and sum, then to half. */
static u32 hmix(const struct ref_in *in, bool fused)
{
	struct ref_in f = { .mode = (in->mode & ~0x33u) | (in->mode >> 2 & 0x33) };
	u32 r = fused ? arith(&f, FMA, A32, B32, C32, f.mode) :
			arith(&f, ADD, arith(&f, MUL, A32, B32, 0, f.mode), C32, 0, f.mode);

	if (nan32(r))
		return (r >> 16 & 0x8000) | 0x7e00 | (r >> 13 & 0x3ff);
	return out16(in, to16(asf(r), in->mode >> 2, r >> 31));
}
REF(V_FMA_MIXLO_F16, hmix(in, true))
REF(V_FMA_MIXHI_F16, hmix(in, true))
REF(V_MAD_MIXLO_F16, hmix(in, false))
REF(V_MAD_MIXHI_F16, hmix(in, false))

static u32 hfloat(u32 h)
{
	return nan16(h) ? (h & 0x8000) << 16 | 0x7fc00000 | (h & 0x3ff) << 13 :
	       fbits((float)of16(h)) | (h & 0x8000) << 16;
}

/* On gfx942, which the lanes are bound for, without denormals. */
static u32 hdot(const struct ref_in *in)
{
	struct ref_in f = { .mode = in->mode & ~0xf3u };
	u32 p = arith(&f, MUL, hfloat(in16(&f, A32)), hfloat(in16(&f, B32)), 0, f.mode), s;

	s = arith(&f, ADD, p, C32, 0, f.mode);
	p = arith(&f, MUL, hfloat(in16(&f, A32 >> 16)), hfloat(in16(&f, B32 >> 16)), 0, f.mode);
	return arith(&f, ADD, p, s, 0, f.mode);
}
REF(V_DOT2_F32_F16, hdot(in))
REF(V_DOT2C_F32_F16, hdot(in))

#define HX	(double)of16(in16(in, A32))
#define HY	(double)of16(in16(in, B32))
CMP_REF(F16, HX, HY)
static int classify16(u32 a)
{
	a &= 0x7fff;
	return a > 0x7c00 ? FP_NAN : a == 0x7c00 ? FP_INFINITE : !a ? FP_ZERO :
	       a < 0x400 ? FP_SUBNORMAL : FP_NORMAL;
}
REFC(CLASS_F16, class_mask(classify16(A32), A32 >> 15 & 1, A32 >> 9 & 1) & B32)
