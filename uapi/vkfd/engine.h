/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note OR MIT */
/*
 * Between vkfd and the program vkfd-engine, which runs waves in user mode. The two are built from
 * one tree and fit only each other: nothing here is promised to anybody else.
 *
 * The module starts the program with one file as its descriptor 0. Offsets in that file are GPU
 * addresses. From VKFD_ENGINE_SECTIONS on, it has a section for each of the program's threads.
 * A thread asks by RUN for waves to run, which are in its section then, runs them until one has
 * stopped or they have had their budget, and says by the next RUN how that went. If it gets no
 * waves, it has been idle, or is about to be: it writes down how often each opcode ran until now,
 * and asks again.
 *
 * Behind the group whose waves are in the section there may be others of its grid, which have not
 * begun. The thread begins the next one when all waves of the one before have ended. Those that it
 * has not begun when it comes back are anybody's again.
 */
#ifndef VKFD_ENGINE_H
#define VKFD_ENGINE_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define VKFD_ENGINE_VERSION	8
#define VKFD_ENGINE_FD		0
#define VKFD_ENGINE_SECTIONS	(1ull << 60)
#define VKFD_ENGINE_WAVES	32
#define VKFD_ENGINE_BARRIERS	2

enum vkfd_engine_jit {
	VKFD_ENGINE_JIT_OFF,
	VKFD_ENGINE_JIT_ON,
	VKFD_ENGINE_JIT_CHECK,	/* and look whether the interpreter does the same */
	VKFD_ENGINE_JIT_ALWAYS,	/* whether it is worth the compiler's time or not */
};

/**
 * struct vkfd_engine_hello - the first thing that the program says
 * @version: in: VKFD_ENGINE_VERSION, else EINVAL
 * @threads: out: how many are wanted
 * @gfx: out: major, minor and step of the GPU
 * @uid,@gid: out: who to become before any other call, with no capability left
 * @confine: out: this kernel has seccomp's filters, and the program is to use them
 * @section_bytes: out: of a thread
 * @ops: out: number of operations; the program has the same, and more behind them
 * @counts_at: out: where in a section a thread writes down how often each operation ran: @ops u64,
 *	of all its life
 * @lanes: out: name of the SIMD variant
 * @jit: out: enum vkfd_engine_jit: compile code that is run often, if the program can
 */
struct vkfd_engine_hello {
	__u32 version;
	__u32 threads;
	__u32 gfx[3];
	__u32 uid, gid;
	__u32 confine;
	__u64 section_bytes;
	__u32 ops, counts_at;
	char lanes[16];
	__u32 jit, pad;
};

/**
 * struct vkfd_engine_touch - make a page resident
 * @va: any address in it
 * @access: in: 1 read, 2 write, 4 execute; out: what is allowed. With VKFD_ENGINE_TOUCH_WAIT, who
 *	has nothing else to do waits a few milliseconds for a page that is to come
 * @thread: has waves to run
 *
 * EAGAIN: not now; EFAULT: not at all.
 */
#define VKFD_ENGINE_TOUCH_WAIT	0x100u

struct vkfd_engine_touch {
	__u64 va;
	__u32 access;
	__u32 thread;
};

/* How waves have come back. */
enum vkfd_engine_how {
	VKFD_ENGINE_BUDGET,	/* they have had their budget */
	VKFD_ENGINE_STUCK,	/* all of them wait for others */
	VKFD_ENGINE_DONE,	/* all of them have ended */
	VKFD_ENGINE_STOP,	/* wave @next has stopped */
	VKFD_ENGINE_DIFFERS,	/* compiled code is wrong, see @op */
};

/* What a wave does. */
enum vkfd_engine_state {
	VKFD_ENGINE_RUNS,
	VKFD_ENGINE_BARRIER,
	VKFD_ENGINE_ENDED,
	VKFD_ENGINE_AWAY,	/* halted, or waits for other work-groups */
};

/**
 * struct vkfd_engine_section - work-groups to run, at the start of a thread's section
 * @budget: cheap instructions
 * @lds_at,@lds_bytes: the work-group's LDS, in the section
 * @gen: of the address space: what is known of its pages is void when it changes
 * @code_seq,@code_epoch: the same for decoded code, if one grows or the other changes
 * @nwaves,@next: waves (0: there are none, see above), and the one to begin with; @next comes back
 * @grid_at,@place_at,@cus_at: where a struct isa_grid, a struct isa_group_place and @ncus struct
 *	isa_cu_id are, in the section: how groups begin. Group N of the grid is on CU N modulo @ncus
 * @index: of the group that is here; @fresh: it has not begun, and is the first of those to begin
 * @first,@ahead: so many groups from @first on may be begun behind it
 * @begun: comes back: how many were, with @index if that was @fresh
 * @here: there are waves of a group here; comes back: of the last one that was begun, if any was
 * @rows_at: where the VGPRs of each wave are, in the section
 * @state: of each wave, enum vkfd_engine_state; comes back
 * @barrier: of each wave that waits at one, which; comes back
 * @signals,@complete: of each barrier, as struct isa_barriers has them; come back
 * @how: comes back, as does all behind it
 * @insns,@cost: executed
 * @why,@info,@va,@len,@access: with VKFD_ENGINE_STOP, what struct isa_exit says
 * @op: ILLEGAL: number of the operation plus 1, or 0; DIFFERS: the same of one that has done
 *	something else, compiled, than it does interpreted; @va: where it is
 * @torn: the wave stopped within an instruction, and cannot go on
 * @compiled: of @insns, those that compiled code has executed
 *
 * The waves follow it: VKFD_ENGINE_WAVES times struct isa_carried.
 */
struct vkfd_engine_section {
	__u32 budget, lds_at, lds_bytes, nwaves;
	__u64 gen, code_seq;
	__u32 code_epoch, next;
	__u32 grid_at, place_at, cus_at, ncus;
	__u64 index, first;
	__u32 ahead, fresh, begun, here;
	__u32 rows_at[VKFD_ENGINE_WAVES];
	__u8 state[VKFD_ENGINE_WAVES];
	__u8 barrier[VKFD_ENGINE_WAVES];
	__u32 signals[VKFD_ENGINE_BARRIERS], complete[VKFD_ENGINE_BARRIERS];
	__u32 how, insns, cost, why;
	__u64 va;
	__u32 info, len, access, op;
	__u32 torn, compiled;
};

#define VKFD_ENGINE_HELLO	_IOWR('e', 1, struct vkfd_engine_hello)
#define VKFD_ENGINE_TOUCH	_IOWR('e', 2, struct vkfd_engine_touch)
#define VKFD_ENGINE_RUN		_IOW('e', 3, __u32)	/* number of the thread */

#endif /* VKFD_ENGINE_H */
