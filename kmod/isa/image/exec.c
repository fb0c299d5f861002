// SPDX-License-Identifier: GPL-2.0-only
/*
 * Image instructions that name a texel by integers: loads, stores, atomics, and questions about the
 * size. Out of range, loads give 0 in what comes from the texel, stores and atomics do nothing.
 * Source: RDNA2 and RDNA3 ISA, "Image Instructions"; gfx906 is taken to do the same where
 * LLVM has the same instruction.
 */
#include "image.h"
#include "../tables.h"

#define LANE_COST	2u	/* of a lane, by ISA_COST_TURN */
#define SETUP_COST	8u

enum isa_stop isa_img_read(struct isa_wave *w, const struct img_rsrc *r, u64 va, u32 *buf)
{
	const u32 bytes = r->shape.bytes;
	u64 left;
	u8 *p = isa_translate(w->cu, va, ISA_R, &left);

	p = isa_within(p, bytes, left);
	if (!p)
		return isa_miss(w, va, bytes, ISA_R);
	buf[0] = 0;
	memcpy(buf, p, bytes <= 16 ? bytes : 0);
	return ISA_STOP_NONE;
}

/* Address of the texel that @lane names; false if there is none */
static bool texel_va(const struct img_rsrc *r, const struct isa_insn *i, const struct img_addr *a,
		     unsigned int lane, u64 *va)
{
	const u32 flags = isa_img_op(i->op).flags;
	u32 c[3], level = r->base, n;

	if (r->null)
		return false;
	if (flags & IMG_F_MIP) {
		const u32 mip = img_coord(a, img_axes(a->dim) + img_is_array(a->dim), lane);

		if (mip > r->last - r->base)
			return false;
		level += mip;
	}
	level = array_index_nospec(level, IMG_LEVELS);
	isa_img_texel(a, r->dim, lane, c);
	for (n = 0; n < img_axes(r->dim); n++)
		if (c[n] >= r->level[level].size[n])
			return false;
	if (img_is_array(r->dim)) {
		if (c[2] >= r->layers)
			return false;
		c[2] += r->first;
	}
	*va = isa_img_va(r, level, c[0], c[1], c[2]);
	return true;
}

/* The image and the addresses of an instruction that names texels; false: not executed */
static bool operands(struct isa_wave *w, const struct isa_insn *i, struct img_rsrc *r,
		     struct img_addr *a)
{
	unsigned int lane;
	u32 c[3];

	if (!isa_img_rsrc(w, i, r) || !isa_img_addr(w, i, r, a))
		return false;
	if (r->dim == a->dim)
		return true;
	IMG_LANES(lane, isa_exec(w))
		if (!isa_img_texel(a, r->dim, lane, c))
			return false;
	return true;
}

static enum isa_stop exec_load(struct isa_wave *w, const struct isa_insn *i)
{
	const u32 n = isa_img_dwords(i);
	u32 *dst = mem_rows(w, i->dst, n + !!(i->ctl & ISA_IMG_TFE));
	const bool half = i->ctl & ISA_IMG_D16;
	struct img_rsrc r;
	struct img_addr a;
	enum isa_stop stop;
	unsigned int lane;
	u32 buf[4], value[4], c, k, lanes = 0;
	u64 va;

	if (!dst || !operands(w, i, &r, &a))
		return isa_exec_illegal(w, i);
	IMG_LANES(lane, isa_exec(w)) {
		bool in = texel_va(&r, i, &a, lane, &va);

		stop = in ? isa_img_read(w, &r, va, buf) : ISA_STOP_NONE;
		if (stop)
			return stop;
		for (c = 0; c < 4; c++)
			value[c] = isa_img_component(&r, in ? buf : NULL, c, half);
		for (c = 0, k = 0; c < 4; c++)
			if ((u32)i->offset >> c & 1)
				isa_img_put(w, i, lane, k++, r.null ? 0 :
					    isa_img_select(&r, value, c, half));
		lanes++;
	}
	return isa_img_commit(w, i, dst, SETUP_COST + lanes * LANE_COST);
}

/*
 * Where the lanes' texels are, in @w->tmp; NULL is out of range. All are translated, or the stop
 * says why not.
 */
static enum isa_stop probe(struct isa_wave *w, const struct isa_insn *i, const struct img_rsrc *r,
			   const struct img_addr *a, u64 lanes, u32 access, u8 **host)
{
	const u32 bytes = r->shape.bytes;
	unsigned int lane;
	u64 va, left;
	u8 *p;

	BUILD_BUG_ON(sizeof(*host) * ISA_LANES > sizeof(w->tmp));
	IMG_LANES(lane, lanes) {
		host[lane] = NULL;
		if (!texel_va(r, i, a, lane, &va))
			continue;
		p = isa_translate(w->cu, va, access, &left);
		host[lane] = isa_within(p, bytes, left);
		if (!host[lane])
			return isa_miss(w, va, bytes, access);
	}
	return ISA_STOP_NONE;
}

static u32 stored_value(const u32 *src, const struct isa_insn *i, unsigned int lane, u32 k)
{
	if (!(i->ctl & ISA_IMG_D16))
		return src[k * ISA_LANES + lane];
	return src[k / 2 * ISA_LANES + lane] >> 16 * (k & 1) & 0xffff;
}

static enum isa_stop exec_store(struct isa_wave *w, const struct isa_insn *i)
{
	const u32 *src = mem_rows(w, i->dst, isa_img_dwords(i));
	u8 **host = (u8 **)w->tmp;
	struct img_rsrc r;
	struct img_addr a;
	enum isa_stop stop;
	unsigned int lane;
	const bool first = isa_arch_has(isa_wave_arch(w), ISA_ARCH_STORE_FIRST);
	const u32 mask = (u32)i->offset;
	u32 buf[4], value[4], c, k, lanes = 0;

	if (!src || !operands(w, i, &r, &a) || r.num == ISA_NUM_SRGB)
		return isa_exec_illegal(w, i);
	/* What the others get if the first is left out, nothing says. */
	if (first && !(mask & 1))
		return isa_exec_illegal(w, i);
	stop = probe(w, i, &r, &a, isa_exec(w), ISA_W, host);
	if (stop)
		return stop;
	IMG_LANES(lane, isa_exec(w)) {
		lanes++;
		if (!host[lane])
			continue;
		value[0] = 0;
		for (c = 0, k = 0; c < 4; c++)
			value[c] = mask >> c & 1 ? stored_value(src, i, lane, k++) : value[0];
		isa_img_pack(&r, value, first ? 15 : mask, i->ctl & ISA_IMG_D16, buf);
		memcpy(host[lane], buf, r.shape.bytes <= 16 ? r.shape.bytes : 0);
	}
	return isa_charge(w, SETUP_COST + lanes * LANE_COST);
}

static bool compares(u32 aop)
{
	return aop == AOP_CMPSWAP || aop == AOP_FCMPSWAP;
}

static bool is_float(u32 aop)
{
	return aop >= AOP_FADD;
}

/*
 * Bytes of an atomic's element by its mask of components; 0: no such mask. What two components are
 * for a float atomic, no source says.
 */
static u32 atomic_bytes(const struct isa_insn *i, u32 aop)
{
	const u32 mask = (u32)i->offset;
	const bool cmp = compares(aop);

	if (is_float(aop))
		return mask == (cmp ? 3 : 1) ? 4 : 0;
	if (cmp)
		return mask == 3 ? 4 : mask == 15 ? 8 : 0;
	return mask == 1 ? 4 : mask == 3 ? 8 : 0;
}

/* Packed sums are of two halves, which a format may have as two components, or as one. */
static bool texel_fits(const struct img_rsrc *r, u32 aop, u32 bytes)
{
	const bool pairs = aop == AOP_PK_ADD_F16 || aop == AOP_PK_ADD_BF16;

	if (r->null)
		return true;
	return r->shape.bytes == bytes &&
	       (r->shape.bits[0] == 32 || (pairs && r->shape.bits[0] == 16));
}

static u64 wide_get(const u32 *row, unsigned int lane, bool wide)
{
	return row[lane] | (wide ? (u64)row[ISA_LANES + lane] << 32 : 0);
}

static enum isa_stop exec_atomic(struct isa_wave *w, const struct isa_insn *i)
{
	const struct img_op op = isa_img_op(i->op);
	const bool cmp = compares(op.aop), ret = i->mods & ISA_MOD_GLC;
	const u32 bytes = atomic_bytes(i, op.aop), n = bytes / 4;
	const bool wide = bytes == 8;
	u32 *row = mem_rows(w, i->dst, cmp ? 2 * n : n), tries = ISA_RMW_TRIES;
	u8 **host = (u8 **)w->tmp;
	u64 lanes = isa_exec(w);
	struct img_rsrc r;
	struct img_addr a;
	enum isa_stop stop;
	unsigned int lane;

	if (unlikely(w->redo) && w->redo_pc == isa_insn_pc(w, i))
		lanes &= w->redo;
	if (!row || !operands(w, i, &r, &a) || !texel_fits(&r, op.aop, bytes))
		return isa_exec_illegal(w, i);
	stop = probe(w, i, &r, &a, lanes, ISA_R | ISA_W, host);
	if (stop)
		return stop;
	IMG_LANES(lane, lanes) {
		const u64 with = cmp ? wide_get(row + n * ISA_LANES, lane, wide) : 0;
		const u64 data = wide_get(row, lane, wide);
		bool done = true;
		u64 old = 0;

		if (host[lane] && is_float(op.aop))
			done = isa_img_float_rmw(host[lane], op.aop, (u32)data, (u32)with, &old,
						 &tries);
		else if (host[lane])
			done = isa_mem_rmw(host[lane], op.aop, bytes, data, with, &old, &tries);
		if (!done)
			return isa_mem_retry(w, i, lanes & ~0ull << lane);
		if (!ret)
			continue;
		row[lane] = (u32)old;
		if (wide)
			row[ISA_LANES + lane] = (u32)(old >> 32);
	}
	return isa_mem_done(w, i, tries);
}

/* Width, height, depth or slices, number of levels; no level: no size (Mesa, ac_nir_to_llvm.c). */
static enum isa_stop exec_resinfo(struct isa_wave *w, const struct isa_insn *i)
{
	u32 *dst = mem_rows(w, i->dst, isa_img_dwords(i) + !!(i->ctl & ISA_IMG_TFE));
	struct img_rsrc r;
	struct img_addr a;
	unsigned int lane;
	u32 c, k;

	if (!dst || !isa_img_rsrc(w, i, &r) || !isa_img_addr(w, i, &r, &a) || r.dim != a.dim)
		return isa_exec_illegal(w, i);
	IMG_LANES(lane, isa_exec(w)) {
		const u32 mip = img_coord(&a, 0, lane), levels = r.null ? 0 : r.last - r.base + 1;
		u32 info[4] = { 0, 0, 0, levels };

		if (mip < levels) {
			const u32 n = array_index_nospec(r.base + mip, IMG_LEVELS);

			memcpy(info, r.level[n].size, sizeof(r.level[n].size));
			if (img_is_array(r.dim))
				info[2] = r.layers;
		}
		for (c = 0, k = 0; c < 4; c++)
			if ((u32)i->offset >> c & 1)
				isa_img_put(w, i, lane, k++, info[c]);
	}
	return isa_img_commit(w, i, dst, SETUP_COST);
}

/* Whether the fields of the instruction are such as are executed */
static bool fields_ok(const struct isa_insn *i, const struct img_op *op)
{
	const u32 dim = i->ctl & ISA_IMG_DIM;

	if (dim == IMG_CUBE || dim > IMG_2D_ARRAY || i->ctl & ISA_IMG_LWE)
		return false;
	switch (op->kind) {
	case IMG_ATOMIC:
		return atomic_bytes(i, op->aop) &&
		       !(i->ctl & (ISA_IMG_D16 | ISA_IMG_TFE));
	case IMG_STORE:
		return isa_img_dwords(i) && !(i->ctl & ISA_IMG_TFE);
	case IMG_RESINFO:
		return isa_img_dwords(i) && !(i->ctl & ISA_IMG_D16);
	default:
		return isa_img_dwords(i);
	}
}

/* No lane is on: not even the descriptor is looked at. */
static enum isa_stop exec(struct isa_wave *w, const struct isa_insn *i)
{
	static const isa_exec_fn handlers[] = {
		[IMG_LOAD] = exec_load, [IMG_STORE] = exec_store, [IMG_ATOMIC] = exec_atomic,
		[IMG_RESINFO] = exec_resinfo, [IMG_SAMPLE] = isa_img_exec_sample,
		[IMG_GATHER] = isa_img_exec_sample,
	};

	if (!isa_exec(w))
		return isa_charge(w, SETUP_COST);
	return handlers[isa_img_op(i->op).kind](w, i);
}

bool isa_image_bind(const struct isa_target *t, struct isa_slot *s)
{
	const struct img_op op = isa_img_op(s->in.op);
	const bool gfx906 = t->major == 9 && !t->minor && t->step == 6;

	if (!op.kind || !fields_ok(&s->in, &op))
		return false;
	if (!isa_target_has(t, ISA_FEAT_RDNA) && !gfx906)
		return false;
	/* There, gradients of 16 bits are no opcodes of their own. */
	if (gfx906 && s->in.ctl & ISA_IMG_A16 && isa_rows[s->in.row].flags & ISA_OPF_IMG(0x1000))
		return false;
	/* LLVM's assembler knows no short descriptors on gfx12. */
	if (isa_target_has(t, ISA_FEAT_SCOPES) && s->in.ctl & ISA_IMG_R128)
		return false;
	isa_bind_to(&s->in, exec, exec);
	return true;
}
