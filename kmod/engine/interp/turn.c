// SPDX-License-Identifier: GPL-2.0-only
/*
 * Turns: which group a worker runs next, for how long, and what is done for a wave that has
 * stopped. Who runs the sections of a turn is the caller's matter: a worker does (cu.c), or the
 * process that it is a thread of (remote.c).
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/ktime.h>

#include "interp.h"

#define LAZY_TURNS	8	/* turns without progress before the worker naps */
#define ASLEEP_LOOKS	16	/* waiting groups to look at in a turn */
#define MAX_GROUPS	4096u	/* resident groups of a queue on a worker */
#define MAX_WEIGHT	16
#define TURN_SECTIONS	64	/* most sections in a turn, however short */

/* Returns false if the page has to be waited for; the wave is run again later. */
static bool serve_miss(struct interp_worker *w, struct hw_compute *vq,
		       const struct isa_exit *ex)
{
	int err;

	w->n.misses++;
	err = hw_wave_missed(vq, ex->va, ex->access);
	if (err == -EAGAIN)
		return false;
	w->n.faults += err != 0;
	return true;
}

static void serve_gws(struct interp_group *g, const struct isa_exit *ex)
{
	struct isa_exit denied = { .why = ISA_STOP_MEMVIOL, .info = ex->info };

	if (!interp_gws_run(interp_queue_of(g), g, g->next, ex))
		interp_wave_exception(g->grid->vq, g->wave[g->next], &denied);
}

/* Serves the stopped wave's request outside of the section; false if it has to wait. */
static bool serve_stop(struct interp_worker *w, struct interp_group *g,
		       const struct isa_exit *ex)
{
	struct hw_compute *vq = g->grid->vq;
	struct isa_wave *wave = g->wave[g->next];

	switch (ex->why) {
	case ISA_STOP_MISS:
		return serve_miss(w, vq, ex);
	case ISA_STOP_MSG:
		w->n.messages++;
		interp_wave_message(vq, wave, ex->info);
		break;
	case ISA_STOP_GWS:
		serve_gws(g, ex);
		break;
	case ISA_STOP_HALT:
		g->state[g->next] = INTERP_WAVE_HALT;
		break;
	default:
		interp_wave_exception(vq, wave, ex);
		break;
	}
	return true;
}

static bool turn_over(const struct interp_worker *w, const struct interp_group *g)
{
	const struct hw_compute *vq = g->grid->vq;

	return READ_ONCE(g->grid->aborted) || !hw_queue_running(&vq->hq) ||
	       (!w->remote && kthread_should_stop());
}

bool interp_turn_goes_on(const struct interp_worker *w)
{
	const struct interp_turn *t = &w->turn;

	if (t->sections && ktime_get_ns() >= t->end)
		return false;
	return t->sections < TURN_SECTIONS && !turn_over(w, t->g);
}

bool interp_turn_section(struct interp_worker *w, enum interp_section_end how,
			 const struct isa_exit *ex)
{
	struct interp_turn *t = &w->turn;

	t->sections++;
	if (how == INTERP_SECTION_STOP && !serve_stop(w, t->g, ex)) {
		how = INTERP_SECTION_STUCK;
		t->insns++;	/* waiting for a page is not a hang */
	}
	t->how = how;
	return how == INTERP_SECTION_STOP || how == INTERP_SECTION_BUDGET;
}

/* The first awake group of the queue that has had the least time on this worker. */
static struct interp_group *awake_locked(struct interp_worker *w, u64 *least)
{
	struct interp_group *g, *found = NULL;
	struct interp_share *s;

	list_for_each_entry(s, &w->shares, node) {
		g = list_first_entry_or_null(&s->awake, struct interp_group, turn_node);
		if (!g || s->vtime >= *least || !hw_queue_running(&g->grid->vq->hq))
			continue;
		*least = s->vtime;
		found = g;
	}
	return found;
}

/*
 * A sleeping group that could go on, of a queue that has had less time than @least. Looks at a few
 * groups only, as most of them wait for the same thing. *@stays returns one that cannot go on.
 */
static struct interp_group *waking_locked(struct interp_worker *w, u64 least,
					  struct interp_group **stays)
{
	struct interp_group *g;
	unsigned int n;

	for (n = 0; n < ASLEEP_LOOKS && n < w->nresident && !list_empty(&w->asleep); n++) {
		g = list_first_entry(&w->asleep, struct interp_group, node);
		list_move_tail(&g->node, &w->asleep);
		if (interp_queue_of(g)->on_worker[w->index].vtime >= least ||
		    !hw_queue_running(&g->grid->vq->hq))
			continue;
		if (!g->asleep || interp_gws_wakes(g))
			return g;
		*stays = g;
	}
	return NULL;
}

/*
 * Enters the queue that has had the least time on this worker, and returns its next resident
 * group, which moves to the end of the line. Groups whose waves all wait for other groups come
 * last: if a thousand groups wait for a semaphore, the one that holds it must not wait for its
 * turn among them.
 */
static struct interp_group *next_group(struct interp_worker *w)
{
	struct interp_group *found, *asleep = NULL;
	u64 least = U64_MAX;

	spin_lock(&w->vg->lock);
	found = awake_locked(w, &least);
	found = waking_locked(w, least, &asleep) ?: found ?: asleep;
	w->idle = !found;
	if (found) {
		hw_queue_hold_locked(&found->grid->vq->hq);
		w->vtime = max(w->vtime, interp_queue_of(found)->on_worker[w->index].vtime);
	}
	spin_unlock(&w->vg->lock);
	if (!found)
		return NULL;
	list_move_tail(&found->node, &w->resident);
	list_move_tail(&found->turn_node, &interp_queue_of(found)->on_worker[w->index].awake);
	return found;
}

/*
 * Groups that do not end may be waiting for groups that have not started, so admit more of them.
 * Also naps when no wave makes progress, so that spinning waves do not use up the host's CPUs.
 */
static void look_for_spinning(struct interp_worker *w, struct interp_share *s, bool moved,
			      unsigned int turns)
{
	u64 now = ktime_get_ns(), grow_ns = w->ip->grow_ns;

	if (now - s->progress_ns > grow_ns && now - s->grow_ns > grow_ns &&
	    s->groups >= s->target) {
		s->target = min(s->target * 2, MAX_GROUPS);
		s->grow_ns = now;
	}
	if (moved) {
		w->lazy = 0;
	} else if (++w->lazy > turns) {
		s->target = min(s->target * 2, MAX_GROUPS);
		w->lazy = 0;
		usleep_range(20, 60);
	}
}

/*
 * Charges a queue for its turn. If a turn took much longer than allowed, the queue is not to
 * blame: something else had the CPU, maybe the host of this guest. If the queue were charged for
 * that, it would get nothing until all other queues have had as much.
 */
static void charge(struct interp_worker *w, struct hw_compute *vq, u64 ns)
{
	ns = min(ns, 2 * w->vg->turn_ns);
	to_interp_queue(vq)->on_worker[w->index].vtime +=
		div_u64(ns * MAX_WEIGHT, READ_ONCE(vq->weight)) + 1;
}

bool interp_turn_begin(struct interp_worker *w)
{
	struct interp_turn *t = &w->turn;
	struct interp_group *g = next_group(w);

	if (!g)
		return false;
	t->g = g;
	t->start = ktime_get_ns();
	t->end = t->start + div_u64(w->vg->turn_ns, w->nresident);
	t->insns = 0;
	t->groups = w->n.groups;
	t->sections = 0;
	t->how = INTERP_SECTION_BUDGET;
	return true;
}

/* The last section has ended; true if any wave made progress. */
static bool turn_through(struct interp_worker *w, struct interp_turn *t)
{
	struct interp_group *g = t->g;
	struct interp_share *s = &interp_queue_of(g)->on_worker[w->index];
	u64 groups = w->n.groups - t->groups;

	if (t->sections)
		hw_hang_turn(g->grid->vq, t->insns + (t->how == INTERP_SECTION_DONE));
	if (t->how == INTERP_SECTION_DONE && !READ_ONCE(g->grid->aborted)) {
		interp_group_retire(w, g, true);
		groups++;
	}
	if (groups) {
		s->progress_ns = ktime_get_ns();
		s->target = max(1u, s->target / 2);
	}
	return t->how != INTERP_SECTION_STUCK;
}

void interp_turn_end(struct interp_worker *w)
{
	struct interp_turn *t = &w->turn;
	struct interp_group *g = t->g;
	struct hw_compute *vq = g->grid->vq;
	bool moved = turn_through(w, t);

	charge(w, vq, ktime_get_ns() - t->start);
	if (!moved && g->asleep) {
		list_move_tail(&g->node, &w->asleep);
		list_del_init(&g->turn_node);
	}
	if (w->nresident)
		look_for_spinning(w, &to_interp_queue(vq)->on_worker[w->index], moved,
				  LAZY_TURNS * (!moved && g->asleep ? 1 : w->nresident));
	t->g = NULL;
	hw_compute_leave(vq);
}
