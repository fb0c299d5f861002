// SPDX-License-Identifier: MIT
/* The benchmark kernels as work: sizes, input, comparison. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "native.h"
#include "work.h"

#define SAXPY_N		(1u << 20)
#define SGEMM_LOG	8
#define SGEMM_N		(1u << (2 * SGEMM_LOG))
#define REDUCE_N	(1u << 20)
#define LANES_N		(1u << 16)
#define TRANS_N		(1u << 14)
#define F64_N		(1u << 14)
#define SCRATCH_N	(1u << 14)

static void run_saxpy(void *const *b)
{
	native_saxpy(b[0], b[1], 0.75f, SAXPY_N);
}

static void run_sgemm(void *const *b)
{
	native_sgemm(b[0], b[1], b[2], SGEMM_LOG);
}

static void run_reduce(void *const *b)
{
	native_lds_reduce(b[0], b[1], REDUCE_N / 4096);
}

static void run_trans(void *const *b)
{
	native_trans(b[0], b[1], TRANS_N);
}

static void run_inthash(void *const *b)
{
	native_inthash(b[0], b[1], LANES_N);
}

static void run_diverge(void *const *b)
{
	native_diverge(b[0], b[1], LANES_N);
}

static void run_f64(void *const *b)
{
	native_f64(b[0], b[1], F64_N);
}

static void run_scratch(void *const *b)
{
	native_scratch(b[0], b[1], SCRATCH_N);
}

const struct bench benches[BENCHES] = {
	{ .name = "saxpy", .memory = true, .items = SAXPY_N, .buffers = 2, .dwords = { SAXPY_N, SAXPY_N },
	  .arg = 0x3f400000, .native = run_saxpy },
	{ .name = "sgemm", .memory = true, .items = SGEMM_N, .buffers = 3,
	  .dwords = { SGEMM_N, SGEMM_N, SGEMM_N }, .arg = SGEMM_LOG, .tolerance = 0,
	  .native = run_sgemm },
	{ .name = "lds_reduce", .memory = true, .items = REDUCE_N / 16, .buffers = 2,
	  .dwords = { REDUCE_N / 4096, REDUCE_N }, .tolerance = 0, .native = run_reduce },
	{ .name = "trans", .items = TRANS_N, .buffers = 2, .dwords = { TRANS_N, TRANS_N },
	  .tolerance = 2e-3, .native = run_trans },
	{ .name = "inthash", .items = LANES_N, .buffers = 2, .dwords = { LANES_N, LANES_N },
	  .integer = true, .native = run_inthash },
	{ .name = "diverge", .items = LANES_N, .buffers = 2, .dwords = { LANES_N, LANES_N },
	  .integer = true, .native = run_diverge },
	{ .name = "f64", .items = F64_N, .buffers = 2, .dwords = { F64_N, F64_N },
	  .integer = true, .native = run_f64 },
	{ .name = "scratch", .memory = true, .scratch = true, .items = SCRATCH_N, .buffers = 2,
	  .dwords = { SCRATCH_N, SCRATCH_N }, .integer = true, .native = run_scratch },
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double bench_median(double *t, u32 n)
{
	qsort(t, n, sizeof(*t), by_value);
	return t[n / 2];
}

void bench_fill(const struct bench *b, void *const *buf)
{
	u32 n, k, x = 12345;

	for (n = 0; n < b->buffers; n++)
		for (k = 0; k < b->dwords[n]; k++) {
			x = x * 1664525u + 1013904223u;
			if (b->integer)
				((u32 *)buf[n])[k] = x ^ x >> 15;
			else
				((float *)buf[n])[k] = (float)(int32_t)x * 0x1p-31f;
		}
}

static bool is_on(uint64_t exec, u32 item)
{
	return exec >> item % 64 & 1;
}

void bench_native_exec(const struct bench *b, void *const *buf, uint64_t exec)
{
	u32 *out = buf[0], *was = malloc(b->dwords[0] * sizeof(u32)), k;
	bool tree = b->dwords[0] < b->items;

	bench_fill(b, buf);
	/* A sum over work-items lacks those of the others; else these write nothing. */
	for (k = 0; tree && k < b->dwords[1]; k++)
		if (!is_on(exec, k))
			((u32 *)buf[1])[k] = 0;
	memcpy(was, out, b->dwords[0] * sizeof(u32));
	b->native(buf);
	for (k = 0; !tree && k < b->dwords[0]; k++)
		if (!is_on(exec, k))
			out[k] = was[k];
	free(was);
}

double bench_check(const struct bench *b, const void *got, const void *want)
{
	double worst = 0;
	u32 k;

	for (k = 0; k < b->dwords[0]; k++) {
		const float *g = got, *w = want;
		double e;

		if (b->tolerance == 0 && ((const u32 *)got)[k] != ((const u32 *)want)[k])
			return -1;
		if (b->tolerance == 0)
			continue;
		e = fabs((double)g[k] - w[k]) / (fabs((double)w[k]) + 1e-2);
		worst = e > worst || e != e ? e : worst;
		if (e != e)
			return -1;
	}
	return worst;
}
