// SPDX-License-Identifier: GPL-2.0-only
/*
 * How gfx11 and gfx12 encode: RDNA3 ISA chapter 15 and RDNA4 ISA chapter 15, "Microcode
 * formats"; "Scalar operands". They differ in memory instructions.
 */
#include "disasm.h"

#define ALU_FORMATS								\
	{ 0xff800000, 0xbe800000, ISA_ENC_SOP1,    1, 15, 8,  isa_dec_sop1 },	\
	{ 0xff800000, 0xbf000000, ISA_ENC_SOPC,    1, 22, 16, isa_dec_sopc },	\
	{ 0xff800000, 0xbf800000, ISA_ENC_SOPP,    1, 22, 16, isa_dec_sopp },	\
	{ 0xf0000000, 0xb0000000, ISA_ENC_SOPK,    1, 27, 23, isa_dec_sopk },	\
	{ 0xc0000000, 0x80000000, ISA_ENC_SOP2,    1, 29, 23, isa_dec_sop2 },	\
	{ 0xfe000000, 0x7e000000, ISA_ENC_VOP1,    1, 16, 9,  isa_rdna_vop },	\
	{ 0xfe000000, 0x7c000000, ISA_ENC_VOPC,    1, 24, 17, isa_rdna_vop },	\
	{ 0x80000000, 0x00000000, ISA_ENC_VOP2,    1, 30, 25, isa_rdna_vop },	\
	{ 0xff000000, 0xcd000000, ISA_ENC_VINTERP, 2, 22, 16, isa_rdna_vinterp }, \
	{ 0xff800000, 0xcc000000, ISA_ENC_VOP3P,   2, 22, 16, isa_rdna_vop3p },	\
	{ 0xfc000000, 0xd4000000, ISA_ENC_VOP3,    2, 25, 16, isa_rdna_vop3 },	\
	{ 0xfc000000, 0xd8000000, ISA_ENC_DS,      2, 25, 18, isa_rdna_ds },	\
	{ 0xfc000000, 0xf8000000, ISA_ENC_EXP,     2, 26, 26, isa_rdna_exp },	\
	{ 0xfc000000, 0xc8000000, ISA_ENC_VOPDX,   2, 25, 22, isa_rdna_vopd }

static const struct isa_format gfx11_formats[] = {
	ALU_FORMATS,
	{ 0xffc00000, 0xce000000, ISA_ENC_LDSDIR,  1, 21, 20, isa_rdna_ldsdir },
	{ 0xfc030000, 0xdc000000, ISA_ENC_FLAT,    2, 24, 18, isa_rdna_flat },
	{ 0xfc030000, 0xdc010000, ISA_ENC_SCRATCH, 2, 24, 18, isa_rdna_flat },
	{ 0xfc030000, 0xdc020000, ISA_ENC_GLOBAL,  2, 24, 18, isa_rdna_flat },
	{ 0xfc000000, 0xe0000000, ISA_ENC_MUBUF,   2, 25, 18, isa_rdna_buf },
	{ 0xfc000000, 0xe8000000, ISA_ENC_MTBUF,   2, 18, 15, isa_rdna_buf },
	{ 0xfc000000, 0xf0000000, ISA_ENC_MIMG,    2, 25, 18, isa_rdna_mimg },
	{ 0xfc000000, 0xf4000000, ISA_ENC_SMEM,    2, 25, 18, isa_rdna_smem },
};

static const struct isa_format gfx12_formats[] = {
	ALU_FORMATS,
	{ 0xff400000, 0xce000000, ISA_ENC_LDSDIR,  1, 21, 20, isa_rdna_ldsdir },
	{ 0xff000000, 0xec000000, ISA_ENC_FLAT,    3, 20, 14, isa_gfx12_flat },
	{ 0xff000000, 0xed000000, ISA_ENC_SCRATCH, 3, 20, 14, isa_gfx12_flat },
	{ 0xff000000, 0xee000000, ISA_ENC_GLOBAL,  3, 20, 14, isa_gfx12_flat },
	{ 0xfc200000, 0xc4000000, ISA_ENC_MUBUF,   3, 20, 14, isa_gfx12_buf },
	{ 0xfc3c0000, 0xc4200000, ISA_ENC_MTBUF,   3, 17, 14, isa_gfx12_buf },
	{ 0xfc000000, 0xd0000000, ISA_ENC_VIMAGE,  3, 21, 14, isa_gfx12_image },
	{ 0xfc000000, 0xe4000000, ISA_ENC_VSAMPLE, 3, 21, 14, isa_gfx12_image },
	{ 0xfc000000, 0xf4000000, ISA_ENC_SMEM,    2, 18, 13, isa_gfx12_smem },
};

/* M0 and NULL are the other way round than before. */
static const struct isa_scalars scalars[] = {
	{ 0, 123, 0 },
	{ 124, 124, ISA_SRC_NULL },
	{ 125, 125, ISA_SRC_M0 },
	{ 126, 127, ISA_SRC_EXEC_LO },
	{ 128, 208, ISA_SRC_INT0 },
	{ 235, 238, ISA_SRC_SHARED_BASE },
	{ 240, 248, ISA_SRC_FLOAT0 },
	{ 251, 253, ISA_SRC_VCCZ },
	{ 255, 255, ISA_SRC_LITERAL },
};

const struct isa_family isa_family_gfx11 = {
	.formats = gfx11_formats, .num_formats = ARRAY_SIZE(gfx11_formats),
	.scalars = scalars, .num_scalars = ARRAY_SIZE(scalars),
	.sgprs = 106, .sgpr_names = 106, .vop3_literal = true, .wave_size = 32,
	.text = isa_dis_rdna,
};

const struct isa_family isa_family_gfx12 = {
	.formats = gfx12_formats, .num_formats = ARRAY_SIZE(gfx12_formats),
	.scalars = scalars, .num_scalars = ARRAY_SIZE(scalars),
	.sgprs = 106, .sgpr_names = 106, .vop3_literal = true, .wave_size = 32,
	.text = isa_dis_rdna,
};
