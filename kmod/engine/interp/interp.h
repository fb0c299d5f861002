/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interpreter, an engine (hw/engine.h): workers, resident work-groups, and what they
 * share. Only files that include this header use isa/.
 *
 *   interp		its part of a GPU: a pool of CU workers
 *   interp_queue	its part of a user queue
 *   interp_worker	a CU worker thread: owns its resident groups
 *   interp_group	a resident work-group: waves, registers, LDS
 *
 * A group stays with the worker that admitted it, unless that worker has more to do than
 * others (balance.c). A group whose queue may not run stays there, parked. Its registers are the
 * saved state, except when user space has taken the queue off (cwsr.c). In this file "lock"
 * means hw.lock.
 */
#ifndef INTERP_INTERP_H
#define INTERP_INTERP_H

#include "../../gpu/charged.h"
#include "../../hw/engine.h"
#include "../../isa/barrier.h"
#include "../../isa/grid.h"
#include "../../isa/isa.h"

#define INTERP_MAX_WAVES	32	/* of a work-group: of 32 lanes each */
#define INTERP_MAX_WORKERS	256
#define INTERP_SCRATCH_WAVES	4096	/* TMPRING_SIZE.WAVES is 12 bits */

struct dentry;
struct interp_group;
struct interp_remote;
struct interp_worker;

/* Each is written by one thread, and read by debugfs. */
struct interp_counters {
	u64 groups, waves, insns, compiled, misses, faults, messages;
	u64 sections, section_ns, section_max_ns;
	u64 owner_changes, barriers, section_max_cpu_ns;
};

/**
 * struct interp - hw.engine_priv
 * @cpu_clock: measure sections by the CPU's working time, too (debugfs section_cpu_clock)
 * @section_ns,@grow_ns: target lengths
 * @nworkers: CU i of the GPU belongs to worker i modulo this
 * @work_seq: incremented when workers have something to look at
 * @block_bytes: memory in groups' blocks
 * @pick_looks: the most queues that were looked at to find a group, for debugfs (lock)
 * @remotes: engine processes (remote.c); @remote_starts: how many there have been; @remote_n,
 *	@remote_opcodes: what the threads of those that are gone have counted
 * @tlb_epoch,@code_epoch: incremented to invalidate the workers' caches
 */
struct interp {
	struct hw *vg;
	const struct isa_target *isa;
	const struct isa_lane_ops *lane;
	bool cpu_clock;
	u64 section_ns, grow_ns;
	struct interp_worker *workers;
	unsigned int nworkers;
	wait_queue_head_t work_wq;
	atomic_t work_seq;
	atomic64_t block_bytes;
	unsigned int pick_looks;
	atomic_t tlb_epoch, code_epoch;
	struct dentry *opcodes_file, *engine_file, *clock_file;
	struct mutex remotes_lock;	/* the four below */
	struct list_head remotes;
	u64 remote_starts, *remote_opcodes;
	struct interp_counters remote_n;
};

static inline struct interp *to_interp(const struct hw *vg)
{
	return vg->engine_priv;
}

/**
 * struct interp_share - a queue's part of a worker
 * @node: in worker->shares while it has groups there (lock)
 * @awake: those that the worker runs in turn, the next one first; the worker's own
 * @groups,@waves: resident there (lock); @load: its part of the worker's load while it has groups
 * @cus: number of the queue's CUs that belong to the worker (lock)
 * @vtime: time it has had, scaled by its weight
 * @target: how many groups to keep resident if there is a choice
 * @progress_ns: when a group last ended; @grow_ns: when @target last grew
 *	(only the worker changes @vtime to @grow_ns)
 */
struct interp_share {
	struct list_head node, awake;
	u32 groups, waves, cus, load;
	u64 vtime;
	u32 target;
	u64 progress_ns, grow_ns;
};

/* A resource of global wave sync (interp_queue.gws_lock). */
struct interp_gws_res {
	u32 counter, releases;
	bool flag;
};

/**
 * struct interp_queue - a compute queue
 * @vq: hw/'s part
 * @groups: its resident groups, oldest first; @block_bytes: their memory (lock)
 * @block: the block that it brought, while no group uses it (lock); @has_block: it brought one
 * @moving: waves are being saved or restored, so no group may leave (lock)
 * @saved_waves,@saved_bytes: number and size of the waves in the save area of each XCC; used
 *	only while waves are saved, loaded or queried
 * @scratch: wave slots of the queue's scratch in use; @scratch_short: a worker found no free
 *	slot for a group (lock)
 * @remote: the engine process that runs its waves; NULL: the kernel does
 * @gws_lock: guards @gws; the innermost lock
 * @gws: global wave sync
 * @on_worker: its share of each worker
 */
struct interp_queue {
	struct hw_compute vq;
	struct list_head groups;
	u64 block_bytes;
	struct interp_group *block;
	bool has_block;
	bool moving;
	u32 saved_waves[GPU_MAX_XCCS], saved_bytes[GPU_MAX_XCCS];
	DECLARE_BITMAP(scratch, INTERP_SCRATCH_WAVES);
	bool scratch_short;
	struct interp_remote *remote;
	raw_spinlock_t gws_lock;	/* gws */
	struct interp_gws_res gws[ISA_GWS_RESOURCES];
	struct interp_share on_worker[];
};

static inline struct interp_queue *to_interp_queue(const struct hw_compute *vq)
{
	return container_of(vq, struct interp_queue, vq);
}

/* What a wave waits for, and the state of the resource when the wait began. */
struct interp_gws_wait {
	u32 releases;
	u8 op, id;
	bool flag;
};

enum interp_wave_state { INTERP_WAVE_RUN, INTERP_WAVE_BARRIER, INTERP_WAVE_END, INTERP_WAVE_HALT,
	INTERP_WAVE_GWS };

/**
 * struct interp_group - a resident work-group
 * @node: in worker->resident, worker->asleep or worker->spare
 * @turn_node: in interp_share.awake while @node is in worker->resident
 * @queue_node: in queue->groups (lock)
 * @memory: what it was allocated as; this structure is its beginning
 * @mem,@bytes: one block: waves, LDS, VGPR rows; divided at each launch
 * @used_bytes: the part of it that waves of @owner may have written
 * @home: the worker's first block, large enough for any work-group
 * @keeper: the queue that brought the block and alone may use it, or NULL
 * @payer: owner of the queues that may use the block, charged for it; 0: @home or @keeper is set
 * @spare_since: when it was added to worker->spare, in jiffies
 * @next: next wave to run
 * @barriers: its barriers; @barrier: by wave, the one that it waits at
 * @live: waves that have not ended
 * @laid_waves,@laid_rows,@wave_rows: the layout of the block
 * @slot: first scratch wave slot, or -1
 * @counted: number of waves it was admitted with
 * @asleep: none of its waves could run in its last turn
 * @cu: the CU that it runs on, an index in hw.cus
 * @of: what all groups of its grid have in common
 */
struct interp_group {
	struct list_head node, turn_node, queue_node;
	struct gpu_memory memory;
	void *mem;
	size_t bytes, used_bytes;
	u64 owner, payer;
	bool home;
	unsigned long spare_since;
	struct interp_queue *keeper;
	struct hw_grid *grid;
	u64 index;
	struct isa_wg wg;
	struct isa_wave *wave[INTERP_MAX_WAVES];
	u8 state[INTERP_MAX_WAVES];
	struct interp_gws_wait gws[INTERP_MAX_WAVES];
	struct isa_barriers barriers;
	u8 barrier[INTERP_MAX_WAVES];
	u32 nwaves, next, live;
	u32 laid_waves, laid_rows, *wave_rows;
	int slot;
	u32 counted;
	bool asleep;
	unsigned int cu;
	struct isa_grid of;
};

/* How waves come back from a section. */
enum interp_section_end {
	INTERP_SECTION_BUDGET,	/* time is up */
	INTERP_SECTION_STUCK,	/* every wave yielded or is halted */
	INTERP_SECTION_DONE,	/* the group has ended */
	INTERP_SECTION_STOP,	/* a wave needs service: isa_exit says which */
};

/**
 * struct interp_turn - a group's turn
 * @g: the group, whose queue the worker is inside of; NULL: there is no turn
 * @start,@end: when it began, and when it is over
 * @insns: executed; @groups: what the worker had begun before
 * @sections: number of them; @how: the last one ended
 */
struct interp_turn {
	struct interp_group *g;
	u64 start, end, insns, groups;
	unsigned int sections;
	enum interp_section_end how;
};

/**
 * struct interp_worker - a compute-unit worker
 * @ip,@vg: the interpreter's part of the GPU, and hw/'s
 * @vmw: in the device's list of workers, for shootdowns
 * @resident: groups that it runs in turn; @asleep: groups that wait for other groups
 * @inbox: groups that another worker has given to it (lock)
 * @shares: of queues that have groups here (lock)
 * @load: sum of the weights of the queues that have groups here; @idle: none of these may run
 *	(lock); @balanced_ns: when it last compared loads
 * @spare: blocks kept for reuse
 * @nresident: number of groups in @resident and @asleep
 * @budget: instructions per section, adapted to @ip->section_ns
 * @tlb_vm,@tlb_gen,@tlb_epoch: what the TLB is valid for
 * @code_seq,@code_epoch: what the decoded code is valid for
 * @turn: what it is at
 * @remote: it is a thread of an engine process (remote.c), and takes groups of that one's queues
 *	only; NULL: it takes those of queues that have none
 * @lazy: consecutive turns in which every wave only yielded
 * @vtime: that of the queue that had the last turn
 * @hungry: a group could not be admitted for want of memory: look again soon
 */
struct interp_worker {
	struct interp *ip;
	struct hw *vg;
	unsigned int index;
	struct task_struct *task;
	struct gpu_vm_worker vmw;
	struct isa_cu *cu;
	void *icache;
	struct list_head resident, asleep, spare, inbox, shares;
	unsigned int nresident, nspare;
	u32 load;
	bool idle;
	u64 balanced_ns;
	u32 budget;
	struct gpu_vm *tlb_vm;
	u64 tlb_gen;
	int tlb_epoch;
	u64 code_seq;
	int code_epoch;
	struct interp_turn turn;
	struct interp_remote *remote;
	unsigned int lazy;
	u64 vtime;
	bool hungry;
	struct interp_counters n;
};

/* Of the queue that @g is of */
static inline struct interp_queue *interp_queue_of(const struct interp_group *g)
{
	return to_interp_queue(g->grid->vq);
}

/* Of a worker that has not measured anything */
static inline u32 interp_first_budget(const struct interp *ip)
{
	return ip->vg->slow ? 256 : 4096;
}

/* worker.c */
int interp_workers_start(struct interp *ip);
void interp_worker_lists(struct interp_worker *w);
/* What a worker needs to have groups, except more blocks. Its lists are empty before. */
int interp_worker_alloc(struct interp *ip, struct interp_worker *w, unsigned int index, gfp_t gfp);
void interp_worker_free(struct interp_worker *w);
void interp_workers_stop(struct interp *ip);

/* stats.c: files in debugfs, and lines of the GPU's "stats" */
void interp_debugfs_init(struct interp *ip);
void interp_debugfs_fini(struct interp *ip);
void interp_show(struct hw *vg, struct seq_file *m);

/* cu.c: there is something for @nr workers: work-groups to start, or to drop */
void interp_work_kick(struct interp *ip, unsigned int nr);

/* scratch.c: slots for the waves of a group on @cu: -1 none needed, -2 none free */
int interp_scratch_find_locked(struct interp_queue *iq, const struct cp_dispatch *d,
			       unsigned int cu);
/* Are the slots from @slot on for such a group on @cu, whether or not they are free? */
bool interp_scratch_fits(const struct interp_queue *iq, const struct cp_dispatch *d,
			 unsigned int cu, u32 slot);
/* Is there scratch for the next group of @grid, where that one will be? */
bool interp_scratch_there_locked(const struct hw_grid *grid);
/* A group of @grid took another's place: is there scratch for the next, who was missed? */
bool interp_scratch_wakes_locked(const struct hw_grid *grid);
/* @g goes to @cu, and takes its scratch along into that one's XCC; false: no room. */
bool interp_scratch_move_locked(struct interp_group *g, unsigned int cu);
/* Have all CUs the same slots for @g? */
bool interp_scratch_stays(const struct interp_group *g);
/* The slot of a wave of @g in the scratch of its XCC, and where that is; @g has some. */
u32 interp_scratch_slot(const struct interp_group *g, u32 wave);
u64 interp_scratch_at(const struct interp_group *g, u32 wave);

/* hostcpu.c */
/* In a section, before code of @owner runs: what others' has left in this CPU goes. */
void interp_own_cpu(struct interp_worker *w, u64 owner);
/* Time that this CPU has worked, where the kernel can tell; else, time. */
u64 interp_cpu_clock_ns(void);

/* wave.c: what a stopped wave asks hw/ for; see hw/engine.h */
void interp_wave_exception(struct hw_compute *vq, struct isa_wave *wave,
			   const struct isa_exit *ex);
void interp_wave_message(struct hw_compute *vq, struct isa_wave *wave, u32 message);
bool interp_trap(const struct hw_exception *x, u64 tba, u64 tma);

/* cwsr.c; see struct engine_ops */
int interp_save(struct hw_compute *vq);
int interp_load(struct hw_compute *vq);
int interp_saved(struct hw_compute *vq, u32 xcc, struct gpu_wave_state *s, u32 *stack);
/*
 * Who walks a queue's groups holds them: no worker drops one until they are let go of. One
 * holder at a time, under process->lock. False: the queue is stopped for good, and they are not
 * held.
 */
bool interp_groups_hold(struct interp_queue *iq);
void interp_groups_let_go(struct interp_queue *iq);
/*
 * How much of the areas the queue's waves need; false: an area is too small. The groups are held.
 */
bool interp_measure(struct interp_queue *iq);

/* image.c; see struct engine_ops */
int interp_image(struct hw_compute *vq, void *buf, u32 room, u32 *bytes);
int interp_adopt(struct hw_compute *vq, const void *buf, u32 bytes);

/* queue.c; see struct engine_ops */
struct hw_compute *interp_queue_create(struct hw *vg, struct gpu_queue *q);
void interp_queue_destroy(struct hw_compute *vq);
bool interp_queue_idle_locked(const struct hw_compute *vq);
void interp_cu_mask_locked(struct hw_compute *vq);
u32 interp_busy_cus(struct hw *vg, const struct gpu_process *p);
/* How many workers share the CUs of a queue whose waves run in @r; NULL: in the kernel */
unsigned int interp_workers_for(const struct interp *ip, const struct interp_remote *r);
/* How many of a queue's CUs count for a worker, which is of the queue's. */
unsigned int interp_cus_of_locked(const struct interp_queue *iq, const struct interp_worker *w);

/* group.c: a block, for threads that may wait for memory; @gfp says whether they are charged */
struct interp_group *interp_block_create(size_t bytes, gfp_t gfp);
void interp_block_destroy(struct interp_group *g);
size_t interp_block_max(const struct interp *ip);
u32 interp_rows_max(const struct gpu_target *t);
u64 interp_block_cap(const struct interp *ip);
/*
 * For image.c: a block for a group of @grid, charged to the caller, or ERR_PTR; the launch of a
 * group, of which grid, index, cu and slot are set, in such a block; and the block's end.
 */
struct interp_group *interp_block_for(struct interp *ip, struct interp_queue *iq,
				      const struct hw_grid *grid);
void interp_group_relaunch(struct interp_worker *w, struct interp_group *g);
/* Where @g is, for a launch */
void interp_group_place(const struct interp_worker *w, const struct interp_group *g,
			struct isa_group_place *p);
/*
 * Others have launched @n groups in @g's block, whole ones of its grid. The last one, whose index
 * and cu are set, is launched here, too.
 */
void interp_group_begun(struct interp_worker *w, struct interp_group *g, u64 n);
void interp_block_drop(struct interp *ip, struct interp_group *g);
/* Take work-groups from the cursors; true if any was admitted. */
bool interp_admit(struct interp_worker *w);
void interp_drop_aborted(struct interp_worker *w);
/* Frees spare blocks that have been spare for @age jiffies. */
void interp_spare_trim(struct interp_worker *w, unsigned long age);
bool interp_group_next(struct interp_worker *w, struct interp_group *g);
void interp_group_retire(struct interp_worker *w, struct interp_group *g, bool finished);

/* gws.c */
bool interp_gws_run(struct interp_queue *iq, struct interp_group *g, u32 i,
		    const struct isa_exit *ex);
bool interp_gws_ready(struct interp_queue *iq, struct interp_group *g, u32 i);
/* A wave of @g might go on now; takes nothing. */
bool interp_gws_wakes(const struct interp_group *g);

/* balance.c: @g is one more, or one less, of those of its queue at @w */
void interp_share_add_locked(struct interp_worker *w, struct interp_group *g);
void interp_share_del_locked(struct interp_worker *w, struct interp_group *g);
/* From now on @w, which calls it, runs @g. */
void interp_group_stays(struct interp_worker *w, struct interp_group *g);
/* Between turns: give away what others have room for; take what was given. */
void interp_balance(struct interp_worker *w);
void interp_take_given(struct interp_worker *w);

/*
 * turn.c: a turn begins if the worker has a group that may run. While it goes on, the caller runs
 * sections; after each, interp_turn_section() serves what has stopped, and says whether there may
 * be another.
 */
bool interp_turn_begin(struct interp_worker *w);
bool interp_turn_goes_on(const struct interp_worker *w);
bool interp_turn_section(struct interp_worker *w, enum interp_section_end how,
			 const struct isa_exit *ex);
void interp_turn_end(struct interp_worker *w);

/* cu.c */
/* Can wave @i run? What it waited for may have come. Called in a section. */
bool interp_wave_ready(struct interp_group *g, u32 i);
/* Wave @i has stopped at a barrier; @info: isa_exit.info */
void interp_wave_at_barrier(struct interp_group *g, u32 i, u32 info);
/* A section has cost @spent cheap instructions and has taken @ns. */
void interp_adapt_budget(struct interp_worker *w, u32 spent, u64 ns);
int interp_worker_thread(void *arg);
bool interp_cu_lookup(struct isa_cu *cu, u64 va, u32 access, struct isa_page *x);

#endif /* INTERP_INTERP_H */
