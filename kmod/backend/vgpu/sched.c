// SPDX-License-Identifier: GPL-2.0-only
/*
 * HQD slots: the model's fixed number of queues that can run at a time. As
 * long as all queues fit, all are mapped. Beyond that, a queue with work and
 * without a slot takes the slot of a queue that has none to do, or of one that
 * has had its slot for a quantum. What the loser has in flight is parked in the
 * workers and goes on when it is mapped again; it keeps nobody out (group.c).
 *
 * Priorities are weights, here and where workers choose whose waves run: a
 * queue of high priority waits less and gets more, but starves nobody.
 *
 * All of this runs on the CP thread, which also owns the packet processors'
 * states that it looks at.
 */
#include <linux/bitmap.h>
#include <linux/ktime.h>

#include "vgpu.h"
#include "../../gpu/target.h"

/* KFD's priorities 0 to 15 are three classes of the pipe (its pipe_priority_map). */
#define PRIORITY_MEDIUM	7
#define PRIORITY_HIGH	11

u32 vgpu_weight(u32 priority)
{
	return priority >= PRIORITY_HIGH ? 16 : priority >= PRIORITY_MEDIUM ? 4 : 1;
}

static void map_locked(struct vgpu_queue *vq, u64 now)
{
	struct vgpu *vg = vq->vg;

	lockdep_assert_held(&vg->lock);
	vq->hqd = find_first_zero_bit(vg->hqds, VGPU_MAX_HQDS);
	__set_bit(vq->hqd, vg->hqds);
	vq->mapped_ns = now;
	WRITE_ONCE(vq->mapped, true);
}

void vgpu_unmap_locked(struct vgpu_queue *vq, u64 now)
{
	lockdep_assert_held(&vq->vg->lock);
	if (!vq->mapped)
		return;
	__clear_bit(vq->hqd, vq->vg->hqds);
	vq->mapped_ns = now;
	WRITE_ONCE(vq->mapped, false);
}

bool vgpu_queue_has_work_locked(const struct vgpu_queue *vq)
{
	const struct cp_queue *cp = &vq->cp;

	if (vq->dead || !vq->active || vq->evicted)
		return false;
	return cp_queue_busy(cp) ||
	       gpu_doorbell_read(vq->q->pdd->doorbells, vq->q->doorbell) != cp->doorbell;
}

/* The queue with work that has been without a slot longest, by its weight. */
static struct vgpu_queue *first_waiting_locked(struct vgpu *vg, u64 now)
{
	struct vgpu_queue *vq, *first = NULL;
	u64 most = 0, waited;

	list_for_each_entry(vq, &vg->queues, node) {
		if (vq->mapped || !vgpu_queue_has_work_locked(vq))
			continue;
		waited = (now - vq->mapped_ns) * vq->weight;
		if (first && waited <= most)
			continue;
		first = vq;
		most = waited;
	}
	return first;
}

static struct vgpu_queue *victim_locked(struct vgpu *vg, u64 now)
{
	struct vgpu_queue *vq, *victim = NULL;
	u64 most = 0, had;

	list_for_each_entry(vq, &vg->queues, node) {
		if (!vq->mapped)
			continue;
		if (!vgpu_queue_has_work_locked(vq))
			return vq;
		had = now - vq->mapped_ns;
		if (had < vg->quantum_ns)
			continue;
		had = div_u64(had, vq->weight);
		if (victim && had <= most)
			continue;
		victim = vq;
		most = had;
	}
	return victim;
}

static unsigned int map_all_locked(struct vgpu *vg, u64 now)
{
	struct vgpu_queue *vq;
	unsigned int n = 0;

	list_for_each_entry(vq, &vg->queues, node) {
		if (vq->mapped || vq->evicted)
			continue;
		map_locked(vq, now);
		n++;
	}
	return n;
}

bool vgpu_sched(struct vgpu *vg)
{
	unsigned int slots = min_t(u32, vg->gdev->target->cp_queues, VGPU_MAX_HQDS);
	unsigned int mapped = 0, changes = 0;
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
	while ((vq = first_waiting_locked(vg, now))) {
		if (mapped >= slots) {
			victim = victim_locked(vg, now);
			waiting = true;
			if (!victim)
				break;
			vgpu_unmap_locked(victim, now);
			mapped--;
		}
		map_locked(vq, now);
		mapped++;
		changes++;
	}
out:
	spin_unlock(&vg->lock);
	if (changes)
		vgpu_work_kick(vg, vg->nworkers);
	return waiting;
}
