/* SPDX-License-Identifier: MIT */
/* Engine processes (engine=user), as their tests see them. */
#ifndef ENGINE_UTIL_H
#define ENGINE_UTIL_H

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>

#include "queue_test.h"

#define PARAM	"/sys/module/vkfd/parameters/"

static inline int set_param(const char *name, const char *value)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), PARAM "%s", name);
	f = fopen(path, "w");
	if (!f)
		return -errno;
	fprintf(f, "%s", value);
	return fclose(f) ? -errno : 0;
}

static inline void get_param(const char *name, char *buf, size_t size)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), PARAM "%s", name);
	f = fopen(path, "r");
	if (!f || !fgets(buf, size, f))
		buf[0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	if (f)
		fclose(f);
}

/* A file beside this program, or where the engine is built */
static inline void beside(char *path, const char *name)
{
	char self[PATH_MAX - 64];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = '\0';
	*strrchr(self, '/') = '\0';
	snprintf(path, PATH_MAX, "%s/%s", self, name);
}

static inline int use_engine(const char *mode, const char *program)
{
	return set_param("engine_program", program) ?: set_param("engine", mode);
}

static inline int use_real_engine(const char *mode)
{
	char path[PATH_MAX];

	beside(path, "../../engine/vkfd-engine");
	return use_engine(mode, path);
}

/* queue_engine, by a name that says what it is to do. Links lie where a guest can write. */
static inline int use_bad_engine(const char *mode, const char *name)
{
	char self[PATH_MAX], link[PATH_MAX];

	beside(self, "queue_engine");
	snprintf(link, sizeof(link), "/tmp/vkfd-%s", name);
	unlink(link);
	if (symlink(self, link))
		return -errno;
	return use_engine(mode, link);
}

/* The engine process there is, or 0; there is one at most in these tests. */
static inline pid_t engine_pid(void)
{
	char path[300], name[32];
	struct dirent *e;
	DIR *d = opendir("/proc");
	pid_t pid = 0;
	FILE *f;

	while (!pid && (e = readdir(d))) {
		snprintf(path, sizeof(path), "/proc/%s/comm", e->d_name);
		f = fopen(path, "r");
		if (!f)
			continue;
		if (fgets(name, sizeof(name), f) && !strncmp(name, "vkfd-engine", 11))
			pid = atoi(e->d_name);
		fclose(f);
	}
	closedir(d);
	return pid;
}

/* A line of /proc/PID/status, without its name */
static inline long status_of(pid_t pid, const char *name, int base)
{
	char path[64], line[256];
	long v = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ':')
			v = strtol(line + strlen(name) + 1, NULL, base);
	if (f)
		fclose(f);
	return v;
}

static inline bool gone(pid_t pid)
{
	u64 end = rig_ms() + RIG_LONG * th_slow();

	while (!kill(pid, 0) && rig_ms() < end)
		usleep(10000);
	return kill(pid, 0) && errno == ESRCH;
}

#endif /* ENGINE_UTIL_H */
