/* SPDX-License-Identifier: MIT */
/* Cases of one host program, printed as TAP: checks, then report(name). */
#ifndef CP_TAP_H
#define CP_TAP_H

#include <stdio.h>

/* A program of several files says so, and has them in one of these. */
#ifdef TAP_SHARED
extern unsigned int test_no, test_failed, checks_failed;
#else
static unsigned int test_no, test_failed, checks_failed;
#endif

#define CHECK(cond) do {						\
	if (!(cond)) {							\
		printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond);	\
		checks_failed++;					\
	}								\
} while (0)

static inline void report(const char *name)
{
	printf("%sok %u %s\n", checks_failed ? "not " : "", ++test_no, name);
	test_failed += !!checks_failed;
	checks_failed = 0;
}

#endif /* CP_TAP_H */
