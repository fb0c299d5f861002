// SPDX-License-Identifier: MIT
/*
 * What newer user space asks of the address space of a file: GEM_VA that waits for syncobjs and
 * signals one, a VMID to oneself, priorities of others' contexts.
 */
#include <pthread.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "cs_util.h"

#define BYTES	(4 * PAGE)

FIXTURE(sync) {
	struct cs_file f;
	uint32_t h;
	struct drm_amdgpu_gem_va va;	/* maps all of it */
};

FIXTURE_SETUP(sync)
{
	cs_open(&self->f);
	ASSERT_EQ(0, gem_create(self->f.fd, BYTES, AMDGPU_GEM_DOMAIN_VRAM, 0, &self->h));
	self->va = (struct drm_amdgpu_gem_va){
		.handle = self->h, .operation = AMDGPU_VA_OP_MAP, .flags = RWX,
		.va_address = 0x700000000000, .map_size = BYTES,
	};
}

FIXTURE_TEARDOWN(sync)
{
	cs_close(&self->f);
}

static uint32_t syncobj(int fd, bool signaled)
{
	struct drm_syncobj_create c = { .flags = signaled ? DRM_SYNCOBJ_CREATE_SIGNALED : 0 };

	ASSERT_EQ(0, ioctl(fd, DRM_IOCTL_SYNCOBJ_CREATE, &c));
	return c.handle;
}

/* Is it signaled now? EINVAL: it holds no fence. */
static int state(int fd, uint32_t handle, uint64_t point)
{
	struct drm_syncobj_timeline_wait w = {
		.handles = (uintptr_t)&handle, .points = (uintptr_t)&point, .count_handles = 1,
	};

	return ioctl(fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &w) ? errno : 0;
}

static uint64_t last_point(int fd, uint32_t handle)
{
	uint64_t point = ~0ull;
	struct drm_syncobj_timeline_array a = {
		.handles = (uintptr_t)&handle, .points = (uintptr_t)&point, .count_handles = 1,
	};

	ASSERT_EQ(0, ioctl(fd, DRM_IOCTL_SYNCOBJ_QUERY, &a));
	return point;
}

static int change(FIXTURE_DATA(sync) *self, uint32_t op)
{
	self->va.operation = op;
	return kfd_err(self->f.fd, DRM_IOCTL_AMDGPU_GEM_VA, &self->va);
}

TEST_F(sync, says_when_it_is_done)
{
	uint32_t plain = syncobj(self->f.fd, false), line = syncobj(self->f.fd, false);

	EXPECT_EQ(EINVAL, state(self->f.fd, plain, 0));
	self->va.vm_timeline_syncobj_out = plain;
	ASSERT_EQ(0, change(self, AMDGPU_VA_OP_MAP));
	EXPECT_EQ(0, state(self->f.fd, plain, 0));

	self->va.vm_timeline_syncobj_out = line;
	self->va.vm_timeline_point = 3;
	ASSERT_EQ(0, change(self, AMDGPU_VA_OP_REPLACE));
	EXPECT_EQ(3u, last_point(self->f.fd, line));
	EXPECT_EQ(0, state(self->f.fd, line, 3));
	EXPECT_EQ(EINVAL, state(self->f.fd, line, 4));
	self->va.vm_timeline_point = 7;
	ASSERT_EQ(0, change(self, AMDGPU_VA_OP_UNMAP));
	EXPECT_EQ(7u, last_point(self->f.fd, line));
	/* What failed says nothing. */
	self->va.vm_timeline_point = 9;
	EXPECT_EQ(ENOENT, change(self, AMDGPU_VA_OP_UNMAP));
	EXPECT_EQ(7u, last_point(self->f.fd, line));
	ASSERT_EQ(0, change(self, AMDGPU_VA_OP_CLEAR));
	EXPECT_EQ(9u, last_point(self->f.fd, line));
}

struct later {
	struct cs_file *f;
	int err;
	FIXTURE_DATA(sync) *self;
};

static void *map_later(void *arg)
{
	struct later *l = arg;

	l->err = change(l->self, AMDGPU_VA_OP_MAP);
	return NULL;
}

/* A job that is not done holds the update up. */
TEST_F(sync, waits_for_its_fences)
{
	struct cs_file *f = &self->f;
	uint32_t in[2] = { syncobj(f->fd, true), syncobj(f->fd, false) };
	uint32_t out = syncobj(f->fd, false);
	struct drm_amdgpu_cs_chunk_sem sem = { in[1] };
	struct later l = { .f = f, .self = self, .err = -1 };
	struct cs cs = { .f = f };
	pthread_t thread;

	CS_IB(&cs, COMPUTE, 0, PM4_WAIT(f->w, 1), PM4_WRITE(f->w + 1, 3));
	cs_chunk(&cs, AMDGPU_CHUNK_ID_SYNCOBJ_OUT, &sem, sizeof(sem));
	ASSERT_EQ(0, cs_submit(&cs));
	self->va.num_syncobj_handles = 2;
	self->va.input_fence_syncobj_handles = (uintptr_t)in;
	self->va.vm_timeline_syncobj_out = out;
	ASSERT_EQ(0, pthread_create(&thread, NULL, map_later, &l));
	usleep(30000);
	EXPECT_EQ(EINVAL, state(f->fd, out, 0));
	EXPECT_EQ(0u, f->w[1]);
	f->w[0] = 1;
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, l.err);
	EXPECT_EQ(3u, f->w[1]);
	EXPECT_EQ(0, state(f->fd, out, 0));
}

TEST_F(sync, what_is_not_taken)
{
	int fd = self->f.fd;
	uint32_t in[2] = { syncobj(fd, true), syncobj(fd, false) };

	self->va.num_syncobj_handles = 2;
	EXPECT_EQ(EFAULT, change(self, AMDGPU_VA_OP_MAP));
	self->va.input_fence_syncobj_handles = (uintptr_t)in;
	EXPECT_EQ(EINVAL, change(self, AMDGPU_VA_OP_MAP));	/* the second holds none */
	in[1] = 0;
	EXPECT_EQ(EINVAL, change(self, AMDGPU_VA_OP_MAP));
	in[1] = 0xdead;
	EXPECT_EQ(ENOENT, change(self, AMDGPU_VA_OP_MAP));
	self->va.num_syncobj_handles = ~0u;
	EXPECT_EQ(ENOMEM, change(self, AMDGPU_VA_OP_MAP));
	self->va.num_syncobj_handles = 1;
	self->va.vm_timeline_syncobj_out = 0xdead;
	EXPECT_EQ(ENOENT, change(self, AMDGPU_VA_OP_MAP));
	self->va.vm_timeline_syncobj_out = in[0];
	self->va.flags |= AMDGPU_VM_DELAY_UPDATE;
	EXPECT_EQ(EINVAL, change(self, AMDGPU_VA_OP_MAP));
	/* None of them mapped anything. */
	self->va.flags = RWX;
	EXPECT_EQ(0, change(self, AMDGPU_VA_OP_MAP));
	EXPECT_EQ(EINVAL, change(self, AMDGPU_VA_OP_MAP));
}

/* Programs that know nothing of the new fields pass 40 bytes. */
TEST_F(sync, old_programs)
{
	struct {
		uint8_t bytes[offsetof(struct drm_amdgpu_gem_va, vm_timeline_point)];
		uint8_t garbage[24];
	} old;

	memcpy(old.bytes, &self->va, sizeof(old.bytes));
	memset(old.garbage, 0xff, sizeof(old.garbage));
	EXPECT_EQ(40u, sizeof(old.bytes));
	EXPECT_EQ(0, kfd_err(self->f.fd, _IOC(_IOC_WRITE, DRM_IOCTL_BASE,
					      DRM_COMMAND_BASE + DRM_AMDGPU_GEM_VA, 40), &old));
	EXPECT_EQ(0, change(self, AMDGPU_VA_OP_UNMAP));
}

static int vm_op(int fd, uint32_t op, uint32_t flags)
{
	union drm_amdgpu_vm a = { .in = { op, flags } };

	return kfd_err(fd, DRM_IOCTL_AMDGPU_VM, &a);
}

TEST_F(sync, a_vmid_to_oneself)
{
	int other = drm_open();

	ASSERT_LE(0, other);
	EXPECT_EQ(0, vm_op(self->f.fd, AMDGPU_VM_OP_UNRESERVE_VMID, 0));
	EXPECT_EQ(0, vm_op(self->f.fd, AMDGPU_VM_OP_RESERVE_VMID, 0));
	EXPECT_EQ(0, vm_op(self->f.fd, AMDGPU_VM_OP_RESERVE_VMID, 0));
	/* There is one, and nobody gives another's back. */
	EXPECT_EQ(ENOENT, vm_op(other, AMDGPU_VM_OP_RESERVE_VMID, 0));
	EXPECT_EQ(0, vm_op(other, AMDGPU_VM_OP_UNRESERVE_VMID, 0));
	EXPECT_EQ(ENOENT, vm_op(other, AMDGPU_VM_OP_RESERVE_VMID, 0));
	EXPECT_EQ(0, vm_op(self->f.fd, AMDGPU_VM_OP_UNRESERVE_VMID, 0));
	EXPECT_EQ(0, vm_op(other, AMDGPU_VM_OP_RESERVE_VMID, 0));
	EXPECT_EQ(ENOENT, vm_op(self->f.fd, AMDGPU_VM_OP_RESERVE_VMID, 0));
	close(other);
	EXPECT_EQ(0, vm_op(self->f.fd, AMDGPU_VM_OP_RESERVE_VMID, 0));
	EXPECT_EQ(EINVAL, vm_op(self->f.fd, 0, 0));
	EXPECT_EQ(EINVAL, vm_op(self->f.fd, 3, 0));
	EXPECT_EQ(EINVAL, vm_op(self->f.fd, AMDGPU_VM_OP_RESERVE_VMID, 1));
}

static int sched(int card, uint32_t op, int fd, int32_t priority, uint32_t ctx)
{
	union drm_amdgpu_sched a = { .in = { op, fd, priority, ctx } };

	return kfd_err(card, DRM_IOCTL_AMDGPU_SCHED, &a);
}

static int card_open(int render)
{
	char path[32];
	struct stat st;

	ASSERT_EQ(0, fstat(render, &st));
	snprintf(path, sizeof(path), "/dev/dri/card%u", minor(st.st_rdev) - 128);
	return open(path, O_RDWR | O_CLOEXEC);
}

#define ONE	AMDGPU_SCHED_OP_CONTEXT_PRIORITY_OVERRIDE
#define ALL	AMDGPU_SCHED_OP_PROCESS_PRIORITY_OVERRIDE
#define LOW	AMDGPU_CTX_PRIORITY_LOW
#define HIGH	AMDGPU_CTX_PRIORITY_HIGH

TEST_F(sync, priorities_of_others)
{
	struct cs_file *f = &self->f;
	int card = card_open(f->fd), null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct cs cs = { .f = f };

	ASSERT_LE(0, card);
	/* Whoever opens a card first is its master; and a render node has none. */
	EXPECT_EQ(EACCES, sched(f->fd, ONE, f->fd, LOW, f->ctx));
	EXPECT_EQ(0, sched(card, ONE, f->fd, LOW, f->ctx));
	EXPECT_EQ(0, sched(card, ALL, f->fd, HIGH, 0));
	EXPECT_EQ(0, sched(card, ALL, card, HIGH, 0));
	EXPECT_EQ(EINVAL, sched(card, ONE, f->fd, LOW, 0xdead));
	EXPECT_EQ(EINVAL, sched(card, ONE, -1, LOW, f->ctx));
	EXPECT_EQ(EINVAL, sched(card, ONE, null, LOW, f->ctx));
	EXPECT_EQ(EINVAL, sched(card, ALL, null, LOW, 0));
	EXPECT_EQ(EINVAL, sched(card, ALL, f->fd, 7, 0));
	EXPECT_EQ(EINVAL, sched(card, 0, f->fd, LOW, f->ctx));
	EXPECT_EQ(EINVAL, sched(card, 3, f->fd, LOW, f->ctx));
	/* Jobs run at any of them. */
	CS_IB(&cs, COMPUTE, 0, PM4_WRITE(f->w + 2, 8));
	ASSERT_EQ(0, cs_submit(&cs));
	EXPECT_EQ(0, cs_wait(f, AMDGPU_HW_IP_COMPUTE, 0, cs.seq));
	EXPECT_EQ(8u, f->w[2]);
	EXPECT_EQ(0, ioctl(card, DRM_IOCTL_DROP_MASTER, 0));
	EXPECT_EQ(EACCES, sched(card, ONE, f->fd, LOW, f->ctx));
}

TEST_HARNESS_MAIN
