/* SPDX-License-Identifier: MIT */
/* The benchmark kernels in C. @n counts work-items. */
#ifndef NATIVE_H
#define NATIVE_H

#include <stdint.h>

typedef uint32_t u32;

void native_saxpy(float *restrict y, const float *restrict x, float a, u32 n);
void native_sgemm(float *restrict c, const float *restrict a, const float *restrict b,
		  u32 logn);
void native_lds_reduce(float *restrict out, const float *restrict in, u32 groups);
void native_trans(float *restrict y, const float *restrict x, u32 n);
void native_inthash(u32 *restrict y, const u32 *restrict x, u32 n);
void native_diverge(u32 *restrict y, const u32 *restrict x, u32 n);
void native_f64(float *restrict y, const u32 *restrict x, u32 items);
void native_scratch(u32 *restrict y, const u32 *restrict x, u32 items);

#endif /* NATIVE_H */
