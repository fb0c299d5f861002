// SPDX-License-Identifier: MIT
/*
 * What a process may do to its memory while a range of it is with a GPU, in each state that a range
 * has: munmap, mremap, madvise, mprotect, fork and exec. What was stored is there afterwards, where
 * it belongs, for the CPU and for the GPU. Where the kernel can, pages move for real.
 */
#define _GNU_SOURCE
#include <sys/wait.h>

#include "../../uapi/drm/amdgpu_drm.h"
#include "../kfd/file_util.h"
#include "../kfd/kfd_util.h"
#include "queue_test.h"

#define MIGRATE		"/sys/module/vkfd/parameters/svm_migrate"
#define PAGES		16u
#define BYTES		(PAGES * RIG_PAGE)
#define FIRST		4u		/* pages in the middle that something happens to */
#define SOME		5u
#define SOME_BYTES	(SOME * RIG_PAGE)

enum { PREFETCH = KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, ACCESS = KFD_IOCTL_SVM_ATTR_ACCESS };

/* What has happened to a range before */
enum state {
	UNTOUCHED,
	TOUCHED,	/* by the CPU */
	STORED,		/* by the GPU; with XNACK, it has gone there */
	SENT,		/* to the GPU, by a prefetch */
	SENT_STORED,	/* and used there */
	HALF,		/* of it was sent */
	DISPLACED,	/* was sent, and had to leave for a buffer */
	BACK,		/* was sent, and the CPU has touched a part of it */
	STATES
};

FIXTURE(calls) {
	struct rig r;
	struct rig_queue q;
	bool xnack;
	u32 *p;			/* BYTES; a hole of as many is behind it */
	u32 want[PAGES];	/* in each page's first word */
	u32 seed;
};

static int begin(FIXTURE_DATA(calls) *self, bool xnack)
{
	struct kfd_ioctl_set_xnack_mode_args x = { .xnack_enabled = xnack };
	int ret = rig_open(&self->r);

	if (!ret && xnack)
		ret = rig_ioctl(&self->r, AMDKFD_IOC_SET_XNACK_MODE, &x);
	if (ret)
		return ret;
	self->xnack = xnack;
	ASSERT_EQ(rig_load(&self->r), 0);
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &self->q), 0);
	return 0;
}

/* Whether it may be written depends on the kernel; then pages follow their ranges. */
FIXTURE_SETUP(calls)
{
	ASSERT_EQ(access("/dev/kfd", R_OK | W_OK), 0);
	file_write(MIGRATE, "Y");
}

FIXTURE_TEARDOWN(calls)
{
	file_write(MIGRATE, "N");
	rig_close(&self->r);
}

static u32 *at(u32 *p, u32 page)
{
	return p + page * (RIG_PAGE / 4);
}

static void gpu_stores(FIXTURE_DATA(calls) *self, u32 *p, u32 page)
{
	struct rig_signal *s = start(&self->r, &self->q, "store_word", (uintptr_t)at(p, page),
				     ++self->seed, 1, 1);

	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	self->want[page] = self->seed;
}

/* A buffer of all that is free and a little more */
static void displace(FIXTURE_DATA(calls) *self)
{
	struct drm_amdgpu_memory_info m = { 0 };
	struct drm_amdgpu_info in = { .query = AMDGPU_INFO_MEMORY };
	struct rig_mem b;

	in.return_pointer = (uintptr_t)&m;
	in.return_size = sizeof(m);
	ASSERT_EQ(ioctl(self->r.drm, DRM_IOCTL_AMDGPU_INFO, &in), 0);
	ASSERT_EQ(rig_alloc(&self->r, KFD_IOC_ALLOC_MEM_FLAGS_VRAM,
			    (m.vram.total_heap_size - m.vram.heap_usage + BYTES) & -RIG_PAGE, &b),
		  0);
	ASSERT_EQ(rig_unmap(&self->r, &b), 0);
	ASSERT_EQ(rig_free(&self->r, &b), 0);
	munmap(b.p, b.bytes);
}

static void send(FIXTURE_DATA(calls) *self, u32 pages)
{
	ASSERT_EQ(rig_svm_set(&self->r, self->p, pages * RIG_PAGE, PREFETCH, self->r.gpu_id), 0);
}

/* New memory in @state */
static void prepare(FIXTURE_DATA(calls) *self, enum state state)
{
	char *p = mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	u32 i;

	ASSERT_NE((void *)p, MAP_FAILED);
	ASSERT_EQ(munmap(p + BYTES, BYTES), 0);
	madvise(p, BYTES, MADV_NOHUGEPAGE);
	self->p = (u32 *)p;
	memset(self->want, 0, sizeof(self->want));
	for (i = 0; state != UNTOUCHED && i < PAGES; i++)
		*at(self->p, i) = self->want[i] = ++self->seed;
	ASSERT_EQ(rig_svm_set(&self->r, p, BYTES, ACCESS, self->r.gpu_id), 0);
	if (state >= SENT)
		send(self, state == HALF ? PAGES / 2 : PAGES);
	if (state == DISPLACED)
		displace(self);
	if (state == BACK)
		*at(self->p, FIRST) = self->want[FIRST] = ++self->seed;
	if (state == STORED || state == SENT_STORED)
		for (i = 1; i < PAGES; i += 3)
			gpu_stores(self, self->p, i);
}

/* How many of the pages @first.. @first + @n hold something else than is wanted? They are at @p. */
static u32 wrong(FIXTURE_DATA(calls) *self, u32 *p, u32 first, u32 n)
{
	u32 i, bad = 0;

	for (i = 0; i < n; i++)
		bad += *(volatile u32 *)at(p, i) != self->want[first + i];
	return bad;
}

/* All that is left at @self->p works: for the GPU, then for the CPU, then on its way to the GPU */
static void expect_alive(FIXTURE_DATA(calls) *self, u32 first, u32 n)
{
	u32 i;

	gpu_stores(self, self->p, first);
	gpu_stores(self, self->p, first + n - 1);
	EXPECT_EQ(wrong(self, at(self->p, first), first, n), 0);
	ASSERT_EQ(rig_svm_set(&self->r, at(self->p, first), n * RIG_PAGE, PREFETCH, 0), 0);
	EXPECT_EQ(wrong(self, at(self->p, first), first, n), 0);
	for (i = first; i < first + n; i++)
		*at(self->p, i) = self->want[i] = ++self->seed;
	gpu_stores(self, self->p, first);
	EXPECT_EQ(wrong(self, at(self->p, first), first, n), 0);
}

/* ------------------------------------------------------------------ the calls */

static u32 *elsewhere(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(p, MAP_FAILED);
	return p;
}

static void unmaps_all(FIXTURE_DATA(calls) *self)
{
	ASSERT_EQ(munmap(self->p, BYTES), 0);
}

static void unmaps_some(FIXTURE_DATA(calls) *self)
{
	ASSERT_EQ(munmap(at(self->p, FIRST), SOME_BYTES), 0);
	EXPECT_EQ(wrong(self, self->p, 0, FIRST), 0);
	expect_alive(self, FIRST + SOME, PAGES - FIRST - SOME);
	ASSERT_EQ(munmap(self->p, FIRST * RIG_PAGE), 0);
	ASSERT_EQ(munmap(at(self->p, FIRST + SOME), (PAGES - FIRST - SOME) * RIG_PAGE), 0);
}

/* What moves leaves its range behind; with XNACK, GPUs reach it there, too. */
static void moves_all(FIXTURE_DATA(calls) *self)
{
	u32 *to = elsewhere(BYTES);

	ASSERT_EQ(mremap(self->p, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, to), (void *)to);
	EXPECT_EQ(wrong(self, to, 0, PAGES), 0);
	if (!self->xnack)
		ASSERT_EQ(rig_svm_set(&self->r, to, BYTES, ACCESS, self->r.gpu_id), 0);
	self->p = to;
	expect_alive(self, 0, PAGES);
	ASSERT_EQ(munmap(to, BYTES), 0);
}

static void moves_some(FIXTURE_DATA(calls) *self)
{
	u32 *to = elsewhere(SOME_BYTES);

	ASSERT_EQ(mremap(at(self->p, FIRST), SOME_BYTES, SOME_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED,
			 to), (void *)to);
	EXPECT_EQ(wrong(self, to, FIRST, SOME), 0);
	EXPECT_EQ(wrong(self, self->p, 0, FIRST), 0);
	expect_alive(self, FIRST + SOME, PAGES - FIRST - SOME);
	ASSERT_EQ(munmap(to, SOME_BYTES), 0);
	ASSERT_EQ(munmap(self->p, FIRST * RIG_PAGE), 0);
	ASSERT_EQ(munmap(at(self->p, FIRST + SOME), (PAGES - FIRST - SOME) * RIG_PAGE), 0);
}

static void shrinks(FIXTURE_DATA(calls) *self)
{
	ASSERT_EQ(mremap(self->p, BYTES, BYTES / 2, 0), (void *)self->p);
	expect_alive(self, 0, PAGES / 2);
	ASSERT_EQ(munmap(self->p, BYTES / 2), 0);
}

/* What it grows by is in no range, and zero. */
static void grows(FIXTURE_DATA(calls) *self)
{
	u32 *p = mremap(self->p, BYTES, 2 * BYTES, MREMAP_MAYMOVE), i;

	ASSERT_NE((void *)p, MAP_FAILED);
	for (i = PAGES; i < 2 * PAGES; i++)
		EXPECT_EQ(*at(p, i), 0);
	EXPECT_EQ(wrong(self, p, 0, PAGES), 0);
	if (p == self->p)
		expect_alive(self, 0, PAGES);
	ASSERT_EQ(munmap(p, 2 * BYTES), 0);
}

/* Other memory comes in its place. */
static void is_moved_onto(FIXTURE_DATA(calls) *self)
{
	u32 *from = elsewhere(SOME_BYTES), i;

	for (i = 0; i < SOME; i++)
		*at(from, i) = self->want[FIRST + i] = ++self->seed;
	ASSERT_EQ(mremap(from, SOME_BYTES, SOME_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED,
			 at(self->p, FIRST)), (void *)at(self->p, FIRST));
	EXPECT_EQ(wrong(self, self->p, 0, PAGES), 0);
	expect_alive(self, 0, FIRST);
	ASSERT_EQ(munmap(self->p, BYTES), 0);
}

static void forgets(FIXTURE_DATA(calls) *self)
{
	u32 i;

	ASSERT_EQ(madvise(at(self->p, FIRST), SOME_BYTES, MADV_DONTNEED), 0);
	for (i = FIRST; i < FIRST + SOME; i++)
		self->want[i] = 0;
	expect_alive(self, 0, PAGES);
	ASSERT_EQ(munmap(self->p, BYTES), 0);
}

static void protects(FIXTURE_DATA(calls) *self)
{
	ASSERT_EQ(mprotect(at(self->p, FIRST), SOME_BYTES, PROT_READ), 0);
	EXPECT_EQ(wrong(self, self->p, 0, PAGES), 0);
	ASSERT_EQ(mprotect(self->p, BYTES, PROT_NONE), 0);
	ASSERT_EQ(mprotect(self->p, BYTES, PROT_READ | PROT_WRITE), 0);
	expect_alive(self, 0, PAGES);
	ASSERT_EQ(munmap(self->p, BYTES), 0);
}

/* The child has what was there, keeps it, and nobody sees what it stores. */
static void forks(FIXTURE_DATA(calls) *self)
{
	int fds[2], status;
	pid_t pid;
	char c;
	u32 i;

	ASSERT_EQ(pipe(fds), 0);
	pid = fork();
	ASSERT_NE(pid, -1);
	if (!pid) {
		close(fds[1]);
		if (read(fds[0], &c, 1) || wrong(self, self->p, 0, PAGES))
			_exit(1);
		for (i = 0; i < PAGES; i++)
			*at(self->p, i) = 0x12345678;
		_exit(0);
	}
	for (i = 0; i < PAGES; i += 5) {
		u32 before = self->want[i];

		gpu_stores(self, self->p, i);
		EXPECT_NE(before, self->want[i]);
	}
	close(fds[0]);
	close(fds[1]);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	expect_alive(self, 0, PAGES);
	ASSERT_EQ(munmap(self->p, BYTES), 0);
}

static const struct {
	const char *name;
	void (*fn)(FIXTURE_DATA(calls) *self);
} calls[] = {
	{ "munmap", unmaps_all }, { "munmap of a part", unmaps_some },
	{ "mremap", moves_all }, { "mremap of a part", moves_some },
	{ "mremap to less", shrinks }, { "mremap to more", grows },
	{ "mremap onto it", is_moved_onto }, { "madvise", forgets }, { "mprotect", protects },
	{ "fork", forks },
};

static void each_call(FIXTURE_DATA(calls) *self, enum state state)
{
	unsigned int i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		bool failed = th_failed;

		prepare(self, state);
		calls[i].fn(self);
		EXPECT_TRUE(failed || !th_failed) {
			TH_LOG("state %d: %s", state, calls[i].name);
		}
	}
}

static void each_state(FIXTURE_DATA(calls) *self, bool xnack)
{
	enum state state;
	int ret = begin(self, xnack);

	if (ret == -EPERM && xnack)
		SKIP(return, "this GPU has no XNACK mode");
	ASSERT_EQ(ret, 0);
	for (state = 0; state < STATES; state++)
		each_call(self, state);
	EXPECT_LT(0, rig_counter(&self->r, "page_in"));
}

TEST_F(calls, in_each_state)
{
	each_state(self, false);
}

TEST_F(calls, in_each_state_with_xnack)
{
	each_state(self, true);
}

/* ------------------------------------------------------------- other programs */

static u64 vram_used(const struct rig *r)
{
	struct drm_amdgpu_info in = { .query = AMDGPU_INFO_VRAM_USAGE };
	u64 n = 0;

	in.return_pointer = (uintptr_t)&n;
	in.return_size = sizeof(n);
	ASSERT_EQ(ioctl(r->drm, DRM_IOCTL_AMDGPU_INFO, &in), 0);
	return n;
}

static bool returns(const struct rig *r, u64 used)
{
	u64 end = rig_ms() + RIG_LONG * th_slow();

	while (vram_used(r) > used && rig_ms() < end)
		usleep(1000);
	return vram_used(r) <= used;
}

/* Whatever state its memory is in, a process that calls exec leaves nothing behind. */
static void execs(FIXTURE_DATA(calls) *self, bool xnack)
{
	FIXTURE_DATA(calls) child = { .seed = 0 };
	enum state state;
	int status;
	pid_t pid;
	u64 used;

	ASSERT_EQ(rig_open(&self->r), 0);
	used = vram_used(&self->r);
	for (state = 0; state < STATES; state++) {
		pid = fork();
		ASSERT_NE(pid, -1);
		if (!pid) {
			int ret = begin(&child, xnack);

			if (ret)
				_exit(ret == -EPERM ? TH_SKIP : 1);
			prepare(&child, state);
			execl("/bin/true", "true", (char *)NULL);
			_exit(2);
		}
		ASSERT_EQ(waitpid(pid, &status, 0), pid);
		if (WIFEXITED(status) && WEXITSTATUS(status) == TH_SKIP && xnack)
			SKIP(return, "this GPU has no XNACK mode");
		EXPECT_EQ(status, 0) {
			TH_LOG("state %d", state);
		}
		EXPECT_TRUE(returns(&self->r, used)) {
			TH_LOG("state %d", state);
		}
	}
	EXPECT_TRUE(other_process_works());
}

TEST_F(calls, exec_in_each_state)
{
	execs(self, false);
}

TEST_F(calls, exec_in_each_state_with_xnack)
{
	execs(self, true);
}

TEST_HARNESS_MAIN
