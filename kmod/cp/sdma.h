/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SDMA packet processor: from the bytes of a ring to copies, fills, fences.
 *
 * The rules of cp.h apply: pure C, allocates nothing, accesses guest memory only through
 * struct sdma_env, whose operations may sleep. Every word of a ring or an indirect buffer
 * is read once: a packet is copied out, then validated, and only the copy is used, even if
 * the packet takes several steps.
 *
 * Packet layouts: GFX9, from the kernel's vega10_sdma_pkt_open.h and ROCr's
 * sdma_registers.h. Indices are byte counts that never wrap; the ring's size is a power of
 * two.
 *
 * The owner makes sure that only one thread at a time makes calls for a queue.
 */
#ifndef CP_SDMA_H
#define CP_SDMA_H

#include "cp.h"

#define SDMA_PACKET_DWORDS	16	/* fixed part of the longest packet */
#define SDMA_STEP_BYTES		0x40000u /* moved by one step at most */

/**
 * enum sdma_error - why a queue is stopped
 * @SDMA_ERR_OPCODE: this GPU has no such packet
 * @SDMA_ERR_REFUSED: a user queue may not use the packet, or it needs what the virtual
 *	GPU does not have (tiled surfaces, registers)
 * @SDMA_ERR_MALFORMED: a field or length has an invalid value
 * @SDMA_ERR_WPTR: the write pointer is more than a ring ahead
 * @SDMA_ERR_TIMEOUT: a poll has used up its retries
 */
enum sdma_error {
	SDMA_ERR_NONE, SDMA_ERR_OPCODE, SDMA_ERR_REFUSED, SDMA_ERR_MALFORMED,
	SDMA_ERR_WPTR, SDMA_ERR_TIMEOUT, SDMA_ERRORS,
};

struct sdma_row;

/**
 * struct sdma_ib - the indirect buffer being executed
 * @dwords: its length, 0 if there is none; @at: the next dword to execute
 */
struct sdma_ib {
	u64 va;
	u32 dwords, at;
};

/**
 * struct cp_sdma - an SDMA queue as its packet processor sees it
 * @engine: index of the engine, for PRE_EXE
 * @ring_va,@ring_bytes: the ring
 * @wptr_va,@rptr_va: addresses of the indices
 * @doorbell: value last seen
 * @reload: read the write pointer from memory again
 * @wptr,@rptr: bytes written, bytes consumed; @told: value last written to @rptr_va
 * @row,@pkt,@dwords: the packet being executed, or NULL; @pkt has its fixed part
 * @done: bytes (or rows) of it that are done
 * @retries: how often it has polled memory
 * @skip: dwords still to be skipped
 * @ib: see there
 * @polling: the last step waits for memory
 * @late: @told still has to be written, once its page is resident
 * @stopped: the queue does nothing more; @faulted: because a memory access failed
 * @error,@error_word,@error_name: why, the header at fault, the name of its packet
 * @clock_offset: of the local timestamp
 * @hdp_done: GPU_HDP_FLUSH_DONE, one bit per client
 * @packets,@bytes: packets executed, bytes moved
 */
struct cp_sdma {
	const struct gpu_target *target;
	u32 engine;
	u64 ring_va;
	u32 ring_bytes;
	u64 wptr_va, rptr_va;

	u64 doorbell;
	bool reload;
	u64 wptr, rptr, told;

	const struct sdma_row *row;
	u32 pkt[SDMA_PACKET_DWORDS];
	u32 dwords;
	u64 done;
	u32 retries;
	u32 skip;
	struct sdma_ib ib;

	bool polling;
	bool stopped, faulted, late;
	enum sdma_error error;
	u32 error_word;
	const char *error_name;

	u64 clock_offset;
	u32 hdp_done;
	u64 packets, bytes;
};

struct sdma_env {
	const struct sdma_env_ops *ops;
};

/**
 * struct sdma_env_ops - all may sleep. They return 0 or -errno; after an error the queue
 *	is stopped (the environment keeps the details)
 * @read,@write: any length, any alignment, unordered
 * @read32,@read64: naturally aligned, single load, acquire
 * @write32,@write64: naturally aligned, single store, release
 * @cas: compare and swap of @bytes (4 or 8), naturally aligned: if the word equals *@old,
 *	it becomes @val; *@old returns the value found
 * @copy: @len bytes, in ascending order of addresses, otherwise unordered
 * @fill: @len bytes of @word, repeated from @dst on
 * @trap: raise an interrupt with a 28-bit context
 * @flush: caches and host data path
 * @clock: the GPU clock, 100 MHz
 */
struct sdma_env_ops {
	int (*read)(struct sdma_env *env, u64 va, void *dst, u32 len);
	int (*write)(struct sdma_env *env, u64 va, const void *src, u32 len);
	int (*read32)(struct sdma_env *env, u64 va, u32 *val);
	int (*read64)(struct sdma_env *env, u64 va, u64 *val);
	int (*write32)(struct sdma_env *env, u64 va, u32 val);
	int (*write64)(struct sdma_env *env, u64 va, u64 val);
	int (*cas)(struct sdma_env *env, u64 va, u32 bytes, u64 *old, u64 val);
	int (*copy)(struct sdma_env *env, u64 dst, u64 src, u32 len);
	int (*fill)(struct sdma_env *env, u64 dst, u32 word, u32 len);
	void (*trap)(struct sdma_env *env, u32 context);
	void (*flush)(struct sdma_env *env);
	u64 (*clock)(struct sdma_env *env);
};

const char *cp_sdma_error_name(enum sdma_error error);

int cp_sdma_init(struct cp_sdma *q, const struct gpu_target *target, u32 engine,
		 u64 ring_va, u32 ring_bytes, u64 wptr_va, u64 rptr_va);
/* A buffer without a ring: call cp_sdma_step() as long as cp_sdma_in_ib(). */
void cp_sdma_init_ib(struct cp_sdma *q, const struct gpu_target *target, u32 engine,
		     u64 va, u32 dwords);
static inline bool cp_sdma_in_ib(const struct cp_sdma *q)
{
	return q->ib.dwords;
}

/* Uses another ring with the same indices; reads the write pointer again. */
int cp_sdma_move(struct cp_sdma *q, u64 ring_va, u32 ring_bytes);
/* The doorbell has become @value; true if cp_sdma_step() has something to do. */
bool cp_sdma_ring(struct cp_sdma *q, struct sdma_env *env, u64 value);
/* Executes one packet, or SDMA_STEP_BYTES of one. */
enum cp_status cp_sdma_step(struct cp_sdma *q, struct sdma_env *env);
/* Writes the read pointer back if it has moved: CP_ERROR or CP_PROGRESS. */
enum cp_status cp_sdma_report(struct cp_sdma *q, struct sdma_env *env);

#endif /* CP_SDMA_H */
