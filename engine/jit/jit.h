/* SPDX-License-Identifier: MIT */
/*
 * The JIT: isa_wave_run() with hot code compiled. See jit.c.
 */
#ifndef JIT_H
#define JIT_H

#include "barrier.h"
#include "isa.h"

struct jit;

/**
 * struct jit_options - how compiled code comes to be
 * @hot: how often a wave comes to a place before it is compiled
 * @worth: how many instructions a unit must have had interpreted, for each instruction that it
 *	has, before it is compiled; 0: @hot alone decides
 * @wait: compile at once and in the caller's thread: for tests
 * @verify: ask LLVM whether what it gets is well-formed: for tests, too
 * @lane: "avx2" or "avx512", the lanes that waves run by; NULL: the best of this machine
 * @max_insns: instructions of a unit at most; 0: as jit_unit.h says
 * @check: the interpreter runs all that compiled code runs once more, and what it makes of it
 *	holds; see jit_differs()
 */
struct jit_options {
	u32 hot, worth;
	bool wait, verify, check;
	const char *lane;
	u32 max_insns;
};

/**
 * struct jit_difference - compiled code has done something else than the interpreter
 * @op: the operation that does so alone, or the first of several that only do so together
 * @pc: where it is
 */
struct jit_difference {
	u32 op;
	u64 pc;
};

struct jit_stats {
	u64 units, failed, compiled_insns, compile_ns;
	u64 insns, interpreted, entries, calls;
	u64 streams;	/* waves of streams that were checked */
};

/* NULL if there is no compiler for this machine. */
struct jit *jit_create(const struct jit_options *o);
void jit_destroy(struct jit *j);
/* As isa_wave_run(), and with the same results. One thread at a time. */
enum isa_stop jit_wave_run(struct jit *j, struct isa_wave *w, unsigned int budget,
			   struct isa_exit *ex);
/**
 * struct jit_grid - waves of a grid, of which none has begun
 * @waves: how many there are
 * @item: the first work-item of the first wave, of @items in a group, all of which are full waves
 * @id: SGPR that has the number of its group, which counts up; all other SGPRs are the same for all
 * Work-items have one number, in VGPR 0, or one that is not zero.
 */
struct jit_grid {
	u64 waves;
	u32 item, items, id;
};

/*
 * Runs waves of a grid one after another, from the first on, as long as none stops. @w: the first
 * one, as it is launched; @budget,@insns: instructions at most, and that there were.
 * Return: how many waves have ended. If there are any, @w is to be launched anew.
 */
u64 jit_grid_run(struct jit *j, struct isa_wave *w, const struct jit_grid *g, u32 budget,
		 u64 *insns);
/**
 * struct jit_group - the waves of a work-group, which run in turns
 * @wave: @waves of them, 32 at most
 * @runs,@waits: a bit for each that can run, or waits at the barrier ISA_BARRIER_GROUP; the others
 *	have ended
 * @next: whose turn it is
 * @leads: there is one that begins by itself when all have met (ISA_FIRST_TURN)
 * @barriers: of the group
 * @insns,@cost: what is done adds to these
 */
struct jit_group {
	struct isa_wave *const *wave;
	u32 waves, runs, waits, next;
	bool leads;
	struct isa_barriers *barriers;
	u64 insns, cost;
};

/*
 * Runs waves of a group, each until it waits at a barrier or ends, and then the next, as long as
 * there is code for that and @g->cost is below @budget. @quantum: instructions of a wave in its
 * turn.
 * Return: why wave @g->next has stopped, as jit_wave_run() says, with @ex; its instructions are
 * counted in @g. ISA_STOP_NONE: none has stopped in another way than these two. If there is budget
 * left, and a wave that can run, it is wave @g->next, which jit_wave_run() is to run; or with
 * @g->leads all have met.
 */
enum isa_stop jit_group_run(struct jit *j, struct jit_group *g, u32 budget, u32 quantum,
			    struct isa_exit *ex);
/*
 * That did not come back, as a wave lost its page in the midst of it: which one that was is
 * @g->next, and all others are as they would be without it.
 */
void jit_group_torn(struct jit *j, struct jit_group *g);
/*
 * Has anything been compiled? Until then nothing comes of jit_group_run() and jit_grid_run(), and
 * who has few waves to run need not call them.
 */
bool jit_has_any(const struct jit *j);
void jit_stats(struct jit *j, struct jit_stats *s);
/* Instructions that compiled code has run, since the beginning */
u64 jit_compiled(const struct jit *j);
/* With jit_options.check: the first difference, after which nothing is run compiled; or NULL */
const struct jit_difference *jit_differs(const struct jit *j);

#endif /* JIT_H */
