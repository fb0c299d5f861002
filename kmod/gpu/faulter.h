/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pages of a process that are not resident: how to ask for them. A thread of the VM brings
 * them in.
 */
#ifndef GPU_FAULTER_H
#define GPU_FAULTER_H

#include <linux/types.h>

struct gpu_process;
struct gpu_vm;

/*
 * Waits up to @timeout jiffies for pages that were asked for; true if one came or there is
 * nothing left to wait for. @fresh: do not wait at all if the current request has already
 * taken longer than a thread that serves all processes can afford.
 *
 * If the last fault found memory that is being changed (mm.c), it waits until an mm is at rest.
 */
bool gpu_vm_fault_wait(struct gpu_vm *vm, unsigned long timeout, bool fresh);
/*
 * Asks for a page of the process, whether a VM maps it or not: -EAGAIN if it was asked for
 * (then look, and call again), or the reason why it cannot be brought in. Sleeps.
 */
int gpu_vm_user_ask(struct gpu_vm *vm, struct gpu_process *p, u64 addr, bool write);
/* The process has ended, and nothing maps its memory. The VM's next one gets a new thread. */
void gpu_faulter_stop(struct gpu_vm *vm);
/* Is the caller a thread that brings in pages? */
bool gpu_faulter_is_current(void);
/*
 * Is the caller such a thread, about to bring in one page? A GPU looks at it afterwards, so a page
 * that is with the GPUs may stay there.
 */
bool gpu_faulter_looks_again(void);
/* The process is exiting: end all waits for its pages. */
void gpu_vm_fault_abort(struct gpu_vm *vm);

#endif /* GPU_FAULTER_H */
