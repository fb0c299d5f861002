// SPDX-License-Identifier: MIT
/*
 * Part of isa_jit.c: groups of waves with jit_options.check. What is right is not called wrong, waves
 * that have their turns in one call are among it, and what is wrong in such a call is found.
 */
#define CHECKED_CASES	400u

/* Calls of compiled code in which waves had their turns, and that were looked at */
static u32 checked_turns;
static jit_code counted_code[ARRAY_SIZE(real)];

static u32 count_code(struct isa_wave *w, struct jit_frame *f)
{
	u32 n, why;

	for (n = 0; real[n].insn != f->insn; n++)
		;
	why = counted_code[n](w, f);
	checked_turns += why == JIT_TURNS && f->turn > 1;
	return why;
}

static void count_submit(struct jit *j, struct jit_unit *u)
{
	real_ops->submit(j, u);
	if (!u->code || nreal == ARRAY_SIZE(real))
		return;
	real[nreal].insn = u->insn;
	counted_code[nreal++] = u->code;
	u->code = count_code;
}

static bool checked_groups(u32 wide)
{
	static const struct jit_ops ops = { .submit = count_submit };
	const struct jit_options o = { .hot = 1, .wait = true, .check = true,
				       .lane = wide ? "avx512" : "avx2" };
	static const u8 cfg[HEADER] = { [1] = 20, [3] = 8 };
	static struct troop i, m;
	u32 n, stops = 0;
	bool ok = true;

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
	nreal = 0;
	checked_turns = 0;
	real_ops = jit->ops;
	jit->ops = &ops;
	for (n = 0; n < CHECKED_CASES && ok; n++) {
		troop_start(&i, lane[1 + wide], cfg, n);
		troop_start(&m, lane[1 + wide], cfg, n);
		ok = troop_case(&i, &m, n, &stops) && !jit_differs(jit);
	}
	if (jit_differs(jit))
		printf("# case %u: the check found %s\n", n - 1,
		       isa_op_names[jit_differs(jit)->op]);
	jit_destroy(jit);
	printf("# checked groups: %u cases, %u calls for several waves\n", n, checked_turns);
	return ok && checked_turns > CHECKED_CASES;
}

/* Units of one instruction, which are what is wrong is found by */
static bool one_alone[ARRAY_SIZE(real)];

/* Right for a wave that is alone, but for that one instruction */
static u32 wrong_turn_code(struct isa_wave *w, struct jit_frame *f)
{
	u32 n, why;

	for (n = 0; real[n].insn != f->insn; n++)
		;
	why = real[n].code(w, f);
	if (f->turns > 1 || one_alone[n])
		w->v[3 * ISA_LANES + 5] ^= 1;
	return why;
}

static void wrong_turn_submit(struct jit *j, struct jit_unit *u)
{
	const u32 before = nreal;

	wrong_submit(j, u);
	if (nreal == before)
		return;
	one_alone[before] = u->ninsns == 1;
	u->code = wrong_turn_code;
}

/* As wrong_is_found(), but the code is wrong in what several waves do by one call. */
static bool wrong_turn_is_found(void)
{
	static const struct jit_ops ops = { .submit = wrong_turn_submit };
	const struct jit_options o = { .hot = 1, .wait = true, .check = true, .lane = "avx2" };
	static const u8 cfg[HEADER] = { [1] = 20, [3] = 8 };
	const struct jit_difference *d;
	static struct troop i, m;
	u32 n, stops = 0;
	bool ok;

	if (!i.m) {
		troop_alloc(&i, &machines[0]);
		troop_alloc(&m, &machines[1]);
	}
	jit = jit_create(&o);
	if (!jit)
		return false;
	nreal = 0;
	real_ops = jit->ops;
	jit->ops = &ops;
	for (n = 0; n < 3; n++) {
		troop_start(&i, lane[1], cfg, 0);
		troop_start(&m, lane[1], cfg, 0);
		if (!troop_case(&i, &m, 0, &stops))
			break;
	}
	d = jit_differs(jit);
	ok = n == 3 && d && d->op == WRONG_OP;
	if (!ok)
		printf("# groups: found: %s, after %u cases\n", d ? isa_op_names[d->op] : "nothing", n);
	jit_destroy(jit);
	return ok;
}

/* ---- streams ---- */

static u32 bad_streams;

/* A bit too much where the last wave has stored */
static u32 wrong_stream_code(struct isa_wave *w, struct jit_frame *f)
{
	const u64 asked = f->waves;
	u32 n, why;
	u64 left;
	u8 *p;

	for (n = 0; real[n].insn != f->insn; n++)
		;
	why = real[n].code(w, f);
	p = asked && f->waves ? isa_translate(w->cu, 0x200 + 128 * 4, ISA_W, &left) : NULL;
	if (p) {
		*p ^= 1;
		bad_streams++;
	}
	return why;
}

static void wrong_stream_submit(struct jit *j, struct jit_unit *u)
{
	real_ops->submit(j, u);
	if (!u->code || !u->stream || nreal == ARRAY_SIZE(real))
		return;
	real[nreal].insn = u->insn;
	real[nreal++].code = u->code;
	u->code = wrong_stream_code;
}

/* Waves go on as if nobody looked, whatever the code does: @wrong, which is found then */
static bool check_stream(u32 wide, u32 kind, bool wrong)
{
	static const struct jit_ops ops = { .submit = wrong_stream_submit };
	const struct jit_options o = { .hot = 1, .wait = true, .check = true,
				       .lane = wide ? "avx512" : "avx2" };
	const struct jit_grid g = { .waves = 5, .items = 128, .id = 6 };
	struct machine *i = &machines[0], *m = &machines[1];
	static const u8 cfg[HEADER] = { [1] = 8 };
	struct jit_stats st;
	u64 insns;
	u32 n;
	bool ok = true;

	target = isa_target_by_name("gfx90a");
	stream_code(kind);
	make_rows(cfg);
	jit = jit_create(&o);
	if (!jit)
		return false;
	nreal = 0;
	bad_streams = 0;
	real_ops = jit->ops;
	if (wrong)
		jit->ops = &ops;
	for (n = 0; n < STREAM_CASES && ok; n++) {
		stream_start(i, lane[1 + wide], cfg, n);
		stream_start(m, lane[1 + wide], cfg, n);
		ok = !jit_grid_run(jit, m->w, &g, 4096, &insns);
		compare(m, cfg);
		ok &= follow_stream(i, m, 0, 0, cfg);
		if (jit_differs(jit))
			break;
	}
	jit_stats(jit, &st);
	ok &= wrong ? jit_differs(jit) && bad_streams &&
		      jit_differs(jit)->op == ISA_OP_GLOBAL_STORE_DWORD :
		      !jit_differs(jit) && st.streams > STREAM_CASES;
	if (!ok)
		printf("# checked stream %u%s: case %u, %llu waves, %s\n", kind, wrong ? ", wrong" : "", n,
		       (unsigned long long)st.streams,
		       jit_differs(jit) ? isa_op_names[jit_differs(jit)->op] : "nothing found");
	jit_destroy(jit);
	return ok;
}

static bool checked_streams(void)
{
	const u32 widths = 1 + !!__builtin_cpu_supports("avx512bw");
	bool ok = true;
	u32 n;

	for (n = 0; n < widths; n++)
		ok &= check_stream(n, 0, false) && check_stream(n, 1, false);
	return ok && check_stream(0, 0, true) && check_stream(0, 1, true);
}
