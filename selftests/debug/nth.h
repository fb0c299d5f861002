/* SPDX-License-Identifier: MIT */
/*
 * Calls whose nth allocation, or copy from or to user space, fails
 * (Documentation/fault-injection): for every n there is. Each failure has to be
 * an error number or no matter at all, and nothing may be left behind: the same
 * call then succeeds, with the same result as ever.
 */
#ifndef NTH_H
#define NTH_H

#include "../drm/drm_util.h"

#define RING_BYTES	4096u
#define EVENT_BYTES	32768u

/* What the calls work on. */
struct nth {
	struct gpu g;
	void *anon;		/* 16 pages of memory, touched */
	void *va;		/* 16 pages of addresses */
	struct mem vram;	/* not mapped */
	struct mem mapped;
	uint32_t gem, own;	/* handles of the render node */
	uint32_t queue, event;
	int dmabuf;
};

/**
 * struct nth_case - a call
 * @prepare: makes what the call takes away; *token is for @call
 * @call: 0 or an errno; *token: what it gave, the same each time
 * @undo: after a success
 * @fresh: each time in a process that has no KFD, and ends; has no @undo
 * @moves: *token is another one each time
 */
struct nth_case {
	struct th_test test;
	void (*prepare)(struct nth *t, uint64_t *token);
	int (*call)(struct nth *t, uint64_t *token);
	void (*undo)(struct nth *t, uint64_t token);
	bool fresh, moves;
};

/* The function of every case's test; it uses ASSERT_*() alone, which need no state. */
void nth_run(struct th_test *test);

/* Page-aligned memory @i of t->anon. */
static inline void *nth_page(const struct nth *t, unsigned int i)
{
	return (char *)t->anon + i * PAGE;
}

#endif /* NTH_H */
