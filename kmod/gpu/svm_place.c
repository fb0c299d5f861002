// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where shared memory is, and events and counters of it, as clients of the driver see them:
 * prefetches to a GPU's memory and back, ranges that have to leave it because others need the room
 * (vram.c), pages that the mm takes from a GPU, faults that are served.
 *
 * Memory of a virtual GPU is system memory. A buffer in VRAM consists of pages and a share of
 * the GPU's quota. So moving a range moves its share of the quota; whether its pages follow, so
 * that CPUs cannot reach them, is up to svm_zone.c.
 */
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/timekeeping.h>

#include "backend.h"
#include "device.h"
#include "gpu_int.h"
#include "svm_int.h"
#include "vram.h"

/* Ranges that leave a GPU for others with one hold of svm->lock, for which the process waits. */
#define EVICT_BATCH	4096u

static void svm_tell(struct gpu_vm *vm, const struct gpu_svm_event *e)
{
	struct gpu_process *p = READ_ONCE(vm->process);

	if (p && gpu_host->svm)
		gpu_host->svm(p, vm->gdev, e);
}

static u32 svm_gpu_id(const struct gpu_vm *vm)
{
	return vm ? vm->gdev->gpu_id : 0;
}

bool gpu_svm_move(struct gpu_vm *from, struct gpu_vm *to, u64 start, u64 last,
		  const struct gpu_svm_attrs *a, enum gpu_svm_move why)
{
	u64 bytes = last - start + 1;
	struct gpu_svm_event e = {
		.kind = GPU_SVM_MIGRATED, .first = start >> PAGE_SHIFT,
		.pages = bytes >> PAGE_SHIFT, .since = ktime_get_boottime_ns(),
		.from = svm_gpu_id(from), .to = svm_gpu_id(to),
		.prefetch = a->prefetch, .preferred = a->preferred, .move = why,
		.mapped = a->access | a->in_place, .always = a->flags & GPU_SVM_ALWAYS_MAPPED,
	};

	if (to && gpu_target_is_apu(to->gdev->target))
		return false;
	if (to) {
		if (gpu_vram_charge(to->gdev, bytes))
			return false;
		atomic64_add(bytes, &to->svm_bytes);
		if (!gpu_svm_pages_follow(why))
			atomic64_add(e.pages, &to->pages_in);
	}
	if (from) {
		gpu_svm_drop(from, bytes);
		if (!gpu_svm_pages_follow(why))
			atomic64_add(e.pages, &from->pages_out);
	}
	svm_tell(to ?: from, &e);
	return true;
}

bool gpu_svm_has_room(const struct gpu_vm *to, u64 bytes)
{
	return !gpu_target_is_apu(to->gdev->target) && bytes <= gpu_vram_free(to->gdev);
}

void gpu_svm_drop(struct gpu_vm *vm, u64 bytes)
{
	atomic64_sub(bytes, &vm->svm_bytes);
	gpu_vram_give(vm->gdev, bytes);
}

/*
 * The events' places are those before and after, the attributes stay. The caller removes its
 * pages.
 */
static bool svm_evict_range(struct gpu_svm *svm, struct gpu_vm *vm, struct gpu_svm_range *r)
{
	gpu_svm_move(vm, NULL, r->start, r->last, &r->attrs, GPU_SVM_EVICTION);
	atomic64_add(r->last - r->start + 1, &vm->gdev->vram_moved);
	atomic64_inc(&vm->gdev->vram_evictions);
	return gpu_svm_place(svm, r, 0);
}

static u64 svm_evict(struct gpu_svm *svm, struct gpu_vm *vm, u64 bytes,
		     const struct gpu_vram_want *want, bool *stray)
{
	u64 gone = 0, first = U64_MAX, last = 0;
	struct gpu_svm_range *r, *next;
	unsigned int n = 0;

	lockdep_assert_held(&svm->lock);
	/* Only those that are there: who wants room does not wait for all that a process has. */
	list_for_each_entry_safe(r, next, &svm->placed[vm->svm_index], placed) {
		cond_resched();
		if (gone >= bytes || n == EVICT_BATCH)
			break;
		if (svm == want->svm && r->start <= want->last && r->last >= want->start)
			continue;
		first = min(first, r->start);
		last = max(last, r->last);
		gone += r->last - r->start + 1;
		*stray |= svm_evict_range(svm, vm, r);
		n++;
	}
	/*
	 * What lies between the ranges goes along, as each removal waits for the workers: a process
	 * with very many ranges must not have others wait for each of them.
	 */
	if (!gone)
		return 0;
	svm->changes++;
	gpu_svm_zap_pages(svm, first, last, GPU_SVM_TAKEN_BY_US);
	return gone;
}

/*
 * Pages that have moved follow a little later. Whoever needs the room holds a lock of his own
 * process, so it is a thread of the other one's VM that moves them.
 */
void gpu_svm_evict(struct gpu_vm *vm, u64 bytes, const struct gpu_vram_want *want)
{
	struct gpu_svm *svm;
	bool stray;
	u64 gone;

	do {
		gone = 0;
		stray = false;
		down_read(&vm->lock);
		svm = vm->svm;
		if (svm) {
			mutex_lock(&svm->lock);
			gone = svm_evict(svm, vm, bytes, want, &stray);
			mutex_unlock(&svm->lock);
			if (stray && !gpu_faulter_start(vm, svm->process))
				gpu_faulter_home(READ_ONCE(vm->faulter), svm->process->mm);
		}
		up_read(&vm->lock);
		bytes -= min(bytes, gone);
	} while (bytes && gone);
}

bool gpu_svm_take_pages(struct gpu_vm *vm, u64 start, u64 last, enum gpu_svm_taken why)
{
	struct gpu_svm_event e = { .kind = GPU_SVM_UNMAPPED, .why = why };
	u64 first = start >> PAGE_SHIFT, end = last >> PAGE_SHIFT;

	if (!gpu_pc_erase(vm, &first, &end, true))
		return false;
	if (why != GPU_SVM_TAKEN_BY_US) {
		e.first = first;
		e.pages = end - first + 1;
		e.since = ktime_get_boottime_ns();
		svm_tell(vm, &e);
	}
	return true;
}

/*
 * A fault that waits for a page is repeated. For the event, it began at its first occurrence.
 * If several faults wait, the VM remembers only one.
 */
void gpu_svm_fault_waits(struct gpu_vm *vm, u64 va, u64 since)
{
	if (READ_ONCE(vm->late_page) == va >> PAGE_SHIFT)
		return;
	WRITE_ONCE(vm->late_page, va >> PAGE_SHIFT);
	WRITE_ONCE(vm->late_since, since);
}

void gpu_svm_fault_served(struct gpu_vm *vm, u64 va, bool write, bool migrates, u64 since)
{
	struct gpu_svm_event e = {
		.kind = GPU_SVM_FAULTED, .first = va >> PAGE_SHIFT, .since = since,
		.write = write, .migrates = migrates,
	};

	if (READ_ONCE(vm->late_page) == e.first) {
		e.since = READ_ONCE(vm->late_since);
		WRITE_ONCE(vm->late_page, GPU_NO_PAGE);
	}
	atomic64_inc(&vm->retry_faults);
	svm_tell(vm, &e);
}
