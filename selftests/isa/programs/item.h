/* SPDX-License-Identifier: MIT */
/*
 * Programs of one work-item (items.h) are compiled as OpenCL C and as C. This is where the two
 * languages differ, and how results that are NaNs are made comparable.
 */
#ifndef ITEM_H
#define ITEM_H

#ifdef __OPENCL_C_VERSION__
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef unsigned char u8;
typedef char s8;
typedef unsigned short u16;
typedef short s16;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long u64;
typedef long s64;
#define TABLE		constant
#define F2U(f)		__builtin_astype((f), u32)
#define U2F(u)		__builtin_astype((u32)(u), float)
#define D2U(d)		__builtin_astype((d), u64)
#define U2D(u)		__builtin_astype((u64)(u), double)
#define H2U(h)		__builtin_astype((h), u16)
#define U2H(u)		__builtin_astype((u16)(u), half)
#else
#include <stdint.h>
typedef uint8_t u8;
typedef int8_t s8;
typedef uint16_t u16;
typedef int16_t s16;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;
typedef _Float16 half;
#define TABLE		static const
static inline u32 F2U(float f) { union { float f; u32 u; } x = { .f = f }; return x.u; }
static inline float U2F(u32 u) { union { float f; u32 u; } x = { .u = u }; return x.f; }
static inline u64 D2U(double f) { union { double f; u64 u; } x = { .f = f }; return x.u; }
static inline double U2D(u64 u) { union { double f; u64 u; } x = { .u = u }; return x.f; }
static inline u16 H2U(half f) { union { half f; u16 u; } x = { .f = f }; return x.u; }
static inline half U2H(u32 u) { union { half f; u16 u; } x = { .u = (u16)u }; return x.f; }
#endif

#define NOINLINE	__attribute__((noinline))
#define ITEM(name)	static u64 name(u32 i, u64 a, u64 b)

/* NaNs compare by being NaN: the payload rules have their own tests. */
static u32 canon32(u32 v)
{
	return (v & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : v;
}

static u64 canon64(u64 v)
{
	return (v & 0x7fffffffffffffffUL) > 0x7ff0000000000000UL ?
	       0x7ff8000000000000UL : v;
}

static u16 canon16(u16 v)
{
	return (v & 0x7fff) > 0x7c00 ? 0x7e00 : v;
}

#endif /* ITEM_H */
