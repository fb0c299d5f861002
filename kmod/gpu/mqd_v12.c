// SPDX-License-Identifier: GPL-2.0-only
/*
 * MQD images of gfx12. Those of compute queues have gfx11's values where they have gfx11's (a ninth
 * engine's CUs and GDS, which differ, are not set); those of SDMA queues are SDMA 7's registers.
 *
 * Sources: v12_structs.h, gc_12_0_0 register headers, kfd_mqd_manager_v12.c and
 * amdgpu_amdkfd_gfx_v12.c of Linux 7.2.
 */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/log2.h>

#include "queue.h"
#include "device.h"
#include "mqd.h"

#define MQD_DWORDS		512
#define MQD_HQD_FIRST		128
#define MQD_HQD_REGS		56
#define CP_MQD_BASE_ADDR	0xc824	/* byte address */

/* Dwords of struct v12_sdma_mqd; the first are registers in a row. */
enum {
	SDMA_RB_CNTL		= 0,
	SDMA_RB_BASE		= 1,	/* lo, hi, as all of two */
	SDMA_RB_RPTR		= 3,
	SDMA_RB_WPTR		= 5,
	SDMA_RPTR_ADDR		= 7,
	SDMA_IB_CNTL		= 9,
	SDMA_DOORBELL_OFFSET	= 17,
	SDMA_SCHED_CNTL		= 20,
	SDMA_DUMMY		= 23,
	SDMA_WPTR_POLL		= 24,
	SDMA_HQD_REGS		= 49,	/* to CONTEXT_STATUS */
	SDMA_ENGINE		= 126,
	SDMA_QUEUE		= 127,
	SDMA_DWORDS		= 128,
};

static_assert(MQD_DWORDS <= GPU_MQD_MAX_DWORDS);

#define SDMA_RB_WRITEBACK	(BIT(12) | 6 << 16)
#define SDMA_RB_WPTR_POLL	BIT(11)
#define SDMA_IB_SWITCH_INSIDE	BIT(8)
#define SDMA_SCHED_QUANTUM	(32 << 8)

#define SDMA_QUEUE0_RB_CNTL	0x80	/* dwords from an engine's base on */
#define SDMA_QUEUE_STRIDE	0x58

static void put64(u32 *mqd, unsigned int at, u64 v)
{
	mqd[at] = lower_32_bits(v);
	mqd[at + 1] = upper_32_bits(v);
}

static void mqd_v12_sdma(const struct gpu_queue *q, const struct gpu_queue_state *s, u32 *mqd)
{
	const struct gpu_queue_props *p = &q->props;

	mqd[SDMA_RB_CNTL] = (p->ring_bytes ? ilog2(p->ring_bytes / 4) : 0) << 1 |
			    SDMA_RB_WRITEBACK | SDMA_RB_WPTR_POLL | s->mapped;
	put64(mqd, SDMA_RB_BASE, p->ring_va >> 8);
	put64(mqd, SDMA_RB_RPTR, s->rptr * 4);
	put64(mqd, SDMA_RB_WPTR, s->wptr * 4);
	put64(mqd, SDMA_RPTR_ADDR, p->rptr_va);
	mqd[SDMA_IB_CNTL] = SDMA_IB_SWITCH_INSIDE;
	mqd[SDMA_DOORBELL_OFFSET] = q->doorbell * 2 << 2;
	mqd[SDMA_SCHED_CNTL] = SDMA_SCHED_QUANTUM;
	mqd[SDMA_DUMMY] = 0xf;
	put64(mqd, SDMA_WPTR_POLL, p->wptr_va);
	mqd[SDMA_ENGINE] = p->sdma_engine;
	mqd[SDMA_QUEUE] = s->hqd;
}

static u32 mqd_v12_sdma_hqd_reg(unsigned int engine, unsigned int queue, unsigned int i)
{
	static const u32 bases[] = { 0x1260, 0x1860 };

	return (bases[engine % ARRAY_SIZE(bases)] + queue * SDMA_QUEUE_STRIDE +
		SDMA_QUEUE0_RB_CNTL + i) * 4;
}

const struct gpu_mqd_format gpu_mqd_v12 = {
	.dwords = MQD_DWORDS, .sdma_dwords = SDMA_DWORDS,
	.hqd_first = MQD_HQD_FIRST, .hqd_regs = MQD_HQD_REGS,
	.hqd_base = CP_MQD_BASE_ADDR,
	.sdma_hqd_regs = SDMA_HQD_REGS,
	.compute = gpu_mqd_compute_v11,
	.sdma = mqd_v12_sdma,
	.sdma_hqd_reg = mqd_v12_sdma_hqd_reg,
	.map_process = gpu_mqd_map_process_v11,
	.map_queues = gpu_mqd_map_queues_v11,
};
