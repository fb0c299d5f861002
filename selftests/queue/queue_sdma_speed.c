// SPDX-License-Identifier: MIT
/*
 * How fast SDMA copies are, measured against the CPU of the same guest copying
 * the same buffers: by memcpy, or by words where that is faster (an emulated CPU
 * is slow at memcpy's string instructions). Prints the ratios; 0.7 is wanted.
 */
#include <time.h>

#include "queue_test.h"
#include "rig_sdma.h"

#define BYTES	(16 * 1024 * 1024u)
#define ROUNDS	5

static u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/* Best of some, after one that brings the pages. */
static u64 sdma_ns(struct rig_sdma *q, void *dst, void *src)
{
	u64 best = ~0ull, t;
	int i;

	for (i = 0; i <= ROUNDS; i++) {
		t = now_ns();
		rig_sdma_copy(q, dst, src, BYTES);
		ASSERT_TRUE(rig_sdma_run(q));
		t = now_ns() - t;
		if (i && t < best)
			best = t;
	}
	return best;
}

static void copy_words(void *dst, const void *src, size_t bytes)
{
	const volatile u64 *s = src;
	u64 *d = dst;
	size_t i;

	for (i = 0; i < bytes / 8; i += 4) {
		u64 a = s[i], b = s[i + 1], c = s[i + 2], e = s[i + 3];

		d[i] = a;
		d[i + 1] = b;
		d[i + 2] = c;
		d[i + 3] = e;
	}
}

static u64 cpu_ns(void *dst, void *src, bool words)
{
	u64 best = ~0ull, t;
	int i;

	for (i = 0; i <= ROUNDS; i++) {
		t = now_ns();
		if (words)
			copy_words(dst, src, BYTES);
		else
			memcpy(dst, src, BYTES);
		t = now_ns() - t;
		if (i && t < best)
			best = t;
	}
	return best;
}

static void ratio(struct rig_sdma *q, const char *what, void *dst, void *src)
{
	u64 cpu, words, sdma;
	u32 *s = src, *d = dst, i, tries;
	double r = 0;

	for (i = 0; i < BYTES / 4; i++)
		s[i] = i;
	/* Others share the machine: a slow moment of one side is no result. */
	for (tries = 0; tries < 10 && r < 0.7; tries++) {
		cpu = cpu_ns(dst, src, false);
		words = cpu_ns(dst, src, true);
		memset(dst, 0, BYTES);
		sdma = sdma_ns(q, dst, src);
		r = (double)(cpu < words ? cpu : words) / sdma;
		printf("# %s: memcpy %llu MB/s, words %llu MB/s, SDMA %llu MB/s, ratio %.2f\n",
		       what, BYTES * 1000ull / cpu, BYTES * 1000ull / words,
		       BYTES * 1000ull / sdma, r);
	}
	for (i = 0; i < BYTES / 4 && d[i] == i; i++)
		;
	EXPECT_EQ(BYTES / 4, i);
	EXPECT_LE(0.7, r);
}

TEST(speed)
{
	struct rig_mem a, b, v;
	struct rig_sdma q = { 0 };
	struct rig r;

	ASSERT_EQ(0, rig_open(&r));
	ASSERT_EQ(0, rig_sdma_create(&r, KFD_IOC_QUEUE_TYPE_SDMA, 0, &q));
	ASSERT_EQ(0, rig_anon(&r, BYTES, &a));
	ASSERT_EQ(0, rig_anon(&r, BYTES, &b));
	ASSERT_EQ(0, rig_alloc(&r, KFD_IOC_ALLOC_MEM_FLAGS_VRAM |
			       KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC, BYTES, &v));
	ratio(&q, "host to host", b.p, a.p);
	ratio(&q, "host to VRAM", v.p, a.p);
	ratio(&q, "VRAM to host", b.p, v.p);
}

TEST_HARNESS_MAIN
