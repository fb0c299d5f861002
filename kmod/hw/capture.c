// SPDX-License-Identifier: GPL-2.0-only
/*
 * Capturing dispatches: what gpu/capture.c needs to know of them, and when. On the CP thread
 * until the grid starts, then on the thread that retires or drops it.
 */
#include <linux/string.h>

#include "capture.h"
#include "../gpu/capture.h"
#include "../gpu/save_area.h"
#include "../../uapi/linux/vkfd_capture.h"

/* The kernel descriptor: no wave reads it, but a replay needs it to dispatch */
#define DESCRIPTOR_BYTES	64

static void describe(const struct hw_compute *vq, const struct cp_dispatch *d,
		     struct vkfd_capture_dispatch *c)
{
	const struct gpu_queue *q = vq->hq.q;
	unsigned int i;

	c->index = d->index;
	c->waves = d->total_groups * d->waves;
	c->kernel_object = d->pm4 ? 0 : d->kernel_object;
	c->pc = d->pc;
	c->gpu_id = q->gdev->gpu_id;
	c->gfx = q->gdev->target->gfx_version;
	c->pid = q->process->pid;
	c->queue = q->id;
	c->flags |= d->pm4 ? VKFD_CAPTURE_PM4 : 0;
	for (i = 0; i < 3; i++) {
		c->grid[i] = d->grid[i];
		c->group[i] = d->group[i];
	}
	memcpy(c->comm, q->process->comm, sizeof(c->comm));
}

/* The size is that of all XCCs. Contents need no capture: a wave starts without any. */
static u64 scratch_bytes(const struct hw_compute *vq, const struct cp_dispatch *d)
{
	if (!d->scratch_lane_bytes && !d->scratch_offset)
		return 0;
	return (u64)d->scratch_wave_bytes * d->scratch_waves *
	       gpu_target_shown_xccs(vq->vg->gdev->target);
}

/* What a replay needs to dispatch it again. Runs on the thread that reads the packets. */
static void describe_pm4(const struct hw_compute *vq, const struct cp_dispatch *d,
			 struct vkfd_capture_pm4 *c)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		c->start[i] = d->first[i];
	c->lanes = d->lanes;
	cp_pm4_resources(&vq->cp, c->rsrc, &c->tmpring);
	c->scratch_bytes = scratch_bytes(vq, d);
	c->scratch = c->scratch_bytes ? d->scratch_base : 0;
	static_assert(sizeof(c->user) == sizeof(d->user));
	memcpy(c->user, d->user, sizeof(c->user));
}

int hw_capture_begin(struct hw_env *e, const struct cp_dispatch *d, u64 *ticket)
{
	struct hw_compute *vq = e->vq;
	struct gpu_device *gdev = vq->vg->gdev;
	struct vkfd_capture_dispatch c = {};
	struct vkfd_capture_pm4 pm4 = {};
	u8 descriptor[DESCRIPTOR_BYTES];
	int err;

	err = gpu_capture_claim(gdev, vq->hq.q->process, ticket);
	if (err || *ticket == GPU_CAPTURE_NONE)
		return err;
	spin_lock(&vq->vg->lock);
	if (vq->vg->busy.n)
		c.flags |= VKFD_CAPTURE_BESIDE;
	spin_unlock(&vq->vg->lock);
	describe(vq, d, &c);
	gpu_capture_arm(gdev, *ticket, vq->hq.q, d->scratch_base,
			d->scratch_base + scratch_bytes(vq, d));
	if (d->pm4) {
		describe_pm4(vq, d, &pm4);
		gpu_capture_start(gdev, *ticket, &c, &pm4);
		return 0;
	}
	err = e->env.ops->read(&e->env, d->packet_va, c.packet, sizeof(c.packet));
	if (!err)
		err = e->env.ops->read(&e->env, d->kernel_object, descriptor, sizeof(descriptor));
	if (err)
		gpu_capture_drop(gdev, *ticket);
	else
		gpu_capture_start(gdev, *ticket, &c, NULL);
	return err;
}

void hw_capture_insns(struct hw_compute *vq, u64 insns)
{
	u64 ticket = READ_ONCE(vq->capture);

	if (ticket != GPU_CAPTURE_NONE)
		gpu_capture_insns(vq->vg->gdev, ticket, insns);
}

void hw_capture_started_locked(struct hw_grid *grid, u64 ticket)
{
	grid->capture = ticket;
	WRITE_ONCE(grid->vq->capture, ticket);
}

void hw_capture_end(struct hw_grid *grid, struct gpu_vm_worker *w)
{
	struct gpu_device *gdev = grid->vq->vg->gdev;

	WRITE_ONCE(grid->vq->capture, GPU_CAPTURE_NONE);
	gpu_capture_end(gdev, grid->capture, w);
	grid->capture = GPU_CAPTURE_NONE;
}

void hw_capture_drop_locked(struct hw_grid *grid)
{
	struct gpu_device *gdev = grid->vq->vg->gdev;

	lockdep_assert_held(&grid->vq->vg->lock);
	WRITE_ONCE(grid->vq->capture, GPU_CAPTURE_NONE);
	gpu_capture_drop(gdev, grid->capture);
	grid->capture = GPU_CAPTURE_NONE;
}
