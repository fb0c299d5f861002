// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts. There is no command submission through this node, so a context is
 * a number with a clean record: nothing was ever hung or lost in it.
 */
#include <linux/capability.h>
#include <linux/xarray.h>
#include <drm/drm_auth.h>

#include "drm_int.h"
#include "../../uapi/drm/amdgpu_drm.h"

#define VDRM_MAX_CTX	4096	/* of a file */

static bool vdrm_priority_known(s32 priority)
{
	return priority == AMDGPU_CTX_PRIORITY_VERY_LOW || priority == AMDGPU_CTX_PRIORITY_LOW ||
	       priority == AMDGPU_CTX_PRIORITY_NORMAL || priority == AMDGPU_CTX_PRIORITY_HIGH ||
	       priority == AMDGPU_CTX_PRIORITY_VERY_HIGH;
}

static int vdrm_ctx_alloc(struct vdrm_file *vf, struct drm_file *file,
			  union drm_amdgpu_ctx *args)
{
	s32 priority = args->in.priority;
	u32 id;
	int ret;

	/* Old user space leaves rubbish in the field: that means normal. */
	if (vdrm_priority_known(priority) && priority > AMDGPU_CTX_PRIORITY_NORMAL &&
	    !capable(CAP_SYS_NICE) && !drm_is_current_master(file))
		return -EACCES;
	/* The profile it asks for, of which a new one has none. */
	ret = xa_alloc(&vf->ctxs, &id, xa_mk_value(AMDGPU_CTX_STABLE_PSTATE_NONE),
		       XA_LIMIT(1, VDRM_MAX_CTX - 1), GFP_KERNEL_ACCOUNT);
	if (ret)
		return ret == -EBUSY ? -ENOSPC : ret;
	args->out.alloc.ctx_id = id;
	args->out.alloc._pad = 0;
	return 0;
}

int vdrm_ioctl_ctx(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vdrm_file *vf = file->driver_priv;
	union drm_amdgpu_ctx *args = data;
	u32 id = args->in.ctx_id;

	/* A virtual GPU has no clocks that a profiler could pin. */
	if (args->in.flags || args->in.op < AMDGPU_CTX_OP_ALLOC_CTX ||
	    args->in.op > AMDGPU_CTX_OP_GET_STABLE_PSTATE)
		return -EINVAL;
	if (args->in.op == AMDGPU_CTX_OP_ALLOC_CTX)
		return vdrm_ctx_alloc(vf, file, args);
	if (args->in.op == AMDGPU_CTX_OP_FREE_CTX)
		return xa_erase(&vf->ctxs, id) ? 0 : -EINVAL;
	if (!xa_load(&vf->ctxs, id))
		return -EINVAL;
	memset(&args->out, 0, sizeof(args->out));
	return 0;
}
