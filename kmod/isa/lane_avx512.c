// SPDX-License-Identifier: GPL-2.0-only
/* The lanes in AVX-512 F, VL, DQ, BW (with FMA and F16C). */
#define LANE_WIDTH	16
#define LANE_OPS	isa_lane_avx512
#define LANE_NAME	"avx512"
#define LANE_CPU	(ISA_CPU_AVX2 | ISA_CPU_AVX512)
#define LANE_MAT_BIND	isa_mat_bind_avx512
#include "lane.inc.c"
