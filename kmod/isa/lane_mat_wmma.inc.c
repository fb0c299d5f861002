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
 * Halves and bfloat16s are summed by the adder of dot_rdna.c: on gfx11 two products after the other
 * along k, on gfx12 four, in the order 0, 8, 4, 12; a result of 16 bits is rounded after each step.
 * How gfx12 sums floats of 8 bits, no source says: here one product after the other along k on C,
 * exact, each sum rounded to float and denormals flushed.
 */

#define WMMA_SIDE	16u
#define WMMA_ELEMENTS	(WMMA_SIDE * WMMA_SIDE)
#define WMMA_DEAR	6	/* the adder takes as many times what a fused multiply-add does */

/* What there is of A or B of halves: places in isa_cu.mat, of steps of sixteen along k */
struct wmma_places {
	u32 *raw, *sig, *exp;
};

static struct wmma_places wmma_places(u32 *mat, unsigned int src)
{
	u32 *to = mat + 3 * src * WMMA_ELEMENTS;

	return (struct wmma_places){ to, to + WMMA_ELEMENTS, to + 2 * WMMA_ELEMENTS };
}

/*
 * @groups: sixteens of lanes that have different elements: one, as others have the same, or two.
 * Is there an infinity or a NaN?
 */
static __always_inline bool
wmma_stage_halves(struct isa_wave *w, const struct isa_insn *i, unsigned int src, u32 mbits,
		  bool flush, u32 groups)
{
	const u32 *s = lane_row(w, i->src[src]), regs = WMMA_SIDE / 2 / groups;
	struct wmma_places to = wmma_places(w->cu->mat, src);
	VI sign[2] = {
		vi_splat((u32)(i->neg >> src & 1) << 15), vi_splat((u32)(i->abs >> src & 1) << 15),
	};
	bool special = false;
	u32 r, l, n;

	for (r = 0; r < WMMA_SIDE / 2; r++)
		for (l = 0; l < WMMA_SIDE; l += VW) {
			VI x = vi_load(s + r % regs * ISA_LANES + r / regs * WMMA_SIDE + l);

			for (n = 0; n < 2; n++) {
				u32 at = (2 * r + n) * WMMA_SIDE + l;
				VI h = vi_and(vi_srlv(x, vi_splat(16 * n)), vi_splat(0xffff));
				VI sig, exp;
				VM odd;

				h = vi_xor(h, sign[n]);
				dot_factor(h, mbits, flush, &sig, &exp, &odd);
				special |= vm_any(odd);
				vi_store(to.raw + at, h);
				vi_store(to.sig + at, sig);
				vi_store(to.exp + at, exp);
			}
		}
	return special;
}

/* Floats of 8 bits, four to a register, which only gfx12 has; they have no signs. */
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

/* Row @m of A times the columns from @n on, of floats of 8 bits */
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

/* The lanes @left of a step that begins at @k, in place of those in @r */
static noinline VI wmma_left(const struct mat *o, u32 m, u32 n, u32 k, VI c, VI r, u32 left,
			     struct isa_dot d, bool gfx12)
{
	struct wmma_places a = wmma_places(o->a, 0), b = wmma_places(o->a, 1);
	u32 was[VW] __aligned(64), to[VW] __aligned(64), j;

	vi_store(was, c);
	vi_store(to, r);
	for (; left; left &= left - 1) {
		u32 l = (u32)__builtin_ctz(left);

		for (j = 0; j < d.n; j++) {
			d.a[j] = (u16)a.raw[(k + j) * WMMA_SIDE + m];
			d.b[j] = (u16)b.raw[(k + j) * WMMA_SIDE + n + l];
		}
		d.c = was[l];
		to[l] = gfx12 ? isa_dot_gfx12(&d) : isa_dot_gfx11(&d);
	}
	return vi_load(to);
}

/**
 * struct wmma_pair - two vectors of results, which wait for each other less than one for itself
 * @m: the row of A of each, @n: the first column
 * @c: C, then the result: floats, or numbers of 16 bits in the lower halves of lanes
 */
struct wmma_pair {
	u32 m[2], n[2];
	VI c[2];
};

static __always_inline void
wmma_halves(const struct mat *o, struct wmma_pair *w, u32 mbits, bool narrow, bool gfx12)
{
	const enum dot_out out = !narrow ? DOT_F32 : mbits == 10 ? DOT_F16 : DOT_BF16;
	const enum isa_dot_type type = mbits == 10 ? ISA_DOT_F16 : ISA_DOT_BF16;
	const struct isa_dot d = {
		.type_a = type, .type_b = type, .n = gfx12 ? 4 : 2, .narrow = narrow,
		.ovfl = o->ovfl,
	};
	const struct wmma_places a = wmma_places(o->a, 0), b = wmma_places(o->a, 1);
	const VI largest = vi_splat(o->ovfl ? 0x7bff : 0x7c00);
	u32 step, h, j;

	for (step = 0; step < WMMA_SIDE / d.n; step++) {
		u32 k = gfx12 ? step % 2 * 8 + step / 2 * 4 : step * 2;
		VM left[2] LANE_SCRATCH;
		VI r[2] LANE_SCRATCH;

#pragma GCC unroll 2
		for (h = 0; h < 2; h++) {
			const u32 *as = a.sig + k * WMMA_SIDE + w->m[h], *ae = as + WMMA_ELEMENTS;
			const u32 *bs = b.sig + k * WMMA_SIDE + w->n[h], *be = bs + WMMA_ELEMENTS;
			struct dot_product p[ISA_DOT_MAX] LANE_SCRATCH;
			VI wide = w->c[h], e;

			if (out == DOT_F16)
				wide = mat_value(wide, MAT_F16, 0, &e, &left[h]);
			else if (out == DOT_BF16)
				wide = vi_slli(wide, 16);
#pragma GCC unroll 4
			for (j = 0; j < d.n; j++)
				p[j] = dot_multiply(vi_splat(as[j * WMMA_SIDE]),
						    vi_splat(ae[j * WMMA_SIDE]),
						    vi_load(bs + j * WMMA_SIDE),
						    vi_load(be + j * WMMA_SIDE));
			if (gfx12)
				r[h] = dot_gfx12(p, 4, wide, mbits, out, largest, &left[h]);
			else
				r[h] = dot_gfx11(p, wide, mbits, out, largest, &left[h]);
		}
		if (unlikely(o->special || vm_any(vm_or(left[0], left[1]))))
			for (h = 0; h < 2; h++) {
				u32 l = o->special ? (u32)(BIT(VW) - 1) : vm_bits(left[h]);

				r[h] = wmma_left(o, w->m[h], w->n[h], k, w->c[h], r[h], l, d,
						 gfx12);
			}
		w->c[0] = r[0];
		w->c[1] = r[1];
	}
}

typedef void (*wmma_fn)(const struct mat *o, struct wmma_pair *w);

static noinline void wmma11_f32_f16(const struct mat *o, struct wmma_pair *w)
{
	wmma_halves(o, w, 10, false, false);
}

static noinline void wmma11_f32_bf16(const struct mat *o, struct wmma_pair *w)
{
	wmma_halves(o, w, 7, false, false);
}

static noinline void wmma11_f16(const struct mat *o, struct wmma_pair *w)
{
	wmma_halves(o, w, 10, true, false);
}

static noinline void wmma11_bf16(const struct mat *o, struct wmma_pair *w)
{
	wmma_halves(o, w, 7, true, false);
}

static noinline void wmma12_f32_f16(const struct mat *o, struct wmma_pair *w)
{
	wmma_halves(o, w, 10, false, true);
}

static noinline void wmma12_f32_bf16(const struct mat *o, struct wmma_pair *w)
{
	wmma_halves(o, w, 7, false, true);
}

static noinline void wmma12_f16(const struct mat *o, struct wmma_pair *w)
{
	wmma_halves(o, w, 10, true, true);
}

static noinline void wmma12_bf16(const struct mat *o, struct wmma_pair *w)
{
	wmma_halves(o, w, 7, true, true);
}

/* By generation, is the result narrow, has A bfloat16s */
static const wmma_fn wmma_fns[2][2][2] = {
	{ { wmma11_f32_f16, wmma11_f32_bf16 }, { wmma11_f16, wmma11_bf16 } },
	{ { wmma12_f32_f16, wmma12_f32_bf16 }, { wmma12_f16, wmma12_bf16 } },
};

/* NULL: integers, or floats of 8 bits */
static wmma_fn wmma_find(const struct mat_shape *sh, bool gfx12)
{
	if (sh->kind == MAT_KIND_WMMA_INT || (sh->a != MAT_F16 && sh->a != MAT_BF16))
		return NULL;
	return wmma_fns[gfx12][sh->kind == MAT_KIND_WMMA_16][sh->a == MAT_BF16];
}

/* @top: the bit of C's sign */
static __always_inline VI wmma_signs(const struct isa_insn *i, VI c, u32 top)
{
	if (i->abs & 4)
		c = vi_and(c, vi_splat((1u << top) - 1));
	return vi_xor(c, vi_splat((u32)(i->neg >> 2 & 1) << top));
}

static u32 wmma_constant(const struct isa_wave *w, const struct isa_insn *i, unsigned int type)
{
	u32 v = (u32)lane_scalar_as(w, i, 2, i->src[2], type == MAT_F16 ? T_F16 :
				    type == MAT_BF16 ? T_BF16 : T_U32);

	return type == MAT_F32 ? v : v << (i->opsel & 4 ? 16 : 0);
}

/* Results of one register: @lanes from @l on, where @d and @c (or @constant) are. gfx11 */
static void wmma_step(const struct mat *o, wmma_fn fn, u32 lanes, u32 row, u32 l, const u32 *c,
		      VI constant, u32 *d, u64 exec)
{
	const bool narrow = o->sh->kind == MAT_KIND_WMMA_16;
	u32 shift = o->i->opsel & 4 ? 16 : 0, top = narrow ? 15 : 31, h;
	struct wmma_pair w LANE_SCRATCH;

	for (h = 0; h < 2; h++, l += VW) {
		VI x = c ? vi_load(c + l) : constant;

		w.m[h] = row * (lanes / WMMA_SIDE) + l / WMMA_SIDE;
		w.n[h] = l % WMMA_SIDE;
		if (narrow)
			x = vi_and(vi_srlv(x, vi_splat(shift)), vi_splat(0xffff));
		w.c[h] = fn ? wmma_signs(o->i, x, top) : wmma_integers(o, w.m[h], w.n[h], x);
	}
	if (fn)
		fn(o, &w);
	for (h = 0, l -= 2 * VW; h < 2; h++, l += VW) {
		VI x = w.c[h];

		if (narrow)	/* The other half stays */
			x = vi_or(vi_and(vi_load(d + l), vi_splat(0xffff0000 >> shift)),
				  vi_sllv(x, vi_splat(shift)));
		vi_store_m(d + l, vm_exec(exec, l / VW), x);
	}
}

static void wmma_stage(struct isa_wave *w, struct mat *o, u32 groups)
{
	const bool gfx11 = groups == 1;
	u32 n;

	o->a = w->cu->mat;
	o->b = o->a + WMMA_ELEMENTS;
	o->ovfl = w->mode & ISA_MODE_FP16_OVFL;
	for (n = 0; n < 2; n++) {
		const unsigned int type = n ? o->sh->b : o->sh->a;
		u32 *to = n ? o->b : o->a;

		if (o->sh->kind == MAT_KIND_WMMA_INT)
			wmma_stage_integers(w, o->i, n, o->sh, groups, to);
		else if (type == MAT_OCP_FP8)
			wmma_stage_bytes(lane_row(w, o->i->src[n]), MAT_OCP_FP8, to);
		else if (type == MAT_OCP_BF8)
			wmma_stage_bytes(lane_row(w, o->i->src[n]), MAT_OCP_BF8, to);
		else if (type == MAT_F16)
			o->special |= wmma_stage_halves(w, o->i, n, 10, false, groups);
		else
			o->special |= wmma_stage_halves(w, o->i, n, 7, gfx11, groups);
	}
}

static enum isa_stop wmma_exec(struct isa_wave *w, const struct isa_insn *i)
{
	struct mat o = { .sh = &mat_shapes[isa_slot_of(i)->aux & 0xff], .i = i };
	unsigned int out = o.sh->kind == MAT_KIND_WMMA_16 ? o.sh->a : MAT_F32;
	u32 rows = WMMA_ELEMENTS / w->lanes, code = i->src[2], n, l;
	const u32 *c = code < ISA_SRC_VGPR0 ? NULL : lane_row(w, code);
	VI constant = vi_splat(c ? 0 : wmma_constant(w, i, out));
	wmma_fn fn = wmma_find(o.sh, false);
	u32 *d = lane_row(w, i->dst);

	lane_set_mxcsr(MAT_MXCSR_FLUSH);
	wmma_stage(w, &o, 1);
	/* Where C lies below D, its last registers are read before they are overwritten. */
	for (n = 0; n < rows; n++) {
		u32 r = c && d > c ? rows - 1 - n : n;

		for (l = 0; l < w->lanes; l += 2 * VW)
			wmma_step(&o, fn, w->lanes, r, l, c ? c + r * ISA_LANES : NULL, constant,
				  d + r * ISA_LANES, isa_exec(w));
	}
	lane_mode_f32(w);
	return isa_charge(w, mat_cost(o.sh) * (fn ? WMMA_DEAR : 1));
}

/*
 * gfx12: the two sixteens of a wave of 32 lanes have one half of k each, and registers of C and D
 * rows that follow each other: the first eight in the lower sixteen lanes, two in a register if
 * they have 16 bits. Source: AMD matrix instruction calculator, RDNA4; llama.cpp's kernels for
 * gfx12 (mma.cuh) read and write them so. How waves of 64 lanes have them, no source at hand says:
 * refused.
 */
static VI wmma12_pair(const struct mat *o, wmma_fn fn, u32 m, u32 n, VI c)
{
	struct wmma_pair w = {
		.m = { m, m + 1 }, .n = { n, n },
		.c = { wmma_signs(o->i, vi_and(c, vi_splat(0xffff)), 15),
		       wmma_signs(o->i, vi_srli(c, 16), 15) },
	};

	fn(o, &w);
	return vi_or(w.c[0], vi_slli(w.c[1], 16));
}

/* Floats: of the lanes from @l on, twice VW. @c: NULL: @constant */
static void wmma12_floats(const struct mat *o, wmma_fn fn, u32 row, u32 l, const u32 *c,
			  VI constant, u32 *d, u64 exec)
{
	struct wmma_pair w LANE_SCRATCH;
	u32 h;

	for (h = 0; h < 2; h++, l += VW) {
		w.m[h] = l / WMMA_SIDE * 8 + row;
		w.n[h] = l % WMMA_SIDE;
		w.c[h] = wmma_signs(o->i, c ? vi_load(c + l) : constant, 31);
	}
	fn(o, &w);
	for (h = 0, l -= 2 * VW; h < 2; h++, l += VW)
		vi_store_m(d + l, vm_exec(exec, l / VW), w.c[h]);
}

static enum isa_stop wmma12_exec(struct isa_wave *w, const struct isa_insn *i)
{
	struct mat o = { .sh = &mat_shapes[isa_slot_of(i)->aux & 0xff], .i = i };
	const u32 halves = o.sh->kind == MAT_KIND_WMMA_16 ? 2 : 1, rows = 8 / halves;
	const u32 *c = i->src[2] < ISA_SRC_VGPR0 ? NULL : lane_row(w, i->src[2]);
	u32 *d = lane_row(w, i->dst), n, l;
	VI constant = vi_splat(c ? 0 : wmma_constant(w, i, MAT_F32));
	wmma_fn fn = wmma_find(o.sh, true);

	if (w->lanes != 2 * WMMA_SIDE)
		return isa_exec_illegal(w, i);
	lane_set_mxcsr(MAT_MXCSR_FLUSH);
	wmma_stage(w, &o, 2);
	for (n = 0; n < rows; n++) {
		u32 r = c && d > c ? rows - 1 - n : n;

		if (fn && halves == 1) {
			for (l = 0; l < 2 * WMMA_SIDE; l += 2 * VW)
				wmma12_floats(&o, fn, r, l, c ? c + r * ISA_LANES : NULL, constant,
					      d + r * ISA_LANES, isa_exec(w));
			continue;
		}
		for (l = 0; l < 2 * WMMA_SIDE; l += VW) {
			u32 m = l / WMMA_SIDE * 8 + r * halves, at = l % WMMA_SIDE;
			VI x = c ? vi_load(c + r * ISA_LANES + l) : constant;

			if (halves == 2)
				x = wmma12_pair(&o, fn, m, at, x);
			else if (o.sh->kind == MAT_KIND_WMMA_INT)
				x = wmma_integers(&o, m, at, x);
			else
				x = wmma_floats(o.a, o.b, m, at, wmma_signs(i, x, 31));
			vi_store_m(d + r * ISA_LANES + l, vm_exec(isa_exec(w), l / VW), x);
		}
	}
	lane_mode_f32(w);
	return isa_charge(w, mat_cost(o.sh) * (fn ? WMMA_DEAR : 1));
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
