// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scalar control: SOPK, SOPP, program counter, conditional and relative moves.
 * Semantics: CDNA2 ISA 12.2, 12.3, 12.5. Hardware registers, messages and traps
 * are in salu_sys.c.
 */
#include "salu.h"

#define CTL(NAME)	static enum isa_stop NAME(struct isa_wave *w, const struct isa_insn *i)

/* The register that a SOPK compare reads and a SOPK move writes. */
static u16 k_reg(const struct isa_insn *i)
{
	return (i->dst != ISA_SRC_NONE ? i->dst : i->src[0]) & 127;
}

/* SOPK ------------------------------------------------------------------- */

CTL(s_movk_i32)
{
	isa_sput32(w, k_reg(i), i->lit);
	return ISA_STOP_NONE;
}

CTL(s_cmovk_i32)
{
	if (w->scc)
		isa_sput32(w, k_reg(i), i->lit);
	return ISA_STOP_NONE;
}

#define CMPK(NAME, T, LIT, REL)							\
CTL(NAME)									\
{										\
	w->scc = (T)w->s[k_reg(i)] REL (T)(LIT);				\
	return ISA_STOP_NONE;							\
}

CMPK(s_cmpk_eq_i32, s32, i->lit, ==)
CMPK(s_cmpk_lg_i32, s32, i->lit, !=)
CMPK(s_cmpk_gt_i32, s32, i->lit, >)
CMPK(s_cmpk_ge_i32, s32, i->lit, >=)
CMPK(s_cmpk_lt_i32, s32, i->lit, <)
CMPK(s_cmpk_le_i32, s32, i->lit, <=)
CMPK(s_cmpk_eq_u32, u32, i->lit & 0xffff, ==)
CMPK(s_cmpk_lg_u32, u32, i->lit & 0xffff, !=)
CMPK(s_cmpk_gt_u32, u32, i->lit & 0xffff, >)
CMPK(s_cmpk_ge_u32, u32, i->lit & 0xffff, >=)
CMPK(s_cmpk_lt_u32, u32, i->lit & 0xffff, <)
CMPK(s_cmpk_le_u32, u32, i->lit & 0xffff, <=)

CTL(s_addk_i32)
{
	u32 a = w->s[k_reg(i)], d = a + i->lit;

	w->scc = (~(a ^ i->lit) & (a ^ d)) >> 31;
	isa_sput32(w, k_reg(i), d);
	return ISA_STOP_NONE;
}

CTL(s_mulk_i32)
{
	isa_sput32(w, k_reg(i), w->s[k_reg(i)] * i->lit);
	return ISA_STOP_NONE;
}

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

/* The loop goes on by slots: no address is needed inside a line. */
static enum isa_stop branch(struct isa_wave *w, const struct isa_insn *i)
{
	(void)w;
	(void)i;
	return ISA_STOP_BRANCH;
}

CTL(s_branch)
{
	return branch(w, i);
}

#define CBRANCH(NAME, COND)							\
CTL(NAME)									\
{										\
	return (COND) ? branch(w, i) : ISA_STOP_NONE;				\
}

CBRANCH(s_cbranch_scc0, !w->scc)
CBRANCH(s_cbranch_scc1, w->scc)
CBRANCH(s_cbranch_vccz, !isa_vcc(w))
CBRANCH(s_cbranch_vccnz, isa_vcc(w))
CBRANCH(s_cbranch_execz, !isa_exec(w))
CBRANCH(s_cbranch_execnz, isa_exec(w))
/* No debugger sets the flags that these test. */
CBRANCH(s_cbranch_cdbgsys, false)

static bool pair_ok(u16 code)
{
	return isa_sdst_ok(code, 2);
}

CTL(s_getpc_b64)
{
	if (!pair_ok(i->dst))
		return isa_exec_illegal(w, i);
	isa_sput64(w, i->dst, next_pc(w, i));
	return ISA_STOP_NONE;
}

CTL(s_setpc_b64)
{
	return jump(w, isa_sget64(w, i, i->src[0]));
}

CTL(s_swappc_b64)
{
	u64 pc = isa_sget64(w, i, i->src[0]);

	if (!pair_ok(i->dst))
		return isa_exec_illegal(w, i);
	isa_sput64(w, i->dst, next_pc(w, i));
	return jump(w, pc);
}

CTL(s_call_b64)
{
	if (!pair_ok(i->dst))
		return isa_exec_illegal(w, i);
	isa_sput64(w, i->dst, next_pc(w, i));
	return branch(w, i);
}

/* Conditional, bit and relative moves --------------------------------------- */

CTL(s_cmov_b32)
{
	if (w->scc)
		isa_sput32(w, i->dst, isa_sget32(w, i, i->src[0]));
	return ISA_STOP_NONE;
}

CTL(s_cmov_b64)
{
	if (!pair_ok(i->dst))
		return isa_exec_illegal(w, i);
	if (w->scc)
		isa_sput64(w, i->dst, isa_sget64(w, i, i->src[0]));
	return ISA_STOP_NONE;
}

static enum isa_stop bitset(struct isa_wave *w, const struct isa_insn *i, u32 wide, u32 on)
{
	u32 n = isa_sget32(w, i, i->src[0]) & (wide ? 63 : 31);
	u16 code = (i->dst & (wide ? 126 : 127)) + n / 32;
	u32 bit = 1u << (n & 31);

	if (unlikely(i->dst == ISA_SRC_NULL))
		return ISA_STOP_NONE;
	isa_sput32(w, code, on ? w->s[code] | bit : w->s[code] & ~bit);
	return ISA_STOP_NONE;
}

CTL(s_bitset0_b32)
{
	return bitset(w, i, 0, 0);
}

CTL(s_bitset0_b64)
{
	return bitset(w, i, 1, 0);
}

CTL(s_bitset1_b32)
{
	return bitset(w, i, 0, 1);
}

CTL(s_bitset1_b64)
{
	return bitset(w, i, 1, 1);
}

/* M0 comes from the guest: an index outside the SGPRs is an illegal access. */
static bool rel_ok(const struct isa_wave *w, u16 code, u32 dwords, u16 *out)
{
	u64 at = (u64)code + w->s[ISA_SRC_M0];

	u32 sgprs = isa_wave_arch(w)->max_sgprs;

	if (at + dwords > sgprs || (dwords == 2 && (at & 1)))
		return false;
	*out = array_index_nospec((u32)at, sgprs);
	return true;
}

CTL(s_movrels_b32)
{
	u16 c;

	if (!rel_ok(w, i->src[0], 1, &c))
		return isa_exec_illegal(w, i);
	isa_sput32(w, i->dst, w->s[c]);
	return ISA_STOP_NONE;
}

CTL(s_movrels_b64)
{
	u16 c;

	if (!rel_ok(w, i->src[0], 2, &c) || !pair_ok(i->dst))
		return isa_exec_illegal(w, i);
	isa_sput64(w, i->dst, isa_sfast_get64(w, c));
	return ISA_STOP_NONE;
}

CTL(s_movreld_b32)
{
	u16 c;

	if (!rel_ok(w, i->dst, 1, &c))
		return isa_exec_illegal(w, i);
	w->s[c] = isa_sget32(w, i, i->src[0]);
	return ISA_STOP_NONE;
}

CTL(s_movreld_b64)
{
	u16 c;

	if (!rel_ok(w, i->dst, 2, &c))
		return isa_exec_illegal(w, i);
	isa_sfast_put64(w, c, isa_sget64(w, i, i->src[0]));
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

CTL(s_set_gpr_idx_on)
{
	set_idx(w, isa_sget32(w, i, i->src[0]));
	set_idx_operands(w, (u32)i->offset);
	w->mode |= ISA_MODE_GPR_IDX_EN;
	return ISA_STOP_SWITCH;
}

CTL(s_set_gpr_idx_off)
{
	(void)i;
	w->mode &= ~(u32)ISA_MODE_GPR_IDX_EN;
	return ISA_STOP_SWITCH;
}

CTL(s_set_gpr_idx_idx)
{
	set_idx(w, isa_sget32(w, i, i->src[0]));
	return ISA_STOP_NONE;
}

CTL(s_set_gpr_idx_mode)
{
	set_idx_operands(w, i->lit);
	return ISA_STOP_NONE;
}

/* SOPP ---------------------------------------------------------------------- */

CTL(s_endpgm)
{
	(void)w;
	(void)i;
	return ISA_STOP_END;
}

CTL(s_barrier)
{
	(void)w;
	(void)i;
	return ISA_STOP_BARRIER;
}

CTL(s_sleep)
{
	(void)i;
	w->ex->info = 1;
	return ISA_STOP_BUDGET;
}

CTL(s_icache_inv)
{
	u64 pc = next_pc(w, i);

	w->cu->icache_epoch++;
	/* No line has this address: the loop enters, and compares, it anew. */
	w->line_va = ~0ull;
	return jump(w, pc);
}

CTL(s_wait)
{
	(void)w;
	(void)i;
	return ISA_STOP_NONE;
}

/* Performance counters and thread traces: nobody listens. */
CTL(s_no_effect)
{
	(void)w;
	(void)i;
	return ISA_STOP_NONE;
}

#define ROW(NAME, UP)	[ISA_OP_##UP] = NAME

static const isa_exec_fn rows[ISA_OP_COUNT] = {
	ROW(s_addk_i32, S_ADDK_I32),
	ROW(s_barrier, S_BARRIER),
	ROW(s_bitset0_b32, S_BITSET0_B32),
	ROW(s_bitset0_b64, S_BITSET0_B64),
	ROW(s_bitset1_b32, S_BITSET1_B32),
	ROW(s_bitset1_b64, S_BITSET1_B64),
	ROW(s_branch, S_BRANCH),
	ROW(s_call_b64, S_CALL_B64),
	ROW(s_cbranch_cdbgsys, S_CBRANCH_CDBGSYS),
	ROW(s_cbranch_cdbgsys, S_CBRANCH_CDBGSYS_AND_USER),
	ROW(s_cbranch_cdbgsys, S_CBRANCH_CDBGSYS_OR_USER),
	ROW(s_cbranch_cdbgsys, S_CBRANCH_CDBGUSER),
	ROW(s_cbranch_execnz, S_CBRANCH_EXECNZ),
	ROW(s_cbranch_execz, S_CBRANCH_EXECZ),
	ROW(s_cbranch_scc0, S_CBRANCH_SCC0),
	ROW(s_cbranch_scc1, S_CBRANCH_SCC1),
	ROW(s_cbranch_vccnz, S_CBRANCH_VCCNZ),
	ROW(s_cbranch_vccz, S_CBRANCH_VCCZ),
	ROW(s_cmov_b32, S_CMOV_B32),
	ROW(s_cmov_b64, S_CMOV_B64),
	ROW(s_cmovk_i32, S_CMOVK_I32),
	ROW(s_cmpk_eq_i32, S_CMPK_EQ_I32),
	ROW(s_cmpk_eq_u32, S_CMPK_EQ_U32),
	ROW(s_cmpk_ge_i32, S_CMPK_GE_I32),
	ROW(s_cmpk_ge_u32, S_CMPK_GE_U32),
	ROW(s_cmpk_gt_i32, S_CMPK_GT_I32),
	ROW(s_cmpk_gt_u32, S_CMPK_GT_U32),
	ROW(s_cmpk_le_i32, S_CMPK_LE_I32),
	ROW(s_cmpk_le_u32, S_CMPK_LE_U32),
	ROW(s_cmpk_lg_i32, S_CMPK_LG_I32),
	ROW(s_cmpk_lg_u32, S_CMPK_LG_U32),
	ROW(s_cmpk_lt_i32, S_CMPK_LT_I32),
	ROW(s_cmpk_lt_u32, S_CMPK_LT_U32),
	ROW(s_endpgm, S_ENDPGM),
	ROW(s_endpgm, S_ENDPGM_ORDERED_PS_DONE),
	ROW(s_endpgm, S_ENDPGM_SAVED),
	ROW(s_getpc_b64, S_GETPC_B64),
	ROW(s_icache_inv, S_ICACHE_INV),
	ROW(s_movk_i32, S_MOVK_I32),
	ROW(s_movreld_b32, S_MOVRELD_B32),
	ROW(s_movreld_b64, S_MOVRELD_B64),
	ROW(s_movrels_b32, S_MOVRELS_B32),
	ROW(s_movrels_b64, S_MOVRELS_B64),
	ROW(s_mulk_i32, S_MULK_I32),
	ROW(s_no_effect, S_DECPERFLEVEL),
	ROW(s_no_effect, S_INCPERFLEVEL),
	ROW(s_no_effect, S_TTRACEDATA),
	ROW(s_no_effect, S_WAKEUP),
	ROW(s_set_gpr_idx_idx, S_SET_GPR_IDX_IDX),
	ROW(s_set_gpr_idx_mode, S_SET_GPR_IDX_MODE),
	ROW(s_set_gpr_idx_off, S_SET_GPR_IDX_OFF),
	ROW(s_set_gpr_idx_on, S_SET_GPR_IDX_ON),
	ROW(s_setpc_b64, S_SETPC_B64),
	ROW(s_sleep, S_SLEEP),
	ROW(s_swappc_b64, S_SWAPPC_B64),
	ROW(s_wait, S_NOP),
	ROW(s_wait, S_WAITCNT),
};

bool isa_salu_is_wait(unsigned int op)
{
	return op < ISA_OP_COUNT && rows[array_index_nospec(op, ISA_OP_COUNT)] == s_wait;
}

isa_exec_fn salu_ctl_handler(unsigned int op)
{
	isa_exec_fn fn;

	if (op >= ISA_OP_COUNT)
		return NULL;
	fn = rows[array_index_nospec(op, ISA_OP_COUNT)];
	return fn ? fn : salu_sys_handler(op);
}
