// SPDX-License-Identifier: GPL-2.0-only
/*
 * GEM ioctls on the objects of gpu/. Objects made here have a handle in the
 * file; those of KFD have none. Closing a handle is the core's.
 */
#include <linux/err.h>
#include <drm/drm_gem.h>

#include "drm_int.h"
#include "../../uapi/drm/amdgpu_drm.h"

#define VDRM_GEM_FLAGS \
	(AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED | AMDGPU_GEM_CREATE_NO_CPU_ACCESS | \
	 AMDGPU_GEM_CREATE_CPU_GTT_USWC | AMDGPU_GEM_CREATE_VRAM_CLEARED | \
	 AMDGPU_GEM_CREATE_EXPLICIT_SYNC | AMDGPU_GEM_CREATE_DISCARDABLE)

/* There is no GDS, GWS or OA memory, and a list of domains is a preference. */
static int vdrm_gem_kind(u64 domains, enum gpu_bo_kind *kind)
{
	if (!domains || domains & ~(u64)(AMDGPU_GEM_DOMAIN_CPU | AMDGPU_GEM_DOMAIN_GTT |
					 AMDGPU_GEM_DOMAIN_VRAM))
		return -EINVAL;
	*kind = domains & AMDGPU_GEM_DOMAIN_VRAM ? GPU_BO_VRAM : GPU_BO_GTT;
	return 0;
}

int vdrm_ioctl_gem_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	union drm_amdgpu_gem_create *args = data;
	u64 flags = args->in.domain_flags;
	enum gpu_bo_kind kind;
	struct gpu_bo *bo;
	u32 handle;
	int ret;

	if (flags & ~(u64)VDRM_GEM_FLAGS)
		return -EINVAL;
	/* Alignment is about GPU addresses, which the caller chooses. */
	if (args->in.alignment & (args->in.alignment - 1))
		return -EINVAL;
	ret = vdrm_gem_kind(args->in.domains, &kind);
	if (ret)
		return ret;

	bo = gpu_bo_create(to_gdev(drm), kind, args->in.bo_size, 0, 0);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	bo->gem_flags = flags;
	ret = drm_gem_handle_create(file, &bo->base, &handle);
	gpu_bo_put(bo);		/* the handle has its own */
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
	if (to_gpu_bo(obj)->gem_flags & AMDGPU_GEM_CREATE_NO_CPU_ACCESS)
		ret = -EPERM;
	else
		args->out.addr_ptr = gpu_bo_mmap_offset(to_gpu_bo(obj));
	if (!ret && !args->out.addr_ptr)
		ret = -ENOMEM;
	drm_gem_object_put(obj);
	return ret;
}
