// SPDX-License-Identifier: MIT
/*
 * Speed bars of single instructions, in waves that run nothing else: a scalar
 * instruction, and what it costs that half of the lanes are off.
 *	bench-bar WHAT VARIANT VALUE BAR VALUE/BAR [over]
 * VALUE is ns of CPU time an instruction, or the time with EXEC 0x5555555555555555
 * (memory: EXEC of the lower half) over that with all lanes on; both the best
 * of several runs. Vector instructions write eight registers in turn, as code
 * does whose instructions do not wait for each other, but for those in a chain.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "../isa/rig.h"

#define RUNS	15
#define COPIES	32
#define BUDGET	65536
#define SPREAD	8	/* destinations */

static const struct row {
	const char *name;
	u32 words[2], nwords;
	u32 unit[2];		/* what one in the destination's field is */
	u64 exec;		/* partial EXEC; 0: the time itself counts */
	double bar;
} rows[] = {
	{ "s_add_u32", { 0x80040605 }, 1, { 0 }, 0, 1.5 },
	{ "s_and_b64", { 0x86880a0c }, 1, { 0 }, 0, 1.5 },
	{ "s_cmp_eq_u32", { 0xbf060605 }, 1, { 0 }, 0, 1.5 },
	{ "v_mov_b32 row_shr", { 0x7e2002fa, 0xff011100 }, 2, { 1 << 17 }, 0, 20 },
	{ "v_add_f32 quad_perm", { 0x022004fa, 0xff00b100 }, 2, { 1 << 17 }, 0, 20 },
	{ "v_add_u32 row_bcast15", { 0x682004fa, 0xff014200 }, 2, { 1 << 17 }, 0, 20 },
	{ "v_add_u32 row_bcast31", { 0x682004fa, 0xff014300 }, 2, { 1 << 17 }, 0, 20 },
	{ "v_max_f32 row_mirror", { 0x162004fa, 0xff014000 }, 2, { 1 << 17 }, 0, 20 },
	{ "v_add_co_u32 row_shl", { 0x322004fa, 0xff010100 }, 2, { 1 << 17 }, 0, 20 },
	{ "v_add_u32 by bytes", { 0x682004f9, 0x00030200 }, 2, { 1 << 17 }, 0, 20 },
	{ "v_add_f16 by halves", { 0x3e2004f9, 0x05051500 }, 2, { 1 << 17 }, 0, 20 },
	{ "v_lshlrev_b32 by halves", { 0x242004f9, 0x05061600 }, 2, { 1 << 17 }, 0, 20 },
	{ "v_mov_b32", { 0x7e200300 }, 1, { 1 << 17 }, 0x5555555555555555, 1.3 },
	{ "v_add_f32", { 0x02200500 }, 1, { 1 << 17 }, 0x5555555555555555, 1.3 },
	{ "v_add_f32 in a chain", { 0x020c0506 | 0x100 }, 1, { 0 }, 0x5555555555555555, 1.3 },
	{ "v_fma_f32", { 0xd1cb0010, 0x04120500 }, 2, { 1 }, 0x5555555555555555, 1.3 },
	{ "v_fmac_f32", { 0x76200500 }, 1, { 1 << 17 }, 0x5555555555555555, 1.3 },
	{ "v_fmac_f32 in a chain", { 0x760c0500 }, 1, { 0 }, 0x5555555555555555, 1.3 },
	{ "v_add_u32", { 0x68200500 }, 1, { 1 << 17 }, 0x5555555555555555, 1.3 },
	{ "v_mul_lo_u32", { 0xd2850010, 0x00020500 }, 2, { 1 }, 0x5555555555555555, 1.3 },
	{ "v_lshlrev_b32", { 0x24200500 }, 1, { 1 << 17 }, 0x5555555555555555, 1.3 },
	{ "v_cndmask_b32", { 0x00200500 }, 1, { 1 << 17 }, 0x5555555555555555, 1.3 },
	{ "v_cmp_gt_u32", { 0x7d980500 }, 1, { 0 }, 0x5555555555555555, 1.3 },
	{ "v_exp_f32", { 0x7e204100 }, 1, { 1 << 17 }, 0x5555555555555555, 1.3 },
	{ "v_add_f64", { 0xd2800010, 0x00020500 }, 2, { 2 }, 0x5555555555555555, 1.3 },
	{ "global_load_dword", { 0xdc508000, 0x107f0008 }, 2, { 0, 1 << 24 }, 0xffffffff, 1.5 },
	{ "global_store_dword", { 0xdc708000, 0x007f0408 }, 2, { 0 }, 0xffffffff, 1.5 },
	{ "ds_read_b32", { 0xd86c0000, 0x1000000a }, 2, { 0, 1 << 24 }, 0xffffffff, 1.5 },
	{ "ds_write_b32", { 0xd81a0000, 0x0000040a }, 2, { 0 }, 0xffffffff, 1.5 },
};

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

/* A loop of @row, and registers for it. */
static void load(struct rig *r, const struct row *row)
{
	u32 code[2 * COPIES + 1], n, k, at = 0;

	for (n = 0; n < COPIES; n++)
		for (k = 0; k < row->nwords; k++)
			code[at++] = row->words[k] + n % SPREAD * row->unit[k];
	code[at] = 0xbf820000 | (-(at + 1) & 0xffff);
	rig_load(r, code, at + 1);
	for (n = 0; n < 32; n++)
		for (k = 0; k < ISA_LANES; k++)
			r->w->v[n * ISA_LANES + k] = 0x3f800000 + n * 4096 + k;
	for (k = 0; k < ISA_LANES; k++) {
		r->w->v[8 * ISA_LANES + k] = RIG_VA + RIG_DATA + 4 * k;
		r->w->v[9 * ISA_LANES + k] = 0;
		r->w->v[10 * ISA_LANES + k] = 4 * k;
	}
	r->w->mode = 0x3f0;
}

/* Runs it once; @best is what an instruction took at best so far, in ns. */
static bool run(struct rig *r, u64 exec, double *best)
{
	double ns;

	isa_set_exec(r->w, exec);
	ns = cpu_ns();
	if (rig_run(r, BUDGET) != ISA_STOP_BUDGET)
		return false;
	ns = (cpu_ns() - ns) / r->ex.insns;
	if (ns < *best)
		*best = ns;
	return true;
}

/* Both in turns, so that other load on the machine meets both. */
static bool measure(struct rig *r, const struct row *row, double *full, double *part)
{
	u32 n;

	load(r, row);
	*full = *part = 1e9;
	for (n = 0; n < RUNS; n++)
		if (!run(r, ~0ull, full) || (row->exec && !run(r, row->exec, part)))
			return false;
	return true;
}

int main(void)
{
	static const char * const names[] = { "sse2", "avx2", "avx512" };
	u32 n, k, failed = 0;

	for (k = 0; k < ARRAY_SIZE(names); k++) {
		struct rig r;

		if (!rig_can(names[k]))
			continue;
		rig_init(&r, "gfx90a", names[k], 64);
		for (n = 0; n < ARRAY_SIZE(rows); n++) {
			double full, part, v;

			if (!measure(&r, &rows[n], &full, &part)) {
				printf("bench-bar %s %s does not run\n", rows[n].name, names[k]);
				failed++;
				continue;
			}
			v = rows[n].exec ? part / full : full;
			printf("bench-bar %-23s %-6s %6.2f %5.2f %5.2f%s", rows[n].name, names[k], v,
			       rows[n].bar, v / rows[n].bar, v > rows[n].bar ? " over" : "");
			if (rows[n].exec)
				printf("  (%.2f ns)", full);
			printf("\n");
		}
		rig_fini(&r);
	}
	return failed != 0;
}
