// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffer objects: GEM objects, their quotas and their CPU mappings.
 *
 *  - Where the memory of VRAM, GTT and MMIO objects is, the backend says (mem.h).
 *  - The quota is charged at creation, exactly, in pages, and given back when
 *    the object dies: a VMA that still shows it keeps it charged, as it does
 *    on the real driver. VRAM has one for each GPU; system memory has one for
 *    all GPUs and processes together, like the real driver's kfd_mem_limit.
 *    An object that had to leave VRAM (vram.c) is charged to the latter.
 *  - USERPTR objects have no pages (userptr.c); DOORBELL objects show the two
 *    pages of a doorbell slice to the GPU.
 *
 * CPU mappings are PFN mappings filled by faults. Each VMA holds a reference
 * of the object, so a page outlives every PTE that shows it.
 */
#include <linux/err.h>
#include <linux/nospec.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <drm/drm_drv.h>
#include <drm/drm_vma_manager.h>

#include "backend.h"
#include "device.h"
#include "dmabuf.h"
#include "doorbell.h"
#include "gpu_int.h"
#include "race.h"
#include "../model/target.h"

static atomic_t gpu_bos = ATOMIC_INIT(0);

unsigned int gpu_bo_count(void)
{
	return atomic_read(&gpu_bos);
}

/* ------------------------------------------------------------------- quota */

static atomic64_t gpu_gtt_all = ATOMIC64_INIT(0);	/* bytes, of all GPUs */

u64 gpu_gtt_used(void)
{
	return atomic64_read(&gpu_gtt_all);
}

int gpu_quota_charge(atomic64_t *used, u64 limit, u64 size)
{
	s64 old = atomic64_read(used);

	do {
		if (size > limit || old > limit - size)
			return -ENOMEM;
	} while (!atomic64_try_cmpxchg(used, &old, old + size));
	return 0;
}

int gpu_gtt_take(struct gpu_device *gdev, u64 bytes)
{
	int ret = gpu_quota_charge(&gpu_gtt_all, gpu_gtt_limit(), bytes);

	if (!ret)
		atomic64_add(bytes, &gdev->gtt_used);
	return ret;
}

void gpu_gtt_give(struct gpu_device *gdev, u64 bytes)
{
	atomic64_sub(bytes, &gdev->gtt_used);
	atomic64_sub(bytes, &gpu_gtt_all);
}

static int gpu_bo_charge_vram(struct gpu_bo *bo, u64 size, enum gpu_vram_who who)
{
	struct gpu_vram_want want = { .bytes = size, .who = who };
	struct gpu_device *gdev = bo->gdev;
	int ret = 0;

	bo->limited = who == GPU_VRAM_KFD;
	if (bo->limited)
		ret = gpu_vram_kfd_charge(gdev, size);
	if (ret)
		return ret;
	ret = gpu_vram_take(gdev, &want);
	if (ret && bo->limited)
		gpu_vram_kfd_give(gdev, size);
	return ret;
}

static int gpu_bo_charge(struct gpu_bo *bo, u64 size, enum gpu_vram_who who)
{
	int ret = 0;

	if (bo->kind == GPU_BO_VRAM)
		ret = gpu_bo_charge_vram(bo, size, who);
	else if (bo->kind == GPU_BO_GTT && !bo->gdev->backend->mem->own_system)
		ret = gpu_gtt_take(bo->gdev, size);
	else
		size = 0;
	if (!ret)
		bo->charged = size;
	return ret;
}

static void gpu_bo_uncharge(struct gpu_bo *bo)
{
	if (bo->kind == GPU_BO_VRAM && bo->limited)
		gpu_vram_kfd_give(bo->gdev, bo->charged);
	if (bo->kind == GPU_BO_GTT || bo->evicted)
		gpu_gtt_give(bo->gdev, bo->charged);
	else if (bo->kind == GPU_BO_VRAM)
		gpu_vram_give(bo->gdev, bo->charged);
}

/* ------------------------------------------------------------------- pages */

static const struct gpu_mem_ops *gpu_bo_mem(const struct gpu_bo *bo)
{
	return bo->gdev->backend->mem;
}

static struct page *gpu_bo_find_page(struct gpu_bo *bo, pgoff_t index, gfp_t gfp)
{
	if (index >= bo->base.size >> PAGE_SHIFT)
		return ERR_PTR(-EINVAL);
	/* Who maps an object, and what a wave does with an address, chooses it. */
	index = array_index_nospec(index, bo->base.size >> PAGE_SHIFT);
	if (bo->kind == GPU_BO_DOORBELL)
		return bo->doorbells->page + index;
	if (bo->kind == GPU_BO_USERPTR)
		return ERR_PTR(-EINVAL);

	if (bo->kind == GPU_BO_IMPORT)
		return xa_load(&bo->pages, index) ?: ERR_PTR(-EINVAL);
	return gpu_bo_mem(bo)->bo_page(bo, index, gfp);
}

/*
 * Virtual memory of a GPU must not call the OOM killer on innocent processes:
 * rather fail the access.
 */
struct page *gpu_bo_page(struct gpu_bo *bo, pgoff_t index)
{
	return gpu_bo_find_page(bo, index, GPU_GFP_WAIT);
}

struct page *gpu_bo_page_now(struct gpu_bo *bo, pgoff_t index)
{
	return gpu_bo_find_page(bo, index, GPU_GFP_NOW);
}

/* Of another GPU's buffer, that one's; what is behind a foreign dma-buf is plain memory. */
u32 gpu_bo_place(const struct gpu_bo *bo)
{
	return bo->kind == GPU_BO_VRAM && !gpu_bo_evicted(bo) ? GPU_PLACE_VRAM(bo->gdev) :
		GPU_PLACE_SYSTEM;
}

/* ------------------------------------------------------------ CPU mappings */

/* Index of the page at @addr: a moved or split VMA keeps pgoff right. */
static pgoff_t gpu_bo_vma_index(struct gpu_bo *bo, struct vm_area_struct *vma,
				unsigned long addr)
{
	return linear_page_index(vma, addr) - drm_vma_node_start(&bo->base.vma_node);
}

static vm_fault_t gpu_bo_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct gpu_bo *bo = to_gpu_bo(vma->vm_private_data);
	unsigned long window = GPU_FAULT_PAGES << PAGE_SHIFT;
	unsigned long addr = vmf->address & PAGE_MASK;
	unsigned long end = min(round_down(addr, window) + window, vma->vm_end);
	vm_fault_t ret = VM_FAULT_SIGBUS;
	struct page *page;

	page = gpu_bo_page(bo, gpu_bo_vma_index(bo, vma, addr));
	if (IS_ERR(page))
		return VM_FAULT_SIGBUS;
	vkfd_race_point("BO fault: page found, no PTE yet");
	ret = vmf_insert_pfn(vma, addr, page_to_pfn(page));

	/* Who touches one page from below usually wants the next ones too. */
	for (addr += PAGE_SIZE; ret == VM_FAULT_NOPAGE && addr < end; addr += PAGE_SIZE) {
		page = gpu_bo_page(bo, gpu_bo_vma_index(bo, vma, addr));
		if (IS_ERR(page) ||
		    vmf_insert_pfn(vma, addr, page_to_pfn(page)) != VM_FAULT_NOPAGE)
			break;
	}
	return ret;
}

/* ptrace and /proc/PID/mem. @len stays within the VMA, as the caller sees to. */
static int gpu_bo_access(struct vm_area_struct *vma, unsigned long addr, void *buf,
			 int len, int write)
{
	struct gpu_bo *bo = to_gpu_bo(vma->vm_private_data);
	unsigned int off, n;
	struct page *page;
	int done;

	for (done = 0; done < len; done += n) {
		off = offset_in_page(addr + done);
		n = min_t(unsigned int, len - done, PAGE_SIZE - off);
		page = gpu_bo_page(bo, gpu_bo_vma_index(bo, vma, addr + done));
		if (IS_ERR(page))
			return done ?: -EIO;
		if (write)
			memcpy(page_address(page) + off, buf + done, n);
		else
			memcpy(buf + done, page_address(page) + off, n);
	}
	return done;
}

static const struct vm_operations_struct gpu_bo_vm_ops = {
	.open = drm_gem_vm_open,
	.close = drm_gem_vm_close,
	.fault = gpu_bo_fault,
	.access = gpu_bo_access,
};

/* Doorbells of a process are KFD's to show; the others' pages are not ours. */
static bool gpu_bo_has_offset(const struct gpu_bo *bo)
{
	if (bo->kind == GPU_BO_DOORBELL)
		return bo->own_doorbells;
	return bo->kind != GPU_BO_USERPTR && bo->kind != GPU_BO_IMPORT;
}

/* The VMA becomes one of the slice, and keeps that instead of the object. */
static int gpu_bo_mmap_doorbells(struct gpu_bo *bo, struct vm_area_struct *vma)
{
	int ret = gpu_doorbells_mmap_start(bo->doorbells, vma, bo->base.size);

	if (!ret)
		drm_gem_object_put(&bo->base);
	return ret;
}

/* GEM's mmap hook: the core has checked size and right, and taken a reference. */
static int gpu_bo_gem_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	struct gpu_bo *bo = to_gpu_bo(obj);

	if (!gpu_bo_has_offset(bo))
		return -EINVAL;
	if (bo->no_cpu)
		return -EPERM;
	if (bo->kind == GPU_BO_DOORBELL)
		return gpu_bo_mmap_doorbells(bo, vma);
	/*
	 * libhsakmt 5.2 maps memory that the CPU must not reach as MAP_PRIVATE
	 * with PROT_NONE, only to own the addresses. A private mapping that can
	 * never be written is no copy-on-write mapping and does no harm.
	 */
	if (vma_is_cow_mapping(vma)) {
		if (vma->vm_flags & (VM_READ | VM_WRITE | VM_EXEC))
			return -EINVAL;
		vm_flags_clear(vma, VM_MAYWRITE);
	}
	vm_flags_set(vma, VM_PFNMAP | VM_IO | VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY);
	vma->vm_ops = &gpu_bo_vm_ops;
	return 0;
}

int gpu_bo_mmap(struct gpu_bo *bo, struct vm_area_struct *vma)
{
	int ret;

	ret = drm_gem_create_mmap_offset(&bo->base);
	if (ret)
		return ret;
	vma->vm_pgoff = drm_vma_node_start(&bo->base.vma_node);
	return drm_gem_mmap_obj(&bo->base, bo->base.size, vma);
}

u64 gpu_bo_mmap_offset(struct gpu_bo *bo)
{
	return gpu_bo_has_offset(bo) ? gpu_bo_mem(bo)->bo_mmap_offset(bo) : 0;
}

/* --------------------------------------------------------- life and death */

static void gpu_bo_gem_free(struct drm_gem_object *obj)
{
	struct gpu_bo *bo = to_gpu_bo(obj);
	struct gpu_device *gdev = bo->gdev;
	struct drm_device *drm = obj->dev;

	vkfd_race_point("BO: no reference left, before the end");
	if (bo->backed && bo->kind == GPU_BO_VRAM)
		gpu_vram_part(bo);
	if (bo->backed)
		gpu_bo_mem(bo)->bo_fini(bo);
	if (bo->kind == GPU_BO_USERPTR)
		gpu_userptr_fini(bo);
	if (bo->doorbells)
		gpu_doorbells_put(bo->doorbells);
	if (bo->kind == GPU_BO_IMPORT)
		gpu_import_fini(bo);
	kfree(bo->metadata);
	gpu_bo_uncharge(bo);
	gpu_memcg_put(bo->memcg);
	drm_gem_object_release(obj);
	mutex_destroy(&bo->maps_lock);
	mutex_destroy(&bo->lock);
	kfree(bo);
	atomic_dec(&gpu_bos);
	drm_dev_put(drm);
	gpu_device_put(gdev);
}

static int gpu_bo_gem_open(struct drm_gem_object *obj, struct drm_file *file)
{
	struct gpu_bo *bo = to_gpu_bo(obj);

	return bo->gdev->drm_ops->bo_open(bo, file);
}

static void gpu_bo_gem_close(struct drm_gem_object *obj, struct drm_file *file)
{
	struct gpu_bo *bo = to_gpu_bo(obj);

	bo->gdev->drm_ops->bo_close(bo, file);
}

static struct dma_buf *gpu_bo_gem_export(struct drm_gem_object *obj, int flags)
{
	return gpu_bo_export(to_gpu_bo(obj), flags);
}

static struct sg_table *gpu_bo_gem_sg_table(struct drm_gem_object *obj)
{
	return gpu_bo_sg_table(to_gpu_bo(obj));
}

static const struct drm_gem_object_funcs gpu_bo_gem_funcs = {
	.free = gpu_bo_gem_free,
	.open = gpu_bo_gem_open,
	.close = gpu_bo_gem_close,
	.export = gpu_bo_gem_export,
	.get_sg_table = gpu_bo_gem_sg_table,
	.mmap = gpu_bo_gem_mmap,
	.vm_ops = &gpu_bo_vm_ops,
};

/* @who: of VRAM */
static struct gpu_bo *gpu_bo_alloc_for(struct gpu_device *gdev, enum gpu_bo_kind kind, u64 size,
				       u32 flags, u64 va, enum gpu_vram_who who)
{
	struct drm_device *drm;
	struct gpu_bo *bo;
	int ret;

	if (!size)
		return ERR_PTR(-EINVAL);
	if (size > GPU_GPUVM_LIMIT)
		return ERR_PTR(-ENOMEM);
	size = PAGE_ALIGN(size);

	if (kind == GPU_BO_VRAM || kind == GPU_BO_GTT) {
		ret = gpu_inject_alloc(gdev);
		if (ret)
			return ERR_PTR(ret);
	}
	bo = kzalloc(sizeof(*bo), GFP_KERNEL_ACCOUNT);
	if (!bo)
		return ERR_PTR(-ENOMEM);
	bo->gdev = gdev;
	bo->kind = kind;
	bo->flags = flags;
	bo->va = va;
	bo->memcg = gpu_memcg_get(current->mm);
	mutex_init(&bo->lock);
	mutex_init(&bo->maps_lock);
	INIT_LIST_HEAD(&bo->maps);
	INIT_LIST_HEAD(&bo->vram_node);

	ret = gpu_bo_charge(bo, size, who);
	if (ret)
		goto out_free;
	drm = gpu_device_drm_get(gdev);
	if (!drm) {
		ret = -ENODEV;
		goto out_uncharge;
	}
	gpu_device_get(gdev);
	bo->base.funcs = &gpu_bo_gem_funcs;
	drm_gem_private_object_init(drm, &bo->base, size);
	atomic_inc(&gpu_bos);
	return bo;

out_uncharge:
	gpu_bo_uncharge(bo);
out_free:
	gpu_memcg_put(bo->memcg);
	kfree(bo);
	return ERR_PTR(ret);
}

struct gpu_bo *gpu_bo_alloc(struct gpu_device *gdev, enum gpu_bo_kind kind, u64 size,
			    u32 flags, u64 va)
{
	return gpu_bo_alloc_for(gdev, kind, size, flags, va, GPU_VRAM_FREE);
}

struct gpu_bo *gpu_bo_back(struct gpu_bo *bo)
{
	int ret = gpu_bo_mem(bo)->bo_init(bo);

	if (ret) {
		gpu_bo_put(bo);
		return ERR_PTR(ret);
	}
	bo->backed = true;
	if (bo->kind == GPU_BO_VRAM)
		gpu_vram_join(bo);
	return bo;
}

struct gpu_bo *gpu_bo_create(struct gpu_device *gdev, enum gpu_bo_kind kind,
			     u64 size, u32 flags, u64 va)
{
	struct gpu_bo *bo;

	if (kind == GPU_BO_USERPTR || kind == GPU_BO_DOORBELL)
		return ERR_PTR(-EINVAL);
	bo = gpu_bo_alloc(gdev, kind, size, flags, va);
	return IS_ERR(bo) ? bo : gpu_bo_back(bo);
}

struct gpu_bo *gpu_bo_create_vram(struct gpu_device *gdev, u64 size, u32 flags, u64 va,
				  enum gpu_vram_who who)
{
	struct gpu_bo *bo = gpu_bo_alloc_for(gdev, GPU_BO_VRAM, size, flags, va, who);

	return IS_ERR(bo) ? bo : gpu_bo_back(bo);
}

struct gpu_bo *gpu_bo_create_userptr(struct gpu_device *gdev, struct gpu_process *p,
				     u64 addr, u64 size, u32 flags, u64 va, u32 look)
{
	struct gpu_bo *bo;
	int ret;

	bo = gpu_bo_alloc(gdev, GPU_BO_USERPTR, size, flags, va);
	if (IS_ERR(bo))
		return bo;
	ret = gpu_userptr_init(bo, p, addr, size, look);
	if (ret) {
		gpu_bo_put(bo);
		return ERR_PTR(ret);
	}
	return gpu_bo_back(bo);
}

struct gpu_bo *gpu_bo_create_doorbell(struct gpu_device *gdev, struct gpu_doorbells *db,
				      u32 flags, u64 va)
{
	struct gpu_bo *bo;

	bo = gpu_bo_alloc(gdev, GPU_BO_DOORBELL, GPU_DOORBELL_BYTES, flags, va);
	if (IS_ERR(bo))
		return bo;
	kref_get(&db->ref);
	bo->doorbells = db;
	return gpu_bo_back(bo);
}

struct gpu_bo *gpu_bo_create_doorbells(struct gpu_device *gdev, struct gpu_process *p, u64 size)
{
	struct gpu_bo *bo;

	if (size > GPU_DOORBELL_BYTES)
		return ERR_PTR(-ENOMEM);
	bo = gpu_bo_alloc(gdev, GPU_BO_DOORBELL, size, 0, 0);
	if (IS_ERR(bo))
		return bo;
	bo->doorbells = gpu_doorbells_create(p, gdev);
	if (IS_ERR(bo->doorbells)) {
		int ret = PTR_ERR(bo->doorbells);

		bo->doorbells = NULL;
		gpu_bo_put(bo);
		return ERR_PTR(ret);
	}
	bo->own_doorbells = true;
	return gpu_bo_back(bo);
}

void gpu_bo_get(struct gpu_bo *bo)
{
	drm_gem_object_get(&bo->base);
}

void gpu_bo_put(struct gpu_bo *bo)
{
	drm_gem_object_put(&bo->base);
}
