/* SPDX-License-Identifier: MIT */
/* TAP for host tests: CHECK counts within a test, tap_test() reports it. */
#ifndef TAP_H
#define TAP_H

#include <stdio.h>

static int tap_nr, tap_failed, tap_bad;

#define CHECK(cond)								\
	do {									\
		if (!(cond)) {							\
			tap_bad++;						\
			printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond);	\
		}								\
	} while (0)

static inline void tap_test(const char *name, void (*fn)(void))
{
	tap_bad = 0;
	fn();
	printf("%sok %d %s\n", tap_bad ? "not " : "", ++tap_nr, name);
	tap_failed += !!tap_bad;
}

static inline int tap_done(void)
{
	printf("1..%d\n", tap_nr);
	return tap_failed != 0;
}

#endif /* TAP_H */
