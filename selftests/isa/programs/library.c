// SPDX-License-Identifier: MIT
/*
 * Arguments and values for the programs of library.cl. The CPU's library is asked
 * in the next wider type, so that its errors are far below the last place.
 */
#include <math.h>

#include "library.h"
#include "programs.h"

#define PARAMS	const struct program *p, void *const *b

/* A number of any size up to @scale bits of exponent, of either sign. */
static double argument(unsigned int seed, unsigned int i)
{
	uint64_t r = program_random(seed, i);
	int exponent = (int)(r >> 32 & 15);

	return ldexp((double)(int32_t)r, exponent - 31 - 8 * (i & 1));
}

static void init_f32(PARAMS)
{
	float *x = b[1], *y = b[2], *want = b[3];
	unsigned int i;

	(void)p;
	for (i = 0; i < LIBRARY_ITEMS; i++) {
		x[i] = (float)argument(1, i);
		y[i] = (float)argument(2, i / 2);
#define ONE(name, f)	want[LIBRARY_##name * LIBRARY_ITEMS + i] = (float)f((double)x[i]);
#define TWO(name, f)	want[LIBRARY_##name * LIBRARY_ITEMS + i] = (float)f((double)x[i], (double)y[i]);
		LIBRARY(ONE, TWO)
#undef ONE
#undef TWO
	}
}

static void init_f64(PARAMS)
{
	double *x = b[1], *y = b[2], *want = b[3];
	unsigned int i;

	(void)p;
	for (i = 0; i < LIBRARY_ITEMS; i++) {
		x[i] = argument(3, i);
		y[i] = argument(4, i / 2);
#define ONE(name, f)	want[LIBRARY_##name * LIBRARY_ITEMS + i] = (double)f##l((long double)x[i]);
#define TWO(name, f)	want[LIBRARY_##name * LIBRARY_ITEMS + i] =	\
	(double)f##l((long double)x[i], (long double)y[i]);
		LIBRARY(ONE, TWO)
#undef ONE
#undef TWO
	}
}

static void ref_near(PARAMS)
{
	unsigned int i;

	(void)p;
	for (i = 0; i < LIBRARY_ITEMS; i++)
		((uint32_t *)b[0])[i] = (1u << LIBRARY_COUNT) - 1;
}

#define BUF(n)		{ PROGRAM_ARG_BUFFER, n }
#define ROW(n, size, init_)						\
	{ .name = #n, .object = "library", .kernel = #n, .group = { 64, 1, 1 },	\
	  .groups = { LIBRARY_ITEMS / 64, 1, 1 },			\
	  .args = { BUF(LIBRARY_ITEMS * 4), BUF(LIBRARY_ITEMS * size),	\
		    BUF(LIBRARY_ITEMS * size), BUF(LIBRARY_COUNT * LIBRARY_ITEMS * size) }, \
	  .init = init_, .ref = ref_near }

const struct program library_programs[] = {
	ROW(library_f32, 4, init_f32),
	ROW(library_f64, 8, init_f64),
};
const size_t library_program_count = sizeof(library_programs) / sizeof(library_programs[0]);
