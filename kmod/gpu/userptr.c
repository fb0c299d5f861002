// SPDX-License-Identifier: GPL-2.0-only
/*
 * USERPTR objects: a range of a process's memory, seen by the GPU.
 *
 * A GPU fault brings pages into the page cache of the VM (usermem.c). Before the mm changes
 * anything, an MMU notifier on the range removes them and waits until no worker uses them.
 * bo->maps_lock serialises the two.
 */
#include <linux/hashtable.h>
#include <linux/lockdep.h>
#include <linux/mmu_notifier.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

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

/* ------------------------------------------------------------------- limit */

/**
 * struct userptr_mm - an mm with objects on it, be they of KFD or of any open render node
 * @node: in userptr_mms
 * @mm: to be compared only; those who own objects on it have it grabbed
 * @n: number of the objects, not 0
 */
struct userptr_mm {
	struct hlist_node node;
	const struct mm_struct *mm;
	unsigned int n;
};

static DEFINE_HASHTABLE(userptr_mms, 8);
static DEFINE_MUTEX(userptr_mms_lock);		/* nothing is allocated under it */

static struct userptr_mm *userptr_mm_find(const struct mm_struct *mm)
{
	struct userptr_mm *um;

	lockdep_assert_held(&userptr_mms_lock);
	hash_for_each_possible(userptr_mms, um, node, (unsigned long)mm)
		if (um->mm == mm)
			return um;
	return NULL;
}

static int userptr_charge(const struct mm_struct *mm)
{
	struct userptr_mm *fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT), *um;
	unsigned int limit = READ_ONCE(userptrs_per_process);
	int ret = -ENOMEM;

	mutex_lock(&userptr_mms_lock);
	um = userptr_mm_find(mm);
	if (um ? um->n < limit : fresh && limit) {
		if (!um) {
			um = fresh;
			fresh = NULL;
			um->mm = mm;
			hash_add(userptr_mms, &um->node, (unsigned long)mm);
		}
		um->n++;
		ret = 0;
	}
	mutex_unlock(&userptr_mms_lock);
	kfree(fresh);
	return ret;
}

static void userptr_uncharge(const struct mm_struct *mm)
{
	struct userptr_mm *um;

	mutex_lock(&userptr_mms_lock);
	um = userptr_mm_find(mm);
	if (--um->n)
		um = NULL;
	else
		hash_del(&um->node);
	mutex_unlock(&userptr_mms_lock);
	kfree(um);
}

/* ----------------------------------------------------------------- objects */

/* Removes the pages of the CPU range [@start, @end) from mapping @m's VM. */
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

static bool gpu_userptr_invalidate(struct mmu_interval_notifier *mni,
				   const struct mmu_notifier_range *range,
				   unsigned long cur_seq)
{
	struct gpu_bo *bo = container_of(mni, struct gpu_bo, userptr.notifier);
	bool block = mmu_notifier_range_blockable(range);
	struct gpu_mapping *m;

	if (block)
		vkfd_race_point("userptr invalidation: before the lock");
	if (block)
		mutex_lock(&bo->maps_lock);
	else if (!mutex_trylock(&bo->maps_lock))
		return false;

	mmu_interval_set_seq(mni, cur_seq);
	list_for_each_entry(m, &bo->maps, bo_node) {
		if (block) {
			mutex_lock(&m->vm->pc_lock);
		} else if (!mutex_trylock(&m->vm->pc_lock)) {
			/* Pages removed so far come back by faults. */
			mutex_unlock(&bo->maps_lock);
			return false;
		}
		gpu_userptr_zap(m, range->start, range->end);
		mutex_unlock(&m->vm->pc_lock);
	}
	mutex_unlock(&bo->maps_lock);
	gpu_userptr_tell(bo, range->event);
	return true;
}

static const struct mmu_interval_notifier_ops gpu_userptr_notifier_ops = {
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
	ret = userptr_charge(p->mm);
	if (ret)
		return ret;
	if (!mmget_not_zero(p->mm)) {
		ret = -ESRCH;
		goto out_count;
	}
	ret = look ? gpu_userptr_look(p->mm, addr, addr + size, look) : 0;
	vkfd_race_point("userptr: memory looked at, no notifier yet");
	if (!ret)
		ret = mmu_interval_notifier_insert(&bo->userptr.notifier, p->mm, addr, size,
						   &gpu_userptr_notifier_ops);
	mmput(p->mm);
	if (ret)
		goto out_count;
	bo->userptr.addr = addr;
	gpu_process_get(p);
	WRITE_ONCE(bo->userptr.process, p);	/* notifiers look at it */
	return 0;

out_count:
	userptr_uncharge(p->mm);
	return ret;
}

void gpu_userptr_fini(struct gpu_bo *bo)
{
	struct gpu_process *p = bo->userptr.process;

	if (!p)
		return;
	mmu_interval_notifier_remove(&bo->userptr.notifier);
	userptr_uncharge(p->mm);
	gpu_process_put(p);
}

int gpu_userptr_fault(struct gpu_mapping *m, u64 va, u32 access, struct gpu_fault *fault)
{
	struct gpu_bo *bo = m->bo;
	struct gpu_user_view view = {
		.vm = m->vm,
		.notifier = &bo->userptr.notifier,
		.lock = &bo->maps_lock,
		.start = m->start,
		.last = m->last,
		.addr = bo->userptr.addr + m->offset,
		.access = m->access,
		.place = GPU_PLACE_SYSTEM,
	};

	return gpu_user_fault(&view, va, access, fault);
}
