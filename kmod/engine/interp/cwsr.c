// SPDX-License-Identifier: GPL-2.0-only
/*
 * Context save and restore: how waves of a queue are written to its save area and read back;
 * hw/save.c decides when. Only the contents of registers and LDS are read back. The number and
 * sizes of the waves are kept here, as the driver keeps the control stack with its MQD. Each XCC
 * that the topology shows has an area, one after the other. (Before Linux 6.5 it shows none, and
 * one area has all waves.)
 *
 * The caller of queue_update does this while the queue is at rest, or the caller of
 * queue_wave_state or queue_restore while it is evicted. It is a memory access like any other of
 * the GPU: a page that is not mapped is a VM fault. A page that is slow to come in is waited for
 * no longer than PATIENCE. After that, waves that could not be saved stay in their workers, as
 * they do when an area is too small; waves that could not be read stay saved.
 */
#include <linux/jiffies.h>
#include <linux/sched/signal.h>

#include "../../gpu/save_area.h"
#include "interp.h"

#define PATIENCE	(HZ)
#define HEADER_BYTES	40	/* struct kfd_context_save_area_header */
#define STACK_HEAD	2	/* dwords of packets below the first wave */

/**
 * struct cursor - a walk over the waves of a queue
 * @iq: the queue
 * @w: for memory accesses
 * @end: when to give up waiting
 * @fault: why an access failed
 * @at: for each XCC, offset in its area of what was placed last; grows down
 */
struct cursor {
	struct interp_queue *iq;
	struct gpu_vm_worker w;
	unsigned long end;
	struct gpu_fault fault;
	u32 at[GPU_MAX_XCCS];
};

/* Number of the area that has the waves of @g. */
static u32 area_of(const struct interp_queue *iq, const struct interp_group *g)
{
	const struct hw *vg = iq->vq.vg;

	return vg->cus[g->cu].xcc % gpu_target_shown_xccs(vg->gdev->target);
}

static u32 stack_bytes(const struct interp_queue *iq, u32 waves)
{
	u32 of_wave = iq->vq.vg->gdev->target->arch->save.states + 1;

	return waves ? (STACK_HEAD + waves * of_wave) * (u32)sizeof(u32) : 0;
}

/* Index of the first wave that has not ended, from @i on; nwaves if there is none. */
static u32 live_wave(const struct interp_group *g, u32 i)
{
	while (i < g->nwaves && g->state[i] == INTERP_WAVE_END)
		i++;
	return i;
}

bool interp_measure(struct interp_queue *iq)
{
	const struct gpu_queue_props *p = &iq->vq.hq.q->props;
	struct interp_group *g;
	u32 i, first, xcc;

	memset(iq->saved_waves, 0, sizeof(iq->saved_waves));
	memset(iq->saved_bytes, 0, sizeof(iq->saved_bytes));
	list_for_each_entry(g, &iq->groups, queue_node) {
		xcc = area_of(iq, g);
		first = live_wave(g, 0);
		for (i = first; i < g->nwaves; i = live_wave(g, i + 1)) {
			iq->saved_waves[xcc]++;
			iq->saved_bytes[xcc] += isa_saved_bytes(g->wave[i], i == first);
		}
	}
	if (!p->cwsr_va || p->cwsr_bytes < p->ctl_stack_bytes)
		return false;
	for (xcc = 0; xcc < GPU_MAX_XCCS; xcc++)
		if (iq->saved_bytes[xcc] > p->cwsr_bytes - p->ctl_stack_bytes ||
		    HEADER_BYTES + stack_bytes(iq, iq->saved_waves[xcc]) > p->ctl_stack_bytes)
			return false;
	return true;
}

static int transfer(struct cursor *c, u64 va, void *buf, size_t len, bool save)
{
	struct gpu_vm *vm = c->iq->vq.hq.q->vm;
	int err;

	do {
		err = save ? gpu_vm_write(&c->w, vm, va, buf, len, &c->fault) :
			     gpu_vm_read(&c->w, vm, va, buf, len, &c->fault);
		if (err != -EAGAIN)
			return err;
		gpu_vm_fault_wait(vm, 1, false);
	} while (time_before(jiffies, c->end) && !fatal_signal_pending(current));
	return err;
}

/* VGPRs: at once where they lie in the area as they do in the wave. */
static int rows(struct cursor *c, u64 va, struct isa_wave *w, bool save)
{
	u32 bytes = isa_saved_row_bytes(w), left = isa_saved_rows_bytes(w);
	u32 *row = isa_wave_rows(w);
	int err = 0;

	if (bytes == ISA_LANES * sizeof(*row))
		bytes = left;
	for (; left && !err; left -= bytes, va += bytes, row += ISA_LANES)
		err = transfer(c, va, row, bytes, save);
	return err;
}

static int one_wave(struct cursor *c, struct interp_group *g, u32 i, bool first, bool save)
{
	const struct gpu_queue_props *p = &c->iq->vq.hq.q->props;
	struct isa_wave *w = g->wave[i];
	u32 xcc = area_of(c->iq, g);
	const size_t rest = sizeof(struct isa_saved) - offsetof(struct isa_saved, hwreg);
	struct isa_saved s;
	u64 va;
	int err;

	c->at[xcc] -= isa_saved_bytes(w, first);
	va = p->cwsr_va + (u64)xcc * p->cwsr_bytes + c->at[xcc];
	err = rows(c, va, w, save);
	va += isa_saved_rows_bytes(w);
	if (!err && save)
		isa_wave_save(w, &s);
	if (!err)
		err = transfer(c, va, s.sgpr, sizeof(s.sgpr), save);
	va += sizeof(s.sgpr) + isa_saved_gap(w);
	if (!err)
		err = transfer(c, va, s.hwreg, rest, save);
	if (!err && first)
		err = transfer(c, va + rest, g->wg.lds, g->wg.lds_bytes, save);
	if (err || save)
		return err;
	isa_wave_load(w, &s);
	g->asleep = false;
	/* A debugger may have halted or resumed a saved wave. */
	if (g->state[i] == INTERP_WAVE_HALT && !isa_wave_halted(w))
		g->state[i] = INTERP_WAVE_RUN;
	else if (g->state[i] == INTERP_WAVE_RUN && isa_wave_halted(w))
		g->state[i] = INTERP_WAVE_HALT;
	return 0;
}

static int all_waves(struct interp_queue *iq, bool save)
{
	struct gpu_queue *q = iq->vq.hq.q;
	struct cursor c = {
		.iq = iq,
		.end = jiffies + PATIENCE,
	};
	struct interp_group *g;
	int err = 0;
	u32 i, first;

	for (i = 0; i < GPU_MAX_XCCS; i++)
		c.at[i] = q->props.ctl_stack_bytes + iq->saved_bytes[i];
	gpu_vm_worker_add(q->gdev, &c.w);
	list_for_each_entry(g, &iq->groups, queue_node) {
		first = live_wave(g, 0);
		for (i = first; i < g->nwaves && !err; i = live_wave(g, i + 1))
			err = one_wave(&c, g, i, i == first, save);
		if (err)
			break;
		cond_resched();
	}
	gpu_vm_worker_del(q->gdev, &c.w);
	if (err == -EFAULT)
		hw_memory_failed(q, err, &c.fault);
	return err;
}

bool interp_groups_hold(struct interp_queue *iq)
{
	struct hw *vg = iq->vq.vg;
	bool alive;

	spin_lock(&vg->lock);
	alive = !hw_queue_stopped(&iq->vq.hq);
	iq->moving = alive;
	spin_unlock(&vg->lock);
	return alive;
}

void interp_groups_let_go(struct interp_queue *iq)
{
	struct hw *vg = iq->vq.vg;
	struct interp *ip = to_interp(vg);

	spin_lock(&vg->lock);
	iq->moving = false;
	spin_unlock(&vg->lock);
	interp_work_kick(ip, ip->nworkers);
}

/* Threads that are still inside an evicted queue only wait for memory. */
int interp_save(struct hw_compute *vq)
{
	struct interp_queue *iq = to_interp_queue(vq);
	int err;

	if (!interp_groups_hold(iq))
		return -EINVAL;
	err = interp_measure(iq) ? all_waves(iq, true) : -ENOSPC;
	interp_groups_let_go(iq);
	return err;
}

int interp_load(struct hw_compute *vq)
{
	struct interp_queue *iq = to_interp_queue(vq);
	int err;

	if (!interp_groups_hold(iq))
		return 0;
	err = all_waves(iq, false);
	interp_groups_let_go(iq);
	/* A fault has been told already. */
	if (err && err != -EAGAIN && err != -EFAULT)
		hw_memory_failed(vq->hq.q, err, NULL);
	if (err == -EAGAIN)
		return fatal_signal_pending(current) ? -EINTR : -ETIME;
	return 0;
}

/* Call with the queue at rest, under process->lock, so that it stays so. */
static void fill_stack(struct interp_queue *iq, u32 xcc, u32 *stack)
{
	const struct hw *vg = iq->vq.vg;
	struct interp_group *g;
	u32 i, n, first, states;

	memset(stack, 0, STACK_HEAD * sizeof(u32));
	stack += STACK_HEAD;
	list_for_each_entry(g, &iq->groups, queue_node) {
		if (area_of(iq, g) != xcc)
			continue;
		first = live_wave(g, 0);
		for (i = first; i < g->nwaves; i = n) {
			n = live_wave(g, i + 1);
			*stack++ = isa_relaunch_state(g->wave[i]);
			for (states = isa_relaunch_states(g->wave[i]); states > 1; states--)
				*stack++ = 0;
			*stack++ = isa_relaunch_wave(g->wave[i], vg->cus[g->cu].se,
						     g->slot < 0 ? -1 :
						     (s32)interp_scratch_slot(g, i),
						     i == first, n == g->nwaves);
		}
	}
}

int interp_saved(struct hw_compute *vq, u32 xcc, struct gpu_wave_state *s, u32 *stack)
{
	struct interp_queue *iq = to_interp_queue(vq);

	if (!interp_groups_hold(iq))
		return -EINVAL;
	s->stack_bytes = stack_bytes(iq, iq->saved_waves[xcc]);
	s->wave_bytes = iq->saved_bytes[xcc];
	if (stack && s->stack_bytes)
		fill_stack(iq, xcc, stack);
	interp_groups_let_go(iq);
	return 0;
}
