// SPDX-License-Identifier: GPL-2.0-only
/*
 * struct isa_insn to text, spelled as LLVM's assembler accepts it and its
 * disassembler prints it (LLVM 19, llvm-mc -disassemble).
 */
#include "disasm.h"

void isa_put(struct isa_text *x, const char *fmt, ...)
{
	size_t left = x->at < x->len ? x->len - x->at : 0;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(left ? x->buf + x->at : NULL, left, fmt, ap);
	va_end(ap);
	if (n > 0)
		x->at += n;
}

void isa_put_sep(struct isa_text *x)
{
	isa_put(x, x->ops++ ? ", " : " ");
}

void isa_put_bits(struct isa_text *x, const char *name, u32 bits, u32 n)
{
	u32 k;

	isa_put(x, " %s:[", name);
	for (k = 0; k < n; k++)
		isa_put(x, "%s%u", k ? "," : "", bits >> k & 1);
	isa_put(x, "]");
}

static void put_tuple(struct isa_text *x, const char *file, u32 n, u32 dwords)
{
	if (dwords == 1)
		isa_put(x, "%s%u", file, n);
	else
		isa_put(x, "%s[%u:%u]", file, n, n + dwords - 1);
}

static const char *special_name(const struct isa_text *x, u32 code, u32 dwords)
{
	static const char * const words[] = {
		"flat_scratch_lo", "flat_scratch_hi", "xnack_mask_lo",
		"xnack_mask_hi", "vcc_lo", "vcc_hi",
	};
	static const char * const pairs[] = { "flat_scratch", "xnack_mask", "vcc" };
	static const char * const apertures[] = {
		"src_shared_base", "src_shared_limit", "src_private_base",
		"src_private_limit", "src_pops_exiting_wave_id",
	};

	if (code >= x->family->sgprs && code <= ISA_SRC_VCC_HI)
		return dwords == 1 ? words[code - ISA_SRC_FLAT_SCR_LO] :
		       pairs[(code - ISA_SRC_FLAT_SCR_LO) / 2];
	if (code >= ISA_SRC_SHARED_BASE && code < ISA_SRC_SHARED_BASE + ARRAY_SIZE(apertures))
		return apertures[code - ISA_SRC_SHARED_BASE];
	switch (code) {
	case ISA_SRC_M0:
		return "m0";
	case ISA_SRC_NULL:
		return "null";
	case ISA_SRC_EXEC_LO:
		return dwords == 1 ? "exec_lo" : "exec";
	case ISA_SRC_EXEC_HI:
		return "exec_hi";
	case ISA_SRC_VCCZ:
		return "src_vccz";
	case ISA_SRC_EXECZ:
		return "src_execz";
	case ISA_SRC_SCC:
		return "src_scc";
	case ISA_SRC_LDS_DIRECT:
		return "src_lds_direct";
	default:
		return NULL;
	}
}

void isa_put_reg(struct isa_text *x, u32 code, u32 dwords)
{
	const char *name = special_name(x, code, dwords);

	if (name)
		isa_put(x, "%s", name);
	else if (code >= ISA_SRC_ACC0)
		put_tuple(x, "a", code - ISA_SRC_ACC0, dwords);
	else if (code >= ISA_SRC_VGPR0)
		put_tuple(x, "v", code - ISA_SRC_VGPR0, dwords);
	else if (code >= ISA_SRC_TTMP0)
		put_tuple(x, "ttmp", code - ISA_SRC_TTMP0, dwords);
	else
		put_tuple(x, "s", code, dwords);
}

/* Inline floats 240..248 and their bit patterns as 32- and 16-bit values. */
static const struct {
	const char *text;
	u32 f32;
	u16 f16;
} floats[] = {
	{ "0.5", 0x3f000000, 0x3800 }, { "-0.5", 0xbf000000, 0xb800 },
	{ "1.0", 0x3f800000, 0x3c00 }, { "-1.0", 0xbf800000, 0xbc00 },
	{ "2.0", 0x40000000, 0x4000 }, { "-2.0", 0xc0000000, 0xc000 },
	{ "4.0", 0x40800000, 0x4400 }, { "-4.0", 0xc0800000, 0xc400 },
	{ "0.15915494", 0x3e22f983, 0x3118 },
};

/* A literal that equals an inline constant is printed as that constant. */
static void put_literal(struct isa_text *x, u32 v, const struct isa_opnd *o)
{
	bool half = o->type & ISA_T_HALF, packed = o->type & ISA_T_PACKED;
	/* LLVM looks at all bits of an integer of 16, and at the lower ones of a float. */
	s32 number = half && o->type & (ISA_T_FLOAT | ISA_T_BF16) ? (s16)v : (s32)v;
	bool upper = o->dwords == 2 && o->type & ISA_T_FLOAT;	/* half of a double */
	size_t n;

	if (half)
		v &= 0xffff;
	if (!number || (number >= -16 && number <= 64 && !upper)) {
		isa_put(x, "%d", number);
		return;
	}
	for (n = 0; n < ARRAY_SIZE(floats); n++) {
		u32 f = !half && !packed ? floats[n].f32 :
			o->type & ISA_T_FLOAT ? floats[n].f16 :
			o->type & ISA_T_BF16 ? floats[n].f32 >> 16 : packed ? floats[n].f32 : ~0u;
		bool hit = v == f;

		if (hit && o->dwords == 1) {
			isa_put(x, "%s", floats[n].text);
			return;
		}
	}
	isa_put(x, "0x%x", v);
}

/* Packed operands of two dwords are two floats; accumulators say what they are. */
static bool is_double(const struct isa_text *x, const struct isa_opnd *o)
{
	if (x->in->enc == ISA_ENC_VOP3P)
		return o->kind == ISA_K_M && o->type & ISA_T_FLOAT;
	return o->dwords == 2;
}

/* Two floats of 8 bits: LLVM has their constants as floats, though not their literals. */
static bool is_pair_of_bytes(const struct isa_text *x)
{
	return x->in->op == ISA_OP_V_CVT_PK_F32_FP8_HALF ||
	       x->in->op == ISA_OP_V_CVT_PK_F32_BF8_HALF;
}

void isa_put_src(struct isa_text *x, u32 code, const struct isa_opnd *o)
{
	if (code == ISA_SRC_LITERAL)
		put_literal(x, x->in->lit, o);
	else if (code >= ISA_SRC_INT0 && code <= 192)
		isa_put(x, "%u", code - ISA_SRC_INT0);
	else if (code > 192 && code <= 208)
		isa_put(x, "-%u", code - 192);
	else if (code >= 240 && code <= 248 && o->type == ISA_T_HALF &&
		 x->in->enc != ISA_ENC_VOP3P && !is_pair_of_bytes(x))
		isa_put(x, "0x%x", floats[code - 240].f16);
	else if (code >= 240 && code < 248)
		isa_put(x, "%s", floats[code - 240].text);
	else if (code == 248)
		isa_put(x, is_double(x, o) ? "0.15915494309189532" : "0.15915494");
	else
		isa_put_reg(x, code, o->dwords);
}

void isa_dis_operands(struct isa_text *x, void (*imm)(struct isa_text *x, unsigned int kind))
{
	const struct isa_row *r = x->row;
	const struct isa_insn *in = x->in;
	u32 n;

	if (r->dst[0].kind) {
		isa_put_sep(x);
		isa_put_reg(x, in->dst, r->dst[0].dwords);
	}
	for (n = 0; n < ARRAY_SIZE(r->src) && r->src[n].kind; n++) {
		if (r->src[n].kind >= ISA_K_SIMM && r->src[n].kind != ISA_K_BARRIER) {
			imm(x, r->src[n].kind);
			continue;
		}
		isa_put_sep(x);
		if (r->src[n].kind == ISA_K_LIT)
			isa_put(x, "0x%x", in->lit);
		else
			isa_put_src(x, in->src[n], &r->src[n]);
	}
}

/* setreg names the register before the source. */
static void dis_setreg(struct isa_text *x)
{
	isa_dis_imm(x, ISA_K_HWREG);
	isa_put_sep(x);
	if (x->in->op == ISA_OP_S_SETREG_IMM32_B32)
		put_literal(x, x->in->lit, &x->row->src[1]);
	else
		isa_put_reg(x, x->in->src[0], 1);
}

static void dis_smem(struct isa_text *x)
{
	const struct isa_row *r = x->row;
	const struct isa_insn *in = x->in;

	if (r->src[2].kind == ISA_K_SIMM) {
		isa_put_sep(x);
		isa_put(x, in->lit <= 64 ? "%u" : "0x%x", in->lit);
	} else if (r->dst[0].kind) {
		isa_put_sep(x);
		isa_put_reg(x, in->dst, r->dst[0].dwords);
	} else if (r->src[2].kind) {
		isa_put_sep(x);
		isa_put_reg(x, in->src[2], r->src[2].dwords);
	}
	if (!r->src[0].kind)
		return;
	isa_put_sep(x);
	isa_put_reg(x, in->src[0], r->src[0].dwords);
	isa_put_sep(x);
	if (in->mods & ISA_MOD_SOE) {
		isa_put_reg(x, in->src[1], 1);
		if (in->mods & ISA_MOD_IMM)
			isa_put(x, " offset:%s0x%x", in->offset < 0 ? "-" : "",
				in->offset < 0 ? -in->offset : in->offset);
	} else {
		isa_put(x, "%s0x%x", in->offset < 0 ? "-" : "",
			in->offset < 0 ? -in->offset : in->offset);
	}
	if (in->mods & ISA_MOD_GLC && r->src[2].kind != ISA_K_SIMM &&
	    (r->dst[0].kind || r->src[2].kind))
		isa_put(x, " glc");
}

int isa_disasm(const struct isa_target *t, const struct isa_insn *in, char *buf,
	       size_t len)
{
	struct isa_text x = { .t = t, .in = in, .buf = buf, .len = len };

	if (!in->size || in->op >= ISA_OP_COUNT)
		return -EINVAL;
	x.row = &isa_rows[in->row];
	x.family = isa_target_family(t);
	isa_put(&x, "%s", isa_target_op_name(t, in->op));
	if (x.family->text) {
		x.family->text(&x);
		return (int)x.at;
	}
	switch (in->enc) {
	case ISA_ENC_SMEM:
		dis_smem(&x);
		break;
	case ISA_ENC_VOP1:
	case ISA_ENC_VOP2:
	case ISA_ENC_VOPC:
	case ISA_ENC_VOP3:
	case ISA_ENC_VOP3P:
		isa_dis_vop(&x);
		break;
	case ISA_ENC_DS:
		isa_dis_ds(&x);
		break;
	case ISA_ENC_MUBUF:
	case ISA_ENC_MTBUF:
		isa_dis_buf(&x);
		break;
	case ISA_ENC_MIMG:
		isa_dis_mimg(&x);
		break;
	case ISA_ENC_FLAT:
	case ISA_ENC_GLOBAL:
	case ISA_ENC_SCRATCH:
		isa_dis_flat(&x);
		break;
	default:
		if (in->op == ISA_OP_S_SETREG_B32 || in->op == ISA_OP_S_SETREG_IMM32_B32)
			dis_setreg(&x);
		else
			isa_dis_operands(&x, isa_dis_imm);
	}
	return (int)x.at;
}
