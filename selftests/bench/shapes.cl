// SPDX-License-Identifier: MIT
/*
 * The operations of the shapes in shapes.c, as kernels of our own: copy, sum, transposition, gather,
 * atomic sums, softmax, RMS norm, matrix products and attention with a window. Work-groups of 256,
 * no device library, no implicit arguments. All arguments: four pointers and up to six numbers.
 */
typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned long u64;
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef half f16;
typedef f16 f16x4 __attribute__((ext_vector_type(4)));
typedef short s16x4 __attribute__((ext_vector_type(4)));
typedef u16 u16x4 __attribute__((ext_vector_type(4)));
typedef u16 u16x8 __attribute__((ext_vector_type(8)));

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define WG	256u
#define TID	__builtin_amdgcn_workitem_id_x()
#define WGX	__builtin_amdgcn_workgroup_id_x()
#define WGY	__builtin_amdgcn_workgroup_id_y()
#define KERNEL	__attribute__((reqd_work_group_size(256, 1, 1))) kernel void
#define UNROLLED	_Pragma("clang loop unroll(full)")
#define LOG2E	1.44269504088896340736f

static void barrier_lds(void)
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/* ---- halves of two kinds ---- */

static float from_bf16(u16 v)
{
	return as_float((u32)v << 16);
}

static u16 to_bf16(float v)
{
	u32 x = as_uint(v);

	return (u16)((x + 0x7fff + (x >> 16 & 1)) >> 16);
}

static float from_f16(u16 v)
{
	return (float)as_half(v);
}

static u16 to_f16(float v)
{
	return as_ushort((half)v);
}

static float from_f32(float v)
{
	return v;
}

static float to_f32(float v)
{
	return v;
}

/* ---- across the lanes of a wave, and the four waves of a group ---- */

static float lane_xor(float v, u32 mask)
{
	u32 lane = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));

	return as_float(__builtin_amdgcn_ds_bpermute((lane ^ mask) << 2, as_int(v)));
}

static float larger(float a, float b)
{
	return __builtin_fmaxf(a, b);
}

static float sum(float a, float b)
{
	return a + b;
}

#define REDUCE(name, op)							\
static float name(float v, local float *part)					\
{										\
	UNROLLED								\
	for (u32 m = 32; m; m >>= 1)						\
		v = op(v, lane_xor(v, m));					\
	barrier_lds();								\
	if (TID % 64 == 0)							\
		part[TID / 64] = v;						\
	barrier_lds();								\
	return op(op(part[0], part[1]), op(part[2], part[3]));			\
}
REDUCE(group_max, larger)
REDUCE(group_sum, sum)

/* ---- memory ---- */

/* 1024 elements a group */
KERNEL copy(global f32x4 *dst, global const f32x4 *src, global void *c, global void *d, u32 n)
{
	u32 i = WGX * WG + TID;

	if (i * 4 < n)
		dst[i] = src[i];
}

KERNEL vector_add(global float *dst, global const float *a, global const float *b, global void *d,
		  u32 n)
{
	UNROLLED
	for (u32 k = 0; k < 4; k++) {
		u32 i = WGX * 1024 + k * WG + TID;

		if (i < n)
			dst[i] = a[i] + b[i];
	}
}

/* Tiles of 32 by 32 */
KERNEL transpose(global u16 *dst, global const u16 *src, global void *c, global void *d, u32 rows,
		 u32 columns)
{
	local u16 tile[32][33];
	u32 x = TID % 32, y = TID / 32;

	UNROLLED
	for (u32 k = 0; k < 32; k += 8)
		tile[y + k][x] = src[(WGY * 32 + y + k) * columns + WGX * 32 + x];
	barrier_lds();
	UNROLLED
	for (u32 k = 0; k < 32; k += 8)
		dst[(WGX * 32 + y + k) * rows + WGY * 32 + x] = tile[x][y + k];
}

KERNEL gather(global float *dst, global const float *src, global const u64 *at, global void *d, u32 n)
{
	UNROLLED
	for (u32 k = 0; k < 4; k++) {
		u32 i = WGX * 1024 + k * WG + TID;

		if (i < n)
			dst[i] = src[at[i]];
	}
}

KERNEL atomic_add(global float *dst, global const float *src, global void *c, global void *d, u32 n,
		  u32 buckets)
{
	UNROLLED
	for (u32 k = 0; k < 4; k++) {
		u32 i = WGX * 1024 + k * WG + TID;

		if (i < n)
			__scoped_atomic_fetch_add(&dst[i % buckets], src[i], __ATOMIC_RELAXED,
						  __MEMORY_SCOPE_DEVICE);
	}
}

/* ---- a row a group ---- */

#define SOFTMAX(name, type, from, to, each)					\
KERNEL name(global type *dst, global const type *src, global void *c, global void *d, u32 width)	\
{										\
	local float part[4];							\
	float v[each], most = -__builtin_inff(), all = 0;			\
										\
	dst += WGX * width;							\
	src += WGX * width;							\
	UNROLLED								\
	for (u32 k = 0; k < each; k++) {					\
		v[k] = -__builtin_inff();					\
		if (k * WG + TID < width)					\
			v[k] = from(src[k * WG + TID]);				\
		most = larger(most, v[k]);					\
	}									\
	most = group_max(most, part);						\
	UNROLLED								\
	for (u32 k = 0; k < each; k++) {					\
		v[k] = __builtin_amdgcn_exp2f((v[k] - most) * LOG2E);		\
		all += v[k];							\
	}									\
	all = __builtin_amdgcn_rcpf(group_sum(all, part));			\
	UNROLLED								\
	for (u32 k = 0; k < each; k++)						\
		if (k * WG + TID < width)					\
			dst[k * WG + TID] = to(v[k] * all);			\
}
SOFTMAX(softmax_f16, u16, from_f16, to_f16, 16)
SOFTMAX(softmax_f16_wide, u16, from_f16, to_f16, 32)
SOFTMAX(softmax_f32, float, from_f32, to_f32, 16)

#define RMSNORM(name, from, to)							\
KERNEL name(global u16 *dst, global const u16 *src, global void *c, global void *d, u32 width,	\
	    float epsilon)							\
{										\
	local float part[4];							\
	float v[16], all = 0;							\
										\
	dst += WGX * width;							\
	src += WGX * width;							\
	UNROLLED								\
	for (u32 k = 0; k < 16; k++) {						\
		v[k] = 0;							\
		if (k * WG + TID < width)					\
			v[k] = from(src[k * WG + TID]);				\
		all += v[k] * v[k];						\
	}									\
	all = group_sum(all, part) * __builtin_amdgcn_rcpf((float)width);	\
	all = __builtin_amdgcn_rsqf(all + epsilon);				\
	UNROLLED								\
	for (u32 k = 0; k < 16; k++)						\
		if (k * WG + TID < width)					\
			dst[k * WG + TID] = to(v[k] * all);			\
}
RMSNORM(rmsnorm_f16, from_f16, to_f16)
RMSNORM(rmsnorm_bf16, from_bf16, to_bf16)

/* ---- matrix products ---- */

static f32x4 mfma_f16(s16x4 a, s16x4 b, f32x4 c)
{
	union { s16x4 s; f16x4 h; } x = { .s = a }, y = { .s = b };

	return __builtin_amdgcn_mfma_f32_16x16x16f16(x.h, y.h, c, 0, 0, 0);
}

static f32x4 mfma_bf16(s16x4 a, s16x4 b, f32x4 c)
{
	return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, c, 0, 0, 0);
}

#define TILE	64u		/* rows and columns of a group's */
#define DEPTH	32u
#define PITCH	(DEPTH + 4)	/* of a row in the LDS */

/* Element (@row, @column) of @height times @width, or 0 */
static u16 element(global const u16 *m, u32 row, u32 column, u32 height, u32 width)
{
	return row < height && column < width ? m[row * width + column] : 0;
}

/* @ragged: sizes are no multiples of the tiles' */
static void stage(local u16 *la, local u16 *lb, global const u16 *a, global const u16 *b, u32 row,
		  u32 column, u32 k, u32 m, u32 n, u32 depth, bool ragged)
{
	u32 ar = TID / 4, ak = TID % 4 * 8, bk = TID / 8, bc = TID % 8 * 8;
	u16x8 va, vb;

	if (ragged) {
		UNROLLED
		for (u32 i = 0; i < 8; i++) {
			va[i] = element(a, row + ar, k + ak + i, m, depth);
			vb[i] = element(b, k + bk, column + bc + i, depth, n);
		}
	} else {
		va = *(global const u16x8 *)&a[(row + ar) * depth + k + ak];
		vb = *(global const u16x8 *)&b[(k + bk) * n + column + bc];
	}
	UNROLLED
	for (u32 i = 0; i < 8; i += 4)
		*(local u16x4 *)&la[ar * PITCH + ak + i] =
			(u16x4)(va[i], va[i + 1], va[i + 2], va[i + 3]);
	UNROLLED
	for (u32 i = 0; i < 8; i++)
		lb[(bc + i) * PITCH + bk] = vb[i];
}

/* A wave has 32 by 32 of the tile: two by two products of 16 by 16, 16 deep. */
#define GEMM(name, mfma, to, ragged)						\
KERNEL name(global u16 *c, global const u16 *a, global const u16 *b, global void *d, u32 m, u32 n,	\
	    u32 depth)								\
{										\
	local u16 la[TILE * PITCH] __attribute__((aligned(16)));		\
	local u16 lb[TILE * PITCH] __attribute__((aligned(16)));		\
	u32 row = WGY * TILE, column = WGX * TILE, lane = TID % 64;		\
	u32 wr = TID / 128 * 32, wc = TID / 64 % 2 * 32;			\
	u32 at = lane % 16 * PITCH + lane / 16 * 4;				\
	f32x4 acc[2][2] = { 0 };						\
										\
	for (u32 k = 0; k < depth; k += DEPTH) {				\
		stage(la, lb, a, b, row, column, k, m, n, depth, ragged);	\
		barrier_lds();							\
		UNROLLED							\
		for (u32 s = 0; s < DEPTH; s += 16)				\
			UNROLLED						\
			for (u32 i = 0; i < 2; i++)				\
				UNROLLED					\
				for (u32 j = 0; j < 2; j++)			\
					acc[i][j] = mfma(*(local s16x4 *)	\
						&la[(wr + i * 16) * PITCH + at + s],	\
						*(local s16x4 *)		\
						&lb[(wc + j * 16) * PITCH + at + s],	\
						acc[i][j]);			\
		barrier_lds();							\
	}									\
	UNROLLED								\
	for (u32 i = 0; i < 2; i++)						\
		UNROLLED							\
		for (u32 j = 0; j < 2; j++)					\
			UNROLLED						\
			for (u32 r = 0; r < 4; r++) {				\
				u32 y = row + wr + i * 16 + lane / 16 * 4 + r;	\
				u32 x = column + wc + j * 16 + lane % 16;	\
										\
				if (!ragged || (y < m && x < n))		\
					c[y * n + x] = to(acc[i][j][r]);	\
			}							\
}
GEMM(gemm_f16, mfma_f16, to_f16, false)
GEMM(gemm_f16_ragged, mfma_f16, to_f16, true)
GEMM(gemm_bf16, mfma_bf16, to_bf16, false)
GEMM(gemm_bf16_ragged, mfma_bf16, to_bf16, true)

/* ---- attention ---- */

#define HEAD	64u		/* dimensions of a head */
#define KEYS	64u		/* of a step */
#define KPITCH	(KEYS + 4)

/* @op over the 16 lanes that have the same rows of a product */
static float row_max(float v)
{
	UNROLLED
	for (u32 m = 8; m; m >>= 1)
		v = larger(v, lane_xor(v, m));
	return v;
}

static float row_sum(float v)
{
	UNROLLED
	for (u32 m = 8; m; m >>= 1)
		v += lane_xor(v, m);
	return v;
}

/*
 * Queries see the keys up to their own place, @window of them at most. Heads of queries share those
 * of keys and values. A group has 64 queries of a head, each of its waves 16: [head][place][HEAD].
 */
KERNEL attention(global u16 *out, global const u16 *q, global const u16 *key, global const u16 *value,
		 u32 seq, u32 window, u32 shared)
{
	local u16 lv[HEAD * KPITCH] __attribute__((aligned(16)));
	local u16 lp[4][16 * KPITCH] __attribute__((aligned(16)));
	u32 lane = TID % 64, wave = TID / 64, col = lane % 16, four = lane / 16 * 4;
	u32 first = WGX * 64, row = first + wave * 16;
	u32 begin = first + 1 > window ? (first + 1 - window) / KEYS * KEYS : 0;
	f32x4 acc[4] = { 0 }, most = -__builtin_inff(), all = 0;
	s16x4 vq[4];

	q += WGY * seq * HEAD;
	out += WGY * seq * HEAD;
	key += WGY / shared * seq * HEAD;
	value += WGY / shared * seq * HEAD;
	UNROLLED
	for (u32 s = 0; s < 4; s++)
		vq[s] = *(global const s16x4 *)&q[(row + col) * HEAD + s * 16 + four];
	for (u32 k = begin; k < first + 64; k += KEYS) {
		f32x4 score[4] = { 0 }, step = most, old;

		barrier_lds();
		UNROLLED
		for (u32 i = 0; i < 16; i++) {
			u32 at = i * WG + TID;

			lv[at % HEAD * KPITCH + at / HEAD] = value[k * HEAD + at];
		}
		UNROLLED
		for (u32 t = 0; t < 4; t++) {
			UNROLLED
			for (u32 s = 0; s < 4; s++)
				score[t] = mfma_bf16(vq[s], *(global const s16x4 *)
						     &key[(k + t * 16 + col) * HEAD + s * 16 + four],
						     score[t]);
			UNROLLED
			for (u32 r = 0; r < 4; r++) {
				u32 at = row + four + r, to = k + t * 16 + col;
				bool seen = to <= at && to + window > at;

				score[t][r] = seen ? score[t][r] * (0.125f * LOG2E) : -__builtin_inff();
				step[r] = larger(step[r], score[t][r]);
			}
		}
		UNROLLED
		for (u32 r = 0; r < 4; r++) {
			float m = row_max(step[r]), base;

			/* Of a query that has seen nothing yet */
			base = m == -__builtin_inff() ? 0 : m;
			old[r] = __builtin_amdgcn_exp2f(most[r] - base);
			most[r] = m;
			step[r] = 0;
			UNROLLED
			for (u32 t = 0; t < 4; t++) {
				float p = __builtin_amdgcn_exp2f(score[t][r] - base);

				step[r] += p;
				lp[wave][(four + r) * KPITCH + t * 16 + col] = to_bf16(p);
			}
			all[r] = all[r] * old[r] + row_sum(step[r]);
		}
		barrier_lds();
		UNROLLED
		for (u32 t = 0; t < 4; t++) {
			acc[t] *= old;
			UNROLLED
			for (u32 s = 0; s < 4; s++)
				acc[t] = mfma_bf16(*(local s16x4 *)
						   &lp[wave][col * KPITCH + s * 16 + four],
						   *(local s16x4 *)
						   &lv[(t * 16 + col) * KPITCH + s * 16 + four],
						   acc[t]);
		}
	}
	UNROLLED
	for (u32 r = 0; r < 4; r++) {
		float one = __builtin_amdgcn_rcpf(all[r]);

		UNROLLED
		for (u32 t = 0; t < 4; t++)
			out[(row + four + r) * HEAD + t * 16 + col] = to_bf16(acc[t][r] * one);
	}
}
