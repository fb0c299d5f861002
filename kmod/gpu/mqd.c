// SPDX-License-Identifier: GPL-2.0-only
/*
 * MQD images. They are built when somebody reads them, as our scheduler keeps its state in
 * structures of its own.
 */
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "queue.h"
#include "device.h"
#include "mqd.h"
#include "../model/target.h"

const struct gpu_mqd_format *gpu_mqd_format(const struct gpu_device *gdev)
{
	static const struct gpu_mqd_format * const formats[] = {
		[GPU_MQD_V9] = &gpu_mqd_v9,
		[GPU_MQD_V10] = &gpu_mqd_v10,
		[GPU_MQD_V11] = &gpu_mqd_v11,
		[GPU_MQD_V12] = &gpu_mqd_v12,
	};

	BUILD_BUG_ON(ARRAY_SIZE(formats) != GPU_MQD_VERSIONS);
	return formats[gdev->target->mqd];
}

unsigned int gpu_mqd_dwords(const struct gpu_queue *q)
{
	const struct gpu_mqd_format *f = gpu_mqd_format(q->gdev);

	return q->props.type == GPU_QUEUE_SDMA ? f->sdma_dwords : f->dwords;
}

void gpu_mqd_fill(const struct gpu_queue *q, const struct gpu_queue_state *s, u32 *mqd)
{
	const struct gpu_mqd_format *f = gpu_mqd_format(q->gdev);

	memset(mqd, 0, gpu_mqd_dwords(q) * sizeof(*mqd));
	if (q->props.type == GPU_QUEUE_SDMA)
		f->sdma(q, s, mqd);
	else
		f->compute(q, s, mqd);
}
