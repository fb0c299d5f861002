/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an operation is: the meaning of a row, parsed and typed. tab/prim.tab
 * states the notation, tab/sop.tab that of the scalar unit. parse.c reads it, types.c
 * types it, emit.c makes C expressions of it, lanes.c the handlers of the vector ALU,
 * scalars.c those of the scalar unit.
 */
#ifndef ISA_GEN_MEANING_H
#define ISA_GEN_MEANING_H

#include "gen.h"

enum type {
	TY_NONE,
	TY_U32, TY_I32, TY_F32, TY_U16, TY_I16, TY_F16, TY_U64, TY_I64, TY_F64,
	TY_BF16,				/* the upper half of an f32 */
	TY_PK_U16, TY_PK_I16, TY_PK_F16, TY_PK_BF16,	/* two in a register */
	TY_PK_F32,				/* two in two registers */
	TY_MIX,					/* f32, or an f16 that op_sel picks */
	TY_LANE,				/* a bit of a lane mask */
	TY_LANE64,				/* the same, computed by 64-bit vectors */
	TY_INT, TY_REAL,			/* a number whose type the context tells */
	TY_COUNT
};

/* Ways to compute: what a fn row's templates are for */
enum how {
	HOW_VEC,	/* a vector of 32-bit lanes, or of half as many 64-bit ones */
	HOW_IMM,	/* HOW_VEC where the last argument is a number */
	HOW_NOT,	/* HOW_VEC of the opposite (compares) */
	HOW_NOT1,	/* HOW_VEC where the first argument is ~$1 */
	HOW_MASKED,	/* HOW_VEC in the lanes of m, old in the others */
	HOW_IN1,	/* HOW_MASKED where the first argument is old */
	HOW_IN2,	/* HOW_MASKED where the second argument is old */
	HOW_HALF,	/* f16 in vectors of floats */
	HOW_NEAR,	/* a function of vectors that leaves some lanes to HOW_LANE */
	HOW_LANE,	/* one lane */
	HOW_WIDE,	/* one lane, an integer without bounds (s64) */
	HOW_SCALAR,	/* the scalar unit: one value */
	HOW_COUNT
};

/* A primitive or an operator */
struct fn {
	struct place at;
	const char *name;
	enum type result, arg[MAX_SRC];
	bool arg_is_d[MAX_SRC];		/* this argument must be D */
	unsigned int nargs;
	const char *how[HOW_COUNT];
	const char *limits;		/* C: of HOW_HALF */
	bool commutes, by_lane_in_sse2, flushes;
};

enum node_kind { NODE_SRC, NODE_NUMBER, NODE_SLICE, NODE_CALL };

struct node {
	enum node_kind kind;
	enum type type;
	unsigned int slot;		/* SRC: which of a, b, c */
	bool is_d;			/* SRC: the old destination */
	const char *name;		/* CALL, and SRC as written */
	struct node *arg[MAX_SRC];	/* CALL; SLICE: the first */
	unsigned int nargs;
	const struct fn *fn;
	unsigned long long value;	/* NUMBER: an integer, or the bits of a float */
	double real;
	unsigned int hi, lo;		/* SLICE */
};

#define MAX_STEPS	4

/* TARGET = EXPRESSION of the scalar unit */
struct step {
	const char *target;		/* "D", "SCC", "EXEC", "BRANCH", "TMP" */
	struct node *expr;
};

struct meaning {
	struct place at;
	const char *written;		/* the line, for a comment */
	struct op *op;
	enum type dst, src[MAX_SRC];
	bool carry, exec;		/* D.lane is written; and EXEC */
	bool keep, high;		/* D[15:0], D[31:16] */
	bool cin, vcc, acc;		/* S2.lane, VCC.lane, D is read */
	unsigned int literal;		/* which source is K: 1 or 2; 0: none */
	struct node *expr;		/* NULL: a function of its own */
	const char *rows, *bind, *table;
	const char *raises;		/* in place of what the expression raises */
	bool scalar;			/* of the scalar unit: what follows, in place of expr */
	struct step steps[MAX_STEPS];
	unsigned int nsteps;
	enum type tmp;
	/* words */
	bool cold, dear, is_long, wide, sdwa, lanes, sat, tame, rne, flush, dots, keep_denorm;
	unsigned int in;		/* sources that may be the destination */
	const char *ingredients;	/* lanes.c: what its functions are made of */
	const char *shape[6];		/* matrix: m, k, blocks, kind, a, b */
};

struct type_info {
	const char *name, *lane_type;	/* after T_ */
	unsigned int bits;
	bool is_float, is_signed, is_packed;
	enum type element;
};

extern const struct type_info type_info[TY_COUNT];
/* Of the vector ALU; of the scalar unit */
extern struct meaning meanings[MAX_ROWS], scalars[MAX_ROWS];
extern unsigned int nmeanings, nscalars;

/* parse.c */
void meaning_read(const struct place *at, const struct row *row, const char *s);

/* types.c */
enum type type_named(const struct place *at, const char *s);
void fn_begin(const struct place *at, char **w, unsigned int n);
void fn_how(const struct place *at, const char *s);
void types_resolve(struct meaning *m);
unsigned int nsrc(const struct meaning *m);

/* emit.c */
#define HALF_NONE	-1	/* not of a packed operation */
#define HALF_MODULAR	2	/* only the low 16 bits of the result count */
bool can(const struct node *n, enum how how);
const char *emit(const struct meaning *m, const struct node *n, enum how how);
const char *emit_half_of(const struct meaning *m, const struct node *n, enum how how, int half);
bool is_modular(const struct node *n);
bool takes_sources(const struct node *n);
bool names(const char *expr, const char *word);
bool is_bitwise(const struct node *n);

/* excp.c */
const char *class_named(const struct place *at, const char *s);
void raises_read(const struct place *at, char **w, unsigned int n);

enum shape {
	SHAPE_BIND,	/* binds itself */
	SHAPE_ROWS,	/* a function of rows written by hand */
	SHAPE_VECTOR,	/* 32-bit vectors */
	SHAPE_PAIR,	/* the same on both registers of float pairs */
	SHAPE_WIDE,	/* 64-bit vectors */
	SHAPE_HALF,	/* halves in vectors of floats, one lane at a time outside of limits */
	SHAPE_NEAR,	/* vectors, but for lanes that are left to go one at a time */
	SHAPE_LANE,	/* one lane at a time */
	SHAPE_CMP,	/* compares: 32-bit vectors, 64-bit ones, one lane at a time */
	SHAPE_CMP_WIDE,
	SHAPE_CMP_HALF,
	SHAPE_CMP_NEAR,
	SHAPE_CMP_LANE,
};

/* scalars.c: has it operands that are to be told apart? */
bool scalar_needs_any(const struct meaning *m);

/* shape.c */
enum shape shape_of(const struct meaning *m);
const char *near_of(const struct meaning *m);
bool is_pk16(const struct meaning *m);
bool has_fast(const struct meaning *m, enum shape shape);
bool commutes(const struct meaning *m, enum shape shape);
const char *lane_expr(const struct meaning *m);
const char *vector_expr(const struct meaning *m);
const struct meaning *same_as(const struct meaning *m);
/* what is computed one lane at a time, always or by one build */
bool goes_by_lane(const struct meaning *m);
bool goes_by_lane_in_sse2(const struct meaning *m);

#endif /* ISA_GEN_MEANING_H */
