// SPDX-License-Identifier: MIT
/* References of the programs of group.cl that are about memory: atomics, LDS, flat, buffers. */
#include <string.h>

#include "group.h"

#define COMMON_ATOMICS(t, v, S, mask_and, mask_or)		\
	do {							\
		t[1] -= v;					\
		t[2] &= v | (mask_and);				\
		t[3] |= v & (mask_or);				\
		t[4] ^= v;					\
		t[5] = v < t[5] ? v : t[5];			\
		t[6] = v > t[6] ? v : t[6];			\
		if ((S)v < (S)t[7])				\
			t[7] = v;				\
		if ((S)v > (S)t[8])				\
			t[8] = v;				\
		t[9] = t[9] >= 100 ? 0 : t[9] + 1;		\
		t[10] = !t[10] || t[10] > 77 ? 77 : t[10] - 1;	\
	} while (0)

void group_init_atomics(PARAMS)
{
	u32 wide = p->args[1].kind == PROGRAM_ARG_BUFFER && p->args[2].kind == 0, k;

	for (k = 0; k < 14; k++) {
		u64 v = k == 2 || k == 5 ? ~0ull : k == 11 ? 1 : 0;

		if (wide)
			((u64 *)b[0])[k] = v;
		else if (k < 12)
			((u32 *)b[0])[k] = (u32)v;
	}
	group_fill(p, b, wide ? 1 : 2);
}

void group_ref_atomics_u32(PARAMS)
{
	u32 *t = b[0], *ticket = b[1], *in = b[2], k;

	for (k = 0; k < group_bytes(p, 2) / 4; k++) {
		u32 v = in[k];

		t[0]++;
		ticket[k]++;
		COMMON_ATOMICS(t, v, s32, 0xff, 0xf0f0);
		t[11] *= v | 1;
	}
}

void group_ref_atomics_u64(PARAMS)
{
	u64 *t = b[0];
	u32 *in = b[1], k;

	for (k = 0; k < group_bytes(p, 1) / 4; k++) {
		u64 v = in[k] * 0x100000001ull;

		t[0] += v;
		COMMON_ATOMICS(t, v, s64, 0xff00000000ffull, 0xf0f0f0f0f0f0ull);
		t[11] *= v | 1;
		t[13] += v;
	}
}

/* The last value swapped in is whoever came last. */
void group_fold_atomics_u64(PARAMS)
{
	u64 *t = b[0];

	UNUSED;
	t[13] += t[12];
	t[12] = 0;
}

void group_ref_atomics_lds(PARAMS)
{
	u32 *in = b[2], g, k;

	for (g = 0; g < p->groups[0]; g++) {
		u32 t[12] = { [2] = ~0u, [5] = ~0u };
		u64 q[12] = { [2] = ~0ull, [5] = ~0ull };

		for (k = 0; k < 256; k++) {
			u32 v = in[g * 256 + k];
			u64 w = v * 0x300000001ull;

			t[0] += v;
			q[0] += w;
			COMMON_ATOMICS(t, v, s32, 0xff, 0xf0f0);
			COMMON_ATOMICS(q, w, s64, 0xff, 0xf0f0);
		}
		memcpy((u32 *)b[0] + g * 12, t, 44);
		memcpy((u64 *)b[1] + g * 12, q, 88);
	}
}

static u32 half_of_int(u32 v)
{
	u32 e = 0;

	if (!v)
		return 0;
	while (v >> (e + 1))
		e++;
	return (e + 15) << 10 | ((v << (10 - e)) & 0x3ff);
}

void group_init_atomics_float(PARAMS) { group_fill(p, b, 3); }

void group_ref_atomics_float(PARAMS)
{
	float *f = b[0];
	double *d = b[1];
	u32 *h = b[2], *in = b[3], g, k;

	for (g = 0; g < p->groups[0]; g++) {
		u32 sum = 0, top = 0, lo = 0;

		for (k = 0; k < 256; k++) {
			u32 v = in[g * 256 + k] & 63;
			double c = (double)v - 40.0;

			sum += v;
			top = v > top ? v : top;
			lo += v & 7;
			d[2] = c < d[2] ? c : d[2];
			d[3] = c > d[3] ? c : d[3];
		}
		f[0] += (float)sum;
		d[0] += sum * 0.5;
		d[1] += sum;
		f[1 + g * 2] = (float)sum;
		f[2 + g * 2] = (float)top;
		d[4 + g] = sum;
		h[g] = half_of_int(lo) | half_of_int(256) << 16;
	}
}

void group_ref_flat_mix(PARAMS)
{
	u32 *out = b[0], *buf = b[1], *in = b[2], t[64], l, k, j;

	UNUSED;
	for (l = 0; l < 64; l++)
		t[l] = in[l] * 3;
	for (l = 0; l < 64; l++) {
		u32 priv[8], *q, v;

		for (j = 0; j < 8; j++)
			priv[j] = in[l] + j;
		q = l % 3 == 0 ? &t[63 - l] : l % 3 == 1 ? &priv[l & 7] : &buf[l ^ 1];
		k = *q;
		*q = v = k * 7 + l;
		k += (u8)v + (v >> 16);
		*q += 5;
		out[l] = k;
		out[128 + l] = priv[l & 7] + priv[(l + 1) & 7];
	}
	memcpy(out + 64, t, sizeof(t));
}

static void shape_item(u8 *o, const u8 *in, u32 g, u32 t, u32 i)
{
	u32 v;

	o[i * 2] = in[g];
	memcpy(o + 128 + i * 2, in + g * 2, 2);
	memcpy(o + 256 + i * 8, in + i * 4, 4);
	memcpy(o + 768 + i * 8, in + i * 8, 8);
	memcpy(o + 1280 + i * 16, in + (g & 63) * 16, 16);
	if (!(t & 5))
		return;
	memcpy(o + 2304 + i * 8, in + t * 8, 8);
	memcpy(o + 2816 + (t & 31) * 16, in + i * 16, 16);
	v = (u32)(s8)in[i * 3];
	memcpy(o + 3328 + t * 4, &v, 4);
	v = (u32)(s16)(in[t * 2] | in[t * 2 + 1] << 8);
	memcpy(o + 3584 + t * 4, &v, 4);
	v = in[t] + in[t + 7] * 256u;
	memcpy(o + 3840 + t * 4, &v, 4);
}

/* Each store is one instruction of the wave: all lanes' before the next. */
void group_ref_shapes(PARAMS)
{
	u32 g, t, round;

	for (g = 0; g < p->groups[0]; g++)
		for (round = 0; round < 2; round++)
			for (t = 0; t < 64; t++) {
				u32 k = g % 4;
				u32 i = k == 0 ? t : k == 1 ? 63 - t :
					k == 2 ? (t * 5) & 63 : t / 4;

				shape_item((u8 *)b[0] + g * 4096, b[1], g * 64 + t, t, i);
			}
}

void group_ref_unaligned(PARAMS)
{
	u32 skew = p->args[2].v, t;
	u8 *out = b[0], *in = b[1];

	for (t = 0; t < 64; t++) {
		u32 v, s[3];
		u64 q;

		memcpy(&v, in + skew + t * 5, 4);
		q = v * 0x100000003ull;
		memcpy(out + skew + t * 9, &q, 8);
		memcpy(s, in + 512 + (63 - t) * 12, 12);
		s[1] += s[0];
		s[2] ^= s[1];
		memcpy(out + 1024 + t * 12, s, 12);
	}
}

void group_ref_lds_widths(PARAMS)
{
	u32 *out = b[0], *in = b[1], t[1024], l, r[64], v[4];
	u8 *c = (u8 *)t;

	UNUSED;
	memcpy(t, in, sizeof(t));
	for (l = 0; l < 64; l++) {
		u16 h[2];

		memcpy(&h[0], c + l * 14, 2);
		memcpy(&h[1], c + l * 4 + 2, 2);
		out[l] = r[l] = c[l * 3] + (u32)(s8)c[l * 5 + 1] + h[0] + (u32)(s16)h[1];
	}
	for (l = 0; l < 64; l++)
		memcpy(out + 128 + l * 2, t + ((l * 3) & 511) * 2, 8);
	for (l = 0; l < 64; l++)
		memcpy(out + 256 + l * 4, t + (255 - l) * 4, 16);
	for (l = 0; l < 64; l++)
		out[512 + l] = t[l * 4] * 5 + t[l * 4 + 1] * 3 + t[l * 4 + 2];
	for (l = 0; l < 64; l++)
		out[768 + l] = t[l] + t[l + 64] * 3 + t[1023 - l];
	for (l = 0; l < 64; l++)
		c[l] = (u8)in[l];
	for (l = 0; l < 64; l++)
		((u16 *)c)[64 + l] = (u16)in[l];
	for (l = 0; l < 64; l++) {
		v[0] = l;
		v[1] = in[l];
		memcpy(c + 512 + (l ^ 3) * 8, v, 8);
	}
	for (l = 0; l < 64; l++) {
		u32 q[4] = { in[l], l, r[l], 7 };

		memcpy(c + 2048 + l * 16, q, 16);
	}
	for (l = 0; l < 64; l++)
		t[1000 - l] = l;
	memcpy(out + 1024, t, sizeof(t));
}

/* Raw buffers are checked dword by dword. */
static void buffer_copy(u8 *out, u32 to, const u8 *in, u32 from, u32 n, u32 limit)
{
	u32 unit = n < 4 ? n : 4, k;

	for (k = 0; k < n; k += unit) {
		u8 v[4] = { 0 };

		if (from + k + unit <= limit)
			memcpy(v, in + from + k, unit);
		if (to + k + unit <= limit)
			memcpy(out + to + k, v, unit);
	}
}

void group_ref_buffers(PARAMS)
{
	u32 limit = p->args[2].v, l;
	u8 *out = b[0], *in = b[1];

	for (l = 0; l < 64; l++)
		buffer_copy(out, l * 4, in, l * 8 + 16, 4, limit);
	for (l = 0; l < 64; l++)
		buffer_copy(out, l * 16 + 256, in, l * 16, 16, limit);
	for (l = 0; l < 64; l++)
		buffer_copy(out, l + 1280, in, l * 3, 1, limit);
	for (l = 0; l < 64; l++)
		buffer_copy(out, l * 2 + 1344, in, l * 2, 2, limit);
}
