/* SPDX-License-Identifier: MIT */
/* Inside the JIT's run time: who runs units (jit.c), and who has them compiled. */
#ifndef JIT_INT_H
#define JIT_INT_H

#include "jit_unit.h"

#define JIT_BUCKETS	1024u
#define JIT_MAX_UNITS	8192u

/**
 * struct jit_ops - who compiles
 * @submit: a unit in state JIT_QUEUED; sets its code and JIT_READY, or JIT_FAILED, now or later
 * @poll: optional: looks how that goes
 */
struct jit_ops {
	void (*submit)(struct jit *j, struct jit_unit *u);
	void (*poll)(struct jit *j, struct jit_unit *u);
};

/**
 * struct jit - of a thread that runs waves
 * @lane: the lanes that it compiles for; @lane_ops: a wave's that were those
 * @mem,@bytes,@used: where units are; it is not given back before the end
 * @last: the unit that was asked for last
 * @forming: room for a unit that is being looked at
 */
struct jit {
	struct jit_options o;
	const struct jit_ops *ops;
	void *priv;			/* of @ops */
	const char *lane;
	const struct isa_lane_ops *lane_ops;
	u8 *mem;
	size_t bytes, used;
	u32 nunits;
	struct jit_unit *last;
	struct jit_stats stats;
	struct jit_check *check;	/* jit_check.c's */
	struct jit_difference differs;
	bool different;
	struct jit_unit *bucket[JIT_BUCKETS];
	struct jit_insn forming[JIT_MAX_INSNS + 1] __aligned(64);
};

void jit_set_state(struct jit_unit *u, enum jit_state state);
enum jit_state jit_state_of(const struct jit_unit *u);
/* Zeroed memory that is given back with the whole; NULL: there is no more. */
void *jit_take(struct jit *j, size_t bytes, size_t align);
/* The unit where @w is, of @max instructions at most; NULL: there is no room */
struct jit_unit *jit_unit_of(struct jit *j, struct isa_wave *w, u32 max);
/* A wave has come to a unit in state JIT_COLD, or wants to know how far its code is. */
void jit_warm(struct jit *j, struct jit_unit *u, struct isa_wave *w);
/*
 * Runs @u's code. Some stops come behind their instruction, which counts; @w->pc is where the wave
 * goes on.
 */
enum isa_stop jit_enter(struct jit *j, const struct jit_unit *u, struct isa_wave *w, u32 budget,
			struct isa_exit *ex, u64 *done, u64 *cost);
enum isa_stop jit_interpret(struct jit *j, struct isa_wave *w, u32 budget, struct isa_exit *ex,
			    u64 *done, u64 *cost);

/* jit_check.c: the same as what runs a unit in jit.c, and looks whether the interpreter agrees */
enum isa_stop jit_check_unit(struct jit *j, struct jit_unit *u, struct isa_wave *w, u32 budget,
			     struct isa_exit *ex, u64 *done, u64 *cost);

#endif /* JIT_INT_H */
