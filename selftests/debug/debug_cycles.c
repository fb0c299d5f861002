// SPDX-License-Identifier: MIT
/*
 * Processes that are killed at any moment between their first open() and kernels
 * that run: VKFD_CYCLES of them (default 40), some at a time. At the end every
 * count is what it was, and the GPU computes.
 */
#include <time.h>

#include "../kfd/kfd_util.h"
#include "../queue/queue_test.h"

#define CYCLES		40u
#define AT_A_TIME	4u
#define TEST_S		20u	/* what a short run may take */
#define COUNTERS	"/sys/kernel/debug/kfd/counters"

static unsigned int cycles(void)
{
	const char *s = getenv("VKFD_CYCLES");

	return s ? strtoul(s, NULL, 0) : CYCLES;
}

/* Kernels of all kinds on two queues until somebody kills this. */
static void victim(unsigned int seed)
{
	static const char * const names[] = { "spin", "spin_sleep", "add_to" };
	struct rig_queue q[2];
	struct rig_mem m;
	struct rig r;
	unsigned int i;
	u32 *words;

	if (rig_open(&r) || rig_load(&r) || rig_anon(&r, 16 * RIG_PAGE, &m))
		_exit(1);
	words = m.p;
	for (i = 0; i < 2; i++)
		if (rig_queue_create(&r, RIG_RING, &q[i]))
			_exit(1);
	for (i = seed; i < seed + 20; i++) {
		const char *name = names[i % 3];

		if (!strcmp(name, "add_to"))
			start_add(&r, &q[i & 1], words + 1024, 1, 1 + i % 7);
		else
			start(&r, &q[i & 1], name, (uintptr_t)&words[0], (uintptr_t)&words[1],
			      1 + i % 5, 64);
		if (i % 4 == 3)
			__atomic_store_n(&words[0], i & 8, __ATOMIC_RELEASE);
		if (i % 7 == 6 && rig_queue_destroy(&r, &q[0]))
			_exit(1);
		if (i % 7 == 6 && rig_queue_create(&r, RIG_RING, &q[0]))
			_exit(1);
		usleep(rand_r(&seed) % 2000);
	}
	pause();
}

static pid_t start_victim(unsigned int seed)
{
	pid_t pid = fork();

	if (!pid)
		victim(seed);
	ASSERT_LT(0, pid);
	return pid;
}

static void end_victim(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
		TH_LOG("a victim ended by itself: status 0x%x", status);
	}
}

static u64 available(const struct gpu *g)
{
	struct kfd_ioctl_get_available_memory_args a = { .gpu_id = g->id };

	ASSERT_IOCTL(0, g->kfd, AMDKFD_IOC_AVAILABLE_MEMORY, &a);
	return a.available;
}

/* Queues that the hardware view has. */
static int rows(const char *path)
{
	FILE *f = fopen(path, "r");
	int c, n = 0;

	ASSERT_NE(NULL, f);
	while ((c = fgetc(f)) != EOF)
		n += c == '\n';
	fclose(f);
	return n;
}

struct counts {
	long long bos, available, mqds;
};

static struct counts count(const struct gpu *g)
{
	return (struct counts) {
		.bos = prop_get(COUNTERS, "bo_count"), .available = available(g),
		.mqds = rows("/sys/kernel/debug/kfd/mqds"),
	};
}

TEST(killed_at_any_moment)
{
	unsigned int n = cycles(), done, seed = 1, i;
	pid_t pids[AT_A_TIME];
	struct counts was, is = { 0 };
	struct gpu g;

	alarm((TEST_S + n / 2) * th_slow());
	gpu_open(&g);
	was = count(&g);
	for (done = 0; done < n; done += AT_A_TIME) {
		for (i = 0; i < AT_A_TIME; i++)
			pids[i] = start_victim(done + i);
		for (i = 0; i < AT_A_TIME; i++) {
			usleep(rand_r(&seed) % (15000 * th_slow()));
			end_victim(pids[i]);
		}
		if (done % 1000 < AT_A_TIME && done > AT_A_TIME) {
			printf("# %u of %u\n", done, n);
			fflush(stdout);
		}
	}
	for (i = 0; i < 500; i++) {
		is = count(&g);
		if (!memcmp(&is, &was, sizeof(is)))
			break;
		usleep(20000);
	}
	EXPECT_EQ(was.bos, is.bos);
	EXPECT_EQ(was.available, is.available);
	EXPECT_EQ(was.mqds, is.mqds);
	EXPECT_TRUE(other_process_works());
	printf("# %u processes killed\n", done);
}

TEST_HARNESS_MAIN
