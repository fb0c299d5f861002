/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The port header of isa/ and cp/: the one place that knows whether this is
 * the kernel or a freestanding/hosted userspace build. Everything that the
 * two cores take from outside is named here.
 */
#ifndef ISA_ENV_H
#define ISA_ENV_H

#ifdef __KERNEL__

#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/stdarg.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/barrier.h>

#else

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define BIT(n)		(1UL << (n))
#define BIT_ULL(n)	(1ULL << (n))
#define GENMASK(h, l)	((~0UL << (l)) & (~0UL >> (63 - (h))))
#define READ_ONCE(x)	(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))
#define smp_mb()	__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)
/* ~0 if @i < @n, else 0, without a branch. */
static inline unsigned long array_index_mask_nospec(unsigned long i, unsigned long n)
{
	unsigned long mask;

	__asm__ volatile("cmp %1, %2; sbb %0, %0" : "=r" (mask) : "g" (n), "r" (i) : "cc");
	return mask;
}
#define array_index_nospec(i, n)						\
	((__typeof__(i))((i) & array_index_mask_nospec((i), (n))))
#define BUILD_BUG_ON(c)	_Static_assert(!(c), #c)
#undef __always_inline
#define __always_inline	inline __attribute__((__always_inline__))
#ifndef noinline
#define noinline	__attribute__((__noinline__))
#endif
#define __maybe_unused	__attribute__((__unused__))
#undef __aligned
#define __aligned(n)	__attribute__((__aligned__(n)))
#undef __packed
#define __packed	__attribute__((__packed__))
#define fallthrough	__attribute__((__fallthrough__))

#endif /* __KERNEL__ */

/* The compiler forgets what it knows about the value of @x. */
#define isa_hide(x)	__asm__ ("" : "+r" (x))

/*
 * @p if @need is not above @have, else NULL, without a branch: a CPU that guesses
 * how a check of the two ends gets no other pointer either. The answer to this
 * is the check.
 */
static inline u8 *isa_within(u8 *p, u64 need, u64 have)
{
	return (u8 *)((unsigned long)p & array_index_mask_nospec(need, have + 1));
}

/*
 * What must hold whatever code of a GPU says. On the host, where the engine is
 * tested, it is checked; in the kernel it costs nothing.
 */
#ifdef __KERNEL__
#define isa_assert(c)	((void)sizeof(!(c)))
#else
#define isa_assert(c)	((c) ? (void)0 : __builtin_trap())
#endif

#endif /* ISA_ENV_H */
