/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads, writes and atomics through a GPU address space.
 */
#ifndef GPU_ACCESS_H
#define GPU_ACCESS_H

#include <linux/types.h>

struct gpu_fault;
struct gpu_vm;
struct gpu_vm_worker;

/**
 * gpu_vm_read(), gpu_vm_write() - copy through a VM, faulting as needed
 * For command processors and ioctls; page by page, each in a section of @w.
 * Return: 0 or what gpu_vm_fault() said (with *@fault filled). After -EAGAIN
 * the whole call may be made again.
 */
int gpu_vm_read(struct gpu_vm_worker *w, struct gpu_vm *vm, u64 va, void *dst,
		size_t len, struct gpu_fault *fault);
int gpu_vm_write(struct gpu_vm_worker *w, struct gpu_vm *vm, u64 va,
		 const void *src, size_t len, struct gpu_fault *fault);
/* 64-bit atomic add on naturally aligned memory; *@old = before. */
int gpu_vm_atomic_add64(struct gpu_vm_worker *w, struct gpu_vm *vm, u64 va,
			u64 val, u64 *old, struct gpu_fault *fault);

#endif /* GPU_ACCESS_H */
