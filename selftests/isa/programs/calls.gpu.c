// SPDX-License-Identifier: MIT
/* Kernels of the per-item programs that need C: recursion, code pointers. */
#include "items.h"

#define GLOBAL	__attribute__((address_space(1)))
#define GID	(__builtin_amdgcn_workgroup_id_x() * 64u + __builtin_amdgcn_workitem_id_x())
#define CALL_KERNEL(name)							\
__attribute__((amdgpu_kernel))							\
void it_##name(GLOBAL u64 *restrict out, GLOBAL const u64 *restrict a,		\
	       GLOBAL const u64 *restrict b)					\
{										\
	u32 i = GID;								\
										\
	out[i] = name(i, a[i], b[i]);						\
}
CALL_ITEMS(CALL_KERNEL)
