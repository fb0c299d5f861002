/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * WMMA: D = A * B + C, matrices of 16 rows and columns. A register of A holds elements of
 * the row that the lane's number in its sixteen names, along k; B's of that column. On gfx11
 * programs have them in all sixteens of a wave; the first is read here. Lanes go along the columns
 * of C and D; the sixteens of a wave hold neighbouring rows, so waves of 64 lanes have half as many
 * registers of them. gfx12: wmma12_exec(). Sources: AMD matrix instruction calculator; AMD, "How
 * to accelerate AI applications on RDNA 3 using WMMA"; LLVM, VOP3PInstructions.td.
 *
 * Modifiers: neg_lo and neg_hi negate the even and the odd elements of A and B, for C they are its
 * sign and its absolute value (RDNA3 ISA, "WMMA"); of bytes and nibbles, neg_lo says which are
 * signed, and clamp saturates the sum. op_sel picks the half of C and D that elements of 16 bits
 * are in; the other one stays.
 *
 * No document says how floats are summed. Here: step by step along k, on C, products exact, each
 * sum rounded to float and denormals of floats and bfloat16s flushed, whatever MODE says, and the
 * sum rounded once more if D has 16 bits. That they are flushed, and products are not rounded, was
 * measured on gfx1151 (ROCm, rocm-systems issue 12056), as was that the adder of two products and
 * an accumulator is no IEEE one: it may be units of the last place off. So these are not the bits
 * of hardware where a sum is inexact or has both signs.
 */

#define WMMA_SIDE	16u

/*
 * What there is of A or B: steps of sixteen elements, or sixteen pairs. @groups: sixteens of lanes
 * that have different elements: one, as others have the same, or two
 */
static void wmma_stage_floats(struct isa_wave *w, const struct isa_insn *i, unsigned int src,
			      unsigned int type, u32 groups, u32 *to)
{
	const u32 *s = lane_row(w, i->src[src]);
	VI even = vi_splat((u32)(i->neg >> src & 1) << 31);
	VI odd = vi_splat((u32)(i->abs >> src & 1) << 31);
	const u32 regs = WMMA_SIDE / 2 / groups;
	u32 r, l;

	for (r = 0; r < WMMA_SIDE / 2; r++)
		for (l = 0; l < WMMA_SIDE; l += VW) {
			VI x = vi_load(s + r % regs * ISA_LANES + r / regs * WMMA_SIDE + l), e;
			u32 *t = to + 2 * r * WMMA_SIDE + l;
			VM special;

			vi_store(t, vi_xor(mat_value(x, type, 0, &e, &special), even));
			vi_store(t + WMMA_SIDE, vi_xor(mat_value(x, type, 1, &e, &special), odd));
		}
}

/* The same of four floats of 8 bits to a register, which only gfx12 has; they have no signs. */
static __always_inline void wmma_stage_bytes(const u32 *s, unsigned int type, u32 *to)
{
	u32 r, l, n;

	for (r = 0; r < WMMA_SIDE / 4; r++)
		for (l = 0; l < WMMA_SIDE; l += VW) {
			VI x = vi_load(s + r % 2 * ISA_LANES + r / 2 * WMMA_SIDE + l), e;
			VM special;

			for (n = 0; n < 4; n++)
				vi_store(to + (4 * r + n) * WMMA_SIDE + l,
					 mat_value(x, type, n, &e, &special));
		}
}

/* An integer of @bits from bit @at on, in 32 bits */
static __always_inline VI wmma_integer(VI x, u32 at, u32 bits, bool sign)
{
	VI up = vi_sllv(x, vi_splat(32 - bits - at));

	return sign ? vi_srai(up, 32 - bits) : vi_srlv(up, vi_splat(32 - bits));
}

static __always_inline void
wmma_stage_bits(const u32 *s, u32 bits, bool sign, u32 k, u32 groups, u32 *to)
{
	const u32 all = bits * k / 32, regs = all / groups;
	u32 r, l, at;

	for (r = 0; r < all; r++)
		for (l = 0; l < WMMA_SIDE; l += VW) {
			VI x = vi_load(s + r % regs * ISA_LANES + r / regs * WMMA_SIDE + l);
			u32 *t = to + r * 16 / bits * WMMA_SIDE + l;

			for (at = 0; at < 32; at += 2 * bits, t += WMMA_SIDE) {
				VI lo = wmma_integer(x, at, bits, sign);
				VI hi = wmma_integer(x, at + bits, bits, sign);

				vi_store(t, vi_or(vi_and(lo, vi_splat(0xffff)),
						  vi_sllv(hi, vi_splat(16))));
			}
		}
}

static void wmma_stage_integers(struct isa_wave *w, const struct isa_insn *i, unsigned int src,
				const struct mat_shape *sh, u32 groups, u32 *to)
{
	const u32 *s = lane_row(w, i->src[src]);
	bool sign = i->neg >> src & 1;

	if (sh->a == MAT_IU8)
		wmma_stage_bits(s, 8, sign, sh->k, groups, to);
	else
		wmma_stage_bits(s, 4, sign, sh->k, groups, to);
}

/* Row @m of A times the columns from @n on */
static __always_inline VI wmma_floats(const u32 *a, const u32 *b, u32 m, u32 n, VI c)
{
	u32 k;

	for (k = 0; k < WMMA_SIDE; k++)
		c = vf_fma(vi_splat(a[k * WMMA_SIDE + m]), vi_load(b + k * WMMA_SIDE + n), c);
	return mat_canon(c);
}

static __always_inline VI wmma_integers(const struct mat *o, u32 m, u32 n, VI c)
{
	const u32 *a = o->a, *b = o->b, pairs = o->sh->k / 2;
	const bool clamp = o->i->mods & ISA_MOD_CLAMP;
	VI sum = vi_zero(), r;
	u32 k;

	for (k = 0; k < pairs; k++)
		sum = vi_add(sum, vi_madd(vi_splat(a[k * WMMA_SIDE + m]),
					  vi_load(b + k * WMMA_SIDE + n)));
	r = vi_add(c, sum);
	if (!clamp)
		return r;
	return vi_blend(vm_gts(vi_zero(), vi_and(vi_xor(c, r), vi_xor(sum, r))), r,
			vi_xor(vi_srai(c, 31), vi_splat(0x7fffffff)));
}

/* Elements of 16 bits in the half of @x that op_sel picks, as floats */
static VI wmma_widen(const struct isa_insn *i, unsigned int type, VI x)
{
	bool high = i->opsel & 4;
	VM special;
	VI e;

	return high ? mat_value(x, type, 1, &e, &special) : mat_value(x, type, 0, &e, &special);
}

static u32 wmma_narrow_one(u32 x, unsigned int type)
{
	if (type == MAT_F16)
		return f16_of_d(f_of_bits(x), 0);
	return f32_nan(x) ? 0x7fc0 : (x + 0x7fff + (x >> 16 & 1)) >> 16;
}

/* @x in one half of what was in @old */
static VI wmma_narrow(const struct isa_insn *i, unsigned int type, VI x, VI old)
{
	u32 shift = i->opsel & 4 ? 16 : 0, l, v[VW] __aligned(64);

	vi_store(v, x);
	for (l = 0; l < VW; l++)
		v[l] = wmma_narrow_one(v[l], type);
	return vi_or(vi_and(old, vi_splat(0xffff0000 >> shift)),
		     vi_sllv(vi_load(v), vi_splat(shift)));
}

static VI wmma_signs(const struct isa_insn *i, VI c)
{
	if (i->abs & 4)
		c = vi_and(c, vi_splat(0x7fffffff));
	return vi_xor(c, vi_splat((u32)(i->neg >> 2 & 1) << 31));
}

static u32 wmma_constant(const struct isa_wave *w, const struct isa_insn *i, unsigned int type)
{
	u32 v = (u32)lane_scalar_as(w, i, 2, i->src[2], type == MAT_F16 ? T_F16 :
				    type == MAT_BF16 ? T_BF16 : T_U32);

	return type == MAT_F32 ? v : v << (i->opsel & 4 ? 16 : 0);
}

/* @row, @l: of the result, which begins at @d */
static __always_inline void
wmma_step(const struct mat *o, bool floats, unsigned int out, u32 lanes, u32 row, u32 l, VI c,
	  u32 *d, u64 exec)
{
	u32 m = row * (lanes / WMMA_SIDE) + l / WMMA_SIDE, n = l % WMMA_SIDE;
	const struct isa_insn *i = o->i;
	u32 *to = d + row * ISA_LANES + l;

	if (floats) {
		if (out != MAT_F32)
			c = wmma_widen(i, out, c);
		c = wmma_floats(o->a, o->b, m, n, wmma_signs(i, c));
		if (out != MAT_F32)
			c = wmma_narrow(i, out, c, vi_load(to));
	} else {
		c = wmma_integers(o, m, n, c);
	}
	vi_store_m(to, vm_exec(exec, l / VW), c);
}

static void wmma_stage(struct isa_wave *w, struct mat *o, u32 groups)
{
	u32 n;

	o->a = w->cu->mat;
	o->b = o->a + WMMA_SIDE * WMMA_SIDE;
	for (n = 0; n < 2; n++) {
		const unsigned int type = n ? o->sh->b : o->sh->a;
		u32 *to = n ? o->b : o->a;

		if (o->sh->kind == MAT_KIND_WMMA_INT)
			wmma_stage_integers(w, o->i, n, o->sh, groups, to);
		else if (type == MAT_OCP_FP8)
			wmma_stage_bytes(lane_row(w, o->i->src[n]), MAT_OCP_FP8, to);
		else if (type == MAT_OCP_BF8)
			wmma_stage_bytes(lane_row(w, o->i->src[n]), MAT_OCP_BF8, to);
		else
			wmma_stage_floats(w, o->i, n, type, groups, to);
	}
}

static enum isa_stop wmma_exec(struct isa_wave *w, const struct isa_insn *i)
{
	struct mat o = { .sh = &mat_shapes[isa_slot_of(i)->aux & 0xff], .i = i };
	bool floats = o.sh->kind != MAT_KIND_WMMA_INT;
	unsigned int out = o.sh->kind == MAT_KIND_WMMA_16 ? o.sh->a : MAT_F32;
	u32 rows = WMMA_SIDE * WMMA_SIDE / w->lanes, code = i->src[2], n, l;
	const u32 *c = code < ISA_SRC_VGPR0 ? NULL : lane_row(w, code);
	u32 *d = lane_row(w, i->dst);
	VI constant = vi_splat(c ? 0 : wmma_constant(w, i, out));

	lane_set_mxcsr(MAT_MXCSR_FLUSH);
	wmma_stage(w, &o, 1);
	/* Where C lies below D, its last registers are read before they are overwritten. */
	for (n = 0; n < rows; n++) {
		u32 r = c && d > c ? rows - 1 - n : n;

		for (l = 0; l < w->lanes; l += VW)
			wmma_step(&o, floats, out, w->lanes, r, l,
				  c ? vi_load(c + r * ISA_LANES + l) : constant, d, isa_exec(w));
	}
	lane_mode_f32(w);
	return isa_charge(w, mat_cost(o.sh));
}

/*
 * gfx12: the two sixteens of a wave of 32 lanes have one half of k each, and registers of C and D
 * rows that follow each other: the first eight in the lower sixteen lanes, two in a register if
 * they have 16 bits. Source: AMD matrix instruction calculator, RDNA4; llama.cpp's kernels for
 * gfx12 (mma.cuh) read and write them so. How waves of 64 lanes have them, no source at hand says:
 * refused.
 */
static VI wmma12_pair(const struct mat *o, unsigned int out, u32 m, u32 n, VI c)
{
	u32 lo[VW] __aligned(64), hi[VW] __aligned(64), l;
	VM special;
	VI e, x = mat_value(c, out, 0, &e, &special), y = mat_value(c, out, 1, &e, &special);

	vi_store(lo, wmma_floats(o->a, o->b, m, n, wmma_signs(o->i, x)));
	vi_store(hi, wmma_floats(o->a, o->b, m + 1, n, wmma_signs(o->i, y)));
	for (l = 0; l < VW; l++)
		lo[l] = wmma_narrow_one(lo[l], out) | wmma_narrow_one(hi[l], out) << 16;
	return vi_load(lo);
}

static enum isa_stop wmma12_exec(struct isa_wave *w, const struct isa_insn *i)
{
	struct mat o = { .sh = &mat_shapes[isa_slot_of(i)->aux & 0xff], .i = i };
	const u32 halves = o.sh->kind == MAT_KIND_WMMA_16 ? 2 : 1, rows = 8 / halves;
	const u32 *c = i->src[2] < ISA_SRC_VGPR0 ? NULL : lane_row(w, i->src[2]);
	u32 *d = lane_row(w, i->dst), n, l;
	VI constant = vi_splat(c ? 0 : wmma_constant(w, i, MAT_F32));

	if (w->lanes != 2 * WMMA_SIDE)
		return isa_exec_illegal(w, i);
	lane_set_mxcsr(MAT_MXCSR_FLUSH);
	wmma_stage(w, &o, 2);
	for (n = 0; n < rows; n++) {
		u32 r = c && d > c ? rows - 1 - n : n;

		for (l = 0; l < 2 * WMMA_SIDE; l += VW) {
			u32 m = l / WMMA_SIDE * 8 + r * halves, at = l % WMMA_SIDE;
			VI x = c ? vi_load(c + r * ISA_LANES + l) : constant;

			if (halves == 2)
				x = wmma12_pair(&o, o.sh->a, m, at, x);
			else if (o.sh->kind == MAT_KIND_WMMA_INT)
				x = wmma_integers(&o, m, at, x);
			else
				x = wmma_floats(o.a, o.b, m, at, wmma_signs(i, x));
			vi_store_m(d + r * ISA_LANES + l, vm_exec(isa_exec(w), l / VW), x);
		}
	}
	lane_mode_f32(w);
	return isa_charge(w, mat_cost(o.sh));
}

/* Modifiers that nobody has described are refused, and so are SGPRs and literals. */
static bool wmma_bind(const struct isa_target *t, struct isa_insn *i, const struct mat_shape *sh)
{
	bool half = sh->kind == MAT_KIND_WMMA_16, integer = sh->kind == MAT_KIND_WMMA_INT;
	const u32 c = i->src[2];

	const bool gfx12 = isa_target_has(t, ISA_FEAT_SCOPES);

	if ((i->opsel & ~(half && !gfx12 ? 4u : 0)) != 0x70 || (integer && (i->abs || i->neg & 4)))
		return false;
	if (c < ISA_SRC_VGPR0 && !lane_is_fconst(c) &&
	    (c < ISA_SRC_INT0 || c >= ISA_SRC_SHARED_BASE))
		return false;
	/* Which halves a constant is in, no source says; 0 is in both. */
	if (gfx12 && half && c < ISA_SRC_VGPR0 && c != ISA_SRC_INT0)
		return false;
	if (gfx12)
		isa_bind_to(i, wmma12_exec, wmma12_exec);
	else
		isa_bind_to(i, wmma_exec, wmma_exec);
	return true;
}
