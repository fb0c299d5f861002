/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The border between the faces (kfd/, drm/) and who executes: calls down
 * (gpu_backend_ops) and calls up (gpu_host_ops).
 *
 * Faces call the inline functions below and never look into the table. A member of
 * gpu_backend_ops may be NULL only if its description begins with "optional". NULL then
 * says one thing: the GPU does not have what the member is about. Its inline function
 * answers with -EINVAL, or with 0 where it counts. gpu_device_start() refuses a backend
 * that lacks any other member.
 */
#ifndef GPU_BACKEND_H
#define GPU_BACKEND_H

#include <linux/errno.h>
#include <linux/types.h>

#include "device.h"
#include "bo.h"
#include "doorbell.h"
#include "job.h"
#include "mem.h"
#include "process.h"
#include "queue.h"
#include "vm.h"

struct file;
struct gpu_process;
struct gpu_queue_state;
struct gpu_svm_event;
struct vm_area_struct;

/**
 * struct gpu_backend_ops - who executes
 * @name: for logs
 * @init: bring the device's threads up; on error nothing is left behind
 * @fini: returns when every thread is gone
 * @queue_init: see gpu_backend_queue_init(), and so on for the others
 * @queue_update: see there
 * @queue_fini: see there
 * @queue_evict: see there
 * @queue_restore: see there
 * @queue_state: see there
 * @doorbell: see there
 * @clock: see there
 * @clock_sync: optional; see there
 * @busy_ns: see there
 * @mem: memory of its GPUs (mem.h)
 * @doorbells_mmap: optional: GPUs whose doorbells are not pages of gpu/doorbell.h: makes @vma a
 *	mapping of those that @vm's queues have, all of them. Under mmap_lock and a mutex, inside of
 *	which no user memory may be touched. 0 or an error of mmap()
 * @doorbells_rest: optional: GPUs of which only the first doorbell page is one of gpu/doorbell.h:
 *	the file whose mapping at @offset is the second page of @vm's queues, with a reference; or
 *	NULL. In a page fault: does not sleep
 * @queue_cu_mask: optional; see there
 * @queue_wave_state: optional; see there
 * @queue_image: optional, as is @queue_adopt; see there
 * @queue_adopt: see there
 * @job_run: optional; see there
 * @jobs_open: optional, as is @jobs_close; see there
 * @jobs_close: see there
 * @sdma_busy_ns: optional; see there
 * @busy_cus: optional; see there
 * @reset: optional; see there
 */
struct gpu_backend_ops {
	const char *name;
	int (*init)(struct gpu_device *gdev);
	void (*fini)(struct gpu_device *gdev);
	int (*queue_init)(struct gpu_queue *q);
	int (*queue_update)(struct gpu_queue *q, const struct gpu_queue_props *p);
	void (*queue_fini)(struct gpu_queue *q);
	void (*queue_evict)(struct gpu_queue *q);
	void (*queue_restore)(struct gpu_queue *q);
	void (*queue_state)(const struct gpu_queue *q, struct gpu_queue_state *s);
	void (*doorbell)(struct gpu_doorbells *db);
	u64 (*clock)(struct gpu_device *gdev, struct gpu_vm *vm);
	void (*clock_sync)(struct gpu_vm *vm);
	u64 (*busy_ns)(struct gpu_device *gdev);
	const struct gpu_mem_ops *mem;

	int (*doorbells_mmap)(struct gpu_vm *vm, struct vm_area_struct *vma);
	struct file *(*doorbells_rest)(struct gpu_vm *vm, u64 *offset);
	int (*queue_cu_mask)(struct gpu_queue *q, const u32 *mask, u32 bits);
	int (*queue_wave_state)(struct gpu_queue *q, u32 xcc, struct gpu_wave_state *s,
				u32 *stack);
	int (*queue_image)(struct gpu_queue *q, void *buf, u32 room, u32 *bytes);
	int (*queue_adopt)(struct gpu_queue *q, const void *buf, u32 bytes);
	int (*job_run)(struct gpu_job *job);
	int (*jobs_open)(struct gpu_vm *vm, enum gpu_job_runner *runner, void **priv);
	void (*jobs_close)(struct gpu_vm *vm, void *priv);
	u64 (*sdma_busy_ns)(struct gpu_device *gdev);
	u32 (*busy_cus)(struct gpu_device *gdev, struct gpu_process *p);
	int (*reset)(struct gpu_device *gdev, struct gpu_process *p);
};

/**
 * gpu_backend_queue_init() - make a queue runnable
 * @q: filled in but for @q->priv, which the backend sets. If @q->evicted it is not
 *	executed before gpu_backend_queue_restore(). The backend may give it another doorbell of
 *	its slice (@q->doorbell), be it that there is an error
 *
 * Under process->lock, as all calls for a queue are but queue_state; or, of a queue with a
 * client, one at a time for that queue.
 * Return: 0; -EINVAL, -ENOMEM: there is no queue.
 */
static inline int gpu_backend_queue_init(struct gpu_queue *q)
{
	return q->gdev->backend->queue_init(q);
}

/**
 * gpu_backend_queue_update() - give a queue new properties
 * @q: @q->props are still the old ones
 * @p: the new ones; percentage or ring 0 takes the queue off until the next update,
 *	and its waves go to its save area
 *
 * Returns when the GPU does not use the old ones any more.
 * Return: 0; -ERESTARTSYS, -EINTR: the caller is being killed, -EINVAL, -ETIME: the old
 * ones stay.
 */
static inline int gpu_backend_queue_update(struct gpu_queue *q, const struct gpu_queue_props *p)
{
	return q->gdev->backend->queue_update(q, p);
}

/**
 * gpu_backend_queue_fini() - destroy a queue, whatever it is doing
 * @q: nothing of it or of its memory is touched when this returns
 */
static inline void gpu_backend_queue_fini(struct gpu_queue *q)
{
	q->gdev->backend->queue_fini(q);
}

/**
 * gpu_backend_queue_evict() - take a queue off the GPU
 * @q: not evicted
 *
 * Needs nothing of the process, which may be frozen. Returns when the GPU is at none of
 * the queue's memory. Updates and the end of the queue are allowed meanwhile.
 */
static inline void gpu_backend_queue_evict(struct gpu_queue *q)
{
	q->gdev->backend->queue_evict(q);
}

/**
 * gpu_backend_queue_restore() - let an evicted queue go on where it was
 * @q: evicted
 */
static inline void gpu_backend_queue_restore(struct gpu_queue *q)
{
	q->gdev->backend->queue_restore(q);
}

/**
 * gpu_backend_queue_state() - say where a queue is, for debugfs
 * @q: a queue that is not being destroyed
 * @s: filled in
 */
static inline void gpu_backend_queue_state(const struct gpu_queue *q, struct gpu_queue_state *s)
{
	q->gdev->backend->queue_state(q, s);
}

/**
 * gpu_backend_queue_cu_mask() - choose the CUs that a queue's waves run on
 * @q: waves that run already may stay where they are. Nothing happens to an SDMA queue
 * @mask: bit n: the n-th CU in the order of CU masks (KFD's)
 * @bits: of @mask; CUs beyond are not used
 *
 * Return: 0; -EINVAL: CUs cannot be chosen.
 */
static inline int gpu_backend_queue_cu_mask(struct gpu_queue *q, const u32 *mask, u32 bits)
{
	const struct gpu_backend_ops *ops = q->gdev->backend;

	return ops->queue_cu_mask ? ops->queue_cu_mask(q, mask, bits) : -EINVAL;
}

/**
 * gpu_backend_queue_wave_state() - say what stands in a queue's save area
 * @q: a compute queue that is evicted, or whose properties take it off
 * @xcc: whose area
 * @s: filled in
 * @stack: where the control stack goes (@s->stack_bytes), or NULL
 *
 * Return: 0; -EINVAL: the queue has waves that do not stand there, or the GPU saves none.
 */
static inline int gpu_backend_queue_wave_state(struct gpu_queue *q, u32 xcc,
					       struct gpu_wave_state *s, u32 *stack)
{
	const struct gpu_backend_ops *ops = q->gdev->backend;

	return ops->queue_wave_state ? ops->queue_wave_state(q, xcc, s, stack) : -EINVAL;
}

/**
 * gpu_backend_queue_image() - write down a queue's state, for a checkpoint
 * @q: evicted. Its waves are saved to its save area
 * @buf: where the state goes, or NULL
 * @room: of @buf
 * @bytes: returns its size, which stays as long as the queue is evicted
 *
 * Return: 0. -EAGAIN: somebody is in the middle of something: let the queue run for a moment.
 * -ENOSPC: @buf, or the save area, is too small. -EOPNOTSUPP: there is no save area, or the GPU
 * cannot do that.
 */
static inline int gpu_backend_queue_image(struct gpu_queue *q, void *buf, u32 room, u32 *bytes)
{
	const struct gpu_backend_ops *ops = q->gdev->backend;

	return ops->queue_image ? ops->queue_image(q, buf, room, bytes) : -EOPNOTSUPP;
}

/**
 * gpu_backend_queue_adopt() - continue where another queue was
 * @q: right after gpu_backend_queue_init(), evicted, with that one's properties and doorbell
 * @buf: from gpu_backend_queue_image(), on this GPU or one like it; hostile
 * @bytes: of @buf
 *
 * Return: 0; or an error, after which the queue can only be ended. -EINVAL: not a state of such a
 * queue; -ENOMEM, -EINTR, -EOPNOTSUPP.
 */
static inline int gpu_backend_queue_adopt(struct gpu_queue *q, const void *buf, u32 bytes)
{
	const struct gpu_backend_ops *ops = q->gdev->backend;

	return ops->queue_adopt ? ops->queue_adopt(q, buf, bytes) : -EOPNOTSUPP;
}

/* Does the GPU execute packets that come without a queue? */
static inline bool gpu_backend_has_jobs(const struct gpu_device *gdev)
{
	return gdev->backend->job_run;
}

/**
 * gpu_backend_jobs_open() - jobs, or a user queue, of an address space will come
 * @vm: whose
 * @runner: UNDECIDED before the first call; returns who runs their waves, which then stays
 * @priv: NULL before the first call; the backend's, until gpu_backend_jobs_close()
 *
 * Called before each of them, by a thread of the client, who lends its user and control groups.
 * Calls for one @priv are not concurrent. Sleeps; killable. Return: 0, or why there can be no jobs.
 */
static inline int gpu_backend_jobs_open(struct gpu_vm *vm, enum gpu_job_runner *runner, void **priv)
{
	const struct gpu_backend_ops *ops = vm->gdev->backend;

	return ops->jobs_open ? ops->jobs_open(vm, runner, priv) : 0;
}

/* All jobs of the file that has @priv have ended, and its user queues are gone. */
static inline void gpu_backend_jobs_close(struct gpu_vm *vm, void *priv)
{
	const struct gpu_backend_ops *ops = vm->gdev->backend;

	if (priv)
		ops->jobs_close(vm, priv);
}

/**
 * gpu_backend_job_run() - execute packets without a queue
 * @job: zeroed but for what it asks for, and @job->wq
 *
 * Returns when all that the packets have started has ended, or when @job->cancelled was set and
 * nothing of it runs any more. Jobs run in parallel if their callers do.
 *
 * Return: 0: done. -EFAULT, -EINVAL, -ETIME: the job failed. -ENOMEM: the machine did.
 * -ECANCELED: it was cancelled, or the GPU was reset.
 */
static inline int gpu_backend_job_run(struct gpu_job *job)
{
	const struct gpu_backend_ops *ops = job->vm->gdev->backend;

	return ops->job_run ? ops->job_run(job) : -EINVAL;
}

/**
 * gpu_backend_doorbell() - a store hit an armed page of doorbells
 * @db: the page; it is not armed any more
 *
 * From a page fault or a timer: does not sleep.
 */
static inline void gpu_backend_doorbell(struct gpu_doorbells *db)
{
	db->gdev->backend->doorbell(db);
}

/*
 * The GPU's clock in ticks of target->counter_khz, as @vm sees it (NULL: without knowing the GPU's
 * own); never steps back for a VM, does not sleep.
 */
static inline u64 gpu_backend_clock(struct gpu_device *gdev, struct gpu_vm *vm)
{
	return gdev->backend->clock(gdev, vm);
}

/* Does gpu_backend_clock() go wrong in time without gpu_backend_clock_sync()? */
static inline bool gpu_backend_clock_drifts(const struct gpu_device *gdev)
{
	return gdev->backend->clock_sync;
}

/* Looks at the GPU's own clock. By a thread of @vm's process, under process->lock. */
static inline void gpu_backend_clock_sync(struct gpu_vm *vm)
{
	vm->gdev->backend->clock_sync(vm);
}

/* Time in which it had compute work, since init; does not sleep. */
static inline u64 gpu_backend_busy_ns(struct gpu_device *gdev)
{
	return gdev->backend->busy_ns(gdev);
}

/* Time in which its SDMA engines worked, added up over the engines. */
static inline u64 gpu_backend_sdma_busy_ns(struct gpu_device *gdev)
{
	return gdev->backend->sdma_busy_ns ? gdev->backend->sdma_busy_ns(gdev) : 0;
}

/* Can the GPU tell how many of its CUs a process occupies? */
static inline bool gpu_backend_has_busy_cus(const struct gpu_device *gdev)
{
	return gdev->backend->busy_cus;
}

/* CUs that have waves of @p on them now. */
static inline u32 gpu_backend_busy_cus(struct gpu_device *gdev, struct gpu_process *p)
{
	return gdev->backend->busy_cus ? gdev->backend->busy_cus(gdev, p) : 0;
}

/**
 * gpu_backend_reset() - drop what queues are doing, for good
 * @gdev: the GPU
 * @p: whose queues; NULL: everybody's
 *
 * The queues stay until somebody destroys them, and execute nothing. Nobody is told: that
 * is up to the caller. New queues work.
 * Return: 0; -EINVAL: the GPU cannot be reset.
 */
static inline int gpu_backend_reset(struct gpu_device *gdev, struct gpu_process *p)
{
	return gdev->backend->reset ? gdev->backend->reset(gdev, p) : -EINVAL;
}

/**
 * gpu_backend_vm_from_file() - the address space that a file brings
 * @gdev: the GPU
 * @f: any file
 * @vm: out: with a reference; lives at least as long as @f
 *
 * Under process->lock. Return: 0; -EINVAL: not a file of @gdev.
 */
static inline int gpu_backend_vm_from_file(struct gpu_device *gdev, struct file *f,
					   struct gpu_vm **vm)
{
	return gdev->backend->mem->vm_from_file(gdev, f, vm);
}

/**
 * gpu_backend_bo_allow() - let the holder of a file mmap an object
 * @bo: VRAM or GTT; where it is in the file says gpu_bo_mmap_offset()
 * @f: one that gpu_backend_vm_from_file() took
 *
 * Return: 0; -EINVAL: not such a file, or of another GPU; -ENOMEM.
 */
static inline int gpu_backend_bo_allow(struct gpu_bo *bo, struct file *f)
{
	return bo->gdev->backend->mem->bo_allow(bo, f);
}

/* Undo one gpu_backend_bo_allow() that succeeded; mappings that are there stay. */
static inline void gpu_backend_bo_revoke(struct gpu_bo *bo, struct file *f)
{
	bo->gdev->backend->mem->bo_revoke(bo, f);
}

extern const struct gpu_backend_ops vgpu_backend_ops;	/* backend/vgpu */

/* Why a GPU is reset. */
enum gpu_reset_cause { GPU_RESET_HANG, GPU_RESET_ECC, GPU_RESET_CAUSES };

/**
 * struct gpu_host_ops - calls of the backend upwards, implemented by kfd/
 * @event: the GPU raised an interrupt with @event_id (0: none, look at all events)
 * @fault: an access through @vm failed: memory events of its process
 * @queue_error: the backend has stopped @q for good because of @error, and has written
 *	the queue's own error word if it has one; the face raises exceptions
 * @queue_exception: the process's trap handler reports exceptions of a wave
 *	(exception debugging is on): bit n of @mask is exception code n + 1
 * @hw_exception: the GPU was reset as far as @p is concerned: its work there is lost
 * @svm: something happened to shared memory of @p on @gdev; callers hold mutexes of
 *	svm.c. Optional: NULL says that nobody wants to know
 * @stale: the mm has changed memory that a GPU without retry faults would have mapped for @p.
 *	From an MMU notifier, also of one that must not sleep. Optional, as @svm
 * @evict: @p is to let go of a GPU's memory: take its queues off the GPUs, and put them and its
 *	objects back a moment later (gpu_bo_bring()). Sleeps; the caller holds none of our locks.
 *	0: they are off, or @p ends; -EBUSY: @p is in a call that has not ended before @until
 *	(jiffies); -EINTR: the caller is being killed. Optional: NULL says that nothing leaves that
 *	a process has mapped
 * @process_left: a wait for a page of @p keeps its mm from ending, and
 *	gpu_process_left(). Begins teardown, any number of times
 * @reset: reset the whole of @gdev: all queues of all processes are lost, and all
 *	processes are told. Return: 0; -EINVAL: it cannot be reset; -EINTR: the caller is being
 *	killed, and some processes were not told
 * @poison: process @pid read memory of @gdev that was marked as bad. Return: 0; -ESRCH: no
 *	process with that id has the GPU open; -EINVAL, -EINTR: as @reset
 * @throttled: @gdev began to throttle, for the @count-th time; @mask: the throttlers
 *
 * The GPU's threads call these outside of sections. None of them sleeps for long: they
 * take spinlocks and wake who waits. The last three come from inject.c, in a process that
 * wrote to a file; they may sleep. So may @evict, which comes from an ioctl.
 */
struct gpu_host_ops {
	void (*event)(struct gpu_process *p, u32 event_id);
	void (*fault)(struct gpu_vm *vm, const struct gpu_fault *fault);
	void (*queue_error)(struct gpu_queue *q, enum gpu_queue_error error);
	void (*queue_exception)(struct gpu_queue *q, u64 mask);
	void (*hw_exception)(struct gpu_process *p, struct gpu_device *gdev);
	void (*svm)(struct gpu_process *p, struct gpu_device *gdev,
		    const struct gpu_svm_event *e);
	void (*stale)(struct gpu_process *p, enum gpu_stale what);
	int (*evict)(struct gpu_process *p, unsigned long until);
	void (*process_left)(struct gpu_process *p);
	int (*reset)(struct gpu_device *gdev, enum gpu_reset_cause cause);
	int (*poison)(struct gpu_device *gdev, pid_t pid);
	void (*throttled)(struct gpu_device *gdev, u64 mask, u64 count);
};

extern const struct gpu_host_ops *gpu_host;	/* set by main.c before devices */

#endif /* GPU_BACKEND_H */
