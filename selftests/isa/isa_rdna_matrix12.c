// SPDX-License-Identifier: MIT
/*
 * References of isa_rdna for WMMA and SWMMAC of gfx12, and what an R9700 gave, as bjacob/goc has
 * it. Where elements lie is written down here as rocjitsu's tests for that hardware have it, which
 * is not how the interpreter unpacks them. Sums of floats of 8 bits are exact in long double: of a
 * float and a product of two elements, where they are too far apart to be, what is lost is not a
 * tie.
 */
#include <math.h>
#include "isa_rdna_matrix.h"

#define MI	34u	/* the VGPR of the index */

static const struct matrix12_op {
	struct matrix_op op;
	u32 k;
	bool sparse;
} ops[] = {
	{ { "v_wmma_f32_16x16x16_f16", F16, F32, 0 }, 16, false },
	{ { "v_wmma_f32_16x16x16_bf16", BF16, F32, 0 }, 16, false },
	{ { "v_wmma_f16_16x16x16_f16", F16, F16, 0 }, 16, false },
	{ { "v_wmma_bf16_16x16x16_bf16", BF16, BF16, 0 }, 16, false },
	{ { "v_wmma_f32_16x16x16_fp8_fp8", FP8, F32, FP8 }, 16, false },
	{ { "v_wmma_f32_16x16x16_fp8_bf8", FP8, F32, BF8 }, 16, false },
	{ { "v_wmma_f32_16x16x16_bf8_fp8", BF8, F32, FP8 }, 16, false },
	{ { "v_wmma_f32_16x16x16_bf8_bf8", BF8, F32, BF8 }, 16, false },
	{ { "v_wmma_i32_16x16x16_iu8", U8, I32, 0 }, 16, false },
	{ { "v_wmma_i32_16x16x16_iu4", U4, I32, 0 }, 16, false },
	{ { "v_wmma_i32_16x16x32_iu4", U4, I32, 0 }, 32, false },
	{ { "v_swmmac_f32_16x16x32_f16", F16, F32, 0 }, 32, true },
	{ { "v_swmmac_f32_16x16x32_bf16", BF16, F32, 0 }, 32, true },
	{ { "v_swmmac_f16_16x16x32_f16", F16, F16, 0 }, 32, true },
	{ { "v_swmmac_bf16_16x16x32_bf16", BF16, BF16, 0 }, 32, true },
	{ { "v_swmmac_f32_16x16x32_fp8_fp8", FP8, F32, FP8 }, 32, true },
	{ { "v_swmmac_f32_16x16x32_fp8_bf8", FP8, F32, BF8 }, 32, true },
	{ { "v_swmmac_f32_16x16x32_bf8_fp8", BF8, F32, FP8 }, 32, true },
	{ { "v_swmmac_f32_16x16x32_bf8_bf8", BF8, F32, BF8 }, 32, true },
	{ { "v_swmmac_i32_16x16x32_iu8", U8, I32, 0 }, 32, true },
	{ { "v_swmmac_i32_16x16x32_iu4", U4, I32, 0 }, 32, true },
	{ { "v_swmmac_i32_16x16x64_iu4", U4, I32, 0 }, 64, true },
};

/**
 * struct matrix12 - operands of a case
 * @x: what is done
 * @c: modifiers, lanes
 * @key: of the index
 * @v: registers as they were
 */
struct matrix12 {
	const struct matrix12_op *x;
	struct matrix_case c;
	u32 key;
	const u32 *v;
};

static enum type type_b(const struct matrix_op *op)
{
	return op->in_b ? op->in_b : op->in;
}

static u32 along(const struct matrix12_op *x, bool b)
{
	return x->sparse && !b ? x->k / 2 : x->k;
}

/* ---- where an element is ---- */

struct place {
	u32 group, slot;	/* of sixteen lanes; the number of the element in its lanes */
};

static u32 swapped(u32 block)
{
	return (block & 1) << 1 | block >> 1;
}

static struct place place_halves(const struct matrix12 *m, bool b, u32 k)
{
	if (m->x->sparse && b)
		return m->c.lanes == 64 ? (struct place){ k / 8, k % 8 } :
					  (struct place){ k / 8 & 1, k / 16 * 8 + k % 8 };
	if (m->c.lanes == 64)
		return (struct place){ k / 4, k % 4 };
	if (m->x->sparse)
		return (struct place){ k / 4 & 1, k / 8 * 4 + k % 4 };
	return (struct place){ k / 8, k % 8 };
}

static struct place place_bytes(const struct matrix12 *m, bool b, u32 k)
{
	const u32 own = along(m->x, b) / (m->c.lanes / 16);

	return (struct place){ m->c.lanes == 64 ? swapped(k / own) : k / own, k % own };
}

static struct place place_nibbles(const struct matrix12 *m, bool b, u32 k)
{
	const u32 n = along(m->x, b), piece = n == 64 || (n == 32 && b && m->x->k == 64) ? 16 : 8;

	if (n == 16)		/* of the first 32 lanes */
		return (struct place){ k / 8, k % 8 };
	if (m->c.lanes == 64)
		return (struct place){ swapped(k / (n / 4)), k % (n / 4) };
	if (m->x->k == 64 || !m->x->sparse)
		return (struct place){ k / piece & 1, k / piece / 2 * piece + k % piece };
	return (struct place){ k / 16, k % 16 };
}

static struct place place(const struct matrix12 *m, bool b, u32 k)
{
	const u32 bits = matrix_width(m->x->op.in);

	return bits == 16 ? place_halves(m, b, k) : bits == 8 ? place_bytes(m, b, k) :
								place_nibbles(m, b, k);
}

/* Element @k of the row of A or the column of B @n */
static u32 element(const struct matrix12 *m, bool b, u32 n, u32 k)
{
	const u32 bits = matrix_width(m->x->op.in), per = 32 / bits;
	struct place p = place(m, b, k);

	return m->v[((b ? MB : MA) + p.slot / per) * ISA_LANES + 16 * p.group + n] >>
	       p.slot % per * bits & (~0u >> (32 - bits));
}

/* Bits of a set of the index */
static u32 set_bits(const struct matrix12_op *x, u32 lanes)
{
	u32 bits = matrix_width(x->op.in), dwords = x->k / 2 * bits / 32, groups = lanes / 16;

	return 2 * (x->k / 2) / (dwords < groups ? dwords : groups);
}

/* What element @k of row @n of A meets */
static u32 meets(const struct matrix12 *m, u32 n, u32 k)
{
	struct place p = place(m, false, k);
	u32 set;

	if (!m->x->sparse)
		return k;
	set = m->v[MI * ISA_LANES + 16 * p.group + n] >> m->key * set_bits(m->x, m->c.lanes);
	return k / 2 * 4 + (set >> 2 * p.slot & 3);
}

/* ---- sums ---- */

static s64 product(const struct matrix12 *m, u32 row, u32 col, u32 k)
{
	u32 bits = matrix_width(m->x->op.in);
	u32 a = element(m, false, row, k), b = element(m, true, col, meets(m, row, k));
	s64 x = a, y = b;

	if (m->c.neg_lo & 1 && a >> (bits - 1))
		x -= 1ll << bits;
	if (m->c.neg_lo & 2 && b >> (bits - 1))
		y -= 1ll << bits;
	return x * y;
}

static s64 clamped(s64 x)
{
	return x > 0x7fffffff ? 0x7fffffff : x < -0x80000000ll ? -0x80000000ll : x;
}

/* *@known: is it the same wherever waves of 64 lanes clamp? */
static u32 dot_integers(const struct matrix12 *m, u32 row, u32 col, u32 add, bool *known)
{
	const u32 n = along(m->x, false);
	s64 sum = (s32)add, plus = 0, minus = 0;
	u32 half, k;

	for (half = 0; half < 2; half++) {
		for (k = 0; k < n; k++)
			if ((place(m, false, k).group & 1) == half)
				sum += product(m, row, col, k);
		if (m->c.clamp)
			sum = clamped(sum);
	}
	for (k = 0; k < n; k++) {
		s64 p = product(m, row, col, k);

		*(p < 0 ? &minus : &plus) += p;
	}
	if (m->c.clamp && m->c.lanes == 64 && plus && minus &&
	    ((s32)add + plus > 0x7fffffff || (s32)add + minus < -0x80000000ll))
		*known = false;
	return (u32)sum;
}

static u32 signs(const struct matrix12 *m, u32 add, u32 top)
{
	if (m->x->sparse)
		return add;
	if (m->c.neg_hi & 4)
		add &= ~(1u << top);
	return m->c.neg_lo & 4 ? add ^ 1u << top : add;
}

static u32 dot_halves(const struct matrix12 *m, u32 row, u32 col, u32 add)
{
	static const u8 dense32[] = { 0, 8, 4, 12 }, others[] = { 0, 4, 8, 12 };
	const u8 *order = m->x->sparse || m->c.lanes == 64 ? others : dense32;
	const u32 top = matrix_width(m->x->op.out) - 1;
	struct dot_step s = {
		.ta = m->x->op.in == BF16 ? DOT_BFLOAT : DOT_HALF, .n = 4, .narrow = top == 15,
		.gfx12 = true,
	};
	u32 step, j;

	s.tb = s.ta;
	add = signs(m, add, top);
	for (step = 0; step < 4; step++) {
		for (j = 0; j < 4; j++) {
			u32 k = order[step] + j, neg = k & 1 ? m->c.neg_hi : m->c.neg_lo;

			s.a[j] = element(m, false, row, k) ^ (neg & 1) << 15;
			s.b[j] = element(m, true, col, meets(m, row, k)) ^ (neg >> 1 & 1) << 15;
		}
		s.c = add;
		add = rdna_dot(&s);
	}
	return add;
}

static u32 dot_floats(const struct matrix12 *m, u32 row, u32 col, u32 add)
{
	long double sum = matrix_number(F32, signs(m, add, 31));
	u32 k;

	for (k = 0; k < along(m->x, false); k++)
		sum = matrix_as_float(matrix_number(m->x->op.in, element(m, false, row, k)) *
				      matrix_number(type_b(&m->x->op),
						    element(m, true, col, meets(m, row, k))) +
				      sum);
	return matrix_float_bits(sum);
}

static u32 dot(const struct matrix12 *m, u32 row, u32 col, u32 add, bool *known)
{
	if (m->x->op.out == I32)
		return dot_integers(m, row, col, add, known);
	return matrix_width(m->x->op.in) == 16 ? dot_halves(m, row, col, add) :
						 dot_floats(m, row, col, add);
}

/* ---- cases ---- */

static void encode(const struct isa_target *t, u32 op, const struct matrix12 *m, u32 *w)
{
	const struct matrix_case *c = &m->c;

	w[0] = rdna_format(t, ISA_ENC_VOP3P)->match | op << rdna_format(t, ISA_ENC_VOP3P)->lo;
	w[0] |= D | c->neg_hi << 8 | m->key << 11 | 1u << 14 | (u32)c->clamp << 15;
	w[1] = (256 + MA) | (256 + MB) << 9 | 3u << 27 | c->neg_lo << 29;
	w[1] |= (m->x->sparse ? 256 + MI : c->constant ? c->c : 256 + c->c) << 18;
	w[2] = NOP;
	w[3] = NOP;
}

static void fill(struct rig *r, const struct matrix12 *m, u32 kind)
{
	const struct matrix_op *op = &m->x->op;
	u32 n, l, rows = 8 / (m->c.lanes / 32);

	matrix_fill(r, MA, 4, op->in, kind, false);
	matrix_fill(r, MB, 8, type_b(op), kind, false);
	if (m->c.constant)
		return;
	matrix_fill(r, m->c.c, rows, op->out, kind == 2 ? 2 : kind % 4, false);
	for (n = 0; m->c.clamp && n < rows; n++)
		for (l = 0; l < ISA_LANES; l++) {
			static const u32 limits[] = { 0x7fffffff, 0x80000000, 0x7fffff80,
						      0x80000080, 5 };

			rdna_row(r, m->c.c + n)[l] = limits[rdna_random() % (kind ? 5 : 1)];
		}
}

/* Registers as they are afterwards; false: that is not known */
static bool expected(const struct matrix12 *m, u32 *want)
{
	const u32 halves = matrix_width(m->x->op.out) == 16 ? 2 : 1;
	u32 n, l, h, rows = 256 / m->c.lanes / halves;
	bool known = true;

	memcpy(want, m->v, 64 * ISA_LANES * sizeof(u32));
	for (n = 0; n < rows; n++)
		for (l = 0; l < m->c.lanes; l++) {
			u32 first = (l / 16 & 1) * 8 + (m->c.lanes == 64 ? l / 32 * 4 : 0), x = 0;
			u32 old = m->c.constant ? matrix_constant(&m->x->op, m->c.c) :
						  m->v[(m->c.c + n) * ISA_LANES + l];

			for (h = 0; h < halves; h++)
				x |= dot(m, first + n * halves + h, l % 16,
					 halves == 2 ? old >> 16 * h & 0xffff : old, &known) <<
				     16 * h;
			want[(D + n) * ISA_LANES + l] = x;
		}
	return known;
}

static bool run(struct rig *r, const struct isa_target *t, u32 number, struct matrix12 *m, u32 kind)
{
	static u32 before[64 * ISA_LANES], want[64 * ISA_LANES];
	u32 w[4], n, last;
	bool known;

	encode(t, number, m, w);
	rdna_prepare(r, w, m->c.lanes, m->c.exec, rdna_random());
	fill(r, m, kind);
	memcpy(before, r->vgprs, sizeof(before));
	m->v = before;
	known = expected(m, want);
	last = rig_run(r, 1);
	if (!known) {
		memcpy(want, before, sizeof(want));
		if (last != ISA_STOP_ILLEGAL)
			return rdna_tell(m->x->op.name, "a sum that is not known", last,
					 ISA_STOP_ILLEGAL);
	} else if (last != ISA_STOP_BUDGET) {
		return rdna_tell(m->x->op.name, "the stop", last, ISA_STOP_BUDGET);
	}
	for (n = 0; n < 64 * ISA_LANES; n++)
		if (n % ISA_LANES < m->c.lanes && r->vgprs[n] != want[n]) {
			printf("# %u lanes: v%u lane %u, case %u, C %u%s, neg %u %u, key %u\n",
			       m->c.lanes, n / ISA_LANES, n % ISA_LANES, kind, m->c.c,
			       m->c.constant ? " (constant)" : "", m->c.neg_lo, m->c.neg_hi,
			       m->key);
			return rdna_tell(m->x->op.name, "an element", r->vgprs[n], want[n]);
		}
	return true;
}

/* Modifiers that there are not, registers that the wave does not have */
static bool refuses(struct rig *r, const struct isa_target *t, const struct matrix12_op *x,
		    u32 number, u32 lanes)
{
	const u32 rows = 256 / lanes / (matrix_width(x->op.out) == 16 ? 2 : 1);
	struct matrix12 m = {
		.x = x, .c = { .lanes = lanes, .c = x->sparse ? D : MC, .exec = ~0ull },
	};
	u32 w[4], n, last;

	for (n = 0; n < 5; n++) {
		m.key = n == 1 ? x->sparse ? 32 / set_bits(x, lanes) : 1 : 0;
		encode(t, number, &m, w);
		if (n == 0)
			w[1] &= ~(1u << 27);		/* op_sel_hi */
		else if (n == 2 && x->op.out == I32)
			w[0] |= 1u << 8;		/* neg_hi of integers */
		else if (n == 2)
			w[0] |= 1u << 15;		/* clamp of floats */
		else if (n > 2)
			w[0] = (w[0] & ~0xffu) | (n == 3 ? 65 - rows : 64 - rows);
		/* The fourth set is there, the fifth is none of op_sel. */
		if (n == 1 && m.key == 4)
			continue;
		rdna_prepare(r, w, lanes, ~0ull >> (64 - lanes), 5);
		last = rig_run(r, 1);
		if (last != (n == 4 ? ISA_STOP_BUDGET : ISA_STOP_ILLEGAL)) {
			printf("# %u lanes, case %u\n", lanes, n);
			return rdna_tell(x->op.name, "the stop", last, 0);
		}
	}
	return true;
}

/* ---- what was measured, in waves of 32 lanes ---- */

static u32 xorshift(u32 *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;
	return *x;
}

/* A register of elements of which @bits choose among five values */
static void choose(struct rig *r, u32 reg, u32 bits, const u16 *values, u32 *x)
{
	u32 l, at;

	for (l = 0; l < 32; l++)
		for (rdna_row(r, reg)[l] = 0, at = 0; at < 32; at += bits)
			rdna_row(r, reg)[l] |= (u32)values[xorshift(x) % 5] << at;
}

/* Whole numbers from -2 to 2, as floats */
static void small_floats(struct rig *r, u32 reg, u32 *x)
{
	u32 l;

	for (l = 0; l < 32; l++)
		rdna_row(r, reg)[l] = rdna_bits((float)((int)(xorshift(x) % 5) - 2));
}

static void indices(struct rig *r, u32 *x)
{
	static const u32 pairs[] = { 4, 8, 12, 9, 13, 14 };
	u32 l, n;

	for (l = 0; l < 32; l++)
		for (rdna_row(r, MI)[l] = 0, n = 0; n < 8; n++)
			rdna_row(r, MI)[l] |= pairs[xorshift(x) % 6] << 4 * n;
}

/* The operands of the first capture of each kind */
static void capture(struct rig *r, const struct matrix12_op *o)
{
	static const u16 halves[] = { 0xc000, 0xbc00, 0, 0x3c00, 0x4000 };
	static const u16 bfloats[] = { 0xc000, 0xbf80, 0, 0x3f80, 0x4000 };
	static const u16 fp8[] = { 0xc0, 0xb8, 0, 0x38, 0x40 };
	static const u16 bf8[] = { 0xc0, 0xbc, 0, 0x3c, 0x40 };
	static const u32 limits[] = { 0, 0x7fffffff, 0x80000000, ~0u, 0x7fffff80, 0x80000080 };
	const u16 *wide = o->op.in == BF16 ? bfloats : halves;
	u32 x = o->op.out == I32 ? 0xa3987412 : matrix_width(o->op.in) == 8 ? 0x7381a593 :
									      0x76895231;
	u32 n, l;

	for (n = 0; matrix_width(o->op.in) == 16 && n < 12; n++)
		choose(r, n < 4 ? MA + n : MB + n - 4, 16, wide, &x);
	for (n = 0; o->op.out == I32 && n < 6; n++)
		for (l = 0; l < 32; l++)
			rdna_row(r, n < 2 ? MA + n : MB + n - 2)[l] = xorshift(&x);
	for (n = 0; o->op.in >= FP8 && n < 6; n++)
		choose(r, n < 2 ? MA + n : MB + n - 2, 8,
		       (n < 2 ? o->op.in : type_b(&o->op)) == FP8 ? fp8 : bf8, &x);
	for (n = 0; n < (matrix_width(o->op.out) == 16 ? 4u : 8u); n++) {
		if (o->op.out == F32)
			small_floats(r, D + n, &x);
		else if (o->op.out != I32)
			choose(r, D + n, 16, wide, &x);
		for (l = 0; o->op.out == I32 && l < 32; l++)
			rdna_row(r, D + n)[l] = limits[xorshift(&x) % 6];
	}
	indices(r, &x);
}

/*
 * FNV-1a of D. Integers: with A signed and clamp, of all operands but A and B unsigned; then with
 * the second index. Floats: as they are, with neg_lo of A, with neg_hi of B, with the second index.
 */
static const struct {
	const char *name;
	u64 digest[4];
} captures[] = {
	{ "v_wmma_i32_16x16x16_iu8",
	  { 0xc22a903592e90cc5, 0x43941e67c622bb9b, 0xb855b9b808208ebc, 0x2aa9c2bda1bb03d4 } },
	{ "v_wmma_i32_16x16x16_iu4",
	  { 0x45e3e9eeda0777fc, 0xea725df600085d1e, 0x1e5c4923ce624b85, 0x5320671d7182f34b } },
	{ "v_wmma_i32_16x16x32_iu4",
	  { 0xe0b4bc60f0d3a29a, 0xc37d91857e4647d0, 0xa709643471aa8082, 0x4106be77a9c3ac78 } },
	{ "v_swmmac_i32_16x16x32_iu8",
	  { 0xba03d2325d398f4b, 0xdd5a7519d39dec9a, 0xae0c6d0eca7e804a, 0x3cbf3ef3497a8e14 } },
	{ "v_swmmac_i32_16x16x32_iu4",
	  { 0x13a79eb4193eff63, 0x475736b5f3b5e492, 0xe17d3ea40700ad9e, 0x92f292f04ac82c0a } },
	{ "v_swmmac_i32_16x16x64_iu4",
	  { 0x1e718c32534eec60, 0x6b89d71a00e486fd, 0x431afb0bbe7b5936, 0x054a93d1d97fe87e } },
	{ "v_swmmac_f32_16x16x32_f16",
	  { 0x74ec4aad31d980d5, 0x6c2fd60914252778, 0x62a14dc1b54f8c2d, 0x237dd767ee7e3caa } },
	{ "v_swmmac_f32_16x16x32_bf16",
	  { 0x74ec4aad31d980d5, 0x6c2fd60914252778, 0x62a14dc1b54f8c2d, 0x237dd767ee7e3caa } },
	{ "v_swmmac_f16_16x16x32_f16",
	  { 0x61abfe5a9cc44745, 0x9ee90db29cc263f8, 0xf2be843305efaaad, 0x1379b30d2ab30d4f } },
	{ "v_swmmac_bf16_16x16x32_bf16",
	  { 0x9644be509dfd8425, 0xd2dce19f9553f64b, 0x39b359fed5db8255, 0xa242f78f2a2ee32b } },
	{ "v_swmmac_f32_16x16x32_fp8_fp8", { 0x2f442f766c6f0b8a, 0, 0, 0xeb024bd6d2a5e5ab } },
	{ "v_swmmac_f32_16x16x32_fp8_bf8", { 0x2f442f766c6f0b8a, 0, 0, 0xeb024bd6d2a5e5ab } },
	{ "v_swmmac_f32_16x16x32_bf8_fp8", { 0x2f442f766c6f0b8a, 0, 0, 0xeb024bd6d2a5e5ab } },
	{ "v_swmmac_f32_16x16x32_bf8_bf8", { 0x2f442f766c6f0b8a, 0, 0, 0xeb024bd6d2a5e5ab } },
};

static bool measured(struct rig *r, const struct isa_target *t, const struct matrix12_op *x,
		     u32 number, const u64 *digest)
{
	u32 n, w[4], reg, at, regs = matrix_width(x->op.out) == 16 ? 4 : 8;

	for (n = 0; n < 4; n++) {
		struct matrix12 m = { .x = x, .c = { .lanes = 32, .c = D, .exec = ~0u } };
		u64 hash = 0xcbf29ce484222325;

		if (!digest[n])
			continue;
		if (x->op.out == I32) {
			m.c.clamp = n;
			m.c.neg_lo = n;
			m.key = n == 3 && x->sparse && x->k == 32;
		} else {
			m.c.neg_lo = n == 1;
			m.c.neg_hi = n == 2 ? 2 : 0;
			m.key = n == 3;
		}
		encode(t, number, &m, w);
		rdna_prepare(r, w, 32, ~0u, 5);
		capture(r, x);
		rig_run(r, 1);
		for (reg = 0; reg < regs; reg++)
			for (at = 0; at < 32 * 4; at++)
				hash = (hash ^ ((u8 *)rdna_row(r, D + reg))[at]) * 0x100000001b3;
		if (hash != digest[n])
			return rdna_tell(x->op.name, "what was measured", n, (u32)digest[n]);
	}
	return true;
}

/*
 * WMMA of which each row and column is the same: the order of the sum shows in the last place. The
 * results are of waves of 32 and of 64 lanes.
 */
static const struct {
	bool bf16;
	u16 a[16], b[16];
	u32 c, want[2];
} orders[] = {
	{ false,
	  { 0xc6e1, 0xb1ea, 0xd31d, 0x2d4f, 0x4a45, 0xd1f1, 0x3362, 0xc244, 0x4a75,
	    0x443e, 0x5623, 0x4ec3, 0x57c7, 0xb82e, 0xcf34, 0x3660 },
	  { 0xd36c, 0xc886, 0x2f3d, 0x30a3, 0xd070, 0xb2cb, 0x4759, 0xcf27, 0x4ed4,
	    0x3c97, 0xae37, 0xb63f, 0x35f0, 0x3a25, 0xb0d8, 0x405a },
	  0xbf6ba3b9, { 0x43dfc44b, 0x43dfc44a } },
	{ false,
	  { 0x9844, 0x3f7a, 0x606f, 0xc18c, 0xbe5b, 0x891f, 0xbbfb, 0x93b8, 0xc3c6,
	    0x32f2, 0xf44e, 0x15cf, 0x5eeb, 0x2b55, 0x8bef, 0xa075 },
	  { 0x8e88, 0xec18, 0xd3c2, 0xf6ae, 0x0cdb, 0x87c5, 0x4587, 0x5825, 0x6e7d,
	    0x8ab5, 0x8773, 0x4108, 0x91c2, 0x3987, 0x62ab, 0xfbad },
	  0x48e26837, { 0x48e6175e, 0x48e6175f } },
	{ true,
	  { 0xbfaa, 0x3ed7, 0x3d5c, 0xbe3a, 0xc0f4, 0x4255, 0xc246, 0x40b2, 0x3d20,
	    0x40f9, 0xbee9, 0x42d9, 0x3eba, 0x3fb4, 0xbd8a, 0xbd6d },
	  { 0xc028, 0x417c, 0xc28c, 0x41e8, 0xbdf2, 0xc057, 0x428f, 0x4029, 0x3e28,
	    0xbce5, 0xc0c7, 0x3e6f, 0x40cc, 0x3cd8, 0x42a2, 0xbe64 },
	  0x3f4725a9, { 0xc565bd89, 0xc565bd8a } },
	{ true,
	  { 0xc0dc, 0xbe3d, 0xc263, 0x3da9, 0x4148, 0xc23e, 0x3e6c, 0xc048, 0x414e,
	    0x4087, 0x42c4, 0x41d8, 0x42f8, 0xbf05, 0xc1e6, 0x3ecc },
	  { 0xc26d, 0xc110, 0x3de7, 0x3e14, 0xc20e, 0xbe59, 0x40eb, 0xc1e4, 0x41da,
	    0x3f92, 0xbdc6, 0xbec7, 0x3ebe, 0x3f44, 0xbe1b, 0x400b },
	  0xbf6ba3b9, { 0x43dea4e6, 0x43dea4e7 } },
};

static bool in_order(struct rig *r, const struct isa_target *t, const struct matrix12_op *x,
		     u32 number)
{
	u32 n, l, k, reg, w[4];

	for (n = 0; n < 2 * ARRAY_SIZE(orders); n++) {
		const u32 lanes = n & 1 ? 64 : 32;
		struct matrix12 m = {
			.x = x, .c = { .lanes = lanes, .c = MC, .exec = ~0ull >> (64 - lanes) },
		};

		if (orders[n / 2].bf16 != (x->op.in == BF16))
			continue;
		encode(t, number, &m, w);
		rdna_prepare(r, w, lanes, m.c.exec, 5);
		for (l = 0; l < lanes; l++) {
			const u16 *a = orders[n / 2].a, *b = orders[n / 2].b;

			for (reg = 0; reg < 128 / lanes; reg++) {
				k = l / 16 * (256 / lanes) + 2 * reg;
				rdna_row(r, MA + reg)[l] = a[k] | (u32)a[k + 1] << 16;
				rdna_row(r, MB + reg)[l] = b[k] | (u32)b[k + 1] << 16;
			}
			for (reg = 0; reg < 256 / lanes; reg++)
				rdna_row(r, MC + reg)[l] = orders[n / 2].c;
		}
		rig_run(r, 1);
		for (l = 0; l < 256; l++)
			if (rdna_row(r, D + l / lanes)[l % lanes] != orders[n / 2].want[n & 1])
				return rdna_tell(x->op.name, "what was measured",
						 rdna_row(r, D + l / lanes)[l % lanes],
						 orders[n / 2].want[n & 1]);
	}
	return true;
}

int rdna_matrix_gfx12(struct rig *r, const struct isa_target *t, const struct isa_row *row,
		      unsigned int enc, u32 op)
{
	const char *name = isa_op_names[row->op];
	u32 n, try, k;

	for (n = 0; n < ARRAY_SIZE(ops) && strcmp(ops[n].op.name, name); n++)
		;
	if (n == ARRAY_SIZE(ops) || enc != ISA_ENC_VOP3P)
		return -1;
	for (try = 0; try < 80; try++) {
		static const u8 cs[] = { MC, D, D + 1, D - 1 };
		const struct matrix12_op *x = &ops[n];
		bool integers = x->op.out == I32, half = matrix_width(x->op.out) == 16;
		u32 signs_ = integers ? 3 : matrix_width(x->op.in) == 8 ? 4 : 7;
		struct matrix12 m = { .x = x };

		if (x->sparse)
			signs_ &= 3;
		m.c = (struct matrix_case) {
			.lanes = try & 1 ? 32 : 64, .c = cs[try / 2 % 4], .exec = ~0ull,
			.neg_lo = try < 12 ? 0 : rdna_random() & signs_,
			.neg_hi = try < 12 || integers ? 0 : rdna_random() & signs_,
			.clamp = integers && try & 8,
		};
		if (x->sparse) {
			m.c.c = D;
			m.key = rdna_random() % (32 / set_bits(x, m.c.lanes));
		} else if (try % 5 == 4) {
			m.c.constant = true;
			m.c.c = half ? 128 : integers || try % 10 == 9 ?
				128 + rdna_random() % 81 : 240 + rdna_random() % 9;
		}
		if (try % 3 == 2)
			m.c.exec = rdna_random() | (u64)rdna_random() << 32;
		m.c.exec &= ~0ull >> (64 - m.c.lanes);
		if (!run(r, t, op, &m, try / 2 % 6))
			return 0;
	}
	for (k = 0; k < ARRAY_SIZE(captures); k++)
		if (!strcmp(captures[k].name, name) &&
		    !measured(r, t, &ops[n], op, captures[k].digest))
			return 0;
	if (!ops[n].sparse && ops[n].op.out == F32 && matrix_width(ops[n].op.in) == 16 &&
	    !in_order(r, t, &ops[n], op))
		return 0;
	return refuses(r, t, &ops[n], op, 32) && refuses(r, t, &ops[n], op, 64);
}
