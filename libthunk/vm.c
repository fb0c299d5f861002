// SPDX-License-Identifier: MIT
/*
 * The process's address space on each GPU: acquiring it, its apertures, and the pages of
 * /dev/kfd that are put into it (doorbells, flush registers).
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "object.h"
#include "va.h"

#define DOORBELL_BYTES	8192u		/* per process and GPU since GFX9 */

/* A page or more of /dev/kfd as an object of the GPU. */
static int map_special(struct thunk_gpu *gpu, uint64_t size, uint32_t ioc, uint64_t offset,
		       void **addr)
{
	struct mem_object *o = obj_new();
	int err = -ENOMEM;
	void *p;

	if (!o)
		return -ENOMEM;
	p = va_reserve(size, size, 0);
	if (!p)
		goto err_obj;
	o->type = HSA_POINTER_ALLOCATED;
	o->va = o->cpu = (uintptr_t)p;
	o->size = o->cpu_size = size;
	o->reserved = p;
	o->reserved_size = size;
	o->node = gpu->node;
	err = mem_ioctl_alloc(o, gpu, ioc | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE |
			      KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE |
			      KFD_IOC_ALLOC_MEM_FLAGS_COHERENT, &offset);
	if (err)
		goto err_va;
	err = obj_insert(o);
	if (err)
		goto err_va;
	if (mmap(p, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, thunk.kfd_fd,
		 offset) == MAP_FAILED) {
		err = -errno;
		mem_free_object(o);
		return err;
	}
	/* waves may use it too where the kernel lets them; the CPU does not depend on it */
	mem_map_object(o, &gpu->gpu_id, 1);
	*addr = p;
	return 0;

err_va:
	va_release(p, size);
err_obj:
	obj_free(o);
	return err;
}

/* The process's doorbells on a GPU; @cookie as CREATE_QUEUE gave it. */
int thunk_mem_doorbells(struct thunk_gpu *gpu, uint64_t cookie, void **addr)
{
	int err = 0;

	pthread_mutex_lock(&thunk.mem_lock);
	if (!gpu->doorbells)
		err = map_special(gpu, DOORBELL_BYTES, KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL,
				  align_down(cookie, DOORBELL_BYTES), &gpu->doorbells);
	if (!err)
		*addr = (char *)gpu->doorbells + (cookie & (DOORBELL_BYTES - 1));
	pthread_mutex_unlock(&thunk.mem_lock);
	return err;
}

/* One GPU's VM: the kernel takes the first DRM file for good, so a second time is no harm. */
static int acquire_vm(struct thunk_gpu *gpu)
{
	struct kfd_ioctl_acquire_vm_args vm = {
		.drm_fd = gpu->drm_fd,
		.gpu_id = gpu->gpu_id,
	};
	struct kfd_ioctl_set_memory_policy_args policy = {
		.alternate_aperture_base = 0x200000,
		.alternate_aperture_size = 0x7fffffe00000,
		.gpu_id = gpu->gpu_id,
		.default_policy = KFD_IOC_CACHE_POLICY_NONCOHERENT,
		.alternate_policy = KFD_IOC_CACHE_POLICY_COHERENT,
	};
	int err;

	err = thunk_ioctl(AMDKFD_IOC_ACQUIRE_VM, &vm);
	if (!err)
		err = thunk_ioctl(AMDKFD_IOC_SET_MEMORY_POLICY, &policy);
	if (err)
		return err;
	gpu->vm_acquired = true;
	if (!gpu->mmio)
		map_special(gpu, THUNK_PAGE, KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP, 0, &gpu->mmio);
	return 0;
}

static int read_apertures(void)
{
	struct kfd_ioctl_get_process_apertures_new_args args = { 0 };
	struct kfd_process_device_apertures *ap;
	int err = thunk_ioctl(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &args);

	if (err || !args.num_of_nodes)
		return err;
	ap = calloc(args.num_of_nodes, sizeof(*ap));
	if (!ap)
		return -ENOMEM;
	args.kfd_process_device_apertures_ptr = (uintptr_t)ap;
	err = thunk_ioctl(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &args);
	for (uint32_t i = 0; !err && i < args.num_of_nodes; i++) {
		struct thunk_gpu *gpu = thunk_gpu_by_id(ap[i].gpu_id);

		if (gpu)
			gpu->aperture = ap[i];
	}
	free(ap);
	return err;
}

/* Called with thunk.lock held; does nothing for GPUs that are ready. */
int thunk_memory_init(void)
{
	int err = 0;
	bool ready = true;

	for (unsigned int i = 0; i < thunk.nr_gpus; i++)
		ready = ready && thunk.gpus[i].vm_acquired;
	if (ready)
		return 0;
	pthread_mutex_lock(&thunk.mem_lock);
	err = read_apertures();
	for (unsigned int i = 0; i < thunk.nr_gpus && !err; i++)
		if (!thunk.gpus[i].vm_acquired)
			err = acquire_vm(&thunk.gpus[i]);
	pthread_mutex_unlock(&thunk.mem_lock);
	return err;
}
