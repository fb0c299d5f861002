/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to kmod/drm/: the DRM device, the state of an open file, and the
 * handlers in the ioctl table of drv.c.
 */
#ifndef VDRM_INT_H
#define VDRM_INT_H

#include <linux/device.h>
#include <drm/drm_device.h>
#include <drm/drm_file.h>

#include "drm.h"
#include "pm.h"

/*
 * The interface that we promise: amdgpu's of Linux 6.1. Runtimes use every feature that
 * a version number promises.
 */
#define VDRM_MAJOR	3
#define VDRM_MINOR	49

/* A real part number is "113-", board, "-", revision; ours has the target's name. */
#define VDRM_VBIOS_PN	"113-VKFD-%s"
/* Of the same form as a real one's: the module's version stands in the first three. */
#define VDRM_VBIOS_VERSION	"%03u.%03u.%03u.000.000000"
#define VDRM_VBIOS_DATE	"2026/11/01 00:00"

struct gpu_target;

/**
 * struct vdrm_device - DRM's view of a GPU
 * @gdev: outlives @drm, as objects and files hold references to both
 * @pm: activity, and the model of clocks and power
 * @hwmon: may be NULL
 * @ip_dirs: directories of ip_discovery/ (discovery.c)
 */
struct vdrm_device {
	struct drm_device drm;
	struct gpu_device *gdev;
	struct vdrm_pm pm;
	struct device *hwmon;
	struct list_head ip_dirs;
};

/**
 * struct vdrm_file - an open node
 * @vm: its GPU address space, which ACQUIRE_VM may make a compute VM
 * @handles: number of handles of each object, by the object's address (@lock)
 * @ctxs: contexts by id; @lists: lists of objects by id (both @lock)
 */
struct vdrm_file {
	struct gpu_vm *vm;
	struct mutex lock;
	struct xarray handles;
	struct xarray ctxs, lists;
};

/* AMDGPU_VA_RESERVED_SIZE of 6.1: the bottom of the address space; and the hole. */
#define VDRM_VA_RESERVED	0x200000ull
#define VDRM_VA_HOLE_START	0x0000800000000000ull
#define VDRM_VA_HOLE_END	0xffff800000000000ull

static inline struct gpu_device *to_gdev(struct drm_device *drm)
{
	return container_of(drm, struct vdrm_device, drm)->gdev;
}

/* For the sysfs files of the device that is the GPU's parent. */
static inline struct vdrm_device *dev_to_vdev(struct device *dev)
{
	return ((struct gpu_device *)dev_get_drvdata(dev))->drm_priv;
}

static inline struct vdrm_pm *dev_to_pm(struct device *dev)
{
	return &dev_to_vdev(dev)->pm;
}

/* sysfs.c */
int vdrm_sysfs_init(struct vdrm_device *vdev, struct device *parent);
void vdrm_sysfs_fini(struct vdrm_device *vdev, struct device *parent);

/* sysfs_board.c */
extern const struct attribute_group vdrm_board_group;

/* sysfs_ras.c */
extern const struct attribute_group vdrm_ras_group;
/* BIT() of the protected blocks, in amdgpu's numbering; 0 without ECC. */
u32 vdrm_ras_features(const struct gpu_target *t);

/* discovery.c */
int vdrm_discovery_init(struct vdrm_device *vdev, struct device *parent);
void vdrm_discovery_fini(struct vdrm_device *vdev);

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

/* cs.c */
int vdrm_ioctl_bo_list(struct drm_device *drm, void *data, struct drm_file *file);
int vdrm_ioctl_cs(struct drm_device *drm, void *data, struct drm_file *file);
int vdrm_ioctl_wait_cs(struct drm_device *drm, void *data, struct drm_file *file);
void vdrm_lists_free(struct vdrm_file *vf);

/* ctx.c */
#define VDRM_CTX_RINGS	2	/* SDMA engines that accept jobs */
/* May the context submit jobs? -ECANCELED if one of its jobs has failed. */
int vdrm_ctx_check(struct vdrm_file *vf, u32 id);
/* A job on @ring has ended, with @err. Sets *@seq to the job's number. */
int vdrm_ctx_done(struct vdrm_file *vf, u32 id, u32 ring, int err, u64 *seq);
int vdrm_ctx_wait(struct vdrm_file *vf, u32 id, u32 ring, u64 seq);
void vdrm_ctxs_free(struct vdrm_file *vf);
int vdrm_ioctl_ctx(struct drm_device *drm, void *data, struct drm_file *file);

/* info.c */
int vdrm_ioctl_info(struct drm_device *drm, void *data, struct drm_file *file);

#endif /* VDRM_INT_H */
