/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fast paths of vector memory. One translation serves a whole wave when the
 * active lanes lie side by side (row), at one address (one), or anywhere in
 * one translated stretch (any). All else, and every miss, is left to the
 * general handlers of mem.c, which know how to report it.
 */
#include "mem.h"
#include "tables.h"
#include "lane_mem_prim.inc.c"
#include "lane_mem_sub.inc.c"

enum mem_shape { SHAPE_NONE, SHAPE_ROW, SHAPE_ONE, SHAPE_ANY };

/**
 * struct mem_fast - where the lanes' elements are
 * @host: ROW: lane 0's element (that lane may be off, and this outside);
 *	ONE: the element; ANY: what @idx counts from
 * @idx: ANY: byte offset by lane
 * @whole: ROW: @host if the elements of lanes that are off are readable, too; else NULL
 */
struct mem_fast {
	u8 *host, *whole;
	u32 *idx;
};

#define MEM_IOTA_ROW(n)							\
	{ 0*n, 1*n, 2*n, 3*n, 4*n, 5*n, 6*n, 7*n, 8*n, 9*n, 10*n, 11*n,	\
	  12*n, 13*n, 14*n, 15*n, 16*n, 17*n, 18*n, 19*n, 20*n, 21*n,	\
	  22*n, 23*n, 24*n, 25*n, 26*n, 27*n, 28*n, 29*n, 30*n, 31*n,	\
	  32*n, 33*n, 34*n, 35*n, 36*n, 37*n, 38*n, 39*n, 40*n, 41*n,	\
	  42*n, 43*n, 44*n, 45*n, 46*n, 47*n, 48*n, 49*n, 50*n, 51*n,	\
	  52*n, 53*n, 54*n, 55*n, 56*n, 57*n, 58*n, 59*n, 60*n, 61*n,	\
	  62*n, 63*n }
/* lane * bytes, by bytes / 4 */
static const u32 mem_iota[5][ISA_LANES] __aligned(64) = {
	[1] = MEM_IOTA_ROW(4), [2] = MEM_IOTA_ROW(8), [4] = MEM_IOTA_ROW(16),
};
/* and by bytes below 4 */
static const u32 mem_iota_sub[3][ISA_LANES] __aligned(64) = {
	[1] = MEM_IOTA_ROW(1), [2] = MEM_IOTA_ROW(2),
};

static __always_inline unsigned int mem_first(u64 exec, bool full)
{
	return full ? 0 : __builtin_ctzll(exec);
}

static __always_inline unsigned int mem_last(u64 exec, bool full)
{
	return full ? ISA_LANES - 1 : 63 - __builtin_clzll(exec);
}

/*
 * Lanes that are not side by side: one address, or addresses in the first lane's
 * page. What of that is on the other side of a 4 GiB line is left out.
 */
static noinline enum mem_shape
mem_irregular(struct isa_wave *w, const u32 *los, const u32 *his, u64 base,
	      u32 bytes, u32 access, struct mem_fast *m)
{
	const u64 exec = isa_exec(w);
	const unsigned int f = __builtin_ctzll(exec);
	const u32 lo = los[f], hi = his ? his[f] : 0;
	const u64 va = base + (lo | (u64)hi << 32);
	const struct mv_exec e = mv_exec_on(w, false);
	u64 left, down, up;
	u8 *p = isa_translate(w->cu, va, access, &left);

	p = isa_within(p, bytes, left);
	if (!p)
		return SHAPE_NONE;
	if (mv_is_row(los, his, NULL, lo, hi, &e, false)) {
		m->host = p;
		return SHAPE_ONE;
	}
	down = ISA_PAGE_BYTES - left;
	down = down < lo ? down : lo;
	up = left - bytes;
	up = up < 0xffffffffu - lo ? up : 0xffffffffu - lo;
	m->idx = w->tmp[7];
	if (!mv_window(m->idx, los, his, lo - (u32)down, hi, (u32)(down + up), exec))
		return SHAPE_NONE;
	m->host = p - down;
	return SHAPE_ANY;
}

/* Is the first active lane's FLAT address in an aperture? */
static __always_inline bool mem_aperture(const struct isa_wave *w,
					 const struct isa_insn *i, u32 hi)
{
	return i->enc == ISA_ENC_FLAT &&
	       (hi == w->shared_base || hi == w->private_base);
}

/*
 * @host, where lane 0's element of a row is, if all 64 elements are in one page, also
 * those of lanes that are off; else NULL. @in: lane 0's place in the page of the lanes
 * that are on; below 0 if it lies in the page before.
 */
static __always_inline u8 *mem_whole(u8 *host, u64 in, u32 bytes)
{
	return isa_within(host, in, ISA_PAGE_BYTES - ISA_LANES * bytes);
}

/*
 * @iota: lane * @bytes, or NULL not to look for rows; @reach: bytes that must
 * be accessible where lanes are anywhere, @bytes or more.
 */
static __always_inline enum mem_shape
mem_plan(struct isa_wave *w, const struct isa_insn *i, const u32 *iota, u32 bytes,
	 u32 reach, u32 access, bool saddr, u64 exec, bool full, struct mem_fast *m)
{
	const u32 *los = mem_rows(w, i->src[0], saddr ? 1 : 2);
	const u32 *his = saddr ? NULL : los + ISA_LANES;
	const unsigned int f = mem_first(exec, full), last = mem_last(exec, full);
	const struct mv_exec e = mv_exec_on(w, full);
	u64 base = i->offset, left;
	u32 lo, hi, span = (last - f) * bytes;
	u8 *p;

	if (unlikely(!los))
		return SHAPE_NONE;
	if (saddr)
		base += mem_s64(w, i->src[1]);
	lo = los[f];
	hi = saddr ? 0 : his[f];
	if (!saddr && unlikely(mem_aperture(w, i, hi)))
		return SHAPE_NONE;
	if (iota && mv_is_row(los, his, iota, lo - f * bytes, hi, &e, full) &&
	    likely(lo + span >= lo)) {
		p = isa_translate(w->cu, base + (lo | (u64)hi << 32), access, &left);
		p = isa_within(p, span + bytes, left);
		if (unlikely(!p))
			return SHAPE_NONE;
		m->host = p - f * bytes;
		m->whole = mem_whole(m->host, ISA_PAGE_BYTES - left - f * bytes, bytes);
		return SHAPE_ROW;
	}
	return mem_irregular(w, los, his, base, reach, access, m);
}

/* Two dwords are one access: mv_get64() says why. */
static noinline void mem_load_one(u32 *dst, const u8 *p, unsigned int n, u64 exec)
{
	u32 last;
	u64 v;

	for (; n >= 2; n -= 2, p += 8, dst += 2 * ISA_LANES) {
		v = mv_get64(p);
		mv_splat_row(dst, (u32)v, exec);
		mv_splat_row(dst + ISA_LANES, (u32)(v >> 32), exec);
	}
	if (n) {
		__builtin_memcpy(&last, p, 4);
		mv_splat_row(dst, last, exec);
	}
}

static noinline void mem_load_any(u32 *dst, const struct mem_fast *m,
				  unsigned int n, u64 exec)
{
	unsigned int d;

	for (d = 0; d + 2 <= n; d += 2)
		mv_gather64(dst + d * ISA_LANES, m->host + 4 * d, m->idx, exec);
	if (d < n)
		mv_gather(dst + d * ISA_LANES, m->host + 4 * d, m->idx, exec);
}

/* The @n dwords of lane @l, two by one access. */
static __always_inline void mem_store_lane(const u32 *src, u8 *p, unsigned int n, unsigned int l)
{
	for (src += l; n >= 2; n -= 2, p += 8, src += 2 * ISA_LANES)
		mv_put64(p, src[0] | (u64)src[ISA_LANES] << 32);
	if (n)
		__builtin_memcpy(p, src, 4);
}

static noinline void mem_store_any(const u32 *src, const struct mem_fast *m,
				   unsigned int n, u64 exec)
{
	unsigned int l;

	if (n == 1) {
		mv_scatter(m->host, m->idx, src, exec);
		return;
	}
	for (; exec; exec &= exec - 1) {
		l = __builtin_ctzll(exec);
		mem_store_lane(src, m->host + m->idx[l], n, l);
	}
}

static __always_inline enum isa_stop
mem_load(struct isa_wave *w, const struct isa_insn *i, unsigned int n,
	 bool saddr, bool full)
{
	const u64 exec = full ? ~0ull : isa_exec(w);
	u32 *dst = mem_rows(w, i->dst, n);
	struct mem_fast m;
	struct mv_exec e;

	if (!full && !exec)
		return ISA_STOP_NONE;
	if (unlikely(!dst))
		return isa_mem_exec_load(w, i);
	switch (mem_plan(w, i, mem_iota[n], 4 * n, 4 * n, ISA_R, saddr, exec, full, &m)) {
	case SHAPE_ROW:
		e = mv_exec_on(w, full);
		if (!full && m.whole)
			mv_load_rows(dst, m.whole, n, &e, false, true);
		else
			mv_load_rows(dst, m.host, n, &e, full, false);
		return ISA_STOP_NONE;
	case SHAPE_ONE:
		mem_load_one(dst, m.host, n, exec);
		return ISA_STOP_NONE;
	case SHAPE_ANY:
		mem_load_any(dst, &m, n, exec);
		return ISA_STOP_NONE;
	default:
		return isa_mem_exec_load(w, i);
	}
}

static __always_inline enum isa_stop
mem_store(struct isa_wave *w, const struct isa_insn *i, unsigned int n,
	  bool saddr, bool full)
{
	const u64 exec = full ? ~0ull : isa_exec(w);
	const u32 *src = mem_rows(w, i->src[2], n);
	struct mem_fast m;
	struct mv_exec e;

	if (!full && !exec)
		return ISA_STOP_NONE;
	if (unlikely(!src))
		return isa_mem_exec_store(w, i);
	switch (mem_plan(w, i, mem_iota[n], 4 * n, 4 * n, ISA_W, saddr, exec, full, &m)) {
	case SHAPE_ROW:
		e = mv_exec_on(w, full);
		mv_store_rows(src, m.host, n, &e, full);
		return ISA_STOP_NONE;
	case SHAPE_ONE:		/* the last lane wins */
		mem_store_lane(src, m.host, n, mem_last(exec, full));
		return ISA_STOP_NONE;
	case SHAPE_ANY:
		mem_store_any(src, &m, n, exec);
		return ISA_STOP_NONE;
	default:
		return isa_mem_exec_store(w, i);
	}
}

/* Three dwords: one translation, no rows. */
static enum isa_stop mem_load_x3(struct isa_wave *w, const struct isa_insn *i)
{
	const bool saddr = i->enc == ISA_ENC_GLOBAL && mem_has_saddr(i);
	u32 *dst = mem_rows(w, i->dst, 3);
	u64 exec = isa_exec(w);
	struct mem_fast m;

	if (!exec)
		return ISA_STOP_NONE;
	if (!dst)
		return isa_mem_exec_load(w, i);
	switch (mem_plan(w, i, NULL, 12, 12, ISA_R, saddr, exec, false, &m)) {
	case SHAPE_ONE:
		mem_load_one(dst, m.host, 3, exec);
		return ISA_STOP_NONE;
	case SHAPE_ANY:
		mem_load_any(dst, &m, 3, exec);
		return ISA_STOP_NONE;
	default:
		return isa_mem_exec_load(w, i);
	}
}

/*
 * Bytes and shorts: a row where all of it is readable, else dwords from where
 * the elements are, of which the upper part is dropped.
 */
static enum isa_stop mem_load_sub(struct isa_wave *w, const struct isa_insn *i)
{
	const bool saddr = i->enc == ISA_ENC_GLOBAL && mem_has_saddr(i);
	const struct isa_mem_op op = mem_op(i);
	u32 *dst = mem_rows(w, i->dst, 1);
	u64 exec = isa_exec(w);
	struct mem_fast m;

	if (!exec)
		return ISA_STOP_NONE;
	if (!dst)
		return isa_mem_exec_load(w, i);
	switch (mem_plan(w, i, mem_iota_sub[op.bytes], op.bytes, 4, ISA_R, saddr, exec,
			 false, &m)) {
	case SHAPE_ROW:
		if (!m.whole)
			return isa_mem_exec_load(w, i);
		mv_load_sub(dst, m.whole, NULL, op, exec);
		return ISA_STOP_NONE;
	case SHAPE_ONE:
		mem_load_one(w->tmp[6], m.host, 1, ~0ull);
		mv_load_sub(dst, NULL, w->tmp[6], op, exec);
		return ISA_STOP_NONE;
	case SHAPE_ANY:
		mem_load_any(w->tmp[6], &m, 1, exec);
		mv_load_sub(dst, NULL, w->tmp[6], op, exec);
		return ISA_STOP_NONE;
	default:
		return isa_mem_exec_load(w, i);
	}
}

/* The odd sizes of stores: one translation, then lane by lane. */
static noinline void mem_store_lanes(const u32 *src, const struct mem_fast *m,
				     struct isa_mem_op op, u32 stride, u64 exec)
{
	for (; exec; exec &= exec - 1) {
		unsigned int l = __builtin_ctzll(exec);
		u8 *p = m->host + (m->idx ? m->idx[l] : l * stride);
		u32 v = src[l] >> (op.flags & MEM_F_HI ? 16 : 0);

		if (op.bytes == 1)
			*p = (u8)v;
		else if (op.bytes == 2)
			__builtin_memcpy(p, &v, 2);
		else
			mem_store_lane(src, p, 3, l);
	}
}

static enum isa_stop mem_store_odd(struct isa_wave *w, const struct isa_insn *i)
{
	const bool saddr = i->enc == ISA_ENC_GLOBAL && mem_has_saddr(i);
	const struct isa_mem_op op = mem_op(i);
	const u32 *src = mem_rows(w, i->src[2], (op.bytes + 3) / 4);
	u64 exec = isa_exec(w);
	struct mem_fast m = { .idx = NULL };

	if (!exec)
		return ISA_STOP_NONE;
	if (!src)
		return isa_mem_exec_store(w, i);
	switch (mem_plan(w, i, op.bytes < 4 ? mem_iota_sub[op.bytes] : NULL, op.bytes,
			 op.bytes, ISA_W, saddr, exec, false, &m)) {
	case SHAPE_ROW:
		if (!mv_store_sub(src, m.host, op, exec))
			mem_store_lanes(src, &m, op, op.bytes, exec);
		return ISA_STOP_NONE;
	case SHAPE_ONE:
		mem_store_lanes(src, &m, op, 0, exec);
		return ISA_STOP_NONE;
	case SHAPE_ANY:
		mem_store_lanes(src, &m, op, 0, exec);
		return ISA_STOP_NONE;
	default:
		return isa_mem_exec_store(w, i);
	}
}

#define MEM_FN(kind, n, saddr)							\
static enum isa_stop mem_##kind##_##n##_##saddr##_part(struct isa_wave *w,	\
						       const struct isa_insn *i)	\
{										\
	return mem_##kind(w, i, n, saddr, false);				\
}										\
static enum isa_stop mem_##kind##_##n##_##saddr##_full(struct isa_wave *w,	\
						       const struct isa_insn *i)	\
{										\
	return mem_##kind(w, i, n, saddr, true);				\
}
#define MEM_FNS(kind)								\
	MEM_FN(kind, 1, 0) MEM_FN(kind, 1, 1) MEM_FN(kind, 2, 0)		\
	MEM_FN(kind, 2, 1) MEM_FN(kind, 4, 0) MEM_FN(kind, 4, 1)
MEM_FNS(load)
MEM_FNS(store)

#define MEM_PAIR(kind, n, saddr)						\
	{ mem_##kind##_##n##_##saddr##_part, mem_##kind##_##n##_##saddr##_full }
#define MEM_ROW(kind, n)	{ MEM_PAIR(kind, n, 0), MEM_PAIR(kind, n, 1) }

/* By dwords, by global address with SGPR base, by full EXEC. */
static const isa_exec_fn mem_loads[5][2][2] = {
	[1] = MEM_ROW(load, 1), [2] = MEM_ROW(load, 2), [4] = MEM_ROW(load, 4),
};
static const isa_exec_fn mem_stores[5][2][2] = {
	[1] = MEM_ROW(store, 1), [2] = MEM_ROW(store, 2), [4] = MEM_ROW(store, 4),
};

static void mem_bind_both(struct isa_insn *i, isa_exec_fn fn)
{
	isa_bind_to(i, fn, fn);
}

static void mem_bind_flat(struct isa_insn *i, struct isa_mem_op op)
{
	const bool saddr = i->enc == ISA_ENC_GLOBAL && mem_has_saddr(i);
	const isa_exec_fn *fn = op.kind == MEM_LOAD ? mem_loads[op.bytes / 4][saddr] :
						      mem_stores[op.bytes / 4][saddr];

	if (op.bytes >= 4 && fn[0]) {
		isa_bind_to(i, fn[0], fn[1]);
	} else {
		mem_bind_both(i, op.kind == MEM_STORE ? mem_store_odd :
				 op.bytes < 4 ? mem_load_sub : mem_load_x3);
	}
}

#include "lane_mem_swz.inc.c"
#include "lane_ds.inc.c"
#include "lane_atomic.inc.c"

/**
 * lane_mem_bind() - set the handlers of a vector memory or LDS instruction
 *
 * Return: false if the operation is not executed yet.
 */
static bool lane_mem_bind(const struct isa_target *t, struct isa_insn *i)
{
	struct isa_mem_op op = isa_mem_op_of(i->op);
	struct isa_slot *s = isa_slot_of(i);

	if (isa_target_has(t, ISA_FEAT_SCOPES) && (op.aop == AOP_FMIN || op.aop == AOP_FMAX))
		op.aop = op.aop == AOP_FMIN ? AOP_FMIN_NUM : AOP_FMAX_NUM;
	/* There is no global data share: operations that only it has are refused by name. */
	if (i->mods & ISA_MOD_GDS && op.kind != DS_GWS)
		return false;
	/*
	 * CDNA 3 ISA, 9.1.6: with ECC the other half is not preserved. Those of the LDS, too: LLVM
	 * uses none of them to fill one half where it is on (d16PreservesUnusedBits()).
	 */
	if (op.flags & MEM_F_D16 && isa_target_has(t, ISA_FEAT_D16_CLEARS))
		op.flags |= MEM_F_CLEAR;
	s->aux = op.kind | (u32)op.bytes << 8 | (u32)op.flags << 16 | (u32)op.aop << 24;
	if (isa_target_has(t, ISA_FEAT_ARCH_SCRATCH))
		s->aux |= MEM_AUX_ARCH_SCRATCH;
	if (isa_target_has(t, ISA_FEAT_RDNA))
		s->aux |= MEM_AUX_RDNA;
	/* LLVM: supportsWaveWideBPermute() */
	if (isa_target_has(t, ISA_FEAT_RDNA) && !isa_target_has(t, ISA_FEAT_SCOPES))
		s->aux |= MEM_AUX_HALVES;
	/* FLAT's offset has no sign: what the field's last bit does, no document says. */
	if (i->enc == ISA_ENC_FLAT && isa_target_has(t, ISA_FEAT_RDNA) &&
	    !isa_target_has(t, ISA_FEAT_SCOPES) &&
	    i->offset >= (isa_target_has(t, ISA_FEAT_GFX11_TEXT) ? 0x1000 : 0x800))
		return false;
	if (isa_target_has(t, ISA_FEAT_KEEP_DENORMS))
		s->aux |= MEM_AUX_KEEP_DENORM;
	mem_bind_both(i, isa_mem_general(i));
	if (s->exec[0])
		return true;
	if (i->enc == ISA_ENC_MTBUF || i->mods & ISA_MOD_LDS ||
	    (i->enc == ISA_ENC_MUBUF && i->mods & ISA_MOD_TFE))
		return false;
	switch (op.kind) {
	case MEM_NONE:
		return false;
	case MEM_LOAD:
	case MEM_STORE:
		if (op.flags & MEM_F_TID)
			mem_bind_both(i, op.kind == MEM_LOAD ? isa_mem_exec_load :
							       isa_mem_exec_store);
		else if (i->enc == ISA_ENC_FLAT || i->enc == ISA_ENC_GLOBAL)
			mem_bind_flat(i, op);
		else
			mem_bind_swz(i, op);
		return true;
	case MEM_ATOMIC:
		mem_bind_both(i, isa_mem_exec_atomic);
		return true;
	case MEM_FATOMIC:
		mem_bind_both(i, mem_fatomic);
		return true;
	case DS_FATOMIC:
		mem_bind_both(i, ds_fatomic);
		return true;
	case DS_FSRC2:
		mem_bind_both(i, ds_fsrc2);
		return true;
	default:
		return ds_bind(i, op);
	}
}
