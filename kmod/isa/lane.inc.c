/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One SIMD build of the vector handlers: the variant's file sets LANE_WIDTH,
 * LANE_OPS, LANE_NAME, LANE_CPU and LANE_MAT_BIND and includes this.
 *
 * The op lists say what an operation is, once; the macros below make of each
 * row first its functions, then its table entry:
 *	V(op, dst, s0, s1, s2, flags, expr)	vector expression
 *	H(...)			the same with fast handlers (hot ones)
 *	E(...)			the same where the expression has a slow side for odd
 *				inputs; lanes that are off must not take it
 *	A(..., fn, operands)	the same of one function that there is masked, too
 *	I(..., ina, inb)	H of two sources, with handlers of its own where the
 *			first or second is the destination and lanes m are on
 *	W(..., ina, inb)	I, with handlers for SDWA
 *	Y(..., inb)	W for shifts: only where the second is the destination
 *	J(..., in, last, inx)	H of three sources, of which one (the last one?) is
 *	Q(...)			64-bit vector expression with fast handlers
 *	P(op, sources, expr)	on both registers of packed float pairs
 *	S(...)			scalar expression, one lane at a time (l)
 *	G(..., limits, vexpr, expr)	halves: in floats within HALF_* limits
 *	R(..., row), T(..., row, table)	ready functions
 *	C, D, B, K(cond, type, expr)	compares: v_cmp_ and v_cmpx_
 *	Z(op, dst, s0, s1, s2, expr)	what clamp does to an integer op
 *	X(op, bind)		binds itself
 *	M(op, ...)		matrix operations (lane_mat.inc.c)
 * Expressions see the operands as a, b, c, the wave as w (vector ones) and the
 * environment as e (scalar ones).
 */
#include "lane.h"
#include "lane_core.inc.c"
#include "lane_soft.inc.c"
#include "lane_math.inc.c"
#include "lane_scalar.inc.c"
#include "lane_div.inc.c"
#include "lane_fp8.inc.c"
#include "lane_half.inc.c"
#include "lane_generic.inc.c"
#include "lane_special.inc.c"

/* ---- types of scalar expressions ---- */

#define CT_NONE	u32
#define CT_U32	u32
#define CT_I32	s32
#define CT_F32	u32
#define CT_U16	u32
#define CT_I16	s32
#define CT_F16	u32
#define CT_U64	u64
#define CT_I64	s64
#define CT_F64	u64
#define CT_PKI	u32
#define CT_PKF	u32
#define CT_MIX	u32

#define GET_LO(p, l)	((p)[l])
#define GET_64(p, l)	((p)[l] | (u64)(p)[(l) + ISA_LANES] << 32)
#define GET_NONE(p, l)	0
#define GET_U32	GET_LO
#define GET_I32(p, l)	((s32)(p)[l])
#define GET_F32	GET_LO
#define GET_U16(p, l)	((p)[l] & 0xffff)
#define GET_I16(p, l)	((s32)(s16)(p)[l])
#define GET_F16	GET_U16
#define GET_U64	GET_64
#define GET_I64(p, l)	((s64)GET_64(p, l))
#define GET_F64	GET_64
#define GET_PKI	GET_LO
#define GET_PKF	GET_LO
#define GET_MIX	GET_LO

#define PUT_LO(d, l, v)	((d)[l] = (u32)(v))
#define PUT_16(d, l, v)	((d)[l] = (u32)(v) & 0xffff)
#define PUT_64(d, l, v)							\
do {									\
	u64 v_ = (u64)(v);						\
									\
	(d)[l] = (u32)v_;						\
	(d)[(l) + ISA_LANES] = (u32)(v_ >> 32);				\
} while (0)
#define PUT_U32	PUT_LO
#define PUT_I32	PUT_LO
#define PUT_F32	PUT_LO
#define PUT_U16	PUT_16
#define PUT_I16	PUT_16
#define PUT_F16	PUT_16
#define PUT_U64	PUT_64
#define PUT_I64	PUT_64
#define PUT_F64	PUT_64
#define PUT_PKI	PUT_LO
#define PUT_PKF	PUT_LO

#define NSRC(A, B, C)	((T_##A != T_NONE) + (T_##B != T_NONE) + (T_##C != T_NONE))
#define ROW_ARGS	u32 *d, const u32 *pa, const u32 *pb, const u32 *pc, struct lane_env *e
#define FLOATS(A, B, C)	(lane_isf(T_##A) | lane_isf(T_##B) << 1 | lane_isf(T_##C) << 2)
#define WIDE(D, A, B, C)	(lane_is64(T_##A) | lane_is64(T_##B) << 1 |	\
			 lane_is64(T_##C) << 2 | lane_is64(T_##D) << 3)

/* ---- first pass: functions ---- */

#define EXPR(N, expr)							\
static __always_inline VI x_##N(VI a, VI b, VI c, const struct isa_wave *w)	\
{									\
	(void)a, (void)b, (void)c, (void)w;				\
	return expr;							\
}

#define V(N, D, A, B, C, F, expr)					\
EXPR(N, expr)								\
static void r_##N(ROW_ARGS)						\
{									\
	lane_vrow(d, pa, pb, pc, e, x_##N, NSRC(A, B, C));		\
}

#define H_FAST(N, A, B, C, F, form, full)				\
static enum isa_stop f_##N##_##form##full(struct isa_wave *w,		\
					  const struct isa_insn *i)	\
{									\
	if ((F) & LF_RNE && unlikely(w->mode & 3))			\
		return lane_generic(w, i);				\
	return lane_fast(w, i, x_##N, m_##N, NSRC(A, B, C), FLOATS(A, B, C),	\
			 (F) & LF_ACC ? NSRC(A, B, C) - 1 : LANE_IN_NONE, form, full);	\
}

#define MASKED(name, expr)						\
static __always_inline VI name(VM m, VI old, VI a, VI b, VI c, const struct isa_wave *w)	\
{									\
	(void)old, (void)a, (void)b, (void)c, (void)w;			\
	return expr;							\
}

#define H_SIX(N, A, B, C, F)						\
H_FAST(N, A, B, C, F, 0, 0)						\
H_FAST(N, A, B, C, F, 0, 1)						\
H_FAST(N, A, B, C, F, 1, 0)						\
H_FAST(N, A, B, C, F, 1, 1)						\
H_FAST(N, A, B, C, F, 2, 0)						\
H_FAST(N, A, B, C, F, 2, 1)
#define H_TABLE(N)							\
	{ f_##N##_00, f_##N##_01 }, { f_##N##_10, f_##N##_11 },		\
	{ f_##N##_20, f_##N##_21 },
#define H_ALL(N, A, B, C, F)						\
H_SIX(N, A, B, C, F)							\
static const isa_exec_fn t_##N[LANE_FORMS][2] = { H_TABLE(N) };

#define H(N, D, A, B, C, F, expr)					\
V(N, D, A, B, C, F, expr)						\
MASKED(m_##N, vi_over(m, old, x_##N(a, b, c, w)))				\
H_ALL(N, A, B, C, F)

/* Where there are masks, a source at hand saves nothing. */
#if LANE_WIDTH == 16
#define LF_IN_HERE	0
#define IN_FAST(N, A, B, C, in, form, expr)
#define IN_PLACE(...)
#else
#define LF_IN_HERE	LF_IN
#define IN_FAST(N, A, B, C, in, form, expr)				\
MASKED(m_##N##_in##in##form, expr)					\
static enum isa_stop f_##N##_in##in##form(struct isa_wave *w,		\
					  const struct isa_insn *i)	\
{									\
	return lane_fast(w, i, x_##N, m_##N##_in##in##form, NSRC(A, B, C),	\
			 FLOATS(A, B, C), in, form, false);		\
}
#define IN_PLACE(...)	__VA_ARGS__
#endif

#define H_PLUS(N, D, A, B, C, F, expr)					\
V(N, D, A, B, C, F, expr)						\
MASKED(m_##N, vi_over(m, old, x_##N(a, b, c, w)))			\
H_SIX(N, A, B, C, F)

#define I(N, D, A, B, C, F, expr, ina, inb)				\
H_PLUS(N, D, A, B, C, F, expr)						\
IN_FAST(N, A, B, C, 0, 0, ina)						\
IN_FAST(N, A, B, C, 1, 0, inb)						\
IN_FAST(N, A, B, C, 1, 1, inb)						\
static const isa_exec_fn t_##N[LANE_IN_FORMS][2] = {			\
	H_TABLE(N)							\
	IN_PLACE([LANE_FORM_IN] = { f_##N##_in00, f_##N##_in10 },	\
		 { NULL, f_##N##_in11 })				\
};

#define W(N, D, A, B, C, F, expr, ina, inb)				\
H_PLUS(N, D, A, B, C, F, expr)						\
H_FAST(N, A, B, C, F, 3, 0)						\
H_FAST(N, A, B, C, F, 3, 1)						\
IN_FAST(N, A, B, C, 0, 0, ina)						\
IN_FAST(N, A, B, C, 1, 0, inb)						\
IN_FAST(N, A, B, C, 1, 1, inb)						\
IN_FAST(N, A, B, C, 1, 3, inb)						\
static const isa_exec_fn t_##N[LANE_IN_FORMS][2] = {			\
	H_TABLE(N)							\
	{ f_##N##_30, f_##N##_31 },					\
	IN_PLACE({ f_##N##_in00, f_##N##_in10 }, { NULL, f_##N##_in11 },	\
		 [LANE_FORM_IN + 3] = { NULL, f_##N##_in13 })		\
};

/* SSE2's shifts are long and what surrounds them does not matter. */
#if LANE_WIDTH == 4
#define Y(N, D, A, B, C, F, expr, ...)	H(N, D, A, B, C, F, expr)
#define J	Y
#else
#define Y(N, D, A, B, C, F, expr, inb)					\
H_PLUS(N, D, A, B, C, F, expr)						\
H_FAST(N, A, B, C, F, 3, 0)						\
H_FAST(N, A, B, C, F, 3, 1)						\
IN_FAST(N, A, B, C, 1, 0, inb)						\
IN_FAST(N, A, B, C, 1, 1, inb)						\
static const isa_exec_fn t_##N[LANE_IN_FORMS][2] = {			\
	H_TABLE(N)							\
	{ f_##N##_30, f_##N##_31 },					\
	IN_PLACE({ NULL, f_##N##_in10 }, { NULL, f_##N##_in11 })	\
};

#define J(N, D, A, B, C, F, expr, in, last, inx)			\
H_PLUS(N, D, A, B, C, F, expr)						\
IN_FAST(N, A, B, C, in, 2, inx)						\
static const isa_exec_fn t_##N[LANE_IN_FORMS][2] = {			\
	H_TABLE(N)							\
	IN_PLACE([LANE_FORM_IN + 2] = { [last] = f_##N##_in##in##2 })	\
};
#endif

#define E(N, D, A, B, C, F, expr)					\
V(N, D, A, B, C, F, expr)						\
MASKED(m_##N, vi_over(m, old, x_##N(vi_over(m, FC(0x3f800000), a), b, c, w)))	\
H_ALL(N, A, B, C, F)

#define A(N, D, A, B, C, F, fn, ...)					\
V(N, D, A, B, C, F, fn(__VA_ARGS__))					\
MASKED(m_##N, fn##_m(m, old, __VA_ARGS__))					\
H_ALL(N, A, B, C, F)

#define Q_FAST(N, D, A, B, C, F, full)					\
static enum isa_stop f_##N##_##full(struct isa_wave *w, const struct isa_insn *i)	\
{									\
	if (lane_is_fp64(T_##A) && unlikely(lane_split_mode(w)))	\
		return lane_generic(w, i);				\
	return lane_qfast(w, i, x_##N, NSRC(A, B, C), WIDE(D, A, B, C),	\
			  (F) & LF_ACC, full);				\
}									\
static enum isa_stop f_##N##_any##full(struct isa_wave *w, const struct isa_insn *i)	\
{									\
	if (lane_is_fp64(T_##A) && unlikely(lane_split_mode(w)))	\
		return lane_generic(w, i);				\
	return lane_qfast_any(w, i, x_##N, T_##A, T_##B, T_##C, lane_is64(T_##D),	\
			      (F) & LF_ACC, full);			\
}

#define Q(N, D, A, B, C, F, expr)					\
EXPR(N, expr)								\
static void r_##N(ROW_ARGS)						\
{									\
	lane_qrow(d, pa, pb, pc, e, x_##N, NSRC(A, B, C), WIDE(D, A, B, C));	\
}									\
Q_FAST(N, D, A, B, C, F, 0)						\
Q_FAST(N, D, A, B, C, F, 1)						\
static const isa_exec_fn t_##N[LANE_FORMS][2] = {			\
	{ f_##N##_0, f_##N##_1 },					\
	{ f_##N##_any0, f_##N##_any1 },					\
	{ f_##N##_any0, f_##N##_any1 },					\
};

#define P(N, nsrc, expr)						\
EXPR(N, expr)								\
static void r_##N(ROW_ARGS)						\
{									\
	lane_vrow(d, pa, pb, pc, e, x_##N, nsrc);			\
	lane_vrow(d + ISA_LANES, pa + ISA_LANES, pb + ISA_LANES,	\
		  (nsrc) > 2 ? pc + ISA_LANES : pc, e, x_##N, nsrc);	\
}

#define S_ROW(name, D, A, B, C, expr)					\
static void name(u32 *__restrict d, const u32 *pa, const u32 *pb,	\
		 const u32 *pc, struct lane_env *e)			\
{									\
	unsigned int l;							\
									\
	(void)pa, (void)pb, (void)pc, (void)e;				\
	for (l = 0; l < ISA_LANES; l++) {				\
		CT_##A a = GET_##A(pa, l);				\
		CT_##B b = GET_##B(pb, l);				\
		CT_##C c = GET_##C(pc, l);				\
									\
		(void)a, (void)b, (void)c;				\
		PUT_##D(d, l, expr);					\
	}								\
}
#define S(N, D, A, B, C, F, expr)	S_ROW(r_##N, D, A, B, C, expr)
#define G(N, D, A, B, C, F, limits, vexpr, expr)			\
EXPR(N, vexpr)								\
S_ROW(s_##N, D, A, B, C, expr)						\
static void r_##N(ROW_ARGS)						\
{									\
	if (!half_rows(d, pa, pb, pc, e, x_##N, NSRC(A, B, C), T_##A, T_##D, limits))	\
		s_##N(d, pa, pb, pc, e);				\
}
#define Z(N, D, A, B, C, expr)		S_ROW(z_##N, D, A, B, C, expr)
#define R(N, D, A, B, C, F, row)
#define T(N, D, A, B, C, F, row, table)
#define X(N, bind)

#define C_FAST(N, T, X, form)						\
static enum isa_stop f_cmp##X##_##N##_##form(struct isa_wave *w,	\
					     const struct isa_insn *i)	\
{									\
	return lane_cmp_fast(w, i, x_cmp_##N, lane_isf(T_##T) ? 3 : 0,	\
			     X, form);					\
}
#define C_TABLE(N, X)							\
static const isa_exec_fn t_cmp##X##_##N[LANE_FORMS][2] = {		\
	{ f_cmp##X##_##N##_0, f_cmp##X##_##N##_0 },			\
	{ f_cmp##X##_##N##_1, f_cmp##X##_##N##_1 },			\
	{ f_cmp##X##_##N##_2, f_cmp##X##_##N##_2 },			\
};
#define C(N, T, expr)							\
static __always_inline VM x_cmp_##N(VI a, VI b)				\
{									\
	(void)b;							\
	return expr;							\
}									\
static void r_cmp_##N(ROW_ARGS)						\
{									\
	(void)d, (void)pc;						\
	e->cout = lane_cmp_rows(pa, pb, x_cmp_##N);			\
}									\
C_FAST(N, T, 0, 0)							\
C_FAST(N, T, 0, 1)							\
C_FAST(N, T, 0, 2)							\
C_FAST(N, T, 1, 0)							\
C_FAST(N, T, 1, 1)							\
C_FAST(N, T, 1, 2)							\
C_TABLE(N, 0)								\
C_TABLE(N, 1)
#define D(N, T, expr)							\
EXPR(cmp_##N, expr)							\
static void r_cmp_##N(ROW_ARGS)						\
{									\
	(void)d, (void)pc;						\
	e->cout = lane_qcmp_rows(pa, pb, x_cmp_##N);			\
}
#define B_ROW(N, A, B, expr)						\
static void r_cmp_##N(ROW_ARGS)						\
{									\
	unsigned int l;							\
									\
	(void)d, (void)pc;						\
	for (l = 0; l < ISA_LANES; l++) {				\
		CT_##A a = GET_##A(pa, l);				\
		CT_##B b = GET_##B(pb, l);				\
									\
		(void)a, (void)b;					\
		e->cout |= (u64)!!(expr) << l;				\
	}								\
}
#define B(N, T, expr)	B_ROW(N, T, T, expr)
#define K(N, T, expr)	B_ROW(N, T, U32, expr)

#define LANE_LISTS "lane_lists.inc.c"
#include LANE_LISTS

#undef V
#undef H
#undef I
#undef J
#undef W
#undef Y
#undef A
#undef E
#undef Q
#undef P
#undef S
#undef G
#undef Z
#undef R
#undef T
#undef X
#undef C
#undef D
#undef B
#undef K

/* ---- second pass: the table ---- */

#define ENTRY(N, D, A, B, C, F, ...)					\
[ISA_OP_##N] = {							\
	.dst = T_##D, .src = { T_##A, T_##B, T_##C }, .flags = F, __VA_ARGS__	\
},
#define V(N, D, A, B, C, F, expr)	ENTRY(N, D, A, B, C, F, .row = r_##N)
#define H(N, D, A, B, C, F, expr)	ENTRY(N, D, A, B, C, F, .row = r_##N, .fast = t_##N)
#define I(N, D, A, B, C, F, expr, ...)	H(N, D, A, B, C, (F) | LF_IN_HERE, expr)
#define W(N, D, A, B, C, F, expr, ...)	H(N, D, A, B, C, (F) | LF_IN_HERE | LF_SDWA, expr)
#if LANE_WIDTH == 4
#define Y(N, D, A, B, C, F, expr, ...)	H(N, D, A, B, C, F, expr)
#define J	Y
#else
#define Y	W
#define J	I
#endif
#define E(N, D, A, B, C, F, expr)	ENTRY(N, D, A, B, C, F, .row = r_##N, .fast = t_##N)
#define A(N, D, A, B, C, F, fn, ...)	ENTRY(N, D, A, B, C, F, .row = r_##N, .fast = t_##N)
#define Q(N, D, A, B, C, F, expr)	ENTRY(N, D, A, B, C, F, .row = r_##N, .fast = t_##N)
#define P2(N)	ENTRY(N, PKF32, PKF32, PKF32, NONE, 0, .row = r_##N)
#define P3(N)	ENTRY(N, PKF32, PKF32, PKF32, PKF32, 0, .row = r_##N)
#define P(N, nsrc, expr)		P##nsrc(N)
#define S(N, D, A, B, C, F, expr)	ENTRY(N, D, A, B, C, F, .row = r_##N)
#define G(N, D, A, B, C, F, limits, vexpr, expr)	ENTRY(N, D, A, B, C, F, .row = r_##N)
#define R(N, D, A, B, C, F, rowfn)	ENTRY(N, D, A, B, C, F, .row = rowfn)
#define T(N, D, A, B, C, F, rowfn, table)	ENTRY(N, D, A, B, C, F, .row = rowfn, .fast = table)
#define X(N, bind)			[ISA_OP_##N] = { .special = bind },
#define CMP2(N, T, U, ...)						\
ENTRY(V_CMP_##N, NONE, T, U, NONE, LF_CARRY, .row = r_cmp_##N)		\
ENTRY(V_CMPX_##N, NONE, T, U, NONE, LF_CARRY | LF_CMPX, .row = r_cmp_##N)
#define C(N, T, expr)							\
ENTRY(V_CMP_##N, NONE, T, T, NONE, LF_CARRY, .row = r_cmp_##N, .fast = t_cmp0_##N)	\
ENTRY(V_CMPX_##N, NONE, T, T, NONE, LF_CARRY | LF_CMPX, .row = r_cmp_##N, .fast = t_cmp1_##N)
#define D(N, T, expr)			CMP2(N, T, T)
#define B(N, T, expr)			CMP2(N, T, T)
#define K(N, T, expr)							\
ENTRY(V_CMP_##N, NONE, T, U32, NONE, LF_CARRY | LF_NOFLUSH, .row = r_cmp_##N)	\
ENTRY(V_CMPX_##N, NONE, T, U32, NONE, LF_CARRY | LF_CMPX | LF_NOFLUSH, .row = r_cmp_##N)
#define Z(N, D, A, B, C, expr)

#define M(N, ...)			[ISA_OP_##N] = { .special = LANE_MAT_BIND },

static const struct lane_op lane_ops[ISA_OP_COUNT] = {
#include LANE_LISTS
#include "lane_ops_mat.inc.c"
};

#undef M
#undef Z
#undef V
#undef H
#undef I
#undef J
#undef W
#undef Y
#undef A
#undef E
#undef Q
#undef P
#undef S
#undef G
#undef R
#undef T
#undef X
#undef C
#undef D
#undef B
#undef K
#define Z(N, D, A, B, C, expr)		[ISA_OP_##N] = z_##N,
static const lane_row_fn lane_sat[ISA_OP_COUNT] = {
#include "lane_ops_sat.inc.c"
};

#include "lane_bind.inc.c"
