/* SPDX-License-Identifier: MIT */
/*
 * vkfd-engine runs the waves of one GPU address space in user mode. The module starts it
 * (uapi/vkfd/engine.h says how they talk); nobody else can.
 *
 *	main.c		start: greet, map, lock up, run
 *	space.c		GPU addresses as addresses of this process
 *	run.c		a thread: asks for waves, runs them, says how that went
 *	group.c		work-groups that begin here
 *	jail.c		seccomp
 *	compile.c	the JIT, if it is wanted and there is a compiler
 */
#ifndef ENGINE_H
#define ENGINE_H

#include <setjmp.h>
#include <stddef.h>
#include <vkfd/engine.h>

#include "barrier.h"
#include "carry.h"
#include "grid.h"

#define PAGE		4096ull
#define WINDOWS		512u	/* pages of a thread's windows */
#define KNOWN		4096u	/* pages that a thread remembers */

/**
 * struct thread - runs waves
 * @number: the module knows it by that
 * @section: shared with the module
 * @counts: how often each of the module's @nops operations ran, for it to read; @sum: while it is
 *	added up
 * @barriers: of the work-group that is in the section
 * @turn: the group's waves in the order of their turns (ISA_FIRST_TURN), for compiled code
 * @sent: which waves go back
 * @streams: groups of this grid may be handed to compiled code, wave after wave
 * @gen,@code_seq,@code_epoch: what its caches are valid for
 * @window: where pages are shown whose own addresses this process cannot use; @windows: in use;
 *	@window_va: their addresses; @no_window: one was needed, and none was left
 * @known: addresses of pages, and in their lower bits what the module has said of them
 * @running: a wave is being run, which ends at @torn if a page of its goes for good
 * @torn_va,@torn_access: that page
 * @jit: runs waves with hot code compiled, or NULL
 */
struct thread {
	unsigned int number;
	struct vkfd_engine_section *section;
	u64 *counts, *sum;
	unsigned int nops;
	struct isa_cu *cu;
	struct isa_wave *wave[VKFD_ENGINE_WAVES], *turn[VKFD_ENGINE_WAVES];
	struct isa_wg wg;
	struct isa_barriers barriers;
	u8 sent[VKFD_ENGINE_WAVES];
	bool streams;
	u64 gen, code_seq;
	u32 code_epoch;
	u8 *window;
	unsigned int windows;
	u64 window_va[WINDOWS];
	bool no_window;
	u64 *known;
	volatile bool running;
	sigjmp_buf torn;
	u64 torn_va;
	u32 torn_access;
	struct jit *jit;
};

extern __thread struct thread *self;

/* Ends the process. The module tells the client that its GPU has lost its work. */
void die(const char *what) __attribute__((noreturn));

/* space.c: maps what can be mapped. Afterwards nothing else may be mapped. */
void space_map(void);
/* An address for @bytes of this process's own, which is a hint to mmap(). Not for threads. */
void *space_room(size_t bytes);
void space_catch_faults(void);
/* isa_cu.lookup() */
bool space_lookup(struct isa_cu *cu, u64 va, u32 access, struct isa_page *page);
/* Between waves: windows may be used anew. */
void space_forget(struct thread *t);

/* run.c */
void thread_init(struct thread *t, unsigned int number, const struct vkfd_engine_hello *h);
/* It waits at the gate before it asks for work. */
void *thread_main(void *t);
void gate_wait(unsigned int threads);
void gate_close(void);
void gate_open(void);

/* group.c: once what came is here: how it goes on when it has ended */
void groups_arrive(struct thread *t);
/*
 * All waves that were here have ended: begins the next group; false: there is none, or no time.
 * Groups of which nothing but the end has to be seen are run at once. *@torn: that of a wave in
 * such a group, which has stopped as @ex says.
 */
bool groups_next(struct thread *t, struct isa_exit *ex, bool *torn);
/* run.c: calls @run, unless that loses a page in the middle of an instruction: false */
bool run_untorn(struct thread *t, void (*run)(struct thread *t, void *arg), void *arg,
		struct isa_exit *ex);

/* Zeroed memory, before the process is locked up */
void *take(size_t bytes);

/*
 * compile.c: finds out where compiled code is kept, still as root; starts the compiler, before threads
 * are there; gives a thread its JIT
 */
void compile_find_room(const struct vkfd_engine_hello *h);
void compile_start(const struct vkfd_engine_hello *h);
void compile_init(struct thread *t);

/* jail.c: from now on, for all threads, only what they need to run waves */
void jail(void);

#endif /* ENGINE_H */
