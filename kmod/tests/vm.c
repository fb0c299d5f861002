// SPDX-License-Identifier: GPL-2.0-only
/* Address spaces: which mappings succeed and which fail, and what a fault reports. */
#include <kunit/test.h>
#include <linux/err.h>

#include "../gpu/access.h"
#include "../gpu/bo.h"
#include "../gpu/device.h"
#include "../gpu/pagecache.h"
#include "../gpu/vm.h"
#include "../gpu/gpu_int.h"
#include "late.h"

#define VA	0x10000000ull
#define SIZE	(4 * PAGE_SIZE)

struct vm_test {
	struct gpu_device *gdev;
	struct gpu_vm *vm;
	struct gpu_bo *bo;
	struct gpu_vm_worker w;
};

static int vm_init(struct kunit *test)
{
	struct vm_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->gdev = gpu_device_by_index(0);
	KUNIT_ASSERT_NOT_NULL(test, t->gdev);
	test->priv = t;
	t->vm = gpu_vm_create(t->gdev);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->vm);
	t->bo = gpu_bo_create(t->gdev, GPU_BO_VRAM, SIZE, 0, 0);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->bo);
	gpu_vm_worker_add(t->gdev, &t->w);
	return 0;
}

static void vm_exit(struct kunit *test)
{
	struct vm_test *t = test->priv;

	if (!t)
		return;
	if (!IS_ERR_OR_NULL(t->bo)) {
		gpu_vm_worker_del(t->gdev, &t->w);
		gpu_vm_unmap_all(t->vm);
		gpu_bo_put(t->bo);
	}
	if (!IS_ERR_OR_NULL(t->vm))
		gpu_vm_put(t->vm);
	gpu_device_put(t->gdev);
}

static void vm_map_rejects(struct kunit *test)
{
	struct vm_test *t = test->priv;
	u32 rw = GPU_R | GPU_W;

	KUNIT_EXPECT_EQ(test, gpu_vm_map(t->vm, t->bo, VA + 1, 0, SIZE, rw), -EINVAL);
	KUNIT_EXPECT_EQ(test, gpu_vm_map(t->vm, t->bo, VA, 1, PAGE_SIZE, rw), -EINVAL);
	KUNIT_EXPECT_EQ(test, gpu_vm_map(t->vm, t->bo, VA, 0, SIZE + PAGE_SIZE, rw), -EINVAL);
	KUNIT_EXPECT_EQ(test, gpu_vm_map(t->vm, t->bo, VA, PAGE_SIZE, SIZE, rw), -EINVAL);
	KUNIT_EXPECT_EQ(test, gpu_vm_map(t->vm, t->bo, VA, 0, 0, rw), -EINVAL);
	KUNIT_ASSERT_EQ(test, gpu_vm_map(t->vm, t->bo, VA, 0, SIZE, rw), 0);
	KUNIT_EXPECT_EQ(test, gpu_vm_map(t->vm, t->bo, VA + SIZE - PAGE_SIZE, 0, SIZE, rw),
			-EINVAL);
	KUNIT_EXPECT_NE(test, gpu_vm_unmap(t->vm, t->bo, VA + PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, gpu_vm_unmap(t->vm, t->bo, VA), 0);
	KUNIT_EXPECT_NE(test, gpu_vm_unmap(t->vm, t->bo, VA), 0);
}

/* Two mappings of one object show the same bytes, also across a page boundary. */
static void vm_alias(struct kunit *test)
{
	static const char text[] = "across two pages";
	struct vm_test *t = test->priv;
	u64 at = PAGE_SIZE - 5;
	struct gpu_fault fault;
	char buf[sizeof(text)];

	KUNIT_ASSERT_EQ(test, gpu_vm_map(t->vm, t->bo, VA, 0, SIZE, GPU_R | GPU_W), 0);
	KUNIT_ASSERT_EQ(test, gpu_vm_map(t->vm, t->bo, 2 * VA, 0, SIZE, GPU_R), 0);
	KUNIT_EXPECT_EQ(test, gpu_vm_write(&t->w, t->vm, VA + at, text, sizeof(text), &fault), 0);
	KUNIT_EXPECT_EQ(test, gpu_vm_read(&t->w, t->vm, 2 * VA + at, buf, sizeof(buf), &fault), 0);
	KUNIT_EXPECT_STREQ(test, buf, text);
}

static void vm_fresh_memory_is_zero(struct kunit *test)
{
	struct vm_test *t = test->priv;
	struct gpu_fault fault;
	u64 word = 1, old;

	KUNIT_ASSERT_EQ(test, gpu_vm_map(t->vm, t->bo, VA, 0, SIZE, GPU_R | GPU_W), 0);
	KUNIT_EXPECT_EQ(test, gpu_vm_read(&t->w, t->vm, VA + 8, &word, 8, &fault), 0);
	KUNIT_EXPECT_EQ(test, word, 0ull);
	KUNIT_EXPECT_EQ(test, gpu_vm_atomic_add64(&t->w, t->vm, VA + 8, -3, &old, &fault), 0);
	KUNIT_EXPECT_EQ(test, gpu_vm_atomic_add64(&t->w, t->vm, VA + 8, 10, &old, &fault), 0);
	KUNIT_EXPECT_EQ(test, old, -3ull);
	KUNIT_EXPECT_EQ(test, gpu_vm_read(&t->w, t->vm, VA + 8, &word, 8, &fault), 0);
	KUNIT_EXPECT_EQ(test, word, 7ull);
}

static void vm_faults(struct kunit *test)
{
	struct vm_test *t = test->priv;
	struct gpu_fault fault = {};
	u64 word = 0;

	KUNIT_EXPECT_EQ(test, gpu_vm_read(&t->w, t->vm, VA, &word, 8, &fault), -EFAULT);
	KUNIT_EXPECT_TRUE(test, fault.not_present);
	KUNIT_EXPECT_EQ(test, fault.va, VA);

	KUNIT_ASSERT_EQ(test, gpu_vm_map(t->vm, t->bo, VA, 0, SIZE, GPU_R), 0);
	fault = (struct gpu_fault){};
	KUNIT_EXPECT_EQ(test, gpu_vm_write(&t->w, t->vm, VA, &word, 8, &fault), -EFAULT);
	KUNIT_EXPECT_TRUE(test, fault.read_only);
	KUNIT_EXPECT_FALSE(test, fault.not_present);

	/* the last page is mapped, the next one is not */
	fault = (struct gpu_fault){};
	KUNIT_EXPECT_EQ(test, gpu_vm_read(&t->w, t->vm, VA + SIZE - 4, &word, 8, &fault), -EFAULT);
	KUNIT_EXPECT_EQ(test, fault.va, VA + SIZE);
}

static void vm_unmapped_is_gone(struct kunit *test)
{
	struct vm_test *t = test->priv;
	struct gpu_fault fault;
	u64 word, gen;
	u32 access;

	KUNIT_ASSERT_EQ(test, gpu_vm_map(t->vm, t->bo, VA, 0, SIZE, GPU_R), 0);
	KUNIT_ASSERT_EQ(test, gpu_vm_read(&t->w, t->vm, VA, &word, 8, &fault), 0);
	gen = gpu_vm_enter(&t->w, t->vm);
	KUNIT_EXPECT_NOT_NULL(test, gpu_vm_lookup(t->vm, VA, GPU_R, &access));
	KUNIT_EXPECT_NULL(test, gpu_vm_lookup(t->vm, VA, GPU_W, &access));
	gpu_vm_exit(&t->w);
	KUNIT_ASSERT_EQ(test, gpu_vm_unmap(t->vm, t->bo, VA), 0);
	KUNIT_EXPECT_NE(test, gpu_vm_enter(&t->w, t->vm), gen);
	KUNIT_EXPECT_NULL(test, gpu_vm_lookup(t->vm, VA, GPU_R, &access));
	gpu_vm_exit(&t->w);
}

/* An entry of the page cache says whose memory it is, whichever GPU looks at it. */
static void vm_page_has_place(struct kunit *test)
{
	static const enum gpu_bo_kind kinds[] = { GPU_BO_VRAM, GPU_BO_GTT };
	struct vm_test *t = test->priv;
	u32 place[] = { GPU_PLACE_VRAM(t->gdev), GPU_PLACE_SYSTEM };
	struct gpu_fault fault;
	struct gpu_bo *bo;
	unsigned int i;
	u64 word;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		bo = gpu_bo_create(t->gdev, kinds[i], SIZE, 0, 0);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, bo);
		KUNIT_EXPECT_EQ(test, gpu_vm_map(t->vm, bo, VA, 0, SIZE, GPU_R | GPU_W), 0);
		KUNIT_EXPECT_EQ(test, gpu_vm_place(t->vm, VA), (u32)GPU_PLACE_NONE);
		KUNIT_EXPECT_EQ(test, gpu_vm_read(&t->w, t->vm, VA, &word, 8, &fault), 0);
		KUNIT_EXPECT_EQ(test, gpu_vm_place(t->vm, VA), place[i]);
		KUNIT_EXPECT_EQ(test, gpu_vm_unmap(t->vm, bo, VA), 0);
		KUNIT_EXPECT_EQ(test, gpu_vm_place(t->vm, VA), (u32)GPU_PLACE_NONE);
		gpu_bo_put(bo);
	}
}

static void vm_quota(struct kunit *test)
{
	struct vm_test *t = test->priv;
	s64 before = atomic64_read(&t->gdev->vram_used);
	struct gpu_bo *bo;

	bo = gpu_bo_create(t->gdev, GPU_BO_VRAM, t->gdev->vram_bytes + PAGE_SIZE, 0, 0);
	KUNIT_EXPECT_EQ(test, PTR_ERR(bo), (long)-ENOMEM);
	bo = gpu_bo_create(t->gdev, GPU_BO_VRAM, 1, 0, 0);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, bo);
	KUNIT_EXPECT_EQ(test, bo->charged, (u64)PAGE_SIZE);
	gpu_bo_put(bo);
	KUNIT_EXPECT_EQ(test, (s64)atomic64_read(&t->gdev->vram_used), before);
}

static struct kunit_case vm_list[] = {
	KUNIT_CASE(vm_map_rejects),
	KUNIT_CASE(vm_alias),
	KUNIT_CASE(vm_fresh_memory_is_zero),
	KUNIT_CASE(vm_faults),
	KUNIT_CASE(vm_unmapped_is_gone),
	KUNIT_CASE(vm_page_has_place),
	KUNIT_CASE(vm_quota),
	{}
};

static struct kunit_suite vm_suite = {
	.name = "vkfd_vm",
	.init = vm_init,
	.exit = vm_exit,
	.test_cases = vm_list,
};

VKFD_LATE_SUITE(vm_suite);
