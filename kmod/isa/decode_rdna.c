// SPDX-License-Identifier: GPL-2.0-only
/*
 * Vector ALU encodings of gfx10, 11 and 12: VOP1, VOP2, VOPC with SDWA and DPP, VOP3,
 * VOP3P, VOPD, VINTERP, LDSDIR, EXP. Source: LLVM, VOPInstructions.td and the like;
 * RDNA3 ISA chapter 15, "Microcode formats".
 *
 * Operands of 16 bits have seven bits of a register's number in short encodings; the
 * eighth says which half. LLVM 19 takes low halves only.
 */
#include "decode.h"

#define SRC_DPP8	233
#define SRC_DPP8_FI	234

static bool has_halves(const struct isa_dec *d, const struct isa_opnd *o)
{
	return isa_target_has(d->t, ISA_FEAT_GFX11_TEXT) && o->type & ISA_T_HALF;
}

/* A VGPR of a short encoding; @bit: of opsel, if it has halves. */
static bool dec_short_vgpr(struct isa_dec *d, const struct isa_opnd *o, u32 n, u32 bit,
			   u16 *out)
{
	if (has_halves(d, o)) {
		if (n & 128)
			d->in->opsel |= bit;
		n &= 127;
	}
	return isa_dec_vgpr(d, n, o->dwords, false, out);
}

/* A 9-bit source of a long encoding. */
static bool dec_long_src(struct isa_dec *d, u32 n, u32 code, bool lit)
{
	const struct isa_opnd *o = &d->row->src[n];
	bool any = o->kind == ISA_K_X || d->row->enc == ISA_ENC_VOP2 ||
		   d->row->enc == ISA_ENC_VOPC;

	switch (o->kind) {
	case ISA_K_NONE:
		return !code;
	case ISA_K_VCC:
		return code < 256 && isa_dec_mask(d, code, &d->in->src[n]);
	case ISA_K_C:
		return code < 256 && isa_dec_ssrc(d, code, o->dwords, lit, &d->in->src[n]);
	default:
		break;
	}
	if (code >= 256)
		return isa_dec_vgpr(d, code - 256, o->dwords, false, &d->in->src[n]);
	if (code == 254 && isa_dec_scalar(d->f, code, &d->in->src[n]))
		return o->dwords == 1;
	return any && isa_dec_ssrc(d, code, o->dwords, lit, &d->in->src[n]);
}

static bool dec_vdst(struct isa_dec *d, u32 n, bool is_short)
{
	const struct isa_opnd *o = &d->row->dst[0];

	switch (o->kind) {
	case ISA_K_NONE:
		return !n || d->row->enc == ISA_ENC_VOPC;
	case ISA_K_V:
		if (is_short)
			return dec_short_vgpr(d, o, n, 8, &d->in->dst);
		return isa_dec_vgpr(d, n, o->dwords, false, &d->in->dst);
	case ISA_K_VCC:
		return n < 128 && isa_dec_mask(d, n, &d->in->sdst);
	default:
		return n < 128 && isa_dec_sgpr(d, n, o->dwords, &d->in->dst);
	}
}

static bool dpp_ctrl_ok(u32 c)
{
	if (c <= 0xff)				/* quad_perm */
		return true;
	if (c >= 0x150 && c <= 0x16f)		/* row_share, row_xmask */
		return true;
	/* row_shl, row_shr, row_ror, mirrors */
	return c > 0x100 && c < 0x142 && (c & 15 || c == 0x140) && c >> 4 != 0x13;
}

/* The dword of DPP16 @x. @mods: whether its bits negate. */
static bool dec_dpp16(struct isa_dec *d, u32 x, bool mods)
{
	struct isa_insn *in = d->in;
	const struct isa_row *r = d->row;
	u32 all = r->mods | r->ignored;

	in->mods |= ISA_MOD_DPP;
	if (isa_bits(x, 18, 18))
		in->mods |= ISA_MOD_FI;
	if (isa_bits(x, 19, 19))
		in->mods |= ISA_MOD_BOUND;
	in->ctl = isa_bits(x, 16, 8) | isa_bits(x, 27, 24) << 12 | isa_bits(x, 31, 28) << 16;
	if (!dpp_ctrl_ok(isa_bits(x, 16, 8)))
		return false;
	if (!mods)
		return true;
	if ((!(all & 1) && x & 0x300000) || (!(all & 2) && x & 0xc00000))
		return false;
	in->neg = (isa_bits(x, 20, 20) | isa_bits(x, 22, 22) << 1) & r->mods;
	in->abs = (isa_bits(x, 21, 21) | isa_bits(x, 23, 23) << 1) & r->mods;
	return true;
}

static bool dec_dpp(struct isa_dec *d, u32 code, u32 x, bool mods)
{
	if (code == ISA_SRC_DPP)
		return dec_dpp16(d, x, mods);
	d->in->mods |= ISA_MOD_DPP | ISA_MOD_DPP8;
	if (code == SRC_DPP8_FI)
		d->in->mods |= ISA_MOD_FI;
	d->in->ctl = x >> 8;
	return true;
}

static bool is_dpp(u32 code)
{
	return code == ISA_SRC_DPP || code == SRC_DPP8 || code == SRC_DPP8_FI;
}

/* Operands of VOP2 and VOPC beside src0. */
static bool dec_vop2_rest(struct isa_dec *d)
{
	const unsigned int n = isa_dec_implied(d);

	return !n || dec_short_vgpr(d, &d->row->src[n], isa_bits(d->w[0], 16, 9), 1u << n,
				    &d->in->src[n]);
}

/* The source that all short encodings have; a literal, or a second dword, may follow. */
static int dec_short_src0(struct isa_dec *d, u32 code)
{
	const struct isa_opnd *o = &d->row->src[0];

	if (is_dpp(code) || (code == ISA_SRC_SDWA && !isa_target_has(d->t, ISA_FEAT_GFX11_TEXT))) {
		u32 no = code == ISA_SRC_SDWA ? ISA_OPF_NOSDWA : ISA_OPF_NODPP;

		if (d->row->flags & no)
			return -EINVAL;
		if (d->n < 2)
			return 0;
		if (code == ISA_SRC_SDWA)
			return isa_dec_sdwa(d, d->dw[1]);
		return dec_dpp(d, code, d->dw[1], true) &&
		       dec_short_vgpr(d, o, d->dw[1] & 255, 1, &d->in->src[0]) ? 2 : -EINVAL;
	}
	if (code >= 256)
		return dec_short_vgpr(d, o, code - 256, 1, &d->in->src[0]) ? 1 : -EINVAL;
	if (code == 254 && isa_dec_scalar(d->f, code, &d->in->src[0]))
		return o->dwords == 1 ? 1 : -EINVAL;
	if (o->kind == ISA_K_V)
		return -EINVAL;
	return isa_dec_ssrc(d, code, o->dwords, true, &d->in->src[0]) ? 1 : -EINVAL;
}

int isa_rdna_vop(struct isa_dec *d)
{
	const struct isa_row *r = d->row;

	if (r->dst[0].kind == ISA_K_VCC)
		d->in->sdst = ISA_SRC_VCC_LO;
	else if (r->enc != ISA_ENC_VOPC && !dec_vdst(d, isa_bits(d->w[0], 24, 17), true))
		return -EINVAL;
	if (r->enc != ISA_ENC_VOP1 && !dec_vop2_rest(d))
		return -EINVAL;
	if (!r->src[0].kind)
		return 1;
	return dec_short_src0(d, isa_bits(d->w[0], 8, 0));
}

/* Bits of op_sel that pick a byte: LLVM's byte_sel. Then there are no others. */
static u32 byte_select(u32 op)
{
	if (op == ISA_OP_V_CVT_F32_FP8_BYTE || op == ISA_OP_V_CVT_F32_BF8_BYTE)
		return BIT(11) | BIT(12);
	return op == ISA_OP_V_CVT_SR_FP8_F32_OCP || op == ISA_OP_V_CVT_SR_BF8_F32_OCP ?
	       BIT(13) | BIT(14) : 0;
}

/* Bits of the VOP3 words that this row does not use must be zero. */
static bool vop3_unused_zero(const struct isa_dec *d, bool vop3b)
{
	const struct isa_row *r = d->row;
	u32 mods = r->mods | r->ignored, zero0 = 0, zero1 = (7u & ~mods) << 29, n;
	const u32 byte = byte_select(r->op);

	if (!vop3b) {
		zero0 |= (7u & ~mods) << 8;
		for (n = 0; n < 3 && r->flags & ISA_OPF_OPSEL; n++)
			if (!r->src[n].kind)
				zero0 |= BIT(11) << n;
		if (byte)
			zero0 = (zero0 & ~(0xfu << 11)) | (byte ^ 0xfu << 11);
	}
	if (!(r->flags & ISA_OPF_CLAMP))
		zero0 |= BIT(15);
	if (!(r->flags & ISA_OPF_OMOD))
		zero1 |= 3u << 27;
	return !(d->w[0] & zero0) && !(d->w[1] & zero1);
}

/* Sources of VOP3 and VOP3P: three, of which the first may come by DPP; dwords used. */
static int dec_long_srcs(struct isa_dec *d)
{
	u32 code = isa_bits(d->w[1], 8, 0), n;
	bool dpp = is_dpp(code) && d->row->src[0].kind;
	bool lit = d->f->vop3_literal && !dpp;

	if (dpp && !(d->row->flags & ISA_OPF_DPP3))
		return -EINVAL;
	for (n = dpp; n < 3; n++)
		if (!dec_long_src(d, n, isa_bits(d->w[1], 9 * n + 8, 9 * n), lit))
			return -EINVAL;
	if (!dpp)
		return 2;
	if (d->n < 3)
		return 0;
	if (!dec_dpp(d, code, d->dw[2], false) ||
	    !isa_dec_vgpr(d, d->dw[2] & 255, d->row->src[0].dwords, false, &d->in->src[0]))
		return -EINVAL;
	return 3;
}

int isa_rdna_vop3(struct isa_dec *d)
{
	const struct isa_row *r = d->row;
	struct isa_insn *in = d->in;
	bool vop3b = r->dst[1].kind;

	if (!vop3_unused_zero(d, vop3b) || !dec_vdst(d, isa_bits(d->w[0], 7, 0), false))
		return -EINVAL;
	if (vop3b && !isa_dec_mask(d, isa_bits(d->w[0], 14, 8), &in->sdst))
		return -EINVAL;
	in->neg = isa_bits(d->w[1], 31, 29) & r->mods;
	in->omod = isa_bits(d->w[1], 28, 27);
	if (isa_bits(d->w[0], 15, 15))
		in->mods |= ISA_MOD_CLAMP;
	if (!vop3b) {
		in->abs = isa_bits(d->w[0], 10, 8) & r->mods;
		in->opsel = isa_bits(d->w[0], 14, 11);
	}
	return dec_long_srcs(d);
}

/*
 * SWMMAC: bits of op_sel that say which of the sets in a VGPR is the index. Sets have two bits for
 * each element of A that a lane has. So there are twice as many in a wave of 64 lanes, of which
 * each has half as many elements, unless it has but one dword of them.
 */
static u32 index_bits(const struct isa_dec *d)
{
	const struct isa_row *r = &isa_rows[d->in->row];
	u32 bits = r->flags & ISA_OPF_INDEX ? 1 : 0;

	if (!isa_is_wmma(r) || r->src[2].dwords != 1)
		return 0;
	if (d->lanes == 64 && r->src[0].dwords > 1)
		bits++;
	return bits;
}

static int dec_vop3p(struct isa_dec *d)
{
	const struct isa_row *r = d->row;
	struct isa_insn *in = d->in;
	u32 zero0 = (7u & ~(u32)r->ignored) << 8, zero1 = (7u & ~(u32)r->mods) << 29, n;

	for (n = 0; n < 3; n++)
		if (!r->src[n].kind || !(r->flags & ISA_OPF_OPSEL))
			zero0 |= BIT(11) << n;
	zero0 &= ~((BIT(index_bits(d)) - 1) << 11);
	if (!(r->flags & ISA_OPF_CLAMP))
		zero0 |= BIT(15);
	/* Where nothing can be selected, gfx12 wants the bits of the usual choice. */
	if (!(r->flags & ISA_OPF_OPSEL) && isa_target_has(d->t, ISA_FEAT_SCOPES) &&
	    (~d->w[0] & BIT(14) || ~d->w[1] & (BIT(27) | BIT(28))))
		return -EINVAL;
	if (d->w[0] & zero0 || d->w[1] & zero1 || !dec_vdst(d, isa_bits(d->w[0], 7, 0), false))
		return -EINVAL;
	in->neg = isa_bits(d->w[1], 31, 29);
	in->abs = isa_bits(d->w[0], 10, 8);
	in->opsel = isa_bits(d->w[0], 13, 11) | isa_bits(d->w[1], 28, 27) << 4 |
		    isa_bits(d->w[0], 14, 14) << 6;
	if (isa_bits(d->w[0], 15, 15))
		in->mods |= ISA_MOD_CLAMP;
	return dec_long_srcs(d);
}

int isa_rdna_vop3p(struct isa_dec *d)
{
	const struct isa_row *row = d->row;
	struct isa_row copy;
	int len;

	if (d->lanes == 64 && isa_is_wmma(row)) {
		copy = *row;
		isa_narrow_wmma(d->t, &copy);
		d->row = &copy;
	}
	len = dec_vop3p(d);
	d->row = row;
	return len;
}

/* Sources of one of the two operations; @v1: the VGPR field. */
static bool dec_dual(struct isa_dec *d, const struct isa_row *r, u32 src0, u32 v1, u16 *src)
{
	bool ok;

	if (src0 >= 256)
		ok = isa_dec_vgpr(d, src0 - 256, 1, false, &src[0]);
	else
		ok = isa_dec_ssrc(d, src0, 1, true, &src[0]);
	if (r->src[1].kind == ISA_K_LIT || r->src[2].kind == ISA_K_LIT)
		d->lit = true;
	if (!r->src[1].kind)
		return ok && !v1;
	return ok && isa_dec_vgpr(d, v1, 1, false, &src[1]);
}

int isa_rdna_vopd(struct isa_dec *d)
{
	struct isa_insn *in = d->in;
	const u16 *slots = d->t->slots[ISA_ENC_VOPDY];
	u32 y = slots[isa_bits(d->w[0], 21, 17)], vdst = isa_bits(d->w[1], 31, 24);

	if (!y || d->lanes != 32)
		return -EINVAL;
	in->pair.op = isa_rows[y].op;
	in->pair.src[1] = ISA_SRC_NONE;
	/* The last bit of Y's destination is the opposite of X's. */
	if (!isa_dec_vgpr(d, vdst, 1, false, &in->dst) ||
	    !isa_dec_vgpr(d, isa_bits(d->w[1], 23, 17) << 1 | (~vdst & 1), 1, false,
			  &in->pair.dst) ||
	    !dec_dual(d, d->row, isa_bits(d->w[0], 8, 0), isa_bits(d->w[0], 16, 9), in->src) ||
	    !dec_dual(d, &isa_rows[y], isa_bits(d->w[1], 8, 0), isa_bits(d->w[1], 16, 9),
		      in->pair.src))
		return -EINVAL;
	return 2;
}

/* Interpolation, exports, parameters in the LDS: decoded to be refused by name. */
int isa_rdna_vinterp(struct isa_dec *d)
{
	const struct isa_row *r = d->row;
	struct isa_insn *in = d->in;
	u32 n;

	if (!dec_vdst(d, isa_bits(d->w[0], 7, 0), false) ||
	    (!(r->flags & ISA_OPF_OPSEL) && isa_bits(d->w[0], 14, 11)))
		return -EINVAL;
	for (n = 0; n < 3; n++)
		if (!dec_long_src(d, n, isa_bits(d->w[1], 9 * n + 8, 9 * n), false))
			return -EINVAL;
	in->neg = isa_bits(d->w[1], 31, 29);
	in->opsel = isa_bits(d->w[0], 14, 11);
	in->ctl = isa_bits(d->w[0], 10, 8);
	if (isa_bits(d->w[0], 15, 15))
		in->mods |= ISA_MOD_CLAMP;
	return 2;
}

int isa_rdna_ldsdir(struct isa_dec *d)
{
	d->in->ctl = isa_bits(d->w[0], 23, 8);
	return isa_dec_vgpr(d, isa_bits(d->w[0], 7, 0), 1, false, &d->in->dst) ? 1 : -EINVAL;
}

int isa_rdna_exp(struct isa_dec *d)
{
	u32 n;

	for (n = 0; n < 4; n++)
		if (!isa_dec_vgpr(d, d->w[1] >> 8 * n & 255, 1, false, &d->in->src[n]))
			return -EINVAL;
	d->in->ctl = isa_bits(d->w[0], 13, 0);
	return 2;
}
