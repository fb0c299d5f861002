// SPDX-License-Identifier: MIT
/*
 * Reference of the conversions of 8-bit floats: FNUZ formats by their values.
 * The nearest code is found by looking at all of them.
 */
#include <math.h>
#include "ref.h"

/* The bias is 2^(bits of exponent - 1), 0x80 is NaN. */
double ref_fp8_value(u32 code, int mbits)
{
	int bias = 1 << (6 - mbits), e = (int)(code >> mbits) & ((1 << (7 - mbits)) - 1);
	int frac = (int)code & ((1 << mbits) - 1);
	double v = e ? ldexp(frac + (1 << mbits), e - bias - mbits) : ldexp(frac, 1 - bias - mbits);

	if ((code & 0xff) == 0x80)
		return NAN;
	return code & 0x80 ? -v : v;
}

static double value_of(u32 x)
{
	float f;

	memcpy(&f, &x, 4);
	return f;
}

static u64 bits_of(double v)
{
	float f = (float)v;
	u32 x;

	memcpy(&x, &f, 4);
	return isnan(v) ? 0x7fc00000 : x;
}

/* Ties to the even code; NaN from half a step above the largest number. */
u32 ref_fp8_nearest(u32 x, int mbits)
{
	double v = value_of(x), a = fabs(v), top = ref_fp8_value(0x7f, mbits), best = INFINITY;
	u32 code, found = 0;

	if (!(a < top + (top - ref_fp8_value(0x7e, mbits)) / 2))
		return 0x80;
	for (code = 0; code < 0x80; code++) {
		double d = fabs(ref_fp8_value(code, mbits) - a);

		if (d < best || (d == best && !(code & 1))) {
			best = d;
			found = code;
		}
	}
	return found ? found | (signbit(v) ? 0x80 : 0) : 0;
}

/* Random bits added below the last place of normal results, then cut off */
static u32 stochastic(u32 x, u32 random, int mbits)
{
	u32 size = x & 0x7fffffff, code;
	double a;

	if (size >= 0x7f800000)
		return 0x80;
	if (size)
		size += random >> (9 + mbits);
	a = size >= 0x7f800000 ? INFINITY : value_of(size);
	if (a >= 2 * ref_fp8_value(0x7f, mbits) - ref_fp8_value(0x7e, mbits))
		return 0x80;
	for (code = 0x7f; ref_fp8_value(code, mbits) > a; code--)
		;
	return code ? code | (x >> 31 ? 0x80 : 0) : 0;
}

#define IN(n)	((u32)in->s[n])
#define F32_OF(n, mbits)	bits_of(ref_fp8_value(IN(0) >> (n) & 0xff, mbits))
#define PAIR(mbits)	(ref_fp8_nearest(IN(0), mbits) | ref_fp8_nearest(IN(1), mbits) << 8)

REF(V_CVT_F32_FP8, F32_OF(0, 3))
REF(V_CVT_F32_BF8, F32_OF(0, 2))
REF(V_CVT_PK_F32_FP8, F32_OF(0, 3) | F32_OF(8, 3) << 32)
REF(V_CVT_PK_F32_BF8, F32_OF(0, 2) | F32_OF(8, 2) << 32)
REF(V_CVT_PK_FP8_F32, PAIR(3))
REF(V_CVT_PK_BF8_F32, PAIR(2))
REF(V_CVT_SR_FP8_F32, (IN(2) & ~0xffu) | stochastic(IN(0), IN(1), 3))
REF(V_CVT_SR_BF8_F32, (IN(2) & ~0xffu) | stochastic(IN(0), IN(1), 2))
