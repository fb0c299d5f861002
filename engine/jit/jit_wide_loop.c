// SPDX-License-Identifier: MIT
/*
 * Loops of one block: rows stay in registers as long as the loop goes on. What a turn has at its
 * head is what memory gets if the turn is given up.
 */
#include <stdlib.h>

#include "jit_wide.h"

#define MOST_LOADS	2u	/* of a turn, for their pages to be remembered */

/* ---- loops ---- */

/* What a row is at the loop's head: phis, of vectors or of what is known; @end: at a turn's end */
struct carried {
	LLVMValueRef v[MAX_STEPS];
	struct shape shape, end;
	bool used, late;	/* late: the first turn writes it before anything reads it */
};

static LLVMValueRef phi_new(struct em *e, LLVMValueRef like)
{
	return LLVMBuildPhi(e->b, LLVMTypeOf(like), "");
}

static void phi_in(LLVMValueRef phi, LLVMValueRef v, LLVMBasicBlockRef from)
{
	LLVMAddIncoming(phi, &v, &from, 1);
}

/* All lanes have the same: looked at before the loop. */
static void make_same(struct em *e, u32 row)
{
	LLVMTypeRef all = LLVMIntTypeInContext(e->c, ISA_LANES / e->steps * 32);
	LLVMValueRef acc = NULL, x, one, s;
	u32 k;

	for (k = 0; k < e->steps; k++)
		em_row_get(e, &e->held[k], row);
	one = em_first_lane(e, e->held[0].cur[row]);
	s = em_to_lanes(e, CALL(e, "jit_splat", one));
	for (k = 0; k < e->steps; k++) {
		x = LLVMBuildXor(e->b, em_to_lanes(e, e->held[k].cur[row]), s, "");
		acc = acc ? LLVMBuildOr(e->b, acc, x, "") : x;
	}
	acc = LLVMBuildBitCast(e->b, acc, all, "");
	em_give_up_if(e, LLVMBuildICmp(e->b, LLVMIntNE, acc, LLVMConstNull(all), ""));
	e->wide->at[row].same = one;
}

static bool is_address(const struct wide *w, u32 row)
{
	return w->address[row] || (row && w->address[row - 1]);
}

/* Rows at the head, from what they are before it */
static void begin_rows(struct em *e, struct carried *c, LLVMBasicBlockRef pre)
{
	struct wide *w = e->wide;
	LLVMValueRef v[MAX_STEPS];
	u32 row, k;

	for (row = 0; row + 1 < JIT_MAX_ROWS; row++) {
		struct carried *r = &c[row];

		if (!w->address[row] || !(w->writes[row] || w->writes[row + 1]))
			continue;
		r->used = c[row + 1].used = true;
		r->shape = w->at[row];
		r->shape.base = phi_new(e, w->at[row].base);
		r->shape.stride = phi_new(e, w->at[row].stride);
		phi_in(r->shape.base, w->at[row].base, pre);
		phi_in(r->shape.stride, w->at[row].stride, pre);
		c[row + 1].shape = r->shape;
		c[row + 1].shape.part = PART_HIGH;
		em_put_shape(e, row, &r->shape);
		em_put_shape(e, row + 1, &c[row + 1].shape);
	}
	for (row = 0; row < JIT_MAX_ROWS; row++) {
		if (c[row].used || !w->writes[row])
			continue;
		c[row].used = true;
		c[row].late = !w->reads[row];
		if (c[row].late)
			continue;
		for (k = 0; k < e->steps; k++) {
			/* Loaded before the loop: see em_wide_loop() */
			v[k] = e->held[k].cur[row];
			c[row].v[k] = phi_new(e, v[k]);
			phi_in(c[row].v[k], v[k], pre);
			em_hold(e, row, k, c[row].v[k], true);
		}
		w->at[row] = (struct shape) { 0 };
	}
}

/* What they are at the end of a turn; afterwards nothing is given up. */
static void end_rows(struct em *e, struct carried *c)
{
	u32 row;

	for (row = 0; row < JIT_MAX_ROWS; row++) {
		if (!c[row].used || c[row].late)
			continue;
		if (c[row].shape.part == PART_LOW)
			c[row].end = em_address_of(e, row, true);
		else if (!c[row].shape.part)
			em_spread(e, row);
	}
	em_settle(e);
}

static void carry_rows(struct em *e, struct carried *c, LLVMBasicBlockRef pre,
		       LLVMBasicBlockRef from, LLVMBasicBlockRef head)
{
	struct wide *w = e->wide;
	u32 row, k;

	LLVMPositionBuilder(e->b, head, LLVMGetFirstInstruction(head));
	for (row = 0; row < JIT_MAX_ROWS; row++) {
		struct carried *r = &c[row];
		struct shape s = w->at[row];

		if (!r->used)
			continue;
		if (r->late) {
			r->shape = s;
			if (s.part) {
				r->shape.base = phi_new(e, s.base);
				r->shape.stride = phi_new(e, s.stride);
				phi_in(r->shape.base, em_c64(e, 0), pre);
				phi_in(r->shape.stride, em_c64(e, 0), pre);
			} else if (s.same) {
				r->shape.same = phi_new(e, s.same);
				phi_in(r->shape.same, em_c32(e, 0), pre);
			}
			for (k = 0; !em_is_shaped(&s) && k < e->steps; k++) {
				r->v[k] = phi_new(e, e->held[k].cur[row]);
				phi_in(r->v[k], LLVMConstNull(e->vi), pre);
			}
		} else if (r->shape.part == PART_HIGH) {
			continue;	/* its phis are the low part's */
		} else if (r->shape.part) {
			s = r->end;
		}
		if (r->shape.part) {
			phi_in(r->shape.base, s.base, from);
			phi_in(r->shape.stride, s.stride, from);
		} else if (r->shape.same) {
			phi_in(r->shape.same, s.same, from);
		} else {
			for (k = 0; k < e->steps; k++)
				phi_in(r->v[k], e->held[k].cur[row], from);
		}
	}
}

static void store_carried(struct em *e, const struct carried *c, bool late)
{
	LLVMValueRef v;
	u32 row, k;

	for (row = 0; row < JIT_MAX_ROWS; row++) {
		if (!c[row].used || c[row].late != late)
			continue;
		for (k = 0; k < e->steps; k++) {
			v = em_is_shaped(&c[row].shape) ? em_shape_vector(e, &c[row].shape, k) :
						       c[row].v[k];
			v = LLVMBuildStore(e->b, v, em_at(e, e->vi, em_row_at(e, row), k));
			LLVMSetAlignment(v, 256 / e->steps);
		}
	}
}

static LLVMValueRef over_budget(struct em *e)
{
	LLVMValueRef n = LLVMBuildLoad2(e->b, e->i64, e->count, ""), budget;

	budget = LLVMBuildLoad2(e->b, e->i64, em_frame(e, offsetof(struct jit_frame, budget)), "");
	return LLVMBuildICmp(e->b, LLVMIntUGE, n, budget, "");
}

/* A turn is given up: rows and SGPRs as at its head */
static void emit_up(struct em *e, struct jit_insn *x, const struct carried *c, LLVMValueRef first,
		    LLVMBasicBlockRef plain)
{
	LLVMBasicBlockRef late = em_block(e), done = em_block(e), over = em_block(e);
	LLVMBasicBlockRef retry = em_block(e);

	em_go(e, e->wide->up);
	em_restore_sgprs(e);
	store_carried(e, c, false);
	LLVMBuildCondBr(e->b, first, done, late);
	em_go(e, late);
	store_carried(e, c, true);
	LLVMBuildBr(e->b, done);
	em_go(e, done);
	LLVMBuildCondBr(e->b, over_budget(e), over, retry);
	em_go(e, over);
	e->done = 0;
	em_leave(e, x->pc, em_c32(e, ISA_STOP_NONE), 0);
	em_go(e, retry);
	em_record_add(e, x, GIVEN_UP);
	LLVMBuildBr(e->b, plain);
}

/* What loads more in a turn is unrolled, and in another page each time. */
static bool goes_slowly(const struct jit_insn *const *seq, u32 n)
{
	u32 loads = 0, k;

	for (k = 0; k < n; k++)
		loads += seq[k]->kind == JIT_KIND_LOAD;
	return loads <= MOST_LOADS;
}

void em_wide_loop(struct em *e, struct jit_insn *x, const struct jit_insn *const *seq, u32 n,
		  LLVMBasicBlockRef plain)
{
	LLVMBasicBlockRef head = em_block(e), up = em_block(e), before = em_block(e), pre;
	LLVMBasicBlockRef taken = em_block(e), not = em_block(e), go_on = em_block(e);
	struct carried *c = calloc(JIT_MAX_ROWS, sizeof(*c));
	const struct jit_insn *last = seq[n - 1];
	struct wide *w = e->wide;
	LLVMValueRef first, r;
	u32 row, k;

	if (!c) {
		e->bad = true;
		return;
	}
	w->up = before;
	for (row = 0; row + 1 < JIT_MAX_ROWS; row++)
		if (w->address[row])
			em_address_of(e, row, true);
	for (row = 0; row < JIT_MAX_ROWS; row++) {
		if (w->base_only[row] && !is_address(w, row))
			make_same(e, row);
		for (k = 0; w->reads[row] && w->writes[row] && !is_address(w, row) &&
			    k < e->steps; k++)
			em_row_get(e, &e->held[k], row);
	}
	em_settle(e);
	em_copy_scalars(e);
	pre = LLVMGetInsertBlock(e->b);
	LLVMBuildBr(e->b, head);
	em_go(e, before);
	em_record_add(e, x, GIVEN_UP);
	LLVMBuildBr(e->b, plain);

	em_go(e, head);
	w->up = up;
	if (goes_slowly(seq, n))
		em_pages_begin(e, pre, head);
	first = LLVMBuildPhi(e->b, LLVMInt1TypeInContext(e->c), "");
	begin_rows(e, c, pre);
	em_save_sgprs(e, x, last);
	LLVMBuildCondBr(e->b, over_budget(e), up, go_on);
	em_go(e, go_on);
	em_seq(e, seq, n - 1);
	end_rows(e, c);
	r = CALL(e, last->op->name, e->sw, em_insn(e, last));
	r = LLVMBuildICmp(e->b, LLVMIntEQ, r, em_c32(e, ISA_STOP_BRANCH), "");
	LLVMBuildCondBr(e->b, r, taken, not);

	em_go(e, taken);
	carry_rows(e, c, pre, taken, head);
	em_pages_end(e, taken);
	em_go(e, taken);
	em_add_count(e, 1);
	LLVMBuildBr(e->b, head);
	phi_in(first, LLVMConstInt(LLVMInt1TypeInContext(e->c), 1, false), pre);
	phi_in(first, LLVMConstInt(LLVMInt1TypeInContext(e->c), 0, false), taken);

	em_go(e, not);
	em_put_scalars(e);
	em_commit(e);
	LLVMBuildStore(e->b, em_c32(e, 0), em_record(e, x));
	e->wide = NULL;
	em_jump(e, jit_next_pc(last), 1 + last->crosses);
	e->wide = w;
	emit_up(e, x, c, first, plain);
	free(c);
}

bool em_is_turn(const struct jit_insn *x, const struct jit_insn *const *seq, u32 n)
{
	const struct jit_insn *last = seq[n - 1];
	u32 k;

	for (k = 0; k < n; k++)
		if (seq[k]->kind == JIT_KIND_STORE)
			return false;
	return last->kind == JIT_KIND_BRANCH && last->i.op != ISA_OP_S_BRANCH &&
	       jit_target_pc(last) == x->pc;
}
