/* SPDX-License-Identifier: MIT */
/* The functions of library.cl: ONE(NAME, function) or TWO(NAME, function). */
#ifndef LIBRARY_H
#define LIBRARY_H

#define LIBRARY_ITEMS	1024
#define LIBRARY_ULP	16	/* the most that OpenCL allows any of these */

#define LIBRARY(ONE, TWO)						\
	ONE(SIN, sin) ONE(COS, cos) ONE(TAN, tan) ONE(ASIN, asin)	\
	ONE(ATAN, atan) ONE(EXP, exp) ONE(EXPM1, expm1) ONE(LOG, log)	\
	ONE(LOG10, log10) ONE(LOG1P, log1p) ONE(SINH, sinh)		\
	ONE(TANH, tanh) ONE(ASINH, asinh) ONE(CBRT, cbrt) ONE(ERF, erf)	\
	ONE(ERFC, erfc) ONE(ATANH, atanh) TWO(POW, pow)		\
	TWO(ATAN2, atan2) TWO(HYPOT, hypot) TWO(FMOD, fmod)		\
	TWO(REMAINDER, remainder)

enum library {
#define ONE_(name, f)	LIBRARY_##name,
	LIBRARY(ONE_, ONE_)
#undef ONE_
	LIBRARY_COUNT
};

#endif /* LIBRARY_H */
