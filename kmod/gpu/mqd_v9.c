// SPDX-License-Identifier: GPL-2.0-only
/*
 * MQD images and runlists of GFX9, and what later generations have in common with them. Our
 * MQDs have no GPU address (0 is shown).
 *
 * Sources of the layouts: v9_structs.h, gc_9_0 and sdma0_4_0 register headers,
 * kfd_pm4_headers_ai.h and kfd_mqd_manager_v9.c of Linux 6.1.
 */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "queue.h"
#include "device.h"
#include "mqd.h"
#include "../model/target.h"

/* Dwords of struct v9_mqd; those of the HQD are also registers, from CP_MQD_BASE_ADDR on. */
enum {
	MQD_HEADER			= 0,
	MQD_PIPELINESTAT_ENABLE		= 11,
	MQD_THREAD_MGMT_SE0		= 23,	/* and SE1 */
	MQD_THREAD_MGMT_SE2		= 26,	/* and SE3 */
	MQD_HQD_FIRST			= 128,
	MQD_ACTIVE			= 130,
	MQD_VMID			= 131,
	MQD_PERSISTENT_STATE		= 132,
	MQD_PIPE_PRIORITY		= 133,
	MQD_QUEUE_PRIORITY		= 134,
	MQD_QUANTUM			= 135,
	MQD_PQ_BASE			= 136,	/* lo, hi */
	MQD_PQ_RPTR			= 138,
	MQD_RPTR_REPORT			= 139,	/* lo, hi */
	MQD_WPTR_POLL			= 141,	/* lo, hi */
	MQD_DOORBELL_CONTROL		= 143,
	MQD_PQ_CONTROL			= 145,
	MQD_IB_CONTROL			= 149,
	MQD_HQ_SCHEDULER0		= 160,	/* gfx11: HQ_STATUS0 */
	MQD_CONTROL			= 162,
	MQD_EOP_BASE			= 165,	/* lo, hi */
	MQD_EOP_CONTROL			= 167,
	MQD_CTX_SAVE_BASE		= 171,	/* lo, hi */
	MQD_CNTL_STACK_OFFSET		= 174,
	MQD_CNTL_STACK_SIZE		= 175,
	MQD_WG_STATE_OFFSET		= 176,
	MQD_CTX_SAVE_SIZE		= 177,
	MQD_ERROR			= 179,
	MQD_AQL_CONTROL			= 181,
	MQD_PQ_WPTR			= 182,	/* lo, hi */
	MQD_HQD_END			= 184,
	MQD_DWORDS			= 512,
};

static_assert(MQD_DWORDS <= GPU_MQD_MAX_DWORDS);

/* Dwords of struct v9_sdma_mqd. */
enum {
	SDMA_RB_CNTL		= 0,
	SDMA_RB_BASE		= 1,	/* lo, hi */
	SDMA_RB_RPTR		= 3,	/* lo, hi */
	SDMA_RB_WPTR		= 5,	/* lo, hi */
	SDMA_RPTR_ADDR_HI	= 8,
	SDMA_RPTR_ADDR_LO	= 9,
	SDMA_DOORBELL_OFFSET	= 22,
	SDMA_DUMMY		= 27,
	SDMA_HQD_END		= 42,
	SDMA_ENGINE		= 126,
	SDMA_QUEUE		= 127,
	SDMA_DWORDS		= 128,
};

#define CP_MQD_BASE_ADDR	0xc914	/* byte address */
#define MQD_HEADER_VALUE	0xc0310800
#define PERSISTENT_QSWITCH	BIT(30)
#define QUANTUM_DEFAULT		(1 | 1 << 4 | 1 << 8)
#define MQD_CONTROL_PRIV	BIT(8)
#define DOORBELL_BIF_DROP	BIT(1)
#define EOP_MAX_LOG		0xa
#define SDMA_RLC_STRIDE		0x60
#define SDMA_RB_WRITEBACK	(BIT(12) | 6 << 16)

static void put64(u32 *mqd, unsigned int at, u64 v)
{
	mqd[at] = lower_32_bits(v);
	mqd[at + 1] = upper_32_bits(v);
}

/* log2 of a size in dwords, minus one; 0 for no size. */
static u32 ring_log(u64 bytes)
{
	return bytes >= 8 ? ilog2(bytes / 4) - 1 : 0;
}

static u32 pipe_priority(u32 priority)
{
	return priority < 7 ? 0 : priority < 11 ? 1 : 2;
}

void gpu_mqd_compute(const struct gpu_queue *q, const struct gpu_queue_state *s,
		     const struct gpu_mqd_compute *c, u32 *mqd)
{
	const struct gpu_queue_props *p = &q->props;
	bool aql = p->type == GPU_QUEUE_AQL;
	unsigned int i;

	mqd[MQD_HEADER] = MQD_HEADER_VALUE;
	mqd[MQD_PIPELINESTAT_ENABLE] = 1;
	for (i = 0; i < 2; i++) {
		mqd[MQD_THREAD_MGMT_SE0 + i] = ~0u;
		mqd[MQD_THREAD_MGMT_SE2 + i] = ~0u;
	}
	for (i = 0; i < 4 && c->thread_mgmt_se4; i++)
		mqd[c->thread_mgmt_se4 + i] = ~0u;
	mqd[MQD_ACTIVE] = s->mapped;
	mqd[MQD_PERSISTENT_STATE] = c->persistent | (p->cwsr_va ? PERSISTENT_QSWITCH : 0);
	mqd[MQD_PIPE_PRIORITY] = pipe_priority(p->priority);
	if (c->queue_priority)
		mqd[MQD_QUEUE_PRIORITY] = p->priority;
	mqd[MQD_QUANTUM] = QUANTUM_DEFAULT;
	put64(mqd, MQD_PQ_BASE, p->ring_va >> 8);
	mqd[MQD_PQ_RPTR] = lower_32_bits(s->rptr);
	put64(mqd, MQD_RPTR_REPORT, p->rptr_va);
	put64(mqd, MQD_WPTR_POLL, p->wptr_va);
	mqd[MQD_DOORBELL_CONTROL] = q->doorbell * 2 << 2 | (aql ? DOORBELL_BIF_DROP : 0);
	mqd[MQD_PQ_CONTROL] = c->pq | ring_log(p->ring_bytes) | (aql ? c->pq_aql : 0);
	mqd[MQD_IB_CONTROL] = c->ib;
	mqd[MQD_HQ_SCHEDULER0] = c->scheduler;
	mqd[MQD_CONTROL] = MQD_CONTROL_PRIV;
	put64(mqd, MQD_EOP_BASE, p->eop_va >> 8);
	mqd[MQD_EOP_CONTROL] = min_t(u32, EOP_MAX_LOG, ring_log(p->eop_bytes));
	if (p->cwsr_va) {
		put64(mqd, MQD_CTX_SAVE_BASE, p->cwsr_va);
		mqd[MQD_CNTL_STACK_OFFSET] = p->ctl_stack_bytes;
		mqd[MQD_CNTL_STACK_SIZE] = p->ctl_stack_bytes;
		mqd[MQD_WG_STATE_OFFSET] = p->ctl_stack_bytes;
		mqd[MQD_CTX_SAVE_SIZE] = p->cwsr_bytes;
	}
	mqd[MQD_ERROR] = s->error;
	mqd[MQD_AQL_CONTROL] = aql;
	put64(mqd, MQD_PQ_WPTR, s->wptr);
}

static void mqd_v9_compute(const struct gpu_queue *q, const struct gpu_queue_state *s, u32 *mqd)
{
	static const struct gpu_mqd_compute v9 = {
		.thread_mgmt_se4 = 39, .queue_priority = true,
		.persistent = MQD_PERSISTENT(0x53), .pq = MQD_PQ_RPTR_BLOCK,
		.pq_aql = MQD_PQ_AQL | MQD_PQ_WPP_CLAMP, .ib = MQD_IB_MIN_AVAIL | BIT(23),
	};

	gpu_mqd_compute(q, s, &v9, mqd);
}

void gpu_mqd_sdma_v9(const struct gpu_queue *q, const struct gpu_queue_state *s, u32 *mqd)
{
	const struct gpu_queue_props *p = &q->props;

	mqd[SDMA_RB_CNTL] = (p->ring_bytes ? ilog2(p->ring_bytes / 4) : 0) << 1 |
			    SDMA_RB_WRITEBACK | s->mapped;
	put64(mqd, SDMA_RB_BASE, p->ring_va >> 8);
	put64(mqd, SDMA_RB_RPTR, s->rptr * 4);
	put64(mqd, SDMA_RB_WPTR, s->wptr * 4);
	mqd[SDMA_RPTR_ADDR_HI] = upper_32_bits(p->rptr_va);
	mqd[SDMA_RPTR_ADDR_LO] = lower_32_bits(p->rptr_va);
	mqd[SDMA_DOORBELL_OFFSET] = q->doorbell * 2 << 2;
	mqd[SDMA_DUMMY] = 0xf;
	mqd[SDMA_ENGINE] = p->sdma_engine;
	mqd[SDMA_QUEUE] = s->hqd;
}

/*
 * Byte address of a register of an RLC queue. The registers lie in several runs of dwords from
 * the engine's base on; an image has them consecutively (sdma0_4_0_offset.h). The bases are
 * those of Vega20 and Aldebaran (their ip_offset.h). The driver finds further engines in a
 * table of the board, which we do not have, so the addresses of those begin at 0.
 */
static u32 mqd_v9_sdma_hqd_reg(unsigned int engine, unsigned int queue, unsigned int i)
{
	static const u32 bases[] = { 0x1260, 0x1860, 0x1e000, 0x1e400, 0x1e800 };
	static const struct {
		u16 first, regs;
	} runs[] = { { 0x140, 19 }, { 0x168, 6 }, { 0x16f, 7 }, { 0x180, 10 } };
	u32 base = engine < ARRAY_SIZE(bases) ? bases[engine] : 0;
	unsigned int run;

	for (run = 0; run < ARRAY_SIZE(runs) - 1 && i >= runs[run].regs; run++)
		i -= runs[run].regs;
	return (base + queue * SDMA_RLC_STRIDE + runs[run].first + i) * 4;
}

/* ---------------------------------------------------------------- runlist */

#define PM4_TYPE3(op, dwords)	(3u << 30 | ((dwords) - 2) << 16 | (op) << 8)
#define IT_MAP_PROCESS		0xa1
#define IT_MAP_QUEUES		0xa2

#define PROCESS_QUANTUM		(10 << 25)
#define PROCESS_RESOURCES	13	/* dword */
#define PROCESS_SDMA_ENABLE	BIT(7)
#define PROCESS_QUEUES(n)	((n) << 22)

#define QUEUES_EXTENDED		BIT(2)		/* engines by their number */
#define QUEUES_HWS_SLOT		BIT(4)		/* the scheduler picks the slot */
#define QUEUES_ENGINE(n)	((u32)(n) << 26)
#define QUEUES_ONE		BIT(29)
#define ENGINE_SDMA0		2

static u32 engine_bits(const struct gpu_queue_props *p)
{
	if (p->type != GPU_QUEUE_SDMA)
		return 0;
	if (p->sdma_engine < 2)
		return QUEUES_ENGINE(ENGINE_SDMA0 + p->sdma_engine);
	return QUEUES_EXTENDED | QUEUES_ENGINE(p->sdma_engine & 7);
}

unsigned int gpu_mqd_map_process_v9(const struct gpu_device *gdev, u32 pasid,
				    unsigned int nr_queues, u32 *packet)
{
	bool unified = isa_arch_has(gdev->target->arch, ISA_ARCH_UNIFIED_VGPRS);
	unsigned int n = unified ? MQD_MAP_PROCESS_DWORDS : 16;

	memset(packet, 0, n * sizeof(*packet));
	packet[0] = PM4_TYPE3(IT_MAP_PROCESS, n);
	packet[1] = pasid | PROCESS_QUANTUM;
	packet[PROCESS_RESOURCES] = PROCESS_SDMA_ENABLE | PROCESS_QUEUES(min(nr_queues, 1023u));
	return n;
}

unsigned int gpu_mqd_map_queues_v9(const struct gpu_queue *q, u32 *packet)
{
	memset(packet, 0, MQD_MAP_QUEUES_DWORDS * sizeof(*packet));
	packet[0] = PM4_TYPE3(IT_MAP_QUEUES, MQD_MAP_QUEUES_DWORDS);
	packet[1] = QUEUES_HWS_SLOT | QUEUES_ONE | engine_bits(&q->props);
	packet[2] = q->doorbell * 2 << 2;
	put64(packet, 5, q->props.wptr_va);
	return MQD_MAP_QUEUES_DWORDS;
}

const struct gpu_mqd_format gpu_mqd_v9 = {
	.dwords = MQD_DWORDS, .sdma_dwords = SDMA_DWORDS,
	.hqd_first = MQD_HQD_FIRST, .hqd_regs = MQD_HQD_END - MQD_HQD_FIRST,
	.hqd_base = CP_MQD_BASE_ADDR,
	.sdma_hqd_regs = SDMA_HQD_END,
	.map_process_dwords = MQD_MAP_PROCESS_DWORDS, .map_queues_dwords = MQD_MAP_QUEUES_DWORDS,
	.compute = mqd_v9_compute,
	.sdma = gpu_mqd_sdma_v9,
	.sdma_hqd_reg = mqd_v9_sdma_hqd_reg,
	.map_process = gpu_mqd_map_process_v9,
	.map_queues = gpu_mqd_map_queues_v9,
};
