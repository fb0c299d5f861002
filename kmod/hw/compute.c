// SPDX-License-Identifier: GPL-2.0-only
/*
 * Life of a queue on the virtual GPU. Update, evict and fini return only when no thread
 * accesses the queue's memory: nobody is inside the queue, and nobody can enter it.
 */
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/wait.h>

#include "engine.h"

static void compute_turned(struct hw_queue *hq)
{
	hw_grids_ready_locked(container_of(hq, struct hw_compute, hq));
}

int hw_compute_init(struct gpu_queue *q)
{
	struct hw *vg = to_hw(q->gdev);
	const struct gpu_queue_props *p = &q->props;
	struct hw_compute *vq;
	unsigned int i;
	int err;

	if (p->type == GPU_QUEUE_SDMA)
		return hw_sdma_queue_init(q);
	if (p->type != GPU_QUEUE_AQL && p->type != GPU_QUEUE_PM4)
		return -EINVAL;
	vq = engine_queue_create(vg, q);
	if (IS_ERR(vq))
		return PTR_ERR(vq);
	vq->vg = vg;
	/* A queue without a ring waits for an update that sets one. */
	err = cp_queue_init(&vq->cp, vg->gdev->target,
			    p->type == GPU_QUEUE_PM4 ? CP_KIND_PM4 : CP_KIND_AQL,
			    p->ring_va, p->ring_bytes, p->rptr_va, p->wptr_va);
	if (err) {
		engine_queue_destroy(vg, vq);
		return err;
	}
	vq->cp.orders = vg->engine->orders;
	if (q->job)
		vq->cp.pm4.no_ring = true;
	vq->cp.pm4.protected = q->client;
	mutex_init(&vq->retire_lock);
	for (i = 0; i < HW_QUEUE_GRIDS; i++) {
		vq->grids[i].vq = vq;
		INIT_LIST_HEAD(&vq->grids[i].node);
	}
	INIT_LIST_HEAD(&vq->waits);
	INIT_LIST_HEAD(&vq->ready);
	hw_queue_init(&vq->hq, q, &vg->lock, vg->hqds);
	vq->hq.turned = compute_turned;
	vq->weight = hw_weight(p->priority);
	/*
	 * An AQL doorbell contains the index of the last packet, and the first store to it may
	 * be 0. So start with a value that cannot be an index.
	 */
	if (p->type == GPU_QUEUE_AQL)
		WRITE_ONCE(q->pdd->doorbells->val[q->doorbell], ~0ull);
	q->error = GPU_QUEUE_NO_ERROR;
	vq->owner = q->process->id;
	q->priv = vq;
	spin_lock(&vg->lock);
	list_add_tail(&vq->hq.node, &vg->queues);
	WRITE_ONCE(vg->nqueues, vg->nqueues + 1);
	spin_unlock(&vg->lock);
	hw_cp_kick(vg);
	return 0;
}

/*
 * If nothing is in flight and nobody is inside, takes the queue off the list under the same
 * lock. Otherwise the CP thread, which walks the list to arm doorbells, could enter it again.
 */
static bool queue_removed(struct hw_compute *vq)
{
	struct hw *vg = vq->vg;
	unsigned int i;
	bool rest;

	spin_lock(&vg->lock);
	rest = !vq->hq.users && engine_queue_idle_locked(vq);
	for (i = 0; rest && i < HW_QUEUE_GRIDS; i++)
		rest = !vq->grids[i].used;
	if (rest) {
		list_del(&vq->hq.node);
		WRITE_ONCE(vg->nqueues, vg->nqueues - 1);
	}
	spin_unlock(&vg->lock);
	return rest;
}

int hw_compute_update(struct gpu_queue *q, const struct gpu_queue_props *p)
{
	struct hw_compute *vq = q->priv;
	struct hw *vg = to_hw(q->gdev);
	bool was_on, on = hw_queue_props_on(p);
	int err;

	if (q->props.type == GPU_QUEUE_SDMA)
		return hw_sdma_queue_update(q, p);
	err = hw_queue_pause(&vq->hq, &was_on);
	if (!err && on)
		err = hw_waves_load(vq);
	if (!err && on)
		err = cp_queue_move(&vq->cp, p->ring_va, p->ring_bytes);
	if (!err) {
		err = engine_priority(vq, p->priority);
		if (err && on && was_on)
			cp_queue_move(&vq->cp, q->props.ring_va, q->props.ring_bytes);
	}
	if (!err)
		hw_waves_update(vq, was_on, on);
	if (!err) {
		spin_lock(&vg->lock);
		WRITE_ONCE(vq->weight, hw_weight(p->priority));
		spin_unlock(&vg->lock);
	}
	hw_queue_resume(&vq->hq, err ? was_on : on);
	hw_cp_kick(vg);
	engine_run(vg);
	return err;
}

/*
 * Takes the queue off the GPU, whatever it waits for: a wave stops after an instruction, a packet
 * between two reads of memory. Unlike an update, this needs nothing from the process, which may
 * be frozen. Waves stay with the engine, and a thread that waits for a page goes on waiting
 * (stall.c).
 */
void hw_compute_evict(struct gpu_queue *q)
{
	struct hw_compute *vq = q->priv;

	if (q->props.type == GPU_QUEUE_SDMA)
		hw_sdma_queue_evict(q);
	else
		hw_queue_evict(&vq->hq);
}

void hw_compute_restore(struct gpu_queue *q)
{
	struct hw_compute *vq = q->priv;
	struct hw *vg = to_hw(q->gdev);

	if (q->props.type == GPU_QUEUE_SDMA) {
		hw_sdma_queue_restore(q);
		return;
	}
	hw_waves_restore(vq);
	hw_hang_restored(vq);
	hw_queue_restore(&vq->hq);
	hw_cp_kick(vg);
	engine_run(vg);
}

void hw_compute_wake_locked(struct hw_compute *vq)
{
	lockdep_assert_held(&vq->vg->lock);
	wake_up(&vq->hq.rest_wq);
}

void hw_compute_leave(struct hw_compute *vq)
{
	struct hw *vg = vq->vg;
	bool failed;

	spin_lock(&vg->lock);
	hw_queue_leave_locked(&vq->hq);
	failed = !vq->hq.users && vq->hq.state == HW_QUEUE_FAILED;
	spin_unlock(&vg->lock);
	if (failed)
		hw_cp_kick(vg);
}

void hw_compute_fini(struct gpu_queue *q)
{
	struct hw_compute *vq = q->priv;
	struct hw *vg = to_hw(q->gdev);

	if (q->props.type == GPU_QUEUE_SDMA) {
		hw_sdma_queue_fini(q);
		return;
	}
	spin_lock(&vg->lock);
	hw_queue_kill_locked(&vq->hq);
	hw_compute_abort_locked(vq);
	spin_unlock(&vg->lock);
	/* An evicted queue may have completions that wait for pages: let the CP finish them. */
	hw_cp_kick(vg);
	engine_kill(vg);
	wait_event(vq->hq.rest_wq, queue_removed(vq));
	hw_hang_destroyed(vq);
	q->priv = NULL;
	mutex_destroy(&vq->retire_lock);
	engine_queue_destroy(vg, vq);
}
