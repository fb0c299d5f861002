// SPDX-License-Identifier: MIT
/*
 * Compiled units on disk (engine/jit/jit_store.c): what was added is found by who comes later, and
 * nothing else ever is, whatever is in the file. Each opening is a process of its own. TAP.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "jit_store.h"

#define UNITS		12u
#define WORDS		40u
#define NOBODY		65534u

static char dir[] = "/tmp/isa_jit_store.XXXXXX";
static unsigned int tests;

static bool say(bool ok, const char *name)
{
	printf("%sok %u - %s\n", ok ? "" : "not ", ++tests, name);
	fflush(stdout);
	return ok;
}

/* Unit @n: what it is, and code that nobody else has */
static struct jit_stored unit(u32 n, u64 *what, u64 *code)
{
	u32 k;

	for (k = 0; k < WORDS; k++) {
		what[k] = n * 1000ull + k;
		code[k] = ~(n * 1000000007ull * (k + 1));
	}
	return (struct jit_stored){
		.what = what, .what_bytes = (5 + n) * 8, .code = code,
		.bytes = (20 + n) * 8 - n % 8, .entry = n * 4,
	};
}

static struct jit_store *open_dir(const char *about)
{
	return jit_store_open(open(dir, O_RDONLY | O_DIRECTORY), about);
}

/* How many units are found; -1: no store, -2: one is not what was added */
static int count(const struct jit_store *s)
{
	u64 what[WORDS], code[WORDS];
	struct jit_stored want, is;
	int found = 0;
	u32 n;

	if (!s)
		return -1;
	for (n = 0; n < UNITS; n++) {
		want = unit(n, what, code);
		if (!jit_store_find(s, want.what, want.what_bytes, &is))
			continue;
		if (is.bytes != want.bytes || is.entry != want.entry ||
		    memcmp(is.code, want.code, want.bytes))
			return -2;
		found++;
	}
	return found;
}

/* In a process of its own: adds units from @first to before @end; how many there were before */
static int in_child(const char *about, u32 first, u32 end, uid_t uid, rlim_t limit)
{
	struct rlimit r = { limit, limit };
	u64 what[WORDS], code[WORDS];
	struct jit_stored add;
	struct jit_store *s;
	int status;
	pid_t child;
	u32 n;

	child = fork();
	if (child) {
		if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
			return -100;
		return (signed char)WEXITSTATUS(status);
	}
	signal(SIGXFSZ, SIG_IGN);
	if ((limit && setrlimit(RLIMIT_FSIZE, &r)) || (uid && setresuid(uid, uid, uid)))
		_exit(99);
	s = open_dir(about);
	status = count(s);
	for (n = first; s && n < end; n++) {
		add = unit(n, what, code);
		jit_store_add(s, &add);
	}
	_exit(status);
}

static int look(void)
{
	return in_child("a", 0, 0, 0, 0);
}

static int add(u32 first, u32 end)
{
	return in_child("a", first, end, 0, 0);
}

/* The path of the only file, which is of @about "a" */
static const char *file(void)
{
	static char path[128];
	FILE *p;
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "ls -d %s/*.units 2>/dev/null", dir);
	p = popen(cmd, "r");
	path[0] = '\0';
	if (p && fgets(path, sizeof(path), p))
		path[strcspn(path, "\n")] = '\0';
	if (p)
		pclose(p);
	return path;
}

static void clean(void)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "rm -rf %s/*", dir);
	if (system(cmd))
		exit(1);
}

static bool second_one_reads_only(void)
{
	u64 what[WORDS], code[WORDS];
	struct jit_stored more;
	struct jit_store *s;
	int status = 1;
	pid_t child;

	clean();
	add(0, 3);
	child = fork();
	if (!child) {
		s = open_dir("a");	/* it adds; the process beside it must not */
		more = unit(3, what, code);
		status = count(s) != 3 || add(5, 8) != 3;
		jit_store_add(s, &more);
		_exit(status || look() != 4);
	}
	return waitpid(child, &status, 0) == child && !status && look() == 4;
}

/* Every byte of the file in turn is changed: less may be found, never something else. */
static bool rubbish(void)
{
	static u8 buf[65536];
	ssize_t size, at;
	bool ok = true;
	const char *path;
	int fd;

	clean();
	add(0, UNITS);
	path = file();
	fd = open(path, O_RDWR);
	size = read(fd, buf, sizeof(buf));
	ok = size > 1024 && look() == UNITS;
	for (at = 0; ok && at < size; at += at < 1200 ? 7 : 61) {
		u8 bad = buf[at] ^ (u8)(1 << at % 8);
		int found;

		ok = pwrite(fd, buf, (size_t)size, 0) == size && pwrite(fd, &bad, 1, at) == 1;
		found = look();
		/* Whoever opens it next can add to it, and what is left is found. */
		ok = ok && found >= 0 && add(0, UNITS) >= 0 && look() >= 0;
		if (!ok)
			printf("# byte %zd: %d\n", at, found);
	}
	close(fd);
	return ok;
}

static bool cut(void)
{
	static u8 buf[65536];
	const char *path;
	ssize_t size, at;
	bool ok;
	int fd;

	clean();
	add(0, UNITS);
	path = file();
	fd = open(path, O_RDWR);
	size = read(fd, buf, sizeof(buf));
	ok = size > 1024;
	for (at = 0; ok && at < size; at += 97) {
		int found;

		ok = pwrite(fd, buf, (size_t)size, 0) == size && !ftruncate(fd, at);
		found = add(0, UNITS);
		/* All that were lost are there again (and those that were not, twice). */
		ok = ok && found >= 0 && found < (int)UNITS && look() == UNITS;
		if (!ok)
			printf("# %zd bytes: %d\n", at, found);
	}
	close(fd);
	return ok;
}

static bool no_room(void)
{
	bool ok;

	clean();
	/* The header and a few units; a disk that is full answers alike. */
	ok = in_child("a", 0, UNITS, 0, 2048) == 0 && look() > 0 && look() < (int)UNITS;
	return ok && add(0, UNITS) > 0 && look() == UNITS;
}

static bool old_ones(void)
{
	struct timespec t[2] = { { .tv_sec = time(NULL) - 31l * 24 * 3600 } };
	char path[128];

	t[1] = t[0];
	clean();
	add(0, 2);
	snprintf(path, sizeof(path), "%s", file());
	if (utimensat(AT_FDCWD, path, t, 0) || in_child("b", 0, 1, 0, 0) || !access(path, F_OK))
		return false;
	return look() == 0;
}

static bool nearly_full(void)
{
	clean();
	return add(0, 3) == 0 && !truncate(file(), 60l << 20) && add(0, 1) == 0 && look() == 1;
}

static bool not_ours_alone(void)
{
	char elsewhere[sizeof(dir) + 16], path[128];
	bool ok;

	clean();
	add(0, 2);
	snprintf(path, sizeof(path), "%s", file());
	snprintf(elsewhere, sizeof(elsewhere), "%s.other", dir);
	ok = !chmod(path, 0622) && look() == -1 && !chmod(path, 0600) && look() == 2 &&
	     !chmod(dir, 0722) && look() == -1 && !chmod(dir, 0700) && look() == 2;
	/* A link is not followed, and what is no file is none. */
	ok = ok && !rename(path, elsewhere) && !symlink(elsewhere, path) && look() == -1;
	unlink(path);
	ok = ok && !mkdir(path, 0700) && look() == -1;
	rmdir(path);
	ok = ok && !mkfifo(path, 0600) && look() == -1;
	unlink(elsewhere);
	return ok;
}

static bool of_another_user(void)
{
	bool ok;

	clean();
	add(0, 2);
	chmod(dir, 0755);
	chmod(file(), 0644);
	ok = in_child("a", 0, 1, NOBODY, 0) == -1;
	chmod(dir, 0700);
	return ok && look() == 2;
}

/* What is there is found, nothing is added, and nothing is done about it. */
static bool read_only(void)
{
	const uid_t uid = geteuid() ? 0 : NOBODY;	/* root writes anywhere */
	bool ok;

	clean();
	ok = !uid || !chown(dir, uid, uid);
	ok = ok && !chmod(dir, 0500) && in_child("a", 0, 3, uid, 0) == -1 && !*file();
	ok = ok && !chmod(dir, 0700) && in_child("a", 0, 3, uid, 0) == 0;
	ok = ok && !chmod(file(), 0400) && !chmod(dir, 0500) &&
	     in_child("a", 3, 6, uid, 0) == 3 && in_child("a", 0, 0, uid, 0) == 3 &&
	     in_child("b", 0, 1, uid, 0) == -1;
	chmod(dir, 0700);
	return (!uid || !chown(dir, 0, 0)) && ok;
}

int main(void)
{
	bool ok = true;

	printf("TAP version 13\n1..10\n");
	fflush(stdout);
	if (!mkdtemp(dir))
		return 1;
	ok &= say(add(0, 3) == 0 && add(3, UNITS) == 3 && look() == UNITS &&
		  in_child("b", 0, 0, 0, 0) == 0 && look() == UNITS,
		  "what was added is found, by those whose code it is");
	ok &= say(second_one_reads_only(), "one process adds, others read");
	ok &= say(rubbish(), "a file with rubbish in it");
	ok &= say(cut(), "a file that is cut");
	ok &= say(no_room(), "no room");
	ok &= say(old_ones(), "files of others that are old go");
	ok &= say(nearly_full(), "a file that is nearly full is begun anew");
	ok &= say(not_ours_alone(), "what others could change is not used");
	if (geteuid())
		printf("ok %u - of another user # SKIP not root\n", ++tests);
	else
		ok &= say(of_another_user(), "of another user");
	ok &= say(read_only(), "a directory that is read-only");
	clean();
	rmdir(dir);
	return !ok;
}
