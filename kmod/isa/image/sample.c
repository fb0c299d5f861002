// SPDX-License-Identifier: GPL-2.0-only
/*
 * Image instructions that name a place between texels: sample and gather4.
 *
 * A coordinate is made a fixed-point number of texels with 8 fractional bits, rounded to the
 * nearest or, by the sampler's TRUNC_COORD, cut off. So a place closer than 1/512 of a texel to the
 * next one is that one's, and weights are multiples of 1/256. This is what Radeons do (Mesa,
 * ac_gpu_info.h about truncation; Vulkan's and Direct3D's subTexelPrecisionBits of 8), and within
 * what OpenCL allows. The product of coordinate and size has no error here. A coordinate that wraps
 * or is mirrored loses its whole number first, as OpenCL says; NaN is 0.
 *
 * The level comes from a register or is 0. From gradients it is not computed: such an instruction
 * is executed if nothing depends on the level, as for all images of OpenCL and HIP without mipmaps.
 */
#include "image.h"
#include "../tables.h"

#define FRAC		8
#define ONE		(1 << FRAC)
#define FIXED_MAX	(1ll << 40)
#define NOWHERE		(-1)	/* a texel of the border */

#define SETUP_COST	16u
#define LANE_COST	4u	/* and 2 for each texel */

struct img_sampling {
	struct img_rsrc r;
	struct img_samp s;
	struct img_addr a;
	struct img_op op;
	bool integer;
};

/* Texels of an axis that count, and their weights in 1/256 */
struct img_axis {
	s32 at[2];
	u32 weight[2];
	u32 n;
};

/* (float) @f * @n in units of 2^-@frac */
static s64 to_fixed(u32 f, u32 n, u32 frac, bool truncate)
{
	const bool neg = f >> 31;
	const u32 exp = f >> 23 & 0xff;
	const u64 p = (u64)((exp ? 1u << 23 : 0) | (f & 0x7fffff)) * n;
	const int up = (int)(exp ? exp : 1) - 150 + (int)frac;
	u64 q, rem, half;

	if (exp == 0xff && f & 0x7fffff)
		return 0;
	if (!p)
		return 0;
	/* A number that large is a normal one: the product has 23 bits and more. */
	if (up > 20)
		return neg ? -FIXED_MAX : FIXED_MAX;
	if (up >= 0) {
		/* Less than 2^41 * 2^20 */
		q = p << up;
	} else if (up < -62) {
		q = 0;
		if (truncate && neg)
			q = 1;
	} else {
		q = p >> -up;
		rem = p & ((1ull << -up) - 1);
		half = 1ull << (-up - 1);
		if (truncate ? neg && rem : rem > half || (rem == half && q & 1))
			q++;
	}
	if (q > (u64)FIXED_MAX)
		q = (u64)FIXED_MAX;
	return neg ? -(s64)q : (s64)q;
}

/* The rest of float @f by 2; infinite: 0 */
static u32 rest_by_two(u32 f)
{
	const u32 exp = f >> 23 & 0xff;
	u32 m = f & 0x7fffff, up;

	if (exp < 128)
		return f;
	if (exp >= 128 + 23)
		return f & BIT(31);
	/* Its bits of 2 and above: the implied one and exp - 128 more */
	m &= 0x7fffff >> (exp - 128);
	if (!m)
		return f & (u32)BIT(31);
	up = (u32)__builtin_clz(m) - 8;
	return (f & (u32)BIT(31)) | (exp - up) << 23 | (m << up & 0x7fffff);
}

static s32 address(s64 at, s32 size, enum img_clamp clamp)
{
	switch (clamp) {
	case IMG_WRAP:
		at %= size;
		return (s32)(at < 0 ? at + size : at);
	case IMG_MIRROR:
		at %= 2 * size;
		if (at < 0)
			at += 2 * size;
		return (s32)(at < size ? at : 2 * size - 1 - at);
	case IMG_MIRROR_ONCE:
		if (at < 0)
			at = -1 - at;
		break;
	case IMG_BORDER:
		if (at < 0 || at >= size)
			return NOWHERE;
		break;
	default:
		break;
	}
	return (s32)(at < 0 ? 0 : at >= size ? size - 1 : at);
}

/* @f: the coordinate; @move: an offset of texels; @pair: two texels, as a linear filter has them */
static void place(const struct img_samp *s, u32 f, u32 axis, u32 size, s32 move, bool pair,
		  struct img_axis *x)
{
	const enum img_clamp clamp = s->clamp[axis];
	s64 at;

	if (!s->unnormalised && (clamp == IMG_WRAP || clamp == IMG_MIRROR))
		f = rest_by_two(f);
	at = to_fixed(f, s->unnormalised ? 1 : size, FRAC, s->truncate) + (s64)move * ONE;
	if (!pair) {
		x->n = 1;
		x->at[0] = address(at >> FRAC, (s32)size, clamp);
		x->weight[0] = ONE;
		return;
	}
	at -= ONE / 2;
	x->n = 2;
	x->weight[1] = (u32)at & (ONE - 1);
	x->weight[0] = ONE - x->weight[1];
	x->at[0] = address(at >> FRAC, (s32)size, clamp);
	x->at[1] = address((at >> FRAC) + 1, (s32)size, clamp);
}

static u32 coord(const struct img_sampling *p, u32 n, unsigned int lane)
{
	const u32 v = img_coord(&p->a, n, lane);

	return p->a.half ? isa_float_of(v) : v;
}

/* Slice that a lane's coordinate names, the nearest that there is */
static u32 slice_of(const struct img_sampling *p, unsigned int lane)
{
	s64 n;

	if (!img_is_array(p->r.dim))
		return 0;
	n = to_fixed(coord(p, img_axes(p->r.dim), lane), 1, 0, p->s.truncate);
	if (n >= (s64)p->r.layers)
		n = (s64)p->r.layers - 1;
	return p->r.first + (u32)(n < 0 ? 0 : n);
}

/* Level of detail in 1/256, limited as the sampler says */
static s32 lod_of(const struct img_sampling *p, unsigned int lane)
{
	s64 lod = 0;

	if (p->op.flags & IMG_F_MIP)
		lod = to_fixed(coord(p, img_axes(p->r.dim) + img_is_array(p->r.dim), lane), 1, FRAC,
			       false);
	if (lod > p->s.max_lod)
		lod = p->s.max_lod;
	return lod < p->s.min_lod ? p->s.min_lod : (s32)lod;
}

static s32 offset_of(const struct img_sampling *p, u32 axis, unsigned int lane)
{
	if (!(p->op.flags & IMG_F_OFFSET))
		return 0;
	return (s32)(p->a.row[0][lane] >> 8 * axis << 26) >> 26;
}

static void border(const struct img_sampling *p, u32 *value)
{
	u32 c;

	for (c = 0; c < 4; c++) {
		const bool one = p->r.border[c] == 3 ? p->s.alpha : p->s.white;

		value[c] = one && c < p->r.shape.n ? 0x3f800000 : 0;
	}
}

/* The texel at @x, @y, @z as floats or integers */
static enum isa_stop fetch(struct isa_wave *w, const struct img_sampling *p, u32 level, s32 x,
			   s32 y, s32 z, u32 *value)
{
	enum isa_stop stop;
	u32 buf[4], c;

	if (x == NOWHERE || y == NOWHERE || z == NOWHERE) {
		border(p, value);
		return ISA_STOP_NONE;
	}
	stop = isa_img_read(w, &p->r, isa_img_va(&p->r, level, (u32)x, (u32)y, (u32)z), buf);
	for (c = 0; !stop && c < 4; c++)
		value[c] = isa_img_component(&p->r, buf, c, false);
	return stop;
}

#define TAPS	8

/* One level, filtered. @linear, @linear_z: between its texels */
static enum isa_stop filter(struct isa_wave *w, const struct img_sampling *p, unsigned int lane,
			    u32 level, bool linear, bool linear_z, u32 *value)
{
	const u32 axes = img_axes(p->r.dim), slice = slice_of(p, lane);
	struct img_axis x[3] = { [0 ... 2] = { { 0 }, { ONE }, 1 } };
	u32 tap[4][TAPS], weight[TAPS], one[4], n = 0, a, b, c, k;
	enum isa_stop stop;

	for (k = 0; k < axes; k++)
		place(&p->s, coord(p, k, lane), k, p->r.level[level].size[k],
		      offset_of(p, k, lane), k == 2 ? linear_z : linear, &x[k]);
	if (img_is_array(p->r.dim))
		x[2].at[0] = (s32)slice;
	for (c = 0; c < x[2].n; c++)
		for (b = 0; b < x[1].n; b++)
			for (a = 0; a < x[0].n; a++) {
				u32 share = x[0].weight[a] * x[1].weight[b] * x[2].weight[c];

				if (!share)
					continue;
				stop = fetch(w, p, level, x[0].at[a], x[1].at[b], x[2].at[c], one);
				if (stop)
					return stop;
				for (k = 0; k < 4; k++)
					tap[k][n] = one[k];
				weight[n++] = share;
			}
	for (k = 0; k < 4; k++)
		value[k] = n == 1 ? tap[k][0] : isa_img_blend(tap[k], weight, n, 3 * FRAC);
	return ISA_STOP_NONE;
}

static enum isa_stop sample(struct isa_wave *w, const struct img_sampling *p, unsigned int lane,
			    u32 *value)
{
	const s32 lod = lod_of(p, lane), top = (s32)(p->r.last - p->r.base) * ONE;
	const bool min = lod > 0, linear = p->s.linear[min], linear_z = p->s.linear_z[min];
	const s32 in = lod < 0 ? 0 : lod > top ? top : lod;
	u32 level = p->r.base, more[4], pair[2], weight[2], c;
	enum isa_stop stop;

	if (p->s.mip == 1)
		level += (u32)(in + ONE / 2) >> FRAC;
	else if (p->s.mip == 2)
		level += (u32)in >> FRAC;
	level = array_index_nospec(level, IMG_LEVELS);
	stop = filter(w, p, lane, level, linear, linear_z, value);
	weight[1] = (u32)in & (ONE - 1);
	if (stop || p->s.mip != 2 || !weight[1] || level >= p->r.last)
		return stop;
	level = array_index_nospec(level + 1, IMG_LEVELS);
	stop = filter(w, p, lane, level, linear, linear_z, more);
	if (stop)
		return stop;
	weight[0] = ONE - weight[1];
	for (c = 0; c < 4; c++) {
		pair[0] = value[c];
		pair[1] = more[c];
		value[c] = isa_img_blend(pair, weight, 2, FRAC);
	}
	return ISA_STOP_NONE;
}

/* What goes to a register as component @c */
static u32 result(const struct img_sampling *p, const struct isa_insn *i, const u32 *value, u32 c)
{
	const u32 v = isa_img_select(&p->r, value, c, false);

	return i->ctl & ISA_IMG_D16 && !p->integer ? isa_half_of(v) : v;
}

/* One component of the four texels around a place, counter-clockwise from lower left */
static enum isa_stop gather(struct isa_wave *w, const struct isa_insn *i,
			    const struct img_sampling *p, unsigned int lane)
{
	static const struct {
		u8 x, y;
	} order[] = { { 0, 1 }, { 1, 1 }, { 1, 0 }, { 0, 0 } };
	const s32 slice = (s32)slice_of(p, lane);
	const u32 top = p->r.last - p->r.base, c = (u32)__builtin_ctz((u32)i->offset);
	u32 level = p->s.mip ? (u32)(lod_of(p, lane) + ONE / 2) >> FRAC : 0, value[4], n;
	struct img_axis x[2];
	enum isa_stop stop;

	level = array_index_nospec(p->r.base + (level < top ? level : top), IMG_LEVELS);
	for (n = 0; n < 2; n++)
		place(&p->s, coord(p, n, lane), n, p->r.level[level].size[n],
		      offset_of(p, n, lane), true, &x[n]);
	for (n = 0; n < 4; n++) {
		stop = fetch(w, p, level, x[0].at[order[n].x], x[1].at[order[n].y], slice, value);
		if (stop)
			return stop;
		isa_img_put(w, i, lane, n, result(p, i, value, c));
	}
	return ISA_STOP_NONE;
}

/* Whether all that this sampler asks of this image is done here */
static bool combines(const struct img_sampling *p)
{
	const struct img_samp *s = &p->s;
	const u32 dim = p->r.dim;
	const bool same = s->linear[0] == s->linear[1] &&
			  (s->linear_z[0] == s->linear_z[1] || dim != IMG_3D);
	const bool one_level = !s->mip || p->r.last == p->r.base;
	const bool linear = s->linear[0] || s->linear[1] ||
			    (dim == IMG_3D && (s->linear_z[0] || s->linear_z[1]));
	const bool border = s->clamp[0] == IMG_BORDER || s->clamp[1] == IMG_BORDER ||
			    s->clamp[2] == IMG_BORDER;
	const bool gather = p->op.kind == IMG_GATHER;

	if (!p->r.layers || (gather && dim != IMG_2D && dim != IMG_2D_ARRAY))
		return false;
	if (!(one_level && (same || gather)) && (p->op.flags & IMG_F_IMPLICIT || s->bias))
		return false;
	/* Nothing says what the sum of integers is, or their border. */
	return !p->integer || ((!linear || gather) && (one_level || s->mip != 2) &&
			       !(border && s->alpha));
}

static enum isa_stop null_sample(struct isa_wave *w, const struct isa_insn *i, u32 *dst)
{
	const u32 n = isa_img_dwords(i);
	unsigned int lane;
	u32 d;

	IMG_LANES(lane, isa_exec(w))
		for (d = 0; d < n; d++)
			w->tmp[d][lane] = 0;
	return isa_img_commit(w, i, dst, SETUP_COST);
}

enum isa_stop isa_img_exec_sample(struct isa_wave *w, const struct isa_insn *i)
{
	u32 *dst = mem_rows(w, i->dst, isa_img_dwords(i) + !!(i->ctl & ISA_IMG_TFE));
	struct img_sampling p;
	enum isa_stop stop;
	unsigned int lane;
	u32 value[4], lanes = 0, taps, c, k;

	p.op = isa_img_op(i->op);
	if (!dst || !isa_img_rsrc(w, i, &p.r) || !isa_img_samp(w, i, &p.s) ||
	    !isa_img_addr(w, i, &p.r, &p.a) || p.r.dim != p.a.dim)
		return isa_exec_illegal(w, i);
	if (p.r.null)
		return null_sample(w, i, dst);
	p.integer = p.r.num == ISA_NUM_UINT || p.r.num == ISA_NUM_SINT;
	if (!combines(&p))
		return isa_exec_illegal(w, i);
	IMG_LANES(lane, isa_exec(w)) {
		lanes++;
		if (p.op.kind == IMG_GATHER) {
			stop = gather(w, i, &p, lane);
			if (stop)
				return stop;
			continue;
		}
		stop = sample(w, &p, lane, value);
		if (stop)
			return stop;
		for (c = 0, k = 0; c < 4; c++)
			if ((u32)i->offset >> c & 1)
				isa_img_put(w, i, lane, k++, result(&p, i, value, c));
	}
	taps = 1;
	if (p.s.linear[0] || p.s.linear[1] || p.op.kind == IMG_GATHER)
		taps = 4u << (p.r.dim == IMG_3D) << (p.s.mip == 2);
	return isa_img_commit(w, i, dst, SETUP_COST + lanes * (LANE_COST + 2 * taps));
}
