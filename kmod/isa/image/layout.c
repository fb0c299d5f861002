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
#define SW_64KB_Z_X	24
#define SW_256KB_Z_X	28	/* gfx11 */
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

/* Texels in 256 bytes of a block, by log2 of a texel's bytes: of a thin block, and of a deep one */
static const u8 thin_unit[][2] = { { 16, 16 }, { 16, 8 }, { 8, 8 }, { 8, 4 }, { 4, 4 } };
static const u8 deep_unit[][2] = { { 8, 4 }, { 4, 4 }, { 4, 4 }, { 4, 2 }, { 2, 2 } };

/*
 * struct tail - the levels that share one block
 * @most: so many at most, none in blocks of 256 bytes
 * @size: as large at most, in width and height
 */
struct tail {
	u32 most, size[2];
};

/* Source: addrlib, GetMaxNumMipsInTail(), GetMipTailDim() */
static struct tail tail_of(const struct img_swizzle *s, u32 log2, enum img_gen gen)
{
	const u32 deep = s->block[2] ? (log2 - 8) / 3 : 0, n = log2 - deep;
	struct tail t = { .size = { 1u << s->block[0], 1u << s->block[1] } };

	if (log2 > 8)
		t.most = n <= 11 ? 1 + (1u << (n - 9)) : n - 4;
	if (!s->block[2] || log2 % 3 == 1)
		t.size[0] /= 2;
	else if (log2 % 3 == 0)
		t.size[1] /= 2;
	/* Small texels of depth images wait for the levels of the large ones. */
	if (gen == IMG_GFX11 && (s->mode == SW_64KB_Z_X || s->mode == SW_256KB_Z_X) &&
	    s->bytes < 2) {
		t.size[0] /= 2;
		t.size[1] /= 2;
	}
	return t;
}

/* Where in the shared block level @n of them begins. Source: addrlib, mipTailCoordX and Y */
static void put_in_tail(const struct img_swizzle *s, const struct tail *t, u32 n,
			struct img_level *l)
{
	const u8 *unit = s->block[2] ? deep_unit[s->bytes] : thin_unit[s->bytes];
	const u32 m = t->most - 1 - n, at = m > 6 ? 16u << m : m << 8;
	u32 bit, x = 0, y = 0;

	for (bit = 0; bit < 6; bit++) {
		x |= (at >> (9 + 2 * bit) & 1) << bit;
		y |= (at >> (8 + 2 * bit) & 1) << bit;
	}
	l->from[0] = x * unit[0];
	l->from[1] = y * unit[1];
}

/*
 * A layer of blocks has a block of the small levels, if there is one, and then the others, the
 * smallest first. A base that is in a block would change the addresses in it. Source: addrlib,
 * ComputeSurfaceInfoMacroTiled(), ComputeSurfaceInfoMicroTiled(); gfx12: GetMipOffset(), with the
 * units that GetMipOrigin() has since 2025 (PAL).
 */
static bool tiled(const struct isa_wave *w, struct img_rsrc *r, u32 mode)
{
	const struct img_swizzle *s = isa_img_swizzle(w->cu->target, mode, r->dim, r->shape.bytes);
	u32 log2, n, shared;
	struct tail t;
	u64 at = 0;

	if (!s)
		return false;
	log2 = s->bytes + s->block[0] + s->block[1] + s->block[2];
	if (r->va & ((1ull << log2) - 1))
		return false;
	if (r->pitch && (r->levels > 1 ||
			 r->pitch != blocks(r->width, s->block[0]) << s->block[0]))
		return false;
	t = tail_of(s, log2, isa_img_gen(w));
	shared = r->levels;
	for (n = 0; n < r->levels; n++) {
		const u32 width = level_room(r->width, n), height = level_room(r->height, n);

		put_level(r, n);
		if (shared == r->levels && r->levels > 1 && width <= t.size[0] &&
		    height <= t.size[1] && r->levels - n <= t.most)
			shared = n;
		if (n >= shared)
			put_in_tail(s, &t, n - shared, &r->level[n]);
		else
			r->level[n].pitch = blocks(width, s->block[0]);
	}
	if (shared < r->levels)
		at = 1ull << log2;
	while (shared--) {
		r->level[shared].at = at;
		at += (u64)r->level[shared].pitch *
		      blocks(level_room(r->height, shared), s->block[1]) << log2;
	}
	r->slice = at;
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
static u64 tiled_va(const struct img_rsrc *r, const struct img_level *l, u32 x, u32 y, u32 z)
{
	const struct img_swizzle *s = r->swizzle;
	const u64 block = (u64)(y >> s->block[1]) * l->pitch + (x >> s->block[0]);

	x += l->from[0];
	y += l->from[1];
	return r->va + r->slice * (z >> s->block[2]) + l->at +
	       (block << (s->bytes + s->block[0] + s->block[1] + s->block[2])) +
	       (bits_of(s->x, ARRAY_SIZE(s->x), x) ^ bits_of(s->y, ARRAY_SIZE(s->y), y) ^
		bits_of(s->z, ARRAY_SIZE(s->z), z));
}

u64 isa_img_va(const struct img_rsrc *r, u32 level, u32 x, u32 y, u32 z)
{
	const struct img_level *l = &r->level[array_index_nospec(level, IMG_LEVELS)];

	if (r->swizzle)
		return tiled_va(r, l, x, y, z);
	return r->va + r->slice * z + l->at + ((u64)y * l->pitch + x) * r->shape.bytes;
}
