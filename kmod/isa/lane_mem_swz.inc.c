/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fast paths of swizzled memory: SCRATCH, and for waves of 64 lanes MUBUF through the scratch V#
 * (swizzled by thread id, all lanes to a row). Dword d of lane l is at base + d * lanes * 4 +
 * l * 4, so lanes that agree on the offset are side by side. Everything else goes to mem.c.
 */

#define SWZ_MAX_OFF	(1u << 22)	/* keeps offset * 64 + lane * 4 in 31 bits */

/*
 * Base address of lane 0's column; false: not ours. Private memory is not
 * range-checked.
 */
static __always_inline bool swz_base(struct isa_wave *w, const struct isa_insn *i,
				     u64 *base, const u32 **offs, u32 *off)
{
	struct mem_vsharp v;
	u32 soff;

	if (unlikely(w->lanes != ISA_LANES) && i->enc != ISA_ENC_SCRATCH)
		return false;
	*off = i->offset;
	*offs = NULL;
	if (i->enc == ISA_ENC_SCRATCH) {
		*base = mem_scratch_base(w, i);
		if (mem_has_saddr(i))
			*off += w->s[i->src[1]];
		if (i->src[0] == ISA_SRC_NONE)
			return true;
		*offs = mem_rows(w, i->src[0], 1);
		return *offs;
	}
	isa_mem_vsharp(w, i, &v);
	soff = w->s[i->src[2] & 255];
	if (!v.swizzle || !v.add_tid || v.index_stride != ISA_LANES || i->mods & ISA_MOD_IDXEN)
		return false;
	*base = v.base + soff;
	if (i->mods & ISA_MOD_OFFEN)
		*offs = mem_rows(w, i->src[0], 1);
	return !(i->mods & ISA_MOD_OFFEN) || *offs;
}

/* Lane offsets @offs + @off differ: a window over the swizzled space. */
static noinline enum mem_shape
swz_any(struct isa_wave *w, const u32 *offs, u32 off, u64 base, u32 bytes, u32 access,
	struct mem_fast *m)
{
	const VI low = vi_splat(3), add = vi_splat(off);
	const struct mv_exec e = mv_exec(isa_exec(w));
	const u64 exec = e.bits, down_to = (u64)w->lanes * SWZ_MAX_OFF;
	u64 va, left, down, up, top;
	VI bad = vi_zero(), big = vi_zero();
	u32 *at = w->tmp[6];
	unsigned int k;
	u8 *p;

	for (k = 0; k < VSTEPS; k++) {
		VM mask = mv_mask(&e, k);
		VI o = vi_add(vi_load(offs + k * VW), add);

		bad = mv_diff(bad, mask, vi_and(o, low), vi_zero(), false);
		big = mv_max(big, mask, o, false);
		o = w->lanes == ISA_LANES ? vi_slli(o, 6) : vi_slli(o, 5);
		vi_store(at + k * VW, vi_add(o, vi_load(mem_iota[1] + k * VW)));
	}
	if (mv_nonzero(bad) || mv_any_above(big, SWZ_MAX_OFF))
		return SHAPE_NONE;
	k = __builtin_ctzll(exec);
	va = base + at[k];
	p = isa_translate(w->cu, va, access, &left);
	p = isa_within(p, bytes, left);
	if (!p)
		return SHAPE_NONE;
	down = ISA_PAGE_BYTES - left;
	down = down < at[k] ? down : at[k];
	/* The last byte that an offset may start at. */
	top = at[k] + (left - bytes);
	top = top < down_to ? top : down_to;
	if (top < at[k] - down)
		return SHAPE_NONE;
	up = top - (at[k] - down);
	m->idx = w->tmp[7];
	if (!mv_window(m->idx, at, NULL, at[k] - (u32)down, 0, (u32)up, exec))
		return SHAPE_NONE;
	m->host = p - down;
	return SHAPE_ANY;
}

/* ROW: @host is lane 0's first dword, the others a dword of each lane apart. */
static __always_inline enum mem_shape
swz_plan(struct isa_wave *w, const struct isa_insn *i, u32 n, u32 access,
	 u64 exec, bool full, struct mem_fast *m)
{
	const unsigned int f = mem_first(exec, full), last = mem_last(exec, full);
	const u32 bytes = (n - 1) * w->lanes * 4 + 4;
	const struct mv_exec e = mv_exec_on(w, full);
	const u32 *offs;
	u64 base, left;
	u32 off;
	u8 *p;

	if (!swz_base(w, i, &base, &offs, &off))
		return SHAPE_NONE;
	if (offs && !mv_is_row(offs, NULL, NULL, offs[f], 0, &e, full))
		return swz_any(w, offs, off, base, bytes, access, m);
	if (offs)
		off += offs[f];
	if (off & 3)
		return SHAPE_NONE;
	p = isa_translate(w->cu, base + (u64)off * w->lanes + f * 4, access, &left);
	p = isa_within(p, bytes + (last - f) * 4, left);
	if (!p)
		return SHAPE_NONE;
	m->host = p - f * 4;
	return SHAPE_ROW;
}

static __always_inline enum isa_stop
swz_load(struct isa_wave *w, const struct isa_insn *i, bool full)
{
	const u32 n = mem_op(i).bytes / 4, step = w->lanes * 4;
	const u64 exec = full ? ~0ull : isa_exec(w);
	u32 *dst = mem_rows(w, i->dst, n);
	const struct mv_exec e = mv_exec_on(w, full);
	enum mem_shape shape;
	struct mem_fast m;
	u32 d;

	if (!full && !exec)
		return ISA_STOP_NONE;
	shape = dst ? swz_plan(w, i, n, ISA_R, exec, full, &m) : SHAPE_NONE;
	if (shape == SHAPE_NONE)
		return isa_mem_exec_load(w, i);
	for (d = 0; d < n; d++) {
		if (shape == SHAPE_ROW)
			mv_load_rows(dst + d * ISA_LANES, m.host + d * step, 1, &e, full, false);
		else
			mv_gather(dst + d * ISA_LANES, m.host + d * step, m.idx, exec);
	}
	return ISA_STOP_NONE;
}

static __always_inline enum isa_stop
swz_store(struct isa_wave *w, const struct isa_insn *i, bool full)
{
	const u32 n = mem_op(i).bytes / 4, step = w->lanes * 4;
	const u64 exec = full ? ~0ull : isa_exec(w);
	const u32 *src = mem_rows(w, i->enc == ISA_ENC_MUBUF ? i->dst : i->src[2], n);
	const struct mv_exec e = mv_exec_on(w, full);
	enum mem_shape shape;
	struct mem_fast m;
	u32 d;

	if (!full && !exec)
		return ISA_STOP_NONE;
	shape = src ? swz_plan(w, i, n, ISA_W, exec, full, &m) : SHAPE_NONE;
	if (shape == SHAPE_NONE)
		return isa_mem_exec_store(w, i);
	for (d = 0; d < n; d++) {
		if (shape == SHAPE_ROW)
			mv_store_rows(src + d * ISA_LANES, m.host + d * step, 1, &e, full);
		else
			mv_scatter(m.host + d * step, m.idx, src + d * ISA_LANES, exec);
	}
	return ISA_STOP_NONE;
}

static enum isa_stop swz_load_part(struct isa_wave *w, const struct isa_insn *i)
{
	return swz_load(w, i, false);
}

static enum isa_stop swz_load_full(struct isa_wave *w, const struct isa_insn *i)
{
	return swz_load(w, i, true);
}

static enum isa_stop swz_store_part(struct isa_wave *w, const struct isa_insn *i)
{
	return swz_store(w, i, false);
}

static enum isa_stop swz_store_full(struct isa_wave *w, const struct isa_insn *i)
{
	return swz_store(w, i, true);
}

static void mem_bind_swz(struct isa_insn *i, struct isa_mem_op op)
{
	const bool load = op.kind == MEM_LOAD;

	/* V#s of gfx10 on are the general path's. */
	if (op.bytes < 4 || (i->enc == ISA_ENC_MUBUF && isa_slot_of(i)->aux & MEM_AUX_RDNA)) {
		mem_bind_both(i, load ? isa_mem_exec_load : isa_mem_exec_store);
	} else {
		isa_bind_to(i, load ? swz_load_part : swz_store_part,
			    load ? swz_load_full : swz_store_full);
	}
}
