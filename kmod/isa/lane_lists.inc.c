/* SPDX-License-Identifier: GPL-2.0-only */
/* All op lists; included twice by lane.inc.c. */
#include "lane_ops_int.inc.c"
#include "lane_ops_sat.inc.c"
#include "lane_ops_f32.inc.c"
#include "lane_ops_f64.inc.c"
#include "lane_ops_f16.inc.c"
#include "lane_ops_cmp.inc.c"
#include "lane_ops_special.inc.c"
