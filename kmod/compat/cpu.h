/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The CPU as x86 kernels and User Mode Linux (arch um) know it: features,
 * topology, and sections with floating-point code.
 *
 * um compiles kernel code that runs as a process of the host, so cpuid and the
 * vector registers are the host's. Its boot_cpu_has() tells what the host's
 * /proc/cpuinfo lists, which has AVX and AVX-512 only if the host's kernel
 * saves their registers.
 */
#ifndef VKFD_COMPAT_CPU_H
#define VKFD_COMPAT_CPU_H

#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/processor.h>
/* 6.16 took cpuid() out of processor.h. */
#if !defined(CONFIG_UML) && defined(COMPAT_HAVE_CPUID_API)
#include <asm/cpuid/api.h>
#endif

#ifdef CONFIG_UML

#include <linux/preempt.h>
#include <linux/types.h>

#define XFEATURE_MASK_SSE	0
#define XFEATURE_MASK_YMM	0
#define XFEATURE_MASK_AVX512	0

static inline bool cpu_has_xfeatures(u64 mask, const char **name)
{
	return true;
}

static inline void cpuid(u32 op, u32 *eax, u32 *ebx, u32 *ecx, u32 *edx)
{
	asm volatile("cpuid" : "=a" (*eax), "=b" (*ebx), "=c" (*ecx), "=d" (*edx)
		     : "0" (op), "2" (0));
}

/*
 * um's own kernel_fpu_begin() does nothing. What can go wrong without it:
 *
 *  - A host signal (timer, IPI, fault) in the middle: the host saves and
 *    restores all vector state around the handler, and gives the handler a
 *    clean one.
 *  - A switch to another kernel thread: um switches by setjmp and longjmp, which
 *    save no vector register. They need not: it is a function call, across
 *    which the ABI keeps none. But the control word MXCSR survives a call, and
 *    would leak into the next thread. So there is no switch inside of a section,
 *    and both its ends load the default.
 */
#define COMPAT_MXCSR_DEFAULT	0x1f80

static inline void compat_um_mxcsr_reset(void)
{
	u32 mxcsr = COMPAT_MXCSR_DEFAULT;

	asm volatile("ldmxcsr %0" : : "m" (mxcsr));
}

static inline void compat_um_fpu_begin(void)
{
	preempt_disable();
	compat_um_mxcsr_reset();
}

static inline void compat_um_fpu_end(void)
{
	compat_um_mxcsr_reset();
	preempt_enable();
}

#undef kernel_fpu_begin
#undef kernel_fpu_end
#define kernel_fpu_begin()	compat_um_fpu_begin()
#define kernel_fpu_end()	compat_um_fpu_end()

/* um has no APICs, and does not tell the vendor. */
#define compat_apicid(cpu)	(cpu)
#define compat_cpu_is_amd()	false

#else /* x86 */

#include <asm/fpu/xcr.h>

#ifdef COMPAT_HAVE_CPU_TOPOLOGY		/* 6.7 */
#define compat_apicid(cpu)	(cpu_data(cpu).topo.apicid)
#else
#define compat_apicid(cpu)	(cpu_data(cpu).apicid)
#endif
#define compat_cpu_is_amd()	(boot_cpu_data.x86_vendor == X86_VENDOR_AMD)

#endif /* CONFIG_UML */
#endif /* VKFD_COMPAT_CPU_H */
