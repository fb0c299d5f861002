/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pages of a process that are not resident: asked for here, brought in by a thread
 * of the VM.
 */
#ifndef GPU_FAULTER_H
#define GPU_FAULTER_H

#include <linux/types.h>

struct gpu_process;
struct gpu_vm;

/*
 * Wait @timeout jiffies for what has been asked for; true if something came or
 * nothing is left to wait for. @fresh: do not begin to wait if the one at hand has
 * kept others waiting for longer than who serves everybody can afford.
 */
bool gpu_vm_fault_wait(struct gpu_vm *vm, unsigned long timeout, bool fresh);
/*
 * Have a page of the process brought in, whether it is mapped or not: -EAGAIN
 * (it has been asked for; look, and call again), or why it cannot be. Sleeps.
 */
int gpu_vm_user_ask(struct gpu_vm *vm, struct gpu_process *p, u64 addr, bool write);
/* The process is over, its memory is in no mapping: the next one brings in its own. */
void gpu_faulter_stop(struct gpu_vm *vm);
/* The process is exiting: whatever still waits for its pages ends. */
void gpu_vm_fault_abort(struct gpu_vm *vm);

#endif /* GPU_FAULTER_H */
