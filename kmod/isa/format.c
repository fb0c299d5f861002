// SPDX-License-Identifier: GPL-2.0-only
/*
 * How generations number the formats of a buffer's elements. GFX9 has a data format and a
 * number format; from gfx10 on one number stands for both. Sources: CDNA ISA, "Buffer Data";
 * LLVM, SIDefines.h (UfmtGFX10, UfmtGFX11); RDNA2 and RDNA3 ISA, "Buffer Resource Descriptor".
 */
#include "format.h"

const char * const isa_data_format_names[ISA_DATA_FORMATS] = {
	"INVALID", "8", "16", "8_8", "32", "16_16", "10_11_11", "11_11_10",
	"10_10_10_2", "2_10_10_10", "8_8_8_8", "32_32", "16_16_16_16", "32_32_32",
	"32_32_32_32", "RESERVED_15",
};

const char * const isa_num_format_names[ISA_NUM_FORMATS] = {
	"UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "RESERVED_6", "FLOAT",
};

const struct isa_shape isa_shapes[ISA_DATA_FORMATS] = {
	[1] = { 1, 1, false, { 8 } },
	[2] = { 2, 1, false, { 16 } },
	[3] = { 2, 2, false, { 8, 8 } },
	[4] = { 4, 1, false, { 32 } },
	[5] = { 4, 2, false, { 16, 16 } },
	[6] = { 4, 3, true, { 11, 11, 10 } },
	[7] = { 4, 3, true, { 10, 11, 11 } },
	[8] = { 4, 4, true, { 2, 10, 10, 10 } },
	[9] = { 4, 4, true, { 10, 10, 10, 2 } },
	[10] = { 4, 4, false, { 8, 8, 8, 8 } },
	[11] = { 8, 2, false, { 32, 32 } },
	[12] = { 8, 4, false, { 16, 16, 16, 16 } },
	[13] = { 12, 3, false, { 32, 32, 32 } },
	[14] = { 16, 4, false, { 32, 32, 32, 32 } },
};

#define INTEGERS	(BIT(ISA_NUM_UINT) | BIT(ISA_NUM_SINT))
#define NORMALS		(BIT(ISA_NUM_UNORM) | BIT(ISA_NUM_SNORM))
#define FLOATS		BIT(ISA_NUM_FLOAT)
#define FIXED		(INTEGERS | NORMALS | BIT(ISA_NUM_USCALED) | BIT(ISA_NUM_SSCALED))

/*
 * From gfx10 on, formats are numbered from 1: by data format, and within a data format by number
 * format. A row says which number formats a data format has on gfx10, and which of them are left
 * on gfx11 and gfx12.
 */
static const struct {
	u8 gfx10, gfx11;
} formats_of[ISA_DATA_FORMATS] = {
	[1] = { FIXED, FIXED },				/* 8 */
	[2] = { FIXED | FLOATS, FIXED | FLOATS },	/* 16 */
	[3] = { FIXED, FIXED },				/* 8_8 */
	[4] = { INTEGERS | FLOATS, INTEGERS | FLOATS },	/* 32 */
	[5] = { FIXED | FLOATS, FIXED | FLOATS },	/* 16_16 */
	[6] = { FIXED | FLOATS, FLOATS },		/* 10_11_11 */
	[7] = { FIXED | FLOATS, FLOATS },		/* 11_11_10 */
	[8] = { FIXED, NORMALS | INTEGERS },		/* 10_10_10_2 */
	[9] = { FIXED, FIXED },				/* 2_10_10_10 */
	[10] = { FIXED, FIXED },			/* 8_8_8_8 */
	[11] = { INTEGERS | FLOATS, INTEGERS | FLOATS },	/* 32_32 */
	[12] = { FIXED | FLOATS, FIXED | FLOATS },	/* 16_16_16_16 */
	[13] = { INTEGERS | FLOATS, INTEGERS | FLOATS },	/* 32_32_32 */
	[14] = { INTEGERS | FLOATS, INTEGERS | FLOATS },	/* 32_32_32_32 */
};

bool isa_format_exists(u32 data, u32 num)
{
	return data < ISA_DATA_FORMATS && num < ISA_NUM_FORMATS &&
	       formats_of[array_index_nospec(data, ISA_DATA_FORMATS)].gfx10 & BIT(num);
}

u32 isa_buf_format_field(enum isa_buf_formats formats, u32 word3)
{
	switch (formats) {
	case ISA_BUF_FORMATS_GFX9:
		return (word3 >> 15 & 15) | (word3 >> 12 & 7) << 4;
	case ISA_BUF_FORMATS_GFX10:
		return word3 >> 12 & 0x7f;
	default:
		return word3 >> 12 & 0x3f;
	}
}

bool isa_buf_format(enum isa_buf_formats formats, u32 code, u32 *data, u32 *num)
{
	u32 d, n, left = code;

	if (formats == ISA_BUF_FORMATS_GFX9) {
		*data = code & 15;
		*num = code >> 4 & 7;
		return true;
	}
	if (formats == ISA_BUF_FORMATS_NONE || !code)
		return false;
	for (d = 1; d < ISA_DATA_FORMATS; d++) {
		const u32 nums = formats == ISA_BUF_FORMATS_GFX10 ? formats_of[d].gfx10 :
								    formats_of[d].gfx11;

		for (n = 0; n < ISA_NUM_FORMATS; n++) {
			if (nums & BIT(n) && !--left) {
				*data = d;
				*num = n;
				return true;
			}
		}
	}
	return false;
}
