// SPDX-License-Identifier: MIT
/* What is different of an APU: its memory is the machine's. */
#include "kfd_util.h"
#include "../queue/rig.h"

#define PREFETCH	1	/* KFD_IOCTL_SVM_ATTR_PREFETCH_LOC */
#define PAGES		16

static int is_apu(void)
{
	return node_prop(gpu_node(0), "gfx_target_version") == 110501;
}

static unsigned long long pages_in(const struct rig *r)
{
	unsigned long long n = 0;
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/counters_%u/page_in", getpid(),
		 r->gpu_id);
	f = fopen(path, "r");
	ASSERT_NE(NULL, (void *)f);
	ASSERT_EQ(1, fscanf(f, "%llu", &n));
	fclose(f);
	return n;
}

/* A range of SVM is where the GPU would have it: no error, and nothing moves. */
TEST(prefetch_moves_nothing)
{
	char *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	struct {
		struct kfd_ioctl_svm_args a;
		struct kfd_ioctl_svm_attribute attr;
	} s = {
		.a = { (uintptr_t)p, PAGES * PAGE, KFD_IOCTL_SVM_OP_SET_ATTR, 1 },
	};
	struct kfd_ioctl_get_available_memory_args before = { 0 }, after;
	struct rig r;

	if (!is_apu())
		SKIP(return, "it is a card");
	ASSERT_NE(MAP_FAILED, (void *)p);
	ASSERT_EQ(0, rig_open(&r));
	before.gpu_id = r.gpu_id;
	after = before;
	ASSERT_EQ(0, kfd_err(r.kfd, AMDKFD_IOC_AVAILABLE_MEMORY, &before));
	s.attr = (struct kfd_ioctl_svm_attribute){ PREFETCH, r.gpu_id };
	EXPECT_EQ(0, kfd_err(r.kfd, AMDKFD_IOC_SVM + (sizeof(s.attr) << _IOC_SIZESHIFT), &s));
	EXPECT_EQ(0ull, pages_in(&r));
	ASSERT_EQ(0, kfd_err(r.kfd, AMDKFD_IOC_AVAILABLE_MEMORY, &after));
	EXPECT_EQ(before.available, after.available);
}

/* What is there is told by the page, not by 2 MiB. */
TEST(available_memory_is_exact)
{
	struct kfd_ioctl_get_available_memory_args before = { 0 }, after;
	struct kfd_ioctl_alloc_memory_of_gpu_args m = {
		.size = PAGE,
		.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE,
	};
	struct rig r;

	if (!is_apu())
		SKIP(return, "it is a card");
	ASSERT_EQ(0, rig_open(&r));
	before.gpu_id = r.gpu_id;
	after = before;
	m.gpu_id = r.gpu_id;
	m.va_addr = (uintptr_t)mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_EQ(0, kfd_err(r.kfd, AMDKFD_IOC_AVAILABLE_MEMORY, &before));
	ASSERT_EQ(0, kfd_err(r.kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &m));
	ASSERT_EQ(0, kfd_err(r.kfd, AMDKFD_IOC_AVAILABLE_MEMORY, &after));
	EXPECT_EQ(before.available - PAGE, after.available);
}

TEST_HARNESS_MAIN
