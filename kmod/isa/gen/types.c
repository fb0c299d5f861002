// SPDX-License-Identifier: GPL-2.0-only
/* Types, the primitives of tab/prim.tab, and which of them a call means. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "meaning.h"

#define MAX_FNS	1024

const struct type_info type_info[TY_COUNT] = {
	[TY_NONE] = { "nothing", "NONE", 0, false, false, false, TY_NONE },
	[TY_U32] = { "u32", "U32", 32, false, false, false, TY_U32 },
	[TY_I32] = { "i32", "I32", 32, false, true, false, TY_I32 },
	[TY_F32] = { "f32", "F32", 32, true, false, false, TY_F32 },
	[TY_U16] = { "u16", "U16", 16, false, false, false, TY_U16 },
	[TY_I16] = { "i16", "I16", 16, false, true, false, TY_I16 },
	[TY_F16] = { "f16", "F16", 16, true, false, false, TY_F16 },
	[TY_U64] = { "u64", "U64", 64, false, false, false, TY_U64 },
	[TY_I64] = { "i64", "I64", 64, false, true, false, TY_I64 },
	[TY_F64] = { "f64", "F64", 64, true, false, false, TY_F64 },
	[TY_BF16] = { "bf16", "BF16", 16, true, false, false, TY_BF16 },
	[TY_PK_U16] = { "pk_u16", "PKI", 32, false, false, true, TY_U16 },
	[TY_PK_I16] = { "pk_i16", "PKI", 32, false, true, true, TY_I16 },
	[TY_PK_F16] = { "pk_f16", "PKF", 32, true, false, true, TY_F16 },
	[TY_PK_BF16] = { "pk_bf16", "PKBF", 32, true, false, true, TY_BF16 },
	[TY_PK_F32] = { "pk_f32", "PKF32", 64, true, false, true, TY_F32 },
	[TY_MIX] = { "mix", "MIX", 32, true, false, false, TY_F32 },
	[TY_LANE] = { "lane", "NONE", 0, false, false, false, TY_LANE },
	[TY_LANE64] = { "lane64", "NONE", 0, false, false, false, TY_LANE64 },
	[TY_INT] = { "number", "NONE", 0, false, false, false, TY_INT },
	[TY_REAL] = { "real number", "NONE", 0, true, false, false, TY_REAL },
};

static const struct {
	const char *name;
	enum type type;
} aliases[] = {
	{ "bit", TY_LANE }, { "b16", TY_U16 }, { "b32", TY_U32 }, { "b64", TY_U64 },
	{ "pk_b16", TY_PK_U16 },
};

static const char * const how_names[HOW_COUNT] = {
	[HOW_VEC] = "vec", [HOW_IMM] = "imm", [HOW_NOT] = "not", [HOW_NOT1] = "not1",
	[HOW_MASKED] = "masked", [HOW_IN1] = "in1", [HOW_IN2] = "in2", [HOW_HALF] = "half",
	[HOW_NEAR] = "near", [HOW_LANE] = "lane", [HOW_WIDE] = "wide",
	[HOW_SCALAR] = "scalar",
};

static struct fn fns[MAX_FNS];
static unsigned int nfns;

enum type type_named(const struct place *at, const char *s)
{
	unsigned int n;

	for (n = TY_U32; n < TY_INT; n++)
		if (!strcmp(type_info[n].name, s))
			return (enum type)n;
	for (n = 0; n < ARRAY_SIZE(aliases); n++)
		if (!strcmp(aliases[n].name, s))
			return aliases[n].type;
	die(at, "unknown type %s", s);
}

/* fn NAME RESULT ARG,... [commutes] [limits WORD] [lanes2] [flushes] */
void fn_begin(const struct place *at, char **w, unsigned int n)
{
	struct fn *f = &fns[nfns];
	unsigned int i;
	char *p;

	if (n < 4 || nfns == MAX_FNS)
		die(at, "fn NAME RESULT ARG,... [commutes] [limits WORD] [lanes2] [flushes]");
	f->at = *at;
	f->name = w[1];
	f->result = type_named(at, w[2]);
	for (p = strtok(w[3], ","); p; p = strtok(NULL, ",")) {
		if (f->nargs == MAX_SRC)
			die(at, "more than %d arguments", MAX_SRC);
		f->arg_is_d[f->nargs] = !strncmp(p, "D.", 2);
		f->arg[f->nargs] = type_named(at, p + 2 * f->arg_is_d[f->nargs]);
		f->nargs++;
	}
	for (i = 4; i < n; i++) {
		if (!strcmp(w[i], "commutes"))
			f->commutes = true;
		else if (!strcmp(w[i], "limits") && i + 1 < n)
			f->limits = w[++i];
		else if (!strcmp(w[i], "lanes2"))
			f->by_lane_in_sse2 = true;
		else if (!strcmp(w[i], "flushes"))
			f->flushes = true;
		else
			die(at, "unknown word %s", w[i]);
	}
	nfns++;
}

/* A line below a fn: HOW TEMPLATE */
void fn_how(const struct place *at, const char *s)
{
	struct fn *f = &fns[nfns - 1];
	unsigned int n;
	size_t len;

	while (isspace((unsigned char)*s))
		s++;
	len = strcspn(s, " \t\n");
	for (n = 0; n < HOW_COUNT; n++)
		if (strlen(how_names[n]) == len && !strncmp(how_names[n], s, len))
			break;
	if (n == HOW_COUNT || f->how[n])
		die(at, "no way to compute, or the second of its kind: %s", s);
	s += len;
	while (isspace((unsigned char)*s))
		s++;
	len = strlen(s);
	while (len && isspace((unsigned char)s[len - 1]))
		len--;
	if (!len)
		die(at, "no template");
	f->how[n] = text("%.*s", (int)len, s);
}

static bool is_integer(enum type t)
{
	return (t >= TY_U32 && t <= TY_I64) && !type_info[t].is_float;
}

static bool fits(const struct fn *f, unsigned int n, const struct node *arg)
{
	enum type want = f->arg[n];

	if (f->arg_is_d[n] && !(arg->kind == NODE_SRC && arg->is_d))
		return false;
	if (arg->type == TY_INT)
		return is_integer(want);
	if (arg->type == TY_REAL)
		return want == TY_F32 || want == TY_F64 || want == TY_F16;
	return arg->type == want;
}

static const struct fn *fn_for(const struct meaning *m, const struct node *call)
{
	const char *types = "";
	const struct fn *f;
	unsigned int n;

	for (f = fns; f < fns + nfns; f++) {
		if (strcmp(f->name, call->name) || f->nargs != call->nargs ||
		    m->scalar != !!f->how[HOW_SCALAR])
			continue;
		for (n = 0; n < f->nargs && fits(f, n, call->arg[n]); n++)
			;
		if (n == f->nargs)
			return f;
	}
	for (n = 0; n < call->nargs; n++)
		types = text("%s%s%s", types, n ? ", " : "", type_info[call->arg[n]->type].name);
	die(&m->at, "no fn %s of (%s)", call->name, types);
}

static void settle_number(struct node *n, enum type t)
{
	union {
		float f;
		unsigned int bits;
	} f;
	union {
		double d;
		unsigned long long bits;
	} d;

	if (n->type == TY_REAL) {
		f.f = (float)n->real;
		d.d = n->real;
		n->value = t == TY_F64 ? d.bits : f.bits;
	}
	n->type = t;
}

static void resolve(const struct meaning *m, struct node *n)
{
	unsigned int i;

	if (n->kind == NODE_SRC) {
		if (n->type)		/* SCC, EXEC, VCC */
			return;
		/* The meaning of a packed operation describes one half; pk_ arguments are whole. */
		n->type = type_info[m->dst].is_packed || m->src[n->slot] == TY_MIX ?
			  type_info[m->src[n->slot]].element : m->src[n->slot];
		return;
	}
	for (i = 0; i < n->nargs; i++)
		resolve(m, n->arg[i]);
	if (n->kind == NODE_SLICE) {
		n->type = n->arg[0]->type;
		if (!is_integer(n->type) || n->hi < n->lo || n->hi >= type_info[n->type].bits ||
		    (m->scalar && n->hi >= 32))
			die(&m->at, "no bits %u to %u of %s", n->hi, n->lo,
			    type_info[n->type].name);
	}
	if (n->kind != NODE_CALL)
		return;
	n->fn = fn_for(m, n);
	n->type = n->fn->result;
	for (i = 0; i < n->nargs; i++)
		if (n->arg[i]->kind == NODE_NUMBER)
			settle_number(n->arg[i], n->fn->arg[i]);
}

static bool is_immediate(const struct operand *o)
{
	return strchr("iunlhwqge", o->word[0]);
}

/* Checks operand @o of a row against the type that the meaning gives it */
static void fit(const struct meaning *m, const struct row *r, const struct operand *o,
		enum type type, const char *name)
{
	const struct type_info *t = &type_info[type];

	if (!type)
		return;
	if (!o->kind)
		die(m->op->row == r ? &m->at : &r->at, "no operand %s", name);
	if (m->scalar && is_immediate(o) ? type != (o->word[0] == 'i' ? TY_I16 : TY_U16) :
	    m->scalar ? o->bits != t->bits : (o->bits + 31) / 32 != (t->bits + 31) / 32)
		die(m->op->row == r ? &m->at : &r->at, "%s is %s, not %s", name, o->word, t->name);
}

/* Handlers are made for the widths of the meaning: every row of its name must have them. */
static void fit_rows(const struct meaning *m)
{
	static const char * const sources[] = { "S0", "S1", "S2" };
	const struct row *r;
	unsigned int n;

	for (r = tables.rows; r < tables.rows + tables.nrows; r++) {
		if (r->op != m->op)
			continue;
		fit(m, r, &r->dst[0], m->dst, "D");
		for (n = 0; n < (m->acc || m->scalar ? 2 : MAX_SRC); n++)
			fit(m, r, &r->src[n], m->src[n], sources[n]);
	}
}

/* A type's name in the scalar unit */
static const char *shown(enum type type)
{
	return type == TY_LANE ? "bit" : type_info[type].name;
}

/* Each step of the scalar unit has its target's type. */
static void resolve_steps(const struct meaning *m)
{
	unsigned int n;

	for (n = 0; n < m->nsteps; n++) {
		const struct step *s = &m->steps[n];
		enum type want = !strcmp(s->target, "D") ? m->dst :
				 !strcmp(s->target, "TMP") ? m->tmp :
				 !strcmp(s->target, "EXEC") ? TY_U64 : TY_LANE;

		resolve(m, s->expr);
		if (s->expr->kind == NODE_NUMBER)
			settle_number(s->expr, want);
		if (s->expr->type != want)
			die(&m->at, "%s: %s is %s, not %s", m->op->name, s->target,
			    shown(s->expr->type), shown(want));
	}
	if (m->op->row->dst[0].kind && !m->dst && !m->bind)
		die(&m->at, "%s: nothing is written to D", m->op->name);
}

void types_resolve(struct meaning *m)
{
	enum type want = type_info[m->dst].element, is;

	fit_rows(m);
	if (m->scalar)
		resolve_steps(m);
	if (!m->expr)
		return;
	resolve(m, m->expr);
	is = m->expr->type;
	if (m->dst == TY_NONE ? is != TY_LANE && is != TY_LANE64 : is != want)
		die(&m->at, "%s: the result is %s, not %s", m->op->name, type_info[is].name,
		    m->dst == TY_NONE ? "lane" : type_info[want].name);
}

unsigned int nsrc(const struct meaning *m)
{
	unsigned int n, count = 0;

	for (n = 0; n < MAX_SRC; n++)
		count += m->src[n] != TY_NONE;
	return count;
}
