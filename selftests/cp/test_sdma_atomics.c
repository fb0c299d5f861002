// SPDX-License-Identifier: MIT
/* Atomics of SDMA, and indirect buffers. */
#include "sdma_rig.h"

/* ----------------------------------------------------------------- atomics */

static u64 atomic(u32 op, u64 old, u64 src, u64 cmp)
{
	struct fake_sdma *f = fresh();

	fake_sdma_put(f, SD_WORD, old, 8);
	WRITE(f, 10 | op << 25, VA(SD_WORD), VA(src), VA(cmp), 0);
	CHECK(drained(f));
	return fake_sdma_get(f, SD_WORD, 8);
}

/* The double that stands for a float, with denormals, NaNs and infinities. */
static u64 widen(u32 v)
{
	u32 exponent = v >> 23 & 255;
	u64 e = exponent == 255 ? 2047 : exponent ? exponent + 1023 - 127 : 0;

	return (u64)(v >> 31) << 63 | e << 52 | (u64)(v & 0x7fffff) << 29;
}

void test_atomic(void)
{
	static const struct {
		u32 op;
		u64 old, src, cmp, want32, want64;
	} rows[] = {
		{ 0x07, 5, 9, 0, 9, 9 },
		{ 0x08, 5, 9, 5, 9, 9 },
		{ 0x08, 5, 9, 6, 5, 5 },
		{ 0x0f, 5, ~0ull, 0, 4, 4 },
		{ 0x10, 5, 6, 0, 0xffffffff, ~0ull },
		{ 0x11, 0xffffffff, 1, 0, 0xffffffff, 1 },
		{ 0x11, ~0ull, 1, 0, 0xffffffff, ~0ull },
		{ 0x12, 7, 6, 0, 6, 6 },
		{ 0x13, ~0ull, 1, 0, 1, 1 },
		{ 0x14, ~0ull, 1, 0, 0xffffffff, ~0ull },
		{ 0x15, 0xf0, 0x3c, 0, 0x30, 0x30 },
		{ 0x16, 0xf0, 0x3c, 0, 0xfc, 0xfc },
		{ 0x17, 0xf0, 0x3c, 0, 0xcc, 0xcc },
		{ 0x18, 5, 6, 0, 6, 6 },
		{ 0x18, 6, 6, 0, 0, 0 },
		{ 0x19, 0, 6, 0, 6, 6 },
		{ 0x19, 7, 6, 0, 6, 6 },
		{ 0x19, 6, 6, 0, 5, 5 },
	};
	const u32 one = 0x3f800000, two = 0x40000000, minus = 1u << 31, nan = 0x7fc00000;
	const struct {
		u32 op, old, src, cmp, want;
	} floats[] = {
		{ 1, one, two, one, two }, { 1, one, two, two, one },
		{ 1, minus, two, 0, two }, { 1, nan, two, nan, nan },
		{ 1, 1, two, 0, 1 },		/* a denormal is not zero */
		{ 2, one, two, 0, one }, { 2, two, one, 0, one },
		{ 2, one, minus | two, 0, minus | two }, { 2, minus | two, minus | one, 0, minus | two },
		{ 2, nan, one, 0, nan }, { 2, one, nan, 0, one },
		{ 2, 0, minus, 0, 0 }, { 2, 0, minus | 1, 0, minus | 1 },
		{ 3, one, two, 0, two }, { 3, two, one, 0, two },
		{ 3, minus | two, minus | one, 0, minus | one }, { 3, nan, one, 0, nan },
		{ 3, one, 0x7f800000, 0, 0x7f800000 },
		/* denormals flushed: as zero, but the selected one is stored */
		{ 9, 1, two, minus, two }, { 9, 1, minus | 2, 3, minus },
		{ 9, minus | 1, two, one, minus }, { 9, nan, two, nan, nan },
		{ 0xa, 1, minus | 1, 0, 1 }, { 0xa, one, 1, 0, 1 }, { 0xa, nan, 1, 0, nan },
		{ 0xb, 1, 0x7fffff, 0, 1 }, { 0xb, minus | one, minus | 1, 0, minus | 1 },
		{ 0xb, 1, 0x00800000, 0, 0x00800000 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		u64 high = rows[i].old & 0xffffffff00000000ull;

		/* 32 bits leave the neighbour alone; with and without return */
		CHECK(atomic(rows[i].op, rows[i].old, rows[i].src, rows[i].cmp) ==
		      (rows[i].want32 | high));
		CHECK(atomic(rows[i].op | 0x40, rows[i].old, rows[i].src, rows[i].cmp) ==
		      (rows[i].want32 | high));
		CHECK(atomic(rows[i].op | 0x20, rows[i].old, rows[i].src, rows[i].cmp) ==
		      rows[i].want64);
		CHECK(atomic(rows[i].op | 0x60, rows[i].old, rows[i].src, rows[i].cmp) ==
		      rows[i].want64);
		if (checks_failed)
			printf("# row %u\n", i);
	}
	report("ATOMIC: every integer operation, 32 and 64 bits");
	for (i = 0; i < ARRAY_SIZE(floats); i++) {
		CHECK(atomic(floats[i].op, 1ull << 40 | floats[i].old, floats[i].src,
			     floats[i].cmp) == (1ull << 40 | floats[i].want));
		CHECK(atomic(floats[i].op | 0x60, widen(floats[i].old), widen(floats[i].src),
			     widen(floats[i].cmp)) == widen(floats[i].want));
		if (checks_failed)
			printf("# row %u\n", i);
	}
	report("ATOMIC: floats, 32 and 64 bits");
}

/* Of the 32 operations: compare-and-swap of floats, their extremes (twice), integers. */
static bool atomic_exists(u32 op)
{
	return 0x03ff8f8e >> (op & 31) & 1;
}

void test_atomic_loop(void)
{
	struct fake_sdma *f = fresh();
	u32 op;

	WRITE(f, 10 | 0x28u << 25 | 1 << 16, VA(SD_WORD), VA(7), VA(3), 10);
	CHECK(fake_sdma_run(f) == CP_BLOCKED && f->q.polling);
	CHECK(fake_sdma_get(f, SD_WORD, 8) == 0);
	fake_sdma_put(f, SD_WORD, 3, 8);
	CHECK(drained(f) && fake_sdma_get(f, SD_WORD, 8) == 7);

	/* Floats: equal is what compares as such */
	f = fresh();
	fake_sdma_put(f, SD_WORD, 0x80000000, 4);
	WRITE(f, 10 | 0x01u << 25 | 1 << 16, VA(SD_WORD), VA(7), VA(0), 10);
	CHECK(drained(f) && fake_sdma_get(f, SD_WORD, 4) == 7);
	fake_sdma_put(f, SD_WORD, 1, 4);
	WRITE(f, 10 | 0x09u << 25 | 1 << 16, VA(SD_WORD), VA(8), VA(0x80000000), 10);
	CHECK(drained(f) && !fake_sdma_get(f, SD_WORD, 4));
	/* A loop needs something to wait for */
	WRITE(f, 10 | 0x2fu << 25 | 1 << 16, VA(SD_WORD), VA(7), VA(3), 10);
	CHECK(stops(f, SDMA_ERR_REFUSED));
	f = fresh();
	for (op = 0; op < 128; op++) {
		f = fresh();
		WRITE(f, 10 | op << 25, VA(SD_WORD), VA(7), VA(3), 10);
		if (atomic_exists(op))
			CHECK(drained(f));
		else
			CHECK(stops(f, SDMA_ERR_REFUSED));
		if (checks_failed)
			printf("# operation 0x%x\n", op);
	}
	f = fresh();
	WRITE(f, 10 | 0x2fu << 25, VA(SD_WORD + 4), VA(7), VA(3), 10);
	CHECK(stops(f, SDMA_ERR_MALFORMED));
	report("ATOMIC: loops, what is refused");
}

/* -------------------------------------------------------- indirect buffers */

static void put_ib(struct fake_sdma *f, u64 va, const u32 *dw, u32 n)
{
	memcpy(fake_sdma_at(f, va), dw, 4 * n);
}

void test_ib(void)
{
	const u32 ib[16] = { 5, VA(SD_WORD), 11, 5, VA(SD_WORD + 4), 12, 7 << 16 };
	struct fake_sdma *f = fresh();

	put_ib(f, SD_IB, ib, 16);
	WRITE(f, 0, 0);
	WRITE(f, 4, VA(SD_IB), 16, 0, 0);
	WRITE(f, 5, VA(SD_WORD + 8), 13);
	CHECK(drained(f) && f->q.packets == 7);
	CHECK(fake_sdma_get(f, SD_WORD, 8) == (11 | 12ull << 32));
	CHECK(fake_sdma_get(f, SD_WORD + 8, 4) == 13);

	/* None at all, and the next one must end at a multiple of 8 again */
	f = fresh();
	WRITE(f, 0, 0);
	WRITE(f, 4, VA(SD_IB), 0, 0, 0);
	CHECK(drained(f));
	report("INDIRECT");
}

void test_ib_bad(void)
{
	static const u32 self[8] = { 4, VA(SD_IB), 8, 0, 0, 0, 0 };
	static const u32 cut[8] = { 6 << 16, 0, 0, 0, 0, 0, 0, 5 };
	static const u32 skip[8] = { 9, VA(SD_WORD), 1, 100, 0, 0, 0 };
	struct fake_sdma *f;

	f = fresh();
	WRITE(f, 4, VA(SD_IB), 8, 0, 0);
	CHECK(stops(f, SDMA_ERR_MALFORMED));	/* ends at dword 6 */
	f = fresh();
	WRITE(f, 0, 0, 4, VA(SD_IB + 16), 8, 0, 0);
	CHECK(stops(f, SDMA_ERR_MALFORMED));
	f = fresh();
	WRITE(f, 0, 0, 4, VA(SD_IB), 7, 0, 0);
	CHECK(stops(f, SDMA_ERR_MALFORMED));
	f = fresh();
	WRITE(f, 0, 0, 4 | 3 << 16, VA(SD_IB), 8, 0, 0);
	CHECK(stops(f, SDMA_ERR_REFUSED));
	f = fresh();
	put_ib(f, SD_IB, self, 8);
	WRITE(f, 0, 0, 4, VA(SD_IB), 8, 0, 0);
	CHECK(stops(f, SDMA_ERR_REFUSED));
	f = fresh();
	put_ib(f, SD_IB, cut, 8);
	WRITE(f, 0, 0, 4, VA(SD_IB), 8, 0, 0);
	CHECK(stops(f, SDMA_ERR_MALFORMED));
	f = fresh();
	put_ib(f, SD_IB, skip, 8);
	WRITE(f, 0, 0, 4, VA(SD_IB), 8, 0, 0);
	CHECK(stops(f, SDMA_ERR_MALFORMED));
	f = fresh();
	WRITE(f, 0, 0, 4, VA(0xffffffffffffffe0ull), 0xffff8, 0, 0);
	CHECK(faults(f));
	report("INDIRECT: nested, cut off, misplaced, nowhere");
}
