// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts for the submission of jobs: an entity for each ring, which numbers its jobs and
 * remembers the fences of the last ones; whether a job has failed; resets. And SCHED, by which the
 * master of the card changes priorities of others' contexts.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <drm/drm_auth.h>

#include "cs.h"
#include "../gpu/device.h"
#include "../gpu/vm.h"
#include "../model/target.h"

#define VDRM_MAX_CTX	4096	/* of a file */

static u32 vdrm_resets(const struct gpu_device *gdev)
{
	return atomic_read(&gdev->inject.resets);
}

/* Of user queues, whose ever. These cost nobody else anything. */
static u32 vdrm_queue_resets(const struct vdrm_file *vf)
{
	return atomic_read(&vf->vdev->userqs.resets);
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

/* ---------------------------------------------------------------- entities */

static void vdrm_entity_init(struct vdrm_ctx *ctx, unsigned int i)
{
	struct vdrm_entity *entity = &ctx->entity[i];

	entity->ctx = ctx;
	entity->ring = i < VDRM_COMPUTE_RINGS ? GPU_JOB_COMPUTE : GPU_JOB_SDMA;
	entity->index = i < VDRM_COMPUTE_RINGS ? i : i - VDRM_COMPUTE_RINGS;
	entity->seq = 1;
	entity->fence_context = dma_fence_context_alloc(2);
	spin_lock_init(&entity->lock);
	INIT_LIST_HEAD(&entity->jobs);
	INIT_WORK(&entity->work, vdrm_entity_work);
}

struct vdrm_entity *vdrm_ctx_entity(struct vdrm_ctx *ctx, u32 ip_type, u32 instance, u32 ring)
{
	const struct gpu_target *t = ctx->vf->vm->gdev->target;
	u32 first, n;

	switch (ip_type) {
	case AMDGPU_HW_IP_COMPUTE:
		first = 0;
		n = VDRM_COMPUTE_RINGS;
		break;
	case AMDGPU_HW_IP_DMA:
		first = VDRM_COMPUTE_RINGS;
		n = t->sdma_engines ? VDRM_SDMA_RINGS : 0;
		break;
	default:
		return ERR_PTR(-EINVAL);
	}
	if (instance || ring >= n)
		return ERR_PTR(-EINVAL);
	return &ctx->entity[first + array_index_nospec(ring, n)];
}

struct dma_fence *vdrm_entity_fence(struct vdrm_entity *entity, u64 seq)
{
	struct dma_fence *fence = NULL;

	spin_lock(&entity->lock);
	if (seq == ~0ull)
		seq = entity->seq - 1;
	if (seq >= entity->seq)
		fence = ERR_PTR(-EINVAL);
	else if (seq + VDRM_ENTITY_JOBS >= entity->seq)
		fence = dma_fence_get(entity->fences[seq % VDRM_ENTITY_JOBS]);
	spin_unlock(&entity->lock);
	return fence;
}

int vdrm_entity_room(struct vdrm_entity *entity)
{
	struct dma_fence *oldest;
	long left;

	spin_lock(&entity->lock);
	oldest = dma_fence_get(entity->fences[entity->seq % VDRM_ENTITY_JOBS]);
	spin_unlock(&entity->lock);
	if (!oldest)
		return 0;
	left = dma_fence_wait(oldest, true);
	dma_fence_put(oldest);
	return left;
}

u64 vdrm_entity_remember(struct vdrm_entity *entity, struct dma_fence *fence)
{
	struct dma_fence *oldest;
	u64 seq;

	spin_lock(&entity->lock);
	seq = entity->seq++;
	oldest = entity->fences[seq % VDRM_ENTITY_JOBS];
	entity->fences[seq % VDRM_ENTITY_JOBS] = dma_fence_get(fence);
	spin_unlock(&entity->lock);
	dma_fence_put(oldest);
	return seq;
}

/* ---------------------------------------------------------------- contexts */

static void vdrm_ctx_release(struct kref *ref)
{
	struct vdrm_ctx *ctx = container_of(ref, struct vdrm_ctx, ref);
	unsigned int i, n;

	if (ctx->pm)
		vdrm_pm_pstate_leave(ctx->pm, ctx);
	for (i = 0; i < VDRM_ENTITIES; i++)
		for (n = 0; n < VDRM_ENTITY_JOBS; n++)
			dma_fence_put(ctx->entity[i].fences[n]);
	kfree(ctx);
}

void vdrm_ctx_put(struct vdrm_ctx *ctx)
{
	kref_put(&ctx->ref, vdrm_ctx_release);
}

struct vdrm_ctx *vdrm_ctx_get(struct vdrm_file *vf, u32 id)
{
	struct vdrm_ctx *ctx;

	mutex_lock(&vf->lock);
	ctx = xa_load(&vf->ctxs, id);
	if (ctx)
		kref_get(&ctx->ref);
	mutex_unlock(&vf->lock);
	return ctx;
}

static int vdrm_ctx_alloc(struct vdrm_file *vf, struct drm_file *file,
			  union drm_amdgpu_ctx *args)
{
	s32 priority = args->in.priority;
	struct vdrm_ctx *ctx;
	unsigned int i;
	u32 id;
	int ret;

	/* Old user space leaves garbage in this field. */
	if (!vdrm_priority_known(priority))
		priority = AMDGPU_CTX_PRIORITY_NORMAL;
	if (priority > AMDGPU_CTX_PRIORITY_NORMAL &&
	    !capable(CAP_SYS_NICE) && !drm_is_current_master(file))
		return -EACCES;
	ctx = kzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);
	if (!ctx)
		return -ENOMEM;
	kref_init(&ctx->ref);
	ctx->vf = vf;
	ctx->priority = priority;
	ctx->resets = vdrm_resets(vf->vm->gdev);
	ctx->queue_resets = vdrm_queue_resets(vf);
	ctx->resets_told = ctx->resets + ctx->queue_resets;
	ctx->ce = vdrm_ras_count(vf->vm->gdev, GPU_RAS_CE);
	ctx->ue = vdrm_ras_count(vf->vm->gdev, GPU_RAS_UE);
	for (i = 0; i < VDRM_ENTITIES; i++)
		vdrm_entity_init(ctx, i);
	ret = xa_alloc(&vf->ctxs, &id, ctx, XA_LIMIT(1, VDRM_MAX_CTX - 1), GFP_KERNEL_ACCOUNT);
	if (ret) {
		kfree(ctx);
		return ret == -EBUSY ? -ENOSPC : ret;
	}
	args->out.alloc.ctx_id = id;
	args->out.alloc._pad = 0;
	return 0;
}

/* Its jobs go on: each of them has a reference. */
static int vdrm_ctx_free(struct vdrm_file *vf, u32 id)
{
	struct vdrm_ctx *ctx;

	mutex_lock(&vf->lock);
	ctx = xa_erase(&vf->ctxs, id);
	mutex_unlock(&vf->lock);
	if (!ctx)
		return -EINVAL;
	vdrm_ctx_put(ctx);
	return 0;
}

void vdrm_ctxs_free(struct vdrm_file *vf)
{
	struct vdrm_ctx *ctx;
	unsigned long id;

	xa_for_each(&vf->ctxs, id, ctx)
		vdrm_ctx_put(ctx);
	xa_destroy(&vf->ctxs);
}

/* The real driver (amdgpu_cs.c): what the context knew was lost with the reset. */
int vdrm_ctx_check(const struct vdrm_ctx *ctx)
{
	return READ_ONCE(ctx->guilty) || ctx->resets != vdrm_resets(ctx->vf->vm->gdev) ?
	       -ECANCELED : 0;
}

/*
 * Once for each reset: the next call says that there was none since. Whose fault it was, the real
 * driver does not tell here (amdgpu_ctx_query()).
 */
static u32 vdrm_ctx_reset_status(struct vdrm_ctx *ctx, const struct gpu_device *gdev)
{
	u32 resets = vdrm_resets(gdev) + vdrm_queue_resets(ctx->vf) + READ_ONCE(ctx->guilty);
	bool told = ctx->resets_told == resets;

	ctx->resets_told = resets;
	return told ? AMDGPU_CTX_NO_RESET : AMDGPU_CTX_UNKNOWN_RESET;
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

	if (READ_ONCE(ctx->guilty))
		flags |= AMDGPU_CTX_QUERY2_FLAGS_RESET | AMDGPU_CTX_QUERY2_FLAGS_GUILTY;
	if (ctx->queue_resets != vdrm_queue_resets(ctx->vf))
		flags |= AMDGPU_CTX_QUERY2_FLAGS_RESET;
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
		memset(&args->out, 0, sizeof(args->out));
		if (op == AMDGPU_CTX_OP_QUERY_STATE)
			args->out.state.reset_status = vdrm_ctx_reset_status(ctx, gdev);
		else if (op == AMDGPU_CTX_OP_QUERY_STATE2)
			args->out.state.flags = vdrm_ctx_flags(ctx, gdev);
	}
	mutex_unlock(&vf->lock);
	return ctx ? 0 : -EINVAL;
}

static int vdrm_ctx_pstate(struct vdrm_device *vdev, struct vdrm_file *vf,
			   union drm_amdgpu_ctx *args)
{
	u32 op = args->in.op, pstate = args->in.flags;
	struct vdrm_ctx *ctx;
	int ret = 0;

	if (pstate > AMDGPU_CTX_STABLE_PSTATE_PEAK ||
	    (pstate && op == AMDGPU_CTX_OP_GET_STABLE_PSTATE))
		return -EINVAL;
	mutex_lock(&vf->lock);
	ctx = xa_load(&vf->ctxs, args->in.ctx_id);
	if (!ctx) {
		ret = -EINVAL;
	} else if (op == AMDGPU_CTX_OP_GET_STABLE_PSTATE) {
		memset(&args->out, 0, sizeof(args->out));
		args->out.pstate.flags = vdrm_pm_pstate(&vdev->pm);
	} else {
		ret = vdrm_pm_pstate_take(&vdev->pm, ctx, pstate);
		ctx->pm = &vdev->pm;
	}
	mutex_unlock(&vf->lock);
	return ret;
}

int vdrm_ioctl_ctx(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vdrm_file *vf = file->driver_priv;
	union drm_amdgpu_ctx *args = data;

	if (args->in.op == AMDGPU_CTX_OP_GET_STABLE_PSTATE ||
	    args->in.op == AMDGPU_CTX_OP_SET_STABLE_PSTATE)
		return vdrm_ctx_pstate(container_of(drm, struct vdrm_device, drm), vf, args);
	if (args->in.flags || args->in.op < AMDGPU_CTX_OP_ALLOC_CTX ||
	    args->in.op > AMDGPU_CTX_OP_QUERY_STATE2)
		return -EINVAL;
	if (args->in.op == AMDGPU_CTX_OP_ALLOC_CTX)
		return vdrm_ctx_alloc(vf, file, args);
	if (args->in.op == AMDGPU_CTX_OP_FREE_CTX)
		return vdrm_ctx_free(vf, args->in.ctx_id);
	return vdrm_ctx_query(vf, args);
}

/* ------------------------------------------------------------------- SCHED */

/* Jobs that are there already keep the priority that they came with. */
static int vdrm_override(struct vdrm_file *vf, const struct drm_amdgpu_sched_in *in)
{
	struct vdrm_ctx *ctx;
	unsigned long id;
	int ret = 0;

	mutex_lock(&vf->lock);
	if (in->op == AMDGPU_SCHED_OP_PROCESS_PRIORITY_OVERRIDE) {
		xa_for_each(&vf->ctxs, id, ctx)
			WRITE_ONCE(ctx->priority, in->priority);
	} else {
		ctx = xa_load(&vf->ctxs, in->ctx_id);
		if (ctx)
			WRITE_ONCE(ctx->priority, in->priority);
		else
			ret = -EINVAL;
	}
	mutex_unlock(&vf->lock);
	return ret;
}

int vdrm_ioctl_sched(struct drm_device *drm, void *data, struct drm_file *file)
{
	const union drm_amdgpu_sched *args = data;
	struct vdrm_file *vf;
	struct file *f;
	int ret;

	if (args->in.op != AMDGPU_SCHED_OP_PROCESS_PRIORITY_OVERRIDE &&
	    args->in.op != AMDGPU_SCHED_OP_CONTEXT_PRIORITY_OVERRIDE)
		return -EINVAL;
	if (!vdrm_priority_known(args->in.priority))
		return -EINVAL;
	f = fget(args->in.fd);
	if (!f)
		return -EINVAL;
	vf = vdrm_file_priv(f);
	ret = vf ? vdrm_override(vf, &args->in) : -EINVAL;
	fput(f);
	return ret;
}
