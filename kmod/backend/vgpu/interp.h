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
#ifndef VGPU_INTERP_H
#define VGPU_INTERP_H

#include "engine.h"
#include "../../isa/isa.h"

/* What a wave waits for, and how that stood when it came. */
struct vgpu_gws_wait {
	u32 releases;
	u8 op, id;
	bool flag;
};

enum vgpu_wave_state { VGPU_WAVE_RUN, VGPU_WAVE_BARRIER, VGPU_WAVE_END, VGPU_WAVE_HALT,
	VGPU_WAVE_GWS };

/**
 * struct vgpu_group - a resident work-group
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
 * @cu: where it runs, an index in vgpu.cus
 */
struct vgpu_group {
	struct list_head node, queue_node;
	void *mem;
	size_t bytes, used_bytes;
	u64 owner;
	bool home;
	struct vgpu_queue *keeper;
	struct vgpu_grid *grid;
	u64 index;
	struct isa_wg wg;
	struct isa_wave *wave[VGPU_MAX_WAVES];
	u8 state[VGPU_MAX_WAVES];
	struct vgpu_gws_wait gws[VGPU_MAX_WAVES];
	u32 nwaves, next, live, waiting;
	u32 laid_waves, laid_rows, *wave_rows;
	int slot;
	u32 counted;
	bool asleep;
	unsigned int cu;
};

/**
 * struct vgpu_worker - a compute-unit worker
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
struct vgpu_worker {
	struct vgpu *vg;
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
	struct vgpu_counters n;
};

/* cus.c */
/* How many of a queue's CUs count for a worker. */
unsigned int vgpu_cus_of_locked(const struct vgpu_queue *vq, const struct vgpu_worker *w);
/* The CU of the work-group that is the dispatch's @index-th to start. */
unsigned int vgpu_cu_pick_locked(const struct vgpu_queue *vq, const struct vgpu *vg, u64 index);
u32 vgpu_cu_hw_id(const struct vgpu *vg, unsigned int cu);

/* scratch.c: slots for the waves of a group on @cu: -1 none needed, -2 none free */
int vgpu_scratch_find_locked(struct vgpu_queue *vq, const struct cp_dispatch *d, unsigned int cu);
/* Is there scratch for the next group of @grid, where that one will be? */
bool vgpu_scratch_there_locked(const struct vgpu_grid *grid);
/* A group of @grid took another's place: is there scratch for the next, who was missed? */
bool vgpu_scratch_wakes_locked(const struct vgpu_grid *grid);
/* @g goes to @cu, and takes its scratch along into that one's XCC; false: no room. */
bool vgpu_scratch_move_locked(struct vgpu_group *g, unsigned int cu);
/* The slot of a wave of @g in the scratch of its XCC, and where that is; @g has some. */
u32 vgpu_scratch_slot(const struct vgpu_group *g, u32 wave);
u64 vgpu_scratch_at(const struct vgpu_group *g, u32 wave);

/* hostcpu.c */
/* In a section, before code of @owner runs: what others' has left in this CPU goes. */
void vgpu_own_cpu(struct vgpu_worker *w, u64 owner);
/* Time that this CPU has worked, where the kernel can tell; else, time. */
u64 vgpu_cpu_clock_ns(void);

/* wave.c: what a wave says, and what stops its queue with @code (CP_ERR_*) */
void vgpu_wave_failed(struct vgpu_queue *vq, struct isa_wave *wave,
		      const struct isa_exit *ex, u32 code);
void vgpu_wave_message(struct vgpu_queue *vq, struct isa_wave *wave, u32 message);

/* group.c */
struct vgpu_group *vgpu_block_create(size_t bytes, gfp_t gfp);
void vgpu_block_destroy(struct vgpu_group *g);
size_t vgpu_block_max(const struct vgpu *vg);
u64 vgpu_block_cap(const struct vgpu *vg);
/* Take work-groups from the cursors; true if any was admitted. */
bool vgpu_admit(struct vgpu_worker *w);
void vgpu_drop_aborted(struct vgpu_worker *w);
bool vgpu_group_next(struct vgpu_worker *w, struct vgpu_group *g);
void vgpu_group_retire(struct vgpu_worker *w, struct vgpu_group *g, bool finished);

/* gws.c */
bool vgpu_gws_run(struct vgpu_queue *vq, struct vgpu_group *g, u32 i,
		  const struct isa_exit *ex);
bool vgpu_gws_ready(struct vgpu_queue *vq, struct vgpu_group *g, u32 i);
/* A wave of @g might go on now; takes nothing. */
bool vgpu_gws_wakes(const struct vgpu_group *g);

/* balance.c: @g is one more, or one less, of those of its queue at @w */
void vgpu_share_add_locked(struct vgpu_worker *w, struct vgpu_group *g);
void vgpu_share_del_locked(struct vgpu_worker *w, struct vgpu_group *g);
/* Between turns: give away what others have room for; take what was given. */
void vgpu_balance(struct vgpu_worker *w);
void vgpu_take_given(struct vgpu_worker *w);

/* cu.c */
int vgpu_worker_thread(void *arg);
bool vgpu_cu_lookup(struct isa_cu *cu, u64 va, u32 access, struct isa_page *x);

#endif /* VGPU_INTERP_H */
