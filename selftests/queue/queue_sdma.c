// SPDX-License-Identifier: MIT
/*
 * SDMA queues: what they are created as, and what their packets do to the
 * memory of a process.
 */
#include "queue_test.h"
#include "rig_sdma.h"

#define BYTES	(1024 * 1024u)

FIXTURE(sdma) {
	struct rig r;
	struct rig_sdma q;
	struct rig_mem data;
	u32 *words;
};

FIXTURE_SETUP(sdma)
{
	ASSERT_EQ(0, rig_open(&self->r));
	ASSERT_EQ(0, rig_sdma_create(&self->r, KFD_IOC_QUEUE_TYPE_SDMA, 0, &self->q));
	ASSERT_EQ(0, rig_anon(&self->r, 16 * RIG_PAGE, &self->data));
	self->words = self->data.p;
}

FIXTURE_TEARDOWN(sdma)
{
	rig_close(&self->r);
}

static void pattern(void *p, u32 bytes, u32 seed)
{
	u32 *w = p, i;

	for (i = 0; i < bytes / 4; i++)
		w[i] = seed + i * 2654435761u;
}

static bool has_pattern(const void *p, u32 bytes, u32 seed)
{
	const u32 *w = p;
	u32 i;

	for (i = 0; i < bytes / 4; i++)
		if (w[i] != seed + i * 2654435761u) {
			TH_LOG("word %u of %u is 0x%x", i, bytes / 4, w[i]);
			return false;
		}
	return true;
}

/* ---------------------------------------------------------------- creation */

static void create_and_use(struct rig *r, u32 type, u32 engine, u32 want_doorbell)
{
	struct rig_sdma q = { 0 };

	ASSERT_EQ(0, rig_sdma_create(r, type, engine, &q));
	EXPECT_EQ(want_doorbell, q.doorbell_index);
	EXPECT_TRUE(rig_sdma_run(&q));
	EXPECT_EQ(0, rig_sdma_destroy(r, &q));
}

/* The real driver's doorbells: 0x100 + 10 an engine, odd queues 512 further. */
TEST_F(sdma, types_engines_doorbells)
{
	long engines = rig_property(self->r.gpu_id, "num_sdma_engines");
	long xgmi = rig_property(self->r.gpu_id, "num_sdma_xgmi_engines");
	struct rig_sdma q = { 0 };
	long i;

	ASSERT_EQ(2l, engines);
	EXPECT_EQ(8l, rig_property(self->r.gpu_id, "num_sdma_queues_per_engine"));
	EXPECT_EQ(0x100u, self->q.doorbell_index);
	create_and_use(&self->r, KFD_IOC_QUEUE_TYPE_SDMA, 0, 0x10a);
	create_and_use(&self->r, KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID, 0, 0x100 + 512);
	for (i = 1; i < engines + xgmi; i++)
		create_and_use(&self->r, KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID, i, 0x100 + 10 * i);
	EXPECT_EQ(-EINVAL, rig_sdma_create(&self->r, KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID,
					   engines + xgmi, &q));
	if (xgmi)
		create_and_use(&self->r, KFD_IOC_QUEUE_TYPE_SDMA_XGMI, 0, 0x100 + 20);
	else
		EXPECT_EQ(-ENOMEM, rig_sdma_create(&self->r, KFD_IOC_QUEUE_TYPE_SDMA_XGMI,
						   0, &q));
}

/* Queues of one kind until there are no more, each with a copy and a write. */
static void take_all(struct rig *r, u32 type, long n)
{
	struct rig_sdma *q = calloc(n, sizeof(*q)), more = { 0 };
	struct rig_mem data;
	u32 *w;
	long i;

	ASSERT_EQ(0, rig_anon(r, (n + 1) * RIG_PAGE, &data));
	w = data.p;
	pattern(w, RIG_PAGE, 5);
	for (i = 0; i < n; i++)
		ASSERT_EQ(0, rig_sdma_create(r, type, 0, &q[i]));
	EXPECT_EQ(-ENOMEM, rig_sdma_create(r, type, 0, &more));
	for (i = 0; i < n; i++) {
		rig_sdma_copy(&q[i], w + 1024 * (i + 1), w, RIG_PAGE);
		SDMA_PUT(&q[i], SDMA_WRITE, VA(w + 1024 * (i + 1)), 0, 100 + i);
		rig_sdma_submit(&q[i]);
	}
	for (i = 0; i < n; i++) {
		EXPECT_TRUE(rig_sdma_wait(&q[i], 1, RIG_LONG));
		EXPECT_EQ(100u + i, w[1024 * (i + 1)]);
		EXPECT_EQ(0, memcmp(w + 1, w + 1024 * (i + 1) + 1, RIG_PAGE - 4));
	}
	/* Who leaves makes room, at the same doorbell. */
	EXPECT_EQ(0, rig_sdma_destroy(r, &q[n / 2]));
	EXPECT_EQ(0, rig_sdma_create(r, type, 0, &more));
	EXPECT_EQ(q[n / 2].doorbell_index, more.doorbell_index);
	EXPECT_TRUE(rig_sdma_run(&more));
}

TEST_F(sdma, all_queues)
{
	struct rig_sdma more = { 0 };
	long n = rig_property(self->r.gpu_id, "num_sdma_engines") *
		 rig_property(self->r.gpu_id, "num_sdma_queues_per_engine");

	take_all(&self->r, KFD_IOC_QUEUE_TYPE_SDMA, n - 1);
	EXPECT_EQ(-ENOMEM, rig_sdma_create(&self->r, KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID, 1,
					   &more));
}

TEST_F(sdma, all_xgmi_queues)
{
	long n = rig_property(self->r.gpu_id, "num_sdma_xgmi_engines") *
		 rig_property(self->r.gpu_id, "num_sdma_queues_per_engine");

	if (!n)
		SKIP(return, "no XGMI engines");
	/* 127 queues is what a process may have on a GPU, and it has one. */
	if (n < 127)
		take_all(&self->r, KFD_IOC_QUEUE_TYPE_SDMA_XGMI, n);
}

TEST_F(sdma, create_use_destroy_many_times)
{
	u64 end = rig_ms() + 2 * RIG_SECOND;
	struct rig_sdma q = { 0 };
	unsigned int n;

	for (n = 0; n < 20 || rig_ms() < end; n++) {
		ASSERT_EQ(0, rig_sdma_create(&self->r, KFD_IOC_QUEUE_TYPE_SDMA, 0, &q));
		q.written = 0;
		*q.wptr = 0;
		*q.rptr = 0;
		if (n % 3)
			ASSERT_TRUE(rig_sdma_run(&q));
		else
			rig_sdma_submit(&q);
		ASSERT_EQ(0, rig_sdma_destroy(&self->r, &q));
		q.fences[0] = 0;
		q.fence = 0;
	}
	EXPECT_TRUE(rig_sdma_run(&self->q));
}

/* What another process left behind is not to be read. */
TEST_F(sdma, new_vram_is_zero)
{
	u32 *w, i, round;

	for (round = 0; round < 3; round++) {
		struct rig_mem vram;

		ASSERT_EQ(0, rig_alloc(&self->r, KFD_IOC_ALLOC_MEM_FLAGS_VRAM |
				       KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC, 16 * RIG_PAGE, &vram));
		memset(self->words, 0xff, 16 * RIG_PAGE);
		rig_sdma_copy(&self->q, self->words, vram.p, 16 * RIG_PAGE);
		SDMA_PUT(&self->q, SDMA_FILL_WORDS, VA(vram.p), ~0u, 16 * RIG_PAGE - 4);
		ASSERT_TRUE(rig_sdma_run(&self->q));
		for (w = self->words, i = 0; i < 16 * 1024 && !w[i]; i++)
			;
		EXPECT_EQ(16u * 1024, i);
		ASSERT_EQ(0, rig_unmap(&self->r, &vram));
		ASSERT_EQ(0, rig_free(&self->r, &vram));
	}
}

static long long sysfs_number(u32 queue, const char *name)
{
	long long v = -1;
	char path[160];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/devices/virtual/kfd/kfd/proc/%d/queues/%u/%s",
		 getpid(), queue, name);
	f = fopen(path, "r");
	if (f) {
		if (fscanf(f, "%lld", &v) != 1)
			v = -1;
		fclose(f);
	}
	return v;
}

TEST_F(sdma, sysfs)
{
	struct rig_sdma x = { 0 };

	EXPECT_EQ(1ll, sysfs_number(self->q.id, "type"));
	EXPECT_EQ((long long)SDMA_RING, sysfs_number(self->q.id, "size"));
	if (!rig_sdma_create(&self->r, KFD_IOC_QUEUE_TYPE_SDMA_XGMI, 0, &x))
		EXPECT_EQ(4ll, sysfs_number(x.id, "type"));
}

/* Microseconds of SDMA work, per process and GPU. */
TEST_F(sdma, activity_is_counted)
{
	struct rig_mem a, b;
	char path[160];
	long long us = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/devices/virtual/kfd/kfd/proc/%d/sdma_%u", getpid(),
		 self->r.gpu_id);
	ASSERT_EQ(0, rig_anon(&self->r, BYTES, &a));
	ASSERT_EQ(0, rig_anon(&self->r, BYTES, &b));
	rig_sdma_copy(&self->q, b.p, a.p, BYTES);
	ASSERT_TRUE(rig_sdma_run(&self->q));
	/* The queue is gone, what it did is not. */
	ASSERT_EQ(0, rig_sdma_destroy(&self->r, &self->q));
	f = fopen(path, "r");
	ASSERT_NE(NULL, (void *)f);
	EXPECT_EQ(1, fscanf(f, "%lld", &us));
	fclose(f);
	EXPECT_LT(10ll, us);
	EXPECT_GT(20000000ll, us);
}

/* ------------------------------------------------------------- ring, indices */

TEST_F(sdma, read_pointer_is_exact)
{
	SDMA_PUT(&self->q, SDMA_NOP);
	SDMA_PUT(&self->q, 2u << 16, 0, 0);
	ASSERT_TRUE(rig_sdma_run(&self->q));
	EXPECT_TRUE(rig_wait32((volatile u32 *)self->q.rptr, 32, RIG_LONG));
	usleep(20000);
	EXPECT_EQ(32ull, (unsigned long long)*self->q.rptr);
}

TEST_F(sdma, ring_wraps)
{
	u32 i;

	/* Packets of 20 bytes in a ring of 64 KiB: some are split by its end */
	for (i = 0; i < 20000; i++)
		SDMA_PUT(&self->q, SDMA_WRITE, VA(self->words + i % 1024), 0, i);
	ASSERT_TRUE(rig_sdma_run(&self->q));
	for (i = 0; i < 1024; i++)
		EXPECT_EQ(19999 - (19999 - i) % 1024, self->words[i]);
	EXPECT_LT(6ull * SDMA_RING, (unsigned long long)self->q.written);
}

TEST_F(sdma, without_ring_nothing_runs)
{
	EXPECT_EQ(0, rig_sdma_update(&self->r, &self->q, false));
	SDMA_PUT(&self->q, SDMA_WRITE, VA(self->words), 0, 7);
	rig_sdma_submit(&self->q);
	usleep(100000);
	EXPECT_EQ(0u, self->words[0]);
	EXPECT_EQ(0, rig_sdma_update(&self->r, &self->q, true));
	EXPECT_TRUE(rig_sdma_wait(&self->q, 1, RIG_LONG));
	EXPECT_EQ(7u, self->words[0]);
}

/* What stands in memory when the queue is mapped counts, without a doorbell. */
TEST_F(sdma, write_pointer_in_memory)
{
	struct rig_sdma q = { 0 };

	ASSERT_EQ(0, rig_sdma_create(&self->r, KFD_IOC_QUEUE_TYPE_SDMA, 0, &q));
	ASSERT_EQ(0, rig_sdma_update(&self->r, &q, false));
	SDMA_PUT(&q, SDMA_FENCE, VA(q.fences), 5);
	*q.wptr = q.written;
	ASSERT_EQ(0, rig_sdma_update(&self->r, &q, true));
	EXPECT_TRUE(rig_sdma_wait(&q, 5, RIG_LONG));
}

/* The page is armed between rings: each is a fault that wakes. */
TEST_F(sdma, rings_after_sleep)
{
	u32 i;

	for (i = 0; i < 50; i++) {
		usleep(i * 100);
		ASSERT_TRUE(rig_sdma_run(&self->q));
	}
}

/* -------------------------------------------------------------------- moves */

static void copy_there_and_back(struct rig *r, struct rig_sdma *q, u32 flags)
{
	struct rig_mem far, a, b;
	u32 *from, *to;

	ASSERT_EQ(0, rig_alloc(r, flags | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC, BYTES, &far));
	ASSERT_EQ(0, rig_anon(r, BYTES, &a));
	ASSERT_EQ(0, rig_anon(r, BYTES, &b));
	from = a.p;
	to = b.p;
	pattern(from, BYTES, flags);
	rig_sdma_copy(q, far.p, from, BYTES);
	ASSERT_TRUE(rig_sdma_run(q));
	EXPECT_TRUE(has_pattern(far.p, BYTES, flags));
	rig_sdma_copy(q, to, far.p, BYTES);
	ASSERT_TRUE(rig_sdma_run(q));
	EXPECT_TRUE(has_pattern(to, BYTES, flags));
	/* Not aligned to anything, not a multiple of anything */
	memset(to, 0xee, BYTES);
	rig_sdma_copy(q, (u8 *)to + 1, (u8 *)far.p + 2, BYTES - 777);
	ASSERT_TRUE(rig_sdma_run(q));
	EXPECT_EQ(0, memcmp((u8 *)to + 1, (u8 *)from + 2, BYTES - 777));
	EXPECT_EQ(0xee, ((u8 *)to)[0]);
	EXPECT_EQ(0xee, ((u8 *)to)[1 + BYTES - 777]);
	EXPECT_EQ(0, rig_unmap(r, &far));
	EXPECT_EQ(0, rig_free(r, &far));
}

TEST_F(sdma, copy_vram)
{
	copy_there_and_back(&self->r, &self->q, KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
}

TEST_F(sdma, copy_gtt)
{
	copy_there_and_back(&self->r, &self->q, KFD_IOC_ALLOC_MEM_FLAGS_GTT);
}

/* VRAM of another GPU, mapped here: written by one, read by the other. */
TEST_F(sdma, copy_peer)
{
	struct kfd_ioctl_acquire_vm_args vm = { 0 };
	struct kfd_ioctl_map_memory_to_gpu_args map = { .n_devices = 2 };
	u32 ids[2] = { self->r.gpu_id, 0 }, first = self->r.gpu_id;
	struct rig_mem far, near;
	struct rig_sdma other = { 0 };
	struct rig r2 = self->r;
	int drm;

	drm = rig_find_gpu(self->r.gpu_id, &ids[1]);
	if (drm < 0)
		SKIP(return, "one GPU");
	vm.drm_fd = drm;
	vm.gpu_id = ids[1];
	ASSERT_EQ(0, rig_ioctl(&self->r, AMDKFD_IOC_ACQUIRE_VM, &vm));
	r2.gpu_id = ids[1];
	r2.drm = drm;
	r2.doorbells = NULL;
	ASSERT_EQ(0, rig_alloc(&r2, KFD_IOC_ALLOC_MEM_FLAGS_VRAM |
			       KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC, BYTES, &far));
	ASSERT_EQ(0, rig_anon(&self->r, BYTES, &near));
	map.handle = far.handle;
	map.device_ids_array_ptr = (uintptr_t)ids;
	ASSERT_EQ(0, rig_ioctl(&self->r, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &map));
	pattern(near.p, BYTES, 77);
	rig_sdma_copy(&self->q, far.p, near.p, BYTES);
	ASSERT_TRUE(rig_sdma_run(&self->q));
	EXPECT_TRUE(has_pattern(far.p, BYTES, 77));

	/* The other GPU's engine turns it over, this one's brings it back */
	ASSERT_EQ(0, rig_sdma_create(&r2, KFD_IOC_QUEUE_TYPE_SDMA, 0, &other));
	SDMA_PUT(&other, SDMA_FILL_WORDS, VA(far.p), 0x1badcafe, BYTES - 4);
	ASSERT_TRUE(rig_sdma_run(&other));
	rig_sdma_copy(&self->q, near.p, far.p, BYTES);
	ASSERT_TRUE(rig_sdma_run(&self->q));
	EXPECT_EQ(0x1badcafeu, *(u32 *)near.p);
	EXPECT_EQ(0x1badcafeu, *(u32 *)((u8 *)near.p + BYTES - 4));
	EXPECT_EQ(first, self->r.gpu_id);
}

/* Two engines into one buffer at a time. */
TEST_F(sdma, copies_at_a_time)
{
	struct rig_sdma q2 = { 0 };
	struct rig_mem src, dst;
	u32 i, half = 2 * BYTES;

	ASSERT_EQ(0, rig_sdma_create(&self->r, KFD_IOC_QUEUE_TYPE_SDMA, 0, &q2));
	ASSERT_EQ(0, rig_anon(&self->r, 2 * half, &src));
	ASSERT_EQ(0, rig_alloc(&self->r, KFD_IOC_ALLOC_MEM_FLAGS_VRAM |
			       KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC, 2 * half, &dst));
	for (i = 0; i < 4; i++) {
		pattern(src.p, 2 * half, i);
		rig_sdma_copy(&self->q, dst.p, src.p, half);
		rig_sdma_copy(&q2, (u8 *)dst.p + half, (u8 *)src.p + half, half);
		rig_sdma_submit(&self->q);
		ASSERT_TRUE(rig_sdma_run(&q2));
		ASSERT_TRUE(rig_sdma_wait(&self->q, self->q.fence, RIG_LONG));
		ASSERT_TRUE(has_pattern(dst.p, 2 * half, i));
	}
}

TEST_F(sdma, fill_window_broadcast)
{
	/* SDMA 7 has other places for pitches. */
	u32 pitch = rig_property(self->r.gpu_id, "gfx_target_version") < 120000 ? 13 : 16;
	u32 *w = self->words, i;

	SDMA_PUT(&self->q, SDMA_FILL_WORDS, VA(w), 0xabcd0123, 4 * 1023);
	SDMA_PUT(&self->q, SDMA_FILL, VA((u8 *)(w + 1024) + 1), 0x77, 9);
	ASSERT_TRUE(rig_sdma_run(&self->q));
	for (i = 0; i < 1024; i++)
		EXPECT_EQ(0xabcd0123u, w[i]);
	EXPECT_EQ(0x77777700u, w[1024]);
	EXPECT_EQ(0x00777777u, w[1026]);

	/* 2 rows of 3 words out of rows of 16 */
	pattern(w, 4096, 9);
	SDMA_PUT(&self->q, SDMA_COPY | SDMA_SUB(4) | 2u << 29, VA(w), 5 | 2 << 16,
		 15u << pitch, 0, VA(w + 2048), 0, 7u << pitch, 0, 2 | 1 << 16, 0);
	/* and one source into two destinations */
	SDMA_PUT(&self->q, SDMA_COPY | 1u << 27, 255, 0, VA(w), VA(w + 3000), VA(w + 3100));
	ASSERT_TRUE(rig_sdma_run(&self->q));
	for (i = 0; i < 6; i++)
		EXPECT_EQ(w[(2 + i / 3) * 16 + 5 + i % 3], w[2048 + i / 3 * 8 + i % 3]);
	EXPECT_EQ(0, memcmp(w, w + 3000, 256));
	EXPECT_EQ(0, memcmp(w, w + 3100, 256));
}

/* ------------------------------------------------------ fences, traps, waits */

/* As ROCr completes a signal: decrement, mailbox, interrupt. */
TEST_F(sdma, trap_wakes_event)
{
	u32 id, slot, i;

	ASSERT_EQ(0, rig_event(&self->r, KFD_IOC_EVENT_SIGNAL, &id, &slot));
	EXPECT_EQ(-ETIME, rig_event_wait(&self->r, id, 50, NULL));
	for (i = 0; i < 10; i++) {
		SDMA_PUT(&self->q, SDMA_FENCE, VA(self->r.event_page + slot), id);
		SDMA_PUT(&self->q, SDMA_TRAP, id);
		rig_sdma_ring(&self->q);
		EXPECT_EQ(0, rig_event_wait(&self->r, id, RIG_LONG, NULL));
	}
	/* Without a context, all slots are looked at */
	SDMA_PUT(&self->q, SDMA_FENCE, VA(self->r.event_page + slot), 1);
	SDMA_PUT(&self->q, SDMA_TRAP, 0);
	rig_sdma_ring(&self->q);
	EXPECT_EQ(0, rig_event_wait(&self->r, id, RIG_LONG, NULL));
}

TEST_F(sdma, poll_waits_for_memory)
{
	volatile u32 *flag = self->words;

	SDMA_PUT(&self->q, SDMA_POLL_EQ, VA(flag), 1, ~0u, SDMA_POLL_FOREVER);
	rig_sdma_submit(&self->q);
	usleep(50000);
	EXPECT_EQ(0u, self->q.fences[0]);
	__atomic_store_n(flag, 1, __ATOMIC_RELEASE);
	EXPECT_TRUE(rig_sdma_wait(&self->q, 1, RIG_LONG));
}

TEST_F(sdma, fence_and_poll_of_64_bits)
{
	volatile u64 *w = (void *)self->words;

	w[0] = 5;
	SDMA_PUT(&self->q, SDMA_POLL | SDMA_SUB(5) | 3u << 28, VA(&w[0]), 5, 1, ~0u, ~0u, 0);
	SDMA_PUT(&self->q, SDMA_FENCE | SDMA_SUB(2), VA(&w[1]), VA(0x1122334455667788ull));
	rig_sdma_submit(&self->q);
	usleep(20000);
	EXPECT_EQ(0ull, w[1]);
	w[0] = 1ull << 32 | 5;
	EXPECT_TRUE(rig_sdma_wait(&self->q, 1, RIG_LONG));
	EXPECT_EQ(0x1122334455667788ull, w[1]);
}

/* A queue that waits holds neither its engine nor its thread. */
TEST_F(sdma, poll_holds_nobody)
{
	struct rig_sdma other = { 0 };

	ASSERT_EQ(0, rig_sdma_create(&self->r, KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID, 0, &other));
	SDMA_PUT(&self->q, SDMA_POLL_EQ, VA(self->words), 1, ~0u, SDMA_POLL_FOREVER);
	rig_sdma_submit(&self->q);
	EXPECT_TRUE(rig_sdma_run(&other));
	/* and one SDMA queue can release the other */
	SDMA_PUT(&other, SDMA_FENCE, VA(self->words), 1);
	EXPECT_TRUE(rig_sdma_run(&other));
	EXPECT_TRUE(rig_sdma_wait(&self->q, 1, RIG_LONG));
}

TEST_F(sdma, atomic_add_races_with_cpu)
{
	u64 *n = (u64 *)self->words;
	u32 i;

	for (i = 0; i < 1000; i++)
		SDMA_PUT(&self->q, SDMA_ATOMIC | 47u << 25, VA(n), ~0u, ~0u, 0, 0, 0);
	__atomic_store_n(n, 5000, __ATOMIC_SEQ_CST);
	rig_sdma_submit(&self->q);
	for (i = 0; i < 4000; i++)
		__atomic_fetch_sub(n, 1, __ATOMIC_SEQ_CST);
	EXPECT_TRUE(rig_sdma_wait(&self->q, 1, RIG_LONG));
	EXPECT_EQ(0ull, (unsigned long long)*n);
}

TEST_F(sdma, timestamps_follow_the_clock)
{
	struct kfd_ioctl_get_clock_counters_args a = { .gpu_id = self->r.gpu_id }, b;
	volatile u64 *ts = (u64 *)self->words;

	ASSERT_EQ(0, rig_ioctl(&self->r, AMDKFD_IOC_GET_CLOCK_COUNTERS, &a));
	SDMA_PUT(&self->q, SDMA_TIMESTAMP | SDMA_SUB(2), VA(ts));
	SDMA_PUT(&self->q, SDMA_FILL_WORDS, VA(self->words + 64), 1, 4 * 8191);
	SDMA_PUT(&self->q, SDMA_TIMESTAMP | SDMA_SUB(2), VA(ts + 4));
	ASSERT_TRUE(rig_sdma_run(&self->q));
	b = a;
	ASSERT_EQ(0, rig_ioctl(&self->r, AMDKFD_IOC_GET_CLOCK_COUNTERS, &b));
	EXPECT_LE((unsigned long long)a.gpu_clock_counter, (unsigned long long)ts[0]);
	EXPECT_LT((unsigned long long)ts[0], (unsigned long long)ts[4]);
	EXPECT_LE((unsigned long long)ts[4], (unsigned long long)b.gpu_clock_counter);
}

TEST_F(sdma, indirect_buffer)
{
	struct rig_mem ib;
	u32 *dw, at = 0, i;

	ASSERT_EQ(0, rig_alloc(&self->r, KFD_IOC_ALLOC_MEM_FLAGS_VRAM |
			       KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC, 2 * RIG_PAGE, &ib));
	dw = ib.p;
	for (i = 0; i < 300; i++) {
		const u32 fence[] = { SDMA_FENCE, VA(self->words + i), 1000 + i };

		memcpy(dw + at, fence, sizeof(fence));
		at += 4;
	}
	SDMA_PUT(&self->q, SDMA_NOP, SDMA_NOP);
	SDMA_PUT(&self->q, SDMA_INDIRECT, VA(ib.p), at, 0, 0);
	ASSERT_TRUE(rig_sdma_run(&self->q));
	for (i = 0; i < 300; i++)
		EXPECT_EQ(1000u + i, self->words[i]);
}

/* What ROCr sends for a copy with a dependency and an interrupt signal. */
TEST_F(sdma, a_copy_as_rocr_sends_it)
{
	struct rig_signal *dep = rig_signal(&self->r, 1), *done = rig_signal(&self->r, 1);
	u32 *src = self->words, *dst = self->words + 4096, id, slot;

	ASSERT_EQ(0, rig_event(&self->r, KFD_IOC_EVENT_SIGNAL, &id, &slot));
	pattern(src, 8192, 3);
	SDMA_PUT(&self->q, SDMA_POLL_EQ, VA((u8 *)&dep->value + 4), 0, ~0u,
		 SDMA_POLL_FOREVER);
	SDMA_PUT(&self->q, SDMA_POLL_EQ, VA(&dep->value), 0, ~0u, SDMA_POLL_FOREVER);
	SDMA_PUT(&self->q, SDMA_TIMESTAMP | SDMA_SUB(2), VA(&done->start_ts));
	SDMA_PUT(&self->q, SDMA_POLL, 0, 0x80000000, 0, 0, 0);
	rig_sdma_copy(&self->q, dst, src, 8192);
	SDMA_PUT(&self->q, SDMA_TIMESTAMP | SDMA_SUB(2), VA(&done->end_ts));
	SDMA_PUT(&self->q, SDMA_ATOMIC | 47u << 25, VA(&done->value), ~0u, ~0u, 0, 0, 0);
	SDMA_PUT(&self->q, SDMA_FENCE, VA(self->r.event_page + slot), id);
	SDMA_PUT(&self->q, SDMA_TRAP, id);
	rig_sdma_ring(&self->q);
	EXPECT_EQ(-ETIME, rig_event_wait(&self->r, id, 50, NULL));
	__atomic_store_n(&dep->value, 0, __ATOMIC_RELEASE);
	EXPECT_EQ(0, rig_event_wait(&self->r, id, RIG_LONG, NULL));
	EXPECT_EQ(0ll, (long long)done->value);
	EXPECT_TRUE(has_pattern(dst, 8192, 3));
	EXPECT_LT((unsigned long long)done->start_ts, (unsigned long long)done->end_ts);
}

TEST_HARNESS_MAIN
