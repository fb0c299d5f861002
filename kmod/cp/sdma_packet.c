// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of SDMA packets, and the packets that do not move data.
 */
#include "sdma_int.h"

#define POLL_MEMORY		BIT(31)
#define POLL_FUNC(header)	(((header) >> 28) & 7)
#define POLL_HDP_FLUSH		BIT(26)
#define POLL_RETRIES(dw)	(((dw) >> 16) & 0xfff)
#define POLL_FOREVER		0xfff
#define POLL_64_RETRIES(dw)	(((dw) >> 16) & 0xff)	/* 0: retry for ever */
/* ROCr's HDP flush: a register poll with this address and no other parameter. */
#define POLL_HDP_ADDR		(0x80000000ull << 32)
/* The driver's HDP flush: byte addresses of the register polled, and of the one written */
#define POLL_HDP_DONE		(CP_REG_HDP_FLUSH_DONE << 2)
#define POLL_HDP_REQ		(CP_REG_HDP_FLUSH_REQ << 2)

#define NOP_COUNT(header)	(((header) >> 16) & 0x3fff)
#define EXEC_COUNT(dw)		((dw) & 0x3fff)
#define TRAP_CONTEXT(dw)	((dw) & 0x0fffffff)
#define IB_VMID(header)		(((header) >> 16) & 0xf)
#define IB_SIZE(dw)		((dw) & 0xfffff)
#define IB_BASE_ALIGN		32
#define IB_DWORD_ALIGN		8	/* of its length, and of the end of its packet */

static u32 sdma_nop_dwords(const struct cp_sdma *q, const u32 *pkt)
{
	return 1 + NOP_COUNT(pkt[0]);
}

static int sdma_nop(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	return SDMA_DONE;
}

/* CPU caches are the GPU's, so there is nothing to write back or to invalidate. */
static int sdma_gcr(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	return gpu_target_has(q->target, GPU_FEAT_GCR) ? SDMA_DONE : sdma_stop(q, SDMA_ERR_OPCODE);
}

static int sdma_indirect(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	u64 va = sdma_addr(pkt + 1);
	u32 dwords = IB_SIZE(pkt[3]);

	/* Buffers do not nest, and must be in the queue's own address space. */
	if (q->ib.dwords || IB_VMID(pkt[0]))
		return sdma_stop(q, SDMA_ERR_REFUSED);
	if (va % IB_BASE_ALIGN || dwords % IB_DWORD_ALIGN ||
	    (q->rptr / 4 + q->dwords) % IB_DWORD_ALIGN)
		return sdma_stop(q, SDMA_ERR_MALFORMED);
	if (!dwords)
		return SDMA_DONE;
	q->ib = (struct sdma_ib){ .va = va, .dwords = dwords };
	return SDMA_ENTER;
}

static int sdma_fence(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	u64 va = sdma_addr(pkt + 1);

	if (va % 4)
		return sdma_stop(q, SDMA_ERR_MALFORMED);
	return env->ops->write32(env, va, pkt[3]) ?: SDMA_DONE;
}

static int sdma_fence_64(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	u64 va = sdma_addr(pkt + 1);

	if (va % 8)
		return sdma_stop(q, SDMA_ERR_MALFORMED);
	return env->ops->write64(env, va, sdma_addr(pkt + 3)) ?: SDMA_DONE;
}

/* Writes the read pointer first: whoever the interrupt wakes finds room in the ring. */
static int sdma_trap(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	u64 next = q->rptr + 4ull * q->dwords;
	int err;

	if (!q->ib.dwords) {
		err = env->ops->write64(env, q->rptr_va, next);
		if (err)
			return err;
		q->told = next;
	}
	env->ops->trap(env, TRAP_CONTEXT(pkt[1]));
	return SDMA_DONE;
}

/* -------------------------------------------------------------- conditions */

static bool sdma_poll_holds(u32 func, u64 val, u64 ref)
{
	switch (func) {
	case 0:
		return true;
	case 1:
		return val < ref;
	case 2:
		return val <= ref;
	case 3:
		return val == ref;
	case 4:
		return val != ref;
	case 5:
		return val >= ref;
	default:
		return val > ref;
	}
}

/*
 * We have no registers except those whose poll flushes the host data path. The flush is
 * complete at once for the clients that asked for it (pm4_regs.c); a poll for another
 * client's bit never succeeds.
 */
static int sdma_poll_register(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	if (sdma_addr(pkt + 1) == POLL_HDP_ADDR && !POLL_FUNC(pkt[0])) {
		env->ops->flush(env);
		return SDMA_DONE;
	}
	if (!(pkt[0] & POLL_HDP_FLUSH) || pkt[1] != POLL_HDP_DONE || pkt[2] != POLL_HDP_REQ)
		return sdma_stop(q, SDMA_ERR_REFUSED);
	env->ops->flush(env);
	q->hdp_done |= pkt[3];
	if (!sdma_poll_holds(POLL_FUNC(pkt[0]), q->hdp_done & pkt[4], pkt[3]))
		return sdma_stop(q, SDMA_ERR_TIMEOUT);
	return SDMA_DONE;
}

static int sdma_poll_regmem(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	u32 func = POLL_FUNC(pkt[0]), retries = POLL_RETRIES(pkt[5]);
	u64 va = sdma_addr(pkt + 1);
	u32 val;
	int err;

	if (!(pkt[0] & POLL_MEMORY))
		return sdma_poll_register(q, env, pkt);
	if (func > 6 || va % 4)
		return sdma_stop(q, SDMA_ERR_MALFORMED);
	err = env->ops->read32(env, va, &val);
	if (err)
		return err;
	if (sdma_poll_holds(func, val & pkt[4], pkt[3]))
		return SDMA_DONE;
	if (retries != POLL_FOREVER && q->retries++ >= retries)
		return sdma_stop(q, SDMA_ERR_TIMEOUT);
	return SDMA_WAIT;
}

static int sdma_poll_64(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	u32 func = POLL_FUNC(pkt[0]), retries = POLL_64_RETRIES(pkt[7]);
	u64 va = sdma_addr(pkt + 1), val;
	int err;

	if (func > 6 || va % 8)
		return sdma_stop(q, SDMA_ERR_MALFORMED);
	err = env->ops->read64(env, va, &val);
	if (err)
		return err;
	if (sdma_poll_holds(func, val & sdma_addr(pkt + 5), sdma_addr(pkt + 3)))
		return SDMA_DONE;
	if (retries && q->retries++ >= retries)
		return sdma_stop(q, SDMA_ERR_TIMEOUT);
	return SDMA_WAIT;
}

static int sdma_skip(struct cp_sdma *q, u32 dwords)
{
	q->skip = dwords;
	return SDMA_DONE;
}

static int sdma_cond_exe(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	u64 va = sdma_addr(pkt + 1);
	u32 val;
	int err;

	if (va % 4)
		return sdma_stop(q, SDMA_ERR_MALFORMED);
	err = env->ops->read32(env, va, &val);
	if (err)
		return err;
	return sdma_skip(q, val == pkt[3] ? 0 : EXEC_COUNT(pkt[4]));
}

/* The packets that follow are for the engines whose bit is set; others skip them. */
static int sdma_pre_exe(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	u32 engines = (pkt[0] >> 16) & 0xff;
	bool mine = q->engine < 8 && (engines & BIT(q->engine));

	return sdma_skip(q, mine ? 0 : EXEC_COUNT(pkt[1]));
}

/* -------------------------------------------------------------- timestamps */

static int sdma_timestamp_set(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	q->clock_offset = sdma_addr(pkt + 1) - env->ops->clock(env);
	return SDMA_DONE;
}

static int sdma_timestamp_write(struct sdma_env *env, const u32 *pkt, u64 offset)
{
	u64 va = sdma_addr(pkt + 1) & ~7ull;

	return env->ops->write64(env, va, env->ops->clock(env) + offset) ?: SDMA_DONE;
}

static int sdma_timestamp_get(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	return sdma_timestamp_write(env, pkt, q->clock_offset);
}

static int sdma_timestamp_get_global(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	return sdma_timestamp_write(env, pkt, 0);
}

/* ------------------------------------------------------------------- table */

#define SDMA_PACKET(_op, _sub_op, _fixed, _name, _length, _exec) \
	{ _op, _sub_op, _fixed, #_name, _length, _exec },
static const struct sdma_row sdma_rows[] = {
#include "sdma_packets.def"
};

#undef SDMA_PACKET

const struct sdma_row *sdma_row_find(u32 header)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sdma_rows); i++)
		if (sdma_rows[i].op == SDMA_OP(header) &&
		    sdma_rows[i].sub_op == SDMA_SUB_OP(header))
			return &sdma_rows[i];
	return NULL;
}
