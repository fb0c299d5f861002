/* SPDX-License-Identifier: GPL-2.0-only */
/* Engine processes: what remote.c and remote_section.c share. */
#ifndef INTERP_REMOTE_INT_H
#define INTERP_REMOTE_INT_H

#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <vkfd/engine.h>

#include "remote.h"
#include "../../isa/carry.h"
#include "../user/proc.h"

/* A section: its head, a struct isa_carried per wave, how groups begin, and the registers. */
#define GRID_AT		ALIGN(sizeof(struct vkfd_engine_section) + \
			      VKFD_ENGINE_WAVES * sizeof(struct isa_carried), 64)
#define PLACE_AT	ALIGN(GRID_AT + sizeof(struct isa_grid), 64)
#define CUS_AT		ALIGN(PLACE_AT + sizeof(struct isa_group_place), 64)
#define ROWS_AT		PAGE_ALIGN(CUS_AT + HW_MAX_CUS * sizeof(struct isa_cu_id))

/**
 * struct remote_worker - a thread of an engine process
 * @lock: held by the thread while it is in the kernel; guards all others
 * @shared: what it shares with the program, charged to the client; @section: where that is
 * @runner: the thread, once it has asked for work; with a reference
 * @uncounted: it has had sections whose opcodes it may not have written down
 * @counting: it does that now
 * @out: it runs a section of w.turn; since @out_ns, with @out_cpu_ns of processor time until then
 * @fresh: the turn's group was launched after a section, and has not been out
 * @claimed: there is a claim on groups, @ahead from @first on; @cu: the @ncus CUs that they go to
 * @cost: of a group of the kernel at @cost_pc; 0: not known
 * @seen: interp.work_seq
 */
struct remote_worker {
	struct interp_worker w;
	struct mutex lock;	/* see above */
	struct gpu_memory shared;
	void *section;
	struct task_struct *runner;
	bool uncounted, counting, out;
	u64 out_ns, out_cpu_ns;
	int seen;
	bool fresh, claimed;
	u64 first, cost_pc;
	u32 ahead, cost, ncus;
	u16 cu[HW_MAX_CUS];
};

/**
 * struct interp_remote - an engine process
 * @ref: of its queues together, and of @up
 * @node: in interp.remotes, until it has ended; @queues: that it serves, and files whose jobs it
 *	runs; 0: it is to end (all interp.remotes_lock)
 * @up: the process, from its hello on
 * @dead: it has died, or will not come back; @killed_since: jiffies when the watch found it killed
 * @section_bytes,@lds_at,@counts_at: a section, and where the LDS and counts of opcodes are in it
 */
struct interp_remote {
	struct kref ref;
	struct list_head node;
	unsigned int queues;
	struct interp *ip;
	struct gpu_vm *vm;
	struct user_proc *up;
	bool dead;
	unsigned long killed_since;
	size_t section_bytes, lds_at, counts_at;
	struct delayed_work watch;
	unsigned int nworkers;
	struct remote_worker *workers[];
};

/* The group of the worker's turn goes out; false if none of its waves can run. */
bool interp_send_out(struct interp_remote *r, struct remote_worker *rw);
/* remote_ahead.c: with the group of the turn, others go out that have not begun. */
void interp_send_ahead(struct interp_remote *r, struct remote_worker *rw,
		       struct vkfd_engine_section *s);
/*
 * The group that is there now is the turn's, which has ended if s->here is not set; the others have
 * ended, or are their grid's again. Returns false if that cannot be.
 */
bool interp_groups_back(struct remote_worker *rw, const struct vkfd_engine_section *s);
/* It will not come back: groups that it has claimed are anybody's. */
void interp_forget_claim(struct remote_worker *rw);
/* It gets no waves: it is to write down what it has counted. */
void interp_send_none(struct remote_worker *rw);
/* It is back: @how, and @ex if a wave has stopped. Returns false if what came back is nonsense. */
bool interp_come_back(struct interp_remote *r, struct remote_worker *rw,
		      enum interp_section_end *how, struct isa_exit *ex);
/* remote_stats.c: it has left the list, and what it has counted stays. With interp.remotes_lock. */
void interp_remote_counted(const struct interp_remote *r);
/* The wave is in pieces: if its fault could be served after all, nobody can say what it did. */
void interp_torn_back(struct remote_worker *rw);

#endif /* INTERP_REMOTE_INT_H */
