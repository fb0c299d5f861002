// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compute units: which ones exist, and which of them a queue may use.
 *
 * They are in the order of a CU mask's bits: across XCCs first, then shader engines, then
 * shader arrays, and only then across the CUs of an array (the real driver's
 * mqd_symmetrically_map_cu_mask()).
 */
#include <linux/bitmap.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "engine.h"
#include "../model/target.h"

#define MAX_CU_PER_ARRAY	16

static void add_cu(struct hw *vg, unsigned int xcc, unsigned int se, unsigned int sh,
		   unsigned int cu)
{
	const struct gpu_target *t = vg->gdev->target;
	unsigned int se_per_xcc = t->shader_engines / max(t->num_xcc, 1u);

	if (vg->ncus < HW_MAX_CUS &&
	    (gpu_target_cu_mask(t, xcc * se_per_xcc + se, sh) & BIT(cu)))
		vg->cus[vg->ncus++] = (struct hw_cu_id){ vg->gdev->first_xcc + xcc, se, sh, cu };
}

void hw_cus_init(struct hw *vg)
{
	const struct gpu_target *t = vg->gdev->target;
	unsigned int xccs = max(t->num_xcc, 1u), xcc, se, sh, cu;

	for (cu = 0; cu < MAX_CU_PER_ARRAY; cu++)
		for (sh = 0; sh < t->arrays_per_engine; sh++)
			for (se = 0; se < t->shader_engines / xccs; se++)
				for (xcc = 0; xcc < xccs; xcc++)
					add_cu(vg, xcc, se, sh, cu);
}

/* CUs beyond the mask are off; bits of CUs that do not exist are ignored. */
int hw_cu_mask(struct gpu_queue *q, const u32 *mask, u32 bits)
{
	struct hw *vg = to_hw(q->gdev);
	struct hw_compute *vq = q->priv;
	unsigned int i, n = min(bits, vg->ncus);

	if (q->props.type == GPU_QUEUE_SDMA)
		return 0;
	spin_lock(&vg->lock);
	bitmap_zero(vq->cu_mask, HW_MAX_CUS);
	for (i = 0; i < n; i++)
		if (mask[i / 32] & BIT(i % 32))
			__set_bit(i, vq->cu_mask);
	vq->cu_masked = true;
	engine_cu_mask_locked(vq);
	spin_unlock(&vg->lock);
	engine_run(vg);
	return 0;
}

/*
 * Work-groups are dealt out to the CUs that a queue may use in turn, whichever thread takes
 * them. So no CU is left out because one of the engine's threads gets little time.
 */
unsigned int hw_cu_pick_locked(const struct hw_compute *vq, u64 index)
{
	const struct hw *vg = vq->vg;
	unsigned int n = vq->cu_masked ? bitmap_weight(vq->cu_mask, vg->ncus) : vg->ncus, cu;

	lockdep_assert_held(&vg->lock);
	if (!n)
		return 0;
	n = do_div(index, n);
	if (!vq->cu_masked)
		return n;
	for_each_set_bit(cu, vq->cu_mask, vg->ncus)
		if (!n--)
			break;
	return cu;
}
