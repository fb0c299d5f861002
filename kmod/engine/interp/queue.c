// SPDX-License-Identifier: GPL-2.0-only
/*
 * A compute queue as the interpreter sees it: its life, and which workers it has.
 *
 * CU i counts for worker i modulo their number, so a CU mask also says which workers a
 * queue has.
 */
#include <linux/bitmap.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "interp.h"

#define POOL_QUEUES	2	/* times as many as it has CUs, that find a block in the pool */

/* A queue that is one of too many for the pool of blocks (group.c) brings one. */
static int bring_block(struct interp_queue *iq, const struct interp *ip)
{
	if (READ_ONCE(ip->vg->nqueues) < POOL_QUEUES * ip->vg->gdev->cu_count)
		return 0;
	iq->block = interp_block_create(interp_block_max(ip), GFP_KERNEL_ACCOUNT);
	if (!iq->block)
		return -ENOMEM;
	iq->block->keeper = iq;
	iq->has_block = true;
	return 0;
}

struct hw_compute *interp_queue_create(struct hw *vg)
{
	const struct interp *ip = to_interp(vg);
	struct interp_queue *iq;

	iq = kvzalloc(struct_size(iq, on_worker, ip->nworkers), GFP_KERNEL_ACCOUNT);
	if (!iq)
		return NULL;
	if (bring_block(iq, ip)) {
		kvfree(iq);
		return NULL;
	}
	raw_spin_lock_init(&iq->gws_lock);
	INIT_LIST_HEAD(&iq->groups);
	return &iq->vq;
}

void interp_queue_destroy(struct hw_compute *vq)
{
	struct interp_queue *iq = to_interp_queue(vq);

	/* The VM may be freed and another one take its address. */
	atomic_inc(&to_interp(vq->vg)->tlb_epoch);
	if (iq->block)
		interp_block_destroy(iq->block);
	kvfree(iq);
}

/* It has its block back, if it brought one. */
bool interp_queue_idle_locked(const struct hw_compute *vq)
{
	const struct interp_queue *iq = to_interp_queue(vq);

	return !iq->has_block == !iq->block;
}

void interp_cu_mask_locked(struct hw_compute *vq)
{
	struct interp_queue *iq = to_interp_queue(vq);
	const struct interp *ip = to_interp(vq->vg);
	unsigned int i;

	lockdep_assert_held(&vq->vg->lock);
	for (i = 0; i < ip->nworkers; i++)
		iq->on_worker[i].cus = 0;
	for_each_set_bit(i, vq->cu_mask, vq->vg->ncus)
		iq->on_worker[i % ip->nworkers].cus++;
}

unsigned int interp_cus_of_locked(const struct interp_queue *iq, const struct interp_worker *w)
{
	unsigned int ncus = w->vg->ncus, n = w->ip->nworkers;

	lockdep_assert_held(&w->vg->lock);
	if (iq->vq.cu_masked)
		return iq->on_worker[w->index].cus;
	/* More workers than CUs: the ones beyond share those there are. */
	return ncus / n + (w->index < ncus % n) ?: 1;
}

/* A worker is what a compute unit is: the place where a work-group lives. */
u32 interp_busy_cus(struct hw *vg, const struct gpu_process *p)
{
	const struct interp *ip = to_interp(vg);
	DECLARE_BITMAP(busy, INTERP_MAX_WORKERS) = {};
	const struct hw_compute *vq;
	unsigned int i;

	spin_lock(&vg->lock);
	list_for_each_entry(vq, &vg->queues, hq.node) {
		if (vq->hq.q->process != p)
			continue;
		for (i = 0; i < ip->nworkers; i++)
			if (to_interp_queue(vq)->on_worker[i].groups)
				__set_bit(i, busy);
	}
	spin_unlock(&vg->lock);
	return bitmap_weight(busy, INTERP_MAX_WORKERS);
}
