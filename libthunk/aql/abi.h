/* SPDX-License-Identifier: MIT */
/*
 * What the GPU reads and writes in memory: packets, signals, the queue block and kernel
 * descriptors.  Layouts of the HSA runtime ABI; the assertions are the documentation.
 */
#ifndef AQL_ABI_H
#define AQL_ABI_H

#include <stddef.h>
#include <stdint.h>

#define AQL_PACKET_BYTES	64u

enum aql_packet_type {
	AQL_PACKET_VENDOR	= 0,
	AQL_PACKET_INVALID	= 1,
	AQL_PACKET_DISPATCH	= 2,
	AQL_PACKET_BARRIER_AND	= 3,
	AQL_PACKET_AGENT	= 4,
	AQL_PACKET_BARRIER_OR	= 5,
};

#define AQL_HEADER_BARRIER	(1u << 8)
#define AQL_HEADER_ACQUIRE(s)	((s) << 9)
#define AQL_HEADER_RELEASE(s)	((s) << 11)
#define AQL_SCOPE_SYSTEM	2u

struct aql_dispatch_packet {
	uint16_t header;
	uint16_t setup;			/* 1:0 dimensions */
	uint16_t group[3];
	uint16_t rsvd0;
	uint32_t grid[3];
	uint32_t private_bytes;
	uint32_t group_bytes;
	uint64_t kernel_object;
	uint64_t kernarg;
	uint64_t rsvd1;
	uint64_t completion;
};

struct aql_barrier_packet {
	uint16_t header;
	uint16_t rsvd0;
	uint32_t rsvd1;
	uint64_t dep[5];
	uint64_t rsvd2;
	uint64_t completion;
};

#define AQL_BARRIER_DEPS	5

_Static_assert(sizeof(struct aql_dispatch_packet) == AQL_PACKET_BYTES, "dispatch packet");
_Static_assert(offsetof(struct aql_dispatch_packet, kernel_object) == 32, "dispatch packet");
_Static_assert(sizeof(struct aql_barrier_packet) == AQL_PACKET_BYTES, "barrier packet");
_Static_assert(offsetof(struct aql_barrier_packet, completion) == 56, "barrier packet");

enum { AMD_SIGNAL_USER = 1, AMD_SIGNAL_DOORBELL = -1 };

struct amd_signal {
	int64_t kind;
	union {
		int64_t value;
		volatile uint64_t *doorbell;
	};
	uint64_t mailbox;		/* the event's slot */
	uint32_t event_id;
	uint32_t rsvd0;
	uint64_t start_ts;
	uint64_t end_ts;
	uint64_t queue;
	uint32_t rsvd1[2];
};

_Static_assert(sizeof(struct amd_signal) == 64, "signal");
_Static_assert(offsetof(struct amd_signal, start_ts) == 32, "signal");

struct amd_queue {
	uint32_t type;
	uint32_t features;		/* 1: kernel dispatch */
	uint64_t base;
	uint64_t doorbell_signal;
	uint32_t size;
	uint32_t rsvd0;
	uint64_t id;
	uint32_t caps;
	uint32_t rsvd1[3];
	uint64_t write_dispatch_id;
	uint32_t group_aperture_hi;
	uint32_t private_aperture_hi;
	uint32_t max_cu_id;
	uint32_t max_wave_id;
	uint64_t max_legacy_doorbell;
	uint32_t legacy_lock;
	uint32_t rsvd2[9];
	uint64_t read_dispatch_id;
	uint32_t read_id_offset;	/* of read_dispatch_id in this block */
	uint32_t tmpring_size;
	uint32_t scratch_srd[4];
	uint64_t scratch_base;
	uint64_t scratch_bytes;
	uint32_t scratch_lane_bytes;	/* wave64 */
	uint32_t properties;
	uint64_t scratch_max_use_index;
	uint64_t inactive_signal;
	uint8_t rsvd3[2304 - 200];
};

_Static_assert(sizeof(struct amd_queue) == 2304, "queue block");
_Static_assert(offsetof(struct amd_queue, write_dispatch_id) == 56, "queue block");
_Static_assert(offsetof(struct amd_queue, read_dispatch_id) == 128, "queue block");
_Static_assert(offsetof(struct amd_queue, scratch_srd) == 144, "queue block");
_Static_assert(offsetof(struct amd_queue, scratch_lane_bytes) == 176, "queue block");
_Static_assert(offsetof(struct amd_queue, inactive_signal) == 192, "queue block");

#define AMD_QUEUE_PTR64		(1u << 1)
#define AMD_QUEUE_PROFILING	(1u << 3)

struct kernel_descriptor {
	uint32_t group_bytes;
	uint32_t private_bytes;
	uint32_t kernarg_bytes;
	uint32_t rsvd0;
	int64_t entry_offset;
	uint8_t rsvd1[20];
	uint32_t rsrc3;
	uint32_t rsrc1;
	uint32_t rsrc2;
	uint16_t properties;
	uint16_t kernarg_preload;
	uint32_t rsvd2;
};

_Static_assert(sizeof(struct kernel_descriptor) == 64, "kernel descriptor");
_Static_assert(offsetof(struct kernel_descriptor, rsrc1) == 48, "kernel descriptor");

/* What the GPU stores in the queue's inactive signal. */
#define QUEUE_ERR_SCRATCH64	0x1u
#define QUEUE_ERR_SCRATCH32	0x400u

#endif /* AQL_ABI_H */
