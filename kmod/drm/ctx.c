// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts for the submission of jobs (cs.c). A context counts the jobs of each ring and
 * remembers whether one of them failed. Jobs are over when their submission returns.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <drm/drm_auth.h>

#include "drm_int.h"
#include "../gpu/device.h"
#include "../gpu/vm.h"
#include "../../uapi/drm/amdgpu_drm.h"

#define VDRM_MAX_CTX	4096	/* of a file */

/**
 * struct vdrm_ctx - a context; in vdrm_file.ctxs (the file's lock)
 * @seq: number of the last job on each ring
 * @guilty: a job failed
 * @resets: of the GPU when it came
 * @resets_told: those that QUERY_STATE has told
 * @ce: corrected memory errors that QUERY_STATE2 has told
 * @ue: uncorrected ones that it has told
 */
struct vdrm_ctx {
	u64 seq[VDRM_CTX_RINGS];
	bool guilty;
	u32 resets, resets_told;
	u64 ce, ue;
};

static u32 vdrm_resets(const struct gpu_device *gdev)
{
	return atomic_read(&gdev->inject.resets);
}

/* Memory errors of all blocks. */
static u64 vdrm_ras_count(const struct gpu_device *gdev, enum gpu_ras_error error)
{
	unsigned int i;
	u64 n = 0;

	for (i = 0; i < GPU_RAS_NUM; i++)
		n += atomic64_read(&gdev->ras_errors[i][error]);
	return n;
}

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
	struct vdrm_ctx *ctx;
	u32 id;
	int ret;

	/* Old user space leaves garbage in this field, which then means "normal". */
	if (vdrm_priority_known(priority) && priority > AMDGPU_CTX_PRIORITY_NORMAL &&
	    !capable(CAP_SYS_NICE) && !drm_is_current_master(file))
		return -EACCES;
	ctx = kzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);
	if (!ctx)
		return -ENOMEM;
	ctx->resets = vdrm_resets(vf->vm->gdev);
	ctx->resets_told = ctx->resets;
	ctx->ce = vdrm_ras_count(vf->vm->gdev, GPU_RAS_CE);
	ctx->ue = vdrm_ras_count(vf->vm->gdev, GPU_RAS_UE);
	ret = xa_alloc(&vf->ctxs, &id, ctx, XA_LIMIT(1, VDRM_MAX_CTX - 1), GFP_KERNEL_ACCOUNT);
	if (ret) {
		kfree(ctx);
		return ret == -EBUSY ? -ENOSPC : ret;
	}
	args->out.alloc.ctx_id = id;
	args->out.alloc._pad = 0;
	return 0;
}

static int vdrm_ctx_free(struct vdrm_file *vf, u32 id)
{
	struct vdrm_ctx *ctx;

	mutex_lock(&vf->lock);
	ctx = xa_erase(&vf->ctxs, id);
	mutex_unlock(&vf->lock);
	kfree(ctx);
	return ctx ? 0 : -EINVAL;
}

void vdrm_ctxs_free(struct vdrm_file *vf)
{
	struct vdrm_ctx *ctx;
	unsigned long id;

	xa_for_each(&vf->ctxs, id, ctx)
		kfree(ctx);
	xa_destroy(&vf->ctxs);
}

int vdrm_ctx_check(struct vdrm_file *vf, u32 id)
{
	struct vdrm_ctx *ctx;
	int ret;

	mutex_lock(&vf->lock);
	ctx = xa_load(&vf->ctxs, id);
	/* The real driver (amdgpu_cs.c): what the context knew was lost with the reset. */
	ret = !ctx ? -EINVAL :
	      ctx->guilty || ctx->resets != vdrm_resets(vf->vm->gdev) ? -ECANCELED : 0;
	mutex_unlock(&vf->lock);
	return ret;
}

int vdrm_ctx_done(struct vdrm_file *vf, u32 id, u32 ring, int err, u64 *seq)
{
	struct vdrm_ctx *ctx;

	mutex_lock(&vf->lock);
	ctx = xa_load(&vf->ctxs, id);
	ring = array_index_nospec(ring, VDRM_CTX_RINGS);
	if (ctx) {
		*seq = ++ctx->seq[ring];
		ctx->guilty |= err;
	}
	mutex_unlock(&vf->lock);
	return ctx ? 0 : -EINVAL;
}

/* @seq: 0 is no job and ~0 the last one. Every job that was ever submitted is over. */
int vdrm_ctx_wait(struct vdrm_file *vf, u32 id, u32 ring, u64 seq)
{
	struct vdrm_ctx *ctx;
	int ret = -EINVAL;

	mutex_lock(&vf->lock);
	ctx = xa_load(&vf->ctxs, id);
	ring = array_index_nospec(ring, VDRM_CTX_RINGS);
	if (ctx && (seq == ~0ull || seq <= ctx->seq[ring]))
		ret = 0;
	mutex_unlock(&vf->lock);
	return ret;
}

/* Once for each reset: the next call says that there was none since. */
static u32 vdrm_ctx_reset_status(struct vdrm_ctx *ctx, const struct gpu_device *gdev)
{
	u32 resets = vdrm_resets(gdev);
	bool told = ctx->resets_told == resets;

	ctx->resets_told = resets;
	return ctx->guilty ? AMDGPU_CTX_GUILTY_RESET : told ? 0 : AMDGPU_CTX_UNKNOWN_RESET;
}

/* True if there are more errors than at the last call. */
static bool vdrm_ctx_more(u64 *told, const struct gpu_device *gdev, enum gpu_ras_error error)
{
	u64 before = *told;

	*told = vdrm_ras_count(gdev, error);
	return *told != before;
}

static u32 vdrm_ctx_flags(struct vdrm_ctx *ctx, const struct gpu_device *gdev)
{
	u32 flags = 0;

	if (ctx->guilty)
		flags |= AMDGPU_CTX_QUERY2_FLAGS_RESET | AMDGPU_CTX_QUERY2_FLAGS_GUILTY;
	if (ctx->resets != vdrm_resets(gdev))
		flags |= AMDGPU_CTX_QUERY2_FLAGS_RESET | AMDGPU_CTX_QUERY2_FLAGS_VRAMLOST;
	if (vdrm_ctx_more(&ctx->ce, gdev, GPU_RAS_CE))
		flags |= AMDGPU_CTX_QUERY2_FLAGS_RAS_CE;
	if (vdrm_ctx_more(&ctx->ue, gdev, GPU_RAS_UE))
		flags |= AMDGPU_CTX_QUERY2_FLAGS_RAS_UE;
	return flags;
}

static int vdrm_ctx_query(struct vdrm_file *vf, union drm_amdgpu_ctx *args)
{
	const struct gpu_device *gdev = vf->vm->gdev;
	u32 op = args->in.op, id = args->in.ctx_id;
	struct vdrm_ctx *ctx;

	mutex_lock(&vf->lock);
	ctx = xa_load(&vf->ctxs, id);
	if (ctx) {
		/* The stable power state is 0, too, which is "none". */
		memset(&args->out, 0, sizeof(args->out));
		if (op == AMDGPU_CTX_OP_QUERY_STATE)
			args->out.state.reset_status = vdrm_ctx_reset_status(ctx, gdev);
		else if (op == AMDGPU_CTX_OP_QUERY_STATE2)
			args->out.state.flags = vdrm_ctx_flags(ctx, gdev);
	}
	mutex_unlock(&vf->lock);
	return ctx ? 0 : -EINVAL;
}

int vdrm_ioctl_ctx(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vdrm_file *vf = file->driver_priv;
	union drm_amdgpu_ctx *args = data;

	/* Refuse the ops for stable power states: there are no clocks that we could pin. */
	if (args->in.flags || args->in.op < AMDGPU_CTX_OP_ALLOC_CTX ||
	    args->in.op > AMDGPU_CTX_OP_GET_STABLE_PSTATE)
		return -EINVAL;
	if (args->in.op == AMDGPU_CTX_OP_ALLOC_CTX)
		return vdrm_ctx_alloc(vf, file, args);
	if (args->in.op == AMDGPU_CTX_OP_FREE_CTX)
		return vdrm_ctx_free(vf, args->in.ctx_id);
	return vdrm_ctx_query(vf, args);
}
