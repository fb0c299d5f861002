// SPDX-License-Identifier: MIT
/* Reference model of the matrix operations; see ref_matrix.h. */
#include <math.h>
#include "ref_matrix.h"

#define NAN32	0x7fc00000u
#define NAN64	0x7ff8000000000000ull

#define OP(N, m, k, blocks, a, b, ...)					\
{ ISA_OP_##N, #N, m, k, blocks, RM_##a, RM_##b, __VA_ARGS__ }
#define MULTI	false, true, true, true		/* several blocks */
#define SINGLE	false, false, true, false	/* one: gfx942 lost blgp */
#define FLOATS	false, false, true, true
#define NOMODS	false, false, false, false
#define SPARSE	true, false, false, false
const struct rm_op rm_ops[] = {
	OP(V_MFMA_F32_32X32X1F32, 32, 1, 2, F32, F32, MULTI),
	OP(V_MFMA_F32_16X16X1F32, 16, 1, 4, F32, F32, MULTI),
	OP(V_MFMA_F32_4X4X1F32, 4, 1, 16, F32, F32, MULTI),
	OP(V_MFMA_F32_32X32X2F32, 32, 2, 1, F32, F32, FLOATS),
	OP(V_MFMA_F32_16X16X4F32, 16, 4, 1, F32, F32, FLOATS),
	OP(V_MFMA_F32_32X32X4F16, 32, 4, 2, F16, F16, MULTI),
	OP(V_MFMA_F32_16X16X4F16, 16, 4, 4, F16, F16, MULTI),
	OP(V_MFMA_F32_4X4X4F16, 4, 4, 16, F16, F16, MULTI),
	OP(V_MFMA_F32_32X32X8F16, 32, 8, 1, F16, F16, SINGLE),
	OP(V_MFMA_F32_16X16X16F16, 16, 16, 1, F16, F16, SINGLE),
	OP(V_MFMA_I32_32X32X4I8, 32, 4, 2, I8, I8, MULTI),
	OP(V_MFMA_I32_16X16X4I8, 16, 4, 4, I8, I8, MULTI),
	OP(V_MFMA_I32_4X4X4I8, 4, 4, 16, I8, I8, MULTI),
	OP(V_MFMA_I32_32X32X8I8, 32, 8, 1, I8, I8, SINGLE),
	OP(V_MFMA_I32_16X16X16I8, 16, 16, 1, I8, I8, SINGLE),
	OP(V_MFMA_F32_32X32X2BF16, 32, 2, 2, BF16, BF16, MULTI),
	OP(V_MFMA_F32_16X16X2BF16, 16, 2, 4, BF16, BF16, MULTI),
	OP(V_MFMA_F32_4X4X2BF16, 4, 2, 16, BF16, BF16, MULTI),
	OP(V_MFMA_F32_32X32X4BF16, 32, 4, 1, BF16, BF16, SINGLE),
	OP(V_MFMA_F32_16X16X8BF16, 16, 8, 1, BF16, BF16, SINGLE),
	OP(V_MFMA_F32_32X32X4BF16_1K, 32, 4, 2, BF16, BF16, MULTI),
	OP(V_MFMA_F32_16X16X4BF16_1K, 16, 4, 4, BF16, BF16, MULTI),
	OP(V_MFMA_F32_4X4X4BF16_1K, 4, 4, 16, BF16, BF16, MULTI),
	OP(V_MFMA_F32_32X32X8BF16_1K, 32, 8, 1, BF16, BF16, SINGLE),
	OP(V_MFMA_F32_16X16X16BF16_1K, 16, 16, 1, BF16, BF16, SINGLE),
	OP(V_MFMA_F64_16X16X4F64, 16, 4, 1, F64, F64, false, false, false, true),
	OP(V_MFMA_F64_4X4X4F64, 4, 4, 4, F64, F64, false, false, false, true),
	OP(V_MFMA_F32_16X16X8_XF32, 16, 8, 1, XF32, XF32, NOMODS),
	OP(V_MFMA_F32_32X32X4_XF32, 32, 4, 1, XF32, XF32, NOMODS),
	OP(V_MFMA_I32_32X32X16_I8, 32, 16, 1, I8, I8, NOMODS),
	OP(V_MFMA_I32_16X16X32_I8, 16, 32, 1, I8, I8, NOMODS),
	OP(V_SMFMAC_F32_16X16X32_F16, 16, 32, 1, F16, F16, SPARSE),
	OP(V_SMFMAC_F32_32X32X16_F16, 32, 16, 1, F16, F16, SPARSE),
	OP(V_SMFMAC_F32_16X16X32_BF16, 16, 32, 1, BF16, BF16, SPARSE),
	OP(V_SMFMAC_F32_32X32X16_BF16, 32, 16, 1, BF16, BF16, SPARSE),
	OP(V_SMFMAC_I32_16X16X64_I8, 16, 64, 1, I8, I8, SPARSE),
	OP(V_SMFMAC_I32_32X32X32_I8, 32, 32, 1, I8, I8, SPARSE),
	OP(V_MFMA_F32_16X16X32_BF8_BF8, 16, 32, 1, BF8, BF8, NOMODS),
	OP(V_MFMA_F32_16X16X32_BF8_FP8, 16, 32, 1, BF8, FP8, NOMODS),
	OP(V_MFMA_F32_16X16X32_FP8_BF8, 16, 32, 1, FP8, BF8, NOMODS),
	OP(V_MFMA_F32_16X16X32_FP8_FP8, 16, 32, 1, FP8, FP8, NOMODS),
	OP(V_MFMA_F32_32X32X16_BF8_BF8, 32, 16, 1, BF8, BF8, NOMODS),
	OP(V_MFMA_F32_32X32X16_BF8_FP8, 32, 16, 1, BF8, FP8, NOMODS),
	OP(V_MFMA_F32_32X32X16_FP8_BF8, 32, 16, 1, FP8, BF8, NOMODS),
	OP(V_MFMA_F32_32X32X16_FP8_FP8, 32, 16, 1, FP8, FP8, NOMODS),
	OP(V_SMFMAC_F32_16X16X64_BF8_BF8, 16, 64, 1, BF8, BF8, SPARSE),
	OP(V_SMFMAC_F32_16X16X64_BF8_FP8, 16, 64, 1, BF8, FP8, SPARSE),
	OP(V_SMFMAC_F32_16X16X64_FP8_BF8, 16, 64, 1, FP8, BF8, SPARSE),
	OP(V_SMFMAC_F32_16X16X64_FP8_FP8, 16, 64, 1, FP8, FP8, SPARSE),
	OP(V_SMFMAC_F32_32X32X32_BF8_BF8, 32, 32, 1, BF8, BF8, SPARSE),
	OP(V_SMFMAC_F32_32X32X32_BF8_FP8, 32, 32, 1, BF8, FP8, SPARSE),
	OP(V_SMFMAC_F32_32X32X32_FP8_BF8, 32, 32, 1, FP8, BF8, SPARSE),
	OP(V_SMFMAC_F32_32X32X32_FP8_FP8, 32, 32, 1, FP8, FP8, SPARSE),
	OP(V_MFMA_F32_16X16X32_F16, 16, 32, 1, F16, F16, NOMODS),
	OP(V_MFMA_F32_32X32X16_F16, 32, 16, 1, F16, F16, NOMODS),
	OP(V_MFMA_F32_16X16X32_BF16, 16, 32, 1, BF16, BF16, NOMODS),
	OP(V_MFMA_F32_32X32X16_BF16, 32, 16, 1, BF16, BF16, NOMODS),
	OP(V_MFMA_I32_16X16X64_I8, 16, 64, 1, I8, I8, NOMODS),
	OP(V_MFMA_I32_32X32X32_I8, 32, 32, 1, I8, I8, NOMODS),
	OP(V_SMFMAC_F32_16X16X64_F16, 16, 64, 1, F16, F16, SPARSE),
	OP(V_SMFMAC_F32_32X32X32_F16, 32, 32, 1, F16, F16, SPARSE),
	OP(V_SMFMAC_F32_16X16X64_BF16, 16, 64, 1, BF16, BF16, SPARSE),
	OP(V_SMFMAC_F32_32X32X32_BF16, 32, 32, 1, BF16, BF16, SPARSE),
	OP(V_SMFMAC_I32_16X16X128_I8, 16, 128, 1, I8, I8, SPARSE),
	OP(V_SMFMAC_I32_32X32X64_I8, 32, 64, 1, I8, I8, SPARSE),
	OP(V_SMFMAC_F32_16X16X128_BF8_BF8, 16, 128, 1, BF8, BF8, SPARSE),
	OP(V_SMFMAC_F32_16X16X128_BF8_FP8, 16, 128, 1, BF8, FP8, SPARSE),
	OP(V_SMFMAC_F32_16X16X128_FP8_BF8, 16, 128, 1, FP8, BF8, SPARSE),
	OP(V_SMFMAC_F32_16X16X128_FP8_FP8, 16, 128, 1, FP8, FP8, SPARSE),
	OP(V_SMFMAC_F32_32X32X64_BF8_BF8, 32, 64, 1, BF8, BF8, SPARSE),
	OP(V_SMFMAC_F32_32X32X64_BF8_FP8, 32, 64, 1, BF8, FP8, SPARSE),
	OP(V_SMFMAC_F32_32X32X64_FP8_BF8, 32, 64, 1, FP8, BF8, SPARSE),
	OP(V_SMFMAC_F32_32X32X64_FP8_FP8, 32, 64, 1, FP8, FP8, SPARSE),
};
const unsigned int rm_op_count = ARRAY_SIZE(rm_ops);

u32 rm_type_bits(unsigned int type)
{
	static const u8 bits[] = { 32, 16, 16, 32, 8, 8, 64, 8, 8, 8, 6, 6, 4 };

	return bits[type];
}

/* ---- values ---- */

static const struct format {
	int ebits, mbits, bias;
	bool fnuz;
	bool finite;		/* no infinities; @nan: all ones is NaN */
	bool nan;
} formats[] = {
	[RM_F32] = { 8, 23, 127, false }, [RM_F16] = { 5, 10, 15, false },
	[RM_BF16] = { 8, 7, 127, false }, [RM_XF32] = { 8, 23, 127, false },
	[RM_FP8] = { 4, 3, 8, true }, [RM_BF8] = { 5, 2, 16, true },
	[RM_OCP_FP8] = { 4, 3, 7, false, true, true }, [RM_OCP_BF8] = { 5, 2, 15, false },
	[RM_FP6] = { 2, 3, 1, false, true }, [RM_BF6] = { 3, 2, 3, false, true },
	[RM_FP4] = { 2, 1, 1, false, true },
};

/* What a type of an operation is on a target */
static unsigned int type_on(enum rm_arch arch, unsigned int type)
{
	if (arch != RM_GFX950)
		return type;
	return type == RM_FP8 ? RM_OCP_FP8 : type == RM_BF8 ? RM_OCP_BF8 : type;
}

double rm_value(unsigned int type, u64 x)
{
	const struct format *f = &formats[type];
	u64 frac = x & ((1ull << f->mbits) - 1);
	int e = (int)(x >> f->mbits & ((1u << f->ebits) - 1));
	bool neg = x >> (f->ebits + f->mbits) & 1;
	double v;

	if (f->fnuz) {
		if (x == 0x80)
			return NAN;
	} else if (f->finite) {
		if (f->nan && (x & 0x7f) == 0x7f)
			return neg ? -NAN : NAN;
	} else if (e == (1 << f->ebits) - 1) {
		return frac ? neg ? -NAN : NAN : neg ? -INFINITY : INFINITY;
	}
	if (type == RM_XF32)
		frac &= ~0x1fffull;
	v = e ? ldexp((double)(frac | 1ull << f->mbits), e - f->bias - f->mbits) :
		ldexp((double)frac, 1 - f->bias - f->mbits);
	return neg ? -v : v;
}

int rm_lowest(unsigned int type)	/* exponent of normal numbers */
{
	return 1 - formats[type].bias;
}

static u32 bits32(float f)
{
	u32 x;

	memcpy(&x, &f, 4);
	return f != f ? NAN32 : x;
}

static float float_of(u32 x)
{
	float f;

	memcpy(&f, &x, 4);
	return f;
}

/* ---- gfx908 and gfx90a ---- */

static float flush(float x, bool on)
{
	return on && fabsf(x) < 0x1p-126f ? x * 0.0f : x;
}

static float pairwise(const float *a, const float *b, u32 n, bool ftz)
{
	if (n == 1)
		return flush(fmaf(a[0], b[0], 0.0f), ftz);
	return flush(pairwise(a, b, n / 2, ftz) + pairwise(a + n / 2, b + n / 2, n / 2, ftz),
		     ftz);
}

static u32 dot_pairs(const struct rm_op *op, bool ftz, const u64 *a, const u64 *b, u32 k, u32 c)
{
	bool two = op->op == ISA_OP_V_MFMA_F32_32X32X2BF16 ||
		   op->op == ISA_OP_V_MFMA_F32_16X16X2BF16 ||
		   op->op == ISA_OP_V_MFMA_F32_4X4X2BF16 ||
		   op->op == ISA_OP_V_MFMA_F32_32X32X4BF16 ||
		   op->op == ISA_OP_V_MFMA_F32_16X16X8BF16;
	u32 group = two ? 2 : 4, t;
	float x[64], y[64], sum = float_of(c);
	double low = ldexp(1, rm_lowest(op->a));

	for (t = 0; t < k; t++) {
		double p = rm_value(op->a, a[t]), q = rm_value(op->b, b[t]);

		x[t] = ftz && fabs(p) < low ? 0.0f : (float)p;
		y[t] = ftz && fabs(q) < low ? 0.0f : (float)q;
	}
	if (ftz && fabsf(sum) < 0x1p-126f)
		sum = 0.0f;
	for (t = 0; t < k; t += group)
		sum = flush(sum + pairwise(x + t, y + t, group, ftz), ftz);
	return bits32(sum);
}

/* ---- gfx942, gfx950 ---- */

struct term {
	long double s;		/* significand, at exponent */
	int e;
};

static struct term split(double x, int low)
{
	struct term t = { 0, -126 };
	int e;

	if (x == 0)
		return t;
	t.s = 2 * frexp(x, &e);
	t.e = e - 1;
	if (t.e < low) {
		t.s = ldexpl(t.s, t.e - low);
		t.e = low;
	}
	return t;
}

/* Sum of the terms cut to 24 bits below the largest exponent */
static struct term cut_sum(const struct term *t, u32 n, u32 step)
{
	struct term r = { 0, -100000 };
	u32 k;

	for (k = 0; k < n; k += step)
		r.e = t[k].e > r.e ? t[k].e : r.e;
	for (k = 0; k < n; k += step)
		r.s += ldexpl(truncl(ldexpl(t[k].s, 24 + t[k].e - r.e)), -24);
	return r;
}

static long double floor_at(long double s, int bits, int down)
{
	return ldexpl(floorl(ldexpl(s, bits - down)), -bits);
}

float rm_fused(const struct rm_product *in, u32 n, float c, bool bytes)
{
	bool up = false, down = false;
	struct term p[16], s, tc, odd;
	double sum = 0;
	u32 k;
	int max;

	for (k = 0; k < n; k++)
		sum += ldexp(in[k].x * in[k].y, in[k].scale);
	sum += c;
	if (isnan(sum) || isinf(sum))
		return (float)sum;
	for (k = 0; k < n; k++) {
		struct term tx = split(in[k].x, in[k].lowx), ty = split(in[k].y, in[k].lowy);
		double z = ldexp(in[k].x * in[k].y, in[k].scale);

		up |= z >= 0x1p128;
		down |= z <= -0x1p128;
		p[k].s = tx.s * ty.s;
		p[k].e = tx.e + ty.e + in[k].scale;
	}
	if (up || down)
		return up && down ? NAN : up ? INFINITY : -INFINITY;
	tc = split(c, -126);
	s = cut_sum(p, n, bytes ? 2 : 1);
	if (bytes) {
		odd = cut_sum(p + 1, n - 1, 2);
		max = s.e > odd.e ? s.e : odd.e;
		s.s = floor_at(s.s, 24, max - s.e) + floor_at(odd.s, 24, max - odd.e);
		s.e = max;
	}
	max = s.e > tc.e ? s.e : tc.e;
	s.s = floor_at(s.s, 31, max - s.e);
	tc.s = bytes && tc.e < max - 25 ? 0 : floor_at(tc.s, 24, max - tc.e);
	/* the sum has at most 40 bits: the only rounding is to float */
	s.s += tc.s;
	return s.s == 0 ? 0.0f : (float)ldexpl(s.s, max);
}

static u32 dot_fused(const struct rm_op *op, enum rm_arch arch, const u64 *a, const u64 *b,
		     u32 k, u32 c)
{
	unsigned int ta = type_on(arch, op->a), tb = type_on(arch, op->b);
	struct rm_product p[16];
	u32 n;
	u32 group = rm_type_bits(op->a) == 8 ? 16 : op->a == RM_XF32 ? 4 : k < 8 ? k : 8, t;
	float sum = float_of(c);

	for (t = 0; t < k; t += group) {
		for (n = 0; n < group; n++)
			p[n] = (struct rm_product){ rm_value(ta, a[t + n]), rm_value(tb, b[t + n]),
						    rm_lowest(ta), rm_lowest(tb), 0 };
		sum = rm_fused(p, group, sum, rm_type_bits(op->a) == 8);
	}
	return bits32(sum);
}

/* ---- all ---- */

static u64 dot_f64(const u64 *a, const u64 *b, u32 k, u64 c)
{
	double x, y, z;
	u32 t;

	memcpy(&z, &c, 8);
	for (t = 0; t < k; t++) {
		memcpy(&x, &a[t], 8);
		memcpy(&y, &b[t], 8);
		z = fma(x, y, z);
	}
	memcpy(&c, &z, 8);
	return z != z ? NAN64 : c;
}

static u32 dot_f32(const u64 *a, const u64 *b, u32 k, u32 c)
{
	float z = float_of(c);
	u32 t;

	for (t = 0; t < k; t++)
		z = fmaf(float_of((u32)a[t]), float_of((u32)b[t]), z);
	return bits32(z);
}

u64 rm_dot(const struct rm_op *op, enum rm_arch arch, const u64 *a, const u64 *b,
	   u32 k, u64 c)
{
	u32 t, sum = (u32)c;

	switch (op->a) {
	case RM_F64:
		return dot_f64(a, b, k, c);
	case RM_F32:
		return dot_f32(a, b, k, sum);
	case RM_I8:
		for (t = 0; t < k; t++)
			sum += (u32)((s32)(s8)a[t] * (s8)b[t]);
		return sum;
	}
	if (arch >= RM_GFX942)
		return dot_fused(op, arch, a, b, k, sum);
	return dot_pairs(op, arch == RM_GFX90A, a, b, k, sum);
}

/* ---- registers ---- */

/* Bits of element @n of a lane */
static u64 element(const u32 *rows, u32 bits, u32 n, u32 lane)
{
	u32 per = 32 / (bits ? bits : 1);

	if (bits == 64)
		return rows[2 * n * 64 + lane] | (u64)rows[(2 * n + 1) * 64 + lane] << 32;
	return rows[n / per * 64 + lane] >> (n % per * bits) & (bits == 32 ? ~0u : (1u << bits) - 1);
}

static u32 pattern(u32 blgp, u32 lane)
{
	static const s8 from[8][4] = {
		{ 0, 1, 2, 3 }, { 0, 1, 0, 1 }, { 2, 3, 2, 3 }, { 1, 2, 3, 0 },
		{ 0, 0, 0, 0 }, { 1, 1, 1, 1 }, { 2, 2, 2, 2 }, { 3, 3, 3, 3 },
	};

	return (u32)from[blgp][lane / 16] * 16 + lane % 16;
}

/* A's or B's element: row (column) @i, @k, block */
static u64 input(const struct rm_op *op, const u32 *rows, u32 bits, u32 depth, u32 i, u32 k,
		 u32 block, u32 blgp)
{
	u32 contiguous = depth / (64 / (op->m * op->blocks));
	u32 lane = block * op->m + k / contiguous * op->m * op->blocks + i;

	return element(rows, bits, k % contiguous, pattern(blgp, lane));
}

/* Place of a result: register (pair), lane */
static void output(const struct rm_op *op, u32 i, u32 j, u32 block, u32 *reg, u32 *lane)
{
	u32 height = op->a == RM_F64 ? 1 : 4, across = 64 / op->m;
	u32 size = op->m * op->m, blocks = (64 + size / height - 1) / (size / height);

	*reg = block * (size / 64) + i / (height * across) * height + i % height;
	*lane = block % blocks * op->m + i / height % across * blocks * op->m + j;
}

static void one(const struct rm_op *op, enum rm_arch arch, const u32 *a, const u32 *b,
		const u32 *c, u32 *d, u32 cbsz, u32 abid, u32 blgp, const u32 *at)
{
	u32 ba = rm_type_bits(op->a), bb = rm_type_bits(op->b), t, reg, lane;
	u32 i = at[0], j = at[1], block = at[2], k = op->sparse ? op->k / 2 : op->k;
	u32 from = (block >> cbsz << cbsz) + abid;
	bool f64 = op->a == RM_F64;
	u64 x[128], y[128], z;

	for (t = 0; t < k; t++) {
		if (op->sparse) {
			/* index bits: of the lane that holds the element */
			u32 per = k * op->m / 64, l = t / per * op->m + i, n = t % per;
			u32 set = cbsz ? 0 : abid & (16 / per - 1);
			u32 pick = c[l] >> (set * 2 * per + 2 * n) & 3;

			x[t] = input(op, a, ba, k, i, t, 0, 0);
			y[t] = input(op, b, bb, op->k, j, t / 2 * 4 + pick, 0, 0);
			continue;
		}
		x[t] = input(op, a, ba, k, i, t, from, 0);
		y[t] = input(op, b, bb, k, j, t, block, f64 ? 0 : blgp);
		if (f64) {
			x[t] ^= (u64)(blgp & 1) << 63;
			y[t] ^= (u64)(blgp >> 1 & 1) << 63;
		}
	}
	output(op, i, j, block, &reg, &lane);
	z = element(op->sparse ? d : c, f64 ? 64 : 32, reg, lane);
	if (f64)
		z ^= (u64)(blgp >> 2 & 1) << 63;
	z = rm_dot(op, arch, x, y, k, z);
	if (!f64) {
		d[reg * 64 + lane] = (u32)z;
		return;
	}
	d[2 * reg * 64 + lane] = (u32)z;
	d[(2 * reg + 1) * 64 + lane] = (u32)(z >> 32);
}

void rm_run(const struct rm_op *op, enum rm_arch arch, const u32 *a, const u32 *b,
	    const u32 *c, u32 *d, u32 cbsz, u32 abid, u32 blgp)
{
	u32 at[3];

	for (at[2] = 0; at[2] < op->blocks; at[2]++)
		for (at[0] = 0; at[0] < op->m; at[0]++)
			for (at[1] = 0; at[1] < op->m; at[1]++)
				one(op, arch, a, b, c, d, cbsz, abid, blgp, at);
}
