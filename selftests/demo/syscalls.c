// SPDX-License-Identifier: MIT
/*
 * Counting this thread's system calls with the kernel's own tracepoint raw_syscalls:sys_enter,
 * read through perf.  The tracepoint fires for every system call on any path into the kernel.
 * Reading the counter is a system call itself and counts; how much is measured, not assumed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "demo.h"

#define TRACEFS		"/sys/kernel/tracing"
#define TRACE_ID	TRACEFS "/events/raw_syscalls/sys_enter/id"

static int read_id(uint64_t *id)
{
	char buf[32] = "";
	int fd = open(TRACE_ID, O_RDONLY | O_CLOEXEC);

	if (fd < 0 && !mount("tracefs", TRACEFS, "tracefs", 0, NULL))
		fd = open(TRACE_ID, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (read(fd, buf, sizeof(buf) - 1) <= 0) {
		close(fd);
		return -EIO;
	}
	close(fd);
	*id = strtoull(buf, NULL, 10);
	return 0;
}

/* Returns 0, or why the count cannot be had. */
int syscalls_open(struct syscall_counter *c)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr) };
	uint64_t id = 0, a, b;
	int err = read_id(&id);

	c->fd = -1;
	if (err)
		return err;
	attr.config = id;
	c->fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (c->fd < 0)
		return -errno;
	c->how = "tracepoint raw_syscalls:sys_enter, this thread, through perf_event_open";
	c->own = 0;
	err = syscalls_read(c, &a);
	if (!err)
		err = syscalls_read(c, &b);
	if (!err)
		c->own = b - a;
	/* the counter must see its own reading, or it counts nothing */
	return err ? err : c->own ? 0 : -ENODATA;
}

int syscalls_read(const struct syscall_counter *c, uint64_t *n)
{
	return read(c->fd, n, sizeof(*n)) == sizeof(*n) ? 0 : -EIO;
}

void syscalls_close(struct syscall_counter *c)
{
	if (c->fd >= 0)
		close(c->fd);
}
