// SPDX-License-Identifier: MIT
/*
 * Matrix operations of gfx908, gfx90a, gfx942 and gfx950: every one of them, decoded
 * from words, with every kind of operand and modifier, in every SIMD build,
 * against ref_matrix.c; and rows of known dot products. TAP output; "counts":
 * a line of each target's operations, how many rounds agreed.
 */
#include <stdio.h>
#include <stdlib.h>
#include "ref_matrix.h"
#include "tables.h"
#include "lanes.h"

#define ROWS		512
#define ACC_ROW		256
#define ROUNDS		60

static const char * const targets[] = { "gfx908", "gfx90a", "gfx942", "gfx950" };
static const struct isa_lane_ops *variants[3];
static unsigned int nvariants, tests, failures;
static struct isa_cu cu;
static struct isa_wave *wave;
static u32 *before, *want;

static void result(bool ok, const char *a, const char *b)
{
	printf("%sok %u %s %s\n", ok ? "" : "not ", ++tests, a, b);
	failures += !ok;
}

static void *memory(size_t bytes)
{
	void *p = aligned_alloc(64, (bytes + 63) & ~(size_t)63);

	if (!p)
		exit(1);
	memset(p, 0, (bytes + 63) & ~(size_t)63);
	return p;
}

/* Number of an operation in a target's VOP3P table, -1 if it has none */
static int number(const struct isa_target *t, unsigned int op)
{
	int n;

	for (n = 0; n < t->nslots[ISA_ENC_VOP3P]; n++)
		if (t->slots[ISA_ENC_VOP3P][n] &&
		    isa_rows[t->slots[ISA_ENC_VOP3P][n]].op == op)
			return n;
	return -1;
}

/**
 * struct words - the fields of an instruction
 * @d,@a,@b,@c: register numbers; @c may be an inline constant
 */
struct words {
	u32 d, a, b, c;
	bool acc_cd, acc_a, acc_b, constant;
	u32 cbsz, abid, blgp;
};

static int encode(const struct isa_target *t, int op, const struct words *f, struct isa_insn *i)
{
	u32 w[2];

	w[0] = 0xd3800000u | (u32)op << 16 | f->d | f->cbsz << 8 | f->abid << 11 |
	       (u32)f->acc_cd << 15;
	w[1] = (f->a + 256) | (f->b + 256) << 9 | (f->constant ? f->c : f->c + 256) << 18 |
	       (u32)f->acc_a << 27 | (u32)f->acc_b << 28 | f->blgp << 29;
	return isa_decode(t, w, 2, i);
}

static u32 value_bits(unsigned int type, unsigned int kind)
{
	u64 r = lt_rand();
	u32 bits = rm_type_bits(type), mant = type == RM_F16 ? 10 : type == RM_BF16 ? 7 :
		   type == RM_FP8 ? 3 : type == RM_BF8 ? 2 : 23;
	u32 ebits = bits > 32 ? 0 : bits - 1 - mant, x = (u32)r, mask = bits < 32 ? (1u << bits) - 1 : ~0u;
	u32 emax = (1u << ebits) - 1, bias = emax >> 1;

	switch (kind) {
	case 0:		/* about one */
		return (x & ~(emax << mant) & mask) | (bias - 3 + (u32)(r >> 40) % 5) << mant;
	case 1:		/* any finite number */
		x &= mask;
		return (x >> mant & emax) == emax ? x ^ 1u << mant : x;
	case 2:		/* small whole numbers, and zeros of both signs */
		if (r >> 60 < 6)
			return (u32)(r >> 33 & 1) << (bits - 1);
		return (x & 1u << (bits - 1)) | (bias + (u32)(r >> 40) % 3) << mant;
	case 3:		/* denormals and what is near them */
		return (x & ~(emax << mant) & mask) | (u32)(r >> 40) % 3 << mant;
	case 4:		/* specials among the rest */
		if (r >> 60)
			return value_bits(type, (u32)(r >> 50) % 4);
		return ((x & 1u << (bits - 1)) | emax << mant | (r >> 50 & 1 ? x & 7 : 0)) & mask;
	case 5:		/* large */
		return (x & ~(emax << mant) & mask) | (emax - 1 - (u32)(r >> 40) % 3) << mant;
	}
	return x & mask;
}

static void fill_rows(u32 *rows, u32 n, unsigned int type, unsigned int kind)
{
	u32 bits = rm_type_bits(type), k, l, x;

	for (k = 0; k < n * 64; k++) {
		rows[k] = 0;
		if (type == RM_F64) {
			u64 v = lt_value(LT_F64);

			rows[k] = k / 64 & 1 ? (u32)(v >> 32) : (u32)v;
			continue;
		}
		for (l = 0; l < 32; l += bits) {
			x = type == RM_I8 ? (u32)lt_rand() & 0xff : value_bits(type, kind);
			rows[k] |= x << l;
		}
	}
}

static const struct isa_row *row_of_op(unsigned int op)
{
	const struct isa_row *r = isa_rows + 1;

	while (r->op != op)
		r++;
	return r;
}

static u32 row_of(bool acc, u32 n)
{
	return (acc ? ACC_ROW : 0) + n;
}

/* Random fields, now and then with registers that overlap */
static void random_words(const struct rm_op *op, int arch, struct words *f)
{
	const struct isa_row *row = row_of_op(op->op);
	u64 r = lt_rand();
	u32 nd = row->dst[0].dwords, log = 0;

	memset(f, 0, sizeof(*f));
	f->d = (u32)(r >> 8) % (257 - nd);
	f->a = (u32)(r >> 16) % (257 - row->src[0].dwords);
	f->b = (u32)(r >> 24) % (257 - row->src[1].dwords);
	f->c = (u32)(r >> 32) % (257 - row->src[2].dwords);
	f->acc_cd = r & 1;
	f->acc_a = r & 2;
	f->acc_b = r & 4;
	if (arch == RM_GFX908)
		f->acc_cd = true;
	r = lt_rand();
	if (!(r & 7))
		f->a = f->d / 2;
	if (!(r & 0x18))
		f->b = f->d < 256u - row->src[1].dwords ? f->d : 0;
	if (!op->sparse) {
		if (!(r & 0x60))
			f->c = f->d;
		else if (!(r & 0x180))		/* overlaps in part */
			f->c = f->d ? f->d - 1 : f->d;
		else if (!(r & 0x600) && f->d + nd + 2 < 256)
			f->c = f->d + 2;
		if (!(r & 0x3800)) {
			f->constant = true;
			f->c = r & 0x4000 ? 128 + (u32)(r >> 16) % 81 : 240 + (u32)(r >> 16) % 9;
		}
	}
	while (1u << log < op->blocks)
		log++;
	if (op->cbsz) {
		f->cbsz = (u32)(r >> 24) % (log + 1);
		f->abid = (u32)(r >> 32) % (1u << f->cbsz);
	}
	if (op->sparse) {
		f->cbsz = r >> 24 & 1;
		f->abid = r >> 32 & 15;
	}
	if (arch >= RM_GFX942 ? op->blgp942 : op->blgp)
		f->blgp = r >> 40 & 1 ? 0 : r >> 44 & 7;
}

static u64 constant(const struct rm_op *op, u32 code)
{
	static const float f[] = { 0.5f, -0.5f, 1, -1, 2, -2, 4, -4, 0.15915494f };
	static const double d[] = { 0.5, -0.5, 1, -1, 2, -2, 4, -4, 0.15915494309189532 };
	u64 x = 0;

	if (code < 240) {
		s64 v = code <= 192 ? (s64)code - 128 : 192 - (s64)code;

		return op->a == RM_F64 ? (u64)v : (u32)v;
	}
	if (op->a == RM_F64)
		memcpy(&x, &d[code - 240], 8);
	else
		memcpy(&x, &f[code - 240], 4);
	return x;
}

/* What the model makes of the registers in @before, in @want */
static void model(const struct rm_op *op, enum rm_arch arch, const struct words *f)
{
	const struct isa_row *row = row_of_op(op->op);
	u32 rows = row->dst[0].dwords, n;
	u32 *d = memory(rows * 256), *c = memory(rows * 256);
	const u32 *a = before + row_of(f->acc_a, f->a) * 64;
	const u32 *b = before + row_of(f->acc_b, f->b) * 64;

	memcpy(want, before, ROWS * 256);
	memcpy(d, before + row_of(f->acc_cd, f->d) * 64, rows * 256);
	if (op->sparse) {
		memcpy(c, before + f->c * 64, 256);	/* the index is a VGPR */
	} else if (f->constant) {
		u64 x = constant(op, f->c);

		for (n = 0; n < rows * 64; n++)
			c[n] = op->a == RM_F64 && n / 64 & 1 ? (u32)(x >> 32) : (u32)x;
	} else {
		memcpy(c, before + row_of(f->acc_cd, f->c) * 64, rows * 256);
	}
	rm_run(op, arch, a, b, c, d, f->cbsz, f->abid, f->blgp);
	memcpy(want + row_of(f->acc_cd, f->d) * 64, d, rows * 256);
	free(d);
	free(c);
}

static void fill(const struct rm_op *op, const struct words *f)
{
	const struct isa_row *row = row_of_op(op->op);
	bool f64 = op->a == RM_F64, i8 = op->a == RM_I8;
	u64 r = lt_rand();
	u32 n;

	for (n = 0; n < ROWS * 64; n++)
		before[n] = (u32)lt_rand();
	if (!i8 && !f->constant && !op->sparse)
		fill_rows(before + row_of(f->acc_cd, f->c) * 64, row->dst[0].dwords,
			  f64 ? RM_F64 : RM_F32, (u32)(r >> 8) % 6);
	if (!i8 && op->sparse)
		fill_rows(before + row_of(f->acc_cd, f->d) * 64, row->dst[0].dwords, RM_F32,
			  (u32)(r >> 8) % 6);
	fill_rows(before + row_of(f->acc_a, f->a) * 64, row->src[0].dwords, op->a,
		  (u32)(r >> 16) % 7);
	fill_rows(before + row_of(f->acc_b, f->b) * 64, row->src[1].dwords, op->b,
		  (u32)(r >> 24) % 7);
}

static bool run_variant(const struct isa_lane_ops *v, const struct isa_target *t,
			const struct isa_insn *in, u32 mode, u64 exec)
{
	struct isa_slot s = { .in = *in };
	u32 csr = __builtin_ia32_stmxcsr();
	enum isa_stop why;

	cu.target = t;
	cu.lane = v;
	isa_wave_reset(wave, &cu, NULL, 0, exec);
	wave->acc_row = ACC_ROW;
	wave->mode = mode;
	cu.cost = 0;
	memcpy(wave->v, before, ROWS * 256);
	if (!isa_rows_ok(wave, &s.in) || !v->bind(t, &s)) {
		printf("# %s: not bound\n", v->name);
		return false;
	}
	v->enter(wave);
	why = s.exec[wave->full](wave, &s.in);
	v->leave(wave);
	__builtin_ia32_ldmxcsr(csr);
	return why == ISA_STOP_NONE || why == ISA_STOP_BUDGET;
}

static bool compare(const struct isa_lane_ops *v, const struct words *f)
{
	u32 n;

	for (n = 0; n < ROWS * 64; n++) {
		if (wave->v[n] == want[n])
			continue;
		printf("# %s: row %u lane %u: %08x, want %08x; d %u a %u b %u c %u%s acc %d%d%d "
		       "cbsz %u abid %u blgp %u\n", v->name, n / 64, n % 64, wave->v[n], want[n],
		       f->d, f->a, f->b, f->c, f->constant ? " (constant)" : "", f->acc_cd,
		       f->acc_a, f->acc_b, f->cbsz, f->abid, f->blgp);
		return false;
	}
	return true;
}

static bool test_op(const struct rm_op *op, enum rm_arch arch)
{
	const struct isa_target *t = isa_target_by_name(targets[arch]);
	int num = number(t, op->op);
	struct isa_insn i;
	struct words f;
	u32 k, n;

	for (k = 0; k < ROUNDS; k++) {
		u64 exec = k & 1 ? lt_rand() : ~0ull;

		random_words(op, arch, &f);
		if (encode(t, num, &f, &i) != 2) {
			printf("# not decoded\n");
			return false;
		}
		fill(op, &f);
		model(op, arch, &f);
		for (n = 0; n < nvariants; n++)
			if (!run_variant(variants[n], t, &i, (u32)lt_rand() & 0x3ff, exec) ||
			    !compare(variants[n], &f))
				return false;
	}
	return true;
}

/* ---- rows of known dot products ---- */

/**
 * struct row - one element of the result
 * @op,@arch: operation and target
 * @a,@b: the first elements along k; the rest is zero
 * @c,@want: accumulator and result
 */
static const struct row {
	u16 op;
	u8 arch;
	u32 a[8], b[8];
	u32 c, want;
	const char *what;
} rows[] = {
	/* 1 + 7 * 1.5 * 2^-24: cut to 2^-24 each, a tie of the sum; or in pairs */
	{ ISA_OP_V_MFMA_F32_16X16X16F16, RM_GFX942,
	  { 0x3c00, 0x0c00, 0x0c00, 0x0c00, 0x0c00, 0x0c00, 0x0c00, 0x0c00 },
	  { 0x3c00, 0x0e00, 0x0e00, 0x0e00, 0x0e00, 0x0e00, 0x0e00, 0x0e00 },
	  0, 0x3f800004, "products are cut off" },
	{ ISA_OP_V_MFMA_F32_16X16X16F16, RM_GFX90A,
	  { 0x3c00, 0x0c00, 0x0c00, 0x0c00, 0x0c00, 0x0c00, 0x0c00, 0x0c00 },
	  { 0x3c00, 0x0e00, 0x0e00, 0x0e00, 0x0e00, 0x0e00, 0x0e00, 0x0e00 },
	  0, 0x3f800005, "pairs are rounded" },
	{ ISA_OP_V_MFMA_F32_16X16X16F16, RM_GFX908, { 1 }, { 0x6400 }, 0, 0x38800000,
	  "denormal input counts" },
	{ ISA_OP_V_MFMA_F32_16X16X16F16, RM_GFX90A, { 1 }, { 0x6400 }, 0, 0,
	  "denormal input is zero" },
	{ ISA_OP_V_MFMA_F32_16X16X16F16, RM_GFX942, { 1 }, { 0x6400 }, 0, 0x38800000,
	  "denormal input counts" },
	{ ISA_OP_V_MFMA_F32_16X16X16F16, RM_GFX942, { 0x3c00 }, { 0x3c00 }, 0xab800000,
	  0x3f7fffff, "C is rounded down" },
	{ ISA_OP_V_MFMA_F32_16X16X16F16, RM_GFX90A, { 0x3c00 }, { 0x3c00 }, 0xab800000,
	  0x3f800000, "C is rounded with the sum" },
	{ ISA_OP_V_MFMA_F32_16X16X32_FP8_FP8, RM_GFX942, { 0x40 }, { 0x40 }, 0xab800000,
	  0x3f800000, "a small C is dropped" },
	{ ISA_OP_V_MFMA_F32_16X16X32_FP8_FP8, RM_GFX942, { 0x40 }, { 0x40 }, 0xb3000000,
	  0x3f7fffff, "C is rounded down" },
	{ ISA_OP_V_MFMA_F32_16X16X32_FP8_FP8, RM_GFX942, { 0x80 }, { 0x40 }, 0, 0x7fc00000,
	  "what would be -0 is NaN" },
	{ ISA_OP_V_MFMA_F32_16X16X32_BF8_BF8, RM_GFX942, { 0x7f }, { 0x7f }, 0, 0x4f440000,
	  "the largest number squared" },
	{ ISA_OP_V_MFMA_F32_16X16X8_XF32, RM_GFX942, { 0x3f800fff }, { 0x3f803fff }, 0,
	  0x3f802000, "13 bits are cut off" },
	{ ISA_OP_V_MFMA_F32_16X16X16BF16_1K, RM_GFX942, { 0x7f00 }, { 0x4000 }, 0, 0x7f800000,
	  "2^128 is infinite" },
	{ ISA_OP_V_MFMA_F32_16X16X16BF16_1K, RM_GFX942, { 0x7f00, 0xff00 }, { 0x4000, 0x4000 },
	  0, 0x7fc00000, "2^128 - 2^128 is NaN" },
	{ ISA_OP_V_MFMA_F32_16X16X16BF16_1K, RM_GFX942, { 0x0080 }, { 0x3f00 }, 0, 0x00400000,
	  "denormal results stay" },
	{ ISA_OP_V_MFMA_F32_16X16X16BF16_1K, RM_GFX90A, { 0x0080 }, { 0x3f00 }, 0x80000000, 0,
	  "denormal results are zero" },
	{ ISA_OP_V_MFMA_F32_16X16X8BF16, RM_GFX90A, { 0x3f80, 0x3f80, 0x3f80 },
	  { 0x4b80, 0x3f80, 0xcb80 }, 0, 0, "two at a time" },
	{ ISA_OP_V_MFMA_F32_16X16X16BF16_1K, RM_GFX90A, { 0x3f80, 0x3f80, 0x3f80, 0x3f80 },
	  { 0x4b80, 0xcb80, 0x3f80, 0x3f80 }, 0, 0x40000000, "four at a time" },
	{ ISA_OP_V_MFMA_F32_16X16X4F32, RM_GFX90A, { 0x3f800800 }, { 0x3f800800 }, 0xbf800000,
	  0x3a000400, "fused" },
	{ ISA_OP_V_MFMA_F32_16X16X4F32, RM_GFX942, { 0x00400000 }, { 0x3f800000 }, 0,
	  0x00400000, "denormals stay" },
	{ ISA_OP_V_MFMA_I32_16X16X16I8, RM_GFX90A, { 1 }, { 1 }, 0x7fffffff, 0x80000000,
	  "wraps" },
	{ ISA_OP_V_MFMA_I32_16X16X32_I8, RM_GFX942, { 0x80, 0x80 }, { 0x80, 0x80 }, 0, 0x8000,
	  "signed bytes" },
	{ ISA_OP_V_SMFMAC_F32_16X16X32_F16, RM_GFX942, { 0x3c00, 0x4000 }, { 0, 0x3c00, 0, 0x4200 },
	  0x3f800000, 0x41000000, "1 * B[1] + 2 * B[3] + 1" },
	{ ISA_OP_V_SMFMAC_I32_16X16X64_I8, RM_GFX942, { 3, 5 }, { 0, 7, 0, 0xff }, 1, 17,
	  "3 * B[1] + 5 * B[3] + 1" },
	{ ISA_OP_V_SMFMAC_F32_16X16X64_F16, RM_GFX950, { 0x3c00, 0x4000 }, { 0, 0x3c00, 0, 0x4200 },
	  0x3f800000, 0x41000000, "1 * B[1] + 2 * B[3] + 1" },
	{ ISA_OP_V_MFMA_F32_16X16X32_FP8_FP8, RM_GFX950, { 0x38 }, { 0x38 }, 0, 0x3f800000,
	  "OCP's one" },
	{ ISA_OP_V_MFMA_F32_16X16X32_FP8_FP8, RM_GFX950, { 0x80 }, { 0x38 }, 0x40000000, 0x40000000,
	  "-0 is no NaN" },
	{ ISA_OP_V_MFMA_F32_16X16X32_FP8_FP8, RM_GFX950, { 0x7f }, { 0x38 }, 0, 0x7fc00000,
	  "all ones is NaN" },
	{ ISA_OP_V_MFMA_F32_16X16X32_FP8_FP8, RM_GFX950, { 0x7e }, { 0x7e }, 0, 0x48440000,
	  "448 squared" },
	{ ISA_OP_V_MFMA_F32_16X16X32_BF8_BF8, RM_GFX950, { 0x7c }, { 0xbc }, 0, 0xff800000,
	  "BF8 has infinities" },
	{ ISA_OP_V_MFMA_F32_16X16X32_F16, RM_GFX950,
	  { 0x3c00, 0x0c00, 0x0c00, 0x0c00, 0x0c00, 0x0c00, 0x0c00, 0x0c00 },
	  { 0x3c00, 0x0e00, 0x0e00, 0x0e00, 0x0e00, 0x0e00, 0x0e00, 0x0e00 },
	  0, 0x3f800004, "products are cut off" },
	{ ISA_OP_V_MFMA_I32_16X16X64_I8, RM_GFX950, { 0x80, 0x80 }, { 0x80, 0x80 }, 0, 0x8000,
	  "signed bytes" },
};

static const struct rm_op *op_of(unsigned int op)
{
	unsigned int n;

	for (n = 0; n < rm_op_count; n++)
		if (rm_ops[n].op == op)
			return &rm_ops[n];
	return NULL;
}

/* Element @k of row or column 0 */
static void put(u32 *regs, u32 bits, u32 depth, u32 m, u32 k, u32 x)
{
	u32 contiguous = depth / (64 / m), n = k % contiguous, per = 32 / bits;

	regs[n / per * 64 + k / contiguous * m] |= x << n % per * bits;
}

static bool test_row(const struct row *r)
{
	const struct rm_op *op = op_of(r->op);
	const struct isa_target *t = isa_target_by_name(targets[r->arch]);
	struct words f = { .d = 32, .a = 0, .b = 8, .c = op->sparse ? 16 : 32, .acc_cd = true };
	struct isa_insn i;
	u32 n;

	memset(before, 0, ROWS * 256);
	for (n = 0; n < 8; n++) {
		put(before, rm_type_bits(op->a), op->sparse ? op->k / 2 : op->k, op->m, n, r->a[n]);
		put(before + 8 * 64, rm_type_bits(op->b), op->k, op->m, n, r->b[n]);
	}
	before[16 * 64] = 1 | 3 << 2;	/* sparse: elements 1 and 3 */
	before[(ACC_ROW + 32) * 64] = r->c;
	if (encode(t, number(t, r->op), &f, &i) != 2)
		return false;
	for (n = 0; n < nvariants; n++) {
		if (!run_variant(variants[n], t, &i, 0x3f0, ~0ull))
			return false;
		if (wave->v[(ACC_ROW + 32) * 64] != r->want) {
			printf("# %s: %08x, want %08x\n", variants[n]->name,
			       wave->v[(ACC_ROW + 32) * 64], r->want);
			return false;
		}
	}
	model(op, r->arch, &f);
	if (want[(ACC_ROW + 32) * 64] != r->want)
		printf("# the model says %08x\n", want[(ACC_ROW + 32) * 64]);
	return want[(ACC_ROW + 32) * 64] == r->want;
}

/* Modifiers that an operation does not have, and targets that do not have it */
static bool test_refused(void)
{
	static const struct {
		const char *target;
		u16 op;
		u32 cbsz, abid, blgp;
	} refused[] = {
		{ "gfx90a", ISA_OP_V_MFMA_F32_16X16X16F16, 1, 0, 0 },
		{ "gfx90a", ISA_OP_V_MFMA_F64_16X16X4F64, 0, 0, 1 },
		{ "gfx90a", ISA_OP_V_MFMA_F32_16X16X4F16, 3, 0, 0 },
		{ "gfx90a", ISA_OP_V_MFMA_F32_16X16X4F16, 1, 2, 0 },
		{ "gfx942", ISA_OP_V_MFMA_F32_16X16X16F16, 0, 0, 1 },
		{ "gfx942", ISA_OP_V_MFMA_F32_16X16X8_XF32, 0, 0, 1 },
	};
	struct isa_slot s;
	unsigned int n;
	bool ok = true;

	for (n = 0; n < ARRAY_SIZE(refused); n++) {
		const struct isa_target *t = isa_target_by_name(refused[n].target);
		struct words f = { .cbsz = refused[n].cbsz, .abid = refused[n].abid,
				   .blgp = refused[n].blgp };

		if (encode(t, number(t, refused[n].op), &f, &s.in) == 2 &&
		    variants[0]->bind(t, &s)) {
			printf("# %s accepted\n", isa_op_name(refused[n].op));
			ok = false;
		}
	}
	for (n = 64; n < 128; n++) {	/* gfx906 has none */
		struct words f = { 0 };

		if (encode(isa_target_by_name("gfx906"), (int)n, &f, &s.in) > 0)
			ok = false;
	}
	return ok;
}

/* What isa_fidelity wants to know: rounds of what agrees with the model */
static int counts(void)
{
	unsigned int n, arch;

	for (arch = 0; arch < ARRAY_SIZE(targets); arch++)
		for (n = 0; n < rm_op_count; n++)
			if (number(isa_target_by_name(targets[arch]), rm_ops[n].op) >= 0 &&
			    test_op(&rm_ops[n], arch))
				printf("%s vop3p %s %u 0\n", targets[arch],
				       isa_op_name(rm_ops[n].op), ROUNDS);
	return 0;
}

int main(int argc, char **argv)
{
	static const char * const names[] = { "sse2", "avx2", "avx512" };
	char text[96];
	unsigned int n, arch;

	for (n = 0; n < ARRAY_SIZE(names); n++) {
		const struct isa_lane_ops *o = isa_lane_by_name(names[n], lt_cpu());

		if (o)
			variants[nvariants++] = o;
	}
	before = memory(ROWS * 256);
	want = memory(ROWS * 256);
	wave = isa_wave_init(memory(isa_wave_bytes()), memory(ROWS * 256), ROWS);
	if (argc > 1 && !strcmp(argv[1], "counts"))
		return counts();
	printf("TAP version 13\n");
	for (n = 0; n < ARRAY_SIZE(rows); n++) {
		snprintf(text, sizeof(text), "%s: %s", isa_op_name(rows[n].op), rows[n].what);
		result(test_row(&rows[n]), targets[rows[n].arch], text);
	}
	for (arch = 0; arch < ARRAY_SIZE(targets); arch++)
		for (n = 0; n < rm_op_count; n++)
			if (number(isa_target_by_name(targets[arch]), rm_ops[n].op) >= 0)
				result(test_op(&rm_ops[n], arch), targets[arch],
				       isa_op_name(rm_ops[n].op));
	result(test_refused(), "all", "what does not exist is refused");
	printf("1..%u\n", tests);
	return failures != 0;
}
