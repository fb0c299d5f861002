/* SPDX-License-Identifier: MIT */
/*
 * Reading a file of vkfd-trace(1). It may come from anywhere: nothing in it is believed, and no
 * function here reads beyond its end.
 */
#ifndef TRACE_FILE_H
#define TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linux/vkfd_capture.h"

/**
 * struct trace - a file in memory
 * @data: its bytes, aligned to 8
 * @size: how many
 */
struct trace {
	const uint8_t *data;
	size_t size;
};

/**
 * struct trace_page - a page of a dispatch
 * @va: where it was
 * @access: VKFD_CAPTURE_PAGE's bits
 * @flags: likewise
 * @before: 4096 bytes, NULL: zeros
 * @after: 4096 bytes, NULL: as before, or not known (VKFD_CAPTURE_GONE)
 */
struct trace_page {
	uint64_t va;
	uint32_t access, flags;
	const uint8_t *before, *after;
};

/* NULL, or what is wrong with the whole of it; checks every record. */
const char *trace_check(const struct trace *t);
/*
 * For one that was checked: the record at *@at, which is 0 at first, and goes on to the next
 * one. NULL at the end.
 */
const struct vkfd_capture_record *trace_next(const struct trace *t, size_t *at);
/* A record that trace_next() gave, as what its type says it is; NULL if it is something else. */
const struct vkfd_capture_dispatch *trace_dispatch(const struct vkfd_capture_record *r);
bool trace_page(const struct vkfd_capture_record *r, struct trace_page *p);
/* The address of its kernel's descriptor; of its code if PM4 packets dispatched it. */
static inline uint64_t trace_kernel(const struct vkfd_capture_dispatch *d)
{
	return d->kernel_object ? d->kernel_object : d->pc;
}

/* The registers of a dispatch of PM4 packets; NULL if the record has none. */
const struct vkfd_capture_pm4 *trace_pm4(const struct vkfd_capture_dispatch *d);
/* The length of the text of a TEXT, COMMAND or NAME record, and where it is; it has no end mark. */
const char *trace_text(const struct vkfd_capture_record *r, size_t *len);

/* Maps a file; a message to stderr and false if that is none. */
bool trace_open(struct trace *t, const char *path);
void trace_close(struct trace *t);

#endif /* TRACE_FILE_H */
