// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers as dma-bufs: EXPORT_DMABUF, IMPORT_DMABUF, GET_DMABUF_INFO. Runtimes use
 * them to share memory between processes and with graphics.
 *
 * An import creates a new handle for the same memory. The handle stays valid when the
 * exporter dies, and the memory is not charged again. A buffer of one of our GPUs can
 * be imported on any other of them. Foreign dma-bufs can only be imported through the
 * render node (PRIME); here they are EINVAL, as in Linux 6.1.
 */
#include <linux/dma-buf.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <drm/drm.h>

#include "gpu/backend.h"
#include "gpu/bo.h"
#include "gpu/dmabuf.h"
#include "../../uapi/drm/amdgpu_drm.h"
#include "kfd.h"
#include "race.h"

#define FLAG(name)	KFD_IOC_ALLOC_MEM_FLAGS_##name

static int vkfd_export_locked(struct vkfd_process *p, u64 handle, struct dma_buf **dmabuf)
{
	struct vkfd_pdd *pdd = vkfd_process_pdd(p, upper_32_bits(handle));
	struct vkfd_mem *mem;

	lockdep_assert_held(&p->base.lock);
	mem = pdd ? vkfd_mem_find(pdd, handle) : NULL;
	if (!mem)
		return -EINVAL;
	*dmabuf = gpu_bo_export(mem->bo, mem->flags & FLAG(WRITABLE) ? DRM_RDWR : 0);
	return PTR_ERR_OR_ZERO(*dmabuf);
}

int vkfd_ioctl_export_dmabuf(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_export_dmabuf_args *args = data;
	struct dma_buf *dmabuf;
	int ret;

	mutex_lock(&p->base.lock);
	ret = vkfd_export_locked(p, args->handle, &dmabuf);
	mutex_unlock(&p->base.lock);
	if (ret)
		return ret;
	vkfd_race_point("export: dma-buf made, no descriptor yet");
	ret = dma_buf_fd(dmabuf, args->flags);
	if (ret < 0) {
		dma_buf_put(dmabuf);
		return ret;
	}
	args->dmabuf_fd = ret;
	return 0;
}

static int vkfd_import_locked(struct vkfd_process *p, struct dma_buf *dmabuf,
			      struct kfd_ioctl_import_dmabuf_args *args)
{
	struct vkfd_pdd *pdd = vkfd_process_bound_pdd(p, args->gpu_id);
	struct vkfd_mem *mem;
	struct gpu_bo *bo;

	lockdep_assert_held(&p->base.lock);
	if (IS_ERR(pdd))
		return PTR_ERR(pdd);
	bo = gpu_bo_lookup(pdd->base.gdev, dmabuf);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	mem = kzalloc(sizeof(*mem), GFP_KERNEL_ACCOUNT);
	if (!mem) {
		gpu_bo_put(bo);
		return -ENOMEM;
	}
	mem->bo = bo;
	mem->va = args->va_addr;
	mem->flags = (bo->kind == GPU_BO_VRAM ? FLAG(VRAM) : FLAG(GTT)) | FLAG(WRITABLE) |
		     FLAG(EXECUTABLE);
	mem->imported = true;
	/* A buffer of another GPU cannot be mmapped through this GPU's render node. */
	mem->allowed = !gpu_backend_bo_allow(bo, pdd->base.drm_file);
	return vkfd_mem_publish(pdd, mem, &args->handle);
}

int vkfd_ioctl_import_dmabuf(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_import_dmabuf_args *args = data;
	struct dma_buf *dmabuf = dma_buf_get(args->dmabuf_fd);
	int ret;

	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	mutex_lock(&p->base.lock);
	ret = vkfd_import_locked(p, dmabuf, args);
	mutex_unlock(&p->base.lock);
	dma_buf_put(dmabuf);
	return ret;
}

/* Copies the metadata that GEM_METADATA attached; @bytes gets its size in any case. */
static int vkfd_metadata_copy(struct gpu_bo *bo, void __user *out, u32 room, u32 *bytes)
{
	struct gpu_bo_metadata md = {};

	mutex_lock(&bo->lock);
	if (bo->metadata)
		md = *bo->metadata;
	mutex_unlock(&bo->lock);
	*bytes = md.bytes;
	if (md.bytes > room)
		return -EINVAL;
	return out && copy_to_user(out, md.data, md.bytes) ? -EFAULT : 0;
}

/* With a reference, whichever of the process's GPUs knows it; NULL: none does. */
static struct gpu_bo *vkfd_bo_of_dmabuf(struct vkfd_process *p, struct dma_buf *dmabuf)
{
	struct gpu_bo *bo;
	unsigned int i;

	for (i = 0; i < p->num_pdds; i++) {
		bo = gpu_bo_lookup(p->pdds[i]->base.gdev, dmabuf);
		if (!IS_ERR(bo))
			return bo;
	}
	return NULL;
}

int vkfd_ioctl_get_dmabuf_info(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_get_dmabuf_info_args *args = data;
	struct dma_buf *dmabuf = dma_buf_get(args->dmabuf_fd);
	struct gpu_bo *bo;
	int ret = -EINVAL;

	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	bo = vkfd_bo_of_dmabuf(p, dmabuf);
	if (bo) {
		args->size = bo->base.size;
		ret = vkfd_metadata_copy(bo, u64_to_user_ptr(args->metadata_ptr),
					 args->metadata_size, &args->metadata_size);
	}
	if (!ret || ret == -EFAULT) {
		args->gpu_id = bo->gdev->gpu_id;
		args->flags = bo->kind == GPU_BO_VRAM ? FLAG(VRAM) : FLAG(GTT);
		if (bo->gem_flags & AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED)
			args->flags |= FLAG(PUBLIC);
	}
	if (bo)
		gpu_bo_put(bo);
	dma_buf_put(dmabuf);
	return ret;
}
