// SPDX-License-Identifier: MIT
/* SMI_EVENTS: the file, the mask, who hears of what, and the lines themselves. */
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <linux/capability.h>

#include "kfd_util.h"
#include "../drm/drm_util.h"
#include "../queue/rig.h"

#define ALL_PROCESS	KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_ALL_PROCESS)
#define VMFAULT		KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_VMFAULT)

static int smi_open(int kfd, uint32_t gpu_id)
{
	struct kfd_ioctl_smi_events_args a = { .gpuid = gpu_id };
	int err = kfd_err(kfd, AMDKFD_IOC_SMI_EVENTS, &a);

	return err ? -err : (int)a.anon_fd;
}

static int smi_of_first_gpu(void)
{
	return smi_open(kfd_open(), node_gpu_id(gpu_node(0)));
}

static bool readable(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1 && p.revents & POLLIN;
}

static void enable(int fd, uint64_t mask)
{
	ASSERT_EQ((ssize_t)sizeof(mask), write(fd, &mask, sizeof(mask)));
}

/* A dispatch whose kernel is where the GPU has no memory; the process learns of it. */
static int fault_child(void *arg)
{
	struct rig_kernel k = { 0 };
	uint32_t id, slot;
	union rig_packet pk;
	struct rig_queue q;
	struct rig r;

	(void)arg;
	if (rig_open(&r) || rig_queue_create(&r, 64, &q) ||
	    rig_event(&r, KFD_IOC_EVENT_MEMORY, &id, &slot))
		return 1;
	k.object = (uintptr_t)va_reserve(PAGE);
	rig_dispatch_packet(&pk, &k, 1, 64, 0, rig_signal(&r, 1));
	rig_submit(&q, &pk);
	return rig_event_wait(&r, id, RIG_LONG, NULL) ? 2 : 0;
}

static void drop_admin(void)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct d[2];

	ASSERT_EQ(0, syscall(SYS_capget, &h, d));
	d[CAP_SYS_ADMIN / 32].effective &= ~(1u << CAP_SYS_ADMIN % 32);
	ASSERT_EQ(0, syscall(SYS_capset, &h, d));
}

TEST(bad_gpu)
{
	EXPECT_EQ(-EINVAL, smi_open(kfd_open(), BAD_GPU));
	EXPECT_EQ(-EINVAL, smi_open(kfd_open(), 0));
}

TEST(nothing_to_begin_with)
{
	char buf[128];
	int fd = smi_of_first_gpu();

	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, read(fd, buf, sizeof(buf)));
	EXPECT_EQ(EAGAIN, errno);
	EXPECT_FALSE(readable(fd, 0));
}

TEST(mask_of_eight_bytes)
{
	uint64_t mask[2] = { VMFAULT, ~0ull };
	int fd = smi_of_first_gpu();

	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, write(fd, mask, 7));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, syscall(SYS_write, fd, BAD_PTR, 8));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(8, write(fd, mask, 8));
	EXPECT_EQ(8, write(fd, mask, 16));
}

TEST(own_fault_is_heard)
{
	struct rig_kernel k = { 0 };
	char line[128], want[128], comm[32];
	union rig_packet pk;
	struct rig_queue q;
	struct rig r;
	ssize_t n;
	int fd;

	ASSERT_EQ(0, rig_open(&r));
	ASSERT_EQ(0, rig_queue_create(&r, 64, &q));
	fd = smi_open(r.kfd, r.gpu_id);
	ASSERT_LE(0, fd);
	drop_admin();
	enable(fd, VMFAULT);
	k.object = (uintptr_t)va_reserve(PAGE);
	rig_dispatch_packet(&pk, &k, 1, 64, 0, rig_signal(&r, 1));
	rig_submit(&q, &pk);
	ASSERT_TRUE(readable(fd, 5000));
	n = read(fd, line, sizeof(line) - 1);
	ASSERT_LT(0, n);
	line[n] = 0;
	ASSERT_EQ(0, prctl(PR_GET_NAME, comm));
	snprintf(want, sizeof(want), "%x %x:%s\n", KFD_SMI_EVENT_VMFAULT, getpid(), comm);
	EXPECT_STREQ(want, line);
	EXPECT_FALSE(readable(fd, 0));
}

#define PREFETCH	1	/* KFD_IOCTL_SVM_ATTR_PREFETCH_LOC */

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

/* Two lines, of where @p goes from and to; nothing if it stays. */
static void expect_migration(int fd, void *p, uint64_t pages, uint32_t from, uint32_t to)
{
	unsigned int f, t, event;
	unsigned long at, n;
	char line[256], *next;
	long long ns;
	ssize_t len;
	int pid;

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
	ASSERT_EQ(1, sscanf(next + 1, "%x", &event));
	EXPECT_EQ((unsigned int)KFD_SMI_EVENT_MIGRATE_END, event);
	EXPECT_FALSE(readable(fd, 0));
}

TEST(prefetch_is_a_migration)
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

/* ------------------------------------------------------- shared virtual memory */

#define BIT_OF(_event)	KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_##_event)
#define SVM_PAGES	16u
#define ACCESS		2	/* KFD_IOCTL_SVM_ATTR_ACCESS */

static unsigned long long counter(const struct rig *r, const char *name)
{
	unsigned long long n = 0;
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/%s", getpid(), name);
	if (strchr(name, '/'))
		snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/counters_%u%s", getpid(),
			 r->gpu_id, strchr(name, '/'));
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

TEST(unmapped_from_the_gpu)
{
	struct shared s;

	share(&s, 0, BIT_OF(UNMAP_FROM_GPU));
	s.p[0] = 1;
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

	if (node_prop(gpu_node(0), "gfx_target_version") < 90010 ||
	    node_prop(gpu_node(0), "gfx_target_version") >= 100000)
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
	EXPECT_LT(0, counter(&s.r, "/faults"));
}

TEST(no_retry_faults_without_xnack)
{
	struct shared s;

	share(&s, 0, BIT_OF(PAGE_FAULT_START) | BIT_OF(PAGE_FAULT_END));
	gpu_store(&s, 5);
	EXPECT_FALSE(readable(s.fd, 0));
	EXPECT_EQ(0, counter(&s.r, "/faults"));
}

/* What is prefetched is part of the GPU's memory until it goes elsewhere or ends. */
TEST(prefetch_is_counted)
{
	unsigned long long before, some = SVM_PAGES * PAGE;
	struct shared s;

	share(&s, 0, 0);
	before = vram(&s.r);
	ASSERT_EQ(0, prefetch(&s.r, s.p, some, s.r.gpu_id));
	EXPECT_EQ(SVM_PAGES, counter(&s.r, "/page_in"));
	EXPECT_EQ(0, counter(&s.r, "/page_out"));
	EXPECT_EQ(before + some, vram(&s.r));
	ASSERT_EQ(0, prefetch(&s.r, s.p, some, s.r.gpu_id));
	EXPECT_EQ(SVM_PAGES, counter(&s.r, "/page_in"));
	/* a part of it back, another part unmapped in the middle */
	ASSERT_EQ(0, prefetch(&s.r, s.p, 3 * PAGE, 0));
	EXPECT_EQ(3, counter(&s.r, "/page_out"));
	EXPECT_EQ(before + some - 3 * PAGE, vram(&s.r));
	ASSERT_EQ(0, munmap(s.p + 8 * PAGE, 2 * PAGE));
	EXPECT_EQ(before + some - 5 * PAGE, vram(&s.r));
	gpu_store(&s, 10);
	gpu_store(&s, 0);
	/* all of what is left of it in, and one by one */
	ASSERT_EQ(0, prefetch(&s.r, s.p, 8 * PAGE, s.r.gpu_id));
	EXPECT_EQ(SVM_PAGES + 3, counter(&s.r, "/page_in"));
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
	EXPECT_EQ(0, counter(&s.r, "/page_in"));
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

static int open_child(void *arg)
{
	struct rig r;

	(void)arg;
	return rig_open(&r);
}

static void read_line(int fd, char *line, size_t bytes)
{
	size_t n = 0;

	do {
		ASSERT_TRUE(readable(fd, 5000));
		ASSERT_LT(n, bytes - 1);
		ASSERT_EQ(1, read(fd, &line[n], 1));
	} while (line[n++] != '\n');
	line[n] = 0;
}

/* Who uses the GPU is no secret. The end of who did before may come in between. */
TEST(processes_come_and_go)
{
	unsigned int event, pid, begun = 0;
	char line[128], comm[32], who[32];
	int fd = smi_of_first_gpu();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, prctl(PR_GET_NAME, comm));
	drop_admin();
	enable(fd, BIT_OF(PROCESS_START) | BIT_OF(PROCESS_END));
	ASSERT_EQ(0, in_child(open_child, NULL));
	do {
		read_line(fd, line, sizeof(line));
		ASSERT_EQ(3, sscanf(line, "%x %x %31s", &event, &pid, who));
		if (event == KFD_SMI_EVENT_PROCESS_START) {
			EXPECT_EQ(0u, begun);
			EXPECT_STREQ(comm, who);
			begun = pid;
		}
	} while (!begun || pid != begun || event != KFD_SMI_EVENT_PROCESS_END);
	EXPECT_NE((unsigned int)getpid(), begun);
}

TEST(line_in_pieces)
{
	char line[8];
	int fd = smi_of_first_gpu();

	ASSERT_LE(0, fd);
	enable(fd, VMFAULT | ALL_PROCESS);
	ASSERT_EQ(0, in_child(fault_child, NULL));
	ASSERT_TRUE(readable(fd, 5000));
	EXPECT_EQ(2, read(fd, line, 2));
	EXPECT_EQ('1', line[0]);
	EXPECT_EQ(' ', line[1]);
	EXPECT_TRUE(readable(fd, 0));
}

TEST(masked_events_do_not_come)
{
	int fd = smi_of_first_gpu();

	ASSERT_LE(0, fd);
	enable(fd, ~(VMFAULT | BIT_OF(PROCESS_START) | BIT_OF(PROCESS_END)));
	ASSERT_EQ(0, in_child(fault_child, NULL));
	EXPECT_FALSE(readable(fd, 0));
}

TEST(others_only_for_the_administrator)
{
	int all = smi_of_first_gpu(), own = smi_of_first_gpu(), plain;

	drop_admin();
	plain = smi_of_first_gpu();
	ASSERT_LE(0, all);
	ASSERT_LE(0, own);
	ASSERT_LE(0, plain);
	enable(all, VMFAULT | ALL_PROCESS);
	enable(own, VMFAULT);
	enable(plain, VMFAULT | ALL_PROCESS);
	ASSERT_EQ(0, in_child(fault_child, NULL));
	EXPECT_TRUE(readable(all, 5000));
	EXPECT_FALSE(readable(own, 0));
	EXPECT_FALSE(readable(plain, 0));
}

TEST(file_outlives_kfd)
{
	char buf[16];
	int kfd = kfd_open(), fd = smi_open(kfd, node_gpu_id(gpu_node(0)));

	ASSERT_LE(0, fd);
	close(kfd);
	enable(fd, VMFAULT);
	EXPECT_EQ(-1, read(fd, buf, sizeof(buf)));
	EXPECT_EQ(EAGAIN, errno);
}

TEST(many_clients_and_no_descriptor_left)
{
	int kfd = kfd_open(), n = 0;
	uint32_t id = node_gpu_id(gpu_node(0));

	while (smi_open(kfd, id) >= 0 && n < 100000)
		n++;
	EXPECT_EQ(-EMFILE, smi_open(kfd, id));
	EXPECT_LT(0, n);
}

/* Each event goes through all files: a user has so many of a device. */
TEST(files_of_a_user_have_an_end)
{
	int kfd = kfd_open(), fd[64], i, err;
	uint32_t id = node_gpu_id(gpu_node(0));

	for (i = 0; i < 64; i++) {
		fd[i] = smi_open(kfd, id);
		ASSERT_LE(0, fd[i]);
	}
	err = smi_open(kfd, id);
	EXPECT_EQ(-EMFILE, err);
	close(fd[10]);
	EXPECT_LE(0, smi_open(kfd, id));
}

TEST_HARNESS_MAIN
