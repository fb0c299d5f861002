// SPDX-License-Identifier: MIT
/*
 * The 8-bit floats of gfx942: every code to float, and floats back to the
 * nearest code, found by looking at all of them. Packed, SDWA and op_sel
 * forms; stochastic rounding between the two codes around a value. TAP.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "ref.h"

static const struct isa_lane_ops *variants[3];
static unsigned int nvariants, tests, failures;
static struct lt_wave wave;

static void result(bool ok, const char *name)
{
	printf("%sok %u %s\n", ok ? "" : "not ", ++tests, name);
	failures += !ok;
}

static float float_of(u32 x)
{
	float f;

	memcpy(&f, &x, 4);
	return f;
}

static bool run(const struct isa_lane_ops *v, struct isa_insn *i)
{
	isa_set_exec(wave.w, ~0ull);
	wave.w->mode = (u32)lt_rand() & 0x3ff;
	return lt_run(v, wave.w, i);
}

static u32 *row(u32 n)
{
	return wave.w->v + n * ISA_LANES;
}

static struct isa_insn insn(unsigned int op, unsigned int enc, u32 sources)
{
	struct isa_insn i = {
		.op = op, .enc = enc, .size = 2, .dst = ISA_SRC_VGPR0 + 4, .sdst = ISA_SRC_NONE,
		.src = { ISA_SRC_VGPR0, sources > 1 ? ISA_SRC_VGPR0 + 1 : ISA_SRC_NONE, ISA_SRC_NONE },
	};

	return i;
}

static bool same(u32 got, double want)
{
	float f = (float)want;
	u32 x;

	memcpy(&x, &f, 4);
	return got == (isnan(want) ? 0x7fc00000 : x);
}

/* @sel: SDWA selector of the byte, 6: the plain form */
static bool decode_all(unsigned int op, int mbits, u32 sel)
{
	struct isa_insn i = insn(op, ISA_ENC_VOP1, 1);
	u32 code, l, k;

	if (sel != 6) {
		i.mods = ISA_MOD_SDWA;
		i.ctl = 6 | sel << 8;
	}
	for (k = 0; k < nvariants; k++)
		for (code = 0; code < 256; code += ISA_LANES) {
			for (l = 0; l < ISA_LANES; l++)
				row(0)[l] = sel == 6 ? (code + l) | (u32)lt_rand() << 8 :
					    ((u32)lt_rand() & ~(0xffu << 8 * sel)) | (code + l) << 8 * sel;
			if (!run(variants[k], &i))
				return false;
			for (l = 0; l < ISA_LANES; l++)
				if (!same(row(4)[l], ref_fp8_value(code + l, mbits))) {
					printf("# %02x: %08x\n", code + l, row(4)[l]);
					return false;
				}
		}
	return true;
}

/* Two codes of a half; @sel: 4 low, 5 high, 6 plain */
static bool decode_pairs(unsigned int op, int mbits, u32 sel)
{
	struct isa_insn i = insn(op, ISA_ENC_VOP1, 1);
	u32 code, l, k, up = sel == 5 ? 16 : 0;

	if (sel != 6) {
		i.mods = ISA_MOD_SDWA;
		i.ctl = 6 | sel << 8;
	}
	for (k = 0; k < nvariants; k++)
		for (code = 0; code < 65536; code += ISA_LANES) {
			for (l = 0; l < ISA_LANES; l++)
				row(0)[l] = (code + l) << up | ((u32)lt_rand() & 0xffff) << (16 - up);
			if (!run(variants[k], &i))
				return false;
			for (l = 0; l < ISA_LANES; l++)
				if (!same(row(4)[l], ref_fp8_value((code + l) & 255, mbits)) ||
				    !same(row(5)[l], ref_fp8_value((code + l) >> 8, mbits)))
					return false;
		}
	return true;
}

static bool encode_all(unsigned int op, int mbits, bool high)
{
	static const u32 low[] = { 0, 1, 0x7fff, 0x8000, 0xffff };
	struct isa_insn i = insn(op, ISA_ENC_VOP3, 2);
	u32 x, l, k, n = 0;

	i.opsel = high ? 8 : 0;
	for (x = 0; x < 65536; x += ISA_LANES, n++)
		for (k = 0; k < ARRAY_SIZE(low); k++) {
			for (l = 0; l < ISA_LANES; l++) {
				row(0)[l] = (x + l) << 16 | low[k];
				row(1)[l] = (u32)lt_rand();
				row(4)[l] = 0x12345678;
			}
			if (!run(variants[(n + k) % nvariants], &i))
				return false;
			for (l = 0; l < ISA_LANES; l++) {
				u32 want = ref_fp8_nearest(row(0)[l], mbits) | ref_fp8_nearest(row(1)[l], mbits) << 8;

				want = high ? want << 16 | 0x5678 : want | 0x12340000;
				if (row(4)[l] == want)
					continue;
				printf("# %08x %08x: %08x, want %08x\n", row(0)[l], row(1)[l],
				       row(4)[l], want);
				return false;
			}
		}
	return true;
}

/* Codes around @a in size, and how far @a is from the lower one to the upper */
static double between(double a, int mbits, u32 *down, u32 *up)
{
	double low, step;
	u32 code;

	for (code = 0; code < 0x7f && ref_fp8_value(code + 1, mbits) <= a; code++)
		;
	*down = code;
	*up = code == 0x7f ? 0x80 : code + 1;
	low = ref_fp8_value(code, mbits);
	step = code == 0x7f ? low - ref_fp8_value(0x7e, mbits) :
			      ref_fp8_value(code + 1, mbits) - low;
	return (a - low) / step;
}

/* Of normal results: up as often as the fraction of all added numbers says */
static bool stochastic(unsigned int op, int mbits)
{
	struct isa_insn i = insn(op, ISA_ENC_VOP3, 2);
	u32 n, l, at, code, down, up;

	for (n = 0; n < 4000; n++) {
		at = n & 3;
		i.opsel = (u8)(at << 2);
		for (l = 0; l < ISA_LANES; l++) {
			/* exponents of normal results */
			row(0)[l] = ((u32)lt_rand() & 0x807fffff) | (121 + (u32)lt_rand() % 12) << 23;
			row(1)[l] = (u32)lt_rand();
			row(4)[l] = 0x11223344;
		}
		if (!run(variants[n % nvariants], &i))
			return false;
		for (l = 0; l < ISA_LANES; l++) {
			double x = float_of(row(0)[l]);
			double part = between(fabs(x), mbits, &down, &up);
			u32 bits = (u32)(20 + 3 - mbits);
			double add = (double)(row(1)[l] >> (32 - bits)) / ldexp(1, (int)bits);

			code = part + add >= 1 ? up : down;
			if (code != 0x80 && code && x < 0)
				code |= 0x80;
			code = (0x11223344 & ~(0xffu << 8 * at)) | code << 8 * at;
			if (row(4)[l] == code)
				continue;
			printf("# %08x + %08x: %08x, want %08x\n", row(0)[l], row(1)[l],
			       row(4)[l], code);
			return false;
		}
	}
	return true;
}

int main(void)
{
	static const char * const names[] = { "sse2", "avx2", "avx512" };
	char text[64];
	unsigned int n;
	u32 sel;

	for (n = 0; n < ARRAY_SIZE(names); n++) {
		const struct isa_lane_ops *o = isa_lane_by_name(names[n], lt_cpu());

		if (o)
			variants[nvariants++] = o;
	}
	if (!lt_wave_make(&wave))
		return 1;
	printf("TAP version 13\n");
	for (sel = 0; sel < 7; sel++) {
		if (sel == 4 || sel == 5)
			continue;
		snprintf(text, sizeof(text), "v_cvt_f32_fp8 selector %u", sel);
		result(decode_all(ISA_OP_V_CVT_F32_FP8, 3, sel), text);
		snprintf(text, sizeof(text), "v_cvt_f32_bf8 selector %u", sel);
		result(decode_all(ISA_OP_V_CVT_F32_BF8, 2, sel), text);
	}
	for (sel = 4; sel < 7; sel++) {
		snprintf(text, sizeof(text), "v_cvt_pk_f32_fp8 selector %u", sel);
		result(decode_pairs(ISA_OP_V_CVT_PK_F32_FP8, 3, sel), text);
		snprintf(text, sizeof(text), "v_cvt_pk_f32_bf8 selector %u", sel);
		result(decode_pairs(ISA_OP_V_CVT_PK_F32_BF8, 2, sel), text);
	}
	result(encode_all(ISA_OP_V_CVT_PK_FP8_F32, 3, false), "v_cvt_pk_fp8_f32 low half");
	result(encode_all(ISA_OP_V_CVT_PK_FP8_F32, 3, true), "v_cvt_pk_fp8_f32 high half");
	result(encode_all(ISA_OP_V_CVT_PK_BF8_F32, 2, false), "v_cvt_pk_bf8_f32 low half");
	result(encode_all(ISA_OP_V_CVT_PK_BF8_F32, 2, true), "v_cvt_pk_bf8_f32 high half");
	result(stochastic(ISA_OP_V_CVT_SR_FP8_F32, 3), "v_cvt_sr_fp8_f32");
	result(stochastic(ISA_OP_V_CVT_SR_BF8_F32, 2), "v_cvt_sr_bf8_f32");
	printf("1..%u\n", tests);
	return failures != 0;
}
