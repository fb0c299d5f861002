// SPDX-License-Identifier: GPL-2.0-only
/* How GFX9 encodes: CDNA2 ISA chapter 12, "Microcode formats"; "Scalar operands". */
#include "decode.h"

static const struct isa_format formats[] = {
	{ 0xff800000, 0xbe800000, ISA_ENC_SOP1,    1, 15, 8,  isa_dec_sop1 },
	{ 0xff800000, 0xbf000000, ISA_ENC_SOPC,    1, 22, 16, isa_dec_sopc },
	{ 0xff800000, 0xbf800000, ISA_ENC_SOPP,    1, 22, 16, isa_dec_sopp },
	{ 0xf0000000, 0xb0000000, ISA_ENC_SOPK,    1, 27, 23, isa_dec_sopk },
	{ 0xc0000000, 0x80000000, ISA_ENC_SOP2,    1, 29, 23, isa_dec_sop2 },
	{ 0xfe000000, 0x7e000000, ISA_ENC_VOP1,    1, 16, 9,  isa_dec_vop },
	{ 0xfe000000, 0x7c000000, ISA_ENC_VOPC,    1, 24, 17, isa_dec_vop },
	{ 0x80000000, 0x00000000, ISA_ENC_VOP2,    1, 30, 25, isa_dec_vop },
	{ 0xfc000000, 0xc0000000, ISA_ENC_SMEM,    2, 25, 18, isa_dec_smem },
	{ 0xff800000, 0xd3800000, ISA_ENC_VOP3P,   2, 22, 16, isa_dec_vop3p },
	{ 0xfc000000, 0xd0000000, ISA_ENC_VOP3,    2, 25, 16, isa_dec_vop3 },
	{ 0xfc000000, 0xd8000000, ISA_ENC_DS,      2, 24, 17, isa_dec_ds },
	{ 0xfc00c000, 0xdc000000, ISA_ENC_FLAT,    2, 24, 18, isa_dec_flat },
	{ 0xfc00c000, 0xdc004000, ISA_ENC_SCRATCH, 2, 24, 18, isa_dec_flat },
	{ 0xfc00c000, 0xdc008000, ISA_ENC_GLOBAL,  2, 24, 18, isa_dec_flat },
	{ 0xfc000000, 0xe0000000, ISA_ENC_MUBUF,   2, 24, 18, isa_dec_buf },
	{ 0xfc000000, 0xe8000000, ISA_ENC_MTBUF,   2, 18, 15, isa_dec_buf },
	{ 0xfc000000, 0xf0000000, ISA_ENC_MIMG,    2, 24, 18, isa_dec_mimg },
};

/* 125 is no operand; 102 to 105 are FLAT_SCRATCH and XNACK_MASK. */
static const struct isa_scalars scalars[] = {
	{ 0, ISA_SRC_M0, 0 },
	{ 126, 127, ISA_SRC_EXEC_LO },
	{ 128, 208, ISA_SRC_INT0 },
	{ 235, 238, ISA_SRC_SHARED_BASE },
	{ 240, 248, ISA_SRC_FLOAT0 },
	{ 251, 255, ISA_SRC_VCCZ },
};

const struct isa_family isa_family_gfx9 = {
	.formats = formats, .num_formats = ARRAY_SIZE(formats),
	.scalars = scalars, .num_scalars = ARRAY_SIZE(scalars),
	.sgprs = 102, .sgpr_names = 104, .wave_size = 64,
};
