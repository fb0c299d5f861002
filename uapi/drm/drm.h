/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note OR MIT */
/*
 * The part of DRM's core ABI that programs of this repository use, for systems
 * whose C library headers leave drm/ to libdrm (Debian). Names, numbers and
 * layouts are the kernel's; the module is built with the kernel's own header.
 */
#ifndef _DRM_H_
#define _DRM_H_

#include <linux/ioctl.h>
#include <linux/types.h>

#define DRM_IOCTL_BASE		'd'
#define DRM_IOW(nr, type)	_IOW(DRM_IOCTL_BASE, nr, type)
#define DRM_IOWR(nr, type)	_IOWR(DRM_IOCTL_BASE, nr, type)

/* Numbers from here to 0x9f belong to the driver. */
#define DRM_COMMAND_BASE	0x40

struct drm_version {
	int version_major;		/* out, as everything but the pointers */
	int version_minor;
	int version_patchlevel;
	__kernel_size_t name_len;	/* in: room, out: length of the string */
	char *name;
	__kernel_size_t date_len;
	char *date;
	__kernel_size_t desc_len;
	char *desc;
};

struct drm_gem_close {
	__u32 handle;
	__u32 pad;
};

#define DRM_IOCTL_VERSION	DRM_IOWR(0x00, struct drm_version)
#define DRM_IOCTL_GEM_CLOSE	DRM_IOW(0x09, struct drm_gem_close)

#endif /* _DRM_H_ */
