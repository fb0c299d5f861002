/* SPDX-License-Identifier: MIT */
/* What the references of the programs of group.cl share: group.c has their table. */
#ifndef GROUP_H
#define GROUP_H

#include "programs.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#define PARAMS	const struct program *p, void *const *b
#define UNUSED	((void)p)

/* Size of argument @n, a buffer. */
u32 group_bytes(const struct program *p, u32 n);
/* Random dwords into argument @n. */
void group_fill(PARAMS, u32 n);

/* group_mem.c */
void group_init_atomics(PARAMS);
void group_ref_atomics_u32(PARAMS);
void group_ref_atomics_u64(PARAMS);
void group_fold_atomics_u64(PARAMS);
void group_ref_atomics_lds(PARAMS);
void group_init_atomics_float(PARAMS);
void group_ref_atomics_float(PARAMS);
void group_ref_flat_mix(PARAMS);
void group_ref_shapes(PARAMS);
void group_ref_unaligned(PARAMS);
void group_ref_lds_widths(PARAMS);
void group_ref_buffers(PARAMS);

#endif /* GROUP_H */
