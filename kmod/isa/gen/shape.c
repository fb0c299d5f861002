// SPDX-License-Identifier: GPL-2.0-only
/* How an operation of the vector ALU is computed, and by which expressions. */
#include <string.h>
#include "meaning.h"

static bool has_type(const struct meaning *m, unsigned int bits)
{
	unsigned int n;

	for (n = 0; n < MAX_SRC; n++)
		if (type_info[m->src[n]].bits == bits)
			return true;
	return type_info[m->dst].bits == bits;
}

/* The function that computes most lanes in vectors and leaves the rest, or NULL */
const char *near_of(const struct meaning *m)
{
	const struct node *n = m->expr;

	if (!n || n->kind != NODE_CALL || !takes_sources(n) || !can(n, HOW_LANE))
		return NULL;
	return n->fn->how[HOW_NEAR];
}

enum shape shape_of(const struct meaning *m)
{
	bool vec;

	if (m->bind)
		return SHAPE_BIND;
	if (m->rows)
		return SHAPE_ROWS;
	vec = can(m->expr, HOW_VEC) && (m->expr->kind != NODE_SRC || !has_type(m, 16));
	if (!m->dst) {
		if (!vec && near_of(m))
			return SHAPE_CMP_NEAR;
		if (!vec && can(m->expr, HOW_HALF))
			return SHAPE_CMP_HALF;
		if (!vec)
			return SHAPE_CMP_LANE;
		return m->expr->type == TY_LANE64 ? SHAPE_CMP_WIDE : SHAPE_CMP;
	}
	if (vec && m->dst == TY_PK_F32)
		return SHAPE_PAIR;
	if (vec)
		return has_type(m, 64) ? SHAPE_WIDE : SHAPE_VECTOR;
	if (near_of(m))
		return SHAPE_NEAR;
	if (can(m->expr, HOW_HALF) && m->expr->kind == NODE_CALL)
		return SHAPE_HALF;
	if (!can(m->expr, HOW_LANE))
		die(&m->at, "%s: no way to compute this", m->op->name);
	return SHAPE_LANE;
}

bool is_pk16(const struct meaning *m)
{
	return type_info[m->dst].is_packed && type_info[m->dst].bits == 32;
}

/* Does it have handlers for plain forms? */
bool has_fast(const struct meaning *m, enum shape shape)
{
	if (m->cold || has_type(m, 16) || is_pk16(m))
		return false;
	return shape == SHAPE_CMP || shape == SHAPE_WIDE || shape == SHAPE_VECTOR ||
	       (shape == SHAPE_NEAR && !m->acc);
}

/* The first two sources may change places. */
bool commutes(const struct meaning *m, enum shape shape)
{
	const struct node *n = m->expr;

	return shape == SHAPE_VECTOR && has_fast(m, shape) && n->kind == NODE_CALL &&
	       n->fn->commutes && n->arg[0]->kind == NODE_SRC && n->arg[1]->kind == NODE_SRC &&
	       nsrc(m) == 2;
}

const char *lane_expr(const struct meaning *m)
{
	int mod = is_modular(m->expr) ? HALF_MODULAR : 0;

	if (!is_pk16(m))
		return emit(m, m->expr, HOW_LANE);
	return text("pk2(%s, %s)", emit_half_of(m, m->expr, HOW_LANE, mod),
		    emit_half_of(m, m->expr, HOW_LANE, mod | 1));
}

const char *vector_expr(const struct meaning *m)
{
	if (is_pk16(m))
		return text("vi_pk16(%s, %s)", emit_half_of(m, m->expr, HOW_VEC, 0),
			    emit_half_of(m, m->expr, HOW_VEC, 1));
	if (type_info[m->dst].bits == 16)
		return text("vi_u16(%s)", emit(m, m->expr, HOW_VEC));
	return emit(m, m->expr, HOW_VEC);
}

/* What the functions of an operation are made of, as text */
static const char *ingredients(struct meaning *m)
{
	enum shape shape = shape_of(m);
	const char *s;

	if (m->ingredients || !m->expr)
		return m->expr ? m->ingredients : m->op->name;
	s = text("%d %d,%d,%d,%d %d%d%d%d%d%d%d %u", shape, m->dst, m->src[0], m->src[1], m->src[2],
		 m->acc, m->cold, m->dear, m->sdwa, m->sat, m->tame, m->rne,
		 m->in + 4 * m->is_long);

	if (can(m->expr, HOW_VEC))
		s = text("%s %s", s, emit(m, m->expr, HOW_VEC));
	if (can(m->expr, HOW_LANE))
		s = text("%s %s", s, lane_expr(m));
	m->ingredients = s;
	return s;
}

/* The first operation with the same functions, which this one shares; it may be itself */
const struct meaning *same_as(const struct meaning *m)
{
	const char *s = ingredients(&meanings[m - meanings]);
	struct meaning *o;

	for (o = meanings; strcmp(ingredients(o), s); o++)
		;
	return o;
}

/* For an expression this follows from it; for a function written by hand the row says it */
bool goes_by_lane(const struct meaning *m)
{
	enum shape shape = shape_of(m);

	return shape == SHAPE_LANE || shape == SHAPE_CMP_LANE || m->lanes;
}

bool goes_by_lane_in_sse2(const struct meaning *m)
{
	enum shape shape = shape_of(m);

	return shape == SHAPE_HALF || shape == SHAPE_CMP_HALF ||
	       (m->expr && m->expr->kind == NODE_CALL && m->expr->fn->by_lane_in_sse2);
}
