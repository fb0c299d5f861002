// SPDX-License-Identifier: GPL-2.0-only
/* Matrix operations for lane_sse2.c; an object of their own because they are many. */
#define LANE_WIDTH	4
#define LANE_MAT_BIND	isa_mat_bind_sse2
#include "lane_mat.inc.c"
