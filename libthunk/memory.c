// SPDX-License-Identifier: MIT
/*
 * Allocation, mapping and freeing.
 *
 * An address range is reserved first and belongs to CPU and GPU alike; then the kernel makes the
 * memory, and it is put at that address: VRAM and GTT through the render node, doorbells and
 * the register page through /dev/kfd, paged system memory as anonymous pages that the GPU sees
 * as user memory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "object.h"
#include "va.h"

#define HUGE_ALIGN	(2ul << 20)
#define SCRATCH_ALIGN	(64ul << 10)
#define DOORBELL_BYTES	8192u		/* per process and GPU since GFX9 */

/* Addresses of memory without an address: above everything that can be mapped. */
#define HANDLE_BASE	(1ull << 47)

#define MPOL_PREFERRED	1
#define MPOL_BIND	2

static uint64_t next_handle_va = HANDLE_BASE;	/* protected by thunk.mem_lock */

static uint32_t ioc_flags(HsaMemFlags f)
{
	uint32_t ioc = KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE;

	if (!f.ui32.ReadOnly)
		ioc |= KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE;
	if (f.ui32.ExecuteAccess)
		ioc |= KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE;
	if (f.ui32.AQLQueueMemory)
		ioc |= KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM;
	if (!f.ui32.CoarseGrain)
		ioc |= KFD_IOC_ALLOC_MEM_FLAGS_COHERENT;
	if (f.ui32.Uncached)
		ioc |= KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED;
	if (f.ui32.ExtendedCoherent)
		ioc |= KFD_IOC_ALLOC_MEM_FLAGS_EXT_COHERENT;
	if (f.ui32.Contiguous)
		ioc |= KFD_IOC_ALLOC_MEM_FLAGS_CONTIGUOUS;
	return ioc;
}

static int cpu_prot(HsaMemFlags f)
{
	if (!f.ui32.HostAccess)
		return PROT_NONE;
	return PROT_READ | PROT_WRITE | (f.ui32.ExecuteAccess ? PROT_EXEC : 0);
}

/* ---- objects ---- */

int mem_ioctl_alloc(struct mem_object *o, struct thunk_gpu *gpu, uint32_t ioc, uint64_t *offset)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args args = {
		.va_addr = o->flags.ui32.NoAddress ? 0 : o->va,
		.size = o->size,
		.mmap_offset = *offset,
		.gpu_id = gpu->gpu_id,
		.flags = ioc,
	};
	int err = thunk_ioctl(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args);

	if (err)
		return err;
	o->handle = args.handle;
	o->has_handle = true;
	o->gpu_id = gpu->gpu_id;
	*offset = args.mmap_offset;
	return 0;
}

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

/* Unmap, free and forget; the object stays if the kernel refuses. */
int mem_free_object(struct mem_object *o)
{
	struct kfd_ioctl_free_memory_of_gpu_args args = { .handle = o->handle };
	int err;

	o->map_count = o->map_count ? 1 : 0;
	err = mem_unmap_object(o);
	if (!err && o->has_handle)
		err = thunk_ioctl(AMDKFD_IOC_FREE_MEMORY_OF_GPU, &args);
	if (err)
		return err;
	obj_remove(o);
	if (o->scratch)
		va_reset((void *)(uintptr_t)o->va, o->size);
	if (o->reserved)
		va_release(o->reserved, o->reserved_size);
	obj_free(o);
	return 0;
}

/* ---- kinds of memory ---- */

static void bind_to_node(void *addr, uint64_t size, uint32_t node, HsaMemFlags f)
{
	unsigned long mask[16] = { 0 };

	if (f.ui32.NoNUMABind || thunk_nr_cpu_nodes() < 2 || node >= 16 * 64)
		return;
	mask[node / 64] = 1ul << (node % 64);
	/* placement is a wish: memory in the wrong place is still memory */
	syscall(SYS_mbind, addr, size, f.ui32.NoSubstitute ? MPOL_BIND : MPOL_PREFERRED, mask,
		16 * 64, 0);
}

/* Anonymous pages, and if there is a GPU, a user-pointer object over them. */
static int make_paged(struct mem_object *o, struct thunk_gpu *gpu)
{
	void *addr = (void *)(uintptr_t)o->va;
	uint64_t cpu = o->va;
	int prot = PROT_READ | PROT_WRITE | (o->flags.ui32.ExecuteAccess ? PROT_EXEC : 0);

	if (mmap(addr, o->size, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
		 -1, 0) == MAP_FAILED)
		return -errno;
	bind_to_node(addr, o->size, o->node, o->flags);
	/* a fork must not turn pages that the GPU writes into copies on write */
	madvise(addr, o->size, MADV_DONTFORK);
	if (o->size >= HUGE_ALIGN)
		madvise(addr, o->size, MADV_HUGEPAGE);
	if (!gpu)
		return 0;
	return mem_ioctl_alloc(o, gpu, ioc_flags(o->flags) | KFD_IOC_ALLOC_MEM_FLAGS_USERPTR,
			       &cpu);
}

/* VRAM or kernel system memory, at its address by way of the render node. */
static int make_bo(struct mem_object *o, struct thunk_gpu *gpu, uint32_t domain)
{
	void *addr = (void *)(uintptr_t)o->va;
	uint64_t offset = 0;
	int prot = cpu_prot(o->flags), err;

	if (domain == KFD_IOC_ALLOC_MEM_FLAGS_VRAM && o->flags.ui32.HostAccess)
		domain |= KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC;
	err = mem_ioctl_alloc(o, gpu, ioc_flags(o->flags) | domain, &offset);
	if (err || prot == PROT_NONE || o->flags.ui32.NoAddress)
		return err;
	if (mmap(addr, o->size, prot, MAP_SHARED | MAP_FIXED, gpu->drm_fd, offset) == MAP_FAILED) {
		struct kfd_ioctl_free_memory_of_gpu_args args = { .handle = o->handle };

		err = -errno;
		thunk_ioctl(AMDKFD_IOC_FREE_MEMORY_OF_GPU, &args);
	}
	return err;
}

/* The GPU that accounts for system memory. */
static struct thunk_gpu *first_gpu(void)
{
	for (unsigned int i = 0; i < thunk.nr_gpus; i++)
		if (thunk.gpus[i].vm_acquired)
			return &thunk.gpus[i];
	return NULL;
}

static int make(struct mem_object *o, struct thunk_gpu *gpu)
{
	if (o->flags.ui32.OnlyAddress) {
		o->type = HSA_POINTER_RESERVED_ADDR;
		return 0;
	}
	if (gpu)
		return make_bo(o, gpu, o->flags.ui32.GTTAccess ? KFD_IOC_ALLOC_MEM_FLAGS_GTT :
				       KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
	gpu = first_gpu();
	if (o->flags.ui32.NonPaged && gpu)
		return make_bo(o, gpu, KFD_IOC_ALLOC_MEM_FLAGS_GTT);
	return make_paged(o, gpu);
}

static int reserve(struct mem_object *o, uint64_t align, void *fixed)
{
	if (o->flags.ui32.NoAddress) {
		o->va = next_handle_va;
		next_handle_va += align_up(o->size, HUGE_ALIGN);
		return 0;
	}
	if (o->flags.ui32.FixedAddress) {
		o->reserved = va_reserve_at(fixed, o->size);
		o->reserved_size = o->size;
	} else {
		if (o->size >= HUGE_ALIGN && align < HUGE_ALIGN)
			align = HUGE_ALIGN;
		o->reserved = va_reserve(o->size, align, THUNK_PAGE);
		o->reserved_size = o->size + THUNK_PAGE;
	}
	o->va = (uintptr_t)o->reserved;
	return o->reserved ? 0 : -ENOMEM;
}

static HSAKMT_STATUS alloc_object(struct thunk_gpu *gpu, uint32_t node, uint64_t size,
				  uint64_t align, HsaMemFlags flags, void **addr)
{
	struct mem_object *o = obj_new();
	int err;

	if (!o)
		return HSAKMT_STATUS_NO_MEMORY;
	o->type = HSA_POINTER_ALLOCATED;
	o->flags = flags;
	o->node = node;
	o->size = size;
	o->cpu_size = size;

	pthread_mutex_lock(&thunk.mem_lock);
	err = reserve(o, align, *addr);
	if (!err) {
		o->cpu = o->va;
		err = make(o, gpu);
	}
	if (!err)
		err = obj_insert(o);
	if (err && o->reserved)
		va_release(o->reserved, o->reserved_size);
	pthread_mutex_unlock(&thunk.mem_lock);
	if (err) {
		obj_free(o);
		return HSAKMT_STATUS_NO_MEMORY;
	}
	*addr = (void *)(uintptr_t)o->va;
	return HSAKMT_STATUS_SUCCESS;
}

/* ---- scratch: an address range of a GPU, into which VRAM is put piece by piece by Map ---- */

static HSAKMT_STATUS alloc_scratch(struct thunk_gpu *gpu, uint64_t size, void **addr)
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

static struct thunk_gpu *scratch_owner(const void *addr)
{
	for (unsigned int i = 0; i < thunk.nr_gpus; i++) {
		struct thunk_gpu *g = &thunk.gpus[i];

		if (g->scratch && (uintptr_t)addr - (uintptr_t)g->scratch < g->scratch_size)
			return g;
	}
	return NULL;
}

static int map_scratch(struct thunk_gpu *gpu, void *addr, uint64_t size)
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
	err = mem_ioctl_alloc(o, gpu, ioc_flags(o->flags) | KFD_IOC_ALLOC_MEM_FLAGS_VRAM, &unused);
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

static int free_scratch(struct thunk_gpu *gpu)
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

/* ---- the calls ---- */

HSAKMT_STATUS thunk_mem_alloc(uint32_t node, uint64_t size, uint64_t align, HsaMemFlags flags,
			      void **addr)
{
	static const uint32_t page_bytes[] = { 4096, 65536, 2 << 20, 1 << 30 };
	struct thunk_gpu *gpu;

	if (!addr || !size || size % page_bytes[flags.ui32.PageSize])
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (align && (!is_pow2(align) || align < THUNK_PAGE))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (flags.ui32.FixedAddress ? !*addr || (uintptr_t)*addr % THUNK_PAGE : false)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (thunk_gpu_by_node(node, &gpu))
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	if (flags.ui32.GDSMemory)
		return HSAKMT_STATUS_NOT_SUPPORTED;
	if (align < page_bytes[flags.ui32.PageSize])
		align = page_bytes[flags.ui32.PageSize];
	if (!flags.ui32.FixedAddress)
		*addr = NULL;
	if (flags.ui32.Scratch)
		return gpu ? alloc_scratch(gpu, size, addr) : HSAKMT_STATUS_INVALID_PARAMETER;
	return alloc_object(gpu, node, size, align, flags, addr);
}

HSAKMT_STATUS thunk_mem_free(void *addr)
{
	struct mem_object *o;
	struct thunk_gpu *gpu;
	int err = -EINVAL;

	pthread_mutex_lock(&thunk.mem_lock);
	gpu = scratch_owner(addr);
	o = obj_find_exact(addr);
	if (gpu && addr == gpu->scratch)
		err = free_scratch(gpu);
	else if (o && o->type != HSA_POINTER_REGISTERED_USER)
		err = mem_free_object(o);
	pthread_mutex_unlock(&thunk.mem_lock);
	return err ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_SUCCESS;
}

THUNK_API HSAKMT_STATUS hsaKmtAllocMemory(HSAuint32 PreferredNode, HSAuint64 SizeInBytes,
					  HsaMemFlags MemFlags, void **MemoryAddress)
{
	THUNK_CHECK_OPEN();
	return thunk_mem_alloc(PreferredNode, SizeInBytes, 0, MemFlags, MemoryAddress);
}

THUNK_API HSAKMT_STATUS hsaKmtAllocMemoryAlign(HSAuint32 PreferredNode, HSAuint64 SizeInBytes,
					       HSAuint64 Alignment, HsaMemFlags MemFlags,
					       void **MemoryAddress)
{
	THUNK_CHECK_OPEN();
	return thunk_mem_alloc(PreferredNode, SizeInBytes, Alignment, MemFlags, MemoryAddress);
}

THUNK_API HSAKMT_STATUS hsaKmtFreeMemory(void *MemoryAddress, HSAuint64 SizeInBytes)
{
	(void)SizeInBytes;	/* the object knows */
	THUNK_CHECK_OPEN();
	if (!MemoryAddress)
		return HSAKMT_STATUS_ERROR;
	return thunk_mem_free(MemoryAddress);
}

THUNK_API HSAKMT_STATUS hsaKmtAvailableMemory(HSAuint32 Node, HSAuint64 *AvailableBytes)
{
	struct kfd_ioctl_get_available_memory_args args = { 0 };
	HSAKMT_STATUS status;
	struct thunk_gpu *gpu;
	int err;

	THUNK_CHECK_OPEN();
	if (!AvailableBytes)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	status = thunk_gpu_required(Node, &gpu);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	args.gpu_id = gpu->gpu_id;
	err = thunk_ioctl(AMDKFD_IOC_AVAILABLE_MEMORY, &args);
	if (err)
		return thunk_status(err);
	*AvailableBytes = args.available;
	return HSAKMT_STATUS_SUCCESS;
}

/*
 * The policies of two apertures are a matter of GPUs before GFX9; on ours the kernel is told
 * once, when the VM is made, and the call only checks its node.
 */
THUNK_API HSAKMT_STATUS hsaKmtSetMemoryPolicy(HSAuint32 Node, HSAuint32 DefaultPolicy,
					      HSAuint32 AlternatePolicy,
					      void *MemoryAddressAlternate,
					      HSAuint64 MemorySizeInBytes)
{
	struct thunk_gpu *gpu;

	(void)DefaultPolicy;
	(void)AlternatePolicy;
	(void)MemoryAddressAlternate;
	(void)MemorySizeInBytes;
	THUNK_CHECK_OPEN();
	return thunk_gpu_required(Node, &gpu);
}

/* ---- mapping ---- */

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
	gpu = scratch_owner(addr);
	o = obj_find(addr);
	if (gpu && !o) {
		err = map_scratch(gpu, addr, size);
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

/* ---- what the rest of the library needs ---- */

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

/* In a forked child: the objects are the parent's. */
void thunk_memory_forget(void)
{
	obj_forget_all();
	next_handle_va = HANDLE_BASE;
}
