/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Atomics that need float arithmetic: compare-and-swap loops in memory, plain
 * ones in the LDS. Rounding is nearest even whatever MODE says.
 *
 * Denormals: memory flushes those of f32 adds before gfx940 (LLVM, feature
 * MemoryAtomicFAddF32DenormalSupport) and keeps all others. The LDS goes by
 * MODE, but for f64 adds, which keep them. Minimum and maximum compare flushed
 * values and give the unflushed one; compare-and-store flushes what it gives
 * back to memory. NaNs: signalling ones win and are quieted, a number wins over
 * a quiet one. Source: CDNA ISA, "Float Memory Atomics".
 */
#include "atomic_sum.h"

static double fa_f64(u64 v)
{
	double f;

	__builtin_memcpy(&f, &v, 8);
	return f;
}

static u64 fa_bits64(double f)
{
	u64 v;

	__builtin_memcpy(&v, &f, 8);
	return v;
}

static u64 fa_sum64(u64 a, u64 b)
{
	const u64 abs = ~(1ull << 63), inf = 0x7ffull << 52, quiet = 1ull << 51;

	if ((a & abs) > inf)
		return a | quiet;
	if ((b & abs) > inf)
		return b | quiet;
	return fa_bits64(fa_f64(a) + fa_f64(b));
}

/* Whether minimum or maximum picks the operand over what is in memory. */
static bool fa_picks_data(u32 aop, bool old_nan, bool data_nan, bool less, bool greater)
{
	if (old_nan || data_nan)
		return old_nan && !data_nan;
	return aop == AOP_FMIN || aop == AOP_FMIN_NUM ? less : greater;
}

static u32 fa_minmax32(u32 aop, u32 old, u32 data, u32 daz)
{
	u32 x = daz ? fa_flush(old) : old, y = daz ? fa_flush(data) : data;
	bool xn = (x & 0x7fffffff) > 0x7f800000, yn = (y & 0x7fffffff) > 0x7f800000;
	bool lt = fa_f32(y) < fa_f32(x), gt = fa_f32(y) > fa_f32(x);

	if (aop == AOP_FMIN_NUM || aop == AOP_FMAX_NUM) {	/* gfx12: see vf_num_nan() */
		if (xn && yn)
			return data | 0x400000;
	} else if (xn && !(x & 0x400000)) {
		return old | 0x400000;
	} else if (yn && !(y & 0x400000)) {
		return data | 0x400000;
	}
	if (!((x | y) & 0x7fffffff)) {		/* -0 is less than +0 */
		lt = y > x;
		gt = y < x;
	}
	return fa_picks_data(aop, xn, yn, lt, gt) ? data : old;
}

static u64 fa_minmax64(u32 aop, u64 old, u64 data, u32 daz)
{
	const u64 sign = 1ull << 63, inf = 0x7ffull << 52, quiet = 1ull << 51;
	u64 x = daz && !(old & inf) ? old & sign : old;
	u64 y = daz && !(data & inf) ? data & sign : data;
	bool xn = (x & ~sign) > inf, yn = (y & ~sign) > inf;
	bool lt = fa_f64(y) < fa_f64(x), gt = fa_f64(y) > fa_f64(x);

	if (aop == AOP_FMIN_NUM || aop == AOP_FMAX_NUM) {
		if (xn && yn)
			return data | quiet;
	} else if (xn && !(x & quiet)) {
		return old | quiet;
	} else if (yn && !(y & quiet)) {
		return data | quiet;
	}
	if (!((x | y) & ~sign)) {
		lt = y > x;
		gt = y < x;
	}
	return fa_picks_data(aop, xn, yn, lt, gt) ? data : old;
}

/* @daz: flush denormals */
static u32 fa_alu32(u32 aop, u32 old, u32 data, u32 cmp, u32 daz)
{
	u32 lo;

	switch (aop) {
	case AOP_FADD:
		if (!daz)
			return fa_sum32(old, data);
		return fa_flush(fa_sum32(fa_flush(old), fa_flush(data)));
	case AOP_FMIN:
	case AOP_FMAX:
	case AOP_FMIN_NUM:
	case AOP_FMAX_NUM:
		return fa_minmax32(aop, old, data, daz);
	case AOP_FCMPSWAP:
		if (!daz)
			return fa_f32(old) == fa_f32(cmp) ? data : old;
		return fa_flush(fa_f32(fa_flush(old)) == fa_f32(fa_flush(cmp)) ? data : old);
	case AOP_PK_ADD_BF16:
		lo = fa_add_bf16(old & 0xffff, data & 0xffff, daz);
		return lo | fa_add_bf16(old >> 16, data >> 16, daz) << 16;
	default:
		lo = fa_add_half(old & 0xffff, data & 0xffff, daz);
		return lo | fa_add_half(old >> 16, data >> 16, daz) << 16;
	}
}

static u64 fa_alu64(u32 aop, u64 old, u64 data, u64 cmp, u32 daz)
{
	const u64 sign = 1ull << 63, inf = 0x7ffull << 52;
	u64 r;

	switch (aop) {
	case AOP_FADD:
		return fa_sum64(old, data);
	case AOP_FMIN:
	case AOP_FMAX:
	case AOP_FMIN_NUM:
	case AOP_FMAX_NUM:
		return fa_minmax64(aop, old, data, daz);
	default:
		if (daz && !(old & inf))
			old &= sign;
		if (daz && !(cmp & inf))
			cmp &= sign;
		r = fa_f64(old) == fa_f64(cmp) ? data : old;
		return daz && !(r & inf) ? r & sign : r;
	}
}

/* Whether the LDS flushes denormals for an operation. */
static u32 fa_lds_flush(const struct isa_wave *w, const struct isa_mem_op *op)
{
	if (op->bytes == 8)
		return op->aop != AOP_FADD && !(w->mode & 0x40);
	if (op->aop == AOP_PK_ADD_F16 || op->aop == AOP_PK_ADD_BF16)
		return !(w->mode & 0x40);
	return !(w->mode & 0x10);
}

/* As isa_mem_rmw(). */
static bool fa_rmw(u8 *p, const struct isa_mem_op *op, u64 data, u64 cmp, u32 daz, u64 *before,
		   u32 *tries)
{
	isa_assert(!((unsigned long)p & (op->bytes - 1)));
	if (op->bytes == 4) {
		u32 old = __atomic_load_n((u32 *)p, __ATOMIC_RELAXED);

		while (!__atomic_compare_exchange_n((u32 *)p, &old,
						    fa_alu32(op->aop, old,
								     data, cmp, daz),
						    false, __ATOMIC_SEQ_CST,
						    __ATOMIC_RELAXED)) {
			if (!*tries)
				return false;
			--*tries;
		}
		*before = old;
	} else {
		u64 old = __atomic_load_n((u64 *)p, __ATOMIC_RELAXED);

		while (!__atomic_compare_exchange_n((u64 *)p, &old,
						    fa_alu64(op->aop, old, data, cmp,
								     daz),
						    false, __ATOMIC_SEQ_CST,
						    __ATOMIC_RELAXED)) {
			if (!*tries)
				return false;
			--*tries;
		}
		*before = old;
	}
	return true;
}

/*
 * What is compared comes behind what is stored. Denormals are compared as they are: RDNA2 ISA,
 * BUFFER_ATOMIC_FCMPSWAP.
 */
static enum isa_stop mem_fatomic(struct isa_wave *w, const struct isa_insn *i)
{
	const struct isa_mem_op op = mem_op(i);
	const u32 n = op.bytes / 4;
	const bool rtn = i->mods & ISA_MOD_GLC, compares = op.aop == AOP_FCMPSWAP;
	const bool keep = isa_slot_of(i)->aux & MEM_AUX_KEEP_DENORM;
	const u32 flush = op.aop == AOP_FADD && n == 1 && !keep;
	const u32 *src = mem_rows(w, i->enc == ISA_ENC_MUBUF ? i->dst : i->src[2],
				  compares ? 2 * n : n);
	const u32 *with = compares ? src + n * ISA_LANES : src;
	u32 *dst = rtn ? mem_rows(w, i->dst, n) : NULL;
	u32 tries = ISA_RMW_TRIES;
	enum isa_stop stop;
	struct mem_req r;
	u64 m;

	if (!src || (rtn && !dst))
		return isa_exec_illegal(w, i);
	stop = isa_mem_addr(w, i, op.bytes, &r);
	if (!stop)
		stop = isa_mem_probe(w, &r, op.bytes, ISA_R | ISA_W, true);
	if (stop)
		return stop;
	lane_set_mxcsr(0x1f80);
	for (m = r.lanes; m; m &= m - 1) {
		unsigned int l = __builtin_ctzll(m);
		u32 daz = r.lds >> l & 1 ? fa_lds_flush(w, &op) : flush;
		u64 data = src[l] | (n == 2 ? (u64)src[ISA_LANES + l] << 32 : 0);
		u64 cmp = with[l] | (n == 2 ? (u64)with[ISA_LANES + l] << 32 : 0);
		u64 old = 0, new;

		if (likely(r.l->host[l])) {
			if (!fa_rmw(r.l->host[l], &op, data, cmp, daz, &old, &tries))
				break;
		} else {	/* out of range, or in the lane's own scratch and in two pieces */
			isa_mem_get(w, &r, l, &old, op.bytes);
			new = n == 2 ? fa_alu64(op.aop, old, data, cmp, daz) :
				       fa_alu32(op.aop, (u32)old, (u32)data, (u32)cmp, daz);
			isa_mem_put(w, &r, l, &new, op.bytes);
		}
		if (!rtn)
			continue;
		dst[l] = (u32)old;
		if (n == 2)
			dst[ISA_LANES + l] = (u32)(old >> 32);
	}
	lane_mode_f32(w);
	return m ? isa_mem_retry(w, i, m) : isa_mem_done(w, i, tries);
}

/* DS: the first data operand compares, the second is what is stored. */
static enum isa_stop ds_fatomic(struct isa_wave *w, const struct isa_insn *i)
{
	const struct isa_mem_op op = mem_op(i);
	const u32 n = op.bytes / 4;
	const bool rtn = op.flags & MEM_F_RTN, cmp = op.aop == AOP_FCMPSWAP;
	const u32 *addr = mem_rows(w, i->src[0], 1), *d0 = mem_rows(w, i->src[1], n);
	const u32 *d1 = cmp ? mem_rows(w, i->src[2], n) : d0;
	u32 *dst = rtn ? mem_rows(w, i->dst, n) : NULL;
	const u32 daz = fa_lds_flush(w, &op);
	u64 m;

	if (!addr || !d0 || !d1 || (rtn && !dst))
		return isa_exec_illegal(w, i);
	if (op.flags & MEM_F_NEW_FIRST) {
		const u32 *first = d0;

		d0 = d1;
		d1 = first;
	}
	lane_set_mxcsr(0x1f80);
	for (m = isa_exec(w); m; m &= m - 1) {
		unsigned int l = __builtin_ctzll(m);
		u32 at = addr[l] + (i->offset & 0xffff);
		u64 x = d0[l] | (n == 2 ? (u64)d0[ISA_LANES + l] << 32 : 0);
		u64 y = d1[l] | (n == 2 ? (u64)d1[ISA_LANES + l] << 32 : 0);
		u64 old = 0, new;

		u8 *p = isa_within(w->wg->lds + at, at + (u64)op.bytes, w->wg->lds_bytes);

		if (p) {
			__builtin_memcpy(&old, p, n == 2 ? 8 : 4);
			new = n == 2 ? fa_alu64(op.aop, old, y, x, daz) :
				       fa_alu32(op.aop, (u32)old, (u32)y, (u32)x, daz);
			__builtin_memcpy(p, &new, n == 2 ? 8 : 4);
		}
		if (!rtn)
			continue;
		dst[l] = (u32)old;
		if (n == 2)
			dst[ISA_LANES + l] = (u32)(old >> 32);
	}
	lane_mode_f32(w);
	return isa_charge(w, MEM_LANES_COST);
}

/* Both operands in the LDS: see mem_ds.c. */
static enum isa_stop ds_fsrc2(struct isa_wave *w, const struct isa_insn *i)
{
	const struct isa_mem_op op = mem_op(i);
	const u32 *addr = mem_rows(w, i->src[0], 1), daz = fa_lds_flush(w, &op);
	const u64 size = w->wg->lds_bytes;
	u64 m;

	if (!addr)
		return isa_exec_illegal(w, i);
	lane_set_mxcsr(0x1f80);
	for (m = isa_exec(w); m; m &= m - 1) {
		u32 a, b, n = op.bytes;
		u64 x = 0, y = 0;
		u8 *pa, *pb;

		isa_ds_src2(i, addr[__builtin_ctzll(m)], &a, &b);
		pa = isa_within(w->wg->lds + a, a + (u64)n, size);
		pb = isa_within(w->wg->lds + b, b + (u64)n, size);
		if (pb)
			__builtin_memcpy(&y, pb, n == 8 ? 8 : 4);
		if (!pa)
			continue;
		__builtin_memcpy(&x, pa, n == 8 ? 8 : 4);
		x = n == 8 ? fa_alu64(op.aop, x, y, 0, daz) :
			     fa_alu32(op.aop, (u32)x, (u32)y, 0, daz);
		__builtin_memcpy(pa, &x, n == 8 ? 8 : 4);
	}
	lane_mode_f32(w);
	return isa_charge(w, MEM_LANES_COST);
}
