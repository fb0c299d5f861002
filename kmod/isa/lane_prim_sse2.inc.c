/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Vector helpers of lane.h for plain SSE2: 4 lanes a step. What SSE2 lacks
 * (variable shifts, 32-bit multiply, rounding, fma) is built from what it has
 * and gives the same bits as the wider variants.
 */

typedef __m128i VI;
typedef __m128i VM;	/* lanes all ones or zero */

#define ps_of(a)	_mm_castsi128_ps(a)
#define pd_of(a)	_mm_castsi128_pd(a)
#define vi_of_ps(a)	_mm_castps_si128(a)
#define vi_of_pd(a)	_mm_castpd_si128(a)

#define V_FN1(name, expr) static __always_inline VI name(VI a) { return expr; }
#define V_FN2(name, expr) static __always_inline VI name(VI a, VI b) { return expr; }
#define V_FN3(name, expr) static __always_inline VI name(VI a, VI b, VI c) { return expr; }
#define M_FN2(name, expr) static __always_inline VM name(VI a, VI b) { return expr; }
#define A_FN2(name, insn)						\
static __always_inline VI name(VI a, VI b)				\
{									\
	asm(insn " %1, %0" : "+x"(a) : "xm"(b));			\
	return a;							\
}

static __always_inline VI vi_load(const u32 *p) { return _mm_load_si128((const VI *)p); }
static __always_inline VI vi_loadu(const void *p) { return _mm_loadu_si128(p); }
static __always_inline void vi_store(u32 *p, VI a) { _mm_store_si128((VI *)p, a); }
static __always_inline void vi_storeu(void *p, VI a) { _mm_storeu_si128(p, a); }
static __always_inline VI vi_splat(u32 x) { return _mm_set1_epi32((int)x); }
static __always_inline VI vi_zero(void) { return _mm_setzero_si128(); }

static __always_inline VM vm_of_bits(u32 bits)
{
	const VI bit = _mm_setr_epi32(1, 2, 4, 8);

	return _mm_cmpeq_epi32(_mm_and_si128(vi_splat(bits), bit), bit);
}

static __always_inline u32 vm_bits(VM m) { return (u32)_mm_movemask_ps(ps_of(m)); }
V_FN2(vm_and, _mm_and_si128(a, b))
V_FN2(vm_or, _mm_or_si128(a, b))
V_FN2(vm_xor, _mm_xor_si128(a, b))
V_FN1(vm_not, _mm_xor_si128(a, _mm_set1_epi32(-1)))
static __always_inline bool vm_any(VM a) { return _mm_movemask_ps(ps_of(a)); }
/* From lanes that are all ones or zero, and back. */
V_FN1(vm_of, a)
V_FN1(vm_vec, a)
/* @m ? @t : @f */
static __always_inline VI vi_blend(VM m, VI f, VI t)
{
	return _mm_or_si128(_mm_and_si128(m, t), _mm_andnot_si128(m, f));
}

/*
 * Memory access of the lanes in @m only; others read 0 and are not touched. Two that lie side by
 * side may be the halves of a qword, which has to be one access.
 */
static __always_inline VI vi_loadu_m(const void *p, VM m)
{
	const char *s = p;
	u32 v[4] __aligned(16) = { 0 };
	u32 b = vm_bits(m);
	unsigned int k;

	if (b == 15)
		return vi_loadu(p);
	for (k = 0; k < 4; k++) {
		if (!(k & 1) && (b >> k & 3) == 3) {
			__builtin_memcpy(&v[k], s + 4 * k, 8);
			k++;
		} else if (b >> k & 1) {
			__builtin_memcpy(&v[k], s + 4 * k, 4);
		}
	}
	return vi_load(v);
}

static __always_inline void vi_storeu_m(void *p, VM m, VI a)
{
	char *d = p;
	u32 v[4] __aligned(16);
	u32 b = vm_bits(m);
	unsigned int k;

	if (b == 15) {
		vi_storeu(p, a);
		return;
	}
	vi_store(v, a);
	for (k = 0; k < 4; k++) {
		if (!(k & 1) && (b >> k & 3) == 3) {
			__builtin_memcpy(d + 4 * k, &v[k], 8);
			k++;
		} else if (b >> k & 1) {
			__builtin_memcpy(d + 4 * k, &v[k], 4);
		}
	}
}

V_FN2(vi_add, _mm_add_epi32(a, b))
V_FN2(vi_sub, _mm_sub_epi32(a, b))
V_FN2(vi_and, _mm_and_si128(a, b))
V_FN2(vi_or, _mm_or_si128(a, b))
V_FN2(vi_xor, _mm_xor_si128(a, b))
V_FN2(vi_andnot, _mm_andnot_si128(a, b))	/* ~a & b */
#define vi_slli(a, n) _mm_slli_epi32(a, n)
#define vi_srli(a, n) _mm_srli_epi32(a, n)
#define vi_srai(a, n) _mm_srai_epi32(a, n)
V_FN2(vi_madd, _mm_madd_epi16(a, b))	/* sums of two 16-bit products */
V_FN2(vi_add16, _mm_add_epi16(a, b))	/* on pairs of 16-bit integers */
V_FN2(vi_max16, _mm_max_epi16(a, b))
#define vi_quad(a, n) _mm_shuffle_epi32(a, n)	/* within each four lanes */
M_FN2(vm_eq, _mm_cmpeq_epi32(a, b))
M_FN2(vm_gts, _mm_cmpgt_epi32(a, b))
M_FN2(vm_gtu, _mm_cmpgt_epi32(_mm_xor_si128(a, vi_splat(1u << 31)),
			      _mm_xor_si128(b, vi_splat(1u << 31))))
V_FN2(vi_mins, vi_blend(vm_gts(a, b), a, b))
V_FN2(vi_maxs, vi_blend(vm_gts(a, b), b, a))
V_FN2(vi_minu, vi_blend(vm_gtu(a, b), a, b))
V_FN2(vi_maxu, vi_blend(vm_gtu(a, b), b, a))

static __always_inline VI vi_mullo(VI a, VI b)
{
	VI e = _mm_mul_epu32(a, b);
	VI o = _mm_mul_epu32(_mm_srli_epi64(a, 32), _mm_srli_epi64(b, 32));

	return _mm_unpacklo_epi32(_mm_shuffle_epi32(e, 0x08), _mm_shuffle_epi32(o, 0x08));
}

/*
 * Shifts of a by b; counts must be below the width. Lanes that agree on the
 * count, the usual case, take one instruction.
 */
#define SSE2_SHIFTV(name, sh)						\
static __always_inline VI name(VI a, VI n)				\
{									\
	VI c0 = _mm_shuffle_epi32(n, 0x00);				\
	VI low = _mm_setr_epi32(-1, 0, 0, 0);				\
	VI r0, r1, r2, r3;						\
									\
	if (_mm_movemask_epi8(_mm_cmpeq_epi32(c0, n)) == 0xffff)	\
		return sh(a, _mm_and_si128(n, low));			\
	r0 = sh(a, _mm_and_si128(n, low));				\
	r1 = sh(a, _mm_and_si128(_mm_shuffle_epi32(n, 0x01), low));	\
	r2 = sh(a, _mm_and_si128(_mm_shuffle_epi32(n, 0x02), low));	\
	r3 = sh(a, _mm_and_si128(_mm_shuffle_epi32(n, 0x03), low));	\
	r0 = _mm_unpacklo_epi32(r0, _mm_shuffle_epi32(r1, 0x01));	\
	r2 = _mm_unpackhi_epi32(r2, _mm_shuffle_epi32(r3, 0x30));	\
	return _mm_unpacklo_epi64(r0, r2);				\
}
SSE2_SHIFTV(vi_sllv, _mm_sll_epi32)
SSE2_SHIFTV(vi_srlv, _mm_srl_epi32)
SSE2_SHIFTV(vi_srav, _mm_sra_epi32)
/* Shift of all lanes by one count, made for it */
static __always_inline VI vi_count(u32 n) { return _mm_cvtsi32_si128((int)n); }
V_FN2(vi_srl, _mm_srl_epi32(a, b))

A_FN2(vf_add, "addps")
A_FN2(vf_sub, "subps")
A_FN2(vf_mul, "mulps")
A_FN2(vf_div, "divps")
A_FN2(vf_min, "minps")		/* x86 rule: b if unordered or equal */
A_FN2(vf_max, "maxps")
V_FN1(vf_sqrt, vi_of_ps(_mm_sqrt_ps(ps_of(a))))
V_FN1(vf_of_i, vi_of_ps(_mm_cvtepi32_ps(a)))
V_FN1(vi_of_f, _mm_cvttps_epi32(ps_of(a)))	/* 0x80000000 if out of range */
M_FN2(fm_lt, vi_of_ps(_mm_cmplt_ps(ps_of(a), ps_of(b))))
M_FN2(fm_le, vi_of_ps(_mm_cmple_ps(ps_of(a), ps_of(b))))
M_FN2(fm_eq, vi_of_ps(_mm_cmpeq_ps(ps_of(a), ps_of(b))))
M_FN2(fm_uno, vi_of_ps(_mm_cmpunord_ps(ps_of(a), ps_of(b))))

/*
 * Rounding to integral values without ROUNDPS: values from 2^23 on and NaNs
 * are integral, the rest goes through int32. The sign is put back for -0.
 */
static __always_inline VI sse2_round(VI a, VI r)
{
	VI sign = vi_and(a, vi_splat(1u << 31));
	VM big = vm_not(fm_lt(vi_andnot(vi_splat(1u << 31), a), vi_splat(0x4b000000)));

	r = vi_andnot(vi_splat(1u << 31), r);
	return vi_blend(big, vi_or(r, sign), vf_add(a, sign));
}

V_FN1(vf_trunc, sse2_round(a, vf_of_i(vi_of_f(a))))

static __always_inline VI vf_floor(VI a)
{
	VI t = vf_of_i(vi_of_f(a));

	return sse2_round(a, vf_sub(t, vi_and(fm_lt(a, t), vi_splat(0x3f800000))));
}

static __always_inline VI vf_ceil(VI a)
{
	VI t = vf_of_i(vi_of_f(a));

	return sse2_round(a, vf_add(t, vi_and(fm_lt(t, a), vi_splat(0x3f800000))));
}

static __always_inline VI vf_rndne(VI a)
{
	VI i = vi_of_f(a), t = vf_of_i(i), half = vi_splat(0x3f000000);
	VI sign = vi_and(a, vi_splat(1u << 31));
	VI frac = vi_andnot(vi_splat(1u << 31), vf_sub(a, t));
	VM odd = vm_eq(vi_and(i, vi_splat(1)), vi_splat(1));
	VM up = vm_or(fm_lt(half, frac), vm_and(fm_eq(half, frac), odd));
	VI one = vi_or(vi_splat(0x3f800000), sign);

	return sse2_round(a, vf_add(t, vi_and(up, one)));
}

V_FN2(vq_x, _mm_unpacklo_epi32(a, b))
V_FN2(vq_y, _mm_unpackhi_epi32(a, b))
V_FN2(vq_lo, vi_of_ps(_mm_shuffle_ps(ps_of(a), ps_of(b), 0x88)))
V_FN2(vq_hi, vi_of_ps(_mm_shuffle_ps(ps_of(a), ps_of(b), 0xdd)))
static __always_inline VI vq_splat(u64 x) { return _mm_set1_epi64x((long long)x); }
V_FN2(vq_add, _mm_add_epi64(a, b))
V_FN2(vq_sub, _mm_sub_epi64(a, b))
V_FN2(vq_mulu, _mm_mul_epu32(a, b))		/* low dwords, to 64 bits */
#define vq_slli(a, n) _mm_slli_epi64(a, n)
#define vq_srli(a, n) _mm_srli_epi64(a, n)
V_FN2(vq_sllv, _mm_unpacklo_epi64(_mm_sll_epi64(a, b),
	_mm_unpackhi_epi64(_mm_sll_epi64(a, _mm_unpackhi_epi64(b, b)), a)))
V_FN2(vq_srlv, _mm_unpacklo_epi64(_mm_srl_epi64(a, b),
	_mm_unpackhi_epi64(_mm_srl_epi64(a, _mm_unpackhi_epi64(b, b)), a)))

/* 64-bit compares give all ones or zero; see vm_of_q() */
static __always_inline VI vq_eq(VI a, VI b)
{
	VI e = _mm_cmpeq_epi32(a, b);

	return _mm_and_si128(e, _mm_shuffle_epi32(e, 0xb1));
}

static __always_inline VI sse2_gtq(VI a, VI b, VI flip_lo, VI flip_hi)
{
	VI gl = _mm_cmpgt_epi32(_mm_xor_si128(a, flip_lo), _mm_xor_si128(b, flip_lo));
	VI gh = _mm_cmpgt_epi32(_mm_xor_si128(a, flip_hi), _mm_xor_si128(b, flip_hi));
	VI eh = _mm_cmpeq_epi32(a, b);
	VI lo = _mm_shuffle_epi32(gl, 0xa0);

	gh = _mm_shuffle_epi32(gh, 0xf5);
	eh = _mm_shuffle_epi32(eh, 0xf5);
	return _mm_or_si128(gh, _mm_and_si128(eh, lo));
}

V_FN2(vq_gts, sse2_gtq(a, b, vi_splat(1u << 31), vi_zero()))
V_FN2(vq_gtu, sse2_gtq(a, b, vi_splat(1u << 31), vi_splat(1u << 31)))

static __always_inline VI vq_srav(VI a, VI n)
{
	VI s = _mm_shuffle_epi32(_mm_srai_epi32(a, 31), 0xf5);

	return vi_xor(vq_srlv(vi_xor(a, s), n), s);
}

A_FN2(vd_add, "addpd")
A_FN2(vd_sub, "subpd")
A_FN2(vd_mul, "mulpd")
A_FN2(vd_div, "divpd")
A_FN2(vd_min, "minpd")
A_FN2(vd_max, "maxpd")
V_FN1(vd_sqrt, vi_of_pd(_mm_sqrt_pd(pd_of(a))))
V_FN2(vd_lt, vi_of_pd(_mm_cmplt_pd(pd_of(a), pd_of(b))))
V_FN2(vd_le, vi_of_pd(_mm_cmple_pd(pd_of(a), pd_of(b))))
V_FN2(vd_eq, vi_of_pd(_mm_cmpeq_pd(pd_of(a), pd_of(b))))
V_FN2(vd_uno, vi_of_pd(_mm_cmpunord_pd(pd_of(a), pd_of(b))))
/* Lower and upper half of a row vector as doubles, and back: row order. */
V_FN1(vd_of_f0, vi_of_pd(_mm_cvtps_pd(ps_of(a))))
V_FN1(vd_of_f1, vi_of_pd(_mm_cvtps_pd(_mm_movehl_ps(ps_of(a), ps_of(a)))))
V_FN1(vd_of_i0, vi_of_pd(_mm_cvtepi32_pd(a)))
V_FN1(vd_of_i1, vi_of_pd(_mm_cvtepi32_pd(_mm_unpackhi_epi64(a, a))))
/* The low dwords of 64-bit lanes, converted to doubles and from them */
V_FN1(vd_of_iq, vi_of_pd(_mm_cvtepi32_pd(_mm_shuffle_epi32(a, 0x08))))
V_FN1(vd_of_fq, vi_of_pd(_mm_cvtps_pd(ps_of(_mm_shuffle_epi32(a, 0x08)))))
V_FN1(vf_of_dq, _mm_unpacklo_epi32(vi_of_ps(_mm_cvtpd_ps(pd_of(a))), vi_zero()))
V_FN1(vi_of_dq, _mm_unpacklo_epi32(_mm_cvttpd_epi32(pd_of(a)), vi_zero()))
V_FN2(vf_of_d, vi_of_ps(_mm_movelh_ps(_mm_cvtpd_ps(pd_of(a)), _mm_cvtpd_ps(pd_of(b)))))

/*
 * Unsigned to float with one rounding: the two halves are exact floats, high
 * half times 65536 too, and their sum rounds once.
 */
static __always_inline VI vf_of_u(VI a)
{
	VI hi = vf_mul(vf_of_i(vi_srli(a, 16)), vi_splat(0x47800000));

	return vf_add(hi, vf_of_i(vi_and(a, vi_splat(0xffff))));
}

/*
 * a * b + c rounded once. The product of two floats is exact in double. The
 * sum is rounded to odd in double (the error term tells whether it was
 * inexact), after which rounding to float is correct in RNE; in the directed
 * modes rounding twice the same way is correct as it is.
 */
static __always_inline VI sse2_fma_half(VI a, VI b, VI c, bool rne)
{
	VI p = vd_mul(a, b), s = vd_add(p, c), one = vq_splat(1);
	VI bb, e, inexact, away, even;

	if (!rne)
		return s;
	bb = vd_sub(s, p);
	e = vd_add(vd_sub(p, vd_sub(s, bb)), vd_sub(c, bb));
	inexact = vi_of_pd(_mm_cmpneq_pd(pd_of(e), _mm_setzero_pd()));
	inexact = vi_and(inexact, vd_eq(e, e));
	/* an even sum moves by one to the side of the error */
	away = vi_xor(e, s);
	away = _mm_shuffle_epi32(_mm_srai_epi32(away, 31), 0xf5);
	even = vq_sub(vi_and(s, one), one);
	inexact = vi_and(inexact, even);
	return vq_add(s, vi_and(inexact, vi_or(away, one)));
}

static __always_inline VI vf_fma(VI a, VI b, VI c)
{
	bool rne = !(_mm_getcsr() & 0x6000);
	VI lo = sse2_fma_half(vd_of_f0(a), vd_of_f0(b), vd_of_f0(c), rne);
	VI hi = sse2_fma_half(vd_of_f1(a), vd_of_f1(b), vd_of_f1(c), rne);
	VI r = vf_of_d(lo, hi);
	VM cnan = fm_uno(c, c), abnan = fm_uno(a, b);
	VM only_c;

	/* 0 * inf + NaN is that NaN, not a new one */
	only_c = vm_and(cnan, vm_not(abnan));
	if (unlikely(vm_any(only_c)))
		r = vi_blend(only_c, r, vf_add(c, c));
	return r;
}
