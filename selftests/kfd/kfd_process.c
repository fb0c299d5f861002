// SPDX-License-Identifier: MIT
/* Processes: their sysfs directory, and that their end gives everything back. */
#define _GNU_SOURCE
#include <sched.h>

#include "kfd_util.h"

#define PROC	"/sys/devices/virtual/kfd/kfd/proc"
#define HSA_CAP_SVM	0x08000000	/* SVMAPI_SUPPORTED */

static long long stat_number(pid_t pid, const char *file, uint32_t gpu_id)
{
	char path[160];
	long long v = -1;
	FILE *f;
	int n = snprintf(path, sizeof(path), PROC "/%d/", pid);

	snprintf(path + n, sizeof(path) - n, file, gpu_id);
	f = fopen(path, "r");
	if (f) {
		if (fscanf(f, "%lld", &v) != 1)
			v = -1;
		fclose(f);
	}
	return v;
}

static bool proc_exists(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), PROC "/%d", pid);
	return !access(path, F_OK);
}

TEST(sysfs)
{
	pid_t pid = getpid();
	long long none;
	struct gpu g;
	struct mem m;

	EXPECT_FALSE(proc_exists(pid));
	gpu_open(&g);
	EXPECT_TRUE(proc_exists(pid));
	EXPECT_LT(0ll, stat_number(pid, "pasid", 0));
	EXPECT_EQ(0ll, stat_number(pid, "vram_%u", g.id));
	EXPECT_EQ(0ll, stat_number(pid, "sdma_%u", g.id));
	EXPECT_EQ(0ll, stat_number(pid, "stats_%u/evicted_ms", g.id));
	EXPECT_EQ(0ll, stat_number(pid, "stats_%u/cu_occupancy", g.id));
	/* The driver has them where it has SVM. */
	none = node_prop(g.node, "capability") & HSA_CAP_SVM ? 0 : -1;
	EXPECT_EQ(none, stat_number(pid, "counters_%u/faults", g.id));
	EXPECT_EQ(none, stat_number(pid, "counters_%u/page_in", g.id));
	EXPECT_EQ(none, stat_number(pid, "counters_%u/page_out", g.id));
	m = mem_alloc(&g, VRAM, 3 * MB);
	EXPECT_EQ((long long)(3 * MB), stat_number(pid, "vram_%u", g.id));
	EXPECT_EQ(0, mem_free(&g, m.handle));
	EXPECT_EQ(0ll, stat_number(pid, "vram_%u", g.id));
	/* The process is the mm's, not the file's. */
	close(g.kfd);
	EXPECT_TRUE(proc_exists(pid));
}

static uint64_t available(const struct gpu *g)
{
	struct kfd_ioctl_get_available_memory_args a = { .gpu_id = g->id };

	ASSERT_IOCTL(0, g->kfd, AMDKFD_IOC_AVAILABLE_MEMORY, &a);
	return a.available;
}

/* A process that holds VRAM mapped everywhere, events and an idle queue. */
static void busy_process(void)
{
	struct kfd_ioctl_create_event_args e = { .event_type = KFD_IOC_EVENT_SIGNAL };
	struct kfd_ioctl_create_queue_args c;
	struct gpu g;
	struct mem m;
	char *p;

	gpu_open(&g);
	m = mem_alloc(&g, VRAM | HOST, 64 * MB);
	p = mem_mmap(&g, &m);
	ASSERT_NE(MAP_FAILED, (void *)p);
	memset(p, 1, MB);
	ASSERT_EQ(0, mem_map(&g, m.handle));
	ASSERT_IOCTL(0, g.kfd, AMDKFD_IOC_CREATE_EVENT, &e);
	c = ring_queue(&g, ring_memory(&g, PAGE), PAGE, 7);
	ASSERT_IOCTL(0, g.kfd, AMDKFD_IOC_CREATE_QUEUE, &c);
}

static int child_exits(void *arg)
{
	(void)arg;
	busy_process();
	return 0;
}

/* Who has reaped the process finds everything given back. */
TEST(exit_gives_back)
{
	struct gpu g;
	uint64_t before;
	int i;

	gpu_open(&g);
	before = available(&g);
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, in_child(child_exits, NULL));
		EXPECT_EQ(before, available(&g));
	}
}

static int child_closes_and_exits(void *arg)
{
	(void)arg;
	busy_process();
	/* Both its own and what is left of the parent's. */
	closefrom(3);
	return 0;
}

/* The process is the mm's: it may have closed the file long ago. */
TEST(exit_without_a_file_gives_back)
{
	struct gpu g;
	uint64_t before;
	int i;

	gpu_open(&g);
	before = available(&g);
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, in_child(child_closes_and_exits, NULL));
		EXPECT_EQ(before, available(&g));
	}
}

static int child_leaves_the_file(void *arg)
{
	int *keep = arg;
	char c;

	busy_process();
	if (fork())
		return 0;
	close(keep[1]);
	_exit(read(keep[0], &c, 1) < 0);	/* the end of the test */
}

/* Nor is it the file's end that counts, which a child of its own holds up. */
TEST(exit_with_a_shared_file_gives_back)
{
	struct gpu g;
	uint64_t before;
	int keep[2];

	ASSERT_EQ(0, pipe(keep));
	gpu_open(&g);
	before = available(&g);
	ASSERT_EQ(0, in_child(child_leaves_the_file, keep));
	EXPECT_EQ(before, available(&g));
	close(keep[1]);
}

static pid_t fork_busy(void)
{
	int ready[2];
	char c;
	pid_t pid;

	ASSERT_EQ(0, pipe(ready));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		busy_process();
		c = 1;
		if (write(ready[1], &c, 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	close(ready[1]);
	ASSERT_EQ(1l, (long)read(ready[0], &c, 1));
	return pid;
}

TEST(kill_gives_back)
{
	struct gpu g;
	uint64_t before;
	int status;
	pid_t pid;

	gpu_open(&g);
	before = available(&g);
	pid = fork_busy();
	EXPECT_LE(64 * MB, before - available(&g));
	EXPECT_TRUE(proc_exists(pid));
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(before, available(&g));
	EXPECT_FALSE(proc_exists(pid));
}

static int child_execs(void *arg)
{
	(void)arg;
	busy_process();
	execl("/bin/sleep", "sleep", "30", NULL);
	return 9;
}

TEST(exec_gives_back)
{
	struct gpu g;
	uint64_t before;
	unsigned int i;
	int status;
	pid_t pid;

	gpu_open(&g);
	before = available(&g);
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(child_execs(NULL));
	/* Taken apart by a worker: soon, not at once. */
	for (i = 0; i < 200 && available(&g) == before; i++)
		usleep(50000);
	for (i = 0; i < 200 * th_slow() && (available(&g) != before || proc_exists(pid)); i++)
		usleep(50000);
	EXPECT_EQ(before, available(&g));
	EXPECT_FALSE(proc_exists(pid));
	EXPECT_EQ(0, waitpid(pid, &status, WNOHANG));
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
}

static int keep_mm(void *arg)
{
	(void)arg;
	pause();
	return 0;
}

/*
 * Somebody else keeps the old mm: after exec the pid has two processes here. A
 * stack dump about the second directory would fail this program.
 */
TEST(exec_beside_the_old_mm)
{
	static char stack[64 * KB] __attribute__((aligned(16)));
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		kfd_open();
		ASSERT_LT(0, clone(keep_mm, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL));
		execl("/bin/sh", "sh", "-c", "exec 3<>/dev/kfd && exit 7", NULL);
		_exit(1);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(7, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

/* Until @told ends; what the file is good for then goes to @tell. */
static void child_keeps_fd(struct gpu *g, int told, int tell)
{
	struct kfd_ioctl_get_version_args v;
	int err = -1;
	char c;

	if (!read(told, &c, 1))
		err = kfd_err(g->kfd, AMDKFD_IOC_GET_VERSION, &v);
	_exit(write(tell, &err, sizeof(err)) != sizeof(err));
}

/* The opener is gone, a child has its file: nothing of the opener is left. */
TEST(file_outlives_its_process)
{
	int status, err = 0, hold[2], answer[2];
	struct gpu g, mine;
	unsigned int i;
	pid_t pid;

	gpu_open(&mine);
	ASSERT_EQ(0, pipe(hold));
	ASSERT_EQ(0, pipe(answer));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		close(hold[1]);
		gpu_open(&g);
		mem_alloc(&g, VRAM, MB);
		if (!fork())
			child_keeps_fd(&g, hold[0], answer[1]);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	/* Taken apart by a worker: soon, not at once. */
	for (i = 0; i < 500 * th_slow() && proc_exists(pid); i++)
		usleep(20000);
	EXPECT_FALSE(proc_exists(pid));
	EXPECT_LT(0ull, available(&mine));
	close(hold[1]);
	ASSERT_EQ((ssize_t)sizeof(err), read(answer[0], &err, sizeof(err)));
	EXPECT_EQ(EBADF, err);
}

TEST(threads_share_the_process)
{
	struct gpu a, b;

	gpu_open(&a);
	b = a;
	b.kfd = kfd_open();
	EXPECT_EQ(0, acquire_vm(b.kfd, a.drm, a.id));
	EXPECT_EQ(0, mem_free(&b, mem_alloc(&a, VRAM, PAGE).handle));
}

TEST_HARNESS_MAIN
