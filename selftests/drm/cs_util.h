/* SPDX-License-Identifier: MIT */
/*
 * Submissions through CS: chunks, buffers of packets, contexts, waiting. All return 0 or the
 * errno.
 */
#ifndef CS_UTIL_H
#define CS_UTIL_H

#include <time.h>

#include "../queue/rig_pm4.h"
#include "../queue/rig_sdma.h"
#include "drm_util.h"

#define RWX	(AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE | AMDGPU_VM_PAGE_EXECUTABLE)
#define CS_BYTES	(16 * PAGE)
#define CS_IBS		(4 * PAGE / 4)	/* dwords: where buffers of packets begin */
#define CS_CODE		(12 * PAGE / 4)
#define CS_MAX_CHUNKS	24
#define FOREVER		0x7fffffffffffffffull

/* A file, and memory with the same address for CPU and GPU. */
struct cs_file {
	int fd;
	uint32_t h, ctx;
	volatile uint32_t *w;
	uint32_t ib;		/* dword where the next buffer goes */
};

static inline int cs_ctx(int fd, uint32_t op, uint32_t id, int32_t priority,
			 union drm_amdgpu_ctx *c)
{
	memset(c, 0, sizeof(*c));
	c->in.op = op;
	c->in.ctx_id = id;
	c->in.priority = priority;
	return ioctl(fd, DRM_IOCTL_AMDGPU_CTX, c) ? errno : 0;
}

static inline uint32_t cs_new_ctx(int fd)
{
	union drm_amdgpu_ctx c;

	ASSERT_EQ(0, cs_ctx(fd, AMDGPU_CTX_OP_ALLOC_CTX, 0, 0, &c));
	return c.out.alloc.ctx_id;
}

static inline void cs_open_on(struct cs_file *f, int fd)
{
	memset(f, 0, sizeof(*f));
	f->fd = fd;
	ASSERT_LE(0, f->fd);
	ASSERT_EQ(0, gem_create(f->fd, CS_BYTES, AMDGPU_GEM_DOMAIN_GTT, 0, &f->h));
	f->w = gem_map(f->fd, f->h, CS_BYTES);
	ASSERT_NE(MAP_FAILED, (void *)f->w);
	ASSERT_EQ(0, gem_va(f->fd, AMDGPU_VA_OP_MAP, f->h, (void *)f->w, 0, CS_BYTES, RWX));
	f->ctx = cs_new_ctx(f->fd);
	f->ib = CS_IBS;
}

static inline void cs_open(struct cs_file *f)
{
	cs_open_on(f, drm_open());
}

static inline void cs_close(struct cs_file *f)
{
	munmap((void *)f->w, CS_BYTES);
	close(f->fd);
}

/* A submission that is being put together. */
struct cs {
	struct cs_file *f;
	struct drm_amdgpu_cs_chunk chunk[CS_MAX_CHUNKS];
	struct drm_amdgpu_cs_chunk_ib ib[CS_MAX_CHUNKS];
	uint32_t n, list;
	uint64_t seq;
};

static inline void cs_chunk(struct cs *cs, uint32_t id, const void *data, uint32_t bytes)
{
	ASSERT_LT(cs->n, (uint32_t)CS_MAX_CHUNKS);
	cs->chunk[cs->n++] = (struct drm_amdgpu_cs_chunk){ id, bytes / 4, (uintptr_t)data };
}

/* A buffer with these packets, and its chunk. */
static inline void cs_ib(struct cs *cs, uint32_t ip, uint32_t ring, const uint32_t *dw,
			 uint32_t n)
{
	struct drm_amdgpu_cs_chunk_ib *ib = &cs->ib[cs->n];
	struct cs_file *f = cs->f;

	if (f->ib + n > CS_CODE)
		f->ib = CS_IBS;
	memcpy((void *)(f->w + f->ib), dw, n * 4);
	*ib = (struct drm_amdgpu_cs_chunk_ib){
		.va_start = (uintptr_t)(f->w + f->ib), .ib_bytes = n * 4, .ip_type = ip,
		.ring = ring,
	};
	f->ib += (n + 63) & ~63u;
	cs_chunk(cs, AMDGPU_CHUNK_ID_IB, ib, sizeof(*ib));
}

#define CS_IB(cs, ip, ring, ...) do {					\
	const uint32_t dw_[] = { __VA_ARGS__ };				\
	cs_ib(cs, AMDGPU_HW_IP_##ip, ring, dw_, sizeof(dw_) / 4);	\
} while (0)

static inline int cs_submit(struct cs *cs)
{
	uint64_t chunks[CS_MAX_CHUNKS];
	union drm_amdgpu_cs args = {
		.in = { cs->f->ctx, cs->list, cs->n, 0, (uintptr_t)chunks },
	};
	uint32_t i;

	for (i = 0; i < cs->n; i++)
		chunks[i] = (uintptr_t)&cs->chunk[i];
	if (ioctl(cs->f->fd, DRM_IOCTL_AMDGPU_CS, &args))
		return errno;
	cs->seq = args.out.handle;
	return 0;
}

static inline uint64_t cs_in_ms(unsigned int ms)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec + ms * 1000000ull;
}

/* EBUSY: not done at that time. */
static inline int cs_wait_until(struct cs_file *f, uint32_t ip, uint32_t ring, uint64_t seq,
				uint64_t until)
{
	union drm_amdgpu_wait_cs w = {
		.in = { .handle = seq, .timeout = until, .ip_type = ip, .ring = ring,
			.ctx_id = f->ctx },
	};

	if (ioctl(f->fd, DRM_IOCTL_AMDGPU_WAIT_CS, &w))
		return errno;
	return w.out.status ? EBUSY : 0;
}

static inline int cs_wait(struct cs_file *f, uint32_t ip, uint32_t ring, uint64_t seq)
{
	return cs_wait_until(f, ip, ring, seq, FOREVER);
}

/* Not yet done? */
static inline bool cs_busy(struct cs_file *f, uint32_t ip, uint32_t ring, uint64_t seq)
{
	return cs_wait_until(f, ip, ring, seq, cs_in_ms(30)) == EBUSY;
}

/* A job that does not end before *@at is 1. */
static inline uint64_t cs_block(struct cs_file *f, uint32_t ip, uint32_t ring,
				volatile uint32_t *at)
{
	struct cs cs = { .f = f };

	if (ip == AMDGPU_HW_IP_DMA)
		CS_IB(&cs, DMA, ring, SDMA_POLL_EQ, VA(at), 1, ~0u, SDMA_POLL_FOREVER);
	else
		CS_IB(&cs, COMPUTE, ring, PM4_WAIT(at, 1));
	ASSERT_EQ(0, cs_submit(&cs));
	return cs.seq;
}

#endif /* CS_UTIL_H */
