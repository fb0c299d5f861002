// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instruction words to struct isa_insn: pure, total and bounded. What this
 * file accepts stays inside the architecture's register numbers; how many of
 * them a wave owns is checked where the instruction is bound.
 *
 * Formats and operand numbers: struct isa_family; which operands an opcode has: the
 * tables. Here are the scalar formats of GFX9, and what all decoders use.
 * Misaligned scalar tuples are rounded down, as LLVM's disassembler does.
 */
#include "decode.h"

bool isa_dec_scalar(const struct isa_family *f, u32 code, u16 *out)
{
	unsigned int n;

	for (n = 0; n < f->num_scalars; n++) {
		const struct isa_scalars *r = &f->scalars[n];

		if (code < r->first || code > r->last)
			continue;
		*out = r->to + (code - r->first);
		return true;
	}
	return false;
}

bool isa_dec_sgpr(const struct isa_dec *d, u32 code, u32 dwords, u16 *out)
{
	u32 align = dwords == 1 ? 1 : dwords == 2 ? 2 : 4;
	u32 first;
	u16 c;

	if (code > 127 || !isa_dec_scalar(d->f, code, &c))
		return false;
	*out = c;
	if (dwords == 1)
		return true;
	if (c < d->f->sgprs) {
		first = c & ~(align - 1);
		*out = first;
		return first + dwords <= d->f->sgpr_names;
	}
	if (c >= ISA_SRC_TTMP0 && c < ISA_SRC_M0) {
		first = ISA_SRC_TTMP0 + ((c - ISA_SRC_TTMP0) & ~(align - 1));
		*out = first;
		return first + dwords <= ISA_SRC_M0;
	}
	if (c == ISA_SRC_NULL)
		return true;
	return dwords == 2 && c != ISA_SRC_M0 && !(c & 1);
}

bool isa_dec_mask(const struct isa_dec *d, u32 code, u16 *out)
{
	return isa_dec_sgpr(d, code, d->lanes / 32, out);
}

/* An 8-bit scalar source: register, constant, literal if @lit. */
bool isa_dec_ssrc(struct isa_dec *d, u32 code, u32 dwords, bool lit, u16 *out)
{
	if (code < 128)
		return isa_dec_sgpr(d, code, dwords, out);
	if (!isa_dec_scalar(d->f, code, out) || *out == ISA_SRC_LDS_DIRECT)
		return false;
	if (*out == ISA_SRC_LITERAL)
		d->lit |= lit;
	return *out != ISA_SRC_LITERAL || lit;
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

	return !o->kind || isa_dec_sgpr(d, code, o->dwords, &d->in->dst);
}

static bool dec_sop_src(struct isa_dec *d, unsigned int n, u32 code)
{
	const struct isa_opnd *o = &d->row->src[n];

	if (!o->kind)
		return true;
	if (o->kind == ISA_K_GPRIDX || o->kind == ISA_K_MSG) {
		d->in->offset = code;
		return true;
	}
	if (o->kind == ISA_K_BARRIER)
		return isa_dec_ssrc(d, code, 1, false, &d->in->src[n]);
	if (o->kind == ISA_K_R)
		return isa_dec_sgpr(d, code, o->dwords, &d->in->src[n]);
	return isa_dec_ssrc(d, code, o->dwords, true, &d->in->src[n]);
}

int isa_dec_sop1(struct isa_dec *d)
{
	u32 w = d->w[0];

	if (!dec_sdst(d, isa_bits(w, 22, 16)) || !dec_sop_src(d, 0, isa_bits(w, 7, 0)))
		return -EINVAL;
	return 1;
}

int isa_dec_sop2(struct isa_dec *d)
{
	u32 w = d->w[0];
	/* A literal between the sources has no field; the second field is the source after it. */
	bool middle = d->row->src[1].kind == ISA_K_LIT;

	if (!dec_sdst(d, isa_bits(w, 22, 16)) || !dec_sop_src(d, 0, isa_bits(w, 7, 0)) ||
	    !dec_sop_src(d, middle ? 2 : 1, isa_bits(w, 15, 8)))
		return -EINVAL;
	d->lit |= middle || d->row->src[2].kind == ISA_K_LIT;
	return 1;
}

int isa_dec_sopc(struct isa_dec *d)
{
	u32 w = d->w[0];

	if (!dec_sop_src(d, 0, isa_bits(w, 7, 0)) || !dec_sop_src(d, 1, isa_bits(w, 15, 8)))
		return -EINVAL;
	return 1;
}

/* The 7-bit field is destination, source or both: it is given as both. */
int isa_dec_sopk(struct isa_dec *d)
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
	    !isa_dec_sgpr(d, code, dwords, &in->src[0]))
		return -EINVAL;
	if (r->dst[0].kind)
		in->dst = in->src[0];
	in->offset = isa_bits(d->w[0], 15, 0);
	in->lit = (u32)(s32)(s16)in->offset;
	d->lit = r->src[1].kind == ISA_K_LIT;
	return 1;
}

int isa_dec_sopp(struct isa_dec *d)
{
	u32 imm = isa_bits(d->w[0], 15, 0);

	d->in->lit = (u32)(s32)(s16)imm;
	d->in->offset = imm;
	return d->row->src[0].kind || !imm ? 1 : -EINVAL;
}

/* Data is never in M0 or EXEC. */
static bool smem_data(const struct isa_dec *d, u32 code, u32 dwords, u16 *out)
{
	return isa_dec_sgpr(d, code, dwords, out) &&
	       (*out < ISA_SRC_M0 || *out == ISA_SRC_NULL);
}

/*
 * The SGPR offset is in the soffset field if SOE is set, in the low bits of
 * the offset field if neither SOE nor IMM is.
 */
int isa_dec_smem(struct isa_dec *d)
{
	const struct isa_row *r = d->row;
	struct isa_insn *in = d->in;
	bool soe = isa_bits(d->w[0], 14, 14), imm = isa_bits(d->w[0], 17, 17);
	u32 sdata = isa_bits(d->w[0], 12, 6);

	if (isa_bits(d->w[0], 15, 15))
		in->mods |= ISA_MOD_NV;
	if (isa_bits(d->w[0], 16, 16))
		in->mods |= ISA_MOD_GLC;
	if (r->dst[0].kind && !smem_data(d, sdata, r->dst[0].dwords, &in->dst))
		return -EINVAL;
	if (!r->src[0].kind)
		return imm ? -EINVAL : 2;
	if (!isa_dec_sgpr(d, isa_bits(d->w[0], 5, 0) << 1, r->src[0].dwords, &in->src[0]))
		return -EINVAL;
	if (r->src[2].kind == ISA_K_S &&
	    !smem_data(d, sdata, r->src[2].dwords, &in->src[2]))
		return -EINVAL;
	if (r->src[2].kind == ISA_K_SIMM)
		in->lit = sdata;
	if (soe || !imm) {
		u32 code = soe ? isa_bits(d->w[1], 31, 25) : isa_bits(d->w[1], 6, 0);

		if (!isa_dec_sgpr(d, code, 1, &in->src[1]))
			return -EINVAL;
		in->mods |= ISA_MOD_SOE;
	}
	if (imm) {
		in->offset = (s32)(d->w[1] << 11) >> 11;
		in->mods |= ISA_MOD_IMM;
	}
	return 2;
}

static int dec_format(struct isa_dec *d, const struct isa_format *f)
{
	const u16 *slots = d->t->slots[f->enc];
	u32 op = isa_bits(d->dw[0], f->hi, f->lo);
	int len;

	if (!slots || !slots[op])
		return -EINVAL;
	if (d->n < f->dwords)
		return 0;
	d->row = &isa_rows[slots[op]];
	d->in->op = d->row->op;
	d->in->enc = f->enc;
	d->in->row = slots[op];
	memcpy(d->w, d->dw, f->dwords * sizeof(u32));
	len = f->decode(d);
	if (len <= 0 || !d->lit)
		return len;
	if (d->n < (unsigned int)len + 1)
		return 0;
	d->in->lit = d->dw[len];
	return len + 1;
}

int isa_decode_as(const struct isa_target *t, const struct isa_family *f, u32 lanes,
		  const u32 *dw, unsigned int n, struct isa_insn *out)
{
	struct isa_dec d = { .t = t, .f = f, .lanes = lanes, .dw = dw, .n = n, .in = out };
	size_t k;
	int len;

	memset(out, 0, sizeof(*out));
	out->dst = ISA_SRC_NONE;
	out->sdst = ISA_SRC_NONE;
	for (k = 0; k < ARRAY_SIZE(out->src); k++)
		out->src[k] = ISA_SRC_NONE;
	if (!n)
		return 0;
	for (k = 0; k < f->num_formats; k++) {
		if ((dw[0] & f->formats[k].mask) != f->formats[k].match)
			continue;
		len = dec_format(&d, &f->formats[k]);
		out->size = len > 0 ? len : 0;
		return len;
	}
	return -EINVAL;
}

int isa_decode(const struct isa_target *t, const u32 *dw, unsigned int n,
	       struct isa_insn *out)
{
	const struct isa_family *f = isa_target_family(t);

	return isa_decode_as(t, f, f->wave_size, dw, n, out);
}
