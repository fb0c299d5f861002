// SPDX-License-Identifier: MIT
/*
 * Pages of shared memory that go to the GPU for real, where the kernel has page frames for that
 * (the module's parameter svm_migrate): they are out of CPUs' page tables until one touches them,
 * and nothing that anybody has stored there is lost.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <poll.h>
#include <stdio.h>
#include <sys/uio.h>

#include "../../uapi/drm/amdgpu_drm.h"
#include "../kfd/kfd_util.h"
#include "queue_test.h"
#include "zone.h"

FIXTURE(zone) {
	struct rig r;
	struct rig_queue q;
	u32 *p;			/* PAGES */
	int pagemap, smi;
};

static int listen(struct rig *r)
{
	struct kfd_ioctl_smi_events_args a = { .gpuid = r->gpu_id };
	u64 mask = KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_MIGRATE_END);

	ASSERT_EQ(rig_ioctl(r, AMDKFD_IOC_SMI_EVENTS, &a), 0);
	ASSERT_EQ(write(a.anon_fd, &mask, sizeof(mask)), (ssize_t)sizeof(mask));
	return a.anon_fd;
}

#define word(self, page)	((self)->p + (page) * (RIG_PAGE / 4))

static int xnack_on(struct rig *r)
{
	struct kfd_ioctl_set_xnack_mode_args x = { .xnack_enabled = 1 };

	return rig_ioctl(r, AMDKFD_IOC_SET_XNACK_MODE, &x);
}

FIXTURE_SETUP(zone)
{
	ASSERT_EQ(rig_open(&self->r), 0);
	if (access(PARAM, F_OK))
		SKIP(return, "this kernel has no device-private pages");
	ASSERT_TRUE(set_param("Y"));
	ASSERT_EQ(rig_load(&self->r), 0);
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &self->q), 0);
	self->p = memory();
	self->pagemap = open("/proc/self/pagemap", O_RDONLY);
	ASSERT_LE(0, self->pagemap);
	ASSERT_EQ(rig_svm_set(&self->r, self->p, BYTES, ACCESS, self->r.gpu_id), 0);
	self->smi = listen(&self->r);
}

FIXTURE_TEARDOWN(zone)
{
	rig_close(&self->r);
	set_param("N");
}

static u32 away(FIXTURE_DATA(zone) *self)
{
	return away_of(self->pagemap, self->p, PAGES);
}

#define page_in(self)	rig_counter(&(self)->r, "page_in")
#define page_out(self)	rig_counter(&(self)->r, "page_out")

/* The next migration that is told of: true if it is this one. */
static bool told(FIXTURE_DATA(zone) *self, u32 page, u32 pages, bool in, int why)
{
	struct pollfd p = { .fd = self->smi, .events = POLLIN };
	unsigned long long first = 0, n = 0;
	unsigned int f = 1, t = 1;
	char text[128] = "";
	size_t i = 0;
	int trigger = -1;

	if (poll(&p, 1, RIG_LONG) != 1)
		return false;
	while (i < sizeof(text) - 1 && read(self->smi, &text[i], 1) == 1 && text[i++] != '\n')
		;
	if (sscanf(text, "%*x %*d -%*d @%llx(%llx) %x->%x %d", &first, &n, &f, &t, &trigger) == 5 &&
	    first == (uintptr_t)self->p / RIG_PAGE + page && n == pages &&
	    f == (in ? 0 : self->r.gpu_id) && t == (in ? self->r.gpu_id : 0) && trigger == why)
		return true;
	TH_LOG("told: %s", text);
	return false;
}

static int prefetch(FIXTURE_DATA(zone) *self, bool in)
{
	return rig_svm_set(&self->r, self->p, BYTES, PREFETCH, in ? self->r.gpu_id : 0);
}

/* Pages that the kernel is using for a moment stay where they are; the next try takes them. */
static bool all_go(FIXTURE_DATA(zone) *self)
{
	u32 i;

	for (i = 0; i < RIG_LONG; i++) {
		ASSERT_EQ(prefetch(self, true), 0);
		if (away(self) == PAGES)
			return true;
		usleep(1000);
	}
	return false;
}

/* By the GPU; no CPU looks whether it is there */
static void store(FIXTURE_DATA(zone) *self, u32 page, u32 value)
{
	struct rig_signal *s = start(&self->r, &self->q, "store_word", (uintptr_t)word(self, page),
				     value, 1, 1);

	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
}

static u32 load(FIXTURE_DATA(zone) *self, u32 page)
{
	struct rig_mem out;
	struct rig_signal *s;
	u32 value;

	ASSERT_EQ(rig_anon(&self->r, RIG_PAGE, &out), 0);
	s = start(&self->r, &self->q, "load_word", (uintptr_t)word(self, page), (uintptr_t)out.p,
		  1, 1);
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	value = *(volatile u32 *)out.p;
	rig_free(&self->r, &out);
	return value;
}

TEST_F(zone, a_prefetch_takes_pages_and_a_touch_brings_them_back)
{
	fill(self->p, 1);
	ASSERT_EQ(away(self), 0);
	ASSERT_TRUE(all_go(self));
	EXPECT_EQ(page_in(self), PAGES);
	EXPECT_TRUE(told(self, 0, PAGES, true, KFD_MIGRATE_TRIGGER_PREFETCH));
	EXPECT_EQ(load(self, 7), 7 * RIG_PAGE / 4 + 1);
	store(self, 9, 12345);
	EXPECT_EQ(load(self, 9), 12345);
	EXPECT_EQ(away(self), PAGES);
	EXPECT_EQ(page_out(self), 0);

	EXPECT_EQ(*(volatile u32 *)word(self, 9), 12345);
	EXPECT_TRUE(told(self, 0, PAGES, false, KFD_MIGRATE_TRIGGER_PAGEFAULT_CPU));
	EXPECT_EQ(away(self), 0);
	EXPECT_EQ(page_out(self), PAGES);
	*word(self, 9) = 9 * RIG_PAGE / 4 + 1;
	EXPECT_EQ(wrong(self->p, 1), 0);
	*word(self, 3) = 77;
	EXPECT_EQ(load(self, 3), 77);
}

TEST_F(zone, granules_come_back_one_by_one)
{
	fill(self->p, 2);
	ASSERT_EQ(rig_svm_set(&self->r, self->p, BYTES, GRANULARITY, 3), 0);
	ASSERT_TRUE(all_go(self));
	EXPECT_TRUE(told(self, 0, PAGES, true, KFD_MIGRATE_TRIGGER_PREFETCH));
	*(volatile u32 *)word(self, 20) = 5;
	EXPECT_TRUE(told(self, 16, 8, false, KFD_MIGRATE_TRIGGER_PAGEFAULT_CPU));
	EXPECT_EQ(away(self), PAGES - 8);
	EXPECT_EQ(page_out(self), 8);
	EXPECT_EQ(load(self, 20), 5);
	ASSERT_TRUE(all_go(self));
	EXPECT_EQ(page_in(self), PAGES + 8);
	ASSERT_EQ(prefetch(self, false), 0);
	EXPECT_EQ(away(self), 0);
	EXPECT_EQ(page_out(self), PAGES + 8);
	*word(self, 20) = 20 * RIG_PAGE / 4 + 2;
	EXPECT_EQ(wrong(self->p, 2), 0);
}

TEST_F(zone, memory_that_nobody_has_touched)
{
	ASSERT_TRUE(all_go(self));
	EXPECT_EQ(load(self, 1), 0);
	store(self, 2, 6);
	EXPECT_EQ(away(self), PAGES);
	EXPECT_EQ(*(volatile u32 *)word(self, 2), 6);
	*word(self, 2) = 0;
	for (u32 i = 0; i < BYTES / 4; i++)
		ASSERT_EQ(self->p[i], 0);
}

/* The kernel touches it for the process, or for another one. */
TEST_F(zone, calls_of_the_kernel)
{
	struct iovec to, from;
	static u32 copy[BYTES / 4];
	int fds[2];

	fill(self->p, 3);
	ASSERT_EQ(pipe(fds), 0);
	ASSERT_TRUE(all_go(self));
	ASSERT_EQ(write(fds[1], self->p, RIG_PAGE), (ssize_t)RIG_PAGE);
	EXPECT_EQ(away(self), 0);
	ASSERT_TRUE(all_go(self));
	ASSERT_EQ(read(fds[0], word(self, 5), RIG_PAGE), (ssize_t)RIG_PAGE);
	EXPECT_EQ(away(self), 0);
	ASSERT_EQ(memcmp(word(self, 5), self->p, RIG_PAGE), 0);
	ASSERT_TRUE(all_go(self));
	to = (struct iovec){ copy, BYTES };
	from = (struct iovec){ self->p, BYTES };
	ASSERT_EQ(process_vm_readv(getpid(), &to, 1, &from, 1, 0), (ssize_t)BYTES);
	EXPECT_EQ(copy[RIG_PAGE / 4 * 6], 3 + RIG_PAGE / 4 * 6);
	EXPECT_EQ(copy[RIG_PAGE / 4 * 5], 3);
	EXPECT_EQ(away(self), 0);
	close(fds[0]);
	close(fds[1]);
}

/* A child has what was there when it was made, and keeps it to itself. */
TEST_F(zone, a_child)
{
	int status, fds[2];
	pid_t pid;
	char c;

	fill(self->p, 4);
	ASSERT_TRUE(all_go(self));
	ASSERT_EQ(pipe(fds), 0);
	pid = fork();
	ASSERT_NE(pid, -1);
	if (!pid) {
		close(fds[1]);
		if (read(fds[0], &c, 1))
			_exit(2);
		if (wrong(self->p, 4))
			_exit(3);
		fill(self->p, 1000);
		_exit(wrong(self->p, 1000) ? 4 : 0);
	}
	EXPECT_EQ(away(self), PAGES);
	EXPECT_EQ(load(self, 11), 4 + 11 * RIG_PAGE / 4);
	store(self, 12, 1);	/* the child's is another one now */
	close(fds[1]);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(*(volatile u32 *)word(self, 12), 1);
	*word(self, 12) = 4 + 12 * RIG_PAGE / 4;
	EXPECT_EQ(wrong(self->p, 4), 0);
}

TEST_F(zone, the_mapping_changes)
{
	u32 *to;

	fill(self->p, 5);
	ASSERT_TRUE(all_go(self));
	ASSERT_EQ(mprotect(self->p, BYTES, PROT_READ), 0);
	EXPECT_EQ(load(self, 8), 5 + 8 * RIG_PAGE / 4);
	EXPECT_EQ(wrong(self->p, 5), 0);
	ASSERT_EQ(mprotect(self->p, BYTES, PROT_READ | PROT_WRITE), 0);
	ASSERT_TRUE(all_go(self));
	ASSERT_EQ(madvise(self->p, RIG_PAGE, MADV_DONTNEED), 0);
	EXPECT_EQ(away(self), PAGES - 1);
	EXPECT_EQ(load(self, 0), 0);
	EXPECT_EQ(*(volatile u32 *)self->p, 0);
	fill(self->p, 6);
	ASSERT_TRUE(all_go(self));
	to = mremap(self->p, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, memory());
	ASSERT_NE((void *)to, MAP_FAILED);
	EXPECT_EQ(away_of(self->pagemap, to, PAGES), PAGES);
	EXPECT_EQ(wrong(to, 6), 0);
	EXPECT_EQ(away_of(self->pagemap, to, PAGES), 0);
	ASSERT_EQ(rig_svm_set(&self->r, to, BYTES, PREFETCH, self->r.gpu_id), 0);
	EXPECT_LT(0, away_of(self->pagemap, to, PAGES));
	ASSERT_EQ(munmap(to, BYTES), 0);
}

/* The kernel splits it, or leaves it where it is. */
TEST_F(zone, a_huge_page)
{
	u32 i;

	self->p = memory_with(MADV_HUGEPAGE);
	fill(self->p, 9);
	ASSERT_EQ(rig_svm_set(&self->r, self->p, BYTES, ACCESS, self->r.gpu_id), 0);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(prefetch(self, true), 0);
		EXPECT_EQ(load(self, 4 + i), 9 + (4 + i) * RIG_PAGE / 4);
		store(self, 30 + i, i);
		EXPECT_EQ(*(volatile u32 *)word(self, 30 + i), i);
		*word(self, 30 + i) = 9 + (30 + i) * RIG_PAGE / 4;
	}
	EXPECT_EQ(wrong(self->p, 9), 0);
}

/* With XNACK a GPU takes what it touches. */
TEST_F(zone, a_fault_of_the_gpu)
{
	u32 i, n;

	/* XNACK is set while there is no queue. */
	ASSERT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
	if (xnack_on(&self->r) == -EPERM)
		SKIP(return, "this GPU has no XNACK mode");
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &self->q), 0);
	fill(self->p, 7);
	store(self, 5, 99);
	EXPECT_TRUE(told(self, 0, PAGES, true, KFD_MIGRATE_TRIGGER_PAGEFAULT_GPU));
	/* The store may not have waited for the pages. */
	for (i = 0; i < RIG_LONG && page_in(self) < PAGES / 2; i++)
		usleep(1000);
	n = page_in(self);
	EXPECT_LE(PAGES / 2, n);
	EXPECT_EQ(away(self), n);
	EXPECT_EQ(*(volatile u32 *)word(self, 5), 99);
	EXPECT_EQ(wrong(self->p, 7), 1);
	EXPECT_EQ(away(self), 0);
	*word(self, 5) = 7 + 5 * RIG_PAGE / 4;
	EXPECT_EQ(wrong(self->p, 7), 0);
}

struct toucher {
	pthread_t thread;
	volatile u32 *p;
	atomic_uint *go;
	u32 sum;
};

static void *touch_all(void *arg)
{
	struct toucher *t = arg;
	u32 i;

	while (!*t->go)
		;
	for (i = 0; i < PAGES; i++)
		t->sum += t->p[i * (RIG_PAGE / 4)];
	return NULL;
}

/* Several CPUs at a time */
TEST_F(zone, many_touch_the_same_pages)
{
	struct toucher t[4];
	atomic_uint go;
	u32 i, round, sum;

	fill(self->p, 8);
	for (sum = 0, i = 0; i < PAGES; i++)
		sum += *word(self, i);
	ASSERT_EQ(rig_svm_set(&self->r, self->p, BYTES, GRANULARITY, 0), 0);
	for (round = 0; round < 8; round++) {
		ASSERT_TRUE(all_go(self));
		go = 0;
		for (i = 0; i < 4; i++) {
			t[i] = (struct toucher){ .p = self->p, .go = &go };
			ASSERT_EQ(pthread_create(&t[i].thread, NULL, touch_all, &t[i]), 0);
		}
		go = 1;
		for (i = 0; i < 4; i++) {
			ASSERT_EQ(pthread_join(t[i].thread, NULL), 0);
			EXPECT_EQ(t[i].sum, sum);
		}
		ASSERT_EQ(away(self), 0);
	}
	EXPECT_EQ(page_in(self), 8 * PAGES);
}

static void *count_up(void *arg)
{
	FIXTURE_DATA(zone) *self = arg;
	u32 i;

	for (i = 0; i < 160; i++)
		__atomic_fetch_add(word(self, i % PAGES), 1, __ATOMIC_RELAXED);
	return NULL;
}

static void *count_by_the_gpu(void *arg)
{
	FIXTURE_DATA(zone) *self = arg;
	u32 i;

	for (i = 0; i < 40; i++) {
		/* It adds 1, and waits for no more than that. */
		struct rig_signal *s = start(&self->r, &self->q, "meet",
					     (uintptr_t)word(self, i % PAGES), 1, 1, 1);

		if (!rig_wait(s, 0, RIG_LONG))
			return self;
	}
	return NULL;
}

/* CPUs and the GPU count in the same words, and pages go this way and that meanwhile. */
TEST_F(zone, all_at_once)
{
	pthread_t cpu, gpu;
	void *failed;
	u32 i, sum = 0;

	ASSERT_EQ(rig_svm_set(&self->r, self->p, BYTES, GRANULARITY, 2), 0);
	ASSERT_EQ(pthread_create(&cpu, NULL, count_up, self), 0);
	ASSERT_EQ(pthread_create(&gpu, NULL, count_by_the_gpu, self), 0);
	for (i = 0; i < 30; i++)
		ASSERT_EQ(prefetch(self, i % 3), 0);
	ASSERT_EQ(pthread_join(cpu, NULL), 0);
	ASSERT_EQ(pthread_join(gpu, &failed), 0);
	EXPECT_EQ(failed, NULL);
	for (i = 0; i < PAGES; i++)
		sum += *word(self, i);
	EXPECT_EQ(sum, 200);
}

/*
 * Killed while pages come and go (VKFD_KILLS times, 5 by default); what it had in the GPU's memory
 * is free again.
 */
TEST_F(zone, killed_meanwhile)
{
	atomic_uint *rounds = mmap(NULL, RIG_PAGE, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	u32 i, kills, seed = 1;
	long used;
	int status;
	pid_t pid;

	ASSERT_NE((void *)rounds, MAP_FAILED);
	kills = getenv("VKFD_KILLS") ? atoi(getenv("VKFD_KILLS")) : 5;
	alarm((1 + kills / 10) * TH_TIMEOUT_S * th_slow());
	used = frames_used();
	for (i = 0; i < kills; i++) {
		pid = fork();
		ASSERT_NE(pid, -1);
		if (!pid) {
			struct rig r;

			if (rig_open(&r) || rig_svm_set(&r, self->p, BYTES, ACCESS, r.gpu_id))
				_exit(1);
			for (;;) {
				fill(self->p, i);
				if (rig_svm_set(&r, self->p, BYTES, PREFETCH, r.gpu_id))
					_exit(2);
				++*rounds;
			}
		}
		seed = seed * 1103515245 + 12345;
		*rounds = 0;
		while (*rounds < 2 && !waitpid(pid, &status, WNOHANG))
			usleep(1000);
		usleep(seed % 5000);
		ASSERT_EQ(kill(pid, SIGKILL), 0);
		ASSERT_EQ(waitpid(pid, &status, 0), pid);
		ASSERT_TRUE(WIFSIGNALED(status));
	}
	EXPECT_TRUE(frames_return(used));
	fill(self->p, 8);
	ASSERT_TRUE(all_go(self));
	EXPECT_EQ(wrong(self->p, 8), 0);
}

/* ------------------------------------------------------------------ leaving */

static u64 vram_free(int drm)
{
	struct drm_amdgpu_memory_info m = { 0 };
	struct drm_amdgpu_info in = { .query = AMDGPU_INFO_MEMORY };

	in.return_pointer = (uintptr_t)&m;
	in.return_size = sizeof(m);
	ASSERT_EQ(ioctl(drm, DRM_IOCTL_AMDGPU_INFO, &in), 0);
	return m.vram.total_heap_size - m.vram.heap_usage;
}

/* A buffer for which the range has to leave */
static void displace(FIXTURE_DATA(zone) *self)
{
	struct rig_mem m;

	ASSERT_EQ(rig_alloc(&self->r, KFD_IOC_ALLOC_MEM_FLAGS_VRAM,
			    (vram_free(self->r.drm) + BYTES) & -RIG_PAGE, &m), 0);
}

/* Who has to leave does so for real: no CPU has to touch it. */
TEST_F(zone, pages_leave_for_others)
{
	u32 i;

	fill(self->p, 20);
	ASSERT_TRUE(all_go(self));
	EXPECT_TRUE(told(self, 0, PAGES, true, KFD_MIGRATE_TRIGGER_PREFETCH));
	EXPECT_EQ(page_out(self), 0);
	displace(self);
	EXPECT_TRUE(told(self, 0, PAGES, false, KFD_MIGRATE_TRIGGER_TTM_EVICTION));
	for (i = 0; i < RIG_LONG && page_out(self) < PAGES; i++)
		usleep(1000);
	EXPECT_EQ(away(self), 0);
	EXPECT_EQ(page_out(self), PAGES);
	EXPECT_EQ(load(self, 7), 20 + 7 * RIG_PAGE / 4);
	EXPECT_EQ(wrong(self->p, 20), 0);
	EXPECT_EQ(page_out(self), PAGES);
	EXPECT_EQ(page_in(self), PAGES);
}

/* Each page is counted once, whoever fetches it. */
TEST_F(zone, pages_leave_and_are_touched)
{
	u32 i;

	fill(self->p, 21);
	ASSERT_EQ(rig_svm_set(&self->r, self->p, BYTES, GRANULARITY, 0), 0);
	ASSERT_TRUE(all_go(self));
	displace(self);
	EXPECT_EQ(wrong(self->p, 21), 0);
	for (i = 0; i < RIG_LONG && page_out(self) < PAGES; i++)
		usleep(1000);
	EXPECT_EQ(page_out(self), PAGES);
	EXPECT_EQ(away(self), 0);
}

/* ----------------------------------------------------------------- two GPUs */

FIXTURE(zones) {
	FIXTURE_DATA(zone) a;
	struct rig b;
	struct rig_queue q;
};

FIXTURE_SETUP(zones)
{
	struct rig *a = &self->a.r;
	u32 id;
	int fd;

	ASSERT_EQ(rig_open(a), 0);
	if (access(PARAM, F_OK))
		SKIP(return, "this kernel has no device-private pages");
	fd = rig_find_gpu(a->gpu_id, &id);
	if (fd < 0)
		SKIP(return, "needs two GPUs");
	if (rig_property(id, "hive_id") <= 0)
		SKIP(return, "needs GPUs of a hive");
	ASSERT_EQ(rig_open_on(&self->b, fd, id), 0);
	ASSERT_EQ(xnack_on(a), 0);
	ASSERT_TRUE(set_param("Y"));
	ASSERT_EQ(rig_load(a), 0);
	ASSERT_EQ(rig_load(&self->b), 0);
	ASSERT_EQ(rig_queue_create(a, RIG_RING, &self->a.q), 0);
	ASSERT_EQ(rig_queue_create(&self->b, RIG_RING, &self->q), 0);
	self->a.p = memory();
	self->a.pagemap = open("/proc/self/pagemap", O_RDONLY);
	ASSERT_LE(0, self->a.pagemap);
	ASSERT_EQ(rig_svm_set(a, self->a.p, BYTES, ACCESS, a->gpu_id), 0);
	ASSERT_EQ(rig_svm_set(a, self->a.p, BYTES, ACCESS, id), 0);
}

FIXTURE_TEARDOWN(zones)
{
	rig_close(&self->b);
	rig_close(&self->a.r);
	set_param("N");
}

static void store_by_b(FIXTURE_DATA(zones) *self, u32 page, u32 value)
{
	struct rig_signal *s = start(&self->b, &self->q, "store_word",
				     (uintptr_t)word(&self->a, page), value, 1, 1);

	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
}

static bool all_go_to_b(FIXTURE_DATA(zones) *self)
{
	u32 i;

	for (i = 0; i < RIG_LONG; i++) {
		ASSERT_EQ(rig_svm_set(&self->a.r, self->a.p, BYTES, PREFETCH, self->b.gpu_id), 0);
		if (away(&self->a) == PAGES)
			return true;
		usleep(1000);
	}
	return false;
}

/* They leave the one, and come to the other. */
TEST_F(zones, a_prefetch_from_gpu_to_gpu)
{
	FIXTURE_DATA(zone) *a = &self->a;

	fill(a->p, 30);
	ASSERT_TRUE(all_go(a));
	EXPECT_EQ(page_in(a), PAGES);
	ASSERT_TRUE(all_go_to_b(self));
	EXPECT_EQ(page_out(a), PAGES);
	EXPECT_EQ(rig_counter(&self->b, "page_in"), PAGES);
	store_by_b(self, 4, 5);
	EXPECT_EQ(away(a), PAGES);
	EXPECT_EQ(*(volatile u32 *)word(a, 4), 5);
	EXPECT_EQ(away(a), 0);
	EXPECT_EQ(rig_counter(&self->b, "page_out"), PAGES);
	EXPECT_EQ(page_out(a), PAGES);
	*word(a, 4) = 30 + 4 * RIG_PAGE / 4;
	EXPECT_EQ(wrong(a->p, 30), 0);
}

/* With XNACK, who faults takes them from the other. */
TEST_F(zones, a_fault_takes_from_the_other)
{
	FIXTURE_DATA(zone) *a = &self->a;
	u32 i;

	fill(a->p, 31);
	ASSERT_TRUE(all_go(a));
	usleep(50000);	/* what a fault has just moved would stay */
	store_by_b(self, 4, 5);
	for (i = 0; i < RIG_LONG && rig_counter(&self->b, "page_in") < PAGES / 2; i++)
		usleep(1000);
	EXPECT_EQ(page_out(a), PAGES);
	EXPECT_LE(PAGES / 2, rig_counter(&self->b, "page_in"));
	EXPECT_EQ(*(volatile u32 *)word(a, 4), 5);
	*word(a, 4) = 31 + 4 * RIG_PAGE / 4;
	EXPECT_EQ(wrong(a->p, 31), 0);
	EXPECT_EQ(away(a), 0);
	EXPECT_EQ(page_in(a), PAGES);
}

TEST_HARNESS_MAIN
