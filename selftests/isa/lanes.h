/* SPDX-License-Identifier: MIT */
/*
 * What the lane tests share: the op lists as data, instructions made by hand,
 * waves whose register file ends at a guard page, and the reference model.
 */
#ifndef LANES_H
#define LANES_H

#include "isa_int.h"

enum lt_type {
	LT_NONE, LT_U32, LT_I32, LT_F32, LT_U16, LT_I16, LT_F16, LT_BF16, LT_U64, LT_I64,
	LT_F64, LT_PKI, LT_PKF, LT_PKBF, LT_PKF32, LT_MIX,
};

#define LT_CARRY	1	/* writes a lane mask besides */
#define LT_CIN		2
#define LT_CMP		4	/* writes a lane mask alone */
#define LT_CMPX		8
#define LT_VCC		16
#define LT_ACC		32
#define LT_KEEP		64
#define LT_HI		128
#define LT_LIT		256	/* one source is a literal */
#define LT_LANES	512	/* computed one lane at a time */
#define LT_LANES_SSE2	1024	/* the same, by the SSE2 build alone */

struct lt_op {
	u16 op;
	const char *name;
	u8 dst, src[3];
	u32 flags;
	bool sat;		/* clamp saturates */
};

/* Every op of the lists. */
extern const struct lt_op lt_ops[];
extern const unsigned int lt_op_count;

#define LT_ROWS		16	/* of a test wave */

struct lt_wave {
	struct isa_wave *w;
	void *map;
	size_t bytes;
};

u64 lt_rand(void);
void lt_seed(u64 seed);
u32 lt_value32(void);		/* specials mixed with random bits */
u64 lt_value(unsigned int type);
bool lt_is64(unsigned int type);
bool lt_is16(unsigned int type);
bool lt_isf(unsigned int type);

bool lt_wave_make(struct lt_wave *t);
void lt_wave_fill(struct lt_wave *t);
void lt_wave_copy(struct lt_wave *d, const struct lt_wave *s);
bool lt_wave_equal(const struct lt_wave *a, const struct lt_wave *b, char *why, size_t len);
void lt_insn(struct isa_insn *i, const struct lt_op *op, bool plain);
void lt_insn_print(const struct isa_insn *i, const struct lt_op *op);
bool lt_run(const struct isa_lane_ops *ops, struct isa_wave *w, const struct isa_insn *i);
u32 lt_cpu(void);

/* ref.c: what one lane should give; false if the model does not know the op */
struct ref_in {
	u64 s[3];		/* operands after their modifiers, by type */
	u32 mode;
	bool cin;
	unsigned int lane;
};
struct ref_out {
	u64 d;
	bool mask;
	bool ulp;		/* d is a float that may be one off */
};
bool ref_op(const struct lt_op *op, const struct ref_in *in, struct ref_out *out);

#endif /* LANES_H */
