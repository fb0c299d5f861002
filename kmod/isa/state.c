// SPDX-License-Identifier: GPL-2.0-only
/*
 * A stopped wave as the driver's trap handler writes it to a context save area
 * and debuggers read it there. From low to high addresses: VGPRs (a row of 64
 * dwords each; AccVGPRs behind the others), SGPRs, 16 dwords of hardware
 * registers, 16 TTMPs, LDS of the work-group with its first wave, 64 unused
 * bytes. Which waves there are says a control stack: a word about sizes, and a
 * word for each wave. Sources: Linux, cwsr_trap_handler_gfx9.asm; ROCdbgapi,
 * gfx9_architecture_t::cwsr_record_t.
 *
 * SGPRs are always those of a wave that has all of them, so that VCC and its
 * neighbours, which lie at the end of an allocation, hide none.
 */
#include "isa_int.h"

#define RELAUNCH_STATE		BIT(31)
#define WAVE_SLOT_MASK		0x1ffu
#define WAVE_SCRATCH		BIT(15)
#define WAVE_LAST		BIT(16)
#define WAVE_FIRST		BIT(17)

#define UNUSED_BYTES		64u

/* Of STATUS, what who changes the area can change; bit 18 is a debugger's mark. */
#define STATUS_LOADED	(ISA_STATUS_USER_PRIO | ISA_STATUS_HALT | ISA_STATUS_COND_DBG)

enum { HW_M0, HW_PC_LO, HW_PC_HI, HW_EXEC_LO, HW_EXEC_HI, HW_STATUS, HW_TRAPSTS,
	HW_XNACK_LO, HW_XNACK_HI, HW_MODE,
	/* Hardware leaves these alone. Lanes of the atomic at PC that are not done yet */
	HW_REDO_LO, HW_REDO_HI };

u32 isa_saved_rows_bytes(const struct isa_wave *w)
{
	return w->rows * ISA_LANES * (u32)sizeof(u32);
}

/* Units that the work-group's LDS takes. */
static u32 lds_units(const struct isa_wave *w)
{
	return isa_arch_units(w->wg->lds_bytes, isa_wave_arch(w)->lds_granule);
}

u32 isa_saved_bytes(const struct isa_wave *w, bool first)
{
	u32 lds = first ? lds_units(w) * isa_wave_arch(w)->lds_granule : 0;

	return isa_saved_rows_bytes(w) + (u32)sizeof(struct isa_saved) + lds + UNUSED_BYTES;
}

u32 *isa_wave_rows(struct isa_wave *w)
{
	return w->v;
}

void isa_wave_save(const struct isa_wave *w, struct isa_saved *s)
{
	u32 *hw = s->hwreg;

	memset(s, 0, sizeof(*s));
	memcpy(s->sgpr, w->s, ISA_SRC_TTMP0 * sizeof(u32));
	memcpy(s->ttmp, &w->s[ISA_SRC_TTMP0], sizeof(s->ttmp));
	hw[HW_M0] = w->s[ISA_SRC_M0];
	hw[HW_PC_LO] = (u32)w->pc;
	hw[HW_PC_HI] = (u32)(w->pc >> 32) & 0xffff;
	hw[HW_EXEC_LO] = w->s[ISA_SRC_EXEC_LO];
	hw[HW_EXEC_HI] = w->s[ISA_SRC_EXEC_HI];
	hw[HW_STATUS] = isa_wave_status(w);
	hw[HW_TRAPSTS] = w->trapsts;
	hw[HW_XNACK_LO] = w->s[ISA_SRC_XNACK_LO];
	hw[HW_XNACK_HI] = w->s[ISA_SRC_XNACK_LO + 1];
	hw[HW_MODE] = w->mode;
	if (w->redo_pc == w->pc) {
		hw[HW_REDO_LO] = (u32)w->redo;
		hw[HW_REDO_HI] = (u32)(w->redo >> 32);
	}
}

/* No value can do harm: code of the wave could have put any of them there. */
void isa_wave_load(struct isa_wave *w, const struct isa_saved *s)
{
	const u32 *hw = s->hwreg;

	memcpy(w->s, s->sgpr, ISA_SRC_TTMP0 * sizeof(u32));
	memcpy(&w->s[ISA_SRC_TTMP0], s->ttmp, sizeof(s->ttmp));
	w->s[ISA_SRC_M0] = hw[HW_M0];
	w->s[ISA_SRC_XNACK_LO] = hw[HW_XNACK_LO];
	w->s[ISA_SRC_XNACK_LO + 1] = hw[HW_XNACK_HI];
	w->pc = (hw[HW_PC_LO] & ~3u) | (u64)(hw[HW_PC_HI] & 0xffff) << 32;
	w->redo = hw[HW_REDO_LO] | (u64)hw[HW_REDO_HI] << 32;
	w->redo_pc = w->pc;
	isa_set_exec(w, hw[HW_EXEC_LO] | (u64)hw[HW_EXEC_HI] << 32);
	w->scc = hw[HW_STATUS] & ISA_STATUS_SCC;
	w->status = (w->status & ~STATUS_LOADED) | (hw[HW_STATUS] & STATUS_LOADED);
	w->record |= w->trapsts != hw[HW_TRAPSTS];
	w->trapsts = hw[HW_TRAPSTS];
	w->mode = hw[HW_MODE];
	w->line_insn = NULL;
}

bool isa_wave_halted(const struct isa_wave *w)
{
	return w->status & ISA_STATUS_HALT;
}

u32 isa_relaunch_state(const struct isa_wave *w)
{
	const struct isa_arch *a = isa_wave_arch(w);
	u32 sgprs = (ISA_SAVED_SGPRS + ISA_SAVED_TTMPS) / a->sgpr_granule;

	return RELAUNCH_STATE | isa_field_put(a->save.vgprs, isa_sized_rows(w) / a->vgpr_granule - 1) |
	       isa_field_put(a->save.acc, w->acc_row / a->acc_granule - 1) |
	       isa_field_put(a->save.sgprs, sgprs - 1) | isa_field_put(a->save.lds, lds_units(w));
}

u32 isa_relaunch_wave(const struct isa_wave *w, u32 se, s32 slot, bool first, bool last)
{
	u32 v = isa_field_put(isa_wave_arch(w)->save.se, se);

	if (slot >= 0)
		v |= ((u32)slot & WAVE_SLOT_MASK) | WAVE_SCRATCH;
	return v | (first ? WAVE_FIRST : 0) | (last ? WAVE_LAST : 0);
}
