// SPDX-License-Identifier: GPL-2.0-only
/* Matrix operations for lane_avx2.c; an object of their own because they are many. */
#define LANE_WIDTH	8
#define LANE_MAT_BIND	isa_mat_bind_avx2
#include "lane_mat.inc.c"
