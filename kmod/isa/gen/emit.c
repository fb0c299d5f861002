// SPDX-License-Identifier: GPL-2.0-only
/* C expressions of meanings, by the templates of tab/prim.tab. */
#include <ctype.h>
#include <string.h>
#include "meaning.h"

static bool is_vector(enum how how)
{
	return how != HOW_LANE && how != HOW_WIDE && how != HOW_SCALAR;
}

/* Does C text @expr name @word? */
bool names(const char *expr, const char *word)
{
	size_t len = strlen(word);
	const char *s;

	for (s = expr; (s = strstr(s, word)); s++) {
		bool before = s > expr && (isalnum((unsigned char)s[-1]) || s[-1] == '_');
		bool after = isalnum((unsigned char)s[len]) || s[len] == '_';

		if (!before && !after)
			return true;
	}
	return false;
}

/* The template of a call, or NULL */
static const char *template(const struct node *n, enum how how)
{
	const struct fn *f = n->fn;

	if (how == HOW_VEC && f->how[HOW_IMM] && n->arg[n->nargs - 1]->kind == NODE_NUMBER)
		return f->how[HOW_IMM];
	if (how == HOW_WIDE && !f->how[HOW_WIDE])
		return f->how[HOW_LANE];
	return f->how[how];
}

/* Can @n be computed this way? */
bool can(const struct node *n, enum how how)
{
	unsigned int i;

	if (n->kind == NODE_NUMBER || n->kind == NODE_SLICE)
		return how != HOW_HALF && (!n->nargs || can(n->arg[0], how));
	if (n->kind == NODE_SRC)
		return true;
	if (!template(n, how))
		return false;
	for (i = 0; i < n->nargs; i++)
		if (!can(n->arg[i], how))
			return false;
	return true;
}

/* An operand of the scalar unit as scalars.c calls it; with @half, a dword of it */
static const char *emit_scalar(const struct node *n, int half)
{
	if (!strcmp(n->name, "SCC"))
		return "w->scc";
	if (!strcmp(n->name, "EXEC"))
		return "exec";
	if (!strcmp(n->name, "TMP"))
		return "tmp";
	if (!strcmp(n->name, "VCC"))
		return "isa_vcc(w)";
	if (n->is_d)
		return "d";
	return text(half == HALF_NONE ? "%c" : "%c[%d]", "ab"[n->slot], half);
}

static const char *emit_src(const struct node *n, enum how how, int half)
{
	static const char * const letters[] = { "a", "b", "c" };
	static const char * const halves[2][2] = {
		{ "low_u16", "high_u16" }, { "low_s16", "high_s16" },
	};
	const char *s = letters[n->slot];

	if (how == HOW_SCALAR)
		return emit_scalar(n, half);
	if (is_vector(how) && half != HALF_NONE && half & 1)
		return text(n->type == TY_I16 ? "vi_srai(%s, 16)" : "vi_srli(%s, 16)", s);
	if (is_vector(how) && how != HOW_HALF && type_info[n->type].bits == 16)
		return text(n->type == TY_I16 ? "vi_i16(%s)" : "vi_u16(%s)", s);
	if (is_vector(how))
		return s;
	if (half != HALF_NONE)
		s = text("%s(%s)",
			 halves[n->type == TY_I16 && !(half & HALF_MODULAR)][half & 1], s);
	if (how == HOW_WIDE && !type_info[n->type].is_packed)
		s = text("(s64)%s", s);
	return s;
}

static bool is_wide(const struct node *n)
{
	return type_info[n->type].bits == 64;
}

/* @wide: vectors of 64-bit lanes; a 32-bit count is widened to that, too */
static const char *emit_slice(const struct node *n, const char *s, enum how how, bool wide)
{
	bool sign = type_info[n->type].is_signed;
	unsigned int top = 31 - n->hi;
	unsigned int mask = n->hi - n->lo == 31 ? ~0u : (1u << (n->hi - n->lo + 1)) - 1;

	if (!is_vector(how)) {
		if (sign)
			return text("%s((s32)((u32)%s << %u) >> %u)",
				    how == HOW_WIDE ? "(s64)" : "", s, top, top + n->lo);
		if (n->lo)
			return text("(%s >> %u & %#x)", s, n->lo, mask);
		return text("(%s & %#x)", s, mask);
	}
	if (wide)
		return mask == 63 ? text("vq_cnt(%s)", s) :
				    text("vi_and(%s, vq_splat(%u))", s, mask);
	if (sign)
		return text("vi_srai(vi_slli(%s, %u), %u)", s, top, top + n->lo);
	if (n->hi == 31)
		return text("vi_srli(%s, %u)", s, n->lo);
	if (n->lo)
		s = text("vi_srli(%s, %u)", s, n->lo);
	else if (mask == 31)
		return text("vi_cnt(%s)", s);
	return text("vi_and(%s, vi_splat(%#x))", s, mask);
}

static const char *emit_number(const struct node *n, enum how how, bool wide)
{
	bool is_float = type_info[n->type].is_float;

	if (how == HOW_SCALAR)
		return text("%s%s", text(n->value > 9 ? "%#llx" : "%llu", n->value),
			    n->type == TY_U64 ? "ull" : n->type == TY_U32 ? "u" : "");
	if (!is_vector(how))
		return text(n->value > 9 ? "%#llx" : "%llu", n->value);
	if (n->type == TY_F64)
		return text("vd_const(%#llx)", n->value);
	if (is_float)
		return text("vf_const(%#llx)", n->value);
	return text(wide ? "vq_splat(%llu)" : "vi_splat(%llu)", n->value);
}

/* Replaces $1, $2, $3 of a template. */
static const char *fill(const char *t, const char * const *arg, unsigned int nargs)
{
	char *s = text("%s", "");

	for (; *t; t++) {
		if (t[0] == '$' && t[1] >= '1' && t[1] < '1' + (int)nargs)
			s = text("%s%s", s, arg[*++t - '1']);
		else
			s = text("%s%c", s, *t);
	}
	return s;
}

static const char *emit_node(const struct meaning *m, const struct node *n, enum how how,
			     int half, bool wide)
{
	/* Below the outermost operator nothing is masked. */
	enum how below = is_vector(how) && how != HOW_HALF ? HOW_VEC : how;
	const char *arg[MAX_SRC], *t;
	const struct node *first;
	unsigned int i;

	switch (n->kind) {
	case NODE_SRC:
		return emit_src(n, how, half);
	case NODE_NUMBER:
		return emit_number(n, how, wide);
	case NODE_SLICE:
		return emit_slice(n, emit_node(m, n->arg[0], below, half, wide), how, wide);
	case NODE_CALL:
		break;
	}
	if (how == HOW_VEC && !strcmp(n->name, "!") && n->arg[0]->kind == NODE_CALL &&
	    n->arg[0]->fn->how[HOW_NOT])
		return emit_node(m, n->arg[0], HOW_NOT, half, wide);
	t = template(n, how);
	first = n->arg[0];
	if (how == HOW_VEC && n->fn->how[HOW_NOT1] && first->kind == NODE_CALL &&
	    !strcmp(first->name, "~")) {
		t = n->fn->how[HOW_NOT1];
		first = first->arg[0];
	}
	if (!t)
		die(&m->at, "%s: %s cannot be computed so", m->op->name, n->name);
	for (i = 0; i < n->nargs; i++) {
		if (t == n->fn->how[HOW_IMM] && i == n->nargs - 1)
			arg[i] = text("%llu", n->arg[i]->value);
		else
			arg[i] = emit_node(m, i ? n->arg[i] : first, below, half, wide);
	}
	return fill(t, arg, n->nargs);
}

static bool any_wide(const struct node *n)
{
	unsigned int i;

	if (is_wide(n) || n->type == TY_LANE64)
		return true;
	for (i = 0; i < n->nargs; i++)
		if (any_wide(n->arg[i]))
			return true;
	return false;
}

/* Only adds, subtracts and multiplies? Then the high bits of sources do not matter. */
bool is_modular(const struct node *n)
{
	unsigned int i;

	if (n->kind == NODE_SRC)
		return true;
	if (n->kind != NODE_CALL || !strchr("+-*", n->name[0]))
		return false;
	for (i = 0; i < n->nargs; i++)
		if (!is_modular(n->arg[i]))
			return false;
	return true;
}

/* Does each bit of the result depend on that bit of the sources alone? */
bool is_bitwise(const struct node *n)
{
	unsigned int i;

	if (n->kind == NODE_SRC)
		return n->name[0] == 'S' && strcmp(n->name, "SCC") != 0;
	if (n->kind != NODE_CALL || !strchr("&|^~", n->name[0]))
		return false;
	for (i = 0; i < n->nargs; i++)
		if (!is_bitwise(n->arg[i]))
			return false;
	return true;
}

/* Are the arguments of a call the sources, in their order? */
bool takes_sources(const struct node *n)
{
	unsigned int k;

	for (k = 0; k < n->nargs; k++)
		if (n->arg[k]->kind != NODE_SRC || n->arg[k]->slot != k)
			return false;
	return true;
}

/* One half of a packed operation: 0 or 1, with HALF_* */
const char *emit_half_of(const struct meaning *m, const struct node *n, enum how how, int half)
{
	return emit_node(m, n, how, half, m->expr && any_wide(m->expr));
}

const char *emit(const struct meaning *m, const struct node *n, enum how how)
{
	return emit_half_of(m, n, how, HALF_NONE);
}
