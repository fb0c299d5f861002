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
/* ROCr's HDP flush: a register poll of nothing but this address. */
#define POLL_HDP_ADDR		(0x80000000ull << 32)

#define NOP_COUNT(header)	(((header) >> 16) & 0x3fff)
#define EXEC_COUNT(dw)		((dw) & 0x3fff)
#define TRAP_CONTEXT(dw)	((dw) & 0x0fffffff)
#define IB_VMID(header)		(((header) >> 16) & 0xf)
#define IB_SIZE(dw)		((dw) & 0xfffff)
#define IB_BASE_ALIGN		32
#define IB_DWORD_ALIGN		8	/* of its length, and of the packet's end */

static u32 nop_dwords(const u32 *pkt)
{
	return 1 + NOP_COUNT(pkt[0]);
}

static int no_operation(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	return SDMA_DONE;
}

static int indirect(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	u64 va = sdma_addr(pkt + 1);
	u32 dwords = IB_SIZE(pkt[3]);

	/* No nesting, and the queue's own address space only. */
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

static int fence(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	u64 va = sdma_addr(pkt + 1);

	if (va % 4)
		return sdma_stop(q, SDMA_ERR_MALFORMED);
	return env->ops->write32(env, va, pkt[3]) ?: SDMA_DONE;
}

static int trap(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	env->ops->trap(env, TRAP_CONTEXT(pkt[1]));
	return SDMA_DONE;
}

/* -------------------------------------------------------------- conditions */

static bool poll_holds(u32 func, u32 val, u32 ref)
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

/* No registers here but the one whose poll is a flush of the host data path. */
static int poll_register(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	if (!(pkt[0] & POLL_HDP_FLUSH) &&
	    (sdma_addr(pkt + 1) != POLL_HDP_ADDR || POLL_FUNC(pkt[0])))
		return sdma_stop(q, SDMA_ERR_REFUSED);
	env->ops->flush(env);
	return SDMA_DONE;
}

static int poll_regmem(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	u32 func = POLL_FUNC(pkt[0]), retries = POLL_RETRIES(pkt[5]);
	u64 va = sdma_addr(pkt + 1);
	u32 val;
	int err;

	if (!(pkt[0] & POLL_MEMORY))
		return poll_register(q, env, pkt);
	if (func > 6 || va % 4)
		return sdma_stop(q, SDMA_ERR_MALFORMED);
	err = env->ops->read32(env, va, &val);
	if (err)
		return err;
	if (poll_holds(func, val & pkt[4], pkt[3]))
		return SDMA_DONE;
	if (retries != POLL_FOREVER && q->retries++ >= retries)
		return sdma_stop(q, SDMA_ERR_TIMEOUT);
	return SDMA_WAIT;
}

static int skip(struct cp_sdma *q, u32 dwords)
{
	q->skip = dwords;
	return SDMA_DONE;
}

static int cond_exe(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	u64 va = sdma_addr(pkt + 1);
	u32 val;
	int err;

	if (va % 4)
		return sdma_stop(q, SDMA_ERR_MALFORMED);
	err = env->ops->read32(env, va, &val);
	if (err)
		return err;
	return skip(q, val == pkt[3] ? 0 : EXEC_COUNT(pkt[4]));
}

/* The preamble that follows is for the engines whose bit is set. */
static int pre_exe(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	u32 engines = (pkt[0] >> 16) & 0xff;
	bool mine = q->engine < 8 && (engines & BIT(q->engine));

	return skip(q, mine ? 0 : EXEC_COUNT(pkt[1]));
}

/* -------------------------------------------------------------- timestamps */

static int timestamp_set(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	q->clock_offset = sdma_addr(pkt + 1) - env->ops->clock(env);
	return SDMA_DONE;
}

static int timestamp_write(struct sdma_env *env, const u32 *pkt, u64 offset)
{
	u64 va = sdma_addr(pkt + 1) & ~7ull;

	return env->ops->write64(env, va, env->ops->clock(env) + offset) ?: SDMA_DONE;
}

static int timestamp_get(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	return timestamp_write(env, pkt, q->clock_offset);
}

static int timestamp_get_global(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	return timestamp_write(env, pkt, 0);
}

/* ------------------------------------------------------------------- table */

/* Sorted by op and sub-op. Rows without a handler are refused by name. */
static const struct sdma_row sdma_rows[] = {
	{ 0, 0, 1, "SDMA_NOP", nop_dwords, no_operation },
	{ 1, 0, 7, "SDMA_COPY_LINEAR", sdma_copy_linear_dwords, sdma_copy_linear },
	{ 1, 1, 1, "SDMA_COPY_TILED", NULL, NULL },
	{ 1, 3, 1, "SDMA_COPY_STRUCT", NULL, NULL },
	{ 1, 4, 13, "SDMA_COPY_LINEAR_SUBWIN", NULL, sdma_copy_window },
	{ 1, 5, 1, "SDMA_COPY_TILED_SUBWIN", NULL, NULL },
	{ 1, 6, 1, "SDMA_COPY_T2T", NULL, NULL },
	{ 1, 7, 1, "SDMA_COPY_DIRTY_PAGE", NULL, NULL },
	{ 1, 8, 1, "SDMA_COPY_PHYSICAL_LINEAR", NULL, NULL },
	{ 1, 9, 7, "SDMA_COPY_LINEAR_SWAP", NULL, sdma_copy_swap },
	{ 2, 0, 4, "SDMA_WRITE_LINEAR", sdma_write_linear_dwords, sdma_write_linear },
	{ 2, 1, 1, "SDMA_WRITE_TILED", NULL, NULL },
	{ 4, 0, 6, "SDMA_INDIRECT", NULL, indirect },
	{ 5, 0, 4, "SDMA_FENCE", NULL, fence },
	{ 6, 0, 2, "SDMA_TRAP", NULL, trap },
	{ 7, 0, 1, "SDMA_SEMAPHORE", NULL, NULL },
	{ 8, 0, 6, "SDMA_POLL_REGMEM", NULL, poll_regmem },
	{ 8, 1, 1, "SDMA_POLL_REG_WRITE_MEM", NULL, NULL },
	{ 8, 2, 1, "SDMA_POLL_DBIT_WRITE_MEM", NULL, NULL },
	{ 8, 3, 1, "SDMA_POLL_MEM_VERIFY", NULL, NULL },
	{ 9, 0, 5, "SDMA_COND_EXE", NULL, cond_exe },
	{ 10, 0, 8, "SDMA_ATOMIC", NULL, sdma_atomic },
	{ 11, 0, 5, "SDMA_CONST_FILL", NULL, sdma_const_fill },
	{ 11, 1, 1, "SDMA_DATA_FILL_MULTI", NULL, NULL },
	{ 12, 0, 1, "SDMA_PTEPDE_GEN", NULL, NULL },
	{ 12, 1, 1, "SDMA_PTEPDE_COPY", NULL, NULL },
	{ 12, 2, 1, "SDMA_PTEPDE_RMW", NULL, NULL },
	{ 12, 3, 1, "SDMA_PTEPDE_COPY_BACKWARDS", NULL, NULL },
	{ 13, 0, 3, "SDMA_TIMESTAMP_SET", NULL, timestamp_set },
	{ 13, 1, 3, "SDMA_TIMESTAMP_GET", NULL, timestamp_get },
	{ 13, 2, 3, "SDMA_TIMESTAMP_GET_GLOBAL", NULL, timestamp_get_global },
	{ 14, 0, 1, "SDMA_SRBM_WRITE", NULL, NULL },
	{ 15, 0, 2, "SDMA_PRE_EXE", NULL, pre_exe },
	{ 16, 0, 1, "SDMA_DUMMY_TRAP", NULL, NULL },
};

const struct sdma_row *sdma_row_find(u32 header)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sdma_rows); i++)
		if (sdma_rows[i].op == SDMA_OP(header) &&
		    sdma_rows[i].sub_op == SDMA_SUB_OP(header))
			return &sdma_rows[i];
	return NULL;
}
