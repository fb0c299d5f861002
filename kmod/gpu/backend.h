/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The border between the faces and who executes: calls down (gpu_backend_ops), calls
 * up (gpu_host_ops).
 */
#ifndef GPU_BACKEND_H
#define GPU_BACKEND_H

#include <linux/types.h>

#include "device.h"
#include "queue.h"

struct gpu_doorbells;
struct gpu_fault;
struct gpu_process;
struct gpu_queue_state;
struct gpu_svm_event;
struct gpu_vm;

/**
 * struct gpu_backend_ops - who executes
 * @init,@fini: with the device; @fini returns when every thread is gone
 * @vm_init,@vm_fini: optional
 * @queue_init: make the queue runnable; @q is filled in but for @priv
 * @queue_update: new props; returns when the old ones are out of use
 * @queue_cu_mask: let its waves run on the CUs of @mask only; optional
 * @queue_wave_state: what the save area of a queue that is off or evicted holds, and
 *	the control stack of it if @stack is not NULL; -EINVAL if it has waves that do not
 *	stand there; optional
 * @queue_fini: returns when nothing touches the queue's memory any more
 * @queue_evict: take it off, without the process's help; returns when nothing of
 *	the GPU is at the queue's memory. Update and fini work meanwhile
 * @queue_restore: it goes on where it was
 * @doorbell: a store hit armed doorbells of @db; atomic context allowed
 * @clock: GPU clock counter, 100 MHz; atomic
 * @busy_ns: time spent executing since init, for gpu_busy_percent
 * @sdma_busy_ns: time its SDMA engines worked, added up; optional
 * @busy_cus: compute units with waves of @p on them now; optional
 * @queue_state: where @q is (mqd.h), for debugfs; optional
 */
struct gpu_backend_ops {
	const char *name;
	int (*init)(struct gpu_device *gdev);
	void (*fini)(struct gpu_device *gdev);
	int (*vm_init)(struct gpu_vm *vm);
	void (*vm_fini)(struct gpu_vm *vm);
	int (*queue_init)(struct gpu_queue *q);
	int (*queue_update)(struct gpu_queue *q, const struct gpu_queue_props *p);
	int (*queue_cu_mask)(struct gpu_queue *q, const u32 *mask, u32 bits);
	int (*queue_wave_state)(struct gpu_queue *q, u32 xcc, struct gpu_wave_state *s,
				u32 *stack);
	void (*queue_fini)(struct gpu_queue *q);
	void (*queue_evict)(struct gpu_queue *q);
	void (*queue_restore)(struct gpu_queue *q);
	int (*sdma_ib)(struct gpu_vm *vm, u32 engine, u64 va, u32 dwords);
	void (*doorbell)(struct gpu_doorbells *db);
	u64 (*clock)(struct gpu_device *gdev);
	u64 (*busy_ns)(struct gpu_device *gdev);
	u64 (*sdma_busy_ns)(struct gpu_device *gdev);
	u32 (*busy_cus)(struct gpu_device *gdev, struct gpu_process *p);
	void (*queue_state)(const struct gpu_queue *q, struct gpu_queue_state *s);
};

extern const struct gpu_backend_ops vgpu_backend_ops;	/* backend/vgpu */

/**
 * struct gpu_host_ops - upcalls of the backend, implemented by kfd/
 * May be called from CP and CU threads outside sections; must not sleep for
 * long (they may take spinlocks and wake waiters).
 * @event: the GPU raised an interrupt with @event_id (0: none, scan the page)
 * @fault: a VM fault of @vm: memory events of the process
 * @queue_error: queue stopped; @code is the queue_inactive_signal value.
 *	The backend has written that signal; kfd delivers the exception channel
 * @queue_exception: the process's trap handler reports exceptions of a wave
 *	(exception debugging is on): bit n of @mask is exception code n + 1
 * @hw_exception: GPU hang/reset of the process's queues: type-3 events
 * @svm: of shared memory of @p, on @gdev; callers hold mutexes of svm.c; optional
 * @process_left: a wait for a page of @p keeps its mm from ending, and
 *	gpu_process_left(). Begins teardown, any number of times
 */
struct gpu_host_ops {
	void (*event)(struct gpu_process *p, u32 event_id);
	void (*fault)(struct gpu_vm *vm, const struct gpu_fault *fault);
	void (*queue_error)(struct gpu_queue *q, u64 code);
	void (*queue_exception)(struct gpu_queue *q, u64 mask);
	void (*hw_exception)(struct gpu_process *p, struct gpu_device *gdev,
			     u32 reset_cause);
	void (*svm)(struct gpu_process *p, struct gpu_device *gdev,
		    const struct gpu_svm_event *e);
	void (*process_left)(struct gpu_process *p);
};
extern const struct gpu_host_ops *gpu_host;	/* set by main.c before devices */

#endif /* GPU_BACKEND_H */
