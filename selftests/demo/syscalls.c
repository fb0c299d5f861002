// SPDX-License-Identifier: MIT
/*
 * Counting this thread's system calls with the kernel's own tracepoint raw_syscalls:sys_enter.
 * It fires for every system call on any path into the kernel.  perf counts it where the kernel
 * has perf; else a trace instance of our own does (User Mode Linux).  Reading the counter makes
 * system calls itself, and they count; how much is measured, not assumed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "demo.h"

#define TRACEFS		"/sys/kernel/tracing"
#define EVENT		"/events/raw_syscalls/sys_enter"
#define MAX_CPUS	256

static int read_text(const char *path, char *buf, size_t bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, buf, bytes - 1);
	if (n <= 0)
		err = -EIO;
	else
		buf[n] = '\0';
	close(fd);
	return err;
}

static int write_text(const char *dir, const char *file, const char *text)
{
	char path[160];
	int fd, err = 0;

	snprintf(path, sizeof(path), "%s%s", dir, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

static int open_perf(struct syscall_counter *c)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr) };
	char buf[32];
	int err = read_text(TRACEFS EVENT "/id", buf, sizeof(buf));

	if (err)
		return err;
	attr.config = strtoull(buf, NULL, 10);
	c->fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (c->fd < 0)
		return -errno;
	c->how = "tracepoint raw_syscalls:sys_enter, this thread, through perf_event_open";
	return 0;
}

static int open_instance(struct syscall_counter *c)
{
	char filter[32];
	int err;

	snprintf(c->instance, sizeof(c->instance), TRACEFS "/instances/vkfd-demo-%d", getpid());
	if (mkdir(c->instance, 0700)) {
		c->instance[0] = '\0';
		return -errno;
	}
	snprintf(filter, sizeof(filter), "common_pid == %ld", syscall(SYS_gettid));
	err = write_text(c->instance, EVENT "/filter", filter);
	if (!err)
		err = write_text(c->instance, EVENT "/enable", "1");
	c->how = "tracepoint raw_syscalls:sys_enter, this thread, counted by a trace instance";
	return err;
}

/* Returns 0, or why the count cannot be had. */
int syscalls_open(struct syscall_counter *c)
{
	uint64_t a, b;
	int err;

	memset(c, 0, sizeof(*c));
	c->fd = -1;
	if (access(TRACEFS EVENT, F_OK) && mount("tracefs", TRACEFS, "tracefs", 0, NULL) &&
	    errno != EBUSY)
		return -errno;
	err = open_perf(c);
	if (err == -ENOENT || err == -ENOSYS)
		err = open_instance(c);
	if (!err)
		err = syscalls_read(c, &a);
	if (!err)
		err = syscalls_read(c, &b);
	if (!err)
		c->own = b - a;
	/* the counter must see its own reading, or it counts nothing */
	return err ? err : c->own ? 0 : -ENODATA;
}

/* Events of one CPU's buffer: those in it, and those that newer ones have replaced. */
static int read_cpu(const struct syscall_counter *c, unsigned int cpu, uint64_t *n)
{
	static const char * const counts[] = { "entries: ", "\noverrun: ", "\ncommit overrun: " };
	char path[128], buf[512], *p;
	int err;

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/stats", c->instance, cpu);
	err = read_text(path, buf, sizeof(buf));
	for (size_t i = 0; !err && i < sizeof(counts) / sizeof(counts[0]); i++) {
		p = strstr(buf, counts[i]);
		if (!p)
			return -EIO;
		*n += strtoull(p + strlen(counts[i]), NULL, 10);
	}
	return err;
}

static int read_cpus(const struct syscall_counter *c, uint64_t *n)
{
	int err = 0;

	*n = 0;
	for (unsigned int cpu = 0; !err && cpu < MAX_CPUS; cpu++) {
		err = read_cpu(c, cpu, n);
		if (err == -ENOENT)
			return cpu ? 0 : err;
	}
	return err;
}

/*
 * The buffers are read one after the other, and those that are read first miss calls of the reading
 * itself. Which buffer these are in must not change: so they are made on one CPU.
 */
int syscalls_read(const struct syscall_counter *c, uint64_t *n)
{
	cpu_set_t all, one;
	int cpu = 0, err;

	if (c->fd >= 0)
		return read(c->fd, n, sizeof(*n)) == sizeof(*n) ? 0 : -EIO;
	if (sched_getaffinity(0, sizeof(all), &all))
		return -errno;
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		return -errno;
	err = read_cpus(c, n);
	if (sched_setaffinity(0, sizeof(all), &all))
		return -errno;
	return err;
}

void syscalls_close(struct syscall_counter *c)
{
	if (c->fd >= 0)
		close(c->fd);
	if (!c->instance[0])
		return;
	if (write_text(c->instance, EVENT "/enable", "0") || rmdir(c->instance))
		fprintf(stderr, "demo: %s stays: %s\n", c->instance, strerror(errno));
}
