// SPDX-License-Identifier: MIT
/* Of isa_image: sizes, what has no texel, what is refused, and hostile descriptors. */
#include <stdlib.h>

#include "isa_image.h"

const struct ref_format *format(const char *name)
{
	u32 n;

	for (n = 0; n < ref_nformats; n++)
		if (!strcmp(ref_formats[n].name, name))
			return &ref_formats[n];
	printf("# no format %s\n", name);
	exit(1);
}

/* A small image of @f, of 2 dimensions, in memory of its own */
void plain_image(struct ref_image *m, const char *f)
{
	*m = (struct ref_image){
		.f = format(f), .dim = REF_2D, .sel = { 4, 5, 6, 7 }, .size = { 16, 8, 1 },
		.slices = 1, .levels = 1, .at = ref_linear, .row = gen == 12 ? 128 : 256,
	};
	take_memory(ref_bytes(m));
	m->mem = tex;
}

static bool one_size(void)
{
	struct insn i = { .name = "image_get_resinfo", .dmask = 15, .nr_addr = 1 };
	const u64 exec = random_exec(64);
	u32 image[8], sampler[4] = { 0 }, lane, n, mip[64];
	struct ref_image m;

	random_image(&m);
	i.dim = m.dim;
	random_addresses(&i);
	put_image(&m, image);
	start(&i, 64, exec, image, sampler);
	for (lane = 0; lane < 64; lane++) {
		mip[lane] = rnd(m.last - m.base + 2);
		put_address(&i, 0, lane, mip[lane]);
	}
	if (go() != ISA_STOP_END || !others_kept(exec, 4))
		return false;
	for (lane = 0; lane < 64; lane++) {
		u32 want[4] = { 0, 0, 0, m.last - m.base + 1 };

		for (n = 0; mip[lane] < want[3] && n < 3; n++)
			want[n] = n == 2 && ref_is_array(m.dim) ? m.slices :
				  ref_level_size(&m, m.base + mip[lane], n);
		for (n = 0; exec >> lane & 1 && n < 4; n++)
			if (rig.vgprs[n * 64 + lane] != want[n])
				return false;
	}
	return true;
}

static bool sizes(void)
{
	u32 n;

	for (n = 0; n < 300; n++)
		if (!one_size())
			return false;
	return true;
}

/* The number of a format in the second dword: a mask, and where it is */
static u32 all_formats(void)
{
	return gen == 9 ? 0x3ff : gen == 10 ? 0x1ff : 0xff;
}

static u32 format_shift(void)
{
	return gen == 12 ? 17 : 20;
}

/* Nothing is bound: all zeros, or no format */
static bool unbound(void)
{
	static const char * const names[] = {
		"image_load", "image_store", "image_sample_lz", "image_atomic_add",
		"image_get_resinfo",
	};
	u32 image[8], sampler[4] = { 0 }, n, k, lane;
	struct ref_image m;

	plain_image(&m, "32 uint");
	for (n = 0; n < 2 * ARRAY_SIZE(names); n++) {
		struct insn i = {
			.name = names[n / 2], .dmask = 1, .dim = 1, .nr_addr = 2, .glc = true,
		};

		random_addresses(&i);
		put_image(&m, image);
		if (n & 1)
			image[1] &= ~(all_formats() << format_shift());
		else
			memset(image, 0, sizeof(image));
		start(&i, 64, ~0ull, image, sampler);
		if (go() != ISA_STOP_END || memcmp(before, tex, tex_pages))
			return false;
		for (lane = 0, k = !strcmp(i.name, "image_store"); lane < 64 && !k; lane++)
			if (rig.vgprs[V_DATA * 64 + lane])
				return false;
	}
	return true;
}

/* Runs it on @image: refused by its name, with nothing done */
bool refuses(const struct insn *i, const u32 *image, const u32 *sampler)
{
	struct insn copy = *i;

	random_addresses(&copy);
	start(&copy, 64, ~0ull, image, sampler);
	/* gfx12 has names that go on behind those. */
	return go() == ISA_STOP_ILLEGAL && rig.ex.name &&
	       !strncmp(rig.ex.name, i->name, strlen(i->name)) &&
	       others_kept(~0ull, 0) && !memcmp(before, tex, tex_pages);
}

static bool runs(const struct insn *i, const u32 *image, const u32 *sampler)
{
	struct insn copy = *i;
	u32 lane, n;

	random_addresses(&copy);
	start(&copy, 64, ~0ull, image, sampler);
	for (lane = 0; lane < 64; lane++)
		for (n = 0; n < copy.nr_addr; n++)
			put_address(&copy, n, lane, 0);
	return go() == ISA_STOP_END;
}

/* Bits of an image's descriptor that are refused; by dword, first bit, value, generations */
enum {
	G9 = 1, G10 = 2, G11 = 4, G12 = 8, OLD = G10 | G11, NEW = OLD | G12, OLDER = OLD | G9,
	ALL = NEW | G9,
};

static const struct {
	const char *what;
	u8 dword, shift;
	u16 value;
	u8 gens;
} bad_image[] = {
	{ "swizzle mode 1", 3, 20, 1, OLDER }, { "swizzle mode 30", 3, 20, 30, ALL },
	{ "swizzle mode 8", 3, 20, 8, ALL }, { "swizzle mode of 3D", 3, 20, 6, G12 },
	{ "selector 2", 3, 0, 2 ^ 4, ALL }, { "selector 3", 3, 9, 3 ^ 7, ALL },
	{ "border 6", 3, 25, 6, NEW }, { "type buffer", 3, 28, 9, ALL },
	{ "type 1D", 3, 28, 8 ^ 9, ALL }, { "type cube", 3, 28, 11 ^ 9, ALL },
	{ "type of samples", 3, 28, 14 ^ 9, ALL }, { "type 3D", 3, 28, 10 ^ 9, NEW },
	{ "pitch of 9", 4, 0, 8, NEW }, { "pitch of 8", 4, 0, 7, NEW },
	{ "pitch of 16385", 4, 14, 1, G12 }, { "slice", 4, 16, 1, NEW },
	{ "base behind last", 3, 12, 1, OLDER }, { "last level", 3, 16, 1, OLDER },
	{ "base behind last", 1, 25, 1, G12 }, { "last level", 3, 15, 1, G12 },
	{ "18 levels", 1, 12, 17, G12 },
	{ "array pitch", 5, 0, 1, OLD }, { "corner samples", 5, 23, 1, NEW },
	{ "compression", 6, 21, 1, ALL }, { "compressed stores", 6, 20, 1, G12 },
	{ "least level", 1, 8, 1, G9 | G10 }, { "least level", 5, 27, 1, G11 },
	{ "least level", 6, 0, 1, G11 | G12 }, { "least level", 5, 26, 1, G12 },
	{ "3D as array", 5, 4, 1, G12 }, { "depth scale", 5, 5, 1, G12 },
	{ "height scale", 5, 10, 1, G12 }, { "width scale", 5, 15, 1, G12 },
	{ "linked", 5, 24, 1, G12 }, { "counters", 5, 25, 1, G12 },
	{ "compressed access", 6, 22, 1, G12 }, { "no clamp", 3, 12, 1, G12 },
	{ "reserved", 1, 8, 1, G12 }, { "reserved", 2, 30, 1, G12 }, { "reserved", 3, 13, 1, G12 },
	{ "reserved", 4, 30, 1, G12 }, { "reserved", 5, 0, 1, G12 }, { "reserved", 7, 0, 1, G12 },
	{ "border 6", 4, 29, 6, G9 }, { "type 2D array", 3, 28, 13 ^ 9, G9 },
	{ "pitch of 56", 4, 13, 8, G9 }, { "pitch of 8", 4, 13, 63 ^ 7, G9 },
	{ "depth", 4, 0, 1, G9 }, { "slice", 5, 0, 1, G9 }, { "array pitch", 5, 13, 1, G9 },
	{ "two levels", 5, 28, 1, G9 }, { "reserved", 2, 31, 1, G9 }, { "reserved", 3, 25, 1, G9 },
};

static const struct {
	const char *what;
	u8 dword, shift;
	u16 value;
	u8 gens;
} bad_sampler[] = {
	{ "half border", 0, 0, 4, ALL }, { "once, half border", 0, 3, 5, ALL },
	{ "once, border", 0, 6, 7, ALL }, { "coordinates truncated by memory", 0, 19, 1, ALL },
	{ "gamma", 0, 20, 1, ALL }, { "least of texels", 0, 29, 1, ALL },
	{ "most of texels", 0, 29, 2, ALL }, { "no gamma", 0, 31, 1, ALL },
	{ "mip tuning", 1, 24, 1, OLDER }, { "mip tuning", 2, 30, 1, G12 },
	{ "mip tuning", 3, 0, 1, G12 }, { "z tuning", 1, 28, 1, G9 | G12 },
	{ "reserved", 1, 26, 1, G12 },
	{ "second bias", 2, 14, 1, ALL },
	{ "anisotropic", 2, 20, 2, ALL }, { "anisotropic", 2, 22, 3, ALL },
	{ "z filter 3", 2, 24, 3, ALL }, { "mip filter 3", 2, 26, 3, ALL },
	{ "border of a table", 3, 30, 3, ALL },
	{ "border pointer", 3, 0, 1, G9 | G10 }, { "border pointer", 3, 18, 1, G11 | G12 },
	{ "no gamma skipped", 3, 12, 1, G9 }, { "levels clamped first", 2, 28, 1, G9 },
};

static bool refused_descriptors(void)
{
	const struct insn load = { .name = "image_load", .dmask = 15, .dim = 1, .nr_addr = 2 };
	const struct insn sample = {
		.name = "image_sample_lz", .dmask = 15, .dim = 1, .nr_addr = 2,
	};
	u32 image[8], sampler[4] = { 0 }, n;
	struct ref_image m;
	bool ok;

	plain_image(&m, "8_8_8_8 unorm");
	put_image(&m, image);
	ok = runs(&load, image, sampler) && runs(&sample, image, sampler);
	for (n = 0; n < ARRAY_SIZE(bad_image); n++) {
		if (!(bad_image[n].gens >> (gen - 9) & 1))
			continue;
		put_image(&m, image);
		image[bad_image[n].dword] ^= (u32)bad_image[n].value << bad_image[n].shift;
		/* With no lane on, nobody looks at it. */
		start(&load, 64, 0, image, sampler);
		if (go() == ISA_STOP_END && others_kept(0, 0) &&
		    refuses(&load, image, sampler) && refuses(&sample, image, sampler))
			continue;
		printf("# %s is taken (%d)\n", bad_image[n].what, rig.ex.why);
		ok = false;
	}
	put_image(&m, image);
	for (n = 0; n < ARRAY_SIZE(bad_sampler); n++) {
		if (!(bad_sampler[n].gens >> (gen - 9) & 1))
			continue;
		memset(sampler, 0, sizeof(sampler));
		sampler[bad_sampler[n].dword] = (u32)bad_sampler[n].value << bad_sampler[n].shift;
		if (refuses(&sample, image, sampler))
			continue;
		printf("# %s is taken (%d)\n", bad_sampler[n].what, rig.ex.why);
		ok = false;
	}
	return ok;
}

/* Forms of instructions, and pairs of them and images, that are refused */
static bool refused_instructions(void)
{
	static const struct {
		struct insn i;
		const char *format;
		u32 levels, sampler[4];
	} t[] = {
		{ { .name = "image_load", .dmask = 0, .dim = 1 }, "32 float", 1, { 0 } },
		{ { .name = "image_load", .dmask = 1, .dim = 1, .lwe = true, .r128 = true },
		  "32 float", 1, { 0 } },
		{ { .name = "image_sample_lz", .dmask = 1, .dim = 1, .lwe = true },
		  "32 float", 1, { 0 } },
		{ { .name = "image_load", .dmask = 1, .dim = 3 }, "32 float", 1, { 0 } },
		{ { .name = "image_load", .dmask = 1, .dim = 6 }, "32 float", 1, { 0 } },
		{ { .name = "image_load", .dmask = 1, .dim = 2 }, "32 float", 1, { 0 } },
		{ { .name = "image_store", .dmask = 1, .dim = 1 }, "8_8_8_8 srgb", 1, { 0 } },
		{ { .name = "image_atomic_add", .dmask = 3, .dim = 1 }, "32 uint", 1, { 0 } },
		{ { .name = "image_atomic_add", .dmask = 1, .dim = 1 }, "32_32 uint", 1, { 0 } },
		{ { .name = "image_atomic_add", .dmask = 1, .dim = 1 }, "16_16 uint", 1, { 0 } },
		{ { .name = "image_atomic_add", .dmask = 2, .dim = 1 }, "32 uint", 1, { 0 } },
		{ { .name = "image_atomic_cmpswap", .dmask = 1, .dim = 1 }, "32 uint", 1, { 0 } },
		{ { .name = "image_atomic_cmpswap", .dmask = 7, .dim = 1 }, "32 uint", 1, { 0 } },
		{ { .name = "image_gather4", .dmask = 3, .dim = 1 }, "32 float", 1, { 0 } },
		/* A level of gradients, and of a bias */
		{ { .name = "image_sample", .dmask = 1, .dim = 1 },
		  "32 float", 3, { 0, 0, 1 << 26 } },
		{ { .name = "image_sample", .dmask = 1, .dim = 1 },
		  "32 float", 1, { 0, 0, 1 << 20 } },
		{ { .name = "image_sample_lz", .dmask = 1, .dim = 1 }, "32 float", 3,
		  { 0, 0, 1 << 26 | 5 } },
		/* Sums of integers, and their white */
		{ { .name = "image_sample_lz", .dmask = 1, .dim = 1 }, "32 uint", 1,
		  { 0, 0, 5 << 20 } },
		{ { .name = "image_sample_lz", .dmask = 1, .dim = 1 }, "32 uint", 1,
		  { 6, 0, 0, 1u << 30 } },
	};
	u32 image[8], n;
	struct ref_image m;
	bool ok = true;

	for (n = 0; n < ARRAY_SIZE(t); n++) {
		/* The image says there what dimensions it has. */
		if (gen == 9 && t[n].i.dim != REF_2D)
			continue;
		plain_image(&m, t[n].format);
		m.levels = t[n].levels;
		m.last = m.levels - 1;
		put_image(&m, image);
		if (refuses(&t[n].i, image, t[n].sampler))
			continue;
		printf("# %u: %s is taken (%d)\n", n, t[n].i.name, rig.ex.why);
		ok = false;
	}
	return ok;
}

/*
 * An instruction for arrays of 2D images names texels of any image, in axes that it has; one lane
 * beyond them is enough to refuse it. One that samples must fit.
 */
static bool other_dimensions(void)
{
	static const char * const names[] = { "image_load", "image_store", "image_atomic_add" };
	static const struct {
		u8 dim;
		bool second, third;	/* has that axis */
	} t[] = {
		{ REF_1D, false, false }, { REF_2D, true, false }, { REF_3D, true, true },
		{ REF_1DA, false, true }, { REF_2DA, true, true },
	};
	u32 image[8], sampler[4] = { 0 }, n, k, axis, lane;
	bool ok = true, taken, fits;
	struct ref_image m;

	for (n = 0; n < ARRAY_SIZE(t) * ARRAY_SIZE(names) * 2; n++) {
		struct insn i = { .name = names[n / 2 % 3], .dmask = 1, .dim = REF_2DA, .nr_addr = 3 };

		axis = 1 + n % 2;
		plain_image(&m, "32 uint");
		m.dim = t[n / 6].dim;
		m.size[1] = t[n / 6].second ? 8 : 1;
		put_image(&m, image);
		random_addresses(&i);
		start(&i, 64, ~0ull, image, sampler);
		for (lane = 0; lane < 64; lane++)
			for (k = 0; k < 3; k++)
				put_address(&i, k, lane, lane == 37 && k == axis);
		fits = axis == 1 ? t[n / 6].second : t[n / 6].third;
		taken = go() == ISA_STOP_END;
		if (taken == fits && (taken || rig.ex.why == ISA_STOP_ILLEGAL) &&
		    (taken || (others_kept(~0ull, 0) && !memcmp(before, tex, tex_pages))))
			continue;
		printf("# %s, type %u, axis %u: %d\n", i.name, m.dim, axis, rig.ex.why);
		ok = false;
	}
	for (n = 0; n < ARRAY_SIZE(t) - 1; n++) {
		const struct insn i = {
			.name = "image_sample_lz", .dmask = 1, .dim = REF_2DA, .nr_addr = 3,
		};

		plain_image(&m, "32 float");
		m.dim = t[n].dim;
		m.size[1] = t[n].second ? 8 : 1;
		put_image(&m, image);
		if (refuses(&i, image, sampler))
			continue;
		printf("# %s, type %u is taken\n", i.name, m.dim);
		ok = false;
	}
	return ok;
}

/* Every number of a format: it is one of the model's, or one of these, or refused. */
static bool format_numbers(void)
{
	/* USCALED, SSCALED, packed floats and their kin, which buffers have, too */
	static const u16 also10[] = { 3, 4, 9, 10, 16, 17, 25, 26, 30, 31, 32, 33, 34, 35, 36, 37,
		38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 51, 52, 53, 54, 55, 58,
		59, 67, 68 };
	static const u16 also11[] = { 3, 4, 9, 10, 16, 17, 25, 26, 30, 31, 32, 33, 34, 35, 37, 38,
		39, 40, 41, 44, 45, 53, 54 };
	const struct insn load = { .name = "image_load", .dmask = 15, .dim = 1, .nr_addr = 2 };
	const bool gfx10 = gen == 10, gfx9 = gen == 9;
	const u32 all = all_formats() + 1;
	const u32 more = gfx10 ? ARRAY_SIZE(also10) : ARRAY_SIZE(also11);
	u32 image[8], sampler[4] = { 0 }, code, n;
	struct ref_image m;

	plain_image(&m, "32_32_32_32 float");
	for (code = 1; code < all; code++) {
		bool known = false;

		for (n = 0; n < ref_nformats; n++)
			known |= code == (gfx9 ? ref_formats[n].gfx9 :
					  gfx10 ? ref_formats[n].gfx10 : ref_formats[n].gfx11);
		if (gfx9)
			known |= format_known_gfx9(code);
		for (n = 0; !gfx9 && n < more; n++)
			known |= code == (gfx10 ? also10[n] : also11[n]);
		put_image(&m, image);
		image[1] = (image[1] & ~((all - 1) << format_shift())) | code << format_shift();
		if (gfx9)	/* rows of 256 texels, which fit all */
			image[4] = (image[4] & ~(0xffffu << 13)) | 255 << 13;
		if (known != runs(&load, image, sampler) ||
		    (!known && !refuses(&load, image, sampler))) {
			printf("# format %u is %s\n", code, known ? "refused" : "taken");
			return false;
		}
	}
	return true;
}

/* A page that is missing stops an instruction before it has done anything; then it starts again. */
static bool missing(void)
{
	static const char * const names[] = {
		"image_load", "image_store", "image_atomic_add", "image_sample_lz",
	};
	u32 image[8], sampler[4] = { 1u << 15, 0, 5 << 20 }, n, lane, c[2];
	struct ref_image m = {
		.dim = REF_2D, .sel = { 4, 5, 6, 7 }, .size = { 64, 64, 1 }, .slices = 1,
		.levels = 1, .at = ref_linear, .row = 256,
	};
	float f[2];

	for (n = 0; n < ARRAY_SIZE(names); n++) {
		struct insn i = { .name = names[n], .dmask = 1, .dim = 1, .nr_addr = 2 };

		m.f = format(n == 3 ? "32 float" : "32 uint");
		take_memory(ref_bytes(&m));
		m.mem = tex;
		tex_limit = ISA_PAGE_BYTES;
		random_addresses(&i);
		put_image(&m, image);
		start(&i, 64, ~0ull, image, sampler);
		for (lane = 0; lane < 64; lane++) {
			c[0] = lane;
			c[1] = lane;	/* 256 bytes a row: lane 16 is in the next page */
			f[0] = (float)lane;
			f[1] = (float)lane + .5f;
			if (n == 3)
				memcpy(c, f, sizeof(c));
			put_coords(&i, 0, lane, c, 2);
		}
		if (go() != ISA_STOP_MISS || rig.ex.va < TEX_VA + ISA_PAGE_BYTES ||
		    rig.ex.va >= TEX_VA + 2 * ISA_PAGE_BYTES || !others_kept(~0ull, 0) ||
		    memcmp(before, tex, tex_pages) ||
		    rig.ex.access != (n == 1 ? ISA_W : n == 2 ? ISA_R | ISA_W : ISA_R)) {
			printf("# %s: %d at %llx\n", names[n], rig.ex.why,
			       (unsigned long long)rig.ex.va);
			return false;
		}
		tex_limit = tex_pages;
		if (rig_run(&rig, 4) != ISA_STOP_END)
			return false;
		if (n && n < 3 && !memcmp(before, tex, tex_pages))
			return false;
	}
	return true;
}

/*
 * Any bits in descriptors that come near to an image, on little memory: an instruction ends, is
 * refused, or misses a page; but for the first nothing has happened.
 */
static bool hostile(u32 n)
{
	static const char * const names[] = {
		"image_load", "image_load_mip", "image_store", "image_store_mip",
		"image_atomic_add", "image_get_resinfo", "image_sample_l", "image_sample",
		"image_sample_lz_o", "image_gather4_lz", "image_sample_d_o",
	};
	u32 ends = 0, refusals = 0, misses = 0;

	while (n--) {
		struct insn i = {
			.name = names[rnd(ARRAY_SIZE(names))], .dmask = 1 + rnd(15), .d16 = rnd(2),
			.a16 = rnd(2), .tfe = !rnd(8), .r128 = !rnd(8), .glc = rnd(2), .nr_addr = 9,
		};
		u32 image[8], sampler[4], k, lane;
		struct ref_image m;
		enum isa_stop stop;
		u64 exec = random_exec(64);

		random_image(&m);
		i.dim = rnd(8) ? m.dim : rnd(8);
		random_addresses(&i);
		put_image(&m, image);
		memset(sampler, 0, sizeof(sampler));
		sampler[0] = rnd32() & 0x0800ffff;
		sampler[2] = rnd32() & 0x0bf00000;
		switch (rnd(8)) {
		case 0:		/* 16384 by 16384, many slices */
			image[1] |= 3u << 30;
			image[2] |= 0x0fffffff;
			image[4] |= 0x1fff;
			break;
		case 1:		/* slices from behind the last */
			image[4] = (image[4] & 0xffff) | (rnd32() & 0x1fff0000);
			break;
		case 2:		/* levels */
			image[3] |= rnd32() & (gen == 12 ? 0xf8000 : 0xff000);
			image[gen < 11 ? 5 : 1] |= gen == 9 ? 15u << 28 : gen == 10 ? 15u << 4 :
						   gen == 11 ? 15u << 16 : 15u << 12;
			break;
		case 3:
			for (k = 0; k < 8; k++)
				image[k] = rnd32();
			image[3] = (image[3] & 0x0e0fffff) | 9u << 28;
			break;
		case 4:
			image[rnd(8)] ^= 1u << rnd(32);
			sampler[rnd(4)] ^= 1u << rnd(32);
			break;
		case 5:
			tex_limit = 0;
			break;
		}
		start(&i, 64, exec, image, sampler);
		for (lane = 0; lane < 64; lane++)
			for (k = 0; k < i.nr_addr; k++)
				if (rnd(3))
					put_address(&i, k, lane, rnd(2) ? rnd(4) :
						    rnd32() & 0x3fffffff);
		stop = go();
		ends += stop == ISA_STOP_END;
		refusals += stop == ISA_STOP_ILLEGAL;
		misses += stop == ISA_STOP_MISS;
		if (stop != ISA_STOP_END && stop != ISA_STOP_ILLEGAL && stop != ISA_STOP_MISS)
			return false;
		if (stop != ISA_STOP_END && (!others_kept(0, 0) || memcmp(before, tex, tex_pages)))
			return false;
	}
	printf("# %u end, %u are refused, %u miss a page\n", ends, refusals, misses);
	return ends && refusals && misses;
}

void test_more(const char *name)
{
	tap_ok(atomics(), "%s: atomics", name);
	tap_ok(sizes(), "%s: sizes", name);
	tap_ok(unbound(), "%s: nothing is bound", name);
	tap_ok(refused_descriptors(), "%s: descriptors that are refused", name);
	tap_ok(refused_instructions(), "%s: instructions that are refused", name);
	if (gen == 9)
		tap_ok(arrays_gfx9(), "%s: instructions for arrays", name);
	else
		tap_ok(other_dimensions(), "%s: an instruction for another type", name);
	tap_ok(format_numbers(), "%s: every number of a format", name);
	tap_ok(missing(), "%s: missing pages", name);
	tap_ok(tiled_places(name), "%s: places of texels in tiles", name);
	if (gen > 9)
		tap_ok(tiled_levels(name), "%s: places of texels in levels of tiles", name);
	if (gen == 12)
		tap_ok(linear_places_gfx12(), "%s: places of texels in rows", name);
	tap_ok(hostile(20000), "%s: hostile descriptors", name);
}
