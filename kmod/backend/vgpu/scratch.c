// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where waves have their scratch memory.
 *
 * Each XCC that the runtime knows of has TMPRING_SIZE.WAVES slots of its own, one
 * XCC's behind another's (ROCr, AqlQueue::FillComputeTmpRingSize; rocdbgapi,
 * aql_queue_t::scratch_memory_region). PM4 streams give no XCC another base.
 */
#include <linux/bitmap.h>
#include <linux/minmax.h>

#include "../../gpu/save_area.h"
#include "interp.h"

/* How many slots of the bitmap an XCC has */
static u32 slots_of_xcc(const struct vgpu *vg)
{
	return VGPU_SCRATCH_WAVES / gpu_target_shown_xccs(vg->gdev->target);
}

static u32 xcc_of(const struct vgpu *vg, const struct cp_dispatch *d, unsigned int cu)
{
	return d->pm4 ? 0 : vg->cus[cu].xcc % gpu_target_shown_xccs(vg->gdev->target);
}

int vgpu_scratch_find_locked(struct vgpu_queue *vq, const struct cp_dispatch *d, unsigned int cu)
{
	unsigned long at, first, limit;

	lockdep_assert_held(&vq->vg->lock);
	if (!d->scratch_lane_bytes)
		return -1;
	first = xcc_of(vq->vg, d, cu) * slots_of_xcc(vq->vg);
	limit = first + min(d->scratch_waves, slots_of_xcc(vq->vg));
	at = bitmap_find_next_zero_area(vq->scratch, limit, first, d->waves, 0);
	return at < limit ? (int)at : -2;
}

/* A worker that gets false sleeps, and vgpu_scratch_wakes_locked() tells when to wake it. */
bool vgpu_scratch_there_locked(const struct vgpu_grid *grid)
{
	struct vgpu_queue *vq = grid->vq;

	if (!grid->d.scratch_lane_bytes ||
	    vgpu_scratch_find_locked(vq, &grid->d,
				     vgpu_cu_pick_locked(vq, vq->vg, grid->started)) >= 0)
		return true;
	vq->scratch_short = true;
	return false;
}

bool vgpu_scratch_wakes_locked(const struct vgpu_grid *grid)
{
	struct vgpu_queue *vq = grid->vq;

	lockdep_assert_held(&vq->vg->lock);
	if (!vq->scratch_short || grid->started == grid->d.total_groups)
		return false;
	vq->scratch_short = false;
	return vgpu_scratch_there_locked(grid);
}

bool vgpu_scratch_move_locked(struct vgpu_group *g, unsigned int cu)
{
	const struct cp_dispatch *d = &g->grid->d;
	struct vgpu_queue *vq = g->grid->vq;
	int slot;

	if (g->slot < 0 || xcc_of(vq->vg, d, cu) == xcc_of(vq->vg, d, g->cu))
		return true;
	slot = vgpu_scratch_find_locked(vq, d, cu);
	if (slot < 0)
		return false;
	bitmap_clear(vq->scratch, g->slot, d->waves);
	bitmap_set(vq->scratch, slot, d->waves);
	g->slot = slot;
	return true;
}

u32 vgpu_scratch_slot(const struct vgpu_group *g, u32 wave)
{
	return g->slot % slots_of_xcc(g->grid->vq->vg) + wave;
}

u64 vgpu_scratch_at(const struct vgpu_group *g, u32 wave)
{
	const struct cp_dispatch *d = &g->grid->d;
	u64 before = (u64)xcc_of(g->grid->vq->vg, d, g->cu) * d->scratch_waves;

	return d->scratch_base + (before + vgpu_scratch_slot(g, wave)) * d->scratch_wave_bytes;
}
