// SPDX-License-Identifier: MIT
/*
 * The approximated functions of one float, and clang's division sequence, over
 * inputs of every bit pattern: the widest build against the C library's doubles,
 * which are 2^-28 of a float's last place away from the exact value at most.
 * Prints the worst error; TAP output.
 *
 *	lanes_sweep [all [OP]]		all 2^32 floats (a minute or two for each
 *					OP), not every 1021st
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "lanes.h"

#define MODE_DEFAULT	0x3f0	/* clang's: denormals kept, IEEE, DX10_CLAMP */
#define SAMPLE		1021	/* prime: meets every exponent */
#define ONE		242	/* inline constant 1.0 */
#define TURN		6.283185307179586476925286766559

static const struct isa_lane_ops *lane;
static struct lt_wave t;
static u64 stride = SAMPLE;

static float asf(u32 x) { float f; memcpy(&f, &x, 4); return f; }
static u32 fbits(float f) { u32 x; memcpy(&x, &f, 4); return x; }
static u32 *row(unsigned int n) { return t.w->v + n * ISA_LANES; }

static double rcp(double x) { return 1 / x; }
static double rsq(double x) { return x ? 1 / sqrt(x) : 1 / x; }

/* Beyond 256 turns hardware's input range ends: AMD's text says 0 and 1. */
static double sin_turns(double x)
{
	double r = x - rint(x);

	if (fabs(x) > 256 && !isinf(x))
		return 0;
	r = r > 0.25 ? 0.5 - r : r < -0.25 ? -0.5 - r : r;
	return sin(r * TURN);
}

static double cos_turns(double x)
{
	if (fabs(x) > 256 && !isinf(x))
		return 1;
	return sin((0.25 - fabs(x - rint(x))) * TURN);
}

static const struct func {
	unsigned int op;
	const char *name;
	double (*f)(double);
	double bound;		/* ulp */
	bool keeps;		/* denormals; the others flush them */
} funcs[] = {
	{ ISA_OP_V_RCP_F32, "v_rcp_f32", rcp, 0.5000001, false },
	{ ISA_OP_V_SQRT_F32, "v_sqrt_f32", sqrt, 0.5000001, false },
	{ ISA_OP_V_RSQ_F32, "v_rsq_f32", rsq, 1, false },
	{ ISA_OP_V_EXP_F32, "v_exp_f32", exp2, 1, false },
	{ ISA_OP_V_LOG_F32, "v_log_f32", log2, 1, false },
	{ ISA_OP_V_SIN_F32, "v_sin_f32", sin_turns, 1, true },
	{ ISA_OP_V_COS_F32, "v_cos_f32", cos_turns, 1, true },
};

static double flushed(double x)
{
	return fabs(x) < 0x1p-126 ? copysign(0, x) : x;
}

/* Error in last places of a float of @want's size; infinity where it is plainly wrong. */
static double ulps(double want, float got)
{
	double scale, d;
	u64 e;

	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got) ? 0 : INFINITY;
	if (fabs(want) >= 0x1p128)
		return got == (want < 0 ? -INFINITY : INFINITY) ? 0 : INFINITY;
	memcpy(&e, &want, 8);
	e = e >> 52 & 0x7ff;
	e = e < 1023 - 126 ? 1023 - 126 : e;
	e = (2 * 1023 + 23 - e) << 52;		/* 2^(23 - exponent) */
	memcpy(&scale, &e, 8);
	/* Infinity for what rounds to it is as far away as 2^128. */
	d = isinf(got) ? copysign(0x1p128, got) : got;
	return fabs(want - d) * scale;
}

static struct isa_slot instruction(unsigned int op, int d, int a, int b, int c, u8 neg)
{
	struct isa_slot s = { .in = {
		.op = op, .enc = ISA_ENC_VOP3, .size = 2, .neg = neg,
		.dst = ISA_SRC_VGPR0 + d, .sdst = ISA_SRC_VCC_LO,
		.src = { ISA_SRC_VGPR0 + a,
			 b < 0 ? ISA_SRC_NONE : ISA_SRC_VGPR0 + b,
			 c < 0 ? ISA_SRC_NONE : c >= 100 ? c : ISA_SRC_VGPR0 + c },
	} };

	if (!lane->bind(isa_target_by_name("gfx942"), &s)) {
		printf("Bail out! op %u\n", op);
		exit(1);
	}
	return s;
}

static bool test_func(const struct func *f, char *text, size_t len)
{
	const struct isa_slot s = instruction(f->op, 1, 0, -1, -1, 0);
	u64 n, inputs = 0, off = 0;
	double worst = 0;
	unsigned int l;
	u32 at = 0;

	for (n = 0; n < 1ull << 32; n += ISA_LANES * stride) {
		for (l = 0; l < ISA_LANES; l++)
			row(0)[l] = (u32)(n + l * stride);
		s.exec[1](t.w, &s.in);
		for (l = 0; l < ISA_LANES; l++) {
			float got = asf(row(1)[l]);
			double a = asf(row(0)[l]), e;
			double want = f->keeps ? f->f(a) : flushed(f->f(flushed(a)));

			e = ulps(want, got);
			/* by the sign, too */
			if (!f->keeps && !want && fbits(got) != fbits((float)want))
				e = INFINITY;
			off += e > 0.5;
			if (e > worst) {
				worst = e;
				at = row(0)[l];
			}
		}
		inputs += ISA_LANES;
	}
	snprintf(text, len, "%s: worst %.6f ulp at %08x, %.4f %% of %llu inputs not the nearest",
		 f->name, worst, at, 100.0 * (double)off / (double)inputs,
		 (unsigned long long)inputs);
	return worst <= f->bound;
}

/* v0 / v1 to v9, as clang expands it for gfx90a */
static bool test_divide(char *text, size_t len)
{
	const struct isa_slot seq[] = {
		instruction(ISA_OP_V_DIV_SCALE_F32, 2, 1, 1, 0, 0),
		instruction(ISA_OP_V_RCP_F32, 3, 2, -1, -1, 0),
		instruction(ISA_OP_V_FMA_F32, 4, 2, 3, ONE, 1),
		instruction(ISA_OP_V_FMA_F32, 3, 4, 3, 3, 0),
		instruction(ISA_OP_V_DIV_SCALE_F32, 5, 0, 1, 0, 0),
		instruction(ISA_OP_V_MUL_F32, 6, 5, 3, -1, 0),
		instruction(ISA_OP_V_FMA_F32, 7, 2, 6, 5, 1),
		instruction(ISA_OP_V_FMA_F32, 6, 7, 3, 6, 0),
		instruction(ISA_OP_V_FMA_F32, 7, 2, 6, 5, 1),
		instruction(ISA_OP_V_DIV_FMAS_F32, 7, 7, 3, 6, 0),
		instruction(ISA_OP_V_DIV_FIXUP_F32, 9, 7, 1, 0, 0),
	};
	u64 n, inputs = 0, wrong = 0;
	unsigned int l, k;
	u32 at = 0;

	for (n = 0; n < 1ull << 32; n += ISA_LANES * stride) {
		for (l = 0; l < ISA_LANES; l++) {
			row(1)[l] = (u32)(n + l * stride);
			row(0)[l] = (u32)((n + l * stride + 1) * 0x9e3779b97f4a7c15ull >> 32);
		}
		for (k = 0; k < ARRAY_SIZE(seq); k++)
			seq[k].exec[1](t.w, &seq[k].in);
		for (l = 0; l < ISA_LANES; l++) {
			float want = asf(row(0)[l]) / asf(row(1)[l]), got = asf(row(9)[l]);

			if (fbits(want) == fbits(got) || (isnan(want) && isnan(got)))
				continue;
			wrong++;
			at = row(1)[l];
		}
		inputs += ISA_LANES;
	}
	snprintf(text, len, "f32 division: %llu of %llu wrong (%08x)", (unsigned long long)wrong,
		 (unsigned long long)inputs, at);
	return !wrong;
}

int main(int argc, char **argv)
{
	static const char * const names[] = { "avx512", "avx2", "sse2" };
	const char *only = argc > 2 ? argv[2] : NULL;
	unsigned int n, tests = 0, failed = 0;
	char text[160];
	bool ok;

	for (n = 0; n < ARRAY_SIZE(names) && !lane; n++)
		lane = isa_lane_by_name(names[n], lt_cpu());
	if (!lane || !lt_wave_make(&t))
		return 1;
	if (argc > 1 && !strcmp(argv[1], "all"))
		stride = 1;
	isa_set_exec(t.w, ~0ull);
	t.w->mode = MODE_DEFAULT;
	printf("TAP version 13\n");
	lane->enter(t.w);
	for (n = 0; n <= ARRAY_SIZE(funcs); n++) {
		const char *name = n < ARRAY_SIZE(funcs) ? funcs[n].name : "div";

		if (only && strcmp(only, name))
			continue;
		ok = n < ARRAY_SIZE(funcs) ? test_func(&funcs[n], text, sizeof(text)) :
					     test_divide(text, sizeof(text));
		printf("%sok %u %s\n", ok ? "" : "not ", ++tests, text);
		fflush(stdout);
		failed += !ok;
	}
	lane->leave(t.w);
	printf("1..%u\n", tests);
	return failed != 0 || !tests;
}
