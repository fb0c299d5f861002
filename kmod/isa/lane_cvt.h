/* SPDX-License-Identifier: GPL-2.0-only */
/* Conversions between small floats, in integers: see lane_cvt.c. */
#ifndef ISA_LANE_CVT_H
#define ISA_LANE_CVT_H

#include "isa_int.h"

enum { CVT_F32, CVT_F16, CVT_BF16, CVT_FP8, CVT_BF8, CVT_FP6, CVT_BF6, CVT_FP4 };

#define CVT_SCALE_NAN	1000	/* a scale that is NaN */

/*
 * @x * 2^@scale in another format; @random: bits for stochastic rounding, or NULL; @ovfl:
 * overflow gives the largest number.
 */
u32 isa_cvt(u32 x, unsigned int from, unsigned int to, s32 scale, const u32 *random, bool ovfl);

/* V_PRNG_B32 */
static inline u32 isa_prng(u32 x)
{
	return x << 1 ^ (x >> 31 ? 0xc5 : 0);
}

bool isa_cvt_bind(const struct isa_target *t, struct isa_insn *i);
/* mfma_scaled.c */
bool isa_mfma_scaled_bind(const struct isa_target *t, struct isa_insn *i);
bool isa_lane_swap_bind(const struct isa_target *t, struct isa_insn *i);

#endif /* ISA_LANE_CVT_H */
