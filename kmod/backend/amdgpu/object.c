// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory from below. An object comes into being on a file that is nobody's, and keeps the handle
 * there, so that the DRM core keeps its dma-buf. It is known by its GEM object: files of clients
 * that map it get handles of their own.
 *
 * Where the packet processor has to read or write an object, we attach to it as a dma-buf, and it
 * is pinned until it ends. Only few are: rings, signals, event pages, code. Memory that has no
 * pages even then is out of a CPU's reach. (The real driver puts an object that is attached to
 * into system memory, if nothing better is possible.)
 */
#include <linux/dma-buf.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <drm/drm_prime.h>

#include "../../compat/file.h"
#include "amdgpu_int.h"
#include "../../../uapi/drm/amdgpu_drm.h"

COMPAT_IMPORT_NS_DMA_BUF;

struct amdgpu_object *amdgpu_object_create(struct file *f, u64 bytes, u32 domain, u64 flags)
{
	union drm_amdgpu_gem_create create = { .in = {
		.bo_size = bytes, .alignment = PAGE_SIZE, .domains = domain, .domain_flags = flags,
	} };
	union drm_amdgpu_gem_mmap map = {};
	struct amdgpu_object *o;
	u32 handle;
	int ret;

	o = kzalloc(sizeof(*o), GFP_KERNEL_ACCOUNT);
	if (!o)
		return ERR_PTR(-ENOMEM);
	mutex_init(&o->lock);
	ret = amdgpu_call(f, DRM_AMDGPU_GEM_CREATE, &create, sizeof(create));
	if (ret)
		goto out_free;
	handle = create.out.handle;
	o->obj = drm_gem_object_lookup(amdgpu_drm_file(f), handle);
	map.in.handle = handle;
	ret = o->obj ? amdgpu_call(f, DRM_AMDGPU_GEM_MMAP, &map, sizeof(map)) : -ENOENT;
	o->offset = map.out.addr_ptr;
	if (ret)
		goto out_obj;
	o->file = get_file(f);
	o->handle = handle;
	return o;

out_obj:
	drm_gem_handle_delete(amdgpu_drm_file(f), handle);
	if (o->obj)
		drm_gem_object_put(o->obj);
out_free:
	mutex_destroy(&o->lock);
	kfree(o);
	return ERR_PTR(ret);
}

static void object_detach(struct amdgpu_object *o)
{
	kvfree(o->pages);
	o->pages = NULL;
	if (o->sgt)
		dma_buf_unmap_attachment_unlocked(o->attach, o->sgt, DMA_BIDIRECTIONAL);
	o->sgt = NULL;
	if (o->attach)
		dma_buf_detach(o->dmabuf, o->attach);
	o->attach = NULL;
	if (o->dmabuf)
		dma_buf_put(o->dmabuf);
	o->dmabuf = NULL;
}

/* On a client's file, our handle may be closed by now, and the number another object's. */
void amdgpu_object_destroy(struct amdgpu_object *o)
{
	struct drm_file *file = amdgpu_drm_file(o->file);
	struct drm_gem_object *is = drm_gem_object_lookup(file, o->handle);

	object_detach(o);
	if (is == o->obj)
		drm_gem_handle_delete(file, o->handle);
	if (is)
		drm_gem_object_put(is);
	drm_gem_object_put(o->obj);
	compat_fput_sync(o->file);
	mutex_destroy(&o->lock);
	kfree(o);
}

/* As the DRM core does it for a handle: the object keeps its dma-buf until its last handle goes. */
struct dma_buf *amdgpu_object_export(struct amdgpu_object *o, int flags)
{
	struct drm_gem_object *obj = o->obj;
	struct dma_buf *dmabuf;

	mutex_lock(&obj->dev->object_name_lock);
	dmabuf = obj->dma_buf;
	if (!dmabuf) {
		dmabuf = obj->funcs && obj->funcs->export ? obj->funcs->export(obj, flags) :
			 drm_gem_prime_export(obj, flags);
		if (!IS_ERR(dmabuf))
			obj->dma_buf = dmabuf;
	}
	if (!IS_ERR(dmabuf))
		get_dma_buf(dmabuf);
	mutex_unlock(&obj->dev->object_name_lock);
	return dmabuf;
}

static int object_pages(struct amdgpu_object *o)
{
	pgoff_t i = 0, n = o->obj->size >> PAGE_SHIFT;
	struct sg_page_iter iter;
	struct page **pages;

	pages = kvcalloc(n, sizeof(*pages), GFP_KERNEL_ACCOUNT);
	if (!pages)
		return -ENOMEM;
	for_each_sgtable_page(o->sgt, &iter, 0) {
		struct page *page;

		/* Memory of the device has an address, and no page. */
		if (i == n || !sg_page(iter.sg))
			break;
		page = sg_page_iter_page(&iter);
		if (!pfn_valid(page_to_pfn(page)) || is_zone_device_page(page))
			break;
		pages[i++] = page;
	}
	if (i < n) {
		kvfree(pages);
		return -EINVAL;
	}
	smp_store_release(&o->pages, pages);	/* amdgpu_object_page() looks without the lock */
	return 0;
}

static int object_attach(struct amdgpu_object *o)
{
	int ret;

	o->dmabuf = amdgpu_object_export(o, O_RDWR);
	if (IS_ERR(o->dmabuf)) {
		ret = PTR_ERR(o->dmabuf);
		o->dmabuf = NULL;
		goto out;
	}
	o->attach = dma_buf_attach(o->dmabuf, o->obj->dev->dev);
	if (IS_ERR(o->attach)) {
		ret = PTR_ERR(o->attach);
		o->attach = NULL;
		goto out;
	}
	o->sgt = dma_buf_map_attachment_unlocked(o->attach, DMA_BIDIRECTIONAL);
	if (IS_ERR(o->sgt)) {
		ret = PTR_ERR(o->sgt);
		o->sgt = NULL;
		goto out;
	}
	ret = object_pages(o);
out:
	if (ret)
		object_detach(o);
	return ret;
}

struct page *amdgpu_object_page(struct amdgpu_object *o, pgoff_t index, gfp_t gfp)
{
	int ret = 0;

	/* The pages come last, and do not go before @o does. */
	if (smp_load_acquire(&o->pages))
		return o->pages[index];
	if (!gfpflags_allow_blocking(gfp))
		return ERR_PTR(-ENOMEM);
	mutex_lock(&o->lock);
	if (!o->pages)
		ret = object_attach(o);
	mutex_unlock(&o->lock);
	if (ret)
		return ERR_PTR(ret == -ENOMEM ? -ENOMEM : -EINVAL);
	return o->pages[index];
}

static int object_va(struct file *f, u32 handle, u32 op, u64 va, u64 offset, u64 bytes, u32 flags)
{
	struct drm_amdgpu_gem_va args = {
		.handle = handle, .operation = op, .flags = flags, .va_address = va,
		.offset_in_bo = offset, .map_size = bytes,
	};

	return amdgpu_call(f, DRM_AMDGPU_GEM_VA, &args, sizeof(args));
}

/* The driver's list keeps what it names. It goes with the first of them; jobs keep theirs. */
static void list_drop_locked(struct amdgpu_vm *avm)
{
	union drm_amdgpu_bo_list args = { .in = {
		.operation = AMDGPU_BO_LIST_OP_DESTROY, .list_handle = avm->list,
	} };

	lockdep_assert_held(&avm->lock);
	if (avm->list)
		amdgpu_call(avm->file, DRM_AMDGPU_BO_LIST, &args, sizeof(args));
	avm->list = 0;
}

/* The next job makes a new list of objects. */
static int vm_handle_set(struct amdgpu_vm *avm, u32 handle, bool there)
{
	int ret = 0;

	mutex_lock(&avm->lock);
	if (there)
		ret = xa_err(xa_store(&avm->handles, handle, xa_mk_value(1), GFP_KERNEL_ACCOUNT));
	else if (xa_erase(&avm->handles, handle))
		list_drop_locked(avm);
	avm->stale = true;
	mutex_unlock(&avm->lock);
	return ret;
}

int amdgpu_object_map(struct drm_gem_object *obj, struct amdgpu_vm *avm, u64 va, u64 offset,
		      u64 bytes, u32 flags, u32 *handle)
{
	int ret = drm_gem_handle_create(amdgpu_drm_file(avm->file), obj, handle);

	if (ret)
		return ret;
	ret = vm_handle_set(avm, *handle, true);
	if (ret)
		goto out_handle;
	ret = object_va(avm->file, *handle, AMDGPU_VA_OP_MAP, va, offset, bytes, flags);
	if (ret)
		goto out_list;
	return 0;

out_list:
	vm_handle_set(avm, *handle, false);
out_handle:
	drm_gem_handle_delete(amdgpu_drm_file(avm->file), *handle);
	return ret;
}

/*
 * The client may have closed our handle, and another object may have the number by now: that is
 * left alone. What is mapped there goes in any case.
 */
void amdgpu_object_unmap(struct drm_gem_object *obj, struct amdgpu_vm *avm, u64 va, u64 bytes,
			 u32 handle)
{
	struct drm_file *file = amdgpu_drm_file(avm->file);
	struct drm_gem_object *is = drm_gem_object_lookup(file, handle);

	vm_handle_set(avm, handle, false);
	if (is == obj) {
		object_va(avm->file, handle, AMDGPU_VA_OP_UNMAP, va, 0, bytes, 0);
		drm_gem_handle_delete(file, handle);
	} else {
		object_va(avm->file, 0, AMDGPU_VA_OP_CLEAR, va, 0, bytes, 0);
	}
	if (is)
		drm_gem_object_put(is);
}
