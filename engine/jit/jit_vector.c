// SPDX-License-Identifier: MIT
/*
 * Runs of vector instructions: emitted vector by vector, all of the run on the first
 * lanes, then on the next. A lane mask that one of them makes stays a vector for those
 * behind it; at the run's end it goes to its SGPRs.
 */
#include "jit_emit.h"

#define MOST_SHORT	2u	/* instructions of a run that goes by all vectors at once */
#define LONGEST_WIDE	12u	/* instructions of a run that goes by two vectors at once */

struct pending *em_pending_at(struct em *e, u32 code)
{
	u32 n;

	for (n = 0; n < e->npending; n++)
		if (e->pending[n].code == code)
			return &e->pending[n];
	return NULL;
}

u32 em_mask_code(u32 code)
{
	return code == ISA_SRC_NONE ? ISA_SRC_VCC_LO : code;
}

u32 em_cin_code(const struct jit_insn *x)
{
	return em_mask_code(x->i.enc == ISA_ENC_VOP3 ? x->i.src[2] : ISA_SRC_NONE);
}

bool em_makes_mask(const struct jit_insn *x)
{
	return x->kind == JIT_KIND_CMP || x->kind == JIT_KIND_CARRY || x->kind == JIT_KIND_MAD64;
}

static bool is_vcc_code(u32 code)
{
	return code == ISA_SRC_VCCZ;
}

static bool overlaps(const u32 *codes, u32 n, u32 code, bool exact)
{
	u32 k;

	for (k = 0; k < n; k++) {
		if (exact && codes[k] == code)
			continue;
		if (code + 1 >= codes[k] && code <= codes[k] + 1)
			return true;
	}
	return false;
}

static bool is_chunked(const struct jit_insn *x)
{
	return x->kind >= JIT_KIND_VEC && x->kind <= JIT_KIND_STORE;
}

static bool is_done_here(struct em *e, struct jit_insn **run, u32 len, const struct jit_insn *x)
{
	if (x->kind == JIT_KIND_LOAD)
		return em_load_fits(e, run, len, x);
	return x->kind != JIT_KIND_STORE || em_store_fits(e, run, len, x);
}

/*
 * How many instructions from @first on are a run: none reads as a scalar what an earlier one
 * made as a mask.
 */
u32 em_run_length(struct em *e, struct jit_insn **run, struct jit_insn *first)
{
	u32 codes[MAX_PENDING], ncodes = 0, len = 0, n;
	struct jit_insn *x = first;

	while (x && is_chunked(x) && len < MAX_RUN && (x == first || !x->leader)) {
		bool stop = !is_done_here(e, run, len, x);

		for (n = 0; n < x->op->nsrc; n++)
			if (x->i.src[n] < ISA_SRC_VGPR0)
				stop |= overlaps(codes, ncodes, x->i.src[n], false) ||
					(ncodes && is_vcc_code(x->i.src[n]));
		if (x->kind == JIT_KIND_STORE)
			stop |= overlaps(codes, ncodes, x->i.src[1], false);
		if (x->op->cin)
			stop |= overlaps(codes, ncodes, em_cin_code(x), true);
		if (em_makes_mask(x)) {
			u32 code = em_mask_code(x->i.sdst);

			stop |= overlaps(codes, ncodes, code, true);
			for (n = 0; n < ncodes && codes[n] != code; n++)
				;
			if (n == ncodes) {
				if (ncodes == MAX_PENDING)
					stop = true;
				else if (!stop)
					codes[ncodes++] = code;
			}
		}
		if (stop && len)
			break;
		run[len++] = x;
		if (x->crosses || x->kind == JIT_KIND_STORE)
			break;
		x = jit_unit_at(e->u, jit_next_pc(x));
	}
	return len;
}

void em_scalars_get(struct em *e, const struct jit_insn *x, struct scalars *s)
{
	LLVMValueRef i = NULL, v;
	u32 n;

	for (n = 0; n < x->op->nsrc; n++) {
		if (em_is_vgpr(x->i.src[n]) || (x->op->acc && n == 2))
			continue;
		i = i ?: em_insn(e, x);
		if (!x->op->source) {
			s->v[n][0] = CALL(e, "jit_scalar", e->sw, i, em_c32(e, x->i.src[n]));
			continue;
		}
		v = CALL(e, x->op->source, e->sw, i, em_c32(e, n));
		s->v[n][0] = CALL(e, "jit_splat", LLVMBuildTrunc(e->b, v, e->i32, ""));
		v = LLVMBuildLShr(e->b, v, em_c64(e, 32), "");
		s->v[n][1] = CALL(e, "jit_splat", LLVMBuildTrunc(e->b, v, e->i32, ""));
	}
	if (x->op->cin && !em_pending_at(e, em_cin_code(x)))
		s->cin = CALL(e, "jit_mask", e->sw, em_c32(e, em_cin_code(x)));
}

/* Source @n in vector @h; @part: its high register */
LLVMValueRef em_source(struct em *e, const struct jit_insn *x, const struct scalars *s, u32 n,
		       u32 part, struct held *h)
{
	const struct isa_insn *i = &x->i;
	LLVMValueRef v;
	u32 code = x->op->acc && n == 2 ? i->dst : i->src[n];

	if (n >= x->op->nsrc || (part && !(x->op->wide >> n & 1)))
		return LLVMConstNull(e->vi);
	if (em_is_vgpr(code))
		v = em_row_get(e, h, jit_row(&e->u->key, code) + part);
	else
		v = s->v[n][part];
	if (x->op->floats >> n & 1 && (i->abs >> n & 1 || i->neg >> n & 1) &&
	    !(x->op->acc && n == 2))
		v = CALL(e, "jit_signs", v, em_c32(e, (u32)(i->abs >> n & 1) << 31),
			 em_c32(e, (u32)(i->neg >> n & 1) << 31));
	return v;
}

LLVMValueRef em_all_places(struct em *e, LLVMValueRef *vm)
{
	return em_call(e, "jit_places", vm, e->steps);
}

static void mask_put(struct em *e, const struct jit_insn *x, struct held *h, LLVMValueRef vm)
{
	if (!e->full)
		vm = CALL(e, "jit_and", vm, em_on(e, h->k));
	em_pending_at(e, em_mask_code(x->i.sdst))->vm[h - e->held] = vm;
}

static LLVMValueRef cin(struct em *e, const struct jit_insn *x, const struct scalars *s,
			struct held *h)
{
	struct pending *p = s->cin ? NULL : em_pending_at(e, em_cin_code(x));

	return p ? p->vm[h - e->held] : CALL(e, "jit_mask_step", s->cin, h->k);
}

/* Half @half of a pair: op_sel and its kin pick the register, neg_lo and neg_hi the sign. */
static LLVMValueRef half(struct em *e, const struct jit_insn *x, const struct scalars *s, u32 n,
			 u32 half, struct held *h)
{
	const struct isa_insn *i = &x->i;
	u32 pick = i->opsel >> (4 * half + n) & 1, neg = half ? i->abs : i->neg;
	LLVMValueRef v;

	if (n >= x->op->nsrc)
		return LLVMConstNull(e->vi);
	v = em_source(e, x, s, n, pick, h);
	return neg >> n & 1 ? CALL(e, "jit_signs", v, em_c32(e, 0), em_c32(e, 1u << 31)) : v;
}

/* Both halves, before either is written */
static void emit_pair(struct em *e, const struct jit_insn *x, const struct scalars *s,
		      struct held *h)
{
	u32 dst = jit_row(&e->u->key, x->i.dst), n;
	LLVMValueRef v[2];

	for (n = 0; n < 2; n++)
		v[n] = !x->op->name ? em_source(e, x, s, n, x->i.opsel >> n & 1, h) :
		       CALL(e, x->op->name, half(e, x, s, 0, n, h), half(e, x, s, 1, n, h),
			    half(e, x, s, 2, n, h), e->wave);
	for (n = 0; n < 2; n++)
		em_row_put(e, h, dst + n, v[n]);
}

void em_step(struct em *e, const struct jit_insn *x, const struct scalars *s, struct held *h,
	     LLVMValueRef scratch[2])
{
	LLVMValueRef pair = scratch[0], parts = scratch[1];
	u32 dst = em_is_vgpr(x->i.dst) ? jit_row(&e->u->key, x->i.dst) : 0, n;
	LLVMValueRef a, b, c, m, v = NULL;

	if (x->kind == JIT_KIND_PAIR) {
		emit_pair(e, x, s, h);
		return;
	}
	if (x->kind == JIT_KIND_WIDE || x->kind == JIT_KIND_MAD64) {
		for (n = 0; n < 6; n++)
			LLVMBuildStore(e->b, em_source(e, x, s, n / 2, n & 1, h),
				       em_at(e, e->vi, parts, n));
		if (x->kind == JIT_KIND_WIDE) {
			CALL(e, x->op->name, pair, parts, e->wave);
		} else {
			v = CALL(e, "jit_mad64", pair, parts, em_c32(e, x->op->how));
			mask_put(e, x, h, v);
		}
		a = LLVMBuildLoad2(e->b, e->vi, em_at(e, e->vi, pair, 0), "");
		b = LLVMBuildLoad2(e->b, e->vi, em_at(e, e->vi, pair, 1), "");
		em_row_put(e, h, dst, a);
		if (x->op->wide & 8)
			em_row_put(e, h, dst + 1, b);
		return;
	}
	a = em_source(e, x, s, 0, 0, h);
	b = em_source(e, x, s, 1, 0, h);
	c = em_source(e, x, s, 2, 0, h);
	switch (x->kind) {
	case JIT_KIND_VEC:
		em_row_put(e, h, dst, CALL(e, x->op->name, a, b, c, e->wave));
		break;
	case JIT_KIND_CMP:
		mask_put(e, x, h, CALL(e, x->op->name, a, b));
		break;
	case JIT_KIND_CNDMASK:
		em_row_put(e, h, dst, CALL(e, "jit_blend", cin(e, x, s, h), a, b));
		break;
	default:
		m = x->op->cin ? cin(e, x, s, h) : LLVMConstNull(e->vm);
		m = CALL(e, "jit_carry", a, b, m, em_c32(e, x->op->cin), em_c32(e, x->op->how),
			 pair);
		v = LLVMBuildLoad2(e->b, e->vi, em_at(e, e->vi, pair, 0), "");
		mask_put(e, x, h, m);
		em_row_put(e, h, dst, v);
		break;
	}
}

/* All of the run in @wide vectors, from @k on */
static void emit_steps(struct em *e, struct jit_insn **run, u32 len, const struct scalars *s,
		       LLVMValueRef k, u32 wide, LLVMValueRef scratch[2])
{
	LLVMValueRef sum;
	u32 n, v;

	for (v = 0; v < wide; v++)
		e->held[v].k = LLVMBuildAdd(e->b, k, em_c32(e, v), "");
	for (n = 0; n < len; n++)
		for (v = 0; v < wide; v++)
			if (run[n]->kind == JIT_KIND_LOAD)
				em_load_step(e, run[n], n, &e->held[v]);
			else if (run[n]->kind == JIT_KIND_STORE)
				em_store_step(e, run[n], &e->held[v]);
			else
				em_step(e, run[n], &s[n], &e->held[v], scratch);
	for (n = 0; wide == e->steps && n < e->npending; n++)
		LLVMBuildStore(e->b, em_all_places(e, e->pending[n].vm), e->pending[n].sum);
	for (v = 0; v < wide; v++) {
		em_rows_store(e, &e->held[v]);
		for (n = 0; wide < e->steps && n < e->npending; n++) {
			sum = LLVMBuildLoad2(e->b, e->i64, e->pending[n].sum, "");
			sum = LLVMBuildOr(e->b, sum, CALL(e, "jit_place", e->pending[n].vm[v],
							  e->held[v].k), "");
			LLVMBuildStore(e->b, sum, e->pending[n].sum);
		}
	}
}

/* Comparisons alone: in a loop each turn would wait for the mask of the one before. */
static bool is_short(struct jit_insn **run, u32 len)
{
	u32 n;

	for (n = 0; n < len; n++)
		if (run[n]->kind != JIT_KIND_CMP)
			return false;
	return len <= MOST_SHORT;
}

/* A loop even of one instruction: code for each vector is dearer to compile than it saves. */
static void emit_all(struct em *e, struct jit_insn **run, u32 len, const struct scalars *s,
		     LLVMValueRef scratch[2])
{
	LLVMBasicBlockRef from = LLVMGetInsertBlock(e->b), body, behind;
	LLVMValueRef k, next, zero = em_c32(e, 0);

	if (is_short(run, len)) {
		emit_steps(e, run, len, s, zero, e->steps, scratch);
		return;
	}
	body = LLVMAppendBasicBlockInContext(e->c, e->fn, "");
	behind = LLVMAppendBasicBlockInContext(e->c, e->fn, "");
	LLVMBuildBr(e->b, body);
	LLVMPositionBuilderAtEnd(e->b, body);
	k = LLVMBuildPhi(e->b, e->i32, "");
	emit_steps(e, run, len, s, k, len <= LONGEST_WIDE ? MAX_WIDE : 1, scratch);
	next = LLVMBuildAdd(e->b, k, em_c32(e, len <= LONGEST_WIDE ? MAX_WIDE : 1), "");
	LLVMAddIncoming(k, &zero, &from, 1);
	LLVMAddIncoming(k, &next, &body, 1);
	LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntULT, next, em_c32(e, e->steps), ""),
			body, behind);
	LLVMPositionBuilderAtEnd(e->b, behind);
}

void em_run(struct em *e, struct jit_insn **run, u32 len)
{
	static __thread struct scalars s[MAX_RUN];
	LLVMBasicBlockRef here, first = LLVMGetEntryBasicBlock(e->fn);
	const struct jit_insn *store = run[len - 1]->kind == JIT_KIND_STORE ? run[len - 1] : NULL;
	LLVMValueRef scratch[2];
	u32 n;

	if (em_loads(run, len))
		em_loads_begin(e, run, em_loads(run, len));
	if (store)
		em_store_begin(e, store);
	here = LLVMGetInsertBlock(e->b);
	memset(s, 0, len * sizeof(s[0]));
	e->npending = 0;
	/* Masks that the run will have made before they are read are none of its inputs. */
	for (n = 0; n < len; n++) {
		em_scalars_get(e, run[n], &s[n]);
		if (em_makes_mask(run[n]) && !em_pending_at(e, em_mask_code(run[n]->i.sdst)))
			e->pending[e->npending++].code = em_mask_code(run[n]->i.sdst);
	}
	LLVMPositionBuilder(e->b, first, LLVMGetFirstInstruction(first));
	scratch[0] = LLVMBuildAlloca(e->b, LLVMArrayType2(e->vi, 2), "");
	scratch[1] = LLVMBuildAlloca(e->b, LLVMArrayType2(e->vi, 6), "");
	for (n = 0; n < e->npending; n++)
		e->pending[n].sum = LLVMBuildAlloca(e->b, e->i64, "");
	LLVMPositionBuilderAtEnd(e->b, here);
	for (n = 0; n < e->npending; n++)
		LLVMBuildStore(e->b, em_c64(e, 0), e->pending[n].sum);
	emit_all(e, run, len, s, scratch);
	for (n = 0; n < e->npending; n++)
		CALL(e, "jit_put_mask", e->w, em_c32(e, e->pending[n].code),
		     LLVMBuildLoad2(e->b, e->i64, e->pending[n].sum, ""));
	e->npending = 0;
	if (store)
		em_store_end(e, store, len - 1);
}
