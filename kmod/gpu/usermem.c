// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of a process seen by the GPU: how a fault brings its pages into the page cache of a
 * VM. The owner of the range (a USERPTR object, or SVM) removes them.
 *
 * Nothing is pinned. A GPU fault asks hmm whether the page is resident and puts it into the
 * page cache of the VM; if it is not, faulter.c brings it in. Before the mm changes anything,
 * the owner is told (mm.c), removes the page and waits until no worker uses it. So the GPU sees
 * munmap, mremap, copy-on-write, MADV_DONTNEED and migration just as CPUs do, and no page
 * reference is needed.
 *
 * The owner's lock serialises the two. Under it, a change is counted and empties every VM;
 * under it, too, a fault checks the count and fills the page cache. So whichever comes second
 * sees the other. While a change is under way, which may take as long as the process likes, nobody
 * looks: the fault comes again later.
 */
#include <linux/fs.h>
#include <linux/hmm.h>
#include <linux/ktime.h>
#include <linux/magic.h>
#include <linux/mmu_notifier.h>
#include <linux/sched/mm.h>

#include "capture.h"
#include "gpu_int.h"
#include "race.h"
#include "zone.h"

/* How often to retry while the range is being changed, before others get their turn. */
#define GPU_USER_TRIES	8

/*
 * Can the kernel reach this memory through its own mapping? memfd_secret removes its pages
 * from that mapping, which hmm does not know.
 */
static bool gpu_user_reachable(struct vm_area_struct *vma)
{
	if (vma->vm_flags & (VM_IO | VM_PFNMAP | VM_MIXEDMAP))
		return false;
	return !vma->vm_file || file_inode(vma->vm_file)->i_sb->s_magic != SECRETMEM_MAGIC;
}

int gpu_user_check(struct mm_struct *mm, u64 addr, u64 end, unsigned long flags)
{
	struct vm_area_struct *vma;

	lockdep_assert_held(&mm->mmap_lock);
	while (addr < end) {
		vma = find_vma(mm, addr);
		if (!vma || vma->vm_start > addr || !gpu_user_reachable(vma) ||
		    (vma->vm_flags & flags) != flags)
			return -EFAULT;
		addr = vma->vm_end;
	}
	return 0;
}

/*
 * The window of pages that one fault looks at: the part of the view around @va. The faulting
 * page must be there; its neighbours are taken if they are resident.
 */
struct gpu_user_window {
	u64 first;		/* page index in the VM */
	unsigned int n, at;	/* pages; the one that faulted */
	bool may_write;		/* the GPU may write to them */
	bool write;		/* the access needs write permission */
	unsigned long pfns[GPU_FAULT_PAGES];
};

static void gpu_user_window(struct gpu_user_window *win, const struct gpu_user_view *v, u64 va)
{
	u64 page = va >> PAGE_SHIFT;
	/* Capture what is touched, no more. */
	bool alone = gpu_capture_watches(v->vm, v->vm->gdev);
	u64 last = alone ? page : min_t(u64, page | (GPU_FAULT_PAGES - 1), v->last >> PAGE_SHIFT);

	win->first = alone ? page :
		     max_t(u64, round_down(page, GPU_FAULT_PAGES), v->start >> PAGE_SHIFT);
	win->n = last - win->first + 1;
	win->at = page - win->first;
	win->may_write = v->access & GPU_W;
}

/* After hmm has answered, with mmap_lock held: drops pages of unreachable VMAs. */
static int gpu_user_strip(struct gpu_user_window *win, struct hmm_range *range,
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
		if (addr < vma->vm_start || gpu_user_reachable(vma))
			continue;
		win->pfns[i] = 0;
		if (i == win->at)
			return -EFAULT;
	}
	return 0;
}

/*
 * Looks up resident pages without bringing any in. -EAGAIN: the page is not there with the
 * access that is wanted, or mmap_lock is not available at the moment. Changes that come
 * meanwhile are noticed afterwards, by who takes the pages, and not by hmm.
 */
static int gpu_user_look(struct gpu_user_window *win, struct hmm_range *range,
			 struct mm_struct *mm, u32 access)
{
	unsigned long want = HMM_PFN_VALID;
	unsigned long addr = range->start + win->at * PAGE_SIZE;
	struct vm_area_struct *vma;
	int ret = -EFAULT;

	memset(win->pfns, 0, sizeof(win->pfns));
	win->write = access & GPU_W;
	if (!mmap_read_trylock(mm))
		return -EAGAIN;
	vma = find_vma(mm, addr);
	if (!vma || addr < vma->vm_start || !(vma->vm_flags & VM_READ))
		goto out_unlock;
	if (access & GPU_W && !(vma->vm_flags & VM_WRITE)) {
		ret = -EPERM;
		goto out_unlock;
	}
	/*
	 * As in the real driver (amdgpu_hmm_range_get_pages(), svm_range_validate_and_map()):
	 * if the GPU may write to the page, ask for write access even if it only reads now.
	 * Otherwise it would fault twice, the second time on the shared zero page.
	 */
	if (win->may_write && vma->vm_flags & VM_WRITE)
		win->write = true;
	if (win->write)
		want |= HMM_PFN_WRITE;
	ret = hmm_range_fault(range);
	if (!ret)
		ret = gpu_user_strip(win, range, mm);
	if (!ret && (win->pfns[win->at] & (want | HMM_PFN_ERROR)) != want)
		ret = -EAGAIN;
out_unlock:
	mmap_read_unlock(mm);
	return ret;
}

/* Call with the owner's lock and vm->pc_lock held, after checking the notifier sequence. */
static int gpu_user_fill(struct gpu_user_window *win, const struct gpu_user_view *v)
{
	unsigned int i;
	int ret = 0, err;

	for (i = 0; i < win->n; i++) {
		unsigned long hmm = win->pfns[i];
		u32 access = v->access;

		if (!(hmm & HMM_PFN_VALID) || hmm & HMM_PFN_ERROR)
			continue;
		if (!(hmm & HMM_PFN_WRITE))
			access &= ~GPU_W;
		err = gpu_pc_store(v->vm, win->first + i, gpu_zone_pfn(hmm & ~HMM_PFN_FLAGS),
				   access, v->place);
		if (err && i == win->at)
			ret = err;
	}
	return ret;
}

static int gpu_user_error(int ret, struct gpu_fault *fault)
{
	switch (ret) {
	case -ENOMEM:
	case -ENOBUFS:
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

/*
 * Looks once and puts the result into the page cache. -EBUSY: it changed meanwhile.
 * -EINPROGRESS: it is changing, and its owner decides for how long.
 */
static int gpu_user_try(const struct gpu_user_view *v, struct gpu_user_window *win,
			struct hmm_range *range, u32 access)
{
	struct gpu_vm *vm = v->vm;
	unsigned int seen = gpu_mm_rested();
	unsigned long seq;
	int ret;

	if (!gpu_mm_settled(v->range, range->start, range->end - 1, &seq)) {
		WRITE_ONCE(vm->changing_seen, seen);
		if (!READ_ONCE(vm->changing_ns))
			WRITE_ONCE(vm->changing_ns, ktime_get_ns());
		return -EINPROGRESS;
	}
	if (READ_ONCE(vm->changing_ns))
		WRITE_ONCE(vm->changing_ns, 0);
	ret = gpu_pc_reserve(vm, win->first, win->n, GPU_GFP_NOW);
	if (ret)
		return ret == -ENOMEM ? -ENOBUFS : ret;
	ret = gpu_user_look(win, range, range->notifier->mm, access);
	if (ret)
		return ret;
	vkfd_race_point("GPU fault: pages looked up, not yet taken");
	mutex_lock(v->lock);
	if (gpu_mm_changed(v->range, seq)) {
		ret = -EBUSY;
	} else if (v->changes && *v->changes != v->seen) {
		ret = -EAGAIN;	/* the view has changed */
	} else {
		mutex_lock(&vm->pc_lock);
		ret = gpu_user_fill(win, v);
		mutex_unlock(&vm->pc_lock);
	}
	mutex_unlock(v->lock);
	return ret;
}

/*
 * Up to where pages are wanted. If the GPU walks through memory upwards, all that is left of the
 * window, because each round trip costs context switches. It does if it has the page before. That
 * is known of any number of waves, each of which walks through memory of its own.
 */
static u64 gpu_user_ahead(const struct gpu_user_view *v, const struct gpu_user_window *win,
			  const struct hmm_range *range)
{
	u64 page = win->first + win->at;

	if (page && xa_load(&v->vm->pages, page - 1))
		return range->end;
	return range->start + (win->at + 1) * PAGE_SIZE;
}

int gpu_user_fault(const struct gpu_user_view *v, u64 va, u32 access, struct gpu_fault *fault)
{
	struct mm_struct *mm = gpu_mm_of(v->range);
	struct mmu_interval_notifier silent = { .mm = mm };
	struct gpu_user_window win;
	struct hmm_range range = {
		.notifier = &silent,
		.hmm_pfns = win.pfns,
		.dev_private_owner = gpu_zone_owner(),
	};
	int ret, tries = GPU_USER_TRIES;

	gpu_user_window(&win, v, va);
	range.start = v->addr + (win.first << PAGE_SHIFT) - v->start;
	range.end = range.start + ((unsigned long)win.n << PAGE_SHIFT);

	if (!mmget_not_zero(mm))
		return -ESRCH;
	do {
		ret = gpu_user_try(v, &win, &range, access);
	} while (ret == -EBUSY && --tries);
	gpu_pc_release(v->vm, win.first, win.n);
	/* We hold vm->lock, so the teardown that this put may cause must not run here. */
	mmput_async(mm);
	if (ret == -EAGAIN)
		ret = gpu_faulter_ask(v->vm->faulter, mm, range.start + win.at * PAGE_SIZE,
				      gpu_user_ahead(v, &win, &range), win.write);
	if (ret == -EBUSY || ret == -EINPROGRESS)
		ret = -EAGAIN;
	return ret ? gpu_user_error(ret, fault) : 0;
}
