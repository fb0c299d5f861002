/* SPDX-License-Identifier: MIT */
/*
 * The GPUs that there are, by name: the rows of the model whose code is GFX9's. RDNA has tests of
 * its own (isa_rdna, isa_decode_rdna).
 */
#ifndef TARGETS_H
#define TARGETS_H

#include "../model/target.h"

#define MAX_TARGETS	16

/* The name of row @n, NULL behind the last. */
static inline const char *target_name(u32 n)
{
	const struct gpu_target *t = gpu_target_get(n);

	return t && t != gpu_targets_rdna ? t->name : NULL;
}

static inline u32 target_count(void)
{
	u32 n = 0;

	while (target_name(n))
		n++;
	return n;
}

/* For fuzzers: any of them. */
static inline const char *target_any(u32 n)
{
	return target_name(n % target_count());
}

#endif /* TARGETS_H */
