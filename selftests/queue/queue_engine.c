// SPDX-License-Identifier: MIT
/*
 * Waves in user mode (engine=user): who runs them, as whom, and what it costs whom if that process
 * is not there, ends, is stopped, or talks nonsense.
 *
 * Started under one of the names below, this program is the engine process that does so.
 */
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <vkfd/engine.h>

#include "engine_util.h"

#define REFUSED	"/tmp/vkfd-refused"	/* what had to be refused was */

/* ------------------------------------------------------- engines that are bad */

static void hello(struct vkfd_engine_hello *h)
{
	*h = (struct vkfd_engine_hello){ .version = VKFD_ENGINE_VERSION };
	if (ioctl(VKFD_ENGINE_FD, VKFD_ENGINE_HELLO, h))
		_exit(1);
}

static struct vkfd_engine_section *section(const struct vkfd_engine_hello *h)
{
	return mmap(NULL, h->section_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, VKFD_ENGINE_FD,
		    (off_t)VKFD_ENGINE_SECTIONS);
}

/* Comes back with waves that nobody can have made of those it got. */
static void nonsense(unsigned int kind)
{
	struct vkfd_engine_section *s;
	struct vkfd_engine_hello h;
	unsigned int i;

	hello(&h);
	s = section(&h);
	for (;;) {
		if (ioctl(VKFD_ENGINE_FD, VKFD_ENGINE_RUN, 0))
			_exit(2);
		for (i = 0; kind == 0 && i < sizeof(*s); i++)
			((u8 *)s)[i] = 0xa5;
		if (kind == 1) {
			s->how = VKFD_ENGINE_STOP;
			s->why = 5;	/* a miss */
			s->access = 0;
		}
		if (kind == 2)
			memset(s->state, 77, sizeof(s->state));
		if (kind == 3) {
			s->how = VKFD_ENGINE_STOP;
			s->next = 31;
			s->why = 7;
		}
		if (kind == 4) {
			memset(s->state, VKFD_ENGINE_ENDED, sizeof(s->state));
			s->how = VKFD_ENGINE_DONE;
			s->torn = 1;
		}
		if (kind == 5)
			s->begun = s->ahead + s->fresh + 1;
		if (kind == 6) {
			s->here = 0;
			s->how = VKFD_ENGINE_STOP;
			s->why = 5;
			s->access = 1;
		}
	}
}

/* Runs nothing, and says that it has: all groups that it was given, or half of them, or one */
static void liar(void)
{
	struct vkfd_engine_section *s;
	struct vkfd_engine_hello h;
	unsigned int n = 0, all;

	hello(&h);
	s = section(&h);
	for (;;) {
		if (ioctl(VKFD_ENGINE_FD, VKFD_ENGINE_RUN, 0))
			_exit(2);
		if (!s->nwaves)
			continue;
		all = s->ahead + s->fresh;
		s->begun = all >> n++ % 3;
		s->here = 0;
		s->how = VKFD_ENGINE_BUDGET;
		s->insns = s->cost = 100;
	}
}

static u64 next_random(u64 *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* Comes back with what it got, changed at random: the head, waves' state, registers, LDS. */
static void fuzzer(u64 x)
{
	struct vkfd_engine_section *s;
	struct vkfd_engine_hello h;
	unsigned int i, n;
	u64 at;

	x = x * 0x9e3779b97f4a7c15ull + 1;
	hello(&h);
	s = section(&h);
	for (;;) {
		if (ioctl(VKFD_ENGINE_FD, VKFD_ENGINE_RUN, 0))
			_exit(2);
		n = next_random(&x) % 64;
		for (i = 0; i < n; i++) {
			at = next_random(&x) % (i % 2 ? h.section_bytes : 16 * sizeof(*s));
			((u8 *)s)[at] = next_random(&x);
		}
		s->how = next_random(&x) % 32 ? next_random(&x) % 4 : s->how;
		s->next = next_random(&x) % 16 ? 0 : next_random(&x) % 33;
		s->why = next_random(&x) % 16;
		s->access = 1u << next_random(&x) % 4;
		s->here = next_random(&x) % 4 ? s->here : next_random(&x) % 2;
		at = (s->ahead + s->fresh) % 10000 + !(next_random(&x) % 16);
		s->begun = next_random(&x) % (at + 1);
		for (i = 0; i < VKFD_ENGINE_WAVES; i++)
			s->state[i] = next_random(&x) % 16 ? next_random(&x) % 3 : s->state[i];
	}
}

/* Takes all the memory that there is, and does not come back. */
static void glutton(void)
{
	struct vkfd_engine_hello h;
	char *p;

	hello(&h);
	if (ioctl(VKFD_ENGINE_FD, VKFD_ENGINE_RUN, 0))
		_exit(2);
	for (;;) {
		p = malloc(1 << 20);
		if (p)
			memset(p, 1, 1 << 20);
	}
}

/* Takes waves and never gives them back, at no cost of processor time or at all it can get. */
static void keeper(bool burn)
{
	struct vkfd_engine_hello h;

	hello(&h);
	if (ioctl(VKFD_ENGINE_FD, VKFD_ENGINE_RUN, 0))
		_exit(2);
	while (burn)
		;
	raise(SIGSTOP);
	_exit(3);
}

/* Gives everything back as it was, until it has had groups of one wave: one of two it keeps. */
static void hoarder(void)
{
	struct vkfd_engine_section *s;
	struct vkfd_engine_hello h;
	bool one = false;

	hello(&h);
	s = section(&h);
	for (;;) {
		if (ioctl(VKFD_ENGINE_FD, VKFD_ENGINE_RUN, 0))
			_exit(2);
		while (one && s->nwaves == 2)
			pause();
		one |= s->nwaves == 1;
		s->how = VKFD_ENGINE_BUDGET;
		s->cost = 100;
		s->insns = 100;
	}
}

/* One thread as two: it takes waves as the first one and asks for more as the second. */
static void twofold(void)
{
	struct vkfd_engine_hello h;

	hello(&h);
	section(&h);
	if (ioctl(VKFD_ENGINE_FD, VKFD_ENGINE_RUN, 0))
		_exit(2);
	if (h.threads > 1 && (!ioctl(VKFD_ENGINE_FD, VKFD_ENGINE_RUN, 1) || errno != EPERM))
		_exit(4);
	close(open(REFUSED, O_WRONLY | O_CREAT, 0600));
	_exit(5);
}

/* Lets another process have its memory and its file, and ends if that could map anything. */
static void lender(void)
{
	volatile bool refused = false;
	struct vkfd_engine_hello h;
	pid_t pid;

	hello(&h);
	pid = vfork();
	if (!pid) {
		refused = section(&h) == MAP_FAILED && errno == EPERM;
		_exit(0);
	}
	if (pid < 0 || !refused || section(&h) == MAP_FAILED)
		_exit(4);
	close(open(REFUSED, O_WRONLY | O_CREAT, 0600));
	ioctl(VKFD_ENGINE_FD, VKFD_ENGINE_RUN, 0);
	_exit(5);
}

/* Calls of all kinds with arguments of all kinds. Every one must be refused, or do no harm. */
static void babbler(void)
{
	struct vkfd_engine_hello h;
	struct vkfd_engine_touch t;
	u64 x = 88172645463325252ull;
	unsigned int i;

	if (!ioctl(VKFD_ENGINE_FD, VKFD_ENGINE_RUN, 0))
		_exit(4);
	hello(&h);
	section(&h);
	for (i = 0; i < 3000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		t = (struct vkfd_engine_touch){ x, (u32)(x >> 20), x >> 60 };
		ioctl(VKFD_ENGINE_FD, VKFD_ENGINE_TOUCH, &t);
		ioctl(VKFD_ENGINE_FD, VKFD_ENGINE_HELLO, &h);
		ioctl(VKFD_ENGINE_FD, (unsigned long)x, x);
		ioctl(VKFD_ENGINE_FD, VKFD_ENGINE_RUN, x | 1ull << 40);
		mmap(NULL, (x & 0xffff000) + 4096, x & 7, x & 1 ? MAP_SHARED : MAP_PRIVATE,
		     VKFD_ENGINE_FD, (off_t)(x >> (x & 15) & ~4095ull));
	}
	_exit(5);
}

static void be_bad(const char *name)
{
	if (!strncmp(name, "nonsense", 8))
		nonsense(name[8] - '0');
	else if (!strcmp(name, "sleeper"))
		keeper(false);
	else if (!strcmp(name, "burner"))
		keeper(true);
	else if (!strcmp(name, "hoarder"))
		hoarder();
	else if (!strcmp(name, "babbler"))
		babbler();
	else if (!strncmp(name, "fuzzer", 6))
		fuzzer(atoi(name + 6));
	else if (!strcmp(name, "liar"))
		liar();
	else if (!strcmp(name, "lender"))
		lender();
	else if (!strcmp(name, "twofold"))
		twofold();
	else if (!strcmp(name, "glutton"))
		glutton();
	else if (!strcmp(name, "stranger")) {
		struct vkfd_engine_hello h = { .version = VKFD_ENGINE_VERSION + 1 };

		_exit(ioctl(VKFD_ENGINE_FD, VKFD_ENGINE_HELLO, &h) ? 1 : 6);
	}
	_exit(7);
}

__attribute__((constructor)) static void maybe_bad(int argc, char **argv)
{
	const char *name = argc ? strrchr(argv[0], '/') : NULL;

	if (name && !strncmp(name, "/vkfd-", 6))
		be_bad(name + 6);
}

/* ------------------------------------------------------------------------ tests */

FIXTURE(engine) {
	struct rig r;
	struct rig_queue q;
	struct rig_mem data;
	u32 *words;
	u32 event;
	char mode[16], program[PATH_MAX];	/* to be put back */
};

FIXTURE_SETUP(engine)
{
	u32 slot;

	get_param("engine", self->mode, sizeof(self->mode));
	get_param("engine_program", self->program, sizeof(self->program));

	if (getuid())
		SKIP(return, "needs root");
	ASSERT_EQ(rig_open(&self->r), 0);
	ASSERT_EQ(rig_load(&self->r), 0);
	ASSERT_EQ(rig_anon(&self->r, 64 * RIG_PAGE, &self->data), 0);
	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_HW_EXCEPTION, &self->event, &slot), 0);
	self->words = self->data.p;
}

FIXTURE_TEARDOWN(engine)
{
	use_engine(self->mode, self->program);
	rig_close(&self->r);
}

static int open_queue(FIXTURE_DATA(engine) *self)
{
	return rig_queue_create(&self->r, RIG_RING, &self->q);
}

TEST_F(engine, user_runs_waves_in_a_process_of_the_client)
{
	pid_t pid;

	ASSERT_EQ(use_real_engine("user"), 0);
	ASSERT_EQ(open_queue(self), 0);
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
	pid = engine_pid();
	ASSERT_NE(pid, 0);
	/* -1: this kernel has none */
	if (status_of(getpid(), "Seccomp", 10) >= 0)
		EXPECT_EQ(status_of(pid, "Seccomp", 10), 2);
	EXPECT_EQ(status_of(pid, "NoNewPrivs", 10), 1);
	EXPECT_EQ(status_of(pid, "CapEff", 16), 0);
	EXPECT_EQ(status_of(pid, "CapBnd", 16), 0);
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
	EXPECT_TRUE(gone(pid));
}

TEST_F(engine, user_is_the_client)
{
	pid_t pid, child;
	int status, go[2];
	char c;

	ASSERT_EQ(use_real_engine("user"), 0);
	ASSERT_EQ(pipe(go), 0);
	child = fork();
	if (!child) {
		struct rig_queue q;
		struct rig_mem m;
		struct rig r;

		/* The device nodes are root's, so they are open before. */
		if (rig_open(&r) || setgid(4321) || setuid(1234) || rig_load(&r) ||
		    rig_queue_create(&r, RIG_RING, &q) || rig_anon(&r, RIG_PAGE, &m))
			_exit(1);
		if (!queue_works(&r, &q, m.p) || write(go[1], "x", 1) != 1)
			_exit(2);
		pause();
	}
	close(go[1]);
	ASSERT_EQ(read(go[0], &c, 1), 1);
	pid = engine_pid();
	ASSERT_NE(pid, 0);
	EXPECT_EQ(status_of(pid, "Uid", 10), 1234);
	EXPECT_EQ(status_of(pid, "Gid", 10), 4321);
	kill(child, SIGKILL);
	ASSERT_EQ(waitpid(child, &status, 0), child);
	EXPECT_TRUE(gone(pid));
}

TEST_F(engine, without_the_program_user_fails_and_auto_takes_the_kernel)
{
	ASSERT_EQ(use_engine("user", "/nowhere/vkfd-engine"), 0);
	EXPECT_NE(open_queue(self), 0);
	ASSERT_EQ(use_engine("auto", "/nowhere/vkfd-engine"), 0);
	ASSERT_EQ(open_queue(self), 0);
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
}

TEST_F(engine, a_program_that_ends_at_once)
{
	ASSERT_EQ(use_engine("user", "/bin/true"), 0);
	EXPECT_NE(open_queue(self), 0);
	ASSERT_EQ(use_bad_engine("user", "stranger"), 0);
	EXPECT_NE(open_queue(self), 0);
	/* A client could have brought that about, and then have its code run in the kernel. */
	ASSERT_EQ(use_engine("auto", "/bin/true"), 0);
	EXPECT_NE(open_queue(self), 0);
}

TEST_F(engine, auto_takes_the_kernel_for_a_program_of_another_version)
{
	ASSERT_EQ(use_bad_engine("auto", "stranger"), 0);
	ASSERT_EQ(open_queue(self), 0);
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
}

/* The process is told that its GPU has lost its work; others and a new queue notice nothing. */
static void lost(FIXTURE_DATA(engine) *self)
{
	struct kfd_event_data d;

	EXPECT_EQ(rig_event_wait(&self->r, self->event, NEVER_MS, &d), 0);
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
	ASSERT_EQ(use_real_engine("user"), 0);
	ASSERT_EQ(open_queue(self), 0);
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
	EXPECT_TRUE(other_process_works());
}

/* A kernel that does not end, in the real engine */
static pid_t start_spinning(FIXTURE_DATA(engine) *self)
{
	start(&self->r, &self->q, "spin", (uintptr_t)&self->words[0],
	      (uintptr_t)&self->words[64], 4, 64);
	return rig_wait32(&self->words[64], 1, RIG_LONG) ? engine_pid() : 0;
}

TEST_F(engine, killed)
{
	pid_t pid;

	ASSERT_EQ(use_real_engine("user"), 0);
	ASSERT_EQ(open_queue(self), 0);
	pid = start_spinning(self);
	ASSERT_NE(pid, 0);
	ASSERT_EQ(kill(pid, SIGKILL), 0);
	lost(self);
}

TEST_F(engine, stopped)
{
	pid_t pid;

	ASSERT_EQ(use_real_engine("user"), 0);
	ASSERT_EQ(open_queue(self), 0);
	pid = start_spinning(self);
	ASSERT_NE(pid, 0);
	ASSERT_EQ(kill(pid, SIGSTOP), 0);
	lost(self);
}

/* The debugger of a process is root; its threads do not come back meanwhile. */
static void trace_all(pid_t pid, int ready)
{
	char path[64];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	while (d && (e = readdir(d)))
		if (atoi(e->d_name) && (ptrace(PTRACE_SEIZE, atoi(e->d_name), 0, 0) ||
					ptrace(PTRACE_INTERRUPT, atoi(e->d_name), 0, 0)))
			_exit(1);
	if (!d || write(ready, "x", 1) != 1)
		_exit(2);
	pause();
	_exit(3);
}

TEST_F(engine, traced)
{
	pid_t pid, tracer;
	int ready[2];
	char c;

	ASSERT_EQ(use_real_engine("user"), 0);
	ASSERT_EQ(open_queue(self), 0);
	pid = start_spinning(self);
	ASSERT_NE(pid, 0);
	ASSERT_EQ(pipe(ready), 0);
	tracer = fork();
	if (!tracer)
		trace_all(pid, ready[1]);
	close(ready[1]);
	EXPECT_EQ(read(ready[0], &c, 1), 1);
	lost(self);
	kill(tracer, SIGKILL);
	EXPECT_EQ(waitpid(tracer, NULL, 0), tracer);
}

/* Kills the engine process that there will be, @us after it has come up. */
static pid_t start_killer(unsigned int us)
{
	u64 end = rig_ms() + RIG_LONG;
	pid_t killer = fork(), pid = 0;

	if (killer)
		return killer;
	while (!pid && rig_ms() < end)
		pid = engine_pid();
	usleep(us);
	_exit(!pid || (kill(pid, SIGKILL) && errno != ESRCH));
}

/* It is through, or its client hears of it. */
static bool ends(FIXTURE_DATA(engine) *self, const struct rig_signal *s)
{
	u64 end = rig_ms() + NEVER_MS;

	while (rig_ms() < end)
		if (!__atomic_load_n(&s->value, __ATOMIC_ACQUIRE) ||
		    !rig_event_wait(&self->r, self->event, 20, NULL))
			return true;
	return false;
}

TEST_F(engine, killed_at_any_moment)
{
	unsigned int i;
	int status;
	pid_t pid;

	ASSERT_EQ(use_real_engine("user"), 0);
	for (i = 0; i < 12; i++) {
		pid = start_killer(i * i * 200);
		if (!open_queue(self)) {
			EXPECT_TRUE(ends(self, start_add(&self->r, &self->q, self->words, 1, 64)));
			EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
		}
		/* It may have found none, if that came and went too fast for it. */
		kill(pid, SIGKILL);
		ASSERT_EQ(waitpid(pid, &status, 0), pid);
	}
	ASSERT_EQ(open_queue(self), 0);
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
	EXPECT_TRUE(other_process_works());
}

TEST_F(engine, queue_is_destroyed_while_it_spins)
{
	ASSERT_EQ(use_real_engine("user"), 0);
	ASSERT_EQ(open_queue(self), 0);
	ASSERT_NE(start_spinning(self), 0);
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
	ASSERT_EQ(open_queue(self), 0);
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
}

static void bad(FIXTURE_DATA(engine) *self, const char *name)
{
	ASSERT_EQ(use_bad_engine("user", name), 0);
	ASSERT_EQ(open_queue(self), 0);
	start_add(&self->r, &self->q, self->words, 3, 4);
	lost(self);
}

TEST_F(engine, a_thread_is_one_worker)
{
	unlink(REFUSED);
	bad(self, "twofold");
	EXPECT_EQ(unlink(REFUSED), 0);
}

TEST_F(engine, who_was_given_its_file_maps_nothing)
{
	unlink(REFUSED);
	bad(self, "lender");
	EXPECT_EQ(unlink(REFUSED), 0);
}

TEST_F(engine, nonsense_all_over)
{
	bad(self, "nonsense0");
}

TEST_F(engine, nonsense_fault_without_access)
{
	bad(self, "nonsense1");
}

TEST_F(engine, nonsense_states)
{
	bad(self, "nonsense2");
}

TEST_F(engine, nonsense_wave_that_is_not)
{
	bad(self, "nonsense3");
}

TEST_F(engine, nonsense_waves_that_ended_within_an_instruction)
{
	bad(self, "nonsense4");
}

TEST_F(engine, nonsense_groups_that_it_was_not_given)
{
	bad(self, "nonsense5");
}

TEST_F(engine, nonsense_stop_of_a_wave_that_has_ended)
{
	bad(self, "nonsense6");
}

/*
 * Whatever it says of groups, they are all accounted for: says that it has run all that it was
 * given, then half, then a quarter. The dispatch ends, as far as anybody can tell.
 */
TEST_F(engine, liar)
{
	struct rig_signal *s;
	u32 i;

	ASSERT_EQ(use_bad_engine("user", "liar"), 0);
	ASSERT_EQ(open_queue(self), 0);
	for (i = 0; i < 3; i++) {
		s = start_add(&self->r, &self->q, self->words, 1, 1000 + i);
		EXPECT_TRUE(rig_wait(s, 0, RIG_LONG));
	}
	EXPECT_EQ(rig_event_wait(&self->r, self->event, 0, NULL), -ETIME);
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
}

/* Whatever it says, its client's queue goes when it is told to, and nobody else notices. */
TEST_F(engine, fuzzed)
{
	char name[16];
	unsigned int i;

	for (i = 0; i < 8; i++) {
		snprintf(name, sizeof(name), "fuzzer%u", i);
		ASSERT_EQ(use_bad_engine("user", name), 0);
		ASSERT_EQ(open_queue(self), 0);
		start_add(&self->r, &self->q, self->words, 3, 64);
		rig_event_wait(&self->r, self->event, 200, NULL);
		EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
	}
	ASSERT_EQ(use_real_engine("user"), 0);
	ASSERT_EQ(open_queue(self), 0);
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
	EXPECT_TRUE(other_process_works());
}

TEST_F(engine, keeps_waves_and_sleeps)
{
	bad(self, "sleeper");
}

TEST_F(engine, keeps_waves_and_burns)
{
	bad(self, "burner");
}

/* A queue whose groups its engine does not have ends, even if the thread is out with another's. */
TEST_F(engine, keeps_waves_of_another_queue)
{
	struct rig_queue two;
	u64 begin;

	ASSERT_EQ(use_bad_engine("user", "hoarder"), 0);
	ASSERT_EQ(open_queue(self), 0);
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &two), 0);
	start(&self->r, &self->q, "spin", (uintptr_t)&self->words[0], (uintptr_t)&self->words[64],
	      4, 64);
	start(&self->r, &two, "spin", (uintptr_t)&self->words[0], (uintptr_t)&self->words[64],
	      4, 128);
	usleep(1500000);
	begin = rig_ms();
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
	EXPECT_EQ(rig_queue_destroy(&self->r, &two), 0);
	EXPECT_LT(rig_ms() - begin, 60000 * th_slow());
	ASSERT_EQ(use_real_engine("user"), 0);
	ASSERT_EQ(open_queue(self), 0);
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
	EXPECT_TRUE(other_process_works());
}

TEST_F(engine, babbles)
{
	bad(self, "babbler");
}

TEST_HARNESS_MAIN
