/* SPDX-License-Identifier: MIT */
/*
 * A compiler in another process, vkfd-jit, which has LLVM; who runs waves has not.
 *
 * The two share memory. It begins with a ring of requests; code lies behind them. Who asks maps
 * code to be read and run, the compiler maps it to be written: nobody does both.
 */
#ifndef JIT_REMOTE_H
#define JIT_REMOTE_H

#include "jit_unit.h"

#define JIT_REQUESTS	32u
#define JIT_CODE_BYTES	(64ul << 20)

enum jit_request_state {
	JIT_REQUEST_FREE,
	JIT_REQUEST_TAKEN,	/* somebody fills it in */
	JIT_REQUEST_MADE,	/* the compiler's */
	JIT_REQUEST_DONE,	/* @at is the code's */
	JIT_REQUEST_FAILED,
};

/**
 * struct jit_request - a unit to be compiled
 * @at: where in the code it begins; @ns: processor time that it has taken, 0: it was there
 * @key: without its pointers, and counted from 0, as the instructions are
 * @insn: without handlers
 */
struct jit_request {
	u32 state;
	u32 ninsns;
	u64 at, ns;
	struct jit_key key;
	struct jit_insn insn[JIT_MAX_INSNS];
};

/**
 * struct jit_shared - what the two share
 * @abi: jit_abi() of who made it
 * @made: futex: grows with each request
 */
struct jit_shared {
	u64 abi;
	u32 made, pad;
	char lane[16];
	struct jit_request req[JIT_REQUESTS];
};

#define JIT_SHARED_BYTES	((sizeof(struct jit_shared) + 4095) & -4096ul)

/* Two programs that give the same answer agree about all of the above. */
static inline u64 jit_abi(void)
{
	return (u64)sizeof(struct jit_shared) << 32 | (u64)ISA_OP_COUNT << 16 |
	       (u64)sizeof(struct isa_wave) << 3 | 4;
}

struct jit_remote;

/**
 * jit_remote_start() - start the compiler
 * @program: vkfd-jit
 * @lane: SIMD variant
 * @dir: a directory where it keeps what it compiles, or -1
 * @room: optional: where to map so many bytes here, if that is free
 *
 * Return: NULL if that cannot be; the process has no new child then.
 */
struct jit_remote *jit_remote_start(const char *program, const char *lane, int dir,
				    void *(*room)(size_t bytes));

/**
 * jit_remote_create() - a JIT for a thread that runs waves
 * @mem,@bytes: for its units, zeroed
 *
 * Afterwards it makes no call of the system but futex().
 */
struct jit *jit_remote_create(struct jit_remote *r, const struct jit_options *o, void *mem,
			      size_t bytes);

#endif /* JIT_REMOTE_H */
