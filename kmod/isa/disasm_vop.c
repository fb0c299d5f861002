// SPDX-License-Identifier: GPL-2.0-only
/* Text of vector ALU instructions in all their forms. */
#include "disasm.h"

/* Source modifiers: "neg" is a word before constants, where "-" would change them. */
static void put_mod_src(struct isa_text *x, u32 n, u32 code, const struct isa_opnd *o)
{
	bool neg = x->in->neg >> n & 1, abs = x->in->abs >> n & 1;
	bool constant = (code >= ISA_SRC_INT0 && code <= 208) || (code >= 240 && code <= 248) ||
			code == ISA_SRC_LITERAL;
	bool word = neg && !abs && constant;

	isa_put_sep(x);
	isa_put(x, "%s%s", word ? "neg(" : neg ? "-" : "", abs ? "|" : "");
	isa_put_src(x, code, o);
	isa_put(x, "%s%s", abs ? "|" : "", word ? ")" : "");
}

static void put_sdwa_src(struct isa_text *x, u32 n)
{
	const struct isa_opnd *o = &x->row->src[n];
	bool sext = x->in->ctl >> (11 + 4 * n) & 1;

	if (!sext) {
		put_mod_src(x, n, x->in->src[n], o);
		return;
	}
	isa_put_sep(x);
	isa_put(x, "sext(");
	isa_put_src(x, x->in->src[n], o);
	isa_put(x, ")");
}

void isa_dis_omod(struct isa_text *x)
{
	static const char * const text[] = { "", " mul:2", " mul:4", " div:2" };

	if (x->in->mods & ISA_MOD_CLAMP)
		isa_put(x, " clamp");
	isa_put(x, "%s", text[x->in->omod & 3]);
}

void isa_dis_sdwa(struct isa_text *x)
{
	static const char * const sel[] = {
		"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD",
	};
	static const char * const unused[] = {
		"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE",
	};
	u32 c = x->in->ctl;

	isa_dis_omod(x);
	if (x->row->enc != ISA_ENC_VOPC)
		isa_put(x, " dst_sel:%s dst_unused:%s", sel[c & 7], unused[c >> 3 & 3]);
	isa_put(x, " src0_sel:%s", sel[c >> 8 & 7]);
	if (x->row->src[1].kind == ISA_K_V)
		isa_put(x, " src1_sel:%s", sel[c >> 12 & 7]);
}

static void put_dpp(struct isa_text *x)
{
	static const char * const wave[] = {
		"wave_shl:1", "wave_rol:1", "wave_shr:1", "wave_ror:1",
	};
	static const char * const row[] = { "row_shl", "row_shr", "row_ror" };
	u32 c = x->in->ctl & 0xfff;

	if (c <= 0xff)
		isa_put(x, " quad_perm:[%u,%u,%u,%u]", c & 3, c >> 2 & 3, c >> 4 & 3, c >> 6 & 3);
	else if (c < 0x130)
		isa_put(x, " %s:%u", row[(c >> 4 & 3) % 3], c & 15);
	else if (c < 0x140)
		isa_put(x, " %s", wave[c >> 2 & 3]);
	else if (c < 0x142)
		isa_put(x, c == 0x140 ? " row_mirror" : " row_half_mirror");
	else if (c < 0x150)
		isa_put(x, " row_bcast:%u", c == 0x142 ? 15 : 31);
	else
		isa_put(x, " row_newbcast:%u", c & 15);
	isa_put(x, " row_mask:0x%x bank_mask:0x%x", x->in->ctl >> 16 & 15, x->in->ctl >> 12 & 15);
	if (x->in->mods & ISA_MOD_BOUND)
		isa_put(x, " bound_ctrl:1");
}

static void put_dst(struct isa_text *x)
{
	const struct isa_row *r = x->row;
	const struct isa_insn *in = x->in;

	if (r->dst[0].kind == ISA_K_VCC) {
		isa_put_sep(x);
		isa_put_reg(x, in->sdst, 2);
	} else if (r->dst[0].kind) {
		isa_put_sep(x);
		isa_put_reg(x, in->dst, r->dst[0].dwords);
	}
	if (r->dst[1].kind) {
		isa_put_sep(x);
		isa_put_reg(x, in->sdst, 2);
	}
}

static void put_opsel(struct isa_text *x)
{
	/* Operations with a byte as result use the op_sel bit of a third source. */
	bool third = x->row->flags & ISA_OPF_OPSEL && x->row->ignored & 4;
	u32 n = third ? 3 : isa_dis_sources(x->row), s = x->in->opsel;

	if (!s)
		return;
	isa_put_bits(x, "op_sel", (s & ((1u << n) - 1)) | (s >> 3 & 1) << n, n + 1);
}

/* LLVM counts a third operand for op_sel, and shows op_sel_hi in any case but 1, 1, 1. */
static void put_scales(struct isa_text *x)
{
	const struct isa_insn *in = x->in;

	isa_put_sep(x);
	isa_put_reg(x, in->ctl & 0xffff, 1);
	isa_put_sep(x);
	isa_put_reg(x, in->ctl >> 16, 1);
	if (in->abs & 3)
		isa_put_bits(x, "op_sel", in->abs & 3, 3);
	isa_put_bits(x, "op_sel_hi", in->abs >> 2 & 3, 3);
}

static void dis_matrix(struct isa_text *x)
{
	const struct isa_insn *in = x->in;
	u32 n, cbsz = in->opsel & 7, abid = in->opsel >> 4 & 15;
	/* The f64 operations of gfx90a on negate sources with the blgp bits on gfx940. */
	for (n = 0; n < 3; n++) {
		struct isa_opnd o = x->row->src[n];

		o.dwords = isa_src_dwords(x->row, in, n);
		isa_put_sep(x);
		isa_put_src(x, in->src[n], &o);
	}
	if (x->row->enc == ISA_ENC_SCALED) {
		put_scales(x);
		abid = 0;
	}
	if (cbsz)
		isa_put(x, " cbsz:%u", cbsz);
	if (abid)
		isa_put(x, " abid:%u", abid);
	if (!in->neg)
		return;
	if (isa_target_has(x->t, ISA_FEAT_MFMA_F64_NEG) && x->row->src[0].dwords == 2 &&
	    (in->op == ISA_OP_V_MFMA_F64_16X16X4F64 || in->op == ISA_OP_V_MFMA_F64_4X4X4F64))
		isa_put_bits(x, "neg", in->neg, 3);
	else
		isa_put(x, " blgp:%u", in->neg);
}

static void dis_vop3p(struct isa_text *x)
{
	const struct isa_insn *in = x->in;
	const struct isa_row *r = x->row;
	u32 n = isa_dis_sources(r), all = (1u << n) - 1, k;
	bool mix = in->op == ISA_OP_V_FMA_MIX_F32 || in->op == ISA_OP_V_FMA_MIXLO_F16 ||
		   in->op == ISA_OP_V_FMA_MIXHI_F16 || in->op == ISA_OP_V_MAD_MIX_F32 ||
		   in->op == ISA_OP_V_MAD_MIXLO_F16 || in->op == ISA_OP_V_MAD_MIXHI_F16;

	for (k = 0; k < n; k++) {
		if (mix) {
			put_mod_src(x, k, in->src[k], &r->src[k]);
			continue;
		}
		isa_put_sep(x);
		isa_put_src(x, in->src[k], &r->src[k]);
	}
	if (in->opsel & all)
		isa_put_bits(x, "op_sel", in->opsel, n);
	if ((in->opsel >> 4 & all) != (mix ? 0 : all))
		isa_put_bits(x, "op_sel_hi", in->opsel >> 4, n);
	if (!mix && in->neg & all)
		isa_put_bits(x, "neg_lo", in->neg, n);
	if (!mix && in->abs & all)
		isa_put_bits(x, "neg_hi", in->abs, n);
	if (in->mods & ISA_MOD_CLAMP)
		isa_put(x, " clamp");
}

static void put_suffix(struct isa_text *x)
{
	const struct isa_row *r = x->row;

	if (x->in->mods & ISA_MOD_SDWA)
		isa_put(x, "_sdwa");
	else if (x->in->mods & ISA_MOD_DPP)
		isa_put(x, "_dpp");
	else if (r->op == ISA_OP_V_PK_FMAC_F16)	/* no VOP3 form, and yet */
		isa_put(x, "_e32");
	else if (r->enc <= ISA_ENC_VOPC && !(r->flags & ISA_OPF_NOE64) && r->src[0].kind)
		isa_put(x, x->in->enc == ISA_ENC_VOP3 ? "_e64" : "_e32");
}

void isa_dis_vop(struct isa_text *x)
{
	const struct isa_insn *in = x->in;
	const struct isa_row *r = x->row;
	u32 n, count = isa_dis_sources(r);

	put_suffix(x);
	put_dst(x);
	if (in->enc == ISA_ENC_VOP3P) {
		if (r->dst[0].kind == ISA_K_A && r->src[0].kind == ISA_K_A)
			dis_matrix(x);
		else if (count == 1)
			put_mod_src(x, 0, in->src[0], &r->src[0]);
		else
			dis_vop3p(x);
		return;
	}
	for (n = 0; n < count; n++) {
		if (r->src[n].kind == ISA_K_LIT) {
			isa_put_sep(x);
			isa_put(x, "0x%x", in->lit);
		} else if (in->mods & ISA_MOD_SDWA && n < 2) {
			put_sdwa_src(x, n);
		} else {
			put_mod_src(x, n, in->src[n], &r->src[n]);
		}
	}
	if (in->mods & ISA_MOD_SDWA) {
		isa_dis_sdwa(x);
	} else if (in->mods & ISA_MOD_DPP) {
		put_dpp(x);
	} else if (r->flags & ISA_OPF_SWAP) {
		isa_put(x, "%s%s", in->opsel & 2 ? " bound_ctrl:1" : "",
			in->opsel & 1 ? " fi:1" : "");
	} else {
		if (r->flags & ISA_OPF_BITOP3 && in->ctl)
			isa_put(x, in->ctl <= 10 ? " bitop3:%u" : " bitop3:0x%x", in->ctl);
		put_opsel(x);
		isa_dis_omod(x);
	}
}
