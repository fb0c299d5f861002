// SPDX-License-Identifier: GPL-2.0-only
/*
 * The indirect buffer of a batch. The GPU itself tells the signals of dispatches, as the packet
 * processor of an AQL queue would: it stores the times and decrements the value. Only the mailbox
 * and the event are left to us, for which the batch has to end: so a dispatch whose signal has a
 * mailbox is the last one of its batch. After each dispatch the GPU stores how many have ended, by
 * which we see what a batch that failed has done, and what one that lasts has.
 *
 * A packet processor reads a kernel's descriptor when it comes to the packet, so after those before
 * its barrier bit have ended, and they may have written it. We read it before that. So the GPU
 * looks whether it is still the same. If not, this dispatch and all behind it are left out, and
 * batch.c brings them once more, when they can be read anew.
 */
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "batch.h"
#include "../../cp/pm4_write.h"

#define IB_ALIGN_DWORDS	8

#define DISPATCH_DWORDS	(CP_PM4_IDLE_DWORDS + CP_PM4_ACQUIRE_DWORDS + CP_PM4_CHECK_DWORDS + \
			 CP_PM4_IF_DWORDS + CP_PM4_CLOCK_DWORDS + CP_PM4_DISPATCH_DWORDS + \
			 CP_PM4_COMPLETE_DWORDS + CP_PM4_RELEASE_DWORDS)

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
static bool promise(struct amdgpu_runner *r, struct hw_grid *grid)
{
	struct hw_env e;

	if (!grid->d.signal)
		return false;
	hw_env_init(&e, &r->vmw, NULL, grid->vq);
	return !cp_signal_promise(&e.env, grid->d.signal, &grid->done);
}

/* Nothing of its queue is below: reads again what was read too early. */
static int renew(struct amdgpu_runner *r, struct hw_grid *grid)
{
	struct cp_dispatch d = grid->d;
	struct hw_env e;
	u32 code = 0;
	int err;

	hw_env_init(&e, &r->vmw, NULL, grid->vq);
	err = cp_dispatch_renew(&grid->vq->cp, &e.env, &d, &code);
	/* It is not there now, and we don't wait: the GPU looks. */
	if (err == -EAGAIN)
		return 0;
	if (err || code)
		return -EINVAL;
	spin_lock(&r->node->hw.lock);
	grid->d = d;
	spin_unlock(&r->node->hw.lock);
	return 0;
}

bool amdgpu_stream_add(struct amdgpu_stream *s, struct amdgpu_batch *b)
{
	struct amdgpu_runner *r = b->aq->runner;
	struct cp_pm4_out o = { .dw = s->dw, .room = ARRAY_SIZE(s->dw), .n = s->n };
	struct hw_grid *grid = b->grid[b->n - 1];
	const struct cp_dispatch *d = &grid->d;
	u64 marks = b->aq->ch.ib_va + AMDGPU_MARKS, go = b->aq->ch.ib_va + AMDGPU_GO;
	bool told;
	u32 at;

	if (d->early && b->n == 1 && bitmap_weight(b->aq->used, AMDGPU_BATCHES) == 1)
		b->bad = renew(r, grid);
	if (b->bad)
		return false;
	told = promise(r, grid);
	put_order(&o, d);
	if (d->early)
		cp_pm4_put_check(&o, d, go);
	at = cp_pm4_put_if(&o, go);
	if (told)
		cp_pm4_put_clock(&o, d->signal + CP_SIGNAL_START_TS);
	if (!cp_pm4_put_dispatch(&o, r->node->hw.gdev->target, d) || o.full) {
		b->bad = -EINVAL;
		return false;
	}
	if (told)
		cp_pm4_put_complete(&o, d->signal);
	cp_pm4_put_release(&o, marks, CP_PM4_DATA_64, ++b->aq->marks, false);
	cp_pm4_put_end_if(&o, at);
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
