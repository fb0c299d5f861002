// SPDX-License-Identifier: MIT
/*
 * User queues of the render node that are no PM4 queues: AQL and SDMA, which are there with
 * user_queue=2 only.
 */
#include <unistd.h>

#include "userq_util.h"

#define AQL	(1u << 3)	/* AMDGPU_USERQ_CREATE_FLAGS_QUEUE_AQL_COMPUTE */
#define PACKET	64u
#define BARRIER	3u		/* BARRIER_AND */
#define WRITE_ID	(56 / 8)	/* of struct amd_queue, in words of 8 bytes */
#define READ_ID		(128 / 8)

FIXTURE(kinds) {
	struct cs_file f;
	struct userq q;
	int was;
};

FIXTURE_SETUP(kinds)
{
	self->was = use_user_queues(2);
	cs_open(&self->f);
	userq_prepare(self->f.fd, &self->q);
}

FIXTURE_TEARDOWN(kinds)
{
	cs_close(&self->f);
	use_user_queues(self->was);
}

static void start(struct userq *q)
{
	union drm_amdgpu_userq a = q->args;

	ASSERT_EQ(0, userq(q->fd, &a));
	q->id = a.out.queue_id;
}

static void start_aql(struct userq *q)
{
	uint32_t i;

	q->args.in.flags = AQL;
	q->args.in.wptr_va = (uintptr_t)(q->index + WRITE_ID);
	q->args.in.rptr_va = (uintptr_t)(q->index + READ_ID);
	for (i = 0; i < RING_DWORDS; i += PACKET / 4)
		q->ring[i] = 1;		/* INVALID */
	start(q);
}

static void start_sdma(struct userq *q)
{
	q->args.in.ip_type = AMDGPU_HW_IP_DMA;
	start(q);
}

/* Of a barrier packet that waits for @dep, if any, and whose completion decrements @signal. */
static void put_barrier(struct userq *q, volatile void *dep, volatile void *signal)
{
	volatile uint32_t *p = q->ring + q->wptr * (PACKET / 4) % RING_DWORDS;
	uint64_t at = (uintptr_t)signal;
	uint32_t i;

	for (i = 1; i < PACKET / 4; i++)
		p[i] = 0;
	p[2] = (uint32_t)(uintptr_t)dep;
	p[3] = (uint32_t)((uintptr_t)dep >> 32);
	p[14] = (uint32_t)at;
	p[15] = (uint32_t)(at >> 32);
	__atomic_store_n(&p[0], BARRIER | 1u << 8, __ATOMIC_RELEASE);
	__atomic_store_n((uint64_t *)&q->index[WRITE_ID], ++q->wptr, __ATOMIC_RELEASE);
	__atomic_store_n((uint64_t *)&q->doorbell[3], q->wptr - 1, __ATOMIC_RELEASE);
}

static bool wait64(volatile uint64_t *p, uint64_t value)
{
	uint64_t end = rig_ms() + 60000;

	while (__atomic_load_n(p, __ATOMIC_ACQUIRE) != value) {
		if (rig_ms() > end)
			return false;
		usleep(200);
	}
	return true;
}

TEST_F(kinds, aql)
{
	struct userq *q = &self->q;
	volatile uint64_t *signal = (volatile uint64_t *)(self->f.w + 64);
	uint32_t i;

	start_aql(q);
	signal[0] = 1;		/* kind: user's */
	/* More than once around the ring of 64 */
	for (i = 0; i < 200; i++) {
		signal[1] = 1;
		put_barrier(q, NULL, signal);
		ASSERT_TRUE(wait64(signal + 1, 0));
	}
	EXPECT_TRUE(wait64(q->index + READ_ID, 200));
	EXPECT_EQ(0, userq_free(q));
	/* After the end nothing looks at the doorbell. */
	signal[1] = 1;
	put_barrier(q, NULL, signal);
	usleep(20000);
	EXPECT_EQ(1u, signal[1]);
}

TEST_F(kinds, sdma)
{
	struct userq *q = &self->q;
	volatile uint32_t *w = self->f.w;
	uint64_t from = (uintptr_t)(w + 1), to = (uintptr_t)(w + 2), fence = (uintptr_t)(w + 3);
	uint32_t i;

	start_sdma(q);
	for (i = 1; i <= 300; i++) {
		w[1] = i;
		PUT(q, 1, 3, 0, (uint32_t)from, from >> 32, (uint32_t)to, to >> 32,
		    5, (uint32_t)fence, fence >> 32, i);
		/* Its indices are in bytes. */
		__atomic_store_n((uint64_t *)q->index, 4 * q->wptr, __ATOMIC_RELEASE);
		__atomic_store_n((uint64_t *)&q->doorbell[3], 4 * q->wptr, __ATOMIC_RELEASE);
		for (uint64_t end = rig_ms() + 60000; w[3] != i && rig_ms() < end;)
			usleep(200);
		ASSERT_EQ(i, w[3]);
		ASSERT_EQ(i, w[2]);
	}
	EXPECT_TRUE(wait64(q->index + 1, 4 * q->wptr));
	EXPECT_EQ(0, userq_free(q));
}

static void ring_sdma(struct userq *q)
{
	/* Its indices are in bytes. */
	__atomic_store_n((uint64_t *)q->index, 4 * q->wptr, __ATOMIC_RELEASE);
	__atomic_store_n((uint64_t *)&q->doorbell[3], 4 * q->wptr, __ATOMIC_RELEASE);
}

static uint32_t reset_state(struct userq *q, uint32_t ctx, uint64_t *flags)
{
	union drm_amdgpu_ctx c;

	ASSERT_EQ(0, cs_ctx(q->fd, AMDGPU_CTX_OP_QUERY_STATE2, ctx, 0, &c));
	*flags = c.out.state.flags;
	ASSERT_EQ(0, cs_ctx(q->fd, AMDGPU_CTX_OP_QUERY_STATE, ctx, 0, &c));
	return c.out.state.reset_status;
}

/* Whose packets say nothing of fences: of an AQL queue, packets that are done tell. */
TEST_F(kinds, fences_of_aql)
{
	struct userq *q = &self->q;
	volatile uint64_t *dep = (volatile uint64_t *)(self->f.w + 64), *signal = dep + 8;
	uint32_t first = syncobj(q->fd), both = syncobj(q->fd), later = syncobj(q->fd);
	uint64_t flags;

	start_aql(q);
	dep[0] = 1;
	dep[1] = 1;
	signal[0] = 1;
	signal[1] = 2;
	/* Of nothing */
	ASSERT_EQ(0, signal_to(q, later, 0));
	EXPECT_EQ(0, sync_state(q->fd, later));
	put_barrier(q, NULL, signal);
	ASSERT_EQ(0, signal_to(q, first, 0));
	EXPECT_EQ(0, sync_wait(q->fd, first, FOREVER));
	EXPECT_EQ(1u, signal[1]);
	put_barrier(q, dep, signal);
	ASSERT_EQ(0, signal_to(q, both, self->f.h));
	EXPECT_EQ(ETIME, sync_wait(q->fd, both, cs_in_ms(30)));
	__atomic_store_n((uint64_t *)&dep[1], 0, __ATOMIC_RELEASE);
	EXPECT_EQ(0, sync_wait(q->fd, both, FOREVER));
	EXPECT_EQ(0u, signal[1]);
	EXPECT_EQ(0, userq_free(q));
	/* Its end is no reset. */
	EXPECT_EQ(0u, reset_state(q, self->f.ctx, &flags));
	EXPECT_EQ(0ull, flags);
}

/* Of an SDMA queue, too. What fails is a reset, of which a context tells, and nothing else. */
TEST_F(kinds, fences_of_sdma)
{
	struct userq *q = &self->q;
	volatile uint32_t *w = self->f.w;
	uint64_t gate = (uintptr_t)w, fence = (uintptr_t)(w + 3), flags;
	uint32_t sync = syncobj(q->fd), bad = syncobj(q->fd);

	start_sdma(q);
	PUT(q, 8 | 3u << 28 | 1u << 31, (uint32_t)gate, gate >> 32, 1, ~0u, 0xfffu << 16 | 4,
	    5, (uint32_t)fence, fence >> 32, 9);
	ring_sdma(q);
	ASSERT_EQ(0, signal_to(q, sync, self->f.h));
	EXPECT_EQ(ETIME, sync_wait(q->fd, sync, cs_in_ms(30)));
	EXPECT_EQ(0u, w[3]);
	w[0] = 1;
	EXPECT_EQ(0, sync_wait(q->fd, sync, FOREVER));
	EXPECT_EQ(9u, w[3]);
	EXPECT_EQ(0u, reset_state(q, self->f.ctx, &flags));
	EXPECT_EQ(0ull, flags);
	PUT(q, 0xff);
	ring_sdma(q);
	ASSERT_EQ(0, signal_to(q, bad, 0));
	EXPECT_EQ(0, sync_wait(q->fd, bad, FOREVER));
	/* The fence comes first. */
	for (uint64_t end = rig_ms() + 60000; rig_ms() < end;) {
		if (reset_state(q, self->f.ctx, &flags))
			break;
		usleep(200);
	}
	EXPECT_EQ((uint64_t)AMDGPU_CTX_QUERY2_FLAGS_RESET, flags);
	/* Told once, but by flags. */
	EXPECT_EQ(0u, reset_state(q, self->f.ctx, &flags));
	EXPECT_EQ((uint64_t)AMDGPU_CTX_QUERY2_FLAGS_RESET, flags);
	EXPECT_EQ(0, userq_free(q));
}

/* A packet that no SDMA engine knows ends the queue, and no more. */
TEST_F(kinds, an_sdma_queue_that_fails)
{
	struct userq *q = &self->q;
	volatile uint32_t *w = self->f.w;
	uint64_t fence = (uintptr_t)(w + 3);

	start_sdma(q);
	w[3] = 0;
	PUT(q, 0xff, 5, (uint32_t)fence, fence >> 32, 1);
	__atomic_store_n((uint64_t *)q->index, 4 * q->wptr, __ATOMIC_RELEASE);
	__atomic_store_n((uint64_t *)&q->doorbell[3], 4 * q->wptr, __ATOMIC_RELEASE);
	usleep(50000);
	EXPECT_EQ(0u, w[3]);
	EXPECT_EQ(0, userq_free(q));
	EXPECT_EQ(ENOENT, userq_free(q));
}

TEST_F(kinds, what_is_not_taken)
{
	struct userq *q = &self->q;
	union drm_amdgpu_userq a = q->args;

	a.in.flags = 1 << 4;
	EXPECT_EQ(EINVAL, userq(q->fd, &a));
	a = q->args;
	a.in.ip_type = AMDGPU_HW_IP_DMA;
	a.in.flags = AQL;
	EXPECT_EQ(EINVAL, userq(q->fd, &a));
	a = q->args;
	a.in.ip_type = AMDGPU_HW_IP_GFX;
	EXPECT_EQ(EINVAL, userq(q->fd, &a));
	/* As the driver of today: PM4 only */
	use_user_queues(1);
	a = q->args;
	a.in.flags = AQL;
	EXPECT_EQ(EINVAL, userq(q->fd, &a));
	a.in.flags = 0;
	a.in.ip_type = AMDGPU_HW_IP_DMA;
	EXPECT_EQ(EINVAL, userq(q->fd, &a));
	use_user_queues(2);
}

TEST_HARNESS_MAIN
