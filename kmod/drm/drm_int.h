/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to kmod/drm/: the DRM device, the state of an open file, and the
 * handlers in the ioctl table of drv.c.
 */
#ifndef VDRM_INT_H
#define VDRM_INT_H

#include <drm/drm_device.h>
#include <drm/drm_file.h>

#include "drm.h"

/*
 * The interface we promise: amdgpu's of Linux 6.1. A version number is a
 * promise, and runtimes use what it says.
 */
#define VDRM_MAJOR	3
#define VDRM_MINOR	49

/**
 * struct vdrm_device - DRM's view of a GPU
 * @gdev: outlives @drm: objects and files hold both
 */
struct vdrm_device {
	struct drm_device drm;
	struct gpu_device *gdev;
};

/**
 * struct vdrm_file - an open node
 * @vm: its GPU address space, which ACQUIRE_VM may make a compute VM
 * @handles: address of an object -> how many handles of it there are (@lock)
 * @ctxs: contexts by id
 */
struct vdrm_file {
	struct gpu_vm *vm;
	struct mutex lock;
	struct xarray handles;
	struct xarray ctxs;
};

/* AMDGPU_VA_RESERVED_SIZE of 6.1, the bottom of the address space; the hole. */
#define VDRM_VA_RESERVED	0x200000ull
#define VDRM_VA_HOLE_START	0x0000800000000000ull
#define VDRM_VA_HOLE_END	0xffff800000000000ull

static inline struct gpu_device *to_gdev(struct drm_device *drm)
{
	return container_of(drm, struct vdrm_device, drm)->gdev;
}

/* gem.c */
int vdrm_ioctl_gem_create(struct drm_device *drm, void *data, struct drm_file *file);
int vdrm_ioctl_gem_mmap(struct drm_device *drm, void *data, struct drm_file *file);

int vdrm_ioctl_gem_wait_idle(struct drm_device *drm, void *data, struct drm_file *file);
int vdrm_ioctl_gem_metadata(struct drm_device *drm, void *data, struct drm_file *file);
int vdrm_ioctl_gem_op(struct drm_device *drm, void *data, struct drm_file *file);

/* va.c */
int vdrm_ioctl_gem_va(struct drm_device *drm, void *data, struct drm_file *file);
int vdrm_bo_open(struct gpu_bo *bo, struct drm_file *file);
void vdrm_bo_close(struct gpu_bo *bo, struct drm_file *file);

/* ctx.c */
int vdrm_ioctl_ctx(struct drm_device *drm, void *data, struct drm_file *file);

/* info.c */
int vdrm_ioctl_info(struct drm_device *drm, void *data, struct drm_file *file);

#endif /* VDRM_INT_H */
