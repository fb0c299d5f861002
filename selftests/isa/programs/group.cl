// SPDX-License-Identifier: MIT
/*
 * Programs in which work-items meet: LDS, barriers, atomics, wave-wide
 * operations, memory of every width and shape. References: group.c.
 */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef int s32;
typedef long s64;

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define TID	__builtin_amdgcn_workitem_id_x()
#define TIDY	__builtin_amdgcn_workitem_id_y()
#define TIDZ	__builtin_amdgcn_workitem_id_z()
#define WGX	__builtin_amdgcn_workgroup_id_x()
#define WGY	__builtin_amdgcn_workgroup_id_y()
#define WGZ	__builtin_amdgcn_workgroup_id_z()
#define GROUP(x, y, z)	__attribute__((reqd_work_group_size(x, y, z))) kernel void
#define GID	(WGX * 256u + TID)

#define RELAXED	__ATOMIC_RELAXED
#define DEVICE	__MEMORY_SCOPE_DEVICE
#define FETCH(op, p, v)	__scoped_atomic_fetch_##op(p, v, RELAXED, DEVICE)

static void barrier_lds(void)
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

GROUP(8, 4, 4) ids(global u32 *out)
{
	u32 x = WGX * 8 + TID, y = WGY * 4 + TIDY, z = WGZ * 4 + TIDZ;

	out[(z * 16 + y) * 32 + x] = x | y << 8 | z << 16 | 0x5a000000;
}

GROUP(256, 1, 1) lds_reduce(global u32 *out, global const u32 *in)
{
	local u32 t[256];
	u32 l = TID, d;

	t[l] = in[GID];
	barrier_lds();
	for (d = 128; d; d >>= 1) {
		if (l < d)
			t[l] += t[l + d];
		barrier_lds();
	}
	if (l == 0)
		out[WGX] = t[0];
}

GROUP(16, 16, 1) lds_transpose(global u32 *out, global const u32 *in)
{
	local u32 t[16][17];
	u32 x = TID, y = TIDY;

	t[y][x] = in[(WGY * 16 + y) * 64 + WGX * 16 + x];
	barrier_lds();
	out[(WGX * 16 + y) * 64 + WGY * 16 + x] = t[x][y];
}

GROUP(256, 1, 1) scan(global u32 *out, global const u32 *in)
{
	local u32 t[2][256];
	u32 l = TID, d, k = 0;

	t[0][l] = in[GID];
	barrier_lds();
	for (d = 1; d < 256; d <<= 1) {
		t[1 - k][l] = l >= d ? t[k][l] + t[k][l - d] : t[k][l];
		k = 1 - k;
		barrier_lds();
	}
	out[GID] = t[k][l];
}

#define DPP(old, v, ctrl, rows, banks, bound)	\
	__builtin_amdgcn_update_dpp(old, v, ctrl, rows, banks, bound)

/* Waves of 64 lanes, and what GFX9 alone can do with them; rdna.cl has the others. */
#ifdef __GFX9__

/* Inclusive wave scan by row shifts and row broadcasts. */
GROUP(256, 1, 1) scan_dpp(global u32 *out, global const u32 *in)
{
	int v = in[GID];

	v += DPP(0, v, 0x111, 0xf, 0xf, 0);
	v += DPP(0, v, 0x112, 0xf, 0xf, 0);
	v += DPP(0, v, 0x114, 0xf, 0xf, 0);
	v += DPP(0, v, 0x118, 0xf, 0xf, 0);
	v += DPP(0, v, 0x142, 0xa, 0xf, 0);
	v += DPP(0, v, 0x143, 0xc, 0xf, 0);
	out[GID] = v;
}

/* One output row of 64 for each DPP control. */
GROUP(64, 1, 1) dpp_modes(global u32 *out, global const u32 *in)
{
	u32 l = TID, n = 0;
	int v = in[l], o = 0x1000 + l;

#define ROW(x)	(out[n++ * 64 + l] = (x))
	ROW(DPP(o, v, 0x1b, 0xf, 0xf, 0));	/* quad_perm 3,2,1,0 */
	ROW(DPP(o, v, 0x101, 0xf, 0xf, 0));	/* row_shl:1 */
	ROW(DPP(o, v, 0x103, 0xf, 0xf, 1));	/* row_shl:3, bound */
	ROW(DPP(o, v, 0x115, 0xf, 0xf, 0));	/* row_shr:5 */
	ROW(DPP(o, v, 0x127, 0xf, 0xf, 0));	/* row_ror:7 */
	ROW(DPP(o, v, 0x130, 0xf, 0xf, 0));	/* wave_shl:1 */
	ROW(DPP(o, v, 0x134, 0xf, 0xf, 0));	/* wave_rol:1 */
	ROW(DPP(o, v, 0x138, 0xf, 0xf, 0));	/* wave_shr:1 */
	ROW(DPP(o, v, 0x13c, 0xf, 0xf, 0));	/* wave_ror:1 */
	ROW(DPP(o, v, 0x140, 0xf, 0xf, 0));	/* row_mirror */
	ROW(DPP(o, v, 0x141, 0xf, 0xf, 0));	/* row_half_mirror */
	ROW(DPP(o, v, 0x142, 0xf, 0xf, 0));	/* row_bcast:15 */
	ROW(DPP(o, v, 0x143, 0xf, 0xf, 0));	/* row_bcast:31 */
	ROW(DPP(o, v, 0x142, 0x6, 0x3, 0));	/* masks */
	ROW(DPP(o, v, 0x1b, 0x5, 0xa, 1));
#if defined(__gfx906__) || defined(__gfx908__)
	ROW(__builtin_amdgcn_ds_bpermute((l & 48 | 5) * 4, v));
#else
	ROW(DPP(o, v, 0x155, 0xf, 0xf, 0));	/* row_newbcast:5 */
#endif
	if (l % 3) {				/* sources that are off */
		o = DPP(o, v, 0x111, 0xf, 0xf, 0);
		v = DPP(v, v, 0x121, 0xf, 0xf, 1);
	}
	ROW(o);
	ROW(v);
#undef ROW
}

GROUP(64, 1, 1) wave_ops(global u32 *out, global const u32 *in)
{
	u32 l = TID, n = 0;
	int v = in[l];
	u64 m;

#define ROW(x)	(out[n++ * 64 + l] = (x))
	ROW(__builtin_amdgcn_readlane(v, 5) + __builtin_amdgcn_readlane(v, 63));
	ROW(__builtin_amdgcn_readfirstlane(v));
	m = __builtin_amdgcn_ballot_w64(v & 1);
	ROW((u32)m);
	ROW((u32)(m >> 32));
	ROW(__builtin_amdgcn_mbcnt_hi((u32)(m >> 32), __builtin_amdgcn_mbcnt_lo((u32)m, 0)));
	ROW(__builtin_amdgcn_ds_bpermute((v & 63) * 4, (int)(l * 3)));
	ROW(__builtin_amdgcn_ds_permute(((l * 5 + 3) & 63) * 4, v));
	ROW(__builtin_amdgcn_ds_swizzle(v, 0x041f));	/* xor 1 */
	ROW(__builtin_amdgcn_ds_swizzle(v, 0x7c1f));	/* reverse in 32 */
	ROW(__builtin_amdgcn_ds_swizzle(v, 0x0030));	/* and 0x10, or 1 */
	ROW(__builtin_amdgcn_ds_swizzle(v, 0x80b1));	/* quad 1,0,3,2 */
	if (v & 2) {
		m = __builtin_amdgcn_ballot_w64(1);
		v = __builtin_amdgcn_readfirstlane(v) + (int)m;
		v += __builtin_amdgcn_ds_bpermute(((l + 1) & 63) * 4, v);
	}
	ROW(v);
	/* A loop over the distinct values, one at a time. */
	for (;;) {
		int first = __builtin_amdgcn_readfirstlane(v);

		n = __builtin_popcountl(__builtin_amdgcn_ballot_w64(first == v));
		if (first == v)
			break;
	}
	out[12 * 64 + l] = n;
#undef ROW
}

#endif /* __GFX9__ */

GROUP(256, 1, 1) bitonic(global u32 *data)
{
	local u32 t[512];
	u32 l = TID, k, j;

	t[l] = data[WGX * 512 + l];
	t[l + 256] = data[WGX * 512 + 256 + l];
	for (k = 2; k <= 512; k <<= 1) {
		for (j = k >> 1; j; j >>= 1) {
			u32 a = (l & (j - 1)) | (l & ~(j - 1)) << 1, b = a | j, x, y;

			barrier_lds();
			x = t[a];
			y = t[b];
			if ((x > y) == !(a & k)) {
				t[a] = y;
				t[b] = x;
			}
		}
	}
	barrier_lds();
	data[WGX * 512 + l] = t[l];
	data[WGX * 512 + 256 + l] = t[l + 256];
}

GROUP(256, 1, 1) histogram(global u32 *out, global const u32 *in)
{
	local u32 h[64];
	u32 l = TID, k;

	if (l < 64)
		h[l] = 0;
	barrier_lds();
	for (k = 0; k < 4; k++)
		FETCH(add, &h[in[GID * 4 + k] & 63], 1);
	barrier_lds();
	if (l < 64)
		FETCH(add, &out[l], h[l]);
}

/* out[0..11]: 32-bit results; ticket[]: each old value must come once. */
GROUP(256, 1, 1) atomics_u32(global u32 *out, global u32 *ticket, global const u32 *in)
{
	u32 v = in[GID], old, want;

	old = FETCH(add, &out[0], 1);
	FETCH(add, &ticket[old], 1);
	FETCH(sub, &out[1], v);
	FETCH(and, &out[2], v | 0xff);
	FETCH(or, &out[3], v & 0xf0f0);
	FETCH(xor, &out[4], v);
	FETCH(min, &out[5], v);
	FETCH(max, &out[6], v);
	FETCH(min, (global s32 *)&out[7], (s32)v);
	FETCH(max, (global s32 *)&out[8], (s32)v);
	__builtin_amdgcn_atomic_inc32(&out[9], 100u, RELAXED, "agent");
	__builtin_amdgcn_atomic_dec32(&out[10], 77u, RELAXED, "agent");
	old = __scoped_atomic_load_n(&out[11], RELAXED, DEVICE);
	do
		want = old * (v | 1);
	while (!__scoped_atomic_compare_exchange_n(&out[11], &old, want, 0, RELAXED,
						   RELAXED, DEVICE));
}

GROUP(256, 1, 1) atomics_u64(global u64 *out, global const u32 *in)
{
	u64 v = in[GID] * 0x100000001ul, old, want;

	FETCH(add, &out[0], v);
	FETCH(sub, &out[1], v);
	FETCH(and, &out[2], v | 0xff00000000fful);
	FETCH(or, &out[3], v & 0xf0f0f0f0f0f0ul);
	FETCH(xor, &out[4], v);
	FETCH(min, &out[5], v);
	FETCH(max, &out[6], v);
	FETCH(min, (global s64 *)&out[7], (s64)v);
	FETCH(max, (global s64 *)&out[8], (s64)v);
	__builtin_amdgcn_atomic_inc64(&out[9], 100ul, RELAXED, "agent");
	__builtin_amdgcn_atomic_dec64(&out[10], 77ul, RELAXED, "agent");
	old = __scoped_atomic_load_n(&out[11], RELAXED, DEVICE);
	do
		want = old * (v | 1);
	while (!__scoped_atomic_compare_exchange_n(&out[11], &old, want, 0, RELAXED,
						   RELAXED, DEVICE));
	/* Mutual exchange: the sum of all values swapped in and out is kept. */
	old = __scoped_atomic_exchange_n(&out[12], v, RELAXED, DEVICE);
	FETCH(add, &out[13], old);
}

GROUP(256, 1, 1) atomics_lds(global u32 *out, global u64 *out64, global const u32 *in)
{
	local u32 t[12];
	local u64 q[12];
	u32 l = TID, v = in[GID];
	u64 w = v * 0x300000001ul;

	if (l < 12) {
		t[l] = l == 2 || l == 5 ? ~0u : 0;
		q[l] = l == 2 || l == 5 ? ~0ul : 0;
	}
	barrier_lds();
#define ALL(p, v, S)					\
	FETCH(add, &p[0], v);				\
	FETCH(sub, &p[1], v);				\
	FETCH(and, &p[2], v | 0xff);			\
	FETCH(or, &p[3], v & 0xf0f0);			\
	FETCH(xor, &p[4], v);				\
	FETCH(min, &p[5], v);				\
	FETCH(max, &p[6], v);				\
	FETCH(min, (local S *)&p[7], (S)v);		\
	FETCH(max, (local S *)&p[8], (S)v)
	ALL(t, v, s32);
	ALL(q, w, s64);
#undef ALL
	__builtin_amdgcn_atomic_inc32(&t[9], 100u, RELAXED, "workgroup");
	__builtin_amdgcn_atomic_dec32(&t[10], 77u, RELAXED, "workgroup");
	__builtin_amdgcn_atomic_inc64(&q[9], 100ul, RELAXED, "workgroup");
	__builtin_amdgcn_atomic_dec64(&q[10], 77ul, RELAXED, "workgroup");
	t[11] = 0;
	barrier_lds();
	if (l < 11) {
		out[WGX * 12 + l] = t[l];
		out64[WGX * 12 + l] = q[l];
	}
}

typedef half h2 __attribute__((ext_vector_type(2)));

#if defined(__GFX9__) && !defined(__gfx906__) && !defined(__gfx908__)
/* Sums of small integers: exact in any order. */
GROUP(256, 1, 1) atomics_float(global float *f, global double *d, global h2 *h,
			       global const u32 *in)
{
	local float lf[2];
	local double ld[1];
	u32 v = in[GID] & 63;

	if (TID == 0) {
		lf[0] = lf[1] = 0;
		ld[0] = 0;
	}
	barrier_lds();
	__builtin_amdgcn_global_atomic_fadd_f32(&f[0], (float)v);
	__builtin_amdgcn_global_atomic_fadd_f64(&d[0], (double)v * 0.5);
	__builtin_amdgcn_flat_atomic_fadd_f64((double *)&d[1], (double)v);
	__builtin_amdgcn_global_atomic_fmin_f64(&d[2], (double)v - 40.0);
	__builtin_amdgcn_global_atomic_fmax_f64(&d[3], (double)v - 40.0);
	__builtin_amdgcn_global_atomic_fadd_v2f16(&h[WGX], (h2)((half)(v & 7), (half)1));
	__builtin_amdgcn_ds_faddf(&lf[0], (float)v, 0, 0, 0);
	__builtin_amdgcn_ds_fmaxf(&lf[1], (float)v, 0, 0, 0);
	__builtin_amdgcn_ds_atomic_fadd_f64(&ld[0], (double)v);
	barrier_lds();
	if (TID == 0) {
		f[1 + WGX * 2] = lf[0];
		f[2 + WGX * 2] = lf[1];
		d[4 + WGX] = ld[0];
	}
}
#endif

/* Generic pointers: a third of the lanes each to LDS, scratch and global. */
GROUP(64, 1, 1) flat_mix(global u32 *out, global u32 *buf, global const u32 *in)
{
	local u32 t[64];
	u32 priv[8], l = TID, k, *p;

	for (k = 0; k < 8; k++)
		priv[k] = in[l] + k;
	t[l] = in[l] * 3;
	barrier_lds();
	p = l % 3 == 0 ? (u32 *)&t[63 - l] : l % 3 == 1 ? &priv[l & 7] : (u32 *)&buf[l ^ 1];
	k = *p;
	*p = k * 7 + l;
	k += *(volatile u8 *)p;
	k += *((volatile u16 *)p + 1);
	FETCH(add, p, 5);
	barrier_lds();
	out[l] = k;
	out[64 + l] = t[l];
	out[128 + l] = priv[l & 7] + priv[(l + 1) & 7];
}

/* Loads and stores of each width, strided, reversed, and misaligned. */
GROUP(64, 1, 1) shapes(global u8 *out, global const u8 *in)
{
	u32 g = WGX * 64 + TID, k = WGX % 4, i;

	global u8 *o = out + WGX * 4096;
	i = k == 0 ? TID : k == 1 ? 63 - TID : k == 2 ? (TID * 5) & 63 : TID / 4;
	((global u8 *)o)[i * 2] = in[g];
	((global u16 *)(o + 128))[i] = ((global const u16 *)in)[g];
	((global u32 *)(o + 256))[i * 2] = ((global const u32 *)in)[i];
	((global u64 *)(o + 768))[i] = ((global const u64 *)in)[i];
	((global uint4 *)(o + 1280))[i] = ((global const uint4 *)in)[g & 63];
	if (TID & 5) {
		((global uint2 *)(o + 2304))[i] = ((global const uint2 *)in)[TID];
		((global uint4 *)(o + 2816))[TID & 31] = ((global const uint4 *)in)[i];
		((global s32 *)(o + 3328))[TID] = ((global const char *)in)[i * 3];
		((global s32 *)(o + 3584))[TID] = ((global const short *)in)[TID];
		((global u32 *)(o + 3840))[TID] = in[TID] + in[TID + 7] * 256;
	}
}

typedef u32 u32_u __attribute__((aligned(1)));
typedef u64 u64_u __attribute__((aligned(1)));

struct packed12 { u32 a, b, c; };

/* Misaligned dwords and qwords, structures of three dwords. */
GROUP(64, 1, 1) unaligned(global u8 *out, global const u8 *in, u32 skew)
{
	global const u32_u *p = (global const u32_u *)(in + skew + TID * 5);
	global u64_u *q = (global u64_u *)(out + skew + TID * 9);
	global struct packed12 *s = (global struct packed12 *)(out + 1024) + TID;
	struct packed12 v = ((global const struct packed12 *)(in + 512))[63 - TID];

	*q = *p * 0x100000003ul;
	v.b += v.a;
	v.c ^= v.b;
	*s = v;
}

/* LDS accesses of every width and alignment. */
GROUP(64, 1, 1) lds_widths(global u32 *out, global const u32 *in)
{
	local u32 t[1024] __attribute__((aligned(16)));
	local u8 *b = (local u8 *)t;
	u32 l = TID, r;
	uint3 x3;

	for (r = 0; r < 16; r++)
		t[r * 64 + l] = in[r * 64 + l];
	barrier_lds();
	x3 = ((local uint3 *)t)[l];
	r = b[l * 3] + ((local char *)b)[l * 5 + 1] + ((local u16 *)b)[l * 7] +
	    ((local short *)b)[l * 2 + 1];
	out[l] = r;
	((global uint2 *)out)[64 + l] = ((local uint2 *)t)[(l * 3) & 511];
	((global uint4 *)out)[64 + l] = ((local uint4 *)t)[255 - l];
	out[512 + l] = x3.x * 5 + x3.y * 3 + x3.z;
	out[768 + l] = t[l] + t[l + 64] * 3 + t[1023 - l];
	barrier_lds();
	b[l] = (u8)in[l];
	((local u16 *)b)[64 + l] = (u16)in[l];
	((local uint2 *)b)[64 + (l ^ 3)] = (uint2)(l, in[l]);
	((local uint4 *)b)[128 + l] = (uint4)(in[l], l, r, 7);
	t[1000 - l] = l;
	barrier_lds();
	for (r = 0; r < 16; r++)
		out[1024 + r * 64 + l] = t[r * 64 + l];
}

GROUP(16, 16, 1) matmul(global float *c, global const float *a, global const float *b)
{
	local float ta[16][16], tb[16][16];
	u32 x = TID, y = TIDY, row = WGY * 16 + y, col = WGX * 16 + x, k, n;
	float s = 0;

	for (n = 0; n < 4; n++) {
		ta[y][x] = a[row * 64 + n * 16 + x];
		tb[y][x] = b[(n * 16 + y) * 64 + col];
		barrier_lds();
		for (k = 0; k < 16; k++)
			s = __builtin_fmaf(ta[y][k], tb[k][x], s);
		barrier_lds();
	}
	c[row * 64 + col] = s;
}

GROUP(64, 1, 1) matmul_f64(global double *c, global const double *a, global const double *b)
{
	u32 row = WGX, col = TID, k;
	double s = 0;

	for (k = 0; k < 64; k++)
		s = __builtin_fma(a[row * 64 + k], b[k * 64 + col], s);
	c[row * 64 + col] = s;
}

#ifdef __GFX9__
GROUP(64, 1, 1) dots(global u32 *out, global const u32 *a, global const u32 *b)
{
	u32 g = WGX * 64 + TID;

	out[g] = __builtin_amdgcn_sdot4(a[g], b[g], (int)g, 0);
	out[1024 + g] = __builtin_amdgcn_udot4(a[g], b[g], g, 0);
	out[2048 + g] = __builtin_amdgcn_sdot8(a[g], b[g], (int)g, 0);
	out[3072 + g] = __builtin_amdgcn_udot8(a[g], b[g], g, 0);
}
#endif

/* Appends the odd values' indices; the counter is in the LDS. */
GROUP(64, 1, 1) append(global u32 *out, global const u32 *in)
{
	local s32 n;
	u32 v = in[WGX * 64 + TID];

	n = 0;
	barrier_lds();
	if (v & 1)
		__builtin_amdgcn_ds_append(&n);
	if (v & 2)
		__builtin_amdgcn_ds_append(&n);
	if (v & 4)
		__builtin_amdgcn_ds_consume(&n);
	barrier_lds();
	if (TID == 0)
		out[WGX] = n;
}

/* The waves of a group hand a token round by spinning: of 32 lanes every other one. */
GROUP(256, 1, 1) token(global u32 *out)
{
	local u32 turn, sum;
	u32 wave = TID / 64, round;

	if (TID == 0)
		turn = sum = 0;
	barrier_lds();
	for (round = 0; round < 4 && TID % 64 < __builtin_amdgcn_wavefrontsize(); round++) {
		while (__scoped_atomic_load_n(&turn, __ATOMIC_ACQUIRE,
					      __MEMORY_SCOPE_WRKGRP) != round * 4 + wave)
			__builtin_amdgcn_s_sleep(1);
		if (TID % 64 == 0) {
			sum = sum * 5 + wave + 1;
			__scoped_atomic_store_n(&turn, round * 4 + wave + 1,
						__ATOMIC_RELEASE, __MEMORY_SCOPE_WRKGRP);
		}
	}
	barrier_lds();
	if (TID == 0)
		out[WGX] = sum;
}

/* Work-groups take work from a queue in memory by atomics. */
GROUP(64, 1, 1) work_queue(global u32 *out, global u32 *head, global const u32 *in)
{
	local u32 at;

	for (;;) {
		if (TID == 0)
			at = FETCH(add, head, 64);
		barrier_lds();
		if (at >= 2048)
			break;
		out[at + TID] = in[at + TID] * 3 + 1;
		barrier_lds();
	}
}

/* More live values than registers: spills to AccVGPRs or scratch. */
__attribute__((amdgpu_num_vgpr(24)))
GROUP(64, 1, 1) spill(global u32 *out, global const u32 *in)
{
	u32 v[40], g = WGX * 64 + TID, k, r = 0;

#pragma clang loop unroll(full)
	for (k = 0; k < 40; k++)
		v[k] = in[(g + k * 13) & 1023] * (k + 1);
	barrier_lds();
#pragma clang loop unroll(full)
	for (k = 0; k < 40; k++)
		r = r * 31 + (v[k] ^ v[(k * 7 + 3) % 40]);
	out[g] = r;
}

/* Word 3 of a V# of bytes; from gfx10 on it says that the offset is checked */
#ifdef __GFX9__
#define RAW_BUFFER	0x27000
#else
#define RAW_BUFFER	(3 << 28 | 1 << 24 | 22 << 12)
#endif

/* Raw buffer access through a V#: what is out of range reads 0, is not stored. */
GROUP(64, 1, 1) buffers(global u32 *out, global u32 *in, u32 bytes)
{
	__amdgpu_buffer_rsrc_t r = __builtin_amdgcn_make_buffer_rsrc(in, 0, bytes, RAW_BUFFER);
	__amdgpu_buffer_rsrc_t w = __builtin_amdgcn_make_buffer_rsrc(out, 0, bytes, RAW_BUFFER);
	u32 l = TID;

	__builtin_amdgcn_raw_buffer_store_b32(
		__builtin_amdgcn_raw_buffer_load_b32(r, l * 8, 16, 0), w, l * 4, 0, 0);
	__builtin_amdgcn_raw_buffer_store_b128(
		__builtin_amdgcn_raw_buffer_load_b128(r, l * 16, 0, 0), w, l * 16, 256, 0);
	__builtin_amdgcn_raw_buffer_store_b8(
		__builtin_amdgcn_raw_buffer_load_b8(r, l * 3, 0, 0), w, l + 1280, 0, 0);
	__builtin_amdgcn_raw_buffer_store_b16(
		__builtin_amdgcn_raw_buffer_load_b16(r, l * 2, 0, 0), w, l * 2 + 1344, 0, 0);
}

/* 256-point FFT, decimation in time; @w has the 128 roots of unity. */
GROUP(128, 1, 1) fft(global float *re, global float *im, global const float *w)
{
	local float x[256], y[256];
	u32 l = TID, half_size, k;

	for (k = l; k < 256; k += 128) {
		u32 r = __builtin_bitreverse32(k) >> 24;

		x[r] = re[WGX * 256 + k];
		y[r] = im[WGX * 256 + k];
	}
	barrier_lds();
	for (half_size = 1; half_size < 256; half_size <<= 1) {
		u32 j = l & (half_size - 1), a = (l - j) * 2 + j, b = a + half_size;
		u32 root = j * (128 / half_size);
		float c = w[2 * root], s = w[2 * root + 1];
		float tx = x[b] * c - y[b] * s, ty = x[b] * s + y[b] * c;
		float ux = x[a], uy = y[a];

		x[a] = ux + tx;
		y[a] = uy + ty;
		x[b] = ux - tx;
		y[b] = uy - ty;
		barrier_lds();
	}
	for (k = l; k < 256; k += 128) {
		re[WGX * 256 + k] = x[k];
		im[WGX * 256 + k] = y[k];
	}
}
