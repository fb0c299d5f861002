/* SPDX-License-Identifier: MIT */
/*
 * A GPU address space of one flat array behind struct sdma_env. Everything
 * outside the array faults.
 */
#ifndef FAKE_SDMA_H
#define FAKE_SDMA_H

#include "fake_mem.h"
#include "../../kmod/cp/sdma.h"

#define SD_BYTES	0x200000u

#define SD_RING		0x10000ull
#define SD_RING_BYTES	1024u
#define SD_WPTR		0x11000ull
#define SD_RPTR		0x11008ull
#define SD_IB		0x12000ull
#define SD_WORD		0x13000ull
#define SD_A		0x20000ull
#define SD_B		0x80000ull
#define SD_C		0xe0000ull

struct fake_sdma {
	struct sdma_env env;
	struct cp_sdma q;
	struct fake_mem m;
	u8 mem[SD_BYTES];
	unsigned int traps, flushes, largest;
	u32 context;
	u64 now, wptr, trap_rptr;
	/* Done to memory at the @nth read from here on, as another thread would. */
	void (*meddle)(struct fake_sdma *f);
	unsigned int nth;
};

void fake_sdma_init(struct fake_sdma *f, u32 gfx, u32 engine);
void *fake_sdma_at(struct fake_sdma *f, u64 va);
u64 fake_sdma_get(struct fake_sdma *f, u64 va, unsigned int bytes);
void fake_sdma_put(struct fake_sdma *f, u64 va, u64 val, unsigned int bytes);
/* Behind what was written so far, wrapping; rings nothing. */
void fake_sdma_write(struct fake_sdma *f, const u32 *dw, unsigned int n);
/* Ring, and step until nothing can be done now. */
enum cp_status fake_sdma_run(struct fake_sdma *f);
/* Has such a packet been executed to its end, on any queue? */
bool fake_sdma_executed(u8 op, u8 sub_op);

#endif /* FAKE_SDMA_H */
