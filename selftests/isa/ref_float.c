// SPDX-License-Identifier: MIT
/*
 * Reference model of the float operations, one lane: the C library's correctly
 * rounded functions under fesetround(), NaN and denormal rules written out.
 * Doubles are computed in binary64 too; halves through __float128, which holds
 * their products and sums exactly, and one rounding of its own.
 */
#include <fenv.h>
#include <math.h>
#include "ref.h"

#pragma GCC optimize("no-fast-math", "rounding-math")

#define A32	((u32)in->s[0])
#define B32	((u32)in->s[1])
#define C32	((u32)in->s[2])
#define A64	in->s[0]
#define B64	in->s[1]
#define C64	in->s[2]

/* ---- bits ---- */

static float asf(u32 x) { float f; memcpy(&f, &x, 4); return f; }
static double asd(u64 x) { double f; memcpy(&f, &x, 8); return f; }
static u32 fbits(float f) { u32 x; memcpy(&x, &f, 4); return x; }
static u64 dbits(double f) { u64 x; memcpy(&x, &f, 8); return x; }

static bool nan32(u32 x) { return (x & 0x7fffffff) > 0x7f800000; }
static bool nan64(u64 x) { return (x & ~(1ull << 63)) > 0x7ffull << 52; }
static bool nan16(u32 x) { return (x & 0x7fff) > 0x7c00; }

/* FP_ROUND as fesetround() wants it */
static int round_of(u32 r)
{
	static const int m[4] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };

	return m[r & 3];
}

static u32 in32(const struct ref_in *in, u32 x)
{
	return !(in->mode & 0x10) && !(x & 0x7f800000) ? x & 0x80000000 : x;
}

static u64 in64(const struct ref_in *in, u64 x)
{
	return !(in->mode & 0x40) && !(x >> 52 & 0x7ff) ? x & 1ull << 63 : x;
}

static u32 in16(const struct ref_in *in, u32 x)
{
	x &= 0xffff;
	return !(in->mode & 0x40) && !(x & 0x7c00) ? x & 0x8000 : x;
}

static u32 out32(const struct ref_in *in, u32 x)
{
	return !(in->mode & 0x20) && !(x & 0x7f800000) ? x & 0x80000000 : x;
}

static u64 out64(const struct ref_in *in, u64 x)
{
	return !(in->mode & 0x80) && !(x >> 52 & 0x7ff) ? x & 1ull << 63 : x;
}

static u32 out16(const struct ref_in *in, u32 x)
{
	return !(in->mode & 0x80) && !(x & 0x7c00) ? x & 0x8000 : x;
}

/* ---- single precision ---- */

enum kind { ADD, SUB, MUL, FMA, DIV, SQRT };

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

static u32 arith(const struct ref_in *in, enum kind k, u32 a, u32 b, u32 c, u32 mode)
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
#define FLUSHED		(in->mode & ~0x30u)	/* v_mad and v_mac flush always */

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

static double rsq(double x) { return x == 0 ? 1 / x : 1 / sqrt(x); }

static double sin_turns(double x)
{
	double r = x - rint(x);

	if (isinf(x))
		return NAN;
	if (fabs(x) > 256)
		return 0;
	/* exact zeros and full values at the quarters */
	if (fabs(r) == 0.5)
		return copysign(0, r);
	return r > 0.25 ? sin(2 * M_PI * (0.5 - r)) :
	       r < -0.25 ? -sin(2 * M_PI * (0.5 + r)) : sin(2 * M_PI * r);
}

static double cos_turns(double x)
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

static u32 to_int(double x, double lo, double hi)
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

static u32 norm(double x, double lo, double scale)
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
REF(V_RCP_F32, nan32(A32) ? A32 | 0x400000 : AR(DIV, 0x3f800000, A32, 0))
REF(V_RCP_IFLAG_F32, nan32(A32) ? A32 | 0x400000 : AR(DIV, 0x3f800000, A32, 0))
REF(V_SQRT_F32, AR(SQRT, A32, 0, 0))
REF(V_RSQ_F32, approx(in, o, rsq))
REF(V_EXP_F32, approx(in, o, exp2))
REF(V_LOG_F32, approx(in, o, log2))
REF(V_EXP_LEGACY_F32, approx(in, o, exp2))
REF(V_LOG_LEGACY_F32, approx(in, o, log2))
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
#define CMP_REF(T, X, Y)						\
REFC(F_##T, false)							\
REFC(LT_##T, X < Y)							\
REFC(EQ_##T, X == Y)							\
REFC(LE_##T, X <= Y)							\
REFC(GT_##T, X > Y)							\
REFC(LG_##T, X < Y || X > Y)						\
REFC(GE_##T, X >= Y)							\
REFC(O_##T, !isunordered(X, Y))						\
REFC(U_##T, isunordered(X, Y))						\
REFC(NGE_##T, !(X >= Y))						\
REFC(NLG_##T, !(X < Y || X > Y))					\
REFC(NGT_##T, !(X > Y))							\
REFC(NLE_##T, !(X <= Y))						\
REFC(NEQ_##T, !(X == Y))						\
REFC(NLT_##T, !(X < Y))							\
REFC(TRU_##T, true)
CMP_REF(F32, F32X, F32Y)
CMP_REF(F64, asd(in64(in, A64)), asd(in64(in, B64)))

static u32 class_mask(int cls, bool neg, bool quiet)
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

/* ---- halves ---- */

static __float128 of16(u32 h)
{
	int e = h >> 10 & 31;
	__float128 m = e ? 1024 + (h & 1023) : h & 1023;

	for (e = e ? e - 25 : -24; e > 0; e--)
		m *= 2;
	for (; e < 0; e++)
		m /= 2;
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

static u32 hdot(const struct ref_in *in)
{
	struct ref_in f = { .mode = in->mode & ~3u };
	u32 p = arith(&f, MUL, hfloat(in16(in, A32)), hfloat(in16(in, B32)), 0, f.mode), s;

	s = arith(&f, ADD, p, C32, 0, f.mode);
	p = arith(&f, MUL, hfloat(in16(in, A32 >> 16)), hfloat(in16(in, B32 >> 16)), 0, f.mode);
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
