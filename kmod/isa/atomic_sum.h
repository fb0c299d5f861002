/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums of float atomics, of one lane: for lane_atomic.inc.c, and for images. MXCSR is that of a new
 * thread: to nearest, denormals as they are. @daz: flush them.
 */
#ifndef ISA_ATOMIC_SUM_H
#define ISA_ATOMIC_SUM_H

static inline float fa_f32(u32 v)
{
	float f;

	__builtin_memcpy(&f, &v, 4);
	return f;
}

static inline u32 fa_bits32(float f)
{
	u32 v;

	__builtin_memcpy(&v, &f, 4);
	return v;
}

static inline u32 fa_flush(u32 v)
{
	return v & 0x7f800000 ? v : v & 0x80000000;
}

/* Sums by x86's NaN rule; a compiler may swap the operands of +. */
static inline u32 fa_sum32(u32 a, u32 b)
{
	if ((a & 0x7fffffff) > 0x7f800000)
		return a | 0x400000;
	if ((b & 0x7fffffff) > 0x7f800000)
		return b | 0x400000;
	return fa_bits32(fa_f32(a) + fa_f32(b));
}

/* Half to float and back, in integers: no F16C in the SSE2 build. */
static inline float fa_of_half(u32 h)
{
	u32 sign = (h & 0x8000) << 16, e = h >> 10 & 31, m = h & 0x3ff;

	if (e == 31)
		return fa_f32(sign | 0x7f800000 | m << 13 | (m ? 1u << 22 : 0));
	if (e)
		return fa_f32(sign | (e + 112) << 23 | m << 13);
	return fa_f32(sign | fa_bits32((float)m * 0x1p-24f));
}

static inline u32 fa_to_half(float f)
{
	u32 v = fa_bits32(f), sign = v >> 16 & 0x8000, a = v & 0x7fffffff, drop, h;

	if (a > 0x7f800000)
		return sign | 0x7e00 | (a >> 13 & 0x3ff);
	if (a >= 0x477ff000)			/* rounds beyond the largest */
		return sign | 0x7c00;
	if (a >= 0x38800000) {
		h = (a - 0x38000000) >> 13;
		drop = a & 0x1fff;
		return sign | (h + (drop > 0x1000 || (drop == 0x1000 && h & 1)));
	}
	if (a < 0x33000000)			/* below half the smallest */
		return sign;
	/* A denormal: the significand shifted to units of 2^-24. */
	drop = 126 - (a >> 23);
	a = (a & 0x7fffff) | 0x800000;
	h = a >> drop;
	a &= (1u << drop) - 1;
	return sign | (h + (a > 1u << (drop - 1) || (a == 1u << (drop - 1) && h & 1)));
}

static inline u32 fa_flush_half(u32 h, bool on)
{
	return on && !(h & 0x7c00) ? h & 0x8000 : h & 0xffff;
}

static inline u32 fa_add_half(u32 a, u32 b, u32 daz)
{
	u32 x = fa_bits32(fa_of_half(fa_flush_half(a, daz)));
	u32 y = fa_bits32(fa_of_half(fa_flush_half(b, daz)));

	return fa_flush_half(fa_to_half(fa_f32(fa_sum32(x, y))), daz);
}

/* In a float the sum of two halves is exact enough to be rounded once more. */
static inline u32 fa_add_bf16(u32 a, u32 b, u32 daz)
{
	u32 x = a << 16, y = b << 16, r;

	if (daz) {
		x = fa_flush(x);
		y = fa_flush(y);
	}
	r = fa_sum32(x, y);
	if ((r & 0x7fffffff) > 0x7f800000)
		return r >> 16 | 0x40;
	r = (r + 0x7fff + (r >> 16 & 1)) >> 16;
	return daz && !(r & 0x7f80) ? r & 0x8000 : r;
}

#endif /* ISA_ATOMIC_SUM_H */
