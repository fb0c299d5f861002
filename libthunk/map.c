// SPDX-License-Identifier: MIT
/*
 * Mapping memory to GPUs, and taking it from them.
 */
#include <errno.h>

#include "object.h"

static int map_ioctl(struct mem_object *o, const uint32_t *ids, uint32_t n)
{
	struct kfd_ioctl_map_memory_to_gpu_args args = {
		.handle = o->handle,
		.device_ids_array_ptr = (uintptr_t)ids,
		.n_devices = n,
	};

	return thunk_ioctl(AMDKFD_IOC_MAP_MEMORY_TO_GPU, &args);
}

static int unmap_ioctl(struct mem_object *o, const uint32_t *ids, uint32_t n)
{
	struct kfd_ioctl_unmap_memory_from_gpu_args args = {
		.handle = o->handle,
		.device_ids_array_ptr = (uintptr_t)ids,
		.n_devices = n,
	};

	return thunk_ioctl(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &args);
}

/* Map to those of @gpu_ids that do not have it yet. */
int mem_map_object(struct mem_object *o, const uint32_t *gpu_ids, uint32_t n)
{
	int err = 0, fresh = 0;

	if (!o->has_handle)
		return o->type == HSA_POINTER_RESERVED_ADDR ? -EINVAL : 0;
	for (uint32_t i = 0; i < n && !err; i++) {
		if (ids_have(&o->mapped, gpu_ids[i]))
			continue;
		err = map_ioctl(o, &gpu_ids[i], 1);
		if (!err)
			err = ids_add(&o->mapped, gpu_ids[i]);
		fresh++;
	}
	if (err)
		return err;
	if (!o->map_count || !fresh)
		o->map_count++;
	return 0;
}

int mem_unmap_object(struct mem_object *o)
{
	int err;

	if (!o->mapped.n)
		return 0;
	if (o->map_count > 1) {
		o->map_count--;
		return 0;
	}
	err = unmap_ioctl(o, o->mapped.v, o->mapped.n);
	if (err)
		return err;
	o->mapped.n = 0;
	o->map_count = 0;
	return 0;
}

int mem_nodes_to_ids(const uint32_t *nodes, uint64_t n, uint32_t *ids)
{
	struct thunk_gpu *gpu;

	for (uint64_t i = 0; i < n; i++) {
		if (thunk_gpu_by_node(nodes[i], &gpu) || !gpu)
			return -EINVAL;
		ids[i] = gpu->gpu_id;
	}
	return 0;
}

/* Where memory goes that was not told where: VRAM to its GPU, system memory to all. */
static int map_default(struct mem_object *o)
{
	uint32_t ids[THUNK_MAX_GPUS], n = 0;
	bool vram = o->type == HSA_POINTER_ALLOCATED && thunk_gpu_by_id(o->gpu_id) &&
		    thunk_gpu_by_id(o->gpu_id)->node == o->node;

	if (o->registered.n)
		return mem_map_object(o, o->registered.v, o->registered.n);
	if (vram || o->type == HSA_POINTER_REGISTERED_GRAPHICS)
		return mem_map_object(o, &o->gpu_id, 1);
	for (unsigned int i = 0; i < thunk.nr_gpus; i++)
		if (thunk.gpus[i].vm_acquired)
			ids[n++] = thunk.gpus[i].gpu_id;
	return mem_map_object(o, ids, n);
}

static uint64_t gpu_address(const struct mem_object *o, const void *addr)
{
	uint64_t a = (uintptr_t)addr;

	/* va is the page of cpu */
	return a - o->cpu < o->cpu_size ? o->va + o->cpu % THUNK_PAGE + (a - o->cpu) : a;
}

/* Take the mapping from the GPUs that are not in the new list. */
static int unmap_others(struct mem_object *o, const uint32_t *ids, uint32_t n)
{
	const struct id_list keep = { .v = (uint32_t *)ids, .n = n };
	int err = 0;

	for (uint32_t i = 0; i < o->mapped.n && !err; ) {
		uint32_t id = o->mapped.v[i];

		if (ids_have(&keep, id)) {
			i++;
			continue;
		}
		err = unmap_ioctl(o, &id, 1);
		if (!err)
			ids_del(&o->mapped, id);
	}
	return err;
}

/* @ids NULL: to the default GPUs, and to no fewer than before. */
static HSAKMT_STATUS map_address(void *addr, uint64_t size, uint64_t *va, const uint32_t *ids,
				 uint32_t n)
{
	struct thunk_gpu *gpu;
	struct mem_object *o;
	int err = -EINVAL;

	pthread_mutex_lock(&thunk.mem_lock);
	gpu = mem_scratch_owner(addr);
	o = obj_find(addr);
	if (gpu && !o) {
		err = mem_map_scratch(gpu, addr, size);
		o = err ? NULL : obj_find(addr);
	} else if (o && ids) {
		err = unmap_others(o, ids, n);
		if (!err)
			err = mem_map_object(o, ids, n);
	} else if (o) {
		err = map_default(o);
	}
	if (!err && va)
		*va = gpu_address(o, addr);
	pthread_mutex_unlock(&thunk.mem_lock);
	return err == -ENOMEM ? HSAKMT_STATUS_NO_MEMORY :
	       err ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_SUCCESS;
}

THUNK_API HSAKMT_STATUS hsaKmtMapMemoryToGPU(void *MemoryAddress, HSAuint64 MemorySizeInBytes,
					     HSAuint64 *AlternateVAGPU)
{
	THUNK_CHECK_OPEN();
	if (!MemoryAddress)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (AlternateVAGPU)
		*AlternateVAGPU = 0;
	return map_address(MemoryAddress, MemorySizeInBytes, AlternateVAGPU, NULL, 0);
}

THUNK_API HSAKMT_STATUS hsaKmtMapMemoryToGPUNodes(void *MemoryAddress,
						  HSAuint64 MemorySizeInBytes,
						  HSAuint64 *AlternateVAGPU,
						  HsaMemMapFlags MemMapFlags,
						  HSAuint64 NumberOfNodes,
						  HSAuint32 *NodeArray)
{
	uint32_t ids[THUNK_MAX_GPUS];

	(void)MemMapFlags;
	THUNK_CHECK_OPEN();
	if (!MemoryAddress || (NumberOfNodes && !NodeArray))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (!NumberOfNodes)
		return hsaKmtMapMemoryToGPU(MemoryAddress, MemorySizeInBytes, AlternateVAGPU);
	if (NumberOfNodes > THUNK_MAX_GPUS || mem_nodes_to_ids(NodeArray, NumberOfNodes, ids))
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	if (AlternateVAGPU)
		*AlternateVAGPU = 0;
	return map_address(MemoryAddress, MemorySizeInBytes, AlternateVAGPU, ids, NumberOfNodes);
}

THUNK_API HSAKMT_STATUS hsaKmtUnmapMemoryToGPU(void *MemoryAddress)
{
	struct mem_object *o;
	int err = -EINVAL;

	THUNK_CHECK_OPEN();
	/* what was never mapped is unmapped already */
	if (!MemoryAddress)
		return HSAKMT_STATUS_SUCCESS;
	pthread_mutex_lock(&thunk.mem_lock);
	o = obj_find(MemoryAddress);
	if (o)
		err = o->scratch ? mem_free_object(o) : mem_unmap_object(o);
	pthread_mutex_unlock(&thunk.mem_lock);
	return err ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_SUCCESS;
}

/* Map an allocation to the GPUs listed, in addition to where it is. */
int thunk_mem_map(void *addr, const uint32_t *gpu_ids, unsigned int n, uint64_t *va)
{
	struct mem_object *o;
	int err = -EINVAL;

	pthread_mutex_lock(&thunk.mem_lock);
	o = obj_find_exact(addr);
	if (o)
		err = mem_map_object(o, gpu_ids, n);
	if (!err && va)
		*va = gpu_address(o, addr);
	pthread_mutex_unlock(&thunk.mem_lock);
	return err;
}

/* The kernel's handle of an allocation, 0 if there is none; handles have a GPU in them. */
uint64_t thunk_mem_handle(const void *addr)
{
	struct mem_object *o;
	uint64_t handle;

	pthread_mutex_lock(&thunk.mem_lock);
	o = obj_find_exact(addr);
	handle = o && o->has_handle ? o->handle : 0;
	pthread_mutex_unlock(&thunk.mem_lock);
	return handle;
}
