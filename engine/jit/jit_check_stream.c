// SPDX-License-Identifier: MIT
/*
 * Streams against the interpreter (jit_options.check). They store to memory, and so what they do can't
 * be done twice: both the code and the interpreter do it on a wave of their own and on copies of the
 * pages that they touch, made when the first of the two comes there. So nobody notices, and what others
 * write meanwhile makes no difference. Then the waves are run as if there were no streams.
 */
#include "carry.h"
#include "jit_int.h"

#define WAVES		4u	/* of a stream */
#define PAGES		32u	/* that they may touch */
#define PAGE		((u64)ISA_PAGE_BYTES)

enum who { CODE, INTERPRETER, BOTH };

/* A page of the GPU's memory, as each of the two sees it */
struct copy {
	u64 va;
	u32 access;
	u8 *bytes[BOTH];
};

/**
 * struct jit_stream_check - of a thread
 * @cu: what both have: where the wave runs, but for memory; @real: where that is
 * @carried,@launched: the first wave, as it is launched
 */
struct jit_stream_check {
	struct isa_cu cu, *real;
	struct isa_wave *wave;
	u32 *rows, *launched;
	struct isa_carried carried;
	struct copy copy[PAGES];
	u32 ncopies;
	enum who who;
};

static struct jit_stream_check *check_of(struct jit *j)
{
	struct jit_stream_check *k = j->streams;
	void *wave;
	u32 n, i;

	if (k)
		return k;
	k = jit_take(j, sizeof(*k), 64);
	wave = jit_take(j, isa_wave_bytes(), 64);
	if (!k || !wave)
		return NULL;
	k->rows = jit_take(j, JIT_MAX_ROWS * 256, 64);
	k->launched = jit_take(j, JIT_MAX_ROWS * 256, 64);
	for (n = 0; n < PAGES; n++)
		for (i = 0; i < BOTH; i++) {
			k->copy[n].bytes[i] = jit_take(j, PAGE, 64);
			if (!k->copy[n].bytes[i])
				return NULL;
		}
	if (!k->rows || !k->launched)
		return NULL;
	k->wave = isa_wave_init(wave, NULL, 0);
	j->streams = k;
	return k;
}

static struct copy *copy_at(struct jit_stream_check *k, u64 va)
{
	u32 n;

	for (n = 0; n < k->ncopies; n++)
		if (k->copy[n].va == va)
			return &k->copy[n];
	return NULL;
}

static bool lookup(struct isa_cu *cu, u64 va, u32 access, struct isa_page *x)
{
	struct jit_stream_check *k = cu->priv;
	struct copy *c = copy_at(k, va & -PAGE);
	u32 n;

	if (!c || (c->access & access) != access) {
		if ((!c && k->ncopies == PAGES) || !k->real->lookup(k->real, va, access, x))
			return false;
		if (!c) {
			c = &k->copy[k->ncopies];
			c->va = va & -PAGE;
			memcpy(c->bytes[0], x->host, PAGE);
			for (n = 1; n < BOTH; n++)
				memcpy(c->bytes[n], c->bytes[0], PAGE);
			k->ncopies++;
		}
		c->access = x->access;
	}
	x->host = c->bytes[k->who];
	x->access = c->access;
	return true;
}

static void begin(struct jit_stream_check *k, struct isa_wave *w)
{
	k->real = w->cu;
	k->cu.target = w->cu->target;
	k->cu.arch = w->cu->arch;
	k->cu.family = w->cu->family;
	k->cu.lane = w->cu->lane;
	k->cu.icache = w->cu->icache;
	k->cu.icache_epoch = w->cu->icache_epoch;
	k->cu.clock = w->cu->clock;
	k->cu.insn_count = w->cu->insn_count;
	k->cu.lookup = lookup;
	k->cu.priv = k;
	k->ncopies = 0;
	isa_wave_carry(w, &k->carried);
	memcpy(k->launched, w->v, isa_wave_rows_bytes(w));
}

/* The wave as the first of @g is launched, where @who sees memory */
static void launch(struct jit_stream_check *k, const struct isa_wave *w, enum who who)
{
	u32 i;

	k->who = who;
	isa_tlb_flush(&k->cu.tlb);
	/* Scalar loads of a stream want the TLB to know the page, as it does when waves have run. */
	for (i = 0; i < k->ncopies; i++)
		isa_translate_slow(&k->cu, k->copy[i].va, k->copy[i].access & ISA_R ?: ISA_W);
	memcpy(k->rows, k->launched, isa_wave_rows_bytes(w));
	isa_wave_arrive(k->wave, &k->cu, w->wg, &k->carried, k->rows);
}

/* By the interpreter: wave @n behind that one; its instructions, 0: it has not ended after @most */
static u64 follow(struct jit_stream_check *k, const struct isa_wave *w, const struct jit_grid *g,
		  u32 n, u64 most)
{
	const u32 item = g->item + n * ISA_LANES;
	struct isa_exit ex;
	u64 insns = 0;
	u32 l;

	launch(k, w, INTERPRETER);
	k->wave->s[g->id] += item / g->items;
	for (l = 0; l < ISA_LANES; l++)
		k->wave->v[l] = item % g->items + l;
	do {
		memset(&ex, 0, sizeof(ex));
		isa_wave_run(k->wave, (unsigned int)(most - insns), &ex);
		insns += ex.insns;
	} while (ex.why == ISA_STOP_BUDGET && insns < most);
	return ex.why == ISA_STOP_END ? insns : 0;
}

/* The first one's @insns have been interpreted. */
static bool is_same(struct jit_stream_check *k, const struct isa_wave *w, const struct jit_grid *g,
		    const struct jit_frame *f, u64 insns)
{
	u64 n, one;

	for (n = 1; n < f->waves; n++) {
		if (insns >= f->insns)
			return false;
		one = follow(k, w, g, (u32)n, f->insns - insns);
		if (!one)
			return false;
		insns += one;
	}
	for (n = 0; n < k->ncopies; n++)
		if (memcmp(k->copy[n].bytes[CODE], k->copy[n].bytes[INTERPRETER], PAGE))
			return false;
	return insns == f->insns;
}

/* What stores is named. */
static void found(struct jit *j, const struct jit_unit *u)
{
	u32 n;

	for (n = 0; n + 1 < u->ninsns && u->insn[n].kind != JIT_KIND_STORE; n++)
		;
	j->differs = (struct jit_difference){ .op = u->insn[n].i.op, .pc = u->insn[n].pc };
	j->different = true;
}

void jit_check_stream(struct jit *j, struct isa_wave *w, const struct jit_grid *g)
{
	struct jit_unit *u = jit_unit_of(j, w, JIT_STREAM_INSNS);
	struct jit_stream_check *k;
	struct jit_frame f;
	u64 first;

	if (u && jit_state_of(u) != JIT_READY)
		jit_warm(j, u, w);
	if (!u || jit_state_of(u) != JIT_READY || !u->stream)
		return;
	k = check_of(j);
	if (!k)
		return;
	begin(k, w);
	/* A page that is not there, or a fault: the wave has that when it is run. */
	first = follow(k, w, g, 0, 2 * JIT_MAX_INSNS);
	if (!first)
		return;
	launch(k, w, CODE);
	f = (struct jit_frame){
		.insn = u->insn, .pc = u->key.pc, .translate = isa_translate_slow,
		.waves = g->waves < WAVES ? g->waves : WAVES, .item = g->item,
		.items = g->items, .id = g->id,
	};
	jit_call(u, k->wave, &f);
	j->stats.streams += f.waves;
	if (f.waves > WAVES || (f.waves && !is_same(k, w, g, &f, first)))
		found(j, u);
}
