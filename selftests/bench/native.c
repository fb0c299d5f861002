// SPDX-License-Identifier: MIT
/*
 * The kernels as plain C loops for this CPU (clang -O3 -march=native): what
 * results are compared with, and what times are a multiple of.
 */
#include <math.h>
#include <string.h>

#include "native.h"

void native_saxpy(float *restrict y, const float *restrict x, float a, u32 n)
{
	for (u32 i = 0; i < n; i++)
		y[i] = __builtin_fmaf(a, x[i], y[i]);
}

void native_sgemm(float *restrict c, const float *restrict a, const float *restrict b,
		  u32 logn)
{
	u32 n = 1u << logn;

	for (u32 i = 0; i < n; i++) {
		float *r = c + (size_t)i * n;

		memset(r, 0, n * sizeof(*r));
		for (u32 k = 0; k < n; k++) {
			float v = a[(size_t)i * n + k];
			const float *p = b + (size_t)k * n;

			for (u32 j = 0; j < n; j++)
				r[j] = __builtin_fmaf(v, p[j], r[j]);
		}
	}
}

void native_lds_reduce(float *restrict out, const float *restrict in, u32 groups)
{
	for (u32 g = 0; g < groups; g++) {
		const float *p = in + (size_t)g * 4096;
		float t[256];

		memset(t, 0, sizeof(t));
		for (u32 i = 0; i < 16; i++)
			for (u32 l = 0; l < 256; l++)
				t[l] += p[i * 256 + l];
		for (u32 d = 128; d; d >>= 1)
			for (u32 l = 0; l < d; l++)
				t[l] += t[l + d];
		out[g] = t[0];
	}
}

void native_trans(float *restrict y, const float *restrict x, u32 n)
{
	const float turn = 6.28318530717958647692f;

	for (u32 i = 0; i < n; i++) {
		float v = x[i];

		for (int k = 0; k < 64; k++) {
			float e = exp2f(-v * v), s = sinf(turn * v), c = cosf(turn * e);
			float r = 1 / (1.5f + s * c), q = 1 / sqrtf(1.0f + e);
			float l = log2f(2.0f + q), w = sqrtf(r * l * l + 0.25f);

			v = __builtin_fmaf(w, 0.5f, s * 0.125f);
		}
		y[i] = v;
	}
}

void native_inthash(u32 *restrict y, const u32 *restrict x, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		u32 h = x[i] ^ i;

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
}

void native_diverge(u32 *restrict y, const u32 *restrict x, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		u32 v = (x[i] & 0xffff) | 1, c = 0;

		while (v != 1 && c < 200) {
			v = v & 1 ? 3 * v + 1 : v >> 1;
			c++;
		}
		y[i] = c;
	}
}

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
	return ldexp(p, (int)n);
}

void native_f64(float *restrict y, const u32 *restrict x, u32 items)
{
	for (u32 i = 0; i < items; i++) {
		u32 h = x[i], n = 4 + (h & 15);
		double v = (double)h * 0x1p-31, s = 0;

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
}

static __attribute__((noinline)) void insert(u32 *a, u32 n, u32 v)
{
	while (n && a[n - 1] > v) {
		a[n] = a[n - 1];
		n--;
	}
	a[n] = v;
}

void native_scratch(u32 *restrict y, const u32 *restrict x, u32 items)
{
	for (u32 i = 0; i < items; i++) {
		u32 h = x[i], a[16], s = 0;

		for (u32 n = 0; n < 16; n++) {
			h = h * 1664525u + 1013904223u;
			insert(a, n, h >> 8);
		}
		for (u32 n = 0; n < 8; n++)
			s = (s ^ (a[h >> n & 15] * 2654435761u)) + n;
		y[i] = s;
	}
}
