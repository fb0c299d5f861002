// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads tab/raises.tab, and writes which arithmetic exceptions the operations of the
 * vector ALU may raise, for isa/excp.c: the class of the outermost primitive, and its
 * formats.
 */
#include <string.h>
#include "meaning.h"

#define MAX_NAMES	128

static struct {
	const char *name, *class;
} raises[MAX_NAMES];
static unsigned int nraises;

/* isa/excp.c has a rule for each. */
const char *class_named(const struct place *at, const char *s)
{
	static const char * const classes[] = {
		"add", "sub", "mul", "mul0", "fma", "mad", "nan", "cmp", "sqrt", "rcp", "rsq",
		"log", "trig", "iflag", "fixup", "ldexp", "to_flt", "to_s32", "to_u32", "to_s16",
		"to_u16", "of_s32", "of_u32", "of_s16", "of_u16",
	};
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(classes); n++)
		if (!strcmp(classes[n], s))
			return classes[n];
	die(at, "unknown class of exceptions %s", s);
}

/* raises CLASS NAME ... */
void raises_read(const struct place *at, char **w, unsigned int n)
{
	unsigned int i;

	if (n < 3 || nraises + n > MAX_NAMES)
		die(at, "raises CLASS NAME ...");
	for (i = 2; i < n; i++) {
		raises[nraises].name = w[i];
		raises[nraises++].class = class_named(at, w[1]);
	}
}

static bool of_floats(const struct fn *f)
{
	unsigned int i;

	for (i = 0; i < f->nargs; i++)
		if (type_info[f->arg[i]].is_float)
			return true;
	return type_info[f->result].is_float;
}

/* The class of a primitive, or NULL */
static const char *class_of_call(const struct node *n)
{
	unsigned int i;

	if (n->kind != NODE_CALL || !of_floats(n->fn))
		return NULL;
	for (i = 0; i < nraises; i++)
		if (!strcmp(raises[i].name, n->name))
			return raises[i].class;
	return NULL;
}

static bool is_class(const struct node *n, const char *class)
{
	const char *is = class_of_call(n);

	return is && !strcmp(is, class);
}

static bool all_sources(const struct node *n)
{
	unsigned int i;

	for (i = 0; i < n->nargs; i++)
		if (n->arg[i]->kind == NODE_CALL)
			return false;
	return true;
}

/* Rules take operands in the order of the row's columns. */
static bool in_order(const struct node *n)
{
	unsigned int i;

	for (i = 1; i < n->nargs; i++)
		if (n->arg[i - 1]->kind == NODE_SRC && n->arg[i]->kind == NODE_SRC &&
		    n->arg[i - 1]->slot > n->arg[i]->slot)
			return false;
	return true;
}

/* What an expression of several primitives raises; NULL: nothing that is reported */
static const char *class_of_nested(const struct node *n)
{
	const struct node *first = n->arg[0];

	if (is_class(n, "add") && is_class(first, "mul"))
		return "mad";
	if (is_class(n, "add") && is_class(first, "mul0"))
		return "mad0";
	if (is_class(n, "nan") && is_class(first, "nan") && all_sources(first))
		return "nan";
	return NULL;
}

static const char *class_of(const struct meaning *m)
{
	const struct node *n = m->expr;

	if (m->raises || !n)
		return m->raises;
	if (n->kind == NODE_CALL && !strcmp(n->name, "!"))
		n = n->arg[0];
	if (!class_of_call(n))
		return NULL;
	if (!all_sources(n))
		return class_of_nested(n);
	if (in_order(n))
		return class_of_call(n);
	if (is_class(n, "sub"))
		return "subrev";
	die(&m->at, "%s: exceptions want sources in order", m->op->name);
}

static enum type element(enum type type)
{
	return type_info[type].element;
}

static const char *format(enum type type)
{
	unsigned int bits = type_info[element(type)].bits;

	return bits == 64 ? "F64" : bits == 16 ? "F16" : "F32";
}

static bool flushes(const struct meaning *m)
{
	return m->flush || (m->expr && m->expr->kind == NODE_CALL && m->expr->fn->flushes);
}

void emit_excp(void)
{
	unsigned int n;

	emit_head();
	for (n = 0; n < nmeanings; n++) {
		const struct meaning *m = &meanings[n];
		const char *class = class_of(m);
		bool to_float = type_info[element(m->dst)].is_float;

		if (!class)
			continue;
		printf("[ISA_OP_%s] = { RAISES_%s, %s, %s, %s },\n", upper(m->op->name),
		       upper(class), format(m->src[0]), format(to_float ? m->dst : m->src[0]),
		       type_info[m->dst].is_packed ? "RULE_PAIR" : flushes(m) ? "RULE_FLUSH" : "0");
	}
}
