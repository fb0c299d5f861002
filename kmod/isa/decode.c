// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instruction words to struct isa_insn: pure, total and bounded. What this
 * file accepts stays inside the architecture's register numbers; how many of
 * them a wave owns is checked where the instruction is bound.
 *
 * Field positions: CDNA2 ISA chapter 12 "Microcode formats"; which operands an
 * opcode has: the tables. Misaligned scalar tuples are rounded down, as LLVM's
 * disassembler does.
 */
#include "decode.h"

/*
 * SGPRs 102 and 103 exist as names only: tuples may reach over them, and a
 * tuple that does is refused when it is bound.
 */
#define SGPR_NAMES	104

bool isa_dec_sgpr(u32 code, u32 dwords, u16 *out)
{
	u32 align = dwords == 1 ? 1 : dwords == 2 ? 2 : 4;
	u32 first;

	if (code > 127 || code == ISA_SRC_RESERVED)
		return false;
	if (dwords == 1) {
		*out = code;
		return true;
	}
	if (code < ISA_SRC_FLAT_SCR_LO) {
		first = code & ~(align - 1);
		*out = first;
		return first + dwords <= SGPR_NAMES;
	}
	if (code >= ISA_SRC_TTMP0 && code < ISA_SRC_M0) {
		first = ISA_SRC_TTMP0 + ((code - ISA_SRC_TTMP0) & ~(align - 1));
		*out = first;
		return first + dwords <= ISA_SRC_M0;
	}
	*out = code;
	return dwords == 2 && code != ISA_SRC_M0 && !(code & 1);
}

/* An 8-bit scalar source: register, constant, literal if @lit. */
bool isa_dec_ssrc(struct isa_dec *d, u32 code, u32 dwords, bool lit, u16 *out)
{
	if (code < 128)
		return isa_dec_sgpr(code, dwords, out);
	*out = code;
	if (code == ISA_SRC_LITERAL) {
		d->lit = lit;
		return lit;
	}
	return code <= 208 || (code >= ISA_SRC_SHARED_BASE && code <= ISA_SRC_PRIVATE_LIMIT) ||
	       (code >= 240 && code <= 248) ||
	       (code >= ISA_SRC_VCCZ && code <= ISA_SRC_SCC);
}

bool isa_dec_vgpr(struct isa_dec *d, u32 n, u32 dwords, bool acc, u16 *out)
{
	if (acc && !isa_target_has(d->t, ISA_FEAT_MAI))
		return false;
	*out = (acc ? ISA_SRC_ACC0 : ISA_SRC_VGPR0) + n;
	return n + dwords <= 256;
}

static bool dec_sdst(struct isa_dec *d, u32 code)
{
	const struct isa_opnd *o = &d->row->dst[0];

	return !o->kind || isa_dec_sgpr(code, o->dwords, &d->in->dst);
}

static bool dec_sop_src(struct isa_dec *d, unsigned int n, u32 code)
{
	const struct isa_opnd *o = &d->row->src[n];

	if (!o->kind)
		return true;
	if (o->kind == ISA_K_GPRIDX) {
		d->in->offset = code;
		return true;
	}
	if (o->kind == ISA_K_R)
		return isa_dec_sgpr(code, o->dwords, &d->in->src[n]);
	return isa_dec_ssrc(d, code, o->dwords, true, &d->in->src[n]);
}

static int dec_sop1(struct isa_dec *d)
{
	u32 w = d->w[0];

	if (!dec_sdst(d, isa_bits(w, 22, 16)) || !dec_sop_src(d, 0, isa_bits(w, 7, 0)))
		return -EINVAL;
	return 1;
}

static int dec_sop2(struct isa_dec *d)
{
	u32 w = d->w[0];

	if (!dec_sdst(d, isa_bits(w, 22, 16)) || !dec_sop_src(d, 0, isa_bits(w, 7, 0)) ||
	    !dec_sop_src(d, 1, isa_bits(w, 15, 8)))
		return -EINVAL;
	return 1;
}

static int dec_sopc(struct isa_dec *d)
{
	u32 w = d->w[0];

	if (!dec_sop_src(d, 0, isa_bits(w, 7, 0)) || !dec_sop_src(d, 1, isa_bits(w, 15, 8)))
		return -EINVAL;
	return 1;
}

/* The 7-bit field is destination, source or both: it is given as both. */
static int dec_sopk(struct isa_dec *d)
{
	struct isa_insn *in = d->in;
	const struct isa_row *r = d->row;
	u32 code = isa_bits(d->w[0], 22, 16);
	u32 dwords = 1;

	if (r->dst[0].kind)
		dwords = r->dst[0].dwords;
	else if (r->src[0].kind == ISA_K_S)
		dwords = r->src[0].dwords;
	if ((r->dst[0].kind || r->src[0].kind == ISA_K_S) &&
	    !isa_dec_sgpr(code, dwords, &in->src[0]))
		return -EINVAL;
	if (r->dst[0].kind)
		in->dst = in->src[0];
	in->offset = isa_bits(d->w[0], 15, 0);
	in->lit = (u32)(s32)(s16)in->offset;
	d->lit = r->src[1].kind == ISA_K_LIT;
	return 1;
}

static int dec_sopp(struct isa_dec *d)
{
	u32 imm = isa_bits(d->w[0], 15, 0);

	d->in->lit = (u32)(s32)(s16)imm;
	d->in->offset = imm;
	return d->row->src[0].kind || !imm ? 1 : -EINVAL;
}

/*
 * The SGPR offset is in the soffset field if SOE is set, in the low bits of
 * the offset field if neither SOE nor IMM is.
 */
static int dec_smem(struct isa_dec *d)
{
	const struct isa_row *r = d->row;
	struct isa_insn *in = d->in;
	bool soe = isa_bits(d->w[0], 14, 14), imm = isa_bits(d->w[0], 17, 17);
	u32 sdata = isa_bits(d->w[0], 12, 6);

	if (isa_bits(d->w[0], 15, 15))
		in->mods |= ISA_MOD_NV;
	if (isa_bits(d->w[0], 16, 16))
		in->mods |= ISA_MOD_GLC;
	/* Data is never in M0 or EXEC. */
	if ((r->dst[0].kind || r->src[2].kind == ISA_K_S) && sdata >= ISA_SRC_M0)
		return -EINVAL;
	if (r->dst[0].kind && !isa_dec_sgpr(sdata, r->dst[0].dwords, &in->dst))
		return -EINVAL;
	if (!r->src[0].kind)
		return imm ? -EINVAL : 2;
	if (!isa_dec_sgpr(isa_bits(d->w[0], 5, 0) << 1, r->src[0].dwords, &in->src[0]))
		return -EINVAL;
	if (r->src[2].kind == ISA_K_S &&
	    !isa_dec_sgpr(sdata, r->src[2].dwords, &in->src[2]))
		return -EINVAL;
	if (r->src[2].kind == ISA_K_SIMM)
		in->lit = sdata;
	if (soe || !imm) {
		u32 code = soe ? isa_bits(d->w[1], 31, 25) : isa_bits(d->w[1], 6, 0);

		if (!isa_dec_sgpr(code, 1, &in->src[1]))
			return -EINVAL;
		in->mods |= ISA_MOD_SOE;
	}
	if (imm) {
		in->offset = (s32)(d->w[1] << 11) >> 11;
		in->mods |= ISA_MOD_IMM;
	}
	return 2;
}

struct format {
	u32 mask, match;
	u8 enc, dwords;
	u8 hi, lo;	/* opcode field */
};

/* First match counts: narrower formats stand before the ones they carve from. */
static const struct format formats[] = {
	{ 0xff800000, 0xbe800000, ISA_ENC_SOP1,    1, 15, 8 },
	{ 0xff800000, 0xbf000000, ISA_ENC_SOPC,    1, 22, 16 },
	{ 0xff800000, 0xbf800000, ISA_ENC_SOPP,    1, 22, 16 },
	{ 0xf0000000, 0xb0000000, ISA_ENC_SOPK,    1, 27, 23 },
	{ 0xc0000000, 0x80000000, ISA_ENC_SOP2,    1, 29, 23 },
	{ 0xfe000000, 0x7e000000, ISA_ENC_VOP1,    1, 16, 9 },
	{ 0xfe000000, 0x7c000000, ISA_ENC_VOPC,    1, 24, 17 },
	{ 0x80000000, 0x00000000, ISA_ENC_VOP2,    1, 30, 25 },
	{ 0xfc000000, 0xc0000000, ISA_ENC_SMEM,    2, 25, 18 },
	{ 0xff800000, 0xd3800000, ISA_ENC_VOP3P,   2, 22, 16 },
	{ 0xfc000000, 0xd0000000, ISA_ENC_VOP3,    2, 25, 16 },
	{ 0xfc000000, 0xd8000000, ISA_ENC_DS,      2, 24, 17 },
	{ 0xfc00c000, 0xdc000000, ISA_ENC_FLAT,    2, 24, 18 },
	{ 0xfc00c000, 0xdc004000, ISA_ENC_SCRATCH, 2, 24, 18 },
	{ 0xfc00c000, 0xdc008000, ISA_ENC_GLOBAL,  2, 24, 18 },
	{ 0xfc000000, 0xe0000000, ISA_ENC_MUBUF,   2, 24, 18 },
	{ 0xfc000000, 0xe8000000, ISA_ENC_MTBUF,   2, 18, 15 },
	{ 0xfc000000, 0xf0000000, ISA_ENC_MIMG,    2, 24, 18 },
};

static int dec_row(struct isa_dec *d, const struct format *f, const u32 *dw,
		   unsigned int n)
{
	switch (f->enc) {
	case ISA_ENC_SOP1:
		return dec_sop1(d);
	case ISA_ENC_SOP2:
		return dec_sop2(d);
	case ISA_ENC_SOPC:
		return dec_sopc(d);
	case ISA_ENC_SOPK:
		return dec_sopk(d);
	case ISA_ENC_SOPP:
		return dec_sopp(d);
	case ISA_ENC_SMEM:
		return dec_smem(d);
	case ISA_ENC_VOP1:
	case ISA_ENC_VOP2:
	case ISA_ENC_VOPC:
		return isa_dec_vop(d, dw, n);
	case ISA_ENC_VOP3:
		return isa_dec_vop3(d);
	case ISA_ENC_VOP3P:
		return isa_dec_vop3p(d);
	case ISA_ENC_DS:
		return isa_dec_ds(d);
	case ISA_ENC_MUBUF:
	case ISA_ENC_MTBUF:
		return isa_dec_buf(d);
	case ISA_ENC_MIMG:
		return isa_dec_mimg(d);
	default:
		return isa_dec_flat(d);
	}
}

static int dec_format(struct isa_dec *d, const struct format *f, const u32 *dw,
		      unsigned int n)
{
	const u16 *slots = d->t->slots[f->enc];
	u32 op = isa_bits(dw[0], f->hi, f->lo);
	int len;

	if (!slots || !slots[op])
		return -EINVAL;
	if (n < f->dwords)
		return 0;
	d->row = &isa_rows[slots[op]];
	d->in->op = d->row->op;
	d->in->enc = f->enc;
	d->in->row = slots[op];
	d->w[0] = dw[0];
	d->w[1] = f->dwords > 1 ? dw[1] : 0;
	len = dec_row(d, f, dw, n);
	if (len <= 0 || !d->lit)
		return len;
	if (n < (unsigned int)len + 1)
		return 0;
	d->in->lit = dw[len];
	return len + 1;
}

int isa_decode(const struct isa_target *t, const u32 *dw, unsigned int n,
	       struct isa_insn *out)
{
	struct isa_dec d = { .t = t, .in = out };
	size_t k;
	int len;

	memset(out, 0, sizeof(*out));
	out->dst = ISA_SRC_NONE;
	out->sdst = ISA_SRC_NONE;
	for (k = 0; k < ARRAY_SIZE(out->src); k++)
		out->src[k] = ISA_SRC_NONE;
	if (!n)
		return 0;
	for (k = 0; k < ARRAY_SIZE(formats); k++) {
		const struct format *f = &formats[k];

		if ((dw[0] & f->mask) != f->match)
			continue;
		len = dec_format(&d, f, dw, n);
		out->size = len > 0 ? len : 0;
		return len;
	}
	return -EINVAL;
}
