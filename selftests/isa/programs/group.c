// SPDX-License-Identifier: MIT
/* Programs of group.cl: the table, and references of those that are not in group_mem.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "group.h"

u32 group_bytes(const struct program *p, u32 n)
{
	return p->args[n].v;
}

void group_fill(PARAMS, u32 n)
{
	u32 *x = b[n], k;

	for (k = 0; k < group_bytes(p, n) / 4; k++)
		x[k] = (u32)program_random(n, k);
}

static void init1(PARAMS) { group_fill(p, b, 1); }
static void init0(PARAMS) { group_fill(p, b, 0); }
static void init2(PARAMS) { group_fill(p, b, 2); }
static void init12(PARAMS) { group_fill(p, b, 1); group_fill(p, b, 2); }
static void init_none(PARAMS) { (void)p; (void)b; }

/* Small floats or doubles, so that sums have few bits in common. */
static void init_f32(PARAMS)
{
	u32 n, k;

	for (n = 1; n < 3; n++)
		for (k = 0; k < group_bytes(p, n) / 4; k++)
			((float *)b[n])[k] = (float)(s32)program_random(n, k) * 0x1p-30f;
}

static void init_f64(PARAMS)
{
	u32 n, k;

	for (n = 1; n < 3; n++)
		for (k = 0; k < group_bytes(p, n) / 8; k++)
			((double *)b[n])[k] = (double)(s64)program_random(n, k) * 0x1p-61;
}

static void ref_ids(PARAMS)
{
	u32 *out = b[0], x, y, z;

	UNUSED;
	for (z = 0; z < 8; z++)
		for (y = 0; y < 16; y++)
			for (x = 0; x < 32; x++)
				out[(z * 16 + y) * 32 + x] = x | y << 8 | z << 16 | 0x5a000000;
}

static void ref_lds_reduce(PARAMS)
{
	u32 *out = b[0], *in = b[1], g, k;

	for (g = 0; g < p->groups[0]; g++)
		for (out[g] = k = 0; k < 256; k++)
			out[g] += in[g * 256 + k];
}

static void ref_lds_transpose(PARAMS)
{
	u32 *out = b[0], *in = b[1], x, y;

	UNUSED;
	for (y = 0; y < 64; y++)
		for (x = 0; x < 64; x++)
			out[x * 64 + y] = in[y * 64 + x];
}

static void scan(PARAMS, u32 width)
{
	u32 *out = b[0], *in = b[1], k, s = 0;

	for (k = 0; k < group_bytes(p, 0) / 4; k++)
		out[k] = s = k % width ? s + in[k] : in[k];
}

static void ref_scan(PARAMS) { scan(p, b, 256); }
static void ref_scan_dpp(PARAMS) { scan(p, b, 64); }

/*
 * Source lane of a DPP control, -1 if there is none. Source: CDNA2 ISA, DPP; that rows which a
 * broadcast does not reach have their own lanes is from rocWMMA's tests.
 */
static int dpp_lane(u32 ctrl, int l)
{
	int row = l & ~15, i = l & 15, n = ctrl & 15;

	if (ctrl < 0x100)
		return (l & ~3) | (ctrl >> 2 * (l & 3) & 3);
	if (ctrl <= 0x10f)
		return i + n < 16 ? row + i + n : -1;
	if (ctrl <= 0x11f)
		return i >= n ? row + i - n : -1;
	if (ctrl <= 0x12f)
		return row + ((i - n) & 15);
	switch (ctrl) {
	case 0x130:
		return l < 63 ? l + 1 : -1;
	case 0x134:
		return (l + 1) & 63;
	case 0x138:
		return l - 1;
	case 0x13c:
		return (l - 1) & 63;
	case 0x140:
		return row + 15 - i;
	case 0x141:
		return (l & ~7) + 7 - (l & 7);
	case 0x142:
		return row ? row - 1 : l;
	case 0x143:
		return l >= 32 ? 31 : l;
	default:
		return row + n;
	}
}

static u32 dpp(u32 old, const u32 *v, u32 ctrl, u32 rows, u32 banks, u32 bound, u32 l, u64 exec)
{
	int from = dpp_lane(ctrl, (int)l);

	if (!(rows >> (l / 16) & 1) || !(banks >> (l / 4 % 4) & 1))
		return old;
	if (from < 0 || !(exec >> from & 1))
		return bound ? 0 : old;
	return v[from];
}

static void ref_dpp_modes(PARAMS)
{
	static const struct { u16 ctrl; u8 rows, banks, bound; } m[16] = {
		{ 0x1b, 15, 15, 0 }, { 0x101, 15, 15, 0 }, { 0x103, 15, 15, 1 },
		{ 0x115, 15, 15, 0 }, { 0x127, 15, 15, 0 }, { 0x130, 15, 15, 0 },
		{ 0x134, 15, 15, 0 }, { 0x138, 15, 15, 0 }, { 0x13c, 15, 15, 0 },
		{ 0x140, 15, 15, 0 }, { 0x141, 15, 15, 0 }, { 0x142, 15, 15, 0 },
		{ 0x143, 15, 15, 0 }, { 0x142, 6, 3, 0 }, { 0x1b, 5, 10, 1 },
		{ 0x155, 15, 15, 0 },
	};
	u32 *out = b[0], *in = b[1], n, l;
	u64 exec = 0;

	UNUSED;
	for (n = 0; n < 16; n++)
		for (l = 0; l < 64; l++)
			out[n * 64 + l] = dpp(0x1000 + l, in, m[n].ctrl, m[n].rows,
					      m[n].banks, m[n].bound, l, ~0ull);
	for (l = 0; l < 64; l++)
		exec |= (u64)(l % 3 != 0) << l;
	for (l = 0; l < 64; l++) {
		out[16 * 64 + l] = 0x1000 + l;
		out[17 * 64 + l] = in[l];
		if (l % 3) {
			out[16 * 64 + l] = dpp(0x1000 + l, in, 0x111, 15, 15, 0, l, exec);
			out[17 * 64 + l] = dpp(in[l], in, 0x121, 15, 15, 1, l, exec);
		}
	}
}

static u32 popcount(u64 v)
{
	u32 n = 0;

	for (; v; v &= v - 1)
		n++;
	return n;
}

static void ref_wave_ops(PARAMS)
{
	u32 *out = b[0], *in = b[1], l, k, v[64], w[64], first;
	u64 m = 0, act = 0;

	UNUSED;
	for (l = 0; l < 64; l++) {
		m |= (u64)(in[l] & 1) << l;
		act |= (u64)(in[l] >> 1 & 1) << l;
	}
	for (first = 0; first < 63 && !(act >> first & 1); first++)
		;
	for (l = 0; l < 64; l++) {
		out[l] = in[5] + in[63];
		out[64 + l] = in[0];
		out[128 + l] = (u32)m;
		out[192 + l] = (u32)(m >> 32);
		out[256 + l] = popcount(m & ((1ull << l) - 1));
		out[320 + l] = (in[l] & 63) * 3;
		out[384 + ((l * 5 + 3) & 63)] = in[l];
		out[448 + l] = in[l ^ 1];
		out[512 + l] = in[l ^ 31];
		out[576 + l] = in[(l & 0x30) | 1];
		out[640 + l] = in[l ^ 1];
		v[l] = w[l] = act >> l & 1 ? in[first] + (u32)act : in[l];
	}
	for (l = 0; l < 64; l++)
		if (act >> l & 1)
			w[l] += act >> ((l + 1) & 63) & 1 ? v[(l + 1) & 63] : 0;
	for (l = 0; l < 64; l++) {
		out[704 + l] = w[l];
		out[768 + l] = 0;
		for (k = 0; k < 64; k++)
			out[768 + l] += w[k] == w[l];
	}
}

static void ref_bitonic(PARAMS)
{
	u32 *x = b[0], g, i, j;

	for (g = 0; g < p->groups[0]; g++, x += 512)
		for (i = 1; i < 512; i++) {
			u32 v = x[i];

			for (j = i; j && x[j - 1] > v; j--)
				x[j] = x[j - 1];
			x[j] = v;
		}
}

static void ref_histogram(PARAMS)
{
	u32 *out = b[0], *in = b[1], k;

	for (k = 0; k < group_bytes(p, 1) / 4; k++)
		out[in[k] & 63]++;
}

static void ref_matmul(PARAMS)
{
	float *c = b[0], *x = b[1], *y = b[2];
	u32 i, j, k;

	UNUSED;
	for (i = 0; i < 64; i++)
		for (j = 0; j < 64; j++) {
			float s = 0;

			for (k = 0; k < 64; k++)
				s = fmaf(x[i * 64 + k], y[k * 64 + j], s);
			c[i * 64 + j] = s;
		}
}

static void ref_matmul_f64(PARAMS)
{
	double *c = b[0], *x = b[1], *y = b[2];
	u32 i, j, k;

	UNUSED;
	for (i = 0; i < 64; i++)
		for (j = 0; j < 64; j++) {
			double s = 0;

			for (k = 0; k < 64; k++)
				s = fma(x[i * 64 + k], y[k * 64 + j], s);
			c[i * 64 + j] = s;
		}
}

static void ref_dots(PARAMS)
{
	u32 *out = b[0], *x = b[1], *y = b[2], g, k;

	UNUSED;
	for (g = 0; g < 1024; g++) {
		u32 r[4] = { g, g, g, g };

		for (k = 0; k < 4; k++) {
			r[0] += (u32)((s8)(x[g] >> 8 * k) * (s8)(y[g] >> 8 * k));
			r[1] += (u8)(x[g] >> 8 * k) * (u8)(y[g] >> 8 * k);
		}
		for (k = 0; k < 8; k++) {
			s32 i = (s32)(x[g] << (28 - 4 * k)) >> 28;
			s32 j = (s32)(y[g] << (28 - 4 * k)) >> 28;

			r[2] += (u32)(i * j);
			r[3] += (x[g] >> 4 * k & 15) * (y[g] >> 4 * k & 15);
		}
		for (k = 0; k < 4; k++)
			out[1024 * k + g] = r[k];
	}
}

static void ref_append(PARAMS)
{
	u32 *out = b[0], *in = b[1], g, k;

	for (g = 0; g < p->groups[0]; g++)
		for (out[g] = k = 0; k < 64; k++) {
			u32 v = in[g * 64 + k];

			out[g] += (v & 1) + (v >> 1 & 1) - (v >> 2 & 1);
		}
}

static void ref_token(PARAMS)
{
	u32 *out = b[0], g, k;

	for (g = 0; g < p->groups[0]; g++)
		for (out[g] = k = 0; k < 16; k++)
			out[g] = out[g] * 5 + k % 4 + 1;
}

static void ref_work_queue(PARAMS)
{
	u32 *out = b[0], *head = b[1], *in = b[2], k;

	for (k = 0; k < 2048; k++)
		out[k] = in[k] * 3 + 1;
	*head = 2048 + 64 * p->groups[0];
}

static void ref_spill(PARAMS)
{
	u32 *out = b[0], *in = b[1], g, k, v[40];

	UNUSED;
	for (g = 0; g < 1024; g++) {
		u32 r = 0;

		for (k = 0; k < 40; k++)
			v[k] = in[(g + k * 13) & 1023] * (k + 1);
		for (k = 0; k < 40; k++)
			r = r * 31 + (v[k] ^ v[(k * 7 + 3) % 40]);
		out[g] = r;
	}
}

static void init_fft(PARAMS)
{
	float *w = b[2];
	u32 n, k;

	for (n = 0; n < 2; n++)
		for (k = 0; k < group_bytes(p, n) / 4; k++)
			((float *)b[n])[k] = (float)(s32)program_random(n, k) * 0x1p-31f;
	for (k = 0; k < 128; k++) {
		w[2 * k] = (float)cos(k * M_PI / 128);
		w[2 * k + 1] = (float)-sin(k * M_PI / 128);
	}
}

static void fft256(float *re, float *im, const float *w)
{
	float x[256], y[256];
	u32 k, l, half;

	for (k = 0; k < 256; k++) {
		u32 r = 0, n;

		for (n = 0; n < 8; n++)
			r |= (k >> n & 1) << (7 - n);
		x[r] = re[k];
		y[r] = im[k];
	}
	for (half = 1; half < 256; half <<= 1)
		for (l = 0; l < 128; l++) {
			u32 j = l & (half - 1), m = (l - j) * 2 + j, n = m + half;
			const float *root = w + 2 * j * (128 / half);
			float tx = x[n] * root[0] - y[n] * root[1];
			float ty = x[n] * root[1] + y[n] * root[0];

			x[n] = x[m] - tx;
			y[n] = y[m] - ty;
			x[m] += tx;
			y[m] += ty;
		}
	memcpy(re, x, sizeof(x));
	memcpy(im, y, sizeof(y));
}

/* The transform itself is checked by the energy it must keep (Parseval). */
static void ref_fft(PARAMS)
{
	float *re = b[0], *im = b[1];
	double before, after;
	u32 g, k;

	for (g = 0; g < p->groups[0]; g++, re += 256, im += 256) {
		for (before = k = 0; k < 256; k++)
			before += (double)re[k] * re[k] + (double)im[k] * im[k];
		fft256(re, im, b[2]);
		for (after = k = 0; k < 256; k++)
			after += (double)re[k] * re[k] + (double)im[k] * im[k];
		if (fabs(after / 256 - before) > 1e-4 * before)
			abort();
	}
}

#define BUF(n)		{ PROGRAM_ARG_BUFFER, n }
#define U32(n)		{ PROGRAM_ARG_U32, n }
#define SIZE(x, y, z)	{ x, y, z }
#define ROW_FOR(t, n, grp, grps, init_, ref_, fold_, ...)		\
	{ .name = #n, .object = "group", .kernel = #n, .targets = t,	\
	  .group = grp, .groups = grps, .args = { __VA_ARGS__ }, .init = init_,	\
	  .ref = ref_, .fold = fold_ }
#define ROW(n, grp, grps, init_, ref_, fold_, ...)			\
	{ .name = #n, .object = "group", .kernel = #n, .group = grp,	\
	  .groups = grps, .args = { __VA_ARGS__ }, .init = init_,	\
	  .ref = ref_, .fold = fold_ }
#define G256		SIZE(256, 1, 1)
#define G64		SIZE(64, 1, 1)
#define LINE(x)		SIZE(x, 1, 1)

const struct program group_programs[] = {
	ROW(ids, SIZE(8, 4, 4), SIZE(4, 4, 2), init_none, ref_ids, NULL, BUF(16384)),
	ROW(lds_reduce, G256, LINE(8), init1, ref_lds_reduce, NULL, BUF(64), BUF(8192)),
	ROW(lds_transpose, SIZE(16, 16, 1), SIZE(4, 4, 1), init1, ref_lds_transpose, NULL,
	    BUF(16384), BUF(16384)),
	ROW(scan, G256, LINE(4), init1, ref_scan, NULL, BUF(4096), BUF(4096)),
	ROW_FOR("gfx9*", scan_dpp, G256, LINE(4), init1, ref_scan_dpp, NULL, BUF(4096), BUF(4096)),
	ROW_FOR("gfx9*", dpp_modes, G64, LINE(1), init1, ref_dpp_modes, NULL,
		BUF(18 * 256), BUF(256)),
	ROW_FOR("gfx9*", wave_ops, G64, LINE(1), init1, ref_wave_ops, NULL,
		BUF(13 * 256), BUF(256)),
	ROW(bitonic, G256, LINE(4), init0, ref_bitonic, NULL, BUF(8192)),
	ROW(histogram, G256, LINE(4), init1, ref_histogram, NULL, BUF(256), BUF(16384)),
	ROW(atomics_u32, G256, LINE(4), group_init_atomics, group_ref_atomics_u32, NULL, BUF(64),
	    BUF(4096), BUF(4096)),
	ROW(atomics_u64, G256, LINE(4), group_init_atomics, group_ref_atomics_u64,
	    group_fold_atomics_u64, BUF(128), BUF(4096)),
	ROW(atomics_lds, G256, LINE(4), init2, group_ref_atomics_lds, NULL, BUF(192), BUF(384),
	    BUF(4096)),
	ROW_FOR("gfx90a gfx942 gfx950", atomics_float, G256, LINE(4), group_init_atomics_float,
		group_ref_atomics_float, NULL, BUF(64), BUF(64), BUF(64), BUF(4096)),
	ROW(flat_mix, G64, LINE(1), init12, group_ref_flat_mix, NULL, BUF(768), BUF(256), BUF(256)),
	ROW(shapes, G64, LINE(8), init1, group_ref_shapes, NULL, BUF(32768), BUF(4096)),
	ROW(unaligned, G64, LINE(1), init1, group_ref_unaligned, NULL, BUF(2048), BUF(2048), U32(3)),
	ROW(lds_widths, G64, LINE(1), init1, group_ref_lds_widths, NULL, BUF(8192), BUF(4096)),
	ROW(matmul, SIZE(16, 16, 1), SIZE(4, 4, 1), init_f32, ref_matmul, NULL, BUF(16384),
	    BUF(16384), BUF(16384)),
	ROW(matmul_f64, G64, LINE(64), init_f64, ref_matmul_f64, NULL, BUF(32768), BUF(32768),
	    BUF(32768)),
	ROW_FOR("gfx9*", dots, G64, LINE(16), init12, ref_dots, NULL,
		BUF(16384), BUF(4096), BUF(4096)),
	ROW(append, G64, LINE(4), init1, ref_append, NULL, BUF(64), BUF(1024)),
	ROW(token, G256, LINE(2), init_none, ref_token, NULL, BUF(64)),
	ROW(work_queue, G64, LINE(8), init2, ref_work_queue, NULL, BUF(8192), BUF(64), BUF(8192)),
	ROW(spill, G64, LINE(16), init1, ref_spill, NULL, BUF(4096), BUF(4096)),
	ROW(fft, SIZE(128, 1, 1), LINE(8), init_fft, ref_fft, NULL, BUF(8192), BUF(8192), BUF(1024)),
	ROW(buffers, G64, LINE(1), init1, group_ref_buffers, NULL, BUF(2048), BUF(2048), U32(1400)),
};

const size_t group_program_count = sizeof(group_programs) / sizeof(group_programs[0]);
