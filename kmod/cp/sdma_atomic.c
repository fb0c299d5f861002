// SPDX-License-Identifier: GPL-2.0-only
/*
 * SDMA atomics. The operation is one of the texture cache (TC_OP_ATOMIC_*,
 * the kernel's vega10_enum.h): bit 5 for 64 bits, bit 6 for no return value,
 * which is all the same here, and the rest of it below.
 */
#include "sdma_int.h"

#define ATOMIC_LOOP		BIT(16)
#define ATOMIC_TMZ		BIT(18)
#define ATOMIC_OP(header)	(((header) >> 25) & 0x7f)
#define ATOMIC_64		0x20
#define ATOMIC_KIND(op)		((op) & 0x1f)
#define ATOMIC_KINDS		32
#define ATOMIC_TRIES		64	/* before others get a turn */

typedef u64 (*atomic_fn)(u64 old, u64 src, u64 cmp);

/* Operands come with the sign extended to 64 bits where it matters. */
static u64 op_swap(u64 old, u64 src, u64 cmp)
{
	return src;
}

static u64 op_cmpswap(u64 old, u64 src, u64 cmp)
{
	return old == cmp ? src : old;
}

static u64 op_add(u64 old, u64 src, u64 cmp)
{
	return old + src;
}

static u64 op_sub(u64 old, u64 src, u64 cmp)
{
	return old - src;
}

static u64 op_smin(u64 old, u64 src, u64 cmp)
{
	return (s64)old < (s64)src ? old : src;
}

static u64 op_umin(u64 old, u64 src, u64 cmp)
{
	return old < src ? old : src;
}

static u64 op_smax(u64 old, u64 src, u64 cmp)
{
	return (s64)old > (s64)src ? old : src;
}

static u64 op_umax(u64 old, u64 src, u64 cmp)
{
	return old > src ? old : src;
}

static u64 op_and(u64 old, u64 src, u64 cmp)
{
	return old & src;
}

static u64 op_or(u64 old, u64 src, u64 cmp)
{
	return old | src;
}

static u64 op_xor(u64 old, u64 src, u64 cmp)
{
	return old ^ src;
}

static u64 op_inc(u64 old, u64 src, u64 cmp)
{
	return old >= src ? 0 : old + 1;
}

static u64 op_dec(u64 old, u64 src, u64 cmp)
{
	return !old || old > src ? src : old - 1;
}

#define KIND_CMPSWAP	0x08
#define KIND_SMIN	0x11
#define KIND_SMAX	0x13

/* Without the floating-point ones, which would need the FPU. */
static const atomic_fn atomic_fns[ATOMIC_KINDS] = {
	[0x07] = op_swap,
	[KIND_CMPSWAP] = op_cmpswap,
	[0x0f] = op_add,
	[0x10] = op_sub,
	[KIND_SMIN] = op_smin,
	[0x12] = op_umin,
	[KIND_SMAX] = op_smax,
	[0x14] = op_umax,
	[0x15] = op_and,
	[0x16] = op_or,
	[0x17] = op_xor,
	[0x18] = op_inc,
	[0x19] = op_dec,
};

static u64 narrow(u64 v, u32 bytes)
{
	return bytes == 4 ? (u32)v : v;
}

static u64 operand(u64 v, u32 bytes, bool sign)
{
	return bytes == 4 ? (sign ? (u64)(s64)(s32)v : (u32)v) : v;
}

/* *@before: what was there when it was done; SDMA_MORE: others were faster. */
static int modify(struct sdma_env *env, const u32 *pkt, u32 kind, u32 bytes, u64 *before)
{
	bool sign = kind == KIND_SMIN || kind == KIND_SMAX;
	u64 va = sdma_addr(pkt + 1), old, seen, val;
	u64 src = operand(sdma_addr(pkt + 3), bytes, sign);
	u64 cmp = operand(sdma_addr(pkt + 5), bytes, false);
	u32 word, i;
	int err;

	if (bytes == 4) {
		err = env->ops->read32(env, va, &word);
		old = word;
	} else {
		err = env->ops->read64(env, va, &old);
	}
	for (i = 0; i < ATOMIC_TRIES && !err; i++) {
		val = atomic_fns[kind](operand(old, bytes, sign), src, cmp);
		seen = old;
		err = env->ops->cas(env, va, bytes, &seen, narrow(val, bytes));
		if (!err && seen == old) {
			*before = old;
			return SDMA_DONE;
		}
		old = seen;
	}
	return err ?: SDMA_MORE;
}

int sdma_atomic(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	u32 op = ATOMIC_OP(pkt[0]), kind = ATOMIC_KIND(op);
	u32 bytes = op & ATOMIC_64 ? 8 : 4;
	bool loop = pkt[0] & ATOMIC_LOOP;
	u64 before = 0;
	int verdict;

	kind = array_index_nospec(kind, ATOMIC_KINDS);
	if (!atomic_fns[kind] || pkt[0] & ATOMIC_TMZ || (loop && kind != KIND_CMPSWAP))
		return sdma_stop(q, SDMA_ERR_REFUSED);
	if (sdma_addr(pkt + 1) % bytes)
		return sdma_stop(q, SDMA_ERR_MALFORMED);
	verdict = modify(env, pkt, kind, bytes, &before);
	if (verdict == SDMA_DONE && loop &&
	    before != operand(sdma_addr(pkt + 5), bytes, false))
		return SDMA_WAIT;
	return verdict;
}
