// SPDX-License-Identifier: GPL-2.0-only
/*
 * The address space of a DRM file: which range shows which part of which
 * object (an interval tree, under vm->lock), and the fault that turns such a
 * range into entries of the page cache.
 *
 * A mapping holds a reference of its object. An unmapping has the backend take it off the
 * GPU (gpu_mem_ops.vm_unmap: the page cache is emptied, and nobody uses it) before it lets
 * go of that reference, and before the mapping leaves bo->maps: an MMU notifier that no
 * longer finds the mapping there may rely on the page cache being empty.
 *
 * Destroying never fails and allocates nothing.
 */
#include <linux/interval_tree_generic.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "backend.h"
#include "capture.h"
#include "device.h"
#include "faulter.h"
#include "gpu_int.h"
#include "race.h"
#include "../model/target.h"

#define MAPPING_START(m)	((m)->start)
#define MAPPING_LAST(m)		((m)->last)
INTERVAL_TREE_DEFINE(struct gpu_mapping, rb, u64, __subtree_last, MAPPING_START,
		     MAPPING_LAST, static __maybe_unused, gpu_mapping_tree)

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

/* --------------------------------------------------------------- map, unmap */

static bool gpu_vm_va_ok(u64 va, u64 size)
{
	if (!size || offset_in_page(va | size))
		return false;
	if (va >= GPU_GPUVM_HIGH_BASE && va <= GPU_GPUVM_HIGH_LIMIT)
		return size - 1 <= GPU_GPUVM_HIGH_LIMIT - va;
	return va && va <= GPU_GPUVM_LIMIT && size - 1 <= GPU_GPUVM_LIMIT - va;
}

static bool gpu_vm_range_ok(struct gpu_bo *bo, u64 va, u64 offset, u64 size)
{
	if (offset_in_page(offset) || !gpu_vm_va_ok(va, size))
		return false;
	return size <= bo->base.size && offset <= bo->base.size - size;
}

static struct gpu_mapping *gpu_mapping_create(struct gpu_vm *vm, struct gpu_bo *bo, u64 va,
					      u64 offset, u64 size, u32 access)
{
	struct gpu_mapping *m = kzalloc(sizeof(*m), GFP_KERNEL_ACCOUNT);

	if (!m)
		return NULL;
	m->vm = vm;
	m->bo = bo;
	m->start = va;
	m->last = va + size - 1;
	m->offset = offset;
	m->access = access;
	return m;
}

/* With another reference of m->bo, if that succeeds. */
static int gpu_vm_insert_locked(struct gpu_vm *vm, struct gpu_mapping *m)
{
	struct gpu_bo *bo = m->bo;
	int ret;

	lockdep_assert_held_write(&vm->lock);
	ret = vm->gdev->backend->mem->vm_map(m);
	if (ret)
		return ret;
	gpu_bo_get(bo);
	mutex_lock(&bo->maps_lock);
	list_add(&m->bo_node, &bo->maps);
	mutex_unlock(&bo->maps_lock);
	gpu_mapping_tree_insert(m, &vm->mappings);
	return 0;
}

/* Off the GPU, the tree and the object's list; the caller puts m->bo. */
static void gpu_vm_remove_locked(struct gpu_vm *vm, struct gpu_mapping *m)
{
	struct gpu_bo *bo = m->bo;

	lockdep_assert_held_write(&vm->lock);
	gpu_mapping_tree_remove(m, &vm->mappings);
	vm->gdev->backend->mem->vm_unmap(m);
	mutex_lock(&bo->maps_lock);
	list_del(&m->bo_node);
	mutex_unlock(&bo->maps_lock);
}

int gpu_vm_map(struct gpu_vm *vm, struct gpu_bo *bo, u64 va, u64 offset,
	       u64 size, u32 access)
{
	struct gpu_mapping *m;
	int ret = 0;

	/* The upper half of the address space is for handles of DRM files. */
	if (!gpu_vm_range_ok(bo, va, offset, size) || va > GPU_GPUVM_LIMIT ||
	    !access || access & ~(GPU_R | GPU_W | GPU_X))
		return -EINVAL;
	if (bo->kind == GPU_BO_USERPTR)
		ret = gpu_faulter_start(vm, bo->userptr.process);
	if (ret)
		return ret;
	m = gpu_mapping_create(vm, bo, va, offset, size, access);
	if (!m)
		return -ENOMEM;
	vkfd_race_point("VM map: before the lock");
	down_write(&vm->lock);
	if (gpu_mapping_tree_iter_first(&vm->mappings, m->start, m->last))
		ret = -EINVAL;
	else
		ret = gpu_vm_insert_locked(vm, m);
	up_write(&vm->lock);
	if (ret)
		kfree(m);
	return ret;
}

int gpu_vm_unmap(struct gpu_vm *vm, struct gpu_bo *bo, u64 va)
{
	struct gpu_mapping *m;

	down_write(&vm->lock);
	m = gpu_mapping_tree_iter_first(&vm->mappings, va, va);
	if (!m || m->start != va || m->bo != bo) {
		up_write(&vm->lock);
		return -EINVAL;
	}
	gpu_vm_remove_locked(vm, m);
	up_write(&vm->lock);
	vkfd_race_point("VM unmap: out of the tree, object still held");
	kfree(m);
	/* May be the last one, which waits for notifiers: not under vm->lock. */
	gpu_bo_put(bo);
	return 0;
}

/* Mappings that are out of the tree, linked by bo_node; without vm->lock. */
static void gpu_vm_free_list(struct list_head *gone)
{
	struct gpu_mapping *m, *next;

	list_for_each_entry_safe(m, next, gone, bo_node) {
		gpu_bo_put(m->bo);
		kfree(m);
	}
}

void gpu_vm_unmap_range(struct gpu_vm *vm, struct gpu_bo *bo, u64 va, u64 size)
{
	struct gpu_mapping *m, *next;
	u64 last = va + size - 1;
	LIST_HEAD(gone);

	down_write(&vm->lock);
	for (m = gpu_mapping_tree_iter_first(&vm->mappings, va, last); m; m = next) {
		next = gpu_mapping_tree_iter_next(m, va, last);
		if (m->bo != bo || m->gem)
			continue;
		gpu_vm_remove_locked(vm, m);
		list_add(&m->bo_node, &gone);
	}
	up_write(&vm->lock);
	gpu_vm_free_list(&gone);
}

int gpu_vm_pin(struct gpu_vm *vm, u64 va, u64 size)
{
	struct gpu_mapping *m;
	int ret = -EINVAL;

	down_write(&vm->lock);
	m = gpu_mapping_tree_iter_first(&vm->mappings, va, va);
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
	m = gpu_mapping_tree_iter_first(&vm->mappings, va, va);
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
	m = gpu_mapping_tree_iter_first(&vm->mappings, va, va);
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
	m = gpu_mapping_tree_iter_first(&vm->mappings, va, va);
	all = m && size && m->last - va >= size - 1;
	up_read(&vm->lock);
	return all;
}

/* What shows the aligned word at @va, if that is in a buffer of one page at most */
static struct gpu_mapping *gpu_vm_word_locked(struct gpu_vm *vm, u64 va)
{
	struct gpu_mapping *m;

	lockdep_assert_held(&vm->lock);
	m = gpu_mapping_tree_iter_first(&vm->mappings, va, va);
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
	found = gpu_mapping_tree_iter_first(&vm->mappings, start, last);
	up_read(&vm->lock);
	return found;
}

/*
 * Take @first..@last out of the mappings. One that is cut at one end is put
 * back with what is left of it; *@spare becomes the upper part of one that is
 * cut in the middle, of which there is one at most, and NULL then. If the backend
 * does not map again what is left, that is gone, too, and its error returned.
 */
static int gpu_vm_clear_locked(struct gpu_vm *vm, u64 first, u64 last,
			       struct gpu_mapping **spare, struct list_head *gone)
{
	struct gpu_mapping *m;
	int ret = 0, err;

	while ((m = gpu_mapping_tree_iter_first(&vm->mappings, first, last))) {
		bool head = m->start < first, tail = m->last > last;
		struct gpu_mapping *rest = head ? *spare : m;

		gpu_vm_remove_locked(vm, m);
		list_add(&m->bo_node, gone);
		if (tail) {
			*rest = *m;
			rest->offset += last + 1 - rest->start;
			rest->start = last + 1;
			rest->pins = 0;
		}
		if (head)
			m->last = first - 1;
		if (head && tail) {
			err = gpu_vm_insert_locked(vm, rest);
			if (!err)
				*spare = NULL;
			ret = ret ?: err;
		}
		if (head || tail) {
			list_del(&m->bo_node);
			err = gpu_vm_insert_locked(vm, m);
			if (err)
				list_add(&m->bo_node, gone);
			else
				gpu_bo_put(m->bo);	/* has one more than before */
			ret = ret ?: err;
		}
	}
	return ret;
}

int gpu_vm_clear(struct gpu_vm *vm, u64 va, u64 size)
{
	struct gpu_mapping *spare;
	LIST_HEAD(gone);
	int ret;

	if (!gpu_vm_va_ok(va, size))
		return -EINVAL;
	spare = kzalloc(sizeof(*spare), GFP_KERNEL_ACCOUNT);
	if (!spare)
		return -ENOMEM;
	down_write(&vm->lock);
	ret = gpu_vm_clear_locked(vm, va, va + size - 1, &spare, &gone);
	up_write(&vm->lock);
	gpu_vm_free_list(&gone);
	kfree(spare);
	return ret;
}

int gpu_vm_map_gem(struct gpu_vm *vm, struct gpu_bo *bo, u64 va, u64 offset, u64 size,
		   u32 access, bool replace)
{
	struct gpu_mapping *m, *spare;
	LIST_HEAD(gone);
	int ret = 0;

	if (!gpu_vm_range_ok(bo, va, offset, size))
		return -EINVAL;
	if (bo->kind == GPU_BO_USERPTR)
		ret = gpu_faulter_start(vm, bo->userptr.process);
	if (ret)
		return ret;
	m = gpu_mapping_create(vm, bo, va, offset, size, access);
	spare = kzalloc(sizeof(*spare), GFP_KERNEL_ACCOUNT);
	if (!m || !spare) {
		ret = -ENOMEM;
		goto out_free;
	}
	m->gem = true;
	down_write(&vm->lock);
	if (replace)
		ret = gpu_vm_clear_locked(vm, m->start, m->last, &spare, &gone);
	if (!ret && gpu_mapping_tree_iter_first(&vm->mappings, m->start, m->last))
		ret = -EINVAL;
	if (!ret)
		ret = gpu_vm_insert_locked(vm, m);
	if (!ret)
		m = NULL;
	up_write(&vm->lock);
	gpu_vm_free_list(&gone);
out_free:
	kfree(spare);
	kfree(m);
	return ret;
}

void gpu_vm_unmap_gem(struct gpu_vm *vm, struct gpu_bo *bo)
{
	struct gpu_mapping *m, *next;
	LIST_HEAD(gone);

	down_write(&vm->lock);
	for (m = gpu_mapping_tree_iter_first(&vm->mappings, 0, U64_MAX); m; m = next) {
		next = gpu_mapping_tree_iter_next(m, 0, U64_MAX);
		if (m->bo != bo || !m->gem)
			continue;
		gpu_vm_remove_locked(vm, m);
		list_add(&m->bo_node, &gone);
	}
	up_write(&vm->lock);
	gpu_vm_free_list(&gone);
}

void gpu_vm_unmap_all(struct gpu_vm *vm)
{
	struct gpu_mapping *m;

	for (;;) {
		down_write(&vm->lock);
		m = gpu_mapping_tree_iter_first(&vm->mappings, 0, U64_MAX);
		if (m)
			gpu_vm_remove_locked(vm, m);
		up_write(&vm->lock);
		if (!m)
			break;
		gpu_bo_put(m->bo);
		kfree(m);
		cond_resched();
	}
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
	gpu_vm_window(gpu_mapping_tree_iter_first(&vm->mappings, va, va), va, win);
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
	for (m = gpu_mapping_tree_iter_first(&vm->mappings, *start, *last); m;
	     m = gpu_mapping_tree_iter_next(m, *start, *last)) {
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
	m = gpu_mapping_tree_iter_first(&vm->mappings, va, va);
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
