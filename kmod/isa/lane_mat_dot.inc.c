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

/*
 * What a step of VW lanes works on: where its A and B begin; from one k to the
 * next B is @s elements further on, A too, or four times that if it is spread.
 * @pick: rows of B for a sparse A
 */
struct mat_lane {
	const u32 *a, *a2, *b, *b2;
	const u16 *pick;
};

/*
 * The same number in all lanes. As a load: out of a general register it would
 * take the port that compares and shuffles need, at each use anew.
 */
#if LANE_WIDTH == 16
#define MAT_CONST(x)							\
({									\
	static const u32 c_ = (u32)(x);					\
	VI v_;								\
									\
	asm("vpbroadcastd %1, %0" : "=v"(v_) : "m"(c_));		\
	v_;								\
})
#else
#define MAT_CONST(x)	vi_splat((u32)(x))
#endif

/* Kinds of the functions below; constants, as the strides are. */
#define MAT_SPREAD	BIT(0)	/* A has an element for every lane */
#define MAT_PICK	BIT(1)	/* sparse */
#define MAT_BYTES	BIT(2)	/* 8-bit floats: even and odd products apart */
#define MAT_DIRECT	BIT(3)	/* products as floats, no significands */
#define MAT_PAIRED	BIT(4)	/* two exponents in a dword */
#define MAT_FLUSH	BIT(5)	/* no denormals */

static __always_inline VI mat_get_a(const u32 *p, u32 k, u32 s, u32 flags)
{
	if (flags & MAT_SPREAD)
		return vi_load(p + k * s * 4);
	return vi_splat(p[k * s]);
}

static __always_inline VI mat_get_b(const struct mat_lane *m, const u32 *p, u32 k, u32 s,
				    u32 flags)
{
	return vi_load(p + (flags & MAT_PICK ? m->pick[k] : k) * s);
}

static __always_inline VI mat_canon(VI x)
{
	return vi_blend(fm_uno(x, x), x, vi_splat(MAT_NAN));
}

static __always_inline VI mat_chain_f32(const struct mat_lane *m, u32 k, VI c, u32 s, u32 flags)
{
	u32 t;

	for (t = 0; t < k; t++)
		c = vf_fma(mat_get_a(m->a, t, s, flags), mat_get_b(m, m->b, t, s, flags), c);
	return mat_canon(c);
}

static __always_inline VI mat_bytes(const struct mat_lane *m, u32 k, VI c, u32 s, u32 flags)
{
	u32 t;

	for (t = 0; t < k; t++) {
		c = vi_add(c, vi_madd(mat_get_a(m->a, t, s, flags),
				      mat_get_b(m, m->b, t, s, flags)));
		if (!(flags & MAT_PICK))
			c = vi_add(c, vi_madd(mat_get_a(m->a2, t, s, flags),
					      mat_get_b(m, m->b2, t, s, flags)));
	}
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

static __always_inline VI mat_pairs(const struct mat_lane *m, u32 k, VI c, u32 s, u32 flags,
				    u32 group)
{
	VI p[4] LANE_SCRATCH;
	u32 t, n;

	if (flags & MAT_FLUSH)		/* no denormals, no negative zero */
		c = vf_add(c, vi_zero());
	for (t = 0; t < k; t += group) {
#pragma GCC unroll 4
		for (n = 0; n < group; n++)
			p[n] = mat_product(mat_get_a(m->a, t + n, s, flags),
					   mat_get_b(m, m->b, t + n, s, flags));
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

/*
 * @r * @scale + @t to the nearest float. @r has 31 bits: its upper ones and @t
 * are floats, whose sum and its error are two (Knuth's TwoSum); the lower ones
 * and the error have few bits together, so that the last sum alone rounds.
 */
static __always_inline VI mat_round(VI r, VI scale, VI t)
{
	VI low = MAT_CONST(0x7f), b = vf_of_i(t), a, s, v, e;

	a = vf_mul(vf_of_i(vi_andnot(low, r)), scale);
	s = vf_add(a, b);
	v = vf_sub(s, a);
	e = vf_add(vf_sub(a, vf_sub(s, v)), vf_sub(b, v));
	return vf_add(s, vf_add(e, vf_mul(vf_of_i(vi_and(low, r)), scale)));
}

/* Elements that mat_last() does not get right: @r is what it makes of them. */
static noinline VI mat_last_odd(VI s, VI e, VI c, VI max, VI r, bool bytes)
{
	VM special = vm_eq(vi_and(vi_srli(c, 23), vi_splat(255)), vi_splat(255));
	VM low = vm_and(vm_gts(vi_splat((u32)-95), max), vm_not(vm_eq(r, vi_zero())));
	u32 vs[VW] __aligned(64) LANE_SCRATCH, ve[VW] __aligned(64) LANE_SCRATCH;
	u32 vc[VW] __aligned(64) LANE_SCRATCH;
	unsigned int n;

	if (vm_any(low)) {
		vi_store(vs, s);
		vi_store(ve, e);
		vi_store(vc, c);
		for (n = 0; n < VW; n++)
			vc[n] = mat_last_one((s32)vs[n], (s32)ve[n], vc[n], bytes);
		r = vi_load(vc);
	}
	return vi_blend(special, r, mat_canon(c));
}

/*
 * The same for VW elements. Below 2^-95 floats could be denormal, C may be no
 * number: the exponent tells both.
 */
static __always_inline VI mat_last(VI s, VI e, VI c, bool bytes)
{
	VI ef = vi_and(vi_srli(c, 23), MAT_CONST(255)), neg = vi_srai(c, 31), far = MAT_CONST(31);
	VI ec = vi_sub(vi_maxs(ef, MAT_CONST(1)), MAT_CONST(127));
	VI sc = vi_and(c, MAT_CONST(0x7fffff)), max = vi_maxs(e, ec), dc = vi_sub(max, ec);
	VI d = vi_sub(max, e), seven = MAT_CONST(7), above = vi_add(max, MAT_CONST(95));
	VI near, r, t;

	sc = vi_blend(vm_eq(ef, vi_zero()), vi_or(sc, MAT_CONST(0x800000)), sc);
	sc = vi_sub(vi_xor(vi_slli(sc, 1), neg), neg);
	t = vi_srav(sc, vi_mins(dc, far));
	if (bytes)
		t = vi_blend(vm_gts(dc, MAT_CONST(25)), t, vi_zero());
	near = vi_slli(vi_sub(MAT_CONST(127), vi_mins(d, seven)), 23);
	r = vi_srav(s, vi_mins(vi_sub(vi_maxs(d, seven), seven), far));
	r = mat_round(r, near, t);
	r = vf_mul(r, vi_slli(vi_add(vi_maxs(above, vi_zero()), MAT_CONST(127 - 24 - 95)), 23));
	if (unlikely(vm_any(vm_gtu(above, MAT_CONST(95 + 127)))))
		r = mat_last_odd(s, e, c, max, r, bytes);
	return r;
}

/* The low and the high half of a pair of 16-bit integers */
static __always_inline VI mat_half(VI x, u32 n)
{
	return vi_srai(n & 1 ? x : vi_slli(x, 16), 16);
}

/*
 * Sum of the products @from, @from + @step ... at 24 bits below the largest
 * exponent, each cut off there. Direct: they are the products, else they are
 * significands and @e has the exponents, two in each if they are paired.
 */
static __always_inline VI mat_aligned(const VI *p, const VI *e, u32 from, u32 group, u32 step,
				      VI max, u32 flags)
{
	VI s = vi_zero(), k;
	u32 n;

	if (flags & MAT_DIRECT) {
		k = vi_slli(vi_sub(MAT_CONST(24 + 127), vi_maxs(max, MAT_CONST(-100))), 23);
#pragma GCC unroll 16
		for (n = from; n < group; n += step)
			s = vi_add(s, vi_of_f(vf_mul(p[n], k)));
		return s;
	}
	k = vi_sub(max, MAT_CONST(24));
#pragma GCC unroll 16
	for (n = from; n < group; n += step) {
		VI by = vi_sub(flags & MAT_PAIRED ? mat_half(e[n / 2], n) : e[n], k);

		by = vi_maxs(by, MAT_CONST(-64));
		s = vi_add(s, vi_of_f(vf_mul(p[n], mat_pow2(by))));
	}
	return s;
}

/* Exponents of the products; the largest of even and of odd ones in @max. */
static __always_inline void
mat_exponents(const struct mat_lane *m, u32 t, u32 group, u32 s, u32 flags, VI *e, VI *max)
{
	u32 n, steps = flags & MAT_PAIRED ? group / 2 : group;
	VI both = vi_zero();

	max[0] = vi_splat((u32)-1000);
	max[1] = max[0];
	if (flags & MAT_PAIRED)
		t /= 2;
#pragma GCC unroll 16
	for (n = 0; n < steps; n++) {
		VI x = mat_get_a(m->a2, t + n, s, flags), y = mat_get_b(m, m->b2, t + n, s, flags);

		e[n] = flags & MAT_PAIRED ? vi_add16(x, y) : vi_add(x, y);
		if (flags & MAT_PAIRED)
			both = n ? vi_max16(both, e[n]) : e[n];
		else
			max[n & 1] = vi_maxs(max[n & 1], e[n]);
	}
	if (!(flags & MAT_PAIRED))
		return;
	max[0] = mat_half(both, 0);
	max[1] = mat_half(both, 1);
}

static __always_inline VI
mat_fused_group(const struct mat_lane *m, u32 t, u32 group, VI c, u32 s, u32 flags)
{
	VI p[16] LANE_SCRATCH, e[16] LANE_SCRATCH, max[2] LANE_SCRATCH, sum, odd, d, top;
	u32 n;

	mat_exponents(m, t, group, s, flags, e, max);
#pragma GCC unroll 16
	for (n = 0; n < group; n++)
		p[n] = vf_mul(mat_get_a(m->a, t + n, s, flags),
			      mat_get_b(m, m->b, t + n, s, flags));
	top = vi_maxs(max[0], max[1]);
	if (!(flags & MAT_BYTES))
		return mat_last(mat_aligned(p, e, 0, group, 1, top, flags), top, c, false);
	sum = mat_aligned(p, e, 0, group, 2, max[0], flags);
	odd = mat_aligned(p, e, 1, group, 2, max[1], flags);
	d = vi_sub(max[0], max[1]);
	sum = vi_srav(sum, vi_mins(vi_maxs(vi_sub(vi_zero(), d), vi_zero()), vi_splat(31)));
	odd = vi_srav(odd, vi_mins(vi_maxs(d, vi_zero()), vi_splat(31)));
	return mat_last(vi_add(sum, odd), top, c, true);
}

static __always_inline VI
mat_fused(const struct mat_lane *m, u32 k, VI c, u32 s, u32 flags, u32 group)
{
	u32 t;

	for (t = 0; t < k; t += group)
		c = mat_fused_group(m, t, group, c, s, flags);
	return c;
}

/* ---- fused, one element at a time: infinities, NaNs, huge numbers ---- */

/* One element: struct mat_lane with strides that are no constants */
struct mat_one {
	struct mat_lane at;
	u32 sa, sb;
	bool pairs;
};

/* Exponents of element @n of A and B */
static __always_inline s32 mat_ea(const struct mat_one *m, u32 n)
{
	if (m->pairs)
		return (s16)(m->at.a2[n / 2 * m->sa] >> (n & 1) * 16);
	return (s32)m->at.a2[n * m->sa];
}

static __always_inline s32 mat_eb(const struct mat_one *m, u32 n)
{
	if (m->pairs)
		return (s16)(m->at.b2[n / 2 * m->sb] >> (n & 1) * 16);
	return (s32)m->at.b2[(m->at.pick ? m->at.pick[n] : n) * m->sb];
}

/* Significand of an element at its own exponent, in units of 2^-10 */
static __always_inline s32 mat_units(u32 x, s32 e)
{
	s32 m = mat_significand(x), down = 13 + e - mat_exp(x);

	return m < 0 ? -(-m >> down) : m >> down;
}

/* The sum if a product or C is infinite or NaN, or 1 if there is nothing like that */
static u32 mat_special_sum(const struct mat_one *m, u32 t, u32 group, u32 c)
{
	bool inf[2] = { c == 0x7f800000, c == 0xff800000 }, huge[2] = { false, false };
	u32 n;

	if (f32_nan(c))
		return MAT_NAN;
	for (n = t; n < t + group; n++) {
		u32 at = n * m->sa, bt = (m->at.pick ? m->at.pick[n] : n) * m->sb;
		u32 a = m->at.a[at], b = m->at.b[bt], sign = (a ^ b) >> 31;
		u32 x = a & ~F32_SIGN, y = b & ~F32_SIGN;

		if (x > 0x7f800000 || y > 0x7f800000)
			return MAT_NAN;
		if (x == 0x7f800000 || y == 0x7f800000) {
			if (!x || !y)
				return MAT_NAN;
			inf[sign] = true;
		} else {	/* from 2^128 on a product counts as infinite */
			s32 ea = mat_ea(m, n), eb = mat_eb(m, n);
			s32 p = mat_units(x, ea) * mat_units(y, eb);

			huge[sign] |= ea + eb + (p >= 1 << 21) >= 128 && p >= 1 << 20;
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

static s64 mat_aligned_one(const struct mat_one *m, u32 t, u32 group, u32 step, s32 *max)
{
	s64 s = 0;
	u32 n;

	*max = -1000;
	for (n = t; n < t + group; n += step)
		*max = mat_max(*max, mat_ea(m, n) + mat_eb(m, n));
	for (n = t; n < t + group; n += step) {
		u32 at = n * m->sa, bt = (m->at.pick ? m->at.pick[n] : n) * m->sb;
		s32 ea = mat_ea(m, n), eb = mat_eb(m, n), down = *max - ea - eb;
		s64 p = (s64)mat_units(m->at.a[at], ea) * mat_units(m->at.b[bt], eb) * 16;

		s += p < 0 ? -mat_floor(-p, down) : mat_floor(p, down);
	}
	return s;
}

/* @lane: with spread A and B the lane's own elements are at @lane. */
static u32 mat_fused_one(const struct mat_one *all, u32 k, u32 group, u32 c, bool bytes,
			 bool spread, u32 lane)
{
	struct mat_one m = *all;
	u32 t, r;

	m.at.b += lane;
	m.at.b2 += lane;
	m.at.a += spread ? lane : 0;
	m.at.a2 += spread ? lane : 0;
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
