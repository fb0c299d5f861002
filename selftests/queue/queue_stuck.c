// SPDX-License-Identifier: MIT
/*
 * Memory whose owner does not answer: userfaultfd ranges that nobody fills, and
 * a file of a FUSE server that never replies. What the GPU wants there holds up
 * its own process and nobody else, and the process can be killed.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "../kfd/file_util.h"
#include "fuse.h"
#include "missing.h"
#include "queue_test.h"
#include "rig_sdma.h"

#define ERR_ILLEGAL	0x40000000

/* A completion whose signal is at @p. */
static void complete_at(struct rig_queue *q, void *p)
{
	union rig_packet pk = { 0 };

	pk.barrier.header = RIG_BARRIER_AND | RIG_SCOPES;
	pk.barrier.signal = (uintptr_t)p;
	rig_submit(q, &pk);
}

TEST_F(gpu, wave_waits_and_goes_on)
{
	static u32 page[RIG_PAGE / 4] __attribute__((aligned(4096)));
	struct rig_signal *s;
	u64 addr;
	u32 *p;
	int uffd;

	p = missing(&self->r, &uffd);
	s = start(&self->r, &self->q, "store_word", (uintptr_t)(p + 8), 42, 1, 1);
	ASSERT_TRUE(asked(uffd, &addr));
	EXPECT_EQ((uintptr_t)p, addr);
	EXPECT_TRUE(others_work_soon());
	EXPECT_EQ(1, s->value);
	page[7] = 7;
	fill(uffd, addr, page);
	EXPECT_TRUE(rig_wait(s, 0, RIG_LONG));
	EXPECT_EQ(42u, p[8]);
	EXPECT_EQ(7u, p[7]);
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
}

/*
 * The same, of a page that was there. A wave in user mode may be in the middle of an instruction, and
 * its thread must not take the processor meanwhile: who takes it for five seconds and does not
 * come back is not trusted any more.
 */
TEST_F(gpu, wave_waits_for_a_page_that_was_there)
{
	static u32 page[RIG_PAGE / 4] __attribute__((aligned(4096)));
	u32 *alive = self->words + 64, late_ms = waves_in_user_mode() ? 7000 : 200;
	struct rig_signal *s;
	u64 addr;
	u32 *p;
	int uffd;

	p = missing(&self->r, &uffd);
	fill(uffd, (uintptr_t)p, page);
	s = start(&self->r, &self->q, "spin", (uintptr_t)p, (uintptr_t)alive, 1, 64);
	ASSERT_TRUE(rig_wait32(alive, 100, RIG_LONG));
	ASSERT_EQ(0, madvise(p, RIG_PAGE, MADV_DONTNEED));
	ASSERT_TRUE(asked(uffd, &addr));
	EXPECT_EQ((uintptr_t)p, addr);
	EXPECT_FALSE(rig_wait(s, 0, late_ms * th_slow()));
	page[0] = 1;
	fill(uffd, addr, page);
	EXPECT_TRUE(rig_wait(s, 0, RIG_LONG));
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
}

TEST_F(gpu, pages_that_nobody_asked_for_keep_nobody)
{
	static u32 page[RIG_PAGE / 4] __attribute__((aligned(4096)));
	struct rig_signal *s;
	struct rig_mem fresh;
	u64 addr, i;
	u32 *p;
	int uffd;

	p = missing(&self->r, &uffd);
	ASSERT_EQ(0, rig_anon(&self->r, 8 * RIG_PAGE, &fresh));
	/* One page after the other, so that those behind are brought in ahead if they are there. */
	for (i = 0; i < 3; i++) {
		s = start(&self->r, &self->q, "store_word", (uintptr_t)(p + 1024 * i + 8), 42, 1, 1);
		ASSERT_TRUE(asked(uffd, &addr));
		EXPECT_EQ((uintptr_t)(p + 1024 * i), addr);
		fill(uffd, addr, page);
		ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	}
	/* A page of another range, which must come although the fourth of the first never does */
	s = start(&self->r, &self->q, "store_word", (uintptr_t)fresh.p, 43, 1, 1);
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	EXPECT_EQ(43u, *(u32 *)fresh.p);
	EXPECT_EQ(42u, p[2 * 1024 + 8]);
}

TEST_F(gpu, packet_waits_and_goes_on)
{
	static struct rig_signal page[RIG_PAGE / 64] __attribute__((aligned(4096)));
	struct rig_queue second;
	struct rig_signal *p;
	u64 addr;
	int uffd;

	ASSERT_EQ(0, rig_queue_create(&self->r, RIG_RING, &second));
	p = missing(&self->r, &uffd);
	complete_at(&second, p);
	ASSERT_TRUE(asked(uffd, &addr));
	EXPECT_TRUE(others_work_soon());
	page[0].kind = 1;
	page[0].value = 5;
	fill(uffd, addr, page);
	EXPECT_TRUE(rig_wait(p, 4, RIG_LONG));
	/* nothing of it is left behind */
	EXPECT_TRUE(queue_works(&self->r, &second, self->words));
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
}

TEST_F(gpu, completion_of_a_kernel_waits_and_goes_on)
{
	static struct rig_signal page[RIG_PAGE / 64] __attribute__((aligned(4096)));
	struct add_args a = { (uintptr_t)self->words, 3 };
	union rig_packet pk;
	struct rig_kernel k;
	struct rig_signal *p;
	u64 addr;
	int uffd;

	p = missing(&self->r, &uffd);
	ASSERT_EQ(0, rig_kernel(&self->r, "add_to", &k));
	rig_dispatch_packet(&pk, &k, 1, 64, rig_args(&self->r, &a, sizeof(a)), p);
	rig_submit(&self->q, &pk);
	ASSERT_TRUE(asked(uffd, &addr));
	EXPECT_TRUE(others_work_soon());
	page[0].kind = 1;
	page[0].value = 1;
	fill(uffd, addr, page);
	EXPECT_TRUE(rig_wait(p, 0, RIG_LONG));
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
}

/* A queue that a wave has stopped, and the page of its error word comes late, as on a busy host. */
TEST_F(gpu, errors_wait_for_their_page)
{
	static struct rig_signal page[RIG_PAGE / 64] __attribute__((aligned(4096)));
	struct rig_signal *p;
	u64 addr;
	int uffd;

	p = missing(&self->r, &uffd);
	self->q.amd->inactive_signal = (uintptr_t)p;
	start(&self->r, &self->q, "illegal", (uintptr_t)self->words, 0, 1, 64);
	ASSERT_TRUE(asked(uffd, &addr));
	usleep(200000);
	page[0].kind = 1;
	fill(uffd, addr, page);
	EXPECT_TRUE(rig_wait(p, ERR_ILLEGAL, RIG_LONG));
	EXPECT_EQ(0, rig_queue_destroy(&self->r, &self->q));
}

/* Kernels that another process runs, one after the other, within @ms */
static int kernels_beside(unsigned int ms)
{
	int count[2], n = -1, status;
	pid_t pid;

	ASSERT_EQ(0, pipe(count));
	pid = fork();
	if (!pid) {
		struct rig r;
		struct rig_queue q;
		struct rig_mem m;
		u64 end;

		if (rig_open(&r) || rig_load(&r) || rig_queue_create(&r, RIG_RING, &q) ||
		    rig_anon(&r, RIG_PAGE, &m))
			_exit(1);
		end = rig_ms() + ms;
		for (n = 0; rig_ms() < end; n++)
			if (!rig_wait(start_add(&r, &q, m.p, 1, 1), 0, RIG_LONG))
				_exit(1);
		_exit(write(count[1], &n, sizeof(n)) != sizeof(n));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	if (status || read(count[0], &n, sizeof(n)) != sizeof(n))
		return -1;
	return n;
}

/*
 * Signals that are there, with mailboxes that are not for longer than a second: whoever
 * completes a kernel leaves it at that, and has counted the signal down once.
 */
TEST_F(gpu, mailboxes_wait_and_go_on)
{
	enum { N = 6 };
	static u64 page[RIG_PAGE / 8] __attribute__((aligned(4096)));
	struct rig_signal *s[N];
	struct rig_queue q[N];
	int uffd, alone, beside;
	unsigned int i;
	char *p;

	/* Each wait has a limit and says what it was for; all together may take longer. */
	alarm(10 * TH_TIMEOUT_S * th_slow());
	alone = kernels_beside(1500);
	p = missing(&self->r, &uffd);
	for (i = 0; i < N; i++) {
		struct add_args a = { (uintptr_t)self->words, 3 };
		union rig_packet pk;
		struct rig_kernel k;

		ASSERT_EQ(0, rig_queue_create(&self->r, RIG_RING, &q[i]));
		s[i] = rig_signal(&self->r, 5);
		s[i]->mailbox = (uintptr_t)p + i * RIG_PAGE;
		s[i]->event_id = 17 + i;
		ASSERT_EQ(0, rig_kernel(&self->r, "add_to", &k));
		rig_dispatch_packet(&pk, &k, 1, 64, rig_args(&self->r, &a, sizeof(a)), s[i]);
		rig_submit(&q[i], &pk);
	}
	/* 2 in all when workers waited, each time; a busy host may keep another from its CPU once. */
	for (i = 0, beside = 0; i < 5 && beside >= 0 && beside <= alone / 20; i++) {
		beside = kernels_beside(1500);
		TH_LOG("%d kernels of another process alone, %d beside", alone, beside);
	}
	EXPECT_LT(alone / 20, beside);
	for (i = 0; i < N; i++)
		fill(uffd, (uintptr_t)p + i * RIG_PAGE, page);
	for (i = 0; i < N; i++) {
		EXPECT_TRUE(rig_wait32((u32 *)(p + i * RIG_PAGE), 17 + i, RIG_LONG));
		EXPECT_TRUE(rig_wait(s[i], 4, RIG_LONG));
	}
	EXPECT_TRUE(queue_works(&self->r, &q[0], self->words));
}

TEST_F(gpu, copy_waits_and_goes_on)
{
	static u32 page[RIG_PAGE / 4] __attribute__((aligned(4096)));
	struct rig_sdma stuck = { 0 }, other = { 0 };
	u32 *p, fence, i;
	u64 addr;
	int uffd;

	ASSERT_EQ(0, rig_sdma_create(&self->r, KFD_IOC_QUEUE_TYPE_SDMA, 0, &stuck));
	p = missing(&self->r, &uffd);
	/* Resident: one page at a time is brought in for a process. */
	memset(self->words, 1, 64 * RIG_PAGE);
	/* from the third page on */
	rig_sdma_copy(&stuck, self->words, p + 2 * 1024, 2 * RIG_PAGE);
	fence = rig_sdma_submit(&stuck);
	for (i = 0; i < 2; i++) {
		ASSERT_TRUE(asked(uffd, &addr));
		EXPECT_EQ((uintptr_t)(p + (2 + i) * 1024), addr);
		/* the engine has time for others, also for those of this process */
		EXPECT_EQ(0, rig_sdma_create(&self->r, KFD_IOC_QUEUE_TYPE_SDMA, 0, &other));
		rig_sdma_copy(&other, self->words + 20 * 1024, self->words + 10 * 1024, 4096);
		EXPECT_TRUE(rig_sdma_run(&other));
		EXPECT_EQ(0, rig_sdma_destroy(&self->r, &other));
		EXPECT_FALSE(rig_sdma_wait(&stuck, fence, 10));
		page[5] = 55 + i;
		fill(uffd, addr, page);
	}
	EXPECT_TRUE(rig_sdma_wait(&stuck, fence, RIG_LONG));
	EXPECT_EQ(55u, self->words[5]);
	EXPECT_EQ(56u, self->words[1024 + 5]);
	/* and one that is destroyed while it waits */
	rig_sdma_copy(&stuck, p + 8 * 1024, self->words, RIG_PAGE);
	rig_sdma_submit(&stuck);
	ASSERT_TRUE(asked(uffd, &addr));
	EXPECT_EQ(0, rig_sdma_destroy(&self->r, &stuck));
}

TEST_F(gpu, many_stuck_at_once)
{
	struct rig_queue q[6];
	unsigned int i;
	u64 addr;
	u32 *p;
	int uffd;

	p = missing(&self->r, &uffd);
	for (i = 0; i < 6; i++) {
		ASSERT_EQ(0, rig_queue_create(&self->r, RIG_RING, &q[i]));
		if (i & 1)
			complete_at(&q[i], (char *)p + i * RIG_PAGE);
		else
			start(&self->r, &q[i], "store_word",
			      (uintptr_t)p + (i + 6) * RIG_PAGE, 1, 4, 64);
	}
	ASSERT_TRUE(asked(uffd, &addr));
	EXPECT_TRUE(others_work_soon());
	/* destroying does not wait for the page */
	for (i = 0; i < 6; i++)
		EXPECT_EQ(0, rig_queue_destroy(&self->r, &q[i]));
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
}

/* -------------------------------------------------- ioctls with an answer to write */

struct wave_state_call {
	struct rig *r;
	struct kfd_ioctl_get_queue_wave_state_args a;
	int ret;
};

static void *ask_wave_state(void *arg)
{
	struct wave_state_call *c = arg;

	c->ret = rig_ioctl(c->r, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &c->a);
	return NULL;
}

/* A child that does @what ends soon. One that does not is left to the caller. */
static bool child_is_soon_done(int (*what)(void *arg), void *arg, pid_t *left)
{
	u64 end = rig_ms() + NEVER_MS;
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(what(arg));
	do {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return !status;
		usleep(10000);
	} while (rig_ms() < end);
	*left = pid;
	return false;
}

static int reads_all_processes(void *arg)
{
	char buf[4096];
	FILE *f = fopen("/sys/kernel/debug/kfd/processes", "r");

	(void)arg;
	if (!f)
		return 1;
	while (fread(buf, 1, sizeof(buf), f))
		;
	return fclose(f) ? 2 : 0;
}

static int opens_a_gpu(void *arg)
{
	struct rig r;

	(void)arg;
	return rig_open(&r) ? 1 : 0;
}

/* An answer that is written to memory that does not come keeps nobody out. */
TEST_F(gpu, wave_state_is_told_without_a_lock)
{
	static u32 page[RIG_PAGE / 4] __attribute__((aligned(4096)));
	struct wave_state_call call = { .r = &self->r };
	struct rig_queue saved, other;
	pid_t left[2] = { 0 };
	struct rig_mem area;
	pthread_t thread;
	size_t bytes;
	u64 addr;
	int uffd;
	u32 *p;

	ASSERT_EQ(0, rig_area(&self->r, &area));
	ASSERT_EQ(0, rig_queue_create(&self->r, RIG_RING, &saved));
	ASSERT_EQ(0, rig_queue_update(&self->r, &saved, 0));
	/* As large as the area: an XCC is told about where its own is. */
	ASSERT_EQ(0, rig_area_size(&self->r, &bytes));
	p = missing_range(&self->r, bytes, &uffd);
	call.a.queue_id = saved.id;
	call.a.ctl_stack_address = (uintptr_t)p;
	ASSERT_EQ(0, pthread_create(&thread, NULL, ask_wave_state, &call));
	ASSERT_TRUE(asked(uffd, &addr));
	EXPECT_EQ((uintptr_t)p, addr);
	/* Other processes, and who looks at all of them */
	EXPECT_TRUE(child_is_soon_done(reads_all_processes, NULL, &left[0]));
	EXPECT_TRUE(child_is_soon_done(opens_a_gpu, NULL, &left[1]));
	/* And this one, which would stand still here */
	if (!left[0] && !left[1]) {
		EXPECT_EQ(0, rig_queue_create(&self->r, RIG_RING, &other));
		EXPECT_EQ(0, rig_queue_destroy(&self->r, &saved));
	}
	fill(uffd, addr, page);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, call.ret);
	EXPECT_EQ(self->r.ctl_bytes, p[0]);	/* of an empty control stack */
}

/* ------------------------------------------------------------------- killed */

/* Objects of others may be on their way out when it begins, so "not more". */
static bool no_more_objects_than(long n)
{
	u64 end = rig_ms() + NEVER_MS;

	while (file_number("/sys/kernel/debug/kfd/bo_count") > n) {
		if (rig_ms() > end)
			return false;
		usleep(10000);
	}
	return true;
}

/* A child that is stuck in @how; killed, it is gone soon. */
static void kill_stuck(void (*how)(struct rig *r, struct rig_queue *q))
{
	int pipe_fd[2], status;
	u64 start;
	char byte;
	pid_t pid;

	ASSERT_EQ(0, pipe(pipe_fd));
	pid = fork();
	if (!pid) {
		struct rig r;
		struct rig_queue q;

		if (rig_open(&r) || rig_load(&r) || rig_queue_create(&r, RIG_RING, &q))
			_exit(1);
		how(&r, &q);
		if (write(pipe_fd[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	/* The child's is the last end for writing: if it ends, so does the wait. */
	close(pipe_fd[1]);
	ASSERT_EQ(1, read(pipe_fd[0], &byte, 1));
	usleep(100000);
	EXPECT_TRUE(others_work_soon());
	start = rig_ms();
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_GT(NEVER_MS, rig_ms() - start);
	EXPECT_TRUE(gone_from_kfd(pid, NEVER_MS));
	EXPECT_TRUE(others_work_soon());
}

static bool have_userfaultfd(void)
{
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static void stuck_wave(struct rig *r, struct rig_queue *q)
{
	u64 addr;
	int uffd;
	u32 *p = missing(r, &uffd);

	start(r, q, "store_word", (uintptr_t)p, 42, 4, 64);
	asked(uffd, &addr);
}

static void stuck_packet(struct rig *r, struct rig_queue *q)
{
	u64 addr;
	int uffd;
	u32 *p = missing(r, &uffd);

	complete_at(q, p);
	asked(uffd, &addr);
}

TEST(killed_with_a_stuck_wave)
{
	long bos = file_number("/sys/kernel/debug/kfd/bo_count");

	if (!have_userfaultfd())
		SKIP(return, "no userfaultfd");
	kill_stuck(stuck_wave);
	EXPECT_TRUE(no_more_objects_than(bos));
}

TEST(killed_with_a_stuck_packet)
{
	long bos = file_number("/sys/kernel/debug/kfd/bo_count");

	if (!have_userfaultfd())
		SKIP(return, "no userfaultfd");
	kill_stuck(stuck_packet);
	EXPECT_TRUE(no_more_objects_than(bos));
}

/* What is left to who shares the memory of a process that has gone. */
struct sharer {
	volatile u64 *doorbells;
	int kfd;
	u64 offset;
	volatile int started, tries, other;	/* other than a refusal */
};

static int sharer_goes_on(void *arg)
{
	struct sharer *s = arg;

	for (s->started = 1;; s->tries++) {
		if (mmap(NULL, 2 * RIG_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, s->kfd,
			 s->offset) != MAP_FAILED || errno != EBADF)
			s->other++;
		s->doorbells[s->tries % 1024] = s->tries;
	}
	return 0;
}

/*
 * Nobody closes /dev/kfd at the end, and the mm does not end: the watch over the page
 * that does not come finds that its process has left.
 */
TEST(left_behind_with_the_memory_in_use)
{
	struct sharer *s = mmap(NULL, RIG_PAGE, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	static char stack[65536] __attribute__((aligned(16)));
	int status, before;
	pid_t pid;

	if (!have_userfaultfd())
		SKIP(return, "no userfaultfd");
	ASSERT_NE(MAP_FAILED, (void *)s);
	pid = fork();
	if (!pid) {
		struct rig_queue q;
		struct rig r;

		if (rig_open(&r) || rig_load(&r) || rig_queue_create(&r, RIG_RING, &q))
			_exit(1);
		stuck_wave(&r, &q);
		s->doorbells = r.doorbells;
		s->kfd = r.kfd;
		s->offset = KFD_MMAP_TYPE_DOORBELL | KFD_MMAP_GPU_ID(r.gpu_id);
		if (clone(sharer_goes_on, stack + sizeof(stack), CLONE_VM | SIGCHLD, s) < 0)
			_exit(2);
		while (!s->started)
			sched_yield();
		close(r.kfd);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	EXPECT_TRUE(gone_from_kfd(pid, NEVER_MS));
	before = s->tries;
	while (s->tries < before + 100)
		usleep(1000);
	EXPECT_EQ(0, s->other);
	EXPECT_TRUE(others_work_soon());
}

/* --------------------------------------------------------------------- FUSE */

static void *fuse_memory(struct rig *r)
{
	int fd = open(FUSE_DIR "/file", O_RDWR | O_CLOEXEC);
	struct rig_mem m;
	void *p;

	ASSERT_LE(0, fd);
	p = mmap(NULL, MISSING_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(0, rig_userptr(r, p, MISSING_BYTES, &m));
	return p;
}

static void stuck_in_fuse(struct rig *r, struct rig_queue *q)
{
	char *p = fuse_memory(r);

	start(r, q, "store_word", (uintptr_t)p, 42, 4, 64);
	complete_at(q, p + 8 * RIG_PAGE);
}

TEST(fuse_server_that_never_answers)
{
	struct rig r;
	struct rig_queue q;

	fuse_mount();
	ASSERT_EQ(0, rig_open(&r));
	ASSERT_EQ(0, rig_load(&r));
	ASSERT_EQ(0, rig_queue_create(&r, RIG_RING, &q));
	stuck_in_fuse(&r, &q);
	usleep(100000);
	EXPECT_TRUE(others_work_soon());
	EXPECT_EQ(0, rig_queue_destroy(&r, &q));
	fuse_umount();
	rig_close(&r);
}

TEST(killed_with_a_fuse_server_that_never_answers)
{
	long bos = file_number("/sys/kernel/debug/kfd/bo_count");

	fuse_mount();
	kill_stuck(stuck_in_fuse);
	fuse_umount();
	/* What its mm held until now: the mm waits for the server. */
	EXPECT_TRUE(no_more_objects_than(bos));
}

TEST_HARNESS_MAIN
