// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes the handlers of the vector ALU: for each operation its expression, the
 * function of whole rows, and those for plain forms, all by the templates of
 * isa/lane_core.inc.c; then the table that binds them.
 */
#include <string.h>
#include "meaning.h"

#define LANE_FORMS	3	/* of handlers, as in isa/lane_core.inc.c */

static const char * const letters[MAX_SRC] = { "a", "b", "c" };

/* ---- functions ---- */

/* (void)x for the parameters of @list that @expr does not use */
static void emit_unused(const char *expr, const char * const *list, unsigned int n)
{
	const char *s = "";
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!names(expr, list[i]))
			s = text("%s%s(void)%s", s, *s ? ", " : "", list[i]);
	if (*s)
		printf("\t%s;\n", s);
}

static void emit_expr(const char *op, const char *expr)
{
	static const char * const params[] = { "a", "b", "c", "w" };

	printf("static __always_inline VI %s_expr(VI a, VI b, VI c, const struct isa_wave *w)\n{\n",
	       op);
	emit_unused(expr, params, 4);
	printf("\treturn %s;\n}\n\n", expr);
}

static void emit_merge(const char *op, const char *which, const char *expr)
{
	static const char * const params[] = { "m", "old", "a", "b", "c", "w" };

	printf("static __always_inline VI %s_%s(VM m, VI old, VI a, VI b, VI c,\n"
	       "\t\t\t\tconst struct isa_wave *w)\n{\n", op, which);
	emit_unused(expr, params, 6);
	printf("\treturn %s;\n}\n\n", expr);
}

static void emit_rows_head(const char *op, const char *suffix)
{
	printf("static void %s_%s(u32 *__restrict d, const u32 *pa, const u32 *pb, const u32 *pc,\n"
	       "\t\t\t\tstruct lane_env *e)\n{\n", op, suffix);
}

/* A row function of one call of a template, in place or not */
static void emit_rows(const char *op, const char *body)
{
	static const char * const params[] = { "d", "pa", "pb", "pc", "e" };

	printf("static void %s_rows(u32 *d, const u32 *pa, const u32 *pb, const u32 *pc,\n"
	       "\t\t\t\tstruct lane_env *e)\n{\n", op);
	emit_unused(body, params, 5);
	printf("%s}\n\n", body);
}

static void emit_handler_head(const char *op, const char *suffix)
{
	printf("static enum isa_stop %s_%s(struct isa_wave *w, const struct isa_insn *i)\n{\n",
	       op, suffix);
}

static unsigned int floats(const struct meaning *m)
{
	unsigned int n, bits = 0;

	for (n = 0; n < MAX_SRC; n++)
		bits |= (unsigned int)type_info[m->src[n]].is_float << n;
	return bits;
}

static const struct {
	const char *name, *form;
} forms[] = {
	{ "vv", "LANE_FORM_VV" }, { "sv", "LANE_FORM_SV" }, { "any", "LANE_FORM_ANY" },
	{ "sdwa", "LANE_FORM_SDWA" },
};

/* The end of a handler whose template is @call */
static void emit_return(const struct meaning *m, const char *call)
{
	if (m->dear)
		printf("\t%s;\n\treturn lane_dear(w, %s);\n}\n\n", call,
		       type_info[m->src[0]].bits == 64 ? "true" : "false");
	else
		printf("\treturn %s;\n}\n\n", call);
}

static void emit_fast(const struct meaning *m, unsigned int form, bool whole)
{
	const char *op = m->op->name;

	emit_handler_head(op, text("%s_%s", forms[form].name, whole ? "whole" : "part"));
	if (m->rne)
		puts("\tif (unlikely(w->mode & 3))\n\t\treturn lane_generic(w, i);");
	emit_return(m, text("lane_fast(w, i, %s_expr, %s_merge, %u, %#x, %s, %s, %s, %s)", op, op,
			    nsrc(m), floats(m),
			    m->acc ? text("%u", nsrc(m) - 1) : "LANE_IN_NONE", forms[form].form,
			    whole ? "true" : "false", m->is_long ? "true" : "false"));
}

static void emit_in_place(const struct meaning *m, unsigned int in, unsigned int form)
{
	const char *op = m->op->name;

	emit_handler_head(op, text("in%u_%s", in, forms[form].name));
	emit_return(m, text("lane_fast(w, i, %s_expr, %s_into%u, %u, %#x, %u, %s, false, false)",
			    op, op, in, nsrc(m), floats(m), in, forms[form].form));
}

/* Masking where source @in is the destination: of an operand, if that is enough */
static const char *into(const struct meaning *m, unsigned int in)
{
	const struct node *n = m->expr;
	unsigned int k;

	for (k = 0; k < 2 && n->kind == NODE_CALL && k < n->nargs; k++)
		if (n->arg[k]->kind == NODE_SRC && n->arg[k]->slot == in &&
		    n->fn->how[HOW_IN1 + k])
			return emit(m, n, HOW_IN1 + k);
	return text("vi_keep(m, %s, %s)", letters[in], emit(m, n, HOW_VEC));
}

static const char *merged(const struct meaning *m)
{
	const struct node *n = m->expr;
	const char *op = m->op->name;

	if (m->tame)
		return text("vi_over(m, old, %s_expr(%s, b, c, w))", op,
			    "vi_over(m, vf_const(0x3f800000), a)");
	if (n->kind == NODE_CALL && n->fn->how[HOW_MASKED])
		return emit(m, n, HOW_MASKED);
	return text("vi_over(m, old, %s_expr(a, b, c, w))", op);
}

/*
 * In place and parts of sources: not with masks where a source at hand saves
 * nothing, and in SSE2 only where both sources may be the destination: its
 * shifts and three-source operations are long, what surrounds them does not matter.
 */
static const char *more_if(const struct meaning *m)
{
	return m->in == 3 ? "LANE_WIDTH != 16" : "LANE_WIDTH == 8";
}

static const char *sdwa_if(const struct meaning *m)
{
	return m->in == 3 ? NULL : "LANE_WIDTH != 4";
}

static void open_if(const char *cond)
{
	if (cond)
		printf("#if %s\n", cond);
}

static void close_if(const char *cond)
{
	if (cond)
		puts("#endif");
}

static void emit_in_places(const struct meaning *m)
{
	unsigned int n;

	for (n = 0; n < MAX_SRC; n++)
		if (m->in >> n & 1)
			emit_merge(m->op->name, text("into%u", n), into(m, n));
	if (nsrc(m) == 3) {
		emit_in_place(m, m->in == 1 ? 0 : 2, 2);
		return;
	}
	if (m->in & 1)
		emit_in_place(m, 0, 0);
	if (m->in & 2) {
		emit_in_place(m, 1, 0);
		emit_in_place(m, 1, 1);
		if (m->sdwa && m->in == 3)
			emit_in_place(m, 1, 3);
	}
}

static void emit_in_table(const struct meaning *m)
{
	const char *op = m->op->name;

	if (nsrc(m) == 3) {
		printf("\t[LANE_FORM_IN + LANE_FORM_ANY] = { [%u] = %s_in%u_any },\n",
		       m->in != 1, op, m->in == 1 ? 0 : 2);
		return;
	}
	printf("\t[LANE_FORM_IN + LANE_FORM_VV] = { %s, %s },\n",
	       m->in & 1 ? text("%s_in0_vv", op) : "NULL",
	       m->in & 2 ? text("%s_in1_vv", op) : "NULL");
	printf("\t[LANE_FORM_IN + LANE_FORM_SV] = { NULL, %s_in1_sv },\n", op);
	if (m->sdwa && m->in == 3)
		printf("\t[LANE_FORM_IN + LANE_FORM_SDWA] = { NULL, %s_in1_sdwa },\n", op);
}

static void emit_vector(const struct meaning *m)
{
	const char *op = m->op->name;
	unsigned int f;

	emit_expr(op, vector_expr(m));
	emit_rows(op, text("\tlane_vrow(d, pa, pb, pc, e, %s_expr, %u);\n", op, nsrc(m)));
	if (!has_fast(m, SHAPE_VECTOR))
		return;
	emit_merge(op, "merge", merged(m));
	for (f = 0; f < LANE_FORMS; f++) {
		emit_fast(m, f, false);
		emit_fast(m, f, true);
	}
	if (m->sdwa) {
		open_if(sdwa_if(m));
		emit_fast(m, 3, false);
		emit_fast(m, 3, true);
		close_if(sdwa_if(m));
	}
	if (m->in) {
		open_if(more_if(m));
		emit_in_places(m);
		close_if(more_if(m));
	}
	printf("static const isa_exec_fn %s_table[%s][2] = {\n", op,
	       m->in || m->sdwa ? "LANE_IN_FORMS" : "LANE_FORMS");
	for (f = 0; f < 3; f++)
		printf("\t[%s] = { %s_%s_part, %s_%s_whole },\n", forms[f].form, op,
		       forms[f].name, op, forms[f].name);
	if (m->sdwa) {
		open_if(sdwa_if(m));
		printf("\t[LANE_FORM_SDWA] = { %s_sdwa_part, %s_sdwa_whole },\n", op, op);
		close_if(sdwa_if(m));
	}
	if (m->in) {
		open_if(more_if(m));
		emit_in_table(m);
		close_if(more_if(m));
	}
	puts("};\n");
}

static void emit_pair(const struct meaning *m)
{
	const char *op = m->op->name;

	emit_expr(op, vector_expr(m));
	emit_rows(op, text("\tlane_vrow(d, pa, pb, pc, e, %s_expr, %u);\n"
			   "\tlane_vrow(d + ISA_LANES, pa + ISA_LANES, pb + ISA_LANES,\n"
			   "\t\t  pc%s, e, %s_expr, %u);\n", op, nsrc(m),
			   nsrc(m) > 2 ? " + ISA_LANES" : "", op, nsrc(m)));
}

static const char *lane_types(const struct meaning *m)
{
	return text("T_%s, T_%s, T_%s", type_info[m->src[0]].lane_type,
		    type_info[m->src[1]].lane_type, type_info[m->src[2]].lane_type);
}

/* Forms besides VV, by the number of the source that is a scalar, or none */
static const struct {
	const char *name, *form;
} wide_forms[] = {
	{ "s0", "SV" }, { "s1", "S1" }, { "s2", "S2" }, { "any", "ANY" },
};

static bool has_wide_form(const struct meaning *m, unsigned int scalar)
{
	unsigned int n;

	if (scalar < MAX_SRC)
		return scalar < nsrc(m) && !(m->acc && scalar == nsrc(m) - 1);
	for (n = 0; n < nsrc(m); n++)
		if (m->src[n] == TY_F64)
			return true;
	return false;
}

static void emit_wide(const struct meaning *m)
{
	static const char split[] =
		"\tif (unlikely(lane_split_mode(w)))\n\t\treturn lane_generic(w, i);";
	const char *op = m->op->name, *acc = m->acc ? "true" : "false";
	const char *sources = lane_types(m);
	bool to_wide = type_info[m->dst].bits == 64;
	unsigned int n, wide = to_wide << 3, whole;

	for (n = 0; n < MAX_SRC; n++)
		wide |= (unsigned int)(type_info[m->src[n]].bits == 64) << n;
	emit_expr(op, emit(m, m->expr, HOW_VEC));
	emit_rows(op, text("\tlane_qrow(d, pa, pb, pc, e, %s_expr, %u, %#x);\n", op, nsrc(m),
			   wide));
	if (!has_fast(m, SHAPE_WIDE))
		return;
	for (whole = 0; whole < 2; whole++) {
		const char *full = whole ? "true" : "false";
		const char *suffix = whole ? "whole" : "part";
		bool mode = m->src[0] == TY_F64;

		emit_handler_head(op, text("vv_%s", suffix));
		if (mode)
			puts(split);
		emit_return(m, text("lane_qfast(w, i, %s_expr, %u, %#x, %s, %s)", op, nsrc(m), wide,
				    acc, full));
		for (n = 0; n < ARRAY_SIZE(wide_forms); n++) {
			if (!has_wide_form(m, n))
				continue;
			emit_handler_head(op, text("%s_%s", wide_forms[n].name, suffix));
			if (mode)
				puts(split);
			emit_return(m, text("lane_qfast_any(w, i, %s_expr, %s, %s, %s, %u, %s)", op,
					    sources, to_wide ? "true" : "false", acc, n, full));
		}
	}
	printf("static const isa_exec_fn %s_table[LANE_WIDE_FORMS][2] = {\n"
	       "\t[LANE_FORM_VV] = { %s_vv_part, %s_vv_whole },\n", op, op, op);
	for (n = 0; n < ARRAY_SIZE(wide_forms); n++)
		if (has_wide_form(m, n))
			printf("\t[LANE_FORM_%s] = { %s_%s_part, %s_%s_whole },\n",
			       wide_forms[n].form, op, wide_forms[n].name, op, wide_forms[n].name);
	puts("};\n");
}

/* Source @n of a lane as a C value */
static void emit_load(const struct meaning *m, unsigned int n)
{
	const struct type_info *t = &type_info[m->src[n]];
	const char *x = letters[n], *p = text("p%s", x);

	if (t->bits == 64)
		printf("\t\t%s %s = %s(%s[l] | (u64)%s[l + ISA_LANES] << 32);\n",
		       t->is_signed ? "s64" : "u64", x, t->is_signed ? "(s64)" : "", p, p);
	else if (t->bits == 16)
		printf(t->is_signed ? "\t\ts32 %s = (s32)(s16)%s[l];\n" :
				      "\t\tu32 %s = %s[l] & 0xffff;\n", x, p);
	else if (t->is_signed && !t->is_packed)
		printf("\t\ts32 %s = (s32)%s[l];\n", x, p);
	else
		printf("\t\tu32 %s = %s[l];\n", x, p);
}

static void emit_store(const struct meaning *m, const char *expr)
{
	unsigned int bits = type_info[m->dst].bits;

	if (!m->dst)
		printf("\t\te->cout |= (u64)!!(%s) << l;\n", expr);
	else if (bits == 64)
		printf("\t\tr = (u64)(%s);\n%s%s", expr, "\t\td[l] = (u32)r;\n",
		       "\t\td[l + ISA_LANES] = (u32)(r >> 32);\n");
	else
		printf("\t\td[l] = (u32)(%s)%s;\n", expr, bits == 16 ? " & 0xffff" : "");
}

/* A row function that computes one lane after the other */
static void emit_lane_rows(const struct meaning *m, const char *suffix, const char *expr)
{
	unsigned int n;

	emit_rows_head(m->op->name, suffix);
	puts("\tunsigned int l;\n");
	for (n = 0; n < MAX_SRC; n++)
		if (!m->src[n] || !names(expr, letters[n]))
			printf("\t(void)p%s;\n", letters[n]);
	printf("%s%s", m->dst ? "" : "\t(void)d;\n",
	       !m->dst || names(expr, "e") ? "" : "\t(void)e;\n");
	puts("\tfor (l = 0; l < ISA_LANES; l++) {");
	for (n = 0; n < MAX_SRC; n++)
		if (m->src[n] && names(expr, letters[n]))
			emit_load(m, n);
	if (type_info[m->dst].bits == 64)
		puts("\t\tu64 r;");
	puts("");
	emit_store(m, expr);
	puts("\t}\n}\n");
}

/* What clamp makes of an integer: the exact result, saturated */
static void emit_sat(const struct meaning *m)
{
	const char *t = type_info[type_info[m->dst].element].name, *expr;

	if (is_pk16(m))
		expr = text("pk2(sat_%s(%s), sat_%s(%s))", t, emit_half_of(m, m->expr, HOW_WIDE, 0),
			    t, emit_half_of(m, m->expr, HOW_WIDE, 1));
	else
		expr = text("sat_%s(%s)", t, emit(m, m->expr, HOW_WIDE));
	emit_lane_rows(m, "sat_rows", expr);
}

/* Vectors first, then one at a time the lanes that the vector function left out */
static void emit_near(const struct meaning *m, enum shape shape)
{
	static const char * const near_handlers[] = {
		"vv_part", "vv_whole", "any_part", "any_whole",
	};
	const char *op = m->op->name, *expr = lane_expr(m);
	unsigned int n, wide = (unsigned int)(type_info[m->dst].bits == 64) << 3;

	printf("static u64 %s_lane(const u32 *pa, const u32 *pb, const u32 *pc, unsigned int l,\n"
	       "\t\t\tstruct lane_env *e)\n{\n", op);
	for (n = 0; n < MAX_SRC; n++) {
		wide |= (unsigned int)(type_info[m->src[n]].bits == 64) << n;
		if (m->src[n] && names(expr, letters[n]))
			emit_load(m, n);
		else
			printf("\t\t(void)p%s;\n", letters[n]);
	}
	printf("\n\t(void)l, (void)e;\n\treturn %s(%s)%s;\n}\n\n", m->dst ? "(u64)" : "!!", expr,
	       type_info[m->dst].bits == 16 ? " & 0xffff" : "");
	emit_rows(op, text("\tlane_near(%s, pa, pb, pc, e, %s, %s_lane, %u, %#x);\n",
			   m->dst ? "d" : "NULL", near_of(m), op, nsrc(m), wide));
	if (!has_fast(m, shape))
		return;
	for (n = 0; n < 4; n++) {
		emit_handler_head(op, near_handlers[n]);
		printf("\treturn lane_near_fast(w, i, %s, %s_lane, %s, T_%s, %s, %s, %s);\n}\n\n",
		       near_of(m), op, lane_types(m), type_info[m->dst].lane_type,
		       m->carry ? "true" : "false",
		       n < 2 ? "true" : "false", n & 1 ? "true" : "false");
	}
	printf("static const isa_exec_fn %s_table[LANE_FORMS][2] = {\n"
	       "\t[LANE_FORM_VV] = { %s_vv_part, %s_vv_whole },\n", op, op, op);
	printf("\t[LANE_FORM_SV] = { %s_any_part, %s_any_whole },\n"
	       "\t[LANE_FORM_ANY] = { %s_any_part, %s_any_whole },\n};\n\n", op, op, op, op);
}

static void find_limits(const struct node *n, const char **limits)
{
	unsigned int i;

	if (n->kind == NODE_CALL && n->fn->limits)
		*limits = *limits ? text("%s | %s", *limits, n->fn->limits) : n->fn->limits;
	for (i = 0; i < n->nargs; i++)
		find_limits(n->arg[i], limits);
}

static void emit_half(const struct meaning *m)
{
	const char *op = m->op->name, *limits = NULL;

	find_limits(m->expr, &limits);
	emit_expr(op, emit(m, m->expr, HOW_HALF));
	emit_lane_rows(m, "lane_rows", lane_expr(m));
	emit_rows(op, text("\tif (!half_rows(d, pa, pb, pc, e, %s_expr, %u, T_%s, T_%s, %s))\n"
			   "\t\t%s_lane_rows(d, pa, pb, pc, e);\n", op, nsrc(m),
			   type_info[m->src[0]].lane_type, type_info[m->dst].lane_type,
			   limits ? limits : "0", op));
}

/* ---- compares ---- */

static void emit_compare(const struct meaning *m, enum shape shape)
{
	const char *op = m->op->name, *expr, *base = same_as(m)->op->name;
	static const char * const params[] = { "a", "b" };
	unsigned int f;

	if (same_as(m) == m) {
		if (shape == SHAPE_CMP_LANE) {
			emit_lane_rows(m, "rows", emit(m, m->expr, HOW_LANE));
		} else if (shape == SHAPE_CMP_NEAR) {
			emit_near(m, shape);
		} else if (shape == SHAPE_CMP_HALF) {
			emit_lane_rows(m, "lane_rows", emit(m, m->expr, HOW_LANE));
			printf("static __always_inline VM %s_expr(VI a, VI b)\n{\n", op);
			emit_unused(emit(m, m->expr, HOW_HALF), params, 2);
			printf("\treturn %s;\n}\n\n", emit(m, m->expr, HOW_HALF));
			emit_rows(op, text("\tif (!half_cmp_rows(pa, pb, e, %s_expr))\n"
					   "\t\t%s_lane_rows(d, pa, pb, pc, e);\n", op, op));
		} else if (shape == SHAPE_CMP_WIDE) {
			emit_expr(op, emit(m, m->expr, HOW_VEC));
			emit_rows(op, text("\te->cout = lane_qcmp_rows(pa, pb, %s_expr);\n", op));
		} else {
			expr = emit(m, m->expr, HOW_VEC);
			printf("static __always_inline VM %s_expr(VI a, VI b)\n{\n", op);
			emit_unused(expr, params, 2);
			printf("\treturn %s;\n}\n\n", expr);
			emit_rows(op, text("\te->cout = lane_cmp_rows(pa, pb, %s_expr);\n", op));
		}
	}
	if (!has_fast(m, shape))
		return;
	for (f = 0; f < 3; f++) {
		emit_handler_head(op, forms[f].name);
		printf("\treturn lane_cmp_fast(w, i, %s_expr, %u, %s, %s);\n}\n\n", base,
		       type_info[m->src[0]].is_float ? 3 : 0, m->exec ? "true" : "false",
		       forms[f].form);
	}
	printf("static const isa_exec_fn %s_table[LANE_FORMS][2] = {\n", op);
	for (f = 0; f < 3; f++)
		printf("\t[%s] = { %s_%s, %s_%s },\n", forms[f].form, op, forms[f].name, op,
		       forms[f].name);
	puts("};\n");
}

/* ---- the table ---- */

static const char *flags(const struct meaning *m, enum shape shape)
{
	const char *s = "";
	const struct {
		bool set;
		const char *flag;
	} list[] = {
		{ m->keep, "KEEP" }, { m->high, "HI" }, { m->acc, "ACC" },
		{ m->carry, "CARRY" }, { m->exec, "CMPX" }, { m->cin, "CIN" }, { m->vcc, "VCC" },
		{ m->literal == 1, "LITK" }, { m->literal == 2, "LITA" },
		{ shape == SHAPE_VECTOR || shape == SHAPE_WIDE, "PLACE" },
		{ m->wide || (shape == SHAPE_WIDE && has_fast(m, shape)), "WIDE" },
		{ m->keep_denorm, "NOFLUSH" }, { m->rne, "RNE" }, { m->flush, "FLUSH" },
		{ m->dots, "DOTS" },
		{ commutes(m, shape), "COMM" },
	};
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(list); n++)
		if (list[n].set)
			s = text("%s%sLF_%s", s, *s ? " | " : "", list[n].flag);
	return *s ? s : "0";
}

static void emit_entry(const struct meaning *m)
{
	enum shape shape = shape_of(m);
	const char *op = m->op->name;

	printf("\t[ISA_OP_%s] = {\n", upper(op));
	if (shape == SHAPE_BIND) {
		printf("\t\t.special = %s,\n\t},\n", m->bind);
		return;
	}
	printf("\t\t.dst = T_%s, .src = { T_%s, T_%s, T_%s },\n", type_info[m->dst].lane_type,
	       type_info[m->src[0]].lane_type, type_info[m->src[1]].lane_type,
	       type_info[m->src[2]].lane_type);
	printf("\t\t.flags = %s", flags(m, shape));
	if (m->in)
		printf(" | %s", m->in == 3 ? "LF_IN_ALL" : "LF_IN_AVX2");
	if (m->sdwa)
		printf(" | %s", m->in == 3 ? "LF_SDWA" : "LF_SDWA_AVX");
	if (m->dear)
		printf(" | %s", type_info[m->src[0]].bits == 64 ? "LF_DEAR" : "LF_DEAR_SSE2");
	if (shape == SHAPE_ROWS)
		printf(",\n\t\t.row = %s", m->rows);
	else
		printf(",\n\t\t.row = %s_rows", same_as(m)->op->name);
	if (m->table || has_fast(m, shape))
		printf(", .fast = %s", m->table ? m->table :
		       text("%s_table", shape == SHAPE_CMP ? op : same_as(m)->op->name));
	if (m->sat)
		printf(",\n\t\t.sat = %s_sat_rows", same_as(m)->op->name);
	puts(",\n\t},");
}

static void emit_functions(const struct meaning *m)
{
	enum shape shape = shape_of(m);

	if (m->expr)
		printf("/* %s: %s */\n", m->op->name, m->written);
	if (same_as(m) != m) {
		printf("/* as %s */\n\n", same_as(m)->op->name);
		if (shape != SHAPE_CMP)
			return;
	}
	switch (shape) {
	case SHAPE_BIND:
	case SHAPE_ROWS:
		break;
	case SHAPE_VECTOR:
		emit_vector(m);
		break;
	case SHAPE_PAIR:
		emit_pair(m);
		break;
	case SHAPE_WIDE:
		emit_wide(m);
		break;
	case SHAPE_HALF:
		emit_half(m);
		break;
	case SHAPE_NEAR:
		emit_near(m, shape);
		break;
	case SHAPE_LANE:
		emit_lane_rows(m, "rows", lane_expr(m));
		break;
	case SHAPE_CMP:
	case SHAPE_CMP_WIDE:
	case SHAPE_CMP_HALF:
	case SHAPE_CMP_NEAR:
	case SHAPE_CMP_LANE:
		emit_compare(m, shape);
		break;
	}
	if (m->sat)
		emit_sat(m);
}

void emit_lanes(void)
{
	unsigned int n;

	emit_head();
	puts("");
	for (n = 0; n < nmeanings; n++)
		emit_functions(&meanings[n]);
	puts("static const struct lane_op lane_ops[ISA_OP_COUNT] = {");
	for (n = 0; n < nmeanings; n++)
		emit_entry(&meanings[n]);
	puts("};");
}
