// SPDX-License-Identifier: MIT
/*
 * The SIMD builds of the vector ALU against each other (bit by bit, with every
 * modifier and MODE) and against the scalar model of ref.c. Rows lie before a
 * guard page. TAP output.
 */
#include <stdio.h>
#include <stdlib.h>
#include "lanes.h"

#define CROSS_ROUNDS	60
#define REF_ROUNDS	40

static const struct isa_lane_ops *variants[3];
static unsigned int nvariants, tests, failures;

static void result(bool ok, const char *name, const char *what)
{
	printf("%sok %u %s %s\n", ok ? "" : "not ", ++tests, name, what);
	failures += !ok;
}

static u32 random_mode(void)
{
	u64 r = lt_rand();

	/* half of the time clang's default */
	return r & 1 ? 0x3f0 : (u32)(r >> 8) & 0x3ff;
}

static bool cross_op(const struct lt_op *op, struct lt_wave *t)
{
	struct isa_insn i;
	char why[128];
	unsigned int k, n;

	for (k = 0; k < CROSS_ROUNDS; k++) {
		lt_insn(&i, op, k % 3 == 0);
		lt_wave_fill(&t[3]);
		t[3].w->mode = random_mode();
		for (n = 0; n < nvariants; n++) {
			lt_wave_copy(&t[n], &t[3]);
			if (!lt_run(variants[n], t[n].w, &i)) {
				printf("# %s: not executed\n", variants[n]->name);
				lt_insn_print(&i, op);
				return false;
			}
			if (n && !lt_wave_equal(&t[0], &t[n], why, sizeof(why))) {
				printf("# %s, %s: %s; mode %x\n", variants[0]->name,
				       variants[n]->name, why, t[3].w->mode);
				lt_insn_print(&i, op);
				return false;
			}
		}
	}
	return true;
}

/*
 * A part of the first source, the whole of the second, which is the destination,
 * and some lanes: what has handlers for parts need not have one for this.
 */
static bool in_place_op(const struct lt_op *op, struct lt_wave *t)
{
	struct isa_insn i;
	char why[128];
	unsigned int n;

	lt_insn(&i, op, true);
	i.enc = ISA_ENC_VOP2;
	i.mods = ISA_MOD_SDWA;
	i.ctl = 6 | 1 << 8 | 6 << 12;
	i.dst = i.src[1];
	lt_wave_fill(&t[3]);
	isa_set_exec(t[3].w, 0x5555aaaa0f0f3333);
	for (n = 0; n < nvariants; n++) {
		lt_wave_copy(&t[n], &t[3]);
		if (!lt_run(variants[n], t[n].w, &i) ||
		    (n && !lt_wave_equal(&t[0], &t[n], why, sizeof(why)))) {
			lt_insn_print(&i, op);
			return false;
		}
	}
	return true;
}

static bool has_parts(const struct lt_op *op)
{
	return op->dst && !lt_is64(op->dst) && op->src[1] && !op->src[2] &&
	       !lt_is64(op->src[0]) && !lt_is64(op->src[1]) && op->src[0] != LT_PKI &&
	       op->src[0] != LT_PKF && !(op->flags & LT_LIT);
}

static void cross(void)
{
	struct lt_wave t[4];
	unsigned int n;

	for (n = 0; n < 4; n++)
		if (!lt_wave_make(&t[n]))
			exit(1);
	for (n = 0; n < lt_op_count; n++) {
		result(cross_op(&lt_ops[n], t), lt_ops[n].name, "variants agree");
		if (has_parts(&lt_ops[n]))
			result(in_place_op(&lt_ops[n], t), lt_ops[n].name, "parts in place");
	}
}

/* What the operand of @lane is, for an instruction without modifiers. */
static u64 operand(const struct isa_wave *w, const struct isa_insn *i,
		   const struct lt_op *op, unsigned int n, unsigned int lane)
{
	u32 code = op->flags & LT_ACC && n == 2 ? i->dst : i->src[n];
	const u32 *row;

	if (!op->src[n])
		return 0;
	if (code == ISA_SRC_LITERAL)
		return i->lit;
	row = w->v + (code - ISA_SRC_VGPR0) * ISA_LANES;
	if (op->src[n] == LT_MIX) {	/* plain: the low halves, made floats */
		struct ref_in h = { .s = { row[lane] }, .mode = 0xf0 };
		struct ref_out o;

		ref_op(&(struct lt_op){ .op = ISA_OP_V_CVT_F32_F16 }, &h, &o);
		return o.d;
	}
	if (lt_is16(op->src[n]))
		return row[lane] & 0xffff;
	return row[lane] | (lt_is64(op->src[n]) ? (u64)row[lane + ISA_LANES] << 32 : 0);
}

static s64 ulp_key(u32 x, bool half)
{
	u32 sign = half ? 0x8000 : 1u << 31;

	return x & sign ? -(s64)(x & (sign - 1)) : (s64)x;
}

static bool value_ok(const struct lt_op *op, const struct ref_out *o, u64 seen)
{
	bool half = op->dst == LT_F16;
	s64 d;

	if (o->d == seen)
		return true;
	if (!o->ulp)
		return false;
	d = ulp_key((u32)o->d, half) - ulp_key((u32)seen, half);
	return d >= -1 && d <= 1;
}

static bool ref_lane(const struct lt_op *op, const struct isa_insn *i,
		     const struct isa_wave *before, const struct isa_wave *after,
		     unsigned int lane)
{
	bool on = isa_exec(before) >> lane & 1;
	struct ref_in in = { .mode = before->mode, .lane = lane };
	struct ref_out o;
	const u32 *old = before->v + (i->dst - ISA_SRC_VGPR0) * ISA_LANES + lane;
	const u32 *new = after->v + (i->dst - ISA_SRC_VGPR0) * ISA_LANES + lane;
	u64 seen, mask;
	unsigned int n;

	for (n = 0; n < 3; n++)
		in.s[n] = operand(before, i, op, n, lane);
	if (op->flags & LT_CIN)
		in.cin = (before->s[30] | (u64)before->s[31] << 32) >> lane & 1;
	if (op->flags & LT_VCC)
		in.cin = isa_vcc(before) >> lane & 1;
	ref_op(op, &in, &o);
	if (op->flags & (LT_CARRY | LT_CMP)) {
		mask = after->s[i->sdst] | (u64)after->s[i->sdst + 1] << 32;
		if ((mask >> lane & 1) != (on && o.mask))
			goto bad;
		if (op->flags & LT_CMPX && (isa_exec(after) >> lane & 1) != (on && o.mask))
			goto bad;
	}
	if (!op->dst)
		return true;
	if (!on)
		return *old == *new;
	if (lt_is16(op->dst)) {
		if (op->flags & LT_HI)
			o.d = o.d << 16 | (*old & 0xffff);
		else if (op->flags & LT_KEEP)
			o.d |= *old & 0xffff0000;
	}
	seen = lt_is64(op->dst) ? *new | (u64)new[ISA_LANES] << 32 : *new;
	if (value_ok(op, &o, seen))
		return true;
bad:
	printf("# lane %u mode %x on %d: %llx %llx %llx cin %d: want %llx/%d, got %x %x\n",
	       lane, in.mode, on, (unsigned long long)in.s[0], (unsigned long long)in.s[1],
	       (unsigned long long)in.s[2], in.cin, (unsigned long long)o.d, o.mask,
	       op->dst ? new[0] : 0, op->dst && lt_is64(op->dst) ? new[ISA_LANES] : 0);
	lt_insn_print(i, op);
	return false;
}

static bool model_op(const struct lt_op *op, struct lt_wave *t)
{
	struct isa_insn i;
	unsigned int k, l;

	for (k = 0; k < REF_ROUNDS; k++) {
		lt_insn(&i, op, true);
		lt_wave_fill(&t[0]);
		t[0].w->mode = random_mode();
		for (l = 0; l < 8; l++)		/* doubles want their own values */
			if (lt_is64(op->src[0]) && l % 2 == 0)
				for (unsigned int n = 0; n < ISA_LANES; n++) {
					u64 v = lt_value(op->src[0]);

					t[0].w->v[l * ISA_LANES + n] = (u32)v;
					t[0].w->v[(l + 1) * ISA_LANES + n] = (u32)(v >> 32);
				}
		lt_wave_copy(&t[1], &t[0]);
		if (!lt_run(variants[k % nvariants], t[1].w, &i))
			return false;
		for (l = 0; l < ISA_LANES; l++)
			if (!ref_lane(op, &i, t[0].w, t[1].w, l)) {
				printf("# %s\n", variants[k % nvariants]->name);
				return false;
			}
	}
	return true;
}

static void model(void)
{
	struct lt_wave t[2];
	struct ref_in in = { 0 };
	struct ref_out o;
	unsigned int n;

	if (!lt_wave_make(&t[0]) || !lt_wave_make(&t[1]))
		exit(1);
	for (n = 0; n < lt_op_count; n++) {
		if (ref_op(&lt_ops[n], &in, &o))
			result(model_op(&lt_ops[n], t), lt_ops[n].name, "as the model");
		else
			printf("# %s: no model here\n", lt_ops[n].name);
	}
}

int main(void)
{
	static const char * const names[] = { "sse2", "avx2", "avx512" };
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(names); n++) {
		const struct isa_lane_ops *o = isa_lane_by_name(names[n], lt_cpu());

		if (o)
			variants[nvariants++] = o;
		else
			printf("# no %s on this CPU\n", names[n]);
	}
	printf("TAP version 13\n");
	cross();
	model();
	printf("1..%u\n", tests);
	return failures != 0;
}
