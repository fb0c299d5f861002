/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a compute queue and an SDMA queue have in common: where it is in its life, and
 * who is inside.
 *
 * The state of a queue is one enum, and hw_queue_event_locked() alone changes it:
 *
 *                          MAP                      UNMAP: slot lost, by the CP's thread
 *      ,---------------> WAITING <----------------> RUNNING
 *      |                  |   ^                      |
 *      |            PAUSE |   | RESUME_ON            | PAUSE
 *      | RESTORE          v   |                      |
 *      |                 PAUSED <--------------------'
 *      |                  |   ^
 *      |       RESUME_OFF |   | PAUSE
 *      |                  v   |
 *      |                  OFF
 *      |
 *      | EVICT from WAITING, RUNNING      EVICT from OFF          EVICT from PAUSED
 *      '--> EVICTED                       '--> OFF_EVICTED        '--> PAUSED_EVICTED
 *
 *      The three evicted states go to each other by PAUSE and RESUME as the upper ones
 *      do, and back up by RESTORE.
 *
 *      any of these -- FAIL --> FAILED (or FAILED_EVICTED) -- REPORT --> DEAD
 *      any state ----- KILL --> DEAD
 *
 * A queue that always has its slot (SDMA) has no WAITING: where others go there, it goes
 * to RUNNING at once.
 *
 * All transitions are made under hw_queue.lock (the GPU's lock, rank 8 in locking.rst).
 * Who makes them, and what else keeps them apart:
 *
 *   PAUSE, RESUME, EVICT, RESTORE	the faces' calls (queue_update, queue_evict,
 *					queue_restore): one at a time, under process->lock
 *   MAP, UNMAP				the thread that steps packets (sched.c)
 *   FAIL				a worker whose wave has failed, inside the queue
 *   REPORT				the thread that steps packets, when nobody is inside
 *   KILL				any thread of the GPU, and queue_fini; hw_queue_kill_locked()
 *
 * Memory of the process is touched only inside, between hw_queue_enter_locked() and
 * hw_queue_leave_locked(). Only a RUNNING queue can be entered. Whoever wants it at rest
 * makes it something else and waits until hw_queue.users is 0.
 */
#ifndef HW_QUEUE_H
#define HW_QUEUE_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "../gpu/queue.h"

/**
 * enum hw_queue_state - see the drawing
 * @HW_QUEUE_OFF: its properties keep it off
 * @HW_QUEUE_WAITING: may run, and has no slot
 * @HW_QUEUE_RUNNING: has a slot; threads may enter
 * @HW_QUEUE_PAUSED: an update of its properties is under way
 * @HW_QUEUE_OFF_EVICTED: as OFF, and OFF again once it is restored
 * @HW_QUEUE_EVICTED: off until it is restored
 * @HW_QUEUE_PAUSED_EVICTED: as PAUSED, of a queue that is evicted
 * @HW_QUEUE_FAILED: stopped for good, and its process has still to be told
 * @HW_QUEUE_FAILED_EVICTED: the same, and that has to wait for the restore
 * @HW_QUEUE_DEAD: stopped for good
 * @HW_QUEUE_STATES: how many there are
 */
enum hw_queue_state {
	HW_QUEUE_OFF,
	HW_QUEUE_WAITING,
	HW_QUEUE_RUNNING,
	HW_QUEUE_PAUSED,
	HW_QUEUE_OFF_EVICTED,
	HW_QUEUE_EVICTED,
	HW_QUEUE_PAUSED_EVICTED,
	HW_QUEUE_FAILED,
	HW_QUEUE_FAILED_EVICTED,
	HW_QUEUE_DEAD,
	HW_QUEUE_STATES
};

enum hw_queue_event {
	HW_QUEUE_MAP, HW_QUEUE_UNMAP,
	HW_QUEUE_PAUSE, HW_QUEUE_RESUME_ON, HW_QUEUE_RESUME_OFF,
	HW_QUEUE_EVICT, HW_QUEUE_RESTORE,
	HW_QUEUE_FAIL, HW_QUEUE_REPORT, HW_QUEUE_KILL,
	HW_QUEUE_EVENTS
};

#define HW_QUEUE_MAX_SLOTS	64	/* of a GPU */
#define HW_QUEUE_NO_SLOT	(~0u)

/**
 * struct hw_queue - base of a queue
 * @node: in the list of who runs it (lock)
 * @q: what the faces know of it
 * @lock: the GPU's; guards all that is not said to be otherwise
 * @slots: bitmap of the GPU's slots, or NULL if the queue always has its own
 * @hqd: its slot, or HW_QUEUE_NO_SLOT
 * @slot_ns: when it got the slot, or else since when it has none
 * @state: changed by hw_queue_event_locked() alone; read without the lock by threads
 *	that are inside
 * @users: threads inside, and completions that wait for pages
 * @parked: of @users, threads that wait for a restore in the middle of a packet
 * @late: of @users, completions that wait for pages
 * @rest_wq: woken when nobody of @users can be at memory any more
 * @stuck_ns: since when it cannot get on, 0 if it can (hang.c)
 * @reset: it hung, and its process has been told
 */
struct hw_queue {
	struct list_head node;
	struct gpu_queue *q;
	spinlock_t *lock;
	unsigned long *slots;
	unsigned int hqd;
	u64 slot_ns;
	enum hw_queue_state state;
	unsigned int users, parked, late;
	wait_queue_head_t rest_wq;
	u64 stuck_ns;
	bool reset;
};

/* Do these properties let a queue run? */
bool hw_queue_props_on(const struct gpu_queue_props *p);
/*
 * @hq is zeroed and not known to anybody. Its first state follows from the properties of
 * @q and from q->evicted.
 */
void hw_queue_init(struct hw_queue *hq, struct gpu_queue *q, spinlock_t *lock,
		   unsigned long *slots);

/*
 * Let @event happen. False, and a warning once, if it cannot happen in this state, which
 * stays what it is then.
 */
bool hw_queue_event_locked(struct hw_queue *hq, enum hw_queue_event event);
/* Stop @hq for good; false if that has happened before. Of a failed one nothing is told. */
bool hw_queue_kill_locked(struct hw_queue *hq);

/* Stopped for good. Also without the lock. */
static inline bool hw_queue_stopped(const struct hw_queue *hq)
{
	return READ_ONCE(hq->state) >= HW_QUEUE_FAILED;
}

/* Off until it is restored; a dead one is not. Also without the lock. */
static inline bool hw_queue_evicted(const struct hw_queue *hq)
{
	enum hw_queue_state state = READ_ONCE(hq->state);

	return (state >= HW_QUEUE_OFF_EVICTED && state <= HW_QUEUE_PAUSED_EVICTED) ||
	       state == HW_QUEUE_FAILED_EVICTED;
}

/* Has its slot and may be entered. Also without the lock. */
static inline bool hw_queue_running(const struct hw_queue *hq)
{
	return READ_ONCE(hq->state) == HW_QUEUE_RUNNING;
}

/* In words, as debugfs shows it. */
const char *hw_queue_state_name(const struct hw_queue *hq);

/* One more inside, whatever the state: to touch nothing but doorbells, or a failed one. */
void hw_queue_hold_locked(struct hw_queue *hq);
bool hw_queue_enter_locked(struct hw_queue *hq);
void hw_queue_leave_locked(struct hw_queue *hq);
void hw_queue_leave(struct hw_queue *hq);
/* A thread inside will not touch memory until hw_queue_unpark(), which says when it may. */
void hw_queue_park(struct hw_queue *hq);
bool hw_queue_unpark(struct hw_queue *hq);

/**
 * hw_queue_pause() - begin an update: bring a queue to rest
 * @hq: a queue
 * @on: out: whether its properties let it run until now
 *
 * Under process->lock. Return: 0, or -ERESTARTSYS if the caller is being killed: somebody
 * may still be inside. hw_queue_resume() follows in both cases.
 */
int hw_queue_pause(struct hw_queue *hq, bool *on);
/* End it: @on says whether its properties let it run from now on. */
void hw_queue_resume(struct hw_queue *hq, bool on);
/* Returns when nobody is at the queue's memory any more. */
void hw_queue_evict(struct hw_queue *hq);
void hw_queue_restore(struct hw_queue *hq);

#endif /* HW_QUEUE_H */
