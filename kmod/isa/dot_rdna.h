/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ISA_DOT_RDNA_H
#define ISA_DOT_RDNA_H

#include "isa_env.h"

enum isa_dot_type { ISA_DOT_F16, ISA_DOT_BF16, ISA_DOT_FP8, ISA_DOT_BF8 };

#define ISA_DOT_MAX	4u	/* products of a step */

/**
 * struct isa_dot - a step of the adder: @n products of @a and @b on @c
 * @type_a,@type_b: enum isa_dot_type
 * @n: 2, on gfx12 also 4
 * @narrow: C and the result have 16 bits, of @type_a, as F16 or BF16
 * @ovfl: an F16 result that is too large is the largest finite one (MODE.FP16_OVFL)
 * @a,@b: elements
 * @c: the addend
 */
struct isa_dot {
	u8 type_a, type_b, n;
	bool narrow, ovfl;
	u16 a[ISA_DOT_MAX], b[ISA_DOT_MAX];
	u32 c;
};

u32 isa_dot_gfx11(const struct isa_dot *d);
u32 isa_dot_gfx12(const struct isa_dot *d);

#endif
