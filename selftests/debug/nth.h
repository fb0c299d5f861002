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
	uint32_t gem, own, list, ctx;	/* handles of the render node */
	uint32_t queue, event;
	struct kfd_ioctl_create_queue_args ring;	/* of a queue that can be made */
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

#define CASE(_name, ...)	{ .test = { .name = #_name }, .call = call_##_name, ##__VA_ARGS__ }
#define WITH(_prepare, _undo)	.prepare = prepare_##_prepare, .undo = undo_##_undo
#define FRESH(_prepare)		.fresh = true, .prepare = prepare_##_prepare

extern struct nth_case nth_drm_cases[];	/* nth_drm.c */
extern const unsigned int nth_drm_ncases;

/* Each of @n cases once, without a failure, in a process of their own. */
void nth_once(const struct nth_case *c, unsigned int n);
/* Has a case's call used that ioctl? */
bool nth_called(unsigned long cmd);

/* The function of every case's test; it uses ASSERT_*() alone, which need no state. */
void nth_run(struct th_test *test);

/* Page-aligned memory @i of t->anon. */
static inline void *nth_page(const struct nth *t, unsigned int i)
{
	return (char *)t->anon + i * PAGE;
}

#endif /* NTH_H */
