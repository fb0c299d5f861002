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
void jit_stats(struct jit *j, struct jit_stats *s);
/* Instructions that compiled code has run, since the beginning */
u64 jit_compiled(const struct jit *j);
/* With jit_options.check: the first difference, after which nothing is run compiled; or NULL */
const struct jit_difference *jit_differs(const struct jit *j);

#endif /* JIT_H */
