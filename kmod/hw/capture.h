/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Capturing dispatches (gpu/capture.h), for the files of hw/.
 */
#ifndef HW_CAPTURE_H
#define HW_CAPTURE_H

#include "engine.h"

/*
 * @d is about to start, and somebody captures. Return: 0: *@ticket says whether it is captured;
 * if so, hw_capture_started_locked() or gpu_capture_drop() has to follow. -EBUSY: the one before
 * it is in the way; other errors: of its memory.
 */
int hw_capture_begin(struct hw_env *e, const struct cp_dispatch *d, u64 *ticket);
/* Under hw.lock. */
void hw_capture_started_locked(struct hw_grid *grid, u64 ticket);
/* Its last group has ended, and nobody has been told; sleeps. */
void hw_capture_end(struct hw_grid *grid, struct gpu_vm_worker *w);
/* It will not end. */
void hw_capture_drop_locked(struct hw_grid *grid);

#endif /* HW_CAPTURE_H */
