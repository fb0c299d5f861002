/* SPDX-License-Identifier: GPL-2.0-only */
/* A GPU that is divided into partitions: main.c and parts.c do it, the DRM face's files ask. */
#ifndef GPU_PART_H
#define GPU_PART_H

#include "device.h"

struct device;

/**
 * struct gpu_part_ops - what files of a GPU may ask for
 * @divide: make @parts of @whole, which is shown below @parent; 1: it is whole again. -EINVAL: it
 *	has no such mode, or its memory's does not go with it; -EBUSY: a process has it open
 * @memory: the next time that a driver starts @whole, its memory has @nps ranges
 *
 * Both are called by files that @parent has as long as @whole is shown there, and may return
 * what restarts the system call.
 */
struct gpu_part_ops {
	int (*divide)(struct gpu_device *whole, struct device *parent, unsigned int parts);
	int (*memory)(struct gpu_device *whole, unsigned int nps);
};

extern const struct gpu_part_ops *gpu_part_ops;

static inline const struct gpu_device *gpu_device_whole(const struct gpu_device *gdev)
{
	return gdev->whole ?: gdev;
}

#endif /* GPU_PART_H */
