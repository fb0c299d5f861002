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
#define DRM_IO(nr)		_IO(DRM_IOCTL_BASE, nr)
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

/* Objects as dma-bufs and back. */
#define DRM_CLOEXEC	02000000	/* O_CLOEXEC */
#define DRM_RDWR	02		/* O_RDWR */

struct drm_prime_handle {
	__u32 handle;
	__u32 flags;
	__s32 fd;
};

/* Memory of drivers that have no ioctl of their own for it. */
struct drm_mode_create_dumb {
	__u32 height;
	__u32 width;
	__u32 bpp;
	__u32 flags;
	__u32 handle;		/* out, as the rest */
	__u32 pitch;
	__u64 size;
};

struct drm_mode_map_dumb {
	__u32 handle;
	__u32 pad;
	__u64 offset;		/* out */
};

#define DRM_IOCTL_PRIME_HANDLE_TO_FD	DRM_IOWR(0x2d, struct drm_prime_handle)
#define DRM_IOCTL_PRIME_FD_TO_HANDLE	DRM_IOWR(0x2e, struct drm_prime_handle)
#define DRM_IOCTL_MODE_CREATE_DUMB	DRM_IOWR(0xb2, struct drm_mode_create_dumb)
#define DRM_IOCTL_MODE_MAP_DUMB		DRM_IOWR(0xb3, struct drm_mode_map_dumb)

/* Fences with a handle, and timelines of them. */
struct drm_syncobj_create {
	__u32 handle;		/* out */
	__u32 flags;
};

#define DRM_SYNCOBJ_CREATE_SIGNALED	(1 << 0)

struct drm_syncobj_destroy {
	__u32 handle;
	__u32 pad;
};

struct drm_syncobj_array {
	__u64 handles;		/* array of __u32 */
	__u32 count_handles;
	__u32 pad;
};

#define DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT	(1 << 1)

struct drm_syncobj_timeline_wait {
	__u64 handles;
	__u64 points;		/* array of __u64 */
	__s64 timeout_nsec;	/* absolute */
	__u32 count_handles;
	__u32 flags;
	__u32 first_signaled;	/* out */
	__u32 pad;
};

struct drm_syncobj_timeline_array {
	__u64 handles;
	__u64 points;
	__u32 count_handles;
	__u32 flags;
};

#define DRM_IOCTL_SYNCOBJ_CREATE	DRM_IOWR(0xbf, struct drm_syncobj_create)
#define DRM_IOCTL_SYNCOBJ_DESTROY	DRM_IOWR(0xc0, struct drm_syncobj_destroy)
#define DRM_IOCTL_SYNCOBJ_SIGNAL	DRM_IOWR(0xc5, struct drm_syncobj_array)
#define DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT	DRM_IOWR(0xca, struct drm_syncobj_timeline_wait)
#define DRM_IOCTL_SYNCOBJ_QUERY		DRM_IOWR(0xcb, struct drm_syncobj_timeline_array)
#define DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL \
	DRM_IOWR(0xcd, struct drm_syncobj_timeline_array)

#define DRM_IOCTL_DROP_MASTER	DRM_IO(0x1f)
#define DRM_IOCTL_VERSION	DRM_IOWR(0x00, struct drm_version)
#define DRM_IOCTL_GEM_CLOSE	DRM_IOW(0x09, struct drm_gem_close)

#endif /* _DRM_H_ */
