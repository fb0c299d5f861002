/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Force-included into every object: supplies the newest kernel's names on
 * older kernels, so that no other file knows of versions.
 */
#ifndef VKFD_COMPAT_H
#define VKFD_COMPAT_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "vkfd needs Linux 6.1 or newer"
#endif

/* Every message says whose it is; here, as this comes before every header. */
#define pr_fmt(fmt)	KBUILD_MODNAME ": " fmt

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
#include <linux/mm_types.h>
/* Until 6.3, vm_flags was a plain member. Under mmap_lock, held for writing. */
static inline void vm_flags_set(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags |= flags;
}

static inline void vm_flags_clear(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags &= ~flags;
}
#endif

#endif /* VKFD_COMPAT_H */
