/* SPDX-License-Identifier: MIT */
/*
 * What the queue tests share: a fixture with an open GPU, the code object and
 * one queue; and what "everything still works" means.
 */
#ifndef QUEUE_TEST_H
#define QUEUE_TEST_H

#include <errno.h>
#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kfd/harness.h"
#include "rig.h"

/*
 * For what happens soon or never, such as the end of a queue whose kernel has none: a busy
 * host has that much time, and the test's own limit is twice as far.
 */
#define NEVER_MS	(TH_TIMEOUT_S * 500ull * th_slow())

struct add_args {
	u64 p;
	u32 v;
};

struct word_args {
	u64 p;
	u64 out;	/* or a value, for store_word */
};

struct spin_args {
	u64 stop, alive;
};

FIXTURE(gpu) {
	struct rig r;
	struct rig_queue q;
	struct rig_mem data;
	u32 *words;
};

FIXTURE_SETUP(gpu)
{
	ASSERT_EQ(rig_open(&self->r), 0);
	ASSERT_EQ(rig_load(&self->r), 0);
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &self->q), 0);
	ASSERT_EQ(rig_anon(&self->r, 64 * RIG_PAGE, &self->data), 0);
	self->words = self->data.p;
}

FIXTURE_TEARDOWN(gpu)
{
	rig_close(&self->r);
}

/* Start add_to(@p, @v) over @groups x 64 words. */
static inline struct rig_signal *start_add(struct rig *r, struct rig_queue *q, u32 *p,
					   u32 v, u32 groups)
{
	struct add_args a = { (uintptr_t)p, v };
	struct rig_signal *s = rig_signal(r, 1);
	union rig_packet pk;
	struct rig_kernel k;

	if (rig_kernel(r, "add_to", &k))
		return s;
	rig_dispatch_packet(&pk, &k, groups, 64, rig_args(r, &a, sizeof(a)), s);
	rig_submit(q, &pk);
	return s;
}

/* Places in the ring may be given back a moment after the end of their packets was told. */
static inline bool wait_read(struct rig_queue *q, u64 index)
{
	u64 end = rig_ms() + RIG_LONG;

	while (__atomic_load_n(&q->amd->read_id, __ATOMIC_ACQUIRE) < index && rig_ms() < end)
		usleep(1000);
	return q->amd->read_id >= index;
}

/* What stats of all GPUs in debugfs say behind @name, which ends with a space; -1: none does. */
static inline long stats_sum(const char *name)
{
	char line[128];
	long n = -1;
	glob_t g;
	size_t i;

	if (glob("/sys/kernel/debug/kfd/*/stats", 0, NULL, &g))
		return n;
	for (i = 0; i < g.gl_pathc; i++) {
		FILE *f = fopen(g.gl_pathv[i], "r");

		while (f && fgets(line, sizeof(line), f))
			if (!strncmp(line, name, strlen(name)))
				n = (n < 0 ? 0 : n) + atol(line + strlen(name));
		if (f)
			fclose(f);
	}
	globfree(&g);
	return n;
}

/* A dispatch on @q gives the right result. */
static inline bool queue_works(struct rig *r, struct rig_queue *q, u32 *p)
{
	u32 i;

	memset(p, 0, 64 * sizeof(*p));
	if (!rig_wait(start_add(r, q, p, 3, 1), 0, RIG_LONG)) {
		TH_LOG("no completion: doorbell %llu, write %llu, read %llu, inactive signal 0x%llx",
		       (unsigned long long)*q->doorbell,
		       (unsigned long long)q->amd->write_id,
		       (unsigned long long)q->amd->read_id,
		       (unsigned long long)q->inactive->value);
		rig_say_state();
		return false;
	}
	for (i = 0; i < 64 && p[i] == 3; i++)
		;
	if (i < 64)
		TH_LOG("word %u is %u", i, p[i]);
	return i == 64;
}

/* Start @name(a, b) with two words of arguments on @groups work-groups. */
static inline struct rig_signal *start(struct rig *r, struct rig_queue *q,
				       const char *name, u64 a, u64 b, u32 groups,
				       u32 group)
{
	struct word_args args = { a, b };
	struct rig_signal *s = rig_signal(r, 1);
	union rig_packet pk;
	struct rig_kernel k;

	if (rig_kernel(r, name, &k))
		return s;
	rig_dispatch_packet(&pk, &k, groups, group, rig_args(r, &args, sizeof(args)), s);
	rig_submit(q, &pk);
	return s;
}

/* An endless kernel whose waves have all the registers that a wave can have. */
static inline u64 put_glutton(struct rig *r, struct rig_queue *q, u32 *words, u32 alive,
			      u32 groups)
{
	struct spin_args a = { (uintptr_t)&words[0], (uintptr_t)&words[alive] };
	union rig_packet pk;
	struct rig_kernel k;
	u32 *rsrc1;

	ASSERT_EQ(rig_kernel(r, "spin", &k), 0);
	rsrc1 = (u32 *)(uintptr_t)k.object + 12;
	/* 512 VGPRs and AccVGPRs, or those 256 that waves of 32 lanes can have */
	*rsrc1 |= k.version < 100000 ? 0x3f : 0x1f;
	rig_dispatch_packet(&pk, &k, groups, 64, rig_args(r, &a, sizeof(a)), NULL);
	return rig_put(q, &pk);
}

static inline void start_glutton(struct rig *r, struct rig_queue *q, u32 *words, u32 alive,
				 u32 groups)
{
	rig_ring(q, put_glutton(r, q, words, alive, groups));
}

/* Do waves run in a process (engine=user)? What only the kernel's engine promises is not there then. */
static inline bool waves_in_user_mode(void)
{
	FILE *f = fopen("/sys/kernel/debug/kfd/0/engine", "r");
	char name[16] = "";

	if (f && !fgets(name, sizeof(name), f))
		name[0] = '\0';
	if (f)
		fclose(f);
	return !strcmp(name, "user\n");
}

/* A child with a GPU of its own runs a kernel that is right. */
static inline int first_queue_works(void)
{
	struct rig r;
	struct rig_queue q;
	struct rig_mem m;

	if (rig_open(&r))
		return 1;
	if (rig_load(&r))
		return 2;
	if (rig_queue_create(&r, RIG_RING, &q))
		return 3;
	if (rig_anon(&r, RIG_PAGE, &m))
		return 4;
	return queue_works(&r, &q, m.p) ? 0 : 5;
}

static inline bool other_process_works(void)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		status = first_queue_works();
		fflush(stdout);
		_exit(status);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return false;
	if (status)
		printf("# the other process: status 0x%x\n", status);
	return !status;
}

static inline bool others_work_soon(void)
{
	u64 start = rig_ms();
	bool ok = other_process_works();

	TH_LOG("another process took %llu ms", (unsigned long long)(rig_ms() - start));
	return ok && rig_ms() - start < NEVER_MS;
}

/* What is left of process @pid in the driver, after at most @ms. */
static inline bool gone_from_kfd(pid_t pid, unsigned int ms)
{
	u64 end = rig_ms() + ms;
	char path[80];

	snprintf(path, sizeof(path), "/sys/devices/virtual/kfd/kfd/proc/%d", pid);
	do {
		if (access(path, F_OK))
			return true;
		usleep(10000);
	} while (rig_ms() < end);
	return false;
}

#endif /* QUEUE_TEST_H */
