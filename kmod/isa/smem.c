// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scalar memory: loads, stores, atomics, scratch, buffers, clocks, cache
 * control. Address rules: CDNA2 ISA chapter 7. Every access is 4-byte aligned by ignoring the
 * low address bits; probe-then-commit as for vector memory.
 *
 * Fields: src[0] SBASE, src[1] the SGPR offset if ISA_MOD_SOE, src[2] the
 * data of a store; offset the signed 21-bit immediate if ISA_MOD_IMM.
 */
#include "mem.h"
#include "scalar.h"

#define SMEM_MAX_DWORDS	16

/* isa_slot.aux: dwords that an operation moves; the operation of an atomic */
#define AUX_DWORDS(aux)	((u32)(aux) & 31)
#define AUX_AOP_SHIFT	8
#define AUX_AOP(aux)	((u32)(aux) >> AUX_AOP_SHIFT & 31)
/* In its place, of loads of less than a dword: bytes, and whether the sign is extended */
#define SUB_SIGNED	4

static u64 offset_of(const struct isa_wave *w, const struct isa_insn *i)
{
	u64 off = 0;

	if (i->mods & ISA_MOD_IMM)
		off = (u64)(s64)i->offset;
	if (i->mods & ISA_MOD_SOE)
		off += isa_sget32(w, i, i->src[1]);
	return off;
}

/* Both sides of a page that a transfer may cross; NULL after a miss. */
struct span {
	u8 *p[2];
	u32 bytes[2];
};

static bool translate(struct isa_wave *w, u64 va, u32 bytes, u32 access, struct span *s)
{
	u64 left;

	s->p[0] = isa_translate(w->cu, va, access, &left);
	if (!s->p[0]) {
		isa_miss(w, va, 4, access);
		return false;
	}
	s->bytes[0] = left < bytes ? (u32)left : bytes;
	s->bytes[1] = bytes - s->bytes[0];
	if (!s->bytes[1])
		return true;
	s->p[1] = isa_translate(w->cu, va + s->bytes[0], access, &left);
	if (!s->p[1]) {
		isa_miss(w, va + s->bytes[0], 4, access);
		return false;
	}
	return true;
}

static enum isa_stop load(struct isa_wave *w, const struct isa_insn *i, u64 va, u32 dwords)
{
	u32 data[SMEM_MAX_DWORDS];
	struct span s;

	if (!translate(w, va, dwords * 4, ISA_R, &s))
		return ISA_STOP_MISS;
	if (likely(!s.bytes[1])) {
		memcpy(data, s.p[0], dwords * 4);
	} else {
		memcpy(data, s.p[0], s.bytes[0]);
		memcpy((u8 *)data + s.bytes[0], s.p[1], s.bytes[1]);
	}
	if (likely(i->dst != ISA_SRC_NULL))
		memcpy(&w->s[i->dst], data, dwords * 4);
	return ISA_STOP_NONE;
}

static u64 base_va(const struct isa_wave *w, const struct isa_insn *i)
{
	return (isa_sfast_get64(w, i->src[0]) + offset_of(w, i)) & ~3ull;
}

/* The size is a constant so that the copies are a move or two. */
#define LOAD(N)									\
static enum isa_stop load_x##N(struct isa_wave *w, const struct isa_insn *i)	\
{										\
	u64 va = base_va(w, i), left;						\
	u8 *p = isa_translate(w->cu, va, ISA_R, &left);				\
										\
	p = isa_within(p, N * 4, left);						\
	if (unlikely(!p))							\
		return load(w, i, va, N);					\
	memcpy(&w->s[i->dst], p, N * 4);					\
	return ISA_STOP_NONE;							\
}

LOAD(1)
LOAD(2)
LOAD(3)
LOAD(4)
LOAD(8)
LOAD(16)

/* The destination is NULL: only the access itself has an effect. */
static enum isa_stop load_null(struct isa_wave *w, const struct isa_insn *i)
{
	return load(w, i, base_va(w, i), AUX_DWORDS(isa_slot_of(i)->aux));
}

static u32 extend(u32 v, u32 how)
{
	if (how == (1 | SUB_SIGNED))
		return (u32)(s32)(s8)v;
	if (how == (2 | SUB_SIGNED))
		return (u32)(s32)(s16)v;
	return v;
}

/* A byte, or two that lie in one page as they are aligned */
static enum isa_stop load_sub_at(struct isa_wave *w, const struct isa_insn *i, u64 va)
{
	const u32 how = AUX_AOP(isa_slot_of(i)->aux), bytes = how & ~SUB_SIGNED;
	u32 v = 0;
	u64 left;
	u8 *p;

	p = isa_translate(w->cu, va, ISA_R, &left);
	if (!p)
		return isa_miss(w, va, bytes, ISA_R);
	memcpy(&v, p, bytes);
	if (i->dst != ISA_SRC_NULL)
		w->s[i->dst] = extend(v, how);
	return ISA_STOP_NONE;
}

/* Aligned by ignoring the lowest bit, as others ignore two */
static enum isa_stop load_sub(struct isa_wave *w, const struct isa_insn *i)
{
	const u32 bytes = AUX_AOP(isa_slot_of(i)->aux) & ~SUB_SIGNED;

	return load_sub_at(w, i, (isa_sfast_get64(w, i->src[0]) + offset_of(w, i)) &
				 ~(u64)(bytes - 1));
}

static enum isa_stop store_at(struct isa_wave *w, const struct isa_insn *i, u64 va)
{
	u32 bytes = AUX_DWORDS(isa_slot_of(i)->aux) * 4;
	const u8 *src = (const u8 *)&w->s[i->src[2]];
	struct span s;

	if (!translate(w, va, bytes, ISA_R | ISA_W, &s))
		return ISA_STOP_MISS;
	memcpy(s.p[0], src, s.bytes[0]);
	if (unlikely(s.bytes[1]))
		memcpy(s.p[1], src + s.bytes[0], s.bytes[1]);
	return ISA_STOP_NONE;
}

static enum isa_stop store(struct isa_wave *w, const struct isa_insn *i)
{
	return store_at(w, i, base_va(w, i));
}

/* Scratch: an SGPR counts blocks of 64 bytes. */
static u64 scratch_va(const struct isa_wave *w, const struct isa_insn *i)
{
	u64 va = isa_sfast_get64(w, i->src[0]);

	if (i->mods & ISA_MOD_IMM)
		va += (u64)(s64)i->offset;
	if (i->mods & ISA_MOD_SOE)
		va += (u64)isa_sget32(w, i, i->src[1]) * 64;
	return va & ~3ull;
}

static enum isa_stop scratch_load(struct isa_wave *w, const struct isa_insn *i)
{
	return load(w, i, scratch_va(w, i), AUX_DWORDS(isa_slot_of(i)->aux));
}

static enum isa_stop scratch_store(struct isa_wave *w, const struct isa_insn *i)
{
	return store_at(w, i, scratch_va(w, i));
}

/* V# as scalar accesses see it: base 47:0, stride 61:48, num_records. */
static u64 buffer_va(const struct isa_wave *w, const struct isa_insn *i, u64 *size)
{
	const u32 *v = &w->s[i->src[0]];
	u32 stride = v[1] >> 16 & 0x3fff;

	*size = stride ? (u64)stride * v[2] : v[2];
	return (v[0] | (u64)(v[1] & 0xffff) << 32) & ~3ull;
}

/* Offsets may be negative: they wrap to far outside. */
static bool outside(u64 off, u32 n, u64 size)
{
	return off >= size || size - off < n * 4 + 4;
}

/* Each dword is range-checked on its own; outside reads 0. */
static enum isa_stop buffer_load(struct isa_wave *w, const struct isa_insn *i)
{
	u32 dwords = AUX_DWORDS(isa_slot_of(i)->aux), n, data[SMEM_MAX_DWORDS];
	u64 off = offset_of(w, i) & ~3ull, size, base = buffer_va(w, i, &size);

	for (n = 0; n < dwords; n++) {
		u64 left;
		u8 *p;

		data[n] = 0;
		if (outside(off, n, size))
			continue;
		p = isa_translate(w->cu, base + off + n * 4, ISA_R, &left);
		if (!p)
			return isa_miss(w, base + off + n * 4, 4, ISA_R);
		memcpy(&data[n], p, 4);
	}
	memcpy(&w->s[i->dst], data, dwords * 4);
	return ISA_STOP_NONE;
}

static enum isa_stop buffer_load_sub(struct isa_wave *w, const struct isa_insn *i)
{
	const u32 bytes = AUX_AOP(isa_slot_of(i)->aux) & ~SUB_SIGNED;
	u64 off = offset_of(w, i) & ~(u64)(bytes - 1), size, base = buffer_va(w, i, &size);

	if (off < size && size - off >= bytes)
		return load_sub_at(w, i, base + off);
	w->s[i->dst] = 0;
	return ISA_STOP_NONE;
}

static enum isa_stop buffer_store(struct isa_wave *w, const struct isa_insn *i)
{
	u32 dwords = AUX_DWORDS(isa_slot_of(i)->aux), n;
	u64 off = offset_of(w, i) & ~3ull, size, base = buffer_va(w, i, &size);
	u8 *p[SMEM_MAX_DWORDS];

	for (n = 0; n < dwords; n++) {
		u64 left;

		p[n] = NULL;
		if (outside(off, n, size))
			continue;
		p[n] = isa_translate(w->cu, base + off + n * 4, ISA_R | ISA_W, &left);
		if (!p[n])
			return isa_miss(w, base + off + n * 4, 4, ISA_R | ISA_W);
	}
	for (n = 0; n < dwords; n++)
		if (p[n])
			memcpy(p[n], &w->s[i->src[2] + n], 4);
	return ISA_STOP_NONE;
}

/*
 * Atomics: data in SGPRs (compare-and-swap: new value, then what to compare
 * with); the old value replaces it if glc says so. @va out of range: ~0.
 */
static enum isa_stop atomic_at(struct isa_wave *w, const struct isa_insn *i, u64 va)
{
	const u32 n = AUX_DWORDS(isa_slot_of(i)->aux), aop = AUX_AOP(isa_slot_of(i)->aux);
	const u32 *s = &w->s[i->src[2]];
	u64 data = s[0] | (n == 2 ? (u64)s[1] << 32 : 0), data2 = 0, left, old = 0;
	u32 tries = ISA_RMW_TRIES;
	u8 *p;

	if (aop == AOP_CMPSWAP)
		data2 = s[n] | (n == 2 ? (u64)s[n + 1] << 32 : 0);
	if (va != ~0ull) {
		if (va & (n * 4 - 1))
			return isa_memviol(w, va, n * 4, ISA_R | ISA_W);
		p = isa_translate(w->cu, va, ISA_R | ISA_W, &left);
		if (!p)
			return isa_miss(w, va, n * 4, ISA_R | ISA_W);
		if (!isa_mem_rmw(p, aop, n * 4, data, data2, &old, &tries))
			return ISA_STOP_RETRY;
	}
	if (i->mods & ISA_MOD_GLC) {
		w->s[i->src[2]] = (u32)old;
		if (n == 2)
			w->s[i->src[2] + 1] = (u32)(old >> 32);
	}
	return isa_charge(w, 1 + ISA_RMW_TRIES - tries);
}

static enum isa_stop atomic(struct isa_wave *w, const struct isa_insn *i)
{
	return atomic_at(w, i, base_va(w, i));
}

static enum isa_stop buffer_atomic(struct isa_wave *w, const struct isa_insn *i)
{
	const u32 n = AUX_DWORDS(isa_slot_of(i)->aux);
	u64 off = offset_of(w, i) & ~3ull, size, base = buffer_va(w, i, &size);

	return atomic_at(w, i, outside(off, n - 1, size) ? ~0ull : base + off);
}

/* The shader clock runs at 17 times the 100 MHz reference (1.7 GHz, MI210). */
static enum isa_stop s_memtime(struct isa_wave *w, const struct isa_insn *i)
{
	isa_sfast_put64(w, i->dst, w->cu->clock(w->cu) * 17);
	return ISA_STOP_NONE;
}

static enum isa_stop s_memrealtime(struct isa_wave *w, const struct isa_insn *i)
{
	isa_sfast_put64(w, i->dst, w->cu->clock(w->cu));
	return ISA_STOP_NONE;
}

/* The CPU's caches are the GPU's: a write-back only orders accesses. */
static enum isa_stop cache_op(struct isa_wave *w, const struct isa_insn *i)
{
	(void)w;
	(void)i;
	smp_mb();	/* there are no caches: order is all that is left of it */
	return ISA_STOP_NONE;
}

/* Discards and address probes have no effect: nothing is cached or translated ahead. */
static enum isa_stop hint(struct isa_wave *w, const struct isa_insn *i)
{
	(void)w;
	(void)i;
	return ISA_STOP_NONE;
}

/**
 * struct smem_row - one operation
 * @fn: handler
 * @base: dwords of SBASE (2 address, 4 V#; 0: no memory operand)
 * @load: dwords written to SGPRs
 * @store: dwords read from SGPRs; of an atomic: of its operand
 * @aop: enum mem_aop of an atomic; bytes of a load of less than a dword, SUB_SIGNED
 */
struct smem_row {
	isa_exec_fn fn;
	u8 base, load, store, aop;
};

#define ATOMIC(n, a)								\
	[ISA_OP_S_ATOMIC_##n] = { atomic, 2, 0, 1, a },				\
	[ISA_OP_S_ATOMIC_##n##_X2] = { atomic, 2, 0, 2, a },			\
	[ISA_OP_S_BUFFER_ATOMIC_##n] = { buffer_atomic, 4, 0, 1, a },		\
	[ISA_OP_S_BUFFER_ATOMIC_##n##_X2] = { buffer_atomic, 4, 0, 2, a }

static const struct smem_row rows[ISA_OP_COUNT] = {
	[ISA_OP_S_LOAD_DWORD] = { load_x1, 2, 1, 0 },
	[ISA_OP_S_LOAD_DWORDX2] = { load_x2, 2, 2, 0 },
	[ISA_OP_S_LOAD_DWORDX4] = { load_x4, 2, 4, 0 },
	[ISA_OP_S_LOAD_DWORDX8] = { load_x8, 2, 8, 0 },
	[ISA_OP_S_LOAD_DWORDX16] = { load_x16, 2, 16, 0 },
	[ISA_OP_S_BUFFER_LOAD_DWORD] = { buffer_load, 4, 1, 0 },
	[ISA_OP_S_BUFFER_LOAD_DWORDX2] = { buffer_load, 4, 2, 0 },
	[ISA_OP_S_BUFFER_LOAD_DWORDX4] = { buffer_load, 4, 4, 0 },
	[ISA_OP_S_BUFFER_LOAD_DWORDX8] = { buffer_load, 4, 8, 0 },
	[ISA_OP_S_BUFFER_LOAD_DWORDX16] = { buffer_load, 4, 16, 0 },
	[ISA_OP_S_STORE_DWORD] = { store, 2, 0, 1 },
	[ISA_OP_S_STORE_DWORDX2] = { store, 2, 0, 2 },
	[ISA_OP_S_STORE_DWORDX4] = { store, 2, 0, 4 },
	[ISA_OP_S_BUFFER_STORE_DWORD] = { buffer_store, 4, 0, 1 },
	[ISA_OP_S_BUFFER_STORE_DWORDX2] = { buffer_store, 4, 0, 2 },
	[ISA_OP_S_BUFFER_STORE_DWORDX4] = { buffer_store, 4, 0, 4 },
	[ISA_OP_S_SCRATCH_LOAD_DWORD] = { scratch_load, 2, 1, 0 },
	[ISA_OP_S_SCRATCH_LOAD_DWORDX2] = { scratch_load, 2, 2, 0 },
	[ISA_OP_S_SCRATCH_LOAD_DWORDX4] = { scratch_load, 2, 4, 0 },
	[ISA_OP_S_SCRATCH_STORE_DWORD] = { scratch_store, 2, 0, 1 },
	[ISA_OP_S_SCRATCH_STORE_DWORDX2] = { scratch_store, 2, 0, 2 },
	[ISA_OP_S_SCRATCH_STORE_DWORDX4] = { scratch_store, 2, 0, 4 },
	ISA_INT_ATOMICS(ATOMIC),
	[ISA_OP_S_MEMTIME] = { s_memtime, 0, 2, 0 },
	[ISA_OP_S_MEMREALTIME] = { s_memrealtime, 0, 2, 0 },
	[ISA_OP_S_DCACHE_INV] = { cache_op, 0, 0, 0 },
	[ISA_OP_S_DCACHE_INV_VOL] = { cache_op, 0, 0, 0 },
	[ISA_OP_S_DCACHE_WB] = { cache_op, 0, 0, 0 },
	[ISA_OP_S_DCACHE_WB_VOL] = { cache_op, 0, 0, 0 },
#ifdef ISA_HAVE_RDNA
	[ISA_OP_S_GL1_INV] = { cache_op, 0, 0, 0 },
	[ISA_OP_S_LOAD_B96] = { load_x3, 2, 3, 0 },
	[ISA_OP_S_LOAD_I8] = { load_sub, 2, 1, 0, 1 | SUB_SIGNED },
	[ISA_OP_S_LOAD_U8] = { load_sub, 2, 1, 0, 1 },
	[ISA_OP_S_LOAD_I16] = { load_sub, 2, 1, 0, 2 | SUB_SIGNED },
	[ISA_OP_S_LOAD_U16] = { load_sub, 2, 1, 0, 2 },
	[ISA_OP_S_BUFFER_LOAD_B96] = { buffer_load, 4, 3, 0 },
	[ISA_OP_S_BUFFER_LOAD_I8] = { buffer_load_sub, 4, 1, 0, 1 | SUB_SIGNED },
	[ISA_OP_S_BUFFER_LOAD_U8] = { buffer_load_sub, 4, 1, 0, 1 },
	[ISA_OP_S_BUFFER_LOAD_I16] = { buffer_load_sub, 4, 1, 0, 2 | SUB_SIGNED },
	[ISA_OP_S_BUFFER_LOAD_U16] = { buffer_load_sub, 4, 1, 0, 2 },
	[ISA_OP_S_PREFETCH_INST] = { hint, 2, 0, 0 },
	[ISA_OP_S_PREFETCH_INST_PC_REL] = { hint, 0, 0, 0 },
	[ISA_OP_S_PREFETCH_DATA] = { hint, 2, 0, 0 },
	[ISA_OP_S_PREFETCH_DATA_PC_REL] = { hint, 0, 0, 0 },
	[ISA_OP_S_BUFFER_PREFETCH_DATA] = { hint, 4, 0, 0 },
#endif
	[ISA_OP_S_DCACHE_DISCARD] = { hint, 2, 0, 0 },
	[ISA_OP_S_DCACHE_DISCARD_X2] = { hint, 2, 0, 0 },
	[ISA_OP_S_ATC_PROBE] = { hint, 2, 0, 0 },
	[ISA_OP_S_ATC_PROBE_BUFFER] = { hint, 4, 0, 0 },
};

bool isa_smem_bind(const struct isa_target *t, struct isa_insn *i)
{
	const struct smem_row *r;
	isa_exec_fn fn;

	(void)t;
	if (i->op >= ISA_OP_COUNT)
		return false;
	r = &rows[array_index_nospec(i->op, ISA_OP_COUNT)];
	if (!r->fn)
		return false;
	/* Data must stay clear of M0 and EXEC, which have side effects. */
	if (i->dst == ISA_SRC_NULL) {
		if (!r->load || r->base != 2 || r->fn == scratch_load)
			return false;
	} else if (r->load && i->dst + r->load > ISA_SRC_M0) {
		return false;
	}
	if ((r->store && i->src[2] == ISA_SRC_NULL) || (r->base && i->src[0] == ISA_SRC_NULL))
		return false;
	if (r->store && i->src[2] + r->store > 128)
		return false;
	if (r->base && i->src[0] + r->base > 128)
		return false;
	if ((i->mods & ISA_MOD_SOE) && i->src[1] >= 256)
		return false;
	if (r->store && r->aop == AOP_CMPSWAP && i->src[2] + 2 * r->store > 128)
		return false;
	isa_slot_of(i)->aux = r->load + r->store + ((u32)r->aop << AUX_AOP_SHIFT);
	fn = i->dst == ISA_SRC_NULL && r->fn != load_sub ? load_null : r->fn;
	isa_bind_to(i, fn, fn);
	return true;
}
