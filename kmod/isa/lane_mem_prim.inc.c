/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Vector helpers of the memory paths, on top of lane.h: address shapes,
 * interleaving of rows with elements in memory, gather and scatter.
 */

/* EXEC, prepared for taking a step's mask of it: as a row, or as halves. */
struct mv_exec {
	u64 bits;
	const u32 *row;
	VI half[2];
};

/* In the 512-bit build masks come from mask registers. */
#if LANE_WIDTH != 16
static const u32 mv_bit[32] __aligned(64) __maybe_unused = {
	1u << 0, 1u << 1, 1u << 2, 1u << 3, 1u << 4, 1u << 5, 1u << 6, 1u << 7,
	1u << 8, 1u << 9, 1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
	1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
	1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};
#endif

static __always_inline struct mv_exec mv_exec(u64 exec)
{
	struct mv_exec e = { .bits = exec };

#if LANE_WIDTH != 16
	e.half[0] = vi_splat((u32)exec);
	e.half[1] = vi_splat((u32)(exec >> 32));
#endif
	return e;
}

/* A wave's own EXEC; @full: all ones. */
static __always_inline struct mv_exec mv_exec_on(struct isa_wave *w, bool full)
{
	struct mv_exec e = { .bits = ~0ull };

	if (!full) {
		struct lane_on on = lane_on(w);

		e.bits = on.exec;
#if LANE_WIDTH != 16
		e.row = on.row;
#endif
	}
	return e;
}

static __always_inline VM mv_mask(const struct mv_exec *e, unsigned int k)
{
#if LANE_WIDTH == 16
	return vm_exec(e->bits, k);
#else
	VI bit;

	if (e->row)
		return vm_of(vi_load(e->row + k * VW));
	bit = vi_load(mv_bit + k * VW % 32);
	return vm_eq(vi_and(e->half[k * VW / 32], bit), bit);
#endif
}

/* acc |= a ^ b in the lanes of @m; @full: all of them. */
static __always_inline VI mv_diff(VI acc, VM m, VI a, VI b, bool full)
{
#if LANE_WIDTH == 16
	if (full)
		return _mm512_ternarylogic_epi32(acc, a, b, 0xf6);
	return _mm512_mask_ternarylogic_epi32(acc, m, a, b, 0xf6);
#else
	VI x = vi_xor(a, b);

	return vi_or(acc, full ? x : vi_and(vm_vec(m), x));
#endif
}

static __always_inline bool mv_nonzero(VI a)
{
#if LANE_WIDTH == 16
	return _mm512_test_epi32_mask(a, a);
#elif LANE_WIDTH == 8
	return !_mm256_testz_si256(a, a);
#else
	return _mm_movemask_epi8(_mm_cmpeq_epi32(a, vi_zero())) != 0xffff;
#endif
}

static __always_inline VI mv_max(VI acc, VM m, VI a, bool full)
{
#if LANE_WIDTH == 16
	return full ? vi_maxu(acc, a) : _mm512_mask_max_epu32(acc, m, acc, a);
#else
	return vi_maxu(acc, full ? a : vi_and(vm_vec(m), a));
#endif
}

static __always_inline bool mv_any_above(VI a, u32 limit)
{
	return vm_any(vm_gtu(a, vi_splat(limit)));
}

/* Writes a row's step where EXEC says so. */
static __always_inline void mv_put(u32 *row, unsigned int k, const struct mv_exec *e,
				   bool full, VI v)
{
	if (full)
		vi_store(row + k * VW, v);
	else
		vi_store_m(row + k * VW, mv_mask(e, k), v);
}

static __always_inline bool mv_step_off(u64 exec, unsigned int k)
{
	return !(exec >> (k * VW) & (VW == 16 ? 0xffff : (1u << VW) - 1));
}

/* Do the lanes' addresses differ from (@lo, @hi) + @iota[lane]? @his may be NULL. */
static __always_inline bool mv_is_row(const u32 *los, const u32 *his,
				      const u32 *iota, u32 lo, u32 hi,
				      const struct mv_exec *e, bool full)
{
	VI acc = vi_zero(), l = vi_splat(lo), h = vi_splat(hi);
	unsigned int k;

#pragma GCC unroll 16
	for (k = 0; k < VSTEPS; k++) {
		VM m = mv_mask(e, k);
		VI x = vi_load(los + k * VW);

		if (VW != 16 && !full && mv_step_off(e->bits, k))
			continue;
		if (iota)
			x = vi_sub(x, vi_load(iota + k * VW));
		acc = mv_diff(acc, m, x, l, full);
		if (his)
			acc = mv_diff(acc, m, vi_load(his + k * VW), h, full);
	}
	return !mv_nonzero(acc);
}

/* The smaller one of @a and @limit, which is below 2^16. */
static __always_inline VI mv_clamp(VI a, u32 limit)
{
#if LANE_WIDTH >= 8
	return vi_minu(a, vi_splat(limit));
#else
	/* Values that are too large may become any value in range. */
	a = vi_and(a, vi_splat(0xffff));
	return _mm_sub_epi16(a, _mm_subs_epu16(a, vi_splat(limit)));
#endif
}

/*
 * Byte offsets from (@lo, @hi) into @idx; false if one is above @limit or its
 * high dword is another. No offset in @idx is above @limit in any case, so that a
 * CPU that guesses the answer wrong gathers from no other place.
 */
static bool mv_window(u32 *idx, const u32 *los, const u32 *his, u32 lo, u32 hi,
		      u32 limit, u64 exec)
{
	const struct mv_exec e = mv_exec(exec);
	VI acc = vi_zero(), top = vi_zero(), l = vi_splat(lo), h = vi_splat(hi);
	unsigned int k;

#pragma GCC unroll 16
	for (k = 0; k < VSTEPS; k++) {
		VM m = mv_mask(&e, k);
		VI x = vi_sub(vi_load(los + k * VW), l);

		top = mv_max(top, m, x, false);
		vi_store(idx + k * VW, mv_clamp(x, limit));
		if (his)
			acc = mv_diff(acc, m, vi_load(his + k * VW), h, false);
	}
	return !mv_nonzero(acc) && !mv_any_above(top, limit);
}

/* ---- elements of several dwords: rows (r) to memory order and back ---- */

#if LANE_WIDTH == 16
static __always_inline void mv_unzip2(VI *r)
{
	const VI even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20,
					  22, 24, 26, 28, 30);
	const VI odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
	VI a = _mm512_permutex2var_epi32(r[0], even, r[1]);

	r[1] = _mm512_permutex2var_epi32(r[0], odd, r[1]);
	r[0] = a;
}

static __always_inline void mv_zip2(VI *r)
{
	const VI low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21,
					 6, 22, 7, 23);
	const VI high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
	VI a = _mm512_permutex2var_epi32(r[0], low, r[1]);

	r[1] = _mm512_permutex2var_epi32(r[0], high, r[1]);
	r[0] = a;
}

#define mv_unpacklo32	_mm512_unpacklo_epi32
#define mv_unpackhi32	_mm512_unpackhi_epi32
#define mv_unpacklo64	_mm512_unpacklo_epi64
#define mv_unpackhi64	_mm512_unpackhi_epi64

/* 4x4 transpose of the 128-bit blocks of four vectors. */
static __always_inline void mv_blocks(VI *r)
{
	VI a = _mm512_shuffle_i32x4(r[0], r[1], 0x44);
	VI b = _mm512_shuffle_i32x4(r[0], r[1], 0xee);
	VI c = _mm512_shuffle_i32x4(r[2], r[3], 0x44);
	VI d = _mm512_shuffle_i32x4(r[2], r[3], 0xee);

	r[0] = _mm512_shuffle_i32x4(a, c, 0x88);
	r[1] = _mm512_shuffle_i32x4(a, c, 0xdd);
	r[2] = _mm512_shuffle_i32x4(b, d, 0x88);
	r[3] = _mm512_shuffle_i32x4(b, d, 0xdd);
}

#define mv_unblocks	mv_blocks

#elif LANE_WIDTH == 8
static __always_inline void mv_unzip2(VI *r)
{
	VI a = vi_of_ps(_mm256_shuffle_ps(ps_of(r[0]), ps_of(r[1]), 0x88));
	VI b = vi_of_ps(_mm256_shuffle_ps(ps_of(r[0]), ps_of(r[1]), 0xdd));

	r[0] = _mm256_permute4x64_epi64(a, 0xd8);
	r[1] = _mm256_permute4x64_epi64(b, 0xd8);
}

static __always_inline void mv_zip2(VI *r)
{
	VI a = _mm256_unpacklo_epi32(r[0], r[1]);
	VI b = _mm256_unpackhi_epi32(r[0], r[1]);

	r[0] = _mm256_permute2x128_si256(a, b, 0x20);
	r[1] = _mm256_permute2x128_si256(a, b, 0x31);
}

#define mv_unpacklo32	_mm256_unpacklo_epi32
#define mv_unpackhi32	_mm256_unpackhi_epi32
#define mv_unpacklo64	_mm256_unpacklo_epi64
#define mv_unpackhi64	_mm256_unpackhi_epi64

/* Elements (0,1) (2,3) (4,5) (6,7) to (0,4) (1,5) (2,6) (3,7), and back. */
static __always_inline void mv_blocks(VI *r)
{
	VI a = _mm256_permute2x128_si256(r[0], r[2], 0x20);
	VI b = _mm256_permute2x128_si256(r[0], r[2], 0x31);

	r[2] = _mm256_permute2x128_si256(r[1], r[3], 0x20);
	r[3] = _mm256_permute2x128_si256(r[1], r[3], 0x31);
	r[0] = a;
	r[1] = b;
}

static __always_inline void mv_unblocks(VI *r)
{
	VI a = _mm256_permute2x128_si256(r[0], r[1], 0x20);
	VI b = _mm256_permute2x128_si256(r[2], r[3], 0x20);
	VI c = _mm256_permute2x128_si256(r[0], r[1], 0x31);

	r[3] = _mm256_permute2x128_si256(r[2], r[3], 0x31);
	r[0] = a;
	r[1] = b;
	r[2] = c;
}

#else
static __always_inline void mv_unzip2(VI *r)
{
	VI a = vi_of_ps(_mm_shuffle_ps(ps_of(r[0]), ps_of(r[1]), 0x88));

	r[1] = vi_of_ps(_mm_shuffle_ps(ps_of(r[0]), ps_of(r[1]), 0xdd));
	r[0] = a;
}

static __always_inline void mv_zip2(VI *r)
{
	VI a = _mm_unpacklo_epi32(r[0], r[1]);

	r[1] = _mm_unpackhi_epi32(r[0], r[1]);
	r[0] = a;
}

#define mv_unpacklo32	_mm_unpacklo_epi32
#define mv_unpackhi32	_mm_unpackhi_epi32
#define mv_unpacklo64	_mm_unpacklo_epi64
#define mv_unpackhi64	_mm_unpackhi_epi64
#define mv_blocks(r)	((void)(r))
#define mv_unblocks(r)	((void)(r))
#endif

/* 4x4 transpose of dwords inside each 128 bits. */
static __always_inline void mv_transpose(VI *r)
{
	VI a = mv_unpacklo32(r[0], r[1]), b = mv_unpackhi32(r[0], r[1]);
	VI c = mv_unpacklo32(r[2], r[3]), d = mv_unpackhi32(r[2], r[3]);

	r[0] = mv_unpacklo64(a, c);
	r[1] = mv_unpackhi64(a, c);
	r[2] = mv_unpacklo64(b, d);
	r[3] = mv_unpackhi64(b, d);
}

/* Memory order of VW elements of @n dwords to @n rows. */
static __always_inline void mv_unzip(VI *r, unsigned int n)
{
	if (n == 2) {
		mv_unzip2(r);
	} else if (n == 4) {
		mv_blocks(r);
		mv_transpose(r);
	}
}

static __always_inline void mv_zip(VI *r, unsigned int n)
{
	if (n == 2) {
		mv_zip2(r);
	} else if (n == 4) {
		mv_transpose(r);
		mv_unblocks(r);
	}
}

/* The masks of a step's @n memory vectors, interleaved as the data are. */
static __always_inline void mv_zip_masks(VM *mem, VM m, unsigned int n)
{
	VI r[4];
	unsigned int d;

#pragma GCC unroll 4
	for (d = 0; d < n; d++)
		r[d] = vm_vec(m);
	mv_zip(r, n);
#pragma GCC unroll 4
	for (d = 0; d < n; d++)
		mem[d] = vm_of(r[d]);
}

/*
 * A vector that has just been loaded. The compiler may not load it again for each of its uses:
 * what others write meanwhile would be half in one row, half in the other.
 */
static __always_inline VI mv_once(VI v)
{
	asm("" : "+v"(v));
	return v;
}

/*
 * Rows from contiguous elements; @p is where lane 0's would be. @whole: the
 * places of lanes that are off may be read, too.
 */
static __always_inline void mv_load_rows(u32 *dst, const u8 *p, unsigned int n,
					 const struct mv_exec *e, bool full, bool whole)
{
	unsigned int k, d;

#pragma GCC unroll 16
	for (k = 0; k < VSTEPS; k++, p += n * VW * 4) {
		VM mask[4];
		VI r[4];

		if (!full && mv_step_off(e->bits, k))
			continue;
		if (!full && !whole)
			mv_zip_masks(mask, mv_mask(e, k), n);
#pragma GCC unroll 4
		for (d = 0; d < n; d++)
			r[d] = mv_once(full || whole ? vi_loadu(p + d * VW * 4) :
						       vi_loadu_m(p + d * VW * 4, mask[d]));
		mv_unzip(r, n);
#pragma GCC unroll 4
		for (d = 0; d < n; d++)
			mv_put(dst + d * ISA_LANES, k, e, full, r[d]);
	}
}

static __always_inline void mv_store_rows(const u32 *src, u8 *p, unsigned int n,
					  const struct mv_exec *e, bool full)
{
	unsigned int k, d;

#pragma GCC unroll 16
	for (k = 0; k < VSTEPS; k++, p += n * VW * 4) {
		VM mask[4];
		VI r[4];

		if (!full && mv_step_off(e->bits, k))
			continue;
#pragma GCC unroll 4
		for (d = 0; d < n; d++)
			r[d] = vi_load(src + d * ISA_LANES + k * VW);
		mv_zip(r, n);
		if (!full)
			mv_zip_masks(mask, mv_mask(e, k), n);
#pragma GCC unroll 4
		for (d = 0; d < n; d++) {
			if (full)
				vi_storeu(p + d * VW * 4, r[d]);
			else
				vi_storeu_m(p + d * VW * 4, mask[d], r[d]);
		}
	}
}

/*
 * A qword anywhere, by one access: a loop that waits for a 64-bit signal must not see half of a
 * value and half of the next. The compiler has to have it in a register as a whole.
 */
static __always_inline u64 mv_get64(const u8 *p)
{
	u64 v;

	__builtin_memcpy(&v, p, sizeof(v));
	asm("" : "+r"(v));
	return v;
}

static __always_inline void mv_put64(u8 *p, u64 v)
{
	asm("" : "+r"(v));
	__builtin_memcpy(p, &v, sizeof(v));
}

/* One value for all active lanes. */
static __always_inline void mv_splat_row(u32 *dst, u32 v, u64 exec)
{
	const struct mv_exec e = mv_exec(exec);
	VI x = vi_splat(v);
	unsigned int k;

#pragma GCC unroll 16
	for (k = 0; k < VSTEPS; k++)
		mv_put(dst, k, &e, false, x);
}

/* dst[lane] = dword at p + idx[lane]; lanes that are off are not touched. */
static __always_inline void mv_gather(u32 *dst, const u8 *p, const u32 *idx, u64 exec)
{
	const struct mv_exec e = mv_exec(exec);
	unsigned int k;

	(void)e;
	for (k = 0; k < VSTEPS; k++) {
#if LANE_WIDTH == 16
		VM m = mv_mask(&e, k);

		vi_store_m(dst + k * VW, m, _mm512_mask_i32gather_epi32(vi_zero(), m,
				vi_load(idx + k * VW), p, 1));
#elif LANE_WIDTH == 8
		VM m = mv_mask(&e, k);

		vi_store(dst + k * VW, _mm256_mask_i32gather_epi32(
				vi_load(dst + k * VW), (const int *)p,
				vi_load(idx + k * VW), m, 1));
#else
		unsigned int l;

		for (l = k * VW; l < (k + 1) * VW; l++)
			if (exec >> l & 1)
				__builtin_memcpy(dst + l, p + idx[l], 4);
#endif
	}
}

/* As many dwords as a vector has qwords */
#if LANE_WIDTH == 16
static __always_inline __m256i mv_half(const u32 *p)
{
	return _mm256_load_si256((const void *)p);
}
#elif LANE_WIDTH == 8
static __always_inline __m128i mv_half(const u32 *p)
{
	return _mm_load_si128((const void *)p);
}
#endif

/* The same for qwords, to two rows; each is one access, as mv_get64()'s. */
static __always_inline void mv_gather64(u32 *dst, const u8 *p, const u32 *idx, u64 exec)
{
#if LANE_WIDTH > 4
	const struct mv_exec e = mv_exec(exec);
	unsigned int k;

	for (k = 0; k < VSTEPS; k++, idx += VW) {
		VM m = mv_mask(&e, k);
		VI r[4];
#if LANE_WIDTH == 8
		VM on[4];
#endif

		if (mv_step_off(exec, k))
			continue;
#if LANE_WIDTH == 16
		r[0] = _mm512_mask_i32gather_epi64(vi_zero(), (__mmask8)m, mv_half(idx), p, 1);
		r[1] = _mm512_mask_i32gather_epi64(vi_zero(), (__mmask8)(m >> 8),
						   mv_half(idx + 8), p, 1);
#else
		mv_zip_masks(on, m, 2);
		r[0] = _mm256_mask_i32gather_epi64(vi_zero(), (const void *)p, mv_half(idx),
						   on[0], 1);
		r[1] = _mm256_mask_i32gather_epi64(vi_zero(), (const void *)p, mv_half(idx + 4),
						   on[1], 1);
#endif
		mv_unzip(r, 2);
		mv_put(dst, k, &e, false, r[0]);
		mv_put(dst + ISA_LANES, k, &e, false, r[1]);
	}
#else
	for (; exec; exec &= exec - 1) {
		const unsigned int l = __builtin_ctzll(exec);
		const u64 v = mv_get64(p + idx[l]);

		dst[l] = (u32)v;
		dst[ISA_LANES + l] = (u32)(v >> 32);
	}
#endif
}

/* dword at p + idx[lane] = src[lane], lane 0 first. */
static __always_inline void mv_scatter(u8 *p, const u32 *idx, const u32 *src, u64 exec)
{
#if LANE_WIDTH == 16
	unsigned int k;

	for (k = 0; k < VSTEPS; k++)
		_mm512_mask_i32scatter_epi32(p, vm_exec(exec, k), vi_load(idx + k * VW),
					     vi_load(src + k * VW), 1);
#else
	unsigned int l;

	for (; exec; exec &= exec - 1) {
		l = __builtin_ctzll(exec);
		__builtin_memcpy(p + idx[l], src + l, 4);
	}
#endif
}
