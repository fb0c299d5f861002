// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows of fabrics. GT/s: amdgpu_xgmi_early_init() of Linux 7.2. Links between two GPUs: AMD's
 * data sheets (MI210: a bridge has three links; MI250: four between its two dies; a platform
 * of eight MI300X or MI355X: one between any two). Recommended engines: what the driver of
 * Linux 7.2 shows in the topology of such a platform (kfd_topology.c).
 *
 * Boards of MI250 are wired less regularly; they have no row.
 */
#include "fabric.h"

/* Engines 0 and 1 are not for XGMI, so that 0 stands for "none": a GPU and itself. */
static const u8 engines_of_eight[GPU_FABRIC_MAX][GPU_FABRIC_MAX] = {
	{  0, 14, 12,  2,  4,  8, 10,  6 },
	{ 14,  0,  2, 10,  8,  4,  6, 12 },
	{ 10,  2,  0, 12, 14,  6,  4,  8 },
	{  2, 12, 10,  0,  6, 14,  8,  4 },
	{  4,  8, 14,  6,  0, 10, 12,  2 },
	{  8,  4,  6, 14, 12,  0,  2, 10 },
	{ 10,  6,  4,  8, 12,  2,  0, 14 },
	{  6, 12,  8,  4,  2, 10, 14,  0 },
};

const struct gpu_fabric gpu_fabric_mi210 = { .gpus = 2, .links = 3, .gts = 25 };
const struct gpu_fabric gpu_fabric_mi250 = { .gpus = 2, .links = 4, .gts = 25 };
const struct gpu_fabric gpu_fabric_mi300x = {
	.gpus = 8, .links = 1, .gts = 32, .engines = engines_of_eight,
};

u32 gpu_fabric_engines(const struct gpu_target *t, unsigned int from, unsigned int to)
{
	const struct gpu_fabric *f = t->fabric;

	if (f && f->engines && from < f->gpus && to < f->gpus && from != to)
		return 1u << f->engines[from][to];
	return ((1u << t->sdma_xgmi_engines) - 1) << t->sdma_engines;
}
