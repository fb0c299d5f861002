/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A user queue as faces and backends both see it.
 */
#ifndef GPU_QUEUE_H
#define GPU_QUEUE_H

#include <linux/types.h>

struct gpu_device;
struct gpu_pdd;
struct gpu_process;
struct gpu_vm;

/**
 * enum gpu_queue_error - why a queue is stopped for good
 * @GPU_QUEUE_NO_ERROR: it is not
 * @GPU_QUEUE_ERR_SCRATCH: a dispatch needs more scratch than the queue has, and nobody
 *	can be asked for more
 * @GPU_QUEUE_ERR_DIM: a dispatch with impossible dimensions
 * @GPU_QUEUE_ERR_GROUP_MEM: with more group memory than a CU has
 * @GPU_QUEUE_ERR_GROUP_SIZE: with larger work-groups than there can be
 * @GPU_QUEUE_ERR_REGISTERS: with more registers than a wave can have
 * @GPU_QUEUE_ERR_CODE: with code that cannot be run
 * @GPU_QUEUE_ERR_PACKET: no packet of the queue's kind, or a malformed one
 * @GPU_QUEUE_ERR_VENDOR: a vendor's packet, or PM4, that is refused
 * @GPU_QUEUE_ERR_APERTURE: a wave's access outside of all apertures
 * @GPU_QUEUE_ERR_ILLEGAL: a wave's illegal instruction
 * @GPU_QUEUE_ERR_TRAP: a wave's trap or exception that nobody handles
 * @GPU_QUEUE_ERR_SDMA_PACKET: no SDMA packet of this GPU, or a malformed one
 * @GPU_QUEUE_ERR_SDMA_REFUSED: an SDMA packet that user queues may not use
 * @GPU_QUEUE_ERR_SDMA_WPTR: a write pointer that is more than a ring ahead
 * @GPU_QUEUE_ERR_SDMA_TIMEOUT: an SDMA poll that has used up its retries
 * @GPU_QUEUE_ERRORS: how many there are
 *
 * The backend's packet processors have codes of their own, and so has what user space
 * sees; both are translated to and from these.
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

/* queue.c: in words, for logs */
const char *gpu_queue_error_name(enum gpu_queue_error error);

enum gpu_queue_type { GPU_QUEUE_PM4, GPU_QUEUE_SDMA, GPU_QUEUE_AQL };

/**
 * struct gpu_queue_props - what CREATE_QUEUE and UPDATE_QUEUE say
 * @ring_va,@ring_bytes: power of two; 0 makes the queue inactive
 * @wptr_va,@rptr_va: AQL: &amd_queue_t.write_dispatch_id (amd_queue + 56) and
 *	&amd_queue_t.read_dispatch_id (amd_queue + 128)
 * @percentage: 0 makes the queue inactive
 * @sdma_engine: SDMA: index of the engine; PCIe's before those for XGMI
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

/**
 * struct gpu_queue - a user queue
 * @id: KFD queue id (per process); @doorbell: index in the slice
 * @priv: the backend's
 * @error: set once by the backend when it stops the queue for good
 * @evicted: it is off, or to be off from the start, until queue_restore()
 *	(process->lock)
 * @gws: global wave sync resources that it holds (ALLOC_QUEUE_GWS), 0: none;
 *	written under process->lock, read by the backend at any time
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
};

/**
 * struct gpu_wave_state - what a queue's save area of an XCC holds
 * @stack_bytes: control stack: below @ctl_stack_bytes
 * @wave_bytes: waves, from there on
 */
struct gpu_wave_state {
	u32 stack_bytes, wave_bytes;
};

#endif /* GPU_QUEUE_H */
