// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows of partition modes, and what a partition is. Which modes go together, which one the driver
 * starts with: aqua_vanjaram.c of Linux 7.2; engines of a partition: kfd_get_num_sdma_engines().
 */
#include "partition.h"

/* TPX is for six XCCs, which none of our GPUs has. */
static const struct gpu_part_mode modes[] = {
	{ "SPX", 1, GPU_NPS1 },
	{ "DPX", 2, GPU_NPS1 | GPU_NPS2 },
	{ "QPX", 4, GPU_NPS1 | GPU_NPS2 | GPU_NPS4 },
	{ "CPX", 8, GPU_NPS1 | GPU_NPS2 | GPU_NPS4 },
};

const struct gpu_part_mode *gpu_part_mode_get(const struct gpu_target *t, unsigned int i)
{
	return i < ARRAY_SIZE(modes) && t->num_xcc == GPU_MAX_XCCS ? &modes[i] : NULL;
}

const struct gpu_part_mode *gpu_part_mode_of(const struct gpu_target *t, unsigned int parts)
{
	const struct gpu_part_mode *m;
	unsigned int i;

	for (i = 0; (m = gpu_part_mode_get(t, i)); i++)
		if (m->parts == parts)
			return m;
	return NULL;
}

/* Where the XCCs of a die share a range of memory, each becomes a GPU of its own. */
unsigned int gpu_part_auto(const struct gpu_target *t, unsigned int nps)
{
	return nps == t->num_xcc / 2 ? t->num_xcc : nps;
}

/* The first two engines of a GPU are for PCIe, all others for XGMI. */
void gpu_part_target(const struct gpu_target *t, unsigned int parts, struct gpu_target *part)
{
	unsigned int engines = (t->sdma_engines + t->sdma_xgmi_engines) / parts;

	*part = *t;
	part->num_xcc /= parts;
	part->shader_engines /= parts;
	part->cu_count /= parts;
	part->sdma_engines = engines < t->sdma_engines ? engines : t->sdma_engines;
	part->sdma_xgmi_engines = engines - part->sdma_engines;
}
