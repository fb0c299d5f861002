// SPDX-License-Identifier: MIT
/* Part of isa_jit.c: loads and stores of the LDS, under whole and partial EXEC */
#define LDS_CASES	3000u
#define LDS_PLAIN	4u	/* cases, the first two with all lanes on */

static const u32 lds_program[] = {
	0xd86c0004, 0x0a000002,		/* ds_read_b32 v10, v2 offset:4 */
	0xd86c0000, 0x0b000003,		/* ds_read_b32 v11, v3 */
	0xbf8cc07f,			/* s_waitcnt lgkmcnt(0) */
	0x6818170a,			/* v_add_u32 v12, v10, v11 */
	0xd81a0008, 0x00000c04,		/* ds_write_b32 v4, v12 offset:8 */
	0x680a0884,			/* v_add_u32 v5, 4, v4: the store after it needs that */
	0xd81a0000, 0x00000a05,		/* ds_write_b32 v5, v10 */
	0xd86c0000, 0x02000002,		/* ds_read_b32 v2, v2 */
	0xd86c0000, 0x0d000002,		/* ds_read_b32 v13, v2: of what that gave */
	0x2a1c190d,			/* v_xor_b32 v14, v13, v12 */
	0xd86cfffc, 0x0f000003,		/* ds_read_b32 v15, v3 offset:65532: mostly outside */
	0xdc508000, 0x10060006,		/* global_load_dword v16, v6, s[6:7] */
	0xbf8c0000,			/* s_waitcnt 0 */
	0x6822210f,			/* v_add_u32 v17, v15, v16 */
	0xd81a0000, 0x00001103,		/* ds_write_b32 v3, v17 */
	0xbf8a0000,			/* s_barrier */
	0xbf810000,			/* s_endpgm */
};

/* A place in the LDS in each lane: in it, at its end, at either side of 0, or anywhere */
static void lds_row(u32 *row, u32 bytes, u32 n, u32 *s)
{
	u32 shape = n < LDS_PLAIN ? 0 : rnd(s) % 12, l;
	u32 at = n < LDS_PLAIN ? rnd(s) % 64 * 4 : shape == 1 ? bytes - rnd(s) % 300 :
		 shape == 2 ? -(rnd(s) % 300) : shape == 3 ? rnd(s) : rnd(s) % 1024 * 4;

	for (l = 0; l < ISA_LANES; l++)
		row[l] = shape == 4 ? at : shape == 5 ? rnd(s) % (bytes + 8) :
			 shape == 6 ? at - 4 * l : shape == 7 ? at + 8 * l : at + 4 * l;
	if (shape == 8)
		row[rnd(s) % ISA_LANES] ^= 4;
	if (shape == 9)
		row[rnd(s) % ISA_LANES] = rnd(s);
}

static void lds_wave(struct machine *m, u32 n)
{
	u32 s = n * 2654435761u | 1, k, l;

	for (k = 2; k < 5; k++)
		lds_row(m->w->v + k * ISA_LANES, m->wg.lds_bytes, n, &s);
	for (l = 0; l < ISA_LANES; l++)
		m->w->v[6 * ISA_LANES + l] = 3 * PAGE + 4 * l;
	m->w->s[6] = 0;
	m->w->s[7] = n % 31 == 30;
	if (n < LDS_PLAIN)
		isa_set_exec(m->w, n < 2 ? ~0ull : 0xffffff00);
	else if (n % 3)
		isa_set_exec(m->w, n % 5 ? rnd(&s) | (u64)rnd(&s) << 32 :
				   n % 7 ? 1ull << n % 64 : n % 2 ? 0 : ~0ull >> n % 64);
}

/* Handlers must be called for what is not plain, and for nothing else. */
static bool lds(u32 wide)
{
	const struct jit_options o = { .hot = 1, .wait = true, .verify = true,
				       .lane = wide ? "avx512" : "avx2" };
	struct machine *i = &machines[0], *m = &machines[1];
	u8 cfg[HEADER] = { [1] = 20 };
	u64 before, plain = 0;
	struct jit_stats st;
	u32 n, turn;

	target = isa_target_by_name("gfx90a");
	memcpy(code, lds_program, sizeof(lds_program));
	ncode = ARRAY_SIZE(lds_program);
	make_rows(cfg);
	jit = jit_create(&o);
	if (!jit)
		return false;
	for (n = 0; n < LDS_CASES; n++) {
		cfg[3] = n < LDS_PLAIN ? 8 : n % 9;	/* of 512 bytes */
		machine_start(i, lane[1 + wide], cfg);
		machine_start(m, lane[1 + wide], cfg);
		i->w->mode &= ~0xfu;
		m->w->mode &= ~0xfu;
		lds_wave(i, n);
		lds_wave(m, n);
		jit_stats(jit, &st);
		before = st.calls;
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
		jit_stats(jit, &st);
		if (n < LDS_PLAIN && st.calls - before > plain)
			plain = st.calls - before;
	}
	jit_destroy(jit);
	printf("# lds: %llu units, %llu instructions, %llu by handlers; a plain case: %llu\n",
	       (unsigned long long)st.units, (unsigned long long)st.insns,
	       (unsigned long long)st.calls, (unsigned long long)plain);
	/* What is outside, the load that goes with it, and what is at a place that was loaded */
	return plain <= 3 && st.calls > LDS_CASES;
}
