// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects of a submission that had to leave VRAM for others (gpu/vram.c) come back there, and
 * others leave in turn. If every submission did that, a GPU that is short of memory would do
 * little else. So there is a budget, of time in which moving would take place, as in the real
 * driver (amdgpu_cs_get_threshold_for_moves()): it grows while time goes by, a submission moves
 * objects while it is positive, and what was moved is taken off, so that it may be a debt.
 */
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/minmax.h>

#include "../gpu/bo.h"
#include "../gpu/device.h"
#include "../gpu/vram.h"
#include "cs.h"

#define MOVE_LOG2_MBPS	3		/* ilog2(8): 8 bytes in a microsecond */
#define MOVE_MAX_US	200000
#define MOVE_FREE_BYTES	(128ull << 20)	/* so much is plenty, as is an eighth */

void vdrm_moves_init(struct vdrm_moves *moves)
{
	spin_lock_init(&moves->lock);
	moves->at_us = ktime_to_us(ktime_get());
	moves->budget_us = 0;
}

/* Bytes that may be moved now. */
static u64 vdrm_moves_budget(struct vdrm_moves *moves, const struct gpu_device *gdev)
{
	u64 free = gpu_vram_free(gdev);
	s64 now = ktime_to_us(ktime_get()), us;

	spin_lock(&moves->lock);
	us = min_t(s64, moves->budget_us + now - moves->at_us, MOVE_MAX_US);
	moves->at_us = now;
	if (free >= MOVE_FREE_BYTES || free >= gpu_vram_limit(gdev) / 8)
		us = max_t(s64, us, (free / 4) >> MOVE_LOG2_MBPS);
	moves->budget_us = us;
	spin_unlock(&moves->lock);
	return us > 0 ? (u64)us << MOVE_LOG2_MBPS : 0;
}

static void vdrm_moves_spend(struct vdrm_moves *moves, u64 bytes)
{
	spin_lock(&moves->lock);
	moves->budget_us -= bytes >> MOVE_LOG2_MBPS;
	spin_unlock(&moves->lock);
}

/* Would it rather be in VRAM? One that others may look at through a dma-buf stays. */
static bool vdrm_is_away(const struct gpu_bo *bo)
{
	return gpu_bo_evicted(bo) && !READ_ONCE(bo->base.dma_buf) &&
	       READ_ONCE(bo->placement) == AMDGPU_GEM_DOMAIN_VRAM;
}

int vdrm_cs_place(struct vdrm_cs *cs)
{
	struct vdrm_device *vdev = container_of(cs->file->minor->dev, struct vdrm_device, drm);
	struct gpu_vram_want want = { .who = GPU_VRAM_CS };
	u64 budget = 0, moved = 0;
	struct gpu_bo *bo;
	int ret = 0;
	u32 i;

	if (!cs->list)
		return 0;
	want.keep = cs->list->obj;
	want.nkeep = cs->list->n;
	for (i = 0; i < cs->list->n; i++) {
		bo = to_gpu_bo(cs->list->obj[i]);
		if (!vdrm_is_away(bo) || bo->gdev != vdev->gdev)
			continue;
		if (!budget)
			budget = vdrm_moves_budget(&vdev->moves, vdev->gdev);
		if (moved >= budget)
			break;
		ret = gpu_bo_bring(bo, &want);
		if (ret)
			break;
		moved += bo->base.size;
	}
	vdrm_moves_spend(&vdev->moves, moved);
	/* Jobs reach them where they are. */
	return ret == -ENOMEM ? 0 : ret;
}
