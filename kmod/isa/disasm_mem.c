// SPDX-License-Identifier: GPL-2.0-only
/* Text of memory instructions. */
#include "disasm.h"
#include "format.h"
#include "image/fields.h"

static void put_cache(struct isa_text *x)
{
	bool sc = isa_target_has(x->t, ISA_FEAT_SC_BITS);

	if (sc) {
		isa_put(x, "%s%s%s", x->in->mods & ISA_MOD_GLC ? " sc0" : "",
			x->in->mods & ISA_MOD_SLC ? " nt" : "",
			x->in->mods & ISA_MOD_SCC ? " sc1" : "");
		return;
	}
	isa_put(x, "%s%s%s", x->in->mods & ISA_MOD_GLC ? " glc" : "",
		x->in->mods & ISA_MOD_SLC ? " slc" : "",
		x->in->mods & ISA_MOD_SCC ? " scc" : "");
}

/* ds_swizzle's offset: quad permutation, or and/or/xor masks of the lane number. */
static void put_swizzle(struct isa_text *x, u32 imm)
{
	u32 and = imm & 31, or = imm >> 5 & 31, xor = imm >> 10 & 31, n;

	isa_put(x, " offset:");
	if ((imm & 0xff00) == 0x8000) {
		isa_put(x, "swizzle(QUAD_PERM,%u,%u,%u,%u)", imm & 3, imm >> 2 & 3,
			imm >> 4 & 3, imm >> 6 & 3);
		return;
	}
	if (imm & 0x8000) {
		isa_put(x, "%u", imm);
		return;
	}
	if (and == 31 && !or && xor && !(xor & (xor - 1))) {
		isa_put(x, "swizzle(SWAP,%u)", xor);
		return;
	}
	if (and == 31 && !or && xor && !((xor + 1) & xor)) {
		isa_put(x, "swizzle(REVERSE,%u)", xor + 1);
		return;
	}
	for (n = 2; n <= 32; n *= 2) {
		if (and == (32 - n) && !xor && or < n) {
			isa_put(x, "swizzle(BROADCAST,%u,%u)", n, or);
			return;
		}
	}
	isa_put(x, "swizzle(BITMASK_PERM,\"");
	for (n = 0x10; n; n >>= 1) {
		bool p0 = (((0 & and) | or) ^ xor) & n, p1 = (((n & and) | or) ^ xor) & n;

		isa_put(x, "%c", p0 == p1 ? (p0 ? '1' : '0') : (p0 ? 'i' : 'p'));
	}
	isa_put(x, "\")");
}

static bool ds_two_offsets(u32 op)
{
	const char *name = isa_op_names[op];

	return strstr(name, "read2") || strstr(name, "write2") || strstr(name, "xchg2");
}

void isa_dis_ds(struct isa_text *x)
{
	const struct isa_row *r = x->row;
	const struct isa_insn *in = x->in;
	u32 n;

	if (r->dst[0].kind) {
		isa_put_sep(x);
		isa_put_reg(x, in->dst, r->dst[0].dwords);
	}
	for (n = 0; n < ARRAY_SIZE(r->src); n++) {
		if (!r->src[n].kind)
			continue;
		isa_put_sep(x);
		isa_put_reg(x, in->src[n], r->src[n].dwords);
	}
	if (ds_two_offsets(in->op)) {
		if (in->offset & 0xff)
			isa_put(x, " offset0:%u", in->offset & 0xff);
		if (in->offset >> 8)
			isa_put(x, " offset1:%u", in->offset >> 8 & 0xff);
	} else if (in->op == ISA_OP_DS_SWIZZLE_B32) {
		if (in->offset)
			put_swizzle(x, in->offset);
	} else if (in->offset) {
		isa_put(x, " offset:%u", in->offset & 0xffff);
	}
	/* From gfx90a on there is no GDS memory, only its semaphores. */
	if (in->mods & ISA_MOD_GDS &&
	    (r->flags & ISA_OPF_GDS || !isa_target_has(x->t, ISA_FEAT_ACC_BITS)))
		isa_put(x, " gds");
}

static void put_flat_vaddr(struct isa_text *x)
{
	const struct isa_insn *in = x->in;

	isa_put_sep(x);
	if (in->src[0] == ISA_SRC_NONE)
		isa_put(x, "off");
	else if (in->enc == ISA_ENC_SCRATCH)
		isa_put_reg(x, in->src[0], 1);
	else if (in->enc == ISA_ENC_GLOBAL)
		isa_put_reg(x, in->src[0], in->src[1] == ISA_SRC_NONE ? 2 : 1);
	else
		isa_put_reg(x, in->src[0], 2);
}

void isa_dis_flat(struct isa_text *x)
{
	const struct isa_row *r = x->row;
	const struct isa_insn *in = x->in;

	if (in->dst != ISA_SRC_NONE) {
		isa_put_sep(x);
		isa_put_reg(x, in->dst, r->dst[0].dwords);
	}
	put_flat_vaddr(x);
	if (r->src[2].kind) {
		isa_put_sep(x);
		isa_put_reg(x, in->src[2], r->src[2].dwords);
	}
	if (in->enc != ISA_ENC_FLAT) {
		isa_put_sep(x);
		if (in->src[1] == ISA_SRC_NONE)
			isa_put(x, "off");
		else
			isa_put_reg(x, in->src[1], r->src[1].dwords);
	}
	if (in->offset)
		isa_put(x, " offset:%d", in->offset);
	put_cache(x);
	if (in->mods & ISA_MOD_LDS)
		isa_put(x, " lds");
}

/* Data format 8 bits and number format UNORM are the assembler's defaults. */
static void put_format(struct isa_text *x)
{
	u32 d = x->in->ctl & 15, n = x->in->ctl >> 4 & 7;

	if (d == 1 && !n)
		return;
	isa_put(x, " format:[");
	if (d != 1)
		isa_put(x, "BUF_DATA_FORMAT_%s", isa_data_format_names[d]);
	if (n)
		isa_put(x, "%sBUF_NUM_FORMAT_%s", d != 1 ? "," : "",
			isa_num_format_names[n]);
	isa_put(x, "]");
}

void isa_dis_buf_as(struct isa_text *x, bool tfe, void (*format)(struct isa_text *x),
		    void (*cache)(struct isa_text *x))
{
	const struct isa_row *r = x->row;
	const struct isa_insn *in = x->in;
	u32 addrs = !!(in->mods & ISA_MOD_OFFEN) + !!(in->mods & ISA_MOD_IDXEN);

	if (in->dst != ISA_SRC_NONE) {
		isa_put_sep(x);
		isa_put_reg(x, in->dst, r->dst[0].dwords + tfe);
	}
	if (r->op != ISA_OP_BUFFER_STORE_LDS_DWORD) {
		isa_put_sep(x);
		if (addrs)
			isa_put_reg(x, in->src[0], addrs);
		else
			isa_put(x, "off");
	}
	isa_put_sep(x);
	isa_put_reg(x, in->src[1], 4);
	isa_put_sep(x);
	isa_put_src(x, in->src[2], &r->src[2]);
	if (in->enc == ISA_ENC_MTBUF)
		format(x);
	isa_put(x, "%s%s", in->mods & ISA_MOD_IDXEN ? " idxen" : "",
		in->mods & ISA_MOD_OFFEN ? " offen" : "");
	if (in->offset)
		isa_put(x, " offset:%d", in->offset);
	cache(x);
	if (tfe)
		isa_put(x, " tfe");
	if (in->mods & ISA_MOD_LDS)
		isa_put(x, " lds");
}

void isa_dis_buf(struct isa_text *x)
{
	const struct isa_insn *in = x->in;
	bool tfe = in->mods & ISA_MOD_TFE && !isa_target_has(x->t, ISA_FEAT_ACC_BITS);

	if (x->row->src[1].kind)
		isa_dis_buf_as(x, tfe, put_format, put_cache);
	else if (isa_target_has(x->t, ISA_FEAT_SC_BITS))
		isa_put(x, "%s%s", in->mods & ISA_MOD_GLC ? " sc0" : "",
			in->mods & ISA_MOD_SCC ? " sc1" : "");
}

/* Image instructions of GFX9 */
void isa_dis_mimg(struct isa_text *x)
{
	const struct isa_row *r = x->row;
	const struct isa_insn *in = x->in;
	u32 c = in->ctl, dwords = 0, n;
	bool d16 = c & ISA_IMG_D16, tfe = c & ISA_IMG_TFE;

	for (n = 0; n < 4; n++)
		dwords += in->offset >> n & 1;
	if (!dwords)
		dwords = 1;
	if (d16)
		dwords = (dwords + 1) / 2;
	if (r->op == ISA_OP_IMAGE_ATOMIC_CMPSWAP && dwords < 2)
		dwords = 2;
	if (tfe)
		dwords++;
	isa_put_sep(x);
	isa_put_reg(x, in->dst, dwords);
	isa_put_sep(x);
	isa_put_reg(x, in->src[0], 1);
	isa_put_sep(x);
	isa_put_reg(x, in->src[1], 8);
	if (r->src[2].kind) {
		isa_put_sep(x);
		isa_put_reg(x, in->src[2], 4);
	}
	if (in->offset)
		isa_put(x, " dmask:0x%x", in->offset);
	isa_put(x, "%s", c & ISA_IMG_UNRM ? " unorm" : "");
	put_cache(x);
	isa_put(x, "%s%s%s%s%s", c & ISA_IMG_A16 ? " a16" : "", tfe ? " tfe" : "",
		c & ISA_IMG_LWE ? " lwe" : "", c & ISA_IMG_DA ? " da" : "", d16 ? " d16" : "");
}
