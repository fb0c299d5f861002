/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Page frames of device-private memory, for zone.c. See zone_frames.c.
 */
#ifndef GPU_ZONE_FRAMES_H
#define GPU_ZONE_FRAMES_H

#include <linux/memremap.h>

struct page;

/* A page frame, locked, with a page behind it whose content is undefined; NULL: there is none. */
struct page *gpu_frame_get(void);
/* Calls @fn with each chunk of frames, and @arg. Sleeps; none comes or goes meanwhile. */
void gpu_frames_each(void (*fn)(unsigned long pfn, unsigned long n, void *arg), void *arg);

/* @to_ram: a CPU has touched one */
int gpu_frames_start(vm_fault_t (*to_ram)(struct vm_fault *vmf));
/* There are no more frames from now on. */
void gpu_frames_close(void);
/* All are free. */
void gpu_frames_stop(void);

#endif /* GPU_ZONE_FRAMES_H */
