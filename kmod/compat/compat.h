/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Force-included into every object: supplies the newest kernel's names on
 * older kernels, so that no other file knows of versions. What decides is a
 * probe of Kbuild.include, not a version number, where a probe can tell.
 */
#ifndef VKFD_COMPAT_H
#define VKFD_COMPAT_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "vkfd needs Linux 6.1 or newer"
#endif

#ifndef __ASSEMBLY__

/* Every message says whose it is; here, as this comes before every header. */
#define pr_fmt(fmt)	KBUILD_MODNAME ": " fmt

/*
 * 6.3: VMA flags are changed through helpers. Macros, as this file must pull
 * no kernel header into the pure directories (cp/, isa/).
 */
#ifndef COMPAT_HAVE_VM_FLAGS_SET
#define vm_flags_set(vma, flags)	((void)((vma)->vm_flags |= (flags)))
#define vm_flags_clear(vma, flags)	((void)((vma)->vm_flags &= ~(flags)))
#endif

/* 6.4: a class has no owner. */
#ifdef COMPAT_HAVE_CLASS_OWNER
#define COMPAT_CLASS_CREATE(name)	class_create(THIS_MODULE, name)
#else
#define COMPAT_CLASS_CREATE(name)	class_create(name)
#endif

/* 6.14: struct drm_driver lost its date. */
#ifdef COMPAT_HAVE_DRM_DRIVER_DATE
#define COMPAT_DRM_DRIVER_DATE(d)	.date = (d),
#else
#define COMPAT_DRM_DRIVER_DATE(d)
#endif

/* 6.13: a timer gets its function when it is set up. */
#ifndef COMPAT_HAVE_HRTIMER_SETUP
#define hrtimer_setup(timer, fn, clock, mode) \
	do { \
		hrtimer_init((timer), (clock), (mode)); \
		(timer)->function = (fn); \
	} while (0)
#endif

/* 7.1: which driver a device insists on is the driver core's, not PCI's. */
#ifdef COMPAT_HAVE_PCI_DRIVER_OVERRIDE
#define compat_set_driver_override(pdev, drv) \
	(((pdev)->driver_override = kstrdup((drv), GFP_KERNEL)) ? 0 : -ENOMEM)
#else
#define compat_set_driver_override(pdev, drv) \
	device_set_driver_override(&(pdev)->dev, (drv))
#endif

/* 6.13: the namespace of symbols is a string. */
#ifdef COMPAT_HAVE_IMPORT_NS_STRING
#define COMPAT_IMPORT_NS_DMA_BUF	MODULE_IMPORT_NS("DMA_BUF")
#else
#define COMPAT_IMPORT_NS_DMA_BUF	MODULE_IMPORT_NS(DMA_BUF)
#endif

/* 6.6: the handles of PRIME are the core's own business. */
#ifdef COMPAT_HAVE_DRM_PRIME_MMAP
#define COMPAT_DRM_PRIME_HANDLES \
	.prime_handle_to_fd = drm_gem_prime_handle_to_fd, \
	.prime_fd_to_handle = drm_gem_prime_fd_to_handle, \
	.gem_prime_mmap = drm_gem_prime_mmap,
#else
#define COMPAT_DRM_PRIME_HANDLES
#endif

/* 6.7: a reference of a file that may be on its way out. */
#ifndef COMPAT_HAVE_GET_FILE_ACTIVE
#define get_file_active(f)		(get_file_rcu(*(f)) ? *(f) : NULL)
#endif

/* 6.10: __assign_str() knows its source from __string(). */
#ifdef COMPAT_HAVE_ASSIGN_STR_SRC
#define COMPAT_ASSIGN_STR(dst, src)	__assign_str(dst, src)
#else
#define COMPAT_ASSIGN_STR(dst, src)	__assign_str(dst)
#endif

/* 6.17: the system's workqueue says what it is, and 7.2 warns of its old name. */
#ifndef COMPAT_HAVE_SYSTEM_PERCPU_WQ
#define system_percpu_wq		system_wq
#endif

/*
 * 6.12: amdkfd checks the buffers of queues. That is how the driver of a kernel
 * behaves, which no header shows.
 */
#define COMPAT_QUEUE_BUFFERS	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0))

/* x86 has it, arch um has not. */
#ifdef CONFIG_UML
#define pfn_to_kaddr(pfn)	__va((phys_addr_t)(pfn) << PAGE_SHIFT)
#endif

#endif /* __ASSEMBLY__ */
#endif /* VKFD_COMPAT_H */
