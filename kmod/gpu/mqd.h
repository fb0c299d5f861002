/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Images of the structures that the scheduler of a GFX9 GPU uses: memory queue descriptors
 * (MQD), the registers of a hardware queue (HQD), the runlist. debugfs shows them as the
 * real driver does.
 */
#ifndef GPU_MQD_H
#define GPU_MQD_H

#include <linux/types.h>

struct gpu_device;
struct gpu_queue;

#define GPU_MQD_DWORDS		512	/* struct v9_mqd */
#define GPU_SDMA_MQD_DWORDS	128	/* struct v9_sdma_mqd */

/* The part of the image that is also the registers from CP_MQD_BASE_ADDR on. */
#define GPU_MQD_HQD_FIRST	128
#define GPU_HQD_REGS		56
#define GPU_HQD_BASE		0xc914	/* byte address of CP_MQD_BASE_ADDR */

/* Dwords of an SDMA image that are also registers of its hardware queue. */
#define GPU_SDMA_HQD_REGS	42

#define GPU_MAP_PROCESS_DWORDS	21	/* at most */
#define GPU_MAP_QUEUES_DWORDS	7

/**
 * struct gpu_queue_state - state of a queue, from the backend
 * @active: it may run; @mapped: it has the hardware queue @hqd
 * @rptr,@wptr: in packets for AQL, else in dwords
 * @error: value of its error register: a code of the packet processor, or 0
 */
struct gpu_queue_state {
	bool active, mapped;
	unsigned int hqd;
	u64 rptr, wptr;
	u32 error;
};

/* Byte address of register @i of @queue of SDMA engine @engine. */
u32 gpu_sdma_hqd_reg(unsigned int engine, unsigned int queue, unsigned int i);

/* Number of dwords of the image of this kind of queue. */
unsigned int gpu_mqd_dwords(const struct gpu_queue *q);
void gpu_mqd_fill(const struct gpu_queue *q, const struct gpu_queue_state *s, u32 *mqd);

/*
 * Runlist packets: one for a process, followed by one for each of its @nr_queues queues.
 * Return: dwords written to @packet.
 */
unsigned int gpu_runlist_process(const struct gpu_device *gdev, u32 pasid,
				 unsigned int nr_queues, u32 *packet);
unsigned int gpu_runlist_queue(const struct gpu_queue *q, u32 *packet);

#endif /* GPU_MQD_H */
