// SPDX-License-Identifier: MIT
/*
 * Loads and stores of dwords whose addresses lie side by side, lane by lane, and loads of one
 * address for all lanes. Where they are is found out before a run: its vectors then come from
 * there, or go there. For addresses of another kind, and for what is not in the TLB, the handler
 * is called instead, and the run takes from the register what that has put there. So faults are
 * the handler's, at their instruction, with everything before it done and nothing behind it.
 *
 * A run has either loads, all at its head, or a store at its end: what a wave loads by one
 * instruction it has loaded for all lanes before it stores anything.
 */
#include <stdio.h>

#include "jit_emit.h"
#include "mem.h"

static LLVMValueRef missing(struct em *e, LLVMValueRef p)
{
	return LLVMBuildICmp(e->b, LLVMIntEQ, p, LLVMConstNull(e->ptr), "");
}

bool em_has_saddr(const struct jit_insn *x)
{
	return x->i.enc == ISA_ENC_GLOBAL && mem_has_saddr(&x->i);
}

static u32 row_of(struct em *e, u32 code)
{
	u32 row = jit_row(&e->u->key, code);

	/* Who asks for the unit is not trusted. */
	e->bad |= !em_is_vgpr(code) || row >= JIT_MAX_ROWS;
	return row % JIT_MAX_ROWS;
}

/* An address of 32 bits */
static bool has_low_only(const struct jit_insn *x)
{
	return x->i.enc == ISA_ENC_DS || em_has_saddr(x);
}

/* What finds out where the dwords of @x are: jit_load or jit_store, where, and for which EXEC */
static LLVMValueRef dwords_at(struct em *e, const struct jit_insn *x, LLVMValueRef one)
{
	char name[32];

	snprintf(name, sizeof(name), "jit_%s%s%s", x->kind == JIT_KIND_LOAD ? "load" : "store",
		 x->i.enc == ISA_ENC_DS ? "_lds" : em_has_saddr(x) ? "_saddr" : "",
		 e->full ? "_full" : "_part");
	return CALL(e, name, e->w, em_insn(e, x), em_row_at(e, row_of(e, x->i.src[0])), one,
		    em_c32(e, x->op->how));
}

/* Is @x's address in @row? */
static bool reads_address(struct em *e, const struct jit_insn *x, u32 row)
{
	u32 at = row_of(e, x->i.src[0]);

	return row == at || (!has_low_only(x) && row == at + 1);
}

u32 em_loads(struct jit_insn **run, u32 len)
{
	u32 n;

	for (n = 0; n < len && run[n]->kind == JIT_KIND_LOAD; n++)
		;
	return n;
}

bool em_load_fits(struct em *e, struct jit_insn **run, u32 len, const struct jit_insn *x)
{
	u32 n, d;

	if (em_loads(run, len) != len || (len + 1) * x->op->how > MAX_LOADS)
		return false;
	/* A wait is part of the one before: what is read behind it is newer. */
	if (len && run[len - 1]->i.size > 2)
		return false;
	for (n = 0; n < len; n++) {
		/* Of different sizes, one is often plain where the other is not. */
		if (run[n]->op->how != x->op->how)
			return false;
		for (d = 0; d < run[n]->op->how; d++)
			if (reads_address(e, x, row_of(e, run[n]->i.dst) + d))
				return false;
	}
	return true;
}

void em_loads_begin(struct em *e, struct jit_insn **run, u32 n)
{
	LLVMBasicBlockRef slow = em_block(e), join = em_block(e), from[2];
	LLVMValueRef none = NULL, at[2], phi;
	u32 k;

	for (k = 0; k < n; k++) {
		LLVMValueRef one = em_c32(e, k * run[k]->op->how);

		e->load[k] = dwords_at(e, run[k], CALL(e, "jit_one", e->w, one));
		none = none ? LLVMBuildOr(e->b, none, missing(e, e->load[k]), "") :
			      missing(e, e->load[k]);
	}
	from[0] = LLVMGetInsertBlock(e->b);
	LLVMBuildCondBr(e->b, none, slow, join);
	LLVMPositionBuilderAtEnd(e->b, slow);
	for (k = 0; k < n; k++)
		em_handler(e, run[k], k);
	from[1] = LLVMGetInsertBlock(e->b);
	LLVMBuildBr(e->b, join);
	LLVMPositionBuilderAtEnd(e->b, join);
	for (k = 0; k < n; k++) {
		LLVMPositionBuilderBefore(e->b, LLVMGetBasicBlockTerminator(from[1]));
		at[0] = e->load[k];
		at[1] = em_row_at(e, row_of(e, run[k]->i.dst));
		LLVMPositionBuilderAtEnd(e->b, join);
		phi = LLVMBuildPhi(e->b, e->ptr, "");
		LLVMAddIncoming(phi, at, from, 2);
		e->load[k] = phi;
	}
}

/* Vector @h->k of the @d-th row of what begins at @p */
static LLVMValueRef vector_at(struct em *e, LLVMValueRef p, u32 d, struct held *h)
{
	LLVMValueRef k = h->k;

	p = em_at(e, e->vi, p, d * e->steps);
	return LLVMBuildGEP2(e->b, e->vi, p, &k, 1, "");
}

LLVMValueRef em_shared(LLVMValueRef access)
{
	LLVMSetAlignment(access, 1);
	LLVMSetVolatile(access, true);
	return access;
}

void em_load_step(struct em *e, const struct jit_insn *x, u32 n, struct held *h)
{
	LLVMValueRef v;
	u32 d;

	for (d = 0; d < x->op->how; d++) {
		v = LLVMBuildLoad2(e->b, e->vi, vector_at(e, e->load[n], d, h), "");
		em_row_put(e, h, row_of(e, x->i.dst) + d, em_shared(v));
	}
}

bool em_can_store(struct em *e, const struct jit_insn *x)
{
	return e->full || x->i.enc == ISA_ENC_DS;
}

bool em_store_fits(struct em *e, struct jit_insn **run, u32 len, const struct jit_insn *x)
{
	u32 n, k;

	if (em_loads(run, len) || !em_can_store(e, x))
		return false;
	for (n = 0; n < len; n++)
		for (k = 0; k < 2; k++)
			if (em_is_vgpr(run[n]->i.dst) &&
			    reads_address(e, x, row_of(e, run[n]->i.dst) + k))
				return false;
	return true;
}

void em_store_begin(struct em *e, const struct jit_insn *x)
{
	e->store = dwords_at(e, x, LLVMConstNull(e->ptr));
}

/* To the register that it comes from, if the handler is to do it */
void em_store_step(struct em *e, const struct jit_insn *x, struct held *h)
{
	u32 row = row_of(e, x->i.src[x->i.enc == ISA_ENC_DS ? 1 : 2]);
	LLVMValueRef v = em_row_get(e, h, row), p;

	p = LLVMBuildSelect(e->b, missing(e, e->store), em_row_at(e, row), e->store, "");
	p = vector_at(e, p, 0, h);
	/* The LDS is this thread's: what others are about to write there does not change. */
	if (!e->full)
		v = CALL(e, "jit_over", em_on(e, h->k), em_shared(LLVMBuildLoad2(e->b, e->vi, p, "")),
			 v);
	em_shared(LLVMBuildStore(e->b, v, p));
}

void em_store_end(struct em *e, const struct jit_insn *x, u32 behind)
{
	LLVMBasicBlockRef slow = em_block(e), done = em_block(e);

	LLVMBuildCondBr(e->b, missing(e, e->store), slow, done);
	LLVMPositionBuilderAtEnd(e->b, slow);
	em_handler(e, x, behind);
	LLVMBuildBr(e->b, done);
	LLVMPositionBuilderAtEnd(e->b, done);
}

void em_s_load(struct em *e, const struct jit_insn *x)
{
	LLVMBasicBlockRef slow = em_block(e), done = em_block(e);
	LLVMValueRef ok;

	ok = CALL(e, "jit_s_load", e->w, em_insn(e, x), em_c32(e, x->op->how));
	ok = LLVMBuildICmp(e->b, LLVMIntNE, ok, em_c32(e, 0), "");
	LLVMBuildCondBr(e->b, ok, done, slow);
	LLVMPositionBuilderAtEnd(e->b, slow);
	em_handler(e, x, 0);
	LLVMBuildBr(e->b, done);
	LLVMPositionBuilderAtEnd(e->b, done);
}
