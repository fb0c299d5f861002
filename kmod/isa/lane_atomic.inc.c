/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Atomics that need float arithmetic: compare-and-swap loops in memory, plain
 * ones in the LDS. Rounding is nearest even whatever MODE says about f16 (the
 * sums of two halves are exact in a float before they are rounded once).
 * Memory adds of f32 flush denormals before gfx940 (LLVM, feature
 * MemoryAtomicFAddF32DenormalSupport); the rest keeps them.
 */

static float fa_f32(u32 v)
{
	float f;

	__builtin_memcpy(&f, &v, 4);
	return f;
}

static double fa_f64(u64 v)
{
	double f;

	__builtin_memcpy(&f, &v, 8);
	return f;
}

static u32 fa_bits32(float f)
{
	u32 v;

	__builtin_memcpy(&v, &f, 4);
	return v;
}

static u64 fa_bits64(double f)
{
	u64 v;

	__builtin_memcpy(&v, &f, 8);
	return v;
}

static u32 fa_flush(u32 v)
{
	return v & 0x7f800000 ? v : v & 0x80000000;
}

/* Half to float and back, in integers: no F16C in the SSE2 build. */
static float fa_of_half(u32 h)
{
	u32 sign = (h & 0x8000) << 16, e = h >> 10 & 31, m = h & 0x3ff;

	if (e == 31)
		return fa_f32(sign | 0x7f800000 | m << 13 | (m ? 1u << 22 : 0));
	if (e)
		return fa_f32(sign | (e + 112) << 23 | m << 13);
	return fa_f32(sign | fa_bits32((float)m * 0x1p-24f));
}

static u32 fa_to_half(float f)
{
	u32 v = fa_bits32(f), sign = v >> 16 & 0x8000, a = v & 0x7fffffff, drop, h;

	if (a > 0x7f800000)
		return sign | 0x7e00 | (a >> 13 & 0x3ff);
	if (a >= 0x477ff000)			/* rounds beyond the largest */
		return sign | 0x7c00;
	if (a >= 0x38800000) {
		h = (a - 0x38000000) >> 13;
		drop = a & 0x1fff;
		return sign | (h + (drop > 0x1000 || (drop == 0x1000 && h & 1)));
	}
	if (a < 0x33000000)			/* below half the smallest */
		return sign;
	/* A denormal: the significand shifted to units of 2^-24. */
	drop = 126 - (a >> 23);
	a = (a & 0x7fffff) | 0x800000;
	h = a >> drop;
	a &= (1u << drop) - 1;
	return sign | (h + (a > 1u << (drop - 1) || (a == 1u << (drop - 1) && h & 1)));
}

static u32 fa_pk_add(u32 a, u32 b)
{
	u32 lo = fa_to_half(fa_of_half(a & 0xffff) + fa_of_half(b & 0xffff));

	return lo | fa_to_half(fa_of_half(a >> 16) + fa_of_half(b >> 16)) << 16;
}

static u32 fa_alu32(u32 aop, u32 old, u32 data, u32 cmp)
{
	switch (aop) {
	case AOP_FADD:
		return fa_bits32(fa_f32(old) + fa_f32(data));
	case AOP_FMIN:
		return fa_f32(data) < fa_f32(old) ? data : old;
	case AOP_FMAX:
		return fa_f32(data) > fa_f32(old) ? data : old;
	case AOP_FCMPSWAP:
		return fa_f32(old) == fa_f32(cmp) ? data : old;
	default:
		return fa_pk_add(old, data);
	}
}

static u64 fa_alu64(u32 aop, u64 old, u64 data, u64 cmp)
{
	switch (aop) {
	case AOP_FADD:
		return fa_bits64(fa_f64(old) + fa_f64(data));
	case AOP_FMIN:
		return fa_f64(data) < fa_f64(old) ? data : old;
	case AOP_FMAX:
		return fa_f64(data) > fa_f64(old) ? data : old;
	default:
		return fa_f64(old) == fa_f64(cmp) ? data : old;
	}
}

static u32 fa_mem32(u32 aop, u32 old, u32 data)
{
	if (aop == AOP_FADD)
		return fa_flush(fa_alu32(aop, fa_flush(old), fa_flush(data), 0));
	return fa_alu32(aop, old, data, 0);
}

static u64 fa_rmw(u8 *p, const struct isa_mem_op *op, u64 data)
{
	if (op->bytes == 4) {
		u32 old = __atomic_load_n((u32 *)p, __ATOMIC_RELAXED);

		while (!__atomic_compare_exchange_n((u32 *)p, &old,
						    fa_mem32(op->aop, old, (u32)data),
						    false, __ATOMIC_SEQ_CST,
						    __ATOMIC_RELAXED))
			;
		return old;
	} else {
		u64 old = __atomic_load_n((u64 *)p, __ATOMIC_RELAXED);

		while (!__atomic_compare_exchange_n((u64 *)p, &old,
						    fa_alu64(op->aop, old, data, 0),
						    false, __ATOMIC_SEQ_CST,
						    __ATOMIC_RELAXED))
			;
		return old;
	}
}

static enum isa_stop mem_fatomic(struct isa_wave *w, const struct isa_insn *i)
{
	const struct isa_mem_op op = mem_op(i);
	const u32 n = op.bytes / 4;
	const bool rtn = i->mods & ISA_MOD_GLC;
	const u32 *src = mem_rows(w, i->enc == ISA_ENC_MUBUF ? i->dst : i->src[2], n);
	u32 *dst = rtn ? mem_rows(w, i->dst, n) : NULL;
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
	for (m = r.lanes; m; m &= m - 1) {
		unsigned int l = __builtin_ctzll(m);
		u64 data = src[l] | (n == 2 ? (u64)src[ISA_LANES + l] << 32 : 0);
		u64 old = 0, new;

		if (likely(r.l->host[l])) {
			old = fa_rmw(r.l->host[l], &op, data);
		} else {	/* out of range, or own scratch in two pieces */
			isa_mem_get(w, &r, l, &old, op.bytes);
			new = n == 2 ? fa_alu64(op.aop, old, data, 0) :
				       fa_mem32(op.aop, (u32)old, (u32)data);
			isa_mem_put(w, &r, l, &new, op.bytes);
		}
		if (!rtn)
			continue;
		dst[l] = (u32)old;
		if (n == 2)
			dst[ISA_LANES + l] = (u32)(old >> 32);
	}
	return ISA_STOP_NONE;
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
	u64 m;

	if (!addr || !d0 || !d1 || (rtn && !dst))
		return isa_exec_illegal(w, i);
	for (m = isa_exec(w); m; m &= m - 1) {
		unsigned int l = __builtin_ctzll(m);
		u32 at = addr[l] + (i->offset & 0xffff);
		u64 x = d0[l] | (n == 2 ? (u64)d0[ISA_LANES + l] << 32 : 0);
		u64 y = d1[l] | (n == 2 ? (u64)d1[ISA_LANES + l] << 32 : 0);
		u64 old = 0, new;

		if (at + (u64)op.bytes <= w->wg->lds_bytes) {
			u8 *p = w->wg->lds + at;

			__builtin_memcpy(&old, p, n == 2 ? 8 : 4);
			new = n == 2 ? fa_alu64(op.aop, old, y, x) :
				       fa_alu32(op.aop, (u32)old, (u32)y, (u32)x);
			__builtin_memcpy(p, &new, n == 2 ? 8 : 4);
		}
		if (!rtn)
			continue;
		dst[l] = (u32)old;
		if (n == 2)
			dst[ISA_LANES + l] = (u32)(old >> 32);
	}
	return ISA_STOP_NONE;
}
