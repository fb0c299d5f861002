/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compute by submissions: a batch is dispatches of one queue that go below as one indirect buffer.
 *
 *	stream.c	writes the buffer
 *	batch.c		takes dispatches, submits batches, and completes what has ended
 *	runner.c	the thread that does so for an address space
 *	engine.c	what hw/ knows of it
 */
#ifndef AMDGPU_BATCH_H
#define AMDGPU_BATCH_H

#include <linux/bitmap.h>
#include <linux/dma-fence.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <linux/wait.h>

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
 * @node: in amdgpu_runner.done
 * @entry: in amdgpu_runner.running
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
 * @runner: who submits what it has
 * @ch: where it goes
 * @mark: where the GPU counts dispatches that have ended. The client's code can reach it, too: it
 *	is believed only in what it says of this queue
 * @go: the GPU leaves out dispatches while it is 0, which it stores when it comes to one whose
 *	kernel's descriptor is not what it was when its packet was read. As @mark, it is within the
 *	client's reach
 * @stale: it is: what was left out comes back when nothing is below any more (hw.lock)
 * @marks: dispatches that were ever written (for @mark; @runner)
 * @batch: what is below
 * @used: batches in use (hw.lock)
 */
struct amdgpu_queue {
	struct hw_compute vq;
	struct amdgpu_runner *runner;
	struct amdgpu_channel ch;
	u64 *mark;
	u32 *go;
	bool stale;
	u64 marks;
	DECLARE_BITMAP(used, AMDGPU_BATCHES);
	struct amdgpu_batch batch[AMDGPU_BATCHES];
};

static inline struct amdgpu_queue *to_amdgpu_queue(struct hw_compute *vq)
{
	return container_of(vq, struct amdgpu_queue, vq);
}

/**
 * struct amdgpu_stream - the indirect buffer that is being written
 * @dw: packets; @n: of them that are there
 */
struct amdgpu_stream {
	u32 dw[AMDGPU_BATCH_BYTES / 4];
	u32 n;
};

/**
 * struct amdgpu_runner - the thread that submits for all compute queues of an address space
 * @entry: in amdgpu_node.runners
 * @task: submits, and completes what has ended; @vmw: it, as hw/ knows it
 * @wq,@kick: wakes it
 * @done: batches whose fences have signalled; @running: all batches, for @task
 * @in_call: whose batch is on its way below, or NULL (hw.lock)
 * @stream: what it is writing
 *
 * One for each, as a submission may take as long as the client likes: its own threads may hold
 * locks of its file below, and its pages may never come.
 */
struct amdgpu_runner {
	struct list_head entry;
	struct amdgpu_node *node;
	struct task_struct *task;
	struct gpu_vm_worker vmw;
	wait_queue_head_t wq;
	atomic_t kick;
	struct llist_head done;
	struct list_head running;
	struct amdgpu_queue *in_call;
	struct rcu_head rcu;
	struct amdgpu_stream stream;
};

/* stream.c: by the runner's thread, inside the queue */
/*
 * Adds the last dispatch of @b. False: nothing may follow it in this batch, as its end is to be
 * told by a CPU.
 */
bool amdgpu_stream_add(struct amdgpu_stream *s, struct amdgpu_batch *b);
/* The buffer is at its place, and so long; or an error. */
int amdgpu_stream_end(struct amdgpu_stream *s, struct amdgpu_batch *b);

/* batch.c: submits and completes what there is. Jiffies until it wants to be called again */
long amdgpu_batches_run(struct amdgpu_runner *r);

/* runner.c */
/* For one more compute queue of @avm, or one less; under process->lock. */
struct amdgpu_runner *amdgpu_runner_get(struct amdgpu_vm *avm);
void amdgpu_runner_put(struct amdgpu_vm *avm);
/* There may be something to do. From any context. */
void amdgpu_runner_kick(struct amdgpu_runner *r);
/* For all of the node. What is on its way below for a queue that has stopped comes back. */
void amdgpu_runners_kick(struct amdgpu_node *node);
/* The thread begins and ends a call below for @aq, which may take long. */
void amdgpu_runner_calls(struct amdgpu_runner *r, struct amdgpu_queue *aq);
void amdgpu_runner_has_called(struct amdgpu_runner *r);

#endif /* AMDGPU_BATCH_H */
