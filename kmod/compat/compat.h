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

/* 6.3: VMA flags are changed through helpers. */
#ifndef COMPAT_HAVE_VM_FLAGS_SET
#include <linux/mm.h>
static inline void vm_flags_set(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags |= flags;
}

static inline void vm_flags_clear(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags &= ~flags;
}
#endif

/* 6.14: struct drm_driver lost its date. */
#ifdef COMPAT_HAVE_DRM_DRIVER_DATE
#define COMPAT_DRM_DRIVER_DATE(d)	.date = (d),
#else
#define COMPAT_DRM_DRIVER_DATE(d)
#endif

#endif /* __ASSEMBLY__ */
#endif /* VKFD_COMPAT_H */
