// SPDX-License-Identifier: GPL-2.0-only
/* Lexer and parser of meanings; tab/prim.tab states the notation. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "meaning.h"

struct meaning meanings[MAX_ROWS], scalars[MAX_ROWS];
unsigned int nmeanings, nscalars;

/* The line being read */
static const char *p;
static struct meaning *m;
static const struct row *row;

static const char * const operators[] = {	/* longer ones first */
	"<<", ">>", "<=", ">=", "==", "!=", "<>", "||", "&&",
	"<", ">", "+", "-", "*", "/", "&", "|", "^", "~", "!",
};

/* Operators by precedence, weakest first */
static const char * const levels[][5] = {
	{ "||" }, { "&&" }, { "|" }, { "^" }, { "&" },
	{ "==", "!=", "<>" }, { "<", ">", "<=", ">=" },
	{ "<<", ">>" }, { "+", "-" }, { "*", "/" },
};

static void blanks(void)
{
	while (isspace((unsigned char)*p))
		p++;
}

static bool take(const char *s)
{
	size_t len = strlen(s);

	blanks();
	if (strncmp(p, s, len))
		return false;
	p += len;
	return true;
}

static void want(const char *s)
{
	if (!take(s))
		die(&m->at, "'%s' is missing before '%s'", s, p);
}

static const char *word(void)
{
	const char *s;

	blanks();
	for (s = p; isalnum((unsigned char)*p) || *p == '_'; p++)
		;
	if (s == p)
		die(&m->at, "a name is missing before '%s'", p);
	return text("%.*s", (int)(p - s), s);
}

static unsigned int digits(void)
{
	char *end;
	unsigned long v;

	blanks();
	v = strtoul(p, &end, 10);
	if (end == p || v > 63)
		die(&m->at, "a bit number is missing before '%s'", p);
	p = end;
	return (unsigned int)v;
}

/* The operator at hand, if it is one of @level's */
static const char *operator_of(const char * const *level)
{
	unsigned int n, k;

	blanks();
	for (n = 0; n < ARRAY_SIZE(operators); n++)
		if (!strncmp(p, operators[n], strlen(operators[n])))
			break;
	if (n == ARRAY_SIZE(operators))
		return NULL;
	for (k = 0; k < 5 && level[k]; k++)
		if (!strcmp(level[k], operators[n])) {
			p += strlen(operators[n]);
			return operators[n];
		}
	return NULL;
}

static struct node *node(enum node_kind kind, const char *name)
{
	struct node *n = calloc(1, sizeof(*n));

	if (!n)
		die(NULL, "out of memory");
	n->kind = kind;
	n->name = name;
	return n;
}

/*
 * Which of the operation's sources is meant: S0, S1 and S2 are the columns of
 * the row that are no literal, K is the literal, D the destination's old value.
 */
static int slot_of(const char *name)
{
	unsigned int n, seen = 0;

	if (!strcmp(name, "D"))
		return 2;
	for (n = 0; n < MAX_SRC; n++) {
		bool literal = row->src[n].kind && row->src[n].word[0] == 'k';

		if (!strcmp(name, "K") && literal)
			return (int)n;
		if (name[0] == 'S' && !literal && seen++ == (unsigned int)(name[1] - '0') &&
		    !name[2])
			return (int)n;
	}
	return -1;
}

static void set_type(unsigned int slot, const char *name, enum type type)
{
	if (m->src[slot] && m->src[slot] != type)
		die(&m->at, "%s has two types", name);
	m->src[slot] = type;
}

/* An operand: S0.f32. Masks are sources of functions only, which take them by themselves. */
static struct node *operand(const char *name)
{
	struct node *n = node(NODE_SRC, name);
	int slot = slot_of(name);
	enum type type;

	want(".");
	type = type_named(&m->at, word());
	if (m->scalar && (!strcmp(name, "EXEC") || !strcmp(name, "VCC"))) {
		n->type = type;
		return n;
	}
	if (m->scalar && !strcmp(name, "TMP")) {
		if (type != m->tmp)
			die(&m->at, "TMP is %s", type_info[m->tmp].name);
		n->type = type;
		return n;
	}
	if (type == TY_LANE) {
		m->vcc |= !strcmp(name, "VCC");
		m->cin |= strcmp(name, "VCC") != 0;
		return n;
	}
	if (slot < 0)
		die(&m->at, "no operand %s", name);
	n->slot = (unsigned int)slot;
	n->is_d = name[0] == 'D';
	m->acc |= n->is_d;
	if (name[0] == 'K')
		m->literal = n->slot;
	set_type(n->slot, name, type);
	return n;
}

static struct node *conditional(void);

static struct node *primary(void)
{
	struct node *n;
	const char *s;

	if (take("(")) {
		n = conditional();
		want(")");
		return n;
	}
	blanks();
	if (isdigit((unsigned char)*p)) {
		char *end;

		n = node(NODE_NUMBER, NULL);
		n->type = TY_INT;
		n->value = strtoull(p, &end, 0);
		if (*end == '.') {
			n->type = TY_REAL;
			n->real = strtod(p, &end);
		}
		p = end;
		return n;
	}
	s = word();
	blanks();
	if (*p == '.')
		return operand(s);
	if (m->scalar && !strcmp(s, "SCC")) {
		n = node(NODE_SRC, s);
		n->type = TY_LANE;
		return n;
	}
	n = node(NODE_CALL, s);
	want("(");
	do {
		if (n->nargs == MAX_SRC)
			die(&m->at, "%s: more than %d arguments", s, MAX_SRC);
		n->arg[n->nargs++] = conditional();
	} while (take(","));
	want(")");
	return n;
}

static struct node *postfix(void)
{
	struct node *n = primary(), *s;

	while (take("[")) {
		s = node(NODE_SLICE, NULL);
		s->arg[0] = n;
		s->nargs = 1;
		s->hi = digits();
		want(":");
		s->lo = digits();
		want("]");
		n = s;
	}
	return n;
}

static struct node *unary(void)
{
	static const char * const prefix[5] = { "!", "~" };
	const char *s = operator_of(prefix);
	struct node *n;

	if (!s)
		return postfix();
	n = node(NODE_CALL, s);
	n->arg[0] = unary();
	n->nargs = 1;
	return n;
}

static struct node *expression(unsigned int level)
{
	struct node *left, *n;
	const char *s;

	if (level == ARRAY_SIZE(levels))
		return unary();
	left = expression(level + 1);
	while ((s = operator_of(levels[level]))) {
		n = node(NODE_CALL, s);
		n->arg[0] = left;
		n->arg[1] = expression(level + 1);
		n->nargs = 2;
		left = n;
	}
	return left;
}

/* BIT ? X : Y, or what binds more tightly */
static struct node *conditional(void)
{
	struct node *cond = expression(0), *n;

	if (!take("?"))
		return cond;
	n = node(NODE_CALL, "?:");
	n->arg[0] = cond;
	n->arg[1] = conditional();
	want(":");
	n->arg[2] = conditional();
	n->nargs = 3;
	return n;
}

/* D.type, D[15:0].type, D[31:16].type, D.lane, EXEC.lane */
static void target(void)
{
	const char *name = word();
	enum type type;

	if (take("[")) {
		m->high = digits() == 31;
		m->keep = !m->high;
		want(":");
		digits();
		want("]");
	}
	want(".");
	type = type_named(&m->at, word());
	if (!strcmp(name, "D") && type == TY_LANE)
		m->carry = true;
	else if (!strcmp(name, "EXEC") && type == TY_LANE)
		m->exec = true;
	else if (!strcmp(name, "D") && !m->dst)
		m->dst = type;
	else
		die(&m->at, "no target: %s", name);
	if ((m->keep || m->high) && type_info[m->dst].bits != 16)
		die(&m->at, "half of the destination wants 16 bits");
}

static void in_place(const char *s)
{
	for (; *s; s++)
		if (*s >= '0' && *s <= '2')
			m->in |= 1u << (*s - '0');
		else
			die(&m->at, "in:012, some of these");
}

static void shape(const char *s)
{
	static const char * const parts[] = { "m", "k", "blocks", "kind", "a", "b" };
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(parts) && strcmp(parts[n], s); n++)
		;
	if (n == ARRAY_SIZE(parts))
		die(&m->at, "unknown word %s", s);
	m->shape[n] = word();
}

static void words(void)
{
	while (!take("}")) {
		const char *s = word();

		if (!strcmp(s, "cold"))
			m->cold = true;
		else if (!strcmp(s, "dear"))
			m->dear = true;
		else if (!strcmp(s, "wide"))
			m->wide = true;
		else if (!strcmp(s, "long"))
			m->is_long = true;
		else if (!strcmp(s, "sdwa"))
			m->sdwa = true;
		else if (!strcmp(s, "lanes"))
			m->lanes = true;
		else if (!strcmp(s, "sat"))
			m->sat = true;
		else if (!strcmp(s, "tame"))
			m->tame = true;
		else if (!strcmp(s, "rne"))
			m->rne = true;
		else if (!strcmp(s, "flush"))
			m->flush = true;
		else if (!strcmp(s, "dots"))
			m->dots = true;
		else if (!strcmp(s, "denorm"))
			m->keep_denorm = true;
		else if (!strcmp(s, "in") && take(":"))
			in_place(word());
		else if (!strcmp(s, "table") && take(":"))
			m->table = word();
		else if (!strcmp(s, "raises") && take(":"))
			m->raises = class_named(&m->at, word());
		else if (take(":"))
			shape(s);
		else
			die(&m->at, "unknown word %s", s);
	}
}

/* The name of a function of rows, and what it reads */
static void rows_function(void)
{
	m->rows = word();
	want("(");
	do {
		operand(word());
	} while (take(","));
	want(")");
}

/* What follows the name of a target: its type, the same everywhere */
static void target_type(const char *name, enum type *has)
{
	enum type type;

	want(".");
	type = type_named(&m->at, word());
	if (*has && *has != type)
		die(&m->at, "%s has two types", name);
	*has = type;
}

/* TARGET = EXPRESSION; ... of the scalar unit */
static void steps(void)
{
	do {
		struct step *s = &m->steps[m->nsteps];

		if (m->nsteps == MAX_STEPS)
			die(&m->at, "more than %d assignments", MAX_STEPS);
		s->target = word();
		if (!strcmp(s->target, "D")) {
			target_type("D", &m->dst);
		} else if (!strcmp(s->target, "TMP")) {
			target_type("TMP", &m->tmp);
		} else if (!strcmp(s->target, "EXEC")) {
			want(".");
			if (type_named(&m->at, word()) != TY_U64)
				die(&m->at, "EXEC is b64");
		} else if (strcmp(s->target, "SCC") && strcmp(s->target, "BRANCH")) {
			die(&m->at, "no target: %s", s->target);
		}
		want("=");
		s->expr = conditional();
		m->nsteps++;
	} while (take(";"));
}

static bool is_scalar(const struct row *r)
{
	return !strncmp(tables.encs[r->enc].name, "sop", 3);
}

void meaning_read(const struct place *at, const struct row *r, const char *s)
{
	size_t len;

	m = is_scalar(r) ? &scalars[nscalars++] : &meanings[nmeanings++];
	row = r;
	m->scalar = is_scalar(r);
	m->at = *at;
	m->op = r->op;
	for (len = strlen(s); len && isspace((unsigned char)s[len - 1]); len--)
		;
	for (; isspace((unsigned char)*s); s++)
		len--;
	m->written = text("%.*s", (int)len, s);
	p = m->written;
	if (r->op->row != r)
		die(at, "%s has a meaning where its first row is", r->op->name);
	if (take("@")) {
		m->bind = word();
	} else if (m->scalar) {
		steps();
	} else {
		do {
			target();
		} while (take(","));
		want("=");
		if (take("@"))
			rows_function();
		else
			m->expr = conditional();
	}
	if (!m->scalar && take("{"))
		words();
	blanks();
	if (*p)
		die(at, "nothing may follow here: '%s'", p);
}
