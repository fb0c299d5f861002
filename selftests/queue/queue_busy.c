// SPDX-License-Identifier: MIT
/*
 * Memory whose owner changes it all the time: tasks that call madvise(MADV_FREE) beside each other,
 * without end, so that some change is always under way. A GPU cannot tell when it may look at
 * such a page, which holds up its own process and nobody else.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>

#include "../kfd/file_util.h"
#include "queue_test.h"

/*
 * A call takes longer than the way to the next one, above all where the module delays changes
 * (kmod/race.h), and only some of the tasks run.
 */
#define DELAY		"/sys/module/vkfd/parameters/race_delay_us"
#define DELAY_US	"20000"
#define BUSY_BYTES	(32ul << 20)
#define BUSY_TASKS	5

struct busy {
	void *p;
	volatile u32 calls, stop;
	pid_t pid[BUSY_TASKS];
};

static char stacks[BUSY_TASKS][65536] __attribute__((aligned(16)));

static int change(void *arg)
{
	struct busy *b = arg;

	while (!b->stop && !madvise(b->p, BUSY_BYTES, MADV_FREE))
		__atomic_fetch_add(&b->calls, 1, __ATOMIC_RELAXED);
	return 0;
}

static void no_delay(void)
{
	file_write(DELAY, "0");
}

static struct busy *busy_new(void)
{
	struct busy *b = mmap(NULL, RIG_PAGE, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE((void *)b, MAP_FAILED);
	if (!file_write(DELAY, DELAY_US))
		atexit(no_delay);
	return b;
}

/* Tasks that share our memory, and outlive us: nobody's threads. They end with the test's program. */
static int busy_start(struct busy *b)
{
	unsigned int i;

	for (i = 0; i < BUSY_TASKS; i++) {
		b->pid[i] = clone(change, stacks[i] + sizeof(stacks[i]), CLONE_VM | SIGCHLD, b);
		if (b->pid[i] < 0)
			return -errno;
	}
	while (b->calls < 2 * BUSY_TASKS)
		sched_yield();
	return 0;
}

static void *resident(void)
{
	void *p = mmap(NULL, BUSY_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p != MAP_FAILED)
		memset(p, 0, BUSY_BYTES);
	return p;
}

static int share_object(struct rig *r, void *p)
{
	struct rig_mem m;

	return rig_userptr(r, p, BUSY_BYTES, &m);
}

static int share_range(struct rig *r, void *p)
{
	return rig_svm_set(r, p, BUSY_BYTES, KFD_IOCTL_SVM_ATTR_ACCESS, r->gpu_id);
}

/* In a child: as many waves as the GPU runs at a time look at memory that is never at rest. */
static int work_there(struct busy *b, int (*share)(struct rig *r, void *p))
{
	struct rig r;
	struct rig_queue q;
	unsigned int i;

	if (rig_open(&r) || rig_load(&r) || rig_queue_create(&r, RIG_RING, &q))
		return 1;
	b->p = resident();
	if (b->p == MAP_FAILED || share(&r, b->p) || busy_start(b))
		return 2;
	for (i = 0; i < 8; i++)
		start(&r, &q, "spin", (uintptr_t)b->p + i * 2 * RIG_PAGE,
		      (uintptr_t)b->p + (i * 2 + 1) * RIG_PAGE, 4, 64);
	return 0;
}

static pid_t child_at_work(struct busy *b, int (*share)(struct rig *r, void *p))
{
	int told[2], ret = -1;
	pid_t pid;

	ASSERT_EQ(pipe(told), 0);
	pid = fork();
	if (!pid) {
		ret = work_there(b, share);
		if (write(told[1], &ret, sizeof(ret)) == sizeof(ret))
			pause();
		_exit(1);
	}
	close(told[1]);
	ASSERT_EQ(read(told[0], &ret, sizeof(ret)), (ssize_t)sizeof(ret));
	close(told[0]);
	ASSERT_EQ(ret, 0);
	usleep(200000);
	return pid;
}

static bool still_changing(struct busy *b)
{
	u64 end = rig_ms() + NEVER_MS;
	u32 before = b->calls;

	while (b->calls < before + BUSY_TASKS && rig_ms() < end)
		usleep(1000);
	return b->calls >= before + BUSY_TASKS;
}

static void busy_end(struct busy *b)
{
	unsigned int i;

	b->stop = 1;
	for (i = 0; i < BUSY_TASKS; i++)
		kill(b->pid[i], SIGKILL);
	no_delay();
}

/* Others work meanwhile; killed, the process is gone soon, although its memory is changed still. */
static void busy_memory(int (*share)(struct rig *r, void *p))
{
	struct busy *b = busy_new();
	int status;
	pid_t pid = child_at_work(b, share);

	EXPECT_TRUE(others_work_soon());
	EXPECT_TRUE(still_changing(b));
	ASSERT_EQ(kill(pid, SIGKILL), 0);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_TRUE(gone_from_kfd(pid, NEVER_MS));
	EXPECT_TRUE(others_work_soon());
	EXPECT_TRUE(still_changing(b));
	busy_end(b);
}

TEST(user_memory)
{
	busy_memory(share_object);
}

TEST(shared_ranges)
{
	busy_memory(share_range);
}

/* Once its owner leaves it alone, what a GPU wanted there comes. */
TEST_F(gpu, goes_on_when_it_is_at_rest)
{
	struct busy *b = busy_new();
	struct rig_signal *s;
	u32 *p;

	b->p = p = resident();
	ASSERT_NE((void *)p, MAP_FAILED);
	ASSERT_EQ(share_range(&self->r, p), 0);
	ASSERT_EQ(busy_start(b), 0);
	s = start(&self->r, &self->q, "store_word", (uintptr_t)(p + 8), 42, 1, 1);
	usleep(200000);
	b->stop = 1;
	EXPECT_TRUE(rig_wait(s, 0, RIG_LONG));
	EXPECT_EQ(p[8], 42);
	busy_end(b);
}

TEST_HARNESS_MAIN
