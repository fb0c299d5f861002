// SPDX-License-Identifier: MIT
/*
 * SDMA packets against a fake memory: what a packet does to memory, to the
 * indices and to the queue, and what is refused.
 */
#include <stdlib.h>

#include "fake_sdma.h"
#include "tap.h"

#define GFX906	90006
#define GFX90A	90010
#define GFX942	90402

#define LO(va)	((u32)(va))
#define HI(va)	((u32)((u64)(va) >> 32))
#define VA(va)	LO(va), HI(va)
#define WRITE(f, ...) do {						\
	const u32 dw_[] = { __VA_ARGS__ };				\
	fake_sdma_write(f, dw_, ARRAY_SIZE(dw_));			\
} while (0)

static struct fake_sdma *fresh_gpu(u32 gfx)
{
	static struct fake_sdma f;
	u32 i;

	fake_sdma_init(&f, gfx, 0);
	for (i = 0; i < 0x60000; i++)
		f.mem[SD_A - MEM_BASE + i] = i * 7 + (i >> 8) * 13 + 1;
	return &f;
}

static struct fake_sdma *fresh(void)
{
	return fresh_gpu(GFX90A);
}

static bool same(struct fake_sdma *f, u64 a, u64 b, u32 n)
{
	return !memcmp(fake_sdma_at(f, a), fake_sdma_at(f, b), n);
}

static bool all(struct fake_sdma *f, u64 va, u8 val, u32 n)
{
	const u8 *p = fake_sdma_at(f, va);

	while (n && *p == val) {
		n--;
		p++;
	}
	return !n;
}

/* Everything was executed, and memory says so. */
static bool drained(struct fake_sdma *f)
{
	return fake_sdma_run(f) == CP_IDLE && f->q.rptr == f->wptr &&
	       fake_sdma_get(f, SD_RPTR, 8) == f->wptr;
}

static bool stops(struct fake_sdma *f, enum sdma_error error)
{
	return fake_sdma_run(f) == CP_ERROR && f->q.stopped && !f->q.faulted &&
	       f->q.error == error && f->q.error_name;
}

static bool faults(struct fake_sdma *f)
{
	return fake_sdma_run(f) == CP_ERROR && f->q.stopped && f->q.faulted;
}

/* -------------------------------------------------------------------- ring */

static void test_nop(void)
{
	struct fake_sdma *f = fresh();

	CHECK(fake_sdma_run(f) == CP_IDLE);
	WRITE(f, 0);
	CHECK(drained(f) && f->q.packets == 1);
	WRITE(f, 3 << 16, 0xffffffff, 0xffffffff, 0xffffffff, 0);
	CHECK(drained(f) && f->q.packets == 3);
	report("NOP, alone and with a count");
}

static void test_wrap(void)
{
	struct fake_sdma *f = fresh();
	u32 i;

	/* 4 dwords each do not divide the ring less 8 bytes: one is split */
	WRITE(f, 0, 0);
	for (i = 0; i < 1000; i++) {
		WRITE(f, 5, VA(SD_WORD), i);
		CHECK(drained(f));
		CHECK(fake_sdma_get(f, SD_WORD, 4) == i);
	}
	CHECK(f->q.rptr == 8 + 16000 && f->q.packets == 1002);
	report("a ring that wraps within packets");
}

static void test_full_ring(void)
{
	struct fake_sdma *f = fresh();
	u32 i;

	for (i = 0; i < SD_RING_BYTES / 16; i++)
		WRITE(f, 5, VA(SD_WORD), i);
	CHECK(drained(f) && f->wptr == SD_RING_BYTES);
	CHECK(fake_sdma_get(f, SD_WORD, 4) == SD_RING_BYTES / 16 - 1);
	report("a ring full to the last byte");
}

static void test_partial(void)
{
	struct fake_sdma *f = fresh();

	WRITE(f, 5, LO(SD_WORD));
	CHECK(fake_sdma_run(f) == CP_IDLE && !f->q.rptr && !f->q.stopped);
	WRITE(f, HI(SD_WORD));
	CHECK(fake_sdma_run(f) == CP_IDLE && !f->q.rptr);
	WRITE(f, 77);
	CHECK(drained(f) && fake_sdma_get(f, SD_WORD, 4) == 77);
	report("a packet that comes in pieces waits");
}

static void test_wptr(void)
{
	struct fake_sdma *f = fresh();

	/* Written before the queue was there, no doorbell: found in memory */
	WRITE(f, 5, VA(SD_WORD), 5);
	fake_sdma_put(f, SD_WPTR, f->wptr, 8);
	CHECK(cp_sdma_ring(&f->q, &f->env, 0));
	CHECK(cp_sdma_step(&f->q, &f->env) == CP_PROGRESS);
	CHECK(cp_sdma_step(&f->q, &f->env) == CP_IDLE);
	CHECK(fake_sdma_get(f, SD_WORD, 4) == 5);

	/* Read once; then the doorbell alone counts, until the ring is moved */
	WRITE(f, 5, VA(SD_WORD), 6);
	fake_sdma_put(f, SD_WPTR, f->wptr, 8);
	CHECK(!cp_sdma_ring(&f->q, &f->env, 0));
	CHECK(cp_sdma_move(&f->q, SD_RING, SD_RING_BYTES) == 0);
	CHECK(cp_sdma_ring(&f->q, &f->env, 0));
	CHECK(drained(f) && fake_sdma_get(f, SD_WORD, 4) == 6);

	/* Behind what was read: an old value, not work */
	CHECK(!cp_sdma_ring(&f->q, &f->env, 4));
	CHECK(cp_sdma_move(&f->q, SD_RING, 1000) == -EINVAL);
	CHECK(cp_sdma_move(&f->q, SD_RING + 2, 1024) == -EINVAL);
	report("write pointer: memory at the start, then the doorbell");
}

static void test_wptr_beyond(void)
{
	struct fake_sdma *f = fresh();

	f->wptr = SD_RING_BYTES + 4;
	CHECK(stops(f, SDMA_ERR_WPTR));
	f = fresh();
	f->wptr = 0x7fffffffffffffffull;
	CHECK(stops(f, SDMA_ERR_WPTR));
	f = fresh();
	/* Less than nothing */
	f->wptr = 0xfffffffffffffff0ull;
	CHECK(fake_sdma_run(f) == CP_IDLE && !f->q.stopped);
	report("write pointers that cannot be");
}

static void clear_ring(struct fake_sdma *f)
{
	memset(fake_sdma_at(f, SD_RING), 0xff, SD_RING_BYTES);
}

static void test_read_once(void)
{
	struct fake_sdma *f;
	u32 i;

	/* The packet changes after its header, after its body, while it runs */
	for (i = 1; i < 3; i++) {
		f = fresh();
		WRITE(f, 1, 0x7ffff, 0, VA(SD_A), VA(SD_C));
		f->meddle = clear_ring;
		f->nth = i + 1;
		CHECK(fake_sdma_run(f) == CP_IDLE && !f->q.stopped);
		CHECK(same(f, SD_A, SD_C, 0x60000));
	}
	report("a packet is what it was when it was read");
}

/* -------------------------------------------------------------------- moves */

static void test_copy(void)
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

static void test_copy_counts(void)
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

static void test_broadcast(void)
{
	struct fake_sdma *f = fresh();

	WRITE(f, 1 | 1u << 27, 0x47fff, 0, VA(SD_A), VA(SD_C), VA(SD_C + 0x50000));
	CHECK(drained(f));
	CHECK(same(f, SD_A, SD_C, 0x48000) && same(f, SD_A, SD_C + 0x50000, 0x48000));
	report("COPY linear, broadcast");
}

/* 3 x 2 x 2 elements of 1 << e bytes, at (1, 2, 1) to (2, 1, 0) */
static void window(struct fake_sdma *f, u32 e)
{
	const u32 sp = 16, ss = 16 * 8, dp = 12, ds = 12 * 6;
	u32 x, y, z;

	WRITE(f, 1 | 4 << 8 | e << 29, VA(SD_A), 1 | 2 << 16, 1 | (sp - 1) << 13, ss - 1,
	      VA(SD_B), 2 | 1 << 16, 0 | (dp - 1) << 13, ds - 1, 2 | 1 << 16, 1);
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

static void test_window(void)
{
	struct fake_sdma *f;
	u32 e;

	for (e = 0; e < 5; e++)
		window(fresh(), e);
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
	report("COPY linear sub-window");
}

static void test_swap(void)
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

static void test_write(void)
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

static void test_fill(void)
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

static void test_incr(void)
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

/* ---------------------------------------------------------- fences, polls */

static void test_fence_trap(void)
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

static void test_poll(void)
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

static void test_poll_retries(void)
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

static void test_hdp_flush(void)
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

static void test_cond_exe(void)
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

static void test_pre_exe(void)
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

static void test_timestamp(void)
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

static void test_atomic(void)
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

static void test_atomic_loop(void)
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

static void test_ib(void)
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

static void test_ib_bad(void)
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

/* ---------------------------------------------------------------- the table */

struct packet {
	u8 op, sub_op, fixed;
	const char *name, *handler;
};

#define SDMA_PACKET(_op, _sub_op, _fixed, _name, _length, _exec) \
	{ _op, _sub_op, _fixed, #_name, #_exec },
static const struct packet packets[] = {
#include "../../kmod/cp/sdma_packets.def"
	{ 3, 0, 1, "SDMA_UNKNOWN", "NULL" },
	{ 17, 0, 1, "SDMA_UNKNOWN", "NULL" },	/* GCR: GFX10 */
	{ 32, 0, 1, "SDMA_UNKNOWN", "NULL" },	/* DUMMY_TRAP there */
	{ 5, 1, 1, "SDMA_UNKNOWN", "NULL" },
	{ 255, 255, 1, "SDMA_UNKNOWN", "NULL" },
};

static void refused(const struct packet *p)
{
	struct fake_sdma *f = fresh();
	u32 header = p->op | p->sub_op << 8;

	WRITE(f, 5, VA(SD_WORD), 1);
	WRITE(f, header);
	WRITE(f, 5, VA(SD_WORD), 2);
	CHECK(stops(f, strcmp(p->name, "SDMA_UNKNOWN") ? SDMA_ERR_REFUSED : SDMA_ERR_OPCODE));
	CHECK(!strcmp(f->q.error_name, p->name) && f->q.error_word == header);
	/* The read pointer names it, nothing behind it is done. */
	CHECK(fake_sdma_get(f, SD_RPTR, 8) == 16 && fake_sdma_get(f, SD_WORD, 4) == 1);
	CHECK(fake_sdma_run(f) == CP_IDLE && fake_sdma_get(f, SD_WORD, 4) == 1);
}

/* A packet without its last dword waits for it in a ring, and is none in a buffer. */
static void cut_short(const struct packet *p)
{
	struct fake_sdma *f = fresh_gpu(GFX942);
	u32 i;

	if (p->fixed == 1)
		return;
	fake_sdma_put(f, SD_IB, (16u - p->fixed) << 16, 4);	/* NOP up to it */
	fake_sdma_put(f, SD_IB + 4 * (17 - p->fixed), p->op | p->sub_op << 8, 4);
	WRITE(f, 0, 0, 4, VA(SD_IB), 16, 0, 0);
	CHECK(stops(f, SDMA_ERR_MALFORMED) && !strcmp(f->q.error_name, p->name));
	f = fresh_gpu(GFX942);
	WRITE(f, p->op | p->sub_op << 8);
	for (i = 1; i + 1 < p->fixed; i++)
		WRITE(f, 0);
	CHECK(fake_sdma_run(f) == CP_IDLE && !f->q.rptr && !f->q.stopped);
}

/* Each row has been executed by some test above, or is refused by its name. */
static void test_table(void)
{
	bool there;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(packets); i++) {
		there = strcmp(packets[i].handler, "NULL");
		if (there)
			cut_short(&packets[i]);
		else
			refused(&packets[i]);
		CHECK(there == fake_sdma_executed(packets[i].op, packets[i].sub_op));
		if (checks_failed)
			printf("# %s\n", packets[i].name);
	}
	report("the table: every packet was executed here, or is refused by name");
}

static void test_faults(void)
{
	struct fake_sdma *f = fresh();

	WRITE(f, 5, VA(0x1000), 1);
	CHECK(faults(f));
	f = fresh();
	WRITE(f, 1, 3, 0, VA(0x7fffffff0000ull), VA(SD_B));
	CHECK(faults(f));
	f = fresh();
	WRITE(f, 2, VA(0xfffffffffffffffcull), 3, 1, 2, 3, 4);
	CHECK(faults(f));
	f = fresh();
	CHECK(cp_sdma_move(&f->q, 0x7f0000000000ull, 4096) == 0);
	f->wptr = 4;
	CHECK(faults(f));
	CHECK(cp_sdma_report(&f->q, &f->env) == CP_PROGRESS);
	report("faults");
}

int main(void)
{
	static void (* const tests[])(void) = {
		test_nop, test_wrap, test_full_ring, test_partial, test_wptr, test_wptr_beyond,
		test_read_once, test_copy, test_copy_counts, test_broadcast, test_window,
		test_swap, test_write, test_fill, test_incr, test_fence_trap, test_poll,
		test_poll_retries, test_hdp_flush, test_cond_exe, test_pre_exe, test_timestamp,
		test_atomic, test_atomic_loop, test_ib, test_ib_bad, test_faults, test_table,
	};
	unsigned int i;

	printf("TAP version 13\n");
	for (i = 0; i < ARRAY_SIZE(tests); i++)
		tests[i]();
	printf("1..%u\n", test_no);
	return test_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
