/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SDMA engines: threads, each of which runs the queues of some engines. They are separate
 * from the CP thread, so that a long copy does not delay dispatches. Where somebody else moves the
 * memory (hw_mover), each queue has a thread of its own: how long that takes, or does not even
 * begin, may be up to the queue's client.
 *
 * Queues are entered and paused by the rules of hw/queue.h. An SDMA queue always has a slot,
 * because KFD creates only as many queues as the engines have. The CP thread watches and arms
 * the doorbells, and wakes the thread of a queue that was rung. A thread that is awake reads
 * its doorbells itself.
 */
#ifndef HW_SDMA_H
#define HW_SDMA_H

#include "hw.h"
#include "../cp/sdma.h"

/**
 * struct hw_sdma - an SDMA thread
 * @node: in hw.sdmas
 * @vmw: in the device's list of workers, for shootdowns
 * @kick: there may be work
 * @queues: queues of its engines (hw.lock)
 */
struct hw_sdma {
	struct list_head node;
	struct hw *vg;
	unsigned int index;
	struct task_struct *task;
	struct gpu_vm_worker vmw;
	wait_queue_head_t wq;
	atomic_t kick;
	struct list_head queues;
};

/**
 * struct hw_sdma_queue - what gpu_queue.priv points to
 * @hq: the part common with compute queues; in the list of @s
 * @s: the thread that runs it
 * @cp: packet processor; only @s uses it, except that the CP thread reads its doorbell
 * @watched: value of the doorbell when the CP thread looked last
 * @busy_ns: time spent on it
 * @mover: of hw.mover; @moving: it may not have settled
 */
struct hw_sdma_queue {
	struct hw_queue hq;
	struct hw_sdma *s;
	struct cp_sdma cp;
	u64 watched;
	u64 busy_ns;
	void *mover;
	bool moving;
};

/**
 * struct hw_sdma_env - sdma_env of one thread for one queue
 * @err: of the memory operation that failed; @fault: details if @err is -EFAULT
 */
struct hw_sdma_env {
	struct sdma_env env;
	struct hw_sdma_queue *sq;
	struct gpu_fault fault;
	int err;
};

/* error.c */
enum gpu_queue_error hw_error_of_sdma(enum sdma_error error);

/* sdma_env.c */
void hw_sdma_env_init(struct hw_sdma_env *e, struct hw_sdma_queue *sq);
/* All that the queue's packets have moved is there, or that failed. */
int hw_sdma_settle(struct hw_sdma_env *e);

/* sdma_job.c: see gpu_backend_job_run() */
int hw_sdma_job(struct gpu_job *job);

/* hang.c */
/* Call after stepping @sq, with the result; true if it must be checked for a hang later. */
bool hw_sdma_hang_watch(struct hw_sdma_queue *sq, enum cp_status status);
/* Call while @sq is off, before it is restored. */
void hw_sdma_hang_restored(struct hw_sdma_queue *sq);
/* Call when @sq is off all lists. */
void hw_sdma_hang_destroyed(struct hw_sdma_queue *sq);

#endif /* HW_SDMA_H */
