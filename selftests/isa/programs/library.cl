// SPDX-License-Identifier: MIT
/*
 * The device library's functions: where the work-item is within some last places
 * of the value that the CPU's library gave. Arguments and references: library.c.
 */
#include "library.h"

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

typedef unsigned int u32;

/* Not get_global_id(): no hidden arguments here. */
#define ID	(__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())
#define WAVE	__attribute__((reqd_work_group_size(64, 1, 1))) kernel void

/* Whether two numbers of the same kind are at most @n last places apart. */
static bool near32(float x, float y, int n)
{
	int a = as_int(x), b = as_int(y);

	if (isnan(x) || isnan(y))
		return isnan(x) && isnan(y);
	a = a < 0 ? (int)(0x80000000u - (u32)a) : a;
	b = b < 0 ? (int)(0x80000000u - (u32)b) : b;
	return abs_diff(a, b) <= (u32)n;
}

static bool near64(double x, double y, long n)
{
	long a = as_long(x), b = as_long(y);

	if (isnan(x) || isnan(y))
		return isnan(x) && isnan(y);
	a = a < 0 ? (long)(0x8000000000000000ul - (ulong)a) : a;
	b = b < 0 ? (long)(0x8000000000000000ul - (ulong)b) : b;
	return abs_diff(a, b) <= (ulong)n;
}

#define CHECK(name, near, x)						\
	r |= (u32)near(x, want[LIBRARY_##name * LIBRARY_ITEMS + i], LIBRARY_ULP) << LIBRARY_##name;

#define ONE(name, f)	CHECK(name, NEAR, f(x))
#define TWO(name, f)	CHECK(name, NEAR, f(x, y))

WAVE library_f32(global u32 *out, global const float *a, global const float *b,
		 global const float *want)
{
	u32 i = ID, r = 0;
	float x = a[i], y = b[i];

#define NEAR	near32
	LIBRARY(ONE, TWO)
#undef NEAR
	out[i] = r;
}

WAVE library_f64(global u32 *out, global const double *a, global const double *b,
		 global const double *want)
{
	u32 i = ID, r = 0;
	double x = a[i], y = b[i];

#define NEAR	near64
	LIBRARY(ONE, TWO)
#undef NEAR
	out[i] = r;
}
