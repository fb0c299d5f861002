// SPDX-License-Identifier: MIT
/* Part of isa_jit.c: loops and blocks that are done by whole rows (engine/jit/jit_wide.c) */
#define TURN_CASES	2000u

static const u32 turn_program[] = {
	0xdc508000, 0x0a7f0002,		/* global_load_dword v10, v[2:3], off: the loop */
	0xdc5c9ff8, 0x0c7f0004,		/* global_load_dwordx4 v[12:15], v[4:5], off offset:-8 */
	0x3204040a,			/* v_add_co_u32 v2, vcc, s10, v2 */
	0x38060680,			/* v_addc_co_u32 v3, vcc, 0, v3, vcc */
	0x32080890,			/* v_add_co_u32 v4, vcc, 16, v4 */
	0x380a1305,			/* v_addc_co_u32 v5, vcc, v5, v9, vcc */
	0xdc548000, 0x107f0006,		/* global_load_dwordx2 v[16:17], v[6:7], off */
	0x32240c0b,			/* v_add_co_u32 v18, vcc, s11, v6 */
	0x810cc10c,			/* s_add_i32 s12, s12, -1 */
	0x38260f08,			/* v_addc_co_u32 v19, vcc, v8, v7, vcc */
	0xdc508000, 0x157f0012,		/* global_load_dword v21, v[18:19], off */
	0x7e300312,			/* v_mov_b32 v24, v18 */
	0xbf8c0f70,			/* s_waitcnt vmcnt(0) */
	0x682c1516,			/* v_add_u32 v22, v22, v10 */
	0x2a2c1916,			/* v_xor_b32 v22, v22, v12 */
	0x682e1f15,			/* v_add_u32 v23, v21, v15 */
	0x2a2e2317,			/* v_xor_b32 v23, v23, v17 */
	0xd0cc000e, 0x0002190a,		/* v_cmp_gt_u32 s[14:15], v10, v12 */
	0xd1000019, 0x003a2f16,		/* v_cndmask_b32 v25, v22, v23, s[14:15] */
	0xbf07800c,			/* s_cmp_lg_u32 s12, 0 */
	0xbf85ffe5,			/* s_cbranch_scc1 to the loop */
	0x810dc10d,			/* s_add_i32 s13, s13, -1: another */
	0x7e3c0210,			/* v_mov_b32 v30, s16 */
	0xdc508000, 0x207f0002,		/* global_load_dword v32, v[2:3], off */
	0x7e3e0211,			/* v_mov_b32 v31, s17 */
	0xbf06800d,			/* s_cmp_eq_u32 s13, 0 */
	0x7e040210,			/* v_mov_b32 v2, s16 */
	0x7e060211,			/* v_mov_b32 v3, s17 */
	0x68404117,			/* v_add_u32 v32, v23, v32 */
	0xbf84fff6,			/* s_cbranch_scc0 to that */
	0x68342c0e,			/* v_add_u32 v26, s14, v22 */
	0xd3b3501e, 0x1802391c,		/* v_pk_mov_b32 v[30:31], v[28:29], v[28:29] op_sel:[0,1] */
	0xdc708000, 0x007f1a1e,		/* global_store_dword v[30:31], v26, off */
	0x323c3c0b,			/* v_add_co_u32 v30, vcc, s11, v30 */
	0x383e3e80,			/* v_addc_co_u32 v31, vcc, 0, v31, vcc */
	0xdc708004, 0x007f191e,		/* global_store_dword v[30:31], v25, off offset:4 */
	0xdc500000, 0x1b000002,		/* flat_load_dword v27, v[2:3] */
	0xbf810000,			/* s_endpgm */
};

/*
 * Side by side, all the same, or anything else, in some page; in its middle, at its end or
 * misaligned.
 * Some pages are not there, or may not be written: then it stops in the middle of a turn.
 */
static void turn_address(u32 *los, u32 n, u32 elem, u32 *s)
{
	static const u8 pages[] = { 0, 0, 3, 3, 3, 4, 6, 7 };
	u32 page = n ? pages[rnd(s) % ARRAY_SIZE(pages)] : 3, odd = n ? rnd(s) % 16 : 0, l;
	u32 at = page * PAGE + (odd == 1 ? PAGE - 256 - rnd(s) % 512 : odd == 2 ? rnd(s) % 999 :
				odd == 3 ? 8 : 16 + rnd(s) % 64 * 16);
	u32 step = n && rnd(s) % 3 == 0 ? 0 : n && rnd(s) % 9 == 0 ? rnd(s) % 64 : elem;

	if (odd == 4)
		at = -(rnd(s) % 512);	/* it wraps */
	for (l = 0; l < ISA_LANES; l++) {
		los[l] = at + l * step;
		los[l + ISA_LANES] = odd == 4 ? -(rnd(s) % 16 == 0) : odd == 5 && l == 37;
	}
	if (odd == 6)
		los[rnd(s) % 64] ^= 4;
}

static void turn_wave(struct machine *m, u32 n)
{
	u32 s = n * 2654435761u | 1, l;

	turn_address(m->w->v + 2 * ISA_LANES, n, 4, &s);
	turn_address(m->w->v + 4 * ISA_LANES, n, 0, &s);
	turn_address(m->w->v + 6 * ISA_LANES, n, n % 2 ? 8 : 0, &s);
	turn_address(m->w->v + 28 * ISA_LANES, n, 4, &s);
	for (l = 0; l < 2 * ISA_LANES; l++)
		m->w->v[8 * ISA_LANES + l] = n % 13 == 12 ? n % 64 == l : n % 17 == 16 ? ~0u : 0;
	m->w->s[10] = n % 5 == 4 ? -4u : n % 5 * 128;
	m->w->s[11] = n % 11 == 10 ? -8u : n % 11 * 4;
	/* What is added is negative, or the sum passes 4 GiB. */
	if (n % 7 == 3) {
		for (l = 0; l < ISA_LANES; l++)
			m->w->v[8 * ISA_LANES + l] = ~0u;
		m->w->s[11] = -8u;
		m->w->s[10] = -(m->w->v[2 * ISA_LANES] + 64);
	}
	m->w->s[12] = n ? 1 + rnd(&s) % 40 : 6;
	m->w->s[13] = n ? 1 + rnd(&s) % 5 : 3;
	m->w->s[16] = n % 19 == 18 ? PAGE - 2 : 64 + n % 64 * 4;
	m->w->s[17] = n % 23 == 22;
	if (n % 6 == 5)
		isa_set_exec(m->w, n % 4 ? rnd(&s) | (u64)rnd(&s) << 32 : 1ull << n % 64);
}

/* What is given up in one case is tried again in the next. */
static void try_again(struct jit *j)
{
	struct jit_unit *u;
	u32 n, k;

	for (n = 0; n < JIT_BUCKETS; n++)
		for (u = j->bucket[n]; u; u = u->next)
			for (k = 0; k < u->ninsns; k++)
				u->insn[k].slot.taken = 0;
}

/* The plain case needs no handler. */
static bool turns(u32 wide)
{
	const struct jit_options o = { .hot = 1, .wait = true, .verify = true,
				       .lane = wide ? "avx512" : "avx2" };
	struct machine *i = &machines[0], *m = &machines[1];
	static const u8 cfg[HEADER] = { [1] = 32 };
	u64 plain[2] = { 0 };
	struct jit_stats st;
	u32 n, turn;

	target = isa_target_by_name("gfx90a");
	memcpy(code, turn_program, sizeof(turn_program));
	ncode = ARRAY_SIZE(turn_program);
	make_rows(cfg);
	jit = jit_create(&o);
	if (!jit)
		return false;
	for (n = 0; n < TURN_CASES; n++) {
		machine_start(i, lane[1 + wide], cfg);
		machine_start(m, lane[1 + wide], cfg);
		i->w->mode &= ~0xfu;
		m->w->mode &= ~0xfu;
		try_again(jit);
		turn_wave(i, n < 2 ? 0 : n);
		turn_wave(m, n < 2 ? 0 : n);
		for (turn = 0; turn < 200 && !m->done; turn++) {
			jit_wave_run(jit, m->w, n % 8 == 7 ? 1 + n % 40 : JIT_BUDGET, &m->ex);
			follow(i, &m->ex);
			compare_exit(m, cfg);
			if (m->ex.why == ISA_STOP_END)
				memcpy(m->w->v, i->w->v, i->w->rows * 256);
			compare(m, cfg);
			machine_stop(i);
			machine_stop(m);
		}
		jit_stats(jit, &st);
		if (n < 2)
			plain[n] = st.calls;
	}
	jit_destroy(jit);
	printf("# turns: %llu units, %llu instructions, %llu by handlers; the plain case: %llu\n",
	       (unsigned long long)st.units, (unsigned long long)st.insns,
	       (unsigned long long)st.calls, (unsigned long long)(plain[1] - plain[0]));
	return !(plain[1] - plain[0]) && st.calls > TURN_CASES;
}
