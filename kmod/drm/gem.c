// SPDX-License-Identifier: GPL-2.0-only
/*
 * GEM ioctls on the objects of gpu/. Objects created here have a handle in the file;
 * those of KFD have none. The DRM core closes handles.
 */
#include <linux/dma-resv.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <drm/drm_gem.h>

#include "../gpu/bo.h"
#include "../gpu/doorbell.h"
#include "../gpu/vm.h"
#include "drm_int.h"
#include "../../uapi/drm/amdgpu_drm.h"

#define VDRM_GEM_FLAGS \
	(AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED | AMDGPU_GEM_CREATE_NO_CPU_ACCESS | \
	 AMDGPU_GEM_CREATE_CPU_GTT_USWC | AMDGPU_GEM_CREATE_VRAM_CLEARED | \
	 AMDGPU_GEM_CREATE_EXPLICIT_SYNC | AMDGPU_GEM_CREATE_DISCARDABLE)

/* There is no GDS, GWS or OA memory. A set of domains is only a preference. */
static int vdrm_gem_kind(u64 domains, enum gpu_bo_kind *kind)
{
	if (!domains || domains & ~(u64)(AMDGPU_GEM_DOMAIN_CPU | AMDGPU_GEM_DOMAIN_GTT |
					 AMDGPU_GEM_DOMAIN_VRAM))
		return -EINVAL;
	*kind = domains & AMDGPU_GEM_DOMAIN_VRAM ? GPU_BO_VRAM : GPU_BO_GTT;
	return 0;
}

/* The real driver has this domain whether or not there are user queues. */
static struct gpu_bo *vdrm_doorbells(struct vdrm_file *vf, u64 size)
{
	struct gpu_process *p = vdrm_process(vf);
	struct gpu_bo *bo;

	if (IS_ERR(p))
		return ERR_CAST(p);
	bo = gpu_bo_create_doorbells(vf->vm->gdev, p, size);
	/* Until the file's last handle is closed (vdrm_bo_close()) */
	if (!IS_ERR(bo))
		gpu_doorbells_set_vm(bo->doorbells, vf->vm);
	return bo;
}

/*
 * As in the real driver: others have to leave for an object that asks for VRAM only, and if that
 * is of no use, or others should not leave, it is put into system memory.
 */
static struct gpu_bo *vdrm_vram(struct gpu_device *gdev, u64 size, u64 domains)
{
	bool only = domains == AMDGPU_GEM_DOMAIN_VRAM;
	struct gpu_bo *bo;

	bo = gpu_bo_create_vram(gdev, size, 0, 0, only ? GPU_VRAM_GEM : GPU_VRAM_FREE);
	if (!IS_ERR(bo) || PTR_ERR(bo) == -ERESTARTSYS || PTR_ERR(bo) == -EINTR)
		return bo;
	return gpu_bo_create(gdev, GPU_BO_GTT, size, 0, 0);
}

int vdrm_handle_create(struct drm_file *file, struct gpu_bo *bo, u32 *handle)
{
	/* The GPU was unbound and bound again during the call: the object is of its new device. */
	if (bo->base.dev != file->minor->dev)
		return -ENODEV;
	return drm_gem_handle_create(file, &bo->base, handle);
}

int vdrm_ioctl_gem_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	union drm_amdgpu_gem_create *args = data;
	u64 flags = args->in.domain_flags;
	enum gpu_bo_kind kind = GPU_BO_GTT;
	struct gpu_bo *bo;
	u32 handle;
	int ret;

	if (flags & ~(u64)VDRM_GEM_FLAGS)
		return -EINVAL;
	/* The caller chooses GPU addresses, so the alignment is only checked and stored. */
	if (args->in.alignment & (args->in.alignment - 1))
		return -EINVAL;
	ret = args->in.domains == AMDGPU_GEM_DOMAIN_DOORBELL ? 0 :
	      vdrm_gem_kind(args->in.domains, &kind);
	if (ret)
		return ret;

	if (args->in.domains == AMDGPU_GEM_DOMAIN_DOORBELL)
		bo = vdrm_doorbells(file->driver_priv, args->in.bo_size);
	else if (kind == GPU_BO_VRAM)
		bo = vdrm_vram(to_gdev(drm), args->in.bo_size, args->in.domains);
	else
		bo = gpu_bo_create(to_gdev(drm), kind, args->in.bo_size, 0, 0);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	bo->gem_flags = flags;
	bo->gem_align = args->in.alignment;
	bo->no_cpu = flags & AMDGPU_GEM_CREATE_NO_CPU_ACCESS;
	bo->placement = args->in.domains;
	ret = vdrm_handle_create(file, bo, &handle);
	/* Without a handle, none is closed (vdrm_bo_close()), but another thread may map it. */
	if (ret && bo->own_doorbells)
		gpu_doorbells_drop_vm(bo->doorbells, ((struct vdrm_file *)file->driver_priv)->vm);
	gpu_bo_put(bo);		/* the handle has its own reference */
	if (ret)
		return ret;
	args->out = (struct drm_amdgpu_gem_create_out){ .handle = handle };
	return 0;
}

int vdrm_ioctl_gem_mmap(struct drm_device *drm, void *data, struct drm_file *file)
{
	union drm_amdgpu_gem_mmap *args = data;
	struct drm_gem_object *obj;
	int ret = 0;

	obj = drm_gem_object_lookup(file, args->in.handle);
	if (!obj)
		return -ENOENT;
	if (to_gpu_bo(obj)->no_cpu || to_gpu_bo(obj)->kind == GPU_BO_IMPORT ||
	    to_gpu_bo(obj)->kind == GPU_BO_USERPTR)
		ret = -EPERM;
	else
		args->out.addr_ptr = gpu_bo_mmap_offset(to_gpu_bo(obj));
	if (!ret && !args->out.addr_ptr)
		ret = -ENOMEM;
	drm_gem_object_put(obj);
	return ret;
}

unsigned long vdrm_timeout(u64 timeout_ns)
{
	s64 left = (s64)timeout_ns - ktime_get_ns();

	if ((s64)timeout_ns < 0)
		return MAX_SCHEDULE_TIMEOUT;
	return left < 0 ? 0 : min_t(u64, nsecs_to_jiffies64(left), MAX_SCHEDULE_TIMEOUT - 1);
}

/*
 * Waits for jobs that were submitted with the object (cs.c), and for other users of its
 * dma-buf. KFD's queues put no fences on objects, here as in the real driver.
 */
int vdrm_ioctl_gem_wait_idle(struct drm_device *drm, void *data, struct drm_file *file)
{
	union drm_amdgpu_gem_wait_idle *args = data;
	struct drm_gem_object *obj;
	long left;

	obj = drm_gem_object_lookup(file, args->in.handle);
	if (!obj)
		return -ENOENT;
	left = dma_resv_wait_timeout(obj->resv, DMA_RESV_USAGE_READ, true,
				     vdrm_timeout(args->in.timeout));
	drm_gem_object_put(obj);
	if (left < 0)
		return left;
	args->out = (struct drm_amdgpu_gem_wait_idle_out){ .status = !left };
	return 0;
}

/* ---------------------------------------------------- metadata and placement */

static int vdrm_metadata_set(struct gpu_bo *bo, const struct drm_amdgpu_gem_metadata *args)
{
	struct gpu_bo_metadata *md, *old;

	if (args->data.data_size_bytes > sizeof(args->data.data))
		return -EINVAL;
	md = kzalloc(sizeof(*md), GFP_KERNEL_ACCOUNT);
	if (!md)
		return -ENOMEM;
	md->tiling = args->data.tiling_info;
	mutex_lock(&bo->lock);
	old = bo->metadata;
	md->bytes = args->data.data_size_bytes;
	/* Without data, existing flags are kept, as in the real driver. */
	md->flags = md->bytes || !old ? args->data.flags : old->flags;
	memcpy(md->data, args->data.data, md->bytes);
	bo->metadata = md;
	mutex_unlock(&bo->lock);
	kfree(old);
	return 0;
}

static void vdrm_metadata_get(struct gpu_bo *bo, struct drm_amdgpu_gem_metadata *args)
{
	memset(&args->data, 0, sizeof(args->data));
	mutex_lock(&bo->lock);
	if (bo->metadata) {
		args->data.flags = bo->metadata->flags;
		args->data.tiling_info = bo->metadata->tiling;
		args->data.data_size_bytes = bo->metadata->bytes;
		memcpy(args->data.data, bo->metadata->data, bo->metadata->bytes);
	}
	mutex_unlock(&bo->lock);
}

int vdrm_ioctl_gem_metadata(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_amdgpu_gem_metadata *args = data;
	struct drm_gem_object *obj;
	int ret = 0;

	static_assert(sizeof(args->data.data) == sizeof(((struct gpu_bo_metadata *)0)->data));

	obj = drm_gem_object_lookup(file, args->handle);
	if (!obj)
		return -ENOENT;
	if (args->op == AMDGPU_GEM_METADATA_OP_GET_METADATA)
		vdrm_metadata_get(to_gpu_bo(obj), args);
	else if (args->op == AMDGPU_GEM_METADATA_OP_SET_METADATA)
		ret = vdrm_metadata_set(to_gpu_bo(obj), args);
	else
		ret = -EINVAL;
	drm_gem_object_put(obj);
	return ret;
}

static int vdrm_create_info(struct gpu_bo *bo, void __user *out)
{
	u32 domain = bo->kind == GPU_BO_VRAM ? AMDGPU_GEM_DOMAIN_VRAM : AMDGPU_GEM_DOMAIN_GTT;
	struct drm_amdgpu_gem_create_in info = {
		.bo_size = bo->base.size,
		.alignment = PAGE_ALIGN(bo->gem_align),
		.domains = READ_ONCE(bo->placement) ?: domain,
		.domain_flags = bo->gem_flags,
	};

	return copy_to_user(out, &info, sizeof(info)) ? -EFAULT : 0;
}

/* Checks the new placement as the real driver does, but moves nothing. */
static int vdrm_set_placement(struct gpu_bo *bo, u64 domains)
{
	if (bo->kind == GPU_BO_IMPORT && domains & AMDGPU_GEM_DOMAIN_VRAM)
		return -EINVAL;
	if (bo->kind == GPU_BO_USERPTR)
		return -EPERM;
	WRITE_ONCE(bo->placement, domains & (AMDGPU_GEM_DOMAIN_VRAM | AMDGPU_GEM_DOMAIN_GTT |
					     AMDGPU_GEM_DOMAIN_CPU));
	return 0;
}

int vdrm_ioctl_gem_op(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct drm_amdgpu_gem_op *args = data;
	struct drm_gem_object *obj;
	int ret = -EINVAL;

	obj = drm_gem_object_lookup(file, args->handle);
	if (!obj)
		return -ENOENT;
	if (args->op == AMDGPU_GEM_OP_GET_GEM_CREATE_INFO)
		ret = vdrm_create_info(to_gpu_bo(obj), u64_to_user_ptr(args->value));
	else if (args->op == AMDGPU_GEM_OP_SET_PLACEMENT)
		ret = vdrm_set_placement(to_gpu_bo(obj), args->value);
	drm_gem_object_put(obj);
	return ret;
}
