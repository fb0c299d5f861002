// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages of ranges that follow them to a GPU and back (zone.c), where the kernel has page frames for
 * that and the module's parameter says so. A range is charged and told of as a whole (svm_place.c);
 * what counts as moved here are pages.
 *
 * They follow a prefetch, within the ioctl, and a GPU's fault with XNACK: the thread that serves
 * faults moves them. A CPU that touches one brings back as much as the range's granularity says,
 * and the range then counts as in system memory there.
 *
 * A range that leaves a GPU counts as elsewhere at once, and its pages follow: those of one that
 * goes from GPU to GPU by way of system memory, as in the real driver (svm_migrate_vram_to_vram()).
 * One that has to leave because others need the room is moved by the thread, too, a little later:
 * they hold locks within which a process's mm must not be waited for. GPUs and CPUs reach its pages
 * meanwhile. Until its pages have followed, a range says in whose memory they are (attrs.stray).
 *
 * A CPU's fault comes with mmap_lock, for an mm; so the ranges of an mm are found by a table. Who
 * waits for the ranges of one holds a reference, and nothing for which other processes would wait.
 */
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>

#include "backend.h"
#include "device.h"
#include "mem.h"
#include "race.h"
#include "svm_int.h"
#include "zone.h"

/* How much of it is looked at with one look at the ranges, and with mmap_lock if nobody waits. */
#define FOLLOW_BYTES	(2ull << 20)
/* How often the pages of a range that moves again and again are looked for. */
#define STRAY_TRIES	3

#define TABLE_BITS	8

static DEFINE_SPINLOCK(svm_table_lock);	/* a leaf */
static DEFINE_HASHTABLE(svm_table, TABLE_BITS);

void gpu_svm_join(struct gpu_svm *svm)
{
	spin_lock(&svm_table_lock);
	hash_add(svm_table, &svm->node, (unsigned long)svm->process->mm);
	spin_unlock(&svm_table_lock);
}

void gpu_svm_part(struct gpu_svm *svm)
{
	spin_lock(&svm_table_lock);
	hash_del(&svm->node);	/* or it has not joined */
	spin_unlock(&svm_table_lock);
}

static struct gpu_svm *svm_of_mm(const struct mm_struct *mm)
{
	struct gpu_svm *svm;

	lockdep_assert_held(&svm_table_lock);
	hash_for_each_possible(svm_table, svm, node, (unsigned long)mm)
		if (svm->process->mm == mm)
			return svm;
	return NULL;
}

/*
 * The ranges of @mm, with svm->lock held; not freed until svm_exit(). NULL: it has none. If its
 * process has ended meanwhile, they are empty (gpu_svm_detach()).
 */
static struct gpu_svm *svm_enter(const struct mm_struct *mm)
{
	struct gpu_svm *svm;

	spin_lock(&svm_table_lock);
	svm = svm_of_mm(mm);
	if (svm)
		refcount_inc(&svm->refs);
	spin_unlock(&svm_table_lock);
	if (svm)
		mutex_lock(&svm->lock);
	return svm;
}

static void svm_exit(struct gpu_svm *svm)
{
	mutex_unlock(&svm->lock);
	gpu_svm_put(svm);
}

bool gpu_svm_pages_follow(enum gpu_svm_move why)
{
	return why == GPU_SVM_CPU_FAULT || gpu_zone_on();
}

/* Is its memory such that page frames can stand for it? */
static bool svm_has_zone(const struct gpu_svm *svm, u32 at)
{
	const struct gpu_vm *vm = at ? svm->vms[at - 1] : NULL;

	return vm && vm->gdev->backend && vm->gdev->backend->mem == &gpu_ram_ops;
}

/* Pages of one that moves on before they have followed are those of the first. */
bool gpu_svm_place(struct gpu_svm *svm, struct gpu_svm_range *r, u32 at)
{
	struct gpu_svm_attrs *a = &r->attrs;

	lockdep_assert_held(&svm->lock);
	if (!a->stray && (gpu_zone_on() || gpu_zone_used()) && svm_has_zone(svm, a->at))
		a->stray = a->at;
	if (a->stray == at)
		a->stray = 0;
	gpu_svm_put_at(svm, r, at);
	svm->moves++;
	return a->stray;
}

static void svm_count(struct mm_struct *mm, u32 at, u64 in, u64 out)
{
	struct gpu_svm *svm = svm_enter(mm);
	struct gpu_vm *vm;

	if (!svm)
		return;
	vm = at ? svm->vms[at - 1] : NULL;
	if (vm) {
		atomic64_add(in, &vm->pages_in);
		atomic64_add(out, &vm->pages_out);
	}
	svm_exit(svm);
}

/*
 * struct svm_part - ranges, or a part of one, whose pages are to move
 * @start,@last: bytes
 * @at: the device whose memory they come to, or are still in
 * @moves: svm->moves, when that was so
 */
struct svm_part {
	u64 start, last, moves;
	u32 at;
};

static bool svm_lock_mm(struct mm_struct *mm, bool locked)
{
	return locked ? !fatal_signal_pending(current) : !mmap_read_lock_killable(mm);
}

static void svm_unlock_mm(struct mm_struct *mm, bool locked)
{
	if (!locked)
		mmap_read_unlock(mm);
	cond_resched();
}

/* ------------------------------------------------------------------- strays */

/* The first range in @start..@last that has left a GPU, and its pages may not have. */
static bool svm_find_stray(struct mm_struct *mm, u64 start, u64 last, struct svm_part *p)
{
	struct gpu_svm *svm = svm_enter(mm);
	struct gpu_svm_range *r;

	if (!svm)
		return false;
	for_each_svm_range(r, svm, start, last) {
		if (r->attrs.stray)
			break;
		cond_resched();
	}
	if (r)
		*p = (struct svm_part){ .start = r->start, .last = r->last, .moves = svm->moves,
					.at = r->attrs.stray };
	svm_exit(svm);
	return r;
}

/* Its pages have left. False: a range has moved meanwhile, and they may be anywhere. */
static bool svm_end_stray(struct mm_struct *mm, const struct svm_part *p)
{
	struct gpu_svm *svm = svm_enter(mm);
	struct gpu_svm_range *r;
	bool same;

	if (!svm)
		return true;
	same = svm->moves == p->moves;
	for_each_svm_range(r, svm, p->start, p->last) {
		if (!same)
			break;
		if (r->start >= p->start && r->last <= p->last)
			r->attrs.stray = 0;
		cond_resched();
	}
	if (same)
		gpu_svm_merge(svm, p->start, p->last);
	svm_exit(svm);
	return same;
}

static bool svm_fetch_stray(struct mm_struct *mm, const struct svm_part *p, bool locked)
{
	u64 start = p->start, end;

	for (;;) {
		end = min(p->last, start + FOLLOW_BYTES - 1);
		if (!svm_lock_mm(mm, locked))
			return false;
		svm_count(mm, p->at, 0, gpu_zone_out(mm, start, end));
		svm_unlock_mm(mm, locked);
		if (end == p->last)
			return true;
		start = end + 1;
	}
}

/* All of a range, as what is left of it would be forgotten. @locked: mmap_lock is held. */
static void svm_fetch_strays(struct mm_struct *mm, u64 start, u64 last, bool locked)
{
	unsigned int tries = 0;
	struct svm_part p;

	while (start <= last && svm_find_stray(mm, start, last, &p)) {
		vkfd_race_point("svm: a range has left, its pages not yet");
		if (!svm_fetch_stray(mm, &p, locked))
			return;
		if (!svm_end_stray(mm, &p) && ++tries < STRAY_TRIES)
			continue;
		tries = 0;
		start = p.last + 1;
	}
}

/* -------------------------------------------------------------------- come */

/* The first part of ranges in @p, where ranges are. False: there is none. */
static bool svm_look(struct mm_struct *mm, struct svm_part *p)
{
	struct gpu_svm *svm = svm_enter(mm);
	struct gpu_svm_range *r;

	if (!svm)
		return false;
	r = gpu_svm_first(svm, p->start, p->last);
	if (r) {
		p->start = max(p->start, r->start);
		p->last = min3(p->last, r->last, p->start + FOLLOW_BYTES - 1);
		p->at = svm_has_zone(svm, r->attrs.at) ? r->attrs.at : 0;
	}
	svm_exit(svm);
	return r;
}

/* @want: only what is there; 0: wherever it is */
static void svm_bring(struct mm_struct *mm, u64 start, u64 last, u32 want, bool locked)
{
	struct svm_part p = { .start = start, .last = last };
	bool found;

	for (;;) {
		if (!svm_lock_mm(mm, locked))
			return;
		found = svm_look(mm, &p);
		/* It may have gone elsewhere meanwhile. */
		if (found && p.at && (!want || p.at == want))
			svm_count(mm, p.at, gpu_zone_in(mm, p.start, p.last), 0);
		svm_unlock_mm(mm, locked);
		if (!found || p.last == last)
			return;
		p.start = p.last + 1;
		p.last = last;
	}
}

void gpu_svm_follow(struct gpu_svm *svm, u64 start, u64 last)
{
	struct mm_struct *mm = svm->process->mm;

	lockdep_assert_held(&mm->mmap_lock);
	svm_fetch_strays(mm, start, last, true);
	if (gpu_zone_on())
		svm_bring(mm, start, last, 0, true);
}

void gpu_svm_bring_pages(struct mm_struct *mm, u64 start, u64 last, u32 at)
{
	if (!gpu_zone_on())
		return;
	gpu_zone_prepare(last - start + 1);
	svm_fetch_strays(mm, start, last, false);
	svm_bring(mm, start, last, at, false);
	gpu_zone_prepare_end(last - start + 1);
}

void gpu_svm_bring_home(struct mm_struct *mm)
{
	svm_fetch_strays(mm, 0, U64_MAX, false);
}

/* ------------------------------------------------------------- a CPU's fault */

void gpu_svm_touch(struct gpu_svm_touch *t)
{
	struct gpu_svm_moves moves = { .start = t->addr, .last = t->addr + PAGE_SIZE - 1 };
	struct gpu_svm *svm = svm_enter(t->mm);

	if (svm) {
		gpu_svm_leave(svm, t->addr, &moves, false);
		svm_exit(svm);
	}
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
	svm = svm_enter(t->mm);
	if (svm) {
		gpu_svm_leave(svm, t->addr, &moves, true);
		svm_exit(svm);
	}
	svm_count(t->mm, t->at, 0, pages);
}
