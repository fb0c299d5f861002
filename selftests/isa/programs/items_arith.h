/* SPDX-License-Identifier: MIT */
/* Programs of one work-item: integers, bits, floats, conversions. See items.h. */
#ifndef ITEMS_ARITH_H
#define ITEMS_ARITH_H

#include "item.h"

/* ---- 64-bit integers ---- */

ITEM(mul64) { return a * b + (u64)i; }
ITEM(udiv64) { return b ? a / b : i; }
ITEM(urem64) { return b ? a % b : i; }
ITEM(sdiv64)
{
	s64 d = (s64)b >> (i & 63);

	return d && d != -1 ? (u64)((s64)a / d) + (u64)((s64)a % d) * 3 : i;
}

ITEM(div32)
{
	u32 x = (u32)a, y = (u32)b | 1;
	s32 s = (s32)(a >> 32), t = (s32)(b >> 33) | 1;

	return (u64)(x / y + x % y * 7) << 32 | (u32)(s / t - s % t * 5);
}

ITEM(div16)
{
	u16 x = (u16)a, y = (u16)b | 1;
	s8 s = (s8)(a >> 20), t = (s8)((b >> 33 & 63) | 1);

	return (u64)(x / y) << 32 | (u32)(x % y) << 16 | (u8)(s / t + s % t);
}

ITEM(shift64)
{
	u32 n = (u32)b & 63;

	return (a << n) ^ (a >> (63 - n)) ^ (u64)((s64)a >> n) ^ (a << (i & 63));
}

ITEM(mulhi64)
{
	u64 al = (u32)a, ah = a >> 32, bl = (u32)b, bh = b >> 32;
	u64 m = ah * bl + (al * bl >> 32), n = al * bh + (u32)m;

	return ah * bh + (m >> 32) + (n >> 32) + i;
}

ITEM(gcd64)
{
	while (b) {
		u64 t = a % b;

		a = b;
		b = t;
	}
	return a ^ i;
}

ITEM(modpow)
{
	u64 m = 4294967291u, r = 1, x = a % m, e = b & 0xfff;

	while (e) {
		if (e & 1)
			r = r * x % m;
		x = x * x % m;
		e >>= 1;
	}
	return r + i;
}

ITEM(minmax64)
{
	s64 x = (s64)a, y = (s64)b;

	return (u64)(x < y ? x : y) + (a > b ? a : b) * 3 + (u64)(x > y) + (a <= b ? i : 0);
}

ITEM(isqrt64)
{
	u64 r = 0, bit = 1UL << 62;

	while (bit) {
		if (a >= r + bit) {
			a -= r + bit;
			r = (r >> 1) + bit;
		} else {
			r >>= 1;
		}
		bit >>= 2;
	}
	return r * 2 + (b & 1) + i;
}

/* 256-bit multiply-accumulate with carries. */
ITEM(bigint)
{
	u64 x[4], r[4] = { 0, 0, 0, 0 };
	u32 k, j;

	for (k = 0; k < 4; k++)
		x[k] = (a ^ (u64)k * b) + k;
	for (k = 0; k < 4; k++) {
		u64 carry = 0;

		for (j = 0; j + k < 4; j++) {
			u64 y = x[j], lo = (u32)y * (b & 0xffffffff);
			u64 hi = (y >> 32) * (b & 0xffffffff) + (lo >> 32);
			u64 p = (hi << 32) | (lo & 0xffffffff), s = r[j + k] + p;
			u64 c = s < p;

			s += carry;
			c += s < carry;
			r[j + k] = s;
			carry = c + (hi >> 32);
		}
	}
	return r[0] ^ r[1] ^ r[2] ^ r[3] ^ i;
}

/* ---- bits ---- */

ITEM(bits)
{
	u32 x = (u32)a, y = (u32)b, n = 0, k;
	u64 r;

	r = (u64)__builtin_popcount(x) + ((u64)__builtin_popcountl(a) << 8);
	r += (u64)(x ? __builtin_clz(x) : 32) << 16;
	r += (u64)(y ? __builtin_ctz(y) : 32) << 24;
	r += (u64)(a ? __builtin_clzl(a) : 64) << 32;
	r += (u64)(b ? __builtin_ctzl(b) : 64) << 40;
	for (k = 0; k < 32; k++)
		n |= (x >> k & 1) << (31 - k);
	return r ^ ((u64)n << 32) ^ (x >> 7 & 0x1ff) ^ ((u32)((s32)(y << 11) >> 20)) ^ i;
}

ITEM(bytes)
{
	u32 x = (u32)a, y = (u32)b, r = 0, k;

	for (k = 0; k < 4; k++) {
		u8 p = (u8)(x >> 8 * k), q = (u8)(y >> 8 * k);

		r = r * 31 + (p > q ? p : q) * 3 + (u8)(p * q) + (s8)p;
	}
	x = x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24;
	return (u64)r << 32 | (x + i);
}

ITEM(rotate)
{
	u32 x = (u32)a, n = (u32)b & 31;

	x = x << n | x >> ((32 - n) & 31);
	x ^= x << 13 | x >> 19;
	return (u64)(x * 0x9e3779b1u) << 32 | ((a << 17 | a >> 47) & 0xffffffff) | (i & 0);
}

ITEM(i24)
{
	s32 x = (s32)(a << 40 >> 40), y = (s32)((b & 0xffffff) ^ 0x800000) - 0x800000;

	return (u64)(u32)((x & 0xffffff) * (y & 0xff)) << 32 | (u32)(y * (s32)(i & 0xff) + x);
}

ITEM(narrow)
{
	u16 x = (u16)a, y = (u16)b, z = (u16)(a >> 16);
	s16 s = (s16)x, t = (s16)y;
	u16 r = (u16)(x * y + z);

	r ^= (u16)(s < t ? s : t);
	r += (u16)(x > z ? x : z);
	r = (u16)(r << (y & 7)) | (u16)(r >> (z & 3));
	return (u64)r << 16 | (u16)(s >> (y & 15)) | (u64)i << 48;
}

TABLE u32 crc_poly[2] = { 0xedb88320u, 0x82f63b78u };

ITEM(crc32)
{
	u32 c = ~0u, k, n;

	for (k = 0; k < 8; k++) {
		c ^= (u8)(a >> 8 * k);
		for (n = 0; n < 8; n++)
			c = c & 1 ? c >> 1 ^ crc_poly[b & 1] : c >> 1;
	}
	return (u64)~c << 8 | (i & 0xff);
}

/* ---- f32 and f64 ---- */

ITEM(fadd32)
{
	float x = U2F((u32)a), y = U2F((u32)b);
	u32 r = canon32(F2U(x + y)), s = canon32(F2U(x - y));

	return (u64)r << 32 | (s ^ (i & 0));
}

ITEM(fmul32) { return canon32(F2U(U2F((u32)a) * U2F((u32)b))) | (u64)i << 32; }
ITEM(fdiv32) { return canon32(F2U(U2F((u32)a) / U2F((u32)b))) | (u64)i << 32; }
ITEM(fsqrt32) { return canon32(F2U(__builtin_sqrtf(U2F((u32)a)))) | (b & 0) | (u64)i << 32; }
ITEM(ffma32)
{
	return canon32(F2U(__builtin_fmaf(U2F((u32)a), U2F((u32)b), U2F((u32)(a >> 32))))) |
	       (u64)i << 32;
}

ITEM(fcmp32)
{
	float x = U2F((u32)a), y = U2F((u32)b);
	u64 r = (u64)(x < y) | (u64)(x <= y) << 1 | (u64)(x > y) << 2 | (u64)(x >= y) << 3;

	r |= (u64)(x == y) << 4 | (u64)(x != y) << 5 | (u64)__builtin_isnan(x) << 6;
	r |= (u64)__builtin_isunordered(x, y) << 7 | (u64)!(x < y) << 8;
	r |= (u64)__builtin_islessgreater(x, y) << 9 | (u64)__builtin_isinf(y) << 10;
	r |= (u64)__builtin_isfinite(x) << 11;
	return r | (u64)i << 32;
}

ITEM(fround32)
{
	float x = U2F((u32)a) , y = U2F(0x3f800000 | ((u32)b & 0x0fffffff));
	u64 r = canon32(F2U(__builtin_floorf(x)));

	r = r * 31 + canon32(F2U(__builtin_ceilf(y)));
	r = r * 31 + canon32(F2U(__builtin_truncf(x)));
	r = r * 31 + canon32(F2U(__builtin_rintf(y)));
	r = r * 31 + canon32(F2U(__builtin_fabsf(x)));
	r = r * 31 + canon32(F2U(__builtin_copysignf(x, y)));
	return r + i;
}

ITEM(fadd64)
{
	double x = U2D(a), y = U2D(b);

	return canon64(D2U(x + y)) * 3 + canon64(D2U(x - y)) + i;
}

ITEM(fmul64) { return canon64(D2U(U2D(a) * U2D(b))) + i; }
ITEM(fdiv64) { return canon64(D2U(U2D(a) / U2D(b))) + i; }
ITEM(fsqrt64) { return canon64(D2U(__builtin_sqrt(U2D(a)))) + (b & 0) + i; }
ITEM(ffma64) { return canon64(D2U(__builtin_fma(U2D(a), U2D(b), U2D(a ^ b)))) + i; }

ITEM(fcmp64)
{
	double x = U2D(a), y = U2D(b);
	u64 r = (u64)(x < y) | (u64)(x <= y) << 1 | (u64)(x == y) << 2 | (u64)(x != y) << 3;

	r |= (u64)__builtin_isnan(x) << 4 | (u64)!(x >= y) << 5 | (u64)__builtin_isinf(y) << 6;
	return r | (u64)i << 32;
}

ITEM(fround64)
{
	double x = U2D((a & 0x800fffffffffffffUL) | (0x3f0UL + (b & 0x4f)) << 52);
	u64 r = D2U(__builtin_floor(x));

	r = r * 31 + D2U(__builtin_ceil(x));
	r = r * 31 + D2U(__builtin_trunc(x));
	r = r * 31 + D2U(__builtin_rint(x));
	return r + i;
}

/* ---- conversions; inputs kept in range, what is outside is undefined in C ---- */

ITEM(cvt32)
{
	float x = U2F(((u32)a & 0x807fffff) | (0x70u + ((u32)b & 0x1f)) << 23);
	double d = (double)x;
	u64 r = (u32)(s32)x;

	r = r * 31 + (u32)(x < 0 ? -x : x);
	r = r * 31 + F2U((float)(s32)a);
	r = r * 31 + F2U((float)(u32)b);
	r = r * 31 + D2U(d);
	r = r * 31 + F2U((float)(u8)a);
	return r + i;
}

ITEM(cvt64)
{
	double x = U2D((a & 0x800fffffffffffffUL) | (0x3f0UL + (b & 0x1f)) << 52);
	u64 r = (u32)(s32)x;

	r = r * 31 + (u64)(s64)(x * 1048576.0);
	r = r * 31 + D2U((double)(s32)a);
	r = r * 31 + D2U((double)(u32)b);
	r = r * 31 + F2U((float)x);
	r = r * 31 + D2U((double)a);
	r = r * 31 + D2U((double)(s64)b);
	r = r * 31 + F2U((float)a);
	r = r * 31 + F2U((float)(s64)b);
	return r + i;
}

ITEM(cvt_narrow) { return canon32(F2U((float)U2D(a))) + (b & 0) + ((u64)i << 32); }

/* ---- f16; a statement an operation, each rounds ---- */

ITEM(half_ops)
{
	half x = U2H((u32)a), y = U2H((u32)b), s, d, m;
	u64 r;

	s = x + y;
	d = x - y;
	m = x * y;
	r = canon16(H2U(s)) | (u64)canon16(H2U(d)) << 16 | (u64)canon16(H2U(m)) << 32;
	return r | (u64)(x < y) << 48 | (u64)(x == y) << 49 | (u64)(x >= y) << 50 |
	       (u64)(i & 0xff) << 52;
}

ITEM(half_div)
{
	half x = U2H((u32)a), y = U2H((u32)b), q;

	q = x / y;
	return canon16(H2U(q)) | (u64)i << 32;
}

ITEM(half_cvt)
{
	float f = U2F((u32)a);
	half h = (half)f, k = (half)(s16)(b >> 5), g = U2H((u32)b);
	float w = (float)g;

	return canon16(H2U(h)) | (u64)canon16(H2U(k)) << 16 |
	       (u64)(canon32(F2U(w)) ^ (i & 0)) << 32;
}

#endif /* ITEMS_ARITH_H */
