/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a GPU has around its shader cores: who is who, and the one lock.
 *
 *   hw			a GPU: one CP thread, and an engine that runs its waves (engine.h)
 *   hw_compute		a user queue: packet processor state, its dispatches
 *   hw_grid		a dispatch in flight: a cursor over work-groups
 *   hw_sdma		an SDMA thread; its queues are apart (sdma.h)
 *
 * hw.lock (spinlock, "run_lock" of the lock order) guards every list, state
 * and count that more than one thread looks at. It is held for a few dozen
 * instructions, never across memory accesses, sections or upcalls.
 *
 * Who may be in a queue, and when, stands in hw/queue.h. The engine is inside for a turn,
 * the CP for a step; both are bounded, or end early when the queue does not run any more.
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
#define HW_ILLEGAL_NAMES	64
#define HW_MAX_CUS		512

struct engine_ops;
struct seq_file;
struct hw;
struct hw_cp;
struct hw_compute;
struct hw_sdma;

/**
 * struct hw_busy - how long there was at least one dispatch (lock)
 * @n: dispatches in flight; @since: when the first of them came
 * @ns: all times before that
 */
struct hw_busy {
	unsigned int n;
	u64 since, ns;
};

/**
 * struct hw_grid - a dispatch in flight
 * @node: in hw.grids while groups are left to start (lock)
 * @used: the slot is taken (lock)
 * @aborted: drop it without completion; set under lock, read anywhere
 * @packet: place of its packet in the ring, as a trap handler is told
 * @started: next group to start; @finished: groups done; @resident: groups that the
 *	engine has (all lock)
 * @seq: order of dispatches on this GPU, for instruction cache validation
 * @done: how far its completion is; who has taken the last group, or the grid from
 *	hw.late
 */
struct hw_grid {
	struct list_head node;
	struct hw_compute *vq;
	struct cp_dispatch d;
	u32 packet;
	bool used;
	bool aborted;
	u64 started, finished;
	u32 resident;
	u64 seq;
	u64 start_clock;
	u64 start_ns;
	struct cp_done done;
};

/* A compute unit, as HW_ID and XCC_ID name it. */
struct hw_cu_id {
	u8 xcc, se, sh, cu;
};

/**
 * struct hw_saved - do a queue's waves stand in its save area?
 * @valid: all of them do
 * @late: they should, but the queue was evicted when it was taken off: once it is restored
 */
struct hw_saved {
	bool valid, late;
};

/**
 * enum hw_stay - what a CP thread does in a queue
 * @HW_STAY_NONE: none is there
 * @HW_STAY_STEP: it steps packets
 * @HW_STAY_STALL: it waits for a page, and has been replaced
 */
enum hw_stay { HW_STAY_NONE, HW_STAY_STEP, HW_STAY_STALL };

/**
 * struct hw_compute - what gpu_queue.priv points to
 * @hq: what it has in common with SDMA queues; in hw.queues
 * @owner: id of the owning process: memory of the engine's that another owner's waves
 *	have used is cleared first, and so is what a CPU has learnt from them
 * @cp: packet processor; the CP thread's, but for the parts @retire_lock guards
 * @retire_lock: cp_ring_release() and cp_packet_finish()
 * @weight: its share of slots and of the engine, by its priority
 * @fail_code: why it failed, while the CP has still to say so (lock)
 * @stay: what a CP thread does in it (lock)
 * @blocked: the CP waits for an in-flight packet of this queue
 * @ngrids: of @grids, those in use; @full: the CP wants one, and is to be woken
 *	when @ngrids has come down to HW_QUEUE_REFILL: a wake-up per dispatch
 *	costs more than a small dispatch does (lock)
 * @cp_stuck_ns: since when the CP cannot get further, 0 if it can (CP's); hq.stuck_ns:
 *	since when no instruction of its waves was executed
 * @watched: the CP looks at that by itself until @watch_until (CP's)
 * @trapped: its process's trap handler has run, and may have halted waves for
 *	somebody to look at them: that is no hang
 * @saved: who calls queue_update's
 * @cu_mask: where its waves may run, by index in hw.cus; @cu_masked: not
 *	everywhere (lock)
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
	struct hw_grid grids[HW_QUEUE_GRIDS];
	struct hw_saved saved;
	DECLARE_BITMAP(cu_mask, HW_MAX_CUS);
	bool cu_masked;
};

/**
 * struct hw_cp - a thread that steps packets
 * There is one, hw.cp, and those it has replaced (stall.c).
 * @vmw: for shootdowns
 * @node: in hw.cps_through when it is done
 */
struct hw_cp {
	struct hw *vg;
	struct task_struct *task;
	struct gpu_vm_worker vmw;
	struct list_head node;
};

/**
 * struct hw_sched_view - what one walk over the queues shows, which may be thousands
 * @mapped: those that have a slot
 * @waiting: those with work that have none, who is to have one first comes first; as
 *	many as there are slots
 * @score: of those: how long, by their weight
 */
struct hw_sched_view {
	unsigned int slots, nmapped, nwaiting;
	struct hw_compute *mapped[HW_QUEUE_MAX_SLOTS];
	struct hw_compute *waiting[HW_QUEUE_MAX_SLOTS];
	u64 score[HW_QUEUE_MAX_SLOTS];
};

/**
 * struct hw - gpu_device.backend_priv
 * @slow: emulated host CPU: no hot polling, shorter instruction budgets
 * @hot_ns: how long idle threads look around before they sleep
 * @turn_ns: a queue's turn; @quantum_ns: its time in a slot, if others wait for one
 * @engine: who runs waves, while there is an engine; @engine_priv: the engine's
 * @queues,@nqueues,@grids,@next_seq: lock
 * @hqds: slots taken (lock); @sched_view: the scheduler's (lock)
 * @sched_looks: the most queues that it has looked at in one turn, for debugfs
 * @cus,@ncus: compute units, in the order of CU masks
 * @cp: who steps packets (lock); @cps_away: replaced ones (lock)
 * @cps_through: those of them that may be stopped (lock)
 * @late: finished grids whose completion waits for pages (lock)
 * @kick: the CP has something to look at
 * @packets,@dispatches: the CP's, read by debugfs
 * @polling: queues that wait for memory; CP only, read by who completes a dispatch
 * @busy: of the whole GPU
 * @sdma,@nsdma: SDMA threads; @nsdma_queues: their queues (lock)
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
	struct list_head grids;
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

	struct hw_sdma *sdma;
	unsigned int nsdma;
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
 * @w: the thread's; @err: of the memory operation that failed
 * @fault: filled if that is -EFAULT
 * @last_words: the queue is dead, and this is to say so
 * @cp: the thread, if it is one that steps packets
 * @nowait: -EAGAIN goes back to the caller, who holds a lock or is a worker
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
u64 hw_clock(void);	/* 100 MHz, never backwards */

/* compute.c */
int hw_compute_init(struct gpu_queue *q);
int hw_compute_update(struct gpu_queue *q, const struct gpu_queue_props *p);
void hw_compute_fini(struct gpu_queue *q);
void hw_compute_evict(struct gpu_queue *q);
void hw_compute_restore(struct gpu_queue *q);

/* cus.c */
void hw_cus_init(struct hw *vg);
int hw_cu_mask(struct gpu_queue *q, const u32 *mask, u32 bits);
/* The CU of the work-group that is the dispatch's @index-th to start. */
unsigned int hw_cu_pick_locked(const struct hw_compute *vq, u64 index);

/* save.c: a compute queue at rest, or evicted; under process->lock */
/* It is about to run: 0; -EINTR, -ETIME: its waves could not all be read. */
int hw_waves_load(struct hw_compute *vq);
/* It changes from @was_on to @on: its waves go to the save area, if that takes it off. */
void hw_waves_update(struct hw_compute *vq, bool was_on, bool on);
/* It is about to be restored: waves come and go as its last update wanted it. */
void hw_waves_restore(struct hw_compute *vq);
/* See gpu_backend_queue_wave_state(). */
int hw_waves_state(struct gpu_queue *q, u32 xcc, struct gpu_wave_state *s, u32 *stack);

/* hang.c */
/* The CP was at @vq, which is entered: true if it has to look again in time. */
bool hw_hang_watch(struct hw_compute *vq, enum cp_status status);
u64 hw_hang_poll_ns(void);
/* @vq is off, and about to be put back: meanwhile nobody could get on. */
void hw_hang_restored(struct hw_compute *vq);
/* @vq is off all lists. */
void hw_hang_destroyed(struct hw_compute *vq);

/* sched.c */
u32 hw_weight(u32 priority);
/* Give the HQD slots out; true if somebody waits for one. */
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
/* A CP thread is through with a stay in @vq. */
void hw_stay_end_locked(struct hw_compute *vq);
/* After -EAGAIN: 0 to try again, or why not. */
int hw_stall(struct hw_env *e);

/* env.c */
/* @cp: the thread, if it is one that steps packets; others do not wait for pages. */
void hw_env_init(struct hw_env *e, struct gpu_vm_worker *w, struct hw_cp *cp,
		   struct hw_compute *vq);
/*
 * Enter a section in which the naturally aligned word of @bytes at @va is resident; its
 * address, or ERR_PTR as gpu_vm_hold().
 */
void *hw_hold(struct gpu_vm_worker *w, struct gpu_vm *vm, u64 va, u32 bytes, u32 access,
		struct gpu_fault *fault);

/*
 * One access to the word at @p of 4 or 8 @bytes, and the end of the section.
 * Load and store pair with the release and the acquire of user space, and of
 * engines: what was written before a word is seen by who saw the word.
 */
u64 hw_held_load(struct gpu_vm_worker *w, const void *p, u32 bytes);
void hw_held_store(struct gpu_vm_worker *w, void *p, u32 bytes, u64 val);
/* What was there before; it is @val now if that was @old. */
u64 hw_held_cas(struct gpu_vm_worker *w, void *p, u32 bytes, u64 old, u64 val);

/* sdma.c */
int hw_sdma_init(struct hw *vg);
void hw_sdma_fini(struct hw *vg);
int hw_sdma_queue_init(struct gpu_queue *q);
int hw_sdma_queue_update(struct gpu_queue *q, const struct gpu_queue_props *p);
void hw_sdma_queue_fini(struct gpu_queue *q);
void hw_sdma_queue_evict(struct gpu_queue *q);
void hw_sdma_queue_restore(struct gpu_queue *q);
/* Stop all queues of a process, NULL: of all; true if there was one that ran. */
bool hw_sdma_kill_locked(struct hw *vg, const struct gpu_process *p);
/* Look at the doorbells for the SDMA threads; true if one was rung. */
bool hw_sdma_watch(struct hw *vg);
/* Arm a slice of doorbells that is not; false if there is none. */
bool hw_sdma_arm_one(struct hw *vg);
void hw_sdma_show_locked(struct hw *vg, struct seq_file *m);

/* retire.c */
u64 hw_busy_time_locked(const struct hw_busy *b);
int hw_grid_start(struct hw_compute *vq, const struct cp_dispatch *d);
int hw_packet_complete(struct hw_env *e, struct cp_done *done);
/* Completions that waited for pages; on the CP thread. True if there were any. */
bool hw_retire_late(struct hw_cp *cp);
/* Drop everything a queue has in flight. */
void hw_compute_abort_locked(struct hw_compute *vq);

/* fault.c */
/* A wave stops @vq for good; the CP says so with @code (CP_ERR_*) when nothing of it runs. */
void hw_compute_failed(struct hw_compute *vq, u32 code);
void hw_memory_failed(struct gpu_queue *q, int err, const struct gpu_fault *fault);
/* error.c: codes of the packet processor (CP_ERR_*) */
enum gpu_queue_error hw_error_of_code(u32 code);

/* state.c */
void hw_compute_state(const struct gpu_queue *q, struct gpu_queue_state *s);

/* fault.c: gpu_backend_reset() */
int hw_reset(struct gpu_device *gdev, struct gpu_process *p);
/* hw.c: the GPU interrupts; @event_id: as gpu_host_ops.event has it */
void hw_interrupt(struct hw *vg, struct gpu_process *p, u32 event_id);
/* hw.c: an instruction or a packet that is not supported was met; NULL: it has no name */
void hw_count_illegal(struct hw *vg, const char *name);

#endif /* HW_H */
