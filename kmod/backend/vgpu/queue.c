// SPDX-License-Identifier: GPL-2.0-only
/*
 * Life of a queue on the virtual GPU. Update, evict and fini return when nothing
 * touches the queue's memory: nobody is inside, and nobody can enter.
 */
#include <linux/overflow.h>
#include <linux/slab.h>

#include "engine.h"

int vgpu_queue_init(struct gpu_queue *q)
{
	struct vgpu *vg = to_vgpu(q->gdev);
	const struct gpu_queue_props *p = &q->props;
	struct vgpu_queue *vq;
	unsigned int i;
	int err;

	if (p->type == GPU_QUEUE_SDMA)
		return vgpu_sdma_queue_init(q);
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
	err = vgpu_queue_block_init(vq);
	if (err) {
		kvfree(vq);
		return err;
	}
	mutex_init(&vq->retire_lock);
	raw_spin_lock_init(&vq->gws_lock);
	INIT_LIST_HEAD(&vq->groups);
	for (i = 0; i < VGPU_QUEUE_GRIDS; i++) {
		vq->grids[i].vq = vq;
		INIT_LIST_HEAD(&vq->grids[i].node);
	}
	hw_queue_init(&vq->hq, q, &vg->lock, vg->hqds);
	vq->weight = vgpu_weight(p->priority);
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
	vgpu_cp_kick(vg);
	return 0;
}

/*
 * If nothing is in flight and nobody is inside, the queue leaves the list under the same
 * lock: the CP walks the list to arm doorbells, and would enter the queue once more.
 */
static bool queue_removed(struct vgpu_queue *vq)
{
	struct vgpu *vg = vq->vg;
	unsigned int i;
	bool rest;

	spin_lock(&vg->lock);
	rest = !vq->hq.users && !vq->has_block == !vq->block;
	for (i = 0; rest && i < VGPU_QUEUE_GRIDS; i++)
		rest = !vq->grids[i].used;
	if (rest) {
		list_del(&vq->hq.node);
		WRITE_ONCE(vg->nqueues, vg->nqueues - 1);
	}
	spin_unlock(&vg->lock);
	return rest;
}

int vgpu_queue_update(struct gpu_queue *q, const struct gpu_queue_props *p)
{
	struct vgpu_queue *vq = q->priv;
	struct vgpu *vg = to_vgpu(q->gdev);
	bool was_on, on = hw_queue_props_on(p);
	int err;

	if (q->props.type == GPU_QUEUE_SDMA)
		return vgpu_sdma_queue_update(q, p);
	err = hw_queue_pause(&vq->hq, &was_on);
	if (!err && on)
		err = vgpu_waves_load(vq);
	if (!err && on)
		err = cp_queue_move(&vq->cp, p->ring_va, p->ring_bytes);
	if (!err)
		vgpu_waves_off(vq, was_on, !on);
	if (!err) {
		spin_lock(&vg->lock);
		WRITE_ONCE(vq->weight, vgpu_weight(p->priority));
		spin_unlock(&vg->lock);
	}
	hw_queue_resume(&vq->hq, err ? was_on : on);
	vgpu_cp_kick(vg);
	vgpu_work_kick(vg, vg->nworkers);
	return err;
}

/*
 * Off the GPU, whatever the queue waits for: a wave stops after an instruction,
 * a packet between two looks at memory. Unlike an update this needs nothing of
 * the process, which may be frozen: waves stay in their workers, and who waits
 * for a page waits on (stall.c).
 */
void vgpu_queue_evict(struct gpu_queue *q)
{
	struct vgpu_queue *vq = q->priv;

	if (q->props.type == GPU_QUEUE_SDMA)
		vgpu_sdma_queue_evict(q);
	else
		hw_queue_evict(&vq->hq);
}

void vgpu_queue_restore(struct gpu_queue *q)
{
	struct vgpu_queue *vq = q->priv;
	struct vgpu *vg = to_vgpu(q->gdev);

	if (q->props.type == GPU_QUEUE_SDMA) {
		vgpu_sdma_queue_restore(q);
		return;
	}
	vgpu_waves_restore(vq);
	vgpu_hang_restored(vq);
	hw_queue_restore(&vq->hq);
	vgpu_cp_kick(vg);
	vgpu_work_kick(vg, vg->nworkers);
}

u64 vgpu_queue_waves(struct gpu_queue *q)
{
	struct vgpu *vg = to_vgpu(q->gdev);
	struct vgpu_queue *vq = q->priv;
	unsigned int i;
	u64 n = 0;

	if (q->props.type == GPU_QUEUE_SDMA)
		return 0;
	spin_lock(&vg->lock);
	for (i = 0; i < VGPU_QUEUE_GRIDS; i++)
		if (vq->grids[i].used)
			n += vq->grids[i].resident;
	spin_unlock(&vg->lock);
	return n;
}

void vgpu_queue_fini(struct gpu_queue *q)
{
	struct vgpu_queue *vq = q->priv;
	struct vgpu *vg = to_vgpu(q->gdev);

	if (q->props.type == GPU_QUEUE_SDMA) {
		vgpu_sdma_queue_fini(q);
		return;
	}
	spin_lock(&vg->lock);
	hw_queue_kill_locked(&vq->hq);
	vgpu_queue_abort_locked(vq);
	spin_unlock(&vg->lock);
	/* Of a queue that is evicted there may be late completions. */
	vgpu_cp_kick(vg);
	vgpu_work_kick(vg, vg->nworkers);
	wait_event(vq->hq.rest_wq, queue_removed(vq));
	vgpu_hang_destroyed(vq);
	/* The VM may be freed and another one take its address. */
	atomic_inc(&vg->tlb_epoch);
	q->priv = NULL;
	vgpu_queue_block_fini(vq);
	mutex_destroy(&vq->retire_lock);
	kvfree(vq);
}
