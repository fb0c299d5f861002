/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User queues of the render node: queues (userq.c), the fences of what they were given
 * (userq_fence.c), and the two ioctls about these (userq_sync.c).
 *
 * A queue belongs to the file it came through and ends before the file does; when the GPU is taken
 * from its users, or the machine sleeps, it is found in its device's list.
 */
#ifndef VDRM_USERQ_H
#define VDRM_USERQ_H

#include <linux/dma-fence.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "drm_int.h"
#include "../gpu/process.h"
#include "../gpu/queue.h"

#define VDRM_MAX_USERQS		512	/* of a file: AMDGPU_MAX_USERQ_COUNT */
#define VDRM_MAX_USERQ_FENCES	0x10000	/* of a queue: one packet may signal all of them */
#define VDRM_USERQ_TIMEOUT	(60 * HZ)	/* amdgpu's lockup_timeout for compute */

struct drm_gem_object;
struct gpu_bo;

/**
 * struct vdrm_userq - a user queue
 * @ref: held by vdrm_file.userqs, and by ioctls that use it
 * @q: as the backend sees it; @pdd: of this queue alone
 * @doorbell: the object that @q.doorbell is in, with a reference
 * @calls: held in all calls of the backend for @q; outside of vdrm_userqs.lock
 * @up: the backend has it (@calls); @ending: it will not for long
 * @node: in vdrm_userqs.list (its lock), from before it is up until it is down
 * @told_asleep: the last vdrm_userqs.asleep that it was told, or was made in (that lock)
 * @seq64,@slot: where its progress is: word @slot of that object, with a reference
 * @lock: what follows
 * @fences: that have not signaled, the oldest first; @nfences: their number; @fence_seq: number of
 *	all there ever were
 * @value: of the last one: positions in the ring never go back
 * @err: why there will be no more, or 0
 * @watched: the oldest when @hang looked, or when there was none before it; @since: when that was
 *	(jiffies), or the queue's last awakening. Too old if it still is that VDRM_USERQ_TIMEOUT
 *	later
 * @wq: woken when @fences has become shorter
 * @lost: the backend has stopped it; @reset: not because it was to end
 */
struct vdrm_userq {
	struct kref ref;
	struct vdrm_device *vdev;
	struct gpu_queue q;
	struct gpu_pdd pdd;
	struct gpu_bo *doorbell;
	struct mutex calls;
	bool up, ending;
	struct list_head node;
	bool told_asleep;
	struct gpu_bo *seq64;
	u32 slot;
	u64 *seq;
	spinlock_t lock;	/* see above */
	struct list_head fences;
	u32 nfences;
	u64 fence_context, fence_seq;
	u64 value;
	int err;
	u64 watched;
	unsigned long since;
	struct delayed_work hang;
	wait_queue_head_t wq;
	struct work_struct lost;
	bool reset;
};

/**
 * struct vdrm_userq_fence - signals that a queue has come to a position of its ring
 * @base: must be first: the DMA fence code frees it
 * @lock: for @base
 * @link: in vdrm_userq.fences, with a reference
 * @vdev: whose queue, to be compared only: it may be gone
 * @va: of the queue's progress in the address space of every file that has user queues
 * @value: the progress it waits for
 */
struct vdrm_userq_fence {
	struct dma_fence base;
	spinlock_t lock;	/* see above */
	struct list_head link;
	const struct vdrm_device *vdev;
	u64 va, value;
};

/* userq.c */
/* With a reference; NULL: there is none of that id. */
struct vdrm_userq *vdrm_userq_get(struct vdrm_file *vf, u32 id);
void vdrm_userq_put(struct vdrm_userq *uq);
/* Gives the queue to the GPU: 0; -ENODEV, -ENOSPC or what the backend says. */
int vdrm_userq_up(struct vdrm_userq *uq);
/* Takes the queue off the GPU for good, if nobody has done so. Waits for what runs of it. */
void vdrm_userq_down(struct vdrm_userq *uq);

/* If it is idle, it has come as far as the backend says; does not wait for other calls for @uq. */
void vdrm_userq_look(struct vdrm_userq *uq);

/* userq_fence.c */
void vdrm_userq_fences_init(struct vdrm_userq *uq);
/* A place for @uq's progress, which all files with user queues see, now also @vf: 0 or -errno. */
int vdrm_seq64_get(struct vdrm_userq *uq, struct vdrm_file *vf);
void vdrm_seq64_put(struct vdrm_userq *uq);
/* What the queue was given up to @value: a fence with a reference, in place of @f. */
struct dma_fence *vdrm_userq_fence_arm(struct vdrm_userq *uq, struct vdrm_userq_fence *f,
				       u64 value);
/* The queue has come to @at. */
void vdrm_userq_progress(struct vdrm_userq *uq, u64 at);
/* There is no more progress: all fences fail, and those that come later. */
void vdrm_userq_fail(struct vdrm_userq *uq, int err);
/* Waits until all fences have signaled, for @timeout jiffies at most, or a fatal signal. */
void vdrm_userq_settle(struct vdrm_userq *uq, unsigned long timeout);
/* It was asleep: its fences' time begins anew. */
void vdrm_userq_awake(struct vdrm_userq *uq);
/* NULL unless @fence is of a user queue. */
struct vdrm_userq_fence *to_vdrm_userq_fence(struct dma_fence *fence);

#endif /* VDRM_USERQ_H */
