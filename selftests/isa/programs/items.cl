// SPDX-License-Identifier: MIT
/* One kernel for each per-item program of items.h. */
#include "items.h"

#define GID	(__builtin_amdgcn_workgroup_id_x() * 64u + __builtin_amdgcn_workitem_id_x())
#define ITEM_KERNEL(name)								\
__attribute__((reqd_work_group_size(64, 1, 1)))				\
kernel void it_##name(global u64 *restrict out, global const u64 *restrict a, \
		      global const u64 *restrict b)			\
{									\
	u32 i = GID;							\
									\
	out[i] = name(i, a[i], b[i]);					\
}
ITEMS(ITEM_KERNEL)
