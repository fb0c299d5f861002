// SPDX-License-Identifier: MIT
/*
 * Kernels of one block, wave after wave. Such a wave needs no state: what its SGPRs are at the
 * beginning is the same for all but for the number of the group, its work-items count up, and
 * nobody looks at its registers when it has ended. So one wave's structure serves for all, and a
 * turn of the loop is a wave. What is given up (jit_wide.c) has changed nothing that anybody sees:
 * the code returns, the wave is begun in earnest and run by the other code.
 */
#include "jit_wide.h"

static LLVMValueRef phi_of(struct em *e, LLVMValueRef v, LLVMBasicBlockRef from)
{
	LLVMValueRef phi = LLVMBuildPhi(e->b, LLVMTypeOf(v), "");

	LLVMAddIncoming(phi, &v, &from, 1);
	return phi;
}

static LLVMValueRef frame_get(struct em *e, size_t at)
{
	return LLVMBuildLoad2(e->b, e->i64, em_frame(e, at), "");
}

/* The work-items' numbers: the row is not where the wave has it. */
static void begin_wave(struct em *e, LLVMValueRef item)
{
	struct shape s = {
		.base = item, .stride = em_c64(e, 1), .part = PART_LOW, .alone = true,
	};

	em_put_shape(e, 0, &s);
	e->wide->lazy[0] = false;
}

/* @left: waves that have not been run, in a block of its own */
static void leave(struct em *e, LLVMValueRef waves, LLVMValueRef left, u32 insns)
{
	LLVMValueRef n = LLVMBuildSub(e->b, waves, left, "");

	LLVMBuildStore(e->b, n, em_frame(e, offsetof(struct jit_frame, waves)));
	LLVMBuildStore(e->b, LLVMBuildMul(e->b, n, em_c64(e, insns), ""),
		       em_frame(e, offsetof(struct jit_frame, insns)));
	LLVMBuildRet(e->b, em_c32(e, ISA_STOP_NONE));
}

/* Does @x name SGPR @code as a source? Of pairs that is the first one. */
static bool reads(const struct jit_insn *x, u32 code)
{
	u32 n;

	for (n = 0; n < ARRAY_SIZE(x->i.src); n++)
		if (x->i.src[n] == code)
			return true;
	return false;
}

static bool writes(const struct jit_insn *x, u32 code)
{
	const u32 dst = x->i.dst;

	if (x->kind == JIT_KIND_S_LOAD)
		return code >= dst && code < dst + x->op->how;
	return x->kind == JIT_KIND_SALU && code == dst;
}

/* Does a load fill SGPR @code before anything reads it, alone or in a pair? */
static bool is_loaded_first(const struct jit_insn *const *seq, u32 n, u32 code)
{
	u32 k;

	for (k = 0; k < n; k++) {
		const struct jit_insn *x = seq[k];

		if (reads(x, code) || (code && reads(x, code - 1)))
			return false;
		/* Some read what they write. */
		if (x->kind == JIT_KIND_SALU && (x->i.dst == code || x->i.dst + 1u == code))
			return false;
		if (seq[k]->kind == JIT_KIND_S_LOAD && writes(seq[k], code))
			return true;
	}
	return false;
}

/*
 * The number of the group is behind all other SGPRs that a kernel without scratch asks for
 * (LLVM, AMDGPUUsage, "Initial Kernel Execution State"): the last one that is read before it is
 * written, if it is read at all. The caller knows it, and this is a guess.
 */
static u32 guess_id(const struct jit_insn *const *seq, u32 n)
{
	u32 code, k;

	for (code = ISA_SRC_VCC_LO; code--;)
		for (k = 0; k < n && !writes(seq[k], code); k++)
			if (reads(seq[k], code))
				return code;
	return 0;
}

static void emit_waves(struct em *e, LLVMValueRef waves)
{
	LLVMBasicBlockRef pre, head = em_block(e), up = em_block(e), end = em_block(e), from;
	const struct jit_insn *seq[MAX_WIDE_BLOCK];
	LLVMValueRef saved[MAX_SAVED];
	LLVMValueRef left, item, group, items, id, v, wraps, ours;
	LLVMBasicBlockRef go = em_block(e), not = em_block(e);
	struct wide *w;
	u32 n, k;

	w = em_wide_new(e, e->u->insn, seq, &n);
	if (!w)
		return;
	k = guess_id(seq, n);
	ours = LLVMBuildICmp(e->b, LLVMIntEQ, frame_get(e, offsetof(struct jit_frame, id)),
			     em_c64(e, k), "");
	LLVMBuildCondBr(e->b, ours, go, not);
	em_go(e, not);
	leave(e, waves, waves, 0);
	em_go(e, go);
	id = em_at(e, e->i32, e->w, k);
	items = frame_get(e, offsetof(struct jit_frame, items));
	item = frame_get(e, offsetof(struct jit_frame, item));
	group = LLVMBuildLoad2(e->b, e->i32, id, "");
	em_save_sgprs(e, seq[0], seq[n - 1]);
	memcpy(saved, w->saved, sizeof(saved));
	pre = LLVMGetInsertBlock(e->b);
	LLVMBuildBr(e->b, head);

	em_go(e, head);
	left = phi_of(e, waves, pre);
	item = phi_of(e, item, pre);
	group = phi_of(e, group, pre);
	w->up = up;
	em_pages_begin(e, pre, head);
	begin_wave(e, item);
	em_seq(e, seq, n - 1);
	em_drop(e);

	/* What the next wave finds as it was */
	for (k = 0; k < MAX_SAVED; k++)
		if (w->saved[k] && is_loaded_first(seq, n, k))
			w->saved[k] = NULL;
	em_restore_sgprs(e);
	from = LLVMGetInsertBlock(e->b);
	v = LLVMBuildAdd(e->b, item, em_c64(e, ISA_LANES), "");
	wraps = LLVMBuildICmp(e->b, LLVMIntUGE, v, items, "");
	v = LLVMBuildSelect(e->b, wraps, em_c64(e, 0), v, "");
	LLVMAddIncoming(item, &v, &from, 1);
	v = LLVMBuildAdd(e->b, group, LLVMBuildZExt(e->b, wraps, e->i32, ""), "");
	LLVMAddIncoming(group, &v, &from, 1);
	LLVMBuildStore(e->b, v, id);
	v = LLVMBuildSub(e->b, left, em_c64(e, 1), "");
	LLVMAddIncoming(left, &v, &from, 1);
	em_pages_end(e, from);
	LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, v, em_c64(e, 0), ""), end, head);

	em_go(e, up);
	memcpy(w->saved, saved, sizeof(saved));
	em_restore_sgprs(e);
	LLVMBuildStore(e->b, group, id);
	leave(e, waves, left, e->done + 1);
	em_go(e, end);
	leave(e, waves, em_c64(e, 0), e->done + 1);
	e->done = 0;
	em_wide_end(e, w);
}

void em_stream(struct em *e)
{
	LLVMBasicBlockRef stream = em_block(e), not = em_block(e);
	LLVMValueRef waves = frame_get(e, offsetof(struct jit_frame, waves));

	LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, waves, em_c64(e, 0), ""), not,
			stream);
	em_go(e, stream);
	if (em_is_wide(e, e->u->insn))
		emit_waves(e, waves);
	else
		leave(e, waves, waves, 0);
	em_go(e, not);
}
