// SPDX-License-Identifier: MIT
/* Queue ioctls and their arguments. What queues do is in ../queue. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/fsuid.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kfd_util.h"

#define RING_BYTES	(64 * KB)
#define MAX_QUEUES	127

FIXTURE(queue) {
	struct gpu g;
	char *p;		/* ring, and a page with the indices behind it */
	struct kfd_ioctl_create_queue_args c;
};

FIXTURE_SETUP(queue)
{
	gpu_open(&self->g);
	self->p = ring_memory(&self->g, RING_BYTES);
	self->c = ring_queue(&self->g, self->p, RING_BYTES, 7);
}

FIXTURE_TEARDOWN(queue)
{
	close(self->g.drm);
	close(self->g.kfd);
}

static int create(const struct gpu *g, struct kfd_ioctl_create_queue_args *c)
{
	return kfd_err(g->kfd, AMDKFD_IOC_CREATE_QUEUE, c);
}

static int destroy(const struct gpu *g, uint32_t id)
{
	struct kfd_ioctl_destroy_queue_args d = { .queue_id = id };

	return kfd_err(g->kfd, AMDKFD_IOC_DESTROY_QUEUE, &d);
}

TEST_F(queue, create_and_destroy)
{
	struct kfd_ioctl_create_queue_args c = self->c;

	ASSERT_EQ(0, create(&self->g, &c));
	EXPECT_EQ(0u, c.queue_id);
	EXPECT_EQ(KFD_MMAP_TYPE_DOORBELL, c.doorbell_offset & KFD_MMAP_TYPE_MASK);
	EXPECT_EQ(self->g.id, (uint32_t)KFD_MMAP_GET_GPU_ID(c.doorbell_offset));
	EXPECT_GT(8192ull, c.doorbell_offset & 0x3fffffffffffull);
	EXPECT_EQ(0ull, c.doorbell_offset % 8);
	EXPECT_EQ(0, destroy(&self->g, c.queue_id));
	EXPECT_EQ(EINVAL, destroy(&self->g, c.queue_id));
	EXPECT_EQ(EINVAL, destroy(&self->g, 0xffffffff));
}

/* Of all processes together, as in the real driver: EPERM. */
TEST_F(queue, a_gpu_takes_so_many)
{
	struct kfd_ioctl_create_queue_args c[3] = { self->c, self->c, self->c };
	int err[5];

	EXPECT_TRUE(set_parameter("queues_per_gpu", 2));
	err[0] = create(&self->g, &c[0]);
	err[1] = create(&self->g, &c[1]);
	err[2] = create(&self->g, &c[2]);
	EXPECT_EQ(0, destroy(&self->g, c[0].queue_id));
	err[3] = create(&self->g, &c[2]);
	/* There are more than that now. */
	EXPECT_TRUE(set_parameter("queues_per_gpu", 1));
	err[4] = create(&self->g, &c[0]);
	EXPECT_TRUE(set_parameter("queues_per_gpu", 4096));
	EXPECT_EQ(0, err[0]);
	EXPECT_EQ(0, err[1]);
	EXPECT_EQ(EPERM, err[2]);
	EXPECT_EQ(0, err[3]);
	EXPECT_EQ(EPERM, err[4]);
}

/* What a child has got as a user, who lets go of it only at its end */
struct share {
	pid_t pid;
	struct {
		int n, err;
	} got;
};

/*
 * @sub: not 0: a subordinate id of @uid, which has a user namespace of its own. There that is 1, and
 * root is 5.
 */
struct user {
	uid_t uid, sub;
	int n;
};

/* Its files are root's, and it is to have no privilege beyond them: that is what fsuid is for. */
static int become(const struct user *u, int mapped)
{
	const uid_t uid = u->sub ? 1 : u->uid, root = u->sub ? 5 : 0;
	char byte;

	if (!u->uid)
		return 0;
	if (u->sub && (setresuid(u->uid, u->uid, 0) || unshare(CLONE_NEWUSER) ||
		       kill(getpid(), SIGSTOP) || read(mapped, &byte, 1) != 1))
		return -1;
	if (setresuid(uid, uid, root))
		return -1;
	setfsuid(root);
	return 0;
}

/* As newuidmap(1) does it, once the child has made its namespace. */
static void map_sub(pid_t pid, const struct user *u, int mapped)
{
	char path[64], map[96];
	int status, fd, n = snprintf(map, sizeof(map), "1 %u 1\n5 0 1\n", u->sub);

	ASSERT_EQ(pid, waitpid(pid, &status, WUNTRACED));
	ASSERT_TRUE(WIFSTOPPED(status));
	snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
	fd = open(path, O_WRONLY);
	EXPECT_EQ((ssize_t)n, write(fd, map, n));
	close(fd);
	kill(pid, SIGCONT);
	EXPECT_EQ(1l, (long)write(mapped, "", 1));
}

static struct share takes_all(const struct user *u)
{
	struct share s = { 0 };
	int fd[2], mapped[2];

	ASSERT_EQ(0, pipe(fd));
	ASSERT_EQ(0, pipe(mapped));
	s.pid = fork();
	if (!s.pid) {
		struct kfd_ioctl_create_queue_args c, ring;
		struct gpu g;

		if (become(u, mapped[0]))
			_exit(1);
		gpu_open(&g);
		ring = ring_queue(&g, ring_memory(&g, RING_BYTES), RING_BYTES, 7);
		for (; s.got.n < 16; s.got.n++) {
			c = ring;
			s.got.err = create(&g, &c);
			if (s.got.err)
				break;
		}
		if (write(fd[1], &s.got, sizeof(s.got)) != sizeof(s.got))
			_exit(2);
		for (;;)
			pause();
	}
	close(fd[1]);
	if (u->sub)
		map_sub(s.pid, u, mapped[1]);
	close(mapped[0]);
	close(mapped[1]);
	EXPECT_EQ((ssize_t)sizeof(s.got), read(fd[0], &s.got, sizeof(s.got)));
	close(fd[0]);
	return s;
}

/* Of users without privileges, each may have half of what the others leave, whatever its names. */
TEST(a_user_leaves_queues_to_others)
{
	static const struct user users[] = {
		{ 1001, 0, 4 }, { 1002, 0, 2 }, { 1001, 0, 0 }, { 1001, 101001, 0 },
		{ 1003, 0, 1 }, { 0, 0, 1 },
	};
	enum { N = sizeof(users) / sizeof(users[0]) };
	struct share s[N];
	unsigned int i;

	EXPECT_TRUE(set_parameter("queues_per_gpu", 8));
	for (i = 0; i < N; i++)
		s[i] = takes_all(&users[i]);
	EXPECT_TRUE(set_parameter("queues_per_gpu", 4096));
	for (i = 0; i < N; i++) {
		kill(s[i].pid, SIGKILL);
		waitpid(s[i].pid, NULL, 0);
		EXPECT_EQ(users[i].n, s[i].got.n);
		EXPECT_EQ(EPERM, s[i].got.err);
	}
}

/* The struct before 1.17 ended eight bytes earlier. */
TEST_F(queue, create_with_the_old_struct)
{
	struct kfd_ioctl_create_queue_args c = self->c;

	c.sdma_engine_id = 0x77;
	ASSERT_EQ(0, kfd_err(self->g.kfd, _IOWR('K', 0x02, char[88]), &c));
	EXPECT_EQ(0x77u, c.sdma_engine_id);
	EXPECT_EQ(0, destroy(&self->g, c.queue_id));
}

#define EXPECT_CREATE(_errno, _field, _value) \
	do { \
		struct kfd_ioctl_create_queue_args c = self->c; \
		c._field = (_value); \
		EXPECT_EQ(_errno, create(&self->g, &c)); \
	} while (0)

TEST_F(queue, create_bad)
{
	EXPECT_CREATE(EINVAL, queue_percentage, 101);
	EXPECT_CREATE(EINVAL, queue_percentage, 101 | 1 << 8);
	EXPECT_CREATE(EINVAL, queue_priority, 16);
	EXPECT_CREATE(EINVAL, ring_size, 3 * 4096);
	EXPECT_CREATE(EINVAL, metadata_ring_size, 3 * 4096);
	EXPECT_CREATE(EINVAL, gpu_id, BAD_GPU);
	EXPECT_CREATE(EFAULT, ring_base_address, 0xffff800000000000ull);
	EXPECT_CREATE(EFAULT, read_pointer_address, 0xffff800000000000ull);
	EXPECT_CREATE(EFAULT, write_pointer_address, 0xffffffffffffff00ull);
	EXPECT_CREATE(EFAULT, eop_buffer_address, 0xffff800000000000ull);
	EXPECT_CREATE(EFAULT, ctx_save_restore_address, 0xffff800000000000ull);
	/* The driver's ENOTSUPP, which is no errno of user space. */
	EXPECT_CREATE(524, queue_type, 5);
}

TEST_F(queue, create_sdma)
{
	struct kfd_ioctl_create_queue_args c = self->c;

	c.queue_type = KFD_IOC_QUEUE_TYPE_SDMA;
	ASSERT_EQ(0, create(&self->g, &c));
	EXPECT_EQ(0x100ull * 8, c.doorbell_offset & 0x3fffffffffffull);
	EXPECT_EQ(0, destroy(&self->g, c.queue_id));

	/* Engines by number, from 1.17 on; one that is not there is told from a full one */
	c = self->c;
	c.queue_type = KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID;
	c.sdma_engine_id = 1;
	if (node_prop(gpu_node(0), "num_sdma_engines") > 1) {
		ASSERT_EQ(0, create(&self->g, &c));
		EXPECT_EQ(0x10aull * 8, c.doorbell_offset & 0x3fffffffffffull);
		EXPECT_EQ(0, destroy(&self->g, c.queue_id));
	} else {
		EXPECT_NE(0, create(&self->g, &c));
	}
	c.sdma_engine_id = 0xffffffff;
	EXPECT_EQ(EINVAL, create(&self->g, &c));
}

TEST(create_without_vm)
{
	struct kfd_ioctl_create_queue_args c = {
		.gpu_id = node_gpu_id(gpu_node(0)), .queue_percentage = 100,
		.queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL, .ring_size = 4096,
	};

	EXPECT_IOCTL(ESRCH, kfd_open(), AMDKFD_IOC_CREATE_QUEUE, &c);
}

TEST_F(queue, ids_and_doorbells_are_recycled)
{
	struct kfd_ioctl_create_queue_args a = self->c, b = self->c, c = self->c;

	ASSERT_EQ(0, create(&self->g, &a));
	ASSERT_EQ(0, create(&self->g, &b));
	EXPECT_EQ(1u, b.queue_id);
	EXPECT_NE(a.doorbell_offset, b.doorbell_offset);
	ASSERT_EQ(0, destroy(&self->g, a.queue_id));
	ASSERT_EQ(0, create(&self->g, &c));
	EXPECT_EQ(a.queue_id, c.queue_id);
	EXPECT_NE(b.doorbell_offset, c.doorbell_offset);
}

TEST_F(queue, as_many_as_the_scheduler_takes)
{
	struct kfd_ioctl_create_queue_args c;
	int i;

	for (i = 0; i < MAX_QUEUES; i++) {
		c = self->c;
		ASSERT_EQ(0, create(&self->g, &c));
	}
	c = self->c;
	EXPECT_EQ(ENOSPC, create(&self->g, &c));
	for (i = 0; i < MAX_QUEUES; i++)
		EXPECT_EQ(0, destroy(&self->g, i));
}

TEST_F(queue, update)
{
	struct kfd_ioctl_create_queue_args c = self->c;
	struct kfd_ioctl_update_queue_args good, u;

	ASSERT_EQ(0, create(&self->g, &c));
	good = (struct kfd_ioctl_update_queue_args) {
		.queue_id = c.queue_id, .ring_base_address = self->c.ring_base_address,
		.ring_size = RING_BYTES, .queue_percentage = 0, .queue_priority = 3,
	};
	u = good;
	EXPECT_IOCTL(0, self->g.kfd, AMDKFD_IOC_UPDATE_QUEUE, &u);
	u.queue_percentage = 100;
	EXPECT_IOCTL(0, self->g.kfd, AMDKFD_IOC_UPDATE_QUEUE, &u);
	u.ring_base_address = 0;
	EXPECT_IOCTL(0, self->g.kfd, AMDKFD_IOC_UPDATE_QUEUE, &u);

	/* Where the packets of a PM4 queue go (Linux 7.2) */
	u.queue_percentage = 100 | 3 << 8;
	EXPECT_IOCTL(0, self->g.kfd, AMDKFD_IOC_UPDATE_QUEUE, &u);
	c.queue_percentage = 100 | 1 << 8;
	EXPECT_EQ(0, create(&self->g, &c));

	u = good;
	u.queue_percentage = 101;
	EXPECT_IOCTL(EINVAL, self->g.kfd, AMDKFD_IOC_UPDATE_QUEUE, &u);
	u = good;
	u.queue_priority = 16;
	EXPECT_IOCTL(EINVAL, self->g.kfd, AMDKFD_IOC_UPDATE_QUEUE, &u);
	u = good;
	u.ring_size = 5000;
	EXPECT_IOCTL(EINVAL, self->g.kfd, AMDKFD_IOC_UPDATE_QUEUE, &u);
	u = good;
	u.ring_base_address = 0xffff800000000000ull;
	EXPECT_IOCTL(EFAULT, self->g.kfd, AMDKFD_IOC_UPDATE_QUEUE, &u);
	u = good;
	u.queue_id = 99;
	EXPECT_IOCTL(EFAULT, self->g.kfd, AMDKFD_IOC_UPDATE_QUEUE, &u);
}

TEST_F(queue, no_ring_is_an_inactive_queue)
{
	struct kfd_ioctl_create_queue_args c = self->c;

	c.ring_base_address = 0;
	c.ring_size = 0;
	if (queue_buffers_checked()) {
		EXPECT_EQ(EINVAL, create(&self->g, &c));
		return;
	}
	EXPECT_EQ(0, create(&self->g, &c));
	EXPECT_EQ(0, destroy(&self->g, c.queue_id));
}

/*
 * Nothing is mapped where they point: the GPU faults, the kernel does not. Newer drivers
 * make no such queue.
 */
TEST_F(queue, wild_addresses)
{
	struct kfd_ioctl_create_queue_args c = self->c;
	char *gone = mmap(NULL, 32 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, (void *)gone);
	ASSERT_EQ(0, munmap(gone, 32 * PAGE));
	c.ring_base_address = (uintptr_t)gone + 0x123;
	/* Fields 56 and 128 of a struct that is not there. */
	c.write_pointer_address = (uintptr_t)gone + 16 * PAGE + 56;
	c.read_pointer_address = (uintptr_t)gone + 16 * PAGE + 128;
	if (queue_buffers_checked()) {
		EXPECT_EQ(EINVAL, create(&self->g, &c));
		return;
	}
	EXPECT_EQ(0, create(&self->g, &c));
	usleep(50000);
	EXPECT_EQ(0, destroy(&self->g, c.queue_id));
}

TEST_F(queue, xnack_cannot_be_set_with_queues)
{
	struct kfd_ioctl_create_queue_args c = self->c;
	struct kfd_ioctl_set_xnack_mode_args x = { .xnack_enabled = 0 };

	ASSERT_EQ(0, create(&self->g, &c));
	EXPECT_IOCTL(EBUSY, self->g.kfd, AMDKFD_IOC_SET_XNACK_MODE, &x);
	ASSERT_EQ(0, destroy(&self->g, c.queue_id));
	EXPECT_IOCTL(0, self->g.kfd, AMDKFD_IOC_SET_XNACK_MODE, &x);
}

static long long read_number(const char *path)
{
	long long v = -1;
	FILE *f = fopen(path, "r");

	if (f) {
		if (fscanf(f, "%lld", &v) != 1)
			v = -1;
		fclose(f);
	}
	return v;
}

TEST_F(queue, sysfs)
{
	struct kfd_ioctl_create_queue_args c = self->c;
	char path[160];
	int n;

	ASSERT_EQ(0, create(&self->g, &c));
	n = snprintf(path, sizeof(path), "/sys/devices/virtual/kfd/kfd/proc/%d/queues/%u/",
		     getpid(), c.queue_id);
	strcpy(path + n, "size");
	EXPECT_EQ((long long)RING_BYTES, read_number(path));
	strcpy(path + n, "type");
	EXPECT_EQ(0ll, read_number(path));
	strcpy(path + n, "gpuid");
	EXPECT_EQ((long long)self->g.id, read_number(path));
	ASSERT_EQ(0, destroy(&self->g, c.queue_id));
	EXPECT_EQ(-1, access(path, F_OK));
}

TEST_HARNESS_MAIN
