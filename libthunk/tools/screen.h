/* SPDX-License-Identifier: MIT */
/*
 * What a terminal has room for. Lines are written to a stream; showing them cuts what is too
 * wide or too far down. Where standard output is no terminal, nothing is cut, and has no colour.
 */
#ifndef SCREEN_H
#define SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The first character of a line may say how it looks. */
#define SCREEN_HEAD	"\1"	/* bold */
#define SCREEN_BAD	"\2"	/* red */
#define SCREEN_NAMES	"\3"	/* of columns */

/**
 * struct screen - standard output
 * @rows: that there are; @cols: likewise; as many as there can be if it is no terminal
 * @colour: it is one, and its user has nothing against it (NO_COLOR)
 * @out: where lines are written to
 */
struct screen {
	unsigned int rows, cols;
	bool colour;
	FILE *out;
	char *text;
	size_t size;
};

/* Is it a terminal that knows what the sequences are which move the cursor? */
bool screen_redraws(void);
/* Looks at standard output, and makes @out. False: out of memory. */
bool screen_begin(struct screen *s);
/* Shows what was written, from the top of the screen if @redraw, and closes @out. */
void screen_end(struct screen *s, bool redraw);

#endif /* SCREEN_H */
