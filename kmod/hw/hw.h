/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of a GPU around its shader cores: structures, and the one lock.
 *
 *   hw			a GPU: one CP thread, and an engine that runs its waves (engine.h)
 *   hw_compute		a user queue: packet processor state, its dispatches
 *   hw_grid		a dispatch in flight: a cursor over work-groups
 *   hw_sdma		an SDMA thread; its queues are separate (sdma.h)
 *
 * hw.lock (spinlock, rank 8 in locking.rst) guards every list, state and count that more than
 * one thread uses. It is held for a few dozen instructions only, never across memory accesses,
 * sections or upcalls.
 *
 * hw/queue.h says who may be inside a queue, and when. The engine is inside for a turn, the CP
 * thread for a step. Both are short, and end early if the queue no longer runs.
 */
#ifndef HW_H
#define HW_H

#include <linux/atomic.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "../cp/cp.h"
#include "../gpu/access.h"
#include "../gpu/backend.h"
#include "../gpu/device.h"
#include "../gpu/doorbell.h"
#include "../gpu/faulter.h"
#include "../gpu/pagecache.h"
#include "../gpu/process.h"
#include "../gpu/queue.h"
#include "../gpu/vm.h"
#include "queue.h"
#include "../model/target.h"

#define HW_QUEUE_GRIDS	32	/* dispatches of a queue in flight */
#define HW_QUEUE_REFILL	(HW_QUEUE_GRIDS * 3 / 4)
#define HW_GRID_RANGES	16	/* of groups that are claimed, or were */
#define HW_ILLEGAL_NAMES	64
#define HW_MAX_CUS		512

struct engine_ops;
struct seq_file;
struct hw;
struct hw_cp;
struct hw_compute;
struct hw_sdma;

/**
 * struct hw_busy - total time in which there was at least one dispatch (lock)
 * @n: dispatches in flight; @since: start of the current busy period
 * @ns: sum of the earlier ones
 */
struct hw_busy {
	unsigned int n;
	u64 since, ns;
};

/* Groups of a dispatch: @n from @first on */
struct hw_range {
	u64 first, n;
};

/**
 * struct hw_grid - a dispatch in flight
 * @node: in hw_compute.waits while it has groups that have not started, in hw.late (lock)
 * @used: this struct is in use (lock)
 * @aborted: drop it without completion; set under lock, read anywhere
 * @packet: index of its packet in the ring, for trap handlers
 * @started: next group to start; @finished: groups done; @resident: groups that the
 *	engine has; @back: @nback ranges of groups below @started that have not begun, which were
 *	claimed before; @claims: how many others are (all lock; grid.c)
 * @seq: order of dispatches on this GPU, for instruction cache validation
 * @capture: names it while it is being captured (capture.h)
 * @done: progress of its completion; belongs to the thread that has ended the last group, or
 *	has taken the grid from hw.late. An engine that has told the signal itself says so there
 *	(cp_signal_promise()) before it ends the last group
 */
struct hw_grid {
	struct list_head node;
	struct hw_compute *vq;
	struct cp_dispatch d;
	u32 packet;
	bool used;
	bool aborted;
	u64 started, finished;
	u32 resident, nback, claims;
	struct hw_range back[HW_GRID_RANGES];
	u64 seq;
	u64 start_clock;
	u64 start_ns;
	u64 capture;
	struct cp_done done;
};

/**
 * struct hw_mover - who moves memory for SDMA queues, in place of our CPUs
 * @open: for a new queue, by a thread of its client: a pointer for the others, or ERR_PTR
 * @close: all is settled
 * @priority: of what begins from now on (KFD's); nothing has begun that has not ended. By a thread
 *	of the client; 0, or an error, after which all is as before
 * @copy,@fill: begin to; 0, or an error that is the queue's end, of this or of an earlier call
 * @store: stores a word, which is aligned, once all that has begun before has ended; likewise
 * @settle: returns when all that has begun has ended: 0, or how it failed
 * @fault: details of an -EFAULT
 */
struct hw_mover {
	void *(*open)(struct gpu_queue *q);
	void (*close)(void *priv);
	int (*priority)(void *priv, u32 priority);
	int (*copy)(void *priv, u64 dst, u64 src, u32 len);
	int (*fill)(void *priv, u64 dst, u32 word, u32 len);
	int (*store)(void *priv, u64 va, u32 word);
	int (*settle)(void *priv);
	void (*fault)(void *priv, struct gpu_fault *fault);
};

/* A compute unit, as in HW_ID and XCC_ID. */
struct hw_cu_id {
	u8 xcc, se, sh, cu;
};

/**
 * struct hw_saved - are a queue's waves in its save area?
 * @valid: all of them are
 * @late: the queue was evicted when it was taken off; save them when it is restored
 * @only: they are nowhere else, as the queue comes from a checkpoint
 */
struct hw_saved {
	bool valid, late, only;
};

/**
 * enum hw_stay - what a CP thread does inside a queue
 * @HW_STAY_NONE: no CP thread is inside
 * @HW_STAY_STEP: it steps packets
 * @HW_STAY_STALL: it waits for a page, and has been replaced
 */
enum hw_stay { HW_STAY_NONE, HW_STAY_STEP, HW_STAY_STALL };

/**
 * struct hw_compute - what gpu_queue.priv points to
 * @hq: the part common with SDMA queues; in hw.queues
 * @owner: id of the owning process. Memory of the engine, and state of a CPU, that waves of
 *	another owner have used is cleared before waves of this one use it
 * @cp: packet processor; only the CP thread uses it, except the parts that @retire_lock guards
 * @retire_lock: serialises cp_ring_release() and cp_packet_finish()
 * @weight: its share of slots and of the engine, from its priority
 * @fail_code: why it failed, until the CP thread has reported it (lock)
 * @stay: what a CP thread does inside it (lock)
 * @blocked: the CP thread waits for an in-flight packet of this queue
 * @ngrids: number of @grids in use; @full: the CP thread needs one, and is woken when
 *	@ngrids has dropped to HW_QUEUE_REFILL, because a wake-up per dispatch would cost more
 *	than a small dispatch (lock)
 * @cp_stuck_ns: since when the CP thread makes no progress, 0 if it does (CP thread only);
 *	hq.stuck_ns: since when no instruction of its waves was executed
 * @watched: the CP thread watches for that on its own until @watch_until (CP thread only)
 * @trapped: its process's trap handler has run and may have halted waves for a debugger, so
 *	halted waves are no hang
 * @saved: used only by the caller of queue_update and the like
 * @capture: of the dispatch that is being captured, or 0
 * @cu_mask: CUs that its waves may use, by index in hw.cus; @cu_masked: not all of them (lock)
 * @waits: its grids that have groups which have not started, in order; @ready: in hw.ready while
 *	there are some and it has a slot (lock; grid.c)
 *
 * The engine embeds it: engine_ops.queue_create().
 */
struct hw_compute {
	struct hw_queue hq;
	struct hw *vg;
	u64 owner;
	struct cp_queue cp;
	struct mutex retire_lock;	/* cp.release, cp.done, cp.finished */
	u32 weight;
	u32 fail_code;
	enum hw_stay stay;
	u64 cp_stuck_ns, watch_until;
	bool trapped, watched;
	bool blocked, full;
	unsigned int ngrids;
	u64 packets, dispatches;
	struct hw_busy busy;
	u64 capture;
	struct hw_grid grids[HW_QUEUE_GRIDS];
	struct hw_saved saved;
	DECLARE_BITMAP(cu_mask, HW_MAX_CUS);
	bool cu_masked;
	struct list_head waits, ready;
};

/**
 * struct hw_cp - a thread that steps packets
 * There is one active thread, hw.cp, and those that it has replaced (stall.c).
 * @vmw: in the device's list of workers, for shootdowns
 * @node: in hw.cps_through when it has nothing left to do
 */
struct hw_cp {
	struct hw *vg;
	struct task_struct *task;
	struct gpu_vm_worker vmw;
	struct list_head node;
};

/**
 * struct hw_sched_view - result of one walk over the queues, of which there may be thousands
 * @mapped: queues that have a slot
 * @waiting: queues with work but without a slot, the most urgent first; no more than there are
 *	slots
 * @score: urgency of each of @waiting: waiting time by weight
 */
struct hw_sched_view {
	unsigned int slots, nmapped, nwaiting;
	struct hw_compute *mapped[HW_QUEUE_MAX_SLOTS];
	struct hw_compute *waiting[HW_QUEUE_MAX_SLOTS];
	u64 score[HW_QUEUE_MAX_SLOTS];
};

/**
 * struct hw - gpu_device.backend_priv
 * @slow: the host CPU is emulated: do not poll while idle, use shorter instruction budgets
 * @hot_ns: how long idle threads poll before they sleep
 * @turn_ns: length of a queue's turn; @quantum_ns: its time in a slot if other queues wait
 * @engine: runs waves; NULL if there is no engine; @engine_priv: for the engine
 * @queues,@nqueues,@next_seq: lock
 * @ready: queues with something to start, of which there are no more than slots, however many
 *	queues and grids there are: an engine's threads walk it (lock)
 * @hqds: slots in use (lock); @sched_view: for the scheduler (lock)
 * @sched_looks: the most queues that it has looked at in one turn, for debugfs
 * @cus,@ncus: compute units, in the order of CU masks
 * @cp: the thread that steps packets (lock); @cps_away: number of replaced ones (lock)
 * @cps_through: those of them that can be stopped (lock)
 * @late: finished grids whose completion waits for pages (lock)
 * @kick: the CP thread has something to look at
 * @packets,@dispatches: written by the CP thread, read by debugfs
 * @polling: number of queues that wait for memory; written by the CP thread, read when a
 *	dispatch completes
 * @busy: of the whole GPU
 * @mover: moves memory; NULL: the SDMA threads do
 * @sdma,@nsdma: SDMA threads, if there is no mover; else each queue has one of its own
 * @sdmas: all SDMA threads (lock); @nsdma_queues: number of their queues (lock)
 * @illegal: unsupported instructions and packets by name (lock)
 */
struct hw {
	struct gpu_device *gdev;
	const struct engine_ops *engine;
	void *engine_priv;
	bool slow;
	u64 hot_ns, turn_ns, quantum_ns;

	spinlock_t lock;		/* run lists, queues, grids: see above */
	struct list_head queues;
	unsigned int nqueues;
	struct list_head ready;
	u64 next_seq;
	DECLARE_BITMAP(hqds, HW_QUEUE_MAX_SLOTS);
	struct hw_sched_view sched_view;
	unsigned int sched_looks;
	struct hw_cu_id cus[HW_MAX_CUS];
	unsigned int ncus;

	struct hw_cp *cp;
	struct list_head cps_through, late;
	unsigned int cps_away;
	wait_queue_head_t cp_wq;
	atomic_t kick;
	u64 packets, dispatches;
	atomic64_t doorbell_wakes, events, queue_errors, bad_packets, vm_faults, resets,
		traps;

	unsigned int polling;

	const struct hw_mover *mover;
	struct hw_sdma *sdma;
	unsigned int nsdma;
	struct list_head sdmas;
	unsigned int nsdma_queues;
	atomic64_t sdma_packets, sdma_bytes, sdma_busy_ns;

	struct hw_busy busy;
	struct {
		const char *name;
		u64 count;
	} illegal[HW_ILLEGAL_NAMES];
	struct dentry *stats_file, *queues_file;
};

static inline struct hw *to_hw(struct gpu_device *gdev)
{
	return gdev->backend_priv;
}

/**
 * struct hw_env - cp_env of one thread for one queue
 * @w: of the thread; @err: of the memory operation that failed
 * @fault: details if @err is -EFAULT
 * @last_words: the queue is dead, and its error is being written
 * @cp: the thread, if it is one that steps packets
 * @nowait: return -EAGAIN to the caller, who holds a lock or is a worker
 * @stalled_ns: since when an operation waits for a page, or 0
 */
struct hw_env {
	struct cp_env env;
	struct gpu_vm_worker *w;
	struct hw_compute *vq;
	struct gpu_fault fault;
	int err;
	bool last_words;
	struct hw_cp *cp;
	bool nowait;
	u64 stalled_ns;
};

/* hw.c */
#define HW_CLOCK_KHZ	100000u
u64 hw_clock(void);	/* never goes backwards */
/* The clock of the GPU, in ticks of target->counter_khz. */
u64 hw_now(struct hw *vg, const struct gpu_vm *vm);
/* All of @vg, which is zeroed, but for its engine and its threads. @slow: as hw.slow */
void hw_setup(struct hw *vg, struct gpu_device *gdev, bool slow);
/* For gpu_backend_ops */
void hw_doorbell(struct gpu_doorbells *db);
u64 hw_device_clock(struct gpu_device *gdev, struct gpu_vm *vm);
u64 hw_busy_ns(struct gpu_device *gdev);

/* compute.c */
int hw_compute_init(struct gpu_queue *q);
int hw_compute_update(struct gpu_queue *q, const struct gpu_queue_props *p);
void hw_compute_fini(struct gpu_queue *q);
void hw_compute_evict(struct gpu_queue *q);
void hw_compute_restore(struct gpu_queue *q);

/*
 * The doorbell of @vq, which must be in hw.queues. A queue that executes a job has none, and no
 * doorbell page.
 */
static inline u64 hw_compute_doorbell(const struct hw_compute *vq)
{
	const struct gpu_queue *q = vq->hq.q;

	return q->job ? vq->cp.doorbell : gpu_doorbell_read(q->pdd->doorbells, q->doorbell);
}

/* job.c */
/* See gpu_backend_job_run(). */
int hw_job_run(struct gpu_job *job);
/*
 * Call on the CP thread, inside a queue that executes a job, if its buffer has ended: begins the
 * next one, or ends the job.
 */
enum cp_status hw_job_step(struct hw_compute *vq);
/* The queue's job fails because of @err, if it has not failed before. */
void hw_job_failed(struct gpu_queue *q, int err);

/* cus.c */
void hw_cus_init(struct hw *vg);
int hw_cu_mask(struct gpu_queue *q, const u32 *mask, u32 bits);
/* The CU for the work-group that is the dispatch's @index-th to start. */
unsigned int hw_cu_pick_locked(const struct hw_compute *vq, u64 index);

/* save.c: for a compute queue that is at rest or evicted; under process->lock */
/* Call before it runs again: 0; -EINTR, -ETIME: not all of its waves could be read. */
int hw_waves_load(struct hw_compute *vq);
/* Its properties change from @was_on to @on. If that takes it off, saves its waves. */
void hw_waves_update(struct hw_compute *vq, bool was_on, bool on);
/* Call before it is restored: saves or loads waves as its last update demands. */
void hw_waves_restore(struct hw_compute *vq);
/* See gpu_backend_queue_wave_state(). */
int hw_waves_state(struct gpu_queue *q, u32 xcc, struct gpu_wave_state *s, u32 *stack);
/* Before a checkpoint: saves its waves. -ENOSPC: the area is too small; -EOPNOTSUPP: none. */
int hw_waves_keep(struct hw_compute *vq);
/* After one: its waves are saved, and nowhere else. */
void hw_waves_kept(struct hw_compute *vq);

/* image.c: see gpu_backend_queue_image() and gpu_backend_queue_adopt() */
int hw_queue_image(struct gpu_queue *q, void *buf, u32 room, u32 *bytes);
int hw_queue_adopt(struct gpu_queue *q, const void *buf, u32 bytes);

/* hang.c */
/* Call after stepping @vq, still inside: true if it must be checked again in time. */
bool hw_hang_watch(struct hw_compute *vq, enum cp_status status);
u64 hw_hang_poll_ns(void);
/* Does the machine wait for jobs to end before it can sleep, and has done so for long enough? */
bool hw_job_late(const struct gpu_device *gdev);
/* Call before @vq is restored: forget the time in which it could make no progress. */
void hw_hang_restored(struct hw_compute *vq);
/* Call when @vq is off all lists. */
void hw_hang_destroyed(struct hw_compute *vq);

/* sched.c */
u32 hw_weight(u32 priority);
/* Assigns the HQD slots; true if a queue still waits for one. */
bool hw_sched(struct hw *vg);

/* cpthread.c */
int hw_cp_thread(void *arg);
void hw_cp_kick(struct hw *vg);

/* stall.c */
int hw_cp_start(struct hw *vg);
void hw_cp_stop(struct hw *vg);
bool hw_cp_replaced(struct hw_cp *cp);
void hw_cp_through(struct hw_cp *cp);
void hw_cp_reap(struct hw *vg);
/* A CP thread leaves @vq. */
void hw_stay_end_locked(struct hw_compute *vq);
/* Call after -EAGAIN. Return: 0: try again, or the reason to give up. */
int hw_stall(struct hw_env *e);

/* env.c */
/* @cp: the thread, if it is one that steps packets; other threads do not wait for pages. */
void hw_env_init(struct hw_env *e, struct gpu_vm_worker *w, struct hw_cp *cp,
		 struct hw_compute *vq);
/*
 * Enters a section in which the naturally aligned word of @bytes at @va is resident. Return: its
 * address, or ERR_PTR as gpu_vm_hold().
 */
void *hw_hold(struct gpu_vm_worker *w, struct gpu_vm *vm, u64 va, u32 bytes, u32 access,
	      struct gpu_fault *fault);

/*
 * One access to the word at @p of 4 or 8 @bytes, then the end of the section. Loads acquire and
 * stores release, to pair with user space and with other engines: whoever sees the word also
 * sees what was written before it.
 */
u64 hw_held_load(struct gpu_vm_worker *w, const void *p, u32 bytes);
void hw_held_store(struct gpu_vm_worker *w, void *p, u32 bytes, u64 val);
/* Stores @val if the word is @old; returns its previous value. */
u64 hw_held_cas(struct gpu_vm_worker *w, void *p, u32 bytes, u64 old, u64 val);

/* sdma.c */
int hw_sdma_init(struct hw *vg);
void hw_sdma_fini(struct hw *vg);
int hw_sdma_queue_init(struct gpu_queue *q);
int hw_sdma_queue_update(struct gpu_queue *q, const struct gpu_queue_props *p);
void hw_sdma_queue_fini(struct gpu_queue *q);
void hw_sdma_queue_evict(struct gpu_queue *q);
void hw_sdma_queue_restore(struct gpu_queue *q);
/* Stops all queues of a process, or of all if NULL; true if one was not stopped yet. */
bool hw_sdma_kill_locked(struct hw *vg, const struct gpu_process *p);
/* Looks at the doorbells for the SDMA threads; true if one was rung. */
bool hw_sdma_watch(struct hw *vg);
/* Arms a doorbell slice that is not armed; false if there is none. */
bool hw_sdma_arm_one(struct hw *vg);
void hw_sdma_show_locked(struct hw *vg, struct seq_file *m);

/* retire.c */
u64 hw_busy_time_locked(const struct hw_busy *b);
/* Return: 0; -EBUSY: not now; or an error of its memory. */
int hw_grid_start(struct hw_env *e, const struct cp_dispatch *d);
int hw_packet_complete(struct hw_env *e, struct cp_done *done);
/*
 * A dispatch of a checkpoint is in flight again, as grids[@at] of @vq, which is evicted: -EBUSY if
 * that is in use, -EINVAL if the queue is stopped.
 */
int hw_grid_adopt(struct hw_compute *vq, unsigned int at, const struct cp_dispatch *d,
		  u64 started, u64 finished, u64 elapsed);
/* Finishes completions that waited for pages; on the CP thread. True if there were any. */
bool hw_retire_late(struct hw_cp *cp);
/* Drops everything that a queue has in flight. */
void hw_compute_abort_locked(struct hw_compute *vq);

/* fault.c */
/* A wave stops @vq for good. The CP reports @code (CP_ERR_*) once none of its waves run. */
void hw_compute_failed(struct hw_compute *vq, u32 code);
void hw_memory_failed(struct gpu_queue *q, int err, const struct gpu_fault *fault);
/* error.c: codes of the packet processor (CP_ERR_*) */
enum gpu_queue_error hw_error_of_code(u32 code);

/* stats.c: the debugfs files of a GPU */
void hw_stats_init(struct hw *vg);
void hw_stats_fini(struct hw *vg);

/* state.c */
void hw_compute_state(const struct gpu_queue *q, struct gpu_queue_state *s);

/* fault.c: gpu_backend_reset() */
int hw_reset(struct gpu_device *gdev, struct gpu_process *p);
/* Stops queues of @p, NULL: of all processes, for good. True if this call stopped any. */
bool hw_lose_queues(struct hw *vg, const struct gpu_process *p);
/* hw.c: raises an interrupt; @event_id: as for gpu_host_ops.event */
void hw_interrupt(struct hw *vg, struct gpu_process *p, u32 event_id);
/* hw.c: counts uses of an unsupported instruction or packet; NULL: it has no name */
void hw_count_illegal(struct hw *vg, const char *name);

#endif /* HW_H */
