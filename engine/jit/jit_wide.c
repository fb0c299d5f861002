// SPDX-License-Identifier: MIT
/*
 * Blocks with loads or stores, and loops of one such block, once more and for full EXEC: whole
 * rows at a time, in registers from the block's begin to its end or as long as the loop goes on.
 *
 * Addresses are kept as what they mostly are: a base and a stride by lane, both scalar. That is
 * looked at where an address comes from vectors; what is added to it is the same for all lanes
 * then, and a load or store is one look into the TLB.
 *
 * What is not like that, and any page that the TLB does not know, costs no more than a retry: until
 * the block's end (a loop: of each turn) nothing but SGPRs has changed. These get their values
 * back, and the block is done by its other code (jit_emit.c), instruction by instruction, where
 * faults are at their instruction. A store comes last, when nothing can go wrong any more.
 */
#include <stdlib.h>

#include "jit_emit.h"
#include "mem.h"

#define MAX_WIDE_BLOCK	96u	/* instructions */
#define MAX_SAVED	256u	/* dwords of the operand file that SGPRs are */

/* A block that is often given up is left alone for a while: its count, in struct isa_slot.taken */
#define GIVEN_UP	8u	/* what that adds */
#define TOO_OFTEN	64u
#define A_WHILE		1024u	/* a power of two */

enum part { PART_NONE, PART_LOW, PART_HIGH };

/**
 * struct shape - what is known of a row
 * @base,@stride: of the 64-bit address whose @part it is, in lane 0, and from lane to lane; its
 *	upper half is the same in all lanes, and @alone if it is no row but zero
 * @same: all lanes' value, or NULL
 */
struct shape {
	LLVMValueRef base, stride, same;
	enum part part;
	bool alone;
};

/* An addition of a low part that waits for the high one's */
struct waiting {
	const struct jit_insn *with;	/* that one; NULL: there is none */
	struct shape from;
	struct scalars scalars;
	LLVMValueRef low;
};

/**
 * struct wide - of a block that is being emitted
 * @at: what is known of rows; @lazy: it is all that there is, and is to be stored
 * @reads,@writes: rows that the block reads before it writes them, and that it writes
 * @wanted: additions whose sums are addresses
 * @up: where it is given up
 * @bad: whether it is to be given up at its end
 * @stored: it can't be any more
 */
struct wide {
	struct shape at[JIT_MAX_ROWS];
	bool lazy[JIT_MAX_ROWS], reads[JIT_MAX_ROWS], writes[JIT_MAX_ROWS];
	bool wanted[JIT_MAX_INSNS];
	bool address[JIT_MAX_ROWS];	/* at the head, low parts */
	bool base_only[JIT_MAX_ROWS];	/* added to addresses */
	struct waiting waiting;
	LLVMBasicBlockRef up;
	LLVMValueRef bad, scratch[2], saved[MAX_SAVED], scc;
	LLVMTypeRef lanes;
	bool loop, stored;
};

/* ---- what a block is ---- */

static const struct jit_insn *after(struct em *e, const struct jit_insn *x)
{
	return jit_unit_at(e->u, jit_next_pc(x));
}

static bool is_vector(const struct jit_insn *x)
{
	return x->kind >= JIT_KIND_VEC && x->kind <= JIT_KIND_PAIR;
}

static bool is_memory(const struct jit_insn *x)
{
	return x->kind == JIT_KIND_LOAD || x->kind == JIT_KIND_STORE;
}

static bool ends_block(const struct jit_insn *x)
{
	return x->kind == JIT_KIND_BRANCH || x->kind == JIT_KIND_END ||
	       x->kind == JIT_KIND_BARRIER;
}

static bool is_known(struct em *e, const struct jit_insn *x)
{
	if (!e->full_in[x - e->u->insn] || em_writes_exec(x))
		return false;
	return is_vector(x) || is_memory(x) || ends_block(x) || x->kind == JIT_KIND_WAIT ||
	       x->kind == JIT_KIND_S_LOAD ||
	       (x->kind == JIT_KIND_SALU &&
		(x->i.dst == ISA_SRC_NONE || x->i.dst < ISA_SRC_EXEC_LO));
}

/* The last of the block at @x, or NULL; @cut: where it has to end, if it goes on */
static const struct jit_insn *block_end(struct em *e, const struct jit_insn *x,
					const struct jit_insn **cut)
{
	bool any = false, stored = false;
	const struct jit_insn *last = NULL, *first = x;
	u32 n;

	*cut = NULL;
	for (n = 0; x && (x == first || !x->leader); n++) {
		if (n == MAX_WIDE_BLOCK || !is_known(e, x) ||
		    (stored && (is_memory(x) || x->kind == JIT_KIND_S_LOAD ||
				x->kind == JIT_KIND_CARRY))) {
			*cut = x;
			break;
		}
		any |= is_memory(x);
		stored |= x->kind == JIT_KIND_STORE;
		last = x;
		if (ends_block(x))
			break;
		x = after(e, x);
	}
	return any ? last : NULL;
}

void em_wide_cut(struct em *e)
{
	const struct jit_insn *cut;
	u32 n;
	bool again = true;

	while (again) {
		again = false;
		for (n = 0; n < e->u->ninsns; n++)
			if (e->u->insn[n].leader && block_end(e, &e->u->insn[n], &cut) && cut) {
				e->u->insn[cut - e->u->insn].leader = true;
				again = true;
			}
	}
}

bool em_is_wide(struct em *e, struct jit_insn *x)
{
	const struct jit_insn *cut;

	return block_end(e, x, &cut) && !cut;
}

/* ---- rows ---- */

static u32 row_of(struct em *e, u32 code)
{
	u32 row = jit_row(&e->u->key, code);

	/* Who asks for the unit is not trusted. */
	e->bad |= !em_is_vgpr(code) || row >= JIT_MAX_ROWS - 4;
	return row % (JIT_MAX_ROWS - 4);
}

static LLVMValueRef to_lanes(struct em *e, LLVMValueRef v)
{
	return LLVMBuildBitCast(e->b, v, e->wide->lanes, "");
}

static LLVMValueRef first_lane(struct em *e, LLVMValueRef v)
{
	return LLVMBuildExtractElement(e->b, to_lanes(e, v), em_c32(e, 0), "");
}

static LLVMValueRef low_half(struct em *e, LLVMValueRef v)
{
	return LLVMBuildTrunc(e->b, v, e->i32, "");
}

static LLVMValueRef high_half(struct em *e, LLVMValueRef v)
{
	return low_half(e, LLVMBuildLShr(e->b, v, em_c64(e, 32), ""));
}

static LLVMValueRef pair_of(struct em *e, LLVMValueRef low, LLVMValueRef high)
{
	low = LLVMBuildZExt(e->b, low, e->i64, "");
	high = LLVMBuildZExt(e->b, high, e->i64, "");
	return LLVMBuildOr(e->b, low, LLVMBuildShl(e->b, high, em_c64(e, 32), ""), "");
}

/* @stride times each lane of vector @k */
static LLVMValueRef strides(struct em *e, LLVMValueRef stride, u32 k)
{
	u32 vw = ISA_LANES / e->steps, n;
	LLVMValueRef lane[16], s;

	for (n = 0; n < vw; n++)
		lane[n] = em_c32(e, k * vw + n);
	s = to_lanes(e, CALL(e, "jit_splat", low_half(e, stride)));
	return LLVMBuildMul(e->b, s, LLVMConstVector(lane, vw), "");
}

/* Vector @k of a row of which no more than @s is known */
static LLVMValueRef shape_vector(struct em *e, const struct shape *s, u32 k)
{
	LLVMValueRef v;

	if (s->same)
		return CALL(e, "jit_splat", s->same);
	if (s->part == PART_HIGH)
		return CALL(e, "jit_splat", high_half(e, s->base));
	v = to_lanes(e, CALL(e, "jit_splat", low_half(e, s->base)));
	v = LLVMBuildAdd(e->b, v, strides(e, s->stride, k), "");
	return LLVMBuildBitCast(e->b, v, e->vi, "");
}

static bool is_shaped(const struct shape *s)
{
	return s->part || s->same;
}

static void hold(struct em *e, u32 row, u32 k, LLVMValueRef v, bool dirty)
{
	struct held *h = &e->held[k];

	if (!h->cur[row])
		h->row[h->n++] = (u16)row;
	h->cur[row] = v;
	h->dirty[row] |= dirty;
}

/* Makes vectors of what is known of a row. */
static void spread(struct em *e, u32 row)
{
	struct wide *w = e->wide;
	u32 k;

	if (e->held[0].cur[row] || !is_shaped(&w->at[row]))
		return;
	for (k = 0; k < e->steps; k++)
		hold(e, row, k, shape_vector(e, &w->at[row], k), w->lazy[row]);
	w->lazy[row] = false;
}

LLVMValueRef em_wide_get(struct em *e, struct held *h, u32 row)
{
	spread(e, row);
	return h->cur[row];
}

void em_wide_forget(struct em *e, u32 row)
{
	e->wide->at[row] = (struct shape) { 0 };
	e->wide->lazy[row] = false;
}

/* The row is what @s says. */
static void put_shape(struct em *e, u32 row, const struct shape *s)
{
	struct wide *w = e->wide;
	u32 k, n;

	for (k = 0; k < e->steps; k++) {
		struct held *h = &e->held[k];

		h->cur[row] = NULL;
		h->dirty[row] = false;
		for (n = 0; n < h->n && h->row[n] != row; n++)
			;
		if (n < h->n)
			h->row[n] = h->row[--h->n];
	}
	w->at[row] = *s;
	w->lazy[row] = true;
}

/* ---- giving up ---- */

static void give_up_if(struct em *e, LLVMValueRef c)
{
	LLVMBasicBlockRef on = em_block(e);

	e->bad |= e->wide->stored;
	LLVMBuildCondBr(e->b, c, e->wide->up, on);
	em_go(e, on);
}

static void give_up_later(struct em *e, LLVMValueRef c)
{
	struct wide *w = e->wide;

	e->bad |= w->stored;
	w->bad = w->bad ? LLVMBuildOr(e->b, w->bad, c, "") : c;
}

static void settle(struct em *e)
{
	struct wide *w = e->wide;

	if (w->bad && !w->stored)
		give_up_if(e, w->bad);
	w->bad = NULL;
}

/* How often it was given up lately */
static LLVMValueRef record(struct em *e, const struct jit_insn *x)
{
	LLVMTypeRef byte = LLVMInt8TypeInContext(e->c);
	LLVMValueRef at = em_frame(e, offsetof(struct jit_frame, insn));

	at = LLVMBuildLoad2(e->b, e->ptr, at, "");
	return em_at(e, byte, at, (u32)((x - e->u->insn) * sizeof(*x) +
					offsetof(struct jit_insn, slot.taken)));
}

/* On by one, modulo a while, or by @more */
static void record_add(struct em *e, const struct jit_insn *x, u32 more)
{
	LLVMValueRef at = record(e, x), n = LLVMBuildLoad2(e->b, e->i32, at, "");

	n = LLVMBuildAdd(e->b, n, em_c32(e, more), "");
	LLVMBuildStore(e->b, LLVMBuildAnd(e->b, n, em_c32(e, A_WHILE - 1), ""), at);
}

/* ---- SGPRs ---- */

static void save(struct em *e, u32 code, u32 n)
{
	struct wide *w = e->wide;

	for (; n && code < ISA_SRC_INT0; n--, code++)
		if (!w->saved[code])
			w->saved[code] = LLVMBuildLoad2(e->b, e->i32, em_at(e, e->i32, e->w, code),
							"");
}

static LLVMValueRef scc_at(struct em *e)
{
	return em_at(e, e->i32, e->w, (u32)(offsetof(struct isa_wave, scc) / 4));
}

static void save_sgprs(struct em *e, const struct jit_insn *x, const struct jit_insn *last)
{
	struct wide *w = e->wide;

	memset(w->saved, 0, sizeof(w->saved));
	w->scc = LLVMBuildLoad2(e->b, e->i32, scc_at(e), "");
	for (;; x = after(e, x)) {
		if (x->kind == JIT_KIND_S_LOAD)
			save(e, x->i.dst, x->op->how);
		else if (x->kind == JIT_KIND_SALU && x->i.dst != ISA_SRC_NONE)
			save(e, x->i.dst, 2);
		else if (em_makes_mask(x))
			save(e, em_mask_code(x->i.sdst), 2);
		if (x == last)
			break;
	}
}

static void restore_sgprs(struct em *e)
{
	u32 n;

	for (n = 0; n < MAX_SAVED; n++)
		if (e->wide->saved[n])
			LLVMBuildStore(e->b, e->wide->saved[n], em_at(e, e->i32, e->w, n));
	LLVMBuildStore(e->b, e->wide->scc, scc_at(e));
}

/* ---- lane masks ---- */

static void masks_out(struct em *e)
{
	LLVMValueRef sum;
	u32 n, k;

	for (n = 0; n < e->npending; n++) {
		sum = e->pending[n].sum;
		for (k = 0; !e->pending[n].sum && k < e->steps; k++) {
			LLVMValueRef m = CALL(e, "jit_place", e->pending[n].vm[k], em_c32(e, k));

			sum = sum ? LLVMBuildOr(e->b, sum, m, "") : m;
		}
		CALL(e, "jit_put_mask", e->w, em_c32(e, e->pending[n].code), sum);
	}
	e->npending = 0;
}

static bool touches(struct em *e, u32 code, u32 n, bool exact)
{
	u32 k;

	for (k = 0; k < e->npending; k++) {
		u32 mask = e->pending[k].code;

		if (!(exact && mask == code) && code < mask + 2 && code + n > mask)
			return true;
	}
	return false;
}

/* What @x reads or writes as a scalar must be there. */
static void masks_out_for(struct em *e, const struct jit_insn *x)
{
	bool out = false;
	u32 n;

	for (n = 0; n < 3; n++) {
		u32 code = x->i.src[n];

		if (code == ISA_SRC_NONE || code >= ISA_SRC_VGPR0)
			continue;
		if (x->op->cin && n == 2)
			continue;
		out |= code == ISA_SRC_VCCZ || touches(e, code, 2, false);
	}
	if (x->kind == JIT_KIND_SALU || x->kind == JIT_KIND_S_LOAD)
		out |= x->i.dst != ISA_SRC_NONE && touches(e, x->i.dst, 16, false);
	if (x->op->cin)
		out |= touches(e, em_cin_code(x), 2, true);
	if (em_makes_mask(x))
		out |= touches(e, em_mask_code(x->i.sdst), 2, true) ||
		       e->npending >= MAX_PENDING - 1;
	if (out)
		masks_out(e);
}

static struct pending *mask_new(struct em *e, const struct jit_insn *x)
{
	u32 code = em_mask_code(x->i.sdst);
	struct pending *p = em_pending_at(e, code);

	if (!p) {
		p = &e->pending[e->npending++];
		p->code = code;
	}
	p->sum = NULL;
	return p;
}

/* ---- addresses ---- */

/* The last lane's address must have the first one's upper half. */
static void check_high(struct em *e, const struct shape *s)
{
	LLVMValueRef last = LLVMBuildMul(e->b, s->stride, em_c64(e, ISA_LANES - 1), "");

	last = LLVMBuildAdd(e->b, last, s->base, "");
	last = LLVMBuildLShr(e->b, LLVMBuildXor(e->b, last, s->base, ""), em_c64(e, 32), "");
	give_up_later(e, LLVMBuildICmp(e->b, LLVMIntNE, last, em_c64(e, 0), ""));
}

/* Looks whether row @low is an address, with the one behind it or with zero. */
static void make_address(struct em *e, u32 low, bool is_pair)
{
	struct wide *w = e->wide;
	LLVMValueRef acc = NULL, base, high, stride, x, h;
	struct shape s = { 0 };
	LLVMTypeRef all;
	u32 k;

	for (k = 0; k < e->steps; k++) {
		em_row_get(e, &e->held[k], low);
		if (is_pair)
			em_row_get(e, &e->held[k], low + 1);
	}
	x = to_lanes(e, e->held[0].cur[low]);
	base = first_lane(e, e->held[0].cur[low]);
	stride = LLVMBuildSub(e->b, LLVMBuildExtractElement(e->b, x, em_c32(e, 1), ""), base, "");
	high = is_pair ? first_lane(e, e->held[0].cur[low + 1]) : em_c32(e, 0);
	s.stride = LLVMBuildZExt(e->b, stride, e->i64, "");
	s.base = pair_of(e, base, high);
	base = to_lanes(e, CALL(e, "jit_splat", base));
	h = to_lanes(e, CALL(e, "jit_splat", high));
	for (k = 0; k < e->steps; k++) {
		x = LLVMBuildSub(e->b, to_lanes(e, e->held[k].cur[low]), strides(e, s.stride, k), "");
		x = LLVMBuildXor(e->b, x, base, "");
		acc = acc ? LLVMBuildOr(e->b, acc, x, "") : x;
		if (!is_pair)
			continue;
		x = LLVMBuildXor(e->b, to_lanes(e, e->held[k].cur[low + 1]), h, "");
		acc = LLVMBuildOr(e->b, acc, x, "");
	}
	all = LLVMIntTypeInContext(e->c, ISA_LANES / e->steps * 32);
	acc = LLVMBuildBitCast(e->b, acc, all, "");
	give_up_if(e, LLVMBuildICmp(e->b, LLVMIntNE, acc, LLVMConstNull(all), ""));
	s.part = PART_LOW;
	s.alone = !is_pair;
	w->at[low] = s;
	s.part = PART_HIGH;
	if (is_pair)
		w->at[low + 1] = s;
	check_high(e, &s);
}

/* The address in rows @low and @low + 1, or in @low alone */
static struct shape address_of(struct em *e, u32 low, bool is_pair)
{
	struct wide *w = e->wide;
	struct shape *l = &w->at[low], *h = &w->at[low + 1];
	struct shape s = { .part = PART_LOW };

	if (!is_pair && l->alone)
		return *l;
	if (is_pair && l->part == PART_LOW && h->part == PART_HIGH && l->base == h->base &&
	    l->stride == h->stride)
		return *l;
	if (l->same && (!is_pair || h->same)) {
		s.base = pair_of(e, l->same, is_pair ? h->same : em_c32(e, 0));
		s.stride = em_c64(e, 0);
		return s;
	}
	make_address(e, low, is_pair);
	return w->at[low];
}

/* A scalar operand, or a row whose lanes are all the same; NULL: it is neither */
static LLVMValueRef same_of(struct em *e, const struct jit_insn *x, const struct scalars *s, u32 n)
{
	if (!em_is_vgpr(x->i.src[n]))
		return s->v[n][0] ? first_lane(e, s->v[n][0]) : NULL;
	return e->wide->at[row_of(e, x->i.src[n])].same;
}

static u32 rows_written(const struct jit_insn *x)
{
	switch (x->kind) {
	case JIT_KIND_LOAD:
		return x->op->how;
	case JIT_KIND_WIDE:
		return x->op->wide & 8 ? 2 : 1;
	case JIT_KIND_PAIR:
	case JIT_KIND_MAD64:
		return 2;
	case JIT_KIND_VEC:
	case JIT_KIND_CNDMASK:
	case JIT_KIND_CARRY:
		return 1;
	default:
		return 0;
	}
}

static bool writes_row(struct em *e, const struct jit_insn *x, u32 row)
{
	u32 n = rows_written(x), dst = n ? row_of(e, x->i.dst) : 0;

	return row >= dst && row < dst + n;
}

/* Does @x read or write @row? Rather yes than no. */
static bool uses_row(struct em *e, const struct jit_insn *x, u32 row)
{
	u32 n, src;

	if (!is_vector(x) && !is_memory(x))
		return false;
	if (writes_row(e, x, row))
		return true;
	for (n = 0; n < 3; n++) {
		if (!em_is_vgpr(x->i.src[n]))
			continue;
		src = row_of(e, x->i.src[n]);
		if (row >= src && row < src + 4)
			return true;
	}
	return false;
}

static bool is_add(const struct jit_insn *x, bool cin)
{
	return x->kind == JIT_KIND_CARRY && !x->op->how && x->op->cin == cin;
}

/* Which source of @x, an addition, is the address: the VGPR that is not known as scalar */
static int address_source(struct em *e, const struct jit_insn *x, const struct jit_insn **high)
{
	u32 mask = em_mask_code(x->i.sdst), n, k, low, dst = row_of(e, x->i.dst);
	const struct jit_insn *y;

	for (y = after(e, x); y && !y->leader; y = after(e, y)) {
		if (is_add(y, true) && em_cin_code(y) == mask)
			break;
		if (uses_row(e, y, dst) || ends_block(y) || y->kind == JIT_KIND_S_LOAD ||
		    is_memory(y))
			return -1;
		for (n = 0; n < 3; n++)
			if (y->i.src[n] + 1u >= mask && y->i.src[n] <= mask + 1)
				return -1;
		if (em_makes_mask(y) || (y->kind == JIT_KIND_SALU && y->i.dst + 1u >= mask &&
					 y->i.dst <= mask + 1))
			return -1;
		if (is_vector(y) && y->op->cin)
			return -1;
	}
	if (!y || y->leader || em_mask_code(y->i.sdst) != mask)
		return -1;
	*high = y;
	for (n = 0; n < 2; n++) {
		if (!em_is_vgpr(x->i.src[n]))
			continue;
		low = row_of(e, x->i.src[n]);
		for (k = 0; k < 2; k++)
			if (em_is_vgpr(y->i.src[k]) && row_of(e, y->i.src[k]) == low + 1)
				break;
		if (k == 2)
			continue;
		/* Nothing between may change it. */
		for (y = after(e, x); y != *high; y = after(e, y))
			if (writes_row(e, y, low) || writes_row(e, y, low + 1))
				return -1;
		return (int)n;
	}
	return -1;
}

/* The addition at @x waits if it is part of an address. */
static bool add_low(struct em *e, const struct jit_insn *x, const struct scalars *s)
{
	struct waiting *wait = &e->wide->waiting;
	const struct jit_insn *high;
	int n;

	if (wait->with || !is_add(x, false) || !e->wide->wanted[x - e->u->insn])
		return false;
	n = address_source(e, x, &high);
	if (n < 0)
		return false;
	wait->low = same_of(e, x, s, !n);
	if (!wait->low)
		return false;
	wait->from = address_of(e, row_of(e, x->i.src[n]), true);
	wait->scalars = *s;
	wait->with = high;
	return true;
}

/* The high part of the address that waits; false: it is no address */
static bool add_high(struct em *e, const struct jit_insn *x, const struct jit_insn *lowx,
		     const struct scalars *s)
{
	struct waiting *wait = &e->wide->waiting;
	struct shape to = { .stride = wait->from.stride };
	LLVMValueRef high = NULL, carry;
	struct pending *p;
	int src = address_source(e, lowx, &x);
	u32 n, k, low;

	if (src < 0)
		return false;
	low = row_of(e, lowx->i.src[src]);
	for (n = 0; n < 2 && !high; n++)
		if (em_is_vgpr(x->i.src[!n]) && row_of(e, x->i.src[!n]) == low + 1)
			high = same_of(e, x, s, n);
	if (!high)
		return false;
	to.base = LLVMBuildAdd(e->b, wait->from.base, pair_of(e, wait->low, high), "");
	check_high(e, &to);
	carry = LLVMBuildICmp(e->b, LLVMIntULT, to.base, wait->from.base, "");
	p = mask_new(e, x);
	p->sum = LLVMBuildSExt(e->b, carry, e->i64, "");
	for (k = 0; k < e->steps; k++)
		p->vm[k] = CALL(e, "jit_mask_step", p->sum, em_c32(e, k));
	to.part = PART_LOW;
	put_shape(e, row_of(e, lowx->i.dst), &to);
	to.part = PART_HIGH;
	put_shape(e, row_of(e, x->i.dst), &to);
	return true;
}

/* ---- memory ---- */

/* Where @span bytes at @va are, or NULL. What the TLB does not know it is told. */
static LLVMValueRef look_up(struct em *e, LLVMValueRef va, LLVMValueRef span, u32 access)
{
	LLVMBasicBlockRef slow = em_block(e), join = em_block(e), from[2];
	LLVMValueRef p[2], how = em_c32(e, access), fn, phi;

	p[0] = CALL(e, "jit_span", e->w, va, span, how);
	from[0] = LLVMGetInsertBlock(e->b);
	LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, p[0], LLVMConstNull(e->ptr), ""),
			slow, join);
	em_go(e, slow);
	fn = LLVMBuildLoad2(e->b, e->ptr, em_frame(e, offsetof(struct jit_frame, translate)), "");
	p[1] = CALL(e, "jit_span_slow", e->w, va, span, how, fn);
	from[1] = LLVMGetInsertBlock(e->b);
	LLVMBuildBr(e->b, join);
	em_go(e, join);
	phi = LLVMBuildPhi(e->b, e->ptr, "");
	LLVMAddIncoming(phi, p, from, 2);
	return phi;
}

static LLVMValueRef place(struct em *e, const struct jit_insn *x, u32 n, u32 access,
			  LLVMValueRef *by_lane)
{
	bool saddr = em_has_saddr(x);
	struct shape s = address_of(e, row_of(e, x->i.src[0]), !saddr);
	LLVMValueRef va = s.base, span, last, p, each, one;

	if (x->i.enc == ISA_ENC_FLAT) {
		last = LLVMBuildAdd(e->b, va, LLVMBuildMul(e->b, s.stride,
							   em_c64(e, ISA_LANES - 1), ""), "");
		last = LLVMBuildOr(e->b, CALL(e, "jit_in_aperture", e->w, va),
				   CALL(e, "jit_in_aperture", e->w, last), "");
		give_up_if(e, LLVMBuildICmp(e->b, LLVMIntNE, last, em_c32(e, 0), ""));
	}
	if (saddr)
		va = LLVMBuildAdd(e->b, va, CALL(e, "jit_scalar_pair", e->w,
						 em_c32(e, x->i.src[1])), "");
	va = LLVMBuildAdd(e->b, va, em_c64(e, (u64)(s64)x->i.offset), "");
	each = LLVMBuildICmp(e->b, LLVMIntEQ, s.stride, em_c64(e, 4 * n), "");
	one = LLVMBuildICmp(e->b, LLVMIntEQ, s.stride, em_c64(e, 0), "");
	span = access == ISA_W ? em_c64(e, ISA_LANES * 4 * n) :
	       LLVMBuildSelect(e->b, each, em_c64(e, ISA_LANES * 4 * n), em_c64(e, 4 * n), "");
	if (access == ISA_R)
		one = LLVMBuildOr(e->b, one, each, "");
	else
		one = each;
	p = look_up(e, va, span, access);
	one = LLVMBuildOr(e->b, LLVMBuildNot(e->b, one, ""),
			  LLVMBuildICmp(e->b, LLVMIntEQ, p, LLVMConstNull(e->ptr), ""), "");
	give_up_if(e, one);
	*by_lane = each;
	return p;
}

static void emit_load(struct em *e, const struct jit_insn *x)
{
	LLVMBasicBlockRef by_lane = em_block(e), same = em_block(e), join = em_block(e), from[2];
	u32 n = x->op->how, dst = row_of(e, x->i.dst), d, k;
	LLVMValueRef each, p = place(e, x, n, ISA_R, &each), v[4][MAX_STEPS], one[4], in[2], phi;
	LLVMTypeRef byte = LLVMInt8TypeInContext(e->c);

	LLVMBuildCondBr(e->b, each, by_lane, same);
	em_go(e, by_lane);
	for (k = 0; k < e->steps; k++) {
		LLVMValueRef at = em_at(e, byte, p, k * ISA_LANES / e->steps * 4 * n);

		if (n == 1) {
			v[0][k] = em_shared(LLVMBuildLoad2(e->b, e->vi, at, ""));
			continue;
		}
		CALL(e, "jit_unzip", e->wide->scratch[1], at, em_c32(e, n));
		for (d = 0; d < n; d++)
			v[d][k] = LLVMBuildLoad2(e->b, e->vi,
						 em_at(e, e->vi, e->wide->scratch[1], d), "");
	}
	from[0] = LLVMGetInsertBlock(e->b);
	LLVMBuildBr(e->b, join);
	em_go(e, same);
	for (d = 0; d < n; d++)
		one[d] = CALL(e, "jit_splat",
			      em_shared(LLVMBuildLoad2(e->b, e->i32, em_at(e, e->i32, p, d), "")));
	from[1] = LLVMGetInsertBlock(e->b);
	LLVMBuildBr(e->b, join);
	em_go(e, join);
	for (d = 0; d < n; d++)
		for (k = 0; k < e->steps; k++) {
			phi = LLVMBuildPhi(e->b, e->vi, "");
			in[0] = v[d][k];
			in[1] = one[d];
			LLVMAddIncoming(phi, in, from, 2);
			em_row_put(e, &e->held[k], dst + d, phi);
		}
}

static void emit_store(struct em *e, const struct jit_insn *x)
{
	LLVMTypeRef byte = LLVMInt8TypeInContext(e->c);
	LLVMValueRef each, p = place(e, x, 1, ISA_W, &each);
	u32 k, row = row_of(e, x->i.src[2]);

	settle(e);
	e->wide->stored = true;
	for (k = 0; k < e->steps; k++)
		em_shared(LLVMBuildStore(e->b, em_row_get(e, &e->held[k], row),
					 em_at(e, byte, p, k * ISA_LANES / e->steps * 4)));
}

/* ---- moves, of which the shape stays known ---- */

static void copy_row(struct em *e, u32 dst, u32 src)
{
	struct wide *w = e->wide;
	struct shape s = w->at[src];
	LLVMValueRef v[MAX_STEPS];
	u32 k;

	if (is_shaped(&s)) {
		put_shape(e, dst, &s);
		return;
	}
	for (k = 0; k < e->steps; k++)
		v[k] = em_row_get(e, &e->held[k], src);
	for (k = 0; k < e->steps; k++)
		em_row_put(e, &e->held[k], dst, v[k]);
}

static bool emit_move(struct em *e, const struct jit_insn *x, const struct scalars *s)
{
	u32 dst = em_is_vgpr(x->i.dst) ? row_of(e, x->i.dst) : 0, a, b;
	struct shape same = { 0 };

	if (x->i.op == ISA_OP_V_MOV_B32 && x->kind == JIT_KIND_VEC && !x->i.neg && !x->i.abs) {
		if (em_is_vgpr(x->i.src[0])) {
			copy_row(e, dst, row_of(e, x->i.src[0]));
			return true;
		}
		same.same = first_lane(e, s->v[0][0]);
		put_shape(e, dst, &same);
		return true;
	}
	if (x->i.op != ISA_OP_V_PK_MOV_B32 || x->kind != JIT_KIND_PAIR ||
	    !em_is_vgpr(x->i.src[0]) || !em_is_vgpr(x->i.src[1]))
		return false;
	a = row_of(e, x->i.src[0]) + (x->i.opsel & 1);
	b = row_of(e, x->i.src[1]) + (x->i.opsel >> 1 & 1);
	/* Both are read before one is written. */
	if (b == dst)
		return false;
	copy_row(e, dst, a);
	copy_row(e, dst + 1, b);
	return true;
}

/* ---- instructions ---- */

static void emit_vector(struct em *e, const struct jit_insn *x, const struct jit_insn **lowx)
{
	struct waiting *wait = &e->wide->waiting;
	struct scalars s = { 0 };
	u32 k;

	em_scalars_get(e, x, &s);
	if (add_low(e, x, &s)) {
		*lowx = x;
		return;
	}
	if (wait->with == x) {
		bool done = add_high(e, x, *lowx, &s);

		wait->with = NULL;
		if (done)
			return;
		mask_new(e, *lowx);
		for (k = 0; k < e->steps; k++)
			em_step(e, *lowx, &wait->scalars, &e->held[k], e->wide->scratch);
		/* It is a vector now. */
		s = (struct scalars) { 0 };
		em_scalars_get(e, x, &s);
	}
	if (emit_move(e, x, &s))
		return;
	/* Of a sum that is its own source the mask is read first. */
	if (em_makes_mask(x))
		mask_new(e, x);
	for (k = 0; k < e->steps; k++)
		em_step(e, x, &s, &e->held[k], e->wide->scratch);
}

static void emit_insn(struct em *e, const struct jit_insn *x, const struct jit_insn **lowx)
{
	LLVMValueRef ok;

	masks_out_for(e, x);
	switch (x->kind) {
	case JIT_KIND_WAIT:
		break;
	case JIT_KIND_SALU:
		CALL(e, x->op->name, e->w, em_insn(e, x));
		break;
	case JIT_KIND_S_LOAD:
		ok = CALL(e, "jit_s_load", e->w, em_insn(e, x), em_c32(e, x->op->how));
		give_up_if(e, LLVMBuildICmp(e->b, LLVMIntEQ, ok, em_c32(e, 0), ""));
		break;
	case JIT_KIND_LOAD:
		emit_load(e, x);
		break;
	case JIT_KIND_STORE:
		emit_store(e, x);
		break;
	default:
		emit_vector(e, x, lowx);
		break;
	}
}

/* ---- what the block does with rows ---- */

static void reads_rows(struct em *e, u32 code, u32 n)
{
	struct wide *w = e->wide;
	u32 row;

	if (!em_is_vgpr(code))
		return;
	for (row = row_of(e, code); n; n--, row++)
		w->reads[row] |= !w->writes[row];
}

static void find_rows(struct em *e, const struct jit_insn *x, const struct jit_insn *last)
{
	u32 n, k, dst;

	for (;; x = after(e, x)) {
		if (is_memory(x)) {
			reads_rows(e, x->i.src[0], em_has_saddr(x) ? 1 : 2);
			if (x->kind == JIT_KIND_STORE)
				reads_rows(e, x->i.src[2], 1);
		} else if (is_vector(x)) {
			for (n = 0; n < x->op->nsrc; n++)
				reads_rows(e, x->op->acc && n == 2 ? x->i.dst : x->i.src[n], 2);
		}
		n = is_memory(x) || is_vector(x) ? rows_written(x) : 0;
		for (dst = n ? row_of(e, x->i.dst) : 0, k = 0; k < n; k++)
			e->wide->writes[dst + k] = true;
		if (x == last)
			return;
	}
}

/* From the end on: which low parts of addresses are needed, in e->wide->address */
static void find_wanted(struct em *e, const struct jit_insn *const *seq, u32 n)
{
	bool *want = e->wide->address;
	const struct jit_insn *high;
	u32 k, dst;
	int src;

	while (n--) {
		const struct jit_insn *x = seq[n];
		u32 rows = is_memory(x) || is_vector(x) ? rows_written(x) : 0;
		bool sum;

		dst = rows ? row_of(e, x->i.dst) : 0;
		sum = rows && want[dst];
		for (k = 0; k < rows; k++)
			want[dst + k] = false;
		if (sum && is_add(x, false)) {
			src = address_source(e, x, &high);
			if (src >= 0) {
				e->wide->wanted[x - e->u->insn] = true;
				want[row_of(e, x->i.src[src])] = true;
			}
		} else if (sum && (x->i.op == ISA_OP_V_MOV_B32 || x->i.op == ISA_OP_V_PK_MOV_B32) &&
			   em_is_vgpr(x->i.src[0])) {
			want[row_of(e, x->i.src[0]) + (rows > 1 ? x->i.opsel & 1 : 0)] = true;
		}
		if (is_memory(x) && !em_has_saddr(x))
			want[row_of(e, x->i.src[0])] = true;
	}
}

/* Rows that are added to addresses and stay what they are */
static void find_added(struct em *e, const struct jit_insn *const *seq, u32 n)
{
	struct wide *w = e->wide;
	const struct jit_insn *high;
	u32 k, row;
	int src;

	while (n--) {
		if (!w->wanted[seq[n] - e->u->insn])
			continue;
		src = address_source(e, seq[n], &high);
		for (k = 0; src >= 0 && k < 2; k++) {
			if (em_is_vgpr(seq[n]->i.src[k]) && (int)k != src)
				w->base_only[row_of(e, seq[n]->i.src[k])] = true;
			if (!em_is_vgpr(high->i.src[k]))
				continue;
			row = row_of(e, high->i.src[k]);
			w->base_only[row] |= row != row_of(e, seq[n]->i.src[src]) + 1;
		}
	}
	for (row = 0; row < JIT_MAX_ROWS; row++)
		w->base_only[row] &= !w->writes[row];
}

/* ---- the block ---- */

static void commit(struct em *e)
{
	u32 row, k;

	for (row = 0; row < JIT_MAX_ROWS; row++)
		if (e->wide->lazy[row])
			spread(e, row);
	for (k = 0; k < e->steps; k++)
		em_rows_store(e, &e->held[k]);
}

static void drop(struct em *e)
{
	u32 n, k;

	for (k = 0; k < e->steps; k++) {
		struct held *h = &e->held[k];

		for (n = 0; n < h->n; n++) {
			h->cur[h->row[n]] = NULL;
			h->dirty[h->row[n]] = false;
		}
		h->n = 0;
	}
}

static void emit_seq(struct em *e, const struct jit_insn *const *seq, u32 n)
{
	const struct jit_insn *low = NULL;
	u32 k;

	for (k = 0; k < n; k++) {
		emit_insn(e, seq[k], &low);
		e->done += 1 + seq[k]->crosses;
	}
	e->bad |= !!e->wide->waiting.with;
	masks_out(e);
	settle(e);
}

static void emit_once(struct em *e, struct jit_insn *x, const struct jit_insn *const *seq, u32 n,
		      LLVMBasicBlockRef plain)
{
	struct wide *w = e->wide;
	const struct jit_insn *last = seq[n - 1];

	w->up = em_block(e);
	save_sgprs(e, x, last);
	emit_seq(e, seq, n - ends_block(last));
	commit(e);
	LLVMBuildStore(e->b, em_c32(e, 0), record(e, x));
	e->wide = NULL;
	if (last->kind == JIT_KIND_BRANCH)
		em_branch(e, &e->u->insn[last - e->u->insn]);
	else if (ends_block(last))
		em_end(e, &e->u->insn[last - e->u->insn]);
	else
		em_jump(e, jit_next_pc(last), 0);
	e->wide = w;
	em_go(e, w->up);
	restore_sgprs(e);
	record_add(e, x, GIVEN_UP);
	LLVMBuildBr(e->b, plain);
}

/* ---- loops ---- */

/* What a row is at the loop's head: phis, of vectors or of what is known of it */
struct carried {
	LLVMValueRef v[MAX_STEPS];
	struct shape shape;
	bool used, late;	/* late: the first turn writes it before anything reads it */
};

static LLVMValueRef phi_new(struct em *e, LLVMValueRef like)
{
	return LLVMBuildPhi(e->b, LLVMTypeOf(like), "");
}

static void phi_in(LLVMValueRef phi, LLVMValueRef v, LLVMBasicBlockRef from)
{
	LLVMAddIncoming(phi, &v, &from, 1);
}

/* All lanes have the same: looked at before the loop. */
static void make_same(struct em *e, u32 row)
{
	LLVMTypeRef all = LLVMIntTypeInContext(e->c, ISA_LANES / e->steps * 32);
	LLVMValueRef acc = NULL, x, one, s;
	u32 k;

	for (k = 0; k < e->steps; k++)
		em_row_get(e, &e->held[k], row);
	one = first_lane(e, e->held[0].cur[row]);
	s = to_lanes(e, CALL(e, "jit_splat", one));
	for (k = 0; k < e->steps; k++) {
		x = LLVMBuildXor(e->b, to_lanes(e, e->held[k].cur[row]), s, "");
		acc = acc ? LLVMBuildOr(e->b, acc, x, "") : x;
	}
	acc = LLVMBuildBitCast(e->b, acc, all, "");
	give_up_if(e, LLVMBuildICmp(e->b, LLVMIntNE, acc, LLVMConstNull(all), ""));
	e->wide->at[row].same = one;
}

static bool is_address(const struct wide *w, u32 row)
{
	return w->address[row] || (row && w->address[row - 1]);
}

/* Rows at the head, from what they are before it */
static void begin_rows(struct em *e, struct carried *c, LLVMBasicBlockRef pre)
{
	struct wide *w = e->wide;
	LLVMValueRef v[MAX_STEPS];
	u32 row, k;

	for (row = 0; row + 1 < JIT_MAX_ROWS; row++) {
		struct carried *r = &c[row];

		if (!w->address[row] || !(w->writes[row] || w->writes[row + 1]))
			continue;
		r->used = c[row + 1].used = true;
		r->shape = w->at[row];
		r->shape.base = phi_new(e, w->at[row].base);
		r->shape.stride = phi_new(e, w->at[row].stride);
		phi_in(r->shape.base, w->at[row].base, pre);
		phi_in(r->shape.stride, w->at[row].stride, pre);
		c[row + 1].shape = r->shape;
		c[row + 1].shape.part = PART_HIGH;
		put_shape(e, row, &r->shape);
		put_shape(e, row + 1, &c[row + 1].shape);
	}
	for (row = 0; row < JIT_MAX_ROWS; row++) {
		if (c[row].used || !w->writes[row])
			continue;
		c[row].used = true;
		c[row].late = !w->reads[row];
		if (c[row].late)
			continue;
		for (k = 0; k < e->steps; k++) {
			/* Loaded before the loop: see emit_loop() */
			v[k] = e->held[k].cur[row];
			c[row].v[k] = phi_new(e, v[k]);
			phi_in(c[row].v[k], v[k], pre);
			hold(e, row, k, c[row].v[k], true);
		}
		w->at[row] = (struct shape) { 0 };
	}
}

/* What they are at the end of a turn; afterwards nothing is given up. */
static void end_rows(struct em *e, const struct carried *c)
{
	u32 row;

	for (row = 0; row < JIT_MAX_ROWS; row++) {
		if (!c[row].used || c[row].late)
			continue;
		if (c[row].shape.part == PART_LOW)
			address_of(e, row, true);
		else if (!c[row].shape.part)
			spread(e, row);
	}
	settle(e);
}

static void carry_rows(struct em *e, struct carried *c, LLVMBasicBlockRef pre,
		       LLVMBasicBlockRef from, LLVMBasicBlockRef head)
{
	struct wide *w = e->wide;
	u32 row, k;

	LLVMPositionBuilder(e->b, head, LLVMGetFirstInstruction(head));
	for (row = 0; row < JIT_MAX_ROWS; row++) {
		struct carried *r = &c[row];
		struct shape *now = &w->at[row], s = *now;

		if (!r->used)
			continue;
		if (r->late) {
			r->shape = s;
			if (s.part) {
				r->shape.base = phi_new(e, s.base);
				r->shape.stride = phi_new(e, s.stride);
				phi_in(r->shape.base, em_c64(e, 0), pre);
				phi_in(r->shape.stride, em_c64(e, 0), pre);
			} else if (s.same) {
				r->shape.same = phi_new(e, s.same);
				phi_in(r->shape.same, em_c32(e, 0), pre);
			}
			for (k = 0; !is_shaped(&s) && k < e->steps; k++) {
				r->v[k] = phi_new(e, e->held[k].cur[row]);
				phi_in(r->v[k], LLVMConstNull(e->vi), pre);
			}
		} else if (r->shape.part == PART_HIGH) {
			continue;	/* its phis are the low part's */
		} else if (r->shape.part && !s.part) {
			/* The same in all lanes: address_of() has told. */
			s.base = pair_of(e, s.same, w->at[row + 1].same);
			s.stride = em_c64(e, 0);
		}
		if (r->shape.part) {
			phi_in(r->shape.base, s.base, from);
			phi_in(r->shape.stride, s.stride, from);
		} else if (r->shape.same) {
			phi_in(r->shape.same, s.same, from);
		} else {
			for (k = 0; k < e->steps; k++)
				phi_in(r->v[k], e->held[k].cur[row], from);
		}
	}
}

static void store_carried(struct em *e, const struct carried *c, bool late)
{
	LLVMValueRef v;
	u32 row, k;

	for (row = 0; row < JIT_MAX_ROWS; row++) {
		if (!c[row].used || c[row].late != late)
			continue;
		for (k = 0; k < e->steps; k++) {
			v = is_shaped(&c[row].shape) ? shape_vector(e, &c[row].shape, k) :
						       c[row].v[k];
			v = LLVMBuildStore(e->b, v, em_at(e, e->vi, em_row_at(e, row), k));
			LLVMSetAlignment(v, 256 / e->steps);
		}
	}
}

static LLVMValueRef over_budget(struct em *e)
{
	LLVMValueRef n = LLVMBuildLoad2(e->b, e->i64, e->count, ""), budget;

	budget = LLVMBuildLoad2(e->b, e->i64, em_frame(e, offsetof(struct jit_frame, budget)), "");
	return LLVMBuildICmp(e->b, LLVMIntUGE, n, budget, "");
}

/* A turn is given up: rows and SGPRs as at its head */
static void emit_up(struct em *e, struct jit_insn *x, const struct carried *c, LLVMValueRef first,
		    LLVMBasicBlockRef plain)
{
	LLVMBasicBlockRef late = em_block(e), done = em_block(e), over = em_block(e);
	LLVMBasicBlockRef retry = em_block(e);

	em_go(e, e->wide->up);
	restore_sgprs(e);
	store_carried(e, c, false);
	LLVMBuildCondBr(e->b, first, done, late);
	em_go(e, late);
	store_carried(e, c, true);
	LLVMBuildBr(e->b, done);
	em_go(e, done);
	LLVMBuildCondBr(e->b, over_budget(e), over, retry);
	em_go(e, over);
	e->done = 0;
	em_leave(e, x->pc, em_c32(e, ISA_STOP_NONE), 0);
	em_go(e, retry);
	record_add(e, x, GIVEN_UP);
	LLVMBuildBr(e->b, plain);
}

static void emit_loop(struct em *e, struct jit_insn *x, const struct jit_insn *const *seq, u32 n,
		      LLVMBasicBlockRef plain)
{
	LLVMBasicBlockRef head = em_block(e), up = em_block(e), before = em_block(e), pre;
	LLVMBasicBlockRef taken = em_block(e), not = em_block(e), go_on = em_block(e);
	struct carried *c = calloc(JIT_MAX_ROWS, sizeof(*c));
	const struct jit_insn *last = seq[n - 1];
	struct wide *w = e->wide;
	LLVMValueRef first, r;
	u32 row, k;

	if (!c) {
		e->bad = true;
		return;
	}
	w->up = before;
	for (row = 0; row + 1 < JIT_MAX_ROWS; row++)
		if (w->address[row])
			address_of(e, row, true);
	for (row = 0; row < JIT_MAX_ROWS; row++) {
		if (w->base_only[row] && !is_address(w, row))
			make_same(e, row);
		for (k = 0; w->reads[row] && w->writes[row] && !is_address(w, row) &&
			    k < e->steps; k++)
			em_row_get(e, &e->held[k], row);
	}
	settle(e);
	pre = LLVMGetInsertBlock(e->b);
	LLVMBuildBr(e->b, head);
	em_go(e, before);
	record_add(e, x, GIVEN_UP);
	LLVMBuildBr(e->b, plain);

	em_go(e, head);
	w->up = up;
	first = LLVMBuildPhi(e->b, LLVMInt1TypeInContext(e->c), "");
	begin_rows(e, c, pre);
	save_sgprs(e, x, last);
	LLVMBuildCondBr(e->b, over_budget(e), up, go_on);
	em_go(e, go_on);
	emit_seq(e, seq, n - 1);
	end_rows(e, c);
	r = CALL(e, last->op->name, e->w, em_insn(e, last));
	r = LLVMBuildICmp(e->b, LLVMIntEQ, r, em_c32(e, ISA_STOP_BRANCH), "");
	LLVMBuildCondBr(e->b, r, taken, not);

	em_go(e, taken);
	carry_rows(e, c, pre, taken, head);
	em_go(e, taken);
	em_add_count(e, 1);
	LLVMBuildBr(e->b, head);
	phi_in(first, LLVMConstInt(LLVMInt1TypeInContext(e->c), 1, false), pre);
	phi_in(first, LLVMConstInt(LLVMInt1TypeInContext(e->c), 0, false), taken);

	em_go(e, not);
	commit(e);
	LLVMBuildStore(e->b, em_c32(e, 0), record(e, x));
	e->wide = NULL;
	em_jump(e, jit_next_pc(last), 1 + last->crosses);
	e->wide = w;
	emit_up(e, x, c, first, plain);
	free(c);
}

static bool is_turn(const struct jit_insn *x, const struct jit_insn *const *seq, u32 n)
{
	const struct jit_insn *last = seq[n - 1];
	u32 k;

	for (k = 0; k < n; k++)
		if (seq[k]->kind == JIT_KIND_STORE)
			return false;
	return last->kind == JIT_KIND_BRANCH && last->i.op != ISA_OP_S_BRANCH &&
	       jit_target_pc(last) == x->pc;
}

void em_wide(struct em *e, struct jit_insn *x, LLVMBasicBlockRef plain)
{
	LLVMBasicBlockRef here, first = LLVMGetEntryBasicBlock(e->fn);
	LLVMBasicBlockRef try = em_block(e), not = em_block(e);
	const struct jit_insn *seq[MAX_WIDE_BLOCK], *cut, *last = block_end(e, x, &cut), *y = x;
	struct wide *w = calloc(1, sizeof(*w));
	LLVMValueRef often;
	u32 n = 0, k;

	if (!w) {
		e->bad = true;
		return;
	}
	e->wide = w;
	for (seq[n++] = y; y != last; seq[n++] = y)
		y = after(e, y);
	w->lanes = LLVMVectorType(e->i32, ISA_LANES / e->steps);
	here = LLVMGetInsertBlock(e->b);
	LLVMPositionBuilder(e->b, first, LLVMGetFirstInstruction(first));
	w->scratch[0] = LLVMBuildArrayAlloca(e->b, e->vi, em_c32(e, 2), "");
	w->scratch[1] = LLVMBuildArrayAlloca(e->b, e->vi, em_c32(e, 6), "");
	LLVMPositionBuilderAtEnd(e->b, here);
	often = LLVMBuildLoad2(e->b, e->i32, record(e, x), "");
	LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntUGE, often, em_c32(e, TOO_OFTEN), ""),
			not, try);
	em_go(e, not);
	record_add(e, x, 1);
	LLVMBuildBr(e->b, plain);
	em_go(e, try);
	e->full = true;
	e->npending = 0;
	for (k = 0; k < e->steps; k++)
		e->held[k].k = em_c32(e, k);
	find_rows(e, x, last);
	w->loop = is_turn(x, seq, n);
	for (k = 0; k < (w->loop ? 3 : 1); k++)
		find_wanted(e, seq, n);
	/* A row is part of one address. */
	for (k = JIT_MAX_ROWS - 1; k; k--)
		w->address[k] &= !w->address[k - 1];
	find_added(e, seq, n);
	if (w->loop)
		emit_loop(e, x, seq, n, plain);
	else
		emit_once(e, x, seq, n, plain);
	drop(e);
	e->npending = 0;
	e->wide = NULL;
	free(w);
}
