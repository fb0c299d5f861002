/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gen-isa: the instruction tables (isa/tab) to C. A program of the build host.
 *
 * rows.c reads the tables, tables.c writes what the decoder needs; for what operations
 * are see meaning.h.
 */
#ifndef ISA_GEN_H
#define ISA_GEN_H

#include <stdbool.h>
#include <stdio.h>

#define MAX_GENS	16
#define MAX_ENCS	32
#define MAX_ROWS	8192
#define MAX_SLOTS	1024
#define MAX_SRC		3
#define MAX_DST		2

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Where a row stands, for messages */
struct place {
	const char *file;
	unsigned int line;
};

struct generation {
	const char *name;
	const char *major, *minor, *step;
	const char *features;		/* C: " | ISA_GEN_..." */
	int parent;			/* index, or -1 */
	const char *family;		/* C: what follows isa_family_ */
};

struct encoding {
	const char *name;
	unsigned int slots[MAX_GENS];
	int promote[MAX_GENS];		/* offset of the VOP3 forms, or -1 */
};

/* An operand word: a kind, a width in bits, whether it is a float */
struct operand {
	const char *word;
	const char *kind;		/* C: what follows ISA_K_, or NULL for none */
	unsigned int bits, type;	/* type: ISA_T_* */
};

struct row {
	struct place at;
	struct op *op;
	unsigned int enc;
	unsigned int mods, ignored;
	struct operand dst[MAX_DST], src[MAX_SRC];
	const char *flags;		/* C */
	const char *alias_gen, *alias;
};

/* An operation; the first row of its name brings it */
struct op {
	const char *name;
	const struct row *row;
};

#define MAX_REFUSED	64

/* All that the tables say */
struct tables {
	struct generation gens[MAX_GENS];
	struct encoding encs[MAX_ENCS];
	struct row rows[MAX_ROWS];
	struct op ops[MAX_ROWS];
	unsigned int ngens, nencs, nrows, nops;
	/* operations that are not executed: how their names begin, and why */
	struct {
		const char *prefix, *why;
	} refused[MAX_REFUSED];
	unsigned int nrefused;
	/* row + 1 of a number, by generation and encoding */
	unsigned short slot[MAX_GENS][MAX_ENCS][MAX_SLOTS];
};

extern struct tables tables;

/* main.c */
void die(const struct place *at, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));
char *text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
const char *upper(const char *s);

/* rows.c */
void rows_read(const char *file);
bool gen_descends(int gen, const char *ancestor);

/* tables.c */
void emit_ops(void);
void emit_tables(void);
void emit_head(void);

/* lanes.c */
void emit_lanes(void);
void emit_matrix(void);
void emit_list(void);
void emit_refused(void);

/* excp.c */
void emit_excp(void);

/* scalars.c */
void emit_scalars(void);
void emit_scalar_list(void);
void emit_jit(void);

#endif /* ISA_GEN_H */
