// SPDX-License-Identifier: GPL-2.0-only
/* The lanes in AVX2 with FMA and F16C. */
#define LANE_WIDTH	8
#define LANE_OPS	isa_lane_avx2
#define LANE_NAME	"avx2"
#define LANE_CPU	ISA_CPU_AVX2
#define LANE_MAT_BIND	isa_mat_bind_avx2
#include "lane.inc.c"
