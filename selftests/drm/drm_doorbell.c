// SPDX-License-Identifier: MIT
/* Doorbell pages: no ring is lost, however the GPU slept and the page moved. */
#define _GNU_SOURCE
#include <dirent.h>
#include <sched.h>
#include <sys/mman.h>

#include "../kfd/harness.h"
#include "../queue/rig.h"

#define SLICE	(2 * RIG_PAGE)

FIXTURE(db) {
	struct rig r;
	struct rig_queue q;
};

FIXTURE_SETUP(db)
{
	ASSERT_EQ(0, rig_open(&self->r));
	ASSERT_EQ(0, rig_queue_create(&self->r, RIG_RING, &self->q));
}

FIXTURE_TEARDOWN(db)
{
	rig_close(&self->r);
}

static bool rings(FIXTURE_DATA(db) *self)
{
	struct rig_signal *s = rig_signal(&self->r, 1);
	union rig_packet pk = { 0 };

	pk.barrier.header = RIG_BARRIER_AND | RIG_SCOPES;
	pk.barrier.signal = (uintptr_t)s;
	rig_submit(&self->q, &pk);
	return rig_wait(s, 0, RIG_LONG);
}

/* Move the slice to @to and the queue's doorbell with it. */
static void move_to(FIXTURE_DATA(db) *self, void *to)
{
	size_t at = (uintptr_t)self->q.doorbell - (uintptr_t)self->r.doorbells;

	ASSERT_EQ(to, mremap(self->r.doorbells, SLICE, SLICE, MREMAP_MAYMOVE | MREMAP_FIXED, to));
	self->r.doorbells = to;
	self->q.doorbell = to + at;
}

/* Pauses of all lengths around the time after which the GPU goes to sleep. */
TEST_F(db, rings_after_pauses)
{
	unsigned int i;

	for (i = 0; i < 400; i++) {
		ASSERT_TRUE(rings(self));
		if (i % 4)
			usleep(i * i % 5000);
	}
}

/* The command processor's thread of GPU 0; 0 if there is none. */
static pid_t cp_thread(void)
{
	char path[300], name[32];
	DIR *d = opendir("/proc");
	struct dirent *e;
	pid_t pid = 0;
	FILE *f;

	while (d && !pid && (e = readdir(d))) {
		snprintf(path, sizeof(path), "/proc/%s/comm", e->d_name);
		f = fopen(path, "r");
		if (!f)
			continue;
		if (fscanf(f, "%31s", name) == 1 && !strcmp(name, "vkfd-cp/0"))
			pid = atoi(e->d_name);
		fclose(f);
	}
	if (d)
		closedir(d);
	return pid;
}

/* How often a fault has woken the backend of GPU 0; -1 if it does not say. */
static long wakes(void)
{
	FILE *f = fopen("/sys/kernel/debug/kfd/0/stats", "r");
	char name[32];
	long n;

	if (!f)
		return -1;
	while (fscanf(f, "%31s %ld", name, &n) == 2)
		if (!strcmp(name, "doorbell_wakes")) {
			fclose(f);
			return n;
		}
	fclose(f);
	return -1;
}

static void cp_everywhere(void)
{
	cpu_set_t all;

	memset(&all, 0xff, sizeof(all));
	sched_setaffinity(cp_thread(), sizeof(all), &all);
}

/*
 * The GPU's thread must let a store that faulted go first, even where it
 * preempts who stores: on the same CPU. If it does not, the store faults again
 * and again, for seconds in bad cases.
 */
TEST_F(db, rings_on_one_cpu)
{
	const unsigned int rounds = 400;
	pid_t cp = cp_thread();
	long before = wakes();
	unsigned int i;
	cpu_set_t one;

	if (!cp || before < 0)
		SKIP(return, "the backend has no thread or no counter of that name");
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	atexit(cp_everywhere);
	ASSERT_EQ(0, sched_setaffinity(cp, sizeof(one), &one));
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(one), &one));
	for (i = 0; i < rounds; i++) {
		ASSERT_TRUE(rings(self));
		usleep(i * i % 3000);
	}
	before = wakes() - before;
	TH_LOG("%u rings, %ld wakes", rounds, before);
	/*
	 * With more CPUs the first wakes of a ring may still come too early: two or three a ring.
	 * Where every wake comes at once, more than ten a ring were seen.
	 */
	EXPECT_LT(before, 6 * rounds);
}

TEST_F(db, moved_page_rings)
{
	void *to = mmap(NULL, 8 * SLICE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int i;

	ASSERT_NE(MAP_FAILED, to);
	for (i = 0; i < 40; i++) {
		ASSERT_TRUE(rings(self));
		if (i & 1)
			usleep(50000);
		move_to(self, to + (i % 7 + 1) * SLICE);
	}
	EXPECT_TRUE(rings(self));
}

TEST_F(db, half_a_mapping_rings)
{
	size_t at = (uintptr_t)self->q.doorbell - (uintptr_t)self->r.doorbells;

	ASSERT_TRUE(rings(self));
	ASSERT_EQ(0, munmap(self->r.doorbells + (at < RIG_PAGE ? RIG_PAGE : 0), RIG_PAGE));
	EXPECT_TRUE(rings(self));
	usleep(100000);
	EXPECT_TRUE(rings(self));
}

/* Loads, and stores to doorbells of no queue. */
TEST_F(db, other_doorbells_are_plain_memory)
{
	volatile u64 *all = self->r.doorbells;
	unsigned int i;

	for (i = 0; i < SLICE / 8; i++)
		if (&all[i] != self->q.doorbell)
			all[i] = ~0ull - i;
	usleep(50000);
	for (i = 0; i < SLICE / 8; i++)
		if (&all[i] != self->q.doorbell)
			EXPECT_EQ(~0ull - i, all[i]);
	EXPECT_TRUE(rings(self));
}

TEST_F(db, cannot_grow_and_is_not_copied)
{
	pid_t pid;
	int status;

	EXPECT_EQ(MAP_FAILED, mremap(self->r.doorbells, SLICE, 2 * SLICE, MREMAP_MAYMOVE));
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(*self->q.doorbell & 1);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_TRUE(rings(self));
}

TEST_HARNESS_MAIN
