// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory encodings of gfx10, 11 and 12. What differs between them in place only is a
 * struct of places. Source: LLVM, FLATInstructions.td and the like.
 */
#include "decode.h"
#include "image/fields.h"

static bool dec_vfield(struct isa_dec *d, const struct isa_opnd *o, u32 n, u16 *out)
{
	return o->kind ? isa_dec_vgpr(d, n, o->dwords, false, out) : !n;
}

int isa_rdna_ds(struct isa_dec *d)
{
	const struct isa_row *r = d->row;
	struct isa_insn *in = d->in;
	bool gds = isa_bits(d->w[0], 17, 17);

	if (gds ? r->flags & ISA_OPF_NOGDS : r->flags & ISA_OPF_GDS)
		return -EINVAL;
	if (r->op == ISA_OP_DS_NOP && d->w[0] & 0xffff)
		return -EINVAL;
	if (gds)
		in->mods |= ISA_MOD_GDS;
	in->offset = isa_bits(d->w[0], 15, 0);
	if (!dec_vfield(d, &r->dst[0], isa_bits(d->w[1], 31, 24), &in->dst) ||
	    !dec_vfield(d, &r->src[0], isa_bits(d->w[1], 7, 0), &in->src[0]) ||
	    !dec_vfield(d, &r->src[1], isa_bits(d->w[1], 15, 8), &in->src[1]) ||
	    !dec_vfield(d, &r->src[2], isa_bits(d->w[1], 23, 16), &in->src[2]))
		return -EINVAL;
	return 2;
}

/* The offset of scalar memory: an SGPR, NULL for none, and an immediate of @bits. */
static int dec_smem(struct isa_dec *d, u32 sdata, u32 bits)
{
	const struct isa_row *r = d->row;
	struct isa_insn *in = d->in;

	if (r->dst[0].kind && !isa_dec_sgpr(d, sdata, r->dst[0].dwords, &in->dst))
		return -EINVAL;
	if (r->src[0].kind &&
	    !isa_dec_sgpr(d, isa_bits(d->w[0], 5, 0) << 1, r->src[0].dwords, &in->src[0]))
		return -EINVAL;
	if (!r->src[1].kind)
		return 2;
	if (r->src[2].kind == ISA_K_S && !isa_dec_sgpr(d, sdata, r->src[2].dwords, &in->src[2]))
		return -EINVAL;
	if (r->src[2].kind == ISA_K_SIMM)
		in->lit = sdata;
	if (!isa_dec_sgpr(d, isa_bits(d->w[1], 31, 25), 1, &in->src[1]))
		return -EINVAL;
	in->offset = (s32)(d->w[1] << (32 - bits)) >> (32 - bits);
	in->mods |= ISA_MOD_IMM;
	if (in->src[1] != ISA_SRC_NULL)
		in->mods |= ISA_MOD_SOE;
	return 2;
}

int isa_rdna_smem(struct isa_dec *d)
{
	/* gfx10 and gfx11 have dlc and glc in other places. */
	bool gfx11 = isa_target_has(d->t, ISA_FEAT_GFX11_TEXT);
	u32 glc = gfx11 ? BIT(14) : BIT(16), dlc = gfx11 ? BIT(13) : BIT(14);

	if (d->row->src[1].kind && d->row->dst[0].kind) {
		if (d->w[0] & glc)
			d->in->mods |= ISA_MOD_GLC;
		if (d->w[0] & dlc)
			d->in->mods |= ISA_MOD_DLC;
	} else if (gfx11 && d->w[0] & (glc | dlc)) {
		return -EINVAL;
	}
	return dec_smem(d, isa_bits(d->w[0], 12, 6), 21);
}

int isa_gfx12_smem(struct isa_dec *d)
{
	bool data = d->row->src[2].kind == ISA_K_SIMM;
	u32 cpol = isa_bits(d->w[0], 24, 23) | isa_bits(d->w[0], 22, 21) << 3;

	if (data && isa_bits(d->w[0], 12, 11))
		return -EINVAL;
	if (d->row->dst[0].kind)
		d->in->opsel = cpol;
	return dec_smem(d, isa_bits(d->w[0], data ? 10 : 12, 6), 24);
}

/* Fields that the three generations have in different places. */
struct flat_fields {
	u32 vaddr, saddr, data, vdst;
	bool sve, has_sve;
	bool ret;
};

/* Addresses: VGPRs alone, an SGPR pair with a VGPR offset, or scratch's, of all kinds. */
static bool dec_flat_addr(struct isa_dec *d, const struct flat_fields *f)
{
	const struct isa_row *r = d->row;
	struct isa_insn *in = d->in;
	u16 saddr = ISA_SRC_NULL;
	bool off, v;

	if (f->saddr != ISA_SADDR_OFF || in->enc != ISA_ENC_SCRATCH || f->has_sve) {
		if (!isa_dec_sgpr(d, f->saddr, in->enc == ISA_ENC_SCRATCH ? 1 : 2, &saddr))
			return false;
	}
	off = saddr == ISA_SRC_NULL;
	if (in->enc == ISA_ENC_SCRATCH) {
		/* gfx10: no VGPR is 0x7f in the place of the SGPR. */
		v = f->has_sve ? f->sve : off && f->saddr != ISA_SADDR_OFF;
		if (!off)
			in->src[1] = saddr;
		return !v || isa_dec_vgpr(d, f->vaddr, 1, false, &in->src[0]);
	}
	if (f->sve || (in->enc == ISA_ENC_FLAT && !off))
		return false;
	if (!off)
		in->src[1] = saddr;
	return !r->src[0].kind ||
	       isa_dec_vgpr(d, f->vaddr, off ? 2 : 1, false, &in->src[0]);
}

static int dec_flat(struct isa_dec *d, const struct flat_fields *f)
{
	const struct isa_row *r = d->row;
	struct isa_insn *in = d->in;

	if ((r->src[1].kind || in->enc == ISA_ENC_FLAT) && !dec_flat_addr(d, f))
		return -EINVAL;
	if (r->dst[0].kind && !(in->mods & ISA_MOD_LDS) && (!(r->flags & ISA_OPF_RET) || f->ret) &&
	    !isa_dec_vgpr(d, f->vdst, r->dst[0].dwords, false, &in->dst))
		return -EINVAL;
	if (r->src[2].kind && !isa_dec_vgpr(d, f->data, r->src[2].dwords, false, &in->src[2]))
		return -EINVAL;
	return 2;
}

static void put_cache(struct isa_dec *d, u32 glc, u32 slc, u32 dlc)
{
	if (d->w[0] & glc)
		d->in->mods |= ISA_MOD_GLC;
	if (d->w[0] & slc)
		d->in->mods |= ISA_MOD_SLC;
	if (d->w[0] & dlc)
		d->in->mods |= ISA_MOD_DLC;
}

int isa_rdna_flat(struct isa_dec *d)
{
	struct isa_insn *in = d->in;
	bool gfx11 = isa_target_has(d->t, ISA_FEAT_GFX11_TEXT);
	struct flat_fields f = {
		.vaddr = isa_bits(d->w[1], 7, 0), .saddr = isa_bits(d->w[1], 22, 16),
		.data = isa_bits(d->w[1], 15, 8), .vdst = isa_bits(d->w[1], 31, 24),
		.sve = isa_bits(d->w[1], 23, 23), .has_sve = gfx11,
	};
	u32 bits = gfx11 ? 13 : 12;

	if (gfx11)
		put_cache(d, BIT(14), BIT(15), BIT(13));
	else
		put_cache(d, BIT(16), BIT(17), BIT(12));
	f.ret = in->mods & ISA_MOD_GLC;
	if (!gfx11 && f.sve)
		return -EINVAL;
	if (!gfx11 && isa_bits(d->w[0], 13, 13)) {
		if (!isa_dec_may_load_lds(d))
			return -EINVAL;
		in->mods |= ISA_MOD_LDS;
	}
	in->offset = (s32)(d->w[0] << (32 - bits));
	/* FLAT has no negative offsets. */
	in->offset = in->enc == ISA_ENC_FLAT ? (s32)((u32)in->offset >> (32 - bits)) :
		     in->offset >> (32 - bits);
	return dec_flat(d, &f);
}

/* Temporal hint and scope. The lowest bit of an atomic's hint says that it returns. */
static void put_policy(struct isa_dec *d)
{
	d->in->opsel = isa_bits(d->w[1], 22, 20) | isa_bits(d->w[1], 19, 18) << 3;
	if (d->row->flags & ISA_OPF_RET && isa_bits(d->w[1], 20, 20))
		d->in->mods |= ISA_MOD_GLC;
}

int isa_gfx12_flat(struct isa_dec *d)
{
	struct isa_insn *in = d->in;
	struct flat_fields f = {
		.vaddr = isa_bits(d->w[2], 7, 0), .saddr = isa_bits(d->w[0], 6, 0),
		.data = isa_bits(d->w[1], 30, 23), .vdst = isa_bits(d->w[1], 7, 0),
		.sve = isa_bits(d->w[1], 17, 17), .has_sve = true,
		.ret = isa_bits(d->w[1], 20, 20),
	};

	put_policy(d);
	if (isa_bits(d->w[0], 21, 21))
		return -EINVAL;
	if (!d->row->src[1].kind && in->enc == ISA_ENC_GLOBAL)	/* cache control */
		return f.sve || f.saddr != 124 ? -EINVAL : 3;
	in->offset = (s32)d->w[2] >> 8;
	return dec_flat(d, &f) < 0 ? -EINVAL : 3;
}

/* Operands of a buffer instruction; @tfe: one more dword of data */
static bool dec_buf(struct isa_dec *d, u32 vaddr, u32 vdata, u32 srsrc, u32 soffset, bool tfe)
{
	const struct isa_row *r = d->row;
	struct isa_insn *in = d->in;
	u32 addrs = !!(in->mods & ISA_MOD_OFFEN) + !!(in->mods & ISA_MOD_IDXEN);

	if (tfe) {
		if (!(r->flags & ISA_OPF_TFE))
			return false;
		in->mods |= ISA_MOD_TFE;
	}
	if (!isa_dec_sgpr(d, srsrc, 4, &in->src[1]) ||
	    !isa_dec_ssrc(d, soffset, 1, false, &in->src[2]))
		return false;
	if (addrs && !isa_dec_vgpr(d, vaddr, addrs, false, &in->src[0]))
		return false;
	return in->mods & ISA_MOD_LDS || !r->dst[0].kind ||
	       isa_dec_vgpr(d, vdata, r->dst[0].dwords + tfe, false, &in->dst);
}

static bool mubuf_lds_ok(const struct isa_dec *d)
{
	switch (d->row->op) {
	case ISA_OP_BUFFER_LOAD_UBYTE:
	case ISA_OP_BUFFER_LOAD_SBYTE:
	case ISA_OP_BUFFER_LOAD_USHORT:
	case ISA_OP_BUFFER_LOAD_SSHORT:
	case ISA_OP_BUFFER_LOAD_DWORD:
	case ISA_OP_BUFFER_LOAD_FORMAT_X:
		return true;
	default:
		return false;
	}
}

/* gfx10: the highest bit of some opcodes is elsewhere. */
static bool add_opcode_bit(struct isa_dec *d, u32 op, u32 bit)
{
	u32 row = d->t->slots[d->in->enc][op | bit];

	if (!row)
		return false;
	d->row = &isa_rows[row];
	d->in->op = d->row->op;
	d->in->row = row;
	return true;
}

int isa_rdna_buf(struct isa_dec *d)
{
	const struct isa_row *r;
	struct isa_insn *in = d->in;
	bool mt = in->enc == ISA_ENC_MTBUF, tfe;
	bool gfx11 = isa_target_has(d->t, ISA_FEAT_GFX11_TEXT);

	if (mt && !gfx11 &&
	    !add_opcode_bit(d, isa_bits(d->w[0], 18, 16), isa_bits(d->w[1], 21, 21) << 3))
		return -EINVAL;
	r = d->row;
	if (!r->src[1].kind) {		/* cache control */
		if (gfx11)
			return d->w[0] & 0x6000 || d->w[1] & 0xe00000 ? -EINVAL : 2;
		return d->w[0] & 0x1f000 || d->w[1] & 0x800000 ? -EINVAL : 2;
	}
	if (gfx11) {
		put_cache(d, BIT(14), BIT(12), BIT(13));
		in->mods |= (isa_bits(d->w[1], 22, 22) ? ISA_MOD_OFFEN : 0) |
			    (isa_bits(d->w[1], 23, 23) ? ISA_MOD_IDXEN : 0);
		tfe = isa_bits(d->w[1], 21, 21);
	} else {
		put_cache(d, BIT(14), 0, BIT(15));
		in->mods |= (isa_bits(d->w[0], 12, 12) ? ISA_MOD_OFFEN : 0) |
			    (isa_bits(d->w[0], 13, 13) ? ISA_MOD_IDXEN : 0) |
			    (isa_bits(d->w[1], 22, 22) ? ISA_MOD_SLC : 0);
		tfe = isa_bits(d->w[1], 23, 23);
		if (r->flags & ISA_OPF_RET && in->mods & ISA_MOD_DLC)
			return -EINVAL;
		if (!mt && isa_bits(d->w[0], 16, 16)) {
			if (!mubuf_lds_ok(d) || tfe)
				return -EINVAL;
			in->mods |= ISA_MOD_LDS;
		}
	}
	in->offset = isa_bits(d->w[0], 11, 0);
	if (mt)
		in->ctl = isa_bits(d->w[0], 25, 19);
	if (!dec_buf(d, isa_bits(d->w[1], 7, 0), isa_bits(d->w[1], 15, 8),
		     isa_bits(d->w[1], 20, 16) << 2, isa_bits(d->w[1], 31, 24), tfe))
		return -EINVAL;
	return 2;
}

int isa_gfx12_buf(struct isa_dec *d)
{
	struct isa_insn *in = d->in;
	bool mt = in->enc == ISA_ENC_MTBUF, tfe = isa_bits(d->w[0], 22, 22);
	u32 format = isa_bits(d->w[1], 29, 23);

	put_policy(d);
	if (isa_bits(d->w[1], 30, 30))
		in->mods |= ISA_MOD_OFFEN;
	if (isa_bits(d->w[1], 31, 31))
		in->mods |= ISA_MOD_IDXEN;
	if (isa_bits(d->w[1], 17, 16) || (mt && tfe))
		return -EINVAL;
	if (mt)
		in->ctl = format;
	in->offset = (s32)d->w[2] >> 8;
	return dec_buf(d, isa_bits(d->w[2], 7, 0), isa_bits(d->w[1], 7, 0),
		       isa_bits(d->w[1], 15, 9), isa_bits(d->w[0], 6, 0), tfe) ? 3 : -EINVAL;
}

/* What of an image instruction is in different places. */
static void put_image(struct isa_dec *d, bool gfx11)
{
	static const struct {
		u32 flag;
		u8 gfx10, gfx11;	/* bits; those of the second word from 32 on */
	} bit[] = {
		{ ISA_IMG_UNRM, 12, 7 }, { ISA_IMG_R128, 15, 15 }, { ISA_IMG_TFE, 16, 53 },
		{ ISA_IMG_LWE, 17, 54 }, { ISA_IMG_A16, 62, 16 }, { ISA_IMG_D16, 63, 17 },
	};
	const u64 w = d->w[0] | (u64)d->w[1] << 32;
	u32 n;

	d->in->ctl = gfx11 ? isa_bits(d->w[0], 4, 2) : isa_bits(d->w[0], 5, 3);
	for (n = 0; n < ARRAY_SIZE(bit); n++)
		if (w >> (gfx11 ? bit[n].gfx11 : bit[n].gfx10) & 1)
			d->in->ctl |= bit[n].flag;
	if (gfx11)
		put_cache(d, BIT(14), BIT(12), BIT(13));
	else
		put_cache(d, BIT(13), BIT(25), BIT(7));
}

/*
 * How many registers of data and addresses there are depends on what the descriptor says, too:
 * those behind the first are looked at when it runs.
 */
int isa_rdna_mimg(struct isa_dec *d)
{
	const struct isa_row *r;
	struct isa_insn *in = d->in;
	bool gfx11 = isa_target_has(d->t, ISA_FEAT_GFX11_TEXT);
	u32 nsa = gfx11 ? isa_bits(d->w[0], 0, 0) : isa_bits(d->w[0], 2, 1);
	u32 samp = gfx11 ? isa_bits(d->w[1], 30, 26) : isa_bits(d->w[1], 25, 21);

	if (!gfx11 && !add_opcode_bit(d, isa_bits(d->w[0], 24, 18), isa_bits(d->w[0], 0, 0) << 7))
		return -EINVAL;
	r = d->row;
	in->offset = isa_bits(d->w[0], 11, 8);
	if (d->n < 2 + nsa)
		return 0;
	put_image(d, gfx11);
	in->ctl |= nsa * ISA_IMG_NSA;
	if (nsa)
		in->lit = d->dw[2];
	if (nsa > 1) {
		in->neg = (u8)d->dw[3];
		in->abs = (u8)(d->dw[3] >> 8);
		in->omod = (u8)(d->dw[3] >> 16);
		in->opsel = (u8)(d->dw[3] >> 24);
	}
	if (!isa_dec_vgpr(d, isa_bits(d->w[1], 7, 0), 1, false, &in->src[0]) ||
	    !isa_dec_vgpr(d, isa_bits(d->w[1], 15, 8), 1, false, &in->dst) ||
	    !isa_dec_sgpr(d, isa_bits(d->w[1], 20, 16) << 2, r->src[1].dwords, &in->src[1]))
		return -EINVAL;
	if (r->src[2].kind ? !isa_dec_sgpr(d, samp << 2, 4, &in->src[2]) : samp != 0)
		return -EINVAL;
	return 2 + (int)nsa;
}

/*
 * Every address has a field of its own, up to five, or to four if there is a sampler. LLVM ignores
 * bits that no field has; here they are invalid.
 */
int isa_gfx12_image(struct isa_dec *d)
{
	const struct isa_row *r = d->row;
	struct isa_insn *in = d->in;
	const bool sample = in->enc == ISA_ENC_VSAMPLE;

	if (d->w[0] & (sample ? 0x1f80 : 0x3f88) || isa_bits(d->w[1], 17, 16) ||
	    (sample ? isa_bits(d->w[1], 31, 30) : isa_bits(d->w[1], 8, 8)))
		return -EINVAL;
	in->ctl = isa_bits(d->w[0], 2, 0) |
		  (isa_bits(d->w[0], 4, 4) ? ISA_IMG_R128 : 0) |
		  (isa_bits(d->w[0], 5, 5) ? ISA_IMG_D16 : 0) |
		  (isa_bits(d->w[0], 6, 6) ? ISA_IMG_A16 : 0);
	if (sample ? isa_bits(d->w[0], 3, 3) : isa_bits(d->w[1], 23, 23))
		in->ctl |= ISA_IMG_TFE;
	if (sample && isa_bits(d->w[0], 13, 13))
		in->ctl |= ISA_IMG_UNRM;
	if (sample && isa_bits(d->w[1], 8, 8))
		in->ctl |= ISA_IMG_LWE;
	in->offset = isa_bits(d->w[0], 25, 22);
	in->lit = d->w[2] >> 8;
	in->neg = sample ? 0 : isa_bits(d->w[1], 31, 24);
	put_policy(d);
	if (!isa_dec_vgpr(d, isa_bits(d->w[2], 7, 0), 1, false, &in->src[0]) ||
	    !isa_dec_vgpr(d, isa_bits(d->w[1], 7, 0), 1, false, &in->dst) ||
	    !isa_dec_sgpr(d, isa_bits(d->w[1], 15, 9), r->src[1].dwords, &in->src[1]))
		return -EINVAL;
	if (r->src[2].kind && !isa_dec_sgpr(d, isa_bits(d->w[1], 29, 23), 4, &in->src[2]))
		return -EINVAL;
	return 3;
}
