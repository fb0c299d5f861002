// SPDX-License-Identifier: GPL-2.0-only
/*
 * Setting and getting attributes of shared memory. Setting splits, creates and merges ranges
 * so that each range has one set of attributes, and neighbours differ.
 */
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "device.h"
#include "svm_int.h"
#include "vram.h"
#include "zone.h"

/* Is a buffer mapped there in the VM of any device at this moment? */
static bool svm_in_use(struct gpu_svm *svm, u64 start, u64 last)
{
	bool busy = false;
	unsigned int i;

	/* process->lock protects @vms. */
	lockdep_assert_held(&svm->process->lock);
	for (i = 0; i < GPU_SVM_MAX_GPUS && !busy; i++)
		if (svm->vms[i])
			busy = gpu_vm_maps(svm->vms[i], start, last);
	return busy;
}

/* On success mmap_lock is held, so the memory stays until the caller is done. */
static int svm_lock_memory(struct gpu_svm *svm, u64 start, u64 size)
{
	struct mm_struct *mm = svm->process->mm;
	bool busy;
	int ret;

	if (start >= TASK_SIZE_MAX || size > TASK_SIZE_MAX - start)
		return -EFAULT;
	busy = svm_in_use(svm, start, start + size - 1);
	if (mmap_read_lock_killable(mm))
		return -EINTR;
	ret = gpu_user_check(mm, start, start + size, 0);
	if (!ret && busy)
		ret = -EADDRINUSE;
	if (ret)
		mmap_read_unlock(mm);
	return ret;
}

static void svm_free_list(struct gpu_svm *svm, struct list_head *list)
{
	struct gpu_svm_range *r, *next;

	list_for_each_entry_safe(r, next, list, link)
		mempool_free(r, &svm->reserve);
}

/* Number of ranges that a change of @start..@last may need: one per gap, two for its ends. */
static unsigned int svm_needed(struct gpu_svm *svm, u64 start, u64 last)
{
	struct gpu_svm_range *r;
	unsigned int n = 2;

	for_each_svm_range(r, svm, start, last) {
		if (r->start > start)
			n++;
		start = r->last + 1;
		if (start > last)
			return n;
	}
	return n + 1;
}

/* On success svm->lock is held, and @fresh has enough ranges. */
static int svm_lock_prepared(struct gpu_svm *svm, u64 start, u64 last, struct list_head *fresh)
{
	unsigned int have = 0, need;
	struct gpu_svm_range *r;

	for (;;) {
		mutex_lock(&svm->lock);
		need = svm_needed(svm, start, last);
		if (svm->num_ranges + need > GPU_SVM_MAX_RANGES) {
			mutex_unlock(&svm->lock);
			return -ENOMEM;
		}
		if (need <= have)
			return 0;
		mutex_unlock(&svm->lock);
		for (; have < need; have++) {
			r = kmalloc(sizeof(*r), GFP_KERNEL_ACCOUNT);
			if (!r)
				return -ENOMEM;
			list_add(&r->link, fresh);
		}
	}
}

static struct gpu_svm_range *svm_take(struct list_head *fresh)
{
	struct gpu_svm_range *r = list_first_entry(fresh, struct gpu_svm_range, link);

	list_del(&r->link);
	return r;
}

/* Splits the range around @at, if there is one, so that a range begins there. */
static void svm_split(struct gpu_svm *svm, u64 at, struct list_head *fresh)
{
	struct gpu_svm_range *upper, *r = gpu_svm_first(svm, at, at);

	if (!r || r->start == at)
		return;
	upper = svm_take(fresh);
	*upper = *r;
	upper->start = at;
	gpu_svm_remove(svm, r);
	r->last = at - 1;
	gpu_svm_insert(svm, r);
	gpu_svm_insert(svm, upper);
}

static void svm_fill_gap(struct gpu_svm *svm, u64 start, u64 last, struct list_head *fresh)
{
	struct gpu_svm_range *r = svm_take(fresh);

	r->start = start;
	r->last = last;
	r->attrs = gpu_svm_defaults(svm);
	r->moved = jiffies;
	gpu_svm_insert(svm, r);
}

static void svm_fill_gaps(struct gpu_svm *svm, u64 start, u64 last, struct list_head *fresh)
{
	struct gpu_svm_range *r;

	while (start <= last) {
		r = gpu_svm_first(svm, start, last);
		if (!r || r->start > start)
			svm_fill_gap(svm, start, r ? r->start - 1 : last, fresh);
		if (!r)
			break;
		start = r->last + 1;
	}
}

static void svm_apply(struct gpu_svm_attrs *a, const struct gpu_svm_change *c)
{
	if (c->preferred)
		a->preferred = c->value.preferred;
	if (c->prefetch)
		a->prefetch = c->value.prefetch;
	if (c->granularity)
		a->granularity = c->value.granularity;
	a->flags = (a->flags & ~c->flags_clear) | c->flags_set;
	a->access = (a->access & ~c->gpus) | c->value.access;
	a->in_place = (a->in_place & ~c->gpus) | c->value.in_place;
}

static struct gpu_svm_range *svm_next(struct gpu_svm_range *r)
{
	return rb_entry_safe(rb_next(&r->rb), struct gpu_svm_range, rb);
}

/* Merges neighbours that have become equal, in @start..@last and at its ends. */
void gpu_svm_merge(struct gpu_svm *svm, u64 start, u64 last)
{
	struct gpu_svm_range *next, *r = gpu_svm_first(svm, start - 1, last + 1);

	while (r && (next = svm_next(r)) && next->start <= last + 1) {
		if (next->start != r->last + 1 ||
		    memcmp(&next->attrs, &r->attrs, sizeof(r->attrs))) {
			r = next;
			continue;
		}
		gpu_svm_remove(svm, next);
		gpu_svm_remove(svm, r);
		r->last = next->last;
		gpu_svm_insert(svm, r);
		mempool_free(next, &svm->reserve);
	}
}

static struct gpu_vm *svm_vm_at(const struct gpu_svm *svm, u32 at)
{
	return at ? svm->vms[at - 1] : NULL;
}

/* Are all of @gpus, which need it mapped, able to reach memory at @at? */
static bool svm_all_reach(const struct gpu_svm *svm, u32 at, u32 gpus)
{
	u32 i;

	for (i = 0; i < GPU_SVM_MAX_GPUS; i++)
		if (gpus & BIT(i) && !gpu_svm_in_reach(svm, at, i + 1))
			return false;
	return true;
}

/*
 * A prefetch to @at. As in the real driver (svm_range_best_prefetch_location()), the range
 * moves to system memory instead if another GPU needs it mapped, and is not of the same hive, or
 * @at is an APU's. It stays where it is if there is no room.
 * Return: true if it has moved, so that the caller has to remove its pages.
 */
static bool svm_move(struct gpu_svm *svm, struct gpu_svm_range *r, u32 at)
{
	struct gpu_svm_attrs *a = &r->attrs;
	u32 others = svm->xnack ? a->in_place : a->access | a->in_place;

	if (!svm_vm_at(svm, at) || gpu_target_is_apu(svm_vm_at(svm, at)->gdev->target) ||
	    !svm_all_reach(svm, at, others))
		at = 0;
	if (a->at == at || !gpu_svm_move(svm_vm_at(svm, a->at), svm_vm_at(svm, at), r->start,
					 r->last, a, GPU_SVM_PREFETCH))
		return false;
	/* gpu_svm_set() sees to its pages */
	gpu_svm_place(svm, r, at);
	return true;
}

/* Returns true if GPUs must now have the whole of it mapped. */
static bool svm_change_locked(struct gpu_svm *svm, u64 start, u64 last,
			      const struct gpu_svm_change *c, struct list_head *fresh)
{
	bool mapped = false, zap = c->remap;
	struct gpu_svm_range *r;

	svm_split(svm, start, fresh);
	svm_split(svm, last + 1, fresh);
	svm_fill_gaps(svm, start, last, fresh);
	for_each_svm_range(r, svm, start, last) {
		svm_apply(&r->attrs, c);
		if (c->prefetch && svm_move(svm, r, c->value.at))
			zap = true;
		if (r->attrs.in_place || (r->attrs.access && !svm->xnack))
			mapped = true;
		cond_resched();
	}
	/*
	 * GPUs remember where each page is: they look again. All ranges at once, as each removal
	 * waits for the workers, and notifiers of the mm wait for our lock.
	 */
	if (zap) {
		svm->changes++;
		gpu_svm_zap_pages(svm, start, last, GPU_SVM_TAKEN_BY_US);
	}
	gpu_svm_merge(svm, start, last);
	return c->remap && mapped;
}

/*
 * Makes room for a prefetch to a GPU, before its locks are taken: others have to leave. As in the
 * real driver (svm_migrate_ram_to_vram()), a range that has no room beside all that KFD has
 * allocated there stays where it is.
 */
static int svm_room(struct gpu_svm *svm, u64 start, u64 last, u32 at)
{
	struct gpu_vram_want want = {
		.bytes = last - start + 1, .who = GPU_VRAM_KFD,
		.svm = svm, .start = start, .last = last,
	};
	struct gpu_device *gdev = svm->vms[at - 1]->gdev;
	struct gpu_svm_range *r;
	int ret;

	if (gpu_target_is_apu(gdev->target))
		return 0;
	mutex_lock(&svm->lock);
	for_each_svm_range(r, svm, start, last)
		if (r->attrs.at == at)
			want.bytes -= min(last, r->last) - max(start, r->start) + 1;
	mutex_unlock(&svm->lock);
	if (!want.bytes || want.bytes > gpu_vram_for_kfd(gdev))
		return 0;
	ret = gpu_vram_make_room(gdev, &want);
	return ret == -ENOMEM ? 0 : ret;
}

int gpu_svm_set(struct gpu_svm *svm, u64 start, u64 size, const struct gpu_svm_change *c)
{
	struct mm_struct *mm = svm->process->mm;
	u64 last = start + size - 1, prepared = 0;
	LIST_HEAD(fresh);
	int ret;

	ret = gpu_svm_enable(svm);
	if (!ret && c->prefetch && svm_vm_at(svm, c->value.at)) {
		/* Nobody is to leave for memory that is not there. */
		ret = svm_lock_memory(svm, start, size);
		if (!ret) {
			mmap_read_unlock(mm);
			ret = svm_room(svm, start, last, c->value.at);
		}
	}
	if (ret)
		return ret;
	/* A range that is larger stays where it is. */
	if (c->prefetch && svm_vm_at(svm, c->value.at) && gpu_zone_on() &&
	    size <= gpu_vram_limit(svm_vm_at(svm, c->value.at)->gdev)) {
		gpu_zone_prepare(size);
		prepared = size;
	}
	ret = svm_lock_memory(svm, start, size);
	if (ret)
		goto out;
	ret = svm_lock_prepared(svm, start, last, &fresh);
	if (!ret) {
		bool mapped = svm_change_locked(svm, start, last, c, &fresh);

		mutex_unlock(&svm->lock);
		if (c->prefetch && (gpu_zone_on() || gpu_zone_used()))
			gpu_svm_follow(svm, start, last);
		/* It is an error if some of it cannot be mapped, but the attributes stay set. */
		if (mapped)
			ret = gpu_user_check(mm, start, start + size, VM_READ);
	}
	mmap_read_unlock(mm);
	svm_free_list(svm, &fresh);
out:
	gpu_zone_prepare_end(prepared);
	return ret;
}

static void svm_summarize(struct gpu_svm_summary *s, const struct gpu_svm_attrs *a)
{
	if (s->attrs.preferred != a->preferred)
		s->attrs.preferred = GPU_SVM_NOWHERE;
	if (s->attrs.prefetch != a->prefetch)
		s->attrs.prefetch = GPU_SVM_NOWHERE;
	s->attrs.granularity = min(s->attrs.granularity, a->granularity);
	s->attrs.access &= a->access;
	s->attrs.in_place &= a->in_place;
	s->attrs.flags &= a->flags;
	s->flags_any |= a->flags;
}

/* Gaps between ranges are ignored, as in the real driver. */
int gpu_svm_get(struct gpu_svm *svm, u64 start, u64 size, struct gpu_svm_summary *s)
{
	u64 last = start + size - 1;
	struct gpu_svm_range *r;
	int ret;

	ret = svm_lock_memory(svm, start, size);
	if (ret)
		return ret;
	mmap_read_unlock(svm->process->mm);

	mutex_lock(&svm->lock);
	r = gpu_svm_first(svm, start, last);
	s->attrs = r ? r->attrs : gpu_svm_defaults(svm);
	s->flags_any = s->attrs.flags;
	for (; r; r = gpu_svm_next(r, start, last))
		svm_summarize(s, &r->attrs);
	mutex_unlock(&svm->lock);
	return 0;
}

int gpu_svm_set_xnack(struct gpu_svm *svm, bool on)
{
	int ret = gpu_svm_enable(svm);

	if (ret)
		return ret;
	mutex_lock(&svm->lock);
	svm->xnack = on;
	svm->changes++;
	gpu_svm_zap_pages(svm, 0, U64_MAX, GPU_SVM_TAKEN_BY_US);
	mutex_unlock(&svm->lock);
	return 0;
}

bool gpu_svm_xnack(const struct gpu_svm *svm)
{
	return READ_ONCE(svm->xnack);
}

