// SPDX-License-Identifier: MIT
/*
 * Whose memory it is that a GPU takes: a memory cgroup's limit holds for what GPUs
 * allocate on behalf of its processes, who has reached it holds up nobody else, and
 * page caches shrink when the machine wants its memory back.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "../kfd/file_util.h"
#include "../../uapi/drm/amdgpu_drm.h"
#include "queue_test.h"

#define CGROUPS		"/sys/fs/cgroup"
#define GROUP		CGROUPS "/vkfd-memory"
#define COMPILES	"/sys/module/vkfd/parameters/engine_jit"
#define MB		(1024ul * 1024)
#define FAR		(2048 * 1024u)	/* a page table and a node of the page cache for each */

#define EVENTS		64000u

enum { DONE, REFUSED = 42, BROKEN };	/* how a process in the group ends */

static int put_number(const char *path, unsigned long n)
{
	char text[32];

	snprintf(text, sizeof(text), "%lu\n", n);
	return file_write(path, text);
}

static long meminfo(const char *name)
{
	return file_value("/proc/meminfo", name) / 1024;
}

FIXTURE(group) {
	struct rig r;
	struct rig_queue q;
	struct rig_mem data;
	u32 *words;
	char compiles[16];
};

/* A compiler in the group takes memory of its limit, and gives that back when it likes. */
FIXTURE_SETUP(group)
{
	file_write(CGROUPS "/cgroup.subtree_control", "+memory");
	rmdir(GROUP);
	ASSERT_TRUE(!mkdir(GROUP, 0755) || errno == EEXIST || errno == ENOENT || errno == EROFS);
	if (access(GROUP "/memory.max", F_OK))
		SKIP(return, "no memory controller of version 2");
	file_write(GROUP "/memory.swap.max", "0");
	ASSERT_LT(0, file_read(COMPILES, self->compiles, sizeof(self->compiles)));
	ASSERT_EQ(file_write(COMPILES, "0"), 0);
	ASSERT_EQ(rig_open(&self->r), 0);
	ASSERT_EQ(rig_load(&self->r), 0);
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &self->q), 0);
	ASSERT_EQ(rig_anon(&self->r, RIG_PAGE, &self->data), 0);
	self->words = self->data.p;
}

FIXTURE_TEARDOWN(group)
{
	unsigned int i;

	rig_close(&self->r);
	EXPECT_EQ(file_write(COMPILES, self->compiles), 0);
	/* The last process may be on its way out. */
	for (i = 0; rmdir(GROUP) && i < 500 * th_slow(); i++)
		usleep(10000);
	EXPECT_GT(500 * th_slow(), i);
}

/* A process in the group, and what it does there. */
struct member {
	struct rig r;
	struct rig_queue q;
	struct rig_mem data, far;
	u32 *words, lost;
};

static bool join(struct member *m)
{
	u32 slot;

	if (file_write(GROUP "/cgroup.procs", "0") || rig_open(&m->r) || rig_load(&m->r) ||
	    rig_queue_create(&m->r, RIG_RING, &m->q) || rig_anon(&m->r, RIG_PAGE, &m->data) ||
	    rig_event(&m->r, KFD_IOC_EVENT_HW_EXCEPTION, &m->lost, &slot))
		return false;
	m->words = m->data.p;
	memset(m->words, 0, RIG_PAGE);
	return queue_works(&m->r, &m->q, m->words);
}

/* The GPU reads a word every @apart bytes of m->far. */
static struct rig_signal *read_far(struct member *m, u32 apart)
{
	struct { u64 p; u32 apart, pad; u64 count; } a = {
		(uintptr_t)m->far.p, apart, 0, (uintptr_t)&m->words[512],
	};
	struct rig_signal *s = rig_signal(&m->r, 1);
	union rig_packet pk;
	struct rig_kernel k;

	m->words[512] = 0;
	if (rig_kernel(&m->r, "read_far", &k))
		return s;
	rig_dispatch_packet(&pk, &k, m->far.bytes / apart / 64, 64,
			    rig_args(&m->r, &a, sizeof(a)), s);
	rig_submit(&m->q, &pk);
	return s;
}

/* It is through, or has been told that its queues are lost. */
static int outcome(struct member *m, struct rig_signal *s)
{
	u64 end = rig_ms() + RIG_LONG * th_slow();

	while (rig_ms() < end) {
		if (!s->value)
			return DONE;
		if (!rig_event_wait(&m->r, m->lost, 20, NULL))
			return REFUSED;
	}
	return BROKEN;
}

static bool buffer(struct member *m, size_t bytes)
{
	return !rig_alloc(&m->r, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, bytes, &m->far);
}

/* A range of the process that nobody has touched and nobody can write */
static bool zeroes(struct member *m, size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return false;
	madvise(p, bytes, MADV_NOHUGEPAGE);
	return !rig_userptr(&m->r, p, bytes, &m->far);
}

static long group_has(const char *what)
{
	return file_value(GROUP "/memory.stat", what);
}

/* What the group has more once the GPU has read @m's memory: in all, and of it in slab */
struct growth {
	long all, slab;
};

static struct growth *growth;
static u32 events[EVENTS];

static int grows_by(struct member *m, u32 apart)
{
	struct growth before = { file_number(GROUP "/memory.current"), group_has("slab") };
	int how = outcome(m, read_far(m, apart));

	if (how == DONE && m->words[512] != m->far.bytes / apart)
		how = BROKEN;
	growth->all = file_number(GROUP "/memory.current") - before.all;
	growth->slab = group_has("slab") - before.slab;
	return how;
}

static int grow_by_buffer(void)
{
	struct member m;

	return join(&m) && buffer(&m, 64 * MB) ? grows_by(&m, RIG_PAGE) : BROKEN;
}

static int grow_by_page_cache(void)
{
	struct member m;

	return join(&m) && zeroes(&m, 4096 * MB) ? grows_by(&m, FAR) : BROKEN;
}

/* Ids of events that are far from each other: each has a node of the tree for itself. */
static int grow_by_ids(void)
{
	struct growth before;
	struct member m;
	u32 i, slot;

	if (!join(&m))
		return BROKEN;
	before = (struct growth){ file_number(GROUP "/memory.current"), group_has("slab") };
	for (i = 0; i < EVENTS; i++)
		if (rig_event(&m.r, KFD_IOC_EVENT_MEMORY, &events[i], &slot))
			return BROKEN;
	for (i = 0; i < EVENTS; i++) {
		struct kfd_ioctl_destroy_event_args a = { .event_id = events[i] };

		if (i % 64 && rig_ioctl(&m.r, AMDKFD_IOC_DESTROY_EVENT, &a))
			return BROKEN;
	}
	growth->all = file_number(GROUP "/memory.current") - before.all;
	growth->slab = group_has("slab") - before.slab;
	return DONE;
}

static int status_of(int (*body)(void), long *least_mb)
{
	long mb;
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(body());
	ASSERT_LT(0, pid);
	while (!waitpid(pid, &status, WNOHANG)) {
		mb = meminfo("MemAvailable:");
		if (least_mb && mb < *least_mb)
			*least_mb = mb;
		usleep(5000);
	}
	return status;
}

static void charged(int (*body)(void), long all, long slab)
{
	growth = mmap(NULL, RIG_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)growth);
	EXPECT_EQ(DONE << 8, status_of(body, NULL));
	TH_LOG("%ld KiB more, %ld of them in slab", growth->all / 1024, growth->slab / 1024);
	EXPECT_LE(all, growth->all);
	EXPECT_GT(all + 24 * (long)MB, growth->all);
	EXPECT_LE(slab, growth->slab);
}

TEST_F(group, buffers_are_charged_to_it)
{
	charged(grow_by_buffer, 63 * MB, 0);
}

/* 2048 pages: as many page tables, and nodes of 576 bytes */
TEST_F(group, page_caches_are_charged_to_it)
{
	charged(grow_by_page_cache, 8 * MB, MB);
}

/* 1000 nodes of 576 bytes and as many events, which are small: without nodes it would be a fifth */
TEST_F(group, ids_of_events_are_charged_to_it)
{
	charged(grow_by_ids, 500 * 1024, 500 * 1024);
}

/* From now on @room bytes more for the group. */
static bool limit(const char *file, size_t room)
{
	char path[80];

	snprintf(path, sizeof(path), GROUP "/%s", file);
	return !put_number(path, file_number(GROUP "/memory.current") + room);
}

static int too_large_a_buffer(void)
{
	struct member m;

	if (!join(&m) || !buffer(&m, 512 * MB) || !limit("memory.max", 24 * MB))
		return BROKEN;
	return outcome(&m, read_far(&m, RIG_PAGE));
}

static int too_wide_a_range(void)
{
	struct member m;

	if (!join(&m) || !zeroes(&m, 16384 * MB) || !limit("memory.max", 8 * MB))
		return BROKEN;
	return outcome(&m, read_far(&m, FAR));
}

/* Its queues are lost, or it is killed; what it took is no more than it might. */
static void stays_within(FIXTURE_DATA(group) *self, int (*body)(void), long mb)
{
	long before = meminfo("MemAvailable:"), least = before;
	int status = status_of(body, &least);

	TH_LOG("status 0x%x, available %ld MiB, at least %ld", status, before, least);
	if (WIFSIGNALED(status))
		EXPECT_EQ(SIGKILL, WTERMSIG(status));
	else
		EXPECT_EQ(REFUSED, WEXITSTATUS(status));
	EXPECT_GT(mb, before - least);
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
	EXPECT_TRUE(other_process_works());
}

TEST_F(group, no_buffer_beyond_the_limit)
{
	stays_within(self, too_large_a_buffer, 24 + 40);
}

TEST_F(group, no_page_cache_beyond_the_limit)
{
	stays_within(self, too_wide_a_range, 8 + 40);
}

static int throttled(void)
{
	struct member m;

	if (!join(&m) || !buffer(&m, 512 * MB) || !limit("memory.high", MB))
		return BROKEN;
	read_far(&m, RIG_PAGE);
	for (;;)
		pause();
}

/* Who has more than memory.high sleeps when he allocates; nobody sleeps for him. */
TEST_F(group, who_is_throttled_holds_up_nobody)
{
	unsigned int i, slow = 0;
	u64 start, ms, most = 0;
	int status;
	pid_t pid;

	pid = fork();
	if (!pid)
		_exit(throttled());
	for (i = 0; i < 1000 && file_number(GROUP "/memory.high") < 0; i++)
		usleep(10000);
	usleep(500000);
	for (i = 0; i < 10; i++) {
		start = rig_ms();
		ASSERT_TRUE(queue_works(&self->r, &self->q, self->words));
		ms = rig_ms() - start;
		most = ms > most ? ms : most;
		/* mem_cgroup_handle_over_high() has one sleep for two seconds. */
		slow += ms >= 1900;
	}
	TH_LOG("the slowest of 10 kernels took %llu ms", (unsigned long long)most);
	/* Whoever slept for him would do so again and again; a busy host takes its time once. */
	EXPECT_GT(5u, slow);
	EXPECT_EQ(0, waitpid(pid, &status, WNOHANG));
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
}

static int ask_kfd(struct member *m)
{
	struct kfd_ioctl_get_clock_counters_args a = { .gpu_id = m->r.gpu_id };

	return rig_ioctl(&m->r, AMDKFD_IOC_GET_CLOCK_COUNTERS, &a);
}

static int ask_drm(struct member *m)
{
	u32 working = 0;
	struct drm_amdgpu_info a = {
		.return_pointer = (uintptr_t)&working, .return_size = sizeof(working),
		.query = AMDGPU_INFO_ACCEL_WORKING,
	};

	return ioctl(m->r.drm, DRM_IOCTL_AMDGPU_INFO, &a);
}

/* Rings the doorbell of a queue that has been idle for a while. No system call does that. */
static int ask_doorbell(struct member *m)
{
	return !queue_works(&m->r, &m->q, m->words);
}

/* It is in the group, too: it sleeps for each few pages, as any process does. */
#define NOT_IN_USER_MODE() do {							\
	if (waves_in_user_mode())						\
		SKIP(return, "an engine process sleeps for what it takes itself");	\
} while (0)

/* Who asks for something next sleeps for what the GPU took above memory.high. */
static int sleeps_for_it(int (*ask)(struct member *m))
{
	struct member m;
	u64 begin;

	if (!join(&m) || !buffer(&m, 64 * MB) || !limit("memory.high", MB))
		return BROKEN;
	if (!rig_wait(read_far(&m, RIG_PAGE), 0, RIG_LONG))
		return BROKEN;
	usleep(200000);
	begin = rig_ms();
	if (ask(&m))
		return BROKEN;
	/* mem_cgroup_handle_over_high(): two seconds, when it is that much above */
	return rig_ms() - begin > 1000 ? DONE : REFUSED;
}

static int sleeps_in_kfd(void)
{
	return sleeps_for_it(ask_kfd);
}

static int sleeps_in_drm(void)
{
	return sleeps_for_it(ask_drm);
}

static int sleeps_at_the_doorbell(void)
{
	return sleeps_for_it(ask_doorbell);
}

TEST_F(group, who_takes_more_sleeps_himself)
{
	NOT_IN_USER_MODE();
	EXPECT_EQ(DONE << 8, status_of(sleeps_in_kfd, NULL));
}

TEST_F(group, who_takes_more_sleeps_at_the_render_node_too)
{
	NOT_IN_USER_MODE();
	EXPECT_EQ(DONE << 8, status_of(sleeps_in_drm, NULL));
}

TEST_F(group, who_takes_more_sleeps_at_the_doorbell_too)
{
	NOT_IN_USER_MODE();
	EXPECT_EQ(DONE << 8, status_of(sleeps_at_the_doorbell, NULL));
}

/* -------------------------------------------------------- resident work-groups */

#define STATS		"/sys/kernel/debug/kfd/0/stats"
#define MANY_QUEUES	100
#define SOME_QUEUES	20
#define BLOCKS_MB	16l	/* more for the group, when it has a limit */

/* A process in the group that fills the GPU, and what came of that */
struct filler {
	volatile bool ready, go, broken;
	unsigned int queues;
	long limit_mb, wanted_mb;	/* of blocks: at most, and at least */
	long long blocks, charged;
	long least_mb;		/* available on the machine meanwhile */
};

static bool filler_prepare(struct filler *f, struct member *m, struct rig_queue *q, u64 *index)
{
	unsigned int i;

	if (!join(m))
		return false;
	for (i = 0; i < f->queues; i++)
		if (rig_queue_create(&m->r, RIG_RING, &q[i]) ||
		    !queue_works(&m->r, &q[i], m->words))
			return false;
	/* The kernels end when the first word is not 0. */
	memset(m->words, 0, RIG_PAGE);
	for (i = 0; i < f->queues; i++)
		index[i] = put_glutton(&m->r, &q[i], m->words, 16 + i, 4000);
	return !f->limit_mb || limit("memory.max", f->limit_mb * MB);
}

/*
 * Endless kernels whose waves have all registers, as many as there is memory for. A process that
 * needs memory of its own while its waves take all there is would be killed, so this one only
 * rings doorbells from then on.
 */
static void filler_main(struct filler *f)
{
	struct rig_queue q[MANY_QUEUES];
	u64 index[MANY_QUEUES];
	struct member m;
	unsigned int i;

	f->broken = !filler_prepare(f, &m, q, index);
	f->ready = true;
	while (!f->go)
		sched_yield();
	for (i = 0; i < f->queues; i++)
		rig_ring(&q[i], index[i]);
	for (;;)
		pause();
}

static void filler_sample(struct filler *f)
{
	long mb = meminfo("MemAvailable:");

	f->least_mb = mb < f->least_mb ? mb : f->least_mb;
	usleep(5000);
}

/* Runs @f until there are as many blocks as wanted, and none has been added for a second. */
static void fill_gpu(struct filler *shared)
{
	struct filler *f = mmap(NULL, RIG_PAGE, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	long long first, before, now = 0;
	u64 end = rig_ms() + NEVER_MS;
	int i, same, status;
	pid_t pid;

	ASSERT_NE(MAP_FAILED, (void *)f);
	*f = *shared;
	f->least_mb = meminfo("MemAvailable:");
	first = file_value(STATS, "block_bytes");
	ASSERT_LE(0, first);
	fflush(stdout);
	pid = fork();
	if (!pid)
		filler_main(f);
	ASSERT_LT(0, pid);
	while (!f->ready && !waitpid(pid, &status, WNOHANG))
		filler_sample(f);
	EXPECT_TRUE(f->ready);
	EXPECT_TRUE(!f->broken);
	f->charged = file_number(GROUP "/memory.current");
	f->go = true;
	for (same = 0; same < 10 || (now - first <= f->wanted_mb * (long)MB && rig_ms() < end);) {
		before = now;
		for (i = 0; i < 20; i++)
			filler_sample(f);
		now = file_value(STATS, "block_bytes");
		same = now == before ? same + 1 : 0;
	}
	f->charged = file_number(GROUP "/memory.current") - f->charged;
	f->blocks = now - first;
	TH_LOG("%lld KiB of blocks, charged %lld KiB", f->blocks / 1024, f->charged / 1024);
	EXPECT_EQ(0, waitpid(pid, &status, WNOHANG));
	kill(pid, SIGKILL);
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	/* What was taken is given back. */
	for (i = 0; i < 1000 && file_value(STATS, "block_bytes") > first + 8 * (long)MB; i++)
		usleep(10000);
	EXPECT_GT(1000, i);
	*shared = *f;
	munmap(f, RIG_PAGE);
}

/*
 * Registers and LDS of resident groups are memory of the process that runs them. If it can have
 * no more, it goes on with what it has, and kernels of others run.
 */
TEST_F(group, resident_groups_stay_within_the_limit)
{
	struct filler f = { .queues = SOME_QUEUES, .limit_mb = BLOCKS_MB, .wanted_mb = 1 };

	fill_gpu(&f);
	EXPECT_LT(f.wanted_mb * (long)MB, f.blocks);
	EXPECT_GT(BLOCKS_MB * (long)MB, f.blocks);
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
}

TEST_F(group, resident_groups_are_charged_to_it)
{
	struct filler f = { .queues = SOME_QUEUES, .wanted_mb = BLOCKS_MB };

	fill_gpu(&f);
	EXPECT_LT(f.wanted_mb * (long)MB, f.blocks);
	EXPECT_LE(f.blocks, f.charged);
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
}

/*
 * Without a limit, a process gets what the GPU may have for all, whoever runs what, and no more.
 */
TEST_F(group, resident_groups_are_bounded)
{
	long long most = file_value(STATS, "block_bytes_max");
	long before = meminfo("MemAvailable:");
	struct filler f = { .queues = MANY_QUEUES, .wanted_mb = 4 };

	ASSERT_LT(0, most);
	fill_gpu(&f);
	EXPECT_LT(f.wanted_mb * (long)MB, f.blocks);
	EXPECT_GE(most, f.blocks);
	TH_LOG("blocks may have %lld MiB; available %ld MiB, at least %ld", most >> 20, before,
	       f.least_mb);
	/* And rings, and some for others */
	EXPECT_GT((most >> 20) + 64 + 40, before - f.least_mb);
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
}

/* ---------------------------------------------------------------- shrinking */

#define SHRINK_BYTES	(4 * (long)MB)
#define PAGE_CACHE	"/sys/kernel/debug/kfd/page_cache"

static int drop_slab(void)
{
	return file_write("/proc/sys/vm/drop_caches", "2");
}

TEST_F(gpu, page_caches_shrink)
{
	struct rig_mem m;
	long before, i;
	u32 *p;

	p = mmap(NULL, SHRINK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)p);
	madvise(p, SHRINK_BYTES, MADV_NOHUGEPAGE);
	ASSERT_EQ(0, rig_userptr(&self->r, p, SHRINK_BYTES, &m));
	ASSERT_TRUE(rig_wait(start_add(&self->r, &self->q, p, 1, SHRINK_BYTES / 256), 0, RIG_LONG));
	before = file_number(PAGE_CACHE);
	EXPECT_LE(SHRINK_BYTES / 4096, before);
	for (i = 0; i < 10 && file_number(PAGE_CACHE) > before / 10; i++)
		ASSERT_EQ(0, drop_slab());
	TH_LOG("%ld pages, %lld after %ld rounds", before, file_number(PAGE_CACHE), i);
	EXPECT_GT(before / 10, file_number(PAGE_CACHE));
	/* All of it comes back. */
	ASSERT_TRUE(rig_wait(start_add(&self->r, &self->q, p, 1, SHRINK_BYTES / 256), 0, RIG_LONG));
	for (i = 0; i < SHRINK_BYTES / 4 && p[i] == 2; i++)
		;
	EXPECT_EQ(SHRINK_BYTES / 4, i);
}

TEST_F(gpu, page_caches_shrink_under_a_kernel)
{
	struct { u64 p; u32 n, pad; u64 alive; } a = {
		(uintptr_t)&self->words[4096], 8192, 0, (uintptr_t)&self->words[0],
	};
	union rig_packet pk;
	struct rig_kernel k;
	u32 i, before;

	ASSERT_EQ(0, rig_kernel(&self->r, "fill_for_ever", &k));
	rig_dispatch_packet(&pk, &k, 1, 64, rig_args(&self->r, &a, sizeof(a)), NULL);
	rig_submit(&self->q, &pk);
	ASSERT_TRUE(rig_wait32(&self->words[0], 1, RIG_LONG));
	for (i = 0; i < 20; i++) {
		before = *(volatile u32 *)&self->words[0];
		ASSERT_EQ(0, drop_slab());
		ASSERT_TRUE(rig_wait32(&self->words[0], before + 2, RIG_LONG));
	}
	EXPECT_EQ(0, rig_queue_destroy(&self->r, &self->q));
	/* It went over them from the first to the last: two values next to each other */
	for (i = 4097; i < 4096 + 8192; i++)
		EXPECT_GE(1u, self->words[i - 1] - self->words[i]);
}

TEST_HARNESS_MAIN
