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
 * @w: the thread
 * @vm: address space
 * @va: any address
 * @want: GPU_* that is needed there
 * @fault: out, when -EFAULT: why
 *
 * Somebody may take the page away as fast as it comes (a loop around madvise): after many
 * tries that is a fault, so no thread of ours is kept for ever.
 *
 * Return: kernel address of @va, good up to the end of its page until gpu_vm_exit();
 * or ERR_PTR of what gpu_vm_fault() said, and no section is open.
 */
void *gpu_vm_hold(struct gpu_vm_worker *w, struct gpu_vm *vm, u64 va, u32 want,
		  struct gpu_fault *fault);
/*
 * One step of that for who looks pages up by himself: the page at @va was not resident in a
 * section that is closed now. Bring it, and count *@tries, which is 0 at first.
 */
int gpu_vm_bring(struct gpu_vm *vm, u64 va, u32 want, unsigned int *tries,
		 struct gpu_fault *fault);

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
