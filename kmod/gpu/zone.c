// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages of processes that are with the GPUs for real: CPUs cannot reach them, and a CPU that tries
 * brings them back (the pattern of lib/test_hmm.c and of the real driver's kfd_migrate.c).
 *
 * The page frames are device-private (zone_frames.c), one zone for all GPUs. Whose VRAM a page
 * counts as is a matter of its range (svm.c), so pages of a GPU that goes are no problem. What a
 * page frame has of memory is a page of RAM behind it, which a GPU that reads or writes there gets
 * instead (gpu_zone_pfn()).
 *
 * The charge of a memory cgroup goes with the page frame, from the page that was there before to
 * the one that comes after, so the pages behind are not charged again. On the way back the page
 * behind becomes the process's own again. Nothing is copied or allocated, and so a CPU's
 * fault never fails because there is no memory.
 *
 * Only anonymous memory moves. Pages that somebody has pinned, or which are in the swap cache, stay
 * where they are, and so does what finds no room: GPUs reach all of it wherever it is.
 *
 * Pages may outlive the ranges, the process's use of GPUs and the process, if it has forked. They
 * are mapped like other pages and go with the mapping. When the module goes, it fetches all.
 */
#include <linux/delay.h>
#include <linux/highmem.h>
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/userfaultfd_k.h>

#include "../compat/zone.h"
#include "faulter.h"
#include "race.h"
#include "svm_int.h"
#include "zone.h"
#include "zone_frames.h"

/* Pages that move at a time: locked, and out of reach, until all have moved. */
#define ZONE_STEP		128

/**
 * struct zone_step - pages that move together
 * @src: page frames before, as migrate_vma_setup() has found them
 * @dst: page frames after
 * @room: for both
 */
struct zone_step {
	unsigned long *src, *dst;
	unsigned long room[];
};

static bool zone_on;
module_param_named(svm_migrate, zone_on, bool, 0644);
MODULE_PARM_DESC(svm_migrate, "pages of shared memory move to GPUs, and back when a CPU touches them (default N)");

bool gpu_zone_on(void)
{
	return READ_ONCE(zone_on);
}

static struct page *zone_behind(struct page *page)
{
	return page->zone_device_data;
}

unsigned long gpu_zone_pfn(unsigned long pfn)
{
	struct page *page = pfn_to_page(pfn);

	return is_device_private_page(page) ? page_to_pfn(zone_behind(page)) : pfn;
}

/* -------------------------------------------------------------------- move */

static struct zone_step *zone_step_alloc(gfp_t gfp)
{
	struct zone_step *s = kmalloc(struct_size(s, room, 2 * ZONE_STEP), GFP_KERNEL | gfp);

	if (s) {
		s->src = s->room;
		s->dst = s->room + ZONE_STEP;
	}
	return s;
}

/* Pages that the kernel has taken from the process: fills in where they are to be. */
static void zone_copy_in(struct zone_step *s, unsigned long n)
{
	struct page *from, *to;
	unsigned long i;

	for (i = 0; i < n; i++) {
		if (!(s->src[i] & MIGRATE_PFN_MIGRATE))
			continue;
		to = gpu_frame_get();
		if (!to)
			return;
		from = migrate_pfn_to_page(s->src[i]);
		if (from)
			copy_highpage(zone_behind(to), from);
		else
			clear_highpage(zone_behind(to));	/* nobody has touched it yet */
		s->dst[i] = migrate_pfn(page_to_pfn(to));
	}
}

/*
 * The pages behind are to be the process's. They are dirty: GPUs may have written what the kernel
 * believes it may forget (MADV_FREE).
 */
static void zone_hand_out(struct zone_step *s, unsigned long n)
{
	struct page *from, *behind;
	unsigned long i;

	for (i = 0; i < n; i++) {
		from = migrate_pfn_to_page(s->src[i]);
		if (!from || !(s->src[i] & MIGRATE_PFN_MIGRATE) || !is_device_private_page(from))
			continue;
		behind = zone_behind(from);
		/* Who has just handed it out may still have to give up the frame: zone_let_go() */
		if (!behind)
			continue;
		get_page(behind);
		lock_page(behind);
		SetPageDirty(from);
		s->dst[i] = migrate_pfn(page_to_pfn(behind));
	}
}

/* Those that the process has got are behind the page frames no longer. */
static u64 zone_let_go(struct zone_step *s, unsigned long n)
{
	struct page *from;
	unsigned long i;
	u64 moved = 0;

	for (i = 0; i < n; i++) {
		if (!s->dst[i] || !(s->src[i] & MIGRATE_PFN_MIGRATE))
			continue;
		from = migrate_pfn_to_page(s->src[i]);
		put_page(zone_behind(from));
		from->zone_device_data = NULL;
		moved++;
	}
	return moved;
}

static u64 zone_count(const struct zone_step *s, unsigned long n)
{
	unsigned long i;
	u64 moved = 0;

	for (i = 0; i < n; i++)
		moved += s->dst[i] && s->src[i] & MIGRATE_PFN_MIGRATE;
	return moved;
}

static u64 zone_step_in(struct zone_step *s, struct vm_area_struct *vma, u64 start, u64 end)
{
	struct migrate_vma m = {
		.vma = vma, .start = start, .end = end, .src = s->src, .dst = s->dst,
		.pgmap_owner = gpu_zone_owner(), .flags = MIGRATE_VMA_SELECT_SYSTEM,
	};
	u64 moved;

	if (migrate_vma_setup(&m))
		return 0;
	vkfd_race_point("zone: pages taken from a process, not yet in");
	zone_copy_in(s, m.npages);
	migrate_vma_pages(&m);
	moved = zone_count(s, m.npages);
	migrate_vma_finalize(&m);
	return moved;
}

static u64 zone_step_out(struct zone_step *s, struct vm_area_struct *vma, u64 start, u64 end,
			 struct page *fault)
{
	struct migrate_vma m = {
		.vma = vma, .start = start, .end = end, .src = s->src, .dst = s->dst,
		.pgmap_owner = gpu_zone_owner(), .flags = MIGRATE_VMA_SELECT_DEVICE_PRIVATE,
		.fault_page = fault,
	};
	u64 moved;

	if (migrate_vma_setup(&m))
		return 0;
	vkfd_race_point("zone: pages taken from a process, not yet back");
	zone_hand_out(s, m.npages);
	migrate_vma_pages(&m);
	moved = zone_let_go(s, m.npages);
	migrate_vma_finalize(&m);
	return moved;
}

/* What has rules of its own for its pages stays: mlock, KSM, userfaultfd, files. */
static bool zone_may_move(struct vm_area_struct *vma)
{
	return vma_is_anonymous(vma) && !is_vm_hugetlb_page(vma) && !userfaultfd_armed(vma) &&
	       !(vma->vm_flags & (VM_SPECIAL | VM_LOCKED | VM_MERGEABLE));
}

/*
 * All that is in one mapping, from @start to @end. @at: where a CPU has faulted, and @fault the
 * page there, or NULL.
 */
static u64 zone_move(struct zone_step *s, struct vm_area_struct *vma, u64 start, u64 end, bool in,
		     u64 at, struct page *fault)
{
	u64 next, moved = 0;

	for (; start < end && !fatal_signal_pending(current); start = next) {
		next = min(end, start + (ZONE_STEP << PAGE_SHIFT));
		memset(s->dst, 0, ZONE_STEP * sizeof(*s->dst));
		if (in)
			moved += zone_step_in(s, vma, start, next);
		else
			moved += zone_step_out(s, vma, start, next,
					       start <= at && at < next ? fault : NULL);
		cond_resched();
	}
	return moved;
}

static u64 zone_move_all(struct mm_struct *mm, u64 start, u64 last, bool in)
{
	struct zone_step *s = zone_step_alloc(__GFP_NOWARN);
	struct vm_area_struct *vma;
	u64 end = last + 1, next, moved = 0;

	lockdep_assert_held(&mm->mmap_lock);
	for (; s && start < end && !fatal_signal_pending(current); start = next) {
		vma = find_vma(mm, start);
		if (!vma || vma->vm_start >= end)
			break;
		start = max_t(u64, start, vma->vm_start);
		next = min_t(u64, end, vma->vm_end);
		if (!in || zone_may_move(vma))
			moved += zone_move(s, vma, start, next, in, 0, NULL);
	}
	kfree(s);
	return moved;
}

u64 gpu_zone_in(struct mm_struct *mm, u64 start, u64 last)
{
	return zone_move_all(mm, start, last, true);
}

u64 gpu_zone_out(struct mm_struct *mm, u64 start, u64 last)
{
	return gpu_zone_used() ? zone_move_all(mm, start, last, false) : 0;
}

/* ------------------------------------------------------------------- fault */

/* No memory to say what is to move, or no time: the one page that is wanted. */
static u64 zone_fetch_one(struct vm_fault *vmf, u64 at)
{
	unsigned long src = 0, dst = 0;
	struct zone_step s = { .src = &src, .dst = &dst };

	return zone_step_out(&s, vmf->vma, at, at + PAGE_SIZE, vmf->page);
}

/*
 * A CPU, or whoever uses the process's mapping, has touched a page. It, and what its range moves
 * along, comes back. If it does not, as somebody else is just at it, the CPU faults again.
 *
 * The thread that brings pages in for a GPU finds a page here if it came between the GPU's look and
 * the thread's. The GPU looks again, and reaches it where it is.
 */
static vm_fault_t zone_to_ram(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct gpu_svm_touch t = { .mm = vma->vm_mm, .addr = vmf->address & PAGE_MASK };
	struct zone_step *s = NULL;
	u64 moved;

	if (gpu_faulter_looks_again() &&
	    (!(vmf->flags & FAULT_FLAG_WRITE) || compat_zone_writable(vmf->orig_pte)))
		return 0;
	gpu_svm_touch(&t);
	/* Whoever is killed in the kernel still has to get on. */
	if (!fatal_signal_pending(current))
		s = zone_step_alloc(__GFP_NOWARN);
	if (s)
		moved = zone_move(s, vma, max_t(u64, t.start, vma->vm_start),
				  min_t(u64, t.last + 1, vma->vm_end), false, t.addr, vmf->page);
	else
		moved = zone_fetch_one(vmf, t.addr);
	kfree(s);
	gpu_svm_touched(&t, moved);
	return 0;
}

/* --------------------------------------------------------------------- end */

/* Wherever they are mapped; those that somebody else is moving are left. */
static void zone_fetch_frames(unsigned long pfn, unsigned long n, void *room)
{
	struct zone_step *s = room;
	unsigned long i;

	for (i = 0; i < n; i += ZONE_STEP) {
		memset(s->dst, 0, ZONE_STEP * sizeof(*s->dst));
		migrate_device_range(s->src, pfn + i, ZONE_STEP);
		zone_hand_out(s, ZONE_STEP);
		migrate_device_pages(s->src, s->dst, ZONE_STEP);
		zone_let_go(s, ZONE_STEP);
		migrate_device_finalize(s->src, s->dst, ZONE_STEP);
		cond_resched();
	}
}

int gpu_zone_start(void)
{
	return gpu_frames_start(zone_to_ram);
}

/*
 * Nobody makes more: there is no process that uses a GPU. Those that are left are only mapped, by
 * children of such a process. One that somebody is using at this moment is tried again.
 */
void gpu_zone_stop(void)
{
	struct zone_step *s;

	gpu_frames_close();
	if (gpu_zone_used()) {
		s = zone_step_alloc(__GFP_NOFAIL);
		for (;;) {
			gpu_frames_each(zone_fetch_frames, s);
			if (!gpu_zone_used())
				break;
			msleep(20);
		}
		kfree(s);
	}
	gpu_frames_stop();
}
