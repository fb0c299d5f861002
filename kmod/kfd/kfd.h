/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to the KFD front end: /dev/kfd, its processes, and its sysfs.
 *
 *   vkfd_process  what /dev/kfd knows of one mm: a gpu_process and, for every
 *                 GPU that existed when it was made, a vkfd_pdd
 *   vkfd_pdd      process x device: a gpu_pdd, the buffer handles, statistics
 *   vkfd_mem      what a handle names: a BO at a GPU address, and the devices
 *                 it is mapped on
 *   vkfd_queue    a gpu_queue with its place in sysfs
 *   vkfd_events   the events of one process and their signal page
 *
 * Lifetime. A process is made by the first open of /dev/kfd and taken apart
 * when its mm goes (exit, kill, exec), not when the file is closed. Taking
 * apart runs on a workqueue. An exiting task waits for it before anybody can
 * reap it, whether it closes its file then or did so long ago (@reaper), so that
 * who reaps finds everything given back; and so does exec before it returns.
 *
 * The one rule that makes the rest simple: an ioctl or an mmap runs only in a
 * thread of the opener, in the process's mm. Taking apart begins when there is no
 * such thread any more, so it meets no ioctl, and no handler has to look for it.
 * It does meet others who run in the mm or have the file: see locking.rst. So it
 * gives back what the process holds; the structs stay for the last reference.
 *
 * Locks are in locking.rst; "process->lock" is gpu_process.lock.
 */
#ifndef VKFD_KFD_H
#define VKFD_KFD_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/idr.h>
#include <linux/kobject.h>
#include <linux/lockdep.h>
#include <linux/mmu_notifier.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "gpu/device.h"
#include "gpu/process.h"
#include "gpu/queue.h"
#include "gpu/svm.h"
#include "../../uapi/linux/kfd_ioctl.h"	/* ours, not the kernel's */

#define VKFD_MAX_GPUS		32	/* of a machine */
#define VKFD_MAX_QUEUES		1024	/* of a process */
#define VKFD_MAX_QUEUES_PDD	127	/* of a process on a device: the scheduler's limit */
#define VKFD_MAX_HANDLES	(1 << 18)	/* of a process on a device */
#define VKFD_MAX_BO_BYTES	(1ull << 47)	/* the whole GPU address space */

#define VKFD_EVENT_PAGE_BYTES	(KFD_SIGNAL_EVENT_LIMIT * 8)
#define VKFD_FIRST_OTHER_EVENT	0x40000000	/* ids of events without a slot */
#define VKFD_MAX_OTHER_EVENTS	(1 << 16)

struct device;
struct file;
struct vkfd_process;
struct vm_area_struct;

/**
 * struct vkfd_mem - what a buffer handle names
 * @bo: a reference
 * @va: GPU address its maps go to
 * @flags: KFD_IOC_ALLOC_MEM_FLAGS_*
 * @double_map: AQL_QUEUE_MEM: the pages appear twice in a row
 * @allowed: @bo may be mmapped by the DRM file of the pdd that owns the handle
 * @imported: by IMPORT_DMABUF: somebody else pays
 * @mapped: bit n: mapped in the VM of pdd n (process->lock)
 */
struct vkfd_mem {
	struct gpu_bo *bo;
	u64 va;
	u32 flags;
	bool double_map;
	bool allowed;
	bool imported;
	DECLARE_BITMAP(mapped, VKFD_MAX_GPUS);
};

/**
 * struct vkfd_stat - a file in proc/<pid> that shows a number
 * @obj: what @get looks at
 */
struct vkfd_stat {
	struct attribute attr;
	char name[24];
	const void *obj;
	u64 (*get)(const void *obj);
};

#define VKFD_NUM_PDD_STATS	7

/**
 * struct vkfd_pdd - a process on a device
 * @base: what backends see
 * @index: in process->pdds
 * @lost: the device was taken from the machine: no ioctl finds it any more
 * @handles: struct vkfd_mem by the low half of the handle (process->lock)
 * @num_handles: in @handles (process->lock)
 * @num_queues: queues on this device (process->lock)
 * @evicted: how many evictions its queues are under; @evicted_since: when the first
 *	of them came, ns (process->lock)
 * @evicted_ns: all times before that
 * @mmio: the page that MMIO allocations and mmaps of this process show
 * @vram_bytes: VRAM behind @handles; written under process->lock
 * @faults: GPU page faults that failed
 * @kobj_stats,@kobj_counters: directories stats_<gpu_id>, counters_<gpu_id> in
 *	proc/<pid>, or NULL
 * @stats: its files, and those of the device in proc/<pid> itself
 */
struct vkfd_pdd {
	struct gpu_pdd base;
	struct vkfd_process *process;
	unsigned int index;
	bool lost;
	struct idr handles;
	unsigned int num_handles;
	unsigned int num_queues;
	unsigned int evicted;
	u64 evicted_since;
	atomic64_t evicted_ns;
	struct gpu_bo *mmio;
	u64 vram_bytes;
	atomic64_t faults;
	struct kobject *kobj_stats, *kobj_counters;
	struct vkfd_stat stats[VKFD_NUM_PDD_STATS];
};

#define VKFD_QUEUE_BUFS	5	/* ring, indices, end of pipe, save area */

/**
 * struct vkfd_queue - a user queue
 * @base: what backends see; @base.id is the KFD queue id
 * @sdma: SDMA: @xgmi: an engine for XGMI links; @engine: asked for, or what was
 *	given; @slot: queue of that engine; @id: bit in the device's map
 * @bufs: where its pinned buffers start in @bufs_vm, which is NULL if they were
 *	not checked; @bufs[0] is the ring (process->lock)
 * @area: the save area, if it is in shared memory and was checked
 * @exceptions: bit n: exception code n + 1, on its way to user space
 * @exception_work: brings them there
 * @kobj: proc/<pid>/queues/<id>; its release frees this struct
 */
struct vkfd_queue {
	struct gpu_queue base;
	struct {
		bool xgmi;
		u32 engine, slot, id;
	} sdma;
	struct gpu_vm *bufs_vm;
	u64 bufs[VKFD_QUEUE_BUFS];
	unsigned int num_bufs;
	struct gpu_svm_hold area;
	atomic64_t exceptions;
	struct delayed_work exception_work;
	struct kobject kobj;
};

/**
 * struct vkfd_events - events of a process
 * @lock: everything below, and every event and waiter; taken by the GPU's
 *	threads, so nothing sleeps under it
 * @ids: struct vkfd_event by id; slot 0 is held by NULL
 * @slots: signal page, or NULL; user memory: read once, believe nothing
 * @num_slots: how many of them user space has mapped
 * @page: the kernel's own page behind @slots; set once, stays with the process
 * @num_signals: signal events alive, plus one for id 0
 * @bo: the BO behind @slots, if user space brought it; @handle: its handle
 * @num_total: all events alive
 * @num_waiters: elements of all WAIT_EVENTS calls under way
 */
struct vkfd_events {
	spinlock_t lock;
	struct idr ids;
	u64 *slots;
	unsigned int num_slots;
	unsigned int num_signals;
	unsigned int num_total;
	unsigned int num_waiters;
	void *page;
	struct gpu_bo *bo;
	u64 handle;
};

/**
 * struct vkfd_process - an mm's use of /dev/kfd
 * @base: what backends see
 * @node: in the process list (vkfd_processes_lock) until the last reference goes
 * @notifier: tells of the mm's end
 * @ending: set once when taking apart is decided
 * @gone: it has been taken apart
 * @teardown: the work that takes apart
 * @reaper: a file whose release waits for @teardown, from the first VM on; NULL
 *	again once somebody put it
 * @pasid: a number for sysfs
 * @pdds,@num_pdds: constant from creation to the last reference
 * @queues: struct vkfd_queue by id (process->lock)
 * @num_queues: in @queues (process->lock)
 * @suspended: by a suspend its queues are evicted (process->lock)
 * @area_lost: the memory of a save area is gone, and nobody has evicted for it yet
 * @area_work: does that
 * @events: see there
 * @runtime: RUNTIME_ENABLE; the state is one of enum kfd_dbg_runtime_state
 *	(process->lock)
 * @svm: shared virtual memory
 * @ioctls: made so far
 * @kobj,@kobj_queues: proc/<pid> and its queues directory, or NULL
 * @stat_pasid: the file of that name
 */
struct vkfd_process {
	struct gpu_process base;
	struct list_head node;
	struct mmu_notifier notifier;
	unsigned long ending;
	bool gone;
	struct work_struct teardown;
	struct file *reaper;
	int pasid;
	struct vkfd_pdd *pdds[VKFD_MAX_GPUS];
	unsigned int num_pdds;
	struct idr queues;
	unsigned int num_queues;
	bool suspended;
	bool area_lost;
	struct work_struct area_work;
	struct vkfd_events events;
	struct {
		u32 state;
		u64 r_debug;
		bool ttmp_setup;
	} runtime;
	struct gpu_svm *svm;
	atomic64_t ioctls;
	struct kobject *kobj, *kobj_queues;
	struct vkfd_stat stat_pasid;
};

static inline struct vkfd_process *to_vkfd_process(struct gpu_process *p)
{
	return container_of(p, struct vkfd_process, base);
}

/* chardev.c */
extern struct device *vkfd_device;
int vkfd_chardev_init(void);		/* class and device: sysfs can hang on it */
int vkfd_chardev_publish(void);		/* open() works from here on */
void vkfd_chardev_unpublish(void);
void vkfd_chardev_fini(void);

/* process.c */
int vkfd_process_init(void);
void vkfd_process_fini(void);
struct vkfd_process *vkfd_process_open(void);	/* of current, with a reference */
void vkfd_process_exit(struct vkfd_process *p);
void vkfd_process_left(struct gpu_process *p);	/* gpu_host_ops */
void vkfd_process_close(struct vkfd_process *p);
/* Before the process has anything that others may miss; process->lock is held. */
int vkfd_process_hold(struct vkfd_process *p);
/* Process data of a user's gpu_id, or NULL. */
struct vkfd_pdd *vkfd_process_pdd(struct vkfd_process *p, u32 gpu_id);
/* The same with its VM acquired: -EINVAL without a device, -ENODEV without a VM. */
struct vkfd_pdd *vkfd_process_bound_pdd(struct vkfd_process *p, u32 gpu_id);
/* Take @gdev from everybody: queues stop, and its gpu_id is nobody's any more. */
void vkfd_process_device_lost(struct gpu_device *gdev);
/* On the workqueue that takes processes apart; false: it is there already. */
bool vkfd_process_work(struct work_struct *work);
/* Processes that have ended have nothing on a GPU any more. */
void vkfd_process_flush(void);
/* May the caller use @gdev, as far as its device cgroup says? */
bool vkfd_device_permitted(const struct gpu_device *gdev);
int vkfd_processes_show(struct seq_file *m);	/* the debugfs view */
/*
 * Call @fn for each process that is not being taken apart, its lock held; look: until
 * it fails, or the caller is killed. A process that holds its lock for long holds up
 * the caller and nobody else.
 */
void vkfd_processes_each(void (*fn)(struct vkfd_process *p));
int vkfd_processes_look(int (*fn)(struct vkfd_process *p, void *data), void *data);

/* procfs.c: proc/ below the kfd device */
void vkfd_procfs_init(void);
void vkfd_procfs_fini(void);
void vkfd_procfs_add_process(struct vkfd_process *p);
void vkfd_procfs_del_process(struct vkfd_process *p);
void vkfd_queue_kobj_init(struct vkfd_queue *q);
int vkfd_procfs_add_queue(struct vkfd_process *p, struct vkfd_queue *q);
void vkfd_procfs_del_queue(struct vkfd_queue *q);

/* topology.c, topology_sysfs.c */
int vkfd_topology_init(void);
int vkfd_topology_add_gpu(struct gpu_device *gdev);
void vkfd_topology_remove_gpu(struct gpu_device *gdev);
void vkfd_topology_fini(void);
unsigned int vkfd_topology_num_nodes(void);

/* apertures.c */
int vkfd_ioctl_get_version(struct vkfd_process *p, void *data);
int vkfd_ioctl_get_clock_counters(struct vkfd_process *p, void *data);
int vkfd_ioctl_get_process_apertures(struct vkfd_process *p, void *data);
int vkfd_ioctl_get_process_apertures_new(struct vkfd_process *p, void *data);
int vkfd_ioctl_acquire_vm(struct vkfd_process *p, void *data);
int vkfd_ioctl_set_memory_policy(struct vkfd_process *p, void *data);
int vkfd_ioctl_set_scratch_backing_va(struct vkfd_process *p, void *data);
int vkfd_ioctl_set_trap_handler(struct vkfd_process *p, void *data);
int vkfd_ioctl_get_tile_config(struct vkfd_process *p, void *data);
int vkfd_ioctl_dbg_deprecated(struct vkfd_process *p, void *data);
int vkfd_ioctl_profiler(struct vkfd_process *p, void *data);

/* memory.c */
int vkfd_ioctl_get_available_memory(struct vkfd_process *p, void *data);
int vkfd_ioctl_alloc_memory_of_gpu(struct vkfd_process *p, void *data);
int vkfd_ioctl_free_memory_of_gpu(struct vkfd_process *p, void *data);
int vkfd_ioctl_map_memory_to_gpu(struct vkfd_process *p, void *data);
int vkfd_ioctl_unmap_memory_from_gpu(struct vkfd_process *p, void *data);
struct vkfd_mem *vkfd_mem_find(struct vkfd_pdd *pdd, u64 handle);
int vkfd_mem_publish(struct vkfd_pdd *pdd, struct vkfd_mem *mem, u64 *handle);
void vkfd_memory_teardown(struct vkfd_process *p);
int vkfd_mmio_mmap(struct vkfd_pdd *pdd, struct vm_area_struct *vma);

/* dmabuf.c */
int vkfd_ioctl_get_dmabuf_info(struct vkfd_process *p, void *data);
int vkfd_ioctl_import_dmabuf(struct vkfd_process *p, void *data);
int vkfd_ioctl_export_dmabuf(struct vkfd_process *p, void *data);

/* svm.c */
int vkfd_svm_init(struct vkfd_process *p);
int vkfd_ioctl_svm(struct vkfd_process *p, void *data);
void vkfd_host_svm(struct gpu_process *p, struct gpu_device *gdev, const struct gpu_svm_event *e);
int vkfd_check_svm(const void *data, unsigned int user_bytes);
int vkfd_ioctl_set_xnack_mode(struct vkfd_process *p, void *data);
/* Would the new buffer lie where SVM is, or show its memory? */
bool vkfd_svm_conflicts(struct vkfd_process *p,
			const struct kfd_ioctl_alloc_memory_of_gpu_args *args);

/* queue.c */
int vkfd_ioctl_create_queue(struct vkfd_process *p, void *data);
int vkfd_ioctl_update_queue(struct vkfd_process *p, void *data);
/* queue_bufs.c */
int vkfd_queue_bufs_get(struct vkfd_process *p, struct vkfd_pdd *pdd, struct vkfd_queue *q);
int vkfd_queue_bufs_move(struct vkfd_queue *q, u64 ring_va, u64 ring_bytes);
void vkfd_queue_bufs_put(struct vkfd_process *p, struct vkfd_queue *q);
/* queue_ctl.c */
int vkfd_ioctl_set_cu_mask(struct vkfd_process *p, void *data);
int vkfd_ioctl_get_queue_wave_state(struct vkfd_process *p, void *data);
int vkfd_ioctl_alloc_queue_gws(struct vkfd_process *p, void *data);
int vkfd_ioctl_destroy_queue(struct vkfd_process *p, void *data);
void vkfd_queue_teardown(struct vkfd_process *p);
/* The queues on one device; process->lock is held. */
void vkfd_queue_lose(struct vkfd_process *p, const struct gpu_device *gdev);
void vkfd_queues_show(struct vkfd_process *p, struct seq_file *m);

/* evict.c; evictions nest, one restore for each; process->lock is held */
void vkfd_process_evict(struct vkfd_process *p, u32 trigger);
void vkfd_process_restore(struct vkfd_process *p);
/*
 * For good, as a save area is gone. By a work item; and by who is to tell a queue
 * something, so that it comes after the eviction.
 */
void vkfd_area_init(struct vkfd_process *p);
void vkfd_area_lost(struct gpu_svm_hold *h);
void vkfd_area_settle(struct vkfd_process *p);
/* The machine suspends, or resumes; with the first and the last GPU, all processes. */
void vkfd_device_suspend(struct gpu_device *gdev);
void vkfd_device_resume(struct gpu_device *gdev);
bool vkfd_is_suspended(void);
void vkfd_device_debugfs_init(struct gpu_device *gdev);
int vkfd_suspend_init(void);
void vkfd_suspend_fini(void);

/*
 * sdma.c: queues of the engines. They are as many as the device has, for all
 * processes; each has its place in the doorbell slice.
 */
#define VKFD_SDMA_ANY_ENGINE	U32_MAX
#define VKFD_SDMA_DOORBELL_FIRST 0x100
unsigned int vkfd_sdma_engines(const struct gpu_device *gdev);
/* Gives @q an engine and a queue of it, if it is an SDMA queue. */
int vkfd_sdma_get(struct gpu_device *gdev, struct vkfd_queue *q);
void vkfd_sdma_put(struct gpu_device *gdev, struct vkfd_queue *q);
unsigned int vkfd_sdma_doorbell(const struct vkfd_queue *q);

/* event.c */
int vkfd_events_init(struct vkfd_events *evs);
void vkfd_events_fini(struct vkfd_events *evs);
void vkfd_events_free(struct vkfd_events *evs);
int vkfd_ioctl_create_event(struct vkfd_process *p, void *data);
int vkfd_ioctl_destroy_event(struct vkfd_process *p, void *data);
int vkfd_ioctl_set_event(struct vkfd_process *p, void *data);
int vkfd_ioctl_reset_event(struct vkfd_process *p, void *data);
int vkfd_event_mmap(struct vkfd_process *p, struct vm_area_struct *vma);

/* runtime.c */
int vkfd_ioctl_runtime_enable(struct vkfd_process *p, void *data);
int vkfd_ioctl_dbg_trap(struct vkfd_process *p, void *data);

/* exception.c: to the runtime that has enabled them, or nowhere */
void vkfd_exception_init(struct vkfd_queue *q);
void vkfd_exception_fini(struct vkfd_queue *q);
void vkfd_exception_raise(struct vkfd_queue *q, u64 mask);
/* The exception that is a code of queue_inactive_signal; 0 if it is none. */
u64 vkfd_exception_of_error(enum gpu_queue_error error);

/* event_wait.c */
int vkfd_ioctl_wait_events(struct vkfd_process *p, void *data);

/* smi.c; who reports events includes smi.h */
int vkfd_ioctl_smi_events(struct vkfd_process *p, void *data);

/* host.c: upcalls of the backends */
extern const struct gpu_host_ops vkfd_host_ops;

/* debugfs.c */
void vkfd_debugfs_init(void);
void vkfd_debugfs_hw_init(void);	/* debugfs_hw.c */

/**
 * struct vkfd_counters - what the front end counted since load
 * Shown in debugfs; backends keep theirs in the directory of their device.
 */
struct vkfd_counters {
	atomic64_t ioctls, ioctl_errors;
	atomic64_t opens, processes;
	atomic64_t events, interrupts, spurious;
	atomic64_t faults, queue_errors, hw_exceptions;
	atomic64_t queues;
	atomic64_t maps, unmaps;
};
extern struct vkfd_counters vkfd_counters;

#define vkfd_count(name)	atomic64_inc(&vkfd_counters.name)

#endif /* VKFD_KFD_H */
