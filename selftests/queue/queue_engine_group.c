// SPDX-License-Identifier: MIT
/*
 * Waves in user mode (engine=user) are work of their client: its control group's limits of memory
 * and of processor time hold for them, and the kernel executes none of their instructions.
 */
#include <sys/stat.h>

#include "../kfd/file_util.h"
#include "engine_util.h"

#define CGROUPS	"/sys/fs/cgroup"
#define GROUP	CGROUPS "/vkfd-engine"
#define STATS	"/sys/kernel/debug/kfd/0/stats"
#define MB	(1024ll * 1024)

enum { DONE, LOST = 42, BROKEN };

FIXTURE(client) {
	struct rig r;
	struct rig_queue q;
	struct rig_mem data;
	u32 *words, event;
	char mode[16], program[PATH_MAX];	/* to be put back */
};

FIXTURE_SETUP(client)
{
	get_param("engine", self->mode, sizeof(self->mode));
	get_param("engine_program", self->program, sizeof(self->program));
	if (getuid())
		SKIP(return, "needs root");
	file_write(CGROUPS "/cgroup.subtree_control", "+memory +cpu");
	rmdir(GROUP);
	mkdir(GROUP, 0755);
	ASSERT_EQ(use_real_engine("user"), 0);
}

FIXTURE_TEARDOWN(client)
{
	unsigned int i;

	use_engine(self->mode, self->program);
	/* The last process may be on its way out. */
	for (i = 0; rmdir(GROUP) && errno == EBUSY && i < 500; i++)
		usleep(10000);
	EXPECT_GT(500u, i);
}

/* This process goes into the group, and has a queue there. */
static bool join(FIXTURE_DATA(client) *self)
{
	u32 slot;

	if (file_write(GROUP "/cgroup.procs", "0") || rig_open(&self->r) || rig_load(&self->r) ||
	    rig_anon(&self->r, RIG_PAGE, &self->data) ||
	    rig_event(&self->r, KFD_IOC_EVENT_HW_EXCEPTION, &self->event, &slot) ||
	    rig_queue_create(&self->r, RIG_RING, &self->q))
		return false;
	self->words = self->data.p;
	memset(self->words, 0, RIG_PAGE);
	return true;
}

static int ends_with(int (*body)(FIXTURE_DATA(client) *self), FIXTURE_DATA(client) *self)
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(body(self));
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

static int spins(FIXTURE_DATA(client) *self)
{
	long long all, in_process;
	u64 end = rig_ms() + NEVER_MS;

	if (!join(self))
		return BROKEN;
	all = file_value(STATS, "instructions");
	in_process = file_value(STATS, "engine_instructions");
	start(&self->r, &self->q, "spin", (uintptr_t)&self->words[0],
	      (uintptr_t)&self->words[64], 4, 64);
	/* Some sections' worth */
	while (file_value(STATS, "engine_instructions") < in_process + 100000 && rig_ms() < end)
		usleep(10000);
	__atomic_store_n(&self->words[0], 1, __ATOMIC_SEQ_CST);
	if (rig_queue_destroy(&self->r, &self->q))
		return BROKEN;
	all = file_value(STATS, "instructions") - all;
	in_process = file_value(STATS, "engine_instructions") - in_process;
	TH_LOG("%lld instructions, %lld of them in user mode", all, in_process);
	return in_process >= 100000 && all == in_process ? DONE : LOST;
}

TEST_F(client, the_kernel_executes_no_gpu_code)
{
	if (access(STATS, R_OK))
		SKIP(return, "no debugfs");
	if (access(GROUP "/cgroup.procs", W_OK))
		SKIP(return, "no control groups of version 2");
	EXPECT_EQ(DONE << 8, ends_with(spins, self));
}

/*
 * A tenth of one processor, whatever the number of its threads is. What a group has used says
 * little: while the host stops the guest, a thread that runs is charged for it. So this counts how
 * often the group had to stop, and for how long. That is the waves' doing, as this process sleeps;
 * and where threads of a throttled group go on, Linux 7.2 counts no time (record_throttle_clock()).
 */
static int spins_slowly(FIXTURE_DATA(client) *self)
{
	u64 end = rig_ms() + NEVER_MS;
	long long times, usec, times_before, usec_before;

	if (!join(self) || file_write(GROUP "/cpu.max", "10000 100000"))
		return BROKEN;
	start(&self->r, &self->q, "spin", (uintptr_t)&self->words[0],
	      (uintptr_t)&self->words[64], 8, 64);
	if (!rig_wait32(&self->words[64], 1, RIG_LONG))
		return BROKEN;
	times_before = file_value(GROUP "/cpu.stat", "nr_throttled");
	usec_before = file_value(GROUP "/cpu.stat", "throttled_usec");
	do {
		usleep(50000);
		times = file_value(GROUP "/cpu.stat", "nr_throttled") - times_before;
		usec = file_value(GROUP "/cpu.stat", "throttled_usec") - usec_before;
	} while ((times < 5 || usec < 200000) && rig_ms() < end);
	TH_LOG("stopped %lld times, for %lld ms", times, usec / 1000);
	file_write(GROUP "/cpu.max", "max 100000");
	__atomic_store_n(&self->words[0], 1, __ATOMIC_SEQ_CST);
	return times < 5 || usec < 200000 ? LOST : DONE;
}

TEST_F(client, a_quota_of_processor_time_binds)
{
	if (access(GROUP "/cpu.max", W_OK))
		SKIP(return, "no cpu controller of version 2");
	EXPECT_EQ(DONE << 8, ends_with(spins_slowly, self));
}

/* The engine's own memory is the group's: sections of its threads alone are more than this. */
static int takes_memory(FIXTURE_DATA(client) *self)
{
	char mine[256], its[256], path[64];
	long long before, grown;
	pid_t pid;

	if (!join(self) || !queue_works(&self->r, &self->q, self->words))
		return BROKEN;
	pid = engine_pid();
	snprintf(path, sizeof(path), "/proc/%d/cgroup", pid);
	if (file_read(path, its, sizeof(its)) < 0 ||
	    file_read("/proc/self/cgroup", mine, sizeof(mine)) < 0 || strcmp(mine, its))
		return BROKEN;
	before = file_number(GROUP "/memory.current");
	if (rig_queue_destroy(&self->r, &self->q) || !gone(pid))
		return BROKEN;
	grown = before - file_number(GROUP "/memory.current");
	TH_LOG("%lld KiB less when it is gone", grown / 1024);
	return grown > MB ? DONE : LOST;
}

TEST_F(client, its_memory_is_the_clients)
{
	if (access(GROUP "/memory.max", W_OK))
		SKIP(return, "no memory controller of version 2");
	EXPECT_EQ(DONE << 8, ends_with(takes_memory, self));
}

/* An engine that takes all memory there is: its group's limit ends it, and nobody else's. */
static int runs_out_of_memory(FIXTURE_DATA(client) *self)
{
	char limit[32];

	if (!join(self))
		return BROKEN;
	snprintf(limit, sizeof(limit), "%lld", file_number(GROUP "/memory.current") + 24 * MB);
	if (file_write(GROUP "/memory.max", limit))
		return BROKEN;
	start_add(&self->r, &self->q, self->words, 3, 4);
	return rig_event_wait(&self->r, self->event, NEVER_MS, NULL) ? BROKEN : DONE;
}

TEST_F(client, an_engine_out_of_memory)
{
	int status;

	if (access(GROUP "/memory.max", W_OK))
		SKIP(return, "no memory controller of version 2");
	file_write(GROUP "/memory.swap.max", "0");
	ASSERT_EQ(use_bad_engine("user", "glutton"), 0);
	status = ends_with(runs_out_of_memory, self);
	/* It is in the kernel's hands which process of the group is killed; mostly the larger one. */
	if (WIFSIGNALED(status))
		EXPECT_EQ(SIGKILL, WTERMSIG(status));
	else
		EXPECT_EQ(DONE, WEXITSTATUS(status));
	ASSERT_EQ(use_real_engine("user"), 0);
	EXPECT_TRUE(other_process_works());
}

TEST_HARNESS_MAIN
