/* SPDX-License-Identifier: MIT */
/*
 * A unit: the instructions that one piece of compiled code does, from one entry on
 * along all branches, until something that the interpreter has to do.
 */
#ifndef JIT_UNIT_H
#define JIT_UNIT_H

#include "jit.h"
#include "isa_int.h"
#include "tables.h"

#define JIT_MAX_INSNS	256u
#define JIT_PAD_INSNS	32u
#define JIT_MAX_ROWS	ISA_MAX_ROWS

enum jit_kind {
	JIT_KIND_NONE,		/* the interpreter's: a unit ends before it */
	JIT_KIND_CALL,		/* its handler is called */
	JIT_KIND_SALU, JIT_KIND_BRANCH, JIT_KIND_WAIT,
	JIT_KIND_END, JIT_KIND_BARRIER,
	/* vectors, chunk by chunk */
	JIT_KIND_VEC, JIT_KIND_CMP, JIT_KIND_WIDE, JIT_KIND_CNDMASK, JIT_KIND_CARRY,
	JIT_KIND_MAD64, JIT_KIND_PAIR,
	JIT_KIND_LOAD, JIT_KIND_STORE,	/* op->how dwords, global or flat */
	JIT_KIND_S_LOAD,	/* op->how dwords */
};

/* What isa_jit.h says of an operation */
struct jit_op {
	u8 kind, nsrc, floats, wide, how;
	bool acc, f64, flush, branch, cin;
	const char *name, *source;
};

/**
 * struct jit_insn - an instruction of a unit
 * @slot,@i: bound as the interpreter binds it, waits behind it folded in
 * @crosses: the next one is in another line of the decode cache, which the
 *	interpreter counts as an instruction
 */
struct jit_insn {
	union {
		struct isa_slot slot;
		struct isa_insn i;	/* of the slot, which it begins */
	};
	u64 pc;
	const struct jit_op *op;
	u8 kind;
	bool leader, crosses;
};

/**
 * struct jit_key - what compiled code is good for
 * @pc: where it begins
 * @mode: of the wave; others have code of their own
 * @full: EXEC is all ones at the entry
 * @max: instructions at most; of no interest to a compiler
 */
struct jit_key {
	u64 pc;
	u32 mode, rows, acc_row;
	u32 full, max, pad;
	const struct isa_lane_ops *lane;
	const struct isa_target *target;
};

/* Shared between compiled code and jit.c */
struct jit_frame {
	u64 budget;		/* instructions at most, in; done, out */
	u64 insns;
	u64 pc;			/* of the entry */
	const struct jit_insn *insn;	/* of the unit */
	const struct jit_insn *at;	/* whose handler stopped the wave */
	u64 calls;
	/*
	 * Of a stream (jit_unit_is_stream()): how many waves to run; out: how many have ended. 0: one
	 * wave, from where it is. @item: the next wave's first work-item, of
	 * @items in a group; @id: SGPR that has the number of its group
	 */
	u64 waves;
	u64 item, items, id;
	/*
	 * Of a unit with barriers: the waves @wave, @turns of them, begin it one after another, each
	 * when the one before it has come to a barrier, or has ended: then it has had its @turn, and
	 * @ended has a bit for it. None begins whose @budget would bring @insns above @left. @begun:
	 * @insns when the last one began. @again: they are all of their group, so when all have come
	 * to the barrier they may go on: @rounds of turns are behind them besides
	 */
	struct isa_wave *const *wave;
	u64 turns, turn, ended, begun, left, again, rounds;
	u8 *(*translate)(struct isa_cu *cu, u64 va, u32 access);	/* tells the TLB */
	u8 on[256] __aligned(64);	/* compiled code's: EXEC as vectors */
};

/* What compiled code returns if all waves that have begun have had their turn */
#define JIT_TURNS	0x200u

typedef u32 (*jit_code)(struct isa_wave *w, struct jit_frame *f);

struct jit_unit {
	struct jit_unit *next;
	struct jit_unit *behind;	/* what was asked for after it, the last time */
	struct jit_key key;
	u32 count;		/* how often a wave came here */
	u64 interpreted;	/* instructions of waves that began here */
	u64 wanted;		/* of these, before it is compiled; at least, until it is formed */
	u32 state;		/* enum jit_state; atomic */
	u64 epoch;		/* of the decode cache when the words were compared */
	struct jit_insn *insn;	/* with JIT_PAD_INSNS before them */
	u32 ninsns;
	u32 *word;		/* of all instructions, in their order */
	u32 nwords;
	u32 request;		/* jit_remote.c's */
	u32 rest;		/* it is left alone as a stream so many times */
	bool stream;		/* jit_unit_is_stream() */
	jit_code code;
	u64 compile_ns;
};

enum jit_state { JIT_COLD, JIT_QUEUED, JIT_READY, JIT_FAILED };

/*
 * jit_unit.c: finds the instructions, at most key.max; false: nothing here to compile. @repeatable:
 * only such as can be run twice, as they change nothing but the wave and its LDS
 */
bool jit_unit_form(struct jit_unit *u, struct isa_wave *w, struct jit_insn *insn, bool repeatable);
/*
 * A kernel that is one block, or several if all lanes go on at its guards, with EXEC full, which
 * does the same in any wave but for the number of its group, and of its work-items: compiled code
 * can run one after another (jit_stream.c).
 */
bool jit_unit_is_stream(const struct jit_unit *u);
u32 jit_unit_words(const struct jit_unit *u);
/* Reads the words of the instructions to u->word. */
bool jit_unit_keep(struct jit_unit *u, struct isa_wave *w);
/* Are the words in memory still those? */
bool jit_unit_same(const struct jit_unit *u, struct isa_wave *w);
struct jit_insn *jit_unit_at(struct jit_unit *u, u64 pc);
u64 jit_next_pc(const struct jit_insn *x);
u64 jit_target_pc(const struct jit_insn *x);
/* What an operation is, of an instruction whose i.op is in range */
const struct jit_op *jit_op_of(const struct isa_insn *i);
/* Row of a vector register operand */
u32 jit_row(const struct jit_key *k, u32 code);
/* Reads @n words at @pc as code; false: they are not resident. */
bool jit_fetch(struct isa_wave *w, u64 pc, u32 *dw, u32 n);

/* jit_llvm.c */
struct jit_llvm;
/**
 * struct jit_blob - machine code
 * @code: to be freed; it may lie anywhere at multiples of 64
 * @entry: where in it jit_code begins
 * @ns: processor time that it has taken
 */
struct jit_blob {
	u8 *code;
	size_t bytes;
	u64 entry, ns;
};

/* @verify: look whether the IR is well-formed */
struct jit_llvm *jit_llvm_create(const char *lane, bool verify);
void jit_llvm_destroy(struct jit_llvm *l);
bool jit_llvm_compile(struct jit_llvm *l, struct jit_unit *u, struct jit_blob *b);

/* jit_emit.c */
struct LLVMOpaqueModule;
bool jit_emit(struct jit_unit *u, struct LLVMOpaqueModule *m, const char *name, u32 steps);

#endif /* JIT_UNIT_H */
