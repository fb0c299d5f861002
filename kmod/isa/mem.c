// SPDX-License-Identifier: GPL-2.0-only
/*
 * Vector memory, the general way: any encoding, any mix of lanes, one lane at
 * a time. The SIMD builds take the regular cases and fall back to this.
 *
 * Swizzled memory (scratch, and buffers whose V# says so) interleaves the
 * lanes: dword d of lane l is at base + d * index_stride * 4 + l * 4. An
 * element larger than a dword is therefore in pieces; so is a linear element
 * that crosses into a page that is elsewhere in host memory. Source of the
 * buffer formulas and range checks: CDNA ISA, "Buffer Addressing".
 */
#include "mem.h"
#include "tables.h"

#define TR_LANES	32u	/* whose addresses transposing loads take */

#define LANES(l, m)	\
	for (u64 m_ = (m); m_ && (l = __builtin_ctzll(m_), 1); m_ &= m_ - 1)

void isa_mem_vsharp(const struct isa_wave *w, const struct isa_insn *i,
		    struct mem_vsharp *v)
{
	const u32 *s = &w->s[i->src[1] & 0x7c];

	v->base = s[0] | (u64)(s[1] & 0xffff) << 32;
	v->stride = s[1] >> 16 & 0x3fff;
	v->swizzle = s[1] >> 31;
	v->records = s[2];
	v->index_stride = 8u << (s[3] >> 21 & 3);
	v->add_tid = s[3] >> 23 & 1;
	/* DATA_FORMAT holds more stride bits then, if it is no format. */
	if (v->add_tid && mem_op(i).kind != MEM_LOAD_FMT && mem_op(i).kind != MEM_STORE_FMT)
		v->stride |= (s[3] >> 15 & 0xf) << 14;
}

/*
 * What a V# says otherwise from gfx10 on: no stride bits elsewhere; gfx11 has sizes of the
 * elements that are swizzled. False: not executed.
 */
static bool vsharp_rdna(const struct isa_wave *w, const struct isa_insn *i, struct mem_vsharp *v,
			enum mem_oob *oob)
{
	const u32 *s = &w->s[i->src[1] & 0x7c];

	*oob = MEM_OOB_STRUCTURED_OFFSET + (s[3] >> 28 & 3);
	v->stride = s[1] >> 16 & 0x3fff;
	/* Sources do not agree on what gfx10 compares with a swizzled raw buffer's size. */
	if (!isa_target_has(w->cu->target, ISA_FEAT_GFX11_TEXT))
		return (s[3] >> 28 & 3) != 3 || !v->swizzle;
	v->swizzle = s[1] >> 30;
	return s[1] >> 30 <= 1;
}

/* Bytes of a raw buffer access at @at that are in range, whole dwords. */
static u32 raw_valid(u64 at, u32 bytes, u64 limit)
{
	if (at + bytes <= limit)
		return bytes;
	if (bytes < 4 || at + 4 > limit)
		return 0;
	return (u32)(limit - at) & ~3u;
}

/*
 * Bytes in range of a V# of gfx10 on; @whole: all or nothing. Source: RDNA3 ISA, "Range checking":
 * swizzled memory with a stride is an array, even if the V# says that it is raw; the scalar offset
 * takes from a raw buffer's size; of components, only those out of range are zero. On gfx10 the
 * offset of an array's element counts, not its end (Mesa, sid.h of OOB_SELECT).
 */
static u32 oob_valid(const struct mem_vsharp *v, enum mem_oob oob, bool gfx11, u32 index, u32 off,
		     u32 soff, u32 bytes, bool whole)
{
	u64 limit = v->stride, left;

	if (oob == MEM_OOB_EMPTY)
		return v->records ? bytes : 0;
	if (oob == MEM_OOB_RAW && !(v->swizzle && v->stride))
		limit = v->records > soff ? v->records - soff : 0;
	else if (index >= v->records)
		return 0;
	if (oob == MEM_OOB_STRUCTURED)
		return bytes;
	if (!gfx11 && oob == MEM_OOB_STRUCTURED_OFFSET) {
		if (off >= limit)
			return 0;
		left = whole ? bytes : (limit - off + 3) & ~3ull;
		return left < bytes ? (u32)left : bytes;
	}
	if (whole)
		return (u64)off + bytes <= limit ? bytes : 0;
	return raw_valid(off, bytes, limit);
}

static enum isa_stop addr_buffer(struct isa_wave *w, const struct isa_insn *i,
				 u32 bytes, struct mem_req *r)
{
	const bool offen = i->mods & ISA_MOD_OFFEN, idxen = i->mods & ISA_MOD_IDXEN;
	const u32 soff = w->s[i->src[2] & 255], kind = mem_op(i).kind;
	/* Loads and stores are checked by the dword, the rest all or nothing. */
	const bool whole = kind != MEM_LOAD && kind != MEM_STORE;
	u64 limit;
	const u32 *va = NULL, *voff = NULL;
	const bool gfx11 = isa_target_has(w->cu->target, ISA_FEAT_GFX11_TEXT);
	enum mem_oob oob = MEM_OOB_GFX9;
	struct mem_vsharp v;
	unsigned int lane;

	isa_mem_vsharp(w, i, &v);
	if (isa_slot_of(i)->aux & MEM_AUX_RDNA && !vsharp_rdna(w, i, &v, &oob))
		return isa_exec_illegal(w, i);
	limit = v.records > soff ? v.records - soff : 0;
	if (offen || idxen) {
		va = mem_rows(w, i->src[0], 1 + (offen && idxen));
		if (!va)
			return isa_exec_illegal(w, i);
		voff = offen ? va + (idxen ? ISA_LANES : 0) : NULL;
	}
	LANES(lane, r->lanes) {
		u32 index = (idxen ? va[lane] : 0) + (v.add_tid ? lane : 0);
		u32 off = (voff ? voff[lane] : 0) + i->offset;
		u64 at = off;

		if (v.swizzle) {
			u32 msb = index / v.index_stride, lsb = index % v.index_stride;
			u64 col = (u64)msb * v.stride * v.index_stride + lsb * 4;

			at = col + (u64)(off / 4) * 4 * v.index_stride + off % 4;
			r->l->va[lane] = v.base + soff + col;
			r->l->off[lane] = off;
			r->swz |= 1ull << lane;
		} else {
			at += (u64)index * v.stride;
			r->l->va[lane] = v.base + soff + at;
		}
		/*
		 * Structured: the index is checked. Scratch: nothing is. Raw: the offset,
		 * and the scalar one takes from the size. (LLVM's intrinsics exclude that
		 * one, but rocBLAS's kernels for gfx90a rely on it where a matrix ends.)
		 */
		if (oob != MEM_OOB_GFX9)
			r->l->valid[lane] = oob_valid(&v, oob, gfx11, index, off, soff, bytes,
						      whole);
		else if (v.stride && idxen)
			r->l->valid[lane] = index < v.records ? bytes : 0;
		else if (v.add_tid && !idxen)
			r->l->valid[lane] = bytes;
		else if (v.swizzle)
			r->l->valid[lane] = (u64)off + bytes <= v.records ? bytes : 0;
		else if (whole)
			r->l->valid[lane] = (u64)off + bytes <= limit ? bytes : 0;
		else
			r->l->valid[lane] = raw_valid(off, bytes, limit);
	}
	r->step = v.index_stride * 4;
	return ISA_STOP_NONE;
}

static enum isa_stop addr_scratch(struct isa_wave *w, const struct isa_insn *i,
				  u32 bytes, struct mem_req *r)
{
	const u64 base = mem_scratch_base(w, i);
	const u32 *va = NULL;
	u32 off = i->offset;
	unsigned int lane;

	if (mem_has_saddr(i))
		off += w->s[i->src[1]];
	if (i->src[0] != ISA_SRC_NONE) {
		va = mem_rows(w, i->src[0], 1);
		if (!va)
			return isa_exec_illegal(w, i);
	}
	LANES(lane, r->lanes) {
		r->l->va[lane] = base + lane * 4;
		r->l->off[lane] = off + (va ? va[lane] : 0);
		r->l->valid[lane] = bytes;
	}
	r->swz = r->lanes;
	return ISA_STOP_NONE;
}

/* A FLAT address is in the LDS or scratch if its high dword is the aperture's. */
static void flat_route(struct isa_wave *w, const struct isa_insn *i,
		       unsigned int lane, u32 bytes, struct mem_req *r)
{
	u64 va = r->l->va[lane];

	if ((u32)(va >> 32) == w->shared_base) {
		r->lds |= 1ull << lane;
		r->l->va[lane] = (u32)va;
		if ((u32)va + (u64)bytes > w->wg->lds_bytes)
			r->l->valid[lane] = 0;
	} else if ((u32)(va >> 32) == w->private_base) {
		r->swz |= 1ull << lane;
		r->l->va[lane] = mem_scratch_base(w, i) + lane * 4;
		r->l->off[lane] = (u32)va;
	}
}

/* GLOBAL addresses memory alone: the LDS and scratch are not there for it. */
static bool in_aperture(const struct isa_wave *w, u64 va)
{
	u32 hi = (u32)(va >> 32);

	return hi && (hi == w->shared_base || hi == w->private_base);
}

static enum isa_stop addr_flat(struct isa_wave *w, const struct isa_insn *i,
			       u32 bytes, struct mem_req *r)
{
	const bool saddr = i->enc == ISA_ENC_GLOBAL && mem_has_saddr(i);
	const bool tid = mem_op(i).flags & MEM_F_TID;
	const u32 *va = tid ? NULL : mem_rows(w, i->src[0], saddr ? 1 : 2);
	u64 base = i->offset;
	unsigned int lane;

	if (!va && !tid)
		return isa_exec_illegal(w, i);
	if (saddr)
		base += mem_s64(w, i->src[1]);
	if (mem_op(i).flags & MEM_F_TRANSPOSE)
		r->lanes &= ~0ull >> (64 - TR_LANES);
	LANES(lane, r->lanes) {
		u64 hi = saddr || tid ? 0 : va[ISA_LANES + lane];

		r->l->va[lane] = base + ((tid ? 4 * lane : va[lane]) | hi << 32);
		r->l->valid[lane] = bytes;
		if (i->enc == ISA_ENC_FLAT)
			flat_route(w, i, lane, bytes, r);
		else if (in_aperture(w, r->l->va[lane]))
			return isa_memviol(w, r->l->va[lane], bytes,
					   mem_op(i).kind == MEM_STORE ? ISA_W : ISA_R);
	}
	return ISA_STOP_NONE;
}

/**
 * isa_mem_addr() - addresses of all active lanes
 * @w: wave
 * @i: FLAT, GLOBAL, SCRATCH or MUBUF instruction
 * @bytes: element size
 * @r: result; its lane state is in @w->tmp
 */
enum isa_stop isa_mem_addr(struct isa_wave *w, const struct isa_insn *i,
			   u32 bytes, struct mem_req *r)
{
	BUILD_BUG_ON(sizeof(struct mem_lanes) > sizeof(w->tmp));
	r->l = (struct mem_lanes *)w->tmp;
	r->lanes = isa_exec(w);
	/* Lanes that are done may have their result where the address was. */
	if (unlikely(w->redo) && w->redo_pc == isa_insn_pc(w, i))
		r->lanes &= w->redo;
	r->swz = 0;
	r->lds = 0;
	r->step = w->lanes * 4;	/* of private memory: a dword of each lane */
	switch (i->enc) {
	case ISA_ENC_SCRATCH:
		return addr_scratch(w, i, bytes, r);
	case ISA_ENC_MUBUF:
	case ISA_ENC_MTBUF:
		return addr_buffer(w, i, bytes, r);
	default:
		return addr_flat(w, i, bytes, r);
	}
}

/* The stretch of linear addresses that byte @at of an element starts. */
static u64 piece(const struct mem_req *r, unsigned int lane, u32 at, u32 *len)
{
	const struct mem_lanes *l = r->l;
	u32 off;

	if (!(r->swz >> lane & 1))
		return l->va[lane] + at;
	off = l->off[lane] + at;
	*len = *len < 4 - off % 4 ? *len : 4 - off % 4;
	return l->va[lane] + (u64)(off / 4) * r->step + off % 4;
}

/*
 * Walk the bytes of one lane's element piece by piece; @buf NULL only probes.
 * False with @va and @len of what is missing if a page is not resident.
 */
static bool walk(struct isa_wave *w, const struct mem_req *r, unsigned int lane,
		 u8 *buf, u32 access, u64 *va, u32 *len)
{
	u32 at = 0, bytes = r->l->valid[lane];

	while (at < bytes) {
		u32 n = bytes - at;
		u64 left;
		u8 *p;

		*va = piece(r, lane, at, &n);
		p = isa_translate(w->cu, *va, access, &left);
		n = left < n ? (u32)left : n;
		if (!p) {
			*len = n;
			return false;
		}
		if (buf && access == ISA_R)
			memcpy(buf + at, p, n);
		else if (buf)
			memcpy(p, buf + at, n);
		at += n;
	}
	return true;
}

/* One lane's host pointer; NULL if its bytes are apart or out of range. */
static enum isa_stop probe_lane(struct isa_wave *w, struct mem_req *r,
				unsigned int lane, u32 access)
{
	u32 bytes = r->l->valid[lane], n = bytes;
	u64 va, left;
	u8 *p;

	r->l->host[lane] = NULL;
	if (!bytes)
		return ISA_STOP_NONE;
	if (r->lds >> lane & 1) {
		r->l->host[lane] = isa_within(w->wg->lds + r->l->va[lane],
					      r->l->va[lane] + bytes, w->wg->lds_bytes);
		return ISA_STOP_NONE;
	}
	va = piece(r, lane, 0, &n);
	p = isa_translate(w->cu, va, access, &left);
	/*
	 * A miss, without a second look: if another worker brings the page in meanwhile, that would
	 * find it, and the element would pass for one whose bytes are apart, which no atomic is for.
	 */
	if (unlikely(!p))
		return isa_miss(w, va, left < n ? (u32)left : n, access);
	p = isa_within(p, n, left);
	if (likely(p && n == bytes)) {
		r->l->host[lane] = p;
		return ISA_STOP_NONE;
	}
	if (walk(w, r, lane, NULL, access, &va, &n))
		return ISA_STOP_NONE;
	return isa_miss(w, va, n, access);
}

/*
 * Whether an element is where it would be in memory that an array of its kind
 * starts in. The base of swizzled memory is the guest's, too: the address that
 * comes out in the end counts. Its pieces, of a dword, are a multiple of one apart.
 */
static bool is_aligned(const struct mem_req *r, unsigned int lane, u32 bytes)
{
	u32 n = bytes;

	if (!(r->swz >> lane & 1))
		return !(r->l->va[lane] & (bytes - 1));
	return !(r->l->off[lane] & (bytes - 1)) && !(piece(r, lane, 0, &n) & 3);
}

/**
 * isa_mem_probe() - translate every byte of every active lane
 * @w: wave
 * @r: addresses
 * @bytes: element size
 * @access: ISA_R, ISA_W or both
 * @aligned: misaligned elements are a memory violation (atomics)
 */
enum isa_stop isa_mem_probe(struct isa_wave *w, struct mem_req *r, u32 bytes,
			    u32 access, bool aligned)
{
	enum isa_stop stop;
	unsigned int lane;

	LANES(lane, r->lanes) {
		if (aligned && r->l->valid[lane] && !is_aligned(r, lane, bytes)) {
			u32 n = bytes;

			return isa_memviol(w, piece(r, lane, 0, &n), bytes, access);
		}
		stop = probe_lane(w, r, lane, access);
		if (stop)
			return stop;
	}
	return ISA_STOP_NONE;
}

/* Constant sizes, so that a dword or qword is one access. */
static __always_inline void copy_element(void *d, const void *s, u32 bytes)
{
	switch (bytes) {
	case 1:
		memcpy(d, s, 1);
		break;
	case 2:
		memcpy(d, s, 2);
		break;
	case 4:
		memcpy(d, s, 4);
		break;
	case 8:
		memcpy(d, s, 8);
		break;
	case 12:
		memcpy(d, s, 8);
		memcpy((u8 *)d + 8, (const u8 *)s + 8, 4);
		break;
	default:
		memcpy(d, s, 16);
		break;
	}
}

/* A probed lane's element; bytes out of range read 0. */
void isa_mem_get(struct isa_wave *w, struct mem_req *r, unsigned int lane,
		 void *buf, u32 bytes)
{
	u64 va;
	u32 len;

	if (likely(r->l->host[lane] && r->l->valid[lane] == bytes)) {
		copy_element(buf, r->l->host[lane], bytes);
		return;
	}
	memset(buf, 0, bytes);
	walk(w, r, lane, buf, ISA_R, &va, &len);
}

void isa_mem_put(struct isa_wave *w, struct mem_req *r, unsigned int lane,
		 const void *buf, u32 bytes)
{
	u64 va;
	u32 len;

	if (likely(r->l->host[lane] && r->l->valid[lane] == bytes))
		copy_element(r->l->host[lane], buf, bytes);
	else
		walk(w, r, lane, (u8 *)buf, ISA_W, &va, &len);
}

enum isa_stop isa_mem_exec_load(struct isa_wave *w, const struct isa_insn *i)
{
	const struct isa_mem_op op = mem_op(i);
	const u32 dwords = (op.bytes + 3) / 4;
	u32 *dst = mem_rows(w, i->dst, dwords);
	enum isa_stop stop;
	unsigned int lane;
	struct mem_req r;
	u32 buf[4], d;

	if (!dst)
		return isa_exec_illegal(w, i);
	stop = isa_mem_addr(w, i, op.bytes, &r);
	if (!stop)
		stop = isa_mem_probe(w, &r, op.bytes, ISA_R, false);
	if (stop)
		return stop;
	LANES(lane, r.lanes) {
		isa_mem_get(w, &r, lane, buf, op.bytes);
		if (op.bytes < 4) {
			dst[lane] = mem_extend(op.flags, op.bytes, buf[0], dst[lane]);
			continue;
		}
		for (d = 0; d < dwords; d++)
			dst[d * ISA_LANES + lane] = buf[d];
	}
	return isa_charge(w, MEM_LANES_COST);
}

enum isa_stop isa_mem_exec_store(struct isa_wave *w, const struct isa_insn *i)
{
	const struct isa_mem_op op = mem_op(i);
	const u32 dwords = (op.bytes + 3) / 4;
	const u32 *src = mem_rows(w, i->enc == ISA_ENC_MUBUF ? i->dst : i->src[2],
				  dwords);
	enum isa_stop stop;
	unsigned int lane;
	struct mem_req r;
	u32 buf[4], d;

	if (!src)
		return isa_exec_illegal(w, i);
	stop = isa_mem_addr(w, i, op.bytes, &r);
	if (!stop)
		stop = isa_mem_probe(w, &r, op.bytes, ISA_W, false);
	if (stop)
		return stop;
	LANES(lane, r.lanes) {
		for (d = 0; d < dwords; d++)
			buf[d] = src[d * ISA_LANES + lane];
		if (op.flags & MEM_F_HI)
			buf[0] >>= 16;
		isa_mem_put(w, &r, lane, buf, op.bytes);
	}
	return isa_charge(w, MEM_LANES_COST);
}

/* Of b128: lane n of each eight gets the n-th half of what each of them loads. */
static void transpose_halves(const u8 (*in)[16], unsigned int lane, u8 *out)
{
	u32 n;

	for (n = 0; n < 8; n++)
		memcpy(out + 2 * n, in[lane / 8 * 8 + n] + lane % 8 * 2, 2);
}

/* Of b64: a lane has a column of 16, and 8 of its 16 rows; four lanes load half of four rows. */
static void transpose_bytes(const u8 (*in)[16], unsigned int lane, u8 *out)
{
	u32 n;

	for (n = 0; n < 8; n++)
		out[n] = in[lane / 16 * 16 + n / 4 * 8 + lane / 8 % 2 * 4 + n % 4][lane % 8];
}

/*
 * gfx12. Programs for gfx1201 found that on hardware: of bytes, two that do not know each other
 * (trperm() of a llama.cpp fork's rdna4_fp8_gemm, and operands of an attention kernel). rocjitsu's
 * shared/ds_transpose.h has halves.
 *
 * RDNA4 ISA, 11.6.2: 64 lanes load what the addresses of the lower 32 say, into half as many
 * registers each. The result is a matrix as 7.12.2 has it, where what is in the upper half of the
 * registers of 32 lanes is in the upper 32 of 64 lanes. No lane is on: nothing happens; some lanes
 * are not: it is undefined, and refused.
 */
static enum isa_stop exec_load_tr(struct isa_wave *w, const struct isa_insn *i)
{
	const u32 bytes = mem_op(i).bytes;
	const u32 regs = bytes / 4 * TR_LANES / w->lanes;
	const u64 all = ~0ull >> (64 - w->lanes), exec = isa_exec(w);
	u32 *dst = mem_rows(w, i->dst, regs), out[4], n;
	u8 in[TR_LANES][16];
	enum isa_stop stop;
	unsigned int lane;
	struct mem_req r;

	if (!dst || (exec && exec != all))
		return isa_exec_illegal(w, i);
	if (!exec)
		return isa_charge(w, MEM_LANES_COST);
	stop = isa_mem_addr(w, i, bytes, &r);
	if (!stop)
		stop = isa_mem_probe(w, &r, bytes, ISA_R, false);
	if (stop)
		return stop;
	LANES(lane, r.lanes)
		isa_mem_get(w, &r, lane, in[lane % TR_LANES], bytes);
	for (lane = 0; lane < TR_LANES; lane++) {
		if (bytes == 8)
			transpose_bytes(in, lane, (u8 *)out);
		else
			transpose_halves(in, lane, (u8 *)out);
		for (n = 0; n < bytes / 4; n++)
			dst[n % regs * ISA_LANES + n / regs * TR_LANES + lane] = out[n];
	}
	return isa_charge(w, MEM_LANES_COST);
}

/* A load with TFE: the register behind the data says that no page was missing. */
static enum isa_stop exec_load_tfe(struct isa_wave *w, const struct isa_insn *i)
{
	const struct isa_mem_op op = mem_op(i);
	const bool fmt = op.kind == MEM_LOAD_FMT;
	u32 n = fmt ? op.bytes : (op.bytes + 3) / 4, *dst;
	enum isa_stop stop;
	unsigned int lane;

	if (fmt && op.flags & MEM_F_D16)
		n = (n + 1) / 2;
	dst = mem_rows(w, i->dst, n + 1);
	if (!dst)
		return isa_exec_illegal(w, i);
	stop = fmt ? isa_mem_exec_load_fmt(w, i) : isa_mem_exec_load(w, i);
	if (stop != ISA_STOP_NONE && stop != ISA_STOP_BUDGET)
		return stop;
	LANES(lane, isa_exec(w))
		dst[n * ISA_LANES + lane] = 0;
	return stop;
}

isa_exec_fn isa_mem_general(const struct isa_insn *i)
{
	const u32 kind = mem_op(i).kind;

	if (i->enc == ISA_ENC_MUBUF && i->mods & ISA_MOD_TFE)
		return kind == MEM_LOAD || kind == MEM_LOAD_FMT ? exec_load_tfe : NULL;
	switch (kind) {
	case MEM_LOAD:
		if (mem_op(i).flags & MEM_F_TRANSPOSE)
			return exec_load_tr;
		return i->mods & ISA_MOD_LDS ? isa_mem_exec_load_lds : NULL;
	case MEM_LOAD_LDS:
		return isa_mem_exec_load_lds;
	case MEM_STORE_LDS:
		return isa_mem_exec_store_lds;
	case MEM_LOAD_FMT:
		return isa_mem_exec_load_fmt;
	case MEM_STORE_FMT:
		return isa_mem_exec_store_fmt;
	default:
		return NULL;
	}
}

/* Cache write-back and invalidation: the CPU's caches are the GPU's caches. */
enum isa_stop isa_mem_exec_fence(struct isa_wave *w, const struct isa_insn *i)
{
	(void)i;
	smp_mb();	/* what other waves, CPUs and engines have written is seen from here on */
	return isa_charge(w, 1);
}

enum isa_stop isa_mem_exec_nop(struct isa_wave *w, const struct isa_insn *i)
{
	(void)w;
	(void)i;
	return ISA_STOP_NONE;
}
