// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers of a process: allocate, free, map into and unmap from the VMs of its
 * devices.
 *
 * A handle is gpu_id << 32 | n, where n counts from 0 in the device's table. The
 * caller chooses the GPU address at allocation; the address takes effect when the
 * buffer is mapped. A buffer may be mapped on any device of the process, because
 * VRAM is only pages here. Each device's VM has it at the same address. A buffer
 * lives until FREE, or until its process ends.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "gpu/backend.h"
#include "gpu/bo.h"
#include "gpu/doorbell.h"
#include "gpu/vm.h"
#include "gpu/vram.h"
#include "../../uapi/drm/amdgpu_drm.h"
#include "kfd.h"

/* Limit on devices in one MAP or UNMAP call, which may name a device more than once. */
#define MAX_MAP_DEVICES		1024

/* Granularity of AVAILABLE_MEMORY's answer. */
#define AVAILABLE_ALIGN_BYTES	(2ull << 20)

#define FLAG(name)	KFD_IOC_ALLOC_MEM_FLAGS_##name

static u64 vkfd_handle(u32 gpu_id, int id)
{
	return (u64)gpu_id << 32 | (u32)id;
}

struct vkfd_mem *vkfd_mem_find(struct vkfd_pdd *pdd, u64 handle)
{
	lockdep_assert_held(&pdd->process->base.lock);
	return idr_find(&pdd->handles, lower_32_bits(handle));
}

int vkfd_ioctl_get_available_memory(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_get_available_memory_args *args = data;
	struct vkfd_pdd *pdd = vkfd_process_pdd(p, args->gpu_id);
	struct gpu_device *gdev;
	u64 align;

	if (!pdd)
		return -EINVAL;
	gdev = pdd->base.gdev;
	align = gpu_target_is_apu(gdev->target) ? PAGE_SIZE : AVAILABLE_ALIGN_BYTES;
	/* What KFD may allocate; shared memory and others' objects leave if need be. */
	args->available = ALIGN_DOWN(gpu_vram_for_kfd(gdev), align);
	return 0;
}

/* ------------------------------------------------------------------- alloc */

/* Doorbell and MMIO pages come in one size only. */
static int vkfd_check_special_size(u32 flags, u64 size)
{
	if (flags & FLAG(DOORBELL))
		return size == GPU_DOORBELL_BYTES ? 0 : -EINVAL;
	if (flags & FLAG(MMIO_REMAP))
		return size == PAGE_SIZE ? 0 : -EINVAL;
	return 0;
}

/* The first domain bit in this order decides, as in the real driver. */
static struct gpu_bo *vkfd_bo_create(struct vkfd_pdd *pdd, u32 flags, u64 va, u64 bytes,
				     u64 user_addr, u32 look)
{
	struct gpu_device *gdev = pdd->base.gdev;
	struct gpu_bo *bo;

	if (flags & FLAG(VRAM)) {
		bo = gpu_bo_create_vram(gdev, bytes, flags, va, GPU_VRAM_KFD);
		if (!IS_ERR(bo))
			bo->gem_flags = AMDGPU_GEM_CREATE_VRAM_WIPE_ON_RELEASE |
				(flags & FLAG(PUBLIC) ? AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED : 0);
		return bo;
	}
	if (flags & FLAG(GTT))
		return gpu_bo_create(gdev, GPU_BO_GTT, bytes, flags, va);
	if (flags & FLAG(USERPTR)) {
		if (!user_addr)
			return ERR_PTR(-EINVAL);
		return gpu_bo_create_userptr(gdev, &pdd->process->base,
					     untagged_addr(user_addr), bytes, flags, va,
					     look);
	}
	if (flags & FLAG(DOORBELL))
		return gpu_bo_create_doorbell(gdev, pdd->base.doorbells, flags, va);
	if (flags & FLAG(MMIO_REMAP)) {
		gpu_bo_get(pdd->mmio);
		return pdd->mmio;
	}
	return ERR_PTR(-EINVAL);
}

static void vkfd_mem_destroy(struct vkfd_pdd *pdd, struct vkfd_mem *mem)
{
	lockdep_assert_held(&pdd->process->base.lock);
	if (mem->allowed)
		gpu_backend_bo_revoke(mem->bo, pdd->base.drm_file);
	if (mem->bo->kind == GPU_BO_VRAM && !mem->imported)
		WRITE_ONCE(pdd->vram_bytes, pdd->vram_bytes - mem->bo->base.size);
	gpu_bo_put(mem->bo);
	kfree(mem);
}

/* @look: as for gpu_bo_create_userptr() */
static struct vkfd_mem *vkfd_mem_create(struct vkfd_pdd *pdd, u32 flags, u64 va, u64 size,
					u64 user_addr, u32 look)
{
	bool double_map = flags & FLAG(AQL_QUEUE_MEM);
	struct vkfd_mem *mem;
	int ret;

	lockdep_assert_held(&pdd->process->base.lock);
	if (size > VKFD_MAX_BO_BYTES)
		return ERR_PTR(-ENOMEM);
	mem = kzalloc(sizeof(*mem), GFP_KERNEL_ACCOUNT);
	if (!mem)
		return ERR_PTR(-ENOMEM);
	mem->va = va;
	mem->flags = flags;
	mem->double_map = double_map;
		/* @size counts both appearances of the pages, memory is needed for one. */
	mem->bo = vkfd_bo_create(pdd, flags, va, PAGE_ALIGN(double_map ? size >> 1 : size),
				 user_addr, look);
	if (IS_ERR(mem->bo)) {
		ret = PTR_ERR(mem->bo);
		kfree(mem);
		return ERR_PTR(ret);
	}
	if (mem->bo->kind == GPU_BO_VRAM)
		WRITE_ONCE(pdd->vram_bytes, pdd->vram_bytes + mem->bo->base.size);

	if (mem->bo->kind == GPU_BO_VRAM || mem->bo->kind == GPU_BO_GTT) {
		ret = gpu_backend_bo_allow(mem->bo, pdd->base.drm_file);
		if (ret) {
			vkfd_mem_destroy(pdd, mem);
			return ERR_PTR(ret);
		}
		mem->allowed = true;
		/* An offset of 0 would look like success, but there is nothing to mmap. */
		if (!gpu_bo_mmap_offset(mem->bo)) {
			vkfd_mem_destroy(pdd, mem);
			return ERR_PTR(-ENOMEM);
		}
	}
	return mem;
}

/* The offset at which user space mmaps it: on the render node, for MMIO on /dev/kfd. */
u64 vkfd_mem_mmap_offset(const struct vkfd_mem *mem, u32 gpu_id, u64 given)
{
	if (mem->flags & FLAG(MMIO_REMAP))
		return KFD_MMAP_TYPE_MMIO | KFD_MMAP_GPU_ID(gpu_id);
	return mem->allowed ? gpu_bo_mmap_offset(mem->bo) : given;
}

/* Gives @mem a handle from @first to @end - 1; destroys @mem on failure. */
static int vkfd_mem_publish_at(struct vkfd_pdd *pdd, struct vkfd_mem *mem, int first, int end,
			       u64 *handle)
{
	int id;

	lockdep_assert_held(&pdd->process->base.lock);
	id = idr_alloc(&pdd->handles, mem, first, end, GFP_KERNEL_ACCOUNT);
	if (id < 0) {
		vkfd_mem_destroy(pdd, mem);
		return -ENOMEM;
	}
	pdd->num_handles++;
	*handle = vkfd_handle(pdd->user_gpu_id, id);
	return 0;
}

int vkfd_mem_publish(struct vkfd_pdd *pdd, struct vkfd_mem *mem, u64 *handle)
{
	return vkfd_mem_publish_at(pdd, mem, 0, VKFD_MAX_HANDLES, handle);
}

/* User memory need not be there yet. */
struct vkfd_mem *vkfd_mem_restore(struct vkfd_process *p, struct vkfd_pdd *pdd,
				  const struct vkfd_mem_want *want)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args args = {
		.va_addr = want->va,
		.mmap_offset = want->user_addr,
		.flags = want->flags,
	};
	struct vkfd_mem *mem;
	u64 handle;
	int ret;

	lockdep_assert_held(&p->base.lock);
	if (!want->bytes || offset_in_page(want->bytes) || want->id >= VKFD_MAX_HANDLES)
		return ERR_PTR(-EINVAL);
	if (want->bytes > VKFD_MAX_BO_BYTES)
		return ERR_PTR(-ENOMEM);
	ret = vkfd_check_special_size(want->flags, want->bytes);
	if (ret)
		return ERR_PTR(ret);
	args.size = want->flags & FLAG(AQL_QUEUE_MEM) ? want->bytes << 1 : want->bytes;
	if (vkfd_svm_conflicts(p, &args))
		return ERR_PTR(-EADDRINUSE);
	mem = vkfd_mem_create(pdd, args.flags, args.va_addr, args.size, args.mmap_offset, 0);
	if (IS_ERR(mem))
		return mem;
	ret = vkfd_mem_publish_at(pdd, mem, want->id, want->id + 1, &handle);
	return ret ? ERR_PTR(ret) : mem;
}

static int vkfd_alloc_locked(struct vkfd_process *p,
			     struct kfd_ioctl_alloc_memory_of_gpu_args *args)
{
	struct vkfd_pdd *pdd = vkfd_process_bound_pdd(p, args->gpu_id);
	struct vkfd_mem *mem;
	int ret;

	lockdep_assert_held(&p->base.lock);
	if (IS_ERR(pdd))
		return PTR_ERR(pdd);
	ret = vkfd_check_special_size(args->flags, args->size);
	if (ret)
		return ret;

	mem = vkfd_mem_create(pdd, args->flags, args->va_addr, args->size, args->mmap_offset,
			      GPU_LOOK_THERE);
	if (IS_ERR(mem))
		return PTR_ERR(mem);
	ret = vkfd_mem_publish(pdd, mem, &args->handle);
	if (ret)
		return ret;
	args->mmap_offset = vkfd_mem_mmap_offset(mem, pdd->base.gdev->gpu_id,
						 args->mmap_offset);
	return 0;
}

/*
 * Others leave before the lock is taken, as their jobs may have to end first. It is not for this to
 * say what is wrong, or whether somebody was faster: only a signal is an error.
 */
int vkfd_mem_room(struct vkfd_process *p, const struct kfd_ioctl_alloc_memory_of_gpu_args *args)
{
	struct gpu_vram_want want = { .who = GPU_VRAM_KFD_FIRST };
	struct vkfd_pdd *pdd;
	struct gpu_device *gdev;
	int ret = 0;

	if (!(args->flags & FLAG(VRAM)) || args->size > VKFD_MAX_BO_BYTES)
		return 0;
	want.bytes = PAGE_ALIGN(args->flags & FLAG(AQL_QUEUE_MEM) ? args->size >> 1 : args->size);
	mutex_lock(&p->base.lock);
	pdd = vkfd_process_bound_pdd(p, args->gpu_id);
	if (IS_ERR(pdd)) {
		mutex_unlock(&p->base.lock);
		return 0;
	}
	gdev = pdd->base.gdev;
	gpu_device_get(gdev);
	mutex_unlock(&p->base.lock);
	if (want.bytes <= gpu_vram_for_kfd(gdev))
		ret = gpu_vram_make_room(gdev, &want);
	gpu_device_put(gdev);
	return ret == -ENOMEM ? 0 : ret;
}

int vkfd_ioctl_alloc_memory_of_gpu(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args *args = data;
	int ret;

	if (!args->size)
		return -EINVAL;
	if (p->primary && args->flags & FLAG(USERPTR))
		return -EOPNOTSUPP;
	ret = vkfd_mem_room(p, args);
	if (ret)
		return ret;
	mutex_lock(&p->base.lock);
	ret = vkfd_svm_conflicts(p, args) ? -EADDRINUSE : vkfd_alloc_locked(p, args);
	mutex_unlock(&p->base.lock);
	return ret;
}

/* -------------------------------------------------------------------- free */

static int vkfd_free_locked(struct vkfd_process *p, u64 handle)
{
	struct vkfd_pdd *pdd;
	struct vkfd_mem *mem;

	lockdep_assert_held(&p->base.lock);
	/* The GPU's interrupts use the event page until the process ends. */
	if (p->events.bo && p->events.handle == handle)
		return -EPERM;
	pdd = vkfd_process_pdd(p, upper_32_bits(handle));
	if (!pdd)
		return -EINVAL;
	mem = vkfd_mem_find(pdd, handle);
	if (!mem)
		return -EINVAL;
	if (!bitmap_empty(mem->mapped, VKFD_MAX_GPUS))
		return -EBUSY;

	idr_remove(&pdd->handles, lower_32_bits(handle));
	pdd->num_handles--;
	vkfd_mem_destroy(pdd, mem);
	return 0;
}

int vkfd_ioctl_free_memory_of_gpu(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_free_memory_of_gpu_args *args = data;
	int ret;

	mutex_lock(&p->base.lock);
	ret = vkfd_free_locked(p, args->handle);
	mutex_unlock(&p->base.lock);
	return ret;
}

/* --------------------------------------------------------------- map, unmap */

int vkfd_mem_map(struct vkfd_mem *mem, struct vkfd_pdd *pdd)
{
	const struct gpu_vram_want want = { .who = GPU_VRAM_RESTORE };
	u64 bytes = mem->bo->base.size;
	u32 access = GPU_R;
	int ret;

	lockdep_assert_held(&pdd->process->base.lock);
	if (test_bit(pdd->index, mem->mapped))
		return 0;
	if (!mem->va)
		return -EINVAL;
	if (mem->flags & FLAG(WRITABLE))
		access |= GPU_W;
	if (mem->flags & FLAG(EXECUTABLE))
		access |= GPU_X;
	/* If there is no room, GPUs reach it where it is. */
	if (mem->bo->kind == GPU_BO_VRAM)
		gpu_bo_bring(mem->bo, &want);

	ret = gpu_vm_map(pdd->base.vm, mem->bo, mem->va, 0, bytes, access);
	if (ret)
		return ret;
	if (mem->double_map) {
		ret = gpu_vm_map(pdd->base.vm, mem->bo, mem->va + bytes, 0, bytes, access);
		if (ret) {
			gpu_vm_unmap_range(pdd->base.vm, mem->bo, mem->va, bytes);
			return ret;
		}
	}
	__set_bit(pdd->index, mem->mapped);
	vkfd_count(maps);
	return 0;
}

static int vkfd_mem_unmap(struct vkfd_mem *mem, struct vkfd_pdd *pdd)
{
	lockdep_assert_held(&pdd->process->base.lock);
	if (!test_bit(pdd->index, mem->mapped))
		return -EINVAL;
	gpu_vm_unmap_range(pdd->base.vm, mem->bo, mem->va,
			   mem->bo->base.size << mem->double_map);
	__clear_bit(pdd->index, mem->mapped);
	vkfd_count(unmaps);
	return 0;
}

/* A buffer that a queue has pinned (ring, save area, ...) stays mapped with the queue. */
static int vkfd_mem_unmap_unused(struct vkfd_mem *mem, struct vkfd_pdd *pdd)
{
	lockdep_assert_held(&pdd->process->base.lock);
	if (test_bit(pdd->index, mem->mapped) && gpu_vm_pinned(pdd->base.vm, mem->va))
		return -EBUSY;
	return vkfd_mem_unmap(mem, pdd);
}

/* MAP and UNMAP have the same arguments and differ only in what they do per device. */
static_assert(sizeof(struct kfd_ioctl_map_memory_to_gpu_args) ==
	      sizeof(struct kfd_ioctl_unmap_memory_from_gpu_args));
static_assert(offsetof(struct kfd_ioctl_map_memory_to_gpu_args, n_success) ==
	      offsetof(struct kfd_ioctl_unmap_memory_from_gpu_args, n_success));

typedef int (*vkfd_mem_fn)(struct vkfd_mem *mem, struct vkfd_pdd *pdd);

static int vkfd_for_devices_locked(struct vkfd_process *p, const u32 *ids,
				   struct kfd_ioctl_map_memory_to_gpu_args *args,
				   vkfd_mem_fn fn)
{
	struct vkfd_pdd *pdd, *peer;
	struct vkfd_mem *mem;
	u32 i;
	int ret;

	lockdep_assert_held(&p->base.lock);
	pdd = vkfd_process_bound_pdd(p, upper_32_bits(args->handle));
	if (IS_ERR(pdd))
		return PTR_ERR(pdd);
	mem = vkfd_mem_find(pdd, args->handle);
	if (!mem)
		return -ENOMEM;

	/* A restarted call continues at n_success. */
	for (i = args->n_success; i < args->n_devices; i++) {
		peer = vkfd_process_bound_pdd(p, ids[i]);
		if (IS_ERR(peer))
			return PTR_ERR(peer);
		ret = fn(mem, peer);
		if (ret)
			return ret;
		args->n_success = i + 1;
	}
	return 0;
}

static int vkfd_for_devices(struct vkfd_process *p, void *data, vkfd_mem_fn fn)
{
	struct kfd_ioctl_map_memory_to_gpu_args *args = data;
	u32 *ids;
	int ret;

	if (!args->n_devices || args->n_success > args->n_devices)
		return -EINVAL;
	if (args->n_devices > MAX_MAP_DEVICES)
		return -ENOMEM;
	ids = memdup_user(u64_to_user_ptr(args->device_ids_array_ptr),
			  args->n_devices * sizeof(*ids));
	if (IS_ERR(ids))
		return PTR_ERR(ids);

	mutex_lock(&p->base.lock);
	ret = vkfd_for_devices_locked(p, ids, args, fn);
	mutex_unlock(&p->base.lock);
	kfree(ids);
	return ret;
}

int vkfd_ioctl_map_memory_to_gpu(struct vkfd_process *p, void *data)
{
	return vkfd_for_devices(p, data, vkfd_mem_map);
}

int vkfd_ioctl_unmap_memory_from_gpu(struct vkfd_process *p, void *data)
{
	return vkfd_for_devices(p, data, vkfd_mem_unmap_unused);
}

/* ------------------------------------------------------------------ the end */

void vkfd_mem_forget(struct vkfd_process *p, struct vkfd_pdd *pdd, u32 id)
{
	struct vkfd_mem *mem = idr_find(&pdd->handles, id);
	unsigned int i;

	lockdep_assert_held(&p->base.lock);
	if (!mem)
		return;
	for_each_set_bit(i, mem->mapped, p->num_pdds)
		vkfd_mem_unmap(mem, p->pdds[i]);
	idr_remove(&pdd->handles, id);
	pdd->num_handles--;
	vkfd_mem_destroy(pdd, mem);
}

static void vkfd_pdd_free_handles(struct vkfd_process *p, struct vkfd_pdd *pdd)
{
	struct vkfd_mem *mem;
	int id;

	lockdep_assert_held(&p->base.lock);
	idr_for_each_entry(&pdd->handles, mem, id) {
		vkfd_mem_forget(p, pdd, id);
		cond_resched();
	}
}

void vkfd_memory_teardown(struct vkfd_process *p)
{
	unsigned int i;

	mutex_lock(&p->base.lock);
	for (i = 0; i < p->num_pdds; i++)
		vkfd_pdd_free_handles(p, p->pdds[i]);
	mutex_unlock(&p->base.lock);
}

/* Called under mmap_lock. The page belongs to this process only, so it leaks nothing. */
int vkfd_mmio_mmap(struct vkfd_pdd *pdd, struct vm_area_struct *vma)
{
	if (vma->vm_end - vma->vm_start != PAGE_SIZE)
		return -EINVAL;
	return gpu_bo_mmap(pdd->mmio, vma);
}
