/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The objects between the front ends (kfd/, drm/, pci/) and the backends, and
 * the two ops tables that are the only way between them.
 *
 *   gpu_device    one virtual GPU: a target row, a VRAM quota, a backend
 *   gpu_process   one user process (an mm), across all its GPUs
 *   gpu_pdd       process x device: the acquired VM, the doorbell slice
 *   gpu_bo        memory: a GEM object with lazily allocated pages, or a
 *                 userptr range reached through the process's mm
 *   gpu_vm        GPU address space of one DRM file: mappings, and the page
 *                 cache that translation reads
 *   gpu_queue     a user queue
 *
 * Who may sleep: everything, unless said otherwise at the function.
 * Lock order: see locking.rst; the lock that guards a field is named there.
 */
#ifndef GPU_H
#define GPU_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/hrtimer.h>
#include <linux/interval_tree_generic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <drm/drm_gem.h>

#include "../model/target.h"

struct dma_buf;
struct drm_device;
struct drm_file;
struct dentry;
struct file;
struct gpu_backend_ops;
struct gpu_bo;
struct gpu_device;
struct gpu_doorbells;
struct gpu_faulter;
struct gpu_pdd;
struct gpu_process;
struct gpu_queue;
struct gpu_queue_state;
struct gpu_svm;
struct gpu_target;
struct gpu_vm;
struct mem_cgroup;
struct sg_table;

/* ------------------------------------------------------------------ device */

#define GPU_MAX_SDMA_QUEUES	128	/* of one kind of engine */

/* Memory access, same bits as ISA_R/W/X. */
#define GPU_R	BIT(0)
#define GPU_W	BIT(1)
#define GPU_X	BIT(2)

/**
 * struct gpu_device - one GPU
 * @node: in the device list (gpu_devices_lock)
 * @index: 0.. in order of creation
 * @gpu_id: KFD's user id: 16 bit, never 0, unique
 * @target: row of the target table
 * @drm: DRM device while there is one (gpu_devices_lock): gpu_device_drm_get()
 * @render_minor: of the render node
 * @location_id: PCI bus << 8 | devfn; @domain: PCI domain
 * @place,@on_pci: what the GPU hangs under (pci/)
 * @drm_priv: the DRM face's (drm/)
 * @unique_id: what sysfs shows; stable for a given index
 * @vram_bytes: quota; @vram_used: charged by BOs at creation
 * @gtt_used: system memory charged by its GTT BOs, of the quota for all GPUs
 * @cu_count: compute units advertised
 * @backend,@backend_priv: who executes
 * @drm_ops: how kfd/ reaches the DRM face (set by drm/)
 * @workers: registered VM workers (@workers_lock, rwlock)
 * @ras_errors: memory errors of each kind since the device appeared. Nothing
 *	fails by itself: who simulates a failure adds to them
 * @suspended: with the machine (kfd/evict.c)
 * @num_queues: of all processes
 * @sdma_used,@sdma_xgmi_used: queues of the engines that somebody has
 *	(@sdma_lock, spinlock)
 * @debugfs: directory of this device, may be NULL or an error pointer
 */
struct gpu_device {
	struct list_head node;
	struct kref ref;
	unsigned int index;
	u32 gpu_id;
	const struct gpu_target *target;
	struct drm_device *drm;
	u32 render_minor;
	u32 location_id;
	u32 domain;
	void *place;
	bool on_pci;
	void *drm_priv;
	u64 unique_id;
	u64 vram_bytes;
	atomic64_t vram_used;
	atomic64_t gtt_used;
	u32 cu_count;
	const struct gpu_backend_ops *backend;
	void *backend_priv;
	const struct gpu_drm_ops *drm_ops;
	struct list_head workers;
	rwlock_t workers_lock;
	spinlock_t sdma_lock;
	atomic64_t ras_errors[GPU_RAS_NUM][GPU_RAS_ERRORS];
	bool suspended;
	atomic_t num_queues;
	DECLARE_BITMAP(sdma_used, GPU_MAX_SDMA_QUEUES);
	DECLARE_BITMAP(sdma_xgmi_used, GPU_MAX_SDMA_QUEUES);
	struct dentry *debugfs;
};

/**
 * struct gpu_drm_ops - what the KFD face needs of the DRM face
 * @file_vm: VM of an open render node; -EINVAL if @f is not one of @gdev.
 *	The VM lives as long as the file does: the caller keeps the file.
 * @bo_allow: let @f (a DRM file of @gdev) mmap @bo
 * @bo_revoke: undo
 * @bo_open,@bo_close: a handle of @bo came into being in @file, or went
 */
struct gpu_drm_ops {
	int (*file_vm)(struct gpu_device *gdev, struct file *f, struct gpu_vm **vm);
	int (*bo_allow)(struct gpu_bo *bo, struct file *f);
	void (*bo_revoke)(struct gpu_bo *bo, struct file *f);
	int (*bo_open)(struct gpu_bo *bo, struct drm_file *file);
	void (*bo_close)(struct gpu_bo *bo, struct drm_file *file);
};

/*
 * main.c: gpu_init(); per device gpu_device_create(), gpu_device_start(),
 * vpci_device_init(), which has main.c attach it: vdrm_device_init(),
 * gpu_device_publish(). Back: gpu_device_unpublish(), vdrm_device_fini(),
 * gpu_device_destroy(); at last gpu_exit(). A device may be detached and
 * attached again in between.
 */
int gpu_init(void);
void gpu_exit(void);
int gpu_device_create(const struct gpu_target *target, u64 vram_bytes,
		      struct gpu_device **out);	/* not yet published */
/* Choose who executes and start it; gpu_device_destroy() stops it. */
int gpu_device_start(struct gpu_device *gdev, const struct gpu_backend_ops *backend);
/* Where it sits, before it is published; decides gpu_id. */
void gpu_device_place(struct gpu_device *gdev, u32 domain, u32 location_id);
void gpu_device_set_drm(struct gpu_device *gdev, struct drm_device *drm);
/* With a reference; NULL while the device has no DRM face. */
struct drm_device *gpu_device_drm_get(struct gpu_device *gdev);
void gpu_device_publish(struct gpu_device *gdev);
void gpu_device_unpublish(struct gpu_device *gdev);
void gpu_device_destroy(struct gpu_device *gdev);	/* stop, put */
void gpu_device_get(struct gpu_device *gdev);
void gpu_device_put(struct gpu_device *gdev);
struct gpu_device *gpu_device_by_id(u32 gpu_id);	/* with a reference */
struct gpu_device *gpu_device_by_index(unsigned int index); /* with a reference */
unsigned int gpu_device_count(void);
/* GPU clock in ticks of target->counter_khz. */
u64 gpu_device_clock(struct gpu_device *gdev);
/* System memory that GTT BOs of all devices together may take, and what they do. */
u64 gpu_gtt_limit(void);
u64 gpu_gtt_used(void);

/* Root of our debugfs, "kfd"; made by gpu_init(), kfd/ adds its views to it. */
extern struct dentry *gpu_debugfs;

/* ----------------------------------------------------------------- process */

/**
 * struct gpu_process - one user process, embedded in kfd's own process
 * @mm: grabbed (mmgrab), not got: use mmget_not_zero() before touching it
 * @lead: the thread group's leader when it came; with a reference
 * @pid: for sysfs, traces and logs
 * @id: of no other process since the module was loaded, and not 0
 * @lock: "process->lock": queues, BO handles, events idr; ioctl level
 * @dying: set under @lock when teardown begins; nothing new after that
 * @num_userptrs: objects over its memory
 */
struct gpu_process {
	struct kref ref;
	struct mm_struct *mm;
	struct task_struct *lead;
	pid_t pid;
	u64 id;
	char comm[TASK_COMM_LEN];
	struct mutex lock;
	bool dying;
	atomic_t num_userptrs;
	void (*release)(struct gpu_process *p);
};

void gpu_process_init(struct gpu_process *p, struct mm_struct *mm,
		      struct task_struct *lead, void (*release)(struct gpu_process *));
void gpu_process_get(struct gpu_process *p);
bool gpu_process_tryget(struct gpu_process *p);	/* unless the last one is gone */
/* Has the last thread that ran in the process's mm left, or begun to? */
bool gpu_process_left(const struct gpu_process *p);
void gpu_process_put(struct gpu_process *p);

/**
 * struct gpu_pdd - per process device data, embedded in kfd's own pdd
 * @vm: acquired VM or NULL; @drm_file: the file that keeps it
 * @doorbells: the process's doorbell slice on @gdev, created with the pdd
 * @tba,@tma: second-level trap handler (SET_TRAP_HANDLER)
 * @scratch_va: SET_SCRATCH_BACKING_VA << 16
 * @exception_debug: a runtime listens (RUNTIME_ENABLE); written under process->lock,
 *	read by the backend at any time
 * @sdma_ns: what SDMA engines have worked for the process; the backend adds
 */
struct gpu_pdd {
	struct gpu_process *process;
	struct gpu_device *gdev;
	struct gpu_vm *vm;
	struct file *drm_file;
	struct gpu_doorbells *doorbells;
	u64 tba, tma;
	u64 scratch_va;
	bool exception_debug;
	atomic64_t sdma_ns;
};

/* ---------------------------------------------------------------------- bo */

enum gpu_bo_kind {
	GPU_BO_VRAM,		/* charged to the VRAM quota */
	GPU_BO_GTT,
	GPU_BO_USERPTR,		/* pages of a process, through hmm */
	GPU_BO_DOORBELL,	/* the doorbell slice; pages of gpu_doorbells */
	GPU_BO_MMIO,		/* the HDP remap page: one plain page */
	GPU_BO_IMPORT,		/* pages of somebody else's dma-buf */
};

#define GPU_BO_METADATA_WORDS	64

/**
 * struct gpu_bo_metadata - what user space attached to an object
 * For who imports it; nothing here looks into it.
 */
struct gpu_bo_metadata {
	u64 flags, tiling;
	u32 bytes;
	u32 data[GPU_BO_METADATA_WORDS];
};

/**
 * struct gpu_bo - memory object
 * @base: GEM object; references are GEM references
 * @kind: who provides the pages
 * @flags: KFD_IOC_ALLOC_MEM_FLAGS_* as asked for
 * @va: where KFD's caller wants it (0: address-less), fixed at creation
 * @pages: page index -> struct page, lazily filled, zeroed (VRAM, GTT, MMIO)
 * @lock: leaf, may be taken under mmap_lock
 * @charged: bytes, taken from the quota if @kind has one
 * @memcg: whose memory the pages are (room.c), with a reference
 * @gem_flags: AMDGPU_GEM_CREATE_*; @gem_align: bytes, as asked for;
 * @no_cpu: user space said that no CPU would ever reach it
 * @placement: AMDGPU_GEM_DOMAIN_* that it should be in, 0: as @kind says
 * @metadata: or NULL (@lock)
 * @dmabuf: the dma-buf that shows it, or NULL; no reference (dmabuf.c)
 * @import_sgt: IMPORT only: the exporter's mapping
 * @maps: gpu_mapping.bo_node list (@maps_lock)
 * @maps_lock: between vm->lock and vm->pc_lock; for USERPTR also the lock of
 *	the notifier sequence. Taken in MMU notifiers: nothing is allocated
 *	under it
 * @mapped: number of VMs KFD has it mapped in
 * @userptr: USERPTR only
 */
struct gpu_bo {
	struct drm_gem_object base;
	struct gpu_device *gdev;
	enum gpu_bo_kind kind;
	u32 flags;
	u64 va;
	struct xarray pages;
	struct mutex lock;
	u64 charged;
	struct mem_cgroup *memcg;
	u64 gem_flags;
	u64 gem_align;
	bool no_cpu;
	u32 placement;
	struct gpu_bo_metadata *metadata;
	struct dma_buf *dmabuf;
	struct sg_table *import_sgt;
	struct list_head maps;
	struct mutex maps_lock;
	unsigned int mapped;
	struct gpu_doorbells *doorbells;
	struct {
		u64 addr;
		struct gpu_process *process;
		struct mmu_interval_notifier notifier;
	} userptr;
};

static inline struct gpu_bo *to_gpu_bo(struct drm_gem_object *obj)
{
	return container_of(obj, struct gpu_bo, base);
}

/* Creation charges the quota: -ENOMEM beyond it. */
struct gpu_bo *gpu_bo_create(struct gpu_device *gdev, enum gpu_bo_kind kind,
			     u64 size, u32 flags, u64 va);
struct gpu_bo *gpu_bo_create_userptr(struct gpu_device *gdev, struct gpu_process *p,
				     u64 addr, u64 size, u32 flags, u64 va);
struct gpu_bo *gpu_bo_create_doorbell(struct gpu_device *gdev, struct gpu_doorbells *db,
				      u32 flags, u64 va);
void gpu_bo_get(struct gpu_bo *bo);
void gpu_bo_put(struct gpu_bo *bo);
/*
 * Page @index, allocated and zeroed if it is not there; not for USERPTR. _now: -ENOMEM
 * if memory is to be waited for, which threads that serve everybody do not.
 */
struct page *gpu_bo_page(struct gpu_bo *bo, pgoff_t index);
struct page *gpu_bo_page_now(struct gpu_bo *bo, pgoff_t index);
/* Fake offset for mmap on the render node; 0 for kinds that have none. */
u64 gpu_bo_mmap_offset(struct gpu_bo *bo);
/*
 * Show a VRAM, GTT or MMIO BO in @vma, whatever file it is a mapping of
 * (kfd/ for the MMIO page). From its start; -EINVAL if @vma is longer. The
 * VMA keeps the BO.
 */
int gpu_bo_mmap(struct gpu_bo *bo, struct vm_area_struct *vma);
/* As a dma-buf, with a reference; @flags: DRM_RDWR. -EPERM but for VRAM and GTT. */
struct dma_buf *gpu_bo_export(struct gpu_bo *bo, int flags);
/* The object behind a dma-buf of ours, no new reference; NULL if it is not ours. */
struct gpu_bo *gpu_bo_of_dmabuf(struct dma_buf *dmabuf);
/* An object of @gdev that shows a dma-buf, with a reference. */
struct gpu_bo *gpu_bo_import(struct gpu_device *gdev, struct dma_buf *dmabuf);
/* For drm/: the object of a mapped attachment, which then owns @sgt. */
struct gpu_bo *gpu_bo_create_import(struct gpu_device *gdev, u64 size, struct sg_table *sgt);
/* GEM objects alive, for leak checks (debugfs bo_count, read at unload). */
unsigned int gpu_bo_count(void);

/* ---------------------------------------------------------------------- vm */

/**
 * struct gpu_mapping - a range of a VM that shows part of a BO
 * @rb: in vm->mappings (vm->lock); @start, @last: bytes, inclusive
 * @offset: byte offset of @start in @bo
 * @access: GPU_R | GPU_W | GPU_X
 * @gem: made by a handle of the VM's DRM file, and goes with the last of these
 * @pins: gpu_vm_pin() (vm->lock)
 * @bo_node: in bo->maps
 */
struct gpu_mapping {
	struct rb_node rb;
	u64 start, last;
	u64 __subtree_last;
	struct gpu_vm *vm;
	struct gpu_bo *bo;
	u64 offset;
	u32 access;
	bool gem;
	unsigned int pins;
	struct list_head bo_node;
};

/**
 * struct gpu_room - memory that somebody has to wait for (room.c)
 * @work: who waits; it holds the VM
 * @done: woken when @busy ends
 * @va: what it is for
 * @since: when it began, ns
 * @busy: there is such a request
 * @err: of the last one, told to who asks before @until
 */
struct gpu_room {
	spinlock_t lock;	/* all of it */
	struct work_struct work;
	wait_queue_head_t done;
	u64 va, since;
	bool busy;
	int err;
	unsigned long until;
};

/**
 * struct gpu_vm - GPU address space of one DRM file
 * @lock: mapping tree: write = map/unmap, read = fault
 * @mappings: interval tree of struct gpu_mapping
 * @process: set once by ACQUIRE_VM (the VM is then a compute VM); kfd/ keeps
 *	the process alive while there are queues, and clears it at teardown
 * @pages: page cache: va >> PAGE_SHIFT -> page frame number and GPU_* access
 *	bits in one xarray value. What translation reads.
 *	Additions under @pc_lock after checking the notifier sequence.
 * @pc_lock: page cache and @gen; taken in MMU notifiers, so nothing is
 *	allocated under it that could reclaim
 * @gen: bumped by every removal from @pages
 * @pc_node,@pc_next: where the shrinker finds it, and goes on (shrink.c)
 * @memcg: whose memory the page cache is, with a reference
 * @room: what a fault could not have at once
 * @faulter: brings the process's pages in; set once for a process, forgotten at
 *	its end (@lock, faulter.c)
 * @stalled: for the backend (its lock): queues that wait for such a page
 * @svm: where what nothing is mapped at is looked for, or NULL (@lock);
 *	@svm_index: the device's bit there
 * @retry_faults: of SVM with XNACK, served
 * @late_page,@late_since: one that waits, and since when
 * @svm_bytes: of SVM ranges in the GPU's memory, part of vram_used
 * @pages_in,@pages_out: of ranges that came to that memory, and left it
 */
struct gpu_vm {
	struct kref ref;
	struct gpu_device *gdev;
	struct gpu_process *process;
	struct rw_semaphore lock;
	struct rb_root_cached mappings;
	struct xarray pages;
	struct mutex pc_lock;
	u64 gen;
	struct list_head pc_node;
	unsigned long pc_next;
	struct mem_cgroup *memcg;
	struct gpu_room room;
	struct gpu_faulter *faulter;
	unsigned int stalled;
	struct gpu_svm *svm;
	unsigned int svm_index;
	atomic64_t retry_faults;
	u64 late_page, late_since;
	atomic64_t svm_bytes, pages_in, pages_out;
	void *backend_priv;
};

struct gpu_vm *gpu_vm_create(struct gpu_device *gdev);
void gpu_vm_put(struct gpu_vm *vm);
void gpu_vm_get(struct gpu_vm *vm);
/* Whole pages; -EINVAL on overlap, misalignment or beyond the BO. */
int gpu_vm_map(struct gpu_vm *vm, struct gpu_bo *bo, u64 va, u64 offset,
	       u64 size, u32 access);
/* Exactly what one gpu_vm_map() mapped; returns when no worker uses it. */
int gpu_vm_unmap(struct gpu_vm *vm, struct gpu_bo *bo, u64 va);
/*
 * What is left of a gpu_vm_map() of these @size bytes: GEM_VA may have cut it, or put
 * something else in its place, which stays.
 */
void gpu_vm_unmap_range(struct gpu_vm *vm, struct gpu_bo *bo, u64 va, u64 size);
/*
 * A queue needs the mapping that starts at @va and has @size bytes (0: any),
 * whole pages: -EINVAL if there is none. Only a mark: KFD's UNMAP looks at it,
 * GEM_VA does not.
 */
int gpu_vm_pin(struct gpu_vm *vm, u64 va, u64 size);
void gpu_vm_unpin(struct gpu_vm *vm, u64 va);
bool gpu_vm_pinned(struct gpu_vm *vm, u64 va);
void gpu_vm_unmap_all(struct gpu_vm *vm);
/*
 * For handles of the VM's DRM file. @access may be 0: a range that is taken
 * and faults. With @replace what stands in the way is cleared, else -EINVAL.
 */
int gpu_vm_map_gem(struct gpu_vm *vm, struct gpu_bo *bo, u64 va, u64 offset, u64 size,
		   u32 access, bool replace);
/* Unmap what lies in the range, whoever mapped it; mappings are cut at its ends. */
int gpu_vm_clear(struct gpu_vm *vm, u64 va, u64 size);
/* The last handle of @bo has gone. */
void gpu_vm_unmap_gem(struct gpu_vm *vm, struct gpu_bo *bo);

/* Why a GPU access failed: memory exception data of KFD. */
struct gpu_fault {
	u64 va;
	u32 access;
	bool not_present, read_only, no_execute;
};

/**
 * gpu_vm_fault() - make a page resident in the page cache
 * @vm: address space
 * @va: any address in the page
 * @access: GPU_* wanted
 * @fault: out, when -EFAULT: why
 *
 * Allocates BO pages; takes user pages that are resident. Sleeps, but never for
 * the process, nor for memory; must not be called inside a section.
 *
 * Return: 0, -EAGAIN (a user page or memory has been asked for: do something else,
 * or gpu_vm_fault_wait(), and call again), -EFAULT (a GPU fault), -ENOMEM, -ESRCH
 * (the mm is gone).
 */
int gpu_vm_fault(struct gpu_vm *vm, u64 va, u32 access, struct gpu_fault *fault);
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

/**
 * struct gpu_vm_worker - a thread that reads memory through VMs
 * @vm: the VM it is inside of, or NULL; read by shootdowns
 * @seq: counts sections; a shootdown waits until it moved on or @vm changed
 */
struct gpu_vm_worker {
	struct list_head node;
	struct gpu_vm *vm;
	u64 seq;
};

void gpu_vm_worker_add(struct gpu_device *gdev, struct gpu_vm_worker *w);
void gpu_vm_worker_del(struct gpu_device *gdev, struct gpu_vm_worker *w);

/**
 * gpu_vm_enter() - begin a section in which lookups stay good
 * Preemption is off inside; keep it short (one quantum) and do not sleep.
 * Return: the VM's generation; a worker that cached lookups of an older
 * generation (or of another VM) must drop them.
 */
u64 gpu_vm_enter(struct gpu_vm_worker *w, struct gpu_vm *vm);
/* End it. The pointers that lookups gave are dead after this. */
void gpu_vm_exit(struct gpu_vm_worker *w);

/**
 * gpu_vm_lookup() - resident page at @va, inside a section
 * Return: kernel address of the *page* that holds @va (page start), with
 * *@access out = what is allowed; NULL if not resident or @want not allowed.
 */
void *gpu_vm_lookup(struct gpu_vm *vm, u64 va, u32 want, u32 *access);
/* The same for up to @n pages in a row; how many of them are there. */
unsigned int gpu_vm_lookup_run(struct gpu_vm *vm, u64 va, u32 want, void **pages,
			       unsigned int n);

/**
 * gpu_vm_read(), gpu_vm_write() - copy through a VM, faulting as needed
 * For command processors and ioctls; page by page, each in a section of @w.
 * Return: 0 or what gpu_vm_fault() said (with *@fault filled). After -EAGAIN
 * the whole call may be made again.
 */
int gpu_vm_read(struct gpu_vm_worker *w, struct gpu_vm *vm, u64 va, void *dst,
		size_t len, struct gpu_fault *fault);
int gpu_vm_write(struct gpu_vm_worker *w, struct gpu_vm *vm, u64 va,
		 const void *src, size_t len, struct gpu_fault *fault);
/* 64-bit atomic add on naturally aligned memory; *@old = before. */
int gpu_vm_atomic_add64(struct gpu_vm_worker *w, struct gpu_vm *vm, u64 va,
			u64 val, u64 *old, struct gpu_fault *fault);

/* --------------------------------------------------------------- doorbells */

#define GPU_DOORBELL_BYTES	8192	/* slice of a process on a SOC15 GPU */
#define GPU_DOORBELL_COUNT	(GPU_DOORBELL_BYTES / 8)

/**
 * struct gpu_doorbells - the doorbell slice of a process on a device
 * @page: two pages of zeroed RAM, doorbell n is the u64 at byte 8 * n
 * @process: who owns the slice; valid while the pdd is (no reference)
 * @pid: of the process, for traces
 * @val: kernel address of the two pages (vmap'ed or contiguous)
 * @lock: orders PTE insertion against zap; inside mmap_lock, outside
 *	i_mmap_rwsem. Guards @armed.
 * @armed: PTEs are zapped: the next store faults and calls backend->doorbell
 * @inode: an inode of our own; gpu_doorbells_mmap() makes the VMA a mapping
 *	of a file on it, so that one zap finds every VMA of this slice and no
 *	other
 * @vmas: mappings of the slice: a zap goes through all of them
 * @rings: faults taken, i.e. stores that hit an armed slice
 * @kick: calls backend->doorbell a little later, after @delay_ns
 * @rung,@rung_val,@rung_at: doorbell of the last fault, what it held then, and
 *	when (ns)
 * @used: doorbell indices in use (process->lock)
 */
struct gpu_doorbells {
	struct kref ref;
	struct gpu_process *process;
	struct gpu_device *gdev;
	struct page *page;
	u64 *val;
	struct mutex lock;
	bool armed;
	pid_t pid;
	struct inode *inode;
	atomic_t vmas;
	atomic_t rings;
	struct hrtimer kick;
	u64 delay_ns;
	unsigned int rung;
	u64 rung_val;
	u64 rung_at;
	DECLARE_BITMAP(used, GPU_DOORBELL_COUNT);
};

struct gpu_doorbells *gpu_doorbells_create(struct gpu_process *p, struct gpu_device *gdev);
void gpu_doorbells_put(struct gpu_doorbells *db);
/*
 * mmap of the slice: -EINVAL unless exactly GPU_DOORBELL_BYTES and not a
 * private writable mapping. Sets vm_ops whose fault inserts, disarms and
 * wakes, and replaces vma->vm_file.
 */
int gpu_doorbells_mmap(struct gpu_doorbells *db, struct vm_area_struct *vma);
/*
 * Zap the user PTEs; after it, look at the doorbells once more, then sleep.
 * A store that has faulted may not have been retried yet when the backend is
 * woken; if the backend arms before it was, it faults again, and the next wake
 * comes late enough for the store to go first (doorbell.c).
 */
void gpu_doorbells_arm(struct gpu_doorbells *db);
u64 gpu_doorbell_read(struct gpu_doorbells *db, unsigned int index);
/* Recycled index: no stale value must ring the next queue (lessons.md). */
void gpu_doorbell_reset(struct gpu_doorbells *db, unsigned int index);

/* ------------------------------------------------------------------- queue */

enum gpu_queue_type { GPU_QUEUE_PM4, GPU_QUEUE_SDMA, GPU_QUEUE_AQL };

/**
 * struct gpu_queue_props - what CREATE_QUEUE and UPDATE_QUEUE say
 * @ring_va,@ring_bytes: power of two; 0 makes the queue inactive
 * @wptr_va,@rptr_va: AQL: &amd_queue_t.write_dispatch_id (amd_queue + 56) and
 *	&amd_queue_t.read_dispatch_id (amd_queue + 128)
 * @percentage: 0 makes the queue inactive
 * @sdma_engine: SDMA: index of the engine; PCIe's before those for XGMI
 */
struct gpu_queue_props {
	enum gpu_queue_type type;
	u64 ring_va;
	u32 ring_bytes;
	u64 wptr_va, rptr_va;
	u32 percentage, priority;
	u64 eop_va;
	u32 eop_bytes;
	u64 cwsr_va;
	u32 cwsr_bytes, ctl_stack_bytes;
	u32 sdma_engine;
};

/**
 * struct gpu_queue - a user queue
 * @id: KFD queue id (per process); @doorbell: index in the slice
 * @priv: the backend's
 * @error: set once by the backend when it stops the queue for good
 * @evicted: it is off, or to be off from the start, until queue_restore()
 *	(process->lock)
 * @gws: global wave sync resources that it holds (ALLOC_QUEUE_GWS), 0: none;
 *	written under process->lock, read by the backend at any time
 */
struct gpu_queue {
	struct gpu_process *process;
	struct gpu_pdd *pdd;
	struct gpu_device *gdev;
	struct gpu_vm *vm;
	u32 id;
	unsigned int doorbell;
	struct gpu_queue_props props;
	void *priv;
	u32 error;
	u32 gws;
	bool evicted;
};

/**
 * struct gpu_wave_state - what a queue's save area of an XCC holds
 * @stack_bytes: control stack: below @ctl_stack_bytes
 * @wave_bytes: waves, from there on
 */
struct gpu_wave_state {
	u32 stack_bytes, wave_bytes;
};

/* ----------------------------------------------------------------- backend */

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

#define GPU_NO_PAGE	(~0ull)

/* Who takes pages of shared memory from a GPU. */
enum gpu_svm_taken {
	GPU_SVM_TAKEN,		/* the mm: they change */
	GPU_SVM_TAKEN_MOVED,	/* they are somewhere else then */
	GPU_SVM_TAKEN_UNMAPPED,	/* there is no memory any more */
	GPU_SVM_TAKEN_BY_US,	/* and they come back by themselves */
};

/**
 * struct gpu_svm_event - something happened to shared memory
 * @kind: what; the members below it are of that kind only
 * @first: page of the address space
 * @since: when it began, ns of boot time
 * @pages: how many (not of faults)
 * @from,@to: MIGRATED: gpu_ids, 0: the machine's memory
 * @prefetch,@preferred: attributes of the range
 * @write: FAULTED: by a store
 * @why: UNMAPPED
 */
struct gpu_svm_event {
	enum { GPU_SVM_MIGRATED, GPU_SVM_FAULTED, GPU_SVM_UNMAPPED } kind;
	u64 first, pages, since;
	u32 from, to, prefetch, preferred;
	bool write;
	enum gpu_svm_taken why;
};

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

#endif /* GPU_H */
