// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffer objects as dma-bufs, both ways.
 *
 * Export: the dma-buf holds the object, and with it its pages, its quota and
 * the module; its creator may be long gone. An object has one dma-buf at a
 * time, whoever asks (DRM's handle tables rely on that). The object knows its
 * dma-buf only by a pointer that the dma-buf clears when it dies, as a
 * reference would keep both for ever.
 *
 * Import: a dma-buf of ours is the object behind it. Anybody else's becomes an
 * object of the kind GPU_BO_IMPORT whose pages are those that the exporter
 * maps for our device; it must be plain memory. It is pinned while it is
 * imported, and CPUs reach it through its exporter only.
 */
#include <linux/dma-buf.h>
#include <linux/dma-direct.h>
#include <linux/dma-map-ops.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <drm/drm_drv.h>
#include <drm/drm_prime.h>

#include "backend.h"
#include "device.h"
#include "dmabuf.h"
#include "gpu_int.h"

COMPAT_IMPORT_NS_DMA_BUF;

/* Held while gpu_bo.dmabuf is read or cleared. No other lock is taken under it. */
static DEFINE_MUTEX(gpu_dmabuf_lock);

/* ------------------------------------------------------------------ export */

/* drm_prime_pages_to_sg() charges nobody. */
static struct sg_table *gpu_sg_table(struct device *dev, struct page **pages, unsigned long n)
{
	struct sg_table *sgt = kmalloc(sizeof(*sgt), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!sgt)
		return ERR_PTR(-ENOMEM);
	ret = sg_alloc_table_from_pages_segment(sgt, pages, n, 0, n << PAGE_SHIFT,
						min_t(size_t, dma_max_mapping_size(dev), UINT_MAX),
						GFP_KERNEL_ACCOUNT);
	if (!ret)
		return sgt;
	kfree(sgt);
	return ERR_PTR(ret);
}

struct sg_table *gpu_bo_sg_table(struct gpu_bo *bo)
{
	unsigned long i, n = bo->base.size >> PAGE_SHIFT;
	struct sg_table *sgt;
	struct page **pages;

	pages = kvmalloc_array(n, sizeof(*pages), GFP_KERNEL_ACCOUNT);
	if (!pages)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < n; i++) {
		pages[i] = fatal_signal_pending(current) ? ERR_PTR(-EINTR) : gpu_bo_page(bo, i);
		if (IS_ERR(pages[i])) {
			sgt = ERR_CAST(pages[i]);
			goto out;
		}
		cond_resched();
	}
	sgt = gpu_sg_table(bo->base.dev->dev, pages, n);
out:
	kvfree(pages);
	return sgt;
}

static void gpu_dmabuf_release(struct dma_buf *dmabuf)
{
	struct gpu_bo *bo = to_gpu_bo(dmabuf->priv);

	mutex_lock(&gpu_dmabuf_lock);
	if (bo->dmabuf == dmabuf)
		bo->dmabuf = NULL;
	mutex_unlock(&gpu_dmabuf_lock);
	drm_gem_dmabuf_release(dmabuf);
}

static const struct dma_buf_ops gpu_dmabuf_ops = {
	.attach = drm_gem_map_attach,
	.detach = drm_gem_map_detach,
	.map_dma_buf = drm_gem_map_dma_buf,
	.unmap_dma_buf = drm_gem_unmap_dma_buf,
	.release = gpu_dmabuf_release,
	.mmap = drm_gem_dmabuf_mmap,
};

static struct dma_buf *gpu_dmabuf_create(struct gpu_bo *bo, int flags)
{
	struct dma_buf_export_info info = {
		.exp_name = KBUILD_MODNAME,
		.owner = THIS_MODULE,
		.ops = &gpu_dmabuf_ops,
		.size = bo->base.size,
		.flags = flags,
		.priv = &bo->base,
		.resv = bo->base.resv,
	};

	/* Where mappings of the dma-buf find their pages; see gpu_bo_fault(). */
	if (!gpu_bo_mmap_offset(bo))
		return ERR_PTR(-ENOMEM);
	return drm_gem_dmabuf_export(bo->base.dev, &info);
}

struct dma_buf *gpu_bo_export(struct gpu_bo *bo, int flags)
{
	struct dma_buf *dmabuf;

	/* User memory, and pages that belong to one process. */
	if (bo->kind != GPU_BO_VRAM && bo->kind != GPU_BO_GTT)
		return ERR_PTR(-EPERM);
	if (bo->gdev->backend->mem->bo_export)
		return bo->gdev->backend->mem->bo_export(bo, flags);

	mutex_lock(&gpu_dmabuf_lock);
	dmabuf = bo->dmabuf;
	/* A dma-buf that is being released waits for our lock, so its file still exists. */
	if (!dmabuf || !get_file_active(&dmabuf->file)) {
		dmabuf = gpu_dmabuf_create(bo, flags);
		if (!IS_ERR(dmabuf))
			bo->dmabuf = dmabuf;
	}
	mutex_unlock(&gpu_dmabuf_lock);
	return dmabuf;
}

/* ------------------------------------------------------------------ import */

struct gpu_bo *gpu_bo_of_dmabuf(struct dma_buf *dmabuf)
{
	return dmabuf->ops == &gpu_dmabuf_ops ? to_gpu_bo(dmabuf->priv) : NULL;
}

struct gpu_bo *gpu_bo_lookup(struct gpu_device *gdev, struct dma_buf *dmabuf)
{
	struct gpu_bo *bo;

	if (gdev->backend->mem->bo_of_dmabuf)
		return gdev->backend->mem->bo_of_dmabuf(gdev, dmabuf);
	bo = gpu_bo_of_dmabuf(dmabuf);
	if (!bo)
		return ERR_PTR(-EINVAL);
	gpu_bo_get(bo);
	return bo;
}

/*
 * The page behind a DMA address of our device: as nothing translates for it,
 * these are physical addresses. -EINVAL for what is not plain memory.
 */
static struct page *gpu_import_page(struct device *dev, dma_addr_t addr)
{
	unsigned long pfn = PHYS_PFN(dma_to_phys(dev, addr));

	if (get_dma_ops(dev) || !pfn_valid(pfn) || is_zone_device_page(pfn_to_page(pfn)))
		return ERR_PTR(-EINVAL);
	return pfn_to_page(pfn);
}

static int gpu_import_pages(struct gpu_bo *bo, struct sg_table *sgt)
{
	struct device *dev = bo->base.dev->dev;
	pgoff_t i = 0, n = bo->base.size >> PAGE_SHIFT;
	struct sg_dma_page_iter iter;
	struct page *page;
	int ret;

	for_each_sgtable_dma_page(sgt, &iter, 0) {
		if (i == n)
			break;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
		page = gpu_import_page(dev, sg_page_iter_dma_address(&iter));
		if (IS_ERR(page))
			return PTR_ERR(page);
		ret = xa_err(xa_store(&bo->pages, i++, page, GFP_KERNEL));
		if (ret)
			return ret;
	}
	return i == n ? 0 : -EINVAL;
}

struct gpu_bo *gpu_bo_create_import(struct gpu_device *gdev, u64 size, struct sg_table *sgt)
{
	struct gpu_bo *bo = gpu_bo_alloc(gdev, GPU_BO_IMPORT, size, 0, 0);
	int ret;

	if (IS_ERR(bo))
		return bo;
	xa_init_flags(&bo->pages, XA_FLAGS_ACCOUNT);
	ret = gpu_import_pages(bo, sgt);
	if (ret) {
		gpu_bo_put(bo);
		return ERR_PTR(ret);
	}
	bo = gpu_bo_back(bo);
	if (!IS_ERR(bo))
		bo->import_sgt = sgt;
	return bo;
}

void gpu_import_fini(struct gpu_bo *bo)
{
	xa_destroy(&bo->pages);		/* the exporter's, all of them */
	if (bo->base.import_attach)
		drm_prime_gem_destroy(&bo->base, bo->import_sgt);
}

struct gpu_bo *gpu_bo_import(struct gpu_device *gdev, struct dma_buf *dmabuf)
{
	struct gpu_bo *bo = gpu_bo_of_dmabuf(dmabuf);
	struct drm_gem_object *obj;
	struct drm_device *drm;

	drm = gpu_device_drm_get(gdev);
	if (!drm)
		return ERR_PTR(-ENODEV);
	/* An object from before the GPU was unbound has another device, and that one's locks. */
	if (bo && bo->base.dev == drm) {
		gpu_bo_get(bo);
		drm_dev_put(drm);
		return bo;
	}
	obj = drm_gem_prime_import_dev(drm, dmabuf, drm->dev);
	drm_dev_put(drm);
	return IS_ERR(obj) ? ERR_CAST(obj) : to_gpu_bo(obj);
}
