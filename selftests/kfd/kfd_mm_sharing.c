// SPDX-License-Identifier: MIT
/*
 * Tasks that share a process's memory or its file without being threads of it:
 * CLONE_VM alone, vfork, what exec leaves behind, a file that is passed on. None of
 * them may use /dev/kfd in the opener's name, and the opener's end, which they
 * live to see, must leave nothing that they could reach.
 *
 * A task of the sharing kind has the opener's libc state, so it makes system calls
 * by hand and returns numbers through memory.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

#include "kfd_util.h"

#define SLICE	8192ul
#define RACE_S	4

enum { DOORBELLS, MMIO_PAGE, EVENTS, NUM_MAPS };

static const size_t map_bytes[NUM_MAPS] = { SLICE, PAGE, 32 * KB };

/* What a task that shares tries, and what came of it. */
struct tries {
	int map[NUM_MAPS], ioctl;	/* errno, 0: it worked */
};

/* In memory that outlives all of them. */
struct shared {
	struct gpu g;
	void *at[NUM_MAPS];		/* the opener's own mappings */
	pid_t opener;
	struct tries before, after;
	volatile int phase;
	volatile long loops, refused, other;
};

static struct shared *sh;

static uint64_t map_offset(const struct gpu *g, int what)
{
	static const uint64_t type[NUM_MAPS] = {
		KFD_MMAP_TYPE_DOORBELL, KFD_MMAP_TYPE_MMIO, KFD_MMAP_TYPE_EVENTS,
	};

	return type[what] | (what == EVENTS ? 0 : KFD_MMAP_GPU_ID(g->id));
}

static void *map_one(const struct gpu *g, int what)
{
	return mmap(NULL, map_bytes[what], PROT_READ | PROT_WRITE, MAP_SHARED, g->kfd,
		    map_offset(g, what));
}

static void try_all(const struct gpu *g, struct tries *t)
{
	struct kfd_ioctl_get_version_args v;
	void *p;
	int i;

	for (i = 0; i < NUM_MAPS; i++) {
		p = map_one(g, i);
		t->map[i] = p == MAP_FAILED ? errno : 0;
	}
	t->ioctl = kfd_err(g->kfd, AMDKFD_IOC_GET_VERSION, &v);
}

#define EXPECT_ALL(_map, _ioctl, _t) do { \
	EXPECT_EQ(_map, (_t)->map[DOORBELLS]); \
	EXPECT_EQ(_map, (_t)->map[MMIO_PAGE]); \
	EXPECT_EQ(_map, (_t)->map[EVENTS]); \
	EXPECT_EQ(_ioctl, (_t)->ioctl); \
} while (0)

static void shared_init(void)
{
	sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)sh);
	/* Orphans come back to the test. */
	ASSERT_EQ(0, prctl(PR_SET_CHILD_SUBREAPER, 1));
}

/* The kernel's event page is there, and everything is mapped and works. */
static void opener_init(void)
{
	struct kfd_ioctl_create_event_args e = { .event_type = KFD_IOC_EVENT_SIGNAL };
	struct tries t;
	int i;

	gpu_open(&sh->g);
	sh->opener = getpid();
	ASSERT_IOCTL(0, sh->g.kfd, AMDKFD_IOC_CREATE_EVENT, &e);
	for (i = 0; i < NUM_MAPS; i++) {
		sh->at[i] = map_one(&sh->g, i);
		ASSERT_NE(MAP_FAILED, sh->at[i]);
	}
	try_all(&sh->g, &t);
	EXPECT_ALL(0, 0, &t);
}

static void wait_for_phase(int phase)
{
	while (sh->phase < phase)
		sched_yield();
}

/* Until the opener has been reaped, which is after its process was taken apart. */
static void wait_for_opener(void)
{
	while (!syscall(SYS_kill, sh->opener, 0))
		sched_yield();
}

static pid_t clone_sharer(int (*fn)(void *arg), int flags)
{
	char *stack = mmap(NULL, 64 * KB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	pid_t pid;

	ASSERT_NE(MAP_FAILED, (void *)stack);
	pid = clone(fn, stack + 64 * KB, CLONE_VM | SIGCHLD | flags, NULL);
	ASSERT_GT(pid, 0);
	return pid;
}

static int reap(pid_t pid)
{
	int status;

	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* ------------------------------------------------------- while the opener lives */

static int sharer_tries(void *unused)
{
	(void)unused;
	try_all(&sh->g, &sh->before);
	return 0;
}

TEST(clone_vm_may_not)
{
	shared_init();
	opener_init();
	EXPECT_EQ(0, reap(clone_sharer(sharer_tries, 0)));
	EXPECT_ALL(EBADF, EBADF, &sh->before);
	EXPECT_EQ(0, reap(clone_sharer(sharer_tries, CLONE_FILES)));
	EXPECT_ALL(EBADF, EBADF, &sh->before);
}

TEST(vfork_may_not)
{
	pid_t pid;

	shared_init();
	opener_init();
	pid = vfork();
	if (!pid) {
		try_all(&sh->g, &sh->before);
		_exit(0);
	}
	EXPECT_EQ(0, reap(pid));
	EXPECT_ALL(EBADF, EBADF, &sh->before);
}

/* Another mm: EINVAL, as in Linux 6.1. */
TEST(passed_file_may_not)
{
	char room[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8))) = { 0 };
	struct iovec byte = { .iov_base = "x", .iov_len = 1 };
	struct msghdr msg = { .msg_iov = &byte, .msg_iovlen = 1, .msg_control = room,
			      .msg_controllen = sizeof(room) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	pid_t opener, pid;
	char got;
	int s[2];

	shared_init();
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct gpu g;

		byte.iov_base = &got;
		ASSERT_EQ(1l, (long)recvmsg(s[1], &msg, 0));
		g = sh->g;
		memcpy(&g.kfd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(int));
		try_all(&g, &sh->before);
		sh->phase = 1;
		wait_for_phase(2);
		try_all(&g, &sh->after);
		_exit(0);
	}
	opener = fork();
	if (!opener) {
		opener_init();
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &sh->g.kfd, sizeof(int));
		ASSERT_EQ(1l, (long)sendmsg(s[0], &msg, 0));
		wait_for_phase(1);
		fflush(stdout);
		_exit(th_failed);
	}
	/* It ends when the other has tried; one that failed has sent nothing to wait for. */
	ASSERT_EQ(0, reap(opener));
	sh->phase = 2;
	EXPECT_EQ(0, reap(pid));
	EXPECT_ALL(EINVAL, EBADF, &sh->before);
	EXPECT_ALL(EINVAL, EBADF, &sh->after);
}

/* ---------------------------------------------------------- after the opener */

/* What the opener had mapped is memory still, and may go. */
static int touch_what_is_left(void)
{
	volatile uint64_t *db = sh->at[DOORBELLS], *ev = sh->at[EVENTS];
	void *moved;

	db[7] = 0x1234;
	if (db[7] != 0x1234)
		return 2;
	ev[9] = 0x5678;
	if (ev[9] != 0x5678)
		return 3;
	if (*(volatile uint32_t *)sh->at[MMIO_PAGE])
		return 4;
	moved = mremap(sh->at[EVENTS], 32 * KB, 32 * KB, MREMAP_MAYMOVE | MREMAP_FIXED,
		       va_reserve(32 * KB));
	if (moved == MAP_FAILED || ((volatile uint64_t *)moved)[9] != 0x5678)
		return 5;
	/* Half of the doorbells: the other half stays. */
	if (munmap(sh->at[DOORBELLS], PAGE))
		return 6;
	((volatile uint64_t *)sh->at[DOORBELLS])[PAGE / 8 + 3] = 9;
	return munmap((char *)sh->at[DOORBELLS] + PAGE, PAGE) ||
	       munmap(sh->at[MMIO_PAGE], PAGE) || munmap(moved, 32 * KB) ? 7 : 0;
}

static void try_before_and_after(void)
{
	try_all(&sh->g, &sh->before);
	sh->phase = 1;
	wait_for_opener();
	try_all(&sh->g, &sh->after);
}

static int sharer_stays(void *unused)
{
	int ret;

	(void)unused;
	try_before_and_after();
	ret = touch_what_is_left();
	/* The opener's libc would flush its buffers once more. */
	syscall(SYS_exit, ret);
	return ret;
}

TEST(clone_vm_outlives_the_opener)
{
	pid_t opener, *sharer;
	int status;

	shared_init();
	sharer = (pid_t *)&sh->other;
	fflush(stdout);
	opener = fork();
	if (!opener) {
		opener_init();
		*sharer = clone_sharer(sharer_stays, 0);
		wait_for_phase(1);
		fflush(stdout);
		_exit(th_failed);
	}
	EXPECT_EQ(0, reap(opener));
	ASSERT_EQ(*sharer, waitpid(*sharer, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_ALL(EBADF, EBADF, &sh->before);
	EXPECT_ALL(EBADF, EBADF, &sh->after);
}

/* ----------------------------------------------------------------------- exec */

/* The image after exec, which has inherited the file. */
static int after_exec(char **argv)
{
	struct gpu g = { .kfd = atoi(argv[2]), .id = atoi(argv[3]) };
	struct tries t;
	int fd, i;

	sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED, atoi(argv[4]), 0);
	if (sh == MAP_FAILED)
		return 10;
	try_all(&g, &t);
	for (i = 0; i < NUM_MAPS; i++)
		if (t.map[i] != EINVAL)
			return 11 + i;
	if (t.ioctl != EBADF)
		return 14;
	/* A file of its own works, and its process is another one. */
	fd = open("/dev/kfd", O_RDWR);
	g.kfd = fd;
	try_all(&g, &t);
	if (t.map[DOORBELLS] || t.map[MMIO_PAGE] || t.map[EVENTS] != EINVAL || t.ioctl)
		return 15;
	sh->phase = 2;
	return 0;
}

static void *execs(void *arg)
{
	char kfd[16], id[16], mem[16];

	snprintf(kfd, sizeof(kfd), "%d", sh->g.kfd);
	snprintf(id, sizeof(id), "%u", sh->g.id);
	snprintf(mem, sizeof(mem), "%d", *(int *)arg);
	execl("/proc/self/exe", "kfd_mm_sharing", "after-exec", kfd, id, mem, NULL);
	_exit(9);
}

static int sharer_sees_exec(void *unused)
{
	int ret;

	(void)unused;
	try_before_and_after();
	ret = sh->phase == 2 ? touch_what_is_left() : 8;
	syscall(SYS_exit, ret);
	return ret;
}

static void exec_beside_a_sharer(bool by_leader)
{
	int mem = memfd_create("shared", 0), status;
	pid_t opener, *sharer;
	pthread_t thread;

	ASSERT_EQ(0, ftruncate(mem, sizeof(*sh)));
	shared_init();
	sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED, mem, 0);
	ASSERT_NE(MAP_FAILED, (void *)sh);
	sharer = (pid_t *)&sh->other;
	fflush(stdout);
	opener = fork();
	if (!opener) {
		opener_init();
		ASSERT_EQ(0, fcntl(sh->g.kfd, F_SETFD, 0));
		*sharer = clone_sharer(sharer_sees_exec, 0);
		wait_for_phase(1);
		fflush(stdout);
		if (by_leader)
			execs(&mem);
		ASSERT_EQ(0, pthread_create(&thread, NULL, execs, &mem));
		pthread_join(thread, NULL);
		_exit(8);
	}
	EXPECT_EQ(0, reap(opener));
	ASSERT_EQ(*sharer, waitpid(*sharer, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_ALL(EBADF, EBADF, &sh->before);
	EXPECT_ALL(EBADF, EBADF, &sh->after);
}

TEST(exec_by_the_leader)
{
	exec_beside_a_sharer(true);
}

TEST(exec_by_another_thread)
{
	exec_beside_a_sharer(false);
}

/* ----------------------------------------------------------------------- race */

/*
 * As map_one, but a failure is returned as -errno: the two sharers and the opener have
 * one errno, and by the time one of them looks, another may have written it.
 */
static long map_one_raw(const struct gpu *g, int what)
{
	register long flags asm("r10") = MAP_SHARED;
	register long fd asm("r8") = g->kfd;
	register long offset asm("r9") = map_offset(g, what);
	long ret = SYS_mmap;

	asm volatile("syscall" : "+a"(ret)
		     : "D"(0l), "S"(map_bytes[what]), "d"((long)(PROT_READ | PROT_WRITE)),
		       "r"(flags), "r"(fd), "r"(offset)
		     : "rcx", "r11", "memory");
	return ret;
}

/* One round of everything that may be done while the opener's process goes. */
static void sharer_round(unsigned int n)
{
	volatile uint64_t *db = sh->at[DOORBELLS];
	int i = n % NUM_MAPS;
	long ret;

	ret = map_one_raw(&sh->g, i);
	if (ret < 0 && ret > -4096) {
		__atomic_add_fetch(ret == -EBADF ? &sh->refused : &sh->other, 1,
				   __ATOMIC_RELAXED);
	} else {
		/* Should it be given: use it, too. */
		*(volatile uint64_t *)ret = n;
		munmap((void *)ret, map_bytes[i]);
		__atomic_add_fetch(&sh->other, 1, __ATOMIC_RELAXED);
	}
	db[n % (SLICE / 8)] = n;
	((volatile uint64_t *)sh->at[EVENTS])[n % 4096] = n;
	__atomic_add_fetch(&sh->loops, 1, __ATOMIC_RELAXED);
}

static int sharer_races(void *unused)
{
	unsigned int n;

	(void)unused;
	__atomic_add_fetch(&sh->phase, 1, __ATOMIC_SEQ_CST);
	for (n = 0; !syscall(SYS_kill, sh->opener, 0); n++)
		sharer_round(n);
	/* And a little longer. */
	for (; n % 64; n++)
		sharer_round(n);
	syscall(SYS_exit, 0);
	return 0;
}

/* The opener is gone: nobody else ends the rest of its round. */
static int race_once(unsigned int delay_us)
{
	pid_t opener;
	int status, bad = 0;

	sh->phase = 0;
	opener = fork();
	if (!opener) {
		opener_init();
		clone_sharer(sharer_races, 0);
		clone_sharer(sharer_races, 0);
		wait_for_phase(2);
		usleep(delay_us);
		_exit(th_failed);
	}
	ASSERT_GT(opener, 0);
	bad |= reap(opener);
	while (waitpid(-1, &status, 0) > 0)
		bad |= status;
	return bad;
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

/* With several CPUs and KASAN this is where a use after free shows. */
TEST(race_with_the_openers_end)
{
	unsigned int n = 0;
	double end;
	int bad;

	shared_init();
	fflush(stdout);
	end = now_s() + RACE_S * th_slow();
	do
		bad = race_once(n * 37 % 1000);
	while (!bad && (++n < 3 || now_s() < end));
	EXPECT_EQ(0, bad);
	TH_LOG("%u openers, %ld rounds beside them", n, sh->loops);
	EXPECT_LT(0l, sh->loops);
	EXPECT_EQ(0l, sh->other);
	EXPECT_EQ(sh->loops, sh->refused);
}

int main(int argc, char **argv)
{
	return argc == 5 && !strcmp(argv[1], "after-exec") ? after_exec(argv) : th_main();
}
