// SPDX-License-Identifier: GPL-2.0-only
/*
 * gfx950's matrix operations on FP8, BF8, FP6, BF6 and FP4 in any mixture, with scales
 * for blocks of 32 elements along k, or without: V_MFMA_*_F8F6F4. In integers, one
 * product after the other: one build serves all SIMD variants.
 *
 * Where elements lie: a lane holds 32 of a row (or column). Those of eight bits are
 * two runs of 16, half of k apart; smaller ones are one run. The scale of a row's block
 * n is in the lane of that row in group n. Source of the runs: AMD, "Matrix Core Programming
 * on AMD CDNA3 and CDNA4 architecture", figures 9 and 10.
 *
 * No source says how these are summed. They are as gfx942's FP8 operations are, by
 * MMA-Sim: groups of 16 along k; even and odd products are aligned to the largest exponent
 * of theirs and cut to 24 bits below it, and the two sums are aligned and added, then C.
 * Scales are part of the exponents. A scale of all ones is NaN (OCP Microscaling Formats).
 */
#include "scalar.h"
#include "tables.h"
#include "lane_cvt.h"

#define GROUP		16
#define BLOCK		32		/* elements of one scale, and of a lane */
#define SIG_BITS	3		/* of a significand behind the point, at most */
#define ZERO_EXP	(-126)
#define F32_QNAN	0x7fc00000u
#define F32_INF		0x7f800000u

enum { FINITE, INF, NAN };

/* An element: @sig * 2^(@exp - SIG_BITS) */
struct element {
	s8 sig;
	u8 kind;
	s16 exp;
};

struct scaled {
	struct element *a, *b;		/* rows of @depth elements */
	s32 sa[ISA_LANES], sb[ISA_LANES];	/* exponents of rows' blocks */
	u32 m, depth;
};

static const struct {
	u8 bits, ebits, mbits, bias;
	bool ieee, nan;
} formats[] = {		/* cbsz, blgp */
	{ 8, 4, 3, 7, false, true }, { 8, 5, 2, 15, true, false },
	{ 6, 2, 3, 1, false, false }, { 6, 3, 2, 3, false, false },
	{ 4, 2, 1, 1, false, false },
};

static struct element get_element(u32 x, u32 format)
{
	u32 mbits = formats[format].mbits, top = (1u << formats[format].ebits) - 1;
	u32 frac = x & ((1u << mbits) - 1), e = x >> mbits & top, sig = frac;
	struct element r = { .kind = FINITE };

	if (e == top && formats[format].ieee)
		r.kind = frac ? NAN : INF;
	else if (e == top && formats[format].nan && frac == (1u << mbits) - 1)
		r.kind = NAN;
	if (e)
		sig |= 1u << mbits;
	r.exp = (s16)((s32)(e ? e : 1) - formats[format].bias);
	if (!sig)
		r.exp = ZERO_EXP;
	r.sig = (s8)(sig << (SIG_BITS - mbits));
	if (x >> (formats[format].bits - 1) & 1)
		r.sig = -r.sig;
	return r;
}

static u32 *vector_row(const struct isa_wave *w, u32 code, u32 n)
{
	u32 row = code >= ISA_SRC_ACC0 ? w->acc_row + code - ISA_SRC_ACC0 : code - ISA_SRC_VGPR0;

	return w->v + (row + n) * ISA_LANES;
}

/* Element @n of a lane: bits of consecutive registers */
static u32 raw(const u32 *rows, u32 lane, u32 n, u32 bits)
{
	u32 at = n * bits, x = rows[at / 32 * ISA_LANES + lane] >> at % 32;

	if (at % 32 + bits > 32)
		x |= rows[(at / 32 + 1) * ISA_LANES + lane] << (32 - at % 32);
	return x & ((1u << bits) - 1);
}

static void stage(const struct isa_wave *w, const struct scaled *o, u32 code, u32 format,
		  struct element *to)
{
	const u32 *rows = vector_row(w, code, 0);
	u32 bits = formats[format].bits, lane, n;

	for (lane = 0; lane < ISA_LANES; lane++) {
		u32 part = lane / o->m;

		for (n = 0; n < BLOCK; n++) {
			u32 k = part * BLOCK + n;

			if (bits == 8)
				k = n / 16 * (o->depth / 2) + part * 16 + n % 16;
			to[lane % o->m * o->depth + k] =
				get_element(raw(rows, lane, n, bits), format);
		}
	}
}

/* Exponents of the scales in byte @byte of a register: of row r's block n at n * m + r */
static void stage_scales(const struct isa_wave *w, u32 code, u32 byte, s32 *to)
{
	const u32 *row = vector_row(w, code, 0);
	u32 lane;

	for (lane = 0; lane < ISA_LANES; lane++) {
		u32 e = row[lane] >> byte * 8 & 0xff;

		to[lane] = e == 0xff ? CVT_SCALE_NAN : (s32)e - 127;
	}
}

/* @x / 2^@down towards minus infinity, or towards zero */
static s64 floor_shift(s64 x, s32 down)
{
	return x >> (down > 62 ? 62 : down);
}

static s64 cut_shift(s64 x, s32 down)
{
	return x < 0 ? -floor_shift(-x, down) : floor_shift(x, down);
}

/* Sum of every second product from @t on, in units of 2^(*@max - 24) */
static s64 half_sum(const struct element *a, const struct element *b, u32 t, s32 *max)
{
	s64 sum = 0;
	u32 n;

	*max = -100000;
	for (n = t; n < GROUP; n += 2)
		if (a[n].exp + b[n].exp > *max)
			*max = a[n].exp + b[n].exp;
	for (n = t; n < GROUP; n += 2)
		sum += cut_shift((s64)a[n].sig * b[n].sig * (1 << (24 - 2 * SIG_BITS)),
				 *max - a[n].exp - b[n].exp);
	return sum;
}

/* @x * 2^@e to a float, to the nearest, ties to even */
static u32 round_f32(s64 x, s32 e)
{
	u64 m = x < 0 ? (u64)-x : (u64)x, rest, half;
	u32 sign = x < 0 ? 1u << 31 : 0, q;
	s32 top, shift;

	if (!m)
		return 0;
	top = 63 - __builtin_clzll(m);
	shift = top - 23;
	if (e + top < -126)
		shift = -149 - e;
	if (shift > 63)
		return sign;
	if (shift <= 0) {
		q = (u32)(m << -shift);
	} else {
		rest = m & ((1ull << shift) - 1);
		half = 1ull << (shift - 1);
		q = (u32)(m >> shift);
		q += rest > half || (rest == half && q & 1);
	}
	e += shift;		/* q * 2^e; of normal ones bit 23 is set */
	if (e + 149 > 253)
		return sign | F32_INF;
	q += (u32)(e + 149) << 23;
	return sign | (q >= F32_INF ? F32_INF : q);
}

/* The sum if a product or C is infinite or NaN, 1 if there is nothing like that */
static u32 special_sum(const struct element *a, const struct element *b, s32 scale, u32 c)
{
	bool inf[2] = { c == F32_INF, c == (F32_INF | 1u << 31) }, huge[2] = { false, false };
	u32 n;

	if ((c & 0x7fffffff) > F32_INF)
		return F32_QNAN;
	for (n = 0; n < GROUP; n++) {
		bool neg = (a[n].sig < 0) != (b[n].sig < 0);
		s32 p = a[n].sig * b[n].sig, e = a[n].exp + b[n].exp + scale;

		if (a[n].kind == NAN || b[n].kind == NAN)
			return F32_QNAN;
		if (a[n].kind == INF || b[n].kind == INF) {
			if ((a[n].kind != INF && !a[n].sig) || (b[n].kind != INF && !b[n].sig))
				return F32_QNAN;
			inf[neg] = true;
			continue;
		}
		p = p < 0 ? -p : p;
		if (p)		/* from 2^128 on a product counts as infinite */
			huge[neg] |= e + 31 - __builtin_clz((u32)p) - 2 * SIG_BITS >= 128;
	}
	if (!inf[0] && !inf[1]) {
		inf[0] = huge[0];
		inf[1] = huge[1];
	}
	if (inf[0] && inf[1])
		return F32_QNAN;
	return inf[0] ? F32_INF : inf[1] ? F32_INF | 1u << 31 : 1;
}

static s32 larger(s32 a, s32 b)
{
	return a > b ? a : b;
}

static u32 add_group(const struct element *a, const struct element *b, s32 scale, u32 c)
{
	u32 special = special_sum(a, b, scale, c);
	s32 e, odd, max, ec = (s32)(c >> 23 & 0xff);
	s64 s, so, sc = c & 0x7fffff;

	if (special != 1)
		return special;
	s = half_sum(a, b, 0, &e);
	so = half_sum(a, b, 1, &odd);
	max = larger(e, odd);
	s = floor_shift(s, max - e) + floor_shift(so, max - odd);
	e = max + scale;
	/* C, in units of 2^(ec - 24) */
	sc |= ec ? 0x800000 : 0;
	if (ec < 1)
		ec = 1;
	ec -= 127;
	if (!sc) {
		ec = ZERO_EXP;
	} else if (sc < 0x800000) {	/* aligned as it is */
		ec = -126;
	}
	sc = (c >> 31 ? -sc : sc) * 2;
	max = larger(e, ec);
	s = floor_shift(s * 128, max - e);
	sc = ec < max - 25 ? 0 : floor_shift(sc, max - ec) * 128;
	return round_f32(s + sc, max - 31);
}

static u32 dot(const struct scaled *o, u32 i, u32 j, u32 c)
{
	u32 t;

	for (t = 0; t < o->depth; t += GROUP) {
		s32 a = o->sa[t / BLOCK * o->m + i], b = o->sb[t / BLOCK * o->m + j];

		if (a == CVT_SCALE_NAN || b == CVT_SCALE_NAN)
			return F32_QNAN;
		c = add_group(o->a + i * o->depth + t, o->b + j * o->depth + t, a + b, c);
	}
	return c;
}

static enum isa_stop exec_scaled(struct isa_wave *w, const struct isa_insn *i)
{
	const struct isa_row *row = &isa_rows[i->row];
	u32 rows = row->dst[0].dwords, code = i->src[2], n, lane;
	struct scaled o = { .m = rows == 4 ? 16 : 32, .depth = rows == 4 ? 128 : 64 };
	u32 *d = vector_row(w, i->dst, 0);
	const u32 *c = code < ISA_SRC_VGPR0 ? NULL : vector_row(w, code, 0);
	u32 constant = c ? 0 : isa_sget32(w, i, (u16)code);

	o.a = (struct element *)w->cu->mat;
	o.b = o.a + o.m * o.depth;
	stage(w, &o, i->src[0], i->opsel & 7, o.a);
	stage(w, &o, i->src[1], i->neg, o.b);
	if (row->enc == ISA_ENC_SCALED) {
		stage_scales(w, i->ctl & 0xffff, (i->abs & 1) | (i->abs >> 1 & 2), o.sa);
		stage_scales(w, i->ctl >> 16, (i->abs >> 1 & 1) | (i->abs >> 2 & 2), o.sb);
	}
	/* Where C lies below D, its last registers are read before they are overwritten. */
	for (n = 0; n < rows; n++) {
		u32 r = c && d > c ? rows - 1 - n : n;

		for (lane = 0; lane < ISA_LANES; lane++) {
			u32 at = lane / o.m * 4 + r % 4 + (o.m == 32 ? r / 4 * 8 : 0);

			d[r * ISA_LANES + lane] = dot(&o, at, lane % o.m,
						      c ? c[r * ISA_LANES + lane] : constant);
		}
	}
	return isa_charge(w, ISA_COST_TURN);
}

bool isa_mfma_scaled_bind(const struct isa_target *t, struct isa_insn *i)
{
	(void)t;
	BUILD_BUG_ON(sizeof(struct element) != 4 || ISA_MAT_DWORDS < 2 * 16 * 128);
	if ((i->opsel & 7) >= ARRAY_SIZE(formats) || i->neg >= ARRAY_SIZE(formats))
		return false;
	isa_bind_to(i, exec_scaled, exec_scaled);
	return true;
}
