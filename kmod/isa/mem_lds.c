// SPDX-License-Identifier: GPL-2.0-only
/*
 * Between memory and the LDS, past the registers: loads with the lds bit or of
 * the load_lds opcodes, and buffer_store_lds_dword. A lane's dword is at
 * M0[15:0] + instruction offset + lane * 4; a lane whose dword is outside the
 * LDS does nothing. Two things have no source and are assumed: three or four dwords of a
 * lane follow each other, and so do lanes; M0 has more bits where there is more LDS.
 * Source: CDNA ISA, "Memory Buffer Load to LDS", "Clamping Rules"; FLAT chapter,
 * "Instructions which return data to LDS".
 */
#include "mem.h"
#include "tables.h"

#define LANES(l, m)	\
	for (u64 m_ = (m); m_ && (l = __builtin_ctzll(m_), 1); m_ &= m_ - 1)

/* Place of a lane's @bytes, at least a dword; lanes follow each other. */
static u8 *lds_at(struct isa_wave *w, const struct isa_insn *i, unsigned int lane, u32 bytes)
{
	bool large = isa_target_has(w->cu->target, ISA_FEAT_LDS_WIDE);
	/* Below 0 is above any LDS. */
	u64 at = (w->s[ISA_SRC_M0] & (large ? 0x3fffc : 0xfffc)) + (u64)(s64)i->offset +
		 lane * bytes;

	return at > ISA_LDS_MAX ? NULL :
	       isa_within(w->wg->lds + at, at + bytes, w->wg->lds_bytes);
}

static u32 lds_size(const struct isa_mem_op *op)
{
	return op->bytes < 4 ? 4 : op->bytes;
}

/* Drops the lanes that have no place in the LDS. */
static void clamp_lanes(struct isa_wave *w, const struct isa_insn *i, struct mem_req *r,
			u32 bytes)
{
	unsigned int lane;

	LANES(lane, r->lanes)
		if (!lds_at(w, i, lane, bytes))
			r->lanes &= ~(1ull << lane);
}

void isa_mem_to_lds(struct isa_wave *w, const struct isa_insn *i, unsigned int lane,
		    const u32 *v, u32 bytes)
{
	u8 *p = lds_at(w, i, lane, bytes);

	if (p)
		memcpy(p, v, bytes);
}

enum isa_stop isa_mem_exec_load_lds(struct isa_wave *w, const struct isa_insn *i)
{
	const struct isa_mem_op op = mem_op(i);
	enum isa_stop stop;
	unsigned int lane;
	struct mem_req r;
	u32 buf[4];

	stop = isa_mem_addr(w, i, op.bytes, &r);
	if (stop)
		return stop;
	clamp_lanes(w, i, &r, lds_size(&op));
	stop = isa_mem_probe(w, &r, op.bytes, ISA_R, false);
	if (stop)
		return stop;
	LANES(lane, r.lanes) {
		isa_mem_get(w, &r, lane, buf, op.bytes);
		if (op.bytes < 4)
			buf[0] = mem_extend(op.flags, op.bytes, buf[0], 0);
		isa_mem_to_lds(w, i, lane, buf, lds_size(&op));
	}
	return isa_charge(w, MEM_LANES_COST);
}

enum isa_stop isa_mem_exec_store_lds(struct isa_wave *w, const struct isa_insn *i)
{
	enum isa_stop stop;
	unsigned int lane;
	struct mem_req r;
	u32 v;

	stop = isa_mem_addr(w, i, 4, &r);
	if (stop)
		return stop;
	clamp_lanes(w, i, &r, 4);
	stop = isa_mem_probe(w, &r, 4, ISA_W, false);
	if (stop)
		return stop;
	LANES(lane, r.lanes) {
		memcpy(&v, lds_at(w, i, lane, 4), 4);
		isa_mem_put(w, &r, lane, &v, 4);
	}
	return isa_charge(w, MEM_LANES_COST);
}
