/* SPDX-License-Identifier: MIT */
/*
 * The other sides of hw/ and engine/interp/ on the host: an address space over an arena
 * (GPU address = host address) whose pages must be faulted in and can be taken
 * away, doorbells that arm, a process, and waves that run scripts.
 */
#ifndef FAKE_GPU_H
#define FAKE_GPU_H

#include "../../kmod/gpu/backend.h"
#include "../../kmod/gpu/device.h"
#include "../../kmod/gpu/doorbell.h"
#include "../../kmod/gpu/process.h"
#include "../../kmod/gpu/queue.h"
#include "../../kmod/gpu/vm.h"
#include "../../kmod/cp/cp.h"

/* A wave's program: one of these after the other. */
enum fake_op {
	FAKE_END, FAKE_BARRIER, FAKE_ADD, FAKE_SPIN, FAKE_YIELD_UNTIL, FAKE_MEET,
	FAKE_ILLEGAL, FAKE_TRAP, FAKE_WORK, FAKE_GWS,	/* GWS: enum isa_gws, value << 16 */
	FAKE_SIGNAL, FAKE_WAIT,	/* a barrier: enum isa_barrier_id */
	FAKE_LDS,		/* adds the number of bytes in the LDS that are not 0 */
	/* SPIN: n is 0, or the sum that the wave's last ADD has made: others do not wait */
};

struct fake_insn {
	u32 op, n;
	u64 va;
};

/* A process with a VM, doorbells and queues */
struct fake_process {
	struct gpu_process base;
	struct gpu_pdd pdd;
	struct gpu_vm vm;
	struct gpu_doorbells db;
	bool evicted;		/* queues that are made are */
	unsigned int faults, errors, events, hw_exceptions, ndoorbells;
	u64 fault_va;
	enum gpu_queue_error error;
};

struct fake_queue {
	struct gpu_queue q;
	u8 *ring, *amd;		/* amd_queue_t page, inactive signal behind it */
	u32 packets;
};

extern struct gpu_device fake_gdev;
extern unsigned int fake_xccs;	/* that a queue's scratch is shared out to, 0: one */
extern u32 fake_private;	/* bytes of a lane's scratch, of the next dispatches */
/* Work-items that the last group in X lacks, of the next dispatches; such grids are that high. */
extern u32 fake_edge;
#define FAKE_EDGE_HIGH	60
/* VGPRs that a wave was to keep, and that another kernel had left */
extern u32 fake_foreign_rows;
extern bool fake_no_room;	/* no memory for work-groups at once */

void fake_init(void);
void *fake_alloc(size_t bytes);			/* arena, page aligned */
u64 fake_kernel(const struct fake_insn *prog, unsigned int n, u32 lds);
void fake_process_init(struct fake_process *p);
int fake_queue_create(struct fake_process *p, u32 packets, struct fake_queue *q);
void fake_queue_destroy(struct fake_queue *q);
void fake_dispatch(struct fake_queue *q, u64 kernel, u32 groups, u32 size,
		   u64 *signal, bool barrier);
void fake_dispatch_args(struct fake_queue *q, u64 kernel, u32 groups, u32 size,
			u64 *signal, u64 args);
/* A store to a doorbell, with the fault that it may take. */
void fake_ring(struct gpu_doorbells *db, unsigned int index, u64 value);
u64 *fake_signal(s64 value);
/* Processor time of this process */
u64 cpu_time_ns(void);
bool fake_wait(u64 *signal, u64 value);
/* As munmap: gone when it returns. */
void fake_unmap(struct fake_process *p, void *at, bool for_good);
/* The same, and to be waited for until it is unmapped not for good. */
void fake_late(struct fake_process *p, void *at);

#endif /* FAKE_GPU_H */
