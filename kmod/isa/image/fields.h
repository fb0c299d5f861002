/* SPDX-License-Identifier: GPL-2.0-only */
/* Image instructions: what the decoder leaves in struct isa_insn. */
#ifndef ISA_IMAGE_FIELDS_H
#define ISA_IMAGE_FIELDS_H

#include "../isa_int.h"

/*
 * isa_insn.ctl: the dimensions, and what changes an instruction. On GFX9 these are the
 * descriptor's, and an instruction says whether there are slices. The mask of components is in
 * @offset. Of addresses that are not consecutive (NSA), those behind the first are the bytes of
 * @lit, and then @neg, @abs, @omod and @opsel, which images have no other use for. On gfx12 all are
 * like that: three in @lit, and a fifth in @neg if there is no sampler.
 */
#define ISA_IMG_DIM	0x7u
#define ISA_IMG_UNRM	BIT(3)	/* coordinates are texels */
#define ISA_IMG_R128	BIT(4)	/* a descriptor of four dwords */
#define ISA_IMG_TFE	BIT(5)	/* one more dword: whether pages were missing */
#define ISA_IMG_LWE	BIT(6)	/* ... or the level was limited */
#define ISA_IMG_A16	BIT(7)	/* addresses have 16 bits */
#define ISA_IMG_D16	BIT(8)	/* data have 16 bits */
#define ISA_IMG_NSA	BIT(9)	/* dwords with more registers of addresses, 2 bits */
#define ISA_IMG_DA	BIT(11)	/* GFX9: an array */

/* exec.c; false if it is not executed */
bool isa_image_bind(const struct isa_target *t, struct isa_slot *s);

#endif /* ISA_IMAGE_FIELDS_H */
