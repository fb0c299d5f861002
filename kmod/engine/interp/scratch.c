// SPDX-License-Identifier: GPL-2.0-only
/*
 * Assigns scratch memory to waves.
 *
 * Each XCC that the runtime knows has TMPRING_SIZE.WAVES slots of its own, those of one XCC
 * after those of another; on gfx11 each shader engine has (ROCr,
 * AqlQueue::FillComputeTmpRingSize and FillComputeTmpRingSize_Gfx11; rocdbgapi,
 * scratch_memory_region). In PM4 streams all XCCs have the same base.
 */
#include <linux/bitmap.h>
#include <linux/minmax.h>

#include "../../gpu/save_area.h"
#include "interp.h"

static bool by_engine(const struct gpu_target *t)
{
	return isa_arch_has(t->arch, ISA_ARCH_SE_SCRATCH);
}

/* Number of slots that an XCC or a shader engine has in the bitmap */
static u32 slots_of_part(const struct hw *vg)
{
	const struct gpu_target *t = vg->gdev->target;

	return INTERP_SCRATCH_WAVES /
	       (by_engine(t) ? t->shader_engines : gpu_target_shown_xccs(t));
}

static u32 part_of(const struct hw *vg, const struct cp_dispatch *d, unsigned int cu)
{
	const struct gpu_target *t = vg->gdev->target;

	if (by_engine(t))
		return vg->cus[cu].se;
	return d->pm4 ? 0 : vg->cus[cu].xcc % gpu_target_shown_xccs(t);
}

int interp_scratch_find_locked(struct interp_queue *iq, const struct cp_dispatch *d,
			       unsigned int cu)
{
	const struct hw *vg = iq->vq.vg;
	unsigned long at, first, limit;

	lockdep_assert_held(&vg->lock);
	if (!d->scratch_lane_bytes)
		return -1;
	first = part_of(vg, d, cu) * slots_of_part(vg);
	limit = first + min(d->scratch_waves, slots_of_part(vg));
	at = bitmap_find_next_zero_area(iq->scratch, limit, first, d->waves, 0);
	return at < limit ? (int)at : -2;
}

bool interp_scratch_fits(const struct interp_queue *iq, const struct cp_dispatch *d,
			 unsigned int cu, u32 slot)
{
	const struct hw *vg = iq->vq.vg;
	u32 first = part_of(vg, d, cu) * slots_of_part(vg);
	u32 n = min(d->scratch_waves, slots_of_part(vg));

	return slot >= first && d->waves <= n && slot - first <= n - d->waves;
}

/* On false the worker sleeps; interp_scratch_wakes_locked() tells when to wake it. */
bool interp_scratch_there_locked(const struct hw_grid *grid)
{
	struct interp_queue *iq = to_interp_queue(grid->vq);

	if (!grid->d.scratch_lane_bytes ||
	    interp_scratch_find_locked(iq, &grid->d,
				       hw_cu_pick_locked(grid->vq, hw_grid_next_locked(grid))) >= 0)
		return true;
	iq->scratch_short = true;
	return false;
}

bool interp_scratch_wakes_locked(const struct hw_grid *grid)
{
	struct interp_queue *iq = to_interp_queue(grid->vq);

	lockdep_assert_held(&grid->vq->vg->lock);
	if (!iq->scratch_short || !hw_grid_waits_locked(grid))
		return false;
	iq->scratch_short = false;
	return interp_scratch_there_locked(grid);
}

bool interp_scratch_move_locked(struct interp_group *g, unsigned int cu)
{
	const struct cp_dispatch *d = &g->grid->d;
	struct interp_queue *iq = interp_queue_of(g);
	const struct hw *vg = iq->vq.vg;
	int slot;

	if (g->slot < 0 || part_of(vg, d, cu) == part_of(vg, d, g->cu))
		return true;
	slot = interp_scratch_find_locked(iq, d, cu);
	if (slot < 0)
		return false;
	bitmap_clear(iq->scratch, g->slot, d->waves);
	bitmap_set(iq->scratch, slot, d->waves);
	g->slot = slot;
	return true;
}

bool interp_scratch_stays(const struct interp_group *g)
{
	return g->slot < 0 || slots_of_part(g->grid->vq->vg) == INTERP_SCRATCH_WAVES;
}

u32 interp_scratch_slot(const struct interp_group *g, u32 wave)
{
	return g->slot % slots_of_part(g->grid->vq->vg) + wave;
}

u64 interp_scratch_at(const struct interp_group *g, u32 wave)
{
	const struct cp_dispatch *d = &g->grid->d;
	u64 before = (u64)part_of(g->grid->vq->vg, d, g->cu) * d->scratch_waves;

	return d->scratch_base + (before + interp_scratch_slot(g, wave)) * d->scratch_wave_bytes;
}
