// SPDX-License-Identifier: MIT
/* Programs of image.cl: the table, and references. Texels are small integers, so sums are exact. */
#include <string.h>

#include "group.h"

#define W	16
#define WORK	(4 * 4096)
struct texel {
	float c[4];
};

static void init_texels(PARAMS)
{
	float *f = b[1];
	u32 n;

	for (n = 0; n < group_bytes(p, 1) / 4; n++)
		f[n] = (float)(program_random(7, n) & 255);
}

static int clamped(int i, int n)
{
	return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static struct texel mix(const struct texel *a, float x, const struct texel *b, float y)
{
	struct texel t;
	u32 c;

	for (c = 0; c < 4; c++)
		t.c[c] = a->c[c] * x + b->c[c] * y;
	return t;
}

static void ref_texels(PARAMS)
{
	struct texel *out = b[0], *in = b[1];
	u32 n, c;

	UNUSED;
	memcpy(out, in, 256 * sizeof(*in));
	for (n = 0; n < 256; n++)
		for (c = 0; c < 4; c++)
			out[256 + n].c[c] = in[n].c[c] / 255;
	for (n = 8; n < 24; n++)
		out[512 + n] = in[3 * W + n - 8];
	memcpy(out + 576, in, 256 * sizeof(*in));
}

static void ref_samples(PARAMS)
{
	struct texel *out = b[0], *in = b[1];
	const struct texel none = { { 0 } };
	int l, x, y;

	UNUSED;
	for (l = 0; l < 64; l++) {
		const struct texel *row, *next;
		struct texel r, s;

		x = l % 16 - 4;
		y = l / 16 * 4;
		row = in + y * W;
		next = in + (y + 1) * W;
		out[l] = row[clamped(x, W)];
		r = mix(&row[clamped(x, W)], .75f, &row[clamped(x + 1, W)], .25f);
		s = mix(&next[clamped(x, W)], .75f, &next[clamped(x + 1, W)], .25f);
		out[64 + l] = mix(&r, .75f, &s, .25f);
		out[256 + l] = r;
		r = mix(&row[(x + 16) % W], .75f, &row[(x + 17) % W], .25f);
		s = mix(&next[(x + 16) % W], .75f, &next[(x + 17) % W], .25f);
		out[128 + l] = mix(&r, .5f, &s, .5f);
		r = mix(x < 0 ? &none : &row[x], .75f, x < -1 ? &none : &row[x + 1], .25f);
		s = mix(x < 0 ? &none : &next[x], .75f, x < -1 ? &none : &next[x + 1], .25f);
		out[192 + l] = mix(&r, .75f, &s, .25f);
	}
}

static void ref_volumes(PARAMS)
{
	struct texel *out = b[0], *in = b[1], t;
	int l, x, y, z;

	UNUSED;
	for (l = 0; l < 64; l++) {
		x = l % 16;
		y = l / 16;
		z = 3 - y;
		out[l] = in[(z * 4 + y) * W + x];
		out[64 + l] = in[(z * 4 + y) * W + x];
		/* Between two slices and two rows */
		t = mix(&in[(z * 4 + y) * W + x], .75f,
			&in[(z * 4 + clamped(y + 1, 4)) * W + x], .25f);
		z = clamped(z + 1, 4);
		out[128 + l] = mix(&in[(z * 4 + y) * W + x], .75f,
				   &in[(z * 4 + clamped(y + 1, 4)) * W + x], .25f);
		out[128 + l] = mix(&t, .5f, &out[128 + l], .5f);
	}
	for (l = 0; l < 64; l++)
		out[192 + l] = (struct texel){ { (float)l, 1, 2, 3 } };
}

/* What the work buffer holds depends on where it lies. */
static void forget_work(PARAMS)
{
	memset(b[2], 0, group_bytes(p, 2));
}

#define BUF(n)		{ PROGRAM_ARG_BUFFER, n }
#define ROW(n, init_, ref_, ...)							\
	{ .name = #n, .object = "image", .kernel = #n,					\
	  .targets = "gfx906 gfx1100 gfx1100w64 gfx1030 gfx1030w64 gfx1201 gfx1201w64",	\
	  .group = { 64, 1, 1 }, .groups = { 1, 1, 1 }, .args = { __VA_ARGS__ },	\
	  .init = init_, .ref = ref_, .fold = forget_work }

const struct program image_programs[] = {
	ROW(image_texels, init_texels, ref_texels, BUF(832 * 16), BUF(4096), BUF(WORK)),
	ROW(image_samples, init_texels, ref_samples, BUF(320 * 16), BUF(4096), BUF(WORK)),
	ROW(image_volumes, init_texels, ref_volumes, BUF(256 * 16), BUF(4096), BUF(WORK)),
};
const size_t image_program_count = sizeof(image_programs) / sizeof(image_programs[0]);
