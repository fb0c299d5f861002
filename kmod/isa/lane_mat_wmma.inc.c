/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * WMMA: D = A * B + C, matrices of 16 rows and columns. A register of A holds elements of
 * the row that the lane's number in its sixteen names, along k; B's of that column. On gfx11
 * programs have them in all sixteens of a wave; the first is read here. Lanes go along the columns
 * of C and D; the sixteens of a wave hold neighbouring rows, so waves of 64 lanes have half as many
 * registers of them. gfx12: lane_mat_wmma12.inc.c. Sources: AMD matrix instruction calculator; AMD,
 * "How to accelerate AI applications on RDNA 3 using WMMA"; LLVM, VOP3PInstructions.td.
 *
 * Modifiers: neg_lo and neg_hi negate the even and the odd elements of A and B, for C they are its
 * sign and its absolute value (RDNA3 ISA, "WMMA"); of bytes and nibbles, neg_lo says which are
 * signed, and clamp saturates the sum. op_sel picks the half of C and D that elements of 16 bits
 * are in; the other one stays.
 *
 * Halves and bfloat16s are summed by the adder of dot_rdna.c: on gfx11 two products after the other
 * along k, on gfx12 four; a result of 16 bits is rounded after each step.
 *
 * All lanes are written, whatever EXEC is. Hardware may skip instructions while no lane is on, with
 * the same result, but not these (RDNA3 ISA, 3.2.3; RDNA4 ISA, 3.2.2.1), and rocjitsu writes all.
 */

#define WMMA_SIDE	16u
#define WMMA_ELEMENTS	(WMMA_SIDE * WMMA_SIDE)
#define WMMA_DEAR	16	/* the adder takes as many times what a fused multiply-add does */

/* What there is of A or B of halves: places in isa_cu.mat. B may have two times sixteen along k. */
#define WMMA_STRIDE(src)	((src) ? 2 * WMMA_ELEMENTS : WMMA_ELEMENTS)

struct wmma_places {
	u32 *raw, *sig, *exp;
};

static __always_inline struct wmma_places wmma_places(u32 *mat, unsigned int src)
{
	u32 *to = src ? mat + 3 * WMMA_STRIDE(0) : mat;

	return (struct wmma_places){ to, to + WMMA_STRIDE(src), to + 2 * WMMA_STRIDE(src) };
}

/**
 * struct wmma_operand - where A or B lies in the registers
 * @s: its first one
 * @dwords: how many it is long along k
 * @groups: sixteens of lanes that have different ones
 * @piece: dwords that lie in one sixteen before those of the next follow
 * @swapped: of four sixteens, the second and the third have changed places
 */
struct wmma_operand {
	const u32 *s;
	u32 dwords, groups, piece;
	bool swapped;
};

/* Dword @r along k, of the first sixteen rows or columns */
static __always_inline const u32 *wmma_dword(const struct wmma_operand *f, u32 r)
{
	u32 piece = r / f->piece, group = piece % f->groups;

	if (f->swapped)
		group = (group & 1) << 1 | group >> 1;
	return f->s + (piece / f->groups * f->piece + r % f->piece) * ISA_LANES +
	       group * WMMA_SIDE;
}

/*
 * @signs: bit 0 changes those of the even elements, bit 1 of the odd ones.
 * Is there an infinity or a NaN?
 */
static __always_inline bool
wmma_stage_halves(const struct wmma_operand *f, struct wmma_places to, u32 signs, u32 mbits,
		  bool flush)
{
	VI sign[2] = { vi_splat((signs & 1) << 15), vi_splat((signs >> 1) << 15) };
	bool special = false;
	u32 r, l, n;

	for (r = 0; r < f->dwords; r++)
		for (l = 0; l < WMMA_SIDE; l += VW) {
			VI x = vi_load(wmma_dword(f, r) + l);

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

/* An integer of @bits from bit @at on, in 32 bits */
static __always_inline VI wmma_integer(VI x, u32 at, u32 bits, bool sign)
{
	VI up = vi_sllv(x, vi_splat(32 - bits - at));

	return sign ? vi_srai(up, 32 - bits) : vi_srlv(up, vi_splat(32 - bits));
}

/* Two after the other along k to a dword */
static __always_inline void
wmma_stage_pairs(const struct wmma_operand *f, u32 bits, bool sign, u32 *to)
{
	u32 r, l, at;

	for (r = 0; r < f->dwords; r++)
		for (l = 0; l < WMMA_SIDE; l += VW) {
			VI x = vi_load(wmma_dword(f, r) + l);
			u32 *t = to + r * 16 / bits * WMMA_SIDE + l;

			for (at = 0; at < 32; at += 2 * bits, t += WMMA_SIDE) {
				VI lo = wmma_integer(x, at, bits, sign);
				VI hi = wmma_integer(x, at + bits, bits, sign);

				vi_store(t, vi_or(vi_and(lo, vi_splat(0xffff)),
						  vi_sllv(hi, vi_splat(16))));
			}
		}
}

static void wmma_stage_integers(const struct wmma_operand *f, unsigned int type, bool sign, u32 *to)
{
	if (type == MAT_IU8)
		wmma_stage_pairs(f, 8, sign, to);
	else
		wmma_stage_pairs(f, 4, sign, to);
}

/* Row @m of A times the columns from @n on, pairs from @k to @end; the sum */
static __always_inline VI wmma_pairs(const struct mat *o, u32 m, u32 n, u32 k, u32 end)
{
	VI sum = vi_zero();

	for (; k < end; k++)
		sum = vi_add(sum, vi_madd(vi_splat(o->a[k * WMMA_SIDE + m]),
					  vi_load(o->b + k * WMMA_SIDE + n)));
	return sum;
}

/* @clamp: the largest or smallest integer in place of one that has no room */
static __always_inline VI wmma_add(VI c, VI sum, bool clamp)
{
	VI r = vi_add(c, sum);

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
			u32 kb = o->pick ? o->pick[m * WMMA_SIDE + k + j] : k + j;

			d.a[j] = (u16)a.raw[(k + j) * WMMA_SIDE + m];
			d.b[j] = (u16)b.raw[kb * WMMA_SIDE + n + l];
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

/* @sparse: the element k of A meets that one of B which o->pick says */
static __always_inline void
wmma_halves(const struct mat *o, struct wmma_pair *w, u32 mbits, bool narrow, bool gfx12,
	    bool sparse)
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
		u32 k = step * d.n;
		VM left[2] LANE_SCRATCH;
		VI r[2] LANE_SCRATCH;

#pragma GCC unroll 2
		for (h = 0; h < 2; h++) {
			const u32 *as = a.sig + k * WMMA_SIDE + w->m[h], *ae = as + WMMA_STRIDE(0);
			const u16 *pick = sparse ? o->pick + w->m[h] * WMMA_SIDE + k : NULL;
			const u32 *bs = b.sig + w->n[h], *be = bs + WMMA_STRIDE(1);
			struct dot_product p[ISA_DOT_MAX] LANE_SCRATCH;
			VI wide = w->c[h], e;

			if (out == DOT_F16)
				wide = mat_value(wide, MAT_F16, 0, &e, &left[h]);
			else if (out == DOT_BF16)
				wide = vi_slli(wide, 16);
#pragma GCC unroll 4
			for (j = 0; j < d.n; j++) {
				u32 at = (sparse ? pick[j] : k + j) * WMMA_SIDE;

				p[j] = dot_multiply(vi_splat(as[j * WMMA_SIDE]),
						    vi_splat(ae[j * WMMA_SIDE]),
						    vi_load(bs + at), vi_load(be + at));
			}
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
	wmma_halves(o, w, 10, false, false, false);
}

static noinline void wmma11_f32_bf16(const struct mat *o, struct wmma_pair *w)
{
	wmma_halves(o, w, 7, false, false, false);
}

static noinline void wmma11_f16(const struct mat *o, struct wmma_pair *w)
{
	wmma_halves(o, w, 10, true, false, false);
}

static noinline void wmma11_bf16(const struct mat *o, struct wmma_pair *w)
{
	wmma_halves(o, w, 7, true, false, false);
}

static noinline void wmma12_f32_f16(const struct mat *o, struct wmma_pair *w)
{
	wmma_halves(o, w, 10, false, true, false);
}

static noinline void wmma12_f32_bf16(const struct mat *o, struct wmma_pair *w)
{
	wmma_halves(o, w, 7, false, true, false);
}

static noinline void wmma12_f16(const struct mat *o, struct wmma_pair *w)
{
	wmma_halves(o, w, 10, true, true, false);
}

static noinline void wmma12_bf16(const struct mat *o, struct wmma_pair *w)
{
	wmma_halves(o, w, 7, true, true, false);
}

static noinline void swmmac_f32_f16(const struct mat *o, struct wmma_pair *w)
{
	wmma_halves(o, w, 10, false, true, true);
}

static noinline void swmmac_f32_bf16(const struct mat *o, struct wmma_pair *w)
{
	wmma_halves(o, w, 7, false, true, true);
}

static noinline void swmmac_f16(const struct mat *o, struct wmma_pair *w)
{
	wmma_halves(o, w, 10, true, true, true);
}

static noinline void swmmac_bf16(const struct mat *o, struct wmma_pair *w)
{
	wmma_halves(o, w, 7, true, true, true);
}

enum wmma_family { WMMA_GFX11, WMMA_GFX12, WMMA_SPARSE, WMMA_FAMILIES };

/* Is the result narrow, has A bfloat16s */
static const wmma_fn wmma_fns[WMMA_FAMILIES][2][2] = {
	{ { wmma11_f32_f16, wmma11_f32_bf16 }, { wmma11_f16, wmma11_bf16 } },
	{ { wmma12_f32_f16, wmma12_f32_bf16 }, { wmma12_f16, wmma12_bf16 } },
	{ { swmmac_f32_f16, swmmac_f32_bf16 }, { swmmac_f16, swmmac_bf16 } },
};

static bool wmma_is_narrow(const struct mat_shape *sh)
{
	return sh->kind == MAT_KIND_WMMA_16 || sh->kind == MAT_KIND_SWMMAC_16;
}

static bool wmma_is_integer(const struct mat_shape *sh)
{
	return sh->kind == MAT_KIND_WMMA_INT || sh->kind == MAT_KIND_SWMMAC_INT;
}

static bool wmma_is_sparse(const struct mat_shape *sh)
{
	return sh->kind >= MAT_KIND_SWMMAC_F32;
}

/* NULL: integers, or floats of 8 bits */
static wmma_fn wmma_find(const struct mat_shape *sh, enum wmma_family family)
{
	if (wmma_is_integer(sh) || (sh->a != MAT_F16 && sh->a != MAT_BF16))
		return NULL;
	return wmma_fns[family][wmma_is_narrow(sh)][sh->a == MAT_BF16];
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
		      VI constant, u32 *d)
{
	const bool narrow = wmma_is_narrow(o->sh), clamp = o->i->mods & ISA_MOD_CLAMP;
	u32 shift = o->i->opsel & 4 ? 16 : 0, top = narrow ? 15 : 31, h;
	struct wmma_pair w LANE_SCRATCH;

	for (h = 0; h < 2; h++, l += VW) {
		VI x = c ? vi_load(c + l) : constant;

		w.m[h] = row * (lanes / WMMA_SIDE) + l / WMMA_SIDE;
		w.n[h] = l % WMMA_SIDE;
		if (narrow)
			x = vi_and(vi_srlv(x, vi_splat(shift)), vi_splat(0xffff));
		w.c[h] = fn ? wmma_signs(o->i, x, top) :
			      wmma_add(x, wmma_pairs(o, w.m[h], w.n[h], 0, o->sh->k / 2), clamp);
	}
	if (fn)
		fn(o, &w);
	for (h = 0, l -= 2 * VW; h < 2; h++, l += VW) {
		VI x = w.c[h];

		if (narrow)	/* The other half stays */
			x = vi_or(vi_and(vi_load(d + l), vi_splat(0xffff0000 >> shift)),
				  vi_sllv(x, vi_splat(shift)));
		vi_store(d + l, x);
	}
}

static void wmma_stage(struct isa_wave *w, struct mat *o)
{
	const struct isa_insn *i = o->i;
	u32 n;

	o->a = w->cu->mat;
	o->b = o->a + WMMA_ELEMENTS;
	o->ovfl = w->mode & ISA_MODE_FP16_OVFL;
	for (n = 0; n < 2; n++) {
		struct wmma_operand f = {
			.s = lane_row(w, i->src[n]), .dwords = WMMA_SIDE / 2, .groups = 1,
			.piece = WMMA_SIDE / 2,
		};
		u32 signs = (i->neg >> n & 1) | (i->abs >> n & 1) << 1;

		if (o->sh->kind == MAT_KIND_WMMA_INT) {
			f.dwords = o->sh->a == MAT_IU8 ? 4 : 2;
			wmma_stage_integers(&f, o->sh->a, i->neg >> n & 1, n ? o->b : o->a);
		} else if (o->sh->a == MAT_F16) {
			o->special |= wmma_stage_halves(&f, wmma_places(o->a, n), signs, 10, false);
		} else {
			o->special |= wmma_stage_halves(&f, wmma_places(o->a, n), signs, 7, true);
		}
	}
}

static enum isa_stop wmma_exec(struct isa_wave *w, const struct isa_insn *i)
{
	struct mat o = { .sh = &mat_shapes[isa_slot_of(i)->aux & 0xff], .i = i };
	unsigned int out = wmma_is_narrow(o.sh) ? o.sh->a : MAT_F32;
	u32 rows = WMMA_ELEMENTS / w->lanes, code = i->src[2], n, l;
	const u32 *c = code < ISA_SRC_VGPR0 ? NULL : lane_row(w, code);
	VI constant = vi_splat(c ? 0 : wmma_constant(w, i, out));
	wmma_fn fn = wmma_find(o.sh, WMMA_GFX11);
	u32 *d = lane_row(w, i->dst);

	lane_set_mxcsr(MAT_MXCSR_FLUSH);
	wmma_stage(w, &o);
	/* Where C lies below D, its last registers are read before they are overwritten. */
	for (n = 0; n < rows; n++) {
		u32 r = c && d > c ? rows - 1 - n : n;

		for (l = 0; l < w->lanes; l += 2 * VW)
			wmma_step(&o, fn, w->lanes, r, l, c ? c + r * ISA_LANES : NULL, constant,
				  d + r * ISA_LANES);
	}
	lane_mode_f32(w);
	return isa_charge(w, mat_cost(o.sh) * (fn ? WMMA_DEAR : 1));
}

/* Modifiers that nobody has described are refused, and so are SGPRs and literals. */
static bool wmma_bind(struct isa_insn *i, const struct mat_shape *sh)
{
	const bool half = wmma_is_narrow(sh), integer = wmma_is_integer(sh);
	const u32 c = i->src[2];

	if ((i->opsel & ~(half ? 4u : 0)) != 0x70 || (integer && (i->abs || i->neg & 4)))
		return false;
	if (c < ISA_SRC_VGPR0 && !lane_is_fconst(c) &&
	    (c < ISA_SRC_INT0 || c >= ISA_SRC_SHARED_BASE))
		return false;
	isa_bind_to(i, wmma_exec, wmma_exec);
	return true;
}
