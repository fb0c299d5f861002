/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Buffer objects: memory as a GEM object, whoever provides the pages.
 */
#ifndef GPU_BO_H
#define GPU_BO_H

#include <linux/bits.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/xarray.h>
#include <drm/drm_gem.h>

#include "mm.h"
#include "vram.h"

struct dma_buf;
struct gpu_bo_metadata;
struct gpu_device;
struct gpu_doorbells;
struct gpu_process;
struct mem_cgroup;
struct page;
struct sg_table;
struct vm_area_struct;

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
 * @pages: page index -> struct page: of IMPORT the exporter's, else for the backend
 * @priv: for the backend
 * @backed: the backend has provided the memory (gpu_mem_ops.bo_init)
 * @lock: leaf, may be taken under mmap_lock
 * @charged: bytes, taken from the quota if @kind has one
 * @limited: VRAM: they count against KFD's limit, too, wherever the object is
 * @evicted: VRAM: it had to leave for system memory, and is charged there; @vram_node: in
 *	gdev->vram_bos, if it has not (both gdev->vram_lock)
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
 * @doorbells: DOORBELL only; @own_doorbells: they are nobody else's
 * @userptr: USERPTR only; .read_only: GEM_VA must not let the GPU write
 */
struct gpu_bo {
	struct drm_gem_object base;
	struct gpu_device *gdev;
	enum gpu_bo_kind kind;
	u32 flags;
	u64 va;
	struct xarray pages;
	void *priv;
	bool backed;
	struct mutex lock;
	u64 charged;
	bool limited, evicted;
	struct list_head vram_node;
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
	bool own_doorbells;
	struct {
		u64 addr;
		struct gpu_process *process;
		bool read_only;
		struct gpu_mm_range range;
	} userptr;
};

/* Where its memory is: GPU_PLACE_* of vm.h. */
u32 gpu_bo_place(const struct gpu_bo *bo);

static inline struct gpu_bo *to_gpu_bo(struct drm_gem_object *obj)
{
	return container_of(obj, struct gpu_bo, base);
}

/* Creation charges the quota: -ENOMEM beyond it. */
struct gpu_bo *gpu_bo_create(struct gpu_device *gdev, enum gpu_bo_kind kind,
			     u64 size, u32 flags, u64 va);
/*
 * One in VRAM, for which others may have to leave, as @who says (vram.h). One of KFD counts
 * against KFD's limit. Also -ERESTARTSYS, -EINTR.
 */
struct gpu_bo *gpu_bo_create_vram(struct gpu_device *gdev, u64 size, u32 flags, u64 va,
				  enum gpu_vram_who who);
/*
 * What has to be there when an object on user memory is created: memory that the GPU can reach,
 * and read (else -EFAULT), and write, and that no file has (else -EPERM). 0: nothing. Whatever
 * there is later, and is not, is found by faults.
 */
#define GPU_LOOK_THERE	BIT(0)
#define GPU_LOOK_READ	(GPU_LOOK_THERE | BIT(1))
#define GPU_LOOK_WRITE	BIT(2)
#define GPU_LOOK_ANON	(GPU_LOOK_THERE | BIT(3))
struct gpu_bo *gpu_bo_create_userptr(struct gpu_device *gdev, struct gpu_process *p,
				     u64 addr, u64 size, u32 flags, u64 va, u32 look);
struct gpu_bo *gpu_bo_create_doorbell(struct gpu_device *gdev, struct gpu_doorbells *db,
				      u32 flags, u64 va);
/* One with a slice of its own, of which it shows @size bytes, to CPUs, too. */
struct gpu_bo *gpu_bo_create_doorbells(struct gpu_device *gdev, struct gpu_process *p, u64 size);
void gpu_bo_get(struct gpu_bo *bo);
void gpu_bo_put(struct gpu_bo *bo);
/*
 * Page @index, allocated and zeroed if it is not there; not for USERPTR. _now: -ENOMEM
 * if memory is to be waited for, which threads that serve everybody do not.
 */
struct page *gpu_bo_page(struct gpu_bo *bo, pgoff_t index);
struct page *gpu_bo_page_now(struct gpu_bo *bo, pgoff_t index);
/* Fake offset for mmap of the file that the GPU's VMs come with; 0 for kinds that have none. */
u64 gpu_bo_mmap_offset(struct gpu_bo *bo);
/*
 * Show a VRAM, GTT or MMIO BO in @vma, whatever file it is a mapping of
 * (kfd/ for the MMIO page). From its start; -EINVAL if @vma is longer. The
 * VMA keeps the BO.
 */
int gpu_bo_mmap(struct gpu_bo *bo, struct vm_area_struct *vma);
/* GEM objects alive, for leak checks (debugfs bo_count, read at unload). */
unsigned int gpu_bo_count(void);

#endif /* GPU_BO_H */
