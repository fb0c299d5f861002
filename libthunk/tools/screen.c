// SPDX-License-Identifier: MIT
/* What a terminal has room for; see screen.h. */
#define _GNU_SOURCE
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "screen.h"

bool screen_redraws(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && (!term || strcmp(term, "dumb"));
}

static void measure(struct screen *s)
{
	const char *no = getenv("NO_COLOR");
	struct winsize w;

	s->rows = s->cols = UINT_MAX;
	s->colour = screen_redraws() && (!no || !*no);
	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) || !w.ws_row || !w.ws_col)
		return;
	s->rows = w.ws_row;
	s->cols = w.ws_col;
}

bool screen_begin(struct screen *s)
{
	measure(s);
	s->text = NULL;
	s->out = open_memstream(&s->text, &s->size);
	return s->out;
}

static const char *look_of(char tag)
{
	switch (tag) {
	case '\1':
		return "\033[1m";
	case '\2':
		return "\033[31m";
	case '\3':
		return "\033[4m";
	default:
		return NULL;
	}
}

static void show_line(const struct screen *s, const char *line, size_t len, bool redraw)
{
	const char *look = len ? look_of(*line) : NULL;

	if (look) {
		line++;
		len--;
	}
	if (len > s->cols)
		len = s->cols;
	printf("%s%.*s%s%s\n", look && s->colour ? look : "", (int)len, line,
	       look && s->colour ? "\033[0m" : "", redraw ? "\033[K" : "");
}

void screen_end(struct screen *s, bool redraw)
{
	unsigned int lines = 0, n = 0;
	char more[64];

	fclose(s->out);
	for (const char *p = s->text; p && *p; p++)
		lines += *p == '\n';
	if (redraw)
		fputs("\033[H", stdout);
	/* The cursor stands in the last row */
	for (const char *p = s->text; n < lines; n++) {
		size_t len = strcspn(p, "\n");

		if (redraw && lines >= s->rows && n + 2 >= s->rows) {
			snprintf(more, sizeof(more), "%u more lines (-b prints all)", lines - n);
			show_line(s, more, strlen(more), redraw);
			break;
		}
		show_line(s, p, len, redraw);
		p += len + 1;
	}
	if (redraw)
		fputs("\033[J", stdout);
	fflush(stdout);
	free(s->text);
	s->text = NULL;
}
