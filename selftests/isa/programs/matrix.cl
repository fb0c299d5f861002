// SPDX-License-Identifier: MIT
/*
 * Matrix products with the matrix operations, a wave for each tile of the
 * result: C = A * B, all row by row, 64 x 64. References: matrix.c.
 */
typedef unsigned char u8;
typedef unsigned int u32;
typedef int s32;
typedef long s64;

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define SIDE	64u
#define TID	__builtin_amdgcn_workitem_id_x()
#define ROW	(__builtin_amdgcn_workgroup_id_y() * TILE)
#define COL	(__builtin_amdgcn_workgroup_id_x() * TILE)
#define WAVE	__attribute__((reqd_work_group_size(64, 1, 1))) kernel void
#define VECTOR(type, n)	__attribute__((ext_vector_type(n))) type

typedef VECTOR(float, 4) f32x4;
typedef VECTOR(float, 16) f32x16;
typedef VECTOR(half, 4) f16x4;
typedef VECTOR(short, 2) s16x2;
typedef VECTOR(short, 4) s16x4;
typedef VECTOR(double, 4) f64x4;
typedef VECTOR(int, 2) s32x2;
typedef VECTOR(int, 4) s32x4;
typedef VECTOR(int, 8) s32x8;

#if defined(__gfx942__) || defined(__gfx950__)
#define WIDE_BYTES	/* products of eight bytes of each lane, 8-bit floats */
#endif

/* Lane L holds four rows of a 16x16 result in one column. */
#define PUT16(c, d)							\
do {									\
	for (u32 r = 0; r < 4; r++)					\
		c[(ROW + TID / 16 * 4 + r) * SIDE + COL + TID % 16] = d[r];	\
} while (0)

#define TILE	16u

WAVE sgemm16(global float *c, global const float *a, global const float *b)
{
	f32x4 d = 0;

	for (u32 k = TID / 16; k < SIDE; k += 4)
		d = __builtin_amdgcn_mfma_f32_16x16x4f32(a[(ROW + TID % 16) * SIDE + k],
							 b[k * SIDE + COL + TID % 16], d, 0, 0, 0);
	PUT16(c, d);
}

#ifndef __gfx908__
/* Rows of a double result go to the lanes one by one. */
WAVE dgemm16(global double *c, global const double *a, global const double *b)
{
	f64x4 d = 0;

	for (u32 k = TID / 16; k < SIDE; k += 4)
		d = __builtin_amdgcn_mfma_f64_16x16x4f64(a[(ROW + TID % 16) * SIDE + k],
							 b[k * SIDE + COL + TID % 16], d, 0, 0, 0);
	for (u32 r = 0; r < 4; r++)
		c[(ROW + r * 4 + TID / 16) * SIDE + COL + TID % 16] = d[r];
}
#endif

WAVE hgemm16(global float *c, global const s32 *a, global const s32 *b)
{
	f32x4 d = 0;

	for (u32 k = TID / 16 * 4; k < SIDE; k += 16) {
		f16x4 x, y;

		for (u32 e = 0; e < 4; e++) {
			x[e] = (half)a[(ROW + TID % 16) * SIDE + k + e];
			y[e] = (half)b[(k + e) * SIDE + COL + TID % 16];
		}
		d = __builtin_amdgcn_mfma_f32_16x16x16f16(x, y, d, 0, 0, 0);
	}
	PUT16(c, d);
}

static short bf16(s32 x)
{
	return (short)(__builtin_astype((float)x, u32) >> 16);
}

WAVE bgemm16(global float *c, global const s32 *a, global const s32 *b)
{
	f32x4 d = 0;

#ifdef __gfx908__
	for (u32 k = TID / 16 * 2; k < SIDE; k += 8) {
		s16x2 x, y;

		for (u32 e = 0; e < 2; e++) {
			x[e] = bf16(a[(ROW + TID % 16) * SIDE + k + e]);
			y[e] = bf16(b[(k + e) * SIDE + COL + TID % 16]);
		}
		d = __builtin_amdgcn_mfma_f32_16x16x8bf16(x, y, d, 0, 0, 0);
	}
#else
	for (u32 k = TID / 16 * 4; k < SIDE; k += 16) {
		s16x4 x, y;

		for (u32 e = 0; e < 4; e++) {
			x[e] = bf16(a[(ROW + TID % 16) * SIDE + k + e]);
			y[e] = bf16(b[(k + e) * SIDE + COL + TID % 16]);
		}
		d = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(x, y, d, 0, 0, 0);
	}
#endif
	PUT16(c, d);
}

static s32 bytes(global const s32 *p, u32 step)
{
	return (s32)((u32)p[0] & 255) | (s32)((u32)p[step] & 255) << 8 |
	       (s32)((u32)p[2 * step] & 255) << 16 | p[3 * step] << 24;
}

WAVE igemm16(global s32 *c, global const s32 *a, global const s32 *b)
{
	s32x4 d = 0;

#ifdef WIDE_BYTES
	for (u32 k = TID / 16 * 8; k < SIDE; k += 32) {
		s32x2 x, y;

		for (u32 e = 0; e < 2; e++) {
			x[e] = bytes(a + (ROW + TID % 16) * SIDE + k + 4 * e, 1);
			y[e] = bytes(b + (k + 4 * e) * SIDE + COL + TID % 16, SIDE);
		}
		d = __builtin_amdgcn_mfma_i32_16x16x32_i8(__builtin_astype(x, s64),
							  __builtin_astype(y, s64), d, 0, 0, 0);
	}
#else
	for (u32 k = TID / 16 * 4; k < SIDE; k += 16)
		d = __builtin_amdgcn_mfma_i32_16x16x16i8(bytes(a + (ROW + TID % 16) * SIDE + k, 1),
							 bytes(b + k * SIDE + COL + TID % 16, SIDE),
							 d, 0, 0, 0);
#endif
	PUT16(c, d);
}

#ifdef WIDE_BYTES
/* Four small integers as 8-bit floats */
static s32 fp8(global const s32 *p, u32 step)
{
	s32 x = __builtin_amdgcn_cvt_pk_fp8_f32(p[0], p[step], 0, false);

	return __builtin_amdgcn_cvt_pk_fp8_f32(p[2 * step], p[3 * step], x, true);
}

WAVE fgemm16(global float *c, global const s32 *a, global const s32 *b)
{
	f32x4 d = 0;

	for (u32 k = TID / 16 * 8; k < SIDE; k += 32) {
		s32x2 x, y;

		for (u32 e = 0; e < 2; e++) {
			x[e] = fp8(a + (ROW + TID % 16) * SIDE + k + 4 * e, 1);
			y[e] = fp8(b + (k + 4 * e) * SIDE + COL + TID % 16, SIDE);
		}
		d = __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(__builtin_astype(x, s64),
							       __builtin_astype(y, s64),
							       d, 0, 0, 0);
	}
	PUT16(c, d);
}
#endif

#ifdef __gfx950__
/* -8 to 8 as a BF6 float: three bits of exponent, two of mantissa */
static u32 bf6(s32 v)
{
	u32 n = v < 0 ? -v : v;

	return (n == 8 ? 0x18 : 0x1716151412100c00ul >> 8 * n & 0x3f) | (v < 0 ? 0x20 : 0);
}

/*
 * FP8 times BF6, all of K in one operation, whose upper half is 0. Of a row a lane has 32
 * small elements side by side, but 16 bytes of each half. Scales are powers of two for each
 * 32 of K; here those of A and B cancel out.
 */
WAVE mxgemm16(global float *c, global const s32 *a, global const s32 *b)
{
	u32 part = TID / 16, k = part * 32, y[8] = { 0 };
	f32x4 d = 0;
	s32x8 x = 0;

	for (u32 e = 0; e < 4; e++)
		x[e] = fp8(a + (ROW + TID % 16) * SIDE + part * 16 + 4 * e, 1);
	if (k < SIDE) {
		for (u32 e = 0; e < 32; e++) {
			u32 v = bf6(b[(k + e) * SIDE + COL + TID % 16]), bit = e * 6;

			y[bit / 32] |= v << bit % 32;
			if (bit % 32 > 26)
				y[bit / 32 + 1] |= v >> (32 - bit % 32);
		}
	}
	d = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(
		x, (s32x8)(y[0], y[1], y[2], y[3], y[4], y[5], 0, 0), d, 0, 3,
		0, 127 + part, 0, 127 - part);
	PUT16(c, d);
}
#endif

#undef TILE
#define TILE	32u

/* Four waves' worth of accumulators: more than fit beside everything else. */
WAVE sgemm32(global float *c, global const float *a, global const float *b)
{
	f32x16 d[2] = { 0, 0 };

	for (u32 k = TID / 32; k < SIDE; k += 2)
		for (u32 n = 0; n < 2; n++)
			d[n] = __builtin_amdgcn_mfma_f32_32x32x2f32(
				a[(ROW + TID % 32) * SIDE + k], b[k * SIDE + n * 32 + TID % 32],
				d[n], 0, 0, 0);
	for (u32 n = 0; n < 2; n++)
		for (u32 r = 0; r < 16; r++)
			c[(ROW + r / 4 * 8 + TID / 32 * 4 + r % 4) * SIDE + n * 32 + TID % 32] =
				d[n][r];
}
