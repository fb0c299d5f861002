// SPDX-License-Identifier: MIT
/*
 * What SMI_EVENTS and sysfs say of a process's memory: where it goes, what GPUs lose of it, and when
 * queues stop for that.
 */
#include <linux/sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "smi_util.h"
#include "../drm/drm_util.h"
#include "../queue/rig.h"

#define SVM_PAGES	16u
#define PREFETCH	KFD_IOCTL_SVM_ATTR_PREFETCH_LOC
#define ACCESS		KFD_IOCTL_SVM_ATTR_ACCESS
#define NO_ACCESS	KFD_IOCTL_SVM_ATTR_NO_ACCESS
#define SET_FLAGS	KFD_IOCTL_SVM_ATTR_SET_FLAGS
#define ALWAYS_MAPPED	KFD_IOCTL_SVM_FLAG_GPU_ALWAYS_MAPPED

static int svm_attr(const struct rig *r, void *p, uint64_t bytes, uint32_t type, uint32_t value)
{
	struct {
		struct kfd_ioctl_svm_args a;
		struct kfd_ioctl_svm_attribute attr;
	} s = {
		.a = { (uintptr_t)p, bytes, KFD_IOCTL_SVM_OP_SET_ATTR, 1 },
		.attr = { type, value },
	};

	return kfd_err(r->kfd, AMDKFD_IOC_SVM + (sizeof(s.attr) << _IOC_SIZESHIFT), &s);
}

static int prefetch(const struct rig *r, void *p, uint64_t bytes, uint32_t to)
{
	return svm_attr(r, p, bytes, PREFETCH, to);
}

/* Two lines, of where @p goes from and to, and that there was no error; nothing if it stays. */
static void expect_migration(int fd, void *p, uint64_t pages, uint32_t from, uint32_t to)
{
	unsigned int f, t, event;
	unsigned long at, n;
	char line[256], *next;
	long long ns;
	int pid, why, err;
	ssize_t len;

	ASSERT_TRUE(readable(fd, 5000));
	len = read(fd, line, sizeof(line) - 1);
	ASSERT_LT(0, len);
	line[len] = 0;
	ASSERT_EQ(7, sscanf(line, "%x %lld -%d @%lx(%lx) %x->%x", &event, &ns, &pid, &at, &n,
			    &f, &t));
	EXPECT_EQ((unsigned int)KFD_SMI_EVENT_MIGRATE_START, event);
	EXPECT_EQ(getpid(), pid);
	EXPECT_EQ((uintptr_t)p / PAGE, at);
	EXPECT_EQ(pages, (uint64_t)n);
	EXPECT_EQ(from, f);
	EXPECT_EQ(to, t);
	next = strchr(line, '\n');
	ASSERT_NE(NULL, next);
	ASSERT_EQ(9, sscanf(next + 1, "%x %lld -%d @%lx(%lx) %x->%x %d %d\n", &event, &ns, &pid,
			    &at, &n, &f, &t, &why, &err));
	EXPECT_EQ((unsigned int)KFD_SMI_EVENT_MIGRATE_END, event);
	EXPECT_EQ(from, f);
	EXPECT_EQ(to, t);
	EXPECT_EQ((int)KFD_MIGRATE_TRIGGER_PREFETCH, why);
	EXPECT_EQ(0, err);
	EXPECT_FALSE(readable(fd, 0));
}

static void prefetch_is_a_migration_body(void)
{
	char *p = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	struct rig r;
	int fd;

	ASSERT_NE(MAP_FAILED, (void *)p);
	ASSERT_EQ(0, rig_open(&r));
	fd = smi_open(r.kfd, r.gpu_id);
	ASSERT_LE(0, fd);
	enable(fd, KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_MIGRATE_START) |
		   KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_MIGRATE_END));
	ASSERT_EQ(0, prefetch(&r, p, 16 * PAGE, r.gpu_id));
	expect_migration(fd, p, 16, 0, r.gpu_id);
	ASSERT_EQ(0, prefetch(&r, p, 16 * PAGE, r.gpu_id));
	EXPECT_FALSE(readable(fd, 0));
	ASSERT_EQ(0, prefetch(&r, p, 16 * PAGE, 0));
	expect_migration(fd, p, 16, r.gpu_id, 0);
}

TEST(prefetch_is_a_migration)
{
	prefetch_is_a_migration_body();
}

static int first_of_a_namespace(void *arg)
{
	(void)arg;
	EXPECT_EQ(1, getpid());
	prefetch_is_a_migration_body();
	return 0;
}

/* Lines name a process as it does itself: in a container, by its pid there. */
TEST(pid_in_a_container)
{
	ASSERT_EQ(0, syscall(SYS_unshare, CLONE_NEWPID));
	EXPECT_EQ(0, in_child(first_of_a_namespace, NULL));
}

static unsigned long long counter(const struct rig *r, const char *name)
{
	unsigned long long n = 0;
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/%s", getpid(), name);
	if (strchr(name, '/'))
		snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/%.*s_%u%s", getpid(),
			 (int)strcspn(name, "/"), name, r->gpu_id, strchr(name, '/'));
	f = fopen(path, "r");
	ASSERT_NE(NULL, (void *)f);
	ASSERT_EQ(1, fscanf(f, "%llu", &n));
	fclose(f);
	return n;
}

static unsigned long long vram(const struct rig *r)
{
	char name[32];

	snprintf(name, sizeof(name), "vram_%u", r->gpu_id);
	return counter(r, name);
}

struct shared {
	struct rig r;
	struct rig_queue q;
	char *p;
	int fd;
};

static void share(struct shared *s, int xnack, uint64_t events)
{
	struct kfd_ioctl_set_xnack_mode_args x = { .xnack_enabled = xnack };

	ASSERT_EQ(0, rig_open(&s->r));
	if (xnack)
		ASSERT_EQ(0, kfd_err(s->r.kfd, AMDKFD_IOC_SET_XNACK_MODE, &x));
	ASSERT_EQ(0, rig_load(&s->r));
	ASSERT_EQ(0, rig_queue_create(&s->r, 64, &s->q));
	s->fd = smi_open(s->r.kfd, s->r.gpu_id);
	ASSERT_LE(0, s->fd);
	s->p = mmap(NULL, SVM_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)s->p);
	ASSERT_EQ(0, svm_attr(&s->r, s->p, SVM_PAGES * PAGE, ACCESS, s->r.gpu_id));
	enable(s->fd, events);
}

/* The GPU stores to @page. */
static void gpu_store(struct shared *s, unsigned int page)
{
	struct { uint64_t p; uint32_t v; } a = { (uintptr_t)s->p + page * PAGE, 5 };
	struct rig_signal *done = rig_signal(&s->r, 1);
	union rig_packet pk;
	struct rig_kernel k;

	ASSERT_EQ(0, rig_kernel(&s->r, "store_word", &k));
	rig_dispatch_packet(&pk, &k, 1, 1, rig_args(&s->r, &a, sizeof(a)), done);
	rig_submit(&s->q, &pk);
	ASSERT_TRUE(rig_wait(done, 0, RIG_LONG));
	ASSERT_EQ(5, *(volatile uint32_t *)(s->p + page * PAGE));
}

static void flush_lines(struct shared *s)
{
	char line[256];

	while (readable(s->fd, 100))
		ASSERT_LT(0, read(s->fd, line, sizeof(line)));
}

/* One line, and @page is in it. */
static void expect_unmap(struct shared *s, unsigned int page, int trigger)
{
	unsigned long at, n, want = (uintptr_t)s->p / PAGE + page;
	unsigned int event, gpu;
	char line[128] = "";
	int pid, why;
	long long ns;

	ASSERT_TRUE(readable(s->fd, 5000));
	ASSERT_LT(0, read(s->fd, line, sizeof(line) - 1));
	ASSERT_EQ(7, sscanf(line, "%x %lld -%d @%lx(%lx) %x %d", &event, &ns, &pid, &at, &n, &gpu,
			    &why));
	EXPECT_EQ((unsigned int)KFD_SMI_EVENT_UNMAP_FROM_GPU, event);
	EXPECT_EQ(getpid(), pid);
	EXPECT_EQ(s->r.gpu_id, gpu);
	EXPECT_EQ(trigger, why);
	EXPECT_LE(at, want);
	EXPECT_LT(want, at + n);
	EXPECT_LE((uintptr_t)s->p / PAGE, at);
	EXPECT_GE((uintptr_t)s->p / PAGE + SVM_PAGES, at + n);
	EXPECT_FALSE(readable(s->fd, 0));
}

/* GPUs of which each process chooses the XNACK mode */
static bool can_xnack(void)
{
	uint64_t version = node_prop(gpu_node(0), "gfx_target_version");

	return version >= 90010 && version < 100000;
}

/* With XNACK, a GPU waits for the page: it is told which it lost. */
TEST(unmapped_from_the_gpu)
{
	struct shared s;

	if (!can_xnack())
		SKIP(return, "no XNACK mode of its own for each process");
	share(&s, 1, BIT_OF(UNMAP_FROM_GPU) | BIT_OF(QUEUE_EVICTION) | BIT_OF(QUEUE_RESTORE));
	s.p[0] = 1;
	flush_lines(&s);	/* of what share() did */
	ASSERT_EQ(0, madvise(s.p, SVM_PAGES * PAGE, MADV_DONTNEED));
	EXPECT_FALSE(readable(s.fd, 0));	/* the GPU had none of it */
	gpu_store(&s, 3);
	EXPECT_FALSE(readable(s.fd, 0));
	ASSERT_EQ(0, madvise(s.p, SVM_PAGES * PAGE, MADV_DONTNEED));
	expect_unmap(&s, 3, KFD_SVM_UNMAP_TRIGGER_MMU_NOTIFY);
	ASSERT_EQ(0, madvise(s.p, SVM_PAGES * PAGE, MADV_DONTNEED));
	EXPECT_FALSE(readable(s.fd, 0));
	gpu_store(&s, 7);
	ASSERT_EQ(0, munmap(s.p, SVM_PAGES * PAGE));
	expect_unmap(&s, 7, KFD_SVM_UNMAP_TRIGGER_UNMAP_FROM_CPU);
}

/* A line of a queue eviction or restore of ours on our GPU; its last word is @what. */
static void expect_queues(struct shared *s, unsigned int want, const char *what)
{
	unsigned int event = 0, gpu = 0;
	char line[128], word[8] = "";
	long long ns;
	int pid = 0;

	read_line(s->fd, line, sizeof(line));
	EXPECT_EQ(5, sscanf(line, "%x %lld -%d %x %7s", &event, &ns, &pid, &gpu, word));
	EXPECT_EQ(want, event);
	EXPECT_EQ(getpid(), pid);
	EXPECT_EQ(s->r.gpu_id, gpu);
	EXPECT_STREQ(what, word);
}

#define SVM_STOPS	"0"	/* KFD_QUEUE_EVICTION_TRIGGER_SVM */
#define USERPTR_STOPS	"1"	/* KFD_QUEUE_EVICTION_TRIGGER_USERPTR */

static void expect_stop(struct shared *s, const char *why)
{
	expect_queues(s, KFD_SMI_EVENT_QUEUE_EVICTION, why);
	expect_queues(s, KFD_SMI_EVENT_QUEUE_RESTORE, "0");
	EXPECT_FALSE(readable(s->fd, 0));
}

/* Without XNACK, the queues stop for a moment, whether the GPU has been there or not. */
TEST(changes_of_ranges_stop_queues)
{
	struct shared s;

	share(&s, 0, BIT_OF(UNMAP_FROM_GPU) | BIT_OF(QUEUE_EVICTION) | BIT_OF(QUEUE_RESTORE));
	s.p[0] = 1;
	flush_lines(&s);
	ASSERT_EQ(0, madvise(s.p, SVM_PAGES * PAGE, MADV_DONTNEED));
	expect_stop(&s, SVM_STOPS);
	gpu_store(&s, 3);
	ASSERT_EQ(0, mprotect(s.p, SVM_PAGES * PAGE, PROT_READ));
	expect_stop(&s, SVM_STOPS);
	ASSERT_EQ(0, mprotect(s.p, SVM_PAGES * PAGE, PROT_READ | PROT_WRITE));
	gpu_store(&s, 3);
	flush_lines(&s);	/* The kernel may have changed nothing by that. */
	ASSERT_EQ(0, munmap(s.p, SVM_PAGES * PAGE));
	expect_unmap(&s, 3, KFD_SVM_UNMAP_TRIGGER_UNMAP_FROM_CPU);
}

/* So they do with XNACK, where a range is to be mapped nevertheless. */
TEST(changes_of_ranges_that_are_always_mapped)
{
	struct shared s;

	if (!can_xnack())
		SKIP(return, "no XNACK mode of its own for each process");
	share(&s, 1, BIT_OF(UNMAP_FROM_GPU) | BIT_OF(QUEUE_EVICTION) | BIT_OF(QUEUE_RESTORE));
	gpu_store(&s, 3);
	flush_lines(&s);
	ASSERT_EQ(0, madvise(s.p, SVM_PAGES * PAGE, MADV_DONTNEED));
	expect_unmap(&s, 3, KFD_SVM_UNMAP_TRIGGER_MMU_NOTIFY);
	ASSERT_EQ(0, svm_attr(&s.r, s.p, SVM_PAGES * PAGE, SET_FLAGS, ALWAYS_MAPPED));
	gpu_store(&s, 3);
	ASSERT_EQ(0, madvise(s.p, SVM_PAGES * PAGE, MADV_DONTNEED));
	expect_stop(&s, SVM_STOPS);
}

/* A range that goes to a GPU or back, without XNACK */
TEST(moves_of_ranges_stop_queues)
{
	struct shared s;

	share(&s, 0, BIT_OF(QUEUE_EVICTION) | BIT_OF(QUEUE_RESTORE));
	gpu_store(&s, 3);
	flush_lines(&s);
	ASSERT_EQ(0, prefetch(&s.r, s.p, SVM_PAGES * PAGE, s.r.gpu_id));
	expect_stop(&s, SVM_STOPS);
	ASSERT_EQ(0, prefetch(&s.r, s.p, SVM_PAGES * PAGE, s.r.gpu_id));
	EXPECT_FALSE(readable(s.fd, 100));
	ASSERT_EQ(0, prefetch(&s.r, s.p, SVM_PAGES * PAGE, 0));
	expect_stop(&s, SVM_STOPS);
	/* No GPU has access. */
	ASSERT_EQ(0, svm_attr(&s.r, s.p, SVM_PAGES * PAGE, NO_ACCESS, s.r.gpu_id));
	ASSERT_EQ(0, prefetch(&s.r, s.p, SVM_PAGES * PAGE, s.r.gpu_id));
	ASSERT_EQ(0, madvise(s.p, SVM_PAGES * PAGE, MADV_DONTNEED));
	EXPECT_FALSE(readable(s.fd, 100));
}

/*
 * User memory that a buffer shows, used or not. Not its pages that a GPU is the first to write to:
 * the driver has brought in such when the buffer was made.
 */
TEST(changes_of_user_memory_stop_queues)
{
	struct rig_mem m;
	struct shared s;
	char *old;
	int i;

	share(&s, 0, BIT_OF(UNMAP_FROM_GPU) | BIT_OF(QUEUE_EVICTION) | BIT_OF(QUEUE_RESTORE));
	ASSERT_EQ(0, rig_anon(&s.r, SVM_PAGES * PAGE, &m));
	flush_lines(&s);
	old = s.p;
	s.p = m.p;
	(void)*(volatile char *)m.p;	/* the zero page */
	gpu_store(&s, 0);
	gpu_store(&s, 1);
	EXPECT_FALSE(readable(s.fd, 100));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, madvise(m.p, PAGE, MADV_DONTNEED));
		expect_stop(&s, USERPTR_STOPS);
	}
	gpu_store(&s, 0);
	EXPECT_FALSE(readable(s.fd, 100));
	/* Several changes at once are one eviction. */
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, madvise((char *)m.p + i * PAGE, PAGE, MADV_DONTNEED));
	expect_stop(&s, USERPTR_STOPS);
	ASSERT_EQ(0, munmap((char *)m.p + PAGE, PAGE));
	expect_stop(&s, USERPTR_STOPS);
	ASSERT_EQ(0, rig_unmap(&s.r, &m));
	ASSERT_EQ(0, rig_free(&s.r, &m));
	ASSERT_EQ(0, munmap(m.p, SVM_PAGES * PAGE));
	s.p = old;
	EXPECT_FALSE(readable(s.fd, 100));
	EXPECT_LT(0, counter(&s.r, "stats/evicted_ms"));
}

static void fork_once(void)
{
	pid_t pid = fork();
	int status;

	ASSERT_NE(-1, pid);
	if (!pid)
		_exit(0);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
}

/*
 * fork() write-protects what parent and child share: of user memory, and of ranges without XNACK,
 * that is a change. Not of memory that is not for children: most of what libhsakmt has is such.
 */
TEST(forks_stop_queues)
{
	struct rig_mem m;
	struct shared s;

	share(&s, 0, BIT_OF(UNMAP_FROM_GPU) | BIT_OF(QUEUE_EVICTION) | BIT_OF(QUEUE_RESTORE));
	ASSERT_EQ(0, rig_anon(&s.r, SVM_PAGES * PAGE, &m));
	gpu_store(&s, 3);
	memset(m.p, 1, SVM_PAGES * PAGE);
	ASSERT_EQ(0, madvise(s.r.signals.p, s.r.signals.bytes, MADV_DONTFORK));
	ASSERT_EQ(0, madvise(s.r.args.p, s.r.args.bytes, MADV_DONTFORK));
	ASSERT_EQ(0, madvise(s.r.shared_area.p, s.r.shared_area.bytes, MADV_DONTFORK));
	ASSERT_EQ(0, madvise(s.q.ring_mem.p, s.q.ring_mem.bytes, MADV_DONTFORK));
	ASSERT_EQ(0, madvise(s.q.amd_mem.p, s.q.amd_mem.bytes, MADV_DONTFORK));
	ASSERT_EQ(0, madvise(s.p, SVM_PAGES * PAGE, MADV_DONTFORK));
	ASSERT_EQ(0, madvise(m.p, SVM_PAGES * PAGE, MADV_DONTFORK));
	flush_lines(&s);
	fork_once();
	EXPECT_FALSE(readable(s.fd, 100));
	ASSERT_EQ(0, madvise(m.p, SVM_PAGES * PAGE, MADV_DOFORK));
	fork_once();
	expect_stop(&s, USERPTR_STOPS);
	ASSERT_EQ(0, madvise(m.p, SVM_PAGES * PAGE, MADV_DONTFORK));
	ASSERT_EQ(0, madvise(s.p, SVM_PAGES * PAGE, MADV_DOFORK));
	fork_once();
	expect_stop(&s, SVM_STOPS);
	gpu_store(&s, 3);
}

/* Memory that is no range of anybody's is none of this. */
TEST(private_memory_is_not_told)
{
	struct shared s;
	char *q;

	share(&s, 0, ~(BIT_OF(PROCESS_START) | BIT_OF(PROCESS_END)));
	gpu_store(&s, 1);
	q = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*q = 1;
	munmap(q, PAGE);
	EXPECT_FALSE(readable(s.fd, 0));
}

TEST(retry_faults_are_told)
{
	unsigned int event[2], gpu[2];
	unsigned long at[2];
	char rw, how, line[256] = "", *next;
	long long ns[2];
	struct shared s;
	int pid[2];

	if (!can_xnack())
		SKIP(return, "no XNACK mode of its own for each process");
	share(&s, 1, BIT_OF(PAGE_FAULT_START) | BIT_OF(PAGE_FAULT_END));
	while (read(s.fd, line, sizeof(line)) > 0)
		;	/* of what share() did */
	gpu_store(&s, 5);
	while (readable(s.fd, 0)) {	/* code, arguments, ring may be among them */
		ssize_t n = read(s.fd, line, sizeof(line) - 1);

		ASSERT_LT(0, n);
		line[n] = 0;
		for (next = line; next && *next; next = strchr(next, '\n') + 1) {
			if (sscanf(next, "%x %lld -%d @%lx(%x) %c\n%x %lld -%d @%lx(%x) %c",
				   &event[0], &ns[0], &pid[0], &at[0], &gpu[0], &rw, &event[1],
				   &ns[1], &pid[1], &at[1], &gpu[1], &how) == 12 &&
			    at[0] == (uintptr_t)s.p / PAGE + 5)
				goto found;
		}
	}
	ASSERT_TRUE(!"the fault of the store");
found:
	EXPECT_EQ((unsigned int)KFD_SMI_EVENT_PAGE_FAULT_START, event[0]);
	EXPECT_EQ((unsigned int)KFD_SMI_EVENT_PAGE_FAULT_END, event[1]);
	EXPECT_EQ(getpid(), pid[0]);
	EXPECT_EQ(getpid(), pid[1]);
	EXPECT_EQ(s.r.gpu_id, gpu[0]);
	EXPECT_EQ(at[0], at[1]);
	EXPECT_LE(ns[0], ns[1]);
	EXPECT_EQ('W', rw);
	EXPECT_EQ('M', how);	/* to the GPU that may access it */
	EXPECT_LT(0, counter(&s.r, "counters/faults"));
}

TEST(no_retry_faults_without_xnack)
{
	struct shared s;

	share(&s, 0, BIT_OF(PAGE_FAULT_START) | BIT_OF(PAGE_FAULT_END));
	gpu_store(&s, 5);
	EXPECT_FALSE(readable(s.fd, 0));
	EXPECT_EQ(0, counter(&s.r, "counters/faults"));
}

/* What is prefetched is part of the GPU's memory until it goes elsewhere or ends. */
TEST(prefetch_is_counted)
{
	unsigned long long before, some = SVM_PAGES * PAGE;
	struct shared s;

	share(&s, 0, 0);
	before = vram(&s.r);
	ASSERT_EQ(0, prefetch(&s.r, s.p, some, s.r.gpu_id));
	EXPECT_EQ(SVM_PAGES, counter(&s.r, "counters/page_in"));
	EXPECT_EQ(0, counter(&s.r, "counters/page_out"));
	EXPECT_EQ(before + some, vram(&s.r));
	ASSERT_EQ(0, prefetch(&s.r, s.p, some, s.r.gpu_id));
	EXPECT_EQ(SVM_PAGES, counter(&s.r, "counters/page_in"));
	/* a part of it back, another part unmapped in the middle */
	ASSERT_EQ(0, prefetch(&s.r, s.p, 3 * PAGE, 0));
	EXPECT_EQ(3, counter(&s.r, "counters/page_out"));
	EXPECT_EQ(before + some - 3 * PAGE, vram(&s.r));
	ASSERT_EQ(0, munmap(s.p + 8 * PAGE, 2 * PAGE));
	EXPECT_EQ(before + some - 5 * PAGE, vram(&s.r));
	gpu_store(&s, 10);
	gpu_store(&s, 0);
	/* all of what is left of it in, and one by one */
	ASSERT_EQ(0, prefetch(&s.r, s.p, 8 * PAGE, s.r.gpu_id));
	EXPECT_EQ(SVM_PAGES + 3, counter(&s.r, "counters/page_in"));
	EXPECT_EQ(before + some - 2 * PAGE, vram(&s.r));
	ASSERT_EQ(0, munmap(s.p, 8 * PAGE));
	ASSERT_EQ(0, munmap(s.p + 10 * PAGE, 6 * PAGE));
	EXPECT_EQ(before, vram(&s.r));
}

/* No room is no error, and nothing has moved. */
TEST(prefetch_without_room)
{
	struct kfd_ioctl_get_available_memory_args a = { 0 };
	struct shared s;
	char *big;

	share(&s, 0, BIT_OF(MIGRATE_START) | BIT_OF(MIGRATE_END));
	a.gpu_id = s.r.gpu_id;
	ASSERT_EQ(0, kfd_err(s.r.kfd, AMDKFD_IOC_AVAILABLE_MEMORY, &a));
	a.available = (a.available | 0x3fffffff) + 1;
	big = mmap(NULL, a.available, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)big);
	ASSERT_EQ(0, prefetch(&s.r, big, a.available, s.r.gpu_id));
	EXPECT_FALSE(readable(s.fd, 0));
	EXPECT_EQ(0, counter(&s.r, "counters/page_in"));
	ASSERT_EQ(0, prefetch(&s.r, s.p, SVM_PAGES * PAGE, s.r.gpu_id));
	expect_migration(s.fd, s.p, SVM_PAGES, 0, s.r.gpu_id);
}

static int prefetch_child(void *arg)
{
	struct shared s;

	(void)arg;
	share(&s, 0, 0);
	return prefetch(&s.r, s.p, SVM_PAGES * PAGE, s.r.gpu_id);
}

/* A process that ends gives back what was prefetched. */
TEST(prefetch_ends_with_the_process)
{
	uint64_t before;
	struct rig r;

	ASSERT_EQ(0, rig_open(&r));
	before = vram_used(r.drm);
	ASSERT_EQ(0, in_child(prefetch_child, NULL));
	for (unsigned int i = 0; i < 500 * th_slow() && vram_used(r.drm) > before; i++)
		usleep(10000);
	EXPECT_LE(vram_used(r.drm), before);
}

TEST_HARNESS_MAIN
