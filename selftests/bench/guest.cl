// SPDX-License-Identifier: MIT
// The benchmark kernels and what times the way to them.
#include "kernels.cl"

typedef u32 u32x4 __attribute__((ext_vector_type(4)));

KERNEL nothing(void)
{
}

/* What is copied, each time with another constant (guest_small.c) */
KERNEL small(global u32 *restrict out, u32 rounds)
{
	u32 v = GID;

	ROLLED
	for (u32 k = 0; k < rounds; k++)
		v = (v ^ v >> 7) * 0x5ea1ab1eu + k;
	out[GID] = v;
}

/* A blit: 16 bytes a work-item */
KERNEL copy(global u32x4 *restrict dst, global const u32x4 *restrict src)
{
	u32 i = GID;

	dst[i] = src[i];
}

/* What a queue is taken off the GPU from: waves that do not end before @stop. */
KERNEL busy_loop(global u32 *stop, global u32 *mem)
{
	while (!__scoped_atomic_load_n(stop, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM))
		;
}

KERNEL busy_sleep(global u32 *stop, global u32 *mem)
{
	while (!__scoped_atomic_load_n(stop, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM))
		__builtin_amdgcn_s_sleep(127);
}

KERNEL busy_stores(global u32 *stop, global u32 *mem)
{
	u32 i = GID;

	while (!__scoped_atomic_load_n(stop, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM)) {
		for (u32 k = 0; k < 64; k++) {
			i = i * 1664525 + 1013904223;
			__builtin_nontemporal_store(k, mem + (i & 0xfffff));
		}
	}
}

/* A word of each page */
KERNEL touch_pages(global u32 *mem)
{
	u32 i = GID;

	mem[i * 1024ul] = i + 1;
}
