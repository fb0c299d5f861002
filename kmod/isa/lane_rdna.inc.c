/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Operations that only gfx10 and gfx11 have: moves within rows of sixteen lanes, registers
 * that M0 picks, dot products whose sources are signed or unsigned.
 * Sources: RDNA2 and RDNA3 ISA, "Vector ALU"; LLVM, VOP3Instructions.td.
 */
#include "tables.h"

/* If a factor is 0, so is the product, whatever the other factor is. */
static __always_inline VI vf_fma_legacy(VI a, VI b, VI c)
{
	VM z = vm_or(fm_eq(a, vi_zero()), fm_eq(b, vi_zero()));

	return vi_blend(z, vf_fma(a, b, c), c);
}

/* The same where MXCSR says that there are no denormals, which does not hold for what is copied. */
static __always_inline VI vf_fma_dx9(VI a, VI b, VI c)
{
	return vf_fma_legacy(a, b, vf_flush(c));
}

static __always_inline u32 no_denorm(u32 x)
{
	return x & 0x7f800000 ? x : x & F32_SIGN;
}

/* ---- dot products: a bit of neg says that a source is signed ---- */

static s64 dot_iu(u32 a, u32 b, u32 bits, u32 sign)
{
	s64 r = 0;
	u32 k, up = 32 - bits;

	for (k = 0; k < 32; k += bits) {
		u32 x = a << (up - k), y = b << (up - k);

		r += (sign & 1 ? (s64)((s32)x >> up) : (s64)(x >> up)) *
		     (sign & 2 ? (s64)((s32)y >> up) : (s64)(y >> up));
	}
	return r;
}

static void dot_iu_row(u32 *d, const u32 *a, const u32 *b, const u32 *c, struct lane_env *e,
		       u32 bits)
{
	unsigned int l;

	for (l = 0; l < ISA_LANES; l++) {
		s64 r = dot_iu(a[l], b[l], bits, e->i->neg) + (s32)c[l];

		if (e->i->mods & ISA_MOD_CLAMP)
			r = s64_clamp(r, -0x80000000ll, 0x7fffffff);
		d[l] = (u32)r;
	}
}

static void dot4_iu8_row(u32 *d, const u32 *a, const u32 *b, const u32 *c, struct lane_env *e)
{
	dot_iu_row(d, a, b, c, e, 8);
}

static void dot8_iu4_row(u32 *d, const u32 *a, const u32 *b, const u32 *c, struct lane_env *e)
{
	dot_iu_row(d, a, b, c, e, 4);
}

/* ---- dot products of 16 bits: dot_rdna.c ---- */

static u32 dot2_wide(u32 (*fn)(const struct isa_dot *), enum isa_dot_type type, u32 a, u32 b, u32 c)
{
	struct isa_dot d = {
		.type_a = type, .type_b = type, .n = 2,
		.a = { (u16)a, (u16)(a >> 16) }, .b = { (u16)b, (u16)(b >> 16) }, .c = c,
	};

	return fn(&d);
}

/* v_dot2_f16_f16, v_dot2_bf16_bf16 */
static u32 dot2_narrow(enum isa_dot_type type, u32 a, u32 b, u32 c, const struct lane_env *e)
{
	struct isa_dot d = {
		.type_a = type, .type_b = type, .n = 2, .narrow = true,
		.ovfl = e->w->mode & ISA_MODE_FP16_OVFL,
		.a = { (u16)a, (u16)(a >> 16) }, .b = { (u16)b, (u16)(b >> 16) }, .c = c & 0xffff,
	};

	return isa_target_has(e->w->cu->target, ISA_FEAT_SCOPES) ? isa_dot_gfx12(&d) :
								   isa_dot_gfx11(&d);
}

/* v_dot4_f32_*: floats of 8 bits */
static u32 dot4_bytes(enum isa_dot_type type_a, enum isa_dot_type type_b, u32 a, u32 b, u32 c)
{
	struct isa_dot d = { .type_a = type_a, .type_b = type_b, .n = 4, .c = c };
	u32 n;

	for (n = 0; n < 4; n++) {
		d.a[n] = a >> 8 * n & 0xff;
		d.b[n] = b >> 8 * n & 0xff;
	}
	return isa_dot_gfx12(&d);
}

static __always_inline VM
dot2_near(const struct lane_pair *s, struct lane_pair *r, u32 mbits, bool gfx12)
{
	const bool flush = !gfx12 && mbits == 7;
	VI asig LANE_SCRATCH, aexp LANE_SCRATCH, bsig LANE_SCRATCH, bexp LANE_SCRATCH;
	struct dot_product p[2] LANE_SCRATCH;
	VM left, odd = vm_none(), special;
	u32 n;

	for (n = 0; n < 2; n++) {
		VI a = n ? vi_srli(s[0].lo, 16) : vi_and(s[0].lo, vi_splat(0xffff));
		VI b = n ? vi_srli(s[1].lo, 16) : vi_and(s[1].lo, vi_splat(0xffff));

		dot_factor(a, mbits, flush, &asig, &aexp, &special);
		odd = vm_or(odd, special);
		dot_factor(b, mbits, flush, &bsig, &bexp, &special);
		odd = vm_or(odd, special);
		p[n] = dot_multiply(asig, aexp, bsig, bexp);
	}
	if (gfx12)
		r->lo = dot_gfx12(p, 2, s[2].lo, mbits, DOT_F32, vi_zero(), &left);
	else
		r->lo = dot_gfx11(p, s[2].lo, mbits, DOT_F32, vi_zero(), &left);
	return vm_or(odd, left);
}

static __always_inline VM dot2_gfx11_f16_near(const struct lane_pair *s, struct lane_pair *r)
{
	return dot2_near(s, r, 10, false);
}

static __always_inline VM dot2_gfx11_bf16_near(const struct lane_pair *s, struct lane_pair *r)
{
	return dot2_near(s, r, 7, false);
}

static __always_inline VM dot2_gfx12_f16_near(const struct lane_pair *s, struct lane_pair *r)
{
	return dot2_near(s, r, 10, true);
}

static __always_inline VM dot2_gfx12_bf16_near(const struct lane_pair *s, struct lane_pair *r)
{
	return dot2_near(s, r, 7, true);
}

/* ---- v_permlane ---- */

#define PERMLANE_FI	1	/* op_sel: sources that are off count */
#define PERMLANE_BOUND	2	/* op_sel: what they give is 0, not the old value */

/*
 * Each lane reads a lane of its row of sixteen (v_permlane16), or of the other row of the pair
 * (v_permlanex16). Two scalars have four bits for each lane of a row, which say what it reads.
 */
static enum isa_stop permlane16(struct isa_wave *w, const struct isa_insn *i)
{
	u64 sel = lane_scalar(w, i, i->src[1]) | (u64)lane_scalar(w, i, i->src[2]) << 32;
	const u32 cross = i->op == ISA_OP_V_PERMLANEX16_B32 ? 16 : 0;
	const u64 exec = isa_exec(w);
	u32 *d = lane_row(w, i->dst), *s = w->tmp[0];
	unsigned int l;

	__builtin_memcpy(s, lane_row(w, i->src[0]), 4 * ISA_LANES);
	for (l = 0; l < w->lanes; l++) {
		u32 from = (l & ~15u) ^ cross;

		from |= sel >> 4 * (l & 15) & 15;
		if (!(exec >> l & 1))
			continue;
		if (exec >> from & 1 || i->opsel & PERMLANE_FI)
			d[l] = s[from];
		else if (i->opsel & PERMLANE_BOUND)
			d[l] = 0;
	}
	return isa_charge(w, GENERIC_COST);
}

/* Swaps the halves of a wave of 64 lanes. A wave of 32 lanes stays as it is. */
static enum isa_stop permlane64(struct isa_wave *w, const struct isa_insn *i)
{
	const u64 exec = isa_exec(w);
	u32 *d = lane_row(w, i->dst), *s = w->tmp[0];
	unsigned int l;

	if (w->lanes != ISA_LANES)
		return ISA_STOP_NONE;
	__builtin_memcpy(s, lane_row(w, i->src[0]), 4 * ISA_LANES);
	for (l = 0; l < ISA_LANES; l++)
		if (exec >> l & 1)
			d[l] = s[l ^ 32];
	return isa_charge(w, GENERIC_COST);
}

static bool bind_permlane16(const struct isa_target *t, struct isa_insn *i)
{
	(void)t;
	return lane_is_vgpr(i->dst) && lane_is_vgpr(i->src[0]) && i->src[1] < ISA_SRC_VGPR0 &&
	       i->src[2] < ISA_SRC_VGPR0 && bind_one(i, permlane16);
}

static bool bind_permlane64(const struct isa_target *t, struct isa_insn *i)
{
	(void)t;
	return lane_is_vgpr(i->dst) && lane_is_vgpr(i->src[0]) && bind_one(i, permlane64);
}

/* ---- VGPRs that M0 picks ---- */

/* Row of the VGPR that is @by after @code; NULL if the wave does not have it */
static u32 *movrel_row(struct isa_wave *w, u32 code, u32 by)
{
	u64 row = (u64)(code - ISA_SRC_VGPR0) + by;

	return row < w->rows && row < 256 ?
	       isa_row(w, (u32)array_index_nospec((u32)row, w->rows)) : NULL;
}

/*
 * v_movreld adds M0 to the number of the destination, v_movrels to that of the source, v_movrelsd
 * to both. The others add ten bits of M0 to the one and ten to the other. A register that the wave
 * does not have is an illegal instruction here, as with SGPRs; hardware does something else.
 */
static enum isa_stop movrel(struct isa_wave *w, const struct isa_insn *i)
{
	u32 m0 = w->s[ISA_SRC_M0], to = m0, from = m0, *d, *s;
	struct lane_on on = lane_on(w);
	bool swap = i->op == ISA_OP_V_SWAPREL_B32;
	unsigned int k;

	if (swap || i->op == ISA_OP_V_MOVRELSD_2_B32) {
		from = m0 & 0x3ff;
		to = m0 >> 16 & 0x3ff;
	}
	d = movrel_row(w, i->dst, i->op == ISA_OP_V_MOVRELS_B32 ? 0 : to);
	s = w->tmp[0];
	if (lane_is_vgpr(i->src[0]))
		s = movrel_row(w, i->src[0], i->op == ISA_OP_V_MOVRELD_B32 ? 0 : from);
	else
		lane_splat_row(s, lane_scalar(w, i, i->src[0]));
	if (!d || !s)
		return isa_exec_illegal(w, i);
	for (k = 0; k < VSTEPS; k++) {
		VI x = vi_load(d + k * VW), y = vi_load(s + k * VW);
		VM m = vm_on(&on, k);

		vi_store_over(d + k * VW, m, x, y);
		if (swap)
			vi_store_over(s + k * VW, m, y, x);
	}
	return ISA_STOP_NONE;
}

static bool bind_movrel(const struct isa_target *t, struct isa_insn *i)
{
	(void)t;
	if (i->mods & (ISA_MOD_SDWA | ISA_MOD_DPP) || i->opsel || !lane_is_vgpr(i->dst))
		return false;
	if (!lane_is_vgpr(i->src[0]) &&
	    (i->op != ISA_OP_V_MOVRELD_B32 || i->src[0] == ISA_SRC_LDS_DIRECT))
		return false;
	return bind_one(i, movrel);
}
