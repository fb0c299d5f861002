// SPDX-License-Identifier: MIT
/*
 * What is known of a row beyond its vectors: that it is part of an address, one base and one stride
 * for all lanes, or the same in all lanes. Vectors are made of it where they are needed. Additions
 * to addresses are scalar ones, and loads and stores by them one look into the TLB.
 */
#include "jit_wide.h"
#include "mem.h"

#define CACHE_LINE	64u

/* ---- rows ---- */

u32 em_row_of(struct em *e, u32 code)
{
	u32 row = jit_row(&e->u->key, code);

	/* Who asks for the unit is not trusted. */
	e->bad |= !em_is_vgpr(code) || row >= JIT_MAX_ROWS - 4;
	return row % (JIT_MAX_ROWS - 4);
}

LLVMValueRef em_to_lanes(struct em *e, LLVMValueRef v)
{
	return LLVMBuildBitCast(e->b, v, e->wide->lanes, "");
}

LLVMValueRef em_first_lane(struct em *e, LLVMValueRef v)
{
	return LLVMBuildExtractElement(e->b, em_to_lanes(e, v), em_c32(e, 0), "");
}

static LLVMValueRef low_half(struct em *e, LLVMValueRef v)
{
	return LLVMBuildTrunc(e->b, v, e->i32, "");
}

static LLVMValueRef high_half(struct em *e, LLVMValueRef v)
{
	return low_half(e, LLVMBuildLShr(e->b, v, em_c64(e, 32), ""));
}

LLVMValueRef em_pair_of(struct em *e, LLVMValueRef low, LLVMValueRef high)
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
	s = em_to_lanes(e, CALL(e, "jit_splat", low_half(e, stride)));
	return LLVMBuildMul(e->b, s, LLVMConstVector(lane, vw), "");
}

/* Vector @k of a row of which no more than @s is known */
LLVMValueRef em_shape_vector(struct em *e, const struct shape *s, u32 k)
{
	LLVMValueRef v;

	if (s->same)
		return CALL(e, "jit_splat", s->same);
	if (s->part == PART_HIGH)
		return CALL(e, "jit_splat", high_half(e, s->base));
	v = em_to_lanes(e, CALL(e, "jit_splat", low_half(e, s->base)));
	v = LLVMBuildAdd(e->b, v, strides(e, s->stride, k), "");
	return LLVMBuildBitCast(e->b, v, e->vi, "");
}

bool em_is_shaped(const struct shape *s)
{
	return s->part || s->same;
}

void em_hold(struct em *e, u32 row, u32 k, LLVMValueRef v, bool dirty)
{
	struct held *h = &e->held[k];

	if (!h->cur[row])
		h->row[h->n++] = (u16)row;
	h->cur[row] = v;
	h->dirty[row] |= dirty;
}

/* Makes vectors of what is known of a row. */
void em_spread(struct em *e, u32 row)
{
	struct wide *w = e->wide;
	u32 k;

	if (e->held[0].cur[row] || !em_is_shaped(&w->at[row]))
		return;
	for (k = 0; k < e->steps; k++)
		em_hold(e, row, k, em_shape_vector(e, &w->at[row], k), w->lazy[row]);
	w->lazy[row] = false;
}

LLVMValueRef em_wide_get(struct em *e, struct held *h, u32 row)
{
	em_spread(e, row);
	return h->cur[row];
}

void em_wide_forget(struct em *e, u32 row)
{
	e->wide->at[row] = (struct shape) { 0 };
	e->wide->lazy[row] = false;
}

/* The row is what @s says. */
void em_put_shape(struct em *e, u32 row, const struct shape *s)
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

/* ---- addresses ---- */

/* The last lane's address must have the first one's upper half. */
void em_check_high(struct em *e, const struct shape *s)
{
	LLVMValueRef last = LLVMBuildMul(e->b, s->stride, em_c64(e, ISA_LANES - 1), "");

	last = LLVMBuildAdd(e->b, last, s->base, "");
	last = LLVMBuildLShr(e->b, LLVMBuildXor(e->b, last, s->base, ""), em_c64(e, 32), "");
	em_give_up_later(e, LLVMBuildICmp(e->b, LLVMIntNE, last, em_c64(e, 0), ""));
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
	x = em_to_lanes(e, e->held[0].cur[low]);
	base = em_first_lane(e, e->held[0].cur[low]);
	stride = LLVMBuildSub(e->b, LLVMBuildExtractElement(e->b, x, em_c32(e, 1), ""), base, "");
	high = is_pair ? em_first_lane(e, e->held[0].cur[low + 1]) : em_c32(e, 0);
	s.stride = LLVMBuildZExt(e->b, stride, e->i64, "");
	s.base = em_pair_of(e, base, high);
	base = em_to_lanes(e, CALL(e, "jit_splat", base));
	h = em_to_lanes(e, CALL(e, "jit_splat", high));
	for (k = 0; k < e->steps; k++) {
		x = LLVMBuildSub(e->b, em_to_lanes(e, e->held[k].cur[low]), strides(e, s.stride, k), "");
		x = LLVMBuildXor(e->b, x, base, "");
		acc = acc ? LLVMBuildOr(e->b, acc, x, "") : x;
		if (!is_pair)
			continue;
		x = LLVMBuildXor(e->b, em_to_lanes(e, e->held[k].cur[low + 1]), h, "");
		acc = LLVMBuildOr(e->b, acc, x, "");
	}
	all = LLVMIntTypeInContext(e->c, ISA_LANES / e->steps * 32);
	acc = LLVMBuildBitCast(e->b, acc, all, "");
	em_give_up_if(e, LLVMBuildICmp(e->b, LLVMIntNE, acc, LLVMConstNull(all), ""));
	s.part = PART_LOW;
	s.alone = !is_pair;
	w->at[low] = s;
	s.part = PART_HIGH;
	if (is_pair)
		w->at[low + 1] = s;
	em_check_high(e, &s);
}

/* The address in rows @low and @low + 1, or in @low alone */
struct shape em_address_of(struct em *e, u32 low, bool is_pair)
{
	struct wide *w = e->wide;
	struct shape *l = &w->at[low], *h = &w->at[low + 1];
	struct shape s = { .part = PART_LOW };

	if (!is_pair && l->alone)
		return *l;
	if (is_pair && l->part == PART_LOW && h->part == PART_HIGH && l->base == h->base &&
	    l->stride == h->stride)
		return *l;
	/* A number that counts up, below one that all lanes have */
	if (is_pair && l->alone && h->same) {
		s.base = em_pair_of(e, LLVMBuildTrunc(e->b, l->base, e->i32, ""), h->same);
		s.stride = l->stride;
		return s;
	}
	if (l->same && (!is_pair || h->same)) {
		s.base = em_pair_of(e, l->same, is_pair ? h->same : em_c32(e, 0));
		s.stride = em_c64(e, 0);
		return s;
	}
	make_address(e, low, is_pair);
	return w->at[low];
}

/* A scalar operand, or a row whose lanes are all the same; NULL: it is neither */
LLVMValueRef em_same_of(struct em *e, const struct jit_insn *x, const struct scalars *s, u32 n)
{
	if (!em_is_vgpr(x->i.src[n]))
		return s->v[n][0] ? em_first_lane(e, s->v[n][0]) : NULL;
	return e->wide->at[em_row_of(e, x->i.src[n])].same;
}

/* The addition at @x waits if it is part of an address. */
bool em_add_low(struct em *e, const struct jit_insn *x, const struct scalars *s)
{
	struct waiting *wait = &e->wide->waiting;
	const struct jit_insn *high;
	int n;

	if (wait->with || !em_is_add(x, false) || !e->wide->wanted[x - e->u->insn])
		return false;
	n = em_address_source(e, x, &high);
	if (n < 0)
		return false;
	wait->low = em_same_of(e, x, s, !n);
	if (!wait->low)
		return false;
	wait->from = em_address_of(e, em_row_of(e, x->i.src[n]), true);
	wait->scalars = *s;
	wait->with = high;
	return true;
}

/* The high part of the address that waits; false: it is no address */
bool em_add_high(struct em *e, const struct jit_insn *x, const struct jit_insn *lowx,
		 const struct scalars *s)
{
	struct waiting *wait = &e->wide->waiting;
	struct shape to = { .stride = wait->from.stride };
	LLVMValueRef high = NULL, carry;
	struct pending *p;
	int src = em_address_source(e, lowx, &x);
	u32 n, k, low;

	if (src < 0)
		return false;
	low = em_row_of(e, lowx->i.src[src]);
	for (n = 0; n < 2 && !high; n++)
		if (em_is_vgpr(x->i.src[!n]) && em_row_of(e, x->i.src[!n]) == low + 1)
			high = em_same_of(e, x, s, n);
	if (!high)
		return false;
	to.base = LLVMBuildAdd(e->b, wait->from.base, em_pair_of(e, wait->low, high), "");
	em_check_high(e, &to);
	carry = LLVMBuildICmp(e->b, LLVMIntULT, to.base, wait->from.base, "");
	p = em_mask_new(e, x);
	p->sum = LLVMBuildSExt(e->b, carry, e->i64, "");
	for (k = 0; k < e->steps; k++)
		p->vm[k] = CALL(e, "jit_mask_step", p->sum, em_c32(e, k));
	to.part = PART_LOW;
	em_put_shape(e, em_row_of(e, lowx->i.dst), &to);
	to.part = PART_HIGH;
	em_put_shape(e, em_row_of(e, x->i.dst), &to);
	return true;
}

/* ---- memory ---- */

static LLVMValueRef place(struct em *e, const struct jit_insn *x, u32 n, u32 access,
			  LLVMValueRef *by_lane)
{
	bool saddr = em_has_saddr(x);
	struct shape s = em_address_of(e, em_row_of(e, x->i.src[0]), !saddr);
	LLVMValueRef va = s.base, span, last, p, each, one;

	if (x->i.enc == ISA_ENC_FLAT) {
		last = LLVMBuildAdd(e->b, va, LLVMBuildMul(e->b, s.stride,
							   em_c64(e, ISA_LANES - 1), ""), "");
		last = LLVMBuildOr(e->b, CALL(e, "jit_in_aperture", e->sw, va),
				   CALL(e, "jit_in_aperture", e->sw, last), "");
		em_give_up_if(e, LLVMBuildICmp(e->b, LLVMIntNE, last, em_c32(e, 0), ""));
	}
	if (saddr)
		va = LLVMBuildAdd(e->b, va, CALL(e, "jit_scalar_pair", e->sw,
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
	p = em_look_up(e, va, span, ISA_LANES * 4 * n, access);
	em_give_up_later(e, LLVMBuildNot(e->b, one, ""));
	em_give_up_later(e, LLVMBuildICmp(e->b, LLVMIntEQ, p, LLVMConstNull(e->ptr), ""));
	/* The earlier, the fewer registers have to be kept as they were. */
	em_settle(e);
	*by_lane = each;
	return p;
}

/* @n rows, each of one of the dwords at @p. Two are one access: mv_get64() in kmod/isa. */
static void same_dwords(struct em *e, LLVMValueRef p, u32 n, LLVMValueRef *row)
{
	LLVMValueRef pair, at;
	u32 d;

	for (d = 0; d + 2 <= n; d += 2) {
		pair = em_shared(LLVMBuildLoad2(e->b, e->i64, em_at(e, e->i32, p, d), ""));
		row[d] = CALL(e, "jit_splat", LLVMBuildTrunc(e->b, pair, e->i32, ""));
		pair = LLVMBuildLShr(e->b, pair, em_c64(e, 32), "");
		row[d + 1] = CALL(e, "jit_splat", LLVMBuildTrunc(e->b, pair, e->i32, ""));
	}
	if (d < n) {
		at = em_at(e, e->i32, p, d);
		row[d] = CALL(e, "jit_splat", em_shared(LLVMBuildLoad2(e->b, e->i32, at, "")));
	}
}

/*
 * Processors fetch ahead within a page. Loops that go from row to row of something are in another
 * one after few turns, so what is as far into the next page is fetched with each load.
 */
static void fetch_ahead(struct em *e, LLVMValueRef p)
{
	static const char name[] = "llvm.prefetch";
	unsigned int id = LLVMLookupIntrinsicID(name, sizeof(name) - 1);
	LLVMTypeRef ptr[] = { e->ptr }, byte = LLVMInt8TypeInContext(e->c);
	LLVMTypeRef type = LLVMIntrinsicGetType(e->c, id, ptr, 1);
	LLVMValueRef fn = LLVMGetIntrinsicDeclaration(e->m, id, ptr, 1);
	LLVMValueRef args[] = {
		p,
		em_c32(e, 0),		/* to be read */
		em_c32(e, 3),		/* into the nearest cache */
		em_c32(e, 1),		/* data */
	};
	u32 at;

	for (at = 0; at < ISA_LANES * 4; at += CACHE_LINE) {
		args[0] = em_at(e, byte, p, ISA_PAGE_BYTES + at);
		LLVMBuildCall2(e->b, type, fn, args, ARRAY_SIZE(args), "");
	}
}

void em_wide_load(struct em *e, const struct jit_insn *x)
{
	LLVMBasicBlockRef by_lane = em_block(e), same = em_block(e), join = em_block(e), from[2];
	u32 n = x->op->how, dst = em_row_of(e, x->i.dst), d, k;
	LLVMValueRef each, p = place(e, x, n, ISA_R, &each), v[4][MAX_STEPS], one[4], in[2], phi;
	LLVMTypeRef byte = LLVMInt8TypeInContext(e->c);

	LLVMBuildCondBr(e->b, each, by_lane, same);
	em_go(e, by_lane);
	if (e->wide->loop)
		fetch_ahead(e, p);
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
	same_dwords(e, p, n, one);
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

void em_wide_store(struct em *e, const struct jit_insn *x)
{
	LLVMTypeRef byte = LLVMInt8TypeInContext(e->c);
	LLVMValueRef each, p = place(e, x, 1, ISA_W, &each);
	u32 k, row = em_row_of(e, x->i.src[2]);

	em_settle(e);
	e->wide->stored = true;
	for (k = 0; k < e->steps; k++)
		em_shared(LLVMBuildStore(e->b, em_row_get(e, &e->held[k], row),
					 em_at(e, byte, p, k * ISA_LANES / e->steps * 4)));
}
