// SPDX-License-Identifier: MIT
/*
 * Behind a render node: a client uses the file that KFD has of it as well, and has that stand
 * still. What KFD wants there for the same client stands still, too, and nobody else.
 *
 * A context's ring has room for 32 jobs. Who submits one more waits for the first, and has the lock
 * that every submission of the file wants.
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "../drm/cs_util.h"
#include "queue_test.h"

#define ROOM		32u
#define COPY_BYTES	(16 * RIG_PAGE)
#define BESIDE		3u	/* queues that come and go */

/**
 * struct stuck - a child whose file stands still
 * @ready: it does; @go: it shall go on
 * @queued: jobs that have found room
 */
struct stuck {
	pid_t pid;
	volatile bool ready, go;
	volatile u32 queued;
};

static struct cs_file file;
static struct stuck *stuck;
static struct rig own;
static volatile bool unmapped;

/* Each waits for @file.w[0]; the first one that finds no room does so in the call. */
static void *submit_too_many(void *unused)
{
	u32 i;

	for (i = 0; i < ROOM + 1; i++) {
		struct cs cs = { .f = &file };

		CS_IB(&cs, COMPUTE, 0, PM4_WAIT(file.w, 1));
		ASSERT_EQ(0, cs_submit(&cs));
		stuck->queued++;
	}
	return unused;
}

static void *one_more_queue(void *r)
{
	struct rig_queue q;

	ASSERT_EQ(0, rig_queue_create(r, RIG_RING, &q));
	return NULL;
}

/* All that KFD does with the file: a kernel, a copy, a new queue */
static void use_of_the_file(void)
{
	struct rig_signal *s;
	struct rig_sdma sdma = {};
	struct rig_queue q;
	struct rig_mem m;
	pthread_t t[2];
	struct rig r;
	u32 fence;

	ASSERT_EQ(0, rig_open(&r));
	ASSERT_EQ(0, rig_load(&r));
	ASSERT_EQ(0, rig_queue_create(&r, RIG_RING, &q));
	ASSERT_EQ(0, rig_sdma_create(&r, KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID, 0, &sdma));
	ASSERT_EQ(0, rig_anon(&r, 2 * COPY_BYTES, &m));
	ASSERT_TRUE(queue_works(&r, &q, m.p));
	cs_open_on(&file, r.drm);
	ASSERT_EQ(0, pthread_create(&t[0], NULL, submit_too_many, NULL));
	while (stuck->queued < ROOM)
		usleep(1000);
	usleep(200000);
	ASSERT_EQ(stuck->queued, ROOM);
	s = start_add(&r, &q, m.p, 1, 1);
	rig_sdma_copy(&sdma, (char *)m.p + COPY_BYTES, m.p, COPY_BYTES);
	fence = rig_sdma_submit(&sdma);
	ASSERT_EQ(0, pthread_create(&t[1], NULL, one_more_queue, &r));
	/* Longer than whoever looks at it from time to time looks away */
	usleep(600000);
	stuck->ready = true;
	while (!stuck->go)
		usleep(1000);
	file.w[0] = 1;
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	ASSERT_TRUE(rig_sdma_wait(&sdma, fence, RIG_LONG));
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	ASSERT_EQ(stuck->queued, ROOM + 1);
	ASSERT_TRUE(queue_works(&r, &q, m.p));
}

static void *unmap(void *m)
{
	int ret = rig_unmap(&own, m);

	unmapped = true;
	return (void *)(intptr_t)ret;
}

/*
 * The driver below unmaps nothing before the file's jobs have ended. Meanwhile a packet wants a
 * page that the packet processor has not seen yet.
 */
static void unmap_beside_a_job(void)
{
	struct cs cs = { .f = &file };
	struct rig_mem gone, fresh, data;
	union rig_packet pk = {};
	struct rig_signal *s;
	struct rig_queue q;
	pthread_t t;
	void *ret;

	ASSERT_EQ(0, rig_open(&own));
	ASSERT_EQ(0, rig_load(&own));
	ASSERT_EQ(0, rig_queue_create(&own, RIG_RING, &q));
	ASSERT_EQ(0, rig_anon(&own, RIG_PAGE, &data));
	ASSERT_EQ(0, rig_alloc(&own, KFD_IOC_ALLOC_MEM_FLAGS_GTT, RIG_PAGE, &gone));
	ASSERT_EQ(0, rig_alloc(&own, KFD_IOC_ALLOC_MEM_FLAGS_GTT, RIG_PAGE, &fresh));
	ASSERT_TRUE(queue_works(&own, &q, data.p));
	cs_open_on(&file, own.drm);
	CS_IB(&cs, COMPUTE, 0, PM4_WAIT(file.w, 1));
	ASSERT_EQ(0, cs_submit(&cs));
	ASSERT_EQ(0, pthread_create(&t, NULL, unmap, &gone));
	usleep(200000);
	s = rig_signal(&own, 1);
	pk.barrier.header = RIG_BARRIER_AND | RIG_SCOPES;
	pk.barrier.dep[0] = (uintptr_t)fresh.p;
	pk.barrier.signal = (uintptr_t)s;
	rig_submit(&q, &pk);
	usleep(200000);
	stuck->ready = true;
	while (!stuck->go)
		usleep(1000);
	TH_LOG("the unmapping %s", unmapped ? "did not wait" : "waits");
	file.w[0] = 1;
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	pthread_join(t, &ret);
	ASSERT_EQ(NULL, ret);
	ASSERT_TRUE(queue_works(&own, &q, data.p));
}

static void stuck_start(void (*fn)(void))
{
	u64 end = rig_ms() + NEVER_MS;
	pid_t pid;

	stuck = mmap(NULL, RIG_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)stuck);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		fn();
		fflush(stdout);
		_exit(0);
	}
	stuck->pid = pid;
	while (!stuck->ready && rig_ms() < end && !waitpid(pid, NULL, WNOHANG))
		usleep(1000);
	ASSERT_TRUE(stuck->ready);
}

/* The end of a kernel, told by an event */
static bool event_comes(struct rig *r, struct rig_queue *q, u32 *words)
{
	struct add_args a = { (uintptr_t)words, 1 };
	struct rig_signal *s = rig_signal(r, 1);
	union rig_packet pk;
	struct rig_kernel k;
	u32 id, slot;

	ASSERT_EQ(0, rig_event(r, KFD_IOC_EVENT_SIGNAL, &id, &slot));
	s->event_id = id;
	s->mailbox = (uintptr_t)&r->event_page[slot];
	ASSERT_EQ(0, rig_kernel(r, "add_to", &k));
	rig_dispatch_packet(&pk, &k, 1, 64, rig_args(r, &a, sizeof(a)), s);
	rig_submit(q, &pk);
	return !rig_event_wait(r, id, RIG_LONG, NULL) && !s->value;
}

/* As if nobody else were there; all together takes less than the other's jobs may. */
static void go_on_beside(FIXTURE_DATA(gpu) *self, struct rig_sdma *sdma)
{
	u64 began = rig_ms();
	struct rig_queue q;
	u32 i;

	ASSERT_TRUE(queue_works(&self->r, &self->q, self->words));
	ASSERT_TRUE(event_comes(&self->r, &self->q, self->words));
	self->words[0] = 77;
	rig_sdma_copy(sdma, (char *)self->words + COPY_BYTES, self->words, COPY_BYTES);
	ASSERT_TRUE(rig_sdma_run(sdma));
	EXPECT_EQ(77, *(u32 *)((char *)self->words + COPY_BYTES));
	for (i = 0; i < BESIDE; i++) {
		ASSERT_EQ(0, rig_queue_create(&self->r, RIG_RING, &q));
		ASSERT_TRUE(queue_works(&self->r, &q, self->words));
		ASSERT_EQ(0, rig_queue_destroy(&self->r, &q));
	}
	EXPECT_TRUE(other_process_works());
	TH_LOG("took %llu ms beside", (unsigned long long)(rig_ms() - began));
	EXPECT_LE(rig_ms() - began, NEVER_MS);
}

/* On the engine that the other's copies are on, too */
static void have_sdma(FIXTURE_DATA(gpu) *self, struct rig_sdma *sdma)
{
	ASSERT_EQ(0, rig_sdma_create(&self->r, KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID, 0, sdma));
	rig_sdma_copy(sdma, (char *)self->words + COPY_BYTES, self->words, COPY_BYTES);
	ASSERT_TRUE(rig_sdma_run(sdma));
}

TEST_F(gpu, a_file_that_stands_still)
{
	struct rig_sdma sdma = {};
	int status;

	have_sdma(self, &sdma);
	stuck_start(use_of_the_file);
	go_on_beside(self, &sdma);
	stuck->go = true;
	ASSERT_EQ(stuck->pid, waitpid(stuck->pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
}

TEST_F(gpu, unmapping_waits_for_a_job)
{
	struct rig_sdma sdma = {};
	int status;

	have_sdma(self, &sdma);
	stuck_start(unmap_beside_a_job);
	go_on_beside(self, &sdma);
	stuck->go = true;
	ASSERT_EQ(stuck->pid, waitpid(stuck->pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
}

TEST_F(gpu, a_client_that_is_killed_meanwhile)
{
	struct rig_sdma sdma = {};
	u64 began;

	have_sdma(self, &sdma);
	stuck_start(use_of_the_file);
	began = rig_ms();
	kill(stuck->pid, SIGKILL);
	go_on_beside(self, &sdma);
	ASSERT_EQ(stuck->pid, waitpid(stuck->pid, NULL, 0));
	TH_LOG("it went within %llu ms", (unsigned long long)(rig_ms() - began));
	EXPECT_LE(rig_ms() - began, NEVER_MS);
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
}

TEST_HARNESS_MAIN
