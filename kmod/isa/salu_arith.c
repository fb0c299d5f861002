// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scalar arithmetic: one body per operation, expanded into a fast and a
 * general handler. SCC rules per operation: CDNA2 ISA 12.1, 12.3, 12.4.
 */
#include "salu.h"

#define GETF32(w, i, c)	((w)->s[c])
#define GETF64(w, i, c)	isa_sfast_get64(w, c)
#define GETG32(w, i, c)	isa_sget32(w, i, c)
#define GETG64(w, i, c)	isa_sget64(w, i, c)
#define PUTF32(w, c, v)	((w)->s[c] = (v))
#define PUTF64(w, c, v)	isa_sfast_put64(w, c, v)
#define PUTG32(w, c, v)	isa_sput32(w, c, v)
#define PUTG64(w, c, v)	isa_sput64(w, c, v)

#define HANDLER2(NAME, K, D, A, B)						\
static enum isa_stop NAME##_##K(struct isa_wave *w, const struct isa_insn *i)	\
{										\
	PUT##K##D(w, i->dst, NAME##_body(w, GET##K##A(w, i, i->src[0]),		\
					 GET##K##B(w, i, i->src[1])));		\
	return ISA_STOP_NONE;							\
}

/* d = f(a, b); BODY sets d and, where the ISA says so, w->scc. */
#define BODY2(NAME, D, A, B, BODY)						\
static __always_inline u##D NAME##_body(struct isa_wave *w, u##A a, u##B b)	\
{										\
	u##D d;									\
	(void)w;								\
	BODY;									\
	return d;								\
}

#define OP2(NAME, D, A, B, BODY)						\
BODY2(NAME, D, A, B, BODY)							\
HANDLER2(NAME, F, D, A, B)							\
HANDLER2(NAME, G, D, A, B)

#define HANDLER1(NAME, K, D, A)							\
static enum isa_stop NAME##_##K(struct isa_wave *w, const struct isa_insn *i)	\
{										\
	PUT##K##D(w, i->dst, NAME##_body(w, GET##K##A(w, i, i->src[0])));	\
	return ISA_STOP_NONE;							\
}

#define OP1(NAME, D, A, BODY)							\
static __always_inline u##D NAME##_body(struct isa_wave *w, u##A a)		\
{										\
	u##D d;									\
	(void)w;								\
	BODY;									\
	return d;								\
}										\
HANDLER1(NAME, F, D, A)								\
HANDLER1(NAME, G, D, A)

#define HANDLERC(NAME, K, A, B, COND)						\
static enum isa_stop NAME##_##K(struct isa_wave *w, const struct isa_insn *i)	\
{										\
	u##A a = GET##K##A(w, i, i->src[0]);					\
	u##B b = GET##K##B(w, i, i->src[1]);					\
	w->scc = (COND);							\
	return ISA_STOP_NONE;							\
}

#define CMP(NAME, A, B, COND)							\
HANDLERC(NAME, F, A, B, COND)							\
HANDLERC(NAME, G, A, B, COND)

/* SOP2 */
OP2(s_add_u32, 32, 32, 32, d = a + b; w->scc = d < a)
OP2(s_sub_u32, 32, 32, 32, d = a - b; w->scc = a < b)
OP2(s_add_i32, 32, 32, 32, d = a + b; w->scc = (~(a ^ b) & (a ^ d)) >> 31)
OP2(s_sub_i32, 32, 32, 32, d = a - b; w->scc = ((a ^ b) & (a ^ d)) >> 31)
OP2(s_addc_u32, 32, 32, 32, u64 t = (u64)a + b + w->scc; d = (u32)t; w->scc = t >> 32)
OP2(s_subb_u32, 32, 32, 32, u64 t = (u64)b + w->scc; d = a - (u32)t; w->scc = t > a)
OP2(s_min_i32, 32, 32, 32, w->scc = (s32)a < (s32)b; d = w->scc ? a : b)
OP2(s_min_u32, 32, 32, 32, w->scc = a < b; d = w->scc ? a : b)
OP2(s_max_i32, 32, 32, 32, w->scc = (s32)a > (s32)b; d = w->scc ? a : b)
OP2(s_max_u32, 32, 32, 32, w->scc = a > b; d = w->scc ? a : b)
OP2(s_cselect_b32, 32, 32, 32, d = w->scc ? a : b)
OP2(s_cselect_b64, 64, 64, 64, d = w->scc ? a : b)

/* Of bits, so that halves need not be put together before; see isa_sfast_get64(). */
#define HANDLER_BITS(NAME)							\
static enum isa_stop s_##NAME##_b64_F(struct isa_wave *w, const struct isa_insn *i)	\
{										\
	const u32 *a = w->s + i->src[0], *b = w->s + i->src[1];			\
	u32 lo = NAME##_bits(a[0], b[0]), hi = NAME##_bits(a[1], b[1]);		\
	u64 v;									\
										\
	isa_hide(hi);								\
	v = lo | (u64)hi << 32;							\
	w->scc = v != 0;							\
	isa_sfast_put64(w, i->dst, v);						\
	return ISA_STOP_NONE;							\
}

#define LOGIC2(NAME, EXPR)							\
static __always_inline u32 NAME##_bits(u32 a, u32 b)				\
{										\
	return EXPR;								\
}										\
OP2(s_##NAME##_b32, 32, 32, 32, d = (EXPR); w->scc = d != 0)			\
BODY2(s_##NAME##_b64, 64, 64, 64, d = (EXPR); w->scc = d != 0)			\
HANDLER_BITS(NAME)								\
HANDLER2(s_##NAME##_b64, G, 64, 64, 64)

LOGIC2(and, a & b)
LOGIC2(or, a | b)
LOGIC2(xor, a ^ b)
LOGIC2(andn2, a & ~b)
LOGIC2(orn2, a | ~b)
LOGIC2(nand, ~(a & b))
LOGIC2(nor, ~(a | b))
LOGIC2(xnor, ~(a ^ b))

OP2(s_lshl_b32, 32, 32, 32, d = a << (b & 31); w->scc = d != 0)
OP2(s_lshl_b64, 64, 64, 32, d = a << (b & 63); w->scc = d != 0)
OP2(s_lshr_b32, 32, 32, 32, d = a >> (b & 31); w->scc = d != 0)
OP2(s_lshr_b64, 64, 64, 32, d = a >> (b & 63); w->scc = d != 0)
OP2(s_ashr_i32, 32, 32, 32, d = (u32)((s32)a >> (b & 31)); w->scc = d != 0)
OP2(s_ashr_i64, 64, 64, 32, d = (u64)((s64)a >> (b & 63)); w->scc = d != 0)
OP2(s_bfm_b32, 32, 32, 32, d = ((1u << (a & 31)) - 1) << (b & 31))
OP2(s_bfm_b64, 64, 32, 32, d = ((1ull << (a & 63)) - 1) << (b & 63))
OP2(s_mul_i32, 32, 32, 32, d = a * b)
OP2(s_mul_hi_u32, 32, 32, 32, d = (u32)(((u64)a * b) >> 32))
OP2(s_mul_hi_i32, 32, 32, 32, d = (u32)(((s64)(s32)a * (s32)b) >> 32))

/* Field of @bits (7 bits wide at most 64) from @off on, of a 64-bit value. */
static u64 field(u64 v, u32 off, u32 bits)
{
	v >>= off;
	return bits >= 64 ? v : v & ((1ull << bits) - 1);
}

static s64 sfield(u64 v, u32 off, u32 bits, u32 size)
{
	if (!bits)
		return 0;
	if (off + bits > size)
		bits = size - off;
	return (s64)(v << (64 - off - bits)) >> (64 - bits);
}

OP2(s_bfe_u32, 32, 32, 32, d = (u32)field(a, b & 31, b >> 16 & 127); w->scc = d != 0)
OP2(s_bfe_u64, 64, 64, 32, d = field(a, b & 63, b >> 16 & 127); w->scc = d != 0)
OP2(s_bfe_i32, 32, 32, 32,
    d = (u32)sfield(a, b & 31, b >> 16 & 127, 32); w->scc = d != 0)
OP2(s_bfe_i64, 64, 64, 32,
    d = (u64)sfield(a, b & 63, b >> 16 & 127, 64); w->scc = d != 0)
OP2(s_absdiff_i32, 32, 32, 32,
    d = a - b; d = (s32)d < 0 ? 0u - d : d; w->scc = d != 0)

#define LSHL_ADD(N)								\
OP2(s_lshl##N##_add_u32, 32, 32, 32,						\
    u64 t = ((u64)a << N) + b; d = (u32)t; w->scc = t > 0xffffffffull)
LSHL_ADD(1)
LSHL_ADD(2)
LSHL_ADD(3)
LSHL_ADD(4)

OP2(s_pack_ll_b32_b16, 32, 32, 32, d = (a & 0xffff) | b << 16)
OP2(s_pack_lh_b32_b16, 32, 32, 32, d = (a & 0xffff) | (b & 0xffff0000))
OP2(s_pack_hh_b32_b16, 32, 32, 32, d = a >> 16 | (b & 0xffff0000))

/* SOP1 */
static u32 ffs_or_ones(u64 v)
{
	return v ? (u32)__builtin_ctzll(v) : ~0u;
}

static u32 clz_or_ones(u64 v)
{
	return v ? (u32)__builtin_clzll(v) : ~0u;
}

static u32 bit_count(u64 v)
{
	v -= v >> 1 & 0x5555555555555555ull;
	v = (v & 0x3333333333333333ull) + (v >> 2 & 0x3333333333333333ull);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0full;
	return (u32)((v * 0x0101010101010101ull) >> 56);
}

static u64 reverse(u64 v)
{
	v = __builtin_bswap64(v);
	v = (v >> 4 & 0x0f0f0f0f0f0f0f0full) | (v & 0x0f0f0f0f0f0f0f0full) << 4;
	v = (v >> 2 & 0x3333333333333333ull) | (v & 0x3333333333333333ull) << 2;
	return (v >> 1 & 0x5555555555555555ull) | (v & 0x5555555555555555ull) << 1;
}

/* Whole-quad mode: a quad is on if any of its four lanes is. */
static u64 whole_quads(u64 v)
{
	v |= v >> 2 & 0x3333333333333333ull;
	v |= v >> 1 & 0x1111111111111111ull;
	return (v & 0x1111111111111111ull) * 15;
}

static u64 quad_mask(u64 v)
{
	u64 q = whole_quads(v) & 0x1111111111111111ull, d = 0;
	u32 n;

	for (n = 0; n < 16; n++)
		d |= (q >> (4 * n) & 1) << n;
	return d;
}

static u64 replicate(u32 v)
{
	u64 d = 0;
	u32 n;

	for (n = 0; n < 32; n++)
		d |= (u64)(v >> n & 1) * 3 << (2 * n);
	return d;
}

OP1(s_mov_b32, 32, 32, d = a)
OP1(s_mov_b64, 64, 64, d = a)
OP1(s_not_b32, 32, 32, d = ~a; w->scc = d != 0)
OP1(s_not_b64, 64, 64, d = ~a; w->scc = d != 0)
OP1(s_wqm_b32, 32, 32, d = (u32)whole_quads(a); w->scc = d != 0)
OP1(s_wqm_b64, 64, 64, d = whole_quads(a); w->scc = d != 0)
OP1(s_quadmask_b32, 32, 32, d = (u32)quad_mask(a); w->scc = d != 0)
OP1(s_quadmask_b64, 64, 64, d = quad_mask(a); w->scc = d != 0)
OP1(s_brev_b32, 32, 32, d = (u32)(reverse(a) >> 32))
OP1(s_brev_b64, 64, 64, d = reverse(a))
OP1(s_bcnt0_i32_b32, 32, 32, d = bit_count((u32)~a); w->scc = d != 0)
OP1(s_bcnt0_i32_b64, 32, 64, d = bit_count(~a); w->scc = d != 0)
OP1(s_bcnt1_i32_b32, 32, 32, d = bit_count(a); w->scc = d != 0)
OP1(s_bcnt1_i32_b64, 32, 64, d = bit_count(a); w->scc = d != 0)
OP1(s_ff0_i32_b32, 32, 32, d = ffs_or_ones((u32)~a))
OP1(s_ff0_i32_b64, 32, 64, d = ffs_or_ones(~a))
OP1(s_ff1_i32_b32, 32, 32, d = ffs_or_ones(a))
OP1(s_ff1_i32_b64, 32, 64, d = ffs_or_ones(a))
OP1(s_flbit_i32_b32, 32, 32, d = a ? clz_or_ones(a) - 32 : ~0u)
OP1(s_flbit_i32_b64, 32, 64, d = clz_or_ones(a))
/* Sign bits in front; all bits alike give -1. */
OP1(s_flbit_i32, 32, 32, u32 t = (s32)a < 0 ? ~a : a; d = t ? clz_or_ones(t) - 32 : ~0u)
OP1(s_flbit_i32_i64, 32, 64, u64 t = (s64)a < 0 ? ~a : a; d = clz_or_ones(t))
OP1(s_sext_i32_i8, 32, 32, d = (u32)(s32)(s8)a)
OP1(s_sext_i32_i16, 32, 32, d = (u32)(s32)(s16)a)
OP1(s_bitreplicate_b64_b32, 64, 32, d = replicate(a))
OP1(s_abs_i32, 32, 32, d = (s32)a < 0 ? 0u - a : a; w->scc = d != 0)

/* EXEC op: D = EXEC; EXEC = f(S, EXEC); SCC = EXEC != 0. */
#define SAVEEXEC(NAME, EXPR)							\
OP1(s_##NAME##_saveexec_b64, 64, 64, u64 e; d = isa_exec(w); e = d;		\
    isa_set_exec(w, (EXPR)); w->scc = isa_exec(w) != 0)

SAVEEXEC(and, a & e)
SAVEEXEC(or, a | e)
SAVEEXEC(xor, a ^ e)
SAVEEXEC(andn2, a & ~e)
SAVEEXEC(orn2, a | ~e)
SAVEEXEC(nand, ~(a & e))
SAVEEXEC(nor, ~(a | e))
SAVEEXEC(xnor, ~(a ^ e))
SAVEEXEC(andn1, ~a & e)
SAVEEXEC(orn1, ~a | e)

/* EXEC = f(S, EXEC); D = the new EXEC. */
OP1(s_andn1_wrexec_b64, 64, 64, isa_set_exec(w, ~a & isa_exec(w));
    d = isa_exec(w); w->scc = d != 0)
OP1(s_andn2_wrexec_b64, 64, 64, isa_set_exec(w, a & ~isa_exec(w));
    d = isa_exec(w); w->scc = d != 0)

/* SOPC */
CMP(s_cmp_eq_i32, 32, 32, a == b)
CMP(s_cmp_lg_i32, 32, 32, a != b)
CMP(s_cmp_gt_i32, 32, 32, (s32)a > (s32)b)
CMP(s_cmp_ge_i32, 32, 32, (s32)a >= (s32)b)
CMP(s_cmp_lt_i32, 32, 32, (s32)a < (s32)b)
CMP(s_cmp_le_i32, 32, 32, (s32)a <= (s32)b)
CMP(s_cmp_gt_u32, 32, 32, a > b)
CMP(s_cmp_ge_u32, 32, 32, a >= b)
CMP(s_cmp_lt_u32, 32, 32, a < b)
CMP(s_cmp_le_u32, 32, 32, a <= b)
CMP(s_cmp_eq_u64, 64, 64, a == b)
CMP(s_cmp_lg_u64, 64, 64, a != b)
CMP(s_bitcmp0_b32, 32, 32, !(a >> (b & 31) & 1))
CMP(s_bitcmp1_b32, 32, 32, a >> (b & 31) & 1)
CMP(s_bitcmp0_b64, 64, 32, !(a >> (b & 63) & 1))
CMP(s_bitcmp1_b64, 64, 32, a >> (b & 63) & 1)

#define ROW(NAME, UP, D, A, B) [ISA_OP_##UP] = { NAME##_F, NAME##_G, D, A, B }

static const struct salu_row rows[ISA_OP_COUNT] = {
	ROW(s_add_u32, S_ADD_U32, 32, 32, 32),
	ROW(s_sub_u32, S_SUB_U32, 32, 32, 32),
	ROW(s_add_i32, S_ADD_I32, 32, 32, 32),
	ROW(s_sub_i32, S_SUB_I32, 32, 32, 32),
	ROW(s_addc_u32, S_ADDC_U32, 32, 32, 32),
	ROW(s_subb_u32, S_SUBB_U32, 32, 32, 32),
	ROW(s_min_i32, S_MIN_I32, 32, 32, 32),
	ROW(s_min_u32, S_MIN_U32, 32, 32, 32),
	ROW(s_max_i32, S_MAX_I32, 32, 32, 32),
	ROW(s_max_u32, S_MAX_U32, 32, 32, 32),
	ROW(s_cselect_b32, S_CSELECT_B32, 32, 32, 32),
	ROW(s_cselect_b64, S_CSELECT_B64, 64, 64, 64),
	ROW(s_lshl_b32, S_LSHL_B32, 32, 32, 32),
	ROW(s_lshl_b64, S_LSHL_B64, 64, 64, 32),
	ROW(s_lshr_b32, S_LSHR_B32, 32, 32, 32),
	ROW(s_lshr_b64, S_LSHR_B64, 64, 64, 32),
	ROW(s_ashr_i32, S_ASHR_I32, 32, 32, 32),
	ROW(s_ashr_i64, S_ASHR_I64, 64, 64, 32),
	ROW(s_bfm_b32, S_BFM_B32, 32, 32, 32),
	ROW(s_bfm_b64, S_BFM_B64, 64, 32, 32),
	ROW(s_mul_i32, S_MUL_I32, 32, 32, 32),
	ROW(s_mul_hi_u32, S_MUL_HI_U32, 32, 32, 32),
	ROW(s_mul_hi_i32, S_MUL_HI_I32, 32, 32, 32),
	ROW(s_bfe_u32, S_BFE_U32, 32, 32, 32),
	ROW(s_bfe_u64, S_BFE_U64, 64, 64, 32),
	ROW(s_bfe_i32, S_BFE_I32, 32, 32, 32),
	ROW(s_bfe_i64, S_BFE_I64, 64, 64, 32),
	ROW(s_absdiff_i32, S_ABSDIFF_I32, 32, 32, 32),
	ROW(s_pack_ll_b32_b16, S_PACK_LL_B32_B16, 32, 32, 32),
	ROW(s_pack_lh_b32_b16, S_PACK_LH_B32_B16, 32, 32, 32),
	ROW(s_pack_hh_b32_b16, S_PACK_HH_B32_B16, 32, 32, 32),
	ROW(s_and_b32, S_AND_B32, 32, 32, 32),
	ROW(s_and_b64, S_AND_B64, 64, 64, 64),
	ROW(s_or_b32, S_OR_B32, 32, 32, 32),
	ROW(s_or_b64, S_OR_B64, 64, 64, 64),
	ROW(s_xor_b32, S_XOR_B32, 32, 32, 32),
	ROW(s_xor_b64, S_XOR_B64, 64, 64, 64),
	ROW(s_andn2_b32, S_ANDN2_B32, 32, 32, 32),
	ROW(s_andn2_b64, S_ANDN2_B64, 64, 64, 64),
	ROW(s_orn2_b32, S_ORN2_B32, 32, 32, 32),
	ROW(s_orn2_b64, S_ORN2_B64, 64, 64, 64),
	ROW(s_nand_b32, S_NAND_B32, 32, 32, 32),
	ROW(s_nand_b64, S_NAND_B64, 64, 64, 64),
	ROW(s_nor_b32, S_NOR_B32, 32, 32, 32),
	ROW(s_nor_b64, S_NOR_B64, 64, 64, 64),
	ROW(s_xnor_b32, S_XNOR_B32, 32, 32, 32),
	ROW(s_xnor_b64, S_XNOR_B64, 64, 64, 64),
	ROW(s_lshl1_add_u32, S_LSHL1_ADD_U32, 32, 32, 32),
	ROW(s_lshl2_add_u32, S_LSHL2_ADD_U32, 32, 32, 32),
	ROW(s_lshl3_add_u32, S_LSHL3_ADD_U32, 32, 32, 32),
	ROW(s_lshl4_add_u32, S_LSHL4_ADD_U32, 32, 32, 32),
	ROW(s_mov_b32, S_MOV_B32, 32, 32, 0),
	ROW(s_mov_b64, S_MOV_B64, 64, 64, 0),
	ROW(s_not_b32, S_NOT_B32, 32, 32, 0),
	ROW(s_not_b64, S_NOT_B64, 64, 64, 0),
	ROW(s_wqm_b32, S_WQM_B32, 32, 32, 0),
	ROW(s_wqm_b64, S_WQM_B64, 64, 64, 0),
	ROW(s_quadmask_b32, S_QUADMASK_B32, 32, 32, 0),
	ROW(s_quadmask_b64, S_QUADMASK_B64, 64, 64, 0),
	ROW(s_brev_b32, S_BREV_B32, 32, 32, 0),
	ROW(s_brev_b64, S_BREV_B64, 64, 64, 0),
	ROW(s_bcnt0_i32_b32, S_BCNT0_I32_B32, 32, 32, 0),
	ROW(s_bcnt0_i32_b64, S_BCNT0_I32_B64, 32, 64, 0),
	ROW(s_bcnt1_i32_b32, S_BCNT1_I32_B32, 32, 32, 0),
	ROW(s_bcnt1_i32_b64, S_BCNT1_I32_B64, 32, 64, 0),
	ROW(s_ff0_i32_b32, S_FF0_I32_B32, 32, 32, 0),
	ROW(s_ff0_i32_b64, S_FF0_I32_B64, 32, 64, 0),
	ROW(s_ff1_i32_b32, S_FF1_I32_B32, 32, 32, 0),
	ROW(s_ff1_i32_b64, S_FF1_I32_B64, 32, 64, 0),
	ROW(s_flbit_i32_b32, S_FLBIT_I32_B32, 32, 32, 0),
	ROW(s_flbit_i32_b64, S_FLBIT_I32_B64, 32, 64, 0),
	ROW(s_flbit_i32, S_FLBIT_I32, 32, 32, 0),
	ROW(s_flbit_i32_i64, S_FLBIT_I32_I64, 32, 64, 0),
	ROW(s_sext_i32_i8, S_SEXT_I32_I8, 32, 32, 0),
	ROW(s_sext_i32_i16, S_SEXT_I32_I16, 32, 32, 0),
	ROW(s_bitreplicate_b64_b32, S_BITREPLICATE_B64_B32, 64, 32, 0),
	ROW(s_abs_i32, S_ABS_I32, 32, 32, 0),
	ROW(s_andn1_wrexec_b64, S_ANDN1_WREXEC_B64, 64, 64, 0),
	ROW(s_andn2_wrexec_b64, S_ANDN2_WREXEC_B64, 64, 64, 0),
	ROW(s_and_saveexec_b64, S_AND_SAVEEXEC_B64, 64, 64, 0),
	ROW(s_or_saveexec_b64, S_OR_SAVEEXEC_B64, 64, 64, 0),
	ROW(s_xor_saveexec_b64, S_XOR_SAVEEXEC_B64, 64, 64, 0),
	ROW(s_andn2_saveexec_b64, S_ANDN2_SAVEEXEC_B64, 64, 64, 0),
	ROW(s_orn2_saveexec_b64, S_ORN2_SAVEEXEC_B64, 64, 64, 0),
	ROW(s_nand_saveexec_b64, S_NAND_SAVEEXEC_B64, 64, 64, 0),
	ROW(s_nor_saveexec_b64, S_NOR_SAVEEXEC_B64, 64, 64, 0),
	ROW(s_xnor_saveexec_b64, S_XNOR_SAVEEXEC_B64, 64, 64, 0),
	ROW(s_andn1_saveexec_b64, S_ANDN1_SAVEEXEC_B64, 64, 64, 0),
	ROW(s_orn1_saveexec_b64, S_ORN1_SAVEEXEC_B64, 64, 64, 0),
	ROW(s_cmp_eq_i32, S_CMP_EQ_I32, 0, 32, 32),
	ROW(s_cmp_lg_i32, S_CMP_LG_I32, 0, 32, 32),
	ROW(s_cmp_gt_i32, S_CMP_GT_I32, 0, 32, 32),
	ROW(s_cmp_ge_i32, S_CMP_GE_I32, 0, 32, 32),
	ROW(s_cmp_lt_i32, S_CMP_LT_I32, 0, 32, 32),
	ROW(s_cmp_le_i32, S_CMP_LE_I32, 0, 32, 32),
	ROW(s_cmp_gt_u32, S_CMP_GT_U32, 0, 32, 32),
	ROW(s_cmp_ge_u32, S_CMP_GE_U32, 0, 32, 32),
	ROW(s_cmp_lt_u32, S_CMP_LT_U32, 0, 32, 32),
	ROW(s_cmp_le_u32, S_CMP_LE_U32, 0, 32, 32),
	ROW(s_cmp_eq_u64, S_CMP_EQ_U64, 0, 64, 64),
	ROW(s_cmp_lg_u64, S_CMP_LG_U64, 0, 64, 64),
	ROW(s_bitcmp0_b32, S_BITCMP0_B32, 0, 32, 32),
	ROW(s_bitcmp1_b32, S_BITCMP1_B32, 0, 32, 32),
	ROW(s_bitcmp0_b64, S_BITCMP0_B64, 0, 64, 32),
	ROW(s_bitcmp1_b64, S_BITCMP1_B64, 0, 64, 32),
	/* Equality needs no signedness: the unsigned opcodes share the bodies. */
	ROW(s_cmp_eq_i32, S_CMP_EQ_U32, 0, 32, 32),
	ROW(s_cmp_lg_i32, S_CMP_LG_U32, 0, 32, 32),
};

const struct salu_row *salu_arith_row(unsigned int op)
{
	if (op >= ISA_OP_COUNT)
		return NULL;
	op = array_index_nospec(op, ISA_OP_COUNT);
	return rows[op].gen ? &rows[op] : NULL;
}
