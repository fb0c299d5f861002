// SPDX-License-Identifier: MIT
/*
 * Events: the kernel's, with the page of mailbox slots that the GPU writes to.
 *
 * The page is ours: memory of the first GPU whose handle goes with the first CREATE_EVENT.  The
 * kernel keeps it for the life of the process, and so do we.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "thunk.h"

#define EVENT_PAGE_BYTES	(KFD_SIGNAL_EVENT_LIMIT * sizeof(uint64_t))

static pthread_mutex_t page_lock = PTHREAD_MUTEX_INITIALIZER;	/* one first event, not two */

void thunk_events_forget(void)
{
	pthread_mutex_init(&page_lock, NULL);
	thunk.event_page = NULL;
}

/* Memory for the page, seen by every GPU, and its handle; called with thunk.lock not held. */
static int make_page(void **page, uint64_t *handle)
{
	uint32_t ids[THUNK_MAX_GPUS];
	int err;

	HsaMemFlags flags = {
		.ui32 = {
			.NonPaged = 1,
			.HostAccess = 1,
			.ExecuteAccess = 1,
			.GTTAccess = 1,
			.Uncached = 1,
		},
	};

	if (!thunk.nr_gpus)
		return -ENODEV;
	if (thunk_mem_alloc(thunk.gpus[0].node, EVENT_PAGE_BYTES, 0, flags, page) !=
	    HSAKMT_STATUS_SUCCESS)
		return -ENOMEM;
	for (unsigned int i = 0; i < thunk.nr_gpus; i++)
		ids[i] = thunk.gpus[i].gpu_id;
	err = thunk_mem_map(*page, ids, thunk.nr_gpus, NULL);
	if (err)
		return err;
	*handle = thunk_mem_handle(*page);
	return 0;
}

static int create_ioctl(struct kfd_ioctl_create_event_args *args)
{
	uint64_t handle = 0;
	void *page = NULL;
	int err = 0;

	if (__atomic_load_n(&thunk.event_page, __ATOMIC_ACQUIRE))
		return thunk_ioctl(AMDKFD_IOC_CREATE_EVENT, args);

	pthread_mutex_lock(&page_lock);
	if (!thunk.event_page)
		err = make_page(&page, &handle);
	args->event_page_offset = handle;
	if (!err)
		err = thunk_ioctl(AMDKFD_IOC_CREATE_EVENT, args);
	if (page && err)
		thunk_mem_free(page);
	else if (page)
		__atomic_store_n(&thunk.event_page, page, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&page_lock);
	return err;
}

/* Events that only the kernel raises: callers may not set or reset them. */
static bool system_event(HSA_EVENTTYPE type)
{
	return type != HSA_EVENTTYPE_SIGNAL && type != HSA_EVENTTYPE_DEBUG_EVENT;
}

THUNK_API HSAKMT_STATUS hsaKmtCreateEvent(HsaEventDescriptor *EventDesc, bool ManualReset,
					  bool IsSignaled, HsaEvent **Event)
{
	struct kfd_ioctl_create_event_args args = { 0 };
	HsaEvent *e;
	int err;

	THUNK_CHECK_OPEN();
	if (!EventDesc || !Event || EventDesc->EventType >= HSA_EVENTTYPE_MAXID)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	e = calloc(1, sizeof(*e));
	if (!e)
		return HSAKMT_STATUS_NO_MEMORY;

	args.event_type = EventDesc->EventType;
	args.node_id = EventDesc->NodeId;
	args.auto_reset = !ManualReset;
	err = create_ioctl(&args);
	if (err) {
		free(e);
		return err == -ENOSPC ? HSAKMT_STATUS_OUT_OF_RESOURCES :
		       err == -ENOMEM ? HSAKMT_STATUS_NO_MEMORY : HSAKMT_STATUS_ERROR;
	}

	e->EventId = args.event_id;
	e->EventData.EventType = EventDesc->EventType;
	e->EventData.EventData.SyncVar = EventDesc->SyncVar;
	e->EventData.HWData1 = args.event_id;
	if (!system_event(EventDesc->EventType))
		e->EventData.HWData2 = (uintptr_t)&thunk.event_page[args.event_slot_index];
	e->EventData.HWData3 = args.event_trigger_data;

	if (IsSignaled && !system_event(EventDesc->EventType)) {
		struct kfd_ioctl_set_event_args set = { .event_id = args.event_id };

		thunk_ioctl(AMDKFD_IOC_SET_EVENT, &set);
	}
	*Event = e;
	return HSAKMT_STATUS_SUCCESS;
}

THUNK_API HSAKMT_STATUS hsaKmtDestroyEvent(HsaEvent *Event)
{
	struct kfd_ioctl_destroy_event_args args = { 0 };

	THUNK_CHECK_OPEN();
	if (!Event)
		return HSAKMT_STATUS_INVALID_HANDLE;
	args.event_id = Event->EventId;
	if (thunk_ioctl(AMDKFD_IOC_DESTROY_EVENT, &args))
		return HSAKMT_STATUS_ERROR;
	free(Event);
	return HSAKMT_STATUS_SUCCESS;
}

static HSAKMT_STATUS poke(HsaEvent *e, unsigned long cmd)
{
	struct kfd_ioctl_set_event_args args = { 0 };

	THUNK_CHECK_OPEN();
	if (!e)
		return HSAKMT_STATUS_INVALID_HANDLE;
	if (system_event(e->EventData.EventType))
		return HSAKMT_STATUS_ERROR;
	args.event_id = e->EventId;
	return thunk_ioctl(cmd, &args) ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_SUCCESS;
}

THUNK_API HSAKMT_STATUS hsaKmtSetEvent(HsaEvent *Event)
{
	return poke(Event, AMDKFD_IOC_SET_EVENT);
}

THUNK_API HSAKMT_STATUS hsaKmtResetEvent(HsaEvent *Event)
{
	return poke(Event, AMDKFD_IOC_RESET_EVENT);
}

static uint32_t node_of(uint32_t gpu_id)
{
	const struct thunk_gpu *gpu = thunk_gpu_by_id(gpu_id);

	return gpu ? gpu->node : INVALID_NODEID;
}

static void take_fault(HsaEvent *e, const struct kfd_hsa_memory_exception_data *d)
{
	HsaMemoryAccessFault *f = &e->EventData.EventData.MemoryAccessFault;

	memset(f, 0, sizeof(*f));
	/* no GPU: the event was set, but not by a fault */
	if (!d->gpu_id)
		return;
	f->NodeId = node_of(d->gpu_id);
	f->VirtualAddress = d->va;
	f->Failure.NotPresent = d->failure.NotPresent;
	f->Failure.ReadOnly = d->failure.ReadOnly;
	f->Failure.NoExecute = d->failure.NoExecute;
	f->Failure.Imprecise = d->failure.imprecise;
	f->Failure.ErrorType = d->ErrorType;
	f->Failure.ECC = d->ErrorType == KFD_MEM_ERR_SRAM_ECC ||
			 d->ErrorType == KFD_MEM_ERR_POISON_CONSUMED;
	f->Flags = HSA_EVENTID_MEMORY_FATAL_PROCESS;
}

static void take_exception(HsaEvent *e, const struct kfd_hsa_hw_exception_data *d)
{
	HsaHwException *x = &e->EventData.EventData.HwException;

	x->NodeId = node_of(d->gpu_id);
	x->ResetType = d->reset_type;
	x->MemoryLost = d->memory_lost;
	x->ResetCause = d->reset_cause;
}

static void take_results(HsaEvent *events[], const struct kfd_event_data *data, uint32_t n,
			 uint64_t *age)
{
	for (uint32_t i = 0; i < n; i++) {
		HSA_EVENTTYPE type = events[i]->EventData.EventType;

		if (type == HSA_EVENTTYPE_MEMORY)
			take_fault(events[i], &data[i].memory_exception_data);
		else if (type == HSA_EVENTTYPE_HW_EXCEPTION && data[i].hw_exception_data.gpu_id)
			take_exception(events[i], &data[i].hw_exception_data);
		else if (type == HSA_EVENTTYPE_SIGNAL && age)
			age[i] = data[i].signal_event_data.last_event_age;
	}
}

THUNK_API HSAKMT_STATUS hsaKmtWaitOnMultipleEvents_Ext(HsaEvent *Events[], HSAuint32 NumEvents,
						       bool WaitOnAll, HSAuint32 Milliseconds,
						       uint64_t *event_age)
{
	struct kfd_ioctl_wait_events_args args = { 0 };
	HSAKMT_STATUS status = HSAKMT_STATUS_ERROR;
	struct kfd_event_data *data;
	int err;

	THUNK_CHECK_OPEN();
	if (!Events)
		return HSAKMT_STATUS_INVALID_HANDLE;
	data = calloc(NumEvents ? NumEvents : 1, sizeof(*data));
	if (!data)
		return HSAKMT_STATUS_NO_MEMORY;
	for (uint32_t i = 0; i < NumEvents; i++) {
		if (!Events[i]) {
			free(data);
			return HSAKMT_STATUS_INVALID_HANDLE;
		}
		data[i].event_id = Events[i]->EventId;
		if (event_age && Events[i]->EventData.EventType == HSA_EVENTTYPE_SIGNAL)
			data[i].signal_event_data.last_event_age = event_age[i];
	}

	args.events_ptr = (uintptr_t)data;
	args.num_events = NumEvents;
	args.wait_for_all = WaitOnAll;
	args.timeout = Milliseconds;
	err = thunk_ioctl(AMDKFD_IOC_WAIT_EVENTS, &args);
	if (!err && args.wait_result == KFD_IOC_WAIT_RESULT_COMPLETE) {
		take_results(Events, data, NumEvents, event_age);
		status = HSAKMT_STATUS_SUCCESS;
	} else if (!err && args.wait_result == KFD_IOC_WAIT_RESULT_TIMEOUT) {
		status = HSAKMT_STATUS_WAIT_TIMEOUT;
	}
	free(data);
	return status;
}

THUNK_API HSAKMT_STATUS hsaKmtWaitOnMultipleEvents(HsaEvent *Events[], HSAuint32 NumEvents,
						   bool WaitOnAll, HSAuint32 Milliseconds)
{
	return hsaKmtWaitOnMultipleEvents_Ext(Events, NumEvents, WaitOnAll, Milliseconds, NULL);
}

THUNK_API HSAKMT_STATUS hsaKmtWaitOnEvent_Ext(HsaEvent *Event, HSAuint32 Milliseconds,
					      uint64_t *event_age)
{
	THUNK_CHECK_OPEN();
	if (!Event)
		return HSAKMT_STATUS_INVALID_HANDLE;
	return hsaKmtWaitOnMultipleEvents_Ext(&Event, 1, true, Milliseconds, event_age);
}

THUNK_API HSAKMT_STATUS hsaKmtWaitOnEvent(HsaEvent *Event, HSAuint32 Milliseconds)
{
	return hsaKmtWaitOnEvent_Ext(Event, Milliseconds, NULL);
}

THUNK_API HSAKMT_STATUS hsaKmtQueryEventState(HsaEvent *Event)
{
	return hsaKmtWaitOnEvent_Ext(Event, 0, NULL);
}
