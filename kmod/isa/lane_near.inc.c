/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Operations of which vectors compute the usual lanes and leave the odd ones, with
 * zeros, denormals, infinities, NaNs and results near the ends of the range, to the
 * scalar functions of lane_scalar.inc.c and lane_div.inc.c. On what is usual the
 * two agree bit by bit: there the operation moves and compares exponents only.
 */

/* A row vector of 64-bit lanes; 32-bit ones have @lo alone. */
struct lane_pair {
	VI lo, hi;
};

/* The lanes it leaves; of the others @r is the result, all ones or zero of a compare. */
typedef VM (*lane_near_fn)(const struct lane_pair *s, struct lane_pair *r);
/* One lane of the same operation */
typedef u64 (*lane_one_fn)(const u32 *a, const u32 *b, const u32 *c, unsigned int l,
			   struct lane_env *e);

static __always_inline void lane_left(u32 *d, const u32 *a, const u32 *b, const u32 *c,
				      struct lane_env *e, lane_one_fn one, bool wide, u64 left)
{
	for (; left; left &= left - 1) {
		unsigned int l = (unsigned int)__builtin_ctzll(left);
		u64 r = one(a, b, c, l, e);

		if (!d) {
			e->cout |= r << l;
			continue;
		}
		d[l] = (u32)r;
		if (wide)
			d[l + ISA_LANES] = (u32)(r >> 32);
	}
}

/*
 * A row function, of @nsrc sources; not in place. @d is NULL for compares. Bits of
 * @wide: what is 64 bits, as in lane_qstep().
 */
static __always_inline void
lane_near(u32 *d, const u32 *a, const u32 *b, const u32 *c, struct lane_env *e,
	  lane_near_fn near, lane_one_fn one, unsigned int nsrc, unsigned int wide)
{
	const u32 *p[3] = { a, b, c };
	u64 left = 0, out = 0;
	unsigned int k, n;

#pragma GCC unroll 2
	for (k = 0; k < VSTEPS; k++) {
		struct lane_pair s[3], r = { vi_zero(), vi_zero() };

#pragma GCC unroll 3
		for (n = 0; n < nsrc; n++) {
			s[n].lo = vi_load(p[n] + k * VW);
			s[n].hi = vi_zero();
			if (wide >> n & 1)
				s[n].hi = vi_load(p[n] + ISA_LANES + k * VW);
		}
		left |= vm_place(near(s, &r), k);
		if (!d) {
			out |= vm_place(vm_of(r.lo), k);
			continue;
		}
		vi_store(d + k * VW, r.lo);
		if (wide & 8)
			vi_store(d + ISA_LANES + k * VW, r.hi);
	}
	left &= e->exec;
	e->cout |= out & ~left;
	if (unlikely(left))
		lane_left(d, a, b, c, e, one, wide & 8, left);
}

/* The sign bit is set where @x, as a signed number, is not from 0 to @top. */
static __always_inline VI near_outside(VI x, u32 top)
{
	return vi_or(x, vi_sub(vi_splat(top), x));
}

/* Exponent fields of doubles, by their high halves, and of floats, less @from */
static __always_inline VI near_exp64(VI hi, u32 from)
{
	return vi_sub(vi_and(vi_srli(hi, 20), vi_splat(0x7ff)), vi_splat(from));
}

static __always_inline VI near_exp32(VI x, u32 from)
{
	return vi_sub(vi_and(vi_srli(x, 23), vi_splat(0xff)), vi_splat(from));
}

/* @a is normal, and so is the result */
static __always_inline VM ldexp_f64_near(const struct lane_pair *s, struct lane_pair *r)
{
	VI e = near_exp64(s[0].hi, 1), n = s[1].lo;

	r->lo = s[0].lo;
	r->hi = vi_add(s[0].hi, vi_slli(n, 20));
	return vm_of(vi_or(near_outside(e, 2045), near_outside(vi_add(e, n), 2045)));
}

static __always_inline VM frexp_exp_f64_near(const struct lane_pair *s, struct lane_pair *r)
{
	VI e = near_exp64(s[0].hi, 1);

	r->lo = vi_sub(e, vi_splat(1021));
	return vm_of(near_outside(e, 2045));
}

static __always_inline VM frexp_mant_f64_near(const struct lane_pair *s, struct lane_pair *r)
{
	r->lo = s[0].lo;
	r->hi = vi_or(vi_and(s[0].hi, vi_splat(0x800fffff)), vi_splat(0x3fe00000));
	return vm_of(near_outside(near_exp64(s[0].hi, 1), 2045));
}

static __always_inline VM frexp_exp_f32_near(const struct lane_pair *s, struct lane_pair *r)
{
	VI e = near_exp32(s[0].lo, 1);

	r->lo = vi_sub(e, vi_splat(125));
	return vm_of(near_outside(e, 253));
}

static __always_inline VM frexp_mant_f32_near(const struct lane_pair *s, struct lane_pair *r)
{
	r->lo = vi_or(vi_and(s[0].lo, vi_splat(0x807fffff)), vi_splat(0x3f000000));
	return vm_of(near_outside(near_exp32(s[0].lo, 1), 253));
}

static __always_inline VI near_exp16(VI x, u32 from)
{
	return vi_sub(vi_and(vi_srli(x, 10), vi_splat(0x1f)), vi_splat(from));
}

/* The same of halves */
static __always_inline VM ldexp_f16_near(const struct lane_pair *s, struct lane_pair *r)
{
	VI e = near_exp16(s[0].lo, 1), n = vi_i16(s[1].lo);

	r->lo = vi_u16(vi_add(s[0].lo, vi_slli(n, 10)));
	return vm_of(vi_or(near_outside(e, 29), near_outside(vi_add(e, n), 29)));
}

static __always_inline VM frexp_exp_f16_near(const struct lane_pair *s, struct lane_pair *r)
{
	VI e = near_exp16(s[0].lo, 1);

	r->lo = vi_u16(vi_sub(e, vi_splat(13)));
	return vm_of(near_outside(e, 29));
}

static __always_inline VM frexp_mant_f16_near(const struct lane_pair *s, struct lane_pair *r)
{
	r->lo = vi_or(vi_and(s[0].lo, vi_splat(0x83ff)), vi_splat(0x3800));
	return vm_of(near_outside(near_exp16(s[0].lo, 1), 29));
}

/*
 * The sign bit is set where the high half of a double, without its sign, has no exponent field from
 * @from to @to.
 */
static __always_inline VI near_beyond(VI abs, u32 from, u32 to)
{
	VI above = vi_sub(vi_splat((to << 20) + 0xfffff), abs);

	return from ? vi_or(vi_sub(abs, vi_splat(from << 20)), above) : above;
}

static __always_inline VI near_abs(VI x)
{
	return vi_and(x, vi_splat(0x7fffffff));
}

/*
 * Nothing is scaled, and no lane flagged: neither 1/b nor c/b is below the normal range, c/b is
 * below 2^766 and c above 2^-970. See div_scale_f64(). As mantissas are in the difference, too, its
 * bounds are closer by one. It may wrap around, to what is outside as well.
 */
static __always_inline VM div_scale_f64_near(const struct lane_pair *s, struct lane_pair *r)
{
	VI b = near_abs(s[1].hi), c = near_abs(s[2].hi), quot = vi_sub(c, b);

	*r = s[0];
	return vm_of(vi_or(vi_or(near_beyond(near_abs(s[0].hi), 0, 2046), near_beyond(b, 1, 2044)),
			   vi_or(near_beyond(c, 54, 2046),
				 vi_or(vi_add(quot, vi_splat(1020u << 20)),
				       vi_sub(vi_splat(766u << 20), quot)))));
}

static __always_inline VM div_scale_f32_near(const struct lane_pair *s, struct lane_pair *r)
{
	VI a = near_exp32(s[0].lo, 0), b = near_exp32(s[1].lo, 1), c = near_exp32(s[2].lo, 24);
	VI quot = vi_add(vi_sub(c, b), vi_splat(125 + 23));

	*r = s[0];
	return vm_of(vi_or(vi_or(near_outside(a, 254), near_outside(b, 251)),
			   vi_or(near_outside(c, 230), near_outside(quot, 220))));
}

/*
 * Numerator and denominator are normal and not too far apart, the quotient is a number: it gets
 * their sign.
 */
static __always_inline VM div_fixup_f64_near(const struct lane_pair *s, struct lane_pair *r)
{
	VI a = near_abs(s[0].hi), b = near_abs(s[1].hi), c = near_abs(s[2].hi);
	VI far = vi_add(vi_sub(c, b), vi_splat(1074u << 20));	/* as in div_scale */

	r->lo = s[0].lo;
	r->hi = vi_or(a, vi_and(vi_splat(1u << 31), vi_xor(s[1].hi, s[2].hi)));
	return vm_of(vi_or(vi_or(near_beyond(a, 0, 2046), far),
			   vi_or(near_beyond(b, 1, 2046), near_beyond(c, 1, 2046))));
}

static __always_inline VM div_fixup_f32_near(const struct lane_pair *s, struct lane_pair *r)
{
	VI sign = vi_splat(1u << 31);
	VI b = near_exp32(s[1].lo, 1), c = near_exp32(s[2].lo, 1);
	VI far = vi_sub(vi_add(c, vi_splat(150)), b);

	r->lo = vi_or(vi_andnot(sign, s[0].lo), vi_and(sign, vi_xor(s[1].lo, s[2].lo)));
	return vm_of(vi_or(vi_or(near_outside(near_exp32(s[0].lo, 0), 254), far),
			   vi_or(near_outside(b, 253), near_outside(c, 253))));
}

static __always_inline VM div_fixup_f16_near(const struct lane_pair *s, struct lane_pair *r)
{
	VI sign = vi_and(vi_xor(s[1].lo, s[2].lo), vi_splat(0x8000));

	r->lo = vi_or(vi_and(s[0].lo, vi_splat(0x7fff)), sign);
	return vm_of(vi_or(near_outside(near_exp16(s[1].lo, 1), 29),
			   near_outside(near_exp16(s[2].lo, 1), 29)));
}

/*
 * Classes as v_cmp_class has them: of a positive number in the low half, of its
 * negative in the high half. @a: magnitude; @sign: all ones or zero; @quiet: 0 or 1;
 * @inf: infinity; @least: the least normal number.
 */
static __always_inline VI near_class(VI a, VI sign, VI quiet, u32 inf, u32 least)
{
	VI p = vi_splat(0x00080100), top = vi_splat(inf);

	p = vi_blend(vm_gts(vi_splat(least), a), p, vi_splat(0x00100080));
	p = vi_blend(vm_eq(a, vi_zero()), p, vi_splat(0x00200040));
	p = vi_blend(vm_eq(a, top), p, vi_splat(0x00040200));
	p = vi_or(vi_and(sign, vi_srli(p, 16)), vi_andnot(sign, p));
	return vi_blend(vm_gts(a, top), p, vi_add(quiet, vi_splat(1)));
}

static __always_inline VI near_test(VI class, VI wanted)
{
	VI hit = vi_and(vi_and(class, wanted), vi_splat(0x3ff));

	return vi_not(vm_vec(vm_eq(hit, vi_zero())));
}

static __always_inline VM class_f32_near(const struct lane_pair *s, struct lane_pair *r)
{
	VI x = s[0].lo, a = vi_and(x, vi_splat(0x7fffffff));

	r->lo = near_test(near_class(a, vi_srai(x, 31), vi_and(vi_srli(x, 22), vi_splat(1)),
				     0x7f800000, 0x800000), s[1].lo);
	return vm_none();
}

/* Of the low half it only matters whether any bit is set. */
static __always_inline VM class_f64_near(const struct lane_pair *s, struct lane_pair *r)
{
	VI x = s[0].hi, low = vi_not(vm_vec(vm_eq(s[0].lo, vi_zero())));
	VI a = vi_or(vi_and(x, vi_splat(0x7fffffff)), vi_and(low, vi_splat(1)));

	r->lo = near_test(near_class(a, vi_srai(x, 31), vi_and(vi_srli(x, 19), vi_splat(1)),
				     0x7ff00000, 0x100000), s[1].lo);
	return vm_none();
}

static __always_inline VM class_f16_near(const struct lane_pair *s, struct lane_pair *r)
{
	VI x = vi_i16(s[0].lo), a = vi_and(x, vi_splat(0x7fff));

	r->lo = near_test(near_class(a, vi_srai(x, 31), vi_and(vi_srli(x, 9), vi_splat(1)),
				     0x7c00, 0x400), s[1].lo);
	return vm_none();
}

/* Selectors of bytes and of 0; lanes with those of signs and of 0xff are left. */
static __always_inline VM perm_near(const struct lane_pair *s, struct lane_pair *r)
{
#if LANE_WIDTH == 4	/* no instruction picks bytes */
	(void)s, (void)r;
	return vm_all();
#else
	const VI ones = vi_splat(0x01010101), zero = vi_splat(0x0c0c0c0c);
	VI sel = s[2].lo, far = vi_and(vi_srli(sel, 2), ones);
	VI high = vi_and(vi_srli(sel, 3), ones), at = vi_bytes_of_lane();
	VI none = vi_sub(vi_slli(high, 7), high), left;

	/* 0x0c has bit 3 and these bits; lanes with other selectors that have bit 3 are left */
	none = vi_or(none, vi_slli(high, 7));
	left = vi_or(vi_and(sel, vi_splat(0xf0f0f0f0)),
		     vi_and(none, vi_xor(sel, zero)));
	at = vi_or(at, vi_and(sel, vi_splat(0x03030303)));
	far = vi_or(vi_sub(vi_slli(far, 7), far), vi_slli(far, 7));
	r->lo = vi_or(vi_andnot(far, vi_pick_bytes(s[1].lo, at)),
		      vi_and(far, vi_pick_bytes(s[0].lo, at)));
	r->lo = vi_andnot(none, r->lo);
	return vm_not(vm_eq(left, vi_zero()));
#endif
}

/* See dot2_bf16(). */
static __always_inline VM dot2_bf16_near(const struct lane_pair *s, struct lane_pair *r)
{
	const VI high = vi_splat(0xffff0000);
	VI p = vf_mul(vi_slli(s[0].lo, 16), vi_slli(s[1].lo, 16));
	VI q = vf_mul(vi_and(high, s[0].lo), vi_and(high, s[1].lo));

	r->lo = vf_add(q, vf_add(p, s[2].lo));
	return vm_none();
}

/* See dot2_bf16_then(). */
static __always_inline VM dot2_bf16_then_near(const struct lane_pair *s, struct lane_pair *r)
{
	const VI high = vi_splat(0xffff0000);
	VI p = vf_mul(vi_slli(s[0].lo, 16), vi_slli(s[1].lo, 16));
	VI q = vf_mul(vi_and(high, s[0].lo), vi_and(high, s[1].lo));

	r->lo = vf_add(vf_add(p, q), s[2].lo);
	return vm_none();
}

#if HALF_ROWS
#if LANE_WIDTH == 16
#define near_rtz(a)	_mm512_cvtepu16_epi32(_mm512_cvtps_ph(ps_of(a), _MM_FROUND_TO_ZERO))
#else
#define near_rtz(a)	_mm256_cvtepu16_epi32(_mm256_cvtps_ph(ps_of(a), _MM_FROUND_TO_ZERO))
#endif

/* Denormal floats become zeros in any case. */
static __always_inline VM pack_f16_rtz_near(const struct lane_pair *s, struct lane_pair *r)
{
	r->lo = vi_or(near_rtz(s[0].lo), vi_slli(near_rtz(s[1].lo), 16));
	return vm_none();
}

/* Exact products, added one after the other: see dot2_f32(). */
static __always_inline VM dot2_f32_near(const struct lane_pair *s, struct lane_pair *r)
{
	VI p = vf_mul(vf_of_h(s[0].lo), vf_of_h(s[1].lo));
	VI q = vf_mul(vf_of_h(vi_srli(s[0].lo, 16)), vf_of_h(vi_srli(s[1].lo, 16)));

	r->lo = vf_add(q, vf_add(p, s[2].lo));
	return vm_none();
}

/* See f16_mix(): NaNs and what is denormal as a float, or 0, are left. */
static __always_inline VM fma_to_f16_near(const struct lane_pair *s, struct lane_pair *r)
{
	VI x = vf_fma(s[0].lo, s[1].lo, s[2].lo);
	VI tiny = vm_vec(vm_eq(vi_and(x, vi_splat(0x7f800000)), vi_zero()));

	r->lo = vh_of_f(x);
	return vm_or(vm_of(tiny), vm_or(fm_uno(s[0].lo, s[1].lo), fm_uno(s[2].lo, x)));
}

/*
 * Halves of what was computed in doubles and rounded to floats. To round twice may be
 * wrong where the float is a tie between two halves, or where the half is a denormal,
 * whose ties are elsewhere: those lanes are left, and so are NaNs.
 */
static __always_inline VM near_half(VI x, struct lane_pair *r)
{
	VI abs = vi_andnot(vi_splat(F32_SIGN), x);
	VM odd = vm_eq(vi_and(x, vi_splat(0x1fff)), vi_splat(0x1000));

	r->lo = vh_of_f(x);
	return vm_or(vm_or(odd, fm_uno(x, x)), vm_gts(vi_splat(0x38800000), abs));
}

static __always_inline VM exp2_f16_near(const struct lane_pair *s, struct lane_pair *r)
{
	return near_half(vf_exp2(vf_of_h(s[0].lo)), r);
}

static __always_inline VM log2_f16_near(const struct lane_pair *s, struct lane_pair *r)
{
	return near_half(vf_log2_flush(vf_of_h(s[0].lo)), r);
}

static __always_inline VM sin_f16_near(const struct lane_pair *s, struct lane_pair *r)
{
	return near_half(vf_sin(vf_of_h(s[0].lo)), r);
}

static __always_inline VM cos_f16_near(const struct lane_pair *s, struct lane_pair *r)
{
	return near_half(vf_cos(vf_of_h(s[0].lo)), r);
}

static __always_inline VI near_rsq(VI a)
{
	return vd_div(vd_const(0x3ff0000000000000), vd_sqrt(a));
}

static __always_inline VM rsq_f16_near(const struct lane_pair *s, struct lane_pair *r)
{
	VI x = vf_of_h(s[0].lo);

	return near_half(vf_of_d(near_rsq(vd_of_f0(x)), near_rsq(vd_of_f1(x))), r);
}
#else
static __always_inline VM near_none(const struct lane_pair *s, struct lane_pair *r)
{
	(void)s, (void)r;
	return vm_all();
}

#define pack_f16_rtz_near	near_none
#define dot2_f32_near		near_none
#define fma_to_f16_near		near_none
#define exp2_f16_near		near_none
#define log2_f16_near		near_none
#define sin_f16_near		near_none
#define cos_f16_near		near_none
#define rsq_f16_near		near_none
#endif
