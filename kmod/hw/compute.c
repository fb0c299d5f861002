// SPDX-License-Identifier: GPL-2.0-only
/*
 * Life of a queue on the virtual GPU. Update, evict and fini return when nothing
 * touches the queue's memory: nobody is inside, and nobody can enter.
 */
#include <linux/overflow.h>
#include <linux/slab.h>

#include "engine.h"

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
	vq = kvzalloc(struct_size(vq, on_worker, vg->nworkers), GFP_KERNEL_ACCOUNT);
	if (!vq)
		return -ENOMEM;
	vq->vg = vg;
	/* Without a ring the queue waits for an update that brings one. */
	err = cp_queue_init(&vq->cp, vg->gdev->target,
			    p->type == GPU_QUEUE_PM4 ? CP_KIND_PM4 : CP_KIND_AQL,
			    p->ring_va, p->ring_bytes, p->rptr_va, p->wptr_va);
	if (err) {
		kvfree(vq);
		return err;
	}
	err = vg->engine->queue_init(vq);
	if (err) {
		kvfree(vq);
		return err;
	}
	mutex_init(&vq->retire_lock);
	raw_spin_lock_init(&vq->gws_lock);
	INIT_LIST_HEAD(&vq->groups);
	for (i = 0; i < HW_QUEUE_GRIDS; i++) {
		vq->grids[i].vq = vq;
		INIT_LIST_HEAD(&vq->grids[i].node);
	}
	hw_queue_init(&vq->hq, q, &vg->lock, vg->hqds);
	vq->weight = hw_weight(p->priority);
	/*
	 * An AQL doorbell holds the index of the last packet. The first store to it may well
	 * be 0, so it begins with a value that is no index.
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
 * If nothing is in flight and nobody is inside, the queue leaves the list under the same
 * lock: the CP walks the list to arm doorbells, and would enter the queue once more.
 */
static bool queue_removed(struct hw_compute *vq)
{
	struct hw *vg = vq->vg;
	unsigned int i;
	bool rest;

	spin_lock(&vg->lock);
	rest = !vq->hq.users && vg->engine->queue_idle_locked(vq);
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
		err = vg->engine->load(vq);
	if (!err && on)
		err = cp_queue_move(&vq->cp, p->ring_va, p->ring_bytes);
	if (!err)
		vg->engine->update(vq, was_on, on);
	if (!err) {
		spin_lock(&vg->lock);
		WRITE_ONCE(vq->weight, hw_weight(p->priority));
		spin_unlock(&vg->lock);
	}
	hw_queue_resume(&vq->hq, err ? was_on : on);
	hw_cp_kick(vg);
	vg->engine->admit(vg, vg->nworkers);
	return err;
}

/*
 * Off the GPU, whatever the queue waits for: a wave stops after an instruction,
 * a packet between two looks at memory. Unlike an update this needs nothing of
 * the process, which may be frozen: waves stay in their workers, and who waits
 * for a page waits on (stall.c).
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
	vg->engine->restore(vq);
	hw_hang_restored(vq);
	hw_queue_restore(&vq->hq);
	hw_cp_kick(vg);
	vg->engine->admit(vg, vg->nworkers);
}

int hw_compute_cu_mask(struct gpu_queue *q, const u32 *mask, u32 bits)
{
	if (q->props.type == GPU_QUEUE_SDMA)
		return 0;
	return to_hw(q->gdev)->engine->cu_mask(q, mask, bits);
}

int hw_compute_wave_state(struct gpu_queue *q, u32 xcc, struct gpu_wave_state *s, u32 *stack)
{
	return to_hw(q->gdev)->engine->wave_state(q, xcc, s, stack);
}

u64 hw_compute_waves(struct gpu_queue *q)
{
	struct hw *vg = to_hw(q->gdev);
	struct hw_compute *vq = q->priv;
	unsigned int i;
	u64 n = 0;

	if (q->props.type == GPU_QUEUE_SDMA)
		return 0;
	spin_lock(&vg->lock);
	for (i = 0; i < HW_QUEUE_GRIDS; i++)
		if (vq->grids[i].used)
			n += vq->grids[i].resident;
	spin_unlock(&vg->lock);
	return n;
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
	/* Of a queue that is evicted there may be late completions. */
	hw_cp_kick(vg);
	vg->engine->admit(vg, vg->nworkers);
	wait_event(vq->hq.rest_wq, queue_removed(vq));
	hw_hang_destroyed(vq);
	/* The VM may be freed and another one take its address. */
	atomic_inc(&vg->tlb_epoch);
	q->priv = NULL;
	vg->engine->queue_fini(vq);
	mutex_destroy(&vq->retire_lock);
	kvfree(vq);
}
