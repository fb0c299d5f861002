// SPDX-License-Identifier: MIT
/*
 * libFuzzer: any bytes as memory (ring, queue, signals, descriptor, IB), any
 * order of steps, rings and completions. The input's first 16 bytes drive the
 * schedule, the rest is spread over the interesting pages.
 */
#include "fake_env.h"

static void spread(struct fake_env *f, const u8 *data, size_t size)
{
	static const u64 page[] = {
		RING_VA, QUEUE_VA, SIGNAL_VA, KERNEL_VA, IB_VA, INACTIVE_VA,
	};
	size_t i, chunk = 256;

	for (i = 0; size; i++) {
		size_t n = size < chunk ? size : chunk;

		memcpy((u8 *)fake_at(f, page[i % ARRAY_SIZE(page)]) +
		       i / ARRAY_SIZE(page) % 8 * chunk, data, n);
		data += n;
		size -= n;
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct fake_env f;
	unsigned int i, done = 0;

	if (size < 16)
		return 0;
	fake_env_init(&f);
	spread(&f, data + 16, size - 16);
	for (i = 0; i < 16; i++) {
		cp_queue_ring(&f.q, &f.env, data[i] & 0x3f);
		fake_run(&f);
		if ((data[i] & 0x80) && done < f.ndispatched) {
			struct cp_dispatch *d = &f.dispatched[done++];
			struct cp_done c = {
				.index = d->index, .signal = d->signal, .start = 1, .end = 2,
				.pm4 = d->pm4,
			};

			f.slots++;
			if (f.env.ops->complete(&f.env, &f.q, &c))
				cp_queue_fault(&f.q);
		}
		if (data[i] & 0x40)
			fake_put(&f, INACTIVE_VA + CP_SIGNAL_VALUE, 0, 8);
		if (cp_queue_in_flight(&f.q) > CP_WINDOW)
			__builtin_trap();
	}
	return 0;
}
