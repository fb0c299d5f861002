/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared virtual memory of a process: ranges of its own address space that its
 * GPUs use at the same addresses, and what user space said of each range.
 */
#ifndef GPU_SVM_H
#define GPU_SVM_H

#include <linux/bits.h>
#include <linux/list.h>
#include <linux/types.h>

struct gpu_device;
struct gpu_process;
struct gpu_svm;
struct gpu_vm;

#define GPU_SVM_MAX_GPUS	32	/* bits of the masks below */

#define GPU_SVM_NOWHERE		(~0u)	/* a place that nobody named */

/* Flags that are the default or mean something here; user space's values. */
#define GPU_SVM_HOST_ACCESS	BIT(0)
#define GPU_SVM_COHERENT	BIT(1)
#define GPU_SVM_READ_ONLY	BIT(3)
#define GPU_SVM_EXEC		BIT(4)
#define GPU_SVM_ALWAYS_MAPPED	BIT(6)

/**
 * struct gpu_svm_attrs - what is known of a range
 * @preferred,@prefetch: GPU_SVM_NOWHERE, 0 (the machine's memory) or a gpu_id
 * @flags: GPU_SVM_*, and others that are kept
 * @granularity: log2 of pages
 * @access,@in_place: GPUs that have access of either kind; never both
 * @at: 0, or 1 + the index of the device in whose memory it is
 */
struct gpu_svm_attrs {
	u32 preferred, prefetch;
	u32 flags;
	u32 granularity;
	u32 access, in_place;
	u32 at;
};

/**
 * struct gpu_svm_change - what a list of attributes comes to
 * @value: of those members that the masks below name
 * @preferred,@prefetch,@granularity: they change; with @prefetch goes @value.at
 * @flags_set,@flags_clear: the flags that become 1, or else 0
 * @gpus: whose access is as @value says
 * @remap: access or flags were named, so GPUs look at the range anew
 */
struct gpu_svm_change {
	struct gpu_svm_attrs value;
	bool preferred, prefetch, granularity;
	u32 flags_set, flags_clear;
	u32 gpus;
	bool remap;
};

/**
 * struct gpu_svm_summary - what a part of the address space has in common
 * @attrs: as far as all ranges agree; of @attrs.flags: in all of them
 * @flags_any: flags that some range has
 */
struct gpu_svm_summary {
	struct gpu_svm_attrs attrs;
	u32 flags_any;
};

/* Who takes pages of shared memory from a GPU. */
enum gpu_svm_taken {
	GPU_SVM_TAKEN,		/* the mm: they change */
	GPU_SVM_TAKEN_MOVED,	/* they are somewhere else then */
	GPU_SVM_TAKEN_UNMAPPED,	/* there is no memory any more */
	GPU_SVM_TAKEN_BY_US,	/* and they come back by themselves */
};

/**
 * struct gpu_svm_event - something happened to shared memory
 * @kind: what; the members below it are of that kind only
 * @first: page of the address space
 * @since: when it began, ns of boot time
 * @pages: how many (not of faults)
 * @from,@to: MIGRATED: gpu_ids, 0: the machine's memory
 * @prefetch,@preferred: attributes of the range
 * @write: FAULTED: by a store
 * @why: UNMAPPED
 */
struct gpu_svm_event {
	enum { GPU_SVM_MIGRATED, GPU_SVM_FAULTED, GPU_SVM_UNMAPPED } kind;
	u64 first, pages, since;
	u32 from, to, prefetch, preferred;
	bool write;
	enum gpu_svm_taken why;
};

/* @gpus: bit n: the process's n-th device has SVM. May sleep; ERR_PTR. */
struct gpu_svm *gpu_svm_create(struct gpu_process *p, u32 gpus);
/* The VM of device @index; from now on its faults look here. */
void gpu_svm_attach(struct gpu_svm *svm, struct gpu_vm *vm, unsigned int index);
/* Nothing executes any more: no range is reachable when this returns. */
void gpu_svm_detach(struct gpu_svm *svm);
void gpu_svm_free(struct gpu_svm *svm);

/*
 * In a task that runs in the process's mm, process->lock held. @start and @size
 * are whole pages and not 0. -EFAULT: not all of it is memory of the process;
 * -EADDRINUSE: a buffer is mapped there; -ENOMEM, -EINTR.
 */
int gpu_svm_set(struct gpu_svm *svm, u64 start, u64 size, const struct gpu_svm_change *c);
int gpu_svm_get(struct gpu_svm *svm, u64 start, u64 size, struct gpu_svm_summary *s);
/* With it on, GPUs reach all memory of the process that no range forbids. */
int gpu_svm_set_xnack(struct gpu_svm *svm, bool on);
bool gpu_svm_xnack(const struct gpu_svm *svm);

/**
 * struct gpu_svm_hold - memory that a queue cannot do without (svm_hold.c)
 * @link: while it is held; empty before, and when it was lost
 * @start: first byte
 * @last: and last one
 * @lost: some of it was unmapped. Called once, in the notifier of the mm, svm->lock held
 */
struct gpu_svm_hold {
	struct list_head link;
	u64 start, last;
	void (*lost)(struct gpu_svm_hold *h);
};

/* -EINVAL: not all of it is in ranges that device @index always has mapped. */
int gpu_svm_hold(struct gpu_svm *svm, struct gpu_svm_hold *h, u64 start, u64 last,
		 unsigned int index);
void gpu_svm_release(struct gpu_svm *svm, struct gpu_svm_hold *h);
/* Was it held, and has been unmapped? */
static inline bool gpu_svm_lost(const struct gpu_svm_hold *h)
{
	return h->lost && list_empty(&h->link);
}

/* Is there a range in @start..@last? */
bool gpu_svm_overlaps(struct gpu_svm *svm, u64 start, u64 last);
unsigned int gpu_svm_count(const struct gpu_svm *svm);

#endif /* GPU_SVM_H */
