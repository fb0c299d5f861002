// SPDX-License-Identifier: GPL-2.0-only
/*
 * A work-group stays with the worker that admitted it, and workers admit whatever they find. So
 * one worker may have waves of many queues and another of few, by chance or because queues of
 * the other have ended. Waves that never end make this permanent. Then the queues of the first
 * worker get only a fraction of the time that those of the second get.
 *
 * A worker with more load than another gives work-groups away, one now and then, as long as
 * that makes their loads more equal. It puts them into the other's inbox; no worker touches
 * another one's lists. A group can move because its waves are entirely in its block, except
 * the engine's caches, which belong to the worker.
 */
#include <linux/ktime.h>

#include "interp.h"

#define BALANCE_NS	(10 * NSEC_PER_MSEC)
#define BALANCE_LOOKS	16	/* candidates to look at */

/* By how much the load of @w exceeds that of @v, in weights of queues */
static u32 excess_locked(const struct interp_worker *w, const struct interp_worker *v)
{
	u32 load = v->idle ? 0 : v->load;

	lockdep_assert_held(&w->vg->lock);
	return w->load > load ? w->load - load : 0;
}

static struct interp_worker *least_locked(struct interp_worker *w)
{
	struct interp_worker *v = NULL;
	u32 most = 1, more;
	unsigned int i;

	for (i = 0; i < w->ip->nworkers; i++) {
		more = excess_locked(w, &w->ip->workers[i]);
		if (more <= most)
			continue;
		most = more;
		v = &w->ip->workers[i];
	}
	return v;
}

/* The home block must stay. If the queue has groups on both workers, moving gains nothing. */
static bool may_go_locked(const struct interp_group *g, const struct interp_worker *w,
			  const struct interp_worker *v)
{
	const struct interp_queue *iq = interp_queue_of(g);

	return !g->home && !g->grid->aborted && !iq->moving && hw_queue_running(&iq->vq.hq) &&
	       iq->on_worker[w->index].groups == 1 && !iq->on_worker[v->index].groups &&
	       interp_cus_of_locked(iq, v) && excess_locked(w, v) >= 2 * iq->vq.weight;
}

/*
 * The least time that a queue with groups here has had, if that runs or waits for a slot. That of
 * the queue which ran last may be far above: if few queues have slots, it is only their least.
 */
static u64 least_vtime_locked(const struct interp_worker *w)
{
	const struct interp_share *s;
	const struct interp_queue *iq;
	u64 least = READ_ONCE(w->vtime);

	lockdep_assert_held(&w->vg->lock);
	list_for_each_entry(s, &w->shares, node) {
		iq = container_of(s - w->index, struct interp_queue, on_worker[0]);
		if (hw_queue_competes(&iq->vq.hq))
			least = min(least, READ_ONCE(s->vtime));
	}
	return least;
}

void interp_share_add_locked(struct interp_worker *w, struct interp_group *g)
{
	struct interp_queue *iq = interp_queue_of(g);
	struct interp_share *s = &iq->on_worker[w->index];

	lockdep_assert_held(&w->vg->lock);
	s->waves += g->counted;
	if (s->groups++)
		return;
	/* A queue that had nothing to run does not save up time. */
	s->vtime = max(s->vtime, least_vtime_locked(w));
	s->progress_ns = ktime_get_ns();
	s->target = max(1u, s->target);
	s->load = iq->vq.weight;
	w->load += s->load;
	list_add_tail(&s->node, &w->shares);
}

void interp_share_del_locked(struct interp_worker *w, struct interp_group *g)
{
	struct interp_share *s = &interp_queue_of(g)->on_worker[w->index];

	lockdep_assert_held(&w->vg->lock);
	s->waves -= g->counted;
	if (--s->groups)
		return;
	w->load -= s->load;
	list_del(&s->node);
}

void interp_group_stays(struct interp_worker *w, struct interp_group *g)
{
	list_add(&g->node, &w->resident);
	list_add(&g->turn_node, &interp_queue_of(g)->on_worker[w->index].awake);
	w->nresident++;
}

static bool give_locked(struct interp_worker *w, struct interp_worker *v)
{
	struct interp_group *g;
	unsigned int n = 0;
	u32 i;

	list_for_each_entry(g, &w->resident, node) {
		if (n++ == BALANCE_LOOKS)
			break;
		if (!may_go_locked(g, w, v))
			continue;
		interp_share_del_locked(w, g);
		interp_share_add_locked(v, g);
		for (i = 0; i < g->nwaves; i++)
			isa_wave_move(g->wave[i], v->cu);
		list_del(&g->node);
		list_del_init(&g->turn_node);
		list_add_tail(&g->node, &v->inbox);
		w->nresident--;
		return true;
	}
	return false;
}

void interp_balance(struct interp_worker *w)
{
	u64 now = ktime_get_ns();
	struct interp_worker *v;
	bool given = false;

	if (w->nresident < 2 || now - w->balanced_ns < BALANCE_NS)
		return;
	w->balanced_ns = now;
	spin_lock(&w->vg->lock);
	v = least_locked(w);
	if (v)
		given = give_locked(w, v);
	spin_unlock(&w->vg->lock);
	if (given)
		interp_work_kick(w->ip, w->ip->nworkers);
}

void interp_take_given(struct interp_worker *w)
{
	struct interp_group *g, *tmp;
	LIST_HEAD(given);

	if (list_empty(&w->inbox))
		return;
	spin_lock(&w->vg->lock);
	list_splice_init(&w->inbox, &given);
	spin_unlock(&w->vg->lock);
	list_for_each_entry_safe(g, tmp, &given, node) {
		list_del(&g->node);
		interp_group_stays(w, g);
	}
}
