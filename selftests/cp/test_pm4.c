// SPDX-License-Identifier: MIT
/*
 * PM4 packets against a fake memory, in a ring and in indirect buffers: what
 * each packet does, how long it must be, and that nothing a stream contains
 * keeps its processor.
 */
#include "pm4_rig.h"

static void test_rptr(void)
{
	struct fake_env *f = fresh();
	u32 nop[RING_DWORDS];
	unsigned int i;

	for (i = 0; i < RING_DWORDS; i++)
		nop[i] = HDR(NOP, 0x4001);	/* count 0x3fff: header only */
	CHECK(ring(f) == CP_IDLE && !rptr(f));
	CHECK(SUBMIT(f, nop[0]) == CP_IDLE && rptr(f) == 1);
	ring_put(f, RING_DWORDS - 2, nop);
	CHECK(ring(f) == CP_IDLE && rptr(f) == RING_DWORDS - 1);
	/* a packet around the ring's end */
	CHECK(SUBMIT(f, WRITE(DATA_VA, 77)) == CP_IDLE);
	CHECK(at(f, 0) == 77 && rptr(f) == 4);
	/* one dword is written back, no more */
	CHECK(fake_get(f, RPTR_VA + 4, 4) == 0xabcd);
	/* a whole ring at once; type 2 is filler */
	for (i = 0; i < RING_DWORDS; i++)
		nop[i] = 2u << 30;
	ring_put(f, RING_DWORDS, nop);
	CHECK(ring(f) == CP_IDLE && rptr(f) == 4 && f->q.next == wptr);
	report("read index: written back in dwords, modulo the ring");
}

static void test_partial(void)
{
	struct fake_env *f = fresh();
	const u32 pkt[] = { WRITE(DATA_VA, 5) };
	u32 n;

	for (n = 0; n < 5; n++) {
		CHECK(at(f, 0) == 0 && rptr(f) == 0);
		ring_put(f, 1, pkt + n);
		CHECK(ring(f) == CP_IDLE);
	}
	CHECK(at(f, 0) == 5 && rptr(f) == 5);
	/* who writes the doorbell modulo the ring's size is understood */
	ring_put(f, 5, pkt);
	fake_put(f, DATA_VA, 0, 4);
	f->q.next += RING_DWORDS * 3;
	f->q.limit = f->q.next;
	cp_queue_ring(&f->q, &f->env, 10);
	CHECK(fake_run(f) == CP_IDLE && at(f, 0) == 5 && rptr(f) == 10);
	report("a packet runs when all of it is there");
}

static void test_write_data(void)
{
	struct fake_env *f = fresh();
	u32 dw[64], i;

	CHECK(SUBMIT(f, HDR(WRITE_DATA, 6), 2u << 8, LO(DATA_VA), 0, 1, 2) == CP_IDLE);
	CHECK(at(f, 0) == 1 && at(f, 1) == 2);
	/* one address */
	CHECK(SUBMIT(f, HDR(WRITE_DATA, 7), 5u << 8 | 1u << 16, LO(DATA_VA), 0, 7, 8, 9) ==
	      CP_IDLE);
	CHECK(at(f, 0) == 9 && at(f, 1) == 2);
	/* more than is prefetched */
	dw[0] = HDR(WRITE_DATA, 64);
	dw[1] = 5u << 8;
	dw[2] = LO(DATA_VA);
	dw[3] = 0;
	for (i = 4; i < 64; i++)
		dw[i] = 1000 + i;
	ring_put(f, 64, dw);
	CHECK(ring(f) == CP_IDLE && at(f, 0) == 1004 && at(f, 59) == 1063 && !at(f, 60));
	/* a register */
	CHECK(SUBMIT(f, HDR(WRITE_DATA, 6), 0, 0xc040, 0, 11, 12) == CP_IDLE);
	CHECK(f->q.pm4.kept[0] == 11 && f->q.pm4.kept[1] == 12);
	CHECK(f->q.state == CP_STATE_RUN);
	report("WRITE_DATA");
}

static void test_copy_data(void)
{
	struct fake_env *f = fresh();

	fake_put(f, DATA_VA, 0x1122334455667788ull, 8);
	CHECK(SUBMIT(f, HDR(COPY_DATA, 6), 2 | 2u << 8, LO(DATA_VA), 0, LO(DATA_VA + 16), 0) ==
	      CP_IDLE);
	CHECK(at(f, 4) == 0x55667788 && at(f, 5) == 0);
	CHECK(SUBMIT(f, HDR(COPY_DATA, 6), 1 | 5u << 8 | 1u << 16, LO(DATA_VA), 0,
		     LO(DATA_VA + 16), 0) == CP_IDLE);
	CHECK(at(f, 5) == 0x11223344);
	/* immediate to a register, and from there to memory */
	CHECK(SUBMIT(f, HDR(COPY_DATA, 6), 5 | 0u << 8, 99, 0, 0xc041, 0,
		     HDR(COPY_DATA, 6), 0 | 2u << 8, 0xc041, 0, LO(DATA_VA + 24), 0) == CP_IDLE);
	CHECK(at(f, 6) == 99);
	f->now = 4711;
	CHECK(SUBMIT(f, HDR(COPY_DATA, 6), 9 | 2u << 8 | 1u << 16, 0, 0, LO(DATA_VA + 32), 0) ==
	      CP_IDLE);
	CHECK(at(f, 8) == 4712);
	CHECK(f->q.state == CP_STATE_RUN);
	report("COPY_DATA: memory, immediate, register, clock");
}

#define ATOMIC(op, cmd, va, src, cmp) HDR(ATOMIC_MEM, 9), (op) | (cmd) << 8, LO(va), HI(va), \
	LO((u64)(src)), HI((u64)(src)), LO((u64)(cmp)), HI((u64)(cmp)), 0

static const struct {
	u32 op;
	u64 old, src, cmp, want;
} atomic_rows[] = {
	{ 0x07, 5, 9, 0, 9 },
	{ 0x08, 5, 9, 5, 9 }, { 0x08, 5, 9, 6, 5 },
	{ 0x0f, 0xffffffff, 2, 0, 1 }, { 0x10, 1, 2, 0, 0xffffffff },
	{ 0x11, 1, 0xffffffff, 0, 0xffffffff }, { 0x12, 1, 0xffffffff, 0, 1 },
	{ 0x13, 1, 0xffffffff, 0, 1 }, { 0x14, 1, 0xffffffff, 0, 0xffffffff },
	{ 0x15, 12, 10, 0, 8 }, { 0x16, 12, 10, 0, 14 }, { 0x17, 12, 10, 0, 6 },
	{ 0x18, 4, 5, 0, 5 }, { 0x18, 5, 5, 0, 0 },
	{ 0x19, 4, 5, 0, 3 }, { 0x19, 0, 5, 0, 5 }, { 0x19, 6, 5, 0, 5 },
	{ 0x01, 0x80000000, 9, 0, 9 }, { 0x01, 0x7fc00000, 9, 0x7fc00000, 0x7fc00000 },
	{ 0x02, 0x3f800000, 0xc0000000, 0, 0xc0000000 }, { 0x03, 0x3f800000, 0x40000000, 0, 0x40000000 },
	{ 0x22, 1ull << 62, 1ull << 63, 0, 1ull << 63 }, { 0x63, 1ull << 62, 1ull << 63, 0, 1ull << 62 },
	/* denormals flushed: compared as zero; the selected one is stored as it was */
	{ 0x0a, 1, 0x80000001, 0, 1 }, { 0x0a, 0x3f800000, 1, 0, 1 }, { 0x0a, 1, 0xbf800000, 0, 0xbf800000 },
	{ 0x0b, 1, 0x7fffff, 0, 1 }, { 0x0b, 0xbf800000, 0x80000001, 0, 0x80000001 },
	{ 0x0b, 1, 0x00800000, 0, 0x00800000 },
	/* compare-and-swap flushes what it stores */
	{ 0x09, 1, 0x3f800000, 0x80000000, 0x3f800000 }, { 0x09, 1, 0x80000002, 3, 0x80000000 },
	{ 0x09, 0x80000001, 9, 0x3f800000, 0x80000000 }, { 0x09, 0x7f800001, 9, 0x7f800001, 0x7f800001 },
	{ 0x2a, 1, 1ull << 63 | 1, 0, 1 }, { 0x2a, 1ull << 62, 1, 0, 1 },
	{ 0x2b, 1, (1ull << 52) - 1, 0, 1 }, { 0x6b, 1, 1ull << 52, 0, 1ull << 52 },
	{ 0x29, 1, 1ull << 63 | 2, 3, 1ull << 63 }, { 0x69, 1ull << 63 | 1, 9, 1ull << 62, 1ull << 63 },
	{ 0x27, 1ull << 40, 9, 0, 9 },
	{ 0x28, 1ull << 40, 9, 1ull << 40, 9 },
	{ 0x2f, 0xffffffff, 1, 0, 1ull << 32 }, { 0x6f, 5, -1ull, 0, 4 },
	{ 0x31, 1, -1ull, 0, -1ull }, { 0x32, 1, -1ull, 0, 1 },
	{ 0x38, 1ull << 33, 1ull << 33, 0, 0 }, { 0x39, 0, 1ull << 33, 0, 1ull << 33 },
};

static void test_atomic(void)
{
	struct fake_env *f;
	unsigned int i;
	u32 bytes;

	for (i = 0; i < ARRAY_SIZE(atomic_rows); i++) {
		f = fresh();
		bytes = atomic_rows[i].op & 0x20 ? 8 : 4;
		fake_put(f, DATA_VA, atomic_rows[i].old, 8);
		if (bytes == 4)
			fake_put(f, DATA_VA + 4, 0x5555, 4);
		SUBMIT(f, ATOMIC(atomic_rows[i].op, 0u, DATA_VA, atomic_rows[i].src,
				 atomic_rows[i].cmp));
		CHECK(fake_get(f, DATA_VA, bytes) == atomic_rows[i].want);
		CHECK(bytes == 8 || at(f, 1) == 0x5555);
		/* what was there can be copied */
		SUBMIT(f, HDR(COPY_DATA, 6), 6 | 2u << 8 | 1u << 16, 0, 0, LO(DATA_VA + 64), 0);
		CHECK(fake_get(f, DATA_VA + 64, 8) == atomic_rows[i].old);
		if (checks_failed)
			printf("# row %u, operation 0x%x\n", i, atomic_rows[i].op);
	}
	/* loop until compare: a mutex */
	f = fresh();
	fake_put(f, DATA_VA, 1, 4);
	CHECK(SUBMIT(f, ATOMIC(8u, 1u, DATA_VA, 7, 0)) == CP_BLOCKED && f->q.polling);
	CHECK(at(f, 0) == 1 && rptr(f) == 0);
	fake_put(f, DATA_VA, 0, 4);
	CHECK(fake_run(f) == CP_IDLE && at(f, 0) == 7 && rptr(f) == 9);
	report("ATOMIC_MEM");
}

static const struct {
	u32 function;
	u64 value, reference, mask;
	bool passes;
} wait_rows[] = {
	{ 0, 1, 2, ~0ull, true },
	{ 1, 1, 2, ~0ull, true }, { 1, 2, 2, ~0ull, false },
	{ 2, 2, 2, ~0ull, true }, { 2, 3, 2, ~0ull, false },
	{ 3, 2, 2, ~0ull, true }, { 3, 0x12, 2, 0xf, true }, { 3, 0x13, 2, 0xf, false },
	{ 4, 2, 2, ~0ull, false }, { 4, 3, 2, ~0ull, true },
	{ 5, 2, 2, ~0ull, true }, { 5, 1, 2, ~0ull, false },
	{ 6, 3, 2, ~0ull, true }, { 6, 2, 2, ~0ull, false },
};

static void test_wait(void)
{
	struct fake_env *f;
	unsigned int i, wide;
	enum cp_status s;

	for (i = 0; i < 2 * ARRAY_SIZE(wait_rows); i++) {
		const u64 v = wait_rows[i / 2].value, r = wait_rows[i / 2].reference;
		const u64 m = wait_rows[i / 2].mask;

		wide = i & 1;
		f = fresh();
		fake_put(f, DATA_VA, wide ? v << 32 : v, 8);
		if (wide)
			s = SUBMIT(f, HDR(WAIT_REG_MEM64, 9), wait_rows[i / 2].function | 1 << 4,
				   LO(DATA_VA), 0, 0, LO(r), 0, LO(m), 4);
		else
			s = SUBMIT(f, HDR(WAIT_REG_MEM, 7), wait_rows[i / 2].function | 1 << 4,
				   LO(DATA_VA), 0, LO(r), LO(m), 4);
		CHECK(s == (wait_rows[i / 2].passes ? CP_IDLE : CP_BLOCKED));
		CHECK(f->q.polling == !wait_rows[i / 2].passes);
		if (checks_failed)
			printf("# row %u, %u bits\n", i / 2, wide ? 64 : 32);
	}
	f = fresh();
	CHECK(SUBMIT(f, HDR(WAIT_REG_MEM, 7), 3 | 1 << 4, LO(DATA_VA), 0, 6, ~0u, 4,
		     WRITE(DATA_VA + 4, 1)) == CP_BLOCKED);
	CHECK(fake_run(f) == CP_BLOCKED && !at(f, 1));
	fake_put(f, DATA_VA, 6, 4);
	CHECK(fake_run(f) == CP_IDLE && at(f, 1) == 1);
	report("WAIT_REG_MEM and WAIT_REG_MEM64");
}

static void test_dma(void)
{
	struct fake_env *f = fresh();
	unsigned int i;

	for (i = 0; i < 5000; i++)
		fake_put(f, KERNEL_VA + i, i * 7, 1);
	CHECK(SUBMIT(f, HDR(DMA_DATA, 7), 3u << 29 | 3u << 20, LO(KERNEL_VA), 0,
		     LO(IB_VA + 3), 0, 4999) == CP_IDLE);
	CHECK(!memcmp(fake_at(f, KERNEL_VA), fake_at(f, IB_VA + 3), 4999));
	CHECK(fake_get(f, IB_VA + 3 + 4999, 1) == 0 && rptr(f) == 7);
	/* filling */
	CHECK(SUBMIT(f, HDR(DMA_DATA, 7), 2u << 29, 0xa1b2c3d4, 0, LO(IB_VA), 0, 1030) ==
	      CP_IDLE);
	CHECK(fake_get(f, IB_VA + 1024, 4) == 0xa1b2c3d4);
	CHECK(fake_get(f, IB_VA + 1028, 2) == 0xc3d4);
	/* a long one comes in pieces, each step one, and moves once */
	fake_put(f, KERNEL_VA, 1, 1);
	i = cp_queue_ring(&f->q, &f->env, wptr);
	ring_put(f, 7, (const u32[]){ HDR(DMA_DATA, 7), 0, LO(KERNEL_VA), 0,
				      LO(KERNEL_VA + 0x20000), 0, 0x18000 });
	cp_queue_ring(&f->q, &f->env, wptr);
	CHECK(cp_step(&f->q, &f->env) == CP_PROGRESS && f->q.pm4.moved == 0x10000);
	CHECK(cp_step(&f->q, &f->env) == CP_PROGRESS && f->q.pm4.moved == 0);
	CHECK(cp_step(&f->q, &f->env) == CP_IDLE && rptr(f) == 21);
	CHECK(!memcmp(fake_at(f, KERNEL_VA), fake_at(f, KERNEL_VA + 0x20000), 0x18000));
	report("DMA_DATA: copy, fill, in pieces");
}

static void test_exec(void)
{
	struct fake_env *f = fresh();

	SUBMIT(f, HDR(COND_EXEC, 5), LO(DATA_VA + 64), 0, 0, 5, WRITE(DATA_VA, 1),
	       WRITE(DATA_VA + 4, 2));
	CHECK(!at(f, 0) && at(f, 1) == 2);
	fake_put(f, DATA_VA + 64, 4, 4);
	SUBMIT(f, HDR(COND_EXEC, 5), LO(DATA_VA + 64), 0, 0, 5, WRITE(DATA_VA, 1));
	CHECK(at(f, 0) == 1);
	SUBMIT(f, HDR(PRED_EXEC, 2), 1u << 24 | 5, WRITE(DATA_VA + 8, 3),
	       HDR(PRED_EXEC, 2), 2u << 24 | 5, WRITE(DATA_VA + 12, 4), WRITE(DATA_VA + 16, 5));
	CHECK(at(f, 2) == 3 && !at(f, 3) && at(f, 4) == 5);
	/* discarded dwords may come later than the packet that discards them */
	fake_put(f, DATA_VA + 64, 0, 4);
	SUBMIT(f, HDR(COND_EXEC, 5), LO(DATA_VA + 64), 0, 0, 10, WRITE(DATA_VA + 20, 6));
	CHECK(rptr(f) == wptr % RING_DWORDS);
	SUBMIT(f, WRITE(DATA_VA + 24, 7), WRITE(DATA_VA + 28, 8));
	CHECK(!at(f, 5) && !at(f, 6) && at(f, 7) == 8);
	/* but never reach out of a buffer */
	PUT(f, IB_VA, HDR(COND_EXEC, 5), LO(DATA_VA + 64), 0, 0, 100, WRITE(DATA_VA + 32, 9));
	SUBMIT(f, IB(IB_VA, 10), WRITE(DATA_VA + 36, 10));
	CHECK(!at(f, 8) && at(f, 9) == 10 && f->q.state == CP_STATE_RUN);
	/* eight XCCs in one stream: any of them is this one */
	f = fresh_gfx(4, 2);
	SUBMIT(f, HDR(PRED_EXEC, 2), 128u << 24 | 5, WRITE(DATA_VA, 3),
	       HDR(PRED_EXEC, 2), 5, WRITE(DATA_VA, 4));
	CHECK(at(f, 0) == 3);
	report("COND_EXEC and PRED_EXEC");
}

static void test_ib(void)
{
	struct fake_env *f = fresh();
	u32 n;

	n = PUT(f, IB_VA + 0x100, WRITE(DATA_VA + 4, 2));
	n = PUT(f, IB_VA, WRITE(DATA_VA, 1), IB(IB_VA + 0x100, n), WRITE(DATA_VA + 8, 3));
	CHECK(SUBMIT(f, IB(IB_VA, n), WRITE(DATA_VA + 12, 4)) == CP_IDLE);
	CHECK(at(f, 0) == 1 && at(f, 1) == 2 && at(f, 2) == 3 && at(f, 3) == 4);
	CHECK(rptr(f) == 9 && !f->q.pm4.depth);
	/* empty ones, and one that ends in a chain */
	n = PUT(f, IB_VA + 0x100, WRITE(DATA_VA + 4, 22));
	n = PUT(f, IB_VA, WRITE(DATA_VA, 11), CHAIN(IB_VA + 0x100, n), WRITE(DATA_VA + 8, 33));
	CHECK(SUBMIT(f, IB(IB_VA, 0), IB(IB_VA, n), WRITE(DATA_VA + 12, 44)) == CP_IDLE);
	CHECK(at(f, 0) == 11 && at(f, 1) == 22 && at(f, 2) == 3 && at(f, 3) == 44);
	/* the ring's packet is consumed when its buffer has ended */
	n = PUT(f, IB_VA, HDR(WAIT_REG_MEM, 7), 3 | 1 << 4, LO(DATA_VA + 64), 0, 1, ~0u, 4);
	CHECK(SUBMIT(f, IB(IB_VA, n)) == CP_BLOCKED && rptr(f) == 22);
	fake_put(f, DATA_VA + 64, 1, 4);
	CHECK(fake_run(f) == CP_IDLE && rptr(f) == wptr);
	report("INDIRECT_BUFFER: calls, chains, empty ones");
}

static void test_loops(void)
{
	struct fake_env *f = fresh();
	unsigned int i;
	u32 n;

	/* a buffer that chains to itself: each step ends */
	n = PUT(f, IB_VA, HDR(NOP, 2), 0, CHAIN(IB_VA, 6));
	ring_put(f, 4, (const u32[]){ IB(IB_VA, n) });
	cp_queue_ring(&f->q, &f->env, wptr);
	for (i = 0; i < 1000; i++)
		CHECK(cp_step(&f->q, &f->env) == CP_PROGRESS);
	CHECK(rptr(f) == 0 && f->q.pm4.depth == 1 && f->q.next == 4);
	/* calls deeper than there are levels; a chain in the ring */
	f = fresh();
	n = PUT(f, IB_VA, IB(IB_VA, 4));
	CHECK(SUBMIT(f, IB(IB_VA, n)) == CP_ERROR && f->q.error == CP_ERR_PACKET);
	f = fresh();
	CHECK(SUBMIT(f, CHAIN(IB_VA, 4)) == CP_ERROR);
	report("buffers that loop or nest");
}

static void test_dispatch(void)
{
	struct fake_env *f = fresh();
	struct cp_dispatch *d = f->dispatched;

	put_shader(f, 4u << 1 | 1u << 7 | 1u << 11 | 3u << 15);
	CHECK(SUBMIT(f, HDR(DISPATCH_DIRECT, 5), 130, 2, 1, 0x21) == CP_IDLE);
	CHECK(f->ndispatched == 1 && cp_queue_in_flight(&f->q) == 1 && rptr(f) == wptr);
	CHECK(d->pc == KERNEL_VA && d->pm4 && d->total_groups == 6 && d->waves == 1);
	CHECK(d->groups[0] == 3 && d->grid[0] == 130 && d->group[0] == 64);
	CHECK(d->groups[1] == 2 && d->grid[1] == 2 && d->grid[2] == 1);
	CHECK(d->nuser == 4 && d->user[0] == 0x51 && d->user[3] == 0x54);
	CHECK(d->wg_id[0] && !d->wg_id[1] && d->ids == 2 && d->lds_bytes == 3 * 512);
	CHECK(d->rows == 24 && d->acc_offset == 8 && d->sgprs == 32 && d->mode == 0xc0);
	/* in groups, from a start, with a partial last one */
	SUBMIT(f, HDR(SET_SH_REG, 8), 0x204, 2, 0, 0, 64 | 10u << 16, 1, 1);
	SUBMIT(f, HDR(DISPATCH_DIRECT, 5), 5, 1, 1, 3);
	d++;
	CHECK(d->first[0] == 2 && d->groups[0] == 3 && d->grid[0] == 2 * 64 + 10);
	/* nothing to do: no dispatch, nothing waits */
	CHECK(SUBMIT(f, HDR(DISPATCH_DIRECT, 5), 2, 1, 1, 1) == CP_IDLE);
	CHECK(SUBMIT(f, HDR(DISPATCH_DIRECT, 5), 5, 1, 1, 0) == CP_IDLE);
	CHECK(f->ndispatched == 2);
	PUT(f, DATA_VA, 7, 3, 2);
	SUBMIT(f, HDR(DISPATCH_INDIRECT, 4), LO(DATA_VA), 0, 5);
	d++;
	CHECK(f->ndispatched == 3 && d->total_groups == 42 && !d->first[0]);
	fake_finish(f, 2);
	fake_finish(f, 0);
	CHECK(cp_queue_in_flight(&f->q) == 1);
	fake_finish(f, 1);
	CHECK(!cp_queue_in_flight(&f->q));
	report("DISPATCH_DIRECT and DISPATCH_INDIRECT");
}

static void test_dispatch_blocks(void)
{
	struct fake_env *f = fresh();

	f->slots = 1;
	put_shader(f, 4u << 1);
	SUBMIT(f, HDR(DISPATCH_DIRECT, 5), 1, 1, 1, 1);
	CHECK(SUBMIT(f, HDR(DISPATCH_DIRECT, 5), 1, 1, 1, 1, WRITE(DATA_VA, 1)) == CP_BLOCKED);
	CHECK(!f->q.polling && cp_queue_in_flight(&f->q) == 1);
	fake_finish(f, 0);
	CHECK(fake_run(f) == CP_IDLE && at(f, 0) == 1 && f->ndispatched == 2);
	/* CS_PARTIAL_FLUSH */
	CHECK(SUBMIT(f, HDR(EVENT_WRITE, 2), 0x407, WRITE(DATA_VA, 2)) == CP_BLOCKED);
	fake_finish(f, 1);
	CHECK(fake_run(f) == CP_IDLE && at(f, 0) == 2);
	report("no free slot; EVENT_WRITE waits for the dispatches");
}

static void test_release(void)
{
	struct fake_env *f = fresh();
	unsigned int i;

	CHECK(SUBMIT(f, RELEASE(SEL(1u, 3u), DATA_VA, 0x1234567890ull, 7)) == CP_IDLE);
	CHECK(at(f, 0) == 0x34567890 && !at(f, 1) && !f->events);
	CHECK(SUBMIT(f, RELEASE(SEL(2u, 2u), DATA_VA, 0x1234567890ull, 7)) == CP_IDLE);
	CHECK(at(f, 1) == 0x12 && f->events == 1 && f->last_event == 7);
	/* who is told finds the packet consumed */
	CHECK(f->event_rptr == wptr);
	f->now = 99;
	CHECK(SUBMIT(f, RELEASE(SEL(3u, 0u), DATA_VA, 0, 8)) == CP_IDLE && at(f, 0) == 100);
	CHECK(SUBMIT(f, RELEASE(SEL(0u, 1u), 0, 0, 9)) == CP_IDLE && f->last_event == 9);
	CHECK(SUBMIT(f, HDR(RELEASE_MEM, 7), 0x514, SEL(1u, 2u), LO(DATA_VA), 0, 3, 0) == CP_IDLE);
	CHECK(at(f, 0) == 3 && f->last_event == 0);
	f->last_event = 9;
	/* after the dispatches before it; the stream goes on */
	put_shader(f, 4u << 1);
	SUBMIT(f, HDR(DISPATCH_DIRECT, 5), 1, 1, 1, 1, HDR(DISPATCH_DIRECT, 5), 1, 1, 1, 1);
	CHECK(SUBMIT(f, RELEASE(SEL(1u, 2u), DATA_VA + 8, 5, 10), WRITE(DATA_VA + 12, 6),
		     HDR(DISPATCH_DIRECT, 5), 1, 1, 1, 1,
		     RELEASE(SEL(1u, 2u), DATA_VA + 16, 7, 11)) == CP_BLOCKED);
	CHECK(!at(f, 2) && at(f, 3) == 6 && f->ndispatched == 3 && rptr(f) == wptr);
	fake_finish(f, 1);
	fake_finish(f, 2);
	CHECK(fake_run(f) == CP_BLOCKED && !at(f, 2) && f->last_event == 9);
	CHECK(cp_queue_busy(&f->q));
	fake_finish(f, 0);
	CHECK(cp_queue_busy(&f->q));
	CHECK(fake_run(f) == CP_IDLE && at(f, 2) == 5 && at(f, 4) == 7 && f->last_event == 11);
	CHECK(!cp_queue_busy(&f->q));
	/* more of them than can wait */
	SUBMIT(f, HDR(DISPATCH_DIRECT, 5), 1, 1, 1, 1);
	for (i = 0; i < CP_PM4_FENCES + 2; i++)
		CHECK(SUBMIT(f, RELEASE(SEL(1u, 0u), DATA_VA + 64 + 4 * i, 1, 0)) == CP_BLOCKED);
	fake_finish(f, 3);
	CHECK(fake_run(f) == CP_IDLE);
	for (i = 0; i < CP_PM4_FENCES + 2; i++)
		CHECK(at(f, 16 + i) == 1);
	report("RELEASE_MEM: data, clock, interrupt, in order");
}

static void test_acquire(void)
{
	struct fake_env *f = fresh();

	CHECK(SUBMIT(f, HDR(ACQUIRE_MEM, 7), 1u << 29, ~0u, 0, 0, 0, 4) == CP_IDLE);
	CHECK(f->icache == 1);
	CHECK(SUBMIT(f, HDR(ACQUIRE_MEM, 7), 0, ~0u, 0, 0, 0, 4) == CP_IDLE && f->icache == 1);
	CHECK(SUBMIT(f, HDR(ACQUIRE_MEM, 8), 0, ~0u, 0, 0, 0, 4, 0) == CP_IDLE);
	/* Nothing to wait for, or to flush; also in the form with an address */
	CHECK(SUBMIT(f, HDR(EVENT_WRITE, 2), 0x407, HDR(EVENT_WRITE, 2), 6,
		     HDR(EVENT_WRITE, 4), 0x16, 0, 0) == CP_IDLE);
	CHECK(rptr(f) == wptr && f->q.state == CP_STATE_RUN);
	CHECK(SUBMIT(f, HDR(SET_UCONFIG_REG, 4), 0x40, 5, 6,
		     HDR(SET_UCONFIG_REG, 3), 0x200, 7) == CP_IDLE);
	CHECK(f->q.pm4.kept[1] == 6 && f->q.pm4.kept[9] == 7);
	report("ACQUIRE_MEM, EVENT_WRITE, SET_UCONFIG_REG");
}

static const struct {
	const char *name;
	u32 n, dw[10];
} bad_rows[] = {
	{ "unknown opcode", 2, { HDR(0x2f, 2) } },
	{ "type 0", 2, { 0x100 } },
	{ "PROTECTED_FENCE_SIGNAL of another queue", 2, { HDR(PROTECTED_FENCE_SIGNAL, 2) } },
	{ "FENCE_WAIT_MULTI of another queue", 6, { HDR(FENCE_WAIT_MULTI, 6) } },
	{ "RELEASE_MEM too long", 9, { HDR(RELEASE_MEM, 9), 0x514 } },
	{ "RELEASE_MEM too short", 6, { HDR(RELEASE_MEM, 6), 0x514 } },
	{ "RELEASE_MEM to GDS", 8, { HDR(RELEASE_MEM, 8), 0x514, SEL(5u, 0u) } },
	{ "RELEASE_MEM conditional interrupt", 8, { HDR(RELEASE_MEM, 8), 0x514, SEL(1u, 5u) } },
	{ "RELEASE_MEM of no such event", 8, { HDR(RELEASE_MEM, 8), 0x515, SEL(1u, 0u) } },
	{ "WRITE_DATA without data", 4, { HDR(WRITE_DATA, 4), 5u << 8, LO(DATA_VA) } },
	{ "WRITE_DATA to GDS", 5, { HDR(WRITE_DATA, 5), 3u << 8, LO(DATA_VA) } },
	{ "WRITE_DATA to no register", 5, { HDR(WRITE_DATA, 5), 0, 0x1000 } },
	{ "COPY_DATA from a counter", 6, { HDR(COPY_DATA, 6), 4 | 2u << 8 } },
	{ "ATOMIC_MEM of no such operation", 9, { HDR(ATOMIC_MEM, 9), 0xd, LO(DATA_VA) } },
	{ "ATOMIC_MEM misaligned", 9, { HDR(ATOMIC_MEM, 9), 0x2f, LO(DATA_VA) + 4 } },
	{ "WAIT_REG_MEM on no register", 7, { HDR(WAIT_REG_MEM, 7), 3 } },
	{ "WAIT_REG_MEM writing to memory", 7,
	  { HDR(WAIT_REG_MEM, 7), 3 | 1 << 4 | 1 << 6, LO(DATA_VA) } },
	{ "WAIT_REG_MEM of no such operation", 7,
	  { HDR(WAIT_REG_MEM, 7), 3 | 1 << 4 | 2 << 6, LO(DATA_VA) } },
	{ "WAIT_REG_MEM of no such function", 7,
	  { HDR(WAIT_REG_MEM, 7), 7, 0xe27 } },
	{ "WAIT_REG_MEM64 on registers", 9, { HDR(WAIT_REG_MEM64, 9), 3, 0xe27 } },
	{ "COND_WRITE of no such function", 9, { HDR(COND_WRITE, 9), 7 | 1 << 4 | 1 << 8,
	  LO(DATA_VA), 0, 0, 0, LO(DATA_VA) } },
	{ "COND_WRITE to scratch", 9, { HDR(COND_WRITE, 9), 1 << 4 | 2 << 8, LO(DATA_VA) } },
	{ "SET_SH_REG inserting a VMID", 3, { HDR(SET_SH_REG, 3), 0x240 | 1u << 28 } },
	{ "SET_SH_REG_INDEX inserting a VMID", 3,
	  { HDR(SET_SH_REG_INDEX, 3), 0x240 | 1u << 28 } },
	{ "DMA_DATA from GDS", 7, { HDR(DMA_DATA, 7), 1u << 29 } },
	{ "DMA_DATA to registers", 7, { HDR(DMA_DATA, 7), 0, 0, 0, 0, 0, 1u << 27 | 4 } },
	{ "SET_SH_REG of graphics", 3, { HDR(SET_SH_REG, 3), 0x10 } },
	{ "SET_SH_REG beyond the last", 4, { HDR(SET_SH_REG, 4), 0x27f } },
	{ "SET_UCONFIG_REG of none", 3, { HDR(SET_UCONFIG_REG, 3), 0x300 } },
	{ "EVENT_WRITE of a counter", 2, { HDR(EVENT_WRITE, 2), 0x17 } },
	{ "DISPATCH_DIRECT without threads", 5, { HDR(DISPATCH_DIRECT, 5), 1, 1, 1, 1 } },
	{ "INDIRECT_BUFFER misaligned", 4, { HDR(INDIRECT_BUFFER, 4), LO(IB_VA) + 2, 0, 1 } },
};

static void test_bad(void)
{
	unsigned int i, ib;
	struct fake_env *f;

	for (i = 0; i < 2 * ARRAY_SIZE(bad_rows); i++) {
		ib = i & 1;
		f = fresh();
		if (ib) {
			memcpy(fake_at(f, IB_VA), bad_rows[i / 2].dw, 40);
			CHECK(SUBMIT(f, IB(IB_VA, bad_rows[i / 2].n)) == CP_ERROR);
		} else {
			ring_put(f, bad_rows[i / 2].n, bad_rows[i / 2].dw);
			CHECK(ring(f) == CP_ERROR);
		}
		CHECK(f->q.state == CP_STATE_ERROR && f->errors == 1);
		CHECK(f->q.error_word == bad_rows[i / 2].dw[0]);
		CHECK(rptr(f) == wptr);
		CHECK(!cp_queue_ring(&f->q, &f->env, wptr + 1));
		if (checks_failed)
			printf("# %s%s\n", bad_rows[i / 2].name, ib ? " (IB)" : "");
	}
	/* a packet that does not fit into its buffer */
	f = fresh();
	PUT(f, IB_VA, WRITE(DATA_VA, 1));
	CHECK(SUBMIT(f, IB(IB_VA, 4)) == CP_ERROR && !at(f, 0));
	/* and one longer than the ring */
	f = fresh();
	CHECK(SUBMIT(f, HDR(NOP, 300)) == CP_ERROR);
	/* not before what is in flight has ended */
	f = fresh();
	put_shader(f, 4u << 1);
	CHECK(SUBMIT(f, HDR(DISPATCH_DIRECT, 5), 1, 1, 1, 1, HDR(0x2f, 2), 0) == CP_BLOCKED);
	CHECK(!f->errors);
	fake_finish(f, 0);
	CHECK(fake_run(f) == CP_ERROR && f->errors == 1);
	report("what is no packet stops the queue");
}

/* ---------------------------------------------------------------- the table */

struct packet {
	u8 opcode;
	u16 min, max;
	const char *name;
};

#define NOP_MAX		0x4000
#define PM4_PACKET(_opcode, _min, _max, _exec, _name)	{ _opcode, _min, _max, #_name },
#define PM4_REFUSED(_opcode, _name)			{ _opcode, 0, 0, #_name },
static const struct packet packets[] = {
#include "../../kmod/cp/pm4_packets.def"
};

static bool stops(const struct packet *p, u32 n)
{
	struct fake_env *f = fresh();
	u32 header = HDR(p->opcode, n);

	ring_put(f, 1, &header);
	cp_queue_ring(&f->q, &f->env, wptr + RING_DWORDS - 1);
	return fake_run(f) == CP_ERROR && f->q.error == CP_ERR_PACKET &&
	       f->q.error_word == header && f->q.pm4.bad_opcode == p->opcode;
}

/* Each row has been executed by some test above, or is refused; names are the rows'. */
static void test_table(void)
{
	const struct packet *p;
	const char *name;
	u32 op, known = 0;

	for (p = packets; p < packets + ARRAY_SIZE(packets); p++) {
		CHECK(executed[p->opcode] == !!p->max);
		CHECK(!strcmp(cp_pm4_name(p->opcode), p->name));
		if (p->max && p->min > 2)
			CHECK(stops(p, p->min - 1) && stops(p, 2));
		if (p->max && p->max < 0x4000)
			CHECK(stops(p, p->max + 1) && stops(p, 0x4000));
		if (!p->max)
			CHECK(stops(p, 2) && stops(p, 4) && stops(p, 0x4000));
		if (checks_failed)
			printf("# %s\n", p->name);
	}
	for (op = 0; op < 256; op++) {
		name = cp_pm4_name(op);
		known += !!name;
		CHECK(name || stops(&(struct packet){ .opcode = op }, 2));
	}
	CHECK(known == ARRAY_SIZE(packets));
	report("the table: every packet was executed here, or is refused; lengths, names");
}

/* Packets that test_pm4_regs.c and test_pm4_user.c know more about */
static void test_small(void)
{
	struct fake_env *f = fresh();

	CHECK(SUBMIT(f, HDR(HDP_FLUSH, 2), 0) == CP_IDLE && f->flushes == 1);
	CHECK(SUBMIT(f, HDR(PRIME_UTCL2, 5), 3, LO(DATA_VA), 0, 1) == CP_IDLE);
	/* also of what nobody has: it is a hint */
	CHECK(SUBMIT(f, HDR(PRIME_UTCL2, 5), 8, 0x900000, 0, 1) == CP_IDLE);
	CHECK(SUBMIT(f, HDR(SET_SH_REG_INDEX, 3), 0x216 | 3u << 28, 5,
		     HDR(SET_SH_REG_INDEX, 4), 0x219, 6, 7) == CP_IDLE);
	CHECK(f->q.pm4.sh[0x16] == 5 && f->q.pm4.sh[0x19] == 6 && f->q.pm4.sh[0x1a] == 7);
	CHECK(SUBMIT(f, HDR(COND_WRITE, 9), 3 | 1 << 4 | 1 << 8, LO(DATA_VA), 0, 0, ~0u,
		     LO(DATA_VA + 4), 0, 9) == CP_IDLE && at(f, 1) == 9);
	/* REWIND: the stream waits, and sees what was written behind it meanwhile */
	CHECK(SUBMIT(f, HDR(REWIND, 2), 0, WRITE(DATA_VA + 8, 1)) == CP_BLOCKED && f->q.polling);
	fake_put(f, RING_VA + 4 * (wptr - 1), 2, 4);
	CHECK(fake_run(f) == CP_BLOCKED && !at(f, 2));
	fake_put(f, RING_VA + 4 * (wptr - 6), 1u << 31, 4);
	CHECK(ring(f) == CP_IDLE && at(f, 2) == 2);
	/* also by the packet before it */
	PUT(f, IB_VA, WRITE(IB_VA + 4 * 11, 4), HDR(REWIND, 2), 1u << 31, WRITE(DATA_VA + 12, 3));
	CHECK(SUBMIT(f, IB(IB_VA, 12)) == CP_IDLE && at(f, 3) == 4);
	f->q.pm4.protected = true;
	CHECK(SUBMIT(f, HDR(PROTECTED_FENCE_SIGNAL, 2), 0,
		     HDR(FENCE_WAIT_MULTI, 6), 0, LO(DATA_VA), 0, 0, 0) == CP_IDLE && f->signals == 1);
	CHECK(f->q.state == CP_STATE_RUN);
	report("HDP_FLUSH, PRIME_UTCL2, SET_SH_REG_INDEX, COND_WRITE, REWIND, fences");
}

static void test_faults(void)
{
	static const u32 rows[][9] = {
		{ WRITE(0x900000, 1) },
		{ HDR(COPY_DATA, 6), 2 | 2u << 8, 0x900000, 0, LO(DATA_VA) },
		{ IB(0x900000, 100) },
		{ RELEASE(SEL(1u, 0u), 0x900000, 1, 1) },
		{ HDR(WAIT_REG_MEM, 7), 3 | 1 << 4, 0x900000 },
		{ HDR(COND_EXEC, 5), 0x900000 },
		{ HDR(COND_WRITE, 9), 1 << 4 | 1 << 8, 0x900000 },
		{ HDR(COND_WRITE, 9), 1 << 8, 0xe27, 0, 0, 0, 0x900000 },
		{ HDR(DISPATCH_INDIRECT, 4), 0x900000, 0, 1 },
		{ HDR(DMA_DATA, 7), 0, 0x900000, 0, LO(DATA_VA), 0, 8 },
		{ ATOMIC(0xfu, 0u, 0x900000, 1, 1) },
	};
	struct fake_env *f;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		f = fresh();
		ring_put(f, (rows[i][0] >> 16 & 0x3fff) + 2, rows[i]);
		CHECK(ring(f) == CP_ERROR && f->q.state == CP_STATE_FAULT);
		if (checks_failed)
			printf("# row %u\n", i);
	}
	report("addresses that nobody has are faults");
}

/* The same packets from an AQL queue. */
static void test_aql(void)
{
	static struct fake_env f;
	struct cp_aql_packet p = {
		.header = CP_AQL_VENDOR, .pm4_ib.format = 1, .pm4_ib.dw_cnt_remain = 0xa,
		.pm4_ib.jump = { 0xc0023f00, LO(IB_VA), 0, 0 }, .completion_signal = DATA_VA + 256,
	};
	struct cp_aql_packet b = { .header = CP_AQL_BARRIER_AND };
	u32 n;

	fake_env_init(&f);
	fake_put(&f, DATA_VA + 256 + 8, 1, 8);
	n = PUT(&f, IB_VA, HDR(SET_SH_REG, 5), 0x207, 64, 1, 1,
		HDR(SET_SH_REG, 3), 0x20c, LO(KERNEL_VA >> 8),
		HDR(SET_SH_REG, 4), 0x212, 2 | 2u << 6, 4u << 1,
		HDR(DISPATCH_DIRECT, 5), 1, 1, 1, 1,
		RELEASE(SEL(1u, 2u), DATA_VA, 5, 6),
		HDR(WAIT_REG_MEM, 7), 3 | 1 << 4, LO(DATA_VA), 0, 5, ~0u, 4,
		WRITE(DATA_VA + 4, 8));
	p.pm4_ib.jump[3] = n | 1u << 23;
	fake_submit(&f, 0, &p);
	fake_submit(&f, 1, &b);
	CHECK(fake_run(&f) == CP_BLOCKED && f.ndispatched == 1 && f.q.next == 0);
	CHECK(cp_queue_in_flight(&f.q) == 1);
	fake_finish(&f, 0);
	CHECK(fake_run(&f) == CP_IDLE && at(&f, 0) == 5 && at(&f, 1) == 8 && f.events == 1);
	CHECK(fake_get(&f, DATA_VA + 256 + 8, 8) == 0 && f.q.next == 2);
	/* a loop in it leaves the processor, too */
	PUT(&f, IB_VA, CHAIN(IB_VA, 4));
	p.pm4_ib.jump[3] = 4 | 1u << 23;
	fake_submit(&f, 2, &p);
	CHECK(fake_run(&f) == CP_PROGRESS && f.q.next == 2);
	report("the PM4 buffer of an AQL packet");
}

int main(void)
{
	static void (* const tests[])(void) = {
		test_rptr, test_partial, test_write_data, test_copy_data, test_atomic,
		test_wait, test_dma, test_exec, test_ib, test_loops, test_dispatch,
		test_dispatch_blocks, test_release, test_acquire, test_small, test_bad,
		test_faults, test_aql, test_table,
	};
	unsigned int i;

	printf("TAP version 13\n1..%zu\n", ARRAY_SIZE(tests));
	for (i = 0; i < ARRAY_SIZE(tests); i++)
		tests[i]();
	return test_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
