/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_SAVE_AREA_H
#define GPU_SAVE_AREA_H

#include <linux/types.h>

struct gpu_target;

/* Sizes of a queue's save area per XCC, on a GPU that shows @xccs of them. */
struct gpu_save_area {
	u32 ctl_stack_bytes, cwsr_bytes, debug_bytes;
};

void gpu_target_save_area(const struct gpu_target *t, u32 xccs, struct gpu_save_area *a);

/* XCCs that this kernel shows to user space, which sizes save areas by that number. */
u32 gpu_target_shown_xccs(const struct gpu_target *t);

#endif /* GPU_SAVE_AREA_H */
