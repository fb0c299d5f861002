/* SPDX-License-Identifier: MIT */
/*
 * SDMA queues through raw ioctls: any dwords into a ring, GFX9 packets.
 */
#ifndef RIG_SDMA_H
#define RIG_SDMA_H

#include "rig.h"

#define SDMA_RING	(64 * 1024u)	/* bytes */

#define LO(p)		((u32)(uintptr_t)(p))
#define HI(p)		((u32)((u64)(uintptr_t)(p) >> 32))
#define VA(p)		LO(p), HI(p)

#define SDMA_NOP	0u
#define SDMA_COPY	1u
#define SDMA_WRITE	2u
#define SDMA_INDIRECT	4u
#define SDMA_FENCE	5u
#define SDMA_TRAP	6u
#define SDMA_POLL	8u
#define SDMA_ATOMIC	10u
#define SDMA_FILL	11u
#define SDMA_TIMESTAMP	13u
#define SDMA_SUB(n)	((u32)(n) << 8)
#define SDMA_POLL_EQ	(SDMA_POLL | 3u << 28 | 1u << 31)
#define SDMA_POLL_FOREVER (0xfffu << 16 | 4)
#define SDMA_FILL_WORDS	(SDMA_FILL | 2u << 30)

struct rig_sdma {
	struct rig_mem ring_mem, index_mem;
	u32 *ring;
	u32 bytes;
	volatile u64 *wptr, *rptr, *doorbell;
	volatile u32 *fences;
	u32 id, fence, doorbell_index;
	u64 written;
};

/* @type: KFD_IOC_QUEUE_TYPE_SDMA*; @engine: for ..._BY_ENG_ID */
int rig_sdma_create(struct rig *r, u32 type, u32 engine, struct rig_sdma *q);
/* Without a ring the queue is inactive. */
int rig_sdma_update(struct rig *r, struct rig_sdma *q, bool ring);
int rig_sdma_destroy(struct rig *r, struct rig_sdma *q);

/* Dwords behind the last ones, wrapping; waits for space. Rings nothing. */
void rig_sdma_put(struct rig_sdma *q, const u32 *dw, u32 n);
#define SDMA_PUT(q, ...) do {						\
	const u32 dw_[] = { __VA_ARGS__ };				\
	rig_sdma_put(q, dw_, sizeof(dw_) / 4);				\
} while (0)
void rig_sdma_ring(struct rig_sdma *q);
void rig_sdma_copy(struct rig_sdma *q, void *dst, const void *src, u32 bytes);
/* Ring with a fence behind everything; the value it will write. */
u32 rig_sdma_submit(struct rig_sdma *q);
bool rig_sdma_wait(const struct rig_sdma *q, u32 fence, unsigned int ms);
/* Submit, wait; false if it did not end. */
bool rig_sdma_run(struct rig_sdma *q);

#endif /* RIG_SDMA_H */
