// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups that go out before they begin. A call of the kernel for each group would cost more than
 * most groups do, so a thread of an engine process claims as many as its section has time for, and
 * begins them itself (isa/grid.c). For the rest of the module they are groups that have started;
 * when the section is over, the claim is, too: those that have not begun go back to their grid. So
 * at most one group of a thread has waves between sections, as ever.
 *
 * What the process says of this is how many it has begun, and whether the last one has ended. It
 * cannot say more than it was given; that it says less, or did not do what it says, costs its own
 * client. Only whole groups are claimed: how many waves they have, nobody has to tell.
 */
#include <linux/math64.h>
#include <linux/nospec.h>

#include "remote_int.h"

#define AHEAD_MAX	8192u

/* All CUs that groups of the queue may go to, in the order in which they do: hw_cu_pick_locked() */
static void list_cus_locked(struct remote_worker *rw, const struct hw_compute *vq)
{
	const struct hw *vg = vq->vg;
	unsigned int cu;

	rw->ncus = 0;
	for (cu = 0; cu < vg->ncus; cu++)
		if (!vq->cu_masked || test_bit(cu, vq->cu_mask))
			rw->cu[rw->ncus++] = cu;
}

static unsigned int cu_of(const struct remote_worker *rw, u64 index)
{
	return rw->cu[array_index_nospec(do_div(index, rw->ncus), HW_MAX_CUS)];
}

/*
 * How many groups at most, by what such groups have cost. None if that is not known, or if a group
 * has waves that do not go out, and will not end there.
 */
static u64 most_ahead(const struct remote_worker *rw, const struct interp_group *g)
{
	const u64 per_section = rw->cost ? 2ull * rw->w.budget / rw->cost : 0;
	u32 i;

	if (rw->cost_pc != g->of.pc || per_section < 2 || !interp_scratch_stays(g))
		return 0;
	for (i = 0; i < g->nwaves; i++)
		if (g->state[i] == INTERP_WAVE_HALT || g->state[i] == INTERP_WAVE_GWS)
			return 0;
	return min_t(u64, per_section, AHEAD_MAX);
}

static void claim(struct interp_remote *r, struct remote_worker *rw)
{
	struct interp_group *g = rw->w.turn.g;
	struct hw_grid *grid = g->grid;
	struct hw_compute *vq = grid->vq;
	u64 most = most_ahead(rw, g);

	rw->ahead = 0;
	if (!rw->fresh && !most)
		return;
	spin_lock(&vq->vg->lock);
	list_cus_locked(rw, vq);
	/* The others are to have something to do, too. */
	most = min(most, div_u64(hw_grid_left_locked(grid), r->nworkers));
	if (!rw->ncus || grid->aborted || !hw_queue_running(&vq->hq) ||
	    !interp_cus_of_locked(to_interp_queue(vq), &rw->w))
		most = 0;
	if (most)
		rw->ahead = hw_grid_claim_locked(grid, most, isa_grid_whole_groups(&g->of),
						 &rw->first);
	rw->claimed = rw->ahead;
	spin_unlock(&vq->vg->lock);
	/* The mask of CUs has changed since. */
	if (rw->fresh && (!rw->ncus || cu_of(rw, g->index) != g->cu))
		rw->fresh = false;
}

/* @begun: of those that were claimed */
static void end_claim(struct remote_worker *rw, u32 begun, u32 finished)
{
	struct hw_grid *grid = rw->w.turn.g->grid;
	struct interp *ip = rw->w.ip;
	bool wake = false;

	if (!rw->claimed && !finished)
		return;
	spin_lock(&ip->vg->lock);
	grid->finished += finished;
	if (rw->claimed)
		wake = hw_grid_unclaim_locked(grid, rw->first + begun, rw->ahead - begun);
	rw->claimed = false;
	spin_unlock(&ip->vg->lock);
	if (wake)
		interp_work_kick(ip, ip->nworkers);
}

void interp_forget_claim(struct remote_worker *rw)
{
	end_claim(rw, 0, 0);
	rw->fresh = false;
}

void interp_send_ahead(struct interp_remote *r, struct remote_worker *rw,
		       struct vkfd_engine_section *s)
{
	const struct interp_group *g = rw->w.turn.g;
	const struct hw *vg = rw->w.vg;
	struct isa_cu_id *cus = rw->section + CUS_AT;
	struct isa_group_place *place = rw->section + PLACE_AT;
	u32 i;

	claim(r, rw);
	if (!rw->fresh && !rw->ahead)
		return;
	s->grid_at = GRID_AT;
	s->place_at = PLACE_AT;
	s->cus_at = CUS_AT;
	s->ncus = rw->ncus;
	s->index = g->index;
	s->fresh = rw->fresh;
	s->first = rw->first;
	s->ahead = rw->ahead;
	memcpy(rw->section + GRID_AT, &g->of, sizeof(g->of));
	interp_group_place(&rw->w, g, place);
	for (i = 0; i < rw->ncus; i++) {
		const struct hw_cu_id *cu = &vg->cus[rw->cu[i]];

		cus[i] = (struct isa_cu_id){
			.xcc = cu->xcc, .se = cu->se, .sh = cu->sh, .cu = cu->cu,
		};
	}
}

/* What a group costs: as many were in the section as have ended there, and it is not over. */
static void note_cost(struct remote_worker *rw, u32 ended, u32 cost)
{
	rw->cost_pc = rw->w.turn.g->of.pc;
	rw->cost = max(1u, ended ? cost / ended : 2 * rw->w.budget);
}

bool interp_groups_back(struct remote_worker *rw, const struct vkfd_engine_section *s)
{
	struct interp_group *g = rw->w.turn.g;
	const bool fresh = rw->fresh, here = s->here;
	const bool sane = s->begun <= rw->ahead + fresh;
	const u32 begun = sane ? s->begun : 0, ours = fresh && begun;
	const u32 had = begun + !fresh;
	u32 i;

	note_cost(rw, had - (here && had), min(s->cost, 2 * rw->w.budget));
	/* One has not been counted yet: that which is here, or was the last one to be. */
	end_claim(rw, begun - ours, had ? had - 1 : 0);
	rw->fresh = !had;
	if (!sane || !had)
		return sane && !here;
	if (begun > ours) {
		g->index = rw->first + begun - ours - 1;
		g->cu = cu_of(rw, g->index);
		interp_group_begun(&rw->w, g, begun - ours);
	}
	if (here)
		return true;
	for (i = 0; i < g->nwaves; i++) {
		if (g->state[i] == INTERP_WAVE_HALT || g->state[i] == INTERP_WAVE_GWS)
			return false;
		g->state[i] = INTERP_WAVE_END;
	}
	g->live = 0;
	return true;
}
