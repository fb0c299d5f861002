// SPDX-License-Identifier: MIT
/*
 * Scratch: an address range of a GPU, reserved at once, into which VRAM is put piece by piece by
 * the mapping call and from which it is taken by unmapping.
 */
#include <errno.h>

#include "object.h"
#include "va.h"

#define SCRATCH_ALIGN	(64ul << 10)

HSAKMT_STATUS mem_alloc_scratch(struct thunk_gpu *gpu, uint64_t size, void **addr)
{
	struct kfd_ioctl_set_scratch_backing_va_args args = { .gpu_id = gpu->gpu_id };
	HSAKMT_STATUS status = HSAKMT_STATUS_NO_MEMORY;
	void *p;

	size = align_up(size, SCRATCH_ALIGN);
	pthread_mutex_lock(&thunk.mem_lock);
	if (gpu->scratch)
		goto out;
	p = va_reserve(size, SCRATCH_ALIGN, 0);
	if (!p)
		goto out;
	args.va_addr = (uintptr_t)p >> 16;
	if (thunk_ioctl(AMDKFD_IOC_SET_SCRATCH_BACKING_VA, &args)) {
		va_release(p, size);
		goto out;
	}
	gpu->scratch = p;
	gpu->scratch_size = size;
	*addr = p;
	status = HSAKMT_STATUS_SUCCESS;
out:
	pthread_mutex_unlock(&thunk.mem_lock);
	return status;
}

struct thunk_gpu *mem_scratch_owner(const void *addr)
{
	for (unsigned int i = 0; i < thunk.nr_gpus; i++) {
		struct thunk_gpu *g = &thunk.gpus[i];

		if (g->scratch && (uintptr_t)addr - (uintptr_t)g->scratch < g->scratch_size)
			return g;
	}
	return NULL;
}

int mem_map_scratch(struct thunk_gpu *gpu, void *addr, uint64_t size)
{
	uint64_t off = (uintptr_t)addr - (uintptr_t)gpu->scratch;
	struct mem_object *o;
	uint64_t unused = 0;
	int err;

	size = align_up(size, THUNK_PAGE);
	if (!size || off % THUNK_PAGE || size > gpu->scratch_size - off ||
	    obj_overlaps((uintptr_t)addr, size))
		return -EINVAL;
	o = obj_new();
	if (!o)
		return -ENOMEM;
	o->type = HSA_POINTER_ALLOCATED;
	o->scratch = true;
	o->va = o->cpu = (uintptr_t)addr;
	o->size = o->cpu_size = size;
	o->node = gpu->node;
	o->flags.ui32.CoarseGrain = 1;
	err = mem_ioctl_alloc(o, gpu, mem_ioc_flags(o->flags) | KFD_IOC_ALLOC_MEM_FLAGS_VRAM,
			      &unused);
	if (!err) {
		err = obj_insert(o);
		if (!err)
			err = mem_map_object(o, &gpu->gpu_id, 1);
		if (err)
			mem_free_object(o);
		return err;
	}
	obj_free(o);
	return err;
}

int mem_free_scratch(struct thunk_gpu *gpu)
{
	struct mem_object *o;
	int err = 0;

	while (!err && (o = obj_first_in((uintptr_t)gpu->scratch, gpu->scratch_size)))
		err = mem_free_object(o);
	if (err)
		return err;
	va_release(gpu->scratch, gpu->scratch_size);
	gpu->scratch = NULL;
	gpu->scratch_size = 0;
	return 0;
}
