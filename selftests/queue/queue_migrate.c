// SPDX-License-Identifier: MIT
/*
 * Shared memory that comes to the GPUs that fault in it (XNACK), and what keeps it from that:
 * where it would rather be, how much of it moves at a time, and whether there is room.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>

#include "../kfd/file_util.h"
#include "../kfd/kfd_util.h"
#include "../../uapi/drm/amdgpu_drm.h"
#include "queue_test.h"

#define MIGRATE		"/sys/module/vkfd/parameters/svm_migrate"
#define PAGES		64u
#define BYTES		(PAGES * RIG_PAGE)
#define TURN_US		50000	/* a range that has come stays for 10 ms */

enum { PREFERRED = KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, PREFETCH = KFD_IOCTL_SVM_ATTR_PREFETCH_LOC,
       ACCESS = KFD_IOCTL_SVM_ATTR_ACCESS, IN_PLACE = KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE,
       GRANULARITY = KFD_IOCTL_SVM_ATTR_GRANULARITY };

FIXTURE(migrate) {
	struct rig r;
	struct rig_queue q;
	char *p;		/* BYTES, at a granule of the default size */
	int smi;
};

static int listen(struct rig *r)
{
	struct kfd_ioctl_smi_events_args a = { .gpuid = r->gpu_id };
	u64 mask = KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_MIGRATE_END);

	ASSERT_EQ(rig_ioctl(r, AMDKFD_IOC_SMI_EVENTS, &a), 0);
	ASSERT_EQ(write(a.anon_fd, &mask, sizeof(mask)), (ssize_t)sizeof(mask));
	return a.anon_fd;
}

static int xnack_on(struct rig *r)
{
	struct kfd_ioctl_set_xnack_mode_args x = { .xnack_enabled = 1 };

	return rig_ioctl(r, AMDKFD_IOC_SET_XNACK_MODE, &x);
}

static char *aligned(void)
{
	char *p = mmap(NULL, 4 * MB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE((void *)p, MAP_FAILED);
	return (char *)(((uintptr_t)p + 2 * MB - 1) & -(2 * MB));
}

FIXTURE_SETUP(migrate)
{
	ASSERT_EQ(rig_open(&self->r), 0);
	if (xnack_on(&self->r) == -EPERM)
		SKIP(return, "this GPU has no XNACK mode");
	ASSERT_EQ(rig_load(&self->r), 0);
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &self->q), 0);
	self->p = aligned();
	ASSERT_EQ(rig_svm_set(&self->r, self->p, BYTES, ACCESS, self->r.gpu_id), 0);
	self->smi = listen(&self->r);
}

FIXTURE_TEARDOWN(migrate)
{
	rig_close(&self->r);
}

static void store_by(struct rig *r, struct rig_queue *q, char *base, u32 page, u32 value)
{
	u32 *p = (u32 *)(base + page * RIG_PAGE);
	struct rig_signal *s = start(r, q, "store_word", (uintptr_t)p, value, 1, 1);

	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	ASSERT_EQ(*(volatile u32 *)p, value);
}

static void store(FIXTURE_DATA(migrate) *self, u32 page, u32 value)
{
	store_by(&self->r, &self->q, self->p, page, value);
}

#define page_in(r)	rig_counter(r, "page_in")
#define page_out(r)	rig_counter(r, "page_out")

static u64 vram_of(const struct rig *r)
{
	struct drm_amdgpu_info in = { .query = AMDGPU_INFO_VRAM_USAGE };
	u64 n = 0;

	in.return_pointer = (uintptr_t)&n;
	in.return_size = sizeof(n);
	ASSERT_EQ(ioctl(r->drm, DRM_IOCTL_AMDGPU_INFO, &in), 0);
	return n;
}

/* The next migration that is told of: true if it is this one. */
static bool told(FIXTURE_DATA(migrate) *self, u32 page, u32 pages, u32 from, u32 to, int why)
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
	    first == (uintptr_t)self->p / RIG_PAGE + page && n == pages && f == from && t == to &&
	    trigger == why)
		return true;
	TH_LOG("told: %s", text);
	return false;
}

static bool quiet(FIXTURE_DATA(migrate) *self)
{
	struct pollfd p = { .fd = self->smi, .events = POLLIN };

	return !poll(&p, 1, 0);
}

TEST_F(migrate, all_of_a_small_range)
{
	u64 used = vram_of(&self->r);

	EXPECT_EQ(page_in(&self->r), 0);
	store(self, 5, 1);
	EXPECT_TRUE(told(self, 0, PAGES, 0, self->r.gpu_id, KFD_MIGRATE_TRIGGER_PAGEFAULT_GPU));
	EXPECT_EQ(page_in(&self->r), PAGES);
	EXPECT_EQ(vram_of(&self->r), used + BYTES);
	store(self, 50, 2);
	EXPECT_TRUE(quiet(self));
	EXPECT_EQ(page_in(&self->r), PAGES);
	EXPECT_EQ(rig_svm_set(&self->r, self->p, BYTES, PREFETCH, 0), 0);
	EXPECT_TRUE(told(self, 0, PAGES, self->r.gpu_id, 0, KFD_MIGRATE_TRIGGER_PREFETCH));
	EXPECT_EQ(page_out(&self->r), PAGES);
	EXPECT_EQ(vram_of(&self->r), used);
	store(self, 7, 3);
	EXPECT_EQ(page_in(&self->r), 2 * PAGES);
	ASSERT_EQ(munmap(self->p, BYTES), 0);
	EXPECT_EQ(vram_of(&self->r), used);
}

/* A power of two of pages, aligned, within the range; ranges that become equal are one again. */
TEST_F(migrate, granules)
{
	u64 used = vram_of(&self->r);
	u32 i;

	ASSERT_EQ(rig_svm_set(&self->r, self->p, BYTES, GRANULARITY, 2), 0);
	ASSERT_EQ(rig_svm_set(&self->r, self->p, RIG_PAGE, GRANULARITY, 3), 0);
	store(self, 9, 1);
	EXPECT_TRUE(told(self, 8, 4, 0, self->r.gpu_id, KFD_MIGRATE_TRIGGER_PAGEFAULT_GPU));
	store(self, 0, 2);
	EXPECT_TRUE(told(self, 0, 1, 0, self->r.gpu_id, KFD_MIGRATE_TRIGGER_PAGEFAULT_GPU));
	store(self, 1, 3);
	EXPECT_TRUE(told(self, 1, 3, 0, self->r.gpu_id, KFD_MIGRATE_TRIGGER_PAGEFAULT_GPU));
	EXPECT_EQ(vram_of(&self->r), used + 8 * RIG_PAGE);
	for (i = 0; i < PAGES; i++)
		store(self, i, i + 100);
	EXPECT_EQ(page_in(&self->r), PAGES);
	EXPECT_EQ(vram_of(&self->r), used + BYTES);
	ASSERT_EQ(rig_svm_set(&self->r, self->p, BYTES, PREFETCH, 0), 0);
	EXPECT_EQ(vram_of(&self->r), used);
	EXPECT_EQ(page_out(&self->r), PAGES);
}

TEST_F(migrate, preferred_elsewhere)
{
	u64 used = vram_of(&self->r);

	ASSERT_EQ(rig_svm_set(&self->r, self->p, BYTES, PREFERRED, 0), 0);
	store(self, 5, 1);
	EXPECT_TRUE(quiet(self));
	EXPECT_EQ(vram_of(&self->r), used);
	ASSERT_EQ(rig_svm_set(&self->r, self->p, BYTES, PREFERRED, self->r.gpu_id), 0);
	store(self, 60, 2);
	EXPECT_EQ(vram_of(&self->r), used + BYTES);
	ASSERT_EQ(rig_svm_set(&self->r, self->p, BYTES, IN_PLACE, self->r.gpu_id), 0);
	ASSERT_EQ(rig_svm_set(&self->r, self->p, BYTES, PREFERRED, ~0u), 0);
	ASSERT_EQ(rig_svm_set(&self->r, self->p, BYTES, PREFETCH, 0), 0);
	store(self, 5, 3);
	EXPECT_EQ(vram_of(&self->r), used);
}

/* It works where it is. */
TEST_F(migrate, no_room)
{
	struct drm_amdgpu_info_vram_gtt g;
	struct drm_amdgpu_info in = { .query = AMDGPU_INFO_VRAM_GTT };
	struct rig_mem m;

	in.return_pointer = (uintptr_t)&g;
	in.return_size = sizeof(g);
	ASSERT_EQ(ioctl(self->r.drm, DRM_IOCTL_AMDGPU_INFO, &in), 0);
	ASSERT_EQ(rig_alloc(&self->r, KFD_IOC_ALLOC_MEM_FLAGS_VRAM,
			    g.vram_size - vram_of(&self->r) - 4 * RIG_PAGE, &m), 0);
	store(self, 5, 1);
	EXPECT_TRUE(quiet(self));
	EXPECT_EQ(page_in(&self->r), 0);
	ASSERT_EQ(rig_svm_set(&self->r, self->p, BYTES, GRANULARITY, 2), 0);
	store(self, 33, 2);
	EXPECT_TRUE(told(self, 32, 4, 0, self->r.gpu_id, KFD_MIGRATE_TRIGGER_PAGEFAULT_GPU));
	store(self, 20, 2);
	EXPECT_TRUE(quiet(self));
}

TEST_F(migrate, nobody_leaves_for_memory_that_is_not_there)
{
	struct drm_amdgpu_info_vram_gtt g;
	struct drm_amdgpu_info in = { .query = AMDGPU_INFO_VRAM_GTT };
	struct rig_mem m;
	void *hole;
	u64 used;

	in.return_pointer = (uintptr_t)&g;
	in.return_size = sizeof(g);
	ASSERT_EQ(ioctl(self->r.drm, DRM_IOCTL_AMDGPU_INFO, &in), 0);
	ASSERT_EQ(rig_svm_set(&self->r, self->p, BYTES, PREFETCH, self->r.gpu_id), 0);
	ASSERT_EQ(rig_alloc(&self->r, KFD_IOC_ALLOC_MEM_FLAGS_VRAM,
			    g.vram_size - vram_of(&self->r) - 4 * RIG_PAGE, &m), 0);
	used = vram_of(&self->r);
	hole = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_EQ(munmap(hole, BYTES), 0);
	EXPECT_EQ(rig_svm_set(&self->r, hole, BYTES, PREFETCH, self->r.gpu_id), -EFAULT);
	EXPECT_EQ(vram_of(&self->r), used);
}

/* A child has what was there when it was made; the parent may go on. */
static void child_sees(FIXTURE_DATA(migrate) *self, u32 page, u32 value)
{
	volatile u32 *p = (u32 *)(self->p + page * RIG_PAGE);
	u32 seen = *p;
	int status;
	pid_t pid = fork();

	ASSERT_NE(pid, -1);
	if (!pid)
		_exit(*p != seen);
	store(self, page, value + 1000);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
}

/* As long as pages come and go, nothing that was stored is lost. */
TEST_F(migrate, there_and_back)
{
	u32 i;

	ASSERT_EQ(rig_svm_set(&self->r, self->p, BYTES, GRANULARITY, 1), 0);
	for (i = 0; i < 200; i++) {
		store(self, i * 7 % PAGES, i + 1);
		if (i % 3 == 0)
			ASSERT_EQ(rig_svm_set(&self->r, self->p + i % 60 * RIG_PAGE, 3 * RIG_PAGE,
					      PREFETCH, 0), 0);
		if (i % 17 == 0)
			ASSERT_EQ(madvise(self->p + i % PAGES * RIG_PAGE, RIG_PAGE,
					  MADV_DONTNEED), 0);
		if (i % 50 == 0)
			child_sees(self, i * 7 % PAGES, i + 1);
	}
	EXPECT_LT(0, page_out(&self->r));
}

/* A kernel that stores everywhere all the time, until its queue ends */
static volatile u32 *fill(FIXTURE_DATA(migrate) *self)
{
	struct {
		u64 p;
		u32 n, pad;
		u64 alive;
	} a = { .p = (uintptr_t)self->p, .n = BYTES / 4 };
	union rig_packet pk;
	struct rig_kernel k;
	struct rig_mem m;

	ASSERT_EQ(rig_anon(&self->r, RIG_PAGE, &m), 0);
	a.alive = (uintptr_t)m.p;
	ASSERT_EQ(rig_kernel(&self->r, "fill_for_ever", &k), 0);
	rig_dispatch_packet(&pk, &k, 1, 64, rig_args(&self->r, &a, sizeof(a)), NULL);
	rig_submit(&self->q, &pk);
	ASSERT_TRUE(rig_wait32(m.p, 1, RIG_LONG));
	return m.p;
}

static void disturb(FIXTURE_DATA(migrate) *self, u32 i)
{
	char *at = self->p + i * 5 % (PAGES - 4) * RIG_PAGE;

	switch (i % 4) {
	case 0:
		ASSERT_EQ(rig_svm_set(&self->r, at, 4 * RIG_PAGE, PREFETCH, 0), 0);
		break;
	case 1:
		ASSERT_EQ(madvise(at, 4 * RIG_PAGE, MADV_DONTNEED), 0);
		break;
	case 2:
		ASSERT_EQ(rig_svm_set(&self->r, at, RIG_PAGE, GRANULARITY, i / 4 % 5), 0);
		break;
	case 3:
		ASSERT_EQ(rig_svm_set(&self->r, at, 2 * RIG_PAGE, PREFETCH, self->r.gpu_id), 0);
		break;
	}
}

TEST_F(migrate, while_a_kernel_runs)
{
	u64 used = vram_of(&self->r);
	volatile u32 *alive = fill(self);
	u32 i, seen;

	for (i = 0; i < 400; i++)
		disturb(self, i);
	seen = *alive;
	EXPECT_TRUE(rig_wait32(alive, seen + 2, RIG_LONG));
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
	ASSERT_EQ(munmap(self->p, BYTES), 0);
	EXPECT_EQ(vram_of(&self->r), used);
	EXPECT_LT(0, page_out(&self->r));
}

static void disturb_for_ever(FIXTURE_DATA(migrate) *self, int ready)
{
	u32 i;

	ASSERT_EQ(rig_open(&self->r), 0);
	ASSERT_EQ(xnack_on(&self->r), 0);
	ASSERT_EQ(rig_load(&self->r), 0);
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &self->q), 0);
	self->p = aligned();
	ASSERT_EQ(rig_svm_set(&self->r, self->p, BYTES, ACCESS, self->r.gpu_id), 0);
	fill(self);
	ASSERT_EQ(write(ready, "", 1), 1);
	for (i = 0;; i++)
		disturb(self, i);
}

/* A thread that serves a fault may keep the memory of a process a little longer, and its code. */
static bool vram_returns(const struct rig *r, u64 used)
{
	u64 end = rig_ms() + RIG_LONG;

	while (vram_of(r) > used && rig_ms() < end)
		usleep(1000);
	return vram_of(r) <= used;
}

/* That of an earlier test may still be on its way back. */
static u64 settled_vram(const struct rig *r)
{
	u64 end = rig_ms() + RIG_LONG, used = vram_of(r), was;

	do {
		was = used;
		usleep(20000);
		used = vram_of(r);
	} while (used != was && rig_ms() < end);
	return used;
}

/*
 * VKFD_KILLS times, or 20, or what there is time for. Where the kernel has page frames for that, pages
 * move for real.
 */
TEST_F(migrate, killed_in_it)
{
	bool real = !file_write(MIGRATE, "Y");
	int kills = getenv("VKFD_KILLS") ? atoi(getenv("VKFD_KILLS")) : 20, ready[2], status, i;
	u64 used = settled_vram(&self->r), end = rig_ms() + 10000 + (kills > 20 ? kills * 1000 : 0);
	FIXTURE_DATA(migrate) child;
	pid_t pid;
	char c;

	ASSERT_EQ(pipe(ready), 0);
	alarm((1 + kills / 10) * TH_TIMEOUT_S * th_slow());
	for (i = 0; i < kills && rig_ms() < end; i++) {
		pid = fork();
		ASSERT_NE(pid, -1);
		if (!pid)
			disturb_for_ever(&child, ready[1]);
		ASSERT_EQ(read(ready[0], &c, 1), 1);
		usleep(i % 20 * 1000);
		kill(pid, SIGKILL);
		ASSERT_EQ(waitpid(pid, &status, 0), pid);
		EXPECT_TRUE(WIFSIGNALED(status));
		EXPECT_TRUE(vram_returns(&self->r, used));
	}
	if (real)
		EXPECT_EQ(file_write(MIGRATE, "N"), 0);
	printf("# %d processes killed%s\n", i, real ? ", pages moved" : "");
}

/* ----------------------------------------------------------------- two GPUs */

FIXTURE(pair) {
	FIXTURE_DATA(migrate) m;
	struct rig b;
	struct rig_queue q;
	bool hive;
};

FIXTURE_SETUP(pair)
{
	struct rig *a = &self->m.r;
	u32 id;
	int fd;

	ASSERT_EQ(rig_open(a), 0);
	fd = rig_find_gpu(a->gpu_id, &id);
	if (fd < 0)
		SKIP(return, "needs two GPUs");
	ASSERT_EQ(rig_open_on(&self->b, fd, id), 0);
	if (xnack_on(a) == -EPERM)
		SKIP(return, "this GPU has no XNACK mode");
	ASSERT_EQ(rig_load(a), 0);
	ASSERT_EQ(rig_load(&self->b), 0);
	ASSERT_EQ(rig_queue_create(a, RIG_RING, &self->m.q), 0);
	ASSERT_EQ(rig_queue_create(&self->b, RIG_RING, &self->q), 0);
	self->m.p = aligned();
	self->hive = rig_property(id, "hive_id") > 0 &&
		     rig_property(id, "hive_id") == rig_property(a->gpu_id, "hive_id");
}

FIXTURE_TEARDOWN(pair)
{
	rig_close(&self->b);
	rig_close(&self->m.r);
}

/* Whoever uses it gets it, and not at each access if they use it at the same time. */
TEST_F(pair, in_turn)
{
	struct rig *a = &self->m.r, *b = &self->b;
	u64 moves, ms;
	u32 i;

	ASSERT_EQ(rig_svm_set(a, self->m.p, BYTES, ACCESS, a->gpu_id), 0);
	ASSERT_EQ(rig_svm_set(a, self->m.p, BYTES, ACCESS, b->gpu_id), 0);
	for (i = 0; i < 4; i++) {
		usleep(TURN_US);
		store_by(i & 1 ? b : a, i & 1 ? &self->q : &self->m.q, self->m.p, 5, i + 1);
	}
	EXPECT_EQ(page_in(a), 2 * PAGES);
	EXPECT_EQ(page_out(a), 2 * PAGES);
	EXPECT_EQ(page_in(b), 2 * PAGES);
	EXPECT_EQ(page_out(b), PAGES);
	moves = page_in(a);
	ms = rig_ms();
	for (i = 0; i < 200; i++)
		store_by(i & 1 ? b : a, i & 1 ? &self->q : &self->m.q, self->m.p, i % PAGES, i + 1);
	moves = (page_in(a) - moves) / PAGES;
	ms = rig_ms() - ms;
	printf("# %llu moves in 200 accesses, %llu ms\n", (unsigned long long)moves,
	       (unsigned long long)ms);
	EXPECT_LE(moves, ms / 10 + 2);
}

/* In a hive, a GPU reaches what another one has; else only system memory will do. */
TEST_F(pair, in_place)
{
	struct rig *a = &self->m.r, *b = &self->b;
	u64 expect = self->hive ? PAGES : 0;

	ASSERT_EQ(rig_svm_set(a, self->m.p, BYTES, IN_PLACE, a->gpu_id), 0);
	ASSERT_EQ(rig_svm_set(a, self->m.p, BYTES, IN_PLACE, b->gpu_id), 0);
	ASSERT_EQ(rig_svm_set(a, self->m.p, BYTES, PREFETCH, a->gpu_id), 0);
	EXPECT_EQ(page_in(a), expect);
	store_by(b, &self->q, self->m.p, 5, 1);
	store_by(a, &self->m.q, self->m.p, 5, 2);
	EXPECT_EQ(page_in(a), expect);
	EXPECT_EQ(page_in(b), 0);
	ASSERT_EQ(rig_svm_set(a, self->m.p, BYTES, PREFERRED, b->gpu_id), 0);
	usleep(TURN_US);
	ASSERT_EQ(madvise(self->m.p, BYTES, MADV_DONTNEED), 0);
	store_by(b, &self->q, self->m.p, 5, 3);
	EXPECT_EQ(page_in(b), PAGES);
	EXPECT_EQ(page_out(a), expect);
}

TEST_HARNESS_MAIN
