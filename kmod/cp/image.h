/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of packet processors in plain numbers, for checkpoints.
 *
 * An image comes from a file, so nothing in it is believed. Taking one in checks every field
 * that the packet processor relies on; the others can at worst send packets of the same process
 * astray, as its own ring could.
 */
#ifndef CP_IMAGE_H
#define CP_IMAGE_H

#include "cp.h"
#include "sdma.h"

/* Dwords of a buffer: packets that call one have 20 bits for that. */
#define CP_IMAGE_IB_MAX	(1u << 20)

/* struct cp_pm4; see there */
struct cp_pm4_image {
	u32 sh[CP_PM4_SH_REGS];
	u32 kept[CP_PM4_KEPT_REGS];
	u32 hdp_done, depth, skip, moved, chains, rptr_late;
	u64 clock, atomic_return, packets;
	u64 issued, released, done, finished;
	struct {
		u64 va;
		u32 dwords, pos;
	} ib[CP_PM4_IBS];
	struct {
		u64 after;
		u32 body[CP_PM4_FENCE_DWORDS], unused;
	} fence[CP_PM4_FENCES];
	u32 first_fence, fences;
};

/* struct cp_queue; @waited: how long the next packet has been looked at, 0: not yet */
struct cp_queue_image {
	u64 ring_va, doorbell, limit, next, waited, inactive_signal;
	u64 release, told, done, finished;
	u32 ring_packets, header, seen, state, error, error_word;
	struct cp_pm4_image pm4;
};

/* struct cp_dispatch as far as it does not follow from the rest */
struct cp_dispatch_image {
	u64 index, packet_va, kernel_object, signal, pc, scratch_base;
	u32 grid[3], groups[3], first[3], group[3];
	u32 user[CP_MAX_USER_SGPRS];
	u32 rsrc[3], tmpring, lds_bytes, scratch_lane_bytes;
	u32 lanes, pm4;
};

/* struct cp_sdma; @busy: a packet is being executed */
struct cp_sdma_image {
	u64 ring_va, doorbell, wptr, rptr, told, done, ib_va, clock_offset, packets, bytes;
	u32 ring_bytes, busy, pkt[SDMA_PACKET_DWORDS];
	u32 retries, skip, ib_dwords, ib_at, reload, late, hdp_done, unused;
};

/* @now: the GPU's clock */
void cp_queue_save(const struct cp_queue *q, u64 now, struct cp_queue_image *im);
/*
 * @q is fresh from cp_queue_init(), with the same ring. Return: 0, or -EINVAL: @im is no state of
 * such a queue, and @q is as it was.
 */
int cp_queue_load(struct cp_queue *q, u64 now, const struct cp_queue_image *im);

void cp_dispatch_save(const struct cp_dispatch *d, struct cp_dispatch_image *im);
/* Return: 0, or -EINVAL: no queue of @t starts such a dispatch. */
int cp_dispatch_load(const struct gpu_target *t, struct cp_dispatch *d,
		     const struct cp_dispatch_image *im);

/**
 * struct cp_in_flight - the dispatches that a queue's state says are in flight
 * @aql,@pm4: a bit for each, from @aql_first and @pm4_first on
 */
struct cp_in_flight {
	u64 aql_first, pm4_first;
	u64 aql, pm4;
};

void cp_queue_in_flight_set(const struct cp_queue *q, struct cp_in_flight *set);
/* Takes @d out of @set; false: it is not there. */
bool cp_in_flight_take(struct cp_in_flight *set, const struct cp_dispatch *d);

void cp_sdma_save(const struct cp_sdma *q, struct cp_sdma_image *im);
/* As cp_queue_load(). */
int cp_sdma_load(struct cp_sdma *q, const struct cp_sdma_image *im);

#endif /* CP_IMAGE_H */
