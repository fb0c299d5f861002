// SPDX-License-Identifier: MIT
/*
 * Scratch memory of a queue: the private segments of all its waves.
 *
 * The queue block says where it is, how much a work-item has, and how many waves may use it at
 * once; compute_tmpring_size and the resource descriptor say the same in the generation's words.
 * With less memory the GPU runs fewer waves at a time, so the size is bounded. All numbers are
 * those of one XCC; each has as much, one behind another. Sources of gfx10 and gfx11: LLVM,
 * AMDGPUUsage, "Private segment buffer"; ROCr, amd_aql_queue.cpp.
 */
#include <errno.h>
#include <string.h>

#include "aql_int.h"

#define WAVE64			64u
#define WAVES_MAX		0xfffu
#define WAVES_PER_CU		32u		/* that may have scratch */
#define GROUP_WAVES_MAX		32u		/* 1024 work-items in waves of 32 */
#define SCRATCH_TARGET		(64ull << 20)

/* How tmpring says how much a wave has. @by_engine: its waves are those of a shader engine */
struct tmpring {
	uint32_t unit;		/* bytes */
	uint32_t units_max;
	bool by_engine;
};

static const struct tmpring tmpring_gfx9 = { 1024, 0x1fff, false };
static const struct tmpring tmpring_gfx11 = { 256, 0x7fff, true };

/* The buffer descriptor: 32-bit elements, swizzled by lane. */
#define SRD1_SWIZZLE		(1u << 31)
#define SRD3_DST_SEL		(4u | 5u << 3 | 6u << 6 | 7u << 9)
#define SRD3_FORMAT_UINT	(4u << 12)
#define SRD3_FORMAT_32		(4u << 15)
#define SRD3_STRIDE_64		(3u << 21)
#define SRD3_ADD_TID		(1u << 23)
/* gfx10, whose default is waves of 32: one format number, no bounds; gfx11 needs no descriptor */
#define SRD3_GFX10		(20u << 12 | 2u << 21 | 1u << 24 | 2u << 28)

static void describe(struct aql_queue *q, uint64_t base, uint64_t size, uint64_t wave_bytes,
		     uint32_t tmpring)
{
	struct amd_queue *b = q->block;

	b->scratch_srd[0] = base;
	b->scratch_srd[1] = (base >> 32 & 0xffff) | SRD1_SWIZZLE;
	b->scratch_srd[2] = size;
	b->scratch_srd[3] = SRD3_DST_SEL | SRD3_ADD_TID;
	if (q->dev->props.EngineId.ui32.Major < 10)
		b->scratch_srd[3] |= SRD3_FORMAT_UINT | SRD3_FORMAT_32 | SRD3_STRIDE_64;
	else
		b->scratch_srd[3] |= SRD3_GFX10;
	b->tmpring_size = tmpring;
	b->scratch_base = base;
	b->scratch_bytes = size;
	__atomic_store_n(&b->scratch_lane_bytes, wave_bytes / WAVE64, __ATOMIC_RELEASE);
}

/**
 * aql_scratch_grow() - give a queue's work-items at least this much private memory
 *
 * Return: 0, -ENOMEM if there is not that much, or -E2BIG if no GPU has.
 */
int aql_scratch_grow(struct aql_queue *q, uint32_t lane_bytes)
{
	const struct aql_dev_info *info = &q->dev->info;
	uint32_t xccs = q->dev->props.NumXcc ? q->dev->props.NumXcc : 1;
	const struct tmpring *ring = q->dev->props.EngineId.ui32.Major < 11 ? &tmpring_gfx9 :
									      &tmpring_gfx11;
	uint32_t arrays = q->dev->props.NumArrays ? q->dev->props.NumArrays : 1;
	uint32_t engines = q->dev->props.NumShaderBanks / xccs, parts;
	uint64_t unit = ring->unit, wave_bytes = ((uint64_t)lane_bytes * WAVE64 + unit - 1) & -unit;
	uint64_t waves = (uint64_t)info->cu_count * WAVES_PER_CU / xccs;
	HsaMemFlags f = { .ui32.CoarseGrain = 1 };
	uint64_t least, said;
	void *mem;
	int err;

	if (!engines)
		engines = 1;
	if (lane_bytes <= q->block->scratch_lane_bytes)
		return 0;
	if (wave_bytes / unit > ring->units_max)
		return -E2BIG;
	if (waves > WAVES_MAX)
		waves = WAVES_MAX;
	if (xccs * waves * wave_bytes > SCRATCH_TARGET)
		waves = SCRATCH_TARGET / wave_bytes / xccs;
	/* the hardware deals waves out to engines evenly */
	waves = waves / engines * engines;
	if (!waves)
		waves = engines;
	parts = ring->by_engine && engines >= arrays ? engines / arrays : 1;
	/* the largest group has a place, if there is that much memory */
	least = (GROUP_WAVES_MAX * parts + engines - 1) / engines * engines;
	err = -ENOMEM;
	if (waves < least)
		err = aql_alloc_flags(q->dev, q->dev->node, xccs * least * wave_bytes, f, &mem);
	if (!err)
		waves = least;
	else
		err = aql_alloc_flags(q->dev, q->dev->node, xccs * waves * wave_bytes, f, &mem);
	if (err)
		return err;
	said = waves / parts;
	describe(q, (uintptr_t)mem, waves * wave_bytes, wave_bytes,
		 (uint32_t)said | (uint32_t)(wave_bytes / unit) << 12);
	aql_free(q->dev, q->scratch);
	q->scratch = mem;
	return 0;
}
