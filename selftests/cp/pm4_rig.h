/* SPDX-License-Identifier: MIT */
/* A PM4 queue over a fake memory: packets go into its ring and are stepped. */
#ifndef PM4_RIG_H
#define PM4_RIG_H

#include <stdarg.h>
#include <stdlib.h>

#include "fake_env.h"
#include "../../kmod/cp/cp_int.h"
#include "tap.h"

#define RING_DWORDS	256u
#define RPTR_VA		(QUEUE_VA + 16)
#define DATA_VA		SIGNAL_VA
#define HDR(op, n)	(3u << 30 | ((n) - 2u) << 16 | (op) << 8 | 2u)
#define LO(va)		((u32)(va))
#define HI(va)		((u32)((u64)(va) >> 32))

enum {
	NOP = 0x10, DISPATCH_DIRECT = 0x15, DISPATCH_INDIRECT, ATOMIC_MEM = 0x1e,
	COND_EXEC = 0x22, PRED_EXEC, WRITE_DATA = 0x37, WAIT_REG_MEM = 0x3c,
	INDIRECT_BUFFER = 0x3f, COPY_DATA, COND_WRITE = 0x45, EVENT_WRITE, RELEASE_MEM = 0x49,
	DMA_DATA = 0x50, ACQUIRE_MEM = 0x58, REWIND, PRIME_UTCL2 = 0x5d, SET_SH_REG = 0x76,
	SET_UCONFIG_REG = 0x79, WAIT_REG_MEM64 = 0x93, HDP_FLUSH = 0x95, SET_SH_REG_INDEX = 0x9b,
	PROTECTED_FENCE_SIGNAL = 0xd0, FENCE_WAIT_MULTI,
};

static u64 wptr;		/* in dwords */

static inline struct fake_env *fresh_version(u32 gfx_version)
{
	static struct fake_env f;

	fake_env_init(&f);
	if (cp_queue_init(&f.q, gpu_target_by_version(gfx_version), CP_KIND_PM4, RING_VA,
			  RING_DWORDS * 4, RPTR_VA, QUEUE_VA + 8))
		abort();
	fake_put(&f, RPTR_VA, 0xabcd00000000ull, 8);
	wptr = 0;
	return &f;
}

static inline struct fake_env *fresh_gfx(u32 minor, u32 step)
{
	return fresh_version(90000 + minor * 100 + step);
}

static inline struct fake_env *fresh(void)
{
	return fresh_gfx(0, 10);
}

static inline u32 rptr(struct fake_env *f)
{
	return fake_get(f, RPTR_VA, 4);
}

/* Dwords into the ring; no doorbell. */
static inline void ring_put(struct fake_env *f, unsigned int n, const u32 *dw)
{
	while (n--)
		fake_put(f, RING_VA + wptr++ % RING_DWORDS * 4, *dw++, 4);
}

static u8 executed[256];	/* opcodes of the packets that a ring was done with */

static inline enum cp_status ring(struct fake_env *f)
{
	enum cp_status status = CP_IDLE;
	unsigned int i;

	cp_queue_ring(&f->q, &f->env, wptr);
	for (i = 0; i < 1000; i++) {
		u64 next = f->q.next, in_buffer = f->q.pm4.depth;
		u32 header = fake_get(f, RING_VA + next % RING_DWORDS * 4, 4);

		status = cp_step(&f->q, &f->env);
		if (!in_buffer && f->q.next != next && status != CP_ERROR && header >> 30 == 3)
			executed[header >> 8 & 0xff] = 1;
		if (status != CP_PROGRESS)
			break;
	}
	return status;
}

#define SUBMIT(f, ...) ({						\
	const u32 _dw[] = { __VA_ARGS__ };				\
	ring_put(f, ARRAY_SIZE(_dw), _dw);				\
	ring(f); })

#define PUT(f, va, ...) ({						\
	const u32 _dw[] = { __VA_ARGS__ };				\
	memcpy(fake_at(f, va), _dw, sizeof(_dw));			\
	(u32)ARRAY_SIZE(_dw); })

#define WRITE(va, val)	HDR(WRITE_DATA, 5), 5u << 8 | 1u << 20, LO(va), HI(va), val
#define IB(va, n)	HDR(INDIRECT_BUFFER, 4), LO(va), HI(va), (n) | 1u << 23
#define CHAIN(va, n)	HDR(INDIRECT_BUFFER, 4), LO(va), HI(va), (n) | 1u << 23 | 1u << 20
#define RELEASE(sel, va, val, ctx) \
	HDR(RELEASE_MEM, 8), 0x514, sel, LO(va), HI(va), LO((u64)(val)), HI((u64)(val)), ctx
#define SEL(data, interrupt)	((data) << 29 | (interrupt) << 24)

static inline u32 at(struct fake_env *f, unsigned int n)
{
	return fake_get(f, DATA_VA + 4 * n, 4);
}

/* A kernel at KERNEL_VA, of 64 work-items a group, with four user SGPRs */
static inline void put_shader(struct fake_env *f, u32 rsrc2)
{
	SUBMIT(f, HDR(SET_SH_REG, 10), 0x204, 0, 0, 0, 64, 1, 1, 0, 0,
	       HDR(SET_SH_REG, 8), 0x20c, LO(KERNEL_VA >> 8), 0, 0, 0, 0, 0,
	       HDR(SET_SH_REG, 4), 0x212, 2 | 2u << 6 | 0xc0u << 12, rsrc2,
	       HDR(SET_SH_REG, 3), 0x22d, 1,
	       HDR(SET_SH_REG, 6), 0x240, 0x51, 0x52, 0x53, 0x54);
}

#endif /* PM4_RIG_H */
