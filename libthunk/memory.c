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

/* Addresses of memory without an address: above everything that can be mapped. */
#define HANDLE_BASE	(1ull << 47)

#define MPOL_PREFERRED	1
#define MPOL_BIND	2

static uint64_t next_handle_va = HANDLE_BASE;	/* protected by thunk.mem_lock */

uint32_t mem_ioc_flags(HsaMemFlags f)
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
	return mem_ioctl_alloc(o, gpu, mem_ioc_flags(o->flags) | KFD_IOC_ALLOC_MEM_FLAGS_USERPTR,
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
	err = mem_ioctl_alloc(o, gpu, mem_ioc_flags(o->flags) | domain, &offset);
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
		return gpu ? mem_alloc_scratch(gpu, size, addr) : HSAKMT_STATUS_INVALID_PARAMETER;
	return alloc_object(gpu, node, size, align, flags, addr);
}

HSAKMT_STATUS thunk_mem_free(void *addr)
{
	struct mem_object *o;
	struct thunk_gpu *gpu;
	int err = -EINVAL;

	pthread_mutex_lock(&thunk.mem_lock);
	gpu = mem_scratch_owner(addr);
	o = obj_find_exact(addr);
	if (gpu && addr == gpu->scratch)
		err = mem_free_scratch(gpu);
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

/* In a forked child: the objects are the parent's. */
void thunk_memory_forget(void)
{
	obj_forget_all();
	next_handle_va = HANDLE_BASE;
}
