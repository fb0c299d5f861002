// SPDX-License-Identifier: MIT
/*
 * What lanes of a wave do with each other on gfx10 and gfx11, in waves of 32 and 64 lanes;
 * and operations that GFX9 has not. References: rdna.c.
 */
typedef unsigned int u32;
typedef unsigned long u64;

#define TID	__builtin_amdgcn_workitem_id_x()
#define WGX	__builtin_amdgcn_workgroup_id_x()
#define GROUP(x, y, z)	__attribute__((reqd_work_group_size(x, y, z))) kernel void
#define LANES	__builtin_amdgcn_wavefrontsize()
#define ROW(x)	(out[n++ * 64 + l] = (x))

/* First comes how many lanes a wave has. */
GROUP(64, 1, 1) rdna_dpp(global u32 *out, global const u32 *in)
{
	u32 l = TID, n = 0;
	int v = in[l], o = 0x1000 + l;

#define DPP(ctrl, rows, banks, bound)	__builtin_amdgcn_update_dpp(o, v, ctrl, rows, banks, bound)
	ROW(LANES);
	ROW(DPP(0x1b, 0xf, 0xf, 0));	/* quad_perm 3,2,1,0 */
	ROW(DPP(0x101, 0xf, 0xf, 0));	/* row_shl:1 */
	ROW(DPP(0x103, 0xf, 0xf, 1));	/* row_shl:3, bound */
	ROW(DPP(0x115, 0xf, 0xf, 0));	/* row_shr:5 */
	ROW(DPP(0x127, 0xf, 0xf, 0));	/* row_ror:7 */
	ROW(DPP(0x140, 0xf, 0xf, 0));	/* row_mirror */
	ROW(DPP(0x141, 0xf, 0xf, 0));	/* row_half_mirror */
	ROW(DPP(0x153, 0xf, 0xf, 0));	/* row_share:3 */
	ROW(DPP(0x165, 0xf, 0xf, 0));	/* row_xmask:5 */
	ROW(DPP(0x1b, 0x5, 0xa, 1));	/* masks */
	ROW(__builtin_amdgcn_mov_dpp8(v, 07654321));	/* 1,2,3,4,5,6,7,0 */
	if (l % 3) {			/* sources that are off */
		ROW(DPP(0x111, 0xf, 0xf, 0));
		ROW(DPP(0x111, 0xf, 0xf, 1));
		ROW(__builtin_amdgcn_mov_dpp8(v, 01234567));	/* 7,6,5,4,3,2,1,0 */
	}
}

GROUP(64, 1, 1) rdna_lanes(global u32 *out, global const u32 *in)
{
	u32 l = TID, n = 0, v = in[l];

	ROW(__builtin_amdgcn_readlane(v, 5) + __builtin_amdgcn_readlane(v, 37));
	ROW(__builtin_amdgcn_readfirstlane(v));
	ROW(__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)));
	ROW(__builtin_amdgcn_ds_bpermute((v & 63) * 4, (int)(l * 3)));
	ROW(__builtin_amdgcn_ds_permute(((l * 5 + 3) & 63) * 4, v));
	ROW(__builtin_amdgcn_ds_swizzle(v, 0x041f));	/* xor 1 */
	ROW(__builtin_amdgcn_ds_swizzle(v, 0x7c1f));	/* reverse in 32 */
	ROW(__builtin_amdgcn_permlane16(l, v, 0x76543210, 0x89abcdef, 0, 0));
	ROW(__builtin_amdgcn_permlanex16(l, v, 0x76543210, 0x89abcdef, 0, 0));
#if __AMDGCN_WAVEFRONT_SIZE__ == 64
	ROW((u32)__builtin_amdgcn_ballot_w64(v & 1));
	ROW((u32)(__builtin_amdgcn_ballot_w64(v & 1) >> 32));
#else
	ROW(__builtin_amdgcn_ballot_w32(v & 1));
	ROW(0);
#endif
	if (v & 2) {
		ROW(__builtin_amdgcn_permlane16(l, v, 0x11111111, 0x11111111, 0, 0));
		ROW(__builtin_amdgcn_permlanex16(l, v, 0x22222222, 0x22222222, 0, 1));
	}
}

/* Registers that an index picks, in vectors that stay in them. */
GROUP(64, 1, 1) rdna_index(global u32 *out, global const u32 *in, u32 at)
{
	typedef u32 u32x16 __attribute__((ext_vector_type(16)));
	u32 l = TID, k, r = 0;
	u32x16 v;

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

/* Branches and loops by lane: masks, saved and restored. */
GROUP(64, 1, 1) rdna_masks(global u32 *out, global const u32 *in)
{
	u32 l = TID, v = in[l], n = 0;

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

/* Floats that all lanes share, which gfx11.5 computes in the scalar unit. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
GROUP(64, 1, 1) rdna_uniform(global u32 *out, u32 xa, u32 xb, u32 n)
{
	float a = __builtin_astype(xa, float), b = __builtin_astype(xb, float), x = a;
	u32 k, r = 0;
	half h = (half)a;

	for (k = 0; k < n; k++) {
		float y = __builtin_fmaf(x, b, a) * 0.37f - (float)k;

		if (y > 3.0f)
			y = __builtin_floorf(y) + b;
		else if (y < -2.0f)
			y = __builtin_rintf(y * b);
		else
			y = __builtin_ceilf(x) - __builtin_truncf(y * 4.5f);
		x = __builtin_fminf(__builtin_fmaxf(y, -1000.0f), 1000.0f) + 0.11f;
		h = h * (half)b + (half)x;
		r = r * 31 + (__builtin_astype(x, u32) ^ (u32)(int)(x * 16.0f));
		r += (u32)__builtin_astype(h, unsigned short) + (u32)__builtin_fabsf(x);
	}
	out[TID] = r + TID;
}

#ifndef __gfx1030__
GROUP(64, 1, 1) rdna_dots(global u32 *out, global const u32 *a, global const u32 *b)
{
	u32 l = TID, n = 0;

	ROW(__builtin_amdgcn_sudot4(true, a[l], true, b[l], (int)l, false));
	ROW(__builtin_amdgcn_sudot4(false, a[l], true, b[l], (int)l, false));
	ROW(__builtin_amdgcn_sudot4(true, a[l], false, b[l], (int)l, false));
	ROW(__builtin_amdgcn_sudot8(true, a[l], false, b[l], (int)l, false));
	ROW(__builtin_amdgcn_sudot4(true, a[l], true, b[l], 0x7fffff00, true));
	ROW(__builtin_amdgcn_udot4(a[l], b[l], l, false));
}
#endif

#if defined(__gfx1100__) || defined(__gfx1151__)

/* Matrices of small whole numbers, which come out exactly; register by register. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

typedef half half16 __attribute__((ext_vector_type(16)));
typedef short short16 __attribute__((ext_vector_type(16)));
typedef int int2v __attribute__((ext_vector_type(2)));
typedef int int4v __attribute__((ext_vector_type(4)));
#if __AMDGCN_WAVEFRONT_SIZE__ == 64
#define REGS	4
#define WMMA(name)	__builtin_amdgcn_wmma_##name##_w64
typedef half halfc __attribute__((ext_vector_type(8)));
typedef short shortc __attribute__((ext_vector_type(8)));
#else
#define REGS	8
#define WMMA(name)	__builtin_amdgcn_wmma_##name##_w32
typedef half16 halfc;
typedef short16 shortc;
#endif
typedef float floatc __attribute__((ext_vector_type(REGS)));
typedef int intc __attribute__((ext_vector_type(REGS)));

static short bf16(int x)
{
	return (short)(__builtin_astype((float)x, u32) >> 16);
}

static int magnitude(int x)
{
	return x < 0 ? -x : x;
}

#define REG(x)	(out[n++ * 64 + l] = (x))

GROUP(64, 1, 1) rdna_wmma(global u32 *out, global const u32 *a, global const u32 *b)
{
	u32 l = TID, at = l % LANES, n = 0, k, r;
	half16 ha, hb;
	short16 sa, sb;
	int4v ba = 0, bb = 0;
	int2v na = 0, nb = 0;
	floatc cf, df, ef;
	intc ci, d8, e8, s8, d4;
	halfc ch, dh, eh;
	shortc cs, ds;

	for (k = 0; k < 16; k++) {
		int x = (int)(a[at % 16 * 16 + k] % 5) - 2, y = (int)(b[k * 16 + at % 16] % 4) - 2;

		/* Of both signs, the adder's results are not whole (kmod/isa/dot_rdna.c) */
		ha[k] = (half)magnitude(x);
		hb[k] = (half)magnitude(y);
		sa[k] = bf16(magnitude(x));
		sb[k] = bf16(magnitude(y));
		ba[k / 4] |= (x & 255) << k % 4 * 8;
		bb[k / 4] |= (y & 255) << k % 4 * 8;
		na[k / 8] |= (x & 15) << k % 8 * 4;
		nb[k / 8] |= (y & 15) << k % 8 * 4;
	}
	for (r = 0; r < REGS; r++) {
		int c = (int)(r * (LANES / 16) + at / 16) - (int)(at % 16);

		cf[r] = (float)magnitude(c);
		ci[r] = c;
		ch[2 * r] = (half)magnitude(c);
		ch[2 * r + 1] = (half)(magnitude(c) + 1);
		cs[2 * r] = bf16(magnitude(c));
		cs[2 * r + 1] = 0x1234;
	}
	df = WMMA(f32_16x16x16_f16)(ha, hb, cf);
	ef = WMMA(f32_16x16x16_bf16)(sa, sb, cf);
	dh = WMMA(f16_16x16x16_f16)(ha, hb, ch, false);
	eh = WMMA(f16_16x16x16_f16)(ha, hb, ch, true);
	ds = WMMA(bf16_16x16x16_bf16)(sa, sb, cs, false);
	d8 = WMMA(i32_16x16x16_iu8)(true, ba, true, bb, ci, false);
	e8 = WMMA(i32_16x16x16_iu8)(false, ba, true, bb, ci, false);
	s8 = WMMA(i32_16x16x16_iu8)(true, ba, true, bb, ci + 0x7ffffff0, true);
	d4 = WMMA(i32_16x16x16_iu4)(true, na, false, nb, ci, false);
	for (r = 0; r < REGS; r++) {
		REG(__builtin_astype(df[r], u32));
		REG(__builtin_astype(ef[r], u32));
		REG((u32)(int)dh[2 * r]);
		REG((u32)(int)eh[2 * r + 1]);
		REG((u32)(unsigned short)ds[2 * r]);
		REG(d8[r]);
		REG(e8[r]);
		REG(s8[r]);
		REG(d4[r]);
	}
}
#endif
