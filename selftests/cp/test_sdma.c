// SPDX-License-Identifier: MIT
/*
 * SDMA packets against a fake memory: what a packet does to memory, to the
 * indices and to the queue, and what is refused.
 */
#include "sdma_rig.h"

unsigned int test_no, test_failed, checks_failed;

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
	{ 18, 0, 1, "SDMA_UNKNOWN", "NULL" },
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
		test_swap, test_gcr, test_dcc, test_write, test_fill, test_incr, test_fence_trap,
		test_poll, test_poll_retries, test_hdp_flush, test_cond_exe, test_pre_exe,
		test_timestamp, test_atomic, test_atomic_loop, test_ib, test_ib_bad, test_faults,
		test_table,
	};
	unsigned int i;

	printf("TAP version 13\n");
	for (i = 0; i < ARRAY_SIZE(tests); i++)
		tests[i]();
	printf("1..%u\n", test_no);
	return test_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
