// SPDX-License-Identifier: MIT
/*
 * CREATE_PROCESS (1.19): a file that becomes a process object of its own beside the mm's, what
 * it may not do, and that its end gives everything back.
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "kfd_util.h"

#define MAX_CONTEXTS	32
#define PROC		"/sys/devices/virtual/kfd/kfd/proc"
#define BIG		(64 * MB)

static int create_process(int fd)
{
	return kfd_err(fd, AMDKFD_IOC_CREATE_PROCESS, NULL);
}

/* A context with the first GPU, its VM acquired. */
static void context_open(struct gpu *g)
{
	g->kfd = kfd_open();
	ASSERT_EQ(0, create_process(g->kfd));
	g->node = gpu_node(0);
	ASSERT_GE(g->node, 0);
	g->id = node_gpu_id(g->node);
	g->drm = open_render(g->node);
	ASSERT_EQ(0, acquire_vm(g->kfd, g->drm, g->id));
}

static bool has_dir(int context)
{
	char path[96];

	snprintf(path, sizeof(path), PROC "/%d/context_%d/queues", getpid(), context);
	return !access(path, F_OK);
}

static uint64_t available(const struct gpu *g)
{
	struct kfd_ioctl_get_available_memory_args a = { .gpu_id = g->id };

	ASSERT_IOCTL(0, g->kfd, AMDKFD_IOC_AVAILABLE_MEMORY, &a);
	return a.available;
}

static struct mem mapped(struct gpu *g, size_t bytes)
{
	struct mem m = mem_alloc(g, GTT | HOST, bytes);

	ASSERT_EQ(0, mem_map(g, m.handle));
	return m;
}

/* An idle queue, on buffers, as there is no memory of the process. */
static struct kfd_ioctl_create_queue_args queue_create(struct gpu *g)
{
	struct queue_area size = queue_area(g->node);
	struct mem ring = mapped(g, PAGE), index = mapped(g, PAGE), area = mapped(g, size.bytes);
	struct kfd_ioctl_create_queue_args c = {
		.ring_base_address = (uintptr_t)ring.va, .ring_size = PAGE,
		.write_pointer_address = (uintptr_t)index.va + 56,
		.read_pointer_address = (uintptr_t)index.va + 128,
		.ctx_save_restore_address = (uintptr_t)area.va,
		.ctx_save_restore_size = size.cwsr, .ctl_stack_size = size.ctl,
		.gpu_id = g->id, .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL,
		.queue_percentage = 100, .queue_priority = 7,
	};

	ASSERT_IOCTL(0, g->kfd, AMDKFD_IOC_CREATE_QUEUE, &c);
	return c;
}

TEST(apart_from_the_process)
{
	struct gpu g, c, d;
	struct mem a, b;

	gpu_open(&g);
	context_open(&c);
	EXPECT_EQ(EINVAL, create_process(c.kfd));
	EXPECT_TRUE(has_dir(0));
	EXPECT_FALSE(has_dir(1));
	context_open(&d);
	EXPECT_TRUE(has_dir(1));
	a = mem_alloc(&g, VRAM, PAGE);
	b = mem_alloc(&c, VRAM, PAGE);
	/* Both have handles from 0 on, and none of the other's. */
	EXPECT_EQ(a.handle, b.handle);
	EXPECT_EQ(EINVAL, mem_free(&d, b.handle));
	EXPECT_EQ(0, mem_free(&c, b.handle));
	EXPECT_EQ(EINVAL, mem_free(&c, b.handle));
	EXPECT_EQ(0, mem_free(&g, a.handle));
	EXPECT_EQ(0u, queue_create(&c).queue_id);
	EXPECT_EQ(0u, queue_create(&d).queue_id);
	/* What opens later is the mm's process again. */
	c.kfd = kfd_open();
	a = mem_alloc(&g, VRAM, PAGE);
	EXPECT_EQ(0, mem_free(&c, a.handle));
}

TEST(what_it_may_not)
{
	struct kfd_ioctl_dbg_trap_args dbg = { .pid = getpid() };
	struct kfd_ioctl_svm_args svm = { .op = KFD_IOCTL_SVM_OP_GET_ATTR };
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct gpu c;
	struct mem m;

	context_open(&c);
	ASSERT_NE(MAP_FAILED, (void *)page);
	EXPECT_EQ(EOPNOTSUPP, mem_alloc_at(&c, USERPTR | RW, page, PAGE, (uintptr_t)page, &m));
	svm.start_addr = (uintptr_t)page;
	svm.size = PAGE;
	EXPECT_IOCTL(EOPNOTSUPP, c.kfd, AMDKFD_IOC_SVM, &svm);
	EXPECT_IOCTL(EOPNOTSUPP, c.kfd, AMDKFD_IOC_DBG_TRAP, &dbg);
}

TEST(close_gives_back)
{
	struct gpu g, c;
	uint64_t before;
	int i;

	gpu_open(&g);
	before = available(&g);
	for (i = 0; i < 5; i++) {
		context_open(&c);
		ASSERT_EQ(0, mem_map(&c, mem_alloc(&c, VRAM, BIG).handle));
		queue_create(&c);
		EXPECT_LE(BIG, before - available(&g));
		EXPECT_TRUE(has_dir(0));
		close(c.drm);
		close(c.kfd);
		EXPECT_EQ(before, available(&g));
		EXPECT_FALSE(has_dir(0));
	}
}

/* The event page is a mapping of the file and keeps the context; doorbells have a life of their own. */
TEST(a_mapping_keeps_it)
{
	struct kfd_ioctl_create_event_args e = { .event_type = KFD_IOC_EVENT_SIGNAL };
	struct kfd_ioctl_create_queue_args q;
	void *doorbells, *events;
	struct gpu g, c;
	uint64_t before;

	gpu_open(&g);
	before = available(&g);
	context_open(&c);
	ASSERT_EQ(0, mem_map(&c, mem_alloc(&c, VRAM, BIG).handle));
	q = queue_create(&c);
	doorbells = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, c.kfd,
			 q.doorbell_offset & ~(2 * PAGE - 1));
	ASSERT_NE(MAP_FAILED, doorbells);
	ASSERT_IOCTL(0, c.kfd, AMDKFD_IOC_CREATE_EVENT, &e);
	events = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, c.kfd,
		      KFD_MMAP_TYPE_EVENTS);
	ASSERT_NE(MAP_FAILED, events);
	close(c.drm);
	close(c.kfd);
	EXPECT_LE(BIG, before - available(&g));
	*(volatile uint64_t *)doorbells = 0;
	munmap(events, 8 * PAGE);
	EXPECT_EQ(before, available(&g));
	/* Nobody hears it. */
	*(volatile uint64_t *)doorbells = 1;
	munmap(doorbells, 2 * PAGE);
}

static int child_exits(void *arg)
{
	struct gpu c[3];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		context_open(&c[i]);
		mem_alloc(&c[i], VRAM, BIG);
		queue_create(&c[i]);
	}
	/* Of the mm's process no file is left, or one without a context. */
	if (arg)
		gpu_open(&c[0]);
	return 0;
}

static int child_leaves_the_file(void *arg)
{
	int *keep = arg;
	struct gpu c;
	char byte;

	context_open(&c);
	mem_alloc(&c, VRAM, BIG);
	if (fork())
		return 0;
	close(keep[1]);
	_exit(read(keep[0], &byte, 1) < 0);
}

static int child_execs(void *arg)
{
	struct gpu c;

	(void)arg;
	context_open(&c);
	mem_alloc(&c, VRAM, BIG);
	execl("/bin/true", "true", NULL);
	return 1;
}

TEST(exit_gives_back)
{
	uint64_t before;
	struct gpu g;
	int keep[2];

	ASSERT_EQ(0, pipe(keep));
	gpu_open(&g);
	before = available(&g);
	ASSERT_EQ(0, in_child(child_exits, NULL));
	EXPECT_EQ(before, available(&g));
	ASSERT_EQ(0, in_child(child_exits, &g));
	EXPECT_EQ(before, available(&g));
	ASSERT_EQ(0, in_child(child_leaves_the_file, keep));
	EXPECT_EQ(before, available(&g));
	ASSERT_EQ(0, in_child(child_execs, NULL));
	EXPECT_EQ(before, available(&g));
	close(keep[1]);
}

static int child_uses_it(void *arg)
{
	struct kfd_ioctl_get_version_args v = { 0 };

	return kfd_err(*(int *)arg, AMDKFD_IOC_GET_VERSION, &v) == EBADF &&
	       create_process(*(int *)arg) == EBADF ? 0 : 1;
}

TEST(not_for_a_child)
{
	int fd = kfd_open();

	EXPECT_EQ(0, in_child(child_uses_it, &fd));
	ASSERT_EQ(0, create_process(fd));
	EXPECT_EQ(0, in_child(child_uses_it, &fd));
}

TEST(limit)
{
	int fd[MAX_CONTEXTS + 1], i;

	for (i = 0; i <= MAX_CONTEXTS; i++)
		fd[i] = kfd_open();
	for (i = 0; i < MAX_CONTEXTS; i++)
		ASSERT_EQ(0, create_process(fd[i]));
	EXPECT_EQ(ENOSPC, create_process(fd[MAX_CONTEXTS]));
	close(fd[7]);
	EXPECT_FALSE(has_dir(7));
	EXPECT_EQ(0, create_process(fd[MAX_CONTEXTS]));
	EXPECT_TRUE(has_dir(7));
}

#define THREADS	4

struct race {
	int fd;
	pthread_barrier_t start;
	int won;
};

static void *create_or_use(void *arg)
{
	struct kfd_ioctl_get_version_args v = { 0 };
	struct race *r = arg;
	long bad = 0;
	int err;

	pthread_barrier_wait(&r->start);
	bad |= kfd_err(r->fd, AMDKFD_IOC_GET_VERSION, &v);
	err = create_process(r->fd);
	if (!err)
		__atomic_add_fetch(&r->won, 1, __ATOMIC_RELAXED);
	else if (err != EINVAL)
		bad = 1;
	bad |= kfd_err(r->fd, AMDKFD_IOC_GET_VERSION, &v);
	return (void *)bad;
}

/* Threads that want to make the same file a context: one does, and nobody else suffers. */
TEST(one_of_several_threads)
{
	pthread_t t[THREADS];
	struct race r;
	void *bad;
	int i, round;

	ASSERT_EQ(0, pthread_barrier_init(&r.start, NULL, THREADS));
	for (round = 0; round < 50; round++) {
		r.fd = kfd_open();
		r.won = 0;
		for (i = 0; i < THREADS; i++)
			ASSERT_EQ(0, pthread_create(&t[i], NULL, create_or_use, &r));
		for (i = 0; i < THREADS; i++) {
			ASSERT_EQ(0, pthread_join(t[i], &bad));
			EXPECT_EQ(NULL, bad);
		}
		EXPECT_EQ(1, r.won);
		EXPECT_TRUE(has_dir(0) || has_dir(1) || has_dir(2) || has_dir(3));
		close(r.fd);
		for (i = 0; i < THREADS; i++)
			EXPECT_FALSE(has_dir(i));
	}
}

TEST_HARNESS_MAIN
