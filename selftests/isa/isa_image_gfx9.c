// SPDX-License-Identifier: MIT
/*
 * Of isa_image: how GFX9 encodes image instructions (LLVM, MIMG of MIMGInstructions.td) and its
 * descriptors (ROCr, resource_ai.h), and what only it has: the image says how many coordinates an
 * instruction has, and the instruction whether one of them is a slice.
 */
#include "isa_image.h"

u32 assemble_gfx9(const struct insn *i, u32 op, u32 *w)
{
	const bool sample = strstr(i->name, "sample") || strstr(i->name, "gather");
	const bool da = i->da || ref_is_array(i->dim);

	w[0] = 0xf0000000 | i->dmask << 8 | (u32)i->unrm << 12 | (u32)i->glc << 13 |
	       (u32)da << 14 | (u32)(i->a16 || i->r128) << 15 | (u32)i->tfe << 16 |
	       (u32)i->lwe << 17 | op << 18;
	w[1] = V_ADDR | V_DATA << 8 | S_IMAGE / 4 << 16 | (u32)i->d16 << 31;
	if (sample)
		w[1] |= S_SAMPLER / 4 << 21;
	return 2;
}

void put_image_gfx9(const struct ref_image *m, u32 *d)
{
	static const u8 types[] = { 8, 9, 10, 11, 12, 13 };
	const u64 va = TEX_VA >> 8;
	u32 c;

	memset(d, 0, 32);
	d[0] = (u32)va;
	d[1] = (u32)(va >> 32) | (u32)m->f->gfx9 << 20;
	d[2] = (m->size[0] - 1) | (m->size[1] - 1) << 14;
	for (c = 0; c < 4; c++)
		d[3] |= (u32)m->sel[c] << 3 * c;
	d[3] |= m->base << 12 | m->last << 16 | (u32)types[m->dim] << 28;
	for (c = 0; c < 4 && m->sel[3] != 4 + c; c++)
		;
	d[4] = (ref_pitch(m) - 1) << 13 | (c == 0 ? 3u : c == 1 ? 1u : 0u) << 29;
	if (m->dim == REF_3D)
		d[4] |= m->size[2] - 1;
	else if (ref_is_array(m->dim))
		d[4] |= m->first + m->slices - 1;
	d[5] = (m->levels - 1) << 28;
	if (ref_is_array(m->dim))
		d[5] |= m->first;
}

void put_tiled_gfx9(u32 mode, u32 log2, u32 width, u32 *d)
{
	static const struct {
		u32 mode;
		u8 width[5];	/* of a tile, for each log2 of bytes */
	} tiles[] = {
		{ 20, { 16, 8, 8, 8, 4 } }, { 22, { 64, 64, 32, 32, 16 } },
		{ 24, { 64, 32, 32, 32, 16 } }, { 26, { 0, 0, 128, 128, 64 } },
	};
	u32 n, tile;

	for (n = 0; tiles[n].mode != mode; n++)
		;
	tile = tiles[n].width[log2] ? tiles[n].width[log2] : 256;
	d[4] = (d[4] & ~(0xffffu << 13)) | ((width + tile - 1) / tile * tile - 1) << 13;
}

/* Of buffers, too: which number formats go with a data format */
bool format_known_gfx9(u32 code)
{
	static const u8 nums[16] = {
		0, 0x3f, 0xbf, 0x3f, 0xb0, 0xbf, 0xbf, 0xbf, 0x3f, 0x3f, 0x3f, 0xb0, 0xbf, 0, 0xb0,
	};
	const u32 data = code & 63, num = code >> 6;

	/* No data format: nothing is bound. */
	return !data || (data < 16 && num < 8 && nums[data] >> num & 1);
}

/* Instructions and images of another kind: the coordinates are the image's. */
bool arrays_gfx9(void)
{
	static const u8 dims[] = { REF_1D, REF_2D, REF_3D, REF_1DA, REF_2DA };
	u32 image[8], sampler[4] = { 0 }, n, k, lane;

	for (n = 0; n < 4 * ARRAY_SIZE(dims); n++) {
		const bool da = n & 1;
		struct ref_image m = {
			.dim = dims[n / 4], .sel = { 4, 5, 6, 7 }, .size = { 5, 1, 1 },
			.slices = 1, .levels = 1, .at = ref_linear, .row = 256,
		};
		/* assemble_gfx9() would set the bit for an array */
		struct insn i = {
			.name = n & 2 ? "image_sample_lz" : "image_load", .dmask = 1, .dim = REF_2D,
			.da = da,
		};
		bool taken;

		for (k = 0; strcmp(ref_formats[k].name, "32 float"); k++)
			;
		m.f = &ref_formats[k];
		take_memory(ref_bytes(&m));
		i.nr_addr = (u32)ref_axes(m.dim) + ref_is_array(m.dim);
		random_addresses(&i);
		put_image(&m, image);
		start(&i, 64, ~0ull, image, sampler);
		/* What stands behind the coordinates does not matter: it is not 0. */
		for (lane = 0; lane < 64; lane++)
			for (k = 0; k < i.nr_addr; k++)
				put_address(&i, k, lane, 0);
		taken = go() == ISA_STOP_END;
		if (taken == (da || !ref_is_array(m.dim)) &&
		    (!taken || !memcmp(rig.vgprs, tex, 4)))
			continue;
		printf("# %s, type %u, da %d: %d\n", i.name, m.dim, da, rig.ex.why);
		return false;
	}
	return true;
}
