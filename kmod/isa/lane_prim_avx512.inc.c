/* SPDX-License-Identifier: GPL-2.0-only */
/* Vector helpers of lane.h for AVX-512 F, VL, DQ, BW: 16 lanes a step. */

typedef __m512i VI;
typedef __mmask16 VM;

#define ps_of(a)	_mm512_castsi512_ps(a)
#define pd_of(a)	_mm512_castsi512_pd(a)
#define vi_of_ps(a)	_mm512_castps_si512(a)
#define vi_of_pd(a)	_mm512_castpd_si512(a)

#define V_FN1(name, expr) static __always_inline VI name(VI a) { return expr; }
#define V_FN2(name, expr) static __always_inline VI name(VI a, VI b) { return expr; }
#define V_FN3(name, expr) static __always_inline VI name(VI a, VI b, VI c) { return expr; }
#define M_FN2(name, expr) static __always_inline VM name(VI a, VI b) { return expr; }
#define A_FN2(name, insn)						\
static __always_inline VI name(VI a, VI b)				\
{									\
	VI r;								\
									\
	asm(insn " %2, %1, %0" : "=v"(r) : "v"(a), LANE_ANY(b));		\
	return r;							\
}
/* fma takes NaNs from the second operand of its 213 form first: that is a */
#define A_FN3(name, insn)						\
static __always_inline VI name(VI a, VI b, VI c)			\
{									\
	asm(insn " %2, %1, %0" : "+v"(b) : "v"(a), LANE_ANY(c));		\
	return b;							\
}

/* In the lanes of @m, @old in the others. */
#define A_FN2M(name, insn)						\
static __always_inline VI name(VM m, VI old, VI a, VI b)		\
{									\
	asm(insn " %3, %2, %0%{%1%}" : "+v"(old) : "Yk"(m), "v"(a), LANE_ANY(b));	\
	return old;							\
}

static __always_inline VI vi_load(const u32 *p) { return _mm512_load_si512(p); }
static __always_inline VI vi_loadu(const void *p) { return _mm512_loadu_si512(p); }
static __always_inline void vi_store(u32 *p, VI a) { _mm512_store_si512(p, a); }
static __always_inline void vi_storeu(void *p, VI a) { _mm512_storeu_si512(p, a); }
static __always_inline VI vi_splat(u32 x) { return _mm512_set1_epi32((int)x); }
static __always_inline VI vi_zero(void) { return _mm512_setzero_si512(); }

/* Memory access of the lanes in @m only; others read 0 and are not touched. */
static __always_inline VI vi_loadu_m(const void *p, VM m)
{
	return _mm512_maskz_loadu_epi32(m, p);
}

static __always_inline void vi_storeu_m(void *p, VM m, VI a)
{
	_mm512_mask_storeu_epi32(p, m, a);
}

/* The steps' parts of a 64-lane mask: the fewest instructions for it. */
static __always_inline void vm_split(VM m[4], u64 bits)
{
	__mmask64 q = (__mmask64)bits;

	asm("" : "+k"(q));
	m[0] = (VM)q;
	m[1] = (VM)_kshiftri_mask64(q, 16);
	m[2] = (VM)_kshiftri_mask64(q, 32);
	m[3] = (VM)_kshiftri_mask64(q, 48);
}

static __always_inline VM vm_of_bits(u32 bits) { return (VM)bits; }
static __always_inline u32 vm_bits(VM m) { return m; }
static __always_inline VM vm_and(VM a, VM b) { return a & b; }
static __always_inline VM vm_or(VM a, VM b) { return a | b; }
static __always_inline VM vm_xor(VM a, VM b) { return a ^ b; }
static __always_inline VM vm_not(VM a) { return ~a; }
static __always_inline bool vm_any(VM a) { return a; }
/* From lanes that are all ones or zero, and back. */
static __always_inline VM vm_of(VI a) { return _mm512_movepi32_mask(a); }
static __always_inline VI vm_vec(VM m) { return _mm512_movm_epi32(m); }
/* @m ? @t : @f */
static __always_inline VI vi_blend(VM m, VI f, VI t) { return _mm512_mask_blend_epi32(m, f, t); }

V_FN2(vi_add, _mm512_add_epi32(a, b))
V_FN2(vi_sub, _mm512_sub_epi32(a, b))
V_FN2(vi_mullo, _mm512_mullo_epi32(a, b))
V_FN2(vi_and, _mm512_and_si512(a, b))
V_FN2(vi_or, _mm512_or_si512(a, b))
V_FN2(vi_xor, _mm512_xor_si512(a, b))
V_FN2(vi_andnot, _mm512_andnot_si512(a, b))	/* ~a & b */
V_FN2(vi_mins, _mm512_min_epi32(a, b))
V_FN2(vi_maxs, _mm512_max_epi32(a, b))
V_FN2(vi_minu, _mm512_min_epu32(a, b))
V_FN2(vi_maxu, _mm512_max_epu32(a, b))
/* Shifts of a by b; counts must be below the width. */
V_FN2(vi_sllv, _mm512_sllv_epi32(a, b))
V_FN2(vi_srlv, _mm512_srlv_epi32(a, b))
V_FN2(vi_srav, _mm512_srav_epi32(a, b))
#define vi_slli(a, n) _mm512_slli_epi32(a, n)
#define vi_srli(a, n) _mm512_srli_epi32(a, n)
#define vi_srai(a, n) _mm512_srai_epi32(a, n)
V_FN2(vi_madd, _mm512_madd_epi16(a, b))	/* sums of two 16-bit products */
V_FN2(vi_add16, _mm512_add_epi16(a, b))	/* on pairs of 16-bit integers */
V_FN2(vi_max16, _mm512_max_epi16(a, b))
#define vi_quad(a, n) _mm512_shuffle_epi32(a, n)	/* within each four lanes */
M_FN2(vm_eq, _mm512_cmpeq_epi32_mask(a, b))
M_FN2(vm_gts, _mm512_cmpgt_epi32_mask(a, b))
M_FN2(vm_gtu, _mm512_cmpgt_epu32_mask(a, b))

A_FN2(vf_add, "vaddps")
A_FN2(vf_sub, "vsubps")
A_FN2(vf_mul, "vmulps")
A_FN2(vf_div, "vdivps")
A_FN2(vf_min, "vminps")		/* x86 rule: b if unordered or equal */
A_FN2(vf_max, "vmaxps")
A_FN3(vf_fma, "vfmadd213ps")
A_FN2M(vf_add_m, "vaddps")
A_FN2M(vf_sub_m, "vsubps")
A_FN2M(vf_mul_m, "vmulps")

/* The same where the sum replaces @c, also in the lanes of @m alone. */
static __always_inline VI vf_fmac(VI a, VI b, VI c)
{
	asm("vfmadd231ps %2, %1, %0" : "+v"(c) : "v"(a), LANE_ANY(b));
	return c;
}

static __always_inline VI vf_fmac_m(VM m, VI old, VI a, VI b, VI c)
{
	(void)old;
	asm("vfmadd231ps %3, %2, %0%{%1%}" : "+v"(c) : "Yk"(m), "v"(a), LANE_ANY(b));
	return c;
}

V_FN1(vf_sqrt, vi_of_ps(_mm512_sqrt_ps(ps_of(a))))
V_FN1(vf_trunc, vi_of_ps(_mm512_roundscale_ps(ps_of(a), 3)))
V_FN1(vf_floor, vi_of_ps(_mm512_roundscale_ps(ps_of(a), 1)))
V_FN1(vf_ceil, vi_of_ps(_mm512_roundscale_ps(ps_of(a), 2)))
V_FN1(vf_rndne, vi_of_ps(_mm512_roundscale_ps(ps_of(a), 0)))
V_FN1(vf_of_i, vi_of_ps(_mm512_cvtepi32_ps(a)))
V_FN1(vf_of_u, vi_of_ps(_mm512_cvtepu32_ps(a)))
V_FN1(vi_of_f, _mm512_cvttps_epi32(ps_of(a)))	/* 0x80000000 if out of range */
M_FN2(fm_lt, _mm512_cmp_ps_mask(ps_of(a), ps_of(b), _CMP_LT_OQ))
M_FN2(fm_le, _mm512_cmp_ps_mask(ps_of(a), ps_of(b), _CMP_LE_OQ))
M_FN2(fm_eq, _mm512_cmp_ps_mask(ps_of(a), ps_of(b), _CMP_EQ_OQ))
M_FN2(fm_uno, _mm512_cmp_ps_mask(ps_of(a), ps_of(b), _CMP_UNORD_Q))

V_FN2(vq_x, _mm512_unpacklo_epi32(a, b))
V_FN2(vq_y, _mm512_unpackhi_epi32(a, b))
V_FN2(vq_lo, vi_of_ps(_mm512_shuffle_ps(ps_of(a), ps_of(b), 0x88)))
V_FN2(vq_hi, vi_of_ps(_mm512_shuffle_ps(ps_of(a), ps_of(b), 0xdd)))
static __always_inline VI vq_splat(u64 x) { return _mm512_set1_epi64((long long)x); }
V_FN2(vq_add, _mm512_add_epi64(a, b))
V_FN2(vq_sub, _mm512_sub_epi64(a, b))
V_FN2(vq_mulu, _mm512_mul_epu32(a, b))		/* low dwords, to 64 bits */
V_FN2(vq_sllv, _mm512_sllv_epi64(a, b))
V_FN2(vq_srlv, _mm512_srlv_epi64(a, b))
V_FN2(vq_srav, _mm512_srav_epi64(a, b))
#define vq_slli(a, n) _mm512_slli_epi64(a, n)
#define vq_srli(a, n) _mm512_srli_epi64(a, n)
/* 64-bit compares give all ones or zero; see vm_of_q() */
V_FN2(vq_eq, _mm512_movm_epi64(_mm512_cmpeq_epi64_mask(a, b)))
V_FN2(vq_gts, _mm512_movm_epi64(_mm512_cmpgt_epi64_mask(a, b)))
V_FN2(vq_gtu, _mm512_movm_epi64(_mm512_cmpgt_epu64_mask(a, b)))
A_FN2(vd_add, "vaddpd")
A_FN2(vd_sub, "vsubpd")
A_FN2(vd_mul, "vmulpd")
A_FN2(vd_div, "vdivpd")
A_FN2(vd_min, "vminpd")
A_FN2(vd_max, "vmaxpd")
A_FN3(vd_fma, "vfmadd213pd")
V_FN1(vd_sqrt, vi_of_pd(_mm512_sqrt_pd(pd_of(a))))
V_FN2(vd_lt, _mm512_movm_epi64(_mm512_cmp_pd_mask(pd_of(a), pd_of(b), _CMP_LT_OQ)))
V_FN2(vd_le, _mm512_movm_epi64(_mm512_cmp_pd_mask(pd_of(a), pd_of(b), _CMP_LE_OQ)))
V_FN2(vd_eq, _mm512_movm_epi64(_mm512_cmp_pd_mask(pd_of(a), pd_of(b), _CMP_EQ_OQ)))
V_FN2(vd_uno, _mm512_movm_epi64(_mm512_cmp_pd_mask(pd_of(a), pd_of(b), _CMP_UNORD_Q)))
/* Lower and upper half of a row vector as doubles, and back: row order. */
V_FN1(vd_of_f0, vi_of_pd(_mm512_cvtps_pd(_mm512_castps512_ps256(ps_of(a)))))
V_FN1(vd_of_f1, vi_of_pd(_mm512_cvtps_pd(_mm512_extractf32x8_ps(ps_of(a), 1))))
V_FN1(vd_of_i0, vi_of_pd(_mm512_cvtepi32_pd(_mm512_castsi512_si256(a))))
V_FN1(vd_of_i1, vi_of_pd(_mm512_cvtepi32_pd(_mm512_extracti32x8_epi32(a, 1))))
V_FN2(vf_of_d, vi_of_ps(_mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(pd_of(a))),
				     _mm512_cvtpd_ps(pd_of(b)), 1)))
V_FN1(vd_trunc, vi_of_pd(_mm512_roundscale_pd(pd_of(a), 3)))
V_FN1(vd_floor, vi_of_pd(_mm512_roundscale_pd(pd_of(a), 1)))
V_FN1(vd_ceil, vi_of_pd(_mm512_roundscale_pd(pd_of(a), 2)))
V_FN1(vd_rndne, vi_of_pd(_mm512_roundscale_pd(pd_of(a), 0)))
/* The low dwords of 64-bit lanes, converted to doubles and from them */
V_FN1(vd_of_iq, vi_of_pd(_mm512_cvtepi32_pd(_mm512_cvtepi64_epi32(a))))
V_FN1(vd_of_fq, vi_of_pd(_mm512_cvtps_pd(_mm256_castsi256_ps(_mm512_cvtepi64_epi32(a)))))
V_FN1(vf_of_dq, _mm512_cvtepu32_epi64(_mm256_castps_si256(_mm512_cvtpd_ps(pd_of(a)))))
V_FN1(vi_of_dq, _mm512_cvtepu32_epi64(_mm512_cvttpd_epi32(pd_of(a))))

/* Bytes within sixteen by their numbers, and the number of a lane's first byte in each */
V_FN2(vi_pick_bytes, _mm512_shuffle_epi8(a, b))
static __always_inline VI vi_bytes_of_lane(void)
{
	return _mm512_broadcast_i32x4(_mm_setr_epi32(0, 0x04040404, 0x08080808, 0x0c0c0c0c));
}
