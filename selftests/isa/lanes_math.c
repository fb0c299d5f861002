// SPDX-License-Identifier: MIT
/*
 * Accuracy of the lanes: clang's division sequences against the host's
 * division, the approximated functions against the C library over random
 * inputs (worst error printed), operands of 8 and 16 bits exhaustively. TAP output.
 *
 *	lanes_math [sweep MILLIONS [SEED]]	so many inputs for each, in the
 *						widest build alone
 */
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "lanes.h"

#define MODE_DEFAULT	0x3f0	/* clang's: denormals kept, IEEE, DX10_CLAMP */

static const struct isa_lane_ops *lane;
static struct lt_wave t;
static unsigned int tests, failures;

static void result(bool ok, const char *name)
{
	printf("%sok %u %s: %s\n", ok ? "" : "not ", ++tests, lane->name, name);
	failures += !ok;
}

static float asf(u32 x) { float f; memcpy(&f, &x, 4); return f; }
static u32 fbits(float f) { u32 x; memcpy(&x, &f, 4); return x; }
static double asd(u64 x) { double f; memcpy(&f, &x, 8); return f; }
static u64 dbits(double f) { u64 x; memcpy(&x, &f, 8); return x; }

static u32 *row(unsigned int n) { return t.w->v + n * ISA_LANES; }

/* op v[d], v[a], v[b], v[c]; @neg as in the instruction; mask to VCC */
static void run(unsigned int op, int d, int a, int b, int c, u8 neg)
{
	struct isa_insn i = {
		.op = op, .enc = ISA_ENC_VOP3, .size = 2, .neg = neg,
		.dst = ISA_SRC_VGPR0 + d, .sdst = ISA_SRC_VCC_LO,
		.src = { a < 0 ? ISA_SRC_NONE : ISA_SRC_VGPR0 + a,
			 b < 0 ? ISA_SRC_NONE : b >= 100 ? b : ISA_SRC_VGPR0 + b,
			 c < 0 ? ISA_SRC_NONE : c >= 100 ? c : ISA_SRC_VGPR0 + c },
	};

	if (!lt_run(lane, t.w, &i)) {
		printf("Bail out! op %u\n", op);
		exit(1);
	}
}

#define ONE	242	/* inline constant 1.0 */

/* v0 / v1 to v9, as clang expands it for gfx90a */
static void divide_f32(void)
{
	run(ISA_OP_V_DIV_SCALE_F32, 2, 1, 1, 0, 0);
	run(ISA_OP_V_RCP_F32, 3, 2, -1, -1, 0);
	run(ISA_OP_V_FMA_F32, 4, 2, 3, ONE, 1);
	run(ISA_OP_V_FMA_F32, 3, 4, 3, 3, 0);
	run(ISA_OP_V_DIV_SCALE_F32, 5, 0, 1, 0, 0);
	run(ISA_OP_V_MUL_F32, 6, 5, 3, -1, 0);
	run(ISA_OP_V_FMA_F32, 7, 2, 6, 5, 1);
	run(ISA_OP_V_FMA_F32, 6, 7, 3, 6, 0);
	run(ISA_OP_V_FMA_F32, 7, 2, 6, 5, 1);
	run(ISA_OP_V_DIV_FMAS_F32, 7, 7, 3, 6, 0);
	run(ISA_OP_V_DIV_FIXUP_F32, 9, 7, 1, 0, 0);
}

/* v[0:1] / v[2:3] to v[14:15] */
static void divide_f64(void)
{
	run(ISA_OP_V_DIV_SCALE_F64, 4, 2, 2, 0, 0);
	run(ISA_OP_V_RCP_F64, 6, 4, -1, -1, 0);
	run(ISA_OP_V_FMA_F64, 8, 4, 6, ONE, 1);
	run(ISA_OP_V_FMA_F64, 6, 6, 8, 6, 0);
	run(ISA_OP_V_FMA_F64, 8, 4, 6, ONE, 1);
	run(ISA_OP_V_FMA_F64, 6, 6, 8, 6, 0);
	run(ISA_OP_V_DIV_SCALE_F64, 8, 0, 2, 0, 0);
	run(ISA_OP_V_MUL_F64, 10, 8, 6, -1, 0);
	run(ISA_OP_V_FMA_F64, 4, 4, 10, 8, 1);
	run(ISA_OP_V_DIV_FMAS_F64, 4, 4, 6, 10, 0);
	run(ISA_OP_V_DIV_FIXUP_F64, 14, 4, 2, 0, 0);
}

static bool same32(u32 a, u32 b)
{
	return a == b || (isnan(asf(a)) && isnan(asf(b)));
}

static bool test_divide_f32(unsigned int rounds)
{
	unsigned int k, l;

	for (k = 0; k < rounds; k++) {
		for (l = 0; l < ISA_LANES; l++) {
			row(0)[l] = k & 1 ? lt_value32() : (u32)lt_rand();
			row(1)[l] = k & 2 ? lt_value32() : (u32)lt_rand();
		}
		divide_f32();
		for (l = 0; l < ISA_LANES; l++) {
			u32 want = fbits(asf(row(0)[l]) / asf(row(1)[l]));

			if (same32(want, row(9)[l]))
				continue;
			printf("# %08x / %08x: want %08x, got %08x\n", row(0)[l], row(1)[l],
			       want, row(9)[l]);
			return false;
		}
	}
	return true;
}

static u64 get64(unsigned int n, unsigned int l)
{
	return row(n)[l] | (u64)row(n + 1)[l] << 32;
}

static void put64(unsigned int n, unsigned int l, u64 v)
{
	row(n)[l] = (u32)v;
	row(n + 1)[l] = (u32)(v >> 32);
}

static bool test_divide_f64(unsigned int rounds)
{
	unsigned int k, l;

	for (k = 0; k < rounds; k++) {
		for (l = 0; l < ISA_LANES; l++) {
			put64(0, l, k & 1 ? lt_value(LT_F64) : lt_rand());
			put64(2, l, k & 2 ? lt_value(LT_F64) : lt_rand());
		}
		divide_f64();
		for (l = 0; l < ISA_LANES; l++) {
			double want = asd(get64(0, l)) / asd(get64(2, l));
			u64 got = get64(14, l);

			if (dbits(want) == got || (isnan(want) && isnan(asd(got))))
				continue;
			printf("# %016llx / %016llx: want %016llx, got %016llx\n",
			       (unsigned long long)get64(0, l), (unsigned long long)get64(2, l),
			       (unsigned long long)dbits(want), (unsigned long long)got);
			return false;
		}
	}
	return true;
}

/* A double of an exponent within 2^@n of 1, or with few bits, or 0 */
static double middling(unsigned int n)
{
	int exp = (int)(lt_rand() % (2 * n)) - (int)n;
	double x = ldexp((double)(s64)(lt_rand() | 1) * 0x1p-63, exp);

	if (lt_rand() % 16 == 0)
		x = (double)(float)x;
	return lt_rand() % 64 ? x : lt_rand() & 1 ? -0.0 : 0.0;
}

/*
 * Sums that round: terms of all distances, that cancel all but a few bits or all, ties.
 * In every rounding mode the host's own is what it must be.
 */
static bool test_fma_f64(unsigned int rounds)
{
	static const int host[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
	unsigned int k, l;

	for (k = 0; k < rounds; k++) {
		u32 rnd = k & 1 ? k >> 1 & 3 : 0;

		for (l = 0; l < ISA_LANES; l++) {
			double a = middling(k & 4 ? 8 : 420), b = middling(k & 4 ? 8 : 420);
			double c = k & 8 ? middling(60) * a * b : middling(900);

			if (lt_rand() % 4 == 0)
				c = asd(dbits(-a * b) + lt_rand() % 5 - 2);
			put64(0, l, dbits(a));
			put64(2, l, dbits(b));
			put64(4, l, dbits(c));
		}
		t.w->mode = MODE_DEFAULT | rnd | rnd << 2;
		run(ISA_OP_V_FMA_F64, 6, 0, 2, 4, 0);
		t.w->mode = MODE_DEFAULT;
		for (l = 0; l < ISA_LANES; l++) {
			double a = asd(get64(0, l)), b = asd(get64(2, l)), c = asd(get64(4, l)), want;

			fesetround(host[rnd]);
			want = fma(a, b, c);
			fesetround(FE_TONEAREST);
			if (dbits(want) == get64(6, l) || (isnan(want) && isnan(asd(get64(6, l)))))
				continue;
			printf("# %a * %a + %a, rounding %u: want %a, got %a\n", a, b, c, rnd, want,
			       asd(get64(6, l)));
			return false;
		}
	}
	return true;
}

static long double sin_turns(long double x)
{
	long double r = x - rintl(x);

	r = r > 0.25L ? 0.5L - r : r < -0.25L ? -0.5L - r : r;
	return sinl(r * 6.283185307179586476925286766559L);
}

static long double cos_turns(long double x)
{
	x = fabsl(x - rintl(x));
	return sinl((0.25L - x) * 6.283185307179586476925286766559L);
}

static long double rsq(long double x) { return 1 / sqrtl(x); }
static long double rcp(long double x) { return 1 / x; }

struct func {
	unsigned int op;
	const char *name;
	long double (*f)(long double);
	u32 lo, hi;		/* range of bit patterns, both signs if @both */
	bool both;
};

static const struct func funcs[] = {
	{ ISA_OP_V_RCP_F32, "v_rcp_f32", rcp, 0x00800000, 0x7e800000, true },
	{ ISA_OP_V_SQRT_F32, "v_sqrt_f32", sqrtl, 0x00800000, 0x7f7fffff, false },
	{ ISA_OP_V_RSQ_F32, "v_rsq_f32", rsq, 0x00800000, 0x7f7fffff, false },
	{ ISA_OP_V_EXP_F32, "v_exp_f32", exp2l, 0x30000000, 0x42fc0000, true },
	{ ISA_OP_V_LOG_F32, "v_log_f32", log2l, 0x00800000, 0x7f7fffff, false },
	{ ISA_OP_V_LOG_F32, "v_log_f32 near 1", log2l, 0x3f700000, 0x3f900000, false },
	{ ISA_OP_V_SIN_F32, "v_sin_f32", sin_turns, 0x00800000, 0x43800000, true },
	{ ISA_OP_V_SIN_F32, "v_sin_f32 below 1", sin_turns, 0x3d000000, 0x3f800000, true },
	{ ISA_OP_V_COS_F32, "v_cos_f32", cos_turns, 0x3a000000, 0x43800000, true },
};

static double ulp_error(long double want, float got)
{
	int e;

	if (want == got)
		return 0;
	frexpl(want, &e);
	return (double)(fabsl(want - got) / ldexpl(1, e - 24 < -149 ? -149 : e - 24));
}

static bool test_func(const struct func *f, unsigned int rounds)
{
	double worst = 0;
	u32 at = 0;
	unsigned int k, l;
	char text[80];

	for (k = 0; k < rounds; k++) {
		for (l = 0; l < ISA_LANES; l++) {
			u64 r = lt_rand();

			row(0)[l] = f->lo + (u32)((r >> 32) % (f->hi - f->lo));
			if (f->both)
				row(0)[l] |= (u32)(r & 1) << 31;
		}
		run(f->op, 1, 0, -1, -1, 0);
		for (l = 0; l < ISA_LANES; l++) {
			double e = ulp_error(f->f(asf(row(0)[l])), asf(row(1)[l]));

			if (!(e <= worst)) {
				worst = e;
				at = row(0)[l];
			}
		}
	}
	snprintf(text, sizeof(text), "%s at most 1 ulp (%.4f)", f->name, worst);
	printf("# %s %s: worst %.6f ulp at %08x over %u inputs\n", lane->name, f->name, worst,
	       at, rounds * ISA_LANES);
	result(worst <= 1, text);
	return worst <= 1;
}

/*
 * Hardware's approximations have no denormals whatever MODE says (AMD's ISA texts). The first
 * five rows are what a gfx1200 gave, by tests that others have published.
 */
static bool test_flush(void)
{
	static const struct {
		unsigned int op;
		u32 a, want;
	} rows[] = {
		{ ISA_OP_V_RCP_F32, 0x00000001, 0x7f800000 },
		{ ISA_OP_V_RCP_F32, 0x807fffff, 0xff800000 },
		{ ISA_OP_V_RCP_F32, 0x7f7fffff, 0 },
		{ ISA_OP_V_SQRT_F32, 0x00000001, 0 },
		{ ISA_OP_V_SQRT_F32, 0x807fffff, 0x80000000 },
		{ ISA_OP_V_RCP_F32, 0x00800000, 0x7e800000 },
		{ ISA_OP_V_RCP_F32, 0x7e800000, 0x00800000 },	/* the smallest result */
		{ ISA_OP_V_RCP_F32, 0xfe800001, 0x80000000 },
		{ ISA_OP_V_RCP_F32, 0xff800000, 0x80000000 },
		{ ISA_OP_V_RCP_F32, 0x7f800001, 0x7fc00001 },
		{ ISA_OP_V_RCP_IFLAG_F32, 0x80000001, 0xff800000 },
		{ ISA_OP_V_RCP_IFLAG_F32, 0xff7fffff, 0x80000000 },
		{ ISA_OP_V_SQRT_F32, 0x007fffff, 0 },
		{ ISA_OP_V_SQRT_F32, 0x00800000, 0x20000000 },
		{ ISA_OP_V_RSQ_F32, 0x00000001, 0x7f800000 },
		{ ISA_OP_V_RSQ_F32, 0x807fffff, 0xff800000 },
		{ ISA_OP_V_RSQ_F32, 0x00800000, 0x5f000000 },
		{ ISA_OP_V_RSQ_F32, 0x80800000, 0xffc00000 },
		{ ISA_OP_V_EXP_F32, 0xc2fc0000, 0x00800000 },	/* 2^-126 */
		{ ISA_OP_V_EXP_F32, 0xc2fc0001, 0 },
		{ ISA_OP_V_EXP_F32, 0xc3150000, 0 },		/* 2^-149 */
		{ ISA_OP_V_EXP_F32, 0x807fffff, 0x3f800000 },
		{ ISA_OP_V_EXP_F32, 0xff800001, 0xffc00001 },
		{ ISA_OP_V_EXP_LEGACY_F32, 0xc2fc0001, 0 },
		{ ISA_OP_V_LOG_F32, 0x007fffff, 0xff800000 },
		{ ISA_OP_V_LOG_F32, 0x80000001, 0xff800000 },
		{ ISA_OP_V_LOG_F32, 0x00800000, 0xc2fc0000 },
		{ ISA_OP_V_LOG_F32, 0x80800000, 0xffc00000 },
		{ ISA_OP_V_LOG_LEGACY_F32, 0x00000001, 0xff800000 },
		/* halves have theirs: 2^-24, 2^-14, 2^-15 */
		{ ISA_OP_V_SQRT_F16, 0x0001, 0x0c00 },
		{ ISA_OP_V_RCP_F16, 0x7800, 0x0200 },
		{ ISA_OP_V_EXP_F16, 0xcb80, 0x0200 },
		{ ISA_OP_V_LOG_F16, 0x0001, 0xce00 },
	};
	static const u32 modes[] = { 0x3f0, 0x3d0, 0x3e0, 0x3c0 };	/* of floats */
	unsigned int n, m, l;

	for (n = 0; n < ARRAY_SIZE(rows); n++)
		for (m = 0; m < ARRAY_SIZE(modes); m++) {
			for (l = 0; l < ISA_LANES; l++)
				row(0)[l] = rows[n].a;
			t.w->mode = modes[m];
			run(rows[n].op, 1, 0, -1, -1, 0);
			t.w->mode = MODE_DEFAULT;
			for (l = 0; l < ISA_LANES; l++) {
				if (row(1)[l] == rows[n].want)
					continue;
				printf("# op %u %08x mode %x: want %08x, got %08x\n", rows[n].op,
				       rows[n].a, modes[m], rows[n].want, row(1)[l]);
				return false;
			}
		}
	return true;
}

/*
 * Quotients of operands whose exponents are too far apart are 0, others are what the first source
 * says: AMD's text.
 */
static bool test_fixup(void)
{
	static const u32 rows32[][4] = {	/* quotient, denominator, numerator, result */
		{ 0x3f800000, 0x7f000000, 0x00800000, 0 },
		{ 0x7fc00000, 0x7f000000, 0x80800000, 0x80000000 },
		{ 0x3f800000, 0x4c800000, 0x01000000, 0 },		/* 153 and 2 */
		{ 0x3f800000, 0x4c000000, 0x01000000, 0x3f800000 },	/* 152 and 2 */
		{ 0x3f800000, 0x4b800000, 0x00000001, 0 },		/* 151 and 0 */
		{ 0x3f800000, 0xcb000000, 0x007fffff, 0xbf800000 },	/* 150 and 0 */
		{ 0x7fc00000, 0x3f800000, 0xbf800000, 0xff800000 },
	};
	static const u64 rows64[][4] = {
		{ 0x3ff0ull << 48, 0x7fe0ull << 48, 0x0010ull << 48, 0 },
		{ 0x3ff0ull << 48, 0x4360ull << 48, 0x8010ull << 48, 1ull << 63 }, /* 1078 and 1 */
		{ 0x3ff0ull << 48, 0x4350ull << 48, 0x0010ull << 48, 0 },	/* 1077 and 1 */
		{ 0x3ff0ull << 48, 0x4340ull << 48, 0x0010ull << 48, 0x3ff0ull << 48 },
		{ 0x3ff0ull << 48, 0x4340ull << 48, 1, 0 },		/* 1076 and 0 */
		{ 0x3ff0ull << 48, 0x4330ull << 48, 1, 0x3ff0ull << 48 },
	};
	unsigned int n, l;

	for (n = 0; n < ARRAY_SIZE(rows32); n++) {
		for (l = 0; l < 3 * ISA_LANES; l++)
			row(l / ISA_LANES)[l % ISA_LANES] = rows32[n][l / ISA_LANES];
		run(ISA_OP_V_DIV_FIXUP_F32, 9, 0, 1, 2, 0);
		for (l = 0; l < ISA_LANES; l++)
			if (row(9)[l] != rows32[n][3]) {
				printf("# row %u: want %08x, got %08x\n", n, rows32[n][3],
				       row(9)[l]);
				return false;
			}
	}
	for (n = 0; n < ARRAY_SIZE(rows64); n++) {
		for (l = 0; l < 3 * ISA_LANES; l++)
			put64(2 * (l / ISA_LANES), l % ISA_LANES, rows64[n][l / ISA_LANES]);
		run(ISA_OP_V_DIV_FIXUP_F64, 14, 0, 2, 4, 0);
		for (l = 0; l < ISA_LANES; l++)
			if (get64(14, l) != rows64[n][3]) {
				printf("# double row %u: got %016llx\n", n,
				       (unsigned long long)get64(14, l));
				return false;
			}
	}
	return true;
}

/* One operand of 8 or 16 bits, or one that is a small integer in a dword */
static bool is_narrow(const struct lt_op *op)
{
	if (op->src[1])
		return false;
	switch (op->op) {
	case ISA_OP_V_CVT_F32_UBYTE0:
	case ISA_OP_V_CVT_F32_UBYTE1:
	case ISA_OP_V_CVT_F32_UBYTE2:
	case ISA_OP_V_CVT_F32_UBYTE3:
	case ISA_OP_V_CVT_OFF_F32_I4:
		return true;
	}
	return op->src[0] == LT_F16 || op->src[0] == LT_U16 || op->src[0] == LT_I16;
}

/*
 * Every value through every operation of one narrow operand; twice in the dword. @sum: of
 * all results. @model: compare each with the model, which takes most of the time.
 */
static bool test_narrow(const struct lt_op *op, bool model, u64 *sum)
{
	static const u32 modes[] = { 0x3f0, 0x330, 0x3f4, 0x3f8, 0x3fc };
	unsigned int m, n, l;

	*sum = 0;
	for (m = 0; m < ARRAY_SIZE(modes); m++)
		for (n = 0; n < 65536; n += ISA_LANES) {
			for (l = 0; l < ISA_LANES; l++)
				row(0)[l] = (n + l) * 0x10001;
			t.w->mode = modes[m];
			run(op->op, 1, 0, -1, -1, 0);
			t.w->mode = MODE_DEFAULT;
			for (l = 0; l < ISA_LANES; l++) {
				struct ref_in in = { .s = { row(0)[l] }, .mode = modes[m] };
				struct ref_out o;
				s32 d;

				*sum = (*sum ^ row(1)[l]) * 0x100000001b3;
				if (!model)
					continue;
				if (!ref_op(op, &in, &o)) {
					printf("# no model of %s\n", op->name);
					return false;
				}
				d = (s32)(row(1)[l] & 0x7fff) - (s32)(o.d & 0x7fff);
				if (row(1)[l] == o.d || (o.ulp && d >= -1 && d <= 1))
					continue;
				printf("# %s %04x mode %x: want %x, got %x\n", op->name, n + l,
				       modes[m], (u32)o.d, row(1)[l]);
				return false;
			}
		}
	return true;
}

static void test_variant(bool first)
{
	static u64 sums[ISA_OP_COUNT];
	unsigned int n;

	isa_set_exec(t.w, ~0ull);
	t.w->mode = MODE_DEFAULT;
	result(test_divide_f32(4000), "f32 division is correctly rounded");
	result(test_divide_f64(4000), "f64 division is correctly rounded");
	result(test_fma_f64(4000), "f64 fma: sums that cancel, ties, all roundings");
	result(test_fixup(), "v_div_fixup of operands far apart");
	result(test_flush(), "approximations of floats flush denormals in any mode");
	for (n = 0; n < ARRAY_SIZE(funcs); n++)
		test_func(&funcs[n], first ? 16384 : 1024);
	/* of wider operands, bit equality of the variants is lanes.c's */
	for (n = 0; n < lt_op_count; n++) {
		u64 sum;
		bool ok;

		if (!is_narrow(&lt_ops[n]))
			continue;
		/* The others have the first one's sum; if not, the model says where */
		ok = test_narrow(&lt_ops[n], first, &sum);
		if (first)
			sums[lt_ops[n].op] = sum;
		else if (sum != sums[lt_ops[n].op])
			ok = test_narrow(&lt_ops[n], true, &sum);
		result(ok && sum == sums[lt_ops[n].op], lt_ops[n].name);
	}
}

/* Others than the check's: the approximations and the divisions, at length. */
static void sweep(unsigned int rounds)
{
	unsigned int n;

	isa_set_exec(t.w, ~0ull);
	t.w->mode = MODE_DEFAULT;
	for (n = 0; n < ARRAY_SIZE(funcs); n++) {
		test_func(&funcs[n], rounds);
		fflush(stdout);
	}
	result(test_divide_f32(rounds), "f32 division is correctly rounded");
	result(test_divide_f64(rounds), "f64 division is correctly rounded");
}

int main(int argc, char **argv)
{
	static const char * const names[] = { "avx512", "avx2", "sse2" };
	bool first = true;
	unsigned int n;

	if (!lt_wave_make(&t))
		return 1;
	printf("TAP version 13\n");
	for (n = 0; n < ARRAY_SIZE(names); n++) {
		lane = isa_lane_by_name(names[n], lt_cpu());
		if (!lane)
			continue;
		if (argc > 2 && !strcmp(argv[1], "sweep")) {
			lt_seed(argc > 3 ? strtoull(argv[3], NULL, 0) : 1);
			sweep((unsigned int)strtoul(argv[2], NULL, 0) * (1000000 / ISA_LANES));
			break;
		}
		test_variant(first);
		first = false;
	}
	printf("1..%u\n", tests);
	return failures != 0;
}
