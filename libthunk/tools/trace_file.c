// SPDX-License-Identifier: MIT
/* Files of vkfd-trace(1); see trace_file.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace_file.h"

#define PAGE	VKFD_CAPTURE_PAGE_BYTES
/* Of what user space can have at all on x86-64 */
#define VA_END	(1ull << 47)

static size_t page_bytes(uint32_t flags)
{
	return sizeof(struct vkfd_capture_page) + (flags & VKFD_CAPTURE_ZERO ? 0 : PAGE) +
	       (flags & VKFD_CAPTURE_CHANGED ? PAGE : 0);
}

static const char *check_page(const struct vkfd_capture_record *r)
{
	const struct vkfd_capture_page *p = (const void *)r;

	if (r->bytes < sizeof(*p) || r->bytes != page_bytes(p->flags))
		return "a page of a wrong length";
	if (p->va % PAGE || p->va < PAGE || p->va >= VA_END)
		return "a page at an address that is none";
	return NULL;
}

/* A record by itself; its length is known to lie within the file. */
static const char *check_record(const struct vkfd_capture_record *r)
{
	switch (r->type) {
	case VKFD_CAPTURE_DISPATCH:
		return r->bytes < sizeof(struct vkfd_capture_dispatch) ?
		       "a dispatch that is too short" : NULL;
	case VKFD_CAPTURE_PAGE:
		return check_page(r);
	case VKFD_CAPTURE_LOST:
		return r->bytes < sizeof(struct vkfd_capture_lost) ?
		       "a count that is too short" : NULL;
	case VKFD_CAPTURE_OPCODE:
		return r->bytes < sizeof(struct vkfd_capture_opcode) ?
		       "an opcode that is too short" : NULL;
	case VKFD_CAPTURE_NAME:
		return r->bytes < sizeof(struct vkfd_capture_name) ?
		       "a name that is too short" : NULL;
	default:
		return NULL;
	}
}

/* The record at @at, if all of it is there. */
static const struct vkfd_capture_record *record_at(const struct trace *t, size_t at)
{
	const struct vkfd_capture_record *r = (const void *)(t->data + at);

	if (at > t->size || t->size - at < sizeof(*r))
		return NULL;
	if (r->bytes < sizeof(*r) || r->bytes % 8 || r->bytes > t->size - at)
		return NULL;
	return r;
}

const char *trace_check(const struct trace *t)
{
	const struct vkfd_capture_header *h = (const void *)t->data;
	uint32_t pages = 0;
	size_t at;

	if (t->size < sizeof(*h) || h->magic != VKFD_CAPTURE_MAGIC ||
	    h->rec.type != VKFD_CAPTURE_HEADER || h->rec.bytes != sizeof(*h))
		return "it is no file of vkfd-trace record";
	for (at = 0; at < t->size;) {
		const struct vkfd_capture_record *r = record_at(t, at);
		const char *why = r ? check_record(r) : "it is cut short, or a length is wrong";

		if (why)
			return why;
		if ((r->type == VKFD_CAPTURE_PAGE) != !!pages)
			return "a dispatch has more or fewer pages than it says";
		if (r->type == VKFD_CAPTURE_PAGE)
			pages--;
		else if (r->type == VKFD_CAPTURE_DISPATCH)
			pages = ((const struct vkfd_capture_dispatch *)r)->pages;
		at += r->bytes;
	}
	return pages ? "it is cut short within a dispatch" : NULL;
}

const struct vkfd_capture_record *trace_next(const struct trace *t, size_t *at)
{
	const struct vkfd_capture_record *r = record_at(t, *at);

	if (r)
		*at += r->bytes;
	return r;
}

const struct vkfd_capture_dispatch *trace_dispatch(const struct vkfd_capture_record *r)
{
	return r && r->type == VKFD_CAPTURE_DISPATCH ? (const void *)r : NULL;
}

const struct vkfd_capture_pm4 *trace_pm4(const struct vkfd_capture_dispatch *d)
{
	if (!(d->flags & VKFD_CAPTURE_PM4) ||
	    d->rec.bytes < sizeof(*d) + sizeof(struct vkfd_capture_pm4))
		return NULL;
	return (const void *)(d + 1);
}

bool trace_page(const struct vkfd_capture_record *r, struct trace_page *p)
{
	const struct vkfd_capture_page *c = (const void *)r;
	const uint8_t *at = (const uint8_t *)(c + 1);

	if (!r || r->type != VKFD_CAPTURE_PAGE)
		return false;
	*p = (struct trace_page){ .va = c->va, .access = c->access, .flags = c->flags };
	if (!(c->flags & VKFD_CAPTURE_ZERO)) {
		p->before = at;
		at += PAGE;
	}
	if (c->flags & VKFD_CAPTURE_CHANGED)
		p->after = at;
	return true;
}

const char *trace_text(const struct vkfd_capture_record *r, size_t *len)
{
	size_t head = r->type == VKFD_CAPTURE_NAME ? sizeof(struct vkfd_capture_name) : sizeof(*r);
	const char *text = (const char *)r + head;

	*len = strnlen(text, r->bytes - head);
	return text;
}

/* All of a file, in memory that nobody else can change after the check; false: see errno. */
static bool read_all(int fd, void *to, size_t size)
{
	size_t done = 0;
	ssize_t n;

	while (done < size) {
		n = read(fd, (char *)to + done, size - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n ? errno : EIO;
			return false;
		}
		done += (size_t)n;
	}
	return true;
}

bool trace_open(struct trace *t, const char *path)
{
	const char *why = NULL;
	struct stat st;
	void *p;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st)) {
		fprintf(stderr, "vkfd-trace: %s: %s\n", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	if (!S_ISREG(st.st_mode) || !st.st_size) {
		fprintf(stderr, "vkfd-trace: %s: it is empty, or no regular file\n", path);
		close(fd);
		return false;
	}
	p = mmap(NULL, st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || !read_all(fd, p, st.st_size)) {
		fprintf(stderr, "vkfd-trace: %s: %s\n", path, strerror(errno));
		if (p != MAP_FAILED)
			munmap(p, st.st_size);
		close(fd);
		return false;
	}
	close(fd);
	*t = (struct trace){ .data = p, .size = st.st_size };
	why = trace_check(t);
	if (!why)
		return true;
	fprintf(stderr, "vkfd-trace: %s: %s\n", path, why);
	trace_close(t);
	return false;
}

void trace_close(struct trace *t)
{
	if (t->data)
		munmap((void *)t->data, t->size);
	t->data = NULL;
}
