/* SPDX-License-Identifier: MIT */
/*
 * TAP for programs against unmodified ROCm. A test is a function that returns; CHECK notes what is
 * wrong and goes on, NEED ends the test.
 */
#ifndef ROCM_TAP_H
#define ROCM_TAP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int tap_nr, tap_failed, tap_bad;
static const char *tap_skip;

/* At most this many complaints of one test are printed. */
#define TAP_LINES	8

#define COMPLAIN(...)								\
	do {									\
		if (tap_bad++ < TAP_LINES) {					\
			printf("# %s:%d: ", __FILE__, __LINE__);		\
			printf(__VA_ARGS__);					\
			printf("\n");						\
		}								\
	} while (0)

#define CHECK(cond)								\
	do {									\
		if (!(cond))							\
			COMPLAIN("%s", #cond);					\
	} while (0)

#define NEED(cond)								\
	do {									\
		if (!(cond)) {							\
			COMPLAIN("%s", #cond);					\
			return;							\
		}								\
	} while (0)

/* Ends the test: here it cannot be asked. */
#define SKIP(why)								\
	do {									\
		tap_skip = (why);						\
		return;								\
	} while (0)

static inline void tap_test(const char *name, void (*fn)(void))
{
	tap_bad = 0;
	tap_skip = NULL;
	fn();
	printf("%sok %d %s%s%s\n", tap_bad ? "not " : "", ++tap_nr, name,
	       tap_skip ? " # SKIP " : "", tap_skip ? tap_skip : "");
	fflush(stdout);
	tap_failed += !!tap_bad;
}

static inline int tap_done(void)
{
	printf("1..%d\n", tap_nr);
	return tap_failed != 0;
}

#define TEST(fn)	tap_test(#fn, fn)

#endif /* ROCM_TAP_H */
