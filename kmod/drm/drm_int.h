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
 */
struct vdrm_file {
	struct gpu_vm *vm;
};

static inline struct gpu_device *to_gdev(struct drm_device *drm)
{
	return container_of(drm, struct vdrm_device, drm)->gdev;
}

/* gem.c */
int vdrm_ioctl_gem_create(struct drm_device *drm, void *data, struct drm_file *file);
int vdrm_ioctl_gem_mmap(struct drm_device *drm, void *data, struct drm_file *file);

/* info.c */
int vdrm_ioctl_info(struct drm_device *drm, void *data, struct drm_file *file);

#endif /* VDRM_INT_H */
