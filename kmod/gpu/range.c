// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much of a card's memory a GPU may have. A partition has its share of the range of memory that
 * it is in, or, if the card's compute_partition_mem_alloc_mode says so, as much of the range as
 * there is; the others in the range then find less, and may have to leave (vram.c).
 *
 * What is charged to a partition is charged to its range, too. As long as everybody keeps to his
 * share, the range is never full.
 */
#include <linux/err.h>
#include <linux/slab.h>

#include "device.h"
#include "gpu_int.h"
#include "part.h"
#include "range.h"
#include "vram.h"

/**
 * struct gpu_range - a range of a card's memory, and partitions that have it
 * @ref: theirs, and their maker's
 * @bytes: its size
 * @used: by all of them
 * @limited: what KFD has allocated of it, wherever that is now
 * @lock: spinlock, a leaf: @members
 * @members: who they are, from first to last
 */
struct gpu_range {
	struct kref ref;
	u64 bytes;
	atomic64_t used, limited;
	spinlock_t lock;
	struct gpu_device *members[GPU_MAX_XCCS];
};

struct gpu_range *gpu_range_create(u64 bytes)
{
	struct gpu_range *r = kzalloc(sizeof(*r), GFP_KERNEL);

	if (!r)
		return ERR_PTR(-ENOMEM);
	kref_init(&r->ref);
	spin_lock_init(&r->lock);
	r->bytes = bytes;
	return r;
}

static void range_free(struct kref *ref)
{
	kfree(container_of(ref, struct gpu_range, ref));
}

void gpu_range_put(struct gpu_range *r)
{
	kref_put(&r->ref, range_free);
}

void gpu_range_join(struct gpu_range *r, struct gpu_device *gdev)
{
	kref_get(&r->ref);
	gdev->range = r;
	spin_lock(&r->lock);
	r->members[gdev->part] = gdev;
	spin_unlock(&r->lock);
}

void gpu_range_part(struct gpu_device *gdev)
{
	struct gpu_range *r = gdev->range;

	if (!r)
		return;
	spin_lock(&r->lock);
	r->members[gdev->part] = NULL;
	spin_unlock(&r->lock);
	gpu_range_put(r);
}

struct gpu_device *gpu_range_other(struct gpu_device *gdev, unsigned int i)
{
	struct gpu_range *r = gdev->range;
	struct gpu_device *other;

	if (!r || i == gdev->part)
		return NULL;
	spin_lock(&r->lock);
	other = r->members[i];
	if (other && !kref_get_unless_zero(&other->ref))
		other = NULL;
	spin_unlock(&r->lock);
	return other;
}

/* ------------------------------------------------------------------ quotas */

u64 gpu_vram_limit(const struct gpu_device *gdev)
{
	return gdev->range && READ_ONCE(gdev->whole->share_all) ? gdev->range->bytes :
								  gdev->vram_bytes;
}

static u64 left_of(u64 limit, const atomic64_t *used)
{
	u64 have = atomic64_read(used);

	return have < limit ? limit - have : 0;
}

u64 gpu_vram_own_free(const struct gpu_device *gdev)
{
	return left_of(gpu_vram_limit(gdev), &gdev->vram_used);
}

u64 gpu_vram_free(const struct gpu_device *gdev)
{
	u64 own = gpu_vram_own_free(gdev);

	return gdev->range ? min(own, left_of(gdev->range->bytes, &gdev->range->used)) : own;
}

u64 gpu_vram_for_kfd(const struct gpu_device *gdev)
{
	u64 own = left_of(gpu_vram_limit(gdev), &gdev->vram_limited);

	return gdev->range ? min(own, left_of(gdev->range->bytes, &gdev->range->limited)) : own;
}

static int charge(struct gpu_device *gdev, atomic64_t *own, atomic64_t *common, u64 bytes)
{
	int ret = gpu_quota_charge(own, gpu_vram_limit(gdev), bytes);

	if (ret || !common)
		return ret;
	ret = gpu_quota_charge(common, gdev->range->bytes, bytes);
	if (ret)
		atomic64_sub(bytes, own);
	return ret;
}

int gpu_vram_charge(struct gpu_device *gdev, u64 bytes)
{
	return charge(gdev, &gdev->vram_used, gdev->range ? &gdev->range->used : NULL, bytes);
}

void gpu_vram_give(struct gpu_device *gdev, u64 bytes)
{
	if (gdev->range)
		atomic64_sub(bytes, &gdev->range->used);
	atomic64_sub(bytes, &gdev->vram_used);
}

int gpu_vram_kfd_charge(struct gpu_device *gdev, u64 bytes)
{
	return charge(gdev, &gdev->vram_limited, gdev->range ? &gdev->range->limited : NULL, bytes);
}

void gpu_vram_kfd_give(struct gpu_device *gdev, u64 bytes)
{
	if (gdev->range)
		atomic64_sub(bytes, &gdev->range->limited);
	atomic64_sub(bytes, &gdev->vram_limited);
}
