// SPDX-License-Identifier: GPL-2.0-only
/*
 * gen-isa WHAT TAB...: write one of the generated files to the standard output.
 * A row that cannot be right (two rows in one slot, unknown words, a number
 * outside of the encoding) stops the build with its file and line.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "meaning.h"

struct tables tables;

static const struct {
	const char *name;
	void (*emit)(void);
} outputs[] = {
	{ "ops", emit_ops },		/* enum isa_op */
	{ "tables", emit_tables },	/* rows and slots, for targets.c */
	{ "lanes", emit_lanes },	/* the vector ALU, for lane.inc.c */
	{ "matrix", emit_matrix },	/* shapes, for lane_mat_stage.inc.c */
	{ "excp", emit_excp },		/* exceptions, for excp.c */
	{ "scalars", emit_scalars },	/* the scalar unit, for salu.c */
	{ "scalar_list", emit_scalar_list },	/* the scalar unit as a list, for tests */
	{ "jit", emit_jit },		/* what engine/jit compiles */
	{ "list", emit_list },		/* the vector ALU as a list, for tests */
	{ "refused", emit_refused },	/* what is not executed, for tests */
};

void die(const struct place *at, const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	if (at)
		fprintf(stderr, "%s:%u: ", at->file, at->line);
	else
		fprintf(stderr, "gen-isa: ");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

/* A new string; nothing is ever freed here. */
char *text(const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	s = malloc((size_t)n + 1);
	if (!s)
		die(NULL, "out of memory");
	va_start(ap, fmt);
	vsnprintf(s, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return s;
}

const char *upper(const char *s)
{
	char *r = text("%s", s), *p;

	for (p = r; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	return r;
}

int main(int argc, char **argv)
{
	unsigned int n, k;
	int a;

	for (n = 0; argc > 2 && n < ARRAY_SIZE(outputs); n++) {
		if (strcmp(argv[1], outputs[n].name))
			continue;
		for (a = 2; a < argc; a++)
			rows_read(argv[a]);
		for (k = 0; k < nmeanings; k++)
			types_resolve(&meanings[k]);
		for (k = 0; k < nscalars; k++)
			types_resolve(&scalars[k]);
		outputs[n].emit();
		if (fflush(stdout) || ferror(stdout))
			die(NULL, "cannot write");
		return 0;
	}
	fprintf(stderr, "usage: gen-isa WHAT TAB...\n");
	return 1;
}
