// SPDX-License-Identifier: MIT
/* Cases of test_vgpu: what the waves of a work-group share. */
#include "vgpu_rig.h"
#include "../../kmod/isa/barrier.h"

/* A group of four. While its first wave to arrive is held, the others get as far as @there, not @on. */
static void run_held(const struct fake_insn *prog, unsigned int n, u32 *hold, u32 *there, u32 *on)
{
	struct fake_process p;
	struct fake_queue q;
	u64 *s = fake_signal(1);
	unsigned int i;

	fake_process_init(&p);
	CHECK(!fake_queue_create(&p, 64, &q));
	fake_dispatch(&q, fake_kernel(prog, n, 0), 1, 256, s, false);
	for (i = 0; i < 10000 && get(there) < 3; i++)
		usleep(1000);
	CHECK(get(there) >= 3);
	usleep(5000);
	CHECK(!get(on));
	__atomic_store_n(hold, 1, __ATOMIC_SEQ_CST);
	CHECK(fake_wait(s, 0));
	CHECK(get(on) == 4);
	fake_queue_destroy(&q);
}

/* As on gfx12: signalled now, waited for later; that of trap handlers is another one */
void test_split_barriers(void)
{
	u32 *arrived = counter(), *signalled = counter(), *done = counter(), *hold = counter();
	const struct fake_insn split[] = {
		{ FAKE_ADD, 1, (uintptr_t)arrived }, { FAKE_SPIN, 1, (uintptr_t)hold },
		{ FAKE_SIGNAL, ISA_BARRIER_GROUP, 0 }, { FAKE_ADD, 1, (uintptr_t)signalled },
		{ FAKE_WAIT, ISA_BARRIER_GROUP, 0 }, { FAKE_ADD, 1, (uintptr_t)done },
		{ FAKE_END, 0, 0 },
	};
	u32 *arrived2 = counter(), *passed = counter(), *hold2 = counter();
	const struct fake_insn both[] = {
		{ FAKE_ADD, 1, (uintptr_t)arrived2 }, { FAKE_SIGNAL, ISA_BARRIER_TRAP, 0 },
		{ FAKE_SPIN, 1, (uintptr_t)hold2 }, { FAKE_BARRIER, 0, 0 },
		{ FAKE_WAIT, ISA_BARRIER_TRAP, 0 }, { FAKE_ADD, 1, (uintptr_t)passed },
		{ FAKE_END, 0, 0 },
	};

	run_held(split, ARRAY_SIZE(split), hold, signalled, done);
	run_held(both, ARRAY_SIZE(both), hold2, arrived2, passed);
}

/*
 * A group at the edge of the grid has one wave instead of two. The next one in its place has two,
 * and the second finds nothing of the kernel before.
 */
void test_clean_rows(void)
{
	u32 *n = counter(), *m = counter(), i;
	u64 before = kernel_add(n), edges = kernel_add(m);
	struct fake_process p;
	struct fake_queue q;
	u64 *s = fake_signal(40);

	fake_process_init(&p);
	CHECK(!fake_queue_create(&p, 64, &q));
	for (i = 0; i < 20; i++) {
		fake_dispatch(&q, before, 64, 128, s, true);
		fake_edge = 64;
		fake_dispatch(&q, edges, 2, 128, s, true);
		fake_edge = 0;
	}
	CHECK(fake_wait(s, 0));
	CHECK(get(n) == 20 * 64 * 2 && get(m) == 20 * FAKE_EDGE_HIGH * 3);
	CHECK(!fake_foreign_rows);
	fake_queue_destroy(&q);
}

/* The LDS of a group lies where waves of the one before were. */
void test_clean_lds(void)
{
	u32 *n = counter(), *found = counter(), i;
	const struct fake_insn look[] = { { FAKE_LDS, 0, (uintptr_t)found }, { FAKE_END, 0, 0 } };
	u64 many = kernel_add(n), k = fake_kernel(look, ARRAY_SIZE(look), 32768);
	struct fake_process p;
	struct fake_queue q;
	u64 *s = fake_signal(20);

	fake_process_init(&p);
	CHECK(!fake_queue_create(&p, 64, &q));
	for (i = 0; i < 10; i++) {
		fake_dispatch(&q, many, 8, 1024, s, true);
		fake_dispatch(&q, k, 8, 64, s, true);
	}
	CHECK(fake_wait(s, 0));
	CHECK(get(n) == 10 * 8 * 16 && !get(found));
	fake_queue_destroy(&q);
}
