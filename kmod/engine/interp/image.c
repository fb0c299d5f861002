// SPDX-License-Identifier: GPL-2.0-only
/*
 * The work-groups of a queue as an image, for checkpoints: all that is not in the save area. Wave
 * registers and LDS are written there first (cwsr.c), as hardware does it.
 *
 * An image comes from a file. A group that is taken in is launched anew, from its dispatch, and
 * then gets the state that the image says; so whatever the image says, it is a group that could
 * be there. The waves' registers come from the save area when the queue is restored.
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "interp.h"
#include "../../race.h"

/* Global wave sync of the queue, and how many groups follow */
struct head_image {
	u32 ngroups, unused;
	struct {
		u32 counter, releases, flag;
	} gws[ISA_GWS_RESOURCES];
};

/*
 * struct group_image: a work-group; @nwaves struct wave_image follow
 * @index: of the group; @grid: which of the queue's dispatches it is of
 * @nwaves: of the group, also those that have ended
 * The others are as in struct interp_group.
 */
struct group_image {
	u64 index;
	u32 grid, cu;
	s32 slot;
	u32 nwaves, next;
	u32 signals[ISA_BARRIERS], complete[ISA_BARRIERS], unused;
};

struct wave_image {
	u8 state, barrier, gws_op, gws_id;
	u32 gws_releases, gws_flag;
	struct isa_kept kept;
};

/* Where the next bytes of an image go, or come from; NULL: they are only counted. */
struct place {
	void *at;
	u32 bytes, room;
};

static int put(struct place *p, const void *data, u32 bytes)
{
	if (p->at) {
		if (bytes > p->room - p->bytes)
			return -ENOSPC;
		memcpy(p->at + p->bytes, data, bytes);
	}
	p->bytes += bytes;
	return 0;
}

static bool take(struct place *p, void *data, u32 bytes)
{
	if (bytes > p->room - p->bytes)
		return false;
	memcpy(data, p->at + p->bytes, bytes);
	p->bytes += bytes;
	return true;
}

/* -------------------------------------------------------------------- save */

static int put_group(struct place *p, const struct interp_group *g)
{
	struct group_image im = {
		.index = g->index,
		.grid = g->grid - g->grid->vq->grids,
		.cu = g->cu,
		.slot = g->slot,
		.nwaves = g->nwaves,
		.next = g->next,
	};
	struct wave_image w;
	int err;
	u32 i;

	memcpy(im.signals, g->barriers.signals, sizeof(im.signals));
	memcpy(im.complete, g->barriers.complete, sizeof(im.complete));
	err = put(p, &im, sizeof(im));
	for (i = 0; i < g->nwaves && !err; i++) {
		memset(&w, 0, sizeof(w));
		w.state = g->state[i];
		if (w.state == INTERP_WAVE_BARRIER)
			w.barrier = g->barrier[i];
		if (w.state == INTERP_WAVE_GWS) {
			w.gws_op = g->gws[i].op;
			w.gws_id = g->gws[i].id;
			w.gws_releases = g->gws[i].releases;
			w.gws_flag = g->gws[i].flag;
		}
		isa_wave_keep(g->wave[i], &w.kept);
		err = put(p, &w, sizeof(w));
	}
	return err;
}

/* The groups are held. */
static int put_queue(struct place *p, struct interp_queue *iq)
{
	struct hw_compute *vq = &iq->vq;
	struct head_image head = {};
	struct interp_group *g;
	int err;
	u32 i;

	/*
	 * Its waves would have to be launched again in a process that is not there yet; and an
	 * image says of groups that have not begun only from where on.
	 */
	if (iq->remote && !list_empty(&iq->groups))
		return -EOPNOTSUPP;
	for (i = 0; i < ARRAY_SIZE(vq->grids); i++)
		if (vq->grids[i].used && vq->grids[i].nback)
			return -EOPNOTSUPP;
	raw_spin_lock(&iq->gws_lock);
	for (i = 0; i < ISA_GWS_RESOURCES; i++) {
		head.gws[i].counter = iq->gws[i].counter;
		head.gws[i].releases = iq->gws[i].releases;
		head.gws[i].flag = iq->gws[i].flag;
	}
	raw_spin_unlock(&iq->gws_lock);
	list_for_each_entry(g, &iq->groups, queue_node)
		head.ngroups++;
	err = put(p, &head, sizeof(head));
	list_for_each_entry(g, &iq->groups, queue_node) {
		if (err)
			break;
		err = put_group(p, g);
		vkfd_race_point("checkpoint: one group of several written");
		cond_resched();
	}
	return err;
}

int interp_image(struct hw_compute *vq, void *buf, u32 room, u32 *bytes)
{
	struct interp_queue *iq = to_interp_queue(vq);
	struct place p = { .at = buf, .room = room };
	int err;

	/* A reset, or the end of the GPU, has come in between. */
	if (!interp_groups_hold(iq))
		return -EAGAIN;
	err = put_queue(&p, iq);
	interp_groups_let_go(iq);
	*bytes = p.bytes;
	return err;
}

/* -------------------------------------------------------------------- load */

static bool wave_ok(const struct wave_image *w)
{
	switch (w->state) {
	case INTERP_WAVE_RUN:
	case INTERP_WAVE_HALT:
	case INTERP_WAVE_END:
		return true;
	case INTERP_WAVE_BARRIER:
		return w->barrier < ISA_BARRIERS;
	case INTERP_WAVE_GWS:
		return w->gws_id < ISA_GWS_RESOURCES && w->gws_flag <= 1 &&
		       (w->gws_op == ISA_GWS_SEMA_P || w->gws_op == ISA_GWS_BARRIER);
	default:
		return false;
	}
}

/* @g was just launched. -EINVAL: it has no such waves, or none that has not ended. */
static int take_waves(struct place *p, struct interp_group *g, const struct group_image *im)
{
	struct wave_image w;
	u32 i, id;

	if (im->nwaves != g->nwaves || im->next > g->nwaves)
		return -EINVAL;
	for (i = 0; i < g->nwaves; i++) {
		if (!take(p, &w, sizeof(w)) || !wave_ok(&w))
			return -EINVAL;
		g->state[i] = w.state;
		g->barrier[i] = w.barrier;
		g->gws[i] = (struct interp_gws_wait){
			.op = w.gws_op,
			.id = w.gws_id,
			.releases = w.gws_releases,
			.flag = w.gws_flag,
		};
		isa_wave_take(g->wave[i], &w.kept);
		g->live -= w.state == INTERP_WAVE_END;
	}
	g->next = im->next;
	g->barriers.members = g->live;
	for (id = 0; id < ISA_BARRIERS; id++) {
		/* The last signal of a barrier would have completed it. */
		if (im->signals[id] >= g->nwaves)
			return -EINVAL;
		g->barriers.signals[id] = im->signals[id];
		g->barriers.complete[id] = im->complete[id];
	}
	return g->live ? 0 : -EINVAL;
}

/* The worker that gets the @n-th group; NULL: none of the queue's CUs belongs to any. */
static struct interp_worker *worker_for_locked(struct interp_queue *iq, u32 n)
{
	struct interp *ip = to_interp(iq->vq.vg);
	struct interp_worker *w;
	u32 i;

	for (i = 0; i < ip->nworkers; i++) {
		w = &ip->workers[(n + i) % ip->nworkers];
		if (interp_cus_of_locked(iq, w))
			return w;
	}
	return NULL;
}

static bool slot_ok_locked(struct interp_queue *iq, const struct hw_grid *grid,
			   const struct group_image *im)
{
	u32 i, n = grid->d.waves;

	if (!grid->d.scratch_lane_bytes)
		return im->slot == -1;
	if (im->slot < 0 || !interp_scratch_fits(iq, &grid->d, im->cu, im->slot))
		return false;
	for (i = 0; i < n; i++)
		if (test_bit(im->slot + i, iq->scratch))
			return false;
	return true;
}

/* From here on the group is the worker's, which drops it if the queue ends. */
static int give_group(struct interp_queue *iq, struct interp_group *g, u32 n)
{
	struct hw_grid *grid = g->grid;
	struct hw *vg = iq->vq.vg;
	struct interp_worker *w;
	int err = 0;
	u32 i;

	spin_lock(&vg->lock);
	w = worker_for_locked(iq, n);
	if (!w || hw_queue_stopped(&iq->vq.hq)) {
		err = -EINVAL;
		goto out_unlock;
	}
	if (g->slot >= 0)
		bitmap_set(iq->scratch, g->slot, grid->d.waves);
	grid->resident++;
	list_add_tail(&g->queue_node, &iq->groups);
	iq->block_bytes += g->bytes;
	g->counted = grid->d.waves;
	for (i = 0; i < g->nwaves; i++)
		isa_wave_move(g->wave[i], w->cu);
	interp_share_add_locked(w, g);
	list_add_tail(&g->node, &w->inbox);
out_unlock:
	spin_unlock(&vg->lock);
	return err;
}

/* Has another group of the image this index already? They are few, or the image is long. */
static bool index_taken(const struct interp_queue *iq, const struct hw_grid *grid, u64 index)
{
	const struct interp_group *g;

	list_for_each_entry(g, &iq->groups, queue_node)
		if (g->grid == grid && g->index == index)
			return true;
	return false;
}

static int take_group(struct place *p, struct interp_queue *iq, u32 n)
{
	struct hw *vg = iq->vq.vg;
	struct interp *ip = to_interp(vg);
	struct group_image im;
	struct interp_group *g;
	struct hw_grid *grid;
	bool ok;
	int err;

	if (!take(p, &im, sizeof(im)) || im.grid >= ARRAY_SIZE(iq->vq.grids) || im.cu >= vg->ncus)
		return -EINVAL;
	grid = &iq->vq.grids[im.grid];
	spin_lock(&vg->lock);
	ok = grid->used && !grid->aborted && im.index < grid->started &&
	     slot_ok_locked(iq, grid, &im) && !index_taken(iq, grid, im.index);
	spin_unlock(&vg->lock);
	if (!ok)
		return -EINVAL;
	g = interp_block_for(ip, iq, grid);
	if (IS_ERR(g))
		return PTR_ERR(g);
	g->grid = grid;
	g->owner = iq->vq.owner;
	g->index = im.index;
	g->cu = im.cu;
	g->slot = im.slot;
	interp_group_relaunch(&ip->workers[0], g);
	err = take_waves(p, g, &im);
	if (!err)
		err = give_group(iq, g, n);
	if (err)
		interp_block_drop(ip, g);
	return err;
}

/* The groups are held, which are none yet. */
static int take_queue(struct place *p, struct interp_queue *iq)
{
	struct head_image head;
	int err = 0;
	u32 i;

	if (!take(p, &head, sizeof(head)) ||
	    head.ngroups > (p->room - sizeof(head)) / sizeof(struct group_image))
		return -EINVAL;
	if (iq->remote && head.ngroups)
		return -EOPNOTSUPP;
	raw_spin_lock(&iq->gws_lock);
	for (i = 0; i < ISA_GWS_RESOURCES; i++) {
		iq->gws[i].counter = head.gws[i].counter;
		iq->gws[i].releases = head.gws[i].releases;
		iq->gws[i].flag = head.gws[i].flag & 1;
	}
	raw_spin_unlock(&iq->gws_lock);
	for (i = 0; i < head.ngroups && !err; i++) {
		err = fatal_signal_pending(current) ? -EINTR : take_group(p, iq, i);
		cond_resched();
	}
	if (!err && p->bytes != p->room)
		err = -EINVAL;
	/* Their registers are in the save area, or nowhere. */
	if (!err && head.ngroups && !interp_measure(iq))
		err = -EINVAL;
	return err;
}

int interp_adopt(struct hw_compute *vq, const void *buf, u32 bytes)
{
	struct interp_queue *iq = to_interp_queue(vq);
	struct place p = { .at = (void *)buf, .room = bytes };
	int err;

	if (!interp_groups_hold(iq))
		return -EINVAL;
	err = take_queue(&p, iq);
	interp_groups_let_go(iq);
	return err;
}
