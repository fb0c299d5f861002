/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The virtual GPU: who is who, and the one lock.
 *
 *   vgpu		a GPU: one CP thread, a pool of CU workers
 *   vgpu_queue		a user queue: packet processor state, its dispatches
 *   vgpu_grid		a dispatch in flight: a cursor over work-groups
 *   vgpu_worker	a CU worker thread: owns its resident groups
 *   vgpu_group		a resident work-group: waves, registers, LDS
 *   vgpu_sdma		an SDMA thread; its queues are apart (sdma.h)
 *
 * vgpu.lock (spinlock, "run_lock" of the lock order) guards every list, state
 * and count that more than one thread looks at. It is held for a few dozen
 * instructions, never across memory accesses, sections or upcalls.
 *
 * Who may be in a queue, and when, stands in hw/queue.h. A worker is inside for a turn,
 * the CP for a step; both are bounded, or end early when the queue does not run any more.
 */
#ifndef VGPU_H
#define VGPU_H

#include <linux/atomic.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "../../cp/cp.h"
#include "../../gpu/access.h"
#include "../../gpu/backend.h"
#include "../../gpu/device.h"
#include "../../gpu/doorbell.h"
#include "../../gpu/faulter.h"
#include "../../gpu/pagecache.h"
#include "../../gpu/process.h"
#include "../../gpu/queue.h"
#include "../../gpu/vm.h"
#include "../../hw/queue.h"
#include "../../model/target.h"

#define VGPU_MAX_WAVES		16	/* of a work-group */
#define VGPU_QUEUE_GRIDS	32	/* dispatches of a queue in flight */
#define VGPU_QUEUE_REFILL	(VGPU_QUEUE_GRIDS * 3 / 4)
#define VGPU_MAX_WORKERS	256
#define VGPU_SCRATCH_WAVES	4096	/* TMPRING_SIZE.WAVES is 12 bits */
#define VGPU_ILLEGAL_NAMES	64
#define VGPU_MAX_CUS		512
#define VGPU_GWS_RESOURCES	64

struct isa_lane_ops;
struct isa_target;
struct seq_file;
struct vgpu;
struct vgpu_cp;
struct vgpu_group;
struct vgpu_queue;
struct vgpu_sdma;
struct vgpu_worker;

/**
 * struct vgpu_busy - how long there was at least one dispatch (lock)
 * @n: dispatches in flight; @since: when the first of them came
 * @ns: all times before that
 */
struct vgpu_busy {
	unsigned int n;
	u64 since, ns;
};

/**
 * struct vgpu_grid - a dispatch in flight
 * @node: in vgpu.grids while groups are left to start (lock)
 * @used: the slot is taken (lock)
 * @aborted: drop it without completion; set under lock, read anywhere
 * @started: next group to start; @finished: groups done; @resident: groups in
 *	workers (all lock)
 * @seq: order of dispatches on this GPU, for instruction cache validation
 * @done: how far its completion is; who has taken the last group, or the grid from
 *	vgpu.late
 */
struct vgpu_grid {
	struct list_head node;
	struct vgpu_queue *vq;
	struct cp_dispatch d;
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
struct vgpu_cu_id {
	u8 xcc, se, sh, cu;
};

/**
 * struct vgpu_share - a queue on a worker
 * @groups,@waves: resident there (lock); @load: then, part of the worker's
 * @cus: of the queue's CUs, those that the worker runs (lock)
 * @vtime: time it has had, by its weight
 * @target: how many groups to keep resident when there is a choice
 * @progress_ns: when one last ended; @grow_ns: when @target last grew
 *	(@vtime to @grow_ns: the worker's)
 */
struct vgpu_share {
	u32 groups, waves, cus, load;
	u64 vtime;
	u32 target;
	u64 progress_ns, grow_ns;
};

/**
 * struct vgpu_saved - what of a queue stands in its save area
 * @valid: all of its waves do
 * @late: they should, but the queue was evicted when it was taken off: once it is restored
 * @waves,@bytes: how many and how much, in the area of each XCC
 */
struct vgpu_saved {
	bool valid, late;
	u32 waves[GPU_MAX_XCCS], bytes[GPU_MAX_XCCS];
};

/* A resource of global wave sync (vgpu_queue.gws_lock). */
struct vgpu_gws_res {
	u32 counter, releases;
	bool flag;
};

/**
 * enum vgpu_stay - what a CP thread does in a queue
 * @VGPU_STAY_NONE: none is there
 * @VGPU_STAY_STEP: it steps packets
 * @VGPU_STAY_STALL: it waits for a page, and has been replaced
 */
enum vgpu_stay { VGPU_STAY_NONE, VGPU_STAY_STEP, VGPU_STAY_STALL };

/**
 * struct vgpu_queue - what gpu_queue.priv points to
 * @hq: what it has in common with SDMA queues; in vgpu.queues
 * @owner: id of the owning process: memory of a worker that another owner's waves
 *	have used is cleared first, and so is what a CPU has learnt from them (hostcpu.c)
 * @cp: packet processor; the CP thread's, but for the parts @retire_lock guards
 * @retire_lock: cp_ring_release() and cp_packet_finish()
 * @weight: its share of slots and workers, by its priority
 * @fail_code: why it failed, while the CP has still to say so (lock)
 * @stay: what a CP thread does in it (lock)
 * @blocked: the CP waits for an in-flight packet of this queue
 * @ngrids: of @grids, those in use; @full: the CP wants one, and is to be woken
 *	when @ngrids has come down to VGPU_QUEUE_REFILL: a wake-up per dispatch
 *	costs more than a small dispatch does (lock)
 * @cp_stuck_ns: since when the CP cannot get further, 0 if it can (CP's); hq.stuck_ns:
 *	since when no instruction of its waves was executed
 * @watched: the CP looks at that by itself until @watch_until (CP's)
 * @trapped: its process's trap handler has run, and may have halted waves for
 *	somebody to look at them: that is no hang
 * @groups: its resident groups, oldest first; @block_bytes: their memory (lock)
 * @block: one that it brought, while no group is in it (lock); @has_block
 * @moving: waves are being saved or restored: no group leaves (lock)
 * @saved: who calls queue_update's
 * @scratch: wave slots of the queue's scratch in use; @scratch_short: a worker that
 *	would have started a group found none free (lock)
 * @gws_lock: guards @gws; inside nothing, takes nothing
 * @gws: global wave sync
 * @cu_mask: where its waves may run, by index in vgpu.cus; @cu_masked: not
 *	everywhere (lock)
 * @on_worker: what it has on each worker
 */
struct vgpu_queue {
	struct hw_queue hq;
	struct vgpu *vg;
	u64 owner;
	struct cp_queue cp;
	struct mutex retire_lock;	/* cp.release, cp.done, cp.finished */
	u32 weight;
	u32 fail_code;
	enum vgpu_stay stay;
	u64 cp_stuck_ns, watch_until;
	bool trapped, watched;
	bool blocked, full;
	unsigned int ngrids;
	u64 packets, dispatches;
	struct vgpu_busy busy;
	struct vgpu_grid grids[VGPU_QUEUE_GRIDS];
	struct list_head groups;
	u64 block_bytes;
	struct vgpu_group *block;
	bool has_block;
	bool moving;
	struct vgpu_saved saved;
	DECLARE_BITMAP(scratch, VGPU_SCRATCH_WAVES);
	bool scratch_short;
	raw_spinlock_t gws_lock;	/* gws */
	struct vgpu_gws_res gws[VGPU_GWS_RESOURCES];
	DECLARE_BITMAP(cu_mask, VGPU_MAX_CUS);
	bool cu_masked;
	struct vgpu_share on_worker[];
};

/**
 * struct vgpu_cp - a thread that steps packets
 * There is one, vgpu.cp, and those it has replaced (stall.c).
 * @vmw: for shootdowns
 * @node: in vgpu.cps_through when it is done
 */
struct vgpu_cp {
	struct vgpu *vg;
	struct task_struct *task;
	struct gpu_vm_worker vmw;
	struct list_head node;
};

/* Written by one thread each, read by debugfs. */
struct vgpu_counters {
	u64 packets, dispatches, groups, waves, insns;
	u64 misses, faults, messages, sections, section_ns, section_max_ns;
	u64 owner_changes, barriers, section_max_cpu_ns;
};

/**
 * struct vgpu_sched_view - what one walk over the queues shows, which may be thousands
 * @mapped: those that have a slot
 * @waiting: those with work that have none, who is to have one first comes first; as
 *	many as there are slots
 * @score: of those: how long, by their weight
 */
struct vgpu_sched_view {
	unsigned int slots, nmapped, nwaiting;
	struct vgpu_queue *mapped[HW_QUEUE_MAX_SLOTS];
	struct vgpu_queue *waiting[HW_QUEUE_MAX_SLOTS];
	u64 score[HW_QUEUE_MAX_SLOTS];
};

/**
 * struct vgpu - gpu_device.backend_priv
 * @slow: emulated host CPU: no hot polling, shorter instruction budgets
 * @cpu_clock: sections are timed by what the CPU has worked (debugfs section_cpu_clock)
 * @hot_ns: how long idle threads look around before they sleep
 * @section_ns,@turn_ns,@grow_ns,@quantum_ns: lengths aimed at
 * @queues,@nqueues,@grids,@next_seq: lock
 * @hqds: slots taken (lock); @sched_view: the scheduler's (lock)
 * @sched_looks: the most queues that it has looked at in one turn, for debugfs
 * @cus,@ncus: compute units, in the order of CU masks
 * @cp: who steps packets (lock); @cps_away: replaced ones (lock)
 * @cps_through: those of them that may be stopped (lock)
 * @late: finished grids whose completion waits for pages (lock)
 * @kick: the CP has something to look at
 * @work_seq: bumped when workers have
 * @polling: queues that wait for memory; CP only, read by workers
 * @block_bytes: memory in groups' blocks
 * @tlb_epoch,@code_epoch: bumped to invalidate the workers' caches
 * @busy: of the whole GPU
 * @sdma,@nsdma: SDMA threads; @nsdma_queues: their queues (lock)
 * @illegal: unsupported instructions and packets by name (lock)
 */
struct vgpu {
	struct gpu_device *gdev;
	const struct isa_target *isa;
	const struct isa_lane_ops *lane;
	bool slow, cpu_clock;
	u64 hot_ns, section_ns, turn_ns, grow_ns, quantum_ns;

	spinlock_t lock;		/* run lists, queues, grids: see above */
	struct list_head queues;
	unsigned int nqueues;
	struct list_head grids;
	u64 next_seq;
	DECLARE_BITMAP(hqds, HW_QUEUE_MAX_SLOTS);
	struct vgpu_sched_view sched_view;
	unsigned int sched_looks;
	struct vgpu_cu_id cus[VGPU_MAX_CUS];
	unsigned int ncus;

	struct vgpu_cp *cp;
	struct list_head cps_through, late;
	unsigned int cps_away;
	wait_queue_head_t cp_wq;
	atomic_t kick;
	struct vgpu_counters cp_n;
	atomic64_t doorbell_wakes, events, queue_errors, bad_packets, vm_faults, resets,
		traps;

	struct vgpu_worker *workers;
	unsigned int nworkers;
	wait_queue_head_t work_wq;
	atomic_t work_seq;
	unsigned int polling;
	atomic64_t block_bytes;
	atomic_t tlb_epoch, code_epoch;

	struct vgpu_sdma *sdma;
	unsigned int nsdma;
	unsigned int nsdma_queues;
	atomic64_t sdma_packets, sdma_bytes, sdma_busy_ns;

	struct vgpu_busy busy;
	struct {
		const char *name;
		u64 count;
	} illegal[VGPU_ILLEGAL_NAMES];
	struct dentry *stats_file, *queues_file, *opcodes_file, *clock_file;
};

static inline struct vgpu *to_vgpu(struct gpu_device *gdev)
{
	return gdev->backend_priv;
}

/**
 * struct vgpu_env - cp_env of one thread for one queue
 * @w: the thread's; @err: of the memory operation that failed
 * @fault: filled if that is -EFAULT
 * @last_words: the queue is dead, and this is to say so
 * @cp: the thread, if it is one that steps packets
 * @nowait: -EAGAIN goes back to the caller, who holds a lock or is a worker
 * @stalled_ns: since when an operation waits for a page, or 0
 */
struct vgpu_env {
	struct cp_env env;
	struct gpu_vm_worker *w;
	struct vgpu_queue *vq;
	struct gpu_fault fault;
	int err;
	bool last_words;
	struct vgpu_cp *cp;
	bool nowait;
	u64 stalled_ns;
};

/* vgpu.c */
u64 vgpu_clock(void);	/* 100 MHz, never backwards */

/* queue.c */
int vgpu_queue_init(struct gpu_queue *q);
int vgpu_queue_update(struct gpu_queue *q, const struct gpu_queue_props *p);
void vgpu_queue_fini(struct gpu_queue *q);
void vgpu_queue_evict(struct gpu_queue *q);
void vgpu_queue_restore(struct gpu_queue *q);
u64 vgpu_queue_waves(struct gpu_queue *q);

/* hang.c */
/* The CP was at @vq, which is entered: true if it has to look again in time. */
bool vgpu_hang_watch(struct vgpu_queue *vq, enum cp_status status);
u64 vgpu_hang_poll_ns(void);
/* A turn of a group of @vq executed @insns instructions. */
void vgpu_hang_turn(struct vgpu_queue *vq, u64 insns);
/* @vq is off, and about to be put back: meanwhile nobody could get on. */
void vgpu_hang_restored(struct vgpu_queue *vq);
/* @vq is off all lists. */
void vgpu_hang_destroyed(struct vgpu_queue *vq);

/* sched.c */
u32 vgpu_weight(u32 priority);
/* Give the HQD slots out; true if somebody waits for one. */
bool vgpu_sched(struct vgpu *vg);

/* cpthread.c */
int vgpu_cp_thread(void *arg);
void vgpu_cp_kick(struct vgpu *vg);

/* stall.c */
int vgpu_cp_start(struct vgpu *vg);
void vgpu_cp_stop(struct vgpu *vg);
bool vgpu_cp_replaced(struct vgpu_cp *cp);
void vgpu_cp_through(struct vgpu_cp *cp);
void vgpu_cp_reap(struct vgpu *vg);
/* A CP thread is through with a stay in @vq. */
void vgpu_stay_end_locked(struct vgpu_queue *vq);
/* After -EAGAIN: 0 to try again, or why not. */
int vgpu_stall(struct vgpu_env *e);

/* mem.c */
/* @cp: the thread, if it is one that steps packets; others do not wait for pages. */
void vgpu_env_init(struct vgpu_env *e, struct gpu_vm_worker *w, struct vgpu_cp *cp,
		   struct vgpu_queue *vq);
/*
 * Enter a section in which the naturally aligned word of @bytes at @va is resident; its
 * address, or ERR_PTR as gpu_vm_hold().
 */
void *vgpu_hold(struct gpu_vm_worker *w, struct gpu_vm *vm, u64 va, u32 bytes, u32 access,
		struct gpu_fault *fault);

/*
 * One access to the word at @p of 4 or 8 @bytes, and the end of the section.
 * Load and store pair with the release and the acquire of user space, and of
 * engines: what was written before a word is seen by who saw the word.
 */
u64 vgpu_held_load(struct gpu_vm_worker *w, const void *p, u32 bytes);
void vgpu_held_store(struct gpu_vm_worker *w, void *p, u32 bytes, u64 val);
/* What was there before; it is @val now if that was @old. */
u64 vgpu_held_cas(struct gpu_vm_worker *w, void *p, u32 bytes, u64 old, u64 val);

/* sdma.c */
int vgpu_sdma_init(struct vgpu *vg);
void vgpu_sdma_fini(struct vgpu *vg);
int vgpu_sdma_queue_init(struct gpu_queue *q);
int vgpu_sdma_queue_update(struct gpu_queue *q, const struct gpu_queue_props *p);
void vgpu_sdma_queue_fini(struct gpu_queue *q);
void vgpu_sdma_queue_evict(struct gpu_queue *q);
void vgpu_sdma_queue_restore(struct gpu_queue *q);
/* Stop all of a process's queues; true if there was one that ran. */
bool vgpu_sdma_kill_locked(struct vgpu *vg, const struct gpu_process *p);
/* Look at the doorbells for the SDMA threads; true if one was rung. */
bool vgpu_sdma_watch(struct vgpu *vg);
/* Arm a slice of doorbells that is not; false if there is none. */
bool vgpu_sdma_arm_one(struct vgpu *vg);
void vgpu_sdma_show_locked(struct vgpu *vg, struct seq_file *m);

/* retire.c */
u64 vgpu_busy_time_locked(const struct vgpu_busy *b);
int vgpu_grid_start(struct vgpu_queue *vq, const struct cp_dispatch *d);
int vgpu_packet_complete(struct vgpu_env *e, struct cp_done *done);
/* Completions that waited for pages; on the CP thread. True if there were any. */
bool vgpu_retire_late(struct vgpu_cp *cp);
/**
 * struct vgpu_grid_left - what is to be done when a work-group has left its grid
 * @retire: it was the last one: complete the dispatch
 * @drained: the last one of a grid that is dropped
 */
struct vgpu_grid_left {
	bool retire, drained;
};

/* Of @grid one work-group less is resident, and if @finished one more has finished. */
void vgpu_grid_leave_locked(struct vgpu_grid *grid, bool finished, struct vgpu_grid_left *left);
/* After that, without the lock: what it said in @left is done. @w is the caller's. */
void vgpu_grid_left(struct gpu_vm_worker *w, struct vgpu_grid *grid,
		    const struct vgpu_grid_left *left);
/* Drop everything a queue has in flight. */
void vgpu_queue_abort_locked(struct vgpu_queue *vq);

/* fault.c */
/* A wave stops @vq for good; the CP says so with @code (CP_ERR_*) when nothing of it runs. */
void vgpu_queue_failed(struct vgpu_queue *vq, u32 code);
void vgpu_memory_failed(struct gpu_queue *q, int err, const struct gpu_fault *fault);
/* error.c: codes of the packet processor (CP_ERR_*) */
enum gpu_queue_error vgpu_error_of_code(u32 code);

/* state.c */
void vgpu_queue_state(const struct gpu_queue *q, struct gpu_queue_state *s);

/* stats.c */
void vgpu_stats_init(struct vgpu *vg);
void vgpu_stats_fini(struct vgpu *vg);
void vgpu_count_illegal(struct vgpu *vg, const char *name);

#endif /* VGPU_H */
