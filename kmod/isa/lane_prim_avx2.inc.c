/* SPDX-License-Identifier: GPL-2.0-only */
/* Vector helpers of lane.h for AVX2 with FMA and F16C: 8 lanes a step. */

typedef __m256i VI;
typedef __m256i VM;	/* lanes all ones or zero */

#define ps_of(a)	_mm256_castsi256_ps(a)
#define pd_of(a)	_mm256_castsi256_pd(a)
#define vi_of_ps(a)	_mm256_castps_si256(a)
#define vi_of_pd(a)	_mm256_castpd_si256(a)

#define V_FN1(name, expr) static __always_inline VI name(VI a) { return expr; }
#define V_FN2(name, expr) static __always_inline VI name(VI a, VI b) { return expr; }
#define V_FN3(name, expr) static __always_inline VI name(VI a, VI b, VI c) { return expr; }
#define M_FN2(name, expr) static __always_inline VM name(VI a, VI b) { return expr; }
/*
 * Of two NaNs the result is the first source. LLVM's assembler swaps the sources of what commutes
 * if a shorter VEX prefix does for them then; it does not if the longer one is asked for.
 */
#ifdef __clang__
#define LANE_ORDER	"%{vex3%} "
#else
#define LANE_ORDER	""
#endif
#define A_FN2(name, insn)						\
static __always_inline VI name(VI a, VI b)				\
{									\
	VI r;								\
									\
	asm(LANE_ORDER insn " %2, %1, %0" : "=x"(r) : "x"(a), LANE_ANY(b));		\
	return r;							\
}
/* fma takes NaNs from the second operand of its 213 form first: that is a */
#define A_FN3(name, insn)						\
static __always_inline VI name(VI a, VI b, VI c)			\
{									\
	asm(insn " %2, %1, %0" : "+x"(b) : "x"(a), LANE_ANY(c));		\
	return b;							\
}

static __always_inline VI vi_load(const u32 *p) { return _mm256_load_si256((const VI *)p); }
static __always_inline VI vi_loadu(const void *p) { return _mm256_loadu_si256(p); }
static __always_inline void vi_store(u32 *p, VI a) { _mm256_store_si256((VI *)p, a); }
static __always_inline void vi_storeu(void *p, VI a) { _mm256_storeu_si256(p, a); }
static __always_inline VI vi_splat(u32 x) { return _mm256_set1_epi32((int)x); }
static __always_inline VI vi_zero(void) { return _mm256_setzero_si256(); }

/* Memory access of the lanes in @m only; others read 0 and are not touched. */
static __always_inline VI vi_loadu_m(const void *p, VM m)
{
	return _mm256_maskload_epi32(p, m);
}

static __always_inline void vi_storeu_m(void *p, VM m, VI a)
{
	_mm256_maskstore_epi32(p, m, a);
}

static __always_inline VM vm_of_bits(u32 bits)
{
	const VI bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);

	return _mm256_cmpeq_epi32(_mm256_and_si256(vi_splat(bits), bit), bit);
}

static __always_inline u32 vm_bits(VM m) { return (u32)_mm256_movemask_ps(ps_of(m)); }
V_FN2(vm_and, _mm256_and_si256(a, b))
V_FN2(vm_or, _mm256_or_si256(a, b))
V_FN2(vm_xor, _mm256_xor_si256(a, b))
V_FN1(vm_not, _mm256_xor_si256(a, _mm256_set1_epi32(-1)))
static __always_inline bool vm_any(VM a) { return _mm256_movemask_ps(ps_of(a)); }
/* From lanes that are all ones or zero, and back. */
V_FN1(vm_of, a)
V_FN1(vm_vec, a)
/* @m ? @t : @f; asm, because compilers compare @m with zero first */
static __always_inline VI vi_blend(VM m, VI f, VI t)
{
	VI r;

	__asm__("vblendvps %3, %2, %1, %0" : "=x"(r) : "x"(f), LANE_ANY(t), "x"(m));
	return r;
}

V_FN2(vi_add, _mm256_add_epi32(a, b))
V_FN2(vi_sub, _mm256_sub_epi32(a, b))
V_FN2(vi_mullo, _mm256_mullo_epi32(a, b))
V_FN2(vi_and, _mm256_and_si256(a, b))
V_FN2(vi_or, _mm256_or_si256(a, b))
V_FN2(vi_xor, _mm256_xor_si256(a, b))
V_FN2(vi_andnot, _mm256_andnot_si256(a, b))	/* ~a & b */
V_FN2(vi_mins, _mm256_min_epi32(a, b))
V_FN2(vi_maxs, _mm256_max_epi32(a, b))
V_FN2(vi_minu, _mm256_min_epu32(a, b))
V_FN2(vi_maxu, _mm256_max_epu32(a, b))
/* Shifts of a by b; counts must be below the width. */
V_FN2(vi_sllv, _mm256_sllv_epi32(a, b))
V_FN2(vi_srlv, _mm256_srlv_epi32(a, b))
V_FN2(vi_srav, _mm256_srav_epi32(a, b))
#define vi_slli(a, n) _mm256_slli_epi32(a, n)
#define vi_srli(a, n) _mm256_srli_epi32(a, n)
#define vi_srai(a, n) _mm256_srai_epi32(a, n)
V_FN2(vi_madd, _mm256_madd_epi16(a, b))	/* sums of two 16-bit products */
V_FN2(vi_add16, _mm256_add_epi16(a, b))	/* on pairs of 16-bit integers */
V_FN2(vi_max16, _mm256_max_epi16(a, b))
#define vi_quad(a, n) _mm256_shuffle_epi32(a, n)	/* within each four lanes */
M_FN2(vm_eq, _mm256_cmpeq_epi32(a, b))
M_FN2(vm_gts, _mm256_cmpgt_epi32(a, b))
M_FN2(vm_gtu, _mm256_cmpgt_epi32(_mm256_xor_si256(a, vi_splat(1u << 31)),
				 _mm256_xor_si256(b, vi_splat(1u << 31))))

A_FN2(vf_add, "vaddps")
A_FN2(vf_sub, "vsubps")
A_FN2(vf_mul, "vmulps")
A_FN2(vf_div, "vdivps")
A_FN2(vf_min, "vminps")		/* x86 rule: b if unordered or equal */
A_FN2(vf_max, "vmaxps")
A_FN3(vf_fma, "vfmadd213ps")
V_FN1(vf_sqrt, vi_of_ps(_mm256_sqrt_ps(ps_of(a))))
V_FN1(vf_trunc, vi_of_ps(_mm256_round_ps(ps_of(a), 3)))
V_FN1(vf_floor, vi_of_ps(_mm256_round_ps(ps_of(a), 1)))
V_FN1(vf_ceil, vi_of_ps(_mm256_round_ps(ps_of(a), 2)))
V_FN1(vf_rndne, vi_of_ps(_mm256_round_ps(ps_of(a), 0)))
V_FN1(vf_of_i, vi_of_ps(_mm256_cvtepi32_ps(a)))
V_FN1(vi_of_f, _mm256_cvttps_epi32(ps_of(a)))	/* 0x80000000 if out of range */
M_FN2(fm_lt, vi_of_ps(_mm256_cmp_ps(ps_of(a), ps_of(b), _CMP_LT_OQ)))
M_FN2(fm_le, vi_of_ps(_mm256_cmp_ps(ps_of(a), ps_of(b), _CMP_LE_OQ)))
M_FN2(fm_eq, vi_of_ps(_mm256_cmp_ps(ps_of(a), ps_of(b), _CMP_EQ_OQ)))
M_FN2(fm_uno, vi_of_ps(_mm256_cmp_ps(ps_of(a), ps_of(b), _CMP_UNORD_Q)))

V_FN2(vq_x, _mm256_unpacklo_epi32(a, b))
V_FN2(vq_y, _mm256_unpackhi_epi32(a, b))
V_FN2(vq_lo, vi_of_ps(_mm256_shuffle_ps(ps_of(a), ps_of(b), 0x88)))
V_FN2(vq_hi, vi_of_ps(_mm256_shuffle_ps(ps_of(a), ps_of(b), 0xdd)))
static __always_inline VI vq_splat(u64 x) { return _mm256_set1_epi64x((long long)x); }
V_FN2(vq_add, _mm256_add_epi64(a, b))
V_FN2(vq_sub, _mm256_sub_epi64(a, b))
V_FN2(vq_mulu, _mm256_mul_epu32(a, b))		/* low dwords, to 64 bits */
V_FN2(vq_sllv, _mm256_sllv_epi64(a, b))
V_FN2(vq_srlv, _mm256_srlv_epi64(a, b))
#define vq_slli(a, n) _mm256_slli_epi64(a, n)
#define vq_srli(a, n) _mm256_srli_epi64(a, n)
/* 64-bit compares give all ones or zero; see vm_of_q() */
V_FN2(vq_eq, _mm256_cmpeq_epi64(a, b))
V_FN2(vq_gts, _mm256_cmpgt_epi64(a, b))
V_FN2(vq_gtu, _mm256_cmpgt_epi64(_mm256_xor_si256(a, vq_splat(1ull << 63)),
				 _mm256_xor_si256(b, vq_splat(1ull << 63))))

static __always_inline VI vq_srav(VI a, VI n)
{
	VI s = _mm256_cmpgt_epi64(vi_zero(), a);	/* sign */

	return vi_xor(vq_srlv(vi_xor(a, s), n), s);
}

A_FN2(vd_add, "vaddpd")
A_FN2(vd_sub, "vsubpd")
A_FN2(vd_mul, "vmulpd")
A_FN2(vd_div, "vdivpd")
A_FN2(vd_min, "vminpd")
A_FN2(vd_max, "vmaxpd")
A_FN3(vd_fma, "vfmadd213pd")
V_FN1(vd_sqrt, vi_of_pd(_mm256_sqrt_pd(pd_of(a))))
V_FN2(vd_lt, vi_of_pd(_mm256_cmp_pd(pd_of(a), pd_of(b), _CMP_LT_OQ)))
V_FN2(vd_le, vi_of_pd(_mm256_cmp_pd(pd_of(a), pd_of(b), _CMP_LE_OQ)))
V_FN2(vd_eq, vi_of_pd(_mm256_cmp_pd(pd_of(a), pd_of(b), _CMP_EQ_OQ)))
V_FN2(vd_uno, vi_of_pd(_mm256_cmp_pd(pd_of(a), pd_of(b), _CMP_UNORD_Q)))
/* Lower and upper half of a row vector as doubles, and back: row order. */
V_FN1(vd_of_f0, vi_of_pd(_mm256_cvtps_pd(_mm256_castps256_ps128(ps_of(a)))))
V_FN1(vd_of_f1, vi_of_pd(_mm256_cvtps_pd(_mm256_extractf128_ps(ps_of(a), 1))))
V_FN1(vd_of_i0, vi_of_pd(_mm256_cvtepi32_pd(_mm256_castsi256_si128(a))))
V_FN1(vd_of_i1, vi_of_pd(_mm256_cvtepi32_pd(_mm256_extracti128_si256(a, 1))))
V_FN2(vf_of_d, vi_of_ps(_mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(pd_of(a))),
				       _mm256_cvtpd_ps(pd_of(b)), 1)))

V_FN1(vd_trunc, vi_of_pd(_mm256_round_pd(pd_of(a), 3)))
V_FN1(vd_floor, vi_of_pd(_mm256_round_pd(pd_of(a), 1)))
V_FN1(vd_ceil, vi_of_pd(_mm256_round_pd(pd_of(a), 2)))
V_FN1(vd_rndne, vi_of_pd(_mm256_round_pd(pd_of(a), 0)))

/* The low dwords of 64-bit lanes, converted to doubles and from them */
static __always_inline __m128i avx2_low(VI a)
{
	VI x = _mm256_permutevar8x32_epi32(a, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));

	return _mm256_castsi256_si128(x);
}

V_FN1(vd_of_iq, vi_of_pd(_mm256_cvtepi32_pd(avx2_low(a))))
V_FN1(vd_of_fq, vi_of_pd(_mm256_cvtps_pd(_mm_castsi128_ps(avx2_low(a)))))
V_FN1(vf_of_dq, _mm256_cvtepu32_epi64(_mm_castps_si128(_mm256_cvtpd_ps(pd_of(a)))))
V_FN1(vi_of_dq, _mm256_cvtepu32_epi64(_mm256_cvttpd_epi32(pd_of(a))))

/* Bytes within sixteen by their numbers, and the number of a lane's first byte in each */
V_FN2(vi_pick_bytes, _mm256_shuffle_epi8(a, b))
static __always_inline VI vi_bytes_of_lane(void)
{
	return _mm256_broadcastsi128_si256(_mm_setr_epi32(0, 0x04040404, 0x08080808, 0x0c0c0c0c));
}

/*
 * Unsigned to float with one rounding: the two halves are exact floats, high
 * half times 65536 too, and their sum rounds once.
 */
static __always_inline VI vf_of_u(VI a)
{
	VI hi = vf_mul(vf_of_i(vi_srli(a, 16)), vi_splat(0x47800000));

	return vf_add(hi, vf_of_i(vi_and(a, vi_splat(0xffff))));
}
