// SPDX-License-Identifier: MIT
/*
 * Reference model of the float operations, one lane: the C library's correctly
 * rounded functions under fesetround(), NaN and denormal rules written out.
 * Doubles are computed in binary64 too; halves are in ref_half.c.
 */
#include "ref_float.h"

#pragma GCC optimize("no-fast-math", "rounding-math")

/* ---- single precision ---- */


/*
 * A result that is flushed if it is too small: rounding to the smallest normal
 * number does not save one that is below it with 24 bits and more exponents.
 * Only products and quotients can be rounded there.
 */
static bool rounds_to_tiny(enum kind k, float x, float y, float z)
{
	volatile float big = 0x1p64f, r;
	bool first = fabsf(x) <= fabsf(y) || k == DIV;

	if (k == ADD || k == SUB || k == SQRT)
		return false;
	x = first ? x * big : x;
	y = first ? y : y * big;
	r = k == MUL ? x * y : k == DIV ? x / y : fmaf(x, y, z * big);
	return fabsf(r) < 0x1p-62f;
}

u32 arith(const struct ref_in *in, enum kind k, u32 a, u32 b, u32 c, u32 mode)
{
	volatile float x, y, z, r = 0;
	struct ref_in f = { .mode = mode };
	int n;
	u32 v[3] = { a, b, c };

	for (n = 0; n < 3; n++)
		if (nan32(v[n]))
			return v[n] | 0x400000;
	(void)in;
	x = asf(in32(&f, a));
	y = asf(in32(&f, b));
	z = asf(in32(&f, c));
	fesetround(round_of(mode));
	switch (k) {
	case ADD: r = x + y; break;
	case SUB: r = x - y; break;
	case MUL: r = x * y; break;
	case DIV: r = x / y; break;
	case SQRT: r = sqrtf(x); break;
	case FMA: r = fmaf(x, y, z); break;
	}
	if (!(mode & 0x20) && fabsf(r) == 0x1p-126f && rounds_to_tiny(k, x, y, z))
		r = r < 0 ? -0.0f : 0.0f;
	fesetround(FE_TONEAREST);
	if (isnan(r))
		return 0xffc00000;
	return out32(&f, fbits(r));
}

#define AR(k, a, b, c)	arith(in, k, a, b, c, in->mode)
#define FLUSHED		(in->mode & ~0x30u)	/* v_mad, v_mac and what approximates flush always */

static u32 mad(const struct ref_in *in, u32 a, u32 b, u32 c)
{
	u32 p = arith(in, MUL, a, b, 0, FLUSHED);

	return arith(in, ADD, p, c, 0, FLUSHED);
}

static u32 legacy(const struct ref_in *in, u32 a, u32 b, u32 mode)
{
	struct ref_in f = { .mode = mode };

	if (!(in32(&f, a) & 0x7fffffff) || !(in32(&f, b) & 0x7fffffff))
		return 0;
	return arith(in, MUL, a, b, 0, mode);
}

/* The ISA's text of v_min and v_max, by sign-magnitude order. */
static s64 order32(u32 x) { return x >> 31 ? -(s64)(x & 0x7fffffff) : (s64)x; }

static u32 minmax(const struct ref_in *in, u32 a, u32 b, bool max)
{
	bool ieee = in->mode >> 9 & 1;

	if (ieee && nan32(a) && !(a & 0x400000))
		return a | 0x400000;
	if (ieee && nan32(b) && !(b & 0x400000))
		return b | 0x400000;
	if (nan32(a))
		return b;
	if (nan32(b))
		return a;
	a = in32(in, a);
	b = in32(in, b);
	if (!((a | b) & 0x7fffffff))		/* zeros: -0 below +0 */
		return max ? a & b : a | b;
	return (order32(a) < order32(b)) != max ? a : b;
}

static u32 med3(const struct ref_in *in, u32 a, u32 b, u32 c)
{
	u32 m;

	if (nan32(a) || nan32(b) || nan32(c))
		return minmax(in, minmax(in, a, b, false), c, false);
	m = minmax(in, minmax(in, a, b, true), c, true);
	if (asf(m) == asf(in32(in, a)))
		return minmax(in, b, c, true);
	if (asf(m) == asf(in32(in, b)))
		return minmax(in, a, c, true);
	return minmax(in, a, b, true);
}

static u32 integral(const struct ref_in *in, u32 a, float (*f)(float))
{
	if (nan32(a))
		return a | 0x400000;
	return fbits(f(asf(in32(in, a))));
}

static u32 fract(const struct ref_in *in, u32 a)
{
	u32 r;

	if (nan32(a))
		return a | 0x400000;
	a = in32(in, a);
	r = arith(in, SUB, a, fbits(floorf(asf(a))), 0, in->mode);
	return !nan32(r) && asf(r) > 0x1.fffffep-1f ? 0x3f7fffff : r;
}

static u32 approx(const struct ref_in *in, struct ref_out *o, double (*f)(double))
{
	u32 a = A32;
	float r;

	o->ulp = true;
	if (nan32(a))
		return a | 0x400000;
	r = (float)f(asf(in32(in, a)));
	return isnan(r) ? 0xffc00000 : out32(in, fbits(r));
}

/* The same of a unit that has no denormals */
static u32 approx_flush(const struct ref_in *in, struct ref_out *o, double (*f)(double))
{
	struct ref_in flushed = *in;

	flushed.mode = FLUSHED;
	return approx(&flushed, o, f);
}

double rsq(double x) { return x == 0 ? 1 / x : 1 / sqrt(x); }

double sin_turns(double x)
{
	double r = x - rint(x);

	if (isinf(x))
		return NAN;
	if (fabs(x) > 256)
		return 0;
	/* exact zeros, of which that of -0 has a sign, and full values at the quarters */
	if (fabs(r) == 0.5 || r == 0)
		return x == 0 ? x : 0;
	return r > 0.25 ? sin(2 * M_PI * (0.5 - r)) :
	       r < -0.25 ? -sin(2 * M_PI * (0.5 + r)) : sin(2 * M_PI * r);
}

double cos_turns(double x)
{
	if (isinf(x))
		return NAN;
	if (fabs(x) > 256)
		return 1;
	x = fabs(x - rint(x));
	return x == 0.25 ? 0 : sin(2 * M_PI * (0.25 - x));
}

static u32 scale32(const struct ref_in *in, u32 a, s32 n)
{
	volatile double x;
	volatile float r;

	if (nan32(a))
		return a | 0x400000;
	x = ldexp(asf(in32(in, a)), n < -400 ? -400 : n > 400 ? 400 : n);
	fesetround(round_of(in->mode));
	r = (float)x;
	fesetround(FE_TONEAREST);
	return out32(in, fbits(r));
}

u32 to_int(double x, double lo, double hi)
{
	if (isnan(x))
		return 0;
	x = trunc(x);
	return (u32)(s64)(x < lo ? lo : x > hi ? hi : x);
}

static u32 rounded(const struct ref_in *in, double v, u32 mode)
{
	volatile double x = v;
	volatile float r;

	(void)in;
	fesetround(round_of(mode));
	r = (float)x;
	fesetround(FE_TONEAREST);
	return fbits(r);
}

u32 norm(double x, double lo, double scale)
{
	if (isnan(x))
		return 0;
	return (u32)(s32)rint((x < lo ? lo : x > 1 ? 1 : x) * scale) & 0xffff;
}

static u32 face(const struct ref_in *in, u32 *major)
{
	float x = fabsf(asf(in32(in, A32))), y = fabsf(asf(in32(in, B32)));
	float z = fabsf(asf(in32(in, C32)));

	if (z >= x && z >= y) {
		*major = C32;
		return 2;
	}
	*major = y >= x ? B32 : A32;
	return y >= x;
}

static u32 cube(const struct ref_in *in, char what)
{
	u32 m, f = face(in, &m);
	bool neg = asf(in32(in, m)) < 0;

	switch (what) {
	case 'i':
		return fbits(2 * f + neg);
	case 'm':
		return AR(MUL, m, 0x40000000, 0x3f800000);
	case 's':
		if (f == 1)
			return A32;
		return f == 2 ? A32 ^ (u32)neg << 31 : C32 ^ (u32)!neg << 31;
	}
	return f == 1 ? C32 ^ (u32)neg << 31 : B32 ^ 0x80000000;
}

REF(V_ADD_F32, AR(ADD, A32, B32, 0))
REF(V_SUB_F32, AR(SUB, A32, B32, 0))
REF(V_SUBREV_F32, AR(SUB, B32, A32, 0))
REF(V_MUL_F32, AR(MUL, A32, B32, 0))
REF(V_FMA_F32, AR(FMA, A32, B32, C32))
REF(V_FMAC_F32, AR(FMA, A32, B32, C32))
REF(V_FMAMK_F32, AR(FMA, A32, B32, C32))
REF(V_FMAAK_F32, AR(FMA, A32, B32, C32))
REF(V_FMA_MIX_F32, AR(FMA, A32, B32, C32))
REF(V_MAD_F32, mad(in, A32, B32, C32))
REF(V_MAC_F32, mad(in, A32, B32, C32))
REF(V_MADMK_F32, mad(in, A32, B32, C32))
REF(V_MADAK_F32, mad(in, A32, B32, C32))
REF(V_MAD_MIX_F32, AR(ADD, AR(MUL, A32, B32, 0), C32, 0))
REF(V_MUL_LEGACY_F32, legacy(in, A32, B32, in->mode))
REF(V_MAD_LEGACY_F32, arith(in, ADD, legacy(in, A32, B32, FLUSHED), C32, 0, FLUSHED))
REF(V_MIN_F32, minmax(in, A32, B32, false))
REF(V_MAX_F32, minmax(in, A32, B32, true))
REF(V_MIN3_F32, minmax(in, minmax(in, A32, B32, false), C32, false))
REF(V_MAX3_F32, minmax(in, minmax(in, A32, B32, true), C32, true))
REF(V_MED3_F32, med3(in, A32, B32, C32))
REF(V_TRUNC_F32, integral(in, A32, truncf))
REF(V_CEIL_F32, integral(in, A32, ceilf))
REF(V_FLOOR_F32, integral(in, A32, floorf))
REF(V_RNDNE_F32, integral(in, A32, rintf))
REF(V_FRACT_F32, fract(in, A32))
REF(V_RCP_F32, nan32(A32) ? A32 | 0x400000 : arith(in, DIV, 0x3f800000, A32, 0, FLUSHED))
REF(V_RCP_IFLAG_F32, nan32(A32) ? A32 | 0x400000 : arith(in, DIV, 0x3f800000, A32, 0, FLUSHED))
REF(V_SQRT_F32, arith(in, SQRT, A32, 0, 0, FLUSHED))
REF(V_RSQ_F32, approx_flush(in, o, rsq))
REF(V_EXP_F32, approx_flush(in, o, exp2))
REF(V_LOG_F32, approx_flush(in, o, log2))
REF(V_EXP_LEGACY_F32, approx_flush(in, o, exp2))
REF(V_LOG_LEGACY_F32, approx_flush(in, o, log2))
REF(V_SIN_F32, approx(in, o, sin_turns))
REF(V_COS_F32, approx(in, o, cos_turns))
REF(V_LDEXP_F32, scale32(in, A32, (s32)B32))
REF(V_CVT_F32_I32, rounded(in, (s32)A32, in->mode))
REF(V_CVT_F32_U32, rounded(in, A32, in->mode))
REF(V_CVT_I32_F32, to_int(asf(A32), -0x1p31, 0x1p31 - 1))
REF(V_CVT_U32_F32, to_int(asf(A32), 0, 0x1p32 - 1))
REF(V_CVT_RPI_I32_F32, to_int(floorf(asf(in32(in, A32)) + 0.5f), -0x1p31, 0x1p31 - 1))
REF(V_CVT_FLR_I32_F32, to_int(floorf(asf(in32(in, A32))), -0x1p31, 0x1p31 - 1))
REF(V_CVT_OFF_F32_I4, fbits(((s32)(A32 << 28) >> 28) / 16.0f))
REF(V_CVT_F32_UBYTE0, fbits(A32 & 255))
REF(V_CVT_F32_UBYTE1, fbits(A32 >> 8 & 255))
REF(V_CVT_F32_UBYTE2, fbits(A32 >> 16 & 255))
REF(V_CVT_F32_UBYTE3, fbits(A32 >> 24))
REF(V_CVT_PK_U8_F32, (C32 & ~(255u << 8 * (B32 & 3))) | to_int(asf(A32), 0, 255) << 8 * (B32 & 3))
REF(V_CVT_PKACCUM_U8_F32, (C32 & ~(255u << 8 * (B32 & 3))) |
		to_int(asf(A32), 0, 255) << 8 * (B32 & 3))
REF(V_CVT_PKNORM_I16_F32, norm(asf(in32(in, A32)), -1, 32767) |
		norm(asf(in32(in, B32)), -1, 32767) << 16)
REF(V_CVT_PKNORM_U16_F32, norm(asf(in32(in, A32)), 0, 65535) |
		norm(asf(in32(in, B32)), 0, 65535) << 16)
REF(V_CUBEID_F32, cube(in, 'i'))
REF(V_CUBESC_F32, cube(in, 's'))
REF(V_CUBETC_F32, cube(in, 't'))
REF(V_CUBEMA_F32, cube(in, 'm'))

REFX(V_FREXP_MANT_F32, {
	u32 a = in32(in, A32);
	int e;

	o->d = nan32(a) ? a | 0x400000 : isinf(asf(a)) ? a : fbits(frexpf(asf(a), &e));
})
REFX(V_FREXP_EXP_I32_F32, {
	float x = asf(in32(in, A32));
	int e = 0;

	if (isfinite(x))
		frexpf(x, &e);
	o->d = (u32)e;
})

static u64 pair(const struct ref_in *in, enum kind k)
{
	u32 lo = AR(k, A32, B32, k == FMA ? C32 : 0);
	u32 hi = AR(k, (u32)(A64 >> 32), (u32)(B64 >> 32), k == FMA ? (u32)(C64 >> 32) : 0);

	return lo | (u64)hi << 32;
}

REF(V_PK_FMA_F32, pair(in, FMA))
REF(V_PK_MUL_F32, pair(in, MUL))
REF(V_PK_ADD_F32, pair(in, ADD))

#define F32X	asf(in32(in, A32))
#define F32Y	asf(in32(in, B32))
CMP_REF(F32, F32X, F32Y)
CMP_REF(F64, asd(in64(in, A64)), asd(in64(in, B64)))

u32 class_mask(int cls, bool neg, bool quiet)
{
	switch (cls) {
	case FP_NAN:
		return quiet ? 2 : 1;
	case FP_INFINITE:
		return neg ? 4 : 512;
	case FP_ZERO:
		return neg ? 32 : 64;
	case FP_SUBNORMAL:
		return neg ? 16 : 128;
	}
	return neg ? 8 : 256;
}

REFC(CLASS_F32, class_mask(fpclassify(asf(A32)), A32 >> 31, A32 >> 22 & 1) & B32)
REFC(CLASS_F64, class_mask(fpclassify(asd(A64)), A64 >> 63, A64 >> 51 & 1) & B32)

/* ---- double precision ---- */

/* As rounds_to_tiny(), with 53 bits */
static bool drounds_to_tiny(enum kind k, double x, double y, double z)
{
	volatile double big = 0x1p512, r;
	bool first = fabs(x) <= fabs(y) || k == DIV;

	if (k == ADD || k == SUB || k == SQRT)
		return false;
	x = first ? x * big : x;
	y = first ? y : y * big;
	r = k == MUL ? x * y : k == DIV ? x / y : fma(x, y, z * big);
	return fabs(r) < 0x1p-510;
}

static u64 darith(const struct ref_in *in, enum kind k, u64 a, u64 b, u64 c)
{
	volatile double x, y, z, r = 0;
	u64 v[3] = { a, b, c };
	int n;

	for (n = 0; n < 3; n++)
		if (nan64(v[n]))
			return v[n] | 1ull << 51;
	x = asd(in64(in, a));
	y = asd(in64(in, b));
	z = asd(in64(in, c));
	fesetround(round_of(in->mode >> 2));
	switch (k) {
	case ADD: r = x + y; break;
	case SUB: r = x - y; break;
	case MUL: r = x * y; break;
	case DIV: r = x / y; break;
	case SQRT: r = sqrt(x); break;
	case FMA: r = fma(x, y, z); break;
	}
	if (!(in->mode & 0x80) && fabs(r) == 0x1p-1022 && drounds_to_tiny(k, x, y, z))
		r = r < 0 ? -0.0 : 0.0;
	fesetround(FE_TONEAREST);
	if (isnan(r))
		return 0xfff8000000000000;
	return out64(in, dbits(r));
}

static u64 dminmax(const struct ref_in *in, u64 a, u64 b, bool max)
{
	bool ieee = in->mode >> 9 & 1;
	u64 q = 1ull << 51;

	if (ieee && nan64(a) && !(a & q))
		return a | q;
	if (ieee && nan64(b) && !(b & q))
		return b | q;
	if (nan64(a))
		return b;
	if (nan64(b))
		return a;
	a = in64(in, a);
	b = in64(in, b);
	if (!((a | b) << 1))
		return max ? a & b : a | b;
	return (asd(a) < asd(b)) != max ? a : b;
}

static u64 dintegral(const struct ref_in *in, double (*f)(double))
{
	if (nan64(A64))
		return A64 | 1ull << 51;
	return dbits(f(asd(in64(in, A64))));
}

static u64 scale64(const struct ref_in *in)
{
	volatile double r;

	if (nan64(A64))
		return A64 | 1ull << 51;
	fesetround(round_of(in->mode >> 2));
	r = ldexp(asd(in64(in, A64)), (s32)B32 < -5000 ? -5000 : (s32)B32 > 5000 ? 5000 : (s32)B32);
	fesetround(FE_TONEAREST);
	return out64(in, dbits(r));
}

REF(V_ADD_F64, darith(in, ADD, A64, B64, 0))
REF(V_MUL_F64, darith(in, MUL, A64, B64, 0))
REF(V_FMA_F64, darith(in, FMA, A64, B64, C64))
REF(V_FMAC_F64, darith(in, FMA, A64, B64, C64))
REF(V_MIN_F64, dminmax(in, A64, B64, false))
REF(V_MAX_F64, dminmax(in, A64, B64, true))
REF(V_RCP_F64, nan64(A64) ? A64 | 1ull << 51 : darith(in, DIV, dbits(1), A64, 0))
REF(V_SQRT_F64, darith(in, SQRT, A64, 0, 0))
REF(V_TRUNC_F64, dintegral(in, trunc))
REF(V_CEIL_F64, dintegral(in, ceil))
REF(V_FLOOR_F64, dintegral(in, floor))
REF(V_RNDNE_F64, dintegral(in, rint))
REF(V_LDEXP_F64, scale64(in))
REFX(V_FRACT_F64, {
	u64 a = in64(in, A64);
	u64 r = darith(in, SUB, a, nan64(a) ? a : dbits(floor(asd(a))), 0);

	o->d = !nan64(r) && asd(r) >= 1 ? 0x3fefffffffffffff : r;
})
REF(V_RSQ_F64, darith(in, DIV, dbits(1), darith(in, SQRT, A64, 0, 0), 0))
REF(V_CVT_F64_I32, dbits((s32)A32))
REF(V_CVT_F64_U32, dbits(A32))
REF(V_CVT_F64_F32, nan32(A32) ? dbits(asf(A32 | 0x400000)) : dbits(asf(in32(in, A32))))
REF(V_CVT_F32_F64, nan64(A64) ? rounded(in, asd(A64 | 1ull << 51), 0) :
		   out32(in, rounded(in, asd(in64(in, A64)), in->mode)))
REF(V_CVT_I32_F64, to_int(asd(A64), -0x1p31, 0x1p31 - 1))
REF(V_CVT_U32_F64, to_int(asd(A64), 0, 0x1p32 - 1))
REFX(V_FREXP_MANT_F64, {
	u64 a = in64(in, A64);
	int e;

	o->d = nan64(a) ? a | 1ull << 51 : isinf(asd(a)) ? a : dbits(frexp(asd(a), &e));
})
REFX(V_FREXP_EXP_I32_F64, {
	double x = asd(in64(in, A64));
	int e = 0;

	if (isfinite(x))
		frexp(x, &e);
	o->d = (u32)e;
})
