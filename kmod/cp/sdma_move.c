// SPDX-License-Identifier: GPL-2.0-only
/*
 * SDMA packets that move data, SDMA_STEP_BYTES at a time; cp_sdma.done is the progress of
 * the current packet.
 */
#include "sdma_int.h"

#define HEADER_ENCRYPT		BIT(16)
#define HEADER_TMZ		BIT(18)
#define HEADER_CPV		BIT(19)
#define HEADER_BROADCAST	BIT(27)

/* Byte swapping of source and destination; a second destination has its own field. */
#define PARAMETER_SWAP		(3u << 24 | 3u << 16)
#define PARAMETER_SWAP2		(3u << 8)

#define CHUNK_DWORDS		64u	/* buffer on the stack */

static u32 min_step(u64 left)
{
	return left < SDMA_STEP_BYTES ? left : SDMA_STEP_BYTES;
}

static int sdma_moved(struct cp_sdma *q, u32 bytes, u64 total)
{
	q->done += bytes;
	q->bytes += bytes;
	return q->done < total ? SDMA_MORE : SDMA_DONE;
}

/* SDMA 7: CPV: one more dword follows, about compression (sdma_v7_0_emit_copy_buffer()). */
static bool sdma_has_dcc(const struct cp_sdma *q, const u32 *pkt)
{
	return (pkt[0] & HEADER_CPV) && gpu_target_has(q->target, GPU_FEAT_SDMA7);
}

u32 sdma_copy_linear_dwords(const struct cp_sdma *q, const u32 *pkt)
{
	return (pkt[0] & HEADER_BROADCAST ? 9 : 7) + sdma_has_dcc(q, pkt);
}

/* No memory is compressed here. Where that dword of a broadcast stands, no source says. */
static int sdma_dcc(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	u32 dcc = 0;
	int err;

	if (pkt[0] & HEADER_BROADCAST)
		return sdma_stop(q, SDMA_ERR_REFUSED);
	err = sdma_fetch(q, env, 7, 1, &dcc);
	return !err && dcc ? sdma_stop(q, SDMA_ERR_REFUSED) : err;
}

/* The second destination follows the fixed part. */
static int sdma_second_dst(struct cp_sdma *q, struct sdma_env *env)
{
	return sdma_fetch(q, env, 7, 2, q->pkt + 7);
}

int sdma_copy_linear(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	u64 total = (u64)(pkt[1] & q->target->sdma_count_mask) + 1;
	bool broadcast = pkt[0] & HEADER_BROADCAST;
	u32 n;
	int err = 0;

	if (pkt[1] & ~q->target->sdma_count_mask)
		return sdma_stop(q, SDMA_ERR_MALFORMED);
	if (pkt[0] & (HEADER_ENCRYPT | HEADER_TMZ) ||
	    pkt[2] & (PARAMETER_SWAP | PARAMETER_SWAP2))
		return sdma_stop(q, SDMA_ERR_REFUSED);
	if (sdma_has_dcc(q, pkt) && !q->done)
		err = sdma_dcc(q, env, pkt);
	else if (broadcast && !q->done)
		err = sdma_second_dst(q, env);
	if (err)
		return err;
	n = min_step(total - q->done);
	err = env->ops->copy(env, sdma_addr(pkt + 5) + q->done,
			     sdma_addr(pkt + 3) + q->done, n);
	if (!err && broadcast)
		err = env->ops->copy(env, sdma_addr(pkt + 7) + q->done,
				     sdma_addr(pkt + 3) + q->done, n);
	return err ?: sdma_moved(q, n, total);
}

/* ------------------------------------------------------------- sub-windows */

/* One side of a sub-window copy, in units of elements. */
struct window {
	u64 base;
	u32 x, y, z;
	u32 pitch;
	u64 slice;
};

/*
 * Fields of the packet: masks of x and of y, which is in the upper half of a dword, of z, and of
 * the distance between slices; where the pitch begins, which goes to the dword's end.
 */
struct window_bits {
	u32 xy, z, pitch_shift, slice;
};

/* SDMA 7's fields are ROCr's, SDMA_PKT_COPY_LINEAR_RECT_GFX12. */
static const struct window_bits *window_bits(const struct cp_sdma *q)
{
	static const struct window_bits sdma4 = { 0x3fff, 0x7ff, 13, 0x0fffffff };
	static const struct window_bits sdma7 = { 0xffff, 0x3fff, 16, 0xffffffff };

	return gpu_target_has(q->target, GPU_FEAT_SDMA7) ? &sdma7 : &sdma4;
}

static struct window window_parse(const struct window_bits *b, const u32 *dw)
{
	return (struct window){
		.base = sdma_addr(dw),
		.x = dw[2] & b->xy, .y = (dw[2] >> 16) & b->xy,
		.z = dw[3] & b->z,
		.pitch = (dw[3] >> b->pitch_shift) + 1,
		.slice = (u64)(dw[4] & b->slice) + 1,
	};
}

static u64 window_row(const struct window *w, u32 y, u32 z, u32 element)
{
	u64 at = w->x + (u64)(w->y + y) * w->pitch + (w->z + z) * w->slice;

	return w->base + (at << element);
}

/* Copies row after row, long ones in pieces; q->done counts the pieces. */
int sdma_copy_window(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	const struct window_bits *b = window_bits(q);
	struct window src = window_parse(b, pkt + 1), dst = window_parse(b, pkt + 6);
	u32 element = pkt[0] >> 29, width = (pkt[11] & b->xy) + 1;
	u32 height = ((pkt[11] >> 16) & b->xy) + 1, depth = (pkt[12] & b->z) + 1;
	u32 row_bytes = width << element, pieces = (row_bytes - 1) / SDMA_STEP_BYTES + 1;
	u32 n = 0, at, bytes, y, z;
	u64 total = (u64)height * depth * pieces;
	int err;

	if (element > 4 || src.base % 4 || dst.base % 4)
		return sdma_stop(q, SDMA_ERR_MALFORMED);
	if (pkt[0] & HEADER_TMZ || pkt[12] & PARAMETER_SWAP || sdma_has_dcc(q, pkt))
		return sdma_stop(q, SDMA_ERR_REFUSED);
	do {
		y = (u32)(q->done / pieces % height);
		z = (u32)(q->done / pieces / height);
		at = (u32)(q->done % pieces) * SDMA_STEP_BYTES;
		bytes = min_step(row_bytes - at);
		err = env->ops->copy(env, window_row(&dst, y, z, element) + at,
				     window_row(&src, y, z, element) + at, bytes);
		if (err)
			return err;
		q->done++;
		/* Short rows have a cost, too: count 256 bytes for each row. */
		n += bytes + 256;
		q->bytes += bytes;
	} while (q->done < total && n < SDMA_STEP_BYTES);
	return q->done < total ? SDMA_MORE : SDMA_DONE;
}

/* -------------------------------------------------------------------- swap */

static int sdma_swap_chunk(struct sdma_env *env, u64 a, u64 b, u32 bytes)
{
	u32 from_a[CHUNK_DWORDS], from_b[CHUNK_DWORDS];
	int err;

	err = env->ops->read(env, a, from_a, bytes);
	if (!err)
		err = env->ops->read(env, b, from_b, bytes);
	/*
	 * Write the old values back first, to see that both sides are writable: half a
	 * swap could not be repeated.
	 */
	if (!err)
		err = env->ops->write(env, a, from_a, bytes);
	if (!err)
		err = env->ops->write(env, b, from_b, bytes);
	if (err)
		return err;
	err = env->ops->write(env, a, from_b, bytes);
	if (!err)
		err = env->ops->write(env, b, from_a, bytes);
	return err == -EAGAIN ? -EFAULT : err;
}

/* Both operands are aligned to 64 bytes (ROCr: SDMA_PKT_COPY_LINEAR_SWAP). */
int sdma_copy_swap(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	u64 a = sdma_addr(pkt + 3), b = sdma_addr(pkt + 5);
	u64 total = (u64)pkt[1] + 1;
	u32 n, i;
	int err = 0;

	if (!gpu_target_has(q->target, GPU_FEAT_SDMA_SWAP))
		return sdma_stop(q, SDMA_ERR_OPCODE);
	if (pkt[1] & ~q->target->sdma_count_mask || a % 64 || b % 64)
		return sdma_stop(q, SDMA_ERR_MALFORMED);
	if (pkt[0] & HEADER_TMZ || pkt[2] & PARAMETER_SWAP)
		return sdma_stop(q, SDMA_ERR_REFUSED);
	n = min_step(total - q->done);
	if (n > SDMA_STEP_BYTES / 4)
		n = SDMA_STEP_BYTES / 4;
	for (i = 0; i < n; i += 4 * CHUNK_DWORDS) {
		err = sdma_swap_chunk(env, a + q->done + i, b + q->done + i,
				      n - i < 4 * CHUNK_DWORDS ? n - i : 4 * CHUNK_DWORDS);
		if (err)
			break;
	}
	/* After an error, report the swapped part as done: it must not be swapped again. */
	if (err && !i)
		return err;
	return sdma_moved(q, err ? i : n, total);
}

/* ------------------------------------------------------------- write, fill */

#define WRITE_COUNT(dw)		(((dw) & 0xfffff) + 1)

u32 sdma_write_linear_dwords(const struct cp_sdma *q, const u32 *pkt)
{
	return 4 + WRITE_COUNT(pkt[3]);
}

int sdma_write_linear(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	u64 va = sdma_addr(pkt + 1);
	u32 data[CHUNK_DWORDS], total = WRITE_COUNT(pkt[3]);
	u32 at = q->done / 4, n = total - at;
	int err;

	if (va % 4)
		return sdma_stop(q, SDMA_ERR_MALFORMED);
	if (pkt[0] & (HEADER_ENCRYPT | HEADER_TMZ) || (pkt[3] >> 24) & 3)
		return sdma_stop(q, SDMA_ERR_REFUSED);
	if (n > CHUNK_DWORDS)
		n = CHUNK_DWORDS;
	err = sdma_fetch(q, env, 4 + at, n, data);
	if (!err)
		err = env->ops->write(env, va + q->done, data, 4 * n);
	return err ?: sdma_moved(q, 4 * n, 4ull * total);
}

#define INCR_COUNT(dw)		(((dw) & 0x7ffff) + 1)

/*
 * Writes an arithmetic progression of qwords, each ORed with the mask. It is meant for
 * page tables (see the kernel's sdma_v4_0_vm_set_pte_pde()).
 */
int sdma_write_incr(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	u64 va = sdma_addr(pkt + 1), mask = sdma_addr(pkt + 3), init = sdma_addr(pkt + 5);
	u64 incr = sdma_addr(pkt + 7), total = 8ull * INCR_COUNT(pkt[9]);
	u64 data[CHUNK_DWORDS / 2];
	u32 i, n = ARRAY_SIZE(data);
	int err;

	if (va % 8)
		return sdma_stop(q, SDMA_ERR_MALFORMED);
	if (n > (total - q->done) / 8)
		n = (total - q->done) / 8;
	for (i = 0; i < n; i++)
		data[i] = (init + (q->done / 8 + i) * incr) | mask;
	err = env->ops->write(env, va + q->done, data, 8 * n);
	return err ?: sdma_moved(q, 8 * n, total);
}

#define FILL_SIZE(header)	((header) >> 30)
#define FILL_COUNT		0x003fffffu
#define FILL_SWAP(header)	(((header) >> 16) & 3)

/*
 * The packet's count is the number of bytes minus one unit (ROCr) or minus one byte (the
 * kernel). Ignoring the bits below a unit makes both the same.
 */
int sdma_const_fill(struct cp_sdma *q, struct sdma_env *env, const u32 *pkt)
{
	static const u32 repeat[] = { 0x01010101, 0x00010001, 1 };
	static const u32 mask[] = { 0xff, 0xffff, 0xffffffff };
	u32 size = FILL_SIZE(pkt[0]), n;
	u64 va = sdma_addr(pkt + 1), total;
	int err;

	if (size >= ARRAY_SIZE(repeat) || pkt[4] & ~FILL_COUNT || va & (BIT(size) - 1))
		return sdma_stop(q, SDMA_ERR_MALFORMED);
	if (FILL_SWAP(pkt[0]))
		return sdma_stop(q, SDMA_ERR_REFUSED);
	size = array_index_nospec(size, ARRAY_SIZE(repeat));
	total = (((u64)pkt[4] >> size) + 1) << size;
	n = min_step(total - q->done);
	err = env->ops->fill(env, va + q->done, (pkt[3] & mask[size]) * repeat[size], n);
	return err ?: sdma_moved(q, n, total);
}
