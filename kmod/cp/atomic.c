// SPDX-License-Identifier: GPL-2.0-only
/*
 * Atomic operations of the memory pipe, as packets name them. PM4's ATOMIC_MEM and
 * SDMA's ATOMIC use the same numbers (enum TC_OP in the kernel's vega10_enum.h): bit 6
 * means that nothing is returned, bit 5 means 64 bits, the rest is the operation.
 * Numbers that the enum reserves are refused.
 *
 * Floats are compared as AMD's ISA manuals define the instructions of these names:
 * NaNs, infinities and denormals are taken as they are, and a comparison that is false
 * changes nothing. All of it is integer arithmetic, so no FPU section is needed.
 *
 * The flushing variants stand for the shader instructions when MODE flushes denormals.
 * They flush both sides before comparing. Minimum and maximum then store the selected
 * operand unflushed; compare-and-swap flushes what it stores, even if that is the old
 * value. Source: RDNA3 and CDNA3 ISA, "Float Memory Atomics", "Denormals".
 */
#include "cp_int.h"

#define TC_OP_64		0x20
#define TC_OP_NO_RETURN		0x40

/* Other writers may change the word between read and exchange; give up after so many. */
#define TRIES			1000

enum {
	OP_FCMPSWAP = 0x01, OP_FMIN, OP_FMAX, OP_SWAP = 0x07, OP_CMPSWAP,
	OP_FCMPSWAP_FLUSH, OP_FMIN_FLUSH, OP_FMAX_FLUSH, OP_ADD = 0x0f, OP_SUB,
	OP_SMIN, OP_UMIN, OP_SMAX, OP_UMAX, OP_AND, OP_OR, OP_XOR, OP_INC, OP_DEC,
	OP_LAST = OP_DEC,
};

static bool op_flushes(u32 op)
{
	return (op & 0x1f) >= OP_FCMPSWAP_FLUSH && (op & 0x1f) <= OP_FMAX_FLUSH;
}

static bool op_float(u32 op)
{
	return ((op & 0x1f) >= OP_FCMPSWAP && (op & 0x1f) <= OP_FMAX) || op_flushes(op);
}

static bool op_known(u32 op)
{
	return op_float(op) || op == OP_SWAP || op == OP_CMPSWAP ||
	       (op >= OP_ADD && op <= OP_LAST);
}

/* ------------------------------------------------------------------- floats */

struct float_format {
	u64 sign, inf;
};

static const struct float_format f32 = { 1u << 31, 0x7f800000 };
static const struct float_format f64 = { 1ull << 63, 0x7ffull << 52 };

static bool is_nan(const struct float_format *f, u64 v)
{
	return (v & ~f->sign) > f->inf;
}

static u64 flush_denormal(const struct float_format *f, u64 v)
{
	return v & f->inf ? v : v & f->sign;
}

/* Maps float bits to integers of the same order; +0 and -0 become equal. */
static s64 float_order(const struct float_format *f, u64 v)
{
	return v & f->sign ? -(s64)(v & ~f->sign) : (s64)v;
}

static u64 float_apply(u32 op, const struct float_format *f, u64 old, u64 src, u64 cmp)
{
	bool swap = cp_atomic_is_cmpswap(op), flush = op_flushes(op), take;
	u64 other = swap ? cmp : src, result;
	s64 a = float_order(f, flush ? flush_denormal(f, other) : other);
	s64 b = float_order(f, flush ? flush_denormal(f, old) : old);

	take = swap ? a == b : op == OP_FMIN || op == OP_FMIN_FLUSH ? a < b : a > b;
	result = take && !is_nan(f, other) && !is_nan(f, old) ? src : old;
	return swap && flush ? flush_denormal(f, result) : result;
}

/* ----------------------------------------------------------------- integers */

u32 cp_atomic_bytes(u32 op)
{
	if (op > 0x7f || !op_known(op & 0x1f))
		return 0;
	return op & TC_OP_64 ? 8 : 4;
}

/* For 32-bit operations, @so and @ss are sign-extended, the other operands zero-extended. */
static u64 op_apply(u32 op, u64 old, u64 src, u64 cmp, s64 so, s64 ss)
{
	switch (op) {
	case OP_SWAP:
		return src;
	case OP_CMPSWAP:
		return old == cmp ? src : old;
	case OP_ADD:
		return old + src;
	case OP_SUB:
		return old - src;
	case OP_SMIN:
		return ss < so ? src : old;
	case OP_UMIN:
		return src < old ? src : old;
	case OP_SMAX:
		return ss > so ? src : old;
	case OP_UMAX:
		return src > old ? src : old;
	case OP_AND:
		return old & src;
	case OP_OR:
		return old | src;
	case OP_XOR:
		return old ^ src;
	case OP_INC:
		return old >= src ? 0 : old + 1;
	default:
		return !old || old > src ? src : old - 1;
	}
}

u64 cp_atomic_result(u32 op, u64 old, u64 src, u64 cmp)
{
	bool wide = op & TC_OP_64;

	op &= 0x1f;
	if (op_float(op))
		return float_apply(op, wide ? &f64 : &f32, old, wide ? src : (u32)src,
				   wide ? cmp : (u32)cmp);
	if (wide)
		return op_apply(op, old, src, cmp, (s64)old, (s64)src);
	return (u32)op_apply(op, old, (u32)src, (u32)cmp, (s32)old, (s32)src);
}

bool cp_atomic_is_cmpswap(u32 op)
{
	op &= 0x1f;
	return op == OP_CMPSWAP || op == OP_FCMPSWAP || op == OP_FCMPSWAP_FLUSH;
}

bool cp_atomic_equal(u32 op, u64 old, u64 cmp)
{
	const struct float_format *f = op & TC_OP_64 ? &f64 : &f32;

	if (!(op & TC_OP_64))
		cmp = (u32)cmp;
	if (!op_float(op))
		return old == cmp;
	if (op_flushes(op)) {
		old = flush_denormal(f, old);
		cmp = flush_denormal(f, cmp);
	}
	return float_order(f, old) == float_order(f, cmp) && !is_nan(f, old) && !is_nan(f, cmp);
}

int cp_atomic(struct cp_env *env, u32 op, u64 va, u64 src, u64 cmp, u64 *old)
{
	u32 bytes = cp_atomic_bytes(op), word = 0;
	unsigned int i;
	u64 seen = 0;
	int err;

	if (!bytes)
		return -EOPNOTSUPP;
	err = bytes == 8 ? env->ops->read64(env, va, &seen) :
			   env->ops->read32(env, va, &word);
	if (err)
		return err;
	if (bytes == 4)
		seen = word;
	for (i = 0; i < TRIES; i++) {
		*old = seen;
		err = env->ops->cas(env, va, bytes, &seen,
				    cp_atomic_result(op, seen, src, cmp));
		if (err || seen == *old)
			return err;
	}
	return -EBUSY;
}
