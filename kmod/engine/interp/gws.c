// SPDX-License-Identifier: GPL-2.0-only
/*
 * Global wave sync: counters that all waves of a queue share, on whatever compute unit they are,
 * for barriers of a whole grid (cooperative launch) and for semaphores. A queue has them once
 * ALLOC_QUEUE_GWS has given it the resources; without them, an access is a memory violation.
 *
 * A wave that has to wait is not run. Its group checks the condition again in its next turn, within
 * a section, where no lock may sleep; so gws_lock is a raw spinlock, held for a few instructions.
 * Semantics: CDNA ISA, DS_GWS_*. A barrier is initialised with the number of waves minus one;
 * every wave passes the number for the next round.
 */
#include "interp.h"

#define GWS_OP(info)	((info) & 0xff)
#define GWS_ID(info)	((info) >> 8 & (ISA_GWS_RESOURCES - 1))

/* The last wave to arrive releases the others by inverting the flag. */
static bool arrive_at_barrier(struct interp_gws_res *r, u32 next)
{
	if (r->counter) {
		r->counter--;
		return false;
	}
	r->flag = !r->flag;
	r->counter = next;
	return true;
}

static bool take_semaphore(struct interp_gws_res *r)
{
	if (!r->counter)
		return false;
	r->counter--;
	return true;
}

/* Returns true if the wave may go on. */
static bool operate(struct interp_gws_res *r, u32 op, u32 value)
{
	switch (op) {
	case ISA_GWS_INIT:
		r->counter = value;
		r->flag = false;
		return true;
	case ISA_GWS_SEMA_V:
		r->counter++;
		return true;
	case ISA_GWS_SEMA_BR:
		r->counter += value;
		return true;
	case ISA_GWS_SEMA_P:
		return take_semaphore(r);
	case ISA_GWS_RELEASE_ALL:
		r->releases++;
		return true;
	default:
		return arrive_at_barrier(r, value);
	}
}

/**
 * interp_gws_run() - execute the GWS instruction at which a wave has stopped
 * @iq: its queue
 * @g: its group
 * @i: index of the wave; its state changes if it has to wait
 * @ex: the operation
 *
 * Return: false if the queue has no GWS.
 */
bool interp_gws_run(struct interp_queue *iq, struct interp_group *g, u32 i,
		    const struct isa_exit *ex)
{
	struct interp_gws_wait *wait = &g->gws[i];
	struct interp_gws_res *r;

	if (!READ_ONCE(iq->vq.hq.q->gws))
		return false;
	wait->op = GWS_OP(ex->info);
	wait->id = GWS_ID(ex->info);
	r = &iq->gws[wait->id];
	raw_spin_lock(&iq->gws_lock);
	wait->flag = r->flag;
	wait->releases = r->releases;
	if (!operate(r, wait->op, (u32)ex->va))
		g->state[i] = INTERP_WAVE_GWS;
	raw_spin_unlock(&iq->gws_lock);
	return true;
}

/* May a waiting wave go on? Called in a section. */
bool interp_gws_ready(struct interp_queue *iq, struct interp_group *g, u32 i)
{
	struct interp_gws_wait *wait = &g->gws[i];
	struct interp_gws_res *r = &iq->gws[wait->id];
	bool ready;

	raw_spin_lock(&iq->gws_lock);
	if (wait->op == ISA_GWS_SEMA_P)
		ready = r->releases != wait->releases || take_semaphore(r);
	else
		ready = r->flag != wait->flag;
	raw_spin_unlock(&iq->gws_lock);
	return ready;
}

/* May any waiting wave go on? Without the lock: a wrong answer only delays the group a turn. */
bool interp_gws_wakes(const struct interp_group *g)
{
	const struct interp_queue *iq = interp_queue_of(g);
	u32 i;

	for (i = 0; i < g->nwaves; i++) {
		const struct interp_gws_wait *wait = &g->gws[i];
		const struct interp_gws_res *r = &iq->gws[wait->id];

		if (g->state[i] != INTERP_WAVE_GWS)
			continue;
		if (wait->op == ISA_GWS_SEMA_P ?
		    READ_ONCE(r->counter) || READ_ONCE(r->releases) != wait->releases :
		    READ_ONCE(r->flag) != wait->flag)
			return true;
	}
	return false;
}
