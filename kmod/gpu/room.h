/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that a fault could not have at once: who asked for it, and how that went.
 */
#ifndef GPU_ROOM_H
#define GPU_ROOM_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

/**
 * struct gpu_room - memory that somebody has to wait for (room.c)
 * @work: who waits; it holds the VM
 * @done: woken when @busy ends
 * @va: what it is for
 * @since: when it began, ns
 * @busy: there is such a request
 * @err: of the last one, told to who asks before @until
 */
struct gpu_room {
	spinlock_t lock;	/* all of it */
	struct work_struct work;
	wait_queue_head_t done;
	u64 va, since;
	bool busy;
	int err;
	unsigned long until;
};

#endif /* GPU_ROOM_H */
