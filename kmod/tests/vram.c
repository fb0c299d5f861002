// SPDX-License-Identifier: GPL-2.0-only
/* Room in a GPU's memory: which objects leave for others, how they count, and where pages are. */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <drm/drm_drv.h>

#include "../drm/userq.h"
#include "../gpu/backend.h"
#include "../gpu/device.h"
#include "../gpu/gpu_int.h"
#include "../gpu/pagecache.h"
#include "../gpu/vm.h"
#include "../gpu/vram.h"
#include "late.h"

#define SIZE	(4 * PAGE_SIZE)
#define ROOM	(4 * SIZE)
#define VA	0x200000ull

struct vram_test {
	struct gpu_device *gdev;
	struct drm_device *drm;
	struct gpu_vm *vm;
	struct gpu_bo *bo[6];
	unsigned int nbos;
	u64 gtt;
};

static const struct gpu_backend_ops ram_backend = { .name = "fake", .mem = &gpu_ram_ops };

/* The same; did somebody wait for a page with one of these locks? */
static struct gpu_mem_ops watched_mem;
static const struct gpu_backend_ops watched_backend = { .name = "fake", .mem = &watched_mem };
static struct gpu_vm *watched_vm;
static struct mutex *watched_lock;
static unsigned int watched_pages, watched_waits;

static struct page *watch_page(struct gpu_bo *bo, pgoff_t index, gfp_t gfp)
{
	watched_pages++;
	watched_waits += gfpflags_allow_blocking(gfp) &&
			 (rwsem_is_locked(&watched_vm->lock) ||
			  (watched_lock && mutex_is_locked(watched_lock)));
	return gpu_ram_ops.bo_page(bo, index, gfp);
}

/* A GPU that nobody finds, whose objects are on the DRM device of the first one. */
static int vram_begin(struct kunit *test)
{
	struct vram_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	struct gpu_device *real;

	KUNIT_ASSERT_NOT_NULL(test, t);
	test->priv = t;
	t->gtt = gpu_gtt_used();
	real = gpu_device_by_index(0);
	KUNIT_ASSERT_NOT_NULL(test, real);
	t->drm = gpu_device_drm_get(real);
	if (t->drm && !gpu_device_create(real->target, ROOM, &t->gdev)) {
		t->gdev->backend = &ram_backend;
		t->gdev->drm_ops = real->drm_ops;
		gpu_device_set_drm(t->gdev, t->drm);
		t->vm = gpu_vm_create(t->gdev);
	}
	gpu_device_put(real);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->vm);
	return 0;
}

static void vram_end(struct kunit *test)
{
	struct vram_test *t = test->priv;

	if (!t)
		return;
	while (t->nbos)
		gpu_bo_put(t->bo[--t->nbos]);
	if (!IS_ERR_OR_NULL(t->vm))
		gpu_vm_put(t->vm);
	KUNIT_EXPECT_EQ(test, gpu_gtt_used(), t->gtt);
	if (t->gdev) {
		KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&t->gdev->vram_used), 0ull);
		KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&t->gdev->vram_limited), 0ull);
		KUNIT_EXPECT_EQ(test, t->gdev->vram_nbos, 0u);
		KUNIT_EXPECT_EQ(test, kref_read(&t->gdev->ref), 1u);
		gpu_device_set_drm(t->gdev, NULL);
		t->gdev->backend = NULL;
		gpu_device_destroy(t->gdev);
	}
	if (t->drm)
		drm_dev_put(t->drm);
}

static long vram_create(struct kunit *test, u64 bytes, enum gpu_vram_who who)
{
	struct vram_test *t = test->priv;
	struct gpu_bo *bo = gpu_bo_create_vram(t->gdev, bytes, 0, 0, who);

	if (IS_ERR(bo))
		return PTR_ERR(bo);
	t->bo[t->nbos++] = bo;
	return 0;
}

static void vram_fill(struct kunit *test, unsigned int n)
{
	while (n--)
		KUNIT_ASSERT_EQ(test, vram_create(test, SIZE, GPU_VRAM_GEM), 0l);
}

static void expect_place(struct kunit *test, u32 place)
{
	struct vram_test *t = test->priv;
	struct gpu_fault fault;

	KUNIT_EXPECT_EQ(test, gpu_vm_fault(t->vm, VA, GPU_R, &fault), 0);
	KUNIT_EXPECT_EQ(test, gpu_vm_place(t->vm, VA), place);
}

/* In order of age; who only takes what is free disturbs nobody. */
static void vram_oldest_leaves(struct kunit *test)
{
	struct vram_test *t = test->priv;

	vram_fill(test, 4);
	KUNIT_EXPECT_EQ(test, vram_create(test, 1, GPU_VRAM_FREE), (long)-ENOMEM);
	KUNIT_EXPECT_EQ(test, vram_create(test, ROOM + 1, GPU_VRAM_GEM), (long)-ENOMEM);
	KUNIT_EXPECT_EQ(test, t->gdev->vram_nbos, 4u);
	KUNIT_ASSERT_EQ(test, vram_create(test, 2 * SIZE, GPU_VRAM_GEM), 0l);
	KUNIT_EXPECT_TRUE(test, gpu_bo_evicted(t->bo[0]));
	KUNIT_EXPECT_TRUE(test, gpu_bo_evicted(t->bo[1]));
	KUNIT_EXPECT_FALSE(test, gpu_bo_evicted(t->bo[2]));
	KUNIT_EXPECT_FALSE(test, gpu_bo_evicted(t->bo[3]));
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&t->gdev->vram_used), (u64)ROOM);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&t->gdev->gtt_used), 2 * (u64)SIZE);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&t->gdev->vram_evictions), 2ull);
}

/* Of KFD's requests, those beyond the limit fail, whatever others have. */
static void vram_limit(struct kunit *test)
{
	struct vram_test *t = test->priv;

	vram_fill(test, 3);
	KUNIT_ASSERT_EQ(test, vram_create(test, 3 * SIZE, GPU_VRAM_KFD), 0l);
	KUNIT_EXPECT_EQ(test, vram_create(test, SIZE + 1, GPU_VRAM_KFD), (long)-ENOMEM);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&t->gdev->vram_limited), 3 * (u64)SIZE);
	KUNIT_ASSERT_EQ(test, vram_create(test, SIZE, GPU_VRAM_KFD), 0l);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&t->gdev->gtt_used), 3 * (u64)SIZE);
	/* It counts although others take its place. */
	KUNIT_ASSERT_EQ(test, vram_create(test, ROOM, GPU_VRAM_GEM), 0l);
	KUNIT_EXPECT_EQ(test, vram_create(test, 1, GPU_VRAM_KFD), (long)-ENOMEM);
}

/* Pages stay, and whoever has them mapped finds out where they now count. */
static void vram_comes_back(struct kunit *test)
{
	const struct gpu_vram_want want = { .who = GPU_VRAM_RESTORE };
	struct vram_test *t = test->priv;
	struct page *page;
	u32 access;

	vram_fill(test, 1);
	KUNIT_ASSERT_EQ(test, gpu_vm_map(t->vm, t->bo[0], VA, 0, SIZE, GPU_R), 0);
	expect_place(test, GPU_PLACE_VRAM(t->gdev));
	page = gpu_bo_page(t->bo[0], 0);
	KUNIT_ASSERT_EQ(test, vram_create(test, ROOM, GPU_VRAM_GEM), 0l);
	KUNIT_EXPECT_NULL(test, gpu_vm_lookup(t->vm, VA, GPU_R, &access));
	expect_place(test, GPU_PLACE_SYSTEM);
	KUNIT_EXPECT_PTR_EQ(test, gpu_bo_page(t->bo[0], 0), page);
	KUNIT_EXPECT_EQ(test, gpu_bo_bring(t->bo[0], &want), 0);
	KUNIT_EXPECT_TRUE(test, gpu_bo_evicted(t->bo[1]));
	expect_place(test, GPU_PLACE_VRAM(t->gdev));
	KUNIT_EXPECT_EQ(test, gpu_bo_bring(t->bo[0], &want), 0);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&t->gdev->vram_used), (u64)SIZE);
	KUNIT_EXPECT_EQ(test, gpu_vm_unmap(t->vm, t->bo[0], VA), 0);
}

/* What the one who asks needs itself does not leave, and if all is that, nothing does. */
static void vram_keeps(struct kunit *test)
{
	struct vram_test *t = test->priv;
	struct drm_gem_object *keep[4];
	struct gpu_vram_want want = {
		.bytes = SIZE, .who = GPU_VRAM_GEM, .keep = keep, .nkeep = 1,
	};
	unsigned int i, k;

	vram_fill(test, 4);
	keep[0] = &t->bo[0]->base;
	KUNIT_EXPECT_EQ(test, gpu_vram_make_room(t->gdev, &want), 0);
	KUNIT_EXPECT_FALSE(test, gpu_bo_evicted(t->bo[0]));
	KUNIT_EXPECT_TRUE(test, gpu_bo_evicted(t->bo[1]));
	want.bytes = 2 * SIZE;
	want.nkeep = 3;
	keep[1] = &t->bo[2]->base;
	keep[2] = &t->bo[3]->base;
	/* In the order of their locks */
	for (i = 0; i < 3; i++)
		for (k = i + 1; k < 3; k++)
			if (keep[k]->resv < keep[i]->resv)
				swap(keep[i], keep[k]);
	KUNIT_EXPECT_EQ(test, gpu_vram_make_room(t->gdev, &want), -ENOMEM);
	KUNIT_EXPECT_EQ(test, t->gdev->vram_nbos, 3u);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&t->gdev->vram_used), 3 * (u64)SIZE);
}

static void watch(struct vram_test *t, struct mutex *lock)
{
	watched_mem = gpu_ram_ops;
	watched_mem.bo_page = watch_page;
	watched_vm = t->vm;
	watched_lock = lock;
	watched_pages = 0;
	watched_waits = 0;
	t->gdev->backend = &watched_backend;
}

/* GPU threads, which serve everybody, take that lock: they must not wait for a client's memory. */
static void vram_peek_waits_unlocked(struct kunit *test)
{
	struct vram_test *t = test->priv;
	struct gpu_bo *bo = gpu_bo_create_vram(t->gdev, PAGE_SIZE, 0, 0, GPU_VRAM_GEM);
	u64 value = 1;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, bo);
	t->bo[t->nbos++] = bo;
	KUNIT_ASSERT_EQ(test, gpu_vm_map(t->vm, bo, VA, 0, PAGE_SIZE, GPU_R), 0);
	watch(t, NULL);
	KUNIT_EXPECT_EQ(test, gpu_vm_peek64(t->vm, VA + 8, &value), 0);
	t->gdev->backend = &ram_backend;
	KUNIT_EXPECT_EQ(test, value, 0ull);
	KUNIT_EXPECT_EQ(test, watched_pages, 1u);
	KUNIT_EXPECT_EQ(test, watched_waits, 0u);
	KUNIT_EXPECT_EQ(test, gpu_vm_peek64(t->vm, VA + 4, &value), -EINVAL);
	KUNIT_EXPECT_EQ(test, gpu_vm_peek64(t->vm, 2 * VA, &value), -EINVAL);
	KUNIT_EXPECT_EQ(test, gpu_vm_unmap(t->vm, bo, VA), 0);
}

/* Nor must clients with user queues. */
static void vram_progress_waits_unlocked(struct kunit *test)
{
	struct vram_test *t = test->priv;
	struct vdrm_device *vdev = kunit_kzalloc(test, sizeof(*vdev), GFP_KERNEL);
	struct vdrm_file *vf = kunit_kzalloc(test, sizeof(*vf), GFP_KERNEL);
	struct vdrm_userq *uq = kunit_kzalloc(test, 2 * sizeof(*uq), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_TRUE(test, vdev && vf && uq);
	vdrm_userqs_init(&vdev->userqs, false);
	mutex_init(&vf->cs_lock);
	vf->vm = t->vm;
	uq[0].vdev = vdev;
	uq[1].vdev = vdev;
	watch(t, &vdev->userqs.lock);
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, vdrm_seq64_get(&uq[i], vf), 0);
	KUNIT_EXPECT_LT(test, 0u, watched_pages);
	KUNIT_EXPECT_EQ(test, watched_waits, 0u);
	KUNIT_EXPECT_PTR_EQ(test, uq[0].seq64, uq[1].seq64);
	KUNIT_EXPECT_PTR_EQ(test, (const struct gpu_bo *)uq[0].seq64, vf->seq64);
	KUNIT_EXPECT_PTR_EQ(test, uq[0].seq + 1, uq[1].seq);
	for (i = 0; i < 2; i++)
		vdrm_seq64_put(&uq[i]);
	KUNIT_EXPECT_NULL(test, vdev->userqs.seq64);
	/* The file's mapping holds the old one, which is replaced. */
	KUNIT_EXPECT_EQ(test, vdrm_seq64_get(&uq[0], vf), 0);
	KUNIT_EXPECT_PTR_EQ(test, (const struct gpu_bo *)uq[0].seq64, vf->seq64);
	vdrm_seq64_put(&uq[0]);
	vdrm_userqs_fini(&vdev->userqs);
	KUNIT_EXPECT_EQ(test, vdrm_seq64_get(&uq[0], vf), -ENODEV);
	gpu_vm_unmap_all(t->vm);
	t->gdev->backend = &ram_backend;
}

static struct kunit_case vram_cases[] = {
	KUNIT_CASE(vram_oldest_leaves),
	KUNIT_CASE(vram_limit),
	KUNIT_CASE(vram_comes_back),
	KUNIT_CASE(vram_keeps),
	KUNIT_CASE(vram_peek_waits_unlocked),
	KUNIT_CASE(vram_progress_waits_unlocked),
	{}
};

static struct kunit_suite vram_suite = {
	.name = "vkfd_vram",
	.init = vram_begin,
	.exit = vram_end,
	.test_cases = vram_cases,
};

VKFD_LATE_SUITE(vram_suite);
