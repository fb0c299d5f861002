// SPDX-License-Identifier: GPL-2.0-only
/*
 * USERPTR objects: a range of a process's memory, seen by the GPU.
 *
 * Nothing is pinned. A GPU fault asks hmm whether the page is there and puts it
 * into the page cache of the VM (if it is not, faulter.c brings it in). An MMU
 * notifier on the range takes it out again, and waits until no worker uses it,
 * before the mm changes anything. So the GPU sees munmap, mremap, copy-on-write,
 * MADV_DONTNEED and migration as the CPUs do, and no page reference is needed
 * (the shape of lib/test_hmm.c).
 *
 * bo->maps_lock orders the two: an invalidation sets the notifier's sequence
 * and empties every VM under it; a fault checks the sequence and fills under
 * it. Whichever comes second sees the other.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/hmm.h>
#include <linux/magic.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>

#include "gpu_int.h"

/* Looks in a row at a range that is being changed, before others get their turn. */
#define GPU_USERPTR_TRIES	8

/* Pages of CPU range [@start, @end) go from mapping @m's VM. */
static void gpu_userptr_zap(struct gpu_mapping *m, u64 start, u64 end)
{
	u64 addr = m->bo->userptr.addr + m->offset;	/* that m->start shows */
	u64 last = addr + (m->last - m->start);

	if (end <= addr || start > last)
		return;
	start = max(start, addr);
	last = min(last, end - 1);
	gpu_pc_shootdown(m->vm, (m->start + (start - addr)) >> PAGE_SHIFT,
			 (m->start + (last - addr)) >> PAGE_SHIFT, true);
}

static bool gpu_userptr_invalidate(struct mmu_interval_notifier *mni,
				   const struct mmu_notifier_range *range,
				   unsigned long cur_seq)
{
	struct gpu_bo *bo = container_of(mni, struct gpu_bo, userptr.notifier);
	bool block = mmu_notifier_range_blockable(range);
	struct gpu_mapping *m;

	if (block)
		mutex_lock(&bo->maps_lock);
	else if (!mutex_trylock(&bo->maps_lock))
		return false;

	mmu_interval_set_seq(mni, cur_seq);
	list_for_each_entry(m, &bo->maps, bo_node) {
		if (block) {
			mutex_lock(&m->vm->pc_lock);
		} else if (!mutex_trylock(&m->vm->pc_lock)) {
			/* What is gone already comes back by a fault. */
			mutex_unlock(&bo->maps_lock);
			return false;
		}
		gpu_userptr_zap(m, range->start, range->end);
		mutex_unlock(&m->vm->pc_lock);
	}
	mutex_unlock(&bo->maps_lock);
	return true;
}

static const struct mmu_interval_notifier_ops gpu_userptr_notifier_ops = {
	.invalidate = gpu_userptr_invalidate,
};

/*
 * Memory that the kernel can reach through its own mapping. memfd_secret takes
 * its pages out of that mapping, and hmm does not know.
 */
static bool gpu_userptr_reachable(struct vm_area_struct *vma)
{
	if (vma->vm_flags & (VM_IO | VM_PFNMAP | VM_MIXEDMAP))
		return false;
	return !vma->vm_file || file_inode(vma->vm_file)->i_sb->s_magic != SECRETMEM_MAGIC;
}

/* The whole of a new range must be memory. */
static int gpu_userptr_check(struct mm_struct *mm, u64 addr, u64 end)
{
	struct vm_area_struct *vma;
	int ret = 0;

	mmap_read_lock(mm);
	while (addr < end) {
		vma = find_vma(mm, addr);
		if (!vma || vma->vm_start > addr || !gpu_userptr_reachable(vma)) {
			ret = -EFAULT;
			break;
		}
		addr = vma->vm_end;
	}
	mmap_read_unlock(mm);
	return ret;
}

int gpu_userptr_init(struct gpu_bo *bo, struct gpu_process *p, u64 addr, u64 size)
{
	int ret;

	if (!addr || offset_in_page(addr) || offset_in_page(size))
		return -EINVAL;
	if (addr >= TASK_SIZE_MAX || size > TASK_SIZE_MAX - addr)
		return -EFAULT;
	if (!mmget_not_zero(p->mm))
		return -ESRCH;
	ret = gpu_userptr_check(p->mm, addr, addr + size);
	if (!ret)
		ret = mmu_interval_notifier_insert(&bo->userptr.notifier, p->mm, addr, size,
						   &gpu_userptr_notifier_ops);
	mmput(p->mm);
	if (ret)
		return ret;
	bo->userptr.addr = addr;
	bo->userptr.process = p;
	return 0;
}

void gpu_userptr_fini(struct gpu_bo *bo)
{
	if (bo->userptr.process)
		mmu_interval_notifier_remove(&bo->userptr.notifier);
}

/* ------------------------------------------------------------------- fault */

/*
 * The window of pages that one fault looks at: those of @m around @va. The
 * page itself has to be there; neighbours are taken if they are resident.
 */
struct gpu_userptr_window {
	u64 first;		/* page index in the VM */
	unsigned int n, at;	/* pages; the one that faulted */
	unsigned long pfns[GPU_FAULT_PAGES];
};

static void gpu_userptr_window(struct gpu_userptr_window *win, struct gpu_mapping *m, u64 va)
{
	u64 page = va >> PAGE_SHIFT;
	u64 last = min_t(u64, page | (GPU_FAULT_PAGES - 1), m->last >> PAGE_SHIFT);

	win->first = max_t(u64, round_down(page, GPU_FAULT_PAGES), m->start >> PAGE_SHIFT);
	win->n = last - win->first + 1;
	win->at = page - win->first;
}

/* hmm has answered, mmap_lock is held: forget pages of unreachable VMAs. */
static int gpu_userptr_strip(struct gpu_userptr_window *win, struct hmm_range *range,
			     struct mm_struct *mm)
{
	struct vm_area_struct *vma = NULL;
	unsigned long addr = range->start;
	unsigned int i;

	for (i = 0; i < win->n; i++, addr += PAGE_SIZE) {
		if (!vma || addr >= vma->vm_end)
			vma = find_vma(mm, addr);
		if (!vma)
			break;
		if (addr < vma->vm_start || gpu_userptr_reachable(vma))
			continue;
		win->pfns[i] = 0;
		if (i == win->at)
			return -EFAULT;
	}
	return 0;
}

/*
 * What is resident, without bringing anything in. -EAGAIN: the page is not
 * there in the way that is wanted, or nobody may look at the moment.
 */
static int gpu_userptr_look(struct gpu_userptr_window *win, struct hmm_range *range,
			    struct mm_struct *mm, u32 access)
{
	unsigned long want = HMM_PFN_VALID | (access & GPU_W ? HMM_PFN_WRITE : 0);
	unsigned long addr = range->start + win->at * PAGE_SIZE;
	struct vm_area_struct *vma;
	int ret = -EFAULT;

	memset(win->pfns, 0, sizeof(win->pfns));
	if (!mmap_read_trylock(mm))
		return -EAGAIN;
	vma = find_vma(mm, addr);
	if (!vma || addr < vma->vm_start || !(vma->vm_flags & VM_READ))
		goto out_unlock;
	if (access & GPU_W && !(vma->vm_flags & VM_WRITE)) {
		ret = -EPERM;
		goto out_unlock;
	}
	range->notifier_seq = mmu_interval_read_begin(range->notifier);
	ret = hmm_range_fault(range);
	if (!ret)
		ret = gpu_userptr_strip(win, range, mm);
	if (!ret && (win->pfns[win->at] & (want | HMM_PFN_ERROR)) != want)
		ret = -EAGAIN;
out_unlock:
	mmap_read_unlock(mm);
	return ret;
}

/* bo->maps_lock and vm->pc_lock are held, the notifier sequence is good. */
static int gpu_userptr_fill(struct gpu_userptr_window *win, struct gpu_mapping *m)
{
	unsigned int i;
	int ret = 0, err;

	for (i = 0; i < win->n; i++) {
		unsigned long hmm = win->pfns[i];
		u32 access = m->access;

		if (!(hmm & HMM_PFN_VALID) || hmm & HMM_PFN_ERROR)
			continue;
		if (!(hmm & HMM_PFN_WRITE))
			access &= ~GPU_W;
		err = gpu_pc_store(m->vm, win->first + i, hmm & ~HMM_PFN_FLAGS, access);
		if (err && i == win->at)
			ret = err;
	}
	return ret;
}

static int gpu_userptr_error(int ret, struct gpu_fault *fault)
{
	switch (ret) {
	case -ENOMEM:
	case -EAGAIN:
	case -ESRCH:
		return ret;
	case -EPERM:
		fault->read_only = true;
		return -EFAULT;
	default:
		fault->not_present = true;
		return -EFAULT;
	}
}

/* One look, and what it showed put into the page cache. -EBUSY: it changed. */
static int gpu_userptr_try(struct gpu_mapping *m, struct gpu_userptr_window *win,
			   struct hmm_range *range, u32 access)
{
	struct gpu_bo *bo = m->bo;
	int ret;

	ret = gpu_pc_reserve(m->vm, win->first, win->n);
	if (ret)
		return ret;
	ret = gpu_userptr_look(win, range, range->notifier->mm, access);
	if (ret)
		return ret;
	mutex_lock(&bo->maps_lock);
	if (mmu_interval_read_retry(range->notifier, range->notifier_seq)) {
		ret = -EBUSY;
	} else {
		mutex_lock(&m->vm->pc_lock);
		ret = gpu_userptr_fill(win, m);
		mutex_unlock(&m->vm->pc_lock);
	}
	mutex_unlock(&bo->maps_lock);
	return ret;
}

int gpu_userptr_fault(struct gpu_mapping *m, u64 va, u32 access, struct gpu_fault *fault)
{
	struct gpu_bo *bo = m->bo;
	struct mm_struct *mm = bo->userptr.notifier.mm;
	struct gpu_userptr_window win;
	struct hmm_range range = {
		.notifier = &bo->userptr.notifier,
		.hmm_pfns = win.pfns,
	};
	int ret, tries = GPU_USERPTR_TRIES;

	gpu_userptr_window(&win, m, va);
	range.start = bo->userptr.addr + m->offset + (win.first << PAGE_SHIFT) - m->start;
	range.end = range.start + ((unsigned long)win.n << PAGE_SHIFT);

	if (!mmget_not_zero(mm))
		return -ESRCH;
	do {
		ret = gpu_userptr_try(m, &win, &range, access);
	} while (ret == -EBUSY && --tries);
	gpu_pc_release(m->vm, win.first, win.n);
	/* We hold vm->lock: the teardown that may follow must not run here. */
	mmput_async(mm);
	if (ret == -EAGAIN)
		ret = gpu_faulter_ask(m->vm->faulter, range.start + win.at * PAGE_SIZE,
				      range.end, access & GPU_W);
	if (ret == -EBUSY)
		ret = -EAGAIN;
	return ret ? gpu_userptr_error(ret, fault) : 0;
}
