/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fast paths of the LDS: reads and writes of 32, 64 and 128 bits, one or two
 * elements, and bpermute. The LDS is one host array; lanes that lie side by
 * side are a row, lanes anywhere inside it are gathered. A wave with a lane
 * out of range goes to mem_ds.c.
 */

/* One element of @n dwords a lane at addr + @off. */
static __always_inline enum mem_shape
ds_plan(struct isa_wave *w, const u32 *addr, u32 off, unsigned int n, u64 exec,
	bool full, struct mem_fast *m)
{
	const unsigned int f = mem_first(exec, full), last = mem_last(exec, full);
	const u32 bytes = n * 4, size = w->wg->lds_bytes, at = addr[f] + off;
	const struct mv_exec e = mv_exec_on(w, full);

	if (mv_is_row(addr, NULL, mem_iota[n], addr[f] - f * bytes, 0, &e, full)) {
		u64 first = (u64)at - f * bytes;
		u8 *p = isa_within(w->wg->lds + at, at + (u64)(last - f + 1) * bytes, size);

		if (unlikely(!p))
			return SHAPE_NONE;
		m->host = p - f * bytes;
		/* Below 0 is above any LDS. */
		m->whole = full ? NULL :
			   isa_within(isa_within(m->host, first, ISA_LDS_MAX),
				      first + ISA_LANES * bytes, size);
		return SHAPE_ROW;
	}
	if (size < bytes)
		return SHAPE_NONE;
	m->idx = w->tmp[7];
	if (!mv_window(m->idx, addr, NULL, -off, 0, size - bytes, exec))
		return SHAPE_NONE;
	m->host = w->wg->lds;
	return SHAPE_ANY;
}

static __always_inline u32 ds_off(const struct isa_insn *i, unsigned int n,
				  unsigned int count, unsigned int k)
{
	u32 unit = n * 4;

	if (count == 1)
		return i->offset & 0xffff;
	if (mem_op(i).kind == DS_READ2ST64 || mem_op(i).kind == DS_WRITE2ST64)
		unit *= 64;
	return (i->offset >> 8 * k & 0xff) * unit;
}

static __always_inline enum isa_stop
ds_load(struct isa_wave *w, const struct isa_insn *i, unsigned int n,
	unsigned int count, bool full)
{
	const u64 exec = full ? ~0ull : isa_exec(w);
	const u32 *addr = mem_rows(w, i->src[0], 1);
	u32 *dst = mem_rows(w, i->dst, n * count);
	enum mem_shape shape[2] = { SHAPE_NONE, SHAPE_NONE };
	struct mem_fast m[2];
	struct mv_exec e;
	unsigned int k;

	if (!full && !exec)
		return ISA_STOP_NONE;
	if (unlikely(!addr || !dst))
		return isa_exec_illegal(w, i);
	for (k = 0; k < count; k++) {
		shape[k] = ds_plan(w, addr, ds_off(i, n, count, k), n, exec, full, &m[k]);
		if (unlikely(shape[k] == SHAPE_NONE))
			return isa_ds_handler(mem_op(i).kind)(w, i);
		if (count == 2 && shape[k] == SHAPE_ANY && !k) {
			/* The second element's window has its own row. */
			memcpy(w->tmp[6], m[0].idx, sizeof(w->tmp[6]));
			m[0].idx = w->tmp[6];
		}
	}
	e = mv_exec_on(w, full);
	for (k = 0; k < count; k++) {
		u32 *d = dst + k * n * ISA_LANES;

		if (unlikely(shape[k] == SHAPE_ANY))
			mem_load_any(d, &m[k], n, exec);
		else if (!full && m[k].whole)
			mv_load_rows(d, m[k].whole, n, &e, false, true);
		else
			mv_load_rows(d, m[k].host, n, &e, full, false);
	}
	return ISA_STOP_NONE;
}

static __always_inline enum isa_stop
ds_store(struct isa_wave *w, const struct isa_insn *i, unsigned int n,
	 unsigned int count, bool full)
{
	const u64 exec = full ? ~0ull : isa_exec(w);
	const u32 *addr = mem_rows(w, i->src[0], 1);
	struct mv_exec e;
	unsigned int k;

	if (!full && !exec)
		return ISA_STOP_NONE;
	if (unlikely(!addr))
		return isa_exec_illegal(w, i);
	e = mv_exec_on(w, full);
	for (k = 0; k < count; k++) {
		const u32 *src = mem_rows(w, i->src[1 + k], n);
		struct mem_fast m;

		if (unlikely(!src))
			return isa_exec_illegal(w, i);
		/* Nothing here can miss, and doing an element twice is the same as once. */
		switch (ds_plan(w, addr, ds_off(i, n, count, k), n, exec, full, &m)) {
		case SHAPE_ROW:
			mv_store_rows(src, m.host, n, &e, full);
			break;
		case SHAPE_ANY:
			mem_store_any(src, &m, n, exec);
			break;
		default:
			return isa_ds_handler(mem_op(i).kind)(w, i);
		}
	}
	return ISA_STOP_NONE;
}

#define DS_FN(kind, n, count)							\
static enum isa_stop ds_##kind##_##n##_##count##_part(struct isa_wave *w,	\
						      const struct isa_insn *i)	\
{										\
	return ds_##kind(w, i, n, count, false);				\
}										\
static enum isa_stop ds_##kind##_##n##_##count##_full(struct isa_wave *w,	\
						      const struct isa_insn *i)	\
{										\
	return ds_##kind(w, i, n, count, true);					\
}
#define DS_FNS(kind)								\
	DS_FN(kind, 1, 1) DS_FN(kind, 1, 2) DS_FN(kind, 2, 1)			\
	DS_FN(kind, 2, 2) DS_FN(kind, 4, 1)
DS_FNS(load)
DS_FNS(store)

#define DS_PAIR(kind, n, count)							\
	{ ds_##kind##_##n##_##count##_part, ds_##kind##_##n##_##count##_full }
#define DS_TABLE(kind)	{							\
	[1] = { DS_PAIR(kind, 1, 1), DS_PAIR(kind, 1, 2) },			\
	[2] = { DS_PAIR(kind, 2, 1), DS_PAIR(kind, 2, 2) },			\
	[4] = { DS_PAIR(kind, 4, 1) },						\
}

/* By dwords of the element, by one or two of them, by full EXEC. */
static const isa_exec_fn ds_loads[5][2][2] = DS_TABLE(load);
static const isa_exec_fn ds_stores[5][2][2] = DS_TABLE(store);

/* Sub-dword reads, from a row or from anywhere a dword fits. */
static enum isa_stop ds_load_sub(struct isa_wave *w, const struct isa_insn *i)
{
	const struct isa_mem_op op = mem_op(i);
	const u32 *addr = mem_rows(w, i->src[0], 1);
	u32 *dst = mem_rows(w, i->dst, 1), off = i->offset & 0xffff;
	const u32 size = w->wg->lds_bytes;
	const u64 exec = isa_exec(w);

	if (!exec)
		return ISA_STOP_NONE;
	if (!addr || !dst)
		return isa_exec_illegal(w, i);
	if (size < 4 || !mv_window(w->tmp[7], addr, NULL, -off, 0, size - 4, exec))
		return isa_ds_handler(op.kind)(w, i);
	mv_gather(w->tmp[6], w->wg->lds, w->tmp[7], exec);
	mv_load_sub(dst, NULL, w->tmp[6], op, exec);
	return ISA_STOP_NONE;
}

static enum isa_stop ds_bpermute(struct isa_wave *w, const struct isa_insn *i)
{
	const u32 *addr = mem_rows(w, i->src[0], 1), *src = mem_rows(w, i->src[1], 1);
	const VI off = vi_splat((u32)i->offset), mask = vi_splat(4 * (w->lanes - 1));
	u32 *dst = mem_rows(w, i->dst, 1), *idx = w->tmp[7];
	unsigned int k;

	if (!addr || !src || !dst)
		return isa_exec_illegal(w, i);
	for (k = 0; k < VSTEPS; k++)
		vi_store(idx + k * VW, vi_and(vi_add(vi_load(addr + k * VW), off), mask));
	mv_permute(dst, src, w->tmp[6], idx, isa_exec(w));
	return ISA_STOP_NONE;
}

/* The bit mask and quad modes; mem_ds.c has the others. */
static enum isa_stop ds_swizzle(struct isa_wave *w, const struct isa_insn *i)
{
	const u32 mode = i->offset & 0xffff, *src = mem_rows(w, i->src[0], 1);
	const VI and = vi_splat((mode & 0x1f) * 4), or = vi_splat((mode >> 5 & 0x1f) * 4);
	const VI xor = vi_splat((mode >> 10 & 0x1f) * 4), half = vi_splat(0x80);
	u32 *dst = mem_rows(w, i->dst, 1), *idx = w->tmp[7];
	unsigned int k;

	if (!src || !dst)
		return isa_exec_illegal(w, i);
	if (mode >= 0xc000)
		return isa_ds_handler(DS_SWIZZLE)(w, i);
	for (k = 0; k < VSTEPS; k++) {
		VI l = vi_load(mem_iota[1] + k * VW), j;

		if (mode & 0x8000) {
			VI quad = vi_and(l, vi_splat(12));	/* 4 * (lane % 4) */

			j = vi_srlv(vi_splat(mode & 0xff), vi_srli(quad, 1));
			j = vi_or(vi_slli(vi_and(j, vi_splat(3)), 2),
				  vi_andnot(vi_splat(12), l));
		} else {
			j = vi_or(vi_xor(vi_or(vi_and(l, and), or), xor), vi_and(l, half));
		}
		vi_store(idx + k * VW, j);
	}
	mv_permute(dst, src, w->tmp[6], idx, isa_exec(w));
	return ISA_STOP_NONE;
}

static isa_exec_fn ds_special(const struct isa_insn *i, struct isa_mem_op op)
{
	switch (op.kind) {
	case DS_READ:
		return op.bytes < 4 ? ds_load_sub : NULL;
	case DS_BPERMUTE:
		return isa_slot_of(i)->aux & MEM_AUX_HALVES ? NULL : ds_bpermute;
	case DS_SWIZZLE:
		return ds_swizzle;
	default:
		return NULL;
	}
}

static bool ds_bind(struct isa_insn *i, struct isa_mem_op op)
{
	const isa_exec_fn *fn = NULL;

	if (op.bytes >= 4)
		switch (op.kind) {
		case DS_READ:
			fn = ds_loads[op.bytes / 4][0];
			break;
		case DS_READ2:
		case DS_READ2ST64:
			fn = ds_loads[op.bytes / 4][1];
			break;
		case DS_WRITE:
			fn = ds_stores[op.bytes / 4][0];
			break;
		case DS_WRITE2:
		case DS_WRITE2ST64:
			fn = ds_stores[op.bytes / 4][1];
			break;
		}
	if (fn && fn[0]) {
		isa_bind_to(i, fn[0], fn[1]);
		return true;
	}
	mem_bind_both(i, ds_special(i, op));
	if (!isa_slot_of(i)->exec[0])
		mem_bind_both(i, isa_ds_handler(op.kind));
	return isa_slot_of(i)->exec[0];
}
