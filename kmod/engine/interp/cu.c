// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compute-unit workers: they run waves. The only caller of kernel_fpu_begin().
 *
 * Waves run in sections: preemption off, inside the VM, FPU in use. Nothing sleeps there, and
 * the instruction budget is adapted to keep a section near interp.section_ns. Waves of a group
 * take turns within sections. A turn of a group consists of several sections; the groups of a
 * worker take turns of hw.turn_ns. Whatever a wave does, after one section the worker is back
 * here and checks whether the dispatch is still wanted.
 */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "interp.h"
#include "../../compat/cpu.h"

#define WAVE_QUANTUM	4096	/* instructions of a wave before the next */
#define WAVE_SLICE	512	/* of those, before a look at the clock */
#define WAVE_OVERHEAD	16	/* cost of switching waves, in instructions */
#define BUDGET_MIN	64
#define BUDGET_MAX	32768
#define LAZY_TURNS	8	/* turns without progress before the worker naps */
#define ASLEEP_LOOKS	16	/* waiting groups to look at in a turn */
#define MAX_GROUPS	4096u	/* resident groups of a queue on a worker */
#define MAX_WEIGHT	16
#define TURN_SECTIONS	64	/* most sections in a turn, however short */

enum section_end {
	SECTION_BUDGET,		/* time is up */
	SECTION_STUCK,		/* every wave yielded or is halted */
	SECTION_DONE,		/* the group has ended */
	SECTION_STOP,		/* a wave needs service: isa_exit says which */
};

/* Address translation for the engine, within a section. */
bool interp_cu_lookup(struct isa_cu *cu, u64 va, u32 access, struct isa_page *x)
{
	struct interp_worker *w = cu->priv;
	u32 allowed = 0;
	void *page;

	page = gpu_vm_lookup(w->vmw.vm, va, access, &allowed);
	if (!page)
		return false;
	x->host = page;
	x->access = allowed;
	return true;
}

/* The engine's caches are valid for one VM in one state. */
static void validate_caches(struct interp_worker *w, const struct interp_group *g,
			    u64 gen)
{
	struct gpu_vm *vm = g->grid->vq->hq.q->vm;
	int tlb_epoch = atomic_read(&w->ip->tlb_epoch);
	int code_epoch = atomic_read(&w->ip->code_epoch);
	bool stale = false;

	if (w->tlb_vm != vm || w->tlb_gen != gen || w->tlb_epoch != tlb_epoch) {
		isa_tlb_flush(&w->cu->tlb);
		w->tlb_vm = vm;
		w->tlb_gen = gen;
		w->tlb_epoch = tlb_epoch;
		stale = true;
	}
	if (g->grid->seq > w->code_seq || w->code_epoch != code_epoch) {
		w->code_seq = max(w->code_seq, g->grid->seq);
		w->code_epoch = code_epoch;
		stale = true;
	}
	if (stale)
		w->cu->icache_epoch++;
}

static void release_barrier(struct interp_group *g)
{
	u32 i;

	for (i = 0; i < g->nwaves; i++)
		if (g->state[i] == INTERP_WAVE_BARRIER)
			g->state[i] = INTERP_WAVE_RUN;
	g->waiting = 0;
}

/* The next wave that can run, starting at g->next; nwaves if there is none. */
static u32 next_wave(struct interp_group *g)
{
	u32 i, n;

	if (g->waiting && g->waiting == g->live)
		release_barrier(g);
	for (n = 0, i = g->next; n < g->nwaves; n++, i++) {
		if (i >= g->nwaves)
			i = 0;
		if (g->state[i] == INTERP_WAVE_GWS && interp_gws_ready(interp_queue_of(g), g, i))
			g->state[i] = INTERP_WAVE_RUN;
		if (g->state[i] == INTERP_WAVE_RUN)
			return i;
	}
	return g->nwaves;
}

/*
 * A wave's turn in a section. Instructions differ in cost by four orders of magnitude, so a
 * budget that grew large with cheap ones must not be applied to expensive ones. Returns false if
 * @end was reached, which ends the section. @unseen: cost of the instructions since the last
 * look at the clock; a look costs as much as ten cheap instructions.
 */
static bool run_wave(struct isa_wave *wave, u32 quantum, u64 end, struct isa_exit *ex,
		     u32 *unseen)
{
	u32 slice, n = 0, cost = 0;
	bool early = true;

	BUILD_BUG_ON(ISA_COST_TURN < WAVE_SLICE);

	*unseen += WAVE_OVERHEAD;
	do {
		slice = min_t(u32, quantum - n, WAVE_SLICE);
		isa_wave_run(wave, slice, ex);
		n += ex->insns;
		cost += ex->cost;
		*unseen += ex->cost;
		if (*unseen >= WAVE_SLICE) {
			early = ktime_get_ns() < end;
			*unseen = 0;
		}
	} while (early && n < quantum && ex->why == ISA_STOP_BUDGET && !ex->info);
	ex->insns = n;
	ex->cost = cost;
	return early;
}

/*
 * Runs waves in turn within a section. On return, g->next is the wave that stopped, and @spent
 * the part of the budget that was used, in cheap instructions.
 */
static enum section_end run_waves(struct interp_worker *w, struct interp_group *g,
				  u64 end, struct isa_exit *ex, u32 *insns, u32 *spent)
{
	u32 yields = 0, unseen = 0;
	bool early = true;

	while (*spent < w->budget && early) {
		u32 quantum = min_t(u32, w->budget - *spent, WAVE_QUANTUM);

		if (!g->live) {
			if (!interp_group_next(w, g))
				return SECTION_DONE;
			*spent += g->nwaves * WAVE_OVERHEAD;
		}
		g->next = next_wave(g);
		g->asleep = g->next == g->nwaves;
		if (g->asleep || yields > g->live) {
			g->next = 0;
			return SECTION_STUCK;
		}
		early = run_wave(g->wave[g->next], quantum, end, ex, &unseen);
		*insns += ex->insns;
		*spent += ex->cost + WAVE_OVERHEAD;
		switch (ex->why) {
		case ISA_STOP_NONE:
		case ISA_STOP_BUDGET:
			yields = ex->info && ex->insns < quantum / 2 ? yields + 1 : 0;
			break;
		case ISA_STOP_BARRIER:
			yields = 0;
			g->state[g->next] = INTERP_WAVE_BARRIER;
			g->waiting++;
			break;
		case ISA_STOP_END:
			yields = 0;
			g->state[g->next] = INTERP_WAVE_END;
			g->live--;
			break;
		default:
			return SECTION_STOP;
		}
		g->next++;
	}
	return g->live ? SECTION_BUDGET : SECTION_DONE;
}

static void adapt_budget(struct interp_worker *w, u32 spent, u64 ns)
{
	u64 want;

	w->n.sections++;
	w->n.section_ns += ns;
	w->n.section_max_ns = max(w->n.section_max_ns, ns);
	if (!ns || (spent < w->budget / 2 && ns < w->ip->section_ns))
		return;
	want = div64_u64((u64)spent * w->ip->section_ns, ns);
	want = min_t(u64, want, (u64)w->budget * 2);
	w->budget = clamp_t(u64, want, BUDGET_MIN, BUDGET_MAX);
}

static void note_cpu_time(struct interp_worker *w, u64 ns)
{
	w->n.section_max_cpu_ns = max(w->n.section_max_cpu_ns, ns);
}

static enum section_end run_section(struct interp_worker *w, struct interp_group *g,
				    struct isa_exit *ex, u64 *executed)
{
	enum section_end end;
	bool timed = READ_ONCE(w->ip->cpu_clock);
	u32 insns = 0, spent = 0;
	u64 gen, start, cpu = 0;

	gen = gpu_vm_enter(&w->vmw, g->grid->vq->hq.q->vm);
	validate_caches(w, g, gen);
	start = ktime_get_ns();
	kernel_fpu_begin();
	interp_own_cpu(w, g->owner);
	if (unlikely(timed))
		cpu = interp_cpu_clock_ns();
	end = run_waves(w, g, start + 2 * w->ip->section_ns, ex, &insns, &spent);
	if (unlikely(timed))
		note_cpu_time(w, interp_cpu_clock_ns() - cpu);
	kernel_fpu_end();
	w->n.insns += insns;
	adapt_budget(w, spent, ktime_get_ns() - start);
	gpu_vm_exit(&w->vmw);
	*executed += insns;
	return end;
}

/* Returns false if the page has to be waited for; the wave is run again later. */
static bool serve_miss(struct interp_worker *w, struct hw_compute *vq,
		       const struct isa_exit *ex)
{
	int err;

	w->n.misses++;
	err = hw_wave_missed(vq, ex->va, ex->access);
	if (err == -EAGAIN)
		return false;
	w->n.faults += err != 0;
	return true;
}

static void serve_gws(struct interp_group *g, const struct isa_exit *ex)
{
	struct isa_exit denied = { .why = ISA_STOP_MEMVIOL, .info = ex->info };

	if (!interp_gws_run(interp_queue_of(g), g, g->next, ex))
		interp_wave_exception(g->grid->vq, g->wave[g->next], &denied);
}

/* Serves the stopped wave's request outside of the section; false if it has to wait. */
static bool serve_stop(struct interp_worker *w, struct interp_group *g,
		       const struct isa_exit *ex)
{
	struct hw_compute *vq = g->grid->vq;
	struct isa_wave *wave = g->wave[g->next];

	switch (ex->why) {
	case ISA_STOP_MISS:
		return serve_miss(w, vq, ex);
	case ISA_STOP_MSG:
		w->n.messages++;
		interp_wave_message(vq, wave, ex->info);
		break;
	case ISA_STOP_GWS:
		serve_gws(g, ex);
		break;
	case ISA_STOP_HALT:
		g->state[g->next] = INTERP_WAVE_HALT;
		break;
	default:
		interp_wave_exception(vq, wave, ex);
		break;
	}
	return true;
}

static bool turn_over(const struct interp_group *g)
{
	const struct hw_compute *vq = g->grid->vq;

	return READ_ONCE(g->grid->aborted) || !hw_queue_running(&vq->hq) ||
	       kthread_should_stop();
}

/* Returns true if any wave made progress. The caller has entered the queue. */
static bool run_turn(struct interp_worker *w, struct interp_group *g)
{
	u64 end = ktime_get_ns() + div_u64(w->vg->turn_ns, w->nresident);
	struct interp_share *s = &interp_queue_of(g)->on_worker[w->index];
	enum section_end how = SECTION_BUDGET;
	u64 insns = 0, groups = w->n.groups;
	unsigned int n;
	struct isa_exit ex;
	bool ran = false;

	for (n = 0; n < TURN_SECTIONS && !turn_over(g); n++) {
		how = run_section(w, g, &ex, &insns);
		ran = true;
		if (how == SECTION_STOP && !serve_stop(w, g, &ex)) {
			how = SECTION_STUCK;
			insns++;	/* waiting for a page is not a hang */
		}
		if (how != SECTION_STOP && how != SECTION_BUDGET)
			break;
		cond_resched();
		if (ktime_get_ns() >= end)
			break;
	}
	if (ran)
		hw_hang_turn(g->grid->vq, insns + (how == SECTION_DONE));
	groups = w->n.groups - groups;
	if (how == SECTION_DONE && !READ_ONCE(g->grid->aborted)) {
		interp_group_retire(w, g, true);
		groups++;
	}
	if (groups) {
		s->progress_ns = ktime_get_ns();
		s->target = max(1u, s->target / 2);
	}
	return how != SECTION_STUCK;
}

/* The first awake group of the queue that has had the least time on this worker. */
static struct interp_group *awake_locked(struct interp_worker *w, u64 *least)
{
	struct interp_group *g, *found = NULL;

	list_for_each_entry(g, &w->resident, node) {
		const struct hw_compute *vq = g->grid->vq;

		if (interp_queue_of(g)->on_worker[w->index].vtime >= *least || !hw_queue_running(&vq->hq))
			continue;
		*least = interp_queue_of(g)->on_worker[w->index].vtime;
		found = g;
	}
	return found;
}

/*
 * A sleeping group that could go on, of a queue that has had less time than @least. Looks at a few
 * groups only, as most of them wait for the same thing. *@stays returns one that cannot go on.
 */
static struct interp_group *waking_locked(struct interp_worker *w, u64 least,
					struct interp_group **stays)
{
	struct interp_group *g;
	unsigned int n;

	for (n = 0; n < ASLEEP_LOOKS && n < w->nresident && !list_empty(&w->asleep); n++) {
		g = list_first_entry(&w->asleep, struct interp_group, node);
		list_move_tail(&g->node, &w->asleep);
		if (interp_queue_of(g)->on_worker[w->index].vtime >= least ||
		    !hw_queue_running(&g->grid->vq->hq))
			continue;
		if (!g->asleep || interp_gws_wakes(g))
			return g;
		*stays = g;
	}
	return NULL;
}

/*
 * Enters the queue that has had the least time on this worker, and returns its next resident
 * group, which moves to the end of the line. Groups whose waves all wait for other groups come
 * last: if a thousand groups wait for a semaphore, the one that holds it must not wait for its
 * turn among them.
 */
static struct interp_group *next_group(struct interp_worker *w)
{
	struct interp_group *found, *asleep = NULL;
	u64 least = U64_MAX;

	spin_lock(&w->vg->lock);
	found = awake_locked(w, &least);
	found = waking_locked(w, least, &asleep) ?: found ?: asleep;
	w->idle = !found;
	if (found) {
		hw_queue_hold_locked(&found->grid->vq->hq);
		w->vtime = max(w->vtime, interp_queue_of(found)->on_worker[w->index].vtime);
	}
	spin_unlock(&w->vg->lock);
	if (found)
		list_move_tail(&found->node, &w->resident);
	return found;
}

/*
 * Groups that do not end may be waiting for groups that have not started, so admit more of them.
 * Also naps when no wave makes progress, so that spinning waves do not use up the host's CPUs.
 */
static void look_for_spinning(struct interp_worker *w, struct interp_share *s, bool moved,
			      unsigned int turns)
{
	u64 now = ktime_get_ns(), grow_ns = w->ip->grow_ns;

	if (now - s->progress_ns > grow_ns && now - s->grow_ns > grow_ns &&
	    s->groups >= s->target) {
		s->target = min(s->target * 2, MAX_GROUPS);
		s->grow_ns = now;
	}
	if (moved) {
		w->lazy = 0;
	} else if (++w->lazy > turns) {
		s->target = min(s->target * 2, MAX_GROUPS);
		w->lazy = 0;
		usleep_range(20, 60);
	}
}

/*
 * Charges a queue for its turn. If a turn took much longer than allowed, the queue is not to
 * blame: something else had the CPU, maybe the host of this guest. If the queue were charged for
 * that, it would get nothing until all other queues have had as much.
 */
static void charge(struct interp_worker *w, struct hw_compute *vq, u64 ns)
{
	ns = min(ns, 2 * w->vg->turn_ns);
	to_interp_queue(vq)->on_worker[w->index].vtime +=
		div_u64(ns * MAX_WEIGHT, READ_ONCE(vq->weight)) + 1;
}

static bool run_resident(struct interp_worker *w)
{
	struct interp_group *g = next_group(w);
	struct hw_compute *vq;
	bool moved;
	u64 start;

	if (!g)
		return false;
	vq = g->grid->vq;
	start = ktime_get_ns();
	moved = run_turn(w, g);
	charge(w, vq, ktime_get_ns() - start);
	if (!moved && g->asleep)
		list_move_tail(&g->node, &w->asleep);
	if (w->nresident)
		look_for_spinning(w, &to_interp_queue(vq)->on_worker[w->index], moved,
				  LAZY_TURNS * (!moved && g->asleep ? 1 : w->nresident));
	hw_queue_leave(&vq->hq);
	interp_balance(w);
	return true;
}

static void trim_spare(struct interp_worker *w)
{
	struct interp_group *g, *tmp;

	list_for_each_entry_safe(g, tmp, &w->spare, node) {
		if (g->home)
			continue;
		list_del(&g->node);
		w->nspare--;
		atomic64_sub(g->bytes, &w->ip->block_bytes);
		interp_block_destroy(g);
	}
}

void interp_work_kick(struct interp *ip, unsigned int nr)
{
	atomic_inc(&ip->work_seq);
	/* Orders the count before the read of the wait queue. */
	smp_mb();
	/* A waiter adds itself to the wait queue before it reads the count. */
	if (waitqueue_active(&ip->work_wq))
		wake_up_nr(&ip->work_wq, nr);
}

static bool worker_wanted(struct interp *ip, int seen)
{
	return atomic_read(&ip->work_seq) != seen || kthread_should_stop();
}

static void worker_idle(struct interp_worker *w, int seen, u64 *hot_until)
{
	if (ktime_get_ns() < *hot_until) {
		cpu_relax();
		cond_resched();
		return;
	}
	trim_spare(w);
	wait_event_idle_exclusive(w->ip->work_wq, worker_wanted(w->ip, seen));
}

int interp_worker_thread(void *arg)
{
	struct interp_worker *w = arg;
	struct interp *ip = w->ip;
	int seen = atomic_read(&ip->work_seq) - 1, now;
	u64 hot_until = 0;

	while (!kthread_should_stop()) {
		now = atomic_read_acquire(&ip->work_seq);
		interp_take_given(w);
		if (now != seen)
			interp_drop_aborted(w);
		seen = now;
		interp_admit(w);
		if (run_resident(w)) {
			hot_until = ktime_get_ns() + w->vg->hot_ns;
			cond_resched_tasks_rcu_qs();
			continue;
		}
		worker_idle(w, seen, &hot_until);
	}
	return 0;
}
