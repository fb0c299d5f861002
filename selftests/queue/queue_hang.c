// SPDX-License-Identifier: MIT
/*
 * What is a hang and what is not: the queue that cannot get on is reset, its
 * process is told, the others never notice; who only takes long is left alone.
 */
#include <fcntl.h>
#include <stdio.h>

#include "queue_test.h"
#include "rig_pm4.h"
#include "rig_sdma.h"

#define LIMIT	"/sys/module/vkfd/parameters/hang_ms"
#define HANG_MS	400

static int set_limit(unsigned int ms)
{
	FILE *f = fopen(LIMIT, "w");

	if (!f)
		return -errno;
	fprintf(f, "%u\n", ms);
	return fclose(f) ? -errno : 0;
}

FIXTURE(hang) {
	struct rig r;
	struct pm4_queue q, other;
	struct rig_mem data;
	volatile u32 *w;
	u32 event;
};

FIXTURE_SETUP(hang)
{
	u32 slot;

	ASSERT_EQ(rig_open(&self->r), 0);
	ASSERT_EQ(rig_load(&self->r), 0);
	ASSERT_EQ(pm4_create(&self->r, PM4_RING, 7, &self->q), 0);
	ASSERT_EQ(pm4_create(&self->r, PM4_RING, 7, &self->other), 0);
	ASSERT_EQ(rig_anon(&self->r, 16 * RIG_PAGE, &self->data), 0);
	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_HW_EXCEPTION, &self->event, &slot), 0);
	self->w = self->data.p;
	ASSERT_EQ(set_limit(HANG_MS), 0);
}

FIXTURE_TEARDOWN(hang)
{
	set_limit(10000);
	rig_close(&self->r);
}

/* The event comes, the queue is off, others of the process and others go on. */
static bool was_reset(FIXTURE_DATA(hang) *self)
{
	struct kfd_event_data d;

	if (rig_event_wait(&self->r, self->event, RIG_LONG, &d) ||
	    d.hw_exception_data.gpu_id != self->r.gpu_id || d.hw_exception_data.reset_cause)
		return false;
	PM4_SUBMIT(&self->other, PM4_WRITE(&self->w[8], self->w[8] + 1));
	return pm4_consumed(&self->other, RIG_LONG) && other_process_works() &&
	       !pm4_destroy(&self->r, &self->q);
}

static bool was_left_alone(FIXTURE_DATA(hang) *self)
{
	return rig_event_wait(&self->r, self->event, 4 * HANG_MS, NULL) == -ETIME;
}

TEST_F(hang, half_a_packet)
{
	const u32 pkt[] = { PM4_WRITE(&self->w[0], 9) };

	pm4_put(&self->q, pkt, 3);
	pm4_ring(&self->q);
	EXPECT_TRUE(was_reset(self));
	EXPECT_EQ(self->w[0], 0);
}

TEST_F(hang, buffers_in_a_circle)
{
	u32 *ib = (u32 *)self->data.p + 1024;
	const u32 a[] = { PM4_WRITE(&self->w[0], 1), PM4_CHAIN(ib + 64, 9) };
	const u32 b[] = { PM4_WRITE(&self->w[1], 1), PM4_CHAIN(ib, 9) };

	memcpy(ib, a, sizeof(a));
	memcpy(ib + 64, b, sizeof(b));
	PM4_SUBMIT(&self->q, PM4_IB(ib, 9));
	EXPECT_TRUE(was_reset(self));
	EXPECT_EQ(self->w[1], 1);
}

TEST_F(hang, waves_that_are_halted)
{
	u64 a[2] = { (uintptr_t)&self->w[0], 0 };
	struct rig_kernel k;
	u32 dw[64], n;

	ASSERT_EQ(rig_kernel(&self->r, "halt", &k), 0);
	n = pm4_kernel(&k, rig_args(&self->r, a, sizeof(a)), 4, 64, dw);
	pm4_put(&self->q, dw, n);
	pm4_ring(&self->q);
	EXPECT_TRUE(was_reset(self));
	EXPECT_EQ(self->w[0], 1);
}

TEST_F(hang, a_long_kernel_is_none)
{
	struct spin_args a = { (uintptr_t)&self->w[0], (uintptr_t)&self->w[1] };
	static const char * const names[] = { "spin", "spin_sleep" };
	struct rig_kernel k;
	u32 dw[64], n, i;

	for (i = 0; i < 2; i++) {
		self->w[0] = 0;
		ASSERT_EQ(rig_kernel(&self->r, names[i], &k), 0);
		n = pm4_kernel(&k, rig_args(&self->r, &a, sizeof(a)), 2, 64, dw);
		pm4_put(&self->q, dw, n);
		PM4_SUBMIT(&self->q, PM4_HDR(PM4_EVENT_WRITE, 2), 0x407);
		EXPECT_TRUE(was_left_alone(self));
		__atomic_store_n(&self->w[0], 1, __ATOMIC_RELEASE);
		EXPECT_TRUE(pm4_consumed(&self->q, RIG_LONG));
	}
}

TEST_F(hang, waiting_for_memory_is_none)
{
	PM4_SUBMIT(&self->q, PM4_WAIT(&self->w[0], 7), PM4_WRITE(&self->w[1], 1));
	EXPECT_TRUE(was_left_alone(self));
	__atomic_store_n(&self->w[0], 7, __ATOMIC_RELEASE);
	EXPECT_TRUE(rig_wait32(&self->w[1], 1, RIG_LONG));
}

TEST_F(hang, a_paused_queue_is_none)
{
	struct spin_args a = { (uintptr_t)&self->w[0], (uintptr_t)&self->w[1] };
	struct rig_kernel k;
	u32 dw[64], n;

	ASSERT_EQ(rig_kernel(&self->r, "spin", &k), 0);
	n = pm4_kernel(&k, rig_args(&self->r, &a, sizeof(a)), 2, 64, dw);
	pm4_put(&self->q, dw, n);
	pm4_ring(&self->q);
	ASSERT_TRUE(rig_wait32(&self->w[1], 1, RIG_LONG));
	ASSERT_EQ(pm4_update(&self->r, &self->q, self->q.ring, PM4_RING, 0), 0);
	EXPECT_TRUE(was_left_alone(self));
	ASSERT_EQ(pm4_update(&self->r, &self->q, self->q.ring, PM4_RING, 100), 0);
	__atomic_store_n(&self->w[0], 1, __ATOMIC_RELEASE);
	EXPECT_TRUE(pm4_consumed(&self->q, RIG_LONG));
}

TEST_F(hang, an_unpublished_aql_packet_is_none)
{
	struct rig_queue aql;

	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &aql), 0);
	/* rung for, but its header still says INVALID */
	aql.amd->write_id = 1;
	rig_ring(&aql, 0);
	EXPECT_TRUE(was_left_alone(self));
	aql.amd->write_id = 0;
	EXPECT_TRUE(queue_works(&self->r, &aql, (u32 *)self->w + 64));
}

TEST_F(hang, zero_is_never)
{
	const u32 pkt[] = { PM4_WRITE(&self->w[0], 9) };

	ASSERT_EQ(set_limit(0), 0);
	pm4_put(&self->q, pkt, 3);
	pm4_ring(&self->q);
	EXPECT_TRUE(was_left_alone(self));
	pm4_put(&self->q, pkt + 3, 2);
	pm4_ring(&self->q);
	EXPECT_TRUE(rig_wait32(&self->w[0], 9, RIG_LONG));
}

/* Who takes a queue away that is in the middle of a packet is told at once. */
TEST_F(hang, destroyed_within_a_packet)
{
	const u32 pkt[] = { PM4_WRITE(&self->w[0], 9) };

	ASSERT_EQ(set_limit(0), 0);
	pm4_put(&self->q, pkt, 3);
	pm4_ring(&self->q);
	EXPECT_TRUE(was_left_alone(self));
	EXPECT_EQ(pm4_destroy(&self->r, &self->q), 0);
	EXPECT_EQ(rig_event_wait(&self->r, self->event, RIG_LONG, NULL), 0);
	EXPECT_EQ(self->w[0], 0);
	PM4_SUBMIT(&self->other, PM4_WRITE(&self->w[8], 1));
	EXPECT_TRUE(pm4_consumed(&self->other, RIG_LONG));
}

/* Two queues of one engine: the first hangs, the second waits for memory. */
static void sdma_pair(FIXTURE_DATA(hang) *self, struct rig_sdma *bad, struct rig_sdma *good)
{
	u32 *w = (u32 *)self->data.p;

	memset(bad, 0, sizeof(*bad));
	memset(good, 0, sizeof(*good));
	ASSERT_EQ(rig_sdma_create(&self->r, KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID, 0, bad), 0);
	ASSERT_EQ(rig_sdma_create(&self->r, KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID, 0, good), 0);
	SDMA_PUT(good, SDMA_POLL_EQ, VA(&w[16]), 1, ~0u, SDMA_POLL_FOREVER);
	rig_sdma_ring(good);
	/* A write of seven dwords, of which one is there */
	SDMA_PUT(bad, SDMA_WRITE, VA(&w[32]), 6, 0x1234);
	rig_sdma_ring(bad);
}

static void sdma_goes_on(FIXTURE_DATA(hang) *self, struct rig_sdma *good)
{
	__atomic_store_n(&self->w[16], 1, __ATOMIC_RELEASE);
	if (!rig_sdma_run(good)) {
		TH_LOG("the queue that polled is at %llu of %llu", (unsigned long long)*good->rptr,
		       (unsigned long long)*good->wptr);
		rig_say_state();
		EXPECT_TRUE(false);
	}
	EXPECT_EQ(self->w[32], 0);
	EXPECT_TRUE(other_process_works());
}

TEST_F(hang, half_an_sdma_packet)
{
	struct rig_sdma bad, good;

	sdma_pair(self, &bad, &good);
	EXPECT_EQ(rig_event_wait(&self->r, self->event, RIG_LONG, NULL), 0);
	sdma_goes_on(self, &good);
	/* Once, and not again at the end */
	EXPECT_EQ(rig_sdma_destroy(&self->r, &bad), 0);
	EXPECT_EQ(rig_event_wait(&self->r, self->event, 200, NULL), -ETIME);
}

TEST_F(hang, sdma_destroyed_within_a_packet)
{
	struct rig_sdma bad, good;

	ASSERT_EQ(set_limit(0), 0);
	sdma_pair(self, &bad, &good);
	EXPECT_TRUE(was_left_alone(self));
	EXPECT_EQ(rig_sdma_destroy(&self->r, &bad), 0);
	EXPECT_EQ(rig_event_wait(&self->r, self->event, RIG_LONG, NULL), 0);
	sdma_goes_on(self, &good);
}

TEST_HARNESS_MAIN
