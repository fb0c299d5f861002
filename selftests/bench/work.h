/* SPDX-License-Identifier: MIT */
/*
 * What is to be done with the eight kernels: sizes, input, the right result. One
 * text for the engine alone (bench.c) and for the way through /dev/kfd (guest.c).
 */
#ifndef WORK_H
#define WORK_H

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t u32;

#define BENCH_GROUP	256u	/* work-items of a work-group */

/**
 * struct bench - one kernel
 * @items: work-items
 * @args: dwords of arguments behind the pointers
 * @buffers: pointers; buffer 0 is the result
 * @dwords: size of each buffer
 * @native: the same work in C
 * @tolerance: relative error allowed, 0 for exact
 * @integer: input of random bits, not of floats
 * @memory: what it does most is load and store
 * @scratch: it needs scratch memory
 */
struct bench {
	const char *name;
	u32 items;
	u32 buffers;
	u32 dwords[3];
	u32 arg;
	bool integer, memory, scratch;
	double tolerance;
	void (*native)(void *const *b);
};

#define BENCHES		8u
extern const struct bench benches[BENCHES];

double bench_median(double *t, u32 n);
/* The same values each time; floats in [-1, 1). */
void bench_fill(const struct bench *b, void *const *buf);
/* The right result if only the lanes in @exec of each wave are on. */
void bench_native_exec(const struct bench *b, void *const *buf, uint64_t exec);
/* Worst relative error, or -1 where an exact result differs. */
double bench_check(const struct bench *b, const void *got, const void *want);

#endif /* WORK_H */
