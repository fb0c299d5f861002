// SPDX-License-Identifier: GPL-2.0-only
/* Translates the packet processors' error codes to enum gpu_queue_error. */
#include "sdma.h"

enum gpu_queue_error hw_error_of_code(u32 code)
{
	static const struct {
		u32 code;
		enum gpu_queue_error error;
	} rows[] = {
		{ CP_ERR_SCRATCH, GPU_QUEUE_ERR_SCRATCH },
		{ CP_ERR_DIM, GPU_QUEUE_ERR_DIM },
		{ CP_ERR_GROUP_MEM, GPU_QUEUE_ERR_GROUP_MEM },
		{ CP_ERR_CODE, GPU_QUEUE_ERR_CODE },
		{ CP_ERR_PACKET, GPU_QUEUE_ERR_PACKET },
		{ CP_ERR_GROUP_SIZE, GPU_QUEUE_ERR_GROUP_SIZE },
		{ CP_ERR_VGPRS, GPU_QUEUE_ERR_REGISTERS },
		{ CP_ERR_VENDOR, GPU_QUEUE_ERR_VENDOR },
		{ CP_ERR_APERTURE, GPU_QUEUE_ERR_APERTURE },
		{ CP_ERR_ILLEGAL, GPU_QUEUE_ERR_ILLEGAL },
		{ CP_ERR_TRAP, GPU_QUEUE_ERR_TRAP },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].code == code)
			return rows[i].error;
	WARN_ONCE(1, "no queue error for code 0x%x\n", code);
	return GPU_QUEUE_ERR_PACKET;
}

enum gpu_queue_error hw_error_of_sdma(enum sdma_error error)
{
	static const enum gpu_queue_error errors[SDMA_ERRORS] = {
		[SDMA_ERR_OPCODE] = GPU_QUEUE_ERR_SDMA_PACKET,
		[SDMA_ERR_REFUSED] = GPU_QUEUE_ERR_SDMA_REFUSED,
		[SDMA_ERR_MALFORMED] = GPU_QUEUE_ERR_SDMA_PACKET,
		[SDMA_ERR_WPTR] = GPU_QUEUE_ERR_SDMA_WPTR,
		[SDMA_ERR_TIMEOUT] = GPU_QUEUE_ERR_SDMA_TIMEOUT,
	};

	return errors[error];
}
