// SPDX-License-Identifier: MIT
/*
 * The job: /job/argv and /job/env are NUL-separated lists, /job/conf has one
 * "key value" pair a line. An unknown key is an error, so that host and guest
 * cannot drift apart in silence.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init.h"

/* The whole file with a NUL behind it. The caller owns the buffer. */
char *read_file(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	size_t done = 0;
	char *buf;

	if (fd < 0 || fstat(fd, &st))
		die("cannot open %s: %m", path);
	buf = malloc(st.st_size + 1);
	if (!buf)
		die("no memory for %s", path);
	while (done < (size_t)st.st_size) {
		ssize_t n = read(fd, buf + done, st.st_size - done);

		if (n <= 0)
			die("cannot read %s: %m", path);
		done += n;
	}
	close(fd);
	buf[done] = '\0';
	if (len)
		*len = done;
	return buf;
}

static char **read_list(const char *path)
{
	size_t len, n = 0;
	char *buf = read_file(path, &len);
	char **list;

	for (size_t i = 0; i < len; i++)
		n += !buf[i];
	list = calloc(n + 1, sizeof(*list));
	if (!list)
		die("no memory for %s", path);
	n = 0;
	for (char *p = buf; p < buf + len; p += strlen(p) + 1)
		list[n++] = p;
	return list;
}

static void add_share(struct job *job, char *value)
{
	struct share *s = &job->shares[job->nr_shares++];

	if (job->nr_shares > MAX_SHARES)
		die("too many shares");
	s->writable = !strncmp(value, "rw ", 3);
	s->tag = value + 3;
	s->path = strchr(s->tag, ' ');
	if (!s->path)
		die("bad share: %s", value);
	*s->path++ = '\0';
}

static void add_host_dir(struct job *job, char *value)
{
	struct host_dir *d = &job->host_dirs[job->nr_host_dirs++];

	if (job->nr_host_dirs > MAX_HOST_DIRS)
		die("too many directories of the host");
	d->where = value;
	d->path = strchr(value, ' ');
	if (!d->path)
		die("bad hostdir: %s", value);
	*d->path++ = '\0';
}

static void add_module(struct job *job, char *value, bool load)
{
	struct module *m = &job->modules[job->nr_modules++];

	if (job->nr_modules > MAX_MODULES)
		die("too many modules");
	m->load = load;
	m->file = value;
	m->args = strchr(value, ' ');
	if (m->args)
		*m->args++ = '\0';
	else
		m->args = "";
}

static void parse_line(struct job *job, char *line)
{
	char *value = strchr(line, ' ');

	if (!value)
		die("bad job line: %s", line);
	*value++ = '\0';
	if (!strcmp(line, "cwd")) {
		job->cwd = value;
	} else if (!strcmp(line, "root")) {
		job->root_type = value;
		job->root_opts = strchr(value, ' ');
		if (!job->root_opts)
			die("bad root: %s", value);
		*job->root_opts++ = '\0';
	} else if (!strcmp(line, "share")) {
		add_share(job, value);
	} else if (!strcmp(line, "load")) {
		add_module(job, value, true);
	} else if (!strcmp(line, "keep")) {
		add_module(job, value, false);
	} else if (!strcmp(line, "tty")) {
		job->tty = true;
		if (sscanf(value, "%u %u", &job->rows, &job->cols) != 2)
			die("bad terminal size: %s", value);
	} else if (!strcmp(line, "ports")) {
		job->serial = !strcmp(value, "serial");
	} else if (!strcmp(line, "hostdir")) {
		add_host_dir(job, value);
	} else {
		die("unknown job key: %s", line);
	}
}

void job_read(struct job *job)
{
	char *conf = read_file("/job/conf", NULL);
	char *line, *save;

	memset(job, 0, sizeof(*job));
	job->argv = read_list("/job/argv");
	job->envp = read_list("/job/env");
	for (line = strtok_r(conf, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		parse_line(job, line);
	if (!job->argv[0] || !job->cwd || !job->root_opts)
		die("incomplete job");
}
