// SPDX-License-Identifier: MIT
/* Of isa_image: atomics. Sums are those of doubles, rounded once: to what they are stored as. */
#include <math.h>
#include "isa_image.h"

/* @x as a float of @bits bits, @ebits of them for the exponent */
static u32 rounded(double x, u32 bits, u32 ebits)
{
	const s32 mbits = (s32)(bits - 1 - ebits), bias = (1 << (ebits - 1)) - 1;
	const u32 sign = signbit(x) ? 1u << (bits - 1) : 0, inf = ((1u << ebits) - 1) << mbits;
	double m = fabs(x);
	int e;

	if (m == 0)
		return sign;
	if (isinf(m))
		return sign | inf;
	frexp(m, &e);
	e = e - 1 < 1 - bias ? 1 - bias : e - 1;
	m = rint(ldexp(m, mbits - e));
	/* The carry goes to the exponent, beyond the last one to infinity. */
	m += ldexp(e + bias - 1, mbits);
	return sign | (m >= inf ? inf : (u32)m);
}

static double value_of(u32 v, u32 bits, u32 ebits)
{
	const s32 mbits = (s32)(bits - 1 - ebits), bias = (1 << (ebits - 1)) - 1;
	const u32 m = v & ((1u << mbits) - 1), e = v >> mbits & ((1u << ebits) - 1);
	double x;

	if (e == (1u << ebits) - 1)
		x = m ? NAN : INFINITY;
	else
		x = ldexp(m + (e ? ldexp(1, mbits) : 0), (e ? (s32)e : 1) - bias - mbits);
	return v >> (bits - 1) & 1 ? -x : x;
}

/* NaNs are quieted, that in memory first; infinities of both signs give the one of x86 */
static u32 float_sum(u32 a, u32 b, u32 bits, u32 ebits)
{
	const u32 quiet = 1u << (bits - 2 - ebits), mask = bits == 32 ? ~0u : (1u << bits) - 1;
	const double x = value_of(a, bits, ebits), y = value_of(b, bits, ebits);

	if (isnan(x))
		return (a & mask) | quiet;
	if (isnan(y))
		return (b & mask) | quiet;
	if (isnan(x + y))
		return mask & ~(quiet - 1);
	return rounded(x + y, bits, ebits);
}

static u32 sum_of(const char *name, u32 v, u32 d)
{
	const u32 ebits = strstr(name, "bf16") ? 8 : 5;

	if (!strstr(name, "_pk_"))
		return float_sum(v, d, 32, 8);
	return float_sum(v & 0xffff, d & 0xffff, 16, ebits) |
	       float_sum(v >> 16, d >> 16, 16, ebits) << 16;
}

/*
 * A float operation. gfx12's minimum and maximum give a NaN if both are one, that of the register;
 * gfx10's one that signals, quiet, and else a number if there is one.
 */
static u32 float_operation(const char *name, u32 v, u32 d, u32 e)
{
	const bool num = strstr(name, "_flt"), least = strstr(name, "min");
	float a, b, c;

	memcpy(&a, &v, 4);
	memcpy(&b, &d, 4);
	memcpy(&c, &e, 4);
	if (strstr(name, "add"))
		return sum_of(name, v, d);
	if (strstr(name, "cmpswap"))
		return a == c ? d : v;
	if (isnan(a) && (num ? isnan(b) : !(v >> 22 & 1)))
		return (num ? d : v) | 1 << 22;
	if (isnan(b) && !num && !(d >> 22 & 1))
		return d | 1 << 22;
	if (isnan(a) || isnan(b))
		return isnan(a) && !isnan(b) ? d : v;
	if (a == b)	/* zeros */
		return (least ? d >> 31 : v >> 31) ? d : v;
	return (least ? b < a : b > a) ? d : v;
}

static bool is_float(const char *name)
{
	return strstr(name, "atomic_f") || strstr(name, "_flt") || strstr(name, "_pk_");
}

/* An operation on @v with @d; @e: what a compare-and-swap compares with */
static u64 operation(const char *name, u64 v, u64 d, u64 e, u32 bits)
{
	const u64 mask = bits == 64 ? ~0ull : 0xffffffff;
	const s64 a = bits == 64 ? (s64)v : (s32)v, b = bits == 64 ? (s64)d : (s32)d;

	if (is_float(name))
		return float_operation(name, (u32)v, (u32)d, (u32)e);
	name += strlen("image_atomic_");
	if (!strcmp(name, "swap"))
		return d;
	if (!strcmp(name, "cmpswap"))
		return v == e ? d : v;
	if (!strcmp(name, "add"))
		return (v + d) & mask;
	if (!strcmp(name, "sub"))
		return (v - d) & mask;
	if (!strcmp(name, "smin"))
		return a < b ? v : d;
	if (!strcmp(name, "smax"))
		return a > b ? v : d;
	if (!strcmp(name, "umin"))
		return v < d ? v : d;
	if (!strcmp(name, "umax"))
		return v > d ? v : d;
	if (!strcmp(name, "and"))
		return v & d;
	if (!strcmp(name, "or"))
		return v | d;
	if (!strcmp(name, "xor"))
		return v ^ d;
	if (!strcmp(name, "inc"))
		return v >= d ? 0 : v + 1;
	return !v || v > d ? d : v - 1;
}

static u64 wide_of(const u32 *v, u32 row, u32 lane, bool wide)
{
	return v[row * 64 + lane] | (wide ? (u64)v[(row + 1) * 64 + lane] << 32 : 0);
}

static bool one_atomic(const char *name, bool wide)
{
	static const u32 special[] = {
		0, 0x80000000, 0x7fc00000, 0x7f800001, 0xffc00123, 0x7f800000, 0xff800000, 1,
		0x80000001, 0x3f800000, 0x7c017e01, 0xfc007c00, 0x7c00fc00, 0x7bff7bff, 0x00013bff,
		0x80018001, 0x7f7fff7f, 0x7f80ff80, 0xff817f81, 0x33000080,
	};
	const char *other = strstr(name, "_pk_") ? "16_16 float" : "32 float";
	const bool cmp = strstr(name, "cmpswap");
	const u32 lanes = random_lanes(), words = wide ? 2 : 1;
	const u64 exec = random_exec(lanes);
	struct insn i = {
		.name = name, .dmask = (cmp ? 3u : 1u) | (wide ? cmp ? 15u : 3u : 0), .dim = 1,
		.nr_addr = 2, .glc = rnd(2),
	};
	u32 image[8], sampler[4] = { 0 }, lane, c[64][2];
	struct ref_image m;

	plain_image(&m, wide ? "32_32 uint" : rnd(2) ? "32 uint" : other);
	put_image(&m, image);
	random_addresses(&i);
	start(&i, lanes, exec, image, sampler);
	for (lane = 0; lane < 64; lane++) {
		/* Lanes that meet, and some outside */
		c[lane][0] = rnd(8) * 2 + !rnd(10);
		c[lane][1] = rnd(9);
		put_coords(&i, 0, lane, c[lane], 2);
		if (rnd(2)) {
			u64 at = ref_texel(&m, 0, c[lane]);

			memcpy(&rig.vgprs[words * 64 + lane], tex + (at == ~0ull ? 0 : at), 4);
		}
		if (is_float(name) && rnd(2)) {
			u64 at = ref_texel(&m, 0, c[lane]);

			memcpy(tex + (at == ~0ull ? 0 : at), &special[rnd(ARRAY_SIZE(special))], 4);
			rig.vgprs[lane] = special[rnd(ARRAY_SIZE(special))];
			rig.vgprs[64 + lane] = special[rnd(ARRAY_SIZE(special))];
		}
	}
	if (go() != ISA_STOP_END || !others_kept(exec, i.glc ? words : 0))
		return false;
	for (lane = 0; lane < lanes; lane++) {
		u64 at = ref_texel(&m, 0, c[lane]), was = 0, now;

		if (!(exec >> lane & 1))
			continue;
		if (at != ~0ull) {
			memcpy(&was, before + at, words * 4);
			now = operation(name, was, wide_of(old, 0, lane, wide),
					wide_of(old, words, lane, wide), words * 32);
			memcpy(before + at, &now, words * 4);
		}
		if (i.glc && wide_of(rig.vgprs, 0, lane, wide) != was) {
			printf("# %s: lane %u has another value\n", name, lane);
			return false;
		}
	}
	return !memcmp(before, tex, tex_pages);
}

bool atomics(void)
{
	static const char * const names[] = {
		"image_atomic_swap", "image_atomic_cmpswap", "image_atomic_add", "image_atomic_sub",
		"image_atomic_smin", "image_atomic_smax", "image_atomic_umin", "image_atomic_umax",
		"image_atomic_and", "image_atomic_or", "image_atomic_xor", "image_atomic_inc",
		"image_atomic_dec",
	}, *const floats[2][5] = {
		{ "image_atomic_fcmpswap", "image_atomic_fmin", "image_atomic_fmax" },
		{ "image_atomic_min_flt", "image_atomic_max_flt", "image_atomic_add_flt",
		  "image_atomic_pk_add_f16", "image_atomic_pk_add_bf16" },
	};
	u32 n, k;

	for (n = 0; n < ARRAY_SIZE(names); n++)
		for (k = 0; k < 60; k++)
			if (!one_atomic(names[n], k & 1)) {
				printf("# %s\n", names[n]);
				return false;
			}
	for (n = 0; (gen == 10 || gen == 12) && n < 5 && floats[gen == 12][n]; n++)
		for (k = 0; k < 120; k++)
			if (!one_atomic(floats[gen == 12][n], false)) {
				printf("# %s\n", floats[gen == 12][n]);
				return false;
			}
	return true;
}
