// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shared virtual memory: ranges of a process's address space in an interval tree, the
 * changes the mm makes to them, and GPU faults in them. svm_attr.c sets and gets their
 * attributes.
 *
 * One MMU notifier covers the whole address space, from the first use on. When the mm changes
 * pages, it removes them from the page caches of the VMs. When memory is unmapped, it also
 * ends the ranges there, within the notifier itself: a new mapping at the same address is not
 * shared until user space says so. With one notifier per range, the ranges could not be cut
 * within the notifier. The real driver therefore cuts them later, in a work item that
 * everybody else has to wait for.
 *
 * A range says who may use the memory; it holds no pages. GPU faults bring pages in
 * (usermem.c), whether XNACK is on or off. XNACK changes who has access to memory that is in
 * no range: with XNACK, all GPUs.
 *
 * The location to which a range was prefetched determines whose memory it counts as (svm_place.c)
 * and, with XNACK, so do its preferred location and who faults there (svm_fault.c).
 *
 * If a buffer is mapped at an address, it takes precedence (vm.c). The map ioctl and the SVM
 * ioctl refuse to overlap, but GEM_VA does not check.
 */
#include <linux/interval_tree_generic.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/mmu_notifier.h>
#include <linux/slab.h>

#include "backend.h"
#include "device.h"
#include "faulter.h"
#include "race.h"
#include "svm_int.h"
#include "zone.h"

/* Ranges preallocated for munmap, which cuts ranges where nothing can be allocated. */
#define SVM_RESERVE		4
#define SVM_GRANULARITY		9	/* default: 2 MiB */

#define RANGE_START(r)	((r)->start)
#define RANGE_LAST(r)	((r)->last)
INTERVAL_TREE_DEFINE(struct gpu_svm_range, rb, u64, __subtree_last, RANGE_START,
		     RANGE_LAST, static __maybe_unused, svm_tree)

struct gpu_svm_range *gpu_svm_first(struct gpu_svm *svm, u64 start, u64 last)
{
	lockdep_assert_held(&svm->lock);
	return svm_tree_iter_first(&svm->ranges, start, last);
}

struct gpu_svm_range *gpu_svm_next(struct gpu_svm_range *r, u64 start, u64 last)
{
	return svm_tree_iter_next(r, start, last);
}

void gpu_svm_insert(struct gpu_svm *svm, struct gpu_svm_range *r)
{
	lockdep_assert_held(&svm->lock);
	svm_tree_insert(r, &svm->ranges);
	svm->num_ranges++;
	INIT_LIST_HEAD(&r->placed);	/* it may be a copy */
	gpu_svm_put_at(svm, r, r->attrs.at);
}

void gpu_svm_remove(struct gpu_svm *svm, struct gpu_svm_range *r)
{
	lockdep_assert_held(&svm->lock);
	svm_tree_remove(r, &svm->ranges);
	svm->num_ranges--;
	list_del_init(&r->placed);
}

void gpu_svm_put_at(struct gpu_svm *svm, struct gpu_svm_range *r, u32 at)
{
	lockdep_assert_held(&svm->lock);
	r->attrs.at = at;
	if (at)
		list_move_tail(&r->placed, &svm->placed[at - 1]);
	else
		list_del_init(&r->placed);
}

struct gpu_svm_attrs gpu_svm_defaults(const struct gpu_svm *svm)
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
 * Removes the pages of @start..@last that the VM has through SVM. Removes the pages of all
 * ranges first, and then waits for the GPU once.
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
		for_each_svm_range(r, svm, start, last)
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

void gpu_svm_zap_pages(struct gpu_svm *svm, u64 start, u64 last, enum gpu_svm_taken why)
{
	svm_zap_all(svm, start, last, true, false, why);
}

/*
 * Removes the pages of SVM in @start..@last. Pages of buffers may be removed as well; faults
 * bring them back. Returns false if it must not block and would have to.
 */
static bool svm_zap(struct gpu_svm *svm, u64 start, u64 last, bool block,
		    enum gpu_svm_taken why)
{
	return svm_zap_all(svm, start, last, block, !svm->xnack, why);
}

/* The part @start..@last of a range ends: correct the accounting. */
static void svm_drop(struct gpu_svm *svm, const struct gpu_svm_range *r, u64 start, u64 last)
{
	if (r->attrs.at)
		gpu_svm_drop(svm->vms[r->attrs.at - 1], last - start + 1);
}

/*
 * The memory @start..@last was unmapped. A range that extends beyond both ends (there is one
 * at most) needs a second struct for its upper part. If there is no memory for that, or there are
 * too many already, the GPUs lose access to the upper part.
 */
static void svm_unmapped(struct gpu_svm *svm, u64 start, u64 last)
{
	struct gpu_svm_range *r, *rest;

	while ((r = gpu_svm_first(svm, start, last))) {
		bool head = r->start < start, tail = r->last > last;

		gpu_svm_remove(svm, r);
		rest = r;
		if (head && tail) {
			/* munmap() in the middle, on and on: no more than SET_ATTR may make. */
			rest = svm->num_ranges >= GPU_SVM_MAX_RANGES ? NULL :
				mempool_alloc(&svm->reserve,
					      GFP_NOWAIT | __GFP_ACCOUNT | __GFP_NOWARN);
			if (rest)
				*rest = *r;
			else
				gpu_svm_zap_pages(svm, last + 1, r->last, GPU_SVM_TAKEN);
		}
		svm_drop(svm, r, max(start, r->start), rest ? min(last, r->last) : r->last);
		if (tail && rest) {
			rest->start = last + 1;
			gpu_svm_insert(svm, rest);
		}
		if (head) {
			r->last = start - 1;
			gpu_svm_insert(svm, r);
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
	case MMU_NOTIFY_RELEASE:	/* the mm ends */
		return GPU_SVM_TAKEN_BY_US;
	default:
		return GPU_SVM_TAKEN;
	}
}

/* Would a GPU of the real driver have it mapped, and no way to wait for another page? */
static bool svm_needs_mapping(const struct gpu_svm *svm, const struct gpu_svm_attrs *a)
{
	return (a->access | a->in_place) && (!svm->xnack || a->flags & GPU_SVM_ALWAYS_MAPPED);
}

/*
 * As in the real driver (svm_range_evict()): where queues stop for the change, nobody is told of
 * pages. munmap() takes pages, and stops nothing (svm_range_unmap_from_cpu()).
 */
static bool svm_stops(struct gpu_svm *svm, const struct mmu_notifier_range *range)
{
	struct gpu_svm_range *r;

	if (range->event == MMU_NOTIFY_UNMAP || range->event == MMU_NOTIFY_RELEASE)
		return false;
	for_each_svm_range(r, svm, range->start, range->end - 1)
		if (svm_needs_mapping(svm, &r->attrs))
			return true;
	return false;
}

/*
 * Not of a move of our own, which svm_place.c tells of as a whole, nor for a page that a GPU
 * wants now: there it was brought in when the GPU got access.
 */
static void svm_tell_stale(struct gpu_svm *svm, const struct mmu_notifier_range *range)
{
	struct gpu_process *p = NULL;
	unsigned int i;

	if (gpu_faulter_is_current() || !gpu_host->stale ||
	    (range->event == MMU_NOTIFY_MIGRATE && range->owner == gpu_zone_owner()))
		return;
	for (i = 0; i < GPU_SVM_MAX_GPUS && !p; i++)
		if (svm->vms[i])
			p = READ_ONCE(svm->vms[i]->process);
	if (p)
		gpu_host->stale(p, GPU_STALE_SVM);
}

static bool svm_invalidate(struct gpu_mm_range *r, const struct mmu_notifier_range *range)
{
	struct gpu_svm *svm = container_of(r, struct gpu_svm, range);
	bool block = mmu_notifier_range_blockable(range), done, stops;

	if (block)
		vkfd_race_point("SVM invalidation: before the lock");
	if (block)
		mutex_lock(&svm->lock);
	else if (!mutex_trylock(&svm->lock))
		return false;
	gpu_mm_count(r);
	stops = svm_stops(svm, range);
	done = svm_zap(svm, range->start, range->end - 1, block,
		       stops ? GPU_SVM_TAKEN_BY_US : svm_taken(range->event));
	if (done && stops)
		svm_tell_stale(svm, range);
	if (done && range->event == MMU_NOTIFY_UNMAP) {
		svm_unmapped(svm, range->start, range->end - 1);
		gpu_svm_tell_holders(svm, range->start, range->end - 1);
		svm->changes++;
	}
	mutex_unlock(&svm->lock);
	return done;
}

static const struct gpu_mm_ops svm_mm_ops = {
	.invalidate = svm_invalidate,
};

/* --------------------------------------------------------- life and death */

struct gpu_svm *gpu_svm_create(struct gpu_process *p, u32 gpus)
{
	struct gpu_svm *svm = kzalloc(sizeof(*svm), GFP_KERNEL_ACCOUNT);
	unsigned int i;
	int ret;

	if (!svm)
		return ERR_PTR(-ENOMEM);
	ret = mempool_init_kmalloc_pool(&svm->reserve, SVM_RESERVE, sizeof(struct gpu_svm_range));
	if (ret) {
		kfree(svm);
		return ERR_PTR(ret);
	}
	mutex_init(&svm->lock);
	refcount_set(&svm->refs, 1);
	for (i = 0; i < GPU_SVM_MAX_GPUS; i++)
		INIT_LIST_HEAD(&svm->placed[i]);
	svm->ranges = RB_ROOT_CACHED;
	INIT_LIST_HEAD(&svm->holds);
	svm->process = p;
	svm->gpus = gpus;
	return svm;
}

int gpu_svm_enable(struct gpu_svm *svm)
{
	int ret;

	lockdep_assert_held(&svm->process->lock);
	if (svm->enabled)
		return 0;
	svm->range.ops = &svm_mm_ops;
	ret = gpu_mm_insert(&svm->range, svm->process->mm, 0, TASK_SIZE_MAX, UINT_MAX);
	if (!ret) {
		WRITE_ONCE(svm->enabled, true);
		/* A context has none that anybody would look for. */
		if (!svm->process->context)
			gpu_svm_join(svm);
	}
	return ret;
}

void gpu_svm_name(struct gpu_svm *svm, unsigned int index, u32 gpu_id)
{
	if (WARN_ON_ONCE(index >= GPU_SVM_MAX_GPUS))
		return;
	mutex_lock(&svm->lock);
	svm->ids[index] = gpu_id;
	mutex_unlock(&svm->lock);
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
	gpu_vram_join_vm(vm);
}

void gpu_svm_detach(struct gpu_svm *svm)
{
	unsigned int i;

	/* Only the fault handler adds pages, and it reads vm->svm under vm->lock. */
	for (i = 0; i < GPU_SVM_MAX_GPUS; i++) {
		struct gpu_vm *vm = svm->vms[i];

		if (!vm)
			continue;
		gpu_vram_part_vm(vm);
		down_write(&vm->lock);
		vm->svm = NULL;
		up_write(&vm->lock);
	}
	if (svm->enabled) {
		gpu_svm_part(svm);
		gpu_mm_remove(&svm->range);
	}
	mutex_lock(&svm->lock);
	gpu_svm_zap_pages(svm, 0, U64_MAX, GPU_SVM_TAKEN_BY_US);
	svm_unmapped(svm, 0, U64_MAX);
	memset(svm->vms, 0, sizeof(svm->vms));
	mutex_unlock(&svm->lock);
}

void gpu_svm_put(struct gpu_svm *svm)
{
	if (!refcount_dec_and_test(&svm->refs))
		return;
	WARN_ON_ONCE(svm->num_ranges || !list_empty(&svm->holds));
	mempool_exit(&svm->reserve);
	mutex_destroy(&svm->lock);
	kfree(svm);
}

void gpu_svm_free(struct gpu_svm *svm)
{
	gpu_svm_put(svm);
}

/* ------------------------------------------------------------------- look */

bool gpu_svm_overlaps(struct gpu_svm *svm, u64 start, u64 last)
{
	bool found;

	mutex_lock(&svm->lock);
	found = gpu_svm_first(svm, start, last);
	mutex_unlock(&svm->lock);
	return found;
}

bool gpu_svm_find(struct gpu_svm *svm, u64 from, u64 *start, u64 *last)
{
	struct gpu_svm_range *r;

	mutex_lock(&svm->lock);
	r = gpu_svm_first(svm, from, U64_MAX);
	if (r) {
		*start = r->start;
		*last = r->last;
	}
	mutex_unlock(&svm->lock);
	return r;
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

/* Sets the view to the part of the window around @va with the same rights throughout. */
static void svm_view(struct gpu_svm *svm, struct gpu_vm *vm, u64 va, struct gpu_user_view *v)
{
	u64 first = round_down(va, (u64)GPU_FAULT_PAGES << PAGE_SHIFT);
	u64 last = first + ((u64)GPU_FAULT_PAGES << PAGE_SHIFT) - 1;
	struct gpu_svm_attrs attrs = gpu_svm_defaults(svm);
	struct gpu_svm_range *r;

	v->start = first;
	v->last = last;
	for_each_svm_range(r, svm, first, last) {
		if (r->last < va) {
			v->start = r->last + 1;
			continue;
		}
		if (r->start > va) {
			v->last = r->start - 1;
			break;
		}
		attrs = r->attrs;
		v->start = max(first, r->start);
		v->last = min(last, r->last);
		break;
	}
	/* Buffers take precedence, in the rest of the window, too. */
	gpu_vm_gap(vm, va, &v->start, &v->last);
	v->addr = v->start;
	v->access = svm_rights(&attrs, vm->svm_index);
	v->place = attrs.at ? GPU_PLACE_VRAM(svm->vms[attrs.at - 1]->gdev) : GPU_PLACE_SYSTEM;
	v->seen = svm->changes;
}

int gpu_svm_fault(struct gpu_vm *vm, u64 va, u32 access, struct gpu_fault *fault)
{
	struct gpu_svm *svm = vm->svm;
	struct gpu_user_view view = {
		.vm = vm,
		.range = &svm->range,
		.lock = &svm->lock,
		.changes = &svm->changes,
	};
	u64 since = ktime_get_boottime_ns();
	struct gpu_svm_moves moves = { };
	bool migrates = false;
	int ret;

	if (!READ_ONCE(svm->enabled) || va >= TASK_SIZE_MAX) {
		fault->not_present = true;
		return -EFAULT;
	}
	mutex_lock(&svm->lock);
	svm_view(svm, vm, va, &view);
	if (svm->xnack && access && !(access & ~view.access)) {
		migrates = gpu_svm_bring(svm, vm, va, &moves);
		svm_view(svm, vm, va, &view);
	}
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
	/* Through the render node's file, the VM has got memory of another process first. */
	if (ret == -EPERM) {
		fault->not_present = true;
		return -EFAULT;
	}
	if (!ret && moves.at && gpu_zone_on() &&
	    gpu_faulter_move(vm->faulter, svm->process->mm, moves.start, moves.last + 1, moves.at))
		ret = -EAGAIN;	/* and look again when they have come */
	else if (!ret && moves.home)
		gpu_faulter_home(vm->faulter, svm->process->mm);
	if (!ret)
		ret = gpu_user_fault(&view, va, access, fault);
	if (!ret && READ_ONCE(svm->xnack))
		gpu_svm_fault_served(vm, va, access & GPU_W, migrates, since);
	else if (ret == -EAGAIN)
		gpu_svm_fault_waits(vm, va, since);
	return ret;
}
