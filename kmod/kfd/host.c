// SPDX-License-Identifier: GPL-2.0-only
/*
 * Upcalls from the backends: interrupts, faults, errors. All of them become events of
 * the process. The GPU's threads call these, so nothing here sleeps. The process
 * stays valid because it still has the queue or VM that the call is about.
 */
#include <linux/nospec.h>

#include "gpu/backend.h"
#include "gpu/vm.h"
#include "event.h"
#include "reset.h"
#include "smi.h"
#include "trace.h"

/*
 * The value the GPU wrote is only a mark: anything but all-ones means signalled. A wave
 * chooses @id, hence the nospec.
 */
static bool vkfd_slot_signaled(const struct vkfd_events *evs, u32 id)
{
	lockdep_assert_held(&evs->lock);
	id = array_index_nospec(id, KFD_SIGNAL_EVENT_LIMIT);
	return READ_ONCE(evs->slots[id]) != ~0ull;
}

static void vkfd_slot_acknowledge(struct vkfd_process *p, struct vkfd_event *ev)
{
	WRITE_ONCE(p->events.slots[ev->id], ~0ull);
	vkfd_event_set(p, ev);
}

/* The interrupt carried no usable id: look at the slot of every event. */
static bool vkfd_scan_slots(struct vkfd_process *p)
{
	struct vkfd_event *ev;
	bool found = false;
	int id;

	lockdep_assert_held(&p->events.lock);
	idr_for_each_entry(&p->events.ids, ev, id) {
		if (id >= KFD_SIGNAL_EVENT_LIMIT)
			break;
		if (vkfd_slot_signaled(&p->events, id)) {
			vkfd_slot_acknowledge(p, ev);
			found = true;
		}
	}
	return found;
}

static void vkfd_host_event(struct gpu_process *base, u32 event_id)
{
	struct vkfd_process *p = to_vkfd_process(base);
	struct vkfd_events *evs = &p->events;
	struct vkfd_event *ev = NULL;
	bool found = false;

	vkfd_count(interrupts);
	spin_lock(&evs->lock);
	if (evs->slots) {
		if (event_id && event_id < KFD_SIGNAL_EVENT_LIMIT &&
		    vkfd_slot_signaled(evs, event_id))
			ev = vkfd_event_find(evs, event_id);
		if (ev) {
			vkfd_slot_acknowledge(p, ev);
			found = true;
		} else {
			found = vkfd_scan_slots(p);
		}
	}
	spin_unlock(&evs->lock);
	if (!found)
		vkfd_count(spurious);
}

/* Sets every event of @type; @fill stores what the event reports to its waiters. */
static unsigned int vkfd_set_events(struct vkfd_process *p, u32 type,
				    void (*fill)(struct vkfd_event *ev, const void *arg),
				    const void *arg)
{
	struct vkfd_event *ev;
	unsigned int n = 0;
	int id = VKFD_FIRST_OTHER_EVENT;

	spin_lock(&p->events.lock);
	idr_for_each_entry_continue(&p->events.ids, ev, id) {
		if (ev->type != type)
			continue;
		fill(ev, arg);
		vkfd_event_set(p, ev);
		n++;
	}
	spin_unlock(&p->events.lock);
	return n;
}

static void vkfd_fill_memory(struct vkfd_event *ev, const void *arg)
{
	ev->memory = *(const struct kfd_hsa_memory_exception_data *)arg;
}

unsigned int vkfd_event_set_memory(struct vkfd_process *p,
				   const struct kfd_hsa_memory_exception_data *data)
{
	return vkfd_set_events(p, KFD_IOC_EVENT_MEMORY, vkfd_fill_memory, data);
}

static void vkfd_fill_hw(struct vkfd_event *ev, const void *arg)
{
	ev->hw = *(const struct kfd_hsa_hw_exception_data *)arg;
}

unsigned int vkfd_event_set_hw(struct vkfd_process *p,
			       const struct kfd_hsa_hw_exception_data *data)
{
	return vkfd_set_events(p, KFD_IOC_EVENT_HW_EXCEPTION, vkfd_fill_hw, data);
}

static void vkfd_count_fault(struct vkfd_pdd *pdd)
{
	if (pdd)
		atomic64_inc(&pdd->faults);
	vkfd_count(faults);
}

/* What the process calls the GPU, which may be lost: not its own name after a checkpoint */
static u32 vkfd_name_of(const struct vkfd_process *p, const struct gpu_device *gdev)
{
	unsigned int i;

	for (i = 0; i < p->num_pdds; i++)
		if (p->pdds[i]->base.gdev == gdev)
			return READ_ONCE(p->pdds[i]->user_gpu_id);
	return gdev->gpu_id;
}

static void vkfd_host_fault(struct gpu_vm *vm, const struct gpu_fault *fault)
{
	struct gpu_process *base = READ_ONCE(vm->process);
	u32 gpu_id = vm->gdev->gpu_id;
	struct kfd_hsa_memory_exception_data data = {
		.failure.NotPresent = fault->not_present,
		.failure.ReadOnly = fault->read_only,
		.failure.NoExecute = fault->no_execute,
		.va = fault->va & PAGE_MASK,
		.ErrorType = KFD_MEM_ERR_NO_RAS,
	};
	struct vkfd_process *p;
	struct vkfd_pdd *pdd;

	if (!base)
		return;
	p = to_vkfd_process(base);
	trace_vkfd_fault(gpu_id, base->pid, fault->va, fault->access);
	pdd = vkfd_process_pdd_on(p, vm->gdev);
	data.gpu_id = vkfd_name_of(p, vm->gdev);
	vkfd_count_fault(pdd);
	vkfd_smi_event(vm->gdev, base->pid, KFD_SMI_EVENT_VMFAULT,
		       KFD_EVENT_FMT_VMFAULT(base->pid, base->comm));
	if (!vkfd_event_set_memory(p, &data))
		pr_info_ratelimited("%s[%d]: GPU %u page fault at 0x%llx (%c%c%c), and nobody listens\n",
				    base->comm, base->pid, gpu_id, fault->va,
				    fault->access & GPU_R ? 'r' : '-',
				    fault->access & GPU_W ? 'w' : '-',
				    fault->access & GPU_X ? 'x' : '-');
}

/* The backend has already written the error to the queue's own signal. */
static void vkfd_host_queue_error(struct gpu_queue *q, enum gpu_queue_error error)
{
	vkfd_count(queue_errors);
	vkfd_exception_raise(container_of(q, struct vkfd_queue, base),
			     vkfd_exception_of_error(error));
	pr_info_ratelimited("%s[%d]: GPU %u queue %u stopped: %s\n",
			    q->process->comm, q->process->pid, q->gdev->gpu_id, q->id,
			    gpu_queue_error_name(error));
}

static void vkfd_host_queue_exception(struct gpu_queue *q, u64 mask)
{
	vkfd_exception_raise(container_of(q, struct vkfd_queue, base), mask);
}

static void vkfd_host_hw_exception(struct gpu_process *base, struct gpu_device *gdev)
{
	struct vkfd_process *p = to_vkfd_process(base);
	struct kfd_hsa_hw_exception_data data = {
		.reset_type = KFD_HW_EXCEPTION_WHOLE_GPU_RESET,
		.reset_cause = KFD_HW_EXCEPTION_GPU_HANG,
		.memory_lost = 1,
		.gpu_id = vkfd_name_of(p, gdev),
	};
	u32 seq = atomic64_inc_return(&vkfd_counters.hw_exceptions);

	/* Send both events: the reset is already done when the backend calls this. */
	vkfd_smi_reset(gdev, KFD_SMI_EVENT_GPU_PRE_RESET, seq, VKFD_SMI_HANG);
	vkfd_smi_reset(gdev, KFD_SMI_EVENT_GPU_POST_RESET, seq, NULL);
	if (!vkfd_event_set_hw(p, &data))
		pr_err_ratelimited("%s[%d]: GPU %u hung, and nobody listens\n", base->comm,
				   base->pid, gdev->gpu_id);
}

const struct gpu_host_ops vkfd_host_ops = {
	.event = vkfd_host_event,
	.fault = vkfd_host_fault,
	.queue_error = vkfd_host_queue_error,
	.queue_exception = vkfd_host_queue_exception,
	.hw_exception = vkfd_host_hw_exception,
	.svm = vkfd_host_svm,
	.stale = vkfd_host_stale,
	.evict = vkfd_host_evict,
	.process_left = vkfd_process_left,
	.reset = vkfd_host_reset,
	.poison = vkfd_host_poison,
	.throttled = vkfd_host_throttled,
};
