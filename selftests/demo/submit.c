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
#define ROUNDS		9u		/* of the comparison with an ioctl; medians are taken */
#define ROUND_CALLS	1000u
#define WARM_UP		64u
#define BARRIER_AND	3u		/* AQL packet type; no barrier bit, no fences */
#define IDLE_SECONDS	1
#define TIMEOUT_NS	(300ull * 1000000000)

static long minor_faults(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_minflt;
}

/* Put in @n empty dispatches; the last one completes the signal. */
static int submit(struct aql_queue *q, struct aql_kernel *k, struct aql_signal *done,
		  unsigned int n)
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
	uint64_t before, after, own;
	double t0, t1;
	int err;

	/* the clock is a system call where there is no vDSO, as in User Mode Linux */
	err = syscalls_read(c, &before);
	demo_seconds();
	demo_seconds();
	if (!err)
		err = syscalls_read(c, &after);
	if (err)
		return err;
	own = after - before;
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
	out->syscalls = after - before - own;
	return err;
}

static double time_ioctls(int fd)
{
	struct kfd_ioctl_get_version_args args;
	double t = demo_seconds();
	int err = 0;

	for (unsigned int i = 0; i < ROUND_CALLS; i++)
		err |= ioctl(fd, AMDKFD_IOC_GET_VERSION, &args);
	t = demo_seconds() - t;
	return err ? -1 : t / ROUND_CALLS;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* A ready packet: 60 bytes into the ring, the header, the doorbell. */
static int submit_raw(struct aql_queue *q, unsigned int n)
{
	static const uint8_t packet[64];
	int err = 0;

	for (unsigned int i = 0; i < n && !err; i++)
		err = aql_submit_raw(q, packet, BARRIER_AND);
	return err;
}

/*
 * One packet against one empty ioctl, in turns.  The queue is held by a barrier meanwhile: a GPU of
 * silicon takes no CPU time from who submits, and this one must not take it from one half only.
 */
static int against_ioctl(struct demo *d, struct aql_queue *q, struct aql_kernel *k, double *packet,
			 double *call)
{
	double packets[ROUNDS], calls[ROUNDS];
	struct aql_signal *hold;
	int fd = open("/dev/kfd", O_RDWR | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = aql_signal_create(d->dev, 1, AQL_SIGNAL_POLL, &hold);
	if (err) {
		close(fd);
		return err;
	}
	for (unsigned int r = 0; r < ROUNDS && !err; r++) {
		double t;

		aql_signal_store(d->done, 1);
		aql_signal_store(hold, 1);
		err = aql_barrier(q, &hold, 1, false, NULL);
		if (err)
			break;
		t = demo_seconds();
		err = submit_raw(q, ROUND_CALLS);
		packets[r] = (demo_seconds() - t) / ROUND_CALLS;
		calls[r] = time_ioctls(fd);
		if (calls[r] < 0)
			err = -EIO;
		aql_signal_store(hold, 0);
		if (!err)
			err = submit(q, k, d->done, 1);
		if (!err)
			err = aql_wait(q, d->done, TIMEOUT_NS);
	}
	close(fd);
	aql_signal_destroy(hold);
	if (err)
		return err;
	qsort(packets, ROUNDS, sizeof(*packets), by_value);
	qsort(calls, ROUNDS, sizeof(*calls), by_value);
	*packet = packets[ROUNDS / 2];
	*call = calls[ROUNDS / 2];
	return 0;
}

static int report(struct demo *d, struct aql_queue *q, struct aql_kernel *k, const struct cost *c,
		  const struct syscall_counter *counter)
{
	double packet = 0, call = 0;
	int err;

	printf("\n  submission of %u packets (empty dispatches), hot queue\n", PACKETS);
	printf("    system calls      %llu   (%s)\n", (unsigned long long)c->syscalls,
	       counter->how);
	printf("    page faults       %ld   (doorbell wake-ups, first touches)\n", c->faults);
	printf("    submitting        %.0f packets/s, %.0f ns each\n", PACKETS / c->submit,
	       c->submit / PACKETS * 1e9);
	printf("    until completed   %.3f s, %.0f packets/s\n", c->complete,
	       PACKETS / c->complete);
	err = against_ioctl(d, q, k, &packet, &call);
	if (err) {
		demo_fail("comparing with an ioctl", err);
		return 1;
	}
	printf("    a ready packet    %.0f ns, an empty ioctl %.0f ns: %.1f times as much\n",
	       packet * 1e9, call * 1e9, call / packet);
	printf("                      (GET_VERSION on /dev/kfd, medians of %u rounds in turns)\n",
	       ROUNDS);
	if (c->syscalls)
		fprintf(stderr, "demo: submitting made system calls\n");
	return c->syscalls != 0;
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
	if (!err) {
		aql_queue_single_producer(q);
		err = aql_code_kernel(d->own, "nop", &k);
	}
	if (!err)
		err = warm_up(q, k, d->done);
	if (!err)
		err = measure(q, k, d->done, &counter, &cost);
	if (err)
		demo_fail("submitting", err);
	else
		err = report(d, q, k, &cost, &counter);
	aql_queue_destroy(q);
	syscalls_close(&counter);
	return err != 0;
}

/* ---- idle ---- */

struct thread {
	int pid;
	char name[32];
	long ticks;
};

#define MAX_THREADS	256
#define PF_KTHREAD	0x00200000u	/* in the kernel's task flags, as /proc shows them */

/* Name and CPU time in ticks of a process, if it is a kernel thread of vkfd. */
static bool read_thread(const char *pid, struct thread *t)
{
	char path[300], buf[1024], *p;
	unsigned long user, sys;
	unsigned int flags;
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	n = fread(buf, 1, sizeof(buf) - 1, f);
	fclose(f);
	buf[n] = '\0';
	if (!strstr(buf, "(vkfd") && !strstr(buf, "(vgpu"))
		return false;
	p = strrchr(buf, ')');
	if (!p || sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %u %*u %*u %*u %*u %lu %lu", &flags,
			 &user, &sys) != 3 || !(flags & PF_KTHREAD))
		return false;
	*p = '\0';
	snprintf(t->name, sizeof(t->name), "%.31s", strchr(buf, '(') + 1);
	t->pid = atoi(pid);
	t->ticks = user + sys;
	return true;
}

static int read_threads(struct thread *t)
{
	DIR *proc = opendir("/proc");
	struct dirent *e;
	int n = 0;

	while (proc && n < MAX_THREADS && (e = readdir(proc)))
		if (*e->d_name >= '0' && *e->d_name <= '9')
			n += read_thread(e->d_name, &t[n]);
	if (proc)
		closedir(proc);
	return n;
}

/* What the GPU's threads use while there is nothing to do. */
int demo_idle(struct demo *d)
{
	const struct timespec settle = { .tv_nsec = 300000000 }, second = { IDLE_SECONDS, 0 };
	static struct thread before[MAX_THREADS], after[MAX_THREADS];
	long used = 0;
	int n, m;

	(void)d;
	nanosleep(&settle, NULL);
	n = read_threads(before);
	nanosleep(&second, NULL);
	m = read_threads(after);
	if (!n) {
		printf("\n  idle GPU: its kernel threads were not found, not measured\n");
		return 1;
	}
	for (int i = 0; i < m; i++) {
		for (int j = 0; j < n; j++) {
			long ticks = after[i].ticks - before[j].ticks;

			if (after[i].pid != before[j].pid || !ticks)
				continue;
			used += ticks;
			fprintf(stderr, "  %s used %ld ticks\n", after[i].name, ticks);
		}
	}
	printf("\n  idle GPU: %.0f %% CPU over %d s (%d kernel threads, utime+stime)\n",
	       100.0 * used / sysconf(_SC_CLK_TCK) / IDLE_SECONDS, IDLE_SECONDS, n);
	return used != 0;
}
