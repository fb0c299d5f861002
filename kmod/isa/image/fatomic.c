// SPDX-License-Identifier: GPL-2.0-only
/*
 * Float atomics on texels, 32 bits. They do what the atomics of buffers do (lane_atomic.inc.c):
 * denormals are kept, -0 is less than +0, sums are rounded to nearest. Mesa knows of no difference
 * (aco_insert_fp_mode.cpp: MODE's denormals count for neither on gfx12); RDNA4 ISA, 10.1, and LLVM
 * have no more than names and encodings. Those that pick one of two values take no floating point.
 */
#include "image.h"

#define QUIET	0x400000u

static bool is_nan(u32 v)
{
	return (v & 0x7fffffff) > 0x7f800000;
}

/* In the order of what floats stand for */
static u32 rank(u32 v)
{
	return v & BIT(31) ? ~v : v | BIT(31);
}

static u32 pick(u32 aop, u32 old, u32 data)
{
	const bool num = aop == AOP_FMIN_NUM || aop == AOP_FMAX_NUM;
	const bool least = aop == AOP_FMIN || aop == AOP_FMIN_NUM;

	if (num && is_nan(old) && is_nan(data))
		return data | QUIET;
	if (!num && is_nan(old) && !(old & QUIET))
		return old | QUIET;
	if (!num && is_nan(data) && !(data & QUIET))
		return data | QUIET;
	if (is_nan(old) || is_nan(data))
		return is_nan(old) && !is_nan(data) ? data : old;
	return (least ? rank(data) < rank(old) : rank(data) > rank(old)) ? data : old;
}

static bool equal(u32 a, u32 b)
{
	return !is_nan(a) && !is_nan(b) && (a == b || !((a | b) & 0x7fffffff));
}

static u32 combined(u32 aop, u32 old, u32 data, u32 with)
{
	switch (aop) {
	case AOP_FCMPSWAP:
		return equal(old, with) ? data : old;
	case AOP_FADD:
	case AOP_PK_ADD_F16:
	case AOP_PK_ADD_BF16:
		return isa_img_sum(aop, old, data);
	default:
		return pick(aop, old, data);
	}
}

bool isa_img_float_rmw(u8 *at, u32 aop, u32 data, u32 with, u64 *before, u32 *tries)
{
	u32 *p = (u32 *)at, old = __atomic_load_n(p, __ATOMIC_RELAXED), new;

	for (;;) {
		new = combined(aop, old, data, with);
		if (__atomic_compare_exchange_n(p, &old, new, false, __ATOMIC_SEQ_CST,
						__ATOMIC_RELAXED))
			break;
		if (!*tries)
			return false;
		--*tries;
	}
	*before = old;
	return true;
}
