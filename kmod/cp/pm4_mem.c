// SPDX-License-Identifier: GPL-2.0-only
/*
 * PM4 packets that move data: WRITE_DATA, COPY_DATA, ATOMIC_MEM, DMA_DATA. A packet
 * that names the GDS or a refused register stops the queue as an unknown one does.
 */
#include "pm4_int.h"

/*
 * Selectors of memory or registers, shared by WRITE_DATA and COPY_DATA. COPY_DATA's
 * "counters" are registers, too; aqlprofile uses that selector for CONFIG registers.
 */
enum {
	SEL_REG = 0, SEL_MEM_SYNC = 1, SEL_L2 = 2, SEL_COUNTER = 4, SEL_MEM = 5,
	SRC_IMMEDIATE = 5, SRC_ATOMIC_RETURN = 6, SRC_GPU_CLOCK = 9,
};

static int put32(struct pm4_exec *x, u64 va, u32 val)
{
	return x->env->ops->write(x->env, va, &val, sizeof(val));
}

/* -------------------------------------------------------------- WRITE_DATA */

#define WRITE_DST(v)		(((v) >> 8) & 0xf)
#define WRITE_ONE_ADDR		BIT(16)
#define WRITE_PIECE		32	/* dwords */

static int write_registers(struct pm4_exec *x, u32 n)
{
	u32 reg = PM4_REG(x->body[1]), i, val;
	int err;

	for (i = 0; i < n; i++) {
		err = pm4_fetch_body(x, 3 + i, &val, 1);
		if (err)
			return err;
		if (!pm4_reg_write(x, reg + (x->body[0] & WRITE_ONE_ADDR ? 0 : i), val))
			return 0;
	}
	return 0;
}

/* Writes in order, so that whoever polls the last word finds the others written. */
static int write_memory(struct pm4_exec *x, u64 va, u32 n, bool one)
{
	u32 buf[WRITE_PIECE], i, j, m;
	int err = 0;

	for (i = 0; i < n && !err; i += m) {
		m = n - i < WRITE_PIECE ? n - i : WRITE_PIECE;
		if (n <= PM4_BODY_MAX - 3)
			memcpy(buf, x->body + 3, 4 * n);
		else
			err = pm4_fetch_body(x, 3 + i, buf, m);
		for (j = 0; j < m && !err; j++)
			err = put32(x, one ? va : va + 4ull * (i + j), buf[j]);
	}
	return err;
}

int pm4_write_data(struct pm4_exec *x)
{
	u32 dst = WRITE_DST(x->body[0]), n = x->n - 4;

	if (dst == SEL_REG)
		return write_registers(x, n);
	if (dst != SEL_MEM_SYNC && dst != SEL_L2 && dst != SEL_MEM)
		return pm4_refuse(x);
	return write_memory(x, PM4_VA(x->body[1] & ~3u, x->body[2]), n,
			    x->body[0] & WRITE_ONE_ADDR);
}

/* --------------------------------------------------------------- COPY_DATA */

#define COPY_SRC(v)	((v) & 0xf)
#define COPY_DST(v)	(((v) >> 8) & 0xf)
#define COPY_64		BIT(16)

/* Reads a register, or for 64 bits a pair of them, low half first. */
static void copy_read_register(struct pm4_exec *x, u64 *val)
{
	u32 reg = PM4_REG(x->body[1]), lo, hi = 0;

	if (pm4_reg_read(x, reg, &lo) &&
	    (!(x->body[0] & COPY_64) || pm4_reg_read(x, reg + 1, &hi)))
		*val = lo | (u64)hi << 32;
}

static void copy_write_register(struct pm4_exec *x, u64 val)
{
	u32 reg = PM4_REG(x->body[3]);

	if (pm4_reg_write(x, reg, val) && x->body[0] & COPY_64)
		pm4_reg_write(x, reg + 1, val >> 32);
}

static int copy_read(struct pm4_exec *x, u64 *val)
{
	bool wide = x->body[0] & COPY_64;
	u64 va = PM4_VA(x->body[1] & (wide ? ~7u : ~3u), x->body[2]);
	u32 word = 0;
	int err;

	switch (COPY_SRC(x->body[0])) {
	case SEL_REG:
	case SEL_COUNTER:
		copy_read_register(x, val);
		return 0;
	case SEL_MEM_SYNC:
	case SEL_L2:
		if (wide)
			return x->env->ops->read64(x->env, va, val);
		err = x->env->ops->read32(x->env, va, &word);
		*val = word;
		return err;
	case SRC_IMMEDIATE:
		*val = x->body[1] | (u64)x->body[2] << 32;
		return 0;
	case SRC_ATOMIC_RETURN:
		*val = x->q->pm4.atomic_return;
		return 0;
	case SRC_GPU_CLOCK:
		*val = x->env->ops->clock(x->env);
		return 0;
	default:
		return pm4_refuse(x);
	}
}

int pm4_copy_data(struct pm4_exec *x)
{
	bool wide = x->body[0] & COPY_64;
	u64 va = PM4_VA(x->body[3] & (wide ? ~7u : ~3u), x->body[4]), val = 0;
	u32 dst = COPY_DST(x->body[0]);
	int err;

	err = copy_read(x, &val);
	if (err || x->bad)
		return err;
	if (dst == SEL_REG || dst == SEL_COUNTER) {
		copy_write_register(x, val);
		return 0;
	}
	if (dst != SEL_L2 && dst != SEL_MEM && dst != SEL_MEM_SYNC)
		return pm4_refuse(x);
	return wide ? x->env->ops->write64(x->env, va, val) : put32(x, va, val);
}

/* -------------------------------------------------------------- ATOMIC_MEM */

#define ATOMIC_OP(v)		((v) & 0x7f)
#define ATOMIC_COMMAND(v)	(((v) >> 8) & 0xf)
#define ATOMIC_LOOP		1	/* repeat until the comparison holds */
#define ATOMIC_COMMANDS		4

int pm4_atomic_mem(struct pm4_exec *x)
{
	u32 op = ATOMIC_OP(x->body[0]), command = ATOMIC_COMMAND(x->body[0]);
	u64 va = PM4_VA(x->body[1], x->body[2]), old;
	u64 src = x->body[3] | (u64)x->body[4] << 32;
	u64 cmp = x->body[5] | (u64)x->body[6] << 32;
	u32 bytes = cp_atomic_bytes(op);
	int err;

	if (!bytes || va % bytes || command >= ATOMIC_COMMANDS)
		return pm4_refuse(x);
	err = cp_atomic(x->env, op, va, src, cmp, &old);
	if (err == -EBUSY) {
		pm4_block(x, true);
		return 0;
	}
	if (err)
		return err;
	if (command == ATOMIC_LOOP && !cp_atomic_equal(op, old, cmp)) {
		pm4_block(x, true);
		return 0;
	}
	x->q->pm4.atomic_return = old;
	return 0;
}

/* ---------------------------------------------------------------- DMA_DATA */

#define DMA_DST(v)	(((v) >> 20) & 3)
#define DMA_SRC(v)	(((v) >> 29) & 3)
#define DMA_DATA		2	/* the source is the packet's own dword */
#define DMA_GDS		1
#define DMA_BYTES(v)	((v) & 0x3ffffff)
#define DMA_REGISTERS	(0xfu << 26)	/* SAS, DAS, SAIC, DAIC */
#define DMA_PIECE	512
#define DMA_PIECES		128	/* at most so many pieces at a time */

int pm4_dma_data(struct pm4_exec *x)
{
	u32 control = x->body[0], bytes = DMA_BYTES(x->body[5]), n, i, piece;
	u64 src = PM4_VA(x->body[1], x->body[2]), dst = PM4_VA(x->body[3], x->body[4]);
	bool fill = DMA_SRC(control) == DMA_DATA;
	u32 *moved = &x->q->pm4.moved;
	u32 buf[DMA_PIECE / 4];
	int err = 0;

	if (DMA_SRC(control) == DMA_GDS || DMA_DST(control) == DMA_GDS ||
	    DMA_DST(control) == DMA_DATA || (x->body[5] & DMA_REGISTERS))
		return pm4_refuse(x);
	for (i = 0; fill && i < ARRAY_SIZE(buf); i++)
		buf[i] = x->body[1];
	for (piece = 0; piece < DMA_PIECES && *moved < bytes && !err; piece++) {
		n = bytes - *moved < DMA_PIECE ? bytes - *moved : DMA_PIECE;
		if (!fill)
			err = x->env->ops->read(x->env, src + *moved, buf, n);
		if (!err)
			err = x->env->ops->write(x->env, dst + *moved, buf, n);
		if (!err)
			*moved += n;
	}
	x->more = *moved < bytes;
	return err;
}
