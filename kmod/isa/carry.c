// SPDX-License-Identifier: GPL-2.0-only
/*
 * A stopped wave as it travels between who keeps it and who runs it in another address space: all
 * of it but its VGPRs, which both see. What comes back is not trusted: it is what code of the
 * wave can change, and no value of that can do harm.
 */
#include "carry.h"
#include "isa_int.h"

u32 isa_wave_rows_bytes(const struct isa_wave *w)
{
	return w->rows * ISA_LANES * (u32)sizeof(u32);
}

void isa_wave_carry(const struct isa_wave *w, struct isa_carried *c)
{
	memset(c, 0, sizeof(*c));
	memcpy(c->s, w->s, sizeof(c->s));
	c->pc = w->pc;
	c->redo = w->redo;
	c->redo_pc = w->redo_pc;
	c->scratch_base = w->scratch_base;
	c->scc = w->scc;
	c->mode = w->mode;
	c->status = w->status;
	c->trapsts = w->trapsts;
	c->ib_sts = w->ib_sts;
	c->record = w->record;
	c->lead = w->lead;
	c->lanes = w->lanes;
	c->rows = w->rows;
	c->acc_row = w->acc_row;
	c->nsgpr = w->nsgpr;
	c->shared_base = w->shared_base;
	c->private_base = w->private_base;
	c->scratch_lane_bytes = w->scratch_lane_bytes;
	c->hw_id = w->hw_id;
	c->xcc_id = w->xcc_id;
}

void isa_wave_carried(struct isa_wave *w, const struct isa_carried *c)
{
	memcpy(w->s, c->s, sizeof(c->s));
	w->s[ISA_SRC_NULL] = 0;
	isa_set_exec(w, isa_exec(w));
	w->pc = c->pc & ~3ull;
	w->redo = c->redo;
	w->redo_pc = c->redo_pc;
	/* It is code's to change only where hardware does not know it: see set_scratch(). */
	if (!isa_arch_has(isa_wave_arch(w), ISA_ARCH_ARCH_SCRATCH))
		w->scratch_base = c->scratch_base;
	w->scc = c->scc & 1;
	w->mode = isa_mode_of(isa_wave_arch(w), c->mode);
	w->status = c->status;
	w->trapsts = c->trapsts;
	w->ib_sts = c->ib_sts;
	w->record = c->record & 1;
	w->lead = c->lead & 1;
	w->slots = NULL;
}

void isa_wave_place(struct isa_wave *w, u32 *vgprs, u32 rows)
{
	w->v = vgprs;
	w->max_rows = rows;
}

struct isa_wave *isa_wave_arrive(struct isa_wave *w, struct isa_cu *cu, struct isa_wg *wg,
				 const struct isa_carried *c, u32 *vgprs)
{
	w->v = vgprs;
	w->cu = cu;
	w->wg = wg;
	w->ex = NULL;
	w->lanes = c->lanes;
	w->all = ~0ull >> (ISA_LANES - c->lanes);
	w->rows = c->rows;
	w->max_rows = c->rows;
	w->acc_row = c->acc_row;
	w->nsgpr = c->nsgpr;
	w->shared_base = c->shared_base;
	w->private_base = c->private_base;
	w->scratch_base = c->scratch_base;
	w->scratch_lane_bytes = c->scratch_lane_bytes;
	w->hw_id = c->hw_id;
	w->xcc_id = c->xcc_id;
	isa_wave_carried(w, c);
	return w;
}
