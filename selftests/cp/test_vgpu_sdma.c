// SPDX-License-Identifier: MIT
/*
 * The SDMA threads of the virtual GPU on the host, against a memory whose pages
 * come and go: no ring may be lost, nothing may be touched after a queue is gone.
 */
#include "fake_gpu.h"

#define RING_BYTES	4096u
#define COPY_BYTES	(1u << 20)
#include "tap.h"

struct sdma {
	struct gpu_queue q;
	u32 *ring, *fence;
	u64 *index;		/* write pointer, read pointer */
	u64 written;
	u32 fences;
};

static int create(struct fake_process *p, u32 engine, struct sdma *s)
{
	memset(s, 0, sizeof(*s));
	s->ring = fake_alloc(RING_BYTES);
	s->index = fake_alloc(PAGE_SIZE);
	s->fence = (u32 *)(s->index + 8);
	s->q.process = &p->base;
	s->q.pdd = &p->pdd;
	s->q.gdev = &fake_gdev;
	s->q.vm = &p->vm;
	s->q.doorbell = 256 + p->ndoorbells++;
	s->q.props = (struct gpu_queue_props) {
		.type = GPU_QUEUE_SDMA,
		.ring_va = (uintptr_t)s->ring,
		.ring_bytes = RING_BYTES,
		.wptr_va = (uintptr_t)s->index,
		.rptr_va = (uintptr_t)(s->index + 1),
		.percentage = 100,
		.sdma_engine = engine,
	};
	return vgpu_backend_ops.queue_init(&s->q);
}

static void destroy(struct sdma *s)
{
	vgpu_backend_ops.queue_fini(&s->q);
	/* Whoever still touched it would be seen here, or by the sanitizer. */
	memset(s->ring, 0xee, RING_BYTES);
	memset(s->index, 0xee, PAGE_SIZE);
}

static void put(struct sdma *s, u32 word)
{
	while (s->written - __atomic_load_n(&s->index[1], __ATOMIC_ACQUIRE) >= RING_BYTES)
		sched_yield();
	__atomic_store_n(&s->ring[s->written % RING_BYTES / 4], word, __ATOMIC_RELAXED);
	s->written += 4;
}

static void put_va(struct sdma *s, const void *p)
{
	put(s, (u32)(uintptr_t)p);
	put(s, (uintptr_t)p >> 32);
}

static void ring(struct sdma *s)
{
	__atomic_store_n(&s->index[0], s->written, __ATOMIC_RELEASE);
	fake_ring(s->q.pdd->doorbells, s->q.doorbell, s->written);
}

static void copy(struct sdma *s, void *dst, const void *src, u32 bytes)
{
	put(s, 1);
	put(s, bytes - 1);
	put(s, 0);
	put_va(s, src);
	put_va(s, dst);
}

static void submit(struct sdma *s)
{
	put(s, 5);
	put_va(s, s->fence);
	put(s, ++s->fences);
	ring(s);
}

static bool arrives(u32 *p, u32 at_least)
{
	u64 end = ktime_get_ns() + 20 * 1000000000ull;

	while (__atomic_load_n(p, __ATOMIC_ACQUIRE) < at_least) {
		if (ktime_get_ns() > end)
			return false;
		sched_yield();
	}
	return true;
}

static void test_no_ring_is_lost(void)
{
	struct fake_process p;
	u64 t = 0, start;
	struct sdma s;
	u32 i;

	fake_process_init(&p);
	CHECK(!create(&p, 0, &s));
	for (i = 0; i < 3000; i++) {
		if (i % 30 == 0)
			usleep(300);	/* asleep and armed */
		start = ktime_get_ns();
		submit(&s);
		if (!arrives(s.fence, s.fences)) {
			CHECK(!"a ring was lost");
			break;
		}
		t += ktime_get_ns() - start;
	}
	printf("# %llu ns from doorbell to fence\n", (unsigned long long)t / 3000);
	destroy(&s);
	report("no ring is lost");
}

/* A process's queues of both kinds share its doorbells. */
static void test_with_dispatches(void)
{
	struct fake_insn prog[] = { { FAKE_END, 0, 0 } };
	u64 k = fake_kernel(prog, 1, 0), *sig = fake_signal(2000);
	struct fake_process p;
	struct fake_queue q;
	struct sdma s[3];
	u32 i, j;

	fake_process_init(&p);
	CHECK(!fake_queue_create(&p, 64, &q));
	for (j = 0; j < 3; j++)
		CHECK(!create(&p, j, &s[j]));
	for (i = 0; i < 2000; i++) {
		fake_dispatch(&q, k, 1, 64, sig, false);
		submit(&s[i % 3]);
		if (i % 100 == 0)
			usleep(200);
	}
	for (j = 0; j < 3; j++)
		CHECK(arrives(s[j].fence, s[j].fences));
	CHECK(fake_wait(sig, 0));
	for (j = 0; j < 3; j++)
		destroy(&s[j]);
	fake_queue_destroy(&q);
	report("dispatches and copies share doorbells");
}

static void test_pages_taken(void)
{
	u8 *src = fake_alloc(COPY_BYTES), *dst = fake_alloc(COPY_BYTES);
	struct fake_process p;
	struct sdma s;
	u32 i, j;

	fake_process_init(&p);
	CHECK(!create(&p, 1, &s));
	for (i = 0; i < COPY_BYTES; i++)
		src[i] = i * 13 + (i >> 9);
	for (i = 0; i < 20; i++)
		copy(&s, dst, src, COPY_BYTES);
	submit(&s);
	for (i = 0; __atomic_load_n(s.fence, __ATOMIC_ACQUIRE) < 1 && i < 100000; i++) {
		j = i * 7 % (COPY_BYTES / PAGE_SIZE) * PAGE_SIZE;
		fake_unmap(&p, src + j, false);
		fake_unmap(&p, dst + j, false);
	}
	CHECK(arrives(s.fence, 1) && !memcmp(src, dst, COPY_BYTES) && !p.faults);
	destroy(&s);
	report("pages taken away while it copies");
}

static void test_destroy_and_pause(void)
{
	u8 *src = fake_alloc(COPY_BYTES), *dst = fake_alloc(COPY_BYTES);
	struct fake_process p;
	struct sdma s;
	u32 i, j;

	fake_process_init(&p);
	memset(src, 1, COPY_BYTES);
	for (i = 0; i < 20; i++) {
		struct gpu_queue_props off;

		CHECK(!create(&p, i % 5, &s));
		for (j = 0; j < 100; j++)
			copy(&s, dst, src, COPY_BYTES);
		ring(&s);
		usleep(i * 50);
		off = s.q.props;
		off.percentage = 0;
		CHECK(!vgpu_backend_ops.queue_update(&s.q, &off));
		memset(dst, 0, COPY_BYTES);
		usleep(500);
		for (j = 0; j < COPY_BYTES && !dst[j]; j++)
			;
		CHECK(j == COPY_BYTES);
		if (i % 2) {
			CHECK(!vgpu_backend_ops.queue_update(&s.q, &s.q.props));
			copy(&s, dst, src, COPY_BYTES);
			submit(&s);
			CHECK(arrives(s.fence, 1) && !memcmp(dst, src, COPY_BYTES));
		}
		destroy(&s);
	}
	report("paused and destroyed while it copies");
}

static void test_evict(void)
{
	u8 *src = fake_alloc(COPY_BYTES), *dst = fake_alloc(COPY_BYTES);
	struct fake_process p;
	struct sdma s;
	u32 i, j;

	fake_process_init(&p);
	memset(src, 1, COPY_BYTES);
	for (i = 0; i < 20; i++) {
		CHECK(!create(&p, i % 5, &s));
		for (j = 0; j < 100; j++)
			copy(&s, dst, src, COPY_BYTES);
		submit(&s);
		usleep(i * 50);
		vgpu_backend_ops.queue_evict(&s.q);
		memset(dst, 0, COPY_BYTES);
		usleep(500);
		for (j = 0; j < COPY_BYTES && !dst[j]; j++)
			;
		CHECK(j == COPY_BYTES);
		if (i % 2) {
			j = __atomic_load_n(s.fence, __ATOMIC_ACQUIRE);
			vgpu_backend_ops.queue_restore(&s.q);
			CHECK(arrives(s.fence, 1) && (j || !memcmp(dst + COPY_BYTES - 64,
								  src, 64)));
		}
		destroy(&s);
	}
	CHECK(!p.faults && !p.hw_exceptions);
	report("evicted, restored and destroyed while it copies");
}

static bool counts(unsigned int *n)
{
	return arrives(n, 1);
}

static void test_errors(void)
{
	struct fake_process p;
	struct sdma s, s2;

	fake_process_init(&p);
	CHECK(!create(&p, 0, &s));
	put(&s, 0xff);
	submit(&s);
	CHECK(counts(&p.hw_exceptions) && counts(&p.errors) && !p.faults);
	CHECK(p.error == GPU_QUEUE_ERR_SDMA_PACKET);
	CHECK(!*s.fence);
	destroy(&s);

	CHECK(!create(&p, 0, &s) && !create(&p, 1, &s2));
	copy(&s, (void *)0x1000, s.ring, 16);
	submit(&s);
	CHECK(counts(&p.faults) && p.fault_va == 0x1000);
	/* Its other queues stop, too. */
	submit(&s2);
	usleep(20000);
	CHECK(!*s.fence && !*s2.fence);
	destroy(&s);
	destroy(&s2);
	report("bad packets and faults");
}

static void test_poll(void)
{
	struct fake_process p;
	struct sdma s, s2;

	fake_process_init(&p);
	CHECK(!create(&p, 0, &s) && !create(&p, 0, &s2));
	put(&s, 8 | 3u << 28 | 1u << 31);
	put_va(&s, s.fence + 4);
	put(&s, 1);
	put(&s, ~0u);
	put(&s, 0xfff << 16);
	submit(&s);
	submit(&s2);
	CHECK(arrives(s2.fence, 1));
	usleep(5000);
	CHECK(!__atomic_load_n(s.fence, __ATOMIC_SEQ_CST));
	__atomic_store_n(s.fence + 4, 1, __ATOMIC_SEQ_CST);
	CHECK(arrives(s.fence, 1));
	destroy(&s);
	destroy(&s2);
	report("a poll holds nobody");
}

int main(void)
{
	printf("TAP version 13\n");
	fake_init();
	test_no_ring_is_lost();
	test_with_dispatches();
	test_pages_taken();
	test_destroy_and_pause();
	test_evict();
	test_errors();
	test_poll();
	vgpu_backend_ops.fini(&fake_gdev);
	report("the threads end");
	printf("1..%u\n", test_no);
	return test_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
