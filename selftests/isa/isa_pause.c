// SPDX-License-Identifier: MIT
/*
 * How soon a wave can be stopped. A queue is at rest when its waves have left
 * the sections they are in: a section looks at the clock after each slice of
 * instructions (engine/interp/cu.c: WAVE_SLICE, twice section_ns), so a pause
 * takes as long as a section and one slice of the dearest instructions. That
 * has to be below 2 ms, whatever the instructions are. And no slice is much longer
 * than the section was to be: dear instructions end it (ISA_COST_TURN). Measured in
 * CPU time, the best of several slices: the machine has others to serve. TAP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "rig.h"
#include "tables.h"
#include "targets.h"

#define SLICE		512u		/* WAVE_SLICE */
#define SECTION_US	200.0		/* twice section_ns */
#define LIMIT_US	2000.0
#define SLICE_US	300.0
#define TRIES		7
#define COPIES		32u
#define DENORMALS	0x30	/* MODE: floats keep them, as doubles do */
#define DATA_WORDS	((RIG_BYTES - RIG_DATA) / 4)

static const struct pattern {
	const char *name;
	u32 words[2], n;
} patterns[] = {
	{ "s_nop, s_branch", { 0xbf800000 }, 1 },
	{ "s_sleep 127", { 0xbf8e007f }, 1 },
	{ "v_mfma_f32_32x32x1f32", { 0xd3c08000, 0x04020300 }, 2 },
	{ "v_mfma_f32_32x32x8f16", { 0xd3cc8000, 0x04020500 }, 2 },
	{ "v_mfma_i32_32x32x8i8", { 0xd3d48000, 0x04020300 }, 2 },
	{ "v_mfma_f64_16x16x4f64", { 0xd3ee0020, 0x04820500 }, 2 },
	{ "v_sqrt_f64", { 0x7e085100 }, 1 },
	{ "v_div_scale_f64", { 0xd1e16a04, 0x04020500 }, 2 },
	{ "v_exp_f32", { 0x7e084100 }, 1 },
	{ "v_sin_f32", { 0x7e085300 }, 1 },
	{ "global_load_dwordx4, scattered", { 0xdc5c8000, 0x087f0006 }, 2 },
	{ "global_store_dwordx4, scattered", { 0xdc7c8000, 0x007f0806 }, 2 },
	{ "global_atomic_add_f64, scattered", { 0xdd3c8000, 0x007f0806 }, 2 },
	{ "flat_load_dwordx4, scattered", { 0xdc5c0000, 0x08000006 }, 2 },
	{ "ds_bpermute_b32", { 0xd87e0000, 0x04000100 }, 2 },
	{ "ds_read_b128", { 0xd9fe0000, 0x0800000c }, 2 },
};

/* Page by page, as memory is in a GPU's VM. */
static bool lookup_page(struct isa_cu *cu, u64 va, u32 access, struct isa_page *x)
{
	struct rig *r = cu->priv;

	(void)access;
	if (va < RIG_VA || va >= RIG_VA + RIG_BYTES)
		return false;
	x->host = r->mem + ((va & -ISA_PAGE_BYTES) - RIG_VA);
	x->access = ISA_R | ISA_W | ISA_X;
	return true;
}

static double cpu_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1e6 + ts.tv_nsec / 1e3;
}

/* The instruction over and over, on values and addresses that differ by lane. */
static void start(struct rig *r, const struct pattern *p)
{
	u32 code[2 * COPIES + 1], n = 0, i, *v;

	for (i = 0; i < COPIES * p->n; i++)
		code[n++] = p->words[i % p->n];
	code[n] = 0xbf820000 | (u16)-(int)(n + 1);
	rig_load(r, code, n + 1);
	v = isa_wave_rows(r->w);
	for (i = 0; i < DATA_WORDS; i++)
		((u32 *)(r->mem + RIG_DATA))[i] = 0x3f800000 + i * 977;
	for (i = 0; i < 64 * ISA_LANES; i++)
		v[i] = 0x3f800000 + (i * 0x9e37) % 0x400000;
	for (i = 0; i < ISA_LANES; i++) {
		v[6 * ISA_LANES + i] = RIG_VA + RIG_DATA + i % 7 * 4096 + i * 48;
		v[7 * ISA_LANES + i] = 0;
		v[12 * ISA_LANES + i] = i * 272 % 4096;
	}
}

static double best_slice(struct rig *r, const struct pattern *p, bool *ran)
{
	double best = 1e9, t;
	u32 i;

	start(r, p);
	for (i = 0; i < TRIES; i++) {
		t = cpu_us();
		*ran = isa_wave_run(r->w, SLICE, &r->ex) == ISA_STOP_BUDGET && r->ex.insns;
		t = cpu_us() - t;
		if (!*ran)
			return 0;
		best = t < best ? t : best;
	}
	return best;
}

/* ---------------------------------------------------------- every opcode there is */

/*
 * @words: opcode 0 with operands: addresses in v[2:3] and v6, data from v8 on, results
 * in v16; s[20:23] is a buffer. @at: the opcode's lowest bit.
 */
static const struct form {
	u8 enc, at;
	u32 words[2];
} forms[] = {
	{ ISA_ENC_SOP1, 8, { 0xbe840008 } },
	{ ISA_ENC_SOP2, 23, { 0x80040c08 } },
	{ ISA_ENC_SOPC, 16, { 0xbf000c08 } },
	{ ISA_ENC_SOPK, 23, { 0xb0040001 } },
	{ ISA_ENC_SMEM, 18, { 0xc002080a } },
	{ ISA_ENC_VOP1, 9, { 0x7e200108 } },
	{ ISA_ENC_VOP2, 25, { 0x00201508 } },
	{ ISA_ENC_VOPC, 17, { 0x7c001508 } },
	{ ISA_ENC_VOP3, 16, { 0xd0000010, 0x04321508 } },
	{ ISA_ENC_VOP3P, 16, { 0xd3800000, 0x04025928 } },
	{ ISA_ENC_VOP3P, 16, { 0xd3804010, 0x1c321508 } },
	{ ISA_ENC_DS, 17, { 0xd8000000, 0x100a0806 } },
	{ ISA_ENC_FLAT, 18, { 0xdc000000, 0x10000802 } },
	{ ISA_ENC_GLOBAL, 18, { 0xdc008000, 0x107f0802 } },
	{ ISA_ENC_SCRATCH, 18, { 0xdc004000, 0x107f0806 } },
	{ ISA_ENC_MUBUF, 18, { 0xe0001000, 0x80050806 } },
	{ ISA_ENC_MTBUF, 15, { 0xebe01000, 0x80050806 } },
};

/* Registers whose values are hard for the operations that take them. */
static void set_values(struct rig *r, bool scratch)
{
	static const u32 hard[] = {
		0x7f800001, 0x00000001, 0x7f7fffff, 0x80000001, 0x3f800001, 0x7c01fc01, 0xc1234567,
	};
	u32 *v = isa_wave_rows(r->w), l, n;

	for (n = 8; n < 64; n++)
		for (l = 0; l < ISA_LANES; l++)
			v[n * ISA_LANES + l] = hard[(n * 5 + l * 3) % ARRAY_SIZE(hard)] ^ l << 4;
	for (l = 0; l < ISA_LANES; l++) {
		v[2 * ISA_LANES + l] = RIG_VA + RIG_DATA + l % 7 * 4096 + l * 48;
		v[3 * ISA_LANES + l] = 0;
		/* Scratch interleaves the lanes: 64 times as much memory */
		v[6 * ISA_LANES + l] = l * 272 % (scratch ? 448 : 4096);
	}
	r->w->s[20] = RIG_VA + RIG_DATA;
	r->w->s[21] = 0;
	r->w->s[22] = 4096;
	r->w->s[23] = 0x00067fac;	/* four halves */
	r->w->s[ISA_SRC_FLAT_SCR_LO] = RIG_VA + RIG_DATA;
	r->w->scratch_base = RIG_VA + RIG_DATA;
}

/* One opcode's slice in us; below 0 if it does not run like that. */
static double slice_of(struct rig *r, const struct form *f, u32 op, u32 mode)
{
	u32 code[2 * COPIES + 1], n = 0, i, dw[2] = { f->words[0] | op << f->at, f->words[1] };
	struct isa_insn in;
	double best = -1, t;
	int len = isa_decode(r->cu.target, dw, 2, &in);

	if (len <= 0 || in.enc != f->enc)
		return -1;
	for (i = 0; i < COPIES * (u32)len; i++)
		code[n++] = dw[i % (u32)len];
	code[n] = 0xbf820000 | (u16)-(int)(n + 1);
	/* A host that does other things gives some tries less of its caches and clock than others. */
	for (i = 0; i < 3 || (best >= SLICE_US && i < 30); i++) {
		rig_load(r, code, n + 1);
		set_values(r, f->enc == ISA_ENC_SCRATCH);
		r->w->mode |= mode;
		t = cpu_us();
		if (isa_wave_run(r->w, SLICE, &r->ex) != ISA_STOP_BUDGET || !r->ex.insns)
			return -1;
		t = cpu_us() - t;
		best = best < 0 || t < best ? t : best;
	}
	return best;
}

/* @mode: bits of MODE besides those that the rig sets */
static void test_all(const char *target, const char *lane, u32 mode)
{
	u32 f, op, ran = 0, over = 0;
	double worst = 0, us;
	const char *name = "";
	struct rig r;

	rig_init(&r, target, lane, 64);
	r.cu.lookup = lookup_page;
	for (f = 0; f < ARRAY_SIZE(forms); f++)
		for (op = 0; op < r.cu.target->nslots[forms[f].enc]; op++) {
			const u16 *slots = r.cu.target->slots[forms[f].enc];

			if (!slots || !slots[op])
				continue;
			us = slice_of(&r, &forms[f], op, mode);
			ran += us >= 0;
			if (us >= SLICE_US) {
				printf("# %s takes %.0f us, %u of them\n",
				       isa_op_name(isa_rows[slots[op]].op), us, r.ex.insns);
				over++;
			}
			if (us > worst) {
				worst = us;
				name = isa_op_name(isa_rows[slots[op]].op);
			}
		}
	tap_ok(!over && ran > 850, "%s, %s%s: slices of %u opcodes, %.0f us at most (%s)", target,
	       lane, mode ? ", denormals" : "", ran, worst, name);
	rig_fini(&r);
}

int main(void)
{
	const char *lane = rig_can("avx512") ? "avx512" : rig_can("avx2") ? "avx2" : "sse2";
	struct rig r;
	u32 i;

	rig_init(&r, "gfx90a", lane, 64);
	r.cu.lookup = lookup_page;
	for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		bool ran;
		double us = best_slice(&r, &patterns[i], &ran);

		tap_ok(ran && us < SLICE_US && us + SECTION_US < LIMIT_US,
		       "%s: %s: %u of %u take %.0f us", lane, patterns[i].name, r.ex.insns, SLICE,
		       us);
	}
	rig_fini(&r);
	for (i = 0; i < 2 * target_count(); i++)
		test_all(target_name(i / 2), "sse2", i & 1 ? DENORMALS : 0);
	for (i = 0; i < 2 * target_count() && strcmp(lane, "sse2"); i++)
		test_all(target_name(i / 2), lane, i & 1 ? DENORMALS : 0);
	return tap_done();
}
