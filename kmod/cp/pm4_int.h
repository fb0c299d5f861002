/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the PM4 files: a packet under execution.
 *
 * Field positions are GFX9's, and the MEC's (compute) where graphics differs. Sources:
 * soc15d.h and nvd.h of Linux; pm4_cmds.h of ROCR-Runtime and kfdtest's packet
 * structures.
 */
#ifndef PM4_INT_H
#define PM4_INT_H

#include "cp_int.h"

#define PM4_TYPE(word)		((word) >> 30)
#define PM4_OPCODE(word)	(((word) >> 8) & 0xff)
#define PM4_COUNT(word)		(((word) >> 16) & 0x3fff)
#define PM4_TYPE2		2
#define PM4_TYPE3		3
#define PM4_COUNT_NONE		0x3fff	/* NOP: header only */

#define PM4_BODY_MAX		8	/* dwords of the body copied before exec */
/* Packets have 48 bits of an address; the rest is the last of them, again and again. */
#define PM4_VA(lo, hi)		((u64)((s64)((u64)(lo) << 16 | (u64)(hi) << 48) >> 16))
#define PM4_REG(v)		((v) & 0x3ffff)

/**
 * struct pm4_exec - a packet being executed
 * @n: dwords, including the header; @body: the first ones after it, copied once
 * @status: CP_PROGRESS: done; CP_BLOCKED: call again later with a fresh copy
 * @more: not done, but call again at once
 * @bad: this GPU has no such packet: stop the queue; @bad_reg: the register because of
 *	which it is refused, or CP_PM4_NO_REG
 * @skip: dwords after the packet to discard; @refetch: read the following ones anew
 * @jump: continue in the buffer @jump_va, @jump_dwords; @chain: without returning
 */
struct pm4_exec {
	struct cp_queue *q;
	struct cp_env *env;
	u32 header, n;
	u32 body[PM4_BODY_MAX];
	enum cp_status status;
	bool more, bad;
	u32 bad_reg;
	u32 skip;
	bool refetch, jump, chain;
	u64 jump_va;
	u32 jump_dwords;
};

/* The GPU has no such packet: stop the queue. */
static inline int pm4_refuse(struct pm4_exec *x)
{
	x->bad = true;
	return 0;
}

/* Handlers return 0 and the results above, or -errno of the memory. */

/* pm4.c: reads @n dwords of the body, from the one at index @first on */
int pm4_fetch_body(struct pm4_exec *x, u32 first, u32 *dst, u32 n);
void pm4_block(struct pm4_exec *x, bool polling);

/* pm4_mem.c */
int pm4_write_data(struct pm4_exec *x);
int pm4_copy_data(struct pm4_exec *x);
int pm4_atomic_mem(struct pm4_exec *x);
int pm4_dma_data(struct pm4_exec *x);

/* pm4_sync.c */
int pm4_wait_reg_mem(struct pm4_exec *x);
int pm4_wait_reg_mem64(struct pm4_exec *x);
int pm4_cond_write(struct pm4_exec *x);
int pm4_rewind(struct pm4_exec *x);
int pm4_hdp_flush(struct pm4_exec *x);
int pm4_cond_exec(struct pm4_exec *x);
int pm4_pred_exec(struct pm4_exec *x);
int pm4_event_write(struct pm4_exec *x);
int pm4_acquire_mem(struct pm4_exec *x);
int pm4_release_mem(struct pm4_exec *x);
int pm4_protected_fence(struct pm4_exec *x);
int pm4_fence_wait(struct pm4_exec *x);
/* Executes RELEASE_MEMs whose dispatches are done, *@ran if any: 0 or -errno. */
int pm4_run_fences(struct cp_queue *q, struct cp_env *env, bool *ran);

/* pm4_compute.c */
int pm4_dispatch_direct(struct pm4_exec *x);
int pm4_dispatch_indirect(struct pm4_exec *x);

/* pm4_regs.c: registers by dword address. If one is refused: false, and sets @x->bad */
bool pm4_reg_read(struct pm4_exec *x, u32 reg, u32 *val);
bool pm4_reg_write(struct pm4_exec *x, u32 reg, u32 val);
int pm4_set_sh_reg(struct pm4_exec *x);
int pm4_set_uconfig_reg(struct pm4_exec *x);

#endif /* PM4_INT_H */
