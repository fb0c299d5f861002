/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to kmod/drm/: the DRM device, the state of an open file, and the
 * handlers in the ioctl table of drv.c.
 */
#ifndef VDRM_INT_H
#define VDRM_INT_H

#include <linux/bitmap.h>
#include <linux/device.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/xarray.h>
#include <drm/drm_device.h>
#include <drm/drm_file.h>

#include "../gpu/job.h"
#include "drm.h"
#include "pm.h"

/*
 * The interface that we promise: amdgpu's of Linux 6.1. Runtimes use every feature that
 * a version number promises.
 */
#define VDRM_MAJOR	3
#define VDRM_MINOR	49

/* A real part number is "113-", board, "-", revision; ours has the target's name. */
#define VDRM_VBIOS_PN	"113-VKFD-%s"
/* Of the same form as a real one's: the module's version stands in the first three. */
#define VDRM_VBIOS_VERSION	"%03u.%03u.%03u.000.000000"
#define VDRM_VBIOS_DATE	"2026/11/01 00:00"

struct gpu_bo;
struct gpu_process;
struct gpu_target;
struct workqueue_struct;

#define VDRM_SEQ64_SLOTS	4096
#define VDRM_EOP_BYTES		2048	/* GFX11_MEC_HPD_SIZE */
#define VDRM_CSA_BYTES		32	/* of SDMA: mes_userq_mqd_create() */

/**
 * struct vdrm_userqs - the user queues of a GPU
 * @lock: all of this
 * @list: vdrm_userq.node; those that have not been told of @asleep are in front
 * @gone: there will be no more; @asleep: they are off until the machine wakes up
 * @seq64: object that the queues' progress is in, or NULL: there is no queue
 * @slots: words of it that are in use; @next_slot: where to look for the next one
 * @resets: queues that the GPU has stopped, ever; no lock
 */
struct vdrm_userqs {
	struct mutex lock;
	struct list_head list;
	bool gone, asleep;
	struct gpu_bo *seq64;
	DECLARE_BITMAP(slots, VDRM_SEQ64_SLOTS);
	u32 next_slot;
	atomic_t resets;
};

/**
 * struct vdrm_moves - how much submissions may move to VRAM (cs_place.c)
 * @budget_us: time that moving may take, or a debt; @at_us: when that was so
 */
struct vdrm_moves {
	spinlock_t lock;	/* all of it */
	s64 budget_us, at_us;
};

/**
 * struct vdrm_device - DRM's view of a GPU
 * @gdev: outlives @drm, as objects and files hold references to both
 * @pm: activity, and the model of clocks and power
 * @hwmon: may be NULL
 * @ip_dirs: directories of ip_discovery/ (discovery.c)
 * @vmid_of: the file that has reserved a VMID, to be compared only; NULL: none (va.c)
 * @userqs: user queues of all files; @moves: see there
 */
struct vdrm_device {
	struct drm_device drm;
	struct gpu_device *gdev;
	struct vdrm_pm pm;
	struct device *hwmon;
	struct list_head ip_dirs;
	struct vdrm_file *vmid_of;
	struct vdrm_userqs userqs;
	struct vdrm_moves moves;
};

/**
 * struct vdrm_file - an open node
 * @vdev: whose; gpu_device.drm may be another one by now, or NULL
 * @vm: its GPU address space, which ACQUIRE_VM may make a compute VM
 * @process: whose memory and queues it has, or NULL (@lock; never changes again)
 * @handles: number of handles of each object, by the object's address (@lock)
 * @ctxs: contexts by id; @lists: lists of objects by id; @userqs: user queues by id (all @lock)
 * @seq64: the object with queues' progress that @vm shows, to be compared only, or NULL
 *	(@cs_lock)
 * @cs_lock: submissions, one at a time; outside of objects' locks
 * @wq: executes jobs; created with the first one (@cs_lock), then constant
 * @jobs_share: its place among the files with jobs, if there is @wq
 * @owner: gpu_job.owner of its jobs
 * @runner,@runner_priv: see gpu_backend_jobs_open() (@cs_lock)
 * @jobs: that have not ended; @cancelled: of these, those that are to; each in the order of their
 *	numbers; @njobs: number of all there ever were (all @jobs_lock);
 *	@jobs_wq: woken when one has ended
 */
struct vdrm_file {
	struct vdrm_device *vdev;
	struct gpu_vm *vm;
	struct gpu_process *process;
	struct mutex lock;
	struct xarray handles;
	struct xarray ctxs, lists, userqs;
	const struct gpu_bo *seq64;
	struct mutex cs_lock;
	struct workqueue_struct *wq;
	struct gpu_share *jobs_share;
	u64 owner;
	enum gpu_job_runner runner;
	void *runner_priv;
	spinlock_t jobs_lock;
	struct list_head jobs, cancelled;
	u64 njobs;
	wait_queue_head_t jobs_wq;
};

/* AMDGPU_VA_RESERVED_SIZE of 6.1: the bottom of the address space; and the hole. */
#define VDRM_VA_RESERVED	0x200000ull
#define VDRM_VA_HOLE_START	0x0000800000000000ull
#define VDRM_VA_HOLE_END	0xffff800000000000ull

static inline struct gpu_device *to_gdev(struct drm_device *drm)
{
	return container_of(drm, struct vdrm_device, drm)->gdev;
}

/* For the sysfs files of the device that is the GPU's parent. */
static inline struct vdrm_device *dev_to_vdev(struct device *dev)
{
	return ((struct gpu_device *)dev_get_drvdata(dev))->drm_priv;
}

static inline struct vdrm_pm *dev_to_pm(struct device *dev)
{
	return &dev_to_vdev(dev)->pm;
}

/* drv.c: the state of @f if it is an open node of any of our GPUs, or NULL */
struct vdrm_file *vdrm_file_priv(struct file *f);

/* sysfs.c */
int vdrm_sysfs_init(struct vdrm_device *vdev, struct device *parent);
void vdrm_sysfs_fini(struct vdrm_device *vdev, struct device *parent);

/* sysfs_xcp_metrics.c: xcp/ of a partition, or of a GPU that can be divided */
int vdrm_xcp_metrics_init(const struct gpu_device *gdev, struct device *parent);
void vdrm_xcp_metrics_fini(const struct gpu_device *gdev, struct device *parent);

/* sysfs_board.c */
extern const struct attribute_group vdrm_board_group;

/* sysfs_ras.c */
extern const struct attribute_group vdrm_ras_group;
/* BIT() of the protected blocks, in amdgpu's numbering; 0 without ECC. */
u32 vdrm_ras_features(const struct gpu_target *t);

/* sysfs_xgmi.c; of members of a hive */
extern const struct attribute_group *vdrm_xgmi_groups[];

/* discovery.c */
int vdrm_discovery_init(struct vdrm_device *vdev, struct device *parent);
void vdrm_discovery_fini(struct vdrm_device *vdev);

/* gem.c */
/* Jiffies until an absolute time of CLOCK_MONOTONIC; negative means for ever. */
unsigned long vdrm_timeout(u64 timeout_ns);
int vdrm_ioctl_gem_create(struct drm_device *drm, void *data, struct drm_file *file);
int vdrm_ioctl_gem_mmap(struct drm_device *drm, void *data, struct drm_file *file);

int vdrm_ioctl_gem_wait_idle(struct drm_device *drm, void *data, struct drm_file *file);
/* A handle of the file for a new object; -ENODEV if that is not of the file's device. */
int vdrm_handle_create(struct drm_file *file, struct gpu_bo *bo, u32 *handle);
int vdrm_ioctl_gem_metadata(struct drm_device *drm, void *data, struct drm_file *file);
int vdrm_ioctl_gem_op(struct drm_device *drm, void *data, struct drm_file *file);

/* userptr.c */
/*
 * The process that the file stands for, from now on the caller's; without a reference, lives as
 * long as the file. -EPERM: it stands for another one.
 */
struct gpu_process *vdrm_process(struct vdrm_file *vf);
int vdrm_ioctl_gem_userptr(struct drm_device *drm, void *data, struct drm_file *file);

/* va.c */
int vdrm_ioctl_vm(struct drm_device *drm, void *data, struct drm_file *file);
/* The file ends: whatever it has reserved is free. */
void vdrm_vmid_put(struct vdrm_device *vdev, struct vdrm_file *vf);
int vdrm_ioctl_gem_va(struct drm_device *drm, void *data, struct drm_file *file);
int vdrm_bo_open(struct gpu_bo *bo, struct drm_file *file);
void vdrm_bo_close(struct gpu_bo *bo, struct drm_file *file);

/* The rest of command submission: see cs.h. */
/* bo_list.c */
int vdrm_ioctl_bo_list(struct drm_device *drm, void *data, struct drm_file *file);
void vdrm_lists_free(struct vdrm_file *vf);

/* cs.c */
int vdrm_ioctl_cs(struct drm_device *drm, void *data, struct drm_file *file);

/* cs_place.c */
void vdrm_moves_init(struct vdrm_moves *moves);

/* ctx.c */
void vdrm_ctxs_free(struct vdrm_file *vf);
int vdrm_ioctl_ctx(struct drm_device *drm, void *data, struct drm_file *file);
int vdrm_ioctl_sched(struct drm_device *drm, void *data, struct drm_file *file);

/* fences.c */
int vdrm_ioctl_wait_cs(struct drm_device *drm, void *data, struct drm_file *file);
int vdrm_ioctl_wait_fences(struct drm_device *drm, void *data, struct drm_file *file);
int vdrm_ioctl_fence_to_handle(struct drm_device *drm, void *data, struct drm_file *file);

/* job.c */
void vdrm_jobs_init(struct vdrm_file *vf);
/* Call before the first job is pushed, under @vf->cs_lock: 0 or -ENOMEM. */
int vdrm_jobs_start(struct vdrm_file *vf);
/* Waits for all jobs that were pushed before: 0; -EINTR: the caller is being killed. */
int vdrm_jobs_idle(struct vdrm_file *vf);
/* The last descriptor of the file is closed. Jobs that do not end soon are cancelled. */
void vdrm_jobs_close(struct vdrm_file *vf);
/* The file ends. Contexts must still be there. */
void vdrm_jobs_fini(struct vdrm_file *vf);

/* Has the process no time to wait for what it submitted? */
bool vdrm_killed(void);

/* userq.c, userq_sync.c */
/* BIT() of the AMDGPU_HW_IP_* that there are user queues for. */
u32 vdrm_userq_ips(const struct gpu_device *gdev);
int vdrm_ioctl_userq(struct drm_device *drm, void *data, struct drm_file *file);
int vdrm_ioctl_userq_signal(struct drm_device *drm, void *data, struct drm_file *file);
int vdrm_ioctl_userq_wait(struct drm_device *drm, void *data, struct drm_file *file);
/* The file is closed: its queues end. @killed: whatever they are doing. */
void vdrm_userqs_close(struct vdrm_file *vf, bool killed);
void vdrm_userqs_init(struct vdrm_userqs *qs, bool asleep);
void vdrm_userqs_fini(struct vdrm_userqs *qs);
void vdrm_userqs_sleep(struct vdrm_userqs *qs, bool sleep);

/* info.c */
int vdrm_ioctl_info(struct drm_device *drm, void *data, struct drm_file *file);

/**
 * struct vdrm_memory - what a render node says of memory, in bytes
 * @vram,@gtt: sizes; @vram_used,@gtt_used: of them
 */
struct vdrm_memory {
	u64 vram, vram_used, gtt, gtt_used;
};

struct vdrm_memory vdrm_memory_of(const struct gpu_device *gdev);

#endif /* VDRM_INT_H */
