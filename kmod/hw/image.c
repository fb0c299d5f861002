// SPDX-License-Identifier: GPL-2.0-only
/*
 * A queue as an image, for checkpoints: what the hardware would have in its MQD, and in the
 * control stack beside it. Registers and LDS of waves are in the save area, which is memory of
 * the process.
 *
 * A compute queue: struct image_head, struct cp_queue_image, image_head.ngrids times struct
 * grid_image, and what the engine has written. An SDMA queue: struct image_head and struct
 * cp_sdma_image. A queue that is stopped for good: struct image_head alone.
 *
 * Images come from files. Nothing of one is used before it was checked.
 */
#include <linux/bitmap.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../cp/image.h"
#include "../gpu/save_area.h"
#include "engine.h"
#include "sdma.h"

#define IMAGE_MAGIC	0x49514b56	/* "VKQI" */
#define IMAGE_VERSION	1

/*
 * struct image_head: of every image
 * @gfx,@ncus,@xccs: of the GPU; save areas of others look different
 * @dead: it is stopped for good, because of @error if that is not 0
 * @ngrids: dispatches in flight; @engine_bytes: of the engine's part
 * @doorbell: value of its doorbell; @tba,@tma: the process's trap handler on this GPU
 */
struct image_head {
	u32 magic, version;
	u32 gfx, ncus, xccs, type;
	u32 dead, error, ngrids, engine_bytes, cu_masked, trapped;
	u64 doorbell, tba, tma;
	u32 cu_mask[HW_MAX_CUS / 32];
};

/* @at: which of hw_compute.grids; @elapsed: time since its start, in ticks of the GPU's clock */
struct grid_image {
	u64 started, finished, elapsed;
	u32 at, unused;
	struct cp_dispatch_image d;
};

/* 0 if no thread is inside, and the process need not be told of anything first */
static int look_at_rest(struct hw_queue *hq)
{
	int ret = 0;

	spin_lock(hq->lock);
	if (hq->users)
		ret = -EAGAIN;
	else if (hq->state != HW_QUEUE_EVICTED && hq->state != HW_QUEUE_OFF_EVICTED &&
		 hq->state != HW_QUEUE_DEAD)
		ret = -EAGAIN;
	spin_unlock(hq->lock);
	return ret;
}

static void fill_head(const struct gpu_queue *q, const struct hw_queue *hq,
		      struct image_head *head)
{
	const struct hw *vg = to_hw(q->gdev);

	*head = (struct image_head){
		.magic = IMAGE_MAGIC,
		.version = IMAGE_VERSION,
		.gfx = vg->gdev->target->gfx_version,
		.ncus = vg->ncus,
		.xccs = gpu_target_shown_xccs(vg->gdev->target),
		.type = q->props.type,
		.dead = hw_queue_stopped(hq),
		.error = READ_ONCE(q->error),
		.doorbell = gpu_doorbell_read(q->pdd->doorbells, q->doorbell),
		.tba = READ_ONCE(q->pdd->tba),
		.tma = READ_ONCE(q->pdd->tma),
	};
}

/* -------------------------------------------------------------------- save */

static void save_grid(const struct hw_compute *vq, unsigned int i, struct grid_image *im)
{
	const struct hw_grid *grid = &vq->grids[i];

	memset(im, 0, sizeof(*im));
	im->at = i;
	im->started = grid->started;
	im->finished = grid->finished;
	im->elapsed = hw_clock() - grid->start_clock;
	cp_dispatch_save(&grid->d, &im->d);
}

static u32 save_grids(const struct hw_compute *vq, struct grid_image *im)
{
	unsigned int i;
	u32 n = 0;

	for (i = 0; i < HW_QUEUE_GRIDS; i++) {
		if (!vq->grids[i].used)
			continue;
		if (im)
			save_grid(vq, i, &im[n]);
		n++;
	}
	return n;
}

static int save_compute(struct hw_compute *vq, struct image_head *head, void *buf, u32 room,
			u32 *bytes)
{
	struct cp_queue_image *cp = buf + sizeof(*head);
	unsigned int i;
	u32 fixed;
	int err;

	/* What follows each of them is as aligned as they are. */
	BUILD_BUG_ON(sizeof(*head) % 8 || sizeof(*cp) % 8 || sizeof(struct grid_image) % 8 ||
		     sizeof(struct cp_sdma_image) % 8);
	err = hw_waves_keep(vq);
	if (err)
		return err;
	head->trapped = vq->trapped;
	head->cu_masked = vq->cu_masked;
	for_each_set_bit(i, vq->cu_mask, HW_MAX_CUS)
		head->cu_mask[i / 32] |= BIT(i % 32);
	head->ngrids = save_grids(vq, NULL);
	fixed = sizeof(*head) + sizeof(*cp) + head->ngrids * sizeof(struct grid_image);
	if (buf && room < fixed)
		return -ENOSPC;
	err = engine_image(vq, buf ? buf + fixed : NULL, buf ? room - fixed : 0,
			   &head->engine_bytes);
	*bytes = fixed + head->engine_bytes;
	if (err || !buf)
		return err;
	cp_queue_save(&vq->cp, hw_clock(), cp);
	save_grids(vq, (struct grid_image *)(cp + 1));
	return 0;
}

static int save_sdma(struct hw_sdma_queue *sq, void *buf, u32 room, u32 *bytes)
{
	*bytes = sizeof(struct image_head) + sizeof(struct cp_sdma_image);
	if (sq->s->vg->mover)
		return -EOPNOTSUPP;
	if (!buf)
		return 0;
	if (room < *bytes)
		return -ENOSPC;
	cp_sdma_save(&sq->cp, buf + sizeof(struct image_head));
	return 0;
}

int hw_queue_image(struct gpu_queue *q, void *buf, u32 room, u32 *bytes)
{
	bool sdma = q->props.type == GPU_QUEUE_SDMA;
	struct hw_sdma_queue *sq = sdma ? q->priv : NULL;
	struct hw_compute *vq = sdma ? NULL : q->priv;
	struct hw_queue *hq = sdma ? &sq->hq : &vq->hq;
	struct image_head head;
	int err;

	err = look_at_rest(hq);
	if (err)
		return err;
	fill_head(q, hq, &head);
	*bytes = sizeof(head);
	if (!head.dead)
		err = sdma ? save_sdma(sq, buf, room, bytes) :
			     save_compute(vq, &head, buf, room, bytes);
	/* The queue stops if its save area turns out not to be memory, or because others stop it. */
	if (head.dead != hw_queue_stopped(hq))
		err = -EAGAIN;
	if (err || !buf)
		return err;
	if (room < sizeof(head))
		return -ENOSPC;
	memcpy(buf, &head, sizeof(head));
	return 0;
}

/* -------------------------------------------------------------------- load */

static bool head_ok(const struct gpu_queue *q, const struct image_head *head, u32 bytes)
{
	const struct hw *vg = to_hw(q->gdev);
	const struct gpu_target *t = vg->gdev->target;
	u64 want = sizeof(*head);

	if (head->magic != IMAGE_MAGIC || head->version != IMAGE_VERSION ||
	    head->gfx != t->gfx_version || head->ncus != vg->ncus ||
	    head->xccs != gpu_target_shown_xccs(t) || head->type != q->props.type)
		return false;
	if (head->dead > 1 || head->error >= GPU_QUEUE_ERRORS || head->cu_masked > 1 ||
	    head->trapped > 1 || head->ngrids > HW_QUEUE_GRIDS)
		return false;
	if (head->cu_masked && !gpu_target_cu_mask_ok(t, head->cu_mask, HW_MAX_CUS / 32))
		return false;
	if (head->dead || head->type == GPU_QUEUE_SDMA) {
		if (head->ngrids || head->engine_bytes)
			return false;
		want += head->dead ? 0 : sizeof(struct cp_sdma_image);
	} else {
		want += sizeof(struct cp_queue_image) + head->engine_bytes +
			head->ngrids * (u64)sizeof(struct grid_image);
	}
	return want == bytes;
}

static void stop_for_good(struct gpu_queue *q, struct hw_queue *hq, u32 error)
{
	spin_lock(hq->lock);
	hw_queue_kill_locked(hq);
	spin_unlock(hq->lock);
	WRITE_ONCE(q->error, error);
}

/* Trap handlers show user space where a packet is, so the address must fit the index. */
static bool dispatch_ok(const struct hw_compute *vq, const struct cp_dispatch *d)
{
	const struct cp_queue *cp = &vq->cp;
	u64 at = d->index & (cp->ring_packets - 1);

	if (d->pm4)
		return !d->packet_va && !d->kernel_object && !d->signal;
	return d->packet_va == cp->ring_va + at * CP_PACKET_BYTES;
}

static int load_grid(struct hw_compute *vq, const struct grid_image *im,
		     struct cp_in_flight *flight)
{
	struct cp_dispatch d;

	if (im->at >= HW_QUEUE_GRIDS || cp_dispatch_load(vq->vg->gdev->target, &d, &im->d) ||
	    !dispatch_ok(vq, &d) || !cp_in_flight_take(flight, &d))
		return -EINVAL;
	if (im->started > d.total_groups || im->finished > im->started ||
	    im->finished == d.total_groups)
		return -EINVAL;
	return hw_grid_adopt(vq, im->at, &d, im->started, im->finished, im->elapsed);
}

static int load_grids(struct hw_compute *vq, const struct image_head *head,
		      const struct grid_image *im)
{
	struct cp_in_flight flight;
	int err = 0;
	u32 i;

	cp_queue_in_flight_set(&vq->cp, &flight);
	for (i = 0; i < head->ngrids && !err; i++)
		err = load_grid(vq, &im[i], &flight);
	/* A packet in flight whose grid the image lacks would never end. */
	return err ?: flight.aql || flight.pm4 ? -EINVAL : 0;
}

/* Each group that has started must either have ended or be resident. */
static bool groups_there(struct hw_compute *vq)
{
	const struct hw_grid *grid;
	bool ok = true;
	unsigned int i;

	spin_lock(&vq->vg->lock);
	for (i = 0; i < HW_QUEUE_GRIDS; i++) {
		grid = &vq->grids[i];
		if (grid->used && grid->resident != grid->started - grid->finished)
			ok = false;
	}
	spin_unlock(&vq->vg->lock);
	return ok;
}

static int load_compute(struct gpu_queue *q, const struct image_head *head, const void *buf)
{
	const struct cp_queue_image *cp = buf + sizeof(*head);
	const struct grid_image *grids = (const struct grid_image *)(cp + 1);
	struct hw_compute *vq = q->priv;
	int err;

	if (cp_queue_load(&vq->cp, hw_clock(), cp))
		return -EINVAL;
	if (head->cu_masked)
		hw_cu_mask(q, head->cu_mask, HW_MAX_CUS);
	vq->trapped = head->trapped;
	err = load_grids(vq, head, grids);
	if (!err)
		err = engine_adopt(vq, grids + head->ngrids, head->engine_bytes);
	if (!err && !groups_there(vq))
		err = -EINVAL;
	if (!err)
		hw_waves_kept(vq);
	return err;
}

int hw_queue_adopt(struct gpu_queue *q, const void *buf, u32 bytes)
{
	bool sdma = q->props.type == GPU_QUEUE_SDMA;
	const struct image_head *head = buf;
	struct hw_sdma_queue *sq = sdma ? q->priv : NULL;
	struct hw_compute *vq = sdma ? NULL : q->priv;
	int err = 0;

	if (bytes < sizeof(*head) || !head_ok(q, head, bytes))
		return -EINVAL;
	if (!q->evicted)
		return -EBUSY;
	if (head->dead)
		stop_for_good(q, sdma ? &sq->hq : &vq->hq, head->error);
	else
		err = sdma ? cp_sdma_load(&sq->cp, buf + sizeof(*head)) :
			     load_compute(q, head, buf);
	if (err)
		return err;
	WRITE_ONCE(q->pdd->doorbells->val[q->doorbell], head->doorbell);
	if (head->tba || head->tma) {
		WRITE_ONCE(q->pdd->tba, head->tba);
		WRITE_ONCE(q->pdd->tma, head->tma);
	}
	return 0;
}
