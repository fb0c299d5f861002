/* SPDX-License-Identifier: MIT */
/*
 * Reference model of the matrix operations, on matrices and on registers.
 *
 * Arithmetic: MMA-Sim (arXiv 2511.10909), restated in long double, which holds
 * every intermediate exactly. Places of elements in registers: the formulas of
 * AMD's matrix instruction calculator.
 */
#ifndef REF_MATRIX_H
#define REF_MATRIX_H

#include "isa_int.h"

enum rm_type { RM_F32, RM_F16, RM_BF16, RM_XF32, RM_FP8, RM_BF8, RM_F64, RM_I8,
	       RM_OCP_FP8, RM_OCP_BF8, RM_FP6, RM_BF6, RM_FP4 };
enum rm_arch { RM_GFX908, RM_GFX90A, RM_GFX942, RM_GFX950 };

/**
 * struct rm_op - an operation
 * @op,@name: which
 * @m,@k,@blocks: @m rows and columns of the result, @k of the inner product
 * @a,@b: types; the result is i32, f64 or f32
 * @sparse: half of A's elements
 * @cbsz,@blgp: has these modifiers, on @gfx942 and before
 */
struct rm_op {
	u16 op;
	const char *name;
	u8 m, k, blocks;
	u8 a, b;
	bool sparse;
	bool cbsz, blgp, blgp942;
};

extern const struct rm_op rm_ops[];
extern const unsigned int rm_op_count;

u32 rm_type_bits(unsigned int type);

/* Number of a code, and the exponent of the lowest normal one */
double rm_value(unsigned int type, u64 x);
int rm_lowest(unsigned int type);

/**
 * struct rm_product - a product of two elements
 * @x,@y: their values; @lowx,@lowy: rm_lowest() of their types
 * @scale: it counts 2^@scale times
 */
struct rm_product {
	double x, y;
	int lowx, lowy, scale;
};

/* gfx942's sum of up to 16 products and C; @bytes: even and odd ones apart */
float rm_fused(const struct rm_product *in, u32 n, float c, bool bytes);

/* D[0] of one dot product: @k elements as raw bits, C as raw bits. */
u64 rm_dot(const struct rm_op *op, enum rm_arch arch, const u64 *a, const u64 *b,
	   u32 k, u64 c);

/**
 * rm_run() - the operation on registers
 * @op,@arch: what to do
 * @a,@b: operand rows, 64 dwords each
 * @c: accumulator rows; the index row if the operation is sparse
 * @d: result rows; also the accumulator if the operation is sparse
 * @cbsz,@abid,@blgp: modifiers
 */
void rm_run(const struct rm_op *op, enum rm_arch arch, const u32 *a, const u32 *b,
	    const u32 *c, u32 *d, u32 cbsz, u32 abid, u32 blgp);

#endif /* REF_MATRIX_H */
