// SPDX-License-Identifier: GPL-2.0-only
/* Names of the reasons for which a queue is stopped. */
#include <linux/kernel.h>

#include "queue.h"

const char *gpu_queue_error_name(enum gpu_queue_error error)
{
	static const char * const names[] = {
		[GPU_QUEUE_NO_ERROR] = "none",
		[GPU_QUEUE_ERR_SCRATCH] = "not enough scratch",
		[GPU_QUEUE_ERR_DIM] = "invalid dimensions",
		[GPU_QUEUE_ERR_GROUP_MEM] = "too much group memory",
		[GPU_QUEUE_ERR_GROUP_SIZE] = "invalid work-group size",
		[GPU_QUEUE_ERR_REGISTERS] = "too many registers",
		[GPU_QUEUE_ERR_CODE] = "invalid code",
		[GPU_QUEUE_ERR_PACKET] = "invalid packet",
		[GPU_QUEUE_ERR_VENDOR] = "unsupported vendor packet",
		[GPU_QUEUE_ERR_APERTURE] = "aperture violation",
		[GPU_QUEUE_ERR_ILLEGAL] = "illegal instruction",
		[GPU_QUEUE_ERR_TRAP] = "trap",
		[GPU_QUEUE_ERR_SDMA_PACKET] = "invalid SDMA packet",
		[GPU_QUEUE_ERR_SDMA_REFUSED] = "refused SDMA packet",
		[GPU_QUEUE_ERR_SDMA_WPTR] = "SDMA write pointer out of range",
		[GPU_QUEUE_ERR_SDMA_TIMEOUT] = "SDMA poll timed out",
	};

	return error < ARRAY_SIZE(names) && names[error] ? names[error] : "unknown";
}
