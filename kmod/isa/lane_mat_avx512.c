// SPDX-License-Identifier: GPL-2.0-only
/* Matrix operations for lane_avx512.c; an object of their own because they are many. */
#define LANE_WIDTH	16
#define LANE_MAT_BIND	isa_mat_bind_avx512
#include "lane_mat.inc.c"
