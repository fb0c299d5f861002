// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where shared memory goes when a GPU faults in it with XNACK. As in the real driver
 * (svm_range_restore_pages()), as much of the range as its granularity says comes to the memory of
 * the GPU that faults, or of the one that the range prefers.
 *
 * It comes only if there is room: a thread that serves a fault has the VM's lock, and may not have
 * others leave (vram.c). If it was in another GPU's memory, it then goes to system memory.
 *
 * GPUs that use the same memory in turn would take it from each other at each access. One that
 * has just come is left where it is for a moment, and the others reach it there.
 */
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "device.h"
#include "svm_int.h"

#define STAY_JIFFIES	max(1, HZ / 100)

/* 0, or 1 + index, as in struct gpu_svm_attrs; 0 for GPUs whose memory is not in reach. */
static u32 svm_at_of(const struct gpu_svm *svm, u32 gpu_id)
{
	u32 i;

	for (i = 0; i < GPU_SVM_MAX_GPUS; i++)
		if (svm->vms[i] && svm->ids[i] == gpu_id)
			return i + 1;
	return 0;
}

bool gpu_svm_in_reach(const struct gpu_svm *svm, u32 at, u32 other)
{
	const struct gpu_vm *a = svm->vms[at - 1], *b = svm->vms[other - 1];

	/* Nothing is to go to a GPU that was taken away, or to stay there. */
	if (a && READ_ONCE(a->gdev->gone_ns))
		return false;
	if (at == other)
		return true;
	return a && b && a->gdev->hive.id && a->gdev->hive.id == b->gdev->hive.id;
}

/* svm_range_best_restore_location() */
static u32 svm_best_at(const struct gpu_svm *svm, const struct gpu_vm *vm,
		       const struct gpu_svm_attrs *a)
{
	u32 own = vm->svm_index + 1, preferred = 0;

	if (!a->preferred)
		return 0;
	if (a->preferred != GPU_SVM_NOWHERE)
		preferred = svm_at_of(svm, a->preferred);
	if (preferred && gpu_svm_in_reach(svm, preferred, own))
		return preferred;
	if (a->access & BIT(vm->svm_index))
		return own;
	return a->at && gpu_svm_in_reach(svm, a->at, own) ? a->at : 0;
}

/* The part of the range around @va that moves as a whole. */
static void svm_granule(const struct gpu_svm_range *r, u64 va, u64 *start, u64 *last)
{
	u64 size = r->attrs.granularity + PAGE_SHIFT < 64 ?
		PAGE_SIZE << r->attrs.granularity : 0;

	*start = r->start;
	*last = r->last;
	if (!size)
		return;
	*start = max(r->start, round_down(va, size));
	*last = min(r->last, round_down(va, size) + (size - 1));
}

static struct gpu_svm_range *svm_copy(const struct gpu_svm_range *r)
{
	struct gpu_svm_range *copy = kmalloc(sizeof(*copy),
					     GFP_NOWAIT | __GFP_ACCOUNT | __GFP_NOWARN);

	if (copy)
		*copy = *r;
	return copy;
}

/* Cuts @r so that it is @start..@last. False if there is no memory for what is cut off. */
static bool svm_carve(struct gpu_svm *svm, struct gpu_svm_range *r, u64 start, u64 last)
{
	struct gpu_svm_range *head = NULL, *tail = NULL;

	if (svm->num_ranges + 2 > GPU_SVM_MAX_RANGES)
		return r->start == start && r->last == last;
	if (r->start < start)
		head = svm_copy(r);
	if (r->last > last)
		tail = svm_copy(r);
	if ((r->start < start && !head) || (r->last > last && !tail)) {
		kfree(head);
		kfree(tail);
		return false;
	}
	gpu_svm_remove(svm, r);
	r->start = start;
	r->last = last;
	gpu_svm_insert(svm, r);
	if (head) {
		head->last = start - 1;
		gpu_svm_insert(svm, head);
	}
	if (tail) {
		tail->start = last + 1;
		gpu_svm_insert(svm, tail);
	}
	return true;
}

static struct gpu_vm *svm_vm(const struct gpu_svm *svm, u32 at)
{
	return at ? svm->vms[at - 1] : NULL;
}

/* All of @r, which nobody has cut for nothing: it may well stay. True if pages are to follow. */
static bool svm_bring_range(struct gpu_svm *svm, struct gpu_svm_range *r, u32 at)
{
	struct gpu_vm *from = svm_vm(svm, r->attrs.at), *to = svm_vm(svm, at);
	bool stray;

	if (!gpu_svm_move(from, to, r->start, r->last, &r->attrs, GPU_SVM_FAULT)) {
		if (!from)
			return false;
		gpu_svm_move(from, NULL, r->start, r->last, &r->attrs, GPU_SVM_FAULT);
		at = 0;
	}
	stray = gpu_svm_place(svm, r, at);
	r->moved = jiffies;
	svm->changes++;
	gpu_svm_zap_pages(svm, r->start, r->last, GPU_SVM_TAKEN_BY_US);
	return stray;
}

void gpu_svm_leave(struct gpu_svm *svm, u64 va, struct gpu_svm_moves *moves, bool leave)
{
	struct gpu_svm_range *r = gpu_svm_first(svm, va, va);
	u64 start, last;

	lockdep_assert_held(&svm->lock);
	if (!r)
		return;
	svm_granule(r, va, &start, &last);
	moves->start = start;
	moves->last = last;
	moves->at = r->attrs.stray ?: r->attrs.at;
	/* If there is no memory to cut the range, only its pages come back. */
	if (!leave || !r->attrs.at || !svm_carve(svm, r, start, last))
		return;
	gpu_svm_move(svm_vm(svm, r->attrs.at), NULL, start, last, &r->attrs, GPU_SVM_CPU_FAULT);
	gpu_svm_put_at(svm, r, 0);
	svm->changes++;
	gpu_svm_zap_pages(svm, start, last, GPU_SVM_TAKEN_BY_US);
	gpu_svm_merge(svm, start, last);
}

bool gpu_svm_bring(struct gpu_svm *svm, struct gpu_vm *vm, u64 va, struct gpu_svm_moves *moves)
{
	struct gpu_svm_range *r = gpu_svm_first(svm, va, va);
	struct mem_cgroup *old;
	u64 start, last;
	u32 at;

	lockdep_assert_held(&svm->lock);
	if (!r)
		return false;
	at = svm_best_at(svm, vm, &r->attrs);
	if (at == r->attrs.at)
		return at;
	/* Of a range that has never come anywhere, @moved is of no matter. */
	if (r->attrs.at && time_before(jiffies, r->moved + STAY_JIFFIES))
		return true;
	svm_granule(r, va, &start, &last);
	if (at && !gpu_svm_has_room(svm_vm(svm, at), last - start + 1) && !r->attrs.at)
		return true;
	old = gpu_memcg_enter(vm->memcg);
	if (svm_carve(svm, r, start, last)) {
		moves->home = svm_bring_range(svm, r, at);
		moves->start = start;
		moves->last = last;
		moves->at = r->attrs.at;
		gpu_svm_merge(svm, start, last);
	}
	gpu_memcg_leave(old);
	return true;
}
