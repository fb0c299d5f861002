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
#define BUDGET_REMOTE	131072	/* in user mode */
#define HUNGRY_JIFFIES	max(1, HZ / 50) /* until a worker that lacked memory looks again */

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

bool interp_wave_ready(struct interp_group *g, u32 i)
{
	if (g->state[i] == INTERP_WAVE_BARRIER && isa_barrier_wait(&g->barriers, i, g->barrier[i]))
		g->state[i] = INTERP_WAVE_RUN;
	if (g->state[i] == INTERP_WAVE_GWS && interp_gws_ready(interp_queue_of(g), g, i))
		g->state[i] = INTERP_WAVE_RUN;
	return g->state[i] == INTERP_WAVE_RUN;
}

void interp_wave_at_barrier(struct interp_group *g, u32 i, u32 info)
{
	if (info & ISA_BARRIER_FIRST)
		isa_wave_set_scc(g->wave[i], isa_barrier_is_first(&g->barriers, info, g->nwaves));
	if (!isa_barrier_stop(&g->barriers, info))
		return;
	g->state[i] = INTERP_WAVE_BARRIER;
	g->barrier[i] = info & ISA_BARRIER_ID;
}

/* The next wave that can run, starting at g->next; nwaves if there is none. */
static u32 next_wave(struct interp_group *g)
{
	u32 i, n;

	for (n = 0, i = g->next; n < g->nwaves; n++, i++) {
		if (i >= g->nwaves)
			i = 0;
		if (interp_wave_ready(g, i))
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

/* Whose turn is next, behind that of g->next; see ISA_FIRST_TURN */
static void next_turn(struct interp_group *g)
{
	g->next++;
	if (!isa_barriers_met(&g->barriers))
		return;
	g->next = 0;
	if (g->nwaves > 1 && g->state[0] != INTERP_WAVE_END)
		isa_wave_lead(g->wave[0], true);
}

/*
 * Runs waves in turn within a section. On return, g->next is the wave that stopped, and @spent
 * the part of the budget that was used, in cheap instructions. A wave whose turn is cut short by the
 * section's end goes on with the next one, or the first wave could come before it (see
 * ISA_FIRST_TURN); but not if it has had a whole section, as it may be waiting for another one.
 */
static enum interp_section_end run_waves(struct interp_worker *w, struct interp_group *g,
					 u64 end, struct isa_exit *ex, u32 *insns, u32 *spent)
{
	u32 yields = 0, unseen = 0, turns = 0, passed = 0;
	bool early = true, lead;

	while (*spent < w->budget && early) {
		u32 quantum = min_t(u32, w->budget - *spent, WAVE_QUANTUM);

		if (!g->live) {
			if (!interp_group_next(w, g))
				return INTERP_SECTION_DONE;
			*spent += g->nwaves * WAVE_OVERHEAD;
		}
		g->next = next_wave(g);
		g->asleep = g->next == g->nwaves;
		if (g->asleep || yields > g->live) {
			g->next = ISA_FIRST_TURN;
			return INTERP_SECTION_STUCK;
		}
		lead = isa_wave_leads(g->wave[g->next]);
		if (lead)
			quantum = min(quantum, ISA_LEAD_INSNS);
		early = run_wave(g->wave[g->next], quantum, end, ex, &unseen);
		*insns += ex->insns;
		*spent += ex->cost + WAVE_OVERHEAD;
		turns++;
		switch (ex->why) {
		case ISA_STOP_NONE:
		case ISA_STOP_BUDGET:
			if (!lead)
				yields = ex->info && ex->insns < quantum / 2 ? yields + 1 : 0;
			if (turns > 1 && !ex->info && !(early && *spent < w->budget))
				return INTERP_SECTION_BUDGET;
			isa_wave_lead(g->wave[g->next], false);
			break;
		case ISA_STOP_BARRIER:
			yields = 0;
			interp_wave_at_barrier(g, g->next, ex->info);
			if (!g->barriers.met && interp_wave_ready(g, g->next) &&
			    ++passed < ISA_BARRIERS_PASSED)
				continue;
			break;
		case ISA_STOP_END:
			yields = 0;
			g->state[g->next] = INTERP_WAVE_END;
			g->live--;
			isa_barriers_wave_ends(&g->barriers);
			break;
		default:
			return INTERP_SECTION_STOP;
		}
		passed = 0;
		next_turn(g);
	}
	return g->live ? INTERP_SECTION_BUDGET : INTERP_SECTION_DONE;
}

/*
 * A section in user mode can be preempted, its code may be compiled, and to get there and back
 * takes time, too, up to a hundred microseconds where kernels run on others: it may last twice as
 * long, and has at least what it begins with.
 */
void interp_adapt_budget(struct interp_worker *w, u32 spent, u64 ns)
{
	const u64 section_ns = w->ip->section_ns * (w->remote ? 2 : 1);
	u64 want;

	w->n.sections++;
	w->n.section_ns += ns;
	w->n.section_max_ns = max(w->n.section_max_ns, ns);
	if (!ns || (spent < w->budget / 2 && ns < section_ns))
		return;
	want = div64_u64((u64)spent * section_ns, ns);
	want = min_t(u64, want, (u64)w->budget * 2);
	w->budget = clamp_t(u64, want, w->remote ? interp_first_budget(w->ip) : BUDGET_MIN,
			    w->remote ? BUDGET_REMOTE : BUDGET_MAX);
}

static void note_cpu_time(struct interp_worker *w, u64 ns)
{
	w->n.section_max_cpu_ns = max(w->n.section_max_cpu_ns, ns);
}

static enum interp_section_end run_section(struct interp_worker *w, struct interp_group *g,
					   struct isa_exit *ex, u64 *executed)
{
	enum interp_section_end end;
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
	interp_adapt_budget(w, spent, ktime_get_ns() - start);
	gpu_vm_exit(&w->vmw);
	hw_capture_insns(g->grid->vq, insns);
	*executed += insns;
	return end;
}

static bool run_resident(struct interp_worker *w)
{
	struct interp_turn *t = &w->turn;
	enum interp_section_end how;
	struct isa_exit ex;

	if (!interp_turn_begin(w))
		return false;
	while (interp_turn_goes_on(w)) {
		how = run_section(w, t->g, &ex, &t->insns);
		if (!interp_turn_section(w, how, &ex))
			break;
		cond_resched();
	}
	interp_turn_end(w);
	interp_balance(w);
	return true;
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
	interp_spare_trim(w, 0);
	wait_event_idle_exclusive_timeout(w->ip->work_wq, worker_wanted(w->ip, seen),
					  w->hungry ? HUNGRY_JIFFIES : MAX_SCHEDULE_TIMEOUT);
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
