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
 * gpu_vm_hold() - open a section in which a page is resident
 * @w: the calling thread
 * @vm: address space
 * @va: any address
 * @want: GPU_* access that is needed there
 * @fault: with -EFAULT, returns the reason
 *
 * A process may take the page away again and again (a loop around madvise). After many
 * tries that is a fault, so that it cannot keep one of our threads for ever.
 *
 * Return: kernel address of @va, valid up to the end of its page until gpu_vm_exit(); or
 * ERR_PTR of gpu_vm_fault()'s error, and then no section is open.
 */
void *gpu_vm_hold(struct gpu_vm_worker *w, struct gpu_vm *vm, u64 va, u32 want,
		  struct gpu_fault *fault);
/*
 * One step of gpu_vm_hold(), for callers that do the lookup themselves: the page at @va was
 * not resident in a section that they have closed. Brings the page in, and counts *@tries,
 * which must be 0 at first.
 */
int gpu_vm_bring(struct gpu_vm *vm, u64 va, u32 want, unsigned int *tries,
		 struct gpu_fault *fault);

/**
 * gpu_vm_read(), gpu_vm_write() - copy through a VM, faulting as needed
 * For command processors and ioctls. Copies page by page, each in a section of @w.
 * Return: 0 or gpu_vm_fault()'s error (and *@fault is set). After -EAGAIN the whole call
 * may be repeated.
 */
int gpu_vm_read(struct gpu_vm_worker *w, struct gpu_vm *vm, u64 va, void *dst,
		size_t len, struct gpu_fault *fault);
int gpu_vm_write(struct gpu_vm_worker *w, struct gpu_vm *vm, u64 va,
		 const void *src, size_t len, struct gpu_fault *fault);
/* 64-bit atomic add on naturally aligned memory; *@old returns the previous value. */
int gpu_vm_atomic_add64(struct gpu_vm_worker *w, struct gpu_vm *vm, u64 va,
			u64 val, u64 *old, struct gpu_fault *fault);

#endif /* GPU_ACCESS_H */
