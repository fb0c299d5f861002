// SPDX-License-Identifier: MIT
/* Part of isa_jit.c: arithmetic that leads to addresses (engine/jit/jit_affine.c), and streams */
#define AFFINE_CASES	150u

#define SRC_VGPR(n)	(0x100u + (n))
#define SRC_INT(n)	(0x80u + (n))
#define VOP2(op, d, a, b)	((op) << 25 | (d) << 17 | (b) << 9 | (a))
#define VOP3(op, d, a, b, c)	0xd0000000 | (op) << 16 | (d), (a) | (b) << 9 | (c) << 18

/* v6, or v[6:7], of v4 and s10; in the plain case, lane l of v4 has @base + l * @step */
static const struct affine {
	const char *name;
	u32 word[3], words, base, step, s10;
	bool pair;
} affines[] = {
	{ "v_lshlrev_b32", { VOP2(0x12u, 6u, 10u, 4u) }, 1, 3, 1, 2, false },
	{ "v_lshrrev_b32", { VOP2(0x10u, 6u, 10u, 4u) }, 1, 0x4000, 1, 6, false },
	{ "v_ashrrev_i32", { VOP2(0x11u, 6u, 10u, 4u) }, 1, 0x4000, 1, 6, false },
	{ "v_and_b32", { VOP2(0x13u, 6u, 10u, 4u) }, 1, 0x1010, 4, 0xfff, false },
	{ "v_or_b32", { VOP2(0x14u, 6u, 10u, 4u) }, 1, 0, 4, 0x300, false },
	{ "v_add_u32", { VOP2(0x34u, 6u, 10u, 4u) }, 1, 8, 4, 40, false },
	{ "v_mul_u32_u24", { VOP2(0x08u, 6u, 10u, 4u) }, 1, 5, 1, 4, false },
	{ "v_mul_lo_u32", { VOP3(0x285u, 6u, 10u, SRC_VGPR(4), 0u) }, 2, 5, 1, 4, false },
	{ "v_add3_u32", { VOP3(0x1ffu, 6u, 10u, SRC_VGPR(4), SRC_INT(8)) }, 2, 8, 4, 40, false },
	{ "v_lshl_add_u32", { VOP3(0x1fdu, 6u, SRC_VGPR(4), SRC_INT(2), 10u) }, 2, 5, 1, 40, false },
	{ "v_add_lshl_u32", { VOP3(0x1feu, 6u, SRC_VGPR(4), 10u, SRC_INT(2)) }, 2, 5, 1, 40, false },
	{ "v_lshl_or_b32", { VOP3(0x200u, 6u, SRC_VGPR(4), SRC_INT(2), 10u) }, 2, 16, 1, 3, false },
	{ "v_lshl_or_b32 of a scalar", { VOP3(0x200u, 6u, 10u, SRC_INT(8), SRC_VGPR(4)) }, 2, 0, 4,
	  2, false },
	{ "v_and_or_b32", { VOP3(0x201u, 6u, SRC_VGPR(4), 10u, SRC_INT(4)) }, 2, 0x1000, 0, 0xff, false },
	{ "v_mad_u32_u24", { VOP3(0x1c3u, 6u, SRC_VGPR(4), 10u, SRC_INT(16)) }, 2, 5, 1, 4, false },
	{ "v_bfe_u32", { VOP3(0x1c8u, 6u, SRC_VGPR(4), 10u, SRC_INT(8)) }, 2, 0x4000, 1, 6, false },
	{ "v_lshlrev_b64", { VOP3(0x28fu, 6u, 10u, SRC_VGPR(4), 0u) }, 2, 0, 1, 2, true },
	{ "v_lshlrev_b64 of a number",
	  { 0x7e0a0280, VOP3(0x28fu, 6u, 10u, SRC_VGPR(4), 0u) }, 3, 0, 1, 2, true },
	{ "v_lshlrev_b64 of one with a sign",
	  { VOP2(0x11u, 5u, SRC_INT(31), 4u), VOP3(0x28fu, 6u, 10u, SRC_VGPR(4), 0u) }, 3, 0, 1, 2, true },
};

static void affine_code(const struct affine *a)
{
	memcpy(code, a->word, a->words * 4);
	ncode = a->words;
	code[ncode++] = 0xdc508000;	/* global_load_dword v8, v6, s[20:21], or v[6:7], off */
	code[ncode++] = a->pair ? 0x087f0006 : 0x08140006;
	code[ncode++] = 0x68120d08;	/* v_add_u32 v9, v8, v6 */
	code[ncode++] = 0xbf8a0000;	/* s_barrier */
	code[ncode++] = 0xbf810000;
}

static void affine_wave(struct machine *m, const struct affine *a, u32 n)
{
	u32 s = n * 2654435761u | 1, base = a->base, step = a->step, l;

	m->w->s[10] = a->s10;
	m->w->s[20] = 3 * PAGE;
	m->w->s[21] = n % 16 == 15;
	if (n > 1) {
		base = rnd(&s) % 4 ? a->base + rnd(&s) % 64 : rnd(&s) % 2 ? -(rnd(&s) % 300) :
							      0x7fffffc0 + rnd(&s) % 64;
		step = rnd(&s) % 2 ? a->step : rnd(&s) % 2 ? 4 * (rnd(&s) % 3) : rnd(&s) % 40;
		if (rnd(&s) % 9 == 0)
			step = -step;
		if (rnd(&s) % 3 == 0)
			m->w->s[10] = rnd(&s) % 2 ? rnd(&s) % 64 : rnd(&s);
	}
	for (l = 0; l < ISA_LANES; l++) {
		m->w->v[4 * ISA_LANES + l] = base + l * step;
		m->w->v[5 * ISA_LANES + l] = n % 8 == 7 ? rnd(&s) % 2 : 0;
	}
	if (n % 8 == 6)
		m->w->v[4 * ISA_LANES + rnd(&s) % 64] ^= 1u << rnd(&s) % 32;
}

/* The plain case is not given up. */
static bool numbers(u32 wide)
{
	const struct jit_options o = { .hot = 1, .wait = true, .verify = true,
				       .lane = wide ? "avx512" : "avx2" };
	struct machine *i = &machines[0], *m = &machines[1];
	static const u8 cfg[HEADER] = { [1] = 8 };
	const u64 at = CODE_PAGE * PAGE;
	u32 n, k, turn, given_up = 0;
	const struct jit_unit *u;

	target = isa_target_by_name("gfx90a");
	for (k = 0; k < ARRAY_SIZE(affines); k++) {
		const struct affine *a = &affines[k];

		affine_code(a);
		make_rows(cfg);
		jit = jit_create(&o);
		if (!jit)
			return false;
		for (n = 0; n < AFFINE_CASES; n++) {
			machine_start(i, lane[1 + wide], cfg);
			machine_start(m, lane[1 + wide], cfg);
			i->w->mode &= ~0xfu;
			m->w->mode &= ~0xfu;
			try_again(jit);
			affine_wave(i, a, n);
			affine_wave(m, a, n);
			for (turn = 0; turn < 20 && !m->done; turn++) {
				jit_wave_run(jit, m->w, JIT_BUDGET, &m->ex);
				follow(i, &m->ex);
				compare_exit(m, cfg);
				compare(m, cfg);
				machine_stop(i);
				machine_stop(m);
			}
			u = jit->bucket[(at / 4 ^ at >> 13) % JIT_BUCKETS];
			while (u && u->key.pc != at)
				u = u->next;
			if (n < 2 && (!u || u->insn->slot.taken)) {
				printf("# %s is given up\n", a->name);
				jit_destroy(jit);
				return false;
			}
			given_up += u && u->insn->slot.taken;
		}
		jit_destroy(jit);
	}
	printf("# affine: %u of %u cases given up\n", given_up,
	       AFFINE_CASES * (u32)ARRAY_SIZE(affines));
	return given_up > AFFINE_CASES;
}

/* ---- waves one after another ---- */

#define STREAM_CASES	400u
#define STREAM_ARGS	64u		/* where in page 0 arguments are */

/* y = a * x + y, as clang compiles it, but for groups of 128 */
static const u32 stream_program[] = {
	0xc00a0002, 0,			/* s_load_dwordx4 s[0:3], s[4:5], 0x0 */
	0xc00201c2, 0x10,		/* s_load_dword s7, s[4:5], 0x10 */
	VOP3(0x200u, 0u, 6u, SRC_INT(7), SRC_VGPR(0)),	/* v_lshl_or_b32 v0, s6, 7, v0 */
	0x7e020280,			/* v_mov_b32 v1, 0 */
	VOP3(0x28fu, 0u, SRC_INT(2), SRC_VGPR(0), 0u),	/* v_lshlrev_b64 v[0:1], 2, v[0:1] */
	0x8108c106,			/* s_add_i32 s8, s6, -1 */
	0x7e060203,			/* v_mov_b32 v3, s3 */
	0x32040002,			/* v_add_co_u32 v2, vcc, s2, v0 */
	0x38060303,			/* v_addc_co_u32 v3, vcc, v3, v1, vcc */
	0xdc508000, 0x027f0002,		/* global_load_dword v2, v[2:3], off */
	0x80060806,			/* s_add_u32 s6, s6, s8 */
	0x7e060201,			/* v_mov_b32 v3, s1 */
	0x32000000,			/* v_add_co_u32 v0, vcc, s0, v0 */
	0x38020303,			/* v_addc_co_u32 v1, vcc, v3, v1, vcc */
	0xdc508000, 0x037f0000,		/* global_load_dword v3, v[0:1], off */
	0x68060606,			/* v_add_u32 v3, s6, v3 */
	0x76060407,			/* v_fmac_f32 v3, s7, v2 */
	0xdc708000, 0x007f0300,		/* global_store_dword v[0:1], v3, off */
	0xbf810000,			/* s_endpgm */
};

/* The same under "if (i < n)" */
static const u32 guarded_program[] = {
	0xc00a0002, 0,			/* s_load_dwordx4 s[0:3], s[4:5], 0x0 */
	0xc00201c2, 0x10,		/* s_load_dword s7, s[4:5], 0x10 */
	0xc0020242, 0x14,		/* s_load_dword s9, s[4:5], 0x14 */
	VOP3(0x200u, 0u, 6u, SRC_INT(7), SRC_VGPR(0)),	/* v_lshl_or_b32 v0, s6, 7, v0 */
	0x7d980009,			/* v_cmp_gt_u32 vcc, s9, v0, or as below */
	0xbe8a206a,			/* s_and_saveexec_b64 s[10:11], vcc */
	0xbf880000 | 15,		/* s_cbranch_execz to the end */
	0x7e020280,			/* v_mov_b32 v1, 0 */
	VOP3(0x28fu, 0u, SRC_INT(2), SRC_VGPR(0), 0u),	/* v_lshlrev_b64 v[0:1], 2, v[0:1] */
	0x7e060203,			/* v_mov_b32 v3, s3 */
	0x32040002,			/* v_add_co_u32 v2, vcc, s2, v0 */
	0x38060303,			/* v_addc_co_u32 v3, vcc, v3, v1, vcc */
	0xdc508000, 0x027f0002,		/* global_load_dword v2, v[2:3], off */
	0x7e060201,			/* v_mov_b32 v3, s1 */
	0x32000000,			/* v_add_co_u32 v0, vcc, s0, v0 */
	0x38020303,			/* v_addc_co_u32 v1, vcc, v3, v1, vcc */
	0x800a0a0a,			/* s_add_u32 s10, s10, s10 */
	0x76040407,			/* v_fmac_f32 v2, s7, v2 */
	0xdc708000, 0x007f0200,		/* global_store_dword v[0:1], v2, off */
	0xbf810000,			/* s_endpgm */
};

/* How its guard compares s9 and v0: gt, lt, ge and le, unsigned and signed */
static const u32 guards[] = {
	0x7d980009, 0x7d920009, 0x7d9c0009, 0x7d960009,
	0x7d880009, 0x7d820009, 0x7d8c0009, 0x7d860009,
};

/* Wave @k of a grid of groups of two waves */
static void stream_wave(struct machine *m, u32 k)
{
	u32 l;

	isa_wave_again(m->w, m->cu, &m->wg, CODE_PAGE * PAGE, ~0ull);
	m->w->mode = 0x3f0;
	m->w->s[4] = STREAM_ARGS;
	m->w->s[5] = 0;
	m->w->s[6] = 1 + k / 2;
	for (l = 0; l < ISA_LANES; l++)
		m->w->v[l] = k % 2 * ISA_LANES + l;
}

static void stream_start(struct machine *m, const struct isa_lane_ops *ops, const u8 *cfg, u32 n)
{
	static const u8 pages[] = { 0, 0, 3, 3, 3, 4, 6, 7 };
	u32 s = n * 2654435761u | 1, args[6] = { 0 };

	machine_start(m, ops, cfg);
	/* Often from one page into another, of which some are not there, or may not be written */
	args[0] = n < 2 ? 0x200 : pages[rnd(&s) % 8] * PAGE + rnd(&s) % PAGE / 4 * 4;
	args[2] = n < 2 ? 3 * PAGE : pages[rnd(&s) % 8] * PAGE + rnd(&s) % PAGE / 4 * 4;
	args[3] = n % 32 == 31;
	args[4] = 0x3f400000;
	args[5] = n < 2 ? 200000 : rnd(&s) % 3 == 0 ? 100 + rnd(&s) % 400 :
		  rnd(&s) % 3 == 0 ? rnd(&s) : rnd(&s) % 2 * 200000;
	if (n % 16 == 14)
		args[0] = (n & ~15u) % 64 + 1;
	memcpy(m->page[0] + STREAM_ARGS, args, sizeof(args));
	stream_wave(m, 0);
}

/* Waves that the code has done, by the interpreter, too: true if all is the same. */
static bool follow_stream(struct machine *i, struct machine *m, u64 did, u64 insns, const u8 *cfg)
{
	bool ok = true;
	u32 k, turn;

	for (k = 0; k < did; k++) {
		stream_wave(i, k);
		isa_wave_run(i->w, JIT_BUDGET, &i->ex);
		ok &= i->ex.why == ISA_STOP_END;
		insns -= i->ex.insns;
	}
	/* The next one has not begun. Registers of those that have ended are not looked at. */
	if (did) {
		memcpy(i->w->v, m->w->v, i->w->rows * 256);
		memcpy(i->w->s, m->w->s, sizeof(i->w->s));
		stream_wave(i, k);
		stream_wave(m, k);
	}
	compare(m, cfg);
	/* It may stop many times: what of it is done by whole rows, or isn't, is the same. */
	for (turn = 0; turn < 40 && !m->done; turn++) {
		jit_wave_run(jit, m->w, JIT_BUDGET, &m->ex);
		follow(i, &m->ex);
		compare_exit(m, cfg);
		if (m->ex.why == ISA_STOP_END)
			memcpy(m->w->v, i->w->v, i->w->rows * 256);
		compare(m, cfg);
		machine_stop(i);
		machine_stop(m);
	}
	return ok && !insns;
}

static void stream_code(u32 kind)
{
	if (!kind) {
		memcpy(code, stream_program, sizeof(stream_program));
		ncode = ARRAY_SIZE(stream_program);
		return;
	}
	memcpy(code, guarded_program, sizeof(guarded_program));
	ncode = ARRAY_SIZE(guarded_program);
	code[8] = guards[kind - 1];
}

static bool run_stream(u32 wide, u32 kind)
{
	const struct jit_options o = { .hot = 1, .wait = true, .verify = true,
				       .lane = wide ? "avx512" : "avx2" };
	const struct jit_grid g = { .waves = 5, .items = 128, .id = 6 };
	/* Guards that are true for what is below s9 */
	const bool up = kind % 2;
	struct machine *i = &machines[0], *m = &machines[1];
	static const u8 cfg[HEADER] = { [1] = 8 };
	u64 waves = 0, all = 0, none = 0, insns, did;
	struct jit_unit *u;
	bool ok = true;
	u32 n, k;

	stream_code(kind);
	make_rows(cfg);
	jit = jit_create(&o);
	if (!jit)
		return false;
	/* Nothing is run that is not compiled. */
	stream_start(m, lane[1 + wide], cfg, 0);
	ok &= !jit_grid_run(jit, m->w, &g, 4096, &insns);
	jit_wave_run(jit, m->w, JIT_BUDGET, &m->ex);
	for (n = 0; n < STREAM_CASES && ok; n++) {
		stream_start(i, lane[1 + wide], cfg, n);
		stream_start(m, lane[1 + wide], cfg, n);
		did = jit_grid_run(jit, m->w, &g, n % 8 == 7 ? 60 : 4096, &insns);
		for (k = 0; k < JIT_BUCKETS; k++)
			for (u = jit->bucket[k]; u; u = u->next)
				u->rest = 0;
		try_again(jit);
		ok &= follow_stream(i, m, did, insns, cfg);
		waves += did;
		all += did == g.waves;
		none += !did;
		ok &= n > 1 || did == (!kind || up ? g.waves : 0);
	}
	jit_destroy(jit);
	printf("# stream %u: %llu waves, all of them %llu times, none %llu\n", kind,
	       (unsigned long long)waves, (unsigned long long)all, (unsigned long long)none);
	return ok && all > STREAM_CASES / 40 && none > STREAM_CASES / 20 &&
	       waves > all * g.waves + STREAM_CASES / 20;
}

/* As many waves as the code says, by the interpreter; the next one is run as others are. */
static bool streams(u32 wide)
{
	bool ok = true;
	u32 kind;

	target = isa_target_by_name("gfx90a");
	for (kind = 0; kind <= ARRAY_SIZE(guards); kind++)
		ok &= run_stream(wide, kind);
	return ok;
}
