// SPDX-License-Identifier: GPL-2.0-only
/* The state of a queue, for debugfs and other observers. */
#include "sdma.h"
#include "../gpu/mqd.h"

static void common_state_locked(const struct hw_queue *hq, struct gpu_queue_state *s)
{
	s->mapped = hq->state == HW_QUEUE_RUNNING;
	s->active = s->mapped || hq->state == HW_QUEUE_WAITING || hq->state == HW_QUEUE_PAUSED;
}

static void sdma_state_locked(const struct hw_sdma_queue *sq, struct gpu_queue_state *s)
{
	common_state_locked(&sq->hq, s);
	s->rptr = READ_ONCE(sq->cp.rptr);
	s->wptr = READ_ONCE(sq->cp.wptr);
	s->idle = s->rptr == s->wptr && !sq->hq.users;
	s->error = READ_ONCE(sq->cp.error);
}

static void compute_state_locked(const struct hw_compute *vq, struct gpu_queue_state *s)
{
	common_state_locked(&vq->hq, s);
	if (s->mapped)
		s->hqd = vq->hq.hqd;
	s->rptr = vq->hq.q->props.type == GPU_QUEUE_AQL ? READ_ONCE(vq->cp.release) :
							  READ_ONCE(vq->cp.next);
	s->wptr = READ_ONCE(vq->cp.limit);
	s->idle = !cp_queue_busy(&vq->cp) && !vq->hq.users;
	s->error = READ_ONCE(vq->cp.error);
}

void hw_compute_state(const struct gpu_queue *q, struct gpu_queue_state *s)
{
	struct hw *vg = to_hw(q->gdev);

	spin_lock(&vg->lock);
	if (q->props.type == GPU_QUEUE_SDMA)
		sdma_state_locked(q->priv, s);
	else
		compute_state_locked(q->priv, s);
	spin_unlock(&vg->lock);
}
