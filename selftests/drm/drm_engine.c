// SPDX-License-Identifier: MIT
/* Jobs, and user queues, of the render node whose waves run in user mode (engine=user): who runs them, for how long, and how they end. */
#include <sys/wait.h>

#include "../kfd/file_util.h"
#include "../queue/engine_util.h"
#include "userq_util.h"

#define STATS	"/sys/kernel/debug/kfd/0/stats"

FIXTURE(jobs) {
	struct cs_file f;
	char mode[16], program[PATH_MAX];	/* to be put back */
};

FIXTURE_SETUP(jobs)
{
	if (getuid())
		SKIP(return, "needs root");
	get_param("engine", self->mode, sizeof(self->mode));
	get_param("engine_program", self->program, sizeof(self->program));
	ASSERT_EQ(0, use_real_engine("user"));
	cs_open(&self->f);
}

FIXTURE_TEARDOWN(jobs)
{
	use_engine(self->mode, self->program);
	cs_close(&self->f);
}

/* Each of 64 work-items stores its number times 4 there; or waves that never end. */
static const uint32_t stores[] = {
	0x24020082,		/* v_lshlrev_b32 v1, 2, v0 */
	0xdc708000, 0x00000101,	/* global_store_dword v1, v1, s[0:1] */
	0xbf810000,		/* s_endpgm */
};
static const uint32_t endless[] = { 0xbf82ffff };	/* s_branch to itself */

/* Runs a wave of 64 work-items at @pc, with @out in s[0:1]. */
#define DISPATCH(pc, out)							\
	PM4_HDR(PM4_SET_SH_REG, 4), 0x20c, (uint32_t)((pc) >> 8), (uint32_t)((pc) >> 40),	\
	PM4_HDR(PM4_SET_SH_REG, 4), 0x212, 0xc0040, 0x84,			\
	PM4_HDR(PM4_SET_SH_REG, 5), 0x207, 64, 1, 1,				\
	PM4_HDR(PM4_SET_SH_REG, 4), 0x240, VA(out),				\
	PM4_HDR(PM4_DISPATCH_DIRECT, 5), 1, 1, 1, 5

static int run_code(struct cs_file *f, const uint32_t *code, size_t bytes, uint64_t *seq)
{
	uint64_t pc = (uintptr_t)(f->w + CS_CODE);
	struct cs cs = { .f = f };
	int err;

	memset((void *)f->w, 0xff, PAGE);
	memcpy((void *)(f->w + CS_CODE), code, bytes);
	CS_IB(&cs, COMPUTE, 0, DISPATCH(pc, f->w));
	err = cs_submit(&cs);
	*seq = cs.seq;
	return err;
}

static void has_stored(const struct cs_file *f)
{
	uint32_t i;

	for (i = 0; i < 64 && f->w[i] == i * 4; i++)
		;
	EXPECT_EQ(64u, i);
}

static void job_works(struct cs_file *f)
{
	uint64_t seq;

	ASSERT_EQ(0, run_code(f, stores, sizeof(stores), &seq));
	ASSERT_EQ(0, cs_wait(f, AMDGPU_HW_IP_COMPUTE, 0, seq));
	has_stored(f);
}

/* The same by a user queue; @sync is signaled then. */
static void user_queue_code(struct cs_file *f, struct userq *q, const uint32_t *code,
			    size_t bytes, uint32_t sync)
{
	uint64_t pc = (uintptr_t)(f->w + CS_CODE);

	memset((void *)f->w, 0xff, PAGE);
	memcpy((void *)(f->w + CS_CODE), code, bytes);
	PUT(q, DISPATCH(pc, f->w), SIGNAL);
	ASSERT_EQ(0, signal_to(q, sync, 0));
	ring(q);
}

static void user_queue_works(struct cs_file *f, struct userq *q)
{
	uint32_t sync = syncobj(f->fd);

	user_queue_code(f, q, stores, sizeof(stores), sync);
	ASSERT_EQ(0, sync_wait(f->fd, sync, FOREVER));
	has_stored(f);
}

TEST_F(jobs, run_in_a_process_as_long_as_the_file_is_open)
{
	long long all = file_value(STATS, "instructions");
	long long user = file_value(STATS, "engine_instructions");
	struct cs cs = { .f = &self->f };
	pid_t pid;

	/* An SDMA engine has no waves. */
	CS_IB(&cs, DMA, 0, SDMA_NOP);
	ASSERT_EQ(0, cs_submit(&cs));
	EXPECT_EQ(0, cs_wait(&self->f, AMDGPU_HW_IP_DMA, 0, cs.seq));
	EXPECT_EQ(0, engine_pid());
	job_works(&self->f);
	pid = engine_pid();
	EXPECT_NE(0, pid);
	job_works(&self->f);
	EXPECT_EQ(pid, engine_pid());
	if (all >= 0) {
		all = file_value(STATS, "instructions") - all;
		user = file_value(STATS, "engine_instructions") - user;
		EXPECT_LE(6ll, all);	/* two waves of three */
		EXPECT_EQ(all, user);
	}
	cs_close(&self->f);
	EXPECT_TRUE(gone(pid));
	cs_open(&self->f);
}

TEST_F(jobs, end_with_their_process)
{
	u64 end = rig_ms() + NEVER_MS;
	uint64_t seq;
	pid_t pid;

	ASSERT_EQ(0, run_code(&self->f, endless, sizeof(endless), &seq));
	pid = engine_pid();
	ASSERT_NE(0, pid);
	/* Whether it has waves already or gets them later is all the same. */
	ASSERT_EQ(0, kill(pid, SIGKILL));
	while (cs_wait_until(&self->f, AMDGPU_HW_IP_COMPUTE, 0, seq, cs_in_ms(100)) == EBUSY &&
	       rig_ms() < end)
		;
	EXPECT_EQ(ECANCELED, cs_wait_until(&self->f, AMDGPU_HW_IP_COMPUTE, 0, seq, cs_in_ms(0)));
	/* No fault of its context's: the next one gets a process of its own. */
	job_works(&self->f);
	EXPECT_NE(pid, engine_pid());
}

TEST_F(jobs, without_the_program_user_fails_and_auto_takes_the_kernel)
{
	uint64_t seq;

	ASSERT_EQ(0, use_engine("user", "/nowhere/vkfd-engine"));
	EXPECT_NE(0, run_code(&self->f, stores, sizeof(stores), &seq));
	ASSERT_EQ(0, use_engine("auto", "/nowhere/vkfd-engine"));
	job_works(&self->f);
	EXPECT_EQ(0, engine_pid());
	/* That stays so for this file. */
	ASSERT_EQ(0, use_real_engine("user"));
	job_works(&self->f);
	EXPECT_EQ(0, engine_pid());
}

TEST_F(jobs, user_queues_run_there_too)
{
	long long user = file_value(STATS, "engine_instructions");
	int was = use_user_queues(1);
	struct userq q, second;
	pid_t pid;

	userq_open(self->f.fd, &q);
	pid = engine_pid();
	EXPECT_NE(0, pid);
	user_queue_works(&self->f, &q);
	if (user >= 0)
		EXPECT_LT(user, file_value(STATS, "engine_instructions"));
	userq_open(self->f.fd, &second);
	user_queue_works(&self->f, &second);
	job_works(&self->f);
	EXPECT_EQ(pid, engine_pid());
	EXPECT_EQ(0, userq_free(&q));
	user_queue_works(&self->f, &second);
	EXPECT_EQ(0, userq_free(&second));
	use_user_queues(was);
}

/* The queue is lost with its process; the next one has a process of its own. */
TEST_F(jobs, user_queues_end_with_their_process)
{
	uint32_t sync = syncobj(self->f.fd), after = syncobj(self->f.fd);
	int was = use_user_queues(1);
	struct userq q, next;
	pid_t pid;

	userq_open(self->f.fd, &q);
	pid = engine_pid();
	ASSERT_NE(0, pid);
	user_queue_code(&self->f, &q, endless, sizeof(endless), sync);
	ASSERT_EQ(0, kill(pid, SIGKILL));
	/* A fence that has failed ends the wait. */
	EXPECT_EQ(0, sync_wait(self->f.fd, sync, FOREVER));
	ASSERT_EQ(0, signal_to(&q, after, 0));
	EXPECT_EQ(0, sync_wait(self->f.fd, after, FOREVER));
	userq_open(self->f.fd, &next);
	EXPECT_NE(pid, engine_pid());
	user_queue_works(&self->f, &next);
	job_works(&self->f);
	EXPECT_EQ(0, userq_free(&q));
	EXPECT_EQ(0, userq_free(&next));
	use_user_queues(was);
}

TEST_F(jobs, user_queues_without_the_program)
{
	int was = use_user_queues(1);
	struct userq q;

	userq_prepare(self->f.fd, &q);
	ASSERT_EQ(0, use_engine("user", "/nowhere/vkfd-engine"));
	EXPECT_NE(0, userq(self->f.fd, &q.args));
	ASSERT_EQ(0, use_engine("auto", "/nowhere/vkfd-engine"));
	userq_open(self->f.fd, &q);
	user_queue_works(&self->f, &q);
	EXPECT_EQ(0, engine_pid());
	EXPECT_EQ(0, userq_free(&q));
	use_user_queues(was);
}

TEST_HARNESS_MAIN
