/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compute by submissions: a batch is dispatches of one queue that go below as one indirect buffer.
 *
 *	stream.c	writes the buffer
 *	batch.c		takes dispatches, submits batches, and completes what has ended
 *	engine.c	what hw/ knows of it
 */
#ifndef AMDGPU_BATCH_H
#define AMDGPU_BATCH_H

#include <linux/bitmap.h>
#include <linux/dma-fence.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/types.h>

#include "amdgpu_int.h"
#include "../../hw/engine.h"

#define AMDGPU_BATCHES		4	/* of a queue that are below, or on their way */
#define AMDGPU_BATCH_GRIDS	16	/* dispatches of a batch */
#define AMDGPU_BATCH_BYTES	12288u	/* of its indirect buffer */

/* After the indirect buffers: the page of marks, with the mark and amdgpu_queue.go. */
#define AMDGPU_MARKS		(AMDGPU_BATCHES * AMDGPU_BATCH_BYTES)
#define AMDGPU_GO		(AMDGPU_MARKS + sizeof(u64))
#define AMDGPU_COMPUTE_BYTES	(AMDGPU_MARKS + PAGE_SIZE)

static_assert(AMDGPU_COMPUTE_BYTES <= AMDGPU_VM_STEP);

struct amdgpu_queue;

/**
 * struct amdgpu_batch - dispatches that are below
 * @node: in amdgpu_node.done
 * @entry: in amdgpu_node.running
 * @since: when it was first seen that somebody waits for its end, in jiffies; 0: nobody does
 * @aq: its queue
 * @slot: of the queue's indirect buffers
 * @grid: the dispatches; @n: their number; @done: of them that have been completed
 * @first: the queue's mark when none of them has ended
 * @bad: why the last one is not in the buffer, or 0
 * @fence: with a reference; NULL: it has not got there
 * @cb: of @fence
 * @err: why not
 */
struct amdgpu_batch {
	struct llist_node node;
	struct list_head entry;
	unsigned long since;
	struct amdgpu_queue *aq;
	unsigned int slot;
	struct hw_grid *grid[AMDGPU_BATCH_GRIDS];
	unsigned int n, done;
	u64 first;
	int bad;
	struct dma_fence *fence;
	struct dma_fence_cb cb;
	int err;
};

/**
 * struct amdgpu_queue - the engine's part of a compute queue
 * @vq: what hw/ has of it
 * @ch: where it goes
 * @mark: where the GPU counts dispatches that have ended. The client's code can reach it, too: it
 *	is believed only in what it says of this queue
 * @go: the GPU leaves out dispatches while it is 0, which it stores when it comes to one whose
 *	kernel's descriptor is not what it was when its packet was read. As @mark, it is within the
 *	client's reach
 * @stale: it is: what was left out comes back when nothing is below any more (hw.lock)
 * @marks: dispatches that were ever written (for @mark; the node's thread)
 * @looked: amdgpu_node.look when its oldest dispatch was looked at
 * @batch: what is below
 * @used: batches in use (hw.lock)
 */
struct amdgpu_queue {
	struct hw_compute vq;
	struct amdgpu_channel ch;
	u64 *mark;
	u32 *go;
	bool stale;
	u64 marks, looked;
	DECLARE_BITMAP(used, AMDGPU_BATCHES);
	struct amdgpu_batch batch[AMDGPU_BATCHES];
};

static inline struct amdgpu_queue *to_amdgpu_queue(struct hw_compute *vq)
{
	return container_of(vq, struct amdgpu_queue, vq);
}

/* stream.c: one after the other, by the node's thread, inside the queue */
/**
 * struct amdgpu_stream - the indirect buffer that is being written
 * @dw: packets; @n: of them that are there
 */
struct amdgpu_stream {
	u32 dw[AMDGPU_BATCH_BYTES / 4];
	u32 n;
};

/*
 * Adds the last dispatch of @b. False: nothing may follow it in this batch, as its end is to be
 * told by a CPU.
 */
bool amdgpu_stream_add(struct amdgpu_node *node, struct amdgpu_stream *s, struct amdgpu_batch *b);
/* The buffer is at its place, and so long; or an error. */
int amdgpu_stream_end(struct amdgpu_stream *s, struct amdgpu_batch *b);

/* batch.c */
int amdgpu_batch_thread(void *arg);

#endif /* AMDGPU_BATCH_H */
