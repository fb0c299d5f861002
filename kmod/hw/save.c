// SPDX-License-Identifier: GPL-2.0-only
/*
 * When a queue's waves go to its save area, and when they are read back.
 *
 * When user space takes a queue off the GPU its waves are written there, and when it puts
 * it back they are read from there, so what a debugger changes takes effect. A queue that
 * is evicted has its waves saved when somebody asks for them, and only then read back when
 * it is restored: hardware saves them in any case, but nobody can tell where they stand
 * before he asks, and an eviction must not wait for memory.
 *
 * A queue that only lost its slot to another one (sched.c) is not saved: nobody can look
 * at it then.
 */
#include "engine.h"

static void save_waves(struct hw_compute *vq)
{
	vq->saved.valid = !engine_save(vq);
}

int hw_waves_load(struct hw_compute *vq)
{
	int err;

	if (!vq->saved.valid)
		return 0;
	err = engine_load(vq);
	if (!err)
		vq->saved.valid = false;
	return err;
}

/* What is evicted already is not saved once more; nobody may have its area. */
void hw_waves_update(struct hw_compute *vq, bool was_on, bool on)
{
	bool late = !on && vq->hq.q->evicted && !vq->saved.valid;

	if (!on && was_on && !vq->hq.q->evicted)
		save_waves(vq);
	if (on || was_on)
		vq->saved.late = late;
}

/* Waves that did not come back in time go on as the engine has them. */
void hw_waves_restore(struct hw_compute *vq)
{
	if (READ_ONCE(vq->hq.state) == HW_QUEUE_EVICTED && hw_waves_load(vq))
		vq->saved.valid = false;
	if (vq->saved.late)
		save_waves(vq);
	vq->saved.late = false;
}

static bool has_waves(struct hw_compute *vq)
{
	struct hw *vg = vq->vg;
	bool any = false;
	unsigned int i;

	spin_lock(&vg->lock);
	for (i = 0; i < HW_QUEUE_GRIDS; i++)
		any |= vq->grids[i].used && vq->grids[i].resident;
	spin_unlock(&vg->lock);
	return any;
}

int hw_waves_state(struct gpu_queue *q, u32 xcc, struct gpu_wave_state *s, u32 *stack)
{
	struct hw_compute *vq = q->priv;

	memset(s, 0, sizeof(*s));
	if (!vq->saved.valid && q->evicted)
		save_waves(vq);
	if (!vq->saved.valid)
		return has_waves(vq) ? -EINVAL : 0;
	return engine_saved(vq, xcc, s, stack);
}
