// SPDX-License-Identifier: MIT
/*
 * Integer arithmetic that leads to addresses, done once for all lanes: a number of a work-item
 * counts up from lane to lane, and so does what is computed of it until it is an offset. A row that
 * does not count up that way, or a result that passes 32 bits, gives the block up (jit_wide.c).
 */
#include "jit_wide.h"

/* Lane l has @base + l * @stride, below 2^32; all lanes have @base if @same. */
struct number {
	LLVMValueRef base, stride;
	bool same;
};

enum way {
	NOT, SHL, SHR, SAR, AND, OR, ADD, MUL, MUL24, ADD3, SHL_ADD, ADD_SHL, SHL_OR, AND_OR,
	MAD24, BFE, SHL64
};

static const u8 how_of[ISA_OP_COUNT] = {
	[ISA_OP_V_LSHLREV_B32] = SHL, [ISA_OP_V_LSHRREV_B32] = SHR, [ISA_OP_V_ASHRREV_I32] = SAR,
	[ISA_OP_V_AND_B32] = AND, [ISA_OP_V_OR_B32] = OR, [ISA_OP_V_ADD_U32] = ADD,
	[ISA_OP_V_MUL_LO_U32] = MUL, [ISA_OP_V_MUL_U32_U24] = MUL24, [ISA_OP_V_ADD3_U32] = ADD3,
	[ISA_OP_V_LSHL_ADD_U32] = SHL_ADD, [ISA_OP_V_ADD_LSHL_U32] = ADD_SHL,
	[ISA_OP_V_LSHL_OR_B32] = SHL_OR, [ISA_OP_V_AND_OR_B32] = AND_OR,
	[ISA_OP_V_MAD_U32_U24] = MAD24, [ISA_OP_V_BFE_U32] = BFE, [ISA_OP_V_LSHLREV_B64] = SHL64,
};

bool em_is_affine(const struct jit_insn *x)
{
	const enum jit_kind kind = how_of[x->i.op] == SHL64 ? JIT_KIND_WIDE : JIT_KIND_VEC;

	return how_of[x->i.op] && x->kind == kind && !x->i.neg && !x->i.abs;
}

/* ---- arithmetic; what can't be told gives the block up ---- */

static void unless(struct em *e, LLVMValueRef ok)
{
	em_give_up_later(e, LLVMBuildNot(e->b, ok, ""));
}

static LLVMValueRef low(struct em *e, LLVMValueRef v)
{
	return LLVMBuildAnd(e->b, v, em_c64(e, ~0u), "");
}

static LLVMValueRef last_of(struct em *e, const struct number *a)
{
	return LLVMBuildAdd(e->b, a->base,
			    LLVMBuildMul(e->b, a->stride, em_c64(e, ISA_LANES - 1), ""), "");
}

/* Nothing that lanes have passes @bits bits. */
static struct number within(struct em *e, struct number a, u32 bits)
{
	LLVMValueRef over;

	if (a.same) {
		a.base = low(e, a.base);
		return a;
	}
	over = LLVMBuildLShr(e->b, last_of(e, &a), em_c64(e, bits), "");
	unless(e, LLVMBuildICmp(e->b, LLVMIntEQ, over, em_c64(e, 0), ""));
	return a;
}

static LLVMValueRef count_of(struct em *e, const struct number *k)
{
	return LLVMBuildAnd(e->b, k->base, em_c64(e, 31), "");
}

static struct number shl(struct em *e, struct number a, struct number k)
{
	LLVMValueRef n = count_of(e, &k);

	a.base = LLVMBuildShl(e->b, a.base, n, "");
	a.stride = LLVMBuildShl(e->b, a.stride, n, "");
	return within(e, a, 32);
}

/* All lanes have the same then. @sign: bit 31 is one */
static struct number shr(struct em *e, struct number a, struct number k, bool sign)
{
	LLVMValueRef n = count_of(e, &k), last, v;

	if (sign && a.same) {
		v = LLVMBuildShl(e->b, a.base, em_c64(e, 32), "");
		v = LLVMBuildAShr(e->b, v, LLVMBuildAdd(e->b, n, em_c64(e, 32), ""), "");
		a.base = low(e, v);
		return a;
	}
	if (sign)
		a = within(e, a, 31);
	last = LLVMBuildLShr(e->b, last_of(e, &a), n, "");
	a.base = LLVMBuildLShr(e->b, a.base, n, "");
	if (!a.same)
		unless(e, LLVMBuildICmp(e->b, LLVMIntEQ, last, a.base, ""));
	a.stride = em_c64(e, 0);
	a.same = true;
	return a;
}

/* @m: the lowest bits, of which the counting changes no other */
static struct number and(struct em *e, struct number a, struct number m)
{
	LLVMValueRef v;

	if (!m.same) {
		struct number other = m;

		m = a;
		a = other;
	}
	a.base = LLVMBuildAnd(e->b, a.base, m.base, "");
	if (a.same)
		return a;
	v = LLVMBuildAnd(e->b, m.base, LLVMBuildAdd(e->b, m.base, em_c64(e, 1), ""), "");
	unless(e, LLVMBuildICmp(e->b, LLVMIntEQ, v, em_c64(e, 0), ""));
	unless(e, LLVMBuildICmp(e->b, LLVMIntULE, last_of(e, &a), m.base, ""));
	return a;
}

static struct number add(struct em *e, struct number a, struct number b, u32 bits)
{
	a.base = LLVMBuildAdd(e->b, a.base, b.base, "");
	a.stride = LLVMBuildAdd(e->b, a.stride, b.stride, "");
	a.same &= b.same;
	return within(e, a, bits);
}

/* All bits of @b are below the lowest that @a has in any lane. */
static LLVMValueRef is_below(struct em *e, const struct number *a, const struct number *b)
{
	LLVMValueRef v = LLVMBuildOr(e->b, a->base, a->stride, "");

	v = LLVMBuildAnd(e->b, v, LLVMBuildNeg(e->b, v, ""), "");
	v = LLVMBuildSub(e->b, v, em_c64(e, 1), "");
	return LLVMBuildICmp(e->b, LLVMIntUGE, v, last_of(e, b), "");
}

static struct number or(struct em *e, struct number a, struct number b)
{
	if (a.same && b.same) {
		a.base = LLVMBuildOr(e->b, a.base, b.base, "");
		return a;
	}
	unless(e, LLVMBuildOr(e->b, is_below(e, &a, &b), is_below(e, &b, &a), ""));
	return add(e, a, b, 32);
}

static struct number mul(struct em *e, struct number a, struct number b)
{
	a.stride = LLVMBuildAdd(e->b, LLVMBuildMul(e->b, a.stride, b.base, ""),
				LLVMBuildMul(e->b, b.stride, a.base, ""), "");
	a.base = LLVMBuildMul(e->b, a.base, b.base, "");
	a.same &= b.same;
	return within(e, a, 32);
}

static struct number of_24(struct em *e, struct number a)
{
	if (!a.same)
		return within(e, a, 24);
	a.base = LLVMBuildAnd(e->b, a.base, em_c64(e, 0xffffff), "");
	return a;
}

/* ---- operands ---- */

/* A number that the code has */
static bool is_constant(const struct jit_insn *x, u32 n, u32 *v)
{
	const u32 code = x->i.src[n];

	if (code >= ISA_SRC_INT0 && code <= ISA_SRC_INT0 + 64)
		*v = code - ISA_SRC_INT0;
	else if (code == ISA_SRC_LITERAL && x->kind == JIT_KIND_VEC)
		*v = x->i.lit;
	else
		return false;
	return true;
}

static struct number number_of(struct em *e, const struct jit_insn *x, const struct scalars *s,
			       u32 n)
{
	struct number a = { .stride = em_c64(e, 0), .same = true };
	LLVMValueRef same;
	struct shape at;
	u32 v, row;

	if (is_constant(x, n, &v)) {
		a.base = em_c64(e, v);
		return a;
	}
	same = em_same_of(e, x, s, n);
	if (same) {
		a.base = LLVMBuildZExt(e->b, same, e->i64, "");
		return a;
	}
	row = em_row_of(e, x->i.src[n]);
	at = e->wide->at[row];
	if (at.part == PART_HIGH) {
		a.base = LLVMBuildLShr(e->b, at.base, em_c64(e, 32), "");
		return a;
	}
	if (at.part != PART_LOW)
		at = em_address_of(e, row, false);
	a.base = low(e, at.base);
	a.stride = at.stride;
	a.same = false;
	return a;
}

/* ---- instructions ---- */

static void put(struct em *e, const struct jit_insn *x, const struct number *a)
{
	struct shape to = { 0 };

	if (a->same) {
		to.same = LLVMBuildTrunc(e->b, a->base, e->i32, "");
	} else {
		to.base = a->base;
		to.stride = a->stride;
		to.part = PART_LOW;
		to.alone = true;
	}
	em_put_shape(e, em_row_of(e, x->i.dst), &to);
}

/* Of an address: it must stay one, whose stride has 32 bits. */
static bool shl64(struct em *e, const struct jit_insn *x, const struct scalars *s)
{
	const u32 dst = em_row_of(e, x->i.dst);
	LLVMValueRef k, v;
	struct shape to;
	struct number n;
	u32 c;

	if (!em_is_vgpr(x->i.src[1]) || !(is_constant(x, 0, &c) || em_same_of(e, x, s, 0)))
		return false;
	n = number_of(e, x, s, 0);
	unless(e, LLVMBuildICmp(e->b, LLVMIntEQ, LLVMBuildAnd(e->b, n.base, em_c64(e, 32), ""),
				em_c64(e, 0), ""));
	k = count_of(e, &n);
	to = em_address_of(e, em_row_of(e, x->i.src[1]), true);
	to.base = LLVMBuildShl(e->b, to.base, k, "");
	to.stride = LLVMBuildShl(e->b, to.stride, k, "");
	to.alone = false;
	v = LLVMBuildLShr(e->b, to.stride, em_c64(e, 32), "");
	unless(e, LLVMBuildICmp(e->b, LLVMIntEQ, v, em_c64(e, 0), ""));
	em_check_high(e, &to);
	to.part = PART_LOW;
	em_put_shape(e, dst, &to);
	to.part = PART_HIGH;
	em_put_shape(e, dst + 1, &to);
	return true;
}

/* Do the operands that have to be the same in all lanes look so? Of a product one, any */
static bool fits(enum way how, const struct number *a)
{
	switch (how) {
	case SHL:
	case SHR:
	case SAR:
		return a[0].same;
	case AND:
	case AND_OR:
	case MUL:
	case MUL24:
	case MAD24:
		return a[0].same || a[1].same;
	case SHL_ADD:
	case SHL_OR:
		return a[1].same;
	case ADD_SHL:
		return a[2].same;
	case BFE:
		return a[1].same && a[2].same;
	default:
		return true;
	}
}

static struct number bfe(struct em *e, const struct number *a)
{
	struct number m = { .stride = em_c64(e, 0), .same = true };

	m.base = LLVMBuildShl(e->b, em_c64(e, 1), count_of(e, &a[2]), "");
	m.base = LLVMBuildSub(e->b, m.base, em_c64(e, 1), "");
	return and(e, shr(e, a[0], a[1], false), m);
}

static struct number result(struct em *e, enum way how, const struct number *a)
{
	switch (how) {
	case SHL:
		return shl(e, a[1], a[0]);
	case SHR:
	case SAR:
		return shr(e, a[1], a[0], how == SAR);
	case AND:
		return and(e, a[0], a[1]);
	case OR:
		return or(e, a[0], a[1]);
	case ADD3:
		return add(e, add(e, a[0], a[1], 32), a[2], 32);
	case MUL:
		return mul(e, a[0], a[1]);
	case MUL24:
		return mul(e, of_24(e, a[0]), of_24(e, a[1]));
	case SHL_ADD:
		return add(e, shl(e, a[0], a[1]), a[2], 32);
	case ADD_SHL:
		return shl(e, add(e, a[0], a[1], 32), a[2]);
	case SHL_OR:
		return or(e, shl(e, a[0], a[1]), a[2]);
	case AND_OR:
		return or(e, and(e, a[0], a[1]), a[2]);
	case MAD24:
		return add(e, mul(e, of_24(e, a[0]), of_24(e, a[1])), a[2], 32);
	case BFE:
		return bfe(e, a);
	default:
		return add(e, a[0], a[1], 32);
	}
}

bool em_affine(struct em *e, const struct jit_insn *x, const struct scalars *s)
{
	const enum way how = how_of[x->i.op];
	struct number a[3] = { 0 };
	u32 n;

	if (!em_is_affine(x) || !e->wide->affine[x - e->u->insn] || e->wide->stored)
		return false;
	if (how == SHL64)
		return shl64(e, x, s);
	for (n = 0; n < x->op->nsrc; n++)
		a[n] = number_of(e, x, s, n);
	if (!fits(how, a))
		return false;
	a[0] = result(e, how, a);
	put(e, x, &a[0]);
	return true;
}

/* ---- comparisons ---- */

static const struct test {
	u8 less, or_same, is_signed, is_test;
} tests[ISA_OP_COUNT] = {
	[ISA_OP_V_CMP_LT_U32] = { 1, 0, 0, 1 }, [ISA_OP_V_CMP_LE_U32] = { 1, 1, 0, 1 },
	[ISA_OP_V_CMP_GT_U32] = { 0, 0, 0, 1 }, [ISA_OP_V_CMP_GE_U32] = { 0, 1, 0, 1 },
	[ISA_OP_V_CMP_LT_I32] = { 1, 0, 1, 1 }, [ISA_OP_V_CMP_LE_I32] = { 1, 1, 1, 1 },
	[ISA_OP_V_CMP_GT_I32] = { 0, 0, 1, 1 }, [ISA_OP_V_CMP_GE_I32] = { 0, 1, 1, 1 },
};

/* Is the mask that @x makes what the next guard reads? */
static bool is_for_guard(struct em *e, const struct jit_insn *x)
{
	const u32 code = em_mask_code(x->i.sdst);
	const struct jit_insn *y = em_after(e, x);

	for (; y && y->kind != JIT_KIND_BRANCH && !em_ends_block(y); y = em_after(e, y)) {
		if (em_is_guard(y))
			return y->i.src[0] == code;
		if ((em_makes_mask(y) && em_mask_code(y->i.sdst) == code) ||
		    (y->kind == JIT_KIND_SALU && y->i.dst + 1u >= code && y->i.dst <= code + 1) ||
		    (y->kind == JIT_KIND_S_LOAD && y->i.dst <= code + 1 &&
		     y->i.dst + y->op->how > code))
			return false;
	}
	return false;
}

static bool is_number(struct em *e, const struct jit_insn *x, const struct scalars *s, u32 n)
{
	u32 v;

	return is_constant(x, n, &v) || em_same_of(e, x, s, n) ||
	       e->wide->at[em_row_of(e, x->i.src[n])].part;
}

static LLVMValueRef as_signed(struct em *e, LLVMValueRef v, bool is_signed)
{
	v = LLVMBuildTrunc(e->b, v, e->i32, "");
	return is_signed ? LLVMBuildSExt(e->b, v, e->i64, "") : LLVMBuildZExt(e->b, v, e->i64, "");
}

/* What counts up is on one side of a bound in all lanes if it is in the first and in the last. */
bool em_affine_guard(struct em *e, const struct jit_insn *x, const struct scalars *s)
{
	const struct test *t = &tests[x->i.op];
	LLVMIntPredicate how = t->less ? (t->or_same ? LLVMIntSLE : LLVMIntSLT) :
					 (t->or_same ? LLVMIntSGE : LLVMIntSGT);
	struct number a[2];
	struct pending *p;
	u32 n;

	if (!e->wide->trace || e->wide->stored || x->kind != JIT_KIND_CMP || !t->is_test ||
	    x->i.neg || x->i.abs || !is_for_guard(e, x) || !is_number(e, x, s, 0) ||
	    !is_number(e, x, s, 1))
		return false;
	for (n = 0; n < 2; n++) {
		a[n] = number_of(e, x, s, n);
		if (t->is_signed && !a[n].same)
			a[n] = within(e, a[n], 31);
	}
	if (!a[0].same && !a[1].same)
		return false;
	for (n = 0; n < 2; n++) {
		LLVMValueRef l = n ? last_of(e, &a[0]) : a[0].base;
		LLVMValueRef r = n ? last_of(e, &a[1]) : a[1].base;

		unless(e, LLVMBuildICmp(e->b, how, as_signed(e, l, t->is_signed),
					as_signed(e, r, t->is_signed), ""));
	}
	p = em_mask_new(e, x);
	p->sum = em_c64(e, ~0ull);
	for (n = 0; n < e->steps; n++)
		p->vm[n] = CALL(e, "jit_mask_step", p->sum, em_c32(e, n));
	return true;
}
