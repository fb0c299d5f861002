/* SPDX-License-Identifier: MIT */
/* What the files of test_vgpu share. */
#ifndef VGPU_RIG_H
#define VGPU_RIG_H

#define TAP_SHARED
#include "fake_gpu.h"
#include "tap.h"

/* A page of the arena, for a counter. */
u32 *counter(void);
u32 get(u32 *p);
/*
 * CPU time of all threads, and what is not long of it for two that spin. What others on the machine
 * do makes nothing take longer in this time.
 */
u64 cpu_ns(void);
#define SOON_NS	4000000000ull
/* Is the counter, which was @seen, another one soon? Or for a new one: is it no longer 0? */
bool differs(u32 *p, u32 seen);
bool starts(u32 *p);
/* A kernel whose waves add 1 to @p after a barrier. */
u64 kernel_add(u32 *p);
/* A kernel whose waves add 1 to @alive; then @op (FAKE_SPIN ...) ends it when @stop is set. */
u64 kernel_until(u32 op, u32 *alive, u32 *stop, u32 n);

/* test_vgpu_evict.c */
void test_evict(void);
void test_change_evicted(void);
void test_destroy_evicted(void);
void test_evict_waiting(void);

/* test_vgpu_groups.c */
void test_split_barriers(void);
void test_clean_lds(void);
void test_clean_rows(void);

#endif /* VGPU_RIG_H */
