// SPDX-License-Identifier: GPL-2.0-only
/*
 * The thread of an address space (runner.c) takes dispatches of all its queues, submits what is
 * ready of a queue as one batch, two of a queue one after the other, and completes those whose
 * fences have signalled.
 *
 * It is inside a queue from the submission to the completion, so that an update or an eviction
 * waits for what is below: the interface can't take a dispatch off the GPU.
 */
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>
#include <linux/sched.h>

#include "batch.h"
#include "../../../uapi/drm/amdgpu_drm.h"

/*
 * While a queue has so many batches below, what comes waits to become part of a larger one. What
 * has a signal goes at once: its batch would not become much larger.
 */
#define AHEAD		2

/* How often marks are looked at while a batch lasts of which some dispatches may have ended */
#define MARK_JIFFIES	max(HZ / 100, 1)

/*
 * The driver below ends every job, if need be by a reset, after a minute at most. But the fence has
 * come out of a syncobj that the client could write to: who waits for the job, waits no longer.
 */
#define LATE_JIFFIES	(90 * HZ)

/* ------------------------------------------------------------------- start */

static void take_locked(struct amdgpu_batch *b, struct hw_grid *grid)
{
	hw_grid_unwait_locked(grid);
	grid->started = grid->d.total_groups;
	grid->resident = 1;
	b->grid[b->n++] = grid;
}

static struct amdgpu_batch *begin_locked(struct amdgpu_queue *aq, struct hw_grid *grid)
{
	unsigned int n = bitmap_weight(aq->used, AMDGPU_BATCHES), slot;
	struct amdgpu_batch *b;

	if (aq->stale || n >= (grid->d.signal ? AMDGPU_BATCHES : AHEAD) ||
	    !hw_queue_enter_locked(&aq->vq.hq))
		return NULL;
	slot = find_first_zero_bit(aq->used, AMDGPU_BATCHES);
	__set_bit(slot, aq->used);
	b = &aq->batch[slot];
	*b = (struct amdgpu_batch){ .aq = aq, .slot = slot, .first = aq->marks };
	take_locked(b, grid);
	return b;
}

/* A batch with the next grid that may start, which is this thread's alone from now on. */
static struct amdgpu_batch *batch_begin(struct amdgpu_runner *r)
{
	struct hw *vg = &r->node->hw;
	struct amdgpu_batch *b = NULL;
	struct hw_compute *vq;

	spin_lock(&vg->lock);
	list_for_each_entry(vq, &vg->ready, ready) {
		if (to_amdgpu_queue(vq)->runner != r)
			continue;
		/* Of each queue, the oldest or none. */
		b = begin_locked(to_amdgpu_queue(vq),
				 list_first_entry(&vq->waits, struct hw_grid, node));
		if (b)
			break;
	}
	spin_unlock(&vg->lock);
	return b;
}

/* The queue's next grid, too; false if there is none that may start. */
static bool batch_take(struct amdgpu_batch *b)
{
	struct hw_compute *vq = &b->aq->vq;
	bool found;

	if (b->n == AMDGPU_BATCH_GRIDS)
		return false;
	spin_lock(&vq->vg->lock);
	found = !list_empty(&vq->ready);
	if (found)
		take_locked(b, list_first_entry(&vq->waits, struct hw_grid, node));
	spin_unlock(&vq->vg->lock);
	return found;
}

/* The queue may be gone right after that, and its runner as soon as readers of RCU allow. */
static void batch_put(struct amdgpu_batch *b)
{
	struct amdgpu_runner *r = b->aq->runner;

	if (llist_add(&b->node, &r->done))
		wake_up(&r->wq);
}

/* From any context. */
static void fence_done(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	batch_put(container_of(cb, struct amdgpu_batch, cb));
}

static int batch_submit(struct amdgpu_runner *r, struct amdgpu_batch *b)
{
	struct amdgpu_stream *s = &r->stream;
	struct amdgpu_queue *aq = b->aq;
	struct dma_fence *fence;
	int dwords;

	s->n = 0;
	while (amdgpu_stream_add(s, b) && batch_take(b))
		;
	dwords = amdgpu_stream_end(s, b);
	if (dwords < 0)
		return dwords;
	amdgpu_runner_calls(r, aq);
	fence = amdgpu_channel_submit(&aq->ch, aq->vq.hq.q->process, AMDGPU_HW_IP_COMPUTE, 0,
				      b->slot * AMDGPU_BATCH_BYTES, dwords);
	amdgpu_runner_has_called(r);
	/* Of a queue that ends, a call comes back early. */
	if (IS_ERR(fence))
		return hw_queue_stopped(&aq->vq.hq) ? -ESRCH : PTR_ERR(fence);
	b->fence = fence;
	atomic64_inc(&r->node->submissions);
	atomic64_add(b->n - !!b->bad, &r->node->submitted);
	return 0;
}

static void batch_start(struct amdgpu_runner *r, struct amdgpu_batch *b)
{
	list_add_tail(&b->entry, &r->running);
	b->err = batch_submit(r, b);
	if (b->err || dma_fence_add_callback(b->fence, &b->cb, fence_done))
		batch_put(b);
}

/* --------------------------------------------------------------------- end */

static void grid_end(struct amdgpu_runner *r, struct hw_grid *grid, bool finished)
{
	struct hw *vg = &r->node->hw;
	struct hw_grid_left left;

	spin_lock(&vg->lock);
	if (finished && !grid->aborted)
		grid->finished = grid->d.total_groups - 1;
	hw_grid_leave_locked(grid, finished, &left);
	spin_unlock(&vg->lock);
	hw_grid_left(vg, &r->vmw, grid, &left);
}

/* Dispatches before @end have ended well. */
static void batch_retire(struct amdgpu_runner *r, struct amdgpu_batch *b, unsigned int end)
{
	while (b->done < end)
		grid_end(r, b->grid[b->done++], true);
}

/* How many have ended, as the GPU says; of one that has not got there, none. */
static unsigned int marked(const struct amdgpu_batch *b)
{
	s64 n = smp_load_acquire(b->aq->mark) - b->first;	/* what they wrote is there, too */
	s64 most = b->n - !!b->bad;

	return b->fence && n > b->done ? min(n, most) : b->done;
}

/*
 * -ECANCELED, -ETIME: the GPU was reset, or a dispatch had to be stopped, maybe after a fault.
 * What was wrong with code, the node never tells. Dispatches that have no barrier between them may
 * have run at the same time, so it may have been any of those that had not ended.
 */
static void batch_failed(struct amdgpu_batch *b, int err)
{
	struct amdgpu_queue *aq = b->aq;
	struct gpu_queue *q = aq->vq.hq.q;
	struct gpu_fault fault = {};

	pr_info_ratelimited("gpu %u pid %d queue %u: dispatch %llu, or one of %u behind it, failed below: %d%s\n",
			    q->gdev->gpu_id, q->process->pid, q->id, b->grid[b->done]->d.index,
			    b->n - b->done - 1, err, b->fence ? amdgpu_channel_reset(&aq->ch) : "");
	if (err != -ESRCH)
		err = amdgpu_channel_fault(&aq->ch, q->process, &fault) ? -EFAULT : -EIO;
	hw_memory_failed(q, err, &fault);
}

/* Has the GPU left out some of it? Then its fence has told of nothing bad. */
static bool left_out(const struct amdgpu_batch *b)
{
	return b->fence && !READ_ONCE(*b->aq->go) && b->done < b->n - !!b->bad;
}

static void grid_again_locked(struct hw_grid *grid)
{
	grid->started = 0;
	grid->resident = 0;
	grid->done = (struct cp_done){};
	hw_grid_wait_locked(grid);
}

/*
 * What is left of the batch waits once more, but for what was aborted meanwhile, which stays. What
 * comes after it is being left out as well, until nothing of the queue is below.
 */
static void batch_again(struct amdgpu_batch *b)
{
	unsigned int i, n = b->done;
	struct hw *vg = b->aq->vq.vg;

	spin_lock(&vg->lock);
	if (!b->aq->stale)
		atomic64_inc(&b->aq->runner->node->stale);
	b->aq->stale = true;
	for (i = b->done; i < b->n; i++) {
		if (b->grid[i]->aborted)
			b->grid[n++] = b->grid[i];
		else
			grid_again_locked(b->grid[i]);
	}
	b->n = n;
	spin_unlock(&vg->lock);
}

/* Only the client can have stopped a dispatch of which the GPU was not to look at anything. */
static bool is_meddled_with(const struct amdgpu_batch *b)
{
	return !b->aq->stale && !b->done && !b->grid[0]->d.early;
}

static void batch_end(struct amdgpu_runner *r, struct amdgpu_batch *b)
{
	struct amdgpu_queue *aq = b->aq;
	struct hw *vg = &r->node->hw;
	int err = b->err;

	list_del(&b->entry);
	if (b->fence && !err)
		err = min(dma_fence_get_status(b->fence), 0);
	batch_retire(r, b, err || !READ_ONCE(*aq->go) ? marked(b) : b->n - !!b->bad);
	if (!err && left_out(b)) {
		if (is_meddled_with(b))
			err = -EIO;
		else
			batch_again(b);
	}
	if (!err && b->done < b->n && !aq->stale)
		err = b->bad;
	/* Otherwise the last one has ended, and what failed was behind it. */
	if (err && b->done < b->n)
		batch_failed(b, err);
	while (b->done < b->n)
		grid_end(r, b->grid[b->done++], false);
	dma_fence_put(b->fence);
	/* Interrupts that its waves have sent went to the driver below: look at all events. */
	hw_interrupt(vg, aq->vq.hq.q->process, 0);
	spin_lock(&vg->lock);
	__clear_bit(b->slot, aq->used);
	if (aq->stale && bitmap_empty(aq->used, AMDGPU_BATCHES)) {
		aq->stale = false;
		WRITE_ONCE(*aq->go, 1);
	}
	spin_unlock(&vg->lock);
	hw_compute_leave(&aq->vq);
}

static void end_all(struct amdgpu_runner *r)
{
	struct llist_node *list = llist_reverse_order(llist_del_all(&r->done));
	struct amdgpu_batch *b, *next;

	llist_for_each_entry_safe(b, next, list, node)
		batch_end(r, b);
}

static bool is_late(struct amdgpu_batch *b)
{
	bool leave = hw_queue_stopped(&b->aq->vq.hq) || hw_queue_evicted(&b->aq->vq.hq);

	if (!leave)
		b->since = 0;
	else if (!b->since)
		b->since = jiffies | 1;
	return leave && time_after(jiffies, b->since + LATE_JIFFIES);
}

/* Whose callback could be removed is not on its way to @done. */
static void end_late(struct amdgpu_runner *r)
{
	struct amdgpu_batch *b, *next;

	list_for_each_entry_safe(b, next, &r->running, entry) {
		if (b->err || !is_late(b) || !dma_fence_remove_callback(b->fence, &b->cb))
			continue;
		b->err = -ECANCELED;
		batch_end(r, b);
	}
}

/* Completes what has ended of batches that last, in their order. Jiffies until the next look */
static long look_at_marks(struct amdgpu_runner *r)
{
	long next = list_empty(&r->running) ? MAX_SCHEDULE_TIMEOUT : HZ;
	struct amdgpu_batch *b;

	list_for_each_entry(b, &r->running, entry) {
		batch_retire(r, b, marked(b));
		if (b->n - b->done > 1)
			next = MARK_JIFFIES;
	}
	return next;
}

long amdgpu_batches_run(struct amdgpu_runner *r)
{
	struct amdgpu_batch *b;

	end_late(r);
	atomic_set(&r->kick, 0);
	/* Orders that before the look at the grids. */
	smp_mb();
	for (;;) {
		end_all(r);
		b = batch_begin(r);
		if (!b)
			break;
		batch_start(r, b);
		cond_resched();
	}
	return look_at_marks(r);
}
