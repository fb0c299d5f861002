/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Floats of eight bits: FP8 (4 bits of exponent, 3 of mantissa) and BF8 (5 and
 * 2) in the FNUZ formats of gfx942. Their bias is one more than IEEE's would
 * be, there are no infinities, and what would be -0 is the only NaN.
 *
 * What is too large becomes NaN, as infinities do: HIP's headers clip before
 * they convert. Stochastic rounding adds the upper bits of the second operand
 * below the last place and cuts off; the carry goes on into the exponent.
 * Sources: AMD's pseudo-code of V_CVT_*FP8*; Open formats: "8-bit numerical
 * formats for deep neural networks" (FNUZ).
 */

#define FP8_MBITS	3
#define BF8_MBITS	2
#define F8_NAN		0x80u

static __always_inline u32 f32_of_f8(u32 x, u32 mbits)
{
	u32 sign = (x & 0x80) << 24, m = x & 0x7f, frac = m & ((1u << mbits) - 1);
	s32 bias = 1 << (6 - mbits), e = (s32)(m >> mbits);

	if ((x & 0xff) == F8_NAN)
		return 0x7fc00000;
	if (!e)		/* exact */
		return sign | bits_of_f((float)(s32)frac *
					f_of_bits((u32)(128 - bias - (s32)mbits) << 23));
	return sign | (((u32)(e - bias + 127) << 23) + (frac << (23 - mbits)));
}

/* @add: below the last place of normal results, or half of it for the nearest */
static u32 f8_of_f32(u32 x, u32 mbits, bool stochastic, u32 add)
{
	s32 bias = 1 << (6 - mbits), e, shift = 23 - (s32)mbits;
	u32 sign = x >> 24 & 0x80, m, q, cut;

	if ((x & 0x7f800000) == 0x7f800000)
		return F8_NAN;
	x &= ~F32_SIGN;
	if (stochastic)
		x += x ? add >> (9 + mbits) : 0;
	e = (s32)(x >> 23) - 127 + bias;	/* 1 and above: normal */
	m = (x & 0x7fffff) | (x >> 23 ? 0x800000 : 0);
	if (e < 1) {
		shift = s32_min(shift + 1 - e, 31);
		e = 1;
	}
	q = m >> shift;
	cut = m & ((1u << shift) - 1);
	if (!stochastic)
		q += soft_up(false, q & 1, soft_rem(cut, 1ull << (shift - 1)), 0);
	q += (u32)(e - 1) << mbits;
	if (q > 0x7f)
		return F8_NAN;
	return q ? sign | q : 0;
}

/* Of the low half of each lane: two floats in two registers */
static __always_inline void f8_pair_row(u32 *d, const u32 *a, u32 mbits)
{
	u32 l;

	for (l = 0; l < ISA_LANES; l++) {
		u32 x = a[l];

		d[l] = f32_of_f8(x & 0xff, mbits);
		d[l + ISA_LANES] = f32_of_f8(x >> 8 & 0xff, mbits);
	}
}

static void cvt_pk_f32_fp8_row(u32 *d, const u32 *a, const u32 *b, const u32 *c,
			       struct lane_env *e)
{
	(void)b, (void)c, (void)e;
	f8_pair_row(d, a, FP8_MBITS);
}

static void cvt_pk_f32_bf8_row(u32 *d, const u32 *a, const u32 *b, const u32 *c,
			       struct lane_env *e)
{
	(void)b, (void)c, (void)e;
	f8_pair_row(d, a, BF8_MBITS);
}

static __always_inline u32 f8_pair(u32 a, u32 b, u32 mbits)
{
	return f8_of_f32(a, mbits, false, 0) | f8_of_f32(b, mbits, false, 0) << 8;
}

/* Into the byte of @old that op_sel[3:2] names */
static __always_inline u32 f8_stochastic(const struct lane_env *e, u32 a, u32 b, u32 old,
					 u32 mbits)
{
	u32 at = (e->i->opsel >> 2 & 3) * 8;

	return (old & ~(0xffu << at)) | f8_of_f32(a, mbits, true, b) << at;
}

/* ---- OCP's formats: gfx950; lane_cvt.c knows them ---- */

static __always_inline u32 f32_of_f8_ocp(u32 x, unsigned int format)
{
	return isa_cvt(x & 0xff, format, CVT_F32, 0, NULL, false);
}

static __always_inline void f8_ocp_pair_row(u32 *d, const u32 *a, unsigned int format)
{
	u32 l;

	for (l = 0; l < ISA_LANES; l++) {
		u32 x = a[l];

		d[l] = f32_of_f8_ocp(x, format);
		d[l + ISA_LANES] = f32_of_f8_ocp(x >> 8, format);
	}
}

static void cvt_pk_f32_fp8_ocp_row(u32 *d, const u32 *a, const u32 *b, const u32 *c,
				   struct lane_env *e)
{
	(void)b, (void)c, (void)e;
	f8_ocp_pair_row(d, a, CVT_FP8);
}

static void cvt_pk_f32_bf8_ocp_row(u32 *d, const u32 *a, const u32 *b, const u32 *c,
				   struct lane_env *e)
{
	(void)b, (void)c, (void)e;
	f8_ocp_pair_row(d, a, CVT_BF8);
}

static __always_inline u32 f8_ocp_pair(const struct lane_env *e, u32 a, u32 b, unsigned int format)
{
	bool ovfl = e->w->mode & ISA_MODE_FP16_OVFL;

	return isa_cvt(a, CVT_F32, format, 0, NULL, ovfl) |
	       isa_cvt(b, CVT_F32, format, 0, NULL, ovfl) << 8;
}

static __always_inline u32 f8_ocp_stochastic(const struct lane_env *e, u32 a, u32 b, u32 old,
					     unsigned int format)
{
	u32 at = (e->i->opsel >> 2 & 3) * 8;

	return (old & ~(0xffu << at)) |
	       isa_cvt(a, CVT_F32, format, 0, &b, e->w->mode & ISA_MODE_FP16_OVFL) << at;
}
