// SPDX-License-Identifier: GPL-2.0-only
/* Text of memory instructions of gfx10, 11 and 12. */
#include "disasm.h"
#include "image/fields.h"

enum { TH_LOAD, TH_STORE, TH_ATOMIC };

/* The temporal hint; the same number says something else to loads, stores and atomics. */
static void put_hint(struct isa_text *x, u32 th, u32 scope, int what)
{
	static const char * const plain[] = {
		NULL, "NT", "HT", NULL, "NT_RT", "RT_NT", "NT_HT", "NT_WB",
	};

	if (!th)
		return;
	if (what == TH_ATOMIC) {
		if (th & 4 && scope >= 2)
			isa_put(x, " th:TH_ATOMIC_CASCADE%s", th & 2 ? "_NT" : "_RT");
		else if (th & 4)
			isa_put(x, " th:TH_ATOMIC_0x%x", th);
		else if (th & 2)
			isa_put(x, " th:TH_ATOMIC_NT%s", th & 1 ? "_RETURN" : "");
		else
			isa_put(x, " th:TH_ATOMIC_RETURN");
		return;
	}
	if (what == TH_LOAD && th == 7) {
		isa_put(x, " th:0x%x", th);
		return;
	}
	isa_put(x, " th:%s", what == TH_STORE ? "TH_STORE_" : "TH_LOAD_");
	if (th == 3)
		isa_put(x, scope == 3 ? "BYPASS" : what == TH_STORE ? "RT_WB" : "LU");
	else
		isa_put(x, "%s", plain[th]);
}

static void put_policy(struct isa_text *x, int what)
{
	static const char * const scopes[] = { "", " scope:SCOPE_SE", " scope:SCOPE_DEV",
					       " scope:SCOPE_SYS" };
	u32 mods = x->in->mods;

	if (isa_target_has(x->t, ISA_FEAT_SCOPES)) {
		put_hint(x, x->in->opsel & 7, x->in->opsel >> 3 & 3, what);
		isa_put(x, "%s", scopes[x->in->opsel >> 3 & 3]);
		return;
	}
	isa_put(x, "%s%s%s", mods & ISA_MOD_GLC ? " glc" : "", mods & ISA_MOD_SLC ? " slc" : "",
		mods & ISA_MOD_DLC ? " dlc" : "");
}

/* What an instruction does to memory, by its operands. */
static int kind_of(const struct isa_text *x)
{
	const struct isa_row *r = x->row;

	if (r->flags & ISA_OPF_RET || strstr(isa_op_name(r->op), "atomic"))
		return TH_ATOMIC;
	if (r->flags & ISA_OPF_STORE || (x->in->enc <= ISA_ENC_SCRATCH && r->src[2].kind))
		return TH_STORE;
	return TH_LOAD;
}

void isa_dis_rdna_flat(struct isa_text *x)
{
	const struct isa_row *r = x->row;
	const struct isa_insn *in = x->in;

	if (in->dst != ISA_SRC_NONE) {
		isa_put_sep(x);
		isa_put_reg(x, in->dst, r->dst[0].dwords);
	}
	if (r->src[0].kind) {
		isa_put_sep(x);
		if (in->src[0] == ISA_SRC_NONE)
			isa_put(x, "off");
		else
			isa_put_reg(x, in->src[0], in->enc == ISA_ENC_SCRATCH ||
				    in->src[1] != ISA_SRC_NONE ? 1 : 2);
	}
	if (r->src[2].kind) {
		isa_put_sep(x);
		isa_put_reg(x, in->src[2], r->src[2].dwords);
	}
	if (r->src[1].kind) {
		isa_put_sep(x);
		if (in->src[1] == ISA_SRC_NONE)
			isa_put(x, "off");
		else
			isa_put_reg(x, in->src[1], r->src[1].dwords);
	}
	if (in->offset)
		isa_put(x, " offset:%d", in->offset);
	put_policy(x, kind_of(x));
	if (in->mods & ISA_MOD_LDS)
		isa_put(x, " lds");
}

static void put_format(struct isa_text *x)
{
	isa_dis_rdna_imm(x, ISA_K_NONE);
}

static void put_kind_policy(struct isa_text *x)
{
	put_policy(x, kind_of(x));
}

void isa_dis_rdna_buf(struct isa_text *x)
{
	if (x->row->src[1].kind)
		isa_dis_buf_as(x, x->in->mods & ISA_MOD_TFE, put_format, put_kind_policy);
}

static void put_hex(struct isa_text *x, s32 v)
{
	isa_put(x, "%s0x%x", v < 0 ? "-" : "", v < 0 ? -v : v);
}

/* The offset stands before the register where it is for a prefetch. */
static void put_prefetch(struct isa_text *x)
{
	const struct isa_insn *in = x->in;

	isa_put_sep(x);
	put_hex(x, in->offset);
	isa_put_sep(x);
	isa_put_reg(x, in->src[1], 1);
	isa_put_sep(x);
	isa_put(x, "%u", in->lit);
}

void isa_dis_rdna_smem(struct isa_text *x)
{
	const struct isa_row *r = x->row;
	const struct isa_insn *in = x->in;
	bool prefetch = strstr(isa_op_name(in->op), "prefetch");

	if (r->src[2].kind == ISA_K_SIMM && !prefetch) {
		isa_put_sep(x);
		isa_put(x, in->lit <= 64 ? "%u" : "0x%x", in->lit);
	} else if (r->dst[0].kind) {
		isa_put_sep(x);
		isa_put_reg(x, in->dst, r->dst[0].dwords);
	} else if (r->src[2].kind == ISA_K_S) {
		isa_put_sep(x);
		isa_put_reg(x, in->src[2], r->src[2].dwords);
	}
	if (r->src[0].kind) {
		isa_put_sep(x);
		isa_put_reg(x, in->src[0], r->src[0].dwords);
	}
	if (!r->src[1].kind)
		return;
	if (prefetch) {
		put_prefetch(x);
		return;
	}
	isa_put_sep(x);
	if (!(in->mods & ISA_MOD_SOE)) {
		put_hex(x, in->offset);
	} else {
		isa_put_reg(x, in->src[1], 1);
		if (in->offset || isa_target_has(x->t, ISA_FEAT_SCOPES)) {
			isa_put(x, " offset:");
			put_hex(x, in->offset);
		}
	}
	put_policy(x, TH_LOAD);
}

/* Registers of addresses. Source: LLVM, getAddrSizeMIMGOp(); what it says of each dimension */
static u32 image_addrs(const struct isa_row *r, u32 ctl)
{
	static const u8 coords[] = { 1, 2, 3, 3, 2, 3, 3, 4 };
	static const u8 gradients[] = { 2, 4, 6, 4, 2, 4, 4, 4 };
	const u32 dim = ctl & ISA_IMG_DIM;
	const u32 last = (r->flags & ISA_OPF_IMG(0x100) ? coords[dim] : 0) +
			 !!(r->flags & ISA_OPF_IMG(0x10));
	u32 n = (r->flags & ISA_OPF_IMG(0x70000)) / ISA_OPF_IMG(0x10000);

	n += ctl & ISA_IMG_A16 ? (last + 1) / 2 : last;
	if (!(r->flags & ISA_OPF_IMG(0x1000)))
		return n;
	return n + (r->flags & ISA_OPF_IMG(1) ? (gradients[dim] / 2u + 1) & ~1u : gradients[dim]);
}

static u32 image_data(const struct isa_row *r, const struct isa_insn *in)
{
	u32 mask = (u32)in->offset & 15, n = 0;

	for (; mask; mask &= mask - 1)
		n++;
	n = r->flags & ISA_OPF_GATHER ? 4 : n ? n : 1;
	return (in->ctl & ISA_IMG_D16 ? (n + 1) / 2 : n) + !!(in->ctl & ISA_IMG_TFE);
}

static void put_image_addrs(struct isa_text *x)
{
	const struct isa_insn *in = x->in;
	const bool sample = in->enc == ISA_ENC_VSAMPLE;
	const u32 n = image_addrs(x->row, in->ctl), named = sample ? 4 : 5;
	u32 k;

	isa_put_sep(x);
	if (n > 1)
		isa_put(x, "[");
	for (k = 0; k < n && k < named; k++) {
		const u32 reg = !k ? in->src[0] : ISA_SRC_VGPR0 +
				(k == 4 ? in->neg : in->lit >> 8 * (k - 1) & 0xff);

		if (k)
			isa_put(x, ", ");
		isa_put_reg(x, reg, k + 1 == named ? n - k : 1);
	}
	if (n > 1)
		isa_put(x, "]");
}

/* The image, a sampler if there is one, and the channels */
static void put_image_descriptors(struct isa_text *x)
{
	const struct isa_row *r = x->row;
	const struct isa_insn *in = x->in;

	isa_put_sep(x);
	isa_put_reg(x, in->src[1], r->src[1].dwords);
	if (r->src[2].kind) {
		isa_put_sep(x);
		isa_put_reg(x, in->src[2], 4);
	}
	if (in->offset)
		isa_put(x, " dmask:0x%x", in->offset);
}

static void put_image_gfx12(struct isa_text *x)
{
	static const char * const dims[] = { "1D", "2D", "3D", "CUBE", "1D_ARRAY", "2D_ARRAY",
					     "2D_MSAA", "2D_MSAA_ARRAY" };
	const struct isa_row *r = x->row;
	const struct isa_insn *in = x->in;
	const u32 ctl = in->ctl;

	isa_put_sep(x);
	isa_put_reg(x, in->dst, image_data(r, in));
	put_image_addrs(x);
	put_image_descriptors(x);
	isa_put(x, " dim:SQ_RSRC_IMG_%s%s", dims[ctl & ISA_IMG_DIM],
		ctl & ISA_IMG_UNRM ? " unorm" : "");
	put_kind_policy(x);
	isa_put(x, "%s%s%s%s%s", ctl & ISA_IMG_R128 ? " r128" : "", ctl & ISA_IMG_A16 ? " a16" : "",
		ctl & ISA_IMG_TFE ? " tfe" : "", ctl & ISA_IMG_LWE ? " lwe" : "",
		ctl & ISA_IMG_D16 ? " d16" : "");
}

/* Registers behind the first are not known to the decoder before gfx12. */
void isa_dis_rdna_image(struct isa_text *x)
{
	const struct isa_row *r = x->row;
	const struct isa_insn *in = x->in;

	if (in->enc != ISA_ENC_MIMG && !(r->flags & ISA_OPF_BVH)) {
		put_image_gfx12(x);
		return;
	}
	isa_put_sep(x);
	isa_put_reg(x, in->dst, 1);
	isa_put_sep(x);
	isa_put_reg(x, in->src[0], 1);
	put_image_descriptors(x);
}
