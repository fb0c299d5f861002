/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Integer operations that run one lane at a time. Values are zero-extended,
 * signed ones sign-extended. Sources: the pseudo-code of AMD's CDNA documents.
 */

#define low_u16(x)	((x) & 0xffff)
#define high_u16(x)	((x) >> 16)
#define low_s16(x)	((s32)(s16)(x))
#define high_s16(x)	((s32)(x) >> 16)

static __always_inline u32 pk2(u32 lo, u32 hi) { return (lo & 0xffff) | hi << 16; }
static __always_inline u32 int_min(u32 a, u32 b) { return a < b ? a : b; }
static __always_inline s32 s32_min(s32 a, s32 b) { return a < b ? a : b; }
static __always_inline s32 s32_max(s32 a, s32 b) { return a > b ? a : b; }

static __always_inline s64 s64_clamp(s64 x, s64 lo, s64 hi)
{
	return x < lo ? lo : x > hi ? hi : x;
}

static __always_inline u32 int_sat_u8(s32 x) { return (u32)s32_max(0, s32_min(x, 255)); }

static __always_inline u32 int_sat_i16(s32 x)
{
	return (u32)s32_max(-32768, s32_min(x, 32767));
}

/* Leading bits equal to the sign; -1 if all are. */
static __always_inline u32 int_ffbh_i32(u32 a)
{
	u32 x = a ^ (u32)((s32)a >> 31);

	return x ? (u32)__builtin_clz(x) : ~0u;
}

static __always_inline u32 int_perm_byte(u64 data, u32 sel)
{
	if (sel >= 13)
		return 0xff;
	if (sel == 12)
		return 0;
	if (sel >= 8)	/* sign of byte 1, 3, 5 or 7 */
		return data >> (16 * (sel - 8) + 15) & 1 ? 0xff : 0;
	return data >> (8 * sel) & 0xff;
}

static u32 int_perm(u32 a, u32 b, u32 c)
{
	u64 data = (u64)a << 32 | b;

	return int_perm_byte(data, c & 0xff) | int_perm_byte(data, c >> 8 & 0xff) << 8 |
	       int_perm_byte(data, c >> 16 & 0xff) << 16 | int_perm_byte(data, c >> 24) << 24;
}

static __always_inline u32 int_lerp_u8(u32 a, u32 b, u32 c)
{
	u32 r = 0, k;

	for (k = 0; k < 32; k += 8)
		r |= ((a >> k & 255) + (b >> k & 255) + (c >> k & 1)) >> 1 << k;
	return r;
}

static __always_inline u32 int_absdiff(u32 a, u32 b) { return a > b ? a - b : b - a; }

static __always_inline u32 int_sad_u8(u32 a, u32 b)
{
	u32 r = 0, k;

	for (k = 0; k < 32; k += 8)
		r += int_absdiff(a >> k & 255, b >> k & 255);
	return r;
}

static __always_inline u32 int_sad_u16(u32 a, u32 b)
{
	return int_absdiff(low_u16(a), low_u16(b)) + int_absdiff(high_u16(a), high_u16(b));
}

/* Bytes that are 0 in the reference @b do not count. */
static __always_inline u32 int_msad_u8(u32 a, u32 b)
{
	u32 r = 0, k;

	for (k = 0; k < 32; k += 8)
		r += b >> k & 255 ? int_absdiff(a >> k & 255, b >> k & 255) : 0;
	return r;
}

static u64 int_qsad(u64 a, u32 b, u64 c, bool masked)
{
	u64 r = 0;
	unsigned int k;

	for (k = 0; k < 4; k++) {
		u32 x = (u32)(a >> 8 * k), s = masked ? int_msad_u8(x, b) : int_sad_u8(x, b);

		r |= ((s + (c >> 16 * k)) & 0xffff) << 16 * k;
	}
	return r;
}

/* Sum of products of @bits wide fields, modulo 2^32 */
static __always_inline u32 int_dot(u32 a, u32 b, u32 bits, bool sign)
{
	u32 r = 0, k, up = 32 - bits;

	for (k = 0; k < 32; k += bits) {
		u32 x = a << (up - k), y = b << (up - k);

		if (sign)
			r += (u32)(((s32)x >> up) * ((s32)y >> up));
		else
			r += (x >> up) * (y >> up);
	}
	return r;
}

static __always_inline s64 int_dot_s64(u32 a, u32 b, u32 bits, bool sign)
{
	s64 r = 0;
	u32 k, up = 32 - bits;

	for (k = 0; k < 32; k += bits) {
		u32 x = a << (up - k), y = b << (up - k);

		r += sign ? (s64)((s32)x >> up) * ((s32)y >> up) : (s64)(x >> up) * (y >> up);
	}
	return r;
}

/* Bytes 0 and 2 as two integers of 16 bits */
static __always_inline VI vi_bytes_u(VI a) { return vi_and(a, vi_splat(0x00ff00ff)); }
static __always_inline VI vi_bytes_i(VI a)
{
	return vi_add16(vi_xor(vi_bytes_u(a), vi_splat(0x00800080)), vi_splat(0xff80ff80));
}

static __always_inline VI vi_dot4_u8(VI a, VI b)
{
	return vi_add(vi_madd(vi_bytes_u(a), vi_bytes_u(b)),
		      vi_madd(vi_bytes_u(vi_srli(a, 8)), vi_bytes_u(vi_srli(b, 8))));
}

static __always_inline VI vi_dot4_i8(VI a, VI b)
{
	return vi_add(vi_madd(vi_bytes_i(a), vi_bytes_i(b)),
		      vi_madd(vi_bytes_i(vi_srli(a, 8)), vi_bytes_i(vi_srli(b, 8))));
}

static __always_inline s32 s32_med3(s32 a, s32 b, s32 c)
{
	return s32_max(s32_min(a, b), s32_min(s32_max(a, b), c));
}

/* The first one from above or below; -1 if there is none. */
static __always_inline u32 int_ffbh_u32(u32 a) { return a ? (u32)__builtin_clz(a) : ~0u; }
static __always_inline u32 int_ffbl_b32(u32 a) { return a ? (u32)__builtin_ctz(a) : ~0u; }

static __always_inline u32 int_sat_pk_u8_i16(u32 a)
{
	return int_sat_u8((s16)a) | int_sat_u8((s16)(a >> 16)) << 8;
}

static __always_inline u32 int_cvt_pk_u16_u32(u32 a, u32 b)
{
	return int_min(a, 0xffff) | int_min(b, 0xffff) << 16;
}

static __always_inline u32 int_cvt_pk_i16_i32(s32 a, s32 b)
{
	return (int_sat_i16(a) & 0xffff) | int_sat_i16(b) << 16;
}

/* What clamp makes of an exact result. */
static __always_inline u32 sat_u32(s64 x) { return x < 0 ? 0u : x > 0xffffffffll ? ~0u : (u32)x; }
static __always_inline s32 sat_i32(s64 x) { return (s32)s64_clamp(x, -0x80000000ll, 0x7fffffff); }
static __always_inline u32 sat_u16(s64 x) { return (u32)s64_clamp(x, 0, 0xffff); }
static __always_inline u32 sat_i16(s64 x) { return (u32)s64_clamp(x, -0x8000, 0x7fff); }

/* V_BITOP3: bit abc of @table, for bits a, b and c of the sources */
static u32 int_bitop3(u32 a, u32 b, u32 c, u32 table)
{
	u32 r = 0, n;

	for (n = 0; n < 8; n++)
		if (table >> n & 1)
			r |= (n & 4 ? a : ~a) & (n & 2 ? b : ~b) & (n & 1 ? c : ~c);
	return r;
}

/* V_ASHR_PK: two numbers shifted, each limited to a byte */
static u32 int_ashr_pk(s32 a, s32 b, u32 shift, s32 min, s32 max)
{
	s32 x = a >> (shift & 31), y = b >> (shift & 31);

	x = x < min ? min : x > max ? max : x;
	y = y < min ? min : y > max ? max : y;
	return (u32)(x & 0xff) | (u32)(y & 0xff) << 8;
}
