// SPDX-License-Identifier: MIT
/*
 * Work-groups: their waves by turns, as who runs them one by one would do it, but a turn of several
 * waves that begin it at the same place is one call of compiled code (jit_turns.c).
 */
#include "jit_int.h"

#define TURN_COST	4u	/* of a wave's turn, in instructions */

/* The next wave that can run; g->waves if there is none. */
static u32 next_wave(struct jit_group *g)
{
	const u32 go = g->waits & g->barriers->complete[ISA_BARRIER_GROUP];
	u32 above;

	/* As isa_barrier_wait() says, of all at once */
	g->barriers->complete[ISA_BARRIER_GROUP] &= ~go;
	g->waits &= ~go;
	g->runs |= go;
	above = g->next < g->waves ? g->runs >> g->next << g->next : 0;
	return above ? (u32)__builtin_ctz(above) :
	       g->runs ? (u32)__builtin_ctz(g->runs) : g->waves;
}

/* The code where @w is, or NULL. The waves of a group mostly go the same way. */
static __always_inline struct jit_unit *unit_of(struct jit *j, struct isa_wave *w, u32 max)
{
	struct jit_unit *u = j->last;

	if (!u || !jit_is_for(&u->key, w, max) || u->epoch != w->cu->icache_epoch)
		u = jit_next_unit(j, w, max);
	if (!u && jit_is_compilable(j, w))
		u = jit_unit_of(j, w, max);
	return u && jit_has_code(j, u, w) ? u : NULL;
}

static u32 find_similar(const struct jit_group *g)
{
	const u32 all = g->runs | g->waits, first = all ? (u32)__builtin_ctz(all) : 0;
	const struct isa_wave *w = g->wave[first];
	u32 similar = 0, i;

	for (i = first; i < g->waves; i++) {
		const struct isa_wave *x = g->wave[i];

		if (all & BIT(i) && x->rows == w->rows && x->acc_row == w->acc_row &&
		    x->lanes == w->lanes && x->record == w->record && x->cu == w->cu &&
		    !((x->status ^ w->status) & ISA_STATUS_HALT))
			similar |= BIT(i);
	}
	return similar;
}

/* How many waves from g->next on can begin the code where that one is */
static u32 same_place(const struct jit_group *g, u32 similar)
{
	const struct isa_wave *w = g->wave[g->next], *x;
	u32 n, ready = (g->runs & similar) >> g->next;

	if (!(ready & 1))
		return 1;
	for (n = 1; ready & BIT(n); n++) {
		x = g->wave[g->next + n];
		if (x->pc != w->pc || (x->mode ^ w->mode) | (x->full ^ w->full))
			break;
	}
	return n;
}

/* What is done in @f is done in the group; the next wave is the one that has not had its turn. */
static u32 had_turns(struct jit_group *g, struct jit_frame *f)
{
	const u32 n = (u32)f->turn, they = (u32)((BIT(n) - 1) << g->next);
	const u64 ended = f->ended;
	u32 k;

	f->turn = 0;
	f->ended = 0;
	g->runs &= ~they;
	g->waits |= they & ~(u32)(ended << g->next);
	g->next += n;
	if (!ended && n) {
		/* isa_barrier_stop() of all at once. Compiled code has s_barrier alone. */
		g->barriers->signals[ISA_BARRIER_GROUP] += n;
		isa_barrier_check(g->barriers, ISA_BARRIER_GROUP);
		return n;
	}
	for (k = 0; k < n; k++)
		if (ended & BIT(k))
			isa_barriers_wave_ends(g->barriers);
		else
			isa_barrier_stop(g->barriers, ISA_BARRIER_GROUP);
	return n;
}

/*
 * From g->next on @n waves through @u's code; if one stops as is said in @stop, g->next is that one.
 * false: none has done anything
 */
static bool enter(struct jit *j, const struct jit_unit *u, struct jit_group *g, u32 n,
		  struct jit_turns *t, struct isa_exit *ex, enum isa_stop *stop)
{
	struct isa_wave *w = g->wave[g->next];
	struct jit_frame *f = &t->f;
	enum isa_stop why;
	u64 done, cost;
	u32 turns;

	f->insns = 0;
	f->begun = 0;
	/* Nobody else is waited for: when all have come to the barrier it lets them go. */
	f->again = !j->o.check && !g->leads && !g->waits && g->runs == (u32)((BIT(n) - 1) << g->next);
	f->rounds = 0;
	f->wave = &g->wave[g->next];
	f->turns = n;
	f->insn = u->insn;
	f->pc = u->key.pc;
	w->cu->cost = 0;
	if (likely(!j->o.check))
		why = jit_call(u, w, f);
	else if (!jit_check_turns(j, u, f, n, &why))
		return false;
	done = f->insns;
	cost = w->cu->cost + n * (f->rounds + 1) * TURN_COST;
	j->stats.entries++;
	/* Of a unit without barriers only the first one has begun. */
	if (why == ISA_STOP_END)
		f->turn = f->ended = 1;
	turns = had_turns(g, f);
	if (why == ISA_STOP_END || (u32)why == JIT_TURNS) {
		why = ISA_STOP_NONE;
		f->begun = done;
	} else if (why != ISA_STOP_NONE) {
		w = g->wave[g->next];
		if (jit_stop_is_behind(why)) {
			w->pc = jit_next_pc(f->at);
			done++;
		}
		why = jit_stop(j, w, why, ex, &done, &cost);
	}
	t->spent = turns || f->rounds ? 0 : t->spent;
	t->spent += (u32)(done - f->begun);
	g->insns += done;
	g->cost += done + cost;
	j->stats.insns += done;
	*stop = why;
	return true;
}

static void put_exits(struct jit_group *g, struct isa_exit *ex)
{
	u32 i;

	for (i = 0; i < g->waves; i++) {
		g->wave[i]->ex = ex;
		g->wave[i]->slots = NULL;
	}
}

static enum isa_stop run_turns(struct jit *j, struct jit_group *g, u32 budget, u32 quantum,
			       struct jit_turns *t, struct isa_exit *ex)
{
	const u32 max = jit_max_insns(j);
	struct jit_unit *u;
	enum isa_stop why;
	u32 i, n, left;

	while (g->cost < budget) {
		if (g->leads && g->barriers->met)
			break;
		i = next_wave(g);
		if (i == g->waves)
			break;
		if (i != g->next)
			t->spent = 0;
		/* Who comes back in the midst of it, as the engine may, finds whose turn it was. */
		g->next = i;
		u = unit_of(j, g->wave[i], max);
		if (!u)
			break;
		left = budget - (u32)g->cost;
		t->f.left = left;
		t->f.budget = quantum - t->spent < left ? quantum - t->spent : left;
		n = same_place(g, t->similar);
		if (j->o.check && n > JIT_CHECK_WAVES)
			n = JIT_CHECK_WAVES;
		if (!enter(j, u, g, n, t, ex, &why))
			break;
		if (why != ISA_STOP_NONE)
			return why;
		if (t->spent >= quantum) {
			t->spent = 0;
			g->next++;
		}
	}
	return ISA_STOP_NONE;
}

enum isa_stop jit_group_run(struct jit *j, struct jit_group *g, u32 budget, u32 quantum,
			    struct isa_exit *ex)
{
	struct jit_turns *t = &j->turns;

	memset(ex, 0, sizeof(*ex));
	t->similar = find_similar(g);
	t->spent = 0;
	t->f.calls = 0;
	t->f.waves = 0;
	t->f.turn = 0;
	t->f.ended = 0;
	t->f.translate = isa_translate_slow;
	put_exits(g, ex);
	ex->why = run_turns(j, g, budget, quantum, t, ex);
	put_exits(g, NULL);
	j->stats.calls += t->f.calls;
	return ex->why;
}

void jit_group_torn(struct jit *j, struct jit_group *g)
{
	had_turns(g, &j->turns.f);
	put_exits(g, NULL);
}
