/* SPDX-License-Identifier: GPL-2.0-only */
/* A stopped wave on its way to another address space and back: carry.c. */
#ifndef ISA_CARRY_H
#define ISA_CARRY_H

#include "isa.h"

/**
 * struct isa_carried - carry.c: a wave on its way to another address space and back
 * @s: scalar operands below the constants: SGPRs, VCC, TTMPs, M0, EXEC
 * @scratch_base: comes back where code can change it (FLAT_SCRATCH of gfx10)
 *
 * Those up to @record are what code of the wave can change; @lead comes back, too; the others, set
 * at launch, do not.
 */
struct isa_carried {
	u32 s[128];
	u64 pc, redo, redo_pc;
	u32 scc, mode, status, trapsts, ib_sts, record;
	u64 scratch_base;
	u32 lead, lanes, rows, acc_row, nsgpr, shared_base, private_base, scratch_lane_bytes;
	u32 hw_id, xcc_id;
};

/* All but the rows at isa_wave_rows(), which travel separately. */
u32 isa_wave_rows_bytes(const struct isa_wave *w);
void isa_wave_carry(const struct isa_wave *w, struct isa_carried *c);
/* Takes @c back where the wave is kept. @c is not trusted, but does not change meanwhile. */
void isa_wave_carried(struct isa_wave *w, const struct isa_carried *c);
/* Where it is run, and begins there: @rows of VGPRs at @vgprs. @w: as with isa_wave_arrive() */
void isa_wave_place(struct isa_wave *w, u32 *vgprs, u32 rows);
/*
 * Where it is run. @w: isa_wave_init() has seen it once; @c is trusted; @vgprs: its rows, which
 * are @c->rows.
 */
struct isa_wave *isa_wave_arrive(struct isa_wave *w, struct isa_cu *cu, struct isa_wg *wg,
				 const struct isa_carried *c, u32 *vgprs);

#endif /* ISA_CARRY_H */
