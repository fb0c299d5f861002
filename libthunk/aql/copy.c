// SPDX-License-Identifier: MIT
/*
 * Copies by the CPU.  Local memory is mapped for it, so a copy is memcpy; what this adds is to
 * refuse memory the CPU cannot reach and ranges that leave their allocation.
 */
#include <errno.h>
#include <string.h>

#include "aql_int.h"

static int check_range(const void *p, size_t size)
{
	HsaPointerInfo info;
	uint64_t off;

	/* not ours: the caller's memory, and the caller's business */
	if (hsaKmtQueryPointerInfo(p, &info) != HSAKMT_STATUS_SUCCESS)
		return 0;
	if (info.Type == HSA_POINTER_ALLOCATED && !info.MemFlags.ui32.HostAccess)
		return -EACCES;
	off = (uintptr_t)p - (uintptr_t)info.CPUAddress;
	return off <= info.SizeInBytes && size <= info.SizeInBytes - off ? 0 : -ERANGE;
}

/**
 * aql_copy() - copy memory between host and GPU, or within either
 * @dst: any address, of aql_alloc() or not
 * @src: likewise; the ranges may overlap
 *
 * Everything the GPU did before a signal that was waited for is seen, and dispatches submitted
 * afterwards see the copy.
 *
 * Return: 0, -EACCES for AQL_MEM_PRIVATE memory, -ERANGE beyond the end of an allocation.
 */
AQL_API int aql_copy(struct aql_dev *dev, void *dst, const void *src, size_t size)
{
	int err = check_range(dst, size);

	(void)dev;
	if (!err)
		err = check_range(src, size);
	if (err)
		return err;
	memmove(dst, src, size);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return 0;
}
