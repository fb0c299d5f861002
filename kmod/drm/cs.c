// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CS ioctl: a submission becomes a job for each ring that it goes to. The jobs of one
 * submission (a gang) start together: the last ring's job, the leader, waits until the others
 * have started. Its fence stands for all of them.
 *
 * Jobs of one address space see each other's memory without waiting for each other. Jobs of
 * others, which share an object, are waited for, unless the object says that user space does
 * that itself (EXPLICIT_SYNC).
 */
#include <linux/dma-fence-chain.h>
#include <linux/dma-resv.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <drm/drm_gem.h>
#include <drm/drm_syncobj.h>

#include "../gpu/backend.h"
#include "../gpu/bo.h"
#include "../gpu/vm.h"
#include "cs.h"

/* Makes the jobs wait for what others do with @obj, whose lock is held. */
static int vdrm_cs_wait_for(struct vdrm_cs *cs, struct drm_gem_object *obj)
{
	struct dma_fence **fences;
	unsigned int i, n;
	int ret;

	if (to_gpu_bo(obj)->gem_flags & AMDGPU_GEM_CREATE_EXPLICIT_SYNC)
		return 0;
	ret = dma_resv_get_fences(obj->resv, DMA_RESV_USAGE_READ, &n, &fences);
	if (ret)
		return ret;
	for (i = 0; i < n; i++) {
		struct vdrm_fence *f = to_vdrm_fence(fences[i]);

		if (ret || (f && f->vm == cs->vf->vm))
			dma_fence_put(fences[i]);
		else
			ret = vdrm_deps_add(&cs->deps, fences[i]);
	}
	kfree(fences);
	return ret;
}

static int vdrm_cs_objects(struct vdrm_cs *cs, const struct vdrm_list *list)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < list->n && !ret; i++) {
		ret = dma_resv_reserve_fences(list->obj[i]->resv, cs->gang);
		if (!ret)
			ret = vdrm_cs_wait_for(cs, list->obj[i]);
	}
	return ret;
}

/* Each job waits for cs->deps, and the leader for the start of the others. */
static int vdrm_cs_deps(struct vdrm_cs *cs)
{
	u32 i, n;

	for (i = 0; i < cs->gang; i++) {
		struct vdrm_deps *deps = &cs->job[i]->deps;

		n = cs->deps.n + (i == cs->leader ? cs->gang - 1 : 0);
		deps->fence = kcalloc(n, sizeof(*deps->fence), GFP_KERNEL_ACCOUNT);
		if (n && !deps->fence)
			return -ENOMEM;
		deps->room = n;
		for (; deps->n < cs->deps.n; deps->n++)
			deps->fence[deps->n] = dma_fence_get(cs->deps.fence[deps->n]);
	}
	return 0;
}

static void vdrm_cs_signal_later(struct vdrm_cs *cs, struct dma_fence *fence)
{
	u32 i;

	for (i = 0; i < cs->nposts; i++) {
		struct vdrm_post *post = &cs->post[i];

		if (post->chain) {
			drm_syncobj_add_point(post->syncobj, post->chain, fence, post->point);
			post->chain = NULL;
		} else {
			drm_syncobj_replace_fence(post->syncobj, fence);
		}
	}
}

/* Nothing fails from here on. */
static u64 vdrm_cs_push(struct vdrm_cs *cs, struct vdrm_list *list)
{
	struct vdrm_job *leader = cs->job[cs->leader];
	struct dma_fence *fence;
	u32 i, o;
	u64 seq;

	for (i = 0; i < cs->gang; i++)
		vdrm_job_arm(cs->job[i]);
	for (i = 0; i < cs->gang; i++)
		if (i != cs->leader)
			leader->deps.fence[leader->deps.n++] =
				dma_fence_get(&cs->job[i]->started->base);
	fence = dma_fence_get(&leader->done->base);
	for (o = 0; o < list->n; o++) {
		for (i = 0; i < cs->gang; i++)
			dma_resv_add_fence(list->obj[o]->resv, &cs->job[i]->done->base,
					   i == cs->leader ? DMA_RESV_USAGE_WRITE :
							     DMA_RESV_USAGE_READ);
	}
	seq = vdrm_entity_remember(leader->entity, fence);
	vdrm_cs_signal_later(cs, fence);
	if (cs->user_fence) {
		leader->user_fence = to_gpu_bo(cs->user_fence);
		gpu_bo_get(leader->user_fence);
		leader->user_offset = cs->user_offset;
		leader->user_seq = seq;
	}
	for (i = 0; i < cs->gang; i++) {
		kref_get(&list->ref);
		cs->job[i]->list = list;
		vdrm_job_push(cs->job[i]);
		cs->job[i] = NULL;
	}
	dma_fence_put(fence);
	return seq;
}

/* Somebody has to run the waves of compute jobs; SDMA engines have none. */
static int vdrm_cs_runner(struct vdrm_cs *cs)
{
	struct vdrm_file *vf = cs->vf;
	u32 i;

	for (i = 0; i < cs->gang; i++)
		if (cs->job[i]->run.ring == GPU_JOB_COMPUTE)
			return gpu_backend_jobs_open(vf->vm, &vf->runner, &vf->runner_priv);
	return 0;
}

static int vdrm_cs_submit(struct vdrm_cs *cs, u64 *seq)
{
	struct vdrm_list *list;
	struct ww_acquire_ctx ticket;
	int ret;

	lockdep_assert_held(&cs->vf->cs_lock);
	ret = vdrm_jobs_start(cs->vf);
	if (!ret)
		ret = vdrm_cs_runner(cs);
	if (!ret)
		ret = vdrm_entity_room(cs->entity[cs->leader]);
	if (ret)
		return ret;
	list = vdrm_list_with(cs->list, cs->user_fence);
	if (!list)
		return -ENOMEM;
	ret = drm_gem_lock_reservations(list->obj, list->n, &ticket);
	if (ret)
		goto out_list;
	ret = vdrm_cs_objects(cs, list);
	if (!ret)
		ret = vdrm_cs_deps(cs);
	if (!ret)
		*seq = vdrm_cs_push(cs, list);
	drm_gem_unlock_reservations(list->obj, list->n, &ticket);
out_list:
	vdrm_list_put(list);
	return ret;
}

int vdrm_ioctl_cs(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vdrm_file *vf = file->driver_priv;
	union drm_amdgpu_cs *args = data;
	struct vdrm_cs *cs;
	u64 seq;
	int ret;

	if (!gpu_backend_has_jobs(vf->vm->gdev))
		return -EINVAL;
	cs = kzalloc(sizeof(*cs), GFP_KERNEL_ACCOUNT);
	if (!cs)
		return -ENOMEM;
	cs->vf = vf;
	cs->file = file;
	ret = vdrm_cs_read(cs, &args->in);
	if (!ret)
		ret = vdrm_cs_build(cs);
	if (!ret)
		ret = vdrm_cs_place(cs);
	if (!ret && mutex_lock_interruptible(&vf->cs_lock))
		ret = -ERESTARTSYS;
	if (ret)
		goto out;
	ret = vdrm_cs_submit(cs, &seq);
	mutex_unlock(&vf->cs_lock);
	if (!ret)
		args->out.handle = seq;
out:
	vdrm_cs_free(cs);
	kfree(cs);
	return ret;
}
