// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sections of engine processes: a work-group goes out into memory that a thread of the process
 * sees, and comes back. What comes back is copied, then judged. See remote.c.
 */
#include <linux/ktime.h>
#include <linux/nospec.h>
#include <linux/sched.h>

#include "remote_int.h"

static void *section_at(const struct remote_worker *rw, size_t at)
{
	return (u8 *)rw->section + at;
}

static struct isa_carried *carried_at(const struct remote_worker *rw, u32 i)
{
	return (struct isa_carried *)((struct vkfd_engine_section *)rw->section + 1) + i;
}

/* Waves that the program gets: others are halted, or wait for another group. */
static bool goes_out(const struct interp_group *g, u32 i)
{
	return g->state[i] == INTERP_WAVE_RUN || g->state[i] == INTERP_WAVE_BARRIER;
}

/* All waves of a grid have as many rows; no group has more than interp_rows_max(). */
static size_t rows_at(const struct interp_group *g, u32 i)
{
	return ROWS_AT + (size_t)i * isa_wave_rows_bytes(g->wave[0]);
}

/* Releases what need not wait any more; true if a wave can run. */
static bool can_run(struct interp_group *g)
{
	bool any = false;
	u32 i;

	for (i = 0; i < g->nwaves; i++)
		any |= interp_wave_ready(g, i);
	return any;
}

static void barriers_out(const struct interp_group *g, struct vkfd_engine_section *s)
{
	BUILD_BUG_ON(sizeof(s->signals) != sizeof(g->barriers.signals));
	BUILD_BUG_ON(sizeof(s->complete) != sizeof(g->barriers.complete));
	memcpy(s->signals, g->barriers.signals, sizeof(s->signals));
	memcpy(s->complete, g->barriers.complete, sizeof(s->complete));
}

/* The last signal of a barrier completes it, so there are never as many as waves that live. */
static bool barriers_back(struct interp_group *g, const struct vkfd_engine_section *s)
{
	u32 i;

	isa_barriers_init(&g->barriers, g->live);
	for (i = 0; i < ISA_BARRIERS; i++) {
		if (s->signals[i] && s->signals[i] >= g->live)
			return false;
		g->barriers.signals[i] = s->signals[i];
		g->barriers.complete[i] = s->complete[i];
	}
	for (i = 0; i < g->nwaves; i++) {
		if (g->state[i] != INTERP_WAVE_BARRIER)
			continue;
		if (s->barrier[i] >= ISA_BARRIERS)
			return false;
		g->barrier[i] = array_index_nospec(s->barrier[i], ISA_BARRIERS);
	}
	return true;
}

bool interp_send_out(struct interp_remote *r, struct remote_worker *rw)
{
	struct interp_worker *w = &rw->w;
	struct interp_group *g = w->turn.g;
	struct vkfd_engine_section *s = rw->section;
	u32 i;

	g->asleep = !can_run(g);
	if (g->asleep)
		return false;
	memset(s, 0, sizeof(*s));
	s->budget = w->budget;
	s->lds_at = r->lds_at;
	s->lds_bytes = g->wg.lds_bytes;
	s->nwaves = g->nwaves;
	s->next = g->next;
	s->gen = READ_ONCE(r->vm->gen);
	s->code_seq = g->grid->seq;
	s->code_epoch = atomic_read(&w->ip->code_epoch);
	for (i = 0; i < g->of.waves; i++)
		s->rows_at[i] = rows_at(g, i);
	interp_send_ahead(r, rw, s);
	s->here = !rw->fresh;
	for (i = 0; i < g->nwaves; i++) {
		if (g->state[i] == INTERP_WAVE_END)
			s->state[i] = VKFD_ENGINE_ENDED;
		if (g->state[i] == INTERP_WAVE_HALT || g->state[i] == INTERP_WAVE_GWS)
			s->state[i] = VKFD_ENGINE_AWAY;
		if (g->state[i] == INTERP_WAVE_BARRIER) {
			s->state[i] = VKFD_ENGINE_BARRIER;
			s->barrier[i] = g->barrier[i];
		}
		if (rw->fresh)
			s->state[i] = VKFD_ENGINE_ENDED;
		if (rw->fresh || !goes_out(g, i))
			continue;
		isa_wave_carry(g->wave[i], carried_at(rw, i));
		memcpy(section_at(rw, rows_at(g, i)), isa_wave_rows(g->wave[i]),
		       isa_wave_rows_bytes(g->wave[i]));
	}
	barriers_out(g, s);
	if (!rw->fresh)
		memcpy(section_at(rw, r->lds_at), g->wg.lds, g->wg.lds_bytes);
	WRITE_ONCE(rw->out_ns, ktime_get_ns());
	WRITE_ONCE(rw->out_cpu_ns, READ_ONCE(current->se.sum_exec_runtime));
	rw->uncounted = true;
	current->flags |= PF_NOFREEZE;
	WRITE_ONCE(rw->out, true);
	return true;
}

void interp_send_none(struct remote_worker *rw)
{
	memset(rw->section, 0, sizeof(struct vkfd_engine_section));
	rw->uncounted = false;
	WRITE_ONCE(rw->out_cpu_ns, READ_ONCE(current->se.sum_exec_runtime));
	WRITE_ONCE(rw->counting, true);
}

static bool wave_back(struct remote_worker *rw, struct interp_group *g, u32 i, u8 state)
{
	struct isa_carried c;

	memcpy(&c, carried_at(rw, i), sizeof(c));
	isa_wave_carried(g->wave[i], &c);
	memcpy(isa_wave_rows(g->wave[i]), section_at(rw, rows_at(g, i)),
	       isa_wave_rows_bytes(g->wave[i]));
	switch (state) {
	case VKFD_ENGINE_RUNS:
		g->state[i] = INTERP_WAVE_RUN;
		return true;
	case VKFD_ENGINE_BARRIER:
		g->state[i] = INTERP_WAVE_BARRIER;
		return true;
	case VKFD_ENGINE_ENDED:
		g->state[i] = INTERP_WAVE_END;
		return true;
	default:
		return false;
	}
}

static bool waves_back(struct interp_remote *r, struct remote_worker *rw,
		       const struct vkfd_engine_section *s)
{
	struct interp_group *g = rw->w.turn.g;
	bool sane = true;
	u32 i;

	for (i = 0; i < g->nwaves && sane; i++)
		if (goes_out(g, i))
			sane = wave_back(rw, g, i, s->state[i]);
	memcpy(g->wg.lds, section_at(rw, r->lds_at), g->wg.lds_bytes);
	g->live = 0;
	for (i = 0; i < g->nwaves; i++)
		g->live += g->state[i] != INTERP_WAVE_END;
	return barriers_back(g, s) && sane;
}

/* A stop that hw/ may be asked about. */
static bool stop_back(struct interp_group *g, const struct vkfd_engine_section *s,
		      struct isa_exit *ex)
{
	if (s->next >= g->nwaves || g->state[g->next] != INTERP_WAVE_RUN ||
	    s->why < ISA_STOP_MISS || s->why > ISA_STOP_EXCP)
		return false;
	if (s->why == ISA_STOP_MISS && (!s->access || s->access & ~(ISA_R | ISA_W | ISA_X)))
		return false;
	*ex = (struct isa_exit){
		.why = s->why, .info = s->info, .va = s->va, .len = s->len, .access = s->access,
	};
	if (s->op && s->op <= isa_op_count())
		ex->name = isa_op_name(array_index_nospec(s->op - 1, isa_op_count()));
	return true;
}

/* engine_jit=check has found something; nobody's results are to depend on it. */
static void tell_difference(struct interp_remote *r, const struct vkfd_engine_section *s)
{
	const char *name = "?";

	if (s->op && s->op <= isa_op_count())
		name = isa_op_name(array_index_nospec(s->op - 1, isa_op_count()));
	pr_warn_ratelimited("gpu %u: compiled %s at 0x%llx differs from the interpreter's\n",
			    r->ip->vg->gdev->gpu_id, name, s->va);
	user_proc_kill(r->up, "its compiled code is wrong");
}

bool interp_come_back(struct interp_remote *r, struct remote_worker *rw,
		      enum interp_section_end *how, struct isa_exit *ex)
{
	struct interp_worker *w = &rw->w;
	struct interp_group *g = w->turn.g;
	struct vkfd_engine_section s;

	memcpy(&s, rw->section, sizeof(s));
	barrier();	/* from here on, only the copy */
	WRITE_ONCE(rw->out, false);
	s.insns = min_t(u32, s.insns, 2 * w->budget);
	w->n.insns += s.insns;
	w->n.compiled += min(s.compiled, s.insns);
	w->turn.insns += s.insns;
	hw_capture_insns(g->grid->vq, s.insns);
	interp_adapt_budget(w, min(s.cost, 2 * w->budget), ktime_get_ns() - rw->out_ns);
	if (s.how == VKFD_ENGINE_DIFFERS)
		tell_difference(r, &s);
	if (!interp_groups_back(rw, &s) || s.how > VKFD_ENGINE_STOP)
		return false;
	if (s.here ? !waves_back(r, rw, &s) : s.how == VKFD_ENGINE_STOP)
		return false;
	g->next = s.next < g->nwaves ? array_index_nospec(s.next, g->nwaves) : 0;
	*how = s.how == VKFD_ENGINE_STUCK ? INTERP_SECTION_STUCK : INTERP_SECTION_BUDGET;
	if (s.how == VKFD_ENGINE_STOP) {
		*how = INTERP_SECTION_STOP;
		return stop_back(g, &s, ex);
	}
	if (!g->live) {
		rw->fresh = interp_group_next(w, g);
		*how = rw->fresh ? INTERP_SECTION_BUDGET : INTERP_SECTION_DONE;
	}
	return true;
}

void interp_torn_back(struct remote_worker *rw)
{
	const struct vkfd_engine_section *s = rw->section;
	struct hw_compute *vq = rw->w.turn.g->grid->vq;

	if (READ_ONCE(s->torn) && !hw_queue_stopped(&vq->hq))
		hw_memory_failed(vq->hq.q, -EIO, NULL);
}
