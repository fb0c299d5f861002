// SPDX-License-Identifier: GPL-2.0-only
/* The state machine of queues, and the count of threads inside one. See queue.h. */
#include <linux/bitmap.h>
#include <linux/bug.h>
#include <linux/ktime.h>
#include <linux/sched.h>

#include "queue.h"
#include "../gpu/job.h"

#define TO(name)	(HW_QUEUE_##name + 1)	/* 0 in the table: it cannot happen */

static const u8 next_state[HW_QUEUE_STATES][HW_QUEUE_EVENTS] = {
	[HW_QUEUE_OFF] = {
		[HW_QUEUE_PAUSE] = TO(PAUSED),
		[HW_QUEUE_EVICT] = TO(OFF_EVICTED),
		[HW_QUEUE_KILL] = TO(DEAD),
	},
	[HW_QUEUE_WAITING] = {
		[HW_QUEUE_MAP] = TO(RUNNING),
		[HW_QUEUE_PAUSE] = TO(PAUSED),
		[HW_QUEUE_EVICT] = TO(EVICTED),
		[HW_QUEUE_FAIL] = TO(FAILED),
		[HW_QUEUE_KILL] = TO(DEAD),
	},
	[HW_QUEUE_RUNNING] = {
		[HW_QUEUE_UNMAP] = TO(WAITING),
		[HW_QUEUE_PAUSE] = TO(PAUSED),
		[HW_QUEUE_EVICT] = TO(EVICTED),
		[HW_QUEUE_FAIL] = TO(FAILED),
		[HW_QUEUE_KILL] = TO(DEAD),
	},
	[HW_QUEUE_PAUSED] = {
		[HW_QUEUE_RESUME_ON] = TO(WAITING),
		[HW_QUEUE_RESUME_OFF] = TO(OFF),
		[HW_QUEUE_EVICT] = TO(PAUSED_EVICTED),
		[HW_QUEUE_FAIL] = TO(FAILED),
		[HW_QUEUE_KILL] = TO(DEAD),
	},
	[HW_QUEUE_OFF_EVICTED] = {
		[HW_QUEUE_PAUSE] = TO(PAUSED_EVICTED),
		[HW_QUEUE_RESTORE] = TO(OFF),
		[HW_QUEUE_KILL] = TO(DEAD),
	},
	[HW_QUEUE_EVICTED] = {
		[HW_QUEUE_PAUSE] = TO(PAUSED_EVICTED),
		[HW_QUEUE_RESTORE] = TO(WAITING),
		[HW_QUEUE_FAIL] = TO(FAILED_EVICTED),
		[HW_QUEUE_KILL] = TO(DEAD),
	},
	[HW_QUEUE_PAUSED_EVICTED] = {
		[HW_QUEUE_RESUME_ON] = TO(EVICTED),
		[HW_QUEUE_RESUME_OFF] = TO(OFF_EVICTED),
		[HW_QUEUE_RESTORE] = TO(PAUSED),
		[HW_QUEUE_FAIL] = TO(FAILED_EVICTED),
		[HW_QUEUE_KILL] = TO(DEAD),
	},
	/* Front ends go on with a stopped queue: they do not know yet, or need not care. */
	[HW_QUEUE_FAILED] = {
		[HW_QUEUE_PAUSE] = TO(FAILED),
		[HW_QUEUE_RESUME_ON] = TO(FAILED),
		[HW_QUEUE_RESUME_OFF] = TO(FAILED),
		[HW_QUEUE_EVICT] = TO(FAILED_EVICTED),
		[HW_QUEUE_REPORT] = TO(DEAD),
		[HW_QUEUE_KILL] = TO(DEAD),
	},
	[HW_QUEUE_FAILED_EVICTED] = {
		[HW_QUEUE_PAUSE] = TO(FAILED_EVICTED),
		[HW_QUEUE_RESUME_ON] = TO(FAILED_EVICTED),
		[HW_QUEUE_RESUME_OFF] = TO(FAILED_EVICTED),
		[HW_QUEUE_RESTORE] = TO(FAILED),
		[HW_QUEUE_KILL] = TO(DEAD),
	},
	[HW_QUEUE_DEAD] = {
		[HW_QUEUE_PAUSE] = TO(DEAD),
		[HW_QUEUE_RESUME_ON] = TO(DEAD),
		[HW_QUEUE_RESUME_OFF] = TO(DEAD),
		[HW_QUEUE_EVICT] = TO(DEAD),
		[HW_QUEUE_RESTORE] = TO(DEAD),
		[HW_QUEUE_KILL] = TO(DEAD),
	},
};

static void take_slot_locked(struct hw_queue *hq)
{
	hq->slot_ns = ktime_get_ns();
	if (!hq->slots)
		return;
	hq->hqd = find_first_zero_bit(hq->slots, HW_QUEUE_MAX_SLOTS);
	__set_bit(hq->hqd, hq->slots);
}

static void drop_slot_locked(struct hw_queue *hq)
{
	hq->slot_ns = ktime_get_ns();
	if (!hq->slots)
		return;
	__clear_bit(hq->hqd, hq->slots);
	hq->hqd = HW_QUEUE_NO_SLOT;
}

bool hw_queue_event_locked(struct hw_queue *hq, enum hw_queue_event event)
{
	enum hw_queue_state old = hq->state, state;
	u8 next = next_state[old][event];

	lockdep_assert_held(hq->lock);
	if (!next) {
		WARN_ONCE(1, "vkfd: queue: event %d in state %d\n", event, old);
		return false;
	}
	state = next - 1;
	if (state == HW_QUEUE_WAITING && !hq->slots)
		state = HW_QUEUE_RUNNING;
	if (old == HW_QUEUE_RUNNING && state != HW_QUEUE_RUNNING)
		drop_slot_locked(hq);
	else if (old != HW_QUEUE_RUNNING && state == HW_QUEUE_RUNNING)
		take_slot_locked(hq);
	WRITE_ONCE(hq->state, state);
	if ((old == HW_QUEUE_RUNNING) != (state == HW_QUEUE_RUNNING) && hq->turned)
		hq->turned(hq);
	if (state == HW_QUEUE_DEAD && hq->q && hq->q->job)
		wake_up(&hq->q->job->wq);
	if (state == HW_QUEUE_DEAD && old != HW_QUEUE_DEAD && hq->q && hq->q->client)
		hq->q->client->stopped(hq->q);
	return true;
}

bool hw_queue_kill_locked(struct hw_queue *hq)
{
	bool first = !hw_queue_stopped(hq);

	hw_queue_event_locked(hq, HW_QUEUE_KILL);
	return first;
}

const char *hw_queue_state_name(const struct hw_queue *hq)
{
	static const char * const names[HW_QUEUE_STATES] = {
		[HW_QUEUE_OFF] = "inactive",
		[HW_QUEUE_WAITING] = "active",
		[HW_QUEUE_RUNNING] = "active mapped",
		[HW_QUEUE_PAUSED] = "active paused",
		[HW_QUEUE_OFF_EVICTED] = "inactive evicted",
		[HW_QUEUE_EVICTED] = "active evicted",
		[HW_QUEUE_PAUSED_EVICTED] = "active evicted paused",
		[HW_QUEUE_FAILED] = "dead",
		[HW_QUEUE_FAILED_EVICTED] = "dead evicted",
		[HW_QUEUE_DEAD] = "dead",
	};

	return names[READ_ONCE(hq->state)];
}

/* -------------------------------------------------------------- threads inside */

/* The waiter takes the lock to read the counts, so it cannot free the queue before us. */
static void wake_if_at_rest_locked(struct hw_queue *hq)
{
	if (hq->users == hq->parked + hq->late)
		wake_up(&hq->rest_wq);
}

void hw_queue_hold_locked(struct hw_queue *hq)
{
	lockdep_assert_held(hq->lock);
	hq->users++;
}

bool hw_queue_enter_locked(struct hw_queue *hq)
{
	lockdep_assert_held(hq->lock);
	if (!hw_queue_running(hq))
		return false;
	hq->users++;
	return true;
}

void hw_queue_leave_locked(struct hw_queue *hq)
{
	lockdep_assert_held(hq->lock);
	hq->users--;
	wake_if_at_rest_locked(hq);
}

void hw_queue_leave(struct hw_queue *hq)
{
	spinlock_t *lock = hq->lock;

	spin_lock(lock);
	hw_queue_leave_locked(hq);
	spin_unlock(lock);
}

void hw_queue_park(struct hw_queue *hq)
{
	spin_lock(hq->lock);
	hq->parked++;
	wake_if_at_rest_locked(hq);
	spin_unlock(hq->lock);
}

bool hw_queue_unpark(struct hw_queue *hq)
{
	bool go;

	spin_lock(hq->lock);
	go = !hw_queue_evicted(hq) || hw_queue_stopped(hq);
	if (go)
		hq->parked--;
	spin_unlock(hq->lock);
	return go;
}

/* ----------------------------------------------------- requests of the front ends */

bool hw_queue_props_on(const struct gpu_queue_props *p)
{
	return p->percentage && p->ring_bytes && p->ring_va;
}

void hw_queue_init(struct hw_queue *hq, struct gpu_queue *q, spinlock_t *lock,
		   unsigned long *slots)
{
	bool on = hw_queue_props_on(&q->props);

	hq->q = q;
	hq->lock = lock;
	hq->slots = slots;
	hq->hqd = HW_QUEUE_NO_SLOT;
	hq->slot_ns = ktime_get_ns();
	INIT_LIST_HEAD(&hq->node);
	init_waitqueue_head(&hq->rest_wq);
	if (q->evicted)
		hq->state = on ? HW_QUEUE_EVICTED : HW_QUEUE_OFF_EVICTED;
	else if (!on)
		hq->state = HW_QUEUE_OFF;
	else
		hq->state = slots ? HW_QUEUE_WAITING : HW_QUEUE_RUNNING;
}

static bool nobody_inside(struct hw_queue *hq)
{
	bool rest;

	spin_lock(hq->lock);
	rest = !hq->users;
	spin_unlock(hq->lock);
	return rest;
}

int hw_queue_pause(struct hw_queue *hq, bool *on)
{
	spin_lock(hq->lock);
	*on = hq->state != HW_QUEUE_OFF && hq->state != HW_QUEUE_OFF_EVICTED;
	hw_queue_event_locked(hq, HW_QUEUE_PAUSE);
	spin_unlock(hq->lock);
	/* Killable, as a thread inside may wait for a page of a process that is being killed. */
	return wait_event_killable(hq->rest_wq, nobody_inside(hq));
}

void hw_queue_resume(struct hw_queue *hq, bool on)
{
	spin_lock(hq->lock);
	WRITE_ONCE(hq->stuck_ns, 0);
	hw_queue_event_locked(hq, on ? HW_QUEUE_RESUME_ON : HW_QUEUE_RESUME_OFF);
	spin_unlock(hq->lock);
}

static bool nobody_at_memory(struct hw_queue *hq)
{
	bool off;

	spin_lock(hq->lock);
	off = hq->users == hq->parked + hq->late;
	spin_unlock(hq->lock);
	return off;
}

void hw_queue_evict(struct hw_queue *hq)
{
	spin_lock(hq->lock);
	hw_queue_event_locked(hq, HW_QUEUE_EVICT);
	spin_unlock(hq->lock);
	wait_event(hq->rest_wq, nobody_at_memory(hq));
}

void hw_queue_restore(struct hw_queue *hq)
{
	spin_lock(hq->lock);
	hw_queue_event_locked(hq, HW_QUEUE_RESTORE);
	spin_unlock(hq->lock);
}
