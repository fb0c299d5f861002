// SPDX-License-Identifier: GPL-2.0-only
/*
 * LDS instructions, one lane at a time: reads, writes, integer atomics. The
 * waves of a work-group take turns on one worker, so plain accesses will do.
 * An element that is not wholly inside the allocation reads 0 and is not
 * written; addresses wrap at 32 bits; nothing needs alignment.
 */
#include "mem_alu.h"

#define LANES(l, m)	\
	for (u64 m_ = (m); m_ && (l = __builtin_ctzll(m_), 1); m_ &= m_ - 1)

#define DS_COST		8	/* see ISA_COST_TURN */

static u8 *lds_at(struct isa_wave *w, u32 addr, u32 bytes)
{
	return isa_within(w->wg->lds + addr, addr + (u64)bytes, w->wg->lds_bytes);
}

static void lds_get(struct isa_wave *w, u32 addr, u32 *buf, u32 bytes)
{
	const u8 *p = lds_at(w, addr, bytes);
	u32 d;

	if (!p) {
		memset(buf, 0, 16);
	} else if (bytes == 1) {
		buf[0] = *p;
	} else if (bytes == 2) {
		buf[0] = p[0] | p[1] << 8;
	} else {
		for (d = 0; d < bytes / 4; d++)
			memcpy(buf + d, p + 4 * d, 4);
	}
}

static void lds_put(struct isa_wave *w, u32 addr, const u32 *buf, u32 bytes)
{
	u8 *p = lds_at(w, addr, bytes);

	if (p)
		memcpy(p, buf, bytes);
}

static void reg_get(const u32 *row, unsigned int lane, u32 *buf, u32 dwords)
{
	u32 d;

	for (d = 0; d < dwords; d++)
		buf[d] = row[d * ISA_LANES + lane];
}

static void reg_put(u32 *row, unsigned int lane, const u32 *buf, u32 dwords)
{
	u32 d;

	for (d = 0; d < dwords; d++)
		row[d * ISA_LANES + lane] = buf[d];
}

/*
 * Byte offsets of the (at most two) elements: a 16-bit offset, or two 8-bit
 * ones in units of the element, or of 64 elements.
 */
static u32 ds_offset(const struct isa_insn *i, const struct isa_mem_op *op,
		     unsigned int n)
{
	u32 units = op->bytes, two;

	switch (op->kind) {
	case DS_READ2ST64:
	case DS_WRITE2ST64:
	case DS_XCHG2ST64:
		units *= 64;
		fallthrough;
	case DS_READ2:
	case DS_WRITE2:
	case DS_XCHG2:
		two = n ? i->offset >> 8 & 0xff : i->offset & 0xff;
		return two * units;
	default:
		return i->offset & 0xffff;
	}
}

/* Base address of a lane: a register, or M0 and the lane's number. */
static u32 ds_base(struct isa_wave *w, const u32 *addr, unsigned int lane)
{
	return addr ? addr[lane] : (w->s[ISA_SRC_M0] & 0xffff) + lane * 4;
}

static bool is_two(u32 kind)
{
	return kind == DS_READ2 || kind == DS_READ2ST64 || kind == DS_WRITE2 ||
	       kind == DS_WRITE2ST64 || kind == DS_XCHG2 || kind == DS_XCHG2ST64;
}

static enum isa_stop ds_read(struct isa_wave *w, const struct isa_insn *i)
{
	const struct isa_mem_op op = mem_op(i);
	const u32 n = (op.bytes + 3) / 4, count = is_two(op.kind) ? 2 : 1;
	const bool tid = op.kind == DS_READ_TID;
	const u32 *addr = tid ? NULL : mem_rows(w, i->src[0], 1);
	u32 *dst = mem_rows(w, i->dst, n * count);
	u32 buf[8];
	unsigned int lane, k;

	if (!dst || (!addr && !tid))
		return isa_exec_illegal(w, i);
	LANES(lane, isa_exec(w)) {
		u32 base = ds_base(w, addr, lane);

		for (k = 0; k < count; k++)
			lds_get(w, base + ds_offset(i, &op, k), buf + k * n, op.bytes);
		if (op.bytes < 4)
			dst[lane] = mem_extend(op.flags, op.bytes, buf[0], dst[lane]);
		else
			reg_put(dst, lane, buf, n * count);
	}
	return isa_charge(w, DS_COST);
}

/*
 * Sixteen lanes read a matrix of 16 columns by rows, and each lane gets a column. A lane
 * reads as many elements as there are rows. Lanes that are off give zeros. Sources: LLVM's
 * and Modular's users of DS_READ_B64_TR_B16 (4 rows of 16); other sizes are assumed to be alike.
 */
static enum isa_stop ds_read_tr(struct isa_wave *w, const struct isa_insn *i)
{
	const struct isa_mem_op op = mem_op(i);
	const u32 bits = op.aop, count = op.bytes * 8 / bits, n = op.bytes / 4;
	const u32 *addr = mem_rows(w, i->src[0], 1);
	u32 *dst = mem_rows(w, i->dst, n), *in = w->tmp[0];
	unsigned int lane, e, b;

	if (!dst || !addr)
		return isa_exec_illegal(w, i);
	memset(in, 0, ISA_LANES * 4 * sizeof(*in));
	LANES(lane, isa_exec(w))
		lds_get(w, addr[lane] + ds_offset(i, &op, 0), in + lane * 4, op.bytes);
	LANES(lane, isa_exec(w)) {
		u32 out[4] = { 0 };

		for (e = 0; e < count; e++) {
			u32 at = e * 16 + lane % 16;	/* in the matrix, row by row */
			const u32 *from = in + ((lane & ~15u) + at / count) * 4;

			for (b = 0; b < bits; b++) {
				u32 s = at % count * bits + b, d = e * bits + b;

				out[d / 32] |= (from[s / 32] >> s % 32 & 1) << d % 32;
			}
		}
		reg_put(dst, lane, out, n);
	}
	return isa_charge(w, 4 * DS_COST);
}

static enum isa_stop ds_write(struct isa_wave *w, const struct isa_insn *i)
{
	const struct isa_mem_op op = mem_op(i);
	const u32 n = (op.bytes + 3) / 4;
	const bool two = is_two(op.kind), tid = op.kind == DS_WRITE_TID;
	const u32 *addr = tid ? NULL : mem_rows(w, i->src[0], 1);
	const u32 *d[2] = { mem_rows(w, i->src[1], n),
			    two ? mem_rows(w, i->src[2], n) : NULL };
	u32 buf[4];
	unsigned int lane, k;

	if (!d[0] || (!addr && !tid) || (two && !d[1]))
		return isa_exec_illegal(w, i);
	/* The first elements of all lanes come before the second ones. */
	for (k = 0; k < 1u + two; k++)
		LANES(lane, isa_exec(w)) {
			reg_get(d[k], lane, buf, n);
			if (op.flags & MEM_F_HI)
				buf[0] >>= 16;
			lds_put(w, ds_base(w, addr, lane) + ds_offset(i, &op, k),
				buf, op.bytes);
		}
	return isa_charge(w, DS_COST);
}

/*
 * The lanes' read-modify-writes, in order. DS compares with the first data
 * operand (@x) and stores the second; isa_mem_alu() takes them in the other order.
 */
static __always_inline void atomics32(struct isa_wave *w, const u32 *addr, u32 off, u32 aop,
				      const u32 *x, const u32 *y, u32 *dst)
{
	const bool cmp = aop == AOP_CMPSWAP;
	const u64 size = w->wg->lds_bytes;
	u8 *lds = w->wg->lds;
	unsigned int lane;

	LANES(lane, isa_exec(w)) {
		u32 at = addr[lane] + off, a = x[lane], b = y[lane], old = 0, new;
		u8 *p = isa_within(lds + at, at + 4ull, size);

		if (likely(p)) {
			memcpy(&old, p, 4);
			new = cmp ? mem_alu32(aop, old, b, a) : mem_alu32(aop, old, a, b);
			memcpy(p, &new, 4);
		}
		if (dst)
			dst[lane] = old;
	}
}

static void atomics64(struct isa_wave *w, const u32 *addr, u32 off, u32 aop,
		      const u32 *x, const u32 *y, u32 *dst)
{
	const bool cmp = aop == AOP_CMPSWAP;
	const u64 size = w->wg->lds_bytes;
	u8 *lds = w->wg->lds;
	unsigned int lane;

	LANES(lane, isa_exec(w)) {
		u64 a = x[lane] | (u64)x[ISA_LANES + lane] << 32;
		u64 b = y[lane] | (u64)y[ISA_LANES + lane] << 32, old = 0, new;
		u32 at = addr[lane] + off;
		u8 *p = isa_within(lds + at, at + 8ull, size);

		if (likely(p)) {
			memcpy(&old, p, 8);
			new = cmp ? mem_alu64(aop, old, b, a) : mem_alu64(aop, old, a, b);
			memcpy(p, &new, 8);
		}
		if (!dst)
			continue;
		dst[lane] = (u32)old;
		dst[ISA_LANES + lane] = (u32)(old >> 32);
	}
}

static enum isa_stop ds_atomic(struct isa_wave *w, const struct isa_insn *i)
{
	const struct isa_mem_op op = mem_op(i);
	const bool rtn = op.flags & MEM_F_RTN;
	const bool two = op.aop == AOP_CMPSWAP || op.aop == AOP_MSKOR ||
			 op.aop == AOP_WRAP;
	const u32 n = op.bytes / 4, off = i->offset & 0xffff;
	const u32 *addr = mem_rows(w, i->src[0], 1);
	const u32 *x = mem_rows(w, i->src[1], n);
	const u32 *y = two ? mem_rows(w, i->src[2], n) : x, *first = x;
	u32 *dst = rtn ? mem_rows(w, i->dst, n) : NULL;

	if (!addr || !x || !y || (rtn && !dst))
		return isa_exec_illegal(w, i);
	if (op.flags & MEM_F_NEW_FIRST) {
		x = y;
		y = first;
	}
	if (n == 2)
		atomics64(w, addr, off, op.aop, x, y, dst);
	else if (op.aop == AOP_ADD)	/* by far the most common */
		atomics32(w, addr, off, AOP_ADD, x, y, dst);
	else
		atomics32(w, addr, off, op.aop, x, y, dst);
	return isa_charge(w, DS_COST);
}

static enum isa_stop ds_xchg2(struct isa_wave *w, const struct isa_insn *i)
{
	const struct isa_mem_op op = mem_op(i);
	const u32 n = op.bytes / 4;
	const u32 *addr = mem_rows(w, i->src[0], 1);
	const u32 *d[2] = { mem_rows(w, i->src[1], n), mem_rows(w, i->src[2], n) };
	u32 *dst = mem_rows(w, i->dst, 2 * n);
	u32 old[8], new[2][4];
	unsigned int lane, k;

	if (!addr || !d[0] || !d[1] || !dst)
		return isa_exec_illegal(w, i);
	LANES(lane, isa_exec(w)) {
		u32 base = addr[lane];

		for (k = 0; k < 2; k++)
			reg_get(d[k], lane, new[k], n);
		for (k = 0; k < 2; k++) {
			u32 at = base + ds_offset(i, &op, k);

			lds_get(w, at, old + k * n, op.bytes);
			lds_put(w, at, new[k], op.bytes);
		}
		reg_put(dst, lane, old, 2 * n);
	}
	return isa_charge(w, MEM_LANES_COST);
}

/* Two dwords, each replaced by its low 31 bits of data where data bit 31 is set. */
static enum isa_stop ds_condxchg(struct isa_wave *w, const struct isa_insn *i)
{
	const u32 *addr = mem_rows(w, i->src[0], 1), *d0 = mem_rows(w, i->src[1], 2);
	u32 *dst = mem_rows(w, i->dst, 2);
	u32 old[4], new[2];
	unsigned int lane, k;

	if (!addr || !d0 || !dst)
		return isa_exec_illegal(w, i);
	LANES(lane, isa_exec(w)) {
		u32 at = (addr[lane] + (i->offset & 0xffff)) & ~7u;

		lds_get(w, at, old, 8);
		for (k = 0; k < 2; k++) {
			u32 data = d0[k * ISA_LANES + lane];

			new[k] = data >> 31 ? data & 0x7fffffff : old[k];
		}
		lds_put(w, at, new, 8);
		reg_put(dst, lane, old, 2);
	}
	return isa_charge(w, MEM_LANES_COST);
}

/* Adds or subtracts the number of active lanes; all get the old value. */
static enum isa_stop ds_count(struct isa_wave *w, const struct isa_insn *i)
{
	const struct isa_mem_op op = mem_op(i);
	const u64 exec = isa_exec(w);
	u32 at = (w->s[ISA_SRC_M0] & 0xffff) + (i->offset & 0xffff);
	u32 *dst = mem_rows(w, i->dst, 1);
	u32 n = mem_popcount(exec), old[4], new;
	unsigned int lane;

	if (!dst)
		return isa_exec_illegal(w, i);
	lds_get(w, at, old, 4);
	new = op.kind == DS_APPEND ? old[0] + n : old[0] - n;
	lds_put(w, at, &new, 4);
	LANES(lane, exec)
		dst[lane] = old[0];
	return ISA_STOP_NONE;
}

/* Source lane of lane @l. Source: Vega ISA, DS_SWIZZLE_B32. */
static unsigned int swizzle_lane(u32 mode, unsigned int l)
{
	u32 and = mode & 0x1f, or = mode >> 5 & 0x1f, xor = mode >> 10 & 0x1f;
	u32 j, rev = 0, b;

	if (mode >= 0xe000) {			/* FFT */
		for (b = 0; b < 5; b++)
			rev |= (l >> b & 1) << (4 - b);
		j = rev >> mem_popcount(and) | (l & and);
	} else if (mode >= 0xc000) {		/* rotate by @or, against @and */
		j = (l & and) | ((mode & 0x400 ? l - or : l + or) & ~and);
	} else if (mode & 0x8000) {		/* quad permute */
		j = (l & ~3u) | (mode >> 2 * (l & 3) & 3);
	} else {
		j = ((l & and) | or) ^ xor;
	}
	return (j & 0x1f) | (l & 0x20);
}

static enum isa_stop ds_swizzle(struct isa_wave *w, const struct isa_insn *i)
{
	const u32 *src = mem_rows(w, i->src[0], 1);
	const u64 exec = isa_exec(w);
	u32 *dst = mem_rows(w, i->dst, 1), *tmp = w->tmp[0];
	unsigned int lane;

	if (!src || !dst)
		return isa_exec_illegal(w, i);
	memcpy(tmp, src, sizeof(w->tmp[0]));
	LANES(lane, exec) {
		unsigned int from = swizzle_lane(i->offset & 0xffff, lane);

		dst[lane] = exec >> from & 1 ? tmp[from] : 0;
	}
	return isa_charge(w, DS_COST);
}

/*
 * Lane exchange by byte address: permute sends, bpermute fetches, bpermute_fi (gfx12) from lanes
 * that are off, too: "fetch invalid", as DPP's bit of that name. No text of AMD's was at hand.
 */
static enum isa_stop ds_permute(struct isa_wave *w, const struct isa_insn *i)
{
	const u8 kind = mem_op(i).kind;
	const bool halves = isa_slot_of(i)->aux & MEM_AUX_HALVES;
	const u32 *addr = mem_rows(w, i->src[0], 1), *src = mem_rows(w, i->src[1], 1);
	const u64 exec = isa_exec(w);
	u32 *dst = mem_rows(w, i->dst, 1), *tmp = w->tmp[0];
	unsigned int lane;

	if (!addr || !src || !dst)
		return isa_exec_illegal(w, i);
	memset(tmp, 0, sizeof(w->tmp[0]));
	LANES(lane, exec) {
		u32 other = (addr[lane] + i->offset) / 4 & (w->lanes - 1);

		if (halves)
			other = (other & 31) | (lane & 32);

		if (kind == DS_PERMUTE)
			tmp[other] = src[lane];
		else if (kind == DS_BPERMUTE_FI || exec >> other & 1)
			tmp[lane] = src[other];
	}
	LANES(lane, exec)
		dst[lane] = tmp[lane];
	return isa_charge(w, DS_COST);
}

/*
 * DS[A] op= DS[B]: B is A plus a number of dwords, from the offset fields or
 * from the upper half of the address register. Source: GCN3 ISA, DS_ADD_SRC2_U32.
 */
void isa_ds_src2(const struct isa_insn *i, u32 addr, u32 *a, u32 *b)
{
	u32 off = (u32)i->offset & 0x7fff;

	if (i->offset & 0x8000) {
		*a = addr & 0xffff;
		*b = *a + 4 * (u32)((s32)addr >> 17);
	} else {
		*a = addr;
		*b = addr + 4 * (u32)((s32)(off << 17) >> 17);
	}
}

static enum isa_stop ds_src2(struct isa_wave *w, const struct isa_insn *i)
{
	const struct isa_mem_op op = mem_op(i);
	const u32 *addr = mem_rows(w, i->src[0], 1);
	unsigned int lane;

	if (!addr)
		return isa_exec_illegal(w, i);
	LANES(lane, isa_exec(w)) {
		u32 a, b, x[4] = { 0 }, y[4] = { 0 };
		u64 r;

		isa_ds_src2(i, addr[lane], &a, &b);
		lds_get(w, a, x, op.bytes);
		lds_get(w, b, y, op.bytes);
		r = isa_mem_alu(op.aop, op.bytes, x[0] | (u64)x[1] << 32,
				y[0] | (u64)y[1] << 32, 0);
		x[0] = (u32)r;
		x[1] = (u32)(r >> 32);
		lds_put(w, a, x, op.bytes);
	}
	return isa_charge(w, MEM_LANES_COST);
}

/*
 * Global wave sync is shared by the waves of a process, so the runner does it.
 * The resource number is M0[21:16] plus the offset; the operand is that of the
 * first lane. Source: LLVM, AMDGPU, "legalize GWS"; CDNA ISA, DS_GWS_*.
 */
static enum isa_stop ds_gws(struct isa_wave *w, const struct isa_insn *i)
{
	const struct isa_mem_op op = mem_op(i);
	const u64 exec = isa_exec(w);
	const u32 *src = NULL;

	if (i->src[0] != ISA_SRC_NONE) {
		src = mem_rows(w, i->src[0], 1);
		if (!src)
			return isa_exec_illegal(w, i);
		if (!exec)
			return ISA_STOP_NONE;
	}
	w->ex->info = op.aop |
		      (((w->s[ISA_SRC_M0] >> 16) + (u32)i->offset) % ISA_GWS_RESOURCES) << 8;
	w->ex->va = src ? src[__builtin_ctzll(exec)] : 0;
	return ISA_STOP_GWS;
}

isa_exec_fn isa_ds_handler(u32 kind)
{
	static const isa_exec_fn handlers[MEM_KIND_COUNT] = {
		[DS_READ] = ds_read,
		[DS_READ2] = ds_read,
		[DS_READ2ST64] = ds_read,
		[DS_READ_TID] = ds_read,
		[DS_READ_TR] = ds_read_tr,
		[DS_WRITE] = ds_write,
		[DS_WRITE2] = ds_write,
		[DS_WRITE2ST64] = ds_write,
		[DS_WRITE_TID] = ds_write,
		[DS_ATOMIC] = ds_atomic,
		[DS_XCHG2] = ds_xchg2,
		[DS_XCHG2ST64] = ds_xchg2,
		[DS_CONDXCHG] = ds_condxchg,
		[DS_SWIZZLE] = ds_swizzle,
		[DS_PERMUTE] = ds_permute,
		[DS_BPERMUTE] = ds_permute,
		[DS_BPERMUTE_FI] = ds_permute,
		[DS_APPEND] = ds_count,
		[DS_CONSUME] = ds_count,
		[DS_SRC2] = ds_src2,
		[DS_GWS] = ds_gws,
		[MEM_NOP] = isa_mem_exec_nop,
		[MEM_FENCE] = isa_mem_exec_fence,
	};

	return kind < MEM_KIND_COUNT ? handlers[kind] : NULL;
}
