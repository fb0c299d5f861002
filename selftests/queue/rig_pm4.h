/* SPDX-License-Identifier: MIT */
/*
 * PM4 queues on top of the rig: dwords into a ring, and the packets that the
 * tests put there.
 */
#ifndef RIG_PM4_H
#define RIG_PM4_H

#include "rig.h"

#define PM4_RING	1024u	/* dwords */

struct pm4_queue {
	struct rig_mem ring_mem, index_mem;
	u32 *ring;
	volatile u32 *rptr;
	volatile u64 *wptr_mem, *doorbell;
	u32 id, dwords;
	u64 wptr;
};

#define PM4_HDR(op, n)	(3u << 30 | ((n) - 2u) << 16 | (op) << 8 | 2u)
#define PM4_LO(p)	((u32)(u64)(p))
#define PM4_HI(p)	((u32)((u64)(p) >> 32))

enum {
	PM4_NOP = 0x10, PM4_DISPATCH_DIRECT = 0x15, PM4_DISPATCH_INDIRECT,
	PM4_ATOMIC_MEM = 0x1e, PM4_WRITE_DATA = 0x37, PM4_WAIT_REG_MEM = 0x3c,
	PM4_INDIRECT_BUFFER = 0x3f, PM4_COPY_DATA, PM4_EVENT_WRITE = 0x46,
	PM4_RELEASE_MEM = 0x49, PM4_DMA_DATA = 0x50, PM4_ACQUIRE_MEM = 0x58,
	PM4_SET_CONFIG_REG = 0x68, PM4_SET_SH_REG = 0x76, PM4_SET_UCONFIG_REG = 0x79,
};

#define PM4_ONE_NOP	(3u << 30 | 0x3fffu << 16 | PM4_NOP << 8)
#define PM4_WRITE(p, v)	PM4_HDR(PM4_WRITE_DATA, 5), 5u << 8 | 1u << 20, \
			PM4_LO(p), PM4_HI(p), v
#define PM4_IB(p, n)	PM4_HDR(PM4_INDIRECT_BUFFER, 4), PM4_LO(p), PM4_HI(p), (n) | 1u << 23
#define PM4_CHAIN(p, n)	PM4_HDR(PM4_INDIRECT_BUFFER, 4), PM4_LO(p), PM4_HI(p), \
			(n) | 1u << 23 | 1u << 20
/* @data: 0 none, 1 a dword, 2 two, 3 the clock; @irq: 0 none, 2 after it */
#define PM4_RELEASE(data, irq, p, v, ctx) \
	PM4_HDR(PM4_RELEASE_MEM, 8), 0x514, (u32)(data) << 29 | (u32)(irq) << 24, \
	PM4_LO(p), PM4_HI(p), (u32)(v), 0, ctx
/* until (*p & ~0) == v */
#define PM4_WAIT(p, v)	PM4_HDR(PM4_WAIT_REG_MEM, 7), 3 | 1 << 4, PM4_LO(p), PM4_HI(p), \
			v, ~0u, 4

/* write to one register, wait for another: the flush that tinygrad's queues begin with */
#define PM4_HDP_FLUSH	PM4_HDR(PM4_WAIT_REG_MEM, 7), 5 | 1 << 6, 0xe26, 0xe27, ~0u, ~0u, 4

int pm4_create(struct rig *r, u32 dwords, u32 priority, struct pm4_queue *q);
int pm4_update(struct rig *r, struct pm4_queue *q, void *ring, u32 dwords, u32 percentage);
int pm4_destroy(struct rig *r, struct pm4_queue *q);
void pm4_put(struct pm4_queue *q, const u32 *dw, u32 n);
void pm4_ring(struct pm4_queue *q);
bool pm4_consumed(struct pm4_queue *q, unsigned int ms);
/* Registers and DISPATCH_DIRECT for a compiled kernel; how many dwords. */
u32 pm4_kernel(const struct rig_kernel *k, u64 args, u32 groups, u32 group, u32 *dw);

/*
 * Registers that give that kernel private memory, to be put before those: @waves of @wave_bytes
 * may be at work in an XCC. How many dwords, at most 20.
 */
u32 pm4_scratch(const struct rig_kernel *k, u64 base, u32 waves, u32 wave_bytes, u32 *dw);

#define PM4_SUBMIT(q, ...) do {						\
	const u32 _dw[] = { __VA_ARGS__ };				\
									\
	pm4_put(q, _dw, sizeof(_dw) / sizeof(_dw[0]));			\
	pm4_ring(q);							\
} while (0)

#endif /* RIG_PM4_H */
