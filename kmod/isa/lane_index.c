// SPDX-License-Identifier: GPL-2.0-only
/*
 * VGPR indexing: between s_set_gpr_idx_on and _off (MODE bit GPR_IDX_EN) M0
 * moves the VGPR operands of vector ALU instructions: M0[7:0] is added to the
 * register numbers of the operands that M0[15:12] names (source 0, 1, 2,
 * destination). Source: Vega ISA, "VGPR indexing".
 *
 * The index is only known when the instruction runs, so a copy with the moved
 * operands is checked against the wave's registers and bound anew each time.
 */
#include "isa_int.h"

#define INDEX_SRCS	3
#define INDEX_DST	BIT(INDEX_SRCS)

/* False where the register is none that the wave has, or an instruction can name. */
static bool index_move(const struct isa_wave *w, u16 *code, u32 by)
{
	u32 row = *code - ISA_SRC_VGPR0 + by, rows = w->rows < 256 ? w->rows : 256;

	if (*code < ISA_SRC_VGPR0 || *code >= ISA_SRC_ACC0)
		return true;		/* not a VGPR */
	*code = (u16)(ISA_SRC_VGPR0 + array_index_nospec(row, rows));
	return row < rows;
}

/**
 * isa_lane_indexed() - run a vector ALU instruction under VGPR indexing
 * @w: wave with GPR_IDX_EN set
 * @i: instruction of a VOP encoding, as decoded
 *
 * Return: as the handler; ISA_STOP_ILLEGAL (reported) for a register that the
 * wave does not have or an operation that is not executed.
 */
enum isa_stop isa_lane_indexed(struct isa_wave *w, const struct isa_insn *i)
{
	u32 m0 = w->s[ISA_SRC_M0], by = m0 & 0xff, which = m0 >> 12 & 15;
	struct isa_slot s = *isa_slot_of(i);
	struct isa_insn *x = &s.in;
	unsigned int n;
	bool ok = true;

	for (n = 0; n < INDEX_SRCS; n++)
		if (which >> n & 1)
			ok &= index_move(w, &x->src[n], by);
	if (which & INDEX_DST)
		ok &= index_move(w, &x->dst, by);
	/* Operands that stay count, too: the slot may be one that decode refused. */
	if (!ok || !isa_rows_ok(w, x) || !w->cu->lane->bind(w->cu->target, &s))
		return isa_exec_illegal(w, i);
	return w->record ? w->cu->lane->record(w, x) : s.exec[w->full](w, x);
}
