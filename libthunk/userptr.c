// SPDX-License-Identifier: MIT
/*
 * Memory that the caller brings: registering it for the GPU, and what is known of a pointer.
 *
 * The GPU sees registered pages at an address of their own, never at the CPU's; AlternateVAGPU of
 * the mapping call says where. HIP keeps both addresses in one table and takes both out again, so
 * it aborts in hipHostUnregister() where they are the same.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "object.h"
#include "va.h"

static struct thunk_gpu *any_gpu(void)
{
	for (unsigned int i = 0; i < thunk.nr_gpus; i++)
		if (thunk.gpus[i].vm_acquired)
			return &thunk.gpus[i];
	return NULL;
}

static uint32_t userptr_flags(HsaMemFlags f)
{
	uint32_t ioc = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE |
		       KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE;

	if (f.ui32.ExtendedCoherent)
		ioc |= KFD_IOC_ALLOC_MEM_FLAGS_EXT_COHERENT;
	else if (!f.ui32.CoarseGrain)
		ioc |= KFD_IOC_ALLOC_MEM_FLAGS_COHERENT;
	if (f.ui32.Uncached)
		ioc |= KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED;
	return ioc;
}

static int new_userptr(uint64_t addr, uint64_t size, HsaMemFlags flags, struct mem_object **out)
{
	uint64_t start = align_down(addr, THUNK_PAGE), offset = start;
	uint64_t end = align_up(addr + size, THUNK_PAGE);
	struct thunk_gpu *gpu = any_gpu();
	struct mem_object *o;
	int err;

	if (!gpu || end <= start)
		return -EINVAL;
	o = obj_new();
	if (!o)
		return -ENOMEM;
	o->type = HSA_POINTER_REGISTERED_USER;
	o->flags = flags;
	o->cpu = addr;
	o->cpu_size = size;
	o->size = end - start;
	o->node = gpu->node;
	o->reserved = va_reserve(o->size, THUNK_PAGE, THUNK_PAGE);
	o->reserved_size = o->size + THUNK_PAGE;
	o->va = (uintptr_t)o->reserved;
	if (!o->reserved) {
		obj_free(o);
		return -ENOMEM;
	}
	err = mem_ioctl_alloc(o, gpu, userptr_flags(flags), &offset);
	if (!err)
		err = obj_insert(o);
	if (err) {
		va_release(o->reserved, o->reserved_size);
		obj_free(o);
		return err;
	}
	*out = o;
	return 0;
}

/* Register a range, or remember for an existing object which GPUs it is for. */
static HSAKMT_STATUS register_range(void *addr, uint64_t size, HsaMemFlags flags,
				    const uint32_t *ids, uint32_t n)
{
	struct mem_object *o;
	int err = 0;

	pthread_mutex_lock(&thunk.mem_lock);
	o = obj_find(addr);
	if (o && o->type == HSA_POINTER_REGISTERED_USER &&
	    (o->cpu != (uintptr_t)addr || o->cpu_size != size))
		o = NULL;
	if (!o)
		err = new_userptr((uintptr_t)addr, size, flags, &o);
	if (!err && n)
		err = ids_set(&o->registered, ids, n);
	if (!err)
		o->reg_count++;
	pthread_mutex_unlock(&thunk.mem_lock);
	return err == -ENOMEM ? HSAKMT_STATUS_NO_MEMORY :
	       err ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_SUCCESS;
}

THUNK_API HSAKMT_STATUS hsaKmtRegisterMemory(void *MemoryAddress, HSAuint64 MemorySizeInBytes)
{
	HsaMemFlags flags = { .ui32.CoarseGrain = 1 };

	THUNK_CHECK_OPEN();
	if (!MemoryAddress || !MemorySizeInBytes)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	return register_range(MemoryAddress, MemorySizeInBytes, flags, NULL, 0);
}

THUNK_API HSAKMT_STATUS hsaKmtRegisterMemoryToNodes(void *MemoryAddress,
						    HSAuint64 MemorySizeInBytes,
						    HSAuint64 NumberOfNodes,
						    HSAuint32 *NodeArray)
{
	HsaMemFlags flags = { .ui32.CoarseGrain = 1 };
	uint32_t ids[THUNK_MAX_GPUS];

	THUNK_CHECK_OPEN();
	if (!MemoryAddress || !MemorySizeInBytes || (NumberOfNodes && !NodeArray))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (NumberOfNodes > THUNK_MAX_GPUS || mem_nodes_to_ids(NodeArray, NumberOfNodes, ids))
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	return register_range(MemoryAddress, MemorySizeInBytes, flags, ids, NumberOfNodes);
}

THUNK_API HSAKMT_STATUS hsaKmtRegisterMemoryWithFlags(void *MemoryAddress,
						      HSAuint64 MemorySizeInBytes,
						      HsaMemFlags MemFlags)
{
	THUNK_CHECK_OPEN();
	if (!MemoryAddress || !MemorySizeInBytes)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	/* paged memory of the host is all that a caller can bring */
	if (MemFlags.ui32.NonPaged || !MemFlags.ui32.HostAccess)
		return HSAKMT_STATUS_NOT_SUPPORTED;
	return register_range(MemoryAddress, MemorySizeInBytes, MemFlags, NULL, 0);
}

THUNK_API HSAKMT_STATUS hsaKmtDeregisterMemory(void *MemoryAddress)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_MEMORY_NOT_REGISTERED;
	struct mem_object *o;

	THUNK_CHECK_OPEN();
	pthread_mutex_lock(&thunk.mem_lock);
	o = obj_find_exact(MemoryAddress);
	if (!o)
		o = obj_find(MemoryAddress);
	if (!o || !o->reg_count) {
		pthread_mutex_unlock(&thunk.mem_lock);
		return status;
	}
	status = HSAKMT_STATUS_SUCCESS;
	if (--o->reg_count == 0) {
		o->registered.n = 0;
		if (o->type != HSA_POINTER_ALLOCATED && mem_free_object(o))
			status = HSAKMT_STATUS_ERROR;
	}
	pthread_mutex_unlock(&thunk.mem_lock);
	return status;
}

THUNK_API HSAKMT_STATUS hsaKmtQueryPointerInfo(const void *Pointer, HsaPointerInfo *PointerInfo)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_ERROR;
	struct mem_object *o;

	THUNK_CHECK_OPEN();
	if (!PointerInfo)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	memset(PointerInfo, 0, sizeof(*PointerInfo));

	pthread_mutex_lock(&thunk.mem_lock);
	o = obj_find(Pointer);
	if (o && !ids_to_nodes(&o->reg_nodes, &o->registered) &&
	    !ids_to_nodes(&o->map_nodes, &o->mapped)) {
		PointerInfo->Type = o->type;
		PointerInfo->Node = o->node;
		PointerInfo->MemFlags = o->flags;
		PointerInfo->CPUAddress = (void *)(uintptr_t)o->cpu;
		PointerInfo->GPUAddress = o->va + o->cpu % THUNK_PAGE;
		PointerInfo->SizeInBytes = o->cpu_size;
		PointerInfo->NRegisteredNodes = o->reg_nodes.n;
		PointerInfo->RegisteredNodes = o->reg_nodes.v;
		PointerInfo->NMappedNodes = o->map_nodes.n;
		PointerInfo->MappedNodes = o->map_nodes.v;
		PointerInfo->UserData = o->user_data;
		status = HSAKMT_STATUS_SUCCESS;
	}
	pthread_mutex_unlock(&thunk.mem_lock);
	return status;
}

THUNK_API HSAKMT_STATUS hsaKmtSetMemoryUserData(const void *Pointer, void *UserData)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_ERROR;
	struct mem_object *o;

	THUNK_CHECK_OPEN();
	pthread_mutex_lock(&thunk.mem_lock);
	o = obj_find(Pointer);
	if (o) {
		o->user_data = UserData;
		status = HSAKMT_STATUS_SUCCESS;
	}
	pthread_mutex_unlock(&thunk.mem_lock);
	return status;
}

/* AddressSanitizer's header pages: only in instrumented builds of the upstream library. */
THUNK_API HSAKMT_STATUS hsaKmtReplaceAsanHeaderPage(void *addr)
{
	(void)addr;
	THUNK_CHECK_OPEN();
	return HSAKMT_STATUS_NOT_SUPPORTED;
}

THUNK_API HSAKMT_STATUS hsaKmtReturnAsanHeaderPage(void *addr)
{
	(void)addr;
	THUNK_CHECK_OPEN();
	return HSAKMT_STATUS_NOT_SUPPORTED;
}
