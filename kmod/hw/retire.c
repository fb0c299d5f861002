// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a validated dispatch to its completion. Grids are published here, and the worker that
 * ends the last work-group retires them. The CP thread is not involved in that; it is only
 * kicked if it waits for the packet that has ended.
 */
#include <linux/ktime.h>

#include "capture.h"
#include "../gpu/capture.h"
#include "../trace.h"

static void busy_begin_locked(struct hw_busy *b, u64 now)
{
	if (!b->n++)
		b->since = now;
}

static void busy_end_locked(struct hw_busy *b, u64 now)
{
	if (!--b->n)
		b->ns += now - b->since;
}

u64 hw_busy_time_locked(const struct hw_busy *b)
{
	return b->ns + (b->n ? ktime_get_ns() - b->since : 0);
}

/* True if the CP thread must look at the queue, in case it waits for packets in flight. */
static bool grid_free_locked(struct hw_grid *grid)
{
	struct hw_compute *vq = grid->vq;
	struct hw *vg = vq->vg;
	u64 now = ktime_get_ns();

	lockdep_assert_held(&vg->lock);
	if (unlikely(grid->capture))
		hw_capture_drop_locked(grid);
	grid->used = false;
	busy_end_locked(&vg->busy, now);
	busy_end_locked(&vq->busy, now);
	wake_up(&vq->hq.rest_wq);
	if (--vq->ngrids <= HW_QUEUE_REFILL)
		vq->full = false;
	return !vq->full;
}

/* @grid is in use from here on. */
static void grid_init_locked(struct hw_grid *grid, const struct cp_dispatch *d)
{
	struct hw_compute *vq = grid->vq;
	struct hw *vg = vq->vg;

	vq->ngrids++;
	grid->d = *d;
	grid->packet = vq->cp.ring_packets ? d->index & (vq->cp.ring_packets - 1) : 0;
	grid->used = true;
	grid->aborted = false;
	grid->started = 0;
	grid->finished = 0;
	grid->resident = 0;
	grid->nback = 0;
	grid->claims = 0;
	grid->done = (struct cp_done){ };
	grid->seq = ++vg->next_seq;
	grid->start_clock = hw_now(vg, vq->hq.q->vm);
	grid->start_ns = ktime_get_ns();
	busy_begin_locked(&vg->busy, grid->start_ns);
	busy_begin_locked(&vq->busy, grid->start_ns);
}

/* @capture: GPU_CAPTURE_NONE, or the capture that is about it. */
static int grid_start(struct hw_compute *vq, const struct cp_dispatch *d, u64 capture)
{
	struct hw *vg = vq->vg;
	struct hw_grid *grid = NULL;
	unsigned int i;

	spin_lock(&vg->lock);
	for (i = 0; i < HW_QUEUE_GRIDS && !grid; i++)
		if (!vq->grids[i].used)
			grid = &vq->grids[i];
	if (!grid || hw_queue_stopped(&vq->hq)) {
		vq->full = !grid;
		spin_unlock(&vg->lock);
		return -EBUSY;
	}
	grid_init_locked(grid, d);
	hw_capture_started_locked(grid, capture);
	hw_grid_wait_locked(grid);
	spin_unlock(&vg->lock);
	vg->dispatches++;
	vq->dispatches++;
	/* With few CUs, some of the engine's threads have no CU of this queue: wake many. */
	engine_admit(vq, READ_ONCE(vq->cu_masked) ? HW_GROUPS_MANY : d->total_groups);
	return 0;
}

int hw_grid_adopt(struct hw_compute *vq, unsigned int at, const struct cp_dispatch *d,
		  u64 started, u64 finished, u64 elapsed)
{
	struct hw_grid *grid = &vq->grids[at];
	struct hw *vg = vq->vg;
	u64 clock = hw_now(vg, vq->hq.q->vm);
	int err = 0;

	spin_lock(&vg->lock);
	if (grid->used || hw_queue_stopped(&vq->hq)) {
		err = grid->used ? -EBUSY : -EINVAL;
		goto out_unlock;
	}
	grid_init_locked(grid, d);
	grid->started = started;
	grid->finished = finished;
	grid->start_clock = clock - min(elapsed, clock);
	if (started != d->total_groups)
		hw_grid_wait_locked(grid);
out_unlock:
	spin_unlock(&vg->lock);
	return err;
}

int hw_grid_start(struct hw_env *e, const struct cp_dispatch *d)
{
	struct gpu_device *gdev = e->vq->vg->gdev;
	u64 capture = GPU_CAPTURE_NONE;
	int err = 0;

	if (unlikely(gpu_capture_on(gdev)))
		err = hw_capture_begin(e, d, &capture);
	if (err)
		return err;
	err = grid_start(e->vq, d, capture);
	if (err && capture != GPU_CAPTURE_NONE)
		gpu_capture_drop(gdev, capture);
	return err;
}

/* Nobody waits for pages with the lock held, and only CP threads wait at all. */
static int release_slot(struct hw_env *e, u64 index)
{
	struct hw_compute *vq = e->vq;
	int err;

	do {
		mutex_lock(&vq->retire_lock);
		e->nowait = true;
		err = cp_ring_release(&vq->cp, &e->env, index);
		e->nowait = !e->cp;
		mutex_unlock(&vq->retire_lock);
		if (err != -EAGAIN || !e->cp)
			return err;
		err = hw_stall(e);
	} while (!err);
	e->err = err;
	return err;
}

/* Returns -EAGAIN only to workers. Nothing is lost then; a CP thread must complete it. */
int hw_packet_complete(struct hw_env *e, struct cp_done *done)
{
	struct hw_compute *vq = e->vq;
	int err;

	if (done->pm4) {
		mutex_lock(&vq->retire_lock);
		cp_pm4_dispatch_done(&vq->cp, done->index);
		mutex_unlock(&vq->retire_lock);
		return 0;
	}
	err = release_slot(e, done->index);
	if (!err)
		err = cp_signal_complete(&e->env, done);
	if (err)
		return err;
	mutex_lock(&vq->retire_lock);
	cp_packet_finish(&vq->cp);
	/* Its packets have no fences, as those of PM4: the index tells. */
	if (vq->hq.q->client)
		vq->hq.q->client->fence(vq->hq.q, vq->cp.release);
	mutex_unlock(&vq->retire_lock);
	return 0;
}

/* A worker must not wait for pages, so leave the rest of the completion to the CP thread. */
static void complete_late(struct hw_grid *grid)
{
	struct hw_compute *vq = grid->vq;
	struct hw *vg = vq->vg;

	spin_lock(&vg->lock);
	hw_queue_hold_locked(&vq->hq);
	vq->hq.late++;
	list_add_tail(&grid->node, &vg->late);
	wake_up(&vq->hq.rest_wq);
	spin_unlock(&vg->lock);
	hw_cp_kick(vg);
}

/* @cp: the caller, if it is a thread that steps packets. */
static void grid_retire(struct gpu_vm_worker *w, struct hw_cp *cp, struct hw_grid *grid)
{
	struct hw_compute *vq = grid->vq;
	struct hw *vg = vq->vg;
	struct hw_env e;
	bool wanted;
	int err;

	hw_env_init(&e, w, cp, vq);
	err = hw_packet_complete(&e, &grid->done);
	if (err == -EAGAIN) {
		complete_late(grid);
		return;
	}
	if (err)
		hw_memory_failed(vq->hq.q, err, &e.fault);
	spin_lock(&vg->lock);
	wanted = grid_free_locked(grid);
	spin_unlock(&vg->lock);
	/* Orders the finished count and the slot before the read of @blocked. */
	smp_mb();
	if ((wanted && READ_ONCE(vq->blocked)) || READ_ONCE(vg->polling))
		hw_cp_kick(vg);
}

static void grid_finish(struct gpu_vm_worker *w, struct hw_grid *grid)
{
	struct hw_compute *vq = grid->vq;

	trace_vkfd_dispatch(vq->vg->gdev->gpu_id, vq->hq.q->process->pid, vq->hq.q->id,
			    grid->d.index, grid->d.pm4 ? grid->d.pc : grid->d.kernel_object,
			    grid->d.grid, ktime_get_ns() - grid->start_ns);
	grid->done.index = grid->d.index;
	grid->done.signal = grid->d.signal;
	grid->done.start = grid->start_clock;
	grid->done.end = hw_now(vq->vg, vq->hq.q->vm);
	grid->done.pm4 = grid->d.pm4;
	gpu_inject_complete(vq->vg->gdev);
	if (unlikely(grid->capture))
		hw_capture_end(grid, w);
	grid_retire(w, NULL, grid);
}

static struct hw_grid *next_late(struct hw *vg)
{
	struct hw_grid *grid;
	struct hw_compute *vq;

	spin_lock(&vg->lock);
	list_for_each_entry(grid, &vg->late, node) {
		vq = grid->vq;
		/* A stopped queue waits for no memory, and whoever destroys it waits for this. */
		if (!hw_queue_stopped(&vq->hq) &&
		    (vq->hq.q->vm->stalled || hw_queue_evicted(&vq->hq)))
			continue;
		vq->hq.late--;
		list_del_init(&grid->node);
		spin_unlock(&vg->lock);
		return grid;
	}
	spin_unlock(&vg->lock);
	return NULL;
}

bool hw_retire_late(struct hw_cp *cp)
{
	struct hw *vg = cp->vg;
	struct hw_grid *grid;
	struct hw_compute *vq;
	bool any = false;

	while (!list_empty(&vg->late) && !hw_cp_replaced(cp) && (grid = next_late(vg))) {
		vq = grid->vq;
		grid_retire(&cp->vmw, cp, grid);
		spin_lock(&vg->lock);
		hw_stay_end_locked(vq);
		hw_queue_leave_locked(&vq->hq);
		spin_unlock(&vg->lock);
		any = true;
	}
	return any;
}

void hw_grid_leave_locked(struct hw_grid *grid, bool finished, struct hw_grid_left *left)
{
	*left = (struct hw_grid_left){};
	grid->resident--;
	if (grid->aborted) {
		left->drained = !grid->resident;
		if (left->drained)
			grid_free_locked(grid);
	} else if (finished) {
		grid->finished++;
		left->retire = grid->finished == grid->d.total_groups;
	}
}

void hw_grid_left(struct hw *vg, struct gpu_vm_worker *w, struct hw_grid *grid,
		  const struct hw_grid_left *left)
{
	if (left->retire)
		grid_finish(w, grid);
	if (left->drained)
		hw_cp_kick(vg);
}

/*
 * Leaves out a grid that is just being retired: it has no resident group and is off the list,
 * and its worker will free it.
 */
void hw_compute_abort_locked(struct hw_compute *vq)
{
	unsigned int i;

	lockdep_assert_held(&vq->vg->lock);
	for (i = 0; i < HW_QUEUE_GRIDS; i++) {
		struct hw_grid *grid = &vq->grids[i];

		if (!grid->used || grid->aborted ||
		    grid->finished == grid->d.total_groups)
			continue;
		WRITE_ONCE(grid->aborted, true);
		hw_grid_unwait_locked(grid);
		if (!grid->resident)
			grid_free_locked(grid);
	}
}
