/* SPDX-License-Identifier: GPL-2.0-only */
/* Ranges of a card's memory, which partitions share: see range.c. */
#ifndef GPU_RANGE_H
#define GPU_RANGE_H

#include <linux/types.h>

struct gpu_device;
struct gpu_range;

/* With a reference. -ENOMEM */
struct gpu_range *gpu_range_create(u64 bytes);
void gpu_range_put(struct gpu_range *r);
/* @gdev, whose @part is set and which nobody uses yet, has memory of it from now on. */
void gpu_range_join(struct gpu_range *r, struct gpu_device *gdev);
/* For gpu/: @gdev ends. */
void gpu_range_part(struct gpu_device *gdev);
/* Partition @i if it is another one that has the same range, with a reference; or NULL */
struct gpu_device *gpu_range_other(struct gpu_device *gdev, unsigned int i);

#endif /* GPU_RANGE_H */
