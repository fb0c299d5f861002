// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where texels lie. Linear: rows of a multiple of 256 bytes, the smallest level first, and after
 * the largest one the next slice. Source: AMD's addrlib, HwlComputeSurfaceInfoLinear() and
 * ComputeSurfaceAddrFromCoordLinear(), which are the same for gfx10 and gfx11.
 */
#include "image.h"

#define SW_LINEAR	0
#define LINEAR_ALIGN	256u	/* bytes of a row */

static u32 level_size(u32 size, u32 level)
{
	return size >> level ? size >> level : 1;
}

static void put_level(struct img_rsrc *r, u32 n)
{
	struct img_level *l = &r->level[n];

	l->size[0] = level_size(r->width, n);
	l->size[1] = level_size(r->height, n);
	l->size[2] = r->dim == IMG_3D ? level_size(r->depth, n) : 1;
}

static bool linear(struct img_rsrc *r)
{
	const u32 align = LINEAR_ALIGN / r->shape.bytes;
	u64 at = 0;
	u32 n = r->levels;

	/* A pitch of the image's own: rows as everywhere, and one level. */
	if (r->pitch && (r->pitch % align || r->levels > 1 || r->pitch < r->width))
		return false;
	while (n--) {
		struct img_level *l = &r->level[n];

		put_level(r, n);
		l->pitch = r->pitch ? r->pitch : (l->size[0] + align - 1) / align * align;
		l->at = at;
		at += (u64)l->pitch * l->size[1] * r->shape.bytes;
	}
	r->slice = at;
	return true;
}

bool isa_img_layout(const struct isa_wave *w, struct img_rsrc *r, u32 mode)
{
	(void)w;
	return mode == SW_LINEAR && linear(r);
}

u64 isa_img_va(const struct img_rsrc *r, u32 level, u32 x, u32 y, u32 z)
{
	const struct img_level *l = &r->level[array_index_nospec(level, IMG_LEVELS)];

	return r->va + r->slice * z + l->at + ((u64)y * l->pitch + x) * r->shape.bytes;
}
