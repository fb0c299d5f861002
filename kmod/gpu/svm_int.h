/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ranges of shared virtual memory, for svm.c (which describes the model) and svm_*.c.
 */
#ifndef GPU_SVM_INT_H
#define GPU_SVM_INT_H

#include <linux/list.h>
#include <linux/mempool.h>
#include <linux/refcount.h>

#include "gpu_int.h"
#include "mm.h"
#include "svm.h"

/* Limits a process that gives alternating attributes to single pages. */
#define GPU_SVM_MAX_RANGES	(1u << 18)

/**
 * struct gpu_svm_range - part of the address space with the same attributes
 * @rb: in svm->ranges
 * @start: first byte
 * @last: last byte
 * @__subtree_last: for the interval tree
 * @attrs: attributes
 * @moved: when a fault last moved it (jiffies); of no matter while it is in system memory
 * @link: in a list while it is not in the tree
 * @placed: in svm->placed while it is in the tree and at a GPU
 */
struct gpu_svm_range {
	struct rb_node rb;
	u64 start, last;
	u64 __subtree_last;
	struct gpu_svm_attrs attrs;
	unsigned long moved;
	struct list_head link, placed;
};

/**
 * struct gpu_svm - shared virtual memory of one process
 * @process: the process
 * @lock: guards everything below. MMU notifiers take it, so no code that holds it may
 *	allocate in a way that can enter reclaim
 * @ranges: interval tree of struct gpu_svm_range; they do not overlap, and neighbours differ
 * @num_ranges: number of entries in @ranges
 * @placed: those that are at each GPU, by its bit; the longest there, or unchanged, first
 * @changes: counts changes that may have revoked a right
 * @moves: counts ranges that have moved
 * @gpus: devices that have SVM
 * @vms: VMs of the devices, by their bit; @ids: by what gpu_id attributes name them
 * @xnack: GPUs may also access memory that is in no range
 * @enabled: @range is there (written under process->lock)
 * @holds: list of struct gpu_svm_hold (svm_hold.c)
 * @node: in the table of those that are enabled (svm_zone.c)
 * @refs: the owner's, and of whoever has found it there
 * @reserve: preallocated ranges for cuts in the notifier
 * @range: covers the whole address space
 */
struct gpu_svm {
	struct gpu_process *process;
	struct mutex lock;
	struct rb_root_cached ranges;
	unsigned int num_ranges;
	struct list_head placed[GPU_SVM_MAX_GPUS];
	u64 changes, moves;
	u32 gpus;
	struct gpu_vm *vms[GPU_SVM_MAX_GPUS];
	u32 ids[GPU_SVM_MAX_GPUS];
	bool xnack;
	bool enabled;
	struct list_head holds;
	struct hlist_node node;
	refcount_t refs;
	mempool_t reserve;
	struct gpu_mm_range range;
};

#define for_each_svm_range(r, svm, start, last)				\
	for (r = gpu_svm_first(svm, start, last); r;			\
	     r = gpu_svm_next(r, start, last))

/* svm.c; svm->lock is held except for the last two. Ranges that overlap @start..@last, in order */
struct gpu_svm_range *gpu_svm_first(struct gpu_svm *svm, u64 start, u64 last);
struct gpu_svm_range *gpu_svm_next(struct gpu_svm_range *r, u64 start, u64 last);
void gpu_svm_insert(struct gpu_svm *svm, struct gpu_svm_range *r);
void gpu_svm_remove(struct gpu_svm *svm, struct gpu_svm_range *r);
/* The range, which is in the tree, counts as at device @at - 1 from now on; 0: at none */
void gpu_svm_put_at(struct gpu_svm *svm, struct gpu_svm_range *r, u32 at);
/* Attributes of memory that is in no range */
struct gpu_svm_attrs gpu_svm_defaults(const struct gpu_svm *svm);
/* Removes the pages of @start..@last from all GPUs, also those of buffers there. */
void gpu_svm_zap_pages(struct gpu_svm *svm, u64 start, u64 last, enum gpu_svm_taken why);
/* Changes of the mm are told of from now on; process->lock is held. */
int gpu_svm_enable(struct gpu_svm *svm);
/* Drops a reference. */
void gpu_svm_put(struct gpu_svm *svm);

/* svm_attr.c; svm->lock is held. Merges neighbours that have become equal. */
void gpu_svm_merge(struct gpu_svm *svm, u64 start, u64 last);

/* svm_fault.c; svm->lock is held. Can GPU @other reach memory at GPU @at (1 + index)? */
bool gpu_svm_in_reach(const struct gpu_svm *svm, u32 at, u32 other);

/**
 * struct gpu_svm_moves - pages that are to follow their range
 * @start: first byte
 * @last: last byte
 * @at: to the memory of device @at - 1; 0: none are
 * @home: back to system memory, or @at is not where they are
 */
struct gpu_svm_moves {
	u64 start, last;
	u32 at;
	bool home;
};

/*
 * The VM's GPU has faulted, with XNACK, at @va, where it has access. False: this memory is, and
 * is to be, in system memory.
 */
bool gpu_svm_bring(struct gpu_svm *svm, struct gpu_vm *vm, u64 va, struct gpu_svm_moves *moves);
/*
 * The part of the range at @va that moves as a whole, and where its pages are. If @leave, and it is
 * at a GPU, it counts as in system memory from now on, as a CPU has touched it.
 */
void gpu_svm_leave(struct gpu_svm *svm, u64 va, struct gpu_svm_moves *moves, bool leave);

/* svm_hold.c; svm->lock is held. Notifies the holders of @start..@last, which is unmapped. */
void gpu_svm_tell_holders(struct gpu_svm *svm, u64 start, u64 last);

/*
 * svm_zone.c: pages of ranges that move for real (zone.c). No lock of ours is held for the
 * latter ones, but mmap_lock for reading in gpu_svm_follow().
 */
void gpu_svm_join(struct gpu_svm *svm);
void gpu_svm_part(struct gpu_svm *svm);
/* Does a move of the range move pages, so that they are counted there? */
bool gpu_svm_pages_follow(enum gpu_svm_move why);
/*
 * svm->lock is held. The range is at @at from now on, and its pages, wherever they are, are to
 * follow: true if somebody has to see to that.
 */
bool gpu_svm_place(struct gpu_svm *svm, struct gpu_svm_range *r, u32 at);
/* Pages of ranges in @start..@last go to where their ranges are. */
void gpu_svm_follow(struct gpu_svm *svm, u64 start, u64 last);
/*
 * For the thread that serves faults, which holds the mm but no lock: the same, for pages that are
 * to go to one device, and for all that are not where their ranges are
 */
void gpu_svm_bring_pages(struct mm_struct *mm, u64 start, u64 last, u32 at);
void gpu_svm_bring_home(struct mm_struct *mm);

/**
 * struct gpu_svm_touch - a CPU's fault in memory that is with a GPU
 * @mm: whose memory
 * @addr: the page
 * @start: first byte of what is to come back, the page at least
 * @last: its last byte
 * @at: pages count as from device @at - 1; 0: they are nobody's
 */
struct gpu_svm_touch {
	struct mm_struct *mm;
	u64 addr, start, last;
	u32 at;
};

/* Before, fills in @t, and after @pages have come back */
void gpu_svm_touch(struct gpu_svm_touch *t);
void gpu_svm_touched(const struct gpu_svm_touch *t, u64 pages);

#endif /* GPU_SVM_INT_H */
