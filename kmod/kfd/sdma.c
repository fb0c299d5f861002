// SPDX-License-Identifier: GPL-2.0-only
/*
 * Assigns SDMA user queues to the queues of the SDMA engines.
 *
 * A scheduler multiplexes compute queues, but not these: each engine has
 * num_sdma_queues_per_engine of them, first come, first served. Numbers are counted
 * across the engines first, so that the first user queues get different engines.
 */
#include <linux/bitmap.h>
#include <linux/minmax.h>
#include <linux/nospec.h>

#include "model/target.h"
#include "kfd.h"

/* Doorbell layout of the real driver on SOC15: Vega20 and later. */
#define DOORBELL_ENGINE_STRIDE	10
#define DOORBELL_MIRROR		512	/* offset of an engine's odd queues */

unsigned int vkfd_sdma_engines(const struct gpu_device *gdev)
{
	return gdev->target->sdma_engines + gdev->target->sdma_xgmi_engines;
}

/* Finds a free queue of engine @first, or of any of the @n engines if @first >= @n. */
static int vkfd_sdma_find(const unsigned long *used, unsigned int n, unsigned int queues,
			  unsigned int first)
{
	unsigned int i, step = first < n ? n : 1;

	for (i = first < n ? first : 0; i < n * queues && i < GPU_MAX_SDMA_QUEUES; i += step)
		if (!test_bit(i, used))
			return i;
	return -ENOMEM;
}

int vkfd_sdma_get(struct gpu_device *gdev, struct vkfd_queue *q)
{
	const struct gpu_target *t = gdev->target;
	unsigned int base = 0, n = t->sdma_engines, want = VKFD_SDMA_ANY_ENGINE;
	unsigned long *used = gdev->sdma_used;
	int id;

	if (q->base.props.type != GPU_QUEUE_SDMA)
		return 0;
	if (q->sdma.engine != VKFD_SDMA_ANY_ENGINE)
		q->sdma.xgmi = q->sdma.engine >= t->sdma_engines;
	if (q->sdma.xgmi) {
		base = t->sdma_engines;
		n = t->sdma_xgmi_engines;
		used = gdev->sdma_xgmi_used;
	}
	if (q->sdma.engine != VKFD_SDMA_ANY_ENGINE)
		want = q->sdma.engine - base;

	spin_lock(&gdev->sdma_lock);
	id = vkfd_sdma_find(used, n, t->sdma_queues, want);
	if (id >= 0)
		__set_bit(id, used);
	spin_unlock(&gdev->sdma_lock);
	if (id < 0)
		return id;
	q->sdma.id = id;
	q->sdma.engine = base + id % n;
	q->sdma.slot = id / n;
	q->base.props.sdma_engine = q->sdma.engine;
	return 0;
}

int vkfd_sdma_get_id(struct gpu_device *gdev, struct vkfd_queue *q, u32 id)
{
	const struct gpu_target *t = gdev->target;
	u32 base = q->sdma.xgmi ? t->sdma_engines : 0;
	u32 n = q->sdma.xgmi ? t->sdma_xgmi_engines : t->sdma_engines;
	unsigned long *used = q->sdma.xgmi ? gdev->sdma_xgmi_used : gdev->sdma_used;
	bool busy;

	if (q->base.props.type != GPU_QUEUE_SDMA)
		return 0;
	if (!n || id >= min_t(u32, n * t->sdma_queues, GPU_MAX_SDMA_QUEUES))
		return -EINVAL;
	id = array_index_nospec(id, GPU_MAX_SDMA_QUEUES);
	spin_lock(&gdev->sdma_lock);
	busy = __test_and_set_bit(id, used);
	spin_unlock(&gdev->sdma_lock);
	if (busy)
		return -EBUSY;
	q->sdma.id = id;
	q->sdma.engine = base + id % n;
	q->sdma.slot = id / n;
	q->base.props.sdma_engine = q->sdma.engine;
	return 0;
}

void vkfd_sdma_put(struct gpu_device *gdev, struct vkfd_queue *q)
{
	if (q->base.props.type != GPU_QUEUE_SDMA)
		return;
	spin_lock(&gdev->sdma_lock);
	__clear_bit(q->sdma.id, q->sdma.xgmi ? gdev->sdma_xgmi_used : gdev->sdma_used);
	spin_unlock(&gdev->sdma_lock);
}

unsigned int vkfd_sdma_doorbell(const struct vkfd_queue *q)
{
	return VKFD_SDMA_DOORBELL_FIRST + q->sdma.engine * DOORBELL_ENGINE_STRIDE +
	       (q->sdma.slot & 1) * DOORBELL_MIRROR + (q->sdma.slot >> 1);
}
