// SPDX-License-Identifier: MIT
/*
 * Of isa_image: how gfx12 encodes image instructions (LLVM, VIMAGE and VSAMPLE of
 * MIMGInstructions.td), its descriptors (ROCr, resource_gfx12.h), and rows of linear images.
 */
#include "isa_image.h"

u32 assemble_gfx12(const struct insn *i, u32 op, u32 *w)
{
	const bool sample = strstr(i->name, "sample") || strstr(i->name, "gather");
	u32 n;

	w[0] = (sample ? 0xe4000000 : 0xd0000000) | i->dim | (u32)i->r128 << 4 | (u32)i->d16 << 5 |
	       (u32)i->a16 << 6 | op << 14 | i->dmask << 22;
	w[1] = V_DATA | S_IMAGE << 9 | (u32)i->glc << 20;
	w[2] = i->addr[0];
	if (sample) {
		w[0] |= (u32)i->tfe << 3 | (u32)i->unrm << 13;
		w[1] |= (u32)i->lwe << 8 | S_SAMPLER << 23;
	} else {
		w[1] |= (u32)i->tfe << 23;
		if (i->nr_addr > 4)
			w[1] |= i->addr[4] << 24;
	}
	for (n = 1; n < 4 && n < i->nr_addr; n++)
		w[2] |= i->addr[n] << 8 * n;
	return 3;
}

void put_sampler_gfx12(const struct ref_sampler *s, u32 *d)
{
	d[0] = s->clamp[0] | s->clamp[1] << 3 | s->clamp[2] << 6 | (u32)s->unnormalised << 15 |
	       (u32)s->truncate << 27;
	d[1] = (u32)(s->min_lod * 256) | (u32)(s->max_lod * 256) << 13;
	d[2] = (u32)s->linear[0] << 20 | (u32)s->linear[1] << 22 | (u32)s->mip << 26;
	d[3] = (u32)s->border << 30;
	if (s->linear_z[0] != s->linear[0] || s->linear_z[1] != s->linear[1])
		d[2] |= (s->linear_z[0] ? 2u : 1u) << 24;
}

/* Of addrlib, as isa_image_places.h: dimensions, log2 of bytes, size, levels, level, texel */
static const struct {
	u32 dim, log2, w, h, d, levels, level, x, y, z;
	u64 at;
} places[] = {
	{ 1, 3, 210, 1, 1, 2, 0, 168, 0, 0, 0x940 },
	{ 2, 2, 224, 8, 12, 5, 2, 41, 1, 6, 0x10ba4 },
	{ 2, 0, 155, 1, 12, 6, 3, 1, 0, 1, 0x801 },
	{ 1, 0, 234, 1, 3, 6, 3, 5, 0, 0, 0x205 },
	{ 2, 2, 293, 22, 18, 2, 0, 109, 4, 1, 0xc5b4 },
	{ 2, 3, 196, 20, 3, 2, 1, 10, 4, 2, 0x17650 },
	{ 2, 2, 133, 3, 2, 3, 1, 52, 0, 1, 0xfd0 },
	{ 2, 1, 186, 11, 11, 8, 2, 44, 0, 8, 0x12e58 },
	{ 1, 0, 229, 1, 2, 6, 0, 157, 0, 0, 0x59d },
	{ 3, 2, 29, 13, 2, 1, 0, 16, 12, 1, 0x1340 },
	{ 2, 2, 54, 19, 3, 4, 2, 6, 1, 0, 0x398 },
	{ 1, 4, 272, 1, 1, 1, 0, 96, 0, 0, 0x600 },
	{ 1, 0, 294, 1, 1, 7, 1, 34, 0, 0, 0x522 },
	{ 3, 2, 300, 28, 7, 2, 1, 41, 9, 0, 0x1724 },
	{ 3, 4, 196, 7, 6, 3, 1, 48, 1, 2, 0x10f80 },
	{ 3, 3, 298, 26, 13, 7, 5, 5, 0, 0, 0x128 },
	{ 2, 2, 128, 13, 2, 6, 4, 7, 0, 1, 0x2a1c },
	{ 3, 0, 58, 15, 2, 3, 1, 24, 4, 0, 0x618 },
	{ 2, 2, 183, 30, 18, 3, 2, 30, 0, 15, 0x78078 },
	{ 1, 0, 164, 1, 2, 5, 2, 3, 0, 0, 0x203 },
	{ 1, 0, 88, 1, 3, 3, 2, 12, 0, 1, 0x30c },
	{ 2, 4, 218, 12, 4, 8, 0, 10, 2, 2, 0x226a0 },
	{ 1, 4, 190, 1, 2, 3, 2, 37, 0, 1, 0x1750 },
	{ 3, 3, 270, 17, 11, 3, 1, 0, 1, 4, 0x36780 },
	{ 3, 4, 127, 27, 4, 6, 1, 55, 6, 1, 0x15570 },
	{ 2, 0, 90, 30, 12, 3, 2, 11, 2, 3, 0xa00b },
	{ 3, 3, 234, 9, 10, 4, 3, 20, 0, 0, 0xa0 },
	{ 2, 3, 224, 17, 12, 7, 0, 172, 11, 9, 0x69360 },
	{ 3, 0, 224, 11, 1, 3, 0, 172, 5, 0, 0xeac },
	{ 2, 4, 90, 5, 10, 6, 1, 36, 1, 9, 0x1aa40 },
	{ 1, 3, 205, 1, 2, 6, 3, 16, 0, 1, 0x1280 },
	{ 2, 2, 30, 13, 9, 2, 0, 14, 4, 1, 0x1d38 },
	{ 1, 3, 78, 1, 2, 7, 6, 0, 0, 1, 0xa00 },
	{ 3, 2, 97, 19, 2, 4, 2, 2, 0, 0, 0x308 },
	{ 2, 3, 206, 21, 10, 8, 2, 22, 2, 4, 0x358b0 },
	{ 2, 0, 42, 13, 11, 5, 1, 5, 1, 10, 0x11585 },
	{ 3, 3, 39, 8, 14, 4, 2, 5, 1, 0, 0x1a8 },
	{ 3, 1, 139, 11, 2, 4, 1, 65, 0, 0, 0x582 },
	{ 1, 4, 125, 1, 1, 2, 0, 69, 0, 0, 0x850 },
	{ 2, 3, 31, 24, 4, 3, 0, 22, 17, 3, 0xa1b0 },
};

/* With no page there, a load says where it looks. */
bool linear_places_gfx12(void)
{
	static const char * const formats[] = {
		"8 uint", "16 uint", "32 uint", "32_32 uint", "32_32_32_32 uint",
	};
	static const u8 dims[] = { [1] = REF_1DA, [2] = REF_2DA, [3] = REF_3D };
	u32 image[8], sampler[4] = { 0 }, k, n, c[4];

	take_memory(4096);
	tex_limit = 0;
	for (k = 0; k < ARRAY_SIZE(places); k++) {
		const bool is_3d = places[k].dim == 3;
		struct ref_image m = {
			.dim = dims[places[k].dim], .sel = { 4, 5, 6, 7 },
			.size = { places[k].w, places[k].h, is_3d ? places[k].d : 1 },
			.slices = is_3d ? 1 : places[k].d, .levels = places[k].levels,
			.last = places[k].levels - 1,
		};
		struct insn i = { .name = "image_load_mip", .dmask = 1, .dim = m.dim };

		for (n = 0; strcmp(ref_formats[n].name, formats[places[k].log2]); n++)
			;
		m.f = &ref_formats[n];
		n = 0;
		c[n++] = places[k].x;
		if (places[k].dim > 1)
			c[n++] = places[k].y;
		c[n++] = places[k].z;
		c[n++] = places[k].level;
		i.nr_addr = n;
		random_addresses(&i);
		put_image(&m, image);
		start(&i, 64, 1, image, sampler);
		put_coords(&i, 0, 0, c, n);
		if (go() != ISA_STOP_MISS || rig.ex.va != TEX_VA + places[k].at) {
			printf("# row %u: %llx, expected %llx\n", k,
			       (unsigned long long)(rig.ex.va - TEX_VA),
			       (unsigned long long)places[k].at);
			return false;
		}
	}
	return true;
}
