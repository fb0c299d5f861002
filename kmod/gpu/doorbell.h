/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Doorbells: pages of RAM that a process writes to, and whose first write after a
 * rest wakes the GPU.
 */
#ifndef GPU_DOORBELL_H
#define GPU_DOORBELL_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/types.h>

struct gpu_device;
struct gpu_process;
struct inode;
struct page;
struct vm_area_struct;

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
 * @armed: PTEs are zapped: the next store faults and calls
 *	gpu_backend_doorbell()
 * @inode: an inode of our own; gpu_doorbells_mmap() makes the VMA a mapping
 *	of a file on it, so that one zap finds every VMA of this slice and no
 *	other
 * @vmas: mappings of the slice: a zap goes through all of them
 * @rings: faults taken, i.e. stores that hit an armed slice
 * @kick: calls gpu_backend_doorbell() a little later, after @delay_ns
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

#endif /* GPU_DOORBELL_H */
