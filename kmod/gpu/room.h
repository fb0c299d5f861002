/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests for memory that a fault could not get at once, and their results.
 */
#ifndef GPU_ROOM_H
#define GPU_ROOM_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

struct gpu_room_user;

/**
 * struct gpu_room_job - something that waits for memory, when it is its user's turn (room.c)
 * @run: does it; it may be called again as soon as it has let others know that it is over
 * @user: whose turn; @node: in that one's line
 */
struct gpu_room_job {
	struct work_struct work;
	void (*run)(struct gpu_room_job *job);
	struct gpu_room_user *user;
	struct list_head node;
};

/**
 * struct gpu_room - a request to wait for memory (room.c)
 * @job: the work item that waits; it holds a reference to the VM
 * @done: woken when @busy becomes false
 * @va: the address that faulted
 * @since: when the request began, ns
 * @busy: a request is in progress
 * @err: result of the last one, returned to whoever asks before @until
 */
struct gpu_room {
	spinlock_t lock;	/* all of it */
	struct gpu_room_job job;
	wait_queue_head_t done;
	u64 va, since;
	bool busy;
	int err;
	unsigned long until;
};

#endif /* GPU_ROOM_H */
