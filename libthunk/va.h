/* SPDX-License-Identifier: MIT */
/*
 * Address ranges that CPU and GPU share.
 *
 * A range is reserved with PROT_NONE, so nothing else in the process can get it while the GPU
 * uses it; memory is put in later with MAP_FIXED.
 */
#ifndef THUNK_VA_H
#define THUNK_VA_H

#include <stdint.h>

void *va_reserve(uint64_t size, uint64_t align, uint64_t guard);
void *va_reserve_at(void *addr, uint64_t size);
void va_release(void *addr, uint64_t size);
int va_reset(void *addr, uint64_t size);

#endif /* THUNK_VA_H */
