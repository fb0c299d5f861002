// SPDX-License-Identifier: GPL-2.0-only
/* Reads the rows of the tables; tab/gen.tab has their grammar. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "meaning.h"

#define MAX_WORDS	32

static const struct {
	char letter;
	const char *kind;
} kinds[] = {
	{ 'v', "V" }, { 'a', "A" }, { 's', "S" }, { 'c', "C" }, { 'r', "R" }, { 'x', "X" },
	{ 'm', "M" }, { 'k', "LIT" }, { 'i', "SIMM" }, { 'u', "UIMM" }, { 'n', "DEC" },
	{ 'l', "LABEL" }, { 'h', "HWREG" }, { 'w', "WAIT" }, { 'q', "MSG" },
	{ 'g', "GPRIDX" }, { 'e', "CODE" }, { 'b', "BARRIER" }, { 'd', "DELAY" },
	{ 'p', "DEPCTR" }, { 'j', "VERSION" },
};

static const char * const flag_words[] = {
	"clamp", "omod", "omod3", "opsel", "nosdwa", "nodpp", "noe64", "ret", "gds",
	"nogds", "noscc", "nod16", "noglc", "dpp3", "store", "tfe", "bvh", "gather",
	"index", "bitop3", "swap", "f8f6f4",
};

static const char * const feature_words[] = {
	"mai", "unified", "sc", "rdna", "gfx11", "gfx115", "gfx12", "ocp", "ecc",
};

static struct place at;
static bool in_fn;		/* the last row is a fn */
static const char *family;	/* of generations without a parent */

static bool is_one_of(const char *s, const char * const *list, size_t n)
{
	while (n--)
		if (!strcmp(s, list[n]))
			return true;
	return false;
}

static int number(const char *s)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(s, &end, 0);
	if (errno || *end || end == s || v < 0 || v > 0xffff)
		die(&at, "bad number %s", s);
	return (int)v;
}

static int gen_index(const char *name)
{
	unsigned int n;

	for (n = 0; n < tables.ngens; n++)
		if (!strcmp(tables.gens[n].name, name))
			return (int)n;
	return -1;
}

static int enc_index(const char *name)
{
	unsigned int n;

	for (n = 0; n < tables.nencs; n++)
		if (!strcmp(tables.encs[n].name, name))
			return (int)n;
	return -1;
}

/* Is generation @gen the one called @ancestor, or a descendant of it? */
bool gen_descends(int gen, const char *ancestor)
{
	for (; gen >= 0; gen = tables.gens[gen].parent)
		if (!strcmp(tables.gens[gen].name, ancestor))
			return true;
	return false;
}

/* Cuts @s in place at each character of @at; returns the number of parts. */
static unsigned int split(char *s, const char *sep, char **part, unsigned int max)
{
	unsigned int n = 0;
	char *save, *p;

	for (p = strtok_r(s, sep, &save); p; p = strtok_r(NULL, sep, &save)) {
		if (n == max)
			die(&at, "more than %u parts", max);
		part[n++] = p;
	}
	return n;
}

static struct operand operand(char *word)
{
	struct operand o = { .word = word };
	char *end = word + strlen(word), save;
	unsigned int n, type = 0;

	if (!strcmp(word, "-"))
		return o;
	if (!strcmp(word, "vcc")) {
		o.kind = "VCC";
		o.bits = 64;
		return o;
	}
	for (n = 0; n < ARRAY_SIZE(kinds); n++)
		if (kinds[n].letter == word[0])
			o.kind = kinds[n].kind;
	for (; end - word > 1 && strchr("fbp", end[-1]); end--)
		type |= end[-1] == 'f' ? 1 : end[-1] == 'b' ? 4 : 8;
	save = *end;
	*end = '\0';
	if (!o.kind || !isdigit((unsigned char)word[1]))
		die(&at, "unknown operand %s", word);
	o.bits = (unsigned int)number(word + 1);
	*end = save;
	o.type = type | (o.bits == 16 ? 2 : 0);
	return o;
}

static void read_gen(char **w, unsigned int n)
{
	struct generation *g = &tables.gens[tables.ngens];
	char *version[3];
	unsigned int i = 3;

	if (n < 3 || tables.ngens == MAX_GENS || split(w[2], ".", version, 3) != 3)
		die(&at, "gen NAME MAJOR.MINOR.STEP [< PARENT] [FEATURE ...]");
	g->name = w[1];
	g->major = version[0];
	g->minor = version[1];
	g->step = version[2];
	g->features = "";
	g->parent = -1;
	g->family = family;
	if (n > 4 && !strcmp(w[3], "<")) {
		g->parent = gen_index(w[4]);
		if (g->parent < 0)
			die(&at, "unknown parent %s", w[4]);
		g->features = tables.gens[g->parent].features;
		g->family = tables.gens[g->parent].family;
		i = 5;
	}
	for (; i < n; i++) {
		if (!is_one_of(w[i], feature_words, ARRAY_SIZE(feature_words)))
			die(&at, "unknown feature %s", w[i]);
		g->features = text("%s | ISA_GEN_%s", g->features, upper(w[i]));
	}
	if (!g->family)
		die(&at, "no family");
	tables.ngens++;
}

/* Does a line that ends in the @n names at @w apply to generation @gen? No names: to all. */
static bool meant(unsigned int gen, char **w, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (gen_index(w[i]) < 0)
			die(&at, "unknown generation %s", w[i]);
	for (i = 0; i < n; i++)
		if (gen_descends((int)gen, w[i]))
			return true;
	return !n;
}

static void read_enc(char **w, unsigned int n)
{
	int found = n < 3 ? -1 : enc_index(w[1]);
	struct encoding *e = &tables.encs[found < 0 ? tables.nencs : (unsigned int)found];
	unsigned int g, slots;

	if (n < 3 || e == &tables.encs[MAX_ENCS])
		die(&at, "enc NAME SLOTS [GEN ...]");
	slots = (unsigned int)number(w[2]);
	if (slots > MAX_SLOTS)
		die(&at, "more than %u slots", MAX_SLOTS);
	e->name = w[1];
	for (g = 0; g < MAX_GENS; g++) {
		if (found < 0)
			e->promote[g] = -1;
		if (g < tables.ngens && meant(g, w + 3, n - 3))
			e->slots[g] = slots;
	}
	tables.nencs += found < 0;
}

static void read_promote(char **w, unsigned int n)
{
	int e = n >= 3 ? enc_index(w[1]) : -1;
	unsigned int g;

	if (e < 0)
		die(&at, "promote FROM OFFSET [GEN ...]");
	for (g = 0; g < tables.ngens; g++)
		if (meant(g, w + 3, n - 3))
			tables.encs[e].promote[g] = number(w[2]);
}

static struct op *op_of(const char *name, const struct row *r)
{
	struct op *o;

	for (o = tables.ops; o < tables.ops + tables.nops; o++)
		if (!strcmp(o->name, name))
			return o;
	o->name = name;
	o->row = r;
	tables.nops++;
	return o;
}

/* The flag words of a row; returns whether it has no VOP3 form. */
static bool read_flags(struct row *r, char *words)
{
	char *f[16], *a[3];
	unsigned int n = split(words, ",", f, ARRAY_SIZE(f)), i;
	bool noe64 = false;

	r->flags = "0";
	for (i = 0; i < n; i++) {
		const char *s = f[i];

		if (!strcmp(s, "-")) {
			continue;
		} else if ((s[0] == 'm' || s[0] == 'z') && s[1] >= '0' && s[1] <= '7' && !s[2]) {
			*(s[0] == 'm' ? &r->mods : &r->ignored) = (unsigned int)(s[1] - '0');
		} else if (!strncmp(s, "as:", 3)) {
			unsigned int parts = split(f[i], ":", a, 3);

			if (parts < 2)
				die(&at, "as:[GEN:]NAME");
			r->alias_gen = parts == 3 ? a[1] : NULL;
			r->alias = a[parts - 1];
		} else if (!strncmp(s, "img", 3)) {
			if (strlen(s) != 8 || strspn(s + 3, "01234567") != 5)
				die(&at, "img<five digits>");
			r->flags = text("%s | ISA_OPF_IMG(0x%s)", r->flags, s + 3);
		} else if (is_one_of(s, flag_words, ARRAY_SIZE(flag_words))) {
			r->flags = text("%s | ISA_OPF_%s", r->flags, upper(s));
			noe64 |= !strcmp(s, "noe64");
		} else {
			die(&at, "unknown flag %s", s);
		}
	}
	return noe64;
}

static void put(unsigned int gen, unsigned int enc, int num, const struct row *r)
{
	const struct encoding *e = &tables.encs[enc];
	unsigned short *slot;

	if (num < 0 || (unsigned int)num >= e->slots[gen])
		die(&at, "number %d is outside of %s", num, e->name);
	slot = &tables.slot[gen][enc][num];
	if (*slot)
		die(&at, "%s %d of %s is %s already", e->name, num, tables.gens[gen].name,
		    tables.rows[*slot - 1].op->name);
	*slot = (unsigned short)(r - tables.rows + 1);
}

/* The numbers by generation: each inherits its parent's. */
static void read_numbers(const struct row *r, char **w, unsigned int n, bool noe64)
{
	const struct encoding *e = &tables.encs[r->enc];
	int vop3 = enc_index("vop3"), num[MAX_GENS];
	unsigned int g, i;

	for (i = 0; i < n; i++) {
		char *eq = strchr(w[i], '=');

		if (!eq)
			die(&at, "no GEN=NUM: %s", w[i]);
		*eq = '\0';
		if (gen_index(w[i]) < 0)
			die(&at, "unknown generation %s", w[i]);
	}
	for (g = 0; g < tables.ngens; g++) {
		int parent = tables.gens[g].parent;

		num[g] = parent < 0 ? -1 : num[parent];
		for (i = 0; i < n; i++) {
			const char *v = w[i] + strlen(w[i]) + 1;

			if (gen_index(w[i]) == (int)g)
				num[g] = !strcmp(v, "-") ? -1 : number(v);
		}
		if (num[g] < 0)
			continue;
		put(g, r->enc, num[g], r);
		if (e->promote[g] >= 0 && !noe64)
			put(g, (unsigned int)vop3, num[g] + e->promote[g], r);
	}
}

static void read_op(char **w, unsigned int n)
{
	struct row *r = &tables.rows[tables.nrows];
	unsigned int nd, ns, i;
	char *d[MAX_DST], *s[MAX_SRC];
	bool noe64;
	int enc;

	if (n < 7)
		die(&at, "op NAME ENC DST SRC FLAGS GEN=NUM ...");
	if (tables.nrows == MAX_ROWS)
		die(&at, "more than %u rows", MAX_ROWS);
	enc = enc_index(w[2]);
	if (enc < 0)
		die(&at, "unknown encoding %s", w[2]);
	r->at = at;
	r->enc = (unsigned int)enc;
	nd = split(w[3], ",", d, MAX_DST);
	for (i = 0; i < nd; i++)
		r->dst[i] = operand(d[i]);
	ns = split(w[4], ",", s, MAX_SRC);
	for (i = 0; i < ns; i++)
		r->src[i] = operand(s[i]);
	r->op = op_of(w[1], r);
	noe64 = read_flags(r, w[5]);
	tables.nrows++;
	read_numbers(r, w + 6, n - 6, noe64);
}

static void read_refuse(char **w, unsigned int n)
{
	const char *why = "";
	unsigned int i;

	if (n < 3 || tables.nrefused == MAX_REFUSED)
		die(&at, "refuse PREFIX REASON ..., at most %u", MAX_REFUSED);
	for (i = 2; i < n; i++)
		why = text("%s%s%s", why, *why ? " " : "", w[i]);
	tables.refused[tables.nrefused].prefix = w[1];
	tables.refused[tables.nrefused++].why = why;
}

static void read_line(char *line)
{
	char *w[MAX_WORDS];
	unsigned int n = split(line, " \t\n", w, MAX_WORDS);

	if (!n || w[0][0] == '#')
		return;
	if (!strcmp(w[0], "gen"))
		read_gen(w, n);
	else if (!strcmp(w[0], "family") && n == 2)
		family = w[1];
	else if (!strcmp(w[0], "enc"))
		read_enc(w, n);
	else if (!strcmp(w[0], "promote"))
		read_promote(w, n);
	else if (!strcmp(w[0], "op"))
		read_op(w, n);
	else if (!strcmp(w[0], "refuse"))
		read_refuse(w, n);
	else if (!strcmp(w[0], "raises"))
		raises_read(&at, w, n);
	else if (!strcmp(w[0], "fn"))
		fn_begin(&at, w, n);
	else
		die(&at, "unknown line %s", w[0]);
	in_fn = !strcmp(w[0], "fn");
}

/* A line that begins with a tab belongs to the row above. */
static void read_more(const char *line)
{
	if (in_fn)
		fn_how(&at, line);
	else if (tables.nrows)
		meaning_read(&at, &tables.rows[tables.nrows - 1], line);
	else
		die(&at, "no row above");
}

void rows_read(const char *file)
{
	char line[1024];
	FILE *f = fopen(file, "r");

	at = (struct place) { file, 0 };
	if (!f)
		die(NULL, "%s: %s", file, strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		at.line++;
		if (!strchr(line, '\n'))
			die(&at, "line too long");
		if (line[0] == '\t' && strspn(line, " \t\n") < strlen(line))
			read_more(line);
		else if (line[0] != '#')
			read_line(text("%s", line));
	}
	fclose(f);
}
