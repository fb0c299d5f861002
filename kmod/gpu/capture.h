/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dispatches and the memory that they touch, for who reads /sys/kernel/debug/kfd/N/capture.
 */
#ifndef GPU_CAPTURE_H
#define GPU_CAPTURE_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "device.h"

struct gpu_process;
struct gpu_queue;
struct gpu_vm;
struct gpu_vm_worker;
struct vkfd_capture_dispatch;
struct vkfd_capture_pm4;

/* gpu_capture_claim(): this dispatch is not captured. */
#define GPU_CAPTURE_NONE	0

void gpu_capture_init(struct gpu_device *gdev);
/* When it returns, nobody is in the file. Before the backend's end. */
void gpu_capture_fini(struct gpu_device *gdev);
/* With the device. */
void gpu_capture_free(struct gpu_device *gdev);

/* Does anybody read the file? */
static inline bool gpu_capture_on(const struct gpu_device *gdev)
{
	return READ_ONCE(gdev->capture_on);
}

/**
 * gpu_capture_claim() - a dispatch of @p is about to start
 * @gdev: where
 * @p: whose it is; captured are those of the reader's descendants
 * @ticket: names the capture in the calls below, or is GPU_CAPTURE_NONE
 *
 * One dispatch at a time is captured, and its reader has to take it before the next one.
 * Return: 0, or -EBUSY: wait, and call again.
 */
int gpu_capture_claim(struct gpu_device *gdev, const struct gpu_process *p, u64 *ticket);
/*
 * From now on each page that appears in @vm's page cache is copied before anybody can use it.
 * The cache is emptied first, so that all pages have to appear. Those in [@skip, @skip_end) are
 * of no interest. What the pages of the queue's ring and indices have at the end is unknown: while
 * the dispatch runs, its owner adds packets, and the queue's processor reads them. Sleeps.
 */
void gpu_capture_arm(struct gpu_device *gdev, u64 ticket, const struct gpu_queue *q, u64 skip,
		     u64 skip_end);
/* The dispatch starts: @d says what is known of it, @pm4 its registers, unless it is NULL. */
void gpu_capture_start(struct gpu_device *gdev, u64 ticket, const struct vkfd_capture_dispatch *d,
		       const struct vkfd_capture_pm4 *pm4);
/* Its waves have executed so many instructions more. */
void gpu_capture_insns(struct gpu_device *gdev, u64 ticket, u64 insns);
/* It has ended, nobody has been told; compares its pages. Not inside a section; sleeps. */
void gpu_capture_end(struct gpu_device *gdev, u64 ticket, struct gpu_vm_worker *w);
/* It does not start, or will not end. Does not sleep. */
void gpu_capture_drop(struct gpu_device *gdev, u64 ticket);

/* Is @vm's page cache being watched? */
static inline bool gpu_capture_watches(const struct gpu_vm *vm, const struct gpu_device *gdev)
{
	return unlikely(READ_ONCE(gdev->capture_vm) == vm);
}

/* A page of @vm is about to appear; under pc_lock. */
void gpu_capture_page(struct gpu_device *gdev, const struct gpu_vm *vm, u64 index,
		      unsigned long pfn, u32 access);

#endif /* GPU_CAPTURE_H */
