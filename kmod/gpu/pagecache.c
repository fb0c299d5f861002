// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page cache of a VM: what address translation reads, and how pages are removed.
 *
 * An xarray maps page numbers of the GPU's address space to page frames and rights. It holds
 * no page references. A worker reads it inside a section. Removing pages waits until every
 * worker that is inside the VM has left its section:
 *
 *	worker (gpu_vm_enter)			shootdown
 *	w->vm = vm				erase entries, gen++
 *	smp_mb()				smp_mb()
 *	read gen, look up, access memory	w->vm == vm? wait until it left
 *	w->vm = NULL (release)
 *
 * One of the two sees the other, so no pointer is used after the removal. Preemption is off
 * inside a section, so the remover waits for code that is running on another CPU, never for
 * the scheduler. (On one CPU there is nobody to wait for.) The remover waits with pc_lock
 * held. Otherwise a second remover that finds nothing left could return before the worker has
 * left.
 */
#include <linux/preempt.h>
#include <linux/processor.h>

#include "capture.h"
#include "device.h"
#include "pagecache.h"
#include "gpu_int.h"

/* ------------------------------------------------------- fill and take away */

int gpu_pc_reserve(struct gpu_vm *vm, u64 first, unsigned int n, gfp_t gfp)
{
	unsigned int i;
	int ret;

	for (i = 0; i < n; i++) {
		ret = xa_reserve(&vm->pages, first + i, gfp);
		if (ret) {
			gpu_pc_release(vm, first, i);
			return ret;
		}
	}
	return 0;
}

/* Releases slots that were reserved; slots that were filled meanwhile stay. */
void gpu_pc_release(struct gpu_vm *vm, u64 first, unsigned int n)
{
	while (n--)
		xa_release(&vm->pages, first + n);
}

/*
 * The slot has been reserved. If a concurrent fault has released it again, the store may need
 * memory and not get it. Then it returns -EBUSY, and the caller must reserve again.
 */
int gpu_pc_store(struct gpu_vm *vm, u64 index, unsigned long pfn, u32 access, u32 place)
{
	void *old, *entry = xa_mk_value(pfn << GPU_PC_PFN_SHIFT |
					place << GPU_PC_PLACE_SHIFT | access);

	lockdep_assert_held(&vm->pc_lock);
	if (gpu_capture_watches(vm, vm->gdev))
		gpu_capture_page(vm->gdev, vm, index, pfn, access);
	old = xa_store(&vm->pages, index, entry, GPU_GFP_NOW);
	if (xa_is_err(old))
		return -EBUSY;
	if (!old)
		gpu_pc_count(1);
	else if (vm->mirror && old != entry)
		vm->mirror->gone(vm->mirror, index, index);
	return 0;
}

static void gpu_vm_wait_workers(struct gpu_vm *vm)
{
	struct gpu_device *gdev = vm->gdev;
	struct gpu_vm_worker *w;

	smp_mb();	/* pairs with gpu_vm_enter() */
	/* A read lock, so that a wait for the workers of one VM does not delay other VMs. */
	read_lock(&gdev->workers_lock);
	list_for_each_entry(w, &gdev->workers, node) {
		u64 seq = smp_load_acquire(&w->seq);	/* pairs with gpu_vm_exit() */

		/* Likewise: what the worker did in its section has been done. */
		while (smp_load_acquire(&w->vm) == vm && smp_load_acquire(&w->seq) == seq)
			cpu_relax();
	}
	read_unlock(&gdev->workers_lock);
}

/*
 * The GPU wrote through the kernel's mapping, so no PTE is dirty. Unless we tell the mm,
 * anonymous and shmem pages may be dropped. Pages of other files became writable only by
 * page_mkwrite, which has marked them dirty. Doing that again without the page lock would
 * break file systems.
 */
static void gpu_pc_set_dirty(unsigned long entry)
{
	struct page *page = pfn_to_page(entry >> GPU_PC_PFN_SHIFT);

	if (entry & GPU_W && (PageAnon(page) || folio_test_swapbacked(page_folio(page))))
		set_page_dirty(page);
}

bool gpu_pc_erase(struct gpu_vm *vm, u64 *first, u64 *last, bool dirty)
{
	u64 from = *first, to = *last;
	unsigned long index, n = 0;
	void *entry;

	lockdep_assert_held(&vm->pc_lock);
	xa_for_each_range(&vm->pages, index, entry, from, to) {
		if (dirty)
			gpu_pc_set_dirty(xa_to_value(entry));
		xa_erase(&vm->pages, index);
		if (!n++)
			*first = index;
		*last = index;
	}
	gpu_pc_count(-(long)n);
	if (n && vm->mirror)
		vm->mirror->gone(vm->mirror, *first, *last);
	return n;
}

void gpu_pc_settle(struct gpu_vm *vm)
{
	lockdep_assert_held(&vm->pc_lock);
	WRITE_ONCE(vm->gen, vm->gen + 1);
	gpu_vm_wait_workers(vm);
}

void gpu_pc_shootdown(struct gpu_vm *vm, u64 first, u64 last, bool dirty)
{
	/* If there was no page, whoever removed it has waited already. */
	if (gpu_pc_erase(vm, &first, &last, dirty))
		gpu_pc_settle(vm);
}

/* ----------------------------------------------------------------- workers */

void gpu_vm_worker_add(struct gpu_device *gdev, struct gpu_vm_worker *w)
{
	w->vm = NULL;
	w->seq = 0;
	write_lock(&gdev->workers_lock);
	list_add_tail(&w->node, &gdev->workers);
	write_unlock(&gdev->workers_lock);
}

void gpu_vm_worker_del(struct gpu_device *gdev, struct gpu_vm_worker *w)
{
	WARN_ON_ONCE(w->vm);
	write_lock(&gdev->workers_lock);
	list_del(&w->node);
	write_unlock(&gdev->workers_lock);
}

/*
 * To lockdep, a section looks like a held raw spinlock. So it reports sleeping locks taken
 * inside and, with PROVE_RAW_LOCK_NESTING, also locks that sleep on PREEMPT_RT.
 */
#ifdef CONFIG_LOCKDEP
static struct lockdep_map gpu_section_map = {
	.name = "gpu_section",
	.key = (struct lock_class_key *)&gpu_section_map,
	.wait_type_inner = LD_WAIT_SPIN,
};
#endif

static void gpu_section_begin(void)
{
	preempt_disable();
	lock_acquire_exclusive(&gpu_section_map, 0, 1, NULL, _RET_IP_);
}

static void gpu_section_end(void)
{
	lock_release(&gpu_section_map, _RET_IP_);
	preempt_enable();
}

u64 gpu_vm_enter(struct gpu_vm_worker *w, struct gpu_vm *vm)
{
	gpu_section_begin();
	WARN_ON_ONCE(w->vm);
	WRITE_ONCE(w->vm, vm);
	smp_mb();	/* pairs with gpu_vm_wait_workers() */
	return READ_ONCE(vm->gen);
}

void gpu_vm_exit(struct gpu_vm_worker *w)
{
	smp_store_release(&w->vm, NULL);	/* pairs with gpu_vm_wait_workers() */
	smp_store_release(&w->seq, w->seq + 1);	/* likewise */
	gpu_section_end();
}

void *gpu_vm_lookup(struct gpu_vm *vm, u64 va, u32 want, u32 *access)
{
	void *p = xa_load(&vm->pages, va >> PAGE_SHIFT);
	unsigned long entry;

	if (!p)
		return NULL;
	entry = xa_to_value(p);
	if (want & ~entry)
		return NULL;
	*access = entry & (GPU_R | GPU_W | GPU_X);
	return page_address(pfn_to_page(entry >> GPU_PC_PFN_SHIFT));
}

u32 gpu_vm_place(struct gpu_vm *vm, u64 va)
{
	void *p = xa_load(&vm->pages, va >> PAGE_SHIFT);

	if (!p)
		return GPU_PLACE_NONE;
	return xa_to_value(p) >> GPU_PC_PLACE_SHIFT &
	       (BIT(GPU_PC_PFN_SHIFT - GPU_PC_PLACE_SHIFT) - 1);
}

/* An entry that is being moved counts as absent; the fault that follows looks again. */
unsigned int gpu_vm_lookup_run(struct gpu_vm *vm, u64 va, u32 want, void **pages,
			       unsigned int n)
{
	XA_STATE(xas, &vm->pages, va >> PAGE_SHIFT);
	unsigned int found = 0;
	void *p;

	rcu_read_lock();
	for (p = xas_load(&xas); found < n; p = xas_next(&xas)) {
		if (!xa_is_value(p) || want & ~xa_to_value(p))
			break;
		pages[found++] = pfn_to_kaddr(xa_to_value(p) >> GPU_PC_PFN_SHIFT);
	}
	rcu_read_unlock();
	return found;
}

/* ------------------------------------------------------------------ mirrors */

int gpu_vm_mirror_set(struct gpu_vm *vm, struct gpu_vm_mirror *m)
{
	int ret = 0;

	mutex_lock(&vm->pc_lock);
	if (vm->mirror)
		ret = -EBUSY;
	else
		vm->mirror = m;
	mutex_unlock(&vm->pc_lock);
	return ret;
}

void gpu_vm_mirror_clear(struct gpu_vm *vm, const struct gpu_vm_mirror *m)
{
	mutex_lock(&vm->pc_lock);
	if (vm->mirror == m)
		vm->mirror = NULL;
	mutex_unlock(&vm->pc_lock);
}

int gpu_vm_mirror_pages(struct gpu_vm *vm, u64 va, unsigned int n, u32 want,
			int (*show)(void *arg, u64 index, unsigned long pfn, u32 access),
			void *arg)
{
	u64 index = va >> PAGE_SHIFT;
	int ret = -ENOENT;

	mutex_lock(&vm->pc_lock);
	while (n--) {
		void *p = xa_load(&vm->pages, index);
		unsigned long entry;

		if (!p)
			break;
		entry = xa_to_value(p);
		if (want & ~entry)
			break;
		want = 0;
		ret = show(arg, index++, entry >> GPU_PC_PFN_SHIFT,
			   entry & (GPU_R | GPU_W | GPU_X));
		if (ret)
			break;
	}
	mutex_unlock(&vm->pc_lock);
	return ret;
}
