/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Vector helpers that the lane templates are written in.
 *
 * A lane_<variant>.c file sets LANE_WIDTH (4, 8 or 16 lanes of 32 bits a step)
 * and includes this. Everything is a VI, a vector of VW 32-bit lanes; what the
 * bits mean is in the name of the helper:
 *	vi_*	32-bit integers		vm_*	masks (type VM), one per lane
 *	vf_*	floats			fm_*	float compares giving a VM
 *	vq_*	64-bit integers		vd_*	doubles
 * A 64-bit operand is two rows (low, high). Its lanes are computed on in two
 * vectors: vq_x() and vq_y() of the two row vectors; vq_lo() and vq_hi() of
 * the two results give rows again. The order inside differs from the rows',
 * the same for every operand.
 *
 * Float helpers keep x86's NaN rule (first operand's NaN, quieted) and never
 * commute: compilers swap operands of + and *, so those are asm.
 */
#ifndef ISA_LANE_H
#define ISA_LANE_H

#include "scalar.h"

#define _MM_MALLOC_H_INCLUDED 1	/* keeps hosted headers out */
#include <immintrin.h>

/* Arrays that kernels would clear first, if they clear all variables */
#if __has_attribute(__uninitialized__)
#define LANE_SCRATCH	__attribute__((__uninitialized__))
#else
#define LANE_SCRATCH
#endif

#define VW	LANE_WIDTH
#define VSTEPS	(ISA_LANES / VW)

/* Constraint of an asm input: clang, if it may choose, always takes memory. */
#ifdef __clang__
#define LANE_ANY(x)	LANE_REGISTER(x)
#elif LANE_WIDTH == 16
#define LANE_ANY(x)	"vm"(x)
#else
#define LANE_ANY(x)	"xm"(x)
#endif
#if LANE_WIDTH == 16
#define LANE_REGISTER(x)	"v"(x)
#else
#define LANE_REGISTER(x)	"x"(x)
#endif

#if LANE_WIDTH == 16
#include "lane_prim_avx512.inc.c"
#elif LANE_WIDTH == 8
#include "lane_prim_avx2.inc.c"
#else
#include "lane_prim_sse2.inc.c"
#endif

/* The compiler forgets where the value of @x came from. */
#if LANE_WIDTH == 16
#define vi_hide(x)	__asm__("" : "+v"(x))
#else
#define vi_hide(x)	__asm__("" : "+x"(x))
#endif

#if LANE_WIDTH != 4	/* see lane_prim_sse2.inc.c */
#define vi_count	vi_splat
#define vi_srl		vi_srlv
#endif

/* A step's part of a 64-lane mask. */
static __always_inline VM vm_exec(u64 exec, unsigned int step)
{
	return vm_of_bits((u32)(exec >> (step * VW)));
}

/*
 * EXEC for the steps of a handler: in mask registers, or for vectors without
 * them in a row that is made when EXEC has changed, not at each instruction.
 */
struct lane_on {
	u64 exec;
#if LANE_WIDTH == 16
	VM m[VSTEPS];
#else
	const u32 *row;
#endif
};

static __always_inline struct lane_on lane_on(struct isa_wave *w)
{
	struct lane_on on = { .exec = isa_exec(w) };

#if LANE_WIDTH == 16
	vm_split(on.m, on.exec);
#else
	on.row = w->on;
	if (unlikely(w->on_exec != on.exec)) {
		unsigned int k;

		for (k = 0; k < VSTEPS; k++)
			vi_store(w->on + k * VW, vm_vec(vm_exec(on.exec, k)));
		w->on_exec = on.exec;
	}
#endif
	return on;
}

static __always_inline VM vm_on(const struct lane_on *on, unsigned int step)
{
#if LANE_WIDTH == 16
	return on->m[step];
#else
	return vm_of(vi_load(on->row + step * VW));
#endif
}

/* Puts a step's mask into a 64-lane mask. */
static __always_inline u64 vm_place(VM m, unsigned int step)
{
	return (u64)vm_bits(m) << (step * VW);
}

/* A row mask of two 64-bit compare results. */
static __always_inline VM vm_of_q(VI x, VI y)
{
	return vm_of(vq_lo(x, y));
}

static __always_inline VM vm_none(void)
{
	return vm_xor(vm_eq(vi_zero(), vi_zero()), vm_eq(vi_zero(), vi_zero()));
}

static __always_inline VM vm_all(void)
{
	return vm_eq(vi_zero(), vi_zero());
}

static __always_inline VI vi_not(VI a)
{
	return vi_xor(a, vi_splat(~0u));
}

/* @v in the lanes of @m, @old in the others: best if @old comes from memory. */
static __always_inline VI vi_over(VM m, VI old, VI v)
{
#if LANE_WIDTH == 16
	return vi_blend(m, old, v);
#else
	return vi_or(vi_and(vm_vec(m), v), vi_andnot(vm_vec(m), old));
#endif
}

/* The same where @old is in a register already. */
static __always_inline VI vi_keep(VM m, VI old, VI v)
{
#if LANE_WIDTH == 16
	return vi_blend(m, old, v);
#else
	return vi_xor(old, vi_and(vi_xor(old, v), vm_vec(m)));
#endif
}

#if LANE_WIDTH != 16	/* for code that changes nothing in the other lanes */
static __always_inline VI vi_in(VM m, VI v)
{
	return vi_and(v, vm_vec(m));
}
#endif

/*
 * Stores a register row with lanes of its old value: whole, so that the next
 * instruction's load can take it from the store buffer. It cannot take a
 * masked store, which compilers would make of this without the asm.
 */
static __always_inline void vi_store_whole(u32 *p, VI v)
{
#if LANE_WIDTH == 16
	vi_hide(v);
#endif
	vi_store(p, v);
}

/* Writes the lanes of @m of a register row whose old value is @old. */
static __always_inline void vi_store_over(u32 *p, VM m, VI old, VI v)
{
	vi_store_whole(p, vi_over(m, old, v));
}

/* The same where the old value is not at hand. */
static __always_inline void vi_store_m(u32 *p, VM m, VI v)
{
	vi_store_over(p, m, vi_load(p), v);
}

#if LANE_WIDTH != 16	/* else one instruction each: lane_prim_avx512.inc.c */
#define vf_add_m(m, old, a, b)		vi_over(m, old, vf_add(a, b))
#define vf_sub_m(m, old, a, b)		vi_over(m, old, vf_sub(a, b))
#define vf_mul_m(m, old, a, b)		vi_over(m, old, vf_mul(a, b))
#define vf_fmac				vf_fma
#define vf_fmac_m(m, old, a, b, c)	vi_keep(m, old, vf_fma(a, b, c))
#endif

/* Register row of a vector operand code. */
static __always_inline u32 *lane_row(struct isa_wave *w, u32 code)
{
	u32 row = code - ISA_SRC_VGPR0;

	if (unlikely(code >= ISA_SRC_ACC0))
		row = (w->acc_row + code - ISA_SRC_ACC0) % ISA_MAX_ROWS;
	return w->v + row * ISA_LANES;
}

#endif /* ISA_LANE_H */
