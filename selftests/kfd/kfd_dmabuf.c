// SPDX-License-Identifier: MIT
/* EXPORT_DMABUF, IMPORT_DMABUF, GET_DMABUF_INFO, and two processes that share. */
#include <sys/socket.h>

#include "../../uapi/drm/amdgpu_drm.h"
#include "kfd_util.h"
#include "../drm/vgem.h"

#define BYTES	(4 * PAGE)

FIXTURE(buf) {
	struct gpu g;
	struct mem m;
};

FIXTURE_SETUP(buf)
{
	gpu_open(&self->g);
	self->m = mem_alloc(&self->g, VRAM | HOST, BYTES);
}

FIXTURE_TEARDOWN(buf)
{
	close(self->g.kfd);
}

static int export(const struct gpu *g, uint64_t handle)
{
	struct kfd_ioctl_export_dmabuf_args a = { .handle = handle, .flags = O_CLOEXEC };
	int err = kfd_err(g->kfd, AMDKFD_IOC_EXPORT_DMABUF, &a);

	return err ? -err : (int)a.dmabuf_fd;
}

static int import(const struct gpu *g, int fd, void *va, struct mem *m)
{
	struct kfd_ioctl_import_dmabuf_args a = {
		.va_addr = (uintptr_t)va, .gpu_id = g->id, .dmabuf_fd = fd,
	};
	int err = kfd_err(g->kfd, AMDKFD_IOC_IMPORT_DMABUF, &a);

	*m = (struct mem){ .va = va, .bytes = BYTES, .handle = a.handle };
	return err;
}

static uint64_t available(const struct gpu *g)
{
	struct kfd_ioctl_get_available_memory_args a = { .gpu_id = g->id };

	ASSERT_IOCTL(0, g->kfd, AMDKFD_IOC_AVAILABLE_MEMORY, &a);
	return a.available;
}

TEST_F(buf, export_bad)
{
	struct mem u;
	void *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	EXPECT_EQ(-EINVAL, export(&self->g, (uint64_t)self->g.id << 32 | 777));
	EXPECT_EQ(-EINVAL, export(&self->g, (uint64_t)BAD_GPU << 32));
	ASSERT_EQ(0, mem_alloc_at(&self->g, USERPTR | RW, p, PAGE, (uintptr_t)p, &u));
	EXPECT_EQ(-EPERM, export(&self->g, u.handle));
	ASSERT_EQ(0, mem_alloc_at(&self->g, DOORBELL | RW, va_reserve(8 * KB), 8 * KB, 0, &u));
	EXPECT_EQ(-EPERM, export(&self->g, u.handle));
	ASSERT_EQ(0, mem_alloc_at(&self->g, MMIO | RW, va_reserve(PAGE), PAGE, 0, &u));
	EXPECT_EQ(-EPERM, export(&self->g, u.handle));
}

TEST_F(buf, import_bad)
{
	int fd = export(&self->g, self->m.handle), p[2];
	struct gpu bad = self->g;
	struct mem m;

	ASSERT_LE(0, fd);
	EXPECT_EQ(EBADF, import(&self->g, -1, NULL, &m));
	ASSERT_EQ(0, pipe(p));
	EXPECT_EQ(EINVAL, import(&self->g, p[0], NULL, &m));
	bad.id = BAD_GPU;
	EXPECT_EQ(EINVAL, import(&bad, fd, NULL, &m));
}

/* Only memory of our own can be mapped: nobody tells us where somebody else's goes. */
TEST_F(buf, import_from_a_foreign_device)
{
	struct kfd_ioctl_get_dmabuf_info_args info = { 0 };
	int vgem = vgem_open(), fd;
	struct mem m;
	void *p;

	if (vgem < 0)
		return;
	fd = vgem_create(vgem, 16384, &p);
	EXPECT_EQ(EINVAL, import(&self->g, fd, NULL, &m));
	info.dmabuf_fd = fd;
	EXPECT_IOCTL(EINVAL, self->g.kfd, AMDKFD_IOC_GET_DMABUF_INFO, &info);
	/* And it is as it was. */
	memset(p, 3, 16384);
	EXPECT_EQ(3, ((char *)p)[16383]);
	close(fd);
	close(vgem);
}

static int without_vm(void *arg)
{
	struct gpu g = { .kfd = open("/dev/kfd", O_RDWR), .id = node_gpu_id(gpu_node(0)) };
	struct mem m;

	return import(&g, *(int *)arg, NULL, &m);
}

TEST_F(buf, import_without_vm)
{
	int fd = export(&self->g, self->m.handle);

	EXPECT_EQ(ENODEV, in_child(without_vm, &fd));
}

TEST_F(buf, import_maps_and_is_free)
{
	uint64_t before = available(&self->g);
	int fd = export(&self->g, self->m.handle);
	struct mem m;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, import(&self->g, fd, va_reserve(BYTES), &m));
	EXPECT_NE(self->m.handle, m.handle);
	EXPECT_EQ(0, mem_map(&self->g, m.handle));
	EXPECT_EQ(0, mem_map(&self->g, self->m.handle));
	EXPECT_EQ(before, available(&self->g));
	EXPECT_EQ(EBUSY, mem_free(&self->g, m.handle));
	EXPECT_EQ(0, mem_unmap(&self->g, m.handle));
	EXPECT_EQ(0, mem_free(&self->g, m.handle));
	EXPECT_EQ(0, mem_unmap(&self->g, self->m.handle));
	EXPECT_EQ(before, available(&self->g));
}

TEST_F(buf, import_without_address)
{
	struct mem m;

	ASSERT_EQ(0, import(&self->g, export(&self->g, self->m.handle), NULL, &m));
	EXPECT_EQ(EINVAL, mem_map(&self->g, m.handle));
	EXPECT_EQ(0, mem_free(&self->g, m.handle));
}

TEST_F(buf, info)
{
	struct kfd_ioctl_get_dmabuf_info_args a = { 0 };
	struct mem gtt = mem_alloc(&self->g, GTT | RW, 2 * PAGE);

	a.dmabuf_fd = export(&self->g, self->m.handle);
	EXPECT_IOCTL(0, self->g.kfd, AMDKFD_IOC_GET_DMABUF_INFO, &a);
	EXPECT_EQ(BYTES, a.size);
	EXPECT_EQ(self->g.id, a.gpu_id);
	EXPECT_EQ((uint32_t)(VRAM | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC), a.flags);
	EXPECT_EQ(0u, a.metadata_size);

	a.dmabuf_fd = export(&self->g, gtt.handle);
	EXPECT_IOCTL(0, self->g.kfd, AMDKFD_IOC_GET_DMABUF_INFO, &a);
	EXPECT_EQ(2 * PAGE, a.size);
	EXPECT_EQ((uint32_t)GTT, a.flags);

	a.dmabuf_fd = -1;
	EXPECT_IOCTL(EBADF, self->g.kfd, AMDKFD_IOC_GET_DMABUF_INFO, &a);
	a.dmabuf_fd = self->g.kfd;
	EXPECT_IOCTL(EINVAL, self->g.kfd, AMDKFD_IOC_GET_DMABUF_INFO, &a);
}

TEST_F(buf, info_with_metadata)
{
	struct drm_amdgpu_gem_metadata md = { .op = AMDGPU_GEM_METADATA_OP_SET_METADATA };
	struct kfd_ioctl_get_dmabuf_info_args a = { 0 };
	struct drm_prime_handle h = { .fd = export(&self->g, self->m.handle) };
	uint32_t got[3] = { 0 };

	ASSERT_IOCTL(0, self->g.drm, DRM_IOCTL_PRIME_FD_TO_HANDLE, &h);
	md.handle = h.handle;
	md.data.data_size_bytes = 8;
	md.data.data[0] = 11;
	md.data.data[1] = 22;
	ASSERT_IOCTL(0, self->g.drm, DRM_IOCTL_AMDGPU_GEM_METADATA, &md);

	a.dmabuf_fd = h.fd;
	a.metadata_ptr = (uintptr_t)got;
	a.metadata_size = 4;
	EXPECT_IOCTL(EINVAL, self->g.kfd, AMDKFD_IOC_GET_DMABUF_INFO, &a);
	EXPECT_EQ(8u, a.metadata_size);
	EXPECT_IOCTL(0, self->g.kfd, AMDKFD_IOC_GET_DMABUF_INFO, &a);
	EXPECT_EQ(11u, got[0]);
	EXPECT_EQ(22u, got[1]);
	EXPECT_EQ(0u, got[2]);
	a.metadata_ptr = BAD_PTR;
	EXPECT_IOCTL(EFAULT, self->g.kfd, AMDKFD_IOC_GET_DMABUF_INFO, &a);
}

/* A process of its own that has only the descriptor. */
static int sharer(void *arg)
{
	int fd = *(int *)arg;
	unsigned char *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	struct gpu g;
	struct mem m;

	gpu_open(&g);
	if (p == MAP_FAILED || p[1] != 17 || import(&g, fd, va_reserve(BYTES), &m) ||
	    mem_map(&g, m.handle))
		return 1;
	p[2] = 18;
	return 0;	/* with everything mapped */
}

TEST_F(buf, two_processes)
{
	int fd = export(&self->g, self->m.handle);
	unsigned char *p = mem_mmap(&self->g, &self->m);

	ASSERT_LE(0, fd);
	ASSERT_NE(MAP_FAILED, (void *)p);
	p[1] = 17;
	EXPECT_EQ(0, in_child(sharer, &fd));
	EXPECT_EQ(18, p[2]);
}

static int give(void *arg)
{
	int *sock = arg, fd;
	char byte = 0, control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { &byte, 1 };
	struct msghdr h = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
			    .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&h);
	unsigned char *p;
	struct gpu g;
	struct mem m;

	gpu_open(&g);
	m = mem_alloc(&g, VRAM | HOST, 64 * MB);
	p = mem_mmap(&g, &m);
	p[64 * MB - 1] = 99;
	fd = export(&g, m.handle);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	return fd < 0 || sendmsg(sock[1], &h, 0) != 1;
}

TEST_F(buf, outlives_the_exporter)
{
	uint64_t before = available(&self->g);
	char byte, control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &byte, 1 };
	struct msghdr h = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
			    .msg_controllen = sizeof(control) };
	int sock[2], fd;
	struct mem m;
	unsigned char *p;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sock));
	ASSERT_EQ(0, in_child(give, sock));
	ASSERT_EQ(1, recvmsg(sock[0], &h, 0));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&h)), sizeof(fd));
	EXPECT_EQ(before - 64 * MB, available(&self->g));
	p = mmap(NULL, 64 * MB, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)p);
	EXPECT_EQ(99, p[64 * MB - 1]);
	ASSERT_EQ(0, import(&self->g, fd, va_reserve(64 * MB), &m));
	ASSERT_EQ(0, mem_map(&self->g, m.handle));
	munmap(p, 64 * MB);
	close(fd);
	EXPECT_EQ(before - 64 * MB, available(&self->g));
	EXPECT_EQ(0, mem_unmap(&self->g, m.handle));
	EXPECT_EQ(0, mem_free(&self->g, m.handle));
	EXPECT_EQ(before, available(&self->g));
}

TEST_F(buf, peer_imports)
{
	int node = gpu_node(1);
	struct gpu g2 = self->g;
	struct mem m;

	if (node < 0)
		SKIP(return, "needs two GPUs");
	g2.node = node;
	g2.id = node_gpu_id(node);
	g2.drm = open_render(node);
	ASSERT_EQ(0, acquire_vm(g2.kfd, g2.drm, g2.id));
	ASSERT_EQ(0, import(&g2, export(&self->g, self->m.handle), va_reserve(BYTES), &m));
	EXPECT_EQ(0, mem_map(&g2, m.handle));
	EXPECT_EQ(0, mem_unmap(&g2, m.handle));
	EXPECT_EQ(0, mem_free(&g2, m.handle));
}

TEST_HARNESS_MAIN
