// SPDX-License-Identifier: MIT
/*
 * Part of isa_jit.c: groups of waves, run by jit_group_run() and by turns of the interpreter. The
 * waves read what others have written to the LDS, and differ in what they do: one may end early, one
 * comes to another barrier, some go round more often, lose their page, or read outside.
 */
#define GROUP_WAVES	4u
#define GROUP_CASES	2500u
#define GROUP_ROWS	16u
#define GROUP_TURN	100000u	/* instructions: more than any wave does */
#define GROUP_ENTRIES	9u	/* in the first case: one to each barrier, and one for each end */

static const u32 group_program[] = {
	0x24020082,				/* v_lshlrev_b32 v1, 2, v0 */
	0x68040003,				/* v_add_u32 v2, s3, v0 */
	0xd81a0000, 0x00000201,			/* ds_write_b32 v1, v2 */
	0xbf060400,				/* s_cmp_eq_u32 s0, s4 */
	0xbf850026,				/* s_cbranch_scc1 END */
	0xbf8a0000,				/* s_barrier */
	0xd86c0004, 0x03000005,			/* ds_read_b32 v3, v5 offset:4 */
	0xbf8cc07f,				/* s_waitcnt lgkmcnt(0) */
	0xbf8a0000,				/* s_barrier */
	0x68080903,				/* v_add_u32 v4, v3, v4 */
	0xd81a0000, 0x00000401,			/* ds_write_b32 v1, v4 */
	0x80818101,				/* s_sub_u32 s1, s1, 1 */
	0xbf078001,				/* s_cmp_lg_u32 s1, 0 */
	0xbf85fff5,				/* s_cbranch_scc1 loop */
	0xbf060500,				/* s_cmp_eq_u32 s0, s5 */
	0xbf850002,				/* s_cbranch_scc1 other */
	0xbf8a0000,				/* s_barrier */
	0xbf820003,				/* s_branch join */
	0x80078107,				/* s_add_u32 s7, s7, 1 */
	0x7d980007,				/* v_cmp_gt_u32 vcc, s7, v0 */
	0xbf8a0000,				/* s_barrier */
	0xdc508000, 0x06080007,			/* global_load_dword v6, v7, s[8:9] */
	0xbf8c0f70,				/* s_waitcnt vmcnt(0) */
	0x2a0c0906,				/* v_xor_b32 v6, v6, v4 */
	0xd81a0000, 0x00000601,			/* ds_write_b32 v1, v6 */
	0xbf8cc07f,				/* s_waitcnt lgkmcnt(0) */
	0xbf8a0000,				/* s_barrier */
	0x7d98000a,				/* v_cmp_gt_u32 vcc, s10, v0 */
	0xbe8c206a,				/* s_and_saveexec_b64 s[12:13], vcc */
	0xbf880005,				/* s_cbranch_execz skip */
	0xd86c0000, 0x08000005,			/* ds_read_b32 v8, v5 */
	0xbf8cc07f,				/* s_waitcnt lgkmcnt(0) */
	0xdc708000, 0x00080809,			/* global_store_dword v9, v8, s[8:9] */
	0x87fe0c7e,				/* s_or_b64 exec, exec, s[12:13] */
	0xbf8a0000,				/* s_barrier */
	0xd86c0000, 0x0a000001,			/* ds_read_b32 v10, v1 */
	0xbf810000,				/* s_endpgm */
};

struct troop {
	struct machine *m;
	struct isa_wave *wave[GROUP_WAVES];
	struct isa_barriers barriers;
	struct jit_group g;
	bool stays;	/* who has had dear instructions goes on with its turn */
	u32 met;	/* barriers that waves have come to, one by one */
};

static void troop_alloc(struct troop *t, struct machine *m)
{
	const size_t bytes = (isa_wave_bytes() + 63) & ~63ul;
	u32 k;

	t->m = m;
	for (k = 0; k < GROUP_WAVES; k++)
		t->wave[k] = isa_wave_init(guard_alloc(bytes, false),
					   guard_alloc(MAX_ROWS * 256, false), MAX_ROWS);
}

/* Does case @n stop waves at any place? All go round as often then, and none loses a page. */
static bool is_torn(u32 n)
{
	return n % 4 == 3;
}

/* Each is where all are, but for what its number says; the first cases differ by nothing else. */
static void troop_wave(struct isa_wave *w, u32 n, u32 k, u32 *s)
{
	const u32 far = rnd(s) % 12, rounds = 1 + n % 5;
	u32 l;

	w->s[0] = k;
	w->s[1] = n > 1 && !is_torn(n) && n % 3 == 1 ? 1 + rnd(s) % 4 : rounds;
	w->s[3] = n;
	w->s[4] = n % 5 == 2 ? n % GROUP_WAVES : ~0u;
	w->s[5] = n % 2 ? n / 2 % GROUP_WAVES : ~0u;
	w->s[7] = n % 300;
	w->s[8] = 3 * PAGE;
	w->s[9] = 0;
	w->s[10] = n > 1 ? rnd(s) % 300 : 80;
	for (l = 0; l < ISA_LANES; l++) {
		u32 item = k * ISA_LANES + l;

		w->v[l] = item;
		w->v[4 * ISA_LANES + l] = item * n;
		w->v[5 * ISA_LANES + l] = 4 * ((item + 64) % 256);
		if (n > 1 && far < 3)
			w->v[5 * ISA_LANES + l] = far == 0 ? rnd(s) : far == 1 ? rnd(s) % 5000 : item;
		w->v[7 * ISA_LANES + l] = 4 * item;
		w->v[9 * ISA_LANES + l] = 4 * item + 2048;
	}
	if (n > 1 && !is_torn(n) && rnd(s) % 4 == 0)
		w->v[7 * ISA_LANES + rnd(s) % 64] = PAGE * (rnd(s) % 3 + 1);
	if (n % 6 == 5)
		isa_set_exec(w, rnd(s) % 2 ? rnd(s) | (u64)rnd(s) << 32 : ~0ull >> rnd(s) % 64);
}

static void troop_begin(struct troop *t, bool stays)
{
	isa_barriers_init(&t->barriers, GROUP_WAVES);
	t->g = (struct jit_group){
		.wave = t->wave, .waves = GROUP_WAVES, .runs = (1u << GROUP_WAVES) - 1,
		.barriers = &t->barriers,
	};
	t->stays = stays;
	t->met = 0;
}

static void troop_start(struct troop *t, const struct isa_lane_ops *ops, const u8 *cfg, u32 n)
{
	const struct isa_wave_setup setup = {
		.rows = GROUP_ROWS, .acc_offset = GROUP_ROWS, .sgprs = 104,
		.shared_base = 2, .private_base = 1, .size = { 256, 1, 1 }, .ids = 1,
		.mode = 0xf0,
	};
	u32 s = n * 2654435761u | 1, k;

	machine_start(t->m, ops, cfg);
	for (k = 0; k < GROUP_WAVES; k++) {
		isa_wave_reset(t->wave[k], t->m->cu, &t->m->wg, CODE_PAGE * PAGE, ~0ull);
		isa_wave_setup(t->wave[k], &setup);
		/* Others have code of their own. */
		if (n % 7 == 6 && k == 2)
			t->wave[k]->mode &= ~0x30u;
		troop_wave(t->wave[k], n, k, &s);
	}
	troop_begin(t, false);
}

/* Whose turn it is; false: nobody's */
static bool troop_next(struct troop *t)
{
	u32 n, i = t->g.next;

	for (n = 0; n < GROUP_WAVES; n++, i++) {
		i %= GROUP_WAVES;
		if (t->g.waits & 1u << i && isa_barrier_wait(&t->barriers, i, ISA_BARRIER_GROUP)) {
			t->g.waits &= ~(1u << i);
			t->g.runs |= 1u << i;
		}
		if (t->g.runs & 1u << i) {
			t->g.next = i;
			return true;
		}
	}
	return false;
}

/* What a stop of wave t->g.next means to the others; false: it is to be looked at. */
static bool troop_goes_on(struct troop *t, const struct isa_exit *ex)
{
	const u32 bit = 1u << t->g.next;

	switch ((u32)ex->why) {
	case ISA_STOP_END:
		t->g.runs &= ~bit;
		isa_barriers_wave_ends(&t->barriers);
		break;
	case ISA_STOP_BARRIER:
		t->met++;
		isa_barrier_stop(&t->barriers, ISA_BARRIER_GROUP);
		t->g.runs &= ~bit;
		t->g.waits |= bit;
		break;
	case ISA_STOP_BUDGET:
		t->g.next += !t->stays;
		return true;
	default:
		return false;
	}
	t->g.next++;
	return true;
}

static void troop_interpret(struct troop *t, struct isa_exit *ex)
{
	memset(ex, 0, sizeof(*ex));
	while (troop_next(t)) {
		isa_wave_run(t->wave[t->g.next], GROUP_TURN, ex);
		t->g.insns += ex->insns;
		if (ex->insns >= GROUP_TURN || !troop_goes_on(t, ex))
			return;
	}
	ex->why = ISA_STOP_NONE;
}

/* @budget: of a call, @quantum: of a turn */
static void troop_compiled(struct troop *t, u32 budget, u32 quantum, struct isa_exit *ex)
{
	u32 turn;

	for (turn = 0; turn < 100000 && troop_next(t); turn++) {
		u64 insns = t->g.insns;

		t->g.cost = 0;
		jit_group_run(jit, &t->g, budget, quantum, ex);
		if (ex->why == ISA_STOP_NONE && t->g.insns == insns && t->g.runs) {
			jit_wave_run(jit, t->wave[t->g.next], quantum, ex);
			t->g.insns += ex->insns;
		}
		if (ex->why != ISA_STOP_NONE && !troop_goes_on(t, ex))
			return;
	}
	ex->why = ISA_STOP_NONE;
}

/* What differs between two waves, or NULL */
static const char *wave_differs(const struct isa_wave *a, const struct isa_wave *b, bool ended)
{
	if (a->pc != b->pc)
		return "pc";
	if (memcmp(a->s, b->s, sizeof(a->s)) || a->scc != b->scc || a->full != b->full)
		return "SGPRs";
	if (a->mode != b->mode || a->status != b->status)
		return "mode";
	return !ended && memcmp(a->v, b->v, a->rows * 256) ? "VGPRs" : NULL;
}

/* Who has been told that a barrier is complete does not wait any more. */
static u32 waiting(const struct troop *t)
{
	return t->g.waits & ~t->barriers.complete[ISA_BARRIER_GROUP];
}

static const char *troop_differs(const struct troop *a, const struct troop *b)
{
	const char *what;
	u32 k;

	if (waiting(a) != waiting(b) || (a->g.runs | a->g.waits) != (b->g.runs | b->g.waits) ||
	    a->barriers.members != b->barriers.members ||
	    memcmp(a->barriers.signals, b->barriers.signals, sizeof(a->barriers.signals)))
		return "barriers";
	for (k = 0; k < GROUP_WAVES; k++) {
		what = wave_differs(a->wave[k], b->wave[k], !((a->g.runs | a->g.waits) >> k & 1));
		if (what)
			return what;
	}
	for (k = 0; k < PAGES; k++)
		if (a->m->page[k] && memcmp(a->m->page[k], b->m->page[k], PAGE))
			return "memory";
	if (memcmp(a->m->wg.lds, b->m->wg.lds, a->m->wg.lds_bytes))
		return "LDS";
	return a->g.insns != b->g.insns ? "number of instructions" : NULL;
}

static bool same_stop(const struct troop *a, const struct isa_exit *x, const struct troop *b,
		      const struct isa_exit *y)
{
	return x->why == y->why && (x->why == ISA_STOP_NONE ||
	       (a->g.next == b->g.next && x->va == y->va && x->len == y->len &&
		x->access == y->access && x->info == y->info));
}

/* From stop to stop, all of which are pages that are not there */
static bool troop_case(struct troop *i, struct troop *m, u32 n, u32 *stops)
{
	const u32 quantum = is_torn(n) ? 1 + n % 40 : GROUP_TURN;
	const u32 budget = is_torn(n) ? 1 + n % 300 : ~0u;
	struct isa_exit want, got;
	const char *differs;

	for (;;) {
		troop_interpret(i, &want);
		troop_compiled(m, budget, quantum, &got);
		differs = same_stop(i, &want, m, &got) ? troop_differs(i, m) : "stop";
		if (differs) {
			printf("# groups: case %u: stop %u of wave %u, not %u of %u: %s\n", n,
			       got.why, m->g.next, want.why, i->g.next, differs);
			return false;
		}
		if (want.why == ISA_STOP_NONE)
			return !i->g.runs && !i->g.waits;
		++*stops;
		i->wave[i->g.next]->pc += 4 * length_at(i->m, i->wave[i->g.next]->pc);
		m->wave[m->g.next]->pc += 4 * length_at(m->m, m->wave[m->g.next]->pc);
	}
}

/* ---- programs of fuzz_program.c, with barriers in them ---- */

#define GROUP_PROGRAMS	150u
#define GROUP_INSNS	40u

static void troop_program(const u8 *data)
{
	u32 n, bits[4];

	ncode = 0;
	for (n = 0; n < GROUP_INSNS; n++) {
		memcpy(bits, data + HEADER + n * PICK, sizeof(bits));
		ncode += pick_insn(bits, code + ncode);
		if (n % 3 == data[7] % 3)
			code[ncode++] = 0xbf8a0000;	/* s_barrier */
	}
	code[ncode++] = 0xbf810000;	/* s_endpgm */
}

static void troop_random(struct troop *t, const struct isa_lane_ops *ops, const u8 *data)
{
	const struct isa_wave_setup setup = {
		.rows = 8 + data[1] % (MAX_ROWS - 8), .acc_offset = data[2] & 0x3c, .sgprs = 104,
		.shared_base = 2, .private_base = 1, .scratch_base = 0x3000,
		.scratch_lane_bytes = 16, .size = { 256, 1, 1 }, .ids = 1,
		.mode = (data[4] & 0xf0) | (data[5] & 3) << 8,
	};
	u32 k, l;

	machine_start(t->m, ops, data);
	for (k = 0; k < GROUP_WAVES; k++) {
		struct isa_wave *w = t->wave[k];

		isa_wave_reset(w, t->m->cu, &t->m->wg, CODE_PAGE * PAGE, ~0ull);
		isa_wave_setup(w, &setup);
		memcpy(w->v, first_rows, w->rows * 256);
		for (l = 0; l < ISA_LANES; l++)
			w->v[4 * ISA_LANES + l] += k * 256;
		set_sgprs(w, data);
		w->s[data[9] % 64] ^= k;
		if (data[10] % 4 == k)
			isa_set_exec(w, data[11] % 2 ? 0xffffffff : 0x5555555555555555);
	}
	troop_begin(t, true);
}

/* A stop behind which both can go on */
static bool is_passed(struct troop *t, const struct isa_exit *ex)
{
	if ((ex->why != ISA_STOP_MISS && ex->why != ISA_STOP_MEMVIOL) || ex->access == ISA_X)
		return false;
	t->wave[t->g.next]->pc += 4 * length_at(t->m, t->wave[t->g.next]->pc);
	return true;
}

/* Until all have ended, or one stops for good */
static bool troop_runs_random(struct troop *i, struct troop *m, u32 wide, u32 seed)
{
	static const char *const names[] = { "gfx906", "gfx90a", "gfx942" };
	static u8 data[HEADER + GROUP_INSNS * PICK];
	struct isa_exit want, got;
	const char *differs;
	u32 k, stops, s = seed * 2654435761u | 1;

	for (k = 0; k < 8; k++)
		rnd(&s);
	for (k = 0; k < sizeof(data); k++)
		data[k] = (u8)(rnd(&s) >> 11);
	data[6] = 0;
	target = isa_target_by_name(names[data[0] % ARRAY_SIZE(names)]);
	troop_program(data);
	make_rows(data);
	troop_random(i, lane[1 + wide], data);
	troop_random(m, lane[1 + wide], data);
	for (stops = 0; stops < STOPS; stops++) {
		troop_interpret(i, &want);
		if (want.why == ISA_STOP_BUDGET)
			return true;	/* It does not end. */
		troop_compiled(m, ~0u, GROUP_TURN, &got);
		differs = same_stop(i, &want, m, &got) ? troop_differs(i, m) : "stop";
		if (differs) {
			show_program(data);
			printf("# groups: program %u: stop %u of wave %u, not %u of %u: %s\n", seed,
			       got.why, m->g.next, want.why, i->g.next, differs);
			return false;
		}
		if (!is_passed(i, &want) || !is_passed(m, &got))
			return true;
	}
	return true;
}

static bool troop_programs(struct troop *i, struct troop *m, u32 wide)
{
	const struct jit_options o = { .hot = 1, .wait = true, .verify = true,
				       .lane = wide ? "avx512" : "avx2" };
	u32 n, met = 0;
	bool ok = true;

	for (n = 0; ok && n < GROUP_PROGRAMS; n++) {
		jit = jit_create(&o);
		ok = jit && troop_runs_random(i, m, wide, n);
		met += i->met > GROUP_WAVES;	/* all, and one behind it */
		if (jit)
			jit_destroy(jit);
	}
	printf("# groups: %u random programs, %u of which have been behind a barrier\n", n, met);
	return ok && met > GROUP_PROGRAMS / 8;
}

#define TORN_WAVE	2u
#define TORN_PAGE	6u	/* of that wave alone */

static jmp_buf torn_at;

static bool torn_lookup(struct isa_cu *cu, u64 va, u32 access, struct isa_page *x)
{
	if (va / PAGE == TORN_PAGE)
		longjmp(torn_at, 1);
	return lookup(cu, va, access, x);
}

/*
 * A wave that does not come back from an access, as in an engine process whose page is gone: those
 * before it have had their turn, and those behind have not.
 */
static bool troop_torn(struct troop *t, const struct isa_lane_ops *ops, const u8 *cfg)
{
	const u32 before = (1u << TORN_WAVE) - 1, all = (1u << GROUP_WAVES) - 1;
	struct isa_exit ex;
	volatile bool torn = false;
	u32 l;

	troop_start(t, ops, cfg, 0);
	for (l = 0; l < ISA_LANES; l++)
		t->wave[TORN_WAVE]->v[7 * ISA_LANES + l] += (TORN_PAGE - 3) * PAGE;
	isa_tlb_flush(&t->m->cu->tlb);
	t->m->cu->lookup = torn_lookup;
	if (!setjmp(torn_at)) {
		jit_group_run(jit, &t->g, ~0u, GROUP_TURN, &ex);
	} else {
		jit_group_torn(jit, &t->g);
		torn = true;
	}
	t->m->cu->lookup = lookup;
	return torn && t->g.next == TORN_WAVE && t->g.waits == before &&
	       t->g.runs == (all & ~before) &&
	       t->barriers.signals[ISA_BARRIER_GROUP] == TORN_WAVE &&
	       t->wave[0]->pc == t->wave[1]->pc && t->wave[2]->pc == t->wave[3]->pc &&
	       t->wave[1]->pc > t->wave[2]->pc && !t->wave[0]->ex && !t->wave[3]->ex;
}

/* In the first case nothing is left to be run one by one, and a turn of all waves is one call. */
static bool groups(u32 wide)
{
	const struct jit_options o = { .hot = 1, .wait = true, .verify = true,
				       .lane = wide ? "avx512" : "avx2" };
	static struct troop i, m;
	static const u8 cfg[HEADER] = { [1] = 20, [3] = 8 };
	struct jit_stats st, before;
	u32 n, stops = 0, entries = 0;
	bool torn;

	if (!i.m) {
		troop_alloc(&i, &machines[0]);
		troop_alloc(&m, &machines[1]);
	}
	target = isa_target_by_name("gfx90a");
	memcpy(code, group_program, sizeof(group_program));
	ncode = ARRAY_SIZE(group_program);
	make_rows(cfg);
	jit = jit_create(&o);
	if (!jit)
		return false;
	for (n = 0; n < GROUP_CASES; n++) {
		jit_stats(jit, &before);
		/* The first one again, and everything is compiled. */
		troop_start(&i, lane[1 + wide], cfg, n == 1 ? 0 : n);
		troop_start(&m, lane[1 + wide], cfg, n == 1 ? 0 : n);
		if (!troop_case(&i, &m, n == 1 ? 0 : n, &stops))
			return false;
		jit_stats(jit, &st);
		if (n == 1)
			entries = (u32)(st.entries - before.entries);
	}
	torn = troop_torn(&m, lane[1 + wide], cfg);
	jit_destroy(jit);
	if (!torn)
		printf("# groups: a wave that does not come back is not the only one that is lost\n");
	printf("# groups: %llu units, %llu instructions, %llu interpreted, %llu by handlers; "
	       "%u stops; the first case: %u entries\n", (unsigned long long)st.units,
	       (unsigned long long)st.insns, (unsigned long long)st.interpreted,
	       (unsigned long long)st.calls, stops, entries);
	return torn && troop_programs(&i, &m, wide) && entries == GROUP_ENTRIES && stops > GROUP_CASES / 8;
}
