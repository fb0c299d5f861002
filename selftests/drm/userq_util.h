/* SPDX-License-Identifier: MIT */
/* User queues of the render node (USERQ), as their tests make and feed them. */
#ifndef USERQ_UTIL_H
#define USERQ_UTIL_H

#include "cs_util.h"

#define USER_QUEUE	"/sys/module/vkfd/parameters/user_queue"
#define RING_DWORDS	1024u
#define SIGNAL	PM4_HDR(0xd0, 2), 0u	/* PROTECTED_FENCE_SIGNAL */

/* Any file may have several of these. */
struct userq {
	int fd;
	uint32_t id;
	uint32_t ring_h, index_h, doorbell_h;
	volatile uint32_t *ring;
	volatile uint64_t *index;	/* write, read; the next page is the EOP's */
	volatile uint64_t *doorbell;
	uint64_t wptr;
	struct drm_amdgpu_userq_mqd_compute_gfx11 mqd;
	union drm_amdgpu_userq args;
};

/* The parameter; returns what it was. */
static inline int use_user_queues(int value)
{
	FILE *f = fopen(USER_QUEUE, "r+");
	int was = 0;

	ASSERT_NE(NULL, (void *)f);
	ASSERT_EQ(1, fscanf(f, "%d", &was));
	rewind(f);
	fprintf(f, "%d\n", value);
	ASSERT_EQ(0, fclose(f));
	return was;
}

static inline int userq(int fd, union drm_amdgpu_userq *a)
{
	return kfd_err(fd, DRM_IOCTL_AMDGPU_USERQ, a);
}

static inline void *object(int fd, uint64_t bytes, uint32_t *h)
{
	void *p;

	ASSERT_EQ(0, gem_create(fd, bytes, AMDGPU_GEM_DOMAIN_GTT, 0, h));
	p = gem_map(fd, *h, bytes);
	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(0, gem_va(fd, AMDGPU_VA_OP_MAP, *h, p, 0, bytes, RWX));
	return p;
}

/* All that a queue is made of, and what asks for it in q->args. */
static inline void userq_prepare(int fd, struct userq *q)
{
	uint32_t eop;

	memset(q, 0, sizeof(*q));
	q->fd = fd;
	q->ring = object(fd, 4 * RING_DWORDS, &q->ring_h);
	q->index = object(fd, PAGE, &q->index_h);
	q->mqd.eop_va = (uintptr_t)object(fd, PAGE, &eop);
	ASSERT_EQ(0, gem_create(fd, PAGE, AMDGPU_GEM_DOMAIN_DOORBELL, 0, &q->doorbell_h));
	q->doorbell = gem_map(fd, q->doorbell_h, PAGE);
	ASSERT_NE(MAP_FAILED, (void *)q->doorbell);
	q->args.in = (struct drm_amdgpu_userq_in){
		.op = AMDGPU_USERQ_OP_CREATE, .ip_type = AMDGPU_HW_IP_COMPUTE,
		.doorbell_handle = q->doorbell_h, .doorbell_offset = 3,
		.queue_va = (uintptr_t)q->ring, .queue_size = 4 * RING_DWORDS,
		.wptr_va = (uintptr_t)q->index, .rptr_va = (uintptr_t)(q->index + 1),
		.mqd = (uintptr_t)&q->mqd, .mqd_size = sizeof(q->mqd),
	};
}

static inline void userq_open(int fd, struct userq *q)
{
	union drm_amdgpu_userq a;

	userq_prepare(fd, q);
	a = q->args;
	ASSERT_EQ(0, userq(fd, &a));
	q->id = a.out.queue_id;
	ASSERT_NE(0u, q->id);
}

static inline int userq_free(struct userq *q)
{
	union drm_amdgpu_userq a = { .in = { .op = AMDGPU_USERQ_OP_FREE, .queue_id = q->id } };

	return userq(q->fd, &a);
}

/* Into the ring, up to the write index, without telling the GPU. */
static inline void put(struct userq *q, const uint32_t *dw, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		q->ring[q->wptr++ % RING_DWORDS] = dw[i];
	__atomic_store_n((uint64_t *)q->index, q->wptr, __ATOMIC_RELEASE);
}

#define PUT(q, ...) do {						\
	const uint32_t dw_[] = { __VA_ARGS__ };				\
	put(q, dw_, sizeof(dw_) / 4);					\
} while (0)

static inline void ring(struct userq *q)
{
	__atomic_store_n((uint64_t *)&q->doorbell[3], q->wptr, __ATOMIC_RELEASE);
}

static inline uint32_t syncobj(int fd)
{
	struct drm_syncobj_create c = { 0 };

	ASSERT_EQ(0, ioctl(fd, DRM_IOCTL_SYNCOBJ_CREATE, &c));
	return c.handle;
}

/* Of all that was put: into a syncobj, and an object if there is one. */
static inline int signal_to(struct userq *q, uint32_t sync, uint32_t written)
{
	struct drm_amdgpu_userq_signal s = {
		.queue_id = q->id, .syncobj_handles = (uintptr_t)&sync, .num_syncobj_handles = !!sync,
		.bo_write_handles = (uintptr_t)&written, .num_bo_write_handles = !!written,
	};

	return kfd_err(q->fd, DRM_IOCTL_AMDGPU_USERQ_SIGNAL, &s);
}

static inline int sync_wait(int fd, uint32_t handle, uint64_t until)
{
	uint64_t point = 0;
	struct drm_syncobj_timeline_wait w = {
		.handles = (uintptr_t)&handle, .points = (uintptr_t)&point, .count_handles = 1,
		.timeout_nsec = until,
	};

	return ioctl(fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &w) ? errno : 0;
}

/* ETIME: not yet. */
static inline int sync_state(int fd, uint32_t handle)
{
	return sync_wait(fd, handle, 0);
}

#endif /* USERQ_UTIL_H */
