// SPDX-License-Identifier: MIT
// The benchmark kernels and what times the way to them.
#include "kernels.cl"

typedef u32 u32x4 __attribute__((ext_vector_type(4)));

KERNEL nothing(void)
{
}

/* A blit: 16 bytes a work-item */
KERNEL copy(global u32x4 *restrict dst, global const u32x4 *restrict src)
{
	u32 i = GID;

	dst[i] = src[i];
}
