/* SPDX-License-Identifier: MIT */
/* What the tests of SDMA packets, which are several files of one program, have in common. */
#ifndef SDMA_RIG_H
#define SDMA_RIG_H

#include <stdlib.h>

#define TAP_SHARED
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

static inline struct fake_sdma *fresh_gpu(u32 gfx)
{
	static struct fake_sdma f;
	u32 i;

	fake_sdma_init(&f, gfx, 0);
	for (i = 0; i < 0x60000; i++)
		f.mem[SD_A - MEM_BASE + i] = i * 7 + (i >> 8) * 13 + 1;
	return &f;
}

static inline struct fake_sdma *fresh(void)
{
	return fresh_gpu(GFX90A);
}

static inline bool same(struct fake_sdma *f, u64 a, u64 b, u32 n)
{
	return !memcmp(fake_sdma_at(f, a), fake_sdma_at(f, b), n);
}

static inline bool all(struct fake_sdma *f, u64 va, u8 val, u32 n)
{
	const u8 *p = fake_sdma_at(f, va);

	while (n && *p == val) {
		n--;
		p++;
	}
	return !n;
}

/* Everything was executed, and memory says so. */
static inline bool drained(struct fake_sdma *f)
{
	return fake_sdma_run(f) == CP_IDLE && f->q.rptr == f->wptr &&
	       fake_sdma_get(f, SD_RPTR, 8) == f->wptr;
}

static inline bool stops(struct fake_sdma *f, enum sdma_error error)
{
	return fake_sdma_run(f) == CP_ERROR && f->q.stopped && !f->q.faulted &&
	       f->q.error == error && f->q.error_name;
}

static inline bool faults(struct fake_sdma *f)
{
	return fake_sdma_run(f) == CP_ERROR && f->q.stopped && f->q.faulted;
}

/* test_sdma_*.c: a case each, in the order of test_sdma.c */
void test_copy(void);
void test_copy_counts(void);
void test_broadcast(void);
void test_window(void);
void test_swap(void);
void test_gcr(void);
void test_dcc(void);
void test_write(void);
void test_fill(void);
void test_incr(void);
void test_fence_trap(void);
void test_poll(void);
void test_poll_retries(void);
void test_hdp_flush(void);
void test_cond_exe(void);
void test_pre_exe(void);
void test_timestamp(void);
void test_atomic(void);
void test_atomic_loop(void);
void test_ib(void);
void test_ib_bad(void);

#endif /* SDMA_RIG_H */
