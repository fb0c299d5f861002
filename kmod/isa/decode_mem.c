// SPDX-License-Identifier: GPL-2.0-only
/* Memory encodings: DS, FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF, MIMG. */
#include "decode.h"
#include "image/fields.h"

/* A VGPR field that must be zero where the row has no such operand. */
static bool dec_vfield(struct isa_dec *d, const struct isa_opnd *o, u32 n, bool acc,
		       u16 *out)
{
	return o->kind ? isa_dec_vgpr(d, n, o->dwords, acc, out) : !n;
}

int isa_dec_ds(struct isa_dec *d)
{
	const struct isa_row *r = d->row;
	struct isa_insn *in = d->in;
	bool gds = isa_bits(d->w[0], 16, 16);
	/* Before gfx90a the bit means nothing. */
	bool acc = isa_target_has(d->t, ISA_FEAT_ACC_BITS) && isa_bits(d->w[0], 25, 25);

	if (gds ? r->flags & ISA_OPF_NOGDS : r->flags & ISA_OPF_GDS)
		return -EINVAL;
	if (acc && !(r->dst[0].kind || r->src[0].kind || r->src[1].kind))
		return -EINVAL;
	if (isa_bits(d->w[0], 25, 25) && !acc && !r->dst[0].kind && !r->src[1].kind &&
	    !(r->flags & ISA_OPF_GDS && r->src[0].kind))
		return -EINVAL;
	if (r->op == ISA_OP_DS_NOP && d->w[0] & 0x1ffff)
		return -EINVAL;
	if (gds)
		in->mods |= ISA_MOD_GDS;
	if (acc)
		in->mods |= ISA_MOD_ACC;
	in->offset = isa_bits(d->w[0], 15, 0);
	if (!dec_vfield(d, &r->dst[0], isa_bits(d->w[1], 31, 24), acc, &in->dst) ||
	    !dec_vfield(d, &r->src[0], isa_bits(d->w[1], 7, 0),
			acc && r->flags & ISA_OPF_GDS, &in->src[0]) ||
	    !dec_vfield(d, &r->src[1], isa_bits(d->w[1], 15, 8), acc, &in->src[1]) ||
	    !dec_vfield(d, &r->src[2], isa_bits(d->w[1], 23, 16), acc, &in->src[2]))
		return -EINVAL;
	return 2;
}

/* Float atomics had no system coherence bit until it became sc1. */
static bool scc_ok(const struct isa_dec *d)
{
	if (d->row->flags & ISA_OPF_NOSCC && !isa_target_has(d->t, ISA_FEAT_SC_BITS))
		return false;
	return isa_target_has(d->t, ISA_FEAT_SCOPE_BIT);
}

bool isa_dec_may_load_lds(const struct isa_dec *d)
{
	switch (d->row->op) {
	case ISA_OP_GLOBAL_LOAD_UBYTE:
	case ISA_OP_GLOBAL_LOAD_SBYTE:
	case ISA_OP_GLOBAL_LOAD_USHORT:
	case ISA_OP_GLOBAL_LOAD_SSHORT:
	case ISA_OP_GLOBAL_LOAD_DWORD:
	case ISA_OP_SCRATCH_LOAD_UBYTE:
	case ISA_OP_SCRATCH_LOAD_SBYTE:
	case ISA_OP_SCRATCH_LOAD_USHORT:
	case ISA_OP_SCRATCH_LOAD_SSHORT:
	case ISA_OP_SCRATCH_LOAD_DWORD:
		return true;
	default:
		return false;
	}
}

/* The address: a VGPR pair, an SGPR pair with a VGPR offset, or scratch's. */
static bool dec_flat_addr(struct isa_dec *d)
{
	struct isa_insn *in = d->in;
	u32 vaddr = isa_bits(d->w[1], 7, 0), saddr = isa_bits(d->w[1], 22, 16);
	bool has_sve = isa_target_has(d->t, ISA_FEAT_SVE), sve = isa_bits(d->w[0], 13, 13);

	if (in->enc == ISA_ENC_FLAT)
		return !saddr && isa_dec_vgpr(d, vaddr, 2, false, &in->src[0]);
	if (in->enc == ISA_ENC_GLOBAL) {
		if (saddr == ISA_SADDR_OFF)
			return isa_dec_vgpr(d, vaddr, 2, false, &in->src[0]);
		return isa_dec_vgpr(d, vaddr, 1, false, &in->src[0]) &&
		       isa_dec_sgpr(d, saddr, 2, &in->src[1]) && in->src[1] != ISA_SRC_NULL;
	}
	if (saddr != ISA_SADDR_OFF && !isa_dec_sgpr(d, saddr, 1, &in->src[1]))
		return false;
	if (has_sve ? sve : saddr == ISA_SADDR_OFF)
		return isa_dec_vgpr(d, vaddr, 1, false, &in->src[0]);
	return true;
}

int isa_dec_flat(struct isa_dec *d)
{
	const struct isa_row *r = d->row;
	struct isa_insn *in = d->in;
	bool acc_bits = isa_target_has(d->t, ISA_FEAT_ACC_BITS), acc = isa_bits(d->w[1], 23, 23);
	u32 data = isa_bits(d->w[1], 15, 8), vdst = isa_bits(d->w[1], 31, 24);

	if (isa_bits(d->w[0], 16, 16))
		in->mods |= ISA_MOD_GLC;
	if (r->flags & ISA_OPF_NOGLC && in->mods & ISA_MOD_GLC)
		return -EINVAL;
	if (isa_bits(d->w[0], 17, 17))
		in->mods |= ISA_MOD_SLC;
	/* Targets without that cache bit ignore its place, except for gfx908's float atomics. */
	if (isa_bits(d->w[0], 25, 25) &&
	    (isa_target_has(d->t, ISA_FEAT_SCOPE_BIT) || r->flags & ISA_OPF_NOGLC)) {
		if (!scc_ok(d))
			return -EINVAL;
		in->mods |= ISA_MOD_SCC;
	}
	if (isa_bits(d->w[0], 13, 13)) {
		bool sve = in->enc == ISA_ENC_SCRATCH && isa_target_has(d->t, ISA_FEAT_SVE);

		if (!sve && (isa_target_has(d->t, ISA_FEAT_LDS_OPCODES) ||
			     !isa_dec_may_load_lds(d) || acc))
			return -EINVAL;
		if (!sve)
			in->mods |= ISA_MOD_LDS;
	}
	if (acc)
		in->mods |= acc_bits ? ISA_MOD_ACC : ISA_MOD_NV;
	acc = acc && acc_bits;
	if (acc && !r->dst[0].kind && !r->src[2].kind)
		return -EINVAL;
	/* FLAT ignores the sign: its offset is unsigned. */
	in->offset = in->enc == ISA_ENC_FLAT ? (s32)isa_bits(d->w[0], 11, 0) :
		     (s32)(d->w[0] << 19) >> 19;
	if (!dec_flat_addr(d))
		return -EINVAL;
	if (r->dst[0].kind && !(in->mods & ISA_MOD_LDS) &&
	    (!(r->flags & ISA_OPF_RET) || in->mods & ISA_MOD_GLC) &&
	    !isa_dec_vgpr(d, vdst, r->dst[0].dwords, acc, &in->dst))
		return -EINVAL;
	if (r->src[2].kind && !isa_dec_vgpr(d, data, r->src[2].dwords, acc, &in->src[2]))
		return -EINVAL;
	return 2;
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
	case ISA_OP_BUFFER_STORE_LDS_DWORD:
		return true;
	case ISA_OP_BUFFER_LOAD_DWORDX3:
	case ISA_OP_BUFFER_LOAD_DWORDX4:
		return isa_target_has(d->t, ISA_FEAT_LDS_WIDE);
	default:
		return false;
	}
}

/* Cache control: no operands, and nothing but the cache bits. */
static int dec_mubuf_cache(struct isa_dec *d)
{
	u32 ok = d->row->op == ISA_OP_BUFFER_WBL2 || d->row->op == ISA_OP_BUFFER_INV ?
		 BIT(14) | BIT(15) | BIT(17) : BIT(17);

	return d->w[0] & 0x3f000 & ~ok || isa_bits(d->w[1], 23, 23) ? -EINVAL : 2;
}

int isa_dec_buf(struct isa_dec *d)
{
	const struct isa_row *r = d->row;
	struct isa_insn *in = d->in;
	bool mt = in->enc == ISA_ENC_MTBUF, uni = isa_target_has(d->t, ISA_FEAT_ACC_BITS);
	bool top = isa_bits(d->w[1], 23, 23), lds;
	u32 scc = mt ? isa_bits(d->w[1], 21, 21) : isa_bits(d->w[0], 15, 15);
	u32 slc = mt ? isa_bits(d->w[1], 22, 22) : isa_bits(d->w[0], 17, 17);

	if (isa_bits(d->w[0], 12, 12))
		in->mods |= ISA_MOD_OFFEN;
	if (isa_bits(d->w[0], 13, 13))
		in->mods |= ISA_MOD_IDXEN;
	if (isa_bits(d->w[0], 14, 14))
		in->mods |= ISA_MOD_GLC;
	if (r->flags & ISA_OPF_NOGLC && in->mods & ISA_MOD_GLC)
		return -EINVAL;
	if (slc)
		in->mods |= ISA_MOD_SLC;
	if (scc && isa_target_has(d->t, ISA_FEAT_SCOPE_BIT)) {
		if (!scc_ok(d))
			return -EINVAL;
		in->mods |= ISA_MOD_SCC;
	}
	if (!r->src[1].kind)
		return dec_mubuf_cache(d);
	lds = !mt && isa_bits(d->w[0], 16, 16);
	if (lds ? !mubuf_lds_ok(d) : r->op == ISA_OP_BUFFER_STORE_LDS_DWORD)
		return -EINVAL;
	if (top && (lds || (!uni && (mt || r->flags & ISA_OPF_RET))))
		return -EINVAL;
	if (r->op == ISA_OP_BUFFER_STORE_LDS_DWORD &&
	    in->mods & (ISA_MOD_OFFEN | ISA_MOD_IDXEN))
		return -EINVAL;
	if (lds)
		in->mods |= ISA_MOD_LDS;
	if (top)
		in->mods |= uni ? ISA_MOD_ACC : ISA_MOD_TFE;
	in->offset = isa_bits(d->w[0], 11, 0);
	if (mt)
		in->ctl = isa_bits(d->w[0], 25, 19);
	if (!isa_dec_sgpr(d, isa_bits(d->w[1], 20, 16) << 2, 4, &in->src[1]) ||
	    !isa_dec_ssrc(d, isa_bits(d->w[1], 31, 24), 1, false, &in->src[2]))
		return -EINVAL;
	if (in->mods & (ISA_MOD_OFFEN | ISA_MOD_IDXEN)) {
		u32 n = in->mods & ISA_MOD_OFFEN && in->mods & ISA_MOD_IDXEN ? 2 : 1;

		if (!isa_dec_vgpr(d, isa_bits(d->w[1], 7, 0), n, false, &in->src[0]))
			return -EINVAL;
	}
	if (r->dst[0].kind && !lds) {
		u32 n = r->dst[0].dwords + (top && !uni ? 1 : 0);

		if (!isa_dec_vgpr(d, isa_bits(d->w[1], 15, 8), n, top && uni, &in->dst))
			return -EINVAL;
	}
	return 2;
}

/*
 * Images. How many registers of data and addresses there are depends on what the descriptor says,
 * too: those behind the first are looked at when it runs.
 */
int isa_dec_mimg(struct isa_dec *d)
{
	static const struct {
		u32 flag;
		u8 bit;
	} bits[] = {
		{ ISA_IMG_UNRM, 12 }, { ISA_IMG_DA, 14 }, { ISA_IMG_A16, 15 }, { ISA_IMG_LWE, 17 },
	};
	const struct isa_row *r = d->row;
	struct isa_insn *in = d->in;
	bool uni = isa_target_has(d->t, ISA_FEAT_ACC_BITS);
	u32 n;

	if (d->w[0] & 1)	/* top bit of the opcode, which no opcode has */
		return -EINVAL;
	for (n = 0; n < ARRAY_SIZE(bits); n++)
		if (d->w[0] >> bits[n].bit & 1)
			in->ctl |= bits[n].flag;
	if (!uni && isa_bits(d->w[0], 16, 16))
		in->ctl |= ISA_IMG_TFE;
	in->offset = isa_bits(d->w[0], 11, 8);
	if (isa_bits(d->w[0], 13, 13))
		in->mods |= ISA_MOD_GLC;
	if (isa_bits(d->w[0], 25, 25))
		in->mods |= ISA_MOD_SLC;
	if (isa_target_has(d->t, ISA_FEAT_SCOPE_BIT) && isa_bits(d->w[0], 7, 7))
		in->mods |= ISA_MOD_SCC;
	if (!isa_dec_vgpr(d, isa_bits(d->w[1], 7, 0), 1, false, &in->src[0]) ||
	    !isa_dec_vgpr(d, isa_bits(d->w[1], 15, 8), 1, uni && isa_bits(d->w[0], 16, 16),
			  &in->dst) ||
	    !isa_dec_sgpr(d, isa_bits(d->w[1], 20, 16) << 2, 8, &in->src[1]))
		return -EINVAL;
	if (r->src[2].kind ? !isa_dec_sgpr(d, isa_bits(d->w[1], 25, 21) << 2, 4, &in->src[2]) :
			     isa_bits(d->w[1], 25, 21))
		return -EINVAL;
	if (isa_bits(d->w[1], 31, 31)) {
		if (r->flags & ISA_OPF_NOD16)
			return -EINVAL;
		in->ctl |= ISA_IMG_D16;
	}
	return 2;
}
