// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text of gfx10, 11 and 12: scalar and vector ALU. Lane masks are those of waves of 32
 * lanes, as LLVM prints them unless it is told otherwise.
 */
#include "disasm.h"

static bool is_half(const struct isa_text *x, const struct isa_opnd *o)
{
	return isa_target_has(x->t, ISA_FEAT_GFX11_TEXT) && o->type & ISA_T_HALF;
}

/* A register of a short encoding may be the upper half of one. */
static void put_half(struct isa_text *x, const struct isa_opnd *o, u32 code, u32 bit)
{
	if (x->in->enc <= ISA_ENC_VOPC && is_half(x, o) && code >= ISA_SRC_VGPR0 &&
	    x->in->opsel & bit)
		isa_put(x, ".h");
}

static void put_operand(struct isa_text *x, u32 code, const struct isa_opnd *o)
{
	struct isa_opnd lane = *o;

	if (o->kind == ISA_K_VCC)
		lane.dwords = x->family->wave_size / 32;
	isa_put_src(x, code, &lane);
}

static bool is_constant(u32 code)
{
	return (code >= ISA_SRC_INT0 && code <= ISA_SRC_INT_LAST) || code == ISA_SRC_LITERAL ||
	       (code >= ISA_SRC_FLOAT0 && code <= ISA_SRC_FLOAT_LAST);
}

/* "neg" is a word before constants, where "-" would change them. */
static void put_mod_src(struct isa_text *x, u32 n)
{
	const struct isa_opnd *o = &x->row->src[n];
	u32 code = x->in->src[n];
	bool neg = x->in->neg >> n & 1, abs = x->in->abs >> n & 1;
	bool word = neg && !abs && is_constant(code);

	isa_put_sep(x);
	isa_put(x, "%s%s", word ? "neg(" : neg ? "-" : "", abs ? "|" : "");
	put_operand(x, code, o);
	put_half(x, o, code, 1u << n);
	isa_put(x, "%s%s", abs ? "|" : "", word ? ")" : "");
}

static void put_sdwa_src(struct isa_text *x, u32 n)
{
	if (!(x->in->ctl >> (11 + 4 * n) & 1)) {
		put_mod_src(x, n);
		return;
	}
	isa_put_sep(x);
	isa_put(x, "sext(");
	isa_put_src(x, x->in->src[n], &x->row->src[n]);
	isa_put(x, ")");
}

static void put_sources(struct isa_text *x)
{
	const struct isa_row *r = x->row;
	u32 n, count = isa_dis_sources(r);

	for (n = 0; n < count; n++) {
		if (r->src[n].kind == ISA_K_LIT) {
			isa_put_sep(x);
			isa_put(x, "0x%x", x->in->lit);
		} else if (x->in->mods & ISA_MOD_SDWA && n < 2) {
			put_sdwa_src(x, n);
		} else {
			put_mod_src(x, n);
		}
	}
}

static void put_dst(struct isa_text *x)
{
	const struct isa_row *r = x->row;
	u32 lane = x->family->wave_size / 32;

	if (r->dst[0].kind == ISA_K_VCC) {
		isa_put_sep(x);
		isa_put_reg(x, x->in->sdst, lane);
	} else if (r->dst[0].kind) {
		isa_put_sep(x);
		isa_put_reg(x, x->in->dst, r->dst[0].dwords);
		put_half(x, &r->dst[0], x->in->dst, 8);
	}
	if (r->dst[1].kind) {
		isa_put_sep(x);
		isa_put_reg(x, x->in->sdst, lane);
	}
}

static void put_suffix(struct isa_text *x)
{
	const struct isa_row *r = x->row;
	bool is_long = x->in->enc == ISA_ENC_VOP3 || x->in->enc == ISA_ENC_VOP3P;
	bool has_long = !(r->flags & ISA_OPF_NOE64) && r->enc <= ISA_ENC_VOPC;

	if (x->in->mods & ISA_MOD_SDWA)
		isa_put(x, "_sdwa");
	else if (x->in->mods & ISA_MOD_DPP)
		isa_put(x, is_long ? "_e64_dpp" : r->enc == ISA_ENC_VOPC ? "" : "_dpp");
	else if (has_long && r->src[0].kind)
		isa_put(x, is_long ? "_e64" : "_e32");
}

static void put_dpp(struct isa_text *x)
{
	static const char * const row[] = { "row_shl", "row_shr", "row_ror" };
	u32 c = x->in->ctl & 0xfff, n;

	if (x->in->mods & ISA_MOD_DPP8) {
		isa_put(x, " dpp8:[");
		for (n = 0; n < 8; n++)
			isa_put(x, "%s%u", n ? "," : "", x->in->ctl >> 3 * n & 7);
		isa_put(x, "]%s", x->in->mods & ISA_MOD_FI ? " fi:1" : "");
		return;
	}
	if (c <= 0xff)
		isa_put(x, " quad_perm:[%u,%u,%u,%u]", c & 3, c >> 2 & 3, c >> 4 & 3, c >> 6 & 3);
	else if (c < 0x130)
		isa_put(x, " %s:%u", row[(c >> 4 & 3) % 3], c & 15);
	else if (c < 0x142)
		isa_put(x, c == 0x140 ? " row_mirror" : " row_half_mirror");
	else
		isa_put(x, " %s:%u", c < 0x160 ? "row_share" : "row_xmask", c & 15);
	isa_put(x, " row_mask:0x%x bank_mask:0x%x", x->in->ctl >> 16 & 15, x->in->ctl >> 12 & 15);
	if (x->in->mods & ISA_MOD_BOUND)
		isa_put(x, " bound_ctrl:1");
	if (x->in->mods & ISA_MOD_FI)
		isa_put(x, " fi:1");
}

/* From gfx11 on, whatever has 16 bits is one half or the other. */
static bool has_opsel(const struct isa_text *x)
{
	const struct isa_row *r = x->row;
	u32 n;

	if (r->flags & ISA_OPF_OPSEL || is_half(x, &r->dst[0]))
		return true;
	for (n = 0; n < 3; n++)
		if (r->src[n].kind && is_half(x, &r->src[n]))
			return true;
	return false;
}

/* The byte of four that is read, or written; gfx9 has other operations for it. */
static bool put_byte_sel(struct isa_text *x, u32 op, u32 s)
{
	u32 byte;

	if (op == ISA_OP_V_CVT_F32_FP8_BYTE || op == ISA_OP_V_CVT_F32_BF8_BYTE)
		byte = (s & 1) << 1 | (s >> 1 & 1);
	else if (op == ISA_OP_V_CVT_SR_FP8_F32_OCP || op == ISA_OP_V_CVT_SR_BF8_F32_OCP)
		byte = s >> 2 & 3;
	else
		return false;
	if (byte)
		isa_put(x, " byte_sel:%u", byte);
	return true;
}

static void put_opsel(struct isa_text *x)
{
	/* The accumulator counts. */
	u32 n = x->in->op == ISA_OP_V_FMAC_F16 ? 3 : isa_dis_sources(x->row), s = x->in->opsel;
	const u32 op = x->in->op;
	bool all, lanes = op == ISA_OP_V_PERMLANE16_B32 || op == ISA_OP_V_PERMLANEX16_B32 ||
		     op == ISA_OP_V_PERMLANE16_VAR_B32 || op == ISA_OP_V_PERMLANEX16_VAR_B32;

	if (!has_opsel(x))
		return;
	if (put_byte_sel(x, op, s))
		return;
	if (lanes) {
		if (s & 3)
			isa_put_bits(x, "op_sel", s, 2);
		return;
	}
	/* Packed sources have no selection. */
	if (x->in->op == ISA_OP_V_DOT2_F16_F16 || x->in->op == ISA_OP_V_DOT2_BF16_BF16)
		s &= 12;
	/* A bit for a destination behind those of the sources; DPP's compares have none. */
	all = x->row->dst[0].kind && !(x->row->enc == ISA_ENC_VOPC && x->in->mods & ISA_MOD_DPP);
	s = (s & ((1u << n) - 1)) | (x->row->enc == ISA_ENC_VOPC ? 0 : s >> 3 & 1) << n;
	if (s)
		isa_put_bits(x, "op_sel", s, n + all);
}

static void dis_vop(struct isa_text *x)
{
	put_suffix(x);
	put_dst(x);
	put_sources(x);
	if (x->in->mods & ISA_MOD_SDWA) {
		isa_dis_sdwa(x);
		return;
	}
	if (x->in->enc == ISA_ENC_VOP3) {
		put_opsel(x);
		isa_dis_omod(x);
	}
	if (x->in->mods & ISA_MOD_DPP)
		put_dpp(x);
}

static bool is_mix(u32 op)
{
	return op == ISA_OP_V_FMA_MIX_F32 || op == ISA_OP_V_FMA_MIXLO_F16 ||
	       op == ISA_OP_V_FMA_MIXHI_F16;
}

static void dis_vop3p(struct isa_text *x)
{
	const struct isa_insn *in = x->in;
	u32 n = isa_dis_sources(x->row), all = (1u << n) - 1, k;
	bool mix = is_mix(in->op), selects = x->row->flags & ISA_OPF_OPSEL;

	put_suffix(x);
	put_dst(x);
	for (k = 0; k < n; k++) {
		if (mix) {
			put_mod_src(x, k);
			continue;
		}
		isa_put_sep(x);
		isa_put_src(x, in->src[k], &x->row->src[k]);
	}
	if (isa_is_wmma(x->row) && x->row->src[2].dwords == 1 && in->opsel & 3)
		isa_put(x, " index_key:%u", in->opsel & 3);
	if (selects && in->opsel & all)
		isa_put_bits(x, "op_sel", in->opsel, n);
	if (selects && (in->opsel >> 4 & all) != (mix ? 0 : all))
		isa_put_bits(x, "op_sel_hi", in->opsel >> 4, n);
	if (!mix && in->neg & all)
		isa_put_bits(x, "neg_lo", in->neg, n);
	if (!mix && in->abs & all)
		isa_put_bits(x, "neg_hi", in->abs, n);
	if (in->mods & ISA_MOD_CLAMP)
		isa_put(x, " clamp");
	if (in->mods & ISA_MOD_DPP)
		put_dpp(x);
}

static void put_dual(struct isa_text *x, const struct isa_row *r, u16 dst, const u16 *src)
{
	u32 n;

	x->ops = 0;
	isa_put_sep(x);
	isa_put_reg(x, dst, 1);
	for (n = 0; n < 2 && r->src[n].kind; n++) {
		isa_put_sep(x);
		if (r->src[n].kind == ISA_K_LIT) {
			isa_put(x, "0x%x, ", x->in->lit);
			isa_put_reg(x, src[1], 1);
		} else {
			isa_put_src(x, src[n], &r->src[n]);
		}
	}
	if (r->src[2].kind == ISA_K_LIT) {
		isa_put_sep(x);
		isa_put(x, "0x%x", x->in->lit);
	}
}

/* The row of the second operation as an instruction of its own. */
static const struct isa_row *second_row(const struct isa_text *x)
{
	const u16 *slots = x->t->slots[ISA_ENC_VOPDY];
	u32 n;

	for (n = 0; n < x->t->nslots[ISA_ENC_VOPDY]; n++)
		if (slots[n] && isa_rows[slots[n]].op == x->in->pair.op)
			return &isa_rows[slots[n]];
	return x->row;		/* cannot come from the decoder */
}

/* Both names are those of the operations, less their "v_". */
static void dis_vopd(struct isa_text *x)
{
	const struct isa_insn *in = x->in;
	const struct isa_row *y = second_row(x);

	x->at = 0;
	isa_put(x, "v_dual_%s", isa_target_op_name(x->t, in->op) + 2);
	put_dual(x, x->row, in->dst, in->src);
	isa_put(x, " :: v_dual_%s", isa_target_op_name(x->t, y->op) + 2);
	put_dual(x, y, in->pair.dst, in->pair.src);
}

static void dis_vinterp(struct isa_text *x)
{
	u32 n;

	put_dst(x);
	for (n = 0; n < 3; n++)
		put_mod_src(x, n);
	if (x->in->mods & ISA_MOD_CLAMP)
		isa_put(x, " clamp");
	if (x->in->opsel)
		isa_put_bits(x, "op_sel", x->in->opsel, 4);
	isa_put(x, " wait_exp:%u", x->in->ctl);
}

static void dis_ldsdir(struct isa_text *x)
{
	bool gfx12 = isa_target_has(x->t, ISA_FEAT_SCOPES);
	u32 c = x->in->ctl;

	put_dst(x);
	if (x->in->op == ISA_OP_LDS_PARAM_LOAD)
		isa_put(x, ", attr%u.%c", c >> 2 & 63, "xyzw"[c & 3]);
	isa_put(x, " wait_%svdst:%u", gfx12 ? "va_" : "", c >> 8 & 15);
	if (gfx12)
		isa_put(x, " wait_vm_vsrc:%u", c >> 15 & 1);
}

static void dis_exp(struct isa_text *x)
{
	u32 n;

	isa_put(x, " %u", x->in->ctl >> 4 & 63);
	for (n = 0; n < 4; n++) {
		isa_put(x, n ? ", " : " ");
		if (x->in->ctl >> n & 1)
			isa_put_reg(x, x->in->src[n], 1);
		else
			isa_put(x, "off");
	}
}

static void dis_scalar(struct isa_text *x)
{
	const struct isa_row *r = x->row;
	const struct isa_insn *in = x->in;

	if (in->op == ISA_OP_S_SETREG_B32 || in->op == ISA_OP_S_SETREG_IMM32_B32) {
		isa_dis_rdna_imm(x, ISA_K_HWREG);
		isa_put_sep(x);
		if (in->op == ISA_OP_S_SETREG_B32)
			isa_put_reg(x, in->src[0], 1);
		else
			isa_put_src(x, ISA_SRC_LITERAL, &r->src[1]);
		return;
	}
	isa_dis_operands(x, isa_dis_rdna_imm);
}

void isa_dis_rdna(struct isa_text *x)
{
	switch (x->in->enc) {
	case ISA_ENC_SMEM:
		isa_dis_rdna_smem(x);
		break;
	case ISA_ENC_VOP1:
	case ISA_ENC_VOP2:
	case ISA_ENC_VOPC:
	case ISA_ENC_VOP3:
		dis_vop(x);
		break;
	case ISA_ENC_VOP3P:
		dis_vop3p(x);
		break;
	case ISA_ENC_VOPDX:
		dis_vopd(x);
		break;
	case ISA_ENC_VINTERP:
		dis_vinterp(x);
		break;
	case ISA_ENC_LDSDIR:
		dis_ldsdir(x);
		break;
	case ISA_ENC_EXP:
		dis_exp(x);
		break;
	case ISA_ENC_DS:
		isa_dis_ds(x);
		break;
	case ISA_ENC_FLAT:
	case ISA_ENC_GLOBAL:
	case ISA_ENC_SCRATCH:
		isa_dis_rdna_flat(x);
		break;
	case ISA_ENC_MUBUF:
	case ISA_ENC_MTBUF:
		isa_dis_rdna_buf(x);
		break;
	case ISA_ENC_MIMG:
	case ISA_ENC_VIMAGE:
	case ISA_ENC_VSAMPLE:
		isa_dis_rdna_image(x);
		break;
	default:
		dis_scalar(x);
	}
}
