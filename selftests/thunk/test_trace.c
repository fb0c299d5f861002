// SPDX-License-Identifier: MIT
/*
 * Files of vkfd-trace, good ones and bad ones. Bad ones are made from a good one: cut anywhere,
 * with each word replaced by values that hurt, and with bytes replaced at random. Whatever is in
 * them, nothing beyond the end is read (the address sanitizer looks), and what is accepted can be
 * walked, shown and summed up.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"
#include "tools/trace.h"
#include "tools/trace_names.h"

#define PAGE	VKFD_CAPTURE_PAGE_BYTES
#define ROUNDS	20000

struct file {
	uint8_t *data;
	size_t size;
};

static void *add(struct file *f, uint32_t type, size_t bytes)
{
	struct vkfd_capture_record *r;

	f->data = realloc(f->data, f->size + bytes);
	r = (void *)(f->data + f->size);
	memset(r, 0, bytes);
	r->type = type;
	r->bytes = bytes;
	f->size += bytes;
	return r;
}

static void add_page(struct file *f, uint64_t va, uint32_t flags)
{
	size_t bytes = sizeof(struct vkfd_capture_page) + (flags & VKFD_CAPTURE_ZERO ? 0 : PAGE) +
		       (flags & VKFD_CAPTURE_CHANGED ? PAGE : 0);
	struct vkfd_capture_page *p = add(f, VKFD_CAPTURE_PAGE, bytes);

	p->va = va;
	p->flags = flags;
	memset(p + 1, 0x5a, bytes - sizeof(*p));
	if (bytes > sizeof(*p))
		((uint8_t *)(p + 1))[bytes - sizeof(*p) - 1] = 7;
}

/* A grid of 100x6x1 from group 5 on, with private memory, in waves of 64. */
static void add_pm4(struct file *f)
{
	struct vkfd_capture_dispatch *d = add(f, VKFD_CAPTURE_DISPATCH, sizeof(*d) +
					      sizeof(struct vkfd_capture_pm4));
	struct vkfd_capture_pm4 *p = (void *)(d + 1);
	static const uint32_t grid[] = { 100, 6, 1 }, group[] = { 32, 3, 1 };

	d->flags = VKFD_CAPTURE_PM4;
	d->pc = 0x7f0123456700;
	memcpy(d->grid, grid, sizeof(grid));
	memcpy(d->group, group, sizeof(group));
	p->start[0] = 5;
	p->lanes = 64;
	p->tmpring = 0x4020;
	p->scratch = 0x7f0200000000;
	p->scratch_bytes = 0x100000;
	for (uint32_t i = 0; i < 3; i++)
		p->rsrc[i] = 0x100 + i;
	for (uint32_t i = 0; i < 16; i++)
		p->user[i] = 0x200 + i;
}

static struct file good(void)
{
	struct file f = { 0 };
	struct vkfd_capture_header *h = add(&f, VKFD_CAPTURE_HEADER, sizeof(*h));
	struct vkfd_capture_dispatch *d;
	struct vkfd_capture_opcode *o;
	struct vkfd_capture_lost *l;
	struct vkfd_capture_name *n;

	h->magic = VKFD_CAPTURE_MAGIC;
	memcpy((char *)add(&f, VKFD_CAPTURE_TEXT, 24) + 8, "a line\033", 7);
	d = add(&f, VKFD_CAPTURE_DISPATCH, sizeof(*d));
	d->pages = 3;
	d->grid[0] = 100;
	d->grid[1] = d->grid[2] = 1;
	d->waves = 2;
	d->gfx = 90010;
	memcpy(d->comm, "<0123456789abcde", 16);
	add_page(&f, 0x10000, 0);
	add_page(&f, 0x20000, VKFD_CAPTURE_ZERO);
	add_page(&f, 0x30000, VKFD_CAPTURE_CHANGED);
	l = add(&f, VKFD_CAPTURE_LOST, sizeof(*l));
	l->dispatches = 4;
	d = add(&f, VKFD_CAPTURE_DISPATCH, sizeof(*d));
	add_pm4(&f);
	o = add(&f, VKFD_CAPTURE_OPCODE, sizeof(*o));
	memset(o->name, 'x', sizeof(o->name));
	o->count = 5;
	n = add(&f, VKFD_CAPTURE_NAME, sizeof(*n) + 8);
	memset(n + 1, 'n', 8);	/* up to its end */
	add(&f, 99, 16);	/* a type of tomorrow's */
	return f;
}

/* Packets that end where their room does. */
static void make_packets(const struct trace *t)
{
	const struct vkfd_capture_record *r;
	const struct vkfd_capture_dispatch *d;
	size_t at = 0;

	while ((r = trace_next(t, &at))) {
		d = trace_dispatch(r);
		if (!d || !trace_pm4(d) || trace_pm4_check(d, trace_pm4(d)))
			continue;
		uint32_t *room = malloc(TRACE_PM4_DWORDS * sizeof(*room));

		trace_pm4_packets(d, trace_pm4(d), room);
		free(room);
	}
}

/* In memory that ends where the file does. */
static const char *judge(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);
	struct trace t = { .data = copy, .size = size };
	const char *why;

	memcpy(copy, data, size);
	why = trace_check(&t);
	if (!why) {
		trace_stat(&t, NULL);
		trace_show(&t);
		make_packets(&t);
	}
	free(copy);
	return why;
}

static void test_good(void)
{
	struct file f = good();
	struct trace t = { .data = f.data, .size = f.size };
	const struct vkfd_capture_record *r;
	struct trace_page p;
	unsigned int pages = 0, dispatches = 0, all = 0;
	size_t at = 0;

	CHECK(!trace_check(&t));
	while ((r = trace_next(&t, &at))) {
		all++;
		dispatches += !!trace_dispatch(r);
		if (!trace_page(r, &p))
			continue;
		CHECK(p.va == 0x10000 + 0x10000ull * pages);
		CHECK(!p.before == (pages == 1));
		CHECK(!p.after == (pages != 2));
		CHECK(pages != 2 || (p.after[PAGE - 1] == 7 && p.before[PAGE - 1] == 0x5a));
		pages++;
	}
	CHECK(all == 12 && pages == 3 && dispatches == 3);
	free(f.data);
}

static void test_cut(void)
{
	struct file f = good();
	unsigned int accepted = 0;

	for (size_t size = 0; size < f.size; size++)
		accepted += !judge(f.data, size);
	/* Only between records that belong to no dispatch */
	CHECK(accepted == 8);
	free(f.data);
}

static void test_words(void)
{
	static const uint64_t hurt[] = { 0, 1, 7, 8, 4095, 4096, 0x7fffffff, 0x80000000, 0xffffffff,
					 0x100000000, 1ull << 47, ~0ull, ~7ull };
	struct file f = good();
	uint8_t was[8];

	for (size_t at = 0; at + 8 <= f.size; at += 4) {
		memcpy(was, f.data + at, 8);
		for (size_t i = 0; i < sizeof(hurt) / sizeof(*hurt); i++) {
			memcpy(f.data + at, &hurt[i], i % 2 ? 4 : 8);
			judge(f.data, f.size);
			memcpy(f.data + at, was, 8);
		}
		/* What follows are contents of pages */
		if (at > 400 && at < f.size - 400)
			at += 508;
	}
	CHECK(!judge(f.data, f.size));
	free(f.data);
}

static void test_random(void)
{
	struct file f = good();
	uint8_t *copy = malloc(f.size);
	unsigned int refused = 0;

	srandom(1);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		memcpy(copy, f.data, f.size);
		for (unsigned int n = random() % 4 + 1; n; n--)
			copy[random() % 2 ? (size_t)random() % 400 : random() % f.size] = random();
		refused += !!judge(copy, random() % 8 ? f.size : (size_t)random() % f.size);
	}
	CHECK(refused > ROUNDS / 100);
	free(copy);
	free(f.data);
}

static void test_names(void)
{
	struct file f = good();
	struct vkfd_capture_page *p;

	CHECK(strstr(judge(f.data, 0), "no file of vkfd-trace"));
	CHECK(strstr(judge(f.data, f.size - 8), "cut short"));
	CHECK(strstr(judge(f.data, 300), "cut short"));
	p = (void *)(f.data + sizeof(struct vkfd_capture_header) + 24 +
		     sizeof(struct vkfd_capture_dispatch));
	p->va = 0x10001;
	CHECK(strstr(judge(f.data, f.size), "address"));
	p->va = 1ull << 47;
	CHECK(strstr(judge(f.data, f.size), "address"));
	p->va = 0x10000;
	p->flags = VKFD_CAPTURE_ZERO;
	CHECK(strstr(judge(f.data, f.size), "wrong length"));
	free(f.data);
}

/* The values of a SET_SH_REG packet; NULL: none sets this register first. */
static const uint32_t *set_values(const uint32_t *dw, unsigned int n, uint32_t reg, uint32_t count)
{
	for (unsigned int i = 0; i < n; i += (dw[i] >> 16 & 0x3fff) + 2)
		if ((dw[i] >> 8 & 0xff) == 0x76 && dw[i + 1] == reg &&
		    (dw[i] >> 16 & 0x3fff) == count)
			return &dw[i + 2];
	return NULL;
}

static void test_pm4(void)
{
	struct file f = { 0 };
	struct vkfd_capture_dispatch *d;
	struct vkfd_capture_pm4 *p;
	uint32_t dw[TRACE_PM4_DWORDS];
	uint8_t packet[64];
	const uint32_t *v;
	unsigned int n;

	add_pm4(&f);
	d = (void *)f.data;
	p = (void *)(d + 1);
	CHECK(trace_pm4(d) == p && !trace_pm4_check(d, p));
	n = trace_pm4_packets(d, p, dw);
	CHECK(n <= TRACE_PM4_DWORDS);
	v = set_values(dw, n, 0x204, 3);	/* COMPUTE_START_X */
	CHECK(v && v[0] == 5 && !v[1]);
	v = set_values(dw, n, 0x207, 3);	/* COMPUTE_NUM_THREAD_X */
	CHECK(v && v[0] == (32 | 4 << 16) && v[1] == (3 | 3 << 16) && v[2] == (1 | 1 << 16));
	v = set_values(dw, n, 0x20c, 2);	/* COMPUTE_PGM_LO */
	CHECK(v && v[0] == 0x01234567 && v[1] == 0x7f);
	v = set_values(dw, n, 0x210, 2);
	CHECK(v && v[0] == 0x02000000 && v[1] == 0x7f);
	v = set_values(dw, n, 0x22d, 1);
	CHECK(v && *v == 0x102);
	v = set_values(dw, n, 0x240, 16);
	CHECK(v && v[15] == 0x20f);
	/* DISPATCH_DIRECT: 4 groups from the fifth on, and 2 of three items; partial groups */
	CHECK((dw[n - 5] >> 8 & 0xff) == 0x15 && dw[n - 4] == 9 && dw[n - 3] == 2 && dw[n - 1] == 3);
	trace_pm4_buffer(packet, 0x123400005678, n);
	CHECK(((uint32_t *)packet)[2] == 0x5678 && ((uint32_t *)packet)[3] == 0x1234);

	d->rec.bytes -= 8;
	CHECK(!trace_pm4(d));
	d->rec.bytes += 8;
	d->group[1] = 0;
	CHECK(trace_pm4_check(d, p));
	d->group[1] = 1025;
	CHECK(trace_pm4_check(d, p));
	d->group[1] = 1;
	p->start[1] = UINT32_MAX - 6;
	CHECK(!trace_pm4_check(d, p));
	p->start[1]++;
	CHECK(trace_pm4_check(d, p));
	p->start[1] = 0;
	p->scratch_bytes = UINT64_MAX;
	CHECK(strstr(trace_pm4_check(d, p), "private memory"));
	p->scratch_bytes = 0;
	d->pc = 1ull << 47;
	CHECK(strstr(trace_pm4_check(d, p), "code"));
	free(f.data);
}

#include "test_names.inc.c"

int main(void)
{
	/* What stat and show print is of no interest */
	int out = dup(STDOUT_FILENO);

	tap_test("a good file", test_good);
	tap_test("packets of a PM4 dispatch", test_pm4);
	tap_test("names of kernels", test_kernel_names);
	tap_test("names in damaged memory", test_damaged_names);
	tap_test("kernels that were met", test_met);
	tap_test("a table with names", test_table);
	fflush(stdout);
	if (out < 0 || !freopen("/dev/null", "w", stdout))
		return 1;
	int bad[4];
	void (*const fn[])(void) = { test_cut, test_words, test_random, test_names };

	for (int i = 0; i < 4; i++) {
		tap_bad = 0;
		fn[i]();
		bad[i] = tap_bad;
	}
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	for (int i = 0; i < 4; i++) {
		static const char * const names[] = { "a file cut short", "words replaced",
						      "bytes replaced at random", "what is said" };

		printf("%sok %d %s\n", bad[i] ? "not " : "", ++tap_nr, names[i]);
		tap_failed += !!bad[i];
	}
	return tap_done();
}
