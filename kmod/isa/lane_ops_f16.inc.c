/* SPDX-License-Identifier: GPL-2.0-only */
/* Op list: half precision, one and two to a register. */

G(V_ADD_F16, F16, F16, F16, NONE, 0, 0, vf_add(a, b),
		f16_add(a, b, e->round))
G(V_SUB_F16, F16, F16, F16, NONE, 0, 0, vf_sub(a, b),
		f16_sub(a, b, e->round))
G(V_SUBREV_F16, F16, F16, F16, NONE, 0, 0, vf_sub(b, a),
		f16_sub(b, a, e->round))
G(V_MUL_F16, F16, F16, F16, NONE, 0, 0, vf_mul(a, b),
		f16_mul(a, b, e->round))
G(V_MAC_F16, F16, F16, F16, F16, LF_ACC, 0, half_mad(a, b, c),
		f16_mad(a, b, c, e->round))
G(V_MADMK_F16, F16, F16, F16, F16, LF_LITK, 0, half_mad(a, b, c),
		f16_mad(a, b, c, e->round))
G(V_MADAK_F16, F16, F16, F16, F16, LF_LITA, 0, half_mad(a, b, c),
		f16_mad(a, b, c, e->round))
G(V_MAD_F16, F16, F16, F16, F16, LF_KEEP, 0, half_mad(a, b, c),
		f16_mad(a, b, c, e->round))
G(V_MAD_LEGACY_F16, F16, F16, F16, F16, 0, 0, half_mad(a, b, c),
		f16_mad(a, b, c, e->round))
G(V_FMA_F16, F16, F16, F16, F16, LF_KEEP, HALF_RNE, half_fma(a, b, c),
		f16_fma(a, b, c, e->round))
G(V_FMA_LEGACY_F16, F16, F16, F16, F16, 0, HALF_RNE, half_fma(a, b, c),
		f16_fma(a, b, c, e->round))
S(V_DIV_FIXUP_F16, F16, F16, F16, F16, LF_KEEP, div_fixup_f16(a, b, c))
S(V_DIV_FIXUP_LEGACY_F16, F16, F16, F16, F16, 0, div_fixup_f16(a, b, c))
G(V_MIN_F16, F16, F16, F16, NONE, 0, HALF_NO_NAN, half_min(a, b),
		f16_min(a, b, e))
G(V_MAX_F16, F16, F16, F16, NONE, 0, HALF_NO_NAN, half_max(a, b),
		f16_max(a, b, e))
S(V_MIN3_F16, F16, F16, F16, F16, LF_KEEP, f16_min(f16_min(a, b, e), c, e))
S(V_MAX3_F16, F16, F16, F16, F16, LF_KEEP, f16_max(f16_max(a, b, e), c, e))
S(V_MED3_F16, F16, F16, F16, F16, LF_KEEP, f16_med3(a, b, c, e))
S(V_RCP_F16, F16, F16, NONE, NONE, 0, f16_of_d(1.0 / d_of_f16(a), e->round))
S(V_SQRT_F16, F16, F16, NONE, NONE, 0, f16_of_d(d_sqrt(d_of_f16(a)), e->round))
S(V_RSQ_F16, F16, F16, NONE, NONE, 0, f16_of_d(1.0 / d_sqrt(d_of_f16(a)), e->round))
S(V_EXP_F16, F16, F16, NONE, NONE, 0, f16_of_d(d_exp2(d_of_f16(a)), e->round))
S(V_LOG_F16, F16, F16, NONE, NONE, 0, f16_of_d(d_log2(d_of_f16(a)), e->round))
S(V_SIN_F16, F16, F16, NONE, NONE, 0, f16_of_d(d_sin(d_of_f16(a)), e->round))
S(V_COS_F16, F16, F16, NONE, NONE, 0, f16_of_d(d_cos(d_of_f16(a)), e->round))
S(V_TRUNC_F16, F16, F16, NONE, NONE, 0, f16_integral(a, 3))
S(V_CEIL_F16, F16, F16, NONE, NONE, 0, f16_integral(a, 1))
S(V_FLOOR_F16, F16, F16, NONE, NONE, 0, f16_integral(a, 2))
S(V_RNDNE_F16, F16, F16, NONE, NONE, 0, f16_integral(a, 0))
S(V_FRACT_F16, F16, F16, NONE, NONE, 0, f16_fract(a, e->round))
S(V_LDEXP_F16, F16, F16, I16, NONE, 0, f16_ldexp(a, b, e->round))
S(V_FREXP_MANT_F16, F16, F16, NONE, NONE, 0, frexp_mant_f16(a))
S(V_FREXP_EXP_I16_F16, I16, F16, NONE, NONE, 0, frexp_exp_f16(a))
S(V_CVT_F16_U16, F16, U16, NONE, NONE, 0, f16_of_d((double)a, e->round))
S(V_CVT_F16_I16, F16, I16, NONE, NONE, 0, f16_of_d((double)a, e->round))
S(V_CVT_U16_F16, U16, F16, NONE, NONE, 0, f16_to_int(a, 0, 65535))
S(V_CVT_I16_F16, I16, F16, NONE, NONE, 0, f16_to_int(a, -32768, 32767))
S(V_CVT_NORM_I16_F16, I16, F16, NONE, NONE, 0, cvt_snorm(f_of_bits(f32_of_f16(a))))
S(V_CVT_NORM_U16_F16, U16, F16, NONE, NONE, 0, cvt_unorm(f_of_bits(f32_of_f16(a))))
S(V_CVT_PKNORM_I16_F16, U32, F16, F16, NONE, 0, cvt_snorm(f_of_bits(f32_of_f16(a))) |
		cvt_snorm(f_of_bits(f32_of_f16(b))) << 16)
S(V_CVT_PKNORM_U16_F16, U32, F16, F16, NONE, 0, cvt_unorm(f_of_bits(f32_of_f16(a))) |
		cvt_unorm(f_of_bits(f32_of_f16(b))) << 16)

G(V_PK_ADD_F16, PKF, PKF, PKF, NONE, 0, 0, vf_add(a, b),
		PK2(f16_add, e->round))
G(V_PK_MUL_F16, PKF, PKF, PKF, NONE, 0, 0, vf_mul(a, b),
		PK2(f16_mul, e->round))
G(V_PK_MIN_F16, PKF, PKF, PKF, NONE, 0, HALF_NO_NAN, half_min(a, b),
		PK2(f16_min, e))
G(V_PK_MAX_F16, PKF, PKF, PKF, NONE, 0, HALF_NO_NAN, half_max(a, b),
		PK2(f16_max, e))
G(V_PK_FMA_F16, PKF, PKF, PKF, PKF, 0, HALF_RNE, half_fma(a, b, c),
		PK3(f16_fma, e->round))
G(V_PK_FMAC_F16, PKF, PKF, PKF, PKF, LF_ACC, HALF_RNE, half_fma(a, b, c),
		PK3(f16_fma, e->round))
S(V_DOT2_F32_F16, F32, PKF, PKF, F32, LF_RNE, dot2_f32(a, b, c))
S(V_DOT2C_F32_F16, F32, PKF, PKF, F32, LF_ACC | LF_RNE, dot2_f32(a, b, c))
