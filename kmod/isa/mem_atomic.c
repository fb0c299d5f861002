// SPDX-License-Identifier: GPL-2.0-only
/*
 * Integer atomics on memory: the host's own read-modify-write on the same
 * bytes, so that waves, other workers and the host see one order.
 * Misaligned addresses are memory violations, as in hardware.
 */
#include "mem_alu.h"

#define LANES(l, m)	\
	for (u64 m_ = (m); m_ && (l = __builtin_ctzll(m_), 1); m_ &= m_ - 1)

#define ATOMIC_COST	32	/* see ISA_COST_TURN */

/**
 * isa_mem_alu() - the new value of an integer read-modify-write
 * @aop: AOP_*, not a float one
 * @bytes: 4 or 8
 * @old: value in memory
 * @data: operand
 * @data2: what CMPSWAP compares with; second operand of MSKOR and WRAP
 */
u64 isa_mem_alu(u32 aop, u32 bytes, u64 old, u64 data, u64 data2)
{
	if (bytes == 4)
		return mem_alu32(aop, (u32)old, (u32)data, (u32)data2);
	return mem_alu64(aop, old, data, data2);
}

/*
 * The host's own instruction where it has one, else a loop of compare-and-swap.
 * Whoever else writes there can make that fail, so it has *@tries; false when
 * they are used up.
 */
#define MEM_RMW(bits, word)							\
static bool rmw##bits(void *at, u32 aop, word data, word data2, u64 *before, u32 *tries) \
{										\
	word *p = at, old = data2;						\
										\
	switch (aop) {								\
	case AOP_ADD:								\
		*before = __atomic_fetch_add(p, data, __ATOMIC_SEQ_CST);	\
		return true;							\
	case AOP_SUB:								\
		*before = __atomic_fetch_sub(p, data, __ATOMIC_SEQ_CST);	\
		return true;							\
	case AOP_SWAP:								\
		*before = __atomic_exchange_n(p, data, __ATOMIC_SEQ_CST);	\
		return true;							\
	case AOP_CMPSWAP:							\
		__atomic_compare_exchange_n(p, &old, data, false,		\
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
		*before = old;							\
		return true;							\
	default:								\
		old = __atomic_load_n(p, __ATOMIC_RELAXED);			\
		while (!__atomic_compare_exchange_n(p, &old,			\
						    mem_alu##bits(aop, old, data, data2), \
						    false, __ATOMIC_SEQ_CST,	\
						    __ATOMIC_RELAXED)) {	\
			if (!*tries)						\
				return false;					\
			--*tries;						\
		}								\
		*before = old;							\
		return true;							\
	}									\
}

MEM_RMW(32, u32)
MEM_RMW(64, u64)

/*
 * One read-modify-write at @p, which is naturally aligned; the rest as for
 * isa_mem_alu(). In *@old what was there before; false if nothing was done, as
 * others were faster too often. *@tries counts down from ISA_RMW_TRIES.
 */
bool isa_mem_rmw(u8 *p, u32 aop, u32 bytes, u64 data, u64 data2, u64 *old, u32 *tries)
{
	isa_assert(!((unsigned long)p & (bytes - 1)));
	if (bytes == 4)
		return rmw32((u32 *)p, aop, (u32)data, (u32)data2, old, tries);
	return rmw64((u64 *)p, aop, data, data2, old, tries);
}

/**
 * isa_mem_retry() - an atomic of some lanes that others' writes hold up
 * @w: wave
 * @i: the instruction
 * @lanes: those that are not done; the others must not be done again
 *
 * The wave's turn ends at the instruction. When it has its next one, the
 * instruction goes on with these lanes.
 */
enum isa_stop isa_mem_retry(struct isa_wave *w, const struct isa_insn *i, u64 lanes)
{
	w->redo = lanes;
	w->redo_pc = isa_insn_pc(w, i);
	return ISA_STOP_RETRY;
}

/* An atomic is done, with @tries left. */
enum isa_stop isa_mem_done(struct isa_wave *w, const struct isa_insn *i, u32 tries)
{
	if (unlikely(w->redo) && w->redo_pc == isa_insn_pc(w, i))
		w->redo = 0;
	return isa_charge(w, ATOMIC_COST + ISA_RMW_TRIES - tries);
}

static bool rmw_lane(struct isa_wave *w, struct mem_req *r, unsigned int lane,
		     const struct isa_mem_op *op, u64 data, u64 data2, u64 *old, u32 *tries)
{
	u8 *p = r->l->host[lane];
	u64 new;

	if (likely(p))
		return isa_mem_rmw(p, op->aop, op->bytes, data, data2, old, tries);
	/* Out of range, or in the lane's own scratch and in two pieces. */
	*old = 0;
	isa_mem_get(w, r, lane, old, op->bytes);
	new = isa_mem_alu(op->aop, op->bytes, *old, data, data2);
	isa_mem_put(w, r, lane, &new, op->bytes);
	return true;
}

static u64 reg_get(const u32 *row, unsigned int lane, bool wide)
{
	return row[lane] | (wide ? (u64)row[ISA_LANES + lane] << 32 : 0);
}

enum isa_stop isa_mem_exec_atomic(struct isa_wave *w, const struct isa_insn *i)
{
	const struct isa_mem_op op = mem_op(i);
	const bool buf = i->enc == ISA_ENC_MUBUF, rtn = i->mods & ISA_MOD_GLC;
	const bool wide = op.bytes == 8, cmp = op.aop == AOP_CMPSWAP;
	const u32 n = wide ? 2 : 1;
	u32 tries = ISA_RMW_TRIES;
	const u32 *src = mem_rows(w, buf ? i->dst : i->src[2], cmp ? 2 * n : n);
	u32 *dst = rtn ? mem_rows(w, i->dst, n) : NULL;
	enum isa_stop stop;
	unsigned int lane;
	struct mem_req r;

	if (!src || (rtn && !dst))
		return isa_exec_illegal(w, i);
	stop = isa_mem_addr(w, i, op.bytes, &r);
	if (!stop)
		stop = isa_mem_probe(w, &r, op.bytes, ISA_R | ISA_W, true);
	if (stop)
		return stop;
	LANES(lane, r.lanes) {
		u64 old, cmp_with = cmp ? reg_get(src + n * ISA_LANES, lane, wide) : 0;

		if (!rmw_lane(w, &r, lane, &op, reg_get(src, lane, wide), cmp_with,
			      &old, &tries))
			return isa_mem_retry(w, i, r.lanes & ~0ull << lane);
		if (!rtn)
			continue;
		dst[lane] = (u32)old;
		if (wide)
			dst[ISA_LANES + lane] = (u32)(old >> 32);
	}
	return isa_mem_done(w, i, tries);
}
