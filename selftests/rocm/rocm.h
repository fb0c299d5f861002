/* SPDX-License-Identifier: MIT */
/*
 * TAP for programs against the unmodified HIP runtime. A test is a function that returns;
 * CHECK notes what is wrong and goes on, NEED and HIP end the test.
 */
#ifndef ROCM_H
#define ROCM_H

#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <hip/hip_runtime.h>

static int tap_nr, tap_failed, tap_bad;

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

#define HIP(call)								\
	do {									\
		hipError_t err_ = (call);					\
		if (err_ != hipSuccess) {					\
			COMPLAIN("%s: %s", #call, hipGetErrorName(err_));	\
			return;							\
		}								\
	} while (0)

/* Compares every element; says where it differs first. */
template <typename T>
static inline void check_equal(const char *what, const T *got, const T *want, size_t n)
{
	size_t i, bad = 0, first = 0;

	for (i = 0; i < n; i++)
		if (!(got[i] == want[i]) && !bad++)
			first = i;
	if (bad)
		COMPLAIN("%s: %zu of %zu differ, first at %zu", what, bad, n, first);
}

static inline void tap_test(const char *name, void (*fn)())
{
	tap_bad = 0;
	fn();
	printf("%sok %d %s\n", tap_bad ? "not " : "", ++tap_nr, name);
	fflush(stdout);
	tap_failed += !!tap_bad;
}

static inline int tap_done()
{
	printf("1..%d\n", tap_nr);
	return tap_failed != 0;
}

#define TEST(fn)	tap_test(#fn, fn)

/* Whole blocks for n items. */
static inline unsigned int blocks(size_t n, unsigned int size)
{
	return (n + size - 1) / size;
}

#endif /* ROCM_H */
