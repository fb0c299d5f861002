// SPDX-License-Identifier: MIT
/*
 * Where the dwords of a load or store are, as compiled code wants them: one behind the other, lane
 * by lane. Only what is plain and in the TLB; NULL means that the handler has to look. What handlers
 * do first (mem_plan() in kmod/isa/lane_mem.inc.c), for full EXEC or with the lanes that are off
 * readable, too. Part of prims.c.
 */
static __always_inline void same_for_all(u32 *row, u32 v)
{
	u32 k;

	for (k = 0; k < VSTEPS; k++)
		vi_store(row + k * VW, vi_splat(v));
}

/*
 * @one: @n rows to be used if all lanes have the same address; NULL: not then. Several dwords of a
 * lane are plain then only: side by side they would have to be sorted.
 */
static __always_inline u8 *dwords_at(struct isa_wave *w, const struct isa_insn *i, const u32 *los,
				     u32 *one, u32 n, u32 access, bool saddr, bool full)
{
	typedef u64 qword __attribute__((aligned(1), may_alias));
	const u32 *his = saddr ? NULL : los + ISA_LANES;
	const struct mv_exec e = mv_exec_on(w, full);
	u64 va = (u64)(s64)i->offset, left;
	u32 first = 0, last = ISA_LANES - 1, lo, hi, span, d;
	u8 *p;

	if (!full) {
		if (!e.bits)
			return NULL;
		first = (u32)__builtin_ctzll(e.bits);
		last = 63 - (u32)__builtin_clzll(e.bits);
	}
	lo = los[first];
	hi = saddr ? 0 : his[first];
	if (i->enc == ISA_ENC_FLAT && (hi == w->shared_base || hi == w->private_base))
		return NULL;
	if (saddr)
		va += mem_s64(w, i->src[1]);
	p = isa_tlb_find(w->cu, va + (lo | (u64)hi << 32), access, &left);
	span = (last - first) * 4;
	if (n == 1 && likely(lo + span >= lo) &&
	    mv_is_row(los, his, mem_iota[1], lo - first * 4, hi, &e, full)) {
		p = isa_within(p, span + 4, left);
		if (full || !p)
			return p;
		return isa_within(p - first * 4, ISA_PAGE_BYTES - left - first * 4,
				  ISA_PAGE_BYTES - ISA_LANES * 4);
	}
	p = isa_within(p, 4 * n, left);
	if (!p || !one || !mv_is_row(los, his, NULL, lo, hi, &e, full))
		return NULL;
	/* Two by one access: mv_get64() in kmod/isa says why. */
	for (d = 0; d + 2 <= n; d += 2) {
		u64 pair = *(const volatile qword *)(p + d * 4);

		same_for_all(one + d * ISA_LANES, (u32)pair);
		same_for_all(one + (d + 1) * ISA_LANES, (u32)(pair >> 32));
	}
	if (d < n)
		same_for_all(one + d * ISA_LANES, *((const volatile u32 *)p + d));
	return (u8 *)one;
}

/*
 * Functions that a unit has once, as inlining them is most of what such a unit costs to compile.
 * @row: of the addresses; @one,@n: for loads, see above
 */
#define DWORDS(name, access, saddr, full)					\
__attribute__((__noinline__))							\
u8 *name(struct isa_wave *w, const struct isa_insn *i, const u32 *row, u32 *one, u32 n);	\
u8 *name(struct isa_wave *w, const struct isa_insn *i, const u32 *row, u32 *one, u32 n)	\
{										\
	return dwords_at(w, i, row, access == ISA_R ? one : NULL, n, access, saddr, full);	\
}
DWORDS(jit_load_part, ISA_R, false, false)
DWORDS(jit_load_full, ISA_R, false, true)
DWORDS(jit_load_saddr_part, ISA_R, true, false)
DWORDS(jit_load_saddr_full, ISA_R, true, true)
DWORDS(jit_store_full, ISA_W, false, true)
DWORDS(jit_store_saddr_full, ISA_W, true, true)

/* The same of the LDS, whose dwords are there if the whole row is: ds_plan() in kmod/isa */
static __always_inline u8 *lds_at(struct isa_wave *w, const struct isa_insn *i, const u32 *addr,
				  u32 *one, bool full)
{
	const struct mv_exec e = mv_exec_on(w, full);
	u32 first = 0, size = w->wg->lds_bytes, at;
	u64 begin;
	u8 *p;

	if (!full && !e.bits)
		return NULL;
	if (!full)
		first = (u32)__builtin_ctzll(e.bits);
	at = addr[first] + (i->offset & 0xffff);
	if (likely(mv_is_row(addr, NULL, mem_iota[1], addr[first] - first * 4, 0, &e, full))) {
		begin = (u64)at - first * 4;
		/* Below 0 is above any LDS. */
		p = isa_within(w->wg->lds + begin, begin, ISA_LDS_MAX);
		return isa_within(p, begin + ISA_LANES * 4, size);
	}
	p = isa_within(w->wg->lds + at, (u64)at + 4, size);
	if (!p || !one || !mv_is_row(addr, NULL, NULL, addr[first], 0, &e, full))
		return NULL;
	same_for_all(one, *(const volatile u32 *)p);
	return (u8 *)one;
}

#define LDS(name, load, full)							\
__attribute__((__noinline__))							\
u8 *name(struct isa_wave *w, const struct isa_insn *i, const u32 *row, u32 *one, u32 n);	\
u8 *name(struct isa_wave *w, const struct isa_insn *i, const u32 *row, u32 *one, u32 n)	\
{										\
	(void)n;								\
	return lds_at(w, i, row, load ? one : NULL, full);			\
}
LDS(jit_load_lds_part, true, false)
LDS(jit_load_lds_full, true, true)
LDS(jit_store_lds_part, false, false)
LDS(jit_store_lds_full, false, true)

/* Rows for loads that are made at once, from the @n-th on */
PRIM u32 *jit_one(struct isa_wave *w, u32 n);
PRIM u32 *jit_one(struct isa_wave *w, u32 n)
{
	return w->tmp[n];
}

static __always_inline void s_load_pair(struct isa_wave *w, const struct isa_insn *i, const u8 *p,
					u32 k)
{
	u64 pair = *((const volatile u64 *)p + k);

	__builtin_memcpy(&w->s[i->dst + 2 * k], &pair, sizeof(pair));
}

/* Where s_load loads from */
PRIM u64 jit_s_va(const struct isa_wave *w, const struct isa_insn *i);
PRIM u64 jit_s_va(const struct isa_wave *w, const struct isa_insn *i)
{
	u64 va = mem_s64(w, i->src[0]);

	if (i->mods & ISA_MOD_IMM)
		va += (u64)(s64)i->offset;
	return va & ~3ull;
}

/* @n dwords at @p to where s_load puts them */
PRIM void jit_s_put(struct isa_wave *w, const struct isa_insn *i, const u8 *p, u32 n);
PRIM void jit_s_put(struct isa_wave *w, const struct isa_insn *i, const u8 *p, u32 n)
{
	u32 one, k;

	/* Once each, and no more than that: somebody may wait for them to change. */
	if (n == 1) {
		one = *(const volatile u32 *)p;
		w->s[i->dst] = one;
	}
	/* No loop for few: @n is known where this is put. */
	if (n >= 2)
		s_load_pair(w, i, p, 0);
	if (n >= 4)
		s_load_pair(w, i, p, 1);
	for (k = 2; k < n / 2; k++)
		s_load_pair(w, i, p, k);
}

/* s_load of @n dwords; false: nothing was done */
PRIM u32 jit_s_load(struct isa_wave *w, const struct isa_insn *i, u32 n);
PRIM u32 jit_s_load(struct isa_wave *w, const struct isa_insn *i, u32 n)
{
	u64 left;
	u8 *p = isa_within(isa_tlb_find(w->cu, jit_s_va(w, i), ISA_R, &left), n * 4, left);

	if (!p)
		return false;
	jit_s_put(w, i, p, n);
	return true;
}

/* ---- for whole rows (jit_wide.c) ---- */

/* Where @span bytes at @va are, if the TLB knows that and they are in one page */
PRIM u8 *jit_span(struct isa_wave *w, u64 va, u64 span, u32 access);
PRIM u8 *jit_span(struct isa_wave *w, u64 va, u64 span, u32 access)
{
	u64 left;
	u8 *p = isa_tlb_find(w->cu, va, access, &left);

	return isa_within(p, span, left);
}

/* The same, and the TLB is told by @fn, isa_translate_slow() */
__attribute__((__noinline__, __cold__))
u8 *jit_span_slow(struct isa_wave *w, u64 va, u64 span, u32 access,
		  u8 *(*fn)(struct isa_cu *cu, u64 va, u32 access));
u8 *jit_span_slow(struct isa_wave *w, u64 va, u64 span, u32 access,
		  u8 *(*fn)(struct isa_cu *cu, u64 va, u32 access))
{
	return fn(w->cu, va, access) ? jit_span(w, va, span, access) : NULL;
}

PRIM u64 jit_scalar_pair(const struct isa_wave *w, u32 code);
PRIM u64 jit_scalar_pair(const struct isa_wave *w, u32 code)
{
	return mem_s64(w, code);
}

/* Is a flat address one of LDS or scratch? */
PRIM u32 jit_in_aperture(const struct isa_wave *w, u64 va);
PRIM u32 jit_in_aperture(const struct isa_wave *w, u64 va)
{
	return (u32)(va >> 32) == w->shared_base || (u32)(va >> 32) == w->private_base;
}

/* @n dwords of each lane of a vector, from @p on, sorted by register */
PRIM void jit_unzip(VI *to, const u8 *p, u32 n);
PRIM void jit_unzip(VI *to, const u8 *p, u32 n)
{
	typedef VI anywhere __attribute__((aligned(1), may_alias));
	VI r[4];
	u32 d;

	/* Once each, not once for every row that it is sorted into */
	for (d = 0; d < n; d++)
		r[d] = *(const volatile anywhere *)(p + d * VW * 4);
	mv_unzip(r, n);
	for (d = 0; d < n; d++)
		to[d] = r[d];
}
