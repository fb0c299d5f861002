// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mappings of a GPU address space: how they come, are cut, and go.
 *
 * A mapping holds a reference of its object. An unmapping empties the page cache, so that
 * nobody uses it, before the mapping leaves bo->maps: an MMU notifier that no longer finds the
 * mapping there may rely on that. It lets go of the reference after the backend has taken the
 * mapping off the GPU.
 *
 * A change has two parts. The tree and the page cache change under vm->lock, which the GPU's
 * threads take, so nobody waits there. Then the backend follows (gpu_mem_ops.vm_map, vm_unmap),
 * which may wait for as long as the client likes, under vm->update, which only those take who
 * change something.
 *
 * Destroying never fails and allocates nothing.
 */
#include <linux/interval_tree_generic.h>
#include <linux/slab.h>

#include "backend.h"
#include "device.h"
#include "faulter.h"
#include "gpu_int.h"
#include "race.h"
#include "../model/target.h"

#define MAPPING_START(m)	((m)->start)
#define MAPPING_LAST(m)		((m)->last)
INTERVAL_TREE_DEFINE(struct gpu_mapping, rb, u64, __subtree_last, MAPPING_START,
		     MAPPING_LAST, static, gpu_mapping_tree)

struct gpu_mapping *gpu_mapping_first(struct gpu_vm *vm, u64 start, u64 last)
{
	return gpu_mapping_tree_iter_first(&vm->mappings, start, last);
}

struct gpu_mapping *gpu_mapping_next(struct gpu_mapping *m, u64 start, u64 last)
{
	return gpu_mapping_tree_iter_next(m, start, last);
}

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

static void gpu_mapping_shootdown(struct gpu_mapping *m, bool user_pages)
{
	struct gpu_vm *vm = m->vm;

	mutex_lock(&vm->pc_lock);
	gpu_pc_shootdown(vm, m->start >> PAGE_SHIFT, m->last >> PAGE_SHIFT, user_pages);
	mutex_unlock(&vm->pc_lock);
}

/* With another reference of m->bo. The GPU may not have it yet: gpu_vm_show(). */
static void gpu_vm_insert_locked(struct gpu_vm *vm, struct gpu_mapping *m)
{
	struct gpu_bo *bo = m->bo;

	lockdep_assert_held_write(&vm->lock);
	/* Memory of the process that was reached through SVM so far. */
	gpu_mapping_shootdown(m, true);
	gpu_bo_get(bo);
	mutex_lock(&bo->maps_lock);
	list_add(&m->bo_node, &bo->maps);
	mutex_unlock(&bo->maps_lock);
	gpu_mapping_tree_insert(m, &vm->mappings);
}

/* Out of the tree and the object's list; the rest is left to gpu_vm_update_end(). */
static void gpu_vm_remove_locked(struct gpu_vm *vm, struct gpu_mapping *m, struct list_head *gone)
{
	struct gpu_bo *bo = m->bo;

	lockdep_assert_held_write(&vm->lock);
	gpu_mapping_tree_remove(m, &vm->mappings);
	gpu_mapping_shootdown(m, bo->kind == GPU_BO_USERPTR);
	mutex_lock(&bo->maps_lock);
	list_move(&m->bo_node, gone);
	mutex_unlock(&bo->maps_lock);
}

static void gpu_vm_remove(struct gpu_vm *vm, struct gpu_mapping *m, struct list_head *gone)
{
	down_write(&vm->lock);
	gpu_vm_remove_locked(vm, m, gone);
	up_write(&vm->lock);
}

/* Has the GPU see @m, which is in the tree, or takes it out again. */
static int gpu_vm_show(struct gpu_vm *vm, struct gpu_mapping *m, struct list_head *gone)
{
	const struct gpu_mem_ops *mem = vm->gdev->backend->mem;
	int ret;

	lockdep_assert_held(&vm->update);
	ret = mem->vm_map ? mem->vm_map(m) : 0;
	m->shown = !ret;
	if (ret)
		gpu_vm_remove(vm, m, gone);
	return ret;
}

/* Takes @gone, which are out of the tree, off the GPU. */
static void gpu_vm_hide(struct gpu_vm *vm, struct list_head *gone)
{
	const struct gpu_mem_ops *mem = vm->gdev->backend->mem;
	struct gpu_mapping *m;

	lockdep_assert_held(&vm->update);
	list_for_each_entry(m, gone, bo_node) {
		if (m->shown && mem->vm_unmap)
			mem->vm_unmap(m);
		m->shown = false;
	}
}

/* The put may be an object's last one, which waits for notifiers: without our locks. */
static void gpu_vm_update_end(struct gpu_vm *vm, struct list_head *gone)
{
	struct gpu_mapping *m, *next;

	gpu_vm_hide(vm, gone);
	mutex_unlock(&vm->update);
	vkfd_race_point("VM unmap: out of the tree, object still held");
	list_for_each_entry_safe(m, next, gone, bo_node) {
		gpu_bo_put(m->bo);
		kfree(m);
	}
}

int gpu_vm_map(struct gpu_vm *vm, struct gpu_bo *bo, u64 va, u64 offset,
	       u64 size, u32 access)
{
	struct gpu_mapping *m;
	LIST_HEAD(gone);
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
	mutex_lock(&vm->update);
	down_write(&vm->lock);
	if (gpu_mapping_first(vm, m->start, m->last))
		ret = -EINVAL;
	else
		gpu_vm_insert_locked(vm, m);
	up_write(&vm->lock);
	if (ret)
		kfree(m);
	else
		ret = gpu_vm_show(vm, m, &gone);
	gpu_vm_update_end(vm, &gone);
	return ret;
}

int gpu_vm_unmap(struct gpu_vm *vm, struct gpu_bo *bo, u64 va)
{
	struct gpu_mapping *m;
	LIST_HEAD(gone);
	int ret = 0;

	mutex_lock(&vm->update);
	down_write(&vm->lock);
	m = gpu_mapping_first(vm, va, va);
	if (!m || m->start != va || m->bo != bo)
		ret = -EINVAL;
	else
		gpu_vm_remove_locked(vm, m, &gone);
	up_write(&vm->lock);
	gpu_vm_update_end(vm, &gone);
	return ret;
}

/* Those of @bo in @start..@last that a handle has made, or that none has. */
static void gpu_vm_unmap_bo(struct gpu_vm *vm, struct gpu_bo *bo, u64 start, u64 last, bool gem)
{
	struct gpu_mapping *m, *next;
	LIST_HEAD(gone);

	mutex_lock(&vm->update);
	down_write(&vm->lock);
	for (m = gpu_mapping_first(vm, start, last); m; m = next) {
		next = gpu_mapping_next(m, start, last);
		if (m->bo == bo && m->gem == gem)
			gpu_vm_remove_locked(vm, m, &gone);
	}
	up_write(&vm->lock);
	gpu_vm_update_end(vm, &gone);
}

void gpu_vm_unmap_range(struct gpu_vm *vm, struct gpu_bo *bo, u64 va, u64 size)
{
	gpu_vm_unmap_bo(vm, bo, va, va + size - 1, false);
}

/**
 * struct gpu_vm_change - what GEM_VA does to an address space
 * @rest: what is left of mappings that are cut, of which there are two at most; the first @n are in
 *	the tree, the others are not used yet
 * @n: see @rest
 * @gone: what is no longer there
 */
struct gpu_vm_change {
	struct gpu_mapping *rest[2];
	unsigned int n;
	struct list_head gone;
};

static int gpu_vm_change_begin(struct gpu_vm_change *c)
{
	c->n = 0;
	INIT_LIST_HEAD(&c->gone);
	c->rest[0] = kzalloc(sizeof(*c->rest[0]), GFP_KERNEL_ACCOUNT);
	c->rest[1] = kzalloc(sizeof(*c->rest[1]), GFP_KERNEL_ACCOUNT);
	return c->rest[0] && c->rest[1] ? 0 : -ENOMEM;
}

static void gpu_vm_change_free(struct gpu_vm_change *c)
{
	while (c->n < ARRAY_SIZE(c->rest))
		kfree(c->rest[c->n++]);
}

/* @start..@last is what is left of @m. */
static void gpu_vm_keep_locked(struct gpu_vm *vm, struct gpu_vm_change *c,
			       const struct gpu_mapping *m, u64 start, u64 last)
{
	struct gpu_mapping *rest = c->rest[c->n++];

	rest->vm = vm;
	rest->bo = m->bo;
	rest->start = start;
	rest->last = last;
	rest->offset = m->offset + start - m->start;
	rest->access = m->access;
	rest->gem = m->gem;
	rest->pins = start == m->start ? m->pins : 0;
	gpu_vm_insert_locked(vm, rest);
}

/* Take @first..@last out of the mappings. Those that are cut at its ends stay with the rest. */
static void gpu_vm_clear_locked(struct gpu_vm *vm, struct gpu_vm_change *c, u64 first, u64 last)
{
	struct gpu_mapping *m;

	while ((m = gpu_mapping_first(vm, first, last))) {
		gpu_vm_remove_locked(vm, m, &c->gone);
		if (m->start < first)
			gpu_vm_keep_locked(vm, c, m, m->start, first - 1);
		if (m->last > last)
			gpu_vm_keep_locked(vm, c, m, last + 1, m->last);
	}
}

/*
 * The backend follows: first it takes off what has gone. What it does not map after that is gone,
 * too, and so is @fresh, the new mapping (or NULL), if anything else has failed. The first error.
 */
static int gpu_vm_change_end(struct gpu_vm *vm, struct gpu_vm_change *c, struct gpu_mapping *fresh)
{
	unsigned int i;
	int ret = 0;

	gpu_vm_hide(vm, &c->gone);
	for (i = 0; i < c->n; i++) {
		int err = gpu_vm_show(vm, c->rest[i], &c->gone);

		ret = ret ?: err;
	}
	if (fresh && ret)
		gpu_vm_remove(vm, fresh, &c->gone);
	else if (fresh)
		ret = gpu_vm_show(vm, fresh, &c->gone);
	gpu_vm_update_end(vm, &c->gone);
	gpu_vm_change_free(c);
	return ret;
}

int gpu_vm_clear(struct gpu_vm *vm, u64 va, u64 size)
{
	struct gpu_vm_change c;
	int ret;

	if (!gpu_vm_va_ok(va, size))
		return -EINVAL;
	ret = gpu_vm_change_begin(&c);
	if (ret) {
		gpu_vm_change_free(&c);
		return ret;
	}
	mutex_lock(&vm->update);
	down_write(&vm->lock);
	gpu_vm_clear_locked(vm, &c, va, va + size - 1);
	up_write(&vm->lock);
	return gpu_vm_change_end(vm, &c, NULL);
}

int gpu_vm_map_gem(struct gpu_vm *vm, struct gpu_bo *bo, u64 va, u64 offset, u64 size,
		   u32 access, bool replace)
{
	struct gpu_vm_change c;
	struct gpu_mapping *m;
	int ret = 0;

	if (!gpu_vm_range_ok(bo, va, offset, size))
		return -EINVAL;
	if (bo->kind == GPU_BO_USERPTR)
		ret = gpu_faulter_start(vm, bo->userptr.process);
	if (ret)
		return ret;
	ret = gpu_vm_change_begin(&c);
	m = ret ? NULL : gpu_mapping_create(vm, bo, va, offset, size, access);
	if (!m) {
		gpu_vm_change_free(&c);
		return -ENOMEM;
	}
	m->gem = true;
	mutex_lock(&vm->update);
	down_write(&vm->lock);
	if (replace)
		gpu_vm_clear_locked(vm, &c, m->start, m->last);
	if (gpu_mapping_first(vm, m->start, m->last)) {
		kfree(m);
		m = NULL;
		ret = -EINVAL;
	} else {
		gpu_vm_insert_locked(vm, m);
	}
	up_write(&vm->lock);
	return gpu_vm_change_end(vm, &c, m) ?: ret;
}

void gpu_vm_unmap_gem(struct gpu_vm *vm, struct gpu_bo *bo)
{
	gpu_vm_unmap_bo(vm, bo, 0, U64_MAX, true);
}

void gpu_vm_unmap_all(struct gpu_vm *vm)
{
	struct gpu_mapping *m;
	LIST_HEAD(gone);

	do {
		mutex_lock(&vm->update);
		down_write(&vm->lock);
		m = gpu_mapping_first(vm, 0, U64_MAX);
		if (m)
			gpu_vm_remove_locked(vm, m, &gone);
		up_write(&vm->lock);
		gpu_vm_update_end(vm, &gone);
		INIT_LIST_HEAD(&gone);
		cond_resched();
	} while (m);
}
