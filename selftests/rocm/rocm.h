/* SPDX-License-Identifier: MIT */
/* What HIP programs share; HIP() ends the test as NEED() does. */
#ifndef ROCM_H
#define ROCM_H

#include <hip/hip_runtime.h>
#include "tap.h"

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

/* Whole blocks for n items. */
static inline unsigned int blocks(size_t n, unsigned int size)
{
	return (n + size - 1) / size;
}

#endif /* ROCM_H */
