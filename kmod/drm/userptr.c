// SPDX-License-Identifier: GPL-2.0-only
/*
 * GEM_USERPTR: objects on the caller's own memory, and the process that an open file stands for.
 *
 * KFD's processes live as long as an mm has KFD open; a file of the render node needs none of
 * them. So it has a gpu_process of its own, which is made for the first caller that needs one. A
 * file serves that process: others, who inherited the file or were given it, get EPERM, where the
 * real driver lets them create the object and refuses the submission.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../gpu/bo.h"
#include "../gpu/process.h"
#include "drm_int.h"
#include "../../uapi/drm/amdgpu_drm.h"

#define VDRM_USERPTR_FLAGS \
	(AMDGPU_GEM_USERPTR_READONLY | AMDGPU_GEM_USERPTR_ANONONLY | \
	 AMDGPU_GEM_USERPTR_VALIDATE | AMDGPU_GEM_USERPTR_REGISTER)

static void vdrm_process_release(struct gpu_process *p)
{
	mutex_destroy(&p->lock);
	kfree(p);
}

struct gpu_process *vdrm_process(struct vdrm_file *vf)
{
	struct gpu_process *p;

	mutex_lock(&vf->lock);
	p = vf->process;
	if (!p) {
		p = kzalloc(sizeof(*p), GFP_KERNEL_ACCOUNT);
		if (p) {
			gpu_process_init(p, current->mm, current->group_leader,
					 vdrm_process_release);
			p->of_file = true;
			vf->process = p;
		}
	}
	mutex_unlock(&vf->lock);
	if (!p)
		return ERR_PTR(-ENOMEM);
	return p->mm == current->mm ? p : ERR_PTR(-EPERM);
}

/* In the order of the real driver's checks. */
static int vdrm_userptr_check(const struct drm_amdgpu_gem_userptr *args, u64 addr)
{
	if (offset_in_page(addr | args->size))
		return -EINVAL;
	if (!access_ok(u64_to_user_ptr(addr), args->size))
		return -EFAULT;
	if (args->flags & ~VDRM_USERPTR_FLAGS)
		return -EINVAL;
	/* Who writes has to notice that the memory is gone. We always do, but that is the rule. */
	if (!(args->flags & (AMDGPU_GEM_USERPTR_READONLY | AMDGPU_GEM_USERPTR_REGISTER)))
		return -EACCES;
	return 0;
}

/* ANONONLY without VALIDATE: the real driver looks at each submission. */
static u32 vdrm_userptr_look(u32 flags)
{
	u32 look = 0;

	if (flags & AMDGPU_GEM_USERPTR_VALIDATE)
		look = GPU_LOOK_READ | (flags & AMDGPU_GEM_USERPTR_READONLY ? 0 : GPU_LOOK_WRITE);
	if (flags & AMDGPU_GEM_USERPTR_ANONONLY)
		look |= GPU_LOOK_ANON;
	return look;
}

int vdrm_ioctl_gem_userptr(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_amdgpu_gem_userptr *args = data;
	u64 addr = untagged_addr(args->addr);
	struct gpu_process *p;
	struct gpu_bo *bo;
	int ret = vdrm_userptr_check(args, addr);

	if (ret)
		return ret;
	p = vdrm_process(file->driver_priv);
	if (IS_ERR(p))
		return PTR_ERR(p);
	bo = gpu_bo_create_userptr(to_gdev(drm), p, addr, args->size, 0, 0,
				   vdrm_userptr_look(args->flags));
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	bo->userptr.read_only = args->flags & AMDGPU_GEM_USERPTR_READONLY;
	bo->placement = AMDGPU_GEM_DOMAIN_GTT;
	ret = vdrm_handle_create(file, bo, &args->handle);
	gpu_bo_put(bo);		/* the handle has its own reference */
	return ret;
}
