// SPDX-License-Identifier: GPL-2.0-only
/*
 * The address space of a DRM file: which range shows which part of which
 * object (an interval tree, under vm->lock; mapping.c changes it), and the fault that turns such a
 * range into entries of the page cache.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "backend.h"
#include "capture.h"
#include "device.h"
#include "faulter.h"
#include "gpu_int.h"
#include "race.h"

/* --------------------------------------------------------- life and death */

struct gpu_vm *gpu_vm_create(struct gpu_device *gdev)
{
	struct gpu_vm *vm;

	vm = kzalloc(sizeof(*vm), GFP_KERNEL_ACCOUNT);
	if (!vm)
		return ERR_PTR(-ENOMEM);
	vm->room_user = gpu_room_user_get(gpu_user());
	if (!vm->room_user) {
		kfree(vm);
		return ERR_PTR(-ENOMEM);
	}
	kref_init(&vm->ref);
	mutex_init(&vm->update);
	init_rwsem(&vm->lock);
	mutex_init(&vm->pc_lock);
	mutex_init(&vm->mirror_start);
	gpu_room_init(&vm->room);
	gpu_memory_ask_init(&vm->memory_ask);
	vm->mappings = RB_ROOT_CACHED;
	xa_init_flags(&vm->pages, XA_FLAGS_ACCOUNT);
	vm->late_page = GPU_NO_PAGE;
	vm->gdev = gdev;
	vm->gen = 1;
	vm->memcg = gpu_memcg_get(current->mm);
	gpu_device_get(gdev);
	gpu_pc_join(vm);
	return vm;
}

static void gpu_vm_release(struct kref *ref)
{
	struct gpu_vm *vm = container_of(ref, struct gpu_vm, ref);
	struct gpu_device *gdev = vm->gdev;

	gpu_pc_part(vm);
	gpu_vm_unmap_all(vm);
	vkfd_race_point("VM: empty, faulter still there");
	gpu_faulter_stop(vm);
	if (gdev->backend->mem->vm_fini)
		gdev->backend->mem->vm_fini(vm);
	xa_destroy(&vm->pages);
	gpu_memcg_put(vm->memcg);
	gpu_room_user_put(vm->room_user);
	mutex_destroy(&vm->mirror_start);
	mutex_destroy(&vm->pc_lock);
	mutex_destroy(&vm->update);
	kfree(vm);
	gpu_device_put(gdev);
}

void gpu_vm_get(struct gpu_vm *vm)
{
	kref_get(&vm->ref);
}

void gpu_vm_put(struct gpu_vm *vm)
{
	kref_put(&vm->ref, gpu_vm_release);
}

/* --------------------------------------------------------------------- looks */

int gpu_vm_pin(struct gpu_vm *vm, u64 va, u64 size)
{
	struct gpu_mapping *m;
	int ret = -EINVAL;

	down_write(&vm->lock);
	m = gpu_mapping_first(vm, va, va);
	if (m && m->start == va && (!size || m->last - m->start == size - 1)) {
		m->pins++;
		ret = 0;
	}
	up_write(&vm->lock);
	return ret;
}

void gpu_vm_unpin(struct gpu_vm *vm, u64 va)
{
	struct gpu_mapping *m;

	down_write(&vm->lock);
	m = gpu_mapping_first(vm, va, va);
	/* Through GEM_VA it may have gone, or be another one by now. */
	if (m && m->start == va && m->pins)
		m->pins--;
	up_write(&vm->lock);
}

bool gpu_vm_pinned(struct gpu_vm *vm, u64 va)
{
	struct gpu_mapping *m;
	bool pinned;

	down_read(&vm->lock);
	m = gpu_mapping_first(vm, va, va);
	pinned = m && m->start == va && m->pins;
	up_read(&vm->lock);
	return pinned;
}

bool gpu_vm_shows(struct gpu_vm *vm, u64 va, u64 size)
{
	struct gpu_mapping *m;
	bool all;

	va &= PAGE_MASK;
	down_read(&vm->lock);
	m = gpu_mapping_first(vm, va, va);
	all = m && size && m->last - va >= size - 1;
	up_read(&vm->lock);
	return all;
}

/* What shows the aligned word at @va, if that is in a buffer of one page at most */
static struct gpu_mapping *gpu_vm_word_locked(struct gpu_vm *vm, u64 va)
{
	struct gpu_mapping *m;

	lockdep_assert_held(&vm->lock);
	m = gpu_mapping_first(vm, va, va);
	return m && IS_ALIGNED(va, sizeof(u64)) && m->bo->base.size <= PAGE_SIZE ? m : NULL;
}

bool gpu_vm_can_peek(struct gpu_vm *vm, u64 va)
{
	bool can;

	down_read(&vm->lock);
	can = gpu_vm_word_locked(vm, va);
	up_read(&vm->lock);
	return can;
}

/* Of user memory: it is the caller's own. */
static int gpu_vm_peek_user(const struct gpu_bo *bo, u64 va, u64 *value)
{
	u64 at = bo->userptr.addr + offset_in_page(va);

	if (bo->userptr.process->mm != current->mm)
		return -EINVAL;
	return copy_from_user(value, u64_to_user_ptr(at), sizeof(*value)) ? -EINVAL : 0;
}

int gpu_vm_peek64(struct gpu_vm *vm, u64 va, u64 *value)
{
	struct gpu_bo *bo = NULL;
	struct gpu_mapping *m;
	struct page *page;
	int ret;

	down_read(&vm->lock);
	m = gpu_vm_word_locked(vm, va);
	if (m) {
		bo = m->bo;
		gpu_bo_get(bo);
	}
	up_read(&vm->lock);
	if (!bo)
		return -EINVAL;
	if (bo->kind == GPU_BO_USERPTR) {
		ret = gpu_vm_peek_user(bo, va, value);
		gpu_bo_put(bo);
		return ret;
	}
	/* It may wait for memory: then GPU threads, which take the lock, would, too (room.c). */
	page = gpu_bo_page(bo, 0);
	ret = PTR_ERR_OR_ZERO(page);
	if (!ret)
		*value = READ_ONCE(*(u64 *)(page_address(page) + offset_in_page(va)));
	gpu_bo_put(bo);
	return ret;
}

bool gpu_vm_maps(struct gpu_vm *vm, u64 start, u64 last)
{
	bool found;

	down_read(&vm->lock);
	found = gpu_mapping_first(vm, start, last);
	up_read(&vm->lock);
	return found;
}

/* ------------------------------------------------------------------- fault */

/* The window around @va, in @m unless nothing is mapped there. */
static void gpu_vm_window(const struct gpu_mapping *m, u64 va, struct gpu_vm_window *win)
{
	u64 page = va >> PAGE_SHIFT;
	u64 first = round_down(page, GPU_FAULT_PAGES), last = page | (GPU_FAULT_PAGES - 1);

	*win = (struct gpu_vm_window){};
	/* Neighbours that nobody touches do not belong to the capture */
	if (m && gpu_capture_watches(m->vm, m->vm->gdev)) {
		first = page;
		last = page;
	}
	if (m) {
		first = max(first, m->start >> PAGE_SHIFT);
		last = min(last, m->last >> PAGE_SHIFT);
		if (m->bo->kind != GPU_BO_USERPTR)
			win->bo = m->bo;
		win->index = ((first << PAGE_SHIFT) - m->start + m->offset) >> PAGE_SHIFT;
	}
	win->first = first;
	win->n = last - first + 1;
	win->at = page - first;
}

void gpu_vm_window_get(struct gpu_vm *vm, u64 va, struct gpu_vm_window *win)
{
	down_read(&vm->lock);
	gpu_vm_window(gpu_mapping_first(vm, va, va), va, win);
	if (win->bo)
		gpu_bo_get(win->bo);
	up_read(&vm->lock);
}

static int gpu_vm_missing(int err)
{
	return err == -ENOMEM ? -ENOBUFS : err;
}

/* A window of @m around @va, of an object that has pages of its own. */
static int gpu_vm_fault_bo(struct gpu_mapping *m, u64 va)
{
	struct page *pages[GPU_FAULT_PAGES];
	struct gpu_vm *vm = m->vm;
	struct gpu_vm_window win;
	unsigned int i;
	int ret;

	gpu_vm_window(m, va, &win);
	for (i = 0; i < win.n; i++) {
		pages[i] = gpu_bo_page_now(m->bo, win.index + i);
		if (IS_ERR(pages[i]) && i == win.at)
			return gpu_vm_missing(PTR_ERR(pages[i]));
	}
	ret = gpu_pc_reserve(vm, win.first, win.n, GPU_GFP_NOW);
	if (ret)
		return gpu_vm_missing(ret);
	mutex_lock(&vm->pc_lock);
	for (i = 0; i < win.n; i++) {
		int err = IS_ERR(pages[i]) ? 0 :
			gpu_pc_store(vm, win.first + i, page_to_pfn(pages[i]), m->access,
				     gpu_bo_place(m->bo));

		if (err && i == win.at)
			ret = -ENOBUFS;	/* reserved in vain */
	}
	mutex_unlock(&vm->pc_lock);
	gpu_pc_release(vm, win.first, win.n);
	return ret;
}

void gpu_fault_denied(struct gpu_fault *fault, u32 access, u32 allowed)
{
	u32 missing = access & ~allowed;

	if (missing & GPU_W)
		fault->read_only = true;
	else if (missing & GPU_X)
		fault->no_execute = true;
	else
		fault->not_present = true;
}

/* Two at a time may mix: each of their words is that of a fault. */
void gpu_vm_faulted(struct gpu_vm *vm, const struct gpu_fault *fault)
{
	u32 why = GPU_FAULTED;

	if (fault->not_present)
		why |= GPU_FAULTED_ABSENT;
	if (fault->access & GPU_W)
		why |= GPU_FAULTED_WRITE;
	if (fault->no_execute)
		why |= GPU_FAULTED_EXECUTE;
	WRITE_ONCE(vm->fault_va, fault->va);
	/* Whoever sees that there was one sees an address. */
	smp_store_release(&vm->fault_why, why);
}

u32 gpu_vm_last_fault(struct gpu_vm *vm, u64 *va)
{
	u32 why = smp_load_acquire(&vm->fault_why);	/* as gpu_vm_faulted() has it */

	*va = why ? READ_ONCE(vm->fault_va) : 0;
	return why;
}

void gpu_vm_gap(struct gpu_vm *vm, u64 va, u64 *start, u64 *last)
{
	struct gpu_mapping *m;

	lockdep_assert_held(&vm->lock);
	for (m = gpu_mapping_first(vm, *start, *last); m;
	     m = gpu_mapping_next(m, *start, *last)) {
		if (m->last < va)
			*start = m->last + 1;
		else
			*last = min(*last, m->start - 1);
	}
}

int gpu_vm_fault(struct gpu_vm *vm, u64 va, u32 access, struct gpu_fault *fault)
{
	struct mem_cgroup *old = gpu_memcg_enter(vm->memcg);
	struct gpu_mapping *m;
	int ret = -EFAULT;

	*fault = (struct gpu_fault){ .va = va & PAGE_MASK, .access = access };

	down_read(&vm->lock);
	m = gpu_mapping_first(vm, va, va);
	if (m && access & ~m->access)
		gpu_fault_denied(fault, access, m->access);
	else if (m && m->bo->kind == GPU_BO_USERPTR)
		ret = gpu_userptr_fault(m, va, access, fault);
	else if (m)
		ret = gpu_vm_fault_bo(m, va);
	else if (vm->svm)
		ret = gpu_svm_fault(vm, va, access, fault);
	else
		fault->not_present = true;
	up_read(&vm->lock);
	gpu_memcg_leave(old);
	gpu_memcg_pass(vm);
	return ret == -ENOBUFS ? gpu_room_ask(vm, va) : ret;
}
