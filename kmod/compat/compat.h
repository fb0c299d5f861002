/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Force-included into every object. It supplies the newest kernel's names on older
 * kernels, so that no other file depends on kernel versions. Wherever possible, a probe
 * in Kbuild.include decides instead of a version number.
 */
#ifndef VKFD_COMPAT_H
#define VKFD_COMPAT_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "vkfd needs Linux 6.1 or newer"
#endif

#ifndef __ASSEMBLY__

/* Prefix of all messages. It is defined here because this file comes before all headers. */
#define pr_fmt(fmt)	KBUILD_MODNAME ": " fmt

/*
 * 6.3: VMA flags are changed through helpers. These are macros, because this file must not
 * include kernel headers in the freestanding directories (cp/, isa/).
 */
#ifndef COMPAT_HAVE_VM_FLAGS_SET
#define vm_flags_set(vma, flags)	((void)((vma)->vm_flags |= (flags)))
#define vm_flags_clear(vma, flags)	((void)((vma)->vm_flags &= ~(flags)))
#endif

/* 7.3: whether a mapping is copy-on-write is asked of the VMA, no longer of its flags. */
#ifndef COMPAT_HAVE_VMA_IS_COW
#define vma_is_cow_mapping(vma)		is_cow_mapping((vma)->vm_flags)
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

/* 6.13: hrtimer_setup() sets a timer's function, too. */
#ifndef COMPAT_HAVE_HRTIMER_SETUP
#define hrtimer_setup(timer, fn, clock, mode) \
	do { \
		hrtimer_init((timer), (clock), (mode)); \
		(timer)->function = (fn); \
	} while (0)
#endif

/* 7.1: driver_override moved from PCI to the driver core. */
#ifdef COMPAT_HAVE_PCI_DRIVER_OVERRIDE
#define compat_set_driver_override(pdev, drv) \
	(((pdev)->driver_override = kstrdup((drv), GFP_KERNEL)) ? 0 : -ENOMEM)
#else
#define compat_set_driver_override(pdev, drv) \
	device_set_driver_override(&(pdev)->dev, (drv))
#endif

/* 6.13: a symbol namespace is a string. */
#ifdef COMPAT_HAVE_IMPORT_NS_STRING
#define COMPAT_IMPORT_NS_DMA_BUF	MODULE_IMPORT_NS("DMA_BUF")
#else
#define COMPAT_IMPORT_NS_DMA_BUF	MODULE_IMPORT_NS(DMA_BUF)
#endif

/* 6.6: the DRM core sets the PRIME handle functions itself. */
#ifdef COMPAT_HAVE_DRM_PRIME_MMAP
#define COMPAT_DRM_PRIME_HANDLES \
	.prime_handle_to_fd = drm_gem_prime_handle_to_fd, \
	.prime_fd_to_handle = drm_gem_prime_fd_to_handle, \
	.gem_prime_mmap = drm_gem_prime_mmap,
#else
#define COMPAT_DRM_PRIME_HANDLES
#endif

/* 6.7: get_file_active() takes a reference to a file unless its last one is already put. */
#ifndef COMPAT_HAVE_GET_FILE_ACTIVE
#define get_file_active(f)		(get_file_rcu(*(f)) ? *(f) : NULL)
#endif

/* 6.5: get_user_pages_remote() no longer returns VMAs. */
#ifdef COMPAT_HAVE_GUP_VMAS
#define compat_get_user_pages_remote(mm, start, n, flags, pages, locked) \
	get_user_pages_remote((mm), (start), (n), (flags), (pages), NULL, (locked))
#else
#define compat_get_user_pages_remote(mm, start, n, flags, pages, locked) \
	get_user_pages_remote((mm), (start), (n), (flags), (pages), (locked))
#endif

/* 6.10: __assign_str() takes its source from __string(). */
#ifdef COMPAT_HAVE_ASSIGN_STR_SRC
#define COMPAT_ASSIGN_STR(dst, src)	__assign_str(dst, src)
#else
#define COMPAT_ASSIGN_STR(dst, src)	__assign_str(dst)
#endif

/* 6.17: the system workqueue is called system_percpu_wq; 7.2 warns of the old name. */
#ifndef COMPAT_HAVE_SYSTEM_PERCPU_WQ
#define system_percpu_wq		system_wq
#endif

/*
 * 6.12: amdkfd checks the buffers of queues. No header shows this, as it is behaviour of
 * that kernel's driver.
 */
#define COMPAT_QUEUE_BUFFERS	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0))

/* x86 has this function, arch um does not. */
#ifdef CONFIG_UML
#define pfn_to_kaddr(pfn)	__va((phys_addr_t)(pfn) << PAGE_SHIFT)
#endif

#endif /* __ASSEMBLY__ */
#endif /* VKFD_COMPAT_H */
