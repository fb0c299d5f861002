// SPDX-License-Identifier: MIT
/*
 * The process's own memory as the GPU sees it while the process changes its
 * mappings. The GPU's hand is a barrier packet: when it completes it reads its
 * signal and decrements its value, at any address we like. If the GPU used a
 * page that is no longer there, the decrement would not show.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../kfd/harness.h"
#include "../queue/rig.h"

#define PAGES	64ul
#define BYTES	(PAGES * RIG_PAGE)
#define USERPTR	(KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE)

FIXTURE(up) {
	struct rig r;
	struct rig_queue q;
	struct rig_mem m;
	unsigned char *p;
};

FIXTURE_SETUP(up)
{
	ASSERT_EQ(0, rig_open(&self->r));
	ASSERT_EQ(0, rig_queue_create(&self->r, RIG_RING, &self->q));
	self->p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->p);
	ASSERT_EQ(0, rig_userptr(&self->r, self->p, BYTES, &self->m));
}

FIXTURE_TEARDOWN(up)
{
	rig_close(&self->r);
}

static struct rig_signal *signal_at(void *p, s64 value)
{
	struct rig_signal *s = p;

	memset(s, 0, sizeof(*s));
	s->kind = 1;
	__atomic_store_n(&s->value, value, __ATOMIC_RELEASE);
	return s;
}

static void gpu_decrements(FIXTURE_DATA(up) *self, void *p)
{
	union rig_packet pk = { 0 };

	pk.barrier.header = RIG_BARRIER_AND | RIG_SCOPES;
	pk.barrier.signal = (uintptr_t)p;
	rig_submit(&self->q, &pk);
}

/* The GPU only reads @p: a dependency whose value is 0, which holds up nothing. */
static bool gpu_reads(FIXTURE_DATA(up) *self, void *p)
{
	struct rig_signal *done = rig_signal(&self->r, 1);
	union rig_packet pk = { 0 };

	pk.barrier.header = RIG_BARRIER_AND | RIG_SCOPES;
	pk.barrier.dep[0] = (uintptr_t)p;
	pk.barrier.signal = (uintptr_t)done;
	rig_submit(&self->q, &pk);
	return rig_wait(done, 0, RIG_LONG);
}

/* Take pages that have just been freed, so that they do not come back at once. */
static void take_free_pages(void)
{
	void *p = mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	ASSERT_NE(MAP_FAILED, p);
}

/* The GPU reaches what is at @p now. */
static bool reaches(FIXTURE_DATA(up) *self, void *p)
{
	struct rig_signal *s = signal_at(p, 5);

	gpu_decrements(self, s);
	return rig_wait(s, 4, RIG_LONG);
}

static int userptr_err(FIXTURE_DATA(up) *self, void *p, size_t bytes)
{
	struct rig_mem m;

	return rig_userptr(&self->r, p, bytes, &m);
}

TEST_F(up, is_seen)
{
	size_t i;

	for (i = 0; i < PAGES; i += 7)
		EXPECT_TRUE(reaches(self, self->p + i * RIG_PAGE + 64));
}

TEST_F(up, dontneed_gives_new_pages)
{
	int i;

	for (i = 0; i < 20; i++) {
		ASSERT_TRUE(reaches(self, self->p));
		ASSERT_EQ(0, madvise(self->p, BYTES, MADV_DONTNEED));
		take_free_pages();
		EXPECT_EQ(0, self->p[8]);
	}
}

TEST_F(up, munmap_and_mmap_again)
{
	int i;

	for (i = 0; i < 20; i++) {
		ASSERT_TRUE(reaches(self, self->p + RIG_PAGE));
		munmap(self->p, BYTES);
		take_free_pages();
		ASSERT_EQ((void *)self->p,
			  mmap(self->p, BYTES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	}
	EXPECT_TRUE(reaches(self, self->p));
}

TEST_F(up, mremap_moves_pages_away_and_in)
{
	unsigned char *two = mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rig_signal *moved;

	ASSERT_NE(MAP_FAILED, (void *)two);
	memset(two, 1, 2 * BYTES);
	ASSERT_TRUE(reaches(self, self->p));
	/* Our pages replace the first half, and the second half comes in. */
	ASSERT_EQ((void *)two, mremap(self->p, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, two));
	moved = (struct rig_signal *)two;
	EXPECT_EQ(4, moved->value);
	ASSERT_EQ((void *)self->p, mremap(two + BYTES, BYTES, BYTES,
					  MREMAP_MAYMOVE | MREMAP_FIXED, self->p));
	EXPECT_TRUE(reaches(self, self->p));
	EXPECT_EQ(4, moved->value);
}

/* After fork the pages are shared until somebody writes: the GPU is the parent. */
static void fork_then(FIXTURE_DATA(up) *self, bool cpu_writes_first)
{
	struct rig_signal *s = signal_at(self->p, 100), *zero = s + 1;
	int status, go[2], done[2];
	char c = 0;
	pid_t pid;

	gpu_decrements(self, s);
	ASSERT_TRUE(rig_wait(s, 99, RIG_LONG));
	ASSERT_EQ(0, pipe(go) | pipe(done));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		c = read(go[0], &c, 1) == 1 && s->value == 99;
		s->value = 1234;
		_exit(write(done[1], &c, 1) == 1 && c ? 0 : 1);
	}
	ASSERT_GT(pid, 0);
	if (cpu_writes_first)
		s->start_ts = 1;
	ASSERT_TRUE(gpu_reads(self, zero));
	gpu_decrements(self, s);
	ASSERT_TRUE(rig_wait(s, 98, RIG_LONG));
	ASSERT_EQ(1, (int)write(go[1], &c, 1));
	ASSERT_EQ(1, (int)read(done[0], &c, 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(98, s->value);
	EXPECT_TRUE(reaches(self, self->p));
}

TEST_F(up, fork_gpu_breaks_cow)
{
	fork_then(self, false);
}

TEST_F(up, fork_cpu_breaks_cow)
{
	fork_then(self, true);
}

/* Nobody has written: the GPU reads the zero page, then gets a page of its own. */
TEST_F(up, untouched_pages)
{
	struct rig_signal *s = (struct rig_signal *)(self->p + 5 * RIG_PAGE);

	ASSERT_TRUE(gpu_reads(self, s));
	gpu_decrements(self, s);
	EXPECT_TRUE(rig_wait(s, -1, RIG_LONG));
	EXPECT_EQ(0, ((struct rig_signal *)(self->p + 6 * RIG_PAGE))->value);
}

/* A memory event with this address and reason; the queue is dead after it. */
static void faults(FIXTURE_DATA(up) *self, void *p, bool not_present, bool read_only)
{
	struct kfd_event_data d = { 0 };
	u32 id, slot;

	ASSERT_EQ(0, rig_event(&self->r, KFD_IOC_EVENT_MEMORY, &id, &slot));
	gpu_decrements(self, p);
	ASSERT_EQ(0, rig_event_wait(&self->r, id, RIG_LONG, &d));
	EXPECT_EQ((u64)(uintptr_t)p & ~(RIG_PAGE - 1), (u64)d.memory_exception_data.va);
	EXPECT_EQ(self->r.gpu_id, d.memory_exception_data.gpu_id);
	EXPECT_EQ(not_present, !!d.memory_exception_data.failure.NotPresent);
	EXPECT_EQ(read_only, !!d.memory_exception_data.failure.ReadOnly);
}

TEST_F(up, munmapped_page_faults)
{
	ASSERT_TRUE(reaches(self, self->p + RIG_PAGE));
	munmap(self->p + RIG_PAGE, RIG_PAGE);
	faults(self, self->p + RIG_PAGE, true, false);
}

TEST_F(up, read_only_page_faults_on_write)
{
	struct rig_signal *s = signal_at(self->p, 5);

	ASSERT_TRUE(reaches(self, s));
	ASSERT_EQ(0, mprotect(self->p, RIG_PAGE, PROT_READ));
	faults(self, s, false, true);
	EXPECT_EQ(4, s->value);
}

TEST_F(up, mprotect_none_faults)
{
	ASSERT_TRUE(reaches(self, self->p));
	ASSERT_EQ(0, mprotect(self->p, RIG_PAGE, PROT_NONE));
	faults(self, self->p, true, false);
}

/* A shared file: the GPU's writes are the file's, and truncation takes them away. */
TEST_F(up, shared_file)
{
	struct rig_signal in_file = { 0 };
	int fd = syscall(SYS_memfd_create, "up", 0);
	struct rig_mem m;
	void *p;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, ftruncate(fd, 4 * RIG_PAGE));
	p = mmap(NULL, 4 * RIG_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(0, rig_userptr(&self->r, p, 4 * RIG_PAGE, &m));
	EXPECT_TRUE(reaches(self, p));
	ASSERT_EQ((long)sizeof(in_file), (long)pread(fd, &in_file, sizeof(in_file), 0));
	EXPECT_EQ(4, in_file.value);
	ASSERT_EQ(0, ftruncate(fd, 0));
	faults(self, p, true, false);
}

TEST_F(up, alloc_bad)
{
	void *hole = mmap(NULL, 4 * RIG_PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd;

	ASSERT_NE(MAP_FAILED, hole);
	EXPECT_EQ(-EINVAL, userptr_err(self, self->p + 64, RIG_PAGE));
	munmap(hole + RIG_PAGE, RIG_PAGE);
	EXPECT_EQ(-EFAULT, userptr_err(self, hole, 4 * RIG_PAGE));
	EXPECT_EQ(-EFAULT, userptr_err(self, hole + RIG_PAGE, RIG_PAGE));
	/* Device memory is none of the process's. */
	EXPECT_EQ(-EFAULT, userptr_err(self, self->r.doorbells, RIG_PAGE));
#ifdef SYS_memfd_secret
	fd = syscall(SYS_memfd_secret, 0);
	if (fd >= 0) {
		ASSERT_EQ(0, ftruncate(fd, RIG_PAGE));
		hole = mmap(NULL, RIG_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		ASSERT_NE(MAP_FAILED, hole);
		EXPECT_EQ(-EFAULT, userptr_err(self, hole, RIG_PAGE));
	}
#else
	(void)fd;
#endif
}

/* A range that became unreachable after it was registered. */
TEST_F(up, device_memory_in_its_place_faults)
{
	size_t at = (void *)self->q.doorbell - self->r.doorbells;

	ASSERT_TRUE(reaches(self, self->p));
	ASSERT_EQ((void *)self->p, mmap(self->p, RIG_PAGE, PROT_READ | PROT_WRITE,
					MAP_SHARED | MAP_FIXED, open("/dev/zero", O_RDWR), 0));
	EXPECT_TRUE(reaches(self, self->p));	/* shmem is memory */
	ASSERT_EQ((void *)self->p, mremap(self->r.doorbells, 2 * RIG_PAGE, 2 * RIG_PAGE,
					  MREMAP_MAYMOVE | MREMAP_FIXED, self->p));
	self->q.doorbell = (void *)self->p + at;
	faults(self, self->p, true, false);
}

TEST_F(up, huge_pages)
{
	size_t bytes = 8ul << 20, i;
	unsigned char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				-1, 0);
	struct rig_mem m;

	ASSERT_NE(MAP_FAILED, (void *)p);
	madvise(p, bytes, MADV_HUGEPAGE);
	memset(p, 0, bytes);
	ASSERT_EQ(0, rig_userptr(&self->r, p, bytes, &m));
	for (i = 0; i < bytes; i += bytes / 16)
		EXPECT_TRUE(reaches(self, p + i));
	/* Splits a huge page. */
	madvise(p + RIG_PAGE, RIG_PAGE, MADV_DONTNEED);
	EXPECT_TRUE(reaches(self, p + RIG_PAGE));
	EXPECT_TRUE(reaches(self, p));
}

static void *storm(void *arg)
{
	FIXTURE_DATA(up) *self = arg;
	unsigned char *stop = self->p + BYTES - 1;

	while (!__atomic_load_n(stop, __ATOMIC_ACQUIRE)) {
		madvise(self->p + RIG_PAGE, 8 * RIG_PAGE, MADV_DONTNEED);
		/* Never without the right to write: the GPU would be right to fault. */
		mprotect(self->p, RIG_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
		mprotect(self->p, RIG_PAGE, PROT_READ | PROT_WRITE);
	}
	return NULL;
}

/*
 * Pages come and go under the GPU's hand. On the first page, which stays and
 * only changes its rights, no decrement is lost and none is done twice.
 * Completion has no order, so the last packet waits for all by the barrier bit.
 */
TEST_F(up, storm_of_invalidations)
{
	const int rounds = 400;
	struct rig_signal *s = signal_at(self->p, rounds), *done = rig_signal(&self->r, 1);
	union rig_packet pk = { 0 };
	pthread_t thread;
	int i;

	ASSERT_EQ(0, pthread_create(&thread, NULL, storm, self));
	for (i = 0; i < rounds; i++) {
		/* These pages read as zero or hold what is left of a decrement. */
		gpu_decrements(self, self->p + (1 + i % 8) * RIG_PAGE);
		gpu_decrements(self, s);
		if (i % 16 == 15)
			ASSERT_TRUE(rig_wait(s, rounds - 1 - i, RIG_LONG));
	}
	pk.barrier.header = RIG_BARRIER_AND | RIG_BARRIER_BIT | RIG_SCOPES;
	pk.barrier.signal = (uintptr_t)done;
	rig_submit(&self->q, &pk);
	EXPECT_TRUE(rig_wait(done, 0, RIG_LONG));
	EXPECT_EQ(0, s->value);
	__atomic_store_n(self->p + BYTES - 1, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
}

TEST_F(up, free_and_free_again)
{
	struct rig_mem twice = self->m;

	ASSERT_TRUE(reaches(self, self->p));
	EXPECT_EQ(0, rig_unmap(&self->r, &self->m));
	EXPECT_EQ(0, rig_free(&self->r, &self->m));
	EXPECT_NE(0, rig_free(&self->r, &twice));
	faults(self, self->p, true, false);
}

TEST_HARNESS_MAIN
