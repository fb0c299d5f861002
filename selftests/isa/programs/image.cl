// SPDX-License-Identifier: MIT
/*
 * Images by the functions of the device library that OpenCL's read_image*() and write_image*() are:
 * texels, nearest and linear samples, arrays and 3D. The program itself makes the descriptors, as
 * only it knows addresses here. References: image.c.
 */
typedef unsigned int u32;

#define L	__builtin_amdgcn_workitem_id_x()
#define WAVE	__attribute__((reqd_work_group_size(64, 1, 1))) kernel void

typedef __constant u32 *sharp;

float4 __ockl_image_load_2D(sharp i, int2 c);
float4 __ockl_image_load_3D(sharp i, int4 c);
float4 __ockl_image_load_2Da(sharp i, int4 c);
void __ockl_image_store_2D(sharp i, int2 c, float4 p);
void __ockl_image_store_2Da(sharp i, int4 c, float4 p);
float4 __ockl_image_sample_2D(sharp i, sharp s, float2 c);
float4 __ockl_image_sample_3D(sharp i, sharp s, float4 c);
half4 __ockl_image_sampleh_2D(sharp i, sharp s, float2 c);

#if defined(__gfx1100__) || defined(__gfx1201__)
#define RGBA8		42
#define RGBA32F		63
#elif defined(__gfx906__)	/* data format, number format */
#define RGBA8		10
#define RGBA32F		(14 | 7 << 6)
#else
#define RGBA8		56
#define RGBA32F		77
#endif

/* Texels of RGBA8 that are a row: 256 bytes, or 128 */
#ifdef __gfx1201__
#define PITCH		32
#else
#define PITCH		64
#endif

enum { TYPE_2D = 9, TYPE_3D = 10, TYPE_2D_ARRAY = 13 };
enum { WRAP, MIRROR, EDGE, BORDER = 6 };

#define TEXELS	256

/* The work buffer: descriptors, and images, which are aligned as buffers may not be */
static ulong place(global u32 *work, u32 n)
{
	return (((ulong)work + 4095) & ~4095ul) + n * 4096;
}

/* Puts texels in an image of 16 a row. */
static ulong fill(global u32 *work, global const float4 *in)
{
	global float4 *to = (global float4 *)place(work, 1);
	u32 n;

	for (n = L; n < TEXELS; n += 64)
		to[n] = in[n];
	__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
	__builtin_amdgcn_s_barrier();
	return (ulong)to;
}

/* What is read of @d comes after what was written: a constant is not expected to change. */
static sharp fixed(global u32 *d)
{
	u32 lo, hi;

#ifdef __gfx1201__
	__asm__ volatile("s_wait_storecnt 0x0" : "+v"(d) :: "memory");
#elif defined(__gfx906__)
	__asm__ volatile("s_waitcnt vmcnt(0)" : "+v"(d) :: "memory");
#else
	__asm__ volatile("s_waitcnt_vscnt null, 0x0" : "+v"(d) :: "memory");
#endif
	lo = __builtin_amdgcn_readfirstlane((u32)(ulong)d);
	hi = __builtin_amdgcn_readfirstlane((u32)((ulong)d >> 32));
	return (sharp)((ulong)hi << 32 | lo);
}

static sharp image(global u32 *d, ulong va, u32 format, u32 type, u32 w, u32 h, u32 depth)
{
	d[0] = (u32)(va >> 8);
#ifdef __gfx1201__
	d[1] = (u32)(va >> 40) | format << 17 | (w - 1) << 30;
	d[2] = (w - 1) >> 2 | (h - 1) << 14;
#elif defined(__gfx906__)
	d[1] = (u32)(va >> 40) | format << 20;
	d[2] = (w - 1) | (h - 1) << 14;
#else
	d[1] = (u32)(va >> 40) | format << 20 | (w - 1) << 30;
	d[2] = (w - 1) >> 2 | (h - 1) << 14 | 1u << 31;
#endif
	d[3] = 04 | 05 << 3 | 06 << 6 | 07 << 9 | type << 28;
	d[4] = depth - 1;
#ifdef __gfx906__
	d[4] |= (format == RGBA8 ? 64 - 1 : 16 - 1) << 13;
#endif
	d[5] = d[6] = d[7] = 0;
	return fixed(d);
}

static sharp sampler(global u32 *d, u32 clamp, bool texels, bool linear)
{
	d[0] = clamp | clamp << 3 | clamp << 6 | (u32)texels << 15;
#ifdef __gfx1201__
	d[1] = 4095 << 13;
#else
	d[1] = 4095 << 12;
#endif
	d[2] = linear ? 5 << 20 : 0;
	d[3] = 0;
	return fixed(d);
}

/* 16 by 16 texels, read, written to a second image of 8 bits, and that read again */
WAVE image_texels(global float4 *out, global const float4 *in, global u32 *work)
{
	global u32 *d = work;
	sharp a = image(d, fill(work, in), RGBA32F, TYPE_2D, 16, 16, 1);
	sharp b = image(d + 8, place(work, 2), RGBA8, TYPE_2D, 16, 16, 1);
	global const uchar4 *bytes = (global const uchar4 *)place(work, 2);
	u32 n;

	for (n = L; n < TEXELS; n += 64) {
		int2 c = (int2)(n % 16, n / 16);
		float4 t = __ockl_image_load_2D(a, c);

		out[n] = t;
		__ockl_image_store_2D(b, c, t * (1 / 255.f));
		out[256 + n] = __ockl_image_load_2D(b, c);
	}
	/* Outside; and what has been written, as bytes */
	out[512 + L] = __ockl_image_load_2D(a, (int2)(L - 8, 3));
	__ockl_image_store_2D(b, (int2)(16 + L, 3), (float4)(1));
	__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
	__builtin_amdgcn_s_barrier();
	for (n = L; n < TEXELS; n += 64) {
		uchar4 t = bytes[n / 16 * PITCH + n % 16];

		out[576 + n] = (float4)(t.x, t.y, t.z, t.w);
	}
}

WAVE image_samples(global float4 *out, global const float4 *in, global u32 *work)
{
	global u32 *d = work;
	sharp a = image(d, fill(work, in), RGBA32F, TYPE_2D, 16, 16, 1);
	sharp s = sampler(d + 8, EDGE, true, false);
	sharp l = sampler(d + 12, EDGE, true, true);
	sharp w = sampler(d + 16, WRAP, false, true);
	sharp o = sampler(d + 20, BORDER, true, true);
	float x = (float)(L % 16) - 4.f, y = (float)(L / 16 * 4);

	out[L] = __ockl_image_sample_2D(a, s, (float2)(x + .75f, y + .5f));
	out[64 + L] = __ockl_image_sample_2D(a, l, (float2)(x + .75f, y + .75f));
	out[128 + L] = __ockl_image_sample_2D(a, w, (float2)((x + .75f) / 16, (y + 1) / 16));
	out[192 + L] = __ockl_image_sample_2D(a, o, (float2)(x + .75f, y + .75f));
	out[256 + L] = convert_float4(__ockl_image_sampleh_2D(a, l, (float2)(x + .75f, y + .5f)));
}

/* 16 by 4 by 4, as slices and as one */
WAVE image_volumes(global float4 *out, global const float4 *in, global u32 *work)
{
	global u32 *d = work;
	ulong at = fill(work, in);
	sharp a = image(d, at, RGBA32F, TYPE_2D_ARRAY, 16, 4, 4);
	sharp v = image(d + 8, at, RGBA32F, TYPE_3D, 16, 4, 4);
	sharp l = sampler(d + 16, EDGE, true, true);
	int4 c = (int4)(L % 16, L / 16, 3 - L / 16, 0);

	out[L] = __ockl_image_load_2Da(a, c);
	out[64 + L] = __ockl_image_load_3D(v, c);
	out[128 + L] = __ockl_image_sample_3D(v, l, (float4)(c.x + .5f, c.y + .75f, c.z + 1, 0));
	__builtin_amdgcn_s_barrier();
	__ockl_image_store_2Da(a, c, (float4)(L, 1, 2, 3));
	out[192 + L] = __ockl_image_load_3D(v, c);
}
