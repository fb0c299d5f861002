// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each queue as the node below can have it (amdgpu_queues=auto): a user queue where it takes that
 * (userq.c), by submissions where it does not (hw/).
 *
 * Which of the two it is follows from the queue's doorbell. Those of the first page are RAM, which
 * hw/ watches; the others are an object of the driver below, of which we see no store. The client
 * is told where its doorbell is when the queue is there already, so it does not notice.
 */
#include <linux/bitmap.h>
#include <linux/file.h>

#include "amdgpu_int.h"
#include "../../gpu/doorbell.h"

#define FIRST_BELOW	AMDGPU_DOORBELLS_OURS

/* One mapping of the driver below, which begins where its object does, has all of them. */
static_assert(GPU_DOORBELL_BYTES == 2 * PAGE_SIZE);

static bool is_below(const struct gpu_queue *q)
{
	return q->doorbell >= FIRST_BELOW;
}

/* Another doorbell, from @first on, but none from @end on; @wish if that is one. */
static int doorbell_move(struct gpu_queue *q, unsigned int first, unsigned int end,
			 unsigned int wish)
{
	struct gpu_doorbells *db = q->pdd->doorbells;
	unsigned int index = wish;

	if (q->doorbell >= first && q->doorbell < end)
		return 0;
	if (index < first || index >= end || test_bit(index, db->used))
		index = find_next_zero_bit(db->used, end, first);
	if (index >= end)
		return -ENOSPC;
	__set_bit(index, db->used);
	gpu_doorbell_reset(db, index);
	gpu_doorbell_reset(db, q->doorbell);
	__clear_bit(q->doorbell, db->used);
	q->doorbell = index;
	return 0;
}

/* One that is off may be turned on and off again, for which there is no way below. */
static bool may_be_below(const struct gpu_queue *q)
{
	const struct gpu_queue_props *p = &q->props;

	return gpu_queue_of_kfd(q) && p->percentage && p->ring_va && p->ring_bytes;
}

int amdgpu_auto_init(struct gpu_queue *q)
{
	unsigned int was = q->doorbell;

	if (may_be_below(q) && !doorbell_move(q, FIRST_BELOW, GPU_DOORBELL_COUNT, was) &&
	    !amdgpu_userq_init(q))
		return 0;
	if (doorbell_move(q, 0, FIRST_BELOW, was))
		return -EINVAL;
	return hw_compute_init(q);
}

int amdgpu_auto_update(struct gpu_queue *q, const struct gpu_queue_props *p)
{
	return is_below(q) ? amdgpu_userq_update(q, p) : hw_compute_update(q, p);
}

void amdgpu_auto_fini(struct gpu_queue *q)
{
	if (is_below(q))
		amdgpu_userq_fini(q);
	else
		amdgpu_queue_fini(q);
}

void amdgpu_auto_evict(struct gpu_queue *q)
{
	if (is_below(q))
		amdgpu_userq_evict(q);
	else
		hw_compute_evict(q);
}

void amdgpu_auto_restore(struct gpu_queue *q)
{
	if (is_below(q))
		amdgpu_userq_restore(q);
	else
		hw_compute_restore(q);
}

void amdgpu_auto_state(const struct gpu_queue *q, struct gpu_queue_state *s)
{
	if (is_below(q))
		amdgpu_userq_state(q, s);
	else
		hw_compute_state(q, s);
}

int amdgpu_auto_reset(struct gpu_device *gdev, struct gpu_process *p)
{
	int ret = amdgpu_userqs_reset(gdev, p);

	return ret ?: hw_reset(gdev, p);
}

struct file *amdgpu_auto_doorbells(struct gpu_vm *vm, u64 *offset)
{
	struct amdgpu_vm *avm = vm->priv;

	if (!avm->doorbells)
		return NULL;
	*offset = avm->doorbells->offset;
	return get_file(avm->file);
}
