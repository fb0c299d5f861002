// SPDX-License-Identifier: MIT
/*
 * References of isa_rdna for the matrix operations of gfx11, and numbers of those of gfx12
 * (isa_rdna_matrix12.c). Halves: isa_rdna_dot.c. Known results: ones, which tinygrad's tests saw on
 * hardware.
 */
#include <math.h>
#include "isa_rdna_matrix.h"

static const struct matrix_op ops[] = {
	{ "v_wmma_f32_16x16x16_f16", F16, F32, 0 }, { "v_wmma_f32_16x16x16_bf16", BF16, F32, 0 },
	{ "v_wmma_f16_16x16x16_f16", F16, F16, 0 }, { "v_wmma_bf16_16x16x16_bf16", BF16, BF16, 0 },
	{ "v_wmma_i32_16x16x16_iu8", U8, I32, 0 }, { "v_wmma_i32_16x16x16_iu4", U4, I32, 0 },
};

u32 matrix_width(enum type t)
{
	return t == U4 ? 4 : t == U8 || t == FP8 || t == BF8 ? 8 : t == F16 || t == BF16 ? 16 : 32;
}

/* ---- numbers ---- */

static u32 mantissa(enum type t)
{
	return t == F16 ? 10 : t == FP8 ? 3 : t == BF8 ? 2 : 23;
}

/* Floats, and those of 8 bits */
long double matrix_number(enum type t, u32 x)
{
	u32 mant = mantissa(t), ebits = t == BF8 ? 5 : t == FP8 ? 4 : 8;
	u32 bias = (1u << (ebits - 1)) - 1, e, m;
	long double v;

	e = x >> mant & ((1u << ebits) - 1);
	m = x & ((1u << mant) - 1);
	if (e == (1u << ebits) - 1 && t != FP8)
		v = m ? NAN : INFINITY;
	else if (t == FP8 && (x & 0x7f) == 0x7f)
		v = NAN;		/* all that there is beside numbers */
	else if (!e && t == F32)
		v = 0;			/* denormals are flushed */
	else
		v = ldexpl(e ? m + (1u << mant) : m, (int)(e ? e : 1) - (int)bias - (int)mant);
	return x >> (mant + ebits) & 1 ? -v : v;
}

/* To the nearest with @mant bits, ties to even; the exponent has no bounds */
static long double rounded(long double x, int mant)
{
	int e;

	if (x == 0 || isnan(x) || isinf(x))
		return x;
	frexpl(x, &e);
	return ldexpl(rintl(ldexpl(x, mant + 1 - e)), e - mant - 1);
}

long double matrix_as_float(long double x)
{
	x = rounded(x, 23);
	if (fabsl(x) < 0x1p-126L)
		return copysignl(0, x);
	return fabsl(x) >= 0x1p128L ? copysignl(INFINITY, x) : x;
}

u32 matrix_float_bits(long double x)
{
	return isnan(x) ? 0x7fc00000 : rdna_bits((float)x);
}

static u32 value_of(enum type t, u32 kind)
{
	u32 r = rdna_random(), bits = matrix_width(t), mant = t == BF16 ? 7 : mantissa(t);
	u32 ebits = bits - 1 - mant, top = (1u << ebits) - 1, bias = top >> 1;
	u32 keep = (1u << mant) - 1, sign = (r >> 31) << (bits - 1), k = rdna_random() % 5;

	if (t == I32 || t == U8 || t == U4)
		return kind & 1 ? r : r >> 8 & 0x0f0f0f0f;
	switch (kind) {
	case 0:		/* about one */
		return sign | (bias - 3 + k) << mant | (r & keep);
	case 1:		/* whole numbers, zeros */
		return k == 4 ? sign : sign | (bias + k % 3) << mant;
	case 2:		/* denormals, and what is near them */
		return sign | k % 3 << mant | (r & keep);
	case 3:		/* specials among the rest */
		return rdna_random() % 12 ? value_of(t, 0) :
					    sign | top << mant |
					    (k & 1 ? t == FP8 ? 7 : r & 3 : 0);
	case 4:		/* large */
		return sign | (top - 1 - k) << mant | (r & keep);
	}
	return sign | (r >> 8) % top << mant | (r & keep);
}

/* ---- the matrices in the registers ---- */

void matrix_fill(struct rig *r, u32 reg, u32 n, enum type t, u32 kind, bool alike)
{
	u32 k, l, at, bits = matrix_width(t);

	for (k = 0; k < n; k++)
		for (l = 0; l < ISA_LANES; l++) {
			u32 *p = &rdna_row(r, reg + k)[l];

			if (alike && l >= 16) {
				*p = rdna_row(r, reg + k)[l % 16];
				continue;
			}
			*p = 0;
			for (at = 0; at < 32; at += bits)
				*p |= (value_of(t, kind) & (~0u >> (32 - bits))) << at;
		}
}

/* Element @k of the row or column @n */
static u32 element(const struct rig *r, const struct matrix_op *op, u32 reg, u32 n, u32 k)
{
	u32 bits = matrix_width(op->in), per = 32 / bits;

	return r->vgprs[(reg + k / per) * ISA_LANES + n] >> k % per * bits & (~0u >> (32 - bits));
}

static s64 integer(const struct matrix_op *op, u32 x, bool is_signed)
{
	u32 bits = matrix_width(op->in);

	return is_signed && x >> (bits - 1) ? (s64)x - (1ll << bits) : x;
}

static u32 dot_integers(const struct rig *r, const struct matrix_op *op,
			const struct matrix_case *c, u32 m, u32 n, u32 add)
{
	s64 sum = (s32)add;
	u32 k;

	for (k = 0; k < 16; k++)
		sum += integer(op, element(r, op, MA, m, k), c->neg_lo & 1) *
		       integer(op, element(r, op, MB, n, k), c->neg_lo & 2);
	if (c->clamp && sum > 0x7fffffff)
		sum = 0x7fffffff;
	if (c->clamp && sum < -0x80000000ll)
		sum = -0x80000000ll;
	return (u32)sum;
}

/* Steps of the adder; elements along k begin with those of the lowest address */
static u32 dot_halves(const struct rig *r, const struct matrix_op *op, const struct matrix_case *c,
		      u32 m, u32 n, u32 add)
{
	const u32 top = matrix_width(op->out) - 1;
	struct dot_step s = {
		.ta = op->in == BF16 ? DOT_BFLOAT : DOT_HALF, .n = 2, .narrow = top == 15,
	};
	u32 step, j;

	s.tb = s.ta;
	if (c->neg_hi & 4)
		add &= ~(1u << top);
	if (c->neg_lo & 4)
		add ^= 1u << top;
	for (step = 0; step < 8; step++) {
		for (j = 0; j < 2; j++) {
			u32 k = step * 2 + j;
			u32 neg = k & 1 ? c->neg_hi : c->neg_lo;

			s.a[j] = element(r, op, MA, m, k) ^ (neg & 1) << 15;
			s.b[j] = element(r, op, MB, n, k) ^ (neg >> 1 & 1) << 15;
		}
		s.c = add;
		add = rdna_dot(&s);
	}
	return add;
}

u32 matrix_constant(const struct matrix_op *op, u32 code)
{
	static const u32 f32[] = { 0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
				   0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983 };
	static const u32 f16[] = { 0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400,
				   0x3118 };

	if (code < 240)
		return code <= 192 ? code - 128 : 192 - code;
	return op->out == F16 ? f16[code - 240] : op->out == BF16 ? f32[code - 240] >> 16 :
	       f32[code - 240];
}

static void encode(const struct isa_target *t, u32 op, const struct matrix_case *c, u32 *w)
{
	w[0] = rdna_format(t, ISA_ENC_VOP3P)->match | op << rdna_format(t, ISA_ENC_VOP3P)->lo;
	w[0] |= D | c->neg_hi << 8 | (u32)c->high << 13 | 1u << 14 | (u32)c->clamp << 15;
	w[1] = (256 + MA) | (256 + MB) << 9 | (c->constant ? c->c : 256 + c->c) << 18 |
	       3u << 27 | c->neg_lo << 29;
	w[2] = NOP;
	w[3] = NOP;
}

static bool run(struct rig *r, const struct isa_target *t, const struct matrix_op *op, u32 number_,
		const struct matrix_case *c, u32 kind)
{
	static u32 before[64 * ISA_LANES], want[64 * ISA_LANES];
	u32 w[4], n, l, regs = 256 / c->lanes;

	encode(t, number_, c, w);
	rdna_prepare(r, w, c->lanes, c->exec, rdna_random());
	matrix_fill(r, MA, matrix_width(op->in) / 2, op->in, kind, true);
	matrix_fill(r, MB, matrix_width(op->in) / 2, op->in, kind, true);
	if (!c->constant)
		matrix_fill(r, c->c, regs, op->out, kind == 2 ? 2 : kind % 4, false);
	memcpy(before, r->vgprs, sizeof(before));
	memcpy(want, before, sizeof(want));
	for (n = 0; n < regs; n++)
		for (l = 0; l < c->lanes; l++) {
			u32 m = n * (c->lanes / 16) + l / 16, at = (D + n) * ISA_LANES + l, x;
			u32 half = matrix_width(op->out) == 16 && c->high ? 16 : 0;
			u32 add = c->constant ? matrix_constant(op, c->c) :
						before[(c->c + n) * ISA_LANES + l] >> half;

			if (matrix_width(op->out) == 16)
				add &= 0xffff;
			x = op->out == I32 ? dot_integers(r, op, c, m, l % 16, add) :
					     dot_halves(r, op, c, m, l % 16, add);
			if (matrix_width(op->out) == 16)
				x = (before[at] & 0xffff0000 >> half) | x << half;
			want[at] = x;	/* whatever EXEC is: see lane_mat_wmma.inc.c */
		}
	if (rig_run(r, 1) != ISA_STOP_BUDGET)
		return rdna_tell(op->name, "the stop", r->ex.why, ISA_STOP_BUDGET);
	for (n = 0; n < 64 * ISA_LANES; n++)
		if (n % ISA_LANES < c->lanes && r->vgprs[n] != want[n]) {
			printf("# %u lanes: v%u lane %u, case %u, C %u%s, neg %u %u\n", c->lanes,
			       n / ISA_LANES, n % ISA_LANES, kind, c->c,
			       c->constant ? " (constant)" : "", c->neg_lo, c->neg_hi);
			return rdna_tell(op->name, "an element", r->vgprs[n], want[n]);
		}
	return true;
}

/* A and B of ones, C of fives: 21 */
static bool ones(struct rig *r, const struct isa_target *t, const struct matrix_op *op, u32 number_)
{
	static const u32 one[] = { [F16] = 0x3c003c00, [BF16] = 0x3f803f80, [U8] = 0x01010101,
				   [U4] = 0x11111111 };
	static const u32 five[] = { [F32] = 0x40a00000, [F16] = 0x4500, [BF16] = 0x40a0,
				    [I32] = 5 };
	static const u32 sum[] = { [F32] = 0x41a80000, [F16] = 0x4d40, [BF16] = 0x41a8,
				   [I32] = 21 };
	const struct matrix_case c = { .lanes = 32, .c = D, .exec = 0xffffffff };
	u32 w[4], n, l;

	encode(t, number_, &c, w);
	rdna_prepare(r, w, 32, c.exec, 5);
	for (n = 0; n < 8; n++)
		for (l = 0; l < 32; l++) {
			rdna_row(r, MA + n)[l] = one[op->in];
			rdna_row(r, MB + n)[l] = one[op->in];
			rdna_row(r, D + n)[l] = five[op->out];
		}
	rig_run(r, 1);
	for (n = 0; n < 8; n++)
		for (l = 0; l < 32; l++)
			if (rdna_row(r, D + n)[l] != sum[op->out])
				return rdna_tell(op->name, "16 + 5", rdna_row(r, D + n)[l],
						 sum[op->out]);
	return true;
}

/* What nobody has described, and registers that the wave does not have */
static bool refuses(struct rig *r, const struct isa_target *t, const struct matrix_op *op,
		    u32 number_)
{
	struct matrix_case c = { .lanes = 64, .c = MC, .exec = ~0ull };
	u32 w[4], n, last;

	for (n = 0; n < 4; n++) {
		encode(t, number_, &c, w);
		if (n == 0)
			w[1] &= ~(1u << 27);		/* op_sel_hi */
		else if (n == 1 && op->out == I32)
			w[0] |= 1u << 8;		/* neg_hi of integers */
		else if (n == 1)
			w[0] |= 1u << 11;		/* op_sel of A */
		else
			w[0] = (w[0] & ~0xffu) | (n == 2 ? 61 : 60);
		rdna_prepare(r, w, 64, ~0ull, 5);
		last = rig_run(r, 1);
		/* Of the last registers, waves of 64 lanes need but four. */
		if (last != (n == 3 ? ISA_STOP_BUDGET : ISA_STOP_ILLEGAL))
			return rdna_tell(op->name, n == 3 ? "the last case" : "a case", n, last);
	}
	w[0] = (w[0] & ~0xffu) | 60;
	rdna_prepare(r, w, 32, 0xffffffff, 5);
	return rig_run(r, 1) == ISA_STOP_ILLEGAL ||
	       rdna_tell(op->name, "the last registers", r->ex.why, ISA_STOP_ILLEGAL);
}

int rdna_matrix(struct rig *r, const struct isa_target *t, const struct isa_row *row,
		unsigned int enc, u32 op)
{
	const char *name = isa_op_names[row->op];
	u32 n, try;

	if (isa_target_has(t, ISA_FEAT_SCOPES))
		return rdna_matrix_gfx12(r, t, row, enc, op);
	for (n = 0; n < ARRAY_SIZE(ops) && strcmp(ops[n].name, name); n++)
		;
	if (n == ARRAY_SIZE(ops) || enc != ISA_ENC_VOP3P)
		return -1;
	for (try = 0; try < 48; try++) {
		static const u8 cs[] = { MC, D, D + 1, D - 1 };
		bool integers = ops[n].out == I32, half = matrix_width(ops[n].out) == 16;
		struct matrix_case c = {
			.lanes = try & 1 ? 32 : 64, .c = cs[try / 2 % 4], .exec = ~0ull,
			.neg_lo = try < 12 ? 0 : rdna_random() & (integers ? 3 : 7),
			.neg_hi = try < 12 || integers ? 0 : rdna_random() & 7,
			.clamp = integers && try & 8, .high = half && try & 4,
		};

		if (try % 5 == 4) {
			c.constant = true;
			c.c = integers || try % 10 == 9 ? 128 + rdna_random() % 81 :
							  240 + rdna_random() % 9;
		}
		if (try % 3 == 2)
			c.exec = rdna_random() | (u64)rdna_random() << 32;
		c.exec &= ~0ull >> (64 - c.lanes);
		if (!run(r, t, &ops[n], op, &c, try / 2 % 6))
			return 0;
	}
	return ones(r, t, &ops[n], op) && refuses(r, t, &ops[n], op);
}
