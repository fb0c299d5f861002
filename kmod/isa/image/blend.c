// SPDX-License-Identifier: GPL-2.0-only
/*
 * The one place of images with floating point: sums of atomics, and filters. Weights are what a
 * sampler has: multiples of 1/256 for each axis, so products of a float with them are exact in a
 * double. Their sum is rounded to a double at each step and to a float in the end, whatever MODE
 * says of rounding and denormals: texture hardware does not know it.
 */
#include "image.h"
#include "../atomic_sum.h"

#define MXCSR_PLAIN	0x1f80u	/* to nearest, denormals as they are, no exceptions */

static u32 mxcsr_get(void)
{
	u32 v;

	asm volatile("stmxcsr %0" : "=m"(v) : : "memory");
	return v;
}

static void mxcsr_set(u32 v)
{
	asm volatile("ldmxcsr %0" : : "m"(v) : "memory");
}

static u32 blend(const u32 *f, const u32 *weight, u32 n, u32 shift)
{
	double sum = 0;
	float v;
	u32 k, bits;

	for (k = 0; k < n; k++) {
		if (!weight[k])
			continue;
		memcpy(&v, &f[k], sizeof(v));
		sum += (double)v * (double)weight[k];
	}
	v = (float)(sum / (double)(1ull << shift));
	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

u32 isa_img_blend(const u32 *f, const u32 *weight, u32 n, u32 shift)
{
	const u32 old = mxcsr_get();
	u32 v;

	mxcsr_set(MXCSR_PLAIN);
	v = blend(f, weight, n, shift);
	mxcsr_set(old);
	return v;
}

static u32 sum(u32 aop, u32 old, u32 data)
{
	u32 lo;

	if (aop == AOP_FADD)
		return fa_sum32(old, data);
	if (aop == AOP_PK_ADD_BF16) {
		lo = fa_add_bf16(old & 0xffff, data & 0xffff, 0);
		return lo | fa_add_bf16(old >> 16, data >> 16, 0) << 16;
	}
	lo = fa_add_half(old & 0xffff, data & 0xffff, 0);
	return lo | fa_add_half(old >> 16, data >> 16, 0) << 16;
}

u32 isa_img_sum(u32 aop, u32 old, u32 data)
{
	const u32 mxcsr = mxcsr_get();
	u32 v;

	mxcsr_set(MXCSR_PLAIN);
	v = sum(aop, old, data);
	mxcsr_set(mxcsr);
	return v;
}
