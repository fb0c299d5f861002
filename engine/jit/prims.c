// SPDX-License-Identifier: MIT
/*
 * What compiled code is made of: the vector functions that the interpreter's handlers
 * are made of, one by one. clang compiles this file to LLVM bitcode for each width
 * (LANE_WIDTH); jit_emit.c calls these functions, and LLVM puts their bodies there.
 * What they are made of is kmod/isa's, and under its licence.
 */
/* What binds handlers is not wanted here: unused and internal, it goes. */
#define LANE_OPS	jit_lane_ops __attribute__((__internal_linkage__))
#define LANE_NAME	"jit"
#define LANE_CPU	0
#define LANE_MAT_BIND(t, i)	((void)(t), (void)(i), false)
#include "isa_int.h"
/* Of an instruction that is known, most of it goes. */
static u64 lane_scalar_as(const struct isa_wave *w, const struct isa_insn *i, unsigned int n,
			  u32 code, unsigned int type) __attribute__((__always_inline__));
#include "lane.inc.c"
#include "salu_prim.h"
#include "salu.h"
#include "scalar.c"
#include "generated/isa_scalars.h"

#define PRIM	__attribute__((__always_inline__))

/*
 * Constants must not be known to LLVM: what it makes of them beforehand knows nothing of MODE, so
 * a comparison of a denormal, which may count as zero, comes out otherwise.
 */
static __always_inline u64 hidden(u64 v)
{
	asm("" : "+r"(v));
	return v;
}

#include "prims_mem.inc.c"

/* ---- operations ---- */

#define JIT_VEC(op, fn, expr, nsrc, floats, acc, flush)				\
PRIM VI fn(VI a, VI b, VI c, const struct isa_wave *w);				\
PRIM VI fn(VI a, VI b, VI c, const struct isa_wave *w)				\
{										\
	return expr(a, b, c, w);						\
}
#define JIT_PAIR(op, fn, get, expr, nsrc)					\
JIT_VEC(op, fn, expr, nsrc, 0, 0, 0)						\
SOURCE(get, T_PKF32, T_PKF32, T_PKF32)
#define JIT_CMP(op, fn, expr, floats)						\
PRIM VM fn(VI a, VI b);								\
PRIM VM fn(VI a, VI b)								\
{										\
	return expr(a, b);							\
}
/* @s: low and high part of each source; @d: of the result */
#define JIT_WIDE(op, fn, get, expr, nsrc, wide, ta, tb, tc, acc, f64)		\
PRIM void fn(VI *d, const VI *s, const struct isa_wave *w);			\
PRIM void fn(VI *d, const VI *s, const struct isa_wave *w)			\
{										\
	VI x = expr(vq_x(s[0], s[1]), vq_x(s[2], s[3]), vq_x(s[4], s[5]), w);	\
	VI y = expr(vq_y(s[0], s[1]), vq_y(s[2], s[3]), vq_y(s[4], s[5]), w);	\
										\
	d[0] = vq_lo(x, y);							\
	d[1] = vq_hi(x, y);							\
}										\
SOURCE(get, ta, tb, tc)
/* A scalar as one of the sources */
#define SOURCE(get, ta, tb, tc)							\
PRIM u64 get(const struct isa_wave *w, const struct isa_insn *i, u32 n);	\
PRIM u64 get(const struct isa_wave *w, const struct isa_insn *i, u32 n)		\
{										\
	return hidden(lane_scalar_as(w, i, n, i->src[n], n == 0 ? ta : n == 1 ? tb : tc));	\
}
#define JIT_SALU(op, fn, handler, branch)					\
PRIM u32 fn(struct isa_wave *w, const struct isa_insn *i);			\
PRIM u32 fn(struct isa_wave *w, const struct isa_insn *i)			\
{										\
	return handler(w, i);							\
}
#include "generated/isa_jit.h"
SOURCE(jit_source_v_pk_mov_b32, T_U64, T_U64, T_NONE)
SOURCE(jit_source_v_mad_u64_u32, T_U32, T_U32, T_U64)
SOURCE(jit_source_v_mad_i64_i32, T_U32, T_U32, T_I64)

PRIM VM jit_carry(VI a, VI b, VM cin, u32 with_cin, u32 kind, VI *r);
PRIM VM jit_carry(VI a, VI b, VM cin, u32 with_cin, u32 kind, VI *r)
{
	return carry_step(a, b, cin, with_cin, kind, r);
}

PRIM VM jit_mad64(VI *d, const VI *s, u32 sign);
PRIM VM jit_mad64(VI *d, const VI *s, u32 sign)
{
	VI ox, oy;
	VI x = mad64_half(vq_x(s[0], s[1]), vq_x(s[2], s[3]), vq_x(s[4], s[5]), sign, &ox);
	VI y = mad64_half(vq_y(s[0], s[1]), vq_y(s[2], s[3]), vq_y(s[4], s[5]), sign, &oy);

	d[0] = vq_lo(x, y);
	d[1] = vq_hi(x, y);
	return vm_of_q(ox, oy);
}

/* ---- operands ---- */

PRIM VI jit_signs(VI x, u32 clear, u32 flip);
PRIM VI jit_signs(VI x, u32 clear, u32 flip)
{
	return vi_xor(vi_andnot(vi_splat(clear), x), vi_splat(flip));
}

PRIM VI jit_scalar(const struct isa_wave *w, const struct isa_insn *i, u32 code);
PRIM VI jit_scalar(const struct isa_wave *w, const struct isa_insn *i, u32 code)
{
	return vi_splat((u32)hidden(lane_scalar(w, i, code)));
}

PRIM VI jit_splat(u32 x);
PRIM VI jit_splat(u32 x)
{
	return vi_splat(x);
}

/* @v in the lanes of @m, @old in the others */
PRIM VI jit_over(VM m, VI old, VI v);
PRIM VI jit_over(VM m, VI old, VI v)
{
	return vi_keep(m, old, v);
}

PRIM VI jit_blend(VM m, VI f, VI t);
PRIM VI jit_blend(VM m, VI f, VI t)
{
	return vi_blend(m, f, t);
}

PRIM VM jit_and(VM a, VM b);
PRIM VM jit_and(VM a, VM b)
{
	return vm_and(a, b);
}

PRIM VM jit_on(const struct isa_wave *w, u32 step);
PRIM VM jit_on(const struct isa_wave *w, u32 step)
{
#if LANE_WIDTH == 8
	/* Each lane's bit to the top, and from there to all others: of EXEC's halves one vector each */
	const VI up = _mm256_sub_epi32(_mm256_setr_epi32(31, 30, 29, 28, 27, 26, 25, 24),
				       vi_splat(8 * (step % 4)));
	u32 half = w->s[step < 4 ? ISA_SRC_EXEC_LO : ISA_SRC_EXEC_HI];

	return _mm256_srai_epi32(_mm256_sllv_epi32(vi_splat(half), up), 31);
#else
	return vm_exec(isa_exec(w), step);
#endif
}

PRIM u64 jit_mask(const struct isa_wave *w, u32 code);
PRIM u64 jit_mask(const struct isa_wave *w, u32 code)
{
	return lane_mask_src(w, code);
}

PRIM VM jit_mask_step(u64 m, u32 step);
PRIM VM jit_mask_step(u64 m, u32 step)
{
	return vm_exec(m, step);
}

PRIM u64 jit_place(VM m, u32 step);
PRIM u64 jit_place(VM m, u32 step)
{
	return vm_place(m, step);
}

#if LANE_WIDTH == 8
static __always_inline u64 places(VM a, VM b, VM c, VM d)
{
	const VM order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
	VM all = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));

	return (u32)_mm256_movemask_epi8(_mm256_permutevar8x32_epi32(all, order));
}

/* All of a mask's vectors at once */
PRIM u64 jit_places(VM a, VM b, VM c, VM d, VM e, VM f, VM g, VM h);
PRIM u64 jit_places(VM a, VM b, VM c, VM d, VM e, VM f, VM g, VM h)
{
	return places(a, b, c, d) | places(e, f, g, h) << 32;
}
#else
PRIM u64 jit_places(VM a, VM b, VM c, VM d);
PRIM u64 jit_places(VM a, VM b, VM c, VM d)
{
	return vm_place(a, 0) | vm_place(b, 1) | vm_place(c, 2) | vm_place(d, 3);
}
#endif

PRIM void jit_put_mask(struct isa_wave *w, u32 code, u64 m);
PRIM void jit_put_mask(struct isa_wave *w, u32 code, u64 m)
{
	lane_mask_dst(w, code, m);
}

PRIM VI *jit_rows(const struct isa_wave *w);
PRIM VI *jit_rows(const struct isa_wave *w)
{
	return (VI *)__builtin_assume_aligned(w->v, 64);
}

PRIM void jit_set_pc(struct isa_wave *w, u64 pc);
PRIM void jit_set_pc(struct isa_wave *w, u64 pc)
{
	w->pc = pc;
}

/* ---- handlers ---- */

/* What runs the instruction at @s. Handlers that stop look at where it is. */
PRIM isa_exec_fn jit_handler(struct isa_wave *w, const struct isa_slot *s, u64 pc, u32 full);
PRIM isa_exec_fn jit_handler(struct isa_wave *w, const struct isa_slot *s, u64 pc, u32 full)
{
	w->slots = s;
	w->line_va = pc;
	return s->exec[full ? 1 : w->full];
}
