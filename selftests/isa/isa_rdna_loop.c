// SPDX-License-Identifier: MIT
/*
 * Of isa_rdna: s_subvector_loop_begin and _end, written out from the RDNA2 ISA's 12.2 (by others'
 * words, see salu_ctl.c): EXEC's halves take turns, and the one that waits is in a register.
 */
#include "isa_rdna.h"

#define S30	30
#define LO	ISA_SRC_EXEC_LO
#define HI	ISA_SRC_EXEC_HI

static const struct step {
	bool end;
	u32 reg, lo, hi, saved;		/* before; @saved: s30 */
	u32 to_lo, to_hi, to_saved;	/* after */
	bool branch;
} steps[] = {
	{ false, S30, 0, 0, 0x77, 0, 0, 0x77, true },
	{ false, S30, 0, 5, 0x77, 0, 5, 0, false },
	{ false, S30, 3, 0, 0x77, 3, 0, 0, false },
	{ false, S30, 3, 5, 0x77, 3, 0, 5, false },
	{ false, LO, 3, 5, 0x77, 5, 0, 0x77, false },
	{ false, HI, 3, 5, 0x77, 3, 0, 0x77, false },
	{ true, S30, 0, 5, 0, 0, 5, 0, false },
	{ true, S30, 0, 5, 3, 3, 5, 3, false },
	{ true, S30, 3, 0, 0, 3, 0, 0, false },
	{ true, S30, 3, 0, 5, 0, 5, 3, true },
	{ true, LO, 3, 0, 0x77, 0, 3, 0x77, true },
	{ true, HI, 3, 0, 0x77, 3, 0, 0x77, false },
	{ true, HI, 3, 5, 0x77, 5, 5, 0x77, false },
};

static bool step_ok(struct rig *r, const char *name, const struct step *x, u32 word)
{
	const u32 w[4] = { word | x->reg << 16 | 2, NOP, NOP, NOP };
	u32 scc;

	rdna_prepare(r, w, 64, x->lo | (u64)x->hi << 32, 3);
	r->w->s[S30] = x->saved;
	scc = r->w->scc;
	rig_run(r, 1);
	if (r->ex.why != ISA_STOP_BUDGET)
		return rdna_tell(name, "the stop", r->ex.why, ISA_STOP_BUDGET);
	if (r->w->pc != RIG_VA + RIG_CODE + (x->branch ? 12 : 4))
		return rdna_tell(name, "PC", (u32)r->w->pc, x->branch);
	if (isa_exec(r->w) != (x->to_lo | (u64)x->to_hi << 32))
		return rdna_tell(name, "EXEC", (u32)isa_exec(r->w), x->to_lo);
	if (r->w->s[S30] != x->to_saved)
		return rdna_tell(name, "the register", r->w->s[S30], x->to_saved);
	return r->w->scc == scc || rdna_tell(name, "SCC", r->w->scc, scc);
}

/* Each lane of @exec adds 1 to a VGPR, once; EXEC and the VGPRs of the others stay. */
static bool whole_loop(struct rig *r, u32 begin, u32 end, u64 exec)
{
	/* s_subvector_loop_begin s30, +2; v_add v32, 1, v32; s_subvector_loop_end s30, -2 */
	const u32 w[4] = { begin | S30 << 16 | 2, 0x4a404081, end | S30 << 16 | 0xfffe, NOP };
	const u32 passes = !!(u32)exec + !!(exec >> 32), insns = 1 + 2 * passes;
	u32 before[ISA_LANES], l, want;

	rdna_prepare(r, w, 64, exec, 9);
	memcpy(before, rdna_row(r, 32), sizeof(before));
	rig_run(r, insns);
	if (r->ex.why != ISA_STOP_BUDGET || r->w->pc != RIG_VA + RIG_CODE + 12)
		return rdna_tell("a subvector loop", "its end", (u32)r->w->pc, insns);
	for (l = 0; l < ISA_LANES; l++) {
		want = before[l] + (exec >> l & 1);
		if (rdna_row(r, 32)[l] != want)
			return rdna_tell("a subvector loop", "a lane", rdna_row(r, 32)[l], want);
	}
	return isa_exec(r->w) == exec || rdna_tell("a subvector loop", "EXEC", 1, 0);
}

int rdna_subvector(struct rig *r, const struct isa_target *t, const struct isa_row *row,
		   unsigned int enc, u32 op)
{
	static const u64 masks[] = { 0, 1, 1ull << 63, 0x8000000180000001ull, ~0ull, 0xffffffff };
	const char *name = isa_op_names[row->op];
	const struct isa_format *f = rdna_format(t, enc);
	const bool end = !strcmp(name, "s_subvector_loop_end");
	u32 word, n;

	if (!end && strcmp(name, "s_subvector_loop_begin"))
		return -1;
	word = f->match | op << f->lo;
	for (n = 0; n < ARRAY_SIZE(steps); n++)
		if (steps[n].end == end && !step_ok(r, name, &steps[n], word))
			return 0;
	/* The numbers of begin and end follow each other. */
	for (n = 0; end && n < ARRAY_SIZE(masks); n++)
		if (!whole_loop(r, word - (1u << f->lo), word, masks[n]))
			return 0;
	rdna_prepare(r, (const u32[4]){ word | S30 << 16, NOP, NOP, NOP }, 32, 3, 3);
	return rig_run(r, 1) == ISA_STOP_ILLEGAL ||
	       rdna_tell(name, "the stop of 32 lanes", r->ex.why, ISA_STOP_ILLEGAL);
}
