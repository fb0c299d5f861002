// SPDX-License-Identifier: GPL-2.0-only
/*
 * Formatted buffer access: elements of one to four components that are
 * converted between memory and registers. MTBUF brings the format with the
 * instruction, MUBUF takes it from the resource, with a selection of
 * components. Source: CDNA ISA, "Buffer Data", "Range Checking".
 *
 * Everything is integer arithmetic: conversions round to nearest even whatever
 * MODE says. Registers hold floats (halves for D16) unless the number format
 * is an integer one.
 */
#include "format.h"
#include "mem.h"

#define LANES(l, m)	\
	for (u64 m_ = (m); m_ && (l = __builtin_ctzll(m_), 1); m_ &= m_ - 1)

#define FMT_COST	64	/* see ISA_COST_TURN */

enum { SEL_0, SEL_1, SEL_X = 4 };

/* A float type: mantissa and exponent bits; the 10- and 11-bit ones have no sign. */
struct flt {
	u8 m, e;
	bool sign;
};

static const struct flt f32 = { 23, 8, true }, f16 = { 10, 5, true };
static const struct flt f11 = { 6, 5, false }, f10 = { 5, 5, false };

static const struct flt *flt_of(u32 bits)
{
	return bits == 32 ? &f32 : bits == 16 ? &f16 : bits == 11 ? &f11 : &f10;
}

/* (@m + a bit if @sticky) * 2^@e as a @f, rounded. */
static u32 flt_pack(const struct flt *f, bool neg, u64 m, int e, bool sticky)
{
	int bias = (1 << (f->e - 1)) - 1, exp, shift;
	u32 sign = neg && f->sign ? 1u << (f->m + f->e) : 0;
	u32 inf = ((1u << f->e) - 1) << f->m, bits;
	u64 q, rem, half;
	bool normal;

	if (neg && !f->sign)
		return 0;
	if (!m)
		return sign;
	exp = e + 63 - __builtin_clzll(m);
	normal = exp >= 1 - bias;
	shift = (normal ? exp : 1 - bias) - f->m - e;
	if (shift > 64)
		return sign;
	if (shift <= 0) {
		q = m << -shift;
	} else {
		q = shift == 64 ? 0 : m >> shift;
		rem = shift == 64 ? m : m & ((1ull << shift) - 1);
		half = 1ull << (shift - 1);
		if (rem > half || (rem == half && (sticky || q & 1)))
			q++;
	}
	if (exp > bias)
		return sign | inf;
	bits = (normal ? (u32)(exp + bias - 1) << f->m : 0) + (u32)q;
	return sign | (bits > inf ? inf : bits);
}

/* @num / @den */
static u32 flt_ratio(const struct flt *f, bool neg, u32 num, u32 den)
{
	int up;
	u64 n;

	if (!num)
		return 0;
	up = __builtin_clzll(num);
	n = (u64)num << up;
	return flt_pack(f, neg, n / den, -up, n % den);
}

enum flt_class { FLT_FINITE, FLT_INF, FLT_NAN };

/* Takes a float apart: value @m * 2^@e. */
static enum flt_class flt_unpack(const struct flt *f, u32 v, bool *neg, u32 *m, int *e)
{
	u32 exp = v >> f->m & ((1u << f->e) - 1);

	*neg = f->sign && v >> (f->m + f->e) & 1;
	*m = v & ((1u << f->m) - 1);
	if (exp == (1u << f->e) - 1)
		return *m ? FLT_NAN : FLT_INF;
	*e = (int)(exp ? exp : 1) - ((1 << (f->e - 1)) - 1) - f->m;
	if (exp)
		*m |= 1u << f->m;
	return FLT_FINITE;
}

static u32 flt_convert(const struct flt *to, const struct flt *from, u32 v)
{
	u32 inf = ((1u << to->e) - 1) << to->m, m, sign;
	bool neg;
	int e;

	if (to == from)
		return v;
	switch (flt_unpack(from, v, &neg, &m, &e)) {
	case FLT_NAN:
		sign = neg && to->sign ? 1u << (to->m + to->e) : 0;
		m = to->m > from->m ? m << (to->m - from->m) : m >> (from->m - to->m);
		return sign | inf | m | 1u << (to->m - 1);
	case FLT_INF:
		if (neg && !to->sign)
			return 0;
		return (neg ? 1u << (to->m + to->e) : 0) | inf;
	default:
		return flt_pack(to, neg, m, e, false);
	}
}

static u32 sext(u32 v, u32 bits)
{
	return (u32)((s32)(v << (32 - bits)) >> (32 - bits));
}

static u32 ones(u32 bits)
{
	return 0xffffffffu >> (32 - bits);
}

/* A component of @bits in memory to a register's float or integer. */
static u32 to_reg(u32 raw, u32 bits, u32 nf, const struct flt *f)
{
	s32 s = (s32)sext(raw, bits), top = (s32)(ones(bits) >> 1);
	u32 mag = s < 0 ? 0u - (u32)s : (u32)s;

	switch (nf) {
	case ISA_NUM_UNORM:
		return flt_ratio(f, false, raw, ones(bits));
	case ISA_NUM_SNORM:		/* the lowest value is -1, too */
		return flt_ratio(f, s < 0, mag > (u32)top ? (u32)top : mag, (u32)top);
	case ISA_NUM_USCALED:
		return flt_pack(f, false, raw, 0, false);
	case ISA_NUM_SSCALED:
		return flt_pack(f, s < 0, mag, 0, false);
	case ISA_NUM_SINT:
		return (u32)s;
	case ISA_NUM_FLOAT:
		return flt_convert(f, flt_of(bits), raw);
	default:
		return raw;
	}
}

/* @m * @scale * 2^@e to an integer of at most @max, to nearest even. */
static u32 scaled(u32 m, int e, u32 scale, u32 max)
{
	u64 p = (u64)m * scale, q, rem, half;

	if (e >= 0)
		return e > 31 || p > (u64)max >> e ? (p ? max : 0) : (u32)(p << e);
	if (e < -63)
		return 0;
	q = p >> -e;
	rem = p & ((1ull << -e) - 1);
	half = 1ull << (-e - 1);
	if (rem > half || (rem == half && q & 1))
		q++;
	return q > max ? max : (u32)q;
}

/* @m * 2^@e to an integer of at most @max, towards zero. */
static u32 truncated(u32 m, int e, u32 max)
{
	u64 v = e < -31 ? 0 : e < 0 ? m >> -e : e > 31 ? (m ? max : 0) : (u64)m << e;

	return v > max ? max : (u32)v;
}

/* A register's float or integer to a component of @bits in memory. */
static u32 from_reg(u32 v, u32 bits, u32 nf, const struct flt *f)
{
	u32 umax = ones(bits), smax = umax >> 1, r, m;
	enum flt_class class;
	bool neg;
	int e;

	if (nf == ISA_NUM_SINT && f == &f16)
		v = sext(v, 16);
	/* Saturated, as by stores to images (texel.c): device libraries leave that to it. */
	if (nf == ISA_NUM_UINT)
		return v > umax ? umax : v;
	if (nf == ISA_NUM_SINT) {
		s32 top = (s32)smax, s = (s32)v;

		return (u32)(s > top ? top : s < -top - 1 ? -top - 1 : s) & umax;
	}
	if (nf == ISA_NUM_FLOAT)
		return flt_convert(flt_of(bits), f, v);
	class = flt_unpack(f, v, &neg, &m, &e);
	if (class == FLT_NAN)
		return 0;
	if (class == FLT_INF) {
		m = 1;
		e = 32;
	}
	switch (nf) {
	case ISA_NUM_UNORM:
		return neg ? 0 : scaled(m, e, umax, umax);
	case ISA_NUM_USCALED:
		return neg ? 0 : truncated(m, e, umax);
	case ISA_NUM_SNORM:
		r = scaled(m, e, smax, smax);
		break;
	default:
		r = truncated(m, e, smax + neg);
	}
	return (neg ? 0u - r : r) & umax;
}

u32 isa_texel_get(u32 raw, u32 bits, u32 num, bool half)
{
	return to_reg(raw, bits, num, half ? &f16 : &f32);
}

u32 isa_texel_put(u32 v, u32 bits, u32 num, bool half)
{
	return from_reg(v, bits, num, half ? &f16 : &f32);
}

u32 isa_half_of(u32 v)
{
	return flt_convert(&f16, &f32, v);
}

u32 isa_float_of(u32 v)
{
	return flt_convert(&f32, &f16, v);
}

/**
 * struct typed - format of an instruction
 * @f: NULL if there is none: reads give 0, writes are dropped
 * @nf: number format
 * @reg: float type of registers
 * @d16: two components a register
 * @hi: the one component is in the upper half
 * @clear: a load clears the half that it does not fill
 * @n: components in registers
 * @first: a store gives the first of them to the others
 * @sel: for each of them, what it is
 */
struct typed {
	const struct isa_shape *f;
	u32 nf;
	const struct flt *reg;
	bool d16, hi, clear;
	u32 n;
	bool first;
	u8 sel[4];
};

/*
 * Returns false if this generation has no such format: 0 is one, of no element. GFX9's numbers all
 * stand for something.
 */
static bool typed_of(const struct isa_wave *w, const struct isa_insn *i, struct typed *t)
{
	const enum isa_buf_formats formats = isa_wave_arch(w)->buf_formats;
	const struct isa_mem_op op = mem_op(i);
	const u32 word3 = w->s[(i->src[1] & 0x7c) + 3];
	const bool mt = i->enc == ISA_ENC_MTBUF;
	const u32 code = mt ? i->ctl : isa_buf_format_field(formats, word3);
	const struct isa_shape *f;
	u32 df = 0, c;

	t->nf = 0;
	if (!isa_buf_format(formats, code, &df, &t->nf) && code)
		return false;
	f = &isa_shapes[array_index_nospec(df, ISA_DATA_FORMATS)];
	t->n = op.bytes;
	t->first = isa_arch_has(isa_wave_arch(w), ISA_ARCH_STORE_FIRST);
	t->d16 = op.flags & MEM_F_D16;
	t->hi = op.flags & MEM_F_HI;
	t->clear = op.flags & MEM_F_CLEAR;
	t->reg = t->d16 ? &f16 : &f32;
	for (c = 0; c < 4; c++) {
		if (mt)
			t->sel[c] = c < f->n ? SEL_X + c : SEL_0;
		else
			t->sel[c] = word3 >> 3 * c & 7;
	}
	if (!f->bytes || t->nf == 6 ||
	    (t->nf == ISA_NUM_FLOAT && (f->bits[0] == 8 || f->bits[1] == 8 || f->n == 4) &&
	     (f->packed || f->bits[0] == 8)))
		f = NULL;
	t->f = f;
	return formats != ISA_BUF_FORMATS_NONE;
}

static u32 bit_of(const struct isa_shape *f, u32 c)
{
	u32 at = 0, k;

	for (k = 0; k < c; k++)
		at += f->bits[k];
	return at;
}

/* Register value of component @c of the element in @buf; NULL is out of range. */
static u32 load_component(const struct typed *t, const u32 *buf, u32 c)
{
	u32 sel = t->sel[c], at;

	if (sel == SEL_1)
		return t->nf == ISA_NUM_UINT || t->nf == ISA_NUM_SINT ? 1 :
		       t->d16 ? 0x3c00 : 0x3f800000;
	if (!buf || sel < SEL_X || sel - SEL_X >= t->f->n)
		return 0;
	c = sel - SEL_X;
	at = bit_of(t->f, c);
	return to_reg(buf[at / 32] >> at % 32 & ones(t->f->bits[c]), t->f->bits[c], t->nf,
		      t->reg);
}

static void load_lane(const struct typed *t, const u32 *buf, u32 *dst, unsigned int lane)
{
	u32 c, v;

	for (c = 0; c < t->n; c++) {
		u32 *d = dst + (t->d16 ? c / 2 : c) * ISA_LANES + lane;

		v = load_component(t, buf, c);
		if (!t->d16) {
			*d = v;
			continue;
		}
		if (t->clear && !(c & 1))
			*d = 0;
		if (c & 1 || t->hi)
			*d = (*d & 0xffff) | v << 16;
		else
			*d = (*d & 0xffff0000) | (v & 0xffff);
	}
}

static enum isa_stop fmt_addr(struct isa_wave *w, const struct isa_insn *i,
			      const struct typed *t, u32 access, struct mem_req *r)
{
	enum isa_stop stop = isa_mem_addr(w, i, t->f ? t->f->bytes : 4, r);
	unsigned int lane;

	if (stop)
		return stop;
	if (!t->f)
		LANES(lane, r->lanes)
			r->l->valid[lane] = 0;
	return isa_mem_probe(w, r, t->f ? t->f->bytes : 4, access, false);
}

enum isa_stop isa_mem_exec_load_fmt(struct isa_wave *w, const struct isa_insn *i)
{
	/* gfx11 has an opcode for that, which has no destination. */
	const bool lds = i->mods & ISA_MOD_LDS || i->dst == ISA_SRC_NONE;
	enum isa_stop stop;
	unsigned int lane;
	struct mem_req r;
	u32 buf[4], *dst, x;
	struct typed t;

	if (!typed_of(w, i, &t))
		return isa_exec_illegal(w, i);
	dst = lds ? NULL : mem_rows(w, i->dst, t.d16 ? (t.n + 1) / 2 : t.n);
	if (!dst && !lds)
		return isa_exec_illegal(w, i);
	stop = fmt_addr(w, i, &t, ISA_R, &r);
	if (stop)
		return stop;
	LANES(lane, r.lanes) {
		bool in = t.f && r.l->valid[lane];

		if (in)
			isa_mem_get(w, &r, lane, buf, t.f->bytes);
		if (lds) {
			x = load_component(&t, in ? buf : NULL, 0);
			isa_mem_to_lds(w, i, lane, &x, 4);
		} else {
			load_lane(&t, in ? buf : NULL, dst, lane);
		}
	}
	return isa_charge(w, FMT_COST);
}

/*
 * The element that a lane writes, all of it: components that no register has are 0, or on gfx12 the
 * first one. LLVM relies on that when it leaves out components at the end.
 */
static void store_lane(const struct typed *t, const u32 *src, unsigned int lane, u32 *buf)
{
	const struct isa_shape *f = t->f;
	u32 c, k;

	memset(buf, 0, 16);
	for (c = 0; c < f->n; c++) {
		u32 at = bit_of(f, c), v;

		for (k = 0; k < 4 && t->sel[k] != SEL_X + c; k++)
			;
		if (k == 4 || (k >= t->n && !t->first))
			continue;
		if (k >= t->n)
			k = 0;
		v = src[(t->d16 ? k / 2 : k) * ISA_LANES + lane];
		if (t->d16)
			v = (k & 1 || t->hi ? v >> 16 : v) & 0xffff;
		buf[at / 32] |= from_reg(v, f->bits[c], t->nf, t->reg) << at % 32;
	}
}

enum isa_stop isa_mem_exec_store_fmt(struct isa_wave *w, const struct isa_insn *i)
{
	enum isa_stop stop;
	unsigned int lane;
	struct mem_req r;
	struct typed t;
	const u32 *src;
	u32 buf[4];

	if (!typed_of(w, i, &t))
		return isa_exec_illegal(w, i);
	src = mem_rows(w, i->dst, t.d16 ? (t.n + 1) / 2 : t.n);
	if (!src)
		return isa_exec_illegal(w, i);
	stop = fmt_addr(w, i, &t, ISA_W, &r);
	if (stop || !t.f)
		return stop;
	LANES(lane, r.lanes) {
		if (!r.l->valid[lane])
			continue;
		store_lane(&t, src, lane, buf);
		isa_mem_put(w, &r, lane, buf, t.f->bytes);
	}
	return isa_charge(w, FMT_COST);
}
