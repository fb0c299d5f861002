// SPDX-License-Identifier: MIT
/* Command submission: lists of objects, jobs of SDMA packets, their fences. */
#include "../queue/rig_sdma.h"
#include "vgem.h"

#define BYTES	(4 * PAGE)
#define RWX	(AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE | AMDGPU_VM_PAGE_EXECUTABLE)

FIXTURE(cs) {
	int fd;
	uint32_t h, ctx;
	uint32_t *w;		/* CPU and GPU address; the IB is in the last page */
	uint32_t *ib, n;
};

static int ctx_op(int fd, uint32_t op, uint32_t id, union drm_amdgpu_ctx *c)
{
	memset(c, 0, sizeof(*c));
	c->in.op = op;
	c->in.ctx_id = id;
	return ioctl(fd, DRM_IOCTL_AMDGPU_CTX, c) ? errno : 0;
}

FIXTURE_SETUP(cs)
{
	union drm_amdgpu_ctx c;

	self->fd = drm_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, gem_create(self->fd, BYTES, AMDGPU_GEM_DOMAIN_GTT, 0, &self->h));
	self->w = gem_map(self->fd, self->h, BYTES);
	ASSERT_NE(MAP_FAILED, (void *)self->w);
	ASSERT_EQ(0, gem_va(self->fd, AMDGPU_VA_OP_MAP, self->h, self->w, 0, BYTES, RWX));
	ASSERT_EQ(0, ctx_op(self->fd, AMDGPU_CTX_OP_ALLOC_CTX, 0, &c));
	self->ctx = c.out.alloc.ctx_id;
	self->ib = self->w + 3 * PAGE / 4;
}

FIXTURE_TEARDOWN(cs)
{
	close(self->fd);
}

static void put(FIXTURE_DATA(cs) *self, const uint32_t *dw, uint32_t n)
{
	memcpy(self->ib + self->n, dw, n * 4);
	self->n += n;
}

#define PUT(...) do {						\
	const uint32_t dw_[] = { __VA_ARGS__ };			\
	put(self, dw_, sizeof(dw_) / 4);			\
} while (0)

static int submit_ib(FIXTURE_DATA(cs) *self, struct drm_amdgpu_cs_chunk_ib *ib, uint32_t list,
		     uint64_t *seq)
{
	struct drm_amdgpu_cs_chunk chunk = {
		AMDGPU_CHUNK_ID_IB, sizeof(*ib) / 4, (uintptr_t)ib,
	};
	uint64_t chunks[1] = { (uintptr_t)&chunk };
	union drm_amdgpu_cs cs = {
		.in = { self->ctx, list, 1, 0, (uintptr_t)chunks },
	};
	int err = ioctl(self->fd, DRM_IOCTL_AMDGPU_CS, &cs) ? errno : 0;

	*seq = cs.out.handle;
	return err;
}

/* What was put since the last time. */
static int submit(FIXTURE_DATA(cs) *self, uint64_t *seq)
{
	struct drm_amdgpu_cs_chunk_ib ib = {
		.va_start = (uintptr_t)self->ib, .ib_bytes = self->n * 4,
		.ip_type = AMDGPU_HW_IP_DMA,
	};

	self->n = 0;
	return submit_ib(self, &ib, 0, seq);
}

static int wait_cs(FIXTURE_DATA(cs) *self, uint64_t seq, uint32_t ip)
{
	union drm_amdgpu_wait_cs w = {
		.in = { .handle = seq, .ip_type = ip, .ctx_id = self->ctx },
	};

	if (ioctl(self->fd, DRM_IOCTL_AMDGPU_WAIT_CS, &w))
		return errno;
	return w.out.status ? EBUSY : 0;
}

TEST_F(cs, jobs_are_done_in_order)
{
	uint64_t seq, i;

	for (i = 1; i <= 3; i++) {
		PUT(SDMA_NOP, SDMA_WRITE, VA(&self->w[i]), 0, 0x1000 + i);
		PUT(SDMA_FENCE, VA(&self->w[8]), i);
		ASSERT_EQ(0, submit(self, &seq));
		EXPECT_EQ(i, seq);
		EXPECT_EQ(0, wait_cs(self, seq, AMDGPU_HW_IP_DMA));
		EXPECT_EQ(0x1000 + i, (uint64_t)self->w[i]);
		EXPECT_EQ(i, (uint64_t)self->w[8]);
	}
	EXPECT_EQ(0, wait_cs(self, ~0ull, AMDGPU_HW_IP_DMA));
	EXPECT_EQ(EINVAL, wait_cs(self, 4, AMDGPU_HW_IP_DMA));
	EXPECT_EQ(EINVAL, wait_cs(self, 1, AMDGPU_HW_IP_GFX));
}

static int list_op(int fd, uint32_t op, uint32_t *id, const uint32_t *handles, uint32_t n)
{
	struct drm_amdgpu_bo_list_entry e[4] = { { 0 } };
	union drm_amdgpu_bo_list l = {
		.in = { op, *id, n, sizeof(e[0]), (uintptr_t)e },
	};
	uint32_t i;

	for (i = 0; i < n; i++)
		e[i].bo_handle = handles[i];
	if (ioctl(fd, DRM_IOCTL_AMDGPU_BO_LIST, &l))
		return errno;
	*id = l.out.list_handle;
	return 0;
}

TEST_F(cs, lists)
{
	struct drm_amdgpu_cs_chunk_ib ib = {
		.va_start = (uintptr_t)self->ib, .ip_type = AMDGPU_HW_IP_DMA,
	};
	uint32_t two[2] = { self->h, 0 }, bad = 0xdead, id = 0;
	uint64_t seq;

	ASSERT_EQ(0, gem_create(self->fd, PAGE, AMDGPU_GEM_DOMAIN_VRAM, 0, &two[1]));
	EXPECT_EQ(ENOENT, list_op(self->fd, AMDGPU_BO_LIST_OP_CREATE, &id, &bad, 1));
	ASSERT_EQ(0, list_op(self->fd, AMDGPU_BO_LIST_OP_CREATE, &id, two, 2));
	EXPECT_NE(0u, id);
	EXPECT_EQ(0, gem_close(self->fd, two[1]));
	PUT(SDMA_FENCE, VA(&self->w[0]), 77);
	ib.ib_bytes = self->n * 4;
	EXPECT_EQ(0, submit_ib(self, &ib, id, &seq));
	EXPECT_EQ(77u, self->w[0]);
	EXPECT_EQ(ENOENT, submit_ib(self, &ib, id + 1, &seq));
	EXPECT_EQ(0, list_op(self->fd, AMDGPU_BO_LIST_OP_UPDATE, &id, two, 1));
	EXPECT_EQ(EINVAL, list_op(self->fd, 3, &id, two, 1));
	bad = id + 1;
	EXPECT_EQ(ENOENT, list_op(self->fd, AMDGPU_BO_LIST_OP_UPDATE, &bad, two, 1));
	EXPECT_EQ(0, list_op(self->fd, AMDGPU_BO_LIST_OP_DESTROY, &id, NULL, 0));
}

TEST_F(cs, what_is_not_taken)
{
	struct drm_amdgpu_cs_chunk_ib good = {
		.va_start = (uintptr_t)self->ib, .ib_bytes = 4, .ip_type = AMDGPU_HW_IP_DMA,
	}, ib;
	struct drm_amdgpu_cs_chunk fence = { AMDGPU_CHUNK_ID_FENCE, 2, (uintptr_t)&ib };
	uint64_t seq, chunks[1] = { (uintptr_t)&fence };
	union drm_amdgpu_cs cs = { .in = { self->ctx, 0, 1, 0, (uintptr_t)chunks } };

	PUT(SDMA_NOP);
	ib = good, ib.ip_type = AMDGPU_HW_IP_GFX;
	EXPECT_EQ(EINVAL, submit_ib(self, &ib, 0, &seq));
	ib = good, ib.ip_type = AMDGPU_HW_IP_COMPUTE;
	EXPECT_EQ(EINVAL, submit_ib(self, &ib, 0, &seq));
	ib = good, ib.ring = 77;
	EXPECT_EQ(EINVAL, submit_ib(self, &ib, 0, &seq));
	ib = good, ib.va_start += 2;
	EXPECT_EQ(EINVAL, submit_ib(self, &ib, 0, &seq));
	ib = good, ib.ib_bytes = 0xfffffffc;
	EXPECT_EQ(EINVAL, submit_ib(self, &ib, 0, &seq));
	EXPECT_EQ(-1, ioctl(self->fd, DRM_IOCTL_AMDGPU_CS, &cs));
	cs.in = (struct drm_amdgpu_cs_in){ self->ctx, 0, 0, 0, (uintptr_t)chunks };
	EXPECT_EQ(-1, ioctl(self->fd, DRM_IOCTL_AMDGPU_CS, &cs));
	cs.in = (struct drm_amdgpu_cs_in){ self->ctx, 0, 1, 0, 8 };
	EXPECT_EQ(-1, ioctl(self->fd, DRM_IOCTL_AMDGPU_CS, &cs));
	EXPECT_EQ(EFAULT, errno);
	self->ctx += 7;
	EXPECT_EQ(EINVAL, submit_ib(self, &good, 0, &seq));
	self->ctx -= 7;
	EXPECT_EQ(0, submit_ib(self, &good, 0, &seq));
}

static void is_guilty(FIXTURE_DATA(cs) *self)
{
	union drm_amdgpu_ctx c;
	uint64_t seq;

	ASSERT_EQ(0, submit(self, &seq));
	EXPECT_EQ(0, wait_cs(self, seq, AMDGPU_HW_IP_DMA));
	EXPECT_EQ(0, ctx_op(self->fd, AMDGPU_CTX_OP_QUERY_STATE, self->ctx, &c));
	EXPECT_EQ((uint32_t)AMDGPU_CTX_GUILTY_RESET, c.out.state.reset_status);
	EXPECT_EQ(ECANCELED, submit(self, &seq));
	/* Another context is innocent. */
	ASSERT_EQ(0, ctx_op(self->fd, AMDGPU_CTX_OP_ALLOC_CTX, 0, &c));
	self->ctx = c.out.alloc.ctx_id;
	PUT(SDMA_NOP);
	EXPECT_EQ(0, submit(self, &seq));
}

TEST_F(cs, a_bad_job_makes_its_context_guilty)
{
	PUT(0xff);					/* unknown */
	is_guilty(self);
	PUT(SDMA_WRITE, VA((char *)self->w + BYTES), 0, 1);	/* not mapped */
	is_guilty(self);
	PUT(SDMA_WRITE, VA(self->w), 6, 1);		/* half a packet */
	is_guilty(self);
}

/* One that waits for ever ends after ten seconds, or with its process. */
static int polls(void *arg)
{
	FIXTURE_DATA(cs) *self = arg;
	uint64_t seq;

	return submit(self, &seq);
}

TEST_F(cs, a_job_that_waits_dies_with_its_process)
{
	int status;
	pid_t pid;

	PUT(SDMA_POLL_EQ, VA(self->w), 1, ~0u, SDMA_POLL_FOREVER);
	pid = fork();
	if (!pid)
		_exit(polls(self));
	usleep(300000);
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
}

TEST_HARNESS_MAIN
