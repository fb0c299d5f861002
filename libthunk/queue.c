// SPDX-License-Identifier: MIT
/*
 * Queues: the buffers that go with one, and the calls on it.
 *
 * A QueueId of ours is a slot number and a generation, so that an id that was destroyed is known
 * to be bad.  The ring is the caller's; read and write index are the caller's for AQL, ours else.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "thunk.h"
#include "topology.h"

#define EOP_BYTES		4096u
#define MAX_QUEUES		1024u

/* Offsets of the indices in the page that non-AQL queues get. */
#define OWN_WPTR		8
#define OWN_RPTR		16

struct queue {
	uint64_t id;			/* 0: slot is free */
	uint32_t kfd_id;
	struct thunk_gpu *gpu;
	void *eop;
	void *own_ptrs;
	void *cwsr;
	uint32_t cwsr_bytes;		/* per XCC */
	uint32_t ctl_bytes;
	uint64_t cwsr_total;
	uint32_t cu_mask[32];
	uint32_t cu_bits;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;	/* protects the table */
static struct queue queues[MAX_QUEUES];
static uint32_t generation;

void thunk_queues_forget(void)
{
	pthread_mutex_init(&lock, NULL);
	memset(queues, 0, sizeof(queues));
}

static struct queue *slot_get(void)
{
	struct queue *q = NULL;

	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < MAX_QUEUES && !q; i++) {
		if (queues[i].id)
			continue;
		q = &queues[i];
		memset(q, 0, sizeof(*q));
		q->id = (uint64_t)++generation << 16 | (i + 1);
	}
	pthread_mutex_unlock(&lock);
	return q;
}

static void slot_put(struct queue *q)
{
	pthread_mutex_lock(&lock);
	q->id = 0;
	pthread_mutex_unlock(&lock);
}

static struct queue *find_queue(HSA_QUEUEID id)
{
	uint32_t i = (id & 0xffff) - 1;

	return id && i < MAX_QUEUES && queues[i].id == id ? &queues[i] : NULL;
}

/* ---- the context save area (sizes: kfd-abi.md section 4.6, as the kernel checks them) ---- */

struct cwsr_sizes {
	uint32_t ctl;
	uint32_t save;			/* with the control stack */
	uint32_t debug;
	uint32_t xccs;
};

static int node_sizes(const struct thunk_gpu *gpu, struct cwsr_sizes *s)
{
	const HsaNodeProperties *p;
	uint64_t cus, waves, save, ctl;
	uint64_t lds;
	uint32_t vgpr;

	pthread_mutex_lock(&thunk.lock);
	if (!thunk.topo || gpu->node >= thunk.topo->nr_nodes) {
		pthread_mutex_unlock(&thunk.lock);
		return -ENODEV;
	}
	p = &thunk.topo->nodes[gpu->node].props;
	s->ctl = thunk.topo->nodes[gpu->node].ctl_stack_size;
	s->save = thunk.topo->nodes[gpu->node].cwsr_size;
	s->xccs = p->NumXcc ? p->NumXcc : 1;
	vgpr = p->VGPRSizePerCU;
	lds = gpu->gfxv == 0x090500 ? p->LDSSizeInKB * 1024ull : 0x10000;
	cus = p->NumSIMDPerCU ? p->NumFComputeCores / p->NumSIMDPerCU / s->xccs : 0;
	waves = cus * (gpu->gfxv < 0x0a0100 ? 40 : 32);
	if (gpu->gfxv < 0x0a0100 && p->NumArrays) {
		uint64_t limit = p->NumShaderBanks / p->NumArrays * 512ull;

		waves = waves < limit ? waves : limit;
	}
	pthread_mutex_unlock(&thunk.lock);
	if (!waves || !cus)
		return -EINVAL;

	ctl = align_up(40 + waves * (gpu->gfxv < 0x0a0100 ? 8 : 12) + 8, THUNK_PAGE);
	if (gpu->gfxv >> 16 == 10 && ctl > 0x7000)
		ctl = 0x7000;
	save = align_up(cus * (vgpr + 0x4000ull + lds + 0x1000), THUNK_PAGE);
	if (!s->ctl || !s->save) {
		s->ctl = ctl;
		s->save = align_up(ctl + save, THUNK_PAGE);
	}
	s->debug = align_up(waves * 32, 64);
	return 0;
}

static int make_cwsr(struct queue *q, HsaEvent *event, volatile HSAint64 *reason)
{
	HsaMemFlags flags = { .ui32 = { .HostAccess = 1, .ExecuteAccess = 1, .CoarseGrain = 1 } };
	struct cwsr_sizes s;
	int err = node_sizes(q->gpu, &s);

	if (err)
		return err;
	q->cwsr_bytes = s.save;
	q->ctl_bytes = s.ctl;
	q->cwsr_total = align_up((uint64_t)(s.save + s.debug) * s.xccs, THUNK_PAGE);
	/* system pages, touched by nobody until a wave is saved */
	if (thunk_mem_alloc(0, q->cwsr_total, 0, flags, &q->cwsr) != HSAKMT_STATUS_SUCCESS)
		return -ENOMEM;
	err = thunk_mem_map(q->cwsr, &q->gpu->gpu_id, 1, NULL);
	if (err)
		return err;
	for (uint32_t x = 0; x < s.xccs; x++) {
		struct kfd_context_save_area_header *h =
			(void *)((char *)q->cwsr + (uint64_t)x * s.save);

		h->debug_offset = (s.xccs - x) * s.save + x * s.debug;
		h->debug_size = s.debug;
		h->err_payload_addr = (uintptr_t)reason;
		h->err_event_id = event ? event->EventId : 0;
	}
	return 0;
}

/* End-of-pipe buffer, in VRAM: where the GPU notes finished work before it is written out. */
static int make_eop(struct queue *q)
{
	HsaMemFlags flags = { .ui32 = { .ExecuteAccess = 1, .CoarseGrain = 1 } };

	if (thunk_mem_alloc(q->gpu->node, EOP_BYTES, 0, flags, &q->eop) != HSAKMT_STATUS_SUCCESS)
		return -ENOMEM;
	return thunk_mem_map(q->eop, &q->gpu->gpu_id, 1, NULL);
}

/* One page of our own for the indices of a queue that is not AQL. */
static int make_ptrs(struct queue *q)
{
	HsaMemFlags flags = { .ui32 = { .HostAccess = 1, .Uncached = 1 } };

	if (thunk_mem_alloc(0, THUNK_PAGE, 0, flags, &q->own_ptrs) != HSAKMT_STATUS_SUCCESS)
		return -ENOMEM;
	return thunk_mem_map(q->own_ptrs, &q->gpu->gpu_id, 1, NULL);
}

static void free_buffers(struct queue *q)
{
	if (q->own_ptrs)
		thunk_mem_free(q->own_ptrs);
	if (q->cwsr)
		thunk_mem_free(q->cwsr);
	if (q->eop)
		thunk_mem_free(q->eop);
}

static int kfd_type(HSA_QUEUE_TYPE type)
{
	switch ((int)type) {
	case HSA_QUEUE_COMPUTE:
		return KFD_IOC_QUEUE_TYPE_COMPUTE;
	case HSA_QUEUE_COMPUTE_AQL:
		return KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
	case HSA_QUEUE_SDMA:
		return KFD_IOC_QUEUE_TYPE_SDMA;
	case HSA_QUEUE_SDMA_XGMI:
		return KFD_IOC_QUEUE_TYPE_SDMA_XGMI;
	default:
		return -1;
	}
}

static uint32_t kfd_priority(HSA_QUEUE_PRIORITY priority)
{
	static const uint8_t table[] = { 0, 3, 5, 7, 9, 11, 15 };

	return table[priority + 3];
}

static bool good_priority(HSA_QUEUE_PRIORITY priority)
{
	return (int)priority >= HSA_QUEUE_PRIORITY_MINIMUM &&
	       (int)priority <= HSA_QUEUE_PRIORITY_MAXIMUM;
}

static int make_buffers(struct queue *q, int type, HsaEvent *event, HsaQueueResource *r)
{
	bool compute = type == KFD_IOC_QUEUE_TYPE_COMPUTE ||
		       type == KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
	/* GFX9.4 and later keep no end-of-pipe buffer for AQL */
	bool eop = compute && (type == KFD_IOC_QUEUE_TYPE_COMPUTE || q->gpu->gfxv < 0x090402 ||
			       q->gpu->gfxv >= 0x0a0000);
	int err = 0;

	if (eop)
		err = make_eop(q);
	if (!err && compute)
		err = make_cwsr(q, event, r->ErrorReason);
	if (!err && type != KFD_IOC_QUEUE_TYPE_COMPUTE_AQL) {
		err = make_ptrs(q);
		r->QueueWptrValue = (uintptr_t)q->own_ptrs + OWN_WPTR;
		r->QueueRptrValue = (uintptr_t)q->own_ptrs + OWN_RPTR;
	}
	return err;
}

static HSAKMT_STATUS create(struct queue *q, struct kfd_ioctl_create_queue_args *args,
			    HsaEvent *event, HsaQueueResource *r)
{
	void *doorbell;
	int err = make_buffers(q, args->queue_type, event, r);

	if (err)
		goto err_free;
	args->write_pointer_address = r->QueueWptrValue;
	args->read_pointer_address = r->QueueRptrValue;
	args->eop_buffer_address = (uintptr_t)q->eop;
	args->eop_buffer_size = q->eop ? EOP_BYTES : 0;
	args->ctx_save_restore_address = (uintptr_t)q->cwsr;
	args->ctx_save_restore_size = q->cwsr_bytes;
	args->ctl_stack_size = q->ctl_bytes;
	err = thunk_ioctl(AMDKFD_IOC_CREATE_QUEUE, args);
	if (err)
		goto err_free;
	q->kfd_id = args->queue_id;
	err = thunk_mem_doorbells(q->gpu, args->doorbell_offset, &doorbell);
	if (err) {
		struct kfd_ioctl_destroy_queue_args destroy = { .queue_id = q->kfd_id };

		thunk_ioctl(AMDKFD_IOC_DESTROY_QUEUE, &destroy);
		goto err_free;
	}
	r->QueueId = q->id;
	r->QueueDoorBell = (uintptr_t)doorbell;
	return HSAKMT_STATUS_SUCCESS;

err_free:
	free_buffers(q);
	slot_put(q);
	return err == -ENOMEM || err == -ENOSPC ? HSAKMT_STATUS_NO_MEMORY : HSAKMT_STATUS_ERROR;
}

THUNK_API HSAKMT_STATUS hsaKmtCreateQueue(HSAuint32 NodeId, HSA_QUEUE_TYPE Type,
					  HSAuint32 QueuePercentage, HSA_QUEUE_PRIORITY Priority,
					  void *QueueAddress, HSAuint64 QueueSizeInBytes,
					  HsaEvent *Event, HsaQueueResource *QueueResource)
{
	struct kfd_ioctl_create_queue_args args = { 0 };
	HSAKMT_STATUS status;
	struct thunk_gpu *gpu;
	struct queue *q;
	int type = kfd_type(Type);

	THUNK_CHECK_OPEN();
	if (!QueueResource || !good_priority(Priority) || QueueSizeInBytes > UINT32_MAX)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (type < 0)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	status = thunk_gpu_required(NodeId, &gpu);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	q = slot_get();
	if (!q)
		return HSAKMT_STATUS_OUT_OF_RESOURCES;
	q->gpu = gpu;

	args.gpu_id = gpu->gpu_id;
	args.queue_type = type;
	args.ring_base_address = (uintptr_t)QueueAddress;
	args.ring_size = QueueSizeInBytes;
	args.queue_percentage = QueuePercentage;
	args.queue_priority = kfd_priority(Priority);
	return create(q, &args, Event, QueueResource);
}

THUNK_API HSAKMT_STATUS hsaKmtUpdateQueue(HSA_QUEUEID QueueId, HSAuint32 QueuePercentage,
					  HSA_QUEUE_PRIORITY Priority, void *QueueAddress,
					  HSAuint64 QueueSize, HsaEvent *Event)
{
	struct kfd_ioctl_update_queue_args args = { 0 };
	struct queue *q;

	(void)Event;
	THUNK_CHECK_OPEN();
	q = find_queue(QueueId);
	if (!q || !good_priority(Priority) || QueueSize > UINT32_MAX)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	args.queue_id = q->kfd_id;
	args.ring_base_address = (uintptr_t)QueueAddress;
	args.ring_size = QueueSize;
	args.queue_percentage = QueuePercentage;
	args.queue_priority = kfd_priority(Priority);
	return thunk_ioctl(AMDKFD_IOC_UPDATE_QUEUE, &args) ? HSAKMT_STATUS_ERROR :
							     HSAKMT_STATUS_SUCCESS;
}

THUNK_API HSAKMT_STATUS hsaKmtDestroyQueue(HSA_QUEUEID QueueId)
{
	struct kfd_ioctl_destroy_queue_args args = { 0 };
	struct queue *q;

	THUNK_CHECK_OPEN();
	q = find_queue(QueueId);
	if (!q)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	args.queue_id = q->kfd_id;
	if (thunk_ioctl(AMDKFD_IOC_DESTROY_QUEUE, &args))
		return HSAKMT_STATUS_ERROR;
	free_buffers(q);
	slot_put(q);
	return HSAKMT_STATUS_SUCCESS;
}

THUNK_API HSAKMT_STATUS hsaKmtSetQueueCUMask(HSA_QUEUEID QueueId, HSAuint32 CUMaskCount,
					     HSAuint32 *QueueCUMask)
{
	struct kfd_ioctl_set_cu_mask_args args = { 0 };
	struct queue *q;

	THUNK_CHECK_OPEN();
	q = find_queue(QueueId);
	if (!q || !CUMaskCount || !QueueCUMask || CUMaskCount % 32)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	args.queue_id = q->kfd_id;
	args.num_cu_mask = CUMaskCount;
	args.cu_mask_ptr = (uintptr_t)QueueCUMask;
	if (thunk_ioctl(AMDKFD_IOC_SET_CU_MASK, &args))
		return HSAKMT_STATUS_ERROR;
	q->cu_bits = CUMaskCount < sizeof(q->cu_mask) * 8 ? CUMaskCount : sizeof(q->cu_mask) * 8;
	memcpy(q->cu_mask, QueueCUMask, q->cu_bits / 8);
	return HSAKMT_STATUS_SUCCESS;
}

/* State of a stopped queue: where its waves were saved. */
THUNK_API HSAKMT_STATUS hsaKmtGetQueueInfo(HSA_QUEUEID QueueId, HsaQueueInfo *QueueInfo)
{
	struct kfd_ioctl_get_queue_wave_state_args args = { 0 };
	struct queue *q;

	THUNK_CHECK_OPEN();
	q = find_queue(QueueId);
	if (!q || !QueueInfo || !q->cwsr)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	args.queue_id = q->kfd_id;
	args.ctl_stack_address = (uintptr_t)q->cwsr;
	if (thunk_ioctl(AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &args))
		return HSAKMT_STATUS_ERROR;

	memset(QueueInfo, 0, sizeof(*QueueInfo));
	QueueInfo->NumCUAssigned = q->cu_bits;
	QueueInfo->CUMaskInfo = q->cu_mask;
	QueueInfo->UserContextSaveArea = (void *)((char *)q->cwsr + q->ctl_bytes);
	QueueInfo->SaveAreaSizeInBytes = args.save_area_used_size;
	QueueInfo->ControlStackTop = (void *)((char *)q->cwsr + q->ctl_bytes -
					      args.ctl_stack_used_size);
	QueueInfo->ControlStackUsedInBytes = args.ctl_stack_used_size;
	QueueInfo->SaveAreaHeader = q->cwsr;
	return HSAKMT_STATUS_SUCCESS;
}

THUNK_API HSAKMT_STATUS hsaKmtAllocQueueGWS(HSA_QUEUEID QueueId, HSAuint32 nGWS,
					    HSAuint32 *firstGWS)
{
	struct kfd_ioctl_alloc_queue_gws_args args = { .num_gws = nGWS };
	struct queue *q;
	int err;

	THUNK_CHECK_OPEN();
	q = find_queue(QueueId);
	if (!q)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	args.queue_id = q->kfd_id;
	err = thunk_ioctl(AMDKFD_IOC_ALLOC_QUEUE_GWS, &args);
	if (err)
		return err == -ENODEV ? HSAKMT_STATUS_NOT_SUPPORTED :
		       err == -EBUSY ? HSAKMT_STATUS_OUT_OF_RESOURCES : thunk_status(err);
	if (firstGWS)
		*firstGWS = args.first_gws;
	return HSAKMT_STATUS_SUCCESS;
}
