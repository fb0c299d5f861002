// SPDX-License-Identifier: GPL-2.0-only
/*
 * PM4 indirect buffers that arrive inside AQL vendor packets.
 *
 * The walker reads the buffer in pieces, checks each packet's length against
 * its row and the buffer's end, and stops at the first opcode without a row.
 * A buffer is at most 2^20 - 1 dwords, so a walk is bounded.
 */
#include "cp_int.h"

#define PM4_TYPE(word)		((word) >> 30)
#define PM4_OPCODE(word)	(((word) >> 8) & 0xff)
#define PM4_COUNT(word)		(((word) >> 16) & 0x3fff)
#define PM4_TYPE2		2
#define PM4_TYPE3		3
#define PM4_COUNT_NONE		0x3fff	/* NOP: header only */
#define PM4_BODY_MAX		8	/* dwords a handler looks at */

#define PM4_NOP			0x10
#define PM4_ACQUIRE_MEM		0x58

/* ACQUIRE_MEM, COHER_CNTL: SH_ICACHE_ACTION_ENA */
#define COHER_ICACHE		BIT(29)

/**
 * struct pm4_packet - a row of the packet table
 * @opcode: of a type 3 packet
 * @min_dwords: shortest whole packet, with its header
 * @max_dwords: longest
 * @exec: looks at PM4_BODY_MAX dwords of the body at most
 */
struct pm4_packet {
	u8 opcode;
	u16 min_dwords, max_dwords;
	void (*exec)(struct cp_env *env, const u32 *body);
};

static void pm4_nop(struct cp_env *env, const u32 *body)
{
}

static void pm4_acquire_mem(struct cp_env *env, const u32 *body)
{
	env->ops->cache(env, CP_CACHE_WB | CP_CACHE_INV |
			     (body[0] & COHER_ICACHE ? CP_CACHE_ICACHE : 0));
}

/* Lengths: GFX9 PM4 packet layouts in the kernel's soc15d.h. */
static const struct pm4_packet pm4_packets[] = {
	{ PM4_NOP, 1, 0x4000, pm4_nop },
	{ PM4_ACQUIRE_MEM, 7, 8, pm4_acquire_mem },
};

static const struct pm4_packet *pm4_find(u32 header)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pm4_packets); i++)
		if (pm4_packets[i].opcode == PM4_OPCODE(header))
			return &pm4_packets[i];
	return NULL;
}

static u32 pm4_dwords(u32 header)
{
	if (PM4_TYPE(header) == PM4_TYPE2)
		return 1;
	if (PM4_OPCODE(header) == PM4_NOP && PM4_COUNT(header) == PM4_COUNT_NONE)
		return 1;
	return PM4_COUNT(header) + 2;
}

/* One packet of which @have dwords are at @w; 0 if it is not acceptable. */
static u32 pm4_one(struct cp_env *env, const u32 *w, u32 have, u32 left)
{
	const struct pm4_packet *row;
	u32 n = pm4_dwords(w[0]);

	if (n > left)
		return 0;
	if (PM4_TYPE(w[0]) == PM4_TYPE2)
		return n;
	row = PM4_TYPE(w[0]) == PM4_TYPE3 ? pm4_find(w[0]) : NULL;
	if (!row || n < row->min_dwords || n > row->max_dwords)
		return 0;
	if (have > 1)
		row->exec(env, w + 1);
	return n;
}

int cp_pm4_run_ib(struct cp_queue *q, struct cp_env *env, u64 va, u32 dwords,
		  u32 *code)
{
	u32 buf[64 + PM4_BODY_MAX];
	u32 pos = 0, start = 0, end = 0, n;
	int err;

	while (pos < dwords) {
		/* Keep a header and the body that handlers look at in buf. */
		if (pos >= end || (end < dwords && end - pos <= PM4_BODY_MAX)) {
			start = pos;
			end = pos + ARRAY_SIZE(buf);
			if (end > dwords)
				end = dwords;
			memset(buf, 0, sizeof(buf));
			err = env->ops->read(env, va + 4ull * start, buf,
					     4 * (end - start));
			if (err)
				return err;
		}
		n = pm4_one(env, buf + (pos - start), end - pos, dwords - pos);
		if (!n) {
			q->error_word = buf[pos - start];
			*code = CP_ERR_VENDOR;
			return 0;
		}
		pos += n;
	}
	return 0;
}
