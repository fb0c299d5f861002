// SPDX-License-Identifier: GPL-2.0-only
/*
 * SDMA's ATOMIC packet. It uses the operation numbers of PM4 (atomic.c), and can repeat a
 * compare-and-swap until it succeeds.
 */
#include "cp_int.h"
#include "sdma_int.h"

#define ATOMIC_LOOP		BIT(16)
#define ATOMIC_TMZ		BIT(18)
#define ATOMIC_OP(header)	(((header) >> 25) & 0x7f)
#define ATOMIC_TRIES		64	/* then give other queues a turn */

/* *@before returns the old value; SDMA_MORE: other writers were faster each time. */
static int sdma_modify(struct sdma_env *env, const u32 *pkt, u32 bytes, u64 *before)
{
	u64 va = sdma_addr(pkt + 1), old = 0, seen, val;
	u32 op = ATOMIC_OP(pkt[0]), word = 0, i;
	int err;

	if (bytes == 4) {
		err = env->ops->read32(env, va, &word);
		old = word;
	} else {
		err = env->ops->read64(env, va, &old);
	}
	for (i = 0; i < ATOMIC_TRIES && !err; i++) {
		val = cp_atomic_result(op, old, sdma_addr(pkt + 3), sdma_addr(pkt + 5));
		seen = old;
		err = env->ops->cas(env, va, bytes, &seen, val);
		if (!err && seen == old) {
			*before = old;
			return SDMA_DONE;
		}
		old = seen;
	}
	return err ?: SDMA_MORE;
}

int sdma_atomic(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	u32 op = ATOMIC_OP(pkt[0]), bytes = cp_atomic_bytes(op);
	bool loop = pkt[0] & ATOMIC_LOOP;
	u64 before = 0;
	int verdict;

	if (!bytes || pkt[0] & ATOMIC_TMZ || (loop && !cp_atomic_is_cmpswap(op)))
		return sdma_stop(q, SDMA_ERR_REFUSED);
	if (sdma_addr(pkt + 1) % bytes)
		return sdma_stop(q, SDMA_ERR_MALFORMED);
	verdict = sdma_modify(env, pkt, bytes, &before);
	if (verdict == SDMA_DONE && loop && !cp_atomic_equal(op, before, sdma_addr(pkt + 5)))
		return SDMA_WAIT;
	return verdict;
}
