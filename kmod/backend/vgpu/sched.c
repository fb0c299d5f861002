// SPDX-License-Identifier: GPL-2.0-only
/*
 * HQD slots: the model's fixed number of queues that can run at a time. As
 * long as all queues fit, all are mapped. Beyond that, a queue with work and
 * without a slot takes the slot of a queue that has none to do, or of the one
 * that has had its slot longest, once its quantum is over. What the loser has
 * in flight is parked in the workers and goes on when it is mapped again.
 *
 * All of this runs on the CP thread, which also owns the packet processors'
 * states that it looks at.
 */
#include <linux/ktime.h>

#include "vgpu.h"
#include "../../gpu/target.h"

bool vgpu_queue_has_work_locked(const struct vgpu_queue *vq)
{
	const struct cp_queue *cp = &vq->cp;

	if (vq->dead || !vq->active)
		return false;
	return cp_queue_busy(cp) ||
	       gpu_doorbell_read(vq->q->pdd->doorbells, vq->q->doorbell) != cp->doorbell;
}

/* The queue with work that has been without a slot longest. */
static struct vgpu_queue *first_waiting_locked(struct vgpu *vg)
{
	struct vgpu_queue *vq, *first = NULL;

	list_for_each_entry(vq, &vg->queues, node)
		if (!vq->mapped && vgpu_queue_has_work_locked(vq) &&
		    (!first || vq->mapped_ns < first->mapped_ns))
			first = vq;
	return first;
}

static struct vgpu_queue *victim_locked(struct vgpu *vg, u64 now)
{
	struct vgpu_queue *vq, *oldest = NULL;

	list_for_each_entry(vq, &vg->queues, node) {
		if (!vq->mapped)
			continue;
		if (!vgpu_queue_has_work_locked(vq))
			return vq;
		if (!oldest || vq->mapped_ns < oldest->mapped_ns)
			oldest = vq;
	}
	if (oldest && now - oldest->mapped_ns < vg->quantum_ns)
		return NULL;
	return oldest;
}

static unsigned int map_all_locked(struct vgpu *vg, u64 now)
{
	struct vgpu_queue *vq;
	unsigned int n = 0;

	list_for_each_entry(vq, &vg->queues, node) {
		if (vq->mapped)
			continue;
		WRITE_ONCE(vq->mapped, true);
		vq->mapped_ns = now;
		n++;
	}
	return n;
}

bool vgpu_sched(struct vgpu *vg)
{
	unsigned int slots = vg->gdev->target->cp_queues, mapped = 0, changes = 0;
	struct vgpu_queue *vq, *victim;
	u64 now = ktime_get_ns();
	bool waiting = false;

	spin_lock(&vg->lock);
	if (vg->nqueues <= slots) {
		changes = map_all_locked(vg, now);
		goto out;
	}
	list_for_each_entry(vq, &vg->queues, node)
		mapped += vq->mapped;
	while ((vq = first_waiting_locked(vg))) {
		if (mapped >= slots) {
			victim = victim_locked(vg, now);
			waiting = true;
			if (!victim)
				break;
			WRITE_ONCE(victim->mapped, false);
			victim->mapped_ns = now;
			mapped--;
		}
		WRITE_ONCE(vq->mapped, true);
		vq->mapped_ns = now;
		mapped++;
		changes++;
	}
out:
	spin_unlock(&vg->lock);
	if (changes)
		vgpu_work_kick(vg, vg->nworkers);
	return waiting;
}
