/* SPDX-License-Identifier: GPL-2.0-only */
/* Op list: what clamp makes of integer operations. */

#define SAT_U32(x)	((x) < 0 ? 0u : (x) > 0xffffffffll ? ~0u : (u32)(x))
#define SAT_I32(x)	((s32)s64_clamp(x, -0x80000000ll, 0x7fffffff))
#define SAT_U16(x)	((u32)s64_clamp(x, 0, 0xffff))
#define SAT_I16(x)	((u32)s64_clamp(x, -0x8000, 0x7fff))
#define U24(x)		((s64)((x) & 0xffffff))
#define I24(x)		((s64)((s32)((u32)(x) << 8) >> 8))
#define ULO(x)		((s64)LO(x))
#define UHI(x)		((s64)HI(x))

Z(V_ADD_U32, U32, U32, U32, NONE, SAT_U32((s64)a + b))
Z(V_SUB_U32, U32, U32, U32, NONE, SAT_U32((s64)a - b))
Z(V_SUBREV_U32, U32, U32, U32, NONE, SAT_U32((s64)b - a))
Z(V_ADD_I32, I32, I32, I32, NONE, SAT_I32((s64)a + b))
Z(V_SUB_I32, I32, I32, I32, NONE, SAT_I32((s64)a - b))
Z(V_MAD_U32_U24, U32, U32, U32, U32, SAT_U32(U24(a) * U24(b) + c))
Z(V_MAD_I32_I24, I32, I32, I32, I32, SAT_I32(I24(a) * I24(b) + c))
Z(V_MAD_U32_U16, U32, U16, U16, U32, SAT_U32((s64)a * b + c))
Z(V_MAD_I32_I16, I32, I16, I16, I32, SAT_I32((s64)a * b + c))
Z(V_ADD_U16, U16, U16, U16, NONE, SAT_U16((s64)a + b))
Z(V_SUB_U16, U16, U16, U16, NONE, SAT_U16((s64)a - b))
Z(V_SUBREV_U16, U16, U16, U16, NONE, SAT_U16((s64)b - a))
Z(V_ADD_I16, I16, I16, I16, NONE, SAT_I16((s64)a + b))
Z(V_SUB_I16, I16, I16, I16, NONE, SAT_I16((s64)a - b))
Z(V_MAD_U16, U16, U16, U16, U16, SAT_U16((s64)a * b + c))
Z(V_MAD_I16, I16, I16, I16, I16, SAT_I16((s64)a * b + c))
Z(V_MAD_LEGACY_U16, U16, U16, U16, U16, SAT_U16((s64)a * b + c))
Z(V_MAD_LEGACY_I16, I16, I16, I16, I16, SAT_I16((s64)a * b + c))
Z(V_SAD_U8, U32, U32, U32, U32, SAT_U32((s64)int_sad_u8(a, b) + c))
Z(V_SAD_HI_U8, U32, U32, U32, U32, SAT_U32(((s64)int_sad_u8(a, b) << 16) + c))
Z(V_SAD_U16, U32, U32, U32, U32, SAT_U32((s64)int_sad_u16(a, b) + c))
Z(V_SAD_U32, U32, U32, U32, U32, SAT_U32((s64)int_absdiff(a, b) + c))
Z(V_MSAD_U8, U32, U32, U32, U32, SAT_U32((s64)int_msad_u8(a, b) + c))
Z(V_PK_ADD_U16, PKI, PKI, PKI, NONE, pk2(SAT_U16(ULO(a) + ULO(b)), SAT_U16(UHI(a) + UHI(b))))
Z(V_PK_SUB_U16, PKI, PKI, PKI, NONE, pk2(SAT_U16(ULO(a) - ULO(b)), SAT_U16(UHI(a) - UHI(b))))
Z(V_PK_ADD_I16, PKI, PKI, PKI, NONE, pk2(SAT_I16(SLO(a) + SLO(b)), SAT_I16(SHI(a) + SHI(b))))
Z(V_PK_SUB_I16, PKI, PKI, PKI, NONE, pk2(SAT_I16(SLO(a) - SLO(b)), SAT_I16(SHI(a) - SHI(b))))
Z(V_PK_MAD_U16, PKI, PKI, PKI, PKI,
		pk2(SAT_U16(ULO(a) * ULO(b) + ULO(c)), SAT_U16(UHI(a) * UHI(b) + UHI(c))))
Z(V_PK_MAD_I16, PKI, PKI, PKI, PKI,
		pk2(SAT_I16((s64)SLO(a) * SLO(b) + SLO(c)), SAT_I16((s64)SHI(a) * SHI(b) + SHI(c))))
Z(V_DOT2_I32_I16, I32, PKI, PKI, I32, SAT_I32(int_dot_s64(a, b, 16, true) + c))
Z(V_DOT2_U32_U16, U32, PKI, PKI, U32, SAT_U32(int_dot_s64(a, b, 16, false) + (s64)c))
Z(V_DOT4_I32_I8, I32, U32, U32, I32, SAT_I32(int_dot_s64(a, b, 8, true) + c))
Z(V_DOT4_U32_U8, U32, U32, U32, U32, SAT_U32(int_dot_s64(a, b, 8, false) + (s64)c))
Z(V_DOT8_I32_I4, I32, U32, U32, I32, SAT_I32(int_dot_s64(a, b, 4, true) + c))
Z(V_DOT8_U32_U4, U32, U32, U32, U32, SAT_U32(int_dot_s64(a, b, 4, false) + (s64)c))

#undef SAT_U32
#undef SAT_I32
#undef SAT_U16
#undef SAT_I16
#undef U24
#undef I24
#undef ULO
#undef UHI
