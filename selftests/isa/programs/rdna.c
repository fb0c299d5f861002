// SPDX-License-Identifier: MIT
/* Programs of rdna.cl: the table, and references. How many lanes a wave has, they are told. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "group.h"

/* Of the code object that is about to run: see run.c */
u32 rdna_lanes = 32;
bool rdna_halves;

static void init0(PARAMS) { (void)p; (void)b; }
static void init1(PARAMS) { group_fill(p, b, 1); }
static void init12(PARAMS) { group_fill(p, b, 1); group_fill(p, b, 2); }

/* Source lane of a DPP control, -1 if there is none. Source: RDNA2 ISA, DPP16. */
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
	if (ctrl == 0x140)
		return row + 15 - i;
	if (ctrl == 0x141)
		return (l & ~7) + 7 - (l & 7);
	return ctrl < 0x160 ? row + n : l ^ n;
}

static void ref_dpp(PARAMS)
{
	static const struct { u16 ctrl; u8 rows, banks, bound; } m[] = {
		{ 0x1b, 15, 15, 0 }, { 0x101, 15, 15, 0 }, { 0x103, 15, 15, 1 },
		{ 0x115, 15, 15, 0 }, { 0x127, 15, 15, 0 }, { 0x140, 15, 15, 0 },
		{ 0x141, 15, 15, 0 }, { 0x153, 15, 15, 0 }, { 0x165, 15, 15, 0 },
		{ 0x1b, 5, 10, 1 }, { 0x111, 15, 15, 0 }, { 0x111, 15, 15, 1 },
	};
	u32 *out = b[0], *in = b[1], n, l;

	UNUSED;
	for (l = 0; l < 64; l++)
		out[l] = rdna_lanes;
	for (n = 0; n < 12; n++)
		for (l = 0; l < 64; l++) {
			u32 at = l % rdna_lanes, to = n < 10 ? n + 1 : n + 2;
			int from = dpp_lane(m[n].ctrl, (int)at);

			if (n >= 10 && !(l % 3))
				continue;
			from = from < 0 ? -1 : (int)(l - at) + from;
			if (n >= 10 && from >= 0 && !(from % 3))
				from = -1;
			out[to * 64 + l] = 0x1000 + l;
			if (!(m[n].rows >> at / 16 & 1) || !(m[n].banks >> at / 4 % 4 & 1))
				continue;
			if (from >= 0)
				out[to * 64 + l] = in[from];
			else if (m[n].bound)
				out[to * 64 + l] = 0;
		}
	for (l = 0; l < 64; l++) {
		u32 from = (l & ~7u) | ((l + 1) & 7);

		out[11 * 64 + l] = in[from];
		from = l ^ 7;
		if (l % 3)
			out[14 * 64 + l] = from % 3 ? in[from] : 0;
	}
}

static void ref_lanes(PARAMS)
{
	static const u8 pick[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 15, 14, 13, 12, 11, 10, 9, 8 };
	u32 *out = b[0], *in = b[1], l, k;

	UNUSED;
	memset(out, 0, 13 * 256);
	for (l = 0; l < 64; l++) {
		u32 first = l & ~(rdna_lanes - 1), reach = rdna_halves ? 32 : rdna_lanes;
		u32 half = l & ~(reach - 1), x;

		out[l] = in[first + 5] + in[first + (37 & (rdna_lanes - 1))];
		out[64 + l] = in[first];
		out[128 + l] = l - first;
		out[192 + l] = (half + (in[l] & (reach - 1))) * 3;
		out[256 + half + ((l * 5 + 3) & (reach - 1))] = in[l];
		out[320 + l] = in[l ^ 1];
		out[384 + l] = in[l ^ 31];
		out[448 + l] = in[(l & ~15u) | pick[l & 15]];
		out[512 + l] = in[((l & ~15u) ^ 16) | pick[l & 15]];
		for (k = 0; k < rdna_lanes; k++)
			out[(k < 32 ? 576 : 640) + l] |= (in[first + k] & 1) << (k & 31);
		if (!(in[l] & 2))
			continue;
		x = (l & ~15u) | 1;
		out[704 + l] = in[x] & 2 ? in[x] : l;
		x = ((l & ~15u) ^ 16) | 2;
		out[768 + l] = in[x] & 2 ? in[x] : 0;
	}
}

static void ref_index(PARAMS)
{
	u32 *out = b[0], *in = b[1], at = p->args[2].v, l, k;

	for (l = 0; l < 64; l++) {
		u32 v[16], r = 0;

		for (k = 0; k < 16; k++)
			v[k] = in[l] + k * 3;
		for (k = 0; k < 16; k++) {
			u32 x = (at + k * 5) & 15;

			r = r * 7 + v[x];
			v[(x + 3) & 15] = r ^ l;
		}
		out[l] = r;
		out[64 + l] = v[at & 15];
	}
}

static float float_of(u32 x)
{
	float f;

	memcpy(&f, &x, sizeof(f));
	return f;
}

static void ref_uniform(PARAMS)
{
	float a = float_of(p->args[1].v), f = float_of(p->args[2].v), x = a;
	u32 *out = b[0], k, l, r = 0, bits;
	_Float16 h = (_Float16)a;
	unsigned short half;

	for (k = 0; k < p->args[3].v; k++) {
		float y = __builtin_fmaf(x, f, a) * 0.37f - (float)k;

		if (y > 3.0f)
			y = __builtin_floorf(y) + f;
		else if (y < -2.0f)
			y = __builtin_rintf(y * f);
		else
			y = __builtin_ceilf(x) - __builtin_truncf(y * 4.5f);
		x = __builtin_fminf(__builtin_fmaxf(y, -1000.0f), 1000.0f) + 0.11f;
		h = (_Float16)((float)h * (float)(_Float16)f);
		h = (_Float16)((float)h + (float)(_Float16)x);
		memcpy(&bits, &x, sizeof(bits));
		memcpy(&half, &h, sizeof(half));
		r = r * 31 + (bits ^ (u32)(int)(x * 16.0f));
		r += half + (u32)__builtin_fabsf(x);
	}
	for (l = 0; l < 64; l++)
		out[l] = r + l;
}

static void ref_masks(PARAMS)
{
	u32 *out = b[0], *in = b[1], l;

	UNUSED;
	for (l = 0; l < 64; l++) {
		u32 v = in[l], n = 0;

		while (v > 100) {
			if (v & 1)
				v = (v >> 1) + (v >> 3);
			else if (v % 3 == 0)
				v /= 3;
			else
				v = v / 2 + 1;
			if (v & 1 && v & 16)
				n += 3;
			if (v & 2 || v & 8)
				n ^= v;
		}
		out[l] = v + n * 1000;
	}
}

static s64 dot(u32 x, u32 y, u32 bits, bool sx, bool sy)
{
	s64 r = 0;
	u32 k;

	for (k = 0; k < 32; k += bits) {
		s64 i = x >> k & ((1u << bits) - 1), j = y >> k & ((1u << bits) - 1);

		i -= sx && i >> (bits - 1) ? 1ll << bits : 0;
		j -= sy && j >> (bits - 1) ? 1ll << bits : 0;
		r += i * j;
	}
	return r;
}

static void ref_dots(PARAMS)
{
	u32 *out = b[0], *x = b[1], *y = b[2], l;

	UNUSED;
	for (l = 0; l < 64; l++) {
		s64 sat = dot(x[l], y[l], 8, true, true) + 0x7fffff00;

		out[l] = (u32)dot(x[l], y[l], 8, true, true) + l;
		out[64 + l] = (u32)dot(x[l], y[l], 8, false, true) + l;
		out[128 + l] = (u32)dot(x[l], y[l], 8, true, false) + l;
		out[192 + l] = (u32)dot(x[l], y[l], 4, true, false) + l;
		out[256 + l] = sat > 0x7fffffff ? 0x7fffffff : (u32)sat;
		out[320 + l] = (u32)dot(x[l], y[l], 8, false, false) + l;
	}
}

/* Of each register of the result: nine operations. In some, A or B is taken to be unsigned. */
static void ref_wmma(PARAMS)
{
	const u32 *ma = b[1], *mb = b[2];
	u32 *out = b[0], l, r, k, regs = 256 / rdna_lanes;

	UNUSED;
	for (r = 0; r < regs; r++)
		for (l = 0; l < 64; l++) {
			u32 at = l % rdna_lanes, m = r * (rdna_lanes / 16) + at / 16, n = at % 16;
			int c = (int)m - (int)n, sum = c, ua = c, ub = c, plus = abs(c);
			u32 *o = out + r * 9 * 64 + l, h;
			float f;

			for (k = 0; k < 16; k++) {
				int x = (int)(ma[m * 16 + k] % 5) - 2;
				int y = (int)(mb[k * 16 + n] % 4) - 2;

				sum += x * y;
				plus += abs(x * y);
				ua += (x & 255) * y;
				ub += x * (y & 15);
			}
			f = (float)plus;
			memcpy(&h, &f, sizeof(h));
			o[0] = o[64] = h;
			o[2 * 64] = (u32)plus;
			o[3 * 64] = (u32)plus + 1;
			o[4 * 64] = h >> 16;
			o[5 * 64] = (u32)sum;
			o[6 * 64] = (u32)ua;
			o[7 * 64] = sum > 15 ? 0x7fffffff : (u32)sum + 0x7ffffff0u;
			o[8 * 64] = (u32)ub;
		}
}

#define BUF(n)		{ PROGRAM_ARG_BUFFER, n }
#define U32(n)		{ PROGRAM_ARG_U32, n }
#define ROW(n, t, init_, ref_, ...)					\
	{ .name = #n, .object = "rdna", .kernel = #n, .targets = t,	\
	  .group = { 64, 1, 1 }, .groups = { 1, 1, 1 }, .args = { __VA_ARGS__ },	\
	  .init = init_, .ref = ref_ }
#define GFX11		"gfx1100 gfx1100w64 gfx1151 gfx1151w64"
#define GFX12		"gfx1201 gfx1201w64"
#define ALL		GFX11 " gfx1030 gfx1030w64 " GFX12

const struct program rdna_programs[] = {
	ROW(rdna_dpp, ALL, init1, ref_dpp, BUF(15 * 256), BUF(256)),
	ROW(rdna_lanes, ALL, init1, ref_lanes, BUF(13 * 256), BUF(256)),
	ROW(rdna_index, ALL, init1, ref_index, BUF(512), BUF(256), U32(6)),
	ROW(rdna_uniform, ALL, init0, ref_uniform, BUF(256), U32(0x3fa3d70a), U32(0xbf9c28f6),
	    U32(40)),
	ROW(rdna_masks, ALL, init1, ref_masks, BUF(256), BUF(256)),
	ROW(rdna_dots, GFX11 " " GFX12, init12, ref_dots, BUF(6 * 256), BUF(256), BUF(256)),
	ROW(rdna_wmma, GFX11, init12, ref_wmma, BUF(72 * 256), BUF(1024), BUF(1024)),
};
const size_t rdna_program_count = sizeof(rdna_programs) / sizeof(rdna_programs[0]);
