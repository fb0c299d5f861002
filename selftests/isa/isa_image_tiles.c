// SPDX-License-Identifier: MIT
/* Of isa_image: where texels of tiled images lie. */
#include "isa_image.h"

struct place {
	u32 mode, is_3d, log2, w, h, d, x, y, z;
	u64 at;
};

/* In an image of several levels */
struct level {
	u32 mode, is_3d, log2, w, h, d, levels, level, x, y, z;
	u64 at;
};

#include "isa_image_levels.h"
#include "isa_image_places.h"
#include "isa_image_gfx1151.h"

static const struct known {
	const char *target;
	const struct place *places;
	u32 n_places;
	const struct level *levels;
	u32 n_levels;
	u32 small;	/* the mode with blocks of 256 bytes */
} known[] = {
	{ "gfx906", places_gfx906, ARRAY_SIZE(places_gfx906), NULL, 0, 0 },
	{ "gfx1030", places_gfx1030, ARRAY_SIZE(places_gfx1030),
	  levels_gfx1030, ARRAY_SIZE(levels_gfx1030), 2 },
	{ "gfx1100", places_gfx1100, ARRAY_SIZE(places_gfx1100),
	  levels_gfx1100, ARRAY_SIZE(levels_gfx1100), 2 },
	{ "gfx1151", places_gfx1151, ARRAY_SIZE(places_gfx1151),
	  levels_gfx1151, ARRAY_SIZE(levels_gfx1151), 2 },
	{ "gfx1201", places_gfx1201, ARRAY_SIZE(places_gfx1201),
	  levels_gfx1201, ARRAY_SIZE(levels_gfx1201), 1 },
};

static const struct known *known_of(const char *target)
{
	u32 n;

	for (n = 0; n < ARRAY_SIZE(known); n++)
		if (!strcmp(known[n].target, target))
			return &known[n];
	return NULL;
}

/* Descriptor of a tiled image */
static void put_tiled(const struct place *p, struct ref_image *m, u32 *image)
{
	static const char * const formats[] = {
		"8 uint", "16 uint", "32 uint", "32_32 uint", "32_32_32_32 uint",
	};

	*m = (struct ref_image){
		.f = format(formats[p->log2]), .dim = p->is_3d ? REF_3D : REF_2DA,
		.sel = { 4, 5, 6, 7 }, .size = { p->w, p->h, p->is_3d ? p->d : 1 },
		.slices = p->is_3d ? 1 : p->d, .levels = 1, .at = ref_linear, .row = 256,
	};
	put_image(m, image);
	image[3] |= p->mode << 20;
	if (gen == 9)
		put_tiled_gfx9(p->mode, p->log2, p->w, image);
}

/* With no page there, a load says where it looks. */
bool tiled_places(const char *target)
{
	const struct known *known = known_of(target);
	const struct place *p = known->places;
	u32 image[8], sampler[4] = { 0 }, k, c[3];
	struct ref_image m;

	take_memory(4096);
	tex_limit = 0;
	for (k = 0; k < known->n_places; k++, p++) {
		struct insn i = { .name = "image_load", .dmask = 1, .nr_addr = 3 };

		put_tiled(p, &m, image);
		i.dim = m.dim;
		random_addresses(&i);
		start(&i, 64, 1, image, sampler);
		c[0] = p->x;
		c[1] = p->y;
		c[2] = p->z;
		put_coords(&i, 0, 0, c, 3);
		if (go() != ISA_STOP_MISS || rig.ex.va != TEX_VA + p->at) {
			printf("# mode %u, %u bytes: %llx, expected %llx\n", p->mode, 1 << p->log2,
			       (unsigned long long)(rig.ex.va - TEX_VA), (unsigned long long)p->at);
			return false;
		}
		/* With a base that is in a block, on gfx906 with levels: not done */
		image[0]++;
		if (p->mode != known->small && !refuses(&i, image, sampler))
			return false;
		image[0]--;
		image[5] |= 1u << 28;
		if (gen == 9 && !refuses(&i, image, sampler))
			return false;
	}
	return true;
}

bool tiled_levels(const char *target)
{
	const struct known *known = known_of(target);
	const struct level *l = known->levels;
	u32 image[8], sampler[4] = { 0 }, k, c[4];
	struct ref_image m;

	take_memory(4096);
	tex_limit = 0;
	for (k = 0; k < known->n_levels; k++, l++) {
		const struct place p = { l->mode, l->is_3d, l->log2, l->w, l->h, l->d, 0, 0, 0, 0 };
		struct insn i = { .name = "image_load_mip", .dmask = 1, .nr_addr = 4 };

		put_tiled(&p, &m, image);
		m.levels = l->levels;
		m.last = l->levels - 1;
		put_image(&m, image);
		image[3] |= l->mode << 20;
		i.dim = m.dim;
		random_addresses(&i);
		start(&i, 64, 1, image, sampler);
		c[0] = l->x;
		c[1] = l->y;
		c[2] = l->z;
		c[3] = l->level;
		put_coords(&i, 0, 0, c, 4);
		if (go() != ISA_STOP_MISS || rig.ex.va != TEX_VA + l->at) {
			printf("# mode %u, %u bytes, level %u: %llx, expected %llx\n", l->mode,
			       1 << l->log2, l->level, (unsigned long long)(rig.ex.va - TEX_VA),
			       (unsigned long long)l->at);
			return false;
		}
	}
	return true;
}
