// SPDX-License-Identifier: GPL-2.0-only
/*
 * A stopped wave as the driver's trap handler writes it to a context save area
 * and debuggers read it there. From low to high addresses: VGPRs (a row of as many
 * dwords each as the wave has lanes; AccVGPRs behind the others), SGPRs, 16 dwords of hardware
 * registers, 16 TTMPs, LDS of the work-group with its first wave; on GFX9 64 unused
 * bytes. From gfx10 on SGPRs have room for 128. A control stack lists the waves: words about
 * sizes, and a word for each wave. Sources: Linux, cwsr_trap_handler_gfx9.asm and
 * cwsr_trap_handler_gfx10.asm; ROCdbgapi, cwsr_record_t of gfx9_architecture_t and
 * gfx10_architecture_t.
 *
 * SGPRs are always those of a wave that has all of them, so that VCC and its
 * neighbours, which lie at the end of an allocation, hide none.
 */
#include "isa_int.h"

#define RELAUNCH_STATE		BIT(31)
/* Bits of STATUS that a change to the area reaches; bit 18 is a mark of debuggers. */
#define STATUS_LOADED	(ISA_STATUS_USER_PRIO | ISA_STATUS_HALT | ISA_STATUS_COND_DBG)

/*
 * Where others are, isa_arch.area says: XNACK_MASK, MODE, FLAT_SCRATCH; behind them two that
 * hardware leaves alone, the lanes of the atomic at PC that are not done yet.
 */
enum { HW_M0, HW_PC_LO, HW_PC_HI, HW_EXEC_LO, HW_EXEC_HI, HW_STATUS, HW_TRAPSTS };

u32 isa_saved_row_bytes(const struct isa_wave *w)
{
	return w->lanes * (u32)sizeof(u32);
}

u32 isa_saved_rows_bytes(const struct isa_wave *w)
{
	return w->rows * isa_saved_row_bytes(w);
}

/* The size of the work-group's LDS in units. */
static u32 lds_units(const struct isa_wave *w)
{
	return isa_arch_units(w->wg->lds_bytes, isa_wave_arch(w)->lds_granule);
}

u32 isa_saved_bytes(const struct isa_wave *w, bool first)
{
	u32 lds = first ? lds_units(w) * isa_wave_arch(w)->lds_granule : 0;

	return isa_saved_rows_bytes(w) + (u32)sizeof(struct isa_saved) + isa_saved_gap(w) + lds +
	       isa_wave_arch(w)->area.tail;
}

u32 isa_saved_gap(const struct isa_wave *w)
{
	return (isa_wave_arch(w)->area.sgprs - ISA_SAVED_SGPRS) * (u32)sizeof(u32);
}

u32 *isa_wave_rows(struct isa_wave *w)
{
	return w->v;
}

static void put64(u32 *hw, u64 v)
{
	hw[0] = (u32)v;
	hw[1] = (u32)(v >> 32);
}

static u64 get64(const u32 *hw)
{
	return hw[0] | (u64)hw[1] << 32;
}

/* gfx12 has STATE_PRIV and EXCP_FLAG_PRIV where others have STATUS and TRAPSTS, and these. */
enum { USER_EXCP_FLAG, USER_TRAP_CTRL, USER_STATUS };
#define USER_EXCP	0x7fu

static void save_user(const struct isa_wave *w, u32 *hw, u32 at)
{
	hw[at + USER_EXCP_FLAG] = w->trapsts & USER_EXCP;
	hw[at + USER_TRAP_CTRL] = (w->mode & ISA_MODE_EXCP_EN) >> ISA_MODE_EXCP_SHIFT;
	hw[at + USER_STATUS] = isa_wave_status(w);
}

void isa_wave_save(const struct isa_wave *w, struct isa_saved *s)
{
	const struct isa_arch *a = isa_wave_arch(w);
	u32 *hw = s->hwreg;

	memset(s, 0, sizeof(*s));
	memcpy(s->sgpr, w->s, ISA_SRC_TTMP0 * sizeof(u32));
	memcpy(s->ttmp, &w->s[ISA_SRC_TTMP0], sizeof(s->ttmp));
	hw[HW_M0] = w->s[ISA_SRC_M0];
	hw[HW_PC_LO] = (u32)w->pc;
	hw[HW_PC_HI] = (u32)(w->pc >> 32) & 0xffff;
	hw[HW_EXEC_LO] = w->s[ISA_SRC_EXEC_LO];
	hw[HW_EXEC_HI] = w->s[ISA_SRC_EXEC_HI];
	if (a->area.user)
		save_user(w, hw, a->area.user);
	hw[HW_STATUS] = a->area.user ? isa_wave_state_priv(w) : isa_wave_status(w);
	hw[HW_TRAPSTS] = a->area.user ? isa_wave_excp_flag_priv(w) : w->trapsts;
	if (a->area.xnack)
		memcpy(&hw[a->area.xnack], &w->s[ISA_SRC_XNACK_LO], 2 * sizeof(u32));
	hw[a->area.mode] = isa_wave_mode(w);
	if (a->area.scratch)
		put64(&hw[a->area.scratch], w->scratch_base);
	if (w->redo_pc == w->pc)
		put64(&hw[a->area.redo], w->redo);
}

static void load_user(struct isa_wave *w, const u32 *hw, u32 at)
{
	u32 trapsts = isa_trapsts_of(hw[HW_TRAPSTS], hw[at + USER_EXCP_FLAG]);

	isa_wave_put_state_priv(w, hw[HW_STATUS]);
	w->record |= w->trapsts != trapsts;
	w->trapsts = trapsts;
	w->mode = (w->mode & ~(u32)ISA_MODE_EXCP_EN) |
		  (hw[at + USER_TRAP_CTRL] << ISA_MODE_EXCP_SHIFT & ISA_MODE_EXCP_EN);
}

/* No value can do harm: the wave's own code could have written any of them. */
void isa_wave_load(struct isa_wave *w, const struct isa_saved *s)
{
	const struct isa_arch *a = isa_wave_arch(w);
	const u32 *hw = s->hwreg;

	memcpy(w->s, s->sgpr, ISA_SRC_TTMP0 * sizeof(u32));
	memcpy(&w->s[ISA_SRC_TTMP0], s->ttmp, sizeof(s->ttmp));
	w->s[ISA_SRC_M0] = hw[HW_M0];
	if (a->area.xnack)
		memcpy(&w->s[ISA_SRC_XNACK_LO], &hw[a->area.xnack], 2 * sizeof(u32));
	if (a->area.scratch)
		w->scratch_base = get64(&hw[a->area.scratch]);
	w->pc = (hw[HW_PC_LO] & ~3u) | (u64)(hw[HW_PC_HI] & 0xffff) << 32;
	w->redo = get64(&hw[a->area.redo]);
	w->redo_pc = w->pc;
	isa_set_exec(w, hw[HW_EXEC_LO] | (u64)hw[HW_EXEC_HI] << 32);
	if (a->area.user) {
		load_user(w, hw, a->area.user);
		w->mode = isa_mode_of(a, (hw[a->area.mode] & ~(u32)ISA_MODE_EXCP_EN) |
					 (w->mode & ISA_MODE_EXCP_EN));
	} else {
		w->scc = hw[HW_STATUS] & ISA_STATUS_SCC;
		w->status = (w->status & ~STATUS_LOADED) | (hw[HW_STATUS] & STATUS_LOADED);
		w->record |= w->trapsts != hw[HW_TRAPSTS];
		w->trapsts = hw[HW_TRAPSTS];
		w->mode = isa_mode_of(a, hw[a->area.mode]);
	}
	w->slots = NULL;
}

/* Bits of STATUS that a wave may have or not; the others follow from the rest of its state. */
#define STATUS_KEPT	(ISA_STATUS_PRIO | ISA_STATUS_PRIV | ISA_STATUS_TRAP_EN | \
			 ISA_STATUS_HALT | ISA_STATUS_COND_DBG)

void isa_wave_keep(const struct isa_wave *w, struct isa_kept *k)
{
	k->status = w->status & STATUS_KEPT;
	k->ib_sts = w->ib_sts;
	k->record = w->record;
}

void isa_wave_take(struct isa_wave *w, const struct isa_kept *k)
{
	w->status = (w->status & ~STATUS_KEPT) | (k->status & STATUS_KEPT);
	w->ib_sts = k->ib_sts;
	w->record = k->record & 1;
}

bool isa_wave_halted(const struct isa_wave *w)
{
	return w->status & ISA_STATUS_HALT;
}

u32 isa_relaunch_states(const struct isa_wave *w)
{
	return isa_wave_arch(w)->save.states;
}

u32 isa_relaunch_state(const struct isa_wave *w)
{
	const struct isa_arch *a = isa_wave_arch(w);
	u32 sgprs = (ISA_SAVED_SGPRS + ISA_SAVED_TTMPS) / a->sgpr_granule;

	return RELAUNCH_STATE |
	       isa_field_put(a->save.vgprs,
			     isa_sized_rows(w) / isa_arch_vgpr_granule(a, w->lanes) - 1) |
	       isa_field_put(a->save.wave32, w->lanes == 32) |
	       isa_field_put(a->save.acc, w->acc_row / a->acc_granule - 1) |
	       isa_field_put(a->save.sgprs, sgprs - 1) | isa_field_put(a->save.lds, lds_units(w));
}

u32 isa_relaunch_wave(const struct isa_wave *w, u32 se, s32 slot, bool first, bool last)
{
	const struct isa_arch *a = isa_wave_arch(w);
	u32 v = isa_field_put(a->save.se, se);

	if (slot >= 0)
		v |= isa_field_put(a->save.slot, (u32)slot) | isa_field_put(a->save.scratch, 1);
	return v | isa_field_put(a->save.first, first) | isa_field_put(a->save.last, last);
}
