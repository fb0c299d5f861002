// SPDX-License-Identifier: GPL-2.0-only
/*
 * Texels: what formats there are, and the way between a texel and registers. The lower numbers of
 * formats are those of buffers; behind them a generation has its own for images alone. Formats of
 * blocks, of video, with one bit, and those of three dwords are not executed. Sources: RDNA2 and
 * RDNA3 ISA, "Data Formats"; Mesa, gfx10-rsrc.json, gfx11-rsrc.json; ROCr, resource_ai.h.
 */
#include "image.h"

#define GFX9(data, num)	((data) | (num) << 6)

static const struct {
	u16 gfx9, gfx10, gfx11;
	u8 num;
	struct isa_shape shape;
} formats_of_images[] = {
	{ GFX9(1, 9), 128, 64, ISA_NUM_SRGB, { 1, 1, false, { 8 } } },
	{ GFX9(3, 9), 129, 65, ISA_NUM_SRGB, { 2, 2, false, { 8, 8 } } },
	{ GFX9(10, 9), 130, 66, ISA_NUM_SRGB, { 4, 4, false, { 8, 8, 8, 8 } } },
	{ GFX9(16, 0), 133, 68, ISA_NUM_UNORM, { 2, 3, true, { 5, 6, 5 } } },
	{ GFX9(17, 0), 134, 69, ISA_NUM_UNORM, { 2, 4, true, { 5, 5, 5, 1 } } },
	{ GFX9(18, 0), 135, 70, ISA_NUM_UNORM, { 2, 4, true, { 1, 5, 5, 5 } } },
	{ GFX9(19, 0), 136, 71, ISA_NUM_UNORM, { 2, 4, true, { 4, 4, 4, 4 } } },
};

/* What a buffer may have, too */
static bool buf_format(enum isa_buf_formats formats, u32 code, u32 *data, u32 *num)
{
	if (formats != ISA_BUF_FORMATS_GFX9)
		return isa_buf_format(formats, code, data, num);
	*data = code & 0x3f;
	*num = code >> 6;
	return isa_format_exists(*data, *num);
}

bool isa_img_format(enum isa_buf_formats formats, u32 code, struct isa_shape *s, u8 *num)
{
	u32 n, data, buf_num;

	if (formats == ISA_BUF_FORMATS_NONE)
		return false;
	if (buf_format(formats, code, &data, &buf_num)) {
		*s = isa_shapes[array_index_nospec(data, ISA_DATA_FORMATS)];
		*num = (u8)buf_num;
		return s->bytes && s->bytes != 12;
	}
	for (n = 0; n < ARRAY_SIZE(formats_of_images); n++) {
		if (code != (formats == ISA_BUF_FORMATS_GFX9 ? formats_of_images[n].gfx9 :
			     formats == ISA_BUF_FORMATS_GFX10 ? formats_of_images[n].gfx10 :
								formats_of_images[n].gfx11))
			continue;
		*s = formats_of_images[n].shape;
		*num = formats_of_images[n].num;
		return true;
	}
	return false;
}

/*
 * sRGB of 8 bits as a float: c / 12.92 up to 0.04045, else ((c + 0.055) / 1.055) ^ 2.4, rounded
 * (IEC 61966-2-1). There is no power function here, so it is a table.
 */
static const u32 srgb[256] = {
	0x00000000, 0x399f22b4, 0x3a1f22b4, 0x3a6eb40e, 0x3a9f22b4, 0x3ac6eb61, 0x3aeeb40e,
	0x3b0b3e5d, 0x3b1f22b4, 0x3b33070a, 0x3b46eb61, 0x3b5b518e, 0x3b70f18f, 0x3b83e1c6,
	0x3b8fe616, 0x3b9c87fd, 0x3ba9c9b6, 0x3bb7ad6f, 0x3bc6354a, 0x3bd56360, 0x3be539c1,
	0x3bf5ba71, 0x3c0373b6, 0x3c0c6153, 0x3c15a705, 0x3c1f45be, 0x3c293e6b, 0x3c3391f7,
	0x3c3e4149, 0x3c494d44, 0x3c54b6c9, 0x3c607eb4, 0x3c6ca5df, 0x3c792d22, 0x3c830aa9,
	0x3c89af9f, 0x3c9085dc, 0x3c978dc6, 0x3c9ec7c2, 0x3ca63433, 0x3cadd37d, 0x3cb5a602,
	0x3cbdac21, 0x3cc5e63a, 0x3cce54ac, 0x3cd6f7d5, 0x3cdfd010, 0x3ce8ddba, 0x3cf2212d,
	0x3cfb9ac3, 0x3d02a56a, 0x3d0798dd, 0x3d0ca7e6, 0x3d11d2af, 0x3d171964, 0x3d1c7c30,
	0x3d21fb3c, 0x3d2796b2, 0x3d2d4ebb, 0x3d332381, 0x3d39152b, 0x3d3f23e4, 0x3d454fd2,
	0x3d4b991d, 0x3d51ffec, 0x3d588468, 0x3d5f26b6, 0x3d65e6fd, 0x3d6cc563, 0x3d73c20e,
	0x3d7add24, 0x3d810b65, 0x3d84b793, 0x3d88732e, 0x3d8c3e48, 0x3d9018f4, 0x3d940344,
	0x3d97fd49, 0x3d9c0715, 0x3da020ba, 0x3da44a4a, 0x3da883d6, 0x3daccd6f, 0x3db12727,
	0x3db5910f, 0x3dba0b38, 0x3dbe95b3, 0x3dc33090, 0x3dc7dbe0, 0x3dcc97b4, 0x3dd1641d,
	0x3dd6412b, 0x3ddb2eee, 0x3de02d76, 0x3de53cd4, 0x3dea5d18, 0x3def8e51, 0x3df4d090,
	0x3dfa23e5, 0x3dff885e, 0x3e027f06, 0x3e05427f, 0x3e080ea2, 0x3e0ae377, 0x3e0dc104,
	0x3e10a753, 0x3e13966a, 0x3e168e51, 0x3e198f0f, 0x3e1c98ac, 0x3e1fab30, 0x3e22c6a1,
	0x3e25eb07, 0x3e29186a, 0x3e2c4ed0, 0x3e2f8e42, 0x3e32d6c5, 0x3e362862, 0x3e39831f,
	0x3e3ce703, 0x3e405417, 0x3e43ca60, 0x3e4749e6, 0x3e4ad2af, 0x3e4e64c3, 0x3e520029,
	0x3e55a4e7, 0x3e595305, 0x3e5d0a89, 0x3e60cb7a, 0x3e6495df, 0x3e6869be, 0x3e6c471f,
	0x3e702e07, 0x3e741e7e, 0x3e78188b, 0x3e7c1c33, 0x3e8014bf, 0x3e822039, 0x3e84308b,
	0x3e8645b8, 0x3e885fc3, 0x3e8a7eb0, 0x3e8ca281, 0x3e8ecb3b, 0x3e90f8df, 0x3e932b72,
	0x3e9562f6, 0x3e979f6f, 0x3e99e0e0, 0x3e9c274c, 0x3e9e72b6, 0x3ea0c321, 0x3ea31890,
	0x3ea57307, 0x3ea7d288, 0x3eaa3716, 0x3eaca0b6, 0x3eaf0f68, 0x3eb18332, 0x3eb3fc15,
	0x3eb67a14, 0x3eb8fd34, 0x3ebb8576, 0x3ebe12de, 0x3ec0a56e, 0x3ec33d2a, 0x3ec5da14,
	0x3ec87c30, 0x3ecb2380, 0x3ecdd008, 0x3ed081ca, 0x3ed338c9, 0x3ed5f508, 0x3ed8b68a,
	0x3edb7d52, 0x3ede4963, 0x3ee11abf, 0x3ee3f169, 0x3ee6cd65, 0x3ee9aeb5, 0x3eec955b,
	0x3eef815c, 0x3ef272b8, 0x3ef56974, 0x3ef86593, 0x3efb6716, 0x3efe6e00, 0x3f00bd2b,
	0x3f02460c, 0x3f03d1a5, 0x3f055ff7, 0x3f06f104, 0x3f0884cd, 0x3f0a1b54, 0x3f0bb499,
	0x3f0d509f, 0x3f0eef65, 0x3f1090ef, 0x3f12353d, 0x3f13dc50, 0x3f15862a, 0x3f1732cc,
	0x3f18e237, 0x3f1a946e, 0x3f1c4970, 0x3f1e0140, 0x3f1fbbde, 0x3f21794d, 0x3f23398c,
	0x3f24fc9f, 0x3f26c285, 0x3f288b41, 0x3f2a56d2, 0x3f2c253c, 0x3f2df67f, 0x3f2fca9c,
	0x3f31a194, 0x3f337b6a, 0x3f35581d, 0x3f3737b0, 0x3f391a24, 0x3f3aff7a, 0x3f3ce7b2,
	0x3f3ed2cf, 0x3f40c0d2, 0x3f42b1bc, 0x3f44a58e, 0x3f469c49, 0x3f4895ef, 0x3f4a9280,
	0x3f4c91ff, 0x3f4e946c, 0x3f5099c9, 0x3f52a216, 0x3f54ad56, 0x3f56bb88, 0x3f58ccaf,
	0x3f5ae0cc, 0x3f5cf7df, 0x3f5f11ea, 0x3f612eef, 0x3f634eee, 0x3f6571e9, 0x3f6797e0,
	0x3f69c0d5, 0x3f6becca, 0x3f6e1bbf, 0x3f704db5, 0x3f7282ae, 0x3f74baab, 0x3f76f5ae,
	0x3f7933b6, 0x3f7b74c6, 0x3f7db8de, 0x3f800000,
};

static u32 bit_of(const struct isa_shape *s, u32 c)
{
	u32 at = 0, k;

	for (k = 0; k < c; k++)
		at += s->bits[k];
	return at;
}

static u32 ones(u32 bits)
{
	return 0xffffffffu >> (32 - bits);
}

u32 isa_img_component(const struct img_rsrc *r, const u32 *buf, u32 c, bool half)
{
	const struct isa_shape *s = &r->shape;
	u32 at, raw, v;

	if (!buf || c >= s->n)
		return 0;
	at = bit_of(s, c);
	raw = buf[at / 32] >> at % 32 & ones(s->bits[c]);
	if (r->num != ISA_NUM_SRGB)
		return isa_texel_get(raw, s->bits[c], r->num, half);
	v = c < 3 ? srgb[array_index_nospec(raw & 255, 256)] :
		    isa_texel_get(raw, 8, ISA_NUM_UNORM, false);
	return half ? isa_half_of(v) : v;
}

u32 isa_img_select(const struct img_rsrc *r, const u32 *value, u32 c, bool half)
{
	const u32 sel = r->sel[c];

	if (sel == IMG_SEL_1)
		return r->num == ISA_NUM_UINT || r->num == ISA_NUM_SINT ? 1 :
		       half ? 0x3c00 : 0x3f800000;
	return sel < IMG_SEL_X ? 0 : value[sel - IMG_SEL_X];
}

/*
 * An integer that does not fit is the nearest that does: OpenCL's write_imagei() and
 * write_imageui() saturate, and compilers leave that to the instruction.
 */
static u32 saturate(u32 v, u32 bits, u32 num, bool half)
{
	const s32 top = (s32)(ones(bits) >> 1);
	s32 s = half ? (s16)v : (s32)v;

	if (bits == 32 || (num != ISA_NUM_UINT && num != ISA_NUM_SINT))
		return v;
	if (num == ISA_NUM_UINT)
		return v > ones(bits) ? ones(bits) : v;
	s = s > top ? top : s < -top - 1 ? -top - 1 : s;
	return (u32)s;
}

/* Components that are not in @mask are 0. If several registers have one, the first counts. */
void isa_img_pack(const struct img_rsrc *r, const u32 *value, u32 mask, bool half, u32 *buf)
{
	const struct isa_shape *s = &r->shape;
	u32 c, k;

	memset(buf, 0, 16);
	for (c = 0; c < s->n; c++) {
		const u32 at = bit_of(s, c);

		for (k = 0; k < 4 && r->sel[k] != IMG_SEL_X + c; k++)
			;
		if (k < 4 && mask >> k & 1)
			buf[at / 32] |= isa_texel_put(saturate(value[k], s->bits[c], r->num, half),
						      s->bits[c], r->num, half) << at % 32;
	}
}
