// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of image instructions: addresses and data. An address is, in this order: offsets of
 * texels, a bias of the level, gradients, coordinates, a level. Sources: RDNA2, RDNA3 and RDNA4
 * ISA, "Image Address VGPR"; LLVM, getAddrSizeMIMGOp(), getNSAMaxSize().
 */
#include "image.h"
#include "../tables.h"

/* isa_row.flags, as ISA_OPF_IMG() has them */
#define ROW_EXTRA(flags)	((flags) >> 20 & 7)
#define ROW_GRADIENTS(flags)	((flags) & BIT(23))
#define ROW_COORDS(flags)	((flags) & BIT(24))
#define ROW_LEVEL(flags)	((flags) & BIT(25))

/* gfx12: with a sampler, those behind the fourth are consecutive. */
static bool addr_reg_gfx12(const struct isa_insn *i, u32 n, u32 *reg)
{
	const bool sample = i->enc == ISA_ENC_VSAMPLE;

	if (!n)
		*reg = i->src[0] - ISA_SRC_VGPR0;
	else if (n < 4)
		*reg = i->lit >> 8 * (n - 1) & 0xff;
	else if (sample)
		*reg = (i->lit >> 16 & 0xff) + n - 3;
	else
		*reg = i->neg;
	return sample || n < 5;
}

/* Register of address @n. gfx11: those behind the last that is named are consecutive. */
static bool addr_reg(const struct isa_insn *i, u32 n, bool gfx11, u32 *reg)
{
	const u32 more = i->ctl / ISA_IMG_NSA & 3, first = i->src[0] - ISA_SRC_VGPR0;
	const u8 mods[4] = { i->neg, i->abs, i->omod, i->opsel };

	if (!more || !n) {
		*reg = first + n;
		return true;
	}
	if (n > 4 * more && !gfx11)
		return false;
	if (n > 4)
		*reg = gfx11 ? (i->lit >> 24) + n - 4 : mods[(n - 5) & 3];
	else
		*reg = i->lit >> 8 * (n - 1) & 0xff;
	return true;
}

bool isa_img_addr(struct isa_wave *w, const struct isa_insn *i, const struct img_rsrc *r,
		  struct img_addr *a)
{
	const enum img_gen gen = isa_img_gen(w);
	const u32 flags = isa_rows[i->row].flags;
	const u32 dim = gen == IMG_GFX9 ? r->dim : i->ctl & ISA_IMG_DIM;
	const u32 coords = ROW_COORDS(flags) ? img_axes(dim) + img_is_array(dim) : 0;
	const u32 last = coords + !!ROW_LEVEL(flags);
	u32 count, n, reg;

	a->dim = dim;
	a->half = i->ctl & ISA_IMG_A16;
	a->coord = ROW_EXTRA(flags) + (ROW_GRADIENTS(flags) ? 2 * img_axes(dim) : 0);
	count = a->coord + (a->half ? (last + 1) / 2 : last);
	if (count > ARRAY_SIZE(a->row))
		return false;
	for (n = 0; n < count; n++) {
		if (gen == IMG_GFX12 ? !addr_reg_gfx12(i, n, &reg) :
				       !addr_reg(i, n, gen == IMG_GFX11, &reg))
			return false;
		a->row[n] = mem_rows(w, ISA_SRC_VGPR0 + reg, 1);
		if (!a->row[n] || reg >= isa_sized_rows(w))
			return false;
	}
	return true;
}

bool isa_img_texel(const struct img_addr *a, u32 dim, unsigned int lane, u32 *c)
{
	const u32 axes = img_axes(a->dim), third = img_is_array(a->dim) ? axes : 2;
	const bool has_third = third < axes + img_is_array(a->dim);

	c[0] = img_coord(a, 0, lane);
	c[1] = axes > 1 ? img_coord(a, 1, lane) : 0;
	c[2] = has_third ? img_coord(a, third, lane) : 0;
	return (img_axes(dim) > 1 || !c[1]) && (dim == IMG_3D || img_is_array(dim) || !c[2]);
}

u32 isa_img_dwords(const struct isa_insn *i)
{
	const struct img_op op = isa_img_op(i->op);
	u32 n = mem_popcount((u32)i->offset & 15);

	if (op.kind == IMG_GATHER)
		n = n == 1 ? 4 : 0;
	return i->ctl & ISA_IMG_D16 ? (n + 1) / 2 : n;
}

/* Values that the instruction gives a lane */
static u32 values(const struct isa_insn *i)
{
	return isa_img_op(i->op).kind == IMG_GATHER ? 4 : mem_popcount((u32)i->offset & 15);
}

/* Value @n of @lane: of 16 bits, two are in a dword. */
void isa_img_put(struct isa_wave *w, const struct isa_insn *i, unsigned int lane, u32 n, u32 value)
{
	u32 *at = &w->tmp[i->ctl & ISA_IMG_D16 ? n / 2 : n][lane];

	if (!(i->ctl & ISA_IMG_D16))
		*at = value;
	else if (n & 1)
		*at = (*at & 0xffff) | value << 16;
	else
		*at = value & 0xffff;
}

/* What isa_img_put() put down goes to registers; with TFE, behind it, that no page was missing. */
enum isa_stop isa_img_commit(struct isa_wave *w, const struct isa_insn *i, u32 *dst, u32 cost)
{
	const u32 n = isa_img_dwords(i);
	const bool odd = i->ctl & ISA_IMG_D16 && values(i) & 1;
	unsigned int lane;
	u32 d;

	IMG_LANES(lane, isa_exec(w)) {
		/* The upper half that no value goes to stays. */
		if (odd)
			w->tmp[n - 1][lane] |= dst[(n - 1) * ISA_LANES + lane] & 0xffff0000;
		for (d = 0; d < n; d++)
			dst[d * ISA_LANES + lane] = w->tmp[d][lane];
		if (i->ctl & ISA_IMG_TFE)
			dst[n * ISA_LANES + lane] = 0;
	}
	return isa_charge(w, cost);
}
