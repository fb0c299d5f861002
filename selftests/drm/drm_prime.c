// SPDX-License-Identifier: MIT
/* Objects as dma-bufs, to and from other files and other drivers; what is known of them. */
#define _GNU_SOURCE
#include <time.h>

#include "vgem.h"

#define VRAM_DOMAIN	AMDGPU_GEM_DOMAIN_VRAM
#define BYTES		(4 * PAGE)
#define CHUNK		(64 * MB)

FIXTURE(prime) {
	int fd;
	uint32_t h;
};

FIXTURE_SETUP(prime)
{
	self->fd = drm_open();
	ASSERT_EQ(0, gem_create(self->fd, BYTES, VRAM_DOMAIN, 0, &self->h));
}

FIXTURE_TEARDOWN(prime)
{
	close(self->fd);
}

static unsigned char *map_dmabuf(int dmabuf, size_t bytes, int prot)
{
	return mmap(NULL, bytes, prot, MAP_SHARED, dmabuf, 0);
}

TEST_F(prime, bad)
{
	int p[2];
	uint32_t h;

	EXPECT_EQ(-ENOENT, gem_export(self->fd, 777, 0));
	EXPECT_EQ(-EINVAL, gem_export(self->fd, self->h, 0x10));
	EXPECT_EQ(EBADF, gem_import(self->fd, -1, &h));
	ASSERT_EQ(0, pipe(p));
	EXPECT_EQ(EINVAL, gem_import(self->fd, p[0], &h));
	EXPECT_EQ(EINVAL, gem_import(self->fd, self->fd, &h));
}

TEST_F(prime, same_file_gets_its_handle_back)
{
	int d = gem_export(self->fd, self->h, DRM_RDWR);
	uint32_t h;

	ASSERT_LE(0, d);
	EXPECT_EQ(0, gem_import(self->fd, d, &h));
	EXPECT_EQ(self->h, h);
}

TEST_F(prime, other_file_sees_the_same_memory)
{
	int d = gem_export(self->fd, self->h, DRM_RDWR), other = drm_open();
	unsigned char *a, *b;
	uint32_t h;

	ASSERT_LE(0, d);
	ASSERT_EQ(0, gem_import(other, d, &h));
	a = gem_map(self->fd, self->h, BYTES);
	b = gem_map(other, h, BYTES);
	ASSERT_NE(MAP_FAILED, (void *)a);
	ASSERT_NE(MAP_FAILED, (void *)b);
	a[5] = 0x5a;
	EXPECT_EQ(0x5a, b[5]);
	b[BYTES - 1] = 1;
	EXPECT_EQ(1, a[BYTES - 1]);
}

TEST_F(prime, one_dmabuf_however_often)
{
	int d1 = gem_export(self->fd, self->h, DRM_RDWR), other = drm_open(), d2;
	uint32_t h, again;

	ASSERT_LE(0, d1);
	ASSERT_EQ(0, gem_import(other, d1, &h));
	d2 = gem_export(other, h, DRM_RDWR);
	ASSERT_LE(0, d2);
	EXPECT_EQ(0, gem_import(self->fd, d2, &again));
	EXPECT_EQ(self->h, again);
	/* and from the beginning, when nobody has it any more */
	close(d1);
	close(d2);
	EXPECT_EQ(0, gem_close(other, h));
	d1 = gem_export(self->fd, self->h, DRM_RDWR);
	ASSERT_LE(0, d1);
	EXPECT_EQ(0, gem_import(other, d1, &h));
}

TEST_F(prime, mmap_of_the_dmabuf)
{
	int rw = gem_export(self->fd, self->h, DRM_RDWR);
	unsigned char *p = map_dmabuf(rw, BYTES, PROT_READ | PROT_WRITE);
	unsigned char *q = gem_map(self->fd, self->h, BYTES), *tail;

	ASSERT_NE(MAP_FAILED, (void *)p);
	p[PAGE] = 7;
	EXPECT_EQ(7, q[PAGE]);
	tail = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, rw, PAGE);
	ASSERT_NE(MAP_FAILED, (void *)tail);
	EXPECT_EQ(7, tail[0]);
	EXPECT_EQ(MAP_FAILED, (void *)map_dmabuf(rw, BYTES + PAGE, PROT_READ));
	EXPECT_EQ(EINVAL, errno);
}

TEST_F(prime, read_only_dmabuf)
{
	int ro = gem_export(self->fd, self->h, 0);

	ASSERT_LE(0, ro);
	EXPECT_EQ(MAP_FAILED, (void *)map_dmabuf(ro, BYTES, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	EXPECT_NE(MAP_FAILED, (void *)map_dmabuf(ro, BYTES, PROT_READ));
}

TEST_F(prime, outlives_file_and_handle)
{
	uint64_t before = vram_used(self->fd);
	int other = drm_open(), d;
	unsigned char *p;
	uint32_t h;

	ASSERT_EQ(0, gem_create(other, CHUNK, VRAM_DOMAIN, 0, &h));
	d = gem_export(other, h, DRM_RDWR);
	ASSERT_LE(0, d);
	close(other);
	EXPECT_EQ(before + CHUNK, vram_used(self->fd));
	p = map_dmabuf(d, CHUNK, PROT_READ | PROT_WRITE);
	ASSERT_NE(MAP_FAILED, (void *)p);
	p[CHUNK - 1] = 3;
	close(d);
	EXPECT_EQ(3, p[CHUNK - 1]);
	EXPECT_EQ(before + CHUNK, vram_used(self->fd));
	munmap(p, CHUNK);
	EXPECT_EQ(before, vram_used(self->fd));
}

TEST_F(prime, nothing_is_left)
{
	uint64_t before = vram_used(self->fd);
	int i;

	for (i = 0; i < 200; i++) {
		int a = drm_open(), b = drm_open(), d;
		uint32_t ha, hb;

		ASSERT_EQ(0, gem_create(a, MB, VRAM_DOMAIN, 0, &ha));
		d = gem_export(a, ha, DRM_RDWR);
		ASSERT_LE(0, d);
		ASSERT_EQ(0, gem_import(b, d, &hb));
		if (i & 1)
			close(d);
		if (i & 2)
			gem_close(a, ha);
		close(b);
		close(a);
		if (!(i & 1))
			close(d);
	}
	EXPECT_EQ(before, vram_used(self->fd));
}

TEST_F(prime, no_cpu_access_means_no_mmap)
{
	uint64_t offset;
	uint32_t h;
	int d;

	ASSERT_EQ(0, gem_create(self->fd, PAGE, VRAM_DOMAIN, AMDGPU_GEM_CREATE_NO_CPU_ACCESS, &h));
	EXPECT_EQ(EPERM, gem_offset(self->fd, h, &offset));
	d = gem_export(self->fd, h, DRM_RDWR);
	ASSERT_LE(0, d);
	EXPECT_EQ(MAP_FAILED, (void *)map_dmabuf(d, PAGE, PROT_READ));
	EXPECT_EQ(EPERM, errno);
}

/* ------------------------------------------------------------ other drivers */

TEST_F(prime, another_driver_imports)
{
	int vgem = vgem_open(), d = gem_export(self->fd, self->h, DRM_RDWR);
	struct drm_mode_map_dumb m = { 0 };
	unsigned char *p, *q;
	uint32_t h;

	p = gem_map(self->fd, self->h, BYTES);
	ASSERT_NE(MAP_FAILED, (void *)p);
	p[9] = 9;
	ASSERT_EQ(0, gem_import(vgem, d, &h));
	/* It maps what it imported by our mmap, if it can at all. */
	m.handle = h;
	if (!kfd_err(vgem, DRM_IOCTL_MODE_MAP_DUMB, &m)) {
		q = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, vgem, m.offset);
		if (q != MAP_FAILED)
			EXPECT_EQ(9, q[9]);
	}
	/* The importer keeps it. */
	munmap(p, BYTES);
	close(d);
	EXPECT_EQ(0, gem_close(self->fd, self->h));
	EXPECT_EQ(0, gem_close(vgem, h));
}

TEST_F(prime, we_import_from_another_driver)
{
	struct drm_amdgpu_gem_create_in info = { 0 };
	struct drm_amdgpu_gem_op op = { .value = (uintptr_t)&info };
	int vgem = vgem_open(), d, e;
	uint32_t h, again;
	uint64_t offset;
	void *p;

	d = vgem_create(vgem, BYTES, &p);
	ASSERT_EQ(0, gem_import(self->fd, d, &h));
	EXPECT_EQ(0, gem_import(self->fd, d, &again));
	EXPECT_EQ(h, again);
	/* The CPU goes to the exporter. */
	EXPECT_EQ(EPERM, gem_offset(self->fd, h, &offset));
	op.handle = h;
	EXPECT_EQ(0, kfd_err(self->fd, DRM_IOCTL_AMDGPU_GEM_OP, &op));
	EXPECT_EQ(BYTES, info.bo_size);
	EXPECT_EQ((uint64_t)AMDGPU_GEM_DOMAIN_GTT, info.domains);
	op.op = AMDGPU_GEM_OP_SET_PLACEMENT;
	op.value = VRAM_DOMAIN;
	EXPECT_EQ(EINVAL, kfd_err(self->fd, DRM_IOCTL_AMDGPU_GEM_OP, &op));
	/* Exported again it is the exporter's, not ours. */
	e = gem_export(self->fd, h, DRM_RDWR);
	ASSERT_LE(0, e);
	EXPECT_EQ(0, gem_import(vgem, e, &again));
	EXPECT_EQ(0, gem_close(self->fd, h));
}

/* ------------------------------------------------- what is known of objects */

TEST_F(prime, metadata_travels)
{
	struct drm_amdgpu_gem_metadata m = { .handle = self->h,
					     .op = AMDGPU_GEM_METADATA_OP_GET_METADATA };
	int d = gem_export(self->fd, self->h, DRM_RDWR), other = drm_open();
	unsigned long cmd = DRM_IOCTL_AMDGPU_GEM_METADATA;
	uint32_t h, i;

	EXPECT_EQ(0, kfd_err(self->fd, cmd, &m));
	EXPECT_EQ(0u, m.data.data_size_bytes);
	EXPECT_EQ(0ull, m.data.tiling_info);

	m.op = AMDGPU_GEM_METADATA_OP_SET_METADATA;
	m.data.flags = 0x1234;
	m.data.tiling_info = 0x567800000001ull;
	m.data.data_size_bytes = 257;
	EXPECT_EQ(EINVAL, kfd_err(self->fd, cmd, &m));
	m.data.data_size_bytes = 256;
	for (i = 0; i < 64; i++)
		m.data.data[i] = i * i;
	EXPECT_EQ(0, kfd_err(self->fd, cmd, &m));

	ASSERT_EQ(0, gem_import(other, d, &h));
	memset(&m, 0xff, sizeof(m));
	m.handle = h;
	m.op = AMDGPU_GEM_METADATA_OP_GET_METADATA;
	EXPECT_EQ(0, kfd_err(other, cmd, &m));
	EXPECT_EQ(0x1234ull, m.data.flags);
	EXPECT_EQ(0x567800000001ull, m.data.tiling_info);
	EXPECT_EQ(256u, m.data.data_size_bytes);
	for (i = 0; i < 64; i++)
		EXPECT_EQ(i * i, m.data.data[i]);

	m.op = AMDGPU_GEM_METADATA_OP_SET_METADATA;
	m.data.data_size_bytes = 0;
	EXPECT_EQ(0, kfd_err(other, cmd, &m));
	m.op = AMDGPU_GEM_METADATA_OP_GET_METADATA;
	EXPECT_EQ(0, kfd_err(other, cmd, &m));
	EXPECT_EQ(0u, m.data.data_size_bytes);
	m.handle = 777;
	EXPECT_EQ(ENOENT, kfd_err(other, cmd, &m));
	m.handle = h;
	m.op = 3;
	EXPECT_EQ(EINVAL, kfd_err(other, cmd, &m));
}

TEST_F(prime, create_info_and_placement)
{
	struct drm_amdgpu_gem_create_in info = { 0 };
	struct drm_amdgpu_gem_op op = { .handle = self->h, .value = (uintptr_t)&info };
	unsigned long cmd = DRM_IOCTL_AMDGPU_GEM_OP;

	EXPECT_EQ(0, kfd_err(self->fd, cmd, &op));
	EXPECT_EQ(BYTES, info.bo_size);
	EXPECT_EQ((uint64_t)VRAM_DOMAIN, info.domains);
	EXPECT_EQ(0ull, info.domain_flags);
	op.value = BAD_PTR;
	EXPECT_EQ(EFAULT, kfd_err(self->fd, cmd, &op));
	op.op = AMDGPU_GEM_OP_SET_PLACEMENT;
	op.value = AMDGPU_GEM_DOMAIN_GTT | AMDGPU_GEM_DOMAIN_GDS;
	EXPECT_EQ(0, kfd_err(self->fd, cmd, &op));
	op.op = AMDGPU_GEM_OP_GET_GEM_CREATE_INFO;
	op.value = (uintptr_t)&info;
	EXPECT_EQ(0, kfd_err(self->fd, cmd, &op));
	EXPECT_EQ((uint64_t)AMDGPU_GEM_DOMAIN_GTT, info.domains);
	op.op = 2;
	EXPECT_EQ(EINVAL, kfd_err(self->fd, cmd, &op));
	op.handle = 777;
	EXPECT_EQ(ENOENT, kfd_err(self->fd, cmd, &op));
}

TEST_F(prime, wait_idle)
{
	union drm_amdgpu_gem_wait_idle w = { .in = { .handle = self->h, .timeout = -1ull } };
	unsigned long cmd = DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE;

	EXPECT_EQ(0, kfd_err(self->fd, cmd, &w));
	EXPECT_EQ(0u, w.out.status);
	w.in = (struct drm_amdgpu_gem_wait_idle_in){ .handle = self->h };
	EXPECT_EQ(0, kfd_err(self->fd, cmd, &w));
	EXPECT_EQ(0u, w.out.status);
	w.in = (struct drm_amdgpu_gem_wait_idle_in){ .handle = 777 };
	EXPECT_EQ(ENOENT, kfd_err(self->fd, cmd, &w));
}

/* ---------------------------------------------------------------- contexts */

static int ctx_call(int fd, uint32_t op, uint32_t id, int32_t priority, union drm_amdgpu_ctx *c)
{
	memset(c, 0, sizeof(*c));
	c->in.op = op;
	c->in.ctx_id = id;
	c->in.priority = priority;
	return kfd_err(fd, DRM_IOCTL_AMDGPU_CTX, c);
}

TEST_F(prime, contexts)
{
	union drm_amdgpu_ctx c;
	int other = drm_open(), n;
	uint32_t id;

	ASSERT_EQ(0, ctx_call(self->fd, AMDGPU_CTX_OP_ALLOC_CTX, 0, 0, &c));
	id = c.out.alloc.ctx_id;
	EXPECT_NE(0u, id);
	/* rubbish as a priority is normal */
	EXPECT_EQ(0, ctx_call(self->fd, AMDGPU_CTX_OP_ALLOC_CTX, 0, 12345, &c));
	EXPECT_NE(id, c.out.alloc.ctx_id);
	EXPECT_EQ(0, ctx_call(self->fd, AMDGPU_CTX_OP_QUERY_STATE, id, 0, &c));
	EXPECT_EQ((uint32_t)AMDGPU_CTX_NO_RESET, c.out.state.reset_status);
	EXPECT_EQ(0, ctx_call(self->fd, AMDGPU_CTX_OP_QUERY_STATE2, id, 0, &c));
	EXPECT_EQ(0ull, c.out.state.flags);
	EXPECT_EQ(EINVAL, ctx_call(other, AMDGPU_CTX_OP_QUERY_STATE, id, 0, &c));
	EXPECT_EQ(0, ctx_call(self->fd, AMDGPU_CTX_OP_FREE_CTX, id, 0, &c));
	EXPECT_EQ(EINVAL, ctx_call(self->fd, AMDGPU_CTX_OP_FREE_CTX, id, 0, &c));
	EXPECT_EQ(EINVAL, ctx_call(self->fd, AMDGPU_CTX_OP_QUERY_STATE, id, 0, &c));
	EXPECT_EQ(EINVAL, ctx_call(self->fd, 0, id, 0, &c));
	EXPECT_EQ(EINVAL, ctx_call(self->fd, 7, id, 0, &c));
	for (n = 0; !ctx_call(other, AMDGPU_CTX_OP_ALLOC_CTX, 0, 0, &c) && n < 10000; n++)
		;
	EXPECT_GT(10000, n);
	EXPECT_EQ(ENOSPC, ctx_call(other, AMDGPU_CTX_OP_ALLOC_CTX, 0, 0, &c));
}

TEST_F(prime, priority_needs_a_right)
{
	union drm_amdgpu_ctx c;

	EXPECT_EQ(0, ctx_call(self->fd, AMDGPU_CTX_OP_ALLOC_CTX, 0, AMDGPU_CTX_PRIORITY_HIGH, &c));
	ASSERT_EQ(0, setuid(65534));
	EXPECT_EQ(EACCES, ctx_call(self->fd, AMDGPU_CTX_OP_ALLOC_CTX, 0,
				   AMDGPU_CTX_PRIORITY_HIGH, &c));
	EXPECT_EQ(0, ctx_call(self->fd, AMDGPU_CTX_OP_ALLOC_CTX, 0, AMDGPU_CTX_PRIORITY_LOW, &c));
}

TEST_HARNESS_MAIN
