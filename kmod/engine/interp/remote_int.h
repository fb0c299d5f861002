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

/* Where the registers are in a section: behind its head and a struct isa_carried per wave. */
#define ROWS_AT		PAGE_ALIGN(sizeof(struct vkfd_engine_section) + \
				   VKFD_ENGINE_WAVES * sizeof(struct isa_carried))

/**
 * struct remote_worker - a thread of an engine process
 * @lock: held by the thread while it is in the kernel; guards all others
 * @shared: what it shares with the program, charged to the client; @section: where that is
 * @runner: the thread, once it has asked for work; with a reference
 * @uncounted: it has had sections whose opcodes it may not have written down
 * @counting: it does that now
 * @out: it runs a section of w.turn; since @out_ns, with @out_cpu_ns of processor time until then
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
/* It gets no waves: it is to write down what it has counted. */
void interp_send_none(struct remote_worker *rw);
/* It is back: @how, and @ex if a wave has stopped. Returns false if what came back is nonsense. */
bool interp_come_back(struct interp_remote *r, struct remote_worker *rw,
		      enum interp_section_end *how, struct isa_exit *ex);
/* The wave is in pieces: if its fault could be served after all, nobody can say what it did. */
void interp_torn_back(struct remote_worker *rw);

#endif /* INTERP_REMOTE_INT_H */
