/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to the KFD front end: /dev/kfd, its processes, and its sysfs.
 *
 *   vkfd_process  what /dev/kfd knows about one mm: a gpu_process plus one
 *                 vkfd_pdd for every GPU that existed when it was created
 *   vkfd_pdd      process x device: a gpu_pdd, the buffer handles, statistics
 *   vkfd_mem      what a handle names: a BO at a GPU address, and the devices
 *                 it is mapped on
 *   vkfd_queue    a gpu_queue with its place in sysfs
 *   vkfd_events   the events of one process and their signal page
 *
 * Contexts. CREATE_PROCESS gives a file a process object of its own beside the mm's (the
 * primary one): a context, with its own VMs, queues, buffers and events, and without SVM
 * and user memory. It ends with its file, or with the mm.
 *
 * Lifetime. The first open of /dev/kfd creates the process. Its teardown starts
 * when the mm goes away (exit, kill, exec), not when the file is closed, and runs
 * on a workqueue. An exiting task waits for the teardown before its parent can
 * reap it, even if it closed /dev/kfd long before (see @reaper). So a parent that
 * has reaped the task finds all resources released. exec waits in the same way
 * before it returns.
 *
 * One rule keeps the rest simple: an ioctl or an mmap runs only in a thread of
 * the process that opened the file, with that process's mm. Teardown starts when
 * no such thread is left, so it never runs in parallel with an ioctl and handlers
 * need not check for it. (Handlers for checkpoints do, as others call them, too.)
 * Teardown can run in parallel with other tasks that share the mm or hold the file, see
 * locking.rst. Therefore it releases the resources
 * of the process but leaves the structs to the last reference.
 *
 * Locks are described in locking.rst; "process->lock" means gpu_process.lock.
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

#include "gpu/charged.h"
#include "gpu/device.h"
#include "gpu/process.h"
#include "gpu/queue.h"
#include "gpu/svm.h"
#include "../../uapi/linux/kfd_ioctl.h"	/* ours, not the kernel's */

#define VKFD_MAX_GPUS		32	/* of a machine */
#define VKFD_MAX_CONTEXTS	32	/* of a process, beside itself */
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
 * @va: GPU address at which the buffer is mapped
 * @flags: KFD_IOC_ALLOC_MEM_FLAGS_*
 * @double_map: AQL_QUEUE_MEM: the pages appear twice in a row
 * @allowed: @bo may be mmapped through the DRM file of the pdd that owns the handle
 * @imported: created by IMPORT_DMABUF: the memory is charged to the exporter
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
 * @obj: passed to @get
 */
struct vkfd_stat {
	struct attribute attr;
	char name[24];
	const void *obj;
	u64 (*get)(const void *obj);
};

#define VKFD_NUM_PDD_STATS	7

/**
 * struct vkfd_pdd - process data of one device
 * @base: the part that backends see
 * @index: index in process->pdds
 * @user_gpu_id: the gpu_id that the process knows the device by; another one than the device's
 *	own if the process was restored from a checkpoint (written under process->lock)
 * @lost: the device was removed from the machine; ioctls no longer find it (lost.c)
 * @taken: and no queue is left there (process->lock)
 * @handles: struct vkfd_mem by the low half of the handle (process->lock)
 * @num_handles: number of entries in @handles (process->lock)
 * @num_queues: queues on this device (process->lock)
 * @evicted: number of evictions in force for its queues; @evicted_since: time of
 *	the first of them, ns (process->lock)
 * @area_lost: one of them is for good, because of a save area (process->lock)
 * @evicted_ns: total time of the evictions that have ended
 * @mmio: the page behind MMIO allocations and MMIO mmaps of this process
 * @vram_bytes: VRAM behind @handles; written under process->lock
 * @faults: GPU page faults that could not be resolved
 * @kobj_stats,@kobj_counters: directories stats_<gpu_id>, counters_<gpu_id> in
 *	proc/<pid>, or NULL
 * @stats: files of these directories, and this device's files in proc/<pid>
 */
struct vkfd_pdd {
	struct gpu_pdd base;
	struct vkfd_process *process;
	unsigned int index;
	u32 user_gpu_id;
	bool lost, taken;
	struct idr handles;
	unsigned int num_handles;
	unsigned int num_queues;
	unsigned int evicted;
	bool area_lost;
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
 * @base: the part that backends see; @base.id is the KFD queue id
 * @sdma: for SDMA queues. @xgmi: uses an engine for XGMI links; @engine: the
 *	engine that was requested, later the one that was assigned; @slot: queue
 *	number on that engine; @id: bit in the device's map
 * @bufs: GPU addresses of its pinned buffers in @bufs_vm; @bufs_vm is NULL if the
 *	buffers were not checked. @bufs[0] is the ring, with @metadata_bytes of a ring of metadata
 *	behind it (process->lock)
 * @area: the save area, if it is in shared virtual memory and was checked
 * @exceptions: bit n: exception code n + 1, not yet delivered to user space
 * @exception_work: delivers them; @exception_delay: how long it has waited for memory (jiffies)
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
	u32 metadata_bytes;
	struct gpu_svm_hold area;
	atomic64_t exceptions;
	struct delayed_work exception_work;
	int exception_delay;
	struct kobject kobj;
};

/**
 * struct vkfd_events - events of a process
 * @lock: guards everything below, and every event and waiter. The GPU's threads
 *	take it, so nothing may sleep under it
 * @ids: struct vkfd_event by id; id 0 is reserved (NULL)
 * @slots: signal page, or NULL. User space can write to it: read each word once
 *	and do not trust it
 * @num_slots: number of slots that user space has mapped
 * @page: the kernel's own page behind @slots; once set, it stays until the
 *	process is freed; @memory: its pages, charged to the process
 * @num_signals: existing signal events, plus one for id 0
 * @bo: the BO behind @slots, if user space supplied it; @handle: its handle
 * @num_total: all existing events
 * @num_waiters: list elements of all WAIT_EVENTS calls in progress
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
	struct gpu_memory memory;
	struct gpu_bo *bo;
	u64 handle;
};

/**
 * enum vkfd_criu_state - where a process is with checkpoints
 * @VKFD_CRIU_IDLE: nowhere
 * @VKFD_CRIU_PAUSED: PROCESS_INFO has evicted its queues, until UNPAUSE
 * @VKFD_CRIU_LOADING: RESTORE has, and is making them
 * @VKFD_CRIU_LOADED: it has made them; RESUME is to come
 */
enum vkfd_criu_state {
	VKFD_CRIU_IDLE, VKFD_CRIU_PAUSED, VKFD_CRIU_LOADING, VKFD_CRIU_LOADED,
};

/**
 * struct vkfd_stale - memory of one kind that the mm changes (stale.c)
 * @process: whose
 * @trigger: what events of an eviction say
 * @work: stops the queues for that, and lets them go on
 * @told: there was a change that no restore has come after; set by notifiers
 * @stopped: the queues are evicted for it (process->lock)
 * @quiet_until: jiffies; they are not evicted again before
 */
struct vkfd_stale {
	struct vkfd_process *process;
	u32 trigger;
	struct delayed_work work;
	bool told, stopped;
	unsigned long quiet_until;
};

/**
 * struct vkfd_process - an mm's use of /dev/kfd
 * @base: the part that backends see
 * @node: in the process list (vkfd_processes_lock) until the last reference is put
 * @notifier: its ->release starts teardown when the mm ends
 * @ending: set once, when teardown is decided
 * @gone: teardown is done
 * @teardown: the work item that tears the process down
 * @reaper: a file whose release waits for @teardown. It exists from the first
 *	acquired VM on, and is NULL again once somebody has put it
 * @primary: a context's: the mm's process, with a reference; NULL in that one (constant)
 * @contexts: ids of its contexts; @context_id: of a context
 * @pasid: a number for sysfs, 0: there was none left
 * @pdds,@num_pdds: constant from creation to the last reference
 * @queues: struct vkfd_queue by id (process->lock)
 * @num_queues: number of entries in @queues (process->lock)
 * @suspended: a suspend has evicted its queues (process->lock)
 * @displaced: buffers of it had to leave a GPU's memory, and its queues are evicted until
 *	@restore_work brings them back (process->lock); @restored_at: boot time of the last time
 *	(jiffies, 0: never)
 * @area_lost: the memory of a save area was unmapped, and the queues have not
 *	been evicted for that yet
 * @area_work: evicts them
 * @lost_work: takes queues apart whose GPU was removed
 * @sleep_work: brings @suspended in line with what GPUs do, if that could not be done at once
 * @stale: see there
 * @work_delay: jiffies that such a work waited for process->lock the last time
 * @events: see there
 * @runtime: RUNTIME_ENABLE; the state is one of enum kfd_dbg_runtime_state
 *	(process->lock)
 * @svm: shared virtual memory
 * @criu: checkpoints (process->lock). @state: see there; @svm: what RESUME has to set (criu_load.c)
 * @ioctls: number of ioctls so far
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
	struct vkfd_process *primary;
	struct ida contexts;
	int context_id;
	int pasid;
	struct vkfd_pdd *pdds[VKFD_MAX_GPUS];
	unsigned int num_pdds;
	struct idr queues;
	unsigned int num_queues;
	bool suspended;
	bool displaced;
	u64 restored_at;
	struct delayed_work restore_work;
	bool area_lost;
	struct delayed_work area_work, lost_work, sleep_work;
	struct vkfd_stale stale[GPU_STALE_KINDS];
	unsigned int work_delay;
	struct vkfd_events events;
	struct {
		u32 state;
		u64 r_debug;
		bool ttmp_setup;
	} runtime;
	struct gpu_svm *svm;
	struct {
		enum vkfd_criu_state state;
		struct list_head svm;
	} criu;
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
int vkfd_chardev_init(void);		/* class and device: parent of the sysfs files */
int vkfd_chardev_publish(void);		/* from here on, open() works */
void vkfd_chardev_unpublish(void);
void vkfd_chardev_fini(void);

/* process.c */
int vkfd_process_init(void);
void vkfd_process_fini(void);
struct vkfd_process *vkfd_process_open(void);	/* of current, with a reference */
/* A context of @primary, with a reference; a thread of @primary is calling. */
struct vkfd_process *vkfd_process_open_context(struct vkfd_process *primary);
void vkfd_process_exit(struct vkfd_process *p);
void vkfd_process_left(struct gpu_process *p);	/* gpu_host_ops */
void vkfd_process_close(struct vkfd_process *p);
/*
 * Creates @reaper. Call it before the process acquires anything that its parent
 * expects to be free once the process is reaped; process->lock is held.
 */
int vkfd_process_hold(struct vkfd_process *p);
/* A PASID; 0: there is none left; or -ENOMEM */
int vkfd_pasid_get(void);
void vkfd_pasid_put(int pasid);
/*
 * pdd.c: of all devices that the caller may have; end their VMs; free them. What a failed add has
 * added is freed with the process.
 */
int vkfd_process_add_pdds(struct vkfd_process *p);
void vkfd_process_unbind_pdds(struct vkfd_process *p);
void vkfd_process_free_pdds(struct vkfd_process *p);
/* Process data of a gpu_id as the process knows it, or NULL. */
struct vkfd_pdd *vkfd_process_pdd(struct vkfd_process *p, u32 gpu_id);
/* Of a device; or of its own gpu_id, which offsets of mmap have. NULL: the process has it not. */
struct vkfd_pdd *vkfd_process_pdd_on(struct vkfd_process *p, const struct gpu_device *gdev);
struct vkfd_pdd *vkfd_process_pdd_real(struct vkfd_process *p, u32 gpu_id);
/* The first with its VM acquired: -EINVAL without a device, -ENODEV without a VM. */
struct vkfd_pdd *vkfd_process_bound_pdd(struct vkfd_process *p, u32 gpu_id);
/*
 * The process of the thread group with this id, as the caller's namespace has it, with a
 * reference; NULL: there is none that has opened /dev/kfd and is not ending.
 */
struct vkfd_process *vkfd_process_get_by_pid(pid_t pid);
/* Does it have contexts (CREATE_PROCESS)? */
bool vkfd_process_has_contexts(struct vkfd_process *p);
/*
 * Iterator: puts the reference to @p and returns the next process in the list with a
 * reference, or the first one if @p is NULL. The process may be ending.
 */
struct vkfd_process *vkfd_process_next(struct vkfd_process *p);
#define for_each_vkfd_process(p) \
	for ((p) = vkfd_process_next(NULL); (p); (p) = vkfd_process_next(p))
/*
 * If no process has any of @gdevs, keep others from opening /dev/kfd for the first time until
 * vkfd_process_thaw(); else -EBUSY.
 */
int vkfd_process_freeze(struct gpu_device *const *gdevs, unsigned int n);
void vkfd_process_thaw(void);
/*
 * Works that take process->lock. A process may hold that for any time, and a workqueue has only so
 * many places for all processes: a work that does not get the lock leaves, and comes again.
 *
 * vkfd_process_work() queues @work in so many jiffies, with a reference to @p, if it is not queued.
 * The work does nothing if vkfd_process_work_begin() is false; otherwise it has the lock until
 * vkfd_process_work_end(), after which @p may be gone. vkfd_process_work_cancel(): the caller has
 * another reference.
 */
void vkfd_process_work(struct vkfd_process *p, struct delayed_work *work, unsigned long delay);
bool vkfd_process_work_begin(struct vkfd_process *p, struct delayed_work *work);
void vkfd_process_work_end(struct vkfd_process *p);
void vkfd_process_work_cancel(struct vkfd_process *p, struct delayed_work *work);
/* Wait for those that are about to run, and for the teardown of all ended processes. */
void vkfd_process_flush(void);
/* Does the caller's device cgroup permit @gdev? */
bool vkfd_device_permitted(const struct gpu_device *gdev);
/* Take the lock of somebody else's process. -EBUSY: not until then (jiffies); -EINTR: killed */
int vkfd_process_lock_until(struct vkfd_process *p, unsigned long until);
/*
 * Call @fn for each process that is not being torn down, with its lock held. Does not wait for that
 * for long: what a process of its own does with the lock is no reason to keep who looks. It tells
 * @busy of such a process, if that is not NULL. It stops when @fn fails or the caller is killed.
 * vkfd_processes_tell() has no lock held.
 */
int vkfd_processes_look(int (*fn)(struct vkfd_process *p, void *data),
			void (*busy)(struct vkfd_process *p, void *data), void *data);
int vkfd_processes_tell(int (*fn)(struct vkfd_process *p, void *data), void *data);

/*
 * lost.c: take @gdev from all processes: stop their queues and forget its gpu_id. Waits for a few
 * seconds at most, whatever the processes do.
 */
void vkfd_process_device_lost(struct gpu_device *gdev);
void vkfd_lost_init(struct vkfd_process *p);
/* @p, which is only now found by others, forgets devices that have been taken away. */
void vkfd_lost_before(struct vkfd_process *p);

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
int vkfd_acquire_vm(struct vkfd_process *p, struct vkfd_pdd *pdd, struct file *drm_file);
int vkfd_ioctl_set_memory_policy(struct vkfd_process *p, void *data);
int vkfd_ioctl_set_scratch_backing_va(struct vkfd_process *p, void *data);
int vkfd_ioctl_set_trap_handler(struct vkfd_process *p, void *data);
int vkfd_ioctl_get_tile_config(struct vkfd_process *p, void *data);
int vkfd_ioctl_dbg_deprecated(struct vkfd_process *p, void *data);

/* profiler.c */
int vkfd_ioctl_profiler(struct vkfd_process *p, void *data);
void vkfd_profiler_release(struct vkfd_process *p);

/* memory.c */
int vkfd_ioctl_get_available_memory(struct vkfd_process *p, void *data);
int vkfd_ioctl_alloc_memory_of_gpu(struct vkfd_process *p, void *data);
int vkfd_ioctl_free_memory_of_gpu(struct vkfd_process *p, void *data);
int vkfd_ioctl_map_memory_to_gpu(struct vkfd_process *p, void *data);
int vkfd_ioctl_unmap_memory_from_gpu(struct vkfd_process *p, void *data);
struct vkfd_mem *vkfd_mem_find(struct vkfd_pdd *pdd, u64 handle);
int vkfd_mem_publish(struct vkfd_pdd *pdd, struct vkfd_mem *mem, u64 *handle);
void vkfd_memory_teardown(struct vkfd_process *p);
/**
 * struct vkfd_mem_want - a buffer that was in a checkpoint
 * @va,@flags: as in struct vkfd_mem; @bytes: of the memory; @user_addr: of a USERPTR
 * @id: low half of its handle
 */
struct vkfd_mem_want {
	u64 va, bytes, user_addr;
	u32 flags, id;
};

/* Under process->lock: the buffer or ERR_PTR. */
struct vkfd_mem *vkfd_mem_restore(struct vkfd_process *p, struct vkfd_pdd *pdd,
				  const struct vkfd_mem_want *want);
int vkfd_mem_map(struct vkfd_mem *mem, struct vkfd_pdd *pdd);
/* Unmaps and frees it, whoever uses it. */
void vkfd_mem_forget(struct vkfd_process *p, struct vkfd_pdd *pdd, u32 id);
/* Without a lock, before memory is taken: who can leave makes room. Only a signal is an error. */
int vkfd_mem_room(struct vkfd_process *p, const struct kfd_ioctl_alloc_memory_of_gpu_args *args);
/* Where it can be mmapped; @given: the answer for those that cannot */
u64 vkfd_mem_mmap_offset(const struct vkfd_mem *mem, u32 gpu_id, u64 given);
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
/* Under process->lock, with attributes of the process itself or of a checkpoint */
int vkfd_svm_set(struct vkfd_process *p, const struct kfd_ioctl_svm_args *args);
int vkfd_svm_get(struct vkfd_process *p, struct kfd_ioctl_svm_args *args);
bool vkfd_svm_has_gpu(struct vkfd_process *p, u32 gpu_id);
/* -EPERM: the GPUs cannot */
int vkfd_svm_set_xnack(struct vkfd_process *p, bool on);
/* Does the new buffer overlap an SVM range, or alias its memory? */
bool vkfd_svm_conflicts(struct vkfd_process *p,
			const struct kfd_ioctl_alloc_memory_of_gpu_args *args);

/* queue.c */
/**
 * struct vkfd_queue_want - a queue that is to be
 * @props: as for the backend
 * @metadata_bytes: of the ring behind the ring, or 0
 * @xgmi,@engine: of an SDMA queue; @engine: VKFD_SDMA_ANY_ENGINE, or an index
 * @restored: it was in a checkpoint, and gets these: @id, @doorbell, and @sdma_id of an SDMA queue
 */
struct vkfd_queue_want {
	struct gpu_queue_props props;
	u32 metadata_bytes;
	bool xgmi, restored;
	u32 engine;
	u32 id, doorbell, sdma_id;
};

/* Under process->lock: the new queue or ERR_PTR. */
struct vkfd_queue *vkfd_queue_add(struct vkfd_process *p, struct vkfd_pdd *pdd,
				  const struct vkfd_queue_want *want);
void vkfd_queue_destroy(struct vkfd_process *p, struct vkfd_queue *q);
int vkfd_ioctl_create_queue(struct vkfd_process *p, void *data);
int vkfd_ioctl_update_queue(struct vkfd_process *p, void *data);
/* queue_bufs.c */
/* @metadata_bytes: of the ring behind the ring, or 0 */
int vkfd_queue_bufs_get(struct vkfd_process *p, struct vkfd_pdd *pdd, struct vkfd_queue *q,
			u32 metadata_bytes);
int vkfd_queue_bufs_move(struct vkfd_queue *q, u64 ring_va, u64 ring_bytes);
void vkfd_queue_bufs_put(struct vkfd_process *p, struct vkfd_queue *q);
/* queue_ctl.c */
int vkfd_ioctl_set_cu_mask(struct vkfd_process *p, void *data);
int vkfd_ioctl_get_queue_wave_state(struct vkfd_process *p, void *data);
int vkfd_ioctl_alloc_queue_gws(struct vkfd_process *p, void *data);
int vkfd_queue_set_gws(struct vkfd_process *p, struct vkfd_queue *q, bool want);
int vkfd_ioctl_destroy_queue(struct vkfd_process *p, void *data);
void vkfd_queue_teardown(struct vkfd_process *p);
/* Stop the queues on one device; process->lock is held. */
void vkfd_queue_lose(struct vkfd_process *p, const struct gpu_device *gdev);
void vkfd_queues_show(struct vkfd_process *p, struct seq_file *m);

/* pressure.c: gpu_host_ops.evict, and its work item */
int vkfd_host_evict(struct gpu_process *base, unsigned long until);
void vkfd_pressure_init(struct vkfd_process *p);

/* stale.c: gpu_host_ops.stale, and its work items. flush: true if there was one. */
void vkfd_host_stale(struct gpu_process *base, enum gpu_stale what);
void vkfd_stale_init(struct vkfd_process *p);
void vkfd_stale_cancel(struct vkfd_process *p);
bool vkfd_stale_flush(struct vkfd_process *p);

/* evict.c; evictions nest, each needs its restore; process->lock is held */
void vkfd_process_evict(struct vkfd_process *p, u32 trigger);
void vkfd_process_restore(struct vkfd_process *p);
/*
 * Evict the queues for good because a save area was unmapped. vkfd_area_lost() has
 * a work item do it. A caller that is about to change a queue calls
 * vkfd_area_settle() first, so that its change comes after the eviction.
 */
void vkfd_area_init(struct vkfd_process *p);
void vkfd_area_lost(struct gpu_svm_hold *h);
void vkfd_area_settle(struct vkfd_process *p);
/*
 * A GPU suspends or resumes. The first GPU to suspend evicts the queues of all
 * processes, the last one to resume restores them. Suspend is as if it had not been with -EBUSY,
 * when some process has held it up by a call for @patience (jiffies), and -EINTR, when the caller
 * is killed. Where tasks are frozen, none of them can, but works may hold locks, which end. Resume
 * waits for VKFD_CALLS_WAIT: such a process goes on when its call has ended.
 */
#define VKFD_CALLS_WAIT		(5 * HZ)
#define VKFD_FROZEN_WAIT	(60 * HZ)
int vkfd_device_suspend(struct gpu_device *gdev, unsigned long patience);
void vkfd_device_resume(struct gpu_device *gdev);
bool vkfd_is_suspended(void);
void vkfd_sleep_init(struct vkfd_process *p);
void vkfd_device_debugfs_init(struct gpu_device *gdev);
int vkfd_suspend_init(void);
void vkfd_suspend_fini(void);

/*
 * sdma.c: queues of the SDMA engines. A device has a fixed number of them, shared
 * by all processes; each has a fixed place in the doorbell slice.
 */
#define VKFD_SDMA_ANY_ENGINE	U32_MAX
#define VKFD_SDMA_DOORBELL_FIRST 0x100
unsigned int vkfd_sdma_engines(const struct gpu_device *gdev);
/* Assigns an engine and one of its queues to @q, if @q is an SDMA queue. */
int vkfd_sdma_get(struct gpu_device *gdev, struct vkfd_queue *q);
/* This one: -EINVAL: there is none with this number; -EBUSY: it is in use. */
int vkfd_sdma_get_id(struct gpu_device *gdev, struct vkfd_queue *q, u32 id);
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

/* event.c, for checkpoints: under process->lock */
struct vkfd_criu_event;
/* Returns how many there are, of which the first @room are described. */
unsigned int vkfd_events_save(struct vkfd_process *p, struct vkfd_criu_event *out,
			      unsigned int room);
int vkfd_event_restore(struct vkfd_process *p, const struct vkfd_criu_event *want);
/* Takes restored events back; also their page, if no event needs it. */
void vkfd_event_forget(struct vkfd_process *p, u32 id);
void vkfd_events_forget_page(struct vkfd_process *p);

/* runtime.c */
int vkfd_ioctl_runtime_enable(struct vkfd_process *p, void *data);
int vkfd_ioctl_dbg_trap(struct vkfd_process *p, void *data);

/* criu.c */
int vkfd_ioctl_criu_op(struct vkfd_process *p, void *data);
void vkfd_criu_release(struct vkfd_process *p);

/* exception.c: exceptions are delivered only after RUNTIME_ENABLE, else dropped */
void vkfd_exception_init(struct vkfd_queue *q);
void vkfd_exception_fini(struct vkfd_queue *q);
void vkfd_exception_raise(struct vkfd_queue *q, u64 mask);
/* The exception mask for a queue_inactive_signal code; 0 if it has none. */
u64 vkfd_exception_of_error(enum gpu_queue_error error);

/* event_wait.c */
int vkfd_ioctl_wait_events(struct vkfd_process *p, void *data);

/* smi.c; to report events, include smi.h */
int vkfd_ioctl_smi_events(struct vkfd_process *p, void *data);

/* host.c: upcalls of the backends */
extern const struct gpu_host_ops vkfd_host_ops;

/* debugfs.c */
void vkfd_debugfs_init(void);
void vkfd_debugfs_hw_init(void);	/* debugfs_hw.c */

/**
 * struct vkfd_counters - what the front end has counted since load
 * Shown in debugfs; backends have counters of their own in their device's directory.
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
