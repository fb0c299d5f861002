// SPDX-License-Identifier: MIT
/*
 * gfx950's small floats: conversions with scales and random bits, matrix operations with
 * scales, against models that look at all codes and sum in long double. TAP.
 */
#include <math.h>
#include "one.h"
#include "ref_matrix.h"

/* ---- formats by their values ---- */

static const struct {
	const char *name;
	u32 bits, mbits;
	int top;		/* exponent of the largest numbers */
	unsigned int type;	/* of ref_matrix.c; the others are computed */
} formats[] = {
	{ "f32", 32, 23, 127, RM_F32 }, { "f16", 16, 10, 15, RM_F16 },
	{ "bf16", 16, 7, 127, RM_BF16 }, { "fp8", 8, 3, 8, RM_OCP_FP8 },
	{ "bf8", 8, 2, 15, RM_OCP_BF8 }, { "fp6", 6, 3, 2, RM_FP6 },
	{ "bf6", 6, 2, 4, RM_BF6 }, { "fp4", 4, 1, 2, RM_FP4 },
};

static int format_named(const char *s, size_t len)
{
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(formats); n++)
		if (strlen(formats[n].name) == len && !strncmp(formats[n].name, s, len))
			return (int)n;
	return -1;
}

static bool has_inf(int f)
{
	return f <= 2 || f == 4;
}

/* The positive code of a number that is one; the number behind the largest is one, too. */
static u32 code_of(double v, int f)
{
	u32 code;

	if (formats[f].bits > 8) {
		int low = rm_lowest(formats[f].type), e = v ? ilogb(v) : low;
		u32 frac;

		if (!v || e < low)
			return (u32)ldexp(v, (int)formats[f].mbits - low);
		frac = (u32)ldexp(v, (int)formats[f].mbits - e) & ((1u << formats[f].mbits) - 1);
		return (u32)(e - low + 1) << formats[f].mbits | frac;
	}
	for (code = 0; code < 1u << (formats[f].bits - 1); code++)
		if (rm_value(formats[f].type, code) == v)
			return code;
	return code;
}

/* Distance of codes around @v */
static double step(double v, int f)
{
	int low = rm_lowest(formats[f].type), e = v ? ilogb(v) : low;

	return ldexp(1, (e < low ? low : e) - (int)formats[f].mbits);
}

static double largest(int f)
{
	double one = f == 3 ? 1.75 : 2 - ldexp(1, -(int)formats[f].mbits);

	return ldexp(one, formats[f].top);
}

/* @v in format @f: to the nearest, or with random bits */
static u32 encode(double v, int f, const u32 *random, bool ovfl)
{
	u32 bits = formats[f].bits, sign = signbit(v) ? 1u << (bits - 1) : 0, max;
	double a = fabs(v), r;

	max = code_of(largest(f), f);
	if (isnan(v))
		return bits > 8 ? (max + 1) | 1u << (formats[f].mbits - 1) :
		       sign | (f > 4 ? max : 0x7f);
	if (isinf(v))
		return sign | (f > 4 ? max : has_inf(f) ? max + 1 : 0x7f);
	if (random && a)
		a += ldexp(*random >> (9 + formats[f].mbits), ilogb(a) - 23);
	r = a / step(a, f);
	r = (random ? floor(r) : nearbyint(r)) * step(a, f);
	if (r > largest(f)) {
		if (f > 4 || (ovfl && (bits == 8 || f == 1)))
			return sign | max;
		return sign | (has_inf(f) ? max + 1 : 0x7f);
	}
	return sign | code_of(r, f);
}

/* ---- conversions ---- */

struct conversion {
	int from, to;
	u32 count;
	bool sr, two, plain;
	/* of the instruction: clamp, and what omod multiplies by, where it acts */
	bool clamp, nan0, scaled;
	double factor;
};

/* What a name says */
static bool parse(const char *name, struct conversion *c)
{
	const char *s, *last = strrchr(name, '_'), *to = last - 1;

	memset(c, 0, sizeof(*c));
	c->plain = strncmp(name, "v_cvt_scalef32_", 15) != 0;
	s = name + (c->plain ? 6 : 15);
	while (to > s && to[-1] != '_')
		to--;
	c->from = format_named(last + 1, strlen(last + 1));
	c->to = format_named(to, (size_t)(last - to));
	c->sr = !strncmp(s, "sr_", 3);
	c->count = strstr(s, "pk16") || strstr(s, "pk32") ? 32 : strstr(s, "pk_") ? 2 : 1;
	c->two = !c->sr && c->from == 0 && c->count > 1;
	return c->from >= 0 && c->to >= 0;
}

static u32 field(const u32 *rows, u32 lane, u32 bit, u32 bits)
{
	u64 x = rows[bit / 32 * 64 + lane];

	if (bit % 32 + bits > 32)
		x |= (u64)rows[(bit / 32 + 1) * 64 + lane] << 32;
	return (u32)(x >> bit % 32) & (bits == 32 ? ~0u : (1u << bits) - 1);
}

static u32 prng(u32 x)
{
	return x & 0x80000000 ? (x << 1) ^ 0xc5 : x << 1;
}

/* Where a multiplier acts, denormals and -0 become 0. */
static u32 modified(const struct conversion *c, u32 code)
{
	u32 sign = 1u << (formats[c->to].bits - 1);
	double v = rm_value(formats[c->to].type, code);

	if (c->scaled && (code & ~sign) >> formats[c->to].mbits == 0)
		v = code = 0;
	if (!c->clamp)
		return code;
	if (isnan(v))
		return c->nan0 ? 0 : code;
	return v <= 0 ? 0 : v > 1 ? code_of(1, c->to) : code;
}

/* A register whose lower half is a float constant: 240 to 248 */
static u32 constant(u32 code, int f)
{
	static const double values[] = { 0.5, -0.5, 1, -1, 2, -2, 4, -4 };

	if (code == 248)	/* 1 / (2 * pi), as both have it */
		return f == 1 ? 0x3118 : 0x3e22;
	return encode(values[code - 240], f, NULL, false);
}

static void convert(const struct conversion *c, u32 lane, u32 opsel, u32 neg, u32 abs, bool ovfl)
{
	u32 bits = formats[c->from].bits, size = formats[c->to].bits, all = size * c->count;
	u32 at = bits * c->count == 8 ? (opsel & 3) * 8 :
		 bits * c->count == 16 ? (opsel & 1) * 16 : 0;
	u32 random = row(before, S1)[lane], k, n, to = 0;
	u32 scale = row(before, c->sr || c->two ? S2 : S1)[lane] >> 23 & 0xff;

	if (all == 8)
		to = (opsel >> 2) * 8;
	else if (all == 16)
		to = (opsel >> 3) * 16;
	for (k = 0; k < c->count; k++) {
		u32 src = c->two ? k & 1 : 0, code;
		u32 x = field(row(before, src ? S1 : S0), lane,
			      at + (c->two ? k / 2 : k) * bits, bits);
		double v = rm_value(formats[c->from].type, x);

		if (bits > 8) {
			v = abs >> src & 1 ? fabs(v) : v;
			v = neg >> src & 1 ? -v : v;
		}
		if (!c->plain)
			v = ldexp(v, size <= 8 ? 127 - (int)scale : (int)scale - 127);
		if (!c->plain && scale == 255)
			v = NAN;
		if (c->scaled)
			v *= c->factor;
		code = modified(c, encode(v, c->to, c->sr ? &random : NULL, ovfl));
		for (n = 0; n < size; n++, to++) {
			u32 *d = &row(want, DST + to / 32)[lane];

			*d = (*d & ~(1u << to % 32)) | (code >> n & 1) << to % 32;
		}
		random = prng(random);
	}
}

static u32 some(int f, u32 kind)
{
	u32 mbits = formats[f].mbits, bits = formats[f].bits, x = (u32)lt_rand();
	u32 e = (1u << (bits - 1 - mbits)) - 1;

	if (bits <= 8)
		return x & ((1u << bits) - 1);
	if (kind == 0)		/* about what small formats hold */
		x = (x & ~(e << mbits)) | ((e >> 1) - 6 + (u32)(lt_rand() % 16)) << mbits;
	else if (kind == 1)	/* ties: few bits set */
		x = (x & (e << mbits | 1u << (bits - 1) | 31u << (mbits - 5)));
	else if (kind == 2 && lt_rand() % 4 == 0)
		x |= e << mbits;
	if (kind == 1)
		x = (x & ~(e << mbits)) | ((e >> 1) - 3 + (u32)(lt_rand() % 8)) << mbits;
	return bits == 32 ? x : x & 0xffff;
}

/* A register of them */
static u32 two_of(int f, u32 kind)
{
	return some(f, kind) | (formats[f].bits == 16 ? some(f, kind) << 16 : 0);
}

static void fill_conversion(const struct conversion *c, u32 kind)
{
	u32 n, l;

	for (n = 0; n < ROWS * 64; n++)
		before[n] = (u32)lt_rand();
	if (formats[c->from].bits > 8)
		for (n = S0; n < S0 + 32; n++)
			for (l = 0; l < 64; l++)
				row(before, n)[l] = two_of(c->from, kind);
	if (c->two)
		for (n = S1; n < S1 + 16; n++)
			for (l = 0; l < 64; l++)
				row(before, n)[l] = some(0, kind);
	for (l = 0; l < 64 && !c->plain; l++) {
		u32 *s = &row(before, c->sr || c->two ? S2 : S1)[l];
		u32 e = kind == 3 ? *s >> 23 & 0xff : 127 - 3 + *s % 7;

		*s = (*s & 0x807fffff) | e << 23;
	}
}

static bool test_conversion(const char *name)
{
	int op = number(ISA_ENC_VOP3, name);
	const struct isa_row *r;
	struct conversion c;
	u32 k, l, v;

	if (op < 0 || !parse(name, &c))
		return false;
	r = &isa_rows[target->slots[ISA_ENC_VOP3][op]];
	for (k = 0; k < 64; k++) {
		u32 opsel = r->flags & ISA_OPF_OPSEL ? (u32)lt_rand() & 15 : 0, w[2];
		u32 neg = (u32)lt_rand() & r->mods & 3, abs = (u32)lt_rand() & r->mods & 3;
		u64 exec = k & 1 ? lt_rand() : ~0ull;
		u32 mode = k % 16 < 8 ? 0x3f0 : (u32)lt_rand() & 0x3f0, src0 = S0 + 256, omod = 0;
		bool ovfl = k & 2;

		c.clamp = r->flags & ISA_OPF_CLAMP && k % 5 == 0;
		if (r->flags & ISA_OPF_OMOD)
			omod = (u32)lt_rand() & 3;
		c.factor = omod == 3 ? 0.5 : 1 << omod;
		c.nan0 = mode & 0x100;
		c.scaled = omod && !(mode & (c.to == 1 ? 0x280 : 0x220));
		if (!r->src[2].kind && !(r->ignored & 4))
			opsel &= ~4u;
		fill_conversion(&c, k / 4 % 4);
		if (formats[c.from].bits == 16 && c.count <= 2 && k % 7 == 0) {
			src0 = 240 + (u32)lt_rand() % 9;
			for (l = 0; l < 64; l++)
				row(before, S0)[l] = constant(src0, c.from);
		}
		w[0] = 0xd0000000 | (u32)op << 16 | DST | opsel << 11 | abs << 8 |
		       (u32)c.clamp << 15;
		w[1] = src0 | (S1 + 256) << 9 | (r->src[2].kind ? S2 + 256 : 0) << 18 |
		       omod << 27 | neg << 29;
		memcpy(want, before, ROWS * 256);
		for (l = 0; l < 64; l++)
			if (exec >> l & 1)
				convert(&c, l, opsel, neg, abs, ovfl);
		for (v = 0; v < nvariants; v++)
			if (!run(variants[v], w, 2, mode | (ovfl ? OVFL : 0), exec) ||
			    !compare(name))
				return false;
	}
	return true;
}

/* V_CVT_F32_BF16 of every float constant */
static bool test_constants(void)
{
	u32 code, n, l, v, w[2] = { 0 };

	for (code = 240; code <= 248; code++) {
		w[0] = 0x7e000000 | (u32)number(ISA_ENC_VOP1, "v_cvt_f32_bf16") << 9 | DST << 17 | code;
		for (n = 0; n < ROWS * 64; n++)
			before[n] = (u32)lt_rand();
		memcpy(want, before, ROWS * 256);
		for (l = 0; l < 64; l++)
			row(want, DST)[l] = constant(code, 2) << 16;
		for (v = 0; v < nvariants; v++)
			if (!run(variants[v], w, 1, 0x3f0, ~0ull) || !compare("v_cvt_f32_bf16"))
				return false;
	}
	return true;
}

static u32 float_code(u32 code, int f)
{
	return encode(rm_value(formats[f].type, code), 0, NULL, false);
}

/* A float of each byte of a format, and back: V_CVT_F32_FP8 and kin in OCP's formats */
static bool test_ocp(const char *name, bool vop1)
{
	int op = number(vop1 ? ISA_ENC_VOP1 : ISA_ENC_VOP3, name), f = strstr(name, "fp8") ? 3 : 4;
	bool pk = strstr(name, "_pk_"), sr = strstr(name, "_sr_");
	u32 k, l, v, n;

	for (k = 0; k < 256; k++) {
		u32 opsel = vop1 ? 0 : sr ? (u32)lt_rand() & 12 : (u32)lt_rand() & 8, w[2];
		bool ovfl = k & 1;

		if (vop1)
			w[0] = 0x7e000000 | (u32)op << 9 | DST << 17 | (S0 + 256);
		else
			w[0] = 0xd0000000 | (u32)op << 16 | DST | opsel << 11;
		w[1] = (S0 + 256) | (S1 + 256) << 9;
		for (n = 0; n < ROWS * 64; n++)
			before[n] = (u32)lt_rand();
		for (l = 0; l < 64 && !vop1; l++) {
			row(before, S0)[l] = some(0, k / 2 % 3);
			if (!sr)
				row(before, S1)[l] = some(0, k / 2 % 3);
		}
		memcpy(want, before, ROWS * 256);
		for (l = 0; l < 64; l++) {
			u32 x = row(before, S0)[l], y = row(before, S1)[l], *d = &row(want, DST)[l];
			u32 at = sr ? (opsel >> 2) * 8 : (opsel >> 3) * 16, code;

			if (vop1) {
				*d = float_code(x & 255, f);
				if (pk)
					d[64] = float_code(x >> 8 & 255, f);
				continue;
			}
			code = encode(rm_value(RM_F32, x), f, sr ? &y : NULL, ovfl);
			if (pk)
				code |= encode(rm_value(RM_F32, y), f, NULL, ovfl) << 8;
			*d = (*d & ~((pk ? 0xffffu : 0xffu) << at)) | code << at;
		}
		for (v = 0; v < nvariants; v++)
			if (!run(variants[v], w, vop1 ? 1 : 2, 0x3f0 | (ovfl ? OVFL : 0), ~0ull) ||
			    !compare(name))
				return false;
	}
	return true;
}

/* ---- matrix operations with scales ---- */

#define MA	0u
#define MB	16u
#define MC	32u
#define MD	64u
#define SA	100u
#define SB	101u

/* Element of row @i at @k: those of a byte in two runs of a lane's 16 */
static u32 element(u32 from, int f, u32 m, u32 depth, u32 i, u32 k)
{
	u32 bits = formats[f].bits, lane, n;

	if (bits == 8) {
		u32 half = k / (depth / 2), in = k % (depth / 2);

		lane = in / 16 * m + i;
		n = half * 16 + in % 16;
	} else {
		lane = k / 32 * m + i;
		n = k % 32;
	}
	return field(row(before, from), lane, n * bits, bits);
}

static u32 bits_of(float x)
{
	u32 v;

	memcpy(&v, &x, 4);
	return x != x ? 0x7fc00000 : v;
}

static u32 product(int fa, int fb, u32 m, u32 depth, u32 i, u32 j, float c, bool scaled,
		   u32 ba, u32 bb)
{
	unsigned int ta = formats[fa].type, tb = formats[fb].type;
	struct rm_product p[16];
	u32 t, n;

	for (t = 0; t < depth; t += 16) {
		u32 sa = 127, sb = 127;

		if (scaled) {
			sa = row(before, SA)[t / 32 * m + i] >> 8 * ba & 255;
			sb = row(before, SB)[t / 32 * m + j] >> 8 * bb & 255;
		}
		if (sa == 255 || sb == 255)
			return 0x7fc00000;
		for (n = 0; n < 16; n++)
			p[n] = (struct rm_product){
				rm_value(ta, element(MA, fa, m, depth, i, t + n)),
				rm_value(tb, element(MB, fb, m, depth, j, t + n)),
				rm_lowest(ta), rm_lowest(tb), (int)(sa + sb) - 254
			};
		c = rm_fused(p, 16, c, true);
	}
	return bits_of(c);
}

static void fill_matrix(u32 kind)
{
	u32 n, l;

	for (n = 0; n < ROWS * 64; n++)
		before[n] = (u32)lt_rand();
	for (n = MC; n < MC + 16; n++)
		for (l = 0; l < 64; l++)
			row(before, n)[l] = kind & 1 ? some(0, 0) : some(0, 3);
	if (kind < 2)		/* no infinities and NaNs of bytes */
		for (n = MA; n < MB + 8; n++)
			for (l = 0; l < 64; l++)
				row(before, n)[l] &= 0xbfbfbfbf;
	for (l = 0; l < 64 && kind != 3; l++) {
		row(before, SA)[l] = row(before, SA)[l] % 9 * 0x01010101 + 123 * 0x01010101;
		row(before, SB)[l] = row(before, SB)[l] % 9 * 0x01010101 + 123 * 0x01010101;
		row(before, SA)[l] ^= (u32)lt_rand() & 0x03030303;
		row(before, SB)[l] ^= (u32)lt_rand() & 0x03030303;
	}
}

static bool test_matrix(const char *name, u32 m, bool scaled, u32 cbsz, u32 blgp)
{
	u32 depth = m == 16 ? 128 : 64, op = m == 16 ? 0x2d : 0x2e, k, r, l, v;
	int fa = (int)cbsz + 3, fb = (int)blgp + 3;

	for (k = 0; k < 4; k++) {
		u32 sel = (u32)lt_rand() & 15, w[4], at = scaled ? 2 : 0;
		u32 ba = (sel & 1) | (sel >> 2 & 1) << 1, bb = (sel >> 1 & 1) | (sel >> 3 & 1) << 1;

		w[0] = 0xd3ac0000 | (sel & 3) << 11;
		w[1] = (SA + 256) | (SB + 256) << 9 | (sel >> 2) << 27;
		w[at] = 0xd3800000 | op << 16 | MD | cbsz << 8 | (scaled ? 1u << 11 : 0);
		w[at + 1] = (MA + 256) | (MB + 256) << 9 | (MC + 256) << 18 | blgp << 29;
		fill_matrix(k);
		memcpy(want, before, ROWS * 256);
		for (r = 0; r < (m == 16 ? 4u : 16u); r++)
			for (l = 0; l < 64; l++) {
				u32 i = m == 16 ? l / 16 * 4 + r : r / 4 * 8 + l / 32 * 4 + r % 4;
				float c;

				memcpy(&c, &row(before, MC + r)[l], 4);
				row(want, MD + r)[l] = product(fa, fb, m, depth, i, l % m, c,
							       scaled, ba, bb);
			}
		for (v = 0; v < 1; v++)		/* one build serves them all */
			if (!run(variants[v], w, at + 2, 0x3f0, lt_rand()) || !compare(name))
				return false;
	}
	return true;
}

/* What does not exist: formats beyond FP4, scales that are no VGPRs */
static bool test_refused(void)
{
	static const u32 words[][4] = {
		{ 0xd3ad0528, 0x04522104 }, { 0xd3ad0028, 0xa4522104 },
		{ 0xd3ac0000, 0x00020602, 0xd3ad0828, 0x04522104 },
		{ 0xd3ac0000, 0x00020702 },
	};
	struct isa_slot s;
	u32 n;
	bool ok = true;

	for (n = 0; n < ARRAY_SIZE(words); n++)
		if (isa_decode(target, words[n], words[n][2] ? 4 : 3, &s.in) > 0 &&
		    isa_bind(variants[0], target, &s)) {
			printf("# %08x %08x accepted\n", words[n][0], words[n][1]);
			ok = false;
		}
	return ok;
}

int main(int argc, char **argv)
{
	static const char * const shapes[] = {
		"v_mfma_f32_16x16x128_f8f6f4", "v_mfma_scale_f32_16x16x128_f8f6f4",
		"v_mfma_f32_32x32x64_f8f6f4", "v_mfma_scale_f32_32x32x64_f8f6f4",
	};
	char text[96];
	u32 n, f, g;

	setup("gfx950", argc, argv);
	for (n = 0; n < target->nslots[ISA_ENC_VOP3]; n++) {
		u32 r = target->slots[ISA_ENC_VOP3][n];
		const char *name = r ? isa_target_op_name(target, isa_rows[r].op) : "";

		if (!strncmp(name, "v_cvt_scalef32_", 15) || !strcmp(name, "v_cvt_pk_f16_f32") ||
		    !strcmp(name, "v_cvt_pk_bf16_f32") || !strcmp(name, "v_cvt_sr_f16_f32") ||
		    !strcmp(name, "v_cvt_sr_bf16_f32"))
			result(test_conversion(name), name);
	}
	result(test_constants(), "v_cvt_f32_bf16 of constants");
	result(test_ocp("v_cvt_f32_fp8", true), "v_cvt_f32_fp8");
	result(test_ocp("v_cvt_f32_bf8", true), "v_cvt_f32_bf8");
	result(test_ocp("v_cvt_pk_f32_fp8", true), "v_cvt_pk_f32_fp8");
	result(test_ocp("v_cvt_pk_f32_bf8", true), "v_cvt_pk_f32_bf8");
	result(test_ocp("v_cvt_pk_fp8_f32", false), "v_cvt_pk_fp8_f32");
	result(test_ocp("v_cvt_pk_bf8_f32", false), "v_cvt_pk_bf8_f32");
	result(test_ocp("v_cvt_sr_fp8_f32", false), "v_cvt_sr_fp8_f32");
	result(test_ocp("v_cvt_sr_bf8_f32", false), "v_cvt_sr_bf8_f32");
	for (n = 0; n < 4; n++)
		for (f = 0; f < 5; f++)
			for (g = 0; g < 5; g++) {
				snprintf(text, sizeof(text), "%s cbsz:%u blgp:%u", shapes[n], f, g);
				result(test_matrix(text, n & 2 ? 32 : 16, n & 1, f, g), text);
			}
	result(test_refused(), "what does not exist is refused");
	return finish();
}
