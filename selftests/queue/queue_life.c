// SPDX-License-Identifier: MIT
/*
 * Kernels that do not end, and what may be done to them: destroy, pause,
 * unmap, kill. Forward progress of everybody else. An idle GPU that is idle.
 */
#include <dirent.h>
#include <stdio.h>

#include "queue_test.h"

static struct rig_signal *start_spin(FIXTURE_DATA(gpu) *self, struct rig_queue *q,
				     const char *name, u32 *stop, u32 groups)
{
	stop[0] = 0;
	stop[1] = 0;
	return start(&self->r, q, name, (uintptr_t)&stop[0], (uintptr_t)&stop[1],
		     groups, 64);
}

TEST_F(gpu, spinning_kernel_ends_when_told)
{
	static const char * const names[] = { "spin", "spin_sleep" };
	struct rig_signal *s;
	u32 i;

	for (i = 0; i < 2; i++) {
		s = start_spin(self, &self->q, names[i], self->words, 8);
		ASSERT_TRUE(rig_wait32(&self->words[1], 1000, RIG_LONG));
		EXPECT_EQ(s->value, 1);
		__atomic_store_n(&self->words[0], 1, __ATOMIC_RELEASE);
		ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	}
}

TEST_F(gpu, destroy_with_a_spinning_kernel)
{
	struct rig_queue q;
	u32 seen, i;
	u64 t;

	for (i = 0; i < 5; i++) {
		ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &q), 0);
		start_spin(self, &q, i & 1 ? "spin_sleep" : "spin", self->words, 1 + i * 20);
		ASSERT_TRUE(rig_wait32(&self->words[1], 1, RIG_LONG));
		t = rig_ms();
		ASSERT_EQ(rig_queue_destroy(&self->r, &q), 0);
		EXPECT_LT(rig_ms() - t, NEVER_MS);
		seen = self->words[1];
		usleep(20000);
		EXPECT_EQ(self->words[1], seen);
	}
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
}

TEST_F(gpu, update_pauses_and_resumes)
{
	struct rig_signal *s;
	u32 seen;

	s = start_spin(self, &self->q, "spin", self->words, 2);
	ASSERT_TRUE(rig_wait32(&self->words[1], 1, RIG_LONG));
	ASSERT_EQ(rig_queue_update(&self->r, &self->q, 0), 0);
	seen = self->words[1];
	usleep(50000);
	EXPECT_EQ(self->words[1], seen);
	EXPECT_EQ(s->value, 1);
	ASSERT_EQ(rig_queue_update(&self->r, &self->q, 100), 0);
	ASSERT_TRUE(rig_wait32(&self->words[1], seen + 1, RIG_LONG));
	__atomic_store_n(&self->words[0], 1, __ATOMIC_RELEASE);
	EXPECT_TRUE(rig_wait(s, 0, RIG_LONG));
}

TEST_F(gpu, stopped_queue_takes_packets_later)
{
	struct rig_signal *s;

	ASSERT_EQ(rig_queue_update(&self->r, &self->q, 0), 0);
	s = start_add(&self->r, &self->q, self->words, 1, 1);
	EXPECT_FALSE(rig_wait(s, 0, 200));
	ASSERT_EQ(rig_queue_update(&self->r, &self->q, 100), 0);
	EXPECT_TRUE(rig_wait(s, 0, RIG_LONG));
}

TEST_F(gpu, spinning_queues_do_not_stop_others)
{
	struct rig_queue q[3];
	u32 i;

	for (i = 0; i < 3; i++) {
		ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &q[i]), 0);
		start_spin(self, &q[i], "spin", self->words + 1024 + 64 * i, 16);
	}
	for (i = 0; i < 10; i++)
		ASSERT_TRUE(queue_works(&self->r, &self->q, self->words));
	EXPECT_TRUE(other_process_works());
	for (i = 0; i < 3; i++)
		EXPECT_EQ(rig_queue_destroy(&self->r, &q[i]), 0);
}

TEST_F(gpu, more_spinning_queues_than_slots)
{
	struct rig_queue *q = calloc(40, sizeof(*q));
	struct rig_signal *s[40];
	u32 i, *stop;

	ASSERT_NE(q, NULL);
	for (i = 0; i < 40; i++) {
		stop = self->words + 1024 + 16 * i;
		ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &q[i]), 0);
		s[i] = start_spin(self, &q[i], "spin_sleep", stop, 1);
	}
	/* every one of them gets its turn */
	for (i = 0; i < 40; i++)
		EXPECT_TRUE(rig_wait32(self->words + 1024 + 16 * i + 1, 1, RIG_LONG));
	for (i = 0; i < 40; i++)
		__atomic_store_n(self->words + 1024 + 16 * i, 1, __ATOMIC_RELEASE);
	for (i = 0; i < 40; i++)
		EXPECT_TRUE(rig_wait(s[i], 0, RIG_LONG));
	for (i = 0; i < 40; i++)
		EXPECT_EQ(rig_queue_destroy(&self->r, &q[i]), 0);
	free(q);
}

TEST_F(gpu, work_groups_wait_for_each_other)
{
	static const char * const names[] = { "meet_sleep", "meet" };
	struct rig_signal *s;
	u32 i;

	for (i = 0; i < 2; i++) {
		self->words[0] = 0;
		s = start(&self->r, &self->q, names[i], (uintptr_t)self->words, 48, 48, 256);
		EXPECT_TRUE(rig_wait(s, 0, RIG_LONG));
		EXPECT_EQ(self->words[0], 48);
	}
}

TEST_F(gpu, unmap_while_running)
{
	struct {
		u64 p;
		u32 n, pad;
		u64 alive;
	} a = { .n = 16 * 1024 };
	struct kfd_event_data d;
	struct rig_mem buf;
	union rig_packet pk;
	struct rig_kernel k;
	u32 id, slot, seen;

	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_MEMORY, &id, &slot), 0);
	ASSERT_EQ(rig_alloc(&self->r, KFD_IOC_ALLOC_MEM_FLAGS_GTT, 16 * RIG_PAGE, &buf), 0);
	a.p = (uintptr_t)buf.p;
	a.alive = (uintptr_t)self->words;
	ASSERT_EQ(rig_kernel(&self->r, "fill_for_ever", &k), 0);
	rig_dispatch_packet(&pk, &k, 1, 64, rig_args(&self->r, &a, sizeof(a)), NULL);
	rig_submit(&self->q, &pk);
	ASSERT_TRUE(rig_wait32(self->words, 1, RIG_LONG));
	ASSERT_EQ(rig_unmap(&self->r, &buf), 0);
	seen = ((volatile u32 *)buf.p)[100];
	usleep(20000);
	EXPECT_EQ(((volatile u32 *)buf.p)[100], seen);
	ASSERT_EQ(rig_event_wait(&self->r, id, RIG_LONG, &d), 0);
	EXPECT_GE(d.memory_exception_data.va, a.p);
	EXPECT_LT(d.memory_exception_data.va, a.p + buf.bytes);
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
	EXPECT_EQ(rig_free(&self->r, &buf), 0);
	EXPECT_TRUE(other_process_works());
}

TEST_F(gpu, munmap_while_running)
{
	struct {
		u64 p;
		u32 n, pad;
		u64 alive;
	} a = { .n = 16 * 1024 };
	struct kfd_event_data d;
	struct rig_mem buf;
	union rig_packet pk;
	struct rig_kernel k;
	u32 id, slot;

	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_MEMORY, &id, &slot), 0);
	ASSERT_EQ(rig_anon(&self->r, 16 * RIG_PAGE, &buf), 0);
	a.p = (uintptr_t)buf.p;
	a.alive = (uintptr_t)self->words;
	ASSERT_EQ(rig_kernel(&self->r, "fill_for_ever", &k), 0);
	rig_dispatch_packet(&pk, &k, 1, 64, rig_args(&self->r, &a, sizeof(a)), NULL);
	rig_submit(&self->q, &pk);
	ASSERT_TRUE(rig_wait32(self->words, 1, RIG_LONG));
	ASSERT_EQ(munmap(buf.p, buf.bytes), 0);
	ASSERT_EQ(rig_event_wait(&self->r, id, RIG_LONG, &d), 0);
	EXPECT_GE(d.memory_exception_data.va, a.p);
	EXPECT_LT(d.memory_exception_data.va, a.p + buf.bytes);
}

/* A process with kernels in flight on three queues that waits to be killed. */
static void spin_and_wait(int fd)
{
	struct rig r;
	struct rig_queue q[3];
	struct rig_mem m;
	u32 i, *w;

	if (rig_open(&r) || rig_load(&r) || rig_anon(&r, RIG_PAGE, &m))
		_exit(1);
	w = m.p;
	for (i = 0; i < 3; i++) {
		if (rig_queue_create(&r, RIG_RING, &q[i]))
			_exit(1);
		start(&r, &q[i], i & 1 ? "spin_sleep" : "spin", (uintptr_t)&w[0],
		      (uintptr_t)&w[1 + i], 8, 64);
	}
	for (i = 0; i < 3; i++)
		if (!rig_wait32(&w[1 + i], 1, RIG_LONG))
			_exit(1);
	if (write(fd, "x", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

TEST_F(gpu, kill_9_with_work_in_flight)
{
	int p[2], status, i;
	pid_t pid;
	char c;
	u64 t;

	ASSERT_EQ(pipe(p), 0);
	for (i = 0; i < 5; i++) {
		pid = fork();
		if (!pid)
			spin_and_wait(p[1]);
		ASSERT_GT(pid, 0);
		ASSERT_EQ(read(p[0], &c, 1), 1);
		kill(pid, SIGKILL);
		t = rig_ms();
		ASSERT_EQ(waitpid(pid, &status, 0), pid);
		EXPECT_TRUE(WIFSIGNALED(status));
		EXPECT_LT(rig_ms() - t, NEVER_MS);
	}
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
}

/* CPU ticks of the module's threads, and how many threads there are. */
static u64 thread_ticks(unsigned int *threads)
{
	struct dirent *d;
	char path[300], comm[32];
	unsigned long user, sys;
	u64 sum = 0;
	DIR *dir = opendir("/proc");
	FILE *f;

	*threads = 0;
	while (dir && (d = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%s/stat", d->d_name);
		f = d->d_name[0] >= '1' && d->d_name[0] <= '9' ? fopen(path, "r") : NULL;
		if (!f)
			continue;
		if (fscanf(f, "%*d (%31[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
			   comm, &user, &sys) == 3 && !strncmp(comm, "vkfd-c", 6)) {
			sum += user + sys;
			++*threads;
		}
		fclose(f);
	}
	if (dir)
		closedir(dir);
	return sum;
}

TEST_F(gpu, idle_gpu_uses_no_cpu)
{
	unsigned int threads;
	u64 before;

	ASSERT_TRUE(queue_works(&self->r, &self->q, self->words));
	usleep(200000);
	before = thread_ticks(&threads);
	ASSERT_GE(threads, 2);
	sleep(2);
	EXPECT_LE(thread_ticks(&threads) - before, 1);
}

TEST_HARNESS_MAIN
