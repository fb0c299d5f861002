// SPDX-License-Identifier: GPL-2.0-only
/*
 * GEM_VA: maps a file's objects in the file's GPU address space. KFD maps its objects in
 * the same one if the file was given to ACQUIRE_VM. Updates take effect at once: there
 * are no page tables to write later, so DELAY_UPDATE changes nothing. Memory is always
 * cache coherent with the CPU, whatever memory type is asked for. So the fence that says when
 * the GPU sees an update is one that has signalled.
 *
 * Partially resident textures (PRT) are not supported.
 */
#include <linux/dma-fence-chain.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <drm/drm_gem.h>
#include <drm/drm_syncobj.h>

#include "../gpu/bo.h"
#include "../gpu/charged.h"
#include "../gpu/doorbell.h"
#include "../gpu/process.h"
#include "../gpu/vm.h"
#include "cs.h"
#include "drm_int.h"
#include "../race.h"
#include "../../uapi/drm/amdgpu_drm.h"

#define VDRM_VA_FLAGS \
	(AMDGPU_VM_DELAY_UPDATE | AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE | \
	 AMDGPU_VM_PAGE_EXECUTABLE | AMDGPU_VM_MTYPE_MASK | AMDGPU_VM_PAGE_NOALLOC)
#define VDRM_VA_PRT_FLAGS	(AMDGPU_VM_DELAY_UPDATE | AMDGPU_VM_PAGE_PRT)

#define VDRM_MAX_VA_FENCES	0x10000	/* that an update waits for */

/* In the order of the real driver's checks; gpu_vm_map() checks the rest. */
static int vdrm_va_check(const struct drm_amdgpu_gem_va *args)
{
	if (args->va_address < VDRM_VA_RESERVED ||
	    (args->va_address >= VDRM_VA_HOLE_START && args->va_address < VDRM_VA_HOLE_END))
		return -EINVAL;
	if (args->flags & ~VDRM_VA_FLAGS && args->flags & ~VDRM_VA_PRT_FLAGS)
		return -EINVAL;
	if (args->operation < AMDGPU_VA_OP_MAP || args->operation > AMDGPU_VA_OP_REPLACE)
		return -EINVAL;
	if (args->flags & AMDGPU_VM_DELAY_UPDATE && args->vm_timeline_syncobj_out)
		return -EINVAL;
	return 0;
}

static u32 vdrm_va_access(u32 flags)
{
	return (flags & AMDGPU_VM_PAGE_READABLE ? GPU_R : 0) |
	       (flags & AMDGPU_VM_PAGE_WRITEABLE ? GPU_W : 0) |
	       (flags & AMDGPU_VM_PAGE_EXECUTABLE ? GPU_X : 0);
}

/* Waits for what the syncobjs hold now; one that holds nothing is an error. */
static int vdrm_va_wait(struct drm_file *file, const struct drm_amdgpu_gem_va *args)
{
	u32 i, n = args->num_syncobj_handles, *handles;
	struct dma_fence *fence;
	int ret = 0;

	if (!n)
		return 0;
	if (n > VDRM_MAX_VA_FENCES)
		return -ENOMEM;
	handles = gpu_copy_array(args->input_fence_syncobj_handles, n, sizeof(*handles));
	if (IS_ERR(handles))
		return PTR_ERR(handles);
	for (i = 0; i < n && !ret; i++) {
		ret = handles[i] ? drm_syncobj_find_fence(file, handles[i], 0, 0, &fence) : -EINVAL;
		if (ret)
			break;
		ret = dma_fence_wait(fence, true);
		dma_fence_put(fence);
	}
	kvfree(handles);
	return ret;
}

/**
 * struct vdrm_va_post - who is told that an update is done
 * @syncobj: with a reference, or NULL
 * @chain: a node for its timeline, or NULL
 */
struct vdrm_va_post {
	struct drm_syncobj *syncobj;
	struct dma_fence_chain *chain;
};

static int vdrm_va_post_get(struct vdrm_va_post *post, struct drm_file *file,
			    const struct drm_amdgpu_gem_va *args)
{
	*post = (struct vdrm_va_post){ };
	if (!args->vm_timeline_syncobj_out)
		return 0;
	post->syncobj = drm_syncobj_find(file, args->vm_timeline_syncobj_out);
	if (!post->syncobj)
		return -ENOENT;
	if (!args->vm_timeline_point)
		return 0;
	post->chain = vdrm_chain_alloc();
	return post->chain ? 0 : -ENOMEM;
}

static void vdrm_va_post_signal(struct vdrm_va_post *post, u64 point)
{
	struct dma_fence *done;

	if (!post->syncobj)
		return;
	done = dma_fence_get_stub();
	if (post->chain)
		drm_syncobj_add_point(post->syncobj, post->chain, done, point);
	else
		drm_syncobj_replace_fence(post->syncobj, done);
	post->chain = NULL;
	dma_fence_put(done);
}

static void vdrm_va_post_put(struct vdrm_va_post *post)
{
	dma_fence_chain_free(post->chain);
	if (post->syncobj)
		drm_syncobj_put(post->syncobj);
}

static int vdrm_va_map(struct gpu_vm *vm, struct gpu_bo *bo, const struct drm_amdgpu_gem_va *args)
{
	u32 access = vdrm_va_access(args->flags);

	if (bo->kind == GPU_BO_USERPTR) {
		/* One that somebody else has shared by its name. */
		if (bo->userptr.process->mm != current->mm)
			return -EPERM;
		if (bo->userptr.read_only)
			access &= ~GPU_W;
	}
	return gpu_vm_map_gem(vm, bo, args->va_address, args->offset_in_bo, args->map_size,
			      access, args->operation == AMDGPU_VA_OP_REPLACE);
}

/*
 * The file's last handle of @bo may have been closed since it was looked up. Then vdrm_bo_close()
 * may have come before the mapping, and has not ended it.
 */
static int vdrm_va_map_open(struct vdrm_file *vf, struct gpu_bo *bo,
			    const struct drm_amdgpu_gem_va *args)
{
	int ret;

	vkfd_race_point("GEM_VA: object found, not yet mapped");
	ret = vdrm_va_map(vf->vm, bo, args);
	if (ret || xa_load(&vf->handles, (unsigned long)bo))
		return ret;
	gpu_vm_unmap_gem(vf->vm, bo);
	return -ENOENT;
}

/* @obj: NULL if the operation is about none. */
static int vdrm_va_change(struct vdrm_file *vf, struct drm_gem_object *obj,
			  const struct drm_amdgpu_gem_va *args)
{
	int ret = 0;

	/* As in the real driver, jobs submitted before find the mappings that there were. */
	if (args->operation != AMDGPU_VA_OP_MAP)
		ret = vdrm_jobs_idle(vf);
	if (ret)
		return ret;
	if (args->operation == AMDGPU_VA_OP_CLEAR)
		return gpu_vm_clear(vf->vm, args->va_address, args->map_size);
	if (args->operation == AMDGPU_VA_OP_UNMAP)
		return gpu_vm_unmap(vf->vm, to_gpu_bo(obj), args->va_address) ? -ENOENT : 0;
	return vdrm_va_map_open(vf, to_gpu_bo(obj), args);
}

int vdrm_ioctl_gem_va(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct drm_amdgpu_gem_va *args = data;
	struct drm_gem_object *obj = NULL;
	struct vdrm_va_post post;
	int ret = vdrm_va_check(args);

	if (ret)
		return ret;
	if (args->operation != AMDGPU_VA_OP_CLEAR) {
		if (args->flags & AMDGPU_VM_PAGE_PRT)
			return -EOPNOTSUPP;
		obj = drm_gem_object_lookup(file, args->handle);
		if (!obj)
			return -ENOENT;
	}
	ret = vdrm_va_wait(file, args);
	if (ret)
		goto out_obj;
	ret = vdrm_va_post_get(&post, file, args);
	if (!ret)
		ret = vdrm_va_change(file->driver_priv, obj, args);
	if (!ret)
		vdrm_va_post_signal(&post, args->vm_timeline_point);
	vdrm_va_post_put(&post);
out_obj:
	if (obj)
		drm_gem_object_put(obj);
	return ret;
}

/* -------------------------------------------------------------------- VMID */

/*
 * On hardware, a reserved VMID spares a file the flush of its TLB by others. There is one to be
 * reserved, for one file. Our address spaces need no numbers, so all that is left is who has it.
 */
int vdrm_ioctl_vm(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vdrm_device *vdev = container_of(drm, struct vdrm_device, drm);
	struct vdrm_file *vf = file->driver_priv, *owner;
	const union drm_amdgpu_vm *args = data;

	if (args->in.flags)
		return -EINVAL;
	switch (args->in.op) {
	case AMDGPU_VM_OP_RESERVE_VMID:
		owner = cmpxchg(&vdev->vmid_of, NULL, vf);
		return owner && owner != vf ? -ENOENT : 0;
	case AMDGPU_VM_OP_UNRESERVE_VMID:
		vdrm_vmid_put(vdev, vf);
		return 0;
	default:
		return -EINVAL;
	}
}

void vdrm_vmid_put(struct vdrm_device *vdev, struct vdrm_file *vf)
{
	/* Only if it is this file's. */
	cmpxchg(&vdev->vmid_of, vf, NULL);
}

/* ----------------------------------------------------------------- handles */

/*
 * When the last handle of an object in a file is closed, the file's mappings of it end.
 * A file may have several handles of an object (GEM_OPEN by name), so count them.
 */
int vdrm_bo_open(struct gpu_bo *bo, struct drm_file *file)
{
	struct vdrm_file *vf = file->driver_priv;
	unsigned long key = (unsigned long)bo, n;
	int ret;

	mutex_lock(&vf->lock);
	n = xa_to_value(xa_load(&vf->handles, key) ?: xa_mk_value(0));
	ret = xa_err(xa_store(&vf->handles, key, xa_mk_value(n + 1), GFP_KERNEL_ACCOUNT));
	mutex_unlock(&vf->lock);
	return ret;
}

void vdrm_bo_close(struct gpu_bo *bo, struct drm_file *file)
{
	struct vdrm_file *vf = file->driver_priv;
	unsigned long key = (unsigned long)bo, n;

	mutex_lock(&vf->lock);
	n = xa_to_value(xa_load(&vf->handles, key)) - 1;
	if (n)
		xa_store(&vf->handles, key, xa_mk_value(n), GFP_KERNEL_ACCOUNT);
	else
		xa_erase(&vf->handles, key);
	mutex_unlock(&vf->lock);
	if (n)
		return;
	if (bo->own_doorbells)
		gpu_doorbells_drop_vm(bo->doorbells, vf->vm);
	/* Jobs may use it. If the process is being killed, their fault is nobody's loss. */
	vdrm_jobs_idle(vf);
	gpu_vm_unmap_gem(vf->vm, bo);
}
