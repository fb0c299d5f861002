// SPDX-License-Identifier: MIT
/*
 * Part of isa_jit.c: code that is not as compilers make it. It jumps into the middle of its own
 * instructions, its owner or the code itself changes it, and there is more of it than is compiled.
 */
#define CHANGES		40u
#define MANY		10000u		/* kernels; JIT_MAX_UNITS is less */
#define MANY_PLACES	125u
#define MANY_ROOM	65536u		/* bytes of what is kept of units, the second time */

static const u8 bad_cfg[HEADER] = { [1] = 20 };

/* Both machines to their ends, compared at each stop */
static void bad_run(struct machine *i, struct machine *m)
{
	u32 turn;

	for (turn = 0; turn < 40 && !m->done; turn++) {
		jit_wave_run(jit, m->w, JIT_BUDGET, &m->ex);
		follow(i, &m->ex);
		compare_exit(m, bad_cfg);
		if (m->ex.why == ISA_STOP_END)
			memcpy(m->w->v, i->w->v, i->w->rows * 256);
		compare(m, bad_cfg);
		machine_stop(i);
		machine_stop(m);
	}
}

static void bad_start(struct machine *i, struct machine *m, const u32 *program, u32 words, u32 wide)
{
	memcpy(code, program, words * 4);
	ncode = words;
	machine_start(i, lane[1 + wide], bad_cfg);
	machine_start(m, lane[1 + wide], bad_cfg);
	i->w->mode &= ~0xfu;
	m->w->mode &= ~0xfu;
}

static u64 compiled_since(u64 before)
{
	struct jit_stats st;

	jit_stats(jit, &st);
	return st.insns - st.interpreted - before;
}

/* The literal of the first one is an instruction, too, which the loop begins with. */
static bool middle(struct machine *i, struct machine *m, u32 wide)
{
	static const u32 program[] = {
		0xbe8000ff, 0x68020501,	/* s_mov_b32 s0, v_add_u32 v1, v1, v2 */
		0x2a060501,		/* v_xor_b32 v3, v1, v2 */
		0x80818101,		/* s_sub_u32 s1, s1, 1 */
		0xbf078001,		/* s_cmp_lg_u32 s1, 0 */
		0xbf85fffb,		/* s_cbranch_scc1 to the literal */
		0xbf810000,		/* s_endpgm */
	};
	u64 before = compiled_since(0);
	u32 n;

	for (n = 0; n < 6; n++) {
		bad_start(i, m, program, ARRAY_SIZE(program), wide);
		i->w->s[1] = m->w->s[1] = 5;
		/* Or it is begun with that. */
		i->w->pc += n & 1 ? 4 : 0;
		m->w->pc += n & 1 ? 4 : 0;
		bad_run(i, m);
	}
	return compiled_since(before) > 6 * 4 * 5;
}

/* By who owns it: between launches, to other code, to none, and back */
static bool changed(struct machine *i, struct machine *m, u32 wide)
{
	u32 program[] = {
		0x68020281,		/* v_add_u32 v1, 1, v1: the number changes */
		0x2a060501,		/* v_xor_b32 v3, v1, v2 */
		0xbf810000,		/* s_endpgm */
	};
	u64 before = compiled_since(0);
	u32 n;

	for (n = 0; n < CHANGES; n++) {
		program[0] = n % 8 == 7 ? 0xffffffff : 0x68020280 + n / 2 % 4;
		bad_start(i, m, program, ARRAY_SIZE(program), wide);
		bad_run(i, m);
	}
	return compiled_since(before) >= CHANGES;
}

static bool code_lookup(struct isa_cu *cu, u64 va, u32 access, struct isa_page *x)
{
	const struct machine *m = cu->priv;

	if (va / PAGE != CODE_PAGE)
		return lookup(cu, va, access, x);
	x->host = m->page[CODE_PAGE];
	x->access = ISA_R | ISA_W | ISA_X;
	return true;
}

/* By itself: each round another constant, behind s_icache_inv */
static bool changes_itself(struct machine *i, struct machine *m, u32 wide)
{
	static const u32 program[] = {
		0xbe8600ff, 0x68020287,	/* s_mov_b32 s6, v_add_u32 v1, 7, v1 */
		0x7e080280,		/* loop: v_mov_b32 v4, 0 */
		0x7e0a0206,		/* v_mov_b32 v5, s6 */
		0xdc708000, 0x00020504,	/* global_store_dword v4, v5, s[2:3] */
		0xbf930000,		/* s_icache_inv */
		0xbf800000,		/* s_nop 0 */
		0x68020281,		/* v_add_u32 v1, 1, v1: this is where s[2:3] is */
		0x80068106,		/* s_add_u32 s6, s6, 1 */
		0x80818101,		/* s_sub_u32 s1, s1, 1 */
		0xbf078001,		/* s_cmp_lg_u32 s1, 0 */
		0xbf85fff5,		/* s_cbranch_scc1 loop */
		0xbf810000,		/* s_endpgm */
	};
	u64 before = compiled_since(0);
	struct machine *both[] = { i, m };
	u32 n, k;

	for (n = 0; n < 6; n++) {
		bad_start(i, m, program, ARRAY_SIZE(program), wide);
		for (k = 0; k < 2; k++) {
			isa_tlb_flush(&both[k]->cu->tlb);
			both[k]->cu->lookup = code_lookup;
			both[k]->w->s[1] = 9;
			both[k]->w->s[2] = CODE_PAGE * PAGE + 8 * 4;
			both[k]->w->s[3] = 0;
		}
		bad_run(i, m);
		for (k = 0; k < 2; k++) {
			isa_tlb_flush(&both[k]->cu->tlb);
			both[k]->cu->lookup = lookup;
		}
	}
	return compiled_since(before) > 6 * 9;
}

/* A loop by whole rows with sources that a function is called for: it is compiled all the same. */
static bool rare_sources(struct machine *i, struct machine *m, u32 wide)
{
	static const u32 program[] = {
		0xdc508000, 0x0c060006,	/* loop: global_load_dword v12, v6, s[6:7] */
		0xbf8c0000,		/* s_waitcnt 0 */
		0x6802030c,		/* v_add_u32 v1, v12, v1 */
		0x680402fd,		/* v_add_u32 v2, src_scc, v1 */
		0x8000fd00,		/* s_add_u32 s0, s0, src_scc */
		0x80818101,		/* s_sub_u32 s1, s1, 1 */
		0xbf078001,		/* s_cmp_lg_u32 s1, 0 */
		0xbf85fff7,		/* s_cbranch_scc1 loop */
		0xbf810000,		/* s_endpgm */
	};
	struct machine *both[] = { i, m };
	struct jit_stats st;
	u32 n, k, l;

	for (n = 0; n < 4; n++) {
		bad_start(i, m, program, ARRAY_SIZE(program), wide);
		for (k = 0; k < 2; k++) {
			both[k]->w->s[1] = 5 + n;
			both[k]->w->s[6] = both[k]->w->s[7] = 0;
			for (l = 0; l < ISA_LANES; l++)
				both[k]->w->v[6 * ISA_LANES + l] = 4 * l;
		}
		bad_run(i, m);
	}
	jit_stats(jit, &st);
	return st.units && !st.failed && st.insns > st.interpreted;
}

/* ---- more kernels than are kept ---- */

static const struct jit_ops *many_ops;
static u32 many_asked;

/* Of most the compiler can make nothing: it would take minutes. */
static void many_submit(struct jit *j, struct jit_unit *u)
{
	if (many_asked++ % 512)
		jit_set_state(u, JIT_FAILED);
	else
		many_ops->submit(j, u);
}

/* Kernel @n has a place, which others have, too, and a MODE */
static void many_run(struct machine *i, struct machine *m, u32 n, u32 wide)
{
	static u32 program[MANY_PLACES * 4];
	u32 k, mode = (n / MANY_PLACES % 16) << 4 | (n / MANY_PLACES / 16 & 3) << 8 |
		      (n / MANY_PLACES / 64 & 1) << 23;

	for (k = 0; k < MANY_PLACES; k++) {
		program[4 * k] = 0x68020280 + k % 64;	/* v_add_u32 v1, k, v1 */
		program[4 * k + 1] = 0x2a060501;	/* v_xor_b32 v3, v1, v2 */
		program[4 * k + 2] = 0xbf810000;	/* s_endpgm */
		program[4 * k + 3] = 0xbf800000;
	}
	bad_start(i, m, program, 1, wide);
	memcpy(i->page[CODE_PAGE], program, sizeof(program));
	memcpy(m->page[CODE_PAGE], program, sizeof(program));
	i->w->pc += n % MANY_PLACES * 16;
	m->w->pc = i->w->pc;
	i->w->mode = m->w->mode = mode;
	bad_run(i, m);
}

static bool many(struct machine *i, struct machine *m, u32 wide)
{
	static const struct jit_ops ops = { .submit = many_submit };
	u64 before = compiled_since(0);
	u32 n, full = 0;

	many_ops = jit->ops;
	jit->ops = &ops;
	for (n = 0; n < MANY; n++) {
		many_run(i, m, n, wide);
		full += jit->nunits == JIT_MAX_UNITS;
	}
	/* What was there before goes on. */
	for (n = 0; n < 2; n++)
		many_run(i, m, 0, wide);
	printf("# many: %u units, %u asked for, %u kernels when there was no room, %llu instructions compiled\n",
	       jit->nunits, many_asked, full, (unsigned long long)compiled_since(before));
	return full > MANY / 10 && compiled_since(before) > 40;
}

/* The same, and what is kept of units has no room long before that. */
static bool many_of_little_room(struct machine *i, struct machine *m, u32 wide)
{
	static const struct jit_ops ops = { .submit = many_submit };
	u32 n;

	many_ops = jit->ops;
	jit->ops = &ops;
	jit->bytes = jit->used + MANY_ROOM;
	for (n = 0; n < MANY / 10; n++)
		many_run(i, m, n, wide);
	return jit->nunits < MANY_ROOM / sizeof(struct jit_unit) + 1 && jit->used <= jit->bytes;
}

static bool bad_code(u32 wide)
{
	static const struct {
		const char *name;
		bool (*run)(struct machine *i, struct machine *m, u32 wide);
	} cases[] = {
		{ "jumps into the middle", middle }, { "is changed", changed },
		{ "changes itself", changes_itself }, { "rare sources", rare_sources },
		{ "10000 kernels", many },
		{ "little room", many_of_little_room },
	};
	const struct jit_options o = { .hot = 1, .wait = true, .lane = wide ? "avx512" : "avx2" };
	bool ok = true;
	u32 n;

	target = isa_target_by_name("gfx90a");
	make_rows(bad_cfg);
	for (n = 0; n < ARRAY_SIZE(cases); n++) {
		jit = jit_create(&o);
		if (!jit)
			return false;
		many_asked = 0;
		if (!cases[n].run(&machines[0], &machines[1], wide)) {
			printf("# bad code: %s: not as it should be\n", cases[n].name);
			ok = false;
		}
		jit_destroy(jit);
	}
	return ok;
}
