// SPDX-License-Identifier: MIT
/*
 * GEM_USERPTR: the process's own memory on the render node, without KFD. Jobs reach it, and follow
 * what the process does with it.
 */
#define _GNU_SOURCE
#include <sys/wait.h>

#include "cs_util.h"

#define PAGES	16ul
#define BYTES	(PAGES * PAGE)
#define READONLY	AMDGPU_GEM_USERPTR_READONLY
#define ANONONLY	AMDGPU_GEM_USERPTR_ANONONLY
#define VALIDATE	AMDGPU_GEM_USERPTR_VALIDATE
#define REGISTER	AMDGPU_GEM_USERPTR_REGISTER

FIXTURE(user) {
	struct cs_file f;
	volatile uint32_t *p;
};

static int userptr(int fd, const volatile void *addr, uint64_t bytes, uint32_t flags,
		   uint32_t *handle)
{
	struct drm_amdgpu_gem_userptr a = {
		.addr = (uintptr_t)addr, .size = bytes, .flags = flags,
	};
	int err = kfd_err(fd, DRM_IOCTL_AMDGPU_GEM_USERPTR, &a);

	*handle = err ? 0 : a.handle;
	return err;
}

FIXTURE_SETUP(user)
{
	cs_open(&self->f);
	self->p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->p);
}

FIXTURE_TEARDOWN(user)
{
	cs_close(&self->f);
}

/* An object on the whole of it, where the CPU has it, too. */
static uint32_t shown(FIXTURE_DATA(user) *self, uint32_t flags)
{
	uint32_t h;

	ASSERT_EQ(0, userptr(self->f.fd, self->p, BYTES, flags, &h));
	ASSERT_EQ(0, gem_va(self->f.fd, AMDGPU_VA_OP_MAP, h, (void *)self->p, 0, BYTES, RWX));
	return h;
}

/* A job stores @value at @to: 0, or what became of the job. */
static int store(FIXTURE_DATA(user) *self, const volatile uint32_t *to, uint32_t value)
{
	struct cs cs = { .f = &self->f };

	CS_IB(&cs, DMA, 0, SDMA_WRITE, VA(to), 0, value);
	ASSERT_EQ(0, cs_submit(&cs));
	return cs_wait(&self->f, AMDGPU_HW_IP_DMA, 0, cs.seq);
}

/* A job copies what is at @from to the file's own memory. */
static int load(FIXTURE_DATA(user) *self, const volatile uint32_t *from, uint32_t *value)
{
	struct cs cs = { .f = &self->f };
	int err;

	CS_IB(&cs, DMA, 0, SDMA_COPY, 3, 0, VA(from), VA(self->f.w));
	ASSERT_EQ(0, cs_submit(&cs));
	err = cs_wait(&self->f, AMDGPU_HW_IP_DMA, 0, cs.seq);
	*value = self->f.w[0];
	return err;
}

TEST_F(user, jobs_reach_it)
{
	volatile uint32_t *far = self->p + (BYTES - PAGE) / 4;
	uint32_t seen;

	shown(self, ANONONLY | VALIDATE | REGISTER);
	/* pages that nobody has touched, and one that the CPU has */
	self->p[1] = 0x1234;
	EXPECT_EQ(0, store(self, self->p, 0xabc));
	EXPECT_EQ(0xabcu, self->p[0]);
	EXPECT_EQ(0x1234u, self->p[1]);
	EXPECT_EQ(0, store(self, far, 0xdef));
	EXPECT_EQ(0xdefu, *far);
	*far = 77;
	EXPECT_EQ(0, load(self, far, &seen));
	EXPECT_EQ(77u, seen);
}

TEST_F(user, follows_the_process)
{
	uint32_t seen;

	shown(self, REGISTER);
	EXPECT_EQ(0, store(self, self->p, 5));
	ASSERT_EQ(0, madvise((void *)self->p, BYTES, MADV_DONTNEED));
	EXPECT_EQ(0u, self->p[0]);
	EXPECT_EQ(0, load(self, self->p, &seen));
	EXPECT_EQ(0u, seen);
	/* Other memory at the same place */
	ASSERT_EQ((void *)self->p, mmap((void *)self->p, BYTES, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	EXPECT_EQ(0, store(self, self->p + 8, 6));
	EXPECT_EQ(6u, self->p[8]);
	ASSERT_EQ(0, munmap((void *)self->p, BYTES));
	EXPECT_EQ(ETIME, store(self, self->p, 7));
}

TEST_F(user, read_only)
{
	uint32_t seen;

	self->p[3] = 9;
	ASSERT_EQ(0, mprotect((void *)self->p, BYTES, PROT_READ));
	shown(self, READONLY | VALIDATE);
	EXPECT_EQ(0, load(self, self->p + 3, &seen));
	EXPECT_EQ(9u, seen);
	/* Nor when the CPU may. */
	ASSERT_EQ(0, mprotect((void *)self->p, BYTES, PROT_READ | PROT_WRITE));
	EXPECT_EQ(ETIME, store(self, self->p + 3, 1));
	EXPECT_EQ(9u, self->p[3]);
}

/* What is gone after the object was made, and back before it is used, is no mistake. */
TEST_F(user, memory_may_come_later)
{
	uint32_t h;

	ASSERT_EQ(0, munmap((void *)self->p, BYTES));
	EXPECT_EQ(EFAULT, userptr(self->f.fd, self->p, BYTES, VALIDATE | REGISTER, &h));
	EXPECT_EQ(EFAULT, userptr(self->f.fd, self->p, BYTES, ANONONLY | REGISTER, &h));
	shown(self, REGISTER);
	ASSERT_EQ((void *)self->p, mmap((void *)self->p, BYTES, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	EXPECT_EQ(0, store(self, self->p, 3));
	EXPECT_EQ(3u, self->p[0]);
}

TEST_F(user, what_is_not_taken)
{
	int fd = self->f.fd, memfd = memfd_create("file", 0);
	volatile char *p = (volatile char *)self->p, *file;
	uint32_t h;

	ASSERT_EQ(0, ftruncate(memfd, BYTES));
	file = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
	ASSERT_NE(MAP_FAILED, (void *)file);
	EXPECT_EQ(EINVAL, userptr(fd, p + 8, BYTES, REGISTER, &h));
	EXPECT_EQ(EINVAL, userptr(fd, p, 8, REGISTER, &h));
	EXPECT_EQ(EINVAL, userptr(fd, p, 0, REGISTER, &h));
	EXPECT_EQ(EFAULT, userptr(fd, (void *)-PAGE, PAGE, REGISTER, &h));
	EXPECT_EQ(EFAULT, userptr(fd, p, -PAGE, REGISTER, &h));
	EXPECT_EQ(EFAULT, userptr(fd, p, 1ull << 62, REGISTER, &h));
	EXPECT_EQ(EINVAL, userptr(fd, p, BYTES, REGISTER | 1 << 4, &h));
	EXPECT_EQ(EINVAL, userptr(fd, p, BYTES, REGISTER | 1u << 31, &h));
	EXPECT_EQ(EACCES, userptr(fd, p, BYTES, 0, &h));
	EXPECT_EQ(EACCES, userptr(fd, p, BYTES, VALIDATE | ANONONLY, &h));
	EXPECT_EQ(EPERM, userptr(fd, file, BYTES, ANONONLY | REGISTER, &h));
	EXPECT_EQ(0, userptr(fd, file, BYTES, VALIDATE | REGISTER, &h));
	ASSERT_EQ(0, mprotect((void *)p, PAGE, PROT_READ));
	EXPECT_EQ(EPERM, userptr(fd, p, BYTES, VALIDATE | REGISTER, &h));
	ASSERT_EQ(0, mprotect((void *)p, PAGE, PROT_NONE));
	EXPECT_EQ(EFAULT, userptr(fd, p, BYTES, VALIDATE | READONLY, &h));
}

/* The memory is the process's: the file shows it to nobody else. */
TEST_F(user, is_not_for_others)
{
	uint32_t h = shown(self, REGISTER), mine;
	uint64_t offset;
	int status;
	pid_t pid;

	EXPECT_EQ(EPERM, gem_offset(self->f.fd, h, &offset));
	EXPECT_EQ(-EPERM, gem_export(self->f.fd, h, 0));
	pid = fork();
	if (!pid) {
		bool no = userptr(self->f.fd, self->p, BYTES, REGISTER, &mine) == EPERM;

		no &= gem_va(self->f.fd, AMDGPU_VA_OP_MAP, h, (char *)self->p + BYTES, 0, BYTES,
			     RWX) == EPERM;
		_exit(!no);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	/* The parent's is as it was. */
	EXPECT_EQ(0, store(self, self->p, 4));
	EXPECT_EQ(4u, self->p[0]);
}

/* Who changes memory goes through all objects over it, of whichever file they are. */
TEST_F(user, objects_have_an_end)
{
	struct cs_file other;
	uint32_t h[4];
	int err[4];

	cs_open(&other);
	EXPECT_TRUE(set_parameter("userptrs_per_process", 2));
	err[0] = userptr(self->f.fd, self->p, BYTES, REGISTER, &h[0]);
	err[1] = userptr(other.fd, self->p, BYTES, REGISTER, &h[1]);
	err[2] = userptr(other.fd, self->p, BYTES, REGISTER, &h[2]);
	EXPECT_EQ(0, gem_close(self->f.fd, h[0]));
	err[3] = userptr(other.fd, self->p, BYTES, REGISTER, &h[3]);
	EXPECT_TRUE(set_parameter("userptrs_per_process", 32768));
	EXPECT_EQ(0, err[0]);
	EXPECT_EQ(0, err[1]);
	EXPECT_EQ(ENOMEM, err[2]);
	EXPECT_EQ(0, err[3]);
	cs_close(&other);
}

/* KFD on the same file sees the same process, whoever came first. */
TEST_F(user, beside_kfd)
{
	struct rig r;
	struct rig_mem m;

	shown(self, REGISTER);
	EXPECT_EQ(0, store(self, self->p, 1));
	ASSERT_EQ(0, rig_open_on(&r, self->f.fd, node_gpu_id(gpu_node(0))));
	ASSERT_EQ(0, rig_userptr(&r, mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), BYTES, &m));
	EXPECT_EQ(0, store(self, m.p, 2));
	EXPECT_EQ(2u, *(uint32_t *)m.p);
	EXPECT_EQ(0, store(self, self->p, 3));
	EXPECT_EQ(3u, self->p[0]);
	rig_close(&r);
}

TEST_HARNESS_MAIN
