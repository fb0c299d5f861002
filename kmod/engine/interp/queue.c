// SPDX-License-Identifier: GPL-2.0-only
/*
 * A compute queue as the interpreter sees it: create and destroy, and which workers it may use.
 *
 * CU i belongs to worker i modulo the number of workers, so a CU mask also selects workers. Those
 * of a queue whose waves run in user mode are the threads of its engine process, which may be
 * fewer.
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "remote.h"

#define POOL_QUEUES	2	/* the pool has a block for so many queues per CU */

/* If there are more queues than the pool has blocks for (group.c), a new queue brings its own. */
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

struct hw_compute *interp_queue_create(struct hw *vg, struct gpu_queue *q)
{
	struct interp *ip = to_interp(vg);
	struct interp_remote *remote;
	struct interp_queue *iq;
	unsigned int i;

	iq = kvzalloc(struct_size(iq, on_worker, ip->nworkers), GFP_KERNEL_ACCOUNT);
	if (!iq)
		return ERR_PTR(-ENOMEM);
	if (bring_block(iq, ip)) {
		kvfree(iq);
		return ERR_PTR(-ENOMEM);
	}
	remote = interp_remote_get(ip, q);
	if (IS_ERR(remote)) {
		if (iq->block)
			interp_block_destroy(iq->block);
		kvfree(iq);
		return ERR_PTR(PTR_ERR(remote));
	}
	iq->remote = remote;
	raw_spin_lock_init(&iq->gws_lock);
	INIT_LIST_HEAD(&iq->groups);
	for (i = 0; i < ip->nworkers; i++)
		INIT_LIST_HEAD(&iq->on_worker[i].awake);
	return &iq->vq;
}

void interp_queue_destroy(struct hw_compute *vq)
{
	struct interp_queue *iq = to_interp_queue(vq);

	/* The VM may be freed, and another one may get its address. */
	atomic_inc(&to_interp(vq->vg)->tlb_epoch);
	if (iq->remote)
		interp_remote_put(iq->remote);
	if (iq->block)
		interp_block_destroy(iq->block);
	kvfree(iq);
}

/* If it brought a block, has that been returned? */
bool interp_queue_idle_locked(const struct hw_compute *vq)
{
	const struct interp_queue *iq = to_interp_queue(vq);

	return !iq->has_block == !iq->block;
}

unsigned int interp_workers_for(const struct interp *ip, const struct interp_remote *r)
{
	return r ? interp_remote_threads(r) : ip->nworkers;
}

void interp_cu_mask_locked(struct hw_compute *vq)
{
	struct interp_queue *iq = to_interp_queue(vq);
	unsigned int i, n = interp_workers_for(to_interp(vq->vg), iq->remote);

	lockdep_assert_held(&vq->vg->lock);
	for (i = 0; i < n; i++)
		iq->on_worker[i].cus = 0;
	for_each_set_bit(i, vq->cu_mask, vq->vg->ncus)
		iq->on_worker[i % n].cus++;
}

unsigned int interp_cus_of_locked(const struct interp_queue *iq, const struct interp_worker *w)
{
	unsigned int ncus = w->vg->ncus, n = interp_workers_for(w->ip, w->remote);

	lockdep_assert_held(&w->vg->lock);
	if (iq->vq.cu_masked)
		return iq->on_worker[w->index].cus;
	/* If there are more workers than CUs, the excess workers share the CUs. */
	return ncus / n + (w->index < ncus % n) ?: 1;
}

/* Each worker stands for a compute unit: work-groups are resident on a worker. */
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
