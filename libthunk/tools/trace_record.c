// SPDX-License-Identifier: MIT
/*
 * Recording: the kernel gives the dispatches of a command and of all that it starts
 * (/sys/kernel/debug/kfd/N/capture), and lines about ioctls, packets and events (its tracing).
 * Nothing is loaded into the command.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "trace.h"
#include "trace_names.h"

#define DEBUGFS		"/sys/kernel/debug/kfd"
#define MAX_GPUS	128
#define CHUNK		(1u << 20)
#define MAX_OPCODES	4096
#define PROGRESS_S	2
#define PENDING		64	/* names between two reads; later dispatches have more */

struct opcode {
	char name[48];
	uint64_t count;
};

struct record {
	FILE *out;
	const char *path;
	int capture[MAX_GPUS];
	unsigned int ngpus;
	char instance[96];		/* of tracefs; empty: none */
	int pipe;
	char line[4096];		/* of the pipe, not yet whole */
	size_t line_len;
	char *chunk;
	struct opcode *before;
	size_t nbefore;
	uint64_t dispatches, lost, bytes;
	struct trace_names met;
	struct named {
		struct vkfd_capture_name rec;
		char text[TRACE_NAME_MAX];
	} pending[PENDING];
	unsigned int npending;
	bool failed;
};

static int complain(const char *what)
{
	fprintf(stderr, "vkfd-trace: %s: %s\n", what, strerror(errno));
	return -1;
}

/* ----------------------------------------------------------------- the file */

static void put(struct record *r, const void *p, size_t len)
{
	if (!r->failed && fwrite(p, 1, len, r->out) != len) {
		complain(r->path);
		r->failed = true;
	}
	r->bytes += len;
}

static void put_text(struct record *r, uint32_t type, const char *text, size_t len)
{
	static const char zeros[8];
	struct vkfd_capture_record rec = { .type = type };

	rec.bytes = (sizeof(rec) + len + 8) & ~7u;
	put(r, &rec, sizeof(rec));
	put(r, text, len);
	put(r, zeros, rec.bytes - sizeof(rec) - len);
}

static void put_command(struct record *r, char **argv)
{
	char text[4000];
	size_t len = 0;

	for (; *argv && len < sizeof(text) - 1; argv++)
		len += snprintf(text + len, sizeof(text) - len, "%s%s", len ? " " : "", *argv);
	put_text(r, VKFD_CAPTURE_COMMAND, text, len < sizeof(text) ? len : sizeof(text) - 1);
}

/* ----------------------------------------------------------------- tracing */

static int write_file(const char *dir, const char *name, const char *text)
{
	char path[256];
	int fd, ok;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ok = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return ok ? 0 : -1;
}

/* A buffer of our own, so that others who trace are not disturbed. */
static void open_tracing(struct record *r)
{
	static const char * const roots[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	char path[128];

	r->pipe = -1;
	for (unsigned int i = 0; i < 2 && r->pipe < 0; i++) {
		snprintf(r->instance, sizeof(r->instance), "%s/instances/vkfd-trace.%d", roots[i],
			 getpid());
		if (mkdir(r->instance, 0700))
			continue;
		snprintf(path, sizeof(path), "%s/trace_pipe", r->instance);
		if (!write_file(r->instance, "events/vkfd/enable", "1"))
			r->pipe = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (r->pipe < 0)
			rmdir(r->instance);
	}
	if (r->pipe < 0) {
		r->instance[0] = 0;
		fprintf(stderr, "vkfd-trace: no tracing here (%s): ioctls and packets are left out\n",
			strerror(errno));
	}
}

static void drain_tracing(struct record *r)
{
	ssize_t n;
	char *end;

	if (r->pipe < 0)
		return;
	while ((n = read(r->pipe, r->line + r->line_len, sizeof(r->line) - r->line_len)) > 0) {
		r->line_len += n;
		while ((end = memchr(r->line, '\n', r->line_len))) {
			size_t len = end - r->line;

			put_text(r, VKFD_CAPTURE_TEXT, r->line, len);
			r->line_len -= len + 1;
			memmove(r->line, end + 1, r->line_len);
		}
		if (r->line_len == sizeof(r->line))
			r->line_len = 0;
	}
}

static void close_tracing(struct record *r)
{
	if (r->pipe < 0)
		return;
	write_file(r->instance, "events/vkfd/enable", "0");
	drain_tracing(r);
	close(r->pipe);
	rmdir(r->instance);
}

/* ----------------------------------------------------------------- opcodes */

/* Of all GPUs together. */
static size_t read_opcodes(const struct record *r, struct opcode *list)
{
	struct opcode o;
	size_t n = 0, i;

	for (unsigned int gpu = 0; gpu < MAX_GPUS && r->ngpus; gpu++) {
		char path[96];
		FILE *f;

		snprintf(path, sizeof(path), DEBUGFS "/%u/opcodes", gpu);
		f = fopen(path, "r");
		while (f && fscanf(f, "%47s %" SCNu64, o.name, &o.count) == 2) {
			for (i = 0; i < n && strcmp(list[i].name, o.name);)
				i++;
			if (i < n)
				list[i].count += o.count;
			else if (n < MAX_OPCODES)
				list[n++] = o;
		}
		if (f)
			fclose(f);
	}
	return n;
}

static void put_opcodes(struct record *r)
{
	struct opcode *now = calloc(MAX_OPCODES, sizeof(*now));
	size_t n = now ? read_opcodes(r, now) : 0, i, k;

	for (i = 0; i < n; i++) {
		struct vkfd_capture_opcode o = {
			.rec = { .type = VKFD_CAPTURE_OPCODE, .bytes = sizeof(o) },
			.count = now[i].count,
		};

		for (k = 0; k < r->nbefore && strcmp(r->before[k].name, now[i].name);)
			k++;
		if (k < r->nbefore)
			o.count -= r->before[k].count;
		memcpy(o.name, now[i].name, sizeof(o.name));
		if (o.count)
			put(r, &o, sizeof(o));
	}
	free(now);
}

/* ----------------------------------------------------------------- dispatches */

static int open_gpus(struct record *r, unsigned int megabytes)
{
	char dir[64], path[96], number[16];

	for (unsigned int gpu = 0; gpu < MAX_GPUS; gpu++) {
		snprintf(dir, sizeof(dir), DEBUGFS "/%u", gpu);
		snprintf(path, sizeof(path), "%s/capture", dir);
		if (access(path, F_OK)) {
			if (errno == ENOENT)
				continue;
			fprintf(stderr, "vkfd-trace: %s: %s (try sudo)\n", path, strerror(errno));
			return -1;
		}
		snprintf(number, sizeof(number), "%u", megabytes);
		if (megabytes && write_file(dir, "capture_mb", number))
			return complain("-m: from 1 to 4096");
		r->capture[r->ngpus] = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (r->capture[r->ngpus] < 0)
			return complain(errno == EBUSY ? "somebody else records" : path);
		r->ngpus++;
	}
	if (r->ngpus)
		return 0;
	fprintf(stderr, "vkfd-trace: no " DEBUGFS "/*/capture: be root, have debugfs mounted, "
		"and vkfd.ko loaded\n");
	return -1;
}

static bool read_process(void *from, uint64_t va, void *to, size_t len)
{
	return pread(*(const int *)from, to, len, (off_t)va) == (ssize_t)len;
}

/*
 * The first dispatch of a kernel: its name is looked for at once, as the process may end soon. It
 * comes into the file behind the dispatch's pages.
 */
static void name_kernel(struct record *r, const struct vkfd_capture_dispatch *d)
{
	struct named *n = &r->pending[r->npending];
	char path[32];
	int fd;

	if (r->npending == PENDING || !trace_names_new(&r->met, d->pid, d->kernel_object))
		return;
	snprintf(path, sizeof(path), "/proc/%u/mem", d->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	*n = (struct named){ .rec = { .rec.type = VKFD_CAPTURE_NAME, .object = d->kernel_object,
				      .pid = d->pid } };
	r->npending += trace_find_name(&(struct trace_memory){ .read = read_process, .from = &fd },
				       d->kernel_object, n->text);
	close(fd);
}

static void put_names(struct record *r)
{
	for (unsigned int i = 0; i < r->npending; i++) {
		struct named *n = &r->pending[i];

		n->rec.rec.bytes = (sizeof(n->rec) + strlen(n->text) + 7) & ~7u;
		put(r, n, n->rec.rec.bytes);
	}
	r->npending = 0;
}

static void look_into(struct record *r, const char *chunk, size_t len)
{
	for (size_t at = 0; at + sizeof(struct vkfd_capture_record) <= len;) {
		const struct vkfd_capture_record *rec = (const void *)(chunk + at);

		if (rec->type == VKFD_CAPTURE_DISPATCH) {
			r->dispatches++;
			name_kernel(r, (const void *)rec);
		}
		if (rec->type == VKFD_CAPTURE_LOST)
			r->lost += ((const struct vkfd_capture_lost *)rec)->dispatches;
		at += rec->bytes;
	}
}

/*
 * The next dispatch of a GPU begins when all of the one before has been read. So records of
 * two GPUs never mix, if one GPU's are read as far as there are any.
 */
static void drain_gpu(struct record *r, int fd)
{
	ssize_t n;

	while ((n = read(fd, r->chunk, CHUNK)) > 0) {
		look_into(r, r->chunk, n);
		put(r, r->chunk, n);
	}
	put_names(r);
}

static void progress(const struct record *r, bool end)
{
	static time_t last;
	time_t now = time(NULL);

	if (!isatty(STDERR_FILENO))
		return;
	if (!last)
		last = now;
	if (end)
		fputs("\r\033[K", stderr);
	if (end || now - last < PROGRESS_S)
		return;
	last = now;
	fprintf(stderr, "\r\033[Kvkfd-trace: %" PRIu64 " dispatches, %" PRIu64 " MB",
		r->dispatches, r->bytes >> 20);
}

static pid_t run_command(char **argv)
{
	pid_t pid = fork();

	if (!pid) {
		signal(SIGINT, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
		execvp(argv[0], argv);
		fprintf(stderr, "vkfd-trace: %s: %s\n", argv[0], strerror(errno));
		_exit(errno == ENOENT ? 127 : 126);
	}
	return pid;
}

/* Until the command ends; then what is still there. Children that go on are not recorded. */
static int follow(struct record *r, pid_t pid)
{
	struct pollfd fds[MAX_GPUS + 2];
	int status = 0, how, pidfd = syscall(SYS_pidfd_open, pid, 0);
	unsigned int n = 0;
	bool ended = false;
	pid_t gone;

	for (; n < r->ngpus; n++)
		fds[n] = (struct pollfd){ .fd = r->capture[n], .events = POLLIN };
	fds[n++] = (struct pollfd){ .fd = r->pipe, .events = POLLIN };
	fds[n++] = (struct pollfd){ .fd = pidfd, .events = POLLIN };
	do {
		poll(fds, n, pidfd < 0 ? 100 : 1000);
		/* Orphans of the command's come to us */
		while (!ended && (gone = waitpid(-1, &how, WNOHANG)) > 0)
			if (gone == pid) {
				status = how;
				ended = true;
			}
		for (unsigned int i = 0; i < r->ngpus; i++)
			drain_gpu(r, r->capture[i]);
		drain_tracing(r);
		progress(r, false);
	} while (!ended);
	if (pidfd >= 0)
		close(pidfd);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int trace_record(const char *path, unsigned int megabytes, char **argv)
{
	struct vkfd_capture_header head = {
		.rec = { .type = VKFD_CAPTURE_HEADER, .bytes = sizeof(head) },
		.magic = VKFD_CAPTURE_MAGIC,
	};
	struct record *r = calloc(1, sizeof(*r));
	int status = -1;
	pid_t pid;

	if (!r)
		return complain("memory");
	r->path = path;
	r->pipe = -1;
	r->chunk = malloc(CHUNK);
	r->before = calloc(MAX_OPCODES, sizeof(*r->before));
	if (!r->chunk || !r->before || open_gpus(r, megabytes))
		goto out;
	r->out = fopen(path, "we");
	if (!r->out) {
		complain(path);
		goto out;
	}
	open_tracing(r);
	r->nbefore = read_opcodes(r, r->before);
	put(r, &head, sizeof(head));
	put_command(r, argv);
	/* What the command leaves behind stays a descendant of ours */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	pid = run_command(argv);
	status = pid < 0 ? complain("fork") : follow(r, pid);
	put_opcodes(r);
	close_tracing(r);
	progress(r, true);
	if (fclose(r->out) && !r->failed)
		r->failed = complain(path);
	r->out = NULL;
	if (!r->failed)
		fprintf(stderr, "vkfd-trace: %" PRIu64 " dispatches in %s%s\n", r->dispatches, path,
			r->lost ? "; some could not be recorded, see vkfd-trace stat" : "");
out:
	for (unsigned int i = 0; i < r->ngpus; i++)
		close(r->capture[i]);
	if (r->failed)
		status = -1;
	free(r->met.slots);
	free(r->before);
	free(r->chunk);
	free(r);
	return status;
}
