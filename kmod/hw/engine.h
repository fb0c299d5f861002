/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The border between hw/ and an engine, which runs waves: calls down (engine_ops), and
 * what an engine calls (the functions below, and hw_queue_running(), hold and leave of
 * queue.h). An engine sees no packet, no state of a queue and nothing of user space's
 * structures; hw/ sees no register of a wave.
 *
 * A work-group's way:
 *
 *	hw/						engine
 *	a grid in hw.grids, its first group to take
 *	engine_admit() ------------------------------>	takes groups from the cursors, under
 *							hw.lock, as long as it likes
 *							inside of the queue: runs the waves
 *	hw_wave_missed(), hw_wave_exception(),	<-----	a wave stops for something that is
 *	hw_wave_interrupt()				hw/'s to judge, and goes on
 *	    engine_trap() --------------------------->	... in its process's trap handler
 *	hw_grid_leave_locked(), hw_grid_left()	<-----	all waves of the group have ended
 *
 * There is no call that runs a wave: an engine has threads of its own, in the kernel or
 * not, and they run what they have admitted whenever hw_queue_running() says so. They
 * look at it often enough that an update or an eviction, which waits for them to leave,
 * takes milliseconds. engine_run() tells them that more queues run than before, and
 * engine_kill() that groups are in vain.
 *
 * The engine's part of a queue embeds hw_compute, and hw.engine_priv is its part of
 * the GPU.
 */
#ifndef HW_ENGINE_H
#define HW_ENGINE_H

#include "hw.h"

struct hw_exception;

/* To engine_admit(): any number of work-groups, or for any of the engine's threads. */
#define HW_GROUPS_MANY	U64_MAX

/**
 * struct engine_ops - who runs waves; no member is NULL
 * @name: for logs
 * @init: start to run waves of @vg, whose members are set but for the queues. It sets
 *	hw.engine_priv. Sleeps. 0; -EOPNOTSUPP: it cannot run this GPU's code on this
 *	machine, another engine may; or another error, and nothing is left behind
 * @fini: returns when no thread of the engine is left. There are no queues. Sleeps
 * @admit: see engine_admit(), and so on for the others
 * @run: see there
 * @kill: see there
 * @trap: see there
 * @save: see there
 * @load: see there
 * @saved: see there
 * @queue_create: see there
 * @queue_destroy: see there
 * @queue_idle_locked: see there
 * @cu_mask_locked: see there
 * @code_changed: see there
 * @busy_cus: see there
 * @show: see there
 */
struct engine_ops {
	const char *name;
	int (*init)(struct hw *vg);
	void (*fini)(struct hw *vg);

	void (*admit)(struct hw *vg, u64 groups);
	void (*run)(struct hw *vg);
	void (*kill)(struct hw *vg);
	bool (*trap)(const struct hw_exception *x, u64 tba, u64 tma);

	int (*save)(struct hw_compute *vq);
	int (*load)(struct hw_compute *vq);
	int (*saved)(struct hw_compute *vq, u32 xcc, struct gpu_wave_state *s, u32 *stack);

	struct hw_compute *(*queue_create)(struct hw *vg);
	void (*queue_destroy)(struct hw_compute *vq);
	bool (*queue_idle_locked)(const struct hw_compute *vq);
	void (*cu_mask_locked)(struct hw_compute *vq);

	void (*code_changed)(struct hw *vg);
	u32 (*busy_cus)(struct hw *vg, const struct gpu_process *p);
	void (*show)(struct hw *vg, struct seq_file *m);
};

/**
 * engine_admit() - there are work-groups to take
 * @vg: the GPU; the grid is in hw.grids
 * @groups: about how many, so that no more threads wake up than find work
 *
 * From a thread that is inside the grid's queue, without hw.lock. Does not sleep.
 */
static inline void engine_admit(struct hw *vg, u64 groups)
{
	vg->engine->admit(vg, groups);
}

/**
 * engine_run() - queues may run that could not
 * @vg: the GPU
 *
 * They have got a slot or come back from an update or an eviction: waves that the engine
 * has of them go on, and their grids have groups to take. Without hw.lock; does not sleep.
 */
static inline void engine_run(struct hw *vg)
{
	vg->engine->run(vg);
}

/**
 * engine_kill() - grids have been aborted
 * @vg: the GPU
 *
 * hw_grid.aborted says which. The engine drops the groups that it has of them, wherever
 * their waves are, and gives each back by hw_grid_leave_locked() with @finished false;
 * soon, but not before this returns. Without hw.lock; does not sleep.
 */
static inline void engine_kill(struct hw *vg)
{
	vg->engine->kill(vg);
}

/**
 * engine_trap() - a wave goes on in its process's trap handler
 * @vg: the GPU
 * @x: what hw_wave_exception() was given
 * @tba: address of the handler
 * @tma: of its memory
 *
 * From hw_wave_exception(), so by a thread of the engine, which holds the wave.
 * Return: false if it cannot: it is in the handler already, or halted.
 */
static inline bool engine_trap(struct hw *vg, const struct hw_exception *x, u64 tba, u64 tma)
{
	return vg->engine->trap(x, tba, tma);
}

/**
 * engine_save() - write a queue's waves to its save area
 * @vq: at rest or evicted: nobody is at its memory, under process->lock. Where the area
 *	is, and how large, stands in its properties
 *
 * The waves stay with the engine, and do not run until engine_load() or until the queue
 * does. Sleeps, for a page of the process no longer than a second.
 * Return: 0: all of them stand there, none among them. -EINVAL: the queue is stopped for
 * good; -ENOSPC: the area is too small; -EFAULT: it is not memory, which
 * hw_memory_failed() has been told; or another error of gpu_vm_write().
 */
static inline int engine_save(struct hw_compute *vq)
{
	return vq->vg->engine->save(vq);
}

/**
 * engine_load() - read them back
 * @vq: as for engine_save(), which returned 0, and nothing has run since
 *
 * Sleeps as engine_save() does.
 * Return: 0; -EINTR: the caller is being killed, -ETIME: a page did not come. Any other
 * failure has stopped the queue, and there is nothing left to be read: 0.
 */
static inline int engine_load(struct hw_compute *vq)
{
	return vq->vg->engine->load(vq);
}

/**
 * engine_saved() - say what engine_save() wrote
 * @vq: as for engine_load()
 * @xcc: whose area; below GPU_MAX_XCCS
 * @s: filled in
 * @stack: room for @s->stack_bytes, filled with the control stack, or NULL
 *
 * Return: 0; -EINVAL: the queue is stopped for good.
 */
static inline int engine_saved(struct hw_compute *vq, u32 xcc, struct gpu_wave_state *s,
			       u32 *stack)
{
	return vq->vg->engine->saved(vq, xcc, s, stack);
}

/**
 * engine_queue_create() - memory for a compute queue, hw/'s part zeroed
 * @vg: the GPU
 *
 * Under process->lock. Charged to the caller. Return: the queue, or NULL: -ENOMEM.
 */
static inline struct hw_compute *engine_queue_create(struct hw *vg)
{
	return vg->engine->queue_create(vg);
}

/**
 * engine_queue_destroy() - free it
 * @vg: the GPU
 * @vq: from engine_queue_create(); it may never have run, and hw/ has not looked at it
 *	since. If it has, it was idle (engine_queue_idle_locked()) and is off all lists
 *
 * What the engine remembers of the queue's VM is forgotten: another one may take its
 * address. Under process->lock.
 */
static inline void engine_queue_destroy(struct hw *vg, struct hw_compute *vq)
{
	vg->engine->queue_destroy(vq);
}

/*
 * Has the engine nothing of a queue that no grid of is in use? If not, it says so by
 * hw_compute_wake_locked() when it has not any more. hw.lock.
 */
static inline bool engine_queue_idle_locked(const struct hw_compute *vq)
{
	return vq->vg->engine->queue_idle_locked(vq);
}

/* hw_compute.cu_mask has changed; an engine_run() follows. hw.lock. */
static inline void engine_cu_mask_locked(struct hw_compute *vq)
{
	vq->vg->engine->cu_mask_locked(vq);
}

/* Instructions in memory may be others than before. From any thread; does not sleep. */
static inline void engine_code_changed(struct hw *vg)
{
	vg->engine->code_changed(vg);
}

/* CUs that have waves of @p on them now. Without hw.lock. */
static inline u32 engine_busy_cus(struct hw *vg, const struct gpu_process *p)
{
	return vg->engine->busy_cus(vg, p);
}

/* The engine's counters for debugfs, "name value" a line. May sleep. */
static inline void engine_show(struct hw *vg, struct seq_file *m)
{
	vg->engine->show(vg, m);
}

/* ----------------------------------------------------------- what an engine calls */

/**
 * enum hw_exception_kind - why a wave cannot go on
 * @HW_EXC_ILLEGAL: an instruction that there is not
 * @HW_EXC_APERTURE: an access outside of all apertures, or to what the queue has not
 * @HW_EXC_TRAP: s_trap
 * @HW_EXC_ARITH: an exception that its MODE enables
 */
enum hw_exception_kind { HW_EXC_ILLEGAL, HW_EXC_APERTURE, HW_EXC_TRAP, HW_EXC_ARITH };

/**
 * struct hw_exception - an exception of a wave
 * @wave: the engine's: for engine_trap()
 * @pc: of the instruction
 * @info: for ILLEGAL its first dword, for TRAP the number, else for the log
 * @why: the engine's own number for it, for the log
 * @va: address that it is about, or 0
 * @name: of the instruction, if ILLEGAL and it has one; else NULL
 * @in_trap: the wave is in the trap handler
 */
struct hw_exception {
	enum hw_exception_kind kind;
	void *wave;
	u64 pc;
	u32 info;
	int why;
	u64 va;
	const char *name;
	bool in_trap;
};

/*
 * stop.c: stops of waves that hw/ judges. By a thread of the engine that is inside @vq,
 * outside of sections and without hw.lock. They sleep, but not for user space.
 */
/*
 * A page that is not resident, or not in that way (GPU_*): 0: the access may be tried
 * again. -EAGAIN: the same, but it will take a while, so others are to run first. Or why
 * it is a fault: the queue is stopped.
 */
int hw_wave_missed(struct hw_compute *vq, u64 va, u32 access);
/*
 * True: the wave goes on behind the instruction. False: it goes on in the trap handler, by
 * engine_trap(), or the queue is stopped.
 */
bool hw_wave_exception(struct hw_compute *vq, const struct hw_exception *x);
/* s_sendmsg of an interrupt, with @data in M0. */
void hw_wave_interrupt(struct hw_compute *vq, u32 data, bool in_trap);

/* hang.c: waves of @vq had a turn, and executed @insns instructions. */
void hw_hang_turn(struct hw_compute *vq, u64 insns);

/* retire.c */
/**
 * struct hw_grid_left - what is to be done when a work-group has left its grid
 * @retire: it was the last one: complete the dispatch
 * @drained: the last one of a grid that is dropped
 */
struct hw_grid_left {
	bool retire, drained;
};

/* Of @grid one work-group less is resident, and if @finished one more has finished. */
void hw_grid_leave_locked(struct hw_grid *grid, bool finished, struct hw_grid_left *left);
/*
 * After that, without the lock: what it said in @left is done. @w is the caller's. The
 * queue may be gone already: it goes when no grid of it is used, and a drained one is not.
 */
void hw_grid_left(struct hw *vg, struct gpu_vm_worker *w, struct hw_grid *grid,
		  const struct hw_grid_left *left);

/* compute.c: engine_queue_idle_locked() may say something else now. */
void hw_compute_wake_locked(struct hw_compute *vq);

#endif /* HW_ENGINE_H */
