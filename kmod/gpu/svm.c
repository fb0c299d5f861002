// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shared virtual memory: ranges of a process's address space and their
 * attributes in an interval tree, and the fault of a GPU in them.
 *
 * One MMU notifier covers the whole address space, from the first use on. It
 * empties the page caches of the VMs where they show what the mm changes, and
 * where memory is unmapped the ranges end with it, in the notifier itself: a
 * new mapping at the same address is not shared until somebody says so. A
 * notifier for each range could not be cut there, which the real driver does
 * later in a work item that everybody else has to wait for.
 *
 * Ranges say who may use the memory; they hold none. Pages come by a fault of
 * the GPU (usermem.c), whether XNACK is on or off. What XNACK changes is who
 * has access where nobody said anything: with it, all GPUs.
 *
 * Where a range prefers to be is remembered and told; where it was prefetched to
 * is whose memory it is counted as (svm_place.c).
 *
 * A buffer that is mapped at an address comes first (vm.c); the map ioctl and
 * this one refuse what overlaps, but GEM_VA asks nobody.
 */
#include <linux/interval_tree_generic.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/mempool.h>
#include <linux/mmu_notifier.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "gpu_int.h"
#include "svm.h"

/* Alternating attributes, page by page, are as many ranges. */
#define SVM_MAX_RANGES		(1u << 18)
/* Cuts by munmap that need no memory from the allocator. */
#define SVM_RESERVE		4
#define SVM_GRANULARITY		9	/* default: 2 MiB */

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
	mempool_t reserve;
	struct mmu_interval_notifier notifier;
};

#define RANGE_START(r)	((r)->start)
#define RANGE_LAST(r)	((r)->last)
INTERVAL_TREE_DEFINE(struct gpu_svm_range, rb, u64, __subtree_last, RANGE_START,
		     RANGE_LAST, static __maybe_unused, svm_tree)

#define for_each_range(r, svm, start, last)				\
	for (r = svm_tree_iter_first(&(svm)->ranges, start, last); r;	\
	     r = svm_tree_iter_next(r, start, last))

static void svm_insert(struct gpu_svm *svm, struct gpu_svm_range *r)
{
	lockdep_assert_held(&svm->lock);
	svm_tree_insert(r, &svm->ranges);
	svm->num_ranges++;
}

static void svm_remove(struct gpu_svm *svm, struct gpu_svm_range *r)
{
	lockdep_assert_held(&svm->lock);
	svm_tree_remove(r, &svm->ranges);
	svm->num_ranges--;
}

static struct gpu_svm_attrs svm_defaults(const struct gpu_svm *svm)
{
	return (struct gpu_svm_attrs) {
		.preferred = GPU_SVM_NOWHERE,
		.prefetch = GPU_SVM_NOWHERE,
		.flags = GPU_SVM_HOST_ACCESS | GPU_SVM_COHERENT,
		.granularity = SVM_GRANULARITY,
		.access = svm->xnack ? svm->gpus : 0,
	};
}

/* ------------------------------------------------------------ invalidation */

/*
 * Which pages of @start..@last a VM loses. Of many ranges all go first, and then there
 * is one wait for the GPU.
 */
static void svm_zap_vm(struct gpu_svm *svm, struct gpu_vm *vm, u64 start, u64 last,
		       bool ranges_only, enum gpu_svm_taken why)
{
	struct gpu_svm_range *r;
	bool any = false;

	lockdep_assert_held(&vm->pc_lock);
	if (!ranges_only)
		any = gpu_svm_take_pages(vm, start, last, why);
	else
		for_each_range(r, svm, start, last)
			any |= gpu_svm_take_pages(vm, max(start, r->start), min(last, r->last),
						  why);
	if (any)
		gpu_pc_settle(vm);
}

static bool svm_zap_all(struct gpu_svm *svm, u64 start, u64 last, bool block,
			bool ranges_only, enum gpu_svm_taken why)
{
	unsigned int i;

	lockdep_assert_held(&svm->lock);
	for (i = 0; i < GPU_SVM_MAX_GPUS; i++) {
		struct gpu_vm *vm = svm->vms[i];

		if (!vm)
			continue;
		if (block)
			mutex_lock(&vm->pc_lock);
		else if (!mutex_trylock(&vm->pc_lock))
			return false;
		svm_zap_vm(svm, vm, start, last, ranges_only, why);
		mutex_unlock(&vm->pc_lock);
	}
	return true;
}

static void svm_zap_pages(struct gpu_svm *svm, u64 start, u64 last, enum gpu_svm_taken why)
{
	svm_zap_all(svm, start, last, true, false, why);
}

/*
 * Pages of SVM in @start..@last; pages of buffers there may go too, and come back.
 * False if it must not wait and would have to.
 */
static bool svm_zap(struct gpu_svm *svm, u64 start, u64 last, bool block,
		    enum gpu_svm_taken why)
{
	return svm_zap_all(svm, start, last, block, !svm->xnack, why);
}

/* The part @start..@last of a range ends. */
static void svm_drop(struct gpu_svm *svm, const struct gpu_svm_range *r, u64 start, u64 last)
{
	if (r->attrs.at)
		gpu_svm_drop(svm->vms[r->attrs.at - 1], last - start + 1);
}

/*
 * The memory @start..@last is gone. A range that is cut in the middle, and there
 * can be one, needs a second one for its upper part; should there be no memory
 * for that, the GPUs lose it.
 */
static void svm_unmapped(struct gpu_svm *svm, u64 start, u64 last)
{
	struct gpu_svm_range *r, *rest;

	while ((r = svm_tree_iter_first(&svm->ranges, start, last))) {
		bool head = r->start < start, tail = r->last > last;

		svm_remove(svm, r);
		rest = r;
		if (head && tail) {
			rest = mempool_alloc(&svm->reserve,
					     GFP_NOWAIT | __GFP_ACCOUNT | __GFP_NOWARN);
			if (rest)
				*rest = *r;
			else
				svm_zap_pages(svm, last + 1, r->last, GPU_SVM_TAKEN);
		}
		svm_drop(svm, r, max(start, r->start), rest ? min(last, r->last) : r->last);
		if (tail && rest) {
			rest->start = last + 1;
			svm_insert(svm, rest);
		}
		if (head) {
			r->last = start - 1;
			svm_insert(svm, r);
		}
		if (!head && !tail)
			mempool_free(r, &svm->reserve);
	}
}

static enum gpu_svm_taken svm_taken(enum mmu_notifier_event event)
{
	switch (event) {
	case MMU_NOTIFY_UNMAP:
		return GPU_SVM_TAKEN_UNMAPPED;
	case MMU_NOTIFY_MIGRATE:
		return GPU_SVM_TAKEN_MOVED;
	case MMU_NOTIFY_RELEASE:	/* the end of all */
		return GPU_SVM_TAKEN_BY_US;
	default:
		return GPU_SVM_TAKEN;
	}
}

static bool svm_invalidate(struct mmu_interval_notifier *mni,
			   const struct mmu_notifier_range *range, unsigned long cur_seq)
{
	struct gpu_svm *svm = container_of(mni, struct gpu_svm, notifier);
	bool block = mmu_notifier_range_blockable(range), done;
	enum gpu_svm_taken why = svm_taken(range->event);

	if (block)
		mutex_lock(&svm->lock);
	else if (!mutex_trylock(&svm->lock))
		return false;
	mmu_interval_set_seq(mni, cur_seq);
	done = svm_zap(svm, range->start, range->end - 1, block, why);
	if (done && range->event == MMU_NOTIFY_UNMAP) {
		svm_unmapped(svm, range->start, range->end - 1);
		svm->changes++;
	}
	mutex_unlock(&svm->lock);
	return done;
}

static const struct mmu_interval_notifier_ops svm_notifier_ops = {
	.invalidate = svm_invalidate,
};

/* --------------------------------------------------------- life and death */

struct gpu_svm *gpu_svm_create(struct gpu_process *p, u32 gpus)
{
	struct gpu_svm *svm = kzalloc(sizeof(*svm), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!svm)
		return ERR_PTR(-ENOMEM);
	ret = mempool_init_kmalloc_pool(&svm->reserve, SVM_RESERVE, sizeof(struct gpu_svm_range));
	if (ret) {
		kfree(svm);
		return ERR_PTR(ret);
	}
	mutex_init(&svm->lock);
	svm->ranges = RB_ROOT_CACHED;
	svm->process = p;
	svm->gpus = gpus;
	return svm;
}

static int svm_enable(struct gpu_svm *svm)
{
	int ret;

	lockdep_assert_held(&svm->process->lock);
	if (svm->enabled)
		return 0;
	ret = mmu_interval_notifier_insert(&svm->notifier, svm->process->mm, 0, TASK_SIZE_MAX,
					   &svm_notifier_ops);
	if (!ret)
		WRITE_ONCE(svm->enabled, true);
	return ret;
}

void gpu_svm_attach(struct gpu_svm *svm, struct gpu_vm *vm, unsigned int index)
{
	if (WARN_ON_ONCE(index >= GPU_SVM_MAX_GPUS))
		return;
	down_write(&vm->lock);
	vm->svm = svm;
	vm->svm_index = index;
	up_write(&vm->lock);
	mutex_lock(&svm->lock);
	svm->vms[index] = vm;
	mutex_unlock(&svm->lock);
}

void gpu_svm_detach(struct gpu_svm *svm)
{
	unsigned int i;

	/* Only the fault, which looks at vm->svm under vm->lock, adds pages. */
	for (i = 0; i < GPU_SVM_MAX_GPUS; i++) {
		struct gpu_vm *vm = svm->vms[i];

		if (!vm)
			continue;
		down_write(&vm->lock);
		vm->svm = NULL;
		up_write(&vm->lock);
	}
	if (svm->enabled)
		mmu_interval_notifier_remove(&svm->notifier);
	mutex_lock(&svm->lock);
	svm_zap_pages(svm, 0, U64_MAX, GPU_SVM_TAKEN_BY_US);
	svm_unmapped(svm, 0, U64_MAX);
	memset(svm->vms, 0, sizeof(svm->vms));
	mutex_unlock(&svm->lock);
}

void gpu_svm_free(struct gpu_svm *svm)
{
	WARN_ON_ONCE(svm->num_ranges);
	mempool_exit(&svm->reserve);
	mutex_destroy(&svm->lock);
	kfree(svm);
}

/* -------------------------------------------------------------- attributes */

/* Buffers in the VMs of the devices, as they are mapped now. */
static bool svm_in_use(struct gpu_svm *svm, u64 start, u64 last)
{
	bool busy = false;
	unsigned int i;

	/* process->lock keeps @vms as they are. */
	lockdep_assert_held(&svm->process->lock);
	for (i = 0; i < GPU_SVM_MAX_GPUS && !busy; i++)
		if (svm->vms[i])
			busy = gpu_vm_maps(svm->vms[i], start, last);
	return busy;
}

/* On success mmap_lock is held: what has been found does not go before the caller is done. */
static int svm_lock_memory(struct gpu_svm *svm, u64 start, u64 size)
{
	struct mm_struct *mm = svm->process->mm;
	bool busy;
	int ret;

	if (start >= TASK_SIZE_MAX || size > TASK_SIZE_MAX - start)
		return -EFAULT;
	busy = svm_in_use(svm, start, start + size - 1);
	if (mmap_read_lock_killable(mm))
		return -EINTR;
	ret = gpu_user_check(mm, start, start + size, 0);
	if (!ret && busy)
		ret = -EADDRINUSE;
	if (ret)
		mmap_read_unlock(mm);
	return ret;
}

static void svm_free_list(struct gpu_svm *svm, struct list_head *list)
{
	struct gpu_svm_range *r, *next;

	list_for_each_entry_safe(r, next, list, link)
		mempool_free(r, &svm->reserve);
}

/* Ranges that a change of @start..@last may need: for gaps, and two for its ends. */
static unsigned int svm_needed(struct gpu_svm *svm, u64 start, u64 last)
{
	struct gpu_svm_range *r;
	unsigned int n = 2;

	for_each_range(r, svm, start, last) {
		if (r->start > start)
			n++;
		start = r->last + 1;
		if (start > last)
			return n;
	}
	return n + 1;
}

/* On success svm->lock is held, and @fresh is enough. */
static int svm_lock_prepared(struct gpu_svm *svm, u64 start, u64 last, struct list_head *fresh)
{
	unsigned int have = 0, need;
	struct gpu_svm_range *r;

	for (;;) {
		mutex_lock(&svm->lock);
		need = svm_needed(svm, start, last);
		if (svm->num_ranges + need > SVM_MAX_RANGES) {
			mutex_unlock(&svm->lock);
			return -ENOMEM;
		}
		if (need <= have)
			return 0;
		mutex_unlock(&svm->lock);
		for (; have < need; have++) {
			r = kmalloc(sizeof(*r), GFP_KERNEL_ACCOUNT);
			if (!r)
				return -ENOMEM;
			list_add(&r->link, fresh);
		}
	}
}

static struct gpu_svm_range *svm_take(struct list_head *fresh)
{
	struct gpu_svm_range *r = list_first_entry(fresh, struct gpu_svm_range, link);

	list_del(&r->link);
	return r;
}

/* Have a range begin at @at, if there is one around it. */
static void svm_split(struct gpu_svm *svm, u64 at, struct list_head *fresh)
{
	struct gpu_svm_range *upper, *r = svm_tree_iter_first(&svm->ranges, at, at);

	if (!r || r->start == at)
		return;
	upper = svm_take(fresh);
	*upper = *r;
	upper->start = at;
	svm_remove(svm, r);
	r->last = at - 1;
	svm_insert(svm, r);
	svm_insert(svm, upper);
}

static void svm_fill_gap(struct gpu_svm *svm, u64 start, u64 last, struct list_head *fresh)
{
	struct gpu_svm_range *r = svm_take(fresh);

	r->start = start;
	r->last = last;
	r->attrs = svm_defaults(svm);
	svm_insert(svm, r);
}

static void svm_fill_gaps(struct gpu_svm *svm, u64 start, u64 last, struct list_head *fresh)
{
	struct gpu_svm_range *r;

	while (start <= last) {
		r = svm_tree_iter_first(&svm->ranges, start, last);
		if (!r || r->start > start)
			svm_fill_gap(svm, start, r ? r->start - 1 : last, fresh);
		if (!r)
			break;
		start = r->last + 1;
	}
}

static void svm_apply(struct gpu_svm_attrs *a, const struct gpu_svm_change *c)
{
	if (c->preferred)
		a->preferred = c->value.preferred;
	if (c->prefetch)
		a->prefetch = c->value.prefetch;
	if (c->granularity)
		a->granularity = c->value.granularity;
	a->flags = (a->flags & ~c->flags_clear) | c->flags_set;
	a->access = (a->access & ~c->gpus) | c->value.access;
	a->in_place = (a->in_place & ~c->gpus) | c->value.in_place;
}

static struct gpu_svm_range *svm_next(struct gpu_svm_range *r)
{
	return rb_entry_safe(rb_next(&r->rb), struct gpu_svm_range, rb);
}

/* Neighbours that have become equal, in @start..@last and at its ends. */
static void svm_merge(struct gpu_svm *svm, u64 start, u64 last)
{
	struct gpu_svm_range *next, *r = svm_tree_iter_first(&svm->ranges, start - 1, last + 1);

	while (r && (next = svm_next(r)) && next->start <= last + 1) {
		if (next->start != r->last + 1 ||
		    memcmp(&next->attrs, &r->attrs, sizeof(r->attrs))) {
			r = next;
			continue;
		}
		svm_remove(svm, next);
		svm_remove(svm, r);
		r->last = next->last;
		svm_insert(svm, r);
		mempool_free(next, &svm->reserve);
	}
}

static struct gpu_vm *svm_vm_at(const struct gpu_svm *svm, u32 at)
{
	return at ? svm->vms[at - 1] : NULL;
}

/*
 * A prefetch to @at. As in the real driver (svm_range_best_prefetch_location()) it
 * goes to the machine's memory if another GPU is to have it mapped, and stays where
 * it is if there is no room.
 */
static void svm_move(struct gpu_svm *svm, struct gpu_svm_range *r, u32 at)
{
	struct gpu_svm_attrs *a = &r->attrs;
	u32 others = svm->xnack ? a->in_place : a->access | a->in_place;

	if (!svm_vm_at(svm, at) || others & ~BIT(at - 1))
		at = 0;
	if (a->at != at && gpu_svm_move(svm_vm_at(svm, a->at), svm_vm_at(svm, at), r->start,
					r->last, a))
		a->at = at;
}

/* True if GPUs are now to have the whole of it mapped. */
static bool svm_change_locked(struct gpu_svm *svm, u64 start, u64 last,
			      const struct gpu_svm_change *c, struct list_head *fresh)
{
	struct gpu_svm_range *r;
	bool mapped = false;

	svm_split(svm, start, fresh);
	svm_split(svm, last + 1, fresh);
	svm_fill_gaps(svm, start, last, fresh);
	for_each_range(r, svm, start, last) {
		svm_apply(&r->attrs, c);
		if (c->prefetch)
			svm_move(svm, r, c->value.at);
		if (r->attrs.in_place || (r->attrs.access && !svm->xnack))
			mapped = true;
	}
	if (c->remap) {
		svm->changes++;
		svm_zap_pages(svm, start, last, GPU_SVM_TAKEN_BY_US);
	}
	svm_merge(svm, start, last);
	return c->remap && mapped;
}

int gpu_svm_set(struct gpu_svm *svm, u64 start, u64 size, const struct gpu_svm_change *c)
{
	struct mm_struct *mm = svm->process->mm;
	u64 last = start + size - 1;
	LIST_HEAD(fresh);
	int ret;

	ret = svm_enable(svm);
	if (ret)
		return ret;
	ret = svm_lock_memory(svm, start, size);
	if (ret)
		return ret;
	ret = svm_lock_prepared(svm, start, last, &fresh);
	if (!ret) {
		bool mapped = svm_change_locked(svm, start, last, c, &fresh);

		mutex_unlock(&svm->lock);
		/* What cannot be mapped is an error, and the attributes stay. */
		if (mapped)
			ret = gpu_user_check(mm, start, start + size, VM_READ);
	}
	mmap_read_unlock(mm);
	svm_free_list(svm, &fresh);
	return ret;
}

static void svm_summarize(struct gpu_svm_summary *s, const struct gpu_svm_attrs *a)
{
	if (s->attrs.preferred != a->preferred)
		s->attrs.preferred = GPU_SVM_NOWHERE;
	if (s->attrs.prefetch != a->prefetch)
		s->attrs.prefetch = GPU_SVM_NOWHERE;
	s->attrs.granularity = min(s->attrs.granularity, a->granularity);
	s->attrs.access &= a->access;
	s->attrs.in_place &= a->in_place;
	s->attrs.flags &= a->flags;
	s->flags_any |= a->flags;
}

/* Gaps between ranges count for nothing, as in the real driver. */
int gpu_svm_get(struct gpu_svm *svm, u64 start, u64 size, struct gpu_svm_summary *s)
{
	u64 last = start + size - 1;
	struct gpu_svm_range *r;
	int ret;

	ret = svm_lock_memory(svm, start, size);
	if (ret)
		return ret;
	mmap_read_unlock(svm->process->mm);

	mutex_lock(&svm->lock);
	r = svm_tree_iter_first(&svm->ranges, start, last);
	s->attrs = r ? r->attrs : svm_defaults(svm);
	s->flags_any = s->attrs.flags;
	for (; r; r = svm_tree_iter_next(r, start, last))
		svm_summarize(s, &r->attrs);
	mutex_unlock(&svm->lock);
	return 0;
}

int gpu_svm_set_xnack(struct gpu_svm *svm, bool on)
{
	int ret = svm_enable(svm);

	if (ret)
		return ret;
	mutex_lock(&svm->lock);
	svm->xnack = on;
	svm->changes++;
	svm_zap_pages(svm, 0, U64_MAX, GPU_SVM_TAKEN_BY_US);
	mutex_unlock(&svm->lock);
	return 0;
}

bool gpu_svm_xnack(const struct gpu_svm *svm)
{
	return READ_ONCE(svm->xnack);
}

bool gpu_svm_overlaps(struct gpu_svm *svm, u64 start, u64 last)
{
	bool found;

	mutex_lock(&svm->lock);
	found = svm_tree_iter_first(&svm->ranges, start, last);
	mutex_unlock(&svm->lock);
	return found;
}

unsigned int gpu_svm_count(const struct gpu_svm *svm)
{
	return READ_ONCE(svm->num_ranges);
}

/* ------------------------------------------------------------------- fault */

static u32 svm_rights(const struct gpu_svm_attrs *a, unsigned int index)
{
	u32 rights = GPU_R | GPU_W;

	if (!((a->access | a->in_place) & BIT(index)))
		return 0;
	if (a->flags & GPU_SVM_READ_ONLY)
		rights &= ~GPU_W;
	if (a->flags & GPU_SVM_EXEC)
		rights |= GPU_X;
	return rights;
}

/* What @va lies in, with the same rights for the GPU from end to end. */
static void svm_view(struct gpu_svm *svm, struct gpu_vm *vm, u64 va, struct gpu_user_view *v)
{
	u64 first = round_down(va, (u64)GPU_FAULT_PAGES << PAGE_SHIFT);
	u64 last = first + ((u64)GPU_FAULT_PAGES << PAGE_SHIFT) - 1;
	struct gpu_svm_attrs attrs = svm_defaults(svm);
	struct gpu_svm_range *r;

	v->start = first;
	v->last = last;
	for_each_range(r, svm, first, last) {
		if (r->last < va) {
			v->start = r->last + 1;
		} else if (r->start > va) {
			v->last = r->start - 1;
			break;
		} else {
			attrs = r->attrs;
			v->start = max(first, r->start);
			v->last = min(last, r->last);
			break;
		}
	}
	v->addr = v->start;
	v->access = svm_rights(&attrs, vm->svm_index);
	v->seen = svm->changes;
}

int gpu_svm_fault(struct gpu_vm *vm, u64 va, u32 access, struct gpu_fault *fault)
{
	struct gpu_svm *svm = vm->svm;
	struct gpu_user_view view = {
		.vm = vm,
		.notifier = &svm->notifier,
		.lock = &svm->lock,
		.changes = &svm->changes,
	};
	u64 since = ktime_get_boottime_ns();
	int ret;

	if (!READ_ONCE(svm->enabled) || va >= TASK_SIZE_MAX) {
		fault->not_present = true;
		return -EFAULT;
	}
	mutex_lock(&svm->lock);
	svm_view(svm, vm, va, &view);
	mutex_unlock(&svm->lock);
	if (!view.access) {
		fault->not_present = true;
		return -EFAULT;
	}
	if (access & ~view.access) {
		gpu_fault_denied(fault, access, view.access);
		return -EFAULT;
	}
	ret = gpu_faulter_start(vm, svm->process);
	if (!ret)
		ret = gpu_user_fault(&view, va, access, fault);
	if (!ret && READ_ONCE(svm->xnack))
		gpu_svm_fault_served(vm, va, access & GPU_W, since);
	else if (ret == -EAGAIN)
		gpu_svm_fault_waits(vm, va, since);
	return ret;
}
