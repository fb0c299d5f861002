/* SPDX-License-Identifier: MIT */
/* Inside the emitter: jit_emit.c has what a unit is, jit_vector.c its vector runs. */
#ifndef JIT_EMIT_H
#define JIT_EMIT_H

#include <llvm-c/Core.h>

#include "jit_unit.h"

#define MAX_STEPS	8u
#define MAX_WIDE	2u	/* vectors of a run that are emitted at once */
#define MAX_RUN		JIT_MAX_INSNS
#define MAX_PENDING	16u
#define MAX_LOADS	8u	/* dwords, at the head of a run */

/* A lane mask that a run makes, by the SGPR where it goes: of the vectors, and of all lanes */
struct pending {
	u32 code;
	LLVMValueRef vm[MAX_STEPS], sum;
};

/* Scalar sources of a run's instruction, the same for all lanes */
struct scalars {
	LLVMValueRef v[3][2], cin;
};

struct wide;

struct em {
	struct jit_unit *u;
	LLVMContextRef c;
	LLVMModuleRef m;
	LLVMBuilderRef b;
	LLVMTypeRef i32, i64, ptr, vi, vm;
	LLVMValueRef fn, w, f, wave;	/* wave: a constant one that has the mode */
	LLVMValueRef sw;		/* whose SGPRs and SCC count: @w, or a copy (jit_wide_loop.c) */
	LLVMValueRef rows, on, count, why;
	/* The vectors that are being emitted */
	struct held {
		LLVMValueRef k;			/* which of the wave's */
		LLVMValueRef cur[JIT_MAX_ROWS];	/* its VGPRs */
		bool dirty[JIT_MAX_ROWS];	/* to be stored */
		u16 row[JIT_MAX_ROWS];		/* which there are */
		u32 n;
	} held[MAX_STEPS];
	struct wide *wide;		/* jit_wide.c's, while it emits */
	LLVMBasicBlockRef exit, bb[JIT_MAX_INSNS];
	LLVMBasicBlockRef turn;		/* jit_turns.c's: a wave has had its turn; NULL: there are none */
	bool full_in[JIT_MAX_INSNS];
	bool needs_on[JIT_MAX_INSNS];	/* EXEC as vectors is read before EXEC is written */
	bool full, stale;		/* now; those vectors are not EXEC's */
	u32 steps, done;
	struct pending pending[MAX_PENDING];
	u32 npending;
	/* Of the run that is being emitted: where the dwords of its loads and its store are */
	LLVMValueRef load[MAX_LOADS], store;
	bool bad;
};

/* A call of one of prims.c's functions */
LLVMValueRef em_call(struct em *e, const char *name, LLVMValueRef *args, u32 n);

#define CALL(e, name, ...)							\
	em_call(e, name, (LLVMValueRef []){ __VA_ARGS__ },			\
		sizeof((LLVMValueRef []){ __VA_ARGS__ }) / sizeof(LLVMValueRef))

LLVMValueRef em_c32(struct em *e, u32 v);
LLVMValueRef em_c64(struct em *e, u64 v);
/* Element @n of an array */
LLVMValueRef em_at(struct em *e, LLVMTypeRef type, LLVMValueRef p, u32 n);
/* An instruction as a constant that LLVM can look into */
LLVMValueRef em_insn(struct em *e, const struct jit_insn *x);
bool em_is_vgpr(u32 code);
/* A VGPR of vector @h */
LLVMValueRef em_row_get(struct em *e, struct held *h, u32 row);
/* of the lanes that are on */
void em_row_put(struct em *e, struct held *h, u32 row, LLVMValueRef v);
void em_rows_store(struct em *e, struct held *h);
LLVMValueRef em_on(struct em *e, LLVMValueRef k);

/* An instruction of the wave by its handler, @behind others that are done but not counted yet */
void em_handler(struct em *e, const struct jit_insn *x, u32 behind);

LLVMBasicBlockRef em_block(struct em *e);
void em_go(struct em *e, LLVMBasicBlockRef to);
/* A member of struct jit_frame, by its offset */
LLVMValueRef em_frame(struct em *e, size_t at);
void em_add_count(struct em *e, u32 more);
/* To @pc, or out of the unit if that is no part of it, @more instructions on */
void em_jump(struct em *e, u64 pc, u32 more);
/* The wave leaves and goes on at @pc. */
void em_leave(struct em *e, u64 pc, LLVMValueRef why, u32 more);
/* Branches, ends and barriers, which end a block */
void em_branch(struct em *e, struct jit_insn *x);
void em_end(struct em *e, struct jit_insn *x);
bool em_writes_exec(const struct jit_insn *x);
bool em_is_loop(struct em *e, const struct jit_insn *x);

/* jit_wide.c: marks where blocks have to end for it; before blocks are made */
void em_wide_cut(struct em *e);
/* The block at @x once more, whole rows at a time; what it can't do is done at @plain */
void em_wide(struct em *e, struct jit_insn *x, LLVMBasicBlockRef plain);
bool em_is_wide(struct em *e, struct jit_insn *x);
/* jit_stream.c: waves one after another, if the frame asks for that */
void em_stream(struct em *e);
/* jit_turns.c: if there is a barrier: a loop over waves begins, in which @e->w is one */
void em_turns(struct em *e);
/* The wave waits at @x or, if that is no barrier, has ended; its instructions are in the frame. */
void em_turn_over(struct em *e, const struct jit_insn *x);
LLVMValueRef em_wide_get(struct em *e, struct held *h, u32 row);
void em_wide_forget(struct em *e, u32 row);

/* jit_memory.c: loads, which begin a run; how many there are at the head of @run */
u32 em_loads(struct jit_insn **run, u32 len);
/* May @x, a load, follow the loads @run? */
bool em_load_fits(struct em *e, struct jit_insn **run, u32 len, const struct jit_insn *x);
void em_loads_begin(struct em *e, struct jit_insn **run, u32 n);
void em_load_step(struct em *e, const struct jit_insn *x, u32 n, struct held *h);
/* A store under partial EXEC is its handler's, unless it is one to the LDS. */
bool em_can_store(struct em *e, const struct jit_insn *x);
/* A store, which ends a run that has no loads */
bool em_store_fits(struct em *e, struct jit_insn **run, u32 len, const struct jit_insn *x);
void em_store_begin(struct em *e, const struct jit_insn *x);
void em_store_step(struct em *e, const struct jit_insn *x, struct held *h);
/* What is not plain is the handler's, when all else of the run is done. */
void em_store_end(struct em *e, const struct jit_insn *x, u32 behind);
void em_s_load(struct em *e, const struct jit_insn *x);
/* A vector of a row in the wave's memory */
LLVMValueRef em_row_at(struct em *e, u32 row);

bool em_has_saddr(const struct jit_insn *x);
/* It may be anywhere, and is accessed each time anew, as others may write it. */
LLVMValueRef em_shared(LLVMValueRef access);

/* jit_vector.c: lane masks, where they are kept, and what makes them */
struct pending *em_pending_at(struct em *e, u32 code);
u32 em_mask_code(u32 code);
u32 em_cin_code(const struct jit_insn *x);
bool em_makes_mask(const struct jit_insn *x);
/* The mask whose vectors are @vm */
LLVMValueRef em_all_places(struct em *e, LLVMValueRef *vm);
void em_scalars_get(struct em *e, const struct jit_insn *x, struct scalars *s);
LLVMValueRef em_source(struct em *e, const struct jit_insn *x, const struct scalars *s, u32 n,
		       u32 part, struct held *h);
/* @x in vector @h; @scratch: room for two and for six vectors */
void em_step(struct em *e, const struct jit_insn *x, const struct scalars *s, struct held *h,
	     LLVMValueRef scratch[2]);
/* vector instructions from @first on; their number, they in @run */
u32 em_run_length(struct em *e, struct jit_insn **run, struct jit_insn *first);
void em_run(struct em *e, struct jit_insn **run, u32 len);

#endif /* JIT_EMIT_H */
