// SPDX-License-Identifier: MIT
/* See ref_image.h. */
#include <math.h>
#include <string.h>

#include "ref_image.h"

const struct ref_format ref_formats[] = {
	{ "8 unorm", 1, 1, 1, 1, 1, REF_UNORM, { 8 } },
	{ "8 snorm", 65, 2, 2, 1, 1, REF_SNORM, { 8 } },
	{ "8 uint", 257, 5, 5, 1, 1, REF_UINT, { 8 } },
	{ "8 sint", 321, 6, 6, 1, 1, REF_SINT, { 8 } },
	{ "16 unorm", 2, 7, 7, 2, 1, REF_UNORM, { 16 } },
	{ "16 snorm", 66, 8, 8, 2, 1, REF_SNORM, { 16 } },
	{ "16 uint", 258, 11, 11, 2, 1, REF_UINT, { 16 } },
	{ "16 sint", 322, 12, 12, 2, 1, REF_SINT, { 16 } },
	{ "16 float", 450, 13, 13, 2, 1, REF_FLOAT, { 16 } },
	{ "8_8 unorm", 3, 14, 14, 2, 2, REF_UNORM, { 8, 8 } },
	{ "8_8 snorm", 67, 15, 15, 2, 2, REF_SNORM, { 8, 8 } },
	{ "8_8 uint", 259, 18, 18, 2, 2, REF_UINT, { 8, 8 } },
	{ "8_8 sint", 323, 19, 19, 2, 2, REF_SINT, { 8, 8 } },
	{ "32 uint", 260, 20, 20, 4, 1, REF_UINT, { 32 } },
	{ "32 sint", 324, 21, 21, 4, 1, REF_SINT, { 32 } },
	{ "32 float", 452, 22, 22, 4, 1, REF_FLOAT, { 32 } },
	{ "16_16 unorm", 5, 23, 23, 4, 2, REF_UNORM, { 16, 16 } },
	{ "16_16 snorm", 69, 24, 24, 4, 2, REF_SNORM, { 16, 16 } },
	{ "16_16 uint", 261, 27, 27, 4, 2, REF_UINT, { 16, 16 } },
	{ "16_16 sint", 325, 28, 28, 4, 2, REF_SINT, { 16, 16 } },
	{ "16_16 float", 453, 29, 29, 4, 2, REF_FLOAT, { 16, 16 } },
	{ "2_10_10_10 unorm", 9, 50, 36, 4, 4, REF_UNORM, { 10, 10, 10, 2 } },
	{ "8_8_8_8 unorm", 10, 56, 42, 4, 4, REF_UNORM, { 8, 8, 8, 8 } },
	{ "8_8_8_8 snorm", 74, 57, 43, 4, 4, REF_SNORM, { 8, 8, 8, 8 } },
	{ "8_8_8_8 uint", 266, 60, 46, 4, 4, REF_UINT, { 8, 8, 8, 8 } },
	{ "8_8_8_8 sint", 330, 61, 47, 4, 4, REF_SINT, { 8, 8, 8, 8 } },
	{ "32_32 uint", 267, 62, 48, 8, 2, REF_UINT, { 32, 32 } },
	{ "32_32 sint", 331, 63, 49, 8, 2, REF_SINT, { 32, 32 } },
	{ "32_32 float", 459, 64, 50, 8, 2, REF_FLOAT, { 32, 32 } },
	{ "16_16_16_16 unorm", 12, 65, 51, 8, 4, REF_UNORM, { 16, 16, 16, 16 } },
	{ "16_16_16_16 snorm", 76, 66, 52, 8, 4, REF_SNORM, { 16, 16, 16, 16 } },
	{ "16_16_16_16 uint", 268, 69, 55, 8, 4, REF_UINT, { 16, 16, 16, 16 } },
	{ "16_16_16_16 sint", 332, 70, 56, 8, 4, REF_SINT, { 16, 16, 16, 16 } },
	{ "16_16_16_16 float", 460, 71, 57, 8, 4, REF_FLOAT, { 16, 16, 16, 16 } },
	{ "32_32_32_32 uint", 270, 75, 61, 16, 4, REF_UINT, { 32, 32, 32, 32 } },
	{ "32_32_32_32 sint", 334, 76, 62, 16, 4, REF_SINT, { 32, 32, 32, 32 } },
	{ "32_32_32_32 float", 462, 77, 63, 16, 4, REF_FLOAT, { 32, 32, 32, 32 } },
	{ "8 srgb", 577, 128, 64, 1, 1, REF_SRGB, { 8 } },
	{ "8_8 srgb", 579, 129, 65, 2, 2, REF_SRGB, { 8, 8 } },
	{ "8_8_8_8 srgb", 586, 130, 66, 4, 4, REF_SRGB, { 8, 8, 8, 8 } },
	{ "5_6_5 unorm", 16, 133, 68, 2, 3, REF_UNORM, { 5, 6, 5 } },
	{ "1_5_5_5 unorm", 17, 134, 69, 2, 4, REF_UNORM, { 5, 5, 5, 1 } },
	{ "5_5_5_1 unorm", 18, 135, 70, 2, 4, REF_UNORM, { 1, 5, 5, 5 } },
	{ "4_4_4_4 unorm", 19, 136, 71, 2, 4, REF_UNORM, { 4, 4, 4, 4 } },
};

const unsigned int ref_nformats = sizeof(ref_formats) / sizeof(ref_formats[0]);

int ref_axes(unsigned int dim)
{
	return dim == REF_1D || dim == REF_1DA ? 1 : dim == REF_3D ? 3 : 2;
}

bool ref_is_array(unsigned int dim)
{
	return dim == REF_1DA || dim == REF_2DA;
}

bool ref_is_int(const struct ref_image *m)
{
	return m->f->kind == REF_UINT || m->f->kind == REF_SINT;
}

uint32_t ref_level_size(const struct ref_image *m, uint32_t level, unsigned int axis)
{
	uint32_t n = m->size[axis] >> level;

	return n ? n : 1;
}

/* Memory is for sizes that are rounded up. */
static uint64_t level_room(const struct ref_image *m, uint32_t level, unsigned int axis)
{
	return (uint64_t)ceil(ldexp(m->size[axis], -(int)level));
}

static uint64_t row_texels(const struct ref_image *m, uint32_t level)
{
	uint64_t n = level_room(m, level, 0);

	if (m->pitch)
		return m->pitch;
	while (n * m->f->bytes % m->row)
		n++;
	return n;
}

static uint64_t level_bytes(const struct ref_image *m, uint32_t level)
{
	uint64_t row = (row_texels(m, level) * m->f->bytes + 255) / 256 * 256;

	return row * level_room(m, level, 1);
}

static uint64_t slice_bytes(const struct ref_image *m)
{
	uint64_t n = 0;
	uint32_t l;

	for (l = 0; l < m->levels; l++)
		n += level_bytes(m, l);
	return n;
}

uint32_t ref_pitch(const struct ref_image *m)
{
	return (uint32_t)row_texels(m, 0);
}

uint64_t ref_bytes(const struct ref_image *m)
{
	return slice_bytes(m) * (m->dim == REF_3D ? m->size[2] : m->first + m->slices);
}

uint64_t ref_linear(const struct ref_image *m, uint32_t level, uint32_t x, uint32_t y, uint32_t z)
{
	uint64_t at = slice_bytes(m) * z;
	uint32_t l;

	for (l = level + 1; l < m->levels; l++)
		at += level_bytes(m, l);
	return at + (y * row_texels(m, level) + x) * m->f->bytes;
}

uint64_t ref_texel(const struct ref_image *m, uint32_t mip, const uint32_t *c)
{
	uint32_t v[3] = { 0 }, level = m->base + mip;
	int n, axes = ref_axes(m->dim);

	if (mip > m->last - m->base)
		return ~0ull;
	for (n = 0; n < axes; n++) {
		v[n] = c[n];
		if (v[n] >= ref_level_size(m, level, n))
			return ~0ull;
	}
	if (ref_is_array(m->dim)) {
		if (c[axes] >= m->slices)
			return ~0ull;
		v[2] = m->first + c[axes];
	}
	return m->at(m, level, v[0], v[1], v[2]);
}

static uint32_t raw_of(const struct ref_format *f, const uint8_t *texel, int c)
{
	int at = 0, n;
	uint32_t v = 0;

	for (n = 0; n < c; n++)
		at += f->bits[n];
	for (n = 0; n < f->bits[c]; n++)
		v |= (uint32_t)(texel[(at + n) / 8] >> (at + n) % 8 & 1) << n;
	return v;
}

static float half_to_float(uint16_t h)
{
	_Float16 v;

	memcpy(&v, &h, sizeof(v));
	return (float)v;
}

static uint16_t float_to_half(float f)
{
	_Float16 v = (_Float16)f;
	uint16_t h;

	memcpy(&h, &v, sizeof(h));
	return h;
}

static uint32_t float_bits(float f)
{
	uint32_t v;

	memcpy(&v, &f, sizeof(v));
	return v;
}

static float bits_float(uint32_t v)
{
	float f;

	memcpy(&f, &v, sizeof(f));
	return f;
}

static struct ref_value bits(uint32_t v)
{
	return (struct ref_value){ .exact = true, .bits = v };
}

static struct ref_value real(double v)
{
	return (struct ref_value){ .value = v, .slack = ldexp(fabs(v), -23) };
}

static struct ref_value component(const struct ref_image *m, const uint8_t *texel, int c)
{
	const struct ref_format *f = m->f;
	uint32_t raw;
	int32_t s;
	double max;

	if (c >= f->n)
		return ref_is_int(m) ? bits(0) : real(0);
	raw = raw_of(f, texel, c);
	max = ldexp(1, f->bits[c]) - 1;
	s = (int32_t)(raw << (32 - f->bits[c])) >> (32 - f->bits[c]);
	switch (f->kind) {
	case REF_UNORM:
		return real(raw / max);
	case REF_SNORM:
		max = ldexp(1, f->bits[c] - 1) - 1;
		return real(s < -max ? -1 : s / max);
	case REF_SRGB:
		if (c == 3 || raw / max <= 0.04045)
			return real(c == 3 ? raw / max : raw / max / 12.92);
		return real(pow((raw / max + 0.055) / 1.055, 2.4));
	case REF_FLOAT:
		return real(f->bits[c] == 32 ? bits_float(raw) : half_to_float((uint16_t)raw));
	default:
		return bits(f->kind == REF_SINT ? (uint32_t)s : raw);
	}
}

static struct ref_value one_of(const struct ref_image *m)
{
	return ref_is_int(m) ? bits(1) : real(1);
}

static void swizzled(const struct ref_image *m, const struct ref_value t[4], struct ref_value v[4])
{
	int c;

	for (c = 0; c < 4; c++)
		v[c] = m->sel[c] >= 4 ? t[m->sel[c] - 4] : m->sel[c] ? one_of(m) :
		       ref_is_int(m) ? bits(0) : real(0);
}

void ref_load(const struct ref_image *m, uint64_t at, struct ref_value v[4])
{
	struct ref_value t[4];
	int c;

	for (c = 0; c < 4; c++)
		t[c] = at == ~0ull ? (ref_is_int(m) ? bits(0) : real(0)) :
				     component(m, m->mem + at, c);
	swizzled(m, t, v);
}

/* A texel of an axis: -1 is the border. */
static long long addressed(long long i, long long n, int clamp)
{
	switch (clamp) {
	case 0:
		return ((i % n) + n) % n;
	case 1:
		i = ((i % (2 * n)) + 2 * n) % (2 * n);
		return i < n ? i : 2 * n - 1 - i;
	case 3:
		i = i < 0 ? -1 - i : i;
		break;
	case 6:
		return i < 0 || i >= n ? -1 : i;
	}
	return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static long double texels(const struct ref_sampler *s, float f, int axis, uint32_t n)
{
	long double u = f;

	if (isnan(f))
		u = 0;
	if (!s->unnormalised && s->clamp[axis] == 0)
		u -= floorl(u);
	else if (!s->unnormalised && s->clamp[axis] == 1)
		u -= 2 * floorl(u / 2);
	if (!s->unnormalised)
		u *= n;
	if (u > 1e9L)
		u = 1e9L;
	if (u < -1e9L)
		u = -1e9L;
	u *= 256;
	return (s->truncate ? floorl(u) : rintl(u)) / 256;
}

static uint32_t slice_of(const struct ref_image *m, const struct ref_sampler *s, const float *coord)
{
	float f = ref_is_array(m->dim) ? coord[ref_axes(m->dim)] : 0;
	double n = isnan(f) ? 0 : s->truncate ? floor(f) : rint(f);

	n = n < 0 ? 0 : n > m->slices - 1 ? m->slices - 1 : n;
	return m->first + (uint32_t)n;
}

static struct ref_value fetch(const struct ref_image *m, const struct ref_sampler *s,
			      uint32_t level, const long long *i, int c)
{
	int k, alpha = 3, d;

	for (k = 0; k < 3; k++) {
		if (i[k] >= 0)
			continue;
		/* The component that is alpha to the program has the border's. */
		if (c >= m->f->n || !s->border)
			return ref_is_int(m) ? bits(0) : real(0);
		for (d = 0; d < 4; d++)
			if (m->sel[3] == 4 + d)
				alpha = d;
		return s->border == 2 || c == alpha ? real(1) : real(0);
	}
	return component(m, m->mem + m->at(m, level, i[0], i[1], i[2]), c);
}

static void filtered(const struct ref_image *m, const struct ref_sampler *s, const float *coord,
		     const int *offset, uint32_t level, int min, struct ref_value v[4])
{
	int axes = ref_axes(m->dim), k, c, tap;
	long long at[3][2] = { { 0 } }, i[3];
	long double w[3][2] = { { 1, 0 }, { 1, 0 }, { 1, 0 } }, sum[4] = { 0 }, most[4] = { 0 };
	struct ref_value single[4];
	int used = 0;

	for (k = 0; k < axes; k++) {
		uint32_t n = ref_level_size(m, level, k);
		long double u = texels(s, coord[k], k, n) + offset[k];

		if (k == 2 ? s->linear_z[min] : s->linear[min]) {
			u -= 0.5L;
			at[k][0] = addressed((long long)floorl(u), n, s->clamp[k]);
			at[k][1] = addressed((long long)floorl(u) + 1, n, s->clamp[k]);
			w[k][1] = u - floorl(u);
			w[k][0] = 1 - w[k][1];
		} else {
			at[k][0] = addressed((long long)floorl(u), n, s->clamp[k]);
		}
	}
	if (ref_is_array(m->dim))
		at[2][0] = slice_of(m, s, coord);
	for (tap = 0; tap < 8; tap++) {
		long double share = w[0][tap & 1] * w[1][tap >> 1 & 1] * w[2][tap >> 2];

		if (share == 0)
			continue;
		used++;
		for (k = 0; k < 3; k++)
			i[k] = at[k][tap >> k & 1];
		for (c = 0; c < 4; c++) {
			single[c] = fetch(m, s, level, i, c);
			sum[c] += share * single[c].value;
			if (fabsl(single[c].value) > most[c])
				most[c] = fabsl(single[c].value);
		}
	}
	for (c = 0; c < 4; c++) {
		v[c] = single[c];
		if (used > 1) {
			v[c] = real((double)sum[c]);
			v[c].slack = ldexp((double)most[c], -21);
		}
	}
}

void ref_sample(const struct ref_image *m, const struct ref_sampler *s, const float *coord,
		const int *offset, float lod, struct ref_value v[4])
{
	double l = rint((isnan(lod) ? 0 : lod) * 256) / 256, top = m->last - m->base, in;
	struct ref_value t[4], u[4];
	int c, min;

	l = l > s->max_lod ? s->max_lod : l;
	l = l < s->min_lod ? s->min_lod : l;
	min = l > 0;
	in = l < 0 ? 0 : l > top ? top : l;
	if (s->mip < 2) {
		filtered(m, s, coord, offset, m->base + (s->mip ? (int)floor(in + 0.5) : 0), min,
			 t);
	} else {
		filtered(m, s, coord, offset, m->base + (int)floor(in), min, t);
		if (in > floor(in)) {
			double w = in - floor(in);

			filtered(m, s, coord, offset, m->base + (int)floor(in) + 1, min, u);
			for (c = 0; c < 4; c++) {
				t[c].slack += u[c].slack +
					      ldexp(fabs(t[c].value) + fabs(u[c].value), -22);
				t[c].value = t[c].value * (1 - w) + u[c].value * w;
			}
		}
	}
	swizzled(m, t, v);
}

void ref_gather(const struct ref_image *m, const struct ref_sampler *s, const float *coord,
		const int *offset, unsigned int c, struct ref_value v[4])
{
	static const int dx[] = { 0, 1, 1, 0 }, dy[] = { 1, 1, 0, 0 };
	uint32_t level = m->base;
	long long i[3] = { 0, 0, slice_of(m, s, coord) };
	struct ref_value t[4], all[4];
	int n, k;

	if (!ref_is_array(m->dim))
		i[2] = 0;
	for (n = 0; n < 4; n++) {
		const uint32_t w = ref_level_size(m, level, 0), h = ref_level_size(m, level, 1);
		long double x = texels(s, coord[0], 0, w) + offset[0] - 0.5L;
		long double y = texels(s, coord[1], 1, h) + offset[1] - 0.5L;

		i[0] = addressed((long long)floorl(x) + dx[n], w, s->clamp[0]);
		i[1] = addressed((long long)floorl(y) + dy[n], h, s->clamp[1]);
		for (k = 0; k < 4; k++)
			t[k] = fetch(m, s, level, i, k);
		swizzled(m, t, all);
		v[n] = all[c];
	}
}

static uint32_t packed(const struct ref_format *f, int c, uint32_t v, bool half)
{
	double max = ldexp(1, f->bits[c]) - 1, x;
	int64_t s = half ? (int64_t)(int16_t)v : (int32_t)v, u = half ? v & 0xffff : v;
	float r = half ? half_to_float((uint16_t)v) : bits_float(v);

	switch (f->kind) {
	case REF_UNORM:
		x = isnan(r) ? 0 : r < 0 ? 0 : r > 1 ? 1 : r;
		return (uint32_t)rint(x * max);
	case REF_SNORM:
		max = ldexp(1, f->bits[c] - 1) - 1;
		x = isnan(r) ? 0 : r < -1 ? -1 : r > 1 ? 1 : r;
		return (uint32_t)(int32_t)rint(x * max);
	case REF_FLOAT:
		if (f->bits[c] == 32)
			return half ? float_bits(r) : v;
		return half ? v : float_to_half(r);
	case REF_UINT:
		return (uint32_t)(u > max ? max : u);
	default:
		max = ldexp(1, f->bits[c] - 1);
		return (uint32_t)(int32_t)(s >= max ? max - 1 : s < -max ? -max : s);
	}
}

void ref_pack(const struct ref_image *m, const uint32_t *value, uint32_t mask, bool half,
	      uint8_t *texel)
{
	int c, k, n, at = 0;
	uint32_t v;

	memset(texel, 0, m->f->bytes);
	for (c = 0; c < m->f->n; at += m->f->bits[c++]) {
		for (k = 0; k < 4 && m->sel[k] != 4 + c; k++)
			;
		if (k == 4 || !(mask >> k & 1))
			continue;
		v = packed(m->f, c, value[k], half);
		for (n = 0; n < m->f->bits[c]; n++)
			texel[(at + n) / 8] |= (v >> n & 1) << (at + n) % 8;
	}
}

bool ref_matches(const struct ref_image *m, const struct ref_value *v, uint32_t got, bool half)
{
	float f;

	if (v->exact)
		return half ? (got & 0xffff) == (v->bits & 0xffff) : got == v->bits;
	(void)m;
	f = half ? half_to_float((uint16_t)got) : bits_float(got);
	if (isnan(v->value))
		return isnan(f);
	if (isinf(v->value))
		return f == v->value;
	if (half)	/* and half of the last place */
		return isinf(f) ? fabs(v->value) >= 65519 :
		       fabs(f - v->value) <= v->slack + ldexp(fabs(v->value), -11) + ldexp(1, -25);
	return fabs(f - v->value) <= v->slack + ldexp(1, -149);
}
