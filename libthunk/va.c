// SPDX-License-Identifier: MIT
/*
 * The address allocator: the kernel's mmap is the allocator, this trims what it gave.
 */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "thunk.h"
#include "va.h"

#define VA_FLAGS	(MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

/**
 * va_reserve() - reserve an aligned range followed by an inaccessible gap
 * @size: bytes, page aligned
 * @align: power of two
 * @guard: bytes behind the range that stay reserved, so that a run off its end faults
 *
 * Return: the address, or NULL.  va_release() wants size + guard.
 */
void *va_reserve(uint64_t size, uint64_t align, uint64_t guard)
{
	uint64_t want, start, got;
	void *p;

	if (align < THUNK_PAGE)
		align = THUNK_PAGE;
	want = size + guard + align - THUNK_PAGE;
	if (want < size)
		return NULL;
	p = mmap(NULL, want, PROT_NONE, VA_FLAGS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;

	got = (uintptr_t)p;
	start = align_up(got, align);
	if (start > got)
		munmap(p, start - got);
	if (got + want > start + size + guard)
		munmap((void *)(uintptr_t)(start + size + guard),
		       got + want - start - size - guard);
	return (void *)(uintptr_t)start;
}

/* The same at a given address; NULL if anything is there already. */
void *va_reserve_at(void *addr, uint64_t size)
{
	void *p = mmap(addr, size, PROT_NONE, VA_FLAGS | MAP_FIXED_NOREPLACE, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	/* kernels before 4.17 take the flag for a hint */
	if (p != addr) {
		munmap(p, size);
		return NULL;
	}
	return p;
}

void va_release(void *addr, uint64_t size)
{
	munmap(addr, size);
}

/* Take the memory out of a range and keep the range. */
int va_reset(void *addr, uint64_t size)
{
	void *p = mmap(addr, size, PROT_NONE, VA_FLAGS | MAP_FIXED, -1, 0);

	return p == MAP_FAILED ? -1 : 0;
}
