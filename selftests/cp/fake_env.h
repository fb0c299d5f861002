/* SPDX-License-Identifier: MIT */
/*
 * A GPU address space of one flat array behind struct cp_env, and a record of
 * what the packet processor asked for. Everything outside the array faults.
 */
#ifndef FAKE_ENV_H
#define FAKE_ENV_H

#include "fake_mem.h"

#define MEM_BYTES	0x100000u

#define RING_VA		0x10000ull
#define RING_PACKETS	16u
#define QUEUE_VA	0x20000ull
#define INACTIVE_VA	0x21000ull
#define SIGNAL_VA	0x30000ull	/* signals, 64 bytes each */
#define KERNEL_VA	0x40000ull
#define IB_VA		0x50000ull
#define MAILBOX_VA	0x60000ull

struct fake_env {
	struct cp_env env;
	struct cp_queue q;
	struct fake_mem m;
	u8 mem[MEM_BYTES];
	struct cp_dispatch dispatched[64];
	unsigned int ndispatched, slots;
	unsigned int events, last_event, errors, icache, flushes;
	u32 event_rptr;		/* as the last event found it */
	unsigned int signals;	/* PROTECTED_FENCE_SIGNAL */
	u64 signaled;		/* the last one's position */
	u32 last_error;
	u64 now;
};

void fake_env_init(struct fake_env *f);
u64 fake_get(struct fake_env *f, u64 va, unsigned int bytes);
void fake_put(struct fake_env *f, u64 va, u64 val, unsigned int bytes);
void *fake_at(struct fake_env *f, u64 va);
/* End the oldest dispatch that is still running. */
void fake_finish(struct fake_env *f, unsigned int nth);
/* Step until the queue has nothing to do now. */
enum cp_status fake_run(struct fake_env *f);
/* Write a packet of 64 bytes at @index, header last, and ring. */
void fake_submit(struct fake_env *f, u64 index, const void *packet);

#endif /* FAKE_ENV_H */
