/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to kmod/gpu/: what its files tell each other.
 */
#ifndef GPU_INT_H
#define GPU_INT_H

#include "bo.h"
#include "process.h"
#include "svm.h"
#include "vm.h"

/* mapping.c; vm->lock is held. The first mapping in @start..@last, and the one after @m there */
struct gpu_mapping *gpu_mapping_first(struct gpu_vm *vm, u64 start, u64 last);
struct gpu_mapping *gpu_mapping_next(struct gpu_mapping *m, u64 start, u64 last);

/* bo.c */
struct gpu_bo *gpu_bo_alloc(struct gpu_device *gdev, enum gpu_bo_kind kind, u64 size,
			    u32 flags, u64 va);
/* When all but the memory of @bo is there: the backend provides that. Else @bo is put. */
struct gpu_bo *gpu_bo_back(struct gpu_bo *bo);

/* dmabuf.c */
struct sg_table *gpu_bo_sg_table(struct gpu_bo *bo);
void gpu_import_fini(struct gpu_bo *bo);

/*
 * faulter.c. Start: in a context that may sleep, before the first user memory
 * is mapped. Ask for the page at @addr of the process, and maybe those after
 * it up to @end: -EAGAIN until it is there, or why it cannot be.
 */
int gpu_faulter_start(struct gpu_vm *vm, struct gpu_process *p);
int gpu_faulter_ask(struct gpu_faulter *ft, const struct mm_struct *mm, u64 addr, u64 end,
		    bool write);
/* Asks for pages to come to the memory of device @at - 1. True: it may be waited for. */
bool gpu_faulter_move(struct gpu_faulter *ft, const struct mm_struct *mm, u64 addr, u64 end,
		      u32 at);
/* Pages of ranges of SVM that have moved are to follow them, whenever the thread has time. */
void gpu_faulter_home(struct gpu_faulter *ft, const struct mm_struct *mm);

/*
 * room.c. The memory cgroup of who owns @mm, NULL: of the caller's. With a reference;
 * there may be none. Between enter and leave, allocations of the caller are charged to
 * @memcg if they are GFP_*_ACCOUNT.
 */
struct mem_cgroup *gpu_memcg_get(struct mm_struct *mm);
void gpu_memcg_put(struct mem_cgroup *memcg);
struct mem_cgroup *gpu_memcg_enter(struct mem_cgroup *memcg);
void gpu_memcg_leave(struct mem_cgroup *old);
/* What the kernel has counted for this thread is for the users of @vm to sleep for. */
void gpu_memcg_pass(struct gpu_vm *vm);

/* What allocates for a VM or a buffer: who may wait for memory, and who may not. */
#define GPU_GFP_WAIT	(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)
#define GPU_GFP_NOW	(GFP_NOWAIT | __GFP_ACCOUNT | __GFP_NOWARN)

int gpu_room_start(void);
void gpu_room_stop(void);
void gpu_room_init(struct gpu_room *room);
/* Memory for a fault at @va was not to be had at once: -EAGAIN, or -ENOMEM for good. */
int gpu_room_ask(struct gpu_vm *vm, u64 va);
bool gpu_room_wait(struct gpu_vm *vm, unsigned long timeout, bool fresh);
/*
 * Whose VMs wait for memory: one user's take turns, a few at a time. NULL: no memory. With a
 * reference. gpu_room_queue() runs @job, which waits for memory and holds a VM meanwhile.
 */
struct gpu_room_user *gpu_room_user_get(kuid_t uid);
void gpu_room_user_put(struct gpu_room_user *u);
void gpu_room_job_init(struct gpu_room_job *job, void (*run)(struct gpu_room_job *job));
void gpu_room_queue(struct gpu_room_user *u, struct gpu_room_job *job);
/* No request is under way any more, nor holds a VM. */
void gpu_room_flush(void);

/* charged.c */
void gpu_memory_ask_init(struct gpu_memory_ask *ask);

/**
 * struct gpu_vm_window - the pages of a VM that one fault looks at
 * @first: page index in the VM
 * @n,@at: how many pages; the one that faulted
 * @bo,@index: object with pages of its own that is mapped there, or NULL; its page
 *	that @first shows
 */
struct gpu_vm_window {
	u64 first;
	unsigned int n, at;
	struct gpu_bo *bo;
	pgoff_t index;
};

/* vm.c. @win->bo comes with a reference. */
void gpu_vm_window_get(struct gpu_vm *vm, u64 va, struct gpu_vm_window *win);

/* target.c */
int gpu_target_check(void);

/* device.c. Has @ops all members that every backend has (backend.h)? */
struct gpu_backend_ops;
bool gpu_backend_complete(const struct gpu_backend_ops *ops);

/**
 * struct gpu_user_view - where a VM shows memory of a process
 * @range: covers that memory
 * @lock: what its @seq is counted under; outside vm->pc_lock
 * @start,@last: in the VM; a fault takes no page outside
 * @addr: what the process has where the VM has @start
 * @access: GPU_* that may be given
 * @place: where that memory is, GPU_PLACE_*
 * @changes,@seen: the view is no longer true once @changes, under @lock, is
 *	not @seen; or NULL
 */
struct gpu_user_view {
	struct gpu_vm *vm;
	const struct gpu_mm_range *range;
	struct mutex *lock;
	u64 start, last;
	u64 addr;
	u32 access, place;
	const u64 *changes;
	u64 seen;
};

/*
 * usermem.c. Fills the page cache of the view's VM around @va, which lies in the
 * view and may have @access; vm->lock is held for reading. Same answers as
 * gpu_vm_fault(), and -ENOBUFS: memory is to be waited for.
 */
int gpu_user_fault(const struct gpu_user_view *v, u64 va, u32 access, struct gpu_fault *fault);
/* -EFAULT unless all of it is memory with these VM_* flags; under mmap_lock. */
int gpu_user_check(struct mm_struct *mm, u64 addr, u64 end, unsigned long flags);

/* svm.c. The same where no buffer is mapped; vm->svm is there. */
/* Cuts @start..@last, around @va, at mappings of buffers; vm->lock is held, and @va is in none */
void gpu_vm_gap(struct gpu_vm *vm, u64 va, u64 *start, u64 *last);
int gpu_svm_fault(struct gpu_vm *vm, u64 va, u32 access, struct gpu_fault *fault);

/* vm.c. Is anything mapped in @start..@last? */
bool gpu_vm_maps(struct gpu_vm *vm, u64 start, u64 last);
/* Says in @fault why @access is more than @allowed. */
void gpu_fault_denied(struct gpu_fault *fault, u32 access, u32 allowed);

/*
 * userptr.c. Fills the page cache of @m's VM around @va, which lies in @m;
 * vm->lock is held for reading. Same answers as gpu_vm_fault().
 */
int gpu_userptr_fault(struct gpu_mapping *m, u64 va, u32 access, struct gpu_fault *fault);
int gpu_userptr_init(struct gpu_bo *bo, struct gpu_process *p, u64 addr, u64 size,
		     u32 look);
void gpu_userptr_fini(struct gpu_bo *bo);

/*
 * pagecache.c. Entries are (pfn << GPU_PC_PFN_SHIFT | place << GPU_PC_PLACE_SHIFT | access)
 * as xarray values: 40 bits of pfn, which x86-64 has at most, 10 of place, 3 of access.
 * Slots are reserved with gpu_pc_reserve() where memory may be allocated, and
 * filled with gpu_pc_store() under vm->pc_lock, where it may not.
 */
#define GPU_PC_PLACE_SHIFT	3
#define GPU_PC_PFN_SHIFT	13

/* Pages that one fault brings in at most: an aligned window around it. */
#define GPU_FAULT_PAGES	16

int gpu_pc_reserve(struct gpu_vm *vm, u64 first, unsigned int n, gfp_t gfp);
void gpu_pc_release(struct gpu_vm *vm, u64 first, unsigned int n);
int gpu_pc_store(struct gpu_vm *vm, u64 index, unsigned long pfn, u32 access, u32 place);
/*
 * Remove the pages @first..@last and wait for the workers inside @vm to leave
 * their sections. vm->pc_lock is held. Bounded, does not sleep. @dirty: tell
 * the mm about pages that the GPU may have written (pages of a process).
 */
void gpu_pc_shootdown(struct gpu_vm *vm, u64 first, u64 last, bool dirty);
/*
 * The two halves of it, for who has many ranges: removes pages, which workers may still
 * be at (true if there were some, and then which was the first and the last); and
 * waits for all that have been removed. pc_lock is held from the one to the other.
 */
bool gpu_pc_erase(struct gpu_vm *vm, u64 *first, u64 *last, bool dirty);
void gpu_pc_settle(struct gpu_vm *vm);

/*
 * shrink.c. VMs join when they are complete, and part before they are taken apart.
 * @pages more in all page caches; @max less of them, and how many there were.
 */
int gpu_shrink_start(void);
void gpu_shrink_stop(void);
void gpu_pc_join(struct gpu_vm *vm);
void gpu_pc_part(struct gpu_vm *vm);
void gpu_pc_count(long pages);
unsigned long gpu_pc_shrink(unsigned long max);

/* bo.c: @size more of @limit, or -ENOMEM. And of the quota of system memory */
int gpu_quota_charge(atomic64_t *used, u64 limit, u64 size);
int gpu_gtt_take(struct gpu_device *gdev, u64 bytes);
void gpu_gtt_give(struct gpu_device *gdev, u64 bytes);

/* doorbell.c */
int gpu_doorbell_start(void);
void gpu_doorbell_stop(void);

/* svm_place.c. svm->lock is held for the first three. */
struct gpu_svm_attrs;
struct gpu_vram_want;

/*
 * A range goes from the memory of one GPU to another's, NULL: the machine's.
 * False if there is no room.
 */
bool gpu_svm_move(struct gpu_vm *from, struct gpu_vm *to, u64 start, u64 last,
		  const struct gpu_svm_attrs *a, enum gpu_svm_move why);
/* Would they have room? Only somebody else's doing may make the answer wrong. */
bool gpu_svm_has_room(const struct gpu_vm *to, u64 bytes);
/* @bytes of ranges in the GPU's memory are no more. */
void gpu_svm_drop(struct gpu_vm *vm, u64 bytes);
/*
 * Pages of ranges are taken from the GPU; vm->pc_lock is held. True if it had some:
 * gpu_pc_settle() is to follow.
 */
bool gpu_svm_take_pages(struct gpu_vm *vm, u64 start, u64 last, enum gpu_svm_taken why);
/* Has ranges leave the memory of the VM's GPU until @bytes are gone, or none is left. */
void gpu_svm_evict(struct gpu_vm *vm, u64 bytes, const struct gpu_vram_want *want);
/* A fault with XNACK, @since: of boot time, when it was looked at. */
void gpu_svm_fault_waits(struct gpu_vm *vm, u64 va, u64 since);
void gpu_svm_fault_served(struct gpu_vm *vm, u64 va, bool write, bool migrates, u64 since);

#endif /* GPU_INT_H */
