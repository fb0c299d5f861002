// SPDX-License-Identifier: MIT
/* See nth.h. */
#include <dirent.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "nth.h"

#define INJECT		"/sys/kernel/debug/"
#define COUNTERS	"/sys/kernel/debug/kfd/counters"
#define SELF		"/proc/thread-self/fail-nth"
#define MOST		3000	/* points of failure in one call */
#define SETTLE_MS	2000	/* what is taken apart later is gone by then */

/* Numbers of /dev/kfd and of the render node that cases have called. */
static struct called {
	bool noting, kfd[256], drm[256];
} *called;

/* In place of libc's: what is under test cannot be told otherwise. */
int ioctl(int fd, unsigned long cmd, ...)
{
	va_list args;
	void *arg;

	va_start(args, cmd);
	arg = va_arg(args, void *);
	va_end(args);
	if (called && called->noting)
		(_IOC_TYPE(cmd) == 'K' ? called->kfd : called->drm)[_IOC_NR(cmd)] = true;
	return syscall(SYS_ioctl, fd, cmd, arg);
}

bool nth_called(unsigned long cmd)
{
	return (_IOC_TYPE(cmd) == 'K' ? called->kfd : called->drm)[_IOC_NR(cmd)];
}

/* What has to be the same before and after. */
struct state {
	long long bos, available, fds;
};

static bool put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

/*
 * Which allocations may fail: also those that could wait, of every size. It is
 * not to be told in the kernel log, where a stack looks like a bug.
 */
static bool inject_setup(void)
{
	if (!put(INJECT "failslab/verbose", "0") ||
	    !put(INJECT "failslab/ignore-gfp-wait", "N"))
		return false;
	put(INJECT "fail_page_alloc/verbose", "0");
	put(INJECT "fail_page_alloc/ignore-gfp-wait", "N");
	put(INJECT "fail_page_alloc/ignore-gfp-highmem", "N");
	put(INJECT "fail_page_alloc/min-order", "0");
	put(INJECT "fail_usercopy/verbose", "0");
	return access(SELF, W_OK) == 0;
}

static void arm(int fd, unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	ASSERT_EQ(len, pwrite(fd, text, len, 0));
}

/* Did the failure happen? Reading and writing copy, so they may be hit as well. */
static bool disarm(int fd)
{
	char text[16] = "";
	bool hit = pread(fd, text, sizeof(text) - 1, 0) > 0 && !atoi(text);
	int i;

	for (i = 0; i < 10 && pwrite(fd, "0", 1, 0) != 1; i++)
		;
	ASSERT_LT(i, 10);
	return hit;
}

static int count_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	ASSERT_NE(NULL, d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static struct state state_get(const struct nth *t, bool fresh)
{
	struct kfd_ioctl_get_available_memory_args a = { .gpu_id = t->g.id };
	struct state s = { .bos = prop_get(COUNTERS, "bo_count"), .fds = count_fds() };

	if (!fresh) {
		ASSERT_EQ(0, kfd_err(t->g.kfd, AMDKFD_IOC_AVAILABLE_MEMORY, &a));
		s.available = a.available;
	}
	return s;
}

/* When what goes later is gone. */
static struct state settled(const struct nth *t, const struct nth_case *c)
{
	struct state was, is = state_get(t, c->fresh);

	do {
		was = is;
		usleep(20000);
		is = state_get(t, c->fresh);
	} while (memcmp(&is, &was, sizeof(is)));
	return is;
}

static void expect_state(const struct nth *t, const struct nth_case *c, const struct state *want,
			 unsigned int n)
{
	struct state s;
	int i;

	for (i = 0; i < SETTLE_MS; i += 10) {
		s = state_get(t, c->fresh);
		if (!memcmp(&s, want, sizeof(s)))
			return;
		usleep(10000);
	}
	TH_LOG("%s, failure %u: objects %lld -> %lld, files %lld -> %lld, memory %lld -> %lld",
	       c->test.name, n, want->bos, s.bos, want->fds, s.fds, want->available, s.available);
	ASSERT_EQ(0, memcmp(&s, want, sizeof(s)));
}

static void nth_open(struct nth *t)
{
	struct kfd_ioctl_create_event_args e = { .event_type = KFD_IOC_EVENT_SIGNAL };
	struct kfd_ioctl_export_dmabuf_args x = { .flags = O_CLOEXEC };

	gpu_open(&t->g);
	t->vram = mem_alloc(&t->g, VRAM | HOST, 4 * PAGE);
	e.event_page_offset = mem_alloc(&t->g, GTT | RW, EVENT_BYTES).handle;
	ASSERT_EQ(0, kfd_err(t->g.kfd, AMDKFD_IOC_CREATE_EVENT, &e));
	t->event = e.event_id;
	ASSERT_EQ(0, gem_create(t->g.drm, 4 * PAGE, AMDGPU_GEM_DOMAIN_VRAM, 0, &t->gem));
	x.handle = mem_alloc(&t->g, VRAM | HOST, 4 * PAGE).handle;
	ASSERT_EQ(0, kfd_err(t->g.kfd, AMDKFD_IOC_EXPORT_DMABUF, &x));
	t->dmabuf = x.dmabuf_fd;
	t->ring = ring_queue(&t->g, ring_memory(&t->g, RING_BYTES), RING_BYTES, 7);
}

static bool is_injected(int err)
{
	return err == ENOMEM || err == EFAULT;
}

/*
 * The call with its @n-th failure, if there is one, and then without: what it
 * gives is in *@token. 0 or the errno of the failure.
 */
static int attempt(struct nth *t, const struct nth_case *c, int fd, unsigned int n, bool *hit,
		   uint64_t *token)
{
	uint64_t in = 0;
	int err, again;

	if (c->prepare)
		c->prepare(t, &in);
	*token = in;
	if (n)
		arm(fd, n);
	if (called)
		called->noting = true;
	err = c->call(t, token);
	if (called)
		called->noting = false;
	*hit = n && disarm(fd);
	if (!err)
		return 0;
	ASSERT_TRUE(*hit && is_injected(err)) {
		TH_LOG("%s, failure %u: errno %d", c->test.name, n, err);
	}
	*token = in;
	again = c->call(t, token);
	if (err == ENOMEM)
		ASSERT_EQ(0, again);
	if (again)
		*token = in;
	return err;
}

/*
 * One round; false when there was no @n-th failure. Where results could not be
 * copied out (EFAULT) the object is there and the caller does not know it, as
 * with every driver: then the state is what it is now.
 */
static bool round_of(struct nth *t, const struct nth_case *c, int fd, unsigned int n,
		     struct state *want, uint64_t *expected)
{
	uint64_t token;
	bool hit;
	int err = attempt(t, c, fd, n, &hit, &token);

	if (!n)
		*expected = token;
	else if (err != EFAULT && !c->moves)
		ASSERT_EQ(*expected, token);
	if (c->undo)
		c->undo(t, token);
	if (err == EFAULT)
		round_of(t, c, fd, 0, want, expected);
	else if (n)
		expect_state(t, c, want, n);
	else
		*want = settled(t, c);
	return hit;
}

/* A round in a process that has nothing to do with KFD yet, and then ends. */
static bool fresh_round(struct nth *t, const struct nth_case *c, unsigned int n,
			const struct state *want)
{
	uint64_t token;
	int status, fd;
	bool hit;
	pid_t pid = fork();

	if (!pid) {
		fd = open(SELF, O_RDWR | O_CLOEXEC);
		attempt(t, c, fd, n, &hit, &token);
		_exit(hit ? 0 : TH_SKIP);
	}
	ASSERT_LT(0, pid);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) != TH_FAIL);
	if (n)
		expect_state(t, c, want, n);
	return !WEXITSTATUS(status);
}

static void nth_memory(struct nth *t)
{
	t->anon = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	ASSERT_NE(MAP_FAILED, t->anon);
	t->va = va_reserve(16 * PAGE);
	ASSERT_EQ(0, access("/dev/kfd", R_OK | W_OK));
}

static void all_once(const struct nth_case *c, unsigned int n)
{
	struct nth t = { 0 }, empty;
	uint64_t token;
	bool hit;

	nth_memory(&t);
	empty = t;
	nth_open(&t);
	for (; n; n--, c++) {
		if (c->fresh) {
			fresh_round(&empty, c, 0, NULL);
			continue;
		}
		ASSERT_EQ(0, attempt(&t, c, -1, 0, &hit, &token));
		if (c->undo)
			c->undo(&t, token);
	}
}

void nth_once(const struct nth_case *c, unsigned int n)
{
	int status;
	pid_t pid;

	if (!called)
		called = mmap(NULL, sizeof(*called), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)called);
	pid = fork();
	if (!pid) {
		all_once(c, n);
		exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
}

void nth_run(struct th_test *test)
{
	struct nth_case *c = (void *)((char *)test - offsetof(struct nth_case, test));
	unsigned int n, hits = 0;
	struct nth t = { 0 };
	struct state want;
	uint64_t expected;
	int fd;

	nth_memory(&t);
	if (!inject_setup())
		SKIP(return, "no fault injection in this kernel");
	if (c->fresh) {
		fresh_round(&t, c, 0, &want);
		want = settled(&t, c);
		for (n = 1; n < MOST && fresh_round(&t, c, n, &want); n++)
			hits++;
		ASSERT_LT(n, MOST);
		printf("# %s: %u points of failure\n", test->name, hits);
		return;
	}
	nth_open(&t);
	fd = open(SELF, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, fd);
	/* Twice without a failure: what is made but once is there then */
	round_of(&t, c, fd, 0, &want, &expected);
	round_of(&t, c, fd, 0, &want, &expected);
	for (n = 1; n < MOST && round_of(&t, c, fd, n, &want, &expected); n++)
		hits++;
	ASSERT_LT(n, MOST);
	printf("# %s: %u points of failure\n", test->name, hits);
}
