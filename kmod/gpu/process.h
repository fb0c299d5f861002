/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process that uses GPUs, and its per-device data.
 */
#ifndef GPU_PROCESS_H
#define GPU_PROCESS_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct file;
struct gpu_device;
struct gpu_doorbells;
struct gpu_vm;
struct mm_struct;

/**
 * struct gpu_process - one user process, embedded in kfd's own process
 * @mm: grabbed (mmgrab), not got: call mmget_not_zero() before using it
 * @lead: the thread group's leader when the process was created; with a reference
 * @pid: for sysfs, traces and logs; @own_pid: what the process itself takes for its pid
 * @id: not 0, and unique since the module was loaded
 * @uid: gpu_user() of its creator; @privileged: with CAP_SYS_RESOURCE (share.h)
 * @lock: "process->lock": queues, BO handles, events idr; ioctl level
 * @dying: set under @lock when teardown begins; nothing is created after that
 * @of_file: it belongs to an open render node (drm/userptr.c), not to KFD; constant
 * @context: it is one that a process has besides its first (CREATE_PROCESS); constant
 */
struct gpu_process {
	struct kref ref;
	struct mm_struct *mm;
	struct task_struct *lead;
	pid_t pid, own_pid;
	u64 id;
	kuid_t uid;
	bool privileged;
	char comm[TASK_COMM_LEN];
	struct mutex lock;
	bool dying;
	bool of_file, context;
	void (*release)(struct gpu_process *p);
};

/* Memory of a process that its mm changes */
enum gpu_stale { GPU_STALE_USERPTR, GPU_STALE_SVM, GPU_STALE_KINDS };

/* Whose share of what there is only so much of the caller has (share.h) */
kuid_t gpu_user(void);
/* May he have more than his share (share.h)? */
bool gpu_user_privileged(void);
/* For gpu_process.id, and for owners of jobs that are no process. */
u64 gpu_process_new_id(void);
void gpu_process_init(struct gpu_process *p, struct mm_struct *mm,
		      struct task_struct *lead, void (*release)(struct gpu_process *));
void gpu_process_get(struct gpu_process *p);
bool gpu_process_tryget(struct gpu_process *p);	/* fails if the last one was put */
/* Has the last thread that ran in the process's mm exited or begun to, or called exec? */
bool gpu_process_left(const struct gpu_process *p);
void gpu_process_put(struct gpu_process *p);

/**
 * struct gpu_pdd - per process device data, embedded in kfd's own pdd
 * @vm: acquired VM or NULL; @drm_file: the file that keeps it
 * @doorbells: the process's doorbell slice on @gdev, created with the pdd
 * @tba,@tma: second-level trap handler (SET_TRAP_HANDLER)
 * @exception_debug: a runtime handles exceptions (RUNTIME_ENABLE); written under
 *	process->lock, read by the backend at any time
 * @sdma_ns: time that SDMA engines have worked for the process; the backend adds to it
 */
struct gpu_pdd {
	struct gpu_process *process;
	struct gpu_device *gdev;
	struct gpu_vm *vm;
	struct file *drm_file;
	struct gpu_doorbells *doorbells;
	u64 tba, tma;
	bool exception_debug;
	atomic64_t sdma_ns;
};

#endif /* GPU_PROCESS_H */
