// SPDX-License-Identifier: MIT
/* Memory of a GPU: allocated, mapped for it, and at the same address for the CPU. */
#include <errno.h>

#include "aql_int.h"

int aql_alloc_flags(struct aql_dev *dev, uint32_t node, size_t size, HsaMemFlags flags, void **ptr)
{
	HsaMemMapFlags map = { .Value = 0 };
	HSAKMT_STATUS status;
	uint64_t va;
	void *p = NULL;

	size = (size + AQL_PAGE - 1) & ~(AQL_PAGE - 1);
	if (!size)
		return -EINVAL;
	status = hsaKmtAllocMemory(node, size, flags, &p);
	if (status != HSAKMT_STATUS_SUCCESS)
		return aql_status(status);
	status = hsaKmtMapMemoryToGPUNodes(p, size, &va, map, 1, &dev->node);
	if (status != HSAKMT_STATUS_SUCCESS) {
		hsaKmtFreeMemory(p, size);
		return aql_status(status);
	}
	*ptr = p;
	return 0;
}

/**
 * aql_alloc() - allocate memory for a GPU
 * @size: bytes, rounded up to pages
 * @flags: AQL_MEM_VRAM or AQL_MEM_HOST, with AQL_MEM_EXEC and AQL_MEM_PRIVATE as wanted
 * @ptr: the address, the same for CPU and GPU
 *
 * System memory is zero; local memory holds nothing that can be relied on.
 *
 * Return: 0 or a negative errno.
 */
AQL_API int aql_alloc(struct aql_dev *dev, size_t size, unsigned int flags, void **ptr)
{
	const unsigned int known = AQL_MEM_VRAM | AQL_MEM_HOST | AQL_MEM_EXEC | AQL_MEM_PRIVATE;
	HsaMemFlags f = { .Value = 0 };
	bool vram = flags & AQL_MEM_VRAM;

	if (!ptr || (flags & ~known) || vram == !!(flags & AQL_MEM_HOST))
		return -EINVAL;
	if (!vram && (flags & AQL_MEM_PRIVATE))
		return -EINVAL;
	f.ui32.HostAccess = !(flags & AQL_MEM_PRIVATE);
	f.ui32.ExecuteAccess = !!(flags & AQL_MEM_EXEC);
	f.ui32.CoarseGrain = vram;
	return aql_alloc_flags(dev, vram ? dev->node : 0, size, f, ptr);
}

/**
 * aql_free() - free memory of aql_alloc()
 *
 * Return: 0, or -EINVAL if @ptr is not the start of an allocation; NULL is fine.
 */
AQL_API int aql_free(struct aql_dev *dev, void *ptr)
{
	HsaPointerInfo info;

	(void)dev;
	if (!ptr)
		return 0;
	if (hsaKmtQueryPointerInfo(ptr, &info) != HSAKMT_STATUS_SUCCESS || info.CPUAddress != ptr)
		return -EINVAL;
	return aql_status(hsaKmtFreeMemory(ptr, info.SizeInBytes));
}
