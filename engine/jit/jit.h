/* SPDX-License-Identifier: MIT */
/*
 * The JIT: isa_wave_run() with hot code compiled. See jit.c.
 */
#ifndef JIT_H
#define JIT_H

#include "isa.h"

struct jit;

/**
 * struct jit_options - how compiled code comes to be
 * @hot: how often a wave comes to a place before it is compiled
 * @wait: compile at once and in the caller's thread: for tests
 * @verify: ask LLVM whether what it gets is well-formed: for tests, too
 * @lane: "avx2" or "avx512", the lanes that waves run by; NULL: the best of this machine
 * @max_insns: instructions of a unit at most; 0: as jit_unit.h says
 * @check: the interpreter runs all that compiled code runs once more, and what it makes of it
 *	holds; see jit_differs()
 */
struct jit_options {
	u32 hot;
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
void jit_stats(struct jit *j, struct jit_stats *s);
/* Instructions that compiled code has run, since the beginning */
u64 jit_compiled(const struct jit *j);
/* With jit_options.check: the first difference, after which nothing is run compiled; or NULL */
const struct jit_difference *jit_differs(const struct jit *j);

#endif /* JIT_H */
