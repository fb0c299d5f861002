/* SPDX-License-Identifier: MIT */
/*
 * Programs of one work-item: u64 f(u32 i, u64 a, u64 b). The same text is compiled as OpenCL C for
 * the GPU (items.cl) and as C for the expected values (items.c), so it keeps to what both languages
 * have. A row of ITEMS is a program: kernel it_<name>, reference ref_<name>.
 */
#ifndef ITEMS_H
#define ITEMS_H

#include "items_arith.h"
#include "items_code.h"

#define ITEMS(X)							\
	X(mul64) X(udiv64) X(urem64) X(sdiv64) X(div32) X(div16)	\
	X(shift64) X(mulhi64) X(gcd64) X(modpow) X(minmax64)		\
	X(isqrt64) X(bigint) X(bits) X(bytes) X(rotate) X(i24)		\
	X(narrow) X(crc32) X(fadd32) X(fmul32) X(fdiv32) X(fsqrt32)	\
	X(ffma32) X(fcmp32) X(fround32) X(fadd64) X(fmul64) X(fdiv64)	\
	X(fsqrt64) X(ffma64) X(fcmp64) X(fround64) X(cvt32) X(cvt64)	\
	X(cvt_narrow) X(half_ops) X(half_div) X(half_cvt) X(collatz)	\
	X(branchy) X(nested) X(private_array) X(sort_private)	\
	X(print_int) X(print_float) X(sha256) X(aes)		\
	X(mandel_f32) X(mandel_f64) X(mandel_f16) X(montecarlo) X(newton)

/* Those that need C. */
#define CALL_ITEMS(X)							\
	X(recurse) X(scratch_rec) X(indirect) X(ackermann)

#endif /* ITEMS_H */
