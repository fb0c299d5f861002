/* SPDX-License-Identifier: GPL-2.0-only */
/* Clearing of state that GPU code may leave in a CPU, and a clock of a CPU's working time. */
#ifndef VKFD_COMPAT_CPU_STATE_H
#define VKFD_COMPAT_CPU_STATE_H

#include <linux/timekeeping.h>
#include <linux/types.h>

#ifdef CONFIG_UML

/*
 * CPU time of the host thread that runs this CPU. Time that a busy host gives to others
 * does not count. This is a system call of the host, so use it sparingly.
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

/* A process of the host cannot clear predictors or buffers. */
static inline u32 compat_cpu_forget(void)
{
	return 0;
}

#else /* x86 */

#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/segment.h>

/* x86 kernels have no clock that stops while a hypervisor runs something else. */
static inline u64 compat_cpu_clock_ns(void)
{
	return ktime_get_ns();
}

/*
 * Issues a branch predictor barrier (IBPB), and clears buffers on CPUs that need it and
 * can (VERW). The kernel's own functions for this are not exported to modules. Call with
 * preemption off. Returns how many of the two were done.
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
