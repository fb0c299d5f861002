/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside the scalar ALU: what tab/sop.tab says in expressions is generated, for
 * salu.c; functions that it names are in salu_ctl.c (control), salu_sys.c (the wave's
 * system state) and salu_float.c.
 */
#ifndef ISA_SALU_H
#define ISA_SALU_H

#include "scalar.h"

/**
 * struct salu_op - one scalar operation
 * @fast: handler where every operand is a plain word of the file
 * @any: handler for any operand
 */
struct salu_op {
	isa_exec_fn fast, any;
};

/* Messages with an answer */
#define SALU_RTN_GET_DOORBELL	128
#define SALU_RTN_GET_REALTIME	131

/* ISA_STOP_MSG's info if it is one: this bit, the message, the SGPR that wants the answer */
#define SALU_MSG_RTN	BIT(31)
#define SALU_MSG_DST	8

/* salu_ctl.c */
enum isa_stop salu_getpc(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_setpc(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_swappc(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_call(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_subvector_loop_begin(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_subvector_loop_end(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_movrels_b32(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_movrelsd_2_b32(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_movrels_b64(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_movreld_b32(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_movreld_b64(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_set_gpr_idx_on(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_set_gpr_idx_off(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_set_gpr_idx_idx(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_set_gpr_idx_mode(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_endpgm(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_barrier(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_barrier_signal(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_barrier_signal_isfirst(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_barrier_wait(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_sleep(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_icache_inv(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_wait(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_no_effect(struct isa_wave *w, const struct isa_insn *i);

/* salu_sys.c */
enum isa_stop salu_getreg(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_setreg(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_setreg_imm32(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_round_mode(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_denorm_mode(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_sendmsg_rtn(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_setprio(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_setvskip(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_sethalt(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_setkill(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_sendmsg(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_sendmsghalt(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_trap(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_rfe(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_cbranch_g_fork(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_cbranch_i_fork(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop salu_cbranch_join(struct isa_wave *w, const struct isa_insn *i);

/* salu_float.c; whether an operation of floats has sources that are known */
enum isa_stop salu_float(struct isa_wave *w, const struct isa_insn *i);
bool salu_float_bind(const struct isa_insn *i);

#endif /* ISA_SALU_H */
