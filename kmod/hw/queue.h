/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a compute queue and an SDMA queue have in common: the state of the queue, and the
 * threads that are inside it.
 *
 * The state is one enum, and only hw_queue_event_locked() changes it:
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
 *      PAUSE and RESUME lead from one of the three evicted states to another, as they do
 *      between the states above; RESTORE leads back up.
 *
 *      any of these -- FAIL --> FAILED (or FAILED_EVICTED) -- REPORT --> DEAD
 *      any state ----- KILL --> DEAD
 *
 * A queue that always has a slot (SDMA) has no WAITING; it enters RUNNING at once instead.
 *
 * All transitions are made under hw_queue.lock (the GPU's lock, rank 8 in locking.rst).
 * Who makes them, and what else serialises them:
 *
 *   PAUSE, RESUME, EVICT, RESTORE	the front ends' calls (queue_update, queue_evict,
 *					queue_restore): one at a time, under process->lock
 *   MAP, UNMAP				the thread that steps packets (sched.c)
 *   FAIL				a worker whose wave has failed, inside the queue
 *   REPORT				the thread that steps packets, when nobody is inside
 *   KILL				any GPU thread, and queue_fini; hw_queue_kill_locked()
 *
 * Threads access memory of the process only while they are inside the queue, that is, between
 * hw_queue_enter_locked() and hw_queue_leave_locked(). Only a RUNNING queue can be entered. To
 * bring a queue to rest, change its state and wait until hw_queue.users is 0.
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
 * @HW_QUEUE_OFF: its properties do not let it run
 * @HW_QUEUE_WAITING: may run, but has no slot
 * @HW_QUEUE_RUNNING: has a slot; threads may enter
 * @HW_QUEUE_PAUSED: its properties are being updated
 * @HW_QUEUE_OFF_EVICTED: evicted; becomes OFF when it is restored
 * @HW_QUEUE_EVICTED: evicted; may run again when it is restored
 * @HW_QUEUE_PAUSED_EVICTED: evicted, and its properties are being updated
 * @HW_QUEUE_FAILED: stopped for good, but its process has not been told yet
 * @HW_QUEUE_FAILED_EVICTED: the same; telling the process has to wait for the restore
 * @HW_QUEUE_DEAD: stopped for good
 * @HW_QUEUE_STATES: number of states
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
 * @node: in the list of the thread that runs it (lock)
 * @q: the queue as front ends see it
 * @lock: the GPU's; guards all members that do not say otherwise
 * @slots: bitmap of the GPU's slots, or NULL if the queue always has one
 * @turned: NULL, or it is called when RUNNING has begun or ended, with the lock
 * @hqd: its slot, or HW_QUEUE_NO_SLOT
 * @slot_ns: when it got its slot or, without one, when it lost it
 * @state: changed only by hw_queue_event_locked(); threads that are inside read it without
 *	the lock
 * @users: threads inside, plus completions that wait for pages
 * @parked: those of @users that are threads waiting for a restore in the middle of a packet
 * @late: those of @users that are completions waiting for pages
 * @rest_wq: woken when none of @users can access memory any more
 * @stuck_ns: since when it makes no progress, 0 if it makes some (hang.c)
 * @still_ns: when its waves were last found to make none
 * @reset: it hung, and its process has been told
 */
struct hw_queue {
	struct list_head node;
	struct gpu_queue *q;
	spinlock_t *lock;
	unsigned long *slots;
	void (*turned)(struct hw_queue *hq);
	unsigned int hqd;
	u64 slot_ns;
	enum hw_queue_state state;
	unsigned int users, parked, late;
	wait_queue_head_t rest_wq;
	u64 stuck_ns, still_ns;
	bool reset;
};

/* Do these properties let a queue run? */
bool hw_queue_props_on(const struct gpu_queue_props *p);
/*
 * @hq must be zeroed and not visible to others. Its first state follows from the properties
 * of @q and from q->evicted.
 */
void hw_queue_init(struct hw_queue *hq, struct gpu_queue *q, spinlock_t *lock,
		   unsigned long *slots);

/*
 * Changes the state according to @event. If @event is impossible in this state, warns once,
 * leaves the state as it is and returns false.
 */
bool hw_queue_event_locked(struct hw_queue *hq, enum hw_queue_event event);
/* Stops @hq for good; false if it had stopped before. An unreported failure stays unreported. */
bool hw_queue_kill_locked(struct hw_queue *hq);

/* Is it stopped for good? May be called without the lock. */
static inline bool hw_queue_stopped(const struct hw_queue *hq)
{
	return READ_ONCE(hq->state) >= HW_QUEUE_FAILED;
}

/* Is it off until it is restored? Not if it is dead. May be called without the lock. */
static inline bool hw_queue_evicted(const struct hw_queue *hq)
{
	enum hw_queue_state state = READ_ONCE(hq->state);

	return (state >= HW_QUEUE_OFF_EVICTED && state <= HW_QUEUE_PAUSED_EVICTED) ||
	       state == HW_QUEUE_FAILED_EVICTED;
}

/* Does it have a slot, so that it may be entered? May be called without the lock. */
static inline bool hw_queue_running(const struct hw_queue *hq)
{
	return READ_ONCE(hq->state) == HW_QUEUE_RUNNING;
}

/* Does it have a slot, or wait for one? May be called without the lock. */
static inline bool hw_queue_competes(const struct hw_queue *hq)
{
	enum hw_queue_state state = READ_ONCE(hq->state);

	return state == HW_QUEUE_RUNNING || state == HW_QUEUE_WAITING;
}

/* The name of the state, as debugfs shows it. */
const char *hw_queue_state_name(const struct hw_queue *hq);

/* Enter in any state. The caller may touch only the doorbell, or must handle a failed queue. */
void hw_queue_hold_locked(struct hw_queue *hq);
bool hw_queue_enter_locked(struct hw_queue *hq);
void hw_queue_leave_locked(struct hw_queue *hq);
void hw_queue_leave(struct hw_queue *hq);
/*
 * hw_queue_park(): a thread inside promises not to access memory. hw_queue_unpark() ends that
 * and returns true, if the queue was restored or stopped meanwhile.
 */
void hw_queue_park(struct hw_queue *hq);
bool hw_queue_unpark(struct hw_queue *hq);

/**
 * hw_queue_pause() - begin an update: bring a queue to rest
 * @hq: a queue
 * @on: returns whether its properties have let it run until now
 *
 * Under process->lock. Return: 0, or -ERESTARTSYS if the caller is being killed; then a
 * thread may still be inside. Call hw_queue_resume() in both cases.
 */
int hw_queue_pause(struct hw_queue *hq, bool *on);
/* Ends an update. @on: do its properties let it run from now on? */
void hw_queue_resume(struct hw_queue *hq, bool on);
/* Evicts; returns when no thread accesses the queue's memory any more. */
void hw_queue_evict(struct hw_queue *hq);
void hw_queue_restore(struct hw_queue *hq);

#endif /* HW_QUEUE_H */
