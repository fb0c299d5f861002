/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * GPU address spaces: what is mapped where, and the fault that makes a page
 * resident. Lookups of resident pages are in pagecache.h, copies in access.h.
 */
#ifndef GPU_VM_H
#define GPU_VM_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/rwsem.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include "charged.h"
#include "room.h"

struct gpu_bo;
struct gpu_device;
struct gpu_faulter;
struct gpu_process;
struct gpu_svm;
struct gpu_vm_mirror;
struct mem_cgroup;

/* Memory access, same bits as ISA_R/W/X. */
#define GPU_R	BIT(0)
#define GPU_W	BIT(1)
#define GPU_X	BIT(2)

/*
 * Where memory is. Of a GPU without memory of its own that is a matter of its quota: the page
 * is RAM.
 */
#define GPU_PLACE_NONE		0
#define GPU_PLACE_SYSTEM	1
#define GPU_PLACE_VRAM(gdev)	(2 + (gdev)->index)

/* No page of an address space. */
#define GPU_NO_PAGE	(~0ull)

/**
 * struct gpu_mapping - a range of a VM that shows part of a BO
 * @rb: in vm->mappings (vm->lock); @start, @last: bytes, inclusive
 * @offset: byte offset of @start in @bo
 * @access: GPU_R | GPU_W | GPU_X
 * @gem: made by a handle of the VM's DRM file, and goes with the last of these
 * @pins: gpu_vm_pin() (vm->lock)
 * @bo_node: in bo->maps
 * @shown: the backend has mapped it (vm->update)
 * @priv: for the backend
 */
struct gpu_mapping {
	struct rb_node rb;
	u64 start, last;
	u64 __subtree_last;
	struct gpu_vm *vm;
	struct gpu_bo *bo;
	u64 offset;
	u32 access;
	bool gem, shown;
	unsigned int pins;
	struct list_head bo_node;
	void *priv;
};

/**
 * struct gpu_vm - GPU address space of one DRM file
 * @update: held by who changes mappings, all the time; outside of @lock. That may take as long as
 *	the client likes, so the GPU's threads never take it
 * @lock: mapping tree: write = map/unmap, read = fault
 * @mappings: interval tree of struct gpu_mapping
 * @process: set once by ACQUIRE_VM (the VM is then a compute VM); kfd/ keeps
 *	the process alive while there are queues, and clears it at teardown
 * @pages: page cache: va >> PAGE_SHIFT -> page frame number, place (GPU_PLACE_*) and
 *	GPU_* access bits in one xarray value. What translation reads.
 *	Additions under @pc_lock after checking the notifier sequence.
 * @pc_lock: page cache and @gen; taken in MMU notifiers, so nothing is
 *	allocated under it that could reclaim
 * @gen: bumped by every removal from @pages
 * @mirror: page tables that repeat the page cache, or NULL (@pc_lock); @mirror_start: held by who
 *	looks for one and starts it
 * @pc_node,@pc_next: where the shrinker finds it, and goes on (shrink.c)
 * @memcg: whose memory the page cache is, with a reference
 * @over_high: pages above its memory.high that nobody has slept for yet (room.c)
 * @room: memory that a fault waits for; @memory_ask: memory that its waves wait for; @room_user:
 *	in whose turn, that of the creator
 * @faulter: brings the process's pages in; set once for a process, forgotten at
 *	its end (@lock, faulter.c)
 * @stalled: for the backend (its lock): queues that wait for such a page
 * @svm: where what nothing is mapped at is looked for, or NULL (@lock);
 *	@svm_index: the device's bit there
 * @retry_faults: of SVM with XNACK, served
 * @late_page,@late_since: one that waits, and since when
 * @changing_ns: since when faults have found memory that was being changed, or 0
 * @changing_seen: gpu_mm_rested() before one of them looked
 * @svm_bytes: of SVM ranges in the GPU's memory, part of vram_used
 * @pages_in,@pages_out: of ranges that came to that memory, and left it
 * @vram_node: with @svm: in gdev->vram_vms
 * @fault_va,@fault_why: of the last fault of a wave or packet, and GPU_FAULTED_*: 0: there was none
 * @clock_skew: of a GPU that has a clock of its own: ticks that it is ahead of ours, as this VM's
 *	process has read it. Not the GPU's, as a process may have what it reads say anything
 * @clock_told: the last time that was told
 * @priv: for the backend (gpu_mem_ops.vm_fini)
 */
struct gpu_vm {
	struct kref ref;
	struct gpu_device *gdev;
	struct gpu_process *process;
	struct mutex update;
	struct rw_semaphore lock;
	struct rb_root_cached mappings;
	struct xarray pages;
	struct mutex pc_lock;
	u64 gen;
	struct gpu_vm_mirror *mirror;
	struct mutex mirror_start;
	struct list_head pc_node;
	unsigned long pc_next;
	struct mem_cgroup *memcg;
	atomic_t over_high;
	struct gpu_room room;
	struct gpu_memory_ask memory_ask;
	struct gpu_room_user *room_user;
	struct gpu_faulter *faulter;
	unsigned int stalled;
	struct gpu_svm *svm;
	unsigned int svm_index;
	atomic64_t retry_faults;
	u64 late_page, late_since;
	u64 changing_ns;
	unsigned int changing_seen;
	struct list_head vram_node;
	atomic64_t svm_bytes, pages_in, pages_out;
	u64 fault_va;
	u32 fault_why;
	atomic64_t clock_skew, clock_told;
	void *priv;
};

struct gpu_vm *gpu_vm_create(struct gpu_device *gdev);
void gpu_vm_put(struct gpu_vm *vm);
/*
 * By a thread of the process, on its way to user space: if the GPU has taken memory for it
 * above memory.high of its cgroup, it sleeps there.
 */
void gpu_vm_throttle(struct gpu_vm *vm);
void gpu_vm_get(struct gpu_vm *vm);
/*
 * Whole pages; -EINVAL on overlap, misalignment or beyond the BO; or what the backend says
 * (gpu_mem_ops.vm_map).
 */
int gpu_vm_map(struct gpu_vm *vm, struct gpu_bo *bo, u64 va, u64 offset,
	       u64 size, u32 access);
/* Exactly what one gpu_vm_map() mapped; returns when no worker uses it. */
int gpu_vm_unmap(struct gpu_vm *vm, struct gpu_bo *bo, u64 va);
/*
 * What is left of a gpu_vm_map() of these @size bytes: GEM_VA may have cut it, or put
 * something else in its place, which stays.
 */
void gpu_vm_unmap_range(struct gpu_vm *vm, struct gpu_bo *bo, u64 va, u64 size);
/*
 * A queue needs the mapping that starts at @va and has @size bytes (0: any),
 * whole pages: -EINVAL if there is none. Only a mark: KFD's UNMAP looks at it,
 * GEM_VA does not.
 */
int gpu_vm_pin(struct gpu_vm *vm, u64 va, u64 size);
void gpu_vm_unpin(struct gpu_vm *vm, u64 va);
bool gpu_vm_pinned(struct gpu_vm *vm, u64 va);
/* Does one mapping show all of @size bytes from the page of @va on? */
bool gpu_vm_shows(struct gpu_vm *vm, u64 va, u64 size);
/*
 * The aligned word at @va, as CPUs see it, of a buffer of one page at most: -EINVAL if that is not
 * what is mapped there, or is user memory of another process than the caller's; -ENOMEM.
 */
int gpu_vm_peek64(struct gpu_vm *vm, u64 va, u64 *value);
/* Is it such a word? Touches no memory. */
bool gpu_vm_can_peek(struct gpu_vm *vm, u64 va);
void gpu_vm_unmap_all(struct gpu_vm *vm);
/*
 * For handles of the VM's DRM file. @access may be 0: a range that is taken
 * and faults. With @replace what stands in the way is cleared, else -EINVAL. -EPERM: memory of
 * another process than the one whose memory @vm has already.
 */
int gpu_vm_map_gem(struct gpu_vm *vm, struct gpu_bo *bo, u64 va, u64 offset, u64 size,
		   u32 access, bool replace);
/*
 * Unmap what lies in the range, whoever mapped it; mappings are cut at its ends. If the
 * backend does not map again what is left of one that is cut, that is unmapped, too, and its
 * error returned.
 */
int gpu_vm_clear(struct gpu_vm *vm, u64 va, u64 size);
/* The last handle of @bo has gone. */
void gpu_vm_unmap_gem(struct gpu_vm *vm, struct gpu_bo *bo);

/* Why a GPU access failed: memory exception data of KFD. */
struct gpu_fault {
	u64 va;
	u32 access;
	bool not_present, read_only, no_execute;
};

#define GPU_FAULTED		BIT(0)
#define GPU_FAULTED_ABSENT	BIT(1)	/* nothing is there; else it is not for this access */
#define GPU_FAULTED_WRITE	BIT(2)
#define GPU_FAULTED_EXECUTE	BIT(3)

/* A wave or packet had @fault, which is the end of its queue: whoever has the VM may ask. */
void gpu_vm_faulted(struct gpu_vm *vm, const struct gpu_fault *fault);
/* The last of them: GPU_FAULTED_*; 0: none. */
u32 gpu_vm_last_fault(struct gpu_vm *vm, u64 *va);

/**
 * gpu_vm_fault() - make a page resident in the page cache
 * @vm: address space
 * @va: any address in the page
 * @access: GPU_* wanted
 * @fault: out, when -EFAULT: why
 *
 * Allocates BO pages; takes user pages that are resident. Sleeps, but never for
 * the process, nor for memory; must not be called inside a section.
 *
 * Return: 0, -EAGAIN (a user page or memory has been asked for: do something else,
 * or gpu_vm_fault_wait(), and call again), -EFAULT (a GPU fault), -ENOMEM, -ESRCH
 * (the mm is gone).
 */
int gpu_vm_fault(struct gpu_vm *vm, u64 va, u32 access, struct gpu_fault *fault);

#endif /* GPU_VM_H */
