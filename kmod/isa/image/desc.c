// SPDX-License-Identifier: GPL-2.0-only
/*
 * Image and sampler descriptors of gfx906, gfx10.3, gfx11 and gfx12. What is reserved, and what
 * changes texels in a way that is not done here (compression, several samples, lowest levels, views
 * of 3D images as arrays), is not executed. Sources: RDNA2 and RDNA3 ISA, "Image Resource
 * Descriptor" and "Image Sampler Descriptor"; the fields' places as Mesa's gfx10-rsrc.json and
 * gfx11-rsrc.json, and ROCr's resource_ai.h (GFX9) and resource_gfx12.h have them.
 */
#include "image.h"
#include "../tables.h"

/* Fields: first bit in the descriptor, and how many */
enum {
	BASE, MIN_LOD, MIN_LOD_HI, FORMAT, WIDTH_LO, WIDTH_HI, HEIGHT, BASE_LEVEL, LAST_LEVEL,
	MAX_MIP, DEPTH, PITCH, FIRST, LOWEST, HIGHEST, BORDER, IMG_FIELDS
};

/*
 * @zero: bits of an image that must be 0. GFX9: what is reserved, slices of another pitch,
 * compression. gfx10 and gfx11: levels of 3D images as arrays, corner
 * samples, compression. gfx12 has, beside these, what is reserved, clamping of edges that is off,
 * scales, counters, resources that belong together. @samp_zero: of a sampler. Coordinates that
 * MC_COORD_TRUNC cuts, gamma by force, the least or largest texel; filters between levels that save
 * time, a second bias, a colour in a table
 */
static const struct img_places {
	struct img_field {
		u8 at, bits;
	} f[IMG_FIELDS];
	u32 zero[8], samp_zero[4];
} places[] = {
	[IMG_GFX9] = { {
		[BASE] = { 0, 40 }, [MIN_LOD] = { 40, 12 }, [FORMAT] = { 52, 10 },
		[WIDTH_LO] = { 64, 2 }, [WIDTH_HI] = { 66, 12 }, [HEIGHT] = { 78, 14 },
		[BASE_LEVEL] = { 108, 4 }, [LAST_LEVEL] = { 112, 4 }, [MAX_MIP] = { 188, 4 },
		[DEPTH] = { 128, 13 }, [PITCH] = { 141, 16 }, [FIRST] = { 160, 13 },
		[LOWEST] = { 32, 12 }, [HIGHEST] = { 44, 12 }, [BORDER] = { 157, 3 },
	}, { [2] = 0x80000000, [3] = 0x0e000000, [5] = 0x0001e000, [6] = 0x00200000 },
	   { 0xe0180000, 0xff000000, 0x100fc000, 0x3fffffff } },
	[IMG_GFX10] = { {
		[BASE] = { 0, 40 }, [MIN_LOD] = { 40, 12 }, [FORMAT] = { 52, 9 },
		[WIDTH_LO] = { 62, 2 }, [WIDTH_HI] = { 64, 12 }, [HEIGHT] = { 78, 14 },
		[BASE_LEVEL] = { 108, 4 }, [LAST_LEVEL] = { 112, 4 }, [MAX_MIP] = { 164, 4 },
		[DEPTH] = { 128, 13 }, [PITCH] = { 128, 14 }, [FIRST] = { 144, 13 },
		[LOWEST] = { 32, 12 }, [HIGHEST] = { 44, 12 },
		[BORDER] = { 121, 3 },
	}, { [5] = 0x0080000f, [6] = 0x00200000 },
	   { 0xe0180000, 0xff000000, 0x000fc000, 0x00000fff } },
	[IMG_GFX11] = { {
		[BASE] = { 0, 40 }, [MIN_LOD] = { 187, 5 }, [MIN_LOD_HI] = { 192, 7 },
		[FORMAT] = { 52, 8 }, [WIDTH_LO] = { 62, 2 }, [WIDTH_HI] = { 64, 12 },
		[HEIGHT] = { 78, 14 }, [BASE_LEVEL] = { 108, 4 }, [LAST_LEVEL] = { 112, 4 },
		[MAX_MIP] = { 48, 4 }, [DEPTH] = { 128, 13 }, [PITCH] = { 128, 14 },
		[FIRST] = { 144, 13 }, [LOWEST] = { 32, 12 }, [HIGHEST] = { 44, 12 },
		[BORDER] = { 121, 3 },
	}, { [5] = 0x0080000f, [6] = 0x00200000 },
	   { 0xe0180000, 0xff000000, 0x000fc000, 0x3ffc0000 } },
	[IMG_GFX12] = { {
		[BASE] = { 0, 40 }, [MIN_LOD] = { 186, 6 }, [MIN_LOD_HI] = { 192, 7 },
		[FORMAT] = { 49, 8 }, [WIDTH_LO] = { 62, 2 }, [WIDTH_HI] = { 64, 14 },
		[HEIGHT] = { 78, 16 }, [BASE_LEVEL] = { 57, 5 }, [LAST_LEVEL] = { 111, 5 },
		[MAX_MIP] = { 44, 5 }, [DEPTH] = { 128, 14 }, [PITCH] = { 128, 16 },
		[FIRST] = { 144, 14 }, [LOWEST] = { 32, 13 }, [HIGHEST] = { 45, 13 },
		[BORDER] = { 121, 3 },
	}, { 0, 0x00000f00, 0xc0000000, 0x00007000, 0xc0000000, 0x038fffff, 0xfcf90000,
	     0xffffffff },
	   { 0xe0180000, 0xfc000000, 0xd00fc000, 0x3fffffff } },
};

enum img_gen isa_img_gen(const struct isa_wave *w)
{
	return isa_target_has(w->cu->target, ISA_FEAT_SCOPES) ? IMG_GFX12 :
	       isa_target_has(w->cu->target, ISA_FEAT_GFX11_TEXT) ? IMG_GFX11 :
	       isa_target_has(w->cu->target, ISA_FEAT_RDNA) ? IMG_GFX10 : IMG_GFX9;
}

/* None of @n dwords has a bit that must be 0. */
static bool all_zero(const u32 *d, const u32 *zero, u32 n)
{
	while (n--)
		if (d[n] & zero[n])
			return false;
	return true;
}

/* At most 40 bits in the first two dwords, or 32 anywhere that do not go beyond two */
static u64 field(const u32 *d, struct img_field f)
{
	u64 v;

	if (!f.bits)
		return 0;
	v = (d[f.at / 32] | (u64)(f.at < 224 ? d[f.at / 32 + 1] : 0) << 32) >> f.at % 32;
	return v & ((1ull << f.bits) - 1);
}

/* Component of the border colour that a texel's is, by BC_SWIZZLE */
static const u8 borders[6][4] = {
	{ 0, 1, 2, 3 }, { 0, 3, 1, 2 }, { 3, 2, 1, 0 }, { 3, 0, 1, 2 }, { 2, 1, 0, 3 },
	{ 1, 0, 3, 2 },
};

static bool take_swizzle(struct img_rsrc *r, u32 word3, u32 border)
{
	u32 c;

	for (c = 0; c < 4; c++) {
		r->sel[c] = word3 >> 3 * c & 7;
		if (r->sel[c] == 2 || r->sel[c] == 3)
			return false;
	}
	if (border >= ARRAY_SIZE(borders))
		return false;
	memcpy(r->border, borders[array_index_nospec(border, ARRAY_SIZE(borders))], 4);
	return true;
}

/* Sizes; fields hold one less. Where there are no slices, DEPTH is the pitch from gfx10 on. */
static bool take_size(struct img_rsrc *r, const u32 *d, const struct img_field *f, bool gfx9)
{
	const u32 depth = (u32)field(d, f[DEPTH]), first = (u32)field(d, f[FIRST]);

	r->width = ((u32)field(d, f[WIDTH_LO]) | (u32)field(d, f[WIDTH_HI]) << 2) + 1;
	r->height = (u32)field(d, f[HEIGHT]) + 1;
	r->layers = 1;
	r->depth = 1;
	if (gfx9)
		r->pitch = (u32)field(d, f[PITCH]) + 1;
	switch (r->dim) {
	case IMG_1D:
	case IMG_2D:
		/* 0: not given. Source: Mesa, si_set_mutable_tex_desc_fields(). */
		if (!gfx9) {
			r->pitch = (u32)field(d, f[PITCH]);
			r->pitch += !!r->pitch;
		}
		if (first || (gfx9 && depth))
			return false;
		break;
	case IMG_3D:
		r->depth = depth + 1;
		if (first)
			return false;
		break;
	default:
		r->first = first;
		r->layers = depth >= first ? depth - first + 1 : 0;
		r->depth = depth + 1;
		break;
	}
	if (r->dim == IMG_1D || r->dim == IMG_1D_ARRAY)
		return r->height == 1;
	return true;
}

/*
 * Whether an instruction can name texels of the image. One of GFX9 has no dimensions: how many
 * coordinates there are the image says, and nothing that an instruction without slices does with
 * an image that has some is documented.
 */
static bool fits(const struct isa_insn *i, u32 type, enum img_gen gen)
{
	if (gen == IMG_GFX9)
		return i->ctl & ISA_IMG_DA || !img_is_array(type);
	return img_fits(i->ctl & ISA_IMG_DIM, type);
}

/* An image of this generation in the SGPRs that @i names */
bool isa_img_rsrc(const struct isa_wave *w, const struct isa_insn *i, struct img_rsrc *r)
{
	/* One more than the dimensions that TYPE stands for */
	static const u8 dims[16] = {
		[8] = IMG_1D + 1, [9] = IMG_2D + 1, [10] = IMG_3D + 1,
		[12] = IMG_1D_ARRAY + 1, [13] = IMG_2D_ARRAY + 1,
	};
	const enum img_gen gen = isa_img_gen(w);
	const struct img_places *p = &places[gen];
	const struct img_field *f = p->f;
	u32 d[8] = { 0 }, n, any = 0, code, border;

	for (n = 0; n < (i->ctl & ISA_IMG_R128 ? 4 : 8); n++) {
		d[n] = w->s[(i->src[1] + n) & 255];
		any |= d[n];
	}
	memset(r, 0, sizeof(*r));
	code = (u32)field(d, f[FORMAT]);
	border = (u32)field(d, f[BORDER]);
	/*
	 * All zeros, or no format (on GFX9, no data format): nothing is bound (RDNA3 ISA, "Image
	 * Resource Descriptor").
	 */
	if (!any || !(gen == IMG_GFX9 ? code & 0x3f : code)) {
		r->null = true;
		r->dim = i->ctl & ISA_IMG_DIM;
		r->shape.bytes = 1;
		return take_swizzle(r, d[3], border);
	}
	if (!dims[d[3] >> 28])
		return false;
	r->dim = dims[d[3] >> 28] - 1;
	if (!fits(i, r->dim, gen) || !take_swizzle(r, d[3], border) ||
	    !isa_img_format(isa_wave_arch(w)->buf_formats, code, &r->shape, &r->num))
		return false;
	r->va = field(d, f[BASE]) << 8;
	r->base = (u32)field(d, f[BASE_LEVEL]);
	r->last = (u32)field(d, f[LAST_LEVEL]);
	r->levels = (u32)field(d, f[MAX_MIP]) + 1;
	if (!take_size(r, d, f, gen == IMG_GFX9) || r->base > r->last || r->last >= r->levels ||
	    r->levels > IMG_LEVELS)
		return false;
	if (field(d, f[MIN_LOD]) || field(d, f[MIN_LOD_HI]) ||
	    !all_zero(d, p->zero, ARRAY_SIZE(d)))
		return false;
	return isa_img_layout(w, r, d[3] >> 20 & 31);
}

static bool take_clamp(struct img_samp *s, u32 word0)
{
	u32 c;

	for (c = 0; c < 3; c++) {
		s->clamp[c] = word0 >> 3 * c & 7;
		if (s->clamp[c] > IMG_MIRROR_ONCE && s->clamp[c] != IMG_BORDER)
			return false;
	}
	return true;
}

/* Filters that are not anisotropic; along z that of x and y if none is given */
static bool take_filter(struct img_samp *s, u32 word2)
{
	const u32 mag = word2 >> 20 & 3, min = word2 >> 22 & 3, z = word2 >> 24 & 3;

	s->linear[0] = mag;
	s->linear[1] = min;
	s->linear_z[0] = z ? z == 2 : mag;
	s->linear_z[1] = z ? z == 2 : min;
	s->mip = word2 >> 26 & 3;
	return mag < 2 && min < 2 && z < 3 && s->mip < 3;
}

bool isa_img_samp(const struct isa_wave *w, const struct isa_insn *i, struct img_samp *s)
{
	const struct img_places *p = &places[isa_img_gen(w)];
	u32 d[4], n, type;

	for (n = 0; n < 4; n++)
		d[n] = w->s[(i->src[2] + n) & 255];
	memset(s, 0, sizeof(*s));
	if (!all_zero(d, p->samp_zero, ARRAY_SIZE(d)))
		return false;
	s->unnormalised = d[0] & BIT(15) || i->ctl & ISA_IMG_UNRM;
	s->truncate = d[0] & BIT(27);
	s->min_lod = (s32)field(d, p->f[LOWEST]);
	s->max_lod = (s32)field(d, p->f[HIGHEST]);
	s->bias = (s32)(d[2] << 18) >> 18;
	type = d[3] >> 30;
	s->white = type == 2;
	s->alpha = type;
	/* Type 3 is a colour in a table of the graphics driver. */
	if (type == 3)
		return false;
	return take_clamp(s, d[0]) && take_filter(s, d[2]);
}
