/* SPDX-License-Identifier: MIT */
/* What isa_rdna_matrix.c and isa_rdna_matrix12.c share. */
#ifndef ISA_RDNA_MATRIX_H
#define ISA_RDNA_MATRIX_H

#include "isa_rdna.h"

#define MA	8u	/* VGPRs of A, B, C */
#define MB	16u
#define MC	24u

enum type { F32, F16, BF16, I32, U8, U4, FP8, BF8 };

/**
 * struct matrix_op - an operation
 * @in: elements of A and B, @out: of C and D; @in_b: of B, if others
 */
struct matrix_op {
	const char *name;
	enum type in, out, in_b;
};

/**
 * struct matrix_case - operands and modifiers
 * @c: register of C, or its code if @constant
 */
struct matrix_case {
	u32 lanes, neg_lo, neg_hi, c;
	bool constant, high, clamp;
	u64 exec;
};

u32 matrix_width(enum type t);

/* The number that is @x: a float, or one of 8 bits */
long double matrix_number(enum type t, u32 x);

/* Rounded to a float, denormals flushed; its bits */
long double matrix_as_float(long double x);
u32 matrix_float_bits(long double x);

/* A constant's bits, by its code in the instruction */
u32 matrix_constant(const struct matrix_op *op, u32 code);

/* @n registers from @reg on of elements of some @kind, 0 to 5. @alike: in all sixteens of lanes */
void matrix_fill(struct rig *r, u32 reg, u32 n, enum type t, u32 kind, bool alike);

int rdna_matrix_gfx12(struct rig *r, const struct isa_target *t, const struct isa_row *row,
		      unsigned int enc, u32 op);

#endif /* ISA_RDNA_MATRIX_H */
