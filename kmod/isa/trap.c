// SPDX-License-Identifier: GPL-2.0-only
/*
 * Entering a trap handler. Hardware puts PC and trap id into TTMP0 and 1, sets
 * STATUS.PRIV and jumps to the driver's first-level handler; that saves STATUS
 * in TTMP12 and IB_STS in the one that isa_arch names, loads TTMP14 and 15
 * with the second level's TMA and jumps to the second level's TBA. Source:
 * CDNA2 ISA, S_TRAP; Linux, cwsr_trap_handler_gfx9.asm; facts: kfd-abi 5.6.
 */
#include "salu.h"

#define TTMP(n)		(ISA_SRC_TTMP0 + (n))
#define IB_STS_SHIFT	11	/* bits 20:15 to 31:26 */
#define DEBUG_ENABLED	BIT(23)

static u32 trapsts_of(const struct isa_exit *ex)
{
	switch (ex->why) {
	case ISA_STOP_ILLEGAL:
		return ISA_TRAPSTS_ILLEGAL;
	case ISA_STOP_MEMVIOL:
		return ISA_TRAPSTS_MEM_VIOL;
	case ISA_STOP_EXCP:
		return ex->info;
	default:
		return 0;
	}
}

bool isa_wave_trap(struct isa_wave *w, const struct isa_exit *ex, u64 tba, u64 tma)
{
	u32 *s = w->s, id = ex->why == ISA_STOP_TRAP ? ex->info & 0xff : 0;
	const struct isa_arch *a = isa_wave_arch(w);
	u32 saved = TTMP(a->trap.ib_sts);

	w->trapsts |= trapsts_of(ex);
	if (w->status & (ISA_STATUS_PRIV | ISA_STATUS_HALT))
		return false;
	s[TTMP(0)] = (u32)w->pc;
	s[TTMP(1)] = ((u32)(w->pc >> 32) & 0xffff) | isa_field_put(a->trap.id, id);
	s[saved] = (s[saved] & ~(u32)(0xfc000000u | DEBUG_ENABLED)) |
		   (w->ib_sts << IB_STS_SHIFT & 0xfc000000u);
	s[TTMP(12)] = isa_arch_has(a, ISA_ARCH_TRAP_CTRL) ? isa_wave_state_priv(w) :
							    isa_wave_status(w);
	s[TTMP(14)] = (u32)tma;
	s[TTMP(15)] = (u32)(tma >> 32);
	w->ib_sts = 0;
	w->redo = 0;
	w->status |= ISA_STATUS_PRIV;
	w->pc = tba;
	return true;
}

bool isa_wave_in_trap(const struct isa_wave *w)
{
	return w->status & ISA_STATUS_PRIV;
}

/* S_TRAP is one word in every encoding. */
void isa_wave_skip_trap(struct isa_wave *w)
{
	w->pc += sizeof(u32);
}

u32 isa_wave_m0(const struct isa_wave *w)
{
	return w->s[ISA_SRC_M0];
}

enum isa_msg isa_wave_msg(const struct isa_wave *w, u32 info)
{
	if (info & SALU_MSG_RTN)
		return (info & 0xff) == SALU_RTN_GET_DOORBELL ? ISA_MSG_GET_DOORBELL : ISA_MSG_NONE;
	return isa_wave_arch(w)->msg[array_index_nospec(info % ISA_MSG_IDS, ISA_MSG_IDS)];
}

/*
 * An engine process says what @info is, so the SGPR is any one. A result of 64 bits has a high half
 * of 0 already.
 */
void isa_wave_doorbell(struct isa_wave *w, u32 info, u32 doorbell)
{
	if (info & SALU_MSG_RTN) {
		isa_sput32(w, info >> SALU_MSG_DST & 127, doorbell);
		return;
	}
	w->s[ISA_SRC_EXEC_LO] = doorbell & 0x7fffffff;
	isa_set_exec(w, isa_exec(w));
}

void isa_wave_set_scc(struct isa_wave *w, bool scc)
{
	w->scc = scc;
}
