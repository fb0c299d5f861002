// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes of an mm, and the ranges of its memory that GPUs use: objects on user memory
 * (userptr.c) and shared virtual memory (svm.c).
 *
 * The kernel has interval notifiers for this, and each range could have one. But two of their
 * calls wait until no change is under way anywhere in the mm: mmu_interval_read_begin(), which
 * belongs before each look at its pages, and mmu_interval_notifier_remove(). Tasks that call
 * madvise(MADV_FREE) beside each other never let it come to that. A GPU's thread that waited for
 * them would keep all users of the GPU waiting, and so would the end of a process.
 *
 * So this does as KVM does (kvm_mmu_notifier_invalidate_range_start()). A change begins and
 * ends; those that are under way are counted, and nobody looks at pages that one of them may be
 * about: a fault there comes again later. A change that begins after a look is counted in the
 * range, under the owner's lock, and removes what was found.
 *
 * There are two notifiers for each mm. One counts. The other removes pages, for which it takes
 * mutexes. The OOM reaper may not wait for them, and the kernel does not let a notifier
 * that may refuse hear of the end. The kernel calls the notifier first that was registered last,
 * so a change is counted before any page goes.
 */
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/interval_tree_generic.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mmu_notifier.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "mm.h"
#include "race.h"

#define RANGE_START(r)	((r)->start)
#define RANGE_LAST(r)	((r)->last)
INTERVAL_TREE_DEFINE(struct gpu_mm_range, rb, u64, __subtree_last, RANGE_START,
		     RANGE_LAST, static, mm_range_tree)

/**
 * struct gpu_mm - an mm with memory that GPUs use
 * @node: in gpu_mms, while there are ranges
 * @n: how many, under gpu_mms_lock
 * @mm: the mm, which the notifiers have grabbed
 * @lock: guards @ranges, and is held while they are told of a change
 * @ranges: interval tree of struct gpu_mm_range, which may overlap
 * @changes_lock: guards @changes, @from and @to; a leaf
 * @changes: how many are under way
 * @from: they are all about @from..@to - 1 (undefined while there are none)
 * @to: see @from
 * @unordered: the kernel told of a change before it was counted, so no look is safe
 * @counter: counts changes
 * @remover: removes pages
 * @end: a work item that unregisters both
 */
struct gpu_mm {
	struct hlist_node node;
	unsigned int n;
	struct mm_struct *mm;
	struct mutex lock;
	struct rb_root_cached ranges;
	spinlock_t changes_lock;
	unsigned long changes, from, to;
	bool unordered;
	struct mmu_notifier counter, remover;
	struct work_struct end;
};

static DEFINE_HASHTABLE(gpu_mms, 8);
static DEFINE_MUTEX(gpu_mms_lock);	/* nothing is allocated under it */
static struct workqueue_struct *gpu_mm_wq;
static DECLARE_WAIT_QUEUE_HEAD(mm_rests);	/* for @mm_rested */
static atomic_t mm_rested;

/* ---------------------------------------------------------------- changes */

static int mm_change_begins(struct mmu_notifier *counter, const struct mmu_notifier_range *change)
{
	struct gpu_mm *mm = container_of(counter, struct gpu_mm, counter);

	spin_lock(&mm->changes_lock);
	if (mm->changes++) {
		mm->from = min(mm->from, change->start);
		mm->to = max(mm->to, change->end);
	} else {
		mm->from = change->start;
		mm->to = change->end;
	}
	spin_unlock(&mm->changes_lock);
	return 0;
}

static void mm_change_ends(struct mmu_notifier *counter, const struct mmu_notifier_range *change)
{
	struct gpu_mm *mm = container_of(counter, struct gpu_mm, counter);
	bool rests;

	spin_lock(&mm->changes_lock);
	rests = !--mm->changes;
	spin_unlock(&mm->changes_lock);
	if (!rests)
		return;
	atomic_inc(&mm_rested);
	if (wq_has_sleeper(&mm_rests))
		wake_up_all(&mm_rests);
}

static const struct mmu_notifier_ops mm_counter_ops = {
	.invalidate_range_start = mm_change_begins,
	.invalidate_range_end = mm_change_ends,
};

static bool mm_remove_pages(struct gpu_mm *mm, const struct mmu_notifier_range *change, bool counts)
{
	struct gpu_mm_range *r;
	bool done = true;

	lockdep_assert_held(&mm->lock);
	r = mm_range_tree_iter_first(&mm->ranges, change->start, change->end - 1);
	if (r && counts && WARN_ON_ONCE(!READ_ONCE(mm->changes)))
		WRITE_ONCE(mm->unordered, true);
	for (; r && done; r = mm_range_tree_iter_next(r, change->start, change->end - 1))
		done = r->ops->invalidate(r, change);
	return done;
}

static int mm_invalidate(struct mmu_notifier *remover, const struct mmu_notifier_range *change)
{
	struct gpu_mm *mm = container_of(remover, struct gpu_mm, remover);
	bool done;

	if (mmu_notifier_range_blockable(change))
		mutex_lock(&mm->lock);
	else if (!mutex_trylock(&mm->lock))
		return -EAGAIN;
	done = mm_remove_pages(mm, change, true);
	mutex_unlock(&mm->lock);
	return done ? 0 : -EAGAIN;
}

/* The mm ends, and is nobody's any more: gpu_user_fault() does not get it. */
static void mm_released(struct mmu_notifier *remover, struct mm_struct *of)
{
	struct gpu_mm *mm = container_of(remover, struct gpu_mm, remover);
	const struct mmu_notifier_range all = {
		.mm = of,
		.end = ULONG_MAX,
		.flags = MMU_NOTIFIER_RANGE_BLOCKABLE,
		.event = MMU_NOTIFY_RELEASE,
	};

	mutex_lock(&mm->lock);
	mm_remove_pages(mm, &all, false);
	mutex_unlock(&mm->lock);
}

static const struct mmu_notifier_ops mm_remover_ops = {
	.invalidate_range_start = mm_invalidate,
	.release = mm_released,
};

/* --------------------------------------------------------- life and death */

static void mm_free(struct gpu_mm *mm)
{
	mutex_destroy(&mm->lock);
	kfree(mm);
}

static void mm_end(struct work_struct *work)
{
	struct gpu_mm *mm = container_of(work, struct gpu_mm, end);

	mmu_notifier_unregister(&mm->counter, mm->mm);
	mmu_notifier_unregister(&mm->remover, mm->mm);
	mm_free(mm);
}

static struct gpu_mm *mm_create(struct mm_struct *of)
{
	struct gpu_mm *mm = kzalloc(sizeof(*mm), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!mm)
		return ERR_PTR(-ENOMEM);
	mutex_init(&mm->lock);
	spin_lock_init(&mm->changes_lock);
	mm->ranges = RB_ROOT_CACHED;
	mm->mm = of;
	mm->counter.ops = &mm_counter_ops;
	mm->remover.ops = &mm_remover_ops;
	INIT_WORK(&mm->end, mm_end);
	/* Each call waits until no change is under way. The last one is told first. */
	ret = mmu_notifier_register(&mm->remover, of);
	if (ret)
		goto out_free;
	ret = mmu_notifier_register(&mm->counter, of);
	if (ret)
		goto out_remover;
	return mm;

out_remover:
	mmu_notifier_unregister(&mm->remover, of);
out_free:
	mm_free(mm);
	return ERR_PTR(ret);
}

static struct gpu_mm *mm_find(const struct mm_struct *of)
{
	struct gpu_mm *mm;

	lockdep_assert_held(&gpu_mms_lock);
	hash_for_each_possible(gpu_mms, mm, node, (unsigned long)of)
		if (mm->mm == of)
			return mm;
	return NULL;
}

/* One range more, of @limit. @fresh becomes the mm's if there is none before it, and NULL then. */
static struct gpu_mm *mm_charge(struct mm_struct *of, unsigned int limit, struct gpu_mm **fresh)
{
	struct gpu_mm *mm;

	mutex_lock(&gpu_mms_lock);
	mm = mm_find(of);
	if (!mm && *fresh) {
		mm = *fresh;
		*fresh = NULL;
		hash_add(gpu_mms, &mm->node, (unsigned long)of);
	}
	if (mm && mm->n >= limit)
		mm = ERR_PTR(-ENOMEM);
	else if (mm)
		mm->n++;
	mutex_unlock(&gpu_mms_lock);
	return mm;
}

/* Unregistering waits for other mms' notifiers: in a work item, as the caller may hold locks. */
static void mm_uncharge(struct gpu_mm *mm)
{
	bool last;

	mutex_lock(&gpu_mms_lock);
	last = !--mm->n;
	if (last)
		hash_del(&mm->node);
	mutex_unlock(&gpu_mms_lock);
	if (last)
		queue_work(gpu_mm_wq, &mm->end);
}

int gpu_mm_insert(struct gpu_mm_range *r, struct mm_struct *of, u64 start, u64 size,
		  unsigned int limit)
{
	struct gpu_mm *mm, *fresh = NULL;

	if (!limit)
		return -ENOMEM;
	mm = mm_charge(of, limit, &fresh);
	if (!mm) {
		fresh = mm_create(of);
		if (IS_ERR(fresh))
			return PTR_ERR(fresh);
		vkfd_race_point("notifier: there, nobody knows of it");
		mm = mm_charge(of, limit, &fresh);
		/* Somebody else was faster. */
		if (fresh)
			queue_work(gpu_mm_wq, &fresh->end);
	}
	if (IS_ERR(mm))
		return PTR_ERR(mm);
	r->start = start;
	r->last = start + size - 1;
	r->mm = mm;
	mutex_lock(&mm->lock);
	mm_range_tree_insert(r, &mm->ranges);
	mutex_unlock(&mm->lock);
	return 0;
}

void gpu_mm_remove(struct gpu_mm_range *r)
{
	struct gpu_mm *mm = r->mm;

	mutex_lock(&mm->lock);
	mm_range_tree_remove(r, &mm->ranges);
	mutex_unlock(&mm->lock);
	r->mm = NULL;
	mm_uncharge(mm);
}

struct mm_struct *gpu_mm_of(const struct gpu_mm_range *r)
{
	return r->mm->mm;
}

/* ------------------------------------------------------------------- look */

bool gpu_mm_settled(const struct gpu_mm_range *r, u64 start, u64 last, unsigned long *seq)
{
	struct gpu_mm *mm = r->mm;
	bool settled;

	spin_lock(&mm->changes_lock);
	*seq = READ_ONCE(r->seq);
	settled = !mm->changes || last < mm->from || start >= mm->to;
	spin_unlock(&mm->changes_lock);
	return settled && !READ_ONCE(mm->unordered);
}

unsigned int gpu_mm_rested(void)
{
	return atomic_read(&mm_rested);
}

bool gpu_mm_wait(unsigned int seen, unsigned long timeout)
{
	return wait_event_idle_timeout(mm_rests, gpu_mm_rested() != seen, timeout) > 0;
}

int gpu_mm_start(void)
{
	gpu_mm_wq = alloc_workqueue("vkfd_mm", WQ_UNBOUND, 0);
	return gpu_mm_wq ? 0 : -ENOMEM;
}

void gpu_mm_stop(void)
{
	destroy_workqueue(gpu_mm_wq);
}
