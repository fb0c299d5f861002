// SPDX-License-Identifier: GPL-2.0-only
/*
 * The DRM driver: its devices, its files, its ioctl table.
 *
 * A file has one GPU address space. KFD takes it over with ACQUIRE_VM
 * (gpu_drm_ops.file_vm) and lets the same file, and no other, mmap KFD's
 * objects (bo_allow). Everything else that amdgpu's table has is not in ours:
 * DRM's dispatcher answers EINVAL for it.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_vma_manager.h>

#include "drm_int.h"
#include "../../uapi/drm/amdgpu_drm.h"

/* ------------------------------------------------------------------- files */

static int vdrm_open(struct drm_device *drm, struct drm_file *file)
{
	struct vdrm_file *vf;

	vf = kzalloc(sizeof(*vf), GFP_KERNEL_ACCOUNT);
	if (!vf)
		return -ENOMEM;
	vf->vm = gpu_vm_create(to_gdev(drm));
	if (IS_ERR(vf->vm)) {
		int ret = PTR_ERR(vf->vm);

		kfree(vf);
		return ret;
	}
	file->driver_priv = vf;
	return 0;
}

static void vdrm_postclose(struct drm_device *drm, struct drm_file *file)
{
	struct vdrm_file *vf = file->driver_priv;

	gpu_vm_put(vf->vm);
	kfree(vf);
}

/* ------------------------------------------------------------------ driver */

#define VDRM_IOCTL(name, fn) \
	DRM_IOCTL_DEF_DRV(AMDGPU_##name, vdrm_ioctl_##fn, DRM_AUTH | DRM_RENDER_ALLOW)

static const struct drm_ioctl_desc vdrm_ioctls[] = {
	VDRM_IOCTL(GEM_CREATE, gem_create),
	VDRM_IOCTL(GEM_MMAP, gem_mmap),
	VDRM_IOCTL(INFO, info),
};

DEFINE_DRM_GEM_FOPS(vdrm_fops);

static const struct drm_driver vdrm_driver = {
	.driver_features = DRIVER_GEM | DRIVER_RENDER,
	.open = vdrm_open,
	.postclose = vdrm_postclose,
	.ioctls = vdrm_ioctls,
	.num_ioctls = ARRAY_SIZE(vdrm_ioctls),
	.fops = &vdrm_fops,
	.name = "amdgpu",
	.desc = "AMD GPU",
	COMPAT_DRM_DRIVER_DATE("20150101")
	.major = VDRM_MAJOR,
	.minor = VDRM_MINOR,
	.patchlevel = 0,
};

/* ------------------------------------------------------- for the KFD face */

/* @f's DRM file if it is an open node of @gdev. */
static struct drm_file *vdrm_file_of(struct gpu_device *gdev, struct file *f)
{
	struct drm_file *file;

	if (f->f_op != &vdrm_fops)
		return NULL;
	file = f->private_data;
	return file->minor->dev == gdev->drm ? file : NULL;
}

static int vdrm_file_vm(struct gpu_device *gdev, struct file *f, struct gpu_vm **vm)
{
	struct drm_file *file = vdrm_file_of(gdev, f);

	if (!file)
		return -EINVAL;
	*vm = ((struct vdrm_file *)file->driver_priv)->vm;
	return 0;
}

static int vdrm_bo_allow(struct gpu_bo *bo, struct file *f)
{
	struct drm_file *file = vdrm_file_of(bo->gdev, f);

	if (!file)
		return -EINVAL;
	return drm_vma_node_allow(&bo->base.vma_node, file);
}

static void vdrm_bo_revoke(struct gpu_bo *bo, struct file *f)
{
	struct drm_file *file = vdrm_file_of(bo->gdev, f);

	if (file)
		drm_vma_node_revoke(&bo->base.vma_node, file);
}

static const struct gpu_drm_ops vdrm_gpu_ops = {
	.file_vm = vdrm_file_vm,
	.bo_allow = vdrm_bo_allow,
	.bo_revoke = vdrm_bo_revoke,
};

/* ----------------------------------------------------------------- devices */

/*
 * What the DRM device hangs under in sysfs: the one place that knows. It
 * decides what libdrm takes the bus for, so it is a device on a real bus.
 */
static struct device *vdrm_parent_create(struct gpu_device *gdev)
{
	struct platform_device *pdev;

	pdev = platform_device_register_simple("vkfd_gpu", gdev->index, NULL, 0);
	return IS_ERR(pdev) ? ERR_CAST(pdev) : &pdev->dev;
}

static void vdrm_parent_destroy(struct device *parent)
{
	platform_device_unregister(to_platform_device(parent));
}

int vdrm_device_init(struct gpu_device *gdev)
{
	struct vdrm_device *vdev;
	struct device *parent;
	int ret;

	parent = vdrm_parent_create(gdev);
	if (IS_ERR(parent))
		return PTR_ERR(parent);
	/* No driver binds to the parent, so its managed resources need a group. */
	if (!devres_open_group(parent, NULL, GFP_KERNEL)) {
		ret = -ENOMEM;
		goto out_parent;
	}
	vdev = devm_drm_dev_alloc(parent, &vdrm_driver, struct vdrm_device, drm);
	if (IS_ERR(vdev)) {
		ret = PTR_ERR(vdev);
		goto out_devres;
	}
	vdev->gdev = gdev;
	gdev->drm = &vdev->drm;
	gdev->drm_ops = &vdrm_gpu_ops;
	ret = drm_dev_register(&vdev->drm, 0);
	if (ret)
		goto out_clear;
	gdev->render_minor = vdev->drm.render->index;
	return 0;

out_clear:
	gdev->drm = NULL;
	gdev->drm_ops = NULL;
out_devres:
	devres_release_group(parent, NULL);
out_parent:
	vdrm_parent_destroy(parent);
	return ret;
}

void vdrm_device_fini(struct gpu_device *gdev)
{
	struct device *parent = gdev->drm->dev;

	drm_dev_unplug(gdev->drm);
	gdev->drm = NULL;
	devres_release_group(parent, NULL);
	vdrm_parent_destroy(parent);
}
