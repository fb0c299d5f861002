// SPDX-License-Identifier: GPL-2.0-only
/*
 * USERPTR objects: a range of a process's memory, seen by the GPU.
 *
 * A GPU fault brings pages into the page cache of the VM (usermem.c). Before the mm changes
 * anything there, it says so (mm.c), and we remove them and wait until no worker uses them.
 * bo->maps_lock serialises the two.
 */
#include <linux/lockdep.h>
#include <linux/mmu_notifier.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>	/* TASK_SIZE_MAX */

#include "backend.h"
#include "faulter.h"
#include "gpu_int.h"
#include "race.h"

/*
 * All objects on an mm may cover the same page. Whoever changes that page, such as
 * reclaim, has to walk through all of them.
 */
static unsigned int userptrs_per_process = 1 << 15;
module_param(userptrs_per_process, uint, 0644);
MODULE_PARM_DESC(userptrs_per_process, "User memory objects that a process may have (default 32768)");

/* ----------------------------------------------------------------- objects */

/* Removes the pages of the CPU range [@start, @end) from @m's VM. True if there were some. */
static bool gpu_userptr_erase(struct gpu_mapping *m, u64 start, u64 end)
{
	u64 addr = m->bo->userptr.addr + m->offset;	/* that m->start shows */
	u64 last = addr + (m->last - m->start);

	if (end <= addr || start > last)
		return false;
	start = (m->start + (max(start, addr) - addr)) >> PAGE_SHIFT;
	last = (m->start + (min(last, end - 1) - addr)) >> PAGE_SHIFT;
	return gpu_pc_erase(m->vm, &start, &last, true);
}

/* The pages that were removed from the VM are used by nobody any more. */
static void gpu_userptr_leave(struct gpu_vm *vm, bool any)
{
	if (!vm)
		return;
	if (any)
		gpu_pc_settle(vm);
	mutex_unlock(&vm->pc_lock);
}

/*
 * The same for all mappings, and waits for the GPU once for those of a VM that follow each other:
 * who maps an object very often has everybody wait who changes its memory. False if it
 * must not block and would have to.
 */
static bool gpu_userptr_zap(struct gpu_bo *bo, u64 start, u64 end, bool block)
{
	struct gpu_vm *vm = NULL;
	struct gpu_mapping *m;
	bool any = false;

	lockdep_assert_held(&bo->maps_lock);
	list_for_each_entry(m, &bo->maps, bo_node) {
		if (m->vm != vm) {
			gpu_userptr_leave(vm, any);
			any = false;
			vm = m->vm;
			if (block)
				mutex_lock(&vm->pc_lock);
			else if (!mutex_trylock(&vm->pc_lock))
				return false;	/* Pages removed so far come back by faults. */
		}
		any |= gpu_userptr_erase(m, start, end);
	}
	gpu_userptr_leave(vm, any);
	return true;
}

/*
 * As in the real driver (amdgpu_amdkfd_evict_userptr()), mapped or not. Not for a page that a GPU
 * wants now: there it was brought in when the object was made. A driver below sees to its own.
 */
static void gpu_userptr_tell(struct gpu_bo *bo, enum mmu_notifier_event event)
{
	struct gpu_process *p = READ_ONCE(bo->userptr.process);

	if (event == MMU_NOTIFY_RELEASE || gpu_faulter_is_current())
		return;
	if (p && !p->of_file && gpu_host->stale && bo->gdev->backend->mem == &gpu_ram_ops)
		gpu_host->stale(p, GPU_STALE_USERPTR);
}

static bool gpu_userptr_invalidate(struct gpu_mm_range *r, const struct mmu_notifier_range *range)
{
	struct gpu_bo *bo = container_of(r, struct gpu_bo, userptr.range);
	bool block = mmu_notifier_range_blockable(range), done;

	if (block)
		vkfd_race_point("userptr invalidation: before the lock");
	if (block)
		mutex_lock(&bo->maps_lock);
	else if (!mutex_trylock(&bo->maps_lock))
		return false;
	gpu_mm_count(r);
	done = gpu_userptr_zap(bo, range->start, range->end, block);
	mutex_unlock(&bo->maps_lock);
	if (done)
		gpu_userptr_tell(bo, range->event);
	return done;
}

static const struct gpu_mm_ops gpu_userptr_mm_ops = {
	.invalidate = gpu_userptr_invalidate,
};

static bool gpu_userptr_of_file(struct mm_struct *mm, u64 addr, u64 end)
{
	struct vm_area_struct *vma;

	/* gpu_user_check() has found no hole. */
	for (; addr < end; addr = vma->vm_end) {
		vma = find_vma(mm, addr);
		if (!vma || vma->vm_file)
			return true;
	}
	return false;
}

static int gpu_userptr_look(struct mm_struct *mm, u64 addr, u64 end, u32 look)
{
	unsigned long flags = (look & GPU_LOOK_READ) == GPU_LOOK_READ ? VM_READ : 0;
	int ret = mmap_read_lock_killable(mm);

	if (ret)
		return ret;
	ret = gpu_user_check(mm, addr, end, flags);
	if (!ret && look & GPU_LOOK_WRITE && gpu_user_check(mm, addr, end, flags | VM_WRITE))
		ret = -EPERM;
	if (!ret && (look & GPU_LOOK_ANON) == GPU_LOOK_ANON && gpu_userptr_of_file(mm, addr, end))
		ret = -EPERM;
	mmap_read_unlock(mm);
	return ret;
}

int gpu_userptr_init(struct gpu_bo *bo, struct gpu_process *p, u64 addr, u64 size, u32 look)
{
	int ret;

	if (!addr || offset_in_page(addr) || offset_in_page(size))
		return -EINVAL;
	if (addr >= TASK_SIZE_MAX || size > TASK_SIZE_MAX - addr)
		return -EFAULT;
	if (!mmget_not_zero(p->mm))
		return -ESRCH;
	ret = look ? gpu_userptr_look(p->mm, addr, addr + size, look) : 0;
	vkfd_race_point("userptr: memory looked at, no notifier yet");
	bo->userptr.range.ops = &gpu_userptr_mm_ops;
	if (!ret)
		ret = gpu_mm_insert(&bo->userptr.range, p->mm, addr, size,
				    READ_ONCE(userptrs_per_process));
	mmput(p->mm);
	if (ret)
		return ret;
	bo->userptr.addr = addr;
	gpu_process_get(p);
	WRITE_ONCE(bo->userptr.process, p);	/* notifiers look at it */
	return 0;
}

void gpu_userptr_fini(struct gpu_bo *bo)
{
	struct gpu_process *p = bo->userptr.process;

	if (!p)
		return;
	gpu_mm_remove(&bo->userptr.range);
	gpu_process_put(p);
}

int gpu_userptr_fault(struct gpu_mapping *m, u64 va, u32 access, struct gpu_fault *fault)
{
	struct gpu_bo *bo = m->bo;
	struct gpu_user_view view = {
		.vm = m->vm,
		.range = &bo->userptr.range,
		.lock = &bo->maps_lock,
		.start = m->start,
		.last = m->last,
		.addr = bo->userptr.addr + m->offset,
		.access = m->access,
		.place = GPU_PLACE_SYSTEM,
	};

	return gpu_user_fault(&view, va, access, fault);
}
