// SPDX-License-Identifier: GPL-2.0-only
/*
 * Floats of the scalar unit, which gfx11.5 and gfx12 have: exact, in integers. They round, and keep
 * or flush denormals, as MODE says, and raise what the vector operation of the same name raises.
 * Sources: RDNA3.5 ISA, pseudo-code of SOP1, SOP2 and SOPC; LLVM, SOPInstructions.td (they read
 * MODE and may raise exceptions); AMD's machine-readable ISA (sources of 16 bits, whose float
 * constants are halves therefore).
 *
 * No source says what a result of 16 bits leaves in the upper half of its SGPR: it is 0 here.
 */
#include "salu.h"
#include "tables.h"

enum kind {
	NO_FLOAT,
	ADD, SUB, MUL, FMAC, FMAAK, FMAMK, MIN, MAX,
	MIN_NUM, MAX_NUM, MINIMUM, MAXIMUM,
	CEIL, FLOOR, TRUNC, RNDNE,
	OF_I32, OF_U32, TO_I32, TO_U32, TO_F16, OF_F16, OF_HIGH_F16, PACK_RTZ,
	CMP,
};

enum { LT = 1, EQ = 2, GT = 4, UNORDERED = 8 };	/* what a compare asks for */

/**
 * struct float_op - an operation
 * @kind: enum kind
 * @half: of 16 bits
 * @when: CMP: LT, EQ, GT, UNORDERED
 * @twin: of the vector ALU; it raises the same
 */
struct float_op {
	u8 kind;
	bool half;
	u8 when;
	u16 twin;
};

static const struct float_op float_ops[ISA_OP_COUNT] = {
	[ISA_OP_S_ADD_F32] = { ADD, false, 0, ISA_OP_V_ADD_F32 },
	[ISA_OP_S_ADD_F16] = { ADD, true, 0, ISA_OP_V_ADD_F16 },
	[ISA_OP_S_SUB_F32] = { SUB, false, 0, ISA_OP_V_SUB_F32 },
	[ISA_OP_S_SUB_F16] = { SUB, true, 0, ISA_OP_V_SUB_F16 },
	[ISA_OP_S_MUL_F32] = { MUL, false, 0, ISA_OP_V_MUL_F32 },
	[ISA_OP_S_MUL_F16] = { MUL, true, 0, ISA_OP_V_MUL_F16 },
	[ISA_OP_S_MIN_F32] = { MIN, false, 0, ISA_OP_V_MIN_F32 },
	[ISA_OP_S_MIN_F16] = { MIN, true, 0, ISA_OP_V_MIN_F16 },
	[ISA_OP_S_MAX_F32] = { MAX, false, 0, ISA_OP_V_MAX_F32 },
	[ISA_OP_S_MAX_F16] = { MAX, true, 0, ISA_OP_V_MAX_F16 },
	[ISA_OP_S_MIN_NUM_F32] = { MIN_NUM, false, 0, ISA_OP_V_MIN_NUM_F32 },
	[ISA_OP_S_MAX_NUM_F32] = { MAX_NUM, false, 0, ISA_OP_V_MAX_NUM_F32 },
	[ISA_OP_S_MINIMUM_F32] = { MINIMUM, false, 0, ISA_OP_V_MINIMUM_F32 },
	[ISA_OP_S_MAXIMUM_F32] = { MAXIMUM, false, 0, ISA_OP_V_MAXIMUM_F32 },
	[ISA_OP_S_CEIL_F32] = { CEIL, false, 0, ISA_OP_V_CEIL_F32 },
	[ISA_OP_S_MIN_NUM_F16] = { MIN_NUM, true, 0, ISA_OP_V_MIN_NUM_F16 },
	[ISA_OP_S_MAX_NUM_F16] = { MAX_NUM, true, 0, ISA_OP_V_MAX_NUM_F16 },
	[ISA_OP_S_MINIMUM_F16] = { MINIMUM, true, 0, ISA_OP_V_MINIMUM_F16 },
	[ISA_OP_S_MAXIMUM_F16] = { MAXIMUM, true, 0, ISA_OP_V_MAXIMUM_F16 },
	[ISA_OP_S_CEIL_F16] = { CEIL, true, 0, ISA_OP_V_CEIL_F16 },
	[ISA_OP_S_FLOOR_F32] = { FLOOR, false, 0, ISA_OP_V_FLOOR_F32 },
	[ISA_OP_S_FLOOR_F16] = { FLOOR, true, 0, ISA_OP_V_FLOOR_F16 },
	[ISA_OP_S_TRUNC_F32] = { TRUNC, false, 0, ISA_OP_V_TRUNC_F32 },
	[ISA_OP_S_TRUNC_F16] = { TRUNC, true, 0, ISA_OP_V_TRUNC_F16 },
	[ISA_OP_S_RNDNE_F32] = { RNDNE, false, 0, ISA_OP_V_RNDNE_F32 },
	[ISA_OP_S_RNDNE_F16] = { RNDNE, true, 0, ISA_OP_V_RNDNE_F16 },
	[ISA_OP_S_FMAC_F32] = { FMAC, false, 0, ISA_OP_V_FMA_F32 },
	[ISA_OP_S_FMAC_F16] = { FMAC, true, 0, ISA_OP_V_FMA_F16 },
	[ISA_OP_S_FMAAK_F32] = { FMAAK, false, 0, ISA_OP_V_FMA_F32 },
	[ISA_OP_S_FMAMK_F32] = { FMAMK, false, 0, ISA_OP_V_FMA_F32 },
	[ISA_OP_S_CVT_F32_I32] = { OF_I32, false, 0, ISA_OP_V_CVT_F32_I32 },
	[ISA_OP_S_CVT_F32_U32] = { OF_U32, false, 0, ISA_OP_V_CVT_F32_U32 },
	[ISA_OP_S_CVT_I32_F32] = { TO_I32, false, 0, ISA_OP_V_CVT_I32_F32 },
	[ISA_OP_S_CVT_U32_F32] = { TO_U32, false, 0, ISA_OP_V_CVT_U32_F32 },
	[ISA_OP_S_CVT_F16_F32] = { TO_F16, false, 0, ISA_OP_V_CVT_F16_F32 },
	[ISA_OP_S_CVT_F32_F16] = { OF_F16, true, 0, ISA_OP_V_CVT_F32_F16 },
	[ISA_OP_S_CVT_HI_F32_F16] = { OF_HIGH_F16, false, 0, ISA_OP_V_CVT_F32_F16 },
	[ISA_OP_S_CVT_PK_RTZ_F16_F32] = { PACK_RTZ, false, 0, ISA_OP_V_CVT_PKRTZ_F16_F32 },
	[ISA_OP_S_CMP_LT_F32] = { CMP, false, LT, ISA_OP_V_CMP_LT_F32 },
	[ISA_OP_S_CMP_LT_F16] = { CMP, true, LT, ISA_OP_V_CMP_LT_F16 },
	[ISA_OP_S_CMP_EQ_F32] = { CMP, false, EQ, ISA_OP_V_CMP_EQ_F32 },
	[ISA_OP_S_CMP_EQ_F16] = { CMP, true, EQ, ISA_OP_V_CMP_EQ_F16 },
	[ISA_OP_S_CMP_LE_F32] = { CMP, false, LT | EQ, ISA_OP_V_CMP_LE_F32 },
	[ISA_OP_S_CMP_LE_F16] = { CMP, true, LT | EQ, ISA_OP_V_CMP_LE_F16 },
	[ISA_OP_S_CMP_GT_F32] = { CMP, false, GT, ISA_OP_V_CMP_GT_F32 },
	[ISA_OP_S_CMP_GT_F16] = { CMP, true, GT, ISA_OP_V_CMP_GT_F16 },
	[ISA_OP_S_CMP_LG_F32] = { CMP, false, LT | GT, ISA_OP_V_CMP_LG_F32 },
	[ISA_OP_S_CMP_LG_F16] = { CMP, true, LT | GT, ISA_OP_V_CMP_LG_F16 },
	[ISA_OP_S_CMP_GE_F32] = { CMP, false, GT | EQ, ISA_OP_V_CMP_GE_F32 },
	[ISA_OP_S_CMP_GE_F16] = { CMP, true, GT | EQ, ISA_OP_V_CMP_GE_F16 },
	[ISA_OP_S_CMP_O_F32] = { CMP, false, LT | EQ | GT, ISA_OP_V_CMP_O_F32 },
	[ISA_OP_S_CMP_O_F16] = { CMP, true, LT | EQ | GT, ISA_OP_V_CMP_O_F16 },
	[ISA_OP_S_CMP_U_F32] = { CMP, false, UNORDERED, ISA_OP_V_CMP_U_F32 },
	[ISA_OP_S_CMP_U_F16] = { CMP, true, UNORDERED, ISA_OP_V_CMP_U_F16 },
	[ISA_OP_S_CMP_NGE_F32] = { CMP, false, LT | UNORDERED, ISA_OP_V_CMP_NGE_F32 },
	[ISA_OP_S_CMP_NGE_F16] = { CMP, true, LT | UNORDERED, ISA_OP_V_CMP_NGE_F16 },
	[ISA_OP_S_CMP_NLG_F32] = { CMP, false, EQ | UNORDERED, ISA_OP_V_CMP_NLG_F32 },
	[ISA_OP_S_CMP_NLG_F16] = { CMP, true, EQ | UNORDERED, ISA_OP_V_CMP_NLG_F16 },
	[ISA_OP_S_CMP_NGT_F32] = { CMP, false, LT | EQ | UNORDERED, ISA_OP_V_CMP_NGT_F32 },
	[ISA_OP_S_CMP_NGT_F16] = { CMP, true, LT | EQ | UNORDERED, ISA_OP_V_CMP_NGT_F16 },
	[ISA_OP_S_CMP_NLE_F32] = { CMP, false, GT | UNORDERED, ISA_OP_V_CMP_NLE_F32 },
	[ISA_OP_S_CMP_NLE_F16] = { CMP, true, GT | UNORDERED, ISA_OP_V_CMP_NLE_F16 },
	[ISA_OP_S_CMP_NEQ_F32] = { CMP, false, LT | GT | UNORDERED, ISA_OP_V_CMP_NEQ_F32 },
	[ISA_OP_S_CMP_NEQ_F16] = { CMP, true, LT | GT | UNORDERED, ISA_OP_V_CMP_NEQ_F16 },
	[ISA_OP_S_CMP_NLT_F32] = { CMP, false, EQ | GT | UNORDERED, ISA_OP_V_CMP_NLT_F32 },
	[ISA_OP_S_CMP_NLT_F16] = { CMP, true, EQ | GT | UNORDERED, ISA_OP_V_CMP_NLT_F16 },
};

/* ---- formats ---- */

/*
 * struct format: a format, and what MODE says of it
 * @half: it has 16 bits
 * @mbits,@bias: of the mantissa, of the exponent
 * @inf: infinity
 * @sign: the sign bit
 * @round: 0 nearest even, 1 up, 2 down, 3 to zero
 * @keep_in,@keep_out: denormals are kept
 * @clip: what overflows becomes the largest number
 */
struct format {
	bool half;
	u8 mbits;
	s16 bias;
	u32 inf, sign;
	u32 round;
	bool keep_in, keep_out;
	bool clip;
};

static struct format format_of(u32 mode, bool half)
{
	u32 shift = half ? 2 : 0;
	struct format f = { .mbits = 23, .bias = 127, .inf = 0x7f800000, .sign = 1u << 31 };

	if (half)
		f = (struct format){ .half = true, .mbits = 10, .bias = 15, .inf = 0x7c00,
				     .sign = 0x8000 };
	f.round = mode >> shift & 3;
	f.keep_in = mode >> (4 + shift) & 1;
	f.keep_out = mode >> (4 + shift) & 2;
	f.clip = half && mode & ISA_MODE_FP16_OVFL;
	return f;
}

static bool is_nan(const struct format *f, u32 x)
{
	return (x & ~f->sign) > f->inf;
}

static u32 quiet(const struct format *f, u32 x)
{
	return x | 1u << (f->mbits - 1);
}

/* What an invalid operation gives: as the vector ALU here, which has x86's. */
static u32 invalid(const struct format *f)
{
	return quiet(f, f->sign | f->inf);
}

static u32 flush(const struct format *f, u32 x)
{
	return x & f->inf ? x : x & f->sign;
}

/* A denormal source that is not kept is 0. */
static u32 daz(const struct format *f, u32 x)
{
	return f->keep_in ? x : flush(f, x);
}

/* A finite number's magnitude, times 2^*@e */
static u64 magnitude(const struct format *f, u32 x, s32 *e)
{
	u32 m = x & ((1u << f->mbits) - 1);
	s32 exp = (s32)((x & f->inf) >> f->mbits);

	*e = (exp ? exp : 1) - f->bias - f->mbits;
	return exp ? m | 1u << f->mbits : m;
}

/* ---- rounding ---- */

typedef unsigned __int128 u128;

static s32 top_bit(u128 m)
{
	u64 hi = (u64)(m >> 64);

	return hi ? 127 - __builtin_clzll(hi) : 63 - __builtin_clzll((u64)m);
}

static bool rounds_up(bool neg, u32 round)
{
	return round == 1 ? !neg : round == 2 && neg;
}

/* @m / 2^@n; what is left over decides. */
static u64 shift_out(u128 m, s32 n, bool neg, u32 round)
{
	u128 rest, half;
	u64 q;

	if (n <= 0)
		return (u64)(m << -n);
	if (n > 126)
		return m && rounds_up(neg, round);
	q = (u64)(m >> n);
	rest = m & (((u128)1 << n) - 1);
	half = (u128)1 << (n - 1);
	if (rest && (round ? rounds_up(neg, round) : rest > half || (rest == half && q & 1)))
		q++;
	return q;
}

/* @m * 2^@e in @f; @m is not 0. */
static u32 pack(const struct format *f, bool neg, u128 m, s32 e)
{
	u32 sign = neg ? f->sign : 0, x;
	s32 top = top_bit(m) + e, lowest = 1 - f->bias;
	s32 n = top_bit(m) - f->mbits;

	if (top > f->bias) {
		bool inf = !f->round || rounds_up(neg, f->round);

		return sign | (f->inf - (f->clip || !inf));
	}
	if (top < lowest) {
		/* Too small is what would be in full precision; halves: what is a denormal. */
		if (!f->keep_out && !f->half && !(shift_out(m, n, neg, f->round) >> (f->mbits + 1)))
			return sign;
		n = lowest - f->mbits - e;
		top = lowest;
	}
	x = (u32)shift_out(m, n, neg, f->round) + ((u32)(top - lowest) << f->mbits);
	if (!f->keep_out && !(x & f->inf))
		return sign;
	return sign | (x >= f->inf && f->clip ? f->inf - 1 : x);
}

/* ---- operations ---- */

static u128 jam(u128 m, s32 n)
{
	if (n > 126)
		return m != 0;
	return m >> n | ((m & (((u128)1 << n) - 1)) != 0);
}

/* The sum of two products, or numbers: neither is 0. @pm has at most 48 bits, @cm 24. */
static u32 sum(const struct format *f, bool pn, u128 pm, s32 pe, bool cn, u128 cm, s32 ce)
{
	s32 up = 124 - top_bit(pm);

	pm <<= up;
	pe -= up;
	up = 124 - top_bit(cm);
	cm <<= up;
	ce -= up;
	if (pe > ce) {
		cm = jam(cm, pe - ce);
		ce = pe;
	} else {
		pm = jam(pm, ce - pe);
	}
	if (pn == cn)
		return pack(f, pn, pm + cm, ce);
	if (pm == cm)
		return f->round == 2 ? f->sign : 0;
	return pm > cm ? pack(f, pn, pm - cm, ce) : pack(f, cn, cm - pm, ce);
}

/* @a * @b, plus @c if @add, rounded once. The first NaN is the result. */
static u32 multiply(const struct format *f, u32 a, u32 b, u32 c, bool add)
{
	bool pn = (a ^ b) & f->sign, cn = c & f->sign;
	s32 ea, eb, ec;
	u64 p, m;

	if (is_nan(f, a))
		return quiet(f, a);
	if (is_nan(f, b))
		return quiet(f, b);
	if (add && is_nan(f, c))
		return quiet(f, c);
	a = daz(f, a) & ~f->sign;
	b = daz(f, b) & ~f->sign;
	c = daz(f, c) & ~f->sign;
	if (a == f->inf || b == f->inf) {
		if (!a || !b || (add && c == f->inf && pn != cn))
			return invalid(f);
		return (pn ? f->sign : 0) | f->inf;
	}
	p = magnitude(f, a, &ea) * magnitude(f, b, &eb);
	if (!add)
		return p ? pack(f, pn, p, ea + eb) : pn ? f->sign : 0;
	if (c == f->inf)
		return (cn ? f->sign : 0) | c;
	m = magnitude(f, c, &ec);
	if (!p && !m)
		return (pn == cn ? pn : f->round == 2) ? f->sign : 0;
	if (!p)
		return pack(f, cn, m, ec);
	if (!m)
		return pack(f, pn, p, ea + eb);
	return sum(f, pn, p, ea + eb, cn, m, ec);
}

static u32 add(const struct format *f, u32 a, u32 b)
{
	return multiply(f, a, (u32)f->bias << f->mbits, b, true);
}

static u32 subtract(const struct format *f, u32 a, u32 b)
{
	return add(f, a, is_nan(f, b) ? b : b ^ f->sign);
}

/* An order of integers: -0 is below +0. */
static s64 key(const struct format *f, u32 x)
{
	return x & f->sign ? -(s64)(x & ~f->sign) - 1 : (s64)x;
}

/*
 * With a NaN the other source is the result, even a denormal float. Of halves the result is
 * flushed, too. Both as the vector ALU here does it.
 */
static u32 minmax(const struct format *f, u32 mode, u32 a, u32 b, bool max)
{
	u32 quiet_bit = 1u << (f->mbits - 1);

	if (mode >> 9 & 1) {	/* IEEE: a signalling NaN is the result */
		if (is_nan(f, a) && !(a & quiet_bit))
			return quiet(f, a);
		if (is_nan(f, b) && !(b & quiet_bit))
			return quiet(f, b);
	}
	if (f->half) {
		a = f->keep_out ? daz(f, a) : flush(f, a);
		b = f->keep_out ? daz(f, b) : flush(f, b);
	}
	if (is_nan(f, a))
		return b;
	if (is_nan(f, b))
		return a;
	a = daz(f, a);
	b = daz(f, b);
	return max == (key(f, a) > key(f, b)) ? a : b;
}

/*
 * gfx12's, of which MODE does not say what NaNs do. Of a number and a NaN the number, of two NaNs
 * the first; or else NaNs win, signalling ones first.
 */
static u32 minmax_num(const struct format *f, u32 kind, u32 a, u32 b)
{
	const bool an = is_nan(f, a), bn = is_nan(f, b);
	const u32 quiet_bit = 1u << (f->mbits - 1);

	if ((kind == MIN_NUM || kind == MAX_NUM) && an && bn)
		return quiet(f, a);
	if ((kind == MINIMUM || kind == MAXIMUM) && (an || bn))
		return quiet(f, an && (!bn || !(a & quiet_bit) || b & quiet_bit) ? a : b);
	return minmax(f, 0, a, b, kind == MAX_NUM || kind == MAXIMUM);
}

/* The integer that @x is rounded to, as a number */
static u32 integral(struct format f, u32 x, u32 round)
{
	bool neg = x & f.sign;
	s32 e;
	u64 m;

	if (is_nan(&f, x))
		return quiet(&f, x);
	if ((x & f.inf) == f.inf)
		return x;
	m = magnitude(&f, daz(&f, x), &e);
	if (e >= 0)
		return x;
	m = shift_out(m, -e, neg, round);
	return m ? pack(&f, neg, m, 0) : x & f.sign;
}

static u32 of_integer(const struct format *f, u32 x, bool is_signed)
{
	bool neg = is_signed && x >> 31;

	return x ? pack(f, neg, neg ? 0 - x : x, 0) : 0;
}

/* Towards 0; what does not fit is the nearest that does. */
static u32 to_integer(const struct format *f, u32 x, bool is_signed)
{
	u64 most = is_signed ? 0x7fffffffull + !!(x & f->sign) : x & f->sign ? 0 : 0xffffffffull;
	s32 e;
	u64 m;

	if (is_nan(f, x))
		return 0;
	m = magnitude(f, daz(f, x), &e);
	if (e > 8)	/* infinity, too */
		m = most;
	else
		m = e < 0 ? shift_out(m, -e, false, 3) : m << e;
	m = m > most ? most : m;
	return x & f->sign ? 0 - (u32)m : (u32)m;
}

static u32 narrow(const struct format *from, const struct format *to, u32 x)
{
	u32 sign = x & from->sign ? to->sign : 0;
	s32 e;
	u64 m;

	if (is_nan(from, x))
		return quiet(to, sign | to->inf | (x & 0x7fffff) >> 13);
	if ((x & from->inf) == from->inf)
		return sign | to->inf;
	m = magnitude(from, daz(from, x), &e);
	return m ? pack(to, sign, m, e) : sign;
}

/* Denormal halves are kept whatever MODE says. */
static u32 widen(u32 mode, u32 x)
{
	struct format half = format_of(mode, true), f = format_of(mode, false);
	u32 sign = x & half.sign ? f.sign : 0;
	s32 e;
	u64 m;

	if (is_nan(&half, x))
		return quiet(&f, sign | f.inf | (x & 0x3ff) << 13);
	if ((x & half.inf) == half.inf)
		return sign | f.inf;
	m = magnitude(&half, x, &e);
	return m ? pack(&f, sign, m, e) : sign;
}

/* Denormal results are kept, as the vector ALU here does. */
static u32 pack_rtz(u32 mode, u32 a, u32 b)
{
	struct format from = format_of(mode, false), to = format_of(mode, true);

	to.round = 3;
	to.keep_out = true;
	return narrow(&from, &to, a) | narrow(&from, &to, b) << 16;
}

static bool compare(const struct format *f, u32 a, u32 b, u32 when)
{
	s64 x, y;

	if (is_nan(f, a) || is_nan(f, b))
		return when & UNORDERED;
	a = daz(f, a);
	b = daz(f, b);
	if (!((a | b) & ~f->sign))
		return when & EQ;
	x = key(f, a);
	y = key(f, b);
	return when & (x < y ? LT : x > y ? GT : EQ);
}

static u32 compute(const struct float_op *op, u32 mode, const u32 *s)
{
	const struct format f = format_of(mode, op->half);
	const struct format half = format_of(mode, true);

	switch (op->kind) {
	case ADD:
		return add(&f, s[0], s[1]);
	case SUB:
		return subtract(&f, s[0], s[1]);
	case MUL:
		return multiply(&f, s[0], s[1], 0, false);
	case FMAC:
	case FMAAK:
	case FMAMK:
		return multiply(&f, s[0], s[1], s[2], true);
	case MIN:
	case MAX:
		return minmax(&f, mode, s[0], s[1], op->kind == MAX);
	case MIN_NUM:
	case MAX_NUM:
	case MINIMUM:
	case MAXIMUM:
		return minmax_num(&f, op->kind, s[0], s[1]);
	case CEIL:
		return integral(f, s[0], 1);
	case FLOOR:
		return integral(f, s[0], 2);
	case TRUNC:
		return integral(f, s[0], 3);
	case RNDNE:
		return integral(f, s[0], 0);
	case OF_I32:
	case OF_U32:
		return of_integer(&f, s[0], op->kind == OF_I32);
	case TO_I32:
	case TO_U32:
		return to_integer(&f, s[0], op->kind == TO_I32);
	case TO_F16:
		return narrow(&f, &half, s[0]);
	case PACK_RTZ:
		return pack_rtz(mode, s[0], s[1]);
	default:
		return widen(mode, s[0]);
	}
}

/* ---- instructions ---- */

/* As a source of 16 bits a float constant is a half. */
static u32 source(const struct isa_wave *w, const struct isa_insn *i, u32 n, bool half)
{
	static const u16 halves[] = {
		0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118,
	};
	u16 code = i->src[n];

	if (half && code >= ISA_SRC_FLOAT0 && code <= ISA_SRC_FLOAT_LAST)
		return halves[code - ISA_SRC_FLOAT0];
	return half ? isa_sget32(w, i, code) & 0xffff : isa_sget32(w, i, code);
}

/* Sources in the order of the twin's */
static void sources(const struct isa_wave *w, const struct isa_insn *i, const struct float_op *op,
		    u32 *s)
{
	const bool two = isa_rows[i->row].src[1].kind;

	s[0] = source(w, i, 0, op->half);
	if (op->kind == FMAMK) {
		s[1] = i->lit;
		s[2] = source(w, i, 2, false);
		return;
	}
	if (two)
		s[1] = source(w, i, 1, op->half);
	if (op->kind == FMAAK)
		s[2] = i->lit;
	if (op->kind == FMAC)
		s[2] = isa_sget32(w, i, i->dst) & (op->half ? 0xffff : ~0u);
	if (op->kind == OF_HIGH_F16)
		s[0] >>= 16;
}

/* Notes exceptions; true: one of them is enabled. */
static bool raises(struct isa_wave *w, const struct float_op *op, const u32 *s)
{
	const struct isa_insn twin = { .op = op->twin };
	const u32 *const rows[3] = { &s[0], &s[1], &s[2] };

	w->raised = 0;
	isa_excp_record(w, &twin, rows, 1);
	if (!(w->raised & (w->mode & ISA_MODE_EXCP_EN) >> ISA_MODE_EXCP_SHIFT))
		return false;
	w->ex->info = w->raised;
	return true;
}

enum isa_stop salu_float(struct isa_wave *w, const struct isa_insn *i)
{
	const struct float_op *op = &float_ops[i->op];
	u32 s[3] = { 0 };
	bool stop;

	sources(w, i, op, s);
	stop = w->record && raises(w, op, s);
	if (op->kind == CMP) {
		const struct format f = format_of(w->mode, op->half);

		w->scc = compare(&f, s[0], s[1], op->when);
	} else {
		isa_sput32(w, i->dst, compute(op, w->mode, s));
	}
	return stop ? ISA_STOP_EXCP : ISA_STOP_NONE;
}

/* The upper half of a float constant of a source of 16 bits: no source says what it is. */
bool salu_float_bind(const struct isa_insn *i)
{
	return i->op != ISA_OP_S_CVT_HI_F32_F16 ||
	       i->src[0] < ISA_SRC_FLOAT0 || i->src[0] > ISA_SRC_FLOAT_LAST;
}
