// SPDX-License-Identifier: MIT
/* SDMA packets that move memory: what comes where, and counts at their limits. */
#include "sdma_rig.h"

/* -------------------------------------------------------------------- moves */

void test_copy(void)
{
	struct fake_sdma *f = fresh();

	WRITE(f, 1, 0, 0, VA(SD_A), VA(SD_B));
	CHECK(drained(f) && same(f, SD_A, SD_B, 1) && all(f, SD_B + 1, 0, 64));
	WRITE(f, 1, 999, 0, VA(SD_A + 3), VA(SD_B + 5));
	CHECK(drained(f) && same(f, SD_A + 3, SD_B + 5, 1000));
	CHECK(all(f, SD_B + 1005, 0, 64));

	/* Several steps: none is longer than what is promised */
	f = fresh();
	WRITE(f, 1, 0x5ffff, 0, VA(SD_A), VA(SD_C));
	CHECK(drained(f) && same(f, SD_A, SD_C, 0x60000));
	CHECK(f->largest == SDMA_STEP_BYTES && f->q.bytes == 0x60000);
	report("COPY linear");
}

void test_copy_counts(void)
{
	struct fake_sdma *f = fresh_gpu(GFX906);

	WRITE(f, 1, 0x400000, 0, VA(SD_A), VA(SD_B));
	CHECK(stops(f, SDMA_ERR_MALFORMED));
	/* As many bytes as there are not: a fault, after what there is */
	f = fresh_gpu(GFX942);
	WRITE(f, 1, 0x3fffffff, 0, VA(SD_A), VA(SD_B));
	CHECK(faults(f) && same(f, SD_A, SD_B, 0x1000));
	f = fresh_gpu(GFX942);
	WRITE(f, 1, 0x40000000, 0, VA(SD_A), VA(SD_B));
	CHECK(stops(f, SDMA_ERR_MALFORMED));
	f = fresh();
	WRITE(f, 1 | 1 << 18, 3, 0, VA(SD_A), VA(SD_B));
	CHECK(stops(f, SDMA_ERR_REFUSED));
	f = fresh();
	WRITE(f, 1, 3, 1 << 16, VA(SD_A), VA(SD_B));
	CHECK(stops(f, SDMA_ERR_REFUSED));
	report("COPY linear: counts of the models, flags refused");
}

void test_broadcast(void)
{
	struct fake_sdma *f = fresh();

	WRITE(f, 1 | 1u << 27, 0x47fff, 0, VA(SD_A), VA(SD_C), VA(SD_C + 0x50000));
	CHECK(drained(f));
	CHECK(same(f, SD_A, SD_C, 0x48000) && same(f, SD_A, SD_C + 0x50000, 0x48000));
	report("COPY linear, broadcast");
}

/* 3 x 2 x 2 elements of 1 << e bytes, at (1, 2, 1) to (2, 1, 0); @pitch: where it begins */
static void window(struct fake_sdma *f, u32 e, u32 pitch)
{
	const u32 sp = 16, ss = 16 * 8, dp = 12, ds = 12 * 6;
	u32 x, y, z;

	WRITE(f, 1 | 4 << 8 | e << 29, VA(SD_A), 1 | 2 << 16, 1 | (sp - 1) << pitch, ss - 1,
	      VA(SD_B), 2 | 1 << 16, 0 | (dp - 1) << pitch, ds - 1, 2 | 1 << 16, 1);
	CHECK(drained(f));
	for (z = 0; z < 2; z++)
		for (y = 0; y < 2; y++)
			for (x = 0; x < 3; x++) {
				u64 s = (1 + x) + (2 + y) * sp + (1 + z) * ss;
				u64 d = (2 + x) + (1 + y) * dp + z * ds;

				CHECK(same(f, SD_A + (s << e), SD_B + (d << e), 1 << e));
			}
	CHECK(all(f, SD_B, 0, (2 + dp) << e));
	CHECK(all(f, SD_B + ((5 + dp) << e), 0, 4));
	CHECK(f->q.bytes == 12u << e);
}

void test_window(void)
{
	struct fake_sdma *f;
	u32 e;

	for (e = 0; e < 5; e++) {
		window(fresh(), e, 13);
		window(fresh_gpu(120001), e, 16);
	}
	f = fresh();
	WRITE(f, 1 | 4 << 8 | 5u << 29, VA(SD_A), 0, 0, 0, VA(SD_B), 0, 0, 0, 0, 0);
	CHECK(stops(f, SDMA_ERR_MALFORMED));
	f = fresh();
	WRITE(f, 1 | 4 << 8, VA(SD_A + 1), 0, 0, 0, VA(SD_B), 0, 0, 0, 0, 0);
	CHECK(stops(f, SDMA_ERR_MALFORMED));
	/* As much as fits into the fields: faults, and does not hang */
	f = fresh();
	WRITE(f, 1 | 4 << 8 | 4u << 29, VA(SD_A), 0, 0xffffe000, 0x0fffffff,
	      VA(SD_B), 0, 0xffffe000, 0x0fffffff, 0x3fff3fff, 0x7ff);
	CHECK(faults(f));
	/* SDMA 7's fields are wider: a pitch of 0x10000, z of 0x2000, and no bits of swaps */
	f = fresh_gpu(120001);
	WRITE(f, 1 | 4 << 8 | 2u << 29, VA(SD_A), 0, 0xffffu << 16, ~0u, VA(SD_B), 0, 0xffffu << 16,
	      ~0u, 15, 0x1c700000);
	CHECK(drained(f) && same(f, SD_A, SD_B, 64) && all(f, SD_B + 64, 0, 64));
	/* Two rows, each of which is longer than a step */
	f = fresh_gpu(120001);
	WRITE(f, 1 | 4 << 8 | 4u << 29, VA(SD_A), 0, 0x4fffu << 16, 0, VA(SD_C), 0, 0x5000u << 16,
	      0, 0x4fff | 1 << 16, 0);
	CHECK(drained(f) && f->largest == SDMA_STEP_BYTES && f->q.bytes == 0xa0000);
	CHECK(same(f, SD_A, SD_C, 0x50000) && same(f, SD_A + 0x50000, SD_C + 0x50010, 0x50000));
	CHECK(all(f, SD_C + 0x50000, 0, 16) && all(f, SD_C + 0xa0010, 0, 16));
	f = fresh_gpu(120001);
	WRITE(f, 1 | 4 << 8 | 4u << 29, VA(SD_A), ~0u, 0xffff3fff, ~0u, VA(SD_B), ~0u, 0xffff3fff,
	      ~0u, ~0u, 0x3fff);
	CHECK(faults(f));
	report("COPY linear sub-window");
}

void test_swap(void)
{
	struct fake_sdma *f = fresh_gpu(GFX942);
	u8 a[0x1003];

	memcpy(a, fake_sdma_at(f, SD_A), sizeof(a));
	WRITE(f, 1 | 9 << 8, 0x1002, 0, VA(SD_A), VA(SD_B));
	CHECK(drained(f));
	CHECK(!memcmp(a, fake_sdma_at(f, SD_B), sizeof(a)));
	CHECK(all(f, SD_A, 0, sizeof(a)) && !all(f, SD_A + sizeof(a), 0, 16));
	f = fresh_gpu(GFX942);
	WRITE(f, 1 | 9 << 8, 63, 0, VA(SD_A + 32), VA(SD_B));
	CHECK(stops(f, SDMA_ERR_MALFORMED));
	f = fresh_gpu(GFX90A);
	WRITE(f, 1 | 9 << 8, 63, 0, VA(SD_A), VA(SD_B));
	CHECK(stops(f, SDMA_ERR_OPCODE));
	report("COPY linear swap, where it exists");
}

/* A packet of SDMA 5 and later; on others its number is none. */
void test_gcr(void)
{
	static const u32 gpus[] = { 100300, 110000, 120001 };
	struct fake_sdma *f;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(gpus); i++) {
		f = fresh_gpu(gpus[i]);
		WRITE(f, 17, 0, 0xc3c00000, 0, 0, 17 | 1 << 8, 0, 0, 0, 0,
		      1, 0x1002, 0, VA(SD_A), VA(SD_B));
		CHECK(drained(f) && same(f, SD_A, SD_B, 0x1003));
	}
	f = fresh_gpu(GFX942);
	WRITE(f, 17, 0, 0, 0, 0);
	CHECK(stops(f, SDMA_ERR_OPCODE));
	report("GCR_REQ, where it exists");
}

/* SDMA 7: with CPV a copy has one more dword, which must say nothing of compression. */
void test_dcc(void)
{
	struct fake_sdma *f = fresh_gpu(120001);

	WRITE(f, 1 | 1 << 19, 0x1002, 0, VA(SD_A), VA(SD_B), 0,
	      1, 15, 0, VA(SD_A), VA(SD_B + 0x1800));
	CHECK(drained(f) && same(f, SD_A, SD_B, 0x1003) && same(f, SD_A, SD_B + 0x1800, 16));
	/* Not whole yet */
	f = fresh_gpu(120001);
	WRITE(f, 1 | 1 << 19, 15, 0, VA(SD_A), VA(SD_B));
	CHECK(fake_sdma_run(f) == CP_IDLE && all(f, SD_B, 0, 16));
	WRITE(f, 0);
	CHECK(drained(f) && same(f, SD_A, SD_B, 16));
	f = fresh_gpu(120001);
	WRITE(f, 1 | 1 << 19, 15, 0, VA(SD_A), VA(SD_B), 2 << 16);
	CHECK(stops(f, SDMA_ERR_REFUSED) && all(f, SD_B, 0, 16));
	f = fresh_gpu(120001);
	WRITE(f, 1 | 1 << 19 | 1 << 27, 15, 0, VA(SD_A), VA(SD_B), VA(SD_B + 64), 0);
	CHECK(stops(f, SDMA_ERR_REFUSED) && all(f, SD_B, 0, 16));
	f = fresh_gpu(120001);
	WRITE(f, 1 | 4 << 8 | 1 << 19, VA(SD_A), 0, 0, 0, VA(SD_B), 0, 0, 0, 0, 0);
	CHECK(stops(f, SDMA_ERR_REFUSED) && all(f, SD_B, 0, 16));
	report("COPY linear with a dword about compression, where it exists");
}

void test_write(void)
{
	struct fake_sdma *f = fresh();
	u32 i, dw[4 + 200] = { 2, VA(SD_B), 199 };

	for (i = 0; i < 200; i++)
		dw[4 + i] = i * 3;
	WRITE(f, 199 << 16);
	for (i = 0; i < 199; i++)
		WRITE(f, 0xdeadbeef);
	CHECK(drained(f));
	/* Now it wraps in its data */
	fake_sdma_write(f, dw, ARRAY_SIZE(dw));
	CHECK(drained(f));
	CHECK(!memcmp(dw + 4, fake_sdma_at(f, SD_B), 800));
	CHECK(all(f, SD_B + 800, 0, 16));

	f = fresh();
	WRITE(f, 2, VA(SD_B + 2), 0, 1);
	CHECK(stops(f, SDMA_ERR_MALFORMED));
	/* Longer than the ring: it will never be whole */
	f = fresh();
	WRITE(f, 2, VA(SD_B), SD_RING_BYTES / 4);
	CHECK(stops(f, SDMA_ERR_MALFORMED));
	report("WRITE linear");
}

void test_fill(void)
{
	struct fake_sdma *f = fresh();
	u32 i;

	/* ROCr's count and the kernel's */
	WRITE(f, 11 | 2u << 30, VA(SD_B), 0x12345678, 4 * 9);
	WRITE(f, 11 | 2u << 30, VA(SD_B + 0x100), 0x9abcdef0, 4 * 10 - 1);
	CHECK(drained(f));
	for (i = 0; i < 10; i++) {
		CHECK(fake_sdma_get(f, SD_B + 4 * i, 4) == 0x12345678);
		CHECK(fake_sdma_get(f, SD_B + 0x100 + 4 * i, 4) == 0x9abcdef0);
	}
	CHECK(all(f, SD_B + 40, 0, 64) && all(f, SD_B + 0x128, 0, 64));

	WRITE(f, 11, VA(SD_C + 3), 0xaabbcc11, 6);
	WRITE(f, 11 | 1u << 30, VA(SD_C + 0x102), 0xaabb2233, 6);
	CHECK(drained(f));
	CHECK(all(f, SD_C, 0, 3) && all(f, SD_C + 3, 0x11, 7) && all(f, SD_C + 10, 0, 64));
	CHECK(fake_sdma_get(f, SD_C + 0x102, 8) == 0x2233223322332233ull);
	CHECK(all(f, SD_C + 0x10a, 0, 16));

	f = fresh();
	WRITE(f, 11 | 2u << 30, VA(SD_B), 0x5a5a5a5a, 0xfffff);
	CHECK(drained(f) && all(f, SD_B, 0x5a, 0x100000) && f->largest == SDMA_STEP_BYTES);
	f = fresh();
	WRITE(f, 11 | 3u << 30, VA(SD_B), 0, 0);
	CHECK(stops(f, SDMA_ERR_MALFORMED));
	f = fresh();
	WRITE(f, 11 | 2u << 30, VA(SD_B + 2), 0, 0);
	CHECK(stops(f, SDMA_ERR_MALFORMED));
	report("CONST_FILL of bytes, halves and words");
}

void test_incr(void)
{
	struct fake_sdma *f = fresh();
	u32 i;

	WRITE(f, 12, VA(SD_B), VA(0x8000000000000071ull), VA(0xffffe000ull), VA(0x1000), 99);
	CHECK(drained(f) && f->q.bytes == 800);
	for (i = 0; i < 100; i++)
		CHECK(fake_sdma_get(f, SD_B + 8 * i, 8) ==
		      (0x8000000000000071ull | (0xffffe000ull + i * 0x1000ull)));
	CHECK(all(f, SD_B + 800, 0, 64));
	f = fresh();
	WRITE(f, 12, VA(SD_B + 4), VA(0), VA(0), VA(0), 0);
	CHECK(stops(f, SDMA_ERR_MALFORMED));
	f = fresh();
	WRITE(f, 12, VA(SD_B), VA(0), VA(0), VA(0), 0x7ffff);
	CHECK(faults(f));
	report("WRITE_INCR");
}
