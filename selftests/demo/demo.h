/* SPDX-License-Identifier: MIT */
/* Parts of the demonstration program; see demo.c. */
#ifndef DEMO_H
#define DEMO_H

#include <stdbool.h>
#include <stdint.h>

#include "aql/aql.h"

struct demo {
	struct aql_dev *dev;
	struct aql_dev_info info;
	struct aql_queue *queue;
	struct aql_signal *done;
	struct aql_code *bench;		/* the six benchmark kernels */
	struct aql_code *own;		/* vadd and nop */
};

double demo_seconds(void);
int demo_fail(const char *what, int err);

/* kernels.c */
int demo_kernels(struct demo *d);

/* submit.c */
int demo_submit(struct demo *d);
int demo_idle(struct demo *d);

/* syscalls.c: system calls of this thread */
struct syscall_counter {
	const char *how;
	int fd;				/* of perf; else -1 */
	char instance[64];		/* else a trace instance, if not empty */
	uint64_t own;			/* what reading it once adds to the next reading */
};

int syscalls_open(struct syscall_counter *c);
int syscalls_read(const struct syscall_counter *c, uint64_t *n);
void syscalls_close(struct syscall_counter *c);

#endif /* DEMO_H */
