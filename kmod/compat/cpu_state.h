/* SPDX-License-Identifier: GPL-2.0-only */
/* What a CPU remembers of code that ran on it, and how long it has worked. */
#ifndef VKFD_COMPAT_CPU_STATE_H
#define VKFD_COMPAT_CPU_STATE_H

#include <linux/timekeeping.h>
#include <linux/types.h>

#ifdef CONFIG_UML

/*
 * CPU time of the host's thread that this CPU is: what a busy host takes away does
 * not count. It is a system call of the host, so it is not for everyday use.
 */
static inline u64 compat_cpu_clock_ns(void)
{
	struct { s64 sec, nsec; } t = { 0 };
	long ret;

	asm volatile("syscall" : "=a" (ret)
		     : "0" (228L /* clock_gettime */), "D" (3L /* CLOCK_THREAD_CPUTIME_ID */),
		       "S" (&t)
		     : "rcx", "r11", "memory");
	return ret ? 0 : t.sec * NSEC_PER_SEC + t.nsec;
}

/* A process of the host has no say in what its CPU remembers. */
static inline u32 compat_cpu_forget(void)
{
	return 0;
}

#else /* x86 */

#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/segment.h>

/* No clock stops when a hypervisor takes the CPU away. */
static inline u64 compat_cpu_clock_ns(void)
{
	return ktime_get_ns();
}

/*
 * Clears branch predictors (IBPB), and buffers on CPUs that need and offer it
 * (VERW). What the kernel has for that is not exported to modules. With preemption
 * off. Returns how many of the two were done.
 */
static inline u32 compat_cpu_forget(void)
{
	static const u16 selector = __KERNEL_DS;
	u32 n = 0;

	if (boot_cpu_has(X86_FEATURE_IBPB)) {
		native_wrmsr(MSR_IA32_PRED_CMD, PRED_CMD_IBPB, 0);
		n++;
	}
	if (boot_cpu_has(X86_FEATURE_MD_CLEAR)) {
		asm volatile("verw %0" : : "m" (selector) : "cc");
		n++;
	}
	return n;
}

#endif /* CONFIG_UML */
#endif /* VKFD_COMPAT_CPU_STATE_H */
