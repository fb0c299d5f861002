// SPDX-License-Identifier: MIT
/*
 * Part of isa_jit.c: groups that go round a loop with one barrier in it, which compiled code does in one
 * call for as long as all waves come back to its entry (jit_turns.c). Waves that leave earlier, whose
 * EXEC is not what it was at the barrier, that lose a page in the midst of a round, and any budget.
 */
#define ROUNDS_CASES	2500u
#define ROUNDS_ENTRIES	2u	/* in the first case: to the first barrier, and to the end */

static const u32 rounds_program[] = {
	0x24020082,				/* v_lshlrev_b32 v1, 2, v0 */
	0x68040003,				/* v_add_u32 v2, s3, v0 */
	0xd81a0000, 0x00000201,			/* ds_write_b32 v1, v2 */
	0xbf078001,				/* s_cmp_lg_u32 s1, 0 */
	0xbf8a0000,				/* loop: s_barrier */
	0xbf840014,				/* s_cbranch_scc0 out */
	0x7d98000a,				/* v_cmp_gt_u32 vcc, s10, v0 */
	0xbe8c206a,				/* s_and_saveexec_b64 s[12:13], vcc */
	0xbf88000a,				/* s_cbranch_execz skip */
	0xd86c0000, 0x03000005,			/* ds_read_b32 v3, v5 */
	0xdc508000, 0x06080007,			/* global_load_dword v6, v7, s[8:9] */
	0xbf8c0070,				/* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0x68080903,				/* v_add_u32 v4, v3, v4 */
	0x2a080906,				/* v_xor_b32 v4, v6, v4 */
	0x2a02020b,				/* v_xor_b32 v1, s11, v1 */
	0xd81a0000, 0x00000401,			/* ds_write_b32 v1, v4 */
	0x87fe0c7e,				/* skip: s_or_b64 exec, exec, s[12:13] */
	0x86fe0e7e,				/* s_and_b64 exec, exec, s[14:15] */
	0x2a0a0a0b,				/* v_xor_b32 v5, s11, v5 */
	0x800a100a,				/* s_add_u32 s10, s10, s16 */
	0x80818101,				/* s_sub_u32 s1, s1, 1 */
	0xbf078001,				/* s_cmp_lg_u32 s1, 0 */
	0xbf82ffea,				/* s_branch loop */
	0xd86c0000, 0x0a000001,			/* out: ds_read_b32 v10, v1 */
	0xbf810000,				/* s_endpgm */
};

static void rounds_wave(struct isa_wave *w, u32 n, u32 k, u32 *s)
{
	const bool odd = n > 1 && !is_torn(n);
	u32 l;

	w->s[1] = odd && n % 3 == 1 ? 1 + rnd(s) % 9 : 2 + n % 9;
	w->s[10] = n > 1 ? rnd(s) % 300 : 256;
	w->s[11] = 2048;
	w->s[14] = odd && n % 5 == 2 && n / 5 % GROUP_WAVES == k ? rnd(s) : ~0u;
	w->s[15] = ~0u;
	w->s[16] = n > 1 ? rnd(s) % 128 - 64 : 0;
	for (l = 0; l < ISA_LANES; l++) {
		u32 item = k * ISA_LANES + l;

		w->v[5 * ISA_LANES + l] = 4 * (is_torn(n) ? item : (item + 64) % 256);
	}
	if (n % 6 == 5)
		isa_set_exec(w, rnd(s) | (u64)rnd(s) << 32);
}

static void rounds_start(struct troop *t, const struct isa_lane_ops *ops, const u8 *cfg, u32 n)
{
	u32 s = (n + 77) * 2654435761u | 1, k;

	troop_start(t, ops, cfg, n);
	for (k = 0; k < GROUP_WAVES; k++)
		rounds_wave(t->wave[k], n, k, &s);
}

/* A page that is lost in the third round: those behind the wave are still to have their turn. */
static bool rounds_torn(struct troop *t, const struct isa_lane_ops *ops, const u8 *cfg)
{
	const u32 before = (1u << TORN_WAVE) - 1, all = (1u << GROUP_WAVES) - 1;
	struct isa_exit ex;
	volatile bool torn = false;
	u32 k, l;

	rounds_start(t, ops, cfg, 0);
	for (k = 0; k < GROUP_WAVES; k++) {
		t->wave[k]->s[1] = 5;
		t->wave[k]->s[10] = 0;
		t->wave[k]->s[16] = 40;
		for (l = 0; l < ISA_LANES; l++)
			t->wave[k]->v[l] = k == TORN_WAVE ? 50 : 500;
	}
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
	       t->wave[0]->s[1] == 2 && t->wave[3]->s[1] == 3;
}

static bool rounds(u32 wide)
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
	memcpy(code, rounds_program, sizeof(rounds_program));
	ncode = ARRAY_SIZE(rounds_program);
	make_rows(cfg);
	jit = jit_create(&o);
	if (!jit)
		return false;
	for (n = 0; n < ROUNDS_CASES; n++) {
		jit_stats(jit, &before);
		/* The first one again, and everything is compiled. */
		rounds_start(&i, lane[1 + wide], cfg, n == 1 ? 0 : n);
		rounds_start(&m, lane[1 + wide], cfg, n == 1 ? 0 : n);
		if (!troop_case(&i, &m, n == 1 ? 0 : n, &stops))
			return false;
		jit_stats(jit, &st);
		if (n == 1)
			entries = (u32)(st.entries - before.entries);
	}
	torn = rounds_torn(&m, lane[1 + wide], cfg);
	jit_destroy(jit);
	printf("# rounds: %llu units, %llu instructions, %llu interpreted, %llu by handlers; "
	       "%u stops; the first case: %u entries%s\n", (unsigned long long)st.units,
	       (unsigned long long)st.insns, (unsigned long long)st.interpreted,
	       (unsigned long long)st.calls, stops, entries, torn ? "" : "; torn: wrong");
	return torn && entries == ROUNDS_ENTRIES && stops > ROUNDS_CASES / 8;
}
