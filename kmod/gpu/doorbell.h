/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Doorbells: pages of RAM to which a process stores. The first store after the GPU has gone
 * to sleep wakes it.
 */
#ifndef GPU_DOORBELL_H
#define GPU_DOORBELL_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/types.h>

struct file;
struct gpu_device;
struct gpu_process;
struct gpu_vm;
struct inode;
struct page;
struct vm_area_struct;

#define GPU_DOORBELL_BYTES	8192	/* slice of a process on a SOC15 GPU */
#define GPU_DOORBELL_COUNT	(GPU_DOORBELL_BYTES / 8)

/**
 * struct gpu_doorbells - the doorbell slice of a process on a device
 * @page: two pages of zeroed RAM, doorbell n is the u64 at byte 8 * n
 * @pid: of the process, for traces
 * @val: kernel address of the two pages
 * @lock: serialises PTE insertion and zap; inside mmap_lock, outside i_mmap_rwsem. Guards
 *	@armed and @vm.
 * @armed: PTEs are zapped: the next store faults and calls gpu_backend_doorbell()
 * @inode: an inode for this slice alone. gpu_doorbells_mmap() makes the VMA a mapping of a
 *	file on it, so that one zap finds every VMA of this slice and no other
 * @pgoff: where the slice begins in such a file (READ_ONCE)
 * @vmas: number of VMAs; limited, because a zap walks all of them
 * @rings: faults taken, that is, stores to the slice while it was armed
 * @kick: timer that calls gpu_backend_doorbell() @delay_ns after a fault
 * @rung,@rung_val,@rung_at: doorbell of the last fault, its value at that time, and when
 *	that was (ns)
 * @used: doorbell indices in use (process->lock; of a buffer's slice: atomic bit operations)
 * @vm: the process's VM on @gdev, as long as it has it. Who rings sleeps for what the GPU took
 *	above memory.high there
 */
struct gpu_doorbells {
	struct kref ref;
	struct gpu_device *gdev;
	struct page *page;
	u64 *val;
	struct mutex lock;
	bool armed;
	pid_t pid;
	struct inode *inode;
	unsigned long pgoff;
	atomic_t vmas;
	atomic_t rings;
	struct hrtimer kick;
	u64 delay_ns;
	unsigned int rung;
	u64 rung_val;
	u64 rung_at;
	DECLARE_BITMAP(used, GPU_DOORBELL_COUNT);
	struct gpu_vm *vm;
};

struct gpu_doorbells *gpu_doorbells_create(struct gpu_process *p, struct gpu_device *gdev);
void gpu_doorbells_put(struct gpu_doorbells *db);
/* Takes no reference: before the process puts @vm, it has to set another one, or NULL. */
void gpu_doorbells_set_vm(struct gpu_doorbells *db, struct gpu_vm *vm);
/* @vm goes, and must not be what rings of this slice sleep for. */
void gpu_doorbells_drop_vm(struct gpu_doorbells *db, const struct gpu_vm *vm);
/*
 * mmap of the slice. -EINVAL unless the size is exactly GPU_DOORBELL_BYTES and the mapping
 * is not private and writable. Sets vm_ops whose fault handler inserts the PTEs, disarms and
 * wakes, and replaces vma->vm_file by another one of the same name. Where the backend has
 * doorbells of its own, it maps these
 * (doorbells_mmap); then -EINVAL, too, as long as the process has no VM.
 */
int gpu_doorbells_mmap(struct gpu_doorbells *db, struct vm_area_struct *vma);
/*
 * For open of the file that is mapped there: is it gpu_doorbells_mmap() that opens it once more,
 * for a VMA alone? Then nothing else is to be done for it.
 */
bool gpu_doorbell_opens(struct file *file);
/* The same of its start, up to @bytes, for a buffer that shows no more of it. */
int gpu_doorbells_mmap_start(struct gpu_doorbells *db, struct vm_area_struct *vma,
			     unsigned long bytes);
/*
 * Zaps the user PTEs. Afterwards, the backend must look at the doorbells once more before it
 * sleeps. If the backend is woken by a store that faulted, and arms again before the store was
 * retried, the store faults again; then the next wake comes late enough for the retry
 * (doorbell.c).
 */
void gpu_doorbells_arm(struct gpu_doorbells *db);
u64 gpu_doorbell_read(struct gpu_doorbells *db, unsigned int index);
/* The index will be used again: a stale value must not ring the next queue. */
void gpu_doorbell_reset(struct gpu_doorbells *db, unsigned int index);

#endif /* GPU_DOORBELL_H */
