// SPDX-License-Identifier: GPL-2.0-only
/*
 * A wave's system state: hardware registers, messages, halting, traps, and the
 * branch stack of fork and join. Register numbers and fields: LLVM, "hwreg";
 * CDNA2 ISA 3; for GPR_ALLOC and TRAPSTS also the Linux CWSR handler of GFX9.
 *
 * STATUS.PRIV is set while a trap handler runs (trap.c). Only then may code
 * change STATUS, and only behind its s_rfe_b64 does STATUS.HALT take effect.
 */
#include "mem.h"
#include "salu.h"
#include "tables.h"

/* Hardware registers ------------------------------------------------------ */

#define HWREG_ID(x)	((x) & 63)
#define HWREG_OFF(x)	((x) >> 6 & 31)
#define HWREG_MASK(x)	((u32)((2ull << ((x) >> 11 & 31)) - 1))

static enum isa_hwreg hwreg_of(const struct isa_wave *w, u32 k)
{
	return isa_wave_arch(w)->hwreg[array_index_nospec(HWREG_ID(k), ISA_HWREG_IDS)];
}

/* What a trap handler may write. */
#define STATUS_WRITABLE	(ISA_STATUS_SCC | ISA_STATUS_PRIO | ISA_STATUS_HALT |	\
			 ISA_STATUS_COND_DBG)
#define IB_STS_REPLAY	0x1f8000u

u32 isa_wave_status(const struct isa_wave *w)
{
	return w->status | w->scc | (isa_exec(w) ? 0 : ISA_STATUS_EXECZ) |
	       (isa_vcc(w) ? 0 : ISA_STATUS_VCCZ);
}

/* gfx12: bits of STATE_PRIV, EXCP_FLAG_PRIV (Linux, cwsr_trap_handler_gfx12.asm) */
#define STATE_PRIV_SCC		BIT(9)
#define STATE_PRIV_HALT		BIT(14)
#define EXCP_PRIV_MEM_VIOL	BIT(4)
#define EXCP_PRIV_ILLEGAL	BIT(6)
#define EXCP_USER		0x7fu

u32 isa_wave_state_priv(const struct isa_wave *w)
{
	return (w->scc ? STATE_PRIV_SCC : 0) |
	       (w->status & ISA_STATUS_HALT ? STATE_PRIV_HALT : 0);
}

u32 isa_wave_excp_flag_priv(const struct isa_wave *w)
{
	return (w->trapsts & ISA_TRAPSTS_MEM_VIOL ? EXCP_PRIV_MEM_VIOL : 0) |
	       (w->trapsts & ISA_TRAPSTS_ILLEGAL ? EXCP_PRIV_ILLEGAL : 0);
}

/* Bits that the generation does not have in MODE */
static u32 mode_elsewhere(const struct isa_wave *w)
{
	if (!isa_arch_has(isa_wave_arch(w), ISA_ARCH_TRAP_CTRL))
		return 0;
	return ISA_MODE_EXCP_EN | ISA_MODE_DX10_CLAMP | ISA_MODE_IEEE;
}

u32 isa_wave_mode(const struct isa_wave *w)
{
	return w->mode & ~mode_elsewhere(w);
}

static u32 gpr_alloc(const struct isa_wave *w)
{
	const struct isa_arch *a = isa_wave_arch(w);

	return isa_field_put(a->gpr_alloc.sgprs, isa_arch_units(w->nsgpr, a->sgpr_granule) - 1) |
	       isa_field_put(a->gpr_alloc.acc, w->acc_row / a->acc_granule - 1) |
	       isa_field_put(a->gpr_alloc.vgprs,
			     isa_sized_rows(w) / isa_arch_vgpr_granule(a, w->lanes) - 1);
}

static u32 lds_alloc(const struct isa_wave *w)
{
	const struct isa_arch *a = isa_wave_arch(w);

	return isa_field_put(a->lds_alloc, isa_arch_units(w->wg->lds_bytes, a->lds_granule));
}

static bool hwreg_read(const struct isa_wave *w, enum isa_hwreg reg, u32 *v)
{
	switch (reg) {
	case ISA_HWREG_MODE:
		*v = isa_wave_mode(w);
		return true;
	case ISA_HWREG_STATUS:
		*v = isa_wave_status(w);
		return true;
	case ISA_HWREG_TRAPSTS:
		*v = w->trapsts;
		return true;
	case ISA_HWREG_HW_ID:
		*v = w->hw_id;
		return true;
	case ISA_HWREG_GPR_ALLOC:
		*v = gpr_alloc(w);
		return true;
	case ISA_HWREG_LDS_ALLOC:
		*v = lds_alloc(w);
		return true;
	case ISA_HWREG_IB_STS:
		*v = w->ib_sts;
		return true;
	case ISA_HWREG_SH_MEM_BASES:
		*v = (w->private_base >> 16) | (w->shared_base & 0xffff0000);
		return true;
	case ISA_HWREG_XCC_ID:
		*v = w->xcc_id;
		return true;
	case ISA_HWREG_FIRST_LEVEL:
		*v = 0;
		return true;
	case ISA_HWREG_FLAT_SCR_LO:
		*v = (u32)w->scratch_base;
		return true;
	case ISA_HWREG_FLAT_SCR_HI:
		*v = (u32)(w->scratch_base >> 32);
		return true;
	case ISA_HWREG_SHADER_CYCLES:	/* as s_memtime */
		*v = (u32)(w->cu->clock(w->cu) * 17);
		if (!isa_arch_has(isa_wave_arch(w), ISA_ARCH_TRAP_CTRL))
			*v &= 0xfffff;
		return true;
	case ISA_HWREG_SHADER_CYCLES_HI:
		*v = (u32)(w->cu->clock(w->cu) * 17 >> 32);
		return true;
	case ISA_HWREG_STATE_PRIV:
		*v = isa_wave_state_priv(w);
		return true;
	case ISA_HWREG_EXCP_FLAG_PRIV:
		*v = isa_wave_excp_flag_priv(w);
		return true;
	case ISA_HWREG_EXCP_FLAG_USER:
		*v = w->trapsts & EXCP_USER;
		return true;
	case ISA_HWREG_TRAP_CTRL:
		*v = (w->mode & ISA_MODE_EXCP_EN) >> ISA_MODE_EXCP_SHIFT;
		return true;
	default:
		return false;
	}
}

enum isa_stop salu_getreg(struct isa_wave *w, const struct isa_insn *i)
{
	u32 k = (u32)i->lit, v;
	enum isa_hwreg reg = hwreg_of(w, k);
	bool excp;

	if (!hwreg_read(w, reg, &v))
		return isa_exec_illegal(w, i);
	/* Code that reads exceptions expects to see those that follow. */
	excp = reg == ISA_HWREG_TRAPSTS || reg == ISA_HWREG_EXCP_FLAG_USER;
	w->record |= excp;
	isa_sput32(w, i->dst, v >> HWREG_OFF(k) & HWREG_MASK(k));
	return excp ? ISA_STOP_SWITCH : ISA_STOP_NONE;
}

static void set_status(struct isa_wave *w, u32 mask, u32 v)
{
	if (!(w->status & ISA_STATUS_PRIV))
		return;
	mask &= STATUS_WRITABLE;
	w->status = (w->status & ~mask) | (v & mask & ~ISA_STATUS_SCC);
	if (mask & ISA_STATUS_SCC)
		w->scc = v & 1;
}

void isa_wave_put_state_priv(struct isa_wave *w, u32 v)
{
	w->scc = !!(v & STATE_PRIV_SCC);
	w->status = (w->status & ~ISA_STATUS_HALT) | (v & STATE_PRIV_HALT ? ISA_STATUS_HALT : 0);
}

u32 isa_trapsts_of(u32 priv, u32 user)
{
	return (priv & EXCP_PRIV_MEM_VIOL ? ISA_TRAPSTS_MEM_VIOL : 0) |
	       (priv & EXCP_PRIV_ILLEGAL ? ISA_TRAPSTS_ILLEGAL : 0) | (user & EXCP_USER);
}

/* Only a trap handler may write these. */
static void set_state_priv(struct isa_wave *w, u32 mask, u32 v)
{
	if (w->status & ISA_STATUS_PRIV)
		isa_wave_put_state_priv(w, (isa_wave_state_priv(w) & ~mask) | (v & mask));
}

static void set_excp_flag_priv(struct isa_wave *w, u32 mask, u32 v)
{
	if (w->status & ISA_STATUS_PRIV)
		w->trapsts = isa_trapsts_of((isa_wave_excp_flag_priv(w) & ~mask) | (v & mask),
					    w->trapsts);
}

static enum isa_stop set_mode(struct isa_wave *w, u32 mask, u32 v)
{
	u32 old = w->mode;

	if (isa_arch_has(isa_wave_arch(w), ISA_ARCH_NO_VGPR_INDEX))
		mask &= ~(u32)(ISA_MODE_GPR_IDX_EN | ISA_MODE_VSKIP);
	/* The lanes keep host FP control for the old MODE. */
	w->cu->lane->leave(w);
	w->mode = (w->mode & ~mask) | (v & mask);
	w->cu->lane->enter(w);
	return (old ^ w->mode) & ISA_MODE_SLOW ? ISA_STOP_SWITCH : ISA_STOP_NONE;
}

/* Where hardware knows where scratch is, code does not tell it. */
static void set_scratch(struct isa_wave *w, u32 shift, u32 mask, u32 v)
{
	if (!isa_arch_has(isa_wave_arch(w), ISA_ARCH_ARCH_SCRATCH))
		w->scratch_base = (w->scratch_base & ~((u64)mask << shift)) | (u64)v << shift;
}

static enum isa_stop setreg(struct isa_wave *w, const struct isa_insn *i, u32 k, u32 v)
{
	u32 mask = HWREG_MASK(k) << HWREG_OFF(k);

	v = v << HWREG_OFF(k) & mask;
	switch (hwreg_of(w, k)) {
	case ISA_HWREG_MODE:
		return set_mode(w, mask & ~mode_elsewhere(w), v);
	case ISA_HWREG_TRAP_CTRL:
		return set_mode(w, mask << ISA_MODE_EXCP_SHIFT & ISA_MODE_EXCP_EN,
				v << ISA_MODE_EXCP_SHIFT);
	case ISA_HWREG_STATE_PRIV:
		set_state_priv(w, mask, v);
		return ISA_STOP_NONE;
	case ISA_HWREG_EXCP_FLAG_PRIV:
		set_excp_flag_priv(w, mask, v);
		return ISA_STOP_NONE;
	case ISA_HWREG_EXCP_FLAG_USER:
		mask &= EXCP_USER;
		w->trapsts = (w->trapsts & ~mask) | (v & mask);
		w->record = true;
		return ISA_STOP_SWITCH;
	case ISA_HWREG_TRAPSTS:
		w->trapsts = (w->trapsts & ~mask) | v;
		w->record = true;
		return ISA_STOP_SWITCH;
	case ISA_HWREG_STATUS:
		set_status(w, mask, v);
		return ISA_STOP_NONE;
	case ISA_HWREG_IB_STS:
		if (w->status & ISA_STATUS_PRIV)
			w->ib_sts = ((w->ib_sts & ~mask) | v) & IB_STS_REPLAY;
		return ISA_STOP_NONE;
	case ISA_HWREG_HW_ID:		/* read-only */
	case ISA_HWREG_GPR_ALLOC:
	case ISA_HWREG_LDS_ALLOC:
	case ISA_HWREG_SH_MEM_BASES:
	case ISA_HWREG_XCC_ID:
	case ISA_HWREG_SHADER_CYCLES:
	case ISA_HWREG_SHADER_CYCLES_HI:
		return ISA_STOP_NONE;
	case ISA_HWREG_FLAT_SCR_LO:
		set_scratch(w, 0, mask, v);
		return ISA_STOP_NONE;
	case ISA_HWREG_FLAT_SCR_HI:
		set_scratch(w, 32, mask, v);
		return ISA_STOP_NONE;
	default:
		return isa_exec_illegal(w, i);
	}
}

enum isa_stop salu_setreg(struct isa_wave *w, const struct isa_insn *i)
{
	u32 k = (u32)i->offset & 0xffff;

	return setreg(w, i, k, w->s[i->src[0]]);
}

enum isa_stop salu_setreg_imm32(struct isa_wave *w, const struct isa_insn *i)
{
	return setreg(w, i, (u32)i->offset & 0xffff, i->lit);
}

#ifdef ISA_HAVE_RDNA
enum isa_stop salu_round_mode(struct isa_wave *w, const struct isa_insn *i)
{
	return set_mode(w, 0xf, i->lit);
}

enum isa_stop salu_denorm_mode(struct isa_wave *w, const struct isa_insn *i)
{
	return set_mode(w, 0xf0, i->lit << 4);
}

/*
 * Messages with an answer, by number: LLVM, AMDGPUBaseInfo. The clock and the doorbell are what
 * code of processes asks for, compilers' for a trap and ROCr's trap handler. The others (draw id,
 * TBA and TMA, a save of the wave) are the first-level trap handler's, which is not code here.
 */
enum isa_stop salu_sendmsg_rtn(struct isa_wave *w, const struct isa_insn *i)
{
	const bool clock = (i->offset & 0xff) == SALU_RTN_GET_REALTIME;
	const u64 answer = clock ? w->cu->clock(w->cu) : 0;

	if (!clock && (i->offset & 0xff) != SALU_RTN_GET_DOORBELL)
		return isa_exec_illegal(w, i);
	if (i->op == ISA_OP_S_SENDMSG_RTN_B64)
		isa_sput64(w, i->dst, answer);
	else
		isa_sput32(w, i->dst, (u32)answer);
	if (clock)
		return ISA_STOP_NONE;
	w->ex->info = SALU_MSG_RTN | SALU_RTN_GET_DOORBELL | (u32)i->dst << SALU_MSG_DST;
	return ISA_STOP_MSG;
}
#endif

/* Priority orders waves of a SIMD, which run in turns here. */
enum isa_stop salu_setprio(struct isa_wave *w, const struct isa_insn *i)
{
	w->status = (w->status & ~ISA_STATUS_USER_PRIO) | (i->lit & 3) << 3;
	return ISA_STOP_NONE;
}

/* Skips vector instructions while MODE.VSKIP is set. */
enum isa_stop salu_setvskip(struct isa_wave *w, const struct isa_insn *i)
{
	u32 a = isa_sget32(w, i, i->src[0]), n = isa_sget32(w, i, i->src[1]) & 31;

	w->mode = (w->mode & ~(u32)ISA_MODE_VSKIP) | (a >> n & 1 ? ISA_MODE_VSKIP : 0);
	return ISA_STOP_SWITCH;
}

/* Halting and messages ------------------------------------------------------ */

enum isa_stop salu_sethalt(struct isa_wave *w, const struct isa_insn *i)
{
	if (!(i->lit & 1)) {
		w->status &= ~ISA_STATUS_HALT;
		return ISA_STOP_NONE;
	}
	w->status |= ISA_STATUS_HALT;
	return w->status & ISA_STATUS_PRIV ? ISA_STOP_NONE : ISA_STOP_HALT;
}

/* Ends the wave if the debugger asked for that: there is no debugger. */
enum isa_stop salu_setkill(struct isa_wave *w, const struct isa_insn *i)
{
	(void)w;
	return i->lit & 1 ? ISA_STOP_END : ISA_STOP_NONE;
}

enum isa_stop salu_sendmsg(struct isa_wave *w, const struct isa_insn *i)
{
	if (isa_wave_arch(w)->msg[i->lit & (ISA_MSG_IDS - 1)] == ISA_MSG_DEALLOC_VGPRS)
		return ISA_STOP_NONE;
	w->ex->info = i->lit & 0xffff;
	return ISA_STOP_MSG;
}

/* The halt takes effect when the wave is to run again. */
enum isa_stop salu_sendmsghalt(struct isa_wave *w, const struct isa_insn *i)
{
	w->status |= ISA_STATUS_HALT;
	return salu_sendmsg(w, i);
}

/* Traps --------------------------------------------------------------------- */

enum isa_stop salu_trap(struct isa_wave *w, const struct isa_insn *i)
{
	w->ex->info = i->lit & 0xff;
	return ISA_STOP_TRAP;
}

/* The other source of s_rfe_restore_b64 is STATUS.INST_ATC, which does not exist here. */
enum isa_stop salu_rfe(struct isa_wave *w, const struct isa_insn *i)
{
	u64 pc = isa_sget64(w, i, i->src[0]);

	if (!(w->status & ISA_STATUS_PRIV))
		return isa_exec_illegal(w, i);
	w->status &= ~ISA_STATUS_PRIV;
	w->pc = pc & 0xffffffffffffull;
	/* No line has this address, so the loop looks the line up again and sees the halt. */
	w->line_va = ~0ull;
	return ISA_STOP_JUMP;
}

/* Fork and join ------------------------------------------------------------- */

#define CSP(w)		((w)->mode >> 29)

static void set_csp(struct isa_wave *w, u32 csp)
{
	w->mode = (w->mode & 0x1fffffff) | csp << 29;
}

/*
 * The smaller of the two groups of lanes goes on, the other is put on the
 * stack in SGPRs, four a level: EXEC, then where it continues.
 */
static enum isa_stop fork_lanes(struct isa_wave *w, u64 mask, u64 taken, u64 next)
{
	u64 exec = isa_exec(w), pass = mask & exec, fail = ~mask & exec;
	u64 other, pc = taken;
	bool go = pass == exec;
	u32 *s;

	if (!go && fail == exec) {
		w->pc = next;
		return ISA_STOP_JUMP;
	}
	if (!go) {
		go = mem_popcount(fail) >= mem_popcount(pass);
		other = go ? fail : pass;
		pc = go ? next : taken;
		s = &w->s[CSP(w) * 4];
		s[0] = (u32)other;
		s[1] = (u32)(other >> 32);
		s[2] = (u32)pc;
		s[3] = (u32)(pc >> 32);
		set_csp(w, (CSP(w) + 1) & 7);
		isa_set_exec(w, go ? pass : fail);
	}
	w->pc = go ? taken : next;
	return ISA_STOP_JUMP;
}

enum isa_stop salu_cbranch_g_fork(struct isa_wave *w, const struct isa_insn *i)
{
	return fork_lanes(w, isa_sget64(w, i, i->src[0]), isa_sget64(w, i, i->src[1]),
		    isa_insn_pc(w, i) + 4);
}

enum isa_stop salu_cbranch_i_fork(struct isa_wave *w, const struct isa_insn *i)
{
	u64 next = isa_insn_pc(w, i) + 4;

	return fork_lanes(w, isa_sget64(w, i, i->src[0]), next + (s64)(s32)i->lit * 4, next);
}

enum isa_stop salu_cbranch_join(struct isa_wave *w, const struct isa_insn *i)
{
	const u32 *s;

	if (CSP(w) == isa_sget32(w, i, i->src[0]))
		return ISA_STOP_NONE;
	set_csp(w, (CSP(w) - 1) & 7);
	s = &w->s[CSP(w) * 4];
	isa_set_exec(w, s[0] | (u64)s[1] << 32);
	w->pc = s[2] | (u64)s[3] << 32;
	return ISA_STOP_JUMP;
}
