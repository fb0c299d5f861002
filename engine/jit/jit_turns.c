// SPDX-License-Identifier: MIT
/*
 * Units with barriers, wave after wave: what the waves of a group do until a barrier is one call.
 * Each wave has its own structure, where all of its state is when its turn is over, so a call may
 * end with any wave, wherever that is. Who waits for whom is the caller's to know: jit_group_run().
 */
#include "jit_emit.h"

#define FRAME(e, member)	em_frame(e, offsetof(struct jit_frame, member))

static LLVMValueRef get(struct em *e, LLVMValueRef at)
{
	return LLVMBuildLoad2(e->b, e->i64, at, "");
}

static bool has_barrier(const struct jit_unit *u)
{
	u32 n;

	for (n = 0; n < u->ninsns; n++)
		if (u->insn[n].kind == JIT_KIND_BARRIER)
			return true;
	return false;
}

/* Is there one more, and budget for it? Then it begins at @head. */
static void emit_next(struct em *e, LLVMBasicBlockRef head)
{
	LLVMBasicBlockRef more = em_block(e), go = em_block(e), end = em_block(e), from;
	LLVMValueRef turn, insns, next, ok;

	em_go(e, e->turn);
	turn = LLVMBuildAdd(e->b, get(e, FRAME(e, turn)), em_c64(e, 1), "");
	LLVMBuildStore(e->b, turn, FRAME(e, turn));
	ok = LLVMBuildICmp(e->b, LLVMIntULT, turn, get(e, FRAME(e, turns)), "");
	LLVMBuildCondBr(e->b, ok, more, end);

	em_go(e, more);
	insns = get(e, FRAME(e, insns));
	ok = LLVMBuildAdd(e->b, insns, get(e, FRAME(e, budget)), "");
	ok = LLVMBuildICmp(e->b, LLVMIntULE, ok, get(e, FRAME(e, left)), "");
	LLVMBuildCondBr(e->b, ok, go, end);

	em_go(e, go);
	LLVMBuildStore(e->b, insns, FRAME(e, begun));
	next = LLVMBuildLoad2(e->b, e->ptr, FRAME(e, wave), "");
	next = LLVMBuildGEP2(e->b, e->ptr, next, &turn, 1, "");
	next = LLVMBuildLoad2(e->b, e->ptr, next, "");
	from = LLVMGetInsertBlock(e->b);
	LLVMAddIncoming(e->w, &next, &from, 1);
	LLVMBuildBr(e->b, head);

	em_go(e, end);
	LLVMBuildRet(e->b, em_c32(e, JIT_TURNS));
}

void em_turns(struct em *e)
{
	LLVMBasicBlockRef head, from = LLVMGetInsertBlock(e->b);
	LLVMValueRef first = e->w;

	if (!has_barrier(e->u))
		return;
	head = em_block(e);
	e->turn = em_block(e);
	LLVMBuildBr(e->b, head);
	em_go(e, head);
	e->w = LLVMBuildPhi(e->b, e->ptr, "");
	e->sw = e->w;
	LLVMAddIncoming(e->w, &first, &from, 1);
	emit_next(e, head);
	em_go(e, head);
}

void em_turn_over(struct em *e, bool ends)
{
	LLVMValueRef bit;

	if (ends) {
		bit = LLVMBuildShl(e->b, em_c64(e, 1), get(e, FRAME(e, turn)), "");
		bit = LLVMBuildOr(e->b, get(e, FRAME(e, ended)), bit, "");
		LLVMBuildStore(e->b, bit, FRAME(e, ended));
	}
	LLVMBuildBr(e->b, e->turn);
}
