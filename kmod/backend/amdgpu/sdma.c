// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moves memory for SDMA queues (hw/hw.h): hw/ reads their packets, and what these copy and fill
 * becomes packets of ours on an SDMA ring below. Packets collect in one of two indirect buffers
 * until it is full or all has to be settled; meanwhile the ring may work on the other one.
 *
 * Packets: the kernel's vega10_sdma_pkt_open.h, and ROCr's sdma_registers.h.
 */
#include <linux/bits.h>
#include <linux/dma-fence.h>
#include <linux/err.h>
#include <linux/slab.h>

#include "amdgpu_int.h"
#include "../../../uapi/drm/amdgpu_drm.h"

#define OP_COPY		1
#define OP_FENCE	5
#define OP_FILL		11
#define FILL_DWORDS	(2u << 30)

#define WAIT_JIFFIES	(90 * HZ)

#define BUFFERS		2
#define BUFFER_BYTES	8192u
#define PACKET_DWORDS	8	/* with NOPs (0), of which rings want multiples */

static_assert(!(PAGE_SIZE % (PACKET_DWORDS * 4)));

/**
 * struct amdgpu_sdma - what hw/ has of a queue
 * @ch: indirect buffers
 * @process: whose
 * @ring: below
 * @fence: of what was submitted of each buffer, or NULL
 * @at: the buffer that packets go to
 * @bytes: in use of it
 * @err: sticky: how something failed
 * @fault: if that is -EFAULT
 */
struct amdgpu_sdma {
	struct amdgpu_channel ch;
	struct gpu_process *process;
	u32 ring;
	struct dma_fence *fence[BUFFERS];
	unsigned int at;
	u32 bytes;
	int err;
	struct gpu_fault fault;
};

static void failed(struct amdgpu_sdma *s, int err)
{
	if (!s->err)
		s->err = err;
}

/*
 * The driver below ends every job, if need be by a reset, after a minute at most. But the fence has
 * come out of a syncobj that the client could write to: there is a limit.
 */
static void wait_for(struct amdgpu_sdma *s, unsigned int i)
{
	long status;

	if (!s->fence[i])
		return;
	status = dma_fence_wait_timeout(s->fence[i], false, WAIT_JIFFIES);
	status = status ? dma_fence_get_status(s->fence[i]) : -ETIME;
	if (status < 0 && !s->err)
		failed(s, amdgpu_channel_fault(&s->ch, s->process, &s->fault) ? -EFAULT : -EIO);
	dma_fence_put(s->fence[i]);
	s->fence[i] = NULL;
}

/* Goes on with the other buffer. */
static void flush(struct amdgpu_sdma *s)
{
	struct dma_fence *fence;

	if (!s->bytes)
		return;
	fence = amdgpu_channel_submit(&s->ch, s->process, AMDGPU_HW_IP_DMA, s->ring,
				      s->at * BUFFER_BYTES, s->bytes / 4);
	if (IS_ERR(fence))
		failed(s, PTR_ERR(fence) == -ESRCH ? -ESRCH : -EIO);
	else
		s->fence[s->at] = fence;
	s->at = (s->at + 1) % BUFFERS;
	s->bytes = 0;
	wait_for(s, s->at);
}

static int put_packet(struct amdgpu_sdma *s, const u32 *dw, unsigned int n)
{
	u32 *to;

	if (s->bytes == BUFFER_BYTES)
		flush(s);
	if (s->err)
		return s->err;
	to = amdgpu_channel_ib(&s->ch, s->at * BUFFER_BYTES + s->bytes);
	if (IS_ERR(to)) {
		failed(s, PTR_ERR(to));
		return s->err;
	}
	memset(to, 0, PACKET_DWORDS * 4);
	memcpy(to, dw, n * 4);
	s->bytes += PACKET_DWORDS * 4;
	return 0;
}

static int sdma_copy(void *priv, u64 dst, u64 src, u32 len)
{
	u32 dw[] = {
		OP_COPY, len - 1, 0, lower_32_bits(src), upper_32_bits(src),
		lower_32_bits(dst), upper_32_bits(dst),
	};

	return len ? put_packet(priv, dw, ARRAY_SIZE(dw)) : 0;
}

static int sdma_fill(void *priv, u64 dst, u32 word, u32 len)
{
	u32 dw[] = {
		OP_FILL | FILL_DWORDS, lower_32_bits(dst), upper_32_bits(dst), word, len - 4,
	};

	return len ? put_packet(priv, dw, ARRAY_SIZE(dw)) : 0;
}

static int sdma_store(void *priv, u64 va, u32 word)
{
	u32 dw[] = { OP_FENCE, lower_32_bits(va), upper_32_bits(va), word };

	return put_packet(priv, dw, ARRAY_SIZE(dw));
}

static int sdma_settle(void *priv)
{
	struct amdgpu_sdma *s = priv;
	unsigned int i;

	flush(s);
	for (i = 0; i < BUFFERS; i++)
		wait_for(s, i);
	return s->err;
}

static void sdma_fault(void *priv, struct gpu_fault *fault)
{
	*fault = ((struct amdgpu_sdma *)priv)->fault;
}

static void *sdma_open(struct gpu_queue *q)
{
	struct amdgpu_node *node = to_node(q->gdev);
	struct amdgpu_sdma *s;
	int err;

	if (!gpu_queue_of_kfd(q) || q->process->mm != current->mm || !node->sdma_rings)
		return ERR_PTR(-EINVAL);
	s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	if (!s)
		return ERR_PTR(-ENOMEM);
	s->process = q->process;
	s->ring = q->props.sdma_engine % node->sdma_rings;
	err = amdgpu_channel_open(&s->ch, q->vm->priv, BUFFERS * BUFFER_BYTES,
				  q->props.priority);
	if (err) {
		kfree(s);
		return ERR_PTR(err == -ENOMEM ? -ENOMEM : -EINVAL);
	}
	return s;
}

static int sdma_priority(void *priv, u32 priority)
{
	struct amdgpu_sdma *s = priv;

	return amdgpu_channel_priority(&s->ch, priority);
}

static void sdma_close(void *priv)
{
	struct amdgpu_sdma *s = priv;

	sdma_settle(s);
	amdgpu_channel_close(&s->ch);
	kfree(s);
}

const struct hw_mover amdgpu_mover = {
	.open = sdma_open,
	.close = sdma_close,
	.priority = sdma_priority,
	.copy = sdma_copy,
	.fill = sdma_fill,
	.store = sdma_store,
	.settle = sdma_settle,
	.fault = sdma_fault,
};
