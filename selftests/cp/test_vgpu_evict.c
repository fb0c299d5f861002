// SPDX-License-Identifier: MIT
/* Cases of test_vgpu: queues that are evicted, whatever they do at that time. */
#include "vgpu_rig.h"

static bool stays(u32 *p)
{
	u32 seen = get(p);

	usleep(20000);
	return get(p) == seen;
}

static void evict(struct fake_queue *q)
{
	u64 t = cpu_ns();

	q->q.evicted = true;
	vgpu_backend_ops.queue_evict(&q->q);
	CHECK(cpu_ns() - t < SOON_NS);
}

static void restore(struct fake_queue *q)
{
	q->q.evicted = false;
	vgpu_backend_ops.queue_restore(&q->q);
}

void test_evict(void)
{
	struct fake_process p[2];
	struct fake_queue q, other;
	u32 *n = counter(), *m = counter(), seen, i;
	struct fake_insn prog[] = {
		{ FAKE_WORK, 1000, 0 }, { FAKE_ADD, 1, (uintptr_t)n }, { FAKE_END, 0, 0 },
	};
	u64 *s = fake_signal(1), *t;

	fake_process_init(&p[0]);
	fake_process_init(&p[1]);
	CHECK(!fake_queue_create(&p[0], 64, &q) && !fake_queue_create(&p[1], 64, &other));
	fake_dispatch(&q, fake_kernel(prog, 3, 0), 20000, 64, s, false);
	CHECK(starts(n));
	for (i = 1; i <= 10; i++) {
		evict(&q);
		CHECK(stays(n));
		t = fake_signal(1);
		fake_dispatch(&other, kernel_add(m), 1, 64, t, false);
		CHECK(fake_wait(t, 0) && get(m) == i);
		seen = get(n);
		restore(&q);
		CHECK(seen == 20000 || differs(n, seen));
	}
	CHECK(fake_wait(s, 0));
	CHECK(get(n) == 20000);
	fake_queue_destroy(&q);
	fake_queue_destroy(&other);
}

/* What is said to a queue that is off holds when it is back. */
void test_change_evicted(void)
{
	struct gpu_queue_props off;
	struct fake_process p;
	struct fake_queue q;
	u32 *n = counter();
	u64 *s = fake_signal(3);

	fake_process_init(&p);
	memset(&q, 0, sizeof(q));
	CHECK(!fake_queue_create(&p, 64, &q));
	evict(&q);
	fake_dispatch(&q, kernel_add(n), 1, 64, s, false);
	off = q.q.props;
	off.percentage = 0;
	CHECK(!vgpu_backend_ops.queue_update(&q.q, &off));
	CHECK(stays(n));
	restore(&q);
	CHECK(stays(n) && !get(n));
	evict(&q);
	CHECK(!vgpu_backend_ops.queue_update(&q.q, &q.q.props));
	fake_dispatch(&q, kernel_add(n), 1, 64, s, false);
	CHECK(stays(n) && !get(n));
	restore(&q);
	fake_dispatch(&q, kernel_add(n), 1, 64, s, false);
	CHECK(fake_wait(s, 0) && get(n) == 3);
	fake_queue_destroy(&q);

	/* And one that is made meanwhile */
	p.evicted = true;
	s = fake_signal(1);
	CHECK(!fake_queue_create(&p, 64, &q));
	fake_dispatch(&q, kernel_add(n), 1, 64, s, false);
	CHECK(stays(n) && get(n) == 3);
	restore(&q);
	CHECK(fake_wait(s, 0) && get(n) == 4);
	fake_queue_destroy(&q);
}

void test_destroy_evicted(void)
{
	u32 *alive = counter(), *stop = counter(), i;
	struct fake_process p;
	struct fake_queue q;

	fake_process_init(&p);
	for (i = 0; i < 20; i++) {
		CHECK(!fake_queue_create(&p, 64, &q));
		fake_dispatch(&q, kernel_until(FAKE_SPIN, alive, stop, 0), 1 + i, 128, NULL,
			      false);
		CHECK(starts(alive));
		evict(&q);
		fake_queue_destroy(&q);
	}
}

/* Within a packet, and after the last wave: nobody brings the page meanwhile. */
void test_evict_waiting(void)
{
	struct fake_process p, p2;
	struct fake_queue q, other;
	u32 *n = counter(), i;
	u64 k, *s, *t;

	fake_process_init(&p);
	fake_process_init(&p2);
	CHECK(!fake_queue_create(&p2, 64, &other));
	for (i = 0; i < 8; i++) {
		u32 was = get(n);

		k = kernel_add(n);
		s = fake_alloc(PAGE_SIZE);
		s[1] = 1;
		CHECK(!fake_queue_create(&p, 64, &q));
		fake_late(&p, i & 1 ? (void *)s : (void *)(uintptr_t)k);
		fake_dispatch(&q, k, 1, 64, s, false);
		if (i & 1)
			CHECK(differs(n, was));
		usleep(i & 2 ? 10000 : 0);
		evict(&q);
		t = fake_signal(1);
		fake_dispatch(&other, kernel_add(n), 1, 64, t, false);
		CHECK(fake_wait(t, 0));
		if (i < 4) {
			fake_unmap(&p, i & 1 ? (void *)s : (void *)(uintptr_t)k, false);
			usleep(20000);
			CHECK(s[1] == 1);
			restore(&q);
			CHECK(fake_wait(s, 0) && get(n) == was + 2);
		}
		fake_queue_destroy(&q);
		CHECK(!p.faults && !p.hw_exceptions);
	}
	fake_queue_destroy(&other);
}
