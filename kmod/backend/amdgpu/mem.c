// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of a GPU behind a render node (gpu/mem.h): VRAM and GTT are objects below, which clients
 * mmap through the render node that they have opened anyhow. Memory of a process becomes an object
 * below with each mapping, on the client's file and by its own thread, as the driver below demands.
 *
 * The page of HDP registers is a page of RAM, as there is nothing to be flushed by a CPU here. It
 * and the doorbells are not shown to the GPU: the interface below has no such thing.
 *
 * hw/ reads and writes all of that through the page cache, as it does on a GPU without memory of
 * its own: ram.c says how.
 */
#include <linux/dma-buf.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <drm/drm_drv.h>
#include <drm/drm_vma_manager.h>

#include "amdgpu_int.h"
#include "../../gpu/mem.h"
#include "../../../uapi/drm/amdgpu_drm.h"
#include "../../../uapi/linux/kfd_ioctl.h"

/**
 * struct amdgpu_map - gpu_mapping.priv
 * @obj: below, with a reference
 * @handle: of it on the address space's file
 */
struct amdgpu_map {
	struct drm_gem_object *obj;
	u32 handle;
};

/* gpu_bo of each object below that KFD has, on all nodes, by the object's address; no references */
static DEFINE_XARRAY(amdgpu_bos);

static int bo_init_object(struct gpu_bo *bo)
{
	struct amdgpu_node *node = to_node(bo->gdev);
	u32 domain = AMDGPU_GEM_DOMAIN_GTT;
	struct amdgpu_object *o;
	u64 flags = AMDGPU_GEM_CREATE_EXPLICIT_SYNC;	/* KFD's queues wait for nobody */
	struct file *f;
	int ret;

	f = amdgpu_node_file_get(node);
	if (!f)
		return -ENODEV;
	if (bo->kind == GPU_BO_VRAM) {
		domain = AMDGPU_GEM_DOMAIN_VRAM;
		flags |= AMDGPU_GEM_CREATE_VRAM_CLEARED;
		if (bo->flags & KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC)
			flags |= AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED;
	}
	o = amdgpu_object_create(f, bo->base.size, domain, flags);
	fput(f);
	if (IS_ERR(o))
		return PTR_ERR(o);
	ret = xa_err(xa_store(&amdgpu_bos, (unsigned long)o->obj, bo, GFP_KERNEL_ACCOUNT));
	if (ret)
		amdgpu_object_destroy(o);
	else
		bo->priv = o;
	return ret;
}

static void bo_fini_object(struct gpu_bo *bo)
{
	struct amdgpu_object *o = bo->priv;

	xa_erase(&amdgpu_bos, (unsigned long)o->obj);
	amdgpu_object_destroy(o);
}

static int amdgpu_bo_init(struct gpu_bo *bo)
{
	struct page *page;

	switch (bo->kind) {
	case GPU_BO_VRAM:
	case GPU_BO_GTT:
		return bo_init_object(bo);
	case GPU_BO_MMIO:
		if (bo->base.size != PAGE_SIZE)
			return -EINVAL;
		page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
		bo->priv = page;
		return page ? 0 : -ENOMEM;
	default:
		return 0;
	}
}

static void amdgpu_bo_fini(struct gpu_bo *bo)
{
	if (bo->kind == GPU_BO_MMIO)
		__free_page(bo->priv);
	else if (bo->priv)
		bo_fini_object(bo);
}

static struct page *amdgpu_bo_page(struct gpu_bo *bo, pgoff_t index, gfp_t gfp)
{
	return bo->kind == GPU_BO_MMIO ? bo->priv : amdgpu_object_page(bo->priv, index, gfp);
}

static struct amdgpu_object *bo_object(const struct gpu_bo *bo)
{
	return bo->kind == GPU_BO_VRAM || bo->kind == GPU_BO_GTT ? bo->priv : NULL;
}

static u64 amdgpu_bo_mmap_offset(struct gpu_bo *bo)
{
	struct amdgpu_object *o = bo_object(bo);

	return o ? o->offset : 0;
}

static int amdgpu_bo_allow(struct gpu_bo *bo, struct file *f)
{
	struct amdgpu_object *o = bo_object(bo);

	if (!o || amdgpu_device_of(f) != to_node(bo->gdev)->drm)
		return -EINVAL;
	return drm_vma_node_allow(&o->obj->vma_node, amdgpu_drm_file(f));
}

static void amdgpu_bo_revoke(struct gpu_bo *bo, struct file *f)
{
	struct amdgpu_object *o = bo_object(bo);

	if (o && amdgpu_device_of(f) == to_node(bo->gdev)->drm)
		drm_vma_node_revoke(&o->obj->vma_node, amdgpu_drm_file(f));
}

static struct dma_buf *amdgpu_bo_export(struct gpu_bo *bo, int flags)
{
	return amdgpu_object_export(bo_object(bo), flags);
}

/*
 * The dma-bufs of DRM drivers have their GEM object in @priv, which is only compared here. What KFD
 * has given up since, and what the render node alone has had, KFD does not know.
 */
static struct gpu_bo *amdgpu_bo_of_dmabuf(struct gpu_device *gdev, struct dma_buf *dmabuf)
{
	struct gpu_bo *bo;

	xa_lock(&amdgpu_bos);
	bo = xa_load(&amdgpu_bos, (unsigned long)dmabuf->priv);
	if (bo && !kref_get_unless_zero(&bo->base.refcount))
		bo = NULL;
	xa_unlock(&amdgpu_bos);
	return bo ?: ERR_PTR(-EINVAL);
}

/* ----------------------------------------------------------------- mappings */

static u32 page_flags(u32 access)
{
	return (access & GPU_R ? AMDGPU_VM_PAGE_READABLE : 0) |
	       (access & GPU_W ? AMDGPU_VM_PAGE_WRITEABLE : 0) |
	       (access & GPU_X ? AMDGPU_VM_PAGE_EXECUTABLE : 0);
}

/* A new object on the process's memory; the handle that it comes with is not the mapping's. */
static struct drm_gem_object *map_userptr(const struct gpu_mapping *m, struct file *f)
{
	struct drm_amdgpu_gem_userptr args = {
		.addr = m->bo->userptr.addr, .size = m->bo->base.size,
		.flags = AMDGPU_GEM_USERPTR_REGISTER,
	};
	struct drm_gem_object *obj;
	int ret;

	/* The driver below takes it for memory of who calls. */
	if (m->bo->userptr.process->mm != current->mm)
		return ERR_PTR(-EINVAL);
	if (!(m->access & GPU_W))
		args.flags |= AMDGPU_GEM_USERPTR_READONLY;
	ret = amdgpu_call(f, DRM_AMDGPU_GEM_USERPTR, &args, sizeof(args));
	if (ret)
		return ERR_PTR(ret);
	obj = drm_gem_object_lookup(amdgpu_drm_file(f), args.handle);
	drm_gem_handle_delete(amdgpu_drm_file(f), args.handle);
	return obj ?: ERR_PTR(-ENOENT);
}

/* Of another node: as its driver shares it. */
static struct drm_gem_object *import_object(struct amdgpu_node *node, struct amdgpu_object *o)
{
	struct drm_gem_object *obj;
	struct dma_buf *dmabuf;

	if (!node->drm->driver->gem_prime_import)
		return ERR_PTR(-EINVAL);
	dmabuf = amdgpu_object_export(o, O_RDWR);
	if (IS_ERR(dmabuf))
		return ERR_CAST(dmabuf);
	obj = node->drm->driver->gem_prime_import(node->drm, dmabuf);
	dma_buf_put(dmabuf);
	return obj;
}

/* The object below that stands for @m->bo on @node, with a reference. */
static struct drm_gem_object *map_object(struct amdgpu_node *node, const struct gpu_mapping *m,
					 struct file *f)
{
	struct amdgpu_object *o = bo_object(m->bo);

	if (m->bo->kind == GPU_BO_USERPTR)
		return map_userptr(m, f);
	/* Of another kind of GPU: its pages are its own. */
	if (!o || m->bo->gdev->backend->mem != &amdgpu_mem_ops)
		return ERR_PTR(-EINVAL);
	if (m->bo->gdev != node->hw.gdev)
		return import_object(node, o);
	drm_gem_object_get(o->obj);
	return o->obj;
}

static int amdgpu_vm_map(struct gpu_mapping *m)
{
	struct amdgpu_vm *avm = m->vm->priv;
	struct amdgpu_map *map;
	int ret;

	if (m->bo->kind == GPU_BO_DOORBELL || m->bo->kind == GPU_BO_MMIO)
		return 0;
	map = kzalloc(sizeof(*map), GFP_KERNEL_ACCOUNT);
	if (!map)
		return -ENOMEM;
	map->obj = map_object(avm->node, m, avm->file);
	if (IS_ERR(map->obj)) {
		ret = PTR_ERR(map->obj);
		goto out_free;
	}
	ret = amdgpu_object_map(map->obj, avm, m->start, m->offset, m->last - m->start + 1,
				page_flags(m->access), &map->handle);
	if (ret)
		goto out_obj;
	m->priv = map;
	return 0;

out_obj:
	drm_gem_object_put(map->obj);
out_free:
	kfree(map);
	return ret;
}

static void amdgpu_vm_unmap(struct gpu_mapping *m)
{
	struct amdgpu_vm *avm = m->vm->priv;
	struct amdgpu_map *map = m->priv;

	if (!map)
		return;
	amdgpu_vm_leave(m->vm);
	amdgpu_object_unmap(map->obj, avm, m->start, m->last - m->start + 1, map->handle);
	drm_gem_object_put(map->obj);
	kfree(map);
	m->priv = NULL;
}

const struct gpu_mem_ops amdgpu_mem_ops = {
	.own_system = true,
	.bo_init = amdgpu_bo_init,
	.bo_fini = amdgpu_bo_fini,
	.bo_page = amdgpu_bo_page,
	.bo_mmap_offset = amdgpu_bo_mmap_offset,
	.bo_allow = amdgpu_bo_allow,
	.bo_revoke = amdgpu_bo_revoke,
	.bo_export = amdgpu_bo_export,
	.bo_of_dmabuf = amdgpu_bo_of_dmabuf,
	.vm_from_file = amdgpu_vm_from_file,
	.vm_map = amdgpu_vm_map,
	.vm_unmap = amdgpu_vm_unmap,
	.vm_fini = amdgpu_vm_fini,
};
