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
	u32 error;
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
