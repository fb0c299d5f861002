// SPDX-License-Identifier: GPL-2.0-only
/*
 * The DRM driver: its devices, its files, its ioctl table.
 *
 * A file has one GPU address space. KFD takes it over with ACQUIRE_VM
 * (gpu_drm_ops.file_vm) and allows this file, and no other, to mmap KFD's objects
 * (bo_allow). Other ioctls of amdgpu are not in the table; DRM's dispatcher answers
 * EINVAL for them.
 */
#include <linux/device.h>
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_prime.h>
#include <drm/drm_vma_manager.h>

#include "../compat/file.h"
#include "../gpu/bo.h"
#include "../gpu/dmabuf.h"
#include "../gpu/process.h"
#include "../gpu/vm.h"
#include "drm_int.h"
#include "../../uapi/drm/amdgpu_drm.h"

/* ------------------------------------------------------------------- files */

static int vdrm_open(struct drm_device *drm, struct drm_file *file)
{
	struct vdrm_file *vf;

	vf = kzalloc(sizeof(*vf), GFP_KERNEL_ACCOUNT);
	if (!vf)
		return -ENOMEM;
	vf->vdev = container_of(drm, struct vdrm_device, drm);
	vf->vm = gpu_vm_create(to_gdev(drm));
	if (IS_ERR(vf->vm)) {
		int ret = PTR_ERR(vf->vm);

		kfree(vf);
		return ret;
	}
	mutex_init(&vf->lock);
	xa_init(&vf->handles);
	xa_init_flags(&vf->ctxs, XA_FLAGS_ALLOC1);
	xa_init_flags(&vf->lists, XA_FLAGS_ALLOC1);
	xa_init_flags(&vf->userqs, XA_FLAGS_ALLOC1);
	vdrm_jobs_init(vf);
	file->driver_priv = vf;
	vdrm_activity_get(&container_of(drm, struct vdrm_device, drm)->pm.activity);
	return 0;
}

static void vdrm_postclose(struct drm_device *drm, struct drm_file *file)
{
	struct vdrm_file *vf = file->driver_priv;

	vdrm_activity_put(&container_of(drm, struct vdrm_device, drm)->pm.activity);
	/* The DRM core has closed all handles. */
	WARN_ON(!xa_empty(&vf->handles));
	xa_destroy(&vf->handles);
	vdrm_jobs_fini(vf);
	vdrm_lists_free(vf);
	vdrm_ctxs_free(vf);
	xa_destroy(&vf->userqs);
	vdrm_vmid_put(container_of(drm, struct vdrm_device, drm), vf);
	gpu_vm_put(vf->vm);
	if (vf->process)
		gpu_process_put(vf->process);
	mutex_destroy(&vf->lock);
	kfree(vf);
}

/* ------------------------------------------------------------------ driver */

#define VDRM_IOCTL(name, fn) \
	DRM_IOCTL_DEF_DRV(AMDGPU_##name, vdrm_ioctl_##fn, DRM_AUTH | DRM_RENDER_ALLOW),
#define VDRM_IOCTL_MASTER(name, fn) \
	DRM_IOCTL_DEF_DRV(AMDGPU_##name, vdrm_ioctl_##fn, DRM_MASTER),

static const struct drm_ioctl_desc vdrm_ioctls[] = {
#include "ioctls.def"
};

#undef VDRM_IOCTL
#undef VDRM_IOCTL_MASTER

/* ------------------------------------------------------------------- PRIME */

/* The GPU may have got another device since the call began. */
static struct drm_gem_object *vdrm_own_object(struct gpu_bo *bo, const struct drm_device *drm)
{
	if (IS_ERR(bo))
		return ERR_CAST(bo);
	if (bo->base.dev == drm)
		return &bo->base;
	gpu_bo_put(bo);
	return ERR_PTR(-ENODEV);
}

static struct drm_gem_object *vdrm_prime_import(struct drm_device *drm, struct dma_buf *dmabuf)
{
	return vdrm_own_object(gpu_bo_import(to_gdev(drm), dmabuf), drm);
}

static struct drm_gem_object *vdrm_prime_import_sg(struct drm_device *drm,
						   struct dma_buf_attachment *attach,
						   struct sg_table *sgt)
{
	return vdrm_own_object(gpu_bo_create_import(to_gdev(drm), attach->dmabuf->size, sgt), drm);
}

/* The caller sleeps for what the GPU has taken above memory.high (gpu/room.c). */
static long vdrm_throttle(struct file *f, long ret)
{
	struct drm_file *file = f->private_data;

	gpu_vm_throttle(((struct vdrm_file *)file->driver_priv)->vm);
	return ret;
}

static long vdrm_ioctl(struct file *f, unsigned int cmd, unsigned long arg)
{
	return vdrm_throttle(f, drm_ioctl(f, cmd, arg));
}

#ifdef CONFIG_COMPAT
static long vdrm_compat_ioctl(struct file *f, unsigned int cmd, unsigned long arg)
{
	return vdrm_throttle(f, drm_compat_ioctl(f, cmd, arg));
}
#else
#define vdrm_compat_ioctl NULL
#endif

/*
 * Called whenever a descriptor is closed; of the last one, before handles are. Without @id, it is
 * KFD in front of this node, which has the file as well: the file's process has ended.
 */
static int vdrm_flush(struct file *f, fl_owner_t id)
{
	struct drm_file *file = f->private_data;

	if (!id || file_count(f) == 1)
		vdrm_jobs_close(file->driver_priv);
	return 0;
}

/* drm_release() closes handles, which wait for jobs. Whoever kept the file, these end now. */
static int vdrm_release(struct inode *inode, struct file *f)
{
	struct drm_file *file = f->private_data;

	vdrm_userqs_close(file->driver_priv, vdrm_killed());
	vdrm_jobs_close(file->driver_priv);
	return drm_release(inode, f);
}

/* DRM_GEM_FOPS would name some of these twice. */
static const struct file_operations vdrm_fops = {
	.owner = THIS_MODULE,
	.open = drm_open,
	.flush = vdrm_flush,
	.release = vdrm_release,
	.unlocked_ioctl = vdrm_ioctl,
	.compat_ioctl = vdrm_compat_ioctl,
	.poll = drm_poll,
	.read = drm_read,
	.llseek = noop_llseek,
	.mmap = drm_gem_mmap,
	COMPAT_DRM_FOP_FLAGS
};

static const struct drm_driver vdrm_driver = {
	.driver_features = DRIVER_GEM | DRIVER_RENDER | DRIVER_SYNCOBJ |
			   DRIVER_SYNCOBJ_TIMELINE,
	.open = vdrm_open,
	.postclose = vdrm_postclose,
	.ioctls = vdrm_ioctls,
	.num_ioctls = ARRAY_SIZE(vdrm_ioctls),
	.fops = &vdrm_fops,
	COMPAT_DRM_PRIME_HANDLES
	.gem_prime_import = vdrm_prime_import,
	.gem_prime_import_sg_table = vdrm_prime_import_sg,
	.name = "amdgpu",
	.desc = "AMD GPU",
	COMPAT_DRM_DRIVER_DATE("20150101")
	.major = VDRM_MAJOR,
	.minor = VDRM_MINOR,
	.patchlevel = 0,
};

/* ------------------------------------------------------- for the KFD face */

/* @f's DRM file if it is an open node of @drm. */
static struct drm_file *vdrm_file_of(const struct drm_device *drm, struct file *f)
{
	struct drm_file *file;

	if (f->f_op != &vdrm_fops)
		return NULL;
	file = f->private_data;
	return file->minor->dev == drm ? file : NULL;
}

struct vdrm_file *vdrm_file_priv(struct file *f)
{
	return f->f_op == &vdrm_fops ? ((struct drm_file *)f->private_data)->driver_priv : NULL;
}

static int vdrm_file_vm(struct gpu_device *gdev, struct file *f, struct gpu_vm **vm)
{
	struct drm_file *file = vdrm_file_of(gdev->drm, f);

	if (!file)
		return -EINVAL;
	*vm = ((struct vdrm_file *)file->driver_priv)->vm;
	return 0;
}

/* Uses the object's own DRM device: the GPU may have been unbound and bound again. */
static int vdrm_bo_allow(struct gpu_bo *bo, struct file *f)
{
	struct drm_file *file = vdrm_file_of(bo->base.dev, f);

	if (!file)
		return -EINVAL;
	return drm_vma_node_allow(&bo->base.vma_node, file);
}

static void vdrm_bo_revoke(struct gpu_bo *bo, struct file *f)
{
	struct drm_file *file = vdrm_file_of(bo->base.dev, f);

	if (file)
		drm_vma_node_revoke(&bo->base.vma_node, file);
}

static void vdrm_sleep(struct gpu_device *gdev, bool sleep)
{
	struct drm_device *drm = gpu_device_drm_get(gdev);

	if (!drm)
		return;
	vdrm_userqs_sleep(&container_of(drm, struct vdrm_device, drm)->userqs, sleep);
	drm_dev_put(drm);
}

static const struct gpu_drm_ops vdrm_gpu_ops = {
	.file_vm = vdrm_file_vm,
	.bo_allow = vdrm_bo_allow,
	.bo_revoke = vdrm_bo_revoke,
	.bo_open = vdrm_bo_open,
	.bo_close = vdrm_bo_close,
	.sleep = vdrm_sleep,
};

/* ----------------------------------------------------------------- devices */

int vdrm_device_init(struct gpu_device *gdev, struct device *parent)
{
	struct vdrm_device *vdev;
	int ret;

	/* For imported dma-bufs. CPUs do the DMA here, and they reach all memory. */
	ret = dma_coerce_mask_and_coherent(parent, DMA_BIT_MASK(64));
	if (ret)
		return ret;
	/* @parent may have no driver, so devres would never be released without a group. */
	if (!devres_open_group(parent, gdev, GFP_KERNEL))
		return -ENOMEM;
	vdev = devm_drm_dev_alloc(parent, &vdrm_driver, struct vdrm_device, drm);
	if (IS_ERR(vdev)) {
		ret = PTR_ERR(vdev);
		goto out_devres;
	}
	vdev->gdev = gdev;
	vdrm_pm_init(&vdev->pm, gdev);
	vdrm_userqs_init(&vdev->userqs, READ_ONCE(gdev->suspended));
	vdrm_moves_init(&vdev->moves);
	gdev->drm_priv = vdev;
	gdev->drm_ops = &vdrm_gpu_ops;
	gpu_device_set_drm(gdev, &vdev->drm);
	/* Before the nodes appear: udev and others look at these files at once. */
	ret = gdev->part ? 0 : vdrm_sysfs_init(vdev, parent);
	if (ret)
		goto out_clear;
	ret = vdrm_xcp_metrics_init(gdev, parent);
	if (ret)
		goto out_sysfs;
	ret = drm_dev_register(&vdev->drm, 0);
	if (ret)
		goto out_xcp;
	gdev->render_minor = vdev->drm.render->index;
	devres_close_group(parent, gdev);
	return 0;

out_xcp:
	vdrm_xcp_metrics_fini(gdev, parent);
out_sysfs:
	if (!gdev->part)
		vdrm_sysfs_fini(vdev, parent);
out_clear:
	gpu_device_set_drm(gdev, NULL);
out_devres:
	devres_release_group(parent, gdev);
	return ret;
}

void vdrm_device_fini(struct gpu_device *gdev)
{
	struct drm_device *drm = gdev->drm;
	struct device *parent = drm->dev;

	drm_dev_unplug(drm);
	vdrm_userqs_fini(&container_of(drm, struct vdrm_device, drm)->userqs);
	vdrm_xcp_metrics_fini(gdev, parent);
	if (!gdev->part)
		vdrm_sysfs_fini(gdev->drm_priv, parent);
	gpu_device_set_drm(gdev, NULL);
	devres_release_group(parent, gdev);
}
