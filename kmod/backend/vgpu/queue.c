// SPDX-License-Identifier: GPL-2.0-only
/*
 * Life of a queue on the virtual GPU. Update, evict and fini return when nothing
 * touches the queue's memory: nobody is inside, and nobody can enter.
 */
#include <linux/ktime.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "vgpu.h"

bool vgpu_queue_runnable_locked(const struct vgpu_queue *vq)
{
	lockdep_assert_held(&vq->vg->lock);
	return vq->active && vq->mapped && !vq->paused && !vq->dead;
}

bool vgpu_queue_enter_locked(struct vgpu_queue *vq)
{
	if (!vgpu_queue_runnable_locked(vq))
		return false;
	vq->users++;
	return true;
}

/* The waiter takes the lock to see the count, so @vq outlives the wake-up. */
void vgpu_queue_leave_locked(struct vgpu_queue *vq)
{
	lockdep_assert_held(&vq->vg->lock);
	if (--vq->users == vq->parked + vq->nlate)
		wake_up(&vq->idle_wq);
}

void vgpu_queue_leave(struct vgpu_queue *vq)
{
	struct vgpu *vg = vq->vg;

	spin_lock(&vg->lock);
	vgpu_queue_leave_locked(vq);
	spin_unlock(&vg->lock);
}

static bool props_active(const struct gpu_queue_props *p)
{
	return p->percentage && p->ring_bytes && p->ring_va;
}

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
	vq->q = q;
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
	init_waitqueue_head(&vq->idle_wq);
	INIT_LIST_HEAD(&vq->groups);
	for (i = 0; i < VGPU_QUEUE_GRIDS; i++) {
		vq->grids[i].vq = vq;
		INIT_LIST_HEAD(&vq->grids[i].node);
	}
	vq->active = props_active(p);
	vq->evicted = q->evicted;
	vq->weight = vgpu_weight(p->priority);
	vq->mapped_ns = ktime_get_ns();
	/*
	 * An AQL doorbell holds the index of the last packet, and the first
	 * ring may well store 0: before it, no index at all stands there.
	 */
	if (p->type == GPU_QUEUE_AQL)
		WRITE_ONCE(q->pdd->doorbells->val[q->doorbell], ~0ull);
	q->error = 0;
	vq->owner = q->process->id;
	q->priv = vq;
	spin_lock(&vg->lock);
	list_add_tail(&vq->node, &vg->queues);
	WRITE_ONCE(vg->nqueues, vg->nqueues + 1);
	spin_unlock(&vg->lock);
	vgpu_cp_kick(vg);
	return 0;
}

static bool queue_at_rest(struct vgpu_queue *vq)
{
	struct vgpu *vg = vq->vg;
	bool rest;

	spin_lock(&vg->lock);
	rest = !vq->users;
	spin_unlock(&vg->lock);
	return rest;
}

/*
 * Nothing in flight and nobody inside: off the list in the same moment, or who
 * walks it to arm doorbells takes hold of the queue once more.
 */
static bool queue_removed(struct vgpu_queue *vq)
{
	struct vgpu *vg = vq->vg;
	unsigned int i;
	bool rest;

	spin_lock(&vg->lock);
	rest = !vq->users && !vq->has_block == !vq->block;
	for (i = 0; rest && i < VGPU_QUEUE_GRIDS; i++)
		rest = !vq->grids[i].used;
	if (rest) {
		vgpu_unmap_locked(vq, 0);
		list_del(&vq->node);
		WRITE_ONCE(vg->nqueues, vg->nqueues - 1);
	}
	spin_unlock(&vg->lock);
	return rest;
}

int vgpu_queue_update(struct gpu_queue *q, const struct gpu_queue_props *p)
{
	struct vgpu_queue *vq = q->priv;
	struct vgpu *vg = to_vgpu(q->gdev);
	int err = 0;

	if (q->props.type == GPU_QUEUE_SDMA)
		return vgpu_sdma_queue_update(q, p);
	spin_lock(&vg->lock);
	WRITE_ONCE(vq->paused, true);
	spin_unlock(&vg->lock);
	/* A packet may be waiting for a page of a process that is being killed. */
	err = wait_event_killable(vq->idle_wq, queue_at_rest(vq));
	if (!err && props_active(p))
		err = vgpu_waves_load(vq);
	if (!err && props_active(p))
		err = cp_queue_move(&vq->cp, p->ring_va, p->ring_bytes);
	if (!err)
		vgpu_waves_off(vq, !props_active(p));
	spin_lock(&vg->lock);
	if (!err) {
		vq->active = props_active(p);
		vq->weight = vgpu_weight(p->priority);
	}
	vq->stuck_ns = 0;
	WRITE_ONCE(vq->paused, false);
	spin_unlock(&vg->lock);
	vgpu_cp_kick(vg);
	vgpu_work_kick(vg, vg->nworkers);
	return err;
}

static bool queue_evicted(struct vgpu_queue *vq)
{
	struct vgpu *vg = vq->vg;
	bool off;

	spin_lock(&vg->lock);
	off = vq->users == vq->parked + vq->nlate;
	spin_unlock(&vg->lock);
	return off;
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
	struct vgpu *vg = to_vgpu(q->gdev);

	if (q->props.type == GPU_QUEUE_SDMA) {
		vgpu_sdma_queue_evict(q);
		return;
	}
	spin_lock(&vg->lock);
	WRITE_ONCE(vq->evicted, true);
	vgpu_unmap_locked(vq, ktime_get_ns());
	spin_unlock(&vg->lock);
	wait_event(vq->idle_wq, queue_evicted(vq));
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
	spin_lock(&vg->lock);
	WRITE_ONCE(vq->evicted, false);
	spin_unlock(&vg->lock);
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
	WRITE_ONCE(vq->dead, true);
	vq->fail_code = 0;
	vgpu_queue_abort_locked(vq);
	spin_unlock(&vg->lock);
	/* Of a queue that is evicted there may be late completions. */
	vgpu_cp_kick(vg);
	vgpu_work_kick(vg, vg->nworkers);
	wait_event(vq->idle_wq, queue_removed(vq));
	vgpu_hang_destroyed(vq);
	/* The VM may be freed and another one take its address. */
	atomic_inc(&vg->tlb_epoch);
	q->priv = NULL;
	vgpu_queue_block_fini(vq);
	mutex_destroy(&vq->retire_lock);
	kvfree(vq);
}
