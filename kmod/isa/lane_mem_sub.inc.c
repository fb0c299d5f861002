/* SPDX-License-Identifier: GPL-2.0-only */
/* Vector helpers for bytes and shorts in memory, and for lane exchange. */

/* A step's elements from contiguous memory, zero-extended. */
static __always_inline VI mv_widen(const u8 *p, unsigned int k, u32 bytes)
{
	p += k * VW * bytes;
#if LANE_WIDTH == 16
	return bytes == 1 ? _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)p)) :
			    _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p));
#elif LANE_WIDTH == 8
	return bytes == 1 ? _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)p)) :
			    _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p));
#else
	int v;

	if (bytes == 2)
		return _mm_unpacklo_epi16(_mm_loadl_epi64((const __m128i *)p), vi_zero());
	__builtin_memcpy(&v, p, 4);
	return _mm_unpacklo_epi16(_mm_unpacklo_epi8(_mm_cvtsi32_si128(v), vi_zero()),
				  vi_zero());
#endif
}

/* Sub-dword load: from contiguous elements at @p, or the low bits of row @raw. */
static noinline void mv_load_sub(u32 *dst, const u8 *p, const u32 *raw,
				 struct isa_mem_op op, u64 exec)
{
	const struct mv_exec e = mv_exec(exec);
	const u32 half = op.flags & MEM_F_HI ? 0xffff0000 : 0xffff;
	const VI keep = vi_splat(op.flags & MEM_F_CLEAR ? 0 : ~half), put = vi_splat(half);
	const VI mask = vi_splat(op.bytes == 1 ? 0xff : 0xffff);
	const VI sign = vi_splat(!(op.flags & MEM_F_SIGNED) ? 0 :
				 op.bytes == 1 ? 0x80 : 0x8000);
	unsigned int k;

	for (k = 0; k < VSTEPS; k++) {
		VI x;

		if (raw)
			x = vi_and(vi_load(raw + k * VW), mask);
		else
			x = op.bytes == 1 ? mv_widen(p, k, 1) : mv_widen(p, k, 2);
		x = vi_sub(vi_xor(x, sign), sign);
		if (op.flags & MEM_F_D16) {
			if (op.flags & MEM_F_HI)
				x = vi_slli(x, 16);
			x = vi_or(vi_and(put, x), vi_and(keep, vi_load(dst + k * VW)));
		}
		mv_put(dst, k, &e, false, x);
	}
}

/* Contiguous sub-dword store; false if this build cannot mask it. */
static noinline bool mv_store_sub(const u32 *src, u8 *p, struct isa_mem_op op, u64 exec)
{
	unsigned int k;

	if (LANE_WIDTH != 16 && exec != ~0ull)
		return false;
	for (k = 0; k < VSTEPS; k++, p += VW * op.bytes) {
		VI x = vi_load(src + k * VW);

		if (op.flags & MEM_F_HI)
			x = vi_srli(x, 16);
#if LANE_WIDTH == 16
		if (op.bytes == 1)
			_mm512_mask_cvtepi32_storeu_epi8(p, vm_exec(exec, k), x);
		else
			_mm512_mask_cvtepi32_storeu_epi16(p, vm_exec(exec, k), x);
#else
		__m128i v;

		/* Values that the signed packs do not saturate. */
		x = op.bytes == 1 ? vi_and(x, vi_splat(0xff)) : vi_srai(vi_slli(x, 16), 16);
#if LANE_WIDTH == 8
		v = _mm_packs_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
		if (op.bytes == 1)
			_mm_storel_epi64((__m128i *)p, _mm_packus_epi16(v, v));
		else
			_mm_storeu_si128((__m128i *)p, v);
#else
		v = _mm_packs_epi32(x, x);
		if (op.bytes == 2) {
			_mm_storel_epi64((__m128i *)p, v);
		} else {
			int b = _mm_cvtsi128_si32(_mm_packus_epi16(v, v));

			__builtin_memcpy(p, &b, 4);
		}
#endif
#endif
	}
	return true;
}

/* dst[lane] = src[idx[lane] / 4], 0 from lanes that are off. */
static __always_inline void mv_permute(u32 *dst, const u32 *src, u32 *tmp,
				       const u32 *idx, u64 exec)
{
	const struct mv_exec e = mv_exec(exec);
	unsigned int k;

	for (k = 0; k < VSTEPS; k++)
		vi_store(tmp + k * VW, vi_and(vi_load(src + k * VW), vm_vec(mv_mask(&e, k))));
	mv_gather(dst, (const u8 *)tmp, idx, exec);
}
