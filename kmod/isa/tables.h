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

/* isa_target.features */
#define ISA_GEN_MAI	BIT(0)	/* AccVGPRs, matrix instructions */
#define ISA_GEN_UNIFIED	BIT(1)	/* one file for both kinds, acc bits */
#define ISA_GEN_SC	BIT(2)	/* sc0, sc1, nt in place of glc, slc, scc */

/* isa_opnd.type */
#define ISA_T_FLOAT	1
#define ISA_T_HALF	2	/* 16 bits wide */

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
	struct isa_opnd dst[2], src[3];
	u32 flags;
};

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

extern const struct isa_row isa_rows[];
const char *isa_target_op_name(const struct isa_target *t, unsigned int op);

#endif /* ISA_TABLES_H */
