// SPDX-License-Identifier: MIT
/* SVM: attributes of address ranges, who may set what, and whom they conflict with. */
#define _GNU_SOURCE
#include <pthread.h>

#include "kfd_util.h"

#define UNDEFINED	KFD_IOCTL_SVM_LOCATION_UNDEFINED
#define DEFAULT_FLAGS	(KFD_IOCTL_SVM_FLAG_HOST_ACCESS | KFD_IOCTL_SVM_FLAG_COHERENT)
#define MAX_ATTRS	16

/* KFD_IOCTL_SVM_ATTR_* without the prefix */
enum { PREFERRED, PREFETCH, ACCESS, IN_PLACE, NO_ACCESS, SET, CLR, GRANULARITY };

struct attr {
	uint32_t type, value;
};

struct svm_args {
	struct kfd_ioctl_svm_args a;
	struct kfd_ioctl_svm_attribute attrs[MAX_ATTRS];
};

static unsigned long svm_cmd(unsigned int attrs)
{
	return _IOC(_IOC_READ | _IOC_WRITE, 'K', 0x20,
		    sizeof(struct kfd_ioctl_svm_args) + 8 * attrs);
}

static int svm(const struct gpu *g, uint32_t op, const void *p, uint64_t bytes,
	       struct attr *attrs, uint32_t n)
{
	struct svm_args a = {
		.a = { .start_addr = (uintptr_t)p, .size = bytes, .op = op, .nattr = n },
	};
	int err;

	memcpy(a.attrs, attrs, n * sizeof(*attrs));
	err = kfd_err(g->kfd, svm_cmd(n), &a);
	memcpy(attrs, a.attrs, n * sizeof(*attrs));
	return err;
}

#define LIST(...)	(struct attr[]) { __VA_ARGS__ },		\
			sizeof((struct attr[]) { __VA_ARGS__ }) / sizeof(struct attr)
#define SVM_SET(_g, _p, _bytes, ...) \
	svm(_g, KFD_IOCTL_SVM_OP_SET_ATTR, _p, _bytes, LIST(__VA_ARGS__))

/* The value of one attribute; -errno. */
static long long get(const struct gpu *g, const void *p, uint64_t bytes, uint32_t type)
{
	struct attr a = { type, 0 };
	int err = svm(g, KFD_IOCTL_SVM_OP_GET_ATTR, p, bytes, &a, 1);

	return err ? -err : (long long)a.value;
}

/* ACCESS, IN_PLACE or NO_ACCESS of the GPU. */
static int access_of(const struct gpu *g, const void *p, uint64_t bytes)
{
	struct attr a = { ACCESS, g->id };
	int err = svm(g, KFD_IOCTL_SVM_OP_GET_ATTR, p, bytes, &a, 1);

	return err ? -err : (int)a.type;
}

static void *anon(uint64_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, p);
	return p;
}

static void *anon_at(void *p, uint64_t bytes)
{
	return mmap(p, bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

static int xnack(const struct gpu *g, int mode)
{
	struct kfd_ioctl_set_xnack_mode_args a = { .xnack_enabled = mode };
	int err = kfd_err(g->kfd, AMDKFD_IOC_SET_XNACK_MODE, &a);

	return err ? -err : a.xnack_enabled;
}

/* How many ranges the driver keeps of this process. */
static int ranges(void)
{
	char line[512], key[32];
	int n = -1;
	FILE *f = fopen("/sys/kernel/debug/kfd/processes", "r");

	snprintf(key, sizeof(key), "process %d ", getpid());
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)) && strstr(line, "svm ranges "))
			n = atoi(strstr(line, "svm ranges ") + strlen("svm ranges "));
	if (f)
		fclose(f);
	return n;
}

FIXTURE(svm) {
	struct gpu g;
	char *p;	/* 16 pages */
};

FIXTURE_SETUP(svm)
{
	gpu_open(&self->g);
	self->p = anon(16 * PAGE);
}

FIXTURE_TEARDOWN(svm)
{
}

TEST_F(svm, capability)
{
	EXPECT_TRUE(node_prop(self->g.node, "capability") & 1u << 27);
}

TEST_F(svm, bad_ranges)
{
	struct gpu *g = &self->g;
	char *p = self->p;

	EXPECT_EQ(EINVAL, SVM_SET(g, NULL, PAGE, { SET, 0 }));
	EXPECT_EQ(EINVAL, SVM_SET(g, p, 0, { SET, 0 }));
	EXPECT_EQ(EINVAL, SVM_SET(g, p + 1, PAGE, { SET, 0 }));
	EXPECT_EQ(EINVAL, SVM_SET(g, p, PAGE + 8, { SET, 0 }));
	EXPECT_EQ(EFAULT, SVM_SET(g, (void *)PAGE, PAGE, { SET, 0 }));
	EXPECT_EQ(EFAULT, SVM_SET(g, p, -PAGE, { SET, 0 }));
	EXPECT_EQ(EFAULT, SVM_SET(g, p, 1ull << 47, { SET, 0 }));
	EXPECT_EQ(EFAULT, SVM_SET(g, (void *)(1ul << 47), PAGE, { SET, 0 }));
	EXPECT_EQ(EFAULT, SVM_SET(g, (void *)-PAGE, PAGE, { SET, 0 }));
	EXPECT_EQ(EFAULT, SVM_SET(g, (void *)-PAGE, 2 * PAGE, { SET, 0 }));
	EXPECT_EQ(-EFAULT, get(g, (void *)PAGE, PAGE, SET));
	EXPECT_EQ(-EFAULT, get(g, p, -PAGE, SET));
	/* A hole in it */
	ASSERT_EQ(0, munmap(p + 4 * PAGE, PAGE));
	EXPECT_EQ(EFAULT, SVM_SET(g, p, 16 * PAGE, { SET, 0 }));
	EXPECT_EQ(0, ranges());
}

TEST_F(svm, bad_attributes)
{
	struct gpu *g = &self->g;
	char *p = self->p;

	EXPECT_EQ(EINVAL, SVM_SET(g, p, PAGE, { 8, 0 }));
	EXPECT_EQ(EINVAL, SVM_SET(g, p, PAGE, { ~0u, 0 }));
	EXPECT_EQ(EINVAL, SVM_SET(g, p, PAGE, { SET, 0 }, { ACCESS, BAD_GPU }));
	EXPECT_EQ(EINVAL, SVM_SET(g, p, PAGE, { IN_PLACE, 0 }));
	EXPECT_EQ(EINVAL, SVM_SET(g, p, PAGE, { NO_ACCESS, BAD_GPU }));
	EXPECT_EQ(EINVAL, SVM_SET(g, p, PAGE, { PREFERRED, BAD_GPU }));
	EXPECT_EQ(EINVAL, SVM_SET(g, p, PAGE, { PREFETCH, BAD_GPU }));
	EXPECT_EQ(EINVAL, SVM_SET(g, p, PAGE, { PREFETCH, UNDEFINED }));
	EXPECT_EQ(0, ranges());
	EXPECT_EQ(-EINVAL, get(g, p, PAGE, IN_PLACE));
	EXPECT_EQ(-EINVAL, get(g, p, PAGE, NO_ACCESS));
	EXPECT_EQ(-EINVAL, get(g, p, PAGE, 8));
	EXPECT_EQ(-EINVAL, get(g, p, PAGE, ACCESS));	/* of GPU 0 */
	EXPECT_EQ(EINVAL, svm(g, 2, p, PAGE, LIST({ SET, 0 })));
	EXPECT_EQ(EINVAL, svm(g, ~0u, p, PAGE, LIST({ SET, 0 })));
}

/* The command says how long the list is. */
TEST_F(svm, size_of_command)
{
	struct svm_args a = {
		.a = { .start_addr = (uintptr_t)self->p, .size = PAGE, .nattr = 2 },
		.attrs = { { SET, 4 }, { SET, 8 } },
	};

	EXPECT_IOCTL(EINVAL, self->g.kfd, svm_cmd(1), &a);
	EXPECT_IOCTL(EINVAL, self->g.kfd, svm_cmd(0), &a);
	a.a.nattr = ~0u;
	EXPECT_IOCTL(EINVAL, self->g.kfd, svm_cmd(MAX_ATTRS), &a);
	a.a.nattr = 0x20000000;		/* times 8 is 2^32 */
	EXPECT_IOCTL(EINVAL, self->g.kfd, svm_cmd(MAX_ATTRS), &a);
	EXPECT_EQ(0, ranges());
	a.a.nattr = 1;			/* the second one does not count */
	EXPECT_IOCTL(0, self->g.kfd, svm_cmd(2), &a);
	EXPECT_EQ(DEFAULT_FLAGS | 4, get(&self->g, self->p, PAGE, SET));
	a.a.nattr = 0;			/* a range of defaults */
	EXPECT_IOCTL(0, self->g.kfd, svm_cmd(0), &a);
}

TEST_F(svm, longest_list)
{
	enum { N = (16383 - sizeof(struct kfd_ioctl_svm_args)) / 8 };
	struct {
		struct kfd_ioctl_svm_args a;
		struct kfd_ioctl_svm_attribute attrs[N];
	} *a = calloc(1, sizeof(*a));
	int i;

	a->a = (struct kfd_ioctl_svm_args) {
		.start_addr = (uintptr_t)self->p, .size = PAGE, .nattr = N,
	};
	for (i = 0; i < N; i++)
		a->attrs[i] = (struct kfd_ioctl_svm_attribute) { i & 1 ? SET : CLR, 1u << i % 8 };
	EXPECT_IOCTL(0, self->g.kfd, svm_cmd(N), a);
	free(a);
}

TEST(without_vm)
{
	struct gpu g = { .kfd = kfd_open(), .node = gpu_node(0) };

	g.id = node_gpu_id(g.node);
	EXPECT_EQ(EINVAL, SVM_SET(&g, anon(PAGE), PAGE, { ACCESS, g.id }));
}

TEST_F(svm, defaults)
{
	struct gpu *g = &self->g;

	EXPECT_EQ(UNDEFINED, get(g, self->p, PAGE, PREFERRED));
	EXPECT_EQ(UNDEFINED, get(g, self->p, PAGE, PREFETCH));
	EXPECT_EQ(DEFAULT_FLAGS, get(g, self->p, PAGE, SET));
	EXPECT_EQ((uint32_t)~DEFAULT_FLAGS, get(g, self->p, PAGE, CLR));
	EXPECT_EQ(9, get(g, self->p, PAGE, GRANULARITY));
	EXPECT_EQ(NO_ACCESS, access_of(g, self->p, PAGE));
	/* A range of which something else was said has them, too. */
	EXPECT_EQ(0, SVM_SET(g, self->p, PAGE, { GRANULARITY, 3 }));
	EXPECT_EQ(UNDEFINED, get(g, self->p, PAGE, PREFETCH));
	EXPECT_EQ(NO_ACCESS, access_of(g, self->p, PAGE));
	EXPECT_EQ(3, get(g, self->p, PAGE, GRANULARITY));
}

TEST_F(svm, what_is_set_is_told)
{
	struct gpu *g = &self->g;
	char *p = self->p;

	ASSERT_EQ(0, SVM_SET(g, p, 2 * PAGE, { PREFETCH, g->id }, { PREFERRED, 0 },
			     { CLR, 0xffffffae }, { SET, 0x51 }, { ACCESS, g->id },
			     { GRANULARITY, 0xff }));
	EXPECT_EQ(g->id, get(g, p, PAGE, PREFETCH));
	EXPECT_EQ(0, get(g, p, PAGE, PREFERRED));
	EXPECT_EQ(0x51, get(g, p, PAGE, SET));
	EXPECT_EQ((uint32_t)~0x51, get(g, p, PAGE, CLR));
	EXPECT_EQ(0x3f, get(g, p, PAGE, GRANULARITY));
	EXPECT_EQ(ACCESS, access_of(g, p, 2 * PAGE));
	EXPECT_EQ(0, SVM_SET(g, p, 2 * PAGE, { IN_PLACE, g->id }));
	EXPECT_EQ(IN_PLACE, access_of(g, p, 2 * PAGE));
	EXPECT_EQ(0, SVM_SET(g, p, 2 * PAGE, { NO_ACCESS, g->id }));
	EXPECT_EQ(NO_ACCESS, access_of(g, p, 2 * PAGE));
	EXPECT_EQ(0x51, get(g, p, PAGE, SET));
	EXPECT_EQ(0, SVM_SET(g, p, 2 * PAGE, { PREFERRED, UNDEFINED }, { PREFETCH, 0 }));
	EXPECT_EQ(UNDEFINED, get(g, p, PAGE, PREFERRED));
	EXPECT_EQ(0, get(g, p, PAGE, PREFETCH));
}

TEST_F(svm, later_attributes_win)
{
	struct gpu *g = &self->g;
	char *p = self->p;

	ASSERT_EQ(0, SVM_SET(g, p, PAGE, { SET, 0x0c }, { CLR, 0x04 }, { SET, 0x10 }, { CLR, 1 },
			     { NO_ACCESS, g->id }, { IN_PLACE, g->id }, { ACCESS, g->id },
			     { GRANULARITY, 1 }, { GRANULARITY, 2 }));
	EXPECT_EQ(0x1a, get(g, p, PAGE, SET));
	EXPECT_EQ(ACCESS, access_of(g, p, PAGE));
	EXPECT_EQ(2, get(g, p, PAGE, GRANULARITY));
	/* A bad one at the end: nothing of the list counts. */
	EXPECT_EQ(EINVAL, SVM_SET(g, p, PAGE, { GRANULARITY, 7 }, { 99, 0 }));
	EXPECT_EQ(2, get(g, p, PAGE, GRANULARITY));
}

TEST_F(svm, splits)
{
	struct gpu *g = &self->g;
	char *p = self->p;

	ASSERT_EQ(0, SVM_SET(g, p, 16 * PAGE, { GRANULARITY, 5 }, { SET, 0x10 }));
	EXPECT_EQ(1, ranges());
	ASSERT_EQ(0, SVM_SET(g, p + 4 * PAGE, 4 * PAGE, { GRANULARITY, 2 }, { CLR, 0x10 }));
	EXPECT_EQ(3, ranges());
	EXPECT_EQ(5, get(g, p, 4 * PAGE, GRANULARITY));
	EXPECT_EQ(2, get(g, p + 4 * PAGE, 4 * PAGE, GRANULARITY));
	EXPECT_EQ(5, get(g, p + 8 * PAGE, 8 * PAGE, GRANULARITY));
	EXPECT_EQ(DEFAULT_FLAGS | 0x10, get(g, p + 8 * PAGE, PAGE, SET));
	EXPECT_EQ(DEFAULT_FLAGS, get(g, p + 7 * PAGE, PAGE, SET));
	EXPECT_EQ(DEFAULT_FLAGS | 0x10, get(g, p + 3 * PAGE, PAGE, SET));
	/* Over both ends at once */
	ASSERT_EQ(0, SVM_SET(g, p + 3 * PAGE, 6 * PAGE, { PREFERRED, g->id }));
	EXPECT_EQ(5, ranges());
	EXPECT_EQ(UNDEFINED, get(g, p + 2 * PAGE, PAGE, PREFERRED));
	EXPECT_EQ(g->id, get(g, p + 3 * PAGE, 6 * PAGE, PREFERRED));
	EXPECT_EQ(UNDEFINED, get(g, p + 9 * PAGE, PAGE, PREFERRED));
	/* What has become the same again is one range. */
	ASSERT_EQ(0, SVM_SET(g, p, 16 * PAGE, { GRANULARITY, 5 }, { SET, 0x10 },
			     { PREFERRED, UNDEFINED }));
	EXPECT_EQ(1, ranges());
}

TEST_F(svm, mixed_ranges)
{
	struct gpu *g = &self->g;
	char *p = self->p;

	ASSERT_EQ(0, SVM_SET(g, p, PAGE, { GRANULARITY, 5 }, { SET, 0x14 }, { PREFERRED, g->id },
			     { PREFETCH, 0 }, { ACCESS, g->id }));
	ASSERT_EQ(0, SVM_SET(g, p + PAGE, PAGE, { GRANULARITY, 2 }, { SET, 0x24 },
			     { PREFERRED, 0 }, { PREFETCH, 0 }, { IN_PLACE, g->id }));
	EXPECT_EQ(2, get(g, p, 2 * PAGE, GRANULARITY));
	EXPECT_EQ(DEFAULT_FLAGS | 4, get(g, p, 2 * PAGE, SET));
	EXPECT_EQ((uint32_t)~(DEFAULT_FLAGS | 0x34), get(g, p, 2 * PAGE, CLR));
	EXPECT_EQ(UNDEFINED, get(g, p, 2 * PAGE, PREFERRED));
	EXPECT_EQ(0, get(g, p, 2 * PAGE, PREFETCH));
	EXPECT_EQ(NO_ACCESS, access_of(g, p, 2 * PAGE));
	/* Of what nobody set anything the rest is told. */
	EXPECT_EQ(IN_PLACE, access_of(g, p + PAGE, 8 * PAGE));
	EXPECT_EQ(2, get(g, p + PAGE, 8 * PAGE, GRANULARITY));
}

TEST_F(svm, all_at_once)
{
	struct gpu *g = &self->g;
	struct attr a[] = {
		{ PREFERRED, 1 }, { PREFETCH, 2 }, { ACCESS, g->id }, { SET, 3 }, { CLR, 4 },
		{ GRANULARITY, 5 }, { ACCESS, g->id },
	};

	ASSERT_EQ(0, SVM_SET(g, self->p, PAGE, { IN_PLACE, g->id }));
	ASSERT_EQ(0, svm(g, KFD_IOCTL_SVM_OP_GET_ATTR, self->p, PAGE, a, 7));
	EXPECT_EQ(UNDEFINED, a[0].value);
	EXPECT_EQ(UNDEFINED, a[1].value);
	EXPECT_EQ((uint32_t)IN_PLACE, a[2].type);
	EXPECT_EQ(g->id, a[2].value);
	EXPECT_EQ((uint32_t)DEFAULT_FLAGS, a[3].value);
	EXPECT_EQ((uint32_t)~DEFAULT_FLAGS, a[4].value);
	EXPECT_EQ(9u, a[5].value);
	EXPECT_EQ((uint32_t)IN_PLACE, a[6].type);
}

/* Ranges end with their memory, whatever the kernel calls that. */
TEST_F(svm, munmap_ends_ranges)
{
	struct gpu *g = &self->g;
	char *p = self->p;

	ASSERT_EQ(0, SVM_SET(g, p, 16 * PAGE, { GRANULARITY, 4 }));
	ASSERT_EQ(0, munmap(p + 4 * PAGE, 4 * PAGE));
	EXPECT_EQ(2, ranges());
	EXPECT_EQ(-EFAULT, get(g, p, 16 * PAGE, GRANULARITY));
	ASSERT_EQ(p + 4 * PAGE, anon_at(p + 4 * PAGE, 4 * PAGE));
	EXPECT_EQ(4, get(g, p, 4 * PAGE, GRANULARITY));
	EXPECT_EQ(9, get(g, p + 4 * PAGE, 4 * PAGE, GRANULARITY));
	EXPECT_EQ(4, get(g, p + 8 * PAGE, 8 * PAGE, GRANULARITY));
	/* Replaced */
	ASSERT_EQ(p, mmap(p, 2 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	EXPECT_EQ(9, get(g, p, 2 * PAGE, GRANULARITY));
	EXPECT_EQ(4, get(g, p + 2 * PAGE, PAGE, GRANULARITY));
	ASSERT_EQ(0, munmap(p, 16 * PAGE));
	EXPECT_EQ(0, ranges());
}

TEST_F(svm, mremap_moves_no_range)
{
	struct gpu *g = &self->g;
	char *p = self->p, *to = anon(8 * PAGE);

	ASSERT_EQ(0, munmap(to, 8 * PAGE));
	p[8 * PAGE] = 1;
	ASSERT_EQ(0, SVM_SET(g, p, 16 * PAGE, { GRANULARITY, 4 }));
	ASSERT_EQ((void *)to, mremap(p + 8 * PAGE, 8 * PAGE, 8 * PAGE,
				     MREMAP_MAYMOVE | MREMAP_FIXED, to));
	EXPECT_EQ(1, ranges());
	EXPECT_EQ(9, get(g, to, 8 * PAGE, GRANULARITY));
	/* Shrinks */
	ASSERT_EQ((void *)p, mremap(p, 8 * PAGE, 2 * PAGE, 0));
	EXPECT_EQ(4, get(g, p, 2 * PAGE, GRANULARITY));
	ASSERT_EQ(p + 2 * PAGE, anon_at(p + 2 * PAGE, PAGE));
	EXPECT_EQ(9, get(g, p + 2 * PAGE, PAGE, GRANULARITY));
}

TEST_F(svm, madvise_ends_nothing)
{
	ASSERT_EQ(0, SVM_SET(&self->g, self->p, 16 * PAGE, { GRANULARITY, 4 }));
	memset(self->p, 1, 16 * PAGE);
	ASSERT_EQ(0, madvise(self->p, 16 * PAGE, MADV_DONTNEED));
	ASSERT_EQ(0, mprotect(self->p, 8 * PAGE, PROT_READ));
	EXPECT_EQ(1, ranges());
	EXPECT_EQ(4, get(&self->g, self->p, 16 * PAGE, GRANULARITY));
}

static int child_has_nothing(void *arg)
{
	char *p = arg;
	struct gpu g;

	gpu_open(&g);
	EXPECT_EQ(0, ranges());
	EXPECT_EQ(9, get(&g, p, PAGE, GRANULARITY));
	EXPECT_EQ(0, SVM_SET(&g, p, PAGE, { GRANULARITY, 2 }));
	return 0;
}

TEST_F(svm, fork)
{
	struct gpu *g = &self->g;

	ASSERT_EQ(0, SVM_SET(g, self->p, 16 * PAGE, { GRANULARITY, 4 }));
	EXPECT_EQ(0, in_child(child_has_nothing, self->p));
	EXPECT_EQ(4, get(g, self->p, 16 * PAGE, GRANULARITY));
}

static int child_uses_our_file(void *arg)
{
	struct gpu *g = arg;

	return SVM_SET(g, anon(PAGE), PAGE, { SET, 0 });
}

TEST_F(svm, child_may_not)
{
	EXPECT_EQ(EBADF, in_child(child_uses_our_file, &self->g));
}

TEST_F(svm, buffers_come_first)
{
	struct gpu *g = &self->g;
	struct mem m = mem_alloc(g, VRAM | HOST, 4 * PAGE), n;

	/* va_reserve() is memory of the process; the buffer is not mapped yet. */
	EXPECT_EQ(0, SVM_SET(g, m.va, PAGE, { GRANULARITY, 4 }));
	ASSERT_EQ(0, mem_map(g, m.handle));
	EXPECT_EQ(EADDRINUSE, SVM_SET(g, m.va, PAGE, { GRANULARITY, 4 }));
	EXPECT_EQ(EADDRINUSE, SVM_SET(g, (char *)m.va + 3 * PAGE, PAGE, { GRANULARITY, 4 }));
	EXPECT_EQ(-EADDRINUSE, get(g, m.va, PAGE, GRANULARITY));
	ASSERT_EQ(0, mem_unmap(g, m.handle));
	EXPECT_EQ(4, get(g, m.va, PAGE, GRANULARITY));
	ASSERT_EQ(0, mem_free(g, m.handle));
	EXPECT_EQ(EADDRINUSE, mem_alloc_at(g, VRAM, m.va, 4 * PAGE, 0, &n));
	EXPECT_EQ(0, mem_alloc_at(g, VRAM, (char *)m.va + PAGE, PAGE, 0, &n));
	/* No address, no conflict. */
	EXPECT_EQ(0, mem_alloc_at(g, VRAM, NULL, PAGE, 0, &n));
	/* With the memory the conflict is gone. */
	ASSERT_EQ(0, munmap(m.va, PAGE));
	EXPECT_EQ(0, mem_alloc_at(g, VRAM, m.va, PAGE, 0, &n));
	/* A buffer's CPU mapping is no memory that can be shared. */
	n = mem_alloc(g, VRAM | HOST, PAGE);
	ASSERT_NE(MAP_FAILED, mem_mmap(g, &n));
	EXPECT_EQ(EFAULT, SVM_SET(g, n.va, PAGE, { SET, 0 }));
}

TEST_F(svm, userptr_conflicts)
{
	struct gpu *g = &self->g;
	struct mem m;

	ASSERT_EQ(0, SVM_SET(g, self->p + PAGE, PAGE, { ACCESS, g->id }));
	/* At another address, but the same memory */
	EXPECT_EQ(EADDRINUSE, mem_alloc_at(g, USERPTR | RW, va_reserve(4 * PAGE), 4 * PAGE,
					   (uintptr_t)self->p, &m));
	EXPECT_EQ(0, mem_alloc_at(g, USERPTR | RW, self->p + 2 * PAGE, 4 * PAGE,
				  (uintptr_t)self->p + 2 * PAGE, &m));
	EXPECT_EQ(EADDRINUSE, mem_alloc_at(g, GTT, self->p, -PAGE, 0, &m));
}

TEST_F(svm, what_cannot_be_mapped)
{
	struct gpu *g = &self->g;

	ASSERT_EQ(0, mprotect(self->p, PAGE, PROT_NONE));
	EXPECT_EQ(0, SVM_SET(g, self->p, PAGE, { GRANULARITY, 4 }));
	EXPECT_EQ(EFAULT, SVM_SET(g, self->p, PAGE, { ACCESS, g->id }));
	ASSERT_EQ(0, mprotect(self->p, PAGE, PROT_READ));
	EXPECT_EQ(0, SVM_SET(g, self->p, PAGE, { ACCESS, g->id }));
}

/* One mode for all GPUs of the process; gfx10 to gfx12.0 have none (kfd_process_xnack_mode()). */
static bool xnack_able(void)
{
	int i, node;

	for (i = 0; (node = gpu_node(i)) >= 0; i++) {
		const long long version = node_prop(node, "gfx_target_version");

		if (version < 90010 || version >= 100000)
			return false;
	}
	return true;
}

TEST_F(svm, xnack_mode)
{
	struct gpu *g = &self->g;

	EXPECT_EQ(0, xnack(g, -1));
	EXPECT_EQ(xnack_able() ? 1 : -EPERM, xnack(g, 1));
	EXPECT_EQ(xnack_able(), xnack(g, -1));
	EXPECT_EQ(0, xnack(g, 0));
	EXPECT_EQ(0, xnack(g, -1));
}

TEST_F(svm, xnack_defaults)
{
	struct gpu *g = &self->g;

	if (!xnack_able())
		SKIP(return, "this GPU has no XNACK mode");
	ASSERT_EQ(1, xnack(g, 1));
	EXPECT_EQ(ACCESS, access_of(g, self->p, PAGE));
	EXPECT_EQ(0, SVM_SET(g, self->p, PAGE, { GRANULARITY, 4 }));
	EXPECT_EQ(ACCESS, access_of(g, self->p, PAGE));
	EXPECT_EQ(0, SVM_SET(g, self->p, PAGE, { NO_ACCESS, g->id }));
	EXPECT_EQ(NO_ACCESS, access_of(g, self->p, PAGE));
	/* The mode is what it is now; the range keeps what it had. */
	ASSERT_EQ(0, xnack(g, 0));
	EXPECT_EQ(NO_ACCESS, access_of(g, self->p + PAGE, PAGE));
	EXPECT_EQ(0, SVM_SET(g, self->p, PAGE, { ACCESS, g->id }));
	EXPECT_EQ(ACCESS, access_of(g, self->p, PAGE));
}

TEST_F(svm, many_ranges)
{
	enum { N = 2048 };
	struct gpu *g = &self->g;
	char *p = anon(N * PAGE);
	int i;

	for (i = 0; i < N; i += 2)
		ASSERT_EQ(0, SVM_SET(g, p + i * PAGE, PAGE, { GRANULARITY, 4 }));
	EXPECT_EQ(N / 2, ranges());
	ASSERT_EQ(0, SVM_SET(g, p, N * PAGE, { PREFERRED, 0 }));
	EXPECT_EQ(N, ranges());
	EXPECT_EQ(4, get(g, p, N * PAGE, GRANULARITY));
	EXPECT_EQ(9, get(g, p + PAGE, PAGE, GRANULARITY));
	ASSERT_EQ(0, munmap(p, N * PAGE));
	EXPECT_EQ(0, ranges());
}

/* Cuts in the middle without an ioctl in between, more than are kept in reserve. */
TEST_F(svm, many_cuts)
{
	enum { N = 256 };
	struct gpu *g = &self->g;
	char *p = anon(N * PAGE);
	int i;

	ASSERT_EQ(0, SVM_SET(g, p, N * PAGE, { GRANULARITY, 4 }));
	for (i = 1; i < N; i += 2)
		ASSERT_EQ(0, munmap(p + i * PAGE, PAGE));
	EXPECT_EQ(N / 2, ranges());
	for (i = 0; i < N; i += 2)
		ASSERT_EQ(4, get(g, p + i * PAGE, PAGE, GRANULARITY));
}

static volatile bool stop;

static void *map_and_unmap(void *arg)
{
	char *p = arg;

	while (!stop) {
		munmap(p + PAGE, 2 * PAGE);
		anon_at(p + PAGE, 2 * PAGE);
	}
	return NULL;
}

TEST_F(svm, set_against_munmap)
{
	struct gpu *g = &self->g;
	pthread_t t;
	int i, err;

	ASSERT_EQ(0, pthread_create(&t, NULL, map_and_unmap, self->p));
	for (i = 0; i < 2000; i++) {
		err = SVM_SET(g, self->p, 4 * PAGE, { ACCESS, g->id }, { SET, i & 0x3c });
		ASSERT_TRUE(!err || err == EFAULT);
		get(g, self->p, 4 * PAGE, SET);
	}
	stop = true;
	pthread_join(t, NULL);
	ASSERT_EQ(0, munmap(self->p, 16 * PAGE));
	EXPECT_EQ(0, ranges());
}

static int die_with_ranges(void *arg)
{
	struct gpu g;
	char *p = anon(64 * PAGE);
	int i;

	(void)arg;
	gpu_open(&g);
	for (i = 0; i < 64; i += 2)
		if (SVM_SET(&g, p + i * PAGE, PAGE, { ACCESS, g.id }))
			return 1;
	kill(getpid(), SIGKILL);
	return 0;
}

TEST(killed)
{
	int i;

	for (i = 0; i < 5; i++)
		EXPECT_EQ(-1, in_child(die_with_ranges, NULL));
}

TEST_HARNESS_MAIN
