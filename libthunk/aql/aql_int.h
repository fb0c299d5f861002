/* SPDX-License-Identifier: MIT */
/*
 * Private to libaql.  Lock order: queue->lock, then dev->lock.
 */
#ifndef AQL_INT_H
#define AQL_INT_H

#include <pthread.h>

#include "abi.h"
#include "aql.h"
#include "code_meta.h"
#include "hsakmt/hsakmt.h"

#define AQL_API		__attribute__((visibility("default")))
#define AQL_PAGE	4096ul

struct signal_chunk;

struct aql_dev {
	uint32_t node;
	HsaNodeProperties props;
	struct aql_dev_info info;
	uint64_t lds_base;		/* apertures, for queues and hidden arguments */
	uint64_t private_base;
	bool xnack;
	HsaEvent *fault_event;
	HsaEvent *reset_event;
	pthread_mutex_t lock;		/* protects what follows */
	bool lost;
	struct aql_fault fault;
	struct signal_chunk *chunks;
};

struct aql_signal {
	struct aql_dev *dev;
	struct amd_signal *sig;		/* what the GPU knows it by */
	HsaEvent *event;		/* NULL: polled */
};

struct aql_kernel {
	const struct aql_code *code;
	const struct meta_kernel *meta;
	uint64_t object;		/* address of the descriptor */
};

struct aql_code {
	struct aql_dev *dev;
	struct meta_code meta;
	struct aql_kernel *kernels;
	void *mem;
};

/* Argument blocks in flight: a segment is used again when all before its end has completed. */
#define ARENA_SEGMENTS	4u
#define ARENA_BYTES	(256ul << 10)	/* of one segment */

struct kernarg_arena {
	char *mem;
	unsigned int cur;
	size_t pos;
	bool busy[ARENA_SEGMENTS];
	struct aql_signal *done[ARENA_SEGMENTS];
};

struct aql_queue {
	struct aql_dev *dev;
	struct amd_queue *block;
	char *ring;
	uint32_t packets;
	volatile uint64_t *doorbell;
	HsaQueueResource res;
	struct amd_signal *doorbell_signal;	/* for kernels that enqueue */
	struct aql_signal *doorbell_slot;
	struct aql_signal *inactive;
	bool single;			/* its user sees to it that lock is not needed */
	pthread_mutex_t lock;		/* held while submitting; protects what follows */
	uint64_t write;
	uint64_t read;			/* as last seen; the GPU's may be ahead */
	struct kernarg_arena arena;
	void *scratch;
	uint64_t error;			/* the code that stopped the queue */
};

static inline void aql_queue_lock(struct aql_queue *q)
{
	if (!q->single)
		pthread_mutex_lock(&q->lock);
}

static inline void aql_queue_unlock(struct aql_queue *q)
{
	if (!q->single)
		pthread_mutex_unlock(&q->lock);
}

/* error.c */
int aql_status(HSAKMT_STATUS status);
uint64_t aql_now_ns(void);

/* memory.c */
int aql_alloc_flags(struct aql_dev *dev, uint32_t node, size_t size, HsaMemFlags flags,
		    void **ptr);

/* signal.c */
void aql_signals_fini(struct aql_dev *dev);
int aql_dev_take_fault(struct aql_dev *dev);

/* queue.c; want queue->lock */
int aql_slot_locked(struct aql_queue *q, char **slot);
void aql_publish_locked(struct aql_queue *q, char *slot, uint16_t header, uint16_t setup);
int aql_drain_locked(struct aql_queue *q);
int aql_wait_locked(struct aql_queue *q, const struct aql_signal *signal);
int aql_kernarg_get(struct aql_queue *q, size_t bytes, void **block);
int aql_queue_service(struct aql_queue *q);

/* scratch.c; want queue->lock and an idle or stopped queue */
int aql_scratch_grow(struct aql_queue *q, uint32_t lane_bytes);

#endif /* AQL_INT_H */
