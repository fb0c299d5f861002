// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parts of the address space on which queues depend: save areas in shared memory. They are the
 * process's own memory, so unlike buffers (gpu_vm_pin()), nobody can keep the process from
 * unmapping them. Instead, the holder is notified.
 */
#include <linux/list.h>

#include "svm_int.h"

static bool svm_always_mapped(const struct gpu_svm_range *r, unsigned int index)
{
	return (r->attrs.access | r->attrs.in_place) & BIT(index) &&
	       r->attrs.flags & GPU_SVM_ALWAYS_MAPPED;
}

/* Do ranges without gaps cover it, all of them always mapped on that GPU? */
static bool svm_covered(struct gpu_svm *svm, u64 start, u64 last, unsigned int index)
{
	struct gpu_svm_range *r;

	for_each_svm_range(r, svm, start, last) {
		if (r->start > start || !svm_always_mapped(r, index))
			return false;
		if (r->last >= last)
			return true;
		start = r->last + 1;
	}
	return false;
}

int gpu_svm_hold(struct gpu_svm *svm, struct gpu_svm_hold *h, u64 start, u64 last,
		 unsigned int index)
{
	int ret = -EINVAL;

	mutex_lock(&svm->lock);
	if (start <= last && svm_covered(svm, start, last, index)) {
		h->start = start;
		h->last = last;
		list_add(&h->link, &svm->holds);
		ret = 0;
	}
	mutex_unlock(&svm->lock);
	return ret;
}

void gpu_svm_release(struct gpu_svm *svm, struct gpu_svm_hold *h)
{
	mutex_lock(&svm->lock);
	if (!list_empty(&h->link))
		list_del_init(&h->link);
	mutex_unlock(&svm->lock);
}

void gpu_svm_tell_holders(struct gpu_svm *svm, u64 start, u64 last)
{
	struct gpu_svm_hold *h, *next;

	lockdep_assert_held(&svm->lock);
	list_for_each_entry_safe(h, next, &svm->holds, link) {
		if (h->last < start || h->start > last)
			continue;
		list_del_init(&h->link);
		h->lost(h);
	}
}
