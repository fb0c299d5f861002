// SPDX-License-Identifier: MIT
/*
 * Scratch memory of a queue: the private segments of all its waves.
 *
 * The queue block says where it is, how much a work-item has, and how many waves may use it at
 * once; compute_tmpring_size and the resource descriptor say the same in the words of GFX9.
 * With less memory the GPU runs fewer waves at a time, so the size is bounded. All numbers are
 * those of one XCC; each has as much, one behind another.
 */
#include <errno.h>
#include <string.h>

#include "aql_int.h"

#define WAVE64			64u
#define WAVE_UNIT		1024u		/* bytes; tmpring counts waves' memory in these */
#define WAVES_MAX		0xfffu
#define WAVE_UNITS_MAX		0x1fffu
#define WAVES_PER_CU		32u		/* that may have scratch */
#define SCRATCH_TARGET		(64ull << 20)

/* The GFX9 buffer descriptor: 32-bit elements, swizzled by lane. */
#define SRD1_SWIZZLE		(1u << 31)
#define SRD3_DST_SEL		(4u | 5u << 3 | 6u << 6 | 7u << 9)
#define SRD3_FORMAT_UINT	(4u << 12)
#define SRD3_FORMAT_32		(4u << 15)
#define SRD3_STRIDE_64		(3u << 21)
#define SRD3_ADD_TID		(1u << 23)

static void describe(struct amd_queue *b, uint64_t base, uint64_t size, uint64_t wave_bytes,
		     uint64_t waves)
{
	b->scratch_srd[0] = base;
	b->scratch_srd[1] = (base >> 32 & 0xffff) | SRD1_SWIZZLE;
	b->scratch_srd[2] = size;
	b->scratch_srd[3] = SRD3_DST_SEL | SRD3_FORMAT_UINT | SRD3_FORMAT_32 | SRD3_STRIDE_64 |
			    SRD3_ADD_TID;
	b->tmpring_size = waves | (uint32_t)(wave_bytes / WAVE_UNIT) << 12;
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
	uint32_t engines = q->dev->props.NumShaderBanks / xccs;
	uint64_t wave_bytes = ((uint64_t)lane_bytes * WAVE64 + WAVE_UNIT - 1) & ~(WAVE_UNIT - 1ull);
	uint64_t waves = (uint64_t)info->cu_count * WAVES_PER_CU / xccs;
	HsaMemFlags f = { .ui32.CoarseGrain = 1 };
	void *mem;
	int err;

	if (!engines)
		engines = 1;
	if (lane_bytes <= q->block->scratch_lane_bytes)
		return 0;
	if (wave_bytes / WAVE_UNIT > WAVE_UNITS_MAX)
		return -E2BIG;
	if (waves > WAVES_MAX)
		waves = WAVES_MAX;
	if (xccs * waves * wave_bytes > SCRATCH_TARGET)
		waves = SCRATCH_TARGET / wave_bytes / xccs;
	/* the hardware deals waves out to engines evenly */
	waves = waves / engines * engines;
	if (!waves)
		waves = engines;

	err = aql_alloc_flags(q->dev, q->dev->node, xccs * waves * wave_bytes, f, &mem);
	if (err)
		return err;
	describe(q->block, (uintptr_t)mem, waves * wave_bytes, wave_bytes, waves);
	aql_free(q->dev, q->scratch);
	q->scratch = mem;
	return 0;
}
