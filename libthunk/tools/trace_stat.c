// SPDX-License-Identifier: MIT
/* What a recording says of each kernel: a table, a plot; and a list of all that is in it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "screen.h"
#include "trace.h"
#include "trace_names.h"

#define OPCODES_SHOWN	20
#define WAVE64_UNTIL	100000	/* GPUs before gfx10 have waves of 64 lanes, and no others */
#define LANES		64
#define WIDE_COLS	100	/* room for all columns, and 20 characters of a name */

/**
 * struct kernel - all dispatches of one
 * @pid,@object: the process, and the address of the descriptor there (PM4: of the code)
 * @name: as its symbol says, or that address
 * @items: work-items; @slots: lanes of their waves, 0 if not known
 * @pages: touched; @written: bytes that have changed
 */
struct kernel {
	uint32_t pid;
	uint64_t object;
	char comm[17], name[TRACE_NAME_MAX];
	uint64_t dispatches, ns, waves, instructions, items, slots, pages, written;
};

struct table {
	struct kernel *rows;
	size_t n, room;
	uint64_t lost, unsure;
	const struct vkfd_capture_opcode **opcodes;
	size_t nopcodes, opcode_room;
};

static void *grown(void *p, size_t n, size_t *room, size_t each)
{
	void *q;

	if (n < *room)
		return p;
	q = reallocarray(p, *room ? *room * 2 : 64, each);
	if (!q) {
		fprintf(stderr, "vkfd-trace: out of memory\n");
		exit(EXIT_FAILURE);
	}
	*room = *room ? *room * 2 : 64;
	return q;
}

/* A string of the file's goes to a terminal, and into a plot */
static void take_text(char *to, size_t size, const char *from, size_t len)
{
	snprintf(to, size, "%.*s", (int)len, from);
	for (char *c = to; *c; c++)
		if (*c < ' ' || *c > '~' || strchr("<>&\"", *c))
			*c = '?';
}

static struct kernel *known_kernel(const struct table *t, uint32_t pid, uint64_t object)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->rows[i].pid == pid && t->rows[i].object == object)
			return &t->rows[i];
	return NULL;
}

static struct kernel *kernel_of(struct table *t, const struct vkfd_capture_dispatch *d)
{
	uint64_t object = trace_kernel(d);
	struct kernel *k = known_kernel(t, d->pid, object);

	if (k)
		return k;
	t->rows = grown(t->rows, t->n, &t->room, sizeof(*t->rows));
	k = &t->rows[t->n++];
	*k = (struct kernel){ .pid = d->pid, .object = object };
	take_text(k->comm, sizeof(k->comm), (const char *)d->comm, sizeof(d->comm));
	snprintf(k->name, sizeof(k->name), "0x%" PRIx64, object);
	return k;
}

/* Its dispatch was before. */
static void name_kernel(struct table *t, const struct vkfd_capture_record *r)
{
	const struct vkfd_capture_name *n = (const void *)r;
	struct kernel *k = known_kernel(t, n->pid, n->object);
	size_t len;
	const char *text = trace_text(r, &len);

	if (k && len)
		take_text(k->name, sizeof(k->name), text, len);
}

static uint64_t bytes_changed(const struct trace_page *p)
{
	uint64_t n = 0;

	for (unsigned int i = 0; p->after && i < VKFD_CAPTURE_PAGE_BYTES; i++)
		n += p->after[i] != (p->before ? p->before[i] : 0);
	return n;
}

static void add_dispatch(struct table *t, const struct trace *f, size_t *at,
			 const struct vkfd_capture_dispatch *d)
{
	struct kernel *k = kernel_of(t, d);
	struct trace_page p;

	k->dispatches++;
	k->ns += d->ns;
	k->waves += d->waves;
	k->instructions += d->instructions;
	k->items += (uint64_t)d->grid[0] * d->grid[1] * d->grid[2];
	k->slots += d->gfx < WAVE64_UNTIL ? d->waves * LANES : 0;
	k->pages += d->pages;
	for (uint32_t i = 0; i < d->pages; i++)
		if (trace_page(trace_next(f, at), &p))
			k->written += bytes_changed(&p);
	t->unsure += !!(d->flags & (VKFD_CAPTURE_SHORT | VKFD_CAPTURE_BESIDE));
}

static int kernel_order(const void *a, const void *b)
{
	const struct kernel *x = a, *y = b;

	return x->ns > y->ns ? -1 : x->ns < y->ns;
}

static int opcode_order(const void *a, const void *b)
{
	const struct vkfd_capture_opcode *x = *(const struct vkfd_capture_opcode *const *)a;
	const struct vkfd_capture_opcode *y = *(const struct vkfd_capture_opcode *const *)b;

	return x->count > y->count ? -1 : x->count < y->count;
}

static void collect(struct table *t, const struct trace *f)
{
	const struct vkfd_capture_record *r;
	size_t at = 0;

	while ((r = trace_next(f, &at))) {
		if (trace_dispatch(r))
			add_dispatch(t, f, &at, trace_dispatch(r));
		else if (r->type == VKFD_CAPTURE_LOST)
			t->lost += ((const struct vkfd_capture_lost *)r)->dispatches;
		else if (r->type == VKFD_CAPTURE_NAME)
			name_kernel(t, r);
		if (r->type != VKFD_CAPTURE_OPCODE)
			continue;
		t->opcodes = grown(t->opcodes, t->nopcodes, &t->opcode_room, sizeof(*t->opcodes));
		t->opcodes[t->nopcodes++] = (const void *)r;
	}
	if (t->n)
		qsort(t->rows, t->n, sizeof(*t->rows), kernel_order);
	if (t->nopcodes)
		qsort(t->opcodes, t->nopcodes, sizeof(*t->opcodes), opcode_order);
}

/* The name last: it may be of any length, and a terminal cuts it. */
static void print_kernel(const struct screen *s, const struct kernel *k)
{
	char lanes[16] = "?";

	if (k->slots)
		snprintf(lanes, sizeof(lanes), "%.1f", 100.0 * k->items / k->slots);
	fprintf(s->out, "%6" PRIu64 " %10.3f", k->dispatches, k->ns * 1e-6);
	if (s->cols >= WIDE_COLS)
		fprintf(s->out, " %9" PRIu64, k->waves);
	fprintf(s->out, " %12" PRIu64 " %6s %8" PRIu64 " %10" PRIu64 "  ", k->instructions, lanes,
		k->pages * (VKFD_CAPTURE_PAGE_BYTES / 1024), k->written);
	if (s->cols >= WIDE_COLS)
		fprintf(s->out, "%-15.15s  ", k->comm);
	fprintf(s->out, "%s\n", k->name);
}

static void print_table(const struct screen *s, const struct table *t)
{
	bool wide = s->cols >= WIDE_COLS;

	fprintf(s->out, SCREEN_NAMES "%6s %10s%s %12s %6s %8s %10s  %sKERNEL\n", "TIMES", "MS",
		wide ? "     WAVES" : "", "INSTRUCTIONS", "LANES%", "KiB SEEN", "BYTES CHGD",
		wide ? "COMMAND          " : "");
	for (size_t i = 0; i < t->n; i++)
		print_kernel(s, &t->rows[i]);
	if (!t->n)
		fputs("no dispatch was recorded\n", s->out);
	if (t->lost)
		fprintf(s->out, "%" PRIu64 " dispatches were not recorded: killed, or they had to run "
			"beside another\n", t->lost);
	if (t->unsure)
		fprintf(s->out, "%" PRIu64 " dispatches ran beside others, or their memory was too much "
			"to record\n", t->unsure);
}

static void print_opcodes(const struct screen *s, const struct table *t)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < t->nopcodes; i++)
		sum += t->opcodes[i]->count;
	if (!sum) {
		if (t->n)
			fputs("\nopcodes were not counted\n", s->out);
		return;
	}
	fprintf(s->out, "\n" SCREEN_NAMES "%-40s %14s %6s\n", "OPCODE (all processes)", "TIMES", "%");
	for (i = 0; i < t->nopcodes && i < OPCODES_SHOWN; i++) {
		char name[sizeof(t->opcodes[i]->name) + 1];

		take_text(name, sizeof(name), t->opcodes[i]->name, sizeof(t->opcodes[i]->name));
		fprintf(s->out, "%-40.40s %14" PRIu64 " %6.1f\n", name,
			(uint64_t)t->opcodes[i]->count, 100.0 * t->opcodes[i]->count / sum);
	}
	if (i < t->nopcodes)
		fprintf(s->out, "and %zu others\n", t->nopcodes - i);
}

static int complain(const char *path)
{
	fprintf(stderr, "vkfd-trace: %s: %s\n", path, strerror(errno));
	return EXIT_FAILURE;
}

/* A bar for each kernel: its time, and how many of its lanes had a work-item. */
static int plot(const struct table *t, const char *path)
{
	const unsigned int left = 190, width = 520, step = 26;
	uint64_t most = 1;
	FILE *f = fopen(path, "w");

	if (!f)
		return complain(path);
	for (size_t i = 0; i < t->n; i++)
		most = t->rows[i].ns > most ? t->rows[i].ns : most;
	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%zu\" "
		"font-family=\"sans-serif\" font-size=\"12\">\n"
		"<text x=\"10\" y=\"18\">Time of each kernel; the dark part: lanes that had a "
		"work-item</text>\n", left + width + 150, 40 + t->n * step);
	for (size_t i = 0; i < t->n; i++) {
		const struct kernel *k = &t->rows[i];
		double w = (double)k->ns / most * width;
		double used = k->slots ? (double)k->items / k->slots : 1;
		size_t y = 30 + i * step;

		/* As much of a name as has room there */
		fprintf(f, "<text x=\"10\" y=\"%zu\"><title>%s, by %s</title>%.26s</text>\n"
			"<rect x=\"%u\" y=\"%zu\" width=\"%.1f\" height=\"18\" fill=\"#c8d8ea\"/>\n"
			"<rect x=\"%u\" y=\"%zu\" width=\"%.1f\" height=\"18\" fill=\"#3a6ea5\"/>\n"
			"<text x=\"%.1f\" y=\"%zu\">%.3f ms, %" PRIu64 " times</text>\n", y + 14,
			k->name, k->comm, k->name, left, y, w, left, y, w * (used < 1 ? used : 1),
			left + w + 6, y + 14, k->ns * 1e-6, k->dispatches);
	}
	fputs("</svg>\n", f);
	return fclose(f) ? complain(path) : EXIT_SUCCESS;
}

int trace_stat(const struct trace *f, const char *svg)
{
	struct table t = { 0 };
	int status = EXIT_SUCCESS;
	struct screen s;

	collect(&t, f);
	if (screen_begin(&s)) {
		print_table(&s, &t);
		print_opcodes(&s, &t);
		screen_end(&s, false);
	} else {
		status = EXIT_FAILURE;
	}
	if (svg && !status)
		status = plot(&t, svg);
	free(t.rows);
	free(t.opcodes);
	return status;
}

static void show_text(const char *what, const struct vkfd_capture_record *r)
{
	size_t len;
	const char *text = trace_text(r, &len);

	fputs(what, stdout);
	for (size_t i = 0; i < len; i++)
		putchar(text[i] < ' ' || text[i] > '~' ? '?' : text[i]);
	putchar('\n');
}

static void show_name(const struct vkfd_capture_record *r)
{
	const struct vkfd_capture_name *n = (const void *)r;
	char what[64];

	snprintf(what, sizeof(what), "pid %u kernel 0x%" PRIx64 " is ", n->pid, (uint64_t)n->object);
	show_text(what, r);
}

int trace_show(const struct trace *f)
{
	const struct vkfd_capture_record *r;
	const struct vkfd_capture_dispatch *d;
	struct trace_page p;
	uint64_t number = 0;
	size_t at = 0;

	while ((r = trace_next(f, &at))) {
		d = trace_dispatch(r);
		if (d)
			printf("dispatch %" PRIu64 ": pid %u queue %u packet %" PRIu64 " kernel 0x%"
			       PRIx64 " grid %ux%ux%u group %ux%ux%u waves %" PRIu64
			       " instructions %" PRIu64 " ns %" PRIu64 " pages %u%s%s%s\n", ++number,
			       d->pid, d->queue, (uint64_t)d->index, trace_kernel(d),
			       d->grid[0], d->grid[1], d->grid[2], d->group[0], d->group[1],
			       d->group[2], (uint64_t)d->waves, (uint64_t)d->instructions,
			       (uint64_t)d->ns, d->pages, d->flags & VKFD_CAPTURE_PM4 ? " pm4" : "",
			       d->flags & VKFD_CAPTURE_SHORT ? " short" : "",
			       d->flags & VKFD_CAPTURE_BESIDE ? " beside" : "");
		else if (trace_page(r, &p))
			printf("  page 0x%" PRIx64 " %c%c%c%s%s\n", p.va, p.access & 1 ? 'r' : '-',
			       p.access & 2 ? 'w' : '-', p.access & 4 ? 'x' : '-',
			       p.after ? " changed" : "",
			       p.flags & VKFD_CAPTURE_GONE ? " gone" : "");
		else if (r->type == VKFD_CAPTURE_LOST)
			printf("lost %" PRIu64 " dispatches\n",
			       (uint64_t)((const struct vkfd_capture_lost *)r)->dispatches);
		else if (r->type == VKFD_CAPTURE_NAME)
			show_name(r);
		else if (r->type == VKFD_CAPTURE_TEXT)
			show_text("", r);
		else if (r->type == VKFD_CAPTURE_COMMAND)
			show_text("command: ", r);
	}
	return EXIT_SUCCESS;
}
