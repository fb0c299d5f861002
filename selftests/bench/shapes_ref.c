// SPDX-License-Identifier: MIT
/*
 * The shapes' input, and what must come of it. Sums of the products of small integers are exact in any
 * order, so matrix products and atomic sums are right or wrong; functions that go through exponentials
 * and roots have a tolerance.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shapes.h"

static float of_bits(u32 x)
{
	float f;

	memcpy(&f, &x, sizeof(f));
	return f;
}

static u32 bits_of(float f)
{
	u32 x;

	memcpy(&x, &f, sizeof(x));
	return x;
}

static u16 put_half(enum number type, float v)
{
	_Float16 h = (_Float16)v;
	u32 x = bits_of(v);
	u16 r;

	if (type == BF16)
		return (u16)((x + 0x7fff + (x >> 16 & 1)) >> 16);
	memcpy(&r, &h, sizeof(r));
	return r;
}

static float get_half(enum number type, u16 v)
{
	_Float16 h;

	if (type == BF16)
		return of_bits((u32)v << 16);
	memcpy(&h, &v, sizeof(h));
	return (float)h;
}

static float get(enum number type, const void *p, u64 n)
{
	return type == F32 ? ((const float *)p)[n] : get_half(type, ((const u16 *)p)[n]);
}

static void put(enum number type, void *p, u64 n, float v)
{
	if (type == F32)
		((float *)p)[n] = v;
	else
		((u16 *)p)[n] = put_half(type, v);
}

static u32 bytes_of(enum number type)
{
	return type == F32 ? 4 : 2;
}

static u32 next(u32 *x)
{
	*x = *x * 1664525u + 1013904223u;
	return *x >> 16;
}

/* Integers from -2 to 2, or if @fine quarters from -4 to 4 */
static void fill(enum number type, void *p, u64 n, bool fine)
{
	u32 x = 12345;
	u64 k;

	for (k = 0; k < n; k++)
		put(type, p, k, fine ? (float)(int)(next(&x) % 33) * 0.25f - 4 :
				       (float)(int)(next(&x) % 5) - 2);
}

void shape_sizes(const struct shape *s, u64 bytes[4])
{
	const u64 one = bytes_of(s->type), a = s->n[0], b = s->n[1], c = s->n[2];

	memset(bytes, 0, 4 * sizeof(bytes[0]));
	switch (s->work) {
	case COPY:
	case VECTOR_ADD:
		bytes[0] = bytes[1] = a * one;
		bytes[2] = s->work == VECTOR_ADD ? a * one : 0;
		break;
	case TRANSPOSE:
	case SOFTMAX:
	case RMSNORM:
		bytes[0] = bytes[1] = a * b * one;
		break;
	case GATHER:
		bytes[0] = b * one;
		bytes[1] = a * one;
		bytes[2] = b * 8;
		break;
	case ATOMIC_ADD:
		bytes[0] = b * one;
		bytes[1] = a * one;
		break;
	case GEMM:
		bytes[0] = a * b * one;
		bytes[1] = a * c * one;
		bytes[2] = c * b * one;
		break;
	case ATTENTION:
		bytes[0] = bytes[1] = a * c * HEAD * one;
		bytes[2] = bytes[3] = b * c * HEAD * one;
		break;
	}
}

void shape_fill(const struct shape *s, void *const *buf)
{
	const bool fine = s->work != GEMM && s->work != ATOMIC_ADD;
	u64 bytes[4], k;
	u32 n;

	shape_sizes(s, bytes);
	memset(buf[0], 0, bytes[0]);
	for (n = 1; n < 4; n++)
		if (bytes[n] && !(s->work == GATHER && n == 2))
			fill(s->type, buf[n], bytes[n] / bytes_of(s->type), fine);
	for (k = 0; s->work == GATHER && k < s->n[1]; k++)
		((u64 *)buf[2])[k] = (k * s->n[2] + s->n[3]) % s->n[0];
}

/* ---- what must come of it, in double where it is not exact ---- */

static void softmax(const struct shape *s, const void *in, u64 row, double *want)
{
	u32 width = s->n[1], k;
	double most = -INFINITY, all = 0;

	for (k = 0; k < width; k++)
		most = fmax(most, get(s->type, in, row * width + k));
	for (k = 0; k < width; k++) {
		want[k] = exp(get(s->type, in, row * width + k) - most);
		all += want[k];
	}
	for (k = 0; k < width; k++)
		want[k] /= all;
}

static void rmsnorm(const struct shape *s, const void *in, u64 row, double *want)
{
	u32 width = s->n[1], k;
	double all = 0, v;

	for (k = 0; k < width; k++) {
		v = get(s->type, in, row * width + k);
		want[k] = v;
		all += v * v;
	}
	for (k = 0; k < width; k++)
		want[k] /= sqrt(all / width + EPSILON);
}

/* A row of the product, in floats as the sums are exact */
static void gemm(const struct shape *s, const float *a, const float *b, u64 row, float *want)
{
	u32 n = s->n[1], depth = s->n[2], k, x;

	memset(want, 0, n * sizeof(*want));
	for (k = 0; k < depth; k++) {
		float v = a[row * depth + k];

		for (x = 0; x < n; x++)
			want[x] += v * b[(u64)k * n + x];
	}
}

static bool seen(const struct shape *s, u32 query, u32 key)
{
	return key <= query && key + s->n[3] > query;
}

static void attention(const struct shape *s, const void *const *in, u32 head, u32 query, double *want)
{
	const u32 seq = s->n[2], shared = s->n[0] / s->n[1];
	const u64 keys = (u64)head / shared * seq * HEAD, at = ((u64)head * seq + query) * HEAD;
	double most = -INFINITY, all = 0, *p = calloc(seq, sizeof(*p));
	u32 k, d;

	for (k = 0; k < seq; k++) {
		if (!seen(s, query, k))
			continue;
		for (d = 0; d < HEAD; d++)
			p[k] += (double)get(s->type, in[1], at + d) *
				get(s->type, in[2], keys + k * HEAD + d);
		p[k] /= 8;
		most = fmax(most, p[k]);
	}
	memset(want, 0, HEAD * sizeof(*want));
	for (k = 0; k < seq; k++) {
		if (!seen(s, query, k))
			continue;
		p[k] = exp(p[k] - most);
		all += p[k];
		for (d = 0; d < HEAD; d++)
			want[d] += p[k] * get(s->type, in[3], keys + k * HEAD + d);
	}
	for (d = 0; d < HEAD; d++)
		want[d] /= all;
	free(p);
}

/* In units of the last place of a result of this type and size, or of @floor if that is more */
static double error(enum number type, double got, double want, double floor)
{
	const double ulp = type == F32 ? 0x1p-23 : type == F16 ? 0x1p-10 : 0x1p-7;

	if (isnan(got) || isinf(got))
		return INFINITY;
	return fabs(got - want) / (ulp * fmax(fabs(want), floor));
}

static double check_rows(const struct shape *s, const void *const *in, const void *got)
{
	const bool product = s->work == GEMM;
	/* Sums of values up to 4 that may cancel; the least normal half, or little */
	const double floor = s->work == ATTENTION ? 1 : s->type == F16 ? 0x1p-14 : 0x1p-20;
	u32 rows = s->work == ATTENTION ? s->n[0] * s->n[2] : s->n[0], row, k;
	u32 width = s->work == ATTENTION ? HEAD : s->n[1];
	double *want = calloc(width, sizeof(*want)), worst = 0;
	float *a = NULL, *b = NULL, *exact = NULL;
	u64 n;

	if (product) {
		a = malloc((u64)rows * s->n[2] * sizeof(*a));
		b = malloc((u64)width * s->n[2] * sizeof(*b));
		exact = malloc(width * sizeof(*exact));
		for (n = 0; n < (u64)rows * s->n[2]; n++)
			a[n] = get(s->type, in[1], n);
		for (n = 0; n < (u64)width * s->n[2]; n++)
			b[n] = get(s->type, in[2], n);
	}
	for (row = 0; row < rows; row++) {
		if (product)
			gemm(s, a, b, row, exact);
		else if (s->work == SOFTMAX)
			softmax(s, in[1], row, want);
		else if (s->work == RMSNORM)
			rmsnorm(s, in[1], row, want);
		else
			attention(s, in, row / s->n[2], row % s->n[2], want);
		for (k = 0; k < width; k++) {
			u64 at = (u64)row * width + k;

			if (!product)
				worst = fmax(worst, error(s->type, get(s->type, got, at), want[k],
							  floor));
			else if (((const u16 *)got)[at] != put_half(s->type, exact[k]))
				worst = INFINITY;
		}
	}
	free(want);
	free(a);
	free(b);
	free(exact);
	return worst;
}

static bool is_moved(const struct shape *s, const void *const *in, const void *got)
{
	const float *f = in[1], *g = got;
	const u16 *h = in[1], *t = got;
	u64 k;

	switch (s->work) {
	case COPY:
		return !memcmp(got, in[1], (u64)s->n[0] * bytes_of(s->type));
	case VECTOR_ADD:
		for (k = 0; k < s->n[0]; k++)
			if (g[k] != f[k] + ((const float *)in[2])[k])
				return false;
		return true;
	case GATHER:
		for (k = 0; k < s->n[1]; k++)
			if (g[k] != f[((const u64 *)in[2])[k]])
				return false;
		return true;
	default:
		for (k = 0; k < (u64)s->n[0] * s->n[1]; k++)
			if (t[k % s->n[1] * s->n[0] + k / s->n[1]] != h[k])
				return false;
		return true;
	}
}

static double check_sums(const struct shape *s, const void *const *in, const void *got)
{
	float *want = calloc(s->n[1], sizeof(*want));
	bool ok;
	u32 k;

	for (k = 0; k < s->n[0]; k++)
		want[k % s->n[1]] += ((const float *)in[1])[k];
	ok = !memcmp(want, got, s->n[1] * sizeof(*want));
	free(want);
	return ok ? 0 : INFINITY;
}

double shape_check(const struct shape *s, void *const *buf)
{
	const void *const in[4] = { NULL, buf[1], buf[2], buf[3] };

	switch (s->work) {
	case SOFTMAX:
	case RMSNORM:
	case GEMM:
	case ATTENTION:
		return check_rows(s, in, buf[0]);
	case ATOMIC_ADD:
		return check_sums(s, in, buf[0]);
	default:
		return is_moved(s, in, buf[0]) ? 0 : INFINITY;
	}
}

/* ---- how much it is ---- */

double shape_elements(const struct shape *s)
{
	switch (s->work) {
	case COPY:
	case VECTOR_ADD:
	case ATOMIC_ADD:
		return s->n[0];
	case GATHER:
		return s->n[1];
	case ATTENTION:
		return (double)s->n[0] * s->n[2] * HEAD;
	default:
		return (double)s->n[0] * s->n[1];
	}
}

double shape_flops(const struct shape *s)
{
	u64 pairs = 0;
	u32 q, k;

	if (s->work == GEMM)
		return 2.0 * s->n[0] * s->n[1] * s->n[2];
	if (s->work != ATTENTION)
		return 0;
	for (q = 0; q < s->n[2]; q++)
		for (k = 0; k <= q; k++)
			pairs += seen(s, q, k);
	return 4.0 * HEAD * (double)pairs * s->n[0];
}
