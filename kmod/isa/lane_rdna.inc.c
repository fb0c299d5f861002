/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Operations that only gfx10 and gfx11 have: moves within rows of sixteen lanes, registers
 * that M0 picks, dot products whose sources are signed or unsigned.
 * Sources: RDNA2 and RDNA3 ISA, "Vector ALU"; LLVM, VOP3Instructions.td.
 */

/* If a factor is 0, so is the product, whatever the other factor is. */
static __always_inline VI vf_fma_legacy(VI a, VI b, VI c)
{
	VM z = vm_or(fm_eq(a, vi_zero()), fm_eq(b, vi_zero()));

	return vi_blend(z, vf_fma(a, b, c), c);
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

/*
 * v_dot2_f16_f16, v_dot2_bf16_bf16: two products on an addend, all of 16 bits. RDNA3 ISA says what
 * is added in which order, not how it is rounded: here sums are floats, as those of the
 * operations with a float result, and rounded once more in the end; denormals of bfloat16s are
 * flushed, as those operations' were seen to be (lane_mat_wmma.inc.c). A product alone comes out
 * correctly rounded, which Triton relies on (its pull request 8444).
 */
static u32 dot2_f16(u32 a, u32 b, u32 c)
{
	return f16_of_d(f_of_bits(dot2_f32(a, b, f32_of_f16(c & 0xffff))), 0);
}

static u32 dot2_bf16_bf16(u32 a, u32 b, u32 c)
{
	u32 x = dot2_bf16(a, b, c << 16);

	return f32_nan(x) ? f32_quiet(x) >> 16 : (x + 0x7fff + (x >> 16 & 1)) >> 16;
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
