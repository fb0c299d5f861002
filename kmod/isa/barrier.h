/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The barriers of a work-group. A barrier counts its members, and those of them that have
 * signalled. The last signal completes it: the count starts again, and every wave gets a bit that
 * says so, which its next wait takes. A wave that ends is no member any more.
 *
 * s_barrier signals and waits at once, which is all that waves have before gfx12. There the two
 * are instructions of their own, and trap handlers have a barrier for themselves: -1 and -2 in
 * RDNA4's ISA (S_BARRIER_SIGNAL, S_BARRIER_WAIT), which counts as this does.
 *
 * Whoever runs the waves of a group in turns has one of these beside them; ISA_STOP_BARRIER
 * says in isa_exit.info what the wave does.
 */
#ifndef ISA_BARRIER_H
#define ISA_BARRIER_H

#include "isa_env.h"

enum isa_barrier_id {
	ISA_BARRIER_GROUP,
	ISA_BARRIER_TRAP,
	ISA_BARRIERS
};

/* isa_exit.info of ISA_STOP_BARRIER: enum isa_barrier_id, and one of these; neither: s_barrier */
#define ISA_BARRIER_ID		0xffu
#define ISA_BARRIER_SIGNAL	BIT(8)	/* signals, and goes on */
#define ISA_BARRIER_WAIT	BIT(9)	/* waits for what it has signalled before */
#define ISA_BARRIER_FIRST	BIT(10)	/* wants to know in SCC whether it is the first to signal */

/*
 * The order of a group's waves from one barrier to the next. On hardware they all run at the same
 * time, and kernels that forget a barrier work there if what must come first is near to the barrier
 * before, and what must come later is behind a load of something else. The wave with number 0 is
 * the odd one: it does what a group does once ("if (id == 0)") and the end of reductions. So it
 * begins, but only until it waits for the first of its loads (isa_wave_lead()), ISA_LEAD_INSNS at
 * most, and goes on when all others have had their turns, which begin with wave ISA_FIRST_TURN.
 *
 * rocSOLVER has both kinds. In iamax() the first wave still reads what others have put into LDS
 * while these may begin with the next reduction, and write there. In potf2_simple() it changes what
 * the others read. Kernels begin with a wait for their arguments, so wave 0 has no lead there.
 */
#define ISA_FIRST_TURN	1u
#define ISA_LEAD_INSNS	128u

/*
 * A wave that comes to a barrier and need not wait there goes on with its turn, or it would have
 * the next one behind others that are further on: two of gfx12's instructions make a barrier. But
 * only so often, as it may wait for another wave in memory.
 */
#define ISA_BARRIERS_PASSED	4u

/**
 * struct isa_barriers - the barriers of a work-group
 * @members: waves that have not ended
 * @signals: of the members, by barrier, since it was complete
 * @complete: by barrier, a bit for each wave that has not waited since it was
 * @met: ISA_BARRIER_GROUP is complete, and isa_barriers_met() has not been asked since
 */
struct isa_barriers {
	u32 members;
	u32 signals[ISA_BARRIERS];
	u32 complete[ISA_BARRIERS];
	bool met;
};

static inline void isa_barriers_init(struct isa_barriers *b, u32 waves)
{
	*b = (struct isa_barriers){ .members = waves };
}

static inline void isa_barrier_check(struct isa_barriers *b, u32 id)
{
	if (!b->signals[id] || b->signals[id] < b->members)
		return;
	b->signals[id] = 0;
	b->complete[id] = ~0u;
	b->met |= id == ISA_BARRIER_GROUP;
}

static inline void isa_barriers_wave_ends(struct isa_barriers *b)
{
	u32 id;

	b->members--;
	for (id = 0; id < ISA_BARRIERS; id++)
		isa_barrier_check(b, id);
}

/*
 * Is a signal by @info the first of its barrier, in a group that began with @waves? Ask before it
 * is made. A wave that is alone is in no group (RDNA4 ISA, S_BARRIER_SIGNAL_ISFIRST).
 */
static inline bool isa_barrier_is_first(const struct isa_barriers *b, u32 info, u32 waves)
{
	return waves > 1 && !b->signals[(info & ISA_BARRIER_ID) % ISA_BARRIERS];
}

/* What a wave does at a barrier, by isa_exit.info. True: then it waits, see isa_barrier_wait(). */
static inline bool isa_barrier_stop(struct isa_barriers *b, u32 info)
{
	u32 id = (info & ISA_BARRIER_ID) % ISA_BARRIERS;

	if (!(info & ISA_BARRIER_WAIT)) {
		b->signals[id]++;
		isa_barrier_check(b, id);
	}
	return !(info & ISA_BARRIER_SIGNAL);
}

/* May wave @wave go on, which waits at barrier @id? Then it has waited: ask once. */
static inline bool isa_barrier_wait(struct isa_barriers *b, u32 wave, u32 id)
{
	bool done = b->complete[id] & BIT(wave);

	b->complete[id] &= ~BIT(wave);
	return done;
}

/* Have all waves of the group met, so that it begins anew with wave 0? Asked behind each stop. */
static inline bool isa_barriers_met(struct isa_barriers *b)
{
	bool met = b->met;

	b->met = false;
	return met;
}

#endif /* ISA_BARRIER_H */
