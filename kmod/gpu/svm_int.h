/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ranges of shared virtual memory, for svm.c, which has the model, and svm_attr.c.
 */
#ifndef GPU_SVM_INT_H
#define GPU_SVM_INT_H

#include <linux/mempool.h>
#include <linux/mmu_notifier.h>

#include "gpu_int.h"
#include "svm.h"

/**
 * struct gpu_svm_range - part of the address space with the same attributes
 * @rb: in svm->ranges
 * @start: first byte
 * @last: and last one
 * @__subtree_last: the tree's
 * @attrs: what was set
 * @link: while it is in no tree
 */
struct gpu_svm_range {
	struct rb_node rb;
	u64 start, last;
	u64 __subtree_last;
	struct gpu_svm_attrs attrs;
	struct list_head link;
};

/**
 * struct gpu_svm - of one process
 * @process: whose
 * @lock: everything below; taken in MMU notifiers, so nothing is allocated
 *	under it that could reclaim
 * @ranges: interval tree of struct gpu_svm_range; they do not overlap, and
 *	neighbours differ
 * @num_ranges: in @ranges
 * @changes: counts what may take a right of access away
 * @gpus: devices that have SVM
 * @vms: of the devices, by their bit
 * @xnack: GPUs may use what is not in @ranges
 * @enabled: @notifier is there (written under process->lock)
 * @holds: of svm_hold.c
 * @reserve: ranges for cuts in the notifier
 * @notifier: of the whole address space
 */
struct gpu_svm {
	struct gpu_process *process;
	struct mutex lock;
	struct rb_root_cached ranges;
	unsigned int num_ranges;
	u64 changes;
	u32 gpus;
	struct gpu_vm *vms[GPU_SVM_MAX_GPUS];
	bool xnack;
	bool enabled;
	struct list_head holds;
	mempool_t reserve;
	struct mmu_interval_notifier notifier;
};

#define for_each_svm_range(r, svm, start, last)				\
	for (r = gpu_svm_first(svm, start, last); r;			\
	     r = gpu_svm_next(r, start, last))

/* svm.c; svm->lock is held but for the last. Ranges that meet @start..@last, in order */
struct gpu_svm_range *gpu_svm_first(struct gpu_svm *svm, u64 start, u64 last);
struct gpu_svm_range *gpu_svm_next(struct gpu_svm_range *r, u64 start, u64 last);
void gpu_svm_insert(struct gpu_svm *svm, struct gpu_svm_range *r);
void gpu_svm_remove(struct gpu_svm *svm, struct gpu_svm_range *r);
/* What holds where nobody said anything */
struct gpu_svm_attrs gpu_svm_defaults(const struct gpu_svm *svm);
/* GPUs lose the pages of @start..@last, whatever shows them there. */
void gpu_svm_zap_pages(struct gpu_svm *svm, u64 start, u64 last, enum gpu_svm_taken why);
/* From now on the mm tells what it changes; process->lock is held. */
int gpu_svm_enable(struct gpu_svm *svm);

/* svm_hold.c; svm->lock is held. @start..@last is unmapped. */
void gpu_svm_tell_holders(struct gpu_svm *svm, u64 start, u64 last);

#endif /* GPU_SVM_INT_H */
