/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared virtual memory of a process: ranges of its own address space that its GPUs use at the
 * same addresses, and the attributes that user space set for each range.
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

#define GPU_SVM_NOWHERE		(~0u)	/* no location was set */

/* Flags that are on by default or have a meaning here; values as in the uapi. */
#define GPU_SVM_HOST_ACCESS	BIT(0)
#define GPU_SVM_COHERENT	BIT(1)
#define GPU_SVM_READ_ONLY	BIT(3)
#define GPU_SVM_EXEC		BIT(4)
#define GPU_SVM_ALWAYS_MAPPED	BIT(6)

/**
 * struct gpu_svm_attrs - attributes of a range
 * @preferred,@prefetch: GPU_SVM_NOWHERE, 0 (system memory) or a gpu_id
 * @flags: GPU_SVM_*, and others that are only stored
 * @granularity: log2 of pages
 * @access,@in_place: GPUs with either kind of access; a GPU is in at most one of them
 * @at: 0, or 1 + the index of the device in whose memory it is
 * @stray: 0, or 1 + the index of a device that it has left, but pages may not yet (svm_zone.c)
 */
struct gpu_svm_attrs {
	u32 preferred, prefetch;
	u32 flags;
	u32 granularity;
	u32 access, in_place;
	u32 at, stray;
};

/**
 * struct gpu_svm_change - the net effect of a list of attributes
 * @value: new values of the members that are selected below
 * @preferred,@prefetch,@granularity: these change; @prefetch also selects @value.at
 * @flags_set,@flags_clear: flags to set and to clear
 * @gpus: GPUs whose access changes to that in @value
 * @remap: access or flags were in the list, so GPUs must look at the range again
 */
struct gpu_svm_change {
	struct gpu_svm_attrs value;
	bool preferred, prefetch, granularity;
	u32 flags_set, flags_clear;
	u32 gpus;
	bool remap;
};

/**
 * struct gpu_svm_summary - attributes common to a part of the address space
 * @attrs: values on which all ranges agree; @attrs.flags: flags that all of them have
 * @flags_any: flags that any range has
 */
struct gpu_svm_summary {
	struct gpu_svm_attrs attrs;
	u32 flags_any;
};

/* Why ranges move. */
enum gpu_svm_move {
	GPU_SVM_PREFETCH,
	GPU_SVM_FAULT,		/* a GPU faulted there */
	GPU_SVM_CPU_FAULT,	/* a CPU did, where pages had moved */
	GPU_SVM_EVICTION,	/* others need the room */
};

/* Why pages of shared memory are removed from a GPU. */
enum gpu_svm_taken {
	GPU_SVM_TAKEN,		/* the mm changes them */
	GPU_SVM_TAKEN_MOVED,	/* the mm moves them elsewhere */
	GPU_SVM_TAKEN_UNMAPPED,	/* the memory was unmapped */
	GPU_SVM_TAKEN_BY_US,	/* our own doing; faults bring them back */
};

/**
 * struct gpu_svm_event - an event of shared memory
 * @kind: of the event; some members below are for one kind only
 * @first: first page in the address space
 * @since: start time, ns of boot time
 * @pages: number of pages (except FAULTED)
 * @from,@to: MIGRATED: gpu_ids, 0: system memory
 * @prefetch,@preferred: attributes of the range
 * @write: FAULTED: by a store
 * @migrates: FAULTED: the memory is not, or was not to be, in system memory
 * @mapped: MIGRATED: GPUs have access to it; @always: even with XNACK it is always mapped
 * @why: UNMAPPED; @move: MIGRATED
 */
struct gpu_svm_event {
	enum { GPU_SVM_MIGRATED, GPU_SVM_FAULTED, GPU_SVM_UNMAPPED } kind;
	u64 first, pages, since;
	u32 from, to, prefetch, preferred;
	bool write, migrates, mapped, always;
	enum gpu_svm_taken why;
	enum gpu_svm_move move;
};

/* @gpus: bit n: the process's n-th device has SVM. May sleep; ERR_PTR on error. */
struct gpu_svm *gpu_svm_create(struct gpu_process *p, u32 gpus);
/* Sets the VM of device @index. From now on, faults in the VM look into @svm. */
void gpu_svm_attach(struct gpu_svm *svm, struct gpu_vm *vm, unsigned int index);
/* Attributes name device @index by @gpu_id, from now on. */
void gpu_svm_name(struct gpu_svm *svm, unsigned int index, u32 gpu_id);
/* Call when nothing executes any more. No range is reachable when this returns. */
void gpu_svm_detach(struct gpu_svm *svm);
void gpu_svm_free(struct gpu_svm *svm);

/*
 * Call in a task that runs in the process's mm, with process->lock held. @start and @size are
 * whole pages and not 0. -EFAULT: not all of it is memory of the process; -EADDRINUSE: a
 * buffer is mapped there; -ENOMEM, -EINTR.
 */
int gpu_svm_set(struct gpu_svm *svm, u64 start, u64 size, const struct gpu_svm_change *c);
int gpu_svm_get(struct gpu_svm *svm, u64 start, u64 size, struct gpu_svm_summary *s);
/* When on, GPUs can access all memory of the process that no range forbids. */
int gpu_svm_set_xnack(struct gpu_svm *svm, bool on);
bool gpu_svm_xnack(const struct gpu_svm *svm);

/**
 * struct gpu_svm_hold - memory on which a queue depends (svm_hold.c)
 * @link: in a list while it is held; empty before, and after it was lost
 * @start: first byte
 * @last: last byte
 * @lost: called once when some of it is unmapped, in the mm's notifier with svm->lock held
 */
struct gpu_svm_hold {
	struct list_head link;
	u64 start, last;
	void (*lost)(struct gpu_svm_hold *h);
};

/* -EINVAL unless all of it is in ranges that device @index always has mapped. */
int gpu_svm_hold(struct gpu_svm *svm, struct gpu_svm_hold *h, u64 start, u64 last,
		 unsigned int index);
void gpu_svm_release(struct gpu_svm *svm, struct gpu_svm_hold *h);
/* Was it held, and then lost because memory was unmapped? */
static inline bool gpu_svm_lost(const struct gpu_svm_hold *h)
{
	return h->lost && list_empty(&h->link);
}

/* Is there a range in @start..@last? */
bool gpu_svm_overlaps(struct gpu_svm *svm, u64 start, u64 last);
/* The first range that ends at @from or later: its bounds; false: there is none. */
bool gpu_svm_find(struct gpu_svm *svm, u64 from, u64 *start, u64 *last);
unsigned int gpu_svm_count(const struct gpu_svm *svm);

#endif /* GPU_SVM_H */
