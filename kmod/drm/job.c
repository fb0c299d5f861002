// SPDX-License-Identifier: GPL-2.0-only
/*
 * Jobs and their fences. An entity has a work item, which takes the oldest job, waits for what
 * the job depends on by callbacks of the fences, and then has the backend execute it. So a
 * thread of the workqueue is busy with a job only while the GPU is.
 *
 * All jobs of a file run on the file's own workqueue: whatever one file's jobs wait for, they
 * hold up nobody else's. The workqueue freezes with the machine, as jobs use memory of tasks.
 *
 * A job that fails makes its context guilty, as a GPU reset would. The jobs behind it are
 * cancelled, and the context accepts no more of them.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "../gpu/backend.h"
#include "../gpu/bo.h"
#include "../gpu/charged.h"
#include "../gpu/process.h"
#include "../gpu/share.h"
#include "../gpu/vm.h"
#include "cs.h"

/*
 * A job that waits has a kworker, which no limit of its user counts. So files with jobs are
 * counted here, and each user has a share of them.
 */
static unsigned int job_files = 1024;
module_param(job_files, uint, 0644);
MODULE_PARM_DESC(job_files, "Open files of render nodes that may have jobs (default 1024)");

static struct gpu_shares files_with_jobs = GPU_SHARES_INIT(files_with_jobs);

/* ------------------------------------------------------------------ fences */

static const char *vdrm_fence_driver(struct dma_fence *fence)
{
	return "amdgpu";
}

static const char *vdrm_fence_timeline(struct dma_fence *fence)
{
	return "vkfd";
}

/* A fence may outlive all files (in a sync file), and needs these functions as long. */
static void vdrm_fence_release(struct dma_fence *fence)
{
	struct vdrm_fence *f = container_of(fence, struct vdrm_fence, base);

	if (f->started)
		dma_fence_put(&f->started->base);
	dma_fence_free(fence);
	module_put(THIS_MODULE);
}

static const struct dma_fence_ops vdrm_fence_ops = {
	.get_driver_name = vdrm_fence_driver,
	.get_timeline_name = vdrm_fence_timeline,
	.release = vdrm_fence_release,
};

struct vdrm_fence *to_vdrm_fence(struct dma_fence *fence)
{
	struct vdrm_fence *f = container_of(fence, struct vdrm_fence, base);

	return fence->ops == &vdrm_fence_ops && f->started ? f : NULL;
}

/* ------------------------------------------------------------ dependencies */

#define VDRM_MAX_DEPS	0x10000u	/* a submission may name one fence again and again */

/* Takes over the reference, even if it fails. */
int vdrm_deps_add(struct vdrm_deps *deps, struct dma_fence *fence)
{
	struct dma_fence **more;
	u32 room = deps->room ? deps->room * 2 : 8;

	if (dma_fence_is_signaled(fence)) {
		dma_fence_put(fence);
		return 0;
	}
	if (deps->n == deps->room) {
		if (room > VDRM_MAX_DEPS) {
			dma_fence_put(fence);
			return -ENOMEM;
		}
		more = krealloc_array(deps->fence, room, sizeof(*more), GFP_KERNEL_ACCOUNT);
		if (!more) {
			dma_fence_put(fence);
			return -ENOMEM;
		}
		deps->fence = more;
		deps->room = room;
	}
	deps->fence[deps->n++] = fence;
	return 0;
}

void vdrm_deps_free(struct vdrm_deps *deps)
{
	while (deps->n)
		dma_fence_put(deps->fence[--deps->n]);
	kfree(deps->fence);
	*deps = (struct vdrm_deps){ };
}

/* -------------------------------------------------------------------- jobs */

/* KFD's priorities, 0 to 15, in whose classes hw/ thinks. */
static u32 vdrm_priority(s32 priority)
{
	if (priority < AMDGPU_CTX_PRIORITY_NORMAL)
		return 0;
	return priority > AMDGPU_CTX_PRIORITY_NORMAL ? 11 : 7;
}

struct vdrm_job *vdrm_job_alloc(struct vdrm_entity *entity, u32 nibs)
{
	struct vdrm_file *vf = entity->ctx->vf;
	struct vdrm_job *job;

	job = kzalloc(struct_size(job, ib, nibs), GFP_KERNEL_ACCOUNT);
	if (!job)
		return NULL;
	job->started = kzalloc(sizeof(*job->started), GFP_KERNEL_ACCOUNT);
	job->done = kzalloc(sizeof(*job->done), GFP_KERNEL_ACCOUNT);
	if (!job->started || !job->done) {
		kfree(job->started);
		kfree(job->done);
		kfree(job);
		return NULL;
	}
	job->entity = entity;
	job->ctx = entity->ctx;
	kref_get(&job->ctx->ref);
	job->run = (struct gpu_job){
		.vm = vf->vm, .ring = entity->ring, .ib = job->ib, .owner = vf->owner,
		.pid = task_tgid_nr(current),
		.priority = vdrm_priority(READ_ONCE(job->ctx->priority)),
	};
	if (entity->ring == GPU_JOB_SDMA)
		job->run.engine = entity->index % vf->vm->gdev->target->sdma_engines;
	init_waitqueue_head(&job->run.wq);
	return job;
}

static void vdrm_job_release(struct vdrm_job *job)
{
	vdrm_deps_free(&job->deps);
	if (job->list)
		vdrm_list_put(job->list);
	if (job->user_fence)
		gpu_bo_put(job->user_fence);
	vdrm_ctx_put(job->ctx);
	kfree(job);
}

void vdrm_job_free(struct vdrm_job *job)
{
	kfree(job->started);
	kfree(job->done);
	vdrm_job_release(job);
}

void vdrm_job_arm(struct vdrm_job *job)
{
	struct vdrm_entity *entity = job->entity;
	struct vdrm_fence *f[2] = { job->started, job->done };
	unsigned int i;

	lockdep_assert_held(&job->ctx->vf->cs_lock);
	job->run.runner = job->ctx->vf->runner;
	entity->fence_seq++;
	for (i = 0; i < 2; i++) {
		spin_lock_init(&f[i]->lock);
		f[i]->vm = job->run.vm;
		dma_fence_init(&f[i]->base, &vdrm_fence_ops, &f[i]->lock,
			       entity->fence_context + i, entity->fence_seq);
		__module_get(THIS_MODULE);
	}
	dma_fence_get(&job->started->base);
	job->done->started = job->started;
}

/* Queued work has a reference to its context. The caller must have another one. */
static void vdrm_entity_kick(struct vdrm_entity *entity)
{
	struct vdrm_ctx *ctx = entity->ctx;

	kref_get(&ctx->ref);
	if (!queue_work(ctx->vf->wq, &entity->work))
		vdrm_ctx_put(ctx);
}

void vdrm_job_push(struct vdrm_job *job)
{
	struct vdrm_entity *entity = job->entity;
	struct vdrm_file *vf = job->ctx->vf;

	spin_lock(&vf->jobs_lock);
	job->number = ++vf->njobs;
	list_add_tail(&job->in_file, &vf->jobs);
	spin_unlock(&vf->jobs_lock);
	spin_lock(&entity->lock);
	list_add_tail(&job->node, &entity->jobs);
	spin_unlock(&entity->lock);
	vdrm_entity_kick(entity);
}

/* As the hardware does with its last packet: whoever sees the number sees what the job wrote. */
static void vdrm_user_fence(struct vdrm_job *job)
{
	struct page *page = gpu_bo_page(job->user_fence, job->user_offset >> PAGE_SHIFT);
	void *p;

	if (IS_ERR_OR_NULL(page)) {
		pr_warn_ratelimited("no memory for a user fence\n");
		return;
	}
	p = page_address(page) + offset_in_page(job->user_offset);
	if (IS_ALIGNED(job->user_offset, sizeof(u64)))
		/* Orders all that the job wrote before the number. */
		smp_store_release((u64 *)p, job->user_seq);
	else
		memcpy(p, &job->user_seq, sizeof(job->user_seq));
}

static void vdrm_job_end(struct vdrm_job *job, int err)
{
	struct vdrm_entity *entity = job->entity;
	struct vdrm_file *vf = job->ctx->vf;

	if (err == -EFAULT || err == -EINVAL || err == -ETIME) {
		/* A ring that hangs is all that the real driver sees of it. */
		err = -ETIME;
		WRITE_ONCE(job->ctx->guilty, true);
	}
	if (err)
		dma_fence_set_error(&job->done->base, err);
	else if (job->user_fence)
		vdrm_user_fence(job);
	spin_lock(&entity->lock);
	list_del(&job->node);
	spin_unlock(&entity->lock);
	dma_fence_signal(&job->started->base);
	dma_fence_signal(&job->done->base);
	dma_fence_put(&job->started->base);
	dma_fence_put(&job->done->base);
	spin_lock(&vf->jobs_lock);
	list_del(&job->in_file);
	spin_unlock(&vf->jobs_lock);
	vdrm_job_release(job);
	wake_up_all(&vf->jobs_wq);
}

/* Under the lock of the fence. */
static void vdrm_dep_signaled(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	vdrm_entity_kick(container_of(cb, struct vdrm_job, cb)->entity);
}

/* Does a fence still hold @job up? */
static bool vdrm_job_held_up(struct vdrm_job *job)
{
	struct vdrm_deps *deps = &job->deps;
	bool cancelled = READ_ONCE(job->run.cancelled);

	if (job->waiting) {
		if (!cancelled && !dma_fence_is_signaled(deps->fence[job->dep]))
			return true;
		/* Takes the fence's lock: the callback has returned, or will not be called. */
		dma_fence_remove_callback(deps->fence[job->dep], &job->cb);
		job->waiting = false;
	}
	for (; job->dep < deps->n && !cancelled; job->dep++) {
		job->waiting = true;
		if (!dma_fence_add_callback(deps->fence[job->dep], &job->cb, vdrm_dep_signaled))
			return true;
		job->waiting = false;
	}
	return false;
}

static struct vdrm_job *vdrm_entity_first(struct vdrm_entity *entity)
{
	struct vdrm_job *job;

	spin_lock(&entity->lock);
	job = list_first_entry_or_null(&entity->jobs, struct vdrm_job, node);
	spin_unlock(&entity->lock);
	return job;
}

void vdrm_entity_work(struct work_struct *work)
{
	struct vdrm_entity *entity = container_of(work, struct vdrm_entity, work);
	struct vdrm_ctx *ctx = entity->ctx;
	struct vdrm_job *job;
	int err;

	job = vdrm_entity_first(entity);
	if (job && !vdrm_job_held_up(job)) {
		err = READ_ONCE(job->run.cancelled) ? -ECANCELED : vdrm_ctx_check(ctx);
		if (!err) {
			dma_fence_signal(&job->started->base);
			err = gpu_job_run(&job->run);
		}
		vdrm_job_end(job, err);
		/* One at a time: a machine that goes to sleep does so between two of them. */
		vdrm_entity_kick(entity);
	}
	vdrm_ctx_put(ctx);
}

/* ------------------------------------------------------- all jobs of a file */

#define VDRM_CANCEL_BATCH	32

static bool vdrm_jobs_begin_later(struct list_head *jobs, u64 n)
{
	struct vdrm_job *job = list_first_entry_or_null(jobs, struct vdrm_job, in_file);

	return !job || job->number > n;
}

/* Have the first @n jobs of the file ended? */
static bool vdrm_jobs_ended(struct vdrm_file *vf, u64 n)
{
	bool ended;

	spin_lock(&vf->jobs_lock);
	ended = vdrm_jobs_begin_later(&vf->jobs, n) && vdrm_jobs_begin_later(&vf->cancelled, n);
	spin_unlock(&vf->jobs_lock);
	return ended;
}

/* No limit but memory holds for a file's jobs, so the lock is let go between some and some more. */
static void vdrm_jobs_cancel(struct vdrm_file *vf)
{
	struct vdrm_job *job;
	unsigned int n;

	do {
		spin_lock(&vf->jobs_lock);
		for (n = 0; n < VDRM_CANCEL_BATCH; n++) {
			job = list_first_entry_or_null(&vf->jobs, struct vdrm_job, in_file);
			if (!job)
				break;
			list_move_tail(&job->in_file, &vf->cancelled);
			WRITE_ONCE(job->run.cancelled, true);
			wake_up(&job->run.wq);
			vdrm_entity_kick(job->entity);
		}
		spin_unlock(&vf->jobs_lock);
		cond_resched();
	} while (n == VDRM_CANCEL_BATCH);
}

/* Has the process no time to wait for its jobs? As drm_sched_entity_flush() has it. */
bool vdrm_killed(void)
{
	return fatal_signal_pending(current) ||
	       ((current->flags & PF_EXITING) && current->exit_code == SIGKILL);
}

int vdrm_jobs_idle(struct vdrm_file *vf)
{
	u64 n;

	spin_lock(&vf->jobs_lock);
	n = vf->njobs;
	spin_unlock(&vf->jobs_lock);
	if (vdrm_jobs_ended(vf, n))
		return 0;
	if (vdrm_killed())
		return -EINTR;
	return wait_event_killable(vf->jobs_wq, vdrm_jobs_ended(vf, n)) ? -EINTR : 0;
}

/* The file is closed: as in the real driver, jobs get a second to end by themselves. */
void vdrm_jobs_close(struct vdrm_file *vf)
{
	if (!vdrm_killed())
		wait_event_killable_timeout(vf->jobs_wq, vdrm_jobs_ended(vf, U64_MAX), HZ);
	vdrm_jobs_cancel(vf);
}

void vdrm_jobs_init(struct vdrm_file *vf)
{
	mutex_init(&vf->cs_lock);
	spin_lock_init(&vf->jobs_lock);
	INIT_LIST_HEAD(&vf->jobs);
	INIT_LIST_HEAD(&vf->cancelled);
	init_waitqueue_head(&vf->jobs_wq);
	vf->owner = gpu_process_new_id();
}

int vdrm_jobs_start(struct vdrm_file *vf)
{
	struct gpu_share *share;

	lockdep_assert_held(&vf->cs_lock);
	if (vf->wq)
		return 0;
	share = gpu_share_take_own(&files_with_jobs, READ_ONCE(job_files), GFP_KERNEL_ACCOUNT);
	if (IS_ERR(share))
		return -ENOMEM;
	/* A file has as many jobs running as there are rings, however many contexts. */
	vf->wq = alloc_workqueue("vkfd_drm", WQ_UNBOUND | WQ_FREEZABLE, VDRM_ENTITIES);
	if (!vf->wq) {
		gpu_share_give(&files_with_jobs, share);
		return -ENOMEM;
	}
	vf->jobs_share = share;
	return 0;
}

void vdrm_jobs_fini(struct vdrm_file *vf)
{
	if (vf->wq) {
		vdrm_jobs_cancel(vf);
		wait_event(vf->jobs_wq, vdrm_jobs_ended(vf, U64_MAX));
		destroy_workqueue(vf->wq);
		gpu_share_give(&files_with_jobs, vf->jobs_share);
	}
	gpu_backend_jobs_close(vf->vm, vf->runner_priv);
	mutex_destroy(&vf->cs_lock);
}
