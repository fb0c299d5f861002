// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers as packets read and write them. Each queue has its own copy, so a value
 * that a process leaves in a scratch register is not visible to anybody else.
 *
 * The GPU uses the CPU's caches, so a flush of the host data path (HDP) is complete as
 * soon as it is requested. GPU_HDP_FLUSH_DONE has a bit for each client. Writing ones
 * to GPU_HDP_FLUSH_REQ sets them, and nothing clears them.
 */
#include "pm4_int.h"

/**
 * enum pm4_reg_kind - what a register does
 * @REG_REFUSED: stops the queue
 * @REG_SH: holds its value for dispatches
 * @REG_KEPT: holds its value
 * @REG_DROPPED: written for traces, which do not exist; reads as 0
 * @REG_FLUSH: a write flushes the host data path; reads as 0
 * @REG_HDP_REQ: a write flushes it for the clients whose bits are set
 * @REG_HDP_DONE: bits of the clients whose flush is complete
 * @REG_CLOCK_CAPTURE: a write captures the time for the next two; reads as 0
 * @REG_CLOCK_LSB: lower half of the captured time
 * @REG_CLOCK_MSB: upper half of the captured time
 */
enum pm4_reg_kind {
	REG_REFUSED, REG_SH, REG_KEPT, REG_DROPPED, REG_FLUSH, REG_HDP_REQ, REG_HDP_DONE,
	REG_CLOCK_CAPTURE, REG_CLOCK_LSB, REG_CLOCK_MSB,
};

struct pm4_reg_row {
	u32 first, count;
	enum pm4_reg_kind kind;
	u32 at;
	const char *name;
};

#define PM4_REGISTERS(_first, _count, _kind, _at, _name) { _first, _count, _kind, _at, #_name },
#define PM4_REFUSED(_first, _count, _name)		 { _first, _count, REG_REFUSED, 0, #_name },
static const struct pm4_reg_row pm4_reg_rows[] = {
#include "pm4_registers.def"
};

#undef PM4_REGISTERS
#undef PM4_REFUSED

static const struct pm4_reg_row *row_find(u32 reg)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pm4_reg_rows); i++)
		if (reg - pm4_reg_rows[i].first < pm4_reg_rows[i].count)
			return &pm4_reg_rows[i];
	return NULL;
}

const char *cp_pm4_reg_name(u32 reg)
{
	const struct pm4_reg_row *row = row_find(reg);

	return row ? row->name : NULL;
}

/* Storage of a register that holds its value. */
static u32 *kept_reg(struct cp_pm4 *p, const struct pm4_reg_row *row, u32 reg)
{
	u32 at = row->at + (reg - row->first);

	if (row->kind == REG_SH)
		return &p->sh[array_index_nospec(at, CP_PM4_SH_REGS)];
	return &p->kept[array_index_nospec(at, CP_PM4_KEPT_REGS)];
}

static bool refuse(struct pm4_exec *x, u32 reg)
{
	x->bad = true;
	x->bad_reg = reg;
	return false;
}

bool pm4_reg_write(struct pm4_exec *x, u32 reg, u32 val)
{
	const struct pm4_reg_row *row = row_find(reg);
	struct cp_pm4 *p = &x->q->pm4;

	switch (row ? row->kind : REG_REFUSED) {
	case REG_SH:
	case REG_KEPT:
		*kept_reg(p, row, reg) = val;
		return true;
	case REG_HDP_REQ:
		p->hdp_done |= val;
		fallthrough;
	case REG_FLUSH:
		x->env->ops->cache(x->env, CP_CACHE_WB | CP_CACHE_INV);
		return true;
	case REG_CLOCK_CAPTURE:
		p->clock = x->env->ops->clock(x->env);
		return true;
	case REG_DROPPED:
	case REG_HDP_DONE:
	case REG_CLOCK_LSB:
	case REG_CLOCK_MSB:
		return true;
	default:
		return refuse(x, reg);
	}
}

bool pm4_reg_read(struct pm4_exec *x, u32 reg, u32 *val)
{
	const struct pm4_reg_row *row = row_find(reg);
	struct cp_pm4 *p = &x->q->pm4;

	switch (row ? row->kind : REG_REFUSED) {
	case REG_SH:
	case REG_KEPT:
		*val = *kept_reg(p, row, reg);
		return true;
	case REG_HDP_DONE:
		*val = p->hdp_done;
		return true;
	case REG_CLOCK_LSB:
		*val = p->clock;
		return true;
	case REG_CLOCK_MSB:
		*val = p->clock >> 32;
		return true;
	case REG_DROPPED:
	case REG_FLUSH:
	case REG_HDP_REQ:
	case REG_CLOCK_CAPTURE:
		*val = 0;
		return true;
	default:
		return refuse(x, reg);
	}
}

/* ------------------------------------------------ SET_SH_REG, SET_UCONFIG_REG */

#define SET_SH_BASE		0x2c00
#define SET_UCONFIG_BASE	0xc000
#define SET_OFFSET(v)		((v) & 0xffff)
#define SET_INDEX(v)		((v) >> 28)
#define SET_APPLY_CU_MASK	3

static int set_registers(struct pm4_exec *x, u32 base)
{
	u32 reg = base + SET_OFFSET(x->body[0]), n = x->n - 2, i, val;
	int err;

	for (i = 0; i < n; i++) {
		err = 0;
		if (1 + i < PM4_BODY_MAX)
			val = x->body[1 + i];
		else
			err = pm4_fetch_body(x, 1 + i, &val, 1);
		if (err || !pm4_reg_write(x, reg + i, val))
			return err;
	}
	return 0;
}

/* User space may neither read nor set a VMID, so refuse the indices that do. */
int pm4_set_sh_reg(struct pm4_exec *x)
{
	u32 index = SET_INDEX(x->body[0]);

	if (index && index != SET_APPLY_CU_MASK) {
		x->bad = true;
		return 0;
	}
	return set_registers(x, SET_SH_BASE);
}

int pm4_set_uconfig_reg(struct pm4_exec *x)
{
	return set_registers(x, SET_UCONFIG_BASE);
}
