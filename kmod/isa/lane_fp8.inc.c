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

static __always_inline VI vf_of_f8(VI x, u32 mbits)
{
	const u32 bias = 1u << (6 - mbits);
	VI sign = vi_slli(vi_and(x, vi_splat(0x80)), 24), m = vi_and(x, vi_splat(0x7f));
	VI frac = vi_and(m, vi_splat((1u << mbits) - 1));
	VI r = vi_add(vi_slli(m, 23 - mbits), vi_splat((127 - bias) << 23));
	VI denormal = vf_mul(vf_of_i(frac), vi_splat((128 - bias - mbits) << 23)); /* exact */

	r = vi_or(vi_blend(vm_eq(m, frac), r, denormal), sign);
	return vi_blend(vm_eq(vi_and(x, vi_splat(0xff)), vi_splat(F8_NAN)), r,
			vi_splat(0x7fc00000));
}

/* @add: what is added below the last place of normal results; NULL for the nearest */
static __always_inline VI vf8_of_f(VI x, u32 mbits, const VI *add)
{
	const u32 bias = 1u << (6 - mbits);
	VI zero = vi_zero(), one = vi_splat(1), a = vi_andnot(vi_splat(F32_SIGN), x);
	VI sign = vi_and(vi_srli(x, 24), vi_splat(0x80)), e, m, shift, q;
	VM nan = vm_gts(a, vi_splat(0x7f7fffff));

	if (add)
		a = vi_blend(vm_eq(a, zero), vi_add(a, vi_srli(*add, 9 + mbits)), zero);
	e = vi_srli(a, 23);
	m = vi_or(vi_and(a, vi_splat(0x7fffff)),
		  vi_blend(vm_eq(e, zero), vi_splat(0x800000), zero));
	/* what is denormal as a result loses more bits */
	shift = vi_maxs(vi_sub(vi_splat(128 - bias), e), zero);
	shift = vi_mins(vi_add(shift, vi_splat(23 - mbits)), vi_splat(31));
	q = vi_srlv(m, shift);
	if (!add) {
		VI below_half = vi_sub(vi_sllv(one, vi_sub(shift, one)), one);

		q = vi_srlv(vi_add(vi_add(m, below_half), vi_and(q, one)), shift);
	}
	e = vi_maxs(vi_sub(e, vi_splat(128 - bias)), zero);
	q = vi_add(q, vi_slli(e, mbits));
	nan = vm_or(nan, vm_gts(q, vi_splat(0x7f)));
	q = vi_blend(vm_eq(q, zero), vi_or(q, sign), zero);
	return vi_blend(nan, q, vi_splat(F8_NAN));
}

static __always_inline VI vf8_pair(VI a, VI b, u32 mbits)
{
	return vi_or(vf8_of_f(a, mbits, NULL), vi_slli(vf8_of_f(b, mbits, NULL), 8));
}

/* Of the low half of each lane: two floats in two registers */
static __always_inline void f8_pair_row(u32 *d, const u32 *a, u32 mbits)
{
	unsigned int k;

	for (k = 0; k < ISA_LANES; k += VW) {
		VI x = vi_load(a + k);

		vi_store(d + k, vf_of_f8(x, mbits));
		vi_store(d + ISA_LANES + k, vf_of_f8(vi_srli(x, 8), mbits));
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

/* Into the byte of the old value that op_sel[3:2] names */
static __always_inline void f8_stochastic_row(u32 *d, const u32 *a, const u32 *b, const u32 *old,
					      u32 mbits, const struct lane_env *e)
{
	const u32 at = (e->i->opsel >> 2 & 3) * 8;
	const VI up = vi_splat(at), byte = vi_splat(0xffu << at);
	unsigned int k;

	for (k = 0; k < ISA_LANES; k += VW) {
		const VI add = vi_load(b + k);
		VI r = vi_sllv(vf8_of_f(vi_load(a + k), mbits, &add), up);

		vi_store(d + k, vi_or(vi_andnot(byte, vi_load(old + k)), r));
	}
}

static void cvt_sr_fp8_row(u32 *d, const u32 *a, const u32 *b, const u32 *c, struct lane_env *e)
{
	f8_stochastic_row(d, a, b, c, FP8_MBITS, e);
}

static void cvt_sr_bf8_row(u32 *d, const u32 *a, const u32 *b, const u32 *c, struct lane_env *e)
{
	f8_stochastic_row(d, a, b, c, BF8_MBITS, e);
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
