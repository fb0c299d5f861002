/* SPDX-License-Identifier: MIT */
/* Programs of one work-item: control flow, calls, private memory, larger ones. See items.h. */
#ifndef ITEMS_CODE_H
#define ITEMS_CODE_H

#include "item.h"

/* ---- control flow ---- */

ITEM(collatz)
{
	u32 v = (u32)a & 0xffff, n = 0;

	v |= 1;
	while (v != 1 && n < 300) {
		v = v & 1 ? 3 * v + 1 : v >> 1;
		n++;
	}
	return (u64)n << 32 | (i ^ ((u32)b & 0));
}

ITEM(branchy)
{
	u32 x = (u32)a, n, r = i;

	for (n = 0; n < 40; n++) {
		switch ((x >> (n & 15)) & 7) {
		case 0:
			r += n;
			break;
		case 1:
			r ^= (u32)b;
			if (r & 0x100)
				continue;
			r += 3;
			break;
		case 2:
			r = r << 3 | r >> 29;
			fallthrough_3:
			r -= x;
			break;
		case 3:
			if (n > 20)
				goto out;
			goto fallthrough_3;
		case 5:
			if (r % 7 == 3)
				return (u64)r << 8;
			break;
		default:
			x = x * 1664525 + 1013904223;
		}
		if (n == (u32)(b & 63))
			break;
	}
out:
	return (u64)r << 32 | n;
}

ITEM(nested)
{
	u32 n = (u32)a & 7, m = (u32)b & 7, j, k, l, r = 0;

	for (j = 0; j <= n; j++) {
		for (k = j; k < m; k++) {
			if (((j ^ k) & 3) == 2)
				continue;
			for (l = 0; l < (i & 3); l++) {
				r += j * 100 + k * 10 + l;
				if (r & 0x40)
					break;
			}
		}
	}
	return r;
}

/* ---- functions and private memory ---- */

#ifndef __OPENCL_C_VERSION__	/* which has neither recursion nor pointers to code */
static NOINLINE u32 fib(u32 n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

ITEM(recurse) { return (u64)fib((u32)a & 7) << 32 | (i ^ ((u32)b & 0)); }

static NOINLINE u32 sum_down(u32 n, u32 *p)
{
	u32 x[8], k;

	for (k = 0; k < 8; k++)
		x[k] = p[k] + n * k;
	if (!n)
		return x[3] + x[7];
	return sum_down(n - 1, x) + x[n & 7];
}

ITEM(scratch_rec)
{
	u32 x[8], k;

	for (k = 0; k < 8; k++)
		x[k] = (u32)(a >> k * 5) & 0xff;
	return sum_down((u32)b & 7, x) + (u64)i;
}

typedef u32 (*op_fn)(u32, u32);
static NOINLINE u32 op_add(u32 x, u32 y) { return x + y; }
static NOINLINE u32 op_mul(u32 x, u32 y) { return x * y; }
static NOINLINE u32 op_mix(u32 x, u32 y) { return (x ^ y) * 0x9e3779b1u; }

/* Calls through pointers that differ between lanes. */
ITEM(indirect)
{
	u32 r = i, k;

	for (k = 0; k < 8; k++) {
		u32 n = (u32)(a >> k * 2) & 3;
		op_fn f = n == 0 ? op_add : n == 1 ? op_mul : op_mix;

		r = f(r, (u32)b + k);
	}
	return r;
}

/* Ackermann-like: calls in arguments. */
static NOINLINE u32 hyper(u32 m, u32 n)
{
	if (!m)
		return n + 1;
	if (!n)
		return hyper(m - 1, 1);
	return hyper(m - 1, hyper(m, n - 1));
}

ITEM(ackermann) { return (u64)hyper((u32)a % 3, (u32)b & 3) << 32 | i; }
#endif

ITEM(private_array)
{
	u32 x[32], k;
	u8 c[64];
	u16 s[16];
	u64 r = i;

	for (k = 0; k < 32; k++)
		x[(k * 7 + (u32)a) & 31] = k * (u32)b;
	for (k = 0; k < 64; k++)
		c[k ^ ((u32)b & 63)] = (u8)(a >> (k & 56)) + (u8)k;
	for (k = 0; k < 16; k++)
		s[(k + (u32)(a >> 8)) & 15] = (u16)(x[k * 2] ^ c[k * 3]);
	for (k = 0; k < 32; k++)
		r = r * 33 + x[(u32)(b >> (k & 31)) & 31] + c[x[k] & 63] + s[k & 15];
	return r;
}

ITEM(sort_private)
{
	u32 x[16], k, j;
	u64 r = i;

	for (k = 0; k < 16; k++)
		x[k] = (u32)((a >> k) * 2654435761u ^ (b << k));
	for (k = 1; k < 16; k++) {
		u32 v = x[k];

		for (j = k; j && x[j - 1] > v; j--)
			x[j] = x[j - 1];
		x[j] = v;
	}
	for (k = 0; k < 16; k++)
		r = r * 0x100000001b3UL ^ x[k];
	return r;
}

/* Decimal digits of a value, as printf would put them, hashed. */
static NOINLINE u32 print_u64(u8 *buf, u64 v)
{
	u32 n = 0, k;
	u8 t[20];

	do {
		t[n++] = (u8)('0' + v % 10);
		v /= 10;
	} while (v);
	for (k = 0; k < n; k++)
		buf[k] = t[n - 1 - k];
	return n;
}

ITEM(print_int)
{
	u8 buf[24];
	u64 r = 5381;
	u32 n = print_u64(buf, a >> (b & 63)), k;

	for (k = 0; k < n; k++)
		r = r * 33 + buf[k];
	return r + i;
}

ITEM(print_float)
{
	double x = U2D((a & 0x000fffffffffffffUL) | (0x3f0UL + (b & 0x1f)) << 52);
	u64 ip = (u64)x, fp = (u64)((x - (double)ip) * 1e9), r = 5381;
	u8 buf[24];
	u32 n = print_u64(buf, ip), k;

	for (k = 0; k < n; k++)
		r = r * 33 + buf[k];
	n = print_u64(buf, fp + 1000000000);
	for (k = 1; k < n; k++)
		r = r * 33 + buf[k];
	return r + i;
}

/* ---- larger ones ---- */

TABLE u32 sha_k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2
};

#define ROR(x, n)	((x) >> (n) | (x) << (32 - (n)))

/* SHA-256 of the 16 bytes a, b; the first 8 bytes of the digest. */
ITEM(sha256)
{
	u32 h[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	u32 v[8], w[16], k, t1, t2;

	for (k = 0; k < 16; k++)
		w[k] = 0;
	w[0] = (u32)(a >> 32);
	w[1] = (u32)a;
	w[2] = (u32)(b >> 32);
	w[3] = (u32)b ^ i;
	w[4] = 0x80000000;
	w[15] = 128;
	for (k = 0; k < 8; k++)
		v[k] = h[k];
	for (k = 0; k < 64; k++) {
		if (k >= 16) {
			u32 x = w[(k + 1) & 15], y = w[(k + 14) & 15];

			w[k & 15] += (ROR(x, 7) ^ ROR(x, 18) ^ x >> 3) + w[(k + 9) & 15] +
				     (ROR(y, 17) ^ ROR(y, 19) ^ y >> 10);
		}
		t1 = v[7] + (ROR(v[4], 6) ^ ROR(v[4], 11) ^ ROR(v[4], 25)) +
		     ((v[4] & v[5]) ^ (~v[4] & v[6])) + sha_k[k] + w[k & 15];
		t2 = (ROR(v[0], 2) ^ ROR(v[0], 13) ^ ROR(v[0], 22)) +
		     ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
		v[7] = v[6];
		v[6] = v[5];
		v[5] = v[4];
		v[4] = v[3] + t1;
		v[3] = v[2];
		v[2] = v[1];
		v[1] = v[0];
		v[0] = t1 + t2;
	}
	return (u64)(h[0] + v[0]) << 32 | (h[1] + v[1]);
}

#define MANDEL(name, T)							\
ITEM(name)								\
{									\
	T cx = (T)((s32)((u32)a & 1023) - 700) / (T)400;		\
	T cy = (T)((s32)((u32)b & 1023) - 512) / (T)400, x = 0, y = 0;	\
	u32 n;								\
									\
	for (n = 0; n < 100; n++) {					\
		T xx = x * x, yy = y * y, xy = x * y, s = xx + yy;	\
									\
		if (s > (T)4)						\
			break;						\
		x = xx - yy;						\
		x = x + cx;						\
		y = xy + xy;						\
		y = y + cy;						\
	}								\
	return (u64)n << 32 | (i ^ 0x55);				\
}
MANDEL(mandel_f32, float)
MANDEL(mandel_f64, double)
MANDEL(mandel_f16, half)

/* xorshift-driven Monte Carlo pi, integer compare. */
ITEM(montecarlo)
{
	u32 x = (u32)a | 1, hits = 0, n;

	for (n = 0; n < 64; n++) {
		u32 u, v;

		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		u = x & 0xffff;
		v = x >> 16;
		hits += u * u / 2 + v * v / 2 < 0x7fff8000u;
	}
	return (u64)hits << 32 | (i ^ ((u32)b & 0));
}

/* Newton iterations in double, Horner in float. */
ITEM(newton)
{
	double x = (double)(u32)a + 1.0, r = x;
	float f = 0, y = (float)((u32)b & 0xffff) * 0.0001f;
	int n;

	for (n = 0; n < 40; n++)
		r = (r + x / r) * 0.5;
	for (n = 0; n < 12; n++)
		f = f * y + (float)(n + 1);
	return D2U(r) ^ (u64)F2U(f) << 16 ^ i;
}

/* ---- AES-128, FIPS-197: byte tables, rotations, carry-less doubling ---- */

TABLE u8 aes_sbox[256] = {
	0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5, 0x30, 0x01, 0x67, 0x2b,
	0xfe, 0xd7, 0xab, 0x76, 0xca, 0x82, 0xc9, 0x7d, 0xfa, 0x59, 0x47, 0xf0,
	0xad, 0xd4, 0xa2, 0xaf, 0x9c, 0xa4, 0x72, 0xc0, 0xb7, 0xfd, 0x93, 0x26,
	0x36, 0x3f, 0xf7, 0xcc, 0x34, 0xa5, 0xe5, 0xf1, 0x71, 0xd8, 0x31, 0x15,
	0x04, 0xc7, 0x23, 0xc3, 0x18, 0x96, 0x05, 0x9a, 0x07, 0x12, 0x80, 0xe2,
	0xeb, 0x27, 0xb2, 0x75, 0x09, 0x83, 0x2c, 0x1a, 0x1b, 0x6e, 0x5a, 0xa0,
	0x52, 0x3b, 0xd6, 0xb3, 0x29, 0xe3, 0x2f, 0x84, 0x53, 0xd1, 0x00, 0xed,
	0x20, 0xfc, 0xb1, 0x5b, 0x6a, 0xcb, 0xbe, 0x39, 0x4a, 0x4c, 0x58, 0xcf,
	0xd0, 0xef, 0xaa, 0xfb, 0x43, 0x4d, 0x33, 0x85, 0x45, 0xf9, 0x02, 0x7f,
	0x50, 0x3c, 0x9f, 0xa8, 0x51, 0xa3, 0x40, 0x8f, 0x92, 0x9d, 0x38, 0xf5,
	0xbc, 0xb6, 0xda, 0x21, 0x10, 0xff, 0xf3, 0xd2, 0xcd, 0x0c, 0x13, 0xec,
	0x5f, 0x97, 0x44, 0x17, 0xc4, 0xa7, 0x7e, 0x3d, 0x64, 0x5d, 0x19, 0x73,
	0x60, 0x81, 0x4f, 0xdc, 0x22, 0x2a, 0x90, 0x88, 0x46, 0xee, 0xb8, 0x14,
	0xde, 0x5e, 0x0b, 0xdb, 0xe0, 0x32, 0x3a, 0x0a, 0x49, 0x06, 0x24, 0x5c,
	0xc2, 0xd3, 0xac, 0x62, 0x91, 0x95, 0xe4, 0x79, 0xe7, 0xc8, 0x37, 0x6d,
	0x8d, 0xd5, 0x4e, 0xa9, 0x6c, 0x56, 0xf4, 0xea, 0x65, 0x7a, 0xae, 0x08,
	0xba, 0x78, 0x25, 0x2e, 0x1c, 0xa6, 0xb4, 0xc6, 0xe8, 0xdd, 0x74, 0x1f,
	0x4b, 0xbd, 0x8b, 0x8a, 0x70, 0x3e, 0xb5, 0x66, 0x48, 0x03, 0xf6, 0x0e,
	0x61, 0x35, 0x57, 0xb9, 0x86, 0xc1, 0x1d, 0x9e, 0xe1, 0xf8, 0x98, 0x11,
	0x69, 0xd9, 0x8e, 0x94, 0x9b, 0x1e, 0x87, 0xe9, 0xce, 0x55, 0x28, 0xdf,
	0x8c, 0xa1, 0x89, 0x0d, 0xbf, 0xe6, 0x42, 0x68, 0x41, 0x99, 0x2d, 0x0f,
	0xb0, 0x54, 0xbb, 0x16,
};

static u32 aes_sub(u32 x)
{
	return aes_sbox[x & 255] | aes_sbox[x >> 8 & 255] << 8 |
	       aes_sbox[x >> 16 & 255] << 16 | (u32)aes_sbox[x >> 24] << 24;
}

static u32 aes_mix(u32 x)
{
	u32 d = (x & 0x7f7f7f7f) << 1 ^ ((x >> 7 & 0x01010101) * 0x1b);

	return d ^ (x >> 8 | x << 24) ^ (x >> 16 | x << 16) ^ (x >> 24 | x << 8) ^
	       (d >> 8 | d << 24);
}

/* The next round key. */
static void aes_expand(u32 *k, u32 rcon)
{
	k[0] ^= aes_sub(k[3] >> 8 | k[3] << 24) ^ rcon;
	k[1] ^= k[0];
	k[2] ^= k[1];
	k[3] ^= k[2];
}

/* Encrypts a block of four little-endian words with a 128-bit key. */
static NOINLINE void aes128(u32 *s, u32 *k)
{
	u32 t[4], rcon = 1, n, c;

	for (c = 0; c < 4; c++)
		s[c] ^= k[c];
	for (n = 1; n <= 10; n++) {
		aes_expand(k, rcon);
		rcon = rcon << 1 ^ (rcon >> 7) * 0x11b;
		for (c = 0; c < 4; c++)
			t[c] = aes_sub((s[c] & 0xff) | (s[(c + 1) & 3] & 0xff00) |
				       (s[(c + 2) & 3] & 0xff0000) |
				       (s[(c + 3) & 3] & 0xff000000));
		for (c = 0; c < 4; c++)
			s[c] = (n < 10 ? aes_mix(t[c]) : t[c]) ^ k[c];
	}
}

ITEM(aes)
{
	u32 s[4] = { (u32)a, (u32)(a >> 32), i, ~i };
	u32 k[4] = { (u32)b, (u32)(b >> 32), 0x5a5a5a5a, i * 2654435761u };

	aes128(s, k);
	return (s[0] | (u64)s[1] << 32) ^ (s[2] | (u64)s[3] << 32) * 0x9e3779b97f4a7c15UL;
}

#endif /* ITEMS_CODE_H */
