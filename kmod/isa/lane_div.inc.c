/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The division helpers v_div_scale, v_div_fmas, v_div_fixup, and
 * v_trig_preop. With clang's expansion of a division (scale both operands,
 * Newton on v_rcp, fmas, fixup) they give correctly rounded quotients: that is
 * what the tests check, over normal, denormal and special operands.
 */

/*
 * One operand (@a, which is @b or @c) of c / b, scaled when the quotient or
 * the reciprocal would leave the normal range. The mask bit tells
 * v_div_fmas to undo it. Where both 1/b and c/b are tiny the printed
 * pseudo-code scales b up, which overflows; down is what works.
 */
static u32 div_scale_f32(u32 a, u32 b, u32 c, unsigned int l, struct lane_env *e)
{
	int eb = b >> 23 & 255, ec = c >> 23 & 255;
	bool tiny_rcp, tiny_quot, flag = false;
	double x = f_of_bits(a), q, r;
	int n = 0;

	if (!(daz32(e, b) & ~F32_SIGN) || !(daz32(e, c) & ~F32_SIGN))
		return 0x7fc00000;
	q = d_of_bits(bits_of_d((double)f_of_bits(c) / (double)f_of_bits(b)) & ~F64_SIGN);
	r = d_of_bits(bits_of_d(1.0 / (double)f_of_bits(b)) & ~F64_SIGN);
	tiny_rcp = r < 0x1p-126;
	tiny_quot = q < 0x1p-126;
	if (ec - eb >= 96) {
		flag = true;
		n = a == b ? 64 : 0;
	} else if (!eb) {
		n = 64;
	} else if (tiny_rcp && tiny_quot) {
		flag = true;
		n = a == b ? -64 : 0;
	} else if (tiny_rcp) {
		n = -64;
	} else if (tiny_quot) {
		flag = true;
		n = a == c ? 64 : 0;
	} else if (ec <= 23) {
		n = 64;
	}
	e->cout |= (u64)flag << l;
	if (f32_nan(a))
		return f32_quiet(a);
	return n ? bits_of_f((float)(x * d_of_bits((u64)(1023 + n) << 52))) : a;
}

static u64 div_scale_f64(u64 a, u64 b, u64 c, unsigned int l, struct lane_env *e)
{
	int eb = b >> 52 & 0x7ff, ec = c >> 52 & 0x7ff;
	bool tiny_rcp, tiny_quot, flag = false;
	const u64 frac = (1ull << 52) - 1;
	u64 mb = b & frac, mc = c & frac;
	int n = 0, qc = ec;

	if (!(daz64(e, b) & ~F64_SIGN) || !(daz64(e, c) & ~F64_SIGN))
		return 0x7ff8000000000000;
	if (!qc && mc) {	/* a denormal numerator as a normal one */
		qc = 12 - __builtin_clzll(mc);
		mc = mc << (1 - qc) & frac;
	}
	/* 1/b < 2^-1022; c/b < 2^-1022, by exponents and mantissas */
	tiny_rcp = !f64_nan(b) && (eb > 2045 || (eb == 2045 && mb));
	tiny_quot = qc - eb < -1022 || (qc - eb == -1022 && mc < mb);
	if (eb == 2047)
		tiny_quot = tiny_rcp && ec != 2047;
	if (ec - eb >= 768) {
		flag = true;
		n = a == b ? 128 : 0;
	} else if (!eb) {
		n = 128;
	} else if (tiny_rcp && tiny_quot) {
		flag = true;
		n = a == b ? -128 : 0;
	} else if (tiny_rcp) {
		n = -128;
	} else if (tiny_quot) {
		flag = true;
		n = a == c ? 128 : 0;
	} else if (ec <= 53) {
		n = 128;
	}
	e->cout |= (u64)flag << l;
	if (f64_nan(a))
		return f64_quiet(a);
	return n ? ldexp_f64(a, n, e->round) : a;
}

/* fma, and for lanes in VCC times 2^64 or 2^-64, in one rounding */
static void div_fmas_f32_row(u32 *d, const u32 *a, const u32 *b, const u32 *c,
			     struct lane_env *e)
{
	u64 m = e->cin & e->exec;
	unsigned int k;

	for (k = 0; k < VSTEPS; k++)
		vi_store(d + k * VW, vf_fma(vi_load(a + k * VW), vi_load(b + k * VW),
					    vi_load(c + k * VW)));
	for (; m; m &= m - 1) {
		unsigned int l = (unsigned int)__builtin_ctzll(m);

		d[l] = f32_fma_scaled(a[l], b[l], c[l], (c[l] >> 23 & 255) > 127 ? 64 : -64);
	}
}

static void div_fmas_f64_row(u32 *d, const u32 *a, const u32 *b, const u32 *c,
			     struct lane_env *e)
{
	u32 csr = _mm_getcsr();
	u64 m = e->cin & e->exec;
	unsigned int k;

#pragma GCC unroll 2
	for (k = 0; k < VSTEPS; k++) {
		VI x[3], y[3];

		lane_qstep(a + k * VW, b + k * VW, c + k * VW, 7, 3, x, y);
		x[0] = vd_fma_of(x[0], x[1], x[2], e->w, e->round);
		y[0] = vd_fma_of(y[0], y[1], y[2], e->w, e->round);
		vi_store(d + k * VW, vq_lo(x[0], y[0]));
		vi_store(d + ISA_LANES + k * VW, vq_hi(x[0], y[0]));
	}
	for (; m; m &= m - 1) {
		unsigned int l = (unsigned int)__builtin_ctzll(m), h = l + ISA_LANES;
		int scale = (c[h] >> 20 & 0x7ff) > 1023 ? 128 : -128;
		u64 r = f64_fma_soft(a[l] | (u64)a[h] << 32, b[l] | (u64)b[h] << 32,
				     c[l] | (u64)c[h] << 32, scale, e->round, csr);

		d[l] = (u32)r;
		d[h] = (u32)(r >> 32);
	}
}

/*
 * a: the quotient so far, b: denominator, c: numerator. Exponent fields that far apart say that
 * the quotient underflows, whatever a is: AMD's texts (V_DIV_FIXUP_F32: UNDERFLOW_F32, which they
 * do not explain). On a gfx1151 it was measured to be 0, as others have published. Halves have no
 * such rule.
 */
static u32 div_fixup_f32(u32 a, u32 b, u32 c)
{
	u32 s = (b ^ c) & F32_SIGN, inf = 0x7f800000;
	bool b0 = f_of_bits(b) == 0, c0 = f_of_bits(c) == 0;	/* with DAZ */
	bool bi = (b & ~F32_SIGN) == inf, ci = (c & ~F32_SIGN) == inf;

	if (f32_nan(c))
		return f32_quiet(c);
	if (f32_nan(b))
		return f32_quiet(b);
	if ((b0 && c0) || (bi && ci))
		return 0xffc00000;
	if (b0 || ci)
		return s | inf;
	if (bi || c0 || (int)(c >> 23 & 255) - (int)(b >> 23 & 255) < -150)
		return s;
	/* hardware: an invalid quotient here is one that overflowed */
	return s | (f32_nan(a) ? inf : a & ~F32_SIGN);
}

static u64 div_fixup_f64(u64 a, u64 b, u64 c)
{
	u64 s = (b ^ c) & F64_SIGN;
	bool b0 = d_of_bits(b) == 0, c0 = d_of_bits(c) == 0;
	bool bi = (b & ~F64_SIGN) == F64_INF, ci = (c & ~F64_SIGN) == F64_INF;

	if (f64_nan(c))
		return f64_quiet(c);
	if (f64_nan(b))
		return f64_quiet(b);
	if ((b0 && c0) || (bi && ci))
		return F64_NAN;
	if (b0 || ci)
		return s | F64_INF;
	if (bi || c0 || (int)(c >> 52 & 0x7ff) - (int)(b >> 52 & 0x7ff) < -1075)
		return s;
	return s | (f64_nan(a) ? F64_INF : a & ~F64_SIGN);
}

static u32 div_fixup_f16(u32 a, u32 b, u32 c)
{
	u32 s = (b ^ c) & 0x8000;
	bool b0 = !(b & 0x7fff), c0 = !(c & 0x7fff);
	bool bi = (b & 0x7fff) == 0x7c00, ci = (c & 0x7fff) == 0x7c00;

	if (f16_nan(c))
		return c | 0x200;
	if (f16_nan(b))
		return b | 0x200;
	if ((b0 && c0) || (bi && ci))
		return 0xfe00;
	if (b0 || ci)
		return s | 0x7c00;
	if (bi || c0)
		return s;
	return s | (a & 0x7fff);
}

/*
 * 53 bits of 2/pi from bit 53 * b on, further down for large a, as a double
 * of the right weight. The constant has 1201 bits, zeros follow.
 */
static u64 trig_preop_f64(u64 a, u32 b)
{
	static const u64 bits[19] = {
		0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
		0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c,
		0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
		0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
		0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
		0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08,
		0x56033046fc7b0000,
	};
	int e = a >> 52 & 0x7ff, shift = (int)(b & 31) * 53, scale;
	unsigned int k, off;
	u64 v = 0;

	if (e > 1077)
		shift += e - 1077;
	k = (unsigned int)shift >> 6;
	off = (unsigned int)shift & 63;
	if (k < 19)
		v = bits[k] << off;
	if (off && k + 1 < 19)
		v |= bits[k + 1] >> (64 - off);
	scale = -53 - shift;
	if (e >= 1968)
		scale += 128;
	v >>= 11;
	if (!v)
		return 0;
	return ldexp_f64(bits_of_d((double)(s64)v), scale, 0);
}
