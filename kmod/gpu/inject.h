/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Faults on demand: what people who test error paths want a GPU to do. The files are in
 * /sys/kernel/debug/kfd/N/inject/; docs/faults.md describes them.
 */
#ifndef GPU_INJECT_H
#define GPU_INJECT_H

#include <linux/atomic.h>
#include <linux/types.h>

struct dentry;
struct gpu_device;

/* What ras/event_state counts (amdgpu_ras.h: enum ras_event_type). */
enum gpu_ras_event { GPU_RAS_FATAL, GPU_RAS_CREATION, GPU_RAS_CONSUMPTION, GPU_RAS_EVENTS };

/**
 * struct gpu_inject - what a GPU was told to do wrong, embedded in gpu_device
 * @alloc_fail_after: allocations of VRAM and GTT that still succeed
 * @alloc_fail: how many fail then
 * @alloc_delay_us: how long each of these allocations takes longer
 * @complete_delay_us: how long after its end a packet tells its completion
 * @drop_interrupts: interrupts that get lost, the next ones
 * @throttle: what throttles, as bits of gpu_metrics' indep_throttle_status
 * @throttled: how often throttling began
 * @resets: of the whole GPU, since it appeared
 * @events: memory errors that were more than a count, numbered by @seqno; @last: 0 if none was
 * @dir: the directory
 */
struct gpu_inject {
	atomic_t alloc_fail_after, alloc_fail;
	u32 alloc_delay_us;
	u32 complete_delay_us;
	atomic_t drop_interrupts;
	u64 throttle;
	atomic64_t throttled;
	atomic_t resets;
	atomic64_t seqno;
	struct {
		atomic64_t count, last;
	} events[GPU_RAS_EVENTS];
	struct dentry *dir;
};

/* amdgpu's numbers of throttlers, those of them that can be injected (amdgpu_smu.h). */
#define GPU_THROTTLE_POWER	0
#define GPU_THROTTLE_TEMP_GPU	32
#define GPU_THROTTLE_TEMP_MEM	34

void gpu_inject_init(struct gpu_device *gdev);
/* When it returns, nobody is in one of the files. Before the backend's end. */
void gpu_inject_fini(struct gpu_device *gdev);
/* An object with memory is about to be made; sleeps. Return: 0, or -ENOMEM. */
int gpu_inject_alloc(struct gpu_device *gdev);
/* A packet has ended and is about to say so; sleeps. */
void gpu_inject_complete(const struct gpu_device *gdev);
/* Is the interrupt that is about to be raised one of those that get lost? */
bool gpu_inject_drop(struct gpu_device *gdev);

#endif /* GPU_INJECT_H */
