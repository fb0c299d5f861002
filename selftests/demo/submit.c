// SPDX-License-Identifier: MIT
/*
 * What submitting costs: system calls while 10,000 packets go in, packets a second, one packet
 * against one empty ioctl, and what an idle GPU takes.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "demo.h"
#include "linux/kfd_ioctl.h"

#define PACKETS		10000u
#define IOCTLS		10000u
#define WARM_UP		64u
#define IDLE_SECONDS	1
#define TIMEOUT_NS	(300ull * 1000000000)

static long minor_faults(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_minflt;
}

/* Put in @n empty dispatches; the last one completes the signal. */
static int submit(struct aql_queue *q, struct aql_kernel *k, struct aql_signal *done, unsigned int n)
{
	const struct aql_launch l = { .grid = { 64 }, .group = { 64 } };
	int err = 0;

	for (unsigned int i = 0; i < n && !err; i++)
		err = aql_dispatch(q, k, &l, NULL, 0, i == n - 1 ? done : NULL);
	return err;
}

static int warm_up(struct aql_queue *q, struct aql_kernel *k, struct aql_signal *done)
{
	int err;

	aql_signal_store(done, 1);
	err = submit(q, k, done, WARM_UP);
	return err ? err : aql_wait(q, done, TIMEOUT_NS);
}

struct cost {
	uint64_t syscalls;
	long faults;
	double submit, complete;
};

static int measure(struct aql_queue *q, struct aql_kernel *k, struct aql_signal *done,
		   const struct syscall_counter *c, struct cost *out)
{
	uint64_t before, after;
	double t0, t1;
	int err;

	aql_signal_store(done, 1);
	out->faults = minor_faults();
	err = syscalls_read(c, &before);
	t0 = demo_seconds();
	if (!err)
		err = submit(q, k, done, PACKETS);
	t1 = demo_seconds();
	if (!err)
		err = syscalls_read(c, &after);
	if (err)
		return err;
	out->faults = minor_faults() - out->faults;
	err = aql_wait(q, done, TIMEOUT_NS);
	out->complete = demo_seconds() - t0;
	out->submit = t1 - t0;
	/* the clock is read in user space where it can be; where not, it is not the queue's fault */
	out->syscalls = after - before - c->own;
	return err;
}

static double time_ioctls(void)
{
	struct kfd_ioctl_get_version_args args;
	int fd = open("/dev/kfd", O_RDWR | O_CLOEXEC), err = 0;
	double t;

	if (fd < 0)
		return 0;
	t = demo_seconds();
	for (unsigned int i = 0; i < IOCTLS; i++)
		err |= ioctl(fd, AMDKFD_IOC_GET_VERSION, &args);
	t = demo_seconds() - t;
	close(fd);
	return err ? 0 : t / IOCTLS;
}

static int report(const struct cost *c, const struct syscall_counter *counter)
{
	double packet = c->submit / PACKETS, call = time_ioctls();
	int failed = 0;

	printf("\n  submission of %u packets (empty dispatches), hot queue\n", PACKETS);
	printf("    system calls      %llu   (%s)\n", (unsigned long long)c->syscalls, counter->how);
	printf("    page faults       %ld   (doorbell wake-ups, first touches)\n", c->faults);
	printf("    submitting        %.0f packets/s, %.0f ns each\n", 1 / packet, packet * 1e9);
	printf("    until completed   %.3f s, %.0f packets/s\n", c->complete,
	       PACKETS / c->complete);
	printf("    empty ioctl       %.0f ns (GET_VERSION on /dev/kfd), %.1f times a packet\n",
	       call * 1e9, call / packet);
	if (c->syscalls) {
		fprintf(stderr, "demo: submitting made system calls\n");
		failed++;
	}
	if (!call) {
		fprintf(stderr, "demo: GET_VERSION does not work\n");
		failed++;
	}
	return failed;
}

/* How many of the checks failed. */
int demo_submit(struct demo *d)
{
	struct syscall_counter counter;
	struct aql_queue *q = NULL;
	struct aql_kernel *k;
	struct cost cost;
	int err;

	err = syscalls_open(&counter);
	if (err) {
		demo_fail("counting system calls", err);
		syscalls_close(&counter);
		return 1;
	}
	/* room for all of them: a full ring would make the submitter wait */
	err = aql_queue_create(d->dev, 16384, &q);
	if (!err)
		err = aql_code_kernel(d->own, "nop", &k);
	if (!err)
		err = warm_up(q, k, d->done);
	if (!err)
		err = measure(q, k, d->done, &counter, &cost);
	if (err)
		demo_fail("submitting", err);
	else
		err = report(&cost, &counter);
	aql_queue_destroy(q);
	syscalls_close(&counter);
	return err != 0;
}

/* ---- idle ---- */

/* CPU time in ticks of a process if it is a kernel thread of vkfd, else -1. */
static long thread_ticks(const char *pid)
{
	char path[300], buf[1024], *p;
	unsigned long user, sys;
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return -1;
	n = fread(buf, 1, sizeof(buf) - 1, f);
	fclose(f);
	buf[n] = '\0';
	if (!strstr(buf, "(vkfd") && !strstr(buf, "(vgpu"))
		return -1;
	p = strrchr(buf, ')');
	if (!p || sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
			 &sys) != 2)
		return -1;
	return user + sys;
}

static int count_threads(long *ticks)
{
	DIR *proc = opendir("/proc");
	struct dirent *e;
	int n = 0;

	*ticks = 0;
	while (proc && (e = readdir(proc))) {
		long t;

		if (*e->d_name < '0' || *e->d_name > '9')
			continue;
		t = thread_ticks(e->d_name);
		if (t < 0)
			continue;
		n++;
		*ticks += t;
	}
	if (proc)
		closedir(proc);
	return n;
}

/* What the GPU's threads use while there is nothing to do. */
int demo_idle(struct demo *d)
{
	const struct timespec settle = { .tv_nsec = 300000000 }, second = { IDLE_SECONDS, 0 };
	long before, after;
	double percent;
	int n;

	(void)d;
	nanosleep(&settle, NULL);
	n = count_threads(&before);
	nanosleep(&second, NULL);
	count_threads(&after);
	percent = 100.0 * (after - before) / sysconf(_SC_CLK_TCK) / IDLE_SECONDS;
	if (!n) {
		printf("\n  idle GPU: its kernel threads were not found, not measured\n");
		return 1;
	}
	printf("\n  idle GPU: %.0f %% CPU over %d s (%d kernel threads, utime+stime)\n", percent,
	       IDLE_SECONDS, n);
	return after != before;
}
