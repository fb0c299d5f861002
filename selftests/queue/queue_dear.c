// SPDX-License-Identifier: MIT
/*
 * What code may do to the machine that runs it: sections of a worker, in which it
 * cannot be preempted, stay short whatever the instructions are; a CPU forgets one
 * process before it runs another's code; misaligned atomics are violations.
 */
#include <stdio.h>

#include "queue_test.h"

#define ERR_APERTURE	0x20000000
#define STATS		"/sys/kernel/debug/kfd/0/stats"
#define CPU_CLOCK	"/sys/kernel/debug/kfd/0/section_cpu_clock"

/*
 * 100 us are aimed at, and a section ends at the first look at the clock after
 * twice that. It is CPU time, but the kernel's checkers and its interrupts count.
 */
#define SECTION_NS	1000000ll
#define OWNERS		10ll	/* so often at least two processes change */

static long long stat_of(const char *name)
{
	long long v = -1, n;
	char key[64];
	FILE *f = fopen(STATS, "r");

	ASSERT_NE(NULL, (void *)f);
	while (fscanf(f, "%63s %lld", key, &n) == 2)
		if (!strcmp(key, name))
			v = n;
	fclose(f);
	return v;
}

static bool put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	bool ok = f && fputs(text, f) >= 0;

	return f && !fclose(f) && ok;
}

/* The last ones are not everywhere: matrix operations, atomics of doubles. */
static const char *const dear[] = {
	"division", "load", "store", "contended_int", "formatted", "indexed", "recorded",
	"matrix", "contended",
};
static const long dear_since[sizeof(dear) / sizeof(dear[0])] = { [7] = 90008, [8] = 90010 };

/* User Mode Linux knows CPU time; elsewhere the host's other work would count. */
static bool has_cpu_clock(void)
{
	return !access("/proc/exitcode", F_OK);
}

/* The longest section while kernel @name ran, in ns; below 0 if it went wrong. */
static long long longest_section(struct rig *r, struct rig_queue *q, u32 *words, const char *name)
{
	struct rig_signal *s;
	long long ns;

	if (!put(CPU_CLOCK, "1"))
		return -1;
	words[0] = 0;
	memset(words + 64, 0, 62 * RIG_PAGE);
	s = start(r, q, name, (uintptr_t)words, (uintptr_t)(words + 1024), 8, 64);
	usleep(100000 * th_slow());
	EXPECT_EQ(1ll, (long long)s->value);
	__atomic_store_n(words, 1, __ATOMIC_SEQ_CST);
	EXPECT_TRUE(rig_wait(s, 0, RIG_LONG));
	ns = stat_of("section_max_cpu_ns");
	return put(CPU_CLOCK, "0") ? ns : -1;
}

/*
 * An interrupt of the guest's kernel that comes within a section takes CPU time of it.
 * So a kernel has three tries: one whose instructions are too dear fails all of them.
 */
TEST_F(gpu, sections_stay_short)
{
	unsigned int i, try;

	if (access(CPU_CLOCK, W_OK))
		SKIP(return, "no debugfs");
	if (waves_in_user_mode())
		SKIP(return, "waves in user mode are preempted as any program");
	for (i = 0; i < sizeof(dear) / sizeof(dear[0]); i++) {
		long version = rig_property(self->r.gpu_id, "gfx_target_version");
		struct rig_kernel k;
		char name[64];
		long long ns = 0;

		if (version < dear_since[i])
			break;
		snprintf(name, sizeof(name), "dear_%s", dear[i]);
		/* gfx10 and gfx11 do some of it otherwise, or not at all. */
		if (version >= 100000 && rig_kernel(&self->r, name, &k))
			continue;
		for (try = 0; try < 3; try++) {
			ns = longest_section(&self->r, &self->q, self->words, name);
			TH_LOG("%s: %lld us at most", dear[i], ns / 1000);
			if (ns < SECTION_NS || !has_cpu_clock())
				break;
		}
		EXPECT_LT(0ll, ns);
		if (has_cpu_clock())
			EXPECT_LT(ns, SECTION_NS);
	}
}

/* Two processes whose waves all of the workers run in turns. */
TEST_F(gpu, a_cpu_changes_owners)
{
	struct rig_signal *s;
	long long before, alone, both;
	u64 end;
	int status;
	pid_t pid;

	if (access(STATS, R_OK))
		SKIP(return, "no debugfs");
	if (waves_in_user_mode())
		SKIP(return, "waves in user mode are a process, and what a CPU forgets the kernel knows");
	s = start(&self->r, &self->q, "spin", (uintptr_t)self->words,
		  (uintptr_t)(self->words + 64), 8, 64);
	ASSERT_TRUE(rig_wait32(self->words + 64, 1000, RIG_LONG));
	before = stat_of("owner_changes");
	usleep(200000 * th_slow());
	alone = stat_of("owner_changes") - before;
	before = stat_of("owner_changes");
	end = rig_ms() + NEVER_MS;
	pid = fork();
	if (!pid) {
		struct rig r;
		struct rig_queue q;
		struct rig_mem m;
		u32 *words;

		if (rig_open(&r) || rig_load(&r) || rig_queue_create(&r, RIG_RING, &q) ||
		    rig_anon(&r, RIG_PAGE, &m))
			_exit(1);
		words = m.p;
		s = start(&r, &q, "spin", (uintptr_t)words, (uintptr_t)(words + 64), 8, 64);
		while (stat_of("owner_changes") - before <= OWNERS && rig_ms() < end)
			usleep(10000);
		__atomic_store_n(words, 1, __ATOMIC_SEQ_CST);
		_exit(!rig_wait(s, 0, RIG_LONG));
	}
	ASSERT_LT(0, pid);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	both = stat_of("owner_changes") - before;
	__atomic_store_n(self->words, 1, __ATOMIC_SEQ_CST);
	EXPECT_TRUE(rig_wait(s, 0, RIG_LONG));
	TH_LOG("%lld alone, %lld with another; %lld barriers", alone, both,
	       stat_of("predictor_barriers"));
	EXPECT_GE(3ll, alone);
	EXPECT_LT(OWNERS, both);
}

/* The base of scratch is the code's: it can move every address by a byte. */
TEST_F(gpu, misaligned_atomics_are_violations)
{
	struct rig_queue q;
	static const char *const kernels[] = {
		"misaligned_scratch", "misaligned_buffer", "misaligned_flat",
	};
	unsigned int i;

	for (i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		struct rig_signal *s;
		struct rig_kernel k;

		if (rig_kernel(&self->r, kernels[i], &k))
			continue;	/* its target has no such thing */
		ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &q), 0);
		memset(self->words, 0, RIG_PAGE);
		s = start(&self->r, &q, kernels[i], (uintptr_t)self->words, 0, 1, 64);
		EXPECT_TRUE(rig_wait(q.inactive, ERR_APERTURE, RIG_LONG));
		TH_LOG("%s: queue error 0x%llx", kernels[i],
		       (unsigned long long)q.inactive->value);
		EXPECT_EQ(1ll, (long long)s->value);
		EXPECT_EQ(0u, self->words[0]);
		EXPECT_EQ(rig_queue_destroy(&self->r, &q), 0);
	}
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
	EXPECT_TRUE(other_process_works());
}

TEST_HARNESS_MAIN
