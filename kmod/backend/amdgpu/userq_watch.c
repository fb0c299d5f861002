// SPDX-License-Identifier: GPL-2.0-only
/*
 * What becomes of user queues, of which the driver below tells nothing by itself.
 *
 * Who waits for an event is woken by our looking at all events every few milliseconds. Less often
 * two questions are asked: for the last fault (INFO, GPUVM_FAULT), which has been the end of all
 * queues of its address space; and whether there was a reset, which a context can tell, but not
 * whose queue it was about. So a fence of what they were given (USERQ_SIGNAL) is asked for from all
 * PM4 and SDMA queues then: that of a queue that was reset fails, sooner or later. An AQL queue
 * tells its errors in memory of its own, and is asked nothing.
 *
 * Each address space has a watch of its own: an answer may take as long as its client likes, whose
 * other threads may hold locks of its file below.
 */
#include <linux/delay.h>
#include <linux/dma-fence.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include "userq.h"
#include "../../../uapi/drm/amdgpu_drm.h"

#define EVENT_JIFFIES	max(HZ / 100, 1)
#define ASK_JIFFIES	max(HZ / 4, 1)
/* Within that time the driver below knows of a queue that has stopped that it has. */
#define LOST_JIFFIES	max(HZ / 2, 1)

/* The client may have freed it itself. */
void amdgpu_userq_free(struct amdgpu_userq *uq, u32 id)
{
	union drm_amdgpu_userq args = { .in = {
		.op = AMDGPU_USERQ_OP_FREE, .queue_id = id,
	} };

	if (id)
		amdgpu_call(amdgpu_userq_vm(uq)->file, DRM_AMDGPU_USERQ, &args, sizeof(args));
}

static void end_work(struct work_struct *work)
{
	struct amdgpu_userq *uq = container_of(work, struct amdgpu_userq, end_work);

	amdgpu_userq_free(uq, uq->last);
}

void amdgpu_userq_setup(struct amdgpu_userq *uq)
{
	INIT_WORK(&uq->end_work, end_work);
}

u32 amdgpu_userq_take_locked(struct amdgpu_userq *uq)
{
	u32 id = uq->id;

	lockdep_assert_held(&amdgpu_userq_vm(uq)->userq_lock);
	uq->id = 0;
	dma_fence_put(uq->probe);
	uq->probe = NULL;
	return id;
}

/*
 * It is dead. The driver below waits for what it was given, as long as the client likes, and the
 * watch wants userq_lock: so another thread ends it.
 */
void amdgpu_userq_dies_locked(struct amdgpu_userq *uq)
{
	u32 id = amdgpu_userq_take_locked(uq);

	uq->dead = true;
	if (!id)
		return;
	uq->last = id;
	queue_work(amdgpu_userq_vm(uq)->wq, &uq->end_work);
}

void amdgpu_userq_finish(struct amdgpu_userq *uq)
{
	flush_work(&uq->end_work);
	dma_fence_put(uq->probe);
	amdgpu_userq_free(uq, uq->id);
}

static void lose_locked(struct amdgpu_vm *avm)
{
	struct amdgpu_userq *uq;

	lockdep_assert_held(&avm->userq_lock);
	list_for_each_entry(uq, &avm->userqs, entry)
		amdgpu_userq_dies_locked(uq);
}

void amdgpu_userqs_lose(struct amdgpu_vm *avm)
{
	struct workqueue_struct *wq = READ_ONCE(avm->wq);

	/* It never had any. */
	if (!wq)
		return;
	if (mutex_trylock(&avm->userq_lock)) {
		lose_locked(avm);
		mutex_unlock(&avm->userq_lock);
		return;
	}
	WRITE_ONCE(avm->lose, true);
	mod_delayed_work(wq, &avm->watch, 0);
}

/* ------------------------------------------------------------------ faults */

static bool same_fault(const struct gpu_fault *a, const struct gpu_fault *b)
{
	return a->va == b->va && a->access == b->access && a->not_present == b->not_present;
}

/* The driver below tells of the last fault, whenever it was. */
static void look_for_fault_locked(struct amdgpu_userq *uq)
{
	struct amdgpu_vm *avm = amdgpu_userq_vm(uq);
	struct gpu_fault fault = {};

	lockdep_assert_held(&avm->userq_lock);
	if (!amdgpu_vm_fault(avm, uq->q->process, &fault) ||
	    same_fault(&fault, &avm->told))
		return;
	avm->told = fault;
	atomic64_inc(&avm->node->hw.vm_faults);
	pr_info_ratelimited("gpu %u pid %d: memory fault below at 0x%llx\n",
			    uq->q->gdev->gpu_id, uq->q->process->pid, fault.va);
	lose_locked(avm);
	hw_lose_queues(&avm->node->hw, uq->q->process);
	gpu_vm_faulted(uq->q->vm, &fault);
	gpu_host->fault(uq->q->vm, &fault);
}

void amdgpu_userqs_faulted(struct amdgpu_vm *avm, const struct gpu_fault *fault)
{
	mutex_lock(&avm->userq_lock);
	avm->told = *fault;
	lose_locked(avm);
	mutex_unlock(&avm->userq_lock);
}

/* ------------------------------------------------------------------ resets */

static int context_make(struct amdgpu_vm *avm)
{
	union drm_amdgpu_ctx args = { .in = {
		.op = AMDGPU_CTX_OP_ALLOC_CTX, .priority = AMDGPU_CTX_PRIORITY_NORMAL,
	} };
	int ret = amdgpu_call(avm->file, DRM_AMDGPU_CTX, &args, sizeof(args));

	if (!ret)
		avm->witness = args.out.alloc.ctx_id;
	return ret;
}

int amdgpu_userq_context(struct amdgpu_vm *avm)
{
	int ret = 0;

	mutex_lock(&avm->userq_lock);
	if (!avm->wq)
		WRITE_ONCE(avm->wq, alloc_workqueue("vkfd_userq", WQ_UNBOUND, 0));
	if (!avm->wq)
		ret = -ENOMEM;
	else if (!avm->witness)
		ret = context_make(avm);
	mutex_unlock(&avm->userq_lock);
	return ret;
}

static void context_end(struct amdgpu_vm *avm)
{
	union drm_amdgpu_ctx args = { .in = {
		.op = AMDGPU_CTX_OP_FREE_CTX, .ctx_id = avm->witness,
	} };

	if (avm->witness)
		amdgpu_call(avm->file, DRM_AMDGPU_CTX, &args, sizeof(args));
	avm->witness = 0;
}

/* What has happened since the last call, AMDGPU_CTX_QUERY2_FLAGS_*: a new context knows no more. */
static u64 resets_locked(struct amdgpu_vm *avm)
{
	union drm_amdgpu_ctx args = { .in = {
		.op = AMDGPU_CTX_OP_QUERY_STATE2, .ctx_id = avm->witness,
	} };
	u64 flags = 0;

	lockdep_assert_held(&avm->userq_lock);
	if (!avm->witness)
		return 0;
	/* The client may have freed it. */
	if (!amdgpu_call(avm->file, DRM_AMDGPU_CTX, &args, sizeof(args)))
		flags = args.out.state.flags;
	if (!(flags & AMDGPU_CTX_QUERY2_FLAGS_RESET))
		return 0;
	context_end(avm);
	context_make(avm);
	return flags;
}

/* A fence of all that the queue was given, or NULL: it has none, or is not there. */
static struct dma_fence *signal_locked(struct amdgpu_userq *uq)
{
	struct amdgpu_vm *avm = amdgpu_userq_vm(uq);
	u32 *handle = amdgpu_area_page(&avm->request, 0);
	struct drm_amdgpu_userq_signal args = {
		.queue_id = uq->id, .syncobj_handles = avm->request.user,
		.num_syncobj_handles = 1,
	};

	lockdep_assert_held(&avm->lock);
	*handle = avm->sync_handle;
	drm_syncobj_replace_fence(avm->syncobj, NULL);
	if (amdgpu_call_nofault(avm->file, DRM_AMDGPU_USERQ_SIGNAL, &args, sizeof(args)))
		return NULL;
	return drm_syncobj_fence_get(avm->syncobj);
}

/* In its client's mm. */
static void probe(struct amdgpu_userq *uq)
{
	struct amdgpu_vm *avm = amdgpu_userq_vm(uq);

	lockdep_assert_held(&avm->userq_lock);
	if (!uq->id || uq->probe)
		return;
	mutex_lock(&avm->lock);
	uq->probe = signal_locked(uq);
	mutex_unlock(&avm->lock);
}

static void probe_from_outside(struct amdgpu_userq *uq)
{
	struct mm_struct *mm = uq->q->process->mm;

	if (uq->q->props.type == GPU_QUEUE_AQL || !mmget_not_zero(mm))
		return;
	kthread_use_mm(mm);
	probe(uq);
	kthread_unuse_mm(mm);
	mmput_async(mm);
}

/*
 * As of a queue of ours that is reset; the process's others go on. Who has an AQL queue is told by
 * that itself.
 */
static void judge_locked(struct amdgpu_userq *uq)
{
	struct amdgpu_vm *avm = amdgpu_userq_vm(uq);
	int status = dma_fence_get_status(uq->probe);

	lockdep_assert_held(&avm->userq_lock);
	if (!status)
		return;
	dma_fence_put(uq->probe);
	uq->probe = NULL;
	if (status > 0)
		return;
	pr_info_ratelimited("gpu %u pid %d queue %u: reset below: %d\n", uq->q->gdev->gpu_id,
			    uq->q->process->pid, uq->q->id, status);
	atomic64_inc(&avm->node->hw.resets);
	amdgpu_userq_dies_locked(uq);
	if (uq->q->props.type != GPU_QUEUE_AQL)
		gpu_host->hw_exception(uq->q->process, uq->q->gdev);
}

bool amdgpu_userq_is_lost(struct amdgpu_userq *uq)
{
	struct amdgpu_vm *avm = amdgpu_userq_vm(uq);
	unsigned long end = jiffies + LOST_JIFFIES;
	bool dead, known;

	mutex_lock(&avm->userq_lock);
	probe(uq);
	for (;;) {
		if (uq->probe)
			judge_locked(uq);
		dead = uq->dead;
		known = !uq->probe;
		mutex_unlock(&avm->userq_lock);
		if (known || time_after(jiffies, end) || fatal_signal_pending(current))
			return dead;
		usleep_range(500, 1000);
		mutex_lock(&avm->userq_lock);
	}
}

/* All of the GPU: nothing is left of any queue. */
static void all_lost_locked(struct amdgpu_userq *uq)
{
	struct amdgpu_vm *avm = amdgpu_userq_vm(uq);

	pr_info_ratelimited("gpu %u pid %d: user queues lost in a reset below\n",
			    uq->q->gdev->gpu_id, uq->q->process->pid);
	atomic64_inc(&avm->node->hw.resets);
	lose_locked(avm);
	gpu_host->hw_exception(uq->q->process, uq->q->gdev);
}

/* Probes of its queues come with the next round: a fault may be about to be known. */
static void look_for_reset_locked(struct amdgpu_userq *uq)
{
	struct amdgpu_vm *avm = amdgpu_userq_vm(uq);
	u64 flags = resets_locked(avm);
	struct amdgpu_userq *other;

	if (flags & AMDGPU_CTX_QUERY2_FLAGS_VRAMLOST) {
		avm->probe = false;
		all_lost_locked(uq);
		return;
	}
	if (avm->probe)
		list_for_each_entry(other, &avm->userqs, entry)
			if (!other->dead)
				probe_from_outside(other);
	avm->probe = flags & AMDGPU_CTX_QUERY2_FLAGS_RESET;
	if (avm->probe)
		avm->ask_at = jiffies;
}

/* ------------------------------------------------------------------- rounds */

static void ask_locked(struct amdgpu_vm *avm)
{
	struct amdgpu_userq *uq;

	avm->ask_at = jiffies + ASK_JIFFIES;
	list_for_each_entry(uq, &avm->userqs, entry) {
		if (uq->dead)
			continue;
		look_for_fault_locked(uq);
		if (!uq->dead)
			look_for_reset_locked(uq);
		break;
	}
}

static void watch_work(struct work_struct *work)
{
	struct amdgpu_vm *avm = container_of(to_delayed_work(work), struct amdgpu_vm, watch);
	struct amdgpu_userq *uq;

	mutex_lock(&avm->userq_lock);
	uq = list_first_entry_or_null(&avm->userqs, struct amdgpu_userq, entry);
	if (uq)
		gpu_host->event(uq->q->process, 0);
	if (xchg(&avm->lose, false))
		lose_locked(avm);
	if (time_after_eq(jiffies, avm->ask_at))
		ask_locked(avm);
	list_for_each_entry(uq, &avm->userqs, entry)
		if (uq->probe)
			judge_locked(uq);
	if (!list_empty(&avm->userqs))
		queue_delayed_work(avm->wq, &avm->watch, EVENT_JIFFIES);
	mutex_unlock(&avm->userq_lock);
}

void amdgpu_userqs_watch(struct amdgpu_vm *avm)
{
	lockdep_assert_held(&avm->userq_lock);
	queue_delayed_work(avm->wq, &avm->watch, EVENT_JIFFIES);
}

void amdgpu_userqs_init(struct amdgpu_vm *avm)
{
	mutex_init(&avm->userq_lock);
	INIT_LIST_HEAD(&avm->userqs);
	INIT_DELAYED_WORK(&avm->watch, watch_work);
	avm->ask_at = jiffies;
}

/* There are no queues any more. */
void amdgpu_userqs_fini(struct amdgpu_vm *avm)
{
	cancel_delayed_work_sync(&avm->watch);
	if (avm->wq)
		destroy_workqueue(avm->wq);
	context_end(avm);
	mutex_destroy(&avm->userq_lock);
}
