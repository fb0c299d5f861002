// SPDX-License-Identifier: MIT
/* SDMA packets that wait and tell: fences, traps, polls, conditions, time stamps. */
#include "sdma_rig.h"

/* ---------------------------------------------------------- fences, polls */

void test_fence_trap(void)
{
	struct fake_sdma *f = fresh();

	WRITE(f, 5, VA(SD_WORD + 4), 0xcafe);
	WRITE(f, 6, 0xf1234567);
	CHECK(drained(f) && fake_sdma_get(f, SD_WORD, 8) == 0xcafeull << 32);
	CHECK(f->traps == 1 && f->context == 0x1234567 && f->trap_rptr == f->wptr);
	WRITE(f, 5, VA(SD_WORD + 1), 1);
	CHECK(stops(f, SDMA_ERR_MALFORMED));
	/* 64 bits */
	f = fresh();
	WRITE(f, 5 | 2 << 8, VA(SD_WORD), VA(0x1122334455667788ull));
	CHECK(drained(f) && fake_sdma_get(f, SD_WORD, 8) == 0x1122334455667788ull);
	WRITE(f, 5 | 2 << 8, VA(SD_WORD + 4), VA(1));
	CHECK(stops(f, SDMA_ERR_MALFORMED));
	f = fresh();
	WRITE(f, 5 | 2 << 8, VA(0x1000), VA(1));
	CHECK(faults(f));
	report("FENCE, of 32 and 64 bits, and TRAP");
}

#define POLL(func, va, ref, mask, dw5) \
	8 | 1u << 31 | (u32)(func) << 28, VA(va), ref, mask, dw5
#define POLL_64(func, va, ref, mask, dw7) \
	8 | 5 << 8 | (u32)(func) << 28, VA(va), VA(ref), VA(mask), dw7

/* Values of 32 bits, also in the upper half of 64 */
static bool poll_passes(bool wide, u32 func, u32 val, u32 mask, u32 ref)
{
	struct fake_sdma *f = fresh();

	fake_sdma_put(f, SD_WORD, wide ? (u64)val << 32 : val, 8);
	if (wide)
		WRITE(f, POLL_64(func, SD_WORD, (u64)ref << 32, (u64)mask << 32, 0));
	else
		WRITE(f, POLL(func, SD_WORD, ref, mask, 0xfff << 16 | 4));
	switch (fake_sdma_run(f)) {
	case CP_IDLE:
		return true;
	case CP_BLOCKED:
		CHECK(f->q.polling && !f->q.rptr);
		/* and again, for ever */
		CHECK(fake_sdma_run(f) == CP_BLOCKED);
		return false;
	default:
		CHECK(!"poll stopped");
		return false;
	}
}

void test_poll(void)
{
	/* below, equal, above; by function */
	static const bool want[7][3] = {
		{ true, true, true }, { true, false, false }, { true, true, false },
		{ false, true, false }, { true, false, true }, { false, true, true },
		{ false, false, true },
	};
	struct fake_sdma *f;
	u32 i, j, wide;

	for (i = 0; i < 7; i++)
		for (j = 0; j < 6; j++)
			CHECK(poll_passes(j & 1, i, 0x80000004 + j / 2, ~0u, 0x80000005) ==
			      want[i][j / 2]);
	for (wide = 0; wide < 2; wide++) {
		CHECK(poll_passes(wide, 3, 0x1234, 0xff, 0x34));
		CHECK(!poll_passes(wide, 3, 0x1234, 0xff, 0x1234));
		f = fresh();
		if (wide)
			WRITE(f, POLL_64(3, SD_WORD, 1ull << 32, ~0ull, 0));
		else
			WRITE(f, POLL(3, SD_WORD + 4, 1, ~0u, 0xfff << 16));
		WRITE(f, 5, VA(SD_WORD + 8), 9);
		CHECK(fake_sdma_run(f) == CP_BLOCKED && !fake_sdma_get(f, SD_WORD + 8, 4));
		fake_sdma_put(f, SD_WORD + 4, 1, 4);
		CHECK(drained(f) && fake_sdma_get(f, SD_WORD + 8, 4) == 9);
	}
	f = fresh();
	WRITE(f, POLL(7u, SD_WORD, 1, ~0u, 0));
	CHECK(stops(f, SDMA_ERR_MALFORMED));
	f = fresh();
	WRITE(f, POLL_64(7u, SD_WORD, 1, ~0ull, 0));
	CHECK(stops(f, SDMA_ERR_MALFORMED));
	f = fresh();
	WRITE(f, POLL_64(3, SD_WORD + 4, 1, ~0ull, 0));
	CHECK(stops(f, SDMA_ERR_MALFORMED));
	report("POLL, of 32 and 64 bits: every function, mask, later");
}

void test_poll_retries(void)
{
	struct fake_sdma *f = fresh();

	WRITE(f, POLL(3, SD_WORD, 1, ~0u, 2 << 16));
	CHECK(fake_sdma_run(f) == CP_BLOCKED);
	CHECK(fake_sdma_run(f) == CP_BLOCKED);
	CHECK(stops(f, SDMA_ERR_TIMEOUT));
	f = fresh();
	WRITE(f, POLL_64(3, SD_WORD, 1, ~0ull, 1 << 16));
	CHECK(fake_sdma_run(f) == CP_BLOCKED);
	CHECK(stops(f, SDMA_ERR_TIMEOUT));
	report("POLL: retries are counted");
}

#define HDP_POLL(func)	(8 | 1 << 26 | (func) << 28)

void test_hdp_flush(void)
{
	static const u32 others[][3] = {
		{ 8 | 3 << 28, 0x389c, 0 }, { 8 | 3 << 28, 0x1234, 0 }, { 8 | 1 << 28, 0, 1u << 31 },
		{ 8, 0, 0 }, { HDP_POLL(3), 0x1234, 0x5678 }, { HDP_POLL(3), 0x389c, 0x5678 },
		{ HDP_POLL(3), 0x1234, 0x3898 }, { HDP_POLL(3), 0x3898, 0x389c },
	};
	struct fake_sdma *f = fresh();
	u32 i;

	WRITE(f, 8, 0, 0x80000000, 0, 0, 0);		/* ROCr */
	/* sdma_v4_0_ring_emit_hdp_flush, on engines 0 and 1; what was asked for stays done */
	WRITE(f, HDP_POLL(3), 0x389c, 0x3898, 0x400, 0x400, 0xfff000a);
	WRITE(f, HDP_POLL(3), 0x389c, 0x3898, 0x800, 0x800, 0xfff000a);
	WRITE(f, HDP_POLL(5), 0x389c, 0x3898, 0x800, 0xc00, 0xfff000a);
	CHECK(drained(f) && f->flushes == 4);
	WRITE(f, HDP_POLL(3), 0x389c, 0x3898, 0x800, 0x1000, 0xfff000a);
	CHECK(stops(f, SDMA_ERR_TIMEOUT));
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		f = fresh();
		WRITE(f, others[i][0], others[i][1], others[i][2], 1, 1, 0xfff000a);
		CHECK(stops(f, SDMA_ERR_REFUSED) && !f->flushes);
	}
	report("POLL_REGMEM: HDP flush yes, other registers no");
}

void test_cond_exe(void)
{
	struct fake_sdma *f = fresh();

	fake_sdma_put(f, SD_WORD, 1, 4);
	WRITE(f, 9, VA(SD_WORD), 1, 4);
	WRITE(f, 5, VA(SD_WORD + 8), 1);
	WRITE(f, 9, VA(SD_WORD), 2, 4);
	WRITE(f, 5, VA(SD_WORD + 8), 2);
	WRITE(f, 5, VA(SD_WORD + 12), 3);
	CHECK(drained(f));
	CHECK(fake_sdma_get(f, SD_WORD + 8, 8) == (1 | 3ull << 32));
	/* What is skipped may come later, and may be anything */
	WRITE(f, 9, VA(SD_WORD), 2, 3);
	CHECK(drained(f));
	WRITE(f, 0xffffffff, 0xffffffff);
	CHECK(drained(f));
	WRITE(f, 0xffffffff, 5, VA(SD_WORD + 12), 4);
	CHECK(drained(f) && fake_sdma_get(f, SD_WORD + 12, 4) == 4);
	report("COND_EXE");
}

void test_pre_exe(void)
{
	struct fake_sdma *f = fresh();

	WRITE(f, 15 | 1 << 16, 4);
	WRITE(f, 5, VA(SD_WORD), 1);
	WRITE(f, 15 | 2 << 16, 4);
	WRITE(f, 5, VA(SD_WORD), 2);
	CHECK(drained(f) && fake_sdma_get(f, SD_WORD, 4) == 1);
	f->q.engine = 1;
	WRITE(f, 15 | 2 << 16, 4);
	WRITE(f, 5, VA(SD_WORD), 2);
	CHECK(drained(f) && fake_sdma_get(f, SD_WORD, 4) == 2);
	report("PRE_EXE for an engine");
}

void test_timestamp(void)
{
	struct fake_sdma *f = fresh();
	u64 a, b, c;

	WRITE(f, 13 | 2 << 8, VA(SD_WORD));
	WRITE(f, 13, 0x9999, 0x10);
	WRITE(f, 13 | 1 << 8, VA(SD_WORD + 8));
	WRITE(f, 13 | 2 << 8, VA(SD_WORD + 16));
	CHECK(drained(f));
	a = fake_sdma_get(f, SD_WORD, 8);
	b = fake_sdma_get(f, SD_WORD + 8, 8);
	c = fake_sdma_get(f, SD_WORD + 16, 8);
	CHECK(a == 1001 && c == 1004 && b == 0x1000009999ull + 1);
	report("TIMESTAMP: global, set, local");
}
