// SPDX-License-Identifier: MIT
/* What jobs wait for, and who waits for jobs: dependencies, syncobjs, fences, objects. */
#include <poll.h>

#include "cs_util.h"

FIXTURE(sync) {
	struct cs_file f;
};

FIXTURE_SETUP(sync)
{
	cs_open(&self->f);
}

FIXTURE_TEARDOWN(sync)
{
	cs_close(&self->f);
}

static uint32_t syncobj(int fd)
{
	struct drm_syncobj_create c = { 0 };

	ASSERT_EQ(0, ioctl(fd, DRM_IOCTL_SYNCOBJ_CREATE, &c));
	return c.handle;
}

/* 0, or ETIME if it is not signaled in 30 ms. */
static int syncobj_wait(int fd, uint32_t handle, uint64_t point)
{
	struct drm_syncobj_timeline_wait w = {
		.handles = (uintptr_t)&handle, .points = (uintptr_t)&point, .count_handles = 1,
		.timeout_nsec = cs_in_ms(30),
	};

	return ioctl(fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &w) ? errno : 0;
}

TEST_F(sync, dependencies)
{
	struct cs_file *f = &self->f;
	uint64_t first = cs_block(f, AMDGPU_HW_IP_DMA, 1, f->w);
	struct drm_amdgpu_cs_chunk_dep dep = {
		.ip_type = AMDGPU_HW_IP_DMA, .ring = 1, .ctx_id = f->ctx, .handle = first,
	};
	struct cs after = { .f = f }, scheduled = { .f = f };

	CS_IB(&after, COMPUTE, 0, PM4_WRITE(f->w + 1, 5));
	cs_chunk(&after, AMDGPU_CHUNK_ID_DEPENDENCIES, &dep, sizeof(dep));
	ASSERT_EQ(0, cs_submit(&after));
	CS_IB(&scheduled, COMPUTE, 1, PM4_WRITE(f->w + 2, 6));
	cs_chunk(&scheduled, AMDGPU_CHUNK_ID_SCHEDULED_DEPENDENCIES, &dep, sizeof(dep));
	ASSERT_EQ(0, cs_submit(&scheduled));
	/* That one needs it to be started only. */
	EXPECT_EQ(0, cs_wait(f, AMDGPU_HW_IP_COMPUTE, 1, scheduled.seq));
	EXPECT_EQ(6u, f->w[2]);
	EXPECT_TRUE(cs_busy(f, AMDGPU_HW_IP_COMPUTE, 0, after.seq));
	EXPECT_EQ(0u, f->w[1]);
	f->w[0] = 1;
	EXPECT_EQ(0, cs_wait(f, AMDGPU_HW_IP_COMPUTE, 0, after.seq));
	EXPECT_EQ(5u, f->w[1]);

	dep.handle = first + 1;
	EXPECT_EQ(EINVAL, cs_submit(&after));
	dep.handle = first;
	dep.ctx_id = 0xdead;
	EXPECT_EQ(EINVAL, cs_submit(&after));
	dep.ctx_id = f->ctx;
	dep.ring = 9;
	EXPECT_EQ(EINVAL, cs_submit(&after));
	dep.ring = 1;
	EXPECT_EQ(0, cs_submit(&after));
}

TEST_F(sync, syncobjs)
{
	struct cs_file *f = &self->f;
	struct drm_amdgpu_cs_chunk_sem in = { syncobj(f->fd) }, out = { syncobj(f->fd) };
	struct drm_syncobj_array array = { .handles = (uintptr_t)&in.handle, .count_handles = 1 };
	struct cs cs = { .f = f };

	CS_IB(&cs, COMPUTE, 0, PM4_WAIT(f->w, 1), PM4_WRITE(f->w + 1, 3));
	cs_chunk(&cs, AMDGPU_CHUNK_ID_SYNCOBJ_IN, &in, sizeof(in));
	cs_chunk(&cs, AMDGPU_CHUNK_ID_SYNCOBJ_OUT, &out, sizeof(out));
	/* There is no fence in it yet. */
	EXPECT_EQ(EINVAL, cs_submit(&cs));
	EXPECT_EQ(0, ioctl(f->fd, DRM_IOCTL_SYNCOBJ_SIGNAL, &array));
	ASSERT_EQ(0, cs_submit(&cs));
	EXPECT_EQ(ETIME, syncobj_wait(f->fd, out.handle, 0));
	f->w[0] = 1;
	EXPECT_EQ(0, cs_wait(f, AMDGPU_HW_IP_COMPUTE, 0, cs.seq));
	EXPECT_EQ(0, syncobj_wait(f->fd, out.handle, 0));
	EXPECT_EQ(3u, f->w[1]);
	cs_chunk(&cs, AMDGPU_CHUNK_ID_SYNCOBJ_OUT, &out, sizeof(out));
	EXPECT_EQ(EINVAL, cs_submit(&cs));		/* twice */
	cs.n--;
	out.handle = 0xdead;
	EXPECT_EQ(EINVAL, cs_submit(&cs));
	in.handle = 0xdead;
	EXPECT_EQ(ENOENT, cs_submit(&cs));
}

TEST_F(sync, timelines)
{
	struct cs_file *f = &self->f;
	uint32_t handle = syncobj(f->fd), i;
	uint64_t point = 0, base = 10;
	struct drm_syncobj_timeline_array array = {
		.handles = (uintptr_t)&handle, .points = (uintptr_t)&base, .count_handles = 1,
	};
	struct drm_amdgpu_cs_chunk_syncobj wait, signal;
	struct cs none = { .f = f };

	ASSERT_EQ(0, ioctl(f->fd, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &array));
	for (i = 0; i < 3; i++) {
		struct cs cs = { .f = f };

		/* Each on another ring; they run one after the other all the same. */
		wait = (struct drm_amdgpu_cs_chunk_syncobj){ .handle = handle, .point = 10 + i };
		signal = (struct drm_amdgpu_cs_chunk_syncobj){ .handle = handle, .point = 11 + i };
		CS_IB(&cs, COMPUTE, i, PM4_WAIT(f->w + i, 1), PM4_WRITE(f->w + i + 1, 1));
		cs_chunk(&cs, AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT, &wait, sizeof(wait));
		cs_chunk(&cs, AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL, &signal, sizeof(signal));
		ASSERT_EQ(0, cs_submit(&cs));
	}
	EXPECT_EQ(0, syncobj_wait(f->fd, handle, 10));
	EXPECT_EQ(ETIME, syncobj_wait(f->fd, handle, 11));
	f->w[0] = 1;
	EXPECT_EQ(0, cs_wait(f, AMDGPU_HW_IP_COMPUTE, 2, 1));
	EXPECT_EQ(0, syncobj_wait(f->fd, handle, 13));
	array.points = (uintptr_t)&point;
	EXPECT_EQ(0, ioctl(f->fd, DRM_IOCTL_SYNCOBJ_QUERY, &array));
	EXPECT_EQ(13ull, (unsigned long long)point);
	/* A point that nobody has promised. */
	wait.point = 99;
	CS_IB(&none, COMPUTE, 0, PM4_ONE_NOP);
	cs_chunk(&none, AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT, &wait, sizeof(wait));
	EXPECT_EQ(EINVAL, cs_submit(&none));
}

/* Each walks those before it that wait: so many are refused that it takes long. */
TEST_F(sync, points_of_a_job_have_an_end)
{
	static struct drm_amdgpu_cs_chunk_syncobj signal[257];
	struct cs most = { .f = &self->f }, more = { .f = &self->f };
	uint32_t handle = syncobj(self->f.fd), i;

	for (i = 0; i < 257; i++)
		signal[i] = (struct drm_amdgpu_cs_chunk_syncobj){ .handle = handle, .point = 1 + i };
	CS_IB(&more, COMPUTE, 0, PM4_ONE_NOP);
	cs_chunk(&more, AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL, signal, sizeof(signal));
	EXPECT_EQ(ENOMEM, cs_submit(&more));
	CS_IB(&most, COMPUTE, 0, PM4_ONE_NOP);
	cs_chunk(&most, AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL, signal, 256 * sizeof(signal[0]));
	EXPECT_EQ(0, cs_submit(&most));
	EXPECT_EQ(0, syncobj_wait(self->f.fd, handle, 256));
}

static int to_handle(struct cs_file *f, uint64_t seq, uint32_t what, uint32_t *handle)
{
	union drm_amdgpu_fence_to_handle h = {
		.in = { .fence = { .ctx_id = f->ctx, .ip_type = AMDGPU_HW_IP_COMPUTE,
				   .seq_no = seq }, .what = what },
	};

	if (ioctl(f->fd, DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE, &h))
		return errno;
	*handle = h.out.handle;
	return 0;
}

TEST_F(sync, fences_as_handles)
{
	struct cs_file *f = &self->f;
	uint64_t seq = cs_block(f, AMDGPU_HW_IP_COMPUTE, 0, f->w);
	struct pollfd p = { .events = POLLIN };
	uint32_t obj, fd, file;

	ASSERT_EQ(0, to_handle(f, seq, AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ, &obj));
	ASSERT_EQ(0, to_handle(f, seq, AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ_FD, &fd));
	ASSERT_EQ(0, to_handle(f, seq, AMDGPU_FENCE_TO_HANDLE_GET_SYNC_FILE_FD, &file));
	EXPECT_EQ(EINVAL, to_handle(f, seq, 3, &obj));
	EXPECT_EQ(EINVAL, to_handle(f, seq + 1, AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ, &fd));
	p.fd = file;
	EXPECT_EQ(0, poll(&p, 1, 30));
	EXPECT_EQ(ETIME, syncobj_wait(f->fd, obj, 0));
	f->w[0] = 1;
	EXPECT_EQ(1, poll(&p, 1, 20000));
	EXPECT_EQ(0, syncobj_wait(f->fd, obj, 0));
	close(file);
	close(fd);
	/* Of a job that nobody submitted, which is like one that ended long ago. */
	ASSERT_EQ(0, to_handle(f, 0, AMDGPU_FENCE_TO_HANDLE_GET_SYNC_FILE_FD, &file));
	p.fd = file;
	EXPECT_EQ(1, poll(&p, 1, 0));
	close(file);
}

static int wait_fences(struct cs_file *f, const struct drm_amdgpu_fence *fences, uint32_t n,
		       bool all, unsigned int ms, uint32_t *status, uint32_t *first)
{
	union drm_amdgpu_wait_fences w = {
		.in = { (uintptr_t)fences, n, all, cs_in_ms(ms) },
	};

	if (ioctl(f->fd, DRM_IOCTL_AMDGPU_WAIT_FENCES, &w))
		return errno;
	*status = w.out.status;
	*first = w.out.first_signaled;
	return 0;
}

TEST_F(sync, several_fences)
{
	struct cs_file *f = &self->f;
	struct drm_amdgpu_fence fence[2];
	uint32_t i, status = 7, first = 7;

	for (i = 0; i < 2; i++)
		fence[i] = (struct drm_amdgpu_fence){
			.ctx_id = f->ctx, .ip_type = AMDGPU_HW_IP_COMPUTE, .ring = i,
			.seq_no = cs_block(f, AMDGPU_HW_IP_COMPUTE, i, f->w + i),
		};
	EXPECT_EQ(0, wait_fences(f, fence, 2, true, 30, &status, &first));
	EXPECT_EQ(0u, status);
	EXPECT_EQ(0, wait_fences(f, fence, 2, false, 30, &status, &first));
	EXPECT_EQ(0u, status);
	f->w[1] = 1;
	EXPECT_EQ(0, wait_fences(f, fence, 2, false, 20000, &status, &first));
	EXPECT_EQ(1u, status);
	EXPECT_EQ(1u, first);
	EXPECT_EQ(0, wait_fences(f, fence, 2, true, 30, &status, &first));
	EXPECT_EQ(0u, status);
	f->w[0] = 1;
	EXPECT_EQ(0, wait_fences(f, fence, 2, true, 20000, &status, &first));
	EXPECT_EQ(1u, status);
	EXPECT_EQ(EINVAL, wait_fences(f, fence, 0, true, 0, &status, &first));
	fence[1].seq_no++;
	EXPECT_EQ(EINVAL, wait_fences(f, fence, 2, true, 0, &status, &first));
	EXPECT_EQ(EINVAL, wait_fences(f, fence, 2, false, 0, &status, &first));
	EXPECT_EQ(EFAULT, wait_fences(f, (void *)8, 2, true, 0, &status, &first));
}

TEST_F(sync, user_fence)
{
	struct cs_file *f = &self->f;
	struct drm_amdgpu_cs_chunk_fence fence = { .offset = 64 };
	struct cs cs = { .f = f };
	volatile uint64_t *at;
	uint32_t h, big;
	int i;

	ASSERT_EQ(0, gem_create(f->fd, PAGE, AMDGPU_GEM_DOMAIN_GTT, 0, &h));
	ASSERT_EQ(0, gem_create(f->fd, 2 * PAGE, AMDGPU_GEM_DOMAIN_GTT, 0, &big));
	at = gem_map(f->fd, h, PAGE);
	fence.handle = h;
	CS_IB(&cs, COMPUTE, 0, PM4_WAIT(f->w, 1));
	cs_chunk(&cs, AMDGPU_CHUNK_ID_FENCE, &fence, sizeof(fence));
	ASSERT_EQ(0, cs_submit(&cs));
	ASSERT_EQ(0, cs_submit(&cs));
	EXPECT_TRUE(cs_busy(f, AMDGPU_HW_IP_COMPUTE, 0, 1));
	EXPECT_EQ(0ull, (unsigned long long)at[8]);
	f->w[0] = 1;
	for (i = 0; i < 20000 && at[8] != 2; i++)
		usleep(1000);
	EXPECT_EQ(2ull, (unsigned long long)at[8]);

	fence.offset = PAGE - 4;
	EXPECT_EQ(EINVAL, cs_submit(&cs));
	fence.offset = 0;
	fence.handle = big;
	EXPECT_EQ(EINVAL, cs_submit(&cs));
	fence.handle = 0xdead;
	EXPECT_EQ(EINVAL, cs_submit(&cs));
	fence.handle = h;
	cs_chunk(&cs, AMDGPU_CHUNK_ID_FENCE, &fence, sizeof(fence));
	EXPECT_EQ(EINVAL, cs_submit(&cs));
}

static int wait_idle(int fd, uint32_t handle)
{
	union drm_amdgpu_gem_wait_idle idle = {
		.in = { .handle = handle, .timeout = cs_in_ms(30) },
	};

	if (ioctl(fd, DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, &idle))
		return errno;
	return idle.out.status ? EBUSY : 0;
}

/*
 * Jobs of two files that share an object run in the order of their submission, unless the
 * object says that user space takes care of that.
 */
TEST_F(sync, shared_objects)
{
	struct cs_file *f = &self->f, g;
	unsigned int is_explicit;

	cs_open(&g);
	for (is_explicit = 0; is_explicit < 2; is_explicit++) {
		struct drm_amdgpu_bo_list_entry e = { 0 };
		struct drm_amdgpu_bo_list_in in = { ~0u, ~0u, 1, sizeof(e), (uintptr_t)&e };
		struct cs first = { .f = f }, second = { .f = &g };
		uint32_t hf, hg;
		int dmabuf;

		f->w[0] = 0;
		g.w[0] = 0;
		ASSERT_EQ(0, gem_create(f->fd, PAGE, AMDGPU_GEM_DOMAIN_GTT,
					is_explicit ? AMDGPU_GEM_CREATE_EXPLICIT_SYNC : 0, &hf));
		dmabuf = gem_export(f->fd, hf, DRM_CLOEXEC | DRM_RDWR);
		ASSERT_LE(0, dmabuf);
		ASSERT_EQ(0, gem_import(g.fd, dmabuf, &hg));
		CS_IB(&first, COMPUTE, 0, PM4_WAIT(f->w, 1));
		cs_chunk(&first, AMDGPU_CHUNK_ID_BO_HANDLES, &in, sizeof(in));
		e.bo_handle = hf;
		EXPECT_EQ(0, wait_idle(f->fd, hf));
		ASSERT_EQ(0, cs_submit(&first));
		CS_IB(&second, COMPUTE, 0, PM4_WRITE(g.w, 4));
		cs_chunk(&second, AMDGPU_CHUNK_ID_BO_HANDLES, &in, sizeof(in));
		e.bo_handle = hg;
		ASSERT_EQ(0, cs_submit(&second));
		EXPECT_EQ(EBUSY, wait_idle(f->fd, hf));
		EXPECT_EQ(EBUSY, wait_idle(g.fd, hg));
		EXPECT_EQ(!is_explicit, cs_busy(&g, AMDGPU_HW_IP_COMPUTE, 0, second.seq));
		f->w[0] = 1;
		EXPECT_EQ(0, cs_wait(&g, AMDGPU_HW_IP_COMPUTE, 0, second.seq));
		EXPECT_EQ(0, cs_wait(f, AMDGPU_HW_IP_COMPUTE, 0, first.seq));
		EXPECT_EQ(4u, g.w[0]);
		EXPECT_EQ(0, wait_idle(f->fd, hf));
		close(dmabuf);
	}
	cs_close(&g);
}

TEST_HARNESS_MAIN
