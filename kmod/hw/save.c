// SPDX-License-Identifier: GPL-2.0-only
/*
 * When a queue's waves are written to its save area, and when they are read back.
 *
 * When user space takes a queue off the GPU, its waves are written to the save area. When it
 * puts the queue back, they are read from there, so that changes by a debugger take effect. The
 * waves of an evicted queue are saved only when somebody asks for them, and only then are they
 * read back when the queue is restored. Hardware saves them in any case, but nobody can know
 * where they are before asking, and an eviction must not wait for memory.
 *
 * If a queue only loses its slot to another one (sched.c), nothing is saved, because nobody can
 * look at its waves then.
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
		vq->saved = (struct hw_saved){ .late = vq->saved.late };
	return err;
}

/* An evicted queue's area may be gone, so it is not saved now, but when it is restored. */
void hw_waves_update(struct hw_compute *vq, bool was_on, bool on)
{
	bool late = !on && vq->hq.q->evicted && !vq->saved.valid;

	if (!on && was_on && !vq->hq.q->evicted)
		save_waves(vq);
	if (on || was_on)
		vq->saved.late = late;
}

/*
 * Waves that could not be read back in time continue as the engine has them. Those of a checkpoint
 * cannot: it has them as they were launched.
 */
void hw_waves_restore(struct hw_compute *vq)
{
	int err = READ_ONCE(vq->hq.state) == HW_QUEUE_EVICTED ? hw_waves_load(vq) : 0;

	if (err && vq->saved.only)
		hw_memory_failed(vq->hq.q, err, NULL);
	if (err)
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
	int err;

	memset(s, 0, sizeof(*s));
	if (!vq->saved.valid && q->evicted)
		save_waves(vq);
	if (!vq->saved.valid)
		return has_waves(vq) ? -EINVAL : 0;
	err = engine_saved(vq, xcc, s, stack);
	/* Those of a queue that was stopped since they were saved are gone. */
	return hw_queue_stopped(&vq->hq) ? 0 : err;
}

int hw_waves_keep(struct hw_compute *vq)
{
	if (!vq->saved.valid && has_waves(vq))
		save_waves(vq);
	if (vq->saved.valid || !has_waves(vq))
		return 0;
	return vq->hq.q->props.cwsr_va ? -ENOSPC : -EOPNOTSUPP;
}

void hw_waves_kept(struct hw_compute *vq)
{
	vq->saved.valid = has_waves(vq);
	vq->saved.only = vq->saved.valid;
}
