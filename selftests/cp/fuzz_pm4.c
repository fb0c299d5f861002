// SPDX-License-Identifier: MIT
/*
 * libFuzzer: any bytes as a PM4 ring, as indirect buffers and as the memory
 * that packets name, in any order of doorbells, steps and ended dispatches.
 * The first 16 bytes drive the schedule. Addresses in packets are bent into
 * the memory that is there, or most inputs would end in a fault at once.
 */
#include "fake_env.h"

#define RING_DWORDS	256u
#define MAX_STEPS	2000

static void bend(u32 *dw, size_t n)
{
	size_t i;

	/* Behind every word that could be the high half of an address */
	for (i = 1; i < n; i++)
		if (dw[i] < 0x100 && dw[i - 1] >= MEM_BASE + MEM_BYTES)
			dw[i - 1] = MEM_BASE + dw[i - 1] % MEM_BYTES;
}

static void spread(struct fake_env *f, const u8 *data, size_t size)
{
	static const u64 page[] = { RING_VA, IB_VA, IB_VA + 0x400, KERNEL_VA, SIGNAL_VA };
	size_t i, chunk = 256, n;

	for (i = 0; size; i++, data += n, size -= n) {
		n = size < chunk ? size : chunk;
		memcpy((u8 *)fake_at(f, page[i % ARRAY_SIZE(page)]) +
		       i / ARRAY_SIZE(page) % 4 * chunk, data, n);
	}
	for (i = 0; i < ARRAY_SIZE(page); i++)
		bend(fake_at(f, page[i]), RING_DWORDS);
}

static void steps(struct fake_env *f)
{
	unsigned int i;

	for (i = 0; i < MAX_STEPS; i++)
		if (cp_step(&f->q, &f->env) != CP_PROGRESS)
			break;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct fake_env f;
	unsigned int i, done = 0;
	u64 wptr = 0;

	if (size < 16)
		return 0;
	fake_env_init(&f);
	if (cp_queue_init(&f.q, gpu_target_by_version(data[0] & 1 ? 90402 : 90010),
			  CP_KIND_PM4, RING_VA, RING_DWORDS * 4, QUEUE_VA + 16, QUEUE_VA + 8))
		__builtin_trap();
	spread(&f, data + 16, size - 16);
	for (i = 1; i < 16; i++) {
		wptr += data[i] & 0x3f;
		cp_queue_ring(&f.q, &f.env, data[i] & 0x40 ? (u64)data[i] << 32 : wptr);
		steps(&f);
		if ((data[i] & 0x80) && done < f.ndispatched)
			fake_finish(&f, done++);
		if (cp_queue_in_flight(&f.q) > ARRAY_SIZE(f.dispatched) ||
		    f.q.pm4.depth > CP_PM4_IBS || f.q.pm4.fences > CP_PM4_FENCES ||
		    f.q.limit - f.q.next > RING_DWORDS)
			__builtin_trap();
	}
	return 0;
}
