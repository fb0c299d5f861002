// SPDX-License-Identifier: GPL-2.0-only
/* The state of an SDMA queue as an image, and what an image has to be. See image.h. */
#include "image.h"
#include "sdma_int.h"

void cp_sdma_save(const struct cp_sdma *q, struct cp_sdma_image *im)
{
	memset(im, 0, sizeof(*im));
	im->ring_va = q->ring_va;
	im->ring_bytes = q->ring_bytes;
	im->doorbell = q->doorbell;
	im->wptr = q->wptr;
	im->rptr = q->rptr;
	im->told = q->told;
	im->reload = q->reload;
	im->late = q->late;
	im->skip = q->skip;
	im->ib_va = q->ib.va;
	im->ib_dwords = q->ib.dwords;
	im->ib_at = q->ib.at;
	im->clock_offset = q->clock_offset;
	im->hdp_done = q->hdp_done;
	im->packets = q->packets;
	im->bytes = q->bytes;
	im->busy = !!q->row;
	if (!q->row)
		return;
	memcpy(im->pkt, q->pkt, q->row->fixed * sizeof(im->pkt[0]));
	im->done = q->done;
	im->retries = q->retries;
}

static bool sdma_ok(const struct cp_sdma *q, const struct cp_sdma_image *im)
{
	if (im->ring_va != q->ring_va || im->ring_bytes != q->ring_bytes || im->busy > 1 ||
	    im->reload > 1 || im->late > 1)
		return false;
	if ((im->wptr | im->rptr) % 4 || im->wptr - im->rptr > im->ring_bytes)
		return false;
	return im->ib_dwords <= CP_IMAGE_IB_MAX && im->ib_at <= im->ib_dwords;
}

/* The packet is the one that was copied out of the ring; its length must fit what is left. */
static bool sdma_packet_load(struct cp_sdma *q, const struct cp_sdma_image *im)
{
	const struct sdma_row *row = sdma_row_find(im->pkt[0]);
	u32 dwords;

	if (!row || !row->exec)
		return false;
	dwords = row->length ? row->length(q, im->pkt) : row->fixed;
	if (dwords > sdma_left(q))
		return false;
	memcpy(q->pkt, im->pkt, sizeof(q->pkt));
	q->row = row;
	q->dwords = dwords;
	q->done = im->done;
	q->retries = im->retries;
	return true;
}

int cp_sdma_load(struct cp_sdma *q, const struct cp_sdma_image *im)
{
	struct cp_sdma old = *q;

	if (!sdma_ok(q, im))
		return -EINVAL;
	q->doorbell = im->doorbell;
	q->wptr = im->wptr;
	q->rptr = im->rptr;
	q->told = im->told;
	q->reload = im->reload;
	q->late = im->late;
	q->skip = im->skip;
	q->ib.va = im->ib_va;
	q->ib.dwords = im->ib_dwords;
	q->ib.at = im->ib_at;
	q->clock_offset = im->clock_offset;
	q->hdp_done = im->hdp_done;
	q->packets = im->packets;
	q->bytes = im->bytes;
	if (im->busy && !sdma_packet_load(q, im)) {
		*q = old;
		return -EINVAL;
	}
	return 0;
}
