// SPDX-License-Identifier: GPL-2.0-only
/*
 * Context save and restore: when user space takes a queue off the GPU its waves
 * are written to the queue's save area, and when it puts it back they are read
 * from there, so what a debugger changes takes effect. Only contents of
 * registers and LDS are read: which waves there are, and how large, is kept
 * here, as the driver keeps the control stack with its MQD. There is an area for
 * each XCC that topology names (none before Linux 6.5: then one for all waves),
 * one behind the other.
 *
 * A queue that is evicted has its waves saved when somebody asks for them, and only
 * then read back when it is restored: hardware saves them in any case, but nobody
 * can tell where they stand before he asks, and an eviction must not wait for memory.
 *
 * Who does it is the caller of queue_update, while the queue is at rest, or of
 * queue_wave_state or queue_restore, while it is evicted. It is
 * a memory access like any other of the GPU: a page that is not there is a VM
 * fault. A page that takes its time is not waited for longer than PATIENCE:
 * then waves that could not be saved stay what they are, in their workers, as
 * they do when an area is too small; waves that could not be read stay saved.
 *
 * A queue that only lost its slot to another one (sched.c) is not saved:
 * nobody can look at it then.
 */
#include <linux/jiffies.h>
#include <linux/sched/signal.h>

#include "../../gpu/save_area.h"
#include "interp.h"

#define PATIENCE	(HZ)
#define HEADER_BYTES	40	/* struct kfd_context_save_area_header */
#define STACK_HEAD	2	/* dwords of packets below the first wave */
#define STACK_WAVE	2	/* dwords of a wave */

/**
 * struct cursor - a walk over the waves of a queue
 * @vq: the queue
 * @w: for memory accesses
 * @end: when patience ends
 * @fault: why one failed
 * @at: offset in an XCC's area of what was placed last; it grows down
 */
struct cursor {
	struct hw_compute *vq;
	struct gpu_vm_worker w;
	unsigned long end;
	struct gpu_fault fault;
	u32 at[GPU_MAX_XCCS];
};

/* Whose area @g is in. */
static u32 area_of(const struct hw_compute *vq, const struct interp_group *g)
{
	return vq->vg->cus[g->cu].xcc % gpu_target_shown_xccs(vq->hq.q->gdev->target);
}

static u32 stack_bytes(u32 waves)
{
	return waves ? (STACK_HEAD + waves * STACK_WAVE) * (u32)sizeof(u32) : 0;
}

/* Index of the first wave that has not ended, from @i on; nwaves if there is none. */
static u32 live_wave(const struct interp_group *g, u32 i)
{
	while (i < g->nwaves && g->state[i] == INTERP_WAVE_END)
		i++;
	return i;
}

/* How much the areas have to hold; false if one cannot. */
static bool measure(struct hw_compute *vq)
{
	const struct gpu_queue_props *p = &vq->hq.q->props;
	struct hw_saved *s = &vq->saved;
	struct interp_group *g;
	u32 i, first, xcc;

	memset(s, 0, sizeof(*s));
	list_for_each_entry(g, &vq->groups, queue_node) {
		xcc = area_of(vq, g);
		first = live_wave(g, 0);
		for (i = first; i < g->nwaves; i = live_wave(g, i + 1)) {
			s->waves[xcc]++;
			s->bytes[xcc] += isa_saved_bytes(g->wave[i], i == first);
		}
	}
	if (!p->cwsr_va || p->cwsr_bytes < p->ctl_stack_bytes)
		return false;
	for (xcc = 0; xcc < GPU_MAX_XCCS; xcc++)
		if (s->bytes[xcc] > p->cwsr_bytes - p->ctl_stack_bytes ||
		    HEADER_BYTES + stack_bytes(s->waves[xcc]) > p->ctl_stack_bytes)
			return false;
	return true;
}

static int transfer(struct cursor *c, u64 va, void *buf, size_t len, bool save)
{
	struct gpu_vm *vm = c->vq->hq.q->vm;
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

static int one_wave(struct cursor *c, struct interp_group *g, u32 i, bool first, bool save)
{
	struct isa_wave *w = g->wave[i];
	u32 xcc = area_of(c->vq, g);
	struct isa_saved s;
	u64 va;
	int err;

	c->at[xcc] -= isa_saved_bytes(w, first);
	va = c->vq->hq.q->props.cwsr_va + (u64)xcc * c->vq->hq.q->props.cwsr_bytes + c->at[xcc];
	err = transfer(c, va, isa_wave_rows(w), isa_saved_rows_bytes(w), save);
	va += isa_saved_rows_bytes(w);
	if (!err && save)
		isa_wave_save(w, &s);
	if (!err)
		err = transfer(c, va, &s, sizeof(s), save);
	if (!err && first)
		err = transfer(c, va + sizeof(s), g->wg.lds, g->wg.lds_bytes, save);
	if (err || save)
		return err;
	isa_wave_load(w, &s);
	g->asleep = false;
	/* A debugger may let a wave go, or hold it. */
	if (g->state[i] == INTERP_WAVE_HALT && !isa_wave_halted(w))
		g->state[i] = INTERP_WAVE_RUN;
	else if (g->state[i] == INTERP_WAVE_RUN && isa_wave_halted(w))
		g->state[i] = INTERP_WAVE_HALT;
	return 0;
}

static int all_waves(struct hw_compute *vq, bool save)
{
	struct cursor c = {
		.vq = vq,
		.end = jiffies + PATIENCE,
	};
	struct interp_group *g;
	int err = 0;
	u32 i, first;

	for (i = 0; i < GPU_MAX_XCCS; i++)
		c.at[i] = vq->hq.q->props.ctl_stack_bytes + vq->saved.bytes[i];
	gpu_vm_worker_add(vq->hq.q->gdev, &c.w);
	list_for_each_entry(g, &vq->groups, queue_node) {
		first = live_wave(g, 0);
		for (i = first; i < g->nwaves && !err; i = live_wave(g, i + 1))
			err = one_wave(&c, g, i, i == first, save);
		if (err)
			break;
		cond_resched();
	}
	gpu_vm_worker_del(vq->hq.q->gdev, &c.w);
	if (err == -EFAULT)
		hw_memory_failed(vq->hq.q, err, &c.fault);
	return err;
}

/* Until let_groups_go() no worker drops a group of @vq. False: the queue is stopped for good. */
static bool hold_groups(struct hw_compute *vq)
{
	bool alive;

	spin_lock(&vq->vg->lock);
	alive = !hw_queue_stopped(&vq->hq);
	vq->moving = alive;
	spin_unlock(&vq->vg->lock);
	return alive;
}

static void let_groups_go(struct hw_compute *vq)
{
	spin_lock(&vq->vg->lock);
	vq->moving = false;
	spin_unlock(&vq->vg->lock);
	interp_work_kick(vq->vg, vq->vg->nworkers);
}

/* With the queue at rest, or evicted: threads that are still inside wait for memory. */
static void interp_waves_save(struct hw_compute *vq)
{
	if (!hold_groups(vq))
		return;
	vq->saved.valid = measure(vq) && !all_waves(vq, true);
	let_groups_go(vq);
}

int interp_waves_load(struct hw_compute *vq)
{
	int err = 0;

	if (!vq->saved.valid || !hold_groups(vq))
		return 0;
	err = all_waves(vq, false);
	let_groups_go(vq);
	if (err == -EAGAIN)
		return fatal_signal_pending(current) ? -EINTR : -ETIME;
	vq->saved.valid = false;
	return 0;
}

/* What is evicted already is not saved once more; nobody may have its area. */
void interp_waves_update(struct hw_compute *vq, bool was_on, bool on)
{
	bool late = !on && vq->hq.q->evicted && !vq->saved.valid;

	if (!on && was_on && !vq->hq.q->evicted)
		interp_waves_save(vq);
	if (on || was_on)
		vq->saved.late = late;
}

/* Waves that did not come back in time go on as they are in their workers. */
void interp_waves_restore(struct hw_compute *vq)
{
	if (READ_ONCE(vq->hq.state) == HW_QUEUE_EVICTED && interp_waves_load(vq))
		vq->saved.valid = false;
	if (vq->saved.late)
		interp_waves_save(vq);
	vq->saved.late = false;
}

/* Called with the queue at rest and nobody to change that: under process->lock. */
static void fill_stack(struct hw_compute *vq, u32 xcc, u32 *stack)
{
	const struct hw *vg = vq->vg;
	struct interp_group *g;
	u32 i, n, first;

	memset(stack, 0, STACK_HEAD * sizeof(u32));
	stack += STACK_HEAD;
	list_for_each_entry(g, &vq->groups, queue_node) {
		if (area_of(vq, g) != xcc)
			continue;
		first = live_wave(g, 0);
		for (i = first; i < g->nwaves; i = n) {
			n = live_wave(g, i + 1);
			*stack++ = isa_relaunch_state(g->wave[i]);
			*stack++ = isa_relaunch_wave(g->wave[i], vg->cus[g->cu].se,
						     g->slot < 0 ? -1 : (s32)interp_scratch_slot(g, i),
						     i == first, n == g->nwaves);
		}
	}
}

int interp_wave_state(struct gpu_queue *q, u32 xcc, struct gpu_wave_state *s, u32 *stack)
{
	struct hw_compute *vq = q->priv;

	memset(s, 0, sizeof(*s));
	if (!vq->saved.valid && q->evicted)
		interp_waves_save(vq);
	if (!vq->saved.valid)
		return hw_compute_waves(q) ? -EINVAL : 0;
	if (!hold_groups(vq))
		return -EINVAL;
	s->stack_bytes = stack_bytes(vq->saved.waves[xcc]);
	s->wave_bytes = vq->saved.bytes[xcc];
	if (stack && s->stack_bytes)
		fill_stack(vq, xcc, stack);
	let_groups_go(vq);
	return 0;
}
