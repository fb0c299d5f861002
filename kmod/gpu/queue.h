/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A user queue, as both front ends and backends see it.
 */
#ifndef GPU_QUEUE_H
#define GPU_QUEUE_H

#include <linux/types.h>

#include "job.h"

struct gpu_device;
struct gpu_pdd;
struct gpu_process;
struct gpu_vm;

/**
 * enum gpu_queue_error - why a queue is stopped for good
 * @GPU_QUEUE_NO_ERROR: it is not stopped
 * @GPU_QUEUE_ERR_SCRATCH: a dispatch needs more scratch than the queue has, and there is no
 *	runtime that could be asked for more
 * @GPU_QUEUE_ERR_DIM: a dispatch has impossible dimensions
 * @GPU_QUEUE_ERR_GROUP_MEM: a dispatch needs more group memory than a CU has
 * @GPU_QUEUE_ERR_GROUP_SIZE: a dispatch has work-groups larger than the maximum
 * @GPU_QUEUE_ERR_REGISTERS: a dispatch needs more registers than a wave can have
 * @GPU_QUEUE_ERR_CODE: a dispatch's code cannot be run
 * @GPU_QUEUE_ERR_PACKET: an unknown or malformed packet
 * @GPU_QUEUE_ERR_VENDOR: a vendor-specific packet, or PM4, that is refused
 * @GPU_QUEUE_ERR_APERTURE: a wave accessed memory outside of all apertures
 * @GPU_QUEUE_ERR_ILLEGAL: a wave executed an illegal instruction
 * @GPU_QUEUE_ERR_TRAP: a wave had a trap or exception that nobody handles
 * @GPU_QUEUE_ERR_SDMA_PACKET: an SDMA packet that is unknown on this GPU, or malformed
 * @GPU_QUEUE_ERR_SDMA_REFUSED: an SDMA packet that user queues may not use
 * @GPU_QUEUE_ERR_SDMA_WPTR: a write pointer that is more than a ring ahead
 * @GPU_QUEUE_ERR_SDMA_TIMEOUT: an SDMA poll that has used up its retries
 * @GPU_QUEUE_ERRORS: number of codes
 *
 * The backend's packet processors use other codes, and so does user space. Both are
 * translated to and from these.
 */
enum gpu_queue_error {
	GPU_QUEUE_NO_ERROR,
	GPU_QUEUE_ERR_SCRATCH,
	GPU_QUEUE_ERR_DIM,
	GPU_QUEUE_ERR_GROUP_MEM,
	GPU_QUEUE_ERR_GROUP_SIZE,
	GPU_QUEUE_ERR_REGISTERS,
	GPU_QUEUE_ERR_CODE,
	GPU_QUEUE_ERR_PACKET,
	GPU_QUEUE_ERR_VENDOR,
	GPU_QUEUE_ERR_APERTURE,
	GPU_QUEUE_ERR_ILLEGAL,
	GPU_QUEUE_ERR_TRAP,
	GPU_QUEUE_ERR_SDMA_PACKET,
	GPU_QUEUE_ERR_SDMA_REFUSED,
	GPU_QUEUE_ERR_SDMA_WPTR,
	GPU_QUEUE_ERR_SDMA_TIMEOUT,
	GPU_QUEUE_ERRORS
};

/* queue.c: text for logs */
const char *gpu_queue_error_name(enum gpu_queue_error error);

enum gpu_queue_type { GPU_QUEUE_PM4, GPU_QUEUE_SDMA, GPU_QUEUE_AQL };

/**
 * struct gpu_queue_props - arguments of CREATE_QUEUE and UPDATE_QUEUE
 * @ring_va,@ring_bytes: the size is a power of two; 0 makes the queue inactive
 * @wptr_va,@rptr_va: AQL: &amd_queue_t.write_dispatch_id (amd_queue + 56) and
 *	&amd_queue_t.read_dispatch_id (amd_queue + 128)
 * @percentage: 0 makes the queue inactive
 * @sdma_engine: SDMA: index of the engine; engines for PCIe come before those for XGMI
 */
struct gpu_queue_props {
	enum gpu_queue_type type;
	u64 ring_va;
	u32 ring_bytes;
	u64 wptr_va, rptr_va;
	u32 percentage, priority;
	u64 eop_va;
	u32 eop_bytes;
	u64 cwsr_va;
	u32 cwsr_bytes, ctl_stack_bytes;
	u32 sdma_engine;
};

struct gpu_queue;
struct gpu_share;

/**
 * struct gpu_queue_client - who has a queue that is not KFD's
 * @stopped: it was stopped for good, be it by its own end; under the backend's lock of queues
 * @fence: all that its packets asked for before position @at of its ring is done: a PM4 queue's
 *	when a packet of it says so, others' whenever it is; a thread of the GPU, which is inside
 *	the queue
 */
struct gpu_queue_client {
	void (*stopped)(struct gpu_queue *q);
	void (*fence)(struct gpu_queue *q, u64 at);
};

/**
 * struct gpu_queue - a user queue
 * @id: KFD queue id (per process); @doorbell: index in the slice
 * @priv: for the backend
 * @error: set once by the backend when it stops the queue for good
 * @evicted: the queue is evicted, maybe since it was created, until queue_restore()
 *	(process->lock)
 * @gws: global wave sync resources that it owns (ALLOC_QUEUE_GWS), 0: none;
 *	written under process->lock, read by the backend at any time
 * @job: for the backend: NULL, or the queue is its own and executes this
 * @client: whom the backend tells of this queue, instead of gpu_host; NULL: it is KFD's
 * @share: of its user in the queues of @gdev
 * @runner: with @client: from gpu_backend_jobs_open(), of the file whose queue it is
 */
struct gpu_queue {
	struct gpu_process *process;
	struct gpu_pdd *pdd;
	struct gpu_device *gdev;
	struct gpu_vm *vm;
	u32 id;
	unsigned int doorbell;
	struct gpu_queue_props props;
	void *priv;
	enum gpu_queue_error error;
	u32 gws;
	bool evicted;
	struct gpu_job *job;
	const struct gpu_queue_client *client;
	enum gpu_job_runner runner;
	struct gpu_share *share;
};

/* Does gpu_host know its process? */
static inline bool gpu_queue_of_kfd(const struct gpu_queue *q)
{
	return !q->job && !q->client;
}

/**
 * struct gpu_wave_state - contents of a queue's save area of one XCC
 * @stack_bytes: size of the control stack, which ends at @ctl_stack_bytes
 * @wave_bytes: size of the wave data, which starts there
 */
struct gpu_wave_state {
	u32 stack_bytes, wave_bytes;
};

#endif /* GPU_QUEUE_H */
