/* SPDX-License-Identifier: MIT */
/* What the files of isa_rdna share. */
#ifndef ISA_RDNA_H
#define ISA_RDNA_H

#include "rig.h"
#include "barrier.h"
#include "lanes.h"
#include "decode.h"

/* How @t encodes @enc; NULL: it does not */
const struct isa_format *rdna_format(const struct isa_target *t, unsigned int enc);

u32 rdna_random(void);
/* Specials mixed with random bits */
u32 rdna_value(void);

/* A wave of @lanes at @words (four), everything else made from @seed_value. */
void rdna_prepare(struct rig *r, const u32 *words, u32 lanes, u64 exec, u32 seed_value);

/* What the tables know of the operations of the vector ALU */
extern const struct lt_op rdna_list[];
extern const unsigned int rdna_list_count;

/* Opcode @op against its reference: 1 right, 0 wrong (and told), -1 there is none */
int rdna_reference(struct rig *r, const struct isa_target *t, unsigned int enc, u32 op);

/* v_mov_b16_e64, which GFX9 does not have */
bool rdna_long_move(struct rig *r, const struct isa_target *t);

/* isa_rdna_halves.c: upper halves that only gfx11 and gfx12 have */
bool rdna_halves(struct rig *r, const struct isa_target *t);

/* isa_rdna_more.c: the same for two kinds of encodings */
int rdna_scalar(struct rig *r, const struct isa_target *t, const struct isa_row *row_,
		unsigned int enc, u32 op);
int rdna_memory(struct rig *r, const struct isa_target *t, const struct isa_row *row_,
		unsigned int enc, u32 op);

/* isa_rdna_float.c: the same for floats of the scalar unit */
int rdna_scalar_float(struct rig *r, const struct isa_target *t, const struct isa_row *row,
		      unsigned int enc, u32 op);

enum dot_type { DOT_HALF, DOT_BFLOAT, DOT_FP8, DOT_BF8 };

/**
 * struct dot_step - what the adder of small floats adds: @n products on @c
 * @ta,@tb: what elements are
 * @narrow: @c and the result have 16 bits, too
 */
struct dot_step {
	enum dot_type ta, tb;
	u32 n, a[4], b[4], c;
	bool narrow, gfx12, ovfl;
};

/* isa_rdna_dot.c: its result */
u32 rdna_dot(const struct dot_step *s);

/* isa_rdna_dot.c, isa_rdna_matrix.c: the same for dot products of 16 bits, and for matrices */
int rdna_dots(struct rig *r, const struct isa_target *t, const struct isa_row *row,
	      unsigned int enc, u32 op);
int rdna_matrix(struct rig *r, const struct isa_target *t, const struct isa_row *row,
		unsigned int enc, u32 op);

/*
 * isa_rdna_gfx12.c: words of opcode @op of memory with the fields that gfx9 to gfx11 have in @first
 * and @second; false: it has those. @ret: atomics return
 */
bool rdna_gfx12_encode(const struct isa_target *t, const struct isa_format *f,
		       const struct isa_row *r, u32 op, u32 first, u32 second, bool ret, u32 format,
		       u32 *w);

/* isa_rdna_gfx12.c: the same as in the other files for what only gfx12 has */
int rdna_gfx12_vector(struct rig *r, const struct isa_target *t, const struct isa_row *row,
		      unsigned int enc, u32 op);
int rdna_gfx12_scalar(struct rig *r, const struct isa_target *t, const struct isa_row *row,
		      unsigned int enc, u32 op);
int rdna_gfx12_memory(struct rig *r, const struct isa_target *t, const struct isa_row *row,
		      unsigned int enc, u32 op);

/* isa_rdna_flush.c: what flushes denormals on gfx12 */
int rdna_flush(struct rig *r, const struct isa_target *t, const struct isa_row *row,
	       unsigned int enc, u32 op);

/* isa_rdna_loop.c: subvector loops */
int rdna_subvector(struct rig *r, const struct isa_target *t, const struct isa_row *row,
		   unsigned int enc, u32 op);

/* isa_rdna_gfx12.c: DPP with a scalar as the second source, where there is that */
bool rdna_dpp_scalar(struct rig *r, const struct isa_target *t);

/* isa_rdna_dot.c: DPP of packed sources, where there is that */
bool rdna_dpp_packed(struct rig *r, const struct isa_target *t);

/* isa_rdna_more.c: what of a buffer is out of bounds, and formats that there are not */
bool rdna_bounds(struct rig *r, const struct isa_target *t);

/* Says what is wrong; false */
bool rdna_tell(const char *name, const char *what, u32 got, u32 want);

#define NOP	0x7e000000u	/* v_nop: what follows, and is not folded */

/* VGPRs of the cases */
#define D	40u
#define A	8u
#define B	9u
#define C	10u

static inline u32 *rdna_row(struct rig *r, u32 n)
{
	return r->vgprs + n * ISA_LANES;
}

static inline float rdna_float(u32 x)
{
	float f;

	memcpy(&f, &x, sizeof(f));
	return f;
}

static inline u32 rdna_bits(float f)
{
	u32 x;

	memcpy(&x, &f, sizeof(x));
	return x;
}

#endif /* ISA_RDNA_H */
