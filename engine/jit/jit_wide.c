// SPDX-License-Identifier: MIT
/*
 * Blocks with loads or stores, and loops of one such block, once more and for full EXEC: whole
 * rows at a time, in registers from the block's begin to its end or as long as the loop goes on.
 *
 * Addresses are kept as what they mostly are: a base and a stride by lane, both scalar. That is
 * looked at where an address comes from vectors; what is added to it is the same for all lanes
 * then, and a load or store is one look into the TLB.
 *
 * What is not like that, and any page that the TLB does not know, costs no more than a retry: until
 * the block's end (a loop: of each turn) nothing but SGPRs has changed. These get their values
 * back, and the block is done by its other code (jit_emit.c), instruction by instruction, where
 * faults are at their instruction. A store comes last, when nothing can go wrong any more.
 */
#include <stdlib.h>

#include "jit_wide.h"

/* ---- what a block is ---- */

const struct jit_insn *em_after(struct em *e, const struct jit_insn *x)
{
	return jit_unit_at(e->u, jit_next_pc(x));
}

bool em_is_vector(const struct jit_insn *x)
{
	return x->kind >= JIT_KIND_VEC && x->kind <= JIT_KIND_PAIR;
}

bool em_is_memory(const struct jit_insn *x)
{
	return x->kind == JIT_KIND_LOAD || x->kind == JIT_KIND_STORE;
}

bool em_ends_block(const struct jit_insn *x)
{
	return x->kind == JIT_KIND_BRANCH || x->kind == JIT_KIND_END ||
	       x->kind == JIT_KIND_BARRIER;
}

static bool is_plain(const struct jit_insn *x)
{
	if (em_writes_exec(x) || x->i.enc == ISA_ENC_DS)
		return false;
	return em_is_vector(x) || em_is_memory(x) || x->kind == JIT_KIND_WAIT ||
	       x->kind == JIT_KIND_S_LOAD ||
	       (x->kind == JIT_KIND_SALU &&
		(x->i.dst == ISA_SRC_NONE || x->i.dst < ISA_SRC_EXEC_LO));
}

static bool is_known(struct em *e, const struct jit_insn *x)
{
	return e->full_in[x - e->u->insn] && (is_plain(x) || em_ends_block(x));
}

/* What may be given up, and so can't follow a store */
static bool is_no_more(const struct jit_insn *x)
{
	return em_is_memory(x) || x->kind == JIT_KIND_S_LOAD || x->kind == JIT_KIND_CARRY;
}

/* EXEC to those lanes for which a condition holds: it stays full if that is all of them. */
bool em_is_guard(const struct jit_insn *x)
{
	return x->kind == JIT_KIND_SALU && x->i.op == ISA_OP_S_AND_SAVEEXEC_B64 &&
	       x->i.src[0] <= ISA_SRC_VCC_LO && x->i.dst < ISA_SRC_VCC_LO;
}

/*
 * The end of the kernel, if the code at @x goes there when all guards on its way let all lanes
 * through, as "if (i < n)" mostly does: no other way is taken then. NULL: it does not, or has none.
 */
static const struct jit_insn *trace_end(struct em *e, const struct jit_insn *x)
{
	bool any = false, stored = false, guarded = false;
	u32 n;

	if (!e->full_in[x - e->u->insn])
		return NULL;
	for (n = 0; x && n < MAX_WIDE_BLOCK; n++, x = em_after(e, x)) {
		if (x->kind == JIT_KIND_END)
			return any && guarded ? x : NULL;
		/* EXEC is full, and so s_cbranch_execz goes on. */
		if (em_is_guard(x) && !stored)
			guarded = true;
		else if (x->i.op != ISA_OP_S_CBRANCH_EXECZ &&
			 (!is_plain(x) || (stored && is_no_more(x))))
			return NULL;
		any |= em_is_memory(x);
		stored |= x->kind == JIT_KIND_STORE;
	}
	return NULL;
}

/* The last of the block at @x, or NULL; @cut: where it has to end, if it goes on */
static const struct jit_insn *block_end(struct em *e, const struct jit_insn *x,
					const struct jit_insn **cut)
{
	bool any = false, stored = false;
	const struct jit_insn *last = trace_end(e, x), *first = x;
	u32 n;

	*cut = NULL;
	if (last)
		return last;
	for (n = 0; x && (x == first || !x->leader); n++) {
		if (n == MAX_WIDE_BLOCK || !is_known(e, x) || (stored && is_no_more(x))) {
			*cut = x;
			break;
		}
		any |= em_is_memory(x);
		stored |= x->kind == JIT_KIND_STORE;
		last = x;
		if (em_ends_block(x))
			break;
		x = em_after(e, x);
	}
	return any ? last : NULL;
}

void em_wide_cut(struct em *e)
{
	const struct jit_insn *cut;
	u32 n;
	bool again = true;

	while (again) {
		again = false;
		for (n = 0; n < e->u->ninsns; n++)
			if (e->u->insn[n].leader && block_end(e, &e->u->insn[n], &cut) && cut) {
				e->u->insn[cut - e->u->insn].leader = true;
				again = true;
			}
	}
}

bool em_is_wide(struct em *e, struct jit_insn *x)
{
	const struct jit_insn *cut;

	return block_end(e, x, &cut) && !cut;
}

/* ---- giving up ---- */

void em_give_up_if(struct em *e, LLVMValueRef c)
{
	LLVMBasicBlockRef on = em_block(e);

	e->bad |= e->wide->stored;
	LLVMBuildCondBr(e->b, c, e->wide->up, on);
	em_go(e, on);
}

void em_give_up_later(struct em *e, LLVMValueRef c)
{
	struct wide *w = e->wide;

	e->bad |= w->stored;
	w->bad = w->bad ? LLVMBuildOr(e->b, w->bad, c, "") : c;
}

void em_settle(struct em *e)
{
	struct wide *w = e->wide;

	if (w->bad && !w->stored)
		em_give_up_if(e, w->bad);
	w->bad = NULL;
}

/* How often it was given up lately */
LLVMValueRef em_record(struct em *e, const struct jit_insn *x)
{
	LLVMTypeRef byte = LLVMInt8TypeInContext(e->c);
	LLVMValueRef at = em_frame(e, offsetof(struct jit_frame, insn));

	at = LLVMBuildLoad2(e->b, e->ptr, at, "");
	return em_at(e, byte, at, (u32)((x - e->u->insn) * sizeof(*x) +
					offsetof(struct jit_insn, slot.taken)));
}

/* On by one, modulo a while, or by @more */
void em_record_add(struct em *e, const struct jit_insn *x, u32 more)
{
	LLVMValueRef at = em_record(e, x), n = LLVMBuildLoad2(e->b, e->i32, at, "");

	n = LLVMBuildAdd(e->b, n, em_c32(e, more), "");
	LLVMBuildStore(e->b, LLVMBuildAnd(e->b, n, em_c32(e, A_WHILE - 1), ""), at);
}

/* ---- SGPRs ---- */

static void save(struct em *e, u32 code, u32 n)
{
	struct wide *w = e->wide;

	for (; n && code < ISA_SRC_INT0; n--, code++)
		if (!w->saved[code])
			w->saved[code] = LLVMBuildLoad2(e->b, e->i32, em_at(e, e->i32, e->sw, code),
							"");
}

static LLVMValueRef scc_at(struct em *e, LLVMValueRef wave)
{
	return em_at(e, e->i32, wave, (u32)(offsetof(struct isa_wave, scc) / 4));
}

void em_save_sgprs(struct em *e, const struct jit_insn *x, const struct jit_insn *last)
{
	struct wide *w = e->wide;

	memset(w->saved, 0, sizeof(w->saved));
	w->scc = LLVMBuildLoad2(e->b, e->i32, scc_at(e, e->sw), "");
	for (;; x = em_after(e, x)) {
		if (x->kind == JIT_KIND_S_LOAD)
			save(e, x->i.dst, x->op->how);
		else if (x->kind == JIT_KIND_SALU && x->i.dst != ISA_SRC_NONE)
			save(e, x->i.dst, 2);
		else if (em_makes_mask(x))
			save(e, em_mask_code(x->i.sdst), 2);
		if (x == last)
			break;
	}
}

void em_restore_sgprs(struct em *e)
{
	u32 n;

	for (n = 0; n < MAX_SAVED; n++)
		if (e->wide->saved[n])
			LLVMBuildStore(e->b, e->wide->saved[n], em_at(e, e->i32, e->w, n));
	LLVMBuildStore(e->b, e->wide->scc, scc_at(e, e->w));
}

/* Not by the C library: what reads a rare source, as SCC is, is called, and then it is no register. */
void em_copy_scalars(struct em *e)
{
	static const char name[] = "llvm.memcpy.inline";
	unsigned int id = LLVMLookupIntrinsicID(name, sizeof(name) - 1);
	LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b), first = LLVMGetEntryBasicBlock(e->fn);
	const size_t bytes = offsetof(struct isa_wave, on_exec);
	LLVMTypeRef types[] = { e->ptr, e->ptr, e->i64 };
	LLVMValueRef args[] = {
		NULL, e->w, em_c64(e, bytes), LLVMConstInt(LLVMInt1TypeInContext(e->c), 0, false),
	};

	LLVMPositionBuilder(e->b, first, LLVMGetFirstInstruction(first));
	e->sw = LLVMBuildAlloca(e->b, LLVMArrayType2(LLVMInt8TypeInContext(e->c), bytes), "");
	LLVMSetAlignment(e->sw, 64);
	em_go(e, here);
	args[0] = e->sw;
	LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->c, id, types, ARRAY_SIZE(types)),
		       LLVMGetIntrinsicDeclaration(e->m, id, types, ARRAY_SIZE(types)), args,
		       ARRAY_SIZE(args), "");
}

void em_put_scalars(struct em *e)
{
	LLVMValueRef v;
	u32 n;

	for (n = 0; n < MAX_SAVED; n++) {
		if (!e->wide->saved[n])
			continue;
		v = LLVMBuildLoad2(e->b, e->i32, em_at(e, e->i32, e->sw, n), "");
		LLVMBuildStore(e->b, v, em_at(e, e->i32, e->w, n));
	}
	v = LLVMBuildLoad2(e->b, e->i32, scc_at(e, e->sw), "");
	LLVMBuildStore(e->b, v, scc_at(e, e->w));
	e->sw = e->w;
}

/* ---- lane masks ---- */

static void masks_out(struct em *e)
{
	LLVMValueRef sum;
	u32 n;

	for (n = 0; n < e->npending; n++) {
		sum = e->pending[n].sum ?: em_all_places(e, e->pending[n].vm);
		CALL(e, "jit_put_mask", e->sw, em_c32(e, e->pending[n].code), sum);
	}
	e->npending = 0;
}

static bool touches(struct em *e, u32 code, u32 n, bool exact)
{
	u32 k;

	for (k = 0; k < e->npending; k++) {
		u32 mask = e->pending[k].code;

		if (!(exact && mask == code) && code < mask + 2 && code + n > mask)
			return true;
	}
	return false;
}

/* What @x reads or writes as a scalar must be there. */
static void masks_out_for(struct em *e, const struct jit_insn *x)
{
	bool out = false;
	u32 n;

	for (n = 0; n < 3; n++) {
		u32 code = x->i.src[n];

		if (code == ISA_SRC_NONE || code >= ISA_SRC_VGPR0)
			continue;
		if (x->op->cin && n == 2)
			continue;
		out |= code == ISA_SRC_VCCZ || touches(e, code, 2, false);
	}
	if (x->kind == JIT_KIND_SALU || x->kind == JIT_KIND_S_LOAD)
		out |= x->i.dst != ISA_SRC_NONE && touches(e, x->i.dst, 16, false);
	if (x->op->cin)
		out |= touches(e, em_cin_code(x), 2, true);
	if (em_makes_mask(x))
		out |= touches(e, em_mask_code(x->i.sdst), 2, true) ||
		       e->npending >= MAX_PENDING - 1;
	if (out)
		masks_out(e);
}

struct pending *em_mask_new(struct em *e, const struct jit_insn *x)
{
	u32 code = em_mask_code(x->i.sdst);
	struct pending *p = em_pending_at(e, code);

	if (!p) {
		p = &e->pending[e->npending++];
		p->code = code;
	}
	p->sum = NULL;
	return p;
}

/* ---- moves, of which the shape stays known ---- */

static void copy_row(struct em *e, u32 dst, u32 src)
{
	struct wide *w = e->wide;
	struct shape s = w->at[src];
	LLVMValueRef v[MAX_STEPS];
	u32 k;

	if (em_is_shaped(&s)) {
		em_put_shape(e, dst, &s);
		return;
	}
	for (k = 0; k < e->steps; k++)
		v[k] = em_row_get(e, &e->held[k], src);
	for (k = 0; k < e->steps; k++)
		em_row_put(e, &e->held[k], dst, v[k]);
}

static bool emit_move(struct em *e, const struct jit_insn *x, const struct scalars *s)
{
	u32 dst = em_is_vgpr(x->i.dst) ? em_row_of(e, x->i.dst) : 0, a, b;
	struct shape same = { 0 };

	if (x->i.op == ISA_OP_V_MOV_B32 && x->kind == JIT_KIND_VEC && !x->i.neg && !x->i.abs) {
		if (em_is_vgpr(x->i.src[0])) {
			copy_row(e, dst, em_row_of(e, x->i.src[0]));
			return true;
		}
		same.same = em_first_lane(e, s->v[0][0]);
		em_put_shape(e, dst, &same);
		return true;
	}
	if (x->i.op != ISA_OP_V_PK_MOV_B32 || x->kind != JIT_KIND_PAIR ||
	    !em_is_vgpr(x->i.src[0]) || !em_is_vgpr(x->i.src[1]))
		return false;
	a = em_row_of(e, x->i.src[0]) + (x->i.opsel & 1);
	b = em_row_of(e, x->i.src[1]) + (x->i.opsel >> 1 & 1);
	/* Both are read before one is written. */
	if (b == dst)
		return false;
	copy_row(e, dst, a);
	copy_row(e, dst + 1, b);
	return true;
}

/* ---- instructions ---- */

static void emit_vector(struct em *e, const struct jit_insn *x, const struct jit_insn **lowx)
{
	struct waiting *wait = &e->wide->waiting;
	struct scalars s = { 0 };
	u32 k;

	em_scalars_get(e, x, &s);
	if (em_add_low(e, x, &s)) {
		*lowx = x;
		return;
	}
	if (wait->with == x) {
		bool done = em_add_high(e, x, *lowx, &s);

		wait->with = NULL;
		if (done)
			return;
		em_mask_new(e, *lowx);
		for (k = 0; k < e->steps; k++)
			em_step(e, *lowx, &wait->scalars, &e->held[k], e->wide->scratch);
		/* It is a vector now. */
		s = (struct scalars) { 0 };
		em_scalars_get(e, x, &s);
	}
	if (emit_move(e, x, &s) || em_affine(e, x, &s) || em_affine_guard(e, x, &s))
		return;
	/* Of a sum that is its own source the mask is read first. */
	if (em_makes_mask(x))
		em_mask_new(e, x);
	for (k = 0; k < e->steps; k++)
		em_step(e, x, &s, &e->held[k], e->wide->scratch);
}

/* Waves one after another mostly load the same: its page is remembered. */
static void emit_s_load(struct em *e, const struct jit_insn *x)
{
	const u32 bytes = 4 * x->op->how;
	LLVMValueRef i = em_insn(e, x), p;

	p = em_look_up(e, CALL(e, "jit_s_va", e->sw, i), em_c64(e, bytes), bytes, ISA_R);
	em_give_up_if(e, LLVMBuildICmp(e->b, LLVMIntEQ, p, LLVMConstNull(e->ptr), ""));
	CALL(e, "jit_s_put", e->sw, i, p, em_c32(e, x->op->how));
}

static void emit_insn(struct em *e, const struct jit_insn *x, const struct jit_insn **lowx)
{
	LLVMValueRef ok;

	masks_out_for(e, x);
	switch (x->kind) {
	case JIT_KIND_WAIT:
	case JIT_KIND_BRANCH:	/* of a trace: not taken */
		break;
	case JIT_KIND_SALU:
		if (em_is_guard(x)) {
			ok = CALL(e, "jit_mask", e->sw, em_c32(e, x->i.src[0]));
			em_give_up_if(e, LLVMBuildICmp(e->b, LLVMIntNE, ok, em_c64(e, ~0ull), ""));
		}
		CALL(e, x->op->name, e->sw, em_insn(e, x));
		break;
	case JIT_KIND_S_LOAD:
		emit_s_load(e, x);
		break;
	case JIT_KIND_LOAD:
		em_wide_load(e, x);
		break;
	case JIT_KIND_STORE:
		em_wide_store(e, x);
		break;
	default:
		emit_vector(e, x, lowx);
		break;
	}
}

/* ---- the block ---- */

void em_commit(struct em *e)
{
	u32 row, k;

	for (row = 0; row < JIT_MAX_ROWS; row++)
		if (e->wide->lazy[row])
			em_spread(e, row);
	for (k = 0; k < e->steps; k++)
		em_rows_store(e, &e->held[k]);
}

void em_drop(struct em *e)
{
	u32 n, k;

	for (k = 0; k < e->steps; k++) {
		struct held *h = &e->held[k];

		for (n = 0; n < h->n; n++) {
			h->cur[h->row[n]] = NULL;
			h->dirty[h->row[n]] = false;
		}
		h->n = 0;
	}
}

void em_seq(struct em *e, const struct jit_insn *const *seq, u32 n)
{
	const struct jit_insn *low = NULL;
	u32 k;

	for (k = 0; k < n; k++) {
		emit_insn(e, seq[k], &low);
		e->done += 1 + seq[k]->crosses;
	}
	e->bad |= !!e->wide->waiting.with;
	masks_out(e);
	em_settle(e);
}

static void emit_once(struct em *e, struct jit_insn *x, const struct jit_insn *const *seq, u32 n,
		      LLVMBasicBlockRef plain)
{
	struct wide *w = e->wide;
	const struct jit_insn *last = seq[n - 1];

	w->up = em_block(e);
	em_save_sgprs(e, x, last);
	em_seq(e, seq, n - em_ends_block(last));
	/* Nobody looks at the registers of a wave that has ended. */
	if (last->kind == JIT_KIND_END)
		em_drop(e);
	else
		em_commit(e);
	LLVMBuildStore(e->b, em_c32(e, 0), em_record(e, x));
	e->wide = NULL;
	if (last->kind == JIT_KIND_BRANCH)
		em_branch(e, &e->u->insn[last - e->u->insn]);
	else if (em_ends_block(last))
		em_end(e, &e->u->insn[last - e->u->insn]);
	else
		em_jump(e, jit_next_pc(last), 0);
	e->wide = w;
	em_go(e, w->up);
	em_restore_sgprs(e);
	em_record_add(e, x, GIVEN_UP);
	LLVMBuildBr(e->b, plain);
}

struct wide *em_wide_new(struct em *e, struct jit_insn *x, const struct jit_insn **seq, u32 *n)
{
	LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b), first = LLVMGetEntryBasicBlock(e->fn);
	const struct jit_insn *cut, *last = block_end(e, x, &cut), *y = x;
	struct wide *w = calloc(1, sizeof(*w));
	u32 k;

	e->wide = w;
	e->bad |= !w;
	if (!w)
		return NULL;
	*n = 0;
	for (seq[(*n)++] = y; y != last; seq[(*n)++] = y)
		y = em_after(e, y);
	w->lanes = LLVMVectorType(e->i32, ISA_LANES / e->steps);
	LLVMPositionBuilder(e->b, first, LLVMGetFirstInstruction(first));
	w->scratch[0] = LLVMBuildAlloca(e->b, LLVMArrayType2(e->vi, 2), "");
	w->scratch[1] = LLVMBuildAlloca(e->b, LLVMArrayType2(e->vi, 6), "");
	em_go(e, here);
	e->full = true;
	e->npending = 0;
	for (k = 0; k < e->steps; k++)
		e->held[k].k = em_c32(e, k);
	em_find_rows(e, x, last);
	w->trace = last == trace_end(e, x);
	w->loop = em_is_turn(x, seq, *n);
	for (k = 0; k < (w->loop ? 3 : 1); k++)
		em_find_wanted(e, seq, *n);
	/* A row is part of one address. */
	for (k = JIT_MAX_ROWS - 1; k; k--)
		w->address[k] &= !w->address[k - 1];
	em_find_added(e, seq, *n);
	return w;
}

void em_wide_end(struct em *e, struct wide *w)
{
	em_drop(e);
	e->npending = 0;
	e->wide = NULL;
	free(w);
}

void em_wide(struct em *e, struct jit_insn *x, LLVMBasicBlockRef plain)
{
	LLVMBasicBlockRef try = em_block(e), not = em_block(e);
	const struct jit_insn *seq[MAX_WIDE_BLOCK];
	LLVMValueRef often;
	struct wide *w;
	u32 n;

	often = LLVMBuildLoad2(e->b, e->i32, em_record(e, x), "");
	LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntUGE, often, em_c32(e, TOO_OFTEN), ""),
			not, try);
	em_go(e, not);
	em_record_add(e, x, 1);
	LLVMBuildBr(e->b, plain);
	em_go(e, try);
	w = em_wide_new(e, x, seq, &n);
	if (!w)
		return;
	if (w->loop)
		em_wide_loop(e, x, seq, n, plain);
	else
		emit_once(e, x, seq, n, plain);
	em_wide_end(e, w);
}
