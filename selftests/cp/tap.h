/* SPDX-License-Identifier: MIT */
/* Cases of one host program, printed as TAP: checks, then report(name). */
#ifndef CP_TAP_H
#define CP_TAP_H

#include <stdio.h>

static unsigned int test_no, test_failed, checks_failed;

#define CHECK(cond) do {						\
	if (!(cond)) {							\
		printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond);	\
		checks_failed++;					\
	}								\
} while (0)

static void report(const char *name)
{
	printf("%sok %u %s\n", checks_failed ? "not " : "", ++test_no, name);
	test_failed += !!checks_failed;
	checks_failed = 0;
}

#endif /* CP_TAP_H */
