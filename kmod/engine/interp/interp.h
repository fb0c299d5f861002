/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The side of the virtual GPU that runs waves: workers, resident work-groups, and what
 * they share. Of isa/ only the files that include this header know.
 *
 * A group stays with the worker that admitted it, unless that one has more to do
 * than others (balance.c). A group whose queue may not run stays where it is, parked;
 * its registers are the saved state, unless it was user space that stopped the queue
 * (cwsr.c).
 */
#ifndef INTERP_INTERP_H
#define INTERP_INTERP_H

#include "../../hw/engine.h"
#include "../../isa/isa.h"

/* What a wave waits for, and how that stood when it came. */
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
 * @queue_node: in queue->groups (lock)
 * @mem,@bytes: one block: waves, LDS, VGPR rows (carved per launch)
 * @used_bytes: how much of it waves of @owner may have written
 * @home: the worker's first block, large enough for any work-group
 * @keeper: the queue that brought it, and whose groups alone it is for, or NULL
 * @next: wave to run next
 * @live: waves not ended; @waiting: of these, at the barrier
 * @laid_waves,@laid_rows,@wave_rows: what the block is laid out for
 * @slot: first scratch wave slot, or -1
 * @counted: waves it was admitted with
 * @asleep: none of its waves could run when it last had a turn
 * @cu: where it runs, an index in hw.cus
 */
struct interp_group {
	struct list_head node, queue_node;
	void *mem;
	size_t bytes, used_bytes;
	u64 owner;
	bool home;
	struct hw_compute *keeper;
	struct hw_grid *grid;
	u64 index;
	struct isa_wg wg;
	struct isa_wave *wave[HW_MAX_WAVES];
	u8 state[HW_MAX_WAVES];
	struct interp_gws_wait gws[HW_MAX_WAVES];
	u32 nwaves, next, live, waiting;
	u32 laid_waves, laid_rows, *wave_rows;
	int slot;
	u32 counted;
	bool asleep;
	unsigned int cu;
};

/**
 * struct interp_worker - a compute-unit worker
 * @vmw: for shootdowns; in the device's worker list
 * @resident: groups it runs, in turns; @asleep: and those that wait for others'
 * @inbox: groups that another one has given it (lock)
 * @load: weights of the queues that have groups here, @idle: none of them may run
 *	(lock); @balanced_ns: when it last compared
 * @spare: blocks kept for reuse
 * @nresident: of @resident and @asleep
 * @budget: instructions per section, adapted to @vg->section_ns
 * @tlb_vm,@tlb_gen,@tlb_epoch: what the engine's TLB is valid for
 * @code_seq,@code_epoch: what its decoded code is valid for
 * @lazy: consecutive turns in which every wave only yielded
 * @vtime: of the queue that had the last turn
 */
struct interp_worker {
	struct hw *vg;
	unsigned int index;
	struct task_struct *task;
	struct gpu_vm_worker vmw;
	struct isa_cu *cu;
	void *icache;
	struct list_head resident, asleep, spare, inbox;
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
	unsigned int lazy;
	u64 vtime;
	struct hw_counters n;
};

extern const struct engine_ops interp_engine_ops;	/* interp.c */

/* cu.c: there is something for @nr workers: work-groups to start, or to drop */
void interp_work_kick(struct hw *vg, unsigned int nr);

/* cus.c */
void interp_cus_init(struct hw *vg);
int interp_cu_mask(struct gpu_queue *q, const u32 *mask, u32 bits);
/* How many of a queue's CUs count for a worker. */
unsigned int interp_cus_of_locked(const struct hw_compute *vq, const struct interp_worker *w);
/* The CU of the work-group that is the dispatch's @index-th to start. */
unsigned int interp_cu_pick_locked(const struct hw_compute *vq, const struct hw *vg, u64 index);

/* scratch.c: slots for the waves of a group on @cu: -1 none needed, -2 none free */
int interp_scratch_find_locked(struct hw_compute *vq, const struct cp_dispatch *d, unsigned int cu);
/* Is there scratch for the next group of @grid, where that one will be? */
bool interp_scratch_there_locked(const struct hw_grid *grid);
/* A group of @grid took another's place: is there scratch for the next, who was missed? */
bool interp_scratch_wakes_locked(const struct hw_grid *grid);
/* @g goes to @cu, and takes its scratch along into that one's XCC; false: no room. */
bool interp_scratch_move_locked(struct interp_group *g, unsigned int cu);
/* The slot of a wave of @g in the scratch of its XCC, and where that is; @g has some. */
u32 interp_scratch_slot(const struct interp_group *g, u32 wave);
u64 interp_scratch_at(const struct interp_group *g, u32 wave);

/* hostcpu.c */
/* In a section, before code of @owner runs: what others' has left in this CPU goes. */
void interp_own_cpu(struct interp_worker *w, u64 owner);
/* Time that this CPU has worked, where the kernel can tell; else, time. */
u64 interp_cpu_clock_ns(void);

/* wave.c: what a wave says, and what stops its queue with @code (CP_ERR_*) */
void interp_wave_failed(struct hw_compute *vq, struct isa_wave *wave,
		      const struct isa_exit *ex, u32 code);
void interp_wave_message(struct hw_compute *vq, struct isa_wave *wave, u32 message);

/* cwsr.c; see struct engine_ops */
int interp_waves_load(struct hw_compute *vq);
void interp_waves_update(struct hw_compute *vq, bool was_on, bool on);
void interp_waves_restore(struct hw_compute *vq);
int interp_wave_state(struct gpu_queue *q, u32 xcc, struct gpu_wave_state *s, u32 *stack);

/* group.c */
/* A queue that is one of too many brings a block: -ENOMEM. */
int interp_queue_init(struct hw_compute *vq);
void interp_queue_fini(struct hw_compute *vq);
/* The queue has its block back, if it brought one. */
bool interp_queue_idle_locked(const struct hw_compute *vq);
struct interp_group *interp_block_create(size_t bytes, gfp_t gfp);
void interp_block_destroy(struct interp_group *g);
size_t interp_block_max(const struct hw *vg);
u64 interp_block_cap(const struct hw *vg);
/* Take work-groups from the cursors; true if any was admitted. */
bool interp_admit(struct interp_worker *w);
void interp_drop_aborted(struct interp_worker *w);
bool interp_group_next(struct interp_worker *w, struct interp_group *g);
void interp_group_retire(struct interp_worker *w, struct interp_group *g, bool finished);

/* gws.c */
bool interp_gws_run(struct hw_compute *vq, struct interp_group *g, u32 i,
		  const struct isa_exit *ex);
bool interp_gws_ready(struct hw_compute *vq, struct interp_group *g, u32 i);
/* A wave of @g might go on now; takes nothing. */
bool interp_gws_wakes(const struct interp_group *g);

/* balance.c: @g is one more, or one less, of those of its queue at @w */
void interp_share_add_locked(struct interp_worker *w, struct interp_group *g);
void interp_share_del_locked(struct interp_worker *w, struct interp_group *g);
/* Between turns: give away what others have room for; take what was given. */
void interp_balance(struct interp_worker *w);
void interp_take_given(struct interp_worker *w);

/* cu.c */
int interp_worker_thread(void *arg);
bool interp_cu_lookup(struct isa_cu *cu, u64 va, u32 access, struct isa_page *x);

#endif /* INTERP_INTERP_H */
