/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gfx12: WMMA, and SWMMAC, of which A has two of each four elements along k: D = A * B + D.
 *
 * Each sixteen of a wave's lanes has its own part of k, and registers of C and D have rows that
 * follow each other: the first eight in the lower sixteen lanes of 32, two in a register if they
 * have 16 bits; of 64 lanes, the four sixteens have rows from 0, 8, 4 and 12 on. Of halves and
 * bfloat16s, sixteens take turns along k, with two dwords of A each (SWMMAC: four of B); of bytes
 * and nibbles, each has a part of its own, those of 64 lanes in the order 0, 2, 1, 3. Nibbles of
 * WMMA_16X16X16, and of A of SWMMAC_16X16X32, are in the first 32 lanes.
 *
 * The index of SWMMAC has two bits for each element of A, in the lane that has the element; lanes
 * with less than 16 elements have several sets in a VGPR, of which op_sel picks one. Signs of B
 * (neg_lo and neg_hi) are by the place of the element of A.
 *
 * Sources: AMD matrix instruction calculator, RDNA4; llama.cpp's kernels for gfx12 (mma.cuh); what
 * AMD measured on an R9700, as bjacob/goc has it (rdna4_wmma*, rdna4_swmmac*), and rocjitsu's tests
 * for that hardware (fpsan, int_isa; shared/mma/layout.h).
 *
 * Integers that clamp do so two times (measured, 32 lanes): after the products of the lower
 * sixteen lanes and after those of the upper. Where waves of 64 lanes do it, nobody has measured:
 * they are refused if it matters.
 *
 * Halves and bfloat16s of WMMA are summed in four steps in the order in which they are unpacked
 * here (measured); those of SWMMAC are taken to be, too. How floats of 8 bits are summed, no source
 * says: here one product after the other along k on C, exact, each sum rounded to float and
 * denormals flushed.
 */

#define WMMA_PICKS	(3 * (WMMA_STRIDE(0) + WMMA_STRIDE(1)))	/* in isa_cu.mat, u16 */
#define WMMA_MOST	(4 * WMMA_ELEMENTS)	/* elements of B of a SWMMAC, one to a dword */

static u32 wmma12_bits(unsigned int type)
{
	return type == MAT_IU4 ? 4 : mat_bits(type);
}

static struct wmma_operand
wmma12_operand(struct isa_wave *w, const struct mat *o, unsigned int src)
{
	const u32 bits = wmma12_bits(o->sh->a), all = w->lanes / WMMA_SIDE;
	const bool half = wmma_is_sparse(o->sh) && !src;
	struct wmma_operand f = {
		.s = lane_row(w, o->i->src[src]),
		.dwords = bits * (half ? o->sh->k / 2 : o->sh->k) / 32,
	};

	f.groups = f.dwords < all ? f.dwords : all;
	f.piece = f.dwords / f.groups;
	if (bits == 16)
		f.piece = f.dwords / 4;
	else
		f.swapped = f.groups == 4;
	return f;
}

/* Floats of 8 bits, four to a register; they have no signs. */
static __always_inline void
wmma12_stage_bytes(const struct wmma_operand *f, unsigned int type, u32 *to)
{
	u32 r, l, n;

	for (r = 0; r < f->dwords; r++)
		for (l = 0; l < WMMA_SIDE; l += VW) {
			VI x = vi_load(wmma_dword(f, r) + l), e;
			VM special;

			for (n = 0; n < 4; n++)
				vi_store(to + (4 * r + n) * WMMA_SIDE + l,
					 mat_value(x, type, n, &e, &special));
		}
}

/* Integers, one to a dword, of which the upper half is 0 */
static void wmma12_stage_singles(const struct wmma_operand *f, u32 bits, bool sign, u32 *to)
{
	u32 r, l, at;

	for (r = 0; r < f->dwords; r++)
		for (l = 0; l < WMMA_SIDE; l += VW) {
			VI x = vi_load(wmma_dword(f, r) + l);
			u32 *t = to + r * 32 / bits * WMMA_SIDE + l;

			for (at = 0; at < 32; at += bits, t += WMMA_SIDE) {
				VI up = vi_sllv(x, vi_splat(32 - bits - at)), v;

				v = sign ? vi_srav(up, vi_splat(32 - bits)) :
					   vi_srlv(up, vi_splat(32 - bits));
				vi_store(t, vi_and(v, vi_splat(0xffff)));
			}
		}
}

/* Which elements of B those of A meet */
static void swmmac_picks(struct isa_wave *w, struct mat *o, const struct wmma_operand *a)
{
	const u32 bits = wmma12_bits(o->sh->a), per = 32 / bits, *index = lane_row(w, o->i->src[2]);
	/* Elements of a lane, and the first of the bits of its set */
	const u32 own = a->dwords / a->groups * per, first = (o->i->opsel & 3) * 2 * own;
	u32 m, r, n;

	o->k = o->sh->k / 2;
	for (r = 0; r < a->dwords; r++) {
		u32 at = (u32)(wmma_dword(a, r) - a->s), reg = at / ISA_LANES;

		for (m = 0; m < WMMA_SIDE; m++) {
			u32 set = index[at % ISA_LANES + m] >> first >> 2 * per * reg;
			u16 *p = o->pick + m * o->k + r * per;

			for (n = 0; n < per; n++)
				p[n] = (u16)((r * per + n) / 2 * 4 + (set >> 2 * n & 3));
		}
	}
}

static void wmma12_stage_one(struct mat *o, unsigned int src, const struct wmma_operand *f)
{
	const struct isa_insn *i = o->i;
	const unsigned int type = src ? o->sh->b : o->sh->a;
	const bool sparse = wmma_is_sparse(o->sh);
	u32 *to = src ? o->b : o->a, signs = (i->neg >> src & 1) | (i->abs >> src & 1) << 1;

	/* The sign of a product: A's element has that which B's would get, too. */
	if (sparse && src)
		signs = 0;
	else if (sparse)
		signs ^= (i->neg >> 1 & 1) | (i->abs >> 1 & 1) << 1;
	if (wmma_is_integer(o->sh) && sparse && src)
		wmma12_stage_singles(f, wmma12_bits(type), i->neg >> src & 1, to);
	else if (wmma_is_integer(o->sh))
		wmma_stage_integers(f, type, i->neg >> src & 1, to);
	else if (type == MAT_OCP_FP8)
		wmma12_stage_bytes(f, MAT_OCP_FP8, to);
	else if (type == MAT_OCP_BF8)
		wmma12_stage_bytes(f, MAT_OCP_BF8, to);
	else if (type == MAT_F16)
		o->special |= wmma_stage_halves(f, wmma_places(o->a, src), signs, 10, false);
	else
		o->special |= wmma_stage_halves(f, wmma_places(o->a, src), signs, 7, false);
}

static void wmma12_stage(struct isa_wave *w, struct mat *o)
{
	u32 n;

	BUILD_BUG_ON(WMMA_PICKS + WMMA_SIDE * 32 / 2 > ISA_MAT_DWORDS ||
		     WMMA_ELEMENTS + WMMA_MOST > WMMA_PICKS);
	o->a = w->cu->mat;
	o->b = o->a + WMMA_ELEMENTS;
	o->ovfl = w->mode & ISA_MODE_FP16_OVFL;
	for (n = 0; n < 2; n++) {
		struct wmma_operand f = wmma12_operand(w, o, n);

		if (!n && wmma_is_sparse(o->sh)) {
			o->pick = (u16 *)(o->a + WMMA_PICKS);
			swmmac_picks(w, o, &f);
		}
		wmma12_stage_one(o, n, &f);
	}
}

/* Row @m of A times the columns from @n on, of floats of 8 bits */
static __always_inline VI wmma12_bytes(const struct mat *o, u32 m, u32 n, VI c)
{
	const u32 elements = o->pick ? o->k : o->sh->k;
	u32 k;

	for (k = 0; k < elements; k++) {
		u32 kb = o->pick ? o->pick[m * o->k + k] : k;

		c = vf_fma(vi_splat(o->a[k * WMMA_SIDE + m]), vi_load(o->b + kb * WMMA_SIDE + n),
			   c);
	}
	return mat_canon(c);
}

/* The same of pairs of integers that meet those of B which o->pick says */
static __always_inline VI swmmac_pairs(const struct mat *o, u32 m, u32 n, u32 k, u32 end)
{
	const u16 *pick = o->pick + m * o->k;
	VI sum = vi_zero();

	for (; k < end; k++) {
		VI x = vi_load(o->b + pick[2 * k] * WMMA_SIDE + n);
		VI y = vi_load(o->b + pick[2 * k + 1] * WMMA_SIDE + n);

		sum = vi_add(sum, vi_madd(vi_splat(o->a[k * WMMA_SIDE + m]),
					  vi_or(x, vi_slli(y, 16))));
	}
	return sum;
}

static __always_inline VI wmma12_integers(const struct mat *o, u32 m, u32 n, VI c)
{
	const bool clamp = o->i->mods & ISA_MOD_CLAMP;
	const u32 pairs = (o->pick ? o->k : o->sh->k) / 2;
	u32 k;

	for (k = 0; k < pairs; k += pairs / 2)
		c = wmma_add(c, o->pick ? swmmac_pairs(o, m, n, k, k + pairs / 2) :
					  wmma_pairs(o, m, n, k, k + pairs / 2), clamp);
	return c;
}

/* The first row of a register of C and D, where the lane @l has it */
static u32 wmma12_row(u32 lanes, u32 l)
{
	return l / WMMA_SIDE % 2 * 8 + (lanes == 64 ? l / 32 * 4 : 0);
}

/* The product of pair @k of row @m and column @n, and its elements' signs apart */
static void wmma12_split(const struct mat *o, u32 m, u32 n, u32 k, s64 *plus, s64 *minus)
{
	u32 a = o->a[k * WMMA_SIDE + m], h;

	for (h = 0; h < 2; h++) {
		u32 b = o->pick ? o->b[o->pick[m * o->k + 2 * k + h] * WMMA_SIDE + n] :
				  o->b[k * WMMA_SIDE + n] >> 16 * h;
		s32 x = (s32)(s16)(a >> 16 * h) * (s16)b;

		*(x < 0 ? minus : plus) += x;
	}
}

/* Is the result of a sum that is clamped the same wherever along k that happens? */
static bool wmma12_clamp_known(const struct isa_wave *w, const struct mat *o, const u32 *c,
			       u32 constant)
{
	const u32 pairs = (o->pick ? o->k : o->sh->k) / 2;
	u32 l, r, k;

	for (l = 0; l < w->lanes; l++)
		for (r = 0; r < WMMA_ELEMENTS / w->lanes; r++) {
			s64 plus = (s32)(c ? c[r * ISA_LANES + l] : constant), minus = plus;
			s64 up = 0, down = 0;

			for (k = 0; k < pairs; k++)
				wmma12_split(o, wmma12_row(w->lanes, l) + r, l % WMMA_SIDE, k, &up,
					     &down);
			plus += up;
			minus += down;
			if (up && down && (plus > 0x7fffffff || minus < -0x80000000ll))
				return false;
		}
	return true;
}

static VI wmma12_two(const struct mat *o, wmma_fn fn, u32 m, u32 n, VI c)
{
	struct wmma_pair w = {
		.m = { m, m + 1 }, .n = { n, n },
		.c = { wmma_signs(o->i, vi_and(c, vi_splat(0xffff)), 15),
		       wmma_signs(o->i, vi_srli(c, 16), 15) },
	};

	fn(o, &w);
	return vi_or(w.c[0], vi_slli(w.c[1], 16));
}

/**
 * struct wmma12_run - a WMMA or SWMMAC being run
 * @o: operands
 * @fn: see wmma_find()
 * @c,@d: registers of C and D; @c: NULL: @constant
 * @lanes: of the wave
 */
struct wmma12_run {
	struct mat o;
	wmma_fn fn;
	const u32 *c;
	u32 *d, lanes;
	VI constant;
};

/* Floats: register @r of the lanes from @l on, twice VW */
static __always_inline void wmma12_floats(const struct wmma12_run *x, u32 r, u32 l)
{
	struct wmma_pair w LANE_SCRATCH;
	u32 h, at = r * ISA_LANES + l;

	for (h = 0; h < 2; h++) {
		w.m[h] = wmma12_row(x->lanes, l + h * VW) + r;
		w.n[h] = (l + h * VW) % WMMA_SIDE;
		w.c[h] = wmma_signs(x->o.i, x->c ? vi_load(x->c + at + h * VW) : x->constant, 31);
	}
	x->fn(&x->o, &w);
	for (h = 0; h < 2; h++)
		vi_store(x->d + at + h * VW, w.c[h]);
}

/* Register @r of the lanes from @l on, VW */
static __always_inline void wmma12_others(const struct wmma12_run *x, u32 r, u32 l)
{
	const bool narrow = wmma_is_narrow(x->o.sh);
	u32 m = wmma12_row(x->lanes, l) + (narrow ? 2 * r : r), n = l % WMMA_SIDE;
	VI c = x->c ? vi_load(x->c + r * ISA_LANES + l) : x->constant;

	if (narrow)
		c = wmma12_two(&x->o, x->fn, m, n, c);
	else if (wmma_is_integer(x->o.sh))
		c = wmma12_integers(&x->o, m, n, c);
	else
		c = wmma12_bytes(&x->o, m, n, wmma_signs(x->o.i, c, 31));
	vi_store(x->d + r * ISA_LANES + l, c);
}

static enum isa_stop wmma12_exec(struct isa_wave *w, const struct isa_insn *i)
{
	const struct mat_shape *sh = &mat_shapes[isa_slot_of(i)->aux & 0xff];
	const bool sparse = wmma_is_sparse(sh), narrow = wmma_is_narrow(sh);
	const u32 code = sparse ? i->dst : i->src[2];
	const u32 constant = code < ISA_SRC_VGPR0 ? wmma_constant(w, i, MAT_F32) : 0;
	struct wmma12_run x = {
		.o = { .sh = sh, .i = i }, .fn = wmma_find(sh, sparse ? WMMA_SPARSE : WMMA_GFX12),
		.c = code < ISA_SRC_VGPR0 ? NULL : lane_row(w, code), .d = lane_row(w, i->dst),
		.lanes = w->lanes, .constant = vi_splat(constant),
	};
	const u32 rows = WMMA_ELEMENTS / w->lanes / (narrow ? 2 : 1);
	u32 n, l;

	lane_set_mxcsr(MAT_MXCSR_FLUSH);
	wmma12_stage(w, &x.o);
	if (i->mods & ISA_MOD_CLAMP && w->lanes == 64 &&
	    !wmma12_clamp_known(w, &x.o, x.c, constant)) {
		lane_mode_f32(w);
		return isa_exec_illegal(w, i);
	}
	for (n = 0; n < rows; n++) {
		u32 r = x.c && x.d > x.c ? rows - 1 - n : n;

		if (x.fn && !narrow)
			for (l = 0; l < w->lanes; l += 2 * VW)
				wmma12_floats(&x, r, l);
		else
			for (l = 0; l < w->lanes; l += VW)
				wmma12_others(&x, r, l);
	}
	lane_mode_f32(w);
	return isa_charge(w, mat_cost(sh) * (x.fn ? WMMA_DEAR : 1));
}

/* Modifiers that nobody has described are refused, and so are SGPRs and literals. */
static bool wmma12_bind(struct isa_insn *i, const struct mat_shape *sh)
{
	const bool sparse = wmma_is_sparse(sh);
	const u32 c = i->src[2];

	if ((i->opsel & ~(sparse ? 3u : 0)) != 0x70 ||
	    (wmma_is_integer(sh) && (i->abs || i->neg & 4)))
		return false;
	if (c < ISA_SRC_VGPR0 &&
	    (sparse || (!lane_is_fconst(c) && (c < ISA_SRC_INT0 || c >= ISA_SRC_SHARED_BASE))))
		return false;
	/* Which halves a constant is in, no source says; 0 is in both. */
	if (wmma_is_narrow(sh) && c < ISA_SRC_VGPR0 && c != ISA_SRC_INT0)
		return false;
	isa_bind_to(i, wmma12_exec, wmma12_exec);
	return true;
}
