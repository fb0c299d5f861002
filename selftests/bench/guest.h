/* SPDX-License-Identifier: MIT */
/*
 * What the parts of vkfd-bench share; see guest.c.
 */
#ifndef GUEST_H
#define GUEST_H

#include "rig.h"

#define RING		1024u
#define VRAM		(KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC)

struct bench_gpu {
	struct rig r;
	struct rig_queue q;
	u32 runs, wrong;
};

double now_ns(void);
double best(const double *t, u32 n);
void row(const char *name, double value, const char *unit);
void complain(struct bench_gpu *g, const char *what, const char *why);
/* The lower word of a signal's value, or a fence. */
bool spin_until(const volatile void *word, u32 wanted);

/* guest_small.c */
void bench_small(struct bench_gpu *g);
void bench_hot(struct bench_gpu *g);
/* guest_memory.c; sets XNACK, with a new queue. */
void bench_memory(struct bench_gpu *g);

#endif /* GUEST_H */
