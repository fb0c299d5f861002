/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One SIMD build of the vector handlers: the variant's file sets LANE_WIDTH,
 * LANE_OPS, LANE_NAME, LANE_CPU and LANE_MAT_BIND and includes this.
 */
#include "lane.h"
#include "lane_cvt.h"
#include "lane_core.inc.c"
#include "lane_soft.inc.c"
#include "lane_any.inc.c"
#include "lane_math.inc.c"
#include "lane_int.inc.c"
#include "lane_scalar.inc.c"
#include "lane_wide.inc.c"
#include "lane_div.inc.c"
#include "lane_fp8.inc.c"
#include "lane_half.inc.c"
#include "lane_near.inc.c"
#include "lane_dpp.inc.c"
#include "lane_generic.inc.c"
#include "lane_plain.inc.c"
#include "lane_special.inc.c"

static bool bind_cvt(const struct isa_target *t, struct isa_insn *i)
{
	return isa_cvt_bind(t, i);
}

static bool bind_permlane_swap(const struct isa_target *t, struct isa_insn *i)
{
	return isa_lane_swap_bind(t, i);
}

static bool bind_mfma_scaled(const struct isa_target *t, struct isa_insn *i)
{
	return isa_mfma_scaled_bind(t, i);
}

/* Matrix operations: lane_mat.inc.c, an object of its own */
static bool bind_matrix(const struct isa_target *t, struct isa_insn *i)
{
	return LANE_MAT_BIND(t, i);
}

#ifdef ISA_HAVE_RDNA
#include "lane_dot.inc.c"
#include "lane_rdna.inc.c"
#include "lane_gfx12.inc.c"
#endif
#include "generated/isa_lanes.h"
#include "lane_bind.inc.c"
