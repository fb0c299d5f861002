// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where texels lie. Linear: rows of a multiple of 256 bytes, the smallest level first, and after
 * the largest one the next slice. Source: AMD's addrlib, HwlComputeSurfaceInfoLinear() and
 * ComputeSurfaceAddrFromCoordLinear(), which are the same for gfx10 and gfx11, and for one level on
 * gfx906. On gfx12, rows are a multiple of 128 bytes, but levels are as large as if it were 256
 * (Gfx12Lib::GetMipOffset()).
 * Tiled: swizzle.c.
 */
#include "image.h"

#define SW_LINEAR	0
#define LINEAR_ALIGN	256u	/* bytes of a row */
#define GFX12_ROW_ALIGN	128u

static u32 level_size(u32 size, u32 level)
{
	return size >> level ? size >> level : 1;
}

/* What a level has room for: addrlib rounds sizes up, GetMipSize(). */
static u32 level_room(u32 size, u32 level)
{
	return (size + (1u << level) - 1) >> level;
}

static void put_level(struct img_rsrc *r, u32 n)
{
	struct img_level *l = &r->level[n];

	l->size[0] = level_size(r->width, n);
	l->size[1] = level_size(r->height, n);
	l->size[2] = r->dim == IMG_3D ? level_size(r->depth, n) : 1;
}

static u32 round_up_to(u32 n, u32 align)
{
	return (n + align - 1) / align * align;
}

static bool linear(struct img_rsrc *r, u32 row_align)
{
	const u32 align = row_align / r->shape.bytes, whole = LINEAR_ALIGN / r->shape.bytes;
	u64 at = 0;
	u32 n = r->levels;

	/* A pitch of the image's own: rows as everywhere, and one level. */
	if (r->pitch && (r->pitch % align || r->levels > 1 || r->pitch < r->width))
		return false;
	while (n--) {
		struct img_level *l = &r->level[n];

		put_level(r, n);
		l->pitch = r->pitch ? r->pitch : round_up_to(level_room(r->width, n), align);
		l->at = at;
		at += (u64)round_up_to(l->pitch, whole) * level_room(r->height, n) *
		      r->shape.bytes;
	}
	r->slice = at;
	return true;
}

static u32 blocks(u32 size, u32 log2)
{
	return (u32)(((u64)size + (1u << log2) - 1) >> log2);
}

/*
 * Levels of tiled images have a tail that is not done here; a base that is in a block would change
 * the addresses in it.
 */
static bool tiled(const struct isa_wave *w, struct img_rsrc *r, u32 mode)
{
	const struct img_swizzle *s = isa_img_swizzle(w->cu->target, mode, r->dim, r->shape.bytes);
	u32 log2;

	if (!s || r->levels > 1)
		return false;
	log2 = s->bytes + s->block[0] + s->block[1] + s->block[2];
	r->row = blocks(r->width, s->block[0]);
	r->plane = r->row * blocks(r->height, s->block[1]);
	if (r->va & ((1ull << log2) - 1) || (r->pitch && r->pitch != r->row << s->block[0]))
		return false;
	put_level(r, 0);
	r->swizzle = s;
	return true;
}

/* Levels of GFX9, which lie beside each other, are not done. */
bool isa_img_layout(const struct isa_wave *w, struct img_rsrc *r, u32 mode)
{
	if (isa_img_gen(w) == IMG_GFX9 && r->levels > 1)
		return false;
	if (mode != SW_LINEAR)
		return tiled(w, r, mode);
	return linear(r, isa_img_gen(w) == IMG_GFX12 ? GFX12_ROW_ALIGN : LINEAR_ALIGN);
}

static u32 bits_of(const u32 *bit, u32 n, u32 v)
{
	u32 sum = 0, k;

	for (k = 0; k < n; k++)
		sum ^= bit[k] & (0u - (v >> k & 1));
	return sum;
}

/* Source: addrlib, ComputeSurfaceAddrFromCoordMacroTiled() */
static u64 tiled_va(const struct img_rsrc *r, u32 x, u32 y, u32 z)
{
	const struct img_swizzle *s = r->swizzle;
	const u64 block = (u64)(z >> s->block[2]) * r->plane +
			  (u64)(y >> s->block[1]) * r->row + (x >> s->block[0]);

	return r->va + (block << (s->bytes + s->block[0] + s->block[1] + s->block[2])) +
	       (bits_of(s->x, ARRAY_SIZE(s->x), x) ^ bits_of(s->y, ARRAY_SIZE(s->y), y) ^
		bits_of(s->z, ARRAY_SIZE(s->z), z));
}

u64 isa_img_va(const struct img_rsrc *r, u32 level, u32 x, u32 y, u32 z)
{
	const struct img_level *l = &r->level[array_index_nospec(level, IMG_LEVELS)];

	if (r->swizzle)
		return tiled_va(r, x, y, z);
	return r->va + r->slice * z + l->at + ((u64)y * l->pitch + x) * r->shape.bytes;
}
