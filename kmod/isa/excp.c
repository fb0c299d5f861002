// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which arithmetic exceptions an instruction raises: a model in integers of
 * the operations that can (tab/raises.tab), run beside them only while a wave records
 * exceptions (isa_wave.record): from when MODE enables any, or it has looked at
 * or written TRAPSTS.
 *
 * What is reported follows IEEE 754, with what AMD measured for multiplication
 * (ROCm/rocm-systems, rocjitsu, hwfloat/mul_f32.h): a denormal operand counts
 * where it is kept and the result is no NaN; underflow is tininess after
 * rounding to full precision, with an inexact or flushed result; a flushed
 * result is inexact; clamped results report nothing. Approximations (reciprocal,
 * exponential, ...) report what their operands are, not their rounding.
 */
#include "isa_int.h"

enum fmt { F32, F64, F16, FMTS };

enum class {
	RAISES_NONE,
	RAISES_ADD, RAISES_SUB, RAISES_SUBREV, RAISES_MUL, RAISES_MUL0,
	RAISES_FMA, RAISES_MAD, RAISES_MAD0,
	RAISES_NAN,		/* only signalling NaNs and denormals: minimum, rounding, ... */
	RAISES_CMP,		/* ... and any NaN with clamp */
	RAISES_SQRT, RAISES_RCP, RAISES_RSQ, RAISES_LOG, RAISES_TRIG, RAISES_IFLAG,
	RAISES_FIXUP, RAISES_LDEXP,
	RAISES_TO_FLT,	/* between float formats */
	RAISES_TO_S32, RAISES_TO_U32, RAISES_TO_S16, RAISES_TO_U16,
	RAISES_OF_S32, RAISES_OF_U32, RAISES_OF_S16, RAISES_OF_U16,
};

#define RULE_PAIR	BIT(0)	/* the same for upper halves, or second registers */
#define RULE_FLUSH	BIT(1)	/* denormals are flushed, whatever MODE says */

struct rule {
	u8 class, in, out, flags;
};

/**
 * struct num - an operand
 * @kind: what it is
 * @neg: sign
 * @denormal: as it stood, and kept
 * @m: magnitude
 * @e: power of two that it is multiplied with
 */
struct num {
	enum { N_ZERO, N_FINITE, N_INF, N_QNAN, N_SNAN } kind;
	bool neg, denormal;
	u64 m;
	int e;
};

static const struct {
	u8 m, e;
} formats[FMTS] = { [F32] = { 23, 8 }, [F64] = { 52, 11 }, [F16] = { 10, 5 } };

/* @denorm: MODE's field for the format; bit 0 keeps operands, bit 1 results. */
static struct num unpack(u64 v, enum fmt f, u32 denorm)
{
	const int mb = formats[f].m, eb = formats[f].e;
	struct num n = { .neg = v >> (mb + eb) & 1, .m = v & ((1ull << mb) - 1) };
	int e = v >> mb & ((1 << eb) - 1);

	if (e == (1 << eb) - 1) {
		n.kind = !n.m ? N_INF : n.m >> (mb - 1) ? N_QNAN : N_SNAN;
		return n;
	}
	n.e = (e ? e : 1) - ((1 << (eb - 1)) - 1) - mb;
	if (e)
		n.m |= 1ull << mb;
	else if (n.m && !(denorm & 1))
		n.m = 0;
	else
		n.denormal = n.m;
	n.kind = n.m ? N_FINITE : N_ZERO;
	return n;
}

static bool is_nan(const struct num *n)
{
	return n->kind >= N_QNAN;
}

typedef unsigned __int128 u128;

static int top_bit(u128 m)
{
	u64 hi = (u64)(m >> 64);

	return hi ? 127 - __builtin_clzll(hi) : 63 - __builtin_clzll((u64)m);
}

/* Drops @n low bits, rounding; *@inexact if any was set. */
static u128 round_off(u128 m, int n, bool neg, u32 rnd, bool *inexact)
{
	u128 rem, half, q;
	bool up;

	if (n <= 0)
		return m << -n;
	if (n > 126) {
		*inexact = true;
		return (rnd == 1 && !neg) || (rnd == 2 && neg);
	}
	rem = m & (((u128)1 << n) - 1);
	half = (u128)1 << (n - 1);
	q = m >> n;
	if (!rem)
		return q;
	*inexact = true;
	up = rnd == 0 ? rem > half || (rem == half && q & 1) :
	     rnd == 1 ? !neg : rnd == 2 ? neg : false;
	return q + up;
}

/* Rounds @m * 2^@e to @f; the value in *@out, if wanted. */
static u32 round_flags(u128 m, int e, bool neg, enum fmt f, u32 rnd, u32 denorm,
		       struct num *out)
{
	const int mb = formats[f].m, bias = (1 << (formats[f].e - 1)) - 1;
	int top = top_bit(m) + e, shift = top_bit(m) - mb;
	bool inexact = false, tiny;
	u32 flags = 0;
	u128 q;

	q = round_off(m, shift, neg, rnd, &inexact);
	top += top_bit(q) > mb;
	tiny = top < 1 - bias;
	if (top > bias) {
		if (out)
			*out = (struct num){ .kind = N_INF, .neg = neg };
		return ISA_EXCP_OVERFLOW | ISA_EXCP_INEXACT;
	}
	if (tiny && !(denorm & 2)) {
		inexact = true;
		q = 0;
	} else if (tiny) {
		shift = 1 - bias - mb - e;
		inexact = false;
		q = round_off(m, shift, neg, rnd, &inexact);
	}
	if (inexact)
		flags |= ISA_EXCP_INEXACT | (tiny ? ISA_EXCP_UNDERFLOW : 0);
	if (out)
		*out = (struct num){ .kind = q ? N_FINITE : N_ZERO, .neg = neg, .m = (u64)q,
				     .e = e + shift };
	return flags;
}

static u128 jam(u128 m, int n)
{
	if (n > 126)
		return m != 0;
	return m >> n | ((m & (((u128)1 << n) - 1)) != 0);
}

struct ctx {
	enum fmt out;
	u32 rnd, denorm;
};

/* (@p * 2^@ep) + @c, rounded once; @p is not zero, of at most 107 bits. */
static u32 sum(u128 p, int ep, bool pn, const struct num *c, const struct ctx *x,
	       struct num *out)
{
	u128 q = (u128)c->m;
	int ec = c->e, up;

	if (c->kind == N_ZERO)
		return round_flags(p, ep, pn, x->out, x->rnd, x->denorm, out);
	up = 124 - top_bit(p);
	p <<= up;
	ep -= up;
	up = 124 - top_bit(q);
	q <<= up;
	ec -= up;
	if (ep > ec) {
		q = jam(q, ep - ec);
		ec = ep;
	} else {
		p = jam(p, ec - ep);
	}
	if (pn == c->neg) {
		p += q;
	} else if (p == q) {
		if (out)
			*out = (struct num){ .kind = N_ZERO };
		return 0;
	} else if (p > q) {
		p -= q;
	} else {
		p = q - p;
		pn = c->neg;
	}
	return round_flags(p, ec, pn, x->out, x->rnd, x->denorm, out);
}

static u32 snan_flags(const struct num *n, u32 count)
{
	u32 k;

	for (k = 0; k < count; k++)
		if (n[k].kind == N_SNAN)
			return ISA_EXCP_INVALID;
	return 0;
}

static bool any_nan(const struct num *n, u32 count)
{
	return is_nan(&n[0]) || (count > 1 && is_nan(&n[1])) || (count > 2 && is_nan(&n[2]));
}

static u32 denorm_flags(const struct num *n, u32 count)
{
	u32 k;

	for (k = 0; k < count; k++)
		if (n[k].denormal)
			return ISA_EXCP_DENORM;
	return 0;
}

static u32 add_flags(const struct num *n, const struct ctx *x)
{
	u32 flags = snan_flags(n, 2);

	if (any_nan(n, 2))
		return flags;
	if (n[0].kind == N_INF && n[1].kind == N_INF)
		return n[0].neg != n[1].neg ? ISA_EXCP_INVALID : 0;
	flags |= denorm_flags(n, 2);
	if (n[0].kind == N_INF || n[1].kind == N_INF)
		return flags;
	if (n[0].kind == N_ZERO && n[1].kind == N_ZERO)
		return flags;
	if (n[0].kind == N_ZERO)
		return flags | sum(n[1].m, n[1].e, n[1].neg, &n[0], x, NULL);
	return flags | sum(n[0].m, n[0].e, n[0].neg, &n[1], x, NULL);
}

/*
 * A product: flags, and in *@out its rounded value. @zero: of zero and anything
 * it is zero.
 */
static u32 mul_flags(const struct num *n, bool zero, const struct ctx *x, struct num *out)
{
	bool z = n[0].kind == N_ZERO || n[1].kind == N_ZERO, neg = n[0].neg != n[1].neg;
	bool inf = n[0].kind == N_INF || n[1].kind == N_INF;
	u32 flags = snan_flags(n, 2);

	if (out)
		*out = (struct num){ .kind = N_QNAN, .neg = neg };
	if (any_nan(n, 2) && !(zero && z))
		return flags;
	if (z && inf && !zero)
		return ISA_EXCP_INVALID;
	flags |= denorm_flags(n, 2);
	if (out)
		out->kind = z ? N_ZERO : N_INF;
	if (z || inf)
		return flags;
	return flags | round_flags((u128)n[0].m * n[1].m, n[0].e + n[1].e, neg, x->out, x->rnd,
				   x->denorm, out);
}

static u32 mad_flags(const struct num *n, bool zero, const struct ctx *x)
{
	struct num t[2] = { { 0 }, n[2] };
	u32 flags = mul_flags(n, zero, x, &t[0]);

	return flags | add_flags(t, x);
}

static u32 fma_flags(const struct num *n, const struct ctx *x)
{
	bool z = n[0].kind == N_ZERO || n[1].kind == N_ZERO, neg = n[0].neg != n[1].neg;
	bool inf = n[0].kind == N_INF || n[1].kind == N_INF;
	u32 flags = snan_flags(n, 3);

	if (any_nan(n, 3))
		return flags;
	if (z && inf)
		return ISA_EXCP_INVALID;
	if (inf && n[2].kind == N_INF && neg != n[2].neg)
		return ISA_EXCP_INVALID;
	flags |= denorm_flags(n, 3);
	if (inf || n[2].kind == N_INF || (z && n[2].kind == N_ZERO))
		return flags;
	if (z)
		return flags | round_flags(n[2].m, n[2].e, n[2].neg, x->out, x->rnd,
					   x->denorm, NULL);
	return flags | sum((u128)n[0].m * n[1].m, n[0].e + n[1].e, neg, &n[2], x, NULL);
}

static u64 isqrt(u64 v)
{
	u64 r = 0, bit;

	for (bit = 1ull << 62; bit; bit >>= 2) {
		if (v >= r + bit) {
			v -= r + bit;
			r = (r >> 1) + bit;
		} else {
			r >>= 1;
		}
	}
	return r;
}

static u32 sqrt_flags(const struct num *n)
{
	u64 m = n->m, r;

	if (n->kind != N_FINITE)
		return n->kind == N_SNAN || (n->kind == N_INF && n->neg) ? ISA_EXCP_INVALID : 0;
	if (n->neg)
		return ISA_EXCP_INVALID;
	if (n->e & 1)
		m <<= 1;
	r = isqrt(m);
	return denorm_flags(n, 1) | (r * r != m ? ISA_EXCP_INEXACT : 0);
}

/* Operand classes of the approximations: zero, negative, signalling. */
static u32 approx_flags(enum class class, const struct num *n)
{
	if (class == RAISES_IFLAG)
		return n->kind == N_ZERO ? ISA_EXCP_INT_DIV0 : 0;
	if (n->kind == N_SNAN)
		return ISA_EXCP_INVALID;
	if (n->kind == N_QNAN)
		return 0;
	if (class == RAISES_TRIG)
		return n->kind == N_INF ? ISA_EXCP_INVALID : denorm_flags(n, 1);
	if (n->kind == N_ZERO)
		return ISA_EXCP_DIV0;
	if (class != RAISES_RCP && n->neg)
		return ISA_EXCP_INVALID;
	return denorm_flags(n, 1);
}

/* Quotient, denominator, numerator. */
static u32 fixup_flags(const struct num *n)
{
	const struct num *b = &n[1], *c = &n[2];

	if (is_nan(b) || is_nan(c))
		return snan_flags(b, 2);
	if ((b->kind == N_ZERO && c->kind == N_ZERO) || (b->kind == N_INF && c->kind == N_INF))
		return ISA_EXCP_INVALID;
	return b->kind == N_ZERO && c->kind == N_FINITE ? ISA_EXCP_DIV0 : 0;
}

/* Towards zero to an integer of @lo..@hi. */
static u32 int_flags(const struct num *n, s64 lo, s64 hi)
{
	bool inexact = false;
	u128 v;

	if (n->kind == N_ZERO)
		return 0;
	if (n->kind != N_FINITE || top_bit(n->m) + n->e > 40)
		return ISA_EXCP_INVALID;
	v = n->e < 0 ? round_off(n->m, -n->e, false, 3, &inexact) : (u128)n->m << n->e;
	if (n->neg ? v > (u128)(u64)-lo : v > (u128)(u64)hi)
		return ISA_EXCP_INVALID;
	return denorm_flags(n, 1) | (inexact ? ISA_EXCP_INEXACT : 0);
}

static u32 of_int(s64 v, const struct ctx *x)
{
	if (!v)
		return 0;
	return round_flags(v < 0 ? (u64)-v : (u64)v, 0, v < 0, x->out, x->rnd, x->denorm, NULL);
}

static u32 lane_flags(const struct rule *r, const u64 *v, const struct ctx *x, u32 denorm_in,
		      bool clamp)
{
	struct num n[3];
	u32 k;

	for (k = 0; k < 3; k++)
		n[k] = unpack(v[k], r->in, denorm_in);
	switch (r->class) {
	case RAISES_SUB:
		n[1].neg = !n[1].neg;
		return add_flags(n, x);
	case RAISES_SUBREV:
		n[0].neg = !n[0].neg;
		return add_flags(n, x);
	case RAISES_ADD:
		return add_flags(n, x);
	case RAISES_MUL:
	case RAISES_MUL0:
		return mul_flags(n, r->class == RAISES_MUL0, x, NULL);
	case RAISES_MAD:
	case RAISES_MAD0:
		return mad_flags(n, r->class == RAISES_MAD0, x);
	case RAISES_FMA:
		return fma_flags(n, x);
	case RAISES_NAN:
		return snan_flags(n, 3) | (any_nan(n, 3) ? 0 : denorm_flags(n, 3));
	case RAISES_CMP:
		return clamp && any_nan(n, 2) ? ISA_EXCP_INVALID :
		       snan_flags(n, 2) | (any_nan(n, 2) ? 0 : denorm_flags(n, 2));
	case RAISES_SQRT:
		return sqrt_flags(n);
	case RAISES_FIXUP:
		return fixup_flags(n);
	case RAISES_LDEXP:
		if (n[0].kind != N_FINITE)
			return snan_flags(n, 1);
		k = (u32)(r->in == F16 ? (s32)(s16)v[1] : (s32)v[1]);
		k = (u32)((s32)k > 5000 ? 5000 : (s32)k < -5000 ? -5000 : (s32)k);
		return denorm_flags(n, 1) | round_flags(n[0].m, n[0].e + (s32)k, n[0].neg,
							x->out, x->rnd, x->denorm, NULL);
	case RAISES_TO_FLT:
		if (n[0].kind != N_FINITE)
			return snan_flags(n, 1);
		return denorm_flags(n, 1) | round_flags(n[0].m, n[0].e, n[0].neg, x->out,
							x->rnd, x->denorm, NULL);
	case RAISES_TO_S32:
		return int_flags(n, -0x80000000ll, 0x7fffffff);
	case RAISES_TO_U32:
		return int_flags(n, 0, 0xffffffff);
	case RAISES_TO_S16:
		return int_flags(n, -0x8000, 0x7fff);
	case RAISES_TO_U16:
		return int_flags(n, 0, 0xffff);
	case RAISES_OF_S32:
		return of_int((s32)v[0], x);
	case RAISES_OF_U32:
		return of_int((u32)v[0], x);
	case RAISES_OF_S16:
		return of_int((s16)v[0], x);
	case RAISES_OF_U16:
		return of_int((u16)v[0], x);
	default:
		return approx_flags(r->class, n);
	}
}

/* From the meanings in tab: classes of primitives, formats of operands */
static const struct rule rules[ISA_OP_COUNT] = {
#include "generated/isa_excp.h"
};

/* Operand of lane @l: @half 1 is the upper half, or the second register. */
static u64 operand(const u32 *row, unsigned int l, enum fmt f, u32 half)
{
	if (!row)
		return 0;
	if (f == F64)
		return row[l] | (u64)row[l + ISA_LANES] << 32;
	if (f == F32)
		return row[l + half * ISA_LANES];
	return half ? row[l] >> 16 : row[l] & 0xffff;
}

/**
 * isa_excp_record() - note the exceptions that an instruction is about to raise
 * @w: wave that records; its TRAPSTS and @raised get them
 * @i: a vector ALU instruction
 * @s: its operands with their modifiers, rows or NULL
 * @lanes: active lanes
 */
void isa_excp_record(struct isa_wave *w, const struct isa_insn *i, const u32 *const s[3],
		     u64 lanes)
{
	const struct rule *r = &rules[i->op];
	const bool clamp = i->mods & ISA_MOD_CLAMP;
	u32 shift, denorm_in, flags = 0, half, k;
	struct ctx x;
	u64 left;

	if (r->class == RAISES_NONE || (clamp && r->class != RAISES_CMP))
		return;
	shift = r->out == F32 ? 0 : 2;
	x.out = r->out;
	x.rnd = w->mode >> shift & 3;
	x.denorm = r->flags & RULE_FLUSH ? 0 : w->mode >> (4 + shift) & 3;
	/* Conversions from half take denormals whatever MODE says. */
	denorm_in = r->class == RAISES_TO_FLT && r->in == F16 ? 1 : r->flags & RULE_FLUSH ? 0 :
		    w->mode >> (r->in == F32 ? 4 : 6) & 3;
	for (half = 0; half <= (r->flags & RULE_PAIR); half++)
		for (left = lanes; left; left &= left - 1) {
			u64 v[3];

			for (k = 0; k < 3; k++)
				v[k] = operand(s[k], __builtin_ctzll(left), r->in, half);
			flags |= lane_flags(r, v, &x, denorm_in, clamp);
		}
	w->raised |= flags;
	w->trapsts |= flags;
}
