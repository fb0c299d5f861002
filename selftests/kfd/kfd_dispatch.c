// SPDX-License-Identifier: MIT
/* The rules of the ioctl entry: numbers, sizes, directions, whose file it is. */
#include <sys/syscall.h>

#include "kfd_util.h"

/* Numbers of the newest interface that this driver does not have. */
static const unsigned int missing[] = {
	0x00, 0x29,
	0x2a, 0x40, 0x80, 0x82, 0xff,
};

TEST(missing_ioctls_are_enotty)
{
	char arg[512] = { 0 };
	unsigned int i;
	int fd = kfd_open();

	for (i = 0; i < sizeof(missing) / sizeof(missing[0]); i++)
		EXPECT_IOCTL(ENOTTY, fd, _IOWR('K', missing[i], char[64]), arg);
}

TEST(number_alone_selects)
{
	struct kfd_ioctl_get_version_args v = { 0 };
	int fd = kfd_open();

	/* Wrong magic, wrong direction. */
	EXPECT_IOCTL(0, fd, _IOWR('Z', 0x01, v), &v);
	EXPECT_EQ(KFD_IOCTL_MAJOR_VERSION, (int)v.major_version);
	memset(&v, 0, sizeof(v));
	EXPECT_IOCTL(0, fd, _IOW('K', 0x01, v), &v);
	EXPECT_EQ(KFD_IOCTL_MAJOR_VERSION, (int)v.major_version);
}

TEST(short_struct_gets_its_size_back)
{
	uint32_t v[2] = { 0, 0x55555555 };
	int fd = kfd_open();

	EXPECT_IOCTL(0, fd, _IOR('K', 0x01, uint32_t), v);
	EXPECT_EQ((uint32_t)KFD_IOCTL_MAJOR_VERSION, v[0]);
	EXPECT_EQ(0x55555555u, v[1]);
}

TEST(missing_tail_reads_as_zero)
{
	/* GET_CLOCK_COUNTERS cut before gpu_id: as if it were 0, no GPU. */
	struct kfd_ioctl_get_clock_counters_args c;
	int fd = kfd_open();

	memset(&c, 0x55, sizeof(c));
	EXPECT_IOCTL(0, fd, _IOWR('K', 0x05, char[32]), &c);
	EXPECT_EQ(0ull, c.gpu_clock_counter);
	EXPECT_EQ(1000000000ull, c.system_clock_freq);
	EXPECT_EQ(0x55555555u, c.gpu_id);
}

TEST(long_struct_comes_back_unchanged_behind)
{
	struct {
		struct kfd_ioctl_get_clock_counters_args c;
		uint64_t behind[64];
	} big;
	int i, fd = kfd_open();

	memset(&big, 0x5a, sizeof(big));
	big.c.gpu_id = 0;
	EXPECT_IOCTL(0, fd, _IOWR('K', 0x05, big), &big);
	EXPECT_EQ(1000000000ull, big.c.system_clock_freq);
	for (i = 0; i < 64; i++)
		EXPECT_EQ(0x5a5a5a5a5a5a5a5aull, big.behind[i]);
}

TEST(largest_size)
{
	static char arg[16384];
	int fd = kfd_open();

	EXPECT_IOCTL(0, fd, _IOC(_IOC_READ | _IOC_WRITE, 'K', 0x05, 16383), arg);
}

TEST(copies_back_on_error)
{
	struct kfd_ioctl_wait_events_args w = { .num_events = 1, .events_ptr = BAD_PTR };
	int fd = kfd_open();

	EXPECT_IOCTL(EFAULT, fd, AMDKFD_IOC_WAIT_EVENTS, &w);
	EXPECT_EQ((uint32_t)KFD_IOC_WAIT_RESULT_FAIL, w.wait_result);
}

TEST(bad_argument_pointer)
{
	int fd = kfd_open();

	EXPECT_IOCTL(EFAULT, fd, AMDKFD_IOC_GET_VERSION, (void *)BAD_PTR);
	EXPECT_IOCTL(EFAULT, fd, AMDKFD_IOC_CREATE_QUEUE, (void *)BAD_PTR);
	EXPECT_IOCTL(EFAULT, fd, AMDKFD_IOC_GET_PROCESS_APERTURES, (void *)BAD_PTR);
}

TEST(old_debugger_interface_is_eperm)
{
	struct kfd_ioctl_dbg_address_watch_args a = { 0 };
	int fd = kfd_open();

	EXPECT_IOCTL(EPERM, fd, AMDKFD_IOC_DBG_REGISTER_DEPRECATED, &a);
	EXPECT_IOCTL(EPERM, fd, AMDKFD_IOC_DBG_UNREGISTER_DEPRECATED, &a);
	EXPECT_IOCTL(EPERM, fd, AMDKFD_IOC_DBG_ADDRESS_WATCH_DEPRECATED, &a);
	EXPECT_IOCTL(EPERM, fd, AMDKFD_IOC_DBG_WAVE_CONTROL_DEPRECATED, &a);
}

/* Every existing number with every byte set: any errno, but an end. */
TEST(garbage_in)
{
	static unsigned char arg[512];
	unsigned int nr;
	int fd = kfd_open();

	for (nr = 1; nr <= 0x28; nr++) {
		memset(arg, 0xff, sizeof(arg));
		/* WAIT_EVENTS would be right to sleep for ever. */
		if (nr != 0x0c)
			kfd_err(fd, _IOWR('K', nr, arg), arg);
		memset(arg, 0, sizeof(arg));
		kfd_err(fd, _IOWR('K', nr, arg), arg);
	}
	EXPECT_IOCTL(0, fd, AMDKFD_IOC_GET_VERSION, arg);
}

static int child_version(void *arg)
{
	struct kfd_ioctl_get_version_args v;

	return kfd_err(*(int *)arg, AMDKFD_IOC_GET_VERSION, &v);
}

TEST(forked_child_is_ebadf)
{
	int fd = kfd_open();

	EXPECT_EQ(EBADF, in_child(child_version, &fd));
}

static int child_opens_its_own(void *arg)
{
	struct kfd_ioctl_get_version_args v;
	int fd = open("/dev/kfd", O_RDWR);

	(void)arg;
	return fd < 0 ? errno : kfd_err(fd, AMDKFD_IOC_GET_VERSION, &v);
}

TEST(forked_child_opens_its_own)
{
	int fd = kfd_open();

	EXPECT_EQ(0, in_child(child_opens_its_own, NULL));
	EXPECT_EQ(0, child_version(&fd));
}

TEST(vforked_child_is_ebadf)
{
	struct kfd_ioctl_get_version_args v;
	int status, fd = kfd_open();
	pid_t pid = vfork();

	if (!pid)
		_exit(ioctl(fd, AMDKFD_IOC_GET_VERSION, &v) < 0 ? errno : 0);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(EBADF, WEXITSTATUS(status));
}

TEST(reopen_finds_the_same_process)
{
	struct kfd_ioctl_create_event_args e = { .event_type = KFD_IOC_EVENT_MEMORY };
	struct kfd_ioctl_destroy_event_args d;
	int fd = kfd_open();

	ASSERT_IOCTL(0, fd, AMDKFD_IOC_CREATE_EVENT, &e);
	close(fd);
	fd = kfd_open();
	d.event_id = e.event_id;
	EXPECT_IOCTL(0, fd, AMDKFD_IOC_DESTROY_EVENT, &d);
}

TEST(read_write_poll_do_nothing)
{
	char c = 0;
	int fd = kfd_open();

	EXPECT_EQ(-1l, (long)read(fd, &c, 1));
	EXPECT_EQ(-1l, (long)write(fd, &c, 1));
}

TEST_HARNESS_MAIN
