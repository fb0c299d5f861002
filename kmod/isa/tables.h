/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows of the instruction tables as the decoder and the disassembler see
 * them; the contents are generated from tab/ (see tab/gen.tab for the words).
 */
#ifndef ISA_TABLES_H
#define ISA_TABLES_H

#include "isa_int.h"

enum isa_kind {
	ISA_K_NONE,
	ISA_K_V,	/* VGPR */
	ISA_K_A,	/* VGPR or AccVGPR, by an acc bit */
	ISA_K_S,	/* SGPR, VCC, M0, EXEC, TTMP */
	ISA_K_C,	/* scalar source */
	ISA_K_R,	/* register in a scalar source field */
	ISA_K_X,	/* any vector source */
	ISA_K_M,	/* matrix accumulator input: as A, or an inline constant */
	ISA_K_VCC,	/* implied VCC; an SGPR pair in the VOP3 form */
	ISA_K_LIT,	/* mandatory literal */
	ISA_K_SIMM,	/* immediates, by how they are written */
	ISA_K_UIMM,
	ISA_K_DEC,
	ISA_K_LABEL,
	ISA_K_HWREG,
	ISA_K_WAIT,
	ISA_K_MSG,
	ISA_K_GPRIDX,
	ISA_K_CODE,
	ISA_K_BARRIER,	/* a barrier: M0 or a number */
	ISA_K_DELAY,
	ISA_K_DEPCTR,
	ISA_K_VERSION,
};

/* isa_row.flags */
#define ISA_OPF_CLAMP	BIT(0)
#define ISA_OPF_OMOD	BIT(1)
#define ISA_OPF_OPSEL	BIT(2)
#define ISA_OPF_NOSDWA	BIT(3)
#define ISA_OPF_NODPP	BIT(4)
#define ISA_OPF_NOE64	BIT(5)
#define ISA_OPF_RET	BIT(6)	/* atomic: returns the old value if glc */
#define ISA_OPF_GDS	BIT(7)
#define ISA_OPF_NOGDS	BIT(8)
#define ISA_OPF_OMOD3	BIT(9)	/* omod in the VOP3 form, not with SDWA */
#define ISA_OPF_NOD16	BIT(11)	/* image: no d16 */
#define ISA_OPF_NOSCC	BIT(10)	/* no scc bit where there is one */
#define ISA_OPF_NOGLC	BIT(12)	/* an atomic that never returns the old value */
#define ISA_OPF_DPP3	BIT(13)	/* its VOP3 form has DPP */
#define ISA_OPF_STORE	BIT(14)
#define ISA_OPF_TFE	BIT(15)	/* buffer: takes tfe */
#define ISA_OPF_BVH	BIT(16)	/* image: ray tracing */
#define ISA_OPF_INDEX	BIT(18)	/* sparse matrices: which part of the index */
#define ISA_OPF_GATHER	BIT(17)	/* image: four dwords of data */
/*
 * Image: digits of what its address has: how many extra arguments, whether there are
 * gradients, coordinates, a level of detail or the like; whether gradients have 16 bits
 */
#define ISA_OPF_IMG(digits)	(((digits) >> 16 & 7) << 20 | ((digits) >> 12 & 1) << 23 | \
				 ((digits) >> 8 & 1) << 24 | ((digits) >> 4 & 1) << 25 |   \
				 ((digits) & 1) << 26)
#define ISA_OPF_BITOP3	BIT(27)	/* neg, abs, omod are a truth table */
#define ISA_OPF_SWAP	BIT(28)	/* op_sel bits are fi and bound_ctrl */
#define ISA_OPF_F8F6F4	BIT(29)	/* matrix: cbsz and blgp are the formats of A and B */

/* isa_target.features: what encodings have, and instructions do */
#define ISA_FEAT_MAI		BIT(0)	/* AccVGPRs, matrix instructions */
#define ISA_FEAT_ACC_BITS	BIT(1)	/* acc bits: data of memory, C and D of matrices */
#define ISA_FEAT_SCOPE_BIT	BIT(2)	/* a third cache bit: scc, sc1 */
#define ISA_FEAT_ROW_NEWBCAST	BIT(3)	/* DPP: row_newbcast, and by it 64 bits */
#define ISA_FEAT_MFMA_FLUSH	BIT(4)	/* matrices: sums of pairs flush denormals */
#define ISA_FEAT_SC_BITS	BIT(5)	/* cache bits are sc0, sc1, nt; atomics have all */
#define ISA_FEAT_SVE		BIT(6)	/* scratch: a bit says that there is a VGPR */
#define ISA_FEAT_LDS_OPCODES	BIT(7)	/* FLAT loads to LDS are opcodes, not a bit */
#define ISA_FEAT_ARCH_SCRATCH	BIT(8)	/* scratch is where the launch said */
#define ISA_FEAT_KEEP_DENORMS	BIT(9)	/* float atomics in memory keep denormals */
#define ISA_FEAT_MFMA_FUSED	BIT(10)	/* matrices: sums of pairs are rounded once */
#define ISA_FEAT_MFMA_F64_NEG	BIT(11)	/* f64 matrices: blgp negates sources */
#define ISA_FEAT_MFMA_NO_BLGP	BIT(12)	/* matrices of one block: no blgp, but f32's */
#define ISA_FEAT_XCC_REGS	BIT(13)	/* hwreg names from XCC_ID on */
#define ISA_FEAT_OCP_FP8	BIT(17)	/* FP8 and BF8 are OCP's, not FNUZ */
#define ISA_FEAT_LDS_WIDE	BIT(18)	/* buffer loads of three and four dwords to the LDS */
#define ISA_FEAT_D16_CLEARS	BIT(19)	/* D16 loads clear the other half of the register */
#define ISA_FEAT_DOT_FLUSH	BIT(20)	/* dot products of halves and bfloat16s flush denormals */

#define ISA_FEAT_DLC		BIT(14)	/* cache bits: glc, slc, dlc */
#define ISA_FEAT_SCOPES		BIT(15)	/* cache policy: temporal hint and scope */
#define ISA_FEAT_GFX11_TEXT	BIT(16)	/* names and immediates as gfx11 spells them */

/* What the features of tab/gen.tab stand for */
#define ISA_GEN_MAI	ISA_FEAT_MAI
#define ISA_GEN_ECC	ISA_FEAT_D16_CLEARS
#define ISA_GEN_UNIFIED	(ISA_FEAT_ACC_BITS | ISA_FEAT_SCOPE_BIT | ISA_FEAT_ROW_NEWBCAST | \
			 ISA_FEAT_MFMA_FLUSH | ISA_FEAT_DOT_FLUSH)
#define ISA_GEN_SC	(ISA_FEAT_SC_BITS | ISA_FEAT_SVE | ISA_FEAT_LDS_OPCODES |	\
			 ISA_FEAT_ARCH_SCRATCH | ISA_FEAT_KEEP_DENORMS | ISA_FEAT_MFMA_FUSED | \
			 ISA_FEAT_MFMA_F64_NEG | ISA_FEAT_MFMA_NO_BLGP | ISA_FEAT_XCC_REGS)
#define ISA_GEN_OCP	(ISA_FEAT_OCP_FP8 | ISA_FEAT_LDS_WIDE)

/* A DPP or ds_permute source is in the lane's own half of 64; 16 bits keep the other half */
#define ISA_FEAT_RDNA		BIT(24)
#define ISA_FEAT_DPP_SCALAR	BIT(25)	/* DPP of VOP3: the second source may be a scalar */

#define ISA_GEN_RDNA	(ISA_FEAT_DLC | ISA_FEAT_RDNA | ISA_FEAT_ARCH_SCRATCH)
#define ISA_GEN_GFX11	(ISA_FEAT_GFX11_TEXT | ISA_FEAT_KEEP_DENORMS)
#define ISA_GEN_GFX115	ISA_FEAT_DPP_SCALAR
#define ISA_GEN_GFX12	(ISA_FEAT_SCOPES | ISA_FEAT_GFX11_TEXT | ISA_FEAT_DPP_SCALAR |	\
			 ISA_FEAT_KEEP_DENORMS)

/* isa_opnd.type */
#define ISA_T_FLOAT	1
#define ISA_T_HALF	2	/* 16 bits wide */
#define ISA_T_BF16	4
#define ISA_T_PACKED	8	/* two of 16 bits */

struct isa_opnd {
	u8 kind, dwords, type;
};

/**
 * struct isa_row - one row of the tables
 * @op,@enc: operation and the encoding the row is written for
 * @mods: sources that take neg and abs in the VOP3 form
 * @ignored: sources whose neg and abs bits may be set and do nothing
 * @dst,@src: operands
 * @flags: ISA_OPF_*
 */
struct isa_row {
	u16 op;
	u8 enc;
	u8 mods, ignored;
	struct isa_opnd dst[2], src[ISA_SRCS];
	u32 flags;
};

/*
 * Registers of source @n of a matrix operation whose @format (cbsz, blgp) says what A and
 * B are: FP8, BF8, FP6, BF6, FP4. CDNA4 ISA, "Matrix core: F8F6F4 formats"; beyond 4 as LLVM has
 * it.
 */
static inline u32 isa_format_dwords(u32 format)
{
	return format == 2 || format == 3 ? 6 : format == 4 ? 4 : 8;
}

static inline u32 isa_src_dwords(const struct isa_row *r, const struct isa_insn *i, u32 n)
{
	if (r->flags & ISA_OPF_F8F6F4 && n < 2)
		return isa_format_dwords(n ? i->neg : i->opsel & 7);
	return r->src[n].dwords;
}

/* WMMA or SWMMAC: rows are for waves of 32 lanes. */
static inline bool isa_is_wmma(const struct isa_row *r)
{
	return r->enc == ISA_ENC_VOP3P && r->dst[0].kind == ISA_K_V && r->dst[0].dwords >= 4;
}

struct isa_alias {
	u16 op;
	const char *name;
};

struct isa_target {
	const char *name;
	u32 major, minor, step;
	u32 features;
	const struct isa_alias *alias;
	const u16 *slots[ISA_ENC_COUNT];
	u16 nslots[ISA_ENC_COUNT];
};

static inline bool isa_target_has(const struct isa_target *t, u32 feature)
{
	return t->features & feature;
}

/*
 * The row of WMMA or SWMMAC as waves of 64 lanes have it: half as many registers. On gfx11 all
 * sixteens of lanes have A and B.
 */
static inline void isa_narrow_wmma(const struct isa_target *t, struct isa_row *r)
{
	u32 n;

	r->dst[0].dwords /= 2;
	for (n = isa_target_has(t, ISA_FEAT_SCOPES) ? 0 : 2; n < 3; n++)
		if (r->src[n].dwords > 1)
			r->src[n].dwords /= 2;
}

extern const struct isa_row isa_rows[];
/* How a target's instructions are encoded. */
const struct isa_family *isa_target_family(const struct isa_target *t);
const char *isa_target_op_name(const struct isa_target *t, unsigned int op);

#endif /* ISA_TABLES_H */
