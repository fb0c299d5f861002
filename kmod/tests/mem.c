// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory side of a backend (gpu/mem.h): a GPU whose backend fails at each place in
 * turn. Whatever fails, nothing is left over: what was provided is given back, what was
 * mapped is unmapped, and the quota is what it was.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <drm/drm_drv.h>

#include "../gpu/access.h"
#include "../gpu/backend.h"
#include "../gpu/bo.h"
#include "../gpu/device.h"
#include "../gpu/gpu_int.h"
#include "../gpu/mem.h"
#include "../gpu/pagecache.h"
#include "../gpu/vm.h"
#include "late.h"

#define VA	0x10000000ull
#define PAGES	8
#define SIZE	(PAGES * PAGE_SIZE)

/* What the fake backend has been asked for, and which call is to fail (0: none does). */
static struct {
	int bos, maps, pages;		/* provided and not given back; pages: asked for */
	int fail_bo, fail_map, fail_page;
} fake;

struct mem_test {
	struct gpu_device *gdev;
	struct drm_device *drm;
	struct gpu_vm *vm;
	unsigned int bos;		/* of all GPUs, before */
	u64 gtt;
};

static bool fails(int *countdown)
{
	return *countdown && !--*countdown;
}

static int fake_bo_init(struct gpu_bo *bo)
{
	int ret = fails(&fake.fail_bo) ? -EIO : gpu_ram_ops.bo_init(bo);

	fake.bos += !ret;
	return ret;
}

static void fake_bo_fini(struct gpu_bo *bo)
{
	fake.bos--;
	gpu_ram_ops.bo_fini(bo);
}

static struct page *fake_bo_page(struct gpu_bo *bo, pgoff_t index, gfp_t gfp)
{
	fake.pages++;
	return fails(&fake.fail_page) ? ERR_PTR(-EINVAL) : gpu_ram_ops.bo_page(bo, index, gfp);
}

static int fake_vm_map(struct gpu_mapping *m)
{
	int ret = fails(&fake.fail_map) ? -EIO : 0;

	fake.maps += !ret;
	return ret;
}

static void fake_vm_unmap(struct gpu_mapping *m)
{
	fake.maps--;
}

static const struct gpu_mem_ops fake_mem = {
	.bo_init = fake_bo_init,
	.bo_fini = fake_bo_fini,
	.bo_page = fake_bo_page,
	.vm_map = fake_vm_map,
	.vm_unmap = fake_vm_unmap,
};

static const struct gpu_backend_ops fake_backend = { .name = "fake", .mem = &fake_mem };

/* A GPU that nobody finds, whose objects are on the DRM device of the first one. */
static int mem_begin(struct kunit *test)
{
	struct mem_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	struct gpu_device *real;

	KUNIT_ASSERT_NOT_NULL(test, t);
	test->priv = t;
	memset(&fake, 0, sizeof(fake));
	t->bos = gpu_bo_count();
	t->gtt = gpu_gtt_used();
	real = gpu_device_by_index(0);
	KUNIT_ASSERT_NOT_NULL(test, real);
	t->drm = gpu_device_drm_get(real);
	if (t->drm && !gpu_device_create(real->target, 16 * SIZE, &t->gdev)) {
		t->gdev->backend = &fake_backend;
		t->gdev->drm_ops = real->drm_ops;
		gpu_device_set_drm(t->gdev, t->drm);
		t->vm = gpu_vm_create(t->gdev);
	}
	gpu_device_put(real);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->vm);
	return 0;
}

static void mem_end(struct kunit *test)
{
	struct mem_test *t = test->priv;

	if (!t)
		return;
	memset(&fake.fail_bo, 0, 3 * sizeof(int));
	if (!IS_ERR_OR_NULL(t->vm))
		gpu_vm_put(t->vm);
	KUNIT_EXPECT_EQ(test, fake.bos, 0);
	KUNIT_EXPECT_EQ(test, fake.maps, 0);
	KUNIT_EXPECT_EQ(test, gpu_bo_count(), t->bos);
	KUNIT_EXPECT_EQ(test, gpu_gtt_used(), t->gtt);
	if (t->gdev) {
		KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&t->gdev->vram_used), 0ull);
		KUNIT_EXPECT_EQ(test, kref_read(&t->gdev->ref), 1u);
		gpu_device_set_drm(t->gdev, NULL);
		t->gdev->backend = NULL;
		gpu_device_destroy(t->gdev);
	}
	if (t->drm)
		drm_dev_put(t->drm);
}

static struct gpu_bo *mem_bo(struct kunit *test, enum gpu_bo_kind kind)
{
	struct mem_test *t = test->priv;
	struct gpu_bo *bo = gpu_bo_create(t->gdev, kind, SIZE, 0, 0);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, bo);
	return bo;
}

static void mem_bo_init_fails(struct kunit *test)
{
	static const enum gpu_bo_kind kinds[] = { GPU_BO_VRAM, GPU_BO_GTT, GPU_BO_MMIO };
	struct mem_test *t = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		fake.fail_bo = 1;
		KUNIT_EXPECT_EQ(test, PTR_ERR(gpu_bo_create(t->gdev, kinds[i], SIZE, 0, 0)),
				(long)-EIO);
		KUNIT_EXPECT_EQ(test, fake.bos, 0);
		KUNIT_EXPECT_EQ(test, gpu_bo_count(), t->bos);
		KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&t->gdev->vram_used), 0ull);
		KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&t->gdev->gtt_used), 0ull);
		gpu_bo_put(mem_bo(test, kinds[i]));
	}
}

static void mem_quota_comes_first(struct kunit *test)
{
	struct mem_test *t = test->priv;

	fake.fail_bo = 1;
	KUNIT_EXPECT_EQ(test, PTR_ERR(gpu_bo_create(t->gdev, GPU_BO_VRAM, 17 * SIZE, 0, 0)),
			(long)-ENOMEM);
	KUNIT_EXPECT_EQ_MSG(test, fake.fail_bo, 1, "the backend was not asked");
}

static void mem_map_fails(struct kunit *test)
{
	struct mem_test *t = test->priv;
	struct gpu_bo *bo = mem_bo(test, GPU_BO_VRAM);

	fake.fail_map = 1;
	KUNIT_EXPECT_EQ(test, gpu_vm_map(t->vm, bo, VA, 0, SIZE, GPU_R), -EIO);
	KUNIT_EXPECT_FALSE(test, gpu_vm_maps(t->vm, VA, VA + SIZE - 1));
	KUNIT_EXPECT_TRUE(test, list_empty(&bo->maps));
	fake.fail_map = 1;
	KUNIT_EXPECT_EQ(test, gpu_vm_map_gem(t->vm, bo, VA, 0, SIZE, GPU_R, false), -EIO);
	KUNIT_EXPECT_FALSE(test, gpu_vm_maps(t->vm, VA, VA + SIZE - 1));
	KUNIT_EXPECT_EQ(test, kref_read(&bo->base.refcount), 1u);
	KUNIT_EXPECT_EQ(test, gpu_vm_map(t->vm, bo, VA, 0, SIZE, GPU_R), 0);
	KUNIT_EXPECT_EQ(test, fake.maps, 1);
	/* In the way: the backend is not asked. */
	fake.fail_map = 1;
	KUNIT_EXPECT_EQ(test, gpu_vm_map(t->vm, bo, VA, 0, SIZE, GPU_R), -EINVAL);
	KUNIT_EXPECT_EQ(test, fake.fail_map, 1);
	fake.fail_map = 0;
	KUNIT_EXPECT_EQ(test, gpu_vm_unmap(t->vm, bo, VA), 0);
	KUNIT_EXPECT_EQ(test, fake.maps, 0);
	gpu_bo_put(bo);
}

/* A hole in the middle maps two pieces again; each of them fails in turn, then none. */
static void mem_cut_fails(struct kunit *test)
{
	struct mem_test *t = test->priv;
	struct gpu_bo *bo = mem_bo(test, GPU_BO_GTT);
	u64 hole = VA + 2 * PAGE_SIZE, tail = VA + 4 * PAGE_SIZE;
	int nth, ret;

	for (nth = 1; nth <= 3; nth++) {
		KUNIT_ASSERT_EQ(test, gpu_vm_map_gem(t->vm, bo, VA, 0, SIZE, GPU_R, false), 0);
		fake.fail_map = nth;
		ret = gpu_vm_clear(t->vm, hole, 2 * PAGE_SIZE);
		KUNIT_EXPECT_EQ(test, ret, nth < 3 ? -EIO : 0);
		KUNIT_EXPECT_FALSE(test, gpu_vm_maps(t->vm, hole, tail - 1));
		KUNIT_EXPECT_EQ(test, gpu_vm_maps(t->vm, VA, hole - 1) +
				gpu_vm_maps(t->vm, tail, VA + SIZE - 1), fake.maps);
		KUNIT_EXPECT_EQ(test, fake.maps, nth < 3 ? 1 : 2);
		KUNIT_EXPECT_EQ(test, kref_read(&bo->base.refcount), 1u + fake.maps);
		fake.fail_map = 0;
		gpu_vm_unmap_gem(t->vm, bo);
		KUNIT_EXPECT_EQ(test, fake.maps, 0);
	}
	gpu_bo_put(bo);
}

/* The new mapping of a replacement fails, after what was in its way has gone. */
static void mem_replace_fails(struct kunit *test)
{
	struct mem_test *t = test->priv;
	struct gpu_bo *old = mem_bo(test, GPU_BO_GTT), *bo = mem_bo(test, GPU_BO_VRAM);

	KUNIT_ASSERT_EQ(test, gpu_vm_map_gem(t->vm, old, VA, 0, SIZE, GPU_R, false), 0);
	fake.fail_map = 1;
	KUNIT_EXPECT_EQ(test, gpu_vm_map_gem(t->vm, bo, VA, 0, SIZE, GPU_R, true), -EIO);
	KUNIT_EXPECT_FALSE(test, gpu_vm_maps(t->vm, VA, VA + SIZE - 1));
	KUNIT_EXPECT_EQ(test, kref_read(&old->base.refcount), 1u);
	KUNIT_EXPECT_EQ(test, kref_read(&bo->base.refcount), 1u);
	gpu_bo_put(old);
	gpu_bo_put(bo);
}

/* A page that the backend does not give ends the access, and comes with the next one. */
static void mem_page_fails(struct kunit *test)
{
	struct mem_test *t = test->priv;
	struct gpu_bo *bo = mem_bo(test, GPU_BO_VRAM);
	struct gpu_vm_worker w = {};
	struct gpu_fault fault;
	u64 word = 1;

	KUNIT_EXPECT_EQ(test, PTR_ERR(gpu_bo_page(bo, PAGES)), (long)-EINVAL);
	KUNIT_EXPECT_EQ_MSG(test, fake.pages, 0, "no such page: the backend is not asked");
	KUNIT_ASSERT_EQ(test, gpu_vm_map(t->vm, bo, VA, 0, SIZE, GPU_R), 0);
	gpu_vm_worker_add(t->gdev, &w);
	fake.fail_page = 1;
	KUNIT_EXPECT_EQ(test, gpu_vm_read(&w, t->vm, VA, &word, 8, &fault), -EINVAL);
	KUNIT_EXPECT_EQ(test, word, 1ull);
	KUNIT_EXPECT_EQ(test, gpu_vm_read(&w, t->vm, VA, &word, 8, &fault), 0);
	KUNIT_EXPECT_EQ(test, word, 0ull);
	gpu_vm_worker_del(t->gdev, &w);
	KUNIT_EXPECT_EQ(test, gpu_vm_unmap(t->vm, bo, VA), 0);
	gpu_bo_put(bo);
}

/* Two files of which the first one brings t->vm; what the DRM face says of a file. */
static struct {
	struct file brings, other;
	struct gpu_vm *vm;
} fake_files;

static int fake_file_vm(struct gpu_device *gdev, struct file *f, struct gpu_vm **vm)
{
	if (f != &fake_files.brings)
		return -EINVAL;
	*vm = fake_files.vm;
	return 0;
}

/* A file of the GPU brings its address space with a reference; another one, nothing. */
static void mem_file_brings_vm(struct kunit *test)
{
	static const struct gpu_drm_ops fake_drm = { .file_vm = fake_file_vm };
	struct gpu_mem_ops mem = fake_mem;
	struct gpu_backend_ops backend = { .name = "fake", .mem = &mem };
	struct mem_test *t = test->priv;
	const struct gpu_drm_ops *real = t->gdev->drm_ops;
	unsigned int refs = kref_read(&t->vm->ref), i;
	struct gpu_vm *vm = NULL;

	mem.vm_from_file = gpu_ram_ops.vm_from_file;
	t->gdev->backend = &backend;
	/* Our own DRM face does not know it. */
	KUNIT_EXPECT_EQ(test, gpu_backend_vm_from_file(t->gdev, &fake_files.other, &vm), -EINVAL);
	KUNIT_EXPECT_NULL(test, vm);
	fake_files.vm = t->vm;
	t->gdev->drm_ops = &fake_drm;
	KUNIT_EXPECT_EQ(test, gpu_backend_vm_from_file(t->gdev, &fake_files.other, &vm), -EINVAL);
	KUNIT_EXPECT_NULL(test, vm);
	KUNIT_EXPECT_EQ(test, kref_read(&t->vm->ref), refs);
	for (i = 1; i <= 2; i++) {
		KUNIT_EXPECT_EQ(test, gpu_backend_vm_from_file(t->gdev, &fake_files.brings, &vm),
				0);
		KUNIT_EXPECT_PTR_EQ(test, vm, t->vm);
		KUNIT_EXPECT_EQ(test, kref_read(&t->vm->ref), refs + i);
	}
	while (--i)
		gpu_vm_put(t->vm);
	KUNIT_EXPECT_EQ(test, kref_read(&t->vm->ref), refs);
	t->gdev->drm_ops = real;
	t->gdev->backend = &fake_backend;
}

/* A backend that lacks any of them runs no GPU. */
static void mem_incomplete(struct kunit *test)
{
	struct gpu_backend_ops ops = vgpu_backend_ops;
	struct mem_test *t = test->priv;

	ops.mem = &fake_mem;	/* has no files */
	KUNIT_EXPECT_FALSE(test, gpu_backend_complete(&ops));
	ops.mem = NULL;
	KUNIT_EXPECT_FALSE(test, gpu_backend_complete(&ops));
	KUNIT_EXPECT_TRUE(test, gpu_backend_complete(&vgpu_backend_ops));
	KUNIT_EXPECT_PTR_EQ(test, t->gdev->backend, &fake_backend);
}

static struct kunit_case mem_cases[] = {
	KUNIT_CASE(mem_bo_init_fails),
	KUNIT_CASE(mem_quota_comes_first),
	KUNIT_CASE(mem_map_fails),
	KUNIT_CASE(mem_cut_fails),
	KUNIT_CASE(mem_replace_fails),
	KUNIT_CASE(mem_page_fails),
	KUNIT_CASE(mem_file_brings_vm),
	KUNIT_CASE(mem_incomplete),
	{ }
};

static struct kunit_suite mem_suite = {
	.name = "vkfd_mem",
	.init = mem_begin,
	.exit = mem_end,
	.test_cases = mem_cases,
};

VKFD_LATE_SUITE(mem_suite);
