/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPU features, topology, and sections with floating-point code, for x86 kernels and for
 * User Mode Linux (arch um).
 *
 * A um kernel runs as a process of the host, so cpuid and the vector registers are the
 * host's. Its boot_cpu_has() reports what the host's /proc/cpuinfo lists, and that has
 * AVX and AVX-512 only if the host's kernel saves their registers.
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
 * um's own kernel_fpu_begin() does nothing. Two things could go wrong in a section:
 *
 *  - A host signal (timer, IPI, fault) arrives. This is harmless: the host saves and
 *    restores all vector state around the handler, and gives the handler a clean one.
 *  - um switches to another kernel thread. It does so by setjmp and longjmp, which save
 *    no vector registers. They need not, as the ABI preserves none across a function
 *    call. But the control word MXCSR survives a call and would leak into the next
 *    thread. So preemption is off within a section, and both its ends load the default.
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

/* um has no APICs, and does not know the CPU's vendor. */
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
