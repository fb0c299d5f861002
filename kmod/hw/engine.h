/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface between hw/ and an engine, which runs waves: calls down (engine_ops), and the
 * functions below that an engine calls, besides hw_queue_running(), hold and leave of queue.h.
 * An engine sees no packets, no queue states and no structures of user space; hw/ sees no
 * registers of a wave.
 *
 * The life of a work-group:
 *
 *	hw/						engine
 *	a queue in hw.ready, a grid in its list, whose first
 *	group is to take
 *	engine_admit() ------------------------------>	takes groups from the cursors, under
 *							hw.lock, as long as it likes
 *							inside of the queue: runs the waves
 *	hw_wave_missed(), hw_wave_exception(),	<-----	a wave stops for something that is
 *	hw_wave_interrupt()				hw/'s to judge, and goes on
 *	    engine_trap() --------------------------->	... in its process's trap handler
 *	hw_grid_leave_locked(), hw_grid_left()	<-----	all waves of the group have ended
 *
 * No call runs a wave. An engine has threads of its own, in the kernel or elsewhere, and they run
 * the waves that they have admitted as long as hw_queue_running() is true. They check that often
 * enough that an update or an eviction, which waits for them to leave, takes milliseconds.
 * engine_run() tells them that more queues may run than before, engine_kill() that groups are no
 * longer needed.
 *
 * The engine's part of a queue embeds hw_compute; hw.engine_priv is its part of the GPU.
 */
#ifndef HW_ENGINE_H
#define HW_ENGINE_H

#include "hw.h"

struct hw_exception;

/* For engine_admit(): any number of work-groups, or groups that only some threads may take. */
#define HW_GROUPS_MANY	U64_MAX

/**
 * struct engine_ops - an engine; a member may be NULL only if it says "optional"
 * @name: for logs
 * @orders: it keeps grids in the order that their dispatches ask for (cp_queue.orders)
 * @init: prepare to run waves of @vg, all of whose members but the queues are set. It sets
 *	hw.engine_priv. Sleeps. 0; -EOPNOTSUPP: it cannot run this GPU's code on this machine,
 *	but another engine may; or another error. On error it leaves nothing behind
 * @fini: returns when no thread of the engine is left; all queues are gone. Sleeps
 * @admit: see engine_admit(), and so on for the others
 * @run: see there
 * @kill: see there
 * @trap: see there
 * @save: see there
 * @load: see there
 * @saved: see there
 * @image: optional, as is @adopt; see there
 * @adopt: see there
 * @queue_create: see there
 * @queue_destroy: see there
 * @queue_idle_locked: see there
 * @cu_mask_locked: see there
 * @priority: optional; see there
 * @jobs_open: see there
 * @jobs_close: see there
 * @code_changed: see there
 * @busy_cus: see there
 * @show: see there
 */
struct engine_ops {
	const char *name;
	bool orders;
	int (*init)(struct hw *vg);
	void (*fini)(struct hw *vg);

	void (*admit)(struct hw_compute *vq, u64 groups);
	void (*run)(struct hw *vg);
	void (*kill)(struct hw *vg);
	bool (*trap)(const struct hw_exception *x, u64 tba, u64 tma);

	int (*save)(struct hw_compute *vq);
	int (*load)(struct hw_compute *vq);
	int (*saved)(struct hw_compute *vq, u32 xcc, struct gpu_wave_state *s, u32 *stack);

	int (*image)(struct hw_compute *vq, void *buf, u32 room, u32 *bytes);
	int (*adopt)(struct hw_compute *vq, const void *buf, u32 bytes);

	struct hw_compute *(*queue_create)(struct hw *vg, struct gpu_queue *q);
	void (*queue_destroy)(struct hw_compute *vq);
	bool (*queue_idle_locked)(const struct hw_compute *vq);
	void (*cu_mask_locked)(struct hw_compute *vq);
	int (*priority)(struct hw_compute *vq, u32 priority);

	int (*jobs_open)(struct hw *vg, struct gpu_vm *vm, enum gpu_job_runner *runner,
			 void **priv);
	void (*jobs_close)(struct hw *vg, void *priv);

	void (*code_changed)(struct hw *vg);
	u32 (*busy_cus)(struct hw *vg, const struct gpu_process *p);
	void (*show)(struct hw *vg, struct seq_file *m);
};

/**
 * engine_admit() - there are work-groups to take
 * @vq: whose they are; the grid is in @vq->waits
 * @groups: approximate number, so that no more threads are woken than will find work
 *
 * Called by a thread inside the grid's queue, without hw.lock. Does not sleep.
 */
static inline void engine_admit(struct hw_compute *vq, u64 groups)
{
	vq->vg->engine->admit(vq, groups);
}

/**
 * engine_run() - queues may run that could not before
 * @vg: the GPU
 *
 * They have got a slot, or have come back from an update or an eviction. The waves that the engine
 * has of them go on, and their grids may have groups to take. Without hw.lock; does not sleep.
 */
static inline void engine_run(struct hw *vg)
{
	vg->engine->run(vg);
}

/**
 * engine_kill() - grids have been aborted
 * @vg: the GPU
 *
 * hw_grid.aborted tells which. The engine drops the groups that it has of them, wherever their
 * waves are, and gives each back by hw_grid_leave_locked() with @finished false. It does so
 * soon, but not necessarily before this returns. Without hw.lock; does not sleep.
 */
static inline void engine_kill(struct hw *vg)
{
	vg->engine->kill(vg);
}

/**
 * engine_trap() - continue a wave in its process's trap handler
 * @vg: the GPU
 * @x: what was passed to hw_wave_exception()
 * @tba: address of the handler
 * @tma: address of the handler's memory
 *
 * Called by hw_wave_exception(), hence by a thread of the engine, which holds the wave.
 * Return: false if the wave is in the handler already, or halted.
 */
static inline bool engine_trap(struct hw *vg, const struct hw_exception *x, u64 tba, u64 tma)
{
	return vg->engine->trap(x, tba, tma);
}

/**
 * engine_save() - write a queue's waves to its save area
 * @vq: at rest or evicted, so nobody accesses its memory; under process->lock. Its properties
 *	have the address and size of the area
 *
 * The waves stay with the engine. They do not run before engine_load(), or before the queue
 * does. Sleeps, but waits for a page of the process for no longer than a second.
 * Return: 0: all of them are saved, maybe none. -EINVAL: the queue is stopped for good;
 * -ENOSPC: the area is too small; -EFAULT: it is not memory, and hw_memory_failed() was
 * called; or another error of gpu_vm_write().
 */
static inline int engine_save(struct hw_compute *vq)
{
	return vq->vg->engine->save(vq);
}

/**
 * engine_load() - read waves back from the save area
 * @vq: as for engine_save(), which returned 0; nothing has run since
 *
 * Sleeps as engine_save() does.
 * Return: 0; -EINTR: the caller is being killed; -ETIME: a page did not come in. Any other
 * failure stops the queue, so nothing is left to be read, and returns 0.
 */
static inline int engine_load(struct hw_compute *vq)
{
	return vq->vg->engine->load(vq);
}

/**
 * engine_saved() - describe what engine_save() wrote
 * @vq: as for engine_load()
 * @xcc: number of the area; below GPU_MAX_XCCS
 * @s: returns the sizes
 * @stack: returns the control stack, @s->stack_bytes; or NULL
 *
 * Return: 0; -EINVAL: the queue is stopped for good.
 */
static inline int engine_saved(struct hw_compute *vq, u32 xcc, struct gpu_wave_state *s,
			       u32 *stack)
{
	return vq->vg->engine->saved(vq, xcc, s, stack);
}

/**
 * engine_image() - write down what the engine has of a queue, for a checkpoint
 * @vq: evicted, alive, with nobody inside, and its waves are saved; under process->lock
 * @buf: where it goes, or NULL
 * @room: of @buf
 * @bytes: returns its size, which stays while nothing runs
 *
 * Return: 0; -ENOSPC; -EAGAIN: the queue has been stopped meanwhile; -EOPNOTSUPP: the engine
 * cannot do that for this queue.
 */
static inline int engine_image(struct hw_compute *vq, void *buf, u32 room, u32 *bytes)
{
	const struct engine_ops *ops = vq->vg->engine;

	return ops->image ? ops->image(vq, buf, room, bytes) : -EOPNOTSUPP;
}

/**
 * engine_adopt() - take in what engine_image() has written
 * @vq: new and evicted. Its grids are there, with no group resident
 * @buf: hostile
 * @bytes: of @buf
 *
 * engine_load() will read the waves' registers. Sleeps. Return: 0; or an error, and the caller
 * ends the queue: -EINVAL: no queue can be in this state; -ENOMEM, -EINTR, -EOPNOTSUPP.
 */
static inline int engine_adopt(struct hw_compute *vq, const void *buf, u32 bytes)
{
	const struct engine_ops *ops = vq->vg->engine;

	return ops->adopt ? ops->adopt(vq, buf, bytes) : -EOPNOTSUPP;
}

/**
 * engine_queue_create() - allocate a compute queue; hw/'s part is zeroed
 * @vg: the GPU
 * @q: the queue as front ends see it: its address space and its process are known
 *
 * By a thread of the process, under process->lock; a job's (@q->job), by a thread of the kernel.
 * Charged to the caller. Return: the queue, or ERR_PTR if out of memory, or if the engine cannot
 * run waves of this address space. -ECANCELED: who was to run the job's waves is gone.
 */
static inline struct hw_compute *engine_queue_create(struct hw *vg, struct gpu_queue *q)
{
	return vg->engine->queue_create(vg, q);
}

/**
 * engine_queue_destroy() - free a compute queue
 * @vg: the GPU
 * @vq: from engine_queue_create(). Either hw/ has not initialised it, or it was idle
 *	(engine_queue_idle_locked()) and is off all lists
 *
 * The engine must forget what it has cached of the queue's VM, because another VM may get its
 * address. Under process->lock.
 */
static inline void engine_queue_destroy(struct hw *vg, struct hw_compute *vq)
{
	vg->engine->queue_destroy(vq);
}

/*
 * Has the engine released everything of a queue of which no grid is in use? If not, the engine
 * calls hw_compute_wake_locked() when it has. Under hw.lock.
 */
static inline bool engine_queue_idle_locked(const struct hw_compute *vq)
{
	return vq->vg->engine->queue_idle_locked(vq);
}

/* hw_compute.cu_mask has changed; engine_run() will follow. Under hw.lock. */
static inline void engine_cu_mask_locked(struct hw_compute *vq)
{
	vq->vg->engine->cu_mask_locked(vq);
}

/*
 * What runs for the queue from now on, does so with @priority (KFD's). Nobody is inside the queue.
 * By a thread of the client, under process->lock. 0, or an error, after which all is as before.
 */
static inline int engine_priority(struct hw_compute *vq, u32 priority)
{
	return vq->vg->engine->priority ? vq->vg->engine->priority(vq, priority) : 0;
}

/* See gpu_backend_jobs_open(). */
static inline int engine_jobs_open(struct hw *vg, struct gpu_vm *vm, enum gpu_job_runner *runner,
				   void **priv)
{
	return vg->engine->jobs_open(vg, vm, runner, priv);
}

/* See gpu_backend_jobs_close(). */
static inline void engine_jobs_close(struct hw *vg, void *priv)
{
	vg->engine->jobs_close(vg, priv);
}

/* Instructions in memory may have changed. Called by any thread; does not sleep. */
static inline void engine_code_changed(struct hw *vg)
{
	vg->engine->code_changed(vg);
}

/* Number of CUs that have waves of @p now. Without hw.lock. */
static inline u32 engine_busy_cus(struct hw *vg, const struct gpu_process *p)
{
	return vg->engine->busy_cus(vg, p);
}

/* Prints the engine's counters for debugfs, "name value" per line. May sleep. */
static inline void engine_show(struct hw *vg, struct seq_file *m)
{
	vg->engine->show(vg, m);
}

/* ------------------------------------------------------- calls of the engine */

/**
 * enum hw_exception_kind - why a wave cannot continue
 * @HW_EXC_ILLEGAL: illegal instruction
 * @HW_EXC_APERTURE: access outside of all apertures, or to something the queue does not have
 * @HW_EXC_TRAP: s_trap
 * @HW_EXC_ARITH: an exception that is enabled in its MODE
 */
enum hw_exception_kind { HW_EXC_ILLEGAL, HW_EXC_APERTURE, HW_EXC_TRAP, HW_EXC_ARITH };

/**
 * struct hw_exception - an exception of a wave
 * @wave: for engine_trap()
 * @pc: of the instruction
 * @info: ILLEGAL: its first dword, TRAP: the number, else only for the log
 * @why: the engine's own code for it, for the log
 * @va: the address concerned, or 0
 * @name: ILLEGAL: name of the instruction if it has one; else NULL
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
 * stop.c: for waves that have stopped. Called by a thread of the engine that is inside @vq,
 * outside of sections and without hw.lock. They sleep, but do not wait for user space.
 */
/*
 * A page is not resident with the access wanted (GPU_*). Return: 0: repeat the access. -EAGAIN:
 * likewise, but it will take a while, so run others first. Other errors: it is a fault, and the
 * queue is stopped.
 */
int hw_wave_missed(struct hw_compute *vq, u64 va, u32 access);
/*
 * Return: true: the wave continues after the instruction. False: it continues in the trap
 * handler, by engine_trap(), or the queue is stopped.
 */
bool hw_wave_exception(struct hw_compute *vq, const struct hw_exception *x);
/* The wave has sent an interrupt by s_sendmsg, with @data in M0. */
void hw_wave_interrupt(struct hw_compute *vq, u32 data, bool in_trap);

/* capture.c: waves of @vq have just executed @insns instructions. Cheap if nobody asks for it. */
void hw_capture_insns(struct hw_compute *vq, u64 insns);

/* hang.c: waves of @vq had a turn and executed @insns instructions. */
void hw_hang_turn(struct hw_compute *vq, u64 insns);

/* retire.c */
/**
 * struct hw_grid_left - what to do after a work-group has left its grid
 * @retire: it was the last one: complete the dispatch
 * @drained: it was the last one of a grid that was aborted
 */
struct hw_grid_left {
	bool retire, drained;
};

/*
 * grid.c: has @grid groups that have not begun, and how many, and which is the next? To take that
 * takes the grid off its queue's list, if there is no other.
 */
bool hw_grid_waits_locked(const struct hw_grid *grid);
u64 hw_grid_left_locked(const struct hw_grid *grid);
u64 hw_grid_next_locked(const struct hw_grid *grid);
u64 hw_grid_take_locked(struct hw_grid *grid);
/*
 * @grid is in its queue's list from here on, or no longer. hw_grids_ready_locked(): the queue has
 * got a slot, or lost it.
 */
void hw_grid_wait_locked(struct hw_grid *grid);
void hw_grid_unwait_locked(struct hw_grid *grid);
void hw_grids_ready_locked(struct hw_compute *vq);
/*
 * Claims up to @most groups, of those below @end, from *@first on; 0: none. They have not begun.
 * hw_grid_unclaim_locked() ends the claim, with those of them that still have not: true if @grid
 * had none left meanwhile, so that somebody may have gone to sleep.
 */
u64 hw_grid_claim_locked(struct hw_grid *grid, u64 most, u64 end, u64 *first);
bool hw_grid_unclaim_locked(struct hw_grid *grid, u64 first, u64 n);

/* One work-group less of @grid is resident; if @finished, one more has finished. */
void hw_grid_leave_locked(struct hw_grid *grid, bool finished, struct hw_grid_left *left);
/*
 * Call this afterwards, without the lock, with what the above stored in @left. @w is the
 * caller's. The queue may be gone already: it can go once none of its grids is in use, and a
 * drained grid is not.
 */
void hw_grid_left(struct hw *vg, struct gpu_vm_worker *w, struct hw_grid *grid,
		  const struct hw_grid_left *left);

/* compute.c: the result of engine_queue_idle_locked() may have changed. */
void hw_compute_wake_locked(struct hw_compute *vq);
/*
 * As hw_queue_leave(), for threads of the engine: the CP reports the failure of a queue once nobody
 * is inside, and sleeps until then.
 */
void hw_compute_leave(struct hw_compute *vq);

#endif /* HW_ENGINE_H */
