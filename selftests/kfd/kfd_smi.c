// SPDX-License-Identifier: MIT
/* SMI_EVENTS: the file, the mask, who hears of what, and the lines themselves. */
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <linux/capability.h>

#include "kfd_util.h"
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

/* A dispatch whose kernel is where the GPU has no memory. */
static int fault_child(void *arg)
{
	struct rig_kernel k = { 0 };
	union rig_packet pk;
	struct rig_queue q;
	struct rig r;

	(void)arg;
	if (rig_open(&r) || rig_queue_create(&r, 64, &q))
		return 1;
	k.object = (uintptr_t)va_reserve(PAGE);
	rig_dispatch_packet(&pk, &k, 1, 64, 0, rig_signal(&r, 1));
	rig_submit(&q, &pk);
	usleep(300000);
	return 0;
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

static int prefetch(const struct rig *r, void *p, uint64_t bytes, uint32_t to)
{
	struct {
		struct kfd_ioctl_svm_args a;
		struct kfd_ioctl_svm_attribute attr;
	} s = {
		.a = { (uintptr_t)p, bytes, KFD_IOCTL_SVM_OP_SET_ATTR, 1 },
		.attr = { PREFETCH, to },
	};

	return kfd_err(r->kfd, AMDKFD_IOC_SVM + (sizeof(s.attr) << _IOC_SIZESHIFT), &s);
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
	enable(fd, ~0ull & ~VMFAULT);
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

TEST_HARNESS_MAIN
