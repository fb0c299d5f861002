/* SPDX-License-Identifier: MIT */
/* Inside the JIT's run time: who runs units (jit.c), and who has them compiled. */
#ifndef JIT_INT_H
#define JIT_INT_H

#include "jit_unit.h"

#define JIT_BUCKETS	1024u
#define JIT_MAX_UNITS	8192u
#define JIT_CHECK_WAVES	4u	/* of a group, that are checked together */
/* Of a unit that is checked as a stream, which stores: it is another one than what waves run */
#define JIT_STREAM_INSNS	(JIT_MAX_INSNS - 1)

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
 * struct jit_turns - of a group that is being run
 * @f: of the code that is being run, if any is; otherwise no wave has had its turn in it
 * @similar: waves that differ from the first one of them by nothing that compiled code depends on,
 *	but for where they are, EXEC and MODE
 * @spent: instructions of the next wave in its turn
 */
struct jit_turns {
	struct jit_frame f;
	u32 similar, spent;
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
	struct jit_unit *warmed;	/* of the last jit_warm() */
	u64 warmed_at;			/* stats.interpreted at that time */
	u32 looks;			/* calls of jit_wave_run() while nothing was compiled */
	struct jit_check *check;	/* jit_check.c's */
	struct jit_stream_check *streams;	/* jit_check_stream.c's */
	struct jit_turns turns;
	struct jit_difference differs;
	bool different;
	bool any;			/* a unit has had code; atomic */
	struct jit_unit *bucket[JIT_BUCKETS];
	struct jit_insn forming[JIT_MAX_INSNS + 1] __aligned(64);
};

void jit_set_state(struct jit_unit *u, enum jit_state state);
enum jit_state jit_state_of(const struct jit_unit *u);
/* The compiler has done what it can: u->code is there, or will never be. */
void jit_set_compiled(struct jit *j, struct jit_unit *u);
/* Zeroed memory that is given back with the whole; NULL: there is no more. */
void *jit_take(struct jit *j, size_t bytes, size_t align);
/* The unit where @w is, of @max instructions at most; NULL: there is no room */
struct jit_unit *jit_unit_of(struct jit *j, struct isa_wave *w, u32 max);
/* Nothing about @w forbids that it runs compiled code. */
bool jit_is_compilable(struct jit *j, const struct isa_wave *w);
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

/* What a stop of compiled code is to who runs the wave, if it is not an ordinary one */
enum isa_stop jit_stop(struct jit *j, struct isa_wave *w, enum isa_stop why, struct isa_exit *ex,
		       u64 *done, u64 *cost);

/* ---- on the way of every wave ---- */

/* A wave has only just written what is compared: in one go it would have to wait for that. */
static __always_inline bool jit_is_for(const struct jit_key *k, const struct isa_wave *w, u32 max)
{
	return k->pc == w->pc && !((k->mode ^ w->mode) | (k->rows ^ w->rows) |
				   (k->acc_row ^ w->acc_row) | (k->full ^ w->full) |
				   (k->max ^ max)) && k->target == w->cu->target;
}

/* Mostly waves go the way of the wave before. */
static __always_inline struct jit_unit *jit_next_unit(struct jit *j, const struct isa_wave *w, u32 max)
{
	struct jit_unit *u = j->last ? j->last->behind : NULL;

	if (!u || !jit_is_for(&u->key, w, max) || u->epoch != w->cu->icache_epoch)
		return NULL;
	j->last = u;
	return u;
}

/* Is there code of @u, which is for @w? What is not compilable has none. */
static __always_inline bool jit_has_code(struct jit *j, const struct jit_unit *u,
				     const struct isa_wave *w)
{
	return w->lanes == ISA_LANES && !w->record && !(w->status & ISA_STATUS_HALT) &&
	       w->cu->lane == j->lane_ops && !j->different && jit_state_of(u) == JIT_READY;
}

/* And may it be run without a look at what comes of it? */
static __always_inline bool jit_is_usable(struct jit *j, const struct jit_unit *u,
				      const struct isa_wave *w)
{
	return !j->o.check && jit_has_code(j, u, w);
}

static inline u32 jit_max_insns(const struct jit *j)
{
	return j->o.max_insns && j->o.max_insns < JIT_MAX_INSNS ? j->o.max_insns : JIT_MAX_INSNS;
}

static inline bool jit_stop_is_behind(enum isa_stop why)
{
	return why == ISA_STOP_BUDGET || why == ISA_STOP_MSG || why == ISA_STOP_HALT ||
	       why == ISA_STOP_GWS || why == ISA_STOP_EXCP || why == ISA_STOP_SWITCH;
}

static __always_inline bool jit_is_ordinary(enum isa_stop why)
{
	return why == ISA_STOP_NONE || why == ISA_STOP_END || why == ISA_STOP_BARRIER;
}

/* MODE asks for what MXCSR has anyway: rounding to nearest, denormals as they are. */
static __always_inline bool jit_is_usual(const struct isa_wave *w)
{
	return (w->mode & 0x3f) == 0x30;
}

/* @u's code, for @w or the waves of @f from it on */
static __always_inline enum isa_stop jit_call(const struct jit_unit *u, struct isa_wave *w,
					      struct jit_frame *f)
{
	const bool usual = jit_is_usual(w);
	enum isa_stop why;

	if (unlikely(!usual))
		w->cu->lane->enter(w);
	why = u->code(w, f);
	if (unlikely(!usual))
		w->cu->lane->leave(w);
	return why;
}

/*
 * jit_check.c: jit_call() for @n waves of a group, and a look whether the interpreter agrees, which
 * has the last word; false: nothing was done, as it does not, or cannot be asked
 */
bool jit_check_turns(struct jit *j, const struct jit_unit *u, struct jit_frame *f, u32 n,
		     enum isa_stop *why);

/* jit_check_stream.c: what jit_grid_run() would do, and a look whether the interpreter agrees */
void jit_check_stream(struct jit *j, struct isa_wave *w, const struct jit_grid *g);

/* jit_check.c: the same as what runs a unit in jit.c, and looks whether the interpreter agrees */
enum isa_stop jit_check_unit(struct jit *j, struct jit_unit *u, struct isa_wave *w, u32 budget,
			     struct isa_exit *ex, u64 *done, u64 *cost);

#endif /* JIT_INT_H */
