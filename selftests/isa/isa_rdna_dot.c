// SPDX-License-Identifier: MIT
/*
 * References of isa_rdna for the adder of small floats, and for the dot products that it makes.
 * Numbers on a grid are whole ones in long double here. Known results: some that AMD measured on a
 * W7900 (gfx1100) and an R9700 (gfx1201) and published with rocjitsu.
 */
#include <math.h>
#include "isa_rdna.h"

#define FACTOR_NAN	0xffc00a3du
#define PRODUCT_NAN	0xffc00000u

/* ---- the adder ---- */

static const struct {
	u32 ebits, mbits;
} types[] = {
	[DOT_HALF] = { 5, 10 }, [DOT_BFLOAT] = { 8, 7 }, [DOT_FP8] = { 4, 3 }, [DOT_BF8] = { 5, 2 },
};

/* The exponent that aligns products: of a denormal, that of the lowest normal number */
static int exponent(enum dot_type t, u32 x)
{
	u32 top = (1u << types[t].ebits) - 1;
	int e = x >> types[t].mbits & top;

	return (e ? e : 1) - (int)(top >> 1);
}

static long double element(enum dot_type t, bool gfx12, u32 x)
{
	u32 mant = types[t].mbits, top = (1u << types[t].ebits) - 1, e = x >> mant & top;
	u32 m = x & ((1u << mant) - 1);
	long double v = ldexpl(e ? m + (1u << mant) : m, exponent(t, x) - (int)mant);

	if (t == DOT_FP8)
		v = e == top && m == 7 ? NAN : v;	/* all that there is beside numbers */
	else if (e == top)
		v = m ? NAN : INFINITY;
	else if (!e && t == DOT_BFLOAT && !gfx12)
		v = 0;
	return x >> (mant + types[t].ebits) & 1 ? -v : v;
}

static long double factor_a(const struct dot_step *s, u32 n)
{
	return element(s->ta, s->gfx12, s->a[n]);
}

static long double factor_b(const struct dot_step *s, u32 n)
{
	return element(s->tb, s->gfx12, s->b[n]);
}

/* The lowest bit of its product's grid */
static int product_grid(const struct dot_step *s, u32 n)
{
	return exponent(s->ta, s->a[n]) + exponent(s->tb, s->b[n]) - 24;
}

static u32 widened(const struct dot_step *s)
{
	u32 e = s->c >> 10 & 31, m = s->c & 1023;

	if (!s->narrow)
		return s->c;
	if (s->ta == DOT_BFLOAT)
		return s->c << 16;
	if (e == 31)
		return (s->c & 0x8000) << 16 | 0x7f800000 | m << 13;
	return rdna_bits((float)element(DOT_HALF, true, s->c));
}

static u32 special(const struct dot_step *s, u32 x)
{
	if (!s->narrow)
		return x;
	if (s->ta == DOT_BFLOAT)
		return x == FACTOR_NAN ? 0xfffd : x >> 16;
	return x == FACTOR_NAN ? 0xfe3d : (x >> 16 & 0x8000) | 0x7c00 | (x >> 13 & 1023);
}

/* To the nearest multiple of 2^@e, ties to even */
static long double nearest(long double x, int e)
{
	return ldexpl(rintl(ldexpl(x, -e)), e);
}

static u32 half_result(const struct dot_step *s, long double x)
{
	u32 sign = x < 0 ? 0x8000 : 0, h;
	long double m = fabsl(x);
	int e = x ? ilogbl(m) : 0;

	if (e > 15)
		return sign | (s->ovfl ? 0x7bff : 0x7c00);
	m = nearest(m, (e < -14 ? -14 : e) - 10);
	if (m >= 65536)
		return sign | (s->ovfl ? 0x7bff : 0x7c00);
	if (m == 0)
		return 0;
	e = m < 0x1p-14L ? -14 : ilogbl(m);
	h = (u32)ldexpl(m, 10 - e);
	return sign | (h < 1024 ? h : (u32)(e + 14) * 1024 + h);
}

static u32 result(const struct dot_step *s, long double x)
{
	u32 bits;

	if (s->narrow && s->ta == DOT_HALF)
		return half_result(s, x);
	if (x != 0) {
		int e = ilogbl(x);

		if (s->gfx12 && e < -126)
			x = nearest(x, -149);
		else
			x = nearest(x, e - 23);
		if (!s->gfx12 && fabsl(x) < 0x1p-126L)
			x = 0;
	}
	bits = fabsl(x) >= 0x1p128L ? (x < 0 ? 0xff800000 : 0x7f800000) : rdna_bits((float)x);
	bits = x == 0 ? 0 : bits;
	return s->narrow ? bits >> 16 : bits;
}

static bool specials(const struct dot_step *s, u32 c, u32 *bits)
{
	const u32 product_nan = s->ta >= DOT_FP8 ? FACTOR_NAN : PRODUCT_NAN;
	bool invalid = false, c_nan = (c & 0x7fffffff) > 0x7f800000;
	long double sum = 0;
	u32 n;

	for (n = 0; n < s->n; n++) {
		long double x = factor_a(s, n), y = factor_b(s, n);

		if (isnan(x) || isnan(y)) {
			*bits = special(s, FACTOR_NAN);
			return true;
		}
		invalid |= isnan(x * y);
		sum += isinf(x * y) ? x * y : 0;
	}
	if (invalid || isnan(sum))
		*bits = special(s, product_nan);
	else if (c_nan)
		*bits = special(s, c | 0x400000);
	else if (isinf(rdna_float(c)) && isinf(sum) && (sum < 0) != (c >> 31))
		*bits = special(s, product_nan);
	else if (isinf(rdna_float(c)) || isinf(sum))
		*bits = special(s, (isinf(sum) ? sum < 0 : c >> 31) ? 0xff800000 : 0x7f800000);
	else
		return false;
	return true;
}

static int max_of(int x, int y)
{
	return x > y ? x : y;
}

#define NONE	(-10000)

static u32 dot_gfx11(const struct dot_step *s, u32 c)
{
	long double cv = c & 0x7f800000 ? (long double)rdna_float(c) : 0, sum, p[2];
	int grid = NONE, first = cv != 0 ? ilogbl(cv) : NONE;
	u32 n;

	if (s->narrow && s->ta == DOT_HALF)
		first = max_of(first, -14);
	for (n = 0; n < 2; n++) {
		p[n] = factor_a(s, n) * factor_b(s, n);
		if (p[n] == 0)
			continue;
		first = max_of(first, ilogbl(p[n]));
		grid = max_of(grid, product_grid(s, n));
	}
	if (cv == 0 && p[0] == 0 && p[1] == 0)
		return 0;
	grid = max_of(grid, first - 26);
	sum = floorl(ldexpl(fabsl(cv), -grid));
	for (n = 0; n < 2; n++) {
		long double units = floorl(ldexpl(fabsl(p[n]), -grid));

		sum += !signbit(p[n]) == !(c >> 31) ? units : -units - 1;
	}
	return result(s, ldexpl(c >> 31 ? -sum : sum, grid));
}

static u32 dot_gfx12(const struct dot_step *s, u32 c)
{
	const u32 group = s->ta >= DOT_FP8 ? s->n : 2;
	const int lowest = s->narrow && s->ta == DOT_HALF ? -14 : -126;
	long double cv = (long double)rdna_float(c), p[4], sum, units;
	int low[4], grid = NONE, at;
	u32 n, k;

	for (n = 0; n < s->n; n++) {
		p[n] = factor_a(s, n) * factor_b(s, n);
		low[n] = p[n] == 0 ? NONE : product_grid(s, n);
		grid = max_of(grid, low[n]);
	}
	grid = max_of(grid, max_of(lowest, cv != 0 ? ilogbl(cv) : NONE) - 26);
	sum = floorl(ldexpl(cv, -grid));
	if (grid > lowest && fabsl(cv) < ldexpl(1, grid))
		sum = 0;
	for (n = 0; n < s->n; n += group) {
		for (at = NONE, k = n; k < n + group; k++)
			at = max_of(at, low[k]);
		for (units = 0, k = n; k < n + group; k++)
			units += at == NONE ? 0 : floorl(ldexpl(p[k], -at));
		sum += floorl(ldexpl(units, at - grid));
	}
	return result(s, ldexpl(sum, grid));
}

u32 rdna_dot(const struct dot_step *s)
{
	u32 c = widened(s), bits;

	if (specials(s, c, &bits))
		return bits;
	return s->gfx12 ? dot_gfx12(s, c) : dot_gfx11(s, c);
}

/* ---- operations ---- */

static const struct dot_op {
	const char *name;
	unsigned int enc;
	enum dot_type ta, tb;
	bool narrow;
} dot_ops[] = {
	{ "v_dot2_f16_f16", ISA_ENC_VOP3, DOT_HALF, DOT_HALF, true },
	{ "v_dot2_bf16_bf16", ISA_ENC_VOP3, DOT_BFLOAT, DOT_BFLOAT, true },
	{ "v_dot2acc_f32_f16", ISA_ENC_VOP2, DOT_HALF, DOT_HALF, false },
	{ "v_dot2_f32_f16_gfx11", ISA_ENC_VOP3P, DOT_HALF, DOT_HALF, false },
	{ "v_dot2_f32_bf16_gfx11", ISA_ENC_VOP3P, DOT_BFLOAT, DOT_BFLOAT, false },
	{ "v_dot2_f32_f16_gfx12", ISA_ENC_VOP3P, DOT_HALF, DOT_HALF, false },
	{ "v_dot2_f32_bf16_gfx12", ISA_ENC_VOP3P, DOT_BFLOAT, DOT_BFLOAT, false },
	{ "v_dot4_f32_fp8_fp8", ISA_ENC_VOP3P, DOT_FP8, DOT_FP8, false },
	{ "v_dot4_f32_fp8_bf8", ISA_ENC_VOP3P, DOT_FP8, DOT_BF8, false },
	{ "v_dot4_f32_bf8_fp8", ISA_ENC_VOP3P, DOT_BF8, DOT_FP8, false },
	{ "v_dot4_f32_bf8_bf8", ISA_ENC_VOP3P, DOT_BF8, DOT_BF8, false },
};

/* What was measured: two products, and C, which is D of dot2acc */
static const struct {
	bool bf16, gfx12;
	u32 a, b, c, result;
} measured[] = {
	{ false, false, 0x48004200, 0x44004800, 0xbf800000, 0x425c0001 },
	{ false, false, 0x3c003c00, 0x3c003c00, 0xc0000000, 0x34000000 },
	{ false, false, 0x3c00bc00, 0x3c000000, 0x00000000, 0x3f7fffff },
	{ false, false, 0x00000001, 0x3c008001, 0x00000000, 0xa7880000 },
	{ false, false, 0x058ef3f3, 0x2b241c4a, 0xb8eed486, 0xc2886106 },
	{ false, false, 0xcd6c4d6c, 0x78af78af, 0x00000000, 0xbd000000 },
	{ false, false, 0x3c003c00, 0x3c003c00, 0xff812345, 0xffc12345 },
	{ false, false, 0x7c000401, 0x80000401, 0xff9a5ce2, 0xffc00000 },
	{ true, false, 0x00800000, 0x3f808000, 0x00000001, 0x00000000 },
	{ true, false, 0xc395629b, 0xd9633359, 0xdc60025c, 0x5d504185 },
	{ true, false, 0xff7f7f7f, 0x7f7f7f7f, 0x00000000, 0xff800000 },
	{ true, false, 0x3f803f80, 0x7f7f7fcb, 0xffa6c1fe, 0xffc00a3d },
	{ false, true, 0x48004200, 0x44004800, 0xbf800000, 0x425c0000 },
	{ false, true, 0x3c003c00, 0x3c003c00, 0xc0000000, 0x00000000 },
	{ false, true, 0x00000001, 0x3c008001, 0x00000000, 0xa7800000 },
	{ false, true, 0x058ef3f3, 0x2b241c4a, 0xb8eed486, 0xc2886106 },
	{ true, true, 0x00800000, 0x3f808000, 0x00000001, 0x00800001 },
	{ true, true, 0xc395629b, 0xd9633359, 0xdc60025c, 0x5d504184 },
	{ true, true, 0x2061bc39, 0x96b40093, 0x0056dd77, 0x00553463 },
	{ true, true, 0x08e7393d, 0xb7d307aa, 0x80800005, 0x8006c205 },
	{ true, true, 0x31c03a01, 0x0dfd8564, 0x007ffffe, 0x00a56dfe },
	{ true, true, 0x889d8fb2, 0xb704b02a, 0x00800007, 0x01239404 },
};

static u32 random_element(enum dot_type t, u32 kind)
{
	u32 x = rdna_random(), mant = types[t].mbits, top = (1u << types[t].ebits) - 1;
	u32 e = x >> 16 & top, sign = 1u << (mant + types[t].ebits);

	if (kind == 0)		/* about one */
		e = top / 2 - 3 + e % 6;
	else if (kind == 1)	/* denormals, and what is near them */
		e %= 3;
	else if (kind == 2)	/* large */
		e = top - 1 - e % 4;
	else if (kind == 3)	/* zeros and specials among the rest */
		e = x >> 26 & 3 ? e : x >> 25 & 1 ? top : 0;
	return (x & sign) | e << mant | (kind == 3 && x >> 24 & 1 ? 0 : x & ((1u << mant) - 1));
}

/* A register of them */
static u32 random_row(enum dot_type t, u32 kind)
{
	u32 bits = t >= DOT_FP8 ? 8 : 16, at, x = 0;

	for (at = 0; at < 32; at += bits)
		x |= random_element(t, kind) << at;
	return x;
}

static void split(enum dot_type t, u32 x, u32 *to)
{
	u32 bits = t >= DOT_FP8 ? 8 : 16, n;

	for (n = 0; n < 32 / bits; n++)
		to[n] = x >> n * bits & ((1u << bits) - 1);
}

static u32 random_c(u32 kind)
{
	u32 x = rdna_random(), e = x >> 23 & 255;

	if (kind < 3)
		e = kind == 0 ? 110 + e % 30 : kind == 1 ? e % 8 : 90 + e % 60;
	return (x & 0x807fffff) | e << 23;
}

static void encode(const struct isa_target *t, unsigned int enc, u32 op, u32 sel, u32 *w)
{
	const struct isa_format *f = rdna_format(t, enc);

	w[0] = f->match | op << f->lo;
	if (enc == ISA_ENC_VOP2) {
		w[0] |= D << 17 | B << 9 | 256 | A;
		w[1] = NOP;
	} else {
		w[0] |= D | (enc == ISA_ENC_VOP3P ? 1u << 14 : sel << 13);
		w[1] = (256 | A) | (256 | B) << 9 | (256 | C) << 18;
		w[1] |= enc == ISA_ENC_VOP3P ? 3u << 27 : 0;
	}
	w[2] = NOP;
	w[3] = NOP;
}

static bool dot_case(struct rig *r, const struct isa_target *t, const char *name, u32 which, u32 op,
		     u32 try)
{
	const struct dot_op *o = &dot_ops[which];
	const bool bf16 = o->ta == DOT_BFLOAT, narrow = o->narrow, bytes = o->ta >= DOT_FP8;
	const bool gfx12 = isa_target_has(t, ISA_FEAT_SCOPES);
	const u32 lanes = try & 1 ? 32 : 64, sel = narrow ? try / 2 & 3 : 0, kind = try / 4 % 6;
	const bool ovfl = try & 8, acc = o->enc == ISA_ENC_VOP2, first = try < 2 && !narrow && !bytes;
	u32 w[4], l, n, known = 0, old[ISA_LANES], c[ISA_LANES];

	encode(t, o->enc, op, sel, w);
	rdna_prepare(r, w, lanes, ~0ull >> (64 - lanes), rdna_random());
	r->w->mode = ovfl ? r->w->mode | ISA_MODE_FP16_OVFL : r->w->mode & ~ISA_MODE_FP16_OVFL;
	for (l = 0; l < ISA_LANES; l++) {
		rdna_row(r, A)[l] = random_row(o->ta, kind);
		rdna_row(r, B)[l] = random_row(o->tb, kind);
		if (!(rdna_random() % 8)) {	/* products that are opposite */
			rdna_row(r, A)[l] = (rdna_row(r, A)[l] & 0xffff) * 0x10001 ^ 0x8000;
			rdna_row(r, B)[l] = (rdna_row(r, B)[l] & 0xffff) * 0x10001;
		}
		c[l] = narrow ? random_row(o->ta, kind) : random_c(kind);
		while (first && known < ARRAY_SIZE(measured) &&
		       (measured[known].gfx12 != gfx12 || measured[known].bf16 != bf16))
			known++;
		if (first && known < ARRAY_SIZE(measured)) {
			rdna_row(r, A)[l] = measured[known].a;
			rdna_row(r, B)[l] = measured[known].b;
			c[l] = measured[known++].c;
		}
		rdna_row(r, acc ? D : C)[l] = c[l];
	}
	memcpy(old, rdna_row(r, D), sizeof(old));
	rig_run(r, 1);
	for (l = 0, n = 0; l < lanes; l++) {
		u32 a = rdna_row(r, A)[l], b = rdna_row(r, B)[l], got = rdna_row(r, D)[l], want;
		struct dot_step s = {
			.ta = o->ta, .tb = o->tb, .n = bytes ? 4 : 2,
			.c = narrow ? c[l] >> (sel & 1 ? 16 : 0) & 0xffff : c[l],
			.narrow = narrow, .gfx12 = gfx12, .ovfl = ovfl,
		};

		split(o->ta, a, s.a);
		split(o->tb, b, s.b);
		want = rdna_dot(&s);
		for (; first && n < ARRAY_SIZE(measured); n++)
			if (measured[n].gfx12 == gfx12 && measured[n].bf16 == bf16)
				break;
		if (first && n < ARRAY_SIZE(measured))
			want = measured[n++].result;
		if (narrow)
			want = (old[l] & (sel & 2 ? 0xffff : 0xffff0000)) | want << (sel & 2 ? 16 : 0);
		if (got != want) {
			printf("# lane %u, case %u: %08x %08x %08x\n", l, try, a, b, c[l]);
			return rdna_tell(name, "a lane", got, want);
		}
	}
	return true;
}

int rdna_dots(struct rig *r, const struct isa_target *t, const struct isa_row *row,
	      unsigned int enc, u32 op)
{
	const char *name = isa_op_names[row->op];
	u32 n, try, w[4];

	for (n = 0; n < ARRAY_SIZE(dot_ops); n++)
		if (!strcmp(dot_ops[n].name, name) && dot_ops[n].enc == enc)
			break;
	if (n == ARRAY_SIZE(dot_ops))
		return -1;
	for (try = 0; try < 72; try++)
		if (!dot_case(r, t, name, n, op, try))
			return 0;
	if (!dot_ops[n].narrow)
		return 1;
	/* A sign of two halves: refused */
	encode(t, enc, op, 0, w);
	w[1] |= 1u << 29;
	rdna_prepare(r, w, 64, ~0ull, 5);
	return rig_run(r, 1) == ISA_STOP_ILLEGAL;
}

/* @w with quad_perm:[3,2,1,0] gives what @plain gives with lanes of A in that order. */
static bool permuted(struct rig *r, const char *name, const u32 *w, const u32 *plain, bool has)
{
	u32 d[ISA_LANES], a[ISA_LANES], l;

	rdna_prepare(r, plain, 64, ~0ull, 11);
	memcpy(a, rdna_row(r, A), sizeof(a));
	for (l = 0; l < ISA_LANES; l++)
		rdna_row(r, A)[l] = a[l ^ 3];
	if (rig_run(r, 1) != ISA_STOP_BUDGET)
		return rdna_tell(name, "the stop", r->ex.why, ISA_STOP_BUDGET);
	memcpy(d, rdna_row(r, D), sizeof(d));
	rdna_prepare(r, w, 64, ~0ull, 11);
	if (rig_run(r, 1) != (has ? ISA_STOP_BUDGET : ISA_STOP_ILLEGAL))
		return rdna_tell(name, "the stop with DPP", r->ex.why, has);
	return !has || !memcmp(d, rdna_row(r, D), sizeof(d)) || rdna_tell(name, "DPP", 1, 0);
}

/*
 * DPP of packed sources: v_pk_fmac_f16 has it on gfx10 only (LLVM, PR 144782 and 148751),
 * v_dot2_f32_bf16 from gfx11 on (142451).
 */
bool rdna_dpp_packed(struct rig *r, const struct isa_target *t)
{
	const bool gfx11 = isa_target_has(t, ISA_FEAT_GFX11_TEXT);
	const u32 dpp = A | 0x1b << 8 | 0xffu << 24, fmac = 0x78000000 | D << 17 | B << 9;
	const u32 w[4] = { fmac | 250, dpp, NOP, NOP };
	const u32 sign[4] = { fmac | 250, dpp | BIT(20), NOP, NOP };
	const u32 plain[4] = { fmac | 256 | A, NOP, NOP, NOP };
	const u32 sources = (256 | B) << 9 | (256 | C) << 18 | 3u << 27;
	const u32 dot[4] = { 0xcc1a4000 | D, sources | 250, dpp, NOP };
	const u32 plain_dot[4] = { 0xcc1a4000 | D, sources | 256 | A, NOP, NOP };

	/* Of which half a sign is nobody says. */
	rdna_prepare(r, sign, 64, ~0ull, 11);
	if (rig_run(r, 1) != ISA_STOP_ILLEGAL)
		return rdna_tell("v_pk_fmac_f16 with a sign", "the stop", r->ex.why,
				 ISA_STOP_ILLEGAL);
	return permuted(r, "v_pk_fmac_f16", w, plain, !gfx11) &&
	       (!gfx11 || permuted(r, "v_dot2_f32_bf16", dot, plain_dot, true));
}
