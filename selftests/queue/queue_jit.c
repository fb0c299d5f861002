// SPDX-License-Identifier: MIT
/*
 * Code that an engine process runs compiled (engine=user, engine_jit): results are those of the
 * kernel's interpreter, waves are stopped, faulted and killed within it, and a compiler that makes
 * wrong code costs its client the queue, and nobody else anything.
 *
 * Started as vkfd-jit, beside an engine, this program is such a compiler.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "../kfd/file_util.h"
#include "engine_util.h"
#include "isa_int.h"
#include "jit_remote.h"

#define STATS	"/sys/kernel/debug/kfd/0/stats"
#define SLEEP	"/sys/kernel/debug/kfd/0/suspend"
#define BAD	"/tmp/vkfd-bad-"

/* ----------------------------------------------------- compilers that are bad */

static const struct {
	const char *name;
	u8 code[16];
} bad_code[] = {
	{ "undefined", { 0x0f, 0x0b } },		/* ud2 */
	{ "endless", { 0xeb, 0xfe } },			/* jmp to itself */
	{ "wild", { 0x31, 0xc0, 0xff, 0xe0 } },		/* xor eax, eax; jmp rax */
	{ "data", { 0xff, 0xe7 } },			/* jmp rdi: into the wave */
	/* mov qword [rsi + 8], 1; xor eax, eax; ret: "one instruction is done" */
	{ "wrong", { 0x48, 0xc7, 0x46, 0x08, 1, 0, 0, 0, 0x31, 0xc0, 0xc3 } },
	{ "nowhere", { 0 } },				/* see below */
};

static void be_compiler(const char *kind)
{
	const struct timespec ms = { .tv_nsec = 1000000 };
	struct jit_shared *s;
	unsigned int i, n;
	u8 *code;

	s = mmap(NULL, JIT_SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, 3, 0);
	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 3, (off_t)JIT_SHARED_BYTES);
	for (i = 0; i < sizeof(bad_code) / sizeof(*bad_code); i++)
		if (!strncmp(kind, bad_code[i].name, strlen(bad_code[i].name)))
			break;
	if (s == MAP_FAILED || code == MAP_FAILED || i == sizeof(bad_code) / sizeof(*bad_code))
		_exit(1);
	memcpy(code, bad_code[i].code, sizeof(bad_code[i].code));
	for (;; nanosleep(&ms, NULL))
		for (n = 0; n < JIT_REQUESTS; n++) {
			struct jit_request *q = &s->req[n];

			if (__atomic_load_n(&q->state, __ATOMIC_ACQUIRE) != JIT_REQUEST_MADE)
				continue;
			q->at = strcmp(bad_code[i].name, "nowhere") ? 0 : ~0ull;
			__atomic_store_n(&q->state, JIT_REQUEST_DONE, __ATOMIC_RELEASE);
		}
}

__attribute__((constructor)) static void maybe_compiler(int argc, char **argv)
{
	if (argc && !strncmp(argv[0], BAD, strlen(BAD)))
		be_compiler(argv[0] + strlen(BAD));
}

/* The real engine, with @kind of them beside it */
static int use_bad_compiler(const char *kind)
{
	char dir[64], link[96], to[PATH_MAX];

	snprintf(dir, sizeof(dir), BAD "%s", kind);
	mkdir(dir, 0755);
	snprintf(link, sizeof(link), "%s/vkfd-jit", dir);
	beside(to, "queue_jit");
	unlink(link);
	if (symlink(to, link))
		return -errno;
	snprintf(link, sizeof(link), "%s/vkfd-engine", dir);
	beside(to, "../../engine/vkfd-engine");
	unlink(link);
	if (symlink(to, link))
		return -errno;
	return use_engine("user", link);
}

/* ------------------------------------------------------------------------ tests */

FIXTURE(jit) {
	struct rig r;
	struct rig_queue q;
	struct rig_mem data;
	u32 *words;
	u32 lost;
	char mode[16], program[PATH_MAX], jit[16];	/* to be put back */
};

/* Does the program start here? It ends at once without the memory that it shares. */
static bool compiler_starts(void)
{
	char path[PATH_MAX];
	int status;
	pid_t pid;

	beside(path, "../../engine/vkfd-jit");
	if (access(path, X_OK))
		return false;
	pid = fork();
	if (!pid) {
		close(3);
		dup2(open("/dev/null", O_WRONLY), 2);
		execl(path, path, NULL);
		_exit(127);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 1;
}

FIXTURE_SETUP(jit)
{
	u32 slot;

	get_param("engine", self->mode, sizeof(self->mode));
	get_param("engine_program", self->program, sizeof(self->program));
	get_param("engine_jit", self->jit, sizeof(self->jit));
	if (getuid())
		SKIP(return, "needs root");
	if (file_value(STATS, "vector_bits") < 256)
		SKIP(return, "code is compiled for AVX2 and AVX-512 only, or there is no debugfs");
	ASSERT_EQ(rig_open(&self->r), 0);
	ASSERT_EQ(rig_load(&self->r), 0);
	ASSERT_EQ(rig_anon(&self->r, 64 * RIG_PAGE, &self->data), 0);
	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_HW_EXCEPTION, &self->lost, &slot), 0);
	self->words = self->data.p;
}

FIXTURE_TEARDOWN(jit)
{
	set_param("engine_jit", self->jit);
	use_engine(self->mode, self->program);
	rig_close(&self->r);
}

static void open_engine(FIXTURE_DATA(jit) *self, const char *jit)
{
	ASSERT_EQ(set_param("engine_jit", jit), 0);
	ASSERT_EQ(use_real_engine("user"), 0);
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &self->q), 0);
}

#define CHURN_GROUPS	3u
#define CHURN_WORDS	(CHURN_GROUPS * 256)

static struct rig_signal *start_churn(FIXTURE_DATA(jit) *self, u32 rounds)
{
	u32 i;

	for (i = 0; i < CHURN_WORDS; i++)
		self->words[i] = i * 0x9e3779b9u;
	return start(&self->r, &self->q, "churn", (uintptr_t)self->words, rounds, CHURN_GROUPS,
		     256);
}

static bool churn(FIXTURE_DATA(jit) *self, u32 rounds)
{
	return rig_wait(start_churn(self, rounds), 0, NEVER_MS);
}

/* What the kernel's interpreter makes of it */
static void churn_right(FIXTURE_DATA(jit) *self, u32 rounds, u32 *want)
{
	ASSERT_EQ(set_param("engine", "kernel"), 0);
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &self->q), 0);
	ASSERT_TRUE(churn(self, rounds));
	memcpy(want, self->words, CHURN_WORDS * 4);
	ASSERT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
}

static u32 differing(FIXTURE_DATA(jit) *self, const u32 *want)
{
	u32 i, n = 0;

	for (i = 0; i < CHURN_WORDS; i++)
		n += self->words[i] != want[i];
	return n;
}

/* Again and again until most of a run is compiled, and always right. */
static void churn_until_compiled(FIXTURE_DATA(jit) *self, u32 rounds, const u32 *want)
{
	u64 end = rig_ms() + NEVER_MS;
	long long all, compiled = 0;
	u32 n = 0;

	do {
		all = file_value(STATS, "engine_instructions");
		compiled = file_value(STATS, "engine_compiled");
		ASSERT_TRUE(churn(self, rounds));
		ASSERT_EQ(differing(self, want), 0u);
		all = file_value(STATS, "engine_instructions") - all;
		compiled = file_value(STATS, "engine_compiled") - compiled;
		n++;
	} while (compiled * 2 < all && rig_ms() < end);
	/* How much of it, is for the machine to say: it may be busy. */
	EXPECT_LT(0, compiled);
	printf("# %u runs; of the last one's %lld instructions %lld compiled\n", n, all, compiled);
}

/* Waits until waves run compiled code; @alive: what they count in. */
static void wait_compiled(const volatile u32 *alive)
{
	u64 end = rig_ms() + NEVER_MS;
	long long was = file_value(STATS, "engine_compiled");

	ASSERT_TRUE(rig_wait32(alive, 1, NEVER_MS));
	while (file_value(STATS, "engine_compiled") == was && rig_ms() < end)
		usleep(10000);
	EXPECT_LT(was, file_value(STATS, "engine_compiled"));
}

TEST_F(jit, compiled_code_does_the_same)
{
	u32 want[CHURN_WORDS];

	if (!compiler_starts())
		SKIP(return, "no vkfd-jit, or no LLVM for it");
	churn_right(self, 40, want);
	open_engine(self, "always");
	churn_until_compiled(self, 40, want);
}

TEST_F(jit, check_finds_nothing)
{
	u32 want[CHURN_WORDS];

	if (!compiler_starts())
		SKIP(return, "no vkfd-jit, or no LLVM for it");
	churn_right(self, 40, want);
	open_engine(self, "check");
	churn_until_compiled(self, 40, want);
	EXPECT_EQ(rig_event_wait(&self->r, self->lost, 0, NULL), -ETIME);
}

#define KEPT	"/var/cache/vkfd-jit"

/* Bytes of the file of a user's compiled code, which nobody else may look at; 0: none */
static long long kept_bytes(uid_t uid)
{
	char pattern[64];
	struct stat st;
	long long bytes = 0;
	glob_t g;

	snprintf(pattern, sizeof(pattern), KEPT "/%u/*.units", uid);
	if (glob(pattern, 0, NULL, &g))
		return 0;
	if (g.gl_pathc == 1 && !stat(g.gl_pathv[0], &st) && st.st_uid == uid &&
	    (st.st_mode & 07777) == 0600)
		bytes = st.st_size;
	globfree(&g);
	return bytes;
}

/* In a process of @uid's: runs code until a unit of it is kept (the file's head has 1024 bytes) */
static bool runs_until_kept(FIXTURE_DATA(jit) *self, uid_t uid, const u32 *want)
{
	u64 end = rig_ms() + NEVER_MS;
	int status = 1;
	pid_t pid;

	pid = fork();
	if (pid)
		return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
	memset(self, 0, sizeof(*self));
	if (setresgid(uid, uid, uid) || setresuid(uid, uid, uid) || rig_open(&self->r) ||
	    rig_load(&self->r) || rig_anon(&self->r, 64 * RIG_PAGE, &self->data) ||
	    rig_queue_create(&self->r, RIG_RING, &self->q))
		_exit(2);
	self->words = self->data.p;
	while (kept_bytes(uid) <= 1024 && rig_ms() < end)
		if (!churn(self, 40) || differing(self, want))
			_exit(3);
	_exit(kept_bytes(uid) > 1024 ? 0 : 4);
}

/* Is there a process that is the compiler, and not only one that will be it? */
static bool compiler_is_loaded(void)
{
	char path[300], exe[PATH_MAX];
	DIR *d = opendir("/proc");
	bool found = false;
	struct dirent *e;
	const char *name;
	ssize_t n;

	while (d && !found && (e = readdir(d))) {
		snprintf(path, sizeof(path), "/proc/%s/exe", e->d_name);
		n = readlink(path, exe, sizeof(exe) - 1);
		exe[n > 0 ? n : 0] = '\0';
		name = strrchr(exe, '/');
		found = name && !strcmp(name, "/vkfd-jit");
	}
	if (d)
		closedir(d);
	return found;
}

#define LONG_ROUNDS	4000u

/*
 * A compiler takes longer for code than waves that are soon over, which is why it does not begin.
 * It is not even loaded, as that takes longer than a program of many small kernels.
 */
TEST_F(jit, what_is_soon_over_is_interpreted)
{
	u32 want[CHURN_WORDS], i;
	long long was;

	if (!compiler_starts())
		SKIP(return, "no vkfd-jit, or no LLVM for it");
	churn_right(self, LONG_ROUNDS, want);
	open_engine(self, "1");
	was = file_value(STATS, "engine_compiled");
	for (i = 0; i < 100; i++) {	/* long enough for a compiler to begin */
		ASSERT_TRUE(churn(self, 1));
		usleep(50000);
	}
	EXPECT_EQ(file_value(STATS, "engine_compiled"), was);
	EXPECT_FALSE(compiler_is_loaded());
	churn_until_compiled(self, LONG_ROUNDS, want);
	EXPECT_TRUE(compiler_is_loaded());
}

/* On disk, each user's in a directory of its own; and only where there is room for that */
TEST_F(jit, what_is_compiled_is_kept)
{
	static const uid_t uid[] = { 0, 65534 };
	u32 want[CHURN_WORDS], i;
	char path[64];
	struct stat st;

	if (!compiler_starts())
		SKIP(return, "no vkfd-jit, or no LLVM for it");
	if (mkdir(KEPT, 0755) && errno != EEXIST)
		SKIP(return, "nothing can be made below /var/cache");
	churn_right(self, 40, want);
	ASSERT_EQ(set_param("engine_jit", "always"), 0);
	ASSERT_EQ(use_real_engine("user"), 0);
	for (i = 0; i < 2; i++) {
		EXPECT_TRUE(runs_until_kept(self, uid[i], want));
		snprintf(path, sizeof(path), KEPT "/%u", uid[i]);
		ASSERT_EQ(stat(path, &st), 0);
		EXPECT_EQ(st.st_uid, uid[i]);
		EXPECT_EQ(st.st_mode & 07777, 0700u);
		/* And what was kept is right. */
		EXPECT_TRUE(runs_until_kept(self, uid[i], want));
	}
	/* A directory that others can write to is none of the engine's. */
	chmod(KEPT, 0777);
	snprintf(path, sizeof(path), "rm -rf " KEPT "/*");
	ASSERT_EQ(system(path), 0);
	open_engine(self, "always");
	churn_until_compiled(self, 40, want);
	EXPECT_EQ(rmdir(KEPT), 0);
}

static void tell_gpu(const char *what)
{
	int fd = open(SLEEP, O_WRONLY | O_CLOEXEC);

	ASSERT_LE(0, fd);
	EXPECT_EQ(write(fd, what, 1), 1);
	close(fd);
}

/* Off the GPU and back, wherever in compiled code that is */
TEST_F(jit, evicted)
{
	u32 want[CHURN_WORDS], some[CHURN_WORDS], i;
	struct rig_signal *s;

	if (!compiler_starts())
		SKIP(return, "no vkfd-jit, or no LLVM for it");
	churn_right(self, 40, some);
	churn_right(self, 1000, want);
	open_engine(self, "always");
	churn_until_compiled(self, 40, some);
	s = start_churn(self, 1000);
	for (i = 0; i < 16; i++) {
		tell_gpu("1");
		tell_gpu("0");
		usleep(5000);
	}
	EXPECT_TRUE(rig_wait(s, 0, NEVER_MS));
	EXPECT_EQ(differing(self, want), 0u);
}

TEST_F(jit, killed)
{
	volatile u32 *alive = &self->words[64];
	pid_t pid;

	if (!compiler_starts())
		SKIP(return, "no vkfd-jit, or no LLVM for it");
	open_engine(self, "always");
	start(&self->r, &self->q, "spin", (uintptr_t)self->words, (uintptr_t)alive, 4, 64);
	wait_compiled(alive);
	pid = engine_pid();
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
	EXPECT_TRUE(gone(pid));
	open_engine(self, "always");
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
}

/* The address of a fault within compiled code is right, and so is what was done before. */
TEST_F(jit, faults)
{
	volatile u64 *at = (volatile u64 *)&self->words[128];
	volatile u32 *alive = &self->words[64];
	struct kfd_event_data d;
	u32 event, slot;
	u64 wild;

	if (!compiler_starts())
		SKIP(return, "no vkfd-jit, or no LLVM for it");
	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_MEMORY, &event, &slot), 0);
	open_engine(self, "always");
	*at = (uintptr_t)&self->words[256];
	start(&self->r, &self->q, "follow", (uintptr_t)at, (uintptr_t)alive, 1, 64);
	wait_compiled(alive);
	/* A load may see the halves of what is written one after the other: they differ in one. */
	wild = (*at & ~0xffffffffull) | 0x7000;
	*at = wild;
	ASSERT_EQ(rig_event_wait(&self->r, event, NEVER_MS, &d), 0);
	EXPECT_EQ(d.memory_exception_data.va, wild);
	EXPECT_EQ(*alive % 64, 0u);
}

static void start_bad(FIXTURE_DATA(jit) *self, const char *kind, const char *jit)
{
	ASSERT_EQ(set_param("engine_jit", jit), 0);
	ASSERT_EQ(use_bad_compiler(kind), 0);
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &self->q), 0);
	start(&self->r, &self->q, "spin", (uintptr_t)self->words, (uintptr_t)&self->words[64], 4,
	      64);
}

static void others_work(FIXTURE_DATA(jit) *self)
{
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
	open_engine(self, "0");
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
	EXPECT_TRUE(other_process_works());
}

/* The client is told that its GPU has lost its work; a new queue and others notice nothing. */
static void bad(FIXTURE_DATA(jit) *self, const char *kind, const char *jit)
{
	start_bad(self, kind, jit);
	EXPECT_EQ(rig_event_wait(&self->r, self->lost, NEVER_MS, NULL), 0);
	others_work(self);
}

TEST_F(jit, an_undefined_instruction)
{
	bad(self, "undefined", "always");
}

TEST_F(jit, code_that_does_not_end)
{
	const volatile u32 *alive = &self->words[64];
	u64 end = rig_ms() + NEVER_MS;
	u32 was;

	start_bad(self, "endless", "always");
	/* Code may be hot before the first page is there, and then nothing is counted. */
	rig_wait32(alive, 1, 1000 * th_slow());
	do {
		was = *alive;
		usleep(200000);
	} while (*alive != was && rig_ms() < end);
	/* Who waits for the queue does not wait for ever, however little processor time there is. */
	others_work(self);
}

TEST_F(jit, a_jump_to_nothing)
{
	bad(self, "wild", "always");
}

TEST_F(jit, a_jump_into_data)
{
	bad(self, "data", "always");
}

/* Code that would lie behind what is shared is none: it is interpreted. */
TEST_F(jit, code_that_is_nowhere)
{
	u32 want[CHURN_WORDS], i;

	churn_right(self, 40, want);
	ASSERT_EQ(set_param("engine_jit", "always"), 0);
	ASSERT_EQ(use_bad_compiler("nowhere"), 0);
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &self->q), 0);
	for (i = 0; i < 8; i++) {
		ASSERT_TRUE(churn(self, 40));
		EXPECT_EQ(differing(self, want), 0u);
	}
}

/* Does the kernel's log have @what, from where @fd is on? */
static bool log_has(int fd, const char *what)
{
	char line[1024];
	ssize_t n;

	for (;;) {
		n = read(fd, line, sizeof(line) - 1);
		if (n <= 0 && errno != EPIPE)
			return false;
		line[n > 0 ? n : 0] = '\0';
		if (strstr(line, what))
			return true;
	}
}

/* Wrong results do not get out, and the log says whose code it was. */
TEST_F(jit, check_finds_wrong_code)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	ASSERT_LE(0, log);
	lseek(log, 0, SEEK_END);
	bad(self, "wrong", "check");
	EXPECT_TRUE(log_has(log, "differs from the interpreter's"));
	close(log);
}

TEST_HARNESS_MAIN
