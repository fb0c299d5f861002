/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Device-private pages: memory of processes that is with the GPUs for real. See zone.c.
 */
#ifndef GPU_ZONE_H
#define GPU_ZONE_H

#include <linux/types.h>

struct mm_struct;
struct vm_area_struct;
struct vm_fault;

#ifdef CONFIG_DEVICE_PRIVATE

/* Do pages move? The module's parameter says so. */
bool gpu_zone_on(void);
/* Are there any pages, whose CPU faults take long? */
bool gpu_zone_used(void);
/* For hmm: page frames of this owner are answered with, and are not brought back. */
void *gpu_zone_owner(void);
/* The page frame that a GPU may read and write, of one that hmm has answered with. */
unsigned long gpu_zone_pfn(unsigned long pfn);
/*
 * Makes sure that there are page frames for @bytes more, if the limit lets it, and that a machine
 * short of memory does not take them away before gpu_zone_prepare_end() has been called with as
 * many. May sleep.
 */
void gpu_zone_prepare(u64 bytes);
void gpu_zone_prepare_end(u64 bytes);
/*
 * Brings memory of a process in, or back: as much of @start..@last as can move. mmap_lock is held
 * for reading, svm->lock and what is inside it is not. Returns how many pages have moved.
 */
u64 gpu_zone_in(struct mm_struct *mm, u64 start, u64 last);
u64 gpu_zone_out(struct mm_struct *mm, u64 start, u64 last);
int gpu_zone_start(void);
/* All pages back, wherever they are mapped, and no more from now on. */
void gpu_zone_stop(void);

#else

static inline bool gpu_zone_on(void)
{
	return false;
}

static inline bool gpu_zone_used(void)
{
	return false;
}

static inline void *gpu_zone_owner(void)
{
	return NULL;
}

static inline unsigned long gpu_zone_pfn(unsigned long pfn)
{
	return pfn;
}

static inline void gpu_zone_prepare(u64 bytes)
{
}

static inline void gpu_zone_prepare_end(u64 bytes)
{
}

static inline u64 gpu_zone_in(struct mm_struct *mm, u64 start, u64 last)
{
	return 0;
}

static inline u64 gpu_zone_out(struct mm_struct *mm, u64 start, u64 last)
{
	return 0;
}

static inline int gpu_zone_start(void)
{
	return 0;
}

static inline void gpu_zone_stop(void)
{
}

#endif /* CONFIG_DEVICE_PRIVATE */

#endif /* GPU_ZONE_H */
