/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What changes in the memory of a process, and who has to know of it.
 */
#ifndef GPU_MM_H
#define GPU_MM_H

#include <linux/compiler.h>
#include <linux/rbtree.h>
#include <linux/types.h>

struct gpu_mm;
struct gpu_mm_range;
struct mm_struct;
struct mmu_notifier_range;

/**
 * struct gpu_mm_ops - what a range does about a change
 * @invalidate: the mm is about to change @change, which overlaps the range. Under the lock that
 *	faults look at @seq with, calls gpu_mm_count() and removes those pages from the GPUs.
 *	False if it must not block (mmu_notifier_range_blockable()) and would have to. It
 *	neither adds nor removes ranges, and allocates nothing in a way that can enter reclaim.
 */
struct gpu_mm_ops {
	bool (*invalidate)(struct gpu_mm_range *r, const struct mmu_notifier_range *change);
};

/**
 * struct gpu_mm_range - memory of a process that GPUs may use
 * @mm: whose it is; set while the range is there
 * @rb: in @mm's tree
 * @__subtree_last: for the tree
 * @start: first byte
 * @last: last byte
 * @seq: counts changes in it
 * @ops: what to do about a change
 */
struct gpu_mm_range {
	struct gpu_mm *mm;
	struct rb_node rb;
	u64 start, last;
	u64 __subtree_last;
	unsigned long seq;
	const struct gpu_mm_ops *ops;
};

/*
 * Add and remove a range. The former wants @ops set and the mm alive, and takes mmap_lock:
 * -ENOMEM if the mm has @limit of them. After the latter nobody calls @ops; it waits for those who
 * do, but not until the mm has finished its changes.
 */
int gpu_mm_insert(struct gpu_mm_range *r, struct mm_struct *mm, u64 start, u64 size,
		  unsigned int limit);
void gpu_mm_remove(struct gpu_mm_range *r);

/* Counts a change, under the owner's lock. */
static inline void gpu_mm_count(struct gpu_mm_range *r)
{
	WRITE_ONCE(r->seq, r->seq + 1);
}

/*
 * Before a look at the pages in @start..@last, which are in the range. False: they are being
 * changed. If true, what was seen holds as long as gpu_mm_changed() is false, under the
 * owner's lock, for the number that is stored in @seq.
 */
bool gpu_mm_settled(const struct gpu_mm_range *r, u64 start, u64 last, unsigned long *seq);

static inline bool gpu_mm_changed(const struct gpu_mm_range *r, unsigned long seq)
{
	return READ_ONCE(r->seq) != seq;
}

/* The process's mm: grabbed, not got */
struct mm_struct *gpu_mm_of(const struct gpu_mm_range *r);

/* How often some mm has finished all changes that were under way in it */
unsigned int gpu_mm_rested(void);
/* Waits, for up to @timeout jiffies, until that is not @seen: true then. */
bool gpu_mm_wait(unsigned int seen, unsigned long timeout);

int gpu_mm_start(void);
void gpu_mm_stop(void);

#endif /* GPU_MM_H */
