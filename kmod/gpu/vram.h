/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Room in a GPU's memory, and who has to leave it for somebody else: see vram.c.
 */
#ifndef GPU_VRAM_H
#define GPU_VRAM_H

#include <linux/types.h>

struct drm_gem_object;
struct gpu_bo;
struct gpu_device;
struct gpu_svm;
struct gpu_vm;

/**
 * enum gpu_vram_who - who wants room, and so what may be done to others
 * @GPU_VRAM_FREE: takes only what is free
 * @GPU_VRAM_RESTORE: whoever puts a process's buffers back; under its lock, so it stops nobody
 *	and waits for no jobs; and it tries once, as nothing depends on it
 * @GPU_VRAM_KFD: an ioctl of a process, under its lock: it stops nobody and waits for no jobs
 * @GPU_VRAM_KFD_FIRST: the same before it takes the lock: it waits for jobs, if not for long
 * @GPU_VRAM_CS: a submission, which holds none of our locks: it stops processes, but waits for no
 *	jobs
 * @GPU_VRAM_GEM: another ioctl of the render node: it stops processes, and waits for jobs, if not
 *	for long
 */
enum gpu_vram_who {
	GPU_VRAM_FREE, GPU_VRAM_RESTORE, GPU_VRAM_KFD, GPU_VRAM_KFD_FIRST, GPU_VRAM_CS,
	GPU_VRAM_GEM,
};

/**
 * struct gpu_vram_want - a request for room
 * @bytes: how much
 * @who: see there
 * @keep: objects that stay, ordered by their locks (resv), or NULL
 * @nkeep: number of them
 * @looks: how many others may be looked at, counted down over several requests; NULL: all
 * @svm: ranges of this one in @start..@last stay; or NULL
 * @start: first byte
 * @last: last byte
 */
struct gpu_vram_want {
	u64 bytes;
	enum gpu_vram_who who;
	struct drm_gem_object *const *keep;
	u32 nkeep;
	unsigned int *looks;
	const struct gpu_svm *svm;
	u64 start, last;
};

/*
 * Charges @want->bytes of the GPU's memory, which whoever calls gives back. -ENOMEM;
 * -ERESTARTSYS, -EINTR: a signal came before others had left.
 */
int gpu_vram_take(struct gpu_device *gdev, const struct gpu_vram_want *want);
/* The same for who charges it later, and may then find that somebody was faster. */
int gpu_vram_make_room(struct gpu_device *gdev, const struct gpu_vram_want *want);
/*
 * Brings an object of VRAM back that had to leave it. @want->bytes need not be set. 0, also if it
 * is there already; -ENOMEM: it stays where it is; or as gpu_vram_take().
 */
int gpu_bo_bring(struct gpu_bo *bo, const struct gpu_vram_want *want);
/*
 * How much of its card's memory the GPU may have (range.c), and how much of that is free: of its
 * own share, and if others have the same range, of both. And what KFD may still allocate of it
 */
u64 gpu_vram_limit(const struct gpu_device *gdev);
u64 gpu_vram_own_free(const struct gpu_device *gdev);
u64 gpu_vram_free(const struct gpu_device *gdev);
u64 gpu_vram_for_kfd(const struct gpu_device *gdev);
/* For gpu/: takes what is free, or -ENOMEM; the latter two of what KFD may allocate */
int gpu_vram_charge(struct gpu_device *gdev, u64 bytes);
void gpu_vram_give(struct gpu_device *gdev, u64 bytes);
int gpu_vram_kfd_charge(struct gpu_device *gdev, u64 bytes);
void gpu_vram_kfd_give(struct gpu_device *gdev, u64 bytes);
/* Did it have to leave? */
bool gpu_bo_evicted(const struct gpu_bo *bo);

/* For gpu/: an object may be evicted from now on, or no longer. */
void gpu_vram_join(struct gpu_bo *bo);
void gpu_vram_part(struct gpu_bo *bo);
/* For gpu/: a VM has, or no longer has, shared memory that may be evicted. */
void gpu_vram_join_vm(struct gpu_vm *vm);
void gpu_vram_part_vm(struct gpu_vm *vm);

#endif /* GPU_VRAM_H */
