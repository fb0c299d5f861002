// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of GPUs that have none of their own. See gpu_ram_ops.
 *
 * Pages of an object are allocated zeroed when they are first touched (by a CPU mapping or
 * by the GPU) and stay until the object dies. Runtimes reserve hundreds of megabytes that
 * nobody ever touches.
 *
 * A mapping needs nothing of its own: the GPU's faults fill the page cache from it
 * (gpu_vm_fault()).
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <drm/drm_gem.h>
#include <drm/drm_vma_manager.h>

#include "device.h"
#include "gpu_int.h"
#include "mem.h"

/* Objects of other kinds have pages that belong to somebody else. */
static bool has_own_pages(const struct gpu_bo *bo)
{
	return bo->kind == GPU_BO_VRAM || bo->kind == GPU_BO_GTT || bo->kind == GPU_BO_MMIO;
}

static int gpu_ram_bo_init(struct gpu_bo *bo)
{
	if (has_own_pages(bo))
		xa_init_flags(&bo->pages, XA_FLAGS_ACCOUNT);
	return 0;
}

static void gpu_ram_bo_fini(struct gpu_bo *bo)
{
	struct page *page;
	unsigned long index;

	if (!has_own_pages(bo))
		return;
	xa_for_each(&bo->pages, index, page) {
		__free_page(page);
		cond_resched();
	}
	xa_destroy(&bo->pages);
}

/*
 * There is no lock, as threads that may wait for memory would hold up those that may not.
 * If two come at the same time, one of them frees its page.
 */
static struct page *gpu_ram_new_page(struct gpu_bo *bo, pgoff_t index, gfp_t gfp)
{
	struct mem_cgroup *old = gpu_memcg_enter(bo->memcg);
	struct page *there = ERR_PTR(-ENOMEM), *page = alloc_page(gfp | __GFP_ZERO);

	if (!page)
		goto out;
	there = xa_cmpxchg(&bo->pages, index, NULL, page, gfp);
	if (there)
		__free_page(page);
	else
		there = page;
	if (xa_is_err(there))
		there = ERR_PTR(xa_err(there));
out:
	gpu_memcg_leave(old);
	return there;
}

static struct page *gpu_ram_bo_page(struct gpu_bo *bo, pgoff_t index, gfp_t gfp)
{
	struct page *page = xa_load(&bo->pages, index);	/* never removed while @bo lives */

	return page ?: gpu_ram_new_page(bo, index, gfp);
}

/* Page caches remember the place of each page. */
static void gpu_ram_bo_move(struct gpu_bo *bo)
{
	struct gpu_mapping *m;

	mutex_lock(&bo->maps_lock);
	list_for_each_entry(m, &bo->maps, bo_node) {
		cond_resched();
		mutex_lock(&m->vm->pc_lock);
		gpu_pc_shootdown(m->vm, m->start >> PAGE_SHIFT, m->last >> PAGE_SHIFT, false);
		mutex_unlock(&m->vm->pc_lock);
	}
	mutex_unlock(&bo->maps_lock);
}

static u64 gpu_ram_bo_mmap_offset(struct gpu_bo *bo)
{
	if (drm_gem_create_mmap_offset(&bo->base))
		return 0;
	return drm_vma_node_offset_addr(&bo->base.vma_node);
}

static int gpu_ram_bo_allow(struct gpu_bo *bo, struct file *f)
{
	return bo->gdev->drm_ops->bo_allow(bo, f);
}

static void gpu_ram_bo_revoke(struct gpu_bo *bo, struct file *f)
{
	bo->gdev->drm_ops->bo_revoke(bo, f);
}

static int gpu_ram_vm_from_file(struct gpu_device *gdev, struct file *f, struct gpu_vm **vm)
{
	int ret = gdev->drm_ops->file_vm(gdev, f, vm);

	if (!ret)
		gpu_vm_get(*vm);
	return ret;
}

const struct gpu_mem_ops gpu_ram_ops = {
	.bo_init = gpu_ram_bo_init,
	.bo_fini = gpu_ram_bo_fini,
	.bo_page = gpu_ram_bo_page,
	.bo_move = gpu_ram_bo_move,
	.bo_mmap_offset = gpu_ram_bo_mmap_offset,
	.bo_allow = gpu_ram_bo_allow,
	.bo_revoke = gpu_ram_bo_revoke,
	.vm_from_file = gpu_ram_vm_from_file,
};
