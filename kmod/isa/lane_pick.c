// SPDX-License-Identifier: GPL-2.0-only
/* Which SIMD build to run: the widest that the CPU has, best first. */
#include "isa_int.h"

static const struct isa_lane_ops * const lane_variants[] = {
	&isa_lane_avx512, &isa_lane_avx2, &isa_lane_sse2,
};

static bool lane_runs(const struct isa_lane_ops *ops, u32 cpu)
{
	return (ops->cpu & ~cpu) == 0;
}

/* An emulated CPU does narrow vectors best (measured under QEMU's TCG). */
const struct isa_lane_ops *isa_lane_pick(u32 cpu)
{
	unsigned int k;

	if (cpu & ISA_CPU_TCG)
		return &isa_lane_sse2;
	for (k = 0; k < ARRAY_SIZE(lane_variants); k++)
		if (lane_runs(lane_variants[k], cpu))
			return lane_variants[k];
	return &isa_lane_sse2;
}

/* By name, for tests and module parameters; NULL if unknown or not possible. */
const struct isa_lane_ops *isa_lane_by_name(const char *name, u32 cpu)
{
	unsigned int k;

	for (k = 0; k < ARRAY_SIZE(lane_variants); k++)
		if (!strcmp(name, lane_variants[k]->name))
			return lane_runs(lane_variants[k], cpu) ? lane_variants[k] : NULL;
	return NULL;
}

const char *isa_lane_name(const struct isa_lane_ops *ops)
{
	return ops->name;
}
