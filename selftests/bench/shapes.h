/* SPDX-License-Identifier: MIT */
/* Shapes of a benchmark: what is to be done, and how large it is. shapes.c says whose they are. */
#ifndef SHAPES_H
#define SHAPES_H

#include <stdbool.h>
#include <stdint.h>

#include "isa.h"

#define HEAD	64u		/* dimensions of a head */
#define EPSILON	1e-5f

enum number { F32, F16, BF16 };

enum work { COPY, VECTOR_ADD, TRANSPOSE, GATHER, ATOMIC_ADD, SOFTMAX, RMSNORM, GEMM, ATTENTION };

/**
 * struct shape - one of them
 * @kernel: of shapes.cl
 * @n: elements; rows and columns; of a gather: of the source and of the result, and stride and offset of
 *	the indices; elements and buckets; of a product: rows, columns and depth; of attention: heads of
 *	queries and of keys, places, and how many a query sees
 * @tolerance: units of the last place of @type
 */
struct shape {
	const char *name, *kernel;
	enum work work;
	enum number type;
	u32 n[4];
	double tolerance;
};

/* Bytes of four buffers, the first of which is for the result */
void shape_sizes(const struct shape *s, u64 bytes[4]);
void shape_fill(const struct shape *s, void *const *buf);
/* The worst error in units of the last place; infinite where there is no tolerance */
double shape_check(const struct shape *s, void *const *buf);
/* Elements of the result (atomic sums: of the source), and operations of products */
double shape_elements(const struct shape *s);
double shape_flops(const struct shape *s);

#endif /* SHAPES_H */
