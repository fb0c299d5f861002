// SPDX-License-Identifier: MIT
/* SMI_EVENTS: the file, the mask, who hears of what, and the lines themselves. */
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <linux/capability.h>

#include "smi_util.h"
#include "../queue/rig.h"

#define ALL_PROCESS	KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_ALL_PROCESS)
#define VMFAULT		KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_VMFAULT)

static int smi_of_first_gpu(void)
{
	return smi_open(kfd_open(), node_gpu_id(gpu_node(0)));
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

static int open_child(void *arg)
{
	struct rig r;

	(void)arg;
	return rig_open(&r);
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
	/* Linux 7.2 does not want the bit any more. */
	enable(own, VMFAULT);
	enable(plain, VMFAULT | ALL_PROCESS);
	ASSERT_EQ(0, in_child(fault_child, NULL));
	EXPECT_TRUE(readable(all, 5000));
	EXPECT_TRUE(readable(own, 0));
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
