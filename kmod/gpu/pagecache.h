/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Resident pages of a GPU address space, and the sections in which lookups stay good.
 */
#ifndef GPU_PAGECACHE_H
#define GPU_PAGECACHE_H

#include <linux/list.h>
#include <linux/types.h>

struct gpu_device;
struct gpu_vm;

/**
 * struct gpu_vm_worker - a thread that reads memory through VMs
 * @vm: the VM it is inside of, or NULL; read by shootdowns
 * @seq: counts sections; a shootdown waits until it moved on or @vm changed
 */
struct gpu_vm_worker {
	struct list_head node;
	struct gpu_vm *vm;
	u64 seq;
};

void gpu_vm_worker_add(struct gpu_device *gdev, struct gpu_vm_worker *w);
void gpu_vm_worker_del(struct gpu_device *gdev, struct gpu_vm_worker *w);

/**
 * gpu_vm_enter() - begin a section in which lookups stay good
 * Preemption is off inside; keep it short (one quantum) and do not sleep.
 * Return: the VM's generation; a worker that cached lookups of an older
 * generation (or of another VM) must drop them.
 */
u64 gpu_vm_enter(struct gpu_vm_worker *w, struct gpu_vm *vm);
/* End it. The pointers that lookups gave are dead after this. */
void gpu_vm_exit(struct gpu_vm_worker *w);

/**
 * gpu_vm_lookup() - resident page at @va, inside a section
 * Return: kernel address of the *page* that holds @va (page start), with
 * *@access out = what is allowed; NULL if not resident or @want not allowed.
 */
void *gpu_vm_lookup(struct gpu_vm *vm, u64 va, u32 want, u32 *access);
/* The same for up to @n pages in a row; how many of them are there. */
unsigned int gpu_vm_lookup_run(struct gpu_vm *vm, u64 va, u32 want, void **pages,
			       unsigned int n);

#endif /* GPU_PAGECACHE_H */
