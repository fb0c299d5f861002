/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Matrix operations: the inner products. Each function computes VW lanes of
 * the destination at once; MXCSR is in nearest even, and flushes denormals
 * except where the sums of gfx908 and of plain floats need them.
 *
 * Source of the order and the roundings: MMA-Sim, "Bit-accurate reference
 * model of tensor cores and matrix cores" (its authors checked it against
 * gfx908, gfx90a and gfx942). It says nothing of NaNs, which all become the
 * positive quiet one here, nor of sparse operations, which are summed here as
 * the dense ones of the same number of products.
 */

#define MAT_NAN		0x7fc00000u

/* The lanes' parts of a matrix operation: bases of A, B and strides */
struct mat_lane {
	const u32 *a, *a2, *b, *b2;
	u32 sa, sb;
	const u16 *pick;
};

static __always_inline VI mat_get_a(const u32 *p, bool spread)
{
	return spread ? vi_load(p) : vi_splat(*p);
}

static __always_inline VI mat_canon(VI x)
{
	return vi_blend(fm_uno(x, x), x, vi_splat(MAT_NAN));
}

static __always_inline VI mat_chain_f32(const struct mat_lane *m, u32 k, VI c, bool spread)
{
	u32 t;

	for (t = 0; t < k; t++)
		c = vf_fma(mat_get_a(m->a + t * m->sa, spread), vi_load(m->b + t * m->sb), c);
	return mat_canon(c);
}

static __always_inline VI mat_bytes(const struct mat_lane *m, u32 k, VI c, bool spread)
{
	u32 t;

	for (t = 0; t < k; t++) {
		VI p = vi_madd(mat_get_a(m->a + t * m->sa, spread), vi_load(m->b + t * m->sb));
		VI q = vi_madd(mat_get_a(m->a2 + t * m->sa, spread), vi_load(m->b2 + t * m->sb));

		c = vi_add(c, vi_add(p, q));
	}
	return c;
}

static __always_inline VI mat_bytes_sparse(const struct mat_lane *m, u32 k, VI c)
{
	u32 t;

	for (t = 0; t < k; t++)
		c = vi_add(c, vi_madd(vi_splat(m->a[t * m->sa]),
				      vi_load(m->b + m->pick[t] * m->sb)));
	return c;
}

/* ---- gfx908, gfx90a: pairs ---- */

/* a * b + 0: a product that is zero has no sign, one that is too small has. */
static __always_inline VI mat_product(VI a, VI b)
{
#if LANE_WIDTH == 4
	VI p = vf_mul(a, b);
	VM zero = vm_or(fm_eq(a, vi_zero()), fm_eq(b, vi_zero()));

	return vi_blend(zero, p, vf_add(p, vi_zero()));
#else
	return vf_fma(a, b, vi_zero());
#endif
}

static __always_inline VI mat_pairs(const struct mat_lane *m, u32 k, u32 group, VI c,
				    bool spread, bool flush)
{
	VI p[4] LANE_SCRATCH;
	u32 t, n;

	if (flush)		/* no denormals, no negative zero */
		c = vf_add(c, vi_zero());
	for (t = 0; t < k; t += group) {
#pragma GCC unroll 4
		for (n = 0; n < group; n++)
			p[n] = mat_product(mat_get_a(m->a + (t + n) * m->sa, spread),
					   vi_load(m->b + (t + n) * m->sb));
		p[0] = vf_add(p[0], p[1]);
		if (group == 4)
			p[0] = vf_add(p[0], vf_add(p[2], p[3]));
		c = vf_add(c, p[0]);
	}
	return mat_canon(c);
}

/* ---- gfx942: fused ---- */

/* A float as its exponent, lowest of normal ones for denormals and 0, */
static __always_inline s32 mat_exp(u32 x)
{
	s32 e = (s32)(x >> 23 & 255);

	return (e ? e : 1) - 127;
}

/* and its signed significand in units of 2^-23. */
static __always_inline s32 mat_significand(u32 x)
{
	s32 m = (s32)(x & 0x7fffff) | (x & 0x7f800000 ? 0x800000 : 0);

	return x & F32_SIGN ? -m : m;
}

/* @v * 2^@e to the nearest float */
static u32 mat_pack(s64 v, s32 e)
{
	u32 sign = v < 0 ? F32_SIGN : 0;
	u64 u = v < 0 ? -(u64)v : (u64)v, q;
	s32 top, shift, exp;

	if (!u)
		return 0;
	top = 63 - __builtin_clzll(u);
	exp = e + top;
	shift = top - 23 + (exp < -126 ? -126 - exp : 0);
	if (exp > 127)
		return sign | 0x7f800000;
	if (shift > 62)
		return sign;
	if (shift <= 0) {
		q = u << -shift;
	} else {
		u64 rem = u & ((1ull << shift) - 1);

		q = u >> shift;
		q += soft_up(false, q & 1, soft_rem(rem, 1ull << (shift - 1)), 0);
	}
	if (exp >= -126)
		q += (u64)(exp + 126) << 23;
	return sign | (u32)q;
}

static __always_inline s32 mat_max(s32 a, s32 b) { return a > b ? a : b; }

static __always_inline s64 mat_floor(s64 v, s32 down)
{
	return v >> (down > 63 ? 63 : down);
}

/* The last step for one element: @s in units of 2^(@e - 24), and C. */
static u32 mat_last_one(s64 s, s32 e, u32 c, bool bytes)
{
	s32 ec = mat_exp(c), max = e > ec ? e : ec, d = max - e;
	s64 sc = (s64)mat_significand(c) * 2;

	s = d < 7 ? s * (1 << (7 - d)) : mat_floor(s, d - 7);
	sc = bytes && max - ec > 25 ? 0 : mat_floor(sc, max - ec);
	return mat_pack(s + sc * 128, max - 31);
}

/* The same for VW elements; below 2^-95 floats could be denormal: one by one. */
static __always_inline VI mat_last(VI s, VI e, VI c, bool bytes)
{
	VI ef = vi_and(vi_srli(c, 23), vi_splat(255)), neg = vi_srai(c, 31), far = vi_splat(31);
	VI ec = vi_sub(vi_maxs(ef, vi_splat(1)), vi_splat(127));
	VI sc = vi_and(c, vi_splat(0x7fffff)), max = vi_maxs(e, ec), dc = vi_sub(max, ec);
	VI d = vi_sub(max, e), seven = vi_splat(7), near, r, t;
	VM special = vm_eq(ef, vi_splat(255)), low;

	sc = vi_blend(vm_eq(ef, vi_zero()), vi_or(sc, vi_splat(0x800000)), sc);
	sc = vi_sub(vi_xor(vi_slli(sc, 1), neg), neg);
	t = vi_srav(sc, vi_mins(dc, far));
	if (bytes)
		t = vi_blend(vm_gts(dc, vi_splat(25)), t, vi_zero());
	near = mat_pow2(vi_sub(vi_zero(), vi_mins(d, seven)));
	r = vi_srav(s, vi_mins(vi_sub(vi_maxs(d, seven), seven), far));
	r = vf_of_d(vd_add(vd_mul(vd_of_i0(r), vd_of_f0(near)), vd_of_i0(t)),
		    vd_add(vd_mul(vd_of_i1(r), vd_of_f1(near)), vd_of_i1(t)));
	low = vm_and(vm_gts(vi_splat((u32)-95), max), vm_not(vm_eq(r, vi_zero())));
	r = vf_mul(r, mat_pow2(vi_sub(vi_maxs(max, vi_splat((u32)-95)), vi_splat(24))));
	if (unlikely(vm_any(low))) {
		u32 vs[VW] __aligned(64) LANE_SCRATCH, ve[VW] __aligned(64) LANE_SCRATCH;
		u32 vc[VW] __aligned(64) LANE_SCRATCH;
		unsigned int n;

		vi_store(vs, s);
		vi_store(ve, e);
		vi_store(vc, c);
		for (n = 0; n < VW; n++)
			vc[n] = mat_last_one((s32)vs[n], (s32)ve[n], vc[n], bytes);
		r = vi_load(vc);
	}
	if (unlikely(vm_any(special)))
		r = vi_blend(special, r, mat_canon(c));
	return r;
}

/*
 * Sum of the products @from, @from + @step ... at 24 bits below the largest
 * exponent, each cut off there. @direct: they are the products, else they are
 * significands and *@e has the exponents.
 */
static __always_inline VI mat_aligned(const VI *p, const VI *e, u32 from, u32 group, u32 step,
				      VI max, bool direct)
{
	VI s = vi_zero(), k;
	u32 n;

	if (direct) {
		k = mat_pow2(vi_sub(vi_splat(24), vi_maxs(max, vi_splat((u32)-100))));
#pragma GCC unroll 16
		for (n = from; n < group; n += step)
			s = vi_add(s, vi_of_f(vf_mul(p[n], k)));
		return s;
	}
	k = vi_sub(max, vi_splat(24));
#pragma GCC unroll 16
	for (n = from; n < group; n += step) {
		VI by = vi_maxs(vi_sub(e[n], k), vi_splat((u32)-64));

		s = vi_add(s, vi_of_f(vf_mul(p[n], mat_pow2(by))));
	}
	return s;
}

static __always_inline VI
mat_fused_group(const struct mat_lane *m, u32 t, u32 group, VI c, bool bytes, bool direct,
		bool spread)
{
	VI p[16] LANE_SCRATCH, e[16] LANE_SCRATCH;
	VI max = vi_splat((u32)-1000), odd = max, s, so, d;
	u32 n;

#pragma GCC unroll 16
	for (n = 0; n < group; n++) {
		u32 at = (t + n) * m->sa, bt = (m->pick ? m->pick[t + n] : t + n) * m->sb;

		p[n] = vf_mul(mat_get_a(m->a + at, spread), vi_load(m->b + bt));
		e[n] = vi_add(mat_get_a(m->a2 + at, spread), vi_load(m->b2 + bt));
		if (bytes && n & 1)
			odd = vi_maxs(odd, e[n]);
		else
			max = vi_maxs(max, e[n]);
	}
	if (!bytes)
		return mat_last(mat_aligned(p, e, 0, group, 1, max, direct), max, c, false);
	s = mat_aligned(p, e, 0, group, 2, max, direct);
	so = mat_aligned(p, e, 1, group, 2, odd, direct);
	d = vi_sub(max, odd);
	max = vi_maxs(max, odd);
	s = vi_srav(s, vi_mins(vi_maxs(vi_sub(vi_zero(), d), vi_zero()), vi_splat(31)));
	so = vi_srav(so, vi_mins(vi_maxs(d, vi_zero()), vi_splat(31)));
	return mat_last(vi_add(s, so), max, c, true);
}

static __always_inline VI
mat_fused(const struct mat_lane *m, u32 k, u32 group, VI c, bool bytes, bool direct, bool spread)
{
	u32 t;

	for (t = 0; t < k; t += group)
		c = mat_fused_group(m, t, group, c, bytes, direct, spread);
	return c;
}

/* ---- fused, one element at a time: infinities, NaNs, huge numbers ---- */

/* Significand of an element at its own exponent, in units of 2^-10 */
static __always_inline s32 mat_units(u32 x, s32 e)
{
	s32 m = mat_significand(x), down = 13 + e - mat_exp(x);

	return m < 0 ? -(-m >> down) : m >> down;
}

/* The sum if a product or C is infinite or NaN, or 1 if there is nothing like that */
static u32 mat_special_sum(const struct mat_lane *m, u32 t, u32 group, u32 c)
{
	bool inf[2] = { c == 0x7f800000, c == 0xff800000 }, huge[2] = { false, false };
	u32 n;

	if (f32_nan(c))
		return MAT_NAN;
	for (n = t; n < t + group; n++) {
		u32 at = n * m->sa, bt = (m->pick ? m->pick[n] : n) * m->sb;
		u32 a = m->a[at], b = m->b[bt], sign = (a ^ b) >> 31;
		u32 x = a & ~F32_SIGN, y = b & ~F32_SIGN;

		if (x > 0x7f800000 || y > 0x7f800000)
			return MAT_NAN;
		if (x == 0x7f800000 || y == 0x7f800000) {
			if (!x || !y)
				return MAT_NAN;
			inf[sign] = true;
		} else {	/* from 2^128 on a product counts as infinite */
			s32 e = (s32)m->a2[at] + (s32)m->b2[bt];
			s32 p = mat_units(x, (s32)m->a2[at]) * mat_units(y, (s32)m->b2[bt]);

			huge[sign] |= e + (p >= 1 << 21) >= 128 && p >= 1 << 20;
		}
	}
	if (!inf[0] && !inf[1]) {
		inf[0] = huge[0];
		inf[1] = huge[1];
	}
	if (inf[0] && inf[1])
		return MAT_NAN;
	return inf[0] ? 0x7f800000 : inf[1] ? 0xff800000 : 1;
}

static s64 mat_aligned_one(const struct mat_lane *m, u32 t, u32 group, u32 step, s32 *max)
{
	s64 s = 0;
	u32 n;

	*max = -1000;
	for (n = t; n < t + group; n += step) {
		u32 bt = (m->pick ? m->pick[n] : n) * m->sb;

		*max = mat_max(*max, (s32)m->a2[n * m->sa] + (s32)m->b2[bt]);
	}
	for (n = t; n < t + group; n += step) {
		u32 at = n * m->sa, bt = (m->pick ? m->pick[n] : n) * m->sb;
		s32 ea = (s32)m->a2[at], eb = (s32)m->b2[bt], down = *max - ea - eb;
		s64 p = (s64)mat_units(m->a[at], ea) * mat_units(m->b[bt], eb) * 16;

		s += p < 0 ? -mat_floor(-p, down) : mat_floor(p, down);
	}
	return s;
}

/* @lane: with spread A and B the lane's own elements are at @lane. */
static u32 mat_fused_one(const struct mat_lane *all, u32 k, u32 group, u32 c, bool bytes,
			 bool spread, u32 lane)
{
	struct mat_lane m = *all;
	u32 t, r;

	m.b += lane;
	m.b2 += lane;
	m.a += spread ? lane : 0;
	m.a2 += spread ? lane : 0;
	for (t = 0; t < k; t += group) {
		s32 e, eo = 0;
		s64 s, so = 0;

		r = mat_special_sum(&m, t, group, c);
		if (r != 1) {
			c = r;
			continue;
		}
		s = mat_aligned_one(&m, t, group, bytes ? 2 : 1, &e);
		if (bytes) {
			so = mat_aligned_one(&m, t + 1, group - 1, 2, &eo);
			s = mat_floor(s, mat_max(eo - e, 0)) + mat_floor(so, mat_max(e - eo, 0));
			e = mat_max(e, eo);
		}
		c = mat_last_one(s, e, c, bytes);
	}
	return c;
}
