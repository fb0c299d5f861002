// SPDX-License-Identifier: MIT
/*
 * Images through queues, on GPUs that execute them: a kernel gets descriptors from its arguments,
 * as programs of ROCr do, reads between texels, and writes a second image.
 */
#include "queue_test.h"

#define ERR_ILLEGAL	0x40000000
#define W		16u
#define H		4u

/* Bytes of a row: the least that rows are apart */
static u32 row_bytes(long version)
{
	return version == 120001 ? 128 : 256;
}

/* What the kernel reads its descriptors from */
struct descriptors {
	u32 from[8], to[8], sampler[4];
};

/* At word, in the page of @self: arguments, images, results */
enum { AT_DESCRIPTORS = 0, AT_FROM = 4096, AT_TO = 8192, AT_OUT = 12288 };

static bool has_images(const struct rig *r)
{
	const long version = rig_property(r->gpu_id, "gfx_target_version");

	return version == 90006 || version == 100300 || version == 110000 || version == 120001;
}

/* @format: 8_8_8_8 UNORM as the generation numbers it */
static void put_image(u32 *d, const void *p, long version)
{
	const u64 va = (uintptr_t)p;

	memset(d, 0, 32);
	d[0] = (u32)(va >> 8);
	d[3] = 04 | 05 << 3 | 06 << 6 | 07 << 9 | 9u << 28;
	if (version == 120001) {
		d[1] = (u32)(va >> 40) | 42 << 17 | ((W - 1) & 3) << 30;
		d[2] = (W - 1) >> 2 | (H - 1) << 14;
		return;
	}
	if (version == 90006) {
		d[1] = (u32)(va >> 40) | 10 << 20;
		d[2] = (W - 1) | (H - 1) << 14;
		d[4] = (row_bytes(version) / 4 - 1) << 13;
		return;
	}
	d[1] = (u32)(va >> 40) | (version < 110000 ? 56 : 42) << 20 | ((W - 1) & 3) << 30;
	d[2] = (W - 1) >> 2 | (H - 1) << 14 | 1u << 31;
}

static struct descriptors *prepare(struct rig *r, u32 *words)
{
	const long version = rig_property(r->gpu_id, "gfx_target_version");
	struct descriptors *d = (void *)(words + AT_DESCRIPTORS);
	u8 *from = (u8 *)(words + AT_FROM);
	u32 x, y, c;

	put_image(d->from, from, version);
	put_image(d->to, words + AT_TO, version);
	/* To the edge, in texels, linear */
	d->sampler[0] = 2 | 2 << 3 | 2 << 6 | 1 << 15;
	d->sampler[1] = 4095 << (version == 120001 ? 13 : 12);
	d->sampler[2] = 5 << 20;
	d->sampler[3] = 0;
	for (y = 0; y < H; y++)
		for (x = 0; x < W; x++)
			for (c = 0; c < 4; c++)
				from[y * row_bytes(version) + x * 4 + c] =
					(u8)(x * 16 + y * 4 + c);
	return d;
}

TEST_F(gpu, image_is_filtered_and_written)
{
	const u8 *to = (u8 *)(self->words + AT_TO);
	const float *out = (float *)(self->words + AT_OUT);
	struct descriptors *d;
	struct rig_signal *s;
	u32 i, c, row;

	if (!has_images(&self->r))
		SKIP(return, "no images");
	d = prepare(&self->r, self->words);
	row = row_bytes(rig_property(self->r.gpu_id, "gfx_target_version"));
	s = start(&self->r, &self->q, "image_filter", (uintptr_t)out, (uintptr_t)d, 1, 64);
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	for (i = 0; i < W * H; i++)
		for (c = 0; c < 4; c++) {
			const u32 x = i % W, y = i / W, own = x * 16 + y * 4 + c;
			/* A quarter of the way to the next column, of which there are 16 */
			const float want = (own + (x < W - 1 ? 4.f : 0)) / 255;
			const float off = out[i * 4 + c] - want;

			ASSERT_LT(off < 0 ? -off : off, 1e-6f);
			ASSERT_EQ(to[y * row + x * 4 + c], own + (x < W - 1 ? 4 : 0));
		}
}

TEST_F(gpu, image_page_faults_are_served)
{
	struct descriptors *d;
	struct rig_signal *s;
	struct rig_mem far;
	u32 i;

	if (!has_images(&self->r))
		SKIP(return, "no images");
	/* Nobody has touched these pages; what is written to them is seen here. */
	ASSERT_EQ(rig_anon(&self->r, 16 * RIG_PAGE, &far), 0);
	d = prepare(&self->r, self->words);
	put_image(d->to, (u8 *)far.p + 4 * RIG_PAGE,
		  rig_property(self->r.gpu_id, "gfx_target_version"));
	s = start(&self->r, &self->q, "image_filter", (uintptr_t)(self->words + AT_OUT),
		  (uintptr_t)d, 1, 64);
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	for (i = 0; i < W; i++)
		ASSERT_EQ(((u8 *)far.p)[4 * RIG_PAGE + i * 4], i * 16 + (i < W - 1 ? 4 : 0));
}

/* A layout that is not known: the queue stops, and nothing has been written. */
TEST_F(gpu, unknown_tiles_are_illegal)
{
	struct descriptors *d;
	struct rig_queue second;
	struct rig_signal *s;

	if (!has_images(&self->r))
		SKIP(return, "no images");
	d = prepare(&self->r, self->words);
	d->from[3] |= 5 << 20;
	self->words[AT_OUT] = 0x1234;
	s = start(&self->r, &self->q, "image_filter", (uintptr_t)(self->words + AT_OUT),
		  (uintptr_t)d, 1, 64);
	EXPECT_TRUE(rig_wait(self->q.inactive, ERR_ILLEGAL, RIG_LONG));
	EXPECT_EQ(s->value, 1);
	EXPECT_EQ(self->words[AT_OUT], 0x1234);
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &second), 0);
	EXPECT_TRUE(queue_works(&self->r, &second, self->words + 1024));
}

TEST_HARNESS_MAIN
