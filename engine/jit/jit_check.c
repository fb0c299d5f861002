// SPDX-License-Identifier: MIT
/*
 * Compiled code against the interpreter, while waves run (jit_options.check). A unit is run by its
 * code, what came of it is put aside, and the interpreter does as many instructions from where the
 * unit began. Its result holds, so waves go on rightly whatever the code did. If the two differ,
 * the same way is gone once more instruction by instruction, each compiled alone, to find the one.
 *
 * So it is with the waves of a group that have their turn in one call (jit_group_run()), a few at a
 * time: the interpreter does their turns one after another. jit_check_stream.c has streams.
 *
 * Units are such that nobody else notices what is done twice (jit_unit_form()): they change a wave
 * and its LDS, which is this thread's as long as it runs the wave's group. They may read what
 * others write meanwhile; so only a difference that is there each time is one.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "carry.h"
#include "jit_int.h"

#define TIMES		3u		/* that a difference has to be seen */
#define MAX_STEPS	4096u		/* that are gone one by one */
#define FIND_MS		6000u		/* the module waits ten seconds for a thread */

/* A wave as it was */
struct state {
	struct isa_carried c;
	u32 *rows;
	u8 *lds;
};

/* One of several waves of a group; their LDS is not here. */
struct turn {
	struct state start, got;
	u64 insns;	/* the interpreter's */
};

struct jit_check {
	struct state start, got, step;
	struct turn turn[JIT_CHECK_WAVES];
	u8 *lds[2];	/* of the group, as turn[] */
};

static bool take_state(struct jit *j, struct state *s)
{
	s->rows = jit_take(j, JIT_MAX_ROWS * 256, 64);
	s->lds = jit_take(j, ISA_LDS_MAX, 64);
	return s->rows && s->lds;
}

static struct jit_check *check_of(struct jit *j)
{
	struct jit_check *k = j->check;

	if (k)
		return k;
	k = jit_take(j, sizeof(*k), 64);
	if (!k || !take_state(j, &k->start) || !take_state(j, &k->got) || !take_state(j, &k->step))
		return NULL;
	j->check = k;
	return k;
}

static void save_wave(struct state *s, const struct isa_wave *w)
{
	isa_wave_carry(w, &s->c);
	memcpy(s->rows, w->v, isa_wave_rows_bytes(w));
}

static void save(struct state *s, const struct isa_wave *w)
{
	save_wave(s, w);
	memcpy(s->lds, w->wg->lds, w->wg->lds_bytes);
}

static void restore_wave(const struct state *s, struct isa_wave *w)
{
	isa_wave_carried(w, &s->c);
	memcpy(w->v, s->rows, isa_wave_rows_bytes(w));
}

static void restore(const struct state *s, struct isa_wave *w)
{
	restore_wave(s, w);
	memcpy(w->wg->lds, s->lds, w->wg->lds_bytes);
}

/* Nobody looks at the registers of a wave that has ended. */
static bool is_same_wave(const struct state *s, const struct isa_wave *w, bool ended)
{
	struct isa_carried c;

	if (ended)
		return s->c.pc == w->pc;
	isa_wave_carry(w, &c);
	return !memcmp(&s->c, &c, sizeof(c)) && !memcmp(s->rows, w->v, isa_wave_rows_bytes(w));
}

static bool is_same(const struct state *s, const struct isa_wave *w, bool ended)
{
	return !memcmp(s->lds, w->wg->lds, w->wg->lds_bytes) && is_same_wave(s, w, ended);
}

/* @n instructions by the interpreter; false if it could not do as many */
static bool follow(struct isa_wave *w, u64 n, struct isa_exit *ex, u64 *done, u64 *cost)
{
	u64 m = 0;

	memset(ex, 0, sizeof(*ex));
	while (m < n) {
		isa_wave_run(w, (unsigned int)(n - m), ex);
		m += ex->insns;
		*cost += ex->cost - ex->insns;
		if (ex->why != ISA_STOP_BUDGET)
			break;
	}
	*done += m;
	return m == n;
}

static bool is_exit(enum isa_stop why)
{
	return why == ISA_STOP_END || why == ISA_STOP_BARRIER || why == ISA_STOP_MSG ||
	       why == ISA_STOP_HALT || why == ISA_STOP_GWS;
}

/* How compiled code and the interpreter went on from k->start */
enum outcome { SAME, DIFFERENT, CANNOT };

struct run {
	enum isa_stop why;	/* of the code */
	u64 ran;
	struct isa_exit ex;	/* the interpreter's */
	u64 done, cost;
};

/* Leaves @w as the interpreter has it. */
static enum outcome run_both(struct jit *j, const struct jit_unit *u, struct isa_wave *w,
			     u32 budget, const struct state *start, struct state *got,
			     struct run *r)
{
	u64 cost = 0;

	r->ran = 0;
	r->done = 0;
	r->cost = 0;
	r->why = jit_enter(j, u, w, budget, &r->ex, &r->ran, &cost);
	save(got, w);
	restore(start, w);
	/* More than it may is wrong without a look. */
	if (r->ran > (u64)budget + JIT_MAX_INSNS * 2)
		return DIFFERENT;
	if (!follow(w, r->ran, &r->ex, &r->done, &r->cost))
		return CANNOT;
	if (is_exit(r->why) && r->ex.why != r->why)
		return DIFFERENT;
	return is_same(got, w, r->why == ISA_STOP_END) ? SAME : DIFFERENT;
}

static u64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000 + (u64)t.tv_nsec / 1000000;
}

/* The module ends a process that takes too much time for a section: waiting must take none. */
static void nap(void)
{
	static const struct timespec ms = { .tv_nsec = 1000000 };
	static u32 never;

	syscall(SYS_futex, &never, FUTEX_WAIT_PRIVATE, 0, &ms, NULL, 0);
}

/* A unit of one instruction, where @w is; NULL if that is not compiled by @end */
static struct jit_unit *single(struct jit *j, struct isa_wave *w, u64 end)
{
	struct jit_unit *u = jit_unit_of(j, w, 1);

	while (u) {
		jit_warm(j, u, w);
		if (jit_state_of(u) == JIT_READY)
			return u;
		if (jit_state_of(u) == JIT_FAILED || now_ms() >= end)
			break;
		nap();
	}
	return NULL;
}

static void found(struct jit *j, u32 op, u64 pc)
{
	j->differs = (struct jit_difference){ .op = op, .pc = pc };
	j->different = true;
}

/*
 * Which of the @n instructions from k->start on does it? Leaves @w somewhere on the way. If there is
 * no time to find out, the unit's first has to stand for it: that is named, at least.
 */
static void find(struct jit *j, const struct jit_unit *u, struct isa_wave *w, u64 n)
{
	struct jit_check *k = j->check;
	const u64 end = now_ms() + FIND_MS;
	struct run r;
	u64 at;

	restore(&k->start, w);
	for (at = 0; at < n && at < MAX_STEPS && now_ms() < end; at++) {
		struct jit_unit *one = single(j, w, end);

		save(&k->step, w);
		if (one && run_both(j, one, w, 1, &k->step, &k->got, &r) == DIFFERENT) {
			found(j, one->insn[0].i.op, one->key.pc);
			return;
		}
		restore(&k->step, w);
		if (!follow(w, 1, &r.ex, &r.done, &r.cost))
			break;
	}
	found(j, u->insn[0].i.op, u->key.pc);
}

enum isa_stop jit_check_unit(struct jit *j, struct jit_unit *u, struct isa_wave *w, u32 budget,
			     struct isa_exit *ex, u64 *done, u64 *cost)
{
	struct jit_check *k = check_of(j);
	enum outcome o = DIFFERENT;
	struct run r;
	u32 n;

	if (!k || w->wg->lds_bytes > ISA_LDS_MAX)
		return jit_interpret(j, w, budget, ex, done, cost);
	save(&k->start, w);
	for (n = 0; n < TIMES && o == DIFFERENT; n++) {
		restore(&k->start, w);
		o = run_both(j, u, w, budget, &k->start, &k->got, &r);
	}
	if (o == DIFFERENT) {
		find(j, u, w, r.ran);
		restore(&k->start, w);
		return jit_interpret(j, w, budget, ex, done, cost);
	}
	*done += r.done;
	*cost += r.cost;
	*ex = r.ex;
	if (o == CANNOT)
		return r.ex.why;
	switch ((u32)r.why) {
	case ISA_STOP_NONE:
	case ISA_STOP_SWITCH:
		return ISA_STOP_NONE;
	case ISA_STOP_END:
	case ISA_STOP_BARRIER:
	case ISA_STOP_MSG:
	case ISA_STOP_HALT:
	case ISA_STOP_GWS:
	case ISA_STOP_EXCP:
		return r.ex.why;
	default:		/* it stopped before an instruction: the interpreter says how */
		return jit_interpret(j, w, 1, ex, done, cost);
	}
}

/* ---- waves of a group, in one call ---- */

/**
 * struct call - of a unit's code for several waves
 * @wave: @n of them, all at the unit's beginning
 * @why: how it has come back; @last: a wave that has not had its whole turn; @n: there is none
 * @bad: which wave differs
 */
struct call {
	struct jit *j;
	const struct jit_unit *u;
	struct isa_wave *const *wave;
	struct jit_frame *f;
	enum isa_stop why;
	u32 n, last, bad;
};

static bool take_turns(struct jit *j, struct jit_check *k)
{
	u32 n;

	if (k->lds[1])
		return true;
	for (n = 0; n < JIT_CHECK_WAVES; n++) {
		k->turn[n].start.rows = jit_take(j, JIT_MAX_ROWS * 256, 64);
		k->turn[n].got.rows = jit_take(j, JIT_MAX_ROWS * 256, 64);
		if (!k->turn[n].start.rows || !k->turn[n].got.rows)
			return false;
	}
	k->lds[0] = jit_take(j, ISA_LDS_MAX, 64);
	k->lds[1] = jit_take(j, ISA_LDS_MAX, 64);
	return k->lds[0] && k->lds[1];
}

/* All waves to where they were; none has had its turn. */
static void rewind_all(const struct call *c)
{
	const struct jit_check *k = c->j->check;
	struct isa_wg *wg = c->wave[0]->wg;
	u32 n;

	for (n = 0; n < c->n; n++)
		restore_wave(&k->turn[n].start, c->wave[n]);
	memcpy(wg->lds, k->lds[0], wg->lds_bytes);
	c->f->turn = 0;
	c->f->ended = 0;
}

/* Wave @n's turn by the interpreter, of @most instructions; false: it does not end as it should */
static bool follow_turn(const struct call *c, u32 n, u64 most, bool ends, struct isa_exit *ex)
{
	u64 *done = &c->j->check->turn[n].insns;

	*done = 0;
	do {
		memset(ex, 0, sizeof(*ex));
		isa_wave_run(c->wave[n], (unsigned int)(most - *done), ex);
		*done += ex->insns;
	} while (ex->why == ISA_STOP_BUDGET && *done < most);
	return ex->why == (ends ? ISA_STOP_END : ISA_STOP_BARRIER);
}

/* What the interpreter makes of it, from the start; f->turn says how far it is, if it is torn. */
static enum outcome follow_turns(struct call *c, u64 turns, u64 ended)
{
	struct jit_check *k = c->j->check;
	const bool behind = c->last < c->n && jit_stop_is_behind(c->why);
	const u64 all = c->f->insns + behind;
	struct isa_exit ex;
	u64 sum = 0, cost = 0;
	u32 n;

	for (n = 0; n < turns; n++) {
		c->bad = n;
		if (!follow_turn(c, n, all + 1, ended >> n & 1, &ex))
			return ex.why == ISA_STOP_BUDGET || ex.why == ISA_STOP_END ||
			       ex.why == ISA_STOP_BARRIER ? DIFFERENT : CANNOT;
		sum += k->turn[n].insns;
		c->f->ended |= ended & BIT_ULL(n);
		c->f->turn = n + 1;
	}
	if (c->last < c->n) {
		c->bad = c->last;
		k->turn[c->last].insns = 0;
		if (!follow(c->wave[c->last], all - c->f->begun, &ex, &k->turn[c->last].insns, &cost))
			return CANNOT;
		sum += k->turn[c->last].insns;
		if (is_exit(c->why) && ex.why != c->why)
			return DIFFERENT;
	}
	return sum == all ? SAME : DIFFERENT;
}

static enum outcome run_turns(struct call *c)
{
	struct jit_check *k = c->j->check;
	struct isa_wg *wg = c->wave[0]->wg;
	u64 turns, ended;
	enum outcome o;
	u32 n;

	c->f->insns = 0;
	c->f->begun = 0;
	c->why = jit_call(c->u, c->wave[0], c->f);
	if (c->why == ISA_STOP_END)
		c->f->turn = c->f->ended = 1;
	turns = c->f->turn;
	ended = c->f->ended;
	c->last = c->why == ISA_STOP_END || (u32)c->why == JIT_TURNS ? c->n : (u32)turns;
	/* As who enters code does it (jit_group.c) */
	if (c->last < c->n && jit_stop_is_behind(c->why))
		c->wave[c->last]->pc = jit_next_pc(c->f->at);
	for (n = 0; n < c->n; n++)
		save_wave(&k->turn[n].got, c->wave[n]);
	memcpy(k->lds[1], wg->lds, wg->lds_bytes);
	rewind_all(c);
	c->bad = 0;
	if (turns > c->n || (c->last < c->n && c->f->insns < c->f->begun) ||
	    c->f->insns > c->f->left + (u64)JIT_MAX_INSNS * 2)
		return DIFFERENT;
	o = follow_turns(c, turns, ended);
	for (n = 0; n < c->n && o == SAME; n++)
		if (!is_same_wave(&k->turn[n].got, c->wave[n], ended >> n & 1)) {
			c->bad = n;
			o = DIFFERENT;
		}
	return o == SAME && memcmp(k->lds[1], wg->lds, wg->lds_bytes) ? DIFFERENT : o;
}

/* Those before it have their turns, and it goes its way instruction by instruction. */
static void find_turn(const struct call *c)
{
	struct jit_check *k = c->j->check;
	struct isa_exit ex;
	u32 n;

	rewind_all(c);
	for (n = 0; n < c->bad; n++) {
		follow_turn(c, n, k->turn[n].insns, false, &ex);
		c->f->turn = n + 1;
		c->f->ended |= ex.why == ISA_STOP_END ? BIT_ULL(n) : 0;
	}
	save(&k->start, c->wave[c->bad]);
	find(c->j, c->u, c->wave[c->bad], k->turn[c->bad].insns ?: 1);
}

bool jit_check_turns(struct jit *j, const struct jit_unit *u, struct jit_frame *f, u32 n,
		     enum isa_stop *why)
{
	struct jit_check *k = check_of(j);
	struct call c = { .j = j, .u = u, .wave = f->wave, .f = f, .n = n };
	struct isa_wg *wg = c.wave[0]->wg;
	struct isa_exit *ex = c.wave[0]->ex;
	enum outcome o = DIFFERENT;
	u32 i;

	if (!k || !take_turns(j, k) || wg->lds_bytes > ISA_LDS_MAX)
		return false;
	for (i = 0; i < n; i++)
		save_wave(&k->turn[i].start, c.wave[i]);
	memcpy(k->lds[0], wg->lds, wg->lds_bytes);
	for (i = 0; i < TIMES && o == DIFFERENT; i++) {
		rewind_all(&c);
		o = run_turns(&c);
	}
	if (o == DIFFERENT)
		find_turn(&c);
	if (o != SAME)
		rewind_all(&c);
	for (i = 0; i < n; i++) {
		c.wave[i]->ex = ex;
		c.wave[i]->slots = NULL;
	}
	*why = c.why;
	return o == SAME;
}
