/* SPDX-License-Identifier: MIT */
/*
 * Inside what emits blocks by whole rows: jit_wide.c has the blocks, jit_wide_loop.c loops of
 * one, jit_rows.c which rows a block uses for what, jit_shape.c what is known of rows,
 * addresses and memory, jit_pages.c where that is, jit_affine.c arithmetic that leads to addresses.
 */
#ifndef JIT_WIDE_H
#define JIT_WIDE_H

#include "jit_emit.h"

#define MAX_WIDE_BLOCK	96u	/* instructions */
#define MAX_SAVED	256u	/* dwords of the operand file that SGPRs are */
#define MAX_PAGES	8u	/* that are remembered */

/* A block that is often given up is left alone for a while: its count, in struct isa_slot.taken */
#define GIVEN_UP	8u	/* what that adds */
#define TOO_OFTEN	64u
#define A_WHILE		1024u	/* a power of two */

enum part { PART_NONE, PART_LOW, PART_HIGH };

/**
 * struct shape - what is known of a row
 * @base,@stride: of the 64-bit address whose @part it is, in lane 0, and from lane to lane; its
 *	upper half is the same in all lanes, and @alone if it is no row but zero
 * @same: all lanes' value, or NULL
 */
struct shape {
	LLVMValueRef base, stride, same;
	enum part part;
	bool alone;
};

/* An addition of a low part that waits for the high one's */
struct waiting {
	const struct jit_insn *with;	/* that one; NULL: there is none */
	struct shape from;
	struct scalars scalars;
	LLVMValueRef low;
};

/*
 * The page of an access: its address, where it is, and below which offset one may begin; at the head
 * of a turn and at its end
 */
struct page {
	LLVMValueRef va, host, limit, va_end, host_end, limit_end;
};

/**
 * struct wide - of a block that is being emitted
 * @at: what is known of rows; @lazy: it is all that there is, and is to be stored
 * @reads,@writes: rows that the block reads before it writes them, and that it writes
 * @wanted: additions whose sums are addresses
 * @affine: other instructions whose results lead to one
 * @up: where it is given up
 * @bad: whether it is to be given up at its end
 * @stored: it can't be any more
 * @trace: it is several, all lanes of which go the same way
 * @head: where a turn begins, of what is done more than once; @pre: what leads there at first
 */
struct wide {
	struct shape at[JIT_MAX_ROWS];
	bool lazy[JIT_MAX_ROWS], reads[JIT_MAX_ROWS], writes[JIT_MAX_ROWS];
	bool wanted[JIT_MAX_INSNS], affine[JIT_MAX_INSNS];
	bool address[JIT_MAX_ROWS];	/* at the head, low parts */
	bool alone[JIT_MAX_ROWS];	/* at the head, what leads to addresses without a high part */
	bool base_only[JIT_MAX_ROWS];	/* added to addresses */
	struct waiting waiting;
	LLVMBasicBlockRef up;
	LLVMValueRef bad, scratch[2], saved[MAX_SAVED], scc;
	LLVMTypeRef lanes;
	bool loop, trace, stored;
	LLVMBasicBlockRef pre, head;
	struct page page[MAX_PAGES];
	u32 npages;
};

/* jit_wide.c */
const struct jit_insn *em_after(struct em *e, const struct jit_insn *x);
bool em_is_vector(const struct jit_insn *x);
bool em_is_memory(const struct jit_insn *x);
bool em_ends_block(const struct jit_insn *x);
bool em_is_guard(const struct jit_insn *x);
void em_give_up_if(struct em *e, LLVMValueRef c);
void em_settle(struct em *e);
LLVMValueRef em_record(struct em *e, const struct jit_insn *x);
void em_record_add(struct em *e, const struct jit_insn *x, u32 more);
void em_save_sgprs(struct em *e, const struct jit_insn *x, const struct jit_insn *last);
void em_restore_sgprs(struct em *e);
/*
 * What scalar code reads and writes from here on is a copy of the wave, until it is put back. LLVM makes
 * registers of it, which it can't of the wave: others are called that might look at it.
 */
void em_copy_scalars(struct em *e);
void em_put_scalars(struct em *e);
struct pending *em_mask_new(struct em *e, const struct jit_insn *x);
void em_seq(struct em *e, const struct jit_insn *const *seq, u32 n);
void em_commit(struct em *e);
void em_give_up_later(struct em *e, LLVMValueRef c);

/* What is known of the block at @x, whose instructions go to @seq; NULL: no memory */
struct wide *em_wide_new(struct em *e, struct jit_insn *x, const struct jit_insn **seq, u32 *n);
void em_wide_end(struct em *e, struct wide *w);
void em_drop(struct em *e);

/* jit_shape.c */
u32 em_row_of(struct em *e, u32 code);
void em_spread(struct em *e, u32 row);
void em_put_shape(struct em *e, u32 row, const struct shape *s);
bool em_is_shaped(const struct shape *s);
LLVMValueRef em_shape_vector(struct em *e, const struct shape *s, u32 k);
void em_hold(struct em *e, u32 row, u32 k, LLVMValueRef v, bool dirty);
struct shape em_address_of(struct em *e, u32 low, bool is_pair);
LLVMValueRef em_pair_of(struct em *e, LLVMValueRef low, LLVMValueRef high);
LLVMValueRef em_first_lane(struct em *e, LLVMValueRef v);
LLVMValueRef em_to_lanes(struct em *e, LLVMValueRef v);
bool em_add_low(struct em *e, const struct jit_insn *x, const struct scalars *s);
bool em_add_high(struct em *e, const struct jit_insn *x, const struct jit_insn *lowx,
		 const struct scalars *s);
void em_wide_load(struct em *e, const struct jit_insn *x);
void em_wide_store(struct em *e, const struct jit_insn *x);

LLVMValueRef em_same_of(struct em *e, const struct jit_insn *x, const struct scalars *s, u32 n);
void em_check_high(struct em *e, const struct shape *s);

/*
 * jit_pages.c: where @span bytes at @va are, @most at most; or NULL. Within turns that begin at @head
 * and end at @from the page is remembered.
 */
LLVMValueRef em_look_up(struct em *e, LLVMValueRef va, LLVMValueRef span, u32 most, u32 access);
void em_pages_begin(struct em *e, LLVMBasicBlockRef pre, LLVMBasicBlockRef head);
void em_pages_end(struct em *e, LLVMBasicBlockRef from);

/* jit_affine.c: is @x one of its operations? Its result as a shape, if that can be told */
bool em_is_affine(const struct jit_insn *x);
bool em_affine(struct em *e, const struct jit_insn *x, const struct scalars *s);
/* Whether the comparison @x, for a guard of a trace, holds for numbers in all lanes */
bool em_affine_guard(struct em *e, const struct jit_insn *x, const struct scalars *s);

/* jit_rows.c */
int em_address_source(struct em *e, const struct jit_insn *x, const struct jit_insn **high);
bool em_is_add(const struct jit_insn *x, bool cin);
void em_find_rows(struct em *e, const struct jit_insn *x, const struct jit_insn *last);
void em_find_wanted(struct em *e, const struct jit_insn *const *seq, u32 n);
void em_find_added(struct em *e, const struct jit_insn *const *seq, u32 n);

/* jit_wide_loop.c: is a block a loop that it can do? The loop */
bool em_is_turn(const struct jit_insn *x, const struct jit_insn *const *seq, u32 n);
void em_wide_loop(struct em *e, struct jit_insn *x, const struct jit_insn *const *seq, u32 n,
		  LLVMBasicBlockRef plain);

#endif /* JIT_WIDE_H */
