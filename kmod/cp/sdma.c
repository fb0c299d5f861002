// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stream of an SDMA queue: ring, indirect buffer, indices.
 *
 * The fixed part of a packet is copied out once and kept until the packet is done, so
 * later changes by user space have no effect. If only a part of a packet was written so
 * far, the queue waits for the rest. A packet that can never be complete, because it is
 * longer than the ring or its indirect buffer, stops the queue.
 */
#include "sdma_int.h"

const char *cp_sdma_error_name(enum sdma_error error)
{
	static const char * const names[SDMA_ERRORS] = {
		[SDMA_ERR_NONE] = "none",
		[SDMA_ERR_OPCODE] = "unknown packet",
		[SDMA_ERR_REFUSED] = "refused packet",
		[SDMA_ERR_MALFORMED] = "malformed packet",
		[SDMA_ERR_WPTR] = "write pointer beyond the ring",
		[SDMA_ERR_TIMEOUT] = "poll has no retries left",
	};

	return error < SDMA_ERRORS ? names[error] : "?";
}

static bool sdma_ring_ok(u64 ring_va, u32 ring_bytes)
{
	return !(ring_va % 4) && ring_bytes >= 4 * SDMA_PACKET_DWORDS &&
	       !(ring_bytes & (ring_bytes - 1));
}

int cp_sdma_init(struct cp_sdma *q, const struct gpu_target *target, u32 engine,
		 u64 ring_va, u32 ring_bytes, u64 wptr_va, u64 rptr_va)
{
	if (!sdma_ring_ok(ring_va, ring_bytes) || wptr_va % 8 || rptr_va % 8)
		return -EINVAL;
	memset(q, 0, sizeof(*q));
	q->target = target;
	q->engine = engine;
	q->ring_va = ring_va;
	q->ring_bytes = ring_bytes;
	q->wptr_va = wptr_va;
	q->rptr_va = rptr_va;
	q->reload = true;
	return 0;
}

void cp_sdma_init_ib(struct cp_sdma *q, const struct gpu_target *target, u32 engine,
		     u64 va, u32 dwords)
{
	memset(q, 0, sizeof(*q));
	q->target = target;
	q->engine = engine;
	q->ib.va = va;
	q->ib.dwords = dwords;
}

int cp_sdma_move(struct cp_sdma *q, u64 ring_va, u32 ring_bytes)
{
	if (!sdma_ring_ok(ring_va, ring_bytes))
		return -EINVAL;
	q->ring_va = ring_va;
	q->ring_bytes = ring_bytes;
	q->reload = true;
	return 0;
}

/* -EAGAIN means that the memory is not there yet: try the same again later. */
static enum cp_status sdma_memory_failed(struct cp_sdma *q, int err)
{
	if (err == -EAGAIN) {
		q->polling = true;
		return CP_BLOCKED;
	}
	q->stopped = true;
	q->faulted = true;
	return CP_ERROR;
}

static enum cp_status sdma_stop_queue(struct cp_sdma *q, const char *name)
{
	q->stopped = true;
	q->error_name = name;
	return CP_ERROR;
}

static void sdma_raise_wptr(struct cp_sdma *q, u64 value)
{
	value &= ~3ull;
	if ((s64)(value - q->wptr) > 0)
		q->wptr = value;
}

bool cp_sdma_ring(struct cp_sdma *q, struct sdma_env *env, u64 value)
{
	u64 written;
	int err;

	if (q->stopped)
		return false;
	if (q->reload) {
		err = env->ops->read64(env, q->wptr_va, &written);
		if (err) {
			sdma_memory_failed(q, err);
			return true;
		}
		q->reload = false;
		sdma_raise_wptr(q, written);
	}
	if (value != q->doorbell) {
		WRITE_ONCE(q->doorbell, value);
		sdma_raise_wptr(q, value);
	}
	return q->wptr != q->rptr || q->late;
}

/* ------------------------------------------------------------------ stream */

static u32 sdma_ring_left(const struct cp_sdma *q)
{
	return (q->wptr - q->rptr) / 4;
}

/* Dwords that can be read from the current packet on, in the indirect buffer or the ring. */
u32 sdma_left(const struct cp_sdma *q)
{
	return q->ib.dwords ? q->ib.dwords - q->ib.at : sdma_ring_left(q);
}

int sdma_fetch(struct cp_sdma *q, struct sdma_env *env, u32 first, u32 n, u32 *dst)
{
	u32 offset, bytes = 4 * n, part;
	int err;

	if (q->ib.dwords)
		return env->ops->read(env, q->ib.va + 4ull * (q->ib.at + first), dst,
				      bytes);
	offset = (q->rptr + 4ull * first) & (q->ring_bytes - 1);
	part = q->ring_bytes - offset;
	if (part >= bytes)
		return env->ops->read(env, q->ring_va + offset, dst, bytes);
	err = env->ops->read(env, q->ring_va + offset, dst, part);
	if (!err)
		err = env->ops->read(env, q->ring_va, dst + part / 4, bytes - part);
	return err;
}

static void sdma_consume(struct cp_sdma *q, u32 dwords)
{
	if (q->ib.dwords)
		q->ib.at += dwords;
	else
		q->rptr += 4ull * dwords;
}

/* A packet in the ring may be completed by the next doorbell, one in a buffer never. */
static bool sdma_never_whole(const struct cp_sdma *q, u32 dwords)
{
	return q->ib.dwords || dwords > q->ring_bytes / 4;
}

/* On CP_PROGRESS, q->row is the next packet. */
static enum cp_status sdma_next_packet(struct cp_sdma *q, struct sdma_env *env)
{
	u32 header, left = sdma_left(q);
	const struct sdma_row *row;
	u32 need;
	int err;

	err = sdma_fetch(q, env, 0, 1, &header);
	if (err)
		return sdma_memory_failed(q, err);
	q->error_word = header;
	row = sdma_row_find(header);
	if (!row || !row->exec) {
		q->error = row ? SDMA_ERR_REFUSED : SDMA_ERR_OPCODE;
		return sdma_stop_queue(q, row ? row->name : "SDMA_UNKNOWN");
	}
	need = row->fixed;
	if (left >= need) {
		q->pkt[0] = header;
		err = need > 1 ? sdma_fetch(q, env, 1, need - 1, q->pkt + 1) : 0;
		if (err)
			return sdma_memory_failed(q, err);
		if (row->length)
			need = row->length(q, q->pkt);
	}
	if (left < need) {
		if (!sdma_never_whole(q, need))
			return CP_IDLE;
		q->error = SDMA_ERR_MALFORMED;
		return sdma_stop_queue(q, row->name);
	}
	q->row = row;
	q->dwords = need;
	q->done = 0;
	q->retries = 0;
	return CP_PROGRESS;
}

static void sdma_finish_packet(struct cp_sdma *q)
{
	sdma_consume(q, q->dwords);
	q->row = NULL;
	q->packets++;
}

static enum cp_status sdma_exec_packet(struct cp_sdma *q, struct sdma_env *env)
{
	const struct sdma_row *row = q->row;
	int verdict = row->exec(q, env, q->pkt);

	switch (verdict) {
	case SDMA_DONE:
		sdma_finish_packet(q);
		return CP_PROGRESS;
	case SDMA_MORE:
		return CP_PROGRESS;
	case SDMA_ENTER:
		q->row = NULL;
		q->packets++;
		return CP_PROGRESS;
	case SDMA_WAIT:
		q->polling = true;
		return CP_BLOCKED;
	case SDMA_STOP:
		q->error_word = q->pkt[0];
		return sdma_stop_queue(q, row->name);
	default:
		return sdma_memory_failed(q, verdict);
	}
}

/* The INDIRECT packet that started the buffer has six dwords. */
static void sdma_leave_ib(struct cp_sdma *q)
{
	q->ib.dwords = 0;
	sdma_consume(q, 6);
}

static enum cp_status sdma_skip_some(struct cp_sdma *q)
{
	u32 left = sdma_left(q), n = left < q->skip ? left : q->skip;

	if (!n) {
		if (!q->ib.dwords)
			return CP_IDLE;
		q->error = SDMA_ERR_MALFORMED;
		return sdma_stop_queue(q, "SDMA_SKIP");
	}
	q->skip -= n;
	sdma_consume(q, n);
	return CP_PROGRESS;
}

enum cp_status cp_sdma_step(struct cp_sdma *q, struct sdma_env *env)
{
	enum cp_status status;

	q->polling = false;
	if (q->stopped)
		return CP_ERROR;
	if (q->reload)
		return sdma_memory_failed(q, -EAGAIN);
	if (q->wptr - q->rptr > q->ring_bytes) {
		q->error = SDMA_ERR_WPTR;
		return sdma_stop_queue(q, "SDMA_RING");
	}
	if (q->row)
		return sdma_exec_packet(q, env);
	if (q->skip)
		return sdma_skip_some(q);
	if (!sdma_left(q)) {
		if (!q->ib.dwords)
			return CP_IDLE;
		sdma_leave_ib(q);
		return CP_PROGRESS;
	}
	status = sdma_next_packet(q, env);
	return status == CP_PROGRESS ? sdma_exec_packet(q, env) : status;
}

enum cp_status cp_sdma_report(struct cp_sdma *q, struct sdma_env *env)
{
	int err;

	if (q->faulted || q->told == q->rptr)
		return CP_PROGRESS;
	err = env->ops->write64(env, q->rptr_va, q->rptr);
	q->late = err == -EAGAIN;
	if (err)
		return sdma_memory_failed(q, err);
	q->told = q->rptr;
	return CP_PROGRESS;
}
