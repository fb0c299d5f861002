/* SPDX-License-Identifier: GPL-2.0-only */
/* What tab/prim_scalar.tab calls: functions of scalar values. */
#ifndef ISA_SALU_PRIM_H
#define ISA_SALU_PRIM_H

#include "isa_env.h"

static __always_inline bool salu_add_overflows(s32 a, s32 b)
{
	s32 d;

	return __builtin_add_overflow(a, b, &d);
}

static __always_inline bool salu_sub_overflows(s32 a, s32 b)
{
	s32 d;

	return __builtin_sub_overflow(a, b, &d);
}

static __always_inline u32 salu_mul_hi_u32(u32 a, u32 b)
{
	return (u32)(((u64)a * b) >> 32);
}

static __always_inline s32 salu_mul_hi_i32(s32 a, s32 b)
{
	return (s32)(((s64)a * b) >> 32);
}

/* @bits bits (at most 127) from bit @off on. */
static inline u64 salu_bitfield(u64 v, u32 off, u32 bits)
{
	v >>= off;
	return bits >= 64 ? v : v & ((1ull << bits) - 1);
}

/* The same of a signed value of @size bits: what lies above its end is its sign. */
static inline s64 salu_bitfield_signed(u64 v, u32 off, u32 bits, u32 size)
{
	if (!bits)
		return 0;
	if (off + bits > size)
		bits = size - off;
	return (s64)(v << (64 - off - bits)) >> (64 - bits);
}

static inline s32 salu_popcount(u64 v)
{
	v -= v >> 1 & 0x5555555555555555ull;
	v = (v & 0x3333333333333333ull) + (v >> 2 & 0x3333333333333333ull);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0full;
	return (s32)((v * 0x0101010101010101ull) >> 56);
}

/* The lowest one, counted from the low end; -1: there is none. */
static __always_inline s32 salu_find_low(u64 v)
{
	return v ? __builtin_ctzll(v) : -1;
}

/* The highest one, counted from the high end; -1: there is none. */
static __always_inline s32 salu_find_high_u64(u64 v)
{
	return v ? __builtin_clzll(v) : -1;
}

static __always_inline s32 salu_find_high_u32(u32 v)
{
	return v ? __builtin_clz(v) : -1;
}

static inline u64 salu_bitreverse(u64 v)
{
	v = __builtin_bswap64(v);
	v = (v >> 4 & 0x0f0f0f0f0f0f0f0full) | (v & 0x0f0f0f0f0f0f0f0full) << 4;
	v = (v >> 2 & 0x3333333333333333ull) | (v & 0x3333333333333333ull) << 2;
	return (v >> 1 & 0x5555555555555555ull) | (v & 0x5555555555555555ull) << 1;
}

/* A quad is on if any of its four lanes is. */
static inline u64 salu_whole_quads(u64 v)
{
	v |= v >> 2 & 0x3333333333333333ull;
	v |= v >> 1 & 0x1111111111111111ull;
	return (v & 0x1111111111111111ull) * 15;
}

/* The same, a bit a quad. */
static inline u64 salu_quad_mask(u64 v)
{
	u64 q = salu_whole_quads(v) & 0x1111111111111111ull, d = 0;
	u32 n;

	for (n = 0; n < 16; n++)
		d |= (q >> (4 * n) & 1) << n;
	return d;
}

/* Each bit twice. */
static inline u64 salu_bitreplicate(u32 v)
{
	u64 d = 0;
	u32 n;

	for (n = 0; n < 32; n++)
		d |= (u64)(v >> n & 1) * 3 << (2 * n);
	return d;
}

#endif /* ISA_SALU_PRIM_H */
