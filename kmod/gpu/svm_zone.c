// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages of ranges that follow them to a GPU and back (zone.c), where the kernel has page frames for
 * that and the module's parameter says so. A range is charged and told of as a whole (svm_place.c);
 * what counts as moved here are pages.
 *
 * They follow a prefetch, within the ioctl, and a GPU's fault with XNACK: the thread that serves
 * faults moves them. A CPU that touches one brings back as much as the range's granularity says,
 * and the range then counts as in system memory there. If a range has to leave because others need
 * the room, or goes from GPU to GPU, its pages stay as they are: only what they count as has
 * changed.
 *
 * A CPU's fault comes with mmap_lock, for an mm; so the ranges of an mm are found by a list.
 */
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/rwsem.h>
#include <linux/sched/signal.h>

#include "backend.h"
#include "device.h"
#include "mem.h"
#include "svm_int.h"
#include "zone.h"

/* How much of it is looked at with one look at the ranges, and with mmap_lock if nobody waits. */
#define FOLLOW_BYTES	(2ull << 20)

/*
 * Who is in it is not freed. For reading it is inside mmap_lock, and svm->lock is inside it; for
 * writing there is nothing inside it.
 */
static DECLARE_RWSEM(svm_list_sem);
static LIST_HEAD(svm_list);

void gpu_svm_join(struct gpu_svm *svm)
{
	down_write(&svm_list_sem);
	list_add(&svm->node, &svm_list);
	up_write(&svm_list_sem);
}

void gpu_svm_part(struct gpu_svm *svm)
{
	down_write(&svm_list_sem);
	list_del(&svm->node);
	up_write(&svm_list_sem);
}

static struct gpu_svm *svm_of_mm(const struct mm_struct *mm)
{
	struct gpu_svm *svm;

	lockdep_assert_held(&svm_list_sem);
	list_for_each_entry(svm, &svm_list, node)
		if (svm->process->mm == mm)
			return svm;
	return NULL;
}

bool gpu_svm_pages_follow(bool from, bool to, enum gpu_svm_move why)
{
	if (why == GPU_SVM_CPU_FAULT)
		return true;
	if (!gpu_zone_on() || from == to)
		return false;
	return why == GPU_SVM_PREFETCH || (why == GPU_SVM_FAULT && to);
}

/* Is its memory such that page frames can stand for it? */
static bool svm_has_zone(const struct gpu_svm *svm, u32 at)
{
	const struct gpu_vm *vm = at ? svm->vms[at - 1] : NULL;

	return vm && vm->gdev->backend && vm->gdev->backend->mem == &gpu_ram_ops;
}

/* The range at @start: where it is, and where it ends. False: there is none up to @last. */
static bool svm_look(struct gpu_svm *svm, u64 *start, u64 *last, u32 *at)
{
	struct gpu_svm_range *r;

	mutex_lock(&svm->lock);
	r = gpu_svm_first(svm, *start, *last);
	if (r) {
		*start = max(*start, r->start);
		*last = min3(*last, r->last, *start + FOLLOW_BYTES - 1);
		*at = svm_has_zone(svm, r->attrs.at) ? r->attrs.at : 0;
	}
	mutex_unlock(&svm->lock);
	return r;
}

static void svm_count(struct gpu_svm *svm, u32 at, u64 in, u64 out)
{
	struct gpu_vm *vm;

	mutex_lock(&svm->lock);
	vm = at ? svm->vms[at - 1] : NULL;
	if (vm) {
		atomic64_add(in, &vm->pages_in);
		atomic64_add(out, &vm->pages_out);
	}
	mutex_unlock(&svm->lock);
}

void gpu_svm_follow(struct gpu_svm *svm, u64 start, u64 last, bool in)
{
	struct mm_struct *mm = svm->process->mm;
	u64 end = last, pages;
	u32 at;

	lockdep_assert_held(&mm->mmap_lock);
	while (svm_look(svm, &start, &end, &at)) {
		if (at) {
			pages = in ? gpu_zone_in(mm, start, end) : gpu_zone_out(mm, start, end);
			svm_count(svm, at, in ? pages : 0, in ? 0 : pages);
		}
		if (end == last || fatal_signal_pending(current))
			break;
		start = end + 1;
		end = last;
		cond_resched();
	}
}

/* One look at the ranges. False: nothing more of them is there. */
static bool svm_bring_some(struct mm_struct *mm, u64 *start, u64 *last, u32 want)
{
	struct gpu_svm *svm;
	bool found = false;
	u64 pages;
	u32 at;

	if (mmap_read_lock_killable(mm))
		return false;
	down_read(&svm_list_sem);
	svm = svm_of_mm(mm);
	if (svm)
		found = svm_look(svm, start, last, &at);
	up_read(&svm_list_sem);
	/* It may have gone elsewhere meanwhile. */
	if (found && at == want) {
		pages = gpu_zone_in(mm, *start, *last);
		down_read(&svm_list_sem);
		svm = svm_of_mm(mm);
		if (svm)
			svm_count(svm, at, pages, 0);
		up_read(&svm_list_sem);
	}
	mmap_read_unlock(mm);
	return found;
}

void gpu_svm_bring_pages(struct mm_struct *mm, u64 start, u64 last, u32 at)
{
	u64 end = last;

	if (!gpu_zone_on())
		return;
	gpu_zone_prepare(last - start + 1);
	while (!fatal_signal_pending(current) && svm_bring_some(mm, &start, &end, at)) {
		if (end == last)
			break;
		start = end + 1;
		end = last;
	}
}

/* ------------------------------------------------------------- a CPU's fault */

void gpu_svm_touch(struct gpu_svm_touch *t)
{
	struct gpu_svm_moves moves = { .start = t->addr, .last = t->addr + PAGE_SIZE - 1 };
	struct gpu_svm *svm;

	down_read(&svm_list_sem);
	svm = svm_of_mm(t->mm);
	if (svm) {
		mutex_lock(&svm->lock);
		gpu_svm_leave(svm, t->addr, &moves, false);
		mutex_unlock(&svm->lock);
	}
	up_read(&svm_list_sem);
	t->start = moves.start;
	t->last = moves.last;
	t->at = moves.at;
}

/* Only when pages are back: if somebody else was at them, the next fault tries again. */
void gpu_svm_touched(const struct gpu_svm_touch *t, u64 pages)
{
	struct gpu_svm_moves moves = { };
	struct gpu_svm *svm;

	if (!t->at || !pages)
		return;
	down_read(&svm_list_sem);
	svm = svm_of_mm(t->mm);
	if (svm) {
		svm_count(svm, t->at, 0, pages);
		mutex_lock(&svm->lock);
		gpu_svm_leave(svm, t->addr, &moves, true);
		mutex_unlock(&svm->lock);
	}
	up_read(&svm_list_sem);
}
