// SPDX-License-Identifier: MIT
/*
 * SDMA queues: packets that cannot be, memory that is not there, processes
 * that die. The culprit is told, the others do not notice.
 */
#include "../kfd/file_util.h"
#include "queue_test.h"
#include "rig_sdma.h"

#define BIG	(32 * 1024 * 1024u)
#define COPIES	256	/* which take seconds: longer than a busy host keeps us waiting */
#define STATS	"/sys/kernel/debug/kfd/0/stats"

FIXTURE(bad) {
	struct rig r;
	struct rig_sdma q;
	struct rig_mem data;
	u32 *words;
};

FIXTURE_SETUP(bad)
{
	ASSERT_EQ(0, rig_open(&self->r));
	ASSERT_EQ(0, rig_sdma_create(&self->r, KFD_IOC_QUEUE_TYPE_SDMA, 0, &self->q));
	ASSERT_EQ(0, rig_anon(&self->r, 16 * RIG_PAGE, &self->data));
	self->words = self->data.p;
}

FIXTURE_TEARDOWN(bad)
{
	rig_close(&self->r);
}

/* A child with a GPU of its own copies something. */
static bool other_process_copies(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		struct rig_sdma q = { 0 };
		struct rig_mem m;
		struct rig r;
		u32 *w;

		if (rig_open(&r) || rig_anon(&r, 2 * RIG_PAGE, &m) ||
		    rig_sdma_create(&r, KFD_IOC_QUEUE_TYPE_SDMA, 0, &q))
			_exit(1);
		w = m.p;
		w[0] = 0x600d;
		rig_sdma_copy(&q, w + 1024, w, 4096);
		_exit(!rig_sdma_run(&q) || w[1024] != 0x600d);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       !WEXITSTATUS(status);
}

/* ----------------------------------------------------------------- packets */

static void stops(struct rig *r, const u32 *dw, u32 n)
{
	struct kfd_event_data data;
	struct rig_sdma q = { 0 };
	u32 id, slot;

	ASSERT_EQ(0, rig_event(r, KFD_IOC_EVENT_HW_EXCEPTION, &id, &slot));
	ASSERT_EQ(0, rig_sdma_create(r, KFD_IOC_QUEUE_TYPE_SDMA, 0, &q));
	SDMA_PUT(&q, SDMA_FENCE, VA(q.fences + 1), 7);
	rig_sdma_put(&q, dw, n);
	rig_sdma_submit(&q);
	EXPECT_EQ(0, rig_event_wait(r, id, RIG_LONG, &data));
	EXPECT_EQ(r->gpu_id, data.hw_exception_data.gpu_id);
	/* In order: what is before it is done, what is behind it is not. */
	EXPECT_EQ(7u, q.fences[1]);
	EXPECT_EQ(0u, q.fences[0]);
	EXPECT_EQ(16ull, (unsigned long long)*q.rptr);
	EXPECT_EQ(0, rig_sdma_destroy(r, &q));
}

#define STOPS(...) do {							\
	const u32 bad_[] = { __VA_ARGS__ };				\
	stops(&self->r, bad_, sizeof(bad_) / 4);			\
} while (0)

TEST_F(bad, packets_stop_their_queue)
{
	STOPS(0xff);					/* unknown */
	STOPS(17, 0, 0, 0, 0);				/* GCR is not of GFX9 */
	STOPS(SDMA_COPY | SDMA_SUB(1));			/* tiled */
	STOPS(14, 0, 0);				/* SRBM_WRITE */
	STOPS(12 | SDMA_SUB(1), 0, 0, 0, 0, 0, 0, 0, 0, 0);	/* page tables */
	STOPS(SDMA_FENCE | SDMA_SUB(2), VA(self->words + 1), 1, 0);	/* 64 bits at 4 */
	STOPS(SDMA_POLL | SDMA_SUB(5) | 7u << 28, VA(self->words), 1, 0, ~0u, ~0u, 0);
	STOPS(SDMA_POLL | 3u << 28, 0x1234, 0, 0, ~0u, 0);	/* a register */
	STOPS(SDMA_FENCE, LO(self->words) | 1, HI(self->words), 1);
	STOPS(SDMA_WRITE, VA(self->words), 0xfffff);	/* longer than the ring */
	STOPS(SDMA_INDIRECT, VA(self->words), 8, 0, 0);	/* not at a dword 2 of 8 */
	/* The queue beside it goes on. */
	EXPECT_TRUE(rig_sdma_run(&self->q));
	EXPECT_TRUE(other_process_copies());
}

TEST_F(bad, indirect_buffer_that_calls_itself)
{
	const u32 ib[8] = { SDMA_INDIRECT, VA(self->words), 8, 0, 0, 0, 0 };
	u32 id, slot;

	ASSERT_EQ(0, rig_event(&self->r, KFD_IOC_EVENT_HW_EXCEPTION, &id, &slot));
	memcpy(self->words, ib, sizeof(ib));
	SDMA_PUT(&self->q, SDMA_NOP, SDMA_NOP);
	SDMA_PUT(&self->q, SDMA_INDIRECT, VA(self->words), 8, 0, 0);
	rig_sdma_submit(&self->q);
	EXPECT_EQ(0, rig_event_wait(&self->r, id, RIG_LONG, NULL));
	EXPECT_EQ(0u, self->q.fences[0]);
}

TEST_F(bad, write_pointer_beyond_the_ring)
{
	u32 id, slot;

	ASSERT_EQ(0, rig_event(&self->r, KFD_IOC_EVENT_HW_EXCEPTION, &id, &slot));
	self->q.written = 16 * SDMA_RING + 4;
	rig_sdma_ring(&self->q);
	EXPECT_EQ(0, rig_event_wait(&self->r, id, RIG_LONG, NULL));
}

/* ------------------------------------------------------------------- faults */

static void faults(struct rig *r, struct rig_sdma *q, u64 va, bool read)
{
	struct kfd_event_data data;
	u32 id, slot;

	ASSERT_EQ(0, rig_event(r, KFD_IOC_EVENT_MEMORY, &id, &slot));
	rig_sdma_submit(q);
	ASSERT_EQ(0, rig_event_wait(r, id, RIG_LONG, &data));
	EXPECT_EQ(va & ~4095ull, (unsigned long long)data.memory_exception_data.va);
	EXPECT_EQ(r->gpu_id, data.memory_exception_data.gpu_id);
	EXPECT_EQ(1u, data.memory_exception_data.failure.NotPresent);
	EXPECT_EQ(0u, q->fences[0]);
	(void)read;
	EXPECT_TRUE(other_process_copies());
}

TEST_F(bad, write_to_nowhere)
{
	SDMA_PUT(&self->q, SDMA_WRITE, VA(0x123456789000ull), 0, 1);
	faults(&self->r, &self->q, 0x123456789000ull, false);
}

TEST_F(bad, copy_from_nowhere)
{
	rig_sdma_copy(&self->q, self->words, (void *)0x123456789000ull, 4096);
	faults(&self->r, &self->q, 0x123456789000ull, true);
}

/* A copy that runs out of its buffer has copied what there was. */
TEST_F(bad, copy_past_the_end)
{
	struct rig_mem far;
	/* The process has the page behind, so nothing else of the GPU is there */
	void *p = mmap(NULL, 9 * RIG_PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(0, rig_userptr(&self->r, p, 8 * RIG_PAGE, &far));
	memset(self->words, 0x5a, 16 * RIG_PAGE);
	rig_sdma_copy(&self->q, far.p, self->words, 9 * RIG_PAGE);
	faults(&self->r, &self->q, (uintptr_t)far.p + 8 * RIG_PAGE, false);
	EXPECT_EQ(0x5a, ((u8 *)far.p)[8 * RIG_PAGE - 1]);
}

/* The process's compute queues stop with it, as on a real GPU. */
TEST_F(bad, a_fault_stops_all_queues)
{
	struct rig_sdma second = { 0 };

	ASSERT_EQ(0, rig_sdma_create(&self->r, KFD_IOC_QUEUE_TYPE_SDMA, 0, &second));
	SDMA_PUT(&self->q, SDMA_FENCE, VA(0x1000), 1);
	faults(&self->r, &self->q, 0x1000, false);
	rig_sdma_submit(&second);
	EXPECT_FALSE(rig_sdma_wait(&second, 1, 200));
}

TEST_F(bad, munmap_while_it_copies)
{
	struct kfd_event_data data;
	struct rig_mem src, dst;
	u32 id, slot, i;

	ASSERT_EQ(0, rig_event(&self->r, KFD_IOC_EVENT_MEMORY, &id, &slot));
	ASSERT_EQ(0, rig_anon(&self->r, BIG, &src));
	ASSERT_EQ(0, rig_anon(&self->r, BIG, &dst));
	memset(src.p, 1, BIG);
	for (i = 0; i < 8; i++)
		rig_sdma_copy(&self->q, dst.p, src.p, BIG);
	rig_sdma_submit(&self->q);
	ASSERT_TRUE(rig_wait32(dst.p, 1, RIG_LONG));
	ASSERT_EQ(0, munmap(src.p, BIG));
	ASSERT_EQ(0, rig_event_wait(&self->r, id, RIG_LONG, &data));
	EXPECT_LE((unsigned long long)(uintptr_t)src.p,
		  (unsigned long long)data.memory_exception_data.va);
	EXPECT_EQ(0u, self->q.fences[0]);
}

/* --------------------------------------------------------------------- death */

/* Destroy returns at once, and nothing is written after it has. */
TEST_F(bad, destroy_while_it_copies)
{
	struct rig_mem src, dst;
	long long before;
	u32 i;

	ASSERT_EQ(0, rig_anon(&self->r, BIG, &src));
	ASSERT_EQ(0, rig_anon(&self->r, BIG, &dst));
	memset(src.p, 1, BIG);
	before = file_value(STATS, "sdma_bytes");
	ASSERT_LE(0, before);
	for (i = 0; i < COPIES; i++)
		rig_sdma_copy(&self->q, dst.p, src.p, BIG);
	rig_sdma_submit(&self->q);
	ASSERT_TRUE(rig_wait32(dst.p, 1, RIG_LONG));
	ASSERT_EQ(0, rig_sdma_destroy(&self->r, &self->q));
	/* At once: not all of it has been copied before. */
	EXPECT_GT(COPIES * (long long)BIG, file_value(STATS, "sdma_bytes") - before);
	memset(dst.p, 0, BIG);
	memset(self->q.index_mem.p, 0xee, 64);
	usleep(50000);
	for (i = 0; i < BIG && !((u8 *)dst.p)[i]; i += 64)
		;
	EXPECT_LE(BIG, i);
	EXPECT_EQ(0xeeeeeeeeeeeeeeeeull, (unsigned long long)*self->q.rptr);
	EXPECT_EQ(0u, self->q.fences[0]);
}

TEST_F(bad, destroy_while_it_polls)
{
	SDMA_PUT(&self->q, SDMA_POLL_EQ, VA(self->words), 1, ~0u, SDMA_POLL_FOREVER);
	rig_sdma_submit(&self->q);
	usleep(20000);
	ASSERT_EQ(0, rig_sdma_destroy(&self->r, &self->q));
	self->words[0] = 1;
	usleep(20000);
	EXPECT_EQ(0u, self->q.fences[0]);
}

static void endless_copies(void)
{
	struct rig_sdma q = { 0 };
	struct rig_mem src, dst;
	struct rig r;

	if (rig_open(&r) || rig_sdma_create(&r, KFD_IOC_QUEUE_TYPE_SDMA, 0, &q) ||
	    rig_anon(&r, BIG / 4, &src) ||
	    rig_alloc(&r, KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC,
		      BIG / 4, &dst))
		_exit(1);
	for (;;) {
		rig_sdma_copy(&q, dst.p, src.p, BIG / 4);
		rig_sdma_submit(&q);
	}
}

TEST(kill_while_it_copies)
{
	int status, i;
	pid_t pid;

	for (i = 0; i < 6; i++) {
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid)
			endless_copies();
		usleep(20000 + i * 60000);
		kill(pid, SIGKILL);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_TRUE(WIFSIGNALED(status));
	}
	EXPECT_TRUE(other_process_copies());
}

/* All queues of all engines come back from the dead. */
TEST(killed_processes_give_queues_back)
{
	int status, i;
	pid_t pid;

	for (i = 0; i < 3; i++) {
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid) {
			struct rig r;

			if (rig_open(&r))
				_exit(1);
			for (;;) {
				struct rig_sdma q = { 0 };

				if (rig_sdma_create(&r, KFD_IOC_QUEUE_TYPE_SDMA, 0, &q))
					break;
			}
			raise(SIGKILL);
		}
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_TRUE(WIFSIGNALED(status));
		EXPECT_TRUE(other_process_copies());
	}
}

/* A long copy does not hold dispatches. */
TEST(dispatch_while_it_copies)
{
	struct rig_sdma q = { 0 };
	struct rig_mem src, dst, data;
	struct rig_queue aql;
	struct rig r;
	u32 i;

	ASSERT_EQ(0, rig_open(&r));
	ASSERT_EQ(0, rig_load(&r));
	ASSERT_EQ(0, rig_queue_create(&r, RIG_RING, &aql));
	ASSERT_EQ(0, rig_sdma_create(&r, KFD_IOC_QUEUE_TYPE_SDMA, 0, &q));
	ASSERT_EQ(0, rig_anon(&r, BIG, &src));
	ASSERT_EQ(0, rig_anon(&r, BIG, &dst));
	ASSERT_EQ(0, rig_anon(&r, RIG_PAGE, &data));
	for (i = 0; i < 100; i++)
		rig_sdma_copy(&q, dst.p, src.p, BIG);
	rig_sdma_submit(&q);
	for (i = 0; i < 5; i++)
		EXPECT_TRUE(queue_works(&r, &aql, data.p));
	EXPECT_EQ(0u, q.fences[0]);
}

TEST_HARNESS_MAIN
