// SPDX-License-Identifier: MIT
/*
 * How soon a wave can be stopped. A queue is at rest when its waves have left
 * the sections they are in: a section looks at the clock after each slice of
 * instructions (backend/vgpu/cu.c: WAVE_SLICE, twice section_ns), so a pause
 * takes as long as a section and one slice of the dearest instructions. That
 * has to be below 2 ms, whatever the instructions are. Measured in CPU time,
 * the best of several slices: the machine has others to serve. TAP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "rig.h"

#define SLICE		512u		/* WAVE_SLICE */
#define SECTION_US	200.0		/* twice section_ns */
#define LIMIT_US	2000.0
#define TRIES		7
#define COPIES		32u
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
static bool lookup_page(struct isa_cu *cu, u64 va, u32 access, struct isa_xlat *x)
{
	struct rig *r = cu->priv;

	(void)access;
	if (va < RIG_VA || va >= RIG_VA + RIG_BYTES)
		return false;
	x->start = va & ~4095ull;
	x->end = x->start + 4096;
	x->host = r->mem + (x->start - RIG_VA);
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
		*ran = rig_run(r, SLICE) == ISA_STOP_BUDGET && r->ex.insns;
		t = cpu_us() - t;
		if (!*ran)
			return 0;
		best = t < best ? t : best;
	}
	return best;
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

		tap_ok(ran && us + SECTION_US < LIMIT_US, "%s: %s: %u take %.0f us", lane,
		       patterns[i].name, SLICE, us);
	}
	rig_fini(&r);
	return tap_done();
}
