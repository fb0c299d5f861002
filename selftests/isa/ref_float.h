/* SPDX-License-Identifier: MIT */
/* What the reference models of floats of different sizes have in common. */
#ifndef REF_FLOAT_H
#define REF_FLOAT_H

#include <fenv.h>
#include <math.h>
#include "ref.h"

#define A32	((u32)in->s[0])
#define B32	((u32)in->s[1])
#define C32	((u32)in->s[2])
#define A64	in->s[0]
#define B64	in->s[1]
#define C64	in->s[2]

/* ---- bits ---- */

static inline float asf(u32 x) { float f; memcpy(&f, &x, 4); return f; }
static inline double asd(u64 x) { double f; memcpy(&f, &x, 8); return f; }
static inline u32 fbits(float f) { u32 x; memcpy(&x, &f, 4); return x; }
static inline u64 dbits(double f) { u64 x; memcpy(&x, &f, 8); return x; }

static inline bool nan32(u32 x) { return (x & 0x7fffffff) > 0x7f800000; }
static inline bool nan64(u64 x) { return (x & ~(1ull << 63)) > 0x7ffull << 52; }
static inline bool nan16(u32 x) { return (x & 0x7fff) > 0x7c00; }

/* FP_ROUND as fesetround() wants it */
static inline int round_of(u32 r)
{
	static const int m[4] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };

	return m[r & 3];
}

static inline u32 in32(const struct ref_in *in, u32 x)
{
	return !(in->mode & 0x10) && !(x & 0x7f800000) ? x & 0x80000000 : x;
}

static inline u64 in64(const struct ref_in *in, u64 x)
{
	return !(in->mode & 0x40) && !(x >> 52 & 0x7ff) ? x & 1ull << 63 : x;
}

static inline u32 in16(const struct ref_in *in, u32 x)
{
	x &= 0xffff;
	return !(in->mode & 0x40) && !(x & 0x7c00) ? x & 0x8000 : x;
}

static inline u32 out32(const struct ref_in *in, u32 x)
{
	return !(in->mode & 0x20) && !(x & 0x7f800000) ? x & 0x80000000 : x;
}

static inline u64 out64(const struct ref_in *in, u64 x)
{
	return !(in->mode & 0x80) && !(x >> 52 & 0x7ff) ? x & 1ull << 63 : x;
}

static inline u32 out16(const struct ref_in *in, u32 x)
{
	return !(in->mode & 0x80) && !(x & 0x7c00) ? x & 0x8000 : x;
}

enum kind { ADD, SUB, MUL, FMA, DIV, SQRT };
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

/* ref_float.c */
u32 arith(const struct ref_in *in, enum kind k, u32 a, u32 b, u32 c, u32 mode);
double rsq(double x);
double sin_turns(double x);
double cos_turns(double x);
u32 to_int(double x, double lo, double hi);
u32 norm(double x, double lo, double scale);
u32 class_mask(int cls, bool neg, bool quiet);

#endif /* REF_FLOAT_H */
