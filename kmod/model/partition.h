/* SPDX-License-Identifier: GPL-2.0-only */
/* How a GPU of several XCCs is divided: into GPUs of some XCCs each, and its memory into ranges. */
#ifndef GPU_PARTITION_H
#define GPU_PARTITION_H

#include "target.h"

/* Memory modes: NPSn, of @nps ranges, is BIT(n) */
#define GPU_NPS1	BIT(1)
#define GPU_NPS2	BIT(2)
#define GPU_NPS4	BIT(4)
#define GPU_NPS_MAX	4

/**
 * struct gpu_part_mode - a compute mode
 * @name: in sysfs
 * @parts: GPUs that it makes of one
 * @nps: memory modes that go with it
 */
struct gpu_part_mode {
	const char *name;
	u8 parts;
	u8 nps;
};

/* Mode @i that @t could have in some memory mode, or NULL past the end. */
const struct gpu_part_mode *gpu_part_mode_get(const struct gpu_target *t, unsigned int i);
/* The mode that makes @parts of @t; NULL: there is none. */
const struct gpu_part_mode *gpu_part_mode_of(const struct gpu_target *t, unsigned int parts);
/* Partitions that the driver chooses when it finds @t with its memory in NPS@nps. */
unsigned int gpu_part_auto(const struct gpu_target *t, unsigned int nps);
/* One of @parts partitions of @t, all of which are alike. */
void gpu_part_target(const struct gpu_target *t, unsigned int parts, struct gpu_target *part);

#endif /* GPU_PARTITION_H */
