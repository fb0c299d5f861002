// SPDX-License-Identifier: MIT
/* Objects of the render node and their CPU mappings. */
#define _GNU_SOURCE
#include "drm_util.h"

#define VRAM_OR_GTT	(AMDGPU_GEM_DOMAIN_VRAM | AMDGPU_GEM_DOMAIN_GTT)

FIXTURE(gem) {
	int fd;
};

FIXTURE_SETUP(gem)
{
	self->fd = drm_open();
}

FIXTURE_TEARDOWN(gem)
{
	close(self->fd);
}

static unsigned char *map(int fd, uint64_t offset, size_t bytes, int prot, int flags)
{
	return mmap(NULL, bytes, prot, flags, fd, offset);
}

static uint64_t gtt_used(int fd)
{
	uint64_t used = 0;

	ASSERT_EQ(0, drm_info(fd, AMDGPU_INFO_GTT_USAGE, &used, sizeof(used)));
	return used;
}

/* A mapped object; its handle is closed. */
static unsigned char *gem_mapped(int fd, size_t bytes)
{
	uint64_t offset;
	uint32_t handle;
	unsigned char *p;

	ASSERT_EQ(0, gem_create(fd, bytes, AMDGPU_GEM_DOMAIN_VRAM, 0, &handle));
	ASSERT_EQ(0, gem_offset(fd, handle, &offset));
	p = map(fd, offset, bytes, PROT_READ | PROT_WRITE, MAP_SHARED);
	ASSERT_NE(MAP_FAILED, (void *)p);
	ASSERT_EQ(0, gem_close(fd, handle));
	return p;
}

TEST_F(gem, create_bad)
{
	uint32_t h;

	EXPECT_EQ(EINVAL, gem_create(self->fd, 0, AMDGPU_GEM_DOMAIN_VRAM, 0, &h));
	EXPECT_EQ(EINVAL, gem_create(self->fd, PAGE, 0, 0, &h));
	EXPECT_EQ(EINVAL, gem_create(self->fd, PAGE, AMDGPU_GEM_DOMAIN_GDS, 0, &h));
	EXPECT_EQ(EINVAL, gem_create(self->fd, PAGE, 1ull << 40, 0, &h));
	EXPECT_EQ(EINVAL, gem_create(self->fd, PAGE, AMDGPU_GEM_DOMAIN_GTT, 1ull << 40, &h));
	EXPECT_EQ(EINVAL, gem_create(self->fd, PAGE, AMDGPU_GEM_DOMAIN_GTT,
				     AMDGPU_GEM_CREATE_ENCRYPTED, &h));
	EXPECT_EQ(ENOMEM, gem_create(self->fd, -1ull, AMDGPU_GEM_DOMAIN_VRAM, 0, &h));
	EXPECT_EQ(ENOMEM, gem_create(self->fd, 1ull << 46, AMDGPU_GEM_DOMAIN_GTT, 0, &h));
}

TEST_F(gem, handles_die_once)
{
	uint64_t offset;
	uint32_t h;

	ASSERT_EQ(0, gem_create(self->fd, PAGE, AMDGPU_GEM_DOMAIN_GTT, 0, &h));
	EXPECT_EQ(0, gem_close(self->fd, h));
	EXPECT_EQ(EINVAL, gem_close(self->fd, h));
	EXPECT_EQ(ENOENT, gem_offset(self->fd, h, &offset));
	EXPECT_EQ(ENOENT, gem_offset(self->fd, 0, &offset));
}

TEST_F(gem, no_cpu_access)
{
	uint64_t offset;
	uint32_t h;

	ASSERT_EQ(0, gem_create(self->fd, PAGE, AMDGPU_GEM_DOMAIN_VRAM,
				AMDGPU_GEM_CREATE_NO_CPU_ACCESS, &h));
	EXPECT_EQ(EPERM, gem_offset(self->fd, h, &offset));
}

TEST_F(gem, quota_is_exact)
{
	struct drm_amdgpu_info_vram_gtt g;
	uint32_t h[3];
	uint64_t room;

	ASSERT_EQ(0, drm_info(self->fd, AMDGPU_INFO_VRAM_GTT, &g, sizeof(g)));
	room = g.vram_size - vram_used(self->fd);
	/* What has no room there is not there, but in GTT, if that will do, too. */
	ASSERT_EQ(0, gem_create(self->fd, room - PAGE, AMDGPU_GEM_DOMAIN_VRAM, 0, &h[0]));
	ASSERT_EQ(0, gem_create(self->fd, PAGE + 1, VRAM_OR_GTT, 0, &h[1]));
	EXPECT_EQ(g.vram_size - PAGE, vram_used(self->fd));
	EXPECT_EQ(0, gem_close(self->fd, h[1]));
	ASSERT_EQ(0, gem_create(self->fd, 1, VRAM_OR_GTT, 0, &h[1]));
	EXPECT_EQ(g.vram_size, vram_used(self->fd));
	ASSERT_EQ(0, gem_create(self->fd, 1, VRAM_OR_GTT, 0, &h[2]));
	EXPECT_EQ(g.vram_size, vram_used(self->fd));
	EXPECT_EQ(0, gem_close(self->fd, h[0]));
	EXPECT_EQ(0, gem_close(self->fd, h[1]));
	EXPECT_EQ(0, gem_close(self->fd, h[2]));
	EXPECT_EQ(g.vram_size - room, vram_used(self->fd));
}

/* Of what insists on VRAM, the oldest leaves for the youngest; too much goes to GTT at once. */
TEST_F(gem, the_oldest_leaves)
{
	uint64_t before = vram_used(self->fd), gtt = gtt_used(self->fd), room, n, m;
	struct drm_amdgpu_info_vram_gtt g;
	unsigned char *p[2];
	uint32_t h[4];

	ASSERT_EQ(0, drm_info(self->fd, AMDGPU_INFO_VRAM_GTT, &g, sizeof(g)));
	ASSERT_EQ(0, drm_info(self->fd, AMDGPU_INFO_NUM_EVICTIONS, &n, sizeof(n)));
	room = (g.vram_size - before) / 2 & -PAGE;
	ASSERT_EQ(0, gem_create(self->fd, room, AMDGPU_GEM_DOMAIN_VRAM, 0, &h[0]));
	p[0] = gem_map(self->fd, h[0], PAGE);
	p[0][7] = 77;
	ASSERT_EQ(0, gem_create(self->fd, PAGE, AMDGPU_GEM_DOMAIN_VRAM, 0, &h[1]));
	ASSERT_EQ(0, gem_create(self->fd, room, AMDGPU_GEM_DOMAIN_VRAM, 0, &h[2]));
	EXPECT_EQ(before + PAGE + room, vram_used(self->fd));
	EXPECT_EQ(gtt + room, gtt_used(self->fd));
	ASSERT_EQ(0, drm_info(self->fd, AMDGPU_INFO_NUM_EVICTIONS, &m, sizeof(m)));
	EXPECT_EQ(n + 1, m);
	EXPECT_EQ(77, p[0][7]);
	p[1] = gem_map(self->fd, h[0], PAGE);
	EXPECT_EQ(77, p[1][7]);
	EXPECT_EQ(0, p[1][8]);
	ASSERT_EQ(0, gem_create(self->fd, g.vram_size + PAGE, AMDGPU_GEM_DOMAIN_VRAM, 0, &h[3]));
	EXPECT_EQ(before + PAGE + room, vram_used(self->fd));
	EXPECT_EQ(gtt + room + g.vram_size + PAGE, gtt_used(self->fd));
	munmap(p[0], PAGE);
	munmap(p[1], PAGE);
	for (n = 0; n < 4; n++)
		EXPECT_EQ(0, gem_close(self->fd, h[n]));
	EXPECT_EQ(before, vram_used(self->fd));
	EXPECT_EQ(gtt, gtt_used(self->fd));
}

TEST_F(gem, mapping_keeps_object_and_quota)
{
	uint64_t before = vram_used(self->fd);
	unsigned char *p = gem_mapped(self->fd, 4 * PAGE);

	EXPECT_EQ(before + 4 * PAGE, vram_used(self->fd));
	p[0] = 1;
	munmap(p, PAGE);
	EXPECT_EQ(before + 4 * PAGE, vram_used(self->fd));
	EXPECT_EQ(0, p[3 * PAGE]);
	munmap(p, 4 * PAGE);
	EXPECT_EQ(before, vram_used(self->fd));
}

TEST_F(gem, mapping_outlives_the_file)
{
	int fd = drm_open();
	unsigned char *p = gem_mapped(fd, 2 * PAGE);

	p[0] = 7;
	close(fd);
	EXPECT_EQ(7, p[0]);
	EXPECT_EQ(0, p[PAGE]);
	munmap(p, 2 * PAGE);
}

TEST_F(gem, split_and_moved_mappings_show_the_same_pages)
{
	size_t n = 64, i;
	unsigned char *p = gem_mapped(self->fd, n * PAGE), *q = va_reserve(n * PAGE);

	for (i = 0; i < n; i += 2)
		p[i * PAGE] = i + 1;
	/* A hole in the middle, and the upper part somewhere else. */
	munmap(p + 10 * PAGE, 5 * PAGE);
	ASSERT_EQ((void *)q, mremap(p + 20 * PAGE, (n - 20) * PAGE, (n - 20) * PAGE,
				    MREMAP_MAYMOVE | MREMAP_FIXED, q));
	for (i = 20; i < n; i++)
		EXPECT_EQ(i & 1 ? 0u : i + 1, (size_t)q[(i - 20) * PAGE]);
	for (i = 0; i < 20; i++)
		if (i < 10 || i >= 15)
			EXPECT_EQ(i & 1 ? 0u : i + 1, (size_t)p[i * PAGE]);
	/* VM_DONTEXPAND */
	EXPECT_EQ(MAP_FAILED, mremap(q, PAGE, 128 * PAGE, MREMAP_MAYMOVE));
	munmap(p, 20 * PAGE);
	munmap(q, (n - 20) * PAGE);
}

TEST_F(gem, mmap_bad)
{
	uint64_t offset;
	uint32_t h;
	int other = drm_open();

	ASSERT_EQ(0, gem_create(self->fd, 4 * PAGE, AMDGPU_GEM_DOMAIN_VRAM, 0, &h));
	ASSERT_EQ(0, gem_offset(self->fd, h, &offset));
	/* Longer than the object, beside it, from its middle, nowhere. */
	EXPECT_EQ(MAP_FAILED, (void *)map(self->fd, offset, 5 * PAGE, PROT_READ, MAP_SHARED));
	EXPECT_EQ(MAP_FAILED, (void *)map(self->fd, offset - PAGE, PAGE, PROT_READ, MAP_SHARED));
	EXPECT_EQ(MAP_FAILED, (void *)map(self->fd, offset + PAGE, PAGE, PROT_READ, MAP_SHARED));
	EXPECT_EQ(MAP_FAILED, (void *)map(self->fd, 0, PAGE, PROT_READ, MAP_SHARED));
	EXPECT_EQ(MAP_FAILED, (void *)map(self->fd, 1ull << 46, PAGE, PROT_READ, MAP_SHARED));
	/* Somebody else's. */
	EXPECT_EQ(MAP_FAILED, (void *)map(other, offset, PAGE, PROT_READ, MAP_SHARED));
	EXPECT_EQ(EACCES, errno);
	/* Private with any right could be written to; without it only owns addresses. */
	EXPECT_EQ(MAP_FAILED, (void *)map(self->fd, offset, PAGE, PROT_READ, MAP_PRIVATE));
	EXPECT_EQ(MAP_FAILED, (void *)map(self->fd, offset, PAGE, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE));
	close(other);
}

TEST_F(gem, private_without_rights_never_becomes_writable)
{
	unsigned char *p;
	uint64_t offset;
	uint32_t h;

	ASSERT_EQ(0, gem_create(self->fd, PAGE, AMDGPU_GEM_DOMAIN_VRAM, 0, &h));
	ASSERT_EQ(0, gem_offset(self->fd, h, &offset));
	p = map(self->fd, offset, PAGE, PROT_NONE, MAP_PRIVATE);
	ASSERT_NE(MAP_FAILED, (void *)p);
	EXPECT_EQ(-1, mprotect(p, PAGE, PROT_READ | PROT_WRITE));
	ASSERT_EQ(0, mprotect(p, PAGE, PROT_READ));
	EXPECT_EQ(0, p[0]);
}

static int child_touches(void *p)
{
	return *(volatile unsigned char *)p;
}

TEST_F(gem, fork_does_not_copy)
{
	unsigned char *p = gem_mapped(self->fd, PAGE);

	p[0] = 9;
	EXPECT_EQ(-1, in_child(child_touches, p));	/* SIGSEGV */
	EXPECT_EQ(9, p[0]);
}

TEST_F(gem, proc_mem_reads_and_writes)
{
	unsigned char *p = gem_mapped(self->fd, 3 * PAGE), buf[64];
	int fd = open("/proc/self/mem", O_RDWR);
	off_t at = (uintptr_t)p + PAGE - 32;

	ASSERT_GE(fd, 0);
	memset(p, 0x11, 3 * PAGE);
	ASSERT_EQ(64, (int)pread(fd, buf, 64, at));
	EXPECT_EQ(0x11, buf[0]);
	EXPECT_EQ(0x11, buf[63]);
	memset(buf, 0x22, 64);
	ASSERT_EQ(64, (int)pwrite(fd, buf, 64, at));
	EXPECT_EQ(0x22, p[PAGE - 32]);
	EXPECT_EQ(0x22, p[PAGE + 31]);
	EXPECT_EQ(0x11, p[PAGE + 32]);
	close(fd);
}

/* Kernel code that reads user memory faults the pages in, as the CPU does. */
TEST_F(gem, syscalls_reach_it)
{
	unsigned char *p = gem_mapped(self->fd, 2 * PAGE), buf[16] = { 0 };
	int fds[2];

	ASSERT_EQ(0, pipe(fds));
	p[PAGE] = 0x77;
	ASSERT_EQ(16, (int)write(fds[1], p + PAGE, 16));
	ASSERT_EQ(16, (int)read(fds[0], buf, 16));
	EXPECT_EQ(0x77, buf[0]);
}

TEST_F(gem, thousand_objects)
{
	uint64_t before = vram_used(self->fd);
	int fd = drm_open(), i;
	uint32_t h;

	for (i = 0; i < 1000; i++)
		ASSERT_EQ(0, gem_create(fd, PAGE, AMDGPU_GEM_DOMAIN_VRAM, 0, &h));
	EXPECT_EQ(before + 1000 * PAGE, vram_used(self->fd));
	close(fd);
	EXPECT_EQ(before, vram_used(self->fd));
}

TEST_HARNESS_MAIN
