// SPDX-License-Identifier: GPL-2.0-only
/* The lanes in SSE2: every x86-64 CPU. */
#define LANE_WIDTH	4
#define LANE_OPS	isa_lane_sse2
#define LANE_NAME	"sse2"
#define LANE_CPU	0
#define LANE_MAT_BIND	isa_mat_bind_sse2
#include "lane.inc.c"
