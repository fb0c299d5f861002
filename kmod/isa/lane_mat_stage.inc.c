/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Matrix operations: operands out of the registers.
 *
 * Before anything is written, A and B are unpacked to arrays in isa_cu.mat:
 * one dword an element (or one of four bytes), rows of @sa or @sb elements for
 * each k, a second array beside it for what the kind needs (exponents, odd
 * bytes, high dwords). So the destination may overlap every source.
 *
 * Where an element lies: AMD matrix instruction calculator. A lane holds
 * consecutive elements along k, lanes go along the rows of A (the columns of
 * B), then the blocks, then on along k.
 */

enum mat_type {
	MAT_F32, MAT_F16, MAT_BF16, MAT_XF32, MAT_FP8, MAT_BF8, MAT_F64,
	MAT_I8,			/* four to a dword */
	MAT_BYTE,		/* the same, one by one */
	MAT_OCP_FP8, MAT_OCP_BF8,	/* what FP8 and BF8 are on gfx950 */
	MAT_IU8, MAT_IU4,	/* WMMA: signed or not, as the instruction says */
};

enum mat_kind {
	MAT_KIND_F32,		/* fused multiply-adds one after the other */
	MAT_KIND_F64,
	MAT_KIND_I8,
	MAT_KIND_DOT,		/* small floats; how they are summed depends on the target */
	MAT_KIND_SPARSE,	/* half of A's elements, and where they belong */
	MAT_KIND_WMMA_F32,	/* gfx11: of small floats to float, */
	MAT_KIND_WMMA_16,	/* ... to the same type, */
	MAT_KIND_WMMA_INT,	/* ... of integers */
	MAT_KIND_SWMMAC_F32,	/* gfx12: the same with half of A's elements */
	MAT_KIND_SWMMAC_16,
	MAT_KIND_SWMMAC_INT,
};

/* How @kind DOT is summed; MMA-Sim's names are pairwise and fused. */
enum mat_sum {
	MAT_SUM_PAIRS,		/* gfx908 */
	MAT_SUM_PAIRS_FLUSH,	/* gfx90a: denormals are zeros everywhere */
	MAT_SUM_FUSED,		/* gfx942 */
};

struct mat_shape {
	u16 op;
	u8 m, k, blocks;
	u8 kind, a, b;
};

static const struct mat_shape mat_shapes[] = {
#include "generated/isa_matrix.h"
};

/* isa_slot.aux: row of the table, mat_sum, small floats are OCP's */
#define MAT_AUX_SUM	8
#define MAT_AUX_OCP	BIT(16)

/**
 * struct mat - a matrix operation being run
 * @sh: its shape
 * @i: the instruction
 * @a,@b: elements; @a2,@b2: their second halves
 * @sa,@sb: elements from one k to the next
 * @k: steps along k
 * @pairs: @a2 and @b2 have two 16-bit exponents in a dword, of steps 2n and 2n + 1
 * @pick: SPARSE, SWMMAC: for row and step, the row of @b that the element meets
 * @special: an element is infinite or NaN, or might make a product so
 * @wide: exponents are too far apart for products as floats
 * @ovfl: WMMA: MODE.FP16_OVFL
 */
struct mat {
	const struct mat_shape *sh;
	const struct isa_insn *i;
	u32 *a, *a2, *b, *b2;
	u32 sa, sb, k;
	u16 *pick;
	bool pairs, special, wide, ovfl;
};

/* What the elements are like: exponents that zeros do not count in, specials. */
struct mat_range {
	VI emin, emax;
	VM special;
};

static __always_inline u32 mat_bits(unsigned int type)
{
	switch (type) {
	case MAT_F64:
		return 64;
	case MAT_F32:
	case MAT_XF32:
		return 32;
	case MAT_F16:
	case MAT_BF16:
		return 16;
	}
	return 8;
}

static __always_inline VI mat_pow2(VI e)	/* 2^e as floats */
{
	return vi_slli(vi_add(e, vi_splat(127)), 23);
}

/*
 * A small float of @ebits and @mbits to a float and its exponent as the
 * multipliers see it: denormals have the lowest one, zeros have -126 (MMA-Sim).
 */
enum mat_specials {
	MAT_IEEE,	/* the highest exponent is infinity and NaN */
	MAT_FNUZ,	/* -0 is NaN */
	MAT_FN,		/* all ones is NaN */
};

static __always_inline VI mat_small(VI x, u32 ebits, u32 mbits, s32 bias,
				    enum mat_specials how, VI *e, VM *special)
{
	VI m = vi_and(x, vi_splat((1u << (ebits + mbits)) - 1));
	VI sign = vi_slli(vi_srli(x, ebits + mbits), 31);
	VI ef = vi_srli(m, mbits), one = vi_splat(1);
	VI norm = vi_add(vi_slli(m, 23 - mbits), vi_splat((u32)(127 - bias) << 23));
	VI den = vf_mul(vf_of_i(m), vi_splat((u32)(128 - bias - (s32)mbits) << 23));
	VM zero = vm_eq(m, vi_zero());
	VI v = vi_blend(vm_eq(ef, vi_zero()), norm, den);

	*e = vi_sub(vi_maxs(ef, one), vi_splat((u32)bias));
	*e = vi_blend(zero, *e, vi_splat((u32)-126));
	if (how != MAT_IEEE) {
		*special = how == MAT_FN ? vm_eq(m, vi_splat(0x7f)) :
			   vm_and(zero, vm_eq(vi_and(x, vi_splat(0xff)), vi_splat(0x80)));
		v = vi_blend(*special, v, vi_splat(0x7fc00000));
		return vi_or(v, sign);
	}
	*special = vm_eq(ef, vi_splat((1u << ebits) - 1));
	v = vi_blend(*special, v, vi_or(vi_slli(m, 23 - mbits), vi_splat(0x7f800000)));
	return vi_or(v, sign);
}

/* Halves of 16 bits as floats, where the CPU converts them; see mat_small(). */
#if LANE_WIDTH == 16
#define MAT_HALF	1
#define MAT_OF_HALF(h)	vi_of_ps(_mm512_cvtph_ps(_mm512_cvtepi32_epi16(h)))
#elif LANE_WIDTH == 8
#define MAT_HALF	1
#define MAT_OF_HALF(h)	vi_of_ps(_mm256_cvtph_ps(_mm256_castsi256_si128(	\
	_mm256_permute4x64_epi64(_mm256_packus_epi32(h, h), 0x08))))
#else
#define MAT_HALF	0
#define MAT_OF_HALF(h)	(h)
#endif

static __always_inline VI mat_half_value(VI h, VI *e, VM *special)
{
	VI ef = vi_and(vi_srli(h, 10), vi_splat(31));
	VM zero = vm_eq(vi_slli(h, 17), vi_zero());

	*special = vm_eq(ef, vi_splat(31));
	*e = vi_sub(vi_maxs(ef, vi_splat(1)), vi_splat(15));
	*e = vi_blend(zero, *e, vi_splat((u32)-126));
	return MAT_OF_HALF(h);
}

/* Element @n of the dword @x as a float; see mat_small(). */
static __always_inline VI mat_value(VI x, unsigned int type, unsigned int n, VI *e,
				    VM *special)
{
	VI v, ef;

	if (type == MAT_F16 && MAT_HALF)
		return mat_half_value(n ? vi_srli(x, 16) : vi_and(x, vi_splat(0xffff)), e, special);
	if (type == MAT_F16)
		return mat_small(vi_and(vi_srlv(x, vi_splat(16 * n)), vi_splat(0xffff)),
				 5, 10, 15, MAT_IEEE, e, special);
	if (type == MAT_FP8)
		return mat_small(vi_and(vi_srlv(x, vi_splat(8 * n)), vi_splat(0xff)),
				 4, 3, 8, MAT_FNUZ, e, special);
	if (type == MAT_BF8)
		return mat_small(vi_and(vi_srlv(x, vi_splat(8 * n)), vi_splat(0xff)),
				 5, 2, 16, MAT_FNUZ, e, special);
	if (type == MAT_OCP_FP8)
		return mat_small(vi_and(vi_srlv(x, vi_splat(8 * n)), vi_splat(0xff)),
				 4, 3, 7, MAT_FN, e, special);
	if (type == MAT_OCP_BF8)
		return mat_small(vi_and(vi_srlv(x, vi_splat(8 * n)), vi_splat(0xff)),
				 5, 2, 15, MAT_IEEE, e, special);
	if (type == MAT_BF16) {
		v = n ? vi_and(x, vi_splat(0xffff0000)) : vi_slli(x, 16);
	} else {	/* 13 bits of the mantissa are cut off, NaNs stay NaNs */
		v = vi_and(x, vi_splat(0xffffe000));
		v = vi_blend(fm_uno(x, x), v, vi_or(v, vi_splat(0x400000)));
	}
	ef = vi_and(vi_srli(v, 23), vi_splat(255));
	*special = vm_eq(ef, vi_splat(255));
	*e = vi_sub(vi_maxs(ef, vi_splat(1)), vi_splat(127));
	return v;
}

/*
 * Element @n of a dword: what goes to the first array; the rest in *@second.
 * @flush: denormals are zeros without a sign.
 */
static __always_inline VI mat_element(VI x, unsigned int type, unsigned int n, bool flush,
				      VI *second, VM *special)
{
	u32 low = type == MAT_F16 ? 0x38800000 : 0x00800000;
	VI v, mask = vi_splat(0xffff);

	*second = vi_zero();
	if (type == MAT_F32)
		return x;
	if (type == MAT_BYTE)
		return vi_and(vi_srai(vi_sllv(x, vi_splat(24 - 8 * n)), 24), mask);
	if (type == MAT_I8) {	/* even bytes, odd bytes, each two 16-bit integers */
		v = vi_and(vi_srai(vi_slli(x, 16), 24), mask);
		*second = vi_or(v, vi_andnot(mask, vi_srai(x, 8)));
		v = vi_and(vi_srai(vi_slli(x, 24), 24), mask);
		return vi_or(v, vi_andnot(mask, vi_srai(vi_slli(x, 8), 8)));
	}
	v = mat_value(x, type, n, second, special);
	if (flush)
		v = vi_blend(vm_gts(vi_splat(low), vi_and(v, vi_splat(0x7fffffff))), v, vi_zero());
	return v;
}

/* One register row @s; its elements in a lane are number @first and following. */
static __always_inline void
mat_stage_row(const u32 *s, u32 *d, u32 *d2, unsigned int type, bool flush, bool pairs,
	      u32 stride, u32 perlane, u32 first, struct mat_range *r)
{
	unsigned int l, n, per = type == MAT_I8 ? 1 : 32 / mat_bits(type);
	bool isf = type != MAT_F32 && type != MAT_I8 && type != MAT_BYTE;
	bool far = type == MAT_BF16 || type == MAT_XF32;	/* the others have few exponents */
	unsigned int shift = __builtin_ctz(stride);

	for (l = 0; l < ISA_LANES; l += VW) {
		u32 k = (l >> shift) * perlane + first, to = l & (stride - 1);
		VI x = vi_load(s + l), even = vi_zero();

#pragma GCC unroll 4
		for (n = 0; n < per; n++) {
			VM special = vm_of_bits(0), zero;
			VI second, v = mat_element(x, type, n, flush, &second, &special);

			vi_store(d + to + (k + n) * stride, v);
			if (pairs && n & 1)
				vi_store(d2 + to + (k + n) / 2 * stride,
					 vi_or(even, vi_slli(second, 16)));
			else if (!pairs)
				vi_store(d2 + to + (k + n) * stride, second);
			even = vi_and(second, vi_splat(0xffff));
			if (!isf)
				continue;
			r->special = vm_or(r->special, special);
			if (!far)
				continue;
			zero = vm_eq(vi_slli(v, 1), vi_zero());
			r->emax = vi_maxs(r->emax, second);
			r->emin = vi_mins(r->emin, vi_blend(zero, second, vi_zero()));
		}
	}
}

/* The lane that lane @l of B comes from: blgp */
static u32 mat_lane_b(u32 blgp, u32 l)
{
	switch (blgp) {
	case 0:
		return l;
	case 1:
		return l & 31;
	case 2:
		return l | 32;
	case 3:
		return (l + 16) & 63;
	}
	return (blgp - 4) * 16 + (l & 15);
}

/* The same for A: a block out of 2^cbsz takes all their places. */
static u32 mat_lane_a(const struct mat_shape *sh, u32 cbsz, u32 abid, u32 l)
{
	u32 group = (1u << cbsz) - 1, block = l / sh->m % sh->blocks;

	block = ((block & ~group) | (abid & group)) % sh->blocks;
	return l % sh->m + block * sh->m + l / (sh->m * sh->blocks) * (sh->m * sh->blocks);
}

/* Register row @n of source 0 or 1, after cbsz, abid, blgp; may be in tmp. */
static const u32 *mat_source(struct isa_wave *w, const struct mat *o, unsigned int src, u32 n)
{
	const u32 *s = lane_row(w, o->i->src[src]) + n * ISA_LANES;
	u32 cbsz = o->i->opsel & 7, abid = o->i->opsel >> 4, blgp = o->i->neg, l;
	u32 *t = w->tmp[src];

	if (src ? !blgp : !cbsz)
		return s;
	if (o->sh->kind == MAT_KIND_SPARSE || o->sh->kind == MAT_KIND_F64)
		return s;
	for (l = 0; l < ISA_LANES; l++)
		t[l] = s[src ? mat_lane_b(blgp, l) : mat_lane_a(o->sh, cbsz, abid, l)];
	return t;
}

static __always_inline void
mat_stage_as(struct isa_wave *w, struct mat *o, unsigned int src, unsigned int type,
	     bool flush, bool pairs, struct mat_range *r)
{
	u32 rows = isa_rows[o->i->row].src[src].dwords, n;
	u32 per = type == MAT_I8 ? 1 : 32 / mat_bits(type);

	for (n = 0; n < rows; n++)
		mat_stage_row(mat_source(w, o, src, n), src ? o->b : o->a, src ? o->b2 : o->a2,
			      type, flush, pairs, src ? o->sb : o->sa, rows * per, n * per, r);
}

static void mat_stage(struct isa_wave *w, struct mat *o, unsigned int src, unsigned int type,
		      bool flush, struct mat_range *r)
{
	switch (type) {
	case MAT_F16:
		return flush ? mat_stage_as(w, o, src, MAT_F16, true, true, r) :
		       o->pairs ? mat_stage_as(w, o, src, MAT_F16, false, true, r) :
				  mat_stage_as(w, o, src, MAT_F16, false, false, r);
	case MAT_BF16:
		return flush ? mat_stage_as(w, o, src, MAT_BF16, true, true, r) :
		       o->pairs ? mat_stage_as(w, o, src, MAT_BF16, false, true, r) :
				  mat_stage_as(w, o, src, MAT_BF16, false, false, r);
	case MAT_XF32:
		return mat_stage_as(w, o, src, MAT_XF32, false, false, r);
	case MAT_FP8:
		return o->pairs ? mat_stage_as(w, o, src, MAT_FP8, false, true, r) :
				  mat_stage_as(w, o, src, MAT_FP8, false, false, r);
	case MAT_BF8:
		return o->pairs ? mat_stage_as(w, o, src, MAT_BF8, false, true, r) :
				  mat_stage_as(w, o, src, MAT_BF8, false, false, r);
	case MAT_OCP_FP8:
		return o->pairs ? mat_stage_as(w, o, src, MAT_OCP_FP8, false, true, r) :
				  mat_stage_as(w, o, src, MAT_OCP_FP8, false, false, r);
	case MAT_OCP_BF8:
		return o->pairs ? mat_stage_as(w, o, src, MAT_OCP_BF8, false, true, r) :
				  mat_stage_as(w, o, src, MAT_OCP_BF8, false, false, r);
	case MAT_I8:
		return mat_stage_as(w, o, src, MAT_I8, false, false, r);
	case MAT_BYTE:
		return mat_stage_as(w, o, src, MAT_BYTE, false, false, r);
	}
	mat_stage_as(w, o, src, MAT_F32, false, false, r);
}

/* 4x4 blocks: A's row r for every lane, instead of one element for many. */
static void mat_spread(u32 *d, const u32 *s, u32 k)
{
	u32 n, l;

	for (n = 0; n < k; n++, s += ISA_LANES, d += 4 * ISA_LANES) {
		for (l = 0; l < ISA_LANES; l += VW) {
			VI x = vi_load(s + l);

			vi_store(d + l, vi_quad(x, 0x00));
			vi_store(d + ISA_LANES + l, vi_quad(x, 0x55));
			vi_store(d + 2 * ISA_LANES + l, vi_quad(x, 0xaa));
			vi_store(d + 3 * ISA_LANES + l, vi_quad(x, 0xff));
		}
	}
}

/*
 * Sparse A: of each four elements along k two are kept, and two bits for each
 * say which. A register holds the bits several times over, picked by abid if
 * cbsz is 0.
 */
static void mat_picks(struct isa_wave *w, struct mat *o)
{
	u32 rows = isa_rows[o->i->row].src[0].dwords;
	u32 per = rows * 32 / mat_bits(o->sh->a), l, n;
	u32 abid = o->i->opsel & 7 ? 0 : o->i->opsel >> 4;
	const u32 *s = lane_row(w, o->i->src[2]);

	for (l = 0; l < ISA_LANES; l++) {
		u32 bits = s[l] >> (abid * 2 * per & 31), g = l / o->sh->m;
		u16 *p = o->pick + l % o->sh->m * o->k + g * per;

		for (n = 0; n < per; n++)
			p[n] = (u16)(g * 2 * per + n / 2 * 4 + (bits >> 2 * n & 3));
	}
}
