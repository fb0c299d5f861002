/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The general path: any operand kind and any modifier. Sources are staged in
 * scratch rows where they are not register rows as they stand, the row
 * function runs, and the result passes the output modifiers before the lanes
 * that are on get it.
 *
 * Sources: CDNA2 ISA, chapters on VOP modifiers and SDWA.
 */

#include "tables.h"

/* SDWA selects */
#define SDWA_DWORD	6
#define SDWA_UNUSED_PAD	0
#define SDWA_UNUSED_SEXT 1
#define SDWA_UNUSED_KEEP 2

static const struct lane_op lane_ops[ISA_OP_COUNT];

static void lane_sdwa_src(u32 *d, const u32 *s, u32 sel, bool sext)
{
	unsigned int bits, shift, k;
	VI mask, up, sign;

	if (sel >= SDWA_DWORD) {
		__builtin_memcpy(d, s, 4 * ISA_LANES);
		return;
	}
	bits = sel < 4 ? 8 : 16;
	shift = sel < 4 ? 8 * sel : 16 * (sel - 4);
	mask = vi_splat((1u << bits) - 1);
	sign = vi_splat(1u << (bits - 1));
	up = vi_splat(shift);
	for (k = 0; k < VSTEPS; k++) {
		VI x = vi_and(vi_srlv(vi_load(s + k * VW), up), mask);

		if (sext)
			x = vi_sub(vi_xor(x, sign), sign);
		vi_store(d + k * VW, x);
	}
}

/* abs, then neg, by sign-bit masks. */
static void lane_signs(u32 *d, const u32 *s, u32 clear, u32 flip)
{
	VI c = vi_splat(clear), f = vi_splat(flip);
	unsigned int k;

	for (k = 0; k < VSTEPS; k++)
		vi_store(d + k * VW, vi_xor(vi_andnot(c, vi_load(s + k * VW)), f));
}

/* Denormal halves to zeros of their sign. */
static void lane_flush_f16(u32 *d, const u32 *s)
{
	unsigned int l;

	for (l = 0; l < ISA_LANES; l++) {
		u32 x = s[l];

		if (!(x & 0x7c00))
			x &= ~0x3ffu;
		if (!(x & 0x7c000000))
			x &= ~0x3ff0000u;
		d[l] = x;
	}
}

/* VOP3P: halves picked by op_sel and op_sel_hi, negated by neg_lo, neg_hi. */
static void lane_stage_pk(u32 *d, const u32 *s, const struct isa_insn *i,
			  unsigned int n, bool isf)
{
	VI los = vi_splat(i->opsel >> n & 1 ? 16 : 0);
	VI his = vi_splat(i->opsel >> (4 + n) & 1 ? 16 : 0);
	u32 flip = 0;
	unsigned int k;

	if (isf)
		flip = (i->neg >> n & 1 ? 0x8000 : 0) |
		       (i->abs >> n & 1 ? 0x80000000 : 0);
	for (k = 0; k < VSTEPS; k++) {
		VI x = vi_load(s + k * VW);
		VI lo = vi_and(vi_srlv(x, los), vi_splat(0xffff));
		VI hi = vi_slli(vi_srlv(x, his), 16);

		vi_store(d + k * VW, vi_xor(vi_or(lo, hi), vi_splat(flip)));
	}
}

/* The same for pairs of floats: op_sel picks the register of each. */
static void lane_stage_pk32(struct isa_wave *w, u32 *d, const u32 *s,
			    const struct isa_insn *i, unsigned int n)
{
	const u32 *lo, *hi;

	if (s == d)
		s = __builtin_memcpy(w->tmp[6], s, 8 * ISA_LANES);
	lo = s + (i->opsel >> n & 1) * ISA_LANES;
	hi = s + (i->opsel >> (4 + n) & 1) * ISA_LANES;

	lane_signs(d, lo, 0, (u32)(i->neg >> n & 1) << 31);
	lane_signs(d + ISA_LANES, hi, 0, (u32)(i->abs >> n & 1) << 31);
}

/* Mixed precision: a float, or the half that op_sel picks; abs, then neg. */
static void lane_stage_mix(u32 *d, const u32 *s, const struct isa_insn *i,
			   unsigned int n)
{
	unsigned int l, shift = i->opsel >> n & 1 ? 16 : 0;

	if (i->opsel >> (4 + n) & 1) {
		for (l = 0; l < ISA_LANES; l++)
			d[l] = f32_of_f16(s[l] >> shift & 0xffff);
		s = d;
	}
	lane_signs(d, s, (u32)(i->abs >> n & 1) << 31, (u32)(i->neg >> n & 1) << 31);
}

/* A source of 16 bits; or one of which few bits count, and which has halves from gfx11 on. */
static bool lane_is_half(const struct isa_insn *i, unsigned int n, unsigned int type)
{
	return lane_is16(type) || (type == T_U32 && isa_rows[i->row].src[n].type & ISA_T_HALF);
}

/* Input modifiers of the encodings that are not packed. */
static const u32 *lane_stage_mods(const struct isa_insn *i, unsigned int n,
				  unsigned int type, const u32 *s, u32 *d)
{
	u32 top = lane_is16(type) ? 0x8000 : 1u << 31;
	u32 clear = i->abs >> n & 1 ? top : 0, flip = i->neg >> n & 1 ? top : 0;

	if (type == T_PKBF) {	/* CDNA4 ISA, V_DOT2C_F32_BF16: ABS is NEG_HI */
		flip = (i->neg >> n & 1) << 15 | (u32)(i->abs >> n & 1) << 31;
		clear = 0;
	}
	if (i->mods & ISA_MOD_SDWA && n < 2) {
		u32 sel = i->ctl >> (8 + 4 * n) & 15;

		if ((sel & 7) < SDWA_DWORD) {
			lane_sdwa_src(d, s, sel & 7, sel >> 3);
			s = d;
		}
	} else if (i->opsel >> n & 1 && lane_is_half(i, n, type)) {
		lane_sdwa_src(d, s, 5, false);
		s = d;
	}
	if (lane_isf(type) && (clear | flip)) {
		if (type == T_F64) {
			if (s != d)
				__builtin_memcpy(d, s, 4 * ISA_LANES);
			lane_signs(d + ISA_LANES, s + ISA_LANES, clear, flip);
		} else {
			lane_signs(d, s, clear, flip);
		}
		s = d;
	}
	return s;
}

/*
 * Dot products of floats flush what is denormal on its way in or out, and do not look at MODE (CDNA
 * 3 ISA, 6.4). PyTorch's notes on numerical accuracy say the same of MI200, and that older ones do
 * not.
 */
static __always_inline bool lane_dot_flushes(const struct isa_wave *w, const struct lane_op *op)
{
	return unlikely(op->flags & LF_DOTS) &&
	       isa_target_has(w->cu->target, ISA_FEAT_DOT_FLUSH);
}

/* Source @n as a row or row pair; @write loses lanes that DPP turns off. */
static const u32 *lane_stage(struct isa_wave *w, const struct isa_insn *i,
			     unsigned int n, const struct lane_op *op, u64 *write)
{
	unsigned int type = op->src[n];
	u32 code = i->src[n], *d = w->tmp[2 * n];
	const u32 *s;

	if (op->flags & LF_ACC && n == 2) {
		s = lane_row(w, i->dst);
		if (lane_is16(type) && i->opsel & 4) {
			lane_sdwa_src(d, s, 5, false);
			s = d;
		}
		goto flush;
	}
	if (code >= ISA_SRC_VGPR0 && code != ISA_SRC_NONE) {
		s = lane_row(w, code);
	} else {
		u64 v = code == ISA_SRC_NONE ? 0 : lane_scalar_as(w, i, n, code, type);

		lane_splat_row(d, (u32)v);
		if (lane_is64(type))
			lane_splat_row(d + ISA_LANES, (u32)(v >> 32));
		s = d;
	}
	if (i->mods & ISA_MOD_DPP && n == 0) {
		*write &= lane_dpp(w, i, d, s, lane_is64(type));
		s = d;
	}
	if (i->enc == ISA_ENC_VOP3P) {
		if (type == T_PKF32)
			lane_stage_pk32(w, d, s, i, n);
		else if (type == T_MIX)
			lane_stage_mix(d, s, i, n);
		else if (lane_is_pk16(type))
			lane_stage_pk(d, s, i, n, type != T_PKI);
		if (type == T_PKF32 || type == T_MIX || lane_is_pk16(type))
			s = d;
	} else {
		s = lane_stage_mods(i, n, type, s, d);
	}
flush:
	if ((type == T_F16 || type == T_PKF) && !(op->flags & LF_NOFLUSH) &&
	    (!(w->mode & 0x40) || lane_dot_flushes(w, op))) {
		lane_flush_f16(d, s);
		s = d;
	}
	return s;
}

/*
 * Output multiplier. Ignored with IEEE mode or with denormal results enabled;
 * where it acts, denormals and -0 become +0. Source: Vega ISA, "Output
 * modifiers".
 */
static bool lane_omod_on(const struct isa_wave *w, unsigned int type)
{
	u32 out = lane_is_fp64(type) ? 0x80 : 0x20;

	return !(w->mode & (out | 1u << 9));
}

static void lane_post_f32(struct isa_wave *w, const struct isa_insn *i, u32 *d)
{
	static const u32 scale[4] = { 0x3f800000, 0x40000000, 0x40800000, 0x3f000000 };
	VI one = vi_splat(0x3f800000), m = vi_splat(scale[i->omod & 3]);
	bool omod = i->omod && lane_omod_on(w, T_F32);
	bool nan0 = w->mode >> 8 & 1;
	unsigned int k;

	for (k = 0; k < VSTEPS; k++) {
		VI x = vi_load(d + k * VW);

		if (omod) {
			x = vf_mul(x, m);
			x = vi_blend(fm_eq(x, vi_zero()), x, vi_zero());
		}
		if (i->mods & ISA_MOD_CLAMP) {
			VM nan = fm_uno(x, x);
			VI y = vi_blend(fm_lt(vi_zero(), x), vi_zero(), x);

			y = vi_blend(fm_lt(one, y), y, one);
			x = vi_blend(nan, y, nan0 ? vi_zero() : x);
		}
		vi_store(d + k * VW, x);
	}
}

static u64 lane_post_d(struct isa_wave *w, const struct isa_insn *i, u64 x,
		       unsigned int type)
{
	static const u64 scale[4] = {
		0x3ff0000000000000, 0x4000000000000000, 0x4010000000000000, 0x3fe0000000000000
	};
	double v = d_of_bits(x);

	if (i->omod && lane_omod_on(w, type)) {
		v = v * d_of_bits(scale[i->omod & 3]);
		if (v == 0)
			v = 0;
	}
	if (i->mods & ISA_MOD_CLAMP) {
		if (v != v)
			return w->mode >> 8 & 1 ? 0 : x;
		if (!(v > 0))
			return 0;
		if (v > 1)
			return scale[0];
	}
	return bits_of_d(v);
}

static void lane_post_f64(struct isa_wave *w, const struct isa_insn *i, u32 *d)
{
	unsigned int l;

	for (l = 0; l < ISA_LANES; l++) {
		u64 x = d[l] | (u64)d[l + ISA_LANES] << 32;

		x = lane_post_d(w, i, x, T_F64);
		d[l] = (u32)x;
		d[l + ISA_LANES] = (u32)(x >> 32);
	}
}

static u32 lane_post_h(struct isa_wave *w, const struct isa_insn *i, u32 h, u32 rnd)
{
	h &= 0xffff;
	if (i->omod || i->mods & ISA_MOD_CLAMP)
		h = f16_of_d(d_of_bits(lane_post_d(w, i, bits_of_d(d_of_f16(h)), T_F16)), rnd);
	if (!(w->mode & 0x80) && !(h & 0x7c00))
		h &= 0x8000;
	return h;
}

static void lane_post_f16(struct isa_wave *w, const struct isa_insn *i, u32 *d,
			  unsigned int type)
{
	u32 rnd = w->mode >> 2 & 3;
	unsigned int l;

	if (!i->omod && !(i->mods & ISA_MOD_CLAMP) && w->mode & 0x80)
		return;
	for (l = 0; l < ISA_LANES; l++) {
		u32 x = lane_post_h(w, i, d[l], rnd);

		if (type == T_PKF)
			x |= lane_post_h(w, i, d[l] >> 16, rnd) << 16;
		d[l] = x;
	}
}

static void lane_post(struct isa_wave *w, const struct isa_insn *i,
		      const struct lane_op *op, u32 *d)
{
	switch (op->dst) {
	case T_F32:
	case T_PKF32:
		if (!i->omod && !(i->mods & ISA_MOD_CLAMP))
			return;
		lane_post_f32(w, i, d);
		if (op->dst == T_PKF32)
			lane_post_f32(w, i, d + ISA_LANES);
		return;
	case T_F64:
		if (i->omod || i->mods & ISA_MOD_CLAMP)
			lane_post_f64(w, i, d);
		return;
	case T_F16:
	case T_PKF:
		if (!(op->flags & LF_NOFLUSH))
			lane_post_f16(w, i, d, op->dst);
		return;
	}
}

/* @d shifted and merged into @old as the SDWA destination fields say. */
static void lane_sdwa_merge(u32 ctl, const u32 *old, u32 *d)
{
	u32 sel = ctl & 7, unused = ctl >> 3 & 3, bits, shift;
	VI up, mask, sign;
	unsigned int k;

	if (sel >= SDWA_DWORD)
		return;
	bits = sel < 4 ? 8 : 16;
	shift = sel < 4 ? 8 * sel : 16 * (sel - 4);
	up = vi_splat(shift);
	mask = vi_splat((1u << bits) - 1);
	sign = vi_splat(1u << (bits - 1));
	for (k = 0; k < VSTEPS; k++) {
		VI x = vi_and(vi_load(d + k * VW), mask);

		if (unused == SDWA_UNUSED_SEXT)
			x = vi_sub(vi_xor(x, sign), sign);
		x = vi_sllv(x, up);
		if (unused == SDWA_UNUSED_KEEP)
			x = vi_or(x, vi_andnot(vi_sllv(mask, up), vi_load(old + k * VW)));
		vi_store(d + k * VW, x);
	}
}

/* Partial-register results become whole ones in @d. */
static void lane_merge(const struct isa_insn *i, const struct lane_op *op,
		       u32 *d, const u32 *old)
{
	VI low = vi_splat(0xffff);
	unsigned int k;

	if (i->mods & ISA_MOD_SDWA) {
		lane_sdwa_merge(i->ctl, old, d);
		return;
	}
	if (!lane_is16(op->dst))
		return;
	if (op->flags & LF_HI || (i->enc != ISA_ENC_VOP3P && i->opsel & 8)) {
		for (k = 0; k < ISA_LANES; k += VW)
			vi_store(d + k, vi_or(vi_and(low, vi_load(old + k)),
					      vi_slli(vi_load(d + k), 16)));
	} else if (op->flags & LF_KEEP || i->mods & ISA_MOD_KEEP) {
		for (k = 0; k < ISA_LANES; k += VW)
			vi_store(d + k, vi_or(vi_andnot(low, vi_load(old + k)),
					      vi_and(low, vi_load(d + k))));
	}
}

/* @mask: lanes to write; all that are on, unless DPP took some away. */
static void lane_write(struct isa_wave *w, u32 *d, const u32 *s, u64 mask)
{
	struct lane_on on;
	unsigned int k;

	if (mask == ~0ull) {
#pragma GCC unroll 4
		for (k = 0; k < VSTEPS; k++)
			vi_store(d + k * VW, vi_load(s + k * VW));
		return;
	}
	on = lane_on(w);
	if (mask == on.exec) {
#pragma GCC unroll 4
		for (k = 0; k < VSTEPS; k++)
			vi_store_m(d + k * VW, vm_on(&on, k), vi_load(s + k * VW));
		return;
	}
	for (k = 0; k < VSTEPS; k++)
		vi_store_m(d + k * VW, vm_exec(mask, k), vi_load(s + k * VW));
}

/*
 * Which fields of MODE rule: those of the result, or of the source where the
 * result is no float. A float made of a double rounds as floats do.
 */
static bool lane_op_fp64(const struct lane_op *op)
{
	return op->dst == T_F16 || op->dst == T_PKF ||
	       (lane_is_fp64(op->src[0]) && op->dst != T_F32);
}

static u32 lane_op_mxcsr(const struct isa_wave *w, const struct lane_op *op, bool fp64)
{
	u32 csr = fp64 ? lane_mxcsr(w->mode >> 2, w->mode >> 6) :
			 lane_mxcsr(w->mode, w->mode >> 4);

	if (op->flags & LF_RNE)
		csr &= ~0x6000u;
	if (op->flags & LF_FLUSH || lane_dot_flushes(w, op))
		csr |= 0x8040;
	return csr;
}

/* Half a microsecond, for some operations a whole one. See ISA_COST_TURN. */
#define GENERIC_COST	8

static enum isa_stop lane_generic(struct isa_wave *w, const struct isa_insn *i)
{
	const struct lane_op *op = &lane_ops[i->op];
	const u32 *s[3] = { NULL, NULL, NULL };
	struct lane_env e = { .w = w, .i = i };
	bool fp64 = lane_op_fp64(op);
	u32 csr = lane_op_mxcsr(w, op, fp64), csr32 = lane_mxcsr(w->mode, w->mode >> 4);
	u32 *d = w->tmp[6];
	u64 exec = isa_exec(w);
	unsigned int n;

	e.round = fp64 ? w->mode >> 2 & 3 : w->mode & 3;
	if (op->flags & LF_CIN)
		e.cin = lane_mask_src(w, i->enc == ISA_ENC_VOP3 ? i->src[2] : ISA_SRC_NONE);
	else if (op->flags & LF_VCC)
		e.cin = isa_vcc(w);
	for (n = 0; n < 3 && op->src[n]; n++)
		s[n] = lane_stage(w, i, n, op, &exec);
	if (unlikely(w->record))
		isa_excp_record(w, i, s, exec);
	e.exec = exec;
	if (csr != csr32)
		lane_set_mxcsr(csr);
	if (i->mods & ISA_MOD_CLAMP && op->sat)
		op->sat(d, s[0], s[1], s[2], &e);
	else
		op->row(d, s[0], s[1], s[2], &e);
	if (op->dst) {
		u32 *out = lane_row(w, i->dst);

		lane_post(w, i, op, d);
		lane_merge(i, op, d, out);
		lane_write(w, out, d, exec);
		if (lane_is64(op->dst))
			lane_write(w, out + ISA_LANES, d + ISA_LANES, exec);
	}
	if (csr != csr32)
		lane_set_mxcsr(csr32);
	if (op->flags & LF_CARRY)
		lane_mask_dst(w, i->sdst, e.cout & exec);
	if (op->flags & LF_CMPX)
		isa_set_exec(w, e.cout & exec);
	return isa_charge(w, GENERIC_COST);
}

/*
 * SDWA where only sources are parts of registers and the operation is one with
 * fast handlers: its row function works in place, and nothing is left to do to
 * the result.
 */
static __always_inline enum isa_stop
lane_sdwa(struct isa_wave *w, const struct isa_insn *i, bool full)
{
	const struct lane_op *op = &lane_ops[i->op];
	const u32 *s[3] = { NULL, NULL, NULL };
	struct lane_env e = { .w = w, .i = i };
	u32 *d = lane_row(w, i->dst);
	u64 exec = isa_exec(w);
	unsigned int n;

	for (n = 0; n < 3 && op->src[n]; n++)
		s[n] = lane_stage(w, i, n, op, &exec);
	e.exec = exec;
	op->row(full ? d : w->tmp[6], s[0], s[1], s[2], &e);
	if (!full)
		lane_write(w, d, w->tmp[6], exec);
	return ISA_STOP_NONE;
}

static enum isa_stop lane_sdwa_part(struct isa_wave *w, const struct isa_insn *i)
{
	return lane_sdwa(w, i, false);
}

static enum isa_stop lane_sdwa_full(struct isa_wave *w, const struct isa_insn *i)
{
	return lane_sdwa(w, i, true);
}
