// SPDX-License-Identifier: GPL-2.0-only
/*
 * Command submission: lists of objects, jobs of SDMA packets, and the wait for them. A
 * job is done when the CS ioctl returns, so its fence is merely a number. Other things
 * that amdgpu accepts here (graphics, user fences, syncobjs) are refused.
 *
 * A job that fails makes its context guilty, as a GPU reset would: the context accepts
 * no more jobs, and reports the guilt when it is queried.
 */
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/xarray.h>
#include <drm/drm_gem.h>

#include "../gpu/backend.h"
#include "../gpu/vm.h"
#include "drm_int.h"
#include "../../uapi/drm/amdgpu_drm.h"

#define VDRM_MAX_LISTS		4096	/* of a file */
#define VDRM_MAX_LIST		4096	/* objects of a list */
#define VDRM_MAX_CHUNKS		32
#define VDRM_MAX_IB_BYTES	(4u << 20)

/* ------------------------------------------------------------------- lists */

/* Objects that a job needs. The list only keeps them alive, as they never move. */
struct vdrm_list {
	u32 n;
	struct drm_gem_object *obj[];
};

static void vdrm_list_free(struct vdrm_list *list)
{
	while (list && list->n)
		drm_gem_object_put(list->obj[--list->n]);
	kvfree(list);
}

static struct vdrm_list *vdrm_list_create(struct drm_file *file,
					  const struct drm_amdgpu_bo_list_in *in)
{
	u32 i, copy = min_t(u32, in->bo_info_size, sizeof(struct drm_amdgpu_bo_list_entry));
	struct vdrm_list *list;
	int ret = 0;

	if (in->bo_number > VDRM_MAX_LIST || (in->bo_number && copy < sizeof(u32)))
		return ERR_PTR(-EINVAL);
	list = kvzalloc(struct_size(list, obj, in->bo_number), GFP_KERNEL_ACCOUNT);
	if (!list)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < in->bo_number && !ret; i++) {
		struct drm_amdgpu_bo_list_entry e = { 0 };
		const void __user *from = u64_to_user_ptr(in->bo_info_ptr +
							  (u64)i * in->bo_info_size);

		if (copy_from_user(&e, from, copy)) {
			ret = -EFAULT;
			break;
		}
		list->obj[i] = drm_gem_object_lookup(file, e.bo_handle);
		if (!list->obj[i])
			ret = -ENOENT;
		else
			list->n++;
	}
	if (!ret)
		return list;
	vdrm_list_free(list);
	return ERR_PTR(ret);
}

void vdrm_lists_free(struct vdrm_file *vf)
{
	struct vdrm_list *list;
	unsigned long id;

	xa_for_each(&vf->lists, id, list)
		vdrm_list_free(list);
	xa_destroy(&vf->lists);
}

static int vdrm_list_put_in(struct vdrm_file *vf, union drm_amdgpu_bo_list *args,
			    struct vdrm_list *list)
{
	struct vdrm_list *old = NULL;
	u32 id = args->in.list_handle;
	int ret = 0;

	if (args->in.operation == AMDGPU_BO_LIST_OP_CREATE) {
		ret = xa_alloc(&vf->lists, &id, list, XA_LIMIT(1, VDRM_MAX_LISTS - 1),
			       GFP_KERNEL_ACCOUNT);
		if (ret)
			return ret == -EBUSY ? -ENOSPC : ret;
	} else {
		mutex_lock(&vf->lock);
		old = xa_load(&vf->lists, id);
		ret = old ? xa_err(xa_store(&vf->lists, id, list, GFP_KERNEL_ACCOUNT)) : -ENOENT;
		mutex_unlock(&vf->lock);
		if (ret)
			return ret;
		vdrm_list_free(old);
	}
	args->out = (struct drm_amdgpu_bo_list_out){ .list_handle = id };
	return 0;
}

static int vdrm_list_destroy(struct vdrm_file *vf, union drm_amdgpu_bo_list *args)
{
	struct vdrm_list *list;

	mutex_lock(&vf->lock);
	list = xa_erase(&vf->lists, args->in.list_handle);
	mutex_unlock(&vf->lock);
	vdrm_list_free(list);
	args->out = (struct drm_amdgpu_bo_list_out){ 0 };
	return 0;
}

int vdrm_ioctl_bo_list(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vdrm_file *vf = file->driver_priv;
	union drm_amdgpu_bo_list *args = data;
	struct vdrm_list *list;
	int ret;

	if (args->in.operation > AMDGPU_BO_LIST_OP_UPDATE)
		return -EINVAL;
	if (args->in.operation == AMDGPU_BO_LIST_OP_DESTROY)
		return vdrm_list_destroy(vf, args);
	list = vdrm_list_create(file, &args->in);
	if (IS_ERR(list))
		return PTR_ERR(list);
	ret = vdrm_list_put_in(vf, args, list);
	if (ret)
		vdrm_list_free(list);
	return ret;
}

/* -------------------------------------------------------------------- jobs */

/**
 * struct vdrm_job - the parsed chunks of a submission
 * @ib: indirect buffers, in order
 * @nibs: number of them
 */
struct vdrm_job {
	struct drm_amdgpu_cs_chunk_ib ib[VDRM_MAX_CHUNKS];
	u32 nibs;
};

static bool vdrm_ring_ok(u32 ip_type, u32 ip_instance, u32 ring)
{
	return ip_type == AMDGPU_HW_IP_DMA && !ip_instance && ring < VDRM_CTX_RINGS;
}

static int vdrm_job_ib(struct vdrm_job *job, const struct drm_amdgpu_cs_chunk *chunk)
{
	struct drm_amdgpu_cs_chunk_ib *ib = &job->ib[job->nibs];

	if (chunk->length_dw * 4ull < sizeof(*ib))
		return -EINVAL;
	if (copy_from_user(ib, u64_to_user_ptr(chunk->chunk_data), sizeof(*ib)))
		return -EFAULT;
	if (!vdrm_ring_ok(ib->ip_type, ib->ip_instance, ib->ring) ||
	    ib->flags & ~(AMDGPU_IB_FLAG_PREAMBLE | AMDGPU_IB_FLAG_EMIT_MEM_SYNC))
		return -EINVAL;
	if (ib->va_start % 4 || ib->ib_bytes % 4 || ib->ib_bytes > VDRM_MAX_IB_BYTES)
		return -EINVAL;
	/* All buffers of a submission must go to the same ring. */
	if (job->nibs && ib->ring != job->ib[0].ring)
		return -EINVAL;
	job->nibs++;
	return 0;
}

/* @user: address of an array element that has the address of the chunk. */
static int vdrm_job_chunk(struct vdrm_job *job, u64 user)
{
	struct drm_amdgpu_cs_chunk chunk;
	u64 at;

	if (copy_from_user(&at, u64_to_user_ptr(user), sizeof(at)) ||
	    copy_from_user(&chunk, u64_to_user_ptr(at), sizeof(chunk)))
		return -EFAULT;
	switch (chunk.chunk_id) {
	case AMDGPU_CHUNK_ID_IB:
		return vdrm_job_ib(job, &chunk);
	case AMDGPU_CHUNK_ID_DEPENDENCIES:
	case AMDGPU_CHUNK_ID_SCHEDULED_DEPENDENCIES:
	case AMDGPU_CHUNK_ID_BO_HANDLES:
		return 0;	/* jobs end before CS returns, and objects never move */
	default:
		return -EINVAL;
	}
}

static int vdrm_job_run(struct gpu_vm *vm, const struct vdrm_job *job)
{
	u32 i;
	int ret = 0;

	for (i = 0; i < job->nibs && !ret; i++)
		if (job->ib[i].ib_bytes)
			ret = gpu_backend_sdma_ib(vm, job->ib[i].ring, job->ib[i].va_start,
						  job->ib[i].ib_bytes / 4);
	return ret;
}

int vdrm_ioctl_cs(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vdrm_file *vf = file->driver_priv;
	union drm_amdgpu_cs *args = data;
	struct vdrm_job *job;
	int ret;
	u32 i;

	if (!gpu_backend_has_sdma_ib(vf->vm->gdev))
		return -EINVAL;
	if (!args->in.num_chunks || args->in.num_chunks > VDRM_MAX_CHUNKS)
		return -EINVAL;
	ret = vdrm_ctx_check(vf, args->in.ctx_id);
	if (ret)
		return ret;
	if (args->in.bo_list_handle && !xa_load(&vf->lists, args->in.bo_list_handle))
		return -ENOENT;
	job = kzalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);
	if (!job)
		return -ENOMEM;
	for (i = 0; i < args->in.num_chunks && !ret; i++)
		ret = vdrm_job_chunk(job, args->in.chunks + i * sizeof(u64));
	if (!ret && !job->nibs)
		ret = -EINVAL;
	if (ret)
		goto out;
	ret = vdrm_job_run(vf->vm, job);
	if (ret != -EINTR && ret != -ENOMEM)
		ret = vdrm_ctx_done(vf, args->in.ctx_id, job->ib[0].ring, ret,
				    &args->out.handle);
out:
	kfree(job);
	return ret;
}

int vdrm_ioctl_wait_cs(struct drm_device *drm, void *data, struct drm_file *file)
{
	union drm_amdgpu_wait_cs *args = data;
	int ret;

	if (!vdrm_ring_ok(args->in.ip_type, args->in.ip_instance, args->in.ring))
		return -EINVAL;
	ret = vdrm_ctx_wait(file->driver_priv, args->in.ctx_id, args->in.ring, args->in.handle);
	if (!ret)
		args->out.status = 0;	/* not busy */
	return ret;
}
