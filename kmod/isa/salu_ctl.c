// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scalar control, which tab/sop.tab names: program counter, indexed registers, SOPP.
 * Semantics: CDNA2 ISA 12.2, 12.3, 12.5. Hardware registers, messages and traps
 * are in salu_sys.c.
 */
#include "barrier.h"
#include "salu.h"

/* Program counter ---------------------------------------------------------- */

static enum isa_stop jump(struct isa_wave *w, u64 pc)
{
	w->pc = pc;
	return ISA_STOP_JUMP;
}

/* All of these are one word long; folded waits behind them change i->size. */
static u64 next_pc(const struct isa_wave *w, const struct isa_insn *i)
{
	return isa_insn_pc(w, i) + 4;
}

enum isa_stop salu_getpc(struct isa_wave *w, const struct isa_insn *i)
{
	isa_sput64(w, i->dst, next_pc(w, i));
	return ISA_STOP_NONE;
}

enum isa_stop salu_setpc(struct isa_wave *w, const struct isa_insn *i)
{
	return jump(w, isa_sget64(w, i, i->src[0]));
}

enum isa_stop salu_swappc(struct isa_wave *w, const struct isa_insn *i)
{
	u64 pc = isa_sget64(w, i, i->src[0]);

	isa_sput64(w, i->dst, next_pc(w, i));
	return jump(w, pc);
}

enum isa_stop salu_call(struct isa_wave *w, const struct isa_insn *i)
{
	isa_sput64(w, i->dst, next_pc(w, i));
	return ISA_STOP_BRANCH;
}

/*
 * Subvector loops, gfx10 and gfx11: a wave of 64 lanes executes some code for its lower lanes, then
 * for its upper ones, and the half of EXEC whose turn it is not waits in a register, which may be
 * a half of EXEC. If no lane is on, begin leaves the code out, with its end. Sources: RDNA2 ISA,
 * 12.2, by those who have executed it (KytyPS5, c913951f7b13; SharpEmu); LLVM has both on gfx11.
 * What they do in waves of 32 lanes nobody says.
 */
enum isa_stop salu_subvector_loop_begin(struct isa_wave *w, const struct isa_insn *i)
{
	const u32 lo = w->s[ISA_SRC_EXEC_LO], hi = w->s[ISA_SRC_EXEC_HI];

	if (w->lanes != ISA_LANES)
		return isa_exec_illegal(w, i);
	if (!(lo | hi))
		return ISA_STOP_BRANCH;
	isa_sput32(w, i->src[0], lo ? hi : 0);
	if (lo)
		isa_sput32(w, ISA_SRC_EXEC_HI, 0);
	return ISA_STOP_NONE;
}

enum isa_stop salu_subvector_loop_end(struct isa_wave *w, const struct isa_insn *i)
{
	const u32 lo = w->s[ISA_SRC_EXEC_LO], hi = w->s[ISA_SRC_EXEC_HI];
	const u32 saved = isa_sget32(w, i, i->src[0]);

	if (w->lanes != ISA_LANES)
		return isa_exec_illegal(w, i);
	if (hi) {			/* the upper lanes were last */
		isa_sput32(w, ISA_SRC_EXEC_LO, saved);
		return ISA_STOP_NONE;
	}
	if (!saved)			/* there are only lower ones */
		return ISA_STOP_NONE;
	isa_sput32(w, ISA_SRC_EXEC_HI, saved);
	isa_sput32(w, i->src[0], lo);
	isa_sput32(w, ISA_SRC_EXEC_LO, 0);
	return ISA_STOP_BRANCH;
}

/* Indexed moves ------------------------------------------------------------ */

/* @by comes from the guest: an index outside the SGPRs is an illegal access. */
static bool rel_by(const struct isa_wave *w, u16 code, u32 by, u32 dwords, u16 *out)
{
	u64 at = (u64)code + by;
	u32 sgprs = isa_wave_arch(w)->max_sgprs;

	if (at + dwords > sgprs || (dwords == 2 && (at & 1)))
		return false;
	*out = array_index_nospec((u32)at, sgprs);
	return true;
}

static bool rel_ok(const struct isa_wave *w, u16 code, u32 dwords, u16 *out)
{
	return rel_by(w, code, w->s[ISA_SRC_M0], dwords, out);
}

enum isa_stop salu_movrels_b32(struct isa_wave *w, const struct isa_insn *i)
{
	u16 c;

	if (!rel_ok(w, i->src[0], 1, &c))
		return isa_exec_illegal(w, i);
	isa_sput32(w, i->dst, w->s[c]);
	return ISA_STOP_NONE;
}

enum isa_stop salu_movrels_b64(struct isa_wave *w, const struct isa_insn *i)
{
	u16 c;

	if (!rel_ok(w, i->src[0], 2, &c))
		return isa_exec_illegal(w, i);
	isa_sput64(w, i->dst, isa_sfast_get64(w, c));
	return ISA_STOP_NONE;
}

enum isa_stop salu_movreld_b32(struct isa_wave *w, const struct isa_insn *i)
{
	u16 c;

	if (!rel_ok(w, i->dst, 1, &c))
		return isa_exec_illegal(w, i);
	w->s[c] = isa_sget32(w, i, i->src[0]);
	return ISA_STOP_NONE;
}

enum isa_stop salu_movreld_b64(struct isa_wave *w, const struct isa_insn *i)
{
	u16 c;

	if (!rel_ok(w, i->dst, 2, &c))
		return isa_exec_illegal(w, i);
	isa_sfast_put64(w, c, isa_sget64(w, i, i->src[0]));
	return ISA_STOP_NONE;
}

/* gfx10 on: ten bits of M0 for the source, ten for the destination (RDNA2 ISA, 12.3) */
enum isa_stop salu_movrelsd_2_b32(struct isa_wave *w, const struct isa_insn *i)
{
	u32 m0 = w->s[ISA_SRC_M0];
	u16 from, to;

	if (!rel_by(w, i->src[0], m0 & 0x3ff, 1, &from) ||
	    !rel_by(w, i->dst, m0 >> 16 & 0x3ff, 1, &to))
		return isa_exec_illegal(w, i);
	w->s[to] = w->s[from];
	return ISA_STOP_NONE;
}

/* VGPR indexing: MODE bit GPR_IDX_EN, index M0[7:0], operands M0[15:12]. */

static void set_idx(struct isa_wave *w, u32 index)
{
	w->s[ISA_SRC_M0] = (w->s[ISA_SRC_M0] & ~0xffu) | (index & 0xff);
}

static void set_idx_operands(struct isa_wave *w, u32 which)
{
	w->s[ISA_SRC_M0] = (w->s[ISA_SRC_M0] & ~0xf000u) | (which & 15) << 12;
}

enum isa_stop salu_set_gpr_idx_on(struct isa_wave *w, const struct isa_insn *i)
{
	set_idx(w, isa_sget32(w, i, i->src[0]));
	set_idx_operands(w, (u32)i->offset);
	w->mode |= ISA_MODE_GPR_IDX_EN;
	return ISA_STOP_SWITCH;
}

enum isa_stop salu_set_gpr_idx_off(struct isa_wave *w, const struct isa_insn *i)
{
	(void)i;
	w->mode &= ~(u32)ISA_MODE_GPR_IDX_EN;
	return ISA_STOP_SWITCH;
}

enum isa_stop salu_set_gpr_idx_idx(struct isa_wave *w, const struct isa_insn *i)
{
	set_idx(w, isa_sget32(w, i, i->src[0]));
	return ISA_STOP_NONE;
}

enum isa_stop salu_set_gpr_idx_mode(struct isa_wave *w, const struct isa_insn *i)
{
	set_idx_operands(w, i->lit);
	return ISA_STOP_NONE;
}

/* SOPP ---------------------------------------------------------------------- */

enum isa_stop salu_endpgm(struct isa_wave *w, const struct isa_insn *i)
{
	(void)w;
	(void)i;
	return ISA_STOP_END;
}

enum isa_stop salu_barrier(struct isa_wave *w, const struct isa_insn *i)
{
	(void)w;
	(void)i;
	return ISA_STOP_BARRIER;
}

/*
 * Barriers of gfx12: -1 is the group's, -2 that of trap handlers, which others' code signals and
 * waits for without effect (RDNA4 ISA, S_BARRIER_SIGNAL, S_BARRIER_WAIT). Named ones are refused.
 */
static enum isa_stop split_barrier(struct isa_wave *w, const struct isa_insn *i, u32 id, u32 what)
{
	if (id == (u32)-1)
		w->ex->info = ISA_BARRIER_GROUP | what;
	else if (id != (u32)-2)
		return isa_exec_illegal(w, i);
	else if (w->status & ISA_STATUS_PRIV)
		w->ex->info = ISA_BARRIER_TRAP | what;
	else
		return ISA_STOP_NONE;
	return ISA_STOP_BARRIER;
}

enum isa_stop salu_barrier_signal(struct isa_wave *w, const struct isa_insn *i)
{
	/* A number from M0 is never negative. */
	u32 id = i->src[0] == ISA_SRC_M0 ? w->s[ISA_SRC_M0] & 31 : isa_sget32(w, i, i->src[0]);

	return split_barrier(w, i, id, ISA_BARRIER_SIGNAL);
}

enum isa_stop salu_barrier_signal_isfirst(struct isa_wave *w, const struct isa_insn *i)
{
	u32 id = i->src[0] == ISA_SRC_M0 ? w->s[ISA_SRC_M0] & 31 : isa_sget32(w, i, i->src[0]);
	enum isa_stop stop = split_barrier(w, i, id, ISA_BARRIER_SIGNAL | ISA_BARRIER_FIRST);

	/* Otherwise whoever runs the group says so. */
	if (stop == ISA_STOP_NONE)
		w->scc = 0;
	return stop;
}

enum isa_stop salu_barrier_wait(struct isa_wave *w, const struct isa_insn *i)
{
	return split_barrier(w, i, (u32)(s32)(s16)i->lit, ISA_BARRIER_WAIT);
}

enum isa_stop salu_sleep(struct isa_wave *w, const struct isa_insn *i)
{
	(void)i;
	w->ex->info = 1;
	return ISA_STOP_BUDGET;
}

enum isa_stop salu_icache_inv(struct isa_wave *w, const struct isa_insn *i)
{
	u64 pc = next_pc(w, i);

	w->cu->icache_epoch++;
	/* No line has this address, so the loop looks the line up again and compares it. */
	w->line_va = ~0ull;
	return jump(w, pc);
}

enum isa_stop salu_wait(struct isa_wave *w, const struct isa_insn *i)
{
	(void)w;
	(void)i;
	return ISA_STOP_NONE;
}

/* Performance counters and thread traces: nobody listens. */
enum isa_stop salu_no_effect(struct isa_wave *w, const struct isa_insn *i)
{
	(void)w;
	(void)i;
	return ISA_STOP_NONE;
}
