/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the files of the SDMA packet processor: the rows of the packet table, and
 * the results of handlers.
 */
#ifndef CP_SDMA_INT_H
#define CP_SDMA_INT_H

#include "sdma.h"

/**
 * enum sdma_verdict - a handler's result, if it is not -errno
 * @SDMA_DONE: the packet is consumed
 * @SDMA_MORE: a part of it is done; call again
 * @SDMA_WAIT: the memory that it polls does not have the expected value yet
 * @SDMA_ENTER: an indirect buffer begins; the packet is consumed when the buffer ends
 * @SDMA_STOP: cp_sdma.error tells why
 */
enum sdma_verdict { SDMA_DONE, SDMA_MORE, SDMA_WAIT, SDMA_ENTER, SDMA_STOP };

/**
 * struct sdma_row - a packet
 * @op,@sub_op: of the header
 * @fixed: dwords that are copied out before any field is used
 * @name: for logs
 * @length: returns the dwords of the whole packet; NULL if that is @fixed
 * @exec: handler; NULL: the packet is refused
 */
struct sdma_row {
	u8 op, sub_op, fixed;
	const char *name;
	u32 (*length)(const struct cp_sdma *q, const u32 *pkt);
	int (*exec)(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt);
};

#define SDMA_OP(header)		((header) & 0xff)
#define SDMA_SUB_OP(header)	(((header) >> 8) & 0xff)

static inline u64 sdma_addr(const u32 *lo)
{
	return lo[0] | (u64)lo[1] << 32;
}

static inline int sdma_stop(struct cp_sdma *q, enum sdma_error error)
{
	q->error = error;
	return SDMA_STOP;
}

/* sdma.c: reads dwords of the packet beyond its fixed part, from index @first on */
int sdma_fetch(struct cp_sdma *q, struct sdma_env *env, u32 first, u32 n, u32 *dst);
u32 sdma_left(const struct cp_sdma *q);

/* sdma_packet.c */
const struct sdma_row *sdma_row_find(u32 header);

/* sdma_move.c: packets that move data */
int sdma_copy_linear(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt);
int sdma_copy_window(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt);
int sdma_copy_swap(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt);
int sdma_write_linear(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt);
int sdma_const_fill(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt);
int sdma_write_incr(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt);
u32 sdma_copy_linear_dwords(const struct cp_sdma *q, const u32 *pkt);
u32 sdma_write_linear_dwords(const struct cp_sdma *q, const u32 *pkt);

/* sdma_atomic.c */
int sdma_atomic(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt);

#endif /* CP_SDMA_INT_H */
