/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SDMA engines: threads that run the queues of some engines each, apart from
 * the CP thread, so that a long copy does not hold dispatches.
 *
 * A queue is entered and paused by the rules of vgpu.h. It always has its slot:
 * KFD gives out as many queues as the engines have. Doorbells are looked at and
 * armed by the CP thread, which wakes the thread of a queue that was rung; a
 * thread that is awake reads its doorbells itself.
 */
#ifndef VGPU_SDMA_H
#define VGPU_SDMA_H

#include "vgpu.h"
#include "../../cp/sdma.h"

/**
 * struct vgpu_sdma - an SDMA thread
 * @vmw: for shootdowns; in the device's worker list
 * @kick: there is something to look at
 * @queues: of its engines (vgpu.lock)
 */
struct vgpu_sdma {
	struct vgpu *vg;
	unsigned int index;
	struct task_struct *task;
	struct gpu_vm_worker vmw;
	wait_queue_head_t wq;
	atomic_t kick;
	struct list_head queues;
};

/**
 * struct vgpu_sdma_queue - what gpu_queue.priv points to
 * @node: in @s's list (lock)
 * @s: the thread that runs it
 * @cp: packet processor; @s's alone, but for its doorbell, which the CP reads
 * @watched: doorbell as the CP thread saw it last
 * @active: properties allow it to run (percentage, ring)
 * @paused: an update wants it at rest; @evicted: off until it is restored;
 *	@dead: stopped for good
 * @users: threads inside; @idle_wq: woken when the last one leaves
 *	(@active to @users: lock)
 * @busy_ns: time spent on it
 * @stuck_ns: since when it waits for the rest of a packet, 0 if it does not;
 *	@reset: it hung, and its process has been told (@s's)
 */
struct vgpu_sdma_queue {
	struct list_head node;
	struct vgpu_sdma *s;
	struct gpu_queue *q;
	struct cp_sdma cp;
	u64 watched;
	bool active, paused, evicted, dead;
	unsigned int users;
	wait_queue_head_t idle_wq;
	u64 busy_ns, stuck_ns;
	bool reset;
};

/**
 * struct vgpu_sdma_env - sdma_env of one thread for one queue
 * @err: of the memory operation that failed; @fault: filled if -EFAULT
 */
struct vgpu_sdma_env {
	struct sdma_env env;
	struct vgpu_sdma_queue *sq;
	struct gpu_fault fault;
	int err;
};

/* error.c */
enum gpu_queue_error vgpu_error_of_sdma(enum sdma_error error);

/* sdma_mem.c */
void vgpu_sdma_env_init(struct vgpu_sdma_env *e, struct vgpu_sdma_queue *sq);

/* sdma_ib.c: @dwords of packets at @va, before it returns; -EINTR if killed */
int vgpu_sdma_ib(struct gpu_vm *vm, u32 engine, u64 va, u32 dwords);

/* hang.c */
/* @sq was stepped, with that result: true if it has to be looked at in time. */
bool vgpu_sdma_hang_watch(struct vgpu_sdma_queue *sq, enum cp_status status);
/* @sq is off, and about to be put back. */
void vgpu_sdma_hang_restored(struct vgpu_sdma_queue *sq);
/* @sq is off all lists. */
void vgpu_sdma_hang_destroyed(struct vgpu_sdma_queue *sq);

#endif /* VGPU_SDMA_H */
