// SPDX-License-Identifier: MIT
/*
 * One command, its three streams and the kernel log, in one poll loop. PID 1
 * is the only relay, so it can kill every other process at the end and still
 * carry what they left in the pipes.
 *
 * Standard input comes in chunks, each behind a 32-bit length; a chunk of
 * length 0 is the end. (A port cannot tell "closed" from "not yet open".) Over
 * a serial line, the host sends a chunk when it was told that the last was taken.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "init.h"

#define GRACE_MS	1000	/* for background processes that still write */
#define DYING_MS	10000	/* for a killed process to be gone */

enum { FD_OUT, FD_ERR, FD_KMSG, FD_SIGNAL, FD_STDIN, FD_HOST, NR_FDS };

struct relay {
	const int *ports;	/* out, err, log, in, result */
	struct pollfd fds[NR_FDS];
	int input;		/* the command's standard input, non-blocking; -1 closed */
	uint32_t chunk;		/* bytes left of the current input chunk */
	char pending[4096];	/* read from the port, not yet taken by the command */
	size_t pending_at, pending_len;
	bool input_end;
	bool acks;		/* say when a chunk is taken */
	pid_t pid;
	int wstatus;
	bool exited;
	unsigned long long bytes[2];
};

static unsigned long long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

static void make_pipe(int p[2])
{
	if (pipe2(p, O_CLOEXEC))
		die("pipe: %m");
}

static void child(const struct job *job, int in, int out, int err)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	if (job->tty)
		ioctl(in, TIOCSCTTY, 0);
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(126);
	if (chdir(job->cwd)) {
		dprintf(2, "vm: cannot enter %s: %m\n", job->cwd);
		_exit(126);
	}
	environ = job->envp;
	execvp(job->argv[0], job->argv);
	dprintf(2, "vm: cannot run %s: %m\n", job->argv[0]);
	_exit(errno == ENOENT ? 127 : 126);
}

/* With a terminal, one pty carries input, output and errors */
static void start_tty(const struct job *job, struct relay *r)
{
	struct winsize ws = { .ws_row = job->rows, .ws_col = job->cols };
	int master, slave;

	if (openpty(&master, &slave, NULL, NULL, &ws))
		die("openpty: %m");
	fcntl(master, F_SETFD, FD_CLOEXEC);
	r->pid = fork();
	if (r->pid < 0)
		die("fork: %m");
	if (!r->pid)
		child(job, slave, slave, slave);
	close(slave);
	r->fds[FD_OUT].fd = master;
	r->input = fcntl(master, F_DUPFD_CLOEXEC, 0);
}

static void start_pipes(const struct job *job, struct relay *r)
{
	int in[2], out[2], err[2];

	make_pipe(in);
	make_pipe(out);
	make_pipe(err);
	r->pid = fork();
	if (r->pid < 0)
		die("fork: %m");
	if (!r->pid)
		child(job, in[0], out[1], err[1]);
	close(in[0]);
	close(out[1]);
	close(err[1]);
	r->fds[FD_OUT].fd = out[0];
	r->fds[FD_ERR].fd = err[0];
	r->input = in[1];
}

static void relay_output(struct relay *r, int which)
{
	static char buf[32768];
	ssize_t n = read(r->fds[which].fd, buf, sizeof(buf));

	if (n > 0) {
		port_write(r->ports[which], buf, n);
		r->bytes[which] += n;
	} else if (n == 0 || errno == EIO) {	/* EIO: nobody has the pty any more */
		close(r->fds[which].fd);
		r->fds[which].fd = -1;
	}
}

/* Records go out as "LEVEL SECONDS TEXT" lines; the host makes a log of them */
static void relay_kmsg(struct relay *r)
{
	char buf[8192], line[sizeof(buf) + 64];
	ssize_t n, len;

	while ((n = read(r->fds[FD_KMSG].fd, buf, sizeof(buf) - 1)) > 0 || errno == EPIPE) {
		unsigned int prio;
		unsigned long long us;
		char *text, *end;

		if (n < 0) {		/* overrun: the ring moved on under us */
			port_printf(r->ports[FD_KMSG], "4 0.000000 vm: kernel log lines lost\n");
			continue;
		}
		buf[n] = '\0';
		text = strchr(buf, ';');
		if (!text || sscanf(buf, "%u,%*u,%llu", &prio, &us) != 2)
			continue;
		text++;
		end = strchr(text, '\n');	/* behind it: the device dictionary */
		if (end)
			*end = '\0';
		len = snprintf(line, sizeof(line), "%u %llu.%06llu %s\n", prio & 7,
			       us / 1000000, us % 1000000, text);
		port_write(r->ports[FD_KMSG], line, len);
	}
}

static void close_input(struct relay *r)
{
	if (r->input >= 0)
		close(r->input);
	r->input = -1;
	r->input_end = true;
	r->pending_len = 0;
}

static void read_input(struct relay *r)
{
	int port = r->ports[3];
	size_t want;
	ssize_t n;

	if (!r->chunk) {
		char *p = (char *)&r->chunk;

		for (size_t got = 0; got < sizeof(r->chunk); got += n) {
			n = read(port, p + got, sizeof(r->chunk) - got);
			if (n <= 0) {
				r->input_end = true;
				return;
			}
		}
		if (!r->chunk) {
			r->input_end = true;
			return;
		}
	}
	want = r->chunk < sizeof(r->pending) ? r->chunk : sizeof(r->pending);
	n = read(port, r->pending, want);
	if (n <= 0)
		return;
	r->chunk -= n;
	if (!r->chunk && r->acks)
		port_printf(r->fds[FD_HOST].fd, "took\n");
	r->pending_at = 0;
	r->pending_len = n;
}

static void write_input(struct relay *r)
{
	ssize_t n = write(r->input, r->pending + r->pending_at, r->pending_len);

	if (n > 0) {
		r->pending_at += n;
		r->pending_len -= n;
	} else if (n < 0 && errno != EAGAIN && errno != EINTR) {
		close_input(r);		/* the command does not read any more */
	}
}

/*
 * Whatever the host sends on the result port means: time is up, say where
 * everybody is. Blocked tasks and what runs on each CPU go to the log.
 */
static void dump_state(struct relay *r)
{
	char buf[16];
	int fd;

	if (read(r->fds[FD_HOST].fd, buf, sizeof(buf)) <= 0)
		return;
	fd = open("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, "w", 1) != 1 || write(fd, "l", 1) != 1)
		say("sysrq: %m");
	close(fd);
}

static void reap(struct relay *r)
{
	struct signalfd_siginfo si;
	int status;
	pid_t pid;

	while (read(r->fds[FD_SIGNAL].fd, &si, sizeof(si)) > 0)
		;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != r->pid)
			continue;
		r->exited = true;
		r->wstatus = status;
	}
}

static void relay_once(struct relay *r, int timeout_ms)
{
	struct pollfd *in = &r->fds[FD_STDIN];

	in->fd = -1;
	if (r->input >= 0 && r->pending_len) {
		in->fd = r->input;
		in->events = POLLOUT;
	} else if (r->input >= 0 && !r->input_end) {
		in->fd = r->ports[3];
		in->events = POLLIN;
	} else if (r->input >= 0) {
		close_input(r);
	}
	if (poll(r->fds, NR_FDS, timeout_ms) < 0 && errno != EINTR)
		die("poll: %m");
	if (r->fds[FD_OUT].fd >= 0 && r->fds[FD_OUT].revents)
		relay_output(r, FD_OUT);
	if (r->fds[FD_ERR].fd >= 0 && r->fds[FD_ERR].revents)
		relay_output(r, FD_ERR);
	if (r->fds[FD_KMSG].revents)
		relay_kmsg(r);
	if (r->fds[FD_SIGNAL].revents)
		reap(r);
	if (r->fds[FD_HOST].revents & POLLIN)
		dump_state(r);
	if (in->fd >= 0 && in->revents & POLLOUT)
		write_input(r);
	else if (in->fd >= 0 && in->revents & POLLIN)
		read_input(r);
	else if (in->fd == r->input && in->revents)
		close_input(r);
}

static bool output_open(const struct relay *r)
{
	return r->fds[FD_OUT].fd >= 0 || r->fds[FD_ERR].fd >= 0;
}

/* True when the pipes came to their end, thus when no process holds one */
static bool drain(struct relay *r, unsigned int ms)
{
	unsigned long long end = now_ms() + ms;

	while (output_open(r)) {
		unsigned long long now = now_ms();

		if (now >= end)
			return false;
		relay_once(r, end - now);
	}
	return true;
}

/* True when PID 1 has no child left; orphans are children of PID 1 too */
static bool all_gone(struct relay *r)
{
	unsigned long long end = now_ms() + DYING_MS;

	kill(-1, SIGKILL);
	while (waitpid(-1, NULL, WNOHANG) >= 0) {
		if (now_ms() >= end)
			return false;
		relay_once(r, 20);
	}
	return true;
}

void run_command(const struct job *job, const int ports[5], struct run_result *res)
{
	struct relay r = { .ports = ports, .input = -1 };
	sigset_t chld;
	bool clean;

	for (int i = 0; i < NR_FDS; i++)
		r.fds[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	r.fds[FD_SIGNAL].fd = signalfd(-1, &chld, SFD_NONBLOCK | SFD_CLOEXEC);
	r.fds[FD_KMSG].fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (r.fds[FD_SIGNAL].fd < 0 || r.fds[FD_KMSG].fd < 0)
		die("signalfd or kmsg: %m");

	r.fds[FD_HOST].fd = ports[4];
	r.acks = job->serial;
	relay_kmsg(&r);
	if (job->tty)
		start_tty(job, &r);
	else
		start_pipes(job, &r);
	fcntl(r.input, F_SETFL, O_NONBLOCK);

	while (!r.exited)
		relay_once(&r, -1);
	close_input(&r);
	drain(&r, GRACE_MS);
	clean = all_gone(&r) && drain(&r, DYING_MS);
	relay_kmsg(&r);

	res->how = !clean ? "stuck" : WIFSIGNALED(r.wstatus) ? "signal" : "exit";
	res->status = WIFSIGNALED(r.wstatus) ? WTERMSIG(r.wstatus) : WEXITSTATUS(r.wstatus);
	memcpy(res->bytes, r.bytes, sizeof(r.bytes));
}
