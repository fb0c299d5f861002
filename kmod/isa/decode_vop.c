// SPDX-License-Identifier: GPL-2.0-only
/*
 * Vector ALU encodings: VOP1, VOP2, VOPC with their SDWA and DPP dwords, VOP3,
 * VOP3P and the matrix instructions in it.
 */
#include "decode.h"

#define VOP3_SRCS	3

static bool is_lds_direct(const struct isa_dec *d, u32 code, const struct isa_opnd *o, u16 *out)
{
	return code < 256 && o->dwords == 1 && isa_dec_scalar(d->f, code, out) &&
	       *out == ISA_SRC_LDS_DIRECT;
}

/* A 9-bit source. @lit: the encoding can carry a literal. */
static bool dec_src9(struct isa_dec *d, unsigned int n, u32 code, bool lit)
{
	const struct isa_opnd *o = &d->row->src[n];
	u16 *out = &d->in->src[n];

	switch (o->kind) {
	case ISA_K_NONE:
		return !code;
	case ISA_K_V:
		/* VOP2's second source has this kind, its VOP3 form takes any. */
		if (d->row->enc == ISA_ENC_VOP2 || d->row->enc == ISA_ENC_VOPC)
			break;
		if (is_lds_direct(d, code, o, out))
			return d->row->op != ISA_OP_V_SWAP_B32;
		return code >= 256 && isa_dec_vgpr(d, code - 256, o->dwords, false, out);
	case ISA_K_VCC:
		return isa_dec_mask(d, code, out) && *out != ISA_SRC_EXEC_LO;
	case ISA_K_C:
		lit &= d->f->vop3_literal;
		return code < 256 && isa_dec_ssrc(d, code, o->dwords, lit, out);
	default:
		break;
	}
	if (code >= 256)
		return isa_dec_vgpr(d, code - 256, o->dwords, false, out);
	if (is_lds_direct(d, code, o, out))
		return true;
	return isa_dec_ssrc(d, code, o->dwords, lit, out);
}

static bool dec_vdst(struct isa_dec *d, u32 n)
{
	const struct isa_opnd *o = &d->row->dst[0];
	struct isa_insn *in = d->in;

	switch (o->kind) {
	case ISA_K_NONE:
		return !n;
	case ISA_K_V:
		return isa_dec_vgpr(d, n, o->dwords, false, &in->dst);
	case ISA_K_A:
		return isa_dec_vgpr(d, n, o->dwords, true, &in->dst);
	case ISA_K_VCC:		/* VOPC */
		return isa_dec_mask(d, n, &in->sdst);
	default:
		return n < 128 && isa_dec_sgpr(d, n, o->dwords, &in->dst);
	}
}

/* SDWA source: VGPR, or with the S bit SGPR or inline constant. */
static bool dec_sdwa_src(struct isa_dec *d, u32 code, bool scalar, u16 *out)
{
	if (!scalar)
		return isa_dec_vgpr(d, code, 1, false, out);
	return isa_dec_ssrc(d, code, 1, false, out);
}

/* A source has either float modifiers or sign extension; one that is absent has neither. */
static bool sdwa_mods_ok(const struct isa_row *r, u32 x)
{
	u32 n;

	for (n = 0; n < 2; n++) {
		u32 m = isa_bits(x, 21 + 8 * n, 19 + 8 * n);	/* abs, neg, sext */

		if (m & (r->mods >> n & 1 ? 1 : 6))
			return false;
	}
	return r->src[1].kind == ISA_K_V || !(x & 0xbf000000);
}

/* What a compare writes, or parts of the destination and output modifiers */
static bool dec_sdwa_dst(struct isa_dec *d, u32 x)
{
	struct isa_insn *in = d->in;
	const struct isa_row *r = d->row;

	if (r->enc == ISA_ENC_VOPC) {
		in->ctl = 6;
		return !isa_bits(x, 15, 15) ||
		       (r->dst[0].kind && isa_dec_mask(d, isa_bits(x, 14, 8), &in->sdst));
	}
	in->ctl = isa_bits(x, 10, 8) | isa_bits(x, 12, 11) << 3;
	in->omod = isa_bits(x, 15, 14);
	if (isa_bits(x, 13, 13))
		in->mods |= ISA_MOD_CLAMP;
	return isa_bits(x, 10, 8) <= 6 && isa_bits(x, 12, 11) <= 2 &&
	       (!in->omod || r->flags & ISA_OPF_OMOD);
}

int isa_dec_sdwa(struct isa_dec *d, u32 x)
{
	struct isa_insn *in = d->in;
	const struct isa_row *r = d->row;
	u32 sel0 = isa_bits(x, 18, 16), sel1 = isa_bits(x, 26, 24);
	bool two = r->src[1].kind == ISA_K_V;

	in->mods |= ISA_MOD_SDWA;
	if (!dec_sdwa_dst(d, x) || !sdwa_mods_ok(r, x) || sel0 > 6 || (two && sel1 > 6))
		return -EINVAL;
	if (!dec_sdwa_src(d, isa_bits(x, 7, 0), isa_bits(x, 23, 23), &in->src[0]))
		return -EINVAL;
	if (two && isa_bits(x, 31, 31) &&
	    !dec_sdwa_src(d, in->src[1] - ISA_SRC_VGPR0, true, &in->src[1]))
		return -EINVAL;
	in->neg = isa_bits(x, 20, 20) | isa_bits(x, 28, 28) << 1;
	in->abs = isa_bits(x, 21, 21) | isa_bits(x, 29, 29) << 1;
	in->ctl |= sel0 << 8 | isa_bits(x, 19, 19) << 11 | sel1 << 12 | isa_bits(x, 27, 27) << 15;
	return 2;
}

static bool dpp_ctrl_ok(const struct isa_target *t, u32 c)
{
	if (c <= 0xff)				/* quad_perm */
		return true;
	if ((c >= 0x101 && c <= 0x10f) || (c >= 0x111 && c <= 0x11f) ||
	    (c >= 0x121 && c <= 0x12f))		/* row_shl, row_shr, row_ror */
		return true;
	if (c == 0x130 || c == 0x134 || c == 0x138 || c == 0x13c)	/* wave_* */
		return true;
	if (c >= 0x140 && c <= 0x143)		/* mirrors, broadcasts */
		return true;
	return isa_target_has(t, ISA_FEAT_ROW_NEWBCAST) && c >= 0x150 && c <= 0x15f;
}

static int dec_dpp(struct isa_dec *d, u32 x)
{
	struct isa_insn *in = d->in;
	const struct isa_row *r = d->row;
	u32 ctrl = isa_bits(x, 16, 8), all = r->mods | r->ignored;

	in->mods |= ISA_MOD_DPP;
	if (isa_bits(x, 19, 19))
		in->mods |= ISA_MOD_BOUND;
	if (!dpp_ctrl_ok(d->t, ctrl))
		return -EINVAL;
	if ((!(all & 1) && x & 0x300000) || (!(all & 2) && x & 0xc00000))
		return -EINVAL;
	/* 64-bit operands move by row_newbcast only. */
	if ((r->src[0].dwords > 1 || r->dst[0].dwords > 1) && ctrl < 0x150)
		return -EINVAL;
	if (!isa_dec_vgpr(d, isa_bits(x, 7, 0), r->src[0].dwords, false, &in->src[0]))
		return -EINVAL;
	in->neg = (isa_bits(x, 20, 20) | isa_bits(x, 22, 22) << 1) & r->mods;
	in->abs = (isa_bits(x, 21, 21) | isa_bits(x, 23, 23) << 1) & r->mods;
	in->ctl = ctrl | isa_bits(x, 27, 24) << 12 | isa_bits(x, 31, 28) << 16;
	return 2;
}

unsigned int isa_dec_implied(struct isa_dec *d)
{
	const struct isa_row *r = d->row;
	unsigned int n, named = 0;

	if (r->dst[1].kind == ISA_K_VCC)
		d->in->sdst = ISA_SRC_VCC_LO;
	for (n = 1; n < ARRAY_SIZE(r->src); n++) {
		if (r->src[n].kind == ISA_K_V)
			named = n;
		if (r->src[n].kind == ISA_K_VCC)
			d->in->src[n] = ISA_SRC_VCC_LO;
		if (r->src[n].kind == ISA_K_LIT) {
			d->in->src[n] = ISA_SRC_LITERAL;
			d->lit = true;
		}
	}
	return named;
}

/* Operands of VOP2 and VOPC beside src0. */
static bool dec_vop2_rest(struct isa_dec *d)
{
	const unsigned int n = isa_dec_implied(d);

	return !n || isa_dec_vgpr(d, isa_bits(d->w[0], 16, 9), d->row->src[n].dwords, false,
				  &d->in->src[n]);
}

/* AccVGPR moves and others whose only source is a register of one kind. */
static bool dec_vop1_acc(struct isa_dec *d, u32 src0)
{
	return src0 >= 256 &&
	       isa_dec_vgpr(d, src0 - 256, d->row->src[0].dwords, true, &d->in->src[0]);
}

int isa_dec_vop(struct isa_dec *d)
{
	const struct isa_row *r = d->row;
	u32 src0 = isa_bits(d->w[0], 8, 0), vdst = isa_bits(d->w[0], 24, 17);

	if (r->enc == ISA_ENC_VOPC)
		d->in->sdst = ISA_SRC_VCC_LO;
	else if (!dec_vdst(d, vdst))
		return -EINVAL;
	if (r->enc != ISA_ENC_VOP1 && !dec_vop2_rest(d))
		return -EINVAL;
	if (!r->src[0].kind)		/* v_nop, v_clrexcp: the field means nothing */
		return 1;
	if (r->src[0].kind == ISA_K_A)
		return dec_vop1_acc(d, src0) ? 1 : -EINVAL;
	if (src0 == ISA_SRC_SDWA || src0 == ISA_SRC_DPP) {
		u32 no = src0 == ISA_SRC_SDWA ? ISA_OPF_NOSDWA : ISA_OPF_NODPP;

		if (r->flags & no || (src0 == ISA_SRC_DPP && r->enc == ISA_ENC_VOPC))
			return -EINVAL;
		if (d->n < 2)
			return 0;
		return src0 == ISA_SRC_SDWA ? isa_dec_sdwa(d, d->dw[1]) : dec_dpp(d, d->dw[1]);
	}
	return dec_src9(d, 0, src0, true) ? 1 : -EINVAL;
}

/* Bits of the VOP3 words that this row does not use must be zero. */
static bool vop3_unused_zero(const struct isa_dec *d, bool vop3b)
{
	const struct isa_row *r = d->row;
	u32 zero0 = 0, zero1 = 0;

	if (!vop3b) {
		zero0 |= (7u & ~(r->mods | r->ignored)) << 8;
		if (r->flags & ISA_OPF_OPSEL && !r->src[2].kind && !(r->ignored & 4))
			zero0 |= BIT(13);
	}
	zero1 |= (7u & ~(u32)(r->mods | r->ignored)) << 29;
	if (!(r->flags & (ISA_OPF_OMOD | ISA_OPF_OMOD3)))
		zero1 |= 3u << 27;
	if (r->flags & ISA_OPF_BITOP3) {
		zero0 = r->flags & ISA_OPF_OPSEL ? 0 : 0xfu << 11;
		zero1 = 0;
	}
	if (!(r->flags & ISA_OPF_CLAMP))
		zero0 |= BIT(15);
	return !(d->w[0] & zero0) && !(d->w[1] & zero1);
}

int isa_dec_vop3(struct isa_dec *d)
{
	const struct isa_row *r = d->row;
	struct isa_insn *in = d->in;
	bool vop3b = r->dst[1].kind;
	unsigned int n;

	if (!vop3_unused_zero(d, vop3b) || !dec_vdst(d, isa_bits(d->w[0], 7, 0)))
		return -EINVAL;
	if (vop3b && !isa_dec_mask(d, isa_bits(d->w[0], 14, 8), &in->sdst))
		return -EINVAL;
	for (n = 0; n < VOP3_SRCS; n++)
		if (!dec_src9(d, n, isa_bits(d->w[1], 9 * n + 8, 9 * n), d->f->vop3_literal))
			return -EINVAL;
	in->neg = isa_bits(d->w[1], 31, 29) & r->mods;
	in->omod = isa_bits(d->w[1], 28, 27);
	if (isa_bits(d->w[0], 15, 15))
		in->mods |= ISA_MOD_CLAMP;
	if (!vop3b) {
		in->abs = isa_bits(d->w[0], 10, 8) & r->mods;
		if (r->flags & ISA_OPF_OPSEL)
			in->opsel = isa_bits(d->w[0], 14, 11);
		if (r->flags & ISA_OPF_SWAP)
			in->opsel = isa_bits(d->w[0], 12, 11);
	}
	if (r->flags & ISA_OPF_BITOP3) {
		in->ctl = in->omod << 6 | isa_bits(d->w[0], 10, 8) << 3 | isa_bits(d->w[1], 31, 29);
		in->omod = 0;
	}
	return 2;
}

static bool is_matrix(const struct isa_row *r)
{
	return r->dst[0].kind == ISA_K_A && r->src[0].kind == ISA_K_A;
}

static bool dec_matrix_src(struct isa_dec *d, unsigned int n, u32 code, bool acc)
{
	const struct isa_opnd *o = &d->row->src[n];
	u16 *out = &d->in->src[n];

	if (code >= 256)
		return isa_dec_vgpr(d, code - 256, isa_src_dwords(d->row, d->in, n),
				    acc && o->kind != ISA_K_V, out);
	*out = code;
	return o->kind == ISA_K_M && ((code >= 128 && code <= 208) ||
				      (code >= 240 && code <= 248));
}

/* Where AccVGPRs are a file of their own, accumulators are always AccVGPRs. */
static int dec_matrix(struct isa_dec *d)
{
	struct isa_insn *in = d->in;
	bool acc_cd = isa_bits(d->w[0], 15, 15) || !isa_target_has(d->t, ISA_FEAT_ACC_BITS);
	u32 acc = isa_bits(d->w[1], 28, 27);

	in->opsel = isa_bits(d->w[0], 10, 8) | isa_bits(d->w[0], 14, 11) << 4;
	in->neg = isa_bits(d->w[1], 31, 29);
	if (!isa_dec_vgpr(d, isa_bits(d->w[0], 7, 0), d->row->dst[0].dwords, acc_cd,
			  &in->dst) ||
	    !dec_matrix_src(d, 0, isa_bits(d->w[1], 8, 0), acc & 1) ||
	    !dec_matrix_src(d, 1, isa_bits(d->w[1], 17, 9), acc & 2) ||
	    !dec_matrix_src(d, 2, isa_bits(d->w[1], 26, 18), acc_cd))
		return -EINVAL;
	/* The sparse ones have no blgp: their third source is the index. */
	if (d->row->src[2].kind == ISA_K_V && in->neg)
		return -EINVAL;
	/* Where abid would be, a bit says that the two words before load the scales. */
	if (d->row->flags & ISA_OPF_F8F6F4) {
		u32 scaled = d->row->enc == ISA_ENC_SCALED;

		if (in->opsel >> 4 != scaled)
			return -EINVAL;
	}
	return 2;
}

#define MFMA_SCALED	BIT(11)

/*
 * Two words that load scales, and the matrix operation that they are for, are one
 * instruction of four words. 0 if there are too few words to tell; 2 if they stand alone.
 */
static int dec_scaled(struct isa_dec *d)
{
	const u16 *slots = d->t->slots[ISA_ENC_SCALED];
	u32 a = isa_bits(d->w[1], 8, 0), b = isa_bits(d->w[1], 17, 9), op;
	struct isa_insn *in = d->in;
	int len;

	if (d->n < 3)
		return 0;
	op = isa_bits(d->dw[2], 22, 16);
	if ((d->dw[2] & 0xff800000) != 0xd3800000 || !(d->dw[2] & MFMA_SCALED) || !slots[op])
		return 2;
	if (d->n < 4)
		return 0;
	if (a < ISA_SRC_VGPR0 || b < ISA_SRC_VGPR0)
		return -EINVAL;
	in->abs = isa_bits(d->w[0], 12, 11) | isa_bits(d->w[1], 28, 27) << 2;
	in->ctl = a | b << 16;
	d->row = &isa_rows[slots[op]];
	in->row = slots[op];
	in->op = d->row->op;
	memcpy(d->w, d->dw + 2, 2 * sizeof(u32));
	len = dec_matrix(d);
	return len > 0 ? len + 2 : len;
}

static int dec_accvgpr(struct isa_dec *d)
{
	const struct isa_row *r = d->row;
	u32 code = isa_bits(d->w[1], 8, 0);

	if (d->w[0] & 0x3f00 || d->w[1] & 0xe7fffe00 || !dec_vdst(d, isa_bits(d->w[0], 7, 0)))
		return -EINVAL;
	if (r->src[0].kind == ISA_K_A)
		return dec_vop1_acc(d, code) ? 2 : -EINVAL;
	return dec_src9(d, 0, code, false) ? 2 : -EINVAL;
}

int isa_dec_vop3p(struct isa_dec *d)
{
	const struct isa_row *r = d->row;
	struct isa_insn *in = d->in;
	bool three = r->src[2].kind;
	unsigned int n;

	if (is_matrix(r))
		return dec_matrix(d);
	if (r->op == ISA_OP_V_MFMA_LD_SCALE_B32) {
		int len = dec_scaled(d);

		if (len != 2)
			return len;
	}
	if (r->dst[0].kind == ISA_K_A || r->src[0].kind == ISA_K_A)
		return dec_accvgpr(d);
	if (!three && (d->w[0] & (BIT(10) | BIT(13)) || d->w[1] & BIT(31)))
		return -EINVAL;
	if (!dec_vdst(d, isa_bits(d->w[0], 7, 0)))
		return -EINVAL;
	for (n = 0; n < VOP3_SRCS; n++)
		if (!dec_src9(d, n, isa_bits(d->w[1], 9 * n + 8, 9 * n), d->f->vop3_literal))
			return -EINVAL;
	in->neg = isa_bits(d->w[1], 31, 29);
	in->abs = isa_bits(d->w[0], 10, 8);
	in->opsel = isa_bits(d->w[0], 13, 11) | isa_bits(d->w[1], 28, 27) << 4 |
		    isa_bits(d->w[0], 14, 14) << 6;
	if (isa_bits(d->w[0], 15, 15))
		in->mods |= ISA_MOD_CLAMP;
	return 2;
}
