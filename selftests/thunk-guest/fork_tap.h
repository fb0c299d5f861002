/* SPDX-License-Identifier: MIT */
/*
 * TAP for tests that use the GPU: each runs in a process of its own, because what a fault or a
 * fork leaves behind would be the next test's.
 */
#ifndef FORK_TAP_H
#define FORK_TAP_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEST_SECONDS	120

static int tap_nr, tap_failed, tap_bad;

#define CHECK(cond)								\
	do {									\
		if (!(cond)) {							\
			tap_bad++;						\
			printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond);	\
		}								\
	} while (0)

/* The rest of the test makes no sense without this. */
#define NEED(cond)								\
	do {									\
		if (!(cond)) {							\
			printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond);	\
			fflush(stdout);						\
			_exit(1);						\
		}								\
	} while (0)

/* How many times as long things may take here. */
static inline unsigned int tap_slow(void)
{
	const char *s = getenv("VKFD_SLOW");
	int n = s ? atoi(s) : 1;

	return n > 1 ? n : 1;
}

static inline void tap_test(const char *name, void (*fn)(void))
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		alarm(TEST_SECONDS * tap_slow());
		fn();
		fflush(stdout);
		_exit(tap_bad != 0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		status = -1;
	if (WIFSIGNALED(status))
		printf("# killed by signal %d\n", WTERMSIG(status));
	printf("%sok %d %s\n", status ? "not " : "", ++tap_nr, name);
	tap_failed += !!status;
}

static inline int tap_done(void)
{
	printf("1..%d\n", tap_nr);
	return tap_failed != 0;
}

#endif /* FORK_TAP_H */
