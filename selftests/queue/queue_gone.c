// SPDX-License-Identifier: MIT
/*
 * A GPU that is taken away or put to sleep, or whose memory somebody else wants, while a process
 * that uses it has a call in progress that does not end: none of these waits for what that process
 * does with its own memory.
 *
 * Whoever has opened /dev/kfd has all GPUs, and loses them. So tests do that in children.
 */
#define _GNU_SOURCE
#include "../drm/cs_util.h"
#include "../kfd/file_util.h"
#include "fuse.h"
#include "gone.h"
#include "missing.h"

#define PROCESSES	"/sys/kernel/debug/kfd/processes"
#define SUSPEND		"/sys/kernel/debug/kfd/0/suspend"
#define VRAM		KFD_IOC_ALLOC_MEM_FLAGS_VRAM
/* What the driver waits for processes, and twice that for a busy host */
#define BOUND_MS	(10 * RIG_SECOND * th_slow())
#define PATIENCE_MS	1500	/* gpu/vram.c has 2000 */
#define DEAD_QUEUES	8u

/* ------------------------------------------------ a process with a call that does not end */

/**
 * struct victim - a child, and what it tells
 * @ready: it stands still in its call
 * @quit: it is to end
 */
struct victim {
	pid_t pid;
	volatile bool ready, quit;
	char function[32];	/* of its GPU */
};

struct update {
	struct rig *r;
	struct rig_queue *q;
	volatile bool done;
};

static void *update(void *arg)
{
	struct update *u = arg;

	rig_queue_update(u->r, u->q, 50);
	u->done = true;
	return NULL;
}

/* An update waits for the packet that the queue is in, and that waits for its signal's page. */
static void call_of_a_queue(struct rig *r, struct rig_queue *q)
{
	static struct update u;
	union rig_packet pk = { 0 };
	pthread_t t;
	int uffd;
	u64 addr;

	pk.barrier.header = RIG_BARRIER_AND | RIG_SCOPES;
	pk.barrier.signal = (uintptr_t)missing(r, &uffd);
	rig_submit(q, &pk);
	ASSERT_TRUE(asked(uffd, &addr));
	u = (struct update){ .r = r, .q = q };
	ASSERT_EQ(0, pthread_create(&t, NULL, update, &u));
	usleep(300000);
	ASSERT_FALSE(u.done);
}

static struct {
	volatile unsigned int stage, warm;
	volatile bool touched, unmapped, set;
	char *page, *other;
} mm;

static void stage(unsigned int n)
{
	while (mm.stage < n)
		usleep(1000);
}

static void *touch(void *unused)
{
	stage(1);
	(void)*(volatile char *)mm.page;
	mm.touched = true;
	return unused;
}

static void *unmap(void *unused)
{
	stage(2);
	munmap(mm.other, RIG_PAGE);
	mm.unmapped = true;
	return unused;
}

static void *set_svm(void *r)
{
	static char page[RIG_PAGE] __attribute__((aligned(4096)));

	/* Once before, so that all is there that it needs. */
	rig_svm_set(r, page, RIG_PAGE, KFD_IOCTL_SVM_ATTR_SET_FLAGS, 0);
	mm.warm = 1;
	stage(3);
	rig_svm_set(r, page, RIG_PAGE, KFD_IOCTL_SVM_ATTR_SET_FLAGS, 0);
	mm.set = true;
	return NULL;
}

/*
 * The second read of a page is waited for under mmap_lock (filemap_fault()); behind it somebody
 * wants that for writing, so no reader gets it either. From then on nothing here may need it.
 */
static void call_of_the_mm(struct rig *r, struct rig_queue *q)
{
	int fd = open(FUSE_DIR "/file", O_RDWR | O_CLOEXEC);
	pthread_t t[3];

	(void)q;
	mm.other = mmap(NULL, RIG_PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mm.page = mmap(NULL, FUSE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)mm.page);
	ASSERT_NE(MAP_FAILED, (void *)mm.other);
	ASSERT_EQ(0, pthread_create(&t[0], NULL, touch, NULL));
	ASSERT_EQ(0, pthread_create(&t[1], NULL, unmap, NULL));
	ASSERT_EQ(0, pthread_create(&t[2], NULL, set_svm, r));
	while (!mm.warm)
		usleep(1000);
	for (mm.stage = 1; mm.stage < 4; mm.stage++)
		usleep(300000);
	ASSERT_FALSE(mm.touched);
	ASSERT_FALSE(mm.unmapped);
	ASSERT_FALSE(mm.set);
}

/*
 * Waves have stopped them, and the page of their error words does not come. Between them are queues
 * whose end takes a moment, in which the GPU begins with the next error.
 */
static void dead_queues(struct rig *r, struct rig_queue *first)
{
	static struct rig_queue q[DEAD_QUEUES], busy[DEAD_QUEUES];
	struct rig_mem data;
	unsigned int i;
	int uffd;
	u64 addr;
	char *p = missing(r, &uffd);

	(void)first;
	ASSERT_EQ(0, rig_anon(r, RIG_PAGE, &data));
	for (i = 0; i < DEAD_QUEUES; i++) {
		ASSERT_EQ(0, rig_queue_create(r, RIG_RING, &q[i]));
		ASSERT_EQ(0, rig_queue_create(r, RIG_RING, &busy[i]));
		q[i].amd->inactive_signal = (uintptr_t)p + i * sizeof(struct rig_signal);
	}
	for (i = 0; i < DEAD_QUEUES; i++)
		start(r, &busy[i], "spin", (uintptr_t)data.p, (uintptr_t)data.p + 64, 4, 64);
	for (i = 0; i < DEAD_QUEUES; i++)
		start(r, &q[i], "illegal", (uintptr_t)data.p + 128, 0, 1, 64);
	ASSERT_TRUE(asked(uffd, &addr));
	usleep(100000);
}

static void victim_start(struct victim **pv, void (*call)(struct rig *r, struct rig_queue *q))
{
	struct victim *v = mmap(NULL, RIG_PAGE, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	u64 end = rig_ms() + NEVER_MS;
	pid_t pid;

	ASSERT_NE(MAP_FAILED, (void *)v);
	*pv = v;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct rig r;
		struct rig_queue q;

		if (rig_open(&r) || rig_load(&r) || rig_queue_create(&r, RIG_RING, &q))
			_exit(1);
		function_of(r.drm, v->function);
		call(&r, &q);
		v->ready = true;
		while (!v->quit)
			usleep(10000);
		_exit(0);
	}
	v->pid = pid;
	while (!v->ready && rig_ms() < end && !waitpid(pid, NULL, WNOHANG))
		usleep(10000);
	ASSERT_TRUE(v->ready);
}

static void victim_end(struct victim *v)
{
	kill(v->pid, SIGKILL);
	/* A read that the server has is not to be killed: it ends with the file system. */
	fuse_umount();
	waitpid(v->pid, NULL, 0);
}

/* ------------------------------------------------------------------ who does not wait */

static int unbinds(void *function)
{
	return file_write(DRIVER "/unbind", function);
}

static int reads_all_processes(void *arg)
{
	static char buf[65536];

	(void)arg;
	return file_read(PROCESSES, buf, sizeof(buf)) < 0 || !strstr(buf, ": busy\n");
}

/* It says that it cannot, and then all is as before. */
static int suspends(void *arg)
{
	(void)arg;
	if (file_write(SUSPEND, "1") != EBUSY)
		return 1;
	return file_number(SUSPEND) ? 2 : 0;
}

static int wants_memory(void *arg)
{
	u64 bytes = *(u64 *)arg;
	int fd = drm_open();
	uint32_t h;

	/* As much as there is without the other's, and twice: whether it gets it does not matter. */
	gem_create(fd, bytes, AMDGPU_GEM_DOMAIN_VRAM, 0, &h);
	gem_create(fd, bytes, AMDGPU_GEM_DOMAIN_VRAM, 0, &h);
	close(fd);
	return 0;
}

/* ms that a child takes for it; those who wait are left to the caller: *@left */
static u64 child_takes(int (*what)(void *arg), void *arg, pid_t *left)
{
	u64 start = rig_ms();
	int status = -1;

	fflush(stdout);
	*left = fork();
	if (!*left)
		_exit(what(arg));
	do {
		if (waitpid(*left, &status, WNOHANG) == *left) {
			*left = 0;
			EXPECT_EQ(0, status);
			break;
		}
		usleep(10000);
	} while (rig_ms() < start + 2 * BOUND_MS);
	return rig_ms() - start;
}

/*
 * The GPU goes within @bound, with @v in its call; and comes back, with a node that those may use
 * who could use the one before.
 */
static void taken_from(struct victim *v, u64 bound)
{
	mode_t mode = nodes_mode(0);
	pid_t left;
	u64 ms;

	ms = child_takes(unbinds, v->function, &left);
	TH_LOG("taken away in %llu ms", (unsigned long long)ms);
	EXPECT_GT(bound, ms);
	victim_end(v);
	if (left)
		waitpid(left, NULL, 0);
	EXPECT_EQ(0, file_write(DRIVER "/bind", v->function));
	EXPECT_EQ(nodes_mode(mode), mode);
	EXPECT_TRUE(other_process_works());
}

TEST(taken_from_a_call_that_waits_for_a_queue)
{
	struct victim *v;

	if (!have_unbind())
		SKIP(return, "no PCI driver");
	victim_start(&v, call_of_a_queue);
	taken_from(v, BOUND_MS);
}

TEST(taken_from_a_call_that_waits_for_the_mm)
{
	struct victim *v;

	if (!have_unbind())
		SKIP(return, "no PCI driver");
	fuse_failing = 1;
	fuse_mount();
	victim_start(&v, call_of_the_mm);
	taken_from(v, BOUND_MS);
}

/* Each has two seconds for that, but not one after the other. */
TEST(last_words_of_many_queues)
{
	struct victim *v;

	if (!have_unbind())
		SKIP(return, "no PCI driver");
	victim_start(&v, dead_queues);
	taken_from(v, 4 * RIG_SECOND * th_slow());
}

TEST(processes_are_listed_meanwhile)
{
	struct victim *v;
	pid_t left;

	victim_start(&v, call_of_a_queue);
	EXPECT_GT(BOUND_MS, child_takes(reads_all_processes, NULL, &left));
	victim_end(v);
	if (left)
		waitpid(left, NULL, 0);
}

/* Tasks are not frozen, as they are when the machine suspends. */
TEST(suspend_by_hand_says_that_it_cannot)
{
	struct victim *v;
	pid_t left;
	u64 ms;

	victim_start(&v, call_of_a_queue);
	ms = child_takes(suspends, NULL, &left);
	TH_LOG("refused in %llu ms", (unsigned long long)ms);
	EXPECT_GT(BOUND_MS, ms);
	if (!left)
		EXPECT_TRUE(other_process_works());
	victim_end(v);
	if (left)
		waitpid(left, NULL, 0);
	EXPECT_TRUE(other_process_works());
}

static u64 free_vram(void)
{
	struct drm_amdgpu_info_vram_gtt g;
	int fd = drm_open();

	ASSERT_EQ(0, drm_info(fd, AMDGPU_INFO_VRAM_GTT, &g, sizeof(g)));
	g.vram_size -= vram_used(fd);
	close(fd);
	return g.vram_size;
}

static u64 half_of_vram;

static void call_with_memory(struct rig *r, struct rig_queue *q)
{
	struct rig_mem m;

	ASSERT_EQ(0, rig_alloc(r, VRAM, half_of_vram, &m));
	call_of_a_queue(r, q);
}

/* Objects of a process leave for others when its queues are off, which takes its lock. */
TEST(memory_of_a_call_is_wanted)
{
	struct victim *v;
	pid_t left;
	u64 ms;

	half_of_vram = free_vram() / 2 & -RIG_PAGE;
	victim_start(&v, call_with_memory);
	ms = child_takes(wants_memory, &half_of_vram, &left);
	TH_LOG("memory was told of in %llu ms", (unsigned long long)ms);
	/* Most calls end soon, so it is not given up at once either. */
	EXPECT_LE(PATIENCE_MS, ms);
	EXPECT_GT(BOUND_MS, ms);
	victim_end(v);
	if (left)
		waitpid(left, NULL, 0);
	EXPECT_TRUE(other_process_works());
}

TEST_HARNESS_MAIN
