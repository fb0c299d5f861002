// SPDX-License-Identifier: MIT
/*
 * The eight benchmark kernels: streaming, matrix product, LDS reduction,
 * transcendental functions, integer hashing, divergence, double precision,
 * scratch memory with calls. Work-groups of 256, no device library, no implicit
 * arguments. native.c has the same in C.
 */
typedef unsigned int u32;

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define WG	256u
#define TID	__builtin_amdgcn_workitem_id_x()
#define WGID	__builtin_amdgcn_workgroup_id_x()
#define GID	(WGID * WG + TID)
#define KERNEL	__attribute__((reqd_work_group_size(256, 1, 1))) kernel void
#define ROLLED	_Pragma("clang loop unroll(disable)")

static void barrier_lds(void)
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/* y = a * x + y */
KERNEL saxpy(global float *restrict y, global const float *restrict x, float a)
{
	u32 i = GID;

	y[i] = a * x[i] + y[i];
}

/* c = a * b, square, 1 << logn wide; one element a work-item */
KERNEL sgemm(global float *restrict c, global const float *restrict a,
	     global const float *restrict b, u32 logn)
{
	u32 g = GID, n = 1u << logn, row = g >> logn, col = g & (n - 1);
	global const float *pa = a + (row << logn), *pb = b + col;
	float s = 0.0f;

#pragma clang loop unroll_count(4)
	for (u32 k = 0; k < n; k++) {
		s = __builtin_fmaf(pa[k], *pb, s);
		pb += n;
	}
	c[g] = s;
}

/* Each work-group sums 4096 floats: 16 a work-item, then a tree in the LDS. */
KERNEL lds_reduce(global float *restrict out, global const float *restrict in)
{
	local float t[WG];
	u32 l = TID;
	global const float *p = in + WGID * (WG * 16) + l;
	float s = 0;

	ROLLED
	for (u32 i = 0; i < 16; i++)
		s += p[i * WG];
	t[l] = s;
	barrier_lds();
	ROLLED
	for (u32 d = WG / 2; d; d >>= 1) {
		if (l < d)
			t[l] += t[l + d];
		barrier_lds();
	}
	if (l == 0)
		out[WGID] = t[0];
}

/* 64 rounds of exp2, sin, cos, rcp, rsq, log2, sqrt */
KERNEL trans(global float *restrict y, global const float *restrict x)
{
	u32 i = GID;
	float v = x[i];

	ROLLED
	for (int k = 0; k < 64; k++) {
		float e = __builtin_amdgcn_exp2f(-v * v);
		float s = __builtin_amdgcn_sinf(v), c = __builtin_amdgcn_cosf(e);
		float r = __builtin_amdgcn_rcpf(1.5f + s * c);
		float q = __builtin_amdgcn_rsqf(1.0f + e);
		float l = __builtin_amdgcn_logf(2.0f + q);
		float w = __builtin_amdgcn_sqrtf(r * l * l + 0.25f);

		v = __builtin_fmaf(w, 0.5f, s * 0.125f);
	}
	y[i] = v;
}

/* 64 rounds of multiply, rotate, xor */
KERNEL inthash(global u32 *restrict y, global const u32 *restrict x)
{
	u32 i = GID, h = x[i] ^ i;

	ROLLED
	for (u32 k = 0; k < 64; k++) {
		u32 z = (h + k) * 0xcc9e2d51u;

		z = (z << 15) | (z >> 17);
		z *= 0x1b873593u;
		h ^= z;
		h = (h << 13) | (h >> 19);
		h = h * 5u + 0xe6546b64u;
		h ^= h >> 16;
	}
	y[i] = h;
}

/* Collatz: each work-item leaves the loop when it is done */
KERNEL diverge(global u32 *restrict y, global const u32 *restrict x)
{
	u32 i = GID, v = (x[i] & 0xffff) | 1, n = 0;

	ROLLED
	while (v != 1 && n < 200) {
		v = v & 1 ? 3 * v + 1 : v >> 1;
		n++;
	}
	y[i] = n;
}

/* exp(v) as libraries compute it: v_rndne, fma, v_cvt_i32, v_ldexp */
static double exp_f64(double v)
{
	double n = __builtin_rint(v * 0x1.71547652b82fep+0);
	double t = __builtin_fma(-n, 0x1.62e42fefa39efp-1, v);
	double p = 0x1p-3;

	t = __builtin_fma(-n, 0x1.abc9e3b39803fp-56, t);
	p = __builtin_fma(p, t, 0x1.5555555555555p-3);
	p = __builtin_fma(p, t, 0.5);
	p = __builtin_fma(p, t, 1.0);
	p = __builtin_fma(p, t, 1.0);
	return __builtin_ldexp(p, (int)n);
}

/* Divisions, exponentials, conversions in double; work-items leave when they are done */
KERNEL f64(global float *restrict y, global const u32 *restrict x)
{
	u32 i = GID, h = x[i], n = 4 + (h & 15);
	double v = (double)h * 0x1p-31, s = 0;

	ROLLED
	while (n--) {
		s += exp_f64(-v) / __builtin_fma(v, v, 1.0);
		h = h * 1664525u + 1013904223u;
		if (h >> 16 & 1)
			v = __builtin_fma(v, 0.75, (double)h * 0x1p-33);
		else
			v = 2.0 / (v + 0.25 * (double)(int)h * 0x1p-31 + 1.0);
	}
	y[i] = (float)s;
}

static __attribute__((noinline)) void insert(u32 *a, u32 n, u32 v)
{
	ROLLED
	while (n && a[n - 1] > v) {
		a[n] = a[n - 1];
		n--;
	}
	a[n] = v;
}

static __attribute__((noinline)) u32 at(const u32 *a, u32 n)
{
	return a[n & 15] * 2654435761u;
}

/* Arrays of work-items' own, sorted by a function that is called */
KERNEL scratch(global u32 *restrict y, global const u32 *restrict x)
{
	u32 i = GID, h = x[i], a[16], s = 0;

	ROLLED
	for (u32 n = 0; n < 16; n++) {
		h = h * 1664525u + 1013904223u;
		insert(a, n, h >> 8);
	}
	ROLLED
	for (u32 n = 0; n < 8; n++)
		s = (s ^ at(a, h >> n)) + n;
	y[i] = s;
}
