// SPDX-License-Identifier: GPL-2.0-only
/* Where a queue is, for those who look at it from outside. */
#include "sdma.h"
#include "../../gpu/mqd.h"

static void sdma_state_locked(const struct vgpu_sdma_queue *sq, struct gpu_queue_state *s)
{
	s->active = sq->active && !sq->evicted && !sq->dead;
	s->mapped = s->active;
	s->rptr = READ_ONCE(sq->cp.rptr);
	s->wptr = READ_ONCE(sq->cp.wptr);
	s->error = READ_ONCE(sq->cp.error);
}

static void compute_state_locked(const struct vgpu_queue *vq, struct gpu_queue_state *s)
{
	s->active = vq->active && !vq->evicted && !vq->dead;
	s->mapped = vq->mapped;
	s->hqd = vq->hqd;
	s->rptr = vq->q->props.type == GPU_QUEUE_AQL ? READ_ONCE(vq->cp.release) :
						       READ_ONCE(vq->cp.next);
	s->wptr = READ_ONCE(vq->cp.limit);
	s->error = READ_ONCE(vq->cp.error);
}

void vgpu_queue_state(const struct gpu_queue *q, struct gpu_queue_state *s)
{
	struct vgpu *vg = to_vgpu(q->gdev);

	spin_lock(&vg->lock);
	if (q->props.type == GPU_QUEUE_SDMA)
		sdma_state_locked(q->priv, s);
	else
		compute_state_locked(q->priv, s);
	spin_unlock(&vg->lock);
}
