// SPDX-License-Identifier: MIT
/*
 * The JIT, a library beside the interpreter: jit_wave_run() does what isa_wave_run()
 * does, with code that is run often compiled by LLVM. All state is the interpreter's
 * (struct isa_wave, LDS, memory by the TLB of struct isa_cu), and a wave may leave
 * compiled code at any instruction, so what is not compiled is interpreted: the
 * instruction, the unit, or the whole wave (MODE that asks for exceptions, VGPR
 * indexing, VSKIP or rounding other than to nearest; waves of 32 lanes).
 *
 * Why results are exact: prims.c compiles the very functions that the interpreter's
 * handlers are made of, vector by vector, to LLVM bitcode, and compiled code is made of
 * calls of these, inlined. isa/gen says which operations have such a function. Float
 * arithmetic in them is asm, which LLVM neither folds nor turns around, and MXCSR is
 * set from MODE as for the interpreter. Everything that has no such function (DPP, SDWA,
 * halves, atomics, matrices, memory) is a call of the interpreter's handler, so faults
 * are the handler's, at their instruction.
 *
 * A place where waves begin or go on is compiled once it was come to often enough, beside:
 * in a thread (jit_local.c) or in another process (jit_remote.c). Until that is done waves
 * are interpreted. Code that its owner
 * changes: each unit keeps its words and is compared with memory when the decode
 * cache's epoch changes, as lines of the decode cache are.
 */
#include "jit_int.h"

#define GONE		(~0ull)		/* the place of a unit whose words changed */
#define BEGIN_INSNS	8u	/* a unit without instructions takes as long as one with so many */

void *jit_take(struct jit *j, size_t bytes, size_t align)
{
	size_t at = (j->used + align - 1) & -align;

	if (bytes > j->bytes || at > j->bytes - bytes)
		return NULL;
	j->used = at + bytes;
	return j->mem + at;
}

/* ---- units ---- */

void jit_set_state(struct jit_unit *u, enum jit_state state)
{
	__atomic_store_n(&u->state, state, __ATOMIC_RELEASE);
}

enum jit_state jit_state_of(const struct jit_unit *u)
{
	return __atomic_load_n(&u->state, __ATOMIC_ACQUIRE);
}

void jit_set_compiled(struct jit *j, struct jit_unit *u)
{
	if (u->code)
		__atomic_store_n(&j->any, true, __ATOMIC_RELAXED);
	jit_set_state(u, u->code ? JIT_READY : JIT_FAILED);
}

bool jit_has_any(const struct jit *j)
{
	return j->o.check || __atomic_load_n(&j->any, __ATOMIC_RELAXED);
}

struct jit_unit *jit_unit_of(struct jit *j, struct isa_wave *w, u32 max)
{
	struct jit_unit **b = &j->bucket[(w->pc / 4 ^ w->pc >> 13) % JIT_BUCKETS];
	struct jit_unit *u = jit_next_unit(j, w, max);

	if (u)
		return u;
	for (u = *b; u; u = u->next)
		if (jit_is_for(&u->key, w, max))
			break;
	if (u && jit_state_of(u) >= JIT_QUEUED && u->epoch != w->cu->icache_epoch) {
		if (u->ninsns && !jit_unit_same(u, w)) {
			u->key.pc = GONE;
			u = NULL;
		} else if (!u->ninsns) {
			jit_set_state(u, JIT_COLD);	/* nothing there could be compiled: now? */
			u->count = 0;
			u->epoch = w->cu->icache_epoch;
		} else {
			u->epoch = w->cu->icache_epoch;
		}
	}
	if (u) {
		if (j->last)
			j->last->behind = u;
		j->last = u;
	}
	if (u || j->nunits == JIT_MAX_UNITS)
		return u;
	u = jit_take(j, sizeof(*u), 64);
	if (!u)
		return NULL;
	u->key = (struct jit_key) {
		.pc = w->pc, .mode = w->mode, .rows = w->rows, .acc_row = w->acc_row,
		.full = w->full, .max = max, .lane = w->cu->lane, .target = w->cu->target,
	};
	u->wanted = (u64)j->o.worth * BEGIN_INSNS;
	u->next = *b;
	*b = u;
	j->nunits++;
	return u;
}

/* The instructions where handlers can have them, a line's length behind something */
static bool keep(struct jit *j, struct jit_unit *u, struct isa_wave *w)
{
	struct jit_insn *insn = jit_take(j, (JIT_PAD_INSNS + u->ninsns) * sizeof(*insn), 64);

	u->word = jit_take(j, jit_unit_words(u) * sizeof(u32), 4);
	if (!insn || !u->word)
		return false;
	memcpy(insn + JIT_PAD_INSNS, u->insn, u->ninsns * sizeof(*insn));
	u->insn = insn + JIT_PAD_INSNS;
	return jit_unit_keep(u, w);
}

/* Waves that were interpreted since the last call began at the unit of that call. */
static void count_interpreted(struct jit *j, struct jit_unit *u)
{
	if (j->warmed)
		j->warmed->interpreted += j->stats.interpreted - j->warmed_at;
	j->warmed = u;
	j->warmed_at = j->stats.interpreted;
}

/*
 * Compiling takes long, and a processor that others may want: a program of many short kernels would
 * wait for code that it never runs. So a unit is interpreted until that has cost as much time as
 * compiling will. At worst this takes twice as long as the better choice would have.
 */
static bool is_worth_it(const struct jit *j, struct jit_unit *u)
{
	u->wanted = (u64)j->o.worth * (BEGIN_INSNS + u->ninsns);
	return u->interpreted >= u->wanted;
}

void jit_warm(struct jit *j, struct jit_unit *u, struct isa_wave *w)
{
	const bool to_check = u->key.max == JIT_STREAM_INSNS;
	size_t used = j->used;

	count_interpreted(j, u);
	if (jit_state_of(u) == JIT_QUEUED && j->ops->poll)
		j->ops->poll(j, u);
	if (jit_state_of(u) != JIT_COLD || ++u->count < j->o.hot || u->interpreted < u->wanted)
		return;
	u->epoch = w->cu->icache_epoch;
	if (!jit_unit_form(u, w, j->forming, j->o.check && !to_check) || (to_check && !u->stream)) {
		u->ninsns = 0;
		jit_set_state(u, JIT_FAILED);
	} else if (!is_worth_it(j, u)) {
		u->count = 0;
	} else if (keep(j, u, w)) {
		jit_set_state(u, JIT_QUEUED);
		j->ops->submit(j, u);
		if (jit_state_of(u) != JIT_COLD)
			return;
		u->count = 0;	/* the compiler has enough to do: later */
	} else {
		u->ninsns = 0;
		jit_set_state(u, JIT_FAILED);
	}
	/* Nobody looks at them in these states, and nothing was taken since. */
	memset(j->mem + used, 0, j->used - used);
	j->used = used;
}

/* ---- running ---- */

static bool has_lane(struct jit *j, const struct isa_lane_ops *lane)
{
	if (likely(lane == j->lane_ops))
		return true;
	if (strcmp(lane->name, j->lane))
		return false;
	j->lane_ops = lane;
	return true;
}

bool jit_is_compilable(struct jit *j, const struct isa_wave *w)
{
	return w->lanes == ISA_LANES && !(w->mode & (ISA_MODE_SLOW | 0xf)) && !w->record &&
	       !(w->status & ISA_STATUS_HALT) && has_lane(j, w->cu->lane) &&
	       w->rows <= JIT_MAX_ROWS && !j->different;
}

/* The unit where waves mostly go from the one before, if it is for @w and there is code */
static __always_inline struct jit_unit *usual_unit(struct jit *j, const struct isa_wave *w, u32 max)
{
	struct jit_unit *u = jit_next_unit(j, w, max);

	return u && jit_is_usable(j, u, w) ? u : NULL;
}

enum isa_stop jit_interpret(struct jit *j, struct isa_wave *w, u32 budget, struct isa_exit *ex,
			    u64 *done, u64 *cost)
{
	enum isa_stop why = isa_wave_run(w, budget, ex);

	j->stats.interpreted += ex->insns;
	*done += ex->insns;
	*cost += ex->cost - ex->insns;
	return why;
}

static __always_inline enum isa_stop enter(struct jit *j, const struct jit_unit *u,
					   struct isa_wave *w, u32 budget, struct isa_exit *ex,
					   u64 *done, u64 *cost)
{
	struct jit_frame f;
	enum isa_stop why;
	bool usual = jit_is_usual(w);

	f.budget = budget;
	f.insns = 0;
	f.calls = 0;
	f.waves = 0;
	f.turns = 1;
	f.turn = 0;
	f.again = 0;
	f.rounds = 0;
	f.ended = 0;
	f.insn = u->insn;
	f.pc = u->key.pc;
	f.translate = isa_translate_slow;
	w->ex = ex;
	w->cu->cost = 0;
	if (unlikely(!usual))
		w->cu->lane->enter(w);
	why = u->code(w, &f);
	if (why == JIT_TURNS)
		why = f.ended ? ISA_STOP_END : ISA_STOP_BARRIER;
	if (unlikely(!usual || !jit_is_usual(w)))
		w->cu->lane->leave(w);
	w->ex = NULL;
	w->slots = NULL;
	*cost += w->cu->cost;
	*done += f.insns;
	j->stats.entries++;
	j->stats.calls += f.calls;
	if (!jit_is_ordinary(why) && jit_stop_is_behind(why)) {
		w->pc = jit_next_pc(f.at);
		++*done;
	}
	return why;
}

enum isa_stop jit_enter(struct jit *j, const struct jit_unit *u, struct isa_wave *w, u32 budget,
			struct isa_exit *ex, u64 *done, u64 *cost)
{
	memset(ex, 0, sizeof(*ex));
	return enter(j, u, w, budget, ex, done, cost);
}

enum isa_stop jit_stop(struct jit *j, struct isa_wave *w, enum isa_stop why, struct isa_exit *ex,
		       u64 *done, u64 *cost)
{
	switch ((u32)why) {
	case ISA_STOP_ILLEGAL:		/* the interpreter says what belongs to it */
		return jit_interpret(j, w, 1, ex, done, cost);
	case ISA_STOP_SWITCH:
		return ISA_STOP_NONE;
	case ISA_STOP_RETRY:
		*cost += 64;
		return ISA_STOP_BUDGET;
	default:
		return why;
	}
}

/* @ex has been cleared, and only what ends the call writes to it. */
static __always_inline enum isa_stop run_unit(struct jit *j, struct jit_unit *u, struct isa_wave *w,
					      u32 budget, struct isa_exit *ex, u64 *done, u64 *cost)
{
	enum isa_stop why = enter(j, u, w, budget, ex, done, cost);

	return likely(jit_is_ordinary(why)) ? why : jit_stop(j, w, why, ex, done, cost);
}

static enum isa_stop run_units(struct jit *j, struct isa_wave *w, unsigned int budget,
			       struct isa_exit *ex)
{
	u64 done = 0, cost = 0;
	enum isa_stop why = ISA_STOP_NONE;
	const u32 max = jit_max_insns(j);
	u64 one = 0;

	memset(ex, 0, sizeof(*ex));
	while (done < budget && !why && cost < ISA_COST_TURN) {
		u32 left = budget - (u32)done;
		struct jit_unit *u = usual_unit(j, w, max);

		if (likely(u)) {
			why = run_unit(j, u, w, left, ex, &done, &cost);
			continue;
		}
		if (!jit_is_compilable(j, w)) {
			why = jit_interpret(j, w, left, ex, &done, &cost);
			break;
		}
		u = jit_unit_of(j, w, max);
		if (u && jit_state_of(u) != JIT_READY)
			jit_warm(j, u, w);
		if (u && jit_state_of(u) == JIT_READY) {
			why = j->o.check ? jit_check_unit(j, u, w, left, ex, &done, &cost) :
					   run_unit(j, u, w, left, ex, &done, &cost);
			continue;
		}
		/* What cannot be compiled is one instruction, usually. */
		if (u && jit_state_of(u) == JIT_FAILED && !u->ninsns &&
		    (j->o.check || ++one < 16)) {
			why = jit_interpret(j, w, 1, ex, &done, &cost);
			if (why == ISA_STOP_BUDGET && !ex->info && done < budget)
				why = ISA_STOP_NONE;
			continue;
		}
		why = jit_interpret(j, w, left, ex, &done, &cost);
	}
	why = why ?: ISA_STOP_BUDGET;
	j->stats.insns += done;
	ex->why = why;
	ex->insns = (u32)done;
	ex->cost = (u32)(done + cost);
	return why;
}

#define LOOKS	7u	/* odd, as groups mostly have an even number of waves */

/*
 * Until something is compiled, and as long as that has to be worth it, one look at where waves are
 * is enough for several: count_interpreted() counts the others, too.
 */
enum isa_stop jit_wave_run(struct jit *j, struct isa_wave *w, unsigned int budget,
			   struct isa_exit *ex)
{
	enum isa_stop why;

	if (!j->o.worth || jit_has_any(j) || !(j->looks++ % LOOKS))
		return run_units(j, w, budget, ex);
	why = isa_wave_run(w, budget, ex);
	j->stats.insns += ex->insns;
	j->stats.interpreted += ex->insns;
	return why;
}

#define STREAM_RESTS	64u	/* calls, after one that came to nothing */

u64 jit_grid_run(struct jit *j, struct isa_wave *w, const struct jit_grid *g, u32 budget,
		 u64 *insns)
{
	struct isa_exit ex = { 0 };
	struct jit_frame f;
	struct jit_unit *u;
	bool usual = jit_is_usual(w);

	*insns = 0;
	if (!jit_is_compilable(j, w) || !w->full || g->id >= ISA_SRC_VCC_LO)
		return 0;
	if (j->o.check) {
		jit_check_stream(j, w, g);
		return 0;
	}
	u = jit_unit_of(j, w, jit_max_insns(j));
	if (!u || jit_state_of(u) != JIT_READY || !u->stream)
		return 0;
	if (u->rest) {
		u->rest--;
		return 0;
	}
	f = (struct jit_frame){
		.insn = u->insn, .pc = u->key.pc, .translate = isa_translate_slow,
		.waves = budget / u->ninsns, .item = g->item, .items = g->items, .id = g->id,
	};
	if (f.waves > g->waves)
		f.waves = g->waves;
	if (!f.waves)
		return 0;
	w->ex = &ex;
	w->cu->cost = 0;
	if (!usual)
		w->cu->lane->enter(w);
	u->code(w, &f);
	if (!usual)
		w->cu->lane->leave(w);
	w->ex = NULL;
	if (!f.waves)
		u->rest = STREAM_RESTS;
	j->stats.entries++;
	j->stats.insns += f.insns;
	*insns = f.insns;
	return f.waves;
}

u64 jit_compiled(const struct jit *j)
{
	return j->stats.insns - j->stats.interpreted;
}

const struct jit_difference *jit_differs(const struct jit *j)
{
	return j->different ? &j->differs : NULL;
}

void jit_stats(struct jit *j, struct jit_stats *s)
{
	struct jit_unit *u;
	u32 n;

	*s = j->stats;
	for (n = 0; n < JIT_BUCKETS; n++)
		for (u = j->bucket[n]; u; u = u->next) {
			s->units += jit_state_of(u) == JIT_READY;
			s->failed += jit_state_of(u) == JIT_FAILED && u->ninsns;
			if (jit_state_of(u) != JIT_READY)
				continue;
			s->compiled_insns += u->ninsns;
			s->compile_ns += u->compile_ns;
		}
}
