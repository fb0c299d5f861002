// SPDX-License-Identifier: GPL-2.0-only
/*
 * The engine (hw/engine.h) that has dispatches executed below: one thread takes whole grids and
 * submits them, several of a queue one after the other, and completes those whose fences have
 * signalled. It sleeps while the GPU works.
 *
 * It is inside a queue from the submission to the completion, so that an update or an eviction
 * waits for what is below: the interface can't take a dispatch off the GPU. Nor can it save its
 * waves or run a trap handler.
 */
#include <linux/dma-fence.h>
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "amdgpu_int.h"
#include "../../cp/pm4_write.h"
#include "../../hw/engine.h"
#include "../../../uapi/drm/amdgpu_drm.h"

#define JOBS		32
#define IB_DWORDS	(AMDGPU_IB_BYTES / JOBS / 4)
#define IB_ALIGN_DWORDS	8

/*
 * The driver below ends every job, if need be by a reset, after a minute at most. But the fence has
 * come out of a syncobj that the client could write to: who waits for the job, waits no longer.
 */
#define LATE_JIFFIES	(90 * HZ)

static_assert(CP_PM4_ACQUIRE_DWORDS + CP_PM4_DISPATCH_DWORDS + CP_PM4_IDLE_DWORDS +
	      IB_ALIGN_DWORDS <= IB_DWORDS);

struct amdgpu_queue;

/**
 * struct amdgpu_job - a dispatch that is below
 * @node: in amdgpu_node.done
 * @entry: in amdgpu_node.running
 * @since: when it was first seen that somebody waits for its end, in jiffies; 0: nobody does
 * @aq: its queue
 * @grid: the dispatch
 * @fence: with a reference; NULL: it has not got there
 * @cb: of @fence
 * @err: why not
 * @slot: of the queue's buffers
 */
struct amdgpu_job {
	struct llist_node node;
	struct list_head entry;
	unsigned long since;
	struct amdgpu_queue *aq;
	struct hw_grid *grid;
	struct dma_fence *fence;
	struct dma_fence_cb cb;
	int err;
	unsigned int slot;
};

/**
 * struct amdgpu_queue - the engine's part of a compute queue
 * @vq: what hw/ has of it
 * @ch: where it goes
 * @job: what is below
 * @used: jobs in use (hw.lock)
 */
struct amdgpu_queue {
	struct hw_compute vq;
	struct amdgpu_channel ch;
	DECLARE_BITMAP(used, JOBS);
	struct amdgpu_job job[JOBS];
};

static struct amdgpu_queue *to_amdgpu_queue(struct hw_compute *vq)
{
	return container_of(vq, struct amdgpu_queue, vq);
}

static void node_kick(struct amdgpu_node *node)
{
	atomic_set(&node->kick, 1);
	wake_up(&node->wq);
}

/* ------------------------------------------------------------------- start */

static struct amdgpu_job *job_take_locked(struct amdgpu_queue *aq)
{
	unsigned int slot = find_first_zero_bit(aq->used, JOBS);
	struct amdgpu_job *job;

	if (slot == JOBS)
		return NULL;
	job = &aq->job[slot];
	*job = (struct amdgpu_job){ .aq = aq, .slot = slot };
	return job;
}

/* The next grid that may start is this thread's alone from now on. */
static struct amdgpu_job *grid_take(struct amdgpu_node *node)
{
	struct amdgpu_job *job = NULL;
	struct hw *vg = &node->hw;
	struct hw_grid *grid;

	spin_lock(&vg->lock);
	list_for_each_entry(grid, &vg->grids, node) {
		struct amdgpu_queue *aq = to_amdgpu_queue(grid->vq);

		job = job_take_locked(aq);
		if (!job)
			continue;
		if (hw_queue_enter_locked(&grid->vq->hq)) {
			__set_bit(job->slot, aq->used);
			job->grid = grid;
			break;
		}
		job = NULL;
	}
	if (job) {
		list_del_init(&job->grid->node);
		job->grid->started = job->grid->d.total_groups;
		job->grid->resident = 1;
	}
	spin_unlock(&vg->lock);
	return job;
}

static void job_put(struct amdgpu_job *job, struct amdgpu_node *node)
{
	if (llist_add(&job->node, &node->done))
		wake_up(&node->wq);
}

/* From any context. */
static void fence_done(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct amdgpu_job *job = container_of(cb, struct amdgpu_job, cb);

	job_put(job, to_node(job->aq->vq.vg->gdev));
}

/* Returns the number of dwords; the buffer is a multiple of what rings want. */
static int write_ib(struct amdgpu_queue *aq, const struct amdgpu_job *job)
{
	struct cp_pm4_out o = { .room = IB_DWORDS };

	o.dw = amdgpu_channel_ib(&aq->ch, job->slot * IB_DWORDS * 4);
	if (IS_ERR(o.dw))
		return PTR_ERR(o.dw);
	cp_pm4_put_acquire(&o);
	if (!cp_pm4_put_dispatch(&o, aq->vq.vg->gdev->target, &job->grid->d))
		return -EINVAL;
	cp_pm4_put_idle(&o);
	cp_pm4_put_padding(&o, IB_ALIGN_DWORDS);
	return o.full ? -EINVAL : o.n;
}

static int submit(struct amdgpu_job *job)
{
	struct amdgpu_queue *aq = job->aq;
	struct dma_fence *fence;
	int dwords = write_ib(aq, job);

	if (dwords < 0)
		return dwords;
	fence = amdgpu_channel_submit(&aq->ch, aq->vq.hq.q->process, AMDGPU_HW_IP_COMPUTE, 0,
				      job->slot * IB_DWORDS * 4, dwords);
	if (IS_ERR(fence))
		return PTR_ERR(fence);
	job->fence = fence;
	return 0;
}

static void job_start(struct amdgpu_node *node, struct amdgpu_job *job)
{
	list_add_tail(&job->entry, &node->running);
	job->err = submit(job);
	if (job->err || dma_fence_add_callback(job->fence, &job->cb, fence_done))
		job_put(job, node);
}

/* --------------------------------------------------------------------- end */

/*
 * -ECANCELED, -ETIME: the GPU was reset, or the dispatch had to be stopped, maybe after a fault.
 * What was wrong with code, the node never tells.
 */
static void job_failed(struct amdgpu_job *job, int err)
{
	struct amdgpu_queue *aq = job->aq;
	struct gpu_queue *q = aq->vq.hq.q;
	struct gpu_fault fault = {};

	pr_info_ratelimited("gpu %u pid %d queue %u: dispatch failed below: %d\n",
			    q->gdev->gpu_id, q->process->pid, q->id, err);
	if (err != -ESRCH)
		err = amdgpu_channel_fault(&aq->ch, q->process, &fault) ? -EFAULT : -EIO;
	hw_memory_failed(q, err, &fault);
}

static void job_end(struct amdgpu_node *node, struct amdgpu_job *job)
{
	struct hw_grid *grid = job->grid;
	struct amdgpu_queue *aq = job->aq;
	struct hw *vg = &node->hw;
	struct hw_grid_left left;
	int err = job->err;

	list_del(&job->entry);
	if (job->fence) {
		if (!err)
			err = dma_fence_get_status(job->fence);
		dma_fence_put(job->fence);
	}
	if (err < 0)
		job_failed(job, err);
	spin_lock(&vg->lock);
	__clear_bit(job->slot, aq->used);
	if (err >= 0 && !grid->aborted)
		grid->finished = grid->d.total_groups - 1;
	hw_grid_leave_locked(grid, err >= 0, &left);
	spin_unlock(&vg->lock);
	hw_grid_left(vg, &node->vmw, grid, &left);
	/* Interrupts that its waves have sent went to the driver below: look at all events. */
	hw_interrupt(vg, aq->vq.hq.q->process, 0);
	hw_queue_leave(&aq->vq.hq);
}

static bool end_all(struct amdgpu_node *node)
{
	struct llist_node *list = llist_reverse_order(llist_del_all(&node->done));
	struct amdgpu_job *job, *next;

	if (!list)
		return false;
	llist_for_each_entry_safe(job, next, list, node)
		job_end(node, job);
	return true;
}

static bool is_late(struct amdgpu_node *node, struct amdgpu_job *job)
{
	bool leave;

	spin_lock(&node->hw.lock);
	leave = job->grid->aborted || hw_queue_evicted(&job->aq->vq.hq);
	spin_unlock(&node->hw.lock);
	if (!leave)
		job->since = 0;
	else if (!job->since)
		job->since = jiffies | 1;
	return leave && time_after(jiffies, job->since + LATE_JIFFIES);
}

/* Whose callback could be removed is not on its way to @done. */
static void end_late(struct amdgpu_node *node)
{
	struct amdgpu_job *job, *next;

	list_for_each_entry_safe(job, next, &node->running, entry) {
		if (job->err || !is_late(node, job) ||
		    !dma_fence_remove_callback(job->fence, &job->cb))
			continue;
		job->err = -ECANCELED;
		job_end(node, job);
	}
}

static bool wanted(struct amdgpu_node *node)
{
	return atomic_read(&node->kick) || !llist_empty(&node->done) || kthread_should_stop();
}

static int node_thread(void *arg)
{
	struct amdgpu_node *node = arg;
	struct amdgpu_job *job;

	while (!kthread_should_stop()) {
		wait_event_idle_timeout(node->wq, wanted(node), list_empty(&node->running) ?
					MAX_SCHEDULE_TIMEOUT : HZ);
		end_late(node);
		atomic_set(&node->kick, 0);
		/* Orders that before the look at the grids. */
		smp_mb();
		for (;;) {
			end_all(node);
			job = grid_take(node);
			if (!job)
				break;
			job_start(node, job);
			cond_resched();
		}
	}
	return 0;
}

/* --------------------------------------------------------------------- ops */

static int engine_init(struct hw *vg)
{
	struct amdgpu_node *node = container_of(vg, struct amdgpu_node, hw);

	if (!cp_pm4_writable(vg->gdev->target))
		return -EOPNOTSUPP;
	init_waitqueue_head(&node->wq);
	init_llist_head(&node->done);
	INIT_LIST_HEAD(&node->running);
	node->task = kthread_create(node_thread, node, "vkfd-cs/%u", vg->gdev->index);
	if (IS_ERR(node->task))
		return PTR_ERR(node->task);
	gpu_vm_worker_add(vg->gdev, &node->vmw);
	wake_up_process(node->task);
	return 0;
}

static void engine_fini(struct hw *vg)
{
	struct amdgpu_node *node = container_of(vg, struct amdgpu_node, hw);

	kthread_stop(node->task);
	gpu_vm_worker_del(vg->gdev, &node->vmw);
	/* A fence that has told of its job may still be about to wake the thread: job_put(). */
	synchronize_rcu();
}

static void engine_admit_groups(struct hw *vg, u64 groups)
{
	node_kick(container_of(vg, struct amdgpu_node, hw));
}

/* Also for what was aborted: what is below ends there. */
static void engine_kick(struct hw *vg)
{
	node_kick(container_of(vg, struct amdgpu_node, hw));
}

static bool engine_no_trap(const struct hw_exception *x, u64 tba, u64 tma)
{
	return false;
}

static int engine_no_save(struct hw_compute *vq)
{
	return -EINVAL;
}

static int engine_no_saved(struct hw_compute *vq, u32 xcc, struct gpu_wave_state *s, u32 *stack)
{
	return -EINVAL;
}

static struct hw_compute *engine_new_queue(struct hw *vg, struct gpu_queue *q)
{
	struct amdgpu_queue *aq;
	int err;

	/* Jobs, and queues of a DRM face of our own: there is none. */
	if (!gpu_queue_of_kfd(q) || q->process->mm != current->mm)
		return ERR_PTR(-EINVAL);
	aq = kvzalloc(sizeof(*aq), GFP_KERNEL_ACCOUNT);
	if (!aq)
		return ERR_PTR(-ENOMEM);
	err = amdgpu_channel_open(&aq->ch, q->vm->priv);
	if (err) {
		kvfree(aq);
		return ERR_PTR(err == -ENOMEM ? -ENOMEM : -EINVAL);
	}
	return &aq->vq;
}

static void engine_end_queue(struct hw_compute *vq)
{
	struct amdgpu_queue *aq = to_amdgpu_queue(vq);

	amdgpu_channel_close(&aq->ch);
	kvfree(aq);
}

static bool engine_idle_locked(const struct hw_compute *vq)
{
	return true;
}

static void engine_cu_mask(struct hw_compute *vq)
{
}

static int engine_no_jobs(struct hw *vg, struct gpu_vm *vm, enum gpu_job_runner *runner,
			  void **priv)
{
	return -EINVAL;
}

static void engine_jobs_end(struct hw *vg, void *priv)
{
}

/* Each submission invalidates the instruction cache. */
static void engine_code_is_new(struct hw *vg)
{
}

static u32 engine_no_busy_cus(struct hw *vg, const struct gpu_process *p)
{
	return 0;
}

static void engine_show_none(struct hw *vg, struct seq_file *m)
{
}

const struct engine_ops amdgpu_engine_ops = {
	.name = "amdgpu",
	.init = engine_init,
	.fini = engine_fini,
	.admit = engine_admit_groups,
	.run = engine_kick,
	.kill = engine_kick,
	.trap = engine_no_trap,
	.save = engine_no_save,
	.load = engine_no_save,
	.saved = engine_no_saved,
	.queue_create = engine_new_queue,
	.queue_destroy = engine_end_queue,
	.queue_idle_locked = engine_idle_locked,
	.cu_mask_locked = engine_cu_mask,
	.jobs_open = engine_no_jobs,
	.jobs_close = engine_jobs_end,
	.code_changed = engine_code_is_new,
	.busy_cus = engine_no_busy_cus,
	.show = engine_show_none,
};
