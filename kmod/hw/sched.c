// SPDX-License-Identifier: GPL-2.0-only
/*
 * HQD slots: the model's fixed number of queues that can run at a time. As
 * long as all queues fit, all are mapped. Beyond that, a queue with work and
 * without a slot takes the slot of a queue that has none to do, or of one that
 * has had its slot for a quantum. What the loser has in flight is parked in the
 * engine and goes on when it is mapped again; it keeps nobody out.
 *
 * Priorities are weights, here and where workers choose whose waves run: a
 * queue of high priority waits less and gets more, but starves nobody.
 *
 * All of this runs on the CP thread, which also owns the packet processors'
 * states that it looks at.
 */
#include <linux/ktime.h>

#include "engine.h"
#include "../model/target.h"

/* KFD maps priorities 0 to 15 to three classes of the pipe (pipe_priority_map). */
#define PRIORITY_MEDIUM	7
#define PRIORITY_HIGH	11

u32 hw_weight(u32 priority)
{
	return priority >= PRIORITY_HIGH ? 16 : priority >= PRIORITY_MEDIUM ? 4 : 1;
}

/* Call it for a queue that may run. */
static bool has_work_locked(const struct hw_compute *vq)
{
	const struct cp_queue *cp = &vq->cp;

	/* A job has, until hw_job_step() has ended it. */
	if (vq->hq.q->job)
		return !READ_ONCE(vq->hq.q->job->over);
	return cp_queue_busy(cp) || hw_compute_doorbell(vq) != cp->doorbell;
}

/* Inserts @vq in order of score, unless enough others have a higher one. */
static void add_waiting(struct hw_sched_view *v, struct hw_compute *vq, u64 score)
{
	unsigned int i = v->nwaiting;

	if (i == v->slots) {
		if (score <= v->score[i - 1])
			return;
		i--;
	} else {
		v->nwaiting++;
	}
	for (; i && v->score[i - 1] < score; i--) {
		v->waiting[i] = v->waiting[i - 1];
		v->score[i] = v->score[i - 1];
	}
	v->waiting[i] = vq;
	v->score[i] = score;
}

static void look_locked(struct hw *vg, u64 now, struct hw_sched_view *v)
{
	struct hw_compute *vq;
	unsigned int looks = 0;

	lockdep_assert_held(&vg->lock);
	list_for_each_entry(vq, &vg->queues, hq.node) {
		looks++;
		if (vq->hq.state == HW_QUEUE_RUNNING)
			v->mapped[v->nmapped++] = vq;
		else if (vq->hq.state == HW_QUEUE_WAITING && has_work_locked(vq))
			add_waiting(v, vq, (now - vq->hq.slot_ns) * vq->weight);
	}
	vg->sched_looks = max(vg->sched_looks, looks);
}

/* Removes from @v, and returns, a queue whose slot may be given to another one. */
static struct hw_compute *take_victim_locked(struct hw *vg, u64 now, struct hw_sched_view *v)
{
	unsigned int i, victim = v->nmapped;
	struct hw_compute *vq;
	u64 most = 0, had;

	for (i = 0; i < v->nmapped; i++) {
		vq = v->mapped[i];
		if (!has_work_locked(vq)) {
			victim = i;
			break;
		}
		had = now - vq->hq.slot_ns;
		if (had < vg->quantum_ns)
			continue;
		had = div_u64(had, vq->weight);
		if (victim < v->nmapped && had <= most)
			continue;
		victim = i;
		most = had;
	}
	if (victim == v->nmapped)
		return NULL;
	vq = v->mapped[victim];
	v->mapped[victim] = v->mapped[--v->nmapped];
	return vq;
}

/* Returns true if a queue still waits for a slot. */
static bool give_slots_locked(struct hw *vg, u64 now, struct hw_sched_view *v,
			      unsigned int *changes)
{
	unsigned int i, used = v->nmapped;
	struct hw_compute *victim;
	bool waiting = false;

	for (i = 0; i < v->nwaiting; i++) {
		if (used == v->slots) {
			victim = take_victim_locked(vg, now, v);
			waiting = true;
			if (!victim)
				break;
			hw_queue_event_locked(&victim->hq, HW_QUEUE_UNMAP);
			used--;
		}
		hw_queue_event_locked(&v->waiting[i]->hq, HW_QUEUE_MAP);
		used++;
		++*changes;
	}
	return waiting;
}

static unsigned int map_all_locked(struct hw *vg)
{
	struct hw_compute *vq;
	unsigned int n = 0;

	list_for_each_entry(vq, &vg->queues, hq.node) {
		if (vq->hq.state != HW_QUEUE_WAITING)
			continue;
		hw_queue_event_locked(&vq->hq, HW_QUEUE_MAP);
		n++;
	}
	return n;
}

bool hw_sched(struct hw *vg)
{
	struct hw_sched_view *v = &vg->sched_view;
	unsigned int changes = 0;
	u64 now = ktime_get_ns();
	bool waiting = false;

	spin_lock(&vg->lock);
	v->slots = min_t(u32, vg->gdev->target->cp_queues, HW_QUEUE_MAX_SLOTS);
	if (vg->nqueues <= v->slots) {
		changes = map_all_locked(vg);
	} else {
		v->nmapped = 0;
		v->nwaiting = 0;
		look_locked(vg, now, v);
		waiting = give_slots_locked(vg, now, v, &changes);
	}
	spin_unlock(&vg->lock);
	if (changes)
		engine_run(vg);
	return waiting;
}
