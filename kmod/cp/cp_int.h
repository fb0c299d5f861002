/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the files of cp/: packet layouts and the parsers' results.
 *
 * A packet handler returns an enum cp_status, or a CP_ERR_* through *@code, or -errno
 * if a memory access failed. Only queue.c turns these into a stop.
 */
#ifndef CP_INT_H
#define CP_INT_H

#include "cp.h"

/**
 * struct cp_queue_ops - what differs between kinds of queues
 * @init: checks the addresses; target, ring and indices are set before
 * @set_ring: false if there cannot be a ring of that address and size
 * @doorbell: handles a new doorbell value; 0 or -errno
 * @pending: are there packets, or parts of one, that a step would read?
 * @in_flight: number of packets that are consumed but not finished
 * @step: as cp_step()
 */
struct cp_queue_ops {
	int (*init)(struct cp_queue *q);
	bool (*set_ring)(struct cp_queue *q, u64 ring_va, u32 ring_bytes);
	int (*doorbell)(struct cp_queue *q, struct cp_env *env, u64 value);
	bool (*pending)(const struct cp_queue *q);
	u64 (*in_flight)(const struct cp_queue *q);
	enum cp_status (*step)(struct cp_queue *q, struct cp_env *env);
};

extern const struct cp_queue_ops cp_aql_queue_ops, cp_pm4_queue_ops;

/* AQL packet types. Source: HSA System Architecture, "AQL packet". */
enum {
	CP_AQL_VENDOR, CP_AQL_INVALID, CP_AQL_DISPATCH, CP_AQL_BARRIER_AND,
	CP_AQL_AGENT, CP_AQL_BARRIER_OR, CP_AQL_TYPES,
};

#define CP_AQL_TYPE(header)	((header) & 0xff)
#define CP_AQL_BARRIER		BIT(8)
#define CP_AQL_ACQUIRE(header)	(((header) >> 9) & 3)
#define CP_AQL_RELEASE(header)	(((header) >> 11) & 3)

/**
 * struct cp_aql_packet - 64 bytes copied out of a ring
 * Source of the offsets: HSA System Architecture, "AQL packet", and as in aql.c.
 */
struct cp_aql_packet {
	u16 header;
	union {
		struct {
			u16 setup;
			u16 group[3];
			u16 reserved0;
			u32 grid[3];
			u32 private_bytes, group_bytes;
			u64 kernel_object, kernarg;
			u64 reserved1;
		} __packed dispatch;
		struct {
			u16 reserved0;
			u32 reserved1;
			u64 dep[5];
			u64 reserved2;
		} __packed barrier;
		struct {
			u8 format, reserved0;
			u32 reserved1;
			u64 signal, value, mask;
			u32 cond, reserved2;
			u64 reserved3[2];
		} __packed barrier_value;
		struct {
			u16 format;
			u32 jump[4];
			u32 dw_cnt_remain;
			u32 reserved[8];
		} __packed pm4_ib;
	} __packed;
	u64 completion_signal;
} __packed;

/**
 * struct cp_outcome - result of a packet handler
 * @status: CP_PROGRESS: consumed; CP_BLOCKED: not yet
 * @code: CP_ERR_*: stop the queue
 * @async: the packet completes later, through cp_env_ops.complete()
 * @more: not consumed yet, but some of it was done: call again
 */
struct cp_outcome {
	enum cp_status status;
	u32 code;
	bool async, more;
};

/* The registers that describe a wave. d->waves must be set before they are parsed. */
struct cp_rsrc {
	u32 rsrc1, rsrc2, rsrc3;
};

/* aql.c: 0 or -errno */
int cp_aql_exec(struct cp_queue *q, struct cp_env *env,
		const struct cp_aql_packet *p, struct cp_outcome *out);
/* kd.c: 0 with *@code set or not, or -errno */
int cp_dispatch_parse(struct cp_queue *q, struct cp_env *env,
		      const struct cp_aql_packet *p, struct cp_dispatch *d,
		      u32 *code);
/* kd.c: a CP_ERR_* or 0 */
u32 cp_registers_parse(const struct gpu_target *t, const struct cp_rsrc *r,
		       struct cp_dispatch *d);
/* kd.c: sets the wave size and the number of waves of a work-group; returns likewise */
u32 cp_waves_parse(const struct gpu_target *t, bool wave32, struct cp_dispatch *d);
/* kd.c: scratch bytes of a wave, and the number of waves that have scratch */
void cp_tmpring_parse(const struct isa_arch *a, u32 tmpring, struct cp_dispatch *d);
#define CP_VA_END	BIT_ULL(47)

/* pm4_queue.c */
void cp_pm4_init(struct cp_queue *q);
u64 cp_pm4_in_flight(const struct cp_queue *q);
/* Executes the indirect buffer of an AQL packet in pieces: 0 or -errno. */
int cp_pm4_run_ib(struct cp_queue *q, struct cp_env *env, u64 va, u32 dwords,
		  struct cp_outcome *out);

/* atomic.c */
/**
 * cp_atomic() - one of the memory pipe's atomic operations
 * @op: TC_OP_* of GFX9, as PM4 and SDMA packets carry it
 * @src,@cmp: operands; @old: returns the previous value
 * Return: 0, -errno of the memory, -EOPNOTSUPP for an unknown operation, or -EBUSY if
 * other writers kept changing the word.
 */
int cp_atomic(struct cp_env *env, u32 op, u64 va, u64 src, u64 cmp, u64 *old);
/* Number of bytes that @op works on, 0 if @op is unknown. */
u32 cp_atomic_bytes(u32 op);
/* The value that @op, which must be known, stores for @old. */
u64 cp_atomic_result(u32 op, u64 old, u64 src, u64 cmp);
bool cp_atomic_is_cmpswap(u32 op);
/* Does @old compare equal to @cmp in the sense of @op? */
bool cp_atomic_equal(u32 op, u64 old, u64 cmp);

#endif /* CP_INT_H */
