// SPDX-License-Identifier: MIT
/*
 * User queues of the render node: packets that the GPU takes from memory when a doorbell says so,
 * without KFD. They are there if the module's parameter user_queue says so, as amdgpu's does on
 * hardware that has them.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "userq_util.h"

#define GPU	"/sys/kernel/debug/kfd/0/"
#define DATA	(8 * PAGE)		/* what packets work on: the file's memory, from there */
#define WAIT_ONE(va, value) \
	PM4_HDR(0xd1, 6), 0u, (uint32_t)(va), (uint32_t)((va) >> 32), \
	(uint32_t)(value), (uint32_t)((uint64_t)(value) >> 32)

FIXTURE(userq) {
	struct cs_file f;
	struct userq q;
	int was;
};

static int wait_for(struct userq *q, uint32_t sync, struct drm_amdgpu_userq_fence_info *info,
		    uint32_t *n)
{
	struct drm_amdgpu_userq_wait w = {
		.waitq_id = q->id, .syncobj_handles = (uintptr_t)&sync, .num_syncobj_handles = 1,
		.num_fences = *n, .out_fences = (uintptr_t)info,
	};
	int err = kfd_err(q->fd, DRM_IOCTL_AMDGPU_USERQ_WAIT, &w);

	*n = w.num_fences;
	return err;
}

FIXTURE_SETUP(userq)
{
	self->was = use_user_queues(1);
	cs_open(&self->f);
	userq_open(self->f.fd, &self->q);
}

FIXTURE_TEARDOWN(userq)
{
	cs_close(&self->f);
	use_user_queues(self->was);
}

TEST_F(userq, packets_are_executed)
{
	struct userq *q = &self->q;
	volatile uint32_t *w = self->f.w;
	uint32_t i, sync = syncobj(q->fd);

	/* More than once around the ring, and idle in between */
	for (i = 1; i <= 200; i++) {
		PUT(q, PM4_WRITE(w + 1, i), SIGNAL);
		ring(q);
		if (i % 20)
			continue;
		ASSERT_EQ(0, signal_to(q, sync, 0));
		ASSERT_EQ(0, sync_wait(q->fd, sync, FOREVER));
		ASSERT_EQ(i, w[1]);
	}
	EXPECT_EQ(0, userq_free(q));
	EXPECT_EQ(ENOENT, userq_free(q));
	/* What has been freed can be made again. */
	userq_open(q->fd, q);
	PUT(q, PM4_WRITE(w + 2, 5), SIGNAL);
	ASSERT_EQ(0, signal_to(q, sync, 0));
	ring(q);
	ASSERT_EQ(0, sync_wait(q->fd, sync, FOREVER));
	EXPECT_EQ(5u, w[2]);
}

/* A fence is of the packets before it: those that wait keep it from signaling. */
TEST_F(userq, fences)
{
	struct userq *q = &self->q;
	volatile uint32_t *w = self->f.w;
	uint32_t first = syncobj(q->fd), second = syncobj(q->fd), none = syncobj(q->fd);
	union drm_amdgpu_gem_wait_idle idle = { .in = { .handle = self->f.h } };

	PUT(q, PM4_WAIT(w, 1), PM4_WRITE(w + 1, 7), SIGNAL);
	ASSERT_EQ(0, signal_to(q, first, self->f.h));
	PUT(q, PM4_WAIT(w, 2), SIGNAL);
	ASSERT_EQ(0, signal_to(q, second, 0));
	ring(q);
	EXPECT_EQ(ETIME, sync_wait(q->fd, first, cs_in_ms(30)));
	EXPECT_EQ(0, ioctl(q->fd, DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, &idle));
	EXPECT_EQ(1u, idle.out.status);
	w[0] = 1;
	EXPECT_EQ(0, sync_wait(q->fd, first, FOREVER));
	EXPECT_EQ(7u, w[1]);
	EXPECT_EQ(ETIME, sync_state(q->fd, second));
	idle.in = (struct drm_amdgpu_gem_wait_idle_in){ .handle = self->f.h, .timeout = FOREVER };
	EXPECT_EQ(0, ioctl(q->fd, DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, &idle));
	EXPECT_EQ(0u, idle.out.status);
	w[0] = 2;
	EXPECT_EQ(0, sync_wait(q->fd, second, FOREVER));
	/* Of nothing new: there is nothing to wait for. */
	EXPECT_EQ(0, signal_to(q, none, 0));
	EXPECT_EQ(0, sync_state(q->fd, none));
}

/* Two queues of two files: one waits for the other by a packet. */
TEST_F(userq, queues_wait_for_each_other)
{
	struct userq *q = &self->q, other;
	volatile uint32_t *w = self->f.w;
	struct drm_amdgpu_userq_fence_info info[4];
	uint32_t sync = syncobj(q->fd), done = syncobj(q->fd), n = 0;

	userq_open(q->fd, &other);
	PUT(q, PM4_WAIT(w, 1), PM4_WRITE(w + 1, 9), SIGNAL);
	ASSERT_EQ(0, signal_to(q, sync, 0));
	ring(q);
	EXPECT_EQ(0, wait_for(&other, sync, info, &n));
	EXPECT_EQ(1u, n);
	n = 4;
	ASSERT_EQ(0, wait_for(&other, sync, info, &n));
	ASSERT_EQ(1u, n);
	EXPECT_EQ(q->wptr, (uint64_t)info[0].value);
	PUT(&other, WAIT_ONE(info[0].va, info[0].value), PM4_WRITE(w + 2, 3), SIGNAL);
	ASSERT_EQ(0, signal_to(&other, done, 0));
	ring(&other);
	EXPECT_EQ(ETIME, sync_wait(q->fd, done, cs_in_ms(30)));
	EXPECT_EQ(0u, w[2]);
	w[0] = 1;
	EXPECT_EQ(0, sync_wait(q->fd, done, FOREVER));
	EXPECT_EQ(9u, w[1]);
	EXPECT_EQ(3u, w[2]);
	/* What is done is not told. */
	n = 4;
	EXPECT_EQ(0, wait_for(&other, sync, info, &n));
	EXPECT_EQ(0u, n);
	/* GPUs cannot write there. */
	PUT(&other, PM4_WRITE((void *)(uintptr_t)info[0].va, 0), SIGNAL);
	ASSERT_EQ(0, signal_to(&other, done, 0));
	ring(&other);
	EXPECT_NE(ETIME, sync_wait(q->fd, done, FOREVER));
	n = 4;
	EXPECT_EQ(EINVAL, wait_for(&(struct userq){ .fd = q->fd, .id = 77 }, sync, info, &n));
}

/* Jobs of contexts and user queues wait for each other by what they share. */
TEST_F(userq, beside_jobs)
{
	struct userq *q = &self->q;
	struct cs_file *f = &self->f;
	volatile uint32_t *w = f->w;
	uint32_t sync = syncobj(q->fd);
	struct drm_amdgpu_cs_chunk_sem sem = { sync };
	struct cs cs = { .f = f };

	PUT(q, PM4_WAIT(w, 1), PM4_WRITE(w + 1, 4), SIGNAL);
	ASSERT_EQ(0, signal_to(q, sync, 0));
	ring(q);
	CS_IB(&cs, DMA, 0, SDMA_COPY, 3, 0, VA(w + 1), VA(w + 2));
	cs_chunk(&cs, AMDGPU_CHUNK_ID_SYNCOBJ_IN, &sem, sizeof(sem));
	ASSERT_EQ(0, cs_submit(&cs));
	EXPECT_TRUE(cs_busy(f, AMDGPU_HW_IP_DMA, 0, cs.seq));
	w[0] = 1;
	EXPECT_EQ(0, cs_wait(f, AMDGPU_HW_IP_DMA, 0, cs.seq));
	EXPECT_EQ(4u, w[2]);
}

/* A bad packet, a fault: the queue is dead, and its fences say so. Others go on. */
TEST_F(userq, errors)
{
	struct userq *q = &self->q, other;
	volatile uint32_t *w = self->f.w;
	uint32_t sync = syncobj(q->fd), after = syncobj(q->fd);
	int fd = drm_open();

	userq_open(fd, &other);
	PUT(q, 0xc0000000 | 0xff << 8, 0, SIGNAL);
	ASSERT_EQ(0, signal_to(q, sync, 0));
	ring(q);
	/* A failed fence ends a wait. */
	EXPECT_EQ(0, sync_wait(q->fd, sync, FOREVER));
	EXPECT_EQ(0u, w[1]);
	PUT(q, PM4_WRITE(w + 1, 4), SIGNAL);
	ASSERT_EQ(0, signal_to(q, after, 0));
	EXPECT_EQ(0, sync_state(q->fd, after));
	EXPECT_EQ(0, userq_free(q));

	userq_open(q->fd, q);
	PUT(q, PM4_WRITE((void *)0x600000000000, 4), SIGNAL);
	ASSERT_EQ(0, signal_to(q, sync, 0));
	ring(q);
	EXPECT_EQ(0, sync_wait(q->fd, sync, FOREVER));
	EXPECT_EQ(0, userq_free(q));

	sync = syncobj(fd);
	PUT(&other, SIGNAL);
	ASSERT_EQ(0, signal_to(&other, sync, 0));
	ring(&other);
	EXPECT_EQ(0, sync_wait(fd, sync, FOREVER));
	close(fd);
}

static int create_with(struct userq *q, uint64_t *field, uint64_t value)
{
	uint64_t was = *field;
	union drm_amdgpu_userq a;
	int err;

	*field = value;
	a = q->args;
	err = userq(q->fd, &a);
	*field = was;
	return err;
}

TEST_F(userq, what_is_not_taken)
{
	struct userq q;
	struct drm_amdgpu_userq_in *in = &q.args.in;
	union drm_amdgpu_userq a;
	uint32_t big;
	char *two;

	userq_prepare(self->f.fd, &q);
	EXPECT_EQ(EINVAL, create_with(&q, (void *)&in->queue_va, 0));
	EXPECT_EQ(EINVAL, create_with(&q, (void *)&in->queue_va, ~0ull));
	EXPECT_EQ(EINVAL, create_with(&q, (void *)&in->queue_va, 0x600000000000));
	EXPECT_EQ(EINVAL, create_with(&q, (void *)&in->queue_size, 0));
	EXPECT_EQ(EINVAL, create_with(&q, (void *)&in->queue_size, 2048));
	EXPECT_EQ(EINVAL, create_with(&q, (void *)&in->queue_size, PAGE + 256));
	EXPECT_EQ(EINVAL, create_with(&q, (void *)&in->queue_size, 2 * PAGE));
	EXPECT_EQ(EINVAL, create_with(&q, (void *)&in->queue_size, 1ull << 63));
	EXPECT_EQ(EINVAL, create_with(&q, (void *)&in->wptr_va, 0));
	EXPECT_EQ(EINVAL, create_with(&q, (void *)&in->rptr_va, 0));
	EXPECT_EQ(EINVAL, create_with(&q, (void *)&in->rptr_va, 0x600000000000));
	EXPECT_EQ(EINVAL, create_with(&q, (void *)&in->mqd_size, 16));
	EXPECT_EQ(EFAULT, create_with(&q, (void *)&in->mqd, 0));
	EXPECT_EQ(EINVAL, create_with(&q, (void *)&q.mqd.eop_va, 0x600000000000));
	/* The write index is in an object of one page. */
	two = object(q.fd, 2 * PAGE, &big);
	EXPECT_EQ(EINVAL, create_with(&q, (void *)&in->wptr_va, (uintptr_t)two));

	a = q.args;
	a.in.doorbell_offset = PAGE / 8;
	EXPECT_EQ(EINVAL, userq(q.fd, &a));
	a = q.args;
	a.in.doorbell_offset = ~0u;
	EXPECT_EQ(EINVAL, userq(q.fd, &a));
	a = q.args;
	a.in.doorbell_handle = q.ring_h;	/* no doorbells */
	EXPECT_EQ(EINVAL, userq(q.fd, &a));
	a = q.args;
	a.in.doorbell_handle = 0xdead;
	EXPECT_EQ(EINVAL, userq(q.fd, &a));
	a = q.args;
	a.in.doorbell_handle = self->q.doorbell_h;	/* taken */
	EXPECT_EQ(EBUSY, userq(q.fd, &a));
	a = q.args;
	a.in.flags = 1 << 3;
	EXPECT_EQ(EINVAL, userq(q.fd, &a));
	a = q.args;
	a.in.ip_type = AMDGPU_HW_IP_GFX;
	EXPECT_EQ(EINVAL, userq(q.fd, &a));
	a = q.args;
	a.in.ip_type = AMDGPU_HW_IP_DMA;
	EXPECT_EQ(EINVAL, userq(q.fd, &a));
	a = q.args;
	a.in.ip_type = 0xffffffff;
	EXPECT_EQ(EINVAL, userq(q.fd, &a));
	a = q.args;
	a.in.op = 3;
	EXPECT_EQ(EINVAL, userq(q.fd, &a));
	a = (union drm_amdgpu_userq){ .in = { .op = AMDGPU_USERQ_OP_FREE, .queue_id = 0xffff } };
	EXPECT_EQ(ENOENT, userq(q.fd, &a));
	a.in.flags = 1;
	EXPECT_EQ(EINVAL, userq(q.fd, &a));
	/* None of these has taken anything. */
	a = q.args;
	EXPECT_EQ(0, userq(q.fd, &a));
}

TEST_F(userq, doorbell_objects)
{
	int fd = self->f.fd;
	uint64_t offset;
	uint32_t h;

	EXPECT_EQ(EINVAL, gem_create(fd, PAGE, AMDGPU_GEM_DOMAIN_DOORBELL | AMDGPU_GEM_DOMAIN_GTT, 0,
				     &h));
	EXPECT_EQ(EINVAL, gem_create(fd, 0, AMDGPU_GEM_DOMAIN_DOORBELL, 0, &h));
	EXPECT_EQ(ENOMEM, gem_create(fd, 1ull << 30, AMDGPU_GEM_DOMAIN_DOORBELL, 0, &h));
	ASSERT_EQ(0, gem_create(fd, 2 * PAGE, AMDGPU_GEM_DOMAIN_DOORBELL, 0, &h));
	ASSERT_EQ(0, gem_offset(fd, h, &offset));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, offset));
	EXPECT_EQ(-EPERM, gem_export(fd, h, 0));
	/* A mapping outlives its object. */
	EXPECT_EQ(0, gem_close(fd, self->q.doorbell_h));
	self->q.doorbell[3] = 0;
}

TEST_F(userq, sync_that_is_not_taken)
{
	struct userq *q = &self->q;
	struct drm_amdgpu_userq_signal s = { .queue_id = q->id };
	struct drm_amdgpu_userq_wait w = { .waitq_id = q->id };
	uint32_t bad = 0xdead, empty = syncobj(q->fd);

	EXPECT_EQ(0, kfd_err(q->fd, DRM_IOCTL_AMDGPU_USERQ_SIGNAL, &s));
	s.num_bo_write_handles = 0x10001;
	EXPECT_EQ(EINVAL, kfd_err(q->fd, DRM_IOCTL_AMDGPU_USERQ_SIGNAL, &s));
	s.num_bo_write_handles = 1;
	EXPECT_EQ(EFAULT, kfd_err(q->fd, DRM_IOCTL_AMDGPU_USERQ_SIGNAL, &s));
	s.bo_write_handles = (uintptr_t)&bad;
	EXPECT_EQ(ENOENT, kfd_err(q->fd, DRM_IOCTL_AMDGPU_USERQ_SIGNAL, &s));
	s = (struct drm_amdgpu_userq_signal){ .queue_id = q->id, .num_syncobj_handles = 1 };
	EXPECT_EQ(EFAULT, kfd_err(q->fd, DRM_IOCTL_AMDGPU_USERQ_SIGNAL, &s));
	s.syncobj_handles = (uintptr_t)&bad;
	EXPECT_EQ(ENOENT, kfd_err(q->fd, DRM_IOCTL_AMDGPU_USERQ_SIGNAL, &s));
	s = (struct drm_amdgpu_userq_signal){ .queue_id = 0xffff };
	EXPECT_EQ(ENOENT, kfd_err(q->fd, DRM_IOCTL_AMDGPU_USERQ_SIGNAL, &s));

	EXPECT_EQ(0, kfd_err(q->fd, DRM_IOCTL_AMDGPU_USERQ_WAIT, &w));
	EXPECT_EQ(0u, w.num_fences);
	w.num_bo_read_handles = 0x10001;
	EXPECT_EQ(EINVAL, kfd_err(q->fd, DRM_IOCTL_AMDGPU_USERQ_WAIT, &w));
	w.num_bo_read_handles = 1;
	w.bo_read_handles = (uintptr_t)&bad;
	EXPECT_EQ(ENOENT, kfd_err(q->fd, DRM_IOCTL_AMDGPU_USERQ_WAIT, &w));
	w = (struct drm_amdgpu_userq_wait){
		.waitq_id = q->id, .num_syncobj_handles = 1, .syncobj_handles = (uintptr_t)&bad,
	};
	EXPECT_EQ(ENOENT, kfd_err(q->fd, DRM_IOCTL_AMDGPU_USERQ_WAIT, &w));
	(void)empty;
	/* The packets are those of user queues only. */
	EXPECT_EQ(0, userq_free(q));
}

/* A queue that runs for ever, of a process that is killed, or closes the file. */
TEST_F(userq, ends_with_its_file)
{
	int status, how;
	pid_t pid;

	for (how = 0; how < 2; how++) {
		pid = fork();
		if (!pid) {
			struct cs_file f;
			struct userq q;
			uint32_t sync;

			cs_open(&f);
			userq_open(f.fd, &q);
			sync = syncobj(f.fd);
			PUT(&q, PM4_WAIT(f.w, 1), SIGNAL);
			if (signal_to(&q, sync, f.h))
				_exit(1);
			ring(&q);
			if (how)
				raise(SIGKILL);
			close(f.fd);
			_exit(0);
		}
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(how ? SIGKILL : 0, status);
	}
}

/* Freed while it waits for what never comes: a signal ends that wait. */
TEST_F(userq, free_waits_for_its_fences)
{
	struct userq *q = &self->q;
	volatile uint32_t *w = self->f.w;
	uint32_t sync = syncobj(q->fd);

	PUT(q, PM4_WAIT(w, 1), PM4_WRITE(w + 1, 6), SIGNAL);
	ASSERT_EQ(0, signal_to(q, sync, 0));
	ring(q);
	w[0] = 1;
	EXPECT_EQ(0, userq_free(q));
	EXPECT_EQ(6u, w[1]);
	EXPECT_EQ(0, sync_state(q->fd, sync));
}

static void tell_gpu(const char *path, const char *what)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	ASSERT_LE(0, fd);
	EXPECT_EQ((ssize_t)strlen(what), write(fd, what, strlen(what)));
	close(fd);
}

/* A queue is off while the GPU sleeps, one that is made meanwhile, too; then both go on. */
TEST_F(userq, sleep)
{
	struct userq *q = &self->q, other;
	volatile uint32_t *w = self->f.w;
	uint32_t sync = syncobj(q->fd), second = syncobj(q->fd);

	tell_gpu(GPU "suspend", "1");
	PUT(q, PM4_WRITE(w + 1, 2), SIGNAL);
	ASSERT_EQ(0, signal_to(q, sync, 0));
	ring(q);
	userq_open(q->fd, &other);
	PUT(&other, PM4_WRITE(w + 2, 3), SIGNAL);
	ASSERT_EQ(0, signal_to(&other, second, 0));
	ring(&other);
	EXPECT_EQ(ETIME, sync_wait(q->fd, sync, cs_in_ms(30)));
	EXPECT_EQ(ETIME, sync_state(q->fd, second));
	EXPECT_EQ(0u, w[1]);
	EXPECT_EQ(0u, w[2]);
	tell_gpu(GPU "suspend", "0");
	EXPECT_EQ(0, sync_wait(q->fd, sync, FOREVER));
	EXPECT_EQ(0, sync_wait(q->fd, second, FOREVER));
	EXPECT_EQ(2u, w[1]);
	EXPECT_EQ(3u, w[2]);
}

/* A reset of the GPU loses what queues do, and them: those that are made then work. */
TEST_F(userq, reset)
{
	struct userq *q = &self->q;
	volatile uint32_t *w = self->f.w;
	uint32_t sync = syncobj(q->fd);

	PUT(q, PM4_WAIT(w, 1), PM4_WRITE(w + 1, 2), SIGNAL);
	ASSERT_EQ(0, signal_to(q, sync, 0));
	ring(q);
	EXPECT_EQ(ETIME, sync_wait(q->fd, sync, cs_in_ms(30)));
	tell_gpu(GPU "inject/reset", "hang");
	EXPECT_EQ(0, sync_wait(q->fd, sync, FOREVER));
	w[0] = 1;
	EXPECT_EQ(0, userq_free(q));
	EXPECT_EQ(0u, w[1]);
	userq_open(q->fd, q);
	PUT(q, PM4_WRITE(w + 1, 4), SIGNAL);
	ASSERT_EQ(0, signal_to(q, sync, 0));
	ring(q);
	EXPECT_EQ(0, sync_wait(q->fd, sync, FOREVER));
	EXPECT_EQ(4u, w[1]);
}

TEST_F(userq, info)
{
	struct drm_amdgpu_info_device d = { 0 };
	struct drm_amdgpu_info_hw_ip ip = { 0 };
	struct drm_amdgpu_info_uq_metadata areas = { 0 };
	struct drm_amdgpu_info in = { .query_hw_ip.type = AMDGPU_HW_IP_COMPUTE };
	int fd = self->f.fd;

	EXPECT_EQ(0, drm_info(fd, AMDGPU_INFO_DEV_INFO, &d, sizeof(d)));
	EXPECT_EQ(1u << AMDGPU_HW_IP_COMPUTE, d.userq_ip_mask);
	EXPECT_EQ(0, drm_info_get(fd, &in, AMDGPU_INFO_HW_IP_INFO, &ip, sizeof(ip)));
	EXPECT_LT(0u, ip.userq_num_slots);
	EXPECT_EQ(0, drm_info_get(fd, &in, AMDGPU_INFO_UQ_FW_AREAS, &areas, sizeof(areas)));
	EXPECT_EQ(2048u, areas.compute.eop_size);
	EXPECT_EQ(256u, areas.compute.eop_alignment);
	in.query_hw_ip.type = AMDGPU_HW_IP_DMA;
	EXPECT_EQ(EOPNOTSUPP, drm_info_get(fd, &in, AMDGPU_INFO_UQ_FW_AREAS, &areas, sizeof(areas)));
	in.query_hw_ip.type = AMDGPU_HW_IP_NUM;
	EXPECT_EQ(EINVAL, drm_info_get(fd, &in, AMDGPU_INFO_UQ_FW_AREAS, &areas, sizeof(areas)));

	/* Without the parameter: as on hardware that has none. */
	use_user_queues(-1);
	EXPECT_EQ(0, drm_info(fd, AMDGPU_INFO_DEV_INFO, &d, sizeof(d)));
	EXPECT_EQ(0u, d.userq_ip_mask);
	EXPECT_EQ(0, userq_free(&self->q));
	EXPECT_EQ(524, userq_free(&self->q));
	in.query_hw_ip.type = AMDGPU_HW_IP_COMPUTE;
	EXPECT_EQ(EOPNOTSUPP, drm_info_get(fd, &in, AMDGPU_INFO_UQ_FW_AREAS, &areas, sizeof(areas)));
}

TEST_HARNESS_MAIN
