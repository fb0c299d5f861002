/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A GPU: a row of the model, a quota of memory, a backend that executes, and the
 * faces that show it.
 */
#ifndef GPU_DEVICE_H
#define GPU_DEVICE_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "../model/target.h"
#include "inject.h"
#include "share.h"

struct dentry;
struct drm_device;
struct drm_file;
struct file;
struct gpu_backend_ops;
struct gpu_bo;
struct gpu_capture;
struct gpu_process;
struct gpu_queue;
struct gpu_vm;

#define GPU_MAX_SDMA_QUEUES	128	/* of one kind of engine */

/* Who runs a GPU's waves: the user's choice. Whether there is one, the backend knows. */
enum gpu_engine { GPU_ENGINE_DEFAULT, GPU_ENGINE_KERNEL, GPU_ENGINE_USER, GPU_ENGINE_AUTO,
	GPU_ENGINES };

/**
 * struct gpu_hive - the place of a GPU among those that it has XGMI links with
 * @id: of the hive; 0: it is in none
 * @node: its number in the hive
 * @nodes: GPUs that the hive has places for: as many as it ever had at a time. Grows as others
 *	join (READ_ONCE)
 * @links: between two members
 */
struct gpu_hive {
	u64 id;
	u8 node, nodes, links;
};

/**
 * struct gpu_device - one GPU
 * @node: in the device list (gpu_devices_lock)
 * @end: stops the backend and frees, once there is no reference left
 * @index: the first that was free at creation, 0 and up
 * @gpu_id: KFD's user id: 16 bit, never 0, unique
 * @model: what it is: a row of the target table, maybe changed; constant
 * @target: the same, as most need it
 * @drm: DRM device while there is one (gpu_devices_lock): gpu_device_drm_get()
 * @render_minor: of the render node
 * @location_id: PCI bus << 8 | devfn; @domain: PCI domain
 * @place,@on_pci: what the GPU hangs under (pci/)
 * @drm_priv: the DRM face's (drm/)
 * @hive: all but @hive.nodes constant once it is published; @target has its fabric
 * @whole: the GPU that this one is a partition of, with a reference, or NULL; @part: its number
 *	there; @first_xcc: its first XCC there
 * @parts,@num_parts: its partitions while it is divided (part.h); @nps: ranges of its memory;
 *	@nps_wanted: at the next start (READ_ONCE); @share_all: partitions may have all of the range
 *	of memory that they are in (READ_ONCE); @part_files,@xcp_files: the DRM face's
 * @range: memory that this partition shares with others, with a reference, or NULL (range.c)
 * @unique_id: what sysfs shows; stable for a given index
 * @vram_bytes: quota; @vram_used: charged by BOs at creation, and by what is moved there;
 *	@vram_limited: what KFD has allocated of it, wherever that is now
 * @vram_evictions: objects and ranges that had to leave it for others; @vram_moved: bytes that did,
 *	or came back
 * @vram_lock: spinlock, a leaf: @vram_bos: objects in it, the oldest first, @vram_nbos of them;
 *	@vram_vms: VMs that have SVM, in turn, @vram_nvms of them (vram.c)
 * @gtt_used: system memory charged by its GTT BOs, of the quota for all GPUs
 * @cu_count: compute units advertised
 * @backend,@backend_priv: who executes
 * @engine: who runs its waves; DEFAULT: the module's parameter says
 * @drm_ops: how kfd/ reaches the DRM face (set by drm/)
 * @workers: registered VM workers (@workers_lock, rwlock)
 * @ras_errors: memory errors of each kind since the device appeared. Nothing
 *	fails by itself: inject/ecc adds to them
 * @inject: faults on demand
 * @capture: who records dispatches, may be NULL; @capture_on: somebody does; @capture_vm: the VM
 *	whose pages it copies now (capture.c)
 * @suspended: with the machine (kfd/evict.c); @sleepy_ns: since when the machine wants to sleep
 *	(ktime), 0 if it does not
 * @gone_ns: since when it is no longer its users' (ktime), 0 if it is; last words of queues end
 *	soon after that (hw/stall.c)
 * @queues: of all users
 * @profiler: the process that has reserved the GPU for profiling, only compared, never followed
 *	(kfd/profiler.c; cmpxchg)
 * @sdma_used,@sdma_xgmi_used: queues of the engines that somebody has
 *	(@sdma_lock, spinlock)
 * @debugfs: directory of this device, may be NULL or an error pointer
 */
struct gpu_device {
	struct list_head node;
	struct kref ref;
	struct work_struct end;
	unsigned int index;
	u32 gpu_id;
	struct gpu_target model;
	const struct gpu_target *target;
	struct drm_device *drm;
	u32 render_minor;
	u32 location_id;
	u32 domain;
	void *place;
	bool on_pci;
	void *drm_priv;
	struct gpu_hive hive;
	struct gpu_device *whole;
	u8 part, first_xcc;
	u8 num_parts, nps, nps_wanted;
	bool share_all;
	struct gpu_range *range;
	struct gpu_device *parts[GPU_MAX_XCCS];
	void *part_files, *xcp_files;
	u64 unique_id;
	u64 vram_bytes;
	atomic64_t vram_used, vram_limited;
	atomic64_t vram_evictions, vram_moved;
	spinlock_t vram_lock;
	struct list_head vram_bos, vram_vms;
	unsigned int vram_nbos, vram_nvms;
	atomic64_t gtt_used;
	u32 cu_count;
	const struct gpu_backend_ops *backend;
	void *backend_priv;
	enum gpu_engine engine;
	const struct gpu_drm_ops *drm_ops;
	struct list_head workers;
	rwlock_t workers_lock;
	spinlock_t sdma_lock;
	atomic64_t ras_errors[GPU_RAS_NUM][GPU_RAS_ERRORS];
	struct gpu_inject inject;
	struct gpu_capture *capture;
	bool capture_on;
	struct gpu_vm *capture_vm;
	bool suspended;
	u64 sleepy_ns, gone_ns;
	struct gpu_shares queues;
	struct gpu_process *profiler;
	DECLARE_BITMAP(sdma_used, GPU_MAX_SDMA_QUEUES);
	DECLARE_BITMAP(sdma_xgmi_used, GPU_MAX_SDMA_QUEUES);
	struct dentry *debugfs;
};

/**
 * struct gpu_drm_ops - how gpu/ reaches the DRM face
 * @file_vm: VM of an open render node; -EINVAL if @f is not one of @gdev.
 *	The VM lives as long as the file does: the caller keeps the file.
 * @bo_allow: let @f (a DRM file of @gdev) mmap @bo
 * @bo_revoke: undo
 * @bo_open,@bo_close: a handle of @bo came into being in @file, or went
 * @sleep: the machine suspends: take the face's queues off @gdev, or put them back. Under
 *	vkfd_suspend_lock
 */
struct gpu_drm_ops {
	int (*file_vm)(struct gpu_device *gdev, struct file *f, struct gpu_vm **vm);
	int (*bo_allow)(struct gpu_bo *bo, struct file *f);
	void (*bo_revoke)(struct gpu_bo *bo, struct file *f);
	int (*bo_open)(struct gpu_bo *bo, struct drm_file *file);
	void (*bo_close)(struct gpu_bo *bo, struct drm_file *file);
	void (*sleep)(struct gpu_device *gdev, bool sleep);
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
/* The names of the above, in order */
extern const char * const gpu_engine_names[GPU_ENGINES];
int gpu_device_create(const struct gpu_target *target, u64 vram_bytes,
		      struct gpu_device **out);	/* not yet published */
/*
 * Choose who executes and start it; the end of the last reference stops it. -EINVAL: a backend that
 * lacks what every backend has (backend.h).
 */
int gpu_device_start(struct gpu_device *gdev, const struct gpu_backend_ops *backend);
/* Where it sits, before it is published; decides gpu_id. */
void gpu_device_place(struct gpu_device *gdev, u32 domain, u32 location_id);
void gpu_device_set_drm(struct gpu_device *gdev, struct drm_device *drm);
/* With a reference; NULL while the device has no DRM face. */
struct drm_device *gpu_device_drm_get(struct gpu_device *gdev);
void gpu_device_publish(struct gpu_device *gdev);
void gpu_device_unpublish(struct gpu_device *gdev);
/* It is taken from its users, or given to others. */
void gpu_device_set_gone(struct gpu_device *gdev, bool gone);
/* Drop the creator's reference; the backend stops with the last one. Sleeps. */
void gpu_device_destroy(struct gpu_device *gdev);
void gpu_device_get(struct gpu_device *gdev);
void gpu_device_put(struct gpu_device *gdev);
struct gpu_device *gpu_device_by_id(u32 gpu_id);	/* with a reference */
struct gpu_device *gpu_device_by_index(unsigned int index); /* with a reference */
unsigned int gpu_device_count(void);
/*
 * Counts one more queue, of whatever face, of which there may be @limit. -ENOSPC: its user has its
 * share of them; -ENOMEM
 */
int gpu_device_queue_get(struct gpu_queue *q, unsigned int limit);
void gpu_device_queue_put(struct gpu_queue *q);

/* GPU clock in ticks of target->counter_khz. */
u64 gpu_device_clock(struct gpu_device *gdev, struct gpu_vm *vm);
/* System memory that GTT BOs of all devices together may take, and what they do. */
u64 gpu_gtt_limit(void);
u64 gpu_gtt_used(void);

/* Root of our debugfs, "kfd"; made by gpu_init(), kfd/ adds its views to it. */
extern struct dentry *gpu_debugfs;

#endif /* GPU_DEVICE_H */
