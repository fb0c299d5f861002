/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Binding on gfx10 and gfx11: pairs of operations that are issued as one instruction
 * (RDNA3 ISA, "Dual issue VALU"), and rules that GFX9 does not have.
 */

/* ---- two operations in one instruction: neither sees what the other writes ---- */

/* Runs one of the two, with its result in @d. @t: three rows, for sources that are scalars */
static void dual_one(struct isa_wave *w, const struct isa_insn *i, struct isa_insn *x, u32 *d,
		     u32 (*t)[ISA_LANES])
{
	const struct lane_op *op = &lane_ops[x->op];
	struct lane_env e = { .w = w, .i = x, .exec = isa_exec(w), .round = w->mode & 3 };
	const u32 *s[3] = { NULL, NULL, NULL };
	unsigned int n;

	x->lit = i->lit;
	x->enc = ISA_ENC_VOP2;
	lane_place_literal(op, x);
	for (n = 0; n < 3 && op->src[n]; n++) {
		if (op->flags & LF_ACC && n == 2) {
			s[n] = lane_row(w, x->dst);
		} else if (lane_is_vgpr(x->src[n])) {
			s[n] = lane_row(w, x->src[n]);
		} else {
			lane_splat_row(t[n], (u32)lane_scalar_as(w, x, n, x->src[n], op->src[n]));
			s[n] = t[n];
		}
		if (op->src[n] == T_PKF && !(w->mode & 0x40) && !(op->flags & LF_NOFLUSH)) {
			lane_flush_f16(t[n], s[n]);
			s[n] = t[n];
		}
	}
	if (op->flags & LF_CIN)
		e.cin = isa_vcc(w);
	if (unlikely(w->record))
		isa_excp_record(w, x, s, e.exec);
	if (op->flags & LF_RNE)
		lane_set_mxcsr(lane_op_mxcsr(w, op, false));
	op->row(d, s[0], s[1], s[2], &e);
	if (op->flags & LF_RNE)
		lane_mode_f32(w);
}

static enum isa_stop dual(struct isa_wave *w, const struct isa_insn *i)
{
	struct isa_insn x = { .op = i->op, .dst = i->dst,
			      .src = { i->src[0], i->src[1], ISA_SRC_NONE } };
	struct isa_insn y = { .op = i->pair.op, .dst = i->pair.dst,
			      .src = { i->pair.src[0], i->pair.src[1], ISA_SRC_NONE } };

	dual_one(w, i, &x, w->tmp[6], &w->tmp[0]);
	dual_one(w, i, &y, w->tmp[7], &w->tmp[3]);
	lane_write(w, lane_row(w, i->dst), w->tmp[6], isa_exec(w));
	lane_write(w, lane_row(w, i->pair.dst), w->tmp[7], isa_exec(w));
	return ISA_STOP_NONE;
}

/* Can it be one of the two? It must have 32 bits, and write whole registers. */
static bool dual_ok(u16 code)
{
	const struct lane_op *op;

	if (code >= ISA_OP_COUNT)
		return false;
	op = &lane_ops[array_index_nospec(code, ISA_OP_COUNT)];
	return op->row && (op->dst == T_F32 || op->dst == T_U32 || op->dst == T_I32) &&
	       !(op->flags & (LF_CARRY | LF_CMPX | LF_FLUSH | LF_KEEP | LF_HI)) &&
	       !lane_is64(op->src[0]);
}

/* Two VGPRs whose numbers agree in the bits of @bits */
static bool dual_clash(u32 x, u32 y, u32 bits)
{
	return lane_is_vgpr(x) && lane_is_vgpr(y) && !((x ^ y) & bits);
}

/* What an operation of the two reads as its third source: ISA_SRC_NONE if that is no VGPR */
static u32 dual_third(u16 op, u32 dst, const u16 *src)
{
	if (op == ISA_OP_V_FMAMK_F32)
		return src[1];
	return lane_ops[array_index_nospec(op, ISA_OP_COUNT)].flags & LF_ACC ? dst : ISA_SRC_NONE;
}

/*
 * First sources come from different banks of VGPRs, as do second ones; of third ones, one has an
 * even number ("the instruction does not function if these rules are broken"). For two moves of
 * gfx12 that does not hold (LLVM, checkVOPDRegConstraints()).
 */
static bool dual_banks_ok(const struct isa_target *t, const struct isa_insn *i)
{
	u32 x = i->op == ISA_OP_V_FMAMK_F32 ? ISA_SRC_NONE : i->src[1];
	u32 y = i->pair.op == ISA_OP_V_FMAMK_F32 ? ISA_SRC_NONE : i->pair.src[1];

	if (isa_target_has(t, ISA_FEAT_SCOPES) && i->op == ISA_OP_V_MOV_B32 &&
	    i->pair.op == ISA_OP_V_MOV_B32)
		return true;
	return !dual_clash(i->src[0], i->pair.src[0], 3) && !dual_clash(x, y, 3) &&
	       !dual_clash(dual_third(i->op, i->dst, i->src),
			   dual_third(i->pair.op, i->pair.dst, i->pair.src), 1);
}

static bool lane_dual_bind(const struct isa_target *t, struct isa_insn *i)
{
	return dual_ok(i->op) && dual_ok(i->pair.op) && dual_banks_ok(t, i) && bind_one(i, dual);
}

/* ---- rules of these generations ---- */

/*
 * A compare that writes EXEC writes nothing else. A result of 16 bits leaves the other half of its
 * register alone, so the general path runs it. False: not executed.
 */
static bool lane_rdna_adapt(const struct isa_target *t, const struct lane_op *op,
			    struct isa_insn *i)
{
	bool gfx11 = isa_target_has(t, ISA_FEAT_GFX11_TEXT);

	/* LLVM has these only from gfx11.5 on (FeatureDPPSrc1SGPR). */
	if (gfx11 && i->mods & ISA_MOD_DPP && op->src[1] && i->src[1] < ISA_SRC_VGPR0 &&
	    !isa_target_has(t, ISA_FEAT_DPP_SCALAR))
		return false;
	/* Both halves get a constant (measured on Navi31: LLVM issue 94116). */
	if (gfx11 && i->op == ISA_OP_V_PK_FMAC_F16 && lane_is_fconst(i->src[0])) {
		i->lit = lane_const_f16[i->src[0] - 240] * 0x10001u;
		i->src[0] = ISA_SRC_LITERAL;
	}
	/* The other half of EXEC is nobody's mask. */
	if (i->sdst == ISA_SRC_EXEC_HI)
		return false;
	/* Nobody says whether a sign is that of one half, or of both. */
	if ((i->op == ISA_OP_V_DOT2_F16_F16 || i->op == ISA_OP_V_DOT2_BF16_BF16 ||
	     i->op == ISA_OP_V_PK_FMAC_F16) && (i->neg | i->abs) & 3)
		return false;
	if (op->flags & LF_CMPX && i->sdst == ISA_SRC_NONE)
		i->sdst = ISA_SRC_NULL;
	if (lane_is16(op->dst)) {
		/* The accumulator is the same half: LLVM 22's assembler refuses any other. */
		if (op->flags & LF_ACC && i->opsel & 8)
			i->opsel |= 4;
		i->mods |= ISA_MOD_KEEP;
	}
	return true;
}
