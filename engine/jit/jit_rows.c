// SPDX-License-Identifier: MIT
/* Which rows a block reads and writes, and which of them are addresses. */
#include "jit_wide.h"

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
	u32 n = rows_written(x), dst = n ? em_row_of(e, x->i.dst) : 0;

	return row >= dst && row < dst + n;
}

/* Does @x read or write @row? Rather yes than no. */
static bool uses_row(struct em *e, const struct jit_insn *x, u32 row)
{
	u32 n, src;

	if (!em_is_vector(x) && !em_is_memory(x))
		return false;
	if (writes_row(e, x, row))
		return true;
	for (n = 0; n < 3; n++) {
		if (!em_is_vgpr(x->i.src[n]))
			continue;
		src = em_row_of(e, x->i.src[n]);
		if (row >= src && row < src + 4)
			return true;
	}
	return false;
}

bool em_is_add(const struct jit_insn *x, bool cin)
{
	return x->kind == JIT_KIND_CARRY && !x->op->how && x->op->cin == cin;
}

/* Which source of @x, an addition, is the address: the VGPR that is not known as scalar */
int em_address_source(struct em *e, const struct jit_insn *x, const struct jit_insn **high)
{
	u32 mask = em_mask_code(x->i.sdst), n, k, low, dst = em_row_of(e, x->i.dst);
	const struct jit_insn *y;

	for (y = em_after(e, x); y && !y->leader; y = em_after(e, y)) {
		if (em_is_add(y, true) && em_cin_code(y) == mask)
			break;
		if (uses_row(e, y, dst) || em_ends_block(y) || y->kind == JIT_KIND_S_LOAD ||
		    em_is_memory(y))
			return -1;
		for (n = 0; n < 3; n++)
			if (y->i.src[n] + 1u >= mask && y->i.src[n] <= mask + 1)
				return -1;
		if (em_makes_mask(y) || (y->kind == JIT_KIND_SALU && y->i.dst + 1u >= mask &&
					 y->i.dst <= mask + 1))
			return -1;
		if (em_is_vector(y) && y->op->cin)
			return -1;
	}
	if (!y || y->leader || em_mask_code(y->i.sdst) != mask)
		return -1;
	*high = y;
	for (n = 0; n < 2; n++) {
		if (!em_is_vgpr(x->i.src[n]))
			continue;
		low = em_row_of(e, x->i.src[n]);
		for (k = 0; k < 2; k++)
			if (em_is_vgpr(y->i.src[k]) && em_row_of(e, y->i.src[k]) == low + 1)
				break;
		if (k == 2)
			continue;
		/* Nothing between may change it. */
		for (y = em_after(e, x); y != *high; y = em_after(e, y))
			if (writes_row(e, y, low) || writes_row(e, y, low + 1))
				return -1;
		return (int)n;
	}
	return -1;
}

/* ---- what the block does with rows ---- */

static void reads_rows(struct em *e, u32 code, u32 n)
{
	struct wide *w = e->wide;
	u32 row;

	if (!em_is_vgpr(code))
		return;
	for (row = em_row_of(e, code); n; n--, row++)
		w->reads[row] |= !w->writes[row];
}

void em_find_rows(struct em *e, const struct jit_insn *x, const struct jit_insn *last)
{
	u32 n, k, dst;

	for (;; x = em_after(e, x)) {
		if (em_is_memory(x)) {
			reads_rows(e, x->i.src[0], em_has_saddr(x) ? 1 : 2);
			if (x->kind == JIT_KIND_STORE)
				reads_rows(e, x->i.src[2], 1);
		} else if (em_is_vector(x)) {
			for (n = 0; n < x->op->nsrc; n++)
				reads_rows(e, x->op->acc && n == 2 ? x->i.dst : x->i.src[n], 2);
		}
		n = em_is_memory(x) || em_is_vector(x) ? rows_written(x) : 0;
		for (dst = n ? em_row_of(e, x->i.dst) : 0, k = 0; k < n; k++)
			e->wide->writes[dst + k] = true;
		if (x == last)
			return;
	}
}

/* What makes the high part behind a number: zero, or another, or that one's sign */
static bool is_high_of_number(struct em *e, const struct jit_insn *x, u32 low)
{
	if (x->kind != JIT_KIND_VEC)
		return false;
	if (x->i.op == ISA_OP_V_MOV_B32)
		return !em_is_vgpr(x->i.src[0]);
	return x->i.op == ISA_OP_V_ASHRREV_I32 && em_is_vgpr(x->i.src[1]) &&
	       em_row_of(e, x->i.src[1]) == low;
}

/* The sources of @x, whose result leads to an address */
static void want_sources(struct em *e, const struct jit_insn *x)
{
	struct wide *w = e->wide;
	u32 n;

	w->affine[x - e->u->insn] = true;
	for (n = 0; n < x->op->nsrc; n++) {
		if (!em_is_vgpr(x->i.src[n]))
			continue;
		w->alone[em_row_of(e, x->i.src[n])] = true;
		/* At a loop's head it would have to be one already. */
		if (x->op->wide >> n & 1 && !w->loop)
			w->address[em_row_of(e, x->i.src[n])] = true;
	}
}

/* From the end on: which low parts of addresses are needed, in e->wide->address, and numbers */
void em_find_wanted(struct em *e, const struct jit_insn *const *seq, u32 n)
{
	bool *want = e->wide->address, *alone = e->wide->alone;
	const struct jit_insn *high;
	u32 k, dst;
	int src;

	while (n--) {
		const struct jit_insn *x = seq[n];
		u32 rows = em_is_memory(x) || em_is_vector(x) ? rows_written(x) : 0;
		bool sum, number;

		dst = rows ? em_row_of(e, x->i.dst) : 0;
		sum = rows && want[dst];
		number = rows && alone[dst];
		for (k = 0; k < rows; k++) {
			want[dst + k] = false;
			alone[dst + k] = false;
		}
		/* What is before it is no address yet. */
		if (dst && want[dst - 1] && is_high_of_number(e, x, dst - 1)) {
			want[dst - 1] = false;
			alone[dst - 1] = true;
			number |= x->i.op == ISA_OP_V_ASHRREV_I32;
		}
		if (em_is_affine(x) && (x->kind == JIT_KIND_WIDE ? sum : number)) {
			want_sources(e, x);
			continue;
		}
		if (number && x->i.op == ISA_OP_V_MOV_B32 && em_is_vgpr(x->i.src[0]))
			alone[em_row_of(e, x->i.src[0])] = true;
		if (sum && em_is_add(x, false)) {
			src = em_address_source(e, x, &high);
			if (src >= 0) {
				e->wide->wanted[x - e->u->insn] = true;
				want[em_row_of(e, x->i.src[src])] = true;
			}
		} else if (sum && (x->i.op == ISA_OP_V_MOV_B32 || x->i.op == ISA_OP_V_PK_MOV_B32) &&
			   em_is_vgpr(x->i.src[0])) {
			want[em_row_of(e, x->i.src[0]) + (rows > 1 ? x->i.opsel & 1 : 0)] = true;
		}
		if (em_is_memory(x))
			(em_has_saddr(x) ? alone : want)[em_row_of(e, x->i.src[0])] = true;
	}
}

/* Rows that are added to addresses and stay what they are */
void em_find_added(struct em *e, const struct jit_insn *const *seq, u32 n)
{
	struct wide *w = e->wide;
	const struct jit_insn *high;
	u32 k, row;
	int src;

	while (n--) {
		if (!w->wanted[seq[n] - e->u->insn])
			continue;
		src = em_address_source(e, seq[n], &high);
		for (k = 0; src >= 0 && k < 2; k++) {
			if (em_is_vgpr(seq[n]->i.src[k]) && (int)k != src)
				w->base_only[em_row_of(e, seq[n]->i.src[k])] = true;
			if (!em_is_vgpr(high->i.src[k]))
				continue;
			row = em_row_of(e, high->i.src[k]);
			w->base_only[row] |= row != em_row_of(e, seq[n]->i.src[src]) + 1;
		}
	}
	for (row = 0; row < JIT_MAX_ROWS; row++)
		w->base_only[row] &= !w->writes[row];
}
