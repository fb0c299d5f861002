// SPDX-License-Identifier: GPL-2.0-only
/*
 * The indirect buffer of a batch. The GPU itself tells the signals of dispatches, as the packet
 * processor of an AQL queue would: it stores the times and decrements the value. Only the mailbox
 * and the event are left to us, for which the batch has to end: so a dispatch whose signal has a
 * mailbox is the last one of its batch. After each dispatch the GPU stores how many have ended, by
 * which we see what a batch that failed has done, and what one that lasts has.
 */
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "batch.h"
#include "../../cp/pm4_write.h"

#define IB_ALIGN_DWORDS	8

#define DISPATCH_DWORDS	(CP_PM4_IDLE_DWORDS + CP_PM4_ACQUIRE_DWORDS + CP_PM4_CLOCK_DWORDS + \
			 CP_PM4_DISPATCH_DWORDS + CP_PM4_COMPLETE_DWORDS + CP_PM4_RELEASE_DWORDS)

#define MOST_DWORDS	(CP_PM4_ACQUIRE_DWORDS + AMDGPU_BATCH_GRIDS * DISPATCH_DWORDS + \
			 CP_PM4_IDLE_DWORDS + IB_ALIGN_DWORDS)

static_assert(MOST_DWORDS <= AMDGPU_BATCH_BYTES / 4);

static void put_order(struct cp_pm4_out *o, const struct cp_dispatch *d)
{
	/* All that the first one of a batch depends on was there before the batch. */
	if (!o->n) {
		cp_pm4_put_acquire(o, true);
		return;
	}
	if (!d->barrier)
		return;
	cp_pm4_put_idle(o);
	if (d->acquire)
		cp_pm4_put_acquire(o, true);
}

/* Is the GPU to tell the dispatch's signal? Its mailbox is looked up while it is still there. */
static bool promise(struct amdgpu_node *node, struct hw_grid *grid)
{
	struct hw_env e;

	if (!grid->d.signal)
		return false;
	hw_env_init(&e, &node->vmw, NULL, grid->vq);
	return !cp_signal_promise(&e.env, grid->d.signal, &grid->done);
}

bool amdgpu_stream_add(struct amdgpu_node *node, struct amdgpu_stream *s, struct amdgpu_batch *b)
{
	struct cp_pm4_out o = { .dw = s->dw, .room = ARRAY_SIZE(s->dw), .n = s->n };
	struct hw_grid *grid = b->grid[b->n - 1];
	const struct cp_dispatch *d = &grid->d;
	bool told = promise(node, grid);

	put_order(&o, d);
	if (told)
		cp_pm4_put_clock(&o, d->signal + CP_SIGNAL_START_TS);
	if (!cp_pm4_put_dispatch(&o, node->hw.gdev->target, d) || o.full) {
		b->bad = -EINVAL;
		return false;
	}
	if (told)
		cp_pm4_put_complete(&o, d->signal);
	cp_pm4_put_release(&o, b->aq->ch.ib_va + AMDGPU_MARKS, CP_PM4_DATA_64, ++b->aq->marks,
			   false);
	s->n = o.n;
	/* A PM4 queue's packet processor is ours: it waits for the end of each dispatch. */
	return !d->pm4 && (!d->signal || (told && !grid->done.mailbox));
}

int amdgpu_stream_end(struct amdgpu_stream *s, struct amdgpu_batch *b)
{
	struct cp_pm4_out o = { .dw = s->dw, .room = ARRAY_SIZE(s->dw), .n = s->n };
	int ret;

	if (!s->n)
		return b->bad;
	/* The next batch begins when this one has ended. */
	cp_pm4_put_idle(&o);
	cp_pm4_put_padding(&o, IB_ALIGN_DWORDS);
	if (o.full)
		return -EINVAL;
	ret = amdgpu_channel_write(&b->aq->ch, b->slot * AMDGPU_BATCH_BYTES, s->dw, o.n * 4);
	return ret ?: o.n;
}
