// SPDX-License-Identifier: GPL-2.0-only
/*
 * Running a wave: decode slots on first use, bind them to handlers, and call
 * one handler after the other. The PC is not kept per instruction: it follows
 * from the slot, and is written down when the loop leaves the line.
 *
 * Waits and nops have no effect in an engine that executes in order; they are
 * folded into the instruction before them when that is decoded.
 */
#include "icache.h"
#include "image/fields.h"
#include "mem.h"
#include "tables.h"

enum isa_stop isa_exec_illegal(struct isa_wave *w, const struct isa_insn *i)
{
	u32 slot = (u32)(isa_slot_of(i) - w->slots);
	const struct isa_line *l = container_of_line(w->slots);

	/* VGPR indexing runs copies, which are in no line. */
	w->ex->info = slot < ARRAY_SIZE(l->raw) ? l->raw[slot] : 0;
	w->ex->name = i->op < ISA_OP_COUNT && i->size ? isa_op_names[i->op] : NULL;
	return ISA_STOP_ILLEGAL;
}

enum isa_stop isa_miss(struct isa_wave *w, u64 va, u32 len, u32 access)
{
	w->ex->va = va;
	w->ex->len = len;
	w->ex->access = access;
	return ISA_STOP_MISS;
}

enum isa_stop isa_memviol(struct isa_wave *w, u64 va, u32 len, u32 access)
{
	isa_miss(w, va, len, access);
	return ISA_STOP_MEMVIOL;
}

bool isa_bind(const struct isa_lane_ops *lane, const struct isa_target *t,
	      struct isa_slot *s)
{
	switch (s->in.enc) {
	case ISA_ENC_SOP1:
	case ISA_ENC_SOP2:
	case ISA_ENC_SOPK:
	case ISA_ENC_SOPC:
	case ISA_ENC_SOPP:
		return isa_salu_bind(t, &s->in);
	case ISA_ENC_SMEM:
		return isa_smem_bind(t, &s->in);
	case ISA_ENC_MIMG:
	case ISA_ENC_VIMAGE:
	case ISA_ENC_VSAMPLE:
		return isa_image_bind(t, s);
	case ISA_ENC_MUBUF:
	case ISA_ENC_MTBUF:
		/* gfx12's offset has a sign bit, which must be 0 (RDNA4 ISA, VBUFFER). */
		return s->in.offset >= 0 && lane->bind(t, s);
	default:
		return lane->bind(t, s);
	}
}

/*
 * Whether a vector operand lies in the wave's rows. Guest code names the
 * register, so this check is what keeps it inside the register file.
 */
static bool row_ok(const struct isa_wave *w, u16 code, u32 dwords)
{
	u32 n = dwords ? dwords : 1;

	if (code == ISA_SRC_NONE || code < ISA_SRC_VGPR0)
		return true;
	if (code >= ISA_SRC_ACC0)
		return w->acc_row + (code - ISA_SRC_ACC0) + n <= w->rows;
	return code - ISA_SRC_VGPR0 + n <= isa_sized_rows(w);
}

/* Addresses are as wide as their mode says. */
static u32 src0_dwords(const struct isa_insn *i)
{
	switch (i->enc) {
	case ISA_ENC_MUBUF:
	case ISA_ENC_MTBUF:
		return i->mods & ISA_MOD_OFFEN && i->mods & ISA_MOD_IDXEN ? 2 : 1;
	case ISA_ENC_GLOBAL:
		return i->src[1] == ISA_SRC_NONE ? 2 : 1;
	default:
		return isa_src_dwords(&isa_rows[i->row], i, 0);
	}
}

/* Rows are for waves of 32 lanes: of 64, each has half as much of a matrix that is transposed. */
static u32 dst_dwords(const struct isa_wave *w, const struct isa_row *r)
{
	const bool tr = r->op == ISA_OP_GLOBAL_LOAD_TR_B64 || r->op == ISA_OP_GLOBAL_LOAD_TR_B128;

	return tr && w->lanes == ISA_LANES ? r->dst[0].dwords / 2 : r->dst[0].dwords;
}

/* Widths are those of the row that matched: rows of one operation may differ. */
bool isa_rows_ok(const struct isa_wave *w, const struct isa_insn *i)
{
	const struct isa_row *r = &isa_rows[i->row];
	struct isa_row wide;
	u32 n;

	if (isa_is_wmma(r) && w->lanes == ISA_LANES) {
		wide = *r;
		isa_narrow_wmma(w->cu->target, &wide);
		return row_ok(w, i->dst, wide.dst[0].dwords) &&
		       row_ok(w, i->src[0], wide.src[0].dwords) &&
		       row_ok(w, i->src[1], wide.src[1].dwords) &&
		       row_ok(w, i->src[2], wide.src[2].dwords);
	}
	if (!row_ok(w, i->dst, dst_dwords(w, r)) || !row_ok(w, i->sdst, 1) ||
	    !row_ok(w, i->src[0], src0_dwords(i)))
		return false;
	for (n = 1; n < ARRAY_SIZE(i->src); n++)
		if (!row_ok(w, i->src[n], isa_src_dwords(r, i, n)))
			return false;
	if (r->enc == ISA_ENC_VOPDX)
		return row_ok(w, i->pair.dst, 1) && row_ok(w, i->pair.src[0], 1) &&
		       row_ok(w, i->pair.src[1], 1);
	return r->enc != ISA_ENC_SCALED ||
	       (row_ok(w, i->ctl & 0xffff, 1) && row_ok(w, i->ctl >> 16, 1));
}

static int decode(const struct isa_wave *w, const u32 *dw, u32 n, struct isa_insn *out)
{
	const struct isa_cu *cu = w->cu;
	const struct isa_family *f = cu->family ?: isa_target_family(cu->target);

	return isa_decode_as(cu->target, f, w->lanes, dw, n, out);
}

static void fold_waits(struct isa_wave *w, struct isa_line *l,
		       struct isa_insn *i, u32 slot)
{
	struct isa_insn next;

	while (slot + i->size < ISA_LINE_DWORDS && i->size < 32) {
		u32 at = slot + i->size;

		if (decode(w, l->raw + at, 1, &next) != 1 ||
		    next.enc != ISA_ENC_SOPP || !isa_salu_is_wait(next.op))
			return;
		if (isa_salu_is_memory_wait(next.op))
			l->waits[slot / 32] |= BIT(slot % 32);
		i->size++;
	}
}

static void decode_slot(struct isa_wave *w, struct isa_line *l, u32 slot, int len)
{
	struct isa_slot d;

	memset(&d, 0, sizeof(d));
	if (len > 0)
		len = decode(w, l->raw + slot, l->words - slot, &d.in);
	if (len <= 0)
		memset(&d, 0, sizeof(d));	/* size 0: no instruction at all */
	if (len > 0 && isa_rows_ok(w, &d.in) && isa_bind(w->cu->lane, w->cu->target, &d))
		fold_waits(w, l, &d.in, slot);
	else
		isa_bind_to(&d.in, isa_exec_illegal, isa_exec_illegal);
	l->slot[slot] = d;
}

enum isa_stop isa_exec_decode(struct isa_wave *w, const struct isa_insn *i)
{
	struct isa_line *l = container_of_line(w->slots);
	u32 slot = (u32)(isa_slot_of(i) - w->slots);
	struct isa_insn probe;
	u32 n;
	int len = 0;

	/* Ask with one word first: the words that follow need not be mapped. */
	for (n = 1; n <= ISA_INSN_MAX_DWORDS && !len; n++) {
		if (!isa_icache_words(w, l, slot + n))
			return ISA_STOP_MISS;
		len = decode(w, l->raw + slot, n, &probe);
	}
	decode_slot(w, l, slot, len);
	return ISA_STOP_AGAIN;
}

/*
 * Counting: notes by slot where the loop begins to run and where it leaves. A taken
 * branch costs an increment in its own slot; other instructions cost nothing.
 */
static void note_entry(const struct isa_wave *w, const struct isa_slot *s)
{
	container_of_line(w->slots)->entries[s - w->slots]++;
}

static void note_exit(const struct isa_wave *w, const struct isa_slot *s, u32 size)
{
	container_of_line(w->slots)->entries[s - w->slots + size]--;
}

static __always_inline void note_taken(const struct isa_slot *s)
{
	((struct isa_slot *)s)->taken++;
}

/* Moves the loop to w->pc. Returns its slot, or NULL with *@stop set. */
static const struct isa_slot *enter_pc(struct isa_wave *w, enum isa_stop *stop)
{
	u64 pc = w->pc & ~3ull;
	struct isa_line *l;

	w->pc = pc;
	/* It takes effect only outside of the trap handler. */
	if (unlikely((w->status & (ISA_STATUS_HALT | ISA_STATUS_PRIV)) == ISA_STATUS_HALT)) {
		*stop = ISA_STOP_HALT;
		return NULL;
	}
	l = isa_icache_get(w, pc, stop);
	if (!l)
		return NULL;
	w->line_va = l->va;
	w->slots = l->slot;
	pc %= ISA_LINE_BYTES;
	note_entry(w, &l->slot[pc / 4]);
	return &l->slot[pc / 4];
}

/* Is PC behind the instruction, because it is complete when the wave stops? */
static bool stop_is_behind(enum isa_stop why)
{
	return why == ISA_STOP_BUDGET || why == ISA_STOP_END ||
	       why == ISA_STOP_BARRIER || why == ISA_STOP_MSG ||
	       why == ISA_STOP_HALT || why == ISA_STOP_SWITCH || why == ISA_STOP_GWS ||
	       why == ISA_STOP_EXCP;
}

/* Cost of an instruction that MODE makes slow: see ISA_COST_TURN. */
#define SLOW_COST	16

/* A vector ALU instruction; stops behind it if it raised an exception that MODE enables. */
static enum isa_stop exec_valu(struct isa_wave *w, const struct isa_insn *i)
{
	enum isa_stop why;

	w->raised = 0;
	if (w->mode & ISA_MODE_GPR_IDX_EN)
		why = isa_lane_indexed(w, i);
	else if (w->record && isa_slot_of(i)->exec[0] != isa_exec_illegal)
		why = w->cu->lane->record(w, i);
	else
		why = isa_slot_of(i)->exec[w->full](w, i);
	if ((why != ISA_STOP_NONE && why != ISA_STOP_BUDGET) ||
	    !(w->raised & (w->mode & ISA_MODE_EXCP_EN) >> ISA_MODE_EXCP_SHIFT))
		return why ?: isa_charge(w, SLOW_COST);
	w->ex->info = w->raised;
	return ISA_STOP_EXCP;
}

/* One instruction while MODE changes what instructions do. */
static enum isa_stop exec_slow(struct isa_wave *w, const struct isa_slot *s)
{
	const struct isa_insn *i = &s->in;

	if (i->size && i->enc >= ISA_ENC_VOP1) {
		if (w->mode & ISA_MODE_VSKIP)
			return ISA_STOP_NONE;
		if (i->enc <= ISA_ENC_VOP3P || i->enc == ISA_ENC_VOPDX)
			return exec_valu(w, i);
	}
	return s->exec[w->full](w, i);
}

/*
 * The same; a wave that leads stops behind it if it waits for memory then. The first time it is
 * decoded there, so ask afterwards; but the wave may have come to another line.
 */
static enum isa_stop exec_watched(struct isa_wave *w, const struct isa_slot *s)
{
	const struct isa_line *l = container_of_line(w->slots);
	const u32 n = (u32)(s - w->slots);
	enum isa_stop why = exec_slow(w, s);

	if (likely(!w->lead) || why != ISA_STOP_NONE || n >= ISA_LINE_DWORDS)
		return why;
	if (!(l->waits[n / 32] & BIT(n % 32)) && !isa_salu_is_memory_wait(s->in.op))
		return why;
	w->lead = false;
	w->ex->info = 1;
	return ISA_STOP_BUDGET;
}

static bool is_slow(struct isa_wave *w)
{
	if (w->mode & ISA_MODE_EXCP_EN)
		w->record = true;
	return w->mode & ISA_MODE_SLOW || w->record || w->lead;
}

/*
 * The slot behind an instruction. The usual sizes are told apart by branches,
 * which the CPU predicts, instead of by arithmetic, which would make the next
 * slot wait for the load of this one's size.
 */
static __always_inline const struct isa_slot *next_slot(const struct isa_slot *s)
{
	u32 n = s->in.size;

	if (likely(n == 1)) {
		s++;
		isa_hide(s);
		return s;
	}
	if (n == 2) {
		s += 2;
		isa_hide(s);
		return s;
	}
	return s + n;
}

/* @slow: MODE changes what instructions do, or the wave leads, so each one is looked at. */
static __always_inline enum isa_stop run(struct isa_wave *w, u32 *budget, bool slow)
{
	enum isa_stop why = ISA_STOP_NONE;
	const struct isa_slot *s = enter_pc(w, &why);
	u32 left = *budget;

	if (!s)
		return why;
	while (left) {
		why = slow ? exec_watched(w, s) : s->exec[w->full](w, &s->in);
		if (likely(why == ISA_STOP_NONE)) {
			s = next_slot(s);
			left--;
			continue;
		}
		if (why == ISA_STOP_BRANCH) {
			s64 slot = (s - w->slots) + 1 + (s64)(s32)s->in.lit;

			left--;
			note_taken(s);
			if (likely((u64)slot < ISA_LINE_DWORDS)) {
				s = w->slots + slot;
				continue;
			}
			w->pc = w->line_va + (u64)slot * 4;
			s = enter_pc(w, &why);
			if (!s)
				goto out;
			continue;
		}
		if (why == ISA_STOP_AGAIN)
			continue;
		if (why == ISA_STOP_JUMP) {
			u64 off = w->pc - w->line_va;

			left--;
			note_exit(w, s, s->in.size);
			if (likely(off < ISA_LINE_BYTES && !(off & 3))) {
				off = array_index_nospec(off, ISA_LINE_BYTES);
				s = w->slots + off / 4;
				note_entry(w, s);
				continue;
			}
			s = enter_pc(w, &why);
			if (!s)
				goto out;
			continue;
		}
		w->pc = isa_insn_pc(w, &s->in);
		if (stop_is_behind(why)) {
			w->pc += (u64)s->in.size * 4;
			left--;
			note_exit(w, s, s->in.size);
		} else {
			note_exit(w, s, 0);
			if (why == ISA_STOP_RETRY) {
				/* Nothing retired, but the caller must still look at the clock. */
				w->cu->cost += ISA_RMW_TRIES;
				why = ISA_STOP_BUDGET;
			}
		}
		goto out;
	}
	w->pc = isa_insn_pc(w, &s->in);
	note_exit(w, s, 0);
	why = ISA_STOP_BUDGET;
out:
	*budget = left;
	return why;
}

enum isa_stop isa_wave_run(struct isa_wave *w, unsigned int budget,
			   struct isa_exit *ex)
{
	enum isa_stop why;
	u32 left = budget;

	memset(ex, 0, sizeof(*ex));
	w->ex = ex;
	w->cu->cost = 0;
	w->cu->lane->enter(w);
	do {
		if (is_slow(w))
			why = run(w, &left, true);
		else
			why = run(w, &left, false);
	} while (why == ISA_STOP_SWITCH && left);
	if (why == ISA_STOP_SWITCH)
		why = ISA_STOP_BUDGET;
	w->cu->lane->leave(w);
	w->ex = NULL;
	ex->insns = budget - left;
	ex->cost = ex->insns + w->cu->cost;
	ex->why = why;
	return why;
}
