/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside the decoder: operand checks and one function per encoding family. */
#ifndef ISA_DECODE_H
#define ISA_DECODE_H

#include "tables.h"

#define ISA_SRC_SDWA	249
#define ISA_SRC_DPP	250

struct isa_dec;
struct isa_text;

/* Scalar operands @first to @last of an encoding are canonical ones from @to on. */
struct isa_scalars {
	u8 first, last;
	u16 to;
};

/**
 * struct isa_format - one format of instruction words
 * @mask,@match: bits of the first word that tell it
 * @enc: its rows in the tables
 * @dwords: without a literal
 * @hi,@lo: opcode field of the first word
 * @decode: the other fields; returns dwords used, 0: more are needed, -EINVAL
 */
struct isa_format {
	u32 mask, match;
	u8 enc, dwords;
	u8 hi, lo;
	int (*decode)(struct isa_dec *d);
};

/**
 * struct isa_family - generations that encode instructions alike
 * @formats: the first that matches counts: narrower ones stand before those
 *	that they carve from
 * @scalars: canonical operands of the 8-bit scalar source field; what is in no
 *	range is no operand. The 7-bit field is its lower half.
 * @sgprs,@sgpr_names: how many there are, and how far tuples may reach over them: the
 *	names beyond are refused when the instruction is bound
 * @vop3_literal: VOP3 and VOP3P take a literal
 * @wave_size: lanes of a wave when nobody says
 * @text: writes the operands of an instruction, NULL: as GFX9's are
 */
struct isa_family {
	const struct isa_format *formats;
	unsigned int num_formats;
	const struct isa_scalars *scalars;
	unsigned int num_scalars;
	u8 sgprs, sgpr_names;
	bool vop3_literal;
	u8 wave_size;
	void (*text)(struct isa_text *x);
};

extern const struct isa_family isa_family_gfx9;
extern const struct isa_family isa_family_gfx10;
extern const struct isa_family isa_family_gfx11;
extern const struct isa_family isa_family_gfx12;

/**
 * struct isa_dec - an instruction being decoded
 * @t,@f: target and its family
 * @lanes: of the wave: lane masks are as wide
 * @row: its table row
 * @w: words of its format; zero where there is none
 * @dw,@n: all words at hand
 * @lit: a source asked for the literal dword
 * @in: the result
 */
struct isa_dec {
	const struct isa_target *t;
	const struct isa_family *f;
	u32 lanes;
	const struct isa_row *row;
	u32 w[ISA_INSN_MAX_DWORDS];
	const u32 *dw;
	unsigned int n;
	bool lit;
	struct isa_insn *in;
};

static inline u32 isa_bits(u32 w, unsigned int hi, unsigned int lo)
{
	return w >> lo & (0xffffffffu >> (31 - (hi - lo)));
}

/* Each returns false if the field is no operand of that kind. */
bool isa_dec_scalar(const struct isa_family *f, u32 code, u16 *out);
bool isa_dec_sgpr(const struct isa_dec *d, u32 code, u32 dwords, u16 *out);
bool isa_dec_ssrc(struct isa_dec *d, u32 code, u32 dwords, bool lit, u16 *out);
bool isa_dec_vgpr(struct isa_dec *d, u32 n, u32 dwords, bool acc, u16 *out);
/* SGPRs that hold a lane mask. */
bool isa_dec_mask(const struct isa_dec *d, u32 code, u16 *out);

/* Loads that have a bit to write to the LDS instead of a VGPR. */
bool isa_dec_may_load_lds(const struct isa_dec *d);

/*
 * Operands of VOP2 and VOPC that no field names: VCC, literals of madmk and madak. Returns
 * which source the second field is, 0 for none.
 */
unsigned int isa_dec_implied(struct isa_dec *d);

/* The dword behind VOP1, VOP2 and VOPC, until gfx10: returns 2, or -EINVAL. */
int isa_dec_sdwa(struct isa_dec *d, u32 x);

/* isa_format.decode */
int isa_dec_sop1(struct isa_dec *d);
int isa_dec_sop2(struct isa_dec *d);
int isa_dec_sopc(struct isa_dec *d);
int isa_dec_sopk(struct isa_dec *d);
int isa_dec_sopp(struct isa_dec *d);
int isa_dec_smem(struct isa_dec *d);
int isa_dec_vop(struct isa_dec *d);
int isa_dec_vop3(struct isa_dec *d);
int isa_dec_vop3p(struct isa_dec *d);
int isa_dec_ds(struct isa_dec *d);
int isa_dec_flat(struct isa_dec *d);
int isa_dec_buf(struct isa_dec *d);
int isa_dec_mimg(struct isa_dec *d);

/* decode_rdna*.c: gfx10 on */
int isa_rdna_sopk(struct isa_dec *d);
int isa_rdna_vop(struct isa_dec *d);
int isa_rdna_vop3(struct isa_dec *d);
int isa_rdna_vop3p(struct isa_dec *d);
int isa_rdna_vopd(struct isa_dec *d);
int isa_rdna_vinterp(struct isa_dec *d);
int isa_rdna_ldsdir(struct isa_dec *d);
int isa_rdna_exp(struct isa_dec *d);
int isa_rdna_ds(struct isa_dec *d);
int isa_rdna_smem(struct isa_dec *d);
int isa_rdna_flat(struct isa_dec *d);
int isa_rdna_buf(struct isa_dec *d);
int isa_rdna_mimg(struct isa_dec *d);
int isa_gfx12_smem(struct isa_dec *d);
int isa_gfx12_flat(struct isa_dec *d);
int isa_gfx12_buf(struct isa_dec *d);
int isa_gfx12_image(struct isa_dec *d);

#endif /* ISA_DECODE_H */
