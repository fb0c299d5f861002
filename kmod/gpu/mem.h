/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory side of a backend: where a GPU's buffers are, how its address spaces show them,
 * and which files bring an address space. gpu/ keeps the books (quotas, who maps what,
 * references) and is the only caller; faces call the functions of bo.h and vm.h, and
 * those of backend.h for files.
 */
#ifndef GPU_MEM_H
#define GPU_MEM_H

#include <linux/types.h>

struct dma_buf;
struct file;
struct gpu_bo;
struct gpu_device;
struct gpu_mapping;
struct gpu_vm;
struct page;

/**
 * struct gpu_mem_ops - memory of a backend's GPUs; no member is NULL but those that say
 *	"optional"
 *
 * @own_system: optional: who provides memory limits what GTT objects take of the machine's, and
 *	gpu/ does not
 *
 * @bo_init: provide the memory of an object: all members but those of the memory itself are
 *	set, whatever its kind (of USERPTR the range, of DOORBELL the slice, of IMPORT the
 *	exporter's pages), and its quota is charged. In the context of who creates it, whose
 *	memory cgroup pays; may be under process->lock; sleeps, may wait for memory. Memory is
 *	zero for who reads it first; it may appear only then. 0, or an error that user space
 *	gets, and nothing is left behind
 * @bo_fini: no reference is left, nothing maps it, no CPU mapping shows it: give the memory
 *	back. Only after @bo_init succeeded. From any context that may sleep and holds none of
 *	our locks but process->lock or one of a caller's; the process may be gone. It never
 *	fails
 * @bo_page: page @index of a VRAM, GTT or MMIO object; within it. @gfp says whether memory
 *	may be waited for. Any number of times, from several threads at a time, under
 *	mmap_lock or vm->lock. The page stays until @bo_fini. ERR_PTR: -ENOMEM; -EINVAL: the
 *	memory has no pages that a CPU could reach
 * @bo_move: optional: an object of VRAM now counts as in VRAM or, if gpu_bo_evicted(), as in system
 *	memory; GPUs that have it mapped look again where it is. Under process->lock or none of
 *	our locks; sleeps. Never fails. NULL: objects never have to leave VRAM
 * @bo_mmap_offset: where the object is in the file that @vm_from_file accepts, for mmap;
 *	0: nowhere
 * @bo_allow: let the holder of @f, such a file, mmap it there. 0; -EINVAL: not such a file, or
 *	of another GPU; -ENOMEM
 * @bo_revoke: undo one @bo_allow. Mappings that are there stay
 * @bo_export: optional: gpu/ exports its pages. A dma-buf of a VRAM or GTT object. Sleeps
 * @bo_of_dmabuf: there if @bo_export is: the object of @gdev that a dma-buf is of, with a
 *	reference; ERR_PTR: -EINVAL: of none
 * @vm_from_file: the address space of a file (what ACQUIRE_VM brings), with a reference.
 *	It lives at least as long as the caller keeps the file. Under process->lock; the same
 *	file gives the same address space each time. -EINVAL: not a file of @gdev
 * @vm_map: optional: show part of an object in page tables of the backend's own, beside the page
 *	cache (pagecache.h), which gpu/ keeps: the object may be of another GPU. vm->update is held,
 *	vm->lock is not; nothing else is mapped there; @m is in the tree and in bo->maps. Sleeps, and
 *	may take as long as the client likes. 0, or an error that user space gets, and nothing is
 *	mapped
 * @vm_unmap: there if @vm_map is: undo it. vm->update is held, vm->lock is not; @m is on no list
 *	that others look at, and still has its object. When it returns the GPU does not touch the
 *	object through @m any more. It never fails, and allocates nothing that could fail
 * @vm_fini: optional: nothing is mapped in an address space any more, and nobody has it: give
 *	back what @vm_from_file has hung onto it. Sleeps
 */
struct gpu_mem_ops {
	bool own_system;
	int (*bo_init)(struct gpu_bo *bo);
	void (*bo_fini)(struct gpu_bo *bo);
	struct page *(*bo_page)(struct gpu_bo *bo, pgoff_t index, gfp_t gfp);
	void (*bo_move)(struct gpu_bo *bo);
	u64 (*bo_mmap_offset)(struct gpu_bo *bo);
	int (*bo_allow)(struct gpu_bo *bo, struct file *f);
	void (*bo_revoke)(struct gpu_bo *bo, struct file *f);
	struct dma_buf *(*bo_export)(struct gpu_bo *bo, int flags);
	struct gpu_bo *(*bo_of_dmabuf)(struct gpu_device *gdev, struct dma_buf *dmabuf);

	int (*vm_from_file)(struct gpu_device *gdev, struct file *f, struct gpu_vm **vm);
	int (*vm_map)(struct gpu_mapping *m);
	void (*vm_unmap)(struct gpu_mapping *m);
	void (*vm_fini)(struct gpu_vm *vm);
};

/*
 * ram.c: for GPUs that have no memory of their own and are reached through our DRM face:
 * objects are pages of RAM that appear when they are touched, and what a GPU has mapped is
 * what its page cache (pagecache.h) says.
 */
extern const struct gpu_mem_ops gpu_ram_ops;

#endif /* GPU_MEM_H */
