// SPDX-License-Identifier: MIT
/*
 * A unit as LLVM IR.
 *
 * Vector instructions between branches, memory and handlers are a run: it is emitted
 * vector by vector, all its instructions on the first lanes, then on the next. Within
 * a vector VGPRs are values, which are loaded where they are first read and stored at
 * the end; so few live at a time, and the host's registers hold them. Lane masks that
 * a run makes stay in vector form until its end.
 *
 * All else is emitted for the whole wave, in the order of the code. Between runs all
 * state is where the interpreter has it: SALU functions are the interpreter's own,
 * inlined, a wave may leave at any instruction, and memory is touched by the
 * interpreter's handlers, called directly.
 *
 * The code has no address in it: what it needs it finds by its two arguments.
 */
#include <stdlib.h>

#include "jit_emit.h"

/* ---- small things ---- */

LLVMValueRef em_c32(struct em *e, u32 v)
{
	return LLVMConstInt(e->i32, v, false);
}

LLVMValueRef em_c64(struct em *e, u64 v)
{
	return LLVMConstInt(e->i64, v, false);
}

LLVMValueRef em_call(struct em *e, const char *name, LLVMValueRef *args, u32 n)
{
	LLVMValueRef fn = LLVMGetNamedFunction(e->m, name);

	if (!fn || LLVMCountParams(fn) != n) {
		e->bad = true;
		return LLVMGetUndef(e->i32);
	}
	return LLVMBuildCall2(e->b, LLVMGlobalGetValueType(fn), fn, args, n, "");
}

LLVMValueRef em_at(struct em *e, LLVMTypeRef type, LLVMValueRef p, u32 n)
{
	LLVMValueRef idx = em_c64(e, n);

	return LLVMBuildGEP2(e->b, type, p, &idx, 1, "");
}

/* An instruction as a constant that LLVM can look into */
static LLVMValueRef bytes(struct em *e, const void *p, size_t n, u32 align)
{
	LLVMValueRef init = LLVMConstStringInContext2(e->c, p, n, true);
	LLVMValueRef g = LLVMAddGlobal(e->m, LLVMTypeOf(init), "");

	LLVMSetInitializer(g, init);
	LLVMSetGlobalConstant(g, true);
	LLVMSetLinkage(g, LLVMPrivateLinkage);
	LLVMSetAlignment(g, align);
	return g;
}

LLVMValueRef em_insn(struct em *e, const struct jit_insn *x)
{
	struct isa_slot s = x->slot;

	s.exec[0] = NULL;
	s.exec[1] = NULL;
	return bytes(e, &s, sizeof(s), 64);
}

LLVMBasicBlockRef em_block(struct em *e)
{
	return LLVMAppendBasicBlockInContext(e->c, e->fn, "");
}

void em_go(struct em *e, LLVMBasicBlockRef to)
{
	LLVMPositionBuilderAtEnd(e->b, to);
}

/* ---- which registers ---- */

bool em_is_vgpr(u32 code)
{
	return code >= ISA_SRC_VGPR0 && code != ISA_SRC_NONE;
}

/* ---- EXEC ---- */

static bool is_exec(u32 code)
{
	return code == ISA_SRC_EXEC_LO || code == ISA_SRC_EXEC_HI;
}

bool em_writes_exec(const struct jit_insn *x)
{
	const char *name = isa_op_names[x->i.op];

	if (x->kind != JIT_KIND_SALU && x->kind != JIT_KIND_CALL)
		return false;
	return is_exec(x->i.dst) || is_exec(x->i.sdst) || strstr(name, "exec") ||
	       strstr(name, "cmpx");
}

static bool fills_exec(const struct jit_insn *x)
{
	return x->i.op == ISA_OP_S_MOV_B64 && x->i.dst == ISA_SRC_EXEC_LO && x->i.src[0] == 193;
}

/* Does the code go on behind @x? */
static bool goes_on(const struct jit_insn *x)
{
	return x->kind != JIT_KIND_END && x->kind != JIT_KIND_BARRIER &&
	       x->i.op != ISA_OP_S_BRANCH;
}

static void meet(struct em *e, u64 pc, bool full, bool *changed)
{
	struct jit_insn *x = jit_unit_at(e->u, pc);

	if (!x || full || !e->full_in[x - e->u->insn])
		return;
	e->full_in[x - e->u->insn] = false;
	*changed = true;
}

/* At which instructions EXEC is all ones, whatever way led there */
static void find_full(struct em *e)
{
	bool changed = true;
	u32 n;

	for (n = 0; n < e->u->ninsns; n++)
		e->full_in[n] = true;
	e->full_in[0] = e->u->key.full;
	while (changed) {
		changed = false;
		for (n = 0; n < e->u->ninsns; n++) {
			const struct jit_insn *x = &e->u->insn[n];
			bool full = e->full_in[n];

			if (em_writes_exec(x))
				full = fills_exec(x);
			if (x->kind == JIT_KIND_BRANCH)
				meet(e, jit_target_pc(x), full, &changed);
			if (goes_on(x))
				meet(e, jit_next_pc(x), full, &changed);
		}
	}
}

static bool needs_on(struct em *e, u64 pc)
{
	struct jit_insn *x = jit_unit_at(e->u, pc);

	return x && e->needs_on[x - e->u->insn];
}

/* Where EXEC is wanted as vectors: what is masked reads them. */
static void find_needs(struct em *e)
{
	bool changed = true;
	u32 n;

	while (changed) {
		changed = false;
		for (n = e->u->ninsns; n--;) {
			const struct jit_insn *x = &e->u->insn[n];
			bool need = x->kind >= JIT_KIND_VEC && x->kind <= JIT_KIND_STORE &&
				    !e->full_in[n];

			if (x->kind == JIT_KIND_BRANCH)
				need |= needs_on(e, jit_target_pc(x));
			else if (em_writes_exec(x))
				continue;
			if (goes_on(x))
				need |= needs_on(e, jit_next_pc(x));
			changed |= need && !e->needs_on[n];
			e->needs_on[n] |= need;
		}
	}
}

static void load_on(struct em *e)
{
	u32 k;

	for (k = 0; k < e->steps; k++)
		LLVMBuildStore(e->b, CALL(e, "jit_on", e->w, em_c32(e, k)),
			       em_at(e, e->vm, e->on, k));
}

LLVMValueRef em_on(struct em *e, LLVMValueRef k)
{
	return LLVMBuildLoad2(e->b, e->vm, LLVMBuildGEP2(e->b, e->vm, e->on, &k, 1, ""), "");
}

/* ---- VGPRs ---- */

LLVMValueRef em_row_at(struct em *e, u32 row)
{
	return em_at(e, e->vi, e->rows, row * e->steps);
}

static LLVMValueRef row_at(struct em *e, const struct held *h, u32 row)
{
	LLVMValueRef p = em_row_at(e, row), k = h->k;

	return LLVMBuildGEP2(e->b, e->vi, p, &k, 1, "");
}

/* Who asks for the unit says which operands there are, and is not trusted (vkfd-jit.c). */
static bool is_row(struct em *e, u32 row)
{
	e->bad |= row >= JIT_MAX_ROWS;
	return row < JIT_MAX_ROWS;
}

LLVMValueRef em_row_get(struct em *e, struct held *h, u32 row)
{
	if (!is_row(e, row))
		return LLVMConstNull(e->vi);
	if (e->wide && !h->cur[row] && em_wide_get(e, h, row))
		return h->cur[row];
	if (!h->cur[row]) {
		h->cur[row] = LLVMBuildLoad2(e->b, e->vi, row_at(e, h, row), "");
		LLVMSetAlignment(h->cur[row], 256 / e->steps);
		h->row[h->n++] = (u16)row;
	}
	return h->cur[row];
}

void em_row_put(struct em *e, struct held *h, u32 row, LLVMValueRef v)
{
	if (!is_row(e, row))
		return;
	if (!e->full)
		v = CALL(e, "jit_over", em_on(e, h->k), em_row_get(e, h, row), v);
	if (e->wide)
		em_wide_forget(e, row);
	if (!h->cur[row])
		h->row[h->n++] = (u16)row;
	h->cur[row] = v;
	h->dirty[row] = true;
}

void em_rows_store(struct em *e, struct held *h)
{
	u32 n;

	for (n = 0; n < h->n; n++) {
		u32 row = h->row[n];

		if (h->dirty[row])
			LLVMSetAlignment(LLVMBuildStore(e->b, h->cur[row], row_at(e, h, row)),
					 256 / e->steps);
		h->cur[row] = NULL;
		h->dirty[row] = false;
	}
	h->n = 0;
}

/* ---- leaving ---- */

static LLVMValueRef counted(struct em *e, u32 more)
{
	LLVMValueRef n = LLVMBuildLoad2(e->b, e->i64, e->count, "");

	return LLVMBuildAdd(e->b, n, em_c64(e, e->done + more), "");
}

LLVMValueRef em_frame(struct em *e, size_t at)
{
	return em_at(e, e->i64, e->f, (u32)(at / 8));
}

/* An address of the code, counted from the entry */
static LLVMValueRef pc_of(struct em *e, u64 pc)
{
	LLVMValueRef at = em_frame(e, offsetof(struct jit_frame, pc));

	at = LLVMBuildLoad2(e->b, e->i64, at, "");
	return LLVMBuildAdd(e->b, at, em_c64(e, pc - e->u->key.pc), "");
}

/* The wave is at @pc, and @more have been done. */
static void put_place(struct em *e, u64 pc, u32 more)
{
	LLVMValueRef insns = em_frame(e, offsetof(struct jit_frame, insns)), n = counted(e, more);

	CALL(e, "jit_set_pc", e->w, pc_of(e, pc));
	if (e->turn)
		n = LLVMBuildAdd(e->b, n, LLVMBuildLoad2(e->b, e->i64, insns, ""), "");
	LLVMBuildStore(e->b, n, insns);
}

void em_leave(struct em *e, u64 pc, LLVMValueRef why, u32 more)
{
	put_place(e, pc, more);
	LLVMBuildStore(e->b, why, e->why);
	LLVMBuildBr(e->b, e->exit);
}

/* ---- handlers ---- */

void em_handler(struct em *e, const struct jit_insn *x, u32 behind)
{
	LLVMTypeRef params[] = { e->ptr, e->ptr };
	LLVMTypeRef type = LLVMFunctionType(e->i32, params, 2, false);
	LLVMBasicBlockRef stop = em_block(e), next = em_block(e);
	LLVMValueRef at, why, ok, calls = em_frame(e, offsetof(struct jit_frame, calls));

	LLVMBuildStore(e->b, LLVMBuildAdd(e->b, LLVMBuildLoad2(e->b, e->i64, calls, ""),
					  em_c64(e, 1), ""), calls);
	at = LLVMBuildLoad2(e->b, e->ptr, em_frame(e, offsetof(struct jit_frame, insn)), "");
	at = em_at(e, LLVMArrayType2(LLVMInt8TypeInContext(e->c), sizeof(*x)), at,
		   (u32)(x - e->u->insn));
	why = CALL(e, "jit_handler", e->w, at, pc_of(e, x->pc), em_c32(e, e->full));
	why = LLVMBuildCall2(e->b, type, why, (LLVMValueRef []){ e->w, at }, 2, "");
	ok = LLVMBuildICmp(e->b, LLVMIntEQ, why, em_c32(e, ISA_STOP_NONE), "");
	LLVMBuildCondBr(e->b, ok, next, stop);
	em_go(e, stop);
	LLVMBuildStore(e->b, at, em_frame(e, offsetof(struct jit_frame, at)));
	em_leave(e, x->pc, why, behind);
	em_go(e, next);
}

/* ---- control ---- */

void em_add_count(struct em *e, u32 more)
{
	LLVMBuildStore(e->b, counted(e, more), e->count);
}

void em_jump(struct em *e, u64 pc, u32 more)
{
	struct jit_insn *x = jit_unit_at(e->u, pc);

	if (x) {
		em_add_count(e, more);
		LLVMBuildBr(e->b, e->bb[x - e->u->insn]);
	} else {
		em_leave(e, pc, em_c32(e, ISA_STOP_NONE), more);
	}
}

void em_branch(struct em *e, struct jit_insn *x)
{
	LLVMBasicBlockRef taken = em_block(e), not = em_block(e);
	LLVMValueRef r = CALL(e, x->op->name, e->w, em_insn(e, x));

	r = LLVMBuildICmp(e->b, LLVMIntEQ, r, em_c32(e, ISA_STOP_BRANCH), "");
	LLVMBuildCondBr(e->b, r, taken, not);
	em_go(e, taken);
	if (e->stale && needs_on(e, jit_target_pc(x)))
		load_on(e);
	em_jump(e, jit_target_pc(x), 1);
	em_go(e, not);
	if (e->stale && needs_on(e, jit_next_pc(x)))
		load_on(e);
	em_jump(e, jit_next_pc(x), 1 + x->crosses);
}

void em_end(struct em *e, struct jit_insn *x)
{
	put_place(e, jit_next_pc(x), 1);
	if (e->turn)
		em_turn_over(e, x);
	else
		LLVMBuildRet(e->b, em_c32(e, ISA_STOP_END));
}

/* A loop ends with its budget. */
static void emit_poll(struct em *e, struct jit_insn *x)
{
	LLVMBasicBlockRef out = em_block(e), in = em_block(e);
	LLVMValueRef n = LLVMBuildLoad2(e->b, e->i64, e->count, "");
	LLVMValueRef budget = em_frame(e, offsetof(struct jit_frame, budget));

	budget = LLVMBuildLoad2(e->b, e->i64, budget, "");
	LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntULT, n, budget, ""), in, out);
	em_go(e, out);
	em_leave(e, x->pc, em_c32(e, ISA_STOP_NONE), 0);
	em_go(e, in);
}

/* Addresses may be counted from the unit's entry (jit_remote.c), and code before it is its, too. */
bool em_is_loop(struct em *e, const struct jit_insn *x)
{
	u32 n;

	for (n = 0; n < e->u->ninsns; n++) {
		const struct jit_insn *y = &e->u->insn[n];

		if (y->kind == JIT_KIND_BRANCH && (s64)(y->pc - x->pc) >= 0 &&
		    jit_target_pc(y) == x->pc)
			return true;
	}
	return false;
}

static void emit_block(struct em *e, struct jit_insn *x)
{
	struct jit_insn *run[MAX_RUN];
	u32 n;

	em_go(e, e->bb[x - e->u->insn]);
	e->done = 0;
	e->stale = false;
	e->full = e->full_in[x - e->u->insn];
	if (em_is_loop(e, x))
		emit_poll(e, x);
	if (em_is_wide(e, x)) {
		LLVMBasicBlockRef plain = em_block(e);

		em_wide(e, x, plain);
		em_go(e, plain);
		e->done = 0;
	}
	for (;;) {
		struct jit_insn *last = x;

		e->full = e->full_in[x - e->u->insn];
		switch (x->kind) {
		case JIT_KIND_BRANCH:
			em_branch(e, x);
			return;
		case JIT_KIND_END:
		case JIT_KIND_BARRIER:
			em_end(e, x);
			return;
		case JIT_KIND_WAIT:
			break;
		case JIT_KIND_SALU:
			CALL(e, x->op->name, e->w, em_insn(e, x));
			break;
		case JIT_KIND_S_LOAD:
			em_s_load(e, x);
			break;
		case JIT_KIND_CALL:
			em_handler(e, x, 0);
			break;
		case JIT_KIND_STORE:
			if (!em_can_store(e, x)) {
				em_handler(e, x, 0);
				break;
			}
			/* fallthrough */
		default:
			n = em_run_length(e, run, x);
			em_run(e, run, n);
			e->done += n - 1;
			last = run[n - 1];
			break;
		}
		e->stale |= em_writes_exec(last);
		e->done += 1 + last->crosses;
		x = jit_unit_at(e->u, jit_next_pc(last));
		/* On which side of a branch they are needed, that knows. */
		if (e->stale && needs_on(e, jit_next_pc(last)) &&
		    (x->leader || x->kind != JIT_KIND_BRANCH)) {
			load_on(e);
			e->stale = false;
		}
		if (!x || x->leader) {
			em_jump(e, jit_next_pc(last), 0);
			return;
		}
	}
}

static void begin(struct em *e)
{
	LLVMBasicBlockRef entry = em_block(e);
	u32 r;

	em_go(e, entry);
	e->count = LLVMBuildAlloca(e->b, e->i64, "count");
	e->why = LLVMBuildAlloca(e->b, e->i32, "why");
	e->on = em_frame(e, offsetof(struct jit_frame, on));
	em_turns(e);
	LLVMBuildStore(e->b, em_c64(e, 0), e->count);
	e->rows = CALL(e, "jit_rows", e->w);
	e->exit = em_block(e);
	for (r = 0; r < e->u->ninsns; r++)
		if (e->u->insn[r].leader)
			e->bb[r] = em_block(e);
	if (jit_unit_is_stream(e->u))
		em_stream(e);
	if (e->needs_on[0])
		load_on(e);
	LLVMBuildBr(e->b, e->bb[0]);
	em_go(e, e->exit);
	LLVMBuildRet(e->b, LLVMBuildLoad2(e->b, e->i32, e->why, ""));
}

static void add_attribute(struct em *e, LLVMAttributeIndex at, const char *name)
{
	unsigned int kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

	LLVMAddAttributeAtIndex(e->fn, at, LLVMCreateEnumAttribute(e->c, kind, 0));
}

static void copy_attribute(struct em *e, LLVMValueRef from, const char *name)
{
	LLVMAttributeRef a = LLVMGetStringAttributeAtIndex(from, LLVMAttributeFunctionIndex, name,
							   (unsigned int)strlen(name));

	if (a)
		LLVMAddAttributeAtIndex(e->fn, LLVMAttributeFunctionIndex, a);
}

/* Where two ways meet a block begins. */
static void find_leaders(struct jit_unit *u)
{
	u32 n, k;

	for (n = 0; n < u->ninsns; n++) {
		u32 ways = 0;

		for (k = 0; k < u->ninsns; k++)
			ways += jit_next_pc(&u->insn[k]) == u->insn[n].pc;
		if (ways > 1 || (n && !ways))
			u->insn[n].leader = true;
	}
}

bool jit_emit(struct jit_unit *u, LLVMModuleRef m, const char *name, u32 steps)
{
	static __thread struct isa_wave wave;
	struct em *e = calloc(1, sizeof(*e));
	LLVMValueRef model = LLVMGetNamedFunction(m, "jit_over");
	LLVMTypeRef over, params[3];
	bool ok;
	u32 n;

	if (!e || !model || steps > MAX_STEPS) {
		free(e);
		return false;
	}
	e->u = u;
	e->m = m;
	e->steps = steps;
	e->c = LLVMGetModuleContext(m);
	e->b = LLVMCreateBuilderInContext(e->c);
	e->i32 = LLVMInt32TypeInContext(e->c);
	e->i64 = LLVMInt64TypeInContext(e->c);
	e->ptr = LLVMPointerTypeInContext(e->c, 0);
	over = LLVMGlobalGetValueType(model);
	LLVMGetParamTypes(over, params);
	e->vm = params[0];
	e->vi = params[1];
	params[0] = e->ptr;
	params[1] = e->ptr;
	e->fn = LLVMAddFunction(m, name, LLVMFunctionType(e->i32, params, 2, false));
	copy_attribute(e, model, "target-cpu");
	copy_attribute(e, model, "target-features");
	copy_attribute(e, model, "prefer-vector-width");
	copy_attribute(e, model, "min-legal-vector-width");
	copy_attribute(e, model, "denormal-fp-math");
	add_attribute(e, LLVMAttributeFunctionIndex, "nounwind");
	e->w = LLVMGetParam(e->fn, 0);
	e->sw = e->w;
	e->f = LLVMGetParam(e->fn, 1);
	for (n = 1; n <= 2; n++)
		add_attribute(e, n, "noalias");
	wave.mode = u->key.mode;
	e->wave = bytes(e, &wave, sizeof(wave), 64);
	find_leaders(u);
	find_full(e);
	find_needs(e);
	em_wide_cut(e);
	begin(e);
	for (n = 0; n < u->ninsns; n++)
		if (u->insn[n].leader)
			emit_block(e, &u->insn[n]);
	ok = !e->bad;
	LLVMDisposeBuilder(e->b);
	free(e);
	return ok;
}
