// SPDX-License-Identifier: MIT
/*
 * Time of matrix operations, per SIMD build: the handler is called over and
 * over. CPU time, median of several runs.
 *	bench-matrix OP TARGET VARIANT NS[, bar NS: RATIO]
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tables.h"
#include "launch.h"

#define CALLS	2000
#define RUNS	9
#define ROWS	128
#define ACC_ROW	64
#define BAR	2000	/* ns, AVX-512 */

/* Random operands: halves of @bits with exponents about that of 1. */
static const struct row {
	u16 op;
	const char *target;
	u32 keep, one;		/* random bits & keep | one is about 1 in every element */
} rows[] = {
	{ ISA_OP_V_MFMA_F32_16X16X16F16, "gfx90a", 0x83ff83ff, 0x3c003c00 },
	{ ISA_OP_V_MFMA_F32_32X32X8F16, "gfx90a", 0x83ff83ff, 0x3c003c00 },
	{ ISA_OP_V_MFMA_F32_16X16X16BF16_1K, "gfx90a", 0x807f807f, 0x3f803f80 },
	{ ISA_OP_V_MFMA_F32_32X32X8BF16_1K, "gfx90a", 0x807f807f, 0x3f803f80 },
	{ ISA_OP_V_MFMA_F32_16X16X4F32, "gfx90a", 0x807fffff, 0x3f800000 },
	{ ISA_OP_V_MFMA_F32_32X32X2F32, "gfx90a", 0x807fffff, 0x3f800000 },
	{ ISA_OP_V_MFMA_F64_16X16X4F64, "gfx90a", 0x800fffff, 0x3ff00000 },
	{ ISA_OP_V_MFMA_I32_16X16X16I8, "gfx90a", ~0u, 0 },
	{ ISA_OP_V_MFMA_F32_16X16X16F16, "gfx942", 0x83ff83ff, 0x3c003c00 },
	{ ISA_OP_V_MFMA_F32_32X32X8F16, "gfx942", 0x83ff83ff, 0x3c003c00 },
	{ ISA_OP_V_MFMA_F32_16X16X16BF16_1K, "gfx942", 0x807f807f, 0x3f803f80 },
	{ ISA_OP_V_MFMA_F32_32X32X8BF16_1K, "gfx942", 0x807f807f, 0x3f803f80 },
	{ ISA_OP_V_MFMA_F32_16X16X8_XF32, "gfx942", 0x807fffff, 0x3f800000 },
	{ ISA_OP_V_MFMA_F32_16X16X32_FP8_FP8, "gfx942", 0x87878787, 0x40404040 },
	{ ISA_OP_V_MFMA_F32_32X32X16_FP8_FP8, "gfx942", 0x87878787, 0x40404040 },
	{ ISA_OP_V_MFMA_F32_32X32X16_BF8_FP8, "gfx942", 0x83838383, 0x40404040 },
	{ ISA_OP_V_MFMA_I32_32X32X16_I8, "gfx942", ~0u, 0 },
	{ ISA_OP_V_SMFMAC_F32_16X16X32_F16, "gfx942", 0x83ff83ff, 0x3c003c00 },
	{ ISA_OP_V_SMFMAC_F32_16X16X64_FP8_FP8, "gfx942", 0x87878787, 0x40404040 },
};

static u32 rnd(void)
{
	static u64 x = 0x9e3779b97f4a7c15;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (u32)(x >> 24);
}

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void *zeroed(size_t bytes)
{
	void *p = aligned_alloc(64, (bytes + 63) & ~(size_t)63);

	if (!p)
		exit(1);
	return memset(p, 0, (bytes + 63) & ~(size_t)63);
}

static u16 row_of(unsigned int op)
{
	u16 n = 1;

	while (isa_rows[n].op != op)
		n++;
	return n;
}

static double measure(struct isa_wave *w, const struct isa_slot *s)
{
	double t[RUNS];
	u32 n, k;

	for (n = 0; n < RUNS; n++) {
		t[n] = cpu_ns();
		for (k = 0; k < CALLS; k++)
			s->exec[1](w, &s->in);
		t[n] = (cpu_ns() - t[n]) / CALLS;
	}
	qsort(t, RUNS, sizeof(t[0]), by_value);
	return t[RUNS / 2];
}

/* False if the operation is not executed. */
static bool bench(struct isa_cu *cu, struct isa_wave *w, const struct row *r)
{
	bool sparse = !strncmp(isa_op_name(r->op), "v_smfmac", 8);
	struct isa_slot s = { .in = {
		.op = r->op, .row = row_of(r->op), .enc = ISA_ENC_VOP3P, .size = 2, .sdst = ISA_SRC_NONE,
		.dst = ISA_SRC_ACC0, .src = { ISA_SRC_VGPR0, ISA_SRC_VGPR0 + 8, ISA_SRC_ACC0 },
	} };
	double ns;
	u32 n;

	if (sparse)
		s.in.src[2] = ISA_SRC_VGPR0 + 32;
	cu->target = isa_target_by_name(r->target);
	isa_wave_reset(w, cu, NULL, 0, ~0ull);
	w->acc_row = ACC_ROW;
	for (n = 0; n < ROWS * ISA_LANES; n++)
		w->v[n] = n < ACC_ROW * ISA_LANES ? (rnd() & r->keep) | r->one : 0;
	if (!cu->lane->bind(cu->target, &s))
		return false;
	cu->lane->enter(w);
	ns = measure(w, &s);
	printf("bench-matrix %s %s %s %.0f", isa_target_op_name(cu->target, r->op), r->target,
	       cu->lane->name, ns);
	if (!strcmp(cu->lane->name, "avx512"))
		printf(", bar %d: %.2f", BAR, ns / BAR);
	printf("\n");
	cu->lane->leave(w);
	return true;
}

int main(void)
{
	static const char *const lanes[] = { "sse2", "avx2", "avx512" };
	struct isa_wave *w = isa_wave_init(zeroed(isa_wave_bytes()), zeroed(ROWS * 256), ROWS);
	struct isa_cu *cu = zeroed(sizeof(*cu));
	u32 n, k, bad = 0;

	for (k = 0; k < ARRAY_SIZE(lanes); k++) {
		cu->lane = isa_lane_by_name(lanes[k], host_cpu());
		for (n = 0; cu->lane && n < ARRAY_SIZE(rows); n++)
			bad += !bench(cu, w, &rows[n]);
	}
	printf("# %u matrix operations did not run\n", bad);
	free(w->v);
	free(w);
	free(cu);
	return !!bad;
}
