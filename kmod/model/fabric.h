/* SPDX-License-Identifier: GPL-2.0-only */
/* How GPUs of a product are wired to each other: hives, whose members have XGMI links. */
#ifndef GPU_FABRIC_H
#define GPU_FABRIC_H

#include "target.h"

#define GPU_FABRIC_MAX	8	/* GPUs of a hive */
#define GPU_FABRIC_LINKS_MAX 8	/* between two of them; a GPU has no more */
#define GPU_XGMI_LANES	16

/**
 * struct gpu_fabric - wiring of a hive in which each GPU is a neighbour of each other one
 * @gpus: that a hive of this product has at most; users may make larger ones
 * @links: between two of them, unless the user has said otherwise
 * @gts: GT/s of a lane; a link has GPU_XGMI_LANES of them
 * @engines: for each pair of members (from, to), the SDMA engine that the driver recommends;
 *	NULL: all engines for XGMI
 */
struct gpu_fabric {
	u8 gpus;
	u8 links;
	u16 gts;
	const u8 (*engines)[GPU_FABRIC_MAX];
};

extern const struct gpu_fabric gpu_fabric_mi210, gpu_fabric_mi250, gpu_fabric_mi300x;

/* MB/s of one link, in one direction */
static inline u32 gpu_fabric_link_mbs(const struct gpu_fabric *f)
{
	return f->gts * GPU_XGMI_LANES * 1000 / 8;
}

/* Engines for copies from member @from to member @to, as a mask of all engines of @t. */
u32 gpu_fabric_engines(const struct gpu_target *t, unsigned int from, unsigned int to);

#endif /* GPU_FABRIC_H */
