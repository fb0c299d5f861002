// SPDX-License-Identifier: MIT
/*
 * Operand kinds and modifiers of the vector ALU against a model written apart
 * from the lanes: scalars and constants by type, abs and neg, op_sel, packed
 * and mixed selects, SDWA, DPP, omod, clamp, partial results. TAP output.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "lanes.h"

#define ROUNDS	200

static const struct isa_lane_ops *variants[3];
static unsigned int nvariants;

static float asf(u32 x) { float f; memcpy(&f, &x, 4); return f; }
static u32 fbits(float f) { u32 x; memcpy(&x, &f, 4); return x; }
static double asd(u64 x) { double f; memcpy(&f, &x, 8); return f; }
static u64 dbits(double f) { u64 x; memcpy(&x, &f, 8); return x; }

/* Through the model's own conversions */
static u64 convert(unsigned int op, u64 x, u32 mode)
{
	struct ref_in in = { .s = { x }, .mode = mode };
	struct ref_out o;

	ref_op(&(struct lt_op){ .op = op }, &in, &o);
	return o.d;
}

static u32 float_of_half(u32 h) { return (u32)convert(ISA_OP_V_CVT_F32_F16, h, 0xf0); }
static u32 half_of_float(float f) { return (u32)convert(ISA_OP_V_CVT_F16_F32, fbits(f), 0xf0); }

static u64 scalar(const struct isa_wave *w, const struct isa_insn *i, u32 code,
		  unsigned int n, unsigned int type)
{
	static const float f[] = { 0.5f, -0.5f, 1, -1, 2, -2, 4, -4 };

	if (code < 128)
		return w->s[code] | (lt_is64(type) ? (u64)w->s[code + 1] << 32 : 0);
	if (code <= 208) {
		s64 v = code <= 192 ? (s64)code - 128 : 192 - (s64)code;

		if (type == LT_PKF32)
			return (u32)v | (u64)(u32)v << 32;
		return lt_is64(type) ? (u64)v : (u32)v;
	}
	if (code == ISA_SRC_LITERAL)
		return i->lit;
	switch (type) {
	case LT_F64:
	case LT_U64:	/* clang compares with 1 << 62 as "2.0" */
	case LT_I64:
		return code == 248 ? 0x3fc45f306dc9c882 : dbits(f[code - 240]);
	case LT_F16:
	case LT_U16:
	case LT_I16:
	case LT_PKF:
		return code == 248 ? 0x3118 : half_of_float(f[code - 240]);
	case LT_BF16:
	case LT_PKBF:
		return code == 248 ? 0x3e22 : fbits(f[code - 240]) >> 16;
	case LT_MIX:
		/* A constant has the size that op_sel_hi gives its operand (Mesa, ACO) */
		if (i->opsel >> (4 + n) & 1)
			return code == 248 ? 0x3118 : half_of_float(f[code - 240]);
	}
	{
		u32 v = code == 248 ? 0x3e22f983 : fbits(f[code - 240]);

		if (type == LT_PKF32)
			return v | (u64)v << 32;
		return lt_is64(type) ? (u64)(s64)(s32)v : v;
	}
}

/*
 * DPP's source lane, by the rows and banks of the ISA's text; -1: none. What a broadcast does to
 * the rows before the first that it reaches is in rocWMMA's tests only: they have their own lanes.
 */
static int dpp_lane(u32 c, int l)
{
	int row = l / 16, in = l % 16;

	if (c <= 0xff)
		return l / 4 * 4 + (int)(c >> (l % 4 * 2)) % 4;
	if (c >= 0x101 && c <= 0x10f)	/* row_shl: from higher lanes */
		return in + (int)(c - 0x100) > 15 ? -1 : l + (int)(c - 0x100);
	if (c >= 0x111 && c <= 0x11f)
		return in - (int)(c - 0x110) < 0 ? -1 : l - (int)(c - 0x110);
	if (c >= 0x121 && c <= 0x12f)
		return row * 16 + (in + 16 - (int)(c - 0x120)) % 16;
	if (c >= 0x150 && c <= 0x15f)
		return row * 16 + (int)(c - 0x150);
	switch (c) {
	case 0x130: return l == 63 ? -1 : l + 1;
	case 0x134: return (l + 1) % 64;
	case 0x138: return l == 0 ? -1 : l - 1;
	case 0x13c: return (l + 63) % 64;
	case 0x140: return row * 16 + 15 - in;
	case 0x141: return l / 8 * 8 + 7 - l % 8;
	case 0x142: return row ? row * 16 - 1 : l;
	case 0x143: return row > 1 ? 31 : l;
	}
	return -1;
}

static u64 raw(const struct isa_wave *w, const struct isa_insn *i, u32 code, unsigned int n,
	       unsigned int type, unsigned int lane)
{
	const u32 *row;

	if (code < ISA_SRC_VGPR0)
		return scalar(w, i, code, n, type);
	code = code >= ISA_SRC_ACC0 ? w->acc_row + code - ISA_SRC_ACC0 : code - ISA_SRC_VGPR0;
	row = w->v + code * ISA_LANES;
	return row[lane] | (lt_is64(type) ? (u64)row[lane + ISA_LANES] << 32 : 0);
}

static u64 packed(const struct isa_insn *i, unsigned int n, unsigned int type, u64 x)
{
	bool lo = i->opsel >> n & 1, hi = i->opsel >> (4 + n) & 1;
	bool nlo = i->neg >> n & 1, nhi = i->abs >> n & 1;
	u32 a, b;

	if (type == LT_MIX) {
		a = hi ? float_of_half((u32)(x >> (lo ? 16 : 0)) & 0xffff) : (u32)x;
		if (nhi)		/* acts as abs */
			a &= 0x7fffffff;
		return nlo ? a ^ 0x80000000 : a;
	}
	if (type == LT_PKF32) {
		a = (u32)(x >> (lo ? 32 : 0)) ^ (u32)nlo << 31;
		b = (u32)(x >> (hi ? 32 : 0)) ^ (u32)nhi << 31;
		return a | (u64)b << 32;
	}
	if (type != LT_PKI && type != LT_PKF && type != LT_PKBF)
		return x;
	a = (u32)(x >> (lo ? 16 : 0)) & 0xffff;
	b = (u32)(x >> (hi ? 16 : 0)) & 0xffff;
	if (type != LT_PKI) {
		a ^= nlo ? 0x8000 : 0;
		b ^= nhi ? 0x8000 : 0;
	}
	return a | b << 16;
}

static u64 select_sdwa(u64 x, u32 sel, bool sext)
{
	if (sel < 4) {
		x = x >> 8 * sel & 0xff;
		return sext ? (u32)(s8)x : x;
	}
	if (sel < 6) {
		x = x >> 16 * (sel - 4) & 0xffff;
		return sext ? (u32)(s16)x : x;
	}
	return x;
}

/* The operand as the operation sees it; false: DPP does not write the lane */
static bool operand(const struct isa_wave *w, const struct isa_insn *i,
		    const struct lt_op *op, unsigned int n, unsigned int lane, u64 *out)
{
	unsigned int type = op->src[n];
	u32 code = op->flags & LT_ACC && n == 2 ? i->dst : i->src[n];
	u64 x, sign;

	if (i->mods & ISA_MOD_DPP && n == 0) {
		int from = dpp_lane(i->ctl & 0x1ff, (int)lane);

		if (!(i->ctl >> (12 + lane / 4 % 4) & 1) || !(i->ctl >> (16 + lane / 16) & 1))
			return false;
		if (from < 0 || !(isa_exec(w) >> from & 1)) {
			if (!(i->mods & ISA_MOD_BOUND))
				return false;
			x = 0;
		} else {
			x = raw(w, i, code, n, type, (unsigned int)from);
		}
	} else {
		x = raw(w, i, code, n, type, lane);
	}
	if (op->flags & LT_ACC && n == 2)
		goto out;
	if (i->enc == ISA_ENC_VOP3P) {
		*out = packed(i, n, type, x);
		return true;
	}
	if (i->mods & ISA_MOD_SDWA && n < 2)
		x = select_sdwa(x, i->ctl >> (8 + 4 * n) & 7, i->ctl >> (11 + 4 * n) & 1);
	else if (lt_is16(type) && i->opsel >> n & 1)
		x = x >> 16 & 0xffff;
	if (type == LT_PKBF) {	/* v_dot2c_f32_bf16: abs is neg of the upper half */
		x ^= (i->neg >> n & 1) << 15 | (i->abs >> n & 1) << 31;
	} else if (lt_isf(type)) {
		sign = type == LT_F16 || type == LT_BF16 ? 0x8000 : type == LT_F64 ? 1ull << 63 : 1u << 31;
		if (i->abs >> n & 1)
			x &= ~sign;
		if (i->neg >> n & 1)
			x ^= sign;
	}
out:
	*out = lt_is16(type) ? x & 0xffff : x;
	return true;
}

/* omod and clamp of one float; @keep_out: denormal results are kept */
static double shape(const struct isa_insn *i, u32 mode, bool keep_out, double v)
{
	static const double scale[4] = { 1, 2, 4, 0.5 };

	if (i->omod && !keep_out && !(mode >> 9 & 1)) {
		v *= scale[i->omod];
		if (v == 0)
			v = 0;
	}
	if (i->mods & ISA_MOD_CLAMP) {
		if (isnan(v))
			return mode >> 8 & 1 ? 0 : v;
		v = v > 1 ? 1 : v > 0 ? v : 0;
	}
	return v;
}

static u32 shape32(const struct isa_insn *i, u32 mode, u32 x)
{
	double v;
	u32 r;

	if (i->omod && !(mode & 0x230) && !(x & 0x7f800000))
		x &= 0x80000000;
	v = shape(i, mode, mode & 0x20, asf(x));
	r = fbits((float)v);

	if (isnan(v))	/* a multiplication quiets what a select passes on */
		return i->omod && !(mode & 0x220) ? x | 0x400000 : x;
	if (i->omod && !(mode & 0x220) && !(r & 0x7f800000))
		r = 0;
	if (i->mods & ISA_MOD_CLAMP && !(mode & 0x10) && !(r & 0x7f800000))
		r = 0;		/* clamp flushes what the operation passed on */
	return r;
}

static u64 finish(const struct isa_insn *i, const struct lt_op *op, u32 mode, u64 d)
{
	bool touch = i->omod || i->mods & ISA_MOD_CLAMP;

	if (!touch || !lt_isf(op->dst))
		return d;
	if (op->dst == LT_F32)
		return shape32(i, mode, (u32)d);
	if (op->dst == LT_PKF32)
		return shape32(i, mode, (u32)d) | (u64)shape32(i, mode, (u32)(d >> 32)) << 32;
	if (op->dst == LT_F64) {
		double v = shape(i, mode, mode & 0x80, asd(d));

		return isnan(v) ? d : dbits(v);
	}
	return d;
}

static u32 merge(const struct isa_insn *i, const struct lt_op *op, u32 old, u32 d)
{
	if (i->mods & ISA_MOD_SDWA) {
		u32 sel = i->ctl & 7, unused = i->ctl >> 3 & 3;
		u32 bits = sel < 4 ? 8 : 16, at = sel < 4 ? 8 * sel : 16 * (sel - 4), mask;

		if (sel == 6)
			return d;
		mask = (bits == 8 ? 0xffu : 0xffffu) << at;
		d = d << at & mask;
		if (unused == 2)
			return (old & ~mask) | d;
		if (unused == 1 && d >> (at + bits - 1) & 1 && at + bits < 32)
			d |= ~0u << (at + bits);
		return d;
	}
	if (!lt_is16(op->dst))
		return d;
	if (op->flags & LT_HI || (i->enc == ISA_ENC_VOP3 && i->opsel & 8))
		return (old & 0xffff) | d << 16;
	return op->flags & LT_KEEP ? (old & 0xffff0000) | d : d;
}

static bool check_lane(const struct lt_op *op, const struct isa_insn *i,
		       const struct isa_wave *w, const struct isa_wave *after, unsigned int lane)
{
	struct ref_in in = { .mode = w->mode, .lane = lane };
	bool on = isa_exec(w) >> lane & 1;
	const u32 *old = w->v + (i->dst - ISA_SRC_VGPR0) * ISA_LANES + lane;
	const u32 *new = after->v + (i->dst - ISA_SRC_VGPR0) * ISA_LANES + lane;
	struct ref_out o;
	unsigned int n;
	u64 want, seen, m;

	for (n = 0; n < 3 && op->src[n]; n++)
		on &= operand(w, i, op, n, lane, &in.s[n]);
	if (op->flags & LT_CIN)
		in.cin = (i->enc == ISA_ENC_VOP3 ? w->s[30] | (u64)w->s[31] << 32 :
						   isa_vcc(w)) >> lane & 1;
	ref_op(op, &in, &o);
	if (op->flags & (LT_CARRY | LT_CMP)) {
		m = after->s[i->sdst] | (u64)after->s[i->sdst + 1] << 32;
		if ((m >> lane & 1) != (on && o.mask)) {
			want = o.mask;
			seen = m >> lane & 1;
			goto bad;
		}
	}
	if (!op->dst)
		return true;
	seen = *new | (u64)(lt_is64(op->dst) ? new[ISA_LANES] : 0) << 32;
	for (n = 0; n < (o.ulp ? 3 : 1); n++) {	/* as given, one up, one down */
		want = finish(i, op, w->mode, n == 2 ? o.d - 1 : o.d + n);
		if (!on)
			want = *old | (u64)(lt_is64(op->dst) ? old[ISA_LANES] : 0) << 32;
		else if (!lt_is64(op->dst))
			want = merge(i, op, *old, (u32)want);
		if (want == seen)
			return true;
	}
bad:
	printf("# lane %u mode %x on %d: %llx %llx %llx: want %llx, got %llx, old %x\n", lane,
	       w->mode, on, (unsigned long long)in.s[0], (unsigned long long)in.s[1],
	       (unsigned long long)in.s[2], (unsigned long long)want,
	       (unsigned long long)seen, op->dst ? *old : 0);
	lt_insn_print(i, op);
	return false;
}

static bool check_op(const struct lt_op *op, struct lt_wave *t)
{
	struct isa_insn i;
	unsigned int k, l;

	for (k = 0; k < ROUNDS; k++) {
		lt_insn(&i, op, false);
		/* integer clamp has its own model; halves round twice through omod */
		if (!lt_isf(op->dst) || op->dst == LT_F16 || op->dst == LT_PKF) {
			i.mods &= (u16)~ISA_MOD_CLAMP;
			i.omod = 0;
		}
		lt_wave_fill(&t[0]);
		t[0].w->mode = lt_rand() & 1 ? 0x3f0 : 0x1c0;
		lt_wave_copy(&t[1], &t[0]);
		if (!lt_run(variants[k % nvariants], t[1].w, &i))
			return false;
		for (l = 0; l < ISA_LANES; l++)
			if (!check_lane(op, &i, t[0].w, t[1].w, l)) {
				printf("# %s\n", variants[k % nvariants]->name);
				return false;
			}
	}
	return true;
}

int main(void)
{
	static const char * const names[] = { "sse2", "avx2", "avx512" };
	unsigned int n, tests = 0, failures = 0;
	struct ref_in in = { 0 };
	struct ref_out o;
	struct lt_wave t[2];

	for (n = 0; n < ARRAY_SIZE(names); n++) {
		const struct isa_lane_ops *v = isa_lane_by_name(names[n], lt_cpu());

		if (v)
			variants[nvariants++] = v;
	}
	if (!lt_wave_make(&t[0]) || !lt_wave_make(&t[1]))
		return 1;
	printf("TAP version 13\n");
	for (n = 0; n < lt_op_count; n++) {
		bool ok;

		/* a move whose sources op_sel picks by itself */
		if (lt_ops[n].op == ISA_OP_V_PK_MOV_B32 || !ref_op(&lt_ops[n], &in, &o))
			continue;
		ok = check_op(&lt_ops[n], t);
		printf("%sok %u %s with modifiers\n", ok ? "" : "not ", ++tests, lt_ops[n].name);
		failures += !ok;
	}
	printf("1..%u\n", tests);
	return failures != 0;
}
