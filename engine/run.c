// SPDX-License-Identifier: MIT
/* A thread: asks for waves, runs them in turn, says how that went. */
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>

#include "engine.h"
#include "jit.h"

#define ICACHE_LINES	256
#define WAVE_QUANTUM	4096u	/* instructions of a wave before the next */
#define WAVE_OVERHEAD	16u	/* cost of switching waves, in instructions */
#define COUNT_SECTIONS	2048u	/* how many at most before opcodes are counted again */

__thread struct thread *self;

/* Held until the address space is mapped and the process is locked up */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

/* Threads that the C library has nothing left to do for: its calls are not allowed later. */
static unsigned int started;

void gate_wait(unsigned int threads)
{
	while (__atomic_load_n(&started, __ATOMIC_ACQUIRE) < threads)
		sched_yield();
}

void gate_close(void)
{
	pthread_mutex_lock(&gate);
}

void gate_open(void)
{
	pthread_mutex_unlock(&gate);
}

static u64 clock_100mhz(struct isa_cu *cu)
{
	struct timespec t;

	(void)cu;
	clock_gettime(CLOCK_BOOTTIME, &t);
	return (u64)t.tv_sec * 100000000 + (u64)t.tv_nsec / 10;
}

void *take(size_t bytes)
{
	void *p = mmap(space_room(bytes), bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("no memory\n");
	return p;
}

void thread_init(struct thread *t, unsigned int number, const struct vkfd_engine_hello *h)
{
	const u32 cpu = ISA_CPU_AVX2 | ISA_CPU_AVX512;	/* the module has looked */
	size_t wave = (isa_wave_bytes() + 63) & -64ul;
	u8 *waves = take(VKFD_ENGINE_WAVES * wave);
	unsigned int i;

	t->number = number;
	t->section = mmap(space_room(h->section_bytes), h->section_bytes,
			  PROT_READ | PROT_WRITE, MAP_SHARED, VKFD_ENGINE_FD,
			  (off_t)(VKFD_ENGINE_SECTIONS + number * h->section_bytes));
	if (t->section == MAP_FAILED)
		die("no section\n");
	t->window = take(WINDOWS * PAGE);
	t->cu = take(sizeof(*t->cu));
	t->cu->target = isa_target_find(h->gfx[0], h->gfx[1], h->gfx[2]);
	t->cu->lane = isa_lane_by_name(h->lanes, cpu);
	t->cu->arch = t->cu->target ? isa_target_arch(t->cu->target) : NULL;
	/* The module may know fewer opcodes; the numbers of those are the same in both. */
	if (!t->cu->target || !t->cu->lane || h->ops > isa_op_count())
		die("this GPU is not known here\n");
	t->cu->icache = isa_icache_init(take(isa_icache_bytes(ICACHE_LINES)), ICACHE_LINES);
	t->cu->insn_count = take(isa_op_count() * sizeof(u64));
	t->sum = take(isa_op_count() * sizeof(u64));
	t->known = take(KNOWN * sizeof(*t->known));
	t->nops = h->ops;
	t->counts = (u64 *)((u8 *)t->section + h->counts_at);
	t->cu->lookup = space_lookup;
	t->cu->clock = clock_100mhz;
	t->cu->priv = t;
	for (i = 0; i < VKFD_ENGINE_WAVES; i++)
		t->wave[i] = isa_wave_init(waves + i * wave, NULL, 0);
	compile_init(t);
}

static const struct isa_carried *carried(const struct thread *t)
{
	return (const struct isa_carried *)(t->section + 1);
}

static bool runs_here(const struct vkfd_engine_section *s, u32 i)
{
	return s->state[i] == VKFD_ENGINE_RUNS || s->state[i] == VKFD_ENGINE_BARRIER;
}

static u32 live_waves(const struct vkfd_engine_section *s)
{
	u32 i, live = 0;

	for (i = 0; i < s->nwaves; i++)
		live += s->state[i] != VKFD_ENGINE_ENDED;
	return live;
}

/* The barriers as they were sent, and as they go back */
static void take_barriers(struct thread *t)
{
	const struct vkfd_engine_section *s = t->section;
	u32 id;

	isa_barriers_init(&t->barriers, live_waves(s));
	for (id = 0; id < ISA_BARRIERS; id++) {
		t->barriers.signals[id] = s->signals[id];
		t->barriers.complete[id] = s->complete[id];
	}
}

static void put_barriers(const struct thread *t)
{
	struct vkfd_engine_section *s = t->section;
	u32 id;

	for (id = 0; id < ISA_BARRIERS; id++) {
		s->signals[id] = t->barriers.signals[id];
		s->complete[id] = t->barriers.complete[id];
	}
}

static void arrive(struct thread *t)
{
	struct vkfd_engine_section *s = t->section;
	u32 i;

	t->wg.lds = (u8 *)s + s->lds_at;
	t->wg.lds_bytes = s->lds_bytes;
	if (t->gen != s->gen || t->windows > WINDOWS / 2) {
		space_forget(t);
		t->cu->icache_epoch++;
	}
	if (s->code_seq > t->code_seq || s->code_epoch != t->code_epoch)
		t->cu->icache_epoch++;
	t->gen = s->gen;
	t->code_seq = s->code_seq > t->code_seq ? s->code_seq : t->code_seq;
	t->code_epoch = s->code_epoch;
	take_barriers(t);
	for (i = 0; i < VKFD_ENGINE_WAVES; i++)
		t->sent[i] = i < s->nwaves && runs_here(s, i);
	for (i = 0; i < s->nwaves; i++)
		if (t->sent[i])
			isa_wave_arrive(t->wave[i], t->cu, &t->wg, &carried(t)[i],
					(u32 *)((u8 *)s + s->rows_at[i]));
	groups_arrive(t);
}

static void at_barrier(struct thread *t, u32 i, u32 info)
{
	if (info & ISA_BARRIER_FIRST)
		isa_wave_set_scc(t->wave[i], isa_barrier_is_first(&t->barriers, info,
								  t->section->nwaves));
	if (!isa_barrier_stop(&t->barriers, info))
		return;
	t->section->state[i] = VKFD_ENGINE_BARRIER;
	t->section->barrier[i] = info & ISA_BARRIER_ID;
}

static bool wave_ready(struct thread *t, u32 i)
{
	struct vkfd_engine_section *s = t->section;

	if (s->state[i] == VKFD_ENGINE_BARRIER &&
	    isa_barrier_wait(&t->barriers, i, s->barrier[i]))
		s->state[i] = VKFD_ENGINE_RUNS;
	return s->state[i] == VKFD_ENGINE_RUNS;
}

/* The next wave that can run; nwaves if there is none. */
static u32 next_wave(struct thread *t)
{
	struct vkfd_engine_section *s = t->section;
	u32 i, n;

	for (n = 0, i = s->next; n < s->nwaves; n++, i++) {
		if (i >= s->nwaves)
			i = 0;
		if (wave_ready(t, i))
			return i;
	}
	return s->nwaves;
}

static void stopped(struct vkfd_engine_section *s, const struct isa_exit *ex)
{
	unsigned int op;

	s->how = VKFD_ENGINE_STOP;
	s->why = ex->why;
	s->info = ex->info;
	s->va = ex->va;
	s->len = ex->len;
	s->access = ex->access;
	for (op = 0; ex->name && op < isa_op_count(); op++)
		if (!strcmp(isa_op_name(op), ex->name))
			s->op = op + 1;
}

bool run_untorn(struct thread *t, void (*run)(struct thread *t, void *arg), void *arg,
		struct isa_exit *ex)
{
	if (sigsetjmp(t->torn, 0)) {
		t->running = false;
		memset(ex, 0, sizeof(*ex));
		ex->why = ISA_STOP_MISS;
		ex->va = t->torn_va;
		ex->access = t->torn_access;
		return false;
	}
	t->running = true;
	run(t, arg);
	t->running = false;
	return true;
}

struct wave_turn {
	struct isa_wave *w;
	u32 quantum;
	struct isa_exit *ex;
};

static void run_turn(struct thread *t, void *arg)
{
	const struct wave_turn *x = arg;

	if (t->jit && !isa_wave_leads(x->w))
		jit_wave_run(t->jit, x->w, x->quantum, x->ex);
	else
		isa_wave_run(x->w, x->quantum, x->ex);
}

/* Runs one wave. False if it lost a page in the middle of an instruction, and cannot go on. */
static bool run_wave(struct thread *t, struct isa_wave *w, u32 quantum, struct isa_exit *ex)
{
	struct wave_turn x = { .w = w, .quantum = quantum, .ex = ex };

	return run_untorn(t, run_turn, &x, ex);
}

struct group_turns {
	struct jit_group g;
	u32 budget;
	struct isa_exit *ex;
};

static void run_group(struct thread *t, void *arg)
{
	struct group_turns *x = arg;

	jit_group_run(t->jit, &x->g, x->budget, WAVE_QUANTUM, x->ex);
}

/* When wave @i of the group has its turn, and whose turn it is: see ISA_FIRST_TURN */
static u32 turn_of(const struct vkfd_engine_section *s, u32 i)
{
	return (i + s->nwaves - ISA_FIRST_TURN) % s->nwaves;
}

static u32 wave_of(const struct vkfd_engine_section *s, u32 turn)
{
	return (turn + ISA_FIRST_TURN) % s->nwaves;
}

/* @bits of waves as bits of their turns, with @by ISA_FIRST_TURN; nwaves - ISA_FIRST_TURN: back */
static u32 turned(const struct vkfd_engine_section *s, u32 bits, u32 by)
{
	const u32 all = ~0u >> (32 - s->nwaves);

	bits &= all;
	by %= s->nwaves;
	return by ? (bits >> by | bits << (s->nwaves - by)) & all : bits;
}

/* The waves that compiled code can run in turns; false: one waits for what that knows nothing of. */
static bool group_begin(struct thread *t, struct jit_group *g)
{
	const struct vkfd_engine_section *s = t->section;
	u32 *complete = &t->barriers.complete[ISA_BARRIER_GROUP], i;

	*g = (struct jit_group){
		.wave = t->turn, .waves = s->nwaves, .next = turn_of(s, s->next),
		.barriers = &t->barriers, .leads = s->nwaves > 1,
	};
	for (i = 0; i < s->nwaves; i++) {
		const u32 turn = turn_of(s, i);

		t->turn[turn] = t->wave[i];
		if (s->state[i] == VKFD_ENGINE_RUNS)
			g->runs |= BIT(turn);
		if (s->state[i] != VKFD_ENGINE_BARRIER)
			continue;
		if (s->barrier[i] != ISA_BARRIER_GROUP)
			return false;
		g->waits |= BIT(turn);
	}
	*complete = turned(s, *complete, ISA_FIRST_TURN);
	return true;
}

static void group_end(struct thread *t, const struct jit_group *g, u32 were)
{
	struct vkfd_engine_section *s = t->section;
	u32 *complete = &t->barriers.complete[ISA_BARRIER_GROUP], i;

	*complete = turned(s, *complete, s->nwaves - ISA_FIRST_TURN);
	for (i = 0; i < s->nwaves; i++) {
		const u32 turn = BIT(turn_of(s, i));

		if (!(were & turn))
			continue;
		s->state[i] = g->runs & turn ? VKFD_ENGINE_RUNS :
			      g->waits & turn ? VKFD_ENGINE_BARRIER : VKFD_ENGINE_ENDED;
		if (g->waits & turn)
			s->barrier[i] = ISA_BARRIER_GROUP;
	}
	s->next = wave_of(s, g->next);
	s->insns += (u32)g->insns;
	s->cost += (u32)g->cost;
}

/*
 * Runs waves from @s->next on by compiled code, from barrier to barrier. @any: that has been done,
 * and unless @ex says that wave @s->next has stopped there is nothing more to do about it. False:
 * as run_wave().
 */
static bool run_group_turns(struct thread *t, struct isa_exit *ex, bool *any)
{
	const struct vkfd_engine_section *s = t->section;
	struct group_turns x = { .budget = s->budget - s->cost, .ex = ex };
	bool whole;
	u32 were;

	ex->why = ISA_STOP_NONE;
	*any = false;
	if (!t->jit || !jit_has_any(t->jit) || !group_begin(t, &x.g))
		return true;
	were = x.g.runs | x.g.waits;
	whole = run_untorn(t, run_group, &x, ex);
	if (!whole)
		jit_group_torn(t->jit, &x.g);
	*any = x.g.cost;
	group_end(t, &x.g, were);
	return whole;
}

/* Whether compiled code and the interpreter disagreed. The module then ends this process. */
static bool is_wrong(const struct thread *t)
{
	const struct jit_difference *d = t->jit ? jit_differs(t->jit) : NULL;

	if (d) {
		t->section->how = VKFD_ENGINE_DIFFERS;
		t->section->op = d->op + 1;
		t->section->va = d->pc;
	}
	return d;
}

/* If all waves have met, the first one begins: see ISA_FIRST_TURN. */
static void look_who_leads(struct thread *t)
{
	struct vkfd_engine_section *s = t->section;

	if (!isa_barriers_met(&t->barriers))
		return;
	s->next = 0;
	if (s->nwaves > 1 && s->state[0] != VKFD_ENGINE_ENDED)
		isa_wave_lead(t->wave[0], true);
}

/*
 * Runs waves until one has stopped, all have, or the budget is spent. Then a wave whose turn is cut
 * short goes on with the next section, if it has not had all of this one.
 */
static void run_waves(struct thread *t)
{
	struct vkfd_engine_section *s = t->section;
	u32 yields = 0, turns = 0, passed = 0;
	struct isa_exit ex;
	bool torn, any, lead;

	while (s->cost < s->budget) {
		u32 left, quantum, live = live_waves(s);

		if (!live) {
			s->how = VKFD_ENGINE_DONE;
			if (!groups_next(t, &ex, &torn))
				break;
			if (torn) {
				s->torn = 1;
				stopped(s, &ex);
				return;
			}
			if (s->cost >= s->budget)
				break;
			yields = 0;
			live = live_waves(s);
		}
		left = s->budget - s->cost;
		quantum = left < WAVE_QUANTUM ? left : WAVE_QUANTUM;
		s->how = live ? VKFD_ENGINE_STUCK : VKFD_ENGINE_DONE;
		s->next = next_wave(t);
		if (s->next == s->nwaves || yields > live) {
			s->next = ISA_FIRST_TURN;
			return;
		}
		any = false;
		lead = isa_wave_leads(t->wave[s->next]);
		if (lead && quantum > ISA_LEAD_INSNS)
			quantum = ISA_LEAD_INSNS;
		if ((!lead && !run_group_turns(t, &ex, &any)) ||
		    (!any && !run_wave(t, t->wave[s->next], quantum, &ex))) {
			s->torn = 1;
			stopped(s, &ex);
			return;
		}
		if (is_wrong(t))
			return;
		if (any && ex.why == ISA_STOP_NONE) {
			yields = 0;
			look_who_leads(t);
			continue;
		}
		if (!any) {
			s->insns += ex.insns;
			s->cost += ex.cost + WAVE_OVERHEAD;
		}
		turns++;
		switch (ex.why) {
		case ISA_STOP_NONE:
		case ISA_STOP_BUDGET:
			if (!lead)
				yields = ex.info && ex.insns < quantum / 2 ? yields + 1 : 0;
			if (turns > 1 && !ex.info && s->cost >= s->budget)
				continue;
			isa_wave_lead(t->wave[s->next], false);
			break;
		case ISA_STOP_BARRIER:
			yields = 0;
			at_barrier(t, s->next, ex.info);
			if (!t->barriers.met && wave_ready(t, s->next) &&
			    ++passed < ISA_BARRIERS_PASSED)
				continue;
			break;
		case ISA_STOP_END:
			yields = 0;
			s->state[s->next] = VKFD_ENGINE_ENDED;
			isa_barriers_wave_ends(&t->barriers);
			break;
		case ISA_STOP_MISS:
			if (t->no_window) {
				space_forget(t);
				t->cu->icache_epoch++;
				continue;
			}
			/* fallthrough */
		default:
			stopped(s, &ex);
			return;
		}
		passed = 0;
		s->next++;
		look_who_leads(t);
	}
	s->how = live_waves(s) || s->begun < s->ahead + s->fresh ? VKFD_ENGINE_BUDGET :
								   VKFD_ENGINE_DONE;
}

static void depart(struct thread *t)
{
	struct vkfd_engine_section *s = t->section;
	struct isa_carried *c = (struct isa_carried *)(s + 1);
	u32 i;

	s->here = live_waves(s) != 0;
	put_barriers(t);
	for (i = 0; s->here && i < s->nwaves; i++)
		if (t->sent[i])
			isa_wave_carry(t->wave[i], &c[i]);
}

static void count(struct thread *t)
{
	unsigned int op;

	memset(t->sum, 0, isa_op_count() * sizeof(u64));
	isa_icache_count(t->cu, t->sum);
	for (op = 0; op < t->nops; op++)
		__atomic_store_n(&t->counts[op], t->sum[op], __ATOMIC_RELAXED);
}

void *thread_main(void *arg)
{
	struct thread *t = arg;
	u32 uncounted = 0;
	u64 compiled;

	self = t;
	__atomic_add_fetch(&started, 1, __ATOMIC_RELEASE);
	gate_close();
	gate_open();
	for (;;) {
		if (ioctl(VKFD_ENGINE_FD, VKFD_ENGINE_RUN, (unsigned long)t->number)) {
			if (errno != EINTR)
				die("RUN\n");
			continue;
		}
		if (!t->section->nwaves || ++uncounted == COUNT_SECTIONS) {
			count(t);
			uncounted = 0;
		}
		if (!t->section->nwaves)
			continue;
		arrive(t);
		compiled = t->jit ? jit_compiled(t->jit) : 0;
		run_waves(t);
		if (t->jit)
			t->section->compiled = (u32)(jit_compiled(t->jit) - compiled);
		depart(t);
	}
}
