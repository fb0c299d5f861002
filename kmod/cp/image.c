// SPDX-License-Identifier: GPL-2.0-only
/* States of queues of AQL and PM4 packets as images, and what an image has to be. See image.h. */
#include "image.h"
#include "cp_int.h"

/* ----------------------------------------------------------------- PM4 */

static void pm4_save(const struct cp_pm4 *p, struct cp_pm4_image *im)
{
	unsigned int i;

	memcpy(im->sh, p->sh, sizeof(im->sh));
	memcpy(im->kept, p->kept, sizeof(im->kept));
	im->hdp_done = p->hdp_done;
	im->depth = p->depth;
	im->skip = p->skip;
	im->moved = p->moved;
	im->chains = p->chains;
	im->rptr_late = p->rptr_late;
	im->clock = p->clock;
	im->atomic_return = p->atomic_return;
	im->packets = p->packets;
	im->issued = p->issued;
	im->released = p->released;
	im->done = p->done;
	im->finished = p->finished;
	for (i = 0; i < CP_PM4_IBS; i++) {
		im->ib[i].va = p->ib[i].va;
		im->ib[i].dwords = p->ib[i].dwords;
		im->ib[i].pos = p->ib[i].pos;
	}
	for (i = 0; i < CP_PM4_FENCES; i++) {
		im->fence[i].after = p->fence[i].after;
		memcpy(im->fence[i].body, p->fence[i].body, sizeof(im->fence[i].body));
	}
	im->first_fence = p->first_fence;
	im->fences = p->fences;
}

static u32 ones(u64 v)
{
	u32 n = 0;

	for (; v; v &= v - 1)
		n++;
	return n;
}

/*
 * @finished of @next are through, all before @release and those in @done. What is at @release
 * is not.
 */
static bool window_ok(u64 release, u64 done, u64 finished, u64 next)
{
	u64 held = next - release;

	if (held > CP_WINDOW || done & 1)
		return false;
	if (held < CP_WINDOW && done >> held)
		return false;
	return finished == release + ones(done);
}

static bool pm4_ok(const struct cp_pm4_image *im)
{
	unsigned int i;

	if (im->depth > CP_PM4_IBS || im->rptr_late > 1 || im->first_fence >= CP_PM4_FENCES ||
	    im->fences > CP_PM4_FENCES)
		return false;
	for (i = 0; i < CP_PM4_IBS; i++)
		if (im->ib[i].dwords > CP_IMAGE_IB_MAX || im->ib[i].pos > im->ib[i].dwords)
			return false;
	/* Not after a dispatch that was never started, or it would wait for ever. */
	for (i = 0; i < im->fences; i++)
		if (im->fence[(im->first_fence + i) % CP_PM4_FENCES].after > im->issued)
			return false;
	return window_ok(im->released, im->done, im->finished, im->issued);
}

static void pm4_load(struct cp_pm4 *p, const struct cp_pm4_image *im)
{
	unsigned int i;

	memcpy(p->sh, im->sh, sizeof(p->sh));
	memcpy(p->kept, im->kept, sizeof(p->kept));
	p->hdp_done = im->hdp_done;
	p->depth = im->depth;
	p->skip = im->skip;
	p->moved = im->moved;
	p->chains = im->chains;
	p->rptr_late = im->rptr_late;
	p->clock = im->clock;
	p->atomic_return = im->atomic_return;
	p->packets = im->packets;
	p->issued = im->issued;
	p->released = im->released;
	p->done = im->done;
	p->finished = im->finished;
	for (i = 0; i < CP_PM4_IBS; i++) {
		p->ib[i].va = im->ib[i].va;
		p->ib[i].dwords = im->ib[i].dwords;
		p->ib[i].pos = im->ib[i].pos;
	}
	for (i = 0; i < CP_PM4_FENCES; i++) {
		p->fence[i].after = im->fence[i].after;
		memcpy(p->fence[i].body, im->fence[i].body, sizeof(p->fence[i].body));
	}
	p->first_fence = im->first_fence;
	p->fences = im->fences;
}

/* --------------------------------------------------------------- queue */

void cp_queue_save(const struct cp_queue *q, u64 now, struct cp_queue_image *im)
{
	memset(im, 0, sizeof(*im));
	im->ring_va = q->ring_va;
	im->ring_packets = q->ring_packets;
	im->doorbell = q->doorbell;
	im->limit = q->limit;
	im->next = q->next;
	im->header = q->header;
	im->waited = q->packet_start ? now - q->packet_start + 1 : 0;
	im->seen = q->seen;
	im->state = q->state;
	im->error = q->error;
	im->error_word = q->error_word;
	im->inactive_signal = q->inactive_signal;
	im->release = q->release;
	im->told = q->told;
	im->done = q->done;
	im->finished = q->finished;
	pm4_save(&q->pm4, &im->pm4);
}

static bool queue_ok(const struct cp_queue *q, const struct cp_queue_image *im)
{
	if (im->ring_va != q->ring_va || im->ring_packets != q->ring_packets)
		return false;
	if (im->state != CP_STATE_RUN && im->state != CP_STATE_SCRATCH)
		return false;
	if (im->inactive_signal % 8)
		return false;
	/* A PM4 queue's packets are not counted; its write index is at most a ring ahead. */
	if (q->ops == &cp_pm4_queue_ops) {
		if (im->limit - im->next > im->ring_packets || im->state != CP_STATE_RUN ||
		    im->release || im->done || im->finished)
			return false;
	} else if (im->next - im->release > im->ring_packets ||
		   !window_ok(im->release, im->done, im->finished, im->next)) {
		return false;
	}
	return pm4_ok(&im->pm4);
}

int cp_queue_load(struct cp_queue *q, u64 now, const struct cp_queue_image *im)
{
	if (!queue_ok(q, im))
		return -EINVAL;
	q->doorbell = im->doorbell;
	q->limit = im->limit;
	q->next = im->next;
	q->header = im->header;
	q->packet_start = im->waited ? now - im->waited + 1 : 0;
	q->seen = im->seen;
	q->state = im->state;
	q->error = im->error;
	q->error_word = im->error_word;
	q->inactive_signal = im->inactive_signal;
	q->release = im->release;
	q->told = im->told;
	q->done = im->done;
	q->finished = im->finished;
	pm4_load(&q->pm4, &im->pm4);
	return 0;
}

/* ---------------------------------------------------------- dispatches */

void cp_dispatch_save(const struct cp_dispatch *d, struct cp_dispatch_image *im)
{
	unsigned int i;

	memset(im, 0, sizeof(*im));
	im->index = d->index;
	im->packet_va = d->packet_va;
	im->kernel_object = d->kernel_object;
	im->signal = d->signal;
	im->pc = d->pc;
	im->scratch_base = d->scratch_base;
	for (i = 0; i < 3; i++) {
		im->grid[i] = d->grid[i];
		im->groups[i] = d->groups[i];
		im->first[i] = d->first[i];
		im->group[i] = d->group[i];
		im->rsrc[i] = d->rsrc[i];
	}
	memcpy(im->user, d->user, sizeof(im->user));
	im->tmpring = d->tmpring;
	im->lds_bytes = d->lds_bytes;
	im->scratch_lane_bytes = d->scratch_lane_bytes;
	im->lanes = d->lanes;
	im->pm4 = d->pm4;
}

/* The last group of a dimension may be smaller, but there is one. */
static bool shape_load(struct cp_dispatch *d, const struct cp_dispatch_image *im)
{
	u64 total = 1, items = 1;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		if (!im->group[i] || im->group[i] > CP_MAX_GROUP_ITEMS || !im->groups[i] ||
		    !im->grid[i] || (im->grid[i] - 1) / im->group[i] + 1 != im->groups[i])
			return false;
		items *= im->group[i];
		if (items > CP_MAX_GROUP_ITEMS || total > (1ull << 62) / im->groups[i])
			return false;
		total *= im->groups[i];
		d->grid[i] = im->grid[i];
		d->group[i] = im->group[i];
		d->groups[i] = im->groups[i];
		d->first[i] = im->first[i];
	}
	d->total_groups = total;
	return true;
}

/* As kd.c and pm4_compute.c have it: of PM4, scratch only where RSRC2 says so. */
static bool scratch_load(const struct gpu_target *t, struct cp_dispatch *d,
			 const struct cp_dispatch_image *im)
{
	d->tmpring = im->tmpring;
	d->scratch_base = im->scratch_base;
	d->scratch_lane_bytes = im->scratch_lane_bytes;
	if (im->pm4 && !(im->rsrc[1] & 1))
		return !im->scratch_lane_bytes && !im->scratch_base;
	cp_tmpring_parse(t->arch, im->tmpring, d);
	if (im->pm4 && im->scratch_lane_bytes != d->scratch_wave_bytes / d->lanes)
		return false;
	if (!im->scratch_lane_bytes)
		return true;
	return (u64)im->scratch_lane_bytes * d->lanes <= d->scratch_wave_bytes &&
	       d->waves <= d->scratch_waves;
}

int cp_dispatch_load(const struct gpu_target *t, struct cp_dispatch *d,
		     const struct cp_dispatch_image *im)
{
	struct cp_rsrc rsrc = { im->rsrc[0], im->rsrc[1], im->rsrc[2] };

	memset(d, 0, sizeof(*d));
	if (im->pm4 > 1 || (im->lanes != 32 && im->lanes != 64) || im->signal % 8)
		return -EINVAL;
	d->index = im->index;
	d->packet_va = im->packet_va;
	d->kernel_object = im->kernel_object;
	d->signal = im->signal;
	d->pm4 = im->pm4;
	d->pc = im->pc;
	if (im->pc % 256 || im->pc >= CP_VA_END || !shape_load(d, im) ||
	    cp_waves_parse(t, im->lanes == 32, d) || cp_registers_parse(t, &rsrc, d))
		return -EINVAL;
	memcpy(d->rsrc, im->rsrc, sizeof(d->rsrc));
	memcpy(d->user, im->user, sizeof(d->user));
	d->lds_bytes = im->lds_bytes;
	if (im->lds_bytes % t->arch->lds_granule || im->lds_bytes > t->lds_kbytes * 1024)
		return -EINVAL;
	return scratch_load(t, d, im) ? 0 : -EINVAL;
}

static u64 low_bits(u64 n)
{
	return n >= 64 ? ~0ull : (1ull << n) - 1;
}

void cp_queue_in_flight_set(const struct cp_queue *q, struct cp_in_flight *set)
{
	set->aql_first = q->release;
	set->aql = 0;
	if (q->ops != &cp_pm4_queue_ops)
		set->aql = low_bits(q->next - q->release) & ~q->done;
	set->pm4_first = q->pm4.released;
	set->pm4 = low_bits(q->pm4.issued - q->pm4.released) & ~q->pm4.done;
}

bool cp_in_flight_take(struct cp_in_flight *set, const struct cp_dispatch *d)
{
	u64 at = d->index - (d->pm4 ? set->pm4_first : set->aql_first);
	u64 *bits = d->pm4 ? &set->pm4 : &set->aql;

	if (at >= CP_WINDOW || !(*bits & (1ull << at)))
		return false;
	*bits &= ~(1ull << at);
	return true;
}
