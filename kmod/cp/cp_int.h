/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Between the files of cp/: packet layouts and the parsers' results.
 *
 * A packet handler returns an enum cp_status, or a CP_ERR_* through *@code,
 * or -errno when memory failed; queue.c alone turns these into a stop.
 */
#ifndef CP_INT_H
#define CP_INT_H

#include "cp.h"

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
 * Offsets: facts, kfd-abi 5.4.
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
 * struct cp_outcome - what a packet handler found
 * @status: CP_PROGRESS: consumed; CP_BLOCKED: not yet
 * @code: CP_ERR_*: the queue stops here
 * @async: completion comes later, through cp_env_ops.complete()
 */
struct cp_outcome {
	enum cp_status status;
	u32 code;
	bool async;
};

/* aql.c: 0 or -errno */
int cp_aql_exec(struct cp_queue *q, struct cp_env *env,
		const struct cp_aql_packet *p, struct cp_outcome *out);
/* kd.c: 0 with *@code set or not, or -errno */
int cp_dispatch_parse(struct cp_queue *q, struct cp_env *env,
		      const struct cp_aql_packet *p, struct cp_dispatch *d,
		      u32 *code);
/* pm4.c: 0 with *@code set or not, or -errno */
int cp_pm4_run_ib(struct cp_queue *q, struct cp_env *env, u64 va, u32 dwords,
		  u32 *code);

#endif /* CP_INT_H */
