// SPDX-License-Identifier: MIT
/*
 * libFuzzer: any bytes as ring, indirect buffer and data, any order of rings
 * and steps. The first 16 bytes drive the schedule. What must hold: no access
 * outside the fake memory, no step that moves more than is promised, a read
 * pointer that never passes the write pointer.
 */
#include "fake_sdma.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct fake_sdma f;
	static unsigned int targets;
	unsigned int i, n;
	size_t part;

	if (size < 16)
		return 0;
	while (gpu_target_get(targets))
		targets++;
	fake_sdma_init(&f, gpu_target_get(data[0] % targets)->gfx_version, data[0] >> 6);
	size -= 16;
	part = size < SD_RING_BYTES ? size : SD_RING_BYTES;
	memcpy(fake_sdma_at(&f, SD_RING), data + 16, part);
	memcpy(fake_sdma_at(&f, SD_IB), data + 16 + part, size - part);
	for (i = 1; i < 16; i++) {
		u64 bytes = f.q.bytes;

		f.wptr += data[i] * 4;
		if (cp_sdma_ring(&f.q, &f.env, f.wptr))
			for (n = 0; n < 64; n++) {
				if (cp_sdma_step(&f.q, &f.env) != CP_PROGRESS)
					break;
				if (f.q.bytes - bytes > 2 * SDMA_STEP_BYTES)
					__builtin_trap();
				bytes = f.q.bytes;
			}
		cp_sdma_report(&f.q, &f.env);
		if (!f.q.stopped && f.q.rptr > f.q.wptr)
			__builtin_trap();
	}
	return 0;
}
