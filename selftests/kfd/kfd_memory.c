// SPDX-License-Identifier: MIT
/* Buffers: allocate, free, map, unmap, and what the CPU sees of them. */
#include "kfd_util.h"

FIXTURE(mem) {
	struct gpu g;
};

FIXTURE_SETUP(mem)
{
	gpu_open(&self->g);
}

FIXTURE_TEARDOWN(mem)
{
	close(self->g.drm);
	close(self->g.kfd);
}

static uint64_t available(const struct gpu *g)
{
	struct kfd_ioctl_get_available_memory_args a = { .gpu_id = g->id };

	ASSERT_IOCTL(0, g->kfd, AMDKFD_IOC_AVAILABLE_MEMORY, &a);
	return a.available;
}

TEST_F(mem, alloc_bad)
{
	void *va = va_reserve(MB);
	struct mem m;
	struct gpu bad = self->g;

	EXPECT_EQ(EINVAL, mem_alloc_at(&self->g, VRAM, va, 0, 0, &m));
	EXPECT_EQ(EINVAL, mem_alloc_at(&self->g, RW, va, PAGE, 0, &m));
	EXPECT_EQ(EINVAL, mem_alloc_at(&self->g, USERPTR, va, PAGE, 0, &m));
	EXPECT_EQ(EINVAL, mem_alloc_at(&self->g, DOORBELL, va, PAGE, 0, &m));
	EXPECT_EQ(EINVAL, mem_alloc_at(&self->g, MMIO, va, 2 * PAGE, 0, &m));
	EXPECT_EQ(ENOMEM, mem_alloc_at(&self->g, VRAM, va, 1ul << 60, 0, &m));
	EXPECT_EQ(ENOMEM, mem_alloc_at(&self->g, VRAM, va, -1ul, 0, &m));
	EXPECT_EQ(ENOMEM, mem_alloc_at(&self->g, GTT, va, 1ul << 46, 0, &m));
	bad.id = BAD_GPU;
	EXPECT_EQ(EINVAL, mem_alloc_at(&bad, VRAM, va, PAGE, 0, &m));
}

TEST_F(mem, handles_carry_the_gpu)
{
	struct mem a = mem_alloc(&self->g, VRAM | HOST, PAGE);
	struct mem b = mem_alloc(&self->g, VRAM | HOST, PAGE);

	EXPECT_EQ((uint64_t)self->g.id, a.handle >> 32);
	EXPECT_EQ((uint64_t)self->g.id, b.handle >> 32);
	EXPECT_NE(a.handle, b.handle);
	EXPECT_LE(1ull << 32, a.offset);
	EXPECT_EQ(0, mem_free(&self->g, a.handle));
	EXPECT_EQ(EINVAL, mem_free(&self->g, a.handle));
	EXPECT_EQ(0, mem_free(&self->g, b.handle));
}

TEST_F(mem, free_bad)
{
	EXPECT_EQ(EINVAL, mem_free(&self->g, (uint64_t)self->g.id << 32 | 12345));
	EXPECT_EQ(EINVAL, mem_free(&self->g, (uint64_t)BAD_GPU << 32));
	EXPECT_EQ(EINVAL, mem_free(&self->g, -1ull));
}

static void check_cpu_map(const struct gpu *g, uint32_t flags)
{
	struct mem m = mem_alloc(g, flags, MB);
	unsigned char *p = mem_mmap(g, &m);
	size_t i;

	ASSERT_NE(MAP_FAILED, (void *)p);
	for (i = 0; i < MB; i += PAGE)
		EXPECT_EQ(0, p[i]);
	memset(p, 0xa5, MB);
	for (i = 0; i < MB; i += 777)
		EXPECT_EQ(0xa5, p[i]);
	munmap(p, MB);
	EXPECT_EQ(0, mem_free(g, m.handle));
}

TEST_F(mem, vram_is_zero_and_ram)
{
	check_cpu_map(&self->g, VRAM | HOST);
}

TEST_F(mem, gtt_is_zero_and_ram)
{
	check_cpu_map(&self->g, GTT | HOST);
}

TEST_F(mem, freed_vram_comes_back_zeroed)
{
	struct mem m;
	unsigned long *p;
	int i;

	for (i = 0; i < 8; i++) {
		m = mem_alloc(&self->g, VRAM | HOST, PAGE);
		p = mem_mmap(&self->g, &m);
		ASSERT_NE(MAP_FAILED, (void *)p);
		EXPECT_EQ(0ul, p[17]);
		p[17] = 0x5ec7e7;
		munmap(p, PAGE);
		ASSERT_EQ(0, mem_free(&self->g, m.handle));
	}
}

/* libhsakmt 5.2 does this to own the address. */
TEST_F(mem, private_prot_none_mmap)
{
	struct mem m = mem_alloc(&self->g, VRAM, MB);

	EXPECT_EQ(m.va, mmap(m.va, MB, PROT_NONE, MAP_PRIVATE | MAP_FIXED, self->g.drm, m.offset));
}

TEST_F(mem, other_drm_file_may_not_mmap)
{
	struct mem m = mem_alloc(&self->g, VRAM | HOST, PAGE);
	int other = open_render(self->g.node);

	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, other, m.offset));
	EXPECT_EQ(EACCES, errno);
}

TEST_F(mem, mapping_survives_free)
{
	struct mem m = mem_alloc(&self->g, VRAM | HOST, PAGE);
	unsigned long *p = mem_mmap(&self->g, &m);

	ASSERT_NE(MAP_FAILED, (void *)p);
	p[0] = 42;
	EXPECT_EQ(0, mem_free(&self->g, m.handle));
	EXPECT_EQ(42ul, p[0]);
}

TEST_F(mem, map_and_unmap)
{
	struct mem m = mem_alloc(&self->g, VRAM | HOST, PAGE);

	EXPECT_EQ(EINVAL, mem_unmap(&self->g, m.handle));
	EXPECT_EQ(0, mem_map(&self->g, m.handle));
	EXPECT_EQ(0, mem_map(&self->g, m.handle));
	EXPECT_EQ(EBUSY, mem_free(&self->g, m.handle));
	EXPECT_EQ(0, mem_unmap(&self->g, m.handle));
	EXPECT_EQ(EINVAL, mem_unmap(&self->g, m.handle));
	EXPECT_EQ(0, mem_free(&self->g, m.handle));
}

TEST_F(mem, map_bad)
{
	struct mem m = mem_alloc(&self->g, VRAM | HOST, PAGE), none;
	uint32_t ids[2] = { self->g.id, BAD_GPU };
	struct kfd_ioctl_map_memory_to_gpu_args a = {
		.handle = m.handle, .device_ids_array_ptr = (uintptr_t)ids, .n_devices = 2,
	};
	int fd = self->g.kfd;

	/* The first device is done, and the caller is told. */
	EXPECT_IOCTL(EINVAL, fd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &a);
	EXPECT_EQ(1u, a.n_success);
	EXPECT_EQ(0, mem_unmap(&self->g, m.handle));

	a.n_success = 3;
	EXPECT_IOCTL(EINVAL, fd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &a);
	a.n_success = a.n_devices = 0;
	EXPECT_IOCTL(EINVAL, fd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &a);
	a.n_devices = 1;
	a.device_ids_array_ptr = BAD_PTR;
	EXPECT_IOCTL(EFAULT, fd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &a);
	a.n_devices = 0xffffffff;
	EXPECT_IOCTL(ENOMEM, fd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &a);

	EXPECT_EQ(ENOMEM, mem_map(&self->g, (uint64_t)self->g.id << 32 | 777));
	EXPECT_EQ(EINVAL, mem_map(&self->g, (uint64_t)BAD_GPU << 32));
	EXPECT_EQ(ENOMEM, mem_unmap(&self->g, (uint64_t)self->g.id << 32 | 777));

	/* An address-less buffer can be allocated, but not mapped like this. */
	ASSERT_EQ(0, mem_alloc_at(&self->g, VRAM, NULL, PAGE, 0, &none));
	EXPECT_EQ(EINVAL, mem_map(&self->g, none.handle));
}

TEST_F(mem, one_address_once)
{
	struct mem a = mem_alloc(&self->g, VRAM | HOST, 2 * PAGE), b;

	ASSERT_EQ(0, mem_alloc_at(&self->g, VRAM | HOST, a.va + PAGE, PAGE, 0, &b));
	EXPECT_EQ(0, mem_map(&self->g, a.handle));
	EXPECT_EQ(EINVAL, mem_map(&self->g, b.handle));
	EXPECT_EQ(0, mem_unmap(&self->g, a.handle));
	EXPECT_EQ(0, mem_map(&self->g, b.handle));
}

TEST_F(mem, userptr)
{
	char *p = mmap(NULL, MB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct mem m;

	ASSERT_NE(MAP_FAILED, (void *)p);
	EXPECT_EQ(0, mem_alloc_at(&self->g, USERPTR | RW, p, MB, (uintptr_t)p, &m));
	EXPECT_EQ((uint64_t)(uintptr_t)p, m.offset);
	EXPECT_EQ(0, mem_map(&self->g, m.handle));
	munmap(p, MB);
	EXPECT_EQ(0, mem_unmap(&self->g, m.handle));
	EXPECT_EQ(0, mem_free(&self->g, m.handle));
}

TEST_F(mem, double_mapped_ring)
{
	struct mem m = mem_alloc(&self->g, GTT | RW | KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM,
				 2 * PAGE);

	EXPECT_EQ(0, mem_map(&self->g, m.handle));
	EXPECT_EQ(0, mem_unmap(&self->g, m.handle));
	EXPECT_EQ(0, mem_free(&self->g, m.handle));
}

TEST_F(mem, available_follows_allocations)
{
	uint64_t before = available(&self->g);
	struct mem m = mem_alloc(&self->g, VRAM, 64 * MB);
	struct kfd_ioctl_get_available_memory_args bad = { .gpu_id = BAD_GPU };

	EXPECT_EQ(0ull, before % (2 * MB));
	EXPECT_LE(64 * MB, before - available(&self->g));
	EXPECT_EQ(0, mem_free(&self->g, m.handle));
	EXPECT_EQ(before, available(&self->g));
	EXPECT_IOCTL(EINVAL, self->g.kfd, AMDKFD_IOC_AVAILABLE_MEMORY, &bad);
}

TEST_F(mem, vram_has_an_end)
{
	uint64_t all = available(&self->g);
	struct mem m, more;

	ASSERT_EQ(0, mem_alloc_at(&self->g, VRAM, va_reserve(all), all, 0, &m));
	EXPECT_EQ(ENOMEM, mem_alloc_at(&self->g, VRAM, va_reserve(4 * MB), 4 * MB, 0, &more));
	EXPECT_EQ(0, mem_free(&self->g, m.handle));
	EXPECT_EQ(0, mem_alloc_at(&self->g, VRAM, va_reserve(4 * MB), 4 * MB, 0, &more));
}

TEST_F(mem, doorbell_and_mmio_buffers)
{
	struct mem m;

	ASSERT_EQ(0, mem_alloc_at(&self->g, DOORBELL | RW, va_reserve(8 * KB), 8 * KB, 0, &m));
	EXPECT_EQ(0, mem_map(&self->g, m.handle));
	EXPECT_EQ(0, mem_unmap(&self->g, m.handle));
	EXPECT_EQ(0, mem_free(&self->g, m.handle));

	ASSERT_EQ(0, mem_alloc_at(&self->g, MMIO | RW, va_reserve(PAGE), PAGE, 0, &m));
	EXPECT_EQ((uint64_t)self->g.id << 46, m.offset);
	EXPECT_EQ(0, mem_map(&self->g, m.handle));
	EXPECT_EQ(0, mem_unmap(&self->g, m.handle));
	EXPECT_EQ(0, mem_free(&self->g, m.handle));
}

TEST_F(mem, peers_share)
{
	int node = gpu_node(1);
	struct mem m = mem_alloc(&self->g, VRAM | HOST, PAGE);
	uint32_t ids[2] = { self->g.id, 0 };
	struct kfd_ioctl_map_memory_to_gpu_args a = {
		.handle = m.handle, .device_ids_array_ptr = (uintptr_t)ids, .n_devices = 2,
	};

	if (node < 0)
		SKIP(return, "needs two GPUs");
	ids[1] = node_gpu_id(node);
	EXPECT_IOCTL(ENODEV, self->g.kfd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &a);
	EXPECT_EQ(1u, a.n_success);
	ASSERT_EQ(0, acquire_vm(self->g.kfd, open_render(node), ids[1]));
	EXPECT_IOCTL(0, self->g.kfd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &a);
	EXPECT_EQ(2u, a.n_success);
	EXPECT_EQ(0, mem_unmap(&self->g, m.handle));
	EXPECT_EQ(EBUSY, mem_free(&self->g, m.handle));
	EXPECT_EQ(0, mem_map_call(&self->g, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, m.handle, ids[1]));
	EXPECT_EQ(0, mem_free(&self->g, m.handle));
}

/* Three fifths of what GPUs may take of the machine's memory. */
static size_t most_of_gtt(void)
{
	unsigned long long limit = 0;
	FILE *f = fopen("/sys/kernel/debug/kfd/mem_limit", "r");

	ASSERT_NE(NULL, (void *)f);
	ASSERT_EQ(1, fscanf(f, "System mem used %*uM out of %lluM", &limit));
	fclose(f);
	return limit * MB / 5 * 3 & -PAGE;
}

static int try_most_of_gtt(const struct gpu *g, struct mem *m)
{
	size_t bytes = most_of_gtt();

	return mem_alloc_at(g, GTT | RW, va_reserve(bytes), bytes, 0, m);
}

TEST_F(mem, all_gpus_share_system_memory)
{
	int node = gpu_node(1);
	struct gpu other = self->g;
	struct mem m, n;

	if (node < 0)
		SKIP(return, "needs two GPUs");
	other.id = node_gpu_id(node);
	ASSERT_EQ(0, acquire_vm(self->g.kfd, open_render(node), other.id));
	ASSERT_EQ(0, try_most_of_gtt(&self->g, &m));
	EXPECT_EQ(ENOMEM, try_most_of_gtt(&other, &n));
	EXPECT_EQ(0, mem_free(&self->g, m.handle));
	EXPECT_EQ(0, try_most_of_gtt(&other, &n));
}

static int most_of_gtt_elsewhere(void *arg)
{
	struct gpu g;
	struct mem m;

	(void)arg;
	gpu_open(&g);
	return try_most_of_gtt(&g, &m);
}

TEST_F(mem, all_processes_share_system_memory)
{
	struct mem m;

	ASSERT_EQ(0, try_most_of_gtt(&self->g, &m));
	EXPECT_EQ(ENOMEM, in_child(most_of_gtt_elsewhere, NULL));
	EXPECT_EQ(0, mem_free(&self->g, m.handle));
	EXPECT_EQ(0, in_child(most_of_gtt_elsewhere, NULL));
}

/* Who changes memory goes through all objects over it. */
TEST_F(mem, user_memory_objects_have_an_end)
{
	char *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct mem m[4];
	int err[5], i;

	ASSERT_NE(MAP_FAILED, (void *)p);
	EXPECT_TRUE(set_parameter("userptrs_per_process", 3));
	for (i = 0; i < 4; i++)
		err[i] = mem_alloc_at(&self->g, USERPTR | RW, va_reserve(PAGE), PAGE,
				      (uintptr_t)p, &m[i]);
	EXPECT_EQ(0, mem_free(&self->g, m[1].handle));
	err[4] = mem_alloc_at(&self->g, USERPTR | RW, va_reserve(PAGE), PAGE, (uintptr_t)p, &m[1]);
	EXPECT_TRUE(set_parameter("userptrs_per_process", 32768));
	EXPECT_EQ(0, err[0]);
	EXPECT_EQ(0, err[1]);
	EXPECT_EQ(0, err[2]);
	EXPECT_EQ(ENOMEM, err[3]);
	EXPECT_EQ(0, err[4]);
}

TEST_HARNESS_MAIN
