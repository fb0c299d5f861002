/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Resident pages of a GPU address space, and the sections within which lookups stay valid.
 */
#ifndef GPU_PAGECACHE_H
#define GPU_PAGECACHE_H

#include <linux/list.h>
#include <linux/types.h>

struct gpu_device;
struct gpu_vm;

/**
 * struct gpu_vm_worker - a thread that accesses memory through VMs
 * @vm: the VM that it is inside of, or NULL; read by shootdowns
 * @seq: counts sections; a shootdown waits until it or @vm has changed
 */
struct gpu_vm_worker {
	struct list_head node;
	struct gpu_vm *vm;
	u64 seq;
};

void gpu_vm_worker_add(struct gpu_device *gdev, struct gpu_vm_worker *w);
void gpu_vm_worker_del(struct gpu_device *gdev, struct gpu_vm_worker *w);

/**
 * gpu_vm_enter() - begin a section in which lookups stay valid
 * Preemption is off inside. Keep it short (one quantum) and do not sleep.
 * Return: the VM's generation. A worker that cached lookups of an older generation, or of
 * another VM, must drop them.
 */
u64 gpu_vm_enter(struct gpu_vm_worker *w, struct gpu_vm *vm);
/* Ends the section. Pointers returned by lookups are invalid after this. */
void gpu_vm_exit(struct gpu_vm_worker *w);

/**
 * gpu_vm_lookup() - resident page at @va; call it inside a section
 * Return: kernel address of the start of the page that contains @va, and in *@access the
 * allowed accesses; NULL if the page is not resident or @want is not allowed.
 */
void *gpu_vm_lookup(struct gpu_vm *vm, u64 va, u32 want, u32 *access);
/* The same for up to @n consecutive pages; returns how many of them are resident. */
unsigned int gpu_vm_lookup_run(struct gpu_vm *vm, u64 va, u32 want, void **pages,
			       unsigned int n);

/**
 * struct gpu_vm_mirror - page tables of a process that repeat a VM's page cache
 * @gone: pages @first to @last have been taken out of the page cache, or have changed. On return
 *	the page tables do not have them. Under vm->pc_lock; may be in reclaim, so it allocates
 *	nothing and waits for nobody who does
 */
struct gpu_vm_mirror {
	void (*gone)(struct gpu_vm_mirror *m, u64 first, u64 last);
};

/* From now on, @m hears of every page that goes. -EBUSY: another one does. */
int gpu_vm_mirror_set(struct gpu_vm *vm, struct gpu_vm_mirror *m);
/* Not any more, if it was @m who did. */
void gpu_vm_mirror_clear(struct gpu_vm *vm, const struct gpu_vm_mirror *m);

/**
 * gpu_vm_mirror_pages() - repeat what is resident
 * @vm: address space
 * @va: the page wanted
 * @n: how many pages to look at from there, at most
 * @want: GPU_*, of the first
 * @show: gets page number, page frame and GPU_*; under vm->pc_lock, so that pages that go
 *	meanwhile go afterwards. Not 0 ends the walk
 * @arg: for @show
 *
 * Return: what @show returned last; -ENOENT: the first is not resident with @want
 */
int gpu_vm_mirror_pages(struct gpu_vm *vm, u64 va, unsigned int n, u32 want,
			int (*show)(void *arg, u64 index, unsigned long pfn, u32 access),
			void *arg);

/* Where the resident page at @va is, inside a section; GPU_PLACE_NONE: none is resident. */
u32 gpu_vm_place(struct gpu_vm *vm, u64 va);

#endif /* GPU_PAGECACHE_H */
