// SPDX-License-Identifier: MIT
/*
 * Reference model of the integer operations, one lane: written from the
 * ISA's pseudo-code with plain 64-bit arithmetic, apart from the lanes.
 */
#include "ref.h"

#define A32	((u32)in->s[0])
#define B32	((u32)in->s[1])
#define C32	((u32)in->s[2])
#define SA	((s64)(s32)A32)
#define SB	((s64)(s32)B32)
#define SC	((s64)(s32)C32)
#define A16	(A32 & 0xffff)
#define B16	(B32 & 0xffff)
#define C16	(C32 & 0xffff)
#define SA16	((s64)(s16)A16)
#define SB16	((s64)(s16)B16)
#define SC16	((s64)(s16)C16)
#define A64	in->s[0]
#define B64	in->s[1]
#define C64	in->s[2]

static s64 sext(u64 x, int bits)
{
	return (s64)(x << (64 - bits)) >> (64 - bits);
}

static s64 lowest(s64 a, s64 b) { return a < b ? a : b; }
static s64 highest(s64 a, s64 b) { return a > b ? a : b; }

static s64 median(s64 a, s64 b, s64 c)
{
	if ((a <= b && b <= c) || (c <= b && b <= a))
		return b;
	if ((b <= a && a <= c) || (c <= a && a <= b))
		return a;
	return c;
}

static u32 field(u32 x, int n, int bits) { return x >> n * bits & ((1u << bits) - 1); }

static u32 sad(u32 a, u32 b, int bits, bool masked)
{
	u32 r = 0;
	int n;

	for (n = 0; n < 32 / bits; n++) {
		s64 d = (s64)field(a, n, bits) - field(b, n, bits);

		if (!masked || field(b, n, bits))
			r += (u32)(d < 0 ? -d : d);
	}
	return r;
}

static u64 quad_sad(u64 a, u32 b, u64 c, bool masked)
{
	u64 r = 0;
	int n;

	for (n = 3; n >= 0; n--)
		r = r << 16 | ((sad((u32)(a >> 8 * n), b, 8, masked) + (c >> 16 * n)) & 0xffff);
	return r;
}

static s64 dot(u32 a, u32 b, int bits, bool sign)
{
	s64 r = 0;
	int n;

	for (n = 0; n < 32 / bits; n++)
		r += sign ? sext(field(a, n, bits), bits) * sext(field(b, n, bits), bits) :
			    (s64)field(a, n, bits) * field(b, n, bits);
	return r;
}

static u32 perm(u64 data, u32 sel)
{
	u32 r = 0;
	int n;

	for (n = 3; n >= 0; n--) {
		u32 s = sel >> 8 * n & 255, b;

		if (s > 12)
			b = 255;
		else if (s == 12)
			b = 0;
		else if (s > 7)
			b = (data >> (8 * (2 * (s - 8) + 1)) & 0x80) ? 255 : 0;
		else
			b = data >> 8 * s & 255;
		r = r << 8 | b;
	}
	return r;
}

static u32 reverse(u32 x)
{
	u32 r = 0;
	int n;

	for (n = 0; n < 32; n++)
		r |= (x >> n & 1) << (31 - n);
	return r;
}

static u32 ffbh(u32 x)
{
	int n;

	for (n = 0; n < 32; n++)
		if (x >> (31 - n) & 1)
			return (u32)n;
	return ~0u;
}

static u32 ffbl(u32 x)
{
	int n;

	for (n = 0; n < 32; n++)
		if (x >> n & 1)
			return (u32)n;
	return ~0u;
}

static u32 ffbh_signed(u32 x)
{
	int n;

	for (n = 1; n < 32; n++)
		if ((x >> (31 - n) & 1) != x >> 31)
			return (u32)n;
	return ~0u;
}

static u32 lerp(u32 a, u32 b, u32 c)
{
	u32 r = 0;
	int n;

	for (n = 0; n < 4; n++)
		r |= ((field(a, n, 8) + field(b, n, 8) + (field(c, n, 8) & 1)) / 2) << 8 * n;
	return r;
}

static u32 below(u32 mask, unsigned int lane, unsigned int base)
{
	u32 r = 0;
	unsigned int n;

	for (n = 0; n < 32; n++)
		r += (mask >> n & 1) && base + n < lane;
	return r;
}

static u32 two(s64 lo, s64 hi) { return ((u32)lo & 0xffff) | (u32)hi << 16; }

#define PK(f)	two(f(SA16, SB16), f(sext(A32 >> 16, 16), sext(B32 >> 16, 16)))
#define PKU(f)	two(f(A16, B16), f(A32 >> 16, B32 >> 16))
static s64 add(s64 a, s64 b) { return a + b; }
static s64 sub(s64 a, s64 b) { return a - b; }
static s64 mul(s64 a, s64 b) { return a * b; }
static s64 shl(s64 a, s64 b) { return (u64)b << (a & 15); }
static s64 shr(s64 a, s64 b) { return b >> (a & 15); }

static void carry(struct ref_out *o, u64 wide)
{
	o->d = (u32)wide;
	o->mask = wide >> 32 & 1;
}

REF(V_MOV_B32, A32)
REF(V_NOT_B32, ~A32)
REF(V_BFREV_B32, reverse(A32))
REF(V_ADD_U32, A32 + B32)
REF(V_SUB_U32, A32 - B32)
REF(V_SUBREV_U32, B32 - A32)
REF(V_ADD_I32, A32 + B32)
REF(V_SUB_I32, A32 - B32)
REF(V_MUL_LO_U32, (u32)((u64)A32 * B32))
REF(V_MUL_HI_U32, (u64)A32 * B32 >> 32)
REF(V_MUL_HI_I32, (u32)(SA * SB >> 32))
REF(V_MUL_U32_U24, (u32)((u64)(A32 & 0xffffff) * (B32 & 0xffffff)))
REF(V_MUL_I32_I24, (u32)(sext(A32, 24) * sext(B32, 24)))
REF(V_MUL_HI_U32_U24, (u64)(A32 & 0xffffff) * (B32 & 0xffffff) >> 32)
REF(V_MUL_HI_I32_I24, (u32)(sext(A32, 24) * sext(B32, 24) >> 32))
REF(V_MAD_U32_U24, (u32)((u64)(A32 & 0xffffff) * (B32 & 0xffffff) + C32))
REF(V_MAD_I32_I24, (u32)(sext(A32, 24) * sext(B32, 24) + SC))
REF(V_MIN_I32, (u32)lowest(SA, SB))
REF(V_MAX_I32, (u32)highest(SA, SB))
REF(V_MIN_U32, lowest(A32, B32))
REF(V_MAX_U32, highest(A32, B32))
REF(V_MIN3_I32, (u32)lowest(lowest(SA, SB), SC))
REF(V_MAX3_I32, (u32)highest(highest(SA, SB), SC))
REF(V_MED3_I32, (u32)median(SA, SB, SC))
REF(V_MIN3_U32, lowest(lowest(A32, B32), C32))
REF(V_MAX3_U32, highest(highest(A32, B32), C32))
REF(V_MED3_U32, median(A32, B32, C32))
REF(V_LSHRREV_B32, B32 >> (A32 & 31))
REF(V_ASHRREV_I32, (u32)(SB >> (A32 & 31)))
REF(V_LSHLREV_B32, (u32)((u64)B32 << (A32 & 31)))
REF(V_AND_B32, A32 & B32)
REF(V_OR_B32, A32 | B32)
REF(V_XOR_B32, A32 ^ B32)
REF(V_XNOR_B32, (u32)~(A32 ^ B32))
REF(V_BFE_U32, (A32 >> (B32 & 31)) & ((1ull << (C32 & 31)) - 1))
REF(V_BFE_I32, (C32 & 31) ? (u32)sext((u32)(SA >> (B32 & 31)), C32 & 31) : 0)
REF(V_BFI_B32, (A32 & B32) | (~A32 & C32))
REF(V_BFM_B32, (u32)(((1ull << (A32 & 31)) - 1) << (B32 & 31)))
REF(V_BCNT_U32_B32, (u32)(below(A32, 64, 0) + B32))
REF(V_ALIGNBIT_B32, (u32)(((u64)A32 << 32 | B32) >> (C32 & 31)))
REF(V_ALIGNBYTE_B32, (u32)(((u64)A32 << 32 | B32) >> 8 * (C32 & 3)))
REF(V_LSHL_ADD_U32, (u32)(((u64)A32 << (B32 & 31)) + C32))
REF(V_ADD_LSHL_U32, (u32)((u64)(A32 + B32) << (C32 & 31)))
REF(V_ADD3_U32, A32 + B32 + C32)
REF(V_LSHL_OR_B32, (u32)((u64)A32 << (B32 & 31)) | C32)
REF(V_AND_OR_B32, (A32 & B32) | C32)
REF(V_OR3_B32, A32 | B32 | C32)
REF(V_XAD_U32, (A32 ^ B32) + C32)
REF(V_SAD_U32, (u32)(highest(A32, B32) - lowest(A32, B32) + C32))
REF(V_LSHLREV_B64, B64 << (A32 & 63))
REF(V_LSHRREV_B64, B64 >> (A32 & 63))
REF(V_ASHRREV_I64, (u64)((s64)B64 >> (A32 & 63)))
REF(V_LSHL_ADD_U64, (A64 << ((B32 & 7) > 4 ? 0 : B32 & 7)) + C64)
REF(V_MOV_B64, A64)
REF(V_FFBH_U32, ffbh(A32))
REF(V_FFBL_B32, ffbl(A32))
REF(V_FFBH_I32, ffbh_signed(A32))
REF(V_PERM_B32, perm((u64)A32 << 32 | B32, C32))
REF(V_LERP_U8, lerp(A32, B32, C32))
REF(V_SAD_U8, sad(A32, B32, 8, false) + C32)
REF(V_SAD_HI_U8, (sad(A32, B32, 8, false) << 16) + C32)
REF(V_SAD_U16, sad(A32, B32, 16, false) + C32)
REF(V_MSAD_U8, sad(A32, B32, 8, true) + C32)
REF(V_QSAD_PK_U16_U8, quad_sad(A64, B32, C64, false))
REF(V_MQSAD_PK_U16_U8, quad_sad(A64, B32, C64, true))
REF(V_MAD_U32_U16, A16 * B16 + C32)
REF(V_MAD_I32_I16, (u32)(SA16 * SB16 + SC))
REF(V_SAT_PK_U8_I16, (u32)(highest(0, lowest(SA16, 255)) |
			   highest(0, lowest(sext(A32 >> 16, 16), 255)) << 8))
REF(V_CVT_PK_U16_U32, two(lowest(A32, 65535), lowest(B32, 65535)))
REF(V_CVT_PK_I16_I32, two(median(SA, -32768, 32767), median(SB, -32768, 32767)))
REF(V_PACK_B32_F16, A16 | B16 << 16)
REF(V_ADD_U16, (A16 + B16) & 0xffff)
REF(V_SUB_U16, (A16 - B16) & 0xffff)
REF(V_SUBREV_U16, (B16 - A16) & 0xffff)
REF(V_MUL_LO_U16, (A16 * B16) & 0xffff)
REF(V_LSHLREV_B16, (B16 << (A16 & 15)) & 0xffff)
REF(V_MOV_B16, A16)
REF(V_NOT_B16, ~A16 & 0xffff)
REF(V_AND_B16, A16 & B16)
REF(V_OR_B16, A16 | B16)
REF(V_XOR_B16, A16 ^ B16)
REF(V_CVT_I32_I16, (u32)(s32)(s16)A16)
REF(V_CVT_U32_U16, A16)
REF(V_XOR3_B32, A32 ^ B32 ^ C32)
REF(V_LSHRREV_B16, B16 >> (A16 & 15))
REF(V_ASHRREV_I16, (u16)(SB16 >> (A16 & 15)))
REF(V_MAX_U16, highest(A16, B16))
REF(V_MIN_U16, lowest(A16, B16))
REF(V_MAX_I16, (u16)highest(SA16, SB16))
REF(V_MIN_I16, (u16)lowest(SA16, SB16))
REF(V_ADD_I16, (A16 + B16) & 0xffff)
REF(V_SUB_I16, (A16 - B16) & 0xffff)
REF(V_MAD_U16, (A16 * B16 + C16) & 0xffff)
REF(V_MAD_I16, (A16 * B16 + C16) & 0xffff)
REF(V_MAD_LEGACY_U16, (A16 * B16 + C16) & 0xffff)
REF(V_MAD_LEGACY_I16, (A16 * B16 + C16) & 0xffff)
REF(V_MIN3_I16, (u16)lowest(lowest(SA16, SB16), SC16))
REF(V_MAX3_I16, (u16)highest(highest(SA16, SB16), SC16))
REF(V_MED3_I16, (u16)median(SA16, SB16, SC16))
REF(V_MIN3_U16, lowest(lowest(A16, B16), C16))
REF(V_MAX3_U16, highest(highest(A16, B16), C16))
REF(V_MED3_U16, median(A16, B16, C16))
REF(V_PK_MAD_I16, two(A16 * B16 + C16, (A32 >> 16) * (B32 >> 16) + (C32 >> 16)))
REF(V_PK_MAD_U16, two(A16 * B16 + C16, (A32 >> 16) * (B32 >> 16) + (C32 >> 16)))
REF(V_PK_MUL_LO_U16, PKU(mul))
REF(V_PK_ADD_I16, PK(add))
REF(V_PK_SUB_I16, PK(sub))
REF(V_PK_ADD_U16, PKU(add))
REF(V_PK_SUB_U16, PKU(sub))
REF(V_PK_LSHLREV_B16, PKU(shl))
REF(V_PK_LSHRREV_B16, PKU(shr))
REF(V_PK_ASHRREV_I16, PK(shr))
REF(V_PK_MAX_I16, PK(highest))
REF(V_PK_MIN_I16, PK(lowest))
REF(V_PK_MAX_U16, PKU(highest))
REF(V_PK_MIN_U16, PKU(lowest))
REF(V_DOT2_I32_I16, (u32)(dot(A32, B32, 16, true) + SC))
REF(V_DOT2_U32_U16, (u32)(dot(A32, B32, 16, false) + C32))
REF(V_DOT4_I32_I8, (u32)(dot(A32, B32, 8, true) + SC))
REF(V_DOT4_U32_U8, (u32)(dot(A32, B32, 8, false) + C32))
REF(V_DOT8_I32_I4, (u32)(dot(A32, B32, 4, true) + SC))
REF(V_DOT8_U32_U4, (u32)(dot(A32, B32, 4, false) + C32))
REF(V_DOT2C_I32_I16, (u32)(dot(A32, B32, 16, true) + SC))
REF(V_DOT4C_I32_I8, (u32)(dot(A32, B32, 8, true) + SC))
REF(V_DOT8C_I32_I4, (u32)(dot(A32, B32, 4, true) + SC))
REF(V_CNDMASK_B32, in->cin ? B32 : A32)
REF(V_MBCNT_LO_U32_B32, (u32)(below(A32, in->lane, 0) + B32))
REF(V_MBCNT_HI_U32_B32, (u32)(below(A32, in->lane, 32) + B32))
REF(V_ACCVGPR_READ_B32, A32)
REF(V_ACCVGPR_WRITE_B32, A32)
REF(V_ACCVGPR_MOV_B32, A32)
REF(V_PK_MOV_B32, (u32)A64 | B64 << 32)

REFX(V_ADD_CO_U32, carry(o, (u64)A32 + B32))
REFX(V_SUB_CO_U32, carry(o, (u64)A32 - B32))
REFX(V_SUBREV_CO_U32, carry(o, (u64)B32 - A32))
REFX(V_ADDC_CO_U32, carry(o, (u64)A32 + B32 + in->cin))
REFX(V_SUBB_CO_U32, carry(o, (u64)A32 - B32 - in->cin))
REFX(V_SUBBREV_CO_U32, carry(o, (u64)B32 - A32 - in->cin))
REFX(V_MAD_U64_U32, {
	unsigned __int128 r = (unsigned __int128)A32 * B32 + C64;

	o->d = (u64)r;
	o->mask = r >> 64 & 1;
})
REFX(V_MAD_I64_I32, {
	__int128 r = (__int128)SA * SB + (s64)C64;

	o->d = (u64)r;
	o->mask = r >> 64 & 1;
})

#define CMP_REF(T, a, b, ne, tru)					\
REFC(F_##T, false)							\
REFC(LT_##T, a < b)							\
REFC(EQ_##T, a == b)							\
REFC(LE_##T, a <= b)							\
REFC(GT_##T, a > b)							\
REFC(ne##_##T, a != b)							\
REFC(GE_##T, a >= b)							\
REFC(tru##_##T, true)
CMP_REF(I32, SA, SB, NE, T)
CMP_REF(U32, A32, B32, NE, T)
CMP_REF(I64, (s64)A64, (s64)B64, NE, T)
CMP_REF(U64, A64, B64, NE, T)
CMP_REF(I16, SA16, SB16, NE, T)
CMP_REF(U16, A16, B16, NE, T)
