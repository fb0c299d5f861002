// SPDX-License-Identifier: MIT
/*
 * References of the programs of matrix.cl. Floats and doubles are summed by
 * fused multiply-adds in the order of k, as the hardware does; of the small
 * formats the inputs are integers so small that every sum is exact.
 */
#include <math.h>

#include "programs.h"

#define SIDE	64u
#define BYTES	(SIDE * SIDE * 4)

#define PARAMS	const struct program *p, void *const *b

static void init_floats(PARAMS)
{
	unsigned int n, k;

	(void)p;
	for (n = 1; n < 3; n++)
		for (k = 0; k < SIDE * SIDE; k++)
			((float *)b[n])[k] = (float)(int32_t)program_random(n, k) * 0x1p-30f;
}

static void init_doubles(PARAMS)
{
	unsigned int n, k;

	(void)p;
	for (n = 1; n < 3; n++)
		for (k = 0; k < SIDE * SIDE; k++)
			((double *)b[n])[k] = (double)(int64_t)program_random(n, k) * 0x1p-61;
}

static void init_integers(PARAMS)
{
	unsigned int n, k;

	(void)p;
	for (n = 1; n < 3; n++)
		for (k = 0; k < SIDE * SIDE; k++)
			((int32_t *)b[n])[k] = (int32_t)(program_random(n, k) % 17) - 8;
}

static void ref_floats(PARAMS)
{
	const float *x = b[1], *y = b[2];
	unsigned int i, j, k;
	float *c = b[0];

	(void)p;
	for (i = 0; i < SIDE; i++)
		for (j = 0; j < SIDE; j++)
			for (k = 0; k < SIDE; k++)
				c[i * SIDE + j] = fmaf(x[i * SIDE + k], y[k * SIDE + j],
						  c[i * SIDE + j]);
}

static void ref_doubles(PARAMS)
{
	const double *x = b[1], *y = b[2];
	unsigned int i, j, k;
	double *c = b[0];

	(void)p;
	for (i = 0; i < SIDE; i++)
		for (j = 0; j < SIDE; j++)
			for (k = 0; k < SIDE; k++)
				c[i * SIDE + j] = fma(x[i * SIDE + k], y[k * SIDE + j],
						  c[i * SIDE + j]);
}

static int32_t sum(const int32_t *x, const int32_t *y)
{
	int32_t r = 0;
	unsigned int k;

	for (k = 0; k < SIDE; k++)
		r += x[k] * y[k * SIDE];
	return r;
}

static void ref_integers(PARAMS)
{
	const int32_t *x = b[1], *y = b[2];
	unsigned int i, j;

	(void)p;
	for (i = 0; i < SIDE; i++)
		for (j = 0; j < SIDE; j++)
			((int32_t *)b[0])[i * SIDE + j] = sum(x + i * SIDE, y + j);
}

static void ref_exact(PARAMS)
{
	const int32_t *x = b[1], *y = b[2];
	unsigned int i, j;

	(void)p;
	for (i = 0; i < SIDE; i++)
		for (j = 0; j < SIDE; j++)
			((float *)b[0])[i * SIDE + j] = (float)sum(x + i * SIDE, y + j);
}

#define BUF(n)		{ PROGRAM_ARG_BUFFER, n }
#define ROW(n, t, x, y, bytes, init_, ref_)				\
	{ .name = #n, .object = "matrix", .kernel = #n, .targets = t,	\
	  .group = { 64, 1, 1 }, .groups = { x, y, 1 },			\
	  .args = { BUF(bytes), BUF(bytes), BUF(bytes) }, .init = init_, .ref = ref_ }
#define ALL		"gfx908 gfx90a gfx942 gfx950"

const struct program matrix_programs[] = {
	ROW(sgemm16, ALL, 4, 4, BYTES, init_floats, ref_floats),
	ROW(sgemm32, ALL, 1, 2, BYTES, init_floats, ref_floats),
	ROW(dgemm16, "gfx90a gfx942 gfx950", 4, 4, 2 * BYTES, init_doubles, ref_doubles),
	ROW(hgemm16, ALL, 4, 4, BYTES, init_integers, ref_exact),
	ROW(bgemm16, ALL, 4, 4, BYTES, init_integers, ref_exact),
	ROW(igemm16, ALL, 4, 4, BYTES, init_integers, ref_integers),
	ROW(fgemm16, "gfx942 gfx950", 4, 4, BYTES, init_integers, ref_exact),
	ROW(mxgemm16, "gfx950", 4, 4, BYTES, init_integers, ref_exact),
};
const size_t matrix_program_count = sizeof(matrix_programs) / sizeof(matrix_programs[0]);
