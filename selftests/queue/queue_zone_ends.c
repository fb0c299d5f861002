// SPDX-License-Identifier: MIT
/*
 * Pages that have gone to the GPU (svm_migrate) and their process: what is left of them when it
 * calls exec, exits or is torn away, and that they stay within its memory group's limit, wherever
 * they are.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

#include "peer.h"
#include "zone.h"

#define CGROUPS		"/sys/fs/cgroup"
#define GROUP		CGROUPS "/vkfd-zone"
#define LARGE		(24ul << 20)	/* of a process in the group */
#define SLACK		(2ul << 20)	/* what the kernel counts late */

FIXTURE(ends) {
	long used;		/* page frames, before */
};

FIXTURE_SETUP(ends)
{
	ASSERT_EQ(0, access("/dev/kfd", R_OK | W_OK));
	if (access(PARAM, F_OK))
		SKIP(return, "this kernel has no device-private pages");
	ASSERT_TRUE(set_param("Y"));
	self->used = frames_used();
	ASSERT_LE(0, self->used);
}

FIXTURE_TEARDOWN(ends)
{
	set_param("N");
}

/* Memory of a new process, most of which is with the GPU then; the kernel may hold some. */
static u32 *send(struct rig *r, size_t bytes, u32 seed)
{
	u32 *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	u64 out = 0, tries;
	size_t i;

	ASSERT_NE((void *)p, MAP_FAILED);
	madvise(p, bytes, MADV_NOHUGEPAGE);
	for (i = 0; i < bytes / 4; i++)
		p[i] = seed + i;
	ASSERT_EQ(0, rig_open(r));
	ASSERT_EQ(0, rig_svm_set(r, p, bytes, ACCESS, r->gpu_id));
	for (tries = 0; tries < 100 && out < bytes / RIG_PAGE * 9 / 10; tries++) {
		ASSERT_EQ(0, rig_svm_set(r, p, bytes, PREFETCH, r->gpu_id));
		out = rig_counter(r, "page_in");
	}
	ASSERT_LE(bytes / RIG_PAGE * 9 / 10, out);
	return p;
}

enum { BY_EXEC, BY_EXIT, BY_KILL, BY_MUNMAP, WITH_A_CHILD, WAYS };

static void end_by(struct peer *me, u64 way)
{
	static struct rig r;
	u32 *p = send(&r, BYTES, 1);

	peer_go(me);
	peer_wait(me);
	if (way == BY_EXEC)
		execl("/bin/true", "true", (char *)NULL);
	if (way == BY_MUNMAP)
		ASSERT_EQ(0, munmap(p, BYTES));
	/* It has the pages a little longer. */
	if (way == WITH_A_CHILD && !fork()) {
		usleep(20000);
		_exit(wrong(p, 1) != 0);
	}
	if (way == BY_KILL)
		kill(getpid(), SIGKILL);
}

TEST_F(ends, in_every_way)
{
	struct peer p;
	int status;
	u64 way;

	for (way = 0; way < WAYS; way++) {
		peer_start(&p, end_by, way);
		peer_wait(&p);
		EXPECT_LT(self->used, frames_used());
		peer_go(&p);
		close(p.go);
		close(p.done);
		ASSERT_EQ(p.pid, waitpid(p.pid, &status, 0));
		EXPECT_TRUE(way == BY_KILL ? WIFSIGNALED(status) : !status) {
			TH_LOG("way %d: status 0x%x", (int)way, status);
		}
		EXPECT_TRUE(frames_return(self->used)) {
			TH_LOG("way %d: frames are left", (int)way);
		}
	}
}

/* ------------------------------------------------------------ a memory group */

static unsigned long group_has(void)
{
	return file_number(GROUP "/memory.current");
}

static int limit(unsigned long bytes)
{
	char text[32];

	snprintf(text, sizeof(text), "%lu\n", bytes);
	return file_write(GROUP "/memory.max", text);
}

/*
 * Pages count for the group on both sides. Those that are away come back though it may have
 * nothing more: they do not take new memory.
 */
static void within_the_limit(struct peer *me, u64 arg)
{
	static struct rig r;
	unsigned long has;
	size_t i;
	u32 *p;

	(void)arg;
	ASSERT_EQ(0, file_write(GROUP "/cgroup.procs", "0"));
	p = send(&r, LARGE, 7);
	has = group_has();
	ASSERT_LE(LARGE - SLACK, has);
	ASSERT_EQ(0, limit(has + SLACK));
	for (i = 0; i < LARGE / 4; i++)
		ASSERT_EQ(7 + (u32)i, p[i]);
	ASSERT_LE(LARGE - SLACK, group_has());
	/* There and back, with nothing to spare */
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, rig_svm_set(&r, p, LARGE, PREFETCH, i % 2 ? 0 : r.gpu_id));
		ASSERT_GE(has + SLACK, group_has());
	}
	for (i = 0; i < LARGE / 4; i++)
		ASSERT_EQ(7 + (u32)i, p[i]);
	peer_go(me);
}

TEST_F(ends, within_a_groups_limit)
{
	struct peer p;
	unsigned int i;

	file_write(CGROUPS "/cgroup.subtree_control", "+memory");
	rmdir(GROUP);
	mkdir(GROUP, 0755);
	if (access(GROUP "/memory.max", F_OK))
		SKIP(return, "no memory controller of version 2");
	file_write(GROUP "/memory.swap.max", "0");
	peer_start(&p, within_the_limit, 0);
	peer_wait(&p);
	peer_end(&p);
	EXPECT_TRUE(frames_return(self->used));
	for (i = 0; rmdir(GROUP) && i < 500 * th_slow(); i++)
		usleep(10000);
}

TEST_HARNESS_MAIN
