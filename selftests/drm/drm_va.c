// SPDX-License-Identifier: MIT
/*
 * GEM_VA: what the GPU sees where. The GPU's hand is the completion of a
 * barrier packet, which decrements its signal's value at any address we like;
 * the CPU looks at the same memory through its own mapping.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>

#include "../kfd/file_util.h"
#include "../queue/rig.h"
#include "vgem.h"

#define PAGES	8ul
#define BYTES	(PAGES * PAGE)
#define READABLE	AMDGPU_VM_PAGE_READABLE
#define RW_	(READABLE | AMDGPU_VM_PAGE_WRITEABLE)
#define DELAY	"/sys/module/vkfd/parameters/race_delay_us"
#define MAP	AMDGPU_VA_OP_MAP
#define UNMAP	AMDGPU_VA_OP_UNMAP
#define CLEAR	AMDGPU_VA_OP_CLEAR
#define REPLACE	AMDGPU_VA_OP_REPLACE

FIXTURE(va) {
	struct rig r;
	struct rig_queue q;
	int fd;
	uint32_t h;
	unsigned char *cpu;	/* where the CPU sees the object */
	unsigned char *gpu;	/* where the GPU will */
};

static void make(FIXTURE_DATA(va) *self, uint32_t *h, unsigned char **cpu)
{
	ASSERT_EQ(0, gem_create(self->fd, BYTES, AMDGPU_GEM_DOMAIN_VRAM, 0, h));
	*cpu = gem_map(self->fd, *h, BYTES);
	ASSERT_NE(MAP_FAILED, (void *)*cpu);
}

FIXTURE_SETUP(va)
{
	ASSERT_EQ(0, rig_open(&self->r));
	ASSERT_EQ(0, rig_queue_create(&self->r, RIG_RING, &self->q));
	self->fd = self->r.drm;
	make(self, &self->h, &self->cpu);
	self->gpu = va_reserve(2 * BYTES);
}

FIXTURE_TEARDOWN(va)
{
	rig_close(&self->r);
}

static struct rig_signal *gpu_touches(FIXTURE_DATA(va) *self, void *gpu, void *cpu)
{
	struct rig_signal *s = cpu;
	union rig_packet pk = { 0 };

	memset(s, 0, sizeof(*s));
	s->kind = 1;
	__atomic_store_n(&s->value, 5, __ATOMIC_RELEASE);
	pk.barrier.header = RIG_BARRIER_AND | RIG_SCOPES;
	pk.barrier.signal = (uintptr_t)gpu;
	rig_submit(&self->q, &pk);
	return s;
}

/* The GPU at @gpu changes what the CPU sees at @cpu. */
static bool same(FIXTURE_DATA(va) *self, void *gpu, void *cpu)
{
	return rig_wait(gpu_touches(self, gpu, cpu), 4, RIG_LONG);
}

/* The GPU faults at @gpu; the queue is dead after that. */
static bool faults(FIXTURE_DATA(va) *self, unsigned char *gpu, bool read_only)
{
	static struct rig_signal nowhere;
	struct kfd_event_data d;
	u32 id, slot;

	ASSERT_EQ(0, rig_event(&self->r, KFD_IOC_EVENT_MEMORY, &id, &slot));
	gpu_touches(self, gpu, &nowhere);
	return !rig_event_wait(&self->r, id, RIG_LONG, &d) &&
	       d.memory_exception_data.va == (uintptr_t)gpu &&
	       d.memory_exception_data.failure.NotPresent == !read_only &&
	       d.memory_exception_data.failure.ReadOnly == read_only;
}

TEST_F(va, map_and_reach)
{
	ASSERT_EQ(0, gem_va(self->fd, MAP, self->h, self->gpu, 0, BYTES, RW_));
	EXPECT_TRUE(same(self, self->gpu, self->cpu));
	EXPECT_TRUE(same(self, self->gpu + BYTES - 64, self->cpu + BYTES - 64));
	/* the same again elsewhere, a part of it */
	ASSERT_EQ(0, gem_va(self->fd, MAP, self->h, self->gpu + BYTES, 3 * PAGE, PAGE, RW_));
	EXPECT_TRUE(same(self, self->gpu + BYTES, self->cpu + 3 * PAGE));
}

TEST_F(va, bad)
{
	int fd = self->fd;
	char *hole = (char *)0x0000800000000000, *va = (char *)self->gpu;
	uint32_t h = self->h;

	EXPECT_EQ(EINVAL, gem_va(fd, MAP, h, (char *)PAGE, 0, PAGE, RW_));
	EXPECT_EQ(EINVAL, gem_va(fd, MAP, h, hole, 0, PAGE, RW_));
	EXPECT_EQ(EINVAL, gem_va(fd, MAP, h, hole - PAGE, 0, 2 * PAGE, RW_));
	EXPECT_EQ(EINVAL, gem_va(fd, MAP, h, (char *)-PAGE, 0, PAGE, RW_));
	EXPECT_EQ(EINVAL, gem_va(fd, MAP, h, va + 8, 0, PAGE, RW_));
	EXPECT_EQ(EINVAL, gem_va(fd, MAP, h, va, 8, PAGE, RW_));
	EXPECT_EQ(EINVAL, gem_va(fd, MAP, h, va, 0, 8, RW_));
	EXPECT_EQ(EINVAL, gem_va(fd, MAP, h, va, 0, 0, RW_));
	EXPECT_EQ(EINVAL, gem_va(fd, MAP, h, va, PAGE, BYTES, RW_));
	EXPECT_EQ(EINVAL, gem_va(fd, MAP, h, va, -PAGE, 2 * PAGE, RW_));
	EXPECT_EQ(EINVAL, gem_va(fd, MAP, h, va, 0, -PAGE, RW_));
	EXPECT_EQ(EINVAL, gem_va(fd, MAP, h, va, 0, PAGE, 1u << 31));
	EXPECT_EQ(EINVAL, gem_va(fd, 0, h, va, 0, PAGE, RW_));
	EXPECT_EQ(EINVAL, gem_va(fd, 5, h, va, 0, PAGE, RW_));
	EXPECT_EQ(EOPNOTSUPP, gem_va(fd, MAP, h, va, 0, PAGE, AMDGPU_VM_PAGE_PRT));
	EXPECT_EQ(ENOENT, gem_va(fd, MAP, 777, va, 0, PAGE, RW_));
	EXPECT_EQ(ENOENT, gem_va(fd, UNMAP, h, va, 0, PAGE, 0));
	EXPECT_EQ(EINVAL, gem_va(fd, CLEAR, 0, va + 8, 0, PAGE, 0));
	EXPECT_EQ(0, gem_va(fd, CLEAR, 777, va, 0, PAGE, 0));
	ASSERT_EQ(0, gem_va(fd, MAP, h, va, 0, BYTES, RW_));
	EXPECT_EQ(EINVAL, gem_va(fd, MAP, h, va + PAGE, 0, PAGE, RW_));
}

TEST_F(va, unmap_ends_access)
{
	ASSERT_EQ(0, gem_va(self->fd, MAP, self->h, self->gpu, 0, BYTES, RW_));
	ASSERT_TRUE(same(self, self->gpu, self->cpu));
	EXPECT_EQ(ENOENT, gem_va(self->fd, UNMAP, self->h, self->gpu + PAGE, 0, BYTES, 0));
	EXPECT_EQ(0, gem_va(self->fd, UNMAP, self->h, self->gpu, 0, BYTES, 0));
	EXPECT_EQ(ENOENT, gem_va(self->fd, UNMAP, self->h, self->gpu, 0, BYTES, 0));
	EXPECT_TRUE(faults(self, self->gpu, false));
}

TEST_F(va, read_only)
{
	ASSERT_EQ(0, gem_va(self->fd, MAP, self->h, self->gpu, 0, BYTES, READABLE));
	EXPECT_TRUE(faults(self, self->gpu, true));
}

TEST_F(va, no_access_at_all)
{
	ASSERT_EQ(0, gem_va(self->fd, MAP, self->h, self->gpu, 0, BYTES, 0));
	/* A completion reads first whom to tell, and what cannot be read is not there. */
	EXPECT_TRUE(faults(self, self->gpu, false));
}

TEST_F(va, replace)
{
	unsigned char *cpu;
	uint32_t h;

	make(self, &h, &cpu);
	ASSERT_EQ(0, gem_va(self->fd, MAP, self->h, self->gpu, 0, BYTES, RW_));
	ASSERT_TRUE(same(self, self->gpu + 4 * PAGE, self->cpu + 4 * PAGE));
	ASSERT_EQ(0, gem_va(self->fd, REPLACE, h, self->gpu + 4 * PAGE, 0, PAGE, RW_));
	EXPECT_TRUE(same(self, self->gpu + 4 * PAGE, cpu));
	EXPECT_TRUE(same(self, self->gpu + 3 * PAGE, self->cpu + 3 * PAGE));
	EXPECT_TRUE(same(self, self->gpu + 5 * PAGE, self->cpu + 5 * PAGE));
	/* over everything */
	ASSERT_EQ(0, gem_va(self->fd, REPLACE, h, self->gpu, 0, BYTES, RW_));
	EXPECT_TRUE(same(self, self->gpu, cpu));
	EXPECT_TRUE(same(self, self->gpu + 7 * PAGE, cpu + 7 * PAGE));
}

TEST_F(va, clear_cuts)
{
	unsigned char *cpu;
	uint32_t h;

	make(self, &h, &cpu);
	ASSERT_EQ(0, gem_va(self->fd, MAP, self->h, self->gpu, 0, BYTES, RW_));
	ASSERT_EQ(0, gem_va(self->fd, MAP, h, self->gpu + BYTES, 0, BYTES, RW_));
	ASSERT_TRUE(same(self, self->gpu + 3 * PAGE, self->cpu + 3 * PAGE));
	/* a hole in the middle, then one over the seam */
	EXPECT_EQ(0, gem_va(self->fd, CLEAR, 0, self->gpu + 2 * PAGE, 0, 2 * PAGE, 0));
	EXPECT_EQ(0, gem_va(self->fd, CLEAR, 0, self->gpu + 7 * PAGE, 0, 2 * PAGE, 0));
	EXPECT_TRUE(same(self, self->gpu + PAGE, self->cpu + PAGE));
	EXPECT_TRUE(same(self, self->gpu + 4 * PAGE, self->cpu + 4 * PAGE));
	EXPECT_TRUE(same(self, self->gpu + 6 * PAGE, self->cpu + 6 * PAGE));
	EXPECT_TRUE(same(self, self->gpu + BYTES + PAGE, cpu + PAGE));
	/* the hole can be used */
	EXPECT_EQ(0, gem_va(self->fd, MAP, h, self->gpu + 2 * PAGE, 0, PAGE, RW_));
	EXPECT_TRUE(same(self, self->gpu + 2 * PAGE, cpu));
	EXPECT_TRUE(faults(self, self->gpu + 3 * PAGE, false));
}

TEST_F(va, last_handle_takes_its_mappings_along)
{
	ASSERT_EQ(0, gem_va(self->fd, MAP, self->h, self->gpu, 0, BYTES, RW_));
	ASSERT_TRUE(same(self, self->gpu, self->cpu));
	EXPECT_EQ(0, gem_close(self->fd, self->h));
	EXPECT_TRUE(faults(self, self->gpu, false));
}

/**
 * struct closer - a thread that closes handles
 * @h: the next one, or 0: it has been closed
 */
struct closer {
	int fd;
	uint32_t h;
	bool end;
};

static void *close_handles(void *arg)
{
	struct closer *c = arg;
	uint32_t h;

	while (!__atomic_load_n(&c->end, __ATOMIC_ACQUIRE)) {
		h = __atomic_load_n(&c->h, __ATOMIC_ACQUIRE);
		if (!h)
			continue;
		EXPECT_EQ(0, gem_close(c->fd, h));
		__atomic_store_n(&c->h, 0, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* Whether MAP or the close comes first: then nothing is mapped there. */
TEST_F(va, last_handle_goes_meanwhile)
{
	struct closer c = { .fd = self->fd };
	unsigned int i, n = 300, mapped = 0;
	pthread_t t;
	uint32_t h;
	int ret;

	/* On kernels that have it, MAP stays a while where the close may overtake it */
	file_write(DELAY, "200");
	ASSERT_EQ(0, pthread_create(&t, NULL, close_handles, &c));
	for (i = 0; i < n; i++) {
		ASSERT_EQ(0, gem_create(self->fd, PAGE, AMDGPU_GEM_DOMAIN_GTT, 0, &h));
		__atomic_store_n(&c.h, h, __ATOMIC_RELEASE);
		ret = gem_va(self->fd, MAP, h, self->gpu, 0, PAGE, RW_);
		mapped += !ret;
		EXPECT_TRUE(!ret || ret == ENOENT);
		while (__atomic_load_n(&c.h, __ATOMIC_ACQUIRE))
			usleep(10);
		ASSERT_EQ(0, gem_va(self->fd, MAP, self->h, self->gpu, 0, PAGE, RW_));
		ASSERT_EQ(0, gem_va(self->fd, UNMAP, self->h, self->gpu, 0, PAGE, 0));
	}
	file_write(DELAY, "0");
	__atomic_store_n(&c.end, true, __ATOMIC_RELEASE);
	pthread_join(t, NULL);
	TH_LOG("%u of %u were mapped first", mapped, n);
}

TEST_F(va, upper_half)
{
	unsigned char *high = (unsigned char *)0xffff800000200000;

	ASSERT_EQ(0, gem_va(self->fd, MAP, self->h, high, 0, BYTES, RW_));
	EXPECT_TRUE(same(self, high + PAGE, self->cpu + PAGE));
}

/* How ROCr makes virtual memory: no address at first, then by the render node. */
TEST_F(va, memory_handle_of_kfd)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args a = {
		.size = BYTES, .gpu_id = self->r.gpu_id, .flags = VRAM | RW,
	};
	struct kfd_ioctl_export_dmabuf_args e = { .flags = O_CLOEXEC };
	struct kfd_ioctl_free_memory_of_gpu_args f;
	unsigned char *cpu;
	uint32_t h;

	ASSERT_IOCTL(0, self->r.kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a);
	e.handle = a.handle;
	ASSERT_IOCTL(0, self->r.kfd, AMDKFD_IOC_EXPORT_DMABUF, &e);
	ASSERT_EQ(0, gem_import(self->fd, e.dmabuf_fd, &h));
	close(e.dmabuf_fd);
	cpu = gem_map(self->fd, h, BYTES);
	ASSERT_NE(MAP_FAILED, (void *)cpu);
	ASSERT_EQ(0, gem_va(self->fd, MAP, h, self->gpu, 0, BYTES, RW_));
	EXPECT_TRUE(same(self, self->gpu + PAGE, cpu + PAGE));
	/* KFD's handle may go: the mapping stays. */
	f.handle = a.handle;
	EXPECT_IOCTL(0, self->r.kfd, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &f);
	EXPECT_TRUE(same(self, self->gpu + 2 * PAGE, cpu + 2 * PAGE));
	EXPECT_EQ(0, gem_va(self->fd, UNMAP, h, self->gpu, 0, BYTES, 0));
	EXPECT_EQ(0, gem_close(self->fd, h));
}

TEST_F(va, memory_of_another_driver)
{
	int vgem = vgem_open(), d;
	uint32_t h;
	void *cpu;

	d = vgem_create(vgem, BYTES, &cpu);
	ASSERT_EQ(0, gem_import(self->fd, d, &h));
	close(d);
	ASSERT_EQ(0, gem_va(self->fd, MAP, h, self->gpu, 0, BYTES, RW_));
	EXPECT_TRUE(same(self, self->gpu, cpu));
	EXPECT_TRUE(same(self, self->gpu + 5 * PAGE, (char *)cpu + 5 * PAGE));
}

TEST_F(va, another_gpu_imports)
{
	int node = gpu_node(1), other, d;
	uint32_t h, back;

	if (node < 0)
		SKIP(return, "needs two GPUs");
	other = open_render(node);
	ASSERT_EQ(0, gem_create(other, BYTES, AMDGPU_GEM_DOMAIN_VRAM, 0, &h));
	d = gem_export(other, h, DRM_RDWR);
	ASSERT_LE(0, d);
	ASSERT_EQ(0, gem_import(self->fd, d, &back));
	ASSERT_EQ(0, gem_va(self->fd, MAP, back, self->gpu, 0, BYTES, RW_));
	EXPECT_TRUE(same(self, self->gpu + PAGE, (char *)gem_map(other, h, BYTES) + PAGE));
}

static long long objects(void)
{
	return prop_get("/sys/kernel/debug/kfd/counters", "bo_count");
}

/* Those of a test before may be on their way out when one begins, so "not more". */
static bool no_more_objects_than(long long n)
{
	unsigned int tries;

	for (tries = 0; objects() > n; tries++) {
		if (tries == 1000)
			return false;
		usleep(10000);
	}
	return true;
}

/* KFD unmaps what GEM_VA left of it, and the object goes. */
TEST_F(va, kfd_memory_that_was_cut)
{
	long long before = objects();
	unsigned char *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				-1, 0);
	struct rig_mem m;

	ASSERT_NE(MAP_FAILED, (void *)p);
	ASSERT_EQ(0, rig_userptr(&self->r, p, BYTES, &m));
	EXPECT_TRUE(same(self, p + 3 * PAGE, p + 3 * PAGE));
	ASSERT_EQ(0, gem_va(self->fd, CLEAR, 0, p, 0, PAGE, 0));
	ASSERT_EQ(0, gem_va(self->fd, CLEAR, 0, p + 5 * PAGE, 0, PAGE, 0));
	/* Something else of the same file in the gap */
	ASSERT_EQ(0, gem_va(self->fd, MAP, self->h, p, 0, PAGE, RW_));
	EXPECT_TRUE(same(self, p + 3 * PAGE, p + 3 * PAGE));
	EXPECT_EQ(0, rig_unmap(&self->r, &m));
	EXPECT_EQ(0, rig_free(&self->r, &m));
	EXPECT_TRUE(no_more_objects_than(before));
	EXPECT_TRUE(same(self, p, self->cpu));
	EXPECT_TRUE(faults(self, p + 3 * PAGE, false));
}

/* A process and its GPU; the page that the GPU touches has to be brought in for it. */
static bool works_from_scratch(struct rig *r)
{
	FIXTURE_DATA(va) f;
	struct rig_mem m;
	union rig_packet pk = { 0 };
	volatile s64 *value;

	f.r = *r;
	if (rig_queue_create(&f.r, RIG_RING, &f.q) || rig_anon(&f.r, PAGE, &m))
		return false;
	madvise(m.p, PAGE, MADV_DONTNEED);
	value = &((struct rig_signal *)m.p)->value;
	pk.barrier.header = RIG_BARRIER_AND | RIG_SCOPES;
	pk.barrier.signal = (uintptr_t)m.p;
	rig_submit(&f.q, &pk);
	return rig_wait((void *)m.p, -1, RIG_LONG) && *value == -1;
}

/* The VM of a process that has ended serves the next one, with that one's memory. */
TEST(acquired_again)
{
	struct rig *theirs = mmap(NULL, sizeof(*theirs), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0), r;
	int ready[2], status, pidfd, drm;
	char byte;
	pid_t pid;

	ASSERT_NE(MAP_FAILED, (void *)theirs);
	ASSERT_EQ(0, pipe(ready));
	pid = fork();
	if (!pid) {
		byte = !rig_open(theirs) && works_from_scratch(theirs);
		if (write(ready[1], &byte, 1) != 1)
			_exit(1);
		pause();
	}
	ASSERT_EQ(1l, (long)read(ready[0], &byte, 1));
	ASSERT_EQ(1, byte);
	pidfd = syscall(SYS_pidfd_open, pid, 0);
	ASSERT_LE(0, pidfd);
	drm = syscall(SYS_pidfd_getfd, pidfd, theirs->drm, 0);
	ASSERT_LE(0, drm);
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, rig_open_on(&r, drm, theirs->gpu_id));
	EXPECT_TRUE(works_from_scratch(&r));
}

TEST_HARNESS_MAIN
