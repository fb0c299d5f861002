// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes the handlers of the scalar unit: for each operation one for operands that
 * are plain words of the operand file ("fast"), and one for any; then the table that
 * binds them. isa/scalar.h has the accessors that they use.
 */
#include <string.h>
#include "meaning.h"

static bool is_register(const struct operand *o)
{
	return o->kind && strchr("csr", o->word[0]);
}

static bool is_wide(enum type type)
{
	return type_info[type].bits == 64;
}

static bool is_target(const struct step *s, const char *name)
{
	return !strcmp(s->target, name);
}

/* Does @n read the operand called @name? */
static bool reads(const struct node *n, const char *name)
{
	unsigned int i;

	if (n->kind == NODE_SRC)
		return !strcmp(n->name, name);
	for (i = 0; i < n->nargs; i++)
		if (reads(n->arg[i], name))
			return true;
	return false;
}

/* Does the operation read what @name was before it? */
static bool reads_old(const struct meaning *m, const char *name)
{
	unsigned int n;

	for (n = 0; n < m->nsteps; n++) {
		if (reads(m->steps[n].expr, name))
			return true;
		if (is_target(&m->steps[n], name))
			return false;
	}
	return false;
}

static bool writes(const struct meaning *m, const char *name)
{
	unsigned int n;

	for (n = 0; n < m->nsteps; n++)
		if (is_target(&m->steps[n], name))
			return true;
	return false;
}

/*
 * Of 64 bits and only of its sources' bits, in its first step alone: then it is
 * computed by halves, which need not be put together before. See isa_sfast_get64().
 */
static bool by_halves(const struct meaning *m)
{
	unsigned int n;

	if (!is_wide(m->dst) || !is_target(&m->steps[0], "D") || !is_bitwise(m->steps[0].expr))
		return false;
	for (n = 1; n < m->nsteps; n++)
		if (reads(m->steps[n].expr, "S0") || reads(m->steps[n].expr, "S1"))
			return false;
	return true;
}

static const char *c_type(enum type type)
{
	bool sign = type_info[type].is_signed;

	if (is_wide(type))
		return sign ? "s64" : "u64";
	return sign ? "s32" : "u32";
}

/* The value of operand code @code, such as "i->dst" */
static const char *value(enum type type, const char *code, bool fast)
{
	const char *s;

	if (is_wide(type))
		s = text(fast ? "isa_sfast_get64(w, %s)" : "isa_sget64(w, i, %s)", code);
	else
		s = text(fast ? "w->s[%s]" : "isa_sget32(w, i, %s)", code);
	return type_info[type].is_signed ? text("(%s)%s", c_type(type), s) : s;
}

/* May an operand be something else than a plain word? */
bool scalar_needs_any(const struct meaning *m)
{
	const struct row *r = m->op->row;

	return m->dst || is_register(&r->src[0]) || is_register(&r->src[1]);
}

static void emit_source(const struct meaning *m, unsigned int n, bool fast)
{
	const struct operand *o = &m->op->row->src[n];
	enum type type = m->src[n];
	const char *v;

	if (is_register(o))
		v = value(type, text("i->src[%u]", n), fast);
	else
		v = type == TY_I16 ? "(s32)i->lit" : "i->lit & 0xffff";
	printf("\t%s %c = %s;\n", c_type(type), "ab"[n], v);
}

static void emit_sources(const struct meaning *m, bool fast)
{
	unsigned int n;

	for (n = 0; n < 2; n++)
		if (m->src[n] && fast && by_halves(m))
			printf("\tconst u32 *%c = w->s + i->src[%u];\n", "ab"[n], n);
		else if (m->src[n])
			emit_source(m, n, fast);
	if (reads_old(m, "EXEC"))
		puts("\tu64 exec = isa_exec(w);");
	else if (writes(m, "EXEC"))
		puts("\tu64 exec;");
	if (reads_old(m, "D"))
		printf("\t%s d = %s;\n", c_type(m->dst), value(m->dst, "i->dst", fast));
	else if (m->dst)
		printf("\t%s d;\n", c_type(m->dst));
	if (m->tmp)
		printf("\t%s tmp;\n", c_type(m->tmp));
}

static void emit_step(const struct meaning *m, const struct step *s)
{
	const char *expr = emit(m, s->expr, HOW_SCALAR);

	if (is_target(s, "D"))
		printf("\td = %s;\n", expr);
	else if (is_target(s, "TMP"))
		printf("\ttmp = %s;\n", expr);
	else if (is_target(s, "SCC"))
		printf("\tw->scc = %s;\n", expr);
	else if (is_target(s, "EXEC"))
		printf("\texec = %s & w->all;\n\tisa_set_exec(w, exec);\n", expr);
	else
		printf("\treturn %s ? ISA_STOP_BRANCH : ISA_STOP_NONE;\n", expr);
}

/* The parameters that a branch does not use */
static void emit_unused(const struct meaning *m)
{
	if (!scalar_needs_any(m))
		puts("\t(void)i;");
	if (m->steps[0].expr->kind == NODE_NUMBER)
		puts("\t(void)w;");
}

static void emit_handler(const struct meaning *m, bool fast)
{
	bool halves = fast && by_halves(m);
	unsigned int n;

	printf("static enum isa_stop %s_%s(struct isa_wave *w, const struct isa_insn *i)\n{\n",
	       m->op->name, fast ? "fast" : "any");
	emit_unused(m);
	emit_sources(m, fast);
	if (halves)
		printf("\tu32 lo = %s, hi = %s;\n\n\tisa_hide(hi);\n\td = lo | (u64)hi << 32;\n",
		       emit_half_of(m, m->steps[0].expr, HOW_SCALAR, 0),
		       emit_half_of(m, m->steps[0].expr, HOW_SCALAR, 1));
	else if (scalar_needs_any(m))
		puts("");
	for (n = halves; n < m->nsteps; n++)
		emit_step(m, &m->steps[n]);
	if (m->dst && is_wide(m->dst))
		printf("\tisa_s%sput64(w, i->dst, (u64)d);\n", fast ? "fast_" : "");
	else if (m->dst)
		puts(fast ? "\tw->s[i->dst] = (u32)d;" : "\tisa_sput32(w, i->dst, (u32)d);");
	if (!writes(m, "BRANCH"))
		puts("\treturn ISA_STOP_NONE;");
	puts("}\n");
}

void emit_scalars(void)
{
	unsigned int n;

	emit_head();
	puts("");
	for (n = 0; n < nscalars; n++) {
		const struct meaning *m = &scalars[n];

		if (m->bind)
			continue;
		printf("/* %s: %s */\n", m->op->name, m->written);
		emit_handler(m, true);
		if (scalar_needs_any(m))
			emit_handler(m, false);
	}
	puts("static const struct salu_op salu_ops[ISA_OP_COUNT] = {");
	for (n = 0; n < nscalars; n++) {
		const struct meaning *m = &scalars[n];
		const char *op = m->op->name;

		if (m->bind)
			printf("\t[ISA_OP_%s] = { %s, %s },\n", upper(op), m->bind, m->bind);
		else
			printf("\t[ISA_OP_%s] = { %s_fast, %s_%s },\n", upper(op), op, op,
			       scalar_needs_any(m) ? "any" : "fast");
	}
	puts("};");
}

/* The operations, but for branches, as tests iterate over them (selftests/isa/isa_salu.c) */
void emit_scalar_list(void)
{
	unsigned int n;

	emit_head();
	for (n = 0; n < nscalars; n++)
		if (!scalars[n].bind && !writes(&scalars[n], "BRANCH"))
			printf("{ ISA_OP_%s, \"%s\" },\n", upper(scalars[n].op->name),
			       scalars[n].op->name);
}
