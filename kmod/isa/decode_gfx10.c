// SPDX-License-Identifier: GPL-2.0-only
/* How gfx10 encodes: RDNA2 ISA chapter 13, "Microcode formats"; "Scalar operands". */
#include "disasm.h"

static const struct isa_format formats[] = {
	{ 0xff800000, 0xbe800000, ISA_ENC_SOP1,    1, 15, 8,  isa_dec_sop1 },
	{ 0xff800000, 0xbf000000, ISA_ENC_SOPC,    1, 22, 16, isa_dec_sopc },
	{ 0xff800000, 0xbf800000, ISA_ENC_SOPP,    1, 22, 16, isa_dec_sopp },
	{ 0xf0000000, 0xb0000000, ISA_ENC_SOPK,    1, 27, 23, isa_dec_sopk },
	{ 0xc0000000, 0x80000000, ISA_ENC_SOP2,    1, 29, 23, isa_dec_sop2 },
	{ 0xfe000000, 0x7e000000, ISA_ENC_VOP1,    1, 16, 9,  isa_rdna_vop },
	{ 0xfe000000, 0x7c000000, ISA_ENC_VOPC,    1, 24, 17, isa_rdna_vop },
	{ 0x80000000, 0x00000000, ISA_ENC_VOP2,    1, 30, 25, isa_rdna_vop },
	{ 0xff800000, 0xcc000000, ISA_ENC_VOP3P,   2, 22, 16, isa_rdna_vop3p },
	{ 0xfc000000, 0xd4000000, ISA_ENC_VOP3,    2, 25, 16, isa_rdna_vop3 },
	{ 0xfc000000, 0xd8000000, ISA_ENC_DS,      2, 25, 18, isa_rdna_ds },
	{ 0xfc00c000, 0xdc000000, ISA_ENC_FLAT,    2, 24, 18, isa_rdna_flat },
	{ 0xfc00c000, 0xdc004000, ISA_ENC_SCRATCH, 2, 24, 18, isa_rdna_flat },
	{ 0xfc00c000, 0xdc008000, ISA_ENC_GLOBAL,  2, 24, 18, isa_rdna_flat },
	{ 0xfc000000, 0xe0000000, ISA_ENC_MUBUF,   2, 25, 18, isa_rdna_buf },
	{ 0xfc000000, 0xe8000000, ISA_ENC_MTBUF,   2, 18, 16, isa_rdna_buf },
	{ 0xfc000000, 0xf0000000, ISA_ENC_MIMG,    2, 24, 18, isa_rdna_mimg },
	{ 0xfc000000, 0xf4000000, ISA_ENC_SMEM,    2, 25, 18, isa_rdna_smem },
	{ 0xfc000000, 0xf8000000, ISA_ENC_EXP,     2, 26, 26, isa_rdna_exp },
};

static const struct isa_scalars scalars[] = {
	{ 0, 127, 0 },
	{ 128, 208, ISA_SRC_INT0 },
	{ 235, 238, ISA_SRC_SHARED_BASE },
	{ 240, 248, ISA_SRC_FLOAT0 },
	{ 251, 255, ISA_SRC_VCCZ },
};

const struct isa_family isa_family_gfx10 = {
	.formats = formats, .num_formats = ARRAY_SIZE(formats),
	.scalars = scalars, .num_scalars = ARRAY_SIZE(scalars),
	.sgprs = 106, .sgpr_names = 106, .vop3_literal = true, .wave_size = 32,
	.text = isa_dis_rdna,
};
