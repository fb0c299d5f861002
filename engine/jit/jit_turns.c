// SPDX-License-Identifier: MIT
/*
 * Units with barriers, wave after wave: what the waves of a group do until a barrier is one call,
 * and so is what they do from there on if it is the same, as in a loop with a barrier at its end.
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

/* To @go if there is budget for a wave's turn, otherwise to @end; instructions until now */
static LLVMValueRef emit_budget(struct em *e, LLVMBasicBlockRef go, LLVMBasicBlockRef end)
{
	LLVMValueRef insns = get(e, FRAME(e, insns)), ok;

	ok = LLVMBuildAdd(e->b, insns, get(e, FRAME(e, budget)), "");
	ok = LLVMBuildICmp(e->b, LLVMIntULE, ok, get(e, FRAME(e, left)), "");
	LLVMBuildCondBr(e->b, ok, go, end);
	return insns;
}

/* The next wave is the one at @turn; it begins at @head. */
static void emit_begin(struct em *e, LLVMValueRef insns, LLVMValueRef turn,
		       LLVMBasicBlockRef head)
{
	LLVMBasicBlockRef from;
	LLVMValueRef next;

	LLVMBuildStore(e->b, insns, FRAME(e, begun));
	next = LLVMBuildLoad2(e->b, e->ptr, FRAME(e, wave), "");
	next = LLVMBuildGEP2(e->b, e->ptr, next, &turn, 1, "");
	next = LLVMBuildLoad2(e->b, e->ptr, next, "");
	from = LLVMGetInsertBlock(e->b);
	LLVMAddIncoming(e->w, &next, &from, 1);
	LLVMBuildBr(e->b, head);
}

/*
 * Is there one more? If all have come to the barrier, and may go on, that is the first one again:
 * it is at this code's entry.
 */
static void emit_next(struct em *e, LLVMBasicBlockRef head)
{
	LLVMBasicBlockRef more = em_block(e), go = em_block(e), all = em_block(e), end = em_block(e);
	LLVMBasicBlockRef round = em_block(e), again = em_block(e);
	LLVMValueRef turn, insns, ok;

	em_go(e, e->turn);
	turn = LLVMBuildAdd(e->b, get(e, FRAME(e, turn)), em_c64(e, 1), "");
	LLVMBuildStore(e->b, turn, FRAME(e, turn));
	ok = LLVMBuildICmp(e->b, LLVMIntULT, turn, get(e, FRAME(e, turns)), "");
	LLVMBuildCondBr(e->b, ok, more, all);
	em_go(e, more);
	insns = emit_budget(e, go, end);
	em_go(e, go);
	emit_begin(e, insns, turn, head);

	em_go(e, all);
	ok = LLVMBuildICmp(e->b, LLVMIntNE, get(e, FRAME(e, again)), em_c64(e, 0), "");
	LLVMBuildCondBr(e->b, ok, round, end);
	em_go(e, round);
	insns = emit_budget(e, again, end);
	em_go(e, again);
	LLVMBuildStore(e->b, em_c64(e, 0), FRAME(e, turn));
	LLVMBuildStore(e->b, LLVMBuildAdd(e->b, get(e, FRAME(e, rounds)), em_c64(e, 1), ""),
		       FRAME(e, rounds));
	emit_begin(e, insns, em_c64(e, 0), head);

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

/* Behind the barrier @x the wave is at this code's entry, if its EXEC is what that is for. */
static void emit_same_place(struct em *e)
{
	LLVMBasicBlockRef not = em_block(e);
	LLVMValueRef full = em_at(e, e->i32, e->w, (u32)(offsetof(struct isa_wave, full) / 4));

	full = LLVMBuildLoad2(e->b, e->i32, full, "");
	full = LLVMBuildICmp(e->b, LLVMIntEQ, full, em_c32(e, e->u->key.full), "");
	LLVMBuildCondBr(e->b, full, e->turn, not);
	em_go(e, not);
	LLVMBuildStore(e->b, em_c64(e, 0), FRAME(e, again));
	LLVMBuildBr(e->b, e->turn);
}

void em_turn_over(struct em *e, const struct jit_insn *x)
{
	LLVMValueRef bit;

	if (x->kind == JIT_KIND_BARRIER && jit_next_pc(x) == e->u->key.pc) {
		emit_same_place(e);
		return;
	}
	if (x->kind == JIT_KIND_END) {
		bit = LLVMBuildShl(e->b, em_c64(e, 1), get(e, FRAME(e, turn)), "");
		bit = LLVMBuildOr(e->b, get(e, FRAME(e, ended)), bit, "");
		LLVMBuildStore(e->b, bit, FRAME(e, ended));
	}
	LLVMBuildStore(e->b, em_c64(e, 0), FRAME(e, again));
	LLVMBuildBr(e->b, e->turn);
}
