// SPDX-License-Identifier: MIT
/* Packets that are right: results, order, completion. */
#include "queue_test.h"

TEST_F(gpu, dispatch_completes_with_result_and_timestamps)
{
	struct rig_signal *s;

	ASSERT_TRUE(queue_works(&self->r, &self->q, self->words));
	s = start_add(&self->r, &self->q, self->words, 5, 256);
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	EXPECT_EQ(self->words[0], 8);
	EXPECT_EQ(self->words[256 * 64 - 1], 5);
	EXPECT_NE(s->start_ts, 0);
	EXPECT_LE(s->start_ts, s->end_ts);
	EXPECT_TRUE(wait_read(&self->q, 2));
	EXPECT_EQ(self->q.amd->read_id, 2);
	EXPECT_EQ(self->q.ring[0].bytes[0], RIG_INVALID);
}

TEST_F(gpu, ring_wraps_many_times)
{
	enum { WRAPS = 4 };
	struct rig_signal *last = NULL;
	u32 i;

	for (i = 0; i < WRAPS * RIG_RING; i++) {
		u64 end = rig_ms() + RIG_LONG;

		while (self->q.amd->write_id - self->q.amd->read_id >= RIG_RING)
			ASSERT_LT(rig_ms(), end);
		last = start_add(&self->r, &self->q, self->words, 1, 1);
		ASSERT_TRUE(rig_wait(last, 0, RIG_LONG));
	}
	EXPECT_EQ(self->words[0], WRAPS * RIG_RING);
	EXPECT_EQ(self->words[63], WRAPS * RIG_RING);
}

TEST_F(gpu, barrier_bit_orders)
{
	struct add_args a = { (uintptr_t)self->words, 1 };
	struct rig_signal *s = rig_signal(&self->r, 32);
	union rig_packet pk;
	struct rig_kernel k;
	u32 i;

	ASSERT_EQ(rig_kernel(&self->r, "add_to", &k), 0);
	rig_dispatch_packet(&pk, &k, 4, 64, rig_args(&self->r, &a, sizeof(a)), s);
	pk.header |= RIG_BARRIER_BIT;
	for (i = 0; i < 32; i++)
		rig_put(&self->q, &pk);
	rig_ring(&self->q, 31);
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	for (i = 0; i < 256; i++)
		ASSERT_EQ(self->words[i], 32);
}

TEST_F(gpu, barrier_and_waits_for_host)
{
	struct rig_signal *dep = rig_signal(&self->r, 1), *done = rig_signal(&self->r, 1);
	union rig_packet pk = { .barrier = {
		.header = RIG_BARRIER_AND | RIG_SCOPES,
		.dep = { (uintptr_t)dep }, .signal = (uintptr_t)done,
	} };

	rig_submit(&self->q, &pk);
	EXPECT_FALSE(rig_wait(done, 0, 200));
	__atomic_store_n(&dep->value, 0, __ATOMIC_RELEASE);
	EXPECT_TRUE(rig_wait(done, 0, RIG_LONG));
}

TEST_F(gpu, barrier_or_and_other_queue)
{
	struct rig_signal *never = rig_signal(&self->r, 1), *done = rig_signal(&self->r, 1);
	struct rig_queue second;
	struct rig_signal *dep;
	union rig_packet pk = { .barrier = {
		.header = RIG_BARRIER_OR | RIG_SCOPES, .signal = (uintptr_t)done,
	} };

	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &second), 0);
	dep = rig_signal(&self->r, 2);
	pk.barrier.dep[1] = (uintptr_t)never;
	pk.barrier.dep[3] = (uintptr_t)dep;
	rig_submit(&self->q, &pk);
	EXPECT_FALSE(rig_wait(done, 0, 100));
	/* two empty barriers on the other queue decrement it to zero */
	memset(&pk, 0, sizeof(pk));
	pk.barrier.header = RIG_BARRIER_AND | RIG_SCOPES;
	pk.barrier.signal = (uintptr_t)dep;
	rig_submit(&second, &pk);
	rig_submit(&second, &pk);
	EXPECT_TRUE(rig_wait(done, 0, RIG_LONG));
}

TEST_F(gpu, barrier_value)
{
	struct rig_signal *watch = rig_signal(&self->r, 3), *done = rig_signal(&self->r, 1);
	union rig_packet pk = { .value = {
		.header = RIG_VENDOR | RIG_SCOPES, .format = 2,
		.signal = (uintptr_t)watch, .value = 7, .mask = 0xff, .cond = 3,
		.completion = (uintptr_t)done,
	} };

	rig_submit(&self->q, &pk);
	EXPECT_FALSE(rig_wait(done, 0, 100));
	__atomic_store_n(&watch->value, 0x108, __ATOMIC_RELEASE);
	EXPECT_TRUE(rig_wait(done, 0, RIG_LONG));
}

TEST_F(gpu, pm4_ib_of_cache_operations)
{
	struct rig_signal *done = rig_signal(&self->r, 1);
	/* ACQUIRE_MEM, from gfx10 on with what is done to which cache behind it; NOP */
	u32 gfx9[9] = { 0xc0055800, 1u << 29, ~0u, 0xff, 0, 0, 10, 0xc0001000, 0 };
	u32 gfx10[9] = { 0xc0065800, 0, ~0u, 0xff, 0, 0, 10, 1, 0xffff1000 };
	u32 *ib = rig_property(self->r.gpu_id, "gfx_target_version") < 100000 ? gfx9 : gfx10;
	u64 va = rig_args(&self->r, ib, sizeof(gfx9));
	union rig_packet pk = { .ib = {
		.header = RIG_VENDOR | RIG_SCOPES | RIG_BARRIER_BIT, .format = 1,
		.jump = { 0xc0023f00, (u32)va, (u32)(va >> 32), 9 | 1 << 23 },
		.remain = 10, .signal = (uintptr_t)done,
	} };

	rig_submit(&self->q, &pk);
	EXPECT_TRUE(rig_wait(done, 0, RIG_LONG));
}

TEST_F(gpu, mailbox_and_event)
{
	struct add_args a = { (uintptr_t)self->words, 1 };
	struct rig_signal *s = rig_signal(&self->r, 1);
	union rig_packet pk;
	struct rig_kernel k;
	u32 id, slot;

	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_SIGNAL, &id, &slot), 0);
	EXPECT_EQ(rig_event_wait(&self->r, id, 50, NULL), -ETIME);
	s->mailbox = (uintptr_t)&self->r.event_page[slot];
	s->event_id = id;
	ASSERT_EQ(rig_kernel(&self->r, "add_to", &k), 0);
	rig_dispatch_packet(&pk, &k, 1, 64, rig_args(&self->r, &a, sizeof(a)), s);
	rig_submit(&self->q, &pk);
	EXPECT_EQ(rig_event_wait(&self->r, id, RIG_LONG, NULL), 0);
	EXPECT_EQ(s->value, 0);
}

TEST_F(gpu, event_from_a_wave)
{
	u32 id, slot;

	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_SIGNAL, &id, &slot), 0);
	start(&self->r, &self->q, "send_event", (uintptr_t)&self->r.event_page[slot], id,
	      1, 1);
	EXPECT_EQ(rig_event_wait(&self->r, id, RIG_LONG, NULL), 0);
}

TEST_F(gpu, partial_work_groups)
{
	struct {
		u64 out;
		u32 stride_y, size_x, size_y;
	} a = { (uintptr_t)self->words, 128, 24, 4 };
	struct rig_signal *s = rig_signal(&self->r, 1);
	union rig_packet pk;
	struct rig_kernel k;
	u32 x, y;

	memset(self->words, 0xff, 128 * 16 * 4);
	ASSERT_EQ(rig_kernel(&self->r, "who", &k), 0);
	rig_dispatch_packet(&pk, &k, 1, 1, rig_args(&self->r, &a, sizeof(a)), s);
	pk.dispatch.setup = 2;
	pk.dispatch.group[0] = 24;
	pk.dispatch.group[1] = 4;
	pk.dispatch.grid[0] = 100;
	pk.dispatch.grid[1] = 9;
	rig_submit(&self->q, &pk);
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	for (y = 0; y < 9; y++)
		for (x = 0; x < 100; x++)
			ASSERT_EQ(self->words[y * 128 + x],
				  x % 24 | y % 4 << 8 | x / 24 << 16 | y / 4 << 24);
	EXPECT_EQ(self->words[100], ~0u);
	EXPECT_EQ(self->words[9 * 128], ~0u);
}

/* More matrix operations than a wave's turn has. */
TEST_F(gpu, matrix_operations)
{
	const float *d = (const float *)self->words;
	struct rig_signal *s;
	u32 i;

	if (!rig_has_matrix(&self->r))
		SKIP(return, "no matrix operations");
	s = start(&self->r, &self->q, "matrix", (uintptr_t)self->words, 300, 4, 64);
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	for (i = 0; i < 4 * 256; i++)
		ASSERT_EQ(d[i], 300 * 4 * (i % 64 / 16 * 4 + i % 256 / 64 + 1));
}

TEST_F(gpu, sixteen_waves_share_lds)
{
	struct rig_signal *s;
	u32 i;

	for (i = 0; i < 4 * 1024; i++)
		self->words[i] = i;
	s = start(&self->r, &self->q, "reverse", (uintptr_t)self->words, 0, 4, 1024);
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	for (i = 0; i < 4 * 1024; i++)
		ASSERT_EQ(self->words[i], (i & ~1023u) | (1023 - (i & 1023)));
}

static u32 scratch_result(u32 i)
{
	return 32 * (i * 32) + 31 * 32 / 2;
}

/*
 * What a runtime does: memory, V#, wave size, then 0 into the signal. @waves may be at
 * work in an XCC; each XCC has memory of its own, one behind another. On gfx11 they are those of
 * a shader engine.
 */
static int give_scratch(struct rig *r, struct rig_queue *q, u32 waves, u32 lane_bytes,
			struct rig_mem *backing)
{
	long version = rig_property(r->gpu_id, "gfx_target_version");
	u32 wave_bytes = (version < 100000 ? 64 : 32) * lane_bytes;
	struct rig_amd_queue *amd = q->amd;
	int ret;

	ret = rig_alloc(r, KFD_IOC_ALLOC_MEM_FLAGS_VRAM,
			rig_scratch_parts(r) * waves * (size_t)wave_bytes, backing);
	if (ret)
		return ret;
	amd->scratch_base = (uintptr_t)backing->p;
	amd->scratch_bytes = waves * (size_t)wave_bytes;
	amd->lane_bytes = lane_bytes;
	amd->tmpring = waves | wave_bytes / (version < 110000 ? 1024 : 256) << 12;
	rig_scratch_srd(version, amd->scratch_base, amd->scratch_bytes, amd->srd);
	__atomic_store_n(&q->inactive->value, 0, __ATOMIC_RELEASE);
	return 0;
}

TEST_F(gpu, insufficient_scratch_is_retried)
{
	struct rig_signal *s;
	struct rig_mem backing;
	u32 i;

	s = start(&self->r, &self->q, "scratch", (uintptr_t)self->words, 0, 16, 64);
	ASSERT_TRUE(rig_wait(self->q.inactive, 1, RIG_LONG));
	EXPECT_EQ(s->value, 1);
	EXPECT_EQ(self->q.amd->read_id, 0);

	ASSERT_EQ(give_scratch(&self->r, &self->q, 64, 256, &backing), 0);
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	for (i = 0; i < 16 * 64; i++)
		ASSERT_EQ(self->words[i], scratch_result(i));
}

/*
 * On hardware, all waves have read the word before the first one gets as far as to change it, and there
 * are programs that rely on that (ISA_FIRST_TURN).
 */
TEST_F(gpu, what_one_changes_behind_the_others)
{
	u32 i, k, x = 1, sum = 0;
	struct rig_signal *s;

	for (k = 0; k < 200; k++) {
		sum = sum * 5 + x;
		x = x * 3 + k;
	}
	for (k = 0; k < 5; k++) {
		memset(self->words, 0, 16 * 256 * 4);
		s = start(&self->r, &self->q, "read_then_changed", (uintptr_t)self->words, 0, 16, 256);
		ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
		for (i = 0; i < 16 * 256; i++)
			ASSERT_EQ(sum, self->words[i]);
	}
}

/* Nor have the others come as far as to change what the first one reads right behind a barrier. */
TEST_F(gpu, what_the_others_change_behind_the_first)
{
	u64 end = rig_ms() + 3000;
	u32 i, k, sum[64] = { 0 };
	struct rig_signal *s;

	for (k = 0; k < 200; k++)
		for (i = 0; i < 64; i++)
			sum[i] = sum[i] * 5 + (i + 64) * 7 + k;
	/* As often as it takes until it is compiled, where that is quick */
	for (k = 0; k < 3 || (k < 300 && rig_ms() < end); k++) {
		s = start(&self->r, &self->q, "read_then_overwritten", (uintptr_t)self->words, 0, 16,
			  256);
		ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
		for (i = 0; i < 16 * 256; i++)
			ASSERT_EQ(i % 256 < 64 ? sum[i % 256] : 0, self->words[i]);
	}
}

/* Work-groups go round the XCCs: the scratch of each is written, and nothing behind it. */
TEST_F(gpu, every_xcc_has_its_scratch)
{
	long xccs = rig_property(self->r.gpu_id, "num_xcc");
	size_t share = 64ul * 256;
	struct rig_signal *s;
	struct rig_mem backing;
	long i, k, used;

	if (xccs < 2)
		SKIP(return, "one XCC as far as this kernel tells");
	s = start(&self->r, &self->q, "scratch", (uintptr_t)self->words, 0, 16, 64);
	ASSERT_TRUE(rig_wait(self->q.inactive, 1, RIG_LONG));
	ASSERT_EQ(give_scratch(&self->r, &self->q, 1, 256, &backing), 0);
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	for (i = 0; i < 16 * 64; i++)
		ASSERT_EQ(self->words[i], scratch_result(i));
	for (k = 0; k < xccs; k++) {
		const u8 *p = (const u8 *)backing.p + k * share;

		for (used = 0, i = 0; i < (long)share; i++)
			used += p[i] != 0;
		EXPECT_NE(used, 0);
	}
}

TEST_F(gpu, sixty_four_queues)
{
	struct rig_queue *q = calloc(64, sizeof(*q));
	struct rig_signal *s[64];
	u32 i, round;

	ASSERT_NE(q, NULL);
	for (i = 0; i < 64; i++)
		ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &q[i]), 0);
	for (round = 0; round < 4; round++) {
		for (i = 0; i < 64; i++)
			s[i] = start_add(&self->r, &q[i], self->words + i * 64, i + 1, 1);
		for (i = 0; i < 64; i++)
			ASSERT_TRUE(rig_wait(s[i], 0, RIG_LONG));
	}
	for (i = 0; i < 64; i++) {
		EXPECT_EQ(self->words[i * 64 + 63], 4 * (i + 1));
		EXPECT_EQ(rig_queue_destroy(&self->r, &q[i]), 0);
	}
	free(q);
}

TEST_F(gpu, recycled_doorbell_starts_clean)
{
	struct rig_queue q;
	u32 i;

	for (i = 0; i < 20; i++) {
		ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &q), 0);
		ASSERT_TRUE(queue_works(&self->r, &q, self->words));
		ASSERT_TRUE(queue_works(&self->r, &q, self->words));
		ASSERT_EQ(rig_queue_destroy(&self->r, &q), 0);
	}
}

TEST_HARNESS_MAIN
