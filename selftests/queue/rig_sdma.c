// SPDX-License-Identifier: MIT
/* See rig_sdma.h. */
#include <string.h>
#include <unistd.h>

#include "rig_sdma.h"

int rig_sdma_create(struct rig *r, u32 type, u32 engine, struct rig_sdma *q)
{
	struct kfd_ioctl_create_queue_args a = {
		.gpu_id = r->gpu_id, .queue_type = type, .queue_percentage = 100,
		.queue_priority = 15, .sdma_engine_id = engine, .ring_size = SDMA_RING,
	};
	int ret = 0;

	if (!q->ring) {
		ret = rig_anon(r, SDMA_RING, &q->ring_mem);
		if (!ret)
			ret = rig_anon(r, RIG_PAGE, &q->index_mem);
	}
	if (ret)
		return ret;
	q->ring = q->ring_mem.p;
	q->bytes = SDMA_RING;
	q->wptr = (u64 *)q->index_mem.p + 1;
	q->rptr = (u64 *)q->index_mem.p + 2;
	q->fences = (u32 *)q->index_mem.p + 64;
	a.ring_base_address = (uintptr_t)q->ring;
	a.write_pointer_address = (uintptr_t)q->wptr;
	a.read_pointer_address = (uintptr_t)q->rptr;
	ret = rig_ioctl(r, AMDKFD_IOC_CREATE_QUEUE, &a);
	if (ret)
		return ret;
	q->id = a.queue_id;
	q->doorbell_index = (a.doorbell_offset & 8191) / 8;
	q->doorbell = rig_doorbell(r, a.doorbell_offset);
	return q->doorbell ? 0 : -1;
}

int rig_sdma_update(struct rig *r, struct rig_sdma *q, bool ring)
{
	struct kfd_ioctl_update_queue_args a = {
		.ring_base_address = ring ? (uintptr_t)q->ring : 0, .queue_id = q->id,
		.ring_size = q->bytes, .queue_percentage = 100, .queue_priority = 15,
	};

	return rig_ioctl(r, AMDKFD_IOC_UPDATE_QUEUE, &a);
}

int rig_sdma_destroy(struct rig *r, struct rig_sdma *q)
{
	struct kfd_ioctl_destroy_queue_args a = { .queue_id = q->id };

	return rig_ioctl(r, AMDKFD_IOC_DESTROY_QUEUE, &a);
}

void rig_sdma_put(struct rig_sdma *q, const u32 *dw, u32 n)
{
	u64 end = rig_ms() + RIG_LONG;

	/* Who waits for space must have rung for what is there. */
	while (q->written + 4 * n - *q->rptr > q->bytes && rig_ms() < end) {
		rig_sdma_ring(q);
		usleep(100);
	}
	for (; n; n--, q->written += 4)
		q->ring[(q->written & (q->bytes - 1)) / 4] = *dw++;
}

void rig_sdma_ring(struct rig_sdma *q)
{
	__atomic_store_n(q->wptr, q->written, __ATOMIC_RELEASE);
	__atomic_store_n(q->doorbell, q->written, __ATOMIC_RELEASE);
}

void rig_sdma_copy(struct rig_sdma *q, void *dst, const void *src, u32 bytes)
{
	const u32 most = 0x3fffe0;	/* ROCr's, right for every model */
	u32 n;

	for (; bytes; bytes -= n, dst += n, src += n) {
		n = bytes < most ? bytes : most;
		SDMA_PUT(q, SDMA_COPY, n - 1, 0, VA(src), VA(dst));
	}
}

u32 rig_sdma_submit(struct rig_sdma *q)
{
	SDMA_PUT(q, SDMA_FENCE, VA(q->fences), ++q->fence);
	rig_sdma_ring(q);
	return q->fence;
}

bool rig_sdma_wait(const struct rig_sdma *q, u32 fence, unsigned int ms)
{
	return rig_wait32(q->fences, fence, ms);
}

bool rig_sdma_run(struct rig_sdma *q)
{
	return rig_sdma_wait(q, rig_sdma_submit(q), RIG_LONG);
}
