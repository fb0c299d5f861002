/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Choice of handlers for an instruction, and the FP state of a wave.
 */

#include "lane_mem.inc.c"

/* Puts the literal of v_madmk, v_madak and the like in its place among the sources. */
static void lane_place_literal(const struct lane_op *op, struct isa_insn *i)
{
	if (op->flags & LF_LITA) {
		i->src[2] = ISA_SRC_LITERAL;
	} else if (op->flags & LF_LITK && i->src[1] != ISA_SRC_LITERAL) {
		i->src[2] = i->src[1];
		i->src[1] = ISA_SRC_LITERAL;
	}
}

/* Modifiers that only the general path knows. */
static bool lane_is_plain(const struct lane_op *op, const struct isa_insn *i)
{
	if (i->mods & (ISA_MOD_CLAMP | ISA_MOD_SDWA | ISA_MOD_DPP | ISA_MOD_KEEP) || i->omod)
		return false;
	if (i->opsel && i->enc != ISA_ENC_VOP3P)
		return false;
	if (i->enc == ISA_ENC_VOP3P)
		return false;
	return !op->dst || lane_is_vgpr(i->dst);
}

/* Whether lane_plain() may run it. */
static bool lane_is_simple(const struct lane_op *op, const struct isa_insn *i)
{
	unsigned int n;

	if (i->neg || i->abs)
		return false;
	if (i->enc != ISA_ENC_VOP3P)
		return lane_is_plain(op, i);
	if (i->mods & (ISA_MOD_CLAMP | ISA_MOD_DPP) || i->omod || !lane_is_vgpr(i->dst))
		return false;
	for (n = 0; n < 3 && op->src[n]; n++) {
		u32 halves = i->opsel >> n & 0x11, type = op->src[n];

		/* floats as they are; packed halves each from its own half */
		if (type == T_MIX && halves & 0x10)
			return false;
		if ((lane_is_pk16(type) || type == T_PKF32) && halves != 0x10)
			return false;
		if (!lane_is_vgpr(i->src[n]) && !(op->flags & LF_ACC && n == 2))
			return false;
	}
	return true;
}

/* The same, but for its DPP */
static bool lane_is_dpp_simple(const struct lane_op *op, const struct isa_insn *i)
{
	struct isa_insn bare = *i;

	bare.mods &= ~ISA_MOD_DPP;
	return i->mods & ISA_MOD_DPP && i->enc != ISA_ENC_VOP3P && lane_is_simple(op, &bare);
}

static unsigned int lane_form(const struct lane_op *op, const struct isa_insn *i)
{
	unsigned int n, nsrc = 0;
	bool vgprs = true;

	for (n = 0; n < 3 && op->src[n]; n++) {
		if (op->flags & LF_ACC && n == 2)
			break;
		nsrc++;
		if (n && !lane_is_vgpr(i->src[n]))
			vgprs = false;
	}
	if (i->neg || i->abs || !nsrc)
		return LANE_FORM_ANY;
	if (vgprs && lane_is_vgpr(i->src[0]))
		return LANE_FORM_VV;
	if (vgprs && i->src[0] < ISA_SRC_VGPR0)
		return LANE_FORM_SV;
	return LANE_FORM_ANY;
}

/* The same of LF_WIDE: LANE_WIDE_FORMS for what lane_plain() or lane_generic() does */
static unsigned int lane_wide_form(const struct lane_op *op, const struct isa_insn *i)
{
	static const u8 of_scalar[3] = { LANE_FORM_SV, LANE_FORM_S1, LANE_FORM_S2 };
	unsigned int n, scalars = 0, form = i->neg || i->abs ? LANE_FORM_ANY : LANE_FORM_VV;

	for (n = 0; n < 3 && op->src[n]; n++) {
		if (op->flags & LF_ACC && n == 2)
			break;
		if (!lane_is_vgpr(i->src[n]) && i->src[n] >= ISA_SRC_VGPR0)
			return LANE_WIDE_FORMS;		/* accumulation registers */
		if (i->src[n] >= ISA_SRC_VGPR0)
			continue;
		form = of_scalar[n];
		if (scalars++ || i->abs)
			return LANE_WIDE_FORMS;
	}
	return form;
}

/* Registers that a destination or source of @type spans past its first. */
static bool lane_in_file(u32 code, unsigned int type)
{
	u32 extra = lane_is64(type);

	if (code < ISA_SRC_VGPR0)
		return true;
	return code + extra < ISA_SRC_ACC0 ||
	       (code >= ISA_SRC_ACC0 && code + extra < ISA_SRC_ACC0 + 256);
}

static bool lane_operands_ok(const struct lane_op *op, const struct isa_insn *i)
{
	unsigned int n;

	if (op->dst && (i->dst < ISA_SRC_VGPR0 || !lane_in_file(i->dst, op->dst)))
		return false;
	for (n = 0; n < 3 && op->src[n]; n++) {
		if (op->flags & LF_ACC && n == 2)
			break;
		if (!lane_in_file(i->src[n], op->src[n]) ||
		    i->src[n] == ISA_SRC_LDS_DIRECT)
			return false;
	}
	return true;
}

static u16 lane_place(u32 code)
{
	return code < ISA_SRC_VGPR0 ? code : (code & 0xff) * (ISA_LANES / 2);
}

/* See lane_at(). For other operands than VGPRs the value means nothing and is not used. */
static void lane_place_rows(struct isa_insn *i)
{
	u16 *at = isa_slot_of(i)->at;
	unsigned int n;

	at[0] = lane_place(i->dst);
	for (n = 0; n < 3; n++)
		at[1 + n] = lane_place(i->src[n]);
}

/* May a scalar second source change places with the first? */
static bool lane_turn(const struct lane_op *op, struct isa_insn *i)
{
	u16 *at = isa_slot_of(i)->at, row = at[1];

	if (!(op->flags & LF_COMM) || i->neg || i->abs || !lane_is_vgpr(i->src[0]) ||
	    i->src[1] >= ISA_SRC_VGPR0)
		return false;
	at[1] = at[2];
	at[2] = row;
	return true;
}

/* VOP3P with handlers of its own, which look at op_sel: v_pk_mov_b32 */
static bool lane_is_pk_mov(const struct lane_op *op, const struct isa_insn *i)
{
	return i->enc == ISA_ENC_VOP3P && op->fast && !(i->mods & (ISA_MOD_CLAMP | ISA_MOD_DPP)) &&
	       lane_is_vgpr(i->dst);
}

/* The handler for partial EXEC if the operation works in place, or NULL. */
static isa_exec_fn lane_in_place(const struct lane_op *op, const struct isa_insn *i,
				 unsigned int form, unsigned int first)
{
	const isa_exec_fn *in;

	if (!(op->flags & LF_IN))
		return NULL;
	in = op->fast[LANE_FORM_IN + form];
	if (i->dst == i->src[op->src[2] ? 2 : !first] && in[1])
		return in[1];
	return i->dst == i->src[first] ? in[0] : NULL;
}

/* See lane_sdwa(). */
static bool lane_is_sdwa_plain(const struct lane_op *op, const struct isa_insn *i)
{
	return (i->mods & (ISA_MOD_CLAMP | ISA_MOD_SDWA | ISA_MOD_DPP)) == ISA_MOD_SDWA &&
	       !i->omod && (i->ctl & 7) == SDWA_DWORD && op->fast &&
	       !(op->flags & ~LF_FORMS) &&
	       (op->dst == T_U32 || op->dst == T_I32 || op->dst == T_F32) &&
	       !lane_is_fp64(op->src[0]);
}

/* See lane_part(). */
static bool lane_sdwa_bind(const struct lane_op *op, struct isa_insn *i)
{
	const isa_exec_fn (*fast)[2] = op->fast;
	unsigned int first = i->ctl >> 8 & 15, second = i->ctl >> 12 & 15;
	isa_exec_fn in;

	if (!(op->flags & LF_SDWA) || !lane_is_sdwa_plain(op, i) || i->neg || i->abs ||
	    first > SDWA_DWORD || second > SDWA_DWORD || !lane_is_vgpr(i->dst) ||
	    !lane_is_vgpr(i->src[0]) || !lane_is_vgpr(i->src[1]))
		return false;
	lane_place_rows(i);
	isa_bind_to(i, fast[LANE_FORM_SDWA][0], fast[LANE_FORM_SDWA][1]);
	in = op->flags & LF_IN ? fast[LANE_FORM_IN + LANE_FORM_SDWA][1] : NULL;
	if (in && second == SDWA_DWORD && i->dst == i->src[1])
		isa_slot_of(i)->exec[0] = in;
	return true;
}

#ifdef ISA_HAVE_RDNA
#include "lane_dual.inc.c"
#endif

/*
 * gfx11 has op_sel of dot products of halves in the encoding, and is documented to ignore it (LLVM,
 * hasDOTOpSelHazard()). With another choice than the usual one they are refused.
 */
static bool lane_dot_ignores(const struct isa_target *t, const struct isa_insn *i)
{
	if (i->op != ISA_OP_V_DOT2_F32_F16_GFX11 && i->op != ISA_OP_V_DOT2_F32_BF16_GFX11 &&
	    i->op != ISA_OP_V_DOT2_I32_I16 && i->op != ISA_OP_V_DOT2_U32_U16)
		return false;
	return i->enc == ISA_ENC_VOP3P && (i->opsel & 0x33) != 0x30 &&
	       isa_target_has(t, ISA_FEAT_GFX11_TEXT);
}

static bool lane_alu_bind(const struct isa_target *t, struct isa_insn *i)
{
	const struct lane_op *op;
	unsigned int form, first = 0;
	isa_exec_fn in;

	if (i->op >= ISA_OP_COUNT)
		return false;
	op = &lane_ops[i->op];
	if (op->special)
		return op->special(t, i);
	if (!op->row || lane_dot_ignores(t, i))
		return false;
	lane_place_literal(op, i);
#ifdef ISA_HAVE_RDNA
	if (isa_target_has(t, ISA_FEAT_RDNA) && !lane_rdna_adapt(t, op, i))
		return false;
#endif
	if (!lane_operands_ok(op, i))
		return false;
	if (lane_sdwa_bind(op, i))
		return true;
	isa_bind_to(i, lane_generic, lane_generic);
	if (lane_is_sdwa_plain(op, i)) {
		isa_bind_to(i, lane_sdwa_part, lane_sdwa_full);
	} else if (lane_is_simple(op, i)) {
		isa_bind_to(i, lane_plain_part, lane_plain_full);
	} else if (lane_is_dpp_simple(op, i)) {
		isa_bind_to(i, lane_dpp_part, lane_dpp_full);
	}
	if (lane_is_pk_mov(op, i))
		isa_bind_to(i, op->fast[LANE_FORM_ANY][0], op->fast[LANE_FORM_ANY][1]);
	if (!op->fast || !lane_is_plain(op, i))
		return true;
	form = op->flags & LF_WIDE ? lane_wide_form(op, i) : lane_form(op, i);
	if (form == LANE_WIDE_FORMS || !op->fast[form][0])
		return true;
	lane_place_rows(i);
	if (form == LANE_FORM_ANY && lane_turn(op, i)) {	/* nothing of 64 bits commutes */
		form = LANE_FORM_SV;
		first = 1;
	}
	in = lane_in_place(op, i, form, first);
	isa_bind_to(i, in ? in : op->fast[form][0], op->fast[form][1]);
	return true;
}

static bool lane_bind(const struct isa_target *t, struct isa_slot *s)
{
	struct isa_insn *i = &s->in;

	switch (i->enc) {
	case ISA_ENC_VOP1:
	case ISA_ENC_VOP2:
	case ISA_ENC_VOPC:
	case ISA_ENC_VOP3:
	case ISA_ENC_VOP3P:
		return lane_alu_bind(t, i);
#ifdef ISA_HAVE_RDNA
	case ISA_ENC_VOPDX:
		return lane_dual_bind(t, i);
#endif
	case ISA_ENC_DS:
	case ISA_ENC_FLAT:
	case ISA_ENC_GLOBAL:
	case ISA_ENC_SCRATCH:
	case ISA_ENC_MUBUF:
	case ISA_ENC_MTBUF:
		return lane_mem_bind(t, i);
	}
	return false;
}

/*
 * The general path notes exceptions, as do the handlers of two operations in one instruction.
 * Operations without a row function raise none.
 */
static enum isa_stop lane_record(struct isa_wave *w, const struct isa_insn *i)
{
	if (lane_ops[i->op].row && i->enc != ISA_ENC_VOPDX)
		return lane_generic(w, i);
	return isa_slot_of(i)->exec[w->full](w, i);
}

static void lane_enter(struct isa_wave *w)
{
	lane_mode_f32(w);
}

static void lane_leave(struct isa_wave *w)
{
	(void)w;
	lane_set_mxcsr(0x1f80);
}

const struct isa_lane_ops LANE_OPS = {
	.name = LANE_NAME,
	.cpu = LANE_CPU,
	.bind = lane_bind,
	.record = lane_record,
	.enter = lane_enter,
	.leave = lane_leave,
};
