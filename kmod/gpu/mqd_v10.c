// SPDX-License-Identifier: GPL-2.0-only
/*
 * MQD images of gfx10.3 and gfx11. Compute queues' are GFX9's with other defaults. From gfx11 on
 * firmware (MES) schedules, which keeps no runlist that the driver could show.
 *
 * Sources: v10_structs.h, v11_structs.h, gc_10_3_0 and gc_11_0_0 register headers,
 * kfd_mqd_manager_v10.c and v11.c, amdgpu_amdkfd_gfx_v10_3.c and v11.c of Linux 7.2.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/log2.h>

#include "queue.h"
#include "device.h"
#include "mqd.h"

#define MQD_DWORDS		512
#define MQD_HQD_FIRST		128
#define MQD_HQD_REGS		56
#define CP_MQD_BASE_ADDR	0xc824	/* byte address */

#define SCHEDULER_DISPATCH_PTR	BIT(14)
#define STATUS_ATOMICS		BIT(29)	/* of PCIe, which a virtual GPU has */

#define SDMA_DWORDS		128
#define SDMA_RLC_STRIDE		0x58

static_assert(MQD_DWORDS <= GPU_MQD_MAX_DWORDS);

struct reg_run {
	u16 first, regs;
};

/* Byte address of register @i of those of @runs, which are dwords from an engine's base on. */
static u32 sdma_reg(u32 base, unsigned int queue, const struct reg_run *runs, unsigned int i)
{
	for (; i >= runs->regs; runs++)
		i -= runs->regs;
	return (base + queue * SDMA_RLC_STRIDE + runs->first + i) * 4;
}

/* ------------------------------------------------------------------ gfx10.3 */

static void mqd_v10_compute(const struct gpu_queue *q, const struct gpu_queue_state *s, u32 *mqd)
{
	static const struct gpu_mqd_compute v10 = {
		.persistent = MQD_PERSISTENT(0x53),
		.pq = MQD_PQ_RPTR_BLOCK | MQD_PQ_UNORD_DISPATCH, .pq_aql = MQD_PQ_AQL,
		.ib = MQD_IB_MIN_AVAIL, .scheduler = SCHEDULER_DISPATCH_PTR,
	};

	gpu_mqd_compute(q, s, &v10, mqd);
}

static const struct reg_run sdma_v10_runs[] = {
	{ 0x130, 19 }, { 0x158, 6 }, { 0x15f, 7 }, { 0x170, 12 },
};

#define SDMA_V10_REGS	(19 + 6 + 7 + 12)

static u32 mqd_v10_sdma_hqd_reg(unsigned int engine, unsigned int queue, unsigned int i)
{
	static const u32 bases[] = { 0x1260, 0x1860, 0x1c000, 0x1c400 };

	return sdma_reg(bases[engine % ARRAY_SIZE(bases)], queue, sdma_v10_runs, i);
}

const struct gpu_mqd_format gpu_mqd_v10 = {
	.dwords = MQD_DWORDS, .sdma_dwords = SDMA_DWORDS,
	.hqd_first = MQD_HQD_FIRST, .hqd_regs = MQD_HQD_REGS,
	.hqd_base = CP_MQD_BASE_ADDR,
	.sdma_hqd_regs = SDMA_V10_REGS,
	.map_process_dwords = MQD_MAP_PROCESS_DWORDS, .map_queues_dwords = MQD_MAP_QUEUES_DWORDS,
	.compute = mqd_v10_compute,
	.sdma = gpu_mqd_sdma_v9,
	.sdma_hqd_reg = mqd_v10_sdma_hqd_reg,
	.map_process = gpu_mqd_map_process_v9,
	.map_queues = gpu_mqd_map_queues_v9,
};

/* -------------------------------------------------------------------- gfx11 */

void gpu_mqd_compute_v11(const struct gpu_queue *q, const struct gpu_queue_state *s, u32 *mqd)
{
	static const struct gpu_mqd_compute v11 = {
		.thread_mgmt_se4 = 44, .persistent = MQD_PERSISTENT(0x55),
		.pq = MQD_PQ_RPTR_BLOCK | MQD_PQ_UNORD_DISPATCH, .pq_aql = MQD_PQ_AQL,
		.ib = MQD_IB_MIN_AVAIL, .scheduler = SCHEDULER_DISPATCH_PTR | STATUS_ATOMICS,
	};

	gpu_mqd_compute(q, s, &v11, mqd);
}

/* Dwords of struct v11_sdma_mqd */
enum {
	SDMA_RB_CNTL		= 0,
	SDMA_RB_BASE		= 1,	/* lo, hi */
	SDMA_RB_RPTR		= 3,	/* lo, hi */
	SDMA_RB_WPTR		= 5,	/* lo, hi */
	SDMA_RPTR_ADDR_HI	= 7,
	SDMA_RPTR_ADDR_LO	= 8,
	SDMA_DOORBELL_OFFSET	= 19,
	SDMA_SCHED_CNTL		= 22,
	SDMA_DUMMY		= 25,
	SDMA_WPTR_POLL_HI	= 26,
	SDMA_WPTR_POLL_LO	= 27,
	SDMA_ENGINE		= 126,
	SDMA_QUEUE		= 127,
};

#define SDMA_RB_WRITEBACK	(BIT(12) | 6 << 16)
#define SDMA_RB_WPTR_POLL	BIT(11)
#define SDMA_SCHED_QUANTUM	(32 << 8)

static void mqd_v11_sdma(const struct gpu_queue *q, const struct gpu_queue_state *s, u32 *mqd)
{
	const struct gpu_queue_props *p = &q->props;
	u64 rptr = s->rptr * 4, wptr = s->wptr * 4;

	mqd[SDMA_RB_CNTL] = (p->ring_bytes ? ilog2(p->ring_bytes / 4) : 0) << 1 |
			    SDMA_RB_WRITEBACK | SDMA_RB_WPTR_POLL | s->mapped;
	mqd[SDMA_RB_BASE] = lower_32_bits(p->ring_va >> 8);
	mqd[SDMA_RB_BASE + 1] = upper_32_bits(p->ring_va >> 8);
	mqd[SDMA_RB_RPTR] = lower_32_bits(rptr);
	mqd[SDMA_RB_RPTR + 1] = upper_32_bits(rptr);
	mqd[SDMA_RB_WPTR] = lower_32_bits(wptr);
	mqd[SDMA_RB_WPTR + 1] = upper_32_bits(wptr);
	mqd[SDMA_RPTR_ADDR_HI] = upper_32_bits(p->rptr_va);
	mqd[SDMA_RPTR_ADDR_LO] = lower_32_bits(p->rptr_va);
	mqd[SDMA_DOORBELL_OFFSET] = q->doorbell * 2 << 2;
	mqd[SDMA_SCHED_CNTL] = SDMA_SCHED_QUANTUM;
	mqd[SDMA_DUMMY] = 0xf;
	mqd[SDMA_WPTR_POLL_HI] = upper_32_bits(p->wptr_va);
	mqd[SDMA_WPTR_POLL_LO] = lower_32_bits(p->wptr_va);
	mqd[SDMA_ENGINE] = p->sdma_engine;
	mqd[SDMA_QUEUE] = s->hqd;
}

static const struct reg_run sdma_v11_runs[] = {
	{ 0x80, 7 }, { 0x88, 11 }, { 0xa9, 1 }, { 0xab, 12 }, { 0xc0, 12 },
};

#define SDMA_V11_REGS	(7 + 11 + 1 + 12 + 12)

static u32 mqd_v11_sdma_hqd_reg(unsigned int engine, unsigned int queue, unsigned int i)
{
	static const u32 bases[] = { 0x1260, 0x1860 };

	return sdma_reg(bases[engine % ARRAY_SIZE(bases)], queue, sdma_v11_runs, i);
}

unsigned int gpu_mqd_map_process_v11(const struct gpu_device *gdev, u32 pasid,
				     unsigned int nr_queues, u32 *packet)
{
	return 0;
}

unsigned int gpu_mqd_map_queues_v11(const struct gpu_queue *q, u32 *packet)
{
	return 0;
}

const struct gpu_mqd_format gpu_mqd_v11 = {
	.dwords = MQD_DWORDS, .sdma_dwords = SDMA_DWORDS,
	.hqd_first = MQD_HQD_FIRST, .hqd_regs = MQD_HQD_REGS,
	.hqd_base = CP_MQD_BASE_ADDR,
	.sdma_hqd_regs = SDMA_V11_REGS,
	.compute = gpu_mqd_compute_v11,
	.sdma = mqd_v11_sdma,
	.sdma_hqd_reg = mqd_v11_sdma_hqd_reg,
	.map_process = gpu_mqd_map_process_v11,
	.map_queues = gpu_mqd_map_queues_v11,
};
