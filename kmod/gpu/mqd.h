/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Images of the structures that the scheduler of a GPU uses: memory queue descriptors (MQD),
 * the registers of a hardware queue (HQD), the runlist. debugfs shows them as the real driver
 * does. A generation's layouts are a struct gpu_mqd_format, which the model's row names.
 */
#ifndef GPU_MQD_H
#define GPU_MQD_H

#include <linux/types.h>

struct gpu_device;
struct gpu_queue;

/**
 * struct gpu_queue_state - state of a queue, from the backend
 * @active: it may run; @mapped: it has the hardware queue @hqd
 * @idle: it has done all that it was given, as far as the backend can tell
 * @rptr,@wptr: in packets for AQL, else in dwords
 * @error: value of its error register: a code of the packet processor, or 0
 */
struct gpu_queue_state {
	bool active, mapped, idle;
	unsigned int hqd;
	u64 rptr, wptr;
	u32 error;
};

/**
 * struct gpu_mqd_format - layouts of a generation
 * @dwords,@sdma_dwords: of the image of a compute queue, of an SDMA queue
 * @hqd_first,@hqd_regs: the part of a compute image that is also the registers of a hardware
 *	queue; @hqd_base: byte address of the first
 * @sdma_hqd_regs: dwords at the start of an SDMA image that are registers, too
 * @map_process_dwords,@map_queues_dwords: sizes of the runlist's packets, at most
 * @compute,@sdma: fill an image that is all zeros
 * @sdma_hqd_reg: byte address of register @i of @queue of SDMA engine @engine
 * @map_process: the packet for a process with @nr_queues queues; returns its dwords
 * @map_queues: the packet for a queue; returns its dwords
 */
struct gpu_mqd_format {
	u16 dwords, sdma_dwords;
	u16 hqd_first, hqd_regs;
	u32 hqd_base;
	u16 sdma_hqd_regs;
	u8 map_process_dwords, map_queues_dwords;
	void (*compute)(const struct gpu_queue *q, const struct gpu_queue_state *s, u32 *mqd);
	void (*sdma)(const struct gpu_queue *q, const struct gpu_queue_state *s, u32 *mqd);
	u32 (*sdma_hqd_reg)(unsigned int engine, unsigned int queue, unsigned int i);
	unsigned int (*map_process)(const struct gpu_device *gdev, u32 pasid,
				    unsigned int nr_queues, u32 *packet);
	unsigned int (*map_queues)(const struct gpu_queue *q, u32 *packet);
};

/**
 * struct gpu_mqd_compute - in what images of compute queues differ
 * @thread_mgmt_se4: dword of COMPUTE_STATIC_THREAD_MGMT_SE4, 0: there is none
 * @queue_priority: CP_HQD_QUEUE_PRIORITY is set
 * @persistent,@pq,@pq_aql,@ib,@scheduler: CP_HQD_PERSISTENT_STATE, PQ_CONTROL, the same of AQL
 *	queues in addition, IB_CONTROL, HQ_SCHEDULER0
 */
struct gpu_mqd_compute {
	u8 thread_mgmt_se4;
	bool queue_priority;
	u32 persistent, pq, pq_aql, ib, scheduler;
};

#define MQD_PERSISTENT(preload)	(1u | (preload) << 8)
#define MQD_PQ_RPTR_BLOCK	(5 << 8)
#define MQD_PQ_UNORD_DISPATCH	BIT(28)
/* NO_UPDATE_RPTR, SLOT_BASED_WPTR, QUEUE_FULL_EN */
#define MQD_PQ_AQL		(BIT(27) | 2 << 25 | BIT(14))
#define MQD_PQ_WPP_CLAMP	BIT(16)
#define MQD_IB_MIN_AVAIL	(3 << 20)

/* mqd_v9.c: parts that later generations have as GFX9 */
void gpu_mqd_compute(const struct gpu_queue *q, const struct gpu_queue_state *s,
		     const struct gpu_mqd_compute *c, u32 *mqd);
void gpu_mqd_sdma_v9(const struct gpu_queue *q, const struct gpu_queue_state *s, u32 *mqd);
#define MQD_MAP_PROCESS_DWORDS	21	/* at most */
#define MQD_MAP_QUEUES_DWORDS	7
unsigned int gpu_mqd_map_process_v9(const struct gpu_device *gdev, u32 pasid,
				    unsigned int nr_queues, u32 *packet);
unsigned int gpu_mqd_map_queues_v9(const struct gpu_queue *q, u32 *packet);

/* mqd_v10.c: likewise what is gfx12's as gfx11's; packets: none */
void gpu_mqd_compute_v11(const struct gpu_queue *q, const struct gpu_queue_state *s, u32 *mqd);
unsigned int gpu_mqd_map_process_v11(const struct gpu_device *gdev, u32 pasid,
				     unsigned int nr_queues, u32 *packet);
unsigned int gpu_mqd_map_queues_v11(const struct gpu_queue *q, u32 *packet);

extern const struct gpu_mqd_format gpu_mqd_v9, gpu_mqd_v10, gpu_mqd_v11, gpu_mqd_v12;

const struct gpu_mqd_format *gpu_mqd_format(const struct gpu_device *gdev);
/* Number of dwords of the image of this kind of queue; no format has a larger one than MAX. */
#define GPU_MQD_MAX_DWORDS	512
unsigned int gpu_mqd_dwords(const struct gpu_queue *q);
void gpu_mqd_fill(const struct gpu_queue *q, const struct gpu_queue_state *s, u32 *mqd);

#endif /* GPU_MQD_H */
